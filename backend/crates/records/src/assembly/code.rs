//! Ranges of an engine's image, and the block in which it is staged.

use zerocopy::little_endian::U64;

/// Size of a stored range, in bytes.
pub const CODE_RANGE_BYTES: usize = 16;
/// Size of a pointer of the host, in bytes.
pub const POINTER_BYTES: usize = 8;
/// Size of the staged block's name, in bytes, its NUL included.
pub const BLOCK_NAME_BYTES: usize = 32;

runtime_record! {
    /// A run of bytes of an image.
    /// Spec: docs/format/image.md "Records of the runtime" [observed].
    RawCodeRange 16 "ib_code_range_t" {
        0x00 offset: U64 = Hex Observed "bytes from the image start";
        0x08 size: U64 = Hex Observed "bytes";
    }
}

impl RawCodeRange {
    /// A range from two numbers.
    pub const fn new(offset: u64, size: u64) -> Self {
        Self { offset: U64::new(offset), size: U64::new(size) }
    }
}

runtime_record! {
    /// What assembling an engine program gives: the staged block and three ranges.
    /// Spec: docs/format/image.md "Records of the runtime" [observed].
    RawCode 56 "ib_code_one_eng_t" {
        0x00 code: U64 = Pointer Observed "the staged block";
        0x08 preamble: RawCodeRange = Range Observed "PREAMBLE";
        0x18 model_switch: RawCodeRange = Range Observed "model-switch part of PREAMBLE";
        0x28 core: RawCodeRange = Range Observed "MAIN";
    }
}

runtime_record! {
    /// What the reader of a trace uses: the device buffer and three ranges. Derived from the staged
    /// block when everything is placed.
    /// Spec: docs/format/image.md "Records of the runtime" [observed].
    ResolvedCode 56 "ib_addrs_one_eng" {
        0x00 base: U64 = Pointer Observed "the device buffer of the image";
        0x08 one_offset: RawCodeRange = Range Inferred "derived from the staged block; nothing is known to read it";
        0x18 model_switch_offset: RawCodeRange = Range Observed "model-switch part of PREAMBLE";
        0x28 core_offset: RawCodeRange = Range Observed "MAIN";
    }
}

runtime_record! {
    /// Head of the staged block; the image's bytes follow it.
    /// Spec: docs/format/image.md "Records of the runtime" [observed].
    InstBlock 96 "inst_block" {
        0x00 name: [u8; BLOCK_NAME_BYTES] = Text Observed "name of the block";
        0x20 buf_len: U64 = Dec Observed "bytes of the buffer";
        0x28 inst_len: U64 = Dec Observed "bytes of the image";
        0x30 pcore: U64 = Pointer Observed "physical core";
        0x38 allocator: U64 = Pointer Observed "allocator of device memory";
        0x40 eng: U64 = Pointer Observed "engine of the program";
        0x48 dmem: U64 = Pointer Observed "device buffer of the image";
        0x50 start_addr: U64 = DeviceAddress Observed "device base of the image";
        0x58 gc_tracker: U64 = Pointer Observed "list of buffers to free";
    }
}

impl InstBlock {
    /// The name field of a text, cut to what fits before its NUL.
    pub fn name_of(text: &str) -> [u8; BLOCK_NAME_BYTES] {
        let mut name = [0; BLOCK_NAME_BYTES];
        for (to, from) in name.iter_mut().take(BLOCK_NAME_BYTES - 1).zip(text.bytes()) {
            *to = from;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Core at 0x80 with 0x100 bytes: each range is two little-endian 64-bit numbers.
    #[test]
    fn ranges_lie_where_the_reader_of_a_trace_looks() {
        let mut record = ResolvedCode::zero();
        record.core_offset = RawCodeRange::new(0x80, 0x100);
        let bytes = record.bytes();
        assert_eq!(&bytes[0x28..0x38], &[0x80, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(ResolvedCode::of(bytes).unwrap(), &record);
    }

    #[test]
    fn the_name_of_a_block_keeps_its_nul() {
        assert_eq!(&InstBlock::name_of("One block")[..10], b"One block\0");
        assert_eq!(InstBlock::name_of(&"x".repeat(40))[31], 0);
    }
}
