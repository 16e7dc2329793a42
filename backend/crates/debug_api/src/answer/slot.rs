//! The `slot` document: everything the details drawer shows about one slot.

use super::{PlaceRef, Provenance, SourceItem, StepInfo};
use serde::{Deserialize, Serialize};

/// The `slot` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SlotAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Where it is.
    pub place: PlaceRef,
    /// Byte 0.
    pub opcode: u8,
    /// Enum name, or `OPCODE 0x97`.
    pub mnemonic: String,
    /// One sentence in plain words.
    pub sentence: String,
    /// `.asm` form.
    pub text: String,
    /// 128 digits of the slot as it is in the image.
    pub hex: String,
    /// Of the slot's bytes.
    pub provenance: Provenance,
    /// Whether the record is in no image slot.
    pub deleted: bool,
    /// The bytes of the NEFF record, when they differ from the image's.
    pub neff_hex: Option<String>,
    /// Sections of facts in the drawer's order: Place, Wait, Update, DMA, Made by.
    pub sections: Vec<FactSection>,
    /// Every byte of the slot, in order.
    pub fields: Vec<FieldInfo>,
    /// Debug records, nearest first.
    pub source: Vec<SourceItem>,
    /// What the slot waits for.
    pub depends: Vec<LinkInfo>,
    /// What waits for the slot.
    pub needed: Vec<LinkInfo>,
    /// Of `needed`, how many there are in all (the list holds at most 50).
    pub needed_total: u64,
    /// The profile step that made a synthesized slot.
    pub step: Option<StepInfo>,
    /// What the runtime changed here: the patch row that the slot or record belongs to, or a
    /// record rewritten without one.
    #[serde(default)]
    pub change: Option<ChangeInfo>,
}

/// A change between the NEFF and the image: its records before, its slots after.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeInfo {
    /// `INSERT MODIFY DELETE`, or `REWRITE` for other bytes without a patch row.
    #[serde(rename = "type")]
    pub kind: String,
    /// `PREAMBLE POSTAMBLE MAIN FUNCTION`; the region of the slot without a patch row.
    pub section: String,
    /// 0-based patch row in stored order; null without one.
    pub index: Option<u32>,
    /// 0-based image slot at which it applies.
    pub slot: u32,
    /// Slots inserted or modified, or records deleted.
    pub count: u32,
    /// Records of the NEFF, at most 16.
    pub before: Vec<ChangedRecord>,
    /// Number of records in all.
    pub before_total: u32,
    /// Slots of the image, at most 16, around the slot asked for.
    pub after: Vec<ChangedRecord>,
    /// Number of slots in all.
    pub after_total: u32,
    /// Of the patch row, or of the rewriting.
    pub provenance: Provenance,
}

/// A record before or after a change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedRecord {
    /// Where it is.
    pub place: PlaceRef,
    /// Whether it stands where the file has no record.
    pub inserted: bool,
    /// Enum name, or `OPCODE 0x97`.
    pub mnemonic: String,
    /// `.asm` form.
    pub text: String,
    /// 128 digits.
    pub hex: String,
    /// Title of the profile step that made it; null for bytes of the file.
    pub step: Option<String>,
    /// Of the bytes.
    pub provenance: Provenance,
}

/// A titled list of facts.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FactSection {
    /// Title.
    pub title: String,
    /// Facts in order.
    pub facts: Vec<Fact>,
}

/// One named value.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fact {
    /// Name.
    pub name: String,
    /// Value as shown and copied.
    pub value: String,
    /// A remark after the value, in a weaker color.
    pub note: Option<String>,
    /// How to set it: `mono`, `text`, `wait`, `update`, `address`.
    pub style: String,
    /// Where it comes from.
    pub provenance: Provenance,
    /// Where a click leads.
    pub place: Option<PlaceRef>,
    /// Record, or page of a queue or transfer, that the Structs view shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub record: Option<String>,
    /// Device address that it names, which the address map shows.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Index of the collective that it leads to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub collective: Option<u64>,
}

/// A run of bytes of the slot with its meaning.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldInfo {
    /// First byte in the slot.
    pub offset: u8,
    /// Bytes.
    pub bytes: u8,
    /// Field name.
    pub name: String,
    /// Value as shown.
    pub value: String,
    /// `opcode head wait update address pattern dtype other unread`: chooses the hue.
    pub kind: String,
    /// Confidence in the layout.
    pub provenance: Provenance,
}

/// A slot or transfer that another one waits for.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkInfo {
    /// Where.
    pub place: PlaceRef,
    /// Mnemonic or transfer in words.
    pub text: String,
    /// Through what: `sem[8]`, or the dependency kind.
    pub via: Option<String>,
    /// Confidence.
    pub provenance: Provenance,
}
