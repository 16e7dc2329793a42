//! A finished device image: slots, what each of them is, patch list and ranges.

use std::ops::Range;

use records::{Engine, NeffIp, PatchRow, Provenance, Slot, SlotIndex};

use crate::layout::{ImageRanges, Region};
use crate::pc_map::{PcMap, SourceCounts};

/// Where an image slot comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A source record.
    Record(NeffIp),
    /// A step of the profile, by index into [`Image::steps`].
    Step(u16),
    /// The runtime; which of its steps is not known.
    Inserted,
}

/// What is known about one image slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotInfo {
    /// Region it lies in.
    pub region: Region,
    /// What made it.
    pub origin: Origin,
    /// How sure its bytes are.
    pub provenance: Provenance,
}

/// A step of the profile, as an image refers to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StepInfo {
    /// Id in the profile.
    pub id: String,
    /// Title in words.
    pub title: String,
    /// What it does.
    pub text: String,
    /// How sure its records are.
    pub provenance: Provenance,
}

/// Why an image is no surer than it is.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Reason {
    /// Provenance that it leads to.
    pub provenance: Provenance,
    /// A sentence.
    pub text: String,
}

/// A function of the stream, in the image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedFunction {
    /// 0 for MAIN, then by appearance.
    pub id: u32,
    /// Name; empty for MAIN.
    pub name: String,
    /// First image slot.
    pub first: SlotIndex,
    /// Number of image slots.
    pub slots: u32,
    /// Whether a return resets the semaphores.
    pub reset_semaphores: bool,
    /// Registers of the low and high half of the return address.
    pub return_registers: (u8, u8),
    /// Its blocks, in order; none in a captured image that is built otherwise than ours.
    pub blocks: Vec<PlacedBlock>,
}

/// A block of a function, in the image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlacedBlock {
    /// Number among the blocks of the stream with a collective operation; `None` without one.
    pub collective_id: Option<u32>,
    /// Its records as stream slots.
    pub records: Range<u32>,
    /// Slots of its translated buffer: before its first and last record are handled.
    pub translated_slots: u32,
    /// Own patch rows, without the row of its edges.
    pub own_rows: u32,
    /// Image offsets of its calls and exits, in [`Image::post_process`].
    pub post_process: Range<u32>,
    /// Slots of padding before it.
    pub padding_slots: u32,
    /// First image slot after the padding.
    pub first: SlotIndex,
    /// Number of image slots, without the padding.
    pub slots: u32,
    /// Whether it asks to begin at a cache line.
    pub cache_align: bool,
}

/// Room that the runtime reserves, and how much of it an image takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// What it is for.
    pub what: &'static str,
    /// Bytes, or rows of a patch list, in use.
    pub used: u64,
    /// Bytes or rows reserved at first.
    pub reserved: u64,
    /// Bytes or rows there at the end, if the room grows; `None` if it cannot.
    pub grown: Option<u64>,
}

/// The device image of one engine. It holds no base address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Engine that runs it.
    pub engine: Engine,
    /// Name of the profile that it was built with.
    pub profile: String,
    /// Device records.
    pub slots: Vec<Slot>,
    /// What each slot is; as many as slots.
    pub info: Vec<SlotInfo>,
    /// Patch list in stored order.
    pub rows: Vec<PatchRow>,
    /// Regions.
    pub ranges: ImageRanges,
    /// Functions in image order, MAIN first.
    pub functions: Vec<PlacedFunction>,
    /// Image offsets of calls and exits, in the order of the blocks.
    pub post_process: Vec<u64>,
    /// Rooms of the builder: output buffer, scratch buffers, patch lists.
    pub rooms: Vec<Room>,
    /// Rows that the runtime's list has room for.
    pub patch_capacity: u32,
    /// Steps of the profile.
    pub steps: Vec<StepInfo>,
    /// Source records that the image accounts for.
    pub source: SourceCounts,
    /// The weakest provenance of its slots.
    pub provenance: Provenance,
    /// Why it is no surer.
    pub reasons: Vec<Reason>,
}

impl Image {
    /// No image: what stands for a program that could not be assembled.
    pub fn none(engine: Engine, profile: &str) -> Self {
        Self {
            engine,
            profile: profile.to_owned(),
            slots: Vec::new(),
            info: Vec::new(),
            rows: Vec::new(),
            ranges: ImageRanges::default(),
            functions: Vec::new(),
            post_process: Vec::new(),
            rooms: Vec::new(),
            patch_capacity: 0,
            steps: Vec::new(),
            source: SourceCounts::default(),
            provenance: Provenance::Modelled,
            reasons: vec![Reason {
                provenance: Provenance::Modelled,
                text: String::from("the image could not be built; the findings say why"),
            }],
        }
    }

    /// The image bytes.
    pub fn bytes(&self) -> &[u8] {
        Slot::bytes_of(&self.slots)
    }

    /// Its PC map.
    pub fn pc_map(&self) -> PcMap {
        PcMap::new(&self.rows, self.ranges, self.source)
    }

    /// The step that made a slot; `None` for slots from the source.
    pub fn step_of(&self, slot: SlotIndex) -> Option<&StepInfo> {
        match self.info.get(slot.0 as usize)?.origin {
            Origin::Step(step) => self.steps.get(usize::from(step)),
            Origin::Record(_) | Origin::Inserted => None,
        }
    }

    /// The weakest provenance of a region's slots; `None` if it has none.
    pub fn provenance_of(&self, region: Region) -> Option<Provenance> {
        let of_region = self.info.iter().filter(|info| info.region == region);
        of_region.map(|info| info.provenance).max()
    }
}
