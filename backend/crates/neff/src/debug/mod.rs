//! Debug members: from a slot back to the line of source code that caused it.
//!
//! `layer` decodes one member, `source_map` joins the layers of one engine, `dma_origin` adds the
//! blocks that trigger slots start, `coverage` says how much of it a file has and what is missing.

pub mod layer;
pub mod source_map;
pub mod dma_origin;
pub mod coverage;

pub use coverage::{Coverage, advice};
pub use dma_origin::{DmaOrigin, DmaOrigins};
pub use layer::{DebugLayer, DebugLayers, DebugRecord, LayerKind, file_name_of};
pub use source_map::{NO_INDEX, SlotIds, SourceLine, SourceMap, SourceRecord};
