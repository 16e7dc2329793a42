//! The NEFF container: header, archive, JSON documents and debug layers.
//!
//! The modules are listed in reading order; a module uses only those above it.

pub mod diagnostic;
pub mod limits;

pub use diagnostic::{Diagnostic, Findings, Place, Severity};
pub use limits::Limits;
