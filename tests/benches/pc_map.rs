//! The PC map at its target size: 1,000,000 slots with 100,000 patch rows, against the runtime's
//! linear walk on the same list in the same run. Prints lookups per second and the ratio.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]
#![allow(clippy::print_stdout, reason = "a benchmark prints its figures")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use device_image::pc_map::{PcMap, SourceCounts};
use device_image::{ByteRange, ImageRanges, walk};
use records::{DevicePc, PatchRow, PatchSection, PatchType};

const SLOTS: u64 = 1_000_000;
const ROWS: u64 = 100_000;
const BASE: DevicePc = DevicePc(0x8005_C040_0000);

struct Setup {
    rows: Vec<PatchRow>,
    map: PcMap,
    pcs: Vec<DevicePc>,
}

/// A row at each tenth slot: two of three insert a slot, one deletes a record.
fn setup() -> Setup {
    let row = |n: u64| PatchRow {
        offset: (n * (SLOTS / ROWS) * 64) as u32,
        count: 1 + (n % 2) as u32,
        kind: if n % 3 == 2 { PatchType::DELETE } else { PatchType::INSERT },
        section: PatchSection::MAIN,
    };
    let mut rows: Vec<PatchRow> = (0..ROWS).map(row).collect();
    let end = SLOTS * 64;
    rows.push(PatchRow {
        offset: end as u32,
        count: 1,
        kind: PatchType::INSERT,
        section: PatchSection::POSTAMBLE,
    });
    let ranges = ImageRanges {
        core: ByteRange { offset: 0, size: end },
        functions: ByteRange { offset: end + 64, size: 0 },
        image_bytes: end + 64,
        ..ImageRanges::default()
    };
    let map = PcMap::new(&rows, ranges, SourceCounts { main: SLOTS as u32, functions: 0 });
    // A fixed linear congruence: the same PCs in every run, in no order.
    let mut state = 1_u64;
    let pcs = (0..1 << 20)
        .map(|_| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            DevicePc(BASE.0 + (state >> 20) % SLOTS * 64)
        })
        .collect();
    Setup { rows, map, pcs }
}

fn fast(setup: &Setup) -> u64 {
    let exact = |pc: &DevicePc| setup.map.exact(BASE, *pc).map_or(0, |ip| u64::from(ip.neff_ip.0));
    setup.pcs.iter().map(exact).fold(0, u64::wrapping_add)
}

fn linear(setup: &Setup, pcs: &[DevicePc]) -> u64 {
    let walked = |pc: &DevicePc| {
        let slot = (pc.0 - BASE.0) / 64;
        let walked = walk::runtime(&setup.rows, PatchSection::MAIN, 0, slot);
        walked.map_or(0, |walked| u64::from(walked.ip))
    };
    pcs.iter().map(walked).fold(0, u64::wrapping_add)
}

/// Best time of one lookup over a few rounds.
fn best(rounds: u32, lookups: usize, run: impl Fn() -> u64) -> f64 {
    let time = |_| {
        let start = Instant::now();
        black_box(run());
        start.elapsed()
    };
    let least = (0..rounds).map(time).min().unwrap_or(Duration::MAX);
    least.as_secs_f64() / lookups as f64
}

fn pc_map(criterion: &mut Criterion) {
    let setup = setup();
    let few = &setup.pcs[..64];
    let mut group = criterion.benchmark_group("pc_map");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(setup.pcs.len() as u64));
    group.bench_function("exact", |bencher| bencher.iter(|| fast(black_box(&setup))));
    group.throughput(Throughput::Elements(few.len() as u64));
    group.bench_function("linear walk", |bencher| bencher.iter(|| linear(black_box(&setup), few)));
    group.throughput(Throughput::Elements(SLOTS));
    group.bench_function("build", |bencher| {
        let counts = setup.map.source();
        bencher.iter(|| PcMap::new(black_box(&setup.rows), *setup.map.ranges(), counts));
    });
    group.finish();

    let one_fast = best(5, setup.pcs.len(), || fast(&setup));
    let one_linear = best(5, few.len(), || linear(&setup, few));
    println!(
        "exact: {:.1} M lookups/s; linear walk: {:.3} M lookups/s; ratio {:.0}",
        1e-6 / one_fast,
        1e-6 / one_linear,
        one_linear / one_fast
    );
}

criterion_group!(benches, pc_map);
criterion_main!(benches);
