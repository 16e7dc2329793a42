//! An executable and a capture of one of its runs, seen together: the captured images, and the
//! ones that are built with the values read from the capture.

use crate::built_in::built_in_profile;
use crate::engines::{EngineImage, SubgraphImages, cannot_evaluate, check_core};
use crate::error::ApiError;
use crate::pairing::{CoreCapture, Signs};
use device_image::{
    Captured, Comparison, Generation, Inputs, PatchLists, Profile, Subgraph, captured_image,
    inputs_of_capture, with_counts,
};
use neff::{Findings, Place, Severity};
use records::{DeviceAddr, Engine, Provenance, Slot};
use std::sync::Arc;

/// Captured and built images of one subgraph.
pub struct PairImages {
    /// The capture's images; where it lacks one, the built one.
    pub real: Arc<SubgraphImages>,
    /// The images built with the values of the capture, at its bases.
    pub modelled: Arc<SubgraphImages>,
    /// How the two compare, by engine code; `None` where the capture lacks an image.
    pub comparisons: [Option<Comparison>; 5],
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
        let profile = match profile {
            Some(profile) => Arc::new(profile.clone()),
            None => runtime_profile(subgraph.generation, capture, &mut findings, place())?,
        };
        let counted = with_counts(subgraph, |queue, block| capture.counts(queue, block));
        let slots = capture
            .engines
            .each_ref()
            .map(|engine| engine.as_ref().map_or(&[][..], |engine| engine.slots.as_slice()));
        check_core(subgraph.generation, core)?;
        let captured =
            capture.core.filter(|core| check_core(profile.generation, Some(*core)).is_ok());
        if captured.is_none() {
            let message = format!(
                "{} names a core whose addresses are not known; the profile's default stands in",
                capture.file
            );
            findings.push(Severity::Warning, "pair.core", place(), message);
        }
        let failed = |error| cannot_evaluate(&profile.name, &error);
        let defaults = Inputs::defaults(&profile, &counted, core.or(captured)).map_err(failed)?;
        // The capture's records name the addresses of the core that it was made on.
        let made_on = captured.unwrap_or(defaults.core);
        let recovered = inputs_of_capture(&profile, &counted, made_on, slots).map_err(failed)?;
        let mut inputs = Inputs { core: defaults.core, ..recovered.inputs };
        if captured != Some(inputs.core) {
            inputs.configured.insert(Inputs::CORE.to_owned());
        }
        for message in recovered.missing {
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
            let captured = capture.engines.get(engine.index()).and_then(Option::as_ref);
            let built = modelled.engine_mut(engine);
            let Some(captured) = captured else {
                let message = format!(
                    "{} holds no whole image of {engine}; the built one is shown",
                    capture.file
                );
                let at = Place::engine(subgraph.name.clone(), engine.name());
                findings.push(Severity::Warning, "pair.image-missing", at, message);
                engines.push(EngineImage::new(built.image.clone(), built.base));
                continue;
            };
            (built.base, built.base_provenance) = (DeviceAddr(captured.base), Provenance::File);
            let source = Captured { engine, slots: &captured.slots, rows: &captured.rows };
            match captured_image(source, stream, &built.image) {
                Ok((image, compared)) => {
                    let mut real = EngineImage::new(image, built.base);
                    (real.base_provenance, real.captured) = (Provenance::File, true);
                    engines.push(real);
                    *comparison = Some(compared);
                }
                Err(error) => {
                    let message = format!(
                        "the image in {} and this program do not belong together: {error}; the \
                         built image is shown",
                        capture.file
                    );
                    let at = Place::engine(subgraph.name.clone(), engine.name());
                    findings.push(Severity::Error, "pair.structure", at, message);
                    let mut shown = EngineImage::new(built.image.clone(), built.base);
                    shown.base_provenance = Provenance::File;
                    engines.push(shown);
                }
            }
        }
        findings.extend(std::mem::take(&mut modelled.findings));
        modelled.findings = findings.clone();
        let engines = <[EngineImage; 5]>::try_from(engines)
            .map_err(|_| ApiError::bad_request("a subgraph has five engines"))?;
        let real_core = captured.unwrap_or(inputs.core);
        let real = SubgraphImages {
            profile: modelled.profile.clone(),
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
            runtime: capture.runtime.clone(),
            file: capture.file.clone(),
            core: real_core,
        })
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

/// The profile of a capture's runtime, or the generation's default with a finding.
fn runtime_profile(
    generation: Generation,
    capture: &CoreCapture,
    findings: &mut Findings,
    place: Place,
) -> Result<Arc<Profile>, ApiError> {
    let name = Profile::name_for_runtime(generation, &capture.runtime);
    if name.is_none() {
        let message = format!(
            "no exact profile is known for runtime {} on {}; {} stands in",
            Some(capture.runtime.as_str())
                .filter(|v| !v.is_empty())
                .unwrap_or("of unknown version"),
            generation.name(),
            Profile::default_name(generation)
        );
        findings.push(Severity::Warning, "pair.runtime", place, message);
    }
    let name = name.unwrap_or(Profile::default_name(generation));
    built_in_profile(name).map_err(|error| cannot_evaluate(name, &error))
}
