//! The `goto` document: what a typed text can mean.

use super::{PlaceRef, Provenance};
use serde::{Deserialize, Serialize};

/// The `goto` document.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GotoAnswer {
    /// Version of this document.
    pub schema: u32,
    /// The text that was asked.
    pub text: String,
    /// Candidates, best first, at most 20.
    pub targets: Vec<GotoTarget>,
    /// What a text can be, shown when nothing fits.
    pub hint: String,
}

/// One meaning of the text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct GotoTarget {
    /// `pc ip slot offset line symbol address`.
    pub kind: String,
    /// First line of the row.
    pub label: String,
    /// Second, weaker part.
    pub detail: String,
    /// Where it leads; null for a place that no view shows.
    pub place: Option<PlaceRef>,
    /// Device address that it is; absent for all but `address`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub address: Option<String>,
    /// Of the reading.
    pub provenance: Provenance,
}
