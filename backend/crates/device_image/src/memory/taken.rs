//! What takes a range of device memory in a load.

use crate::dmem::Dmem;
use crate::dmem::driver::BLOCK_BYTES;

/// Whose a range is. Models and subgraphs are places in the lists that were loaded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// A page of a core's scratchpad.
    Page {
        /// Core.
        core: u32,
        /// Index of the page.
        page: u64,
    },
    /// A variable that has memory of its own.
    Variable {
        /// Index of the model.
        model: usize,
        /// Index of the subgraph in it.
        subgraph: usize,
        /// Id of the variable.
        id: u32,
    },
    /// Code or a table.
    Part {
        /// Index of the model.
        model: usize,
        /// Index of the subgraph in it.
        subgraph: usize,
        /// Place among the code and tables of the subgraph.
        part: usize,
    },
    /// A tensor of the user.
    Tensor {
        /// Index of the model.
        model: usize,
        /// Index of the subgraph in it that counts it.
        subgraph: usize,
        /// Place among the tensors that the subgraph counts.
        io: usize,
    },
    /// What code points to: a ring, or the page of requests. The runtime counts it elsewhere.
    Kept {
        /// Index of the model.
        model: usize,
        /// Index of the subgraph in it.
        subgraph: usize,
    },
}

/// A range that is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Taken {
    /// First address.
    pub start: u64,
    /// Bytes that were asked for.
    pub bytes: u64,
    /// End of the driver's last block of it.
    pub block_end: u64,
    /// Whose it is.
    pub owner: Owner,
}

impl Taken {
    /// The range of an allocation.
    pub fn of(mem: &Dmem, owner: Owner) -> Self {
        let blocks = mem.allocated_bytes.max(1).checked_next_multiple_of(BLOCK_BYTES);
        let block_end = mem.physical.saturating_add(blocks.unwrap_or(u64::MAX));
        Self { start: mem.address(), bytes: mem.size, block_end, owner }
    }
}

/// The range at an address, and whether the address is in the bytes that were asked for; ranges
/// stand by their starts.
pub fn taken_at(taken: &[Taken], address: u64) -> Option<(&Taken, bool)> {
    let before = taken.partition_point(|one| one.start <= address);
    let one = taken.get(before.checked_sub(1)?)?;
    (address < one.block_end).then_some((one, address - one.start < one.bytes))
}

/// What has an address already and was put elsewhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// Index of the model.
    pub model: usize,
    /// Index of the subgraph in it.
    pub subgraph: usize,
    /// Place among its code and tables.
    pub part: usize,
    /// The address.
    pub place: u64,
}
