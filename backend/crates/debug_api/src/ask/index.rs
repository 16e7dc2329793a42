//! Answers `index`: variables and queues by name.

use super::kbin::tree;
use super::kbin_links::variable_page;
use crate::answer::{IndexAnswer, RecordInfo, SCHEMA};
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::find::Words;
use crate::plain::quoted;
use crate::request::Scope;
use std::sync::Arc;

/// Lines of one answer.
const MOST: u32 = 4_096;

/// Variables and queues of a subgraph.
///
/// # Errors
/// As a scope.
pub fn index(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    from: u32,
    count: Option<u32>,
    wanted: Option<&str>,
) -> Result<IndexAnswer, ApiError> {
    let (_, _, tree) = tree(files, scope)?;
    let words = Words::of(wanted);
    let line = |name: String, kind: String, bytes: u64| RecordInfo {
        name,
        kind,
        bytes,
        model_offset: None,
        hit: None,
        total_hits: 0,
        hits: Vec::new(),
        rows: None,
        part: None,
    };
    let queues = tree.queues.iter().map(|queue| {
        let kind = queue.ring_type.name().unwrap_or("LAST");
        line(
            format!("queue.{}", quoted(&queue.name)),
            format!("{kind} queue"),
            queue.n_descriptors(),
        )
    });
    let variables = tree.variables.iter().enumerate().map(|(at, variable)| {
        let kind = variable.kind.name().unwrap_or("INVALID");
        let mut about = format!("{kind}, id {}", variable.id);
        if tree.repeated.contains(&at) {
            about.push_str(&format!(", also named {}", quoted(&variable.name)));
        }
        line(variable_page(&tree, at), about, variable.size)
    });
    let fits =
        |one: &RecordInfo| words.is_empty() || words.in_text(&format!("{} {}", one.name, one.kind));
    let found: Vec<RecordInfo> = queues.chain(variables).filter(fits).collect();
    let count = count.unwrap_or(MOST).min(MOST) as usize;
    Ok(IndexAnswer {
        schema: SCHEMA,
        subgraph: tree.subgraph.clone(),
        from: u64::from(from),
        total: found.len() as u64,
        records: found.into_iter().skip(from as usize).take(count).collect(),
    })
}
