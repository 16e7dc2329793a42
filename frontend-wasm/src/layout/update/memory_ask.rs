//! What the Memory view asks.

use super::{TYPING_DELAY, ask, next_question, scope};
use crate::layout::action::{Dirty, Effect, Effects};
use crate::layout::memory::{Part, ROWS_AT_ONCE, Setup};
use crate::layout::state::{Purpose, State, View};
use debug_api::{Request, Scope};

/// Asks for what the view shows and has not asked for yet.
pub(super) fn sync(state: &mut State, out: &mut Effects) {
    if state.view != View::Memory || !state.opened {
        return;
    }
    let neff = state.regions.is_some();
    let alone = state.files.as_ref().is_some_and(|files| {
        !files.files.is_empty() && files.files.iter().all(|file| file.kind != "neff")
    });
    if alone && state.memory.capture.is_none() && !state.asked.contains_key(&Purpose::Capture) {
        ask(state, Purpose::Capture, Request::Ntff { f: None }, 0, out);
    }
    if neff && !state.wanted.pending {
        sync_plan(state, out);
        sync_uses(state, out);
    }
    if neff || alone {
        sync_addresses(state, out);
    }
    sync_calc(state, out);
}

fn plan_scope(state: &State) -> Scope {
    let own = scope(state);
    let one = state.memory.setup.one;
    Scope {
        s: own.s.filter(|_| one),
        core: if one { own.core } else { state.first_core() },
        profile: own.profile,
        ntff: own.ntff,
        modelled: own.modelled,
        ..Scope::default()
    }
}

fn request(scope: Scope, setup: &Setup, mode: &str, from: u32, count: u32) -> Request {
    Request::Memory {
        scope,
        mode: Some(mode.to_owned()),
        // Where the runtime gives no region, it has pages of this size.
        page_size: setup.page_size,
        generation: setup.generation.clone(),
        hbm: setup.hbm,
        runtime: None,
        driver: None,
        from,
        count: Some(count),
    }
}

fn sync_plan(state: &mut State, out: &mut Effects) {
    let wanted = (plan_scope(state), state.memory.setup.clone());
    if state.memory.asked.as_ref() == Some(&wanted) {
        return;
    }
    state.memory.asked = Some(wanted.clone());
    let (scope, setup) = wanted;
    let number = next_question(state, Purpose::Memory);
    let requests = vec![
        request(scope.clone(), &setup, "paged", 0, ROWS_AT_ONCE),
        request(scope, &setup, "contiguous", 0, 0),
    ];
    out.push(Effect::AskAll(Purpose::Memory, number, requests));
}

fn sync_uses(state: &mut State, out: &mut Effects) {
    let Some(picked) = state.memory.picked.clone() else { return };
    if state.memory.uses_asked.as_ref() == Some(&picked) {
        return;
    }
    state.memory.uses_asked = Some(picked.clone());
    state.memory.uses = None;
    let scope = Scope { f: Some(picked.file), s: Some(picked.subgraph), ..Scope::default() };
    let request = Request::Variable { scope, name: None, id: Some(picked.id) };
    ask(state, Purpose::Uses, request, TYPING_DELAY, out);
}

fn sync_addresses(state: &mut State, out: &mut Effects) {
    let memory = &state.memory;
    if memory.part != Part::Addresses {
        return;
    }
    let own = Scope { e: None, base: None, ..scope(state) };
    let own = if state.regions.is_some() { own } else { Scope::default() };
    let generation = memory.setup.generation.clone();
    let wanted = (own.clone(), generation.clone());
    if memory.map_asked.as_ref() != Some(&wanted) {
        state.memory.map_asked = Some(wanted);
        let request = Request::AddressMap { scope: own.clone(), generation: generation.clone() };
        ask(state, Purpose::AddressMap, request, 0, out);
    }
    let Some(text) = state.memory.address.clone() else { return };
    let wanted = (own.clone(), generation.clone(), text.clone());
    if state.memory.place_asked.as_ref() != Some(&wanted) {
        state.memory.place_asked = Some(wanted);
        // A session without an executable has to name a generation.
        let alone = state.regions.is_none().then(|| "cayman".to_owned());
        let generation = generation.or(alone);
        let request = Request::Address { scope: own, address: text, generation };
        ask(state, Purpose::Address, request, TYPING_DELAY, out);
    }
}

fn sync_calc(state: &mut State, out: &mut Effects) {
    let memory = &mut state.memory;
    if memory.part != Part::Calculator || memory.calc_asked.as_ref() == Some(&memory.calc) {
        return;
    }
    memory.calc_asked = Some(memory.calc.clone());
    memory.calc_refused = None;
    match memory.calc.request() {
        Ok(request) => ask(state, Purpose::Scratchpad, request, TYPING_DELAY, out),
        Err(text) => {
            memory.calc_answer = Some(Err(text));
            state.asked.remove(&Purpose::Scratchpad);
            out.push(Effect::Forget(Purpose::Scratchpad));
            out.mark(Dirty::MEMORY);
        }
    }
}

/// The table of variables loads on as long as it is shown.
pub(super) fn more_places(state: &mut State, out: &mut Effects) {
    let memory = &state.memory;
    let (have, total) = (memory.rows.len() as u64, memory.total);
    let wanted = memory.part == Part::Variables && have < total;
    let Some((scope, setup)) = memory.asked.clone().filter(|_| wanted) else { return };
    if let Ok(from) = u32::try_from(have) {
        let request = request(scope, &setup, "paged", from, ROWS_AT_ONCE);
        ask(state, Purpose::Places, request, 0, out);
    }
}
