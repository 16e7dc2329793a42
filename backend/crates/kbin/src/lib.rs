//! The meaning of instruction records.
//!
//! Purpose: say what a 64-byte record does, in the words of the `.asm` members, in short words for
//! screens, and as effects that other stages can compute with. Input: records. Output: text, byte
//! maps, waits and posts, memory operands. This crate knows no image layout and no address of a
//! device; what a record means in its stream (block, queue, variable names) the caller hands in.
//!
//! The modules are listed in reading order; a module uses only those above it.

pub mod effects;

pub mod disasm;

pub use disasm::{Field, Names};
pub use effects::{MemoryEffects, QueueContext, SyncEffects, memory_effects, sync_effects};
