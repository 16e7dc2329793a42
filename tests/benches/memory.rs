//! Planning 100,000 variables: pages, overlaps, placement, loading. The variables overlap in
//! chains, so that there are far more pairs than are listed.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use device_image::Generation;
use device_image::memory::plan::{Bounds, plan};
use device_image::memory::{Kind, LoadRequest, Model, ModelSubgraph, Variable, Variables};
use device_image::scratchpad::Mode;
use records::Provenance;

const VARIABLES: u32 = 100_000;
const BOUNDS: Bounds = Bounds { variables: 2_000, pairs: 1_000, places: true, least_hbm: false };

/// Nine of ten are virtual, 64 KiB each and 4 KiB apart; the others are file variables of odd sizes.
fn variables() -> Variables {
    let made = (0..VARIABLES).map(|id| {
        let offset = u64::from(id) * 4096;
        let (kind, mem_ref_type, size) = if id % 10 == 9 {
            (Kind::File, 3, 1 + u64::from(id % 97) * 100)
        } else {
            let slice_from = Provenance::Observed;
            (Kind::Virtual { offset, shared: false, slice_from }, 8, 0x1_0000)
        };
        let alignment = if id % 20 == 9 { 0x1_0000 } else { 0 };
        Variable { id, name: format!("v{id}"), size, alignment, mem_ref_type, kind, unread: None }
    });
    Variables::new(made.collect())
}

fn memory(criterion: &mut Criterion) {
    let variables = variables();
    let subgraph = ModelSubgraph {
        name: "sg00".to_owned(),
        core: 0,
        variables: &variables,
        io: Vec::new(),
        other: Vec::new(),
        places: Vec::new(),
        kept: Vec::new(),
    };
    let models = [Model { name: "large".to_owned(), subgraphs: vec![subgraph] }];
    let mut group = criterion.benchmark_group("memory");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(VARIABLES.into()));
    for mode in [Mode::Paged, Mode::Contiguous] {
        let request = LoadRequest {
            generation: Generation::Cayman,
            mode,
            page_size: 0x2000_0000,
            hbm_bytes: None,
            cores: 2,
        };
        let made = plan(&models, &request, false, BOUNDS).unwrap();
        println!("{}: {} overlapping pairs", mode.name(), made.overlaps);
        group.bench_function(mode.name(), |bencher| {
            bencher.iter(|| plan(black_box(&models), &request, false, BOUNDS));
        });
        let bounds = Bounds { least_hbm: true, ..BOUNDS };
        let made = plan(&models, &request, false, bounds).unwrap();
        println!("{}: least HBM {:?}", mode.name(), made.least_hbm_bytes);
        group.bench_function(format!("{}, least HBM", mode.name()), |bencher| {
            bencher.iter(|| plan(black_box(&models), &request, false, bounds));
        });
    }
    group.finish();
}

criterion_group!(benches, memory);
criterion_main!(benches);
