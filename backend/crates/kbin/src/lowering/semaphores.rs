//! Semaphores that documents name: they are those of a core, and each is named once.

use std::collections::BTreeMap;

use neff::doc::Queue as FileQueue;
use neff::{Place, Severity, Subgraph};

use super::notes::{Notes, shown};

/// Semaphores of a core: a record has one byte for their number.
/// Spec: docs/format/streams.md "Record head" [observed].
const SEMAPHORES: u32 = 256;
/// Semaphores that a loader keeps for itself, where the definition does not say.
/// Spec: docs/format/documents.md "def.json" [observed].
const RESERVED: u64 = 3;

/// Entries that are named in one finding.
const NAMED: usize = 8;

/// Looks at the semaphores of a queue.
pub fn queue(subgraph: &Subgraph, source: &FileQueue, at: &Place, notes: &mut Notes) {
    let name = shown(&source.name);
    let what = format!("of queue `{name}`");
    let mut places: BTreeMap<u32, Vec<usize>> = BTreeMap::new();
    for (place, semaphore) in source.semaphores.iter().enumerate() {
        places.entry(*semaphore).or_default().push(place);
    }
    for (semaphore, places) in &places {
        range(*semaphore, &what, at, notes);
        if places.len() > 1 {
            let named: Vec<String> = places.iter().take(NAMED).map(usize::to_string).collect();
            let more = if places.len() > NAMED { " and others" } else { "" };
            let message = format!(
                "queue `{name}` has semaphore {semaphore} as entries {}{more} of its set, expected \
                 each once",
                named.join(" and ")
            );
            notes.find(Severity::Error, "kbin.semaphore-twice", at.clone(), message);
        }
    }
    let reserved = subgraph.definition.runtime_semaphore_count.unwrap_or(RESERVED);
    if let Some(own) = places.keys().next().filter(|own| u64::from(**own) < reserved) {
        let message = format!(
            "semaphore {own} of queue `{name}` is one of the {reserved} that a loader keeps for \
             itself"
        );
        notes.find(Severity::Warning, "kbin.semaphore-reserved", at.clone(), message);
    }
    if let Some(one) = source.unread_semaphore {
        let message = format!(
            "queue `{name}` has `semaphore` {one} and `semaphore_set`; the set is taken, the other \
             is not read"
        );
        notes.find(Severity::Warning, "kbin.semaphore-twice", at.clone(), message);
    }
}

/// Looks at the semaphore of a block: one of its queue.
pub fn block(semaphore: u32, queue: (&str, &[u32]), at: &Place, notes: &mut Notes) {
    let (name, all) = queue;
    range(semaphore, &format!("of a block of queue `{}`", shown(name)), at, notes);
    if semaphore < SEMAPHORES && !all.is_empty() && !all.contains(&semaphore) {
        let message = format!(
            "a block raises semaphore {semaphore}, which queue `{}` does not have",
            shown(name)
        );
        notes.find(Severity::Warning, "kbin.block-semaphore", at.clone(), message);
    }
}

/// Says that there is no such semaphore.
pub fn range(semaphore: u32, what: &str, at: &Place, notes: &mut Notes) {
    if semaphore >= SEMAPHORES {
        let message = format!(
            "semaphore {semaphore} {what} is none: a core has {SEMAPHORES}, 0 to {}",
            SEMAPHORES - 1
        );
        notes.find(Severity::Error, "kbin.semaphore-range", at.clone(), message);
    }
}
