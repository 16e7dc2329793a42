//! What a loader would say about a program while it builds the tree, and what is odd beside.

use neff::{Findings, Place, Severity};
use std::collections::BTreeMap;

/// Gates of one tree after which no more are listed; their findings have a limit of their own.
const MAX_GATES: usize = 1_000;
/// Characters of an untrusted name that a message repeats.
const SHOWN: usize = 120;

/// A message of the loader that this program would meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gate {
    /// Code of the finding that explains it.
    pub code: &'static str,
    /// The loader's own text; of texts that are published in part, that part.
    pub text: String,
    /// Whether loading ends there.
    pub stops: bool,
    /// What it is about.
    pub at: Place,
}

/// Why a loader does not take the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Code of the finding that explains it.
    pub code: &'static str,
    /// The loader's own text, as in its gate; `None` where none is published.
    pub text: Option<String>,
    /// Why, in our words.
    pub why: String,
    /// What it is about.
    pub at: Place,
}

/// What a finding is about beside its place. Numbers are places in the tree's lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Queue.
    pub queue: Option<usize>,
    /// Ring of that queue and descriptor in it.
    pub descriptor: Option<(usize, usize)>,
    /// Variables.
    pub variables: Vec<u32>,
}

/// Gates in the order in which a loader meets them, and findings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notes {
    /// Gates.
    pub gates: Vec<Gate>,
    /// What keeps a loader from taking the program: gates that stop, and what else it refuses.
    pub refusals: Vec<Refusal>,
    /// All refusals, those that are not listed too.
    pub n_refusals: u64,
    /// Findings; a gate that stops has one too.
    pub findings: Findings,
    /// What some of them are about, by their number.
    pub about: BTreeMap<usize, About>,
}

impl Notes {
    /// A finding.
    pub fn find(
        &mut self,
        severity: Severity,
        code: &'static str,
        at: Place,
        message: impl Into<String>,
    ) {
        self.findings.push(severity, code, at, message);
    }

    /// A finding about things of the tree.
    pub fn find_about(
        &mut self,
        severity: Severity,
        code: &'static str,
        (at, about): (Place, About),
        message: impl Into<String>,
    ) {
        self.about.insert(self.findings.as_slice().len(), about);
        self.find(severity, code, at, message);
    }

    /// The loader stops with a text. The tree goes on, so that all of it can be seen.
    pub fn stop(&mut self, code: &'static str, at: Place, text: impl Into<String>, why: &str) {
        let text = text.into();
        let message = format!("{why}; a loader stops here with `{text}`");
        self.findings.push(Severity::Error, code, at.clone(), message);
        self.refusal(code, Some(text.clone()), why, &at);
        self.gate(Gate { code, text, stops: true, at });
    }

    /// The loader refuses the program with a text that is not published.
    pub fn refuse(&mut self, code: &'static str, at: Place, why: &str) {
        let message = format!("{why}; a loader refuses it, its text is not published");
        self.findings.push(Severity::Error, code, at.clone(), message);
        self.refusal(code, None, why, &at);
    }

    /// The loader writes a text and goes on.
    pub fn say(&mut self, code: &'static str, at: Place, text: impl Into<String>, why: &str) {
        let text = text.into();
        let message = format!("{why}; a loader goes on after `{text}`");
        self.findings.push(Severity::Info, code, at.clone(), message);
        self.gate(Gate { code, text, stops: false, at });
    }

    fn refusal(&mut self, code: &'static str, text: Option<String>, why: &str, at: &Place) {
        self.n_refusals += 1;
        if self.refusals.len() < MAX_GATES {
            self.refusals.push(Refusal { code, text, why: why.to_owned(), at: at.clone() });
        }
    }

    fn gate(&mut self, gate: Gate) {
        if self.gates.len() < MAX_GATES {
            self.gates.push(gate);
        }
    }
}

/// The start of an untrusted name, for a message.
pub fn shown(name: &str) -> String {
    match name.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}...", name.get(..end).unwrap_or_default()),
        None => name.to_owned(),
    }
}
