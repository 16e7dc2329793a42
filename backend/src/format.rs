//! Numbers and addresses as pages and the command line print them.

use debug_api::convert::bytes_unit;
pub use debug_api::plain::range;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Appends a formatted line; writing to a string does not fail. `std::fmt::Write` is in scope where
/// it is used.
macro_rules! line {
    ($out:expr, $($arg:tt)*) => {{
        let _ = writeln!($out, $($arg)*);
    }};
}
pub(crate) use line;

/// Text for a page, in one line: control and bidirectional characters, which names from files may
/// hold, are escapes.
pub fn clean(text: &str) -> String {
    debug_api::plain::printable(text).into_owned()
}

/// What a transfer touches; in the answer's own words where numbers do not hold it.
pub fn touched(start: Option<i64>, end: Option<i64>, touches: Option<&str>) -> String {
    match (touches, start, end) {
        (Some(touches), _, _) => touches.to_owned(),
        (None, Some(start), Some(end)) => range(start, end),
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

/// How files are called that a command names together: by the last component, with as many folders
/// before it as tell those of one name apart.
pub fn display_names(paths: &[PathBuf]) -> Vec<String> {
    let tail = |path: &Path, count: usize| {
        let parts: Vec<_> = path.components().collect();
        let from = parts.len().saturating_sub(count);
        let tail: PathBuf = parts.get(from..).unwrap_or_default().iter().collect();
        tail.display().to_string()
    };
    let name = |path: &PathBuf| {
        let others = || paths.iter().filter(|other| *other != path);
        let longest = path.components().count().max(1);
        let alone = |count: &usize| others().all(|other| tail(other, *count) != tail(path, *count));
        let count = (1..=longest).find(alone).unwrap_or(1);
        if count == 1 { display_name(path) } else { tail(path, count) }
    };
    paths.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_of_one_name_have_their_folders() {
        let of =
            |paths: &[&str]| display_names(&paths.iter().map(PathBuf::from).collect::<Vec<_>>());
        assert_eq!(of(&["x/a.neff", "x/b.neff"]), ["a.neff", "b.neff"]);
        assert_eq!(of(&["/m/r0/a.neff", "/m/r1/a.neff", "b"]), ["r0/a.neff", "r1/a.neff", "b"]);
        assert_eq!(of(&["r0/x/a", "r1/x/a"]), ["r0/x/a", "r1/x/a"]);
        // One file twice has no other name.
        assert_eq!(of(&["x/a", "x/a"]), ["a", "a"]);
    }

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
