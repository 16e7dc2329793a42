//! What the Collectives view asks.

use super::{TYPING_DELAY, ask, next_question, scope};
use crate::layout::action::{Dirty, Effect, Effects};
use crate::layout::collectives::{AT_ONCE, Schedule};
use crate::layout::state::{Purpose, State, View};
use debug_api::{Request, Scope};

/// Asks for what the view shows and has not asked for yet.
pub(super) fn sync(state: &mut State, out: &mut Effects) {
    if state.view != View::Collectives || !state.opened {
        return;
    }
    if state.regions.is_some() && state.files.is_some() && !state.wanted.pending {
        sync_plan(state, out);
        sync_entry(state, out);
        sync_schedule(state, out);
    }
    sync_decoder(state, out);
}

/// Executables of the session.
pub(super) fn executables(state: &State) -> usize {
    let files = state.files.as_ref();
    files.map_or(0, |files| files.files.iter().filter(|file| file.kind == "neff").count())
}

/// A plan is of a subgraph on a core; neither the engine nor how images are built matters.
fn plan_scope(state: &State) -> Scope {
    let own = scope(state);
    Scope { s: own.s, core: own.core, ..Scope::default() }
}

fn sync_plan(state: &mut State, out: &mut Effects) {
    let several = executables(state) > 1;
    let wanted = state.collectives.request(plan_scope(state), several, 0);
    if state.collectives.asked.as_ref() == Some(&wanted) {
        return;
    }
    state.collectives.asked = Some(wanted.clone());
    // A page of another plan that is still on its way is of no use.
    if state.asked.remove(&Purpose::MoreCollectives).is_some() {
        out.push(Effect::Forget(Purpose::MoreCollectives));
    }
    ask(state, Purpose::Collectives, Request::Collectives(wanted), 0, out);
}

/// The tables load on until all is there.
pub(super) fn more(state: &mut State, out: &mut Effects) {
    let collectives = &state.collectives;
    let have = collectives.triggers.len() as u64;
    let all = collectives.plan.as_ref().map_or(0, |plan| plan.n_triggers);
    let (Some(asked), Ok(from)) = (collectives.asked.clone(), u32::try_from(have)) else { return };
    if have < all {
        let request = debug_api::CollectivesRequest { from, count: Some(AT_ONCE), ..asked };
        ask(state, Purpose::MoreCollectives, Request::Collectives(request), 0, out);
    }
}

fn sync_entry(state: &mut State, out: &mut Effects) {
    let collectives = &state.collectives;
    let entry = collectives.picked.and_then(|at| collectives.entry_at(at));
    // Without an entry the places of the bits are of use all the same.
    let raw = entry.map_or_else(|| "0".repeat(16), |entry| entry.raw.clone());
    let wanted = (raw.clone(), collectives.names().to_owned());
    if collectives.entry_asked.as_ref() == Some(&wanted) {
        return;
    }
    let names = wanted.1.clone();
    state.collectives.entry_asked = Some(wanted);
    let request = Request::SpadCtrl { words: vec![raw], algo_names: Some(names) };
    ask(state, Purpose::Entry, request, 0, out);
}

fn sync_schedule(state: &mut State, out: &mut Effects) {
    let Some(key) = state.collectives.schedule_key() else {
        if state.collectives.schedule.head.is_some() {
            state.collectives.schedule = Schedule::default();
            out.mark(Dirty::COLLECTIVES);
        }
        return;
    };
    if state.collectives.schedule.key != key {
        state.collectives.schedule = Schedule { key: key.clone(), ..Schedule::default() };
        if state.asked.remove(&Purpose::Schedule).is_some() {
            out.push(Effect::Forget(Purpose::Schedule));
        }
    }
    let schedule = &state.collectives.schedule;
    let steps = schedule.head.as_ref().map(|head| head.n_steps);
    let step = steps.map_or(state.collectives.step, |steps| {
        state.collectives.step.min(steps.saturating_sub(1))
    });
    let there = schedule.steps.contains_key(&step) || steps == Some(0);
    if there || schedule.refused.is_some() || schedule.asked == Some(step) {
        return;
    }
    state.collectives.schedule.asked = Some(step);
    ask(state, Purpose::Schedule, Request::Schedule(key.request(step)), 0, out);
}

fn sync_decoder(state: &mut State, out: &mut Effects) {
    let names = state.collectives.names().to_owned();
    let decoder = &state.collectives.decoder;
    if !decoder.open {
        return;
    }
    let wanted = (decoder.text.trim().to_owned(), names.clone());
    if decoder.asked.as_ref() == Some(&wanted) {
        return;
    }
    let text = wanted.0.clone();
    state.collectives.decoder.asked = Some(wanted);
    if text.is_empty() {
        state.collectives.decoder.answer = None;
        state.asked.remove(&Purpose::Decode);
        out.push(Effect::Forget(Purpose::Decode));
        out.mark(Dirty::COLLECTIVES);
        return;
    }
    let request = Request::SpadCtrl { words: vec![text], algo_names: Some(names) };
    ask(state, Purpose::Decode, request, TYPING_DELAY, out);
}

/// Sets one field of the decoder's word: the others keep their values.
pub(super) fn encode(state: &mut State, name: &str, text: &str, out: &mut Effects) {
    let Some(Ok(answer)) = state.collectives.decoder.answer.clone() else { return };
    let Some(entry) = answer.entries.first() else { return };
    let view = crate::layout::collectives::bits::view(&answer, entry);
    let by_mesh = match name {
        "channel_list" => false,
        _ => name.starts_with("sema_") || view == Some("mesh"),
    };
    let mut fields = std::collections::BTreeMap::new();
    for field in &entry.bits {
        // Both views of the last bytes at once are refused.
        let other =
            if by_mesh { field.name == "channel_list" } else { field.name.starts_with("sema_") };
        if other {
            continue;
        }
        let value = match (field.name == name, field.width) {
            (true, _) => debug_api::EntryValue::Text(text.trim().to_owned()),
            (false, 1) => debug_api::EntryValue::Flag(field.value == 1),
            (false, _) => debug_api::EntryValue::Number(field.value),
        };
        fields.insert(field.name.clone(), value);
    }
    let algo_names = Some(state.collectives.names().to_owned());
    let request = Request::SpadCtrlEncode { fields, algo_names };
    let number = next_question(state, Purpose::Encode);
    out.push(Effect::Ask(Purpose::Encode, number, request, 0));
}
