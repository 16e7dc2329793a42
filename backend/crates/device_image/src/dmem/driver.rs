//! What the driver does with a request for device memory: pools of each HBM, first fit, and the
//! contiguous scratchpad that grows down from the end of the main pool.
//! Spec: docs/format/memory.md "Pools of the driver" [observed].

use std::collections::BTreeMap;

use super::pool::{Pool, RANGES_TRIED, Search};
use super::usage::Category;
use crate::program::Generation;

/// Blocks are multiples of this.
pub const BLOCK_BYTES: u64 = 4096;
/// Requests of at most this size try the small pool first.
pub const SMALL_REQUEST_BYTES: u64 = 512 << 10;
/// The small pool at the end of each HBM.
pub const SMALL_POOL_BYTES: u64 = 1 << 30;
/// What the firmware keeps at the start of each HBM.
pub const FIRMWARE_BYTES: u64 = 16 << 20;
/// Why the driver refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverError {
    /// No free range is large enough.
    OutOfMemory,
    /// An argument is not valid.
    Invalid,
    /// The call is not known to this driver.
    Unsupported,
}

/// A driver of device memory.
pub trait Driver {
    /// Takes device memory and gives its address. An alignment of 0 asks for none.
    ///
    /// # Errors
    /// Why there is none.
    fn allocate(
        &mut self,
        channel: u32,
        bytes: u64,
        alignment: u64,
        category: Category,
    ) -> Result<u64, DriverError>;

    /// Takes the next piece of the contiguous scratchpad of an HBM.
    ///
    /// # Errors
    /// Why there is none.
    fn allocate_contiguous(&mut self, channel: u32, bytes: u64) -> Result<u64, DriverError>;

    /// Takes device memory at an address: no call of a driver, but what a plan needs for what lies
    /// somewhere already.
    ///
    /// # Errors
    /// Why it cannot be taken.
    fn allocate_at(
        &mut self,
        _channel: u32,
        _address: u64,
        _bytes: u64,
    ) -> Result<(), DriverError> {
        Err(DriverError::Unsupported)
    }

    /// Gives back what starts at an address; nothing happens if nothing does.
    fn free(&mut self, channel: u32, address: u64);
}

/// Base, size and number of the HBMs of a generation.
/// Spec: docs/format/memory.md "Address map" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HbmShape {
    /// First address of each.
    pub bases: &'static [u64],
    /// Bytes of each.
    pub bytes: u64,
    /// Cores that have the same default HBM.
    pub cores_each: u32,
}

impl HbmShape {
    /// The HBMs of a generation.
    pub const fn of(generation: Generation) -> Self {
        const QUADRANTS: &[u64] = &[0, 0x40_0000_0000, 0x8000_0000_0000, 0x8040_0000_0000];
        match generation {
            Generation::Sunda => {
                Self { bases: &[0, 0x10_0000_0000], bytes: 0x4_0000_0000, cores_each: 1 }
            }
            Generation::Cayman => Self { bases: QUADRANTS, bytes: 0x6_0000_0000, cores_each: 2 },
            Generation::Mariana => Self { bases: QUADRANTS, bytes: 0x9_0000_0000, cores_each: 2 },
        }
    }

    /// The HBM that an address lies in.
    pub fn channel_of(&self, address: u64) -> Option<u32> {
        let holds = |base: &u64| address.checked_sub(*base).is_some_and(|at| at < self.bytes);
        self.bases.iter().position(holds).and_then(|at| u32::try_from(at).ok())
    }

    /// Default HBM of a core.
    /// Spec: docs/format/memory.md "Allocator" [observed].
    pub const fn default_channel(&self, core: u32) -> u32 {
        core / self.cores_each
    }
}

/// The HBMs of a device, as the driver shares them out.
#[derive(Clone, Debug)]
pub struct Hbm {
    channels: Vec<Channel>,
    search: Search,
}

#[derive(Clone, Debug)]
struct Channel {
    main: Pool,
    small: Pool,
    /// End of the main pool: the contiguous scratchpad ends here.
    main_end: u64,
    /// Pieces of the contiguous scratchpad with their sizes, by address.
    contiguous: BTreeMap<u64, u64>,
    /// Sum of their sizes as the driver counts it.
    contiguous_bytes: u64,
}

impl Hbm {
    /// Empty HBMs of a generation.
    pub fn new(generation: Generation) -> Self {
        let shape = HbmShape::of(generation);
        Self::with_bytes(generation, shape.bytes)
    }

    /// The same with another size of each. Pools that do not fit into it are smaller or empty.
    pub fn with_bytes(generation: Generation, bytes: u64) -> Self {
        let channel = |base: &u64| {
            let bytes = bytes.min(u64::MAX - base) / BLOCK_BYTES * BLOCK_BYTES;
            let small = SMALL_POOL_BYTES.min(bytes.saturating_sub(FIRMWARE_BYTES));
            let main_end = base + (bytes - small);
            let first = base + FIRMWARE_BYTES.min(bytes);
            let mut main = Pool::of(first, main_end.saturating_sub(first));
            let mut small_pool = Pool::of(main_end, small);
            if small < SMALL_POOL_BYTES {
                // The small pool is filled first.
                small_pool.grows_at = Some(first.max(main_end) + small);
            } else {
                main.grows_at = Some(main_end);
            }
            Channel {
                main,
                small: small_pool,
                main_end,
                contiguous: BTreeMap::new(),
                contiguous_bytes: 0,
            }
        };
        let channels = HbmShape::of(generation).bases.iter().map(channel).collect();
        Self { channels, search: Search { left: RANGES_TRIED, cut: 0, lacks: None } }
    }

    /// The same with another bound on the free ranges that are looked at.
    #[cfg(test)]
    fn that_looks_at(self, left: u64) -> Self {
        Self { search: Search { left, ..self.search }, ..self }
    }

    /// Requests that first fit may have given another address, since not all free ranges were looked
    /// at. A driver looks at all.
    pub const fn searches_cut(&self) -> u64 {
        self.search.cut
    }

    /// The fewest bytes that an HBM would have to be larger so that any request so far would have gone
    /// elsewhere. With fewer, in multiples of the 4 MiB that pages are aligned to, all goes as it did.
    /// `None` where no request found a pool too small.
    pub const fn lacks(&self) -> Option<u64> {
        self.search.lacks
    }

    /// Free bytes of an HBM, and the largest free range; zero for one that is not there.
    pub fn free_bytes(&self, channel: u32) -> (u64, u64) {
        let Some(channel) = self.channel(channel) else { return (0, 0) };
        let ranges = channel.main.free.values().chain(channel.small.free.values());
        ranges.fold((0, 0), |(sum, largest), &bytes| (sum + bytes, largest.max(bytes)))
    }

    /// The largest free range of an HBM when it has to start at a multiple of an alignment; 0 asks
    /// for none.
    pub fn largest_aligned(&self, channel: u32, alignment: u64) -> u64 {
        let Some(channel) = self.channel(channel) else { return 0 };
        let ranges = channel.main.free.iter().chain(&channel.small.free);
        let left = |(&start, &have): (&u64, &u64)| {
            let at = start.checked_next_multiple_of(alignment.max(BLOCK_BYTES))?;
            have.checked_sub(at - start)
        };
        ranges.filter_map(left).max().unwrap_or(0)
    }

    fn channel(&self, index: u32) -> Option<&Channel> {
        self.channels.get(usize::try_from(index).ok()?)
    }

    fn channel_mut(&mut self, index: u32) -> Option<&mut Channel> {
        self.channels.get_mut(usize::try_from(index).ok()?)
    }
}

impl Driver for Hbm {
    fn allocate(
        &mut self,
        channel: u32,
        bytes: u64,
        alignment: u64,
        _category: Category,
    ) -> Result<u64, DriverError> {
        let Self { channels, search } = self;
        let index = usize::try_from(channel).ok();
        let channel = index.and_then(|at| channels.get_mut(at)).ok_or(DriverError::Invalid)?;
        // The driver leaves open what an empty request gives; one block stands in.
        let bytes = bytes.max(1).checked_next_multiple_of(BLOCK_BYTES);
        let bytes = bytes.ok_or(DriverError::OutOfMemory)?;
        if alignment > 0x7FFF_FFFF {
            return Err(DriverError::Invalid);
        }
        let alignment = alignment.max(BLOCK_BYTES);
        let (first, second) = if bytes <= SMALL_REQUEST_BYTES {
            (&mut channel.small, &mut channel.main)
        } else {
            (&mut channel.main, &mut channel.small)
        };
        let found = first.take(bytes, alignment, search);
        let found = found.or_else(|| second.take(bytes, alignment, search));
        found.ok_or(DriverError::OutOfMemory)
    }

    fn allocate_contiguous(&mut self, channel: u32, bytes: u64) -> Result<u64, DriverError> {
        let Self { channels, search } = self;
        let index = usize::try_from(channel).ok();
        let channel = index.and_then(|at| channels.get_mut(at)).ok_or(DriverError::Invalid)?;
        let bytes = bytes.checked_next_multiple_of(BLOCK_BYTES).ok_or(DriverError::OutOfMemory)?;
        let end = channel.main_end.checked_sub(channel.contiguous_bytes);
        let start = end.and_then(|end| end.checked_sub(bytes));
        let taken = start.and_then(|start| channel.main.take_at(start, bytes));
        let Some(start) = taken else {
            search.lacked(channel.lacks_piece(bytes));
            return Err(DriverError::OutOfMemory);
        };
        channel.contiguous.insert(start, bytes);
        channel.region_is(channel.contiguous_bytes + bytes);
        Ok(start)
    }

    fn allocate_at(&mut self, channel: u32, address: u64, bytes: u64) -> Result<(), DriverError> {
        let channel = self.channel_mut(channel).ok_or(DriverError::Invalid)?;
        let bytes = bytes.max(1).checked_next_multiple_of(BLOCK_BYTES);
        let bytes = bytes.ok_or(DriverError::OutOfMemory)?;
        if !address.is_multiple_of(BLOCK_BYTES) {
            return Err(DriverError::Invalid);
        }
        let taken = channel.main.take_at(address, bytes);
        let taken = taken.or_else(|| channel.small.take_at(address, bytes));
        taken.map(|_| ()).ok_or(DriverError::OutOfMemory)
    }

    fn free(&mut self, channel: u32, address: u64) {
        let Some(channel) = self.channel_mut(channel) else { return };
        if let Some(bytes) = channel.contiguous.remove(&address) {
            channel.region_is(channel.contiguous_bytes - bytes);
        }
        if !channel.main.give(address) {
            channel.small.give(address);
        }
    }
}

impl Channel {
    /// Bytes that an HBM lacks for the next piece of the region.
    fn lacks_piece(&self, bytes: u64) -> Option<u64> {
        // Before there is a main pool, the small one is filled.
        let small = self.small.grows_at.map(|at| SMALL_POOL_BYTES.checked_sub(at - self.main_end));
        match small {
            Some(missing) => missing?.checked_add(bytes),
            None => self.main.lacks(bytes, BLOCK_BYTES),
        }
    }

    /// The region is at the end of the main pool, so that a larger one has more below it.
    fn region_is(&mut self, bytes: u64) {
        self.contiguous_bytes = bytes;
        if let Some(at) = &mut self.main.grows_at {
            *at = self.main_end.saturating_sub(bytes);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    const CATEGORY: Category = Category(10);

    #[test]
    fn first_contiguous_pages_of_each_generation() {
        let table = [
            (Generation::Sunda, 0, 0x3_BC00_0000, 0x3_B800_0000),
            (Generation::Cayman, 0, 0x5_BC00_0000, 0x5_B800_0000),
            (Generation::Mariana, 0, 0x8_BC00_0000, 0x8_B800_0000),
            (Generation::Cayman, 1, 0x45_BC00_0000, 0x45_B800_0000),
        ];
        for (generation, channel, first, second) in table {
            let mut hbm = Hbm::new(generation);
            assert_eq!(hbm.allocate_contiguous(channel, 0x400_0000), Ok(first));
            assert_eq!(hbm.allocate_contiguous(channel, 0x400_0000), Ok(second));
            hbm.free(channel, second);
            assert_eq!(hbm.allocate_contiguous(channel, 0x400_0000), Ok(second));
        }
    }

    #[test]
    fn small_requests_go_to_the_small_pool() {
        let mut hbm = Hbm::new(Generation::Cayman);
        assert_eq!(hbm.allocate(0, 1, 0, CATEGORY), Ok(0x5_C000_0000));
        assert_eq!(hbm.allocate(0, 512 << 10, 0, CATEGORY), Ok(0x5_C000_1000));
        assert_eq!(hbm.allocate(0, (512 << 10) + 1, 0, CATEGORY), Ok(0x100_0000));
        assert_eq!(hbm.allocate(0, 0x1000, 0x40_0000, CATEGORY), Ok(0x5_C040_0000));
        assert_eq!(hbm.allocate(4, 1, 0, CATEGORY), Err(DriverError::Invalid));
        assert_eq!(hbm.allocate(0, 1, 0x8000_0000, CATEGORY), Err(DriverError::Invalid));
        assert_eq!(hbm.allocate(0, u64::MAX, 0, CATEGORY), Err(DriverError::OutOfMemory));
        // Main pool: 0x5C0000000 - 0x1000000, less one piece of 0x81000.
        assert_eq!(hbm.free_bytes(0).1, 0x5_BF00_0000 - 0x8_1000);
    }

    #[test]
    fn the_largest_range_from_an_aligned_address() {
        // Free from 16 MiB to 23 GiB, and 1 GiB behind: 22 GiB start at 1 GiB, 21 at 2 GiB; a whole
        // multiple of 2^40 is not in it.
        let hbm = Hbm::new(Generation::Cayman);
        let gib = 1 << 30;
        let table = [
            (0, 23 * gib - FIRMWARE_BYTES),
            (4096, 23 * gib - FIRMWARE_BYTES),
            (gib, 22 * gib),
            (2 * gib, 21 * gib),
            (1 << 40, 0),
            (1 << 63, 0),
        ];
        for (alignment, bytes) in table {
            assert_eq!(hbm.largest_aligned(0, alignment), bytes, "{alignment:#x}");
        }
        assert_eq!(hbm.largest_aligned(4, 0), 0);
    }

    /// 700 free ranges of 1 MiB with as much taken behind each but the one in the middle, which has
    /// 2 MiB more; none is left behind them.
    fn scattered(left: u64) -> Hbm {
        let mib = 1 << 20;
        let mut hbm = Hbm::with_bytes(Generation::Cayman, FIRMWARE_BYTES + 1402 * mib + (1 << 30));
        let pieces: Vec<u64> =
            (0..1402).map(|_| hbm.allocate(0, mib, 0, CATEGORY).unwrap()).collect();
        // The small pool is full too.
        hbm.allocate(0, 1 << 30, 0, CATEGORY).unwrap();
        for at in (0..1402).filter(|at| at % 2 == 0 || *at == 701) {
            hbm.free(0, pieces[at]);
        }
        hbm.that_looks_at(left)
    }

    #[test]
    fn first_fit_looks_at_all_free_ranges() {
        // 2 MiB fit at pieces 700 to 702 alone, behind 350 ranges and before as many.
        let mib = 1 << 20;
        let mut hbm = scattered(1 << 20);
        assert_eq!(hbm.allocate(0, 2 * mib, 0, CATEGORY), Ok(FIRMWARE_BYTES + 700 * mib));
        assert_eq!(hbm.searches_cut(), 0);
        let mut hbm = scattered(0);
        assert_eq!(hbm.allocate(0, 2 * mib, 0, CATEGORY), Err(DriverError::OutOfMemory));
        assert_eq!(hbm.searches_cut(), 1);
        // What is found at the low end is what first fit finds.
        assert_eq!(hbm.allocate(0, mib, 0, CATEGORY), Ok(FIRMWARE_BYTES));
        assert_eq!(hbm.searches_cut(), 1);
    }

    #[test]
    fn the_lowest_range_is_taken() {
        let mut hbm = Hbm::new(Generation::Cayman);
        let mib = 1 << 20;
        let pieces: Vec<u64> = (0..4).map(|_| hbm.allocate(0, mib, 0, CATEGORY).unwrap()).collect();
        hbm.free(0, pieces[0]);
        hbm.free(0, pieces[2]);
        assert_eq!(hbm.allocate(0, mib, 0, CATEGORY), Ok(pieces[0]));
        assert_eq!(hbm.allocate(0, mib, 0, CATEGORY), Ok(pieces[2]));
        assert_eq!(hbm.allocate(0, mib, 0, CATEGORY), Ok(pieces[3] + mib));
    }

    #[test]
    fn what_a_larger_hbm_would_take_is_measured_at_the_end_of_the_pool() {
        let gib = 1 << 30;
        // 1 GiB of main pool and the small one.
        let with = || Hbm::with_bytes(Generation::Cayman, 2 * gib + FIRMWARE_BYTES);
        let mut hbm = with();
        assert_eq!(hbm.lacks(), None);
        assert_eq!(hbm.allocate(0, 2 * gib, 0, CATEGORY), Err(DriverError::OutOfMemory));
        assert_eq!(hbm.lacks(), Some(gib));
        // What the small pool takes instead would be in a larger main pool.
        assert!(hbm.allocate(0, gib - 4096, 0, CATEGORY).is_ok());
        assert!(hbm.allocate(0, 1 << 29, 0, CATEGORY).is_ok());
        assert_eq!(hbm.lacks(), Some((1 << 29) - 4096));
        // A region lies at the end, and what is free below it grows.
        let mut region = with();
        assert!(region.allocate_contiguous(0, gib / 2).is_ok());
        assert!(region.allocate(0, gib / 4, 0, CATEGORY).is_ok());
        assert_eq!(region.allocate_contiguous(0, gib / 2), Err(DriverError::OutOfMemory));
        assert_eq!(region.lacks(), Some(gib / 4));
        // Before there is a main pool, the small one grows.
        let mut small = Hbm::with_bytes(Generation::Cayman, FIRMWARE_BYTES + 8192);
        assert_eq!(small.allocate(0, 12_288, 0, CATEGORY), Err(DriverError::OutOfMemory));
        assert_eq!(small.lacks(), Some(4096));
        assert_eq!(small.allocate_contiguous(0, 4096), Err(DriverError::OutOfMemory));
        assert_eq!(small.lacks(), Some(4096), "a region needs the whole small pool first");
    }

    #[test]
    fn neighbors_join_when_they_are_free() {
        let mut hbm = Hbm::new(Generation::Sunda);
        let pieces: Vec<u64> =
            (0..3).map(|_| hbm.allocate(0, 1 << 20, 0, CATEGORY).unwrap()).collect();
        let all = Hbm::new(Generation::Sunda).free_bytes(0);
        for at in [0, 2, 1] {
            hbm.free(0, pieces[at]);
        }
        assert_eq!(hbm.free_bytes(0), all);
        hbm.free(0, 0xDEAD_0000);
        assert_eq!(hbm.free_bytes(0), all);
    }

    #[test]
    fn an_hbm_that_is_too_small_has_no_pools() {
        for bytes in [0, 4096, FIRMWARE_BYTES, FIRMWARE_BYTES + 4096, u64::MAX] {
            let mut hbm = Hbm::with_bytes(Generation::Cayman, bytes);
            let fits = bytes > FIRMWARE_BYTES;
            assert_eq!(hbm.allocate(3, 4096, 0, CATEGORY).is_ok(), fits, "{bytes}");
            let _ = hbm.allocate_contiguous(0, 0x400_0000);
        }
    }
}
