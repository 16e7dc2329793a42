//! The registry of commands: every action a person can take, with its title, its keys and when it
//! makes sense. Key handling, palette and key sheet are generated from it.

mod views;
mod collectives;
mod files;
mod panes;

pub use panes::panes;

use super::action::Action;
use super::keys::{Chord, Key, Press};
use super::state::{ENGINES, Overlay, RegionsMode, SourceFilter, State, Theme, View};

/// Where a command's keys act.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Wherever the focus is, in a text field too.
    Always,
    /// Wherever the focus is, but not in a text field.
    Page,
    /// In the Code pane, or with the focus nowhere.
    Code,
    /// In the Structs view.
    Structs,
    /// In the Bytes view.
    Bytes,
    /// In the Memory view.
    Memory,
    /// In the Collectives view.
    Collectives,
    /// In the Timeline view.
    Timeline,
}

/// A command.
#[derive(Clone, Copy, Debug)]
pub struct Command {
    /// Stable id.
    pub id: &'static str,
    /// What it does, as the palette shows it.
    pub title: &'static str,
    /// Group of the key sheet.
    pub group: &'static str,
    /// Keys, the first is the one to show.
    pub keys: &'static [Chord],
    /// Where its keys act.
    pub reach: Reach,
    /// `Err` says why it can do nothing now.
    pub ready: fn(&State) -> Result<(), &'static str>,
}

const GO: &str = "Go and find";
const MOVE: &str = "Slots";
const VIEW: &str = "View";
const FILE: &str = "File and link";

const fn letter(letter: char) -> Chord {
    Chord::new(Key::Letter(letter))
}

const fn named(name: &'static str) -> Chord {
    Chord::new(Key::Named(name))
}

const fn place(code: &'static str) -> Chord {
    Chord::new(Key::Place(code))
}

fn always(_: &State) -> Result<(), &'static str> {
    Ok(())
}

fn opened(state: &State) -> Result<(), &'static str> {
    if state.opened { Ok(()) } else { Err("no file is open") }
}

fn selected(state: &State) -> Result<(), &'static str> {
    if state.selection.is_some() { Ok(()) } else { Err("nothing is selected") }
}

fn patched(state: &State) -> Result<(), &'static str> {
    if state.compare.open && state.has_capture() {
        let none = state.compare.plan.differences() == 0;
        return if none { Err("the images do not differ") } else { Ok(()) };
    }
    match state.engine() {
        Some(engine) if engine.patches.is_empty() => Err("this image has no patch"),
        Some(_) => Ok(()),
        None => Err("no file is open"),
    }
}

fn captured(state: &State) -> Result<(), &'static str> {
    opened(state)?;
    if state.has_capture() { Ok(()) } else { Err("there is no profile (NTFF) of this file") }
}

fn compared(state: &State) -> Result<(), &'static str> {
    captured(state)?;
    if state.compare.open { Ok(()) } else { Err("the images are not compared") }
}

/// Whether the Regions pane is on the screen.
fn strips(state: &State) -> Result<(), &'static str> {
    opened(state)?;
    let shown = panes(state).contains(&super::state::Pane::Regions);
    if shown { Ok(()) } else { Err("the Regions view is not shown") }
}

fn several_cores(state: &State) -> Result<(), &'static str> {
    match &state.regions {
        Some(regions) if regions.subgraphs.len() > 1 => Ok(()),
        Some(_) => Err("this file has one subgraph"),
        None => Err("no file is open"),
    }
}

/// All commands, in the order of the palette and of the key sheet.
pub const COMMANDS: &[Command] = &[
    command(
        "goto",
        "Go to PC, IP, slot, offset, file:line",
        GO,
        &[letter('g')],
        Reach::Page,
        opened,
    ),
    command(
        "palette",
        "Show all commands",
        GO,
        &[letter('k').ctrl(), Chord::new(Key::Sign('>')), letter('p').ctrl().shift()],
        Reach::Always,
        always,
    ),
    command("log", "Read a log", GO, &[letter('l')], Reach::Page, opened),
    command("scratchpad", "Scratchpad calculator", GO, &[], Reach::Page, always),
    command("spad-ctrl", "Decoder of control entries", GO, &[], Reach::Page, always),
    command(
        "simulate",
        "Simulate: run the program on the model",
        GO,
        &[letter('r').shift()],
        Reach::Page,
        opened,
    ),
    command("patch-next", "Next patch or difference", GO, &[letter('n')], Reach::Page, patched),
    command(
        "patch-previous",
        "Previous patch or difference",
        GO,
        &[letter('n').shift()],
        Reach::Page,
        patched,
    ),
    command("keys", "Show keys", GO, &[Chord::new(Key::Sign('?'))], Reach::Page, always),
    command(
        "close",
        "Close popup, then clear the selection",
        GO,
        &[named("Escape")],
        Reach::Always,
        always,
    ),
    command(
        "slot-next",
        "Next slot",
        MOVE,
        &[place("KeyJ"), named("ArrowDown")],
        Reach::Code,
        opened,
    ),
    command(
        "slot-previous",
        "Previous slot",
        MOVE,
        &[place("KeyK"), named("ArrowUp")],
        Reach::Code,
        opened,
    ),
    command("page-down", "Page down", MOVE, &[named("PageDown")], Reach::Code, opened),
    command("page-up", "Page up", MOVE, &[named("PageUp")], Reach::Code, opened),
    command(
        "first-slot",
        "First slot",
        MOVE,
        &[named("Home").ctrl(), named("Home")],
        Reach::Code,
        opened,
    ),
    command(
        "last-slot",
        "Last slot",
        MOVE,
        &[named("End").ctrl(), named("End")],
        Reach::Code,
        opened,
    ),
    command(
        "bytes",
        "Show or hide the bytes of the slot",
        MOVE,
        &[named("Enter")],
        Reach::Code,
        selected,
    ),
    command(
        "copy-slot",
        "Copy the slot as text",
        MOVE,
        &[letter('c').ctrl()],
        Reach::Code,
        selected,
    ),
    command("view-regions", "Regions", VIEW, &[letter('1')], Reach::Page, opened),
    command("view-code", "Code", VIEW, &[letter('2')], Reach::Page, opened),
    command("view-bytes", "Bytes", VIEW, &[letter('3')], Reach::Page, opened),
    command("view-memory", "Memory", VIEW, &[letter('4')], Reach::Page, opened),
    command("view-collectives", "Collectives", VIEW, &[letter('5')], Reach::Page, opened),
    command("view-timeline", "Timeline", VIEW, &[letter('6')], Reach::Page, opened),
    command(
        "executions",
        "Executions of the slot in the Timeline",
        GO,
        &[letter('x')],
        Reach::Code,
        selected,
    ),
    command("view-structs", "Structs", VIEW, &[letter('7')], Reach::Page, opened),
    command("view-run", "Run", VIEW, &[letter('8')], Reach::Page, opened),
    command("drawer", "Show or hide details", VIEW, &[letter('i')], Reach::Page, opened),
    command(
        "rail",
        "Show or hide the view bar",
        VIEW,
        &[letter('b').ctrl()],
        Reach::Always,
        opened,
    ),
    command("pane-next", "Next pane", VIEW, &[named("F6")], Reach::Always, opened),
    command("pane-previous", "Previous pane", VIEW, &[named("F6").shift()], Reach::Always, opened),
    command(
        "zoom-in",
        "Regions: zoom in",
        VIEW,
        &[Chord::new(Key::Sign('+')), Chord::new(Key::Sign('='))],
        Reach::Page,
        strips,
    ),
    command(
        "zoom-out",
        "Regions: zoom out",
        VIEW,
        &[Chord::new(Key::Sign('-'))],
        Reach::Page,
        strips,
    ),
    command("zoom-all", "Regions: fit all", VIEW, &[letter('0')], Reach::Page, strips),
    command(
        "zoom-selection",
        "Regions: fit the region of the selection",
        VIEW,
        &[letter('f')],
        Reach::Page,
        strips,
    ),
    command("patches", "Show or hide patch marks", VIEW, &[letter('o')], Reach::Page, strips),
    command("compare", "Compare captured and built", VIEW, &[letter('c')], Reach::Page, captured),
    command(
        "compare-only",
        "Compare: only differences or all",
        VIEW,
        &[letter('d')],
        Reach::Page,
        compared,
    ),
    command(
        "image",
        "Show the captured or the built image",
        VIEW,
        &[letter('b')],
        Reach::Page,
        captured,
    ),
    command("profile", "Show the runtime profile", VIEW, &[], Reach::Page, strips),
    command("findings", "Show all findings", VIEW, &[letter('f').shift()], Reach::Page, opened),
    command("core-next", "Next subgraph", VIEW, &[letter('s')], Reach::Page, several_cores),
    command(
        "all-cores",
        "Show all subgraphs or one",
        VIEW,
        &[letter('a')],
        Reach::Page,
        several_cores,
    ),
    command("theme", "Switch theme: system, light, dark", VIEW, &[], Reach::Page, always),
    command("letter-keys", "Turn single-letter keys on or off", VIEW, &[], Reach::Page, always),
];

const fn command(
    id: &'static str,
    title: &'static str,
    group: &'static str,
    keys: &'static [Chord],
    reach: Reach,
    ready: fn(&State) -> Result<(), &'static str>,
) -> Command {
    Command { id, title, group, keys, reach, ready }
}

/// The commands of every view and those of single views.
pub fn all() -> impl Iterator<Item = &'static Command> {
    let views = views::COMMANDS.iter().chain(collectives::COMMANDS);
    COMMANDS.iter().chain(files::COMMANDS).chain(views)
}

/// The command with an id.
pub fn by_id(id: &str) -> Option<&'static Command> {
    all().find(|command| command.id == id)
}

/// The command that a press means: the best match among those that act where the focus is. A
/// command that can do nothing now is no match, so that the browser keeps the key.
pub fn of_press(state: &State, press: &Press) -> Option<&'static Command> {
    let best = all().flat_map(|command| {
        let keys = command.keys.iter().filter(|chord| acts(state, command, chord, press));
        keys.map(move |chord| (chord.matches(press), command))
    });
    let mut found: Option<(u8, &'static Command)> = None;
    for (score, command) in best.filter(|(_, command)| (command.ready)(state).is_ok()) {
        if score > found.map_or(0, |(score, _)| score) {
            found = Some((score, command));
        }
    }
    found.map(|(_, command)| command)
}

fn acts(state: &State, command: &Command, chord: &Chord, press: &Press) -> bool {
    if chord.is_letter() && (!state.letter_keys || press.in_text) {
        return false;
    }
    if state.overlay != Overlay::None && !matches!(command.id, "close" | "palette") {
        return false;
    }
    match command.reach {
        Reach::Always => true,
        Reach::Page => !press.in_text,
        // Letters move the cursor wherever the focus is; arrows, Enter and the like belong to
        // the control that has it.
        _ => {
            let own = !press.on_control || chord.is_letter();
            !press.in_text && own && is_here(state, command)
        }
    }
}

/// Whether a command belongs to the view that is shown, or to all.
fn is_here(state: &State, command: &Command) -> bool {
    match command.reach {
        Reach::Always | Reach::Page => true,
        Reach::Code => state.view.has_slots(),
        Reach::Structs => state.view == View::Structs,
        Reach::Bytes => state.view == View::Bytes,
        Reach::Memory => state.view == View::Memory,
        Reach::Collectives => state.view == View::Collectives,
        Reach::Timeline => state.view == View::Timeline,
    }
}

/// A row of the palette.
#[derive(Clone, Debug)]
pub struct PaletteRow {
    /// Group title.
    pub group: &'static str,
    /// What it does.
    pub title: String,
    /// Engine whose glyph stands before it.
    pub engine: Option<&'static str>,
    /// Key caps of its first key.
    pub caps: Vec<String>,
    /// Why it can do nothing now.
    pub why_not: Option<&'static str>,
    /// What it does when it is chosen.
    pub action: Action,
}

/// The rows of the palette for a text: all of its words must occur in the title, in any order.
pub fn palette(state: &State, text: &str) -> Vec<PaletteRow> {
    let mut rows: Vec<PaletteRow> = all()
        .filter(|command| !matches!(command.id, "palette" | "close"))
        .filter(|command| is_here(state, command))
        .map(|command| PaletteRow {
            group: command.group,
            title: command.title.to_owned(),
            engine: None,
            caps: caps(state, command),
            why_not: (command.ready)(state).err(),
            action: Action::Run(command.id),
        })
        .collect();
    rows.extend(choices(state));
    let words: Vec<String> = text.split_whitespace().map(str::to_lowercase).collect();
    let phrase = words.join(" ");
    rows.retain(|row| {
        let title = row.title.to_lowercase();
        words.iter().all(|word| title.contains(word.as_str()))
    });
    // Groups stay together; a group with a title that holds the text as it was typed comes first,
    // and such a title comes first in its group.
    let rank = |row: &PaletteRow| !row.title.to_lowercase().contains(&phrase);
    let mut groups: Vec<(bool, &'static str)> = Vec::new();
    for row in &rows {
        match groups.iter_mut().find(|(_, group)| *group == row.group) {
            Some((best, _)) => *best &= rank(row),
            None => groups.push((rank(row), row.group)),
        }
    }
    groups.sort_by_key(|(best, _)| *best);
    rows.sort_by_key(|row| (groups.iter().position(|(_, group)| *group == row.group), rank(row)));
    rows
}

/// Key caps of a command's first key, as the user's keyboard prints them.
pub fn caps(state: &State, command: &Command) -> Vec<String> {
    let cap = |code: &str| state.keycaps.get(code).cloned();
    command.keys.first().map(|chord| chord.caps(cap)).unwrap_or_default()
}

/// What can be chosen in the present file and page: engines, subgraphs, profiles, modes, themes.
fn choices(state: &State) -> Vec<PaletteRow> {
    let row = |group, title: String, engine, action| PaletteRow {
        group,
        title,
        engine,
        caps: Vec::new(),
        why_not: None,
        action,
    };
    let mut rows = Vec::new();
    if let Some(regions) = &state.regions {
        const HERE: &str = "In this file";
        for engine in ENGINES {
            let action = Action::SetEngine(engine.to_owned());
            rows.push(row(HERE, format!("Engine {engine}"), Some(engine), action));
        }
        for name in regions.subgraphs.iter().filter(|_| regions.subgraphs.len() > 1) {
            let action = Action::SetSubgraph(name.clone());
            rows.push(row(HERE, format!("Subgraph {name}"), None, action));
        }
        for name in &regions.profiles {
            let action = Action::SetProfile(Some(name.clone()));
            rows.push(row(HERE, format!("Profile {name}"), None, action));
        }
        let modes = [
            ("Regions: slots of the image", RegionsMode::Image),
            ("Regions: records of the NEFF", RegionsMode::Neff),
            ("Regions: both", RegionsMode::Both),
        ];
        for (title, mode) in modes {
            rows.push(row(VIEW, title.to_owned(), None, Action::SetRegionsMode(mode)));
        }
        let filters = [
            ("Source: all layers", SourceFilter::All),
            ("Source: down to BIR", SourceFilter::Bir),
            ("Source: down to HLO", SourceFilter::Hlo),
            ("Source: lines only", SourceFilter::Line),
        ];
        for (title, filter) in filters {
            rows.push(row(VIEW, title.to_owned(), None, Action::SetSourceFilter(filter)));
        }
    }
    for theme in [Theme::System, Theme::Light, Theme::Dark] {
        let title = format!("Theme: {}", theme.name());
        rows.push(row(VIEW, title, None, Action::SetTheme(theme)));
    }
    rows
}

/// A line of the key sheet: group, title, keys in alternatives of caps.
pub type SheetLine = (&'static str, &'static str, Vec<Vec<String>>);

/// The key sheet: every command with a key, and the keys that the browser itself handles.
pub fn sheet(state: &State) -> Vec<SheetLine> {
    let cap = |code: &str| state.keycaps.get(code).cloned();
    let own = all().filter(|command| !command.keys.is_empty()).map(|command| {
        let keys = command.keys.iter().map(|chord| chord.caps(cap)).collect();
        (command.group, command.title, keys)
    });
    let key = |caps: &[&str]| caps.iter().map(|cap| (*cap).to_owned()).collect::<Vec<_>>();
    let back = vec![key(&["Alt", "←"]), key(&["Alt", "→"])];
    own.chain([(GO, "Back and forward through jumps (the browser's own)", back)]).collect()
}

#[cfg(test)]
mod tests;
