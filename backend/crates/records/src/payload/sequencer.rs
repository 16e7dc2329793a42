//! Payloads of the instructions that every engine's sequencer runs itself.

use super::FieldDef;
use crate::slot::Slot;
use zerocopy::little_endian::{I32, U16, U32, U64};

payload! {
    /// `EVENT_SEMAPHORE`: a second wait and update. The pair is no list of fields here: it is read
    /// with [`crate::sync::Sync`].
    /// Spec: docs/format/streams.md "Second pair" [observed].
    EventSemaphore {
        0x0c gap_0c: [u8; 20];
        0x20 pair: crate::sync::SyncPair;
        0x2c gap_2c: [u8; 20];
    }
}

payload! {
    /// `DRAIN`: waits until the engine's work is done.
    /// Spec: docs/format/streams.md "Sequencer payloads" [observed].
    Drain {
        0x0c gap_0c: [u8; 28];
        0x28 count: u8 = Mode Other Observed "count";
        0x29 gap_29: [u8; 23];
    }
}

payload! {
    /// `NOP`: carries a wait or an update, or stands in for a record that makes nothing.
    /// Spec: docs/format/streams.md "Sequencer payloads" [observed].
    Nop {
        0x0c rows: U32 = Dec Other Observed "row count; 1 on event records of the runtime";
        0x10 gap_10: [u8; 48];
    }
}

payload! {
    /// `WRITE`: writes one value, or two, to device addresses.
    /// Spec: docs/format/streams.md "Sequencer payloads" [observed].
    Write {
        0x0c size: u8 = Dec Other Observed "bytes of the first write";
        0x0d size1: u8 = Dec Other Observed "bytes of the second write, 0 for none";
        0x0e gap_0e: [u8; 2];
        0x10 address: U64 = DeviceAddress Address Observed "address of the first write";
        0x18 address1: U64 = DeviceAddress Address Observed "address of the second write";
        0x20 value: U64 = Hex Other Observed "first value";
        0x28 value1: U64 = Hex Other Observed "second value";
        0x30 gap_30: [u8; 16];
    }
}

impl Write {
    const ONE: &'static [FieldDef] =
        &[Self::FIELDS[0], Self::FIELDS[1], Self::FIELDS[2], Self::FIELDS[4]];

    /// The fields that this record uses: those of the second write only if it has one.
    pub fn fields_in(slot: &Slot) -> &'static [FieldDef] {
        if Self::of(slot).size1 == 0 { Self::ONE } else { Self::FIELDS }
    }
}

payload! {
    /// `NOTIFY`: tells the host where the engine is.
    /// Spec: docs/format/streams.md "Sequencer payloads" [observed].
    Notify {
        0x0c gap_0c: [u8; 24];
        0x24 id: U32 = Hex Other Observed "what is told; 0x01000000 plus a number for phases";
        0x28 gap_28: [u8; 4];
        0x2c detail: U32 = Hex Other Inferred "further information of the exception report";
        0x30 gap_30: [u8; 16];
    }
}

payload! {
    /// `MOVE`: puts a 32-bit constant into a register.
    /// Spec: docs/format/streams.md "Sequencer payloads" [observed; the parts of the halfword inferred].
    Move {
        0x0c source_mode: u8 = Dec Other Inferred "1 for a constant";
        0x0d dtype: u8 = Dtype Dtype Inferred "type of the value";
        0x0e gap_0e: [u8; 18];
        0x20 value: U32 = Hex Other Observed "the constant";
        0x24 gap_24: [u8; 28];
    }
}

payload! {
    /// `ALU_OP`: computes on registers.
    /// Spec: docs/format/streams.md "Sequencer payloads" [observed].
    Alu {
        0x0c op: u8 = AluOp Other Observed "operation";
        0x0d dtype: u8 = Dtype Dtype Observed "type of the values";
        0x0e source_mode: u8 = Mode Other Observed "second operand: 1 a constant, 0 a register";
        0x0f gap_0f: u8;
        0x10 src: U16 = Register Other Observed "register of the first operand";
        0x12 src1: U16 = Register Other Observed "register of the second operand";
        0x14 dst: U32 = Register Other Observed "register of the result";
        0x18 immediate: U64 = Hex Other Observed "the constant";
        0x20 gap_20: [u8; 32];
    }
}

impl Alu {
    const F: &'static [FieldDef] = Self::FIELDS;
    const CONSTANT: &'static [FieldDef] =
        &[Self::F[0], Self::F[1], Self::F[2], Self::F[3], Self::F[5], Self::F[6]];
    const REGISTER: &'static [FieldDef] =
        &[Self::F[0], Self::F[1], Self::F[2], Self::F[3], Self::F[4], Self::F[5]];

    /// The fields that this record uses: the constant, or the second register.
    pub fn fields_in(slot: &Slot) -> &'static [FieldDef] {
        match Self::of(slot).source_mode {
            0 => Self::REGISTER,
            1 => Self::CONSTANT,
            _ => Self::FIELDS,
        }
    }
}

payload! {
    /// `COMPARE_BRANCH`: goes elsewhere, always or if a register compares.
    /// Spec: docs/format/streams.md "Branches" [observed].
    Branch {
        0x0c condition: u8 = Condition Other Observed "condition";
        0x0d dtype: u8 = Dtype Dtype Observed "type of the compared values";
        0x0e target: u8 = BranchTarget Other Observed "what the target is";
        0x0f gap_0f: u8;
        0x10 immediate: U32 = Mode Other Observed "compared constant";
        0x14 gap_14: [u8; 12];
        0x20 register: u8 = Register Other Observed "compared register";
        0x21 gap_21: u8;
        0x22 target_low: u8 = Register Other Observed "register of the target's low word";
        0x23 target_high: u8 = Register Other Observed "register of the target's high word";
        0x24 gap_24: [u8; 12];
        0x30 distance: I32 = Distance Other Observed "bytes from this record to the target";
        0x34 distance_high: U32 = Hex Other Observed "always 0: the distance is zero-extended";
        0x38 gap_38: [u8; 8];
    }
}

impl Branch {
    const F: &'static [FieldDef] = Self::FIELDS;
    const JUMP_TO_REGISTER: &'static [FieldDef] =
        &[Self::F[0], Self::F[1], Self::F[2], Self::F[5], Self::F[6]];
    const JUMP: &'static [FieldDef] = &[Self::F[0], Self::F[1], Self::F[2], Self::F[7], Self::F[8]];
    const IF_REGISTER: &'static [FieldDef] =
        &[Self::F[0], Self::F[1], Self::F[2], Self::F[3], Self::F[4], Self::F[5], Self::F[6]];
    const IF: &'static [FieldDef] =
        &[Self::F[0], Self::F[1], Self::F[2], Self::F[3], Self::F[4], Self::F[7], Self::F[8]];

    /// The fields that this record uses, by its condition and target.
    pub fn fields_in(slot: &Slot) -> &'static [FieldDef] {
        let branch = Self::of(slot);
        match (branch.condition, branch.target) {
            (0, 1) => Self::JUMP_TO_REGISTER,
            (0, 3) => Self::JUMP,
            (_, 1) => Self::IF_REGISTER,
            (_, 3) => Self::IF,
            _ => Self::FIELDS,
        }
    }
}

payload! {
    /// `TENSOR_LOAD` and `TENSOR_STORE`: device memory to a register and back, or constants to
    /// device memory.
    /// Spec: docs/format/streams.md "Sequencer payloads" [observed; dimensions inferred].
    LoadStore {
        0x0c dtype: u8 = Dtype Dtype Observed "type of the value";
        0x0d constants: u8 = Mode Other Inferred "1 if the values are in the record, 0 for a register";
        0x0e dims: u8 = Dec Pattern Inferred "dimensions of the target";
        0x0f count: u8 = Dec Pattern Observed "values";
        0x10 address: U64 = DeviceAddress Address Observed "device address";
        0x18 step0: U32 = Dec Pattern Observed "step between the words of a value, in words";
        0x1c step1: U32 = Dec Pattern Observed "step between values, in words";
        0x20 values: [U64; 4] = HexList Other Observed "constants; the register in the first word otherwise";
    }
}

impl LoadStore {
    const F: &'static [FieldDef] = Self::FIELDS;
    const REGISTER: &'static [FieldDef] =
        &[Self::F[0], Self::F[1], Self::F[2], Self::F[3], Self::F[4], REGISTER_WORD];

    /// The fields that this record uses: a register or constants.
    pub fn fields_in(slot: &Slot) -> &'static [FieldDef] {
        if Self::of(slot).constants == 0 { Self::REGISTER } else { Self::FIELDS }
    }

    /// The register of a record without constants.
    pub fn register(&self) -> u32 {
        // The register is the low word of the first value.
        self.values.first().map_or(0, |value| value.get() as u32)
    }
}

/// Word `0x20` of a load or store through a register.
const REGISTER_WORD: FieldDef = FieldDef {
    offset: 0x20,
    bytes: 4,
    name: "register",
    meaning: "register that is loaded or stored",
    form: super::Form::Register,
    kind: super::FieldKind::Other,
    confidence: super::Confidence::Observed,
};

payload! {
    /// `EVENT_SEMAPHORE_RANGE_CLEAR`: sets semaphores to 0.
    /// Spec: docs/format/streams.md "Sequencer payloads" [observed].
    RangeClear {
        0x0c mode: u8 = Mode Other Observed "1 a range, 2 a bit mask";
        0x0d first: u8 = Semaphore Other Observed "first semaphore of the range";
        0x0e last: u8 = Semaphore Other Observed "last semaphore of the range";
        0x0f gap_0f: [u8; 17];
        0x20 mask: [u8; 32] = Mask Other Observed "one bit a semaphore";
    }
}

impl RangeClear {
    const F: &'static [FieldDef] = Self::FIELDS;
    const RANGE: &'static [FieldDef] = &[Self::F[0], Self::F[1], Self::F[2]];
    const BITS: &'static [FieldDef] = &[Self::F[0], Self::F[3]];

    /// The fields that this record uses: the range or the mask.
    pub fn fields_in(slot: &Slot) -> &'static [FieldDef] {
        match Self::of(slot).mode {
            1 => Self::RANGE,
            2 => Self::BITS,
            _ => Self::FIELDS,
        }
    }
}

payload! {
    /// `SET_ORDERING_MODE`: how memory operations may pass each other.
    /// Spec: docs/format/streams.md "Sequencer payloads" [observed; names of the modes unknown].
    Ordering {
        0x0c mode: u8 = Mode Other Observed "mode: 0 in streams, 1 in the runtime's records";
        0x0d gap_0d: [u8; 51];
    }
}

payload! {
    /// `POLL_SEM`: polls a semaphore.
    /// Spec: docs/format/streams.md "Sequencer payloads" [observed; names of the modes unknown].
    PollSemaphore {
        0x0c mode: u8 = Mode Other Observed "mode";
        0x0d semaphore: u8 = Semaphore Other Observed "semaphore";
        0x0e dtype: u8 = Dtype Dtype Inferred "type of the value, 9 in every record";
        0x0f gap_0f: [u8; 49];
    }
}
