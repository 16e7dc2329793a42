//! Captures: what a description says is what opening finds, and times are aligned.

#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use neff::ntff::{self, Capture, Clock, QueueSize, Trace, uuid_matches};
use neff::{Findings, Limits, Severity};
use proptest::prelude::*;
use records::ntff::{QueueSource, QueueType, RingKind};
use records::{DeviceAddr, Engine, PatchType};
use support::ntff_writer::{
    ClocksText, CoreText, ImageText, NtffText, RingText, SliceText, ntff, ntff_of, put_bytes,
    put_number, record,
};

fn open(bytes: Vec<u8>) -> (Capture, Findings) {
    let mut findings = Findings::new();
    let capture = ntff::open(bytes, &Limits::default(), &mut findings).unwrap();
    (capture, findings)
}

fn codes(findings: &Findings) -> Vec<&'static str> {
    findings.as_slice().iter().map(|finding| finding.code).collect()
}

/// A description of what a capture decodes to: the inverse of the writer, built from the public
/// values only.
fn described(capture: &Capture) -> NtffText {
    let cores = capture.subgraphs.iter().map(|core| CoreText {
        name: core.name.clone(),
        core: core.core.unwrap_or(0),
        images: core
            .images
            .iter()
            .zip(&core.patches)
            .map(|(image, list)| {
                assert_eq!(image.engine_code, list.engine_code);
                ImageText {
                    engine: image.engine_code,
                    base: image.base.0,
                    bytes: capture.bytes_of(image.bytes).to_vec(),
                    rows: list.rows.iter().map(|row| [row.offset, row.count, row.kind]).collect(),
                }
            })
            .collect(),
        slices: core
            .slices
            .iter()
            .map(|slice| SliceText {
                queue: slice.queue.0,
                source: slice.source.0,
                bytes: capture.records(slice).iter().flat_map(|r| r.bytes().to_vec()).collect(),
                claimed: None,
            })
            .collect(),
        rings: core
            .rings
            .iter()
            .map(|ring| RingText {
                engine: ring.engine,
                queue: ring.queue,
                kind: ring.kind.0,
                name: ring.name.clone(),
                field_5: ring.field_5.unwrap_or(0),
                field_7: ring.field_7.unwrap_or(0),
                blocks: ring.blocks.iter().map(|b| [b.id, b.packets, b.read, b.write]).collect(),
            })
            .collect(),
        clocks: clocks_text(core),
        memory: core
            .memory
            .iter()
            .map(|m| (m.category.unwrap_or(0), m.bytes, m.name.clone().unwrap_or_default()))
            .collect(),
        execution_ps: core.execution_ps.unwrap_or(0),
        field_15: core.has_field_15,
        extra: Vec::new(),
    });
    let runtime = capture.runtime.clone().unwrap_or_default();
    NtffText {
        version: capture.version,
        name: capture.name.clone(),
        uuid: capture.uuid.clone(),
        field_3: capture.field_3.unwrap_or(0),
        cores: cores.collect(),
        logical_core_size: capture.logical_core_size.unwrap_or(0),
        epoch_seconds: capture.epoch_seconds.unwrap_or(0),
        runtime: [runtime.major, runtime.minor, runtime.patch],
        commit: runtime.commit,
        instance_type: capture.instance_type.clone(),
        field_10: capture.field_10.unwrap_or(0),
        driver: capture.driver_version.unwrap_or_default(),
        collectives: capture.collectives_version.unwrap_or_default(),
        queues: capture.queues.iter().map(|q| [q.source.0, q.queue.0, q.bytes]).collect(),
        field_14: capture.field_14.unwrap_or(0),
        extra: Vec::new(),
    }
}

fn clocks_text(core: &ntff::SubgraphCapture) -> ClocksText {
    let text = |clock: &Clock| [clock.initial.cast_unsigned(), clock.actual, clock.expected];
    let [pe, act, pool, dve, sp] = core.clocks.engines;
    let named = [pe, act, dve, pool, sp, core.clocks.events, core.clocks.throttle];
    ClocksText {
        named: named.map(|clock| clock.as_ref().map(text)),
        dma: core.clocks.dma.iter().map(text).collect(),
        top_sp: core.clocks.top_sp.iter().map(text).collect(),
    }
}

/// Two cores as a trn2 writes them, with every field.
fn two_cores() -> NtffText {
    let slice = |queue, source, bytes: Vec<u8>| SliceText { queue, source, bytes, claimed: None };
    let core = |number: u64, name: &str| CoreText {
        name: name.to_owned(),
        core: number,
        images: (0..5)
            .map(|engine| ImageText {
                engine,
                base: 0x8005_C000_0000 + 0x8000 * engine,
                bytes: vec![engine as u8; 64 * 3],
                rows: vec![[0, 2, 0], [128, 1, 2], [128, 1, 0]],
            })
            .collect(),
        slices: vec![
            slice(
                0,
                0,
                [record(5, 0, 0x84, 1 << 16, 7_000), record(5, 0, 0x85, 0, 9_999)].concat(),
            ),
            slice(1, 0, record(0x103, 0xF3, 0xDB, 4, 8_500).to_vec()),
            slice(2, 0, vec![]),
            slice(4, 1, record(100, 0, 0x9F, 0x35, 8_999).to_vec()),
            slice(5, 0, vec![]),
        ],
        rings: (0..16)
            .map(|ring| RingText {
                engine: 16 * number + ring,
                queue: 3,
                kind: 3,
                name: "qSPIO0".to_owned(),
                field_5: -1,
                field_7: 2,
                blocks: vec![[1, 8, 3, 9], [0, 1, 17, 9]],
            })
            .collect(),
        clocks: ClocksText::common(),
        memory: vec![(0, 163_840, "tensor".to_owned()), (0, 0, "weight".to_owned())],
        execution_ps: 26_600_000,
        field_15: number == 4,
        extra: vec![],
    };
    NtffText {
        version: 5,
        name: "file.neff".to_owned(),
        uuid: (1..=18).collect(),
        field_3: 10001,
        cores: vec![core(4, "sg00"), core(5, "sg01")],
        logical_core_size: 2,
        runtime: [2, 27, 23],
        commit: "0123456789abcdef0123456789abcdef01234567".to_owned(),
        instance_type: "trn2.3xlarge".to_owned(),
        field_10: 2,
        driver: [2, 23],
        collectives: [2, 27, 34],
        queues: vec![[0, 0, 128 << 20], [1, 4, 128 << 20]],
        field_14: 0xFFFF_FFFF,
        ..NtffText::default()
    }
}

#[test]
fn every_field_of_two_cores() {
    let text = two_cores();
    let (capture, findings) = open(ntff(&text));
    // One notify record of each core says that the hardware lost some.
    assert_eq!(findings, Findings::new());
    assert_eq!(described(&capture), text);
    assert_eq!(
        capture.queues[1],
        QueueSize { source: QueueSource::DMA, queue: QueueType::DMA_TRACE, bytes: 128 << 20 }
    );
    let core = capture.subgraph("sg01").unwrap();
    assert_eq!(core.core, Some(5));
    let dve = core.image(Engine::Dve).unwrap();
    assert_eq!((dve.base, dve.is_whole()), (DeviceAddr(0x8005_C001_8000), true));
    assert_eq!(capture.slots(dve).len(), 3);
    assert!(capture.slots(dve).iter().all(|slot| slot.opcode_byte() == 3));
    let rows = core.patch_list(Engine::Dve).unwrap().patch_rows().unwrap();
    let brief: Vec<_> = rows.iter().map(|row| (row.offset, row.count, row.kind)).collect();
    assert_eq!(
        brief,
        [(0, 2, PatchType::INSERT), (128, 1, PatchType::DELETE), (128, 1, PatchType::INSERT)]
    );
    assert_eq!((core.rings[0].kind, core.rings[15].engine), (RingKind::IN, 95));
    let block = core.block_table().block("qSPIO0", 0).unwrap();
    assert_eq!((block.packets, block.read, block.write), (1, 17, 9));
    assert_eq!(core.block_table().block("qSPIO0", 2), None);
    // MD5 of 192 zero bytes.
    let pe = core.image(Engine::Pe).unwrap();
    let md5: String = capture.image_md5(pe).iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(md5, "b7dd5e0194ee0ac08a4b802cb73d867f");
}

#[test]
fn a_common_clock_needs_no_alignment() {
    let (capture, _) = open(ntff(&two_cores()));
    let mut findings = Findings::new();
    let trace = Trace::of(&capture, &mut findings);
    assert_eq!(trace.origin_ps, Some(7_000));
    let sg00 = trace.subgraphs[0];
    assert_eq!((sg00.records, sg00.unknown, sg00.untimed, sg00.after_overflow), (4, 0, 0, 1));
    assert_eq!((sg00.first_ps, sg00.last_ps), (Some(7_000), Some(9_999)));
    assert_eq!((trace.ns(7_000), trace.ns(9_999)), (Some(0), Some(2)));
    assert_eq!(codes(&findings), ["ntff.overflow", "ntff.overflow"]);
    assert!(findings.as_slice().iter().all(|finding| finding.severity == Severity::Info));
}

#[test]
fn version_5_with_clocks_of_its_own_is_told() {
    let mut text = two_cores();
    text.cores[1].clocks.dma[3] = [0, 1024, 1_204_672];
    let (capture, findings) = open(ntff(&text));
    assert_eq!(codes(&findings), ["ntff.clock-own"]);
    assert!(findings.as_slice()[0].message.starts_with("clock dma3 of `sg01`"));
    assert_eq!(Trace::of(&capture, &mut Findings::new()).origin_ps, Some(7_000));
}

/// The clocks of R223; every time is 1,000,000 ps after the start or a little more. The numbers
/// were worked out by hand.
#[test]
fn each_clock_of_version_4_is_aligned() {
    let minute = 60_000_000_000_000_u64;
    let fast = [minute, 731_428, 731_408];
    let mut text = ntff_of(4, b"uuid", "sg00", 0, vec![], vec![]);
    text.cores[0].clocks = ClocksText {
        named: [
            Some(fast),
            Some(fast),
            Some([5 * minute, 914_286, 914_260]),
            Some([7, 731_428, 731_408]),
            Some(fast),
            Some([3, 731_428, 731_408]),
            Some([1000, 1024, 731_408]),
        ],
        dma: (0..16).map(|i| [i * 100, 1024, 1_204_672]).collect(),
        top_sp: vec![],
    };
    let trace = [
        // PE: 1,000,028 x 731408 / 731428 = 1,000,000.65...
        record(0, 0, 0x84, 0, minute + 1_000_028),
        // DVE, code 3: 1,000,030 x 914260 / 914286 = 1,000,001.56...
        record(0, 0, 0x90, 0, 5 * minute + 1_000_030),
        // POOL, code 2, is field 4: 2,000,055 x 731408 / 731428 = 2,000,000.31...
        record(0, 0, 0x8D, 0, 7 + 2_000_055),
    ];
    // Event clock: 1,500,042 x 731408 / 731428 = 1,500,000.98...
    let notify = record(0x105, 0xF3, 0x97, 1, 3 + 1_500_042);
    // Engine 18 mod 16 = 2: 850 x 1204672 / 1024 = 999,971.8...
    let dma = record(0, 0, 0x92, 1, 200 + 850);
    // 1401 x 731408 / 1024 = 1,000,686.1...
    let throttle = record(0, 0, 0x9E, 0, 1000 + 1401);
    text.cores[0].slices = [(0, 0, trace.concat()), (1, 0, notify.to_vec()), (4, 1, dma.to_vec())]
        .into_iter()
        .chain([(5, 0, throttle.to_vec())])
        .map(|(queue, source, bytes)| SliceText { queue, source, bytes, claimed: None })
        .collect();
    let (capture, findings) = open(ntff(&text));
    assert_eq!(findings, Findings::new());
    let core = &capture.subgraphs[0];
    let base = ntff::TimeBase::of(capture.version, &core.clocks);
    let times: Vec<i128> = core
        .slices
        .iter()
        .flat_map(|slice| {
            let records = capture.records(slice).iter();
            records.map(|record| base.ps(slice.queue, slice.source, record).unwrap())
        })
        .collect();
    assert_eq!(times, [1_000_000, 1_000_001, 2_000_000, 1_500_000, 999_971, 1_000_686]);
    let trace = Trace::of(&capture, &mut Findings::new());
    assert_eq!(trace.origin_ps, Some(999_971));
    let last = trace.subgraphs[0].last_ps.unwrap();
    assert_eq!(trace.ns(last), Some(1000));
}

#[test]
fn records_without_a_clock_have_no_time() {
    let mut text = ntff_of(4, b"uuid", "sg00", 0, vec![], vec![]);
    let bytes = [record(0, 0, 0x84, 0, 5), record(0, 0, 0x9E, 0, 6)].concat();
    text.cores[0].slices = vec![SliceText { bytes, ..SliceText::default() }];
    text.cores[0].clocks.named[1] = Some([0, 1, 1]);
    let (capture, _) = open(ntff(&text));
    let mut findings = Findings::new();
    let trace = Trace::of(&capture, &mut findings);
    let core = trace.subgraphs[0];
    assert_eq!((core.records, core.unknown, core.untimed), (2, 1, 2));
    assert_eq!((core.first_ps, trace.origin_ps), (None, None));
    assert_eq!(codes(&findings), ["ntff.record-type", "ntff.clock"]);
}

#[test]
fn garbage_of_the_head_is_nowhere() {
    let file = ntff(&ntff_of(4, &[7; 16], "sg00", 0, vec![], vec![]));
    assert_eq!(&file[8..14], b"SECRET");
    let (capture, findings) = open(file);
    assert_eq!(findings, Findings::new());
    assert_eq!((capture.version, capture.subgraphs[0].core), (4, None));
    assert!(uuid_matches(&[7; 16], &capture.uuid));
    let first = capture.message.start;
    assert!(capture.subgraphs[0].at > first && capture.unknown.is_empty());
}

#[test]
fn unknown_fields_are_kept_with_their_place() {
    let mut text = two_cores();
    put_bytes(&mut text.extra, 99, b"abc");
    put_number(&mut text.extra, 1, 7);
    put_number(&mut text.cores[1].extra, 2, 1);
    let file = ntff(&text);
    let (capture, findings) = open(file.clone());
    assert_eq!(codes(&findings), ["ntff.unknown-field"]);
    assert_eq!(capture.n_unknown, 3);
    let brief: Vec<_> = capture
        .unknown
        .iter()
        .map(|field| (field.message, field.number, field.wire_type, capture.bytes_of(field.bytes)))
        .collect();
    assert_eq!(
        brief,
        [
            ("subgraph", 2, 0, &[0x10, 1][..]),
            ("capture", 99, 2, &[0x9A, 6, 3, b'a', b'b', b'c']),
            // The name as a number: not what field 1 is.
            ("capture", 1, 0, &[0x08, 7]),
        ]
    );
    assert_eq!(capture.name, "file.neff");
}

#[test]
fn other_versions_are_read_if_they_fit() {
    let mut text = two_cores();
    text.version = 6;
    let (capture, findings) = open(ntff(&text));
    assert_eq!((capture.version, capture.subgraphs.len()), (6, 2));
    assert_eq!(codes(&findings), ["ntff.version"]);
    let mut file = ntff(&text);
    file[4] = 1;
    let error = ntff::open(file, &Limits::default(), &mut Findings::new()).unwrap_err();
    assert_eq!(error.code(), "ntff.no-capture");
    let error = ntff::open(vec![5; 127], &Limits::default(), &mut Findings::new()).unwrap_err();
    assert_eq!((error.code(), error.place().offset), ("ntff.too-short", Some(127)));
    let limits = Limits { upload_bytes: 100, ..Limits::default() };
    let error = ntff::open(vec![5; 127], &limits, &mut Findings::new()).unwrap_err();
    assert_eq!(error.code(), "ntff.file-limit");
    assert!(ntff::is_plausible(&ntff(&two_cores())));
    assert!(!ntff::is_plausible(&[5; 200]));
    assert!(!ntff::is_plausible(&[]));
}

prop_compose! {
    fn any_text()(text in "[ -~]{0,12}") -> String { text }
}

prop_compose! {
    fn any_number()(bits in 0_u32..=64, value in any::<u64>()) -> u64 {
        value.checked_shr(bits).unwrap_or(0)
    }
}

fn numbers<const N: usize>() -> impl Strategy<Value = [u64; N]> {
    proptest::collection::vec(any_number(), N).prop_map(|list| list.try_into().unwrap())
}

fn any_image() -> impl Strategy<Value = ImageText> {
    let rows = proptest::collection::vec(numbers(), 0..4);
    let bytes = proptest::collection::vec(any::<u8>(), 0..200);
    (any_number(), any_number(), bytes, rows).prop_map(|(engine, base, bytes, rows)| ImageText {
        engine,
        base,
        bytes,
        rows,
    })
}

fn any_ring() -> impl Strategy<Value = RingText> {
    let blocks = proptest::collection::vec(numbers(), 0..4);
    (numbers::<3>(), any_text(), any::<i64>(), any_number(), blocks).prop_map(
        |([engine, queue, kind], name, field_5, field_7, blocks)| RingText {
            engine,
            queue,
            kind,
            name,
            field_5,
            field_7,
            blocks,
        },
    )
}

fn any_slice() -> impl Strategy<Value = SliceText> {
    (any_number(), any_number(), proptest::collection::vec(any::<[u8; 16]>(), 0..5)).prop_map(
        |(queue, source, records)| SliceText {
            queue,
            source,
            bytes: records.concat(),
            claimed: None,
        },
    )
}

fn any_clocks() -> impl Strategy<Value = ClocksText> {
    let list = || proptest::collection::vec(numbers(), 0..17);
    let named = proptest::collection::vec(proptest::option::of(numbers()), 7);
    (named, list(), list()).prop_map(|(named, dma, top_sp)| ClocksText {
        named: named.try_into().unwrap(),
        dma,
        top_sp,
    })
}

fn any_core() -> impl Strategy<Value = CoreText> {
    let memory = proptest::collection::vec((any_number(), any_number(), any_text()), 0..3);
    (
        (any_text(), any_number(), any_number(), any::<bool>()),
        proptest::collection::vec(any_image(), 0..4),
        proptest::collection::vec(any_slice(), 0..6),
        proptest::collection::vec(any_ring(), 0..4),
        any_clocks(),
        memory,
    )
        .prop_map(
            |((name, core, execution_ps, field_15), images, slices, rings, clocks, memory)| {
                CoreText {
                    name,
                    core,
                    images,
                    slices,
                    rings,
                    clocks,
                    memory,
                    execution_ps,
                    field_15,
                    extra: vec![],
                }
            },
        )
}

fn any_capture() -> impl Strategy<Value = NtffText> {
    (
        (
            prop::sample::select(vec![4_u8, 5]),
            any_text(),
            proptest::collection::vec(any::<u8>(), 0..25),
        ),
        proptest::collection::vec(any_core(), 0..3),
        (numbers::<5>(), any_text(), any_text(), numbers::<2>(), numbers::<3>(), numbers::<3>()),
        proptest::collection::vec(numbers(), 0..9),
    )
        .prop_map(|((version, name, uuid), cores, singles, queues)| {
            let ([f3, lnc, epoch, f10, f14], commit, instance_type, driver, collectives, runtime) =
                singles;
            NtffText {
                version,
                name,
                uuid,
                field_3: f3,
                cores,
                logical_core_size: lnc,
                epoch_seconds: epoch,
                runtime,
                commit,
                instance_type,
                field_10: f10,
                driver,
                collectives,
                queues,
                field_14: f14,
                extra: vec![],
            }
        })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn opening_finds_what_was_described(text in any_capture()) {
        let (capture, findings) = open(ntff(&text));
        prop_assert_eq!(described(&capture), text);
        prop_assert_eq!(capture.n_unknown, 0);
        for code in codes(&findings) {
            prop_assert!(!matches!(code, "ntff.wire" | "ntff.past-end" | "ntff.slice"), "{}", code);
        }
    }
}
