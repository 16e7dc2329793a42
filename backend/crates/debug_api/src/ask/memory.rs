//! Answers `memory`: what fills device memory.

use super::lifetimes::Lifetimes;
use super::memory_model::{OwnedModel, model_of, sum_finding};
use super::memory_sums as sums;
use super::memory_verdict::Grounds;
use super::memory_view::Shown;
use super::scratchpad::{mode as named_mode, odd_page, refused, warning};
use crate::answer::{
    Finding, MemoryAdvice, MemoryAnswer, MemoryFile, MemoryUnknown, Provenance, SCHEMA,
};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::neff_file::NeffFile;
use crate::request::{Request, Scope};
use crate::scope;
use device_image::Generation;
use device_image::address_map::bases;
use device_image::dmem::HbmShape;
use device_image::memory::plan::{Bounds, Plan, plan};
use device_image::memory::{LoadRequest, Model};
use device_image::scratchpad::arena::DEFAULT_PAGE_BYTES;
use device_image::scratchpad::{Mode, Versions};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Variables on pages, private ones, and pairs that are listed.
const LISTED: (usize, usize, usize) = (2_000, 1_000, 1_000);
/// Places of one answer, by default and at most.
const PLACES: (u32, u32) = (256, 4_096);
/// Variables up to which the least HBM is looked for where all fits: more would take a second.
const LEAST_UP_TO: usize = 20_000;
/// What a runtime allocates too, and nobody says how much of.
const NOT_COUNTED: [(&str, &str); 6] = [
    ("generic", "what the runtime allocates for itself is not published"),
    ("io", "queues between host and device depend on the runtime's settings"),
    ("profiler buffers", "they exist only while a profile is captured"),
    ("dma rings", "their size depends on how the runtime splits transfers, which is not published"),
    ("collectives", "they depend on the ranks that take part"),
    ("ucode", "the size of the libraries that the runtime loads is not in the file"),
];
/// What fills device memory.
///
/// # Errors
/// `memory.mode`, `memory.page-size`, `memory.generation`, `memory.version`; else as a scope.
pub fn memory(files: &[Arc<OpenFile>], request: &Request) -> Result<MemoryAnswer, ApiError> {
    let Request::Memory { scope, mode, page_size, generation, hbm, runtime, driver, from, count } =
        request
    else {
        return Err(ApiError::bad_request("this is no question about memory"));
    };
    let asked = generation.as_deref().map(self::generation).transpose()?;
    let (first, models) = models(files, scope, asked)?;
    let generation = asked.unwrap_or(first.program(0).subgraph.generation);
    let cores = models.iter().map(|one| one.cores).max().unwrap_or(1);
    let versions = versions(runtime.as_deref(), driver.as_deref())?;
    let chosen = versions.map(|versions| versions.mode(generation, cores));
    let (mode, mode_from) = match mode {
        Some(name) => (named_mode(name)?, Provenance::Configured),
        None => match chosen {
            Some(mode) => (mode, Provenance::Observed),
            None => (Mode::Paged, Provenance::Observed),
        },
    };
    let page = page_size.unwrap_or(DEFAULT_PAGE_BYTES);
    let asked = LoadRequest { generation, mode, page_size: page, hbm_bytes: *hbm, cores };
    let wanted = asked.settled().map_err(|one| refused(&one))?;
    let mode_from = if wanted.mode == mode { mode_from } else { Provenance::Observed };
    let mode = wanted.mode;
    let plain: Vec<Model<'_>> = models.iter().map(OwnedModel::model).collect();
    let count_of = |model: &OwnedModel| -> usize {
        model.variables.iter().map(|list| list.as_slice().len()).sum()
    };
    let least_hbm = models.iter().map(count_of).sum::<usize>() <= LEAST_UP_TO;
    let bounds = Bounds { variables: LISTED.0, pairs: LISTED.2, places: true, least_hbm };
    let made = plan(&plain, &asked, scope.s.is_some(), bounds).map_err(|one| refused(&one))?;
    let mut diagnostics: Vec<Finding> =
        models.iter().flat_map(|one| one.findings.iter().cloned()).collect();
    if asked.mode != mode {
        let message = "contiguous mode was asked for; the runtime stays paged here, since the logical core has one physical core";
        diagnostics.push(warning("memory.mode-gate", message.to_owned()));
    }
    if let Some(size) = page_size.filter(|size| mode == Mode::Contiguous && *size != made.page_size)
    {
        let message = format!("the page size {size} has no effect in contiguous mode");
        diagnostics.push(warning("memory.page-size-unused", message));
    }
    if mode == Mode::Paged {
        diagnostics.extend(odd_page(page));
    }
    if let Some(text) = &made.refused {
        let message = format!("a model's scratchpad cannot be planned: {text}");
        diagnostics.push(warning("memory.refused", message));
    }
    for (model, error) in &made.load.remote {
        let name = models.get(*model).map_or("", |one| one.name.as_str());
        diagnostics.push(warning("memory.remote", format!("{name}: {error}")));
    }
    diagnostics.extend(sums::beyond(files, &models, &made));
    diagnostics.extend(super::memory_places::findings(&models, &made.load));
    let grounds = Grounds::of(files, &models, &made);
    diagnostics.extend(grounds.findings());
    let (verdict, memory_verdict, fits) = grounds.verdicts(&made);
    let lifetimes = lifetimes(files, &models, &made);
    let view = Shown {
        models: &models,
        plain: &plain,
        plan: &made,
        generation,
        lifetimes: &lifetimes,
        lower: &grounds.lower,
    };
    let count = count.unwrap_or(PLACES.0).min(PLACES.1);
    let subgraphs = view.subgraphs();
    let variables = view.places(*from as usize, count as usize);
    diagnostics.extend(from_finding(variables.from, variables.total));
    let (categories, computed_beyond) = sums::total(&subgraphs, |one| one.bytes);
    let (measured, measured_beyond) = sums::total(&subgraphs, |one| one.measured_bytes);
    let all = subgraphs.iter().flat_map(|one| &one.categories);
    let lower: BTreeSet<&String> = all.filter(|one| one.at_least).map(|one| &one.name).collect();
    let categories_at_least = lower.into_iter().cloned().collect();
    let need_at_least = made.need_exceeds || made.refused.is_some() || grounds.need_at_least;
    let at = crate::answer::At::default;
    for (what, beyond) in [("computed", computed_beyond), ("measured", measured_beyond)] {
        let told = |name: String| sum_finding("all subgraphs", &format!("{name}, {what}"), at());
        diagnostics.extend(beyond.map(told));
    }
    Ok(MemoryAnswer {
        schema: SCHEMA,
        files: models
            .iter()
            .map(|one| MemoryFile { file: one.file, name: one.name.clone() })
            .collect(),
        mode: mode.name().to_owned(),
        mode_asked: (asked.mode != mode).then(|| asked.mode.name().to_owned()),
        mode_provenance: mode_from,
        page_size: made.page_size,
        generation: generation.name().to_owned(),
        hbm_bytes: wanted.hbm_bytes(),
        core: made.core,
        core_provenance: models
            .first()
            .map_or(Provenance::Modelled, |one| crate::convert::provenance(one.cores_from)),
        hbm: HbmShape::of(generation).default_channel(made.core),
        n_cores: bases::cores(generation),
        need_bytes: made.layout.need_bytes,
        n_pages: made.layout.n_pages,
        need_at_least,
        page_cap: made.page_cap.map(|cap| sums::page_cap(cap, mode, made.page_size, need_at_least)),
        pages: view.pages(),
        slices: view.slices(),
        private: made.layout.private.iter().take(LISTED.1).filter_map(|at| view.at(*at)).collect(),
        n_private: made.layout.private.len() as u64,
        private_bytes: made.layout.private_bytes.bytes,
        overlaps: made.overlaps,
        overlap_pairs: view.pairs(),
        categories: categories.unwrap_or_default(),
        categories_at_least,
        measured,
        not_counted: NOT_COUNTED.iter().map(|(name, _)| (*name).to_owned()).collect(),
        not_computed: NOT_COUNTED
            .iter()
            .map(|(name, reason)| MemoryUnknown {
                name: (*name).to_owned(),
                reason: (*reason).to_owned(),
            })
            .collect(),
        fits,
        verdict: verdict.to_owned(),
        memory_verdict: memory_verdict.to_owned(),
        n_virtual: made.needs.iter().map(|need| need.n_virtual).sum(),
        refusals: grounds.refusals,
        n_refusals: grounds.n_refusals,
        unread: grounds.unread,
        n_unread: grounds.n_unread,
        failures: view.failures(),
        n_failures: made.load.n_failures,
        remedies: made.remedies.iter().map(sums::remedy).collect(),
        least_hbm_bytes: made.least_hbm_bytes,
        advice: made.layout.advice.as_ref().map(|advice| MemoryAdvice {
            largest_bytes: advice.largest_bytes,
            page_size: advice.page_bytes,
            still_private: advice.still_private,
            enough_page_size: advice.enough_bytes,
            compiler_flag: advice.compiler_flag(),
            runtime_variable: advice.runtime_variable(),
        }),
        hbms: view.hbms(&subgraphs),
        variables,
        subgraphs,
        notes: made.load.notes.clone(),
        // Numbers that are too large, or leave out what cannot be planned, are no observation.
        provenance: if need_at_least || made.layout.private_bytes.exceeds {
            Provenance::Modelled
        } else {
            Provenance::Observed
        },
        fits_provenance: Provenance::Modelled,
        diagnostics,
    })
}

/// The finding that a list of places begins behind its end.
fn from_finding(from: u64, total: u64) -> Option<Finding> {
    let last = total.checked_sub(1);
    let there = last.map_or("there are no variables".to_owned(), |last| {
        format!("there are {total} variables, 0 to {last}")
    });
    let message = format!("no place is listed from variable {from} on: {there}");
    (from > 0 && from >= total).then(|| warning("memory.from", message))
}

/// Uses of the variables that the answer names, by subgraph over all models.
fn lifetimes(files: &[Arc<OpenFile>], models: &[OwnedModel], plan: &Plan) -> Vec<Lifetimes> {
    let count = models.iter().map(|model| model.indices.len()).sum();
    let mut wanted: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); count];
    let on_pages = plan.layout.pages.iter().flat_map(|page| &page.variables);
    let private = plan.layout.private.iter().take(LISTED.1);
    let pairs = plan.pairs.iter().flat_map(|(a, b)| [a, b]);
    for at in on_pages.chain(private).chain(pairs) {
        if let Some(one) = plan.variables.get(*at)
            && let Some(ids) = wanted.get_mut(one.subgraph)
        {
            ids.insert(one.id);
        }
    }
    let subgraphs =
        models.iter().flat_map(|model| model.indices.iter().map(|index| (model.file, *index)));
    let of = |((file, index), ids): ((usize, usize), &BTreeSet<u32>)| {
        let neff = files.get(file).and_then(|file| file.as_neff());
        neff.map_or_else(Lifetimes::default, |neff| Lifetimes::of(neff, index, ids))
    };
    subgraphs.zip(&wanted).map(of).collect()
}

/// The executables that the question is about, and the first of them.
pub(super) fn models<'a>(
    files: &'a [Arc<OpenFile>],
    scope: &Scope,
    generation: Option<Generation>,
) -> Result<(&'a NeffFile, Vec<OwnedModel>), ApiError> {
    let first = scope::neff(files, scope.f)?;
    let generation = generation.unwrap_or(first.program(0).subgraph.generation);
    let one_file = scope.f.is_some() || scope.s.is_some();
    let mut models = Vec::new();
    for (at, file) in files.iter().enumerate() {
        let Some(neff) = file.as_neff() else { continue };
        if one_file && !std::ptr::eq(neff, first) {
            continue;
        }
        models.push(model_of(files, at, neff, scope, Some(generation))?);
    }
    Ok((first, models))
}

/// The generation of a name.
///
/// # Errors
/// `memory.generation`.
pub fn generation(name: &str) -> Result<Generation, ApiError> {
    Generation::ALL.into_iter().find(|one| one.name() == name).ok_or_else(|| {
        let shown: String = name.chars().take(40).collect();
        let message =
            format!("`{shown}` is no generation; the generations are sunda, cayman and mariana");
        ApiError::new(ErrorKind::BadRequest, "memory.generation", message)
    })
}

fn versions(runtime: Option<&str>, driver: Option<&str>) -> Result<Option<Versions>, ApiError> {
    let Some(runtime) = runtime.map(version).transpose()? else { return Ok(None) };
    let driver = driver.map(version).transpose()?.unwrap_or(Versions::CONTIGUOUS_DRIVER);
    Ok(Some(Versions { runtime, driver }))
}

fn version(text: &str) -> Result<(u32, u32), ApiError> {
    let mut parts = text.split('.').map(|part| part.parse::<u32>().ok());
    match (parts.next().flatten(), parts.next().flatten()) {
        (Some(major), Some(minor)) => Ok((major, minor)),
        _ => {
            let shown: String = text.chars().take(40).collect();
            let message = format!("`{shown}` is no version such as 2.33");
            Err(ApiError::new(ErrorKind::BadRequest, "memory.version", message))
        }
    }
}
