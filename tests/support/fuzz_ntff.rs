//! Body of the fuzz target `ntff`: any bytes are opened as a capture.

use neff::ntff::{self, Capture, Trace};
use neff::{Findings, Limits};

/// Opens bytes as a capture and reads everything in it. Nothing may panic, doing it twice gives
/// the same answer, and what is counted is what is there.
///
/// # Panics
///
/// When the answers differ or a count is wrong.
#[allow(clippy::panic, reason = "a fuzz body reports by panicking")]
pub fn run(data: &[u8]) {
    // Small limits keep a hostile input from taking the fuzzer's memory.
    let limits = Limits { capture_rows: 100_000, ..Limits::default() };
    let (first, second) = (read(data, &limits), read(data, &limits));
    assert!(first == second, "two readings of the same bytes differ");
    if let Some((capture, trace)) = first.1 {
        counts(&capture, &trace);
    }
}

/// All that can be read: findings or the error as text, and the capture.
fn read(data: &[u8], limits: &Limits) -> (String, Option<(Capture, Trace)>) {
    let mut findings = Findings::new();
    match ntff::open(data.to_vec(), limits, &mut findings) {
        Ok(capture) => {
            let trace = Trace::of(&capture, &mut findings);
            (format!("{findings:?}"), Some((capture, trace)))
        }
        Err(error) => (format!("{} {error} {:?}", error.code(), error.place()), None),
    }
}

fn counts(capture: &Capture, trace: &Trace) {
    let file = capture.file().len() as u64;
    assert!(capture.message.end <= file && capture.tail.end == file, "places leave the file");
    assert!(capture.unknown.len() as u64 <= capture.n_unknown, "more fields kept than met");
    for field in &capture.unknown {
        assert!(field.bytes.start < field.bytes.end && field.bytes.end <= file, "{field:?}");
    }
    assert!(trace.subgraphs.len() == capture.subgraphs.len(), "one summary for each core");
    let mut tail_bytes = 0;
    for (core, summary) in capture.subgraphs.iter().zip(&trace.subgraphs) {
        let records: usize = core.slices.iter().map(|slice| capture.records(slice).len()).sum();
        assert!(records as u64 == summary.records, "records are counted once each");
        tail_bytes += records * 16;
        assert!(summary.untimed <= summary.records && summary.unknown <= summary.records);
        let all_untimed = summary.untimed == summary.records;
        assert!(all_untimed == summary.first_ps.is_none(), "a time if any record has one");
        assert!(summary.first_ps <= summary.last_ps, "first before last");
        for image in &core.images {
            let bytes = capture.bytes_of(image.bytes).len();
            assert!(bytes as u64 == image.bytes.len(), "images lie in the file");
            assert!(capture.slots(image).len() == bytes / 64, "whole slots");
        }
        let table = core.block_table();
        for ring in core.rings.iter().take(4) {
            for block in &ring.blocks {
                let found = table.block(&ring.name, block.id).map(|found| found.id);
                assert!(found.is_none_or(|id| id == block.id), "the block of that id");
            }
        }
    }
    assert!(tail_bytes as u64 <= capture.tail.len(), "no byte counts twice");
}
