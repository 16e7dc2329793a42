//! An executable and a capture of its run, from the two files to the answers.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use debug_api::answer::{
    Answer, DiffAnswer, FilesAnswer, ImageAnswer, PcAnswer, Provenance, RegionsAnswer,
};
use debug_api::{ColumnsRequest, Limits, OpenFile, Request, Scope, Session};
use sha2::{Digest, Sha256};
use std::sync::Arc;
use support::ntff_writer::{NtffText, ntff};
use support::{pair_builder, real_files};

const ENGINES: [&str; 5] = ["PE", "ACT", "POOL", "DVE", "SP"];

/// Name, bytes and profile of executables to pair.
fn executables() -> Vec<(String, Vec<u8>, &'static str)> {
    let mut list = Vec::new();
    for case in ["two-subgraphs", "functions", "sg00"] {
        let path = support::workspace_root().join("fixtures/cases").join(case).join("input.neff");
        list.push((format!("{case}.neff"), std::fs::read(path).unwrap(), "cayman-r2.27"));
    }
    // The exact profiles of the other generation, on a program with queues of both types.
    let path = support::workspace_root().join("fixtures/cases/pair-sunda/input.neff");
    let sunda = std::fs::read(path).unwrap();
    for profile in ["sunda-r2.25", "sunda-r2.23"] {
        list.push(("pair-sunda.neff".to_owned(), sunda.clone(), profile));
    }
    if let Some(real) = real_files::real_file("matmul_small/matmul_small.neff") {
        list.push(("matmul_small.neff".to_owned(), real, "cayman-r2.27"));
    }
    list
}

fn session(neff: &[u8], capture: &[u8]) -> Session {
    let limits = Limits::default();
    let open =
        |name: &str, bytes: &[u8]| Arc::new(OpenFile::open(name, bytes.to_vec(), &limits).unwrap());
    Session::new(vec![open("a.neff", neff), open("run.ntff", capture)])
}

fn at(s: &str, e: &str) -> Scope {
    Scope { s: Some(s.to_owned()), e: Some(e.to_owned()), ..Scope::default() }
}

fn image(session: &Session, scope: Scope) -> ImageAnswer {
    let Answer::Image(answer) = session.ask(&Request::Image { scope }).unwrap() else {
        panic!("an image answers an image question")
    };
    *answer
}

fn diff(session: &Session, scope: Scope) -> DiffAnswer {
    let request = Request::Diff { scope, from: 0, count: None };
    let Answer::Diff(answer) = session.ask(&request).unwrap() else {
        panic!("a difference answers a diff question")
    };
    *answer
}

fn pc(session: &Session, scope: Scope, pc: u64) -> PcAnswer {
    let request = Request::Pc { scope, pc: format!("{pc:#x}") };
    let Answer::Pc(answer) = session.ask(&request).unwrap() else {
        panic!("a place answers a PC question")
    };
    *answer
}

fn files(session: &Session) -> FilesAnswer {
    let Answer::Files(answer) = session.ask(&Request::Files {}).unwrap() else {
        panic!("a list answers a files question")
    };
    answer
}

fn regions(session: &Session, s: &str) -> RegionsAnswer {
    let scope = at(s, "PE");
    let Answer::Regions(answer) = session.ask(&Request::Regions { scope }).unwrap() else {
        panic!("regions answer a regions question")
    };
    *answer
}

fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Every image of the capture, shown as captured and compared with the built one. The counts of
/// the capture are not those that the program computes to, so they must come from the capture.
#[test]
fn the_captured_image_is_shown_and_the_built_one_agrees_totally() {
    for (name, neff, profile) in executables() {
        let capture = pair_builder::capture_of(&neff, profile, 5).unwrap();
        let session = session(&neff, &ntff(&capture));
        assert!(files(&session).pairs[0].pair, "{name}");
        for core in &capture.cores {
            for (engine, stored) in ENGINES.iter().zip(&core.images) {
                let scope = at(&core.name, engine);
                let real = image(&session, scope.clone());
                assert_eq!(
                    real.sha256,
                    Some(sha256(&stored.bytes)),
                    "{name} {} {engine}",
                    core.name
                );
                assert!(real.captured);
                assert_eq!(real.base, format!("{:#x}", stored.base));
                assert_eq!(real.base_provenance, Provenance::File);
                assert_eq!(real.profile, profile);
                assert_eq!(real.patches.len(), stored.rows.len());
                let info = real.capture.unwrap();
                let runtime = capture.runtime.map(|part| part.to_string()).join(".");
                assert_eq!((info.runtime, u64::from(info.core)), (runtime, core.core));
                let agreement = real.agreement.unwrap();
                assert_eq!(agreement.slots, stored.bytes.len() as u64 / 64);
                assert_eq!(agreement.same, agreement.slots, "{name} {} {engine}", core.name);
                assert_eq!(agreement.aligned, agreement.slots, "{name} {} {engine}", core.name);

                let built = image(&session, Scope { modelled: true, ..scope.clone() });
                assert!(!built.captured);
                assert_eq!(built.sha256, real.sha256);
                assert_eq!(built.base, real.base);
                assert_eq!(built.regions.len(), real.regions.len());
                let diff = diff(&session, scope);
                assert_eq!(
                    diff.counts.same, agreement.slots,
                    "{name} {engine} {:?} {:?} {:?}",
                    diff.runs, real.ranges, built.ranges
                );
                assert!(diff.runs.iter().all(|run| run.change == "same"));
            }
        }
    }
}

#[test]
fn without_the_capture_the_images_differ_where_the_allocator_decides() {
    let (_, neff, profile) = executables().swap_remove(0);
    let capture = pair_builder::capture_of(&neff, profile, 0).unwrap();
    let alone = Session::open("a.neff", neff.clone(), &Limits::default()).unwrap();
    let pair = session(&neff, &ntff(&capture));
    let scope = at("sg00", "SP");
    let (built, real) = (image(&alone, scope.clone()), image(&pair, scope));
    assert_eq!(built.slots, real.slots);
    assert_ne!(built.sha256, real.sha256);
    assert_eq!(built.agreement, None);
    assert!(alone.ask(&Request::Diff { scope: at("sg00", "SP"), from: 0, count: None }).is_err());
}

#[test]
fn a_changed_slot_is_found_and_shown_on_both_sides() {
    let (_, neff, profile) = executables().swap_remove(0);
    let mut capture = pair_builder::capture_of(&neff, profile, 0).unwrap();
    // Byte 0x3F of slot 7 of PE, in the preamble.
    capture.cores[0].images[0].bytes[7 * 64 + 0x3F] ^= 0xA5;
    let session = session(&neff, &ntff(&capture));
    let diff = diff(&session, at("sg00", "PE"));
    assert_eq!(diff.agreement.slots - diff.agreement.same, 1);
    assert_eq!(diff.agreement.slots - diff.agreement.aligned, 1);
    let odd: Vec<_> = diff.runs.iter().filter(|run| run.change != "same").collect();
    assert_eq!(odd.len(), 1);
    assert_eq!((odd[0].change.as_str(), odd[0].real, odd[0].slots), ("rewritten", 7, 1));
    assert_eq!(odd[0].region, "MODEL_SWITCH");
    let request = ColumnsRequest {
        what: "diff".to_owned(),
        scope: at("sg00", "PE"),
        from: 7,
        count: 1,
        ..ColumnsRequest::default()
    };
    let block = debug_api::Block::decode(&session.columns(&request).unwrap()).unwrap();
    assert_eq!((block.rows, block.total), (1, diff.agreement.slots));
    assert_eq!((block.u8("change", 0), block.u32("real", 0), block.u32("modelled", 0)), (1, 7, 7));
    assert_eq!(block.slot("bytes", 0)[0x3F] ^ block.slot("modelled_bytes", 0)[0x3F], 0xA5);
    // The step is still that of the built record beside it.
    let base = capture.cores[0].images[0].base;
    let answer = pc(&session, at("sg00", "PE"), base + 7 * 64);
    assert_eq!(answer.region.as_deref(), Some("MODEL_SWITCH"));
    assert!(answer.step.is_some() && answer.exact.is_none());
}

#[test]
fn pcs_outside_the_image_are_the_bootstrap_program() {
    let (_, neff, profile) = executables().swap_remove(0);
    let mut capture = pair_builder::capture_of(&neff, profile, 0).unwrap();
    let base = capture.cores[0].images[0].base;
    let end = base + capture.cores[0].images[0].bytes.len() as u64;
    let of = |capture: &NtffText, address: u64| {
        pc(&session(&neff, &ntff(capture)), at("sg00", "PE"), address)
    };
    for address in [base - 64, end, 0x40] {
        let answer = of(&capture, address);
        assert_eq!(answer.region.as_deref(), Some("BOOTSTRAP"), "{address:#x}");
        assert_eq!(answer.image_slot, None);
    }
    assert_ne!(of(&capture, end - 64).region.as_deref(), Some("BOOTSTRAP"));
    // The oldest runtime has no such program.
    capture.runtime = [2, 23, 27];
    assert_eq!(of(&capture, end).region, None);
}

#[test]
fn files_that_do_not_belong_together_are_not_paired() {
    let list = executables();
    let capture = pair_builder::capture_of(&list[0].1, list[0].2, 0).unwrap();
    let other = session(&list[1].1, &ntff(&capture));
    assert!(!files(&other).pairs[0].pair);
    // Asked for by name it is compared all the same, and says what does not fit.
    let scope = Scope { ntff: Some(1), ..at("sg00", "PE") };
    let answer = image(&other, scope);
    let codes: Vec<&str> = answer.diagnostics.iter().map(|d| d.code.as_str()).collect();
    assert!(codes.contains(&"pair.structure"), "{codes:?}");
    assert!(!answer.captured);
    let error = other.ask(&Request::Image { scope: Scope { ntff: Some(0), ..at("sg00", "PE") } });
    assert_eq!(error.unwrap_err().code, "file.no-ntff");
}

#[test]
fn a_foreign_uuid_is_a_warning_where_the_structure_fits() {
    let (_, neff, profile) = executables().swap_remove(0);
    let mut capture = pair_builder::capture_of(&neff, profile, 0).unwrap();
    capture.uuid = vec![0x55; 16];
    let session = session(&neff, &ntff(&capture));
    let signs = files(&session).pairs[0];
    assert!(signs.structure && signs.name && !signs.uuid && signs.pair);
    let answer = image(&session, at("sg00", "PE"));
    assert!(answer.captured);
    assert!(answer.diagnostics.iter().any(|d| d.code == "pair.uuid"));
}

/// Cut anywhere, the capture either is refused with a code or the pair still shows five engines.
#[test]
fn a_capture_cut_anywhere_leaves_a_view() {
    let (_, neff, profile) = executables().swap_remove(0);
    let capture = pair_builder::capture_of(&neff, profile, 0).unwrap();
    let whole = ntff(&capture);
    let limits = Limits::default();
    let file = Arc::new(OpenFile::open("a.neff", neff, &limits).unwrap());
    for end in (0..whole.len()).step_by(977).chain([whole.len() - 1]) {
        let cut = OpenFile::open("run.ntff", whole[..end].to_vec(), &limits);
        let Ok(cut) = cut.map_err(|error| assert!(error.code.starts_with("ntff."))) else {
            continue;
        };
        let session = Session::new(vec![Arc::clone(&file), Arc::new(cut)]);
        assert_eq!(regions(&session, "sg00").engines.len(), 5, "cut at {end}");
    }
}

fn input(answer: &ImageAnswer, name: &str) -> (String, Provenance) {
    let input = answer.inputs.iter().find(|input| input.name == name).unwrap();
    (input.value.clone(), input.provenance)
}

fn has(answer: &ImageAnswer, code: &str) -> bool {
    answer.diagnostics.iter().any(|finding| finding.code == code)
}

/// What the user sets, and what the capture does not hold, is not called the file's.
#[test]
fn values_that_the_capture_does_not_hold_are_not_the_files() {
    let (_, neff, profile) = executables().swap_remove(0);
    let capture = pair_builder::capture_of(&neff, profile, 0).unwrap();
    let whole = session(&neff, &ntff(&capture));
    let of_capture = image(&whole, at("sg00", "PE"));
    assert_eq!(input(&of_capture, "core").1, Provenance::File);
    assert_eq!(input(&of_capture, "request page").1, Provenance::File);
    // On another core the capture's own values are still read where the capture has them.
    let moved = image(&whole, Scope { core: Some(5), ..at("sg00", "PE") });
    assert_eq!(input(&moved, "core"), ("5".to_owned(), Provenance::Configured));
    assert_eq!(input(&moved, "request page"), input(&of_capture, "request page"));
    assert_eq!(input(&moved, "DVE table rings"), input(&of_capture, "DVE table rings"));
    let error = whole.ask(&Request::Image { scope: Scope { core: Some(9), ..at("sg00", "PE") } });
    assert_eq!(error.unwrap_err().code, "core.unknown");
    // Without images nothing can be read.
    let mut empty = capture.clone();
    empty.cores.iter_mut().for_each(|core| core.images.clear());
    let empty = session(&neff, &ntff(&empty));
    let answer = image(&empty, Scope { ntff: Some(1), ..at("sg00", "PE") });
    for name in ["request page", "DVE table rings", "ACT table rings"] {
        assert_eq!(input(&answer, name).1, Provenance::Configured, "{name}");
    }
}

/// Numbers of a damaged capture: the captured images stay, and the numbers are told.
#[test]
fn a_core_and_a_page_that_cannot_be_leave_the_captured_image() {
    let (_, neff, profile) = executables().swap_remove(0);
    let capture = pair_builder::capture_of(&neff, profile, 0).unwrap();
    for number in [9, 1 << 31, u64::MAX] {
        let mut odd = capture.clone();
        odd.cores.iter_mut().for_each(|core| core.core = number);
        let answer = image(&session(&neff, &ntff(&odd)), at("sg00", "PE"));
        assert!(answer.captured && has(&answer, "pair.core"), "{number}");
        assert_eq!(input(&answer, "core"), ("4".to_owned(), Provenance::Configured));
    }
    let mut odd = capture;
    for core in &mut odd.cores {
        for image in &mut core.images {
            // The address that each 0xAA record loads is the request page.
            for slot in image.bytes.chunks_mut(64).filter(|slot| slot[0] == 0xAA) {
                slot[0x10..0x18].fill(0xFF);
            }
        }
    }
    let answer = image(&session(&neff, &ntff(&odd)), at("sg00", "PE"));
    assert!(answer.captured && has(&answer, "pair.values"));
    assert!(!has(&answer, "image.profile") && !has(&answer, "pair.structure"));
}
