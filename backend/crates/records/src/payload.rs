//! What follows the head: one layout per operation, and the table of its fields.
//!
//! Each layout is a type over the 64 bytes with its offsets checked at compile time, and a list of
//! [`FieldDef`]s made from the same lines, so that typed access and the byte map of a screen cannot
//! differ. Bytes that no line names are in the `gap_..` fields: they are kept, and never listed.
//!
//! An operation without an entry in [`layout_of`] has no known payload.

use crate::opcode::Opcode;
use crate::slot::Slot;

/// How sure the meaning of a field is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Confidence {
    /// Seen in bytes, or stated by whoever writes or reads the record.
    Observed,
    /// Fits everything seen, without direct proof.
    Inferred,
    /// The bytes vary and nobody says what they are.
    Unknown,
}

impl Confidence {
    /// `observed`, `inferred` or `unknown`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Observed => "observed",
            Self::Inferred => "inferred",
            Self::Unknown => "unknown",
        }
    }
}

/// What a field is about; chooses the hue of its bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FieldKind {
    /// Byte 0.
    Opcode,
    /// The rest of the head that is no wait or update.
    Head,
    /// Part of a wait.
    Wait,
    /// Part of an update.
    Update,
    /// An address or a variable.
    Address,
    /// Steps, counts, rows, columns, partitions.
    Pattern,
    /// Element types.
    Dtype,
    /// Anything else with a meaning.
    Other,
    /// Bytes that nothing is known to read.
    Unread,
}

impl FieldKind {
    /// `opcode head wait update address pattern dtype other unread`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Opcode => "opcode",
            Self::Head => "head",
            Self::Wait => "wait",
            Self::Update => "update",
            Self::Address => "address",
            Self::Pattern => "pattern",
            Self::Dtype => "dtype",
            Self::Other => "other",
            Self::Unread => "unread",
        }
    }
}

/// How the bytes of a field are read and written as text. Numbers are little-endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Form {
    /// Unsigned decimal number.
    Dec,
    /// Hexadecimal number.
    Hex,
    /// The number of a mode, shown even when it is 0.
    Mode,
    /// 0 or 1.
    Flag,
    /// NUL-padded text.
    Text,
    /// 32-bit floating point number.
    F32,
    /// Address inside the core: state buffer or PSUM.
    LocalAddress,
    /// Address in the device's address space.
    DeviceAddress,
    /// Variable id of the subgraph.
    Variable,
    /// One element type.
    Dtype,
    /// Two element types, low nibble first.
    DtypePair,
    /// Arithmetic or logic operation.
    AluOp,
    /// Condition of a branch.
    Condition,
    /// What a branch goes to.
    BranchTarget,
    /// Kind of collective operation.
    Collective,
    /// Signed 16-bit numbers.
    I16List,
    /// Unsigned 16-bit numbers.
    U16List,
    /// Signed 32-bit numbers.
    I32List,
    /// Signed 32-bit byte distance in a wider field.
    Distance,
    /// Number of a register.
    Register,
    /// Number of a semaphore.
    Semaphore,
    /// Bit mask, least significant byte first.
    Mask,
    /// Unsigned 64-bit numbers in hexadecimal.
    HexList,
    /// Reference of a dynamic transfer: a variable, or an entry of the table, as the mode says.
    Reference,
}

/// One field of a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FieldDef {
    /// First byte in the record.
    pub offset: u8,
    /// Size in bytes.
    pub bytes: u8,
    /// Name in lower case with underscores; the key of the text form.
    pub name: &'static str,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// How to read it.
    pub form: Form,
    /// What it is about.
    pub kind: FieldKind,
    /// How sure that is.
    pub confidence: Confidence,
}

impl FieldDef {
    /// The field's bytes in a record.
    pub fn bytes_in<'slot>(&self, slot: &'slot Slot) -> &'slot [u8] {
        let start = usize::from(self.offset);
        slot.0.get(start..start + usize::from(self.bytes)).unwrap_or(&[])
    }

    /// The first 8 bytes of the field as an unsigned number.
    pub fn number_in(&self, slot: &Slot) -> u64 {
        self.bytes_in(slot).iter().take(8).rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte))
    }

    /// Whether every byte is 0.
    pub fn is_zero_in(&self, slot: &Slot) -> bool {
        self.bytes_in(slot).iter().all(|&byte| byte == 0)
    }
}

/// Defines a layout: the type, its offset checks, and its list of fields.
macro_rules! payload {
    ($(#[$doc:meta])* $name:ident {
        $($at:literal $field:ident: $type:ty
            $(= $form:ident $kind:ident $confidence:ident $meaning:literal)?;)*
    }) => {
        $(#[$doc])*
        #[derive(
            Clone, Copy, Debug, PartialEq,
            zerocopy::FromBytes, zerocopy::IntoBytes, zerocopy::Immutable,
            zerocopy::KnownLayout, zerocopy::Unaligned,
        )]
        #[repr(C)]
        pub struct $name {
            /// The first 12 bytes.
            pub head: $crate::sync::Head,
            $(
                #[doc = concat!("Byte `", stringify!($at), "`" $(, ": ", $meaning)?, ".")]
                pub $field: $type,
            )*
        }

        const _: () = {
            assert!(size_of::<$name>() == $crate::slot::SLOT_BYTES);
            $(assert!(std::mem::offset_of!($name, $field) == $at);)*
        };

        impl $name {
            /// The fields with a meaning, ascending by offset.
            pub const FIELDS: &'static [$crate::payload::FieldDef] = &[$($(
                $crate::payload::FieldDef {
                    offset: $at,
                    bytes: size_of::<$type>() as u8,
                    name: stringify!($field),
                    meaning: $meaning,
                    form: $crate::payload::Form::$form,
                    kind: $crate::payload::FieldKind::$kind,
                    confidence: $crate::payload::Confidence::$confidence,
                },
            )?)*];

            /// Reads a record so, whatever its operation code is.
            pub fn of(slot: &$crate::slot::Slot) -> &Self {
                zerocopy::transmute_ref!(slot)
            }

            /// A record of this code and the usual size with everything else 0.
            pub fn blank(opcode: $crate::opcode::Opcode) -> Self {
                let mut record = <Self as zerocopy::FromZeros>::new_zeroed();
                record.head.opcode = opcode;
                record.head.words = $crate::sync::SLOT_WORDS;
                record
            }

            /// The 64 bytes.
            pub fn to_slot(self) -> $crate::slot::Slot {
                zerocopy::transmute!(self)
            }
        }
    };
}

pub mod value;

pub mod compute;
pub mod pseudo;
pub mod sequencer;

pub mod collective;
pub mod transfer;

use collective as coll;
use sequencer as seq;

/// The fields of a record's payload, ascending by offset and without overlap. Empty where nothing
/// is known of it. The head and the second pair of `EVENT_SEMAPHORE` are not in it, except that
/// `PSEUDO_EXTENSION` has fields where others have the head.
/// Spec: docs/format/streams.md "Payloads" [the confidence is in each field].
pub fn layout_of(slot: &Slot) -> &'static [FieldDef] {
    match Opcode(slot.opcode_byte()) {
        Opcode::LDWEIGHTS => compute::LoadWeights::FIELDS,
        Opcode::MATMUL => compute::Matmul::FIELDS,
        Opcode::ACTIVATE => compute::Activate::FIELDS,
        Opcode::TENSOR_TENSOR_ARITH_OP => compute::TensorTensor::FIELDS,
        Opcode::TENSOR_REDUCE_ARITH_OP => compute::TensorReduce::FIELDS,
        Opcode::COPY | Opcode::CAST => compute::Copy::FIELDS,
        Opcode::MEMSET => compute::Memset::FIELDS,
        Opcode::LOAD_POOL_ARGUMENT => compute::LoadPoolArgument::FIELDS,
        Opcode::DRAIN => seq::Drain::FIELDS,
        Opcode::NOP => seq::Nop::FIELDS,
        Opcode::WRITE => seq::Write::fields_in(slot),
        Opcode::NOTIFY => seq::Notify::FIELDS,
        Opcode::MOVE => seq::Move::FIELDS,
        Opcode::ALU_OP => seq::Alu::fields_in(slot),
        Opcode::COMPARE_BRANCH => seq::Branch::fields_in(slot),
        Opcode::TENSOR_LOAD | Opcode::TENSOR_STORE => seq::LoadStore::fields_in(slot),
        Opcode::EVENT_SEMAPHORE_RANGE_CLEAR => seq::RangeClear::fields_in(slot),
        Opcode::SET_ORDERING_MODE => seq::Ordering::FIELDS,
        Opcode::POLL_SEM => seq::PollSemaphore::FIELDS,
        Opcode::PSEUDO_DMATRIGGER => transfer::DmaTrigger::FIELDS,
        Opcode::PSEUDO_DMAREARM => transfer::DmaRearm::FIELDS,
        Opcode::PSEUDO_DMABARRIER => transfer::DmaBarrier::FIELDS,
        Opcode::PSEUDO_DMAMEMCPY_FULL_IND => transfer::IndirectCopy::FIELDS,
        Opcode::PSEUDO_DMASWAP_QUEUE_SET => transfer::SwapQueueSet::FIELDS,
        Opcode::PSEUDO_DMA_DIRECT2D => transfer::Direct2d::FIELDS,
        Opcode::PSEUDO_TRIGGER_ALL_REDUCE => coll::AllReduce::FIELDS,
        Opcode::PSEUDO_TRIGGER_COLLECTIVE => coll::Collective::FIELDS,
        Opcode::PSEUDO_TRIGGER_COLLECTIVE2 => coll::Collective2::FIELDS,
        Opcode::PSEUDO_EXTENSION => coll::Extension::ALL_FIELDS,
        Opcode::PSEUDO_SEND_RECV => coll::SendRecv::FIELDS,
        Opcode::PSEUDO_CUR_PROCESSING_RANK_ID => coll::CurrentRank::FIELDS,
        Opcode::PSEUDO_CORE_BARRIER => coll::CoreBarrier::FIELDS,
        Opcode::PSEUDO_EMBEDDING_UPDATE => pseudo::EmbeddingUpdate::FIELDS,
        Opcode::PSEUDO_BRANCH_LABEL => pseudo::Label::FIELDS,
        Opcode::PSEUDO_FUNCTION_BEGIN => pseudo::FunctionBegin::FIELDS,
        Opcode::PSEUDO_FUNCTION_CALL => pseudo::FunctionCall::FIELDS,
        Opcode::PSEUDO_RANGE_CHECK => pseudo::RangeCheck::FIELDS,
        Opcode::PSEUDO_INST => pseudo::Instruction::FIELDS,
        _ => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_ascend_without_overlap_inside_the_payload() {
        let mut slot = Slot::ZERO;
        // Bytes 0x0c..0x0f choose between the forms of some operations.
        for code in 0..=255 {
            for choice in [[0_u8; 4], [1, 1, 1, 1], [2, 2, 2, 2], [4, 4, 3, 1], [9, 0, 0, 0]] {
                slot.0[0] = code;
                slot.0[12..16].copy_from_slice(&choice);
                // The extension record has no head but its operation code.
                let mut end = if code == 0xda { 1 } else { 12 };
                for field in layout_of(&slot) {
                    assert!(field.offset >= end, "{code:#x} {}", field.name);
                    assert!(field.bytes > 0 && field.offset + field.bytes <= 64);
                    assert!(!field.name.is_empty() && !field.meaning.is_empty());
                    end = field.offset + field.bytes;
                }
            }
        }
    }
}
