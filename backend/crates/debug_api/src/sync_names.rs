//! Names of events and semaphores: the runtime's, that of the queue whose transfers count there, or
//! who posts and who waits.

use crate::answer::Provenance;
use crate::links::Links;
use crate::program::SubgraphProgram;
use device_image::sync_events::reserved_name;
use records::sync_mode::{UpdateKind, WaitKind};
use records::{Engine, Slot};

/// An event or semaphore that a record names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyncId {
    /// Whether it is an event.
    pub event: bool,
    /// Id.
    pub id: u8,
    /// What is done to it; `None` where the record waits for it.
    pub update: Option<UpdateKind>,
}

/// The events and semaphores of a record, waits first.
pub fn of_record(slot: &Slot) -> Vec<SyncId> {
    let sync = records::Sync::of(slot);
    let waits = sync.waits().filter_map(|wait| {
        let event = matches!(wait.mode.kind()?, WaitKind::Event { .. });
        Some(SyncId { event, id: wait.index, update: None })
    });
    let updates = sync.updates().filter_map(|update| {
        let kind = update.mode.kind()?;
        Some(SyncId { event: kind.is_event(), id: update.index, update: Some(kind) })
    });
    waits.chain(updates).collect()
}

impl SyncId {
    /// `event 8` or `semaphore 3`.
    pub fn text(self) -> String {
        format!("{} {}", if self.event { "event" } else { "semaphore" }, self.id)
    }
}

/// The name of an event or semaphore of a subgraph, and where it comes from. The runtime keeps some
/// ids; others are named by the queue whose transfers count there, else by the engines that post
/// and wait, which is inferred.
pub fn name(program: &SubgraphProgram, links: &Links, of: SyncId) -> (String, Provenance) {
    if let Some(name) = reserved_name(of.event, of.id) {
        return (name, Provenance::Inferred);
    }
    if !of.event {
        let queues = program.queues_of(of.id);
        if let Some(first) = queues.first() {
            let more = match queues.len() {
                1 => String::new(),
                several => format!(" and {} more queues", several - 1),
            };
            return (format!("transfers of {first}{more}"), Provenance::File);
        }
    }
    let [posts, waits] = links.users(of.event, of.id);
    let list = |engines: &[Engine], none: &str| match engines {
        [] => none.to_owned(),
        some => some.iter().map(|engine| engine.name()).collect::<Vec<_>>().join(", "),
    };
    let text = format!(
        "{} to {}",
        list(&posts, "outside the program"),
        list(&waits, "nobody in the program")
    );
    (text, Provenance::Inferred)
}

/// All names of a record in one line: `event 8 HW_EXEC_QUEUE_REQUEST_LOAD; semaphore 4 PE to ACT`.
pub fn line(program: &SubgraphProgram, links: &Links, slot: &Slot) -> String {
    let mut parts: Vec<String> = Vec::new();
    for of in of_record(slot) {
        let part = format!("{} {}", of.text(), name(program, links, of).0);
        if !parts.contains(&part) {
            parts.push(part);
        }
    }
    parts.join("; ")
}
