//! What can be said of a program without a run: which records are ordered by its waits and posts,
//! accesses that are not, and events that are set while they are set.
//!
//! The streams are gone through record by record, as far as their waits allow, without any time:
//! each part of a core (sequencers, the engines behind them, queues) counts what it does, and each
//! post carries how far everybody was before it. A wait knows what must have happened before it.
//! Spec: docs/format/simulator.md "Before the run" [modelled].

use records::payload::transfer::{Direct2d, Direct2dSide, MODE_TABLE, MODE_VARIABLE};
use records::sync_mode::{Compare, UpdateKind};
use records::{Engine, Slot};
use std::collections::{BTreeMap, BTreeSet};

use crate::clock::{Access, Clock, Sync, join};
use crate::core::Core;
pub use crate::disorder::{Accessor, Disorder, LISTED, Order};
use crate::gate::{Condition, Effect, Gate, SyncId};
use crate::machine::Machine;
use crate::op::{Action, Op, Program};
use crate::posters::{EngineRef, SlotRef, named_block};
use crate::region::{Region, Space};

/// Accesses that are kept for a piece of memory.
const KEPT: usize = 96;
/// Records of all engines that are gone through.
const MOST_RECORDS: u64 = 4_000_000;

struct Walk<'m, 'a> {
    machine: &'m Machine<'a>,
    core: &'m Core,
    /// Clocks of the sequencers, of their engines' work, of the queues.
    clocks: Vec<Clock>,
    at: [usize; 5],
    stopped: [bool; 5],
    sync: Vec<Sync>,
    lines: BTreeMap<(Space, i64), Vec<usize>>,
    accesses: Vec<Access>,
    told: BTreeSet<(SlotRef, SlotRef)>,
    order: Order,
}

impl Machine<'_> {
    /// What is wrong with the order of the programs of each core, before any run.
    pub fn disorder(&self) -> Order {
        let mut all = Order::default();
        for core in &self.cores {
            // Ranks that run the same images have the same order.
            let same = |other: &&Core| {
                let programs = |of: &Core| Engine::ALL.map(|engine| of.engine_ref(engine).program);
                programs(other) == programs(core) && other.index < core.index
            };
            if self.cores.iter().any(|other| same(&other)) {
                continue;
            }
            let made = Walk::of(self, core).whole();
            all.more += made.more;
            all.records = (all.records.0 + made.records.0, all.records.1 + made.records.1);
            for one in made.found {
                if all.found.len() < LISTED {
                    all.found.push(one);
                } else {
                    all.more += 1;
                }
            }
        }
        all
    }
}

impl<'m, 'a> Walk<'m, 'a> {
    fn of(machine: &'m Machine<'a>, core: &'m Core) -> Self {
        let parts = 10 + core.queues.len();
        let sync = (0..SyncId::COUNT).map(|_| Sync { clock: vec![0; parts], ..Sync::default() });
        let mut walk = Self {
            machine,
            core,
            clocks: vec![vec![0; parts]; parts],
            at: [0; 5],
            stopped: [false; 5],
            sync: sync.collect(),
            lines: BTreeMap::new(),
            accesses: Vec::new(),
            told: BTreeSet::new(),
            order: Order::default(),
        };
        for engine in Engine::ALL {
            let (start, end) = walk.main(engine);
            if let Some(at) = walk.at.get_mut(engine.index()) {
                *at = start;
            }
            walk.order.records.1 += (end - start) as u64;
        }
        if walk.order.records.1 <= MOST_RECORDS {
            walk.totals();
        }
        walk
    }

    fn program(&self, engine: Engine) -> Option<&'m Program<'a>> {
        self.machine.program(self.core, engine)
    }

    fn main(&self, engine: Engine) -> (usize, usize) {
        self.program(engine).map_or((0, 0), |program| {
            let end = (program.main_end as usize).min(program.ops.len());
            ((program.main_start as usize).min(end), end)
        })
    }

    /// What each part adds to each semaphore in the whole program.
    fn totals(&mut self) {
        let mut totals: Vec<Option<BTreeMap<usize, i64>>> =
            (0..SyncId::COUNT).map(|_| Some(BTreeMap::new())).collect();
        for engine in Engine::ALL {
            let Some(program) = self.program(engine) else { continue };
            let (start, end) = self.main(engine);
            for at in start..end {
                let Some(op) = program.ops.get(at) else { continue };
                for (part, effect) in self.effects(engine, program, op, at) {
                    let Some(sums) = totals.get_mut(effect.id.index()) else { continue };
                    match (added(&effect), sums.as_mut()) {
                        (Some(add), Some(sums)) => *sums.entry(part).or_insert(0) += add,
                        _ => *sums = None,
                    }
                }
            }
        }
        for (sync, totals) in self.sync.iter_mut().zip(totals) {
            sync.totals = totals;
        }
    }

    /// What a record and the transfer that it starts post, each with the part that does it.
    fn effects(
        &self,
        engine: Engine,
        program: &Program<'_>,
        op: &Op,
        at: usize,
    ) -> Vec<(usize, Effect)> {
        let own = if op.action == Action::Compute { 5 + engine.index() } else { engine.index() };
        let mut list: Vec<(usize, Effect)> = op
            .effects
            .iter()
            .flatten()
            .map(|effect| (if effect.at_completion { own } else { engine.index() }, *effect))
            .collect();
        let Some(slot) = u32::try_from(at).ok().and_then(|at| program.slot(at)) else {
            return list;
        };
        match op.action {
            Action::Direct => {
                let record = Direct2d::of(slot);
                let part = self.dynamic(engine).map_or(engine.index(), |queue| 10 + queue);
                if record.increment != 0 {
                    list.push((part, Effect::add(record.semaphore, record.increment.into())));
                }
            }
            Action::Write => match self.block(engine, program, at) {
                Some((queue, block)) => {
                    let rings = self.core.queues.get(queue).map_or(1, |queue| queue.rings);
                    let semaphore = self.core.queues.get(queue).and_then(|queue| {
                        queue.blocks.get(block).and_then(|block| block.semaphore)
                    });
                    list.extend(semaphore.map(|id| (10 + queue, Effect::add(id, rings.into()))));
                }
                None => {
                    let written = self.machine.effects_at(self.core, self.core, program, at);
                    let own = op.effects.iter().flatten().count();
                    list.extend(written.into_iter().skip(own).map(|one| (engine.index(), one)));
                }
            },
            Action::RangeClear => {
                let written = self.machine.effects_at(self.core, self.core, program, at);
                list.extend(written.into_iter().map(|one| (engine.index(), one)));
            }
            _ => {}
        }
        list
    }

    fn dynamic(&self, engine: Engine) -> Option<usize> {
        self.core.queues.iter().position(|queue| queue.is_dynamic && queue.owner == engine)
    }

    /// Queue and block that a record triggers.
    fn block(&self, engine: Engine, program: &Program<'_>, at: usize) -> Option<(usize, usize)> {
        let (_, source) = program.source(u32::try_from(at).ok()?)?;
        let (name, id) = named_block(source)?;
        let named = |queue: &crate::input::Queue| queue.name.as_bytes() == name;
        let queue = self.core.queues.iter().position(|one| named(one) && one.owner == engine)?;
        let block = self.core.queues.get(queue)?.blocks.iter().position(|one| one.id == id)?;
        Some((queue, block))
    }

    fn whole(mut self) -> Order {
        if self.order.records.1 > MOST_RECORDS {
            return self.order;
        }
        loop {
            let before = self.order.records.0;
            for engine in Engine::ALL {
                while self.step(engine) {
                    self.order.records.0 += 1;
                }
            }
            if self.order.records.0 == before {
                return self.order;
            }
        }
    }

    /// Goes through one record; `false` if it waits or there is none.
    fn step(&mut self, engine: Engine) -> bool {
        let number = engine.index();
        let (_, end) = self.main(engine);
        let at = self.at.get(number).copied().unwrap_or(end);
        let stopped = self.stopped.get(number).copied().unwrap_or(true);
        let Some(program) = self.program(engine).filter(|_| at < end && !stopped) else {
            return false;
        };
        let Some(op) = program.ops.get(at) else { return false };
        let slot = u32::try_from(at).unwrap_or(u32::MAX);
        let here = SlotRef { of: EngineRef { core: self.core.index, engine }, slot };
        let gone = matches!(
            op.action,
            Action::Branch | Action::Call { .. } | Action::Halt | Action::Bad(_)
        );
        let unknown = op.gates.iter().flatten().any(|gate| gate.from_register);
        if gone || unknown {
            // Where it goes on is only known in a run.
            if let Some(stopped) = self.stopped.get_mut(number) {
                *stopped = true;
            }
            return false;
        }
        if !op.gates.iter().flatten().all(|gate| self.holds(gate)) {
            return false;
        }
        for gate in op.gates.iter().flatten() {
            self.pass(number, gate);
        }
        self.tick(number);
        if op.action == Action::Drain {
            self.merge(number, 5 + number);
        }
        let data = program.slot(slot);
        let effects = self.effects(engine, program, op, at);
        if op.action == Action::Compute {
            self.merge(5 + number, number);
            self.tick(5 + number);
            if let Some(slot) = data {
                self.operands(slot, here, 5 + number);
            }
        }
        match (op.action, data) {
            (Action::Direct, Some(slot)) => {
                if let Some(queue) = self.dynamic(engine) {
                    self.merge(10 + queue, number);
                    self.tick(10 + queue);
                    self.direct(slot, here, queue);
                }
            }
            (Action::Write, _) => {
                if let Some((queue, block)) = self.block(engine, program, at) {
                    self.merge(10 + queue, number);
                    self.tick(10 + queue);
                    self.transfer(here, queue, block);
                }
            }
            _ => {}
        }
        for (part, effect) in effects {
            self.post(part, &effect, here);
        }
        if let Some(at) = self.at.get_mut(number) {
            *at += 1;
        }
        true
    }

    fn tick(&mut self, part: usize) {
        if let Some(own) = self.clocks.get_mut(part).and_then(|clock| clock.get_mut(part)) {
            *own = own.saturating_add(1);
        }
    }

    fn time(&self, part: usize) -> u32 {
        self.clocks.get(part).and_then(|clock| clock.get(part)).copied().unwrap_or(0)
    }

    /// One part knows what another one knows.
    fn merge(&mut self, into: usize, from: usize) {
        let from = self.clocks.get(from).cloned().unwrap_or_default();
        if let Some(into) = self.clocks.get_mut(into) {
            join(into, &from);
        }
    }

    fn holds(&self, gate: &Gate) -> bool {
        let value = self.sync.get(gate.id.index()).map_or(0, |sync| sync.value);
        gate.holds(i32::try_from(value).unwrap_or(i32::MAX), gate.value)
    }

    /// A wait ends: what must have happened before it, has.
    fn pass(&mut self, part: usize, gate: &Gate) {
        let id = gate.id.index();
        let mut clock = self.clocks.get(part).cloned().unwrap_or_default();
        if let Some(sync) = self.sync.get_mut(id) {
            let goal = match gate.condition {
                Condition::Semaphore(Compare::GreaterOrEqual | Compare::Equal) => {
                    Some(i64::from(gate.value as i32))
                }
                Condition::Semaphore(Compare::Greater) => Some(i64::from(gate.value as i32) + 1),
                _ => None,
            };
            match (goal, &sync.totals) {
                (Some(goal), Some(totals)) => {
                    let all: i64 = totals.values().sum();
                    for (by, own) in totals {
                        // The others can give all that they have; the rest is from this one.
                        let needed = goal - (all - own);
                        let Some(made) = sync.posts.get(by).filter(|_| needed > 0) else {
                            continue;
                        };
                        let at = made.partition_point(|(sum, _)| *sum < needed);
                        if let Some((_, known)) = made.get(at) {
                            join(&mut clock, known);
                        }
                    }
                }
                _ => join(&mut clock, &sync.clock),
            }
            if let Condition::Event { set, flip: true } = gate.condition {
                sync.value = i64::from(!set);
                if set {
                    let time = clock.get(part).copied().unwrap_or(0) + 1;
                    sync.cleared = Some((part, time));
                }
                join(&mut sync.clock, &clock);
            }
        }
        if let Some(own) = self.clocks.get_mut(part) {
            *own = clock;
        }
    }

    fn post(&mut self, part: usize, effect: &Effect, here: SlotRef) {
        let clock = self.clocks.get(part).cloned().unwrap_or_default();
        let Some(sync) = self.sync.get_mut(effect.id.index()) else { return };
        join(&mut sync.clock, &clock);
        match effect.kind {
            UpdateKind::EventSet => {
                let known =
                    |(by, time): (usize, u32)| clock.get(by).is_some_and(|known| *known >= time);
                let first = sync.set_by.filter(|_| !sync.cleared.is_some_and(known));
                sync.value = 1;
                sync.set_by = Some(here);
                sync.cleared = None;
                if let Some(first) = first {
                    let id = effect.id;
                    self.tell(Disorder::EventTwice { id, first, second: here }, (first, here));
                }
            }
            UpdateKind::EventClear => {
                sync.value = 0;
                sync.cleared = clock.get(part).map(|time| (part, *time));
            }
            UpdateKind::Write => sync.value = i64::from(effect.value as i32),
            _ => {
                let add = added(effect).unwrap_or_default();
                let add = match effect.kind {
                    UpdateKind::Decrement => -1,
                    UpdateKind::Subtract => -i64::from(effect.value as i32),
                    _ => add,
                };
                sync.value += add;
                if sync.totals.is_some() {
                    let made = sync.posts.entry(part).or_default();
                    let sum = made.last().map_or(0, |(sum, _)| *sum) + add;
                    made.push((sum, clock));
                }
            }
        }
    }

    fn tell(&mut self, what: Disorder, pair: (SlotRef, SlotRef)) {
        if !self.told.insert(pair) {
            return;
        }
        if self.order.found.len() < LISTED {
            self.order.found.push(what);
        } else {
            self.order.more += 1;
        }
    }

    fn operands(&mut self, slot: &Slot, at: SlotRef, part: usize) {
        let memory = kbin::effects::memory_effects(slot);
        let by = Accessor { at, queue: None };
        for (list, writes) in [(&memory.reads, false), (&memory.writes, true)] {
            for region in list.iter().filter_map(Region::of_operand) {
                self.access(region, by, part, writes);
            }
        }
    }

    fn direct(&mut self, slot: &Slot, at: SlotRef, queue: usize) {
        let record = Direct2d::of(slot);
        let number = u8::try_from(queue).ok();
        for (side, writes) in [(record.source(), false), (record.target(), true)] {
            let Some(region) = self.direct_region(&side) else { continue };
            self.access(region, Accessor { at, queue: number }, 10 + queue, writes);
        }
    }

    fn direct_region(&self, side: &Direct2dSide) -> Option<Region> {
        let id = match side.mode {
            MODE_VARIABLE => side.reference,
            MODE_TABLE => *self.core.table.get(side.reference as usize)?,
            _ => return None,
        };
        let space = if id == 0 { Space::StateBuffer } else { Space::Variable(id) };
        let (step, rows, len) = (side.row_step.into(), side.rows.into(), side.row_bytes.into());
        Region::of_rows(space, side.offset.into(), step, rows, len)
    }

    fn transfer(&mut self, at: SlotRef, queue: usize, block: usize) {
        let core = self.core;
        let Some(block) = core.queues.get(queue).and_then(|one| one.blocks.get(block)) else {
            return;
        };
        let number = u8::try_from(queue).ok();
        for (region, writes) in &block.touches {
            self.access(*region, Accessor { at, queue: number }, 10 + queue, *writes);
        }
    }

    /// An access against those before it.
    fn access(&mut self, region: Region, by: Accessor, part: usize, writes: bool) {
        let number = self.accesses.len();
        let clock = self.clocks.get(part).cloned().unwrap_or_default();
        let knows = |one: &Access| clock.get(one.part).is_some_and(|known| *known >= one.time);
        let mut found: Vec<usize> = Vec::new();
        for line in region.lines() {
            let kept = self.lines.entry((region.space, line)).or_default();
            let accesses = &self.accesses;
            let of = |at: &usize| accesses.get(*at);
            found.extend(
                kept.iter()
                    .filter(|at| of(at).is_some_and(|one| (one.writes || writes) && !knows(one))),
            );
            // What is behind this one can be forgotten where this one stands for it.
            kept.retain(|at| {
                of(at).is_some_and(|one| {
                    let stands = writes || (!one.writes && one.part == part);
                    !(stands && knows(one) && region.covers(&one.region))
                })
            });
            if kept.len() >= KEPT {
                kept.remove(0);
            }
            kept.push(number);
        }
        let time = self.time(part);
        found.sort_unstable();
        found.dedup();
        for at in found {
            let Some(one) = self.accesses.get(at) else { continue };
            let Some(byte) = one.region.meets(&region) else { continue };
            let (first, first_writes) = (one.by, one.writes);
            let what = Disorder::Unordered {
                first,
                first_writes,
                second: by,
                second_writes: writes,
                space: region.space,
                byte,
            };
            self.tell(what, (first.at, by.at));
        }
        self.accesses.push(Access { region, by, part, time, writes });
    }
}

/// What an update adds; `None` for one that does something else.
fn added(effect: &Effect) -> Option<i64> {
    match effect.kind {
        UpdateKind::Increment => Some(1),
        UpdateKind::Add if !effect.from_register => Some(i64::from(effect.value as i32)),
        _ => None,
    }
}
