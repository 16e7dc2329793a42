//! The `members` and `bytes` documents: whatever has bytes, and a page of them with its structure.

use super::{FileInfo, Finding, Provenance, RecordFieldInfo};
use serde::{Deserialize, Serialize};

/// The `members` document: everything in a session whose bytes can be shown.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MembersAnswer {
    /// Version of this document.
    pub schema: u32,
    /// The file.
    pub file: FileInfo,
    /// Compression of the archive, `gzip` or `none`; null for a capture.
    pub compression: Option<String>,
    /// 0-based index of the first one listed.
    pub from: u64,
    /// How many there are, or how many fit the searched text.
    pub total: u64,
    /// The header, the archive and its members, device images, parts of a capture.
    pub sources: Vec<BytesSource>,
}

/// Something whose bytes can be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BytesSource {
    /// Heading under which it is listed.
    pub group: String,
    /// What it is called.
    pub label: String,
    /// `header gzip tar member stream image record kbin capture dump`.
    pub of: String,
    /// Member, or part of a capture; null where `of` says it all.
    pub name: Option<String>,
    /// Engine of an image.
    pub e: Option<String>,
    /// 0-based file of the session.
    pub f: usize,
    /// Size in bytes.
    pub bytes: u64,
    /// What is known of its structure: `header gzip tar slots json text raw record rows head trace context`.
    pub structure: String,
    /// First byte in the inflated archive; null for what is no part of it.
    pub archive_offset: Option<u64>,
    /// First byte in the file; null where the archive is compressed, or for bytes that were made.
    pub file_offset: Option<u64>,
}

/// The `bytes` document: one page.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BytesAnswer {
    /// Version of this document.
    pub schema: u32,
    /// File that it is about.
    pub file: String,
    /// Subgraph; null for what belongs to none.
    pub subgraph: Option<String>,
    /// Engine; null for what belongs to none.
    pub engine: Option<String>,
    /// As in the question.
    pub of: String,
    /// As in the question.
    pub name: Option<String>,
    /// What is known of its structure: `header gzip tar slots json text raw record rows head trace context`.
    pub structure: String,
    /// Bytes that there are.
    pub total: u64,
    /// First byte of the page.
    pub from: u64,
    /// The bytes of the page, at most 64 KiB, as digits.
    pub hex: String,
    /// Weakest provenance of all bytes.
    pub provenance: Provenance,
    /// Byte 0 in the inflated archive; null for what is no part of it.
    pub archive_offset: Option<u64>,
    /// Byte 0 in the file; null if there is none.
    pub file_offset: Option<u64>,
    /// Why there is no offset in the file; null if there is one.
    pub no_file_offset: Option<String>,
    /// Elements that meet the page: slots, trace records, members.
    pub parts: Vec<BytesPart>,
    /// Plain fields of the element at the byte asked about, or of the whole where it is one record.
    pub fields: Vec<RecordFieldInfo>,
    /// Runs of bytes, as first and end, that are not shown; they read as zero.
    pub withheld: Vec<[u64; 2]>,
    /// Where the layout is written down: page and heading; null where there is none.
    pub spec: Option<String>,
    /// Findings about these bytes.
    pub diagnostics: Vec<Finding>,
}

/// An element of something that is a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BytesPart {
    /// `slot 64`, `record 7`, a member's name.
    pub name: String,
    /// First byte.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// What it is, in a line.
    pub text: String,
    /// Where its bytes come from.
    pub provenance: Provenance,
}
