//! Characters of foreign text that do something instead of being something, and names that have none
//! to be seen by.

use std::borrow::Cow;

/// Whether a character is a control, a line or paragraph separator, one that changes the direction of
/// the text around it, or one that takes no room.
pub fn is_hidden(c: char) -> bool {
    let directional = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{206f}'
    );
    c.is_control() || directional || matches!(c, '\u{2028}' | '\u{2029}') || takes_no_room(c)
}

/// Joiners, fillers, marks and tags that are drawn as nothing.
fn takes_no_room(c: char) -> bool {
    matches!(
        c,
        '\u{ad}'
            | '\u{34f}'
            | '\u{115f}'
            | '\u{1160}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200d}'
            | '\u{2060}'..='\u{2065}'
            | '\u{3164}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

/// A name as a part of a longer one: as it is, or quoted as in JSON where it is empty or begins with a
/// quote, so that no two names give the same text.
pub fn quoted(name: &str) -> Cow<'_, str> {
    if name.is_empty() || name.starts_with('"') {
        return Cow::Owned(serde_json::Value::from(name).to_string());
    }
    Cow::Borrowed(name)
}

/// The name that [`quoted`] was given.
pub fn unquoted(text: &str) -> Cow<'_, str> {
    let name = text.starts_with('"').then(|| serde_json::from_str(text).ok()).flatten();
    name.map_or(Cow::Borrowed(text), |name: String| Cow::Owned(name))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_no_room_is_hidden() {
        for c in ['\u{200b}', '\u{200d}', '\u{2060}', '\u{feff}', '\u{ad}', '\u{e0041}', '\u{202e}']
        {
            assert!(is_hidden(c), "{c:?}");
        }
        for c in ['a', ' ', '\u{a0}', '\u{5d0}', '\u{301}', '\u{1f600}'] {
            assert!(!is_hidden(c), "{c:?}");
        }
    }

    #[test]
    fn no_two_names_are_quoted_alike() {
        let names = ["", "\"\"", "\"", "a", " ", "\"a\"", "a\"", "\\"];
        let all: Vec<Cow<'_, str>> = names.iter().map(|name| quoted(name)).collect();
        assert_eq!(all, ["\"\"", r#""\"\"""#, r#""\"""#, "a", " ", r#""\"a\"""#, "a\"", "\\"]);
        for (name, text) in names.iter().zip(&all) {
            assert_eq!(unquoted(text), *name);
        }
        assert_eq!(unquoted("\"a"), "\"a");
    }
}
