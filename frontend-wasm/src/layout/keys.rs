//! Key presses and what they match.
//!
//! Movement keys are physical (`KeyboardEvent.code`), mnemonic keys are characters
//! (`KeyboardEvent.key`). If one press matches both, the physical key wins, so that nobody loses
//! navigation to a keyboard layout. Ctrl and Cmd count as one.

/// A key press, as far as it matters.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Press {
    /// Physical key, `KeyJ`.
    pub code: String,
    /// Character or name, `j`, `PageDown`.
    pub key: String,
    /// Ctrl or Cmd.
    pub ctrl: bool,
    /// Shift.
    pub shift: bool,
    /// Alt.
    pub alt: bool,
    /// Whether a text field has the focus.
    pub in_text: bool,
    /// Whether a button, link or select has the focus.
    pub on_control: bool,
}

/// A key combination of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chord {
    /// What the key is compared with.
    pub key: Key,
    /// With Ctrl or Cmd.
    pub ctrl: bool,
    /// With Shift. Not compared for characters that need Shift on some layouts.
    pub shift: bool,
}

/// A key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Key {
    /// A movement key by its place; the text is `KeyboardEvent.code`.
    Place(&'static str),
    /// A letter or digit by its character, compared without case.
    Letter(char),
    /// A sign by its character, with or without Shift.
    Sign(char),
    /// A named key: `Enter`, `Escape`, `F6`, `PageDown`, `ArrowUp`.
    Named(&'static str),
}

impl Chord {
    /// A key alone.
    pub const fn new(key: Key) -> Self {
        Self { key, ctrl: false, shift: false }
    }

    /// The same with Ctrl or Cmd.
    #[must_use]
    pub const fn ctrl(self) -> Self {
        Self { ctrl: true, ..self }
    }

    /// The same with Shift.
    #[must_use]
    pub const fn shift(self) -> Self {
        Self { shift: true, ..self }
    }

    /// Whether it is a character without Ctrl: the kind that can be switched off.
    pub const fn is_letter(&self) -> bool {
        !self.ctrl && !matches!(self.key, Key::Named(_))
    }

    /// How well a press matches: 2 by place, 1 by character or name, 0 not at all.
    pub fn matches(&self, press: &Press) -> u8 {
        if press.alt || press.ctrl != self.ctrl {
            return 0;
        }
        let shift = press.shift == self.shift;
        let one = |same: bool| u8::from(same);
        match self.key {
            Key::Place(code) => one(shift && press.code == code) * 2,
            Key::Letter(letter) => one(shift && is_char(&press.key, letter)),
            Key::Sign(sign) => one(is_char(&press.key, sign)),
            Key::Named(name) => one(shift && press.key == name),
        }
    }

    /// What the key sheet prints, in parts: `["Ctrl", "K"]`. `cap` tells the cap of a physical key
    /// on the user's keyboard, if known.
    pub fn caps(&self, mut cap: impl FnMut(&str) -> Option<String>) -> Vec<String> {
        let mut out = Vec::new();
        if self.ctrl {
            out.push("Ctrl".to_owned());
        }
        if self.shift {
            out.push("Shift".to_owned());
        }
        out.push(match self.key {
            Key::Place(code) => cap(code)
                .unwrap_or_else(|| code.trim_start_matches("Key").to_owned())
                .to_uppercase(),
            Key::Letter(letter) | Key::Sign(letter) => letter.to_uppercase().to_string(),
            Key::Named(name) => match name {
                "Escape" => "Esc",
                "ArrowUp" => "↑",
                "ArrowDown" => "↓",
                "PageUp" => "Page Up",
                "PageDown" => "Page Down",
                other => other,
            }
            .to_owned(),
        });
        out
    }

    /// The value of `aria-keyshortcuts`.
    pub fn aria(&self) -> String {
        let key = match self.key {
            Key::Place(code) => code.trim_start_matches("Key").to_owned(),
            Key::Letter(letter) | Key::Sign(letter) => letter.to_uppercase().to_string(),
            Key::Named(name) => name.to_owned(),
        };
        let ctrl = if self.ctrl { "Control+" } else { "" };
        let shift = if self.shift { "Shift+" } else { "" };
        format!("{ctrl}{shift}{key}")
    }
}

fn is_char(key: &str, want: char) -> bool {
    let mut chars = key.chars();
    let same = chars.next().is_some_and(|have| have.to_lowercase().eq(want.to_lowercase()));
    same && chars.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: &str, key: &str) -> Press {
        Press { code: code.to_owned(), key: key.to_owned(), ..Press::default() }
    }

    #[test]
    fn movement_keys_are_places_and_win_over_characters() {
        let down = Chord::new(Key::Place("KeyJ"));
        // On Dvorak the key in the place of J prints H.
        assert_eq!(down.matches(&press("KeyJ", "h")), 2);
        assert_eq!(down.matches(&press("KeyC", "j")), 0);
        let letter = Chord::new(Key::Letter('h'));
        assert_eq!(letter.matches(&press("KeyJ", "h")), 1);
    }

    #[test]
    fn modifiers_have_to_agree() {
        let next = Chord::new(Key::Letter('n'));
        assert_eq!(next.matches(&press("KeyN", "n")), 1);
        assert_eq!(next.matches(&Press { shift: true, ..press("KeyN", "N") }), 0);
        assert_eq!(next.shift().matches(&Press { shift: true, ..press("KeyN", "N") }), 1);
        assert_eq!(next.matches(&Press { ctrl: true, ..press("KeyN", "n") }), 0);
        assert_eq!(next.ctrl().matches(&Press { ctrl: true, ..press("KeyN", "n") }), 1);
        assert_eq!(next.matches(&Press { alt: true, ..press("KeyN", "n") }), 0);
    }

    #[test]
    fn signs_do_not_ask_for_shift() {
        let help = Chord::new(Key::Sign('?'));
        assert_eq!(help.matches(&Press { shift: true, ..press("Slash", "?") }), 1);
        assert_eq!(help.matches(&press("Minus", "?")), 1);
        assert_eq!(help.matches(&press("Slash", "/")), 0);
    }

    #[test]
    fn caps_are_those_of_the_keyboard() {
        let down = Chord::new(Key::Place("KeyJ"));
        assert_eq!(down.caps(|_| None), ["J"]);
        assert_eq!(down.caps(|_| Some("h".to_owned())), ["H"]);
        let palette = Chord::new(Key::Letter('k')).ctrl();
        assert_eq!(palette.caps(|_| None), ["Ctrl", "K"]);
        assert_eq!(palette.aria(), "Control+K");
    }
}
