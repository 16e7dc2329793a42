//! A capture for a NEFF: images from the recipes, which rebuild every captured image known, with
//! values that an allocator could have chosen.

use anyhow::{Context as _, Result};
use device_image::{
    Image, Inputs, Options, Profile, Program, QueueRings, Subgraph, assemble, with_counts,
};
use neff::{Findings, Limits, Package};
use records::Engine;

use crate::ntff_writer::{ClocksText, CoreText, ImageText, NtffText, RingText};

/// A capture of a NEFF under an exact profile (`cayman-r2.27`, `sunda-r2.25`, `sunda-r2.23`).
/// Ring bases, request page and image bases are nothing like the defaults, and descriptor counts
/// are those that the program computes to plus `more`.
pub fn capture_of(file: &[u8], profile: &str, more: u32) -> Result<NtffText> {
    let package = neff::open(file, &Limits::default(), &mut Findings::new())
        .map_err(|error| anyhow::anyhow!("{error}"))?;
    let profile = Profile::built_in(profile)?;
    let sunda = profile.runtime.starts_with("2.25") || profile.runtime.starts_with("2.23");
    let header = package.header();
    let mut text = NtffText {
        version: if sunda { 4 } else { 5 },
        name: header.name_text().into_owned(),
        uuid: as_c_string(&header.uuid),
        field_3: 10_001,
        logical_core_size: u64::from(header.lnc_size.get()),
        epoch_seconds: if sunda { 1_700_000_000 } else { 0 },
        runtime: match profile.name.as_str() {
            "sunda-r2.23" => [2, 23, 27],
            "sunda-r2.25" => [2, 25, 57],
            _ => [2, 27, 23],
        },
        instance_type: if sunda { "trn1.2xlarge" } else { "trn2.3xlarge" }.to_owned(),
        ..NtffText::default()
    };
    for index in 0..package.subgraphs().len() {
        text.cores.push(core(&package, index, &profile, more)?);
    }
    Ok(text)
}

/// A UUID as captures hold it: copied up to its first zero byte.
fn as_c_string(uuid: &[u8; 16]) -> Vec<u8> {
    uuid.iter().copied().take_while(|byte| *byte != 0).collect()
}

fn core(package: &Package, index: usize, profile: &Profile, more: u32) -> Result<CoreText> {
    let subgraph = device_image::from_neff::subgraph(package, index, &mut Findings::new())
        .context("no such subgraph")?;
    let counted = with_counts(&subgraph, |queue, block| {
        let block = subgraph.queue(queue)?.1.block(block)?;
        Some((block.counts.read + more, block.counts.write + more))
    });
    let inputs = allocator(profile, &counted)?;
    let source = package.subgraphs().get(index).context("no such subgraph")?;
    let mut images = Vec::new();
    let mut base = 0x8005_C100_0000 + 0x10_0000 * index as u64;
    for engine in Engine::ALL {
        let slots = package.slots(source.engine(engine));
        let program = Program { subgraph: &counted, engine, slots };
        let findings = &mut Findings::new();
        let image = assemble(profile, program, &inputs, Options::default(), findings)?;
        images.push(image_text(&image, base));
        base += (image.bytes().len() as u64).next_multiple_of(0x8000);
    }
    Ok(CoreText {
        name: subgraph.name.clone(),
        core: u64::from(inputs.core),
        images,
        rings: rings(&counted),
        clocks: ClocksText::common(),
        ..CoreText::default()
    })
}

fn image_text(image: &Image, base: u64) -> ImageText {
    let kind = |row: &records::PatchRow| u64::from(row.kind.0);
    let functions = image.ranges.functions.offset;
    let offset = |row: &records::PatchRow| {
        // Captures count all rows from the image start.
        let from = if row.section == records::PatchSection::FUNCTION { functions } else { 0 };
        u64::from(row.offset) + from
    };
    ImageText {
        engine: u64::from(image.engine.code()),
        base,
        bytes: image.bytes().to_vec(),
        rows: image.rows.iter().map(|row| [offset(row), u64::from(row.count), kind(row)]).collect(),
    }
}

/// One entry for each DMA engine of each queue, all with the same blocks, and a table ring with
/// blocks that belong to no queue.
fn rings(subgraph: &Subgraph) -> Vec<RingText> {
    let mut list = Vec::new();
    for (number, queue) in (0_u64..).zip(&subgraph.queues) {
        let block = |block: &device_image::QueueBlock| {
            [block.id.into(), 1, block.counts.read.into(), block.counts.write.into()]
        };
        for engine in 0..16 {
            list.push(RingText {
                engine,
                queue: number,
                kind: if queue.kind.is_io() { 3 } else { 2 },
                name: queue.name.clone(),
                field_5: -1,
                blocks: queue.blocks.iter().rev().map(block).collect(),
                ..RingText::default()
            });
        }
    }
    list.push(RingText {
        engine: 10,
        queue: 14,
        name: "qDveTable".to_owned(),
        blocks: vec![[0, 1, 777, 777]],
        ..RingText::default()
    });
    list
}

/// What a device's allocator could have chosen.
fn allocator(profile: &Profile, subgraph: &Subgraph) -> Result<Inputs> {
    let mut inputs = Inputs::defaults(profile, subgraph, None)?;
    let mut next = 0x8003_0000_0000_u64 + u64::from(subgraph.index) * 0x1_0000_0000;
    let mut take = |known: bool| {
        let mut bases = [0_u64; 16];
        for (k, base) in bases.iter_mut().enumerate().filter(|_| known) {
            // Not at one distance from each other.
            next += 0x3000 + 0x1000 * (k as u64 % 3);
            *base = next;
        }
        bases
    };
    for queue in subgraph.queues.iter().filter(|queue| queue.kind.has_recipe()) {
        let io = queue.kind.is_io();
        let (read, write) = (!(io && queue.io_read), !(io && queue.io_write));
        inputs
            .rings
            .insert(queue.name.clone(), QueueRings { read: take(read), write: take(write) });
    }
    inputs.request_page = 0x8005_C033_0000;
    inputs.dve_table = [0x8005_C044_0000, 0x8005_C044_1000];
    inputs.act_table = [0x8005_C044_2000, 0x8005_C044_3000];
    Ok(inputs)
}
