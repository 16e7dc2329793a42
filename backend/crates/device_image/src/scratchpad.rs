//! The scratchpad: the pages of device memory that hold what a model writes and reads again within
//! one inference.
//!
//! A compiler places every such variable in one linear range; the runtime reserves that range as
//! pages when a model is loaded and never allocates one by one. In paged mode the pages are
//! separate and counted from the bottom, in contiguous mode they are one region and counted from
//! the top.
//! Spec: docs/format/memory.md "Scratchpad" [observed].

pub mod arena;
pub mod reserve;
pub mod model;
pub mod advice;
pub mod newer;

pub use advice::Advice;
pub use arena::{InitRequest, Mode, PagePlace, Scratchpad, ScratchpadError, pages_needed};
pub use model::{Cleanup, Group, KbinSizes, LoadError, Loaded, Slice};
pub use newer::Versions;
