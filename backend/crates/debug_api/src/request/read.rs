//! Questions from text: which keys each of them has.

use super::{
    CollectivesRequest, Request, ScheduleRequest, Scope, SimulateRequest, TimelineEventsRequest,
    TimelineRequest, TimelineStateRequest, TsyncRequest,
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
            Self::TimelineState(_) => TimelineStateRequest::KEYS,
            Self::SpadCtrl { .. } => &["words", "algo_names"],
            Self::SpadCtrlEncode { .. } => &["fields", "algo_names"],
            Self::SpadTable { .. } => &["offset", "count", "algo_names"],
            Self::Dump { .. } => {
                &["generation", "offset", "name", "from", "count", "find", "names_only"]
            }
            Self::DumpRead { .. } => &["text", "generation"],
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
            None => {
                check_run(&value)?;
                Ok(request)
            }
        }
    }
}

impl SimulateRequest {
    /// Reads the choices of a run that a question about a timeline has as its `run`. Unknown keys are
    /// refused.
    ///
    /// # Errors
    /// `request.invalid`, saying what is wrong.
    pub fn choices_from_json(text: &str) -> Result<Self, ApiError> {
        let tree: serde_json::Value = serde_json::from_str(text).map_err(no_run)?;
        check_choices(&tree)?;
        Self::deserialize(&tree).map_err(no_run)
    }
}

/// Refuses what is no choice in the `run` of a question.
///
/// # Errors
/// `request.invalid`.
pub(super) fn check_run(question: &serde_json::Value) -> Result<(), ApiError> {
    question.get("run").map_or(Ok(()), check_choices)
}

fn check_choices(run: &serde_json::Value) -> Result<(), ApiError> {
    let keys = run.as_object().map(|object| object.keys().map(String::as_str));
    let known = |key: &str| key == "s" || SimulateRequest::KEYS.contains(&key);
    match keys.into_iter().flatten().find(|key| !known(key)) {
        Some(key) => {
            let shown: String = key.chars().take(64).collect();
            Err(ApiError::bad_request(format!(
                "the run of the question has an unknown key `{shown}`; a run has s and {}",
                SimulateRequest::KEYS.join(" ")
            )))
        }
        None => Ok(()),
    }
}

fn no_run(error: serde_json::Error) -> ApiError {
    ApiError::bad_request(format!(
        "these are no choices of a run ({error}); a run is an object such as {{\"inferences\":2}}"
    ))
}
