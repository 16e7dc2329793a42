//! Fixed-size records of NEFF files and device images, and the types of their addresses.
//!
//! Purpose: the one place that knows byte layouts. Input: bytes. Output: typed views of those
//! bytes, and bytes again, without loss. This crate knows nothing of JSON, tar or any policy: a
//! value that no table names is kept as its number.
//!
//! The modules are listed in reading order; a module uses only those above it.

pub mod address;
pub mod engine;
pub mod error;
pub mod slot;

pub mod provenance;

pub mod patch;

pub mod build;

pub use address::{DeviceAddr, DevicePc, FileOffset, ImageOffset, MemberOffset, NeffIp, SlotIndex};
pub use engine::Engine;
pub use error::{ByteSpan, DecodeError, DecodeErrorKind};
pub use slot::{SLOT_BYTES, Slot};

pub use patch::{PatchRow, PatchSection, PatchType};
pub use provenance::Provenance;
