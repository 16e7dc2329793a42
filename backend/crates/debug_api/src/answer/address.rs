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
    /// That no region is known there; absent where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Cells of the event accelerator that rings copy to this event or semaphore.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<AddressCell>,
    /// Engine image that it lies in.
    pub image: Option<AddressImage>,
    /// Variable that it lies in.
    pub variable: Option<AddressVariable>,
    /// What else is known of it: what the plan of device memory has there, pages and rings of the
    /// program's set-up. Empty without an executable.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub memory: Vec<AddressMemory>,
}

impl AddressMemory {
    /// Whether the images of a program point there.
    pub fn is_set_up(&self) -> bool {
        matches!(self.kind.as_str(), "request-page" | "ring")
    }

    /// Whether it says more than the region, the image and the variable at the address.
    pub fn adds(&self) -> bool {
        !matches!(self.kind.as_str(), "firmware" | "page" | "variable" | "image")
    }

    /// `image of PE of sg00`, `ring 0, read side, of queue qSPIO0 of sg00`: what it is and whose.
    pub fn words(&self) -> String {
        let short = |text: &String| text.chars().take(60).collect::<String>();
        let name = self.name.as_ref().map_or(String::new(), |name| format!(" {}", short(name)));
        let of = self.subgraph.as_ref().map_or(String::new(), |of| format!(" of {}", short(of)));
        let bound =
            if self.kind == "tensor" { ", which an execution may bind elsewhere" } else { "" };
        format!("{}{name}{of}{bound}", self.what)
    }
}

/// A range of device memory with its use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AddressMemory {
    /// In a plan: `firmware page slack variable tensor image start act-tables rest free`; of the
    /// set-up: `request-page ring`.
    pub kind: String,
    /// The same in words.
    pub what: String,
    /// File of the session, 0-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<usize>,
    /// Subgraph. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subgraph: Option<String>,
    /// Core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core: Option<u32>,
    /// Engine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub engine: Option<String>,
    /// Name of a variable or queue. Untrusted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// First address.
    pub start: String,
    /// Bytes.
    pub bytes: u64,
    /// Bytes from its start.
    pub offset: u64,
    /// Of its place.
    pub provenance: Provenance,
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
