//! Numbers and addresses as pages print them.

use debug_api::convert::bytes_unit;
use std::fmt::Write;
use std::path::Path;

/// Text for a page, in one line: control and bidirectional characters, which names from files may
/// hold, are escapes.
pub fn clean(text: &str) -> String {
    debug_api::plain::printable(text).into_owned()
}

/// What a transfer touches; in the answer's own words where numbers do not hold it.
pub fn touched(start: Option<i64>, end: Option<i64>, touches: Option<&str>) -> String {
    match (touches, start, end) {
        (Some(touches), _, _) => touches.to_owned(),
        (None, Some(start), Some(end)) => format!("bytes {start} to {}", end.saturating_sub(1)),
        _ => "no bytes".to_owned(),
    }
}

/// Percent-encodes everything but unreserved characters.
pub fn percent(text: &str) -> String {
    text.bytes().fold(String::new(), |mut out, byte| {
        if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
        out
    })
}

/// First and last slot of a run, `62–72`; `none` for an empty one.
pub fn slot_range(first: u64, slots: u64) -> String {
    match slots {
        0 => "none".to_owned(),
        1 => first.to_string(),
        _ => format!("{first}–{}", first + slots - 1),
    }
}

/// A count with comma thousands.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// Bytes in the unit that fits them: `512 MiB`, `1.5 GiB`.
pub fn binary_units(bytes: u64) -> String {
    bytes_unit(bytes).map_or_else(|| format!("{bytes} B"), |text| text.replace(".0 ", " "))
}

/// The last component of a path, as a file is called on the screen.
pub fn display_name(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.display().to_string(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ranges_read_well() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(62_464), "62,464");
        assert_eq!(thousands(1_516_544), "1,516,544");
        assert_eq!(slot_range(62, 11), "62–72");
        assert_eq!(slot_range(62, 0), "none");
        assert_eq!(binary_units(1 << 30), "1 GiB");
        assert_eq!(binary_units(3 << 29), "1.5 GiB");
        assert_eq!(binary_units(5 << 40), "5 TiB");
        assert_eq!(clean("a\u{1b}b\u{202e}"), "a\\u{1b}b\\u{202e}");
        assert_eq!(percent("a&b/µ"), "a%26b%2F%C2%B5");
    }
}
