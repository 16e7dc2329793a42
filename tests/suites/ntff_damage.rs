//! Damaged and hostile captures: a finding or an error with its place, and the rest still shown.

#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use neff::ntff::{self, Capture, Trace};
use neff::{Findings, Limits, Severity};
use proptest::prelude::*;
use support::fixtures::{case, case_names, crash_files, files, workspace_root};
use support::fuzz_ntff;
use support::ntff_writer::{
    ImageText, NtffText, RingText, SliceText, ntff, ntff_of, put_bytes, put_number, record, varint,
};

fn open(bytes: Vec<u8>) -> (Capture, Findings) {
    let mut findings = Findings::new();
    let capture = ntff::open(bytes, &Limits::default(), &mut findings).unwrap();
    (capture, findings)
}

fn codes(findings: &Findings) -> Vec<&'static str> {
    findings.as_slice().iter().map(|finding| finding.code).collect()
}

/// A small capture with something of everything.
fn small() -> NtffText {
    let images = (0..5)
        .map(|engine| ImageText {
            engine,
            base: 0x3_C000_0000 + 0x8000 * engine,
            bytes: vec![0xA5; 64],
            rows: vec![[0, 1, 0]],
        })
        .collect();
    let ring = RingText {
        engine: 3,
        queue: 1,
        kind: 2,
        name: "qSpill".to_owned(),
        field_5: -1,
        field_7: 0,
        blocks: vec![[0, 1, 9, 9], [1, 1, 9, 9]],
    };
    let mut text = ntff_of(5, &[9; 16], "sg00", 4, images, vec![ring]);
    text.name = "file.neff".to_owned();
    text.instance_type = "trn2.3xlarge".to_owned();
    let slice = |queue, bytes| SliceText { queue, source: 0, bytes, claimed: None };
    text.cores[0].slices = vec![
        slice(0, [record(1, 0, 0x84, 0, 10_000), record(1, 0, 0x85, 0, 20_000)].concat()),
        slice(1, record(0x101, 0xF3, 0x9B, 1, 15_000).to_vec()),
    ];
    text
}

fn message_len(file: &[u8]) -> usize {
    usize::from(file[1]) | usize::from(file[2]) << 8
}

#[test]
fn a_cut_at_any_byte_is_told_and_the_rest_is_shown() {
    let whole = ntff(&small());
    let tail = 128 + message_len(&whole);
    let (full, findings) = open(whole.clone());
    assert_eq!(findings, Findings::new());
    let mut shown = 0;
    for cut in 0..whole.len() {
        let file = whole[..cut].to_vec();
        fuzz_ntff::run(&file);
        let mut findings = Findings::new();
        let capture = match ntff::open(file, &Limits::default(), &mut findings) {
            Ok(capture) => capture,
            Err(error) => {
                assert!(cut < 128, "{cut}");
                assert_eq!(
                    (error.code(), error.place().offset),
                    ("ntff.too-short", Some(cut as u64))
                );
                continue;
            }
        };
        let first = findings.as_slice().iter().find(|one| one.severity == Severity::Error).unwrap();
        assert!(first.at.offset.is_some_and(|at| at <= cut as u64), "{cut} {first:?}");
        // A longer file never shows less.
        let images: usize = capture.subgraphs.iter().map(|core| core.images.len()).sum();
        assert!(images >= shown, "{cut}");
        shown = images;
        if cut >= tail {
            assert_eq!(
                (&capture.name, &capture.subgraphs[0].images),
                (&full.name, &full.subgraphs[0].images)
            );
            let records = Trace::of(&capture, &mut Findings::new()).subgraphs[0].records;
            assert_eq!(records, (cut - tail) as u64 / 16, "{cut}");
            assert!(codes(&findings).contains(&"ntff.slice"), "{cut}");
        } else {
            assert!(codes(&findings).contains(&"ntff.length"), "{cut}");
        }
    }
    assert_eq!(shown, 5);
}

#[test]
fn every_flipped_bit_is_survived() {
    let whole = ntff(&small());
    for at in 0..whole.len() {
        for bit in 0..8 {
            let mut file = whole.clone();
            file[at] ^= 1 << bit;
            fuzz_ntff::run(&file);
        }
    }
}

#[test]
fn damage_inside_one_message_leaves_the_others() {
    // The third image ends in a group; what follows it is read.
    let mut text = small();
    text.cores[0].images.truncate(2);
    put_bytes(&mut text.cores[0].extra, 4, &[0x08, 4, 0x0B, 1, 2, 3]);
    put_number(&mut text.cores[0].extra, 14, 77);
    let file = ntff(&text);
    let at = file.windows(6).position(|bytes| bytes == [0x08, 4, 0x0B, 1, 2, 3]).unwrap() + 2;
    let (capture, findings) = open(file);
    assert_eq!(codes(&findings), ["ntff.wire"]);
    assert_eq!(findings.as_slice()[0].at.offset, Some(at as u64));
    let core = &capture.subgraphs[0];
    assert_eq!((core.images.len(), core.images[2].engine_code), (3, 4));
    assert_eq!((core.execution_ps, core.slices.len()), (Some(77), 2));
    assert_eq!(capture.runtime.unwrap().to_string(), "2.27.23");
}

#[test]
fn wire_types_that_are_none_end_their_message() {
    for wire in [3_u64, 4, 6, 7] {
        let mut text = small();
        varint(&mut text.extra, 1 << 3 | wire);
        let file = ntff(&text);
        let at = 128 + message_len(&file) - 1;
        let (capture, findings) = open(file);
        assert_eq!(codes(&findings), ["ntff.wire"], "{wire}");
        assert_eq!(findings.as_slice()[0].at.offset, Some(at as u64));
        assert_eq!(capture.subgraphs.len(), 1);
    }
}

#[test]
fn a_length_past_the_end_shows_what_is_there() {
    let mut text = small();
    // A name of 200 bytes of which 3 are there: half a name would be a wrong one.
    text.extra.extend_from_slice(&[0x0A, 0xC8, 0x01, b'a', b'b', b'c']);
    let (capture, findings) = open(ntff(&text));
    assert_eq!(codes(&findings), ["ntff.past-end"]);
    assert_eq!(capture.name, "");
    // An image with a length of 2^63: all bytes up to the end of its message, and no more.
    let mut text = small();
    let mut image = vec![0x1A];
    varint(&mut image, 1 << 63);
    image.extend_from_slice(&[7; 10]);
    text.cores[0].images.clear();
    put_bytes(&mut text.cores[0].extra, 4, &image);
    let (capture, findings) = open(ntff(&text));
    assert_eq!(codes(&findings), ["ntff.past-end"]);
    let image = capture.subgraphs[0].images[0];
    assert_eq!((image.bytes.len(), image.missing_bytes), (10, (1 << 63) - 10));
    assert!(!image.is_whole());
}

#[test]
fn images_rows_and_engines_are_checked() {
    let mut text = small();
    text.cores[0].images[1].bytes.push(0);
    text.cores[0].images[2].rows = vec![[32, 1, 0], [0, 1 << 32, 0], [128, 1, 2], [64, 1, 2]];
    text.cores[0].images[3].engine = 9;
    text.cores[0].images[4].engine = 0;
    let (capture, findings) = open(ntff(&text));
    assert_eq!(
        codes(&findings),
        [
            "ntff.image-size",
            "ntff.row",
            "ntff.row",
            "ntff.engine",
            "ntff.twice",
            "ntff.row-outside",
            "ntff.engine",
            "ntff.twice"
        ]
    );
    let core = &capture.subgraphs[0];
    assert_eq!(capture.slots(&core.images[1]).len(), 1);
    assert_eq!(core.images[3].engine(), None);
    assert_eq!(core.patches[2].patch_rows(), None);
}

/// A slice with bytes of its own and a claim about where it lies.
fn claims(list: &[(u64, u64)]) -> (Capture, Findings) {
    let mut text = small();
    let bytes = vec![0x84; 160 / list.len() / 16 * 16];
    text.cores[0].slices = list
        .iter()
        .map(|claim| SliceText {
            bytes: bytes.clone(),
            claimed: Some(*claim),
            ..SliceText::default()
        })
        .collect();
    open(ntff(&text))
}

fn records(capture: &Capture) -> Vec<usize> {
    capture.subgraphs[0].slices.iter().map(|slice| capture.records(slice).len()).collect()
}

#[test]
fn slices_share_no_byte() {
    // The second one starts inside the first.
    let (capture, findings) = claims(&[(0, 96), (80, 80)]);
    assert_eq!((records(&capture), codes(&findings)), (vec![5, 5], vec!["ntff.slice-overlap"]));
    // Three that start together: the largest has the bytes.
    let (capture, findings) = claims(&[(0, 144), (0, 32), (0, 16)]);
    assert_eq!(records(&capture), [9, 0, 0]);
    assert_eq!(codes(&findings), ["ntff.slice-overlap", "ntff.slice-overlap"]);
    // One that is nowhere near, one that ends outside, one between two records.
    let (capture, findings) = claims(&[(1 << 40, 16), (64, u64::MAX), (0, 20)]);
    assert_eq!(records(&capture), [0, 5, 1]);
    assert_eq!(
        codes(&findings),
        [
            "ntff.slice-size",
            "ntff.slice",
            "ntff.slice-overlap",
            "ntff.slice-size",
            "ntff.slice",
            "ntff.tail-gap"
        ]
    );
    let (capture, findings) = claims(&[(u64::MAX, u64::MAX), (0, 80)]);
    assert_eq!(records(&capture), [0, 5]);
    assert!(codes(&findings).contains(&"ntff.tail-gap"));
}

/// A hundred thousand slices that all claim the whole tail are read in one pass over it.
#[test]
fn many_slices_over_one_tail_cost_one_pass() {
    let mut text = small();
    let one = SliceText { bytes: vec![], claimed: Some((0, 1 << 20)), ..SliceText::default() };
    text.cores[0].slices = vec![one; 100_000];
    text.cores[0].slices[0].bytes = vec![0x84; 1 << 20];
    let (capture, _) = open(ntff(&text));
    let trace = Trace::of(&capture, &mut Findings::new());
    assert_eq!(trace.subgraphs[0].records, 1 << 16);
}

#[test]
fn millions_of_empty_fields_stay_within_the_limit() {
    let mut text = small();
    // Empty queue sizes, and fields that nobody knows.
    text.extra = [0x6A, 0].repeat(1_500_000);
    text.extra.extend([0xA2, 6, 0].repeat(1_500_000));
    let file = ntff(&text);
    let (capture, findings) = open(file);
    assert_eq!(capture.queues.len(), 1_500_000);
    assert_eq!(capture.n_unknown, 1_500_000);
    assert!(capture.unknown.len() < 500_000);
    assert_eq!(codes(&findings), ["ntff.unknown-field"]);
    let limits = Limits { capture_rows: 1000, ..Limits::default() };
    let mut findings = Findings::new();
    let capture = ntff::open(ntff(&text), &limits, &mut findings).unwrap();
    assert!(capture.queues.len() < 1000);
    assert_eq!(capture.name, "file.neff");
    assert_eq!(codes(&findings), ["ntff.rows", "ntff.unknown-field"]);
    assert_eq!((capture.unknown.len(), capture.n_unknown), (0, 1_500_000));
}

/// Messages in messages in messages: nothing recurses into what it does not know.
#[test]
fn deep_nesting_is_no_recursion() {
    let mut nested = Vec::new();
    for _ in 0..20_000 {
        let mut outer = Vec::new();
        put_bytes(&mut outer, 4, &nested);
        nested = outer;
    }
    let mut text = small();
    text.extra.extend_from_slice(&nested);
    text.cores[0].extra.extend_from_slice(&nested);
    fuzz_ntff::run(&ntff(&text));
}

#[test]
fn negative_numbers_are_ten_byte_varints() {
    let (capture, _) = open(ntff(&small()));
    assert_eq!(capture.subgraphs[0].rings[0].field_5, Some(-1));
    let mut text = small();
    text.cores[0].extra = vec![0x70, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 1];
    let (_, findings) = open(ntff(&text));
    assert_eq!(codes(&findings), ["ntff.wire"]);
}

#[test]
fn empty_captures_say_so() {
    let (capture, findings) = open(ntff(&NtffText { version: 5, ..NtffText::default() }));
    assert_eq!(codes(&findings), ["ntff.no-subgraph"]);
    assert_eq!(Trace::of(&capture, &mut Findings::new()), Trace::default());
    let mut text = small();
    text.cores.push(text.cores[0].clone());
    let (_, findings) = open(ntff(&text));
    assert_eq!(codes(&findings), ["ntff.subgraph-twice"]);
}

#[test]
fn fuzz_oracle_holds_on_stored_inputs() {
    let root = workspace_root();
    for name in case_names(&root).unwrap() {
        for (_, bytes) in files(&case(&root, &name).unwrap()).unwrap() {
            fuzz_ntff::run(&bytes);
        }
    }
    for (_, bytes) in crash_files(&root).unwrap() {
        fuzz_ntff::run(&bytes);
    }
    for version in 0..=6 {
        fuzz_ntff::run(&ntff(&NtffText { version, ..small() }));
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn changed_captures_never_panic(
        changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..8),
        cut in any::<usize>(),
    ) {
        let mut file = ntff(&small());
        for (at, byte) in changes {
            let at = 128 + at % (file.len() - 128);
            file[at] = byte;
        }
        file.truncate(file.len() - cut % (file.len() / 4));
        fuzz_ntff::run(&file);
    }

    #[test]
    fn any_message_is_survived(message in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut text = small();
        text.cores[0].extra = message.clone();
        fuzz_ntff::run(&ntff(&text));
        text.cores.clear();
        text.extra = message;
        fuzz_ntff::run(&ntff(&text));
    }
}

/// ACT begins at the last slot of PE: one address of two engines. One byte further there is none.
#[test]
fn images_that_share_addresses_are_told() {
    let mut text = small();
    text.cores[0].images[0].bytes = vec![0xA5; 0x8000];
    assert_eq!(codes(&open(ntff(&text)).1), [""; 0]);
    text.cores[0].images[0].bytes = vec![0xA5; 0x8040];
    let (_, findings) = open(ntff(&text));
    assert_eq!(codes(&findings), ["ntff.image-overlap"]);
    let message = &findings.as_slice()[0].message;
    assert!(message.contains("0x3c0008000") && message.contains("0x3c0008040"), "{message}");
}

#[test]
fn long_texts_many_cores_and_odd_bases_are_told() {
    let mut text = small();
    text.name = "n".repeat(1025);
    text.cores[0].images[1].base = 0x3_C000_0040;
    text.cores[0].images[2].base = 0u64.wrapping_sub(0x20);
    let core = text.cores[0].clone();
    text.cores = vec![core; 66];
    let (capture, findings) = open(ntff(&text));
    assert_eq!((capture.name.as_str(), capture.subgraphs.len()), ("", 64));
    let of = |code: &str| codes(&findings).into_iter().filter(|found| *found == code).count();
    assert_eq!((of("ntff.text"), of("ntff.subgraph-limit"), of("ntff.base")), (1, 1, 2 * 64));
    text.name.pop();
    assert_eq!(open(ntff(&text)).0.name.len(), 1024);
}
