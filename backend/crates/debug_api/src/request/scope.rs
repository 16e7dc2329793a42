//! What a question is about: file, subgraph, engine, profile.

use serde::{Deserialize, Serialize};

/// Which subgraph, engine and runtime profile a question is about. All are optional: the first
/// file, its first subgraph, the engine PE, the default profile of the subgraph's target.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Scope {
    /// 0-based file of the session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f: Option<usize>,
    /// Subgraph, by name or 0-based index.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub s: Option<String>,
    /// Engine, `PE ACT POOL DVE SP` in any case.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub e: Option<String>,
    /// Runtime profile: a built-in one by name, or one that the session holds by its name or that of
    /// its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// Physical core of the chosen subgraph.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub core: Option<u32>,
    /// Device base address of the engine's image, `0x...` or decimal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<String>,
    /// 0-based file of the session that is the capture; the first one that belongs to the
    /// executable if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ntff: Option<usize>,
    /// Where there is a capture: the image built with its values instead of the captured one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub modelled: bool,
}

impl Scope {
    /// Keys of the JSON form.
    pub(super) const KEYS: [&'static str; 8] =
        ["f", "s", "e", "profile", "core", "base", "ntff", "modelled"];
}
