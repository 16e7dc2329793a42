//! Captured images: sections, steps, comparison with what is built, and the allocator's values
//! read back. The captures are made from the recipes, which rebuild every captured image known.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use device_image::{
    BlockCounts, Captured, Change, Generation, Image, Inputs, Options, Origin, Profile, Program,
    Queue, QueueBlock, QueueKind, QueueRings, Subgraph, assemble, captured_image,
    inputs_of_capture, with_counts,
};
use neff::Findings;
use records::build::Draft;
use records::{Engine, PatchRow, PatchSection, Provenance, Slot};

fn trigger(queue: &str, block: u32) -> Slot {
    Draft::new(0xC1).bytes(0x0C, queue.as_bytes()).u32(0x30, block).slot()
}

fn queue(name: &str, owner: Engine, kind: QueueKind, blocks: u32) -> Queue {
    let counts = BlockCounts { read: 3, write: 9, provenance: Provenance::Modelled };
    let io = kind.is_io();
    Queue {
        name: name.to_owned(),
        instances: Vec::new(),
        owner,
        kind,
        io_read: io,
        io_write: false,
        blocks: (0..blocks).map(|id| QueueBlock { id, counts }).collect(),
    }
}

fn subgraph(generation: Generation) -> Subgraph {
    let mut subgraph = Subgraph {
        queues: vec![
            queue("qSPIO0", Engine::Sp, QueueKind::In, 2),
            queue("qActSpill0", Engine::Act, QueueKind::Data, 1),
            queue("qPoolSpill0", Engine::Pool, QueueKind::Data, 3),
        ],
        activation_set: true,
        ..Subgraph::without_queues(generation)
    };
    subgraph.number_queues();
    subgraph
}

/// One stream for each engine: triggers, a label where the generation has one, plain records.
fn streams(generation: Generation) -> [Vec<Slot>; 5] {
    Engine::ALL.map(|engine| {
        let mut stream = vec![Draft::new(0xB1).slot()];
        if generation != Generation::Sunda {
            stream.push(Draft::new(0xCC).slot());
        }
        match engine {
            Engine::Sp => stream.extend([trigger("qSPIO0", 0), trigger("qSPIO0", 1)]),
            Engine::Act => stream.push(trigger("qActSpill0", 0)),
            Engine::Pool => stream.extend((0..3).map(|block| trigger("qPoolSpill0", block))),
            Engine::Pe => stream.push(Draft::new(0x02).u8(0x20, 7).slot()),
            Engine::Dve => {}
        }
        stream
    })
}

/// What a device's allocator could have chosen: nothing like the profile's defaults.
fn odd_inputs(profile: &Profile, subgraph: &Subgraph, core: u32) -> Inputs {
    let mut inputs = Inputs::defaults(profile, subgraph, Some(core)).unwrap();
    let mut next = 0x12_3456_7000_u64;
    let mut take = |known: bool| {
        let mut bases = [0_u64; 16];
        for base in bases.iter_mut().filter(|_| known) {
            next = next.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(0x1405_7B7E) >> 8;
            *base = next << 12;
        }
        bases
    };
    for queue in &subgraph.queues {
        let rings = QueueRings { read: take(!queue.io_read), write: take(!queue.io_write) };
        inputs.rings.insert(queue.name.clone(), rings);
    }
    inputs.request_page = 0x7_7777_0000;
    inputs.dve_table = [0x1_1111_0000, 0x2_2222_0000];
    inputs.act_table = [0x3_3333_0000, 0x4_4444_0000];
    inputs
}

fn build(
    profile: &Profile,
    subgraph: &Subgraph,
    inputs: &Inputs,
    streams: &[Vec<Slot>; 5],
) -> [Image; 5] {
    Engine::ALL.map(|engine| {
        let program = Program { subgraph, engine, slots: &streams[engine.index()] };
        let findings = &mut Findings::new();
        assemble(profile, program, inputs, Options::default(), findings).unwrap()
    })
}

/// Rows as a capture stores them.
fn bare(image: &Image) -> Vec<PatchRow> {
    let section = PatchSection(77);
    image.rows.iter().map(|row| PatchRow { section, ..*row }).collect()
}

/// Descriptor counts of a capture: nothing like the computed ones.
fn counts(queue: &str, block: u32) -> Option<(u32, u32)> {
    let n = queue.len() as u32 * 7 + block;
    Some((n, n + 100))
}

#[test]
fn a_capture_of_each_exact_profile_agrees_totally() {
    let profiles = [("sunda-r2.23", 0), ("sunda-r2.25", 0), ("cayman-r2.27", 5)];
    for (name, core) in profiles {
        let profile = Profile::built_in(name).unwrap();
        let program = subgraph(profile.generation);
        let streams = streams(profile.generation);
        let on_device = with_counts(&program, counts);
        let inputs = odd_inputs(&profile, &on_device, core);
        let real = build(&profile, &on_device, &inputs, &streams);

        let images = real.each_ref().map(|image| image.slots.as_slice());
        let recovered = inputs_of_capture(&profile, &program, core, images).unwrap();
        assert_eq!(recovered.missing, Vec::<String>::new(), "{name}");
        let ours = build(&profile, &with_counts(&program, counts), &recovered.inputs, &streams);
        for engine in Engine::ALL {
            let (real, ours) = (&real[engine.index()], &ours[engine.index()]);
            let captured = Captured { engine, slots: &real.slots, rows: &bare(real) };
            let stream = &streams[engine.index()];
            let (image, comparison) = captured_image(captured, stream, ours, ours).unwrap();
            assert_eq!(comparison.same, comparison.slots, "{name} {engine}");
            assert_eq!(comparison.slots, real.slots.len() as u64);
            assert_eq!(comparison.count(Change::Same), comparison.slots);
            // Sections, regions, records and steps are found again without being stored. On
            // sunda the model-switch part is the same too: its end is the reset branch's target.
            assert_eq!(image.rows.len(), real.rows.len());
            assert_eq!(image.ranges, real.ranges, "{name} {engine}");
            for (slot, (found, built)) in image.info.iter().zip(&real.info).enumerate() {
                assert_eq!(found.region, built.region, "{name} {engine} {slot}");
                assert_eq!(found.origin, built.origin, "{name} {engine} {slot}");
                assert_eq!(found.provenance, Provenance::File);
            }
            assert_eq!(image.functions, real.functions, "{name} {engine}");
        }
    }
}

#[test]
fn with_default_inputs_only_what_depends_on_them_is_rewritten() {
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    let program = subgraph(Generation::Cayman);
    let streams = streams(Generation::Cayman);
    let inputs = odd_inputs(&profile, &program, 5);
    let real = build(&profile, &program, &inputs, &streams);
    let defaults = Inputs::defaults(&profile, &program, Some(5)).unwrap();
    let ours = build(&profile, &program, &defaults, &streams);
    let changed = |engine: Engine| {
        let (real, ours) = (&real[engine.index()], &ours[engine.index()]);
        let captured = Captured { engine, slots: &real.slots, rows: &bare(real) };
        let (_, comparison) =
            captured_image(captured, &streams[engine.index()], ours, ours).unwrap();
        assert_eq!(comparison.count(Change::OnlyReal), 0);
        assert_eq!(comparison.count(Change::OnlyModelled), 0);
        assert_eq!(comparison.slots - comparison.same, comparison.count(Change::Rewritten));
        comparison.count(Change::Rewritten)
    };
    // Each engine loads the switch word and the two halves of another model's start from the
    // request page: 3 records. DVE has a table ring besides: 2 records with bases.
    assert_eq!(changed(Engine::Pe), 3);
    assert_eq!(changed(Engine::Dve), 3 + 2);
    // A data queue has four records of read bases and four of write bases; of an input queue that
    // loads only the write side is known. The activation table ring has 2.
    assert_eq!(changed(Engine::Act), 3 + 8 + 2);
    assert_eq!(changed(Engine::Pool), 3 + 8);
    assert_eq!(changed(Engine::Sp), 3 + 4);
}

#[test]
fn another_profile_differs_in_whole_steps() {
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    // The model has the barrier with the peer core only where the logical core has two.
    let program = Subgraph { cores: 2, ..subgraph(Generation::Cayman) };
    let streams = streams(Generation::Cayman);
    let inputs = odd_inputs(&profile, &program, 4);
    let real = build(&profile, &program, &inputs, &streams);
    let other = Profile::built_in("modelled-cayman").unwrap();
    let ours = build(&other, &program, &inputs, &streams);
    for engine in Engine::ALL {
        let (real, ours) = (&real[engine.index()], &ours[engine.index()]);
        let captured = Captured { engine, slots: &real.slots, rows: &bare(real) };
        let stream = &streams[engine.index()];
        let (image, comparison) = captured_image(captured, stream, ours, ours).unwrap();
        // The model has every captured record, and stand-ins beside them. Branches over those
        // are longer.
        for run in comparison.runs.iter().filter(|run| run.change != Change::Same) {
            let branches = run.real.clone().all(|at| real.slots[at as usize].opcode_byte() == 0xA9);
            assert!(run.change == Change::OnlyModelled || branches, "{engine} {run:?}");
            assert_ne!(run.change, Change::OnlyReal);
        }
        let more = ours.slots.len() as u64 - comparison.slots;
        assert_eq!(comparison.count(Change::OnlyModelled), more, "{engine}");
        assert!(more > 0);
        assert!(image.info.iter().all(|info| info.origin != Origin::Inserted));
        let switch = (0..).zip(&image.slots).find(|(_, slot)| slot.opcode_byte() == 0xA1);
        let (slot, halt) = switch.unwrap();
        let beside = comparison.modelled_slot(slot).unwrap();
        assert_eq!(ours.slots[beside as usize], *halt);
    }
}

#[test]
fn a_capture_of_another_program_is_refused() {
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    let program = subgraph(Generation::Cayman);
    let streams = streams(Generation::Cayman);
    let inputs = odd_inputs(&profile, &program, 4);
    let real = build(&profile, &program, &inputs, &streams);
    let sp = &real[Engine::Sp.index()];
    let captured = Captured { engine: Engine::Sp, slots: &sp.slots, rows: &bare(sp) };
    let pool = Engine::Pool.index();
    assert!(captured_image(captured, &streams[pool], &real[pool], &real[pool]).is_err());
}

#[test]
fn what_a_capture_does_not_tell_is_said() {
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    let program = subgraph(Generation::Cayman);
    let recovered = inputs_of_capture(&profile, &program, 4, [&[]; 5]).unwrap();
    // The request page and three queues.
    assert_eq!(recovered.missing.len(), 4);
    let defaults = Inputs::defaults(&profile, &program, Some(4)).unwrap();
    assert_eq!(recovered.inputs.rings, defaults.rings);
    assert_eq!(recovered.inputs.provenance, Provenance::File);
}
