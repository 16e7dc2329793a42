//! The allocator's values, read back from captured images: ring bases and request page.
//!
//! Spec: docs/format/profiles.md "Inputs of a capture" [observed].

use records::{Engine, Opcode, Provenance, Slot};

use crate::expr::ExprError;
use crate::inputs::{Inputs, QueueRings, RINGS};
use crate::profile::Profile;
use crate::program::{BlockCounts, Program, Subgraph};
use crate::recipe::Recipe;

/// Register of a ring's base, from the queue's registers.
const RING_BASE: u64 = 0x28;
/// From the read side of a DMA engine to its write side.
const WRITE_SIDE: u64 = 0x2_0000;
/// Registers of one queue.
const QUEUE_BYTES: u64 = 0x1000;
/// Queue of the table rings.
const TABLE_QUEUE: u64 = 14;

/// Values of a capture, and what it does not tell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recovered {
    /// Inputs for building the image that the capture should show.
    pub inputs: Inputs,
    /// Sentences about values that the capture does not hold; the profile's defaults stand in.
    pub missing: Vec<String>,
}

/// Reads the inputs of a recipe from the five captured images of a core, in engine-code order.
///
/// # Errors
/// A value of the profile cannot be computed.
pub fn inputs_of_capture(
    profile: &Profile,
    subgraph: &Subgraph,
    core: u32,
    images: [&[Slot]; 5],
) -> Result<Recovered, ExprError> {
    let mut inputs = Inputs::defaults(profile, subgraph, Some(core))?;
    inputs.provenance = Provenance::File;
    let mut missing = Vec::new();
    if profile.mentions("P") {
        let load = images.iter().copied().flatten().find(|slot| slot.opcode_byte() == 0xAA);
        match load {
            Some(load) => inputs.request_page = load.u64_at(0x10),
            None => {
                inputs.configured.insert(Inputs::REQUEST_PAGE.to_owned());
                missing.push(String::from(
                    "no record loads the request page, so its address is the profile's default",
                ));
            }
        }
    } else {
        inputs.configured.insert(Inputs::REQUEST_PAGE.to_owned());
    }
    let (first, stride) = dma_engines(profile, subgraph, &inputs)?;
    let mut found = Found::default();
    for (engine, slots) in Engine::ALL.into_iter().zip(images) {
        for slot in slots {
            found.record(engine, slot, first, stride);
        }
    }
    for (number, queue) in (0_u64..).zip(&subgraph.queues) {
        if !queue.kind.has_recipe() {
            continue;
        }
        match found.queues.remove(&number) {
            Some(rings) => {
                inputs.rings.insert(queue.name.clone(), rings);
            }
            None => {
                inputs.configured.insert(queue.name.clone());
                missing.push(format!(
                    "no record sets up the rings of queue `{}`, so their bases are the profile's \
                     defaults",
                    queue.name
                ));
            }
        }
    }
    // Whether a program needs tables is for its recipe to say, so that nothing is missed here.
    match found.dve_table.pair() {
        Some(bases) => inputs.dve_table = bases,
        None => _ = inputs.configured.insert(Inputs::DVE_TABLE.to_owned()),
    }
    match found.act_table.pair() {
        Some(bases) => inputs.act_table = bases,
        None => _ = inputs.configured.insert(Inputs::ACT_TABLE.to_owned()),
    }
    Ok(Recovered { inputs, missing })
}

/// A copy of the subgraph whose descriptor counts are those that `counts` gives for a queue and a
/// block; others stay computed.
pub fn with_counts(
    subgraph: &Subgraph,
    counts: impl Fn(&str, u32) -> Option<(u32, u32)>,
) -> Subgraph {
    let mut subgraph = subgraph.clone();
    for queue in &mut subgraph.queues {
        for block in &mut queue.blocks {
            if let Some((read, write)) = counts(&queue.name, block.id) {
                block.counts = BlockCounts { read, write, provenance: Provenance::File };
            }
        }
    }
    subgraph
}

/// Address of DMA engine 0 and the distance to the next, as the profile has them.
fn dma_engines(
    profile: &Profile,
    subgraph: &Subgraph,
    inputs: &Inputs,
) -> Result<(u64, u64), ExprError> {
    let program = Program { subgraph, engine: Engine::Pe, slots: &[] };
    let named = |name: &str| ExprError::UnknownName(name.to_owned());
    let recipe = Recipe::new(profile, program, inputs).map_err(|error| match error {
        crate::recipe::RecipeError::Value { error, .. }
        | crate::recipe::RecipeError::Symbol { error, .. } => error,
        crate::recipe::RecipeError::TooManySlots { .. } => ExprError::Overflow,
    })?;
    let first = recipe.symbol("D").ok_or_else(|| named("D"))?;
    let stride = recipe.symbol("STRIDE").ok_or_else(|| named("STRIDE"))?;
    if stride == 0 { Err(ExprError::Overflow) } else { Ok((first, stride)) }
}

/// One base on each side.
#[derive(Default)]
struct Pair {
    read: Option<u64>,
    write: Option<u64>,
}

impl Pair {
    fn pair(&self) -> Option<[u64; 2]> {
        Some([self.read?, self.write?])
    }
}

/// Ring bases by queue number.
#[derive(Default)]
struct Found {
    queues: std::collections::BTreeMap<u64, QueueRings>,
    dve_table: Pair,
    act_table: Pair,
}

impl Found {
    /// Looks at one record of an engine's image: does it store ring bases?
    fn record(&mut self, engine: Engine, slot: &Slot, first: u64, stride: u64) {
        let stores = Opcode(slot.opcode_byte()) == Opcode::TENSOR_STORE
            && (slot.u8_at(0x0C), slot.u8_at(0x0D), slot.u8_at(0x0E)) == (9, 1, 2);
        let Some(offset) = slot.u64_at(0x10).checked_sub(first).filter(|_| stores) else { return };
        let (dma_engine, register) = (offset / stride, offset % stride);
        let (write, register) = match register.checked_sub(WRITE_SIDE) {
            Some(register) => (true, register),
            None => (false, register),
        };
        let Some(number) = (register / QUEUE_BYTES).checked_sub(1) else { return };
        if register % QUEUE_BYTES != RING_BASE || dma_engine >= RINGS as u64 {
            return;
        }
        let values = [0x20, 0x28, 0x30, 0x38].map(|at| slot.u64_at(at));
        if number == TABLE_QUEUE {
            let table = match engine {
                Engine::Dve => &mut self.dve_table,
                Engine::Act => &mut self.act_table,
                _ => return,
            };
            let side = if write { &mut table.write } else { &mut table.read };
            *side = values.first().copied();
            return;
        }
        let empty = QueueRings { read: [0; RINGS], write: [0; RINGS] };
        let rings = self.queues.entry(number).or_insert(empty);
        let side = if write { &mut rings.write } else { &mut rings.read };
        let count = usize::from(slot.u8_at(0x0F)).min(values.len());
        let from = usize::try_from(dma_engine).unwrap_or(RINGS);
        for (base, value) in side.iter_mut().skip(from).zip(values.iter().take(count)) {
            *base = *value;
        }
    }
}
