//! The head that every record begins with, and the waits and updates in it.
//!
//! A record waits before it runs and updates when it starts or ends. `EVENT_SEMAPHORE` has a second
//! pair of both. Mode bytes without a meaning are kept, and so is the number beside them.

use crate::opcode::Opcode;
use crate::slot::Slot;
pub use crate::sync_mode::{Compare, UpdateKind, UpdateMode, WaitKind, WaitMode};
use zerocopy::little_endian::U32;
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Size of a record in 4-byte words, as byte 1 says it.
/// Spec: docs/format/streams.md "Record head" [observed].
pub const SLOT_WORDS: u8 = 16;

/// The first 12 bytes of a record.
/// Spec: docs/format/streams.md "Record head" [observed].
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct Head {
    /// What the record does.
    pub opcode: Opcode,
    /// Size in 4-byte words, [`SLOT_WORDS`].
    pub words: u8,
    /// 0 none, 1 notify, 3 start, 5 end, 7 start and end, 9 the instruction names it.
    pub debug_cmd: u8,
    /// Bit 0 marks a function; conditional branches have 2.
    pub debug_hint: u8,
    /// When the record may run.
    pub wait_mode: WaitMode,
    /// Semaphore or event of the wait.
    pub wait_index: u8,
    /// What the record changes.
    pub update_mode: UpdateMode,
    /// Semaphore or event of the update.
    pub update_index: u8,
    /// The value of the wait, of the update, or of both.
    pub semaphore_value: U32,
}

/// The second wait and update of `EVENT_SEMAPHORE`, bytes `0x20..0x2c`.
/// Spec: docs/format/streams.md "Second pair" [observed].
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct SyncPair {
    /// When the record may go on.
    pub wait_mode: WaitMode,
    /// Semaphore or event of the wait.
    pub wait_index: u8,
    /// What the record changes.
    pub update_mode: UpdateMode,
    /// Semaphore or event of the update.
    pub update_index: u8,
    /// Value of the wait.
    pub wait_value: U32,
    /// Value of the update.
    pub update_value: U32,
}

/// Byte offset of the [`SyncPair`] in an `EVENT_SEMAPHORE` record.
pub const SYNC_PAIR_AT: usize = 0x20;

const _: () = {
    assert!(size_of::<Head>() == 12);
    assert!(std::mem::offset_of!(Head, wait_mode) == 4);
    assert!(std::mem::offset_of!(Head, update_mode) == 6);
    assert!(std::mem::offset_of!(Head, semaphore_value) == 8);
    assert!(size_of::<SyncPair>() == 12);
    assert!(std::mem::offset_of!(SyncPair, wait_value) == 4);
    assert!(std::mem::offset_of!(SyncPair, update_value) == 8);
};

/// A wait that a record has. The mode is never [`WaitMode::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Wait {
    /// The mode byte.
    pub mode: WaitMode,
    /// Semaphore or event.
    pub index: u8,
    /// The raw value beside it, whether the mode uses it or not.
    pub value: u32,
}

/// An update that a record has. The mode is never [`UpdateMode::NONE`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Update {
    /// The mode byte.
    pub mode: UpdateMode,
    /// Semaphore or event.
    pub index: u8,
    /// The raw value beside it, whether the mode uses it or not.
    pub value: u32,
}

/// A wait or an update in the form that documents show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SyncParts {
    /// The mode byte.
    pub mode: u8,
    /// Waits: `== < <= > >= event_set event_set_clear event_clear event_clear_set`. Updates:
    /// `++ -- += -= = event_set event_clear`, with `@complete` for the completion forms. `None`
    /// for a byte without a meaning.
    pub op: Option<&'static str>,
    /// Semaphore or event.
    pub index: u8,
    /// `None` for events, `++` and `--`; else the value, for register forms the register.
    pub value: Option<u32>,
}

impl Wait {
    /// The form for documents.
    pub const fn parts(self) -> SyncParts {
        let (op, takes_value) = match self.mode.kind() {
            Some(WaitKind::Semaphore { compare, .. }) => (Some(compare.sign()), true),
            Some(WaitKind::Event { set, flip }) => {
                let op = match (set, flip) {
                    (true, false) => "event_set",
                    (true, true) => "event_set_clear",
                    (false, false) => "event_clear",
                    (false, true) => "event_clear_set",
                };
                (Some(op), false)
            }
            None => (None, true),
        };
        let value = if takes_value { Some(self.value) } else { None };
        SyncParts { mode: self.mode.0, op, index: self.index, value }
    }
}

impl Update {
    /// The form for documents.
    pub const fn parts(self) -> SyncParts {
        let complete = self.mode.at_completion();
        let kind = self.mode.kind();
        let op = match (kind, complete) {
            (Some(UpdateKind::EventSet), false) => Some("event_set"),
            (Some(UpdateKind::EventSet), true) => Some("event_set@complete"),
            (Some(UpdateKind::EventClear), false) => Some("event_clear"),
            (Some(UpdateKind::EventClear), true) => Some("event_clear@complete"),
            (Some(UpdateKind::Increment), false) => Some("++"),
            (Some(UpdateKind::Increment), true) => Some("++@complete"),
            (Some(UpdateKind::Decrement), false) => Some("--"),
            (Some(UpdateKind::Decrement), true) => Some("--@complete"),
            (Some(UpdateKind::Add), false) => Some("+="),
            (Some(UpdateKind::Add), true) => Some("+=@complete"),
            (Some(UpdateKind::Subtract), false) => Some("-="),
            (Some(UpdateKind::Subtract), true) => Some("-=@complete"),
            (Some(UpdateKind::Write), false) => Some("="),
            (Some(UpdateKind::Write), true) => Some("=@complete"),
            (None, _) => None,
        };
        let value = match kind {
            Some(kind) if !kind.takes_value() => None,
            _ => Some(self.value),
        };
        SyncParts { mode: self.mode.0, op, index: self.index, value }
    }
}

/// The waits and updates of one record, as far as it has them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Sync {
    /// Wait of the head.
    pub wait: Option<Wait>,
    /// Update of the head.
    pub update: Option<Update>,
    /// Wait of the second pair of `EVENT_SEMAPHORE`. Both waits must hold.
    pub wait2: Option<Wait>,
    /// Update of the second pair of `EVENT_SEMAPHORE`.
    pub update2: Option<Update>,
}

impl Head {
    /// The head of a record.
    pub fn of(slot: &Slot) -> &Self {
        let record: &HeadAndPayload = zerocopy::transmute_ref!(slot);
        &record.head
    }

    /// The wait, if the mode is not 0.
    pub const fn wait(&self) -> Option<Wait> {
        wait(self.wait_mode, self.wait_index, self.semaphore_value.get())
    }

    /// The update, if the mode is not 0.
    pub const fn update(&self) -> Option<Update> {
        update(self.update_mode, self.update_index, self.semaphore_value.get())
    }
}

impl SyncPair {
    /// The second pair; `None` unless the record is an `EVENT_SEMAPHORE`.
    pub fn of(slot: &Slot) -> Option<&Self> {
        let record: &HeadAndPayload = zerocopy::transmute_ref!(slot);
        (record.head.opcode == Opcode::EVENT_SEMAPHORE).then_some(&record.pair)
    }

    /// The wait, if the mode is not 0.
    pub const fn wait(&self) -> Option<Wait> {
        wait(self.wait_mode, self.wait_index, self.wait_value.get())
    }

    /// The update, if the mode is not 0.
    pub const fn update(&self) -> Option<Update> {
        update(self.update_mode, self.update_index, self.update_value.get())
    }
}

impl Sync {
    /// The waits and updates of a record. `PSEUDO_EXTENSION` has none: it uses the head's bytes
    /// for other things.
    pub fn of(slot: &Slot) -> Self {
        let head = Head::of(slot);
        if head.opcode == Opcode::PSEUDO_EXTENSION {
            return Self::default();
        }
        let pair = SyncPair::of(slot);
        Self {
            wait: head.wait(),
            update: head.update(),
            wait2: pair.and_then(SyncPair::wait),
            update2: pair.and_then(SyncPair::update),
        }
    }

    /// The waits in order, head first.
    pub fn waits(&self) -> impl Iterator<Item = Wait> {
        self.wait.into_iter().chain(self.wait2)
    }

    /// The updates in order, head first.
    pub fn updates(&self) -> impl Iterator<Item = Update> {
        self.update.into_iter().chain(self.update2)
    }
}

/// A record as head, bytes between, second pair and rest; used to reach the head and the pair.
#[derive(FromBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
struct HeadAndPayload {
    head: Head,
    between: [u8; SYNC_PAIR_AT - 12],
    pair: SyncPair,
    rest: [u8; 64 - SYNC_PAIR_AT - 12],
}

const fn wait(mode: WaitMode, index: u8, value: u32) -> Option<Wait> {
    if mode.0 == 0 { None } else { Some(Wait { mode, index, value }) }
}

const fn update(mode: UpdateMode, index: u8, value: u32) -> Option<Update> {
    if mode.0 == 0 { None } else { Some(Update { mode, index, value }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slot(bytes: &[(usize, u8)]) -> Slot {
        let mut slot = Slot::ZERO;
        for &(at, byte) in bytes {
            slot.0[at] = byte;
        }
        slot
    }

    fn parts(mode: u8, op: &'static str, index: u8, value: Option<u32>) -> Option<SyncParts> {
        Some(SyncParts { mode, op: Some(op), index, value })
    }

    #[test]
    fn head_of_a_collective_trigger() {
        let record =
            slot(&[(0, 0xc8), (1, 0x10), (4, 0x04), (5, 0x0a), (6, 0x13), (7, 0x16), (12, 4)]);
        let head = Head::of(&record);
        assert_eq!((head.opcode, head.words), (Opcode(0xc8), SLOT_WORDS));
        let sync = Sync::of(&record);
        assert_eq!(sync.wait.map(Wait::parts), parts(4, ">", 10, Some(0)));
        assert_eq!(sync.update.map(Update::parts), parts(0x13, "++@complete", 22, None));
        assert_eq!((sync.wait2, sync.update2), (None, None));
    }

    #[test]
    fn second_pair_belongs_to_one_operation() {
        // Wait until semaphore 20 >= 3, then take 1.
        let bytes =
            [(1, 0x10), (0x20, 5), (0x21, 20), (0x22, 0x14), (0x23, 20), (0x24, 3), (0x28, 1)];
        let mut record = slot(&bytes);
        record.0[0] = 0xa0;
        let sync = Sync::of(&record);
        assert_eq!((sync.wait, sync.update), (None, None));
        assert_eq!(sync.wait2.map(Wait::parts), parts(5, ">=", 20, Some(3)));
        assert_eq!(sync.update2.map(Update::parts), parts(0x14, "--@complete", 20, None));
        assert_eq!(sync.waits().count() + sync.updates().count(), 2);
        record.0[0] = 0xa4;
        assert_eq!(Sync::of(&record), Sync::default());
    }

    #[test]
    fn values_show_where_the_mode_has_one() {
        let wait = |mode| Wait { mode: WaitMode(mode), index: 7, value: 9 }.parts();
        let update = |mode| Update { mode: UpdateMode(mode), index: 7, value: 9 }.parts();
        assert_eq!(Some(wait(0x0f)), parts(0x0f, "event_clear_set", 7, None));
        assert_eq!(Some(wait(0x83)), parts(0x83, "<=", 7, Some(9)));
        assert_eq!(Some(update(0x11)), parts(0x11, "event_set@complete", 7, None));
        assert_eq!(Some(update(0x02)), parts(0x02, "event_clear", 7, None));
        assert_eq!(Some(update(0x99)), parts(0x99, "=@complete", 7, Some(9)));
        assert_eq!(Some(update(0x07)), parts(0x07, "-=", 7, Some(9)));
        // Bytes without a meaning keep mode, index and value.
        assert_eq!(wait(0x2a), SyncParts { mode: 0x2a, op: None, index: 7, value: Some(9) });
        assert_eq!(update(0xff), SyncParts { mode: 0xff, op: None, index: 7, value: Some(9) });
    }

    #[test]
    fn an_extension_record_has_no_head_events() {
        let record = slot(&[(0, 0xda), (4, 1), (6, 3), (7, 9)]);
        assert_eq!(Sync::of(&record), Sync::default());
    }
}
