//! Events and semaphores that the runtime keeps for itself: their ids, the records that wait for
//! them and set them, and the addresses at which they are reached.
//! Spec: docs/format/memory.md "Events" [observed].

use crate::address_map::bases::{self, accelerator};
use crate::program::Generation;
use records::assembly::configuration::{NO_EVENT, ReservedEvents};
use records::build;
use records::sync_mode::UpdateKind;
use records::{Provenance, Slot};

/// Ids of the reserved events, the same on all generations.
/// Spec: docs/format/memory.md "Events" [observed].
pub const TABLE: [u8; 20] = [
    0x00, 0x01, 0x02, 0x03, 0x23, 0x03, 0x00, 0x03, 0x04, 0x05, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A,
    0x0D, 0x0E, 0x12, 0x03,
];

/// Events of a core, and semaphores of a core.
/// Spec: docs/format/memory.md "Events" [observed].
pub const IDS: u16 = 256;

macro_rules! events {
    ($($index:literal $name:ident $text:literal;)*) => {
        /// A reserved event: an index into [`TABLE`].
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum SyncEvent {
            $(#[doc = $text] $name = $index,)*
        }

        impl SyncEvent {
            /// All of them, in the order of the table.
            pub const ALL: [Self; 20] = [$(Self::$name,)*];

            /// The runtime's name.
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)*
                }
            }
        }
    };
}

events! {
    0 InferenceStart "INFERENCE_START";
    1 CoreBarrier "CORE_BARRIER";
    2 SyncBarrier "SYNC_BARRIER";
    3 PinnedQueuesStart "PREAMBLE_PINNED_QUEUES_START";
    4 PinnedQueuesLast "PREAMBLE_PINNED_QUEUES_LAST";
    5 TopSpStop "TOPSP_STOP_SIGNAL";
    6 InitStart "INF_INIT_START";
    7 InitLast "INF_INIT_LAST";
    8 IoQueueSwitch "IOQ_CODE_SWITCH";
    9 RangeCheckStart "RANGE_CHECK_START";
    10 RangeCheckLast "RANGE_CHECK_LAST";
    11 ActTables "ACT_TABLES_LOAD";
    12 DveTables "DVE_TABLES_LOAD";
    13 RequestLoad "HW_EXEC_QUEUE_REQUEST_LOAD";
    14 CollectivesContext "COLLECTIVES_CTX_LOAD";
    15 AckFirst "COLLECTIVE_TOPSP_ACK_FIRST";
    16 AckLast "COLLECTIVE_TOPSP_ACK_LAST";
    17 DebugStart "DEBUG_TENSOR_READ_EVENT_SYNC_START";
    18 DebugLast "DEBUG_TENSOR_READ_EVENT_SYNC_LAST";
    19 ReservedSemaphores "NUM_RESERVED_SEMAPHORES";
}

/// Id of a reserved event in a table. `None` for 0xFF, unsupported: the runtime ends there.
/// Spec: docs/format/memory.md "Events" [observed].
pub fn id(table: &[u8; 20], event: SyncEvent) -> Option<u8> {
    table.get(event as usize).copied().filter(|id| *id != NO_EVENT)
}

/// The table as the record that the runtime keeps.
pub fn reserved_events() -> ReservedEvents {
    ReservedEvents::of(&TABLE).copied().unwrap_or_else(|_| ReservedEvents::unknown())
}

/// A row of [`RESERVED`]: whether it is an event, its first and last id, its name.
type Reserved = (bool, SyncEvent, SyncEvent, &'static str);

/// What the runtime keeps ids for, the narrower meaning first. Which of the two spaces an id
/// belongs to is concluded from its use.
/// Spec: docs/format/memory.md "Names of ids" [inferred].
const RESERVED: [Reserved; 13] = [
    (false, SyncEvent::InferenceStart, SyncEvent::InferenceStart, "INFERENCE_START"),
    (false, SyncEvent::CoreBarrier, SyncEvent::CoreBarrier, "CORE_BARRIER"),
    (false, SyncEvent::SyncBarrier, SyncEvent::SyncBarrier, "SYNC_BARRIER"),
    (true, SyncEvent::IoQueueSwitch, SyncEvent::IoQueueSwitch, "IOQ_CODE_SWITCH"),
    (true, SyncEvent::RangeCheckStart, SyncEvent::RangeCheckLast, "RANGE_CHECK"),
    (true, SyncEvent::ActTables, SyncEvent::ActTables, "ACT_TABLES_LOAD"),
    (true, SyncEvent::DveTables, SyncEvent::DveTables, "DVE_TABLES_LOAD"),
    (true, SyncEvent::RequestLoad, SyncEvent::RequestLoad, "HW_EXEC_QUEUE_REQUEST_LOAD"),
    (true, SyncEvent::CollectivesContext, SyncEvent::CollectivesContext, "COLLECTIVES_CTX_LOAD"),
    (true, SyncEvent::AckFirst, SyncEvent::AckLast, "COLLECTIVE_TOPSP_ACK"),
    (true, SyncEvent::DebugStart, SyncEvent::DebugLast, "DEBUG_TENSOR_READ_EVENT_SYNC"),
    (true, SyncEvent::InitStart, SyncEvent::InitLast, "INF_INIT"),
    (true, SyncEvent::PinnedQueuesStart, SyncEvent::PinnedQueuesLast, "PREAMBLE_PINNED_QUEUES"),
];

/// The runtime's name of an event or semaphore id, with its place in a range of several: `None`
/// for ids that the runtime does not keep.
/// Spec: docs/format/memory.md "Names of ids" [inferred].
pub fn reserved_name(event: bool, wanted: u8) -> Option<String> {
    RESERVED.iter().find_map(|(of_event, first, last, name)| {
        let (first, last) = (id(&TABLE, *first)?, id(&TABLE, *last)?);
        if *of_event != event || !(first..=last).contains(&wanted) {
            return None;
        }
        Some(match first == last {
            true => (*name).to_owned(),
            false => format!("{name} {} of {}", wanted - first + 1, last - first + 1),
        })
    })
}

/// What a record does with one event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventRecord {
    /// Waits until it is set, then clears it: bytes 4 and 5.
    Wait(u8),
    /// Sets it: bytes 6 and 7.
    Set(u8),
    /// Clears it: bytes 6 and 7.
    Clear(u8),
}

impl EventRecord {
    /// The 64 bytes.
    /// Spec: docs/format/memory.md "Event records" [observed].
    pub fn slot(self) -> Slot {
        match self {
            Self::Wait(id) => build::event_wait(id),
            Self::Set(id) => build::event_set(id),
            Self::Clear(id) => build::event_clear(id),
        }
    }

    /// What a record is, if it is exactly one of these.
    pub fn of(slot: &Slot) -> Option<Self> {
        let read = match [slot.u8_at(4), slot.u8_at(6)] {
            [0x07, 0] => Self::Wait(slot.u8_at(5)),
            [0, 0x11] => Self::Set(slot.u8_at(7)),
            [0, 0x12] => Self::Clear(slot.u8_at(7)),
            _ => return None,
        };
        (read.slot() == *slot).then_some(read)
    }
}

/// A window of the event block: what reading or writing there does.
/// Spec: docs/format/memory.md "Event addresses" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// Bit 0 is the event.
    Event,
    /// Reads a semaphore.
    Read,
    /// Writes a semaphore.
    Set,
    /// Adds to a semaphore.
    Increment,
    /// Subtracts from a semaphore.
    Decrement,
}

impl Window {
    /// What happens there, in a word.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Event => "event",
            Self::Read => "read",
            Self::Set => "set",
            Self::Increment => "increment",
            Self::Decrement => "decrement",
        }
    }

    /// The window that an offset in the event block lies in.
    pub const fn of(offset: u64) -> Option<Self> {
        Some(match offset / 0x400 {
            0 => Self::Event,
            4 => Self::Read,
            5 => Self::Set,
            6 => Self::Increment,
            7 => Self::Decrement,
            _ => return None,
        })
    }

    /// Offset in the event block.
    pub const fn offset(self) -> u64 {
        match self {
            Self::Event => 0,
            Self::Read => 0x1000,
            Self::Set => 0x1400,
            Self::Increment => 0x1800,
            Self::Decrement => 0x1C00,
        }
    }
}

/// Offset of the event block in a core's window.
/// Spec: docs/format/memory.md "Event addresses" [observed].
pub const fn block_offset(generation: Generation) -> u64 {
    match generation {
        Generation::Sunda => 0x270_0000,
        Generation::Cayman | Generation::Mariana => 4 * 0x2_009C_0000,
    }
}

/// Device address of an event or semaphore of a core. `None` for a core that is not there, and for
/// ids from 256 on. The driver lets event 256 through, where no event is; we do not.
/// Spec: docs/format/memory.md "Event addresses" [observed].
pub fn address(generation: Generation, core: u32, window: Window, id: u16) -> Option<u64> {
    if id >= IDS {
        return None;
    }
    let base = bases::core_base(generation, core)?;
    Some(base + block_offset(generation) + window.offset() + 4 * u64::from(id))
}

/// The cell that a ring copies to do the same as an update of a record, and how sure that is: to set
/// or clear an event, or to add 1 to a semaphore. `None` for what no such copy does.
/// Spec: docs/format/memory.md "Event transfers" [observed; semaphores inferred].
pub const fn cell_of(generation: Generation, update: UpdateKind) -> Option<(u64, Provenance)> {
    match update {
        UpdateKind::EventSet => Some((accelerator(generation, true), Provenance::Observed)),
        UpdateKind::EventClear => Some((accelerator(generation, false), Provenance::Observed)),
        UpdateKind::Increment => Some((accelerator(generation, true), Provenance::Inferred)),
        _ => None,
    }
}

/// A copy of 4 bytes with which a ring changes an event or a semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventCopy {
    /// Cell that is read.
    pub from: u64,
    /// Register that is written.
    pub to: u64,
}

impl EventCopy {
    /// Sets or clears an event.
    /// Spec: docs/format/memory.md "Event transfers" [observed].
    pub fn event(generation: Generation, core: u32, id: u16, set: bool) -> Option<Self> {
        let to = address(generation, core, Window::Event, id)?;
        Some(Self { from: accelerator(generation, set), to })
    }

    /// Adds 1 to a semaphore. That the cell which sets events is read is inferred.
    /// Spec: docs/format/memory.md "Event transfers" [inferred].
    pub fn increment(generation: Generation, core: u32, id: u16) -> Option<Self> {
        let to = address(generation, core, Window::Increment, id)?;
        Some(Self { from: accelerator(generation, true), to })
    }

    /// Adds what a partition of the state buffer holds in the event carve-out; CAYMAN only.
    /// Spec: docs/format/memory.md "Event transfers" [observed].
    pub fn increment_from_state_buffer(core: u32, partition: u8, id: u16) -> Option<Self> {
        let generation = Generation::Cayman;
        let to = address(generation, core, Window::Increment, id)?;
        let base = bases::core_base(generation, core)?;
        if partition >= 128 {
            return None;
        }
        Some(Self { from: base + (u64::from(partition) << 18) + 0x3_7FFC, to })
    }

    /// The descriptors of one packet, read side and write side, on a ring with an id below 4.
    /// Spec: docs/format/memory.md "Event transfers" [observed].
    pub fn descriptors(&self, ring_id: u8) -> ([u8; 16], [u8; 16]) {
        let ring = u32::from(ring_id & 3) << 24;
        let control = |flags: u32| (4 | ring | flags).to_le_bytes();
        // First and last of its packet; source data is copied.
        let read = join(control(0x0C00_0000), 0x0108_0003_u32.to_le_bytes(), self.from);
        (read, join(control(0), [0; 4], self.to))
    }
}

fn join(first: [u8; 4], second: [u8; 4], address: u64) -> [u8; 16] {
    let [a, b, c, d] = first;
    let [e, f, g, h] = second;
    let [i, j, k, l, m, n, o, p] = address.to_le_bytes();
    [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p]
}

#[cfg(test)]
mod tests {
    use super::*;
    use Generation::{Cayman, Mariana, Sunda};

    #[test]
    fn reserved_ids() {
        let of = |event| id(&TABLE, event);
        assert_eq!(of(SyncEvent::InferenceStart), Some(0));
        assert_eq!(of(SyncEvent::PinnedQueuesLast), Some(35));
        assert_eq!(of(SyncEvent::RequestLoad), Some(8));
        assert_eq!((of(SyncEvent::AckFirst), of(SyncEvent::AckLast)), (Some(10), Some(13)));
        assert_eq!(of(SyncEvent::DebugLast), Some(18));
        assert_eq!(of(SyncEvent::ReservedSemaphores), Some(3));
        assert_eq!(id(&[NO_EVENT; 20], SyncEvent::CoreBarrier), None);
        assert_eq!(reserved_events().exec_request, 8);
        for (index, event) in SyncEvent::ALL.into_iter().enumerate() {
            assert_eq!(event as usize, index);
        }
    }

    #[test]
    fn ids_have_the_runtimes_names() {
        let name = |event, id| reserved_name(event, id).unwrap_or_default();
        assert_eq!(name(false, 0), "INFERENCE_START");
        assert_eq!(name(false, 3), "", "the program's own");
        assert_eq!(name(true, 8), "HW_EXEC_QUEUE_REQUEST_LOAD");
        assert_eq!(name(true, 5), "RANGE_CHECK");
        assert_eq!(name(true, 12), "COLLECTIVE_TOPSP_ACK 3 of 4");
        assert_eq!(name(true, 0), "INF_INIT 1 of 4");
        assert_eq!(name(true, 35), "PREAMBLE_PINNED_QUEUES 33 of 33");
        assert_eq!(name(true, 36), "");
    }

    /// Bytes at offsets; the rest of the 64 is zero.
    fn record(pieces: &[(usize, &[u8])]) -> Slot {
        let mut bytes = [0; 64];
        for (at, piece) in pieces {
            bytes[*at..*at + piece.len()].copy_from_slice(piece);
        }
        Slot(bytes)
    }

    #[test]
    fn event_records_do_not_share_their_bytes() {
        let head: (usize, &[u8]) = (0, &[0xA4, 0x10]);
        let one: (usize, &[u8]) = (12, &[1]);
        let table = [
            ("EV-1", EventRecord::Wait(8), record(&[head, (4, &[7, 8]), one])),
            ("EV-2", EventRecord::Set(8), record(&[head, (6, &[0x11, 8]), one])),
            ("EV-3", EventRecord::Clear(8), record(&[head, (6, &[0x12, 8]), one])),
        ];
        for (name, event, slot) in table {
            assert_eq!(event.slot(), slot, "{name}");
            assert_eq!(EventRecord::of(&slot), Some(event), "{name}");
        }
        assert_eq!(EventRecord::of(&record(&[head, (4, &[7, 8, 0x11, 8]), one])), None);
        assert_eq!(EventRecord::of(&build::nop()), None);
    }

    #[test]
    fn semaphore_records_have_their_own_lane() {
        let head: (usize, &[u8]) = (0, &[0xA0, 0x10]);
        let ev4 = record(&[head, (0x20, &[5, 0x14, 0x14, 0x14, 3, 0, 0, 0, 1])]);
        let made = build::semaphore_wait_then(20, build::Wait::Ge, 3, 0x14, 1);
        assert_eq!(made, ev4, "EV-4");
        let ev5 = record(&[head, (0x20, &[1, 1, 0x13, 1, 0, 0, 0, 0, 1])]);
        let made = build::semaphore_wait_then(1, build::Wait::Eq, 0, 0x13, 1);
        assert_eq!(made, ev5, "EV-5");
    }

    #[test]
    fn worked_addresses() {
        let table = [
            ("EV-6", Sunda, 0, 0, 0xFFF_C270_0000, 0xFFF_C270_1800),
            ("EV-7", Sunda, 0, 8, 0xFFF_C270_0020, 0xFFF_C270_1820),
            ("EV-8", Sunda, 1, 255, 0xFFF_C670_03FC, 0xFFF_C670_1BFC),
            ("EV-9", Cayman, 0, 0, 0x28_0270_0000, 0x28_0270_1800),
            ("EV-10", Cayman, 0, 8, 0x28_0270_0020, 0x28_0270_1820),
            ("EV-11", Cayman, 1, 8, 0x38_0270_0020, 0x38_0270_1820),
            ("EV-12", Cayman, 2, 0, 0x68_0270_0000, 0x68_0270_1800),
            ("EV-13", Cayman, 3, 255, 0x78_0270_03FC, 0x78_0270_1BFC),
            ("EV-14", Cayman, 4, 0, 0x8028_0270_0000, 0x8028_0270_1800),
            ("EV-15", Cayman, 5, 8, 0x8038_0270_0020, 0x8038_0270_1820),
            ("EV-16", Mariana, 6, 8, 0x8068_0270_0020, 0x8068_0270_1820),
            ("EV-17", Mariana, 7, 255, 0x8078_0270_03FC, 0x8078_0270_1BFC),
        ];
        for (name, generation, core, id, event, increment) in table {
            assert_eq!(address(generation, core, Window::Event, id), Some(event), "{name}");
            assert_eq!(address(generation, core, Window::Increment, id), Some(increment), "{name}");
            let read = increment - 0x800;
            assert_eq!(address(generation, core, Window::Read, id), Some(read), "{name}");
        }
        for window in
            [Window::Event, Window::Read, Window::Set, Window::Increment, Window::Decrement]
        {
            let ends = [window.offset(), window.offset() + 0x3FF].map(Window::of);
            assert_eq!(ends, [Some(window); 2]);
        }
        assert_eq!(Window::of(0x400), None);
        assert_eq!(address(Cayman, 0, Window::Event, 256), None);
        assert_eq!(address(Cayman, 8, Window::Event, 0), None);
        assert_eq!(address(Cayman, 0, Window::Set, 1), Some(0x28_0270_1404));
        assert_eq!(address(Cayman, 0, Window::Decrement, 1), Some(0x28_0270_1C04));
    }

    #[test]
    fn the_accelerators_set_cell_follows_the_clear_cell_but_on_mariana() {
        let pairs = [Sunda, Cayman, Mariana]
            .map(|generation| (accelerator(generation, false), accelerator(generation, true)));
        assert_eq!(
            pairs,
            [
                (0x20_0000_0000, 0x20_0000_0004),
                (0x90_0000_0000, 0x90_0000_0004),
                (0x90_0000_0000, 0x94_0000_0000),
            ]
        );
    }

    #[test]
    fn a_transfer_that_sets_event_8() {
        let copy = EventCopy::event(Cayman, 0, 8, true);
        let (read, write) = copy.map(|copy| copy.descriptors(1)).unwrap_or_default();
        assert_eq!(read, [4, 0, 0, 0x0D, 3, 0, 8, 1, 4, 0, 0, 0, 0x90, 0, 0, 0]);
        assert_eq!(write, [4, 0, 0, 1, 0, 0, 0, 0, 0x20, 0, 0x70, 2, 0x28, 0, 0, 0]);
        let stored = EventCopy::increment_from_state_buffer(0, 1, 20);
        let expected = EventCopy { from: 0x20_0007_7FFC, to: 0x28_0270_1850 };
        assert_eq!(stored, Some(expected));
        assert_eq!(EventCopy::increment_from_state_buffer(0, 128, 20), None);
    }
}
