//! An opened capture: who wrote it, what it captured, and its bytes.

use records::trace_record::RawTraceRecord;
use records::{ByteSpan, Slot};

use crate::ntff::memory::RuntimeVersion;
use crate::ntff::subgraph::{CapturedImage, Slice, SubgraphCapture};
use records::ntff::{QueueSource, QueueType};

/// An opened capture. It owns the file; images and records are views of it.
/// Spec: docs/format/ntff.md "Message" [observed].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture {
    pub(crate) bytes: Vec<u8>,
    /// Version of the format, 4 or 5 in known files.
    pub version: u8,
    /// Place of the message in the file, as far as it is there.
    pub message: ByteSpan,
    /// Place of the tail in the file; empty if the file ends before it.
    pub tail: ByteSpan,
    /// Name in the header of the NEFF.
    pub name: String,
    /// UUID field as stored, of any length.
    pub uuid: Vec<u8>,
    /// Field 3, 10001 in known files. Its meaning is unknown.
    pub field_3: Option<u64>,
    /// Logical core size, 1 or 2.
    pub logical_core_size: Option<u64>,
    /// When it was captured: seconds since 1970, version 4 only.
    pub epoch_seconds: Option<u64>,
    /// Runtime that wrote it.
    pub runtime: Option<RuntimeVersion>,
    /// Instance type, `trn1.2xlarge`.
    pub instance_type: String,
    /// Field 10, 2 in known files. Its meaning is unknown.
    pub field_10: Option<u64>,
    /// Version of the driver (inferred), first and second number.
    pub driver_version: Option<[u64; 2]>,
    /// Version of the collectives library (inferred).
    pub collectives_version: Option<[u64; 3]>,
    /// Sizes of the notification queues.
    pub queues: Vec<QueueSize>,
    /// Field 4 of field 14, 0xFFFFFFFF in version 5. Its meaning is unknown.
    pub field_14: Option<u64>,
    /// Captured cores, in stored order.
    pub subgraphs: Vec<SubgraphCapture>,
    /// Fields that nobody knows, as far as the limit `capture_rows` allows.
    pub unknown: Vec<UnknownField>,
    /// All fields that nobody knows, those beyond the limit too.
    pub n_unknown: u64,
}

/// Size of a notification queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueSize {
    /// Block.
    pub source: QueueSource,
    /// What it holds.
    pub queue: QueueType,
    /// Bytes.
    pub bytes: u64,
}

/// A field without a known meaning, or a known one of another wire type. Its bytes are in the
/// file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownField {
    /// Message that has it, `subgraph/image`; `capture` for the outermost.
    pub message: &'static str,
    /// Field number.
    pub number: u32,
    /// Wire type: 0, 1, 2 or 5.
    pub wire_type: u8,
    /// Place in the file, key included.
    pub bytes: ByteSpan,
}

impl Capture {
    /// The whole file. Bytes 8 to 127 can hold anything that was in the writer's memory and are
    /// not for showing.
    pub fn file(&self) -> &[u8] {
        &self.bytes
    }

    /// Bytes of a place in the file; those that are there.
    pub fn bytes_of(&self, span: ByteSpan) -> &[u8] {
        let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(self.bytes.len());
        self.bytes.get(place(span.start)..place(span.end)).unwrap_or(&[])
    }

    /// Whole slots of an image.
    pub fn slots(&self, image: &CapturedImage) -> &[Slot] {
        Slot::slice_of(self.bytes_of(image.bytes)).0
    }

    /// Records of a slice, in stored order, which is not that of time.
    pub fn records(&self, slice: &Slice) -> &[RawTraceRecord] {
        RawTraceRecord::slice_of(self.bytes_of(slice.records)).0
    }

    /// MD5 of an image's bytes, trailing ones included.
    pub fn image_md5(&self, image: &CapturedImage) -> [u8; 16] {
        use md5::{Digest as _, Md5};
        Md5::digest(self.bytes_of(image.bytes)).into()
    }

    /// The captured core of a name. Cores are matched by name, not by position.
    pub fn subgraph(&self, name: &str) -> Option<&SubgraphCapture> {
        self.subgraphs.iter().find(|subgraph| subgraph.name == name)
    }
}
