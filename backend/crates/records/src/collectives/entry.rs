//! `spad_ctrl_entry`: the 8 bytes that tell a TOP_SP what to run for one operation.
//!
//! Two views of it exist. The wire has 64 bits; what the firmware's printer shows of them leaves
//! bits out, so that a printed entry cannot be turned back into all 8 bytes.

use crate::error::{ByteSpan, DecodeError, DecodeErrorKind};
use crate::kbin::names::NameTable;
use crate::kbin::{Bits, Form, kbin_record};
use zerocopy::little_endian::U32;

use super::names::{HOST_ALGORITHM, MESH_TYPE, PATTERN};

/// Bytes of an entry.
pub const ENTRY_BYTES: usize = 8;
/// Ring channels that an entry can name.
/// Spec: docs/format/collectives.md "Control entry" [observed].
pub const CHANNELS: u32 = 32;
/// Marker on the tape of a slot: another operation follows.
/// Spec: docs/format/collectives.md "Tables" [observed].
pub const CONTINUE_MARKER: u64 = 0xFFFE_FFFE_0000_0000;

static HEADER_BITS: [Bits; 2] = [
    Bits::new(0, 1, "cc_op", "the entry carries an operation"),
    Bits::new(1, 7, "reserved", "reserved; kept"),
];
static ALGO_BITS: [Bits; 3] = [
    Bits::new(0, 4, "algo_type", "algorithm; two readings of its values exist")
        .medium()
        .named(&HOST_ALGORITHM),
    Bits::new(4, 3, "algo_sub_type", "variant; names are those of meshes")
        .medium()
        .named(&MESH_TYPE),
    Bits::new(7, 1, "trigger_next", "start the next entry or stage when this one ends").medium(),
];
static FLAG_BITS: [Bits; 6] = [
    Bits::new(0, 1, "reporter", "this TOP_SP posts the completion").medium(),
    Bits::new(1, 1, "ring_wait_complete", "wait for the previous TOP_SP's completion").medium(),
    Bits::new(2, 1, "ring_send_complete", "send the completion on").medium(),
    Bits::new(3, 1, "safe_mode", "set when the operation belongs to a permute chain"),
    Bits::new(4, 1, "unique_tensors", "copied from the host's operation"),
    Bits::new(5, 3, "reserved", "reserved; kept"),
];
static UNION_BITS: [Bits; 3] = [
    Bits::new(0, 32, "channel_list", "ring view: bit n is set for channel n").mask(),
    Bits::new(0, 16, "sema_shift_offset", "mesh view: shift of semaphores").medium(),
    Bits::new(16, 16, "sema_mask", "mesh view: mask of semaphores").medium().mask(),
];

kbin_record! {
    /// An entry as bytes. [`SpadCtrlEntry`] gives its values.
    /// Spec: docs/format/collectives.md "Control entry" [observed].
    RawSpadCtrlEntry 8 "spad_ctrl_entry" "Control entry" {
        0 header: u8 = Form::Bits(&HEADER_BITS), Observed File "" "header";
        1 algo: u8 = Form::Bits(&ALGO_BITS), Observed File "" "what to run";
        2 flags: u8 = Form::Bits(&FLAG_BITS), Observed File "" "flags";
        3 reserved: u8 = Form::Hex, Observed File "" "neither written nor read; kept";
        4 union: U32 = Form::Bits(&UNION_BITS), Observed File "" "channels of a ring, or semaphores of a mesh";
    }
}

impl RawSpadCtrlEntry {
    /// The entry as a word.
    pub fn entry(&self) -> SpadCtrlEntry {
        let mut bytes = [0; ENTRY_BYTES];
        bytes.copy_from_slice(self.bytes());
        SpadCtrlEntry::from_bytes(bytes)
    }
}

/// Which names the algorithm's nibble has. Sources differ; neither is proved.
/// Spec: docs/format/collectives.md "Two readings of the algorithm" [medium].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AlgoNames {
    /// The runtime's algorithms: 0 RING, 1 HIER, 2 MESH and so on.
    #[default]
    AlgType,
    /// The runtime's patterns: 0 RING, 1 MESH, 2 INVALID.
    Pattern,
}

impl AlgoNames {
    /// Both readings.
    pub const ALL: [Self; 2] = [Self::AlgType, Self::Pattern];

    /// What it is called everywhere: the enumeration that it takes.
    pub const fn name(self) -> &'static str {
        self.table().name
    }

    /// The reading of a word: its enumeration, or shorter `seed` and `header`. `None` for a word that
    /// is none.
    pub fn of_name(name: &str) -> Option<Self> {
        match name {
            "seed" => Some(Self::AlgType),
            "header" => Some(Self::Pattern),
            _ => Self::ALL.into_iter().find(|one| one.name() == name),
        }
    }

    /// Its names.
    pub const fn table(self) -> &'static NameTable {
        match self {
            Self::AlgType => &HOST_ALGORITHM,
            Self::Pattern => &PATTERN,
        }
    }

    /// Name of an algorithm; `None` for a value that has none.
    pub fn algorithm(self, value: u8) -> Option<&'static str> {
        self.table().name_of(value.into())
    }

    /// The view of the last four bytes that an algorithm takes; `None` for one without a name, and
    /// for INVALID.
    pub const fn view(self, value: u8) -> Option<UnionView> {
        match (self, value) {
            (Self::AlgType, 0 | 3 | 4) | (Self::Pattern, 0) => Some(UnionView::Ring),
            (Self::AlgType, 2 | 6 | 8 | 9 | 10) | (Self::Pattern, 1) => Some(UnionView::Mesh),
            (Self::AlgType, 1 | 5 | 7) => Some(UnionView::Both),
            _ => None,
        }
    }
}

/// What the last four bytes of an entry are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnionView {
    /// Channels of a ring.
    Ring,
    /// Semaphores of a mesh.
    Mesh,
    /// The legs of a hierarchical algorithm decide.
    Both,
}

impl UnionView {
    /// `ring`, `mesh` or `both`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Mesh => "mesh",
            Self::Both => "both",
        }
    }
}

/// Values of an entry, each as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EntryFields {
    /// The entry carries an operation; an entry without is an empty place.
    pub cc_op: bool,
    /// Algorithm, 0 to 15.
    pub algo_type: u8,
    /// Variant, 0 to 7.
    pub algo_sub_type: u8,
    /// Start the next entry when this one ends.
    pub trigger_next: bool,
    /// This TOP_SP posts the completion.
    pub reporter: bool,
    /// Wait for the previous TOP_SP's completion.
    pub ring_wait_complete: bool,
    /// Send the completion on.
    pub ring_send_complete: bool,
    /// Set when the operation belongs to a permute chain. Not printed by the firmware.
    pub safe_mode: bool,
    /// Copied from the host's operation. Not printed by the firmware.
    pub unique_tensors: bool,
    /// The last four bytes: the channel list, or shift (low half) and mask (high half).
    pub union: u32,
    /// Bits 1 to 7 of byte 0, 0 to 127.
    pub header_reserved: u8,
    /// Bits 5 to 7 of byte 2, 0 to 7.
    pub flags_reserved: u8,
    /// Byte 3.
    pub byte_reserved: u8,
}

/// An entry: the 8 bytes as a little-endian word.
/// Spec: docs/format/collectives.md "Control entry" [observed].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SpadCtrlEntry(pub u64);

impl SpadCtrlEntry {
    /// Bits that the firmware's printer shows: 0, 8 to 18, 32 to 63.
    /// Spec: docs/format/collectives.md "Printed and stored" [observed].
    pub const PRINTED: u64 = 0xFFFF_FFFF_0007_FF01;
    /// Bits without a meaning: 1 to 7, 21 to 31.
    /// Spec: docs/format/collectives.md "Control entry" [observed].
    pub const RESERVED: u64 = 0x0000_0000_FFE0_00FE;

    /// The entry of 8 stored bytes.
    pub const fn from_bytes(bytes: [u8; ENTRY_BYTES]) -> Self {
        Self(u64::from_le_bytes(bytes))
    }

    /// The stored bytes.
    pub const fn to_bytes(self) -> [u8; ENTRY_BYTES] {
        self.0.to_le_bytes()
    }

    const fn is_set(self, bit: u32) -> bool {
        self.0 >> bit & 1 == 1
    }

    /// All values. Every word has them; nothing is rejected.
    pub const fn fields(self) -> EntryFields {
        let word = self.0;
        EntryFields {
            cc_op: self.is_set(0),
            algo_type: (word >> 8 & 0xF) as u8,
            algo_sub_type: (word >> 12 & 7) as u8,
            trigger_next: self.is_set(15),
            reporter: self.is_set(16),
            ring_wait_complete: self.is_set(17),
            ring_send_complete: self.is_set(18),
            safe_mode: self.is_set(19),
            unique_tensors: self.is_set(20),
            union: (word >> 32) as u32,
            header_reserved: (word >> 1 & 0x7F) as u8,
            flags_reserved: (word >> 21 & 7) as u8,
            byte_reserved: (word >> 24 & 0xFF) as u8,
        }
    }

    /// The entry of some values. Errors for a value that does not fit its bits, with the byte that
    /// has them.
    pub fn of_fields(fields: &EntryFields) -> Result<Self, DecodeError> {
        let narrow = |value: u8, most: u8, at: u64, what, expected| {
            let kind = DecodeErrorKind::BadValue { found: value.into(), expected };
            let error = DecodeError { at: ByteSpan::of(at, 1), what, kind };
            if value > most { Err(error) } else { Ok(u64::from(value)) }
        };
        let algo = narrow(fields.algo_type, 15, 1, "algo_type", "0 to 15")?;
        let sub = narrow(fields.algo_sub_type, 7, 1, "algo_sub_type", "0 to 7")?;
        let header = narrow(fields.header_reserved, 127, 0, "reserved header bits", "0 to 127")?;
        let flags = narrow(fields.flags_reserved, 7, 2, "reserved flag bits", "0 to 7")?;
        Ok(Self(
            u64::from(fields.cc_op)
                | header << 1
                | algo << 8
                | sub << 12
                | u64::from(fields.trigger_next) << 15
                | u64::from(fields.reporter) << 16
                | u64::from(fields.ring_wait_complete) << 17
                | u64::from(fields.ring_send_complete) << 18
                | u64::from(fields.safe_mode) << 19
                | u64::from(fields.unique_tensors) << 20
                | flags << 21
                | u64::from(fields.byte_reserved) << 24
                | u64::from(fields.union) << 32,
        ))
    }

    /// What the firmware's printer shows of it; all other bits are 0.
    pub const fn printed(self) -> Self {
        Self(self.0 & Self::PRINTED)
    }

    /// The reserved bits that are set.
    pub const fn reserved(self) -> u64 {
        self.0 & Self::RESERVED
    }

    /// Whether it only counts: an operation without channels, flags or algorithm, which keeps the
    /// TOP_SPs of a stream at the same entry.
    pub const fn is_nop(self) -> bool {
        self.0 == 1
    }

    /// Whether it is the marker that another operation follows on the tape of a slot.
    pub const fn is_continue_marker(self) -> bool {
        self.0 == CONTINUE_MARKER
    }
}

impl EntryFields {
    /// The channel list of the ring view: bit n for channel n.
    pub const fn channel_list(&self) -> u32 {
        self.union
    }

    /// Shift of the mesh view.
    pub const fn sema_shift_offset(&self) -> u16 {
        (self.union & 0xFFFF) as u16
    }

    /// Mask of the mesh view.
    pub const fn sema_mask(&self) -> u16 {
        (self.union >> 16) as u16
    }

    /// The union of a shift and a mask.
    pub const fn mesh_union(shift: u16, mask: u16) -> u32 {
        shift as u32 | (mask as u32) << 16
    }
}
