//! An executable and a capture of one of its runs, seen together: the captured images, and the
//! ones that are built with the values read from the capture.

use crate::built_in::built_in_profile;
use crate::engines::{EngineImage, SubgraphImages, cannot_evaluate, check_core};
use crate::error::ApiError;
use crate::pairing::{CapturedRows, CoreCapture, EngineCapture, Signs};
use device_image::reconcile::ReconcileError;
use device_image::{
    Captured, Comparison, Generation, Image, Inputs, PatchLists, Profile, Subgraph, captured_image,
    check_captured, foreign_records, inputs_of_capture, rows_as_captured, with_counts,
};
use neff::{Findings, Place, Severity};
use records::{DeviceAddr, Engine, PatchRow, Provenance, Slot};
use std::sync::Arc;

/// Captured and built images of one subgraph.
pub struct PairImages {
    /// The capture's images; where it lacks one, the built one.
    pub real: Arc<SubgraphImages>,
    /// The images built with the values of the capture, at its bases.
    pub modelled: Arc<SubgraphImages>,
    /// How the two compare, by engine code; `None` where the capture lacks an image.
    pub comparisons: [Option<Comparison>; 5],
    /// Captured images that do not account for this program.
    pub unplaced: Vec<Unplaced>,
    /// Runtime version of the capture.
    pub runtime: String,
    /// Name of the capture's file.
    pub file: String,
    /// Physical core of the capture.
    pub core: u32,
}

impl PairImages {
    /// Builds both sides. Without a profile the runtime version picks one. What the two files do
    /// not have in common is a finding; the built image then stands in for the captured one.
    ///
    /// # Errors
    /// As [`SubgraphImages::build`].
    pub fn build(
        subgraph: &Subgraph,
        streams: [&[Slot]; 5],
        capture: &CoreCapture,
        signs: Signs,
        profile: Option<&Profile>,
        core: Option<u32>,
    ) -> Result<Self, ApiError> {
        let mut findings = Findings::new();
        let place = || Place { subgraph: Some(subgraph.name.clone()), ..Place::default() };
        if !signs.uuid {
            let message = format!(
                "the UUID in {} is not this file's{}; slots and rows decide whether they belong \
                 together",
                capture.file,
                if signs.name { "" } else { ", and it names another file" }
            );
            findings.push(Severity::Warning, "pair.uuid", place(), message);
        }
        if !capture.damage.is_empty() {
            let message = format!("{} is damaged: {}", capture.file, capture.damage);
            findings.push(Severity::Warning, "pair.capture", place(), message);
        }
        // Regions of captured rows are told apart by what the capture's own runtime would build,
        // whatever profile the capture is compared with.
        let own = runtime_profile(subgraph.generation, capture);
        if profile.is_none()
            && let Some(finding) = own.stands_in
        {
            findings.push(Severity::Warning, "pair.runtime", place(), finding);
        }
        let own = own.profile?;
        check_core(subgraph.generation, core)?;
        let reference = reference(subgraph, streams, &own)?;
        let profile = profile.map_or(own, |profile| Arc::new(profile.clone()));
        let failed = |error| cannot_evaluate(&profile.name, &error);
        // What fits is found before anything is taken from the capture.
        let fits = Engine::ALL.map(|engine| {
            let captured = capture.engines.get(engine.index())?.as_ref()?;
            let stream = streams.get(engine.index()).copied().unwrap_or(&[]);
            Some(Fit::of(engine, captured, stream, &reference.engine(engine).image, signs.uuid))
        });
        let of_engine = |engine: Engine| {
            let fit = fits.get(engine.index())?.as_ref()?;
            Some((capture.engines.get(engine.index())?.as_ref()?, fit.rows()?))
        };
        for (engine, fit) in Engine::ALL.into_iter().zip(&fits) {
            let at = Place::engine(subgraph.name.clone(), engine.name());
            let file = &capture.file;
            match fit {
                None => {
                    let message =
                        format!("{file} holds no whole image of {engine}; the built one is shown");
                    findings.push(Severity::Warning, "pair.image-missing", at, message);
                }
                Some(Fit::Foreign(error)) => {
                    let message = format!(
                        "the image in {file} and this program do not belong together: {error}; \
                         the built image is shown, at its own base"
                    );
                    findings.push(Severity::Error, "pair.structure", at, message);
                }
                Some(Fit::StandIn { why, .. }) => {
                    let message = format!(
                        "{file} {why} of {engine}: those of the built image stand in, which \
                         account for every slot of the captured one [inferred]"
                    );
                    findings.push(Severity::Warning, "pair.rows", at, message);
                }
                Some(Fit::RowsLost(why)) => {
                    let message = format!(
                        "{file} {why} of {engine}, and those of the built image do not account for \
                         the captured one; the built image is shown, at its own base"
                    );
                    findings.push(Severity::Error, "pair.rows", at, message);
                }
                Some(Fit::Sound(_)) => {}
            }
        }
        let unplaced = Engine::ALL.into_iter().filter(|engine| of_engine(*engine).is_none());
        let unplaced: Vec<Unplaced> = unplaced
            .filter_map(|engine| {
                let captured = capture.engines.get(engine.index())?.as_ref()?;
                Some(Unplaced { engine, base: captured.base, slots: captured.slots.clone() })
            })
            .collect();
        if Engine::ALL.into_iter().all(|engine| of_engine(engine).is_none()) {
            let inputs = Inputs::defaults(&profile, subgraph, core).map_err(failed)?;
            let built = SubgraphImages::build_with(subgraph, streams, &profile, inputs);
            return Ok(Self::without_capture(built, findings, unplaced, capture));
        }
        let counted = with_counts(subgraph, |queue, block| capture.counts(queue, block));
        let slots = Engine::ALL
            .map(|engine| of_engine(engine).map_or(&[][..], |(engine, _)| engine.slots.as_slice()));
        let captured =
            capture.core.filter(|core| check_core(profile.generation, Some(*core)).is_ok());
        if captured.is_none() {
            let message = format!(
                "{} names a core whose addresses are not known; the profile's default stands in",
                capture.file
            );
            findings.push(Severity::Warning, "pair.core", place(), message);
        }
        let defaults = Inputs::defaults(&profile, &counted, core.or(captured)).map_err(failed)?;
        // The capture's records name the addresses of the core that it was made on.
        let made_on = captured.unwrap_or(defaults.core);
        let (recovered, missing) = match inputs_of_capture(&profile, &counted, made_on, slots) {
            Ok(recovered) => (recovered.inputs, recovered.missing),
            Err(error) => {
                let message = format!(
                    "nothing can be read from {} with profile {}, whose defaults stand in: {error}",
                    capture.file, profile.name
                );
                findings.push(Severity::Warning, "pair.values", place(), message);
                (defaults.clone(), Vec::new())
            }
        };
        let mut inputs = Inputs { core: defaults.core, ..recovered };
        if captured != Some(inputs.core) {
            inputs.configured.insert(Inputs::CORE.to_owned());
        }
        for message in missing {
            findings.push(Severity::Info, "pair.input", place(), message);
        }
        let mut modelled = SubgraphImages::build_with(&counted, streams, &profile, inputs.clone());
        if !modelled.is_built() {
            // A damaged capture can hold values that no image can be built with.
            let plain = SubgraphImages::build_with(&counted, streams, &profile, defaults.clone());
            if plain.is_built() {
                let message = format!(
                    "no image can be built with the values read from {}; the profile's defaults \
                     stand in",
                    capture.file
                );
                findings.push(Severity::Warning, "pair.values", place(), message);
                (modelled, inputs) = (plain, defaults);
            }
        }
        let mut comparisons = [const { None }; 5];
        let mut engines = Vec::with_capacity(comparisons.len());
        for (engine, comparison) in Engine::ALL.into_iter().zip(&mut comparisons) {
            let stream = streams.get(engine.index()).copied().unwrap_or(&[]);
            let built = modelled.engine_mut(engine);
            let Some((captured, rows)) = of_engine(engine) else {
                engines.push(EngineImage::new(built.image.clone(), built.base));
                continue;
            };
            let source = Captured { engine, slots: &captured.slots, rows };
            let own = &reference.engine(engine).image;
            let Ok((image, compared)) = captured_image(source, stream, own, &built.image) else {
                engines.push(EngineImage::new(built.image.clone(), built.base));
                continue;
            };
            (built.base, built.base_provenance) = (DeviceAddr(captured.base), Provenance::File);
            if let Some((slot, ip, count)) =
                foreign_records(&image, &built.image, stream, &compared)
            {
                let message = format!(
                    "{count} records of {engine} have other bytes in {} than in this program, the \
                     first at image slot {slot}, NEFF IP {ip}: they are of different builds",
                    capture.file
                );
                let severity = if signs.uuid { Severity::Warning } else { Severity::Error };
                let offset = u64::from(ip.get().saturating_sub(1)) * 64;
                let at = Place {
                    offset: Some(offset),
                    ..Place::engine(subgraph.name.clone(), engine.name())
                };
                findings.push(severity, "pair.records", at, message);
            }
            let mut real = EngineImage::new(image, built.base);
            (real.base_provenance, real.captured) = (Provenance::File, true);
            engines.push(real);
            *comparison = Some(compared);
        }
        findings.extend(std::mem::take(&mut modelled.findings));
        modelled.findings = findings.clone();
        let engines = <[EngineImage; 5]>::try_from(engines)
            .map_err(|_| ApiError::bad_request("a subgraph has five engines"))?;
        let real_core = captured.unwrap_or(inputs.core);
        let real = SubgraphImages {
            profile: modelled.profile.clone(),
            profile_provenance: modelled.profile_provenance,
            generation: modelled.generation,
            capabilities: modelled.capabilities,
            inputs,
            engines,
            patch_lists: PatchLists::Kept,
            findings,
        };
        Ok(Self {
            real: Arc::new(real),
            modelled: Arc::new(modelled),
            comparisons,
            unplaced,
            runtime: capture.runtime.clone(),
            file: capture.file.clone(),
            core: real_core,
        })
    }

    /// The built images alone, where nothing of the capture can be used.
    fn without_capture(
        mut built: SubgraphImages,
        mut findings: Findings,
        unplaced: Vec<Unplaced>,
        capture: &CoreCapture,
    ) -> Self {
        findings.extend(std::mem::take(&mut built.findings));
        built.findings = findings;
        let core = built.inputs.core;
        let built = Arc::new(built);
        Self {
            real: Arc::clone(&built),
            modelled: built,
            comparisons: [const { None }; 5],
            unplaced,
            runtime: capture.runtime.clone(),
            file: capture.file.clone(),
            core,
        }
    }

    /// How an engine's images compare; `None` where the capture lacks one.
    pub fn comparison(&self, engine: Engine) -> Option<&Comparison> {
        self.comparisons.get(engine.index())?.as_ref()
    }

    /// Whether any image is the capture's.
    pub fn is_captured(&self) -> bool {
        self.comparisons.iter().any(Option::is_some)
    }
}

/// Whether a captured image and the program belong together.
enum Fit {
    /// They do, with the capture's rows.
    Sound(Vec<PatchRow>),
    /// The capture's rows are lost or damaged; those of the built image account for its slots.
    StandIn {
        /// What is wrong with the capture's.
        why: String,
        /// Rows of the built image.
        rows: Vec<PatchRow>,
    },
    /// The capture's rows are lost, in those words, and nothing stands in.
    RowsLost(&'static str),
    /// They do not.
    Foreign(ReconcileError),
}

impl Fit {
    fn of(
        engine: Engine,
        captured: &EngineCapture,
        stream: &[Slot],
        reference: &Image,
        same_file: bool,
    ) -> Self {
        let slots = captured.slots.as_slice();
        let built = || {
            let rows = rows_as_captured(reference);
            check_captured(Captured { engine, slots, rows: &rows }, reference)
                .is_ok()
                .then_some(rows)
        };
        let lost = |why: &'static str| match built() {
            Some(rows) => Self::StandIn { why: why.to_owned(), rows },
            None => Self::RowsLost(why),
        };
        match &captured.rows {
            CapturedRows::Missing => {
                match check_captured(Captured { engine, slots, rows: &[] }, reference) {
                    Ok(()) => Self::Sound(Vec::new()),
                    Err(_) => lost("has no patch rows"),
                }
            }
            CapturedRows::Unreadable => lost("has patch rows with numbers that no row can have"),
            CapturedRows::Read(rows) => {
                match check_captured(Captured { engine, slots, rows }, reference) {
                    Ok(()) => Self::Sound(rows.clone()),
                    // Rows that add up to nothing are either damaged or another program's. They are
                    // damaged if the program's own records stand where the built rows put them.
                    Err(error) => {
                        let own = |rows: &Vec<PatchRow>| {
                            captured_image(
                                Captured { engine, slots, rows },
                                stream,
                                reference,
                                reference,
                            )
                            .is_ok_and(|(image, compared)| {
                                foreign_records(&image, reference, stream, &compared).is_none()
                            })
                        };
                        match built().filter(|rows| same_file && own(rows)) {
                            Some(rows) => Self::StandIn {
                                why: format!("has damaged patch rows ({error})"),
                                rows,
                            },
                            None => Self::Foreign(error),
                        }
                    }
                }
            }
        }
    }

    /// The rows to go by; `None` if the captured image cannot be used.
    fn rows(&self) -> Option<&[PatchRow]> {
        match self {
            Self::Sound(rows) | Self::StandIn { rows, .. } => Some(rows),
            Self::RowsLost(_) | Self::Foreign(_) => None,
        }
    }
}

/// A captured image that cannot be shown beside the program: where it lies, and what it holds.
pub struct Unplaced {
    /// Engine.
    pub engine: Engine,
    /// Device base.
    pub base: u64,
    /// Its records.
    pub slots: Vec<Slot>,
}

/// Images of the capture's own runtime with that profile's defaults.
fn reference(
    subgraph: &Subgraph,
    streams: [&[Slot]; 5],
    profile: &Profile,
) -> Result<SubgraphImages, ApiError> {
    let inputs = Inputs::defaults(profile, subgraph, None);
    let inputs = inputs.map_err(|error| cannot_evaluate(&profile.name, &error))?;
    Ok(SubgraphImages::build_with(subgraph, streams, profile, inputs))
}

/// The profile of a capture's runtime.
struct RuntimeProfile {
    profile: Result<Arc<Profile>, ApiError>,
    /// Said if it is only the generation's default.
    stands_in: Option<String>,
}

/// The profile of a capture's runtime, or the generation's default.
fn runtime_profile(generation: Generation, capture: &CoreCapture) -> RuntimeProfile {
    let name = Profile::name_for_runtime(generation, &capture.runtime);
    let version = Some(capture.runtime.as_str()).filter(|version| !version.is_empty());
    let stands_in = name.is_none().then(|| {
        format!(
            "no exact profile is known for runtime {} on {}; {} stands in",
            version.unwrap_or("of unknown version"),
            generation.name(),
            Profile::default_name(generation)
        )
    });
    let name = name.unwrap_or(Profile::default_name(generation));
    let profile = built_in_profile(name).map_err(|error| cannot_evaluate(name, &error));
    RuntimeProfile { profile, stands_in }
}
