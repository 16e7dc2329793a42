//! Captures (NTFF): what a run of the program under the profiler left behind.
//!
//! `open` reads the message and cuts the tail into slices; nothing is copied out of the file but
//! names and numbers. Records of the tail are views of its bytes; `trace` walks them when asked.
//!
//! The modules are listed in reading order; a module uses only those above it.

pub mod error;
pub mod uuid;
pub mod clock;
pub mod memory;
pub mod subgraph;
pub mod capture;
mod reader;
mod read_subgraph;
mod tail;
mod open;
pub mod trace;

pub use capture::{Capture, QueueSize, UnknownField};
pub use clock::{Clock, Clocks, TimeBase};
pub use error::NtffError;
pub use memory::{MemoryUse, RuntimeVersion, category_name};
pub use open::{is_plausible, open};
pub use subgraph::{
    BlockTable, CapturedImage, CapturedRow, PatchList, Ring, RingBlock, Slice, SubgraphCapture,
};
pub use trace::{SubgraphTrace, Trace};
pub use uuid::{uuid_matches, uuid_text};
