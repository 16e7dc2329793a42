//! The operation codes: one table of every code of the four generations that use 64-byte records.
//!
//! A code keeps its meaning over the generations; only its availability changes. A code without an
//! entry is kept as its number.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// Byte 0 of a record. Any value is allowed; the constants are the assigned ones.
/// Spec: docs/format/streams.md "Operation codes" [observed].
#[derive(
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    FromBytes,
    IntoBytes,
    Immutable,
    KnownLayout,
    Unaligned,
)]
#[repr(transparent)]
pub struct Opcode(pub u8);

/// A generation of the instruction set.
/// Spec: docs/format/streams.md "Operation codes" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// Sunda.
    V2,
    /// Cayman.
    V3,
    /// Mariana.
    V4,
    /// The one after Mariana.
    V5,
}

impl Generation {
    /// All generations in order.
    pub const ALL: [Self; 4] = [Self::V2, Self::V3, Self::V4, Self::V5];
}

/// Which engine runs a code, by the ranges that the codes are grouped in.
/// Spec: docs/format/streams.md "Operation codes" [inferred].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EngineClass {
    /// Tensor engine.
    Pe,
    /// Scalar engine.
    Act,
    /// Pool and vector engines.
    Vector,
    /// The sequencer of every engine.
    Sequencer,
    /// DMA work started by a sequencer.
    Dma,
    /// Handled by the runtime when it builds the image; never runs on a device.
    Pseudo,
    /// The pool engine's general-purpose cores.
    Gpsimd,
    /// No engine: the invalid code.
    None,
}

impl EngineClass {
    /// The name for people: `PE`, `ACT`, `POOL or DVE`, `all`, `DMA`, `runtime`, `POOL`, `none`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pe => "PE",
            Self::Act => "ACT",
            Self::Vector => "POOL or DVE",
            Self::Sequencer => "all",
            Self::Dma => "DMA",
            Self::Pseudo => "runtime",
            Self::Gpsimd => "POOL",
            Self::None => "none",
        }
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpcodeInfo {
    /// The code.
    pub opcode: Opcode,
    /// Enum name.
    pub mnemonic: &'static str,
    /// Engine group.
    pub class: EngineClass,
    /// First generation that has the code.
    pub first: Generation,
    /// Last generation that has the code; [`Generation::V5`] where it is still there.
    pub last: Generation,
}

impl OpcodeInfo {
    /// Whether a generation has the code.
    pub fn is_in(&self, generation: Generation) -> bool {
        self.first <= generation && generation <= self.last
    }
}

impl Opcode {
    /// The table row of this code; `None` where no generation assigns it.
    pub fn info(self) -> Option<&'static OpcodeInfo> {
        let row = BY_CODE.get(usize::from(self.0)).copied()?;
        OPCODES.get(usize::from(row))
    }

    /// The enum name, whatever the target; `None` for an unassigned code.
    pub fn mnemonic(self) -> Option<&'static str> {
        self.info().map(|info| info.mnemonic)
    }

    /// The name as the `.asm` members spell it; the enum name where no other spelling is known.
    /// Spec: docs/format/streams.md "Text form" [observed for C1 and C8, inferred for others].
    pub fn asm_name(self) -> Option<&'static str> {
        match self {
            Self::PSEUDO_DMATRIGGER => Some("PSEUDO_DMA_TRIGGER"),
            other => other.mnemonic(),
        }
    }

    /// Whether the code lies in the range of the runtime's pseudo instructions, `0xC0..=0xDF`.
    pub const fn is_pseudo(self) -> bool {
        self.0 >> 5 == 6
    }
}

impl std::fmt::Debug for Opcode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Opcode({:#04x} {})", self.0, self.mnemonic().unwrap_or("unassigned"))
    }
}

macro_rules! opcodes {
    ($($value:literal $name:ident $class:ident $first:ident $last:ident;)*) => {
        /// Every assigned code, ascending.
        /// Spec: docs/format/streams.md "Operation codes" [observed].
        pub static OPCODES: &[OpcodeInfo] = &[$(OpcodeInfo {
            opcode: Opcode($value),
            mnemonic: stringify!($name),
            class: EngineClass::$class,
            first: Generation::$first,
            last: Generation::$last,
        }),*];

        impl Opcode {
            $(
                #[doc = concat!("`", stringify!($value), "`")]
                pub const $name: Self = Self($value);
            )*
        }
    };
}

opcodes! {
    0x01 LDWEIGHTS Pe V2 V5;
    0x02 MATMUL Pe V2 V5;
    0x03 PE_REG_WRITE Pe V2 V5;
    0x04 WEIGHT_MASK Pe V2 V5;
    0x05 WEIGHT_SHIFT Pe V2 V5;
    0x06 LDTAGS Pe V3 V5;
    0x07 MATMUL_SPARSE Pe V3 V5;
    0x08 PE_MANAGE_SEED Pe V4 V5;
    0x09 LDWEIGHTS_MX Pe V4 V5;
    0x0a MATMUL_MX Pe V4 V5;
    0x21 ACTIVATE Act V2 V5;
    0x22 ACTIVATE_QUANTIZE Act V2 V5;
    0x23 ACTIVATION_TABLE_LOAD Act V2 V5;
    0x24 ACTIVATION_READ_ACCUMULATOR Act V2 V5;
    0x25 ACTIVATE2 Act V4 V5;
    0x26 ACTIVATE_MULTIPASS Act V5 V5;
    0x30 EXPONENTIAL Act V2 V5;
    0x41 TENSOR_TENSOR_ARITH_OP Vector V2 V5;
    0x42 TENSOR_REDUCE_ARITH_OP Vector V2 V5;
    0x43 TENSOR_SCALAR_ARITH_OP Vector V2 V5;
    0x44 TENSOR_SCALAR_PTR_ARITH_OP Vector V2 V5;
    0x45 POOL Vector V2 V5;
    0x46 COPY Vector V2 V5;
    0x47 CAST Vector V2 V5;
    0x48 RECIPROCAL Vector V2 V5;
    0x49 MEMSET Vector V2 V5;
    0x4a REG_LOAD Vector V2 V5;
    0x4b REG_STORE Vector V2 V5;
    0x4c REG_SHUFFLE Vector V2 V5;
    0x4d RNG Vector V2 V5;
    0x4e TENSOR_CUMULATIVE_ARITH_OP Vector V2 V5;
    0x4f TENSOR_SCALAR_PTR_MULTI_ARITH Vector V2 V5;
    0x51 TENSOR_TENSOR_BITVEC_OP Vector V2 V5;
    0x52 TENSOR_REDUCE_BITVEC_OP Vector V2 V5;
    0x53 TENSOR_SCALAR_BITVEC_OP Vector V2 V5;
    0x54 TENSOR_SCALAR_PTR_BITVEC_OP Vector V2 V5;
    0x58 MAX_POOL_SELECT Vector V2 V5;
    0x5e TENSOR_CUMULATIVE_BITVEC_OP Vector V2 V5;
    0x5f TENSOR_SCALAR_PTR_MULTI_BITVEC Vector V2 V5;
    0x60 BATCH_NORM_STATS Vector V2 V5;
    0x61 BATCH_NORM_STATS2 Vector V2 V5;
    0x62 BATCH_NORM_AGGREGATE Vector V2 V5;
    0x63 BATCH_NORM_GRAD_ACCUMULATE Vector V2 V5;
    0x64 BATCH_NORM_PARAM_LOAD Vector V2 V5;
    0x65 BATCH_NORM_BACK_PROP Vector V2 V5;
    0x66 LOAD_PARAMETER_RAM Vector V2 V5;
    0x67 POOL_BUFFER_LOAD Vector V2 V5;
    0x68 GATHER Vector V2 V5;
    0x69 LOAD_MASK_SELECT Vector V2 V5;
    0x6a STREAM_SHUFFLE Vector V2 V5;
    0x6b STREAM_TRANSPOSE Vector V2 V5;
    0x6c MAX8 Vector V2 V5;
    0x6d MATCH_VALUE_LOAD Vector V2 V5;
    0x6e FIND_INDEX8 Vector V2 V5;
    0x6f MATCH_REPLACE8 Vector V2 V5;
    0x70 TENSOR_SCALAR_IMM_LD_ARITH Vector V2 V5;
    0x71 TENSOR_SCALAR_IMM_LD_BITVEC Vector V2 V5;
    0x72 COPY_PREDICATED Vector V2 V5;
    0x73 ROI_ALIGN Vector V2 V5;
    0x74 TENSOR_SCALAR_ADDR Vector V2 V5;
    0x76 RAND Vector V2 V5;
    0x77 RAND_GET_STATE Vector V2 V5;
    0x78 RAND_SET_STATE Vector V2 V5;
    0x79 EMBEDDING_UPDATE Vector V2 V5;
    0x7a LOAD_POOL_ARGUMENT Vector V2 V5;
    0x7b TENSOR_DEQUANTIZE Vector V2 V5;
    0x7c CROSS_LANE_REDUCE_ARITH Vector V2 V5;
    0x7d CROSS_LANE_REDUCE_BITVEC Vector V2 V5;
    0x7e IOTA Vector V2 V5;
    0x7f DROPOUT Vector V2 V5;
    0x81 JPEG_DECODE Vector V3 V5;
    0x82 TRANSPOSE_BATCH_NORM_STATS2 Vector V2 V5;
    0x83 TRANSPOSE_TENSOR_REDUCE_ARITH_OP Vector V2 V5;
    0x84 TRANSPOSE_TENSOR_REDUCE_BITVEC_OP Vector V2 V5;
    0x85 CUSTOM_OP_HEADER Vector V2 V5;
    0x86 CUSTOM_OP_PAYLOAD Vector V2 V5;
    0x87 TENSOR_SCALAR_PTR_MULTI_DUAL_ARITH Vector V2 V2;
    0x88 TENSOR_SCALAR_PTR_MULTI_DUAL_BITVEC Vector V2 V2;
    0x8a TENSOR_TENSOR_ADD_BF16 Vector V2 V2;
    0x8b TENSOR_TENSOR_MULT_BF16 Vector V2 V2;
    0x8c TENSOR_REDUCE_ADD_BF16 Vector V2 V2;
    0x8d TENSOR_REDUCE_MAX_BF16 Vector V2 V2;
    0x8e BATCH_NORM_PARAM_LOAD2 Vector V2 V5;
    0x8f TENSOR_TENSOR_SUB_BF16 Vector V2 V2;
    0x92 TENSOR_SCALAR_AFFINE_SELECT Vector V2 V5;
    0x93 TRANSPOSE_TENSOR_SCALAR_ARITH_OP Vector V2 V5;
    0x94 BATCH_NORM_GRAD_ACCUMULATE2 Vector V2 V5;
    0x95 MODIFY_POOL_CONFIG Vector V2 V5;
    0x96 SORT Vector V2 V5;
    0x98 TENSOR_SCALAR_SELECT Vector V2 V5;
    0x99 CAST_PREDICATED Vector V2 V5;
    0x9a TENSOR_SCALAR_CACHE_REDUCE Vector V2 V5;
    0x9b DVE_READ_ACCUMULATOR Vector V2 V5;
    0x9c TENSOR_REDUCE_RANGE_CHECK Vector V2 V5;
    0x9d SCALAR_TENSOR_TENSOR_ARITH Vector V2 V5;
    0x9e SCALAR_TENSOR_TENSOR_BITVEC Vector V2 V5;
    0x9f ENGINE_NOP Sequencer V2 V5;
    0xa0 EVENT_SEMAPHORE Sequencer V2 V5;
    0xa1 HALT Sequencer V2 V5;
    0xa2 DRAIN Sequencer V2 V5;
    0xa3 INSTRUCTION_FLUSH Sequencer V2 V5;
    0xa4 NOP Sequencer V2 V5;
    0xa5 WRITE Sequencer V2 V5;
    0xa6 NOTIFY Sequencer V2 V5;
    0xa7 MOVE Sequencer V2 V5;
    0xa8 ALU_OP Sequencer V2 V5;
    0xa9 COMPARE_BRANCH Sequencer V2 V5;
    0xaa TENSOR_LOAD Sequencer V2 V5;
    0xab TENSOR_STORE Sequencer V2 V5;
    0xb0 EVENT_SEMAPHORE_RANGE_CLEAR Sequencer V2 V5;
    0xb1 SET_ORDERING_MODE Sequencer V2 V5;
    0xb2 MOVE_SHAPE Sequencer V2 V5;
    0xb3 POLL_SEM Sequencer V2 V5;
    0xb4 TEST_EVENT_SEM Sequencer V4 V5;
    0xb5 BRANCH_PREFETCH_HINT Sequencer V2 V5;
    0xb6 COMPACT_CONTROL_INST Sequencer V5 V5;
    0xb8 DMAMEMCPY Dma V2 V5;
    0xb9 DMA_MEMCPY2 Dma V5 V5;
    0xba DMA_IMMEDIATE Dma V5 V5;
    0xbb DMA_INDIRECT Dma V2 V5;
    0xbc RANGE_SELECT Dma V3 V5;
    0xbd DMA_TRANSPOSE Dma V3 V5;
    0xbe GET_SEQUENCE_BOUNDS Dma V3 V5;
    0xbf SB2SB_COLLECTIVE Dma V3 V5;
    0xc1 PSEUDO_DMATRIGGER Pseudo V2 V5;
    0xc2 PSEUDO_DMAREARM Pseudo V2 V5;
    0xc3 PSEUDO_DMABARRIER Pseudo V2 V5;
    0xc4 PSEUDO_DMAMEMCPY_FULL_IND Pseudo V2 V5;
    0xc5 PSEUDO_SEMAPHORE_SET Pseudo V2 V5;
    0xc6 PSEUDO_LOAD_ACT_FUNC_SET Pseudo V2 V5;
    0xc7 PSEUDO_TRIGGER_ALL_REDUCE Pseudo V2 V5;
    0xc8 PSEUDO_TRIGGER_COLLECTIVE Pseudo V2 V5;
    0xc9 PSEUDO_READ_VAR_ADDR Pseudo V2 V5;
    0xca PSEUDO_EMBEDDING_UPDATE Pseudo V2 V5;
    0xcb PSEUDO_SEND_RECV Pseudo V2 V5;
    0xcc PSEUDO_BRANCH_LABEL Pseudo V2 V5;
    0xcd PSEUDO_TENSOR_STORE Pseudo V2 V5;
    0xce PSEUDO_TENSOR_LOAD Pseudo V2 V5;
    0xcf PSEUDO_DMASWAP_QUEUE_SET Pseudo V2 V5;
    0xd0 PSEUDO_SET_RNG_SEED Pseudo V2 V5;
    0xd1 PSEUDO_FUNCTION_BEGIN Pseudo V2 V5;
    0xd2 PSEUDO_FUNCTION_RETURN Pseudo V2 V5;
    0xd3 PSEUDO_FUNCTION_CALL Pseudo V2 V5;
    0xd4 PSEUDO_DMA_DIRECT2D Pseudo V2 V5;
    0xd5 PSEUDO_SYNC_BARRIER Pseudo V2 V5;
    0xd6 PSEUDO_RANGE_CHECK Pseudo V2 V5;
    0xd7 PSEUDO_JPEG_DECODE Pseudo V3 V5;
    0xd8 PSEUDO_CORE_BARRIER Pseudo V2 V5;
    0xd9 PSEUDO_TRIGGER_COLLECTIVE2 Pseudo V2 V5;
    0xda PSEUDO_EXTENSION Pseudo V2 V5;
    0xdb PSEUDO_CUR_PROCESSING_RANK_ID Pseudo V2 V5;
    0xdc PSEUDO_GID_LOAD Pseudo V2 V5;
    0xdd PSEUDO_BRANCH_PREFETCH_HINT Pseudo V2 V5;
    0xde PSEUDO_TENSOR_COMPLETION Pseudo V2 V5;
    0xdf PSEUDO_INST Pseudo V2 V5;
    0xe0 SPARSITY_COMPRESS Vector V4 V5;
    0xe1 SPARSITY_COMPRESS_TAG Vector V4 V5;
    0xe2 RAND2 Vector V4 V5;
    0xe3 QUANTIZE_MX Vector V4 V5;
    0xe4 CONV_LUT_LOAD Vector V3 V5;
    0xe5 TENSOR_TENSOR_SCAN_ARITH Vector V2 V5;
    0xe6 TENSOR_SCALAR_CACHE_CUMULATIVE Vector V2 V5;
    0xe7 INDIRECT_COPY Vector V2 V5;
    0xe8 COPY_PREDICATED_SCALAR Vector V2 V5;
    0xe9 DVE_READ_INDICES Vector V3 V5;
    0xea SELECT_REDUCE Vector V2 V5;
    0xf0 EXTENDED_INST Gpsimd V2 V5;
    0xf1 DMA_GATHER_TRANSPOSE Gpsimd V3 V5;
    0xf2 NONZERO_WITH_COUNT Gpsimd V3 V5;
    0xf3 TENSOR_TENSOR_INT_WIDE Gpsimd V5 V5;
    0xf4 TENSOR_SCALAR_INT_WIDE Gpsimd V5 V5;
    0xff INVALID None V2 V5;
}

/// Row of a code that the table does not have.
const NO_ROW: u8 = u8::MAX;

/// Row of [`OPCODES`] for each code, so that a lookup is two loads.
static BY_CODE: [u8; 256] = {
    let mut rows = [NO_ROW; 256];
    let mut row = 0;
    while row < OPCODES.len() {
        rows[OPCODES[row].opcode.0 as usize] = row as u8;
        row += 1;
    }
    rows
};

const _: () = assert!(OPCODES.len() < NO_ROW as usize);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generations_have_as_many_codes_as_their_enums() {
        let count = |g| OPCODES.iter().filter(|info| info.is_in(g)).count();
        assert_eq!(Generation::ALL.map(count), [145, 150, 159, 165]);
    }

    #[test]
    fn codes_ascend_and_are_found() {
        assert!(OPCODES.is_sorted_by_key(|info| info.opcode));
        for info in OPCODES {
            assert_eq!(info.opcode.info(), Some(info));
            let pseudo = info.class == EngineClass::Pseudo;
            assert_eq!(info.opcode.is_pseudo(), pseudo, "{:?}", info.opcode);
        }
        let found = (0..=255).filter(|&code| Opcode(code).mnemonic().is_some()).count();
        assert_eq!(found, OPCODES.len());
    }

    #[test]
    fn names_follow_the_enums() {
        for (code, name) in [
            (0x02, "MATMUL"),
            (0x46, "COPY"),
            (0xa0, "EVENT_SEMAPHORE"),
            (0xc1, "PSEUDO_DMATRIGGER"),
            (0xc8, "PSEUDO_TRIGGER_COLLECTIVE"),
            (0xff, "INVALID"),
        ] {
            assert_eq!(Opcode(code).mnemonic(), Some(name));
        }
        assert_eq!(Opcode(0xc1).asm_name(), Some("PSEUDO_DMA_TRIGGER"));
        assert_eq!(Opcode(0xc8).asm_name(), Some("PSEUDO_TRIGGER_COLLECTIVE"));
        assert_eq!(Opcode(0x97).mnemonic(), None);
        assert_eq!(Opcode(0xc0).mnemonic(), None);
        assert!(Opcode(0xc0).is_pseudo() && !Opcode(0xe0).is_pseudo());
    }

    #[test]
    fn availability_is_per_generation() {
        let jpeg = Opcode::PSEUDO_JPEG_DECODE.info().unwrap();
        assert!(!jpeg.is_in(Generation::V2) && jpeg.is_in(Generation::V3));
        let bf16 = Opcode(0x8a).info().unwrap();
        assert!(bf16.is_in(Generation::V2) && !bf16.is_in(Generation::V3));
        let compact = Opcode::COMPACT_CONTROL_INST.info().unwrap();
        assert!(!compact.is_in(Generation::V4) && compact.is_in(Generation::V5));
    }
}
