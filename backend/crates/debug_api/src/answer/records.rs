//! The `records` and `record` documents: what the runtime keeps about an assembled program.

use super::{BytesRef, Finding, PlaceRef, Provenance};
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
    /// The field in which a searched text was found, as `name value`; absent where the record's own
    /// name or type has it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit: Option<String>,
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
    /// Where its layout is written down: page and heading.
    pub spec: String,
    /// Where it leads: its slots, the row that it describes, the record that holds it.
    pub links: Vec<RecordLink>,
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
    /// `u8 u16 u32 u64 bool text pointer address id bytes`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Unit of the value; absent for one without.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// Where the field is written down, if elsewhere than its record.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// What it is, in a few words.
    pub meaning: String,
    /// Where the value comes from.
    pub provenance: Provenance,
    /// What it points to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<RecordLink>,
}

/// A way from a record or a field to what it is about. One of the targets is there.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordLink {
    /// In a few words.
    pub label: String,
    /// A record, by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// A place in the program and its image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRef>,
    /// Bytes of something else than a record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<BytesRef>,
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
