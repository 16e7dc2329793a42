//! Whether an executable and a capture belong together, and what the capture holds for images.

use neff::Package;
use neff::ntff::Capture;
use records::{Engine, PatchRow, PatchType, Slot};
use std::collections::BTreeMap;

/// Signs that an executable and a capture belong together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Signs {
    /// The capture names the executable as its header does.
    pub name: bool,
    /// The capture's UUID field fits the header's UUID, as far as the field's copy kept it.
    pub uuid: bool,
    /// Every captured image has as many slots as the stream with its rows gives, and there is one.
    pub structure: bool,
    /// At least one captured image has.
    pub part: bool,
    /// There are whole images, but the rows of all of them are lost, so that nothing can be said.
    pub unknown: bool,
}

impl Signs {
    /// Looks for signs. The name alone says little, since many files are called `file.neff`.
    /// Spec: docs/format/ntff.md "Pairing" [observed].
    pub fn of(package: &Package, capture: &Capture) -> Self {
        let header = package.header();
        let (fit, all, lost) = fits(package, capture);
        Self {
            name: !capture.name.is_empty() && header.name_text() == capture.name,
            uuid: neff::ntff::uuid_matches(&header.uuid, &capture.uuid),
            structure: fit > 0 && fit == all,
            part: fit > 0,
            unknown: all == 0 && lost > 0,
        }
    }

    /// Whether the two are taken for a pair without being told so. With the UUID one sound image is
    /// enough, since captures can be damaged or cut; with UUID and name also images without rows.
    pub fn is_pair(self) -> bool {
        (self.structure && self.name) || (self.uuid && (self.part || (self.unknown && self.name)))
    }
}

/// Images whose slots, records and rows add up, all images with rows, and whole images whose rows
/// are lost.
fn fits(package: &Package, capture: &Capture) -> (u64, u64, u64) {
    let (mut fit, mut all, mut lost) = (0, 0, 0);
    for subgraph in package.subgraphs() {
        let Some(captured) = capture.subgraph(&subgraph.name) else { continue };
        for engine in Engine::ALL {
            let stream = package.slots(subgraph.engine(engine));
            let Some(image) = captured.image(engine) else { continue };
            let list = captured.patch_list(engine);
            let rows = list.and_then(|list| list.patch_rows());
            let sum = |kind: PatchType| -> u64 {
                let rows = rows.iter().flatten().filter(|row| row.kind == kind);
                rows.map(|row| u64::from(row.count)).sum()
            };
            let expected =
                (stream.len() as u64 + sum(PatchType::INSERT)).checked_sub(sum(PatchType::DELETE));
            let fits = image.is_whole() && expected == Some(capture.slots(image).len() as u64);
            match (fits, list) {
                (false, None) if image.is_whole() => lost += 1,
                _ => (fit, all) = (fit + u64::from(fits), all + 1),
            }
        }
    }
    (fit, all, lost)
}

/// What a capture holds of one engine.
pub struct EngineCapture {
    /// Device base of the image.
    pub base: u64,
    /// Device records.
    pub slots: Vec<Slot>,
    /// Patch rows, without sections.
    pub rows: CapturedRows,
}

/// What a capture holds of the patch rows of an engine.
pub enum CapturedRows {
    /// All of them can be read.
    Read(Vec<PatchRow>),
    /// A number of one is none that a row can have; opening the capture has said where.
    Unreadable,
    /// There is no patch list of the engine.
    Missing,
}

/// What a capture holds of one core, as far as images need it.
pub struct CoreCapture {
    /// Name of the capture's file.
    pub file: String,
    /// Runtime version, for example `2.27.23`.
    pub runtime: String,
    /// What is wrong with the capture itself, in words; empty if nothing is.
    pub damage: String,
    /// Physical core; `None` for a number that is none of a device.
    pub core: Option<u32>,
    /// By engine code; `None` where the capture lacks an image or holds a damaged one.
    pub engines: [Option<EngineCapture>; 5],
    /// Descriptors on the read and the write side, by queue name, then by block.
    counts: BTreeMap<String, BTreeMap<u32, (u32, u32)>>,
}

impl CoreCapture {
    /// Descriptors of a block on the read and the write side; `None` for one that no ring has.
    pub fn counts(&self, queue: &str, block: u32) -> Option<(u32, u32)> {
        self.counts.get(queue)?.get(&block).copied()
    }
}

/// What a capture of this name holds of the core that ran a subgraph; `None` if it has no such
/// subgraph. Damaged images are left out: opening the capture has said so.
pub fn core_capture(name: &str, capture: &Capture, subgraph: &str) -> Option<CoreCapture> {
    let core = capture.subgraph(subgraph)?;
    let engines = Engine::ALL.map(|engine| {
        let image = core.image(engine).filter(|image| image.is_whole())?;
        let rows = match core.patch_list(engine) {
            Some(list) => list.patch_rows().map_or(CapturedRows::Unreadable, CapturedRows::Read),
            None => CapturedRows::Missing,
        };
        let slots = capture.slots(image).to_vec();
        Some(EngineCapture { base: image.base.get(), slots, rows })
    });
    let mut counts = BTreeMap::<String, BTreeMap<u32, (u32, u32)>>::new();
    for ring in &core.rings {
        let of_queue = match counts.get_mut(&ring.name) {
            Some(of_queue) => of_queue,
            None => counts.entry(ring.name.clone()).or_default(),
        };
        for block in &ring.blocks {
            let number = |value: u64| u32::try_from(value).ok();
            if let (Some(id), Some(read), Some(write)) =
                (number(block.id), number(block.read), number(block.write))
            {
                // All rings of a queue have the same counts; the first one is taken.
                of_queue.entry(id).or_insert((read, write));
            }
        }
    }
    Some(CoreCapture {
        file: name.to_owned(),
        damage: String::new(),
        runtime: capture.runtime.as_ref().map_or_else(String::new, ToString::to_string),
        core: u32::try_from(core.core.unwrap_or(0)).ok(),
        engines,
        counts,
    })
}
