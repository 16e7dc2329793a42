//! Answers `slots`.

use crate::answer::{Provenance, SCHEMA, SlotRow, SlotsAnswer, Sync};
use crate::convert::hex_bytes;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::request::Scope;
use crate::scope;
use crate::sources::Sources;
use records::sync::SyncParts;
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
    let sources = file.sources(index);
    let count = count.map_or(usize::MAX, |count| count as usize);
    let rows = stream.iter().zip(0_u32..).skip(from as usize).take(count);
    Ok(SlotsAnswer {
        schema: SCHEMA,
        subgraph: subgraph.name.clone(),
        engine: engine.name().to_owned(),
        total: stream.len() as u64,
        slots: rows.map(|(slot, index)| row(&sources, engine, index, slot)).collect(),
        provenance: Provenance::File,
    })
}

fn row(sources: &Sources, engine: Engine, index: u32, slot: &Slot) -> SlotRow {
    let sync = records::Sync::of(slot);
    SlotRow {
        slot: index,
        neff_ip: index.saturating_add(1),
        opcode: slot.opcode_byte(),
        mnemonic: Opcode(slot.opcode_byte()).mnemonic().map(str::to_owned),
        hex: hex_bytes(slot.bytes()),
        wait: sync.wait.map(|wait| part(wait.parts())),
        update: sync.update.map(|update| part(update.parts())),
        wait2: sync.wait2.map(|wait| part(wait.parts())),
        update2: sync.update2.map(|update| part(update.parts())),
        text: kbin::disasm::text(slot),
        source: sources.items(engine, index),
        dma: sources.dma(engine, slot),
    }
}

fn part(parts: SyncParts) -> Sync {
    Sync {
        mode: parts.mode,
        op: parts.op.map(str::to_owned),
        index: parts.index,
        value: parts.value,
    }
}
