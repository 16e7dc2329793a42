//! Texts of a profile that every view shows: printable and of bounded length.

use super::{Mistake, Text};
use crate::profile::ProfileErrorKind;
use neff::hidden::is_hidden;

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
    let hides = |c: char| is_hidden(c) && !(lines && c == '\n');
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
