//! Lowering a program to its tree of records, and making the bytes of every record of it.
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]
#![allow(clippy::unwrap_used, reason = "a benchmark stops where its set-up is wrong")]

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use kbin::{Kbin, Options};
use neff::{Findings, Limits, Package};
use support::case::{Case, MemberText};
use support::neff_builder::build;
use support::real_files::real_file;

fn tree(package: &Package) -> Kbin {
    let mut tree = Kbin::build(package, 0, &Options::default()).unwrap();
    tree.check_patterns();
    tree
}

/// A program with many descriptors, as older compilers made them.
fn descriptors(count: usize) -> Package {
    let block = |id: usize| {
        format!(
            r#"{{"queue": "q", "id": {id}, "desc": [{{"from": "x", "from_off": 0, "from_sizes": [64, 32], "from_steps": [1, 128], "from_dtype": "float32", "to": "SB", "to_off": {}, "to_sizes": [64, 32], "to_steps": [1, 262144], "to_dtype": "float32"}}]}}"#,
            id % 1024 * 64
        )
    };
    let blocks: Vec<String> = (0..count).map(block).collect();
    let member = |name: &str, text: String| MemberText {
        name: name.to_owned(),
        text: Some(text),
        ..MemberText::default()
    };
    let case = Case {
        members: vec![
            member("kelf-0.json", r#"{"graphs": [{"definition": "sg00/def.json", "name": "sg00"}], "version": "0.5", "target": "cayman"}"#.to_owned()),
            member("sg00/def.json", r#"{"sp": "sp.json", "var": {"SB": {"type": "state-buffer", "var_id": 0}, "x": {"type": "output", "size": 8192, "var_id": 1}}, "dma_queue": {"q": {"owner": "sp", "type": "data", "semaphore": 8}}}"#.to_owned()),
            member("sg00/sp.json", format!(r#"{{"dma": [{}]}}"#, blocks.join(","))),
        ],
        ..Case::default()
    };
    neff::open(&build(&case).unwrap(), &Limits::default(), &mut Findings::new()).unwrap()
}

fn lowering(criterion: &mut Criterion) {
    let mut packages = vec![("20,000 descriptors", descriptors(20_000))];
    if let Some(bytes) = real_file("matmul_large/matmul_large.neff") {
        let open = neff::open(&bytes, &Limits::default(), &mut Findings::new());
        packages.push(("matmul_large", open.unwrap()));
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
