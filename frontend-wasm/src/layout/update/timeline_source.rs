//! Where the events of the Timeline come from: a capture, or the run of the Run view.

use super::{run, scope, simulate, toast};
use crate::layout::action::{Effect, Effects};
use crate::layout::state::{State, View};
use crate::layout::timeline::{TraceOf, TraceSource};
use debug_api::{Scope, SimulateRequest};

/// What was asked for last: further questions are about the same.
pub(super) fn own(state: &State) -> TraceOf {
    state.timeline.asked.clone().unwrap_or_default()
}

/// What the view is to show.
///
/// # Errors
/// Why the choices of the run cannot be taken.
pub(super) fn wanted(state: &State) -> Result<TraceOf, String> {
    let own = Scope { e: None, base: None, ..scope(state) };
    if state.trace_source() == TraceSource::Captured {
        let scope = Scope { modelled: false, profile: None, core: None, ..own };
        return Ok(TraceOf { scope, run: None });
    }
    let of_run = simulate::run_scope(state);
    let asked = simulate::request(state, Scope::default())?;
    // The run is of the same file; it only says whether the subgraph runs alone.
    let inner = Scope { s: of_run.s.clone(), ..Scope::default() };
    let run = Some(Box::new(SimulateRequest { scope: inner, ..asked }));
    Ok(TraceOf { scope: Scope { core: of_run.core, ..own }, run })
}

/// Shows one source or the other.
pub(super) fn choose(state: &mut State, source: TraceSource, out: &mut Effects) {
    if state.trace_source() == source && state.timeline.chosen.is_some() {
        return;
    }
    state.timeline.chosen = Some(source);
    // Times of one are no times of the other.
    state.timeline.range = None;
    state.timeline.wanted = None;
    let words = match source {
        TraceSource::Captured => "The captured run",
        TraceSource::Simulated => "The simulated run",
    };
    out.push(Effect::Say(words.to_owned()));
}

/// The other source.
pub(super) fn other(state: &mut State, out: &mut Effects) {
    match state.trace_source() {
        TraceSource::Captured => choose(state, TraceSource::Simulated, out),
        TraceSource::Simulated if state.has_capture() => {
            choose(state, TraceSource::Captured, out);
        }
        TraceSource::Simulated => toast(state, "There is no capture of this executable.", out),
    }
}

/// The timeline of the run of the Run view.
pub(super) fn of_run(state: &mut State, out: &mut Effects) {
    choose(state, TraceSource::Simulated, out);
    run::set_view(state, View::Timeline, out);
}
