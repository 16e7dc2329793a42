//! Where engine images lie in device memory when nobody says: a modelled placement.
//!
//! Images hold no base address. Captures show bases that are multiples of 32 KiB, images of up to
//! 512 KiB one after the other in the order ACT DVE PE POOL SP in a small pool, larger ones in a
//! main pool. The pool addresses below are those seen; the distance from the pool's start is
//! ours, chosen so that the default request page and table rings do not overlap.

use crate::dmem::HbmShape;
use crate::dmem::driver::{FIRMWARE_BYTES, SMALL_POOL_BYTES};
use crate::program::Generation;
use records::{DeviceAddr, Engine};

/// Alignment of an image base in bytes.
/// Spec: docs/format/image.md "Placement" [observed].
pub const BASE_ALIGN: u64 = 0x8000;

/// Alignment of an engine's image for an instruction block of so many bytes: at least
/// [`BASE_ALIGN`]. `None` for a size with which the runtime gives up: the alignment must be a power
/// of two and a multiple of the block.
/// Spec: docs/format/image.md "Placement" [observed].
pub fn alignment(instruction_block_bytes: u64) -> Option<u64> {
    let align = BASE_ALIGN.max(instruction_block_bytes);
    let fits = align.is_power_of_two() && align.checked_rem(instruction_block_bytes) == Some(0);
    fits.then_some(align)
}

/// Tag under which an engine's image counts in the use of device memory.
/// Spec: docs/format/image.md "Placement" [observed].
pub const fn usage_tag(engine: Engine) -> u32 {
    match engine {
        Engine::Pe => 1,
        Engine::Act => 2,
        Engine::Pool => 3,
        Engine::Dve => 9,
        Engine::Sp => 10,
    }
}

/// Images above this many bytes go to the main pool.
/// Spec: docs/format/image.md "Placement" [inferred].
pub const SMALL_POOL_IMAGE_BYTES: u64 = 512 << 10;

/// Order of the images in the small pool.
const ORDER: [Engine; 5] = [Engine::Act, Engine::Dve, Engine::Pe, Engine::Pool, Engine::Sp];

/// The base of each engine's image, indexed by engine code, for images of these lengths in bytes.
///
/// They lie in the default HBM of the core. `subgraph` is the 0-based index of the subgraph: cores of
/// one program do not overlap. All values are modelled; the same lengths always give the same bases,
/// no two images overlap, and each base is a multiple of [`BASE_ALIGN`].
pub fn modelled_bases(
    generation: Generation,
    core: u32,
    subgraph: u32,
    image_bytes: [u64; 5],
) -> [DeviceAddr; 5] {
    let in_pool = match generation {
        Generation::Sunda => 0x10_0000,
        Generation::Cayman | Generation::Mariana => 0x40_0000,
    };
    let shape = HbmShape::of(generation);
    let hbm = usize::try_from(shape.default_channel(core)).ok().and_then(|at| shape.bases.get(at));
    let hbm: u64 = hbm.copied().unwrap_or(0);
    let pool = hbm + shape.bytes - SMALL_POOL_BYTES;
    let mut small = pool + in_pool + u64::from(subgraph) * 0x40_0000;
    let mut main = hbm + FIRMWARE_BYTES + u64::from(subgraph) * 0x1000_0000;
    let mut bases = [DeviceAddr(0); 5];
    for engine in ORDER {
        let Some(bytes) = image_bytes.get(engine.index()).copied() else { continue };
        let cursor = if bytes <= SMALL_POOL_IMAGE_BYTES { &mut small } else { &mut main };
        if let Some(base) = bases.get_mut(engine.index()) {
            *base = DeviceAddr(*cursor);
        }
        let end = cursor.saturating_add(bytes.max(1));
        *cursor = end.checked_next_multiple_of(BASE_ALIGN).unwrap_or(end);
    }
    bases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_images_follow_each_other() {
        let bases = modelled_bases(Generation::Cayman, 4, 0, [5_376, 4_928, 0x8001, 4_736, 4_800]);
        let start = 0x8005_C040_0000;
        // ACT, DVE, PE, POOL (two units of 32 KiB), SP.
        assert_eq!(bases[Engine::Act.index()].0, start);
        assert_eq!(bases[Engine::Dve.index()].0, start + 0x8000);
        assert_eq!(bases[Engine::Pe.index()].0, start + 0x10000);
        assert_eq!(bases[Engine::Pool.index()].0, start + 0x18000);
        assert_eq!(bases[Engine::Sp.index()].0, start + 0x28000);
    }

    #[test]
    fn alignment_is_a_power_of_two_and_a_multiple_of_the_block() {
        assert_eq!(alignment(0x1000), Some(0x8000));
        assert_eq!(alignment(0x1_0000), Some(0x1_0000));
        // 0x8000 is no multiple of 0x3000, 0x1_8000 no power of two.
        assert_eq!([alignment(0x3000), alignment(0x1_8000), alignment(0)], [None, None, None]);
        assert_eq!(Engine::ALL.map(usage_tag), [1, 2, 3, 9, 10]);
    }

    #[test]
    fn images_lie_in_the_hbm_of_their_core() {
        // Cores 0 and 1 have HBM 0, 2 and 3 HBM 1 at 0x4000000000, 6 HBM 3 at 0x804000000000.
        let main = |generation, core| modelled_bases(generation, core, 0, [1 << 20; 5])[1].0;
        let of =
            [(0, 0x100_0000), (3, 0x40_0100_0000), (5, 0x8000_0100_0000), (6, 0x8040_0100_0000)];
        for (core, base) in of {
            assert_eq!(main(Generation::Cayman, core), base, "core {core}");
            assert_eq!(main(Generation::Mariana, core), base, "core {core}");
        }
        // SUNDA has one core for each HBM.
        assert_eq!([0, 1].map(|core| main(Generation::Sunda, core)), [0x100_0000, 0x10_0100_0000]);
    }

    #[test]
    fn small_images_lie_in_the_last_gibibyte_of_their_hbm() {
        // HBMs of 16, 24 and 36 GiB: the small pool starts 1 GiB below their ends.
        for (generation, core, pool) in [
            (Generation::Sunda, 0, 0x3_C000_0000_u64),
            (Generation::Cayman, 0, 0x5_C000_0000),
            (Generation::Mariana, 0, 0x8_C000_0000),
            (Generation::Mariana, 3, 0x48_C000_0000),
            (Generation::Mariana, 4, 0x8008_C000_0000),
        ] {
            for base in modelled_bases(generation, core, 1, [0x8_0000; 5]) {
                let at = base.0 - pool;
                assert!(at + 0x8_0000 <= 1 << 30, "{generation:?} {core}: {:#x}", base.0);
            }
        }
    }

    #[test]
    fn large_images_go_to_the_main_pool() {
        let bases = modelled_bases(Generation::Cayman, 5, 1, [1_361_216, 64, 439_872, 64, 64]);
        assert_eq!(bases[Engine::Pe.index()].0, 0x8000_1100_0000);
        assert_eq!(bases[Engine::Act.index()].0, 0x8005_C080_0000);
    }
}
