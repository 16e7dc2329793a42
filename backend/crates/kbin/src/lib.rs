//! The meaning of instruction records, and the lowering of a program to its KBIN.
//!
//! Purpose: say what a 64-byte record does, in the words of the `.asm` members, in short words for
//! screens, and as effects that other stages can compute with; and build the tree of records that a
//! loader makes of a program, byte for byte. Input: records, packages. Output: text, byte maps,
//! waits and posts, memory operands, trees. This crate knows no image layout and no address of a
//! device; what a record means in its stream (block, queue, variable names) the caller hands in.
//!
//! The modules are listed in reading order; a module uses only those above it.

pub mod effects;

pub mod users;

pub mod disasm;

pub mod need;

pub mod lowering;

pub mod reach;

pub mod limit;

mod meet;

pub mod partition;

pub mod patterns;

pub mod direct;

pub mod record;

pub use disasm::{Field, Names};
pub use effects::{MemoryEffects, QueueContext, SyncEffects, memory_effects, sync_effects};
pub use lowering::{Gate, Kbin, Options};
pub use record::{RecordEntry, RecordId};
