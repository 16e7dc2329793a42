//! Assembling a large image: gigabytes of image per second, for a stream of plain records and for
//! one in which every second record is a DMA trigger.
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]
#![allow(clippy::unwrap_used, reason = "a benchmark stops where its set-up is wrong")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use device_image::{
    BlockCounts, Generation, Inputs, Options, Profile, Program, Queue, QueueBlock, QueueKind,
    Subgraph, assemble,
};
use neff::Findings;
use records::build::Draft;
use records::{Engine, Provenance, Slot};

const SLOTS: u32 = 200_000;

fn subgraph() -> Subgraph {
    let counts = BlockCounts { read: 9, write: 9, provenance: Provenance::Observed };
    let queue = Queue {
        instances: Vec::new(),
        name: String::from("qPoolSpillReload0"),
        owner: Engine::Pool,
        kind: QueueKind::Data,
        io_read: false,
        io_write: false,
        blocks: (0..SLOTS).map(|id| QueueBlock { id, counts }).collect(),
    };
    Subgraph { queues: vec![queue], ..Subgraph::without_queues(Generation::Cayman) }
}

fn image(criterion: &mut Criterion) {
    let subgraph = subgraph();
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    let inputs = Inputs::defaults(&profile, &subgraph, None).unwrap();
    let plain = Draft::new(0x02).slot();
    let trigger = |id| Draft::new(0xC1).bytes(0x0C, b"qPoolSpillReload0").u32(0x30, id).slot();
    let copies = vec![plain; SLOTS as usize];
    let mixed: Vec<Slot> =
        (0..SLOTS).map(|id| if id % 2 == 0 { plain } else { trigger(id / 2) }).collect();
    let mut group = criterion.benchmark_group("assemble");
    group.sample_size(10);
    group.throughput(Throughput::Bytes(u64::from(SLOTS) * 64));
    for (name, slots) in [("plain records", &copies), ("half DMA triggers", &mixed)] {
        let program = Program { subgraph: &subgraph, engine: Engine::Pool, slots };
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let mut findings = Findings::new();
                assemble(&profile, black_box(program), &inputs, Options::default(), &mut findings)
                    .unwrap()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, image);
criterion_main!(benches);
