//! Payloads of the compute engines.
//!
//! Operands are patterns over one partition, repeated over partitions. Steps count elements of the
//! operand's type; the innermost dimension comes first.

use zerocopy::little_endian::{F32, I16, U16, U32, U64};

payload! {
    /// `LDWEIGHTS`: loads weights into the tensor engine.
    /// Spec: docs/format/streams.md "Compute payloads" [observed].
    LoadWeights {
        0x0c gap_0c: [u8; 4];
        0x10 src: U32 = LocalAddress Address Observed "address of the weights";
        0x14 src_steps: [I16; 3] = I16List Pattern Observed "source steps in elements, innermost first";
        0x1a src_counts: [U16; 3] = U16List Pattern Observed "source counts, innermost first";
        0x20 dtype: u8 = Dtype Dtype Observed "element type of the weights";
        0x21 fp32_pass: u8 = Dec Other Observed "pass of a 32-bit product: 0 none, 1 first, 2 second";
        0x22 transpose: u8 = Flag Other Observed "whether the product only transposes";
        0x23 gap_23: [u8; 3];
        0x26 rows: u8 = Dec Pattern Observed "rows";
        0x27 columns: u8 = Dec Pattern Observed "columns";
        0x28 gap_28: [u8; 4];
        0x2c row_groups: u8 = Mask Other Observed "row groups in use, one bit each";
        0x2d column_groups: u8 = Mask Other Observed "column groups in use, one bit each";
        0x2e unnamed_2e: u8 = Hex Other Unknown "set on Sunda only; meaning unknown";
        0x2f gap_2f: [u8; 17];
    }
}

payload! {
    /// `MATMUL`: multiplies moving data with the loaded weights into PSUM.
    /// Spec: docs/format/streams.md "Compute payloads" [observed].
    Matmul {
        0x0c gap_0c: [u8; 4];
        0x10 src: U32 = LocalAddress Address Observed "address of the moving data";
        0x14 src_steps: [I16; 3] = I16List Pattern Observed "source steps in elements, innermost first";
        0x1a src_counts: [U16; 3] = U16List Pattern Observed "source counts, innermost first";
        0x20 dtype: u8 = Dtype Dtype Observed "element type of the moving data";
        0x21 fp32_pass: u8 = Dec Other Observed "pass of a 32-bit product: 0 none, 3 usual, 2 transpose on Sunda";
        0x22 transpose: u8 = Flag Other Observed "whether the product only transposes";
        0x23 gap_23: [u8; 3];
        0x26 rows: u8 = Dec Pattern Observed "rows";
        0x27 columns: u8 = Dec Pattern Observed "columns";
        0x28 gap_28: [u8; 3];
        0x2b accumulate: u8 = Mask Other Observed "bit 0 first write of a group, bit 1 last";
        0x2c row_groups: u8 = Mask Other Observed "row groups in use, one bit each";
        0x2d column_groups: u8 = Mask Other Observed "column groups in use, one bit each";
        0x2e unnamed_2e: u8 = Hex Other Unknown "set on Sunda only; meaning unknown";
        0x2f gap_2f: u8;
        0x30 dst: U32 = LocalAddress Address Observed "address of the result";
        0x34 dst_steps: [I16; 3] = I16List Pattern Observed "target steps in elements, innermost first";
        0x3a dst_counts: [U16; 3] = U16List Pattern Observed "target counts, innermost first";
    }
}

payload! {
    /// `ACTIVATE`: applies an activation function.
    /// Spec: docs/format/streams.md "Compute payloads" [observed].
    Activate {
        0x0c unnamed_0c: u8 = Hex Other Unknown "1 with function 0x80, 0 with function 1";
        0x0d gap_0d: [u8; 2];
        0x0f unnamed_0f: u8 = Hex Other Unknown "1 with function 0x80, 0 with function 1";
        0x10 src: U32 = LocalAddress Address Observed "address of the input";
        0x14 src_steps: [I16; 3] = I16List Pattern Observed "source steps in elements, innermost first";
        0x1a src_counts: [U16; 3] = U16List Pattern Observed "source counts, innermost first";
        0x20 dtypes: u8 = DtypePair Dtype Observed "element types: low half input, high half bias";
        0x21 out_dtype: u8 = Dtype Dtype Observed "element type of the result";
        0x22 partitions: u8 = Dec Pattern Observed "partitions";
        0x23 function: u8 = Hex Other Observed "number of the activation function";
        0x24 scale: F32 = F32 Other Observed "factor applied to the input";
        0x28 bias: U32 = LocalAddress Address Observed "address of the bias";
        0x2c gap_2c: [u8; 4];
        0x30 dst: U32 = LocalAddress Address Observed "address of the result";
        0x34 dst_steps: [I16; 3] = I16List Pattern Observed "target steps in elements, innermost first";
        0x3a dst_counts: [U16; 3] = U16List Pattern Observed "target counts, innermost first";
    }
}

payload! {
    /// `TENSOR_TENSOR_ARITH_OP`: combines two operands element by element.
    /// Spec: docs/format/streams.md "Compute payloads" [observed].
    TensorTensor {
        0x0c dtypes: u8 = DtypePair Dtype Observed "element types: low half source 0, high half source 1";
        0x0d out_dtype: u8 = Dtype Dtype Observed "element type of the result";
        0x0e op: u8 = AluOp Other Observed "operation";
        0x0f partitions: u8 = Dec Pattern Observed "partitions";
        0x10 src0: U32 = LocalAddress Address Observed "address of source 0";
        0x14 src0_steps: [I16; 3] = I16List Pattern Observed "steps of source 0 in elements, innermost first";
        0x1a src0_counts: [U16; 3] = U16List Pattern Observed "counts of source 0, innermost first";
        0x20 src1: U32 = LocalAddress Address Observed "address of source 1";
        0x24 src1_steps: [I16; 3] = I16List Pattern Observed "steps of source 1 in elements, innermost first";
        0x2a src1_counts: [U16; 3] = U16List Pattern Observed "counts of source 1, innermost first";
        0x30 dst: U32 = LocalAddress Address Observed "address of the result";
        0x34 dst_steps: [I16; 3] = I16List Pattern Observed "target steps in elements, innermost first";
        0x3a dst_counts: [U16; 3] = U16List Pattern Observed "target counts, innermost first";
    }
}

payload! {
    /// `TENSOR_REDUCE_ARITH_OP`: reduces the innermost dimensions.
    /// Spec: docs/format/streams.md "Compute payloads" [observed].
    TensorReduce {
        0x0c src: U32 = LocalAddress Address Observed "address of the input";
        0x10 src_steps: [I16; 4] = I16List Pattern Observed "source steps in elements, innermost first";
        0x18 src_counts: [U16; 4] = U16List Pattern Observed "source counts, innermost first";
        0x20 dtype: u8 = Dtype Dtype Observed "element type of the input";
        0x21 out_dtype: u8 = Dtype Dtype Observed "element type of the result";
        0x22 partitions: u8 = Dec Pattern Observed "partitions";
        0x23 gap_23: u8;
        0x24 op: u8 = AluOp Other Observed "operation";
        0x25 reduced_dims: u8 = Dec Pattern Observed "number of reduced innermost dimensions, plus 1";
        0x26 gap_26: [u8; 6];
        0x2c dst: U32 = LocalAddress Address Observed "address of the result";
        0x30 dst_steps: [I16; 4] = I16List Pattern Observed "target steps in elements, innermost first";
        0x38 dst_counts: [U16; 4] = U16List Pattern Observed "target counts, innermost first";
    }
}

payload! {
    /// `COPY` and `CAST`: copy with equal types, or change the type.
    /// Spec: docs/format/streams.md "Compute payloads" [observed].
    Copy {
        0x0c src: U32 = LocalAddress Address Observed "address of the input";
        0x10 src_steps: [I16; 4] = I16List Pattern Observed "source steps in elements, innermost first";
        0x18 src_counts: [U16; 4] = U16List Pattern Observed "source counts, innermost first";
        0x20 dtype: u8 = Dtype Dtype Observed "element type of the input";
        0x21 out_dtype: u8 = Dtype Dtype Observed "element type of the result";
        0x22 partitions: u8 = Dec Pattern Observed "partitions";
        0x23 gap_23: [u8; 9];
        0x2c dst: U32 = LocalAddress Address Observed "address of the result";
        0x30 dst_steps: [I16; 4] = I16List Pattern Observed "target steps in elements, innermost first";
        0x38 dst_counts: [U16; 4] = U16List Pattern Observed "target counts, innermost first";
    }
}

payload! {
    /// `MEMSET`: fills with a constant. Only the constant 0 was seen, so its place is unknown.
    /// Spec: docs/format/streams.md "Compute payloads" [observed].
    Memset {
        0x0c gap_0c: [u8; 16];
        0x1c count: U32 = Dec Pattern Observed "elements a partition";
        0x20 dtype: u8 = Dtype Dtype Observed "element type";
        0x21 gap_21: u8;
        0x22 partitions: u8 = Dec Pattern Observed "partitions";
        0x23 gap_23: [u8; 9];
        0x2c dst: U32 = LocalAddress Address Observed "address of the result";
        0x30 dst_steps: [I16; 4] = I16List Pattern Observed "target steps in elements, innermost first";
        0x38 dst_counts: [U16; 4] = U16List Pattern Observed "target counts, innermost first";
    }
}

payload! {
    /// `LOAD_POOL_ARGUMENT`: hands a table to the pool engine's cores.
    /// Spec: docs/format/streams.md "Compute payloads" [observed].
    LoadPoolArgument {
        0x0c gap_0c: [u8; 2];
        0x0e unnamed_0e: u8 = Hex Other Unknown "3 in every record that the runtime writes";
        0x0f gap_0f: [u8; 17];
        0x20 table: U64 = DeviceAddress Address Observed "address of the table, low word first";
        0x28 buffer: U64 = Hex Address Observed "base in the state buffer";
        0x30 read_address: U64 = DeviceAddress Address Observed "address of one value to read";
        0x38 done_address: U64 = DeviceAddress Address Observed "address written at the end";
    }
}
