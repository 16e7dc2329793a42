//! Events of a run in columns, and what can be asked of them.
//!
//! Purpose: answer what happened when, at any scale, without walking over every event. Input:
//! events, each with a start, a length and a few numbers, on named tracks. Output: runs for the
//! pixels of a window, sums over ranges, single events found by time, slot or value. Times are
//! picoseconds since the start of the trace. Where events come from is not the business of this
//! crate, but for its last module, which brings the records of a capture into columns.
//!
//! The modules are listed in reading order; a module uses only those above it.

pub mod event;
mod cover;
mod largest;
pub mod track;
pub mod runs;
pub mod model;
pub mod query;
mod pairing;
pub mod export;
pub mod capture;

pub use event::{Event, Flags, NO_SLOT};
pub use model::{Row, Trace};
pub use runs::{Run, Window};
pub use track::{Track, TrackBuilder, TrackKind};

#[cfg(test)]
mod naive_tests;
