//! Small programs as NEFF files: streams of records and queues, made with the fixture builder.

#![allow(clippy::unwrap_used, reason = "a suite fails by panicking")]

use crate::case::{Case, HeaderText, MemberText};
use crate::neff_builder::build;
use records::build::{self, Draft};
use records::{Engine, Slot};
use serde_json::{Value, json};

/// A queue with blocks of one descriptor each.
#[derive(Clone, Debug)]
pub struct QueueText {
    /// Name, at most 31 bytes.
    pub name: &'static str,
    /// Engine that owns it.
    pub owner: Engine,
    /// `in` or `data`.
    pub kind: &'static str,
    /// Semaphore of each block; the id of a block is its place.
    pub semaphores: Vec<u8>,
}

/// One subgraph: streams by engine code, and queues.
#[derive(Clone, Debug, Default)]
pub struct SubgraphText {
    /// Streams.
    pub streams: [Vec<Slot>; 5],
    /// Queues.
    pub queues: Vec<QueueText>,
}

impl SubgraphText {
    /// A subgraph with the streams of some engines.
    pub fn of(streams: &[(Engine, &[Slot])]) -> Self {
        let mut made = Self::default();
        for (engine, slots) in streams {
            made.streams[engine.index()] = slots.to_vec();
        }
        made
    }

    /// The same with queues.
    #[must_use]
    pub fn with(self, queues: &[QueueText]) -> Self {
        Self { queues: queues.to_vec(), ..self }
    }
}

/// The file of some subgraphs; two of them are the cores of one logical core.
pub fn neff(subgraphs: &[SubgraphText]) -> Vec<u8> {
    let names: Vec<String> = (0..subgraphs.len()).map(|index| format!("sg{index:02}")).collect();
    let graphs: Vec<Value> = names
        .iter()
        .map(|name| json!({"name": name, "definition": format!("{name}/def.json")}))
        .collect();
    let kelf = json!({"graphs": graphs, "version": "0.5", "target": "cayman"});
    let mut members = vec![
        text("kelf-0.json", &kelf),
        text("neff.json", &json!({"nodes": [], "arg_nodes": [], "heads": []})),
    ];
    for (name, subgraph) in names.iter().zip(subgraphs) {
        members.extend(members_of(name, subgraph));
    }
    let lnc_size = Some(u32::try_from(subgraphs.len()).unwrap());
    let header = HeaderText { lnc_size, ..HeaderText::default() };
    build(&Case { header, members, ..Case::default() }).unwrap()
}

fn members_of(name: &str, subgraph: &SubgraphText) -> Vec<MemberText> {
    let mut definition = json!({
        "name": "definition",
        "version": "0.6",
        "var": {
            "SB": {"type": "state-buffer", "var_id": 0},
            "x": {"type": "input", "var_id": 1, "size": 4096},
            "y": {"type": "output", "var_id": 2, "size": 4096},
            "t": {"type": "tmp-buf", "var_id": 3, "size": 4096},
        },
        "dma_queue": {},
    });
    for queue in &subgraph.queues {
        definition["dma_queue"][queue.name] = json!({
            "owner": queue.owner.key(),
            "type": queue.kind,
            "num_queues": 16,
            "semaphore_set": queue.semaphores,
        });
    }
    let mut members = Vec::new();
    for engine in Engine::ALL {
        let key = engine.key();
        definition[key] = json!(format!("{key}.json"));
        let blocks: Vec<Value> = subgraph
            .queues
            .iter()
            .filter(|queue| queue.owner == engine)
            .flat_map(|queue| queue.semaphores.iter().enumerate().map(move |one| (queue, one)))
            .map(|(queue, (id, semaphore))| {
                // Blocks of different numbers of descriptors: contiguous ones and rows apart.
                let step = if id % 2 == 0 { 16 } else { 32 };
                let source = if queue.kind == "in" { "x" } else { "t" };
                json!({
                    "queue": queue.name,
                    "id": id,
                    "semaphore": semaphore,
                    "desc": [{
                        "op": "copy",
                        "from": source, "from_off": 0, "from_sizes": [16, 128],
                        "from_steps": [1, step], "from_dtype": "float32",
                        "to": "SB", "to_off": 0, "to_sizes": [16, 128],
                        "to_steps": [1, 262_144], "to_dtype": "float32",
                    }],
                })
            })
            .collect();
        let document = json!({"name": key, "instr": format!("{key}.bin"), "dma": blocks});
        members.push(text(&format!("{name}/{key}.json"), &document));
        let bytes = Slot::bytes_of(&subgraph.streams[engine.index()]);
        members.push(MemberText {
            name: format!("{name}/{key}.bin"),
            hex: Some(bytes.iter().map(|byte| format!("{byte:02x}")).collect()),
            ..MemberText::default()
        });
    }
    members.push(text(&format!("{name}/def.json"), &definition));
    members
}

fn text(name: &str, value: &Value) -> MemberText {
    MemberText { name: name.to_owned(), text: Some(value.to_string()), ..MemberText::default() }
}

/// Waits until a semaphore is at least a value.
pub fn wait(semaphore: u8, value: u32) -> Slot {
    build::semaphore_wait(semaphore, build::Wait::Ge, value)
}

/// Waits until a semaphore is exactly a value.
pub fn wait_exactly(semaphore: u8, value: u32) -> Slot {
    build::semaphore_wait(semaphore, build::Wait::Eq, value)
}

/// Adds 1 to a semaphore.
pub fn post(semaphore: u8) -> Slot {
    build::semaphore_add(semaphore, 1)
}

/// Starts a block of a queue.
pub fn trigger(queue: &str, block: u32) -> Slot {
    Draft::new(0xC1).bytes(0x0C, queue.as_bytes()).u32(0x30, block).slot()
}

/// Posts descriptors of a queue by number rather than by block.
pub fn trigger_raw(queue: &str, count: u32) -> Slot {
    Draft::of(trigger(queue, count)).u8(0x2C, 1).slot()
}

/// A record of one of the runtime's pseudo operations with a name at 0x0C.
pub fn pseudo(opcode: u8, name: &str) -> Slot {
    Draft::new(opcode).bytes(0x0C, name.as_bytes()).slot()
}
