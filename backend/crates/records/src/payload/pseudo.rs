//! Payloads of the remaining runtime pseudo instructions: blocks, functions, checks.

use zerocopy::little_endian::U32;

payload! {
    /// `PSEUDO_BRANCH_LABEL`: the start of a block; makes no device record. Only label 0 was seen,
    /// so the place of the number is inferred.
    /// Spec: docs/format/streams.md "Block and function payloads" [inferred].
    Label {
        0x0c label: U32 = Mode Other Inferred "label";
        0x10 gap_10: [u8; 48];
    }
}

payload! {
    /// `PSEUDO_FUNCTION_BEGIN`: the start of a function; makes no device record.
    /// Spec: docs/format/streams.md "Block and function payloads" [observed].
    FunctionBegin {
        0x0c name: [u8; 36] = Text Other Observed "function";
        0x30 reset_semaphores: u8 = Flag Other Observed "whether returning resets semaphores";
        0x31 return_low: u8 = Register Other Observed "register of the return address, low word";
        0x32 return_high: u8 = Register Other Observed "register of the return address, high word";
        0x33 gap_33: [u8; 13];
    }
}

payload! {
    /// `PSEUDO_FUNCTION_CALL`: calls a function.
    /// Spec: docs/format/streams.md "Block and function payloads" [observed].
    FunctionCall {
        0x0c name: [u8; 36] = Text Other Observed "function";
        0x30 args_table: U32 = Variable Address Observed "variable of the argument table";
        0x34 gap_34: [u8; 12];
    }
}

payload! {
    /// `PSEUDO_RANGE_CHECK`: checks a value against a bound. Field widths are inferred.
    /// Spec: docs/format/streams.md "Block and function payloads" [observed; widths inferred].
    RangeCheck {
        0x0c gap_0c: [u8; 20];
        0x20 bound_size: U32 = Dec Other Inferred "size of the bound";
        0x24 gap_24: [u8; 12];
        0x30 label: U32 = Dec Other Inferred "label";
        0x34 gap_34: [u8; 12];
    }
}

payload! {
    /// `PSEUDO_EMBEDDING_UPDATE`: updates rows of a table. Field widths are inferred.
    /// Spec: docs/format/streams.md "Block and function payloads" [observed; widths inferred].
    EmbeddingUpdate {
        0x0c index_dtype: u8 = Dtype Dtype Observed "element type of the indices";
        0x0d gap_0d: [u8; 31];
        0x2c table: U32 = Hex Address Inferred "base of the table";
        0x30 elements: U32 = Dec Pattern Inferred "elements";
        0x34 sequence: U32 = Dec Pattern Inferred "length of the sequence";
        0x38 entries: U32 = Dec Pattern Inferred "entries of the table";
        0x3c gap_3c: [u8; 4];
    }
}

payload! {
    /// `PSEUDO_INST`: several small orders to the runtime.
    /// Spec: docs/format/streams.md "Block and function payloads" [observed].
    Instruction {
        0x0c code: u8 = Mode Other Observed "1 exit execution, 2 reload a library";
        0x0d gap_0d: [u8; 51];
    }
}
