//! What a subgraph's documents say about its streams: queues and blocks, names of variables.

use device_image::Subgraph;
use kbin::{Names, QueueContext};
use neff::doc::VarKind;
use neff::{Findings, Package};
use records::payload::transfer::DmaTrigger;
use records::{Engine, Opcode, Slot};
use std::collections::BTreeMap;

/// The program of a subgraph apart from its records.
pub struct SubgraphProgram {
    /// Queues, target and counts, as images are built from.
    pub subgraph: Subgraph,
    /// What was odd about the DMA blocks.
    pub findings: Findings,
    variables: Vec<String>,
    table: Vec<u32>,
    /// (engine, queue, block id) -> post at the end of the transfer.
    transfers: BTreeMap<(Engine, String, u32), QueueContext>,
}

impl SubgraphProgram {
    /// Reads the documents of the subgraph at an index.
    pub fn of(package: &Package, index: usize) -> Self {
        let mut findings = Findings::new();
        let subgraph = device_image::from_neff::subgraph(package, index, &mut findings)
            .unwrap_or_else(|| Subgraph::without_queues(device_image::Generation::Cayman));
        let mut program = Self {
            subgraph,
            findings,
            variables: Vec::new(),
            table: Vec::new(),
            transfers: BTreeMap::new(),
        };
        let Some(source) = package.subgraphs().get(index) else { return program };
        for variable in &source.definition.variables {
            let Some(id) = variable.var_id.and_then(|id| usize::try_from(id).ok()) else {
                continue;
            };
            // Ids are dense in sound files; a stray large one must not size the list.
            if id < source.definition.variables.len() {
                if program.variables.len() <= id {
                    program.variables.resize(id + 1, String::new());
                }
                if let Some(name) = program.variables.get_mut(id) {
                    name.clone_from(&variable.name);
                }
            }
            if variable.kind == VarKind::DgeTable {
                program.table = variable.list.clone().unwrap_or_default();
            }
        }
        let rings: BTreeMap<&str, u16> = source
            .definition
            .queues
            .iter()
            .filter_map(|queue| Some((queue.name.as_str(), u16::try_from(queue.num_queues?).ok()?)))
            .collect();
        for engine in Engine::ALL {
            // Findings about blocks were taken above; the same blocks give the same ones.
            for block in package.dma_blocks(source.engine(engine), &mut Findings::new()) {
                let (Some(queue), Some(id), Some(semaphore)) = (
                    block.queue,
                    block.id,
                    block.semaphore.and_then(|semaphore| u8::try_from(semaphore).ok()),
                ) else {
                    continue;
                };
                let rings = rings.get(queue.as_str()).copied().unwrap_or(1);
                program.transfers.insert((engine, queue, id), QueueContext { semaphore, rings });
            }
        }
        program
    }

    /// What the block of a DMA trigger posts when its transfer ends.
    pub fn transfer(&self, engine: Engine, slot: &Slot) -> Option<QueueContext> {
        let (queue, block) = trigger(slot)?;
        self.transfers.get(&(engine, queue, block)).copied()
    }

    /// Queues whose transfers post to a semaphore, by name.
    pub fn queues_of(&self, semaphore: u8) -> Vec<&str> {
        let own = self.transfers.iter().filter(|(_, queue)| queue.semaphore == semaphore);
        let mut names: Vec<&str> = own.map(|((_, queue, _), _)| queue.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Calls `with` with the names of this subgraph.
    pub fn with_names<T>(&self, with: impl FnOnce(Names<'_>) -> T) -> T {
        let variables: Vec<&str> = self.variables.iter().map(String::as_str).collect();
        with(Names { variables: &variables, table: &self.table })
    }
}

/// Queue name and block id of a DMA trigger; `None` for other records.
pub fn trigger(slot: &Slot) -> Option<(String, u32)> {
    if Opcode(slot.opcode_byte()) != Opcode::PSEUDO_DMATRIGGER {
        return None;
    }
    let trigger = DmaTrigger::of(slot);
    Some((text_of(&trigger.queue), trigger.block_id.get()))
}

/// Text of a fixed field up to its first NUL.
fn text_of(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(bytes.get(..end).unwrap_or(bytes)).into_owned()
}
