//! The device generation that a program was compiled for.

/// Generation that a target text stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum TargetKind {
    /// `sunda`, `v2` or an empty text; architecture 2.
    Sunda,
    /// `cayman` or `v3`; architecture 3.
    Cayman,
    /// `mariana` or `v4`; architecture 4.
    Mariana,
    /// `*`: the architecture of the device that loads it.
    Any,
    /// Any other text; a loader refuses it.
    Unknown,
}

/// Target of a graph list, as written and as understood.
/// Spec: docs/format/container.md "Target" [observed].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The text in the file.
    pub text: String,
    /// What it stands for.
    pub kind: TargetKind,
}

impl Target {
    /// Understands a target text. Texts are compared exactly.
    pub fn parse(text: impl Into<String>) -> Self {
        let text = text.into();
        let kind = match text.as_str() {
            "" | "sunda" | "v2" => TargetKind::Sunda,
            "cayman" | "v3" => TargetKind::Cayman,
            "mariana" | "v4" => TargetKind::Mariana,
            "*" => TargetKind::Any,
            _ => TargetKind::Unknown,
        };
        Self { text, kind }
    }

    /// The runtime's architecture number 2, 3 or 4; `None` for `*` and for unknown texts.
    pub const fn arch(&self) -> Option<u8> {
        match self.kind {
            TargetKind::Sunda => Some(2),
            TargetKind::Cayman => Some(3),
            TargetKind::Mariana => Some(4),
            TargetKind::Any | TargetKind::Unknown => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_text_of_the_loader() {
        for (text, kind, arch) in [
            ("", TargetKind::Sunda, Some(2)),
            ("sunda", TargetKind::Sunda, Some(2)),
            ("v2", TargetKind::Sunda, Some(2)),
            ("cayman", TargetKind::Cayman, Some(3)),
            ("v3", TargetKind::Cayman, Some(3)),
            ("mariana", TargetKind::Mariana, Some(4)),
            ("v4", TargetKind::Mariana, Some(4)),
            ("*", TargetKind::Any, None),
            ("Sunda", TargetKind::Unknown, None),
            ("v5", TargetKind::Unknown, None),
        ] {
            let target = Target::parse(text);
            assert_eq!((target.kind, target.arch(), target.text.as_str()), (kind, arch, text));
        }
    }
}
