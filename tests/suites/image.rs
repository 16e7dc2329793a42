//! Device images against independent vectors: MD5 digests of whole images that were captured or
//! rebuilt from captures, slot totals, patch lists, and the way back from every slot.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use device_image::{
    BlockCounts, Generation, Image, Inputs, IpPlace, Options, Profile, Program, Queue, QueueBlock,
    QueueKind, Region, Subgraph, assemble,
};
use md5::{Digest, Md5};
use neff::Findings;
use records::build::Draft;
use records::{Engine, NeffIp, PatchRow, PatchSection, PatchType, Provenance, Slot, SlotIndex};

const ORDER: u8 = 0xB1;
const LABEL: u8 = 0xCC;

fn record(opcode: u8) -> Slot {
    Draft::new(opcode).slot()
}

/// A DMA trigger of a block, waiting for a semaphore to reach a value if one is given.
fn trigger(queue: &str, block: u32, wait: Option<(u8, u32)>) -> Slot {
    let draft = Draft::new(0xC1).bytes(0x0C, queue.as_bytes()).u32(0x30, block);
    waiting(draft.slot(), wait)
}

fn waiting(slot: Slot, wait: Option<(u8, u32)>) -> Slot {
    match wait {
        Some((semaphore, value)) => {
            Draft::of(slot).u8(0x04, 5).u8(0x05, semaphore).u32(0x08, value).slot()
        }
        None => slot,
    }
}

fn queue(
    name: &str,
    owner: Engine,
    kind: QueueKind,
    (io_read, io_write): (bool, bool),
    counts: &[(u32, u32)],
) -> Queue {
    let block = |(id, &(read, write)): (u32, &(u32, u32))| QueueBlock {
        id,
        counts: BlockCounts { read, write, provenance: Provenance::Observed },
    };
    let blocks = (0..).zip(counts).map(block).collect();
    Queue { name: name.to_owned(), instances: Vec::new(), owner, kind, io_read, io_write, blocks }
}

fn build(
    profile: &str,
    subgraph: &Subgraph,
    engine: Engine,
    slots: &[Slot],
    core: u32,
) -> (Image, Findings) {
    let profile = Profile::built_in(profile).unwrap();
    let inputs = Inputs::defaults(&profile, subgraph, Some(core)).unwrap();
    let mut findings = Findings::new();
    let program = Program { subgraph, engine, slots };
    let image = assemble(&profile, program, &inputs, Options::default(), &mut findings).unwrap();
    (image, findings)
}

fn md5(image: &Image) -> String {
    Md5::digest(image.bytes()).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Engine, slots, MD5.
type Vector = (Engine, usize, &'static str);

fn check(profile: &str, subgraph: &Subgraph, stream: &[Slot], core: u32, vectors: &[Vector]) {
    for &(engine, slots, digest) in vectors {
        let (image, findings) = build(profile, subgraph, engine, stream, core);
        assert_eq!(image.slots.len(), slots, "{profile} {engine}");
        assert_eq!(md5(&image), digest, "{profile} {engine}");
        assert_eq!(findings, Findings::new());
        assert_eq!(image.pc_map().check(), Ok(()));
    }
}

#[test]
fn v1_cayman_without_queues() {
    let subgraph = Subgraph::without_queues(Generation::Cayman);
    let vectors = [
        (Engine::Pe, 74, "193c3f4b60b62d88e46e5e2e15454bd2"),
        (Engine::Act, 65, "78e72b190d7f18e6a0283f3917255057"),
        (Engine::Pool, 68, "ab3b3c17949592f963b1dd533366ae8f"),
        (Engine::Dve, 71, "26bba480d334f27c8f1f08fd4e88bd05"),
        (Engine::Sp, 55, "5f7f8a26953c23fc89d599542fd024a0"),
    ];
    check("cayman-r2.27", &subgraph, &[record(ORDER), record(LABEL)], 5, &vectors);
}

#[test]
fn v2_sunda_2_25_without_queues() {
    let subgraph = Subgraph::without_queues(Generation::Sunda);
    let vectors = [
        (Engine::Pe, 112, "ceba75ee06cc60c6d053aa21ae474921"),
        (Engine::Act, 105, "43c76cdd5460047dc8db4fa6ea545adc"),
        (Engine::Pool, 114, "d9470a0eae92b853ca5eb318a5f64cd1"),
        (Engine::Dve, 111, "4614459851427cbfb1121ce9b117a462"),
        (Engine::Sp, 94, "d337d4c3f7101cf7ea19a9d0c10baf2e"),
    ];
    check("sunda-r2.25", &subgraph, &[record(ORDER)], 0, &vectors);
}

#[test]
fn v3_sunda_2_23_without_queues() {
    let subgraph = Subgraph::without_queues(Generation::Sunda);
    let vectors = [
        (Engine::Pe, 89, "6bc2ebba73119ae64e72aad105cec20e"),
        (Engine::Act, 76, "8082fedea142ea8cf8589d851e44171e"),
        (Engine::Pool, 82, "4c204d067c8ea180d60b4278eba05806"),
        (Engine::Dve, 76, "811859466058468079362973a14511db"),
        (Engine::Sp, 70, "5ea75b753f9fbaab127185d39cf586a3"),
    ];
    check("sunda-r2.23", &subgraph, &[record(ORDER)], 0, &vectors);
}

/// An input queue on SP that loads, and a data queue on POOL that stores.
fn v4_subgraph() -> Subgraph {
    Subgraph {
        queues: vec![
            queue("qPoolSpill0", Engine::Pool, QueueKind::Data, (false, false), &[(9, 9)]),
            queue("qSPIO0", Engine::Sp, QueueKind::In, (true, false), &[(3, 9), (3, 9)]),
        ],
        ..Subgraph::without_queues(Generation::Cayman)
    }
}

#[test]
fn v4_cayman_with_queues() {
    let subgraph = v4_subgraph();
    let idle = [record(ORDER), record(LABEL)];
    let pe = [(Engine::Pe, 74, "8d4667e881ec1b0dc6e0a08ac0c6e6fe")];
    check("cayman-r2.27", &subgraph, &idle, 4, &pe);
    let pool = [
        record(ORDER),
        record(LABEL),
        trigger("qPoolSpill0", 0, Some((5, 3))),
        waiting(record(0xA4), Some((24, 16))),
    ];
    let vector = [(Engine::Pool, 86, "5934e7ee8acb4af3f3782711fcf18c5c")];
    check("cayman-r2.27", &subgraph, &pool, 4, &vector);
    let sp = [
        record(ORDER),
        record(LABEL),
        trigger("qSPIO0", 0, None),
        trigger("qSPIO0", 1, Some((6, 1))),
    ];
    let vector = [(Engine::Sp, 71, "0d3ab25a641fc1435b72b588dd3622b0")];
    check("cayman-r2.27", &subgraph, &sp, 4, &vector);
}

#[test]
fn v5_cayman_with_an_activation_set() {
    let subgraph = Subgraph {
        queues: vec![
            queue("qActSpill0", Engine::Act, QueueKind::Data, (false, false), &[(9, 9), (3, 9)]),
            queue("qActIO0", Engine::Act, QueueKind::In, (false, true), &[(9, 3)]),
        ],
        activation_set: true,
        ..Subgraph::without_queues(Generation::Cayman)
    };
    let stream = [
        record(ORDER),
        record(LABEL),
        trigger("qActSpill0", 0, None),
        trigger("qActSpill0", 1, Some((4, 2))),
        trigger("qActIO0", 0, Some((8, 32))),
    ];
    let vector = [(Engine::Act, 104, "7f777337f3bc28dc69854e8c1646e07d")];
    check("cayman-r2.27", &subgraph, &stream, 4, &vector);
    let (image, _) = build("cayman-r2.27", &subgraph, Engine::Act, &stream, 4);
    let row =
        |slot: u32, count, kind, section| PatchRow { offset: slot * 64, count, kind, section };
    let expected = [
        row(0, 86, PatchType::INSERT, PatchSection::PREAMBLE),
        row(87, 1, PatchType::DELETE, PatchSection::MAIN),
        row(90, 14, PatchType::INSERT, PatchSection::POSTAMBLE),
    ];
    assert_eq!(image.rows, expected);
    assert_eq!(image.provenance_of(Region::Main), Some(Provenance::Configured));
}

/// Rows of a section as slot counts.
fn runs(image: &Image, section: PatchSection) -> Vec<u32> {
    let rows = image.rows.iter().filter(|row| row.section == section);
    rows.map(|row| row.count).collect()
}

/// Slots of PREAMBLE and POSTAMBLE rows of every engine, without queues.
#[test]
fn slot_totals_of_every_engine() {
    type Totals = [(&'static [u32], &'static [u32]); 5];
    let cayman: Totals =
        [(&[62], &[11]), (&[53], &[11]), (&[56], &[11]), (&[59], &[11]), (&[45], &[9])];
    let r225: Totals = [
        (&[40, 6, 4], &[60, 1]),
        (&[35, 4, 4], &[60, 1]),
        (&[38, 4, 4], &[66, 1]),
        (&[41, 4, 4], &[60, 1]),
        (&[30, 3, 3], &[56, 1]),
    ];
    let r223: Totals = [
        (&[21, 6], &[60, 1]),
        (&[10, 4], &[60, 1]),
        (&[10, 4], &[66, 1]),
        (&[10, 4], &[60, 1]),
        (&[9, 3], &[56, 1]),
    ];
    for (name, generation, totals) in [
        ("cayman-r2.27", Generation::Cayman, cayman),
        ("sunda-r2.25", Generation::Sunda, r225),
        ("sunda-r2.23", Generation::Sunda, r223),
    ] {
        for (engine, (before, after)) in Engine::ALL.into_iter().zip(totals) {
            let subgraph = Subgraph::without_queues(generation);
            let (image, _) = build(name, &subgraph, engine, &[record(ORDER)], 0);
            assert_eq!(runs(&image, PatchSection::PREAMBLE), before, "{name} {engine}");
            assert_eq!(runs(&image, PatchSection::POSTAMBLE), after, "{name} {engine}");
        }
    }
}

/// A queue adds 13 or 14 slots before MAIN and 1 or 2 after it; an activation set 5 and 1.
#[test]
fn slot_totals_with_queues() {
    let of = |name: &str, subgraph: &Subgraph, engine| {
        let (image, _) = build(name, subgraph, engine, &[record(ORDER)], 0);
        (runs(&image, PatchSection::PREAMBLE), runs(&image, PatchSection::POSTAMBLE))
    };
    let cayman = |queues: &[(Engine, QueueKind)], activation_set| Subgraph {
        queues: queues
            .iter()
            .map(|(owner, kind)| queue("q", *owner, kind.clone(), (false, false), &[]))
            .collect(),
        activation_set,
        ..Subgraph::without_queues(Generation::Cayman)
    };
    let one = |engine, kind| cayman(&[(engine, kind)], false);
    let total = |subgraph: &Subgraph, engine| of("cayman-r2.27", subgraph, engine);
    let pool_in = one(Engine::Pool, QueueKind::In);
    assert_eq!(total(&pool_in, Engine::Pool), (vec![69], vec![12]));
    assert_eq!(total(&pool_in, Engine::Sp), (vec![45], vec![9]));
    let both = cayman(&[(Engine::Pool, QueueKind::Data), (Engine::Pool, QueueKind::In)], false);
    assert_eq!(total(&both, Engine::Pool), (vec![83], vec![14]));
    let sp = one(Engine::Sp, QueueKind::In);
    assert_eq!(total(&sp, Engine::Sp), (vec![58], vec![10]));
    assert_eq!(total(&cayman(&[], true), Engine::Act), (vec![59], vec![11]));
    let act = cayman(&[(Engine::Act, QueueKind::Data)], true);
    assert_eq!(total(&act, Engine::Act), (vec![73], vec![13]));

    let sunda = |engine, name| {
        let queues = vec![queue("q", engine, QueueKind::In, (false, false), &[])];
        let subgraph = Subgraph { queues, ..Subgraph::without_queues(Generation::Sunda) };
        of(name, &subgraph, engine)
    };
    assert_eq!(sunda(Engine::Pool, "sunda-r2.25"), (vec![51, 4, 4], vec![67, 1]));
    assert_eq!(sunda(Engine::Sp, "sunda-r2.25"), (vec![43, 3, 3], vec![57, 1]));
    assert_eq!(sunda(Engine::Pool, "sunda-r2.23"), (vec![23, 4], vec![67, 1]));
    assert_eq!(sunda(Engine::Sp, "sunda-r2.23"), (vec![22, 3], vec![57, 1]));
}

/// What a trace of POOL with one queue showed: 0 to 37, over the gate to 56, to the end at 85, and
/// from there to 38. The stream is B1 CC C1 C1 A4 A4.
#[test]
fn branches_run_in_the_order_of_a_trace() {
    let queues = vec![queue("q", Engine::Pool, QueueKind::In, (false, true), &[(9, 3), (9, 3)])];
    let subgraph = Subgraph { queues, ..Subgraph::without_queues(Generation::Cayman) };
    let stream = [
        record(ORDER),
        record(LABEL),
        trigger("q", 0, None),
        trigger("q", 1, None),
        record(0xA4),
        record(0xA4),
    ];
    let (image, _) = build("cayman-r2.27", &subgraph, Engine::Pool, &stream, 4);
    assert_eq!(image.slots.len(), 86);
    let target = |slot: usize| {
        let branch = &image.slots[slot];
        assert_eq!((branch.opcode_byte(), branch.u8_at(3)), (0xA9, 2));
        slot as i64 + i64::from(branch.u32_at(0x30) as i32) / 64
    };
    assert_eq!((target(37), target(85)), (56, 38));
    assert_eq!(image.ranges.model_switch.slots(), 38);
    let step = |slot| image.step_of(SlotIndex(slot)).map(|step| step.id.as_str());
    assert_eq!(step(38), Some("program-start"));
    assert_eq!(step(40), Some("gate"));
    assert_eq!(step(56), Some("inference-start"));
    assert_eq!((step(69), step(74)), (None, Some("barrier-done")));
    assert_eq!(image.ranges.core.first_slot(), 69);
    let map = image.pc_map();
    assert_eq!(map.image_slots(NeffIp(2)), IpPlace::Deleted(SlotIndex(70)));
    assert_eq!(map.image_slots(NeffIp(3)), IpPlace::Slots(70..71));
}

#[test]
fn queues_without_a_recipe_are_findings() {
    let mut subgraph = Subgraph {
        queues: vec![
            queue("qDynamic", Engine::Sp, QueueKind::Dynamic, (false, false), &[]),
            queue("qOdd", Engine::Sp, QueueKind::of_word("odd"), (false, false), &[]),
        ],
        activation_set: true,
        ..Subgraph::without_queues(Generation::Sunda)
    };
    let codes = |subgraph: &Subgraph, engine| -> Vec<&'static str> {
        let (_, findings) = build("sunda-r2.25", subgraph, engine, &[record(ORDER)], 0);
        findings.as_slice().iter().map(|finding| finding.code).collect()
    };
    assert_eq!(codes(&subgraph, Engine::Sp), ["image.queue-dynamic", "image.queue-kind"]);
    assert_eq!(codes(&subgraph, Engine::Act), ["image.activation-set"]);
    subgraph.queues = (0..33)
        .map(|n| queue(&format!("q{n:02}"), Engine::Pe, QueueKind::Data, (false, false), &[]))
        .collect();
    assert_eq!(codes(&subgraph, Engine::Pe), ["image.queue-too-many"]);
    let (image, _) = build("sunda-r2.25", &subgraph, Engine::Pe, &[record(ORDER)], 0);
    assert_eq!(runs(&image, PatchSection::PREAMBLE)[0], 40 + 32 * 14, "32 queues are set up");
}

#[test]
fn every_built_in_profile_builds_every_engine() {
    for (name, _) in device_image::profile::BUILT_IN {
        let profile = Profile::built_in(name).unwrap();
        assert_eq!(profile.name, name);
        let subgraph = Subgraph {
            activation_set: true,
            count: 2,
            ..Subgraph::without_queues(profile.generation)
        };
        for engine in Engine::ALL {
            let (image, _) = build(name, &subgraph, engine, &[record(ORDER), record(LABEL)], 0);
            assert_eq!(image.pc_map().check(), Ok(()), "{name} {engine}");
            let modelled = name.starts_with("modelled-");
            assert_eq!(image.provenance == Provenance::Modelled, modelled, "{name} {engine}");
            assert!(!image.reasons.is_empty(), "at least the configured inputs");
        }
    }
    let by_default = Generation::ALL.map(Profile::default_name);
    assert_eq!(by_default, ["sunda-r2.25", "cayman-r2.27", "modelled-mariana"]);
    let of_runtime = Profile::name_for_runtime;
    assert_eq!(of_runtime(Generation::Cayman, "2.27.23.0"), Some("cayman-r2.27"));
    assert_eq!(of_runtime(Generation::Sunda, "2.23.27"), Some("sunda-r2.23"));
    assert_eq!(of_runtime(Generation::Sunda, "2.27.23"), None);
}

/// A real program with dynamic queues and an activation set: stream slots, one label deleted, the
/// totals of the profile, five slots of table ring and a wait on ACT.
#[test]
fn images_of_a_real_program() {
    let Some(bytes) = support::real_files::real_file("matmul_small/matmul_small.neff") else {
        return;
    };
    let mut findings = Findings::new();
    let package = neff::open(&bytes, &neff::Limits::default(), &mut findings).unwrap();
    for index in 0..2 {
        let subgraph = device_image::from_neff::subgraph(&package, index, &mut findings).unwrap();
        assert_eq!(subgraph.generation, Generation::Cayman);
        let expected = [12 + 73 - 1, 5 + 64 + 6 - 1, 7 + 67 - 1, 2 + 70 - 1, 3 + 54 - 1];
        for (engine, expected) in Engine::ALL.into_iter().zip(expected) {
            let stream = package.slots(package.subgraphs()[index].engine(engine));
            let profile = Profile::built_in("cayman-r2.27").unwrap();
            let inputs = Inputs::defaults(&profile, &subgraph, None).unwrap();
            assert_eq!(inputs.core, 4 + index as u32);
            let program = Program { subgraph: &subgraph, engine, slots: stream };
            let mut findings = Findings::new();
            let options = Options::default();
            let image = assemble(&profile, program, &inputs, options, &mut findings).unwrap();
            assert_eq!(image.slots.len(), expected, "{engine}");
            assert_eq!(image.pc_map().check(), Ok(()));
            let map = image.pc_map();
            assert!(matches!(map.image_slots(NeffIp(2)), IpPlace::Deleted(_)), "{engine}");
        }
    }
}
