//! Records of a run for a capture that has none: every engine walks its image, one semaphore
//! counts, the rings of one queue move packets.

use crate::ntff_writer::{NtffText, SliceText, record};

/// Picoseconds between the starts of two instructions, and how long each takes.
const STEP: (u64, u64) = (100_000, 60_000);

/// Adds records to every core. The engines run `laps` times through their images; the last slot of
/// PE's last lap has a start and no end, as a gate has.
pub fn add_trace(text: &mut NtffText, laps: u64) {
    for core in &mut text.cores {
        let (mut trace, mut notify, mut dma) = (Vec::new(), Vec::new(), Vec::new());
        for image in &core.images {
            let slots = image.bytes.len() as u64 / 64;
            for n in 0..laps * slots {
                let pc = ((image.base >> 6) + n % slots) & 0xF_FFFF;
                let (low, high) = (pc as u16, (pc >> 16) as u8);
                let start = 1_000 + n * STEP.0;
                let head = 0x84 + 4 * image.engine as u8;
                trace.extend(record(low, high, head, 1 << 16, start));
                if image.engine != 0 || n + 1 < laps * slots {
                    trace.extend(record(low, high, head + 1, u32::MAX, start + STEP.1));
                }
            }
        }
        for n in 0..40_u32 {
            let head = if n % 2 == 0 { 0x87 } else { 0x9B };
            notify.extend(record(0x10A, 0xF3, head, n + 1, 50_000 + u64::from(n) * 90_000));
        }
        for engine in 0..16_u8 {
            let start = 200_000 + u64::from(engine) * 10_000;
            dma.extend(record(0, 0, 0x80 | engine, 1, start));
            dma.extend(record(4_096, 0, 0x80 | engine, 5, start + 400_000));
            dma.extend(record(0, 0, 0x80 | engine, 6, start + 410_000));
        }
        for (queue, source, bytes) in [(0, 0, trace), (1, 0, notify), (4, 1, dma)] {
            core.slices.push(SliceText { queue, source, bytes, claimed: None });
        }
    }
}
