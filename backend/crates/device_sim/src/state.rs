//! How far everything is at the end of a run, as plain values.

use std::collections::BTreeMap;

use records::Engine;

use crate::core::{InferenceTime, Phase};
use crate::gate::SyncId;
use crate::machine::Machine;

/// An engine at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EngineEnd {
    /// Engine.
    pub engine: Engine,
    /// How far it is.
    pub phase: Phase,
    /// Whether it is where a finished run leaves it.
    pub is_done: bool,
    /// 0-based image slot.
    pub slot: u32,
    /// Slots completed.
    pub instructions: u64,
    /// Time of its records, ps.
    pub busy_ps: u64,
    /// Time in waits that ended, ps.
    pub waited_ps: u64,
    /// Since when it waits, ps; `None` if it does not.
    pub since_ps: Option<u64>,
}

/// A queue at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueEnd {
    /// Queue number.
    pub number: u8,
    /// Rings that take part, numbered from 0.
    pub rings: u8,
    /// Blocks that the slowest ring has begun since the last reset.
    pub moved: u32,
    /// Blocks that were moved in all on every ring, those of all inferences; of a dynamic queue its
    /// transfers.
    pub moved_in_all: u64,
    /// All blocks.
    pub blocks: u32,
    /// Transfers under way.
    pub in_flight: u32,
}

impl Machine<'_> {
    /// The engines of a core.
    pub fn engine_ends(&self, core: usize) -> Vec<EngineEnd> {
        let Some(core) = self.cores.get(core) else { return Vec::new() };
        let end = |engine: Engine| {
            let state = core.engine_ref(engine);
            EngineEnd {
                engine,
                phase: state.phase,
                is_done: self.is_done(core, engine),
                slot: state.pc,
                instructions: state.instructions,
                busy_ps: state.busy_ps,
                waited_ps: state.waited_ps,
                since_ps: (state.phase == Phase::Waiting).then_some(state.since),
            }
        };
        Engine::ALL.into_iter().map(end).collect()
    }

    /// Whether the peer of a core runs too.
    pub fn has_peer(&self, core: usize) -> bool {
        self.cores.get(core).is_some_and(|core| core.has_peer)
    }

    /// The queues of a core.
    pub fn queue_ends(&self, core: usize) -> Vec<QueueEnd> {
        let Some(core) = self.cores.get(core) else { return Vec::new() };
        let queues = (0_u8..).zip(core.queues.iter().zip(&core.rings));
        let end = |(number, (queue, rings)): (u8, (&crate::input::Queue, &crate::rings::Rings))| {
            let taking = 0..usize::from(rings.rings);
            QueueEnd {
                number,
                rings: rings.rings,
                moved: taking.map(|ring| rings.next_of(ring)).min().unwrap_or(0),
                moved_in_all: rings.ring_blocks / u64::from(rings.rings.max(1)) + rings.direct,
                blocks: u32::try_from(queue.blocks.len()).unwrap_or(u32::MAX),
                in_flight: rings.in_flight,
            }
        };
        queues.map(end).collect()
    }

    /// Name of a queue of a core.
    pub fn queue_name(&self, core: usize, queue: u8) -> &str {
        let queue = self.cores.get(core).and_then(|core| core.queues.get(usize::from(queue)));
        queue.map_or("", |queue| queue.name.as_str())
    }

    /// Id of a block of a queue.
    pub fn block_id(&self, core: usize, queue: u8, block: u32) -> Option<u32> {
        let queue = self.cores.get(core)?.queues.get(usize::from(queue))?;
        queue.blocks.get(block as usize).map(|block| block.id)
    }

    /// Inferences of a core, by the notifications of its engines.
    pub fn inferences(&self, core: usize) -> &[InferenceTime] {
        self.cores.get(core).map_or(&[], |core| core.inferences.as_slice())
    }

    /// Semaphores of a core that were ever changed, ascending, with their values.
    pub fn semaphores(&self, core: usize) -> Vec<(u8, i32)> {
        let Some(of) = self.cores.get(core) else { return Vec::new() };
        let posts = |id: u8| of.sync.posts.get(SyncId::semaphore(id).index()).copied();
        let changed = (0..=255).filter(|id| posts(*id).is_some_and(|posts| posts > 0));
        changed.map(|id| (id, of.state(SyncId::semaphore(id)))).collect()
    }

    /// Events of a core that are set, ascending.
    pub fn events_set(&self, core: usize) -> Vec<u8> {
        (0..=255).filter(|id| self.state(core, SyncId::event(*id)) != 0).collect()
    }

    /// The posts that were to be left out and did not come: place among the choices of the run, and how
    /// many posts of that kind came.
    pub fn posts_that_did_not_come(&self) -> Vec<(usize, u64)> {
        let cores = self.cores.iter().flat_map(|core| &core.drops);
        let all = cores
            .map(|one| (one.choice, one.is_done(), one.came))
            .chain(self.fabric.drops.iter().map(|one| (one.choice, one.is_done(), one.came)));
        let mut choices: BTreeMap<usize, (bool, u64)> = BTreeMap::new();
        for (choice, is_done, came) in all {
            let known = choices.entry(choice).or_default();
            *known = (known.0 || is_done, known.1.max(came));
        }
        let unused = choices.into_iter().filter(|(_, (is_done, _))| !is_done);
        unused.map(|(choice, (_, came))| (choice, came)).collect()
    }

    /// Checks what must hold after every step. For tests.
    ///
    /// # Errors
    /// What does not hold.
    pub fn check(&self) -> Result<(), String> {
        for core in &self.cores {
            let (next, _) = core.next();
            if next < core.now {
                return Err(format!("time goes back from {} to {next}", core.now));
            }
            for engine in Engine::ALL {
                let state = core.engine_ref(engine);
                let slots = self.program(core, engine).map_or(0, |program| program.ops.len());
                if state.pc as usize > slots {
                    return Err(format!("{engine} is at slot {} of {slots}", state.pc));
                }
            }
            for (queue, rings) in core.queues.iter().zip(&core.rings) {
                let blocks = queue.blocks.len();
                let ahead = (0..16).any(|ring| rings.next_of(ring) as usize > blocks);
                if ahead {
                    return Err(format!("a ring of {} is behind its last block", queue.name));
                }
            }
            let events = 256..512;
            let is_bit = |id: u16| matches!(core.state(SyncId(id)), 0 | 1);
            if let Some(id) = events.into_iter().find(|id| !is_bit(*id)) {
                return Err(format!("{} is neither set nor clear", SyncId(id)));
            }
        }
        Ok(())
    }
}
