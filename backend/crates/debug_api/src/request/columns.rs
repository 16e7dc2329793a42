//! Questions for bulk rows.

use super::read::check_run;
use super::scope::Scope;
use super::simulate::SimulateRequest;
use crate::error::ApiError;
use serde::{Deserialize, Serialize};

/// Bulk rows for the Code view, as little-endian columns (see [`crate::columns`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnsRequest {
    /// `code`: the display rows of one engine image (slots, deleted records, region dividers).
    /// `diff`: the records of a captured and a built image. `timeline`: what is drawn of a window.
    pub what: String,
    /// Subgraph, engine, profile, core.
    #[serde(flatten)]
    pub scope: Scope,
    /// `timeline`: what happens in a run of the simulator with these choices, instead of what was
    /// captured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Box<SimulateRequest>>,
    /// First 0-based display row; of a timeline the first bucket.
    pub from: u64,
    /// Number of rows, at most 4,096; 0 means as many. Of a timeline the number of buckets.
    pub count: u32,
    /// `timeline`: power of two of a bucket's width in picoseconds.
    #[serde(skip_serializing_if = "is_zero")]
    pub level: u8,
}

impl ColumnsRequest {
    /// Reads a request for rows; what it does not say stays at its default.
    ///
    /// # Errors
    /// `request.invalid`: no JSON, or a value of the wrong type.
    pub fn from_json(text: &str) -> Result<Self, ApiError> {
        // As with questions, by way of a tree.
        let no_rows = |error: serde_json::Error| {
            ApiError::bad_request(format!(
                "these are no rows ({error}); rows are asked for with an object such as \
                 {{\"what\":\"code\",\"e\":\"PE\",\"from\":0}}"
            ))
        };
        let tree: serde_json::Value = serde_json::from_str(text).map_err(no_rows)?;
        let request = Self::deserialize(&tree).map_err(no_rows)?;
        check_run(&tree)?;
        Ok(request)
    }
}

fn is_zero(value: &u8) -> bool {
    *value == 0
}
