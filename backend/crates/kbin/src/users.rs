//! Which variables a record names: sides of dynamic transfers and of collectives.

use records::payload::transfer::{Direct2d, Direct2dSide, MODE_TABLE, MODE_VARIABLE};
use records::{Opcode, Slot};

use crate::effects::collective_variables;

/// What a record does with a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// Reads it.
    Source,
    /// Writes it.
    Target,
}

impl Use {
    /// `source` or `target`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Source => "source",
            Self::Target => "target",
        }
    }
}

/// Variables that a record names, with what it does with them. `table` is the list of the table
/// variable that dynamic transfers refer to. Records that name a block of a queue are not here: see
/// the descriptors of that block.
/// Spec: docs/format/streams.md "Transfer payloads" and "Collective payloads" [observed].
pub fn variables(slot: &Slot, table: &[u32]) -> Vec<(u32, Use)> {
    if let Some((source, target)) = collective_variables(slot) {
        return vec![(source, Use::Source), (target, Use::Target)];
    }
    if Opcode(slot.opcode_byte()) != Opcode::PSEUDO_DMA_DIRECT2D {
        return Vec::new();
    }
    let record = Direct2d::of(slot);
    let id = |side: Direct2dSide| side_variable(&side, table);
    let sides = [(id(record.source()), Use::Source), (id(record.target()), Use::Target)];
    sides.into_iter().filter_map(|(id, kind)| Some((id?, kind))).collect()
}

/// The variable that a side of a direct transfer names, by id; `None` for a mode without a meaning.
pub fn side_variable(side: &Direct2dSide, table: &[u32]) -> Option<u32> {
    match side.mode {
        MODE_VARIABLE => Some(side.reference),
        MODE_TABLE => table.get(usize::try_from(side.reference).ok()?).copied(),
        _ => None,
    }
}
