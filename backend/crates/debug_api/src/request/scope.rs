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

    /// Takes out the part that an error of this code is about, so that the rest can be asked with;
    /// gives its key and its value. `None` where no part is at fault.
    pub fn take_part(&mut self, code: &str) -> Option<(&'static str, String)> {
        let (key, value) = match code {
            "subgraph.unknown" => ("s", self.s.take()),
            "engine.unknown" => ("e", self.e.take()),
            "profile.unknown" => ("profile", self.profile.take()),
            "core.unknown" => ("core", self.core.take().map(|core| core.to_string())),
            "file.unknown" | "file.no-ntff" => {
                ("ntff", self.ntff.take().map(|file| file.to_string()))
            }
            "request.invalid" => ("base", self.base.take()),
            _ => return None,
        };
        Some((key, value?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_takes_its_part_once() {
        let named = || Some("x".to_owned());
        let (s, e, profile, base) = (named(), named(), named(), named());
        let mut scope =
            Scope { s, e, profile, base, core: Some(99), ntff: Some(7), ..Scope::default() };
        let parts = [
            ("subgraph.unknown", "s", "x"),
            ("engine.unknown", "e", "x"),
            ("profile.unknown", "profile", "x"),
            ("core.unknown", "core", "99"),
            ("file.no-ntff", "ntff", "7"),
            ("request.invalid", "base", "x"),
        ];
        for (code, key, value) in parts {
            assert_eq!(scope.take_part(code), Some((key, value.to_owned())));
            assert_eq!(scope.take_part(code), None);
        }
        assert_eq!(scope, Scope::default());
        assert_eq!(scope.take_part("neff.gzip"), None);
    }
}
