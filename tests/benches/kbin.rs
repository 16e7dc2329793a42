//! Lowering a program to its tree of records, and making the bytes of every record of it.
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]
#![allow(clippy::unwrap_used, reason = "a benchmark stops where its set-up is wrong")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kbin::{Kbin, Options};
use neff::{Findings, Limits, Package};
use support::many_descriptors::many_descriptors;
use support::real_files::real_file;

fn opened(bytes: &[u8]) -> Package {
    neff::open(bytes, &Limits::default(), &mut Findings::new()).unwrap()
}

fn tree(package: &Package) -> Kbin {
    let mut tree = Kbin::build(package, 0, &Options::default()).unwrap();
    tree.check_patterns();
    tree
}

fn lowering(criterion: &mut Criterion) {
    let mut packages = vec![("20,000 descriptors", opened(&many_descriptors(20_000).unwrap()))];
    // What is missing is said by the helper.
    if let Some(bytes) = real_file("matmul_large/matmul_large.neff") {
        packages.push(("matmul_large", opened(&bytes)));
    }
    for (name, package) in &packages {
        let mut group = criterion.benchmark_group(format!("kbin {name}"));
        group.sample_size(10);
        group.bench_function("lower", |bencher| bencher.iter(|| tree(black_box(package))));
        let built = tree(package);
        let bytes: u64 = built.records().iter().map(|entry| entry.bytes).sum();
        group.throughput(Throughput::Bytes(bytes));
        group.bench_function("all bytes", |bencher| {
            bencher.iter(|| {
                let mut sum = 0;
                for entry in built.records() {
                    let mut at = 0;
                    while at < entry.bytes {
                        let page = built.record_bytes(package, entry.id, at, 1 << 16);
                        at += page.len() as u64;
                        sum += usize::from(page[0]);
                    }
                }
                sum
            });
        });
        group.finish();
    }
}

criterion_group!(benches, lowering);
criterion_main!(benches);
