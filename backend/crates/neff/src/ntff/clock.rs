//! From the times of records to picoseconds that can be compared with each other.
//! Spec: docs/format/ntff.md "Clocks" [observed; which clock times notify, DMA and throttle
//! records is inferred].

use records::Engine;
use records::ntff::{QueueSource, QueueType};
use records::trace_record::RawTraceRecord;

/// One clock: where it started and how fast it counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Clock {
    /// Count at the common start.
    pub initial: i64,
    /// What it adds for one step.
    pub actual: u64,
    /// What it should have added, in picoseconds.
    pub expected: u64,
}

impl Clock {
    /// A time of this clock in picoseconds since the common start, rounded down. `None` for a
    /// clock that does not count, or beyond 128 bits.
    pub fn align(&self, time: u64) -> Option<i128> {
        let (product, actual) = self.scaled(time)?;
        Some(product.div_euclid(actual))
    }

    /// The same, rounded toward zero.
    pub fn align_toward_zero(&self, time: u64) -> Option<i128> {
        let (product, actual) = self.scaled(time)?;
        Some(product / actual)
    }

    /// What is divided by what.
    fn scaled(&self, time: u64) -> Option<(i128, i128)> {
        if self.actual == 0 {
            return None;
        }
        let since = i128::from(time) - i128::from(self.initial);
        Some((since.checked_mul(i128::from(self.expected))?, i128::from(self.actual)))
    }

    /// Whether times of this clock are picoseconds already.
    pub fn is_identity(&self) -> bool {
        self.initial == 0 && self.actual == self.expected
    }
}

/// The clocks of one core. Absent ones were not in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Clocks {
    /// Of the engines, by engine code.
    pub engines: [Option<Clock>; 5],
    /// Of events and semaphores.
    pub events: Option<Clock>,
    /// Of throttling and errors.
    pub throttle: Option<Clock>,
    /// Of the DMA engines, by their number on the core.
    pub dma: Vec<Clock>,
    /// Of the collectives processors.
    pub top_sp: Vec<Clock>,
}

impl Clocks {
    /// Every clock that is there, with its name.
    pub fn named(&self) -> impl Iterator<Item = (String, Clock)> + '_ {
        let engines = Engine::ALL.into_iter().zip(self.engines);
        let engines = engines.map(|(engine, clock)| (engine.name().to_owned(), clock));
        let others = [("events", self.events), ("throttle", self.throttle)];
        let others = others.into_iter().map(|(name, clock)| (name.to_owned(), clock));
        let listed = |name: &'static str, list: &[Clock]| {
            let list = list.to_vec();
            list.into_iter().enumerate().map(move |(i, clock)| (format!("{name}{i}"), Some(clock)))
        };
        let all = engines.chain(others);
        let all = all.chain(listed("dma", &self.dma)).chain(listed("top_sp", &self.top_sp));
        all.filter_map(|(name, clock)| Some((name, clock?)))
    }

    /// The clock of a record in a queue; `None` if the file does not have it or the record's type
    /// does not belong there.
    pub fn of_record(
        &self,
        queue: QueueType,
        source: QueueSource,
        record: &RawTraceRecord,
    ) -> Option<Clock> {
        if source == QueueSource::TOP_SP {
            return self.top_sp.first().copied();
        }
        match queue {
            QueueType::TRACE => self.engines.get(record.engine()?.index()).copied().flatten(),
            QueueType::NOTIFY => self.events,
            QueueType::DMA_TRACE => self.dma.get(usize::from(record.record_type() % 16)).copied(),
            QueueType::THROTTLE | QueueType::ERROR => self.throttle,
            _ => None,
        }
    }
}

/// How the times of one core's records become picoseconds.
#[derive(Clone, Copy, Debug)]
pub enum TimeBase<'a> {
    /// One clock of 1 ps for all: version 5.
    Common,
    /// A clock for each block: version 4.
    Each(&'a Clocks),
}

impl<'a> TimeBase<'a> {
    /// The time base of a version; versions above 5 are taken for 5.
    pub const fn of(version: u8, clocks: &'a Clocks) -> Self {
        if version >= 5 { Self::Common } else { Self::Each(clocks) }
    }

    /// Time of a record in picoseconds; `None` where no usable clock is known.
    pub fn ps(
        &self,
        queue: QueueType,
        source: QueueSource,
        record: &RawTraceRecord,
    ) -> Option<i128> {
        match self {
            Self::Common => Some(i128::from(record.time.get())),
            Self::Each(clocks) => clocks.of_record(queue, source, record)?.align(record.time.get()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Increments of real captures; the results were worked out by hand.
    #[test]
    fn known_clocks() {
        let dve = Clock { initial: 1000, actual: 914_286, expected: 914_260 };
        assert_eq!(dve.align(1000), Some(0));
        assert_eq!(dve.align(1000 + 914_286), Some(914_260));
        // 892 x 914260 / 914286 = 891.97
        assert_eq!(dve.align(1892), Some(891));
        let dma = Clock { initial: 0, actual: 1024, expected: 1_204_672 };
        assert_eq!(dma.align(1), Some(1176));
        assert_eq!(dma.align(1024), Some(1_204_672));
    }

    #[test]
    fn times_before_the_start_are_negative_and_rounded_down() {
        let clock = Clock { initial: 10, actual: 4, expected: 2 };
        assert_eq!(clock.align(9), Some(-1));
        assert_eq!(clock.align(8), Some(-1));
        assert_eq!(clock.align(0), Some(-5));
        assert_eq!(clock.align_toward_zero(9), Some(0));
        assert_eq!(clock.align_toward_zero(7), Some(-1));
        let clock = Clock { initial: -10, actual: 1, expected: 3 };
        assert_eq!(clock.align(0), Some(30));
    }

    #[test]
    fn what_cannot_be_computed_is_none() {
        assert_eq!(Clock::default().align(7), None);
        let clock = Clock { initial: i64::MIN, actual: 1, expected: u64::MAX };
        assert_eq!(clock.align(u64::MAX), None);
        let clock = Clock { initial: 0, actual: 1, expected: u64::MAX };
        assert_eq!(clock.align(1 << 62), Some((1 << 62) * i128::from(u64::MAX)));
    }

    #[test]
    fn every_record_has_its_own_clock() {
        let clock = |initial| Clock { initial, actual: 1, expected: 1 };
        let clocks = Clocks {
            engines: std::array::from_fn(|code| Some(clock(code as i64))),
            events: Some(clock(10)),
            throttle: Some(clock(11)),
            dma: (100..116).map(clock).collect(),
            top_sp: vec![clock(12)],
        };
        let (core, top_sp) = (QueueSource::CORE, QueueSource::TOP_SP);
        let of = |queue, source, head| {
            let mut bytes = [0; 16];
            bytes[3] = head;
            let (records, _) = RawTraceRecord::slice_of(&bytes);
            clocks.of_record(queue, source, &records[0]).map(|clock| clock.initial)
        };
        // Types 4 and 5 + 4 x code; DVE is code 3, POOL 2.
        assert_eq!(of(QueueType::TRACE, core, 0x84), Some(0));
        assert_eq!(of(QueueType::TRACE, core, 0x8D), Some(2));
        assert_eq!(of(QueueType::TRACE, core, 0x90), Some(3));
        assert_eq!(of(QueueType::TRACE, core, 0x9E), None);
        assert_eq!(of(QueueType::NOTIFY, core, 0x9B), Some(10));
        assert_eq!(of(QueueType::DMA_TRACE, QueueSource::DMA, 0x9F), Some(115));
        assert_eq!(of(QueueType::DMA_TRACE, QueueSource::DMA, 0x82), Some(102));
        assert_eq!(of(QueueType::THROTTLE, core, 0x9E), Some(11));
        assert_eq!(of(QueueType::TRACE, top_sp, 0x84), Some(12));
        assert_eq!(of(QueueType(3), core, 0x84), None);
    }
}
