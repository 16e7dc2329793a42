//! A capture that belongs to a NEFF: its images are those that a profile builds, every record of
//! them is executed once, and each engine's counter and the DMA rings tell about it.

use anyhow::{Context as _, Result};
use debug_api::{Limits, OpenFile};
use device_image::{Profile, QueueKind};
use records::Engine;

use crate::case::CaptureText;
use crate::ntff_writer::{
    ClocksText, CoreText, ImageText, NtffText, RingText, SliceText, ntff, record,
};

/// Picoseconds from one record of an engine to the next.
const STEP_PS: u64 = 100_000;

/// The file of a capture that belongs to a NEFF.
pub fn capture_file(neff: &[u8], text: &CaptureText) -> Result<Vec<u8>> {
    Ok(ntff(&capture_of(neff, text)?))
}

/// The description of a capture that belongs to a NEFF.
pub fn capture_of(neff: &[u8], text: &CaptureText) -> Result<NtffText> {
    let file = OpenFile::open("input.neff", neff.to_vec(), &Limits::default());
    let file = file.map_err(|error| anyhow::anyhow!("{error}"))?;
    let neff = file.as_neff().context("a capture needs a NEFF")?;
    let header = neff.package().header();
    // A C string copy: up to the first zero byte, or on into what lies behind.
    let mut uuid: Vec<u8> = header.uuid.iter().copied().take_while(|byte| *byte != 0).collect();
    if uuid.len() == header.uuid.len() {
        uuid.extend_from_slice(&text.uuid_overrun);
    }
    let is_4 = text.version == 4;
    let mut cores = Vec::new();
    for (index, subgraph) in neff.package().subgraphs().iter().enumerate() {
        let number = text.core + u32::try_from(index)?;
        let generation = neff.program(index).subgraph.generation;
        let name = text.profile.as_deref().unwrap_or(Profile::default_name(generation));
        let profile = Profile::built_in(name)?;
        let images = neff
            .images(index, &profile, name, Some(number))
            .map_err(|error| anyhow::anyhow!("{error}"))?;
        let program = neff.program(index);
        let mut core = CoreText {
            name: subgraph.name.clone(),
            core: if is_4 { 0 } else { u64::from(number) },
            clocks: if is_4 { own_clocks() } else { ClocksText::common() },
            memory: vec![(12, 4096, if is_4 { String::new() } else { "tensor".to_owned() })],
            execution_ps: 7_900_000,
            ..CoreText::default()
        };
        let mut trace = Vec::new();
        for engine in Engine::ALL {
            let built = images.engine(engine);
            let rows = built.image.rows.iter();
            core.images.push(ImageText {
                engine: u64::from(engine.code()),
                base: built.base.get(),
                bytes: built.image.bytes().to_vec(),
                rows: rows
                    .map(|row| [u64::from(row.offset), u64::from(row.count), u64::from(row.kind.0)])
                    .collect(),
            });
            executed(&mut trace, engine, built.base.get(), built.image.slots.len());
        }
        let queues = (0_u64..).zip(&program.subgraph.queues);
        // Nothing is known about rings of a queue without a recipe.
        for (number_of_queue, queue) in queues.filter(|(_, queue)| queue.kind.has_recipe()) {
            for ring in 0..16 {
                core.rings.push(RingText {
                    engine: 16 * u64::from(number) + ring,
                    queue: number_of_queue,
                    kind: if queue.kind == QueueKind::Data { 2 } else { 3 },
                    name: queue.name.clone(),
                    field_5: -1,
                    field_7: if is_4 { 0 } else { 2 },
                    // The order of blocks is arbitrary.
                    blocks: queue
                        .blocks
                        .iter()
                        .rev()
                        .map(|block| {
                            let counts = block.counts;
                            [
                                u64::from(block.id),
                                1,
                                u64::from(counts.read),
                                u64::from(counts.write),
                            ]
                        })
                        .collect(),
                });
            }
        }
        let empty = |queue, source| SliceText { queue, source, ..SliceText::default() };
        core.slices = vec![
            SliceText { bytes: trace, ..SliceText::default() },
            empty(1, 0),
            empty(2, 0),
            empty(4, 1),
            empty(5, 0),
        ];
        cores.push(core);
    }
    Ok(NtffText {
        version: text.version,
        name: header.name_text().into_owned(),
        uuid,
        field_3: 10001,
        logical_core_size: u64::from(header.lnc_size.get()),
        epoch_seconds: if is_4 { 1_700_000_000 } else { 0 },
        runtime: text.runtime,
        instance_type: if is_4 { "trn1.2xlarge" } else { "trn2.3xlarge" }.to_owned(),
        field_10: 2,
        cores,
        ..NtffText::default()
    })
}

/// Every slot starts and ends once, in order; an engine later by its code.
fn executed(trace: &mut Vec<u8>, engine: Engine, base: u64, slots: usize) {
    let code = engine.code();
    for slot in 0..slots as u64 {
        let pc = (base / 64 + slot) & 0xF_FFFF;
        let (low, high) = ((pc & 0xFFFF) as u16, (pc >> 16) as u8);
        let time = 1_000_000 + u64::from(code) * 10_000 + slot * STEP_PS;
        trace.extend(record(low, high, 0x84 + 4 * code, 1 << 16, time));
        trace.extend(record(low, high, 0x85 + 4 * code, u32::MAX, time + STEP_PS / 2));
    }
}

/// Clocks of version 4 that count picoseconds from another start each.
fn own_clocks() -> ClocksText {
    ClocksText {
        named: std::array::from_fn(|i| Some([100 * i as u64, 1, 1])),
        dma: vec![[0, 1024, 1_204_672]; 16],
        top_sp: vec![],
    }
}
