//! Whether a text is the text of a log at all: it has none, or it was made of a file that is no text.

use super::parse::Note;

/// Characters that are looked at.
const HEAD_CHARS: usize = 1 << 16;

/// A text is none if more than one in so many characters is no text. Zero bytes do not count: a
/// log that was cut while it was written begins with a run of them, and one in UTF-16 is full of
/// them, and both can be read.
const ONE_IN: usize = 10;

/// What is wrong with a text as a whole, with its stable code; `None` for one that can be read.
pub fn remark(text: &str) -> Option<Note> {
    let mut found = Note { code: "log.empty", message: String::new(), at: 0 };
    if text.trim().is_empty() {
        found.message =
            "the text of the log is empty: give the lines around the first ERROR of the \
            runtime, from the terminal or from the log's file"
                .to_owned();
        return Some(found);
    }
    let (mut all, mut wrong, mut first) = (0_usize, 0_usize, None);
    for (at, c) in text.char_indices().take(HEAD_CHARS).filter(|(_, c)| *c != '\0') {
        all += 1;
        if is_no_text(c) {
            wrong += 1;
            first = first.or(Some(at));
        }
    }
    if all > 0 && wrong.saturating_mul(ONE_IN) <= all {
        return None;
    }
    let why = match first {
        Some(first) => format!(
            "{wrong} of the first {all} characters that are looked at are none, the first at byte \
             {first:#x}"
        ),
        None => "it holds zero bytes only".to_owned(),
    };
    found.code = "log.binary";
    found.at = first.unwrap_or(0) as u64;
    found.message = format!(
        "this is no text of a log: {why}. A NEFF, a capture or a dump is opened as a file of its \
         own; give the text that the runtime printed"
    );
    Some(found)
}

/// A character that no log has: a control other than those of lines and terminals, or what stands
/// for bytes that are no UTF-8.
fn is_no_text(c: char) -> bool {
    let of_terminals = matches!(c, '\t' | '\n' | '\r' | '\u{1b}' | '\u{7}' | '\u{8}' | '\u{c}');
    c == char::REPLACEMENT_CHARACTER || c.is_control() && !of_terminals
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(text: &str) -> Option<&'static str> {
        remark(text).map(|note| note.code)
    }

    #[test]
    fn empty_texts_are_told_apart_from_binary_ones() {
        assert_eq!(code(""), Some("log.empty"));
        assert_eq!(code(" \r\n\t\n"), Some("log.empty"));
        assert_eq!(code("\0\0\0"), Some("log.binary"));
        assert_eq!(code("PE pc 0x40\n\u{1b}[31mred\u{1b}[0m"), None);
        // Nine bad characters of 90 are one in ten, of 89 they are more.
        let bad = "\u{1}".repeat(9);
        assert_eq!(code(&format!("{}{bad}", "x".repeat(81))), None);
        let note = remark(&format!("{}{bad}", "x".repeat(80))).unwrap();
        assert_eq!((note.code, note.at), ("log.binary", 80));
        assert!(note.message.contains("9 of the first 89 characters"), "{}", note.message);
    }

    /// A log that was cut while it was written, and one in UTF-16 whose bytes were taken for UTF-8.
    #[test]
    fn zero_bytes_alone_make_no_binary() {
        assert_eq!(code(&format!("{}PE ip 3\n", "\0".repeat(500))), None);
        assert_eq!(code("\u{fffd}\u{fffd}P\0E\0 \0i\0p\0 \x003\0 of POOL and ACT and SP"), None);
    }
}
