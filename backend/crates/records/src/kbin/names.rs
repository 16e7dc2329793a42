//! Numbers with names in KBIN records. Values without a name stay numbers.
//! Spec: docs/format/kbin.md "Enumerations" [observed].

/// Names of the values of one enumeration.
#[derive(Debug, PartialEq, Eq)]
pub struct NameTable {
    /// Name of the enumeration in the runtime.
    pub name: &'static str,
    /// Value and name, ascending by value.
    pub values: &'static [(i32, &'static str)],
}

impl NameTable {
    /// Name of a value.
    pub fn name_of(&self, value: i32) -> Option<&'static str> {
        self.values.iter().find(|(known, _)| *known == value).map(|(_, name)| *name)
    }
}

macro_rules! names {
    ($(#[$doc:meta])* $table:ident $name:literal $(#[$type_doc:meta])* $type:ident {
        $($constant:ident = $value:literal $text:literal;)*
    }) => {
        $(#[$doc])*
        pub static $table: NameTable =
            NameTable { name: $name, values: &[$(($value, $text)),*] };

        $(#[$type_doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(pub i32);

        impl $type {
            $(
                #[doc = concat!("`", $text, "`.")]
                pub const $constant: Self = Self($value);
            )*

            /// Name of the value.
            pub fn name(self) -> Option<&'static str> {
                $table.name_of(self.0)
            }

            /// The value as it is stored.
            pub const fn stored(self) -> u32 {
                self.0 as u32
            }
        }
    };
}

names! {
    /// Names of [`MrType`].
    MR_TYPE "kbin_mr_type"
    /// Kind of a variable.
    MrType {
        INVALID = 0 "INVALID";
        SB = 1 "SB";
        BUFFER_STAGED = 2 "BUFFER_STAGED";
        BUFFER = 3 "BUFFER";
        TMP_BUF = 4 "TMP_BUF";
        INPUT = 5 "INPUT";
        OUTPUT = 6 "OUTPUT";
        PTR = 7 "PTR";
        VIRTUAL_TMP_BUF = 8 "VIRTUAL_TMP_BUF";
        LIST = 9 "LIST";
        PTR_TABLE = 10 "PTR_TABLE";
        REMOTE = 11 "REMOTE";
    }
}

names! {
    /// Names of [`BackingBuf`].
    BACKING_BUF "kbin_backing_buf"
    /// Which scratchpad backs a virtual variable.
    BackingBuf {
        LOCAL = 0 "LOCAL";
        SHARED = 1 "SHARED";
        SHARDED = 2 "SHARDED";
        MAIN = 3 "MAIN";
    }
}

names! {
    /// Names of [`RingType`].
    RING_TYPE "kbin_dma_ring_type"
    /// What a descriptor ring is for.
    RingType {
        ENG = 0 "ENG";
        H2T = 1 "H2T";
        H2T_SERVICE = 2 "H2T_SERVICE";
        H2T_COPY = 3 "H2T_COPY";
        COLLECTIVES = 4 "COLLECTIVES";
        MODEL = 5 "MODEL";
        DATA = 6 "DATA";
        IN = 7 "IN";
        OUT = 8 "OUT";
        INDIRECT_MEMCPY = 9 "INDIRECT_MEMCPY";
        ACT_TBL = 10 "ACT_TBL";
        DYNAMIC_ACT_TBL = 11 "DYNAMIC_ACT_TBL";
        DVE_TBL = 12 "DVE_TBL";
        IOQ_SWITCHER = 13 "IOQ_SWITCHER";
        TOPSP_INIT = 14 "TOPSP_INIT";
        EMBEDDING_UPDATE = 15 "EMBEDDING_UPDATE";
        CUSTOM_OP = 16 "CUSTOM_OP";
        GENERIC = 17 "GENERIC";
        LAST = 18 "LAST";
    }
}

names! {
    /// Names of [`CarveoutType`].
    CARVEOUT_TYPE "kbin_sb_carveout_type"
    /// What a reserved area of the state buffer is for.
    CarveoutType {
        INVALID = 0 "INVALID";
        EVTACCEL = 1 "EVTACCEL";
    }
}

names! {
    /// Names of [`ArchType`].
    ARCH_TYPE "al_hal_tpb_arch_type"
    /// Generation of the device. A loader rejects 0.
    ArchType {
        INVALID = 0 "INVALID";
        INVALID_1 = 1 "INVALID_1";
        SUNDA = 2 "SUNDA";
        CAYMAN = 3 "CAYMAN";
        MARIANA = 4 "MARIANA";
        NUM = 5 "NUM";
    }
}

names! {
    /// Names of [`EngineType`].
    ENGINE_TYPE "al_hal_tpb_eng_type"
    /// Engine, by its code.
    EngineType {
        PE = 0 "PE";
        ACT = 1 "ACT";
        POOL = 2 "POOL";
        DVE = 3 "DVE";
        SP = 4 "SP";
        MAX = 5 "MAX";
    }
}

names! {
    /// Names of [`DescType`].
    DESC_TYPE "kbin_dma_desc_type"
    /// What a descriptor does; selects the arm of its union.
    DescType {
        DATA = 0 "DATA";
        EVENT = 1 "EVENT";
        INC_SEMA = 2 "INC_SEMA";
    }
}

names! {
    /// Names of [`DescOp`].
    DESC_OP "kbin_dma_desc_op"
    /// Operation of a data descriptor.
    DescOp {
        INVALID = -1 "INVALID";
        COPY = 0 "COPY";
        FMA = 1 "FMA";
        ADD = 2 "ADD";
        MIN = 3 "MIN";
        MAX = 4 "MAX";
        TRANSPOSE = 5 "TRANSPOSE";
        NUM = 6 "NUM";
    }
}

impl DescOp {
    /// The operation's code in the DMA engine's compute unit; `None` for an operation that has
    /// none, on which a loader stops with `Unsupported CCE Op! %u`.
    pub const fn compute_code(self) -> Option<u32> {
        match self {
            Self::ADD => Some(0),
            Self::FMA => Some(1),
            Self::MAX => Some(2),
            Self::MIN => Some(3),
            _ => None,
        }
    }
}

names! {
    /// Names of [`Dtype`].
    DTYPE "kbin_dtype"
    /// Element type.
    Dtype {
        INVALID = 0 "INVALID";
        FP8_E3 = 1 "FP8_E3";
        FP8_E4 = 2 "FP8_E4";
        FP8_E5 = 3 "FP8_E5";
        FP16 = 4 "FP16";
        FP32 = 5 "FP32";
        FP32R = 6 "FP32r";
        BF16 = 7 "BF16";
        UINT8 = 8 "UINT8";
        UINT16 = 9 "UINT16";
        UINT32 = 10 "UINT32";
        UINT64 = 11 "UINT64";
        INT8 = 12 "INT8";
        INT16 = 13 "INT16";
        INT32 = 14 "INT32";
        INT64 = 15 "INT64";
    }
}

/// Element types by their text in a definition.
/// Spec: docs/format/kbin.md "Element types" [observed].
pub const DTYPE_TEXTS: [(&str, Dtype); 19] = [
    ("float8e3", Dtype::FP8_E3),
    ("float8e4", Dtype::FP8_E4),
    ("float8e5", Dtype::FP8_E5),
    ("float16", Dtype::FP16),
    ("float32", Dtype::FP32),
    ("float32r", Dtype::FP32R),
    ("bfloat16", Dtype::BF16),
    ("uint8", Dtype::UINT8),
    ("uint16", Dtype::UINT16),
    ("uint32", Dtype::UINT32),
    ("uint64", Dtype::UINT64),
    ("int8", Dtype::INT8),
    ("int16", Dtype::INT16),
    ("int32", Dtype::INT32),
    ("int64", Dtype::INT64),
    ("float8_e4m3fn", Dtype::FP8_E4),
    ("float8_e4m3fn_x4", Dtype::UINT32),
    ("float8_e5m2_x4", Dtype::UINT32),
    ("float4_e2m1fn_x4", Dtype::UINT16),
];

/// Code in the DMA engine and bytes, by element type 1 to 15.
const DTYPE_CODES: [(u32, u64); 15] = [
    (13, 1),
    (14, 1),
    (15, 1),
    (7, 2),
    (10, 4),
    (11, 4),
    (6, 2),
    (3, 1),
    (5, 2),
    (9, 4),
    (1, 8),
    (2, 1),
    (4, 2),
    (8, 4),
    (12, 8),
];

impl Dtype {
    /// The element type of a text in a definition.
    pub fn of_text(text: &str) -> Option<Self> {
        DTYPE_TEXTS.iter().find(|(known, _)| *known == text).map(|(_, dtype)| *dtype)
    }

    fn codes(self) -> Option<(u32, u64)> {
        DTYPE_CODES.get(usize::try_from(self.0.checked_sub(1)?).ok()?).copied()
    }

    /// Code in the DMA engine and in instructions; `None` for a type without one, on which a
    /// loader stops with `Unsupported data type!: %u`.
    pub fn dma_code(self) -> Option<u32> {
        self.codes().map(|(code, _)| code)
    }

    /// Bytes of an element; `None` for an unknown type.
    pub fn bytes(self) -> Option<u64> {
        self.codes().map(|(_, bytes)| bytes)
    }
}
