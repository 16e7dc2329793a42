//! Device addresses: what lies where on each generation of chips, and what an address is.
//! Spec: docs/format/memory.md "Address map" [observed unless a row says otherwise].

pub mod region;
pub mod bases;
mod core_blocks;
mod map;
mod detail;
pub mod bar;

pub use map::{AddressMap, Place};
pub use region::{Region, RegionKind};
