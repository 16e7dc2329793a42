//! Opening a capture: head, message, tail.

use records::ByteSpan;
use records::ntff::{NTFF_HEAD_BYTES, QueueSource, QueueType, RawNtffHead};

use crate::diagnostic::{Findings, Place, Severity};
use crate::limits::Limits;
use crate::ntff::capture::{Capture, QueueSize};
use crate::ntff::error::NtffError;
use crate::ntff::memory::RuntimeVersion;
use crate::ntff::read_subgraph;
use crate::ntff::reader::Reader;
use crate::ntff::tail::place_slices;
use crate::wire::{Body, Field, Value};

/// Whether bytes look like a capture: a known version and a message that fits behind the head.
pub fn is_plausible(bytes: &[u8]) -> bool {
    RawNtffHead::ref_from_file(bytes).is_ok_and(|head| {
        let available = (bytes.len() - NTFF_HEAD_BYTES) as u64;
        matches!(head.version, 4 | 5) && (1..=available).contains(&head.protobuf_bytes())
    })
}

/// Opens a capture.
///
/// A file without a head, or with an unknown version and nothing behind it that fits, fails.
/// Everything else is shown as far as it can be read: damage becomes findings with the byte
/// offset, also where the file ends early.
pub fn open(
    bytes: Vec<u8>,
    limits: &Limits,
    findings: &mut Findings,
) -> Result<Capture, NtffError> {
    let file = bytes.len() as u64;
    if file > limits.upload_bytes {
        return Err(NtffError::FileLimit { bytes: file, limit: limits.upload_bytes });
    }
    let head = RawNtffHead::ref_from_file(&bytes);
    let head = head.map_err(|_| NtffError::TooShort { bytes: file })?;
    let (version, length) = (head.version, head.protobuf_bytes());
    let start = NTFF_HEAD_BYTES as u64;
    let available = file - start;
    let is_known = matches!(version, 4 | 5);
    if !is_known && !(1..=available).contains(&length) {
        return Err(NtffError::NoCapture { version, message: length, available });
    }

    let message = ByteSpan::of(start, length.min(available));
    let mut capture = empty(version, message, ByteSpan { start: message.end, end: file });
    let mut reader = Reader::new(limits, findings);
    if !is_known {
        let text = format!("version is {version}, expected 4 or 5; it is read as if it were");
        reader.warning("ntff.version", 0, text);
    }
    if length > available {
        let text = format!(
            "the head announces a message of {length} bytes, {available} are there; they are read"
        );
        reader.error("ntff.length", 1, text);
    }
    let range = usize::try_from(message.start).ok().zip(usize::try_from(message.end).ok());
    let body = range.and_then(|(start, end)| bytes.get(start..end)).unwrap_or(&[]);
    read(&mut reader, Body::whole(start, body), &mut capture);
    place_slices(&mut reader, capture.tail, &mut capture.subgraphs);
    check(&mut reader, &mut capture);
    capture.bytes = bytes;
    Ok(capture)
}

fn empty(version: u8, message: ByteSpan, tail: ByteSpan) -> Capture {
    Capture {
        bytes: Vec::new(),
        version,
        message,
        tail,
        name: String::new(),
        uuid: Vec::new(),
        field_3: None,
        logical_core_size: None,
        epoch_seconds: None,
        runtime: None,
        instance_type: String::new(),
        field_10: None,
        driver_version: None,
        collectives_version: None,
        queues: Vec::new(),
        field_14: None,
        subgraphs: Vec::new(),
        unknown: Vec::new(),
        n_unknown: 0,
    }
}

/// Spec: docs/format/ntff.md "Message" [observed].
fn read(reader: &mut Reader<'_>, body: Body<'_>, capture: &mut Capture) {
    reader.message("capture", body, |reader, field| {
        match (field.number, field.value) {
            (1, Value::Bytes(body)) => capture.name = reader.text(body).unwrap_or_default(),
            (2, Value::Bytes(body)) if body.missing == 0 => capture.uuid = body.bytes.to_vec(),
            (2, Value::Bytes(_)) => {}
            (3, Value::Varint(value)) => capture.field_3 = Some(value),
            (4, Value::Bytes(body)) => subgraphs(reader, body, capture),
            (5, Value::Varint(value)) => capture.logical_core_size = Some(value),
            (7, Value::Varint(value)) => capture.epoch_seconds = Some(value),
            (8, Value::Bytes(body)) => capture.runtime = Some(runtime(reader, body)),
            (9, Value::Bytes(body)) => {
                capture.instance_type = reader.text(body).unwrap_or_default()
            }
            (10, Value::Varint(value)) => capture.field_10 = Some(value),
            (11, Value::Bytes(body)) => {
                capture.driver_version = Some(numbers(reader, "capture/11", body));
            }
            (12, Value::Bytes(body)) => {
                capture.collectives_version = Some(numbers(reader, "capture/12", body));
            }
            (13, Value::Bytes(body)) => {
                if reader.charge(1, field.at) {
                    capture.queues.push(queue_size(reader, body));
                }
            }
            (14, Value::Bytes(body)) => {
                reader.message("capture/14", body, |_, field| match (field.number, field.value) {
                    (4, Value::Varint(value)) => {
                        capture.field_14 = Some(value);
                        true
                    }
                    _ => false,
                });
            }
            _ => return false,
        }
        true
    });
}

fn subgraphs(reader: &mut Reader<'_>, body: Body<'_>, capture: &mut Capture) {
    let mut left_out = 0_u64;
    reader.message("capture/4", body, |reader, field| {
        let (4, Value::Bytes(body)) = (field.number, field.value) else { return false };
        reader.message("capture/4/4", body, |reader, field| {
            let (1, Value::Bytes(body)) = (field.number, field.value) else { return false };
            if capture.subgraphs.len() >= reader.max_subgraphs {
                left_out += 1;
            } else if reader.charge(16, field.at) {
                capture.subgraphs.push(read_subgraph::subgraph(reader, body));
            }
            true
        });
        true
    });
    if left_out > 0 {
        let text = format!(
            "the capture has {left_out} cores more than the limit `subgraphs` of {} allows; they \
             are not read",
            reader.max_subgraphs
        );
        reader.error("ntff.subgraph-limit", body.at, text);
    }
}

fn runtime(reader: &mut Reader<'_>, body: Body<'_>) -> RuntimeVersion {
    let mut runtime = RuntimeVersion::default();
    reader.message("capture/runtime", body, |reader, field| {
        match (field.number, field.value) {
            (1, Value::Varint(value)) => runtime.major = value,
            (2, Value::Varint(value)) => runtime.minor = value,
            (3, Value::Varint(value)) => runtime.patch = value,
            (5, Value::Bytes(body)) => runtime.commit = reader.text(body).unwrap_or_default(),
            _ => return false,
        }
        true
    });
    runtime
}

/// A message of the numbers 1 to N.
fn numbers<const N: usize>(
    reader: &mut Reader<'_>,
    name: &'static str,
    body: Body<'_>,
) -> [u64; N] {
    let mut numbers = [0; N];
    reader.message(name, body, |_, field: &Field<'_>| {
        let index = usize::try_from(field.number).ok().and_then(|number| number.checked_sub(1));
        match (index.and_then(|index| numbers.get_mut(index)), field.value) {
            (Some(place), Value::Varint(value)) => {
                *place = value;
                true
            }
            _ => false,
        }
    });
    numbers
}

fn queue_size(reader: &mut Reader<'_>, body: Body<'_>) -> QueueSize {
    let [source, queue, bytes] = numbers(reader, "capture/queue", body);
    QueueSize { source: QueueSource(source), queue: QueueType(queue), bytes }
}

/// What concerns the capture as a whole.
fn check(reader: &mut Reader<'_>, capture: &mut Capture) {
    if capture.subgraphs.is_empty() {
        let text = "no captured core could be read, expected one or two".to_owned();
        reader.error("ntff.no-subgraph", capture.message.start, text);
    }
    let mut names: Vec<(&str, u64)> =
        capture.subgraphs.iter().map(|subgraph| (subgraph.name.as_str(), subgraph.at)).collect();
    names.sort_unstable();
    for pair in names.windows(2) {
        if let [(first, _), (second, at)] = pair
            && first == second
        {
            let text = format!("two captured cores are called `{second}`; the first one is used");
            reader.warning("ntff.subgraph-twice", *at, text);
        }
    }
    if capture.version >= 5 {
        for core in &capture.subgraphs {
            let odd = core.clocks.named().find(|(_, clock)| !clock.is_identity());
            if let Some((name, clock)) = odd {
                let text = format!(
                    "clock {name} of `{}` counts {} for {} from {}, expected the common clock of \
                     version 5; times are shown as they are stored",
                    core.name, clock.actual, clock.expected, clock.initial
                );
                reader.warning("ntff.clock-own", core.at, text);
            }
        }
    }
    if let Some(first) = reader.first_unknown {
        let text = format!(
            "{} fields have no known meaning, the first is field {} of message `{}`; they are \
             kept as bytes",
            reader.n_unknown, first.number, first.message
        );
        let at = Place::file(first.bytes.start);
        reader.findings.push(Severity::Info, "ntff.unknown-field", at, text);
    }
    capture.unknown = std::mem::take(&mut reader.unknown);
    capture.n_unknown = reader.n_unknown;
}
