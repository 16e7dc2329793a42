//! A finished device image: slots, what each of them is, patch list and ranges.

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
    /// Name; empty for MAIN.
    pub name: String,
    /// First image slot.
    pub first: SlotIndex,
    /// Number of image slots.
    pub slots: u32,
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
