//! A file as memory planning needs it: variables, code sizes, what a capture measured.

use crate::answer::Finding;
use crate::choice;
use crate::convert::findings;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::names::label;
use crate::neff_file::NeffFile;
use crate::ntff_file::NtffFile;
use crate::request::Scope;
use crate::scope;
use device_image::dmem::Usage;
use device_image::memory::load::io_of_each;
use device_image::memory::plan::bootstrap_bytes;
use device_image::memory::{Model, ModelSubgraph, Variables};
use neff::Findings;
use records::{Engine, Provenance as Sureness};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Bytes of the activation engine's tables, wherever a captured program uses a function set.
/// Spec: docs/format/memory.md "Categories of a load" [observed].
const ACT_TABLE_BYTES: u64 = 65_536 + 8_192 + 8_192 + 2_048;
/// Alignment of code.
const CODE_ALIGNMENT: u64 = 0x8000;

/// Code or a table: what for, bytes, alignment.
type Part = (Usage, u64, u64);

/// One file, ready to be planned.
pub struct OwnedModel {
    /// Name of the file.
    pub name: String,
    /// Index in the session.
    pub file: usize,
    first_core: u32,
    /// Names of its subgraphs.
    pub names: Vec<String>,
    /// Index of each subgraph in the file.
    pub indices: Vec<usize>,
    /// Variables of each subgraph.
    pub variables: Vec<Variables>,
    other: Vec<Vec<Part>>,
    /// How sure the bytes of code are.
    pub code: Vec<Sureness>,
    /// Why there is no code of a subgraph.
    pub code_missing: Vec<Option<String>>,
    io: Vec<Vec<u64>>,
    /// What is odd about it.
    pub findings: Vec<Finding>,
    /// What a capture measured, by category.
    pub measured: Vec<Option<BTreeMap<String, u64>>>,
    /// Physical cores of the file's logical core.
    pub cores: u32,
}

impl OwnedModel {
    /// The model of it.
    pub fn model(&self) -> Model<'_> {
        let subgraphs = self.indices.iter().enumerate().filter_map(|(at, index)| {
            Some(ModelSubgraph {
                name: self.names.get(at)?.clone(),
                core: self.first_core.saturating_add(u32::try_from(*index).ok()?),
                variables: self.variables.get(at)?,
                io: self.io.get(at)?.clone(),
                other: self.other.get(at)?.clone(),
            })
        });
        Model { name: self.name.clone(), subgraphs: subgraphs.collect() }
    }
}

/// Findings of the variables, and of the documents that they were read from: a size that could not be
/// read counts as 0 in the plan.
fn read_findings(file: &NeffFile, indices: &[usize], own: &[neff::Diagnostic]) -> Vec<Finding> {
    let mut all: Vec<Finding> = indices.iter().flat_map(|at| file.findings_of(*at)).collect();
    all.extend(findings(own));
    all
}

/// Reads variables, code sizes and measured categories of a file's subgraphs: of one if the scope
/// names it, else of all.
///
/// # Errors
/// As a scope.
pub fn model_of(
    files: &[Arc<OpenFile>],
    at: usize,
    file: &NeffFile,
    scope: &Scope,
) -> Result<OwnedModel, ApiError> {
    let package = file.package();
    let (only, _) = scope::subgraph(file, scope)?;
    let mut found = Findings::new();
    let all: Vec<Variables> =
        package.subgraphs().iter().map(|one| Variables::of(one, &mut found)).collect();
    let io = io_of_each(&all.iter().collect::<Vec<_>>());
    let capture = scope::capture(files, scope, file)?;
    let all_indices: Vec<usize> = match scope.s {
        Some(_) => vec![only],
        None => (0..all.len()).collect(),
    };
    let mut made = OwnedModel {
        name: label(files, at),
        file: at,
        first_core: scope.core.unwrap_or(0),
        names: Vec::new(),
        indices: Vec::new(),
        variables: Vec::new(),
        other: Vec::new(),
        code: Vec::new(),
        code_missing: Vec::new(),
        io: Vec::new(),
        findings: read_findings(file, &all_indices, found.as_slice()),
        measured: Vec::new(),
        cores: file.program(0).subgraph.cores,
    };
    let lists = package.subgraphs().iter().zip(all).zip(io).enumerate();
    for (index, ((subgraph, variables), io)) in lists {
        if scope.s.is_some() && index != only {
            continue;
        }
        let (other, sure, missing) = match code(files, capture, scope, file, index) {
            Ok((other, sure)) => (other, sure, None),
            // A question that is wrong stays one; a program without an image has its variables.
            Err(error) if error.code == "image.profile" || error.code == "core.unknown" => {
                (Vec::new(), Sureness::Modelled, Some(error.message))
            }
            Err(error) => return Err(error),
        };
        made.code_missing.push(missing);
        made.names.push(subgraph.name.clone());
        made.indices.push(index);
        made.variables.push(variables);
        made.other.push(other);
        made.code.push(sure);
        made.io.push(io);
        made.measured.push(capture.and_then(|ntff| {
            let capture = ntff.capture();
            let core = capture.subgraph(&subgraph.name)?;
            let runtime = capture.runtime.clone().unwrap_or_default();
            let mut sums: BTreeMap<String, u64> = BTreeMap::new();
            let mut beyond = false;
            for one in &core.memory {
                let number = || format!("category {}", one.category.unwrap_or(0));
                let name = one.known_name(&runtime).map_or_else(number, |(name, _)| name.into());
                let sum = sums.entry(name).or_insert(0);
                let both = sum.checked_add(one.bytes);
                beyond |= both.is_none();
                *sum = both.unwrap_or(u64::MAX);
            }
            if beyond {
                made.findings.push(sum_finding(&subgraph.name, "a measured category"));
            }
            Some(sums)
        }));
    }
    Ok(made)
}

/// That a sum exceeds 2^64.
pub fn sum_finding(of: &str, what: &str) -> Finding {
    let of: String = of.chars().take(64).collect();
    Finding {
        code: "memory.sum".to_owned(),
        severity: "warning".to_owned(),
        message: format!(
            "{of}: the sum of {what} exceeds 2^64 bytes; 18446744073709551615 stands for it"
        ),
        at: Default::default(),
    }
}

/// Images and tables of a subgraph: usage, bytes, alignment. An engine whose image cannot be built
/// has none.
fn code(
    files: &[Arc<OpenFile>],
    capture: Option<&NtffFile>,
    scope: &Scope,
    file: &NeffFile,
    index: usize,
) -> Result<(Vec<Part>, Sureness), ApiError> {
    let program = file.program(index);
    let generation = program.subgraph.generation;
    let chosen = choice::choose(files, scope.profile.as_deref(), generation)?;
    let images = match scope::pair(files, capture, scope, file, index, &chosen)? {
        Some(pair) if pair.is_captured() && !scope.modelled => Arc::clone(&pair.real),
        Some(pair) => Arc::clone(&pair.modelled),
        None => file.images(index, &chosen.profile, &chosen.key, None)?,
    };
    let bootstrap = bootstrap_bytes(&images.profile);
    let mut parts = Vec::new();
    let mut sure = Sureness::Observed;
    for (engine, boot) in Engine::ALL.into_iter().zip(bootstrap.unwrap_or([0; 5])) {
        let image = &images.engine(engine).image;
        let usage = Usage(device_image::placement::usage_tag(engine));
        parts.push((usage, image.bytes().len() as u64, CODE_ALIGNMENT));
        if boot > 0 {
            parts.push((usage, boot, CODE_ALIGNMENT));
        }
        sure = sure.max(image.provenance);
    }
    if bootstrap.is_none() {
        sure = Sureness::Modelled;
    }
    if program.subgraph.activation_set {
        parts.push((Usage::ACT_TABLE, ACT_TABLE_BYTES, 0));
    }
    Ok((parts, sure))
}
