//! The `records` and `record` documents: what the runtime keeps about an assembled program.

use super::{Finding, PlaceRef, Provenance};
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
    /// Fields of its header and rows in which a searched text was found.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub total_hits: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub hits: Vec<RecordHit>,
    /// Rows behind its header: instructions, variables, descriptors and so on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<u64>,
    /// What was asked of it.
    #[serde(flatten, default, skip_serializing_if = "Option::is_none")]
    pub part: Option<RecordPart>,
}

/// A field in which a searched text was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordHit {
    /// 0-based row behind the header; absent for a field of the header.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<u64>,
    /// Name of the field.
    pub field: String,
    /// Its first byte in the record, where a link to it leads.
    pub offset: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// Its value and what is known of it.
    pub value: String,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Part of a record: the fields of its header and of some rows, and some of its bytes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RecordPart {
    /// 0-based first row of the fields.
    pub from: u64,
    /// Fields, ascending by offset.
    pub fields: Vec<RecordFieldInfo>,
    /// What the record as a whole leads to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<RecordLink>,
    /// First byte of `hex`.
    pub hex_from: u64,
    /// Bytes of the record.
    pub hex: String,
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
    /// What it is, in a few words.
    pub meaning: String,
    /// Where the value comes from.
    pub provenance: Provenance,
    /// Why it comes from there, where that is not plain: a default, or a value that does not fit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Name of the value, of what it leads to, or its bits; absent where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// Unit; absent for a bare number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
    /// How sure its place is: `observed`, `medium` or `inferred`; absent where all are observed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tag: Option<String>,
    /// Page and heading that state the layout.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    /// What a pointer, or an id, leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<RecordLink>,
    /// What a field of the runtime's records leads to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<RecordLink>,
}

/// What a pointer or a record leads to: a record, bytes of a member, an image or a stream, or a place in
/// the program.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordLink {
    /// In a few words; the target's name says it where there is none.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub label: String,
    /// Record of the same tree.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// Member of the archive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub member: Option<String>,
    /// First byte there.
    pub offset: u64,
    /// Bytes there, where they are a range.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// `image` or `stream`, for bytes of the engine `e`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// Engine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub e: Option<String>,
    /// Place in the program and its image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<PlaceRef>,
}

/// First parts of the names of the runtime's records; those of a loader begin otherwise.
const RUNTIME_HEADS: [&str; 9] = [
    "eib",
    "addrs",
    "ib_functions",
    "inst_block",
    "patch_info",
    "functions",
    "capabilities",
    "reserved_events",
    "arch_ops",
];

/// Whether a name is that of a record that the runtime keeps about an engine.
pub fn is_runtime_record(name: &str) -> bool {
    name.split('.').next().is_some_and(|head| RUNTIME_HEADS.contains(&head))
}

/// A value: null, a truth value, a number, a text, or several numbers. Addresses are hex texts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RecordValueInfo {
    /// Unknown.
    None(()),
    /// A flag.
    Flag(bool),
    /// A number.
    Number(u64),
    /// A number below 0.
    Signed(i64),
    /// Text, a hex number, or a number with a fraction.
    Text(String),
    /// Numbers.
    Numbers(Vec<u64>),
    /// Numbers, some of them below 0.
    SignedNumbers(Vec<i64>),
}

impl RecordValueInfo {
    /// The value without grouping or signs of its own; `None` where it is unknown.
    pub fn plain(&self) -> Option<String> {
        match self {
            Self::None(()) => None,
            Self::Flag(flag) => Some(flag.to_string()),
            Self::Number(number) => Some(number.to_string()),
            Self::Signed(number) => Some(number.to_string()),
            Self::Text(text) => Some(text.clone()),
            Self::Numbers(numbers) => Some(format!("{numbers:?}")),
            Self::SignedNumbers(numbers) => Some(format!("{numbers:?}")),
        }
    }
}
