//! What can be said of waits without a run: those that nobody posts.

use std::collections::BTreeMap;

use records::Engine;

use crate::core::Core;
use crate::gate::{Gate, SyncId};
use crate::host::{CORE_BARRIER, INFERENCE_START};
use crate::machine::Machine;
use crate::posters::{EngineRef, SlotRef};

/// Events that the host sets when a doorbell asks for it, see [`crate::host`].
const HOST_EVENTS: [u8; 4] = [4, 6, 7, 8];

impl Machine<'_> {
    /// Waits that do not hold at the start and that no record, no transfer and not the host could make
    /// hold: the first record of each semaphore or event. To be asked before the run.
    pub fn never_posted(&self) -> Vec<(SlotRef, Gate)> {
        let mut list = Vec::new();
        for core in &self.cores {
            let mut left = self.waits(core);
            let rank = self.name(core.index).1;
            for other in self.cores.iter().filter(|other| self.name(other.index).1 == rank) {
                for program in Engine::ALL.into_iter().filter_map(|of| self.program(other, of)) {
                    for at in 0..program.ops.len() {
                        for effect in self.effects_at(core, other, program, at) {
                            if let Some(waits) = left.get_mut(&effect.id) {
                                waits.retain(|(_, gate)| !effect.can_help(gate));
                            }
                        }
                    }
                }
            }
            let mut found: Vec<(SlotRef, Gate)> = left.into_values().flatten().collect();
            found.retain(|(_, gate)| {
                let mut moved = Vec::new();
                if !gate.id.is_event() {
                    self.transfers(core, gate.id, &mut moved);
                }
                moved.is_empty()
            });
            found.sort_unstable_by_key(|(at, gate)| (*at, gate.id));
            list.extend(found);
        }
        list
    }

    /// The waits of a core that do not hold before anything ran, when all states are 0: the first record
    /// of each event and each semaphore.
    fn waits(&self, core: &Core) -> BTreeMap<SyncId, Vec<(SlotRef, Gate)>> {
        let mut waits: BTreeMap<SyncId, Vec<(SlotRef, Gate)>> = BTreeMap::new();
        for engine in Engine::ALL {
            let of = EngineRef { core: core.index, engine };
            let ops = self.program(core, engine).map_or(&[][..], |program| &program.ops);
            for (slot, op) in (0_u32..).zip(ops) {
                for gate in op.gates.iter().flatten().filter(|gate| !self.is_supplied(gate)) {
                    if !gate.from_register && !gate.holds(0, gate.value) {
                        let known = waits.entry(gate.id).or_default();
                        if known.is_empty() {
                            known.push((SlotRef { of, slot }, *gate));
                        }
                    }
                }
            }
        }
        waits
    }

    /// Whether somebody outside of the program can post it.
    fn is_supplied(&self, gate: &Gate) -> bool {
        let id = gate.id.id();
        match gate.id.is_event() {
            true => HOST_EVENTS.contains(&id),
            false => id == INFERENCE_START || id == CORE_BARRIER,
        }
    }
}
