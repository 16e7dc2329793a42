//! Answers `slots`.

use crate::answer::{Provenance, SCHEMA, SlotRow, SlotsAnswer, Sync};
use crate::convert::hex_bytes;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::links::Links;
use crate::program::SubgraphProgram;
use crate::request::Scope;
use crate::scope;
use crate::sources::Sources;
use crate::sync_names::{SyncId, name};
use records::sync::SyncParts;
use records::sync_mode::{UpdateKind, WaitKind};
use records::{Engine, Opcode, Slot};
use std::sync::Arc;

/// The records of one engine stream.
pub fn slots(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    from: u32,
    count: Option<u32>,
) -> Result<SlotsAnswer, ApiError> {
    let file = scope::neff(files, scope.f)?;
    let (index, subgraph) = scope::subgraph(file, scope)?;
    let engine = scope::engine(scope)?;
    let stream = file.streams(index).get(engine.index()).copied().unwrap_or(&[]);
    let (program, links) = (file.program(index), file.links(index));
    let named = Named { sources: &file.sources(index), program: &program, links: &links };
    let count = count.map_or(usize::MAX, |count| count as usize);
    let rows = stream.iter().zip(0_u32..).skip(from as usize).take(count);
    Ok(SlotsAnswer {
        schema: SCHEMA,
        subgraph: subgraph.name.clone(),
        engine: engine.name().to_owned(),
        total: stream.len() as u64,
        slots: rows.map(|(slot, index)| named.row(engine, index, slot)).collect(),
        provenance: Provenance::File,
    })
}

/// What names the parts of a record.
struct Named<'a> {
    sources: &'a Sources,
    program: &'a SubgraphProgram,
    links: &'a Links,
}

impl Named<'_> {
    fn row(&self, engine: Engine, index: u32, slot: &Slot) -> SlotRow {
        let sync = records::Sync::of(slot);
        let wait = |wait: records::Wait| {
            let event = wait.mode.kind().map(|kind| matches!(kind, WaitKind::Event { .. }));
            self.part(wait.parts(), event)
        };
        let update = |update: records::Update| {
            let event = update.mode.kind().map(UpdateKind::is_event);
            self.part(update.parts(), event)
        };
        SlotRow {
            slot: index,
            neff_ip: index.saturating_add(1),
            opcode: slot.opcode_byte(),
            mnemonic: Opcode(slot.opcode_byte()).mnemonic().map(str::to_owned),
            hex: hex_bytes(slot.bytes()),
            wait: sync.wait.map(wait),
            update: sync.update.map(update),
            wait2: sync.wait2.map(wait),
            update2: sync.update2.map(update),
            text: kbin::disasm::text(slot),
            source: self.sources.items(engine, index),
            dma: self.sources.dma(engine, slot),
        }
    }

    /// A wait or update; `event` is not known for a mode without a name.
    fn part(&self, parts: SyncParts, event: Option<bool>) -> Sync {
        let named = event.map(|event| {
            name(self.program, self.links, SyncId { event, id: parts.index, update: None })
        });
        let (name, name_provenance) = named.unzip();
        Sync {
            mode: parts.mode,
            op: parts.op.map(str::to_owned),
            index: parts.index,
            value: parts.value,
            name,
            name_provenance,
        }
    }
}
