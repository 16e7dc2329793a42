//! The query of a view's address: which parts it has, and links that keep them.

use crate::format::{clean, percent};
use crate::page_model::FindingRow;
use debug_api::address_keys;
use debug_api::{ApiError, Scope};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Unknown keys of an address that are told of.
const MOST_KEYS: usize = 8;

/// State of a view in its address.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct ViewQuery {
    /// Subgraph.
    pub s: Option<String>,
    /// Engine.
    pub e: Option<String>,
    /// Image slot.
    pub slot: Option<String>,
    /// NEFF IP.
    pub ip: Option<String>,
    /// Device PC.
    pub pc: Option<String>,
    /// Runtime profile.
    pub profile: Option<String>,
    /// Physical core.
    pub core: Option<String>,
    /// Device base.
    pub base: Option<String>,
    /// File of the session that is the capture.
    pub ntff: Option<String>,
    /// `modelled`: the image built with a capture's values instead of the captured one.
    pub image: Option<String>,
    /// Generation of the device, for programs whose target is any.
    pub device: Option<String>,
    /// Generation whose programs get the default micro-code library, or `none`.
    pub library: Option<String>,
    /// First display row.
    pub from: Option<String>,
    /// Record of the runtime.
    pub rec: Option<String>,
    /// What the bytes are of.
    pub of: Option<String>,
    /// Member, record or part whose bytes are shown.
    pub name: Option<String>,
    /// First selected byte.
    pub at: Option<String>,
    /// Scratchpad mode, `paged`, `contiguous` or `both`.
    pub mode: Option<String>,
    /// Bytes of a scratchpad page.
    pub page: Option<String>,
    /// Generation of the chip.
    pub r#gen: Option<String>,
    /// Bytes of each HBM.
    pub hbm: Option<String>,
    /// `one`: only the subgraph is loaded.
    pub load: Option<String>,
    /// Rank whose collectives are planned.
    pub rank: Option<String>,
    /// Ranks of the job.
    pub world: Option<String>,
    /// Ranks of a node.
    pub pernode: Option<String>,
    /// Channels of an operation.
    pub channels: Option<String>,
    /// Algorithm of all collectives.
    pub alg: Option<String>,
    /// `1`: the program runs.
    pub run: Option<String>,
    /// Inferences of a run.
    pub inferences: Option<String>,
    /// Seed of a run.
    pub seed: Option<String>,
    /// Ranks that run.
    pub ranks: Option<String>,
    /// `1`: costs are fitted to the capture.
    pub calibrate: Option<String>,
    /// Most events of a run.
    pub events: Option<String>,
    /// Rings that do not move.
    pub stall: Option<String>,
    /// Posts that are lost.
    pub drop: Option<String>,
    /// Cores that start late.
    pub delay: Option<String>,
    /// `1`: only the selected subgraph runs.
    pub alone: Option<String>,
    /// `main-end`: engines stop at the end of MAIN.
    pub until: Option<String>,
    /// What only the application reads, and what is unknown.
    #[serde(flatten)]
    pub other: BTreeMap<String, String>,
}

/// Makes a page of the parts of an address that can be used. A part that the page cannot be made
/// with is left out, with a finding that names it and what is possible.
///
/// # Errors
/// What no part of the address is to blame for.
pub fn tolerant<T>(
    query: &ViewQuery,
    page: impl Fn(&ViewQuery, Vec<FindingRow>) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    let (mut query, mut unread) = readable(query);
    loop {
        let error = match page(&query, unread.clone()) {
            Err(error) => error,
            done => return done,
        };
        let Some((key, value)) = scope_of(&query).take_part(error.code) else { return Err(error) };
        query.leave_out(key);
        unread.push(left_out(key, &value, &error.message));
    }
}

/// What an address asks about.
pub fn scope_of(query: &ViewQuery) -> Scope {
    let number = |text: &Option<String>| text.as_deref().and_then(|text| text.parse::<u32>().ok());
    Scope {
        f: None,
        s: query.s.clone(),
        e: query.e.clone(),
        profile: query.profile.clone(),
        core: number(&query.core),
        base: query.base.clone(),
        ntff: number(&query.ntff).and_then(|index| usize::try_from(index).ok()),
        modelled: query.image.as_deref() == Some("modelled"),
        device: query.device.clone(),
        library: query.library.clone(),
    }
}

impl ViewQuery {
    fn leave_out(&mut self, key: &str) {
        let part = match key {
            "s" => &mut self.s,
            "e" => {
                // Slots and IPs count on their engine only.
                (self.slot, self.ip) = (None, None);
                &mut self.e
            }
            "profile" => &mut self.profile,
            "core" => &mut self.core,
            "ntff" => &mut self.ntff,
            "device" => &mut self.device,
            "library" => &mut self.library,
            _ => &mut self.base,
        };
        *part = None;
    }
}

/// The parts of an address that are numbers, without those that are none; a finding for each.
fn readable(query: &ViewQuery) -> (ViewQuery, Vec<FindingRow>) {
    let mut query = query.clone();
    let mut unread = Vec::new();
    let parts = [
        ("slot", &mut query.slot),
        ("ip", &mut query.ip),
        ("core", &mut query.core),
        ("ntff", &mut query.ntff),
        ("from", &mut query.from),
        ("rank", &mut query.rank),
        ("world", &mut query.world),
        ("pernode", &mut query.pernode),
        ("channels", &mut query.channels),
    ];
    for (name, part) in parts {
        if part.as_deref().is_some_and(|text| text.parse::<u32>().is_err()) {
            unread.push(unused(name, &part.take().unwrap_or_default(), "no number"));
        }
    }
    unread.extend(unknown_keys(&query.other));
    (query, unread)
}

/// Keys with a value; an empty one asks for nothing.
fn asked(other: &BTreeMap<String, String>) -> impl Iterator<Item = &String> {
    other.iter().filter(|(_, value)| !value.is_empty()).map(|(key, _)| key)
}

/// A finding for each key of an address that no view reads.
fn unknown_keys(other: &BTreeMap<String, String>) -> Vec<FindingRow> {
    let said = asked(other).filter_map(|key| address_keys::unknown(key));
    let row = |said: String| FindingRow {
        message: clean(&format!("in the address, {said}; the rest of it is used")),
        ..unused("", "", "")
    };
    said.take(MOST_KEYS).map(row).collect()
}

/// The same for a form, whose keys are its fields.
pub fn unknown_fields(other: &BTreeMap<String, String>, fields: &str) -> Vec<String> {
    asked(other)
        .take(MOST_KEYS)
        .map(|key| {
            let shown: String = key.chars().take(40).collect();
            clean(&format!("`{shown}` in the address is no field of this form and is not used; they are {fields}"))
        })
        .collect()
}

/// That a part of the address is not what it has to be, and is not used.
pub fn unused(name: &str, text: &str, what: &str) -> FindingRow {
    let shown: String = text.chars().take(40).collect();
    FindingRow {
        code: "address.part".to_owned(),
        severity: "warning".to_owned(),
        message: clean(&format!("`{name}={shown}` in the address is {what} and is not used")),
        place: String::new(),
    }
}

/// That a part of the address names what is not there, and is not used.
fn left_out(name: &str, text: &str, why: &str) -> FindingRow {
    let shown: String = text.chars().take(40).collect();
    let message = clean(&format!("`{name}={shown}` in the address is not used: {why}"));
    FindingRow { message, ..unused(name, text, "") }
}

/// The query of a link that keeps the view's scope: another engine, or one more key.
pub fn query_text(query: &ViewQuery, engine: Option<&str>, more: Option<(&str, String)>) -> String {
    let kept = [
        ("s", query.s.as_deref()),
        ("e", engine.or(query.e.as_deref())),
        ("profile", query.profile.as_deref()),
        ("core", query.core.as_deref()),
        ("base", query.base.as_deref()),
        ("ntff", query.ntff.as_deref()),
        ("image", query.image.as_deref()),
        ("device", query.device.as_deref()),
        ("library", query.library.as_deref()),
        more.as_ref().map_or(("", None), |(key, value)| (*key, Some(value.as_str()))),
    ];
    let mut text = String::new();
    for (key, value) in kept {
        if let Some(value) = value {
            text.push(if text.is_empty() { '?' } else { '&' });
            text.push_str(key);
            text.push('=');
            text.push_str(&percent(value));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_keep_their_scope() {
        let query = ViewQuery { s: Some("a&b".to_owned()), ..ViewQuery::default() };
        assert_eq!(
            query_text(&query, Some("SP"), Some(("slot", "4".to_owned()))),
            "?s=a%26b&e=SP&slot=4"
        );
        assert_eq!(query_text(&ViewQuery::default(), None, None), "");
    }

    #[test]
    fn numbers_that_are_none_are_told() {
        let text = |text: &str| Some(text.to_owned());
        let query = ViewQuery {
            rank: text("zz"),
            world: text("-1"),
            pernode: text("4294967296"),
            channels: text("8"),
            ..ViewQuery::default()
        };
        let (read, unread) = readable(&query);
        assert_eq!((read.rank, read.world, read.pernode), (None, None, None));
        assert_eq!(read.channels.as_deref(), Some("8"));
        assert_eq!(unread.len(), 3);
    }
}
