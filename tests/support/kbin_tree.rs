//! Trees of records of the case `every-record` with changes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::case::{Case, change};
use crate::fixtures::case;
use crate::neff_builder::build;
use crate::workspace_root;
use kbin::{Kbin, Options};
use neff::{Findings, Limits, Severity};

/// Definition.
pub const DEF: &str = "sg00/def.json";
/// Document of the POOL engine.
pub const POOL: &str = "sg00/pool.json";

/// The tree of a program; every record of it is whole, whatever is wrong.
pub fn tree_of(case: &Case, options: &Options) -> Kbin {
    let bytes = build(case).unwrap();
    let package = neff::open(&bytes, &Limits::default(), &mut Findings::new()).unwrap();
    let mut tree = Kbin::build(&package, 0, options).unwrap();
    tree.check_patterns();
    for entry in tree.records() {
        let bytes = tree.record_bytes(&package, entry.id, 0, u64::MAX);
        assert_eq!(bytes.len() as u64, entry.bytes, "{}", entry.name);
        assert!(tree.record_fields(&package, entry.id, 0, 100).iter().all(|one| one.bytes > 0));
    }
    tree
}

/// Member, text in it, and what it becomes.
pub type Changes<'a> = &'a [(&'a str, &'a str, &'a str)];

/// The tree of the case `every-record` with changes.
pub fn changed(changes: Changes<'_>) -> Kbin {
    let mut case = case(&workspace_root(), "every-record").unwrap();
    for (member, from, to) in changes {
        change(&mut case, member, from, to);
    }
    tree_of(&case, &Options::default())
}

/// Texts with which a loader stops.
pub fn stops(tree: &Kbin) -> Vec<&str> {
    let gates = tree.notes.gates.iter().filter(|gate| gate.stops);
    gates.map(|gate| gate.text.as_str()).collect()
}

/// Codes of findings that are more than facts.
pub fn codes(tree: &Kbin) -> Vec<&str> {
    let findings = tree.notes.findings.as_slice().iter();
    findings.filter(|one| one.severity > Severity::Info).map(|one| one.code).collect()
}
