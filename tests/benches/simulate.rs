//! Runs of a program in which five engines work and signal each other: slots per second at four
//! sizes, 10,000 to 10,000,000 slots. Prints the figures; linear means that they do not fall.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a suite fails by panicking")]
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::Instant;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use device_image::{Generation, Image, Inputs, Options, Profile, Subgraph, assemble_all};
use device_sim::event::Nowhere;
use device_sim::input::{CoreInput, EngineInput, MAX_EVENTS, Setting};
use device_sim::timing::Timing;
use device_sim::{Machine, Outcome};
use neff::Findings;
use records::build::Draft;
use records::{Engine, Slot};

/// Records of each engine's MAIN.
const RECORDS: u32 = 400;

/// Copies that post when they are done; each fourth waits for the engine before it.
fn stream(engine: Engine) -> Vec<Slot> {
    let own = 10 + engine.code();
    let before = 10 + (engine.code() + 4) % 5;
    let record = |at: u32| {
        let work = Draft::new(0x46).u8(0x20, 10).u8(0x21, 10).u8(6, 0x13).u8(7, own);
        // PE goes ahead of all others.
        match at % 4 {
            3 if engine != Engine::Pe => work.u8(4, 5).u8(5, before).u32(8, at / 4).slot(),
            _ => work.slot(),
        }
    };
    (0..RECORDS).map(record).collect()
}

fn images(streams: &[Vec<Slot>; 5]) -> [Image; 5] {
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    let subgraph = Subgraph::without_queues(Generation::Cayman);
    let inputs = Inputs::defaults(&profile, &subgraph, Some(4)).unwrap();
    let slots = streams.each_ref().map(Vec::as_slice);
    let mut findings = Findings::new();
    assemble_all(&profile, &subgraph, slots, &inputs, Options::default(), &mut findings).images
}

/// Runs so many inferences; gives the slots done.
fn run(images: &[Image; 5], streams: &[Vec<Slot>; 5], timing: &Timing, inferences: u32) -> u64 {
    let engine = |engine: Engine| EngineInput {
        image: &images[engine.index()],
        base: 0x8005_C040_0000 + 0x8_0000 * u64::from(engine.code()),
        stream: &streams[engine.index()],
    };
    let input = CoreInput {
        name: "sg00",
        rank: 0,
        generation: Generation::Cayman,
        core: 4,
        engines: Engine::ALL.map(engine),
        queues: Vec::new(),
        table: Vec::new(),
        collectives: Vec::new(),
        top_sps: Vec::new(),
    };
    let setting = Setting { inferences, max_events: MAX_EVENTS, ..Setting::default() };
    let mut machine = Machine::new(&[input], timing, &setting);
    let outcome = machine.run(&mut Nowhere);
    assert_eq!(outcome, Outcome::Finished);
    machine.instructions()
}

fn simulate(criterion: &mut Criterion) {
    let streams = Engine::ALL.map(stream);
    let (images, timing) = (images(&streams), Timing::built_in().unwrap());
    for inferences in [5, 46, 456, 4_560] {
        let start = Instant::now();
        let slots = run(&images, &streams, &timing, inferences);
        let seconds = start.elapsed().as_secs_f64();
        println!("{slots} slots: {:.1} M slots/s", slots as f64 / seconds / 1e6);
    }
    let mut group = criterion.benchmark_group("simulate");
    group.throughput(Throughput::Elements(run(&images, &streams, &timing, 46)));
    group.sample_size(10);
    group.bench_function("100k slots", |bencher| {
        bencher.iter(|| black_box(run(&images, &streams, &timing, 46)));
    });
    group.finish();
}

criterion_group!(benches, simulate);
criterion_main!(benches);
