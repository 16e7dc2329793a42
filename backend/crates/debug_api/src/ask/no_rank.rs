//! Files of a session that are no ranks, wherever its executables are.

use crate::answer::{At, Finding};
use crate::file::{FileKind, OpenFile};
use crate::names::labels;
use std::sync::Arc;

/// A finding for each file that stands among the executables and has no plan. Profiles and source
/// text belong to executables.
pub fn no_ranks(files: &[Arc<OpenFile>]) -> Vec<Finding> {
    let labels = labels(files);
    let told = files.iter().zip(labels).filter_map(|(file, name)| {
        let (severity, is) = match file.kind() {
            FileKind::Dump => ("warning", "a memory dump"),
            FileKind::Ntff => ("info", "a capture"),
            FileKind::Neff | FileKind::Profile | FileKind::Source => return None,
        };
        Some(Finding {
            code: "collectives.no-rank".to_owned(),
            severity: severity.to_owned(),
            message: format!(
                "{name} is {is} and no rank: ranks are the executables alone, in their order"
            ),
            at: At::default(),
        })
    });
    told.collect()
}
