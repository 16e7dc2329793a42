//! Answers `profiles`.

use crate::answer::{
    CapabilityInfo, Finding, ProfileInfo, ProfileStep, ProfilesAnswer, SCHEMA, StepInfo,
};
use crate::convert::provenance;
use crate::file::OpenFile;
use device_image::profile::{BUILT_IN, Step};
use device_image::{Capability, Profile};
use records::Engine;
use std::sync::Arc;

/// Names of the profiles that a question can ask for.
pub fn names(files: &[Arc<OpenFile>]) -> Vec<String> {
    let own = files.iter().filter_map(|file| file.as_profile());
    let own = own.filter_map(|file| Some(file.profile().ok()?.name.clone()));
    let mut names: Vec<String> = BUILT_IN.iter().map(|(name, _)| (*name).to_owned()).collect();
    for name in own {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The known profiles.
pub fn profiles(files: &[Arc<OpenFile>]) -> ProfilesAnswer {
    let mut diagnostics = Vec::new();
    let built_in = BUILT_IN.iter().filter_map(|(name, _)| Profile::built_in(name).ok());
    let mut profiles: Vec<ProfileInfo> = built_in.map(|profile| info(&profile, None)).collect();
    for file in files.iter().filter_map(|file| file.as_profile()) {
        match file.profile() {
            Ok(profile) => profiles.push(info(profile, Some(file.name().to_owned()))),
            Err(error) => diagnostics.push(Finding {
                code: error.code.to_owned(),
                severity: String::from("error"),
                message: error.message,
                at: *error.at,
            }),
        }
    }
    ProfilesAnswer { schema: SCHEMA, profiles, diagnostics }
}

fn info(profile: &Profile, file: Option<String>) -> ProfileInfo {
    let capability = |one: Capability| CapabilityInfo {
        name: one.word().to_owned(),
        value: profile.capabilities.has(one),
        provenance: provenance(profile.capabilities.provenance(one)),
    };
    let steps = profile.steps.iter().enumerate();
    ProfileInfo {
        name: profile.name.clone(),
        generation: profile.generation.name().to_owned(),
        runtime: if profile.runtime.is_empty() {
            "–".to_owned()
        } else {
            profile.runtime.clone()
        },
        provenance: provenance(profile.provenance),
        file,
        capabilities: Capability::ALL.map(capability).to_vec(),
        steps: steps.map(|(at, step)| step_info(step, at < profile.preamble_steps)).collect(),
    }
}

fn step_info(step: &Step, in_preamble: bool) -> ProfileStep {
    let mut record_gates: Vec<String> = Vec::new();
    let conditions = step.lines.iter().flatten().filter_map(|line| line.gate.as_ref());
    for text in conditions.map(|condition| condition.text()) {
        if !record_gates.iter().any(|known| known == text) {
            record_gates.push(text.to_owned());
        }
    }
    let engines = Engine::ALL.into_iter().zip(&step.lines);
    ProfileStep {
        step: StepInfo {
            id: step.id.clone(),
            title: step.title.clone(),
            text: step.text.clone(),
            provenance: provenance(step.provenance),
        },
        region: if in_preamble { "PREAMBLE" } else { "POSTAMBLE" }.to_owned(),
        order: step.order,
        engines: engines
            .filter(|(_, lines)| !lines.is_empty())
            .map(|(engine, _)| engine.name().to_owned())
            .collect(),
        gate: step.gate.as_ref().map(|gate| gate.text().to_owned()),
        record_gates,
        for_each_queue: step.for_each_queue,
    }
}
