//! What a run is given: cores with their images, their queues, and the choices of the user.

use device_image::collectives::Act;
use device_image::{Generation, Image};
use records::{Engine, NeffIp, Slot};

use crate::region::Region;

/// One engine of a core.
#[derive(Clone, Copy, Debug)]
pub struct EngineInput<'a> {
    /// Its device image, modelled or captured.
    pub image: &'a Image,
    /// Device address of the image.
    pub base: u64,
    /// The stream that the image was made from.
    pub stream: &'a [Slot],
}

/// One block of a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Id by which a trigger names it.
    pub id: u32,
    /// Descriptors of one ring, read side.
    pub read: u32,
    /// Descriptors of one ring, write side.
    pub write: u32,
    /// Bytes that all rings move together.
    pub bytes: u64,
    /// Semaphore that each ring adds 1 to; `None` if nobody says which.
    pub semaphore: Option<u8>,
    /// Why its bytes leave a variable, in words; `None` for a sound block.
    pub outside: Option<String>,
    /// What it reads, and what it writes (`true`), as far as that is known.
    pub touches: Vec<(Region, bool)>,
}

/// A DMA queue. Its place in the list is its number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Name.
    pub name: String,
    /// Engine that owns it.
    pub owner: Engine,
    /// Rings that take part, 1 to 16.
    pub rings: u8,
    /// Whether its transfers are made by records themselves, without rings that are set up.
    pub is_dynamic: bool,
    /// Blocks in ring order: ascending by id.
    pub blocks: Vec<Block>,
}

/// A collective that a core starts.
/// Spec: docs/format/simulator.md "Collectives" [modelled].
#[derive(Clone, Debug, PartialEq)]
pub struct Collective {
    /// Engine that starts it.
    pub engine: Engine,
    /// The record that does.
    pub ip: NeffIp,
    /// What all members must agree on, in words.
    pub what: String,
    /// Ranks that take part, in their order; empty if that is not known.
    pub group: Vec<u32>,
    /// Place of this rank in the group.
    pub member: u32,
    /// What this rank does, in its order; `None` if the program is not known.
    pub acts: Option<Vec<Act>>,
    /// Bytes of the message.
    pub bytes: u64,
    /// Whether the entry before it starts it.
    pub is_continued: bool,
}

/// An entry of the control table of a TOP_SP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Index of its collective.
    pub collective: usize,
    /// Takes no part, and only keeps step.
    pub is_nop: bool,
    /// Starts the next entry when it is done.
    pub trigger_next: bool,
    /// Tells the engines that the collective is done.
    pub reporter: bool,
    /// Waits for the TOP_SP before.
    pub wait_complete: bool,
    /// Tells the TOP_SP behind.
    pub send_complete: bool,
}

/// One core that runs.
#[derive(Clone, Debug)]
pub struct CoreInput<'a> {
    /// Name of its subgraph.
    pub name: &'a str,
    /// 0-based rank that it belongs to.
    pub rank: u32,
    /// Generation of the chip.
    pub generation: Generation,
    /// Physical core.
    pub core: u32,
    /// Engines by code.
    pub engines: [EngineInput<'a>; 5],
    /// Queues by number.
    pub queues: Vec<Queue>,
    /// Variable ids in the list of the table variable.
    pub table: Vec<u32>,
    /// Collectives that it starts.
    pub collectives: Vec<Collective>,
    /// Number on the chip and control table of each of its TOP_SPs.
    pub top_sps: Vec<(u32, Vec<Entry>)>,
}

/// Something that a user breaks on purpose.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WhatIf {
    /// A ring of a queue stops moving.
    StallRing {
        /// Queue, by name.
        queue: String,
        /// 0-based ring.
        ring: u8,
    },
    /// One post to a semaphore or event is lost.
    DropPost {
        /// Rank; any if `None`.
        rank: Option<u32>,
        /// Subgraph, by name; any if `None`.
        subgraph: Option<String>,
        /// Whether it is an event.
        event: bool,
        /// Its id.
        id: u8,
        /// Which post: 1 is the first.
        nth: u64,
    },
    /// One post of the TOP_SPs of a rank to another rank is lost.
    DropLink {
        /// Rank that posts.
        rank: u32,
        /// Which of its posts: 1 is the first.
        nth: u64,
    },
    /// A core starts late.
    Delay {
        /// Rank; any if `None`.
        rank: Option<u32>,
        /// Its subgraph, by name; any if `None`.
        subgraph: Option<String>,
        /// By so much.
        ns: u64,
    },
}

/// Choices of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Inferences, at least 1.
    pub inferences: u32,
    /// Shuffles what happens at the same instant; the stated order if `None`.
    pub seed: Option<u64>,
    /// Scheduler steps after which the run ends.
    pub max_events: u64,
    /// Each engine stops at the end of its MAIN.
    pub until_main_end: bool,
    /// Things broken on purpose.
    pub what_if: Vec<WhatIf>,
}

/// Scheduler steps of a run unless the user says otherwise.
pub const DEFAULT_EVENTS: u64 = 50_000_000;
/// Most scheduler steps that a user can ask for.
pub const MAX_EVENTS: u64 = 1_000_000_000;
/// Most inferences that a user can ask for.
pub const MAX_INFERENCES: u32 = 1_000_000;

impl Default for Setting {
    fn default() -> Self {
        Self {
            inferences: 1,
            seed: None,
            max_events: DEFAULT_EVENTS,
            until_main_end: false,
            what_if: Vec::new(),
        }
    }
}
