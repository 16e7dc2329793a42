//! The limits of device memory: ends beyond 2^64, more pages than a scratchpad has, and the least HBM
//! that would do. The numbers are worked out by hand; the least HBM is also compared with trying sizes
//! one by one.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use device_image::Generation;
use device_image::dmem::{HbmShape, Status};
use device_image::memory::load::load;
use device_image::memory::plan::{Bounds, Plan, plan};
use device_image::memory::{
    Beyond, Kind, LoadRequest, Model, ModelSubgraph, PageCap, Remedy, Variable, Variables,
};
use device_image::scratchpad::Mode;
use records::Provenance;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const PAGE: u64 = 512 * MIB;
const BOUNDS: Bounds = Bounds { variables: 100, pairs: 100, places: true, least_hbm: true };

fn variable(id: u32, kind: Kind, mem_ref_type: u32, size: u64) -> Variable {
    Variable { id, name: format!("v{id}"), size, alignment: 0, mem_ref_type, kind, unread: None }
}

fn virtual_(id: u32, offset: u64, size: u64, shared: bool) -> Variable {
    let slice_from = Provenance::File;
    variable(id, Kind::Virtual { offset, shared, slice_from }, 8, size)
}

fn local(id: u32, offset: u64, size: u64) -> Variable {
    virtual_(id, offset, size, false)
}

fn file(id: u32, size: u64) -> Variable {
    variable(id, Kind::File, 3, size)
}

/// A model with a subgraph for each list, on cores from 0.
fn model<'a>(subgraphs: &[&'a Variables]) -> Model<'a> {
    let one = |(core, variables): (u32, &&'a Variables)| ModelSubgraph {
        name: format!("sg{core:02}"),
        core,
        variables,
        io: Vec::new(),
        other: Vec::new(),
        places: Vec::new(),
        kept: Vec::new(),
    };
    Model { name: "m".to_owned(), subgraphs: (0..).zip(subgraphs).map(one).collect() }
}

fn request(mode: Mode) -> LoadRequest {
    let generation = Generation::Cayman;
    LoadRequest { generation, mode, page_size: PAGE, hbm_bytes: None, cores: 2 }
}

fn planned(models: &[Model<'_>], request: LoadRequest) -> Plan {
    plan(models, &request, false, BOUNDS).unwrap()
}

#[test]
fn what_ends_beyond_2_to_64_is_named_and_the_rest_is_planned() {
    let beyond = |subgraph, id, offset, bytes| Beyond { subgraph, id, offset, bytes };
    // 2^64 - 2^20 + 2^20 is one more than the last number; a byte less ends at it.
    let far = u64::MAX - MIB + 1;
    let ends = Variables::new(vec![local(7, far, MIB), local(8, 64, 64)]);
    for alone in [false, true] {
        let made = plan(&[model(&[&ends])], &request(Mode::Paged), alone, BOUNDS).unwrap();
        assert_eq!((made.layout.need_bytes, made.need_exceeds), (u64::MAX, true), "{alone}");
        assert_eq!(made.beyond, [beyond(0, Some(7), far, MIB)], "{alone}");
        assert_eq!((made.beyond[0].end(), made.n_beyond), (1 << 64, 1), "{alone}");
        assert_eq!(made.variables.len(), 2, "{alone}");
        assert!(!made.load.fits(), "{alone}");
    }
    let last = Variables::new(vec![local(7, far, MIB - 1)]);
    let made = planned(&[model(&[&last])], request(Mode::Paged));
    assert_eq!((made.layout.need_bytes, made.need_exceeds), (u64::MAX, false));
    assert_eq!((made.beyond.len(), made.refused), (0, None));

    // Two slices of 2^63 bytes: the second begins where the first ends, and ends at 2^64.
    let half = Variables::new(vec![local(0, 0, 1 << 63)]);
    let made = planned(&[model(&[&half, &half])], request(Mode::Paged));
    assert_eq!(made.beyond, [beyond(1, None, 1 << 63, 1 << 63)]);
    assert_eq!((made.layout.need_bytes, made.need_exceeds), (u64::MAX, true));
    let text = "Failed to calculate scratchpad info: a slice of 9223372036854775808 bytes ends beyond 2^64";
    assert_eq!(made.refused.as_deref(), Some(text));
    assert_eq!(made.load.failures[0].status, Some(Status::INVALID));

    // Behind one shared byte the slice starts the next page; as one region it follows at once.
    let wide = Variables::new(vec![virtual_(0, 0, 1, true), local(1, 0, u64::MAX)]);
    let fine = Variables::new(vec![local(0, 4096, 4096)]);
    for (mode, offset) in [(Mode::Paged, PAGE), (Mode::Contiguous, 1)] {
        let made = planned(&[model(&[&wide, &fine]), model(&[&fine])], request(mode));
        // The slice behind it begins where no number is.
        let expected = [beyond(0, None, offset, u64::MAX), beyond(1, None, u64::MAX, 8192)];
        assert_eq!(made.beyond, expected, "{mode:?}");
        let own: Vec<(usize, u64)> =
            made.variables.iter().map(|one| (one.subgraph, one.offset)).collect();
        // That of the other model is at its place.
        assert_eq!(own, [(0, 0), (0, offset), (2, 4096)], "{mode:?}");
        assert!(made.need_exceeds, "{mode:?}");
    }
    // A shared variable that ends beyond.
    let shared = Variables::new(vec![virtual_(3, u64::MAX, 1, true)]);
    let made = planned(&[model(&[&shared])], request(Mode::Paged));
    assert_eq!(made.beyond, [beyond(0, Some(3), u64::MAX, 1)]);
}

/// So many variables of 512 MiB, one behind the other.
fn pages(count: u64) -> Variables {
    let one = |id: u64| local(u32::try_from(id).unwrap(), id * PAGE, PAGE);
    Variables::new((0..count).map(one).collect())
}

#[test]
fn too_many_pages_are_no_lack_of_memory() {
    let cap = |requested, enough_bytes| Some(PageCap { requested, enough_bytes });
    let most = pages(1024);
    let made = planned(&[model(&[&most])], request(Mode::Paged));
    assert_eq!((made.layout.n_pages, made.page_cap), (1024, None));
    // 512 GiB of pages; the small pool has room for two: 511 GiB of the main pool and 16 MiB.
    assert_eq!(made.remedies, [Remedy::Hbm(512 * GIB + 16 * MIB)]);

    let many = pages(1025);
    let made = planned(&[model(&[&many])], request(Mode::Paged));
    assert_eq!(made.page_cap, cap(1025, Some(GIB)));
    let failure = &made.load.failures[0];
    assert!(failure.what.ends_with("exceeded the max (requested: 1025, max: 1024)"));
    // The driver is not asked, so that nothing is short.
    assert_eq!((failure.bytes, failure.short_bytes()), (0, 0));
    assert_eq!(failure.status, Some(Status::INVALID));
    assert_eq!(made.least_hbm_bytes, None, "no HBM makes more pages");
    // 513 pages of 1 GiB: 512 in the main pool, the last one is the small pool.
    let hbm_bytes = 513 * GIB + 16 * MIB;
    assert_eq!(made.remedies, [Remedy::PagedHbm { page_size: GIB, hbm_bytes }]);
    let large = LoadRequest { hbm_bytes: Some(hbm_bytes), ..request(Mode::Paged) };
    let made = planned(&[model(&[&many])], large);
    assert_eq!(made.remedies, [Remedy::PageSize(GIB)]);
    assert!(
        load(&[model(&[&many])], &LoadRequest { page_size: GIB, ..large }, false).unwrap().fits()
    );

    // 1,024 pages of 3.5 GiB are the most that documented sizes have.
    for (bytes, enough) in [(3584 * GIB, Some(7 * PAGE)), (3584 * GIB + 1, None)] {
        let one = Variables::new(vec![local(0, bytes - 1, 1)]);
        let made = planned(&[model(&[&one])], request(Mode::Paged));
        let requested = bytes.div_ceil(PAGE);
        assert_eq!(made.page_cap, cap(requested, enough), "{bytes}");
        assert_eq!(made.remedies.is_empty(), enough.is_none(), "{bytes}: {:?}", made.remedies);
    }
    // A region ends at 64 GiB; paged there are enough pages.
    for (bytes, expected) in [(64 * GIB, None), (64 * GIB + 1, cap(1025, Some(PAGE)))] {
        let one = Variables::new(vec![local(0, bytes - 1, 1)]);
        let made = planned(&[model(&[&one])], request(Mode::Contiguous));
        assert_eq!(made.page_cap, expected, "{bytes}");
        // The region ends where memory does, and the variable gets memory of its own; what has too
        // many pages is refused.
        assert_eq!(made.load.fits(), expected.is_none(), "{bytes}");
        let remedies = match expected {
            None => Vec::new(),
            // 129 pages of 512 MiB, two of them in the small pool.
            Some(_) => vec![Remedy::PagedHbm { page_size: PAGE, hbm_bytes: 16 * MIB + 129 * PAGE }],
        };
        assert_eq!(made.remedies, remedies, "{bytes}");
    }
    // A region that is too large for its mode, where pages have room.
    let one = Variables::new(vec![local(0, 64 * GIB, 1)]);
    let large = LoadRequest { hbm_bytes: Some(128 * GIB), ..request(Mode::Contiguous) };
    assert_eq!(planned(&[model(&[&one])], large).remedies, [Remedy::Paged(PAGE)]);
}

#[test]
fn the_least_hbm_by_hand() {
    let least = |variables: Vec<Variable>| {
        let all = Variables::new(variables);
        planned(&[model(&[&all])], request(Mode::Paged)).least_hbm_bytes
    };
    // The firmware's 16 MiB, and a block of 4 KiB, which the small pool has first.
    assert_eq!(least(vec![file(0, 1)]), Some(16 * MIB + 4096));
    assert_eq!(least(vec![file(0, 4097)]), Some(16 * MIB + 8192));
    assert_eq!(least(vec![file(0, 512 * 1024 + 1)]), Some(16 * MIB + 516 * 1024));
    // The small pool has 1 GiB; what is larger needs the main pool, before it.
    assert_eq!(least(vec![file(0, GIB)]), Some(GIB + 16 * MIB));
    assert_eq!(least(vec![file(0, GIB + 1)]), Some(2 * GIB + 16 * MIB + 4096));
    // Two of 700 MiB: one has the main pool, which is tried first, the other one the small one.
    assert_eq!(least(vec![file(0, 700 * MIB), file(1, 700 * MIB)]), Some(GIB + 716 * MIB));
    // Nothing needs nothing.
    assert_eq!(least(vec![variable(0, Kind::StateBuffer, 1, 0x200_0000)]), Some(0));
    assert_eq!(least(Vec::new()), Some(0));
    // What fails without any lack of memory fits nowhere.
    assert_eq!(least(vec![Variable { alignment: 1 << 63, ..file(0, u64::MAX) }]), None);
    assert_eq!(least(vec![file(0, 1 << 46)]), None);
    // A small region: 100 MiB are two steps of 64 MiB at the end of the main pool.
    let all = Variables::new(vec![local(0, 0, 100 * MIB)]);
    let region = planned(&[model(&[&all])], request(Mode::Contiguous));
    // Where the region ends, the variable has memory of its own: 100 MiB of the small pool.
    assert_eq!(region.least_hbm_bytes, Some(116 * MIB));
}

/// A few variables of odd sizes, offsets and alignments from a seed.
fn odd(seed: u64) -> Variables {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = |below: u64| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state % below
    };
    let count = 2 + next(7);
    let one = |id: u64| {
        let id = u32::try_from(id).unwrap();
        let alignment = [0, 0, 4096, 0x8000, 0x40_0000, 0x1000_0000][next(6) as usize];
        let made = match next(4) {
            0 => local(id, next(40) * 8 * MIB, 1 + next(200 * MIB)),
            1 => virtual_(id, next(9) * 3 * MIB, 1 + next(90 * MIB), true),
            2 => file(id, 1 + next(600 * MIB)),
            _ => file(id, 1 + next(900 * 1024)),
        };
        Variable { alignment, ..made }
    };
    Variables::new((0..count).map(one).collect())
}

#[test]
fn no_smaller_hbm_does() {
    let step = 4 * MIB;
    for seed in 1..25 {
        let (first, second) = (odd(seed), odd(seed + 1000));
        let models = [model(&[&first, &second]), model(&[&second])];
        for mode in [Mode::Paged, Mode::Contiguous] {
            let own = LoadRequest { page_size: (1 + seed % 5) * 32 * MIB, ..request(mode) };
            let fits = |bytes: u64| {
                let tried = LoadRequest { hbm_bytes: Some(bytes), ..own };
                load(&models, &tried, false).unwrap().fits()
            };
            let least = planned(&models, own).least_hbm_bytes.unwrap();
            assert!(fits(least), "{seed} {mode:?}: {least}");
            assert!(!fits(least - 4096), "{seed} {mode:?}: {least}");
            let smaller = (0..least / step).find(|n| fits(n * step));
            assert_eq!(smaller, None, "{seed} {mode:?}: {least}");
            // It does not hang on the HBM that is asked about.
            let small = LoadRequest { hbm_bytes: Some(least - 4096), ..own };
            let short = planned(&models, small);
            assert_eq!(short.least_hbm_bytes, Some(least), "{seed} {mode:?}");
            assert!(short.remedies.contains(&Remedy::Hbm(least)), "{seed}: {:?}", short.remedies);
        }
    }
}

#[test]
fn a_remedy_is_larger_than_what_is_too_small() {
    for seed in 1..60 {
        let (first, second) = (odd(seed), odd(seed + 1000));
        let models = [model(&[&first, &second])];
        let own = request(Mode::Paged);
        let least = planned(&models, own).least_hbm_bytes.unwrap();
        let behind = LoadRequest { hbm_bytes: Some(least + 4096), ..own };
        for remedy in planned(&models, behind).remedies {
            let Remedy::Hbm(bytes) = remedy else { continue };
            assert!(bytes > least + 4096);
            let tried = LoadRequest { hbm_bytes: Some(bytes), ..own };
            assert!(load(&models, &tried, false).unwrap().fits());
        }
    }
}

#[test]
fn pages_count_for_a_subgraph_of_their_hbm() {
    // Core 1 alone: its slice lies on core 0, which has no subgraph.
    let all = Variables::new(vec![local(0, 0, 100)]);
    let mut one = model(&[&all]);
    one.subgraphs[0].core = 1;
    let made = planned(&[one], request(Mode::Paged));
    assert_eq!((made.core, made.carriers.get(&0)), (0, Some(&0)));
    let pages = made.needs[0].categories[&device_image::dmem::Usage::SCRATCHPAD];
    assert_eq!(pages.bytes, PAGE);
    assert_eq!((made.pages_of(1), made.pages_of(3)), (0, 2));
}

#[test]
fn addresses_belong_to_an_hbm() {
    let shape = HbmShape::of(Generation::Cayman);
    let table = [
        (0, Some(0)),
        (0x5_FFFF_FFFF, Some(0)),
        (0x6_0000_0000, None),
        (0x40_0000_0000, Some(1)),
        (0x8005_C035_0000, Some(2)),
        (u64::MAX, None),
    ];
    for (address, hbm) in table {
        assert_eq!(shape.channel_of(address), hbm, "{address:#x}");
    }
}
