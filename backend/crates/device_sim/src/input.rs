//! What a run is given: cores with their images, their queues, and the choices of the user.

use device_image::{Generation, Image};
use records::{Engine, Slot};

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
        /// Subgraph, by name; any if `None`.
        subgraph: Option<String>,
        /// Whether it is an event.
        event: bool,
        /// Its id.
        id: u8,
        /// Which post: 1 is the first.
        nth: u64,
    },
    /// A core starts late.
    Delay {
        /// Its subgraph, by name.
        subgraph: String,
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
