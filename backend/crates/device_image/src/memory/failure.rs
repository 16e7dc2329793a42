//! What cannot be loaded.

use crate::dmem::Status;

/// Something that cannot be loaded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// Index of the model.
    pub model: usize,
    /// Index of the subgraph in it; `None` for all of a group.
    pub subgraph: Option<usize>,
    /// What, in the runtime's words where they are known.
    pub what: String,
    /// Status of the runtime; `None` where it ends instead.
    pub status: Option<Status>,
    /// HBM.
    pub hbm: u32,
    /// Bytes that the driver was asked for; 0 where it was not asked.
    pub bytes: u64,
    /// Alignment that it was asked for; 0 for none.
    pub alignment: u64,
    /// Bytes that were free in that HBM.
    pub free_bytes: u64,
    /// The largest free range among them, from its first aligned address on.
    pub largest_free_bytes: u64,
}

impl Failure {
    /// Bytes that the largest free range lacks.
    pub const fn short_bytes(&self) -> u64 {
        self.bytes.saturating_sub(self.largest_free_bytes)
    }
}
