//! The host, and the rings that it filled: it starts inferences and answers requests for tables,
//! for the request page and for the inputs of an inference.
//! Spec: docs/format/simulator.md "Host" [modelled].

use records::sync_mode::Compare;
use records::{Engine, NeffIp};

use crate::address::Side;
use crate::core::{After, Core, InferenceTime, Out, Pending, Shared};
use crate::event::{Actor, Event, EventKind, NO_TOP_SP, Sink};
use crate::gate::{Condition, Effect, SyncId};
use crate::op::Op;

/// Semaphore by which the host starts an inference.
pub const INFERENCE_START: u8 = 0;
/// Semaphore at which the cores of a logical core meet.
pub const CORE_BARRIER: u8 = 1;
/// Semaphore of the barriers of the five engines.
pub const SYNC_BARRIER: u8 = 2;
/// Event of the I/O switch.
const IO_SWITCH: u8 = 4;
/// Events of the tables of ACT and DVE.
const ACT_TABLES: u8 = 6;
const DVE_TABLES: u8 = 7;
/// Event of the execution request.
const REQUEST: u8 = 8;
/// Descriptors of the execution request on each side.
const REQUEST_DESCRIPTORS: u64 = 2;
/// What phase notifications have in common.
const PHASES: u32 = 0x0100_0000;
/// Notification phases: an inference starts, is done.
const STARTED: u32 = PHASES + 2;
const DONE: u32 = PHASES + 3;

/// Whether it is one of the events by which PE starts the other engines.
pub fn starts_engine(id: SyncId) -> bool {
    id.is_event() && id.id() < 4
}

/// Whether a record is the gate at which an engine waits for the next inference: PE for the
/// host's semaphore, the others for the event that PE sets for them.
fn is_gate(engine: Engine, op: &Op) -> bool {
    let wanted = match engine {
        Engine::Pe => SyncId::semaphore(INFERENCE_START),
        Engine::Act => SyncId::event(0),
        Engine::Pool => SyncId::event(1),
        Engine::Dve => SyncId::event(2),
        Engine::Sp => SyncId::event(3),
    };
    op.gates.iter().flatten().any(|gate| {
        if gate.id != wanted {
            return false;
        }
        let kind = matches!(
            gate.condition,
            Condition::Semaphore(Compare::Greater) | Condition::Event { set: true, flip: true }
        );
        kind
    })
}

impl Core {
    /// Whether an engine is at its gate: where it waits between two inferences.
    pub(crate) fn is_at_gate(&self, shared: &Shared<'_>, engine: Engine, op: &Op) -> bool {
        let state = self.engine_ref(engine);
        let program = shared.programs.get(state.program);
        program.is_some_and(|program| state.pc < program.main_start) && is_gate(engine, op)
    }

    /// An engine begins to wait. The host looks at PE's gate, and posts while inferences are left.
    pub(crate) fn host_at_wait<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        op: &Op,
        now: u64,
        out: &mut Out<'_, S>,
    ) {
        if engine != Engine::Pe || self.done >= shared.inferences || !is_gate(engine, op) {
            return;
        }
        let actor = Actor::host(self.index);
        let slot = self.engine(engine).pc;
        out.event(Event { time_ps: now, actor, kind: EventKind::Host, slot, a: 0, b: 0 });
        let time = now.saturating_add(u64::from(shared.timing.wire.host_ns) * 1000);
        let effect = Effect::add(INFERENCE_START, 1);
        self.push(time, Pending::Effect { effect, actor, slot: 0 }, out);
    }

    /// A notification of an engine: those of PE count inferences.
    pub(crate) fn notified(&mut self, engine: Engine, told: u32, now: u64) {
        let number = self.done as usize;
        if told == STARTED && self.inferences.len() <= number {
            self.inferences.push(InferenceTime { start_ps: Some(now), end_ps: None });
        }
        if told == DONE {
            // Each engine tells it; the last one ends the inference.
            let at = if engine == Engine::Pe { number } else { self.inferences.len() };
            let at = at.min(self.inferences.len().saturating_sub(1));
            if let Some(inference) = self.inferences.get_mut(at) {
                inference.end_ps = Some(now);
            }
            if engine == Engine::Pe {
                self.done += 1;
            }
        }
    }

    /// A doorbell of queue 14: once both sides are posted, what was asked for arrives and its event
    /// is set.
    pub(crate) fn side_post<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        side: Side,
        count: u64,
        now: u64,
        out: &mut Out<'_, S>,
    ) {
        let Some(posts) = self.side_posts.get_mut(engine.index()) else { return };
        if let Some(posted) = posts.get_mut(side as usize) {
            *posted = posted.saturating_add(count);
        }
        let [read, write] = *posts;
        if read == 0 || read != write {
            return;
        }
        *posts = [0; 2];
        let wire = &shared.timing.wire;
        let (event, ns) = match engine {
            Engine::Act => (ACT_TABLES, wire.table_ns),
            Engine::Dve => (DVE_TABLES, wire.table_ns),
            _ if read == REQUEST_DESCRIPTORS => (REQUEST, wire.request_ns),
            _ => (IO_SWITCH, wire.request_ns),
        };
        let actor = Actor::host(self.index);
        let slot = self.engine(engine).pc;
        out.event(Event { time_ps: now, actor, kind: EventKind::Host, slot, a: 1, b: read });
        let time = now.saturating_add(u64::from(ns) * 1000);
        let effect = Effect::set_event(event);
        self.push(time, Pending::Effect { effect, actor, slot: event.into() }, out);
    }

    /// An engine starts a collective: one of the plan is for the TOP_SPs; what no plan knows takes
    /// one hop.
    /// Spec: docs/format/simulator.md "Collectives" [modelled].
    pub(crate) fn start_collective<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        ip: Option<NeffIp>,
        now: u64,
        out: &mut Out<'_, S>,
    ) {
        let index = self.index;
        let known = ip.and_then(|ip| self.collectives.get(&(engine.code(), ip.get())).copied());
        let state = self.engine(engine);
        let (number, slot) = (state.collectives, state.pc);
        state.collectives += 1;
        state.last_collective = known;
        if let Some(known) = known {
            if let Some(count) = self.collective_counts.get_mut(known) {
                count[0] += 1;
            }
            if let Some(place) = self.collective_slots.get_mut(known) {
                *place = slot;
            }
            out.started.push((known, now));
            return;
        }
        let done = now.saturating_add(u64::from(shared.timing.link.hop_ns) * 1000);
        let state = self.engine(engine);
        state.collective_done = state.collective_done.max(done);
        let kind = EventKind::CollectiveStart;
        let actor = Actor::top_sp(index);
        out.event(Event { time_ps: now, actor, kind, slot: NO_TOP_SP, a: number, b: 0 });
        self.push(done, Pending::Collective { engine, number }, out);
    }

    /// A planned collective is done: what waited for it happens.
    pub(crate) fn collective_done<S: Sink>(
        &mut self,
        collective: usize,
        now: u64,
        out: &mut Out<'_, S>,
    ) {
        let Some(count) = self.collective_counts.get_mut(collective) else { return };
        count[1] += 1;
        let done = count[1];
        let ready = |one: &After| one.collective == collective && one.count <= done;
        let (now_due, rest): (Vec<After>, Vec<After>) =
            std::mem::take(&mut self.after).into_iter().partition(ready);
        self.after = rest;
        for After { effect, actor, slot, .. } in now_due {
            self.push(now, Pending::Effect { effect, actor, slot }, out);
        }
    }
}

impl Core {
    /// A collective of an engine ends.
    pub(crate) fn end_collective<S: Sink>(&mut self, number: u32, now: u64, out: &mut Out<'_, S>) {
        let (actor, kind) = (Actor::top_sp(self.index), EventKind::CollectiveEnd);
        out.event(Event { time_ps: now, actor, kind, slot: NO_TOP_SP, a: number, b: 0 });
    }
}
