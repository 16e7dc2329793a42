//! One record of one engine: its waits, its updates, and what it does to registers and the PC.

use records::payload::sequencer::{Alu, LoadStore, Move, Notify, RangeClear, Write};
use records::payload::transfer::Direct2d;
use records::{Engine, Slot};

use crate::branch;
use crate::core::{After, Core, Out, Pending, Phase, RemarkKind, SEQUENCERS, Shared};
use crate::event::{self, Actor, Event, EventKind, Sink, Touch};
use crate::fault::FaultKind;
use crate::gate::{Condition, Effect, Gate, SyncId};
use crate::op::{Action, Bad, Op, Program};
use crate::register;

/// Where an engine goes on.
enum Next {
    /// At the next slot.
    Following,
    /// At this slot.
    At(u32),
    /// Nowhere.
    Stop,
}

impl Core {
    /// Lets a sequencer act at a time.
    pub(crate) fn sequencer<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        self.finish_pending(shared, engine, now, out)?;
        let state = self.engine(engine);
        let pc = state.pc;
        let Some(program) = shared.programs.get(state.program) else { return Ok(()) };
        if shared.until_main_end && pc == program.main_end {
            state.phase = Phase::Done;
            self.set_key(SEQUENCERS + engine.index(), u64::MAX);
            return Ok(());
        }
        let Some(op) = program.ops.get(pc as usize) else { return Err(FaultKind::RunsOut) };
        if matches!(op.action, Action::Compute | Action::Drain) && state.pipe_free > now {
            let free = state.pipe_free;
            self.set_key(SEQUENCERS + engine.index(), free);
            return Ok(());
        }
        if !self.gates_hold(shared, engine, op, now, out)? {
            return Ok(());
        }
        self.start_effects(shared, engine, op, pc, now, out)?;
        let next = self.act(shared, program, engine, op, now, out)?;
        self.go_on(program, engine, op, next, now, out)
    }

    /// The completion updates of the record before.
    fn finish_pending<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        let state = self.engine(engine);
        if state.pending == [None; 2] {
            return Ok(());
        }
        let slot = state.pending_slot;
        for effect in std::mem::take(&mut state.pending).into_iter().flatten() {
            self.post(shared, engine, slot, &effect, now, out)?;
        }
        Ok(())
    }

    /// The completion updates of the engine's work.
    pub(crate) fn pipe<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        self.set_key(engine.index(), u64::MAX);
        let state = self.engine(engine);
        let slot = state.pipe_slot;
        for effect in std::mem::take(&mut state.pipe).into_iter().flatten() {
            self.post(shared, engine, slot, &effect, now, out)?;
        }
        Ok(())
    }

    /// Does one update of an engine's record.
    fn post<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        slot: u32,
        effect: &Effect,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        let value = self.resolved(engine, *effect)?.value;
        let actor = Actor::engine(self.index, engine);
        let wake = u64::from(shared.timing.wire.semaphore_ns) * 1000;
        self.apply(effect, value, (actor, slot), now, wake, out)
    }

    /// Whether the waits hold; else the engine waits. Events are turned over when all hold.
    fn gates_hold<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        op: &Op,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<bool, FaultKind> {
        if op.gates == [None; 2] {
            return Ok(true);
        }
        let bit = 1_u8 << engine.index();
        let mut waits_for = None;
        for gate in op.gates.iter().flatten() {
            let value = self.gate_value(engine, gate)?;
            let holds = gate.holds(self.state(gate.id), value);
            let how = if holds { Touch::Passes } else { Touch::Stays };
            let by = (Actor::engine(self.index, engine), self.engine_ref(engine).pc);
            self.touched(event::Shared::Sync(gate.id), how, by, now, out);
            if !holds {
                waits_for.get_or_insert(gate.id);
                if let Some(waiters) = self.sync.waiters.get_mut(gate.id.index()) {
                    *waiters |= bit;
                }
            }
        }
        let first = op.gates.iter().flatten().next().map_or(SyncId(0), |gate| gate.id);
        let state = self.engine(engine);
        if waits_for.is_some() {
            let is_new = state.phase != Phase::Waiting;
            if is_new {
                (state.phase, state.since) = (Phase::Waiting, now);
            }
            self.set_key(SEQUENCERS + engine.index(), u64::MAX);
            if is_new {
                self.host_at_wait(shared, engine, op, now, out);
            }
            return Ok(false);
        }
        if state.phase == Phase::Waiting {
            let waited = now - state.since;
            state.phase = Phase::Running;
            state.waited_ps += waited;
            let slot = state.pc;
            let actor = Actor::engine(self.index, engine);
            let a = u32::from(first.0);
            let kind = EventKind::Waited;
            out.event(Event { time_ps: now, actor, kind, slot, a, b: waited });
        }
        self.flip_events(shared, engine, op, now, out);
        if self.is_at_gate(shared, engine, op) {
            let state = self.engine(engine);
            state.gates_passed = state.gates_passed.saturating_add(1);
        }
        Ok(true)
    }

    /// Events that a wait turns over.
    fn flip_events<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        op: &Op,
        now: u64,
        out: &mut Out<'_, S>,
    ) {
        let wake = u64::from(shared.timing.wire.semaphore_ns) * 1000;
        for gate in op.gates.iter().flatten() {
            if let Condition::Event { set, flip: true } = gate.condition {
                let by = (Actor::engine(self.index, engine), self.engine(engine).pc);
                let how = Touch::Writes(u32::from(!set));
                self.touched(event::Shared::Sync(gate.id), how, by, now, out);
                self.set_state(gate.id, i32::from(!set), by, now, wake, out);
            }
        }
    }

    /// The compared value of a wait.
    pub(crate) fn gate_value(&self, engine: Engine, gate: &Gate) -> Result<u32, FaultKind> {
        if gate.from_register {
            register::get(&self.engine_ref(engine).registers, gate.value.into())
        } else {
            Ok(gate.value)
        }
    }

    fn start_effects<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        op: &Op,
        pc: u32,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        for effect in op.effects.iter().flatten().filter(|effect| !effect.at_completion) {
            self.post(shared, engine, pc, effect, now, out)?;
        }
        Ok(())
    }

    /// What the record does; its time is counted elsewhere.
    fn act<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        program: &Program<'_>,
        engine: Engine,
        op: &Op,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<Next, FaultKind> {
        let pc = self.engine(engine).pc;
        if matches!(op.action, Action::Plain | Action::Compute | Action::Drain) {
            return Ok(Next::Following);
        }
        let Some(slot) = program.slot(pc) else { return Err(FaultKind::RunsOut) };
        match op.action {
            Action::Plain | Action::Compute | Action::Drain => {}
            Action::Halt => {
                let state = self.engine(engine);
                if !std::mem::take(&mut state.run_written) {
                    return Ok(Next::Stop);
                }
            }
            Action::Write => self.write_record(shared, engine, slot, now, out)?,
            Action::Notify => {
                let told = Notify::of(slot).id.get();
                let actor = Actor::engine(self.index, engine);
                let kind = EventKind::Notify;
                out.event(Event { time_ps: now, actor, kind, slot: pc, a: told, b: 0 });
                self.notified(engine, told, now);
            }
            Action::Move => {
                // The register of a constant is in no known byte: modelled where ALU_OP has it.
                let (value, to) = (Move::of(slot).value.get(), slot.u32_at(0x14));
                register::set(&mut self.engine(engine).registers, to.into(), value)?;
            }
            Action::Alu => register::alu(&mut self.engine(engine).registers, Alu::of(slot))?,
            Action::Branch => {
                let base = program.base;
                let registers = &self.engine_ref(engine).registers;
                let target = branch::target(slot, pc, base, program.ops.len(), registers)?;
                return Ok(self.taken(engine, pc, target, now, out));
            }
            Action::Call { low, high } => {
                let base = program.base;
                let back = base.wrapping_add((u64::from(pc) + 1) * 64);
                let registers = &mut self.engine(engine).registers;
                let target = branch::target(slot, pc, base, program.ops.len(), registers)?;
                register::set(registers, low.into(), back as u32)?;
                register::set(registers, high.into(), (back >> 32) as u32)?;
                return Ok(self.taken(engine, pc, target, now, out));
            }
            Action::Load => {
                let record = LoadStore::of(slot);
                let value = self.load(shared, record.address.get())?;
                let by = (Actor::engine(self.index, engine), pc);
                let what = event::Shared::Address(record.address.get());
                self.touched(what, Touch::Reads(value), by, now, out);
                let register = u64::from(record.register());
                register::set(&mut self.engine(engine).registers, register, value)?;
            }
            Action::Store => self.store_record(shared, engine, LoadStore::of(slot), now, out)?,
            Action::RangeClear => self.range_clear(shared, engine, slot, now, out),
            Action::Direct => self.start_direct(shared, engine, Direct2d::of(slot), now, out),
            Action::Collective => {
                let ip = program.source(pc).map(|(ip, _)| ip);
                self.start_collective(shared, engine, ip, now, out);
            }
            Action::NotModelled => {
                let kind = RemarkKind::NotModelled(slot.opcode_byte());
                out.remarks.add(self.index, Some(engine), pc, kind);
            }
            Action::Bad(bad) => return Err(bad_record(slot, bad)),
        }
        Ok(Next::Following)
    }

    fn taken<S: Sink>(
        &mut self,
        engine: Engine,
        slot: u32,
        target: Option<u32>,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Next {
        let Some(to) = target else { return Next::Following };
        let actor = Actor::engine(self.index, engine);
        out.event(Event { time_ps: now, actor, kind: EventKind::Branch, slot, a: to, b: 0 });
        Next::At(to)
    }

    /// Counts the record's time and completion updates, and moves the PC.
    fn go_on<S: Sink>(
        &mut self,
        program: &Program<'_>,
        engine: Engine,
        op: &Op,
        next: Next,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        let key = SEQUENCERS + engine.index();
        let actor = Actor::engine(self.index, engine);
        let state = self.engine(engine);
        let pc = state.pc;
        let to = match next {
            Next::Stop => pc,
            Next::Following => pc + 1,
            Next::At(to) => to,
        };
        state.instructions += 1;
        state.pc = to;
        let late = |effect: &Option<Effect>| effect.filter(|effect| effect.at_completion);
        let late = [late(&op.effects[0]), late(&op.effects[1])];
        let has_late = late != [None; 2];
        let issued = now.saturating_add(op.issue_ps);
        if matches!(next, Next::Stop) {
            // Nothing of the sequencer comes after it, so its updates happen by themselves.
            state.phase = Phase::Halted;
            state.busy_ps += op.issue_ps;
            self.set_key(key, u64::MAX);
            self.post_later(engine, late, (issued, pc), out)?;
            let kind = EventKind::Execute;
            out.event(Event { time_ps: now, actor, kind, slot: pc, a: 0, b: op.issue_ps });
            return Ok(());
        }
        let (duration, mut follow) = if op.action == Action::Compute {
            let end = now.saturating_add(op.work_ps.max(1));
            state.pipe_free = end;
            if has_late {
                (state.pipe, state.pipe_slot) = (late, pc);
                self.set_key(engine.index(), end);
            }
            (op.work_ps.max(1), issued)
        } else {
            (op.issue_ps, issued)
        };
        let state = self.engine(engine);
        state.busy_ps += duration;
        if op.action != Action::Compute && has_late {
            if let (true, Some(collective)) = (op.after_collective, state.last_collective) {
                let counts = self.collective_counts.get(collective).copied().unwrap_or_default();
                if counts[1] >= counts[0] {
                    self.post_later(engine, late, (issued, pc), out)?;
                } else {
                    let count = counts[0];
                    for effect in late.into_iter().flatten() {
                        let effect = self.resolved(engine, effect)?;
                        self.after.push(After { collective, count, effect, actor, slot: pc });
                    }
                }
            } else if op.after_collective {
                let done = state.collective_done.max(issued);
                self.post_later(engine, late, (done, pc), out)?;
            } else {
                (state.pending, state.pending_slot) = (late, pc);
            }
        }
        let state = self.engine(engine);
        let is_work = |op: &Op| op.action == Action::Compute;
        if state.pending == [None; 2] && program.ops.get(to as usize).is_some_and(is_work) {
            follow = follow.max(state.pipe_free);
        }
        self.set_key(key, follow);
        let kind = EventKind::Execute;
        out.event(Event { time_ps: now, actor, kind, slot: pc, a: 0, b: duration });
        Ok(())
    }

    /// Puts updates of a record off to a time, with the values that its registers have now.
    fn post_later<S: Sink>(
        &mut self,
        engine: Engine,
        effects: [Option<Effect>; 2],
        (time, slot): (u64, u32),
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        let actor = Actor::engine(self.index, engine);
        for effect in effects.into_iter().flatten() {
            let effect = self.resolved(engine, effect)?;
            self.push(time, Pending::Effect { effect, actor, slot }, out);
        }
        Ok(())
    }

    /// An update with the value of its register.
    fn resolved(&self, engine: Engine, effect: Effect) -> Result<Effect, FaultKind> {
        if !effect.from_register {
            return Ok(effect);
        }
        let value = register::get(&self.engine_ref(engine).registers, effect.value.into())?;
        Ok(Effect { from_register: false, value, ..effect })
    }

    fn range_clear<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        slot: &Slot,
        now: u64,
        out: &mut Out<'_, S>,
    ) {
        let by = (Actor::engine(self.index, engine), self.engine(engine).pc);
        let wake = u64::from(shared.timing.wire.semaphore_ns) * 1000;
        for id in kbin::effects::cleared(RangeClear::of(slot)) {
            let id = SyncId::semaphore(id);
            self.touched(event::Shared::Sync(id), Touch::Writes(0), by, now, out);
            if self.state(id) != 0 {
                self.set_state(id, 0, by, now, wake, out);
            }
        }
    }

    fn write_record<S: Sink>(
        &mut self,
        shared: &Shared<'_>,
        engine: Engine,
        slot: &Slot,
        now: u64,
        out: &mut Out<'_, S>,
    ) -> Result<(), FaultKind> {
        let record = Write::of(slot);
        let first = (record.size, record.address.get(), record.value.get());
        let second = (record.size1, record.address1.get(), record.value1.get());
        for (size, address, value) in [first, second] {
            if size != 0 {
                self.write(shared, engine, address, value, now, out)?;
            }
        }
        Ok(())
    }
}

fn bad_record(slot: &Slot, bad: Bad) -> FaultKind {
    match bad {
        Bad::Opcode => FaultKind::Opcode(slot.opcode_byte()),
        Bad::Mode => FaultKind::Mode,
        Bad::Operand => FaultKind::Operand(kbin::disasm::text(slot)),
    }
}
