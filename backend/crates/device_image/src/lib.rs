//! From a program to the device image that the runtime would build from it, and back from a
//! device PC to the source record.
//!
//! Purpose: answer which slots an engine really executes and which source record each of them
//! comes from. Input: a program in plain values and a runtime profile. Output: an image with its
//! regions, patch list and PC map. This crate knows nothing of time: what an instruction does and
//! when is for others.
//!
//! The modules are listed in reading order; a module uses only those above it.

pub mod program;
pub mod layout;
pub mod walk;
mod section_map;
pub mod pc_map;

pub use layout::{ByteRange, ImageRanges, Region};
pub use pc_map::{
    ExactIp, IpPlace, PcAnswer, PcMap, PcPlace, RuntimeError, RuntimeIp, SourceCounts,
};
pub use program::{Generation, Program, Queue, QueueKind, Subgraph};
