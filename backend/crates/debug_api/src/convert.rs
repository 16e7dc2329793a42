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

/// Bytes of a scratchpad page where none are set, by the name of the mode.
pub fn default_page_bytes(mode: &str) -> u64 {
    use device_image::scratchpad::{Mode, arena};
    match mode {
        mode if mode == Mode::Contiguous.name() => arena::CONTIGUOUS_PAGE_BYTES,
        _ => arena::DEFAULT_PAGE_BYTES,
    }
}

/// Units of sizes that people type and read, with the bits that they shift by.
const UNITS: [(&str, u32); 6] =
    [("KiB", 10), ("MiB", 20), ("GiB", 30), ("TiB", 40), ("PiB", 50), ("EiB", 60)];

/// `62464` as `61.0 KiB`; nothing below 1 KiB, where the exact form says it all.
pub fn bytes_unit(value: u64) -> Option<String> {
    bytes_with(value, 1)
}

/// The same with so many digits behind the point.
pub fn bytes_with(value: u64, digits: usize) -> Option<String> {
    if value < 1024 {
        return None;
    }
    // What would be written as 1024 is written in the next unit.
    let last = 1024.0 - 0.5 / 10_f64.powi(i32::try_from(digits).unwrap_or(1));
    let scaled = UNITS.iter().map(|(unit, shift)| (value as f64 / (1_u64 << shift) as f64, unit));
    let (number, unit) =
        scaled.into_iter().find(|(number, unit)| *number < last || **unit == "EiB")?;
    Some(format!("{number:.digits$} {unit}"))
}

/// What may stand in the fields of the scratchpad calculator: page size, pages, offset, size.
pub const EXPECTED: [&str; 4] = [
    "1 to 4,294,967,295 bytes, such as 512 MiB",
    "0 to 1,024",
    "a number of bytes below 2^64, such as 0, 0x1000 or 512 MiB",
    "a number of bytes below 2^64, such as 4096, 0x1000 or 64 MiB",
];

/// `4096`, `4,096`, `0x1000`, `512 MiB`, `1.5 GiB` in bytes; `None` for anything else, negative
/// numbers and those from 2^64 on among it. Parts of a byte are left out.
pub fn parse_bytes(text: &str) -> Option<u64> {
    let text = text.trim().to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix("0x") {
        let digits = digits.replace('_', "");
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        return u64::from_str_radix(&digits, 16).ok().filter(|_| is_hex);
    }
    let unit = |(unit, shift): &(&str, u32)| {
        let number = text.strip_suffix(unit.to_ascii_lowercase().as_str())?;
        Some((number.trim_end(), *shift))
    };
    let plain = || (text.strip_suffix('b').unwrap_or(&text).trim_end(), 0);
    let (number, shift) = UNITS.iter().find_map(unit).unwrap_or_else(plain);
    let (whole, part) = match number.split_once('.') {
        Some((whole, part)) if shift > 0 => (whole, part),
        Some(_) => return None,
        None => (number, "0"),
    };
    if part.is_empty() || part.len() > 9 || !part.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let scale = 10_u128.pow(u32::try_from(part.len()).ok()?);
    let below = (part.parse::<u128>().ok()? << shift) / scale;
    u64::try_from((u128::from(grouped(whole)?) << shift) + below).ok()
}

/// A number of decimal digits, with or without separators: `_` anywhere between digits, `,` before
/// each three, so that no comma of another language is taken for one.
fn grouped(text: &str) -> Option<u64> {
    let mut groups = text.split(',');
    let first = groups.next()?;
    let three = |group: &str| group.len() == 3;
    if text.contains(',') && (first.is_empty() || first.len() > 3 || !groups.all(three)) {
        return None;
    }
    let digits: String = text.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit()) && !text.starts_with('_');
    digits.parse().ok().filter(|_| is_number)
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
        ApiError::bad_request(format!(
            "{what} `{shown}` is no number below 2^64, decimal or with 0x in hex"
        ))
    })
}

/// Where a slot is: its engine, and its byte in the stream where it has one.
pub fn at_place(place: &crate::answer::PlaceRef) -> crate::answer::At {
    crate::answer::At {
        subgraph: Some(place.s.clone()),
        engine: Some(place.e.clone()),
        offset: place.neff_ip.map(|ip| u64::from(ip.saturating_sub(1)) * 64),
        ..crate::answer::At::default()
    }
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
        let odd = [
            ("1,048,576", Some(1 << 20)),
            ("1,024 KiB", Some(1 << 20)),
            ("1_0 MiB", Some(10 << 20)),
            ("0x6_0000_0000", Some(24 << 30)),
            ("15 EiB", Some(15 << 60)),
            ("1 PiB", Some(1 << 50)),
            ("4096 B", Some(4096)),
            // A comma that is a point elsewhere is no separator.
            ("1,5 GiB", None),
            ("16 EiB", None),
            ("0x+5", None),
            ("+5", None),
            (",5", None),
            ("1.5", None),
        ];
        for (text, bytes) in odd {
            assert_eq!(parse_bytes(text), bytes, "{text}");
        }
    }

    #[test]
    fn sizes_have_a_unit_that_fits() {
        let table = [
            (1_023, None),
            (62_464, Some("61.0 KiB")),
            (1_048_575, Some("1.0 MiB")),
            (1 << 40, Some("1.0 TiB")),
            (3 << 49, Some("1.5 PiB")),
            (u64::MAX, Some("16.0 EiB")),
        ];
        for (bytes, text) in table {
            assert_eq!(bytes_unit(bytes).as_deref(), text, "{bytes}");
        }
        assert_eq!(bytes_with(3 << 29, 2).as_deref(), Some("1.50 GiB"));
    }
}
