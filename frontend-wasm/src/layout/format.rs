//! How numbers, addresses and names are written, everywhere the same.
//!
//! Counts have comma thousands; bytes are exact first, then in binary units; hex is grouped in
//! fours from the right (the gap is a margin, so copying gives one token); ranges have an en dash
//! and negative counts a true minus sign.

use debug_api::answer::Provenance;

/// `1234567` as `1,234,567`.
pub fn thousands(value: u64) -> String {
    let digits = value.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// The runtime version of a capture; a capture that was cut does not hold it.
pub fn runtime(version: &str) -> String {
    match version {
        "" => "runtime of unknown version".to_owned(),
        version => format!("runtime {version}"),
    }
}

/// `62464` as `62,464 B`.
pub fn bytes_exact(value: u64) -> String {
    format!("{} B", thousands(value))
}

pub use debug_api::convert::bytes_unit;

/// `10000801000` as `1`, `0000`, `8010`... grouped in fours from the right. A text with other
/// characters than hex digits stays one group.
pub fn hex_groups(digits: &str) -> Vec<&str> {
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return vec![digits];
    }
    let first = digits.len() % 4;
    let (head, tail) = digits.split_at(first);
    let mut groups = Vec::with_capacity(digits.len() / 4 + 1);
    if !head.is_empty() {
        groups.push(head);
    }
    let mut rest = tail;
    while !rest.is_empty() {
        let (group, after) = rest.split_at(4.min(rest.len()));
        groups.push(group);
        rest = after;
    }
    groups
}

/// `0x...` or decimal text as a number.
pub fn parse_number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// First and last of a run, as `62–72`, or one number.
pub fn range(first: u64, last: u64) -> String {
    if first == last {
        thousands(first)
    } else {
        format!("{}–{}", thousands(first), thousands(last))
    }
}

/// Runs of NEFF IPs, as `IP 4, 5` for two neighbors, `IP 4–9` for more, `IP 4–9, 12 +3` when
/// there are more than two runs; empty without one.
pub fn ip_runs(runs: &[[u32; 2]]) -> String {
    if runs.is_empty() {
        return String::new();
    }
    let mut parts: Vec<String> = runs
        .iter()
        .take(2)
        .map(|&[first, last]| match last.saturating_sub(first) {
            0 => thousands(u64::from(first)),
            1 => format!("{}, {}", thousands(u64::from(first)), thousands(u64::from(last))),
            _ => range(u64::from(first), u64::from(last)),
        })
        .collect();
    if runs.len() > 2 {
        let last = parts.pop().unwrap_or_default();
        parts.push(format!("{last} +{}", runs.len() - 2));
    }
    format!("IP {}", parts.join(", "))
}

/// `1 slot`, `2 slots`.
pub fn count(value: u64, noun: &str) -> String {
    format!("{} {noun}{}", thousands(value), if value == 1 { "" } else { "s" })
}

/// The part of a ratio in whole percent with a narrow space, as `63 %`; never 100 or 0 unless it
/// is exactly all or none, but `< 1 %` and `> 99 %`.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "—".to_owned();
    }
    let exact = part as f64 * 100.0 / whole as f64;
    match exact.round() {
        0.0 if part > 0 => "<\u{202f}1\u{202f}%".to_owned(),
        shown if shown >= 100.0 && part < whole => ">\u{202f}99\u{202f}%".to_owned(),
        shown => format!("{shown:.0}\u{202f}%"),
    }
}

/// A number that comes of a sum, where the largest one stands for all that exceed 2^64.
pub fn sum_of(value: u64) -> String {
    if value == u64::MAX { "2^64 or more".to_owned() } else { thousands(value) }
}

/// Key of a region in class names: `pre msw main post fn`, and `pad` for anything else.
pub fn region_key(name: &str) -> &'static str {
    match name {
        "PREAMBLE" => "pre",
        "MODEL_SWITCH" => "msw",
        "MAIN" => "main",
        "POSTAMBLE" => "post",
        "FUNCTION" => "fn",
        _ => "pad",
    }
}

/// Whether the runtime builds the region, so that it is drawn hatched.
pub fn region_hatched(name: &str) -> bool {
    matches!(name, "PREAMBLE" | "MODEL_SWITCH" | "POSTAMBLE")
}

/// Key of an engine in class names and glyphs: `pe act pool dve sp`.
pub fn engine_key(name: &str) -> &'static str {
    match name {
        "ACT" => "act",
        "POOL" => "pool",
        "DVE" => "dve",
        "SP" => "sp",
        _ => "pe",
    }
}

/// Key of a provenance in class names and glyphs: `file obs inf mod cfg`.
pub const fn provenance_key(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::File => "file",
        Provenance::Observed => "obs",
        Provenance::Inferred => "inf",
        Provenance::Modelled => "mod",
        Provenance::Configured => "cfg",
    }
}

/// What a provenance means, for a tooltip.
pub const fn provenance_words(provenance: Provenance) -> &'static str {
    match provenance {
        Provenance::File => "file: read from the input",
        Provenance::Observed => "observed: computed by a rule seen in real bytes or in the runtime",
        Provenance::Inferred => "inferred: concluded from such rules, not seen",
        Provenance::Modelled => "modelled: our stand-in where nothing is published",
        Provenance::Configured => "configured: set by you, or a default that you can set",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_bytes() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1_000), "1,000");
        assert_eq!(thousands(12_345_678), "12,345,678");
        assert_eq!(bytes_exact(62_464), "62,464 B");
        assert_eq!(bytes_unit(62_464).as_deref(), Some("61.0 KiB"));
        assert_eq!(bytes_unit(1_023), None);
        assert_eq!(bytes_unit(1_048_575).as_deref(), Some("1.0 MiB"));
        assert_eq!(count(1, "slot"), "1 slot");
        assert_eq!(count(84, "slot"), "84 slots");
    }

    #[test]
    fn hex_is_grouped_from_the_right() {
        assert_eq!(hex_groups("100000801000"), ["1000", "0080", "1000"]);
        assert_eq!(hex_groups("11c0"), ["11c0"]);
        assert_eq!(hex_groups("0"), ["0"]);
        assert_eq!(hex_groups("12345"), ["1", "2345"]);
        assert_eq!(hex_groups("µs"), ["µs"]);
        assert_eq!(parse_number("0x100140"), Some(0x10_0140));
        assert_eq!(parse_number("64"), Some(64));
        assert_eq!(parse_number("0x"), None);
    }

    #[test]
    fn runs_and_shares() {
        assert_eq!(range(62, 72), "62–72");
        assert_eq!(range(7, 7), "7");
        assert_eq!(ip_runs(&[]), "");
        assert_eq!(ip_runs(&[[3, 3]]), "IP 3");
        assert_eq!(ip_runs(&[[4, 5]]), "IP 4, 5");
        assert_eq!(ip_runs(&[[4, 9], [12, 12], [20, 21], [30, 30]]), "IP 4–9, 12 +2");
        assert_eq!(percent(0, 10), "0\u{202f}%");
        assert_eq!(percent(999, 1000), ">\u{202f}99\u{202f}%");
        assert_eq!(percent(990, 1000), "99\u{202f}%");
        assert_eq!(percent(1000, 1000), "100\u{202f}%");
        assert_eq!(percent(1, 1000), "<\u{202f}1\u{202f}%");
        assert_eq!(percent(7, 16_777_216), "<\u{202f}1\u{202f}%");
        assert_eq!(percent(6, 1000), "1\u{202f}%");
        assert_eq!(percent(1, 0), "—");
    }
}
