//! The 16-byte record of a capture's tail: an event of an engine, a semaphore, a DMA ring.
//!
//! The same sixteen bytes mean different things by the type in their head; the accessors name
//! what they read, and [`RawTraceRecord::event`] chooses by type and queue.

use std::mem::offset_of;

use zerocopy::byteorder::little_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::engine::Engine;
use crate::ntff::QueueType;

/// Size of one record, in bytes.
/// Spec: docs/format/ntff.md "Record" [observed].
pub const TRACE_RECORD_BYTES: usize = 16;

/// Bits of a device PC that a trace record keeps: (address / 64) mod 2^20.
/// Spec: docs/format/ntff.md "Trace" [observed].
pub const TRACE_PC_MASK: u32 = 0xF_FFFF;

/// Bits of `head` that are the record's type.
const TYPE_MASK: u8 = 0x1F;
/// Bit of `head`: the reader's software lost records.
const SOFTWARE_OVERFLOW: u8 = 0x20;
/// Bit of `head`: the hardware lost records.
const HARDWARE_OVERFLOW: u8 = 0x40;
/// Bit of `head`: phase of the ring buffer.
const PHASE: u8 = 0x80;
/// Type of the throttle record.
const THROTTLE_TYPE: u8 = 0x1E;
/// Type of a notify record of DMA or the host.
const NOTIFY_OTHER_TYPE: u8 = 0x1B;

/// One record as stored, little-endian. Any sixteen bytes are a record.
/// Spec: docs/format/ntff.md "Record" [observed].
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct RawTraceRecord {
    /// First payload.
    pub m0: U16,
    /// Second payload.
    pub m1: u8,
    /// Type, overflow flags, phase.
    pub head: u8,
    /// Third payload.
    pub m2: U32,
    /// Time in the units of the record's clock.
    pub time: U64,
}

const _: () = {
    assert!(size_of::<RawTraceRecord>() == TRACE_RECORD_BYTES);
    assert!(offset_of!(RawTraceRecord, m0) == 0x0);
    assert!(offset_of!(RawTraceRecord, m1) == 0x2);
    assert!(offset_of!(RawTraceRecord, head) == 0x3);
    assert!(offset_of!(RawTraceRecord, m2) == 0x4);
    assert!(offset_of!(RawTraceRecord, time) == 0x8);
};

/// Which block changed a semaphore or event.
/// Spec: docs/format/ntff.md "Notify" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum NotifySource {
    /// An engine's sequencer.
    Engine(Engine),
    /// A DMA engine or the host.
    DmaOrHost,
}

/// What happened to a semaphore or event. Values without a name are kept.
/// Spec: docs/format/ntff.md "Notify" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NotifyChange(pub u8);

impl NotifyChange {
    /// A semaphore was incremented.
    pub const INCREMENT: Self = Self(0xF3);
    /// A semaphore was decremented.
    pub const DECREMENT: Self = Self(0xF4);
    /// A semaphore was written.
    pub const WRITE: Self = Self(0xF9);
    /// An event was set.
    pub const EVENT_SET: Self = Self(0xF1);
    /// An event was waited for and cleared.
    pub const EVENT_CLEAR: Self = Self(0x07);

    /// `increment decrement write event_set event_clear`; `None` for any other value.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::INCREMENT => Some("increment"),
            Self::DECREMENT => Some("decrement"),
            Self::WRITE => Some("write"),
            Self::EVENT_SET => Some("event_set"),
            Self::EVENT_CLEAR => Some("event_clear"),
            _ => None,
        }
    }
}

/// How far a transfer is. Values without a name are kept.
/// Spec: docs/format/ntff.md "DMA" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DmaStep(pub u8);

impl DmaStep {
    /// A read starts.
    pub const READ_START: Self = Self(1);
    /// A write ends.
    pub const WRITE_END: Self = Self(5);
    /// A write is done.
    pub const WRITE_DONE: Self = Self(6);

    /// `read_start write_end write_done`; `None` for any other value.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::READ_START => Some("read_start"),
            Self::WRITE_END => Some("write_end"),
            Self::WRITE_DONE => Some("write_done"),
            _ => None,
        }
    }
}

/// What a record says, read by its queue and its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceEvent {
    /// An instruction starts.
    Start {
        /// Engine.
        engine: Engine,
        /// (device address / 64) mod 2^20.
        pc: u32,
        /// Low half of byte 3 of the slot.
        flags: u8,
        /// Cycles spent in the header's wait, mod 65536; 1 is no wait.
        wait_cycles: u16,
    },
    /// An instruction ends.
    End {
        /// Engine.
        engine: Engine,
        /// (device address / 64) mod 2^20.
        pc: u32,
        /// Check sums of input and output; all ones for the sequencer's slots.
        crc: u32,
    },
    /// A semaphore or event changes.
    Notify {
        /// Who changed it.
        source: NotifySource,
        /// Whether it is a semaphore; else it is an event.
        is_semaphore: bool,
        /// Its number.
        id: u8,
        /// What happened.
        change: NotifyChange,
        /// Value after the change.
        value: u32,
    },
    /// A transfer goes on.
    Dma {
        /// DMA engine mod 32.
        engine: u8,
        /// Queue.
        queue: u8,
        /// How far it is.
        step: DmaStep,
        /// Bytes that a write end moved.
        bytes: u32,
        /// Check sum where a write ends.
        crc: u16,
    },
    /// Throttling; what it says is unknown.
    Throttle,
    /// The type does not belong into the queue.
    Unknown,
}

impl RawTraceRecord {
    /// Views bytes as whole records without copying, and returns the `bytes.len() % 16` bytes
    /// left.
    pub fn slice_of(bytes: &[u8]) -> (&[RawTraceRecord], &[u8]) {
        let whole = bytes.len() - bytes.len() % TRACE_RECORD_BYTES;
        let (head, tail) = bytes.split_at(whole);
        // Alignment 1 and a whole number of records: the cast always holds.
        (<[RawTraceRecord]>::ref_from_bytes(head).unwrap_or(&[]), tail)
    }

    /// The 16 stored bytes.
    pub fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }

    /// The type, 0 to 31.
    pub const fn record_type(&self) -> u8 {
        self.head & TYPE_MASK
    }

    /// Whether the reader's software lost records before this one.
    pub const fn software_overflow(&self) -> bool {
        self.head & SOFTWARE_OVERFLOW != 0
    }

    /// Whether the hardware lost records before this one.
    pub const fn hardware_overflow(&self) -> bool {
        self.head & HARDWARE_OVERFLOW != 0
    }

    /// Phase of the ring buffer; set in every known record.
    pub const fn phase(&self) -> bool {
        self.head & PHASE != 0
    }

    /// m0 and m1 as one number of 24 bits.
    pub fn low(&self) -> u32 {
        u32::from(self.m0.get()) | u32::from(self.m1) << 16
    }

    /// The engine of a trace or notify type: (type / 4) - 1 for the engine codes 0 to 4.
    pub const fn engine(&self) -> Option<Engine> {
        match (self.record_type() / 4).checked_sub(1) {
            Some(code) => Engine::from_code(code),
            None => None,
        }
    }

    /// PC of a trace record: (device address / 64) mod 2^20.
    pub fn pc(&self) -> u32 {
        self.low() & TRACE_PC_MASK
    }

    /// Bits 16 to 31 of m2: the wait cycles of a start, the check sum of a write end.
    pub fn m2_high(&self) -> u16 {
        (self.m2.get() >> 16) as u16
    }

    /// What the record says in a queue. A type that does not belong there is
    /// [`TraceEvent::Unknown`].
    /// Spec: docs/format/ntff.md "Record", "Trace", "Notify", "DMA" and "Throttle" [observed].
    pub fn event(&self, queue: QueueType) -> TraceEvent {
        match queue {
            QueueType::TRACE => self.trace(),
            QueueType::NOTIFY => self.notify(),
            QueueType::DMA_TRACE => TraceEvent::Dma {
                engine: self.record_type(),
                queue: (self.m2.get() >> 4 & 0xF) as u8,
                step: DmaStep((self.m2.get() & 0xF) as u8),
                bytes: self.low(),
                crc: self.m2_high(),
            },
            QueueType::THROTTLE if self.record_type() == THROTTLE_TYPE => TraceEvent::Throttle,
            _ => TraceEvent::Unknown,
        }
    }

    fn trace(&self) -> TraceEvent {
        let pc = self.pc();
        match (self.engine(), self.record_type() % 4) {
            (Some(engine), 0) => {
                TraceEvent::Start { engine, pc, flags: self.m1 >> 4, wait_cycles: self.m2_high() }
            }
            (Some(engine), 1) => TraceEvent::End { engine, pc, crc: self.m2.get() },
            _ => TraceEvent::Unknown,
        }
    }

    fn notify(&self) -> TraceEvent {
        let source = match (self.record_type(), self.engine()) {
            (NOTIFY_OTHER_TYPE, _) => NotifySource::DmaOrHost,
            (kind, Some(engine)) if kind % 4 == 3 => NotifySource::Engine(engine),
            _ => return TraceEvent::Unknown,
        };
        TraceEvent::Notify {
            source,
            is_semaphore: self.m0.get() & 0x100 != 0,
            id: (self.m0.get() & 0xFF) as u8,
            change: NotifyChange(self.m1),
            value: self.m2.get(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn record(m0: u16, m1: u8, head: u8, m2: u32, time: u64) -> RawTraceRecord {
        RawTraceRecord { m0: U16::new(m0), m1, head, m2: U32::new(m2), time: U64::new(time) }
    }

    /// Bytes worked out by hand from the layout, their values, and what they say in a queue.
    #[test]
    fn one_table_of_values_and_bytes_both_ways() {
        let table = [
            (
                // DVE starts at PC 0x80E40 with byte 3 of the slot ending in 2; no wait.
                record(0x0E40, 0x28, 0x90, 0x0001_0000, 0x0102_0304_0506_0708),
                "40 0e 28 90 00 00 01 00 08 07 06 05 04 03 02 01",
                QueueType::TRACE,
                TraceEvent::Start { engine: Engine::Dve, pc: 0x80E40, flags: 2, wait_cycles: 1 },
            ),
            (
                record(1, 0, 0x85, 0xFFFF_FFFF, 9),
                "01 00 00 85 ff ff ff ff 09 00 00 00 00 00 00 00",
                QueueType::TRACE,
                TraceEvent::End { engine: Engine::Pe, pc: 1, crc: 0xFFFF_FFFF },
            ),
            (
                // SP raises semaphore 0x19 to 16; the hardware lost records.
                record(0x0119, 0xF3, 0xD7, 16, 0),
                "19 01 f3 d7 10 00 00 00 00 00 00 00 00 00 00 00",
                QueueType::NOTIFY,
                TraceEvent::Notify {
                    source: NotifySource::Engine(Engine::Sp),
                    is_semaphore: true,
                    id: 0x19,
                    change: NotifyChange::INCREMENT,
                    value: 16,
                },
            ),
            (
                record(4, 0xF1, 0x9B, 1, 0),
                "04 00 f1 9b 01 00 00 00 00 00 00 00 00 00 00 00",
                QueueType::NOTIFY,
                TraceEvent::Notify {
                    source: NotifySource::DmaOrHost,
                    is_semaphore: false,
                    id: 4,
                    change: NotifyChange::EVENT_SET,
                    value: 1,
                },
            ),
            (
                // Engine 79 is 15 mod 32; queue 3, a write of 70,000 bytes ends.
                record(0x1170, 1, 0x8F, 0xABCD_0035, 0),
                "70 11 01 8f 35 00 cd ab 00 00 00 00 00 00 00 00",
                QueueType::DMA_TRACE,
                TraceEvent::Dma {
                    engine: 15,
                    queue: 3,
                    step: DmaStep::WRITE_END,
                    bytes: 70_000,
                    crc: 0xABCD,
                },
            ),
            (
                record(7, 7, 0x9E, 7, 7),
                "07 00 07 9e 07 00 00 00 07 00 00 00 00 00 00 00",
                QueueType::THROTTLE,
                TraceEvent::Throttle,
            ),
        ];
        for (value, hex, queue, event) in table {
            let bytes: Vec<u8> =
                hex.split(' ').map(|digits| u8::from_str_radix(digits, 16).unwrap()).collect();
            assert_eq!(value.bytes(), bytes);
            let (read, rest) = RawTraceRecord::slice_of(&bytes);
            assert_eq!((read, rest.len()), (&[value][..], 0));
            assert_eq!(read[0].event(queue), event, "{hex}");
        }
    }

    #[test]
    fn flags_of_the_head() {
        let flags = |head| {
            let record = record(0, 0, head, 0, 0);
            let flags = (record.software_overflow(), record.hardware_overflow(), record.phase());
            (record.record_type(), flags)
        };
        assert_eq!(flags(0x84), (4, (false, false, true)));
        assert_eq!(flags(0x3F), (31, (true, false, false)));
        assert_eq!(flags(0x5B), (27, (false, true, false)));
    }

    /// The types of trace and notify records are 4, 5 and 7 plus four times the engine code.
    #[test]
    fn types_fit_their_queue_only() {
        for kind in 0..32 {
            let record = record(0, 0, kind, 0, 0);
            let expected = |offset: u8| (0..5).any(|code| kind == offset + 4 * code);
            let is_trace = record.event(QueueType::TRACE) != TraceEvent::Unknown;
            assert_eq!(is_trace, expected(4) || expected(5), "{kind}");
            let is_notify = record.event(QueueType::NOTIFY) != TraceEvent::Unknown;
            assert_eq!(is_notify, expected(7) || kind == 0x1B, "{kind}");
            let is_throttle = record.event(QueueType::THROTTLE) != TraceEvent::Unknown;
            assert_eq!(is_throttle, kind == 0x1E, "{kind}");
            assert_eq!(record.event(QueueType::ERROR), TraceEvent::Unknown);
            assert_eq!(record.event(QueueType(3)), TraceEvent::Unknown);
        }
    }

    #[test]
    fn names() {
        assert_eq!(NotifyChange(0).name(), None);
        assert_eq!(NotifyChange::EVENT_CLEAR.name(), Some("event_clear"));
        assert_eq!(DmaStep(2).name(), None);
        assert_eq!(DmaStep::READ_START.name(), Some("read_start"));
    }

    #[test]
    fn slices_keep_the_tail() {
        let (records, rest) = RawTraceRecord::slice_of(&[0; 41]);
        assert_eq!((records.len(), rest.len()), (2, 9));
    }

    proptest! {
        #[test]
        fn decode_then_encode_is_the_identity(bytes in proptest::collection::vec(any::<u8>(), 0..64)) {
            let (records, rest) = RawTraceRecord::slice_of(&bytes);
            let mut back: Vec<u8> =
                records.iter().flat_map(|record| record.bytes().to_vec()).collect();
            back.extend_from_slice(rest);
            prop_assert_eq!(back, bytes);
        }
    }
}
