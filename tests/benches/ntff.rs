//! Opening a capture of about 3 MB until the first answer: two cores, ten images, rings, records.
//! The target is at most 100 ms.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a suite fails by panicking")]
#![allow(missing_docs, reason = "criterion's macros make public items without documentation")]

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use debug_api::{Limits, Request, Session};
use std::hint::black_box;
use support::ntff_writer::{
    ClocksText, CoreText, ImageText, NtffText, RingText, SliceText, ntff, record,
};

fn core(number: u64) -> CoreText {
    let images = (0..5).map(|engine| ImageText {
        engine,
        base: 0x8005_C000_0000 + 0x10_0000 * engine,
        bytes: vec![engine as u8; 64 * 1200],
        rows: vec![[0, 62, 0], [62 * 64, 1, 2], [1189 * 64, 11, 0]],
    });
    let records = |slice: u64, count: u64| -> Vec<u8> {
        let head = if slice == 0 { 0x84 } else { 0x9B };
        (0..count).flat_map(|i| record(i as u16, 0, head, 1, 1_000_000 + i * 833)).collect()
    };
    let slice = |queue, bytes| SliceText { queue, source: 0, bytes, claimed: None };
    let rings = (0..160).map(|ring| RingText {
        engine: 16 * number + ring % 16,
        queue: ring / 16,
        kind: 3,
        name: format!("qPoolIO{}", ring / 16),
        field_5: -1,
        field_7: 2,
        blocks: (0..100).map(|block| [block, 8, 9, 17]).collect(),
    });
    CoreText {
        name: format!("sg{number:02}"),
        core: 4 + number,
        images: images.collect(),
        slices: vec![slice(0, records(0, 40_000)), slice(1, records(1, 20_000))],
        rings: rings.collect(),
        clocks: ClocksText::common(),
        ..CoreText::default()
    }
}

fn opening(c: &mut Criterion) {
    let text = NtffText { version: 5, cores: vec![core(0), core(1)], ..NtffText::default() };
    let bytes = ntff(&text);
    let mut group = c.benchmark_group("capture");
    group.throughput(Throughput::Bytes(bytes.len() as u64));
    group.bench_function("open", |b| {
        b.iter(|| Session::open("a.ntff", black_box(&bytes).clone(), &Limits::default()).unwrap());
    });
    group.bench_function("open and answer", |b| {
        b.iter(|| {
            let session = Session::open("a.ntff", black_box(&bytes).clone(), &Limits::default());
            session.unwrap().ask(&Request::Ntff { f: None }).unwrap()
        });
    });
    group.finish();
}

criterion_group! {
    name = benches;
    config = Criterion::default().sample_size(20);
    targets = opening
}
criterion_main!(benches);
