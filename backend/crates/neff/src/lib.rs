//! The NEFF container: header, archive, JSON documents and debug layers; and captures (NTFF).
//!
//! The modules are listed in reading order; a module uses only those above it.

pub mod hidden;
pub mod limits;
pub mod budget;
pub mod diagnostic;
pub mod error;
pub mod header;
pub mod digest;
pub mod target;
pub mod tar_scan;
pub mod payload;
pub mod archive;
pub mod json;
pub mod reader;
pub mod wire;
pub mod doc;
pub mod package;
mod subgraph;
mod on_demand;
mod open;
pub mod debug;
pub mod ntff;

pub use archive::Member;
pub use budget::Budget;
pub use diagnostic::{Diagnostic, Findings, Place, Severity};
pub use digest::{Digest, DigestAlgorithm};
pub use error::NeffError;
pub use limits::Limits;
pub use open::open;
pub use package::{EngineProgram, Package, Subgraph};
pub use payload::{Compression, GzipEnds};
pub use target::{Target, TargetKind};
