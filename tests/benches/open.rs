//! Opening a file until `info` is complete, against inflating its payload with the same library; and
//! decoding every slot of it.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a suite fails by panicking")]
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use debug_api::{Limits, Request, Session};
use records::{Opcode, Slot, Sync};
use std::hint::black_box;
use std::io::Read;
use support::real_files::real_file;

/// The stored payload: all bytes after the header.
const HEADER_BYTES: usize = 1024;

fn inflate(bytes: &[u8]) -> usize {
    let mut out = Vec::new();
    flate2::read::GzDecoder::new(&bytes[HEADER_BYTES..]).read_to_end(&mut out).unwrap();
    out.len()
}

fn open(name: &str, bytes: &[u8]) -> Session {
    Session::open(name, bytes.to_vec(), &Limits::default()).unwrap()
}

fn opening(c: &mut Criterion) {
    for name in ["matmul_small", "matmul_large"] {
        let Some(bytes) = real_file(&format!("{name}/{name}.neff")) else { continue };
        let mut group = c.benchmark_group(format!("open {name}"));
        group.throughput(Throughput::Bytes(inflate(&bytes) as u64));
        group.bench_function("baseline", |b| b.iter(|| inflate(black_box(&bytes))));
        group.bench_function("open", |b| b.iter(|| open(name, black_box(&bytes))));
        group.bench_function("info", |b| {
            b.iter(|| {
                open(name, black_box(&bytes)).ask(&Request::Info { f: None, deep: false }).unwrap()
            });
        });
        group.finish();
    }
}

fn decoding(c: &mut Criterion) {
    let Some(bytes) = real_file("matmul_large/matmul_large.neff") else { return };
    let session = open("matmul_large", &bytes);
    let streams = session.files()[0].as_neff().unwrap().streams(0);
    let slots: Vec<Slot> = streams.into_iter().flatten().copied().collect();
    let mut group = c.benchmark_group("decode every slot");
    group.throughput(Throughput::Elements(slots.len() as u64));
    group.bench_function("head and mnemonic", |b| {
        b.iter(|| {
            slots.iter().fold(0_usize, |sum, slot| {
                let sync = Sync::of(black_box(slot));
                let name = Opcode(slot.opcode_byte()).mnemonic().map_or(0, str::len);
                sum + name + usize::from(sync.wait.is_some()) + usize::from(sync.update.is_some())
            })
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = opening, decoding
}
criterion_main!(benches);
