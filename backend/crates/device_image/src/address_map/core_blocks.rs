//! The blocks inside a core's window.
//! Spec: docs/format/memory.md "Inside a core" [observed and inferred, by row].

use super::region::{Region, RegionKind};
use crate::program::Generation;
use records::{Engine, Provenance};

const OBSERVED: Provenance = Provenance::Observed;
const INFERRED: Provenance = Provenance::Inferred;
/// What the newer generations add to the offsets of all blocks but the state buffer.
const HIGH: u64 = 0x8_0000_0000;

/// A block: offset without the high part, bytes, kind, engine, name, how sure.
type Block = (u64, u64, RegionKind, Option<Engine>, &'static str, Provenance);

/// Blocks at the same low offsets everywhere. Where only a start is known, the block is taken to
/// reach to the next one, and is inferred; where none follows, it has [`APART`].
const COMMON: [Block; 8] = [
    (0x200_0000, 0x40_0000, RegionKind::Psum, None, "PSUM", INFERRED),
    (0x240_0000, 0x10_0000, RegionKind::Engine, Some(Engine::Act), "ACT sequencer", INFERRED),
    (0x250_0000, 0x2_0000, RegionKind::Engine, Some(Engine::Act), "ACT tables 0", INFERRED),
    (0x252_0000, 0x2_0000, RegionKind::Engine, Some(Engine::Act), "ACT tables 1", INFERRED),
    (0x254_0000, 0x4_0000, RegionKind::Engine, Some(Engine::Act), "ACT tables 2", INFERRED),
    (0x258_0000, 0x8_0000, RegionKind::Engine, Some(Engine::Act), "ACT tables 3", INFERRED),
    (0x260_0000, 0x10_0000, RegionKind::Engine, Some(Engine::Pe), "PE sequencer", INFERRED),
    (0x270_0000, 0x2000, RegionKind::Events, None, "events and semaphores", OBSERVED),
];

/// Bytes from the sequencers of ACT and PE to what follows them.
const APART: u64 = 0x10_0000;

/// Starts everywhere at the same place; what follows does not.
const fn dve_sequencer(bytes: u64) -> Block {
    (0x2B0_0000, bytes, RegionKind::Engine, Some(Engine::Dve), "DVE sequencer", INFERRED)
}

const SUNDA: [Block; 3] = [
    dve_sequencer(APART),
    (0x290_0000, 0x8_0000, RegionKind::Engine, Some(Engine::Pool), "POOL sequencer", INFERRED),
    (0x298_0000, 0x8_0000, RegionKind::Engine, Some(Engine::Pool), "POOL Q7 cluster", INFERRED),
];

const NEWER: [Block; 2] = [
    (0x300_0000, 0x10_0000, RegionKind::Engine, Some(Engine::Pool), "POOL sequencer", INFERRED),
    (0x310_0000, APART, RegionKind::Engine, Some(Engine::Pool), "POOL Q7 cluster", INFERRED),
];

const CAYMAN: [Block; 6] = dve([0x2B8_0000, 0x2B8_1000, 0x2B8_2000, 0x2B8_6000, 0x2B8_7000]);
const MARIANA: [Block; 6] = dve([0x2B7_9000, 0x2B7_A000, 0x2B7_B000, 0x2B7_F000, 0x2B8_0000]);

/// The sequencer of DVE and its tables, the order of which is not certain; the first one ends it.
const fn dve([fast, slow, opcodes, datapath, parameters]: [u64; 5]) -> [Block; 6] {
    const KIND: RegionKind = RegionKind::Engine;
    const DVE: Option<Engine> = Some(Engine::Dve);
    [
        dve_sequencer(fast - 0x2B0_0000),
        (fast, 0x1000, KIND, DVE, "DVE table (fast control)", INFERRED),
        (slow, 0x1000, KIND, DVE, "DVE table (slow control)", INFERRED),
        (opcodes, 0x4000, KIND, DVE, "DVE table (opcodes)", INFERRED),
        (datapath, 0x400, KIND, DVE, "DVE table (datapath)", INFERRED),
        (parameters, 0x400, KIND, DVE, "DVE parameters", INFERRED),
    ]
}

/// Bytes of the state buffer.
pub const STATE_BUFFER_BYTES: u64 = 0x200_0000;
/// Distance of its partitions.
pub const PARTITION_BYTES: u64 = 1 << 18;

/// The blocks of a core whose window starts at an address.
pub fn blocks(generation: Generation, core: u32, base: u64) -> Vec<Region> {
    let (own, tables, high): (&[Block], &[Block], u64) = match generation {
        Generation::Sunda => (&SUNDA, &[], 0),
        Generation::Cayman => (&NEWER, &CAYMAN, HIGH),
        Generation::Mariana => (&NEWER, &MARIANA, HIGH),
    };
    let state_buffer =
        Region::new(base, STATE_BUFFER_BYTES, RegionKind::StateBuffer, "state buffer", OBSERVED);
    let mut regions = vec![state_buffer.of_core(core)];
    for (offset, bytes, kind, engine, name, provenance) in
        COMMON.iter().chain(own).chain(tables).copied()
    {
        let region = Region::new(base + high + offset, bytes, kind, name, provenance);
        regions.push(Region { engine, ..region.of_core(core) });
    }
    regions
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sequencer_ends_where_its_tables_begin() {
        // No source has the end of the one on SUNDA, nor tables behind it.
        let ends = [
            (Generation::Sunda, 0x10_0000),
            (Generation::Cayman, 0x8_0000),
            (Generation::Mariana, 0x7_9000),
        ];
        for (generation, bytes) in ends {
            let all = blocks(generation, 0, 0);
            let one = all.iter().find(|region| region.name == "DVE sequencer");
            let found = one.map(|region| (region.bytes, region.provenance));
            assert_eq!(found, Some((bytes, INFERRED)), "{generation:?}");
        }
    }
}
