//! The go-to box and the command palette.

use super::{apply as apply_action, ask, dismiss, memory, notice, overlay, scope, select};
use crate::layout::action::{Action, Dirty, Effect, Effects, FocusOn, Move, Target};
use crate::layout::commands;
use crate::layout::state::{About, Overlay, PaletteBox, Purpose, State};
use debug_api::Request;
use debug_api::answer::GotoAnswer;
use std::rc::Rc;

/// Delay of the question while typing, in ms.
const TYPING_DELAY: u32 = 90;

/// Actions of both boxes.
pub(super) fn apply(state: &mut State, action: Action, out: &mut Effects) {
    match action {
        Action::GotoOpen(true) => {
            state.goto.open = true;
            out.mark(Dirty::GOTO);
            out.push(Effect::Focus(FocusOn::Goto));
        }
        Action::GotoOpen(false) => close_goto(state, out),
        Action::GotoLeft => {
            state.goto.open = false;
            state.goto.enter = false;
            out.mark(Dirty::GOTO);
        }
        Action::GotoText(text) => goto_text(state, text, out),
        Action::GotoActive(at) => {
            state.goto.active = at;
            out.mark(Dirty::GOTO);
        }
        Action::GotoEnter(row) => goto_enter(state, row, out),
        Action::PaletteText(text) => {
            state.palette = PaletteBox { text, active: 0 };
            out.mark(Dirty::OVERLAY);
        }
        Action::PaletteActive(at) => {
            state.palette.active = at;
            out.mark(Dirty::OVERLAY);
        }
        Action::PaletteEnter(row) => palette_enter(state, row, out),
        Action::CloseOverlay => overlay(state, Overlay::None, out),
        _ => {}
    }
}

/// The answer to an earlier or the present text.
pub(super) fn goto_answer(state: &mut State, answer: Rc<GotoAnswer>, out: &mut Effects) {
    let fits = answer.text == state.goto.text;
    state.goto.answer = Some(answer);
    state.goto.active = 0;
    out.mark(Dirty::GOTO);
    if fits && state.goto.enter {
        goto_enter(state, None, out);
    }
}

/// Closes the go-to box and gives the focus back.
pub(super) fn close_goto(state: &mut State, out: &mut Effects) {
    if !state.goto.open {
        return;
    }
    state.goto.open = false;
    state.goto.enter = false;
    out.mark(Dirty::GOTO);
    out.push(Effect::Forget(Purpose::Goto));
    out.push(Effect::Focus(FocusOn::Before));
}

fn goto_text(state: &mut State, text: String, out: &mut Effects) {
    out.mark(Dirty::GOTO);
    if let Some(command) = text.strip_prefix('>') {
        state.goto.text.clear();
        state.goto.open = false;
        state.palette = PaletteBox { text: command.trim_start().to_owned(), active: 0 };
        overlay(state, Overlay::Palette, out);
        return;
    }
    dismiss(state, About::Goto, out);
    state.goto.open = true;
    state.goto.enter = false;
    state.goto.text = text;
    if state.goto.text.trim().is_empty() || !state.opened {
        state.goto.answer = None;
        out.push(Effect::Forget(Purpose::Goto));
        return;
    }
    let request = Request::Goto { scope: scope(state), text: state.goto.text.clone() };
    ask(state, Purpose::Goto, request, TYPING_DELAY, out);
}

fn goto_enter(state: &mut State, row: Option<usize>, out: &mut Effects) {
    let text = state.goto.text.clone();
    let Some(answer) = state.goto.answer.clone().filter(|answer| answer.text == text) else {
        // The answer is still on its way; it will be followed when it comes.
        state.goto.enter = !text.trim().is_empty();
        return;
    };
    let at = row.unwrap_or(state.goto.active);
    let Some(target) = answer.targets.get(at) else {
        state.goto.enter = false;
        let message = format!("Nothing fits `{}`: {}", answer.text, answer.hint);
        notice(state, About::Goto, "warning", "goto.none", &message, out);
        return;
    };
    state.goto.enter = false;
    if let Some(address) = target.address.clone() {
        out.push(Effect::Say(format!("{}, {}", target.label, target.detail)));
        close_goto(state, out);
        memory::go(state, address, out);
        return;
    }
    let Some(place) = &target.place else {
        out.push(Effect::Say(format!(
            "{}. {}. No view shows this place.",
            target.label, target.detail
        )));
        return;
    };
    out.push(Effect::Say(format!("{}, {}", target.label, target.detail)));
    close_goto(state, out);
    out.push(Effect::Focus(FocusOn::Pane(crate::layout::state::Pane::Code)));
    state.pane = crate::layout::state::Pane::Code;
    select::select(state, &Target::from(place), Some(Move::Jump), out);
}

fn palette_enter(state: &mut State, row: Option<usize>, out: &mut Effects) {
    let rows = commands::palette(state, &state.palette.text);
    let at = row.unwrap_or(state.palette.active);
    let Some(row) = rows.into_iter().nth(at) else { return };
    if let Some(why) = row.why_not {
        out.push(Effect::Say(format!("{}: {why}", row.title)));
        return;
    }
    overlay(state, Overlay::None, out);
    apply_action(state, row.action, out);
}
