//! Questions from text: which keys each of them has.

use super::{
    CollectivesRequest, Request, ScheduleRequest, Scope, SimulateRequest, TimelineEventsRequest,
    TimelineRequest, TsyncRequest,
};
use crate::error::ApiError;
use serde::Deserialize;

impl Request {
    /// Reads the JSON form. Unknown keys are refused, so that a typing mistake is not ignored.
    ///
    /// # Errors
    /// `request.invalid`, saying what is wrong and where.
    pub fn from_json(text: &str) -> Result<Self, ApiError> {
        let value: serde_json::Value = serde_json::from_str(text).map_err(|error| {
            ApiError::bad_request(format!(
                "the question is no JSON ({error}); a question is an object such as \
                     {{\"ask\":\"info\"}}"
            ))
        })?;
        let request = Self::deserialize(&value).map_err(|error| {
            ApiError::bad_request(format!("this is no question that is known: {error}"))
        })?;
        let known: &[&str] = match &request {
            Self::Info { .. } => &["f", "deep"],
            Self::Ntff { .. } => &["f"],
            Self::Files {} | Self::Profiles {} | Self::Printers {} => &[],
            Self::Slots { .. } | Self::Diff { .. } => &["from", "count"],
            Self::Records { .. } | Self::Members { .. } | Self::Index { .. } => {
                &["from", "count", "find"]
            }
            Self::Bytes { .. } => &["of", "name", "from", "count", "at"],
            Self::Record { .. } | Self::Queue { .. } | Self::Transfer { .. } => &["name"],
            Self::Kbin { .. } => {
                &["record", "from", "count", "find", "at", "hex_from", "hex_bytes"]
            }
            Self::Variable { .. } => &["name", "id"],
            Self::Image { .. } | Self::Regions { .. } => &[],
            Self::Pc { .. } => &["pc"],
            Self::Ip { .. } => &["ip"],
            Self::Slot { .. } => &["slot", "ip"],
            Self::Source { .. } => &["ip", "limit"],
            Self::Goto { .. } | Self::Log { .. } => &["text"],
            Self::Memory { .. } => {
                &["mode", "page_size", "generation", "hbm", "runtime", "driver", "from", "count"]
            }
            Self::Scratchpad { .. } => &["mode", "page_size", "pages", "offset", "size"],
            Self::Address { .. } => &["address", "generation"],
            Self::AddressMap { .. } => &["generation"],
            Self::Collectives(_) => CollectivesRequest::KEYS,
            Self::Tsync(_) => TsyncRequest::KEYS,
            Self::Schedule(_) => ScheduleRequest::KEYS,
            Self::Simulate(_) => SimulateRequest::KEYS,
            Self::Timeline(_) => TimelineRequest::KEYS,
            Self::TimelineEvents(_) => TimelineEventsRequest::KEYS,
            Self::SpadCtrl { .. } => &["words", "algo_names"],
            Self::SpadCtrlEncode { .. } => &["fields", "algo_names"],
            Self::SpadTable { .. } => &["offset", "count", "algo_names"],
            Self::Dump { .. } => {
                &["generation", "offset", "name", "from", "count", "find", "names_only"]
            }
            Self::DumpText { .. } => &["generation", "offset", "model_name"],
        };
        let scoped = request.scope().is_some();
        let keys = value.as_object().map(|object| object.keys().map(String::as_str));
        let unknown = keys.into_iter().flatten().find(|key| {
            *key != "ask" && !known.contains(key) && !(scoped && Scope::KEYS.contains(key))
        });
        match unknown {
            Some(key) => {
                let shown: String = key.chars().take(64).collect();
                Err(ApiError::bad_request(format!("the question has an unknown key `{shown}`")))
            }
            None => Ok(request),
        }
    }
}
