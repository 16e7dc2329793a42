//! The box for a runtime log.

use super::{ask, overlay, rebuild, scope, select, toast};
use crate::layout::action::{Action, Dirty, Effect, Effects, FocusOn, Move, Target};
use crate::layout::log::{self, LogBox};
use crate::layout::state::{Build, Overlay, Pane, Purpose, Selection, State, View};
use debug_api::answer::{At, Finding, LogAnswer};
use debug_api::log::scan::cut;
use debug_api::log::text::remark;
use debug_api::{Limits, Request, Scope};
use std::rc::Rc;

/// Actions of the box.
pub(super) fn apply(state: &mut State, action: Action, out: &mut Effects) {
    out.mark(Dirty::OVERLAY);
    match action {
        Action::LogRead(text) if text.trim().is_empty() => {
            clear(state, out);
            empty(state, out);
        }
        Action::LogRead(text) => {
            state.log = LogBox { text, answer: None, waiting: true };
            // One byte more than is read, so that the answer says that something was left out.
            let most = Limits::default().log_bytes + 1;
            let text = cut(&state.log.text, most).to_owned();
            let request = Request::Log { scope: log_scope(state), text };
            ask(state, Purpose::Log, request, 0, out);
        }
        Action::LogClear => clear(state, out),
        Action::LogGo(row, spot) => go(state, row, spot, out),
        Action::LogBase(at) => use_base(state, at, out),
        _ => {}
    }
}

/// The engine on the screen says nothing about lines that name none, but a base is that of one.
fn log_scope(state: &State) -> Scope {
    let own = scope(state);
    let e = own.e.clone().filter(|_| own.base.is_some());
    Scope { e, ..own }
}

fn clear(state: &mut State, out: &mut Effects) {
    state.log = LogBox::default();
    state.asked.remove(&Purpose::Log);
    out.push(Effect::Forget(Purpose::Log));
}

/// Nothing was asked for, and the reader is told what is expected.
fn empty(state: &mut State, out: &mut Effects) {
    let Some(note) = remark("") else { return };
    out.push(Effect::Say(note.message.clone()));
    let finding = Finding {
        code: note.code.to_owned(),
        severity: "error".to_owned(),
        message: note.message,
        at: At::default(),
    };
    state.log.answer = Some(Rc::new(LogAnswer::only(finding)));
}

/// An answer arrived.
pub(super) fn arrived(state: &mut State, answer: Rc<LogAnswer>, out: &mut Effects) {
    state.log.waiting = false;
    out.push(Effect::Say(log::summary(&answer)));
    state.log.answer = Some(answer);
    out.mark(Dirty::OVERLAY);
}

/// The question failed; a notice says why.
pub(super) fn failed(state: &mut State, out: &mut Effects) {
    state.log.waiting = false;
    out.mark(Dirty::OVERLAY);
}

/// Closes the box and selects a place in the Code pane.
fn go(state: &mut State, row: usize, spot: usize, out: &mut Effects) {
    let Some(answer) = state.log.answer.clone() else { return };
    let Some(row) = log::rows(&answer).nth(row) else { return };
    let Some(spot) = row.spots.get(spot) else { return };
    let mut target = Target::from(spot.place);
    let shown = state.regions.as_ref().map(|regions| regions.profile.as_str());
    if target.ip.is_some() && spot.profile.is_some_and(|profile| Some(profile) != shown) {
        // Slots of another profile mean nothing here, records do.
        (target.slot, target.row) = (None, None);
    }
    overlay(state, Overlay::None, out);
    if state.view != View::Code {
        state.view = View::Code;
        out.mark(Dirty::ALL);
    }
    state.pane = Pane::Code;
    out.push(Effect::Focus(FocusOn::Pane(Pane::Code)));
    select::select(state, &target, Some(Move::Jump), out);
}

/// Builds the images with a base that was solved for.
fn use_base(state: &mut State, at: usize, out: &mut Effects) {
    let Some(answer) = state.log.answer.clone() else { return };
    let Some(solved) = answer.solved.get(at) else { return };
    let Some(profile) = solved.profile.clone() else { return };
    overlay(state, Overlay::None, out);
    state.selection =
        Selection { s: solved.subgraph.clone(), e: solved.engine.clone(), ..Selection::default() };
    let base = Some(solved.base.clone());
    rebuild(state, Build { profile: Some(profile), base, ..state.build.clone() }, out);
    toast(state, &format!("{} lies at base {} now.", solved.engine, solved.base), out);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::update::update;
    use debug_api::answer::{LogLine, LogPlace, PlaceRef};

    fn read() -> State {
        let mut state = State { opened: true, overlay: Overlay::Log, ..State::default() };
        state.selection.e = "PE".to_owned();
        let out = update(&mut state, Action::LogRead("POOL ip 3".to_owned()));
        assert!(state.log.waiting);
        assert!(out.list.iter().any(|effect| matches!(effect, Effect::Ask(Purpose::Log, ..))));
        state
    }

    fn answer() -> LogAnswer {
        let place = PlaceRef {
            s: "sg00".to_owned(),
            e: "POOL".to_owned(),
            neff_ip: Some(3),
            ..Default::default()
        };
        let answer = LogPlace { place: Some(place), ..LogPlace::default() };
        let line =
            LogLine { kind: "engine-pc".to_owned(), answer: Some(answer), ..LogLine::default() };
        LogAnswer {
            schema: 1,
            file: None,
            lines: vec![line],
            kinds: Default::default(),
            solved: Vec::new(),
            codes: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    #[test]
    fn a_line_leads_to_its_place() {
        let mut state = read();
        let asked = state.asked[&Purpose::Log];
        let answer = Box::new(crate::layout::action::Arrived::Log(Rc::new(answer())));
        update(&mut state, Action::Answer { asked, answer });
        assert!(!state.log.waiting && state.log.answer.is_some());
        update(&mut state, Action::LogGo(0, 0));
        assert_eq!(
            (state.overlay, state.view, state.pane),
            (Overlay::None, View::Code, Pane::Code)
        );
        assert_eq!((state.wanted.e.as_str(), state.wanted.ip), ("POOL", Some(3)));
        // The text stays for the next look.
        assert_eq!(state.log.text, "POOL ip 3");
        // A place that is not there does nothing.
        update(&mut state, Action::LogGo(4, 0));
    }

    #[test]
    fn a_long_text_is_cut_before_it_is_sent() {
        let mut state = State { opened: true, overlay: Overlay::Log, ..State::default() };
        let out = update(&mut state, Action::LogRead("x".repeat(5 << 20)));
        let sent = out.list.iter().find_map(|effect| match effect {
            Effect::Ask(_, _, Request::Log { text, .. }, ..) => Some(text.len()),
            _ => None,
        });
        // The reader takes 4 MiB and says so about one byte more.
        assert_eq!(sent, Some((4 << 20) + 1));
    }

    #[test]
    fn an_empty_text_asks_nothing() {
        let mut state = read();
        let out = update(&mut state, Action::LogRead("  \n".to_owned()));
        assert!(!state.log.waiting && state.log.text.is_empty());
        let said = state.log.answer.as_ref().map(|log| log.diagnostics[0].code.clone());
        assert_eq!(said.as_deref(), Some("log.empty"));
        assert!(!out.list.iter().any(|effect| matches!(effect, Effect::Ask(..))));
    }
}
