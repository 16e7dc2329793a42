//! The records of collectives on the device: the control entries that a TOP_SP walks, and the
//! context that its firmware keeps.
//!
//! Layouts are those of [`crate::kbin`]: a type with size and offsets checked at compile time, and
//! a list of fields made from the same lines. All numbers are little-endian. Nothing is rejected:
//! reserved bits and unknown numbers stay as they are.
//! Spec: docs/format/collectives.md "Context" [observed].

pub mod names;
pub mod entry;
pub mod device;
pub mod barrier;
pub mod program;
pub mod algorithm;
pub mod context;
pub mod printers;

pub use context::{Context, ContextArch, Place, Struct};
pub use entry::{AlgoNames, EntryFields, SpadCtrlEntry, UnionView};

use crate::kbin::Layout;

/// Every layout of this module.
pub const LAYOUTS: [&Layout; 25] = [
    &entry::RawSpadCtrlEntry::LAYOUT,
    &device::RawTsync::LAYOUT,
    &device::RawDevConfigs::LAYOUT,
    &device::RawApbBcast::LAYOUT,
    &barrier::RawHostBarrier::LAYOUT,
    &barrier::RawBarrierStep::LAYOUT,
    &barrier::RawDeviceBarrier::LAYOUT,
    &barrier::RawBarrierConfigs::LAYOUT,
    &program::RawDmaAlloc::LAYOUT,
    &program::RawTableRow::LAYOUT,
    &program::RawBasicBlockConfigs::LAYOUT,
    &program::RawNeffConfigs::LAYOUT,
    &program::RawOpCtx::LAYOUT,
    &program::RawBasicBlockCtx::LAYOUT,
    &program::RawNeffCtx::LAYOUT,
    &algorithm::RawNeighbour::LAYOUT,
    &algorithm::RawKringPeers::LAYOUT,
    &algorithm::RawRingChannel::LAYOUT,
    &algorithm::RawRingRow::LAYOUT,
    &algorithm::RawMeshEvent::LAYOUT,
    &algorithm::RawAlgoConfigsSunda::LAYOUT,
    &algorithm::RawAlgoConfigs::LAYOUT,
    &algorithm::RawAlgoCtx::LAYOUT,
    &context::RawContextSunda::LAYOUT,
    &context::RawContext::LAYOUT,
];

#[cfg(test)]
mod tests;
