//! Clock alignment (tsync): the protocol as a sequence, and the arithmetic that brings counters of
//! several blocks onto one time.
//! Spec: docs/format/collectives-plan.md "tsync" [observed].

use super::schedule::Source;

/// A block with a counter of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Block {
    /// Events and semaphores.
    EventSemaphore,
    /// SP engine.
    Sp,
    /// PE engine.
    Pe,
    /// ACT engine.
    Act,
    /// DVE engine.
    Dve,
    /// POOL engine.
    Pool,
    /// HAM and errors.
    HamAndError,
    /// A DMA engine.
    Dma,
    /// A TOP_SP.
    TopSp,
}

impl Block {
    /// All of them, in the order in which the host logs their first timestamps.
    pub const ALL: [Self; 9] = [
        Self::EventSemaphore,
        Self::Sp,
        Self::Pe,
        Self::Act,
        Self::Dve,
        Self::Pool,
        Self::HamAndError,
        Self::Dma,
        Self::TopSp,
    ];

    /// Short name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EventSemaphore => "EVT_SEM",
            Self::Sp => "SP",
            Self::Pe => "PE",
            Self::Act => "ACT",
            Self::Dve => "DVE",
            Self::Pool => "POOL",
            Self::HamAndError => "HAM_AND_ERR",
            Self::Dma => "DMA",
            Self::TopSp => "TOP_SP",
        }
    }

    /// The engine of a notification's subtype: groups of four from PE on, the last one wrapped.
    /// `None` for a subtype of no engine.
    /// Spec: docs/format/collectives-plan.md "tsync" [observed].
    pub const fn of_subtype(subtype: u8) -> Option<Self> {
        if subtype > 0x1F {
            return None;
        }
        match (subtype + 26) & 0x1F {
            0 => Some(Self::Pe),
            4 => Some(Self::Act),
            8 => Some(Self::Pool),
            12 => Some(Self::Dve),
            16 => Some(Self::Sp),
            _ => None,
        }
    }
}

/// The block of a name, in any case: `PE`, `top_sp`.
pub fn block_of_name(name: &str) -> Option<Block> {
    Block::ALL.into_iter().find(|block| block.name().eq_ignore_ascii_case(name))
}

/// What a block's counter showed at the common instant, and how it counts. The arithmetic is that of
/// the clocks in a capture, rounded as the host does it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// Counter at the common instant.
    pub init: u64,
    /// Added to the counter at each tick.
    pub actual_increment: u32,
    /// Picoseconds of a tick.
    pub expected_increment: u32,
}

impl Clock {
    /// Picoseconds from the common instant to a counter value, rounded toward zero; negative before
    /// it. `None` for a counter that stands still (increment 0), and beyond 64 bits.
    /// Spec: docs/format/collectives-plan.md "tsync" [observed].
    pub fn picoseconds(&self, counter: u64) -> Option<i64> {
        // The clock of a capture counts from a signed value: the difference is taken first.
        let (from, before) = match counter.checked_sub(self.init) {
            Some(after) => (after, false),
            None => (self.init - counter, true),
        };
        let clock = neff::ntff::Clock {
            initial: 0,
            actual: self.actual_increment.into(),
            expected: self.expected_increment.into(),
        };
        let passed = clock.align_toward_zero(from)?;
        i64::try_from(if before { -passed } else { passed }).ok()
    }

    /// The same in nanoseconds with the picoseconds behind the point, `142.800`.
    pub fn nanoseconds(&self, counter: u64) -> Option<String> {
        self.picoseconds(counter).map(nanoseconds)
    }

    /// Wall-clock nanoseconds of a counter value, given the host's at the common instant.
    pub fn wall_nanoseconds(&self, counter: u64, host_ns: i64) -> Option<i64> {
        host_ns.checked_add(self.picoseconds(counter)? / 1_000)
    }
}

/// Picoseconds as nanoseconds with three decimals.
pub fn nanoseconds(picoseconds: i64) -> String {
    let sign = if picoseconds < 0 { "-" } else { "" };
    let size = picoseconds.unsigned_abs();
    format!("{sign}{}.{:03}", size / 1_000, size % 1_000)
}

/// One step of the protocol.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProtocolStep {
    /// `host`, `engines` or `firmware`.
    pub who: &'static str,
    /// What is done.
    pub what: &'static str,
    /// How it is known.
    pub source: Source,
}

const fn step(who: &'static str, what: &'static str, source: Source) -> ProtocolStep {
    ProtocolStep { who, what, source }
}

/// The protocol.
/// Spec: docs/format/collectives-plan.md "tsync" [observed].
pub const PROTOCOL: [ProtocolStep; 7] = [
    step("host", "writes 1 to the tsync doorbell of each TOP_SP", Source::Observed),
    step("firmware", "reads its counter at timestamp_local into timestamp_tpb", Source::Inferred),
    step(
        "host",
        "loads a program of one instruction into every engine and TOP_SP; a barrier lets all fire together",
        Source::Observed,
    ),
    step("engines", "each sends a notification with its own 64-bit counter", Source::Observed),
    step("host", "reads the notifications and tells the engine by the subtype", Source::Observed),
    step(
        "host",
        "keeps for each block: first timestamp, actual and expected increment",
        Source::Observed,
    ),
    step("host", "stops the programs and restores the registers", Source::Observed),
];
