//! The program as the image builder needs it: source slots and the facts about queues and target
//! that decide what the runtime adds. Plain values; where they come from is another module.

use neff::Place;
use records::{Engine, Provenance, Slot};

/// Chip generation of a program or profile.
/// Spec: docs/format/profiles.md "Generations" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// Trn1 and Inf2, code 2.
    Sunda,
    /// Trn2, code 3.
    Cayman,
    /// Trn3, code 4.
    Mariana,
}

impl Generation {
    /// All generations, oldest first.
    pub const ALL: [Generation; 3] = [Self::Sunda, Self::Cayman, Self::Mariana];

    /// The lower-case name: `sunda`, `cayman`, `mariana`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sunda => "sunda",
            Self::Cayman => "cayman",
            Self::Mariana => "mariana",
        }
    }

    /// The generation that a target text names; `*` (any) counts as cayman. `None` for any other
    /// text.
    pub fn of_target(target: &str) -> Option<Self> {
        if target == "*" {
            return Some(Self::Cayman);
        }
        Self::ALL.into_iter().find(|generation| generation.name() == target)
    }
}

/// What a queue is used for; decides its set-up.
/// Spec: docs/format/profiles.md "Queues" [observed].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QueueKind {
    /// `in`: moves a model input or output on one side.
    In,
    /// `out`: accepted, treated as `in`.
    Out,
    /// `data`: both sides are known when the model is loaded.
    Data,
    /// `dynamic`: descriptors are made while the program runs.
    Dynamic,
    /// Any other word.
    Other(String),
}

impl QueueKind {
    /// The kind that a word names; unknown words are kept.
    pub fn of_word(word: &str) -> Self {
        match word {
            "in" => Self::In,
            "out" => Self::Out,
            "data" => Self::Data,
            "dynamic" => Self::Dynamic,
            other => Self::Other(other.to_owned()),
        }
    }

    /// The word in the document.
    pub fn word(&self) -> &str {
        match self {
            Self::In => "in",
            Self::Out => "out",
            Self::Data => "data",
            Self::Dynamic => "dynamic",
            Self::Other(word) => word,
        }
    }

    /// Whether one side is filled by the I/O queue switch.
    pub const fn is_io(&self) -> bool {
        matches!(self, Self::In | Self::Out)
    }

    /// Whether a recipe for its set-up is known.
    pub const fn has_recipe(&self) -> bool {
        matches!(self, Self::In | Self::Out | Self::Data)
    }
}

/// Descriptors that one trigger of a block posts to each ring.
/// Spec: docs/format/profiles.md "Counts per trigger" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockCounts {
    /// Descriptors on the read side.
    pub read: u32,
    /// Descriptors on the write side.
    pub write: u32,
    /// How sure the two numbers are.
    pub provenance: Provenance,
}

/// One DMA block of a queue, as far as the image needs it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueBlock {
    /// Id by which a trigger names it; unique in its queue.
    pub id: u32,
    /// Descriptor counts of one trigger.
    pub counts: BlockCounts,
}

/// A DMA queue of the subgraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Name, at most 31 bytes in a trigger record.
    pub name: String,
    /// Names of its ring instances; empty for one of the queue's own name.
    pub instances: Vec<String>,
    /// Engine that owns it.
    pub owner: Engine,
    /// Use of the queue.
    pub kind: QueueKind,
    /// Whether the read side touches a model input or output.
    pub io_read: bool,
    /// Whether the write side touches a model input or output.
    pub io_write: bool,
    /// Its blocks, ascending by id.
    pub blocks: Vec<QueueBlock>,
}

impl Queue {
    /// The block with this id.
    pub fn block(&self, id: u32) -> Option<&QueueBlock> {
        let at = self.blocks.binary_search_by_key(&id, |block| block.id).ok()?;
        self.blocks.get(at)
    }
}

/// What all engines of one subgraph share.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Subgraph {
    /// Name, for example `sg00`.
    pub name: String,
    /// 0-based position among the subgraphs of the file.
    pub index: u32,
    /// Number of subgraphs in the file.
    pub count: u32,
    /// Target generation.
    pub generation: Generation,
    /// Queues in the order of [`Subgraph::number_queues`]: the position is the queue number.
    /// Spec: docs/format/profiles.md "Queues" [observed].
    pub queues: Vec<Queue>,
    /// Whether the activation engine uses a function set.
    pub activation_set: bool,
    /// Physical cores of the logical core, at least 1.
    pub cores: u32,
    /// Whether the program brings micro-code libraries along.
    pub libraries: bool,
}

impl Subgraph {
    /// A subgraph without queues.
    pub fn without_queues(generation: Generation) -> Self {
        Self {
            name: String::from("sg00"),
            index: 0,
            count: 1,
            generation,
            queues: Vec::new(),
            activation_set: false,
            cores: 1,
            libraries: false,
        }
    }

    /// Puts the queues in the order of their numbers: those of type `data` first, then all others,
    /// each ascending by name. Dynamic queues take part.
    /// Spec: docs/format/profiles.md "Queues" [observed].
    pub fn number_queues(&mut self) {
        let order = |queue: &Queue| (queue.kind != QueueKind::Data, queue.name.clone());
        self.queues.sort_by_cached_key(order);
    }

    /// Queue number and queue of a name, which may be that of an instance of its ring.
    pub fn queue(&self, name: &str) -> Option<(u32, &Queue)> {
        let own = self.queues.iter().position(|queue| queue.name == name);
        let has = |queue: &Queue| queue.instances.iter().any(|one| one == name);
        let at = own.or_else(|| self.queues.iter().position(has))?;
        Some((u32::try_from(at).ok()?, self.queues.get(at)?))
    }

    /// Number of queues whose one side the I/O switch fills.
    pub fn io_queues(&self) -> u32 {
        let n = self.queues.iter().filter(|queue| queue.kind.is_io()).count();
        u32::try_from(n).unwrap_or(u32::MAX)
    }
}

/// One engine's program.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    /// Subgraph it belongs to.
    pub subgraph: &'a Subgraph,
    /// Engine that runs it.
    pub engine: Engine,
    /// Source records.
    pub slots: &'a [Slot],
}

impl Program<'_> {
    /// Bytes of the stream.
    pub const fn stream_bytes(&self) -> u64 {
        self.slots.len() as u64 * records::SLOT_BYTES as u64
    }

    /// The engine, for findings.
    pub fn whole_place(&self) -> Place {
        Place::engine(self.subgraph.name.clone(), self.engine.name())
    }

    /// A record of the stream, for findings: the offset is that in the stream.
    pub fn place(&self, slot: u32) -> Place {
        let offset = u64::from(slot) * records::SLOT_BYTES as u64;
        Place { offset: Some(offset), ..self.whole_place() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_name_generations() {
        assert_eq!(Generation::of_target("*"), Some(Generation::Cayman));
        assert_eq!(Generation::of_target("sunda"), Some(Generation::Sunda));
        assert_eq!(Generation::of_target("SUNDA"), None);
    }

    #[test]
    fn data_queues_have_the_lowest_numbers() {
        let queue = |name: &str, kind| Queue {
            instances: Vec::new(),
            name: name.to_owned(),
            owner: Engine::Sp,
            kind,
            io_read: false,
            io_write: false,
            blocks: Vec::new(),
        };
        let mut subgraph = Subgraph {
            queues: vec![
                queue("qSPIO0", QueueKind::In),
                queue("qSPSpillReload0", QueueKind::Data),
                queue("qPoolIO0", QueueKind::In),
                queue("qActSpillReload0", QueueKind::Data),
                queue("qPoolSpillReload0", QueueKind::Data),
            ],
            ..Subgraph::without_queues(Generation::Cayman)
        };
        subgraph.number_queues();
        let numbers =
            ["qActSpillReload0", "qPoolSpillReload0", "qSPSpillReload0", "qPoolIO0", "qSPIO0"]
                .map(|name| subgraph.queue(name).map(|(number, _)| number));
        assert_eq!(numbers, [Some(0), Some(1), Some(2), Some(3), Some(4)]);
    }

    #[test]
    fn unknown_queue_words_are_kept() {
        assert_eq!(QueueKind::of_word("pinned").word(), "pinned");
        assert!(!QueueKind::of_word("pinned").has_recipe());
    }
}
