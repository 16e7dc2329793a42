//! What ends a run at one record.

use records::Engine;

use crate::gate::SyncId;

/// A record that cannot run, or does something that no program may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// 0-based core of the run.
    pub core: usize,
    /// Engine.
    pub engine: Engine,
    /// 0-based image slot.
    pub slot: u32,
    /// What is wrong.
    pub kind: FaultKind,
}

/// What is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// The operation code is not assigned.
    #[error("no generation has the operation code {0:#04x}")]
    Opcode(u8),
    /// A mode byte without a meaning.
    #[error("a wait or update has a mode byte without a meaning")]
    Mode,
    /// An operand leaves its memory.
    #[error("an operand leaves the memory of its partition: {0}")]
    Operand(String),
    /// A branch leaves the image.
    #[error("the branch goes to {0}, outside the image")]
    BranchOutside(String),
    /// A branch goes into the middle of a slot.
    #[error("the branch goes to {0}, which is no multiple of 64 bytes from the start of the image")]
    BranchUnaligned(String),
    /// A branch with a target mode or condition that is not known.
    #[error("the branch has a {what} {value} without a meaning")]
    BranchForm {
        /// Target mode or condition.
        what: &'static str,
        /// The byte.
        value: u8,
    },
    /// The program goes on behind its last slot.
    #[error("the program goes on behind the last slot of its image")]
    RunsOut,
    /// An access to an address where nothing is.
    #[error("nothing is at the address {0:#x}")]
    Access(u64),
    /// A queue without descriptors is started.
    #[error("descriptors of queue {0} are posted, and its rings have none")]
    RingEmpty(String),
    /// More descriptors than a ring has.
    #[error("queue {queue} has {posted} descriptors posted on a ring that has {total}")]
    RingOverrun {
        /// Queue.
        queue: String,
        /// Posted, this time included.
        posted: u64,
        /// All that there are.
        total: u64,
    },
    /// A queue is started before its rings were set up.
    #[error("descriptors of queue {0} are posted before its rings are told where they lie")]
    RingBase(String),
    /// A doorbell of a queue that nobody declares.
    #[error("descriptors of queue number {0} are posted, and the program has no such queue")]
    RingUnknown(u8),
    /// A block moves bytes outside a variable.
    #[error("block {block} of queue {queue} leaves its variable: {what}")]
    BlockOutside {
        /// Queue.
        queue: String,
        /// Block id.
        block: u32,
        /// Which bytes.
        what: String,
    },
    /// An operation on registers that has no result.
    #[error("the register operation {0:#04x} has no result here")]
    Alu(u8),
    /// A register that is not there.
    #[error("there is no register {0}")]
    Register(u64),
    /// More is started than is kept in mind.
    #[error("more than {0} transfers and posts are under way: the program starts them without end")]
    Backlog(usize),
    /// Ranks start different collectives together.
    #[error(
        "the ranks disagree: here {here}, and rank {rank} starts {there} as the same collective"
    )]
    RanksDisagree {
        /// What starts here.
        here: String,
        /// The other rank.
        rank: u32,
        /// What starts there.
        there: String,
    },
    /// A semaphore leaves its range.
    #[error("{0} leaves the range of a signed 32-bit counter")]
    SemaphoreRange(SyncId),
}

impl FaultKind {
    /// The word of documents.
    pub const fn word(&self) -> &'static str {
        match self {
            Self::Opcode(_) => "opcode",
            Self::Mode => "mode",
            Self::Operand(_) => "operand",
            Self::BranchOutside(_) => "branch-outside",
            Self::BranchUnaligned(_) => "branch-unaligned",
            Self::BranchForm { .. } => "branch-form",
            Self::RunsOut => "runs-out",
            Self::Access(_) => "access",
            Self::RingEmpty(_) => "ring-empty",
            Self::RingOverrun { .. } => "ring-overrun",
            Self::RingBase(_) => "ring-base",
            Self::RingUnknown(_) => "ring-unknown",
            Self::BlockOutside { .. } => "block-outside",
            Self::Alu(_) => "alu",
            Self::Register(_) => "register",
            Self::Backlog(_) => "backlog",
            Self::SemaphoreRange(_) => "semaphore-range",
            Self::RanksDisagree { .. } => "ranks-disagree",
        }
    }
}
