//! The `dump`, `dump-text` and `printers` documents: memory of a TOP_SP's firmware.

use super::{Finding, Provenance, RecordFieldInfo};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The `dump` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Name of the file.
    pub file: String,
    /// Bytes of the file.
    pub file_bytes: u64,
    /// `sunda cayman mariana mariana-plus`.
    pub generation: String,
    /// Configured if it was asked for; inferred from what fits best if not.
    pub generation_provenance: Provenance,
    /// Its id in the firmware, `0xc`.
    pub arch_id: String,
    /// First byte of the context in the file.
    pub offset: u64,
    /// Bytes of a whole context.
    pub context_bytes: u64,
    /// Mesh events of a context.
    pub mesh_events: u64,
    /// 0-based first struct listed.
    pub from: u64,
    /// Structs that there are, or that fit the searched text.
    pub total: u64,
    /// Structs that are there as a whole, in the order of the firmware's printer.
    pub structs: Vec<DumpStruct>,
    /// Findings about the context.
    pub diagnostics: Vec<Finding>,
    /// Of the values: read from the file.
    pub provenance: Provenance,
}

/// A struct in a dump.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpStruct {
    /// Name, `configs.dev.tsync`.
    pub name: String,
    /// Type in the firmware.
    #[serde(rename = "type")]
    pub kind: String,
    /// First byte in the file.
    pub offset: u64,
    /// First byte in the context.
    pub context_offset: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// Page and heading that state the layout.
    pub spec: String,
    /// Fields, ascending; their offsets count from the start of the struct. Structs that are listed
    /// themselves are left out.
    pub fields: Vec<RecordFieldInfo>,
    /// All bytes, where one struct was asked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hex: Option<String>,
    /// The field in which a searched text was found, as `name value`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hit: Option<String>,
}

/// The `dump-read` document: what a text of the printer tells of a context.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpReadAnswer {
    /// Version of this document.
    pub schema: u32,
    /// `sunda cayman mariana mariana-plus`.
    pub generation: String,
    /// Configured if it was asked for; inferred from the number of mesh events, or modelled where
    /// the text has none.
    pub generation_provenance: Provenance,
    /// Value of `model_name`, if the text has it.
    pub model_name: Option<String>,
    /// Address of the context, if the text has the members that print their own place.
    pub base: Option<String>,
    /// Values that were read.
    pub values: u64,
    /// Structs of which the text tells something; a field that it leaves out has no value.
    pub structs: Vec<DumpReadStruct>,
    /// What the text contradicts, with bytes of the text.
    pub diagnostics: Vec<Finding>,
    /// Of the values: read from the text.
    pub provenance: Provenance,
}

/// A struct of which a text tells something.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpReadStruct {
    /// The struct; offsets count from the start of the context. `hex` has `?` for each digit of
    /// which a bit is open.
    #[serde(flatten)]
    pub of: DumpStruct,
    /// Its bits that are told, as hex digits in memory order.
    pub known: String,
}

/// The `dump-text` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DumpTextAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Name of the file.
    pub file: String,
    /// `sunda cayman mariana mariana-plus`.
    pub generation: String,
    /// Configured if it was asked for; inferred from what fits best if not.
    pub generation_provenance: Provenance,
    /// First byte of the context in the file.
    pub offset: u64,
    /// Text of `model_name`.
    pub model_name: String,
    /// Where the context is taken to lie; two members print their own place.
    pub base: String,
    /// What the firmware's printer would answer: 0, or 28 if the text was cut.
    pub status: u32,
    /// The text of the printer; pointers make it no JSON.
    pub text: String,
    /// The same as JSON: pointers are plain numbers.
    pub strict: String,
    /// Of the form: blanks and line ends are inferred.
    pub provenance: Provenance,
    /// Findings about the context.
    pub diagnostics: Vec<Finding>,
}

/// The `printers` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrintersAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Version of the library that has these functions.
    pub library: String,
    /// Id of each generation.
    pub arch_ids: BTreeMap<String, String>,
    /// Bytes of text that the printer has room for.
    pub room: u64,
    /// Bytes between two copies in code, and in texts.
    pub strides: [u64; 2],
    /// The functions, from the smallest part to the whole.
    pub printers: Vec<PrinterInfo>,
    /// Functions whose size does not fit what they print.
    pub diagnostics: Vec<Finding>,
}

/// A printing function.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PrinterInfo {
    /// What it prints.
    pub family: String,
    /// Bytes of code; the copies are clones.
    pub bytes: u64,
    /// Address of each generation's copy.
    pub addresses: BTreeMap<String, String>,
    /// Observed, or inferred from the distance of copies.
    pub provenance: Provenance,
    /// Writes that its text needs; null for functions whose writes were not counted.
    pub writes: Option<u32>,
    /// Bytes of code for each write.
    pub bytes_per_write: Option<u32>,
    /// Whether the size fits.
    pub fits: Option<bool>,
}
