//! Who could still change an event or semaphore, and why they do not.

use records::payload::sequencer::Write;
use records::payload::transfer::{Direct2d, DmaTrigger};
use records::sync_mode::{Compare, UpdateKind};
use records::{Engine, Opcode, Slot};

use crate::address::{Target, Window};
use crate::core::{Core, Phase};
use crate::gate::{Condition, Effect, Gate, SyncId};
use crate::host::{CORE_BARRIER, starts_engine};
use crate::machine::Machine;
use crate::op::{Action, Program};

/// An engine of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct EngineRef {
    /// 0-based core of the run.
    pub core: usize,
    /// Engine.
    pub engine: Engine,
}

/// A slot of an engine's image.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SlotRef {
    /// Engine.
    pub of: EngineRef,
    /// 0-based image slot.
    pub slot: u32,
}

/// Somebody who could post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Poster {
    /// Who.
    pub who: Who,
    /// Why they do not.
    pub why: Why,
    /// What the posts that are left add together; `None` where they do not just add.
    pub adds: Option<u64>,
    /// How many posts are left.
    pub count: u64,
}

/// Who could post.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Who {
    /// A record of an engine; the first of those that are left.
    Record(SlotRef),
    /// A block of a queue.
    Transfer {
        /// Core.
        core: usize,
        /// Queue number.
        queue: u8,
        /// Place in the queue's list.
        block: u32,
        /// Record that triggers it.
        trigger: Option<SlotRef>,
    },
    /// A collective that is under way.
    Collective {
        /// Core.
        core: usize,
        /// Index of it.
        collective: usize,
        /// TOP_SP that is at the root of it, by place in the run.
        top_sp: usize,
        /// Rank that it is about.
        rank: u32,
        /// Record of that rank that would start it.
        by: Option<SlotRef>,
    },
}

/// Why somebody does not post.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Its engine does not come that far.
    Behind,
    /// Its engine stopped at a HALT.
    Halted,
    /// Its engine is done with everything and waits for the next inference.
    Done,
    /// The ring does not move.
    Stalled {
        /// 0-based ring.
        ring: u8,
    },
    /// Descriptors of one side are missing.
    SideMissing {
        /// Posted: read, write.
        posted: [u64; 2],
        /// Needed before the block moves.
        needed: [u64; 2],
    },
    /// No record triggers the block.
    NoTrigger,
    /// A rank of the collective never starts it, or does not run.
    RankMissing,
    /// A post of another rank was left out on purpose.
    LinkDropped,
    /// The collective is under way and stands still.
    InCollective,
}

impl Machine<'_> {
    /// Everybody who could still help a wait of a core.
    pub fn posters(&self, core: usize, gate: &Gate) -> Vec<Poster> {
        let Some(own) = self.cores.get(core) else { return Vec::new() };
        let (_, rank) = self.name(core);
        let mut list = Vec::new();
        for other in self.cores.iter().filter(|other| self.name(other.index).1 == rank) {
            for engine in Engine::ALL {
                list.extend(self.records(own, other, engine, gate));
            }
        }
        if let (false, Condition::Semaphore(compare)) = (gate.id.is_event(), gate.condition)
            && !matches!(compare, Compare::Less | Compare::LessOrEqual)
        {
            self.transfers(own, gate.id, &mut list);
        }
        self.collective_posters(own, gate, &mut list);
        list
    }

    /// The collectives under way whose end would help.
    fn collective_posters(&self, own: &Core, gate: &Gate, list: &mut Vec<Poster>) {
        for after in own.after.iter().filter(|one| one.effect.can_help(gate)) {
            let root = self.collective_root(own.index, after.collective);
            let Some((top_sp, missing)) = root else { continue };
            let who = Who::Collective {
                core: own.index,
                collective: after.collective,
                top_sp,
                rank: missing.rank,
                by: missing.by,
            };
            let adds = (!after.effect.from_register).then_some(u64::from(after.effect.value));
            list.push(Poster { who, why: missing.why, adds, count: 1 });
        }
    }

    /// The records of an engine that are left and can help, as one poster.
    fn records(&self, own: &Core, of: &Core, engine: Engine, gate: &Gate) -> Option<Poster> {
        let state = of.engine_ref(engine);
        let program = self.shared.programs.get(state.program)?;
        let end =
            if self.shared.until_main_end { program.main_end as usize } else { program.ops.len() };
        let done = self.is_done(of, engine);
        let mut first = None;
        let (mut count, mut adds) = (0_u64, Some(0_u64));
        // Functions lie behind the records that follow their calls.
        let functions = program.image.ranges.functions;
        let in_function = functions.contains(u64::from(state.pc) * 64);
        let start = if in_function { program.main_start } else { state.pc };
        // Cores meet once in each inference, and PE starts the others in each; the semaphores of a
        // program begin anew.
        let is_core_barrier = gate.id == SyncId::semaphore(CORE_BARRIER);
        let starts = own.index == of.index && starts_engine(gate.id);
        let again = (is_core_barrier || starts) && of.done + 1 < self.shared.inferences;
        let wrapped = if again { 0..start as usize } else { 0..0 };
        for at in (start as usize..end).chain(wrapped) {
            for effect in self.effects_at(own, of, program, at) {
                if !effect.can_help(gate) {
                    continue;
                }
                first.get_or_insert(at);
                count += 1;
                let more = match effect.kind {
                    UpdateKind::Increment => Some(1),
                    UpdateKind::Add if !effect.from_register => Some(u64::from(effect.value)),
                    _ => None,
                };
                adds = adds.zip(more).map(|(sum, more)| sum.saturating_add(more));
            }
        }
        let slot = u32::try_from(first?).ok()?;
        let of = EngineRef { core: of.index, engine };
        let why = match state.phase {
            Phase::Halted => Why::Halted,
            _ if done => Why::Done,
            _ => Why::Behind,
        };
        Some(Poster { who: Who::Record(SlotRef { of, slot }), why, adds, count })
    }

    /// What the record at a slot does to events and semaphores of the core `own`.
    pub(crate) fn effects_at(
        &self,
        own: &Core,
        of: &Core,
        program: &Program<'_>,
        at: usize,
    ) -> Vec<Effect> {
        let Some(op) = program.ops.get(at) else { return Vec::new() };
        let same = own.index == of.index;
        let mut list: Vec<Effect> =
            if same { op.effects.iter().flatten().copied().collect() } else { Vec::new() };
        let slot = u32::try_from(at).ok().and_then(|at| program.slot(at));
        match (op.action, slot) {
            (Action::Write, Some(slot)) => {
                let record = Write::of(slot);
                let first = (record.size, record.address.get(), record.value.get());
                let second = (record.size1, record.address1.get(), record.value1.get());
                for (size, address, value) in [first, second] {
                    let effect = self.written(own, of, address, value as u32);
                    list.extend(effect.filter(|_| size != 0));
                }
            }
            (Action::Direct, Some(slot)) if same => {
                let record = Direct2d::of(slot);
                list.push(Effect::add(record.semaphore, record.increment.into()));
            }
            (Action::RangeClear, Some(slot)) if same => {
                let record = records::payload::sequencer::RangeClear::of(slot);
                list.extend(
                    kbin::effects::cleared(record)
                        .map(|id| Effect { kind: UpdateKind::Write, ..Effect::add(id, 0) }),
                );
            }
            _ => {}
        }
        for gate in op.gates.iter().flatten().filter(|_| same) {
            if let Condition::Event { set, flip: true } = gate.condition {
                let kind = if set { UpdateKind::EventClear } else { UpdateKind::EventSet };
                list.push(Effect { id: gate.id, kind, ..Effect::set_event(gate.id.id()) });
            }
        }
        list
    }

    /// What a write to an address does to the core `own`.
    fn written(&self, own: &Core, of: &Core, address: u64, value: u32) -> Option<Effect> {
        let target = of.addresses.target(&self.shared.map, address);
        let Target::Sync { core, id, window } = target else { return None };
        let kind = match window {
            Window::Event if value & 1 == 1 => UpdateKind::EventSet,
            Window::Event => UpdateKind::EventClear,
            Window::Set => UpdateKind::Write,
            Window::Increment => UpdateKind::Add,
            Window::Decrement => UpdateKind::Subtract,
            Window::Read => return None,
        };
        let effect = Effect { id, kind, from_register: false, at_completion: true, value };
        (core == own.physical).then_some(effect)
    }

    /// The blocks that add to a semaphore and have not moved on all rings, the first of each queue.
    pub(crate) fn transfers(&self, own: &Core, id: SyncId, list: &mut Vec<Poster>) {
        for (number, (queue, rings)) in (0_u8..).zip(own.queues.iter().zip(&own.rings)) {
            let Some(unfinished) = rings.unfinished().filter(|_| !queue.is_dynamic) else {
                continue;
            };
            let left = (0_u32..).zip(&queue.blocks).skip(unfinished.block as usize);
            let left = left.filter(|(_, block)| block.semaphore.map(SyncId::semaphore) == Some(id));
            let (mut count, mut first) = (0, None);
            for (at, block) in left {
                count += 1;
                first.get_or_insert((at, block.id));
            }
            let Some((block, block_id)) = first else { continue };
            let triggers = self.triggers(own, queue.owner, &queue.name, block_id);
            let state = own.engine_ref(queue.owner);
            let of = EngineRef { core: own.index, engine: queue.owner };
            let ahead = triggers.iter().find(|slot| **slot >= state.pc).or(triggers.first());
            let (posted, needed) = (unfinished.posted, unfinished.needed);
            let is_next = unfinished.block == block;
            let why = if unfinished.is_posted() {
                Why::Stalled { ring: unfinished.ring }
            } else if is_next && unfinished.is_started() {
                Why::SideMissing { posted, needed }
            } else if ahead.is_none() {
                Why::NoTrigger
            } else {
                match state.phase {
                    Phase::Halted => Why::Halted,
                    _ if self.is_done(own, queue.owner) => Why::Done,
                    _ => Why::Behind,
                }
            };
            let trigger = ahead.map(|slot| SlotRef { of, slot: *slot });
            let who = Who::Transfer { core: own.index, queue: number, block, trigger };
            let adds = Some(count * u64::from(rings.rings));
            list.push(Poster { who, why, adds, count });
        }
    }

    /// Image slots that trigger a block.
    fn triggers(&self, own: &Core, owner: Engine, queue: &str, block: u32) -> Vec<u32> {
        let Some(program) = self.program(own, owner) else { return Vec::new() };
        let slots = 0..u32::try_from(program.ops.len()).unwrap_or(u32::MAX);
        slots
            .filter(|slot| {
                program.source(*slot).is_some_and(|(_, source)| names(source, queue, block))
            })
            .collect()
    }
}

/// Whether a source record triggers a block of a queue.
fn names(source: &Slot, queue: &str, block: u32) -> bool {
    named_block(source) == Some((queue.as_bytes(), block))
}

/// Queue and block that a source record triggers.
pub(crate) fn named_block(source: &Slot) -> Option<(&[u8], u32)> {
    if Opcode(source.opcode_byte()) != Opcode::PSEUDO_DMATRIGGER {
        return None;
    }
    let record = DmaTrigger::of(source);
    let end = record.queue.iter().position(|byte| *byte == 0).unwrap_or(record.queue.len());
    (record.use_raw_count == 0).then_some((record.queue.get(..end)?, record.block_id.get()))
}
