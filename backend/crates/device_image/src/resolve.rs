//! Stage "resolve": an image at a device address becomes the records that the runtime keeps.
//! Spec: docs/format/image.md "Records of the runtime" [observed].

use records::assembly::code::{InstBlock, POINTER_BYTES, RawCode, RawCodeRange, ResolvedCode};
use records::assembly::function::{RawBlock, RawBuffer, RawEngineFunctions, RawFunction};
use records::assembly::patch_list::{EnginePatchList, PatchInfo};
use records::{DeviceAddr, Engine};

use crate::assembly::PatchLists;
use crate::image::{Image, PlacedBlock, PlacedFunction};
use crate::layout::{ByteRange, SLOT};

/// Name of the staged block.
/// Spec: docs/format/image.md "Placement" [observed].
pub const BLOCK_NAME: &str = "One block";

fn range(range: ByteRange) -> RawCodeRange {
    RawCodeRange::new(range.offset, range.size)
}

/// The result of assembling one engine.
pub fn code(image: &Image) -> RawCode {
    RawCode {
        preamble: range(image.ranges.preamble),
        model_switch: range(image.ranges.model_switch),
        core: range(image.ranges.core),
        ..RawCode::zero()
    }
}

/// What the reader of a trace uses. The first range is derived here, from the staged block: no
/// reader of it is known, and the preamble stands in.
/// Spec: docs/format/image.md "Ranges" [inferred for `one_offset`].
pub fn resolved(image: &Image) -> ResolvedCode {
    ResolvedCode {
        one_offset: range(image.ranges.preamble),
        model_switch_offset: range(image.ranges.model_switch),
        core_offset: range(image.ranges.core),
        ..ResolvedCode::zero()
    }
}

/// The function range; its size is 0 with one function.
pub fn functions(image: &Image) -> RawCodeRange {
    range(image.ranges.functions)
}

/// Head of the staged block; the image's bytes follow it.
pub fn block_head(image: &Image, base: DeviceAddr) -> InstBlock {
    let bytes = image.ranges.image_bytes;
    InstBlock {
        name: InstBlock::name_of(BLOCK_NAME),
        buf_len: bytes.into(),
        inst_len: bytes.into(),
        start_addr: base.0.into(),
        ..InstBlock::zero()
    }
}

/// The patch list of one engine; empty once the lists are freed.
pub fn patch_list(image: &Image, lists: &PatchLists) -> EnginePatchList {
    match lists {
        PatchLists::Kept => {
            let count = u32::try_from(image.rows.len()).unwrap_or(u32::MAX);
            EnginePatchList::new(count, image.patch_capacity)
        }
        PatchLists::Freed { .. } => EnginePatchList::new(0, 0),
    }
}

/// The patch lists of all engines, of images by engine code.
pub fn patch_info(images: [&Image; 5], lists: &PatchLists) -> PatchInfo {
    PatchInfo::new(images.map(|image| patch_list(image, lists)))
}

/// The function table of one engine.
pub fn engine_functions(image: &Image) -> RawEngineFunctions {
    RawEngineFunctions {
        func_ctx_ptrs: pointers(image.functions.len()),
        ..RawEngineFunctions::zero()
    }
}

/// One function.
pub fn function(function: &PlacedFunction) -> RawFunction {
    RawFunction {
        function_name: RawFunction::name_of(&function.name),
        func_id: function.id.into(),
        return_reg_lo: function.return_registers.0,
        return_reg_hi: function.return_registers.1,
        reset_semaphores: u8::from(function.reset_semaphores),
        block_ctx_ptrs: pointers(function.blocks.len()),
        ..RawFunction::zero()
    }
}

/// One block of a function of an engine. Its own patch list is that of its engine; the others are
/// empty.
pub fn block(engine: Engine, function: u32, id: u32, block: &PlacedBlock) -> RawBlock {
    let bytes = |slots: u32| u64::from(slots) * SLOT;
    let start = block.first.byte_offset();
    let mut lists = [EnginePatchList::new(0, 0); 5];
    if let Some(own) = lists.get_mut(engine.index()) {
        *own = EnginePatchList::new(block.own_rows, block.own_rows);
    }
    let post_process = block.post_process.len() as u64 * POINTER_BYTES as u64;
    RawBlock {
        function_id: function.into(),
        block_id: id.into(),
        cc_block_id: block.collective_id.unwrap_or(0).into(),
        kbin_begin_offset: bytes(block.records.start).into(),
        kbin_end_offset: bytes(block.records.end).into(),
        translated_pseudo_instrs: RawBuffer::full(bytes(block.translated_slots)),
        post_process: RawBuffer::full(post_process),
        patch_info: PatchInfo::new(lists),
        block_preamble_offset: RawCodeRange::new(
            start.saturating_sub(bytes(block.padding_slots)),
            bytes(block.padding_slots),
        ),
        block_offset: RawCodeRange::new(start, bytes(block.slots)),
        has_ccops: u8::from(block.collective_id.is_some()),
        requires_cache_align: u8::from(block.cache_align),
        ..RawBlock::zero()
    }
}

fn pointers(n: usize) -> RawBuffer {
    RawBuffer::full(n as u64 * POINTER_BYTES as u64)
}
