//! The `address` and `address-map` documents.

use super::Provenance;
use serde::{Deserialize, Serialize};

/// The `address` document: what a device address is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressAnswer {
    /// Version of this document.
    pub schema: u32,
    /// The address.
    pub address: String,
    /// Generation whose map was asked.
    pub generation: String,
    /// Regions around it, the widest first; empty if none is known.
    pub regions: Vec<AddressRegion>,
    /// Bytes from the start of the narrowest region; null without one.
    pub offset: Option<u64>,
    /// Event, semaphore, partition or register there.
    pub detail: Option<String>,
    /// Cells of the event accelerator that rings copy to this event or semaphore.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<AddressCell>,
    /// Engine image that it lies in.
    pub image: Option<AddressImage>,
    /// Variable that it lies in.
    pub variable: Option<AddressVariable>,
}

/// A cell whose copy changes an event or semaphore.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressCell {
    /// What the copy does: `set`, `clear` or `add 1`.
    pub does: String,
    /// Address of the cell.
    pub address: String,
    /// How sure that is.
    pub provenance: Provenance,
}

/// The `address-map` document: the regions of a generation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressMapAnswer {
    /// Version of this document.
    pub schema: u32,
    /// Generation.
    pub generation: String,
    /// All regions by start; one stands before those in it.
    pub regions: Vec<MapRegion>,
}

/// A region with its place in the map.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapRegion {
    /// Regions around it.
    pub depth: u32,
    /// The region.
    pub region: AddressRegion,
}

/// A region of device addresses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressRegion {
    /// Name.
    pub name: String,
    /// `hbm core state-buffer psum events event-accelerator engine top-sp registers dma notifications mailbox outside`.
    pub kind: String,
    /// First address.
    pub start: String,
    /// Bytes.
    pub bytes: u64,
    /// Core.
    pub core: Option<u32>,
    /// Engine.
    pub engine: Option<String>,
    /// Number among those of its kind.
    pub index: Option<u32>,
    /// How sure place and size are.
    pub provenance: Provenance,
}

/// A place in an engine's image.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressImage {
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// Bytes from the start of the image.
    pub image_offset: u64,
    /// Of the image's base.
    pub provenance: Provenance,
}

/// A place in a variable.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressVariable {
    /// File of the session, 0-based.
    pub file: usize,
    /// Subgraph.
    pub subgraph: String,
    /// Id.
    pub id: u32,
    /// Name. Untrusted.
    pub name: String,
    /// Bytes from its start.
    pub offset: u64,
    /// Of its address.
    pub provenance: Provenance,
}
