//! Runs of random programs: what must hold after every step, and the same events twice.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a suite fails by panicking")]

use device_image::{Generation, Image, Inputs, Options, Profile, Subgraph, assemble_all};
use device_sim::event::Event;
use device_sim::input::{CoreInput, EngineInput, Setting};
use device_sim::timing::Timing;
use device_sim::{Machine, Outcome};
use neff::Findings;
use proptest::prelude::*;
use records::build::{self, Compare, Draft};
use records::{Engine, Slot};

fn record() -> impl Strategy<Value = Slot> {
    let id = 3_u8..12;
    prop_oneof![
        8 => id.clone().prop_map(|id| build::semaphore_add(id, 1)),
        3 => (id.clone(), 0_u32..4)
            .prop_map(|(id, value)| build::semaphore_wait(id, build::Wait::Ge, value)),
        1 => id.clone().prop_map(build::semaphore_sub),
        1 => (40_u8..43).prop_map(build::event_set),
        1 => (40_u8..43).prop_map(build::event_wait),
        1 => (-6_i32..6).prop_map(|slots| build::branch(slots * 64)),
        1 => (0_u8..4, 0_u32..3, -3_i32..5)
            .prop_map(|(register, value, to)| build::branch_if(register, Compare::Eq, value, to * 64)),
        1 => (0_u32..4, 0_u64..5)
            .prop_map(|(at, by)| build::alu(4, 8, at, at, build::AluOperand::Immediate(by))),
        // Work of the engine that posts when it is done.
        4 => id.prop_map(|id| Draft::new(0x46).u8(0x20, 10).u8(0x21, 10).u8(6, 0x13).u8(7, id).slot()),
        1 => Just(build::drain(0)),
        1 => any::<[u8; 64]>().prop_map(Slot),
    ]
}

fn streams() -> impl Strategy<Value = [Vec<Slot>; 5]> {
    let stream = || prop::collection::vec(record(), 0..24);
    [stream(), stream(), stream(), stream(), stream()]
}

fn images(streams: &[Vec<Slot>; 5]) -> [Image; 5] {
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    let subgraph = Subgraph::without_queues(Generation::Cayman);
    let inputs = Inputs::defaults(&profile, &subgraph, Some(4)).unwrap();
    let slots = streams.each_ref().map(Vec::as_slice);
    let mut findings = Findings::new();
    assemble_all(&profile, &subgraph, slots, &inputs, Options::default(), &mut findings).images
}

fn core<'a>(images: &'a [Image; 5], streams: &'a [Vec<Slot>; 5]) -> CoreInput<'a> {
    let engine = |engine: Engine| EngineInput {
        image: &images[engine.index()],
        base: 0x8005_C040_0000 + 0x8_0000 * u64::from(engine.code()),
        stream: &streams[engine.index()],
    };
    CoreInput {
        name: "sg00",
        rank: 0,
        generation: Generation::Cayman,
        core: 4,
        engines: Engine::ALL.map(engine),
        queues: Vec::new(),
        table: Vec::new(),
        collectives: Vec::new(),
        top_sps: Vec::new(),
    }
}

fn whole(input: &CoreInput<'_>, setting: &Setting) -> (Outcome, Vec<Event>, u64) {
    let timing = Timing::built_in().unwrap();
    let mut machine = Machine::new(std::slice::from_ref(input), &timing, setting);
    let mut events = Vec::new();
    let outcome = machine.run(&mut events);
    // Whatever stands still can be told.
    if outcome == Outcome::Deadlock {
        let stuck = machine.stuck();
        let graph = device_sim::graph::Graph::of(&stuck);
        let cause = device_sim::graph::Cause::of(&stuck, &graph).unwrap();
        assert!(!machine.deadlock_words(&stuck, &graph, &cause).is_empty());
    }
    (outcome, events, machine.digest().hash())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn invariants_hold_after_every_step(streams in streams(), seed in prop::option::of(any::<u64>())) {
        let images = images(&streams);
        let input = core(&images, &streams);
        let setting = Setting { seed, max_events: 4_000, inferences: 2, ..Setting::default() };
        let timing = Timing::built_in().unwrap();
        let mut machine = Machine::new(std::slice::from_ref(&input), &timing, &setting);
        let mut events: Vec<Event> = Vec::new();
        while machine.advance(&mut events, 1).is_none() {
            if let Err(what) = machine.check() {
                prop_assert!(false, "{what}");
            }
        }
        prop_assert!(events.windows(2).all(|pair| pair[0].time_ps <= pair[1].time_ps));
        // One step at a time is the same run as all at once.
        let (_, all, hash) = whole(&input, &setting);
        prop_assert_eq!(&all, &events);
        prop_assert_eq!(hash, machine.digest().hash());
    }

    /// Semaphores equal the sum of what events say about them.
    #[test]
    fn semaphores_equal_their_events(streams in streams()) {
        let images = images(&streams);
        let input = core(&images, &streams);
        let setting = Setting { max_events: 4_000, ..Setting::default() };
        let timing = Timing::built_in().unwrap();
        let mut machine = Machine::new(std::slice::from_ref(&input), &timing, &setting);
        let mut events: Vec<Event> = Vec::new();
        machine.run(&mut events);
        for (id, value) in machine.semaphores(0) {
            let last = events.iter().rev().find(|event| {
                event.kind == device_sim::EventKind::Semaphore && event.a == u32::from(id)
            });
            prop_assert_eq!(last.map(|event| event.b as u32 as i32), Some(value));
        }
    }
}
