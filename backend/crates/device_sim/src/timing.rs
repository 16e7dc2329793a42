//! The timing model: a TOML text in, costs in picoseconds out.
//!
//! Clock periods were seen in captures; all costs are a model that a user can replace.
//! Spec: docs/format/simulator.md "Time" [modelled].

mod text;
mod write;

use device_image::Generation;
use records::{Engine, EngineClass, Opcode, Provenance};
use std::collections::BTreeMap;

/// The text of the built-in model.
pub const DEFAULT: &str = include_str!("timing/default.toml");
/// Most bytes of a timing text.
pub const MAX_TIMING_BYTES: usize = 1 << 20;
/// Most of any number in a timing text: far above all that makes sense, and small enough that
/// sums of products stay far below 2^64.
pub const MAX_NUMBER: u64 = 1_000_000_000;

/// What is wrong with a timing text.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct TimingError {
    /// Byte of the text, where one is to blame.
    pub at: Option<usize>,
    /// What was found and what was expected.
    pub message: String,
}

/// Cost of a record in cycles of its engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Cycles of the sequencer.
    pub issue: u32,
    /// Cycles before the first element.
    pub start: u32,
    /// Thousandths of a cycle for each element of a partition.
    pub element_milli: u32,
}

/// Delays of posts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wire {
    /// From a post to a wait on the same core, ns.
    pub semaphore_ns: u32,
    /// From a post to another core, ns.
    pub remote_ns: u32,
    /// From the host's post to the core, ns.
    pub host_ns: u32,
    /// From the doorbell of a table ring to its event, ns.
    pub table_ns: u32,
    /// From the doorbell of the request or switch ring to its event, ns.
    pub request_ns: u32,
}

/// Costs of transfers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DmaCost {
    /// From the doorbell to the first byte, ns.
    pub start_ns: u32,
    /// For each descriptor of a ring, ns.
    pub descriptor_ns: u32,
    /// Bytes that one ring moves in a microsecond, at least 1.
    pub ring_bytes_per_us: u32,
}

/// Costs of a hop between ranks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// One hop, ns.
    pub hop_ns: u32,
    /// Bytes in a microsecond, at least 1.
    pub bytes_per_us: u32,
}

/// The costs of one generation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GenerationTiming {
    /// Clock period of each engine by its code, in femtoseconds, at least 1.
    pub clock_fs: [u64; 5],
    /// Clock period of the DMA engines in femtoseconds.
    pub dma_clock_fs: u64,
    /// Delays of posts.
    pub wire: Wire,
    /// Transfers.
    pub dma: DmaCost,
    /// Hops between ranks.
    pub link: Link,
    /// Costs by opcode.
    opcodes: BTreeMap<u8, Cost>,
    /// Costs by class, in the order of [`CLASSES`].
    classes: [Cost; 6],
}

/// Names of the classes in a timing text.
pub const CLASSES: [&str; 6] = ["PE", "ACT", "VECTOR", "SEQUENCER", "DMA", "GPSIMD"];

const fn class_index(class: EngineClass) -> usize {
    match class {
        EngineClass::Pe => 0,
        EngineClass::Act => 1,
        EngineClass::Vector => 2,
        EngineClass::Sequencer | EngineClass::Pseudo | EngineClass::None => 3,
        EngineClass::Dma => 4,
        EngineClass::Gpsimd => 5,
    }
}

impl GenerationTiming {
    /// Cost of an opcode: its own, else that of its class. Codes without a class count as
    /// sequencer work.
    pub fn cost(&self, opcode: Opcode) -> Cost {
        let own = self.opcodes.get(&opcode.0).copied();
        own.unwrap_or_else(|| {
            let class = opcode.info().map_or(EngineClass::Sequencer, |info| info.class);
            self.classes.get(class_index(class)).copied().unwrap_or_default()
        })
    }

    /// Costs of opcodes that have their own, ascending.
    pub fn own_costs(&self) -> impl Iterator<Item = (Opcode, Cost)> {
        self.opcodes.iter().map(|(opcode, cost)| (Opcode(*opcode), *cost))
    }

    /// Costs of classes, in the order of [`CLASSES`].
    pub const fn class_costs(&self) -> &[Cost; 6] {
        &self.classes
    }

    /// Sets the cost of an opcode.
    pub fn set_cost(&mut self, opcode: Opcode, cost: Cost) {
        self.opcodes.insert(opcode.0, cost);
    }

    /// Cycles of an engine in picoseconds, at least 1.
    pub fn cycles_ps(&self, engine: Engine, cycles: u64) -> u64 {
        let fs = self.clock_fs.get(engine.index()).copied().unwrap_or(1_000_000);
        (cycles.saturating_mul(fs) / 1000).max(1)
    }

    /// Time to issue a record and time of its work for so many elements, in picoseconds. The first
    /// is at least 1, so that time goes on.
    pub fn record_ps(&self, engine: Engine, opcode: Opcode, elements: u64) -> (u64, u64) {
        let cost = self.cost(opcode);
        let issue = self.cycles_ps(engine, u64::from(cost.issue));
        let milli = elements.saturating_mul(u64::from(cost.element_milli));
        let cycles = u64::from(cost.start).saturating_add(milli / 1000);
        let work = if cycles == 0 { 0 } else { self.cycles_ps(engine, cycles) };
        (issue, work)
    }

    /// Time for which a block keeps a ring busy, in picoseconds: its descriptors and its share of
    /// the bytes.
    pub fn transfer_ps(&self, descriptors: u64, ring_bytes: u64) -> u64 {
        let heads = descriptors.saturating_mul(u64::from(self.dma.descriptor_ns) * 1000);
        let rate = u64::from(self.dma.ring_bytes_per_us.max(1));
        heads.saturating_add(ring_bytes.saturating_mul(1_000_000) / rate)
    }
}

/// A timing model for all generations.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timing {
    /// Name.
    pub name: String,
    /// What it is and how far it can be trusted.
    pub about: String,
    /// Modelled, or configured for a user's own.
    pub provenance: Provenance,
    sunda: GenerationTiming,
    cayman: GenerationTiming,
    mariana: GenerationTiming,
}

impl Timing {
    /// The built-in model.
    ///
    /// # Errors
    /// None, as the tests show; the text is read like any other.
    pub fn built_in() -> Result<Self, TimingError> {
        Ok(Self { provenance: Provenance::Modelled, ..Self::parse(DEFAULT)? })
    }

    /// The costs of a generation.
    pub const fn of(&self, generation: Generation) -> &GenerationTiming {
        match generation {
            Generation::Sunda => &self.sunda,
            Generation::Cayman => &self.cayman,
            Generation::Mariana => &self.mariana,
        }
    }

    /// The same, to be changed.
    pub const fn of_mut(&mut self, generation: Generation) -> &mut GenerationTiming {
        match generation {
            Generation::Sunda => &mut self.sunda,
            Generation::Cayman => &mut self.cayman,
            Generation::Mariana => &mut self.mariana,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_built_in_model_has_the_observed_clocks() {
        let timing = Timing::built_in().unwrap();
        assert_eq!(timing.provenance, Provenance::Modelled);
        let cayman = timing.of(Generation::Cayman);
        // 1.2 GHz and 0.96 GHz; 1.4 GHz and 1.12 GHz; each within a thousandth.
        for (fs, mhz) in [(cayman.clock_fs[0], 1200.0), (cayman.clock_fs[3], 960.0)] {
            assert!((1e9 / fs as f64 - mhz).abs() < mhz / 1000.0, "{fs}");
        }
        let sunda = timing.of(Generation::Sunda);
        for (fs, mhz) in [(sunda.clock_fs[1], 1400.0), (sunda.clock_fs[3], 1120.0)] {
            assert!((1e9 / fs as f64 - mhz).abs() < mhz / 1000.0, "{fs}");
        }
        assert_eq!(timing.of(Generation::Mariana), cayman);
    }

    #[test]
    fn costs_are_cycles_of_the_engine() {
        let timing = Timing::built_in().unwrap();
        let cayman = timing.of(Generation::Cayman);
        // 20 cycles of 833.33 ps.
        assert_eq!(cayman.record_ps(Engine::Sp, Opcode(0xA4), 0), (16_666, 0));
        // 4 cycles; 58 and 512 cycles of 1041.67 ps.
        assert_eq!(cayman.record_ps(Engine::Dve, Opcode(0x46), 512), (4_166, 593_751));
        // 12 descriptors of 8 ns, 18,000 bytes at 18,000 bytes a microsecond.
        assert_eq!(cayman.transfer_ps(12, 18_000), 96_000 + 1_000_000);
    }

    #[test]
    fn mistakes_have_a_place() {
        let wrong = |from: &str, to: &str| {
            let text = DEFAULT.replacen(from, to, 1);
            assert_ne!(text, DEFAULT, "{from}");
            Timing::parse(&text).unwrap_err()
        };
        let error = wrong("PE = 714290", "PE = 0");
        assert!(error.message.contains("clock_fs"), "{error}");
        assert!(wrong("issue = 4", "isue = 4").at.is_some());
        assert!(wrong("issue = 4", "issue = -4").at.is_some());
        assert!(wrong("[sunda.opcode.LDWEIGHTS]", "[sunda.opcode.TEA]").message.contains("TEA"));
        assert!(wrong("like = \"cayman\"", "like = \"zen\"").message.contains("zen"));
        assert!(wrong("semaphore_ns = 17", "semaphore_ns = 4000000000").message.contains("most"));
        assert!(Timing::parse("name = 1").is_err());
        assert!(Timing::parse(&" ".repeat(MAX_TIMING_BYTES + 1)).is_err());
    }
}
