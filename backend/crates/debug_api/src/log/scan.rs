//! Small scanners over one lower-case line: keys as whole words, and the numbers behind them.

/// A number that a line holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    /// Value.
    pub value: u64,
    /// Whether it was written with `0x`.
    pub hex: bool,
}

/// Whether a byte can be part of a word.
pub const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Byte before a place in a text.
fn before(text: &str, at: usize) -> Option<u8> {
    at.checked_sub(1).and_then(|at| text.as_bytes().get(at)).copied()
}

/// The places where a key stands as a whole word; each with the text behind the key.
pub fn words<'a>(text: &'a str, key: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    text.match_indices(key).filter_map(move |(at, _)| {
        let rest = text.get(at + key.len()..)?;
        let free = !before(text, at).is_some_and(is_word);
        let ends = !rest.bytes().next().is_some_and(is_word);
        (free && ends).then_some((at, rest))
    })
}

/// Whether a key stands in a text as a whole word.
pub fn has_word(text: &str, key: &str) -> bool {
    words(text, key).next().is_some()
}

/// The number at the start of a text, after signs such as `: = # ( [` and blanks. A number is
/// decimal or has `0x`; one that goes on as a word, as an address of the internet or as a
/// fraction is none.
pub fn number(text: &str) -> Option<Number> {
    let mut rest = skip_signs(text);
    for filler in ["is ", "at ", "code ", "number "] {
        if let Some(behind) = rest.strip_prefix(filler) {
            rest = skip_signs(behind);
        }
    }
    let (digits, hex) = match rest.strip_prefix("0x").or_else(|| rest.strip_prefix("0X")) {
        Some(digits) => (digits, true),
        None => (rest, false),
    };
    let is_digit = |byte: &u8| if hex { byte.is_ascii_hexdigit() } else { byte.is_ascii_digit() };
    let length = digits.bytes().take_while(|byte| is_digit(byte)).count();
    let (digits, behind) = digits.split_at_checked(length)?;
    let mut behind = behind.bytes();
    match behind.next() {
        Some(byte) if is_word(byte) => return None,
        Some(b'.') if behind.next().is_some_and(|byte| byte.is_ascii_digit()) => return None,
        _ => {}
    }
    let value = u64::from_str_radix(digits, if hex { 16 } else { 10 }).ok()?;
    Some(Number { value, hex })
}

fn skip_signs(text: &str) -> &str {
    text.trim_start_matches([' ', '\t', '\n', ':', '=', '#', '(', '[', '{', '"', '\'', '`', '@'])
}

/// The first number that stands behind one of the keys, the keys in order of preference.
pub fn value_of(text: &str, keys: &[&str]) -> Option<Number> {
    keys.iter().find_map(|key| words(text, key).find_map(|(_, rest)| number(rest)))
}

/// A number of digits directly behind a key, or after blanks and signs: `nd0`, `ND 0`, `NC:0`.
pub fn id_of(text: &str, key: &str) -> Option<u32> {
    text.match_indices(key).find_map(|(at, _)| {
        if before(text, at).is_some_and(is_word) {
            return None;
        }
        let rest = text.get(at + key.len()..)?;
        let rest = rest.trim_start_matches([' ', ':', '=', '_']);
        let length = rest.bytes().take_while(u8::is_ascii_digit).count();
        let (digits, behind) = rest.split_at_checked(length)?;
        if behind.bytes().next().is_some_and(is_word) {
            return None;
        }
        digits.parse().ok()
    })
}

/// The words of a text with their places: runs of letters, digits and `_`.
pub fn tokens(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = text;
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = rest.bytes().position(is_word)?;
        let from = rest.get(start..)?;
        let length = from.bytes().position(|byte| !is_word(byte)).unwrap_or(from.len());
        let (token, behind) = from.split_at_checked(length)?;
        let place = at + start;
        at = place + length;
        rest = behind;
        Some((place, token))
    })
}

/// The place of the first time stamp of the runtime's form, `2024-Jan-18 01:49:40`, from a byte
/// on.
pub fn stamp(text: &str, from: usize) -> Option<usize> {
    const SHAPE: &[u8] = b"dddd-aaa-dd dd:dd:dd";
    let bytes = text.as_bytes();
    let fits = |window: &[u8]| {
        window.iter().zip(SHAPE).all(|(byte, shape)| match shape {
            b'd' => byte.is_ascii_digit(),
            b'a' => byte.is_ascii_alphabetic(),
            other => byte == other,
        })
    };
    let found = bytes.get(from..)?.windows(SHAPE.len()).position(fits)?;
    Some(from + found)
}

/// Cuts a text at a number of bytes, at a whole character.
pub fn cut(text: &str, bytes: usize) -> &str {
    text.get(..text.floor_char_boundary(bytes)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dec(value: u64) -> Option<Number> {
        Some(Number { value, hex: false })
    }

    #[test]
    fn numbers_stand_behind_keys() {
        assert_eq!(value_of("status=1006, more", &["status"]), dec(1006));
        assert_eq!(value_of("with err: 5", &["err"]), dec(5));
        assert_eq!(value_of("nrt status code 1004", &["status"]), dec(1004));
        let hex = Some(Number { value: 0x3_c000_0ac0, hex: true });
        assert_eq!(value_of("(pc = 0x3c0000ac0)", &["pc"]), hex);
        assert_eq!(value_of("number = 11. model", &["number"]), dec(11));
    }

    #[test]
    fn other_things_are_no_numbers() {
        assert_eq!(value_of("ip=10.1.161.26)", &["ip"]), None);
        assert_eq!(value_of("error_id=8", &["error"]), None);
        assert_eq!(value_of("version 2.0,", &["version"]), None);
        assert_eq!(value_of("err: 5ms", &["err"]), None);
        assert_eq!(value_of("grip 12", &["ip"]), None);
        assert_eq!(value_of("pc 0x1ffffffffffffffff", &["pc"]), None);
    }

    #[test]
    fn ids_take_all_their_forms() {
        for text in ["nd0:nc4:h_model", "[nd 0][nc 4]", "on nd 0:nc 4, current", "nd0 nc4"] {
            assert_eq!((id_of(text, "nd"), id_of(text, "nc")), (Some(0), Some(4)), "{text}");
        }
        assert_eq!(id_of("neuron device 4 nc 1", "neuron device"), Some(4));
        assert_eq!(id_of("end:3", "nd"), None);
    }

    #[test]
    fn stamps_are_found_in_the_middle() {
        let text = "err: 102024-Jan-18 01:49:40.972604 39717:39898 ERROR";
        assert_eq!(stamp(text, 0), Some(7));
        assert_eq!(stamp(text, 8), None);
    }

    #[test]
    fn words_have_places() {
        let all: Vec<_> = tokens("[ND 0] top_sp,é PE").collect();
        assert_eq!(all, [(1, "ND"), (4, "0"), (7, "top_sp"), (17, "PE")]);
        assert_eq!(cut("aé", 2), "a");
    }
}
