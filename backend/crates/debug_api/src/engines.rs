//! The device images of one subgraph under one profile, with what views need beside them: PC map,
//! display rows, base addresses.

use crate::error::{ApiError, ErrorKind};
use crate::rows::{DeletedRecord, Rows};
use device_image::placement::modelled_bases;
use device_image::{
    Capabilities, Generation, Image, Inputs, IpPlace, Options, PatchLists, PcMap, Profile, Region,
    Subgraph, assemble_all,
};
use neff::Findings;
use records::{DeviceAddr, Engine, NeffIp, Provenance, Slot, SlotIndex};

/// A run of image slots of one region, as views show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunInfo {
    /// Name of the region, `MODEL_SWITCH` included.
    pub region: &'static str,
    /// Column code of the region: 0 PREAMBLE, 1 MODEL_SWITCH, 2 MAIN, 3 POSTAMBLE, 4 FUNCTION.
    pub code: u8,
    /// First image slot.
    pub slot: u32,
    /// Image slots.
    pub slots: u32,
    /// Function name of a FUNCTION run.
    pub function: Option<String>,
    /// Weakest provenance of its slots; file for an empty run.
    pub provenance: Provenance,
    /// First and last NEFF IP, deleted ones included.
    pub ips: Option<(u32, u32)>,
}

/// One engine: its image and everything that is derived from it alone.
pub struct EngineImage {
    /// Engine.
    pub engine: Engine,
    /// The image.
    pub image: Image,
    /// PC map.
    pub map: PcMap,
    /// Runs in image order.
    pub runs: Vec<RunInfo>,
    /// Display rows; one divider a run.
    pub rows: Rows,
    /// Base address.
    pub base: DeviceAddr,
    /// Where the base comes from: a modelled placement, or a capture.
    pub base_provenance: Provenance,
    /// Whether slots and rows are a capture's.
    pub captured: bool,
}

/// All engines of a subgraph under one profile.
pub struct SubgraphImages {
    /// Name of the profile.
    pub profile: String,
    /// How sure the profile itself is; its images can be less so.
    pub profile_provenance: Provenance,
    /// Generation that the profile is for.
    pub generation: Generation,
    /// What it can do, by the profile.
    pub capabilities: Capabilities,
    /// What the images were built with beyond the program; also the physical core.
    pub inputs: Inputs,
    /// Always five, in engine-code order.
    pub engines: [EngineImage; 5],
    /// What the runtime would do with the patch lists.
    pub patch_lists: PatchLists,
    /// What was odd while building.
    pub findings: Findings,
}

impl SubgraphImages {
    /// Builds the five images under a profile and on a core (the profile's default where absent).
    ///
    /// # Errors
    /// `core.unknown`; `image.profile` for a profile whose core cannot be evaluated.
    pub fn build(
        subgraph: &Subgraph,
        streams: [&[Slot]; 5],
        profile: &Profile,
        core: Option<u32>,
    ) -> Result<Self, ApiError> {
        check_core(subgraph.generation, core)?;
        let of_core = |error: &dyn std::fmt::Display| {
            let at = profile.defaults.core_at;
            let place = at.map(|at| format!("line {}, column {}: ", at.line, at.column));
            cannot_evaluate(&profile.name, &format!("{}{error}", place.unwrap_or_default()))
        };
        let inputs = Inputs::defaults(profile, subgraph, core).map_err(|error| of_core(&error))?;
        // What a profile asks for is held to the same range as what a question asks for.
        check_core(subgraph.generation, Some(inputs.core))
            .map_err(|error| of_core(&error.message))?;
        Ok(Self::build_with(subgraph, streams, profile, inputs))
    }

    /// Builds the five images with these inputs, in a modelled placement. An engine that cannot be
    /// built has an empty image and a finding.
    pub fn build_with(
        subgraph: &Subgraph,
        streams: [&[Slot]; 5],
        profile: &Profile,
        inputs: Inputs,
    ) -> Self {
        let mut findings = Findings::new();
        let options = Options::default();
        let built = assemble_all(profile, subgraph, streams, &inputs, options, &mut findings);
        let core = inputs.core;
        let lengths = built.images.each_ref().map(|image| image.bytes().len() as u64);
        let mut bases =
            modelled_bases(subgraph.generation, core, subgraph.index, lengths).into_iter();
        let engines = built.images.map(|image| {
            let mut engine = EngineImage::new(image, bases.next().unwrap_or_default());
            if built.patch_lists != PatchLists::Kept {
                engine.map = engine.map.with_freed_list();
            }
            engine
        });
        Self {
            profile: profile.name.clone(),
            profile_provenance: profile.provenance,
            generation: profile.generation,
            capabilities: profile.capabilities,
            inputs,
            engines,
            patch_lists: built.patch_lists,
            findings,
        }
    }

    /// One engine.
    pub fn engine(&self, engine: Engine) -> &EngineImage {
        engine.of(&self.engines)
    }
}

impl SubgraphImages {
    /// Whether the profile gave an image for every engine.
    pub fn is_built(&self) -> bool {
        !self.findings.as_slice().iter().any(|finding| finding.code == "image.profile")
    }

    /// One engine, to place it elsewhere.
    pub fn engine_mut(&mut self, engine: Engine) -> &mut EngineImage {
        engine.of_mut(&mut self.engines)
    }
}

impl EngineImage {
    /// Whether no image could be built: every one has at least what the runtime puts around MAIN.
    pub fn is_missing(&self) -> bool {
        self.image.slots.is_empty()
    }

    /// Derives everything from an image that was built and placed by us.
    pub fn new(image: Image, base: DeviceAddr) -> Self {
        let map = image.pc_map();
        let mut runs = runs(&image);
        let deleted = deleted(&image, &map, &runs);
        for run in &mut runs {
            run.ips = ips_of(&map, run);
        }
        for record in &deleted {
            if let Some(run) = runs.get_mut(record.run) {
                let (first, last) = run.ips.unwrap_or((record.ip, record.ip));
                run.ips = Some((first.min(record.ip), last.max(record.ip)));
            }
        }
        let shape: Vec<(u32, u32)> = runs.iter().map(|run| (run.slot, run.slots)).collect();
        let rows = Rows::new(&shape, deleted);
        let engine = image.engine;
        let base_provenance = Provenance::Modelled;
        Self { engine, image, map, runs, rows, base, base_provenance, captured: false }
    }

    /// NEFF IP of the record that an image slot stands for without a patch row, if the slot has other
    /// bytes than the record in the stream.
    pub fn rewritten(&self, slot: u32, stream: &[Slot]) -> Option<NeffIp> {
        let exact = self.map.exact_at_slot(SlotIndex(slot)).filter(|exact| !exact.inserted)?;
        let record = stream.get(exact.neff_ip.slot()?.get() as usize)?;
        (self.image.slots.get(slot as usize)? != record).then_some(exact.neff_ip)
    }

    /// The run that an image slot is in.
    pub fn run_at(&self, slot: u32) -> Option<&RunInfo> {
        self.runs.get(self.rows.run_of_slot(slot)?)
    }
}

/// The runs of an image: PREAMBLE in pieces around MODEL_SWITCH, MAIN, POSTAMBLE, then each
/// function. Empty pieces of PREAMBLE are left out; MAIN and POSTAMBLE are always there.
fn runs(image: &Image) -> Vec<RunInfo> {
    let ranges = &image.ranges;
    let slot = |byte: u64| u32::try_from(byte / 64).unwrap_or(u32::MAX);
    let (preamble, switch) = (ranges.preamble, ranges.model_switch);
    let pieces = [
        ("PREAMBLE", 0, preamble.offset, switch.offset.min(preamble.end())),
        ("MODEL_SWITCH", 1, switch.offset, switch.end().min(preamble.end())),
        ("PREAMBLE", 0, switch.end().min(preamble.end()), preamble.end()),
    ];
    let mut runs = Vec::new();
    let mut add = |region, code, start: u64, end: u64, function: Option<String>| {
        let (first, last) = (slot(start), slot(end));
        let slots = last.saturating_sub(first);
        let info = image.info.get(first as usize..last as usize).unwrap_or(&[]);
        let provenance = info.iter().map(|info| info.provenance).max().unwrap_or(Provenance::File);
        runs.push(RunInfo { region, code, slot: first, slots, function, provenance, ips: None });
    };
    for (region, code, start, end) in pieces {
        if end > start {
            add(region, code, start, end, None);
        }
    }
    add("MAIN", 2, ranges.core.offset, ranges.core.end(), None);
    let postamble = ranges.of(Region::Postamble);
    add("POSTAMBLE", 3, postamble.offset, postamble.end(), None);
    for function in image.functions.iter().skip(1) {
        let start = u64::from(function.first.0) * 64;
        let end = start + u64::from(function.slots) * 64;
        add("FUNCTION", 4, start, end, Some(function.name.clone()));
    }
    runs
}

/// Records without an image slot, each with the run that it would stand in.
fn deleted(image: &Image, map: &PcMap, runs: &[RunInfo]) -> Vec<DeletedRecord> {
    if !image.rows.iter().any(|row| row.kind == records::PatchType::DELETE) {
        return Vec::new();
    }
    let main = runs.iter().position(|run| run.code == 2).unwrap_or(0);
    let functions = runs.iter().position(|run| run.code == 4).unwrap_or(runs.len());
    let total = image.source.main.saturating_add(image.source.functions);
    let mut list = Vec::new();
    for ip in 1..=total {
        let IpPlace::Deleted(slot) = map.image_slots(NeffIp(ip)) else { continue };
        let run = if ip <= image.source.main {
            main
        } else {
            // Functions follow each other in image order behind all other runs.
            let own = runs.get(functions..).unwrap_or(&[]);
            let before = own.partition_point(|run| run.slot <= slot.0);
            before.checked_sub(1).map_or(main, |at| functions + at)
        };
        list.push(DeletedRecord { run, slot: slot.0, ip });
    }
    list
}

/// First and last NEFF IP among the slots of a run.
fn ips_of(map: &PcMap, run: &RunInfo) -> Option<(u32, u32)> {
    let last = run.slots.checked_sub(1)?;
    let ip = |slot: u32| map.exact_at_slot(records::SlotIndex(slot)).map(|e| e.neff_ip.get());
    Some((ip(run.slot)?, ip(run.slot.checked_add(last)?)?))
}

/// Cores whose addresses are known: 0 of sunda; 0 to 7 of later generations, by the address map.
/// Spec: docs/format/profiles.md "Inputs" [observed for 0 of sunda, 4 and 5 of cayman].
///
/// # Errors
/// `core.unknown`.
pub fn check_core(generation: Generation, core: Option<u32>) -> Result<(), ApiError> {
    let last = if generation == Generation::Sunda { 0 } else { 7 };
    match core {
        Some(core) if core > last => Err(ApiError::new(
            ErrorKind::BadRequest,
            "core.unknown",
            format!(
                "the addresses of core {core} are not known; for {} they are known up to core {last}",
                generation.name()
            ),
        )),
        _ => Ok(()),
    }
}

/// The error for a profile that has no value for something.
pub fn cannot_evaluate(name: &str, error: &dyn std::fmt::Display) -> ApiError {
    let message = format!("profile {name} cannot be evaluated: {error}");
    ApiError::new(ErrorKind::Undecodable, "image.profile", message)
}
