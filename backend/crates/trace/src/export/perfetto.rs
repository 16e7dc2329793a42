//! Perfetto's protobuf: one process for the core, its rows as tracks in the order of the screen.
//!
//! Times are nanoseconds there: both ends of an event are rounded down, so that what touches keeps
//! touching. Packets are written in compressed groups, as the format provides for.
//! Spec: docs/format/trace-exports.md "Perfetto" [documented].

use std::collections::BTreeMap;
use std::io::{self, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use prost::Message;

use super::lanes::Lanes;
use super::messages::{
    CounterDescriptor, DebugAnnotation, Interned, InternedData, InternedString, ProcessDescriptor,
    TracePacket, TrackDescriptor, TrackEvent,
};
use super::names::{Named, Names};
use super::{Record, Words, title};
use crate::event::{Event, NO_SLOT};
use crate::model::{Row, Trace};
use crate::track::{Track, TrackKind};

/// Bytes of packets that are compressed together.
const GROUP: usize = 256 << 10;
/// The one sequence of packets.
const SEQUENCE: u32 = 1;
/// Track of the process.
const PROCESS: u64 = 1;
const BEGIN: i32 = 1;
const END: i32 = 2;
const MOMENT: i32 = 3;
const VALUE: i32 = 4;

/// Writes a trace.
pub fn write(trace: &Trace, words: &dyn Words, out: &mut dyn Write) -> io::Result<()> {
    let mut file = File {
        out,
        packets: Vec::with_capacity(GROUP + 4_096),
        texts: Texts::default(),
        names: Names::new(words),
        uuid: PROCESS,
        rank: 0,
    };
    file.process(&words.core())?;
    for row in &trace.rows {
        let label = words.label(row);
        for track in trace.lanes(row) {
            file.track(row, &label, track)?;
        }
    }
    file.group()?;
    file.out.flush()
}

struct File<'a> {
    out: &'a mut dyn Write,
    /// Packets that are not written yet, each as a field of the file.
    packets: Vec<u8>,
    texts: Texts,
    names: Names<'a>,
    /// Number of the track that was described last.
    uuid: u64,
    rank: i32,
}

impl File<'_> {
    fn packet(&mut self, packet: &TracePacket) -> io::Result<()> {
        field(packet, &mut self.packets)?;
        if self.packets.len() >= GROUP { self.group() } else { Ok(()) }
    }

    /// Writes the packets so far as one that holds them compressed.
    fn group(&mut self) -> io::Result<()> {
        if self.packets.is_empty() {
            return Ok(());
        }
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::fast());
        zlib.write_all(&self.packets)?;
        self.packets.clear();
        let packed =
            TracePacket { compressed_packets: Some(zlib.finish()?), ..TracePacket::default() };
        let mut bytes = Vec::new();
        field(&packed, &mut bytes)?;
        self.out.write_all(&bytes)
    }

    fn process(&mut self, name: &str) -> io::Result<()> {
        let process = ProcessDescriptor { pid: Some(1), process_name: Some(name.to_owned()) };
        let descriptor = TrackDescriptor {
            uuid: Some(PROCESS),
            process: Some(process),
            child_ordering: Some(3),
            ..TrackDescriptor::default()
        };
        self.packet(&TracePacket {
            trusted_packet_sequence_id: Some(SEQUENCE),
            sequence_flags: Some(1),
            track_descriptor: Some(descriptor),
            ..TracePacket::default()
        })
    }

    /// Describes one more track below the process.
    fn describe(&mut self, name: &str, label: &str, is_counter: bool) -> io::Result<u64> {
        self.uuid += 1;
        self.rank += 1;
        let descriptor = TrackDescriptor {
            uuid: Some(self.uuid),
            name: Some(name.to_owned()),
            parent_uuid: Some(PROCESS),
            counter: is_counter.then_some(CounterDescriptor { unit: Some(2) }),
            sibling_order_rank: Some(self.rank),
            description: (!label.is_empty()).then(|| label.to_owned()),
            sibling_merge_behavior: Some(2),
            ..TrackDescriptor::default()
        };
        self.packet(&TracePacket {
            trusted_packet_sequence_id: Some(SEQUENCE),
            track_descriptor: Some(descriptor),
            ..TracePacket::default()
        })?;
        Ok(self.uuid)
    }

    fn track(&mut self, row: &Row, label: &str, track: &Track) -> io::Result<()> {
        let first = self.describe(&title(row, track.kind, 0), label, track.kind.is_counter())?;
        let mut tracks = vec![first];
        let mut lanes = Lanes::default();
        for event in (0..track.len()).filter_map(|at| track.event(at)) {
            if track.kind.is_counter() {
                self.value(first, &event)?;
                continue;
            }
            let is_moment = matches!(track.kind, TrackKind::Moments(_));
            let lane = if is_moment { None } else { lanes.take(event.start, event.end()) };
            let Some(lane) = lane else {
                self.slice(first, track.kind, &event, MOMENT)?;
                continue;
            };
            if lane as usize >= tracks.len() {
                let name = title(row, track.kind, lane);
                tracks.push(self.describe(&name, label, false)?);
            }
            let uuid = tracks.get(lane as usize).copied().unwrap_or(first);
            self.slice(uuid, track.kind, &event, BEGIN)?;
        }
        Ok(())
    }

    fn value(&mut self, track: u64, event: &Event) -> io::Result<()> {
        let value = TrackEvent {
            r#type: Some(VALUE),
            track_uuid: Some(track),
            counter_value: Some(i64::from(event.arg)),
            ..TrackEvent::default()
        };
        self.packet(&at(event.start, value))
    }

    fn slice(&mut self, track: u64, kind: TrackKind, event: &Event, how: i32) -> io::Result<()> {
        let named = self.names.of(kind, event);
        let mut fresh = InternedData::default();
        let name = self.texts.name(&named.name, &mut fresh);
        let facts = self.facts(kind, event, &named, how, &mut fresh);
        let begin = TrackEvent {
            debug_annotations: facts,
            r#type: Some(how),
            name_iid: Some(name),
            track_uuid: Some(track),
            ..TrackEvent::default()
        };
        let mut packet = at(event.start, begin);
        packet.sequence_flags = Some(2);
        packet.interned_data = (fresh != InternedData::default()).then_some(fresh);
        self.packet(&packet)?;
        if how != BEGIN {
            return Ok(());
        }
        let end =
            TrackEvent { r#type: Some(END), track_uuid: Some(track), ..TrackEvent::default() };
        self.packet(&at(event.end(), end))
    }

    /// What stands beside an event.
    fn facts(
        &mut self,
        kind: TrackKind,
        event: &Event,
        named: &Named,
        how: i32,
        fresh: &mut InternedData,
    ) -> Vec<DebugAnnotation> {
        let mut facts = Vec::with_capacity(6);
        let texts = &mut self.texts;
        let mut number = |name: &'static str, value: u64, fresh: &mut InternedData| {
            facts.push(DebugAnnotation {
                name_iid: Some(texts.fact(name, fresh)),
                uint_value: Some(value),
                string_value_iid: None,
            });
        };
        match kind {
            TrackKind::Engine(_) if event.slot != NO_SLOT => {
                number("slot", u64::from(event.slot), fresh);
                if event.arg > 1 {
                    number("wait cycles", u64::from(event.arg), fresh);
                }
            }
            TrackKind::Ring { .. } | TrackKind::Queue(_) => {
                number("bytes", u64::from(event.arg), fresh)
            }
            _ => {}
        }
        if let Some(cycle) = self.names.cycle_fs(kind) {
            let cycles = u128::from(event.len) * 1_000 + u128::from(cycle) / 2;
            let cycles = cycles.checked_div(u128::from(cycle)).unwrap_or(0);
            number("cycles", u64::try_from(cycles).unwrap_or(u64::MAX), fresh);
        }
        if how == MOMENT && event.len > 0 {
            number("length ps", event.len, fresh);
        }
        if let Some(ip) = named.record.as_ref().and_then(|record| record.ip) {
            number("neff ip", u64::from(ip), fresh);
        }
        let mut text = |name: &'static str, value: &str, fresh: &mut InternedData| {
            facts.push(DebugAnnotation {
                name_iid: Some(texts.fact(name, fresh)),
                uint_value: None,
                string_value_iid: Some(texts.value(value, fresh)),
            });
        };
        if let Some(record) = &named.record {
            let Record { pc, source, asm, link, .. } = record;
            for (name, value) in [("pc", pc), ("asm", asm), ("source", source), ("open", link)] {
                if let Some(value) = value {
                    text(name, value, fresh);
                }
            }
        }
        for word in event.flags.words() {
            text("odd", word, fresh);
        }
        facts
    }
}

/// A packet as field 1 of a file, with its length.
fn field(packet: &TracePacket, bytes: &mut Vec<u8>) -> io::Result<()> {
    bytes.push(0x0A);
    packet.encode_length_delimited(bytes).map_err(io::Error::other)
}

/// A packet of an event.
fn at(ps: u64, event: TrackEvent) -> TracePacket {
    TracePacket {
        timestamp: Some(ps / 1_000),
        trusted_packet_sequence_id: Some(SEQUENCE),
        track_event: Some(event),
        ..TracePacket::default()
    }
}

/// Texts that have a number already.
#[derive(Default)]
struct Texts {
    names: BTreeMap<String, u64>,
    facts: BTreeMap<&'static str, u64>,
    values: BTreeMap<String, u64>,
}

impl Texts {
    fn name(&mut self, text: &str, fresh: &mut InternedData) -> u64 {
        if let Some(iid) = self.names.get(text) {
            return *iid;
        }
        let iid = self.names.len() as u64 + 1;
        self.names.insert(text.to_owned(), iid);
        fresh.event_names.push(Interned { iid: Some(iid), name: Some(text.to_owned()) });
        iid
    }

    fn fact(&mut self, text: &'static str, fresh: &mut InternedData) -> u64 {
        let next = self.facts.len() as u64 + 1;
        *self.facts.entry(text).or_insert_with(|| {
            let name = Interned { iid: Some(next), name: Some(text.to_owned()) };
            fresh.debug_annotation_names.push(name);
            next
        })
    }

    fn value(&mut self, text: &str, fresh: &mut InternedData) -> u64 {
        if let Some(iid) = self.values.get(text) {
            return *iid;
        }
        let iid = self.values.len() as u64 + 1;
        self.values.insert(text.to_owned(), iid);
        let value = InternedString { iid: Some(iid), str: Some(text.as_bytes().to_vec()) };
        fresh.debug_annotation_string_values.push(value);
        iid
    }
}
