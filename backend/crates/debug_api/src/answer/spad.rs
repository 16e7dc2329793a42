//! The `spad-ctrl` document: control entries bit by bit.

use super::{Finding, Provenance, RecordFieldInfo};
use serde::{Deserialize, Serialize};

/// The `spad-ctrl` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpadAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Reading of the algorithm that `algo_type_name` has, `enc_alg_type` or `enc_pattern`.
    pub algo_names: String,
    /// File that the entries are in; null for words that were given.
    pub file: Option<String>,
    /// First byte of the table in the file; null for words that were given.
    pub offset: Option<u64>,
    /// Number of entries in all; `entries` holds at most 4,096 of them, the most that the memory of a
    /// slot has. What follows is asked for with a later offset.
    pub total: u64,
    /// Entries.
    pub entries: Vec<SpadEntry>,
    /// Both readings with what speaks for and against each.
    pub readings: Vec<ReadingInfo>,
    /// Of bits and their places.
    pub provenance: Provenance,
    /// Of the names of algorithms and the roles of flags.
    pub names_provenance: Provenance,
    /// Findings about the entries.
    pub diagnostics: Vec<Finding>,
}

/// A control entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpadEntry {
    /// The 8 bytes in memory order, 16 hex digits.
    pub raw: String,
    /// The same as a 64-bit word.
    pub word: String,
    /// `op`, `nop` (keeps the TOP_SPs of a stream in step), `empty`, or `continue` (a marker on the
    /// tape of a slot).
    pub kind: String,
    /// Byte 0.
    pub header: SpadHeader,
    /// The operation.
    pub cc_op: SpadOp,
    /// Bits without a meaning; kept.
    pub reserved: SpadReserved,
    /// What each reading makes of it, in the order of `readings` of the document.
    pub readings: Vec<SpadReading>,
    /// Numbers of the channels in `channel_list`.
    pub channels: Vec<u32>,
    /// The word that a reader of the printed text gets back: two flags and all reserved bits are
    /// lost.
    pub printed: String,
    /// The text of the firmware's printer.
    pub text: String,
    /// Every range of bits with its byte; offsets count from the entry.
    pub fields: Vec<RecordFieldInfo>,
    /// The same ranges by their place in the word, ascending; the last bytes have two views.
    pub bits: Vec<SpadBits>,
}

/// A range of bits of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpadBits {
    /// Name, that of `spad-ctrl-encode`.
    pub name: String,
    /// Lowest bit of the word.
    pub low: u32,
    /// Bits.
    pub width: u32,
    /// Value.
    pub value: u64,
    /// Name of the value, where it has one.
    pub text: Option<String>,
    /// What it is.
    pub meaning: String,
    /// No meaning is known; kept.
    pub reserved: bool,
    /// Whether the firmware's printer shows it.
    pub printed: bool,
    /// Of place and meaning.
    pub provenance: Provenance,
}

/// Byte 0 of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpadHeader {
    /// The entry carries an operation.
    pub cc_op: bool,
}

/// The operation of an entry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpadOp {
    /// Algorithm.
    pub algo_type: u8,
    /// Its name in the chosen reading; null for a value without one.
    pub algo_type_name: Option<String>,
    /// Variant.
    pub algo_sub_type: u8,
    /// Its name as a kind of mesh; null for a value without one.
    pub algo_sub_type_name: Option<String>,
    /// Start the next entry when this one ends.
    pub trigger_next: bool,
    /// This TOP_SP posts the completion.
    pub reporter: bool,
    /// Wait for the previous TOP_SP's completion.
    pub ring_wait_complete: bool,
    /// Send the completion on.
    pub ring_send_complete: bool,
    /// Part of a permute chain; not printed by the firmware.
    pub safe_mode: bool,
    /// Copied from the host; not printed by the firmware.
    pub unique_tensors: bool,
    /// View of the last four bytes.
    pub ring: SpadRing,
    /// View of the same bytes.
    pub mesh: SpadMesh,
}

/// The last four bytes as channels.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpadRing {
    /// Bit n for channel n.
    pub channel_list: String,
}

/// The last four bytes as semaphores.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpadMesh {
    /// Shift.
    pub sema_shift_offset: u16,
    /// Mask.
    pub sema_mask: String,
}

/// Reserved bits.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpadReserved {
    /// Bits 1 to 7 of byte 0, as a number.
    pub header: u8,
    /// Bits 5 to 7 of byte 2, as a number.
    pub flags: u8,
    /// Byte 3.
    pub byte: u8,
}

/// An entry in one reading.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpadReading {
    /// `seed` or `header`.
    pub names: String,
    /// Name of the algorithm; null for a value without one.
    pub algo_type_name: Option<String>,
    /// View of the last four bytes that it takes: `ring`, `mesh`, `both` (the legs decide), or null.
    pub view: Option<String>,
}

/// A reading of the algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadingInfo {
    /// `seed` or `header`.
    pub names: String,
    /// In a sentence.
    pub says: String,
    /// Names by value; null for a value without one.
    pub values: Vec<Option<String>>,
    /// What speaks for it.
    pub evidence_for: Vec<String>,
    /// What speaks against it.
    pub evidence_against: Vec<String>,
}
