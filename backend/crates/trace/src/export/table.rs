//! Events as rows of a table: comma-separated text with a head line (RFC 4180).

use std::io::{self, Write};

use super::Words;
use super::names::Names;
use crate::event::NO_SLOT;
use crate::model::Trace;
use crate::track::TrackKind;

/// Columns, in order. `value` is a counter's value or the bytes of a transfer.
const HEAD: [&str; 14] = [
    "group",
    "row",
    "track",
    "index",
    "start_ps",
    "length_ps",
    "name",
    "value",
    "wait_cycles",
    "slot",
    "neff_ip",
    "device_pc",
    "source",
    "odd",
];

/// Writes a trace.
pub fn write(trace: &Trace, words: &dyn Words, out: &mut dyn Write) -> io::Result<()> {
    let mut table = csv::WriterBuilder::new().terminator(csv::Terminator::CRLF).from_writer(out);
    let mut names = Names::new(words);
    table.write_record(HEAD)?;
    let number = |number: Option<u32>| number.map_or_else(String::new, |one| one.to_string());
    for row in &trace.rows {
        for (lane, track) in row.lanes.clone().zip(trace.lanes(row)) {
            let is_engine = matches!(track.kind, TrackKind::Engine(_));
            let is_moment = matches!(track.kind, TrackKind::Moments(_));
            for (at, event) in (0..track.len()).filter_map(|at| Some((at, track.event(at)?))) {
                let named = names.of(track.kind, &event);
                let record = named.record.as_ref();
                let odd: Vec<_> = event.flags.words().collect();
                let slot = Some(event.slot).filter(|slot| is_engine && *slot != NO_SLOT);
                table.write_record([
                    row.group.name(),
                    &row.name,
                    &lane.to_string(),
                    &at.to_string(),
                    &event.start.to_string(),
                    &event.len.to_string(),
                    &named.name,
                    &number((!is_engine && !is_moment).then_some(event.arg)),
                    &number(is_engine.then_some(event.arg)),
                    &number(slot),
                    &number(record.and_then(|record| record.ip)),
                    record.and_then(|record| record.pc.as_deref()).unwrap_or(""),
                    record.and_then(|record| record.source.as_deref()).unwrap_or(""),
                    &odd.join(" "),
                ])?;
            }
        }
    }
    table.flush()
}
