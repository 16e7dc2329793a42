//! Where the host sees device memory.

use crate::dmem::HbmShape;
use crate::program::Generation;

/// Offset in the host's window of device memory (BAR 4) of a range. The driver takes only ranges
/// that end before the last byte of an HBM.
/// Spec: docs/format/memory.md "The host's windows" [observed].
pub fn memory_window(generation: Generation, start: u64, bytes: u64) -> Option<u64> {
    let shape = HbmShape::of(generation);
    let distance = match generation {
        Generation::Sunda => 0x4_0000_0000,
        Generation::Cayman | Generation::Mariana => 0x10_0000_0000,
    };
    (0..).zip(shape.bases).find_map(|(index, base)| {
        let offset = start.checked_sub(*base)?;
        (offset.checked_add(bytes)? < shape.bytes).then_some(offset + distance * index)
    })
}

/// Offset in the host's window of cores (BAR 0) of a core's event block.
/// Spec: docs/format/memory.md "The host's windows" [observed].
pub fn event_window(generation: Generation, core: u32) -> Option<u64> {
    let first = match generation {
        Generation::Sunda => 0,
        Generation::Cayman | Generation::Mariana => 0xD000_0000,
    };
    let known = core < super::bases::cores(generation);
    known.then_some(first + 0x400_0000 * u64::from(core) + 0x270_0000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_windows() {
        let table = [
            (Generation::Sunda, 0x10_0000_1000, 0x10, Some(0x4_0000_1000)),
            (Generation::Cayman, 0x8040_0000_1000, 0x10, Some(0x30_0000_1000)),
            // The driver refuses a range that ends where the HBM does.
            (Generation::Cayman, 0x5_FFFF_F000, 0x1000, None),
            (Generation::Cayman, 0x5_FFFF_F000, 0xFFF, Some(0x5_FFFF_F000)),
            (Generation::Cayman, 0x20_0000_0000, 1, None),
            (Generation::Cayman, 0, u64::MAX, None),
        ];
        for (generation, start, bytes, expected) in table {
            assert_eq!(memory_window(generation, start, bytes), expected, "{start:#x}");
        }
        assert_eq!(event_window(Generation::Cayman, 1), Some(0xD670_0000));
        assert_eq!(event_window(Generation::Sunda, 2), None);
    }
}
