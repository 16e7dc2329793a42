//! The memory of a TOP_SP's firmware: a dump as structs with fields, as the text of the firmware's
//! own printer and back, and what is odd about it; and tables of control entries.
//!
//! Input: bytes and a generation. Output: plain values and findings. Nothing is rejected but bytes
//! that end before a struct does, and those are a finding.

pub mod fields;
pub mod text;
pub mod tree;
pub mod leaves;
pub mod reader;
pub mod writes;
pub mod check;
pub mod table;

pub use check::{FirmwareDump, likely_arch};
pub use fields::{DumpField, DumpValue};
pub use reader::PrintedContext;
pub use table::{SPAD_ENTRIES, SpadTable};

#[cfg(test)]
mod tests;
