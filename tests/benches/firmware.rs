//! A memory dump of 1 MiB: contexts one behind the other, decoded whole; and as a table of entries.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]

use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use device_image::firmware::text::{TextForm, print};
use device_image::firmware::{FirmwareDump, SpadTable, tree};
use neff::Findings;
use records::collectives::ContextArch;
use support::dump_writer::{OTHERS, context};

const BYTES: usize = 1 << 20;

/// 59 contexts, then the rest.
fn memory() -> Vec<u8> {
    let mut out = Vec::with_capacity(BYTES);
    let mut index = 0;
    while out.len() < BYTES {
        out.extend(context(&OTHERS, index % 16));
        index += 1;
    }
    out.truncate(BYTES);
    out
}

fn firmware(criterion: &mut Criterion) {
    let bytes = memory();
    let arch = ContextArch::Cayman;
    let places: Vec<u64> =
        (0..BYTES / OTHERS.end).map(|index| (index * OTHERS.end) as u64).collect();
    let mut group = criterion.benchmark_group("firmware");
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Bytes(BYTES as u64));
    group.bench_function("structs-of-1-MiB", |bencher| {
        bencher.iter(|| {
            let mut fields = 0;
            for &offset in &places {
                let dump = FirmwareDump { bytes: black_box(&bytes), arch, offset };
                fields += dump.structs().iter().map(|one| dump.fields(one).len()).sum::<usize>();
            }
            fields
        });
    });
    group.bench_function("findings-of-1-MiB", |bencher| {
        bencher.iter(|| {
            let mut findings = Findings::new();
            for &offset in &places {
                FirmwareDump { bytes: black_box(&bytes), arch, offset }.check(&mut findings);
            }
            findings.as_slice().len()
        });
    });
    group.bench_function("text-of-1-MiB", |bencher| {
        bencher.iter(|| {
            let mut length = 0;
            for &offset in &places {
                let dump = FirmwareDump { bytes: black_box(&bytes), arch, offset };
                let context = dump.context().unwrap();
                length += print(&tree::context(&context, "m", 0), TextForm::Firmware).text.len();
            }
            length
        });
    });
    group.bench_function("entries-of-1-MiB", |bencher| {
        let count = Some(BYTES as u64 / 8);
        bencher.iter(|| {
            SpadTable::read(black_box(&bytes), 0, count, &mut Findings::new()).entries.len()
        });
    });
    group.finish();
}

criterion_group!(benches, firmware);
criterion_main!(benches);
