//! The `records` and `record` documents: what the runtime keeps about an assembled program.

use super::{Finding, Provenance};
use serde::{Deserialize, Serialize};

/// The `records` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordsAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// Profile name.
    pub profile: String,
    /// Of the records as a whole: the weakest of the image.
    pub provenance: Provenance,
    /// 0-based index of the first record listed.
    pub from: u64,
    /// Records that there are.
    pub total: u64,
    /// Records in a fixed order.
    pub records: Vec<RecordInfo>,
    /// Rooms of the builder and patch lists.
    pub rooms: Vec<RoomInfo>,
    /// `kept`, or `freed` after an error.
    pub patch_lists: String,
    /// Tag under which the image counts in the use of device memory.
    pub usage_tag: u32,
    /// Alignment of the image's base, in bytes.
    pub alignment: u64,
    /// Findings about this image.
    pub diagnostics: Vec<Finding>,
}

/// One record in the list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordInfo {
    /// Name, as `record` takes it.
    pub name: String,
    /// Type in the runtime.
    #[serde(rename = "type")]
    pub kind: String,
    /// Bytes.
    pub bytes: u64,
    /// Byte in `model_t` at which it, or the pointer to it, stands; null where it has no place.
    pub model_offset: Option<u64>,
}

/// Room that the runtime reserves.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomInfo {
    /// What it is for.
    pub name: String,
    /// Bytes, or rows of a patch list, in use.
    pub used: u64,
    /// Bytes or rows reserved at first.
    pub reserved: u64,
    /// Bytes or rows at the end; null for a room that cannot grow.
    pub grown: Option<u64>,
}

/// The `record` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// Profile name.
    pub profile: String,
    /// The record.
    pub record: RecordInfo,
    /// Its first 64 KiB; the fields tell what follows.
    pub hex: String,
    /// Plain fields, ascending by offset.
    pub fields: Vec<RecordFieldInfo>,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordFieldInfo {
    /// Name, with dots into inner records.
    pub name: String,
    /// First byte.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// The value; null where it is unknown or bytes without a published layout.
    pub value: RecordValueInfo,
    /// What it is, in a few words.
    pub meaning: String,
    /// Where the value comes from.
    pub provenance: Provenance,
}

/// A value: null, a truth value, a number, or a text. Addresses and offsets are hex texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RecordValueInfo {
    /// Unknown.
    None(()),
    /// A flag.
    Flag(bool),
    /// A number.
    Number(u64),
    /// Text, or a hex number.
    Text(String),
}
