//! Device images against independent vectors: MD5 digests of whole images that were captured or
//! rebuilt from captures, slot totals, patch lists, and the way back from every slot.

use device_image::{
    BlockCounts, Generation, Image, Inputs, Options, Profile, Program, Queue, QueueBlock,
    QueueKind, Region, Subgraph, assemble,
};
use md5::{Digest, Md5};
use neff::Findings;
use records::build::Draft;
use records::{Engine, PatchRow, PatchSection, PatchType, Provenance, Slot};

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
    Queue { name: name.to_owned(), owner, kind, io_read, io_write, blocks }
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
