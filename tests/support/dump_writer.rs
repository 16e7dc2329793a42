//! Memory of a TOP_SP's firmware for tests, written by offsets of the published tables, apart from
//! the layouts of the program.

/// First bytes of the blocks of a context: executable, device, running executable, running
/// algorithms, and its end.
pub struct Blocks {
    /// Executable, configured.
    pub neff: usize,
    /// Device.
    pub dev: usize,
    /// Executable, running.
    pub running: usize,
    /// Algorithms, running.
    pub algo: usize,
    /// Behind the last byte.
    pub end: usize,
}

/// Blocks on sunda.
pub const SUNDA: Blocks =
    Blocks { neff: 0x2228, dev: 0x3030, running: 0x3060, algo: 0x30C0, end: 0x32C8 };
/// Blocks on cayman and later.
pub const OTHERS: Blocks =
    Blocks { neff: 0x3448, dev: 0x4250, running: 0x4280, algo: 0x42E0, end: 0x44E8 };

/// A context of a ring on two channels with a mesh event, a device barrier and two basic blocks.
/// `index` is the TOP_SP.
///
/// # Panics
///
/// Never: all places are inside.
pub fn context(blocks: &Blocks, index: u64) -> Vec<u8> {
    let mut out = vec![0; blocks.end];
    let mut put = |at: usize, bytes: &[u8]| out[at..at + bytes.len()].copy_from_slice(bytes);
    let semaphore = |number: u64| 0x82_8000_0000 + (index << 30) + 0x1000 + 4 * number;
    let word = u64::to_le_bytes;
    for channel in 0..2 {
        let base = 148 * channel;
        let number = channel as u64;
        // Next and previous neighbor: one network index each; the next is in the pod.
        put(base, &word(0x7000_0000 + number));
        put(base + 24, &[1, 2]);
        put(base + 28, &word(0x7100_0000 + number));
        put(base + 52, &[1, 0]);
        for (at, sema) in [(56, 16), (64, 17), (72, 18), (80, 19)] {
            put(base + at, &word(semaphore(sema + 8 * number)));
        }
        put(base + 88, &word(semaphore(40)));
        put(base + 96, &word(semaphore(41)));
        put(base + 120, &word(0x60_0000_0038));
        put(base + 128, &word(0x60_0000_1038));
        put(base + 136, &0xF00F_u32.to_le_bytes());
        put(base + 140, &[channel as u8, channel as u8 + 1, 1, 1 - channel as u8, 1]);
    }
    let event = 0x1280 + 80;
    put(event, &word(0x60_0000_2038));
    put(event + 0x10, &3_u32.to_le_bytes());
    put(event + 0x28, &word(semaphore(50)));
    put(event + 0x40, &word(semaphore(51)));
    put(event + 0x48, &4_u32.to_le_bytes());
    put(event + 0x4C, &[7, 1, 1, 1]);
    let neff = blocks.neff;
    put(neff - 8, &word(0xABCD));
    put(neff, &[5, 0, 0, 0, 0xFF, 0xFF]);
    for slot in 0..6 {
        put(neff + 2144 + 8 * slot, &word(0x5_0000_0000 + 0x1000 * slot as u64));
    }
    put(neff + 2192, &word(0x4_0000_0000));
    // Barrier: step 0 of the device's view, then the semaphores of transfers and the selector.
    put(neff + 2200, &[2, 0, 3, 0]);
    put(neff + 2204, &word(semaphore(2)));
    put(neff + 2200 + 0x24, &9_u32.to_le_bytes());
    put(neff + 2200 + 0xD0, &word(semaphore(4)));
    put(neff + 2200 + 0x104, &word(0x7F00_1234_5678));
    put(neff + 2200 + 0x10C, &1_u32.to_le_bytes());
    put(neff + 2200 + 0x124, &[1]);
    put(neff + 2496, &[16, 0, 2, 0, 32, 0, 0, 0]);
    put(neff + 2496 + 0x400, &word(semaphore(5)));
    put(neff + 2496 + 0x408, &word(0x3_0000_0000));
    put(neff + 2496 + 0x410, &64_u32.to_le_bytes());
    for (at, sema) in [(3544, 0), (3552, 60), (3560, 61), (3568, 62), (3576, 63)] {
        put(neff + at, &word(semaphore(sema)));
    }
    put(neff + 3584, &3_u32.to_le_bytes());
    put(neff + 3588, &[1, 0, 2, 1]);
    let dev = blocks.dev;
    put(dev, &word(0x82_8008_0000));
    put(dev + 8, &word(0x28_0270_0000));
    put(dev + 16, &word(0x82_8000_0000));
    put(dev + 24, &word(0x82_8000_0004));
    put(dev + 32, &1024_u32.to_le_bytes());
    put(dev + 36, &word(555_819_304_992));
    put(dev + 44, &[0x13, 0x02]);
    let running = blocks.running;
    // Entry RING-2, then its completion addresses, number and reporter.
    put(running, &[0x01, 0x00, 0x03, 0x00, 0x0F, 0x00, 0x00, 0x00]);
    put(running + 8, &word(semaphore(70)));
    put(running + 16, &word(semaphore(71)));
    put(running + 24, &[1, 0, 0, 0, 1]);
    for slot in 0..6 {
        put(running + 0x20 + 8 * slot, &word(0x5_0000_0008 + 0x1000 * slot as u64));
    }
    put(running + 0x20 + 48, &word(0x4_0000_0008));
    put(running + 0x5C, &[1]);
    let algo = blocks.algo;
    put(algo, &[2, 0, 1, 0, 1, 0, 4, 0, 5, 0, 0, 0, 0, 0, 1, 3]);
    put(algo + 0x200, &[1]);
    put(algo + 0x204, &[6, 0]);
    out
}

/// A text of the printer in which an element of a list that repeats the one before is told by a
/// count. Numbers of rows do not make them differ.
pub fn collapsed(text: &str) -> String {
    let mut out = String::new();
    let mut last = String::new();
    let mut repeated = 0;
    let mut lines = text.lines().peekable();
    let flush = |out: &mut String, repeated: &mut u32| {
        if *repeated > 0 {
            out.push_str(&format!("  ... {repeated} more like it\n"));
            *repeated = 0;
        }
    };
    while let Some(line) = lines.next() {
        let indent = line.len() - line.trim_start().len();
        if line.trim() != "{" || indent < 10 {
            flush(&mut out, &mut repeated);
            last.clear();
            out.push_str(&format!("{line}\n"));
            continue;
        }
        let mut block = vec![line];
        for line in lines.by_ref() {
            block.push(line);
            if line.len() - line.trim_start().len() == indent {
                break;
            }
        }
        let plain: Vec<&str> = block
            .iter()
            .map(|line| line.trim_end_matches(','))
            .filter(|line| !line.contains("\"channel_id\"") && !line.contains("\"peer_id\""))
            .collect();
        let plain = plain.join("\n");
        if plain == last {
            repeated += 1;
        } else {
            flush(&mut out, &mut repeated);
            out.push_str(&format!("{}\n", block.join("\n")));
            last = plain;
        }
    }
    flush(&mut out, &mut repeated);
    out
}
