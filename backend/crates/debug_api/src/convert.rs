//! From the pure crates' values to the boundary types.

use crate::answer::{At, Finding, Provenance};
use crate::error::{ApiError, ErrorKind};
use neff::{Diagnostic, NeffError, Place};

/// A place as a document shows it.
pub fn at(place: &Place) -> At {
    At {
        member: place.member.clone(),
        subgraph: place.subgraph.clone(),
        engine: place.engine.map(str::to_owned),
        offset: place.offset,
        ..At::default()
    }
}

/// A place in a text file.
pub fn at_text(name: &str, place: Option<device_image::profile::TextPlace>) -> At {
    At {
        member: Some(name.to_owned()),
        offset: place.map(|place| place.offset as u64),
        line: place.map(|place| place.line as u64),
        column: place.map(|place| place.column as u64),
        ..At::default()
    }
}

/// A finding as a document shows it.
pub fn finding(diagnostic: &Diagnostic) -> Finding {
    Finding {
        code: diagnostic.code.to_owned(),
        severity: diagnostic.severity.name().to_owned(),
        message: diagnostic.message.clone(),
        at: at(&diagnostic.at),
    }
}

/// All findings of a list, in its order.
pub fn findings(list: &[Diagnostic]) -> Vec<Finding> {
    list.iter().map(finding).collect()
}

/// Units of sizes that people type, with the bits that they shift by.
const UNITS: [(&str, u32); 5] = [("kib", 10), ("mib", 20), ("gib", 30), ("tib", 40), ("b", 0)];

/// `4096`, `0x1000`, `512 MiB`, `1.5 GiB` in bytes; `None` for anything else, negative numbers and
/// those from 2^64 on among it.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim().replace([',', '_'], "").to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    if let Ok(number) = text.parse() {
        return Some(number);
    }
    let (digits, shift) =
        UNITS.iter().find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, *shift)))?;
    let digits = digits.trim_end();
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    if part.is_empty() || part.len() > 9 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let whole: u64 = whole.parse().ok()?;
    let scale = 10_u128.pow(u32::try_from(part.len()).ok()?);
    let bytes = (u128::from(whole) << shift) + ((part.parse::<u128>().ok()? << shift) / scale);
    u64::try_from(bytes).ok()
}

/// A container error with its place. Limits are a kind of their own, so that a client can tell a
/// large file from a damaged one.
pub fn neff_error(error: &NeffError) -> ApiError {
    let code = error.code();
    let limit = code.ends_with("-limit");
    let kind = if limit { ErrorKind::TooLarge } else { ErrorKind::Undecodable };
    ApiError::new(kind, code, error.to_string()).at(at(&error.place()))
}

/// The same word on this side of the boundary.
pub fn provenance(value: records::Provenance) -> Provenance {
    match value {
        records::Provenance::File => Provenance::File,
        records::Provenance::Observed => Provenance::Observed,
        records::Provenance::Configured => Provenance::Configured,
        records::Provenance::Inferred => Provenance::Inferred,
        records::Provenance::Modelled => Provenance::Modelled,
    }
}

/// An address or mask as documents write it.
pub fn hex(value: u64) -> String {
    format!("{value:#x}")
}

/// Bytes as bare lower-case digits.
pub fn hex_bytes(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        // Writing to a string does not fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// A decimal or `0x` number.
///
/// # Errors
/// `request.invalid` naming the text.
pub fn number(what: &str, text: &str) -> Result<u64, ApiError> {
    let clean: String = text.trim().chars().filter(|c| *c != '_').collect();
    let clean = if clean.contains('+') { String::new() } else { clean };
    let parsed = match clean.strip_prefix("0x").or_else(|| clean.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => clean.parse(),
    };
    parsed.map_err(|_| {
        let shown: String = text.chars().take(40).collect();
        ApiError::bad_request(format!("{what} `{shown}` is no number below 2^64"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal_or_hex() {
        assert_eq!(number("pc", "0x1000_0080_1000"), Ok(0x1000_0080_1000));
        assert_eq!(number("pc", " 64 "), Ok(64));
        assert!(number("pc", "0x").is_err());
        assert!(number("pc", "-4").is_err());
        assert!(number("pc", "0x+5").is_err());
        assert_eq!(hex(0x40), "0x40");
        assert_eq!(hex_bytes(&[0, 0xAB]), "00ab");
    }

    #[test]
    fn sizes_take_units_and_never_wrap() {
        let table = [
            ("4096", Some(4096)),
            ("0x1000", Some(4096)),
            ("512 MiB", Some(512 << 20)),
            ("1.5GiB", Some(3 << 29)),
            ("16,384 KiB", Some(16 << 20)),
            ("64 b", Some(64)),
            ("16777215 TiB", Some(0xFF_FFFF << 40)),
            ("16777216 TiB", None),
            ("18446744073709551616", None),
            ("-1", None),
            ("1. GiB", None),
            ("+-1", None),
            ("MiB", None),
            ("", None),
        ];
        for (text, bytes) in table {
            assert_eq!(parse_bytes(text), bytes, "{text}");
        }
    }
}
