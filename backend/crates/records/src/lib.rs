//! Fixed-size records of NEFF files and device images, and the types of their addresses.
//!
//! Purpose: the one place that knows byte layouts. Input: bytes. Output: typed views of those
//! bytes, and bytes again, without loss. This crate knows nothing of JSON, tar or any policy: a
//! value that no table names is kept as its number.
//!
//! The modules are listed in reading order; a module uses only those above it.

pub mod error;
pub mod address;
pub mod engine;
pub mod provenance;
pub mod slot;
pub mod opcode;
pub mod sync_mode;
pub mod sync;
pub mod patch;
pub mod neff_header;
pub mod stored;
pub mod ntff;
pub mod trace_record;
pub mod float;
pub mod kbin;
pub mod collectives;

pub mod payload;

pub mod build;
pub mod assembly;
pub mod memory;
pub mod first_generation;

pub use address::{DeviceAddr, DevicePc, FileOffset, ImageOffset, MemberOffset, NeffIp, SlotIndex};
pub use engine::Engine;
pub use error::{ByteSpan, DecodeError, DecodeErrorKind};
pub use opcode::{EngineClass, Generation, Opcode};
pub use patch::{PatchRow, PatchSection, PatchType};
pub use provenance::Provenance;
pub use slot::{SLOT_BYTES, Slot};
pub use sync::{Head, Sync, Update, Wait};
