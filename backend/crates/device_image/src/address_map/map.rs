//! The whole map of a generation, and what an address is in it.

use super::bases;
use super::core_blocks;
use super::detail;
use super::region::{Region, RegionKind};
use crate::dmem::HbmShape;
use crate::dmem::driver::{FIRMWARE_BYTES, SMALL_POOL_BYTES};
use crate::program::Generation;
use records::Provenance;

const OBSERVED: Provenance = Provenance::Observed;
const INFERRED: Provenance = Provenance::Inferred;

/// The device addresses of a generation. Regions nest and never cross.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AddressMap {
    generation: Generation,
    /// By start; of those that start together the larger comes first.
    regions: Vec<Region>,
    /// Index of the region around each.
    parents: Vec<Option<usize>>,
}

/// What an address is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place<'a> {
    /// The regions around it, the widest first.
    pub regions: Vec<&'a Region>,
    /// Bytes from the start of the narrowest.
    pub offset: u64,
    /// What it is inside that: an event, a semaphore, a partition, a register.
    pub detail: Option<String>,
}

impl AddressMap {
    /// The map of a generation.
    pub fn new(generation: Generation) -> Self {
        let mut regions = Vec::new();
        hbms(generation, &mut regions);
        cores(generation, &mut regions);
        top_sps(generation, &mut regions);
        dma(generation, &mut regions);
        registers(generation, &mut regions);
        accelerators(generation, &mut regions);
        regions.sort_by_key(|region| (region.start, u64::MAX - region.bytes));
        let mut parents: Vec<Option<usize>> = Vec::with_capacity(regions.len());
        let mut open: Vec<usize> = Vec::new();
        for (at, region) in regions.iter().enumerate() {
            while let Some(last) = open.last()
                && !regions.get(*last).is_some_and(|outer| outer.contains(region.start))
            {
                open.pop();
            }
            parents.push(open.last().copied());
            open.push(at);
        }
        Self { generation, regions, parents }
    }

    /// Generation that it is about.
    pub const fn generation(&self) -> Generation {
        self.generation
    }

    /// All regions, by start; an enclosing one stands before those in it.
    pub fn regions(&self) -> &[Region] {
        &self.regions
    }

    /// What an address is; `None` where no region is known.
    pub fn lookup(&self, address: u64) -> Option<Place<'_>> {
        let behind = self.regions.partition_point(|region| region.start <= address);
        let mut at = behind.checked_sub(1);
        while let Some(index) = at {
            let region = self.regions.get(index)?;
            if region.contains(address) {
                let offset = address - region.start;
                let detail = detail::of(self.generation, region, offset);
                return Some(Place { regions: self.around(index), offset, detail });
            }
            at = self.parents.get(index).copied().flatten();
        }
        None
    }

    fn around(&self, index: usize) -> Vec<&Region> {
        let mut path = Vec::new();
        let mut at = Some(index);
        while let Some(index) = at {
            path.extend(self.regions.get(index));
            at = self.parents.get(index).copied().flatten();
        }
        path.reverse();
        path
    }
}

fn hbms(generation: Generation, regions: &mut Vec<Region>) {
    let shape = HbmShape::of(generation);
    for (index, base) in (0..).zip(shape.bases) {
        let region = |start, bytes, name: String, provenance| {
            Region::new(start, bytes, RegionKind::Hbm, name, provenance).numbered(index)
        };
        regions.push(region(*base, shape.bytes, format!("HBM {index}"), OBSERVED));
        let name = format!("HBM {index} firmware");
        regions.push(region(*base, FIRMWARE_BYTES, name, OBSERVED));
        let small = base + shape.bytes - SMALL_POOL_BYTES;
        regions.push(region(small, SMALL_POOL_BYTES, format!("HBM {index} small pool"), OBSERVED));
    }
}

fn cores(generation: Generation, regions: &mut Vec<Region>) {
    for core in 0..bases::cores(generation) {
        let Some(base) = bases::core_base(generation, core) else { continue };
        let (bytes, name) = (bases::core_bytes(generation), format!("core {core}"));
        let window = Region::new(base, bytes, RegionKind::Core, name, OBSERVED);
        regions.push(window.of_core(core).numbered(core));
        regions.extend(core_blocks::blocks(generation, core, base));
        if let Some(start) = bases::core_notifications(generation, core) {
            let name = format!("notifications of core {core}");
            let bytes = bases::NOTIFICATION_BYTES;
            let block = Region::new(start, bytes, RegionKind::Notifications, name, INFERRED);
            regions.push(block.of_core(core).numbered(core));
        }
    }
}

fn top_sps(generation: Generation, regions: &mut Vec<Region>) {
    for index in 0..bases::top_sps(generation) {
        if let Some(start) = bases::top_sp_base(generation, index) {
            let name = format!("TOP_SP {index}");
            let block = Region::new(start, 0x40_0000, RegionKind::TopSp, name, OBSERVED);
            regions.push(block.numbered(index));
            let name = format!("TOP_SP {index} events and semaphores");
            let block = Region::new(start, 0x2000, RegionKind::Events, name, OBSERVED);
            regions.push(block.numbered(index));
        }
        if let Some(start) = bases::top_sp_notifications(generation, index) {
            let name = format!("notifications of TOP_SP {index}");
            let bytes = bases::NOTIFICATION_BYTES;
            let block = Region::new(start, bytes, RegionKind::Notifications, name, INFERRED);
            regions.push(block.numbered(index));
        }
    }
}

fn dma(generation: Generation, regions: &mut Vec<Region>) {
    // The control registers follow the engine's own; their extent is known on SUNDA by their
    // distance only.
    let (bytes, control) = match generation {
        Generation::Sunda => (0x4_0000, 0x7000),
        Generation::Cayman | Generation::Mariana => (0x4_0000, 0x1000),
    };
    for engine in 0..bases::dma_engines(generation) {
        // The last ones carry transfers of the host: those with even numbers to it.
        let own = bases::dma_engines(generation) - bases::cores(generation) * 16;
        let for_host = bases::dma_engines(generation) - engine <= own;
        let name = match (for_host, engine % 2) {
            (true, 0) => format!("DMA {engine} to host"),
            (true, _) => format!("DMA {engine} from host"),
            (false, _) => format!("DMA {engine}"),
        };
        let starts = [bases::dma_base(generation, engine), bases::dma_control(generation, engine)];
        if let [Some(start), Some(control_start)] = starts {
            let block = Region::new(start, bytes, RegionKind::Dma, name.clone(), OBSERVED);
            regions.push(block.numbered(engine));
            let name = format!("{name} control");
            let block = Region::new(control_start, control, RegionKind::Registers, name, INFERRED);
            regions.push(block.numbered(engine));
        }
    }
}

/// The two cells that rings copy to events. Only their starts are stated; a transfer reads 4 bytes.
fn accelerators(generation: Generation, regions: &mut Vec<Region>) {
    for (name, set) in [("event accelerator, clear", false), ("event accelerator, set", true)] {
        let start = bases::accelerator(generation, set);
        let kind = RegionKind::EventAccelerator;
        regions.push(Region::new(start, bases::ACCELERATOR_BYTES, kind, name, OBSERVED));
    }
}

fn registers(generation: Generation, regions: &mut Vec<Region>) {
    let mut add = |start, bytes, kind, name: String, provenance| {
        regions.push(Region::new(start, bytes, kind, name, provenance));
    };
    match generation {
        Generation::Sunda => {
            let apb = "registers".to_owned();
            add(0xFFF_F000_0000, 0x1000_0000, RegionKind::Registers, apb, INFERRED);
            let ram = "misc RAM".to_owned();
            add(0xFFF_F0FA_0000, 0x1000, RegionKind::Mailbox, ram, INFERRED);
            let host = "host memory".to_owned();
            add(0x1000_0000_0000, 0x1000_0000_0000, RegionKind::Outside, host, INFERRED);
        }
        Generation::Cayman | Generation::Mariana => {
            for (die, base) in [(0, 0x80_0000_0000_u64), (1, 0x8080_0000_0000)] {
                let name = format!("registers IO {die}");
                add(base, 0x2000_0000, RegionKind::Registers, name, OBSERVED);
            }
            for quadrant in 0..4 {
                let base = bases::quadrant(quadrant);
                let name = format!("registers SE {quadrant}");
                add(base + 0x10_0000_0000, 0x1000_0000, RegionKind::Registers, name, INFERRED);
                let name = format!("PREPROC {quadrant}");
                add(base + 0x12_0000_0000, 0x34C_0000, RegionKind::Registers, name, OBSERVED);
                let name = format!("neighbor device {quadrant}");
                let start = 0x10_0000_0000_0000 + 0x4_0000_0000_0000 * quadrant;
                add(start, 0x4_0000_0000_0000, RegionKind::Outside, name, INFERRED);
            }
            let ram = "misc RAM".to_owned();
            add(0x80_06C8_4000, 0x1000, RegionKind::Mailbox, ram, INFERRED);
            let host = "host memory".to_owned();
            add(0x4000_0000_0000, 0x4000_0000_0000, RegionKind::Outside, host, INFERRED);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    #[test]
    fn regions_nest_and_never_cross() {
        for generation in Generation::ALL {
            let map = AddressMap::new(generation);
            for (region, parent) in map.regions.iter().zip(&map.parents) {
                assert!(region.bytes > 0 && region.start.checked_add(region.bytes).is_some());
                if let Some(parent) = parent {
                    let outer = &map.regions[*parent];
                    let last = region.start + region.bytes - 1;
                    assert!(outer.contains(last), "{region:?} crosses {outer:?}");
                }
            }
            for pair in map.regions.windows(2) {
                let [a, b] = pair else { continue };
                let same = a.start == b.start && a.bytes == b.bytes;
                assert!(!same, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn the_lookup_equals_a_linear_scan() {
        for generation in Generation::ALL {
            let map = AddressMap::new(generation);
            let edges = map.regions.iter().flat_map(|region| {
                let end = region.start + region.bytes;
                [region.start.saturating_sub(1), region.start, end - 1, end]
            });
            for address in edges.chain([0, u64::MAX, 1 << 47, 0xFFF_FFFF_FFFF]) {
                let mut around: Vec<&Region> =
                    map.regions.iter().filter(|region| region.contains(address)).collect();
                around.sort_by_key(|region| u64::MAX - region.bytes);
                let found = map.lookup(address);
                assert_eq!(found.map_or(Vec::new(), |place| place.regions), around, "{address:#x}");
            }
        }
    }

    #[test]
    fn worked_places() {
        let names = |generation, address| -> (Vec<String>, u64, Option<String>) {
            let map = AddressMap::new(generation);
            let place = map.lookup(address).unwrap();
            let names = place.regions.iter().map(|region| region.name.clone()).collect();
            (names, place.offset, place.detail)
        };
        let text = |names: &[&str]| -> Vec<String> {
            names.iter().map(|name| (*name).to_owned()).collect()
        };
        assert_eq!(
            names(Generation::Cayman, 0x8038_0270_0020),
            (text(&["core 5", "events and semaphores"]), 0x20, Some("event 8".to_owned()))
        );
        assert_eq!(
            names(Generation::Sunda, 0xFFF_C670_1BFC),
            (
                text(&["core 1", "events and semaphores"]),
                0x1BFC,
                Some("semaphore 255, increment".to_owned())
            )
        );
        assert_eq!(
            names(Generation::Cayman, 0x20_0008_0004),
            (text(&["core 0", "state buffer"]), 0x8_0004, Some("partition 2, byte 0x4".to_owned()))
        );
        assert_eq!(
            names(Generation::Mariana, 0x45_BC00_0000),
            (text(&["HBM 1"]), 0x5_BC00_0000, None)
        );
        assert_eq!(
            names(Generation::Cayman, 0x10_0200_1038),
            (
                text(&["registers SE 0", "DMA 0"]),
                0x1038,
                Some("M2S queue 0, tail increment".to_owned())
            )
        );
        assert!(AddressMap::new(Generation::Sunda).lookup(0x8_0000_0000).is_none());
    }

    #[test]
    fn the_cells_of_the_event_accelerator() {
        let clear = ("event accelerator, clear", "copied by rings to clear an event");
        let set = ("event accelerator, set", "copied by rings to set an event");
        let table = [
            (Generation::Sunda, 0x20_0000_0000, Some(clear)),
            (Generation::Sunda, 0x20_0000_0004, Some(set)),
            (Generation::Cayman, 0x90_0000_0000, Some(clear)),
            (Generation::Cayman, 0x90_0000_0004, Some(set)),
            (Generation::Mariana, 0x90_0000_0000, Some(clear)),
            // Not the word behind: on MARIANA the cell that sets lies elsewhere.
            (Generation::Mariana, 0x90_0000_0004, None),
            (Generation::Mariana, 0x94_0000_0000, Some(set)),
            (Generation::Cayman, 0x94_0000_0000, None),
            (Generation::Cayman, 0x90_0000_0008, None),
        ];
        for (generation, address, expected) in table {
            let map = AddressMap::new(generation);
            let found = map.lookup(address).map(|place| {
                let [only] = place.regions[..] else { panic!("{:?}", place.regions) };
                assert_eq!((only.kind, only.bytes), (RegionKind::EventAccelerator, 4));
                (only.name.clone(), place.detail.unwrap())
            });
            let expected = expected.map(|(name, detail)| (name.to_owned(), detail.to_owned()));
            assert_eq!(found, expected, "{generation:?} {address:#x}");
        }
    }
}
