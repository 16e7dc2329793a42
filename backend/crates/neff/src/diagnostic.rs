//! Findings: what is odd about an input that can still be shown.

/// How much a finding matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// A fact worth knowing; nothing is wrong.
    Info,
    /// Unexpected, but everything could be read.
    Warning,
    /// Part of the input could not be read or contradicts itself.
    Error,
}

impl Severity {
    /// `info`, `warning` or `error`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }
}

/// Where a finding is. Offsets are bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Member of the archive, if the offset is inside one.
    pub member: Option<String>,
    /// Subgraph concerned.
    pub subgraph: Option<String>,
    /// Engine name concerned.
    pub engine: Option<&'static str>,
    /// Byte offset: in the member if one is named, else in the file.
    pub offset: Option<u64>,
}

impl Place {
    /// A byte offset in the file.
    pub fn file(offset: u64) -> Self {
        Self { offset: Some(offset), ..Self::default() }
    }

    /// A whole member.
    pub fn member(name: impl Into<String>) -> Self {
        Self { member: Some(name.into()), ..Self::default() }
    }

    /// A byte offset in a member.
    pub fn member_at(name: impl Into<String>, offset: u64) -> Self {
        Self { member: Some(name.into()), offset: Some(offset), ..Self::default() }
    }

    /// An engine of a subgraph.
    pub fn engine(subgraph: impl Into<String>, engine: &'static str) -> Self {
        Self { subgraph: Some(subgraph.into()), engine: Some(engine), ..Self::default() }
    }
}

/// One finding. `code` is stable and listed in `docs/codes.md`; the message says what was found,
/// what was expected and what the reader can do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Stable code, `area.name`.
    pub code: &'static str,
    /// How much it matters.
    pub severity: Severity,
    /// Sentence for a person.
    pub message: String,
    /// Where it is.
    pub at: Place,
    /// Page of `docs/format` that states the rule, empty if there is none.
    pub spec: &'static str,
}

/// Findings of one list after which no more are taken.
pub const MAX_FINDINGS: usize = 10_000;
/// Bytes of messages and names in one list after which no more are taken.
const MAX_FINDING_BYTES: usize = 16 << 20;

/// Collects findings in the order in which they were met, up to [`MAX_FINDINGS`]; one more says
/// that there would be others. Passed as a parameter to whatever reads
/// input, never stored in a global.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Findings {
    list: Vec<Diagnostic>,
    bytes: usize,
    is_full: bool,
}

impl Findings {
    /// An empty list.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a finding with severity, code, place and message.
    pub fn push(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: Place,
        message: impl Into<String>,
    ) {
        self.add(Diagnostic { code, severity, message: message.into(), at, spec: "" });
    }

    /// Adds a finished finding.
    pub fn add(&mut self, diagnostic: Diagnostic) {
        if self.is_full {
            return;
        }
        let name = |name: &Option<String>| name.as_ref().map_or(0, String::len);
        let bytes =
            diagnostic.message.len() + name(&diagnostic.at.member) + name(&diagnostic.at.subgraph);
        self.bytes = self.bytes.saturating_add(bytes);
        if self.list.len() < MAX_FINDINGS && self.bytes <= MAX_FINDING_BYTES {
            self.list.push(diagnostic);
            return;
        }
        self.is_full = true;
        self.list.push(Diagnostic {
            code: "findings.more",
            severity: Severity::Warning,
            message: format!("there are more than the {} findings listed here", self.list.len()),
            at: Place::default(),
            spec: "",
        });
    }

    /// All findings so far.
    pub fn as_slice(&self) -> &[Diagnostic] {
        &self.list
    }

    /// Takes all findings of another list.
    pub fn extend(&mut self, other: Findings) {
        for diagnostic in other.list {
            self.add(diagnostic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_ends_with_one_finding_that_says_so() {
        let mut findings = Findings::new();
        for at in 0..MAX_FINDINGS as u64 + 7 {
            findings.push(Severity::Info, "a.b", Place::file(at), "again");
        }
        let list = findings.as_slice();
        assert_eq!(list.len(), MAX_FINDINGS + 1);
        assert_eq!(list.last().map(|last| last.code), Some("findings.more"));
        let mut long = Findings::new();
        for _ in 0..3 {
            long.push(Severity::Info, "a.b", Place::default(), "x".repeat(9 << 20));
        }
        let codes: Vec<_> = long.as_slice().iter().map(|finding| finding.code).collect();
        assert_eq!(codes, ["a.b", "findings.more"]);
    }
}
