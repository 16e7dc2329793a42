//! What fills device memory: real files against the numbers of docs/format/memory.md, models that
//! do and do not fit, and hostile sizes.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use debug_api::{Limits, OpenFile};
use device_image::Generation;
use device_image::dmem::{Status, Usage};
use device_image::memory::load::load;
use device_image::memory::model::io_variables_of_each;
use device_image::memory::plan::{Bounds, plan};
use device_image::memory::{
    Kind, LoadRequest, Model, ModelSubgraph, Place, Remedy, Total, Variable, Variables,
};
use device_image::scratchpad::newer::is_documented_page;
use device_image::scratchpad::{Mode, Versions};
use neff::Findings;
use records::Provenance;
use records::memory::NOT_STAGED;
use support::real_files::real_file;

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
const PAGE: u64 = 512 * MIB;
const BOUNDS: Bounds = Bounds { variables: 100, pairs: 100, places: true, least_hbm: false };

fn variable(id: u32, kind: Kind, size: u64) -> Variable {
    let mem_ref_type = match kind {
        Kind::StateBuffer => 1,
        Kind::File => 3,
        Kind::Temporary => 4,
        Kind::Input => 5,
        Kind::Output => 6,
        Kind::Pointer { .. } => 7,
        Kind::Virtual { .. } => 8,
        Kind::List { .. } => 9,
        Kind::Remote { .. } => 11,
        Kind::Unknown => 0,
    };
    Variable { id, name: format!("v{id}"), size, alignment: 0, mem_ref_type, kind, unread: None }
}

fn local(id: u32, offset: u64, size: u64) -> Variable {
    virtual_(id, offset, size, false)
}

fn virtual_(id: u32, offset: u64, size: u64, shared: bool) -> Variable {
    variable(id, Kind::Virtual { offset, shared, slice_from: Provenance::File }, size)
}

/// A sum that does not exceed 64 bits.
const fn exact(bytes: u64) -> Total {
    Total { bytes, exceeds: false }
}

/// A model with one subgraph for each list of variables, on cores from 0.
fn model<'a>(name: &str, subgraphs: &[&'a Variables]) -> Model<'a> {
    let io = io_variables_of_each(subgraphs);
    let subgraphs = (0..).zip(subgraphs).zip(io).map(|((core, variables), io)| ModelSubgraph {
        name: format!("sg{core:02}"),
        core,
        variables,
        io: io.iter().map(|one| one.size).collect(),
        other: Vec::new(),
        places: Vec::new(),
        kept: Vec::new(),
    });
    Model { name: name.to_owned(), subgraphs: subgraphs.collect() }
}

fn request(mode: Mode, page_size: u64) -> LoadRequest {
    LoadRequest { generation: Generation::Cayman, mode, page_size, hbm_bytes: None, cores: 2 }
}

#[test]
fn real_files_need_what_was_published() {
    // File, virtual variables and need, 64 MiB pages, 512 MiB pages, I/O, file variables; both
    // cores have the same.
    let table = [
        ("matmul_small/matmul_small.neff", 0, 0, 0, 0, 163_840, 32_768),
        ("matmul_large/matmul_large.neff", 16, 8_388_608, 1, 1, 4_320_133_120, 32_768),
    ];
    for (name, count, need, steps, pages, io, file) in table {
        let Some(bytes) = real_file(name) else { continue };
        let opened = OpenFile::open(name, bytes, &Limits::default()).unwrap();
        let package = opened.as_neff().unwrap().package();
        let mut findings = Findings::new();
        let all: Vec<Variables> = package
            .subgraphs()
            .iter()
            .map(|subgraph| Variables::of(subgraph, &mut findings))
            .collect();
        assert_eq!((all.len(), findings.as_slice().len()), (2, 0), "{name}");
        for (mode, expected) in [(Mode::Contiguous, steps), (Mode::Paged, pages)] {
            for (at, variables) in all.iter().enumerate() {
                let alone = model("m", &[variables]);
                let made = plan(&[alone], &request(mode, PAGE), true, BOUNDS).unwrap();
                let what = format!("{name} sg{at:02} {mode:?}");
                assert_eq!(made.layout.need_bytes, need, "{what}");
                assert_eq!(made.layout.n_pages, expected, "{what}");
                assert_eq!((made.overlaps, made.pairs.len()), (0, 0), "{what}");
                assert_eq!(made.layout.private.len(), 0, "{what}");
                let needs = &made.needs[0];
                assert_eq!((needs.n_virtual, needs.virtual_bytes), (count, exact(need)), "{what}");
                assert_eq!((needs.io_bytes, needs.file_bytes), (exact(io), exact(file)), "{what}");
                assert_eq!(needs.categories[&Usage::TENSOR], exact(io), "{what}");
                assert_eq!(needs.categories[&Usage::WEIGHT], exact(file), "{what}");
                let page = expected * made.page_size;
                assert_eq!(needs.categories[&Usage::SCRATCHPAD], exact(page), "{what}");
                assert!(made.load.fits(), "{what}: {:?}", made.load.failures);
            }
            // Both cores: slices follow each other on the sharing core, the user's tensors count
            // once.
            let both = model("m", &[&all[0], &all[1]]);
            let made = plan(&[both], &request(mode, PAGE), false, BOUNDS).unwrap();
            assert_eq!((made.core, made.layout.need_bytes), (0, 2 * need), "{name} {mode:?}");
            assert_eq!(made.needs[0].categories[&Usage::TENSOR], exact(io), "{name}");
            assert_eq!(made.needs[1].categories[&Usage::TENSOR], exact(0), "{name}");
            assert_eq!(made.needs[1].categories[&Usage::SCRATCHPAD], exact(0), "{name}");
        }
    }
}

#[test]
fn each_kind_has_its_place() {
    let all = Variables::new(vec![
        variable(0, Kind::StateBuffer, 0x200_0000),
        variable(1, Kind::Input, 4096),
        variable(2, Kind::Output, 4096),
        Variable { alignment: 0x1_0000, ..variable(3, Kind::File, 600 << 10) },
        variable(4, Kind::Temporary, 1 << 20),
        variable(5, Kind::Pointer { to: Some(1) }, 8),
        local(6, 0x100, 0x200),
        local(7, PAGE - 1, 2),
        variable(8, Kind::List { ids: vec![3, 4] }, 0),
        variable(9, Kind::Unknown, 8),
        virtual_(10, 0x40, 0x40, true),
    ]);
    let remote = |to: &str, name: &str| Kind::Remote { subgraph: to.into(), variable: name.into() };
    let other = Variables::new(vec![
        variable(0, remote("sg00", "v3"), 0),
        variable(1, remote("0", "6"), 0),
        variable(2, remote("sg07", "v3"), 0),
        variable(3, remote("sg00", "tea"), 0),
        local(4, 0x10, 8),
    ]);
    let models = [model("m", &[&all, &other])];
    let made = load(&models, &request(Mode::Paged, PAGE), true).unwrap();
    assert!(made.fits(), "{:?}", made.failures);
    let of = |subgraph: usize, id: u32| {
        let placed = &made.placed[0][subgraph];
        let one = placed.iter().find(|one| one.id == id).unwrap();
        (one.place, one.address)
    };
    // Pages first: shared 0x80 bytes, then the local slice of 512 MiB + 1, which starts the next
    // page; then the 8 bytes of the other subgraph: page 3 has room for them.
    let first = 0x100_0000;
    assert_eq!(of(0, 0), (Place::StateBuffer, 0x20_0000_0000));
    assert_eq!(of(0, 1), (Place::AtExecute, NOT_STAGED));
    assert_eq!(of(0, 5), (Place::Cell, NOT_STAGED));
    assert_eq!(of(0, 8), (Place::Table, NOT_STAGED));
    assert_eq!(of(0, 9), (Place::NotStaged, NOT_STAGED));
    assert_eq!(of(0, 10), (Place::Page { page: 0, in_page: 0x40 }, first + 0x40));
    let page_1 = first + PAGE;
    assert_eq!(of(0, 6), (Place::Page { page: 1, in_page: 0x100 }, page_1 + 0x100));
    // It crosses a page; 2 bytes go to the small pool.
    assert_eq!(of(0, 7), (Place::Private, 0x5_C000_0000));
    assert_eq!(of(1, 4), (Place::Page { page: 2, in_page: 0x11 }, first + 2 * PAGE + 0x11));
    // Three pages of 512 MiB, aligned to 4 MiB, then what is larger than 512 KiB.
    let behind = first + 3 * PAGE;
    assert_eq!(of(0, 3), (Place::Own, behind));
    assert_eq!(of(0, 4), (Place::Own, behind + (600 << 10)));
    // Remote variables are where the others are.
    assert_eq!(of(1, 0), (Place::Remote, of(0, 3).1));
    assert_eq!(of(1, 1), (Place::Remote, of(0, 6).1));
    assert_eq!((of(1, 2).1, of(1, 3).1), (NOT_STAGED, NOT_STAGED));
    let texts: Vec<String> = made.remote.iter().map(|(_, error)| error.to_string()).collect();
    assert_eq!(texts.len(), 2);
    assert!(texts[0].contains("line 0x12a"), "{}", texts[0]);
    assert_eq!(texts[1], "Failed to find remote variable tea in relative sg 0");
}

#[test]
fn the_manuals_models_share_pages() {
    let a = Variables::new(vec![local(0, 0, PAGE), local(1, PAGE, GIB)]);
    let b = Variables::new(vec![local(0, 0, 100 * MIB), local(1, 100 * MIB, 1536 * MIB)]);
    let models = [model("a", &[&a]), model("b", &[&b])];
    let made = plan(&models, &request(Mode::Paged, PAGE), false, BOUNDS).unwrap();
    assert_eq!((made.layout.need_bytes, made.layout.n_pages), (1636 * MIB, 4));
    assert_eq!(made.layout.private_bytes, exact(GIB + 1536 * MIB));
    let advice = made.layout.advice.as_ref().unwrap();
    assert_eq!((advice.page_bytes, advice.still_private), (1536 * MIB, 1));
    assert_eq!(advice.enough_bytes, Some(2048 * MIB));
    assert!(made.load.fits());
    // 2 GiB of pages, once; 2.5 GiB of private memory.
    assert_eq!(made.load.counters.channel(0), 2048 * MIB + 2560 * MIB);
    assert_eq!(made.needs[0].categories[&Usage::SCRATCHPAD], exact(2048 * MIB));
    assert_eq!(made.needs[1].categories[&Usage::SCRATCHPAD], exact(0));
    assert_eq!(made.needs[0].categories[&Usage::SCRATCHPAD_NOT_SHARED], exact(GIB));
    assert_eq!(made.needs[1].categories[&Usage::SCRATCHPAD_NOT_SHARED], exact(1536 * MIB));
    // Variables of two models meet, but that is no overlap of one slice.
    assert_eq!(made.overlaps, 0);
    let large = plan(&models, &request(Mode::Paged, 2048 * MIB), false, BOUNDS).unwrap();
    assert_eq!((large.layout.n_pages, large.layout.private.len()), (1, 0));
}

#[test]
fn advice_packs_anew() {
    // 64 MiB of the shared slice, then 1,112 MiB of a local one whose variable begins at 512 MiB.
    // 1 GiB pages: 960 MiB are left, too few, so it lies at 1,536 MiB, and 512 + 600 MiB exceed a
    // page. 1.5 GiB: 1,472 MiB are left, so it lies at 576 MiB and ends at 1,176 MiB.
    let all = Variables::new(vec![virtual_(0, 0, 64 * MIB, true), local(1, 512 * MIB, 600 * MIB)]);
    let models = [model("m", &[&all])];
    let of = |page| plan(&models, &request(Mode::Paged, page), false, BOUNDS).unwrap().layout;
    let advice = of(PAGE).advice.unwrap();
    assert_eq!((advice.page_bytes, advice.still_private), (GIB, 1));
    assert_eq!(advice.enough_bytes, Some(1536 * MIB));
    // What it says is what a plan with that page size has.
    assert_eq!(of(GIB).private.len(), 1);
    assert_eq!(of(1536 * MIB).private.len(), 0);
}

#[test]
fn slices_are_packed_as_a_group() {
    let first = Variables::new(vec![virtual_(0, 0, 300 * MIB, true), local(1, 0, 250 * MIB)]);
    let second = Variables::new(vec![virtual_(0, 0, 100 * MIB, true), local(1, 0, 200 * MIB)]);
    let models = [model("m", &[&first, &second])];
    let paged = plan(&models, &request(Mode::Paged, PAGE), false, BOUNDS).unwrap();
    assert_eq!((paged.layout.need_bytes, paged.layout.n_pages), (962 * MIB, 2), "SP-36");
    let offsets: Vec<u64> = paged.variables.iter().map(|one| one.offset).collect();
    assert_eq!(offsets, [0, 512 * MIB, 0, 762 * MIB], "SP-36");
    let region = plan(&models, &request(Mode::Contiguous, PAGE), false, BOUNDS).unwrap();
    assert_eq!((region.layout.need_bytes, region.layout.n_pages), (750 * MIB, 12), "SP-38");
    assert_eq!(region.page_size, 64 * MIB);
}

#[test]
fn what_does_not_fit_says_what_would() {
    // 22.98 GiB of main pool take 45 pages of 512 MiB and the small pool two more; 30 GiB need 60.
    let wide = Variables::new(vec![local(0, 0, 30 * GIB)]);
    let models = [model("wide", &[&wide])];
    let made = plan(&models, &request(Mode::Paged, PAGE), false, BOUNDS).unwrap();
    assert!(!made.load.fits());
    let failure = &made.load.failures[0];
    assert_eq!(failure.status, Some(Status::RESOURCE));
    assert!(failure.what.starts_with("scratchpad: "), "{}", failure.what);
    assert_eq!((failure.model, failure.hbm, failure.bytes), (0, 0, 30 * GIB));
    // All of the HBM but 16 MiB was free, in two joined pools of 22.98 GiB and 1 GiB.
    assert_eq!(failure.free_bytes, 24 * GIB - 16 * MIB);
    assert_eq!(failure.largest_free_bytes, 23 * GIB - 16 * MIB);
    assert_eq!(failure.short_bytes(), 7 * GIB + 16 * MIB);
    // No page size helps. 30 GiB of pages and 30 GiB of private memory need 60 GiB of the main
    // pool, which is 1 GiB and 16 MiB smaller than the HBM.
    let [Remedy::Hbm(bytes)] = made.remedies[..] else { panic!("{:?}", made.remedies) };
    assert_eq!(bytes, 61 * GIB + 16 * MIB);
    let bigger = LoadRequest { hbm_bytes: Some(bytes), ..request(Mode::Paged, PAGE) };
    assert!(load(&models, &bigger, false).unwrap().fits());

    // Private memory is what does not fit here: one region takes each variable once.
    let crossing = Variables::new(vec![local(0, 1, 15 * GIB)]);
    let models = [model("crossing", &[&crossing])];
    let made = plan(&models, &request(Mode::Paged, PAGE), false, BOUNDS).unwrap();
    assert!(made.load.failures[0].what.contains("variable `v0`"), "{:?}", made.load.failures);
    assert!(made.remedies.contains(&Remedy::Contiguous), "{:?}", made.remedies);

    // 1,025 pages are refused whatever the HBM has; larger pages help.
    let many = Variables::new(vec![local(0, 0, 1025 * MIB)]);
    let models = [model("many", &[&many])];
    let made = plan(&models, &request(Mode::Paged, MIB), false, BOUNDS).unwrap();
    assert_eq!((made.layout.n_pages, made.layout.pages.len()), (1025, 0));
    assert!(made.load.failures[0].what.contains("exceeded the max (requested: 1025, max: 1024)"));
    assert!(made.remedies.contains(&Remedy::PageSize(PAGE)), "{:?}", made.remedies);
}

#[test]
fn hostile_sizes_do_not_wrap_around() {
    for (offset, size) in [(u64::MAX, 1), (u64::MAX, u64::MAX), (1, u64::MAX), (1 << 63, 1 << 63)] {
        for shared in [false, true] {
            let all = Variables::new(vec![
                virtual_(0, offset, size, shared),
                local(1, 0, 64),
                variable(2, Kind::File, u64::MAX),
                variable(3, Kind::Input, u64::MAX),
                Variable { alignment: 1 << 63, ..variable(4, Kind::Temporary, 1) },
            ]);
            let models = [model("m", &[&all, &all]), model("n", &[&all])];
            for mode in [Mode::Paged, Mode::Contiguous] {
                for alone in [false, true] {
                    let made = plan(&models, &request(mode, PAGE), alone, BOUNDS).unwrap();
                    assert!(!made.load.fits(), "{offset:#x} {size:#x} {mode:?}");
                }
            }
        }
    }
    let none = plan(&[], &request(Mode::Paged, PAGE), false, BOUNDS).unwrap();
    assert!(none.load.fits() && none.layout.pages.is_empty());
    for page_size in [0, 1 << 32, u64::MAX] {
        assert!(plan(&[], &request(Mode::Paged, page_size), false, BOUNDS).is_err());
    }
    // More subgraphs than the device has cores.
    let small = Variables::new(vec![local(0, 0, 64)]);
    let nine = model("nine", &[&small; 9]);
    let made = plan(&[nine], &request(Mode::Paged, PAGE), false, BOUNDS).unwrap();
    assert_eq!(made.load.failures[0].what, "core 8 is not there: the device has 8");
}

#[test]
fn overlaps_are_those_of_one_slice() {
    let half = 13_796_352;
    let four = [local(0, 0, half), local(1, half, half), local(2, 0, half), local(3, half, half)];
    let own = Variables::new(four.to_vec());
    let models = [model("m", &[&own, &own])];
    let made = plan(&models, &request(Mode::Contiguous, PAGE), false, BOUNDS).unwrap();
    assert_eq!((made.needs[0].overlaps, made.needs[1].overlaps), (2, 2));
    assert_eq!((made.overlaps, made.pairs.clone()), (4, vec![(0, 2), (1, 3), (4, 6), (5, 7)]));
    let few = plan(&models, &request(Mode::Contiguous, PAGE), false, Bounds { pairs: 3, ..BOUNDS });
    assert_eq!(few.unwrap().pairs.len(), 3);
}

#[test]
fn newer_runtimes_choose_the_mode() {
    let versions = |runtime, driver| Versions { runtime, driver };
    let new = versions((2, 33), (2, 24));
    let table = [
        (new, Generation::Cayman, 2, Mode::Contiguous),
        (new, Generation::Cayman, 1, Mode::Paged),
        (new, Generation::Mariana, 1, Mode::Paged),
        (new, Generation::Sunda, 1, Mode::Contiguous),
        (versions((2, 32), (2, 24)), Generation::Cayman, 2, Mode::Paged),
        (versions((2, 33), (2, 23)), Generation::Cayman, 2, Mode::Paged),
        (versions((3, 0), (3, 0)), Generation::Cayman, 2, Mode::Contiguous),
    ];
    for (versions, generation, cores, mode) in table {
        assert_eq!(versions.mode(generation, cores), mode, "{versions:?} {generation:?} {cores}");
    }
    let documented: Vec<u64> = (0..9).filter(|n| is_documented_page(n * PAGE)).collect();
    assert_eq!(documented, [1, 2, 3, 4, 5, 6, 7]);
    assert!(!is_documented_page(PAGE + 1));
}
