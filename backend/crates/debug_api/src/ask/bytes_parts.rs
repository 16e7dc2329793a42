//! The structure of bytes: elements of a list, and the fields of one of them.

use super::bytes_stored::{
    field, gzip_fields, gzip_trailer_fields, padding, tar_fields, tar_parts,
};
use super::dump::field_info;
use super::records::number_kind;
use crate::answer::{BytesPart, Provenance, RecordFieldInfo, RecordValueInfo};
use crate::convert::{hex, hex_bytes, provenance};
use device_image::SlotInfo;
use device_image::firmware::FirmwareDump;
use kbin::disasm;
use neff::Member;
use records::collectives::{ContextArch, Struct};
use records::neff_header::{HEADER_FIELDS, RawNeffHeader, uuid_text};
use records::ntff::{NTFF_HEAD_BYTES, QueueType, RawNtffHead};
use records::payload::Confidence;
use records::trace_record::{RawTraceRecord, TRACE_RECORD_BYTES, TraceEvent};
use records::{SLOT_BYTES, Slot};

/// Most elements of one answer; a page of slots has 1,024.
const MOST_PARTS: usize = 4_096;

/// What is known of the structure.
pub enum Shape<'a> {
    /// Slots; those of an image with what each is.
    Slots(Option<&'a [SlotInfo]>),
    /// Header of an executable.
    Header(&'a RawNeffHeader),
    /// Head of a capture.
    Head,
    /// Records of a capture's queue.
    Trace(QueueType),
    /// One record with these fields.
    Record(Vec<RecordFieldInfo>),
    /// The archive with its members.
    Tar(&'a [Member]),
    /// Header of a gzip member.
    Gzip,
    /// Trailer of a gzip member.
    GzipTrailer,
    /// A firmware's context; its bytes begin with it.
    Context(ContextArch),
    /// Bytes without a known structure, or text.
    Plain,
}

/// The elements that meet a page.
pub fn parts(shape: &Shape<'_>, all: &[u8], from: u64, end: u64) -> Vec<BytesPart> {
    match shape {
        Shape::Slots(info) => elements(all, SLOT_BYTES, from, end)
            .map(|(index, offset, bytes)| {
                let of_image = info.and_then(|info| info.get(index));
                let text = Slot::slice_of(bytes).0.first().map_or_else(
                    || format!("{} bytes of an unfinished slot", bytes.len()),
                    slot_text,
                );
                BytesPart {
                    name: format!("slot {index}"),
                    offset,
                    bytes: bytes.len() as u64,
                    text,
                    provenance: of_image
                        .map_or(Provenance::File, |info| provenance(info.provenance)),
                }
            })
            .collect(),
        Shape::Trace(queue) => elements(all, TRACE_RECORD_BYTES, from, end)
            .map(|(index, offset, bytes)| BytesPart {
                name: format!("record {index}"),
                offset,
                bytes: bytes.len() as u64,
                text: RawTraceRecord::slice_of(bytes)
                    .0
                    .first()
                    .map_or_else(String::new, |record| event_text(record, *queue)),
                provenance: Provenance::File,
            })
            .collect(),
        Shape::Tar(members) => tar_parts(members, all, from, end),
        Shape::Context(arch) => {
            let dump = FirmwareDump { bytes: all, arch: *arch, offset: 0 };
            let mut all = dump.structs();
            all.retain(|one| dump.start(one) < end && one.end() as u64 > from);
            all.iter()
                .map(|one| BytesPart {
                    name: one.name.clone(),
                    offset: dump.start(one),
                    bytes: one.layout.bytes as u64,
                    text: one.layout.name.to_owned(),
                    provenance: Provenance::File,
                })
                .collect()
        }
        Shape::Header(_)
        | Shape::Head
        | Shape::Record(_)
        | Shape::Gzip
        | Shape::GzipTrailer
        | Shape::Plain => Vec::new(),
    }
}

/// The fields of the element at a byte.
pub fn fields(shape: Shape<'_>, all: &[u8], at: u64) -> Vec<RecordFieldInfo> {
    match shape {
        Shape::Record(fields) => fields,
        Shape::Header(header) => header_fields(header),
        Shape::Head => head_fields(all),
        Shape::Slots(_) => element(all, SLOT_BYTES, at)
            .and_then(|(offset, bytes)| Some((offset, Slot::slice_of(bytes).0.first()?)))
            .map_or_else(Vec::new, |(offset, slot)| slot_fields(slot, offset)),
        Shape::Trace(queue) => element(all, TRACE_RECORD_BYTES, at)
            .and_then(|(offset, bytes)| Some((offset, RawTraceRecord::slice_of(bytes).0.first()?)))
            .map_or_else(Vec::new, |(offset, record)| trace_fields(record, offset, queue)),
        Shape::Tar(members) => tar_fields(members, all, at),
        Shape::Gzip => gzip_fields(all),
        Shape::GzipTrailer => gzip_trailer_fields(all),
        Shape::Context(arch) => context_fields(arch, all, at),
        Shape::Plain => Vec::new(),
    }
}

/// Fields of the innermost struct at a byte of a context.
fn context_fields(arch: ContextArch, all: &[u8], at: u64) -> Vec<RecordFieldInfo> {
    let dump = FirmwareDump { bytes: all, arch, offset: 0 };
    let structs = dump.structs();
    let has = |one: &&Struct| dump.start(one) <= at && (one.end() as u64) > at;
    let found = structs.iter().filter(has).min_by_key(|one| one.layout.bytes);
    let Some(one) = found else { return Vec::new() };
    let fields = dump.fields(one);
    fields.iter().map(field_info).collect()
}

/// Elements of `size` bytes that meet a page: index, first byte, bytes.
fn elements(
    all: &[u8],
    size: usize,
    from: u64,
    end: u64,
) -> impl Iterator<Item = (usize, u64, &[u8])> {
    let first = usize::try_from(from / size as u64).unwrap_or(usize::MAX);
    let start = first.saturating_mul(size).min(all.len());
    let rest = all.get(start..).unwrap_or(&[]);
    let numbered = rest.chunks(size).zip(first..).take(MOST_PARTS);
    numbered
        .map(move |(bytes, index)| (index, (index * size) as u64, bytes))
        .take_while(move |(_, offset, _)| *offset < end)
}

/// The element at a byte: its first byte, and its bytes.
fn element(all: &[u8], size: usize, at: u64) -> Option<(u64, &[u8])> {
    let start = usize::try_from(at).ok()? / size * size;
    let bytes = all.get(start..)?;
    Some((start as u64, bytes.get(..size)?))
}

fn slot_text(slot: &Slot) -> String {
    disasm::line(slot, disasm::Names::default())
}

/// The fields of a record of a stream, which starts at a byte.
pub(super) fn slot_fields(slot: &Slot, start: u64) -> Vec<RecordFieldInfo> {
    let of_slot = |one: disasm::Field| {
        let bytes = u64::from(one.bytes);
        let value = match one.value.as_str() {
            "" => RecordValueInfo::None(()),
            text => RecordValueInfo::Text(text.to_owned()),
        };
        let made = field(
            one.name,
            start + u64::from(one.offset),
            bytes,
            if one.is_reserved() { "bytes" } else { number_kind(bytes) },
            value,
            one.meaning,
        );
        let provenance = match one.confidence {
            Confidence::Observed => Provenance::Observed,
            Confidence::Inferred | Confidence::Unknown => Provenance::Inferred,
        };
        RecordFieldInfo { provenance, ..made }
    };
    disasm::fields(slot).into_iter().map(of_slot).collect()
}

fn header_fields(header: &RawNeffHeader) -> Vec<RecordFieldInfo> {
    let text = |text: String| RecordValueInfo::Text(text);
    HEADER_FIELDS
        .iter()
        .map(|one| {
            let own = header.bytes().get(one.offset..one.offset + one.bytes).unwrap_or(&[]);
            let number = own.iter().take(8).rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
            let (kind, value, unit, meaning) = match one.name {
                "pkg_version" => ("u64", None, None, "archive and digest scheme"),
                "header_size" => ("u64", None, Some("B"), "size of this header"),
                "data_size" => ("u64", None, Some("B"), "archive as stored, zero tail included"),
                "version_major" => ("u64", None, None, "format, major"),
                "version_minor" => ("u64", None, None, "format, minor"),
                "build_version" => {
                    let value = header.build_version_text().into_owned();
                    ("text", Some(text(value)), None, "build version; empty in current files")
                }
                "num_tpb" => ("u32", None, None, "NeuronCores; the loader ignores it"),
                "hash" => {
                    ("bytes", Some(text(hex_bytes(own))), None, "digest of the stored archive")
                }
                "uuid" => {
                    ("bytes", Some(text(uuid_text(&header.uuid))), None, "UUID, in print order")
                }
                "name" => {
                    ("text", Some(text(header.name_text().into_owned())), None, "network name")
                }
                "requested_tpb_count" => ("u32", None, None, "cores requested"),
                "tpb_per_node" => {
                    ("bytes", Some(text(hex_bytes(own))), None, "cores of each node, a byte each")
                }
                "feature_bits" => ("u64", Some(text(hex(number))), None, "feature bits"),
                "lnc_size" => ("u32", None, None, "logical core size: 1 single, 2 dual"),
                _ => {
                    let meaning = "zero in every known file";
                    return padding(one.name, one.offset as u64, own, meaning);
                }
            };
            let value = value.unwrap_or(RecordValueInfo::Number(number));
            let unit = unit.map(str::to_owned);
            let made = field(one.name, one.offset as u64, one.bytes as u64, kind, value, meaning);
            RecordFieldInfo { unit, ..made }
        })
        .collect()
}

fn head_fields(all: &[u8]) -> Vec<RecordFieldInfo> {
    let Ok(head) = RawNtffHead::ref_from_file(all) else { return Vec::new() };
    let number = RecordValueInfo::Number;
    let length = field(
        "protobuf_bytes",
        1,
        7,
        "u56",
        number(head.protobuf_bytes()),
        "length of the message behind the head",
    );
    vec![
        field("version", 0, 1, "u8", number(u64::from(head.version)), "version of the format"),
        RecordFieldInfo { unit: Some(String::from("B")), ..length },
        field(
            "rest",
            8,
            NTFF_HEAD_BYTES as u64 - 8,
            "bytes",
            RecordValueInfo::None(()),
            "not shown: it can hold anything that was in the writer's memory",
        ),
    ]
}

fn trace_fields(record: &RawTraceRecord, start: u64, queue: QueueType) -> Vec<RecordFieldInfo> {
    let text = |text: String| RecordValueInfo::Text(text);
    let number = |value: u64| RecordValueInfo::Number(value);
    let kind = format!("type {}, {}", record.record_type(), event_text(record, queue));
    vec![
        field("m0", start, 2, "u16", text(hex(record.m0.get().into())), "first payload"),
        field("m1", start + 2, 1, "u8", text(hex(record.m1.into())), "second payload"),
        field("head", start + 3, 1, "u8", text(kind), "type, overflow flags, phase"),
        field("m2", start + 4, 4, "u32", text(hex(record.m2.get().into())), "third payload"),
        field("time", start + 8, 8, "u64", number(record.time.get()), "in units of its clock"),
    ]
}

fn event_text(record: &RawTraceRecord, queue: QueueType) -> String {
    let unknown = |number: u8| format!("{number:#x}");
    match record.event(queue) {
        TraceEvent::Start { engine, pc, wait_cycles, .. } => {
            format!("{engine} starts at PC {pc:#x} x 64, waited {wait_cycles} cycles")
        }
        TraceEvent::End { engine, pc, .. } => format!("{engine} ends at PC {pc:#x} x 64"),
        TraceEvent::Notify { is_semaphore, id, change, value, .. } => {
            let what = if is_semaphore { "sem" } else { "event" };
            let change = change.name().map_or_else(|| unknown(change.0), str::to_owned);
            format!("{what}[{id}] {change}, then {value}")
        }
        TraceEvent::Dma { engine, queue, step, bytes, .. } => {
            let step = step.name().map_or_else(|| unknown(step.0), str::to_owned);
            format!("DMA {engine} queue {queue} {step}, {bytes} bytes")
        }
        TraceEvent::Throttle => String::from("throttle"),
        TraceEvent::Unknown => String::from("a type that does not belong into this queue"),
    }
}
