//! Small values inside payloads: element types, operations, conditions, addresses, patterns.

/// An element type code.
/// Spec: docs/format/streams.md "Element types" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Dtype(pub u8);

impl Dtype {
    /// The name as the `.asm` members write it (`fp32` is the only one seen there); `None` for a
    /// code without a type.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0x00 => "invalid",
            0x01 => "uint64",
            0x02 => "int8",
            0x03 => "uint8",
            0x04 => "int16",
            0x05 => "uint16",
            0x06 => "bf16",
            0x07 => "fp16",
            0x08 => "int32",
            0x09 => "uint32",
            0x0a => "fp32",
            0x0b => "fp32r",
            0x0c => "int64",
            0x0d => "fp8e3",
            0x0e => "fp8e4",
            0x0f => "fp8e5",
            0x10 => "fp4",
            0x19..=0x1f => "cptc",
            _ => return None,
        })
    }

    /// Bytes of an element; `None` where it is not a whole number or not known.
    pub const fn bytes(self) -> Option<u8> {
        Some(match self.0 {
            0x01 | 0x0c => 8,
            0x02 | 0x03 | 0x0d..=0x0f => 1,
            0x04..=0x07 => 2,
            0x08..=0x0b => 4,
            _ => return None,
        })
    }

    /// The two types of a packed byte: low half first.
    pub const fn pair(byte: u8) -> (Self, Self) {
        (Self(byte & 0x0f), Self(byte >> 4))
    }
}

/// The name of an arithmetic or logic operation in capitals, as the `.asm` members write it;
/// `None` for a code without a name.
/// Spec: docs/format/streams.md "Operations" [observed].
pub fn alu_op_name(code: u8) -> Option<&'static str> {
    const NAMES: [&str; 30] = [
        "BYPASS", "NOT", "ASL", "ASR", "ADD", "SUB", "MULT", "DIV", "MAX", "MIN", "AND", "OR",
        "XOR", "LAND", "LOR", "LXOR", "LSL", "LSR", "EQ", "GT", "GE", "LE", "LT", "ABSDIFF", "NE",
        "ABS", "POW", "MOD", "CRC32", "RSQRT",
    ];
    NAMES.get(usize::from(code)).copied()
}

/// The name of a kind of collective as the `.asm` members write it; only one is known.
/// Spec: docs/format/streams.md "Collective payloads" [observed].
pub const fn collective_name(ctype: u8) -> Option<&'static str> {
    match ctype {
        1 => Some("ALL_REDUCE"),
        _ => None,
    }
}

/// Condition of a branch: compares a register with a constant, or with another register.
/// Spec: docs/format/streams.md "Branches" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Condition(pub u8);

impl Condition {
    /// `always LT LE EQ NE GE GT` and the same with `_REG`; `None` for a code without a meaning.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self.0 {
            0 => "always",
            1 => "LT",
            2 => "LE",
            3 => "EQ",
            4 => "NE",
            5 => "GE",
            6 => "GT",
            9 => "LT_REG",
            10 => "LE_REG",
            11 => "EQ_REG",
            12 => "NE_REG",
            13 => "GE_REG",
            14 => "GT_REG",
            _ => return None,
        })
    }

    /// The sign, `< <= == != >= >`; `None` for always and for a code without a meaning.
    pub const fn sign(self) -> Option<&'static str> {
        Some(match self.0 {
            1 | 9 => "<",
            2 | 10 => "<=",
            3 | 11 => "==",
            4 | 12 => "!=",
            5 | 13 => ">=",
            6 | 14 => ">",
            _ => return None,
        })
    }

    /// Whether the right side is a register.
    pub const fn with_register(self) -> bool {
        matches!(self.0, 9..=14)
    }
}

/// What a branch goes to.
/// Spec: docs/format/streams.md "Branches" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BranchTarget(pub u8);

impl BranchTarget {
    /// An address in two registers.
    pub const REGISTER: Self = Self(1);
    /// A byte distance in the record.
    pub const RELATIVE: Self = Self(3);
    /// A byte distance in a register.
    pub const RELATIVE_REGISTER: Self = Self(4);

    /// `register`, `relative`, `relative_register`; `None` for a code without a meaning.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::REGISTER => Some("register"),
            Self::RELATIVE => Some("relative"),
            Self::RELATIVE_REGISTER => Some("relative_register"),
            _ => None,
        }
    }
}

/// An address inside a core, as compute instructions hold it.
/// Spec: docs/format/streams.md "Addresses" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LocalAddress(pub u32);

/// Where a [`LocalAddress`] points.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Place {
    /// The state buffer.
    StateBuffer {
        /// First partition.
        partition: u8,
        /// Byte inside each partition.
        byte: u32,
    },
    /// The accumulation memory.
    Psum {
        /// Byte from its start.
        byte: u32,
    },
    /// Above what is known of PSUM.
    Unknown,
}

impl LocalAddress {
    /// Bytes of address space of one state buffer partition.
    pub const PARTITION_STRIDE: u32 = 1 << 18;
    /// First address of PSUM; the state buffer lies below.
    pub const PSUM: u32 = 0x0200_0000;

    /// Splits the address. PSUM takes what a partition's stride of addresses holds above its base.
    pub const fn place(self) -> Place {
        match self.0.checked_sub(Self::PSUM) {
            None => Place::StateBuffer {
                // Below PSUM there are 128 strides.
                partition: (self.0 / Self::PARTITION_STRIDE) as u8,
                byte: self.0 % Self::PARTITION_STRIDE,
            },
            Some(byte) if byte < Self::PARTITION_STRIDE => Place::Psum { byte },
            Some(_) => Place::Unknown,
        }
    }
}

/// Steps and counts of an operand over one partition, innermost first.
/// Spec: docs/format/streams.md "Patterns" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    /// Steps in elements.
    pub steps: [i16; 4],
    /// Counts; 1 in the dimensions that the record does not have.
    pub counts: [u16; 4],
}

impl Pattern {
    /// A pattern of three dimensions.
    pub fn of3(
        steps: [zerocopy::little_endian::I16; 3],
        counts: [zerocopy::little_endian::U16; 3],
    ) -> Self {
        let [s0, s1, s2] = steps.map(|step| step.get());
        let [c0, c1, c2] = counts.map(|count| count.get());
        Self { steps: [s0, s1, s2, 0], counts: [c0, c1, c2, 1] }
    }

    /// A pattern of four dimensions.
    pub fn of4(
        steps: [zerocopy::little_endian::I16; 4],
        counts: [zerocopy::little_endian::U16; 4],
    ) -> Self {
        Self { steps: steps.map(|step| step.get()), counts: counts.map(|count| count.get()) }
    }

    /// Number of elements visited.
    pub fn product(&self) -> u64 {
        self.counts.iter().map(|&count| u64::from(count)).product()
    }

    /// First and last byte touched, relative to the address, for elements of this size; `None` if
    /// the pattern visits nothing.
    pub fn extent(&self, element_bytes: u8) -> Option<(i64, i64)> {
        let size = i64::from(element_bytes);
        let (mut low, mut high) = (0, size - 1);
        for (&step, &count) in self.steps.iter().zip(&self.counts) {
            let reach = i64::from(step) * (i64::from(count) - 1) * size;
            if count == 0 {
                return None;
            }
            low += reach.min(0);
            high += reach.max(0);
        }
        Some((low, high))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_split_into_partition_and_byte() {
        let sb = |partition, byte| Place::StateBuffer { partition, byte };
        assert_eq!(LocalAddress(0x37cfe).place(), sb(0, 0x37cfe));
        assert_eq!(LocalAddress(3 << 18 | 0x10).place(), sb(3, 0x10));
        assert_eq!(LocalAddress(0x1ff_ffff).place(), sb(127, 0x3ffff));
        assert_eq!(LocalAddress(0x200_0800).place(), Place::Psum { byte: 0x800 });
        assert_eq!(LocalAddress(0x204_0000).place(), Place::Unknown);
    }

    #[test]
    fn backward_weights_reach_back_from_the_last_element() {
        // 128 fp16 weights read backwards: 4 groups of 32, each 32 below the one before.
        let pattern = Pattern { steps: [-1, 0, -32, 0], counts: [32, 1, 4, 1] };
        assert_eq!(pattern.product(), 128);
        assert_eq!(pattern.extent(2), Some((-254, 1)));
        let empty = Pattern { steps: [1; 4], counts: [1, 0, 1, 1] };
        assert_eq!((empty.product(), empty.extent(2)), (0, None));
    }

    #[test]
    fn codes_have_their_names() {
        assert_eq!(Dtype(0x0a).name(), Some("fp32"));
        assert_eq!(Dtype::pair(0x7a), (Dtype(0x0a), Dtype(0x07)));
        assert_eq!((Dtype(0x11).name(), Dtype(0x10).bytes()), (None, None));
        assert_eq!(alu_op_name(4), Some("ADD"));
        assert_eq!(alu_op_name(0x12), Some("EQ"));
        assert_eq!(alu_op_name(0x1d), Some("RSQRT"));
        assert_eq!(alu_op_name(0x1e), None);
        assert_eq!((Condition(14).name(), Condition(7).name()), (Some("GT_REG"), None));
    }
}
