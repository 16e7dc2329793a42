//! Texts of a profile that every view shows: printable and of bounded length.

use super::{Mistake, Text};
use crate::profile::ProfileErrorKind;

/// Most characters of a name or an id.
pub(super) const MAX_NAME: usize = 64;
/// Most characters of a title.
pub(super) const MAX_TITLE: usize = 200;
/// Most characters of a paragraph.
pub(super) const MAX_TEXT: usize = 4_096;

/// Checks a text for its length in characters, and for characters that cannot be shown. Line feeds
/// are fine where a paragraph stands.
pub(super) fn printable(
    what: &'static str,
    text: &Text,
    least: usize,
    most: usize,
) -> Result<(), Mistake> {
    let length = text.get_ref().chars().count();
    let lines = most == MAX_TEXT;
    let hides = |c: char| {
        let directional = matches!(
            c,
            '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
        );
        let separates = matches!(c, '\u{2028}' | '\u{2029}');
        directional || separates || c.is_control() && !(lines && c == '\n')
    };
    let found = if !(least..=most).contains(&length) {
        format!("has {length} characters")
    } else if let Some(hidden) = text.get_ref().chars().find(|c| hides(*c)) {
        format!("has the character U+{:04X}", u32::from(hidden))
    } else {
        return Ok(());
    };
    let expected =
        format!("{least} to {most} characters, none of them a control or bidirectional one");
    Err(Mistake::at(text.span(), ProfileErrorKind::Text { what, found, expected }))
}
