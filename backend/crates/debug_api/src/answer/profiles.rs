//! The `profiles` document.

use super::{Finding, Provenance, StepInfo};
use serde::{Deserialize, Serialize};

/// The `profiles` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfilesAnswer {
    /// Version of this document.
    pub schema: u32,
    /// All known profiles: the built-in ones, then those that the session holds.
    pub profiles: Vec<ProfileInfo>,
    /// What is wrong with profile files of the session.
    pub diagnostics: Vec<Finding>,
}

/// One runtime profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileInfo {
    /// Name, as `--profile` takes it.
    pub name: String,
    /// `sunda cayman mariana`.
    pub generation: String,
    /// Runtime version, or a dash.
    pub runtime: String,
    /// Of its steps.
    pub provenance: Provenance,
    /// File of the session that it comes from; null for a built-in one.
    pub file: Option<String>,
    /// What the generation can do.
    pub capabilities: Vec<CapabilityInfo>,
    /// Its steps in image order.
    pub steps: Vec<ProfileStep>,
}

/// A capability of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CapabilityInfo {
    /// Its word.
    pub name: String,
    /// Whether it is there.
    pub value: bool,
    /// Inferred from the generation's preset, or configured by the file.
    pub provenance: Provenance,
}

/// A step of a profile.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProfileStep {
    /// What it is.
    #[serde(flatten)]
    pub step: StepInfo,
    /// `PREAMBLE` or `POSTAMBLE`.
    pub region: String,
    /// Place in the published order of building; null for a step that is only in captures.
    pub order: Option<u32>,
    /// Engines that it makes records on.
    pub engines: Vec<String>,
    /// Condition of the whole step, as the profile words it.
    pub gate: Option<String>,
    /// Conditions of single records.
    pub record_gates: Vec<String>,
    /// Whether it is repeated for each queue that the engine owns.
    pub for_each_queue: bool,
}
