//! Payloads of collective operations and of what goes with them.

use super::{Confidence, FieldDef, FieldKind, Form};
use zerocopy::little_endian::{U16, U32, U64};

payload! {
    /// `PSEUDO_TRIGGER_COLLECTIVE`: starts a collective operation.
    /// Spec: docs/format/streams.md "Collective payloads" [observed].
    Collective {
        0x0c op: u8 = AluOp Other Observed "reduction";
        0x0d dtype: u8 = Dtype Dtype Observed "element type";
        0x0e group_id: U16 = Dec Other Observed "replica group";
        0x10 input_tensor_id: U32 = Variable Address Observed "input variable";
        0x14 output_tensor_id: U32 = Variable Address Observed "output variable";
        0x18 num_elements: U64 = Dec Pattern Observed "elements";
        0x20 ctype: u8 = Collective Other Observed "kind of collective";
        0x21 gap_21: [u8; 15];
        0x30 src_offset: U64 = Hex Other Observed "byte offset in the input";
        0x38 dst_offset: U64 = Hex Other Observed "byte offset in the output";
    }
}

payload! {
    /// `PSEUDO_TRIGGER_ALL_REDUCE`: the older record for an all-reduce, without kind and group.
    /// Spec: docs/format/streams.md "Collective payloads" [observed].
    AllReduce {
        0x0c op: u8 = AluOp Other Observed "reduction";
        0x0d dtype: u8 = Dtype Dtype Observed "element type";
        0x0e gap_0e: [u8; 2];
        0x10 input_tensor_id: U32 = Variable Address Observed "input variable";
        0x14 output_tensor_id: U32 = Variable Address Observed "output variable";
        0x18 num_elements: U64 = Dec Pattern Observed "elements";
        0x20 gap_20: [u8; 16];
        0x30 src_offset: U64 = Hex Other Observed "byte offset in the input";
        0x38 dst_offset: U64 = Hex Other Observed "byte offset in the output";
    }
}

payload! {
    /// `PSEUDO_TRIGGER_COLLECTIVE2`: starts a collective operation together with the
    /// `PSEUDO_EXTENSION` that follows. What the two sources hold is not known.
    /// Spec: docs/format/streams.md "Collective payloads" [observed].
    Collective2 {
        0x0c op: u8 = AluOp Other Observed "reduction";
        0x0d dtype: u8 = Dtype Dtype Observed "element type";
        0x0e ctype: u8 = Collective Other Observed "kind of collective";
        0x0f dim: u8 = Dec Pattern Observed "dimension";
        0x10 source0: [U64; 3] = HexList Address Observed "first source";
        0x28 source1: [U64; 3] = HexList Address Observed "second source";
    }
}

payload! {
    /// `PSEUDO_EXTENSION`: more of the record before it. It uses the head's bytes for its own
    /// fields, so `head` must not be read as a head; [`Extension::ALL_FIELDS`] has them all.
    /// Spec: docs/format/streams.md "Collective payloads" [observed; widths inferred].
    Extension {
        0x0c gap_0c: [u8; 29];
        0x29 priority: u8 = Mask Other Observed "priority in the low 3 bits";
        0x2a gap_2a: [u8; 22];
    }
}

impl Extension {
    /// All fields with a meaning, those in place of the head included.
    pub const ALL_FIELDS: &'static [FieldDef] = &[
        in_head(0x01, 1, "chaining", "chaining, in place of the size", Confidence::Observed),
        in_head(0x02, 2, "group_id", "replica group", Confidence::Inferred),
        in_head(0x04, 2, "channel", "channel", Confidence::Inferred),
        in_head(0x06, 2, "stream", "stream", Confidence::Inferred),
        in_head(0x08, 4, "destination", "destination", Confidence::Inferred),
        Self::FIELDS[0],
    ];
}

const fn in_head(
    offset: u8,
    bytes: u8,
    name: &'static str,
    meaning: &'static str,
    confidence: Confidence,
) -> FieldDef {
    let (form, kind) = (Form::Dec, FieldKind::Other);
    FieldDef { offset, bytes, name, meaning, form, kind, confidence }
}

payload! {
    /// `PSEUDO_SEND_RECV`: sends to a peer or receives from it.
    /// Spec: docs/format/streams.md "Collective payloads" [observed].
    SendRecv {
        0x0c tensor_id: U32 = Variable Address Observed "variable";
        0x10 peer: U64 = Dec Other Observed "peer";
        0x18 is_send: u8 = Flag Other Observed "1 send, 0 receive";
        0x19 gap_19: [u8; 23];
        0x30 offset: U64 = Hex Address Observed "byte offset in the variable";
        0x38 size: U64 = Dec Pattern Observed "bytes";
    }
}

payload! {
    /// `PSEUDO_CUR_PROCESSING_RANK_ID`: loads the rank whose data is being worked on. Field widths
    /// are inferred.
    /// Spec: docs/format/streams.md "Collective payloads" [observed; widths inferred].
    CurrentRank {
        0x0c group_id: U16 = Dec Other Inferred "replica group";
        0x0e channel: U16 = Dec Other Inferred "channel";
        0x10 iteration: U16 = Dec Other Inferred "iteration";
        0x12 register: U16 = Register Other Inferred "register of the result";
        0x14 stream: U16 = Dec Other Inferred "stream";
        0x16 gap_16: [u8; 42];
    }
}

payload! {
    /// `PSEUDO_CORE_BARRIER`: a barrier between the cores of a logical core.
    /// Spec: docs/format/streams.md "Collective payloads" [observed].
    CoreBarrier {
        0x0c id: U32 = Dec Other Observed "barrier";
        0x10 semaphore: U32 = Semaphore Other Observed "semaphore";
        0x14 gap_14: [u8; 44];
    }
}
