//! Functions and blocks of an engine stream as the runtime keeps them.

use zerocopy::little_endian::{U32, U64};

use super::code::RawCodeRange;
use super::patch_list::PatchInfo;

/// Size of a function's name, in bytes.
pub const FUNCTION_NAME_BYTES: usize = 256;

runtime_record! {
    /// A growing buffer of the host.
    /// Spec: docs/format/image.md "Records of the runtime" [size observed, order of the members inferred].
    RawBuffer 24 "buf_t" {
        0x00 buf: U64 = Pointer Inferred "the bytes";
        0x08 size_used: U64 = Dec Inferred "bytes in use";
        0x10 size: U64 = Dec Inferred "bytes there";
    }
}

impl RawBuffer {
    /// A buffer that is exactly full; the pointer is 0.
    pub const fn full(bytes: u64) -> Self {
        Self { buf: U64::new(0), size_used: U64::new(bytes), size: U64::new(bytes) }
    }
}

runtime_record! {
    /// The functions of one engine.
    /// Spec: docs/format/image.md "Records of the runtime" [observed].
    RawEngineFunctions 32 "itf_one_eng_functions_t" {
        0x00 functions: U64 = Pointer Observed "table by name";
        0x08 func_ctx_ptrs: RawBuffer = Buffer Observed "pointers to the functions, by id";
    }
}

runtime_record! {
    /// A function of an engine stream.
    /// Spec: docs/format/image.md "Records of the runtime" [observed].
    RawFunction 352 "itf_function_t" {
        0x000 function_name: [u8; FUNCTION_NAME_BYTES] = Text Observed "name; empty for MAIN";
        0x100 func_id: U32 = Dec Observed "0 for MAIN, then by appearance";
        0x104 return_reg_lo: u8 = Dec Observed "register of the low half of the return address";
        0x105 return_reg_hi: u8 = Dec Observed "register of the high half";
        0x106 reset_semaphores: u8 = Flag Observed "whether a return resets the semaphores";
        0x107 gap_107: u8;
        0x108 block_ctx_ptrs: RawBuffer = Buffer Observed "pointers to its blocks";
        0x120 imcpy_queues: U64 = Pointer Observed "queues of indirect copies";
        0x128 imcpy_queue_instance_idx: U64 = Dec Observed "instance of those queues";
        0x130 node: [u8; 48] = Opaque Observed "node of the table by name";
    }
}

runtime_record! {
    /// A block of a function.
    /// Spec: docs/format/image.md "Records of the runtime" [observed].
    RawBlock 200 "itf_block_t" {
        0x00 function_id: U32 = Dec Observed "function that it belongs to";
        0x04 block_id: U32 = Dec Observed "number in its function";
        0x08 cc_block_id: U32 = Dec Observed "number among the blocks with collectives";
        0x0c gap_0c: [u8; 4];
        0x10 kbin_begin_offset: U64 = Hex Observed "first byte in the stream";
        0x18 kbin_end_offset: U64 = Hex Observed "one past its last byte in the stream";
        0x20 translated_pseudo_instrs: RawBuffer = Buffer Observed "its expanded slots";
        0x38 post_process: RawBuffer = Buffer Observed "8-byte image offsets of calls and exits";
        0x50 patch_info: PatchInfo = PatchLists Observed "its own patch rows, for each engine";
        0xa0 block_preamble_offset: RawCodeRange = Range Observed "slots put before it";
        0xb0 block_offset: RawCodeRange = Range Observed "its place in the image";
        0xc0 has_ccops: u8 = Flag Observed "whether it triggers a collective operation";
        0xc1 requires_cache_align: u8 = Flag Observed "whether it begins at a cache line";
        0xc2 gap_c2: [u8; 6];
    }
}

impl RawFunction {
    /// The name field of a text, cut to what fits before its NUL.
    pub fn name_of(text: &str) -> [u8; FUNCTION_NAME_BYTES] {
        let mut name = [0; FUNCTION_NAME_BYTES];
        for (to, from) in name.iter_mut().take(FUNCTION_NAME_BYTES - 1).zip(text.bytes()) {
            *to = from;
        }
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Offsets in decimal, as they are published.
    #[test]
    fn members_lie_at_their_published_places() {
        let mut function = RawFunction::zero();
        function.function_name = RawFunction::name_of("accumulate");
        function.func_id = U32::new(1);
        (function.return_reg_lo, function.return_reg_hi) = (6, 7);
        function.reset_semaphores = 1;
        let bytes = function.bytes();
        assert_eq!(&bytes[..11], b"accumulate\0");
        assert_eq!((bytes[256], bytes[260], bytes[261], bytes[262]), (1, 6, 7, 1));

        let mut block = RawBlock::zero();
        block.kbin_end_offset = U64::new(0x140);
        block.block_offset = RawCodeRange::new(0x1000, 0xC0);
        (block.has_ccops, block.requires_cache_align) = (1, 1);
        let bytes = block.bytes();
        assert_eq!(&bytes[24..26], &[0x40, 0x01]);
        assert_eq!(&bytes[176..178], &[0x00, 0x10]);
        assert_eq!(&bytes[192..194], &[1, 1]);
    }
}
