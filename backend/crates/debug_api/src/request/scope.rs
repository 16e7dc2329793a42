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
    /// Generation of the device that loads a program for any, `sunda cayman mariana`; cayman if
    /// absent. What a loader makes depends on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub device: Option<String>,
    /// Generation whose programs get the default micro-code library, `sunda cayman mariana` or `none`;
    /// sunda if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub library: Option<String>,
}

impl Scope {
    /// Keys of the JSON form.
    pub(super) const KEYS: [&'static str; 10] =
        ["f", "s", "e", "profile", "core", "base", "ntff", "modelled", "device", "library"];

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
            "device.unknown" => ("device", self.device.take()),
            "library.unknown" => ("library", self.library.take()),
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
        let (device, library) = (named(), named());
        let (core, ntff) = (Some(99), Some(7));
        let mut scope =
            Scope { s, e, profile, base, core, ntff, device, library, ..Scope::default() };
        let parts = [
            ("subgraph.unknown", "s", "x"),
            ("engine.unknown", "e", "x"),
            ("profile.unknown", "profile", "x"),
            ("core.unknown", "core", "99"),
            ("file.no-ntff", "ntff", "7"),
            ("device.unknown", "device", "x"),
            ("library.unknown", "library", "x"),
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
