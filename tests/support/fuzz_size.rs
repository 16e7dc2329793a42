//! The body of the fuzz target `size`: any bytes as a size that somebody types, read by the parser
//! and by a plain reading of the same grammar.

use debug_api::convert::{bytes_with, parse_bytes};

/// Units with the power of 1024 that they stand for.
const UNITS: [(&str, u32); 6] =
    [("kib", 1), ("mib", 2), ("gib", 3), ("tib", 4), ("pib", 5), ("eib", 6)];

/// Reads bytes as a size. Nothing may panic, the plain reading has to agree, and what is read is
/// read again from its own digits and, up to rounding, from its words.
///
/// # Panics
///
/// When one of these does not hold.
#[allow(clippy::panic, clippy::unwrap_used, reason = "a fuzz body reports by panicking")]
pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let read = parse_bytes(&text);
    assert_eq!(read, plain(&text), "{text:?}");
    let Some(bytes) = read else { return };
    for again in [bytes.to_string(), format!("{bytes:#x}"), format!(" {bytes} B "), commas(bytes)] {
        assert_eq!(parse_bytes(&again), Some(bytes), "{again:?}");
    }
    // Words with six digits are off by a millionth of the unit at most; the last ones may round up
    // to 2^64, which is no size.
    let Some(words) = bytes_with(bytes, 6) else { return };
    match parse_bytes(&words) {
        Some(about) => assert!(about.abs_diff(bytes) <= (bytes >> 19) + 1, "{words}: {about}"),
        None => assert!(bytes > u64::MAX - (u64::MAX >> 19), "{words}"),
    }
}

/// The grammar, letter by letter.
fn plain(text: &str) -> Option<u64> {
    let text: Vec<char> = text.trim().chars().map(|c| c.to_ascii_lowercase()).collect();
    if let ['0', 'x', digits @ ..] = text.as_slice() {
        let digits: Vec<u32> =
            digits.iter().filter(|c| **c != '_').map(|c| c.to_digit(16)).collect::<Option<_>>()?;
        return number(&digits, 16, 1);
    }
    let ends = |unit: &str| {
        let unit: Vec<char> = unit.chars().collect();
        text.ends_with(&unit).then(|| text.len() - unit.len())
    };
    let unit = UNITS.iter().find_map(|(unit, power)| Some((ends(unit)?, *power)));
    let (end, power) = unit.or_else(|| Some((ends("b")?, 0))).unwrap_or((text.len(), 0));
    let mut digits = text.get(..end)?;
    while let [before @ .., last] = digits
        && last.is_whitespace()
    {
        digits = before;
    }
    let point = digits.iter().position(|c| *c == '.');
    let (whole, part) = match point {
        Some(at) => (digits.get(..at)?, digits.get(at + 1..)?),
        None => (digits, &['0'][..]),
    };
    if part.is_empty() || part.len() > 9 || point.is_some() && power == 0 {
        return None;
    }
    let groups: Vec<&[char]> = whole.split(|c| *c == ',').collect();
    let (first, rest) = groups.split_first()?;
    if !rest.is_empty() && (!(1..=3).contains(&first.len()) || rest.iter().any(|g| g.len() != 3)) {
        return None;
    }
    if whole.first() == Some(&'_') {
        return None;
    }
    let plain: Vec<u32> = whole
        .iter()
        .filter(|c| !matches!(c, ',' | '_'))
        .map(|c| c.to_digit(10))
        .collect::<Option<_>>()?;
    let part: Vec<u32> = part.iter().map(|c| c.to_digit(10)).collect::<Option<_>>()?;
    let unit = 1024_u64.checked_pow(power)?;
    let whole = number(&plain, 10, unit)?;
    let below: u128 = part.iter().fold(0, |sum, digit| sum * 10 + u128::from(*digit));
    let below = below * u128::from(unit) / 10_u128.pow(u32::try_from(part.len()).ok()?);
    whole.checked_add(u64::try_from(below).ok()?)
}

/// Digits of a base times a unit; `None` without digits and from 2^64 on.
fn number(digits: &[u32], base: u64, unit: u64) -> Option<u64> {
    let mut sum = None;
    for digit in digits {
        sum = Some(sum.unwrap_or(0_u64).checked_mul(base)?.checked_add(u64::from(*digit))?);
    }
    sum?.checked_mul(unit)
}

/// `1,048,576`.
fn commas(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
