//! The one function that changes the state.
//!
//! It is pure: the same state and action always give the same state and the same [`Effects`].

mod notices;
mod answers;
mod boxes;
mod bytes;
mod compare;
mod log;
mod memory_ask;
mod memory;
mod collectives_ask;
mod collectives;
mod simulate;
mod open;
mod run;
mod drawer;
mod select;
mod structs_rows;
mod structs_hits;
mod structs;
mod structs_arrive;
mod strips;
mod timeline;
mod timeline_move;
mod timeline_source;
mod timeline_kept;
mod token;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_views;
#[cfg(test)]
mod tests_memory;
#[cfg(test)]
mod tests_compare;
#[cfg(test)]
mod tests_strips;
#[cfg(test)]
mod tests_address;

use super::action::{Action, Dirty, Effect, Effects};
use super::commands;
use super::lone::is_alone;
use super::state::{About, Build, Notice, Overlay, Page, Purpose, State, Wanted};
use super::url;
pub use answers::about;
pub use compare::DIFFS;
use debug_api::{Request, Scope};
use notices::{dismiss, notice, put_notice, toast};
pub use strips::LABELS;

/// Delay of a question while a text is typed, in ms.
const TYPING_DELAY: u32 = 120;

/// Applies an action.
pub fn update(state: &mut State, action: Action) -> Effects {
    let mut out = Effects::default();
    apply(state, action, &mut out);
    structs::sync(state, &mut out);
    bytes::sync(state, &mut out);
    memory_ask::sync(state, &mut out);
    collectives_ask::sync(state, &mut out);
    timeline::sync(state, &mut out);
    simulate::sync(state, &mut out);
    out
}

fn apply(state: &mut State, action: Action, out: &mut Effects) {
    match action {
        Action::Start(query) => start(state, &query, out),
        Action::Restore { view, query } => {
            state.view = view.unwrap_or(state.view);
            restore(state, &query, out);
        }
        Action::Select(target, movement) => {
            dismiss(state, About::Address, out);
            select::select(state, &target, Some(movement), out);
        }
        Action::StepRow(rows) => select::step(state, rows, out),
        Action::SetEngine(engine) => {
            dismiss(state, About::Address, out);
            select::set_engine(state, &engine, out);
        }
        Action::SetSubgraph(name) => select::set_subgraph(state, &name, out),
        Action::SetAllCores(on) => {
            state.all_cores = on;
            out.mark(Dirty::REGIONS);
            ask_all_regions(state, out);
            address(state, false, out);
        }
        Action::SetProfile(profile) => {
            if state.build.profile != profile {
                let build = Build { profile, ..state.build.clone() };
                rebuild(state, build, out);
            }
        }
        Action::SetRegionsMode(mode) => {
            state.regions_mode = mode;
            out.mark(Dirty::REGIONS);
            address(state, false, out);
        }
        Action::SetModelled(_)
        | Action::SetCapture(_)
        | Action::SetCompare(_)
        | Action::SetOnlyDifferent(_)
        | Action::CompareSeen(..)
        | Action::ComparePick(_)
        | Action::FilesAdded => compare::apply(state, action, out),
        Action::SetPatches(_)
        | Action::SetCore(_)
        | Action::ProfileOpen(_)
        | Action::SelectPatch { .. }
        | Action::StripsSeen(..) => strips::apply(state, action, out),
        Action::SetSourceFilter(filter) => {
            state.source_filter = filter;
            out.mark(Dirty::SOURCE);
            address(state, false, out);
        }
        Action::ToggleSource(key) => {
            if !state.source_closed.remove(&key) {
                state.source_closed.insert(key);
            }
            out.mark(Dirty::SOURCE);
        }
        Action::Hover(hover) => {
            if state.hover != hover {
                state.hover = hover;
                out.mark(Dirty::HOVER);
            }
        }
        Action::Focused(pane) => {
            if state.pane != pane {
                state.pane = pane;
                out.mark(Dirty::FRAME);
            }
        }
        Action::Run(id) => run::run(state, id, out),
        Action::SetView(view) => run::set_view(state, view, out),
        Action::Expand(on) => {
            state.expanded = on;
            out.mark(Dirty::CODE);
            let text = if on { "Bytes and fields shown below the slot" } else { "Bytes hidden" };
            out.push(Effect::Say(text.to_owned()));
            address(state, false, out);
        }
        Action::Copy(text, what) => out.push(Effect::Copy(text, what)),
        Action::GotoOpen(_)
        | Action::GotoLeft
        | Action::GotoText(_)
        | Action::GotoActive(_)
        | Action::GotoEnter(_)
        | Action::PaletteText(_)
        | Action::PaletteActive(_)
        | Action::PaletteEnter(_)
        | Action::CloseOverlay => boxes::apply(state, action, out),
        Action::LogRead(_) | Action::LogClear | Action::LogGo(..) | Action::LogBase(_) => {
            log::apply(state, action, out);
        }
        Action::Crumb(number) => structs::crumb(state, number, out),
        Action::Structs(action) => structs::apply(state, action, out),
        Action::Bytes(action) => bytes::apply(state, action, out),
        Action::Memory(action) => memory::apply(state, action, out),
        Action::Collectives(action) => collectives::apply(state, action, out),
        Action::Timeline(action) => timeline::apply(state, action, out),
        Action::RunView(action) => simulate::apply(state, action, out),
        Action::SetTheme(theme) => {
            state.theme = theme;
            out.mark(Dirty::ALL);
            out.push(Effect::Store("theme", theme.name().to_owned()));
            if state.theme_in_link {
                address(state, false, out);
            }
        }
        Action::SetLetterKeys(on) => {
            state.letter_keys = on;
            out.push(Effect::Store("letter-keys", if on { "on" } else { "off" }.to_owned()));
            let text = if on {
                "Single-letter keys are on."
            } else {
                "Single-letter keys are off. Ctrl K still opens the commands."
            };
            toast(state, text, out);
            out.mark(Dirty::OVERLAY);
        }
        Action::Resized(class) => {
            drawer::resized(state, class, out);
        }
        Action::Copied(true, what) => toast(state, &capital(&format!("{what} copied.")), out),
        Action::Copied(false, what) => {
            let text = format!(
                "The browser refused to copy the {}. Mark it and copy it by hand.",
                what.to_lowercase()
            );
            toast(state, &text, out);
        }
        Action::Dismiss(number) => {
            if number < state.notices.len() {
                state.notices.remove(number);
            }
            out.mark(Dirty::NOTICE);
        }
        Action::ToastOver(serial) => {
            if state.toast.as_ref().is_some_and(|toast| toast.serial == serial) {
                state.toast = None;
                out.mark(Dirty::NOTICE);
            }
        }
        Action::HoldToast(hold) => out.push(Effect::HoldToast(hold)),
        Action::Opening(_)
        | Action::Brings(_)
        | Action::OpeningProgress(_)
        | Action::OpeningSlow
        | Action::OpeningCancel
        | Action::FilesRefused(_)
        | Action::OpenedLocal(_)
        | Action::OpenedRemote(_) => open::apply(state, action, out),
        Action::TokenWanted(..)
        | Action::TokenGiven(_)
        | Action::TokenTaken
        | Action::TokenRefused(_) => token::apply(state, action, out),
        Action::Answer { .. }
        | Action::Failed { .. }
        | Action::Rows { .. }
        | Action::RowsFailed { .. } => answers::apply(state, action, out),
        Action::Slow(slow) => {
            if state.slow != slow {
                state.slow = slow;
                out.mark(Dirty::NOTICE);
            }
        }
        Action::Window(first, last) => {
            state.window = (first, last);
            want_rows(state, first, last, out);
        }
        Action::Redraw => {
            let lists = Dirty::STRUCTS.and(Dirty::BYTES).and(Dirty::MEMORY).and(Dirty::TIMELINE);
            out.mark(Dirty::CODE.and(lists).and(Dirty::COLLECTIVES));
        }
        Action::Keycaps(caps) => {
            state.keycaps = caps.into_iter().collect();
            out.mark(Dirty::OVERLAY);
        }
    }
}

fn start(state: &mut State, query: &str, out: &mut Effects) {
    out.mark(Dirty::ALL);
    if state.page == Page::View {
        state.opened = true;
    }
    if state.selection.e.is_empty() {
        state.selection.e = "PE".to_owned();
    }
    take_address(state, query, out);
    if state.opened {
        if state.view.has_program() && !state.alone {
            ask_program(state, out);
        }
        ask(state, Purpose::Files, Request::Files {}, 0, out);
    }
}

/// Back, Forward, or an edited address.
fn restore(state: &mut State, query: &str, out: &mut Effects) {
    let build = state.build.clone();
    let subgraph = state.selection.s.clone();
    take_address(state, query, out);
    out.mark(Dirty::ALL);
    if !state.opened {
        return;
    }
    if build != state.build || subgraph != state.selection.s || state.regions.is_none() {
        ask_regions(state, out);
    } else {
        answers::settle(state, out);
    }
    ask_all_regions(state, out);
}

/// Reads a query into the state; the place waits in `wanted` until the images are known.
fn take_address(state: &mut State, query: &str, out: &mut Effects) {
    let (address, problems) = url::parse(query);
    memory::take_address(state, &address);
    collectives::take_address(state, &address);
    timeline::take_address(state, &address);
    state.run.take_address(&address.run);
    dismiss(state, About::Address, out);
    if !problems.is_empty() {
        address_problem(state, &problems.join("; "), out);
    }
    if let Some(theme) = address.theme {
        state.theme = theme;
        state.theme_in_link = true;
    }
    if let Some(s) = address.s {
        state.selection.s = s;
    }
    state.wanted = Wanted {
        pending: true,
        e: address.e.unwrap_or_else(|| state.selection.e.clone()),
        slot: address.slot,
        ip: address.ip,
        pc: address.pc,
        jump: false,
    };
    state.build = Build {
        profile: address.profile,
        core: address.core,
        base: address.base,
        modelled: address.modelled,
        ntff: address.ntff,
    };
    state.compare.open = address.compare;
    state.compare.only = address.only;
    state.all_cores = address.all_cores;
    state.regions_mode = address.regions_mode;
    state.patches_hidden = address.patches_hidden;
    state.source_filter = address.source_filter;
    state.expanded = address.expanded;
    state.structs.loader = address.loader;
    structs::take_address(state, address.rec, address.at);
    bytes::take_address(state, address.of, address.at, address.len, address.text);
}

/// Says that a part of the address cannot be used, beside the parts that were said before.
fn address_problem(state: &mut State, problem: &str, out: &mut Effects) {
    const BEFORE: &str = "In the address, ";
    const AFTER: &str = ". The rest of it is used.";
    let said = state.notices.iter().find(|notice| notice.code == "address.part");
    let said = said.and_then(|notice| notice.message.strip_prefix(BEFORE)?.strip_suffix(AFTER));
    let said = said.map(|said| format!("{said}; ")).unwrap_or_default();
    let message = format!("{BEFORE}{said}{problem}{AFTER}");
    notice(state, About::Address, "warning", "address.part", &message, out);
}

/// Leaves out the part of the address that the images cannot be had with, and asks again without;
/// `false` if it is none of them that the failure is about.
fn without_part(state: &mut State, failed: &Notice, out: &mut Effects) -> bool {
    let mut asked = Scope { e: None, ..scope(state) };
    let Some((key, value)) = asked.take_part(&failed.code) else { return false };
    state.selection.s = asked.s.unwrap_or_default();
    let Scope { profile, core, base, ntff, modelled, .. } = asked;
    state.build = Build { profile, core, base, modelled, ntff };
    let why = failed.message.trim_end_matches('.');
    address_problem(state, &format!("{key}={value} is not used: {why}"), out);
    ask_regions(state, out);
    true
}

/// The image is built in another way: the place is kept by its NEFF IP, which the runtime's own
/// slots do not move, or by its slot.
fn rebuild(state: &mut State, build: Build, out: &mut Effects) {
    let at = &state.selection;
    state.wanted = Wanted {
        pending: true,
        e: at.e.clone(),
        slot: if at.ip.is_some() { None } else { at.slot },
        ip: at.ip,
        pc: None,
        jump: true,
    };
    state.build = build;
    state.places.clear();
    ask_regions(state, out);
    ask_all_regions(state, out);
}

/// Subgraph, engine and build of the selection, as requests name them.
fn scope(state: &State) -> Scope {
    let named = |text: &String| (!text.is_empty()).then(|| text.clone());
    Scope {
        f: None,
        s: named(&state.selection.s),
        e: named(&state.selection.e),
        profile: state.build.profile.clone(),
        core: state.build.core,
        base: state.build.base.clone(),
        ntff: state.build.ntff,
        modelled: state.build.modelled,
        device: None,
        library: None,
    }
}

/// The same with what the file leaves open to its loader.
fn loader_scope(state: &State) -> Scope {
    state.structs.loader.scope(scope(state))
}

fn ask(state: &mut State, purpose: Purpose, request: Request, delay: u32, out: &mut Effects) {
    let number = next_question(state, purpose);
    out.push(Effect::Ask(purpose, number, request, delay));
}

fn next_question(state: &mut State, purpose: Purpose) -> u32 {
    state.serial = state.serial.wrapping_add(1).max(1);
    state.asked.insert(purpose, state.serial);
    state.serial
}

fn ask_regions(state: &mut State, out: &mut Effects) {
    let request = Request::Regions { scope: Scope { e: None, ..scope(state) } };
    ask(state, Purpose::Regions, request, 0, out);
}

/// Asks for the program and its images, unless they are known or on their way.
fn ask_program(state: &mut State, out: &mut Effects) {
    let known = state.regions.is_some() || is_alone(state);
    if known || state.asked.contains_key(&Purpose::Regions) {
        return;
    }
    if state.info.is_none() {
        ask(state, Purpose::Info, Request::Info { f: None, deep: true }, 0, out);
    }
    ask_regions(state, out);
}

/// Asks for the images of all subgraphs if they are shown.
fn ask_all_regions(state: &mut State, out: &mut Effects) {
    let Some(regions) = state.regions.clone().filter(|_| state.all_cores) else {
        return;
    };
    // The core belongs to the chosen subgraph; the others take their own default.
    let requests = regions
        .subgraphs
        .iter()
        .map(|name| {
            let core = state.build.core.filter(|_| *name == regions.subgraph);
            let scope = Scope { s: Some(name.clone()), e: None, core, ..scope(state) };
            Request::Regions { scope }
        })
        .collect();
    let number = next_question(state, Purpose::AllRegions);
    out.push(Effect::AskAll(Purpose::AllRegions, number, requests));
}

fn want_rows(state: &mut State, first: u64, last: u64, out: &mut Effects) {
    let image = state.rows.serial();
    for chunk in state.rows.want(first, last) {
        out.push(Effect::Rows(image, chunk, state.rows.request(chunk)));
    }
}

fn address(state: &State, push: bool, out: &mut Effects) {
    // A file without a program has no subgraph in its address.
    if state.opened && (!state.selection.s.is_empty() || is_alone(state)) {
        out.push(Effect::Address(url::path(state), push));
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    let first = chars.next().map(|first| first.to_uppercase().to_string());
    first.unwrap_or_default() + chars.as_str()
}

/// Opens what floats above the panes and says where the focus goes.
fn overlay(state: &mut State, overlay: Overlay, out: &mut Effects) {
    use super::action::FocusOn;
    // Whoever leaves the question for the token does not want the file sent.
    if overlay != Overlay::Token && state.token.file.take().is_some() {
        out.push(Effect::CancelOpening);
        out.push(Effect::Say("The file was not sent".to_owned()));
    }
    state.overlay = overlay;
    out.mark(Dirty::OVERLAY);
    out.push(Effect::Focus(match overlay {
        Overlay::None => FocusOn::Before,
        Overlay::Palette => FocusOn::Palette,
        Overlay::Keys | Overlay::Findings | Overlay::Log | Overlay::Token => FocusOn::Dialog,
    }));
}

/// The panes in F6 order; used by the commands that step through them.
fn panes(state: &State) -> Vec<super::state::Pane> {
    commands::panes(state)
}
