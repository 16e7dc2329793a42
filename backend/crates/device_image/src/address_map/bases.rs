//! First addresses of the blocks of a device, by generation.
//! Spec: docs/format/memory.md "Address map" [observed].

use crate::program::Generation;

/// The bit that tells the two dies apart, on generations with two.
pub const DIE_BIT: u64 = 1 << 47;

/// Bytes of a core's window.
pub const fn core_bytes(generation: Generation) -> u64 {
    match generation {
        Generation::Sunda => 0x400_0000,
        Generation::Cayman | Generation::Mariana => 0x8_0400_0000,
    }
}

/// Cores of a device.
pub const fn cores(generation: Generation) -> u32 {
    match generation {
        Generation::Sunda => 2,
        Generation::Cayman | Generation::Mariana => 8,
    }
}

/// First address of a core's window; `None` for a core that is not there. Core numbers are physical
/// ones.
pub fn core_base(generation: Generation, core: u32) -> Option<u64> {
    if core >= cores(generation) {
        return None;
    }
    let core = u64::from(core);
    Some(match generation {
        Generation::Sunda => 0xFFF_C000_0000 + 0x400_0000 * core,
        Generation::Cayman | Generation::Mariana => {
            let in_quadrant = 0x20_0000_0000 + 0x10_0000_0000 * (core % 2);
            quadrant(core / 2) + in_quadrant
        }
    })
}

/// What the addresses of a quarter of the device share: an HBM, two cores and their DMA engines.
pub const fn quadrant(index: u64) -> u64 {
    (index & 1) << 38 | (index >> 1) << 47
}

/// DMA engines of a core, on all generations.
pub const DMA_ENGINES_OF_CORE: u32 = 16;
/// Queues of a DMA engine.
pub const DMA_QUEUES: u32 = 16;

/// DMA engines that bring bytes from the host.
pub const fn h2d_engines(generation: Generation) -> &'static [u32] {
    match generation {
        Generation::Sunda => &[33],
        Generation::Cayman | Generation::Mariana => &[129, 131],
    }
}

/// DMA engines of a device, those for host transfers included.
pub const fn dma_engines(generation: Generation) -> u32 {
    match generation {
        Generation::Sunda => 34,
        Generation::Cayman | Generation::Mariana => 132,
    }
}

/// First address of a DMA engine's registers; `None` for one that is not there.
pub fn dma_base(generation: Generation, engine: u32) -> Option<u64> {
    let number = u64::from(engine);
    match generation {
        Generation::Sunda => Some(match number {
            0..=15 => 0xFFF_F000_0000 + 0x4_0000 * number,
            16..=31 => 0xFFF_F070_0000 + 0x4_0000 * (number - 16),
            32 => 0xFFF_F060_0000,
            33 => 0xFFF_F0D0_0000,
            _ => return None,
        }),
        Generation::Cayman | Generation::Mariana => Some(match number {
            // In every second quadrant they begin 32 MiB further up.
            0..=127 => {
                let odd = number / 32 % 2;
                let first = 0x10_0200_0000 + 0x200_0000 * odd;
                quadrant(number / 32) + first + 0x10_0000 * (number % 32)
            }
            128 => 0x80_0680_0000,
            129 => 0x80_0690_0000,
            130 => 0x8080_0680_0000,
            131 => 0x8080_0690_0000,
            _ => return None,
        }),
    }
}

/// First address of a DMA engine's control registers; `None` for one that is not there.
pub fn dma_control(generation: Generation, engine: u32) -> Option<u64> {
    let number = u64::from(engine);
    match generation {
        Generation::Sunda => Some(match number {
            0..=15 => 0xFFF_F040_0000 + 0x7000 * number,
            16..=31 => 0xFFF_F0B0_0000 + 0x7000 * (number - 16),
            32 => 0xFFF_F064_0000,
            33 => 0xFFF_F0D4_0000,
            _ => return None,
        }),
        Generation::Cayman | Generation::Mariana => {
            dma_base(generation, engine).map(|base| base + 0x4_0000)
        }
    }
}

/// Processors of collectives of a device.
pub const fn top_sps(generation: Generation) -> u32 {
    match generation {
        Generation::Sunda => 6,
        Generation::Cayman | Generation::Mariana => 16,
    }
}

/// First address of a processor of collectives; `None` for one that is not there.
pub fn top_sp_base(generation: Generation, index: u32) -> Option<u64> {
    if index >= top_sps(generation) {
        return None;
    }
    let index = u64::from(index);
    Some(match generation {
        Generation::Sunda => 0xFFF_D000_0000 + 0x40_0000 * index,
        Generation::Cayman | Generation::Mariana => {
            0x82_8000_0000 + 0x4000_0000 * (index % 8) + (index / 8) * DIE_BIT
        }
    })
}

/// First address of a core's notification block; `None` for a core that is not there. The sources
/// have its place in the host's window; the device address follows from where that window lies.
/// Spec: docs/format/memory.md "Notification blocks" [inferred].
pub fn core_notifications(generation: Generation, core: u32) -> Option<u64> {
    if core >= cores(generation) {
        return None;
    }
    let core = u64::from(core);
    Some(match generation {
        Generation::Sunda => 0xFFF_F053_5000 + 0x70_0000 * core,
        Generation::Cayman | Generation::Mariana => {
            let in_die = 0x600_1000 + 0x18_0000 * (core % 2) + 0x40_0000 * (core / 2 % 2);
            0x80_0000_0000 + in_die + (core / 4) * DIE_BIT
        }
    })
}

/// First address of the notification block of a processor of collectives.
/// Spec: docs/format/memory.md "Notification blocks" [inferred].
pub fn top_sp_notifications(generation: Generation, index: u32) -> Option<u64> {
    if index >= top_sps(generation) {
        return None;
    }
    let index = u64::from(index);
    Some(match generation {
        Generation::Sunda => 0xFFF_F0E0_4000 + 0x4_0000 * index,
        Generation::Cayman | Generation::Mariana => {
            0x80_06A0_0000 + 0x4_0000 * (index % 8) + (index / 8) * DIE_BIT
        }
    })
}

/// The cell that a transfer copies to set or clear an event: an absolute address, the same for all
/// cores. On MARIANA the cell that sets does not follow the one that clears.
/// Spec: docs/format/memory.md "Event addresses" [observed].
pub const fn accelerator(generation: Generation, set: bool) -> u64 {
    match (generation, set) {
        (Generation::Sunda, false) => 0x20_0000_0000,
        (Generation::Sunda, true) => 0x20_0000_0004,
        (Generation::Cayman | Generation::Mariana, false) => 0x90_0000_0000,
        (Generation::Cayman, true) => 0x90_0000_0004,
        (Generation::Mariana, true) => 0x94_0000_0000,
    }
}

/// Bytes of such a cell: what a transfer copies from it.
/// Spec: docs/format/memory.md "Event transfers" [observed].
pub const ACCELERATOR_BYTES: u64 = 4;

/// Bytes of a notification block.
pub const NOTIFICATION_BYTES: u64 = 0x1000;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bases_of_cores_as_published() {
        let cayman = [
            0x20_0000_0000,
            0x30_0000_0000,
            0x60_0000_0000,
            0x70_0000_0000,
            0x8020_0000_0000,
            0x8030_0000_0000,
            0x8060_0000_0000,
            0x8070_0000_0000,
        ];
        for generation in [Generation::Cayman, Generation::Mariana] {
            for (core, base) in (0..).zip(cayman) {
                assert_eq!(core_base(generation, core), Some(base));
            }
            assert_eq!(core_base(generation, 8), None);
        }
        assert_eq!(core_base(Generation::Sunda, 1), Some(0xFFF_C400_0000));
        assert_eq!(core_base(Generation::Sunda, 2), None);
    }

    #[test]
    fn bases_of_dma_engines_as_published() {
        let cayman = [
            (0, 0x10_0200_0000),
            (31, 0x10_03F0_0000),
            (32, 0x50_0400_0000),
            (96, 0x8050_0400_0000),
            (64, 0x8010_0200_0000),
            (130, 0x8080_0680_0000),
        ];
        for (engine, base) in cayman {
            assert_eq!(dma_base(Generation::Cayman, engine), Some(base), "{engine}");
        }
        assert_eq!(dma_control(Generation::Cayman, 0), Some(0x10_0204_0000));
        assert_eq!(dma_base(Generation::Sunda, 17), Some(0xFFF_F074_0000));
        assert_eq!(dma_control(Generation::Sunda, 17), Some(0xFFF_F0B0_7000));
        assert_eq!(dma_base(Generation::Cayman, 132), None);
        assert_eq!(dma_base(Generation::Sunda, 34), None);
    }

    #[test]
    fn notification_blocks_follow_the_hosts_window() {
        // The window's offsets, less that of the registers, plus where the registers lie.
        let cayman = [
            0x600_1000,
            0x618_1000,
            0x640_1000,
            0x658_1000,
            0x4600_1000,
            0x4618_1000,
            0x4640_1000,
            0x4658_1000,
        ];
        for (core, offset) in (0..).zip(cayman) {
            let device: u64 = if offset < 0x4000_0000 {
                0x80_0000_0000 + offset
            } else {
                0x8080_0000_0000 + (offset - 0x4000_0000)
            };
            assert_eq!(core_notifications(Generation::Cayman, core), Some(device), "{core}");
        }
        assert_eq!(core_notifications(Generation::Sunda, 0), Some(0xFFF_F053_5000));
        assert_eq!(core_notifications(Generation::Sunda, 1), Some(0xFFF_F0C3_5000));
        assert_eq!(top_sp_notifications(Generation::Cayman, 9), Some(0x8080_06A4_0000));
        assert_eq!(top_sp_base(Generation::Cayman, 8), Some(0x8082_8000_0000));
    }
}
