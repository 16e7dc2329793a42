//! The `image`, `regions`, `pc`, `ip` and `profiles` documents.

use super::{Finding, PlaceRef, Provenance, SourceItem};
use serde::{Deserialize, Serialize};

/// The `image` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ImageAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// Name of the profile that the built image follows.
    pub profile: String,
    /// How sure the profile itself is.
    pub profile_provenance: Provenance,
    /// Of the image as a whole: the weakest of its slots.
    pub provenance: Provenance,
    /// Why it is no stronger, one sentence each.
    pub notes: Vec<String>,
    /// Image length in bytes.
    pub bytes: u64,
    /// Image length in slots.
    pub slots: u64,
    /// Of the image bytes; null if no image could be built, and the findings say why.
    pub sha256: Option<String>,
    /// Empty if no image could be built. In image order; MODEL_SWITCH is listed again inside PREAMBLE.
    pub regions: Vec<RegionInfo>,
    /// Stored rows in stored order.
    pub patches: Vec<PatchInfo>,
    /// Range record.
    pub ranges: RangesInfo,
    /// Device base of the image.
    pub base: String,
    /// Where the base comes from: modelled placement, configured, or the capture's file.
    pub base_provenance: Provenance,
    /// Whether bytes and rows are a capture's.
    pub captured: bool,
    /// The capture that the image comes from or was built for; null without one.
    pub capture: Option<CaptureInfo>,
    /// How far the captured and the built image agree; null without a captured image.
    pub agreement: Option<Agreement>,
    /// What the image was built with beyond program and profile.
    pub inputs: Vec<InputInfo>,
    /// Findings about this image.
    pub diagnostics: Vec<Finding>,
}

/// The capture of a run, as images name it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CaptureInfo {
    /// Name of its file.
    pub file: String,
    /// Runtime version.
    pub runtime: String,
    /// Physical core.
    pub core: u32,
}

/// How far a captured and a built image agree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Agreement {
    /// Slots of the captured image.
    pub slots: u64,
    /// Of them, those that are byte for byte the same at the same index.
    pub same: u64,
    /// Of them, those that stand beside an equal slot of the built image once both are aligned; one
    /// inserted slot moves all behind it.
    pub aligned: u64,
}

/// An input of a built image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct InputInfo {
    /// What it is, for example `request page` or `qSPIO0 read rings`.
    pub name: String,
    /// Its value in words or hex.
    pub value: String,
    /// Configured, or read from a capture's file.
    pub provenance: Provenance,
}

/// The `diff` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// Profile of the built image.
    pub profile: String,
    /// The capture.
    pub capture: CaptureInfo,
    /// Slots that are the same at the same index.
    pub agreement: Agreement,
    /// Slots of the built image.
    pub modelled_slots: u64,
    /// Slots by change, after alignment.
    pub counts: ChangeCounts,
    /// Number of runs in all.
    pub total: u64,
    /// Runs in image order; they tile both images.
    pub runs: Vec<ChangeRun>,
    /// Of the alignment.
    pub provenance: Provenance,
}

/// Slots by change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeCounts {
    /// Byte for byte equal.
    pub same: u64,
    /// The same place with other bytes.
    pub rewritten: u64,
    /// Only in the captured image.
    pub only_real: u64,
    /// Only in the built image.
    pub only_modelled: u64,
}

/// Slots that follow each other and share one change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangeRun {
    /// `same rewritten only-real only-modelled`.
    pub change: String,
    /// First slot of the captured image, or where it would be.
    pub real: u32,
    /// First slot of the built image, or where it would be.
    pub modelled: u32,
    /// Slots.
    pub slots: u32,
    /// Region of the first slot.
    pub region: String,
}

/// A region of an image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionInfo {
    /// `PREAMBLE MODEL_SWITCH MAIN POSTAMBLE FUNCTION`.
    pub name: String,
    /// Bytes from the image start.
    pub offset: u64,
    /// Bytes.
    pub bytes: u64,
    /// Where its slots come from, the weakest.
    pub provenance: Provenance,
}

/// A patch row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchInfo {
    /// Bytes as stored: from the image start; for FUNCTION rows of a built image from the function
    /// section.
    pub offset: u64,
    /// Slots.
    pub count: u64,
    /// `INSERT MODIFY DELETE`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `PREAMBLE POSTAMBLE MAIN FUNCTION`.
    pub section: String,
    /// Of the section: inferred for the rows of a capture, which stores none.
    pub section_provenance: Provenance,
    /// Bytes from the image start, whatever the section.
    pub image_offset: u64,
}

/// `{offset, size}` in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Range {
    /// Bytes from the image start.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
}

/// The four ranges of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RangesInfo {
    /// The whole preamble.
    pub preamble: Range,
    /// The model-switch sub-region.
    pub model_switch: Range,
    /// MAIN.
    pub core: Range,
    /// The function section; size 0 with one function.
    pub functions: Range,
}

/// The `regions` document: what the Regions view draws.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionsAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// All subgraph names, for the core switch.
    pub subgraphs: Vec<String>,
    /// As written in the kelf.
    pub target: String,
    /// Name of the profile that the built images follow.
    pub profile: String,
    /// How sure the profile itself is.
    pub profile_provenance: Provenance,
    /// Profiles that fit the target, for the picker.
    pub profiles: Vec<String>,
    /// Physical core in use.
    pub core: u32,
    /// The capture that the images come from or were built for; null without one.
    pub capture: Option<CaptureInfo>,
    /// Whether the images shown are the capture's.
    pub captured: bool,
    /// What the images were built with beyond program and profile.
    pub inputs: Vec<InputInfo>,
    /// The weakest of all engines.
    pub provenance: Provenance,
    /// Always five, PE ACT POOL DVE SP.
    pub engines: Vec<EngineRegions>,
    /// Findings about these images.
    pub diagnostics: Vec<Finding>,
}

/// One engine of the Regions view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EngineRegions {
    /// Engine name.
    pub engine: String,
    /// Records in the NEFF.
    pub neff_slots: u64,
    /// Slots of the image.
    pub image_slots: u64,
    /// Image bytes.
    pub bytes: u64,
    /// Device base in use.
    pub base: String,
    /// Where the base comes from: modelled placement or configured.
    pub base_provenance: Provenance,
    /// Whether bytes and rows are a capture's.
    pub captured: bool,
    /// How far the captured and the built image agree; null without a captured image.
    pub agreement: Option<Agreement>,
    /// Display rows of the Code view.
    pub rows: u64,
    /// Non-overlapping runs in image order; PREAMBLE is split around MODEL_SWITCH.
    pub runs: Vec<RegionRun>,
    /// Patch rows.
    pub patches: Vec<PatchMark>,
    /// Slots that stand for a record and have other bytes than it, for which the runtime keeps no
    /// row: triggers, calls, exits, branches, the first slot of a record that became several.
    pub rewritten: u64,
    /// Weakest provenance of the image.
    pub provenance: Provenance,
    /// Why, one sentence each.
    pub notes: Vec<String>,
}

/// A run of slots of one region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RegionRun {
    /// Region name; the pieces of PREAMBLE around MODEL_SWITCH are both `PREAMBLE`.
    pub region: String,
    /// 0-based first image slot.
    pub slot: u64,
    /// Slots.
    pub slots: u64,
    /// First and last NEFF IP (deleted ones included), if any.
    pub ips: Option<[u32; 2]>,
    /// Weakest provenance of the run.
    pub provenance: Provenance,
    /// Display row of the run's divider.
    pub row: u64,
    /// Function name of a FUNCTION run.
    pub function: Option<String>,
}

/// A patch row as the Regions view marks it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PatchMark {
    /// `INSERT MODIFY DELETE`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `PREAMBLE POSTAMBLE MAIN FUNCTION`.
    pub section: String,
    /// 0-based image slot at which it applies.
    pub slot: u64,
    /// Slots inserted, modified or deleted.
    pub count: u64,
    /// Display row: the first inserted or deleted row.
    pub row: u64,
    /// First deleted NEFF IP.
    pub ip: Option<u32>,
}

/// The `pc` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PcAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// The PC asked for.
    pub device_pc: String,
    /// Device base of the image.
    pub base: String,
    /// Where the base comes from.
    pub base_provenance: Provenance,
    /// Profile name.
    pub profile: String,
    /// PC minus base; null if the PC is outside the image.
    pub image_offset: Option<u64>,
    /// 0-based; null if outside.
    pub image_slot: Option<u64>,
    /// Region name; null if outside.
    pub region: Option<String>,
    /// Of the region's name; null if there is none.
    #[serde(default)]
    pub region_provenance: Option<Provenance>,
    /// The exact answer; null outside MAIN and FUNCTION.
    pub exact: Option<ExactIp>,
    /// The shipped runtime's own answer.
    pub runtime: RuntimeReading,
    /// Whether both name the same IP, or neither names one.
    pub agrees: bool,
    /// What made a synthesized slot; null for slots from the file.
    pub step: Option<StepInfo>,
    /// Debug records, nearest first.
    pub source: Vec<SourceItem>,
    /// The slot's `.asm` form; null if outside.
    pub text: Option<String>,
    /// The place, for links.
    pub place: Option<PlaceRef>,
    /// Why there is no answer, in words; null if there is one.
    pub reason: Option<String>,
    /// Of the mapping.
    pub provenance: Provenance,
    /// Findings about the engine's image, its profile and its capture.
    #[serde(default)]
    pub diagnostics: Vec<Finding>,
}

/// The exact PC to IP answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExactIp {
    /// 1-based.
    pub neff_ip: u32,
    /// 0-based stream slot.
    pub slot: u32,
    /// Whether the PC is in the INSERT run of this record.
    pub inserted: bool,
}

/// The runtime's own answer: an IP with its literal (possibly wrapped) value, or an error text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum RuntimeReading {
    /// An IP.
    Ip {
        /// Saturated value.
        neff_ip: u32,
        /// What the shipped arithmetic yields.
        literal: u32,
    },
    /// An error.
    Error {
        /// The runtime's text.
        error: String,
    },
}

/// The step of a profile that made a slot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct StepInfo {
    /// Id in the profile.
    pub id: String,
    /// Title in words.
    pub title: String,
    /// What it does.
    pub text: String,
    /// Of this step.
    pub provenance: Provenance,
}

/// The `ip` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IpAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// The IP asked for.
    pub neff_ip: u32,
    /// 0-based stream slot.
    pub slot: u32,
    /// Whether the record is in no image slot.
    pub deleted: bool,
    /// Where a deleted record would be, bytes from the image start.
    pub deleted_at: Option<u64>,
    /// 0-based image slots, in order.
    pub image_slots: Vec<u64>,
    /// Their device PCs.
    pub device_pcs: Vec<String>,
    /// Device base of the image.
    pub base: String,
    /// Where the base comes from.
    pub base_provenance: Provenance,
    /// Profile name.
    pub profile: String,
    /// The record's `.asm` form.
    pub text: String,
    /// Debug records, nearest first.
    pub source: Vec<SourceItem>,
    /// The place, for links.
    pub place: PlaceRef,
    /// Of the mapping.
    pub provenance: Provenance,
    /// Findings about the engine's image, its profile and its capture.
    #[serde(default)]
    pub diagnostics: Vec<Finding>,
}
