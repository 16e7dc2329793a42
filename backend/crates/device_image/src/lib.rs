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
pub mod firmware;
pub mod dmem;
pub mod address_map;
pub mod sync_events;
pub mod arch_ops;
pub mod scratchpad;
pub mod memory;
pub mod collectives;
pub mod placement;
pub mod layout;
pub mod walk;
mod section_map;
pub mod pc_map;
pub mod reconcile;
pub mod identify;
pub mod capability;
pub mod text_place;
pub mod expr;
pub mod condition;
pub mod record_text;
pub mod profile;
pub mod profile_text;
pub mod inputs;
mod queue_records;
pub mod recipe;
pub mod expand;
pub mod setup;
pub mod patch_list;
pub mod image;
mod blocks;
mod post_process;
pub mod limits;
pub mod assemble;
pub mod assembly;
pub mod resolve;
pub mod runtime_records;
pub mod compare;
pub mod capture;
pub mod recover;
pub mod from_neff;

pub use assemble::{AssembleError, Options, assemble};
pub use assembly::{Assembly, PatchLists, assemble_all};
pub use capability::{Capabilities, Capability};
pub use capture::{Captured, captured_image, check_captured, foreign_records, rows_as_captured};
pub use compare::{Change, ChangeRun, Comparison};
pub use image::{Image, Origin, SlotInfo, StepInfo};
pub use inputs::{Inputs, QueueRings};
pub use layout::{ByteRange, ImageRanges, Region};
pub use pc_map::{
    ExactIp, IpPlace, PcAnswer, PcMap, PcPlace, RuntimeError, RuntimeIp, SourceCounts,
};
pub use profile::{Profile, ProfileError};
pub use program::{BlockCounts, Generation, Program, Queue, QueueBlock, QueueKind, Subgraph};
pub use recover::{Recovered, inputs_of_capture, with_counts};
pub use runtime_records::{RecordEntry, RecordValue, RuntimeRecord, RuntimeRecords};
pub use setup::BlockInput;
