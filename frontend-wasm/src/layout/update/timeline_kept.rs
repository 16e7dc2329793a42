//! Pins and marks of the Timeline.

use super::toast;
use crate::layout::action::{Effect, Effects};
use crate::layout::state::State;
use crate::layout::timeline::kept::{MARKS, Mark, PINS, words};

/// Keeps a row on top, or no longer.
pub(super) fn pin(state: &mut State, name: &str, out: &mut Effects) {
    if name.is_empty() {
        toast(state, "Select a row first.", out);
        return;
    }
    match state.timeline.kept.pin(name) {
        Some(on) => {
            let says = if on { "stays on top" } else { "is back in its place" };
            out.push(Effect::Say(format!("{name} {says}")));
        }
        None => toast(state, &format!("At most {PINS} rows stay on top."), out),
    }
}

/// Marks for good, or takes a mark away.
pub(super) fn mark(state: &mut State, mark: Mark, out: &mut Effects) {
    let timeline = &mut state.timeline;
    let text = words(mark, timeline.unit, timeline.cycle_fs());
    match timeline.kept.mark(mark) {
        Some(true) => out.push(Effect::Say(format!("Marked {text}"))),
        Some(false) => {
            timeline.kept.now = timeline.kept.now.filter(|now| *now != mark);
            out.push(Effect::Say(format!("No longer marked: {text}")));
        }
        None => toast(state, &format!("At most {MARKS} marks are kept."), out),
    }
}

/// Marks the selected event, else the range: for now, or for good.
pub(super) fn selected(state: &mut State, for_good: bool, out: &mut Effects) {
    let timeline = &mut state.timeline;
    let event = timeline.event.as_ref();
    let event = event.map(|event| (event.start_ps, event.start_ps.saturating_add(event.len_ps)));
    let Some(own) = event.or(timeline.range) else {
        toast(state, "Select an event or a range first.", out);
        return;
    };
    if for_good {
        mark(state, own, out);
        return;
    }
    let on = timeline.kept.now != Some(own);
    timeline.kept.now = on.then_some(own);
    let text = words(own, timeline.unit, timeline.cycle_fs());
    let says = if on { "Marked for now" } else { "No longer marked" };
    out.push(Effect::Say(format!("{says}: {text}")));
}
