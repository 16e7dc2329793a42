//! Generated programs under every built-in profile: each image slot leads back to its record, both
//! directions agree, and the fast map is the plain walk.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use device_image::{
    BlockCounts, Generation, Inputs, IpPlace, Options, Origin, Profile, Program, Queue, QueueBlock,
    QueueKind, Region, Subgraph, assemble,
};
use neff::Findings;
use proptest::prelude::*;
use records::build::Draft;
use records::{Engine, NeffIp, PatchSection, PatchType, Provenance, Slot, SlotIndex};

/// An input queue on SP and a data queue on POOL.
fn subgraph() -> Subgraph {
    let counts = BlockCounts { read: 9, write: 3, provenance: Provenance::Observed };
    let queue = |name: &str, owner, kind| Queue {
        instances: Vec::new(),
        name: name.to_owned(),
        owner,
        kind,
        io_read: true,
        io_write: false,
        blocks: (0..2).map(|id| QueueBlock { id, counts }).collect(),
    };
    Subgraph {
        queues: vec![
            queue("qPoolSpill0", Engine::Pool, QueueKind::Data),
            queue("qSPIO0", Engine::Sp, QueueKind::In),
        ],
        ..Subgraph::without_queues(Generation::Cayman)
    }
}

/// A stream of opcodes that expand in every way there is.
fn any_stream() -> impl Strategy<Value = Vec<Slot>> {
    let opcodes = [
        0x01_u8, 0x46, 0xA0, 0xA9, 0xB1, 0xC1, 0xC2, 0xC8, 0xCA, 0xCC, 0xCE, 0xD1, 0xD2, 0xD3,
        0xD4, 0xD5, 0xD8, 0xD9, 0xDA, 0xDD, 0xDF,
    ];
    let slot = (proptest::sample::select(opcodes.to_vec()), 0_u8..3, 0_u32..4).prop_map(
        |(opcode, small, word)| {
            let name: &[u8] = if opcode == 0xC1 || opcode == 0xC2 { b"qSPIO0" } else { b"f" };
            let draft = Draft::new(opcode).bytes(0x0C, name).u8(0x0E, small).u32(0x30, word);
            let label = opcode == 0xCC || opcode == 0xDF;
            if label { draft.u32(0x0C, word).slot() } else { draft.slot() }
        },
    );
    proptest::collection::vec(slot, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every image slot leads back to what made it, and every record to its slots.
    #[test]
    fn walking_every_slot_back_gives_its_record(
        stream in any_stream(),
        engine in proptest::sample::select(Engine::ALL.to_vec()),
        line in proptest::sample::select(vec![None, Some(128), Some(512)]),
        expansion in (proptest::option::of(1_u32..5), proptest::option::of(1_u32..4)),
    ) {
        let options = Options {
            collective_slots: expansion.0,
            groups: expansion.1,
            cache_line: line,
            ..Options::default()
        };
        for (name, _) in device_image::profile::BUILT_IN {
            check_image(name, engine, &stream, options)?;
        }
    }
}

fn check_image(
    name: &str,
    engine: Engine,
    stream: &[Slot],
    options: Options<'_>,
) -> Result<(), TestCaseError> {
    let subgraph = subgraph();
    let profile = Profile::built_in(name).unwrap();
    let inputs = Inputs::defaults(&profile, &subgraph, Some(0)).unwrap();
    let program = Program { subgraph: &subgraph, engine, slots: stream };
    let image = assemble(&profile, program, &inputs, options, &mut Findings::new()).unwrap();
    {
        let map = image.pc_map();
        prop_assert_eq!(map.check(), Ok(()));
        let sum = |kind| -> u64 {
            let rows = image.rows.iter().filter(|row| row.kind == kind);
            rows.map(|row| u64::from(row.count)).sum()
        };
        let expected = stream.len() as u64 + sum(PatchType::INSERT) - sum(PatchType::DELETE);
        prop_assert_eq!(image.slots.len() as u64, expected);
        let mut slots_of = std::collections::BTreeMap::new();
        for (slot, info) in (0_u32..).zip(&image.info) {
            let exact = map.exact_at_slot(SlotIndex(slot)).map(|exact| exact.neff_ip);
            match info.origin {
                Origin::Record(ip) => {
                    prop_assert_eq!(exact, Some(ip));
                    let run = slots_of.entry(ip).or_insert(slot..slot);
                    run.end = slot + 1;
                }
                Origin::Step(_) | Origin::Inserted => prop_assert_eq!(exact, None),
            }
            prop_assert_eq!(info.region.is_source(), exact.is_some());
            prop_assert_eq!(image.ranges.region_at(u64::from(slot) * 64), Some(info.region));
        }
        for ip in 1..=stream.len() as u32 {
            match map.image_slots(NeffIp(ip)) {
                IpPlace::Slots(run) => {
                    prop_assert_eq!(slots_of.get(&NeffIp(ip)), Some(&run));
                }
                IpPlace::Deleted(_) => prop_assert!(!slots_of.contains_key(&NeffIp(ip))),
                IpPlace::Outside => prop_assert!(false, "record {ip} is in the stream"),
            }
        }
        // Plain records are copied byte for byte.
        for (slot, info) in image.slots.iter().zip(&image.info) {
            if info.provenance == Provenance::File
                && info.region == Region::Main
                && let Origin::Record(ip) = info.origin
            {
                prop_assert_eq!(slot, &stream[ip.0 as usize - 1]);
            }
        }
        // The fast map is the plain walk, slot by slot.
        let sections = [
            (PatchSection::MAIN, image.ranges.core, image.ranges.core.first_slot(), 0),
            (PatchSection::FUNCTION, image.ranges.functions, 0, image.source.main),
        ];
        for (section, range, first, before) in sections {
            for slot in 0..range.slots() {
                let walked = device_image::walk::exact(&image.rows, section, first, slot).unwrap();
                let place = u32::try_from(range.first_slot() + slot).unwrap();
                let exact = map.exact_at_slot(SlotIndex(place)).unwrap();
                let expected = (walked.0 + u64::from(before), walked.1);
                prop_assert_eq!((u64::from(exact.neff_ip.0), exact.inserted), expected);
            }
        }
        // Blocks tile their functions, functions tile MAIN and the function section.
        for function in &image.functions {
            let mut at = function.first.0;
            for block in &function.blocks {
                prop_assert_eq!(block.first.0, at + block.padding_slots);
                at = block.first.0 + block.slots;
            }
            prop_assert_eq!(at, function.first.0 + function.slots);
        }
        let of_functions: u64 = image.functions.iter().map(|f| u64::from(f.slots)).sum();
        prop_assert_eq!(of_functions, image.ranges.core.slots() + image.ranges.functions.slots());
    }
    Ok(())
}
