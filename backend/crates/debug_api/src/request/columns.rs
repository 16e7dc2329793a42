//! Questions for bulk rows.

use super::scope::Scope;
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
        serde_json::from_str(text)
            .and_then(|tree: serde_json::Value| Self::deserialize(&tree))
            .map_err(|error| {
                ApiError::bad_request(format!(
                    "these are no rows ({error}); rows are asked for with an object such as \
                 {{\"what\":\"code\",\"e\":\"PE\",\"from\":0}}"
                ))
            })
    }
}

fn is_zero(value: &u8) -> bool {
    *value == 0
}
