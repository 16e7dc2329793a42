//! Reads the message of one captured core.

use records::ntff::{QueueSource, QueueType, RingKind};
use records::{ByteSpan, DeviceAddr, Engine};

use crate::ntff::clock::{Clock, Clocks};
use crate::ntff::memory::MemoryUse;
use crate::ntff::reader::Reader;
use crate::ntff::subgraph::{
    CapturedImage, CapturedRow, PatchList, Ring, RingBlock, Slice, SubgraphCapture,
};
use crate::wire::{Body, Field, Value};

/// Bytes of a slot, for rows and images.
const SLOT: u64 = records::SLOT_BYTES as u64;

/// Reads a subgraph. Entries beyond the limit are left out with a finding.
/// Spec: docs/format/ntff.md "Subgraph" [observed].
pub(super) fn subgraph(reader: &mut Reader<'_>, body: Body<'_>) -> SubgraphCapture {
    let mut all = SubgraphCapture { at: body.at, ..SubgraphCapture::default() };
    reader.message("subgraph", body, |reader, field| {
        match (field.number, field.value) {
            (1, Value::Bytes(body)) => all.name = reader.text(body).unwrap_or_default(),
            (3, Value::Varint(core)) => all.core = Some(core),
            (4, Value::Bytes(body)) => {
                if reader.charge(2, field.at) {
                    all.images.push(image(reader, body));
                }
            }
            (5, Value::Bytes(body)) => {
                if reader.charge(2, field.at) {
                    all.patches.push(patch_list(reader, body));
                }
            }
            (6, Value::Bytes(body)) => {
                if reader.charge(3, field.at) {
                    all.slices.push(slice(reader, field.at, body));
                }
            }
            (7, Value::Bytes(body)) => {
                if reader.charge(4, field.at) {
                    all.rings.push(ring(reader, body));
                }
            }
            (10, Value::Bytes(body)) => all.clocks = clocks(reader, body),
            (11, Value::Bytes(body)) => {
                if reader.charge(2, field.at) {
                    all.memory.push(memory(reader, body));
                }
            }
            (14, Value::Varint(ps)) => all.execution_ps = Some(ps),
            (15, Value::Bytes(body)) => {
                all.has_field_15 = true;
                reader.message("subgraph/15", body, |_, _| false);
            }
            _ => return false,
        }
        true
    });
    check_engines(reader, &all);
    check_overlap(reader, &all);
    all
}

/// Reads a field that is a number into its place; answers whether it is one.
fn number(field: &Field<'_>, into: &mut u64) -> bool {
    match field.value {
        Value::Varint(value) => {
            *into = value;
            true
        }
        _ => false,
    }
}

fn image(reader: &mut Reader<'_>, body: Body<'_>) -> CapturedImage {
    let mut image = CapturedImage {
        engine_code: 0,
        base: DeviceAddr(0),
        bytes: ByteSpan::of(body.at, 0),
        missing_bytes: 0,
    };
    reader.message("subgraph/image", body, |_, field| match (field.number, field.value) {
        (1, _) => number(field, &mut image.engine_code),
        (2, _) => number(field, &mut image.base.0),
        (3, Value::Bytes(body)) => {
            image.bytes = ByteSpan::of(body.at, body.bytes.len() as u64);
            image.missing_bytes = body.missing;
            true
        }
        _ => false,
    });
    check_base(reader, &image);
    if image.missing_bytes == 0 && !image.is_whole() {
        let bytes = image.bytes.len();
        let message = format!(
            "the image of engine code {} has {bytes} bytes, expected a multiple of {SLOT}; its \
             last {} bytes are no slot",
            image.engine_code,
            bytes % SLOT
        );
        reader.error("ntff.image-size", image.bytes.start, message);
    }
    image
}

/// Bytes that bases of images are multiples of.
/// Spec: docs/format/image.md "Placement" [observed].
const BASE_ALIGN: u64 = 0x8000;

/// A base that no runtime would choose: device addresses of the image then mean little.
fn check_base(reader: &mut Reader<'_>, image: &CapturedImage) {
    let (base, code) = (image.base.get(), image.engine_code);
    let end = base.checked_add(image.bytes.len());
    if end.is_none() || !base.is_multiple_of(BASE_ALIGN) {
        let message = format!(
            "the image of engine code {code} lies at {base:#x}, expected a multiple of \
             {BASE_ALIGN:#x} with room below 2^64"
        );
        reader.warning("ntff.base", image.bytes.start, message);
    }
}

fn patch_list(reader: &mut Reader<'_>, body: Body<'_>) -> PatchList {
    let mut list = PatchList::default();
    reader.message("subgraph/patches", body, |reader, field| match (field.number, field.value) {
        (1, _) => number(field, &mut list.engine_code),
        (2, Value::Bytes(body)) => {
            if reader.charge(1, field.at) {
                list.rows.push(row(reader, field.at, body));
            }
            true
        }
        _ => false,
    });
    list
}

fn row(reader: &mut Reader<'_>, at: u64, body: Body<'_>) -> CapturedRow {
    let mut row = CapturedRow::default();
    reader.message("subgraph/patches/row", body, |_, field| match field.number {
        1 => number(field, &mut row.offset),
        2 => number(field, &mut row.count),
        3 => number(field, &mut row.kind),
        _ => false,
    });
    if row.patch_row().is_none() || !row.offset.is_multiple_of(SLOT) {
        let message = format!(
            "a patch row has offset {:#x}, count {} and type {}, expected an offset that is a \
             multiple of {SLOT} and numbers of 32 bits",
            row.offset, row.count, row.kind
        );
        reader.error("ntff.row", at, message);
    } else if row.kind_name().is_none() {
        let message = format!(
            "a patch row has offset {:#x}, count {} and type {}, expected type 0 (INSERT), 1 \
             (MODIFY) or 2 (DELETE)",
            row.offset, row.count, row.kind
        );
        reader.error("ntff.row-type", at, message);
    }
    row
}

fn slice(reader: &mut Reader<'_>, at: u64, body: Body<'_>) -> Slice {
    let (mut queue, mut source) = (0, 0);
    let mut slice = Slice { at, ..Slice::default() };
    reader.message("subgraph/slice", body, |_, field| match field.number {
        1 => number(field, &mut queue),
        3 => number(field, &mut source),
        5 => number(field, &mut slice.offset),
        6 => number(field, &mut slice.bytes),
        _ => false,
    });
    slice.queue = QueueType(queue);
    slice.source = QueueSource(source);
    slice
}

fn ring(reader: &mut Reader<'_>, body: Body<'_>) -> Ring {
    let mut ring = Ring::default();
    let mut kind = 0;
    reader.message("subgraph/ring", body, |reader, field| {
        match (field.number, field.value) {
            (1, _) => return number(field, &mut ring.engine),
            (2, _) => return number(field, &mut ring.queue),
            (3, _) => return number(field, &mut kind),
            (4, Value::Bytes(body)) => ring.name = reader.text(body).unwrap_or_default(),
            (5, Value::Varint(value)) => ring.field_5 = Some(value.cast_signed()),
            (7, Value::Varint(value)) => ring.field_7 = Some(value),
            (8, Value::Bytes(body)) => {
                if reader.charge(1, field.at) {
                    ring.blocks.push(block(reader, body));
                }
            }
            _ => return false,
        }
        true
    });
    ring.kind = RingKind(kind);
    ring
}

fn block(reader: &mut Reader<'_>, body: Body<'_>) -> RingBlock {
    let mut block = RingBlock::default();
    reader.message("subgraph/ring/block", body, |_, field| match field.number {
        1 => number(field, &mut block.id),
        2 => number(field, &mut block.packets),
        3 => number(field, &mut block.read),
        4 => number(field, &mut block.write),
        _ => false,
    });
    block
}

/// Spec: docs/format/ntff.md "Clocks" [observed].
fn clocks(reader: &mut Reader<'_>, body: Body<'_>) -> Clocks {
    let mut clocks = Clocks::default();
    reader.message("subgraph/clocks", body, |reader, field| {
        let Value::Bytes(body) = field.value else { return false };
        // The order of the fields is not that of the engine codes.
        let engine = match field.number {
            1 => Engine::Pe,
            2 => Engine::Act,
            3 => Engine::Dve,
            4 => Engine::Pool,
            5 => Engine::Sp,
            6 => {
                clocks.events = Some(clock(reader, body));
                return true;
            }
            7 => {
                clocks.throttle = Some(clock(reader, body));
                return true;
            }
            8 | 9 => {
                if reader.charge(1, field.at) {
                    let clock = clock(reader, body);
                    let list = if field.number == 8 { &mut clocks.dma } else { &mut clocks.top_sp };
                    list.push(clock);
                }
                return true;
            }
            _ => return false,
        };
        if let Some(place) = clocks.engines.get_mut(engine.index()) {
            *place = Some(clock(reader, body));
        }
        true
    });
    clocks
}

fn clock(reader: &mut Reader<'_>, body: Body<'_>) -> Clock {
    let mut clock = Clock::default();
    let mut initial = 0;
    reader.message("subgraph/clocks/clock", body, |_, field| match field.number {
        1 => number(field, &mut initial),
        2 => number(field, &mut clock.actual),
        3 => number(field, &mut clock.expected),
        _ => false,
    });
    clock.initial = initial.cast_signed();
    clock
}

fn memory(reader: &mut Reader<'_>, body: Body<'_>) -> MemoryUse {
    let mut memory = MemoryUse::default();
    reader.message("subgraph/memory", body, |reader, field| match (field.number, field.value) {
        (1, Value::Varint(category)) => {
            memory.category = Some(category);
            true
        }
        (2, _) => number(field, &mut memory.bytes),
        (3, Value::Bytes(body)) => {
            memory.name = reader.text(body);
            true
        }
        _ => false,
    });
    memory
}

/// Unknown engine codes, engines that come twice, rows behind their image.
fn check_engines(reader: &mut Reader<'_>, all: &SubgraphCapture) {
    let mut images: [Option<&CapturedImage>; 5] = [None; 5];
    for image in &all.images {
        let place = image.engine().and_then(|engine| images.get_mut(engine.index()));
        let code = image.engine_code;
        match place {
            None => unknown_engine(reader, "an image", code, image.bytes.start),
            Some(Some(_)) => twice(reader, "image", code, image.bytes.start),
            Some(place) => *place = Some(image),
        }
    }
    let mut lists = [false; 5];
    for list in &all.patches {
        let (code, engine) = (list.engine_code, list.engine().map_or(5, Engine::index));
        match lists.get_mut(engine) {
            None => unknown_engine(reader, "a patch list", code, all.at),
            Some(true) => twice(reader, "patch list", code, all.at),
            Some(place) => *place = true,
        }
        let Some(Some(image)) = images.get(engine).filter(|_| !list.rows.is_empty()) else {
            continue;
        };
        let end = image.bytes.len().saturating_add(image.missing_bytes);
        let behind = list.rows.iter().filter(|row| row.offset > end).count();
        if behind > 0 {
            let message = format!(
                "{behind} patch rows of engine code {code} lie behind the end of its image of \
                 {end} bytes"
            );
            reader.error("ntff.row-outside", image.bytes.start, message);
        }
    }
}

/// Images of one core that share device addresses: a PC there belongs to either.
fn check_overlap(reader: &mut Reader<'_>, all: &SubgraphCapture) {
    let mut images: Vec<(u64, u64, &CapturedImage)> = Engine::ALL
        .into_iter()
        .filter_map(|engine| all.image(engine))
        .map(|image| {
            let bytes = image.bytes.len().saturating_add(image.missing_bytes);
            (image.base.get(), image.base.get().saturating_add(bytes), image)
        })
        .filter(|(start, end, _)| start < end)
        .collect();
    images.sort_by_key(|(start, ..)| *start);
    for pair in images.windows(2) {
        if let [(_, end, first), (start, _, second)] = pair
            && start < end
        {
            let message = format!(
                "the image of engine code {} begins at {start:#x}, inside that of engine code {}, \
                 which ends at {end:#x}; a PC in both is taken for the engine that is asked",
                second.engine_code, first.engine_code
            );
            reader.warning("ntff.image-overlap", second.bytes.start, message);
        }
    }
}

fn unknown_engine(reader: &mut Reader<'_>, what: &str, code: u64, at: u64) {
    let message = format!("{what} is of engine code {code}, expected 0 to 4");
    reader.error("ntff.engine", at, message);
}

fn twice(reader: &mut Reader<'_>, what: &str, code: u64, at: u64) {
    let message = format!("engine code {code} has a second {what}; the first one is used");
    reader.warning("ntff.twice", at, message);
}
