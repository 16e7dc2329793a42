//! Characters of foreign text that do something instead of being something.

/// Whether a character is a control, a line or paragraph separator, or one that changes the direction
/// of the text around it.
pub fn is_hidden(c: char) -> bool {
    let directional = matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}'
    );
    c.is_control() || directional || matches!(c, '\u{2028}' | '\u{2029}')
}
