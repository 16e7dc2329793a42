//! The question about counters of several blocks.

use serde::{Deserialize, Serialize};

/// Brings counters of several blocks onto one time. About no file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TsyncRequest {
    /// `BLOCK:INIT:ACTUAL:EXPECTED:T` each: counter at the common instant, actual and expected
    /// increment, counter of the event. At most 4,096.
    pub readings: Vec<String>,
    /// Wall-clock nanoseconds of the host at the common instant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub host_ns: Option<i64>,
}

impl TsyncRequest {
    /// Keys of the JSON form.
    pub(super) const KEYS: &'static [&'static str] = &["readings", "host_ns"];
}
