//! The Run view: what is chosen, when it runs, and what has arrived.

use super::{address, ask, run, scope, toast};
use crate::layout::action::{Dirty, Effect, Effects};
use crate::layout::simulate::{RunAction, words};
use crate::layout::state::{Notice, Purpose, State, View};
use debug_api::answer::SimulateAnswer;
use debug_api::{Request, Scope, SimulateRequest};
use std::rc::Rc;

/// What happened in the view.
pub(super) fn apply(state: &mut State, action: RunAction, out: &mut Effects) {
    out.mark(Dirty::RUN.and(Dirty::FRAME));
    match action {
        RunAction::Choose(key, text) => {
            state.run.choices.read(key, &text);
            address(state, false, out);
        }
        RunAction::Switch(key, part) => {
            state.run.choices.toggle(key, &part);
            go(state, out);
        }
        RunAction::Timing(text) => state.run.timing = text.trim().to_owned(),
        RunAction::Go => go(state, out),
        RunAction::Cancel => cancel(state, out),
        RunAction::Repair => {
            for key in ["stall", "drop", "delay"] {
                state.run.choices.read(key, "");
            }
            go(state, out);
        }
    }
}

/// Gives the run up that is under way; a reload does not start it again.
pub(super) fn cancel(state: &mut State, out: &mut Effects) {
    if !state.run.busy {
        return;
    }
    let own = &mut state.run;
    (own.busy, own.ran, own.answer) = (false, None, None);
    own.refused = Some("It was given up before it ended.".to_owned());
    out.mark(Dirty::RUN.and(Dirty::FRAME));
    out.push(Effect::EndRun);
    out.push(Effect::Say("The run was given up".to_owned()));
    address(state, false, out);
}

/// Runs with what is chosen, from any view.
pub(super) fn go(state: &mut State, out: &mut Effects) {
    state.run.ran = Some(state.run.choices.clone());
    state.run.ran_timing.clone_from(&state.run.timing);
    state.run.asked = None;
    out.mark(Dirty::RUN.and(Dirty::FRAME));
    if state.view == View::Run {
        address(state, true, out);
    } else {
        run::set_view(state, View::Run, out);
    }
}

/// All subgraphs run together unless one alone was asked for; a core is one of the selected subgraph.
pub(super) fn run_scope(state: &State) -> Scope {
    let own = Scope { e: None, ..scope(state) };
    let several = state.regions.as_ref().is_some_and(|regions| regions.subgraphs.len() > 1);
    if several && !state.run.ran.as_ref().is_some_and(|ran| ran.alone) {
        return Scope { s: None, core: None, base: None, ..own };
    }
    own
}

/// The question of the run that was last started, or of one without any choice.
///
/// # Errors
/// Why its choices cannot be taken.
pub(super) fn request(state: &State, scope: Scope) -> Result<SimulateRequest, String> {
    let capture = state
        .files
        .as_ref()
        .and_then(|files| files.files.iter().position(|file| file.kind == "ntff"));
    let timing = Some(state.run.ran_timing.clone()).filter(|text| !text.is_empty());
    let choices = state.run.ran.clone().unwrap_or_default();
    Ok(SimulateRequest { timing, ..choices.request(scope, capture)? })
}

/// Asks for the run that is wanted and was not asked for yet.
pub(super) fn sync(state: &mut State, out: &mut Effects) {
    let there = state.opened && state.regions.is_some() && !state.wanted.pending;
    if state.view != View::Run || !there {
        return;
    }
    if state.run.ran.is_none() {
        return;
    }
    let wanted = match request(state, run_scope(state)) {
        Ok(wanted) => wanted,
        Err(why) => {
            if state.run.refused.as_ref() != Some(&why) {
                toast(state, &why, out);
                state.run.answer = None;
                state.run.refused = Some(why);
                out.mark(Dirty::RUN);
            }
            return;
        }
    };
    if state.run.asked.as_ref() == Some(&wanted) {
        return;
    }
    if state.run.busy {
        out.push(Effect::EndRun);
    }
    state.run.asked = Some(wanted.clone());
    state.run.busy = true;
    state.run.refused = None;
    out.mark(Dirty::RUN);
    out.push(Effect::Say("The program runs".to_owned()));
    ask(state, Purpose::Run, Request::Simulate(wanted), 0, out);
}

/// A run came to an end.
pub(super) fn arrived(state: &mut State, answer: Rc<SimulateAnswer>, out: &mut Effects) {
    let first = answer.words.first().cloned().unwrap_or_default();
    out.push(Effect::Say(format!("{}: {first}", words::outcome(&answer))));
    state.run.busy = false;
    state.run.answer = Some(answer);
    out.mark(Dirty::RUN.and(Dirty::FRAME));
}

/// A run was refused.
pub(super) fn refused(state: &mut State, notice: &Notice, out: &mut Effects) {
    let text = format!("{} {}", notice.message, notice.code);
    out.push(Effect::Say(text.clone()));
    state.run.busy = false;
    state.run.answer = None;
    state.run.refused = Some(text);
    out.mark(Dirty::RUN.and(Dirty::FRAME));
}
