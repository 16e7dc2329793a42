//! The one cleaner of foreign text: what files, logs and addresses hold, safe to show.
//!
//! A control character moves a terminal's cursor or ends a row; one of the bidirectional algorithm
//! turns the words around it, on a page too. Both are shown as escapes, so that they are seen and do
//! nothing.

pub use kbin::reach::{byte_text, range};
pub use neff::hidden::{is_hidden, quoted, unquoted};
use std::borrow::Cow;

/// Text in one line, for a terminal or a page: every hidden character is an escape, `\u{202e}`.
pub fn printable(text: &str) -> Cow<'_, str> {
    escaped(text, is_hidden)
}

/// As [`printable`], but line feeds and tabs stay.
pub fn printable_lines(text: &str) -> Cow<'_, str> {
    escaped(text, |c| is_hidden(c) && !matches!(c, '\n' | '\t'))
}

/// A name in one line, quoted where nothing of it, or not all of it, would be seen: an empty one, and
/// one with blanks at an end.
pub fn name(text: &str) -> Cow<'_, str> {
    let text = printable(text);
    let is_plain = !text.is_empty() && text.trim().len() == text.len();
    if is_plain { text } else { Cow::Owned(format!("\"{text}\"")) }
}

fn escaped(text: &str, hides: impl Fn(char) -> bool) -> Cow<'_, str> {
    let Some(first) = text.find(&hides) else { return Cow::Borrowed(text) };
    let (head, tail) = text.split_at(first);
    let mut out = String::with_capacity(text.len() + 16);
    out.push_str(head);
    for c in tail.chars() {
        match c {
            c if !hides(c) => out.push(c),
            '\n' | '\r' | '\t' => out.extend(c.escape_default()),
            c => out.extend(c.escape_unicode()),
        }
    }
    Cow::Owned(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn controls_and_directions_are_escapes() {
        assert_eq!(printable("a\u{1b}[31mb\n\u{7}"), "a\\u{1b}[31mb\\n\\u{7}");
        assert_eq!(printable("x\u{202e}gpj.exe\u{2066}"), "x\\u{202e}gpj.exe\\u{2066}");
        assert_eq!(printable("\u{85}\u{2028}"), "\\u{85}\\u{2028}");
        assert!(matches!(printable("µ–x \u{5d0} 日本"), Cow::Borrowed("µ–x \u{5d0} 日本")));
    }

    #[test]
    fn every_name_is_seen() {
        assert_eq!(name(""), "\"\"");
        assert_eq!(name(" a"), "\" a\"");
        assert_eq!(name("\u{200b}"), "\\u{200b}");
        assert_eq!(name("a b"), "a b");
    }

    #[test]
    fn lines_can_stay_lines() {
        assert_eq!(printable_lines("a\n\tb\r\u{0}"), "a\n\tb\\r\\u{0}");
    }
}
