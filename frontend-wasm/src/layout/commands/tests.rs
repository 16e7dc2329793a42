//! Keys, palette and key sheet.

use super::*;
use std::collections::BTreeSet;

fn state() -> State {
    State { opened: true, letter_keys: true, ..State::default() }
}

fn press(code: &str, key: &str) -> Press {
    Press { code: code.to_owned(), key: key.to_owned(), ..Press::default() }
}

fn id(state: &State, press: &Press) -> Option<&'static str> {
    of_press(state, press).map(|command| command.id)
}

#[test]
fn ids_and_keys_are_unique() {
    let mut ids = BTreeSet::new();
    let mut keys = BTreeSet::new();
    for command in COMMANDS {
        assert!(ids.insert(command.id), "{}", command.id);
        for chord in command.keys {
            assert!(keys.insert(chord.aria()), "{} of {}", chord.aria(), command.id);
        }
    }
}

#[test]
fn keys_of_a_view_are_its_own() {
    use crate::layout::state::View;
    for view in [View::Structs, View::Bytes] {
        let state = State { view, ..state() };
        let mut keys = BTreeSet::new();
        for command in all().filter(|command| is_here(&state, command)) {
            for chord in command.keys {
                assert!(keys.insert(chord.aria()), "{} of {}", chord.aria(), command.id);
            }
        }
        assert_ne!(id(&state, &press("KeyJ", "j")), Some("slot-next"));
        assert_eq!(id(&state, &press("Slash", "/")), Some("search"));
    }
    assert_eq!(id(&state(), &press("Slash", "/")), None, "Code has no search of its own");
}

#[test]
fn browser_keys_are_never_taken() {
    for key in ["f", "l", "t", "w", "n", "r", "a"] {
        let press = Press { ctrl: true, ..press(&format!("Key{}", key.to_uppercase()), key) };
        assert_eq!(id(&state(), &press), None, "Ctrl+{key}");
    }
    assert_eq!(id(&state(), &press("F5", "F5")), None);
    let back = Press { alt: true, ..press("ArrowLeft", "ArrowLeft") };
    assert_eq!(id(&state(), &back), None);
}

#[test]
fn text_fields_keep_their_keys() {
    let typing = |code: &str, key: &str| Press { in_text: true, ..press(code, key) };
    for (code, key) in
        [("KeyG", "g"), ("KeyJ", "j"), ("ArrowDown", "ArrowDown"), ("Enter", "Enter")]
    {
        assert_eq!(id(&state(), &typing(code, key)), None, "{key}");
    }
    let copy = Press { ctrl: true, ..typing("KeyC", "c") };
    assert_eq!(id(&state(), &copy), None);
    let palette = Press { ctrl: true, ..typing("KeyK", "k") };
    assert_eq!(id(&state(), &palette), Some("palette"));
    assert_eq!(id(&state(), &typing("F6", "F6")), Some("pane-next"));
}

#[test]
fn single_letters_can_be_switched_off() {
    let off = State { letter_keys: false, ..state() };
    assert_eq!(id(&state(), &press("KeyG", "g")), Some("goto"));
    assert_eq!(id(&off, &press("KeyG", "g")), None);
    assert_eq!(id(&off, &press("KeyJ", "j")), None);
    assert_eq!(id(&off, &press("ArrowDown", "ArrowDown")), Some("slot-next"));
    let palette = Press { ctrl: true, ..press("KeyK", "k") };
    assert_eq!(id(&off, &palette), Some("palette"));
}

#[test]
fn the_place_of_a_movement_key_wins_over_a_letter() {
    // A layout that prints "n" on the key in the place of J.
    assert_eq!(id(&state(), &press("KeyJ", "n")), Some("slot-next"));
}

#[test]
fn buttons_keep_enter_but_letters_still_move() {
    let state = State {
        selection: crate::layout::state::Selection { slot: Some(1), ..Default::default() },
        ..state()
    };
    let on_button = |press: Press| Press { on_control: true, ..press };
    assert_eq!(id(&state, &press("Enter", "Enter")), Some("bytes"));
    assert_eq!(id(&state, &on_button(press("Enter", "Enter"))), None);
    assert_eq!(id(&state, &on_button(press("KeyJ", "j"))), Some("slot-next"));
}

#[test]
fn a_command_that_can_do_nothing_leaves_its_key_alone() {
    assert_eq!(id(&State { letter_keys: true, ..State::default() }, &press("KeyY", "y")), None);
    assert_eq!(id(&state(), &press("Enter", "Enter")), None);
}

#[test]
fn every_command_has_a_key_or_a_palette_row() {
    let rows: Vec<String> = palette(&state(), "").into_iter().map(|row| row.title).collect();
    for command in COMMANDS.iter().filter(|command| command.keys.is_empty()) {
        assert!(rows.iter().any(|title| title == command.title), "{}", command.id);
    }
}

#[test]
fn the_palette_finds_words_in_any_order() {
    let titles = |text: &str| -> Vec<String> {
        palette(&state(), text).into_iter().map(|row| row.title).collect()
    };
    assert_eq!(titles("patch next"), ["Next patch or difference"]);
    assert_eq!(titles("THEME dark"), ["Switch theme: system, light, dark", "Theme: dark"]);
    assert!(titles("no such thing").is_empty());
    let why = palette(&State::default(), "copy link").remove(0).why_not;
    assert_eq!(why, Some("no file is open"));
}

#[test]
fn the_sheet_lists_every_key() {
    let lines = sheet(&state());
    let with_keys = all().filter(|command| !command.keys.is_empty()).count();
    assert_eq!(lines.len(), with_keys + 1);
    let down = lines.iter().find(|line| line.1 == "Next slot").map(|line| line.2.clone());
    assert_eq!(down, Some(vec![vec!["J".to_owned()], vec!["↓".to_owned()]]));
}
