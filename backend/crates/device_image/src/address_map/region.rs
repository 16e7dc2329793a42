//! A named range of device addresses.

use records::{Engine, Provenance};

/// What a range holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RegionKind {
    /// Device memory.
    Hbm,
    /// Everything of one core.
    Core,
    /// On-chip memory of a core that engines compute in.
    StateBuffer,
    /// On-chip memory that PE adds up in.
    Psum,
    /// Events and semaphores.
    Events,
    /// A cell of the event accelerator, which rings copy to events.
    EventAccelerator,
    /// Memory of an engine: sequencer, tables, parameters.
    Engine,
    /// The processor of collectives.
    TopSp,
    /// Registers.
    Registers,
    /// A DMA engine.
    Dma,
    /// A notification block.
    Notifications,
    /// Memory that firmware and host talk through.
    Mailbox,
    /// Memory of the host or of another device.
    Outside,
}

impl RegionKind {
    /// The word of JSON documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Hbm => "hbm",
            Self::Core => "core",
            Self::StateBuffer => "state-buffer",
            Self::Psum => "psum",
            Self::Events => "events",
            Self::EventAccelerator => "event-accelerator",
            Self::Engine => "engine",
            Self::TopSp => "top-sp",
            Self::Registers => "registers",
            Self::Dma => "dma",
            Self::Notifications => "notifications",
            Self::Mailbox => "mailbox",
            Self::Outside => "outside",
        }
    }
}

/// A named range.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// First address.
    pub start: u64,
    /// Bytes.
    pub bytes: u64,
    /// Name for people.
    pub name: String,
    /// What it holds.
    pub kind: RegionKind,
    /// Core that it belongs to.
    pub core: Option<u32>,
    /// Engine that it belongs to.
    pub engine: Option<Engine>,
    /// Number among those of its kind: HBM, TOP_SP, DMA engine, notification block.
    pub index: Option<u32>,
    /// How sure place and size are.
    pub provenance: Provenance,
}

impl Region {
    /// A range of a kind.
    pub fn new(
        start: u64,
        bytes: u64,
        kind: RegionKind,
        name: impl Into<String>,
        provenance: Provenance,
    ) -> Self {
        Self {
            start,
            bytes,
            name: name.into(),
            kind,
            core: None,
            engine: None,
            index: None,
            provenance,
        }
    }

    /// Adds the core.
    #[must_use]
    pub fn of_core(self, core: u32) -> Self {
        Self { core: Some(core), ..self }
    }

    /// Adds the engine.
    #[must_use]
    pub fn of_engine(self, engine: Engine) -> Self {
        Self { engine: Some(engine), ..self }
    }

    /// Adds the number.
    #[must_use]
    pub fn numbered(self, index: u32) -> Self {
        Self { index: Some(index), ..self }
    }

    /// Whether an address lies in it.
    pub const fn contains(&self, address: u64) -> bool {
        address >= self.start && address - self.start < self.bytes
    }
}
