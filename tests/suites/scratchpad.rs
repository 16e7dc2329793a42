//! The scratchpad against worked examples: packing, pages, references, addresses, whole models.
//!
//! Every number was worked out by hand from the published rules; the names SP-1, SP-2, .. are
//! those of docs/format/memory.md "Worked examples".

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use device_image::Generation;
use device_image::dmem::{Allocator, Category, Driver, DriverError, Hbm, Status};
use device_image::scratchpad::advice::{advised_page_bytes, is_private};
use device_image::scratchpad::arena::{find, pack, rule};
use device_image::scratchpad::{
    Advice, Group, InitRequest, KbinSizes, LoadError, Mode, PagePlace, Scratchpad, ScratchpadError,
    pages_needed,
};

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const PAGE: u64 = 0x2000_0000;
const STEP: u64 = 0x400_0000;
const PAGED: Mode = Mode::Paged;
const CONTIGUOUS: Mode = Mode::Contiguous;

fn request(page_size: u64) -> InitRequest {
    InitRequest {
        page_size,
        contiguous: false,
        generation: Generation::Cayman,
        cores: 2,
        driver_is_able: true,
    }
}

fn paged(page_size: u64, core: u32) -> Scratchpad {
    Scratchpad::init(request(page_size), core, 0).unwrap()
}

fn contiguous(core: u32) -> Scratchpad {
    Scratchpad::init(InitRequest { contiguous: true, ..request(PAGE) }, core, 0).unwrap()
}

fn cayman() -> Allocator<Hbm> {
    Allocator::new(Hbm::new(Generation::Cayman))
}

fn refs(scratchpad: &Scratchpad) -> Vec<u32> {
    scratchpad.pages().iter().map(|page| page.refs).collect()
}

/// A driver that gives so many pages, the first at an address.
struct Few {
    left: u32,
    next: u64,
    freed: Vec<u64>,
}

impl Driver for Few {
    fn allocate(
        &mut self,
        _channel: u32,
        bytes: u64,
        _alignment: u64,
        _category: Category,
    ) -> Result<u64, DriverError> {
        self.allocate_contiguous(0, bytes)
    }

    fn allocate_contiguous(&mut self, _channel: u32, bytes: u64) -> Result<u64, DriverError> {
        self.left = self.left.checked_sub(1).ok_or(DriverError::OutOfMemory)?;
        let at = self.next;
        self.next += bytes;
        Ok(at)
    }

    fn free(&mut self, _channel: u32, address: u64) {
        self.freed.push(address);
    }
}

fn few(left: u32, next: u64) -> Allocator<Few> {
    Allocator::new(Few { left, next, freed: Vec::new() })
}

#[test]
fn packing() {
    // Name, running offset, size, page size, mode, offset, new running offset, pages.
    let table = [
        ("SP-1", 0, 100 * MIB, PAGE, PAGED, 0, 0x640_0000, 1),
        ("SP-2", 0x640_0000, 400 * MIB, PAGE, PAGED, 0x640_0000, 0x1F40_0000, 1),
        ("SP-3", 0x1F40_0000, 100 * MIB, PAGE, PAGED, 0x2000_0000, 0x2640_0000, 2),
        ("SP-4", 0x2640_0000, 600 * MIB, PAGE, PAGED, 0x4000_0000, 0x6580_0000, 4),
        ("SP-5", 0, 600 * MIB, PAGE, PAGED, 0, 0x2580_0000, 2),
        ("SP-6", 0x640_0000, 412 * MIB, PAGE, PAGED, 0x640_0000, 0x2000_0000, 1),
        ("SP-7", 0x640_0000, 412 * MIB + 1, PAGE, PAGED, 0x2000_0000, 0x39C0_0001, 2),
        ("SP-8", 0x320_0000, 100 * MIB, STEP, CONTIGUOUS, 0x320_0000, 0x960_0000, 3),
        ("SP-9", 0x1FFF_FFFF, 1, PAGE, PAGED, 0x1FFF_FFFF, 0x2000_0000, 1),
        ("SP-10", 0x1FFF_FFFF, 2, PAGE, PAGED, 0x2000_0000, 0x2000_0002, 2),
        ("SP-11", 0x2000_0000, PAGE, PAGE, PAGED, 0x2000_0000, 0x4000_0000, 2),
    ];
    for (name, running, size, page_size, mode, offset, end, pages) in table {
        assert_eq!(pack(mode, page_size, running, size), Some((offset, end)), "{name}");
        assert_eq!(pages_needed(end, page_size), pages, "{name}");
    }
    // Nothing wraps around.
    assert_eq!(pack(PAGED, PAGE, u64::MAX, 1), None);
    assert_eq!(pack(CONTIGUOUS, STEP, 1, u64::MAX), None);
    assert_eq!(pack(PAGED, PAGE, u64::MAX - 1, 3), None);
    assert_eq!(pack(PAGED, 0, 0, 1), None);
    assert_eq!((pages_needed(0, PAGE), pages_needed(u64::MAX, 1)), (0, u64::MAX));
}

#[test]
fn pages_of_variables() {
    // Name, offset, size, page size, pages, mode, page and place in it.
    let table = [
        ("SP-12", 0x2000_0000, 100 * MIB, PAGE, 2, PAGED, Some((1, 0))),
        ("SP-13", 0x640_0000, 412 * MIB, PAGE, 1, PAGED, Some((0, 0x640_0000))),
        ("SP-14", 0x640_0000, 412 * MIB + 1, PAGE, 2, PAGED, None),
        ("SP-15", 0x4000_0000, 600 * MIB, PAGE, 4, PAGED, None),
        ("SP-16", 0x4000_0000, 1, PAGE, 2, PAGED, None),
        ("SP-17", 0, 0x1000, STEP, 3, CONTIGUOUS, Some((2, 0))),
        ("SP-18", 0x320_0000, 100 * MIB, STEP, 3, CONTIGUOUS, Some((2, 0x320_0000))),
        ("SP-19", 0x400_0000, 86 * MIB, STEP, 3, CONTIGUOUS, Some((1, 0))),
        ("SP-20", 0x800_0000, 64 * MIB, STEP, 3, CONTIGUOUS, Some((0, 0))),
        ("SP-21", 0x640_0000, 100 * MIB, STEP, 3, CONTIGUOUS, None),
        ("SP-22", 0xBF0_0000, MIB, STEP, 3, CONTIGUOUS, Some((0, 0x3F0_0000))),
        ("SP-47", 0xC00_0000, 0, STEP, 3, CONTIGUOUS, None),
        ("beyond", u64::MAX, 1, PAGE, 1024, PAGED, None),
        ("beyond", u64::MAX, 1, STEP, 3, CONTIGUOUS, None),
        ("beyond", 0, u64::MAX, STEP, u64::MAX, CONTIGUOUS, None),
        ("no pages", 0, 0, STEP, 0, CONTIGUOUS, None),
        ("page 1,024", 1024 * PAGE, 1, PAGE, 5000, PAGED, None),
        ("page 1,023", 1023 * PAGE, 1, PAGE, 1024, PAGED, Some((1023, 0))),
        ("page size 0", 0, 0, 0, 1, PAGED, None),
    ];
    for (name, offset, size, page_size, pages, mode, expected) in table {
        let expected = expected.map(|(page, in_page)| PagePlace { page, in_page });
        assert_eq!(find(mode, page_size, pages, offset, size), expected, "{name}");
    }
    // SP-16 again: the rule itself finds page 2; its entry is empty.
    let place = PagePlace { page: 2, in_page: 0 };
    assert_eq!(rule(PAGED, PAGE, 2, 0x4000_0000, 1), Some(place));
}

#[test]
fn set_up_and_its_gates() {
    for (name, page_size, accepted) in [
        ("SP-23", 0, false),
        ("SP-24", 0xFFFF_FFFF, true),
        ("SP-25", 0x1_0000_0000, false),
        ("smallest", 1, true),
        ("largest number", u64::MAX, false),
    ] {
        let made = Scratchpad::init(request(page_size), 0, 0);
        let status = made.as_ref().err().map(|error| error.status());
        assert_eq!(status, (!accepted).then_some(Some(Status::INVALID)), "{name}");
        if let Err(error) = made {
            let text = format!("Invalid scratchpad page size {page_size} bytes");
            assert!(error.to_string().starts_with(&text), "{name}");
        }
    }
    let asked = InitRequest { contiguous: true, ..request(PAGE) };
    let one_core = InitRequest { cores: 1, ..asked };
    let table = [
        ("default", request(PAGE), PAGED, PAGE, None),
        ("all gates", asked, CONTIGUOUS, STEP, None),
        ("SP-43", one_core, PAGED, PAGE, Some("LNC 1")),
        (
            "SP-43 mariana",
            InitRequest { generation: Generation::Mariana, ..one_core },
            PAGED,
            PAGE,
            Some("LNC 1"),
        ),
        (
            "SP-43 sunda",
            InitRequest { generation: Generation::Sunda, ..one_core },
            CONTIGUOUS,
            STEP,
            None,
        ),
        (
            "SP-44",
            InitRequest { driver_is_able: false, ..asked },
            PAGED,
            PAGE,
            Some("incompatible driver"),
        ),
        // The check of the cores comes first.
        ("both", InitRequest { driver_is_able: false, ..one_core }, PAGED, PAGE, Some("LNC 1")),
    ];
    for (name, request, mode, page_size, note) in table {
        let made = Scratchpad::init(request, 0, 0).unwrap();
        assert_eq!((made.mode(), made.page_size()), (mode, page_size), "{name}");
        assert_eq!(made.note().is_some(), note.is_some(), "{name}");
        assert!(made.note().unwrap_or("").ends_with(note.unwrap_or("")), "{name}");
        assert!(made.pages().is_empty(), "{name}");
    }
    // A page size that is refused is refused in contiguous mode too, although it would be lost.
    assert!(Scratchpad::init(InitRequest { page_size: 0, ..asked }, 0, 0).is_err());
}

#[test]
fn reserving_and_its_errors() {
    let mut memory = cayman();
    let mut one = paged(PAGE, 0);
    assert_eq!(one.reserve(&mut memory, 0), Ok(()), "SP-26");
    assert!(one.pages().is_empty(), "SP-26");

    // SP-27: 1,024 pages are allowed; the HBM has 24 GiB.
    let free = memory.driver.free_bytes(0);
    let error = one.reserve(&mut memory, 512 * GIB).unwrap_err();
    assert_eq!(error.status(), Some(Status::RESOURCE), "SP-27");
    assert!(error.to_string().starts_with("Failed to allocate virtual scratchpad!"), "SP-27");
    assert!(one.pages().is_empty(), "SP-27");
    assert_eq!(memory.driver.free_bytes(0), free, "SP-27: all pages of the call are given back");
    assert_eq!(memory.counters.channel(0), 0, "SP-27");

    let error = one.reserve(&mut memory, 512 * GIB + 1).unwrap_err();
    assert_eq!(error, ScratchpadError::TooManyPages { requested: 1025 }, "SP-28");
    assert_eq!(error.status(), Some(Status::INVALID), "SP-28");
    let text = "Number of scratchpad pages requested exceeded the max (requested: 1025, max: 1024)";
    assert_eq!(error.to_string(), text, "SP-28");
    let mut small = paged(STEP, 0);
    let error = small.reserve(&mut memory, 64 * GIB + 1).unwrap_err();
    assert_eq!(error, ScratchpadError::TooManyPages { requested: 1025 }, "SP-29");
    let error = small.reserve(&mut memory, u64::MAX).unwrap_err();
    assert_eq!(error, ScratchpadError::TooManyPages { requested: 1 << 38 });
    assert!(small.pages().is_empty(), "SP-29");

    let mut unaligned = few(9, 0x100_0800);
    let error = paged(PAGE, 0).reserve(&mut unaligned, 1).unwrap_err();
    assert_eq!(error.status(), None, "SP-30: no status, the runtime ends");
    assert!(error.to_string().contains("4K aligned") && error.to_string().contains("0xda"));
}

#[test]
fn a_failed_growth_keeps_what_was_there() {
    for (mut one, name) in [(paged(PAGE, 0), "paged"), (contiguous(0), "contiguous")] {
        let size = one.page_size();
        let mut memory = few(4, 0x1000_0000);
        one.reserve(&mut memory, size + 1).unwrap();
        let error = one.reserve(&mut memory, 5 * size).unwrap_err();
        assert_eq!(error.status(), Some(Status::RESOURCE), "{name}");
        assert_eq!(refs(&one), [1, 1], "{name}");
        // The two pages of this call, from the top.
        let at = |n: u64| 0x1000_0000 + n * size;
        assert_eq!(memory.driver.freed, [at(3), at(2)], "{name}");
    }
}

#[test]
fn addresses_on_cayman() {
    let mut memory = cayman();
    let mut one = paged(PAGE, 0);
    one.reserve(&mut memory, PAGE + 1).unwrap();
    let at: Vec<u64> = one.pages().iter().map(|page| page.mem.address()).collect();
    assert_eq!(at, [0x100_0000, 0x2100_0000], "SP-31");
    assert_eq!(one.address(0x2123_4000, 0x1000), Some(0x2223_4000), "SP-32");
    assert_eq!(one.address(0x1FFF_FFFF, 2), None);

    let mut memory = cayman();
    let mut one = contiguous(0);
    one.reserve(&mut memory, 3 * STEP).unwrap();
    let at: Vec<u64> = one.pages().iter().map(|page| page.mem.address()).collect();
    assert_eq!(at, [0x5_BC00_0000, 0x5_B800_0000, 0x5_B400_0000], "SP-33");
    assert_eq!(one.address(0x320_0000, 100 * MIB), Some(0x5_B720_0000), "SP-34");
    assert_eq!(0x5_B720_0000 + 100 * MIB, 0x5_BD60_0000, "SP-34: its end");
    assert_eq!(one.address(0x400_0000, 1), Some(0x5_B800_0000), "SP-35");
}

fn group(first: Scratchpad, second: Scratchpad) -> Group {
    Group::new(vec![first, second], 2)
}

fn sizes() -> [KbinSizes; 2] {
    [
        KbinSizes { core: 0, local: 250 * MIB, shared: 300 * MIB },
        // The smaller shared size changes nothing: the maximum counts.
        KbinSizes { core: 1, local: 200 * MIB, shared: 100 * MIB },
    ]
}

#[test]
fn models_in_a_group() {
    let mut memory = cayman();
    let mut on_one = group(paged(PAGE, 0), paged(PAGE, 1));
    let loaded = on_one.load(&mut memory, &sizes(), |_, _| Err(1)).unwrap();
    let places = |loaded: &device_image::scratchpad::Loaded| -> Vec<(usize, u64)> {
        loaded.locals.iter().map(|slice| (slice.core, slice.offset)).collect()
    };
    assert_eq!((loaded.shared.offset, loaded.shared.size), (0, 300 * MIB), "SP-36");
    assert_eq!(places(&loaded), [(0, 512 * MIB), (0, 762 * MIB)], "SP-36");
    assert_eq!(loaded.totals, [962 * MIB, 0], "SP-36");
    assert_eq!((on_one.cores[0].pages().len(), on_one.cores[1].pages().len()), (2, 0), "SP-36");
    assert_eq!(loaded.cleanup.reserved, [(0, 962 * MIB), (1, 0)], "SP-36");
    assert_eq!(loaded.cleanup.mapped, None, "SP-36: paged memory is not mapped");
    on_one.unload(&mut memory, &loaded.cleanup);
    assert_eq!(memory.counters.channel(0), 0, "SP-36");

    let mut own = group(paged(PAGE, 0), paged(PAGE, 1));
    own.scratchpad_on_single_core = true;
    let loaded = own.load(&mut memory, &sizes(), |_, _| Err(1)).unwrap();
    assert_eq!(places(&loaded), [(0, 512 * MIB), (1, 0)], "SP-37");
    assert_eq!(loaded.totals, [762 * MIB, 200 * MIB], "SP-37");
    assert_eq!((own.cores[0].pages().len(), own.cores[1].pages().len()), (2, 1), "SP-37");

    let mut memory = cayman();
    let mut region = group(contiguous(0), contiguous(1));
    // Contiguous memory lies on the sharing core whatever the setting is.
    region.scratchpad_on_single_core = true;
    let mut mapped = None;
    let loaded = region.load(&mut memory, &sizes(), |page, bytes| {
        mapped = Some((page, bytes));
        Ok(())
    });
    let loaded = loaded.unwrap();
    assert_eq!(places(&loaded), [(0, 300 * MIB), (0, 550 * MIB)], "SP-38");
    assert_eq!(loaded.totals, [750 * MIB, 0], "SP-38");
    assert_eq!(region.cores[0].pages().len(), 12, "SP-38");
    assert_eq!(mapped, Some((11, 12 * STEP)), "SP-38");
    assert_eq!(loaded.cleanup.mapped, mapped, "SP-38");
}

#[test]
fn models_share_pages_by_reference() {
    let mut memory = cayman();
    let mut one = paged(PAGE, 0);
    one.reserve(&mut memory, PAGE).unwrap();
    one.reserve(&mut memory, 4 * PAGE).unwrap();
    assert_eq!(refs(&one), [2, 1, 1, 1], "SP-39");
    one.free(&mut memory, 4 * PAGE).unwrap();
    assert_eq!(refs(&one), [1], "SP-39");
    one.free(&mut memory, PAGE).unwrap();
    assert_eq!(refs(&one), [0; 0], "SP-39");
    assert_eq!(memory.counters.channel(0), 0, "SP-39");

    one.reserve(&mut memory, 4 * PAGE).unwrap();
    one.reserve(&mut memory, PAGE).unwrap();
    assert_eq!(refs(&one), [2, 1, 1, 1], "SP-39b: the number of pages is the maximum");
    one.free(&mut memory, 4 * PAGE).unwrap();
    assert_eq!(refs(&one), [1], "SP-39b");

    // Giving back what was never taken ends the runtime; no reference wraps around.
    assert_eq!(one.free(&mut memory, 2 * PAGE).unwrap_err().status(), None);
    assert_eq!(refs(&one), [1]);
    one.free(&mut memory, PAGE).unwrap();
    assert!(one.free(&mut memory, 1).is_err());
}

/// The product manual's two models: offset and size of their variables.
const A: [(u64, u64); 2] = [(0, 512 * MIB), (512 * MIB, GIB)];
const B: [(u64, u64); 2] = [(0, 100 * MIB), (100 * MIB, 1536 * MIB)];

fn need(variables: &[(u64, u64)]) -> u64 {
    variables.iter().map(|(offset, size)| offset + size).max().unwrap()
}

fn private(page: u64, variables: &[(u64, u64)]) -> u64 {
    variables.iter().filter(|one| is_private(page, one.0, one.1)).map(|one| one.1).sum()
}

#[test]
fn the_manuals_models() {
    assert_eq!((need(&A), need(&B)), (1536 * MIB, 1636 * MIB), "SP-40");
    let mut memory = cayman();
    let mut one = paged(PAGE, 0);
    one.reserve(&mut memory, need(&A)).unwrap();
    one.reserve(&mut memory, need(&B)).unwrap();
    assert_eq!(refs(&one), [2, 2, 2, 1], "SP-40: 4 pages, 2 GiB");
    assert_eq!((private(PAGE, &A), private(PAGE, &B)), (GIB, 1536 * MIB), "SP-40");
    let both: Vec<(u64, u64)> = A.into_iter().chain(B).collect();
    let advice = Advice::for_variables(PAGE, &both).unwrap();
    assert_eq!((advice.largest_bytes, advice.page_bytes), (1536 * MIB, 1536 * MIB), "SP-40");
    assert_eq!(
        advice.compiler_flag(),
        "NEURON_CC_FLAGS=\"--hbm-scratchpad-page-size=1536\"",
        "SP-40"
    );
    assert_eq!(advice.runtime_variable(), "NEURON_SCRATCHPAD_PAGE_SIZE=1536", "SP-40");

    let large = 2048 * MIB;
    assert_eq!((private(large, &A), private(large, &B)), (0, 0), "SP-41");
    assert_eq!(pages_needed(need(&B), large), 1, "SP-41");
    assert_eq!(Advice::for_variables(large, &both), None, "SP-41");

    assert_eq!((private(1536 * MIB, &A), private(1536 * MIB, &B)), (0, 1536 * MIB), "SP-41b");
    assert_eq!(advice.still_private, 1, "SP-41b: the advice is not enough");
    assert_eq!(advice.enough_bytes, Some(2048 * MIB), "SP-41b");

    for (largest, advised) in
        [(0x2000_0000, 512), (0x2000_0001, 1024), (600 * MIB, 1024), (7 * PAGE, 3584)]
    {
        assert_eq!(advised_page_bytes(largest), Some(advised * MIB), "SP-42");
    }
    assert_eq!(advised_page_bytes(u64::MAX), None);
    let hopeless = Advice::for_variables(PAGE, &[(0, 4 * GIB)]).unwrap();
    assert_eq!((hopeless.page_bytes, hopeless.enough_bytes), (4 * GIB, None));
}

#[test]
fn a_group_that_is_not_owned_is_refused() {
    let mut memory = cayman();
    let mut lone = Group::new(vec![paged(PAGE, 0)], 2);
    let error = lone.load(&mut memory, &sizes()[..1], |_, _| Ok(())).unwrap_err();
    assert_eq!(error, LoadError::Owner { owned: 1, cores: 2 }, "SP-45");
    assert_eq!(error.status(), Some(Status::INVALID), "SP-45");
    let text = "current process does not own all physical cores on HBM";
    assert!(error.to_string().starts_with(text), "SP-45");
    assert!(lone.cores[0].pages().is_empty(), "SP-45");
    // SUNDA has one core for each HBM.
    let sunda = InitRequest { generation: Generation::Sunda, ..request(PAGE) };
    let mut alone = Group::new(vec![Scratchpad::init(sunda, 0, 0).unwrap()], 1);
    assert!(alone.load(&mut memory, &sizes()[..1], |_, _| Ok(())).is_ok());
}

#[test]
fn the_end_of_a_contiguous_region_is_tolerated() {
    let kbin = |local| [KbinSizes { core: 0, local, shared: 0 }];
    let mut memory = few(2, 0);
    let mut region = group(contiguous(0), contiguous(1));
    let a = region.load(&mut memory, &kbin(2 * STEP), |_, _| Ok(())).unwrap();
    let b = region.load(&mut memory, &kbin(40 * GIB), |_, _| Ok(())).unwrap();
    assert_eq!(refs(&region.cores[0]), [1, 1], "SP-46: references unchanged");
    assert_eq!(b.cleanup.mapped, Some((1, 2 * STEP)), "SP-46: 2 pages are mapped");
    assert_eq!(b.notes, ["Could not grow contiguous scratchpad beyond 134217728 bytes"], "SP-46");
    assert_eq!(b.cleanup.reserved, [(1, 0)], "SP-46: only what was reserved is noted");
    region.unload(&mut memory, &b.cleanup);
    assert_eq!(refs(&region.cores[0]), [1, 1]);
    region.unload(&mut memory, &a.cleanup);
    assert_eq!(refs(&region.cores[0]), [0; 0]);

    // The other choice: the tolerated model takes references too.
    let mut memory = few(2, 0);
    let mut region = group(contiguous(0), contiguous(1));
    region.references_at_ceiling = true;
    let a = region.load(&mut memory, &kbin(2 * STEP), |_, _| Ok(())).unwrap();
    let b = region.load(&mut memory, &kbin(40 * GIB), |_, _| Ok(())).unwrap();
    region.unload(&mut memory, &a.cleanup);
    assert_eq!(refs(&region.cores[0]), [1, 1]);
    region.unload(&mut memory, &b.cleanup);
    assert_eq!(refs(&region.cores[0]), [0; 0]);

    // Too many pages are no end of the region, and nothing tolerates them.
    let error = region.load(&mut memory, &kbin(64 * GIB + 1), |_, _| Ok(())).unwrap_err();
    assert_eq!(error.status(), Some(Status::INVALID));
}

#[test]
fn a_load_that_fails_gives_everything_back() {
    // The first core's page is there, the second core's is not.
    let own = || {
        let mut own = group(paged(PAGE, 0), paged(PAGE, 1));
        own.scratchpad_on_single_core = true;
        own
    };
    let kbins = [
        KbinSizes { core: 0, local: 1, shared: 0 },
        KbinSizes { core: 1, local: PAGE + 1, shared: 0 },
    ];
    let mut memory = few(2, 0);
    let mut two = own();
    let error = two.load(&mut memory, &kbins, |_, _| Ok(())).unwrap_err();
    assert_eq!(error.status(), Some(Status::RESOURCE));
    assert_eq!((refs(&two.cores[0]), refs(&two.cores[1])), (vec![], vec![]));
    assert_eq!(memory.driver.freed, [PAGE, 0]);

    // The end of memory is tolerated in contiguous mode only, on the sharing core too.
    let mut memory = few(0, 0);
    let error = own().load(&mut memory, &kbins[..1], |_, _| Ok(())).unwrap_err();
    assert_eq!(error.status(), Some(Status::RESOURCE));

    let mut memory = few(9, 0);
    let mut region = group(contiguous(0), contiguous(1));
    let error = region.load(&mut memory, &kbins[..1], |_, _| Err(-5)).unwrap_err();
    assert_eq!(error.to_string(), "Failed to mmap scratchpad, return code -5");
    assert_eq!(refs(&region.cores[0]), [0; 0]);
    // Nothing is mapped where nothing is needed.
    let none = [KbinSizes::default()];
    assert!(region.load(&mut memory, &none, |_, _| Err(-5)).is_ok());

    // Assertions on the number of kbins, and slices that exceed 2^64.
    let three = [KbinSizes::default(); 3];
    assert_eq!(own().plan(&three).unwrap_err().status(), None);
    let mut wide = own();
    wide.cores.push(paged(PAGE, 2));
    let error = wide.plan(&three).unwrap_err();
    assert_eq!(error, LoadError::Kbins { kbins: 3, cores: 3, line: 0x1A4 });
    let stray = [KbinSizes { core: 5, ..KbinSizes::default() }];
    assert!(own().plan(&stray).is_err());
    let beyond = [KbinSizes { core: 0, local: u64::MAX, shared: 1 }];
    let error = group(contiguous(0), contiguous(1)).plan(&beyond).unwrap_err();
    assert_eq!(error, LoadError::Slice { size: u64::MAX });
}
