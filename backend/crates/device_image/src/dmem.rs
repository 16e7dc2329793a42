//! Device memory as the runtime allocates it: usage types, the driver's pools, allocations with
//! their alignment, copies, counters, status codes.
//!
//! The driver is a trait, so that a rule can be tried against one that fails; [`Hbm`] is a model
//! of the real one.
//! Spec: docs/format/memory.md "Allocator" [observed].

pub mod status;
pub mod usage;
mod pool;
pub mod driver;
pub mod alloc;
pub mod copies;
pub mod counters;

pub use alloc::{AllocError, Allocator, Dmem, Request};
pub use copies::Chunks;
pub use counters::Counters;
pub use driver::{Driver, DriverError, Hbm, HbmShape};
pub use status::Status;
pub use usage::{Category, Usage};
