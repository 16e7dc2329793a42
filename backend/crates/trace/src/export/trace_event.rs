//! Trace Event JSON, as `chrome://tracing` and others read it. Times are microseconds there,
//! whatever else a file says; they are written with all their picoseconds.
//! Spec: docs/format/trace-exports.md "Trace Event" [documented].

use std::io::{self, Write};

use serde_json::{Map, Value, json};

use super::lanes::Lanes;
use super::names::Names;
use super::{Record, Words, title};
use crate::event::{Event, NO_SLOT};
use crate::model::{Row, Trace};
use crate::track::{Track, TrackKind};

/// The one process.
const PID: u32 = 1;

/// Writes a trace.
pub fn write(trace: &Trace, words: &dyn Words, out: &mut dyn Write) -> io::Result<()> {
    let mut file = File { out, names: Names::new(words), first: true, thread: 0 };
    file.out.write_all(b"{\"displayTimeUnit\":\"ns\",\"traceEvents\":[")?;
    file.meta("process_name", 0, &json!({ "name": words.core() }))?;
    for row in &trace.rows {
        for track in trace.lanes(row) {
            file.track(row, track)?;
        }
    }
    file.out.write_all(b"\n]}\n")?;
    file.out.flush()
}

struct File<'a> {
    out: &'a mut dyn Write,
    names: Names<'a>,
    first: bool,
    /// Number of the thread that was named last.
    thread: u32,
}

impl File<'_> {
    fn entry(&mut self, entry: &Value) -> io::Result<()> {
        self.out.write_all(if self.first { b"\n" } else { b",\n" })?;
        self.first = false;
        serde_json::to_writer(&mut *self.out, entry).map_err(io::Error::from)
    }

    /// Says something of a thread, or of the process.
    fn meta(&mut self, what: &str, tid: u32, args: &Value) -> io::Result<()> {
        self.entry(&json!({ "name": what, "ph": "M", "pid": PID, "tid": tid, "args": args }))
    }

    /// Names one more thread.
    fn thread(&mut self, name: &str) -> io::Result<u32> {
        self.thread += 1;
        let tid = self.thread;
        self.meta("thread_name", tid, &json!({ "name": name }))?;
        self.meta("thread_sort_index", tid, &json!({ "sort_index": tid }))?;
        Ok(tid)
    }

    fn track(&mut self, row: &Row, track: &Track) -> io::Result<()> {
        let group = row.group.name();
        if track.kind.is_counter() {
            for event in (0..track.len()).filter_map(|at| track.event(at)) {
                self.entry(&json!({
                    "name": row.name, "cat": group, "ph": "C", "pid": PID,
                    "ts": us(event.start), "args": { "value": event.arg },
                }))?;
            }
            return Ok(());
        }
        let first = self.thread(&title(row, track.kind, 0))?;
        let mut threads = vec![first];
        let mut lanes = Lanes::default();
        for event in (0..track.len()).filter_map(|at| track.event(at)) {
            let is_moment = matches!(track.kind, TrackKind::Moments(_));
            let lane = if is_moment { None } else { lanes.take(event.start, event.end()) };
            if let Some(lane) = lane
                && lane as usize >= threads.len()
            {
                threads.push(self.thread(&title(row, track.kind, lane))?);
            }
            let thread = lane.and_then(|lane| threads.get(lane as usize)).copied();
            self.slice(group, thread.unwrap_or(first), track.kind, &event, lane.is_some())?;
        }
        Ok(())
    }

    fn slice(
        &mut self,
        group: &str,
        tid: u32,
        kind: TrackKind,
        event: &Event,
        has_length: bool,
    ) -> io::Result<()> {
        let named = self.names.of(kind, event);
        let is_engine = matches!(kind, TrackKind::Engine(_)) && event.slot != NO_SLOT;
        let mut args = Map::new();
        let mut add = |name: &str, value: Option<Value>| {
            args.extend(value.map(|value| (name.to_owned(), value)));
        };
        add("slot", is_engine.then(|| event.slot.into()));
        add("wait_cycles", (is_engine && event.arg > 1).then(|| event.arg.into()));
        add(
            "bytes",
            matches!(kind, TrackKind::Ring { .. } | TrackKind::Queue(_)).then(|| event.arg.into()),
        );
        add("length_ps", (!has_length && event.len > 0).then(|| event.len.into()));
        if let Some(record) = &named.record {
            let Record { pc, ip, asm, source, link } = record;
            add("neff_ip", ip.map(Value::from));
            for (name, text) in [("pc", pc), ("asm", asm), ("source", source), ("open", link)] {
                add(name, text.as_deref().map(Value::from));
            }
        }
        let odd: Vec<_> = event.flags.words().collect();
        add("odd", (!odd.is_empty()).then(|| odd.into()));
        let mut entry = json!({
            "name": named.name, "cat": group, "ph": if has_length { "X" } else { "i" },
            "pid": PID, "tid": tid, "ts": us(event.start),
        });
        if let Some(entry) = entry.as_object_mut() {
            // A moment is as high as its thread.
            let (key, value) =
                if has_length { ("dur", us(event.len)) } else { ("s", Value::from("t")) };
            entry.insert(key.to_owned(), value);
            entry.insert("args".to_owned(), Value::Object(args));
        }
        self.entry(&entry)
    }
}

/// Picoseconds as microseconds.
fn us(ps: u64) -> Value {
    // Exact to the picosecond for the first two hours: 2^53 ps.
    Value::from(ps as f64 / 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picoseconds_are_written_as_microseconds() {
        let times = [0, 1_000, 1_234_567, 5_000_001, 12_000_000, 7_199_999_999_999_999];
        let texts = times.map(|ps| us(ps).to_string());
        assert_eq!(texts, ["0.0", "0.001", "1.234567", "5.000001", "12.0", "7199999999.999999"]);
    }
}
