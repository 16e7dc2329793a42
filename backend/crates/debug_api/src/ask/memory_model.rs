//! A file as memory planning needs it: variables, code sizes, what a capture measured.

use super::memory_set_up::{SET_UP_BYTES, SetUp, set_up};
use crate::answer::{At, Finding};
use crate::choice;
use crate::convert::findings;
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::names::label;
use crate::neff_file::NeffFile;
use crate::ntff_file::NtffFile;
use crate::request::Scope;
use crate::scope;
use device_image::address_map::bases;
use device_image::dmem::{HbmShape, Usage};
use device_image::memory::model::io_variables_of_each;
use device_image::memory::plan::bootstrap_bytes;
use device_image::memory::{Model, ModelSubgraph, Variables};
use device_image::{Generation, Inputs};
use neff::Findings;
use records::{Engine, Provenance as Sureness};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Bytes of the activation engine's tables, wherever a captured program uses a function set.
/// Spec: docs/format/memory.md "Categories of a load" [observed].
const ACT_TABLE_BYTES: u64 = 65_536 + 8_192 + 8_192 + 2_048;
/// Subgraphs of a file of which it is told that their images are those of another core.
const CORES_TOLD: usize = 4;
/// Alignment of code.
const CODE_ALIGNMENT: u64 = 0x8000;

/// What a part of the code and tables is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// An engine's image.
    Image(Engine),
    /// The program that starts an engine.
    Start(Engine),
    /// The tables of the activation engine.
    ActTables,
}

impl PartKind {
    /// Engine that it belongs to.
    pub const fn engine(self) -> Engine {
        match self {
            Self::Image(engine) | Self::Start(engine) => engine,
            Self::ActTables => Engine::Act,
        }
    }

    /// The word of JSON documents.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Image(_) => "image",
            Self::Start(_) => "start",
            Self::ActTables => "act-tables",
        }
    }

    /// Words for it.
    pub fn words(self) -> String {
        match self {
            Self::Image(engine) => format!("image of {}", engine.name()),
            Self::Start(engine) => format!("program that starts {}", engine.name()),
            Self::ActTables => "activation tables".to_owned(),
        }
    }
}

/// Code or a table.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    usage: Usage,
    bytes: u64,
    alignment: u64,
    /// Address that views of code show for it.
    place: Option<u64>,
    /// What it is.
    pub kind: PartKind,
}

/// Code and tables of a subgraph, and the core that they are made for.
struct Code {
    parts: Vec<Part>,
    set_up: Vec<SetUp>,
    sure: Sureness,
    core: u32,
    core_from: Sureness,
}

/// One file, ready to be planned.
pub struct OwnedModel {
    /// Name of the file.
    pub name: String,
    /// Index in the session.
    pub file: usize,
    /// Core of each subgraph.
    pub on_cores: Vec<u32>,
    /// Where core numbers come from.
    pub cores_from: Sureness,
    /// Names of its subgraphs.
    pub names: Vec<String>,
    /// Index of each subgraph in the file.
    pub indices: Vec<usize>,
    /// Variables of each subgraph.
    pub variables: Vec<Variables>,
    /// Code and tables of each subgraph.
    pub other: Vec<Vec<Part>>,
    /// What the code of each subgraph points to.
    pub set_up: Vec<Vec<SetUp>>,
    /// How sure the bytes of code are.
    pub code: Vec<Sureness>,
    /// Why there is no code of a subgraph.
    pub code_missing: Vec<Option<String>>,
    /// Ids and bytes of inputs and outputs that no earlier subgraph has, of each.
    pub io: Vec<Vec<(u32, u64)>>,
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
        let subgraphs = (0..self.indices.len()).filter_map(|at| {
            let parts = self.other.get(at)?;
            Some(ModelSubgraph {
                name: self.names.get(at)?.clone(),
                core: *self.on_cores.get(at)?,
                variables: self.variables.get(at)?,
                io: self.io.get(at)?.iter().map(|(_, bytes)| *bytes).collect(),
                other: parts.iter().map(|one| (one.usage, one.bytes, one.alignment)).collect(),
                places: parts.iter().map(|one| one.place).collect(),
                kept: self.set_up.get(at)?.iter().map(|one| (one.start, SET_UP_BYTES)).collect(),
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
/// names it, else of all. The core of a scope is that of the subgraph that it names, else of the
/// first; the others follow it. Without one each subgraph is on the core that its images are made
/// for. `generation` is that of the chip that it is loaded on; the file's own if absent.
///
/// # Errors
/// As a scope; `core.unknown` for a core that the chip does not have.
pub fn model_of(
    files: &[Arc<OpenFile>],
    at: usize,
    file: &NeffFile,
    scope: &Scope,
    generation: Option<Generation>,
) -> Result<OwnedModel, ApiError> {
    let package = file.package();
    let (only, _) = scope::subgraph(file, scope)?;
    let mut found = Findings::new();
    let all: Vec<Variables> =
        package.subgraphs().iter().map(|one| Variables::of(one, &mut found)).collect();
    let io: Vec<Vec<(u32, u64)>> = io_variables_of_each(&all.iter().collect::<Vec<_>>())
        .iter()
        .map(|own| own.iter().map(|one| (one.id, one.size)).collect())
        .collect();
    let capture = scope::capture(files, scope, file)?;
    let all_indices: Vec<usize> = match scope.s {
        Some(_) => vec![only],
        None => (0..all.len()).collect(),
    };
    let mut made = OwnedModel {
        name: label(files, at),
        file: at,
        on_cores: Vec::new(),
        cores_from: Sureness::Configured,
        names: Vec::new(),
        indices: Vec::new(),
        variables: Vec::new(),
        other: Vec::new(),
        set_up: Vec::new(),
        code: Vec::new(),
        code_missing: Vec::new(),
        io: Vec::new(),
        findings: read_findings(file, &all_indices, found.as_slice()),
        measured: Vec::new(),
        cores: file.program(0).subgraph.cores,
    };
    let own = file.program(only).subgraph.generation;
    let generation = generation.unwrap_or(own);
    let asked = |index: usize| asked_core(scope.core?, index, only);
    if let Some(core) = scope.core.filter(|core| *core >= bases::cores(generation)) {
        return Err(no_such_core(core, generation));
    }
    let mut made_for: Vec<Option<(u32, Sureness)>> = Vec::new();
    let lists = package.subgraphs().iter().zip(all).zip(io).enumerate();
    for (index, ((subgraph, variables), io)) in lists {
        if scope.s.is_some() && index != only {
            continue;
        }
        let on_core = Scope { core: asked(index), ..scope.clone() };
        let (other, set_up, sure, missing) = match code(files, capture, &on_core, file, index) {
            Ok(code) => {
                made_for.push(Some((code.core, code.core_from)));
                (code.parts, code.set_up, code.sure, None)
            }
            // A question that is wrong stays one; a program without an image has its variables.
            Err(error) if error.code == "image.profile" || error.code == "core.unknown" => {
                made_for.push(None);
                (Vec::new(), Vec::new(), Sureness::Modelled, Some(error.message))
            }
            Err(error) => return Err(error),
        };
        made.code_missing.push(missing);
        made.names.push(subgraph.name.clone());
        made.indices.push(index);
        made.variables.push(variables);
        made.other.push(other);
        made.set_up.push(set_up);
        made.code.push(sure);
        made.io.push(io);
        made.measured.push(capture.and_then(|ntff| {
            let capture = ntff.capture();
            let core = capture.subgraph(&subgraph.name)?;
            // A capture without records of memory has measured nothing, not 0 bytes.
            if core.memory.is_empty() {
                made.findings.push(not_measured(&subgraph.name));
                return None;
            }
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
                made.findings.push(sum_finding(
                    &subgraph.name,
                    "a measured category",
                    At::default(),
                ));
            }
            Some(sums)
        }));
    }
    made.settle_cores(generation, scope.core, &made_for);
    if generation != own {
        // Addresses of one chip mean nothing on another.
        made.other.iter_mut().flatten().for_each(|part| part.place = None);
        made.set_up.iter_mut().for_each(Vec::clear);
    }
    Ok(made)
}

/// The scope of all subgraphs of the file that holds a subgraph: its core is that of the first.
pub fn whole_file(scope: &Scope, index: usize) -> Scope {
    let index = u32::try_from(index).unwrap_or(0);
    let core = scope.core.map(|core| core.saturating_sub(index));
    Scope { s: None, core, ..scope.clone() }
}

/// The core of a subgraph, where another one's is asked for.
fn asked_core(core: u32, index: usize, only: usize) -> Option<u32> {
    let (index, only) = (u32::try_from(index).ok()?, u32::try_from(only).ok()?);
    core.checked_add(index)?.checked_sub(only)
}

/// The error for a core that a chip does not have.
fn no_such_core(core: u32, generation: Generation) -> ApiError {
    let message = format!(
        "core {core} is not there: {} has {} cores",
        generation.name(),
        bases::cores(generation)
    );
    ApiError::new(ErrorKind::BadRequest, "core.unknown", message)
}

impl OwnedModel {
    /// Gives each subgraph its core: the one that is asked for, else that of its images where the chip
    /// has it and each has its own, else they follow each other. Images of another core keep no place.
    fn settle_cores(
        &mut self,
        generation: Generation,
        asked: Option<u32>,
        made_for: &[Option<(u32, Sureness)>],
    ) {
        let there = |core: &u32| *core < bases::cores(generation);
        let following = |first: u32| -> Vec<u32> {
            let from = self.indices.first().copied().unwrap_or(0);
            let all = self.indices.iter();
            all.map(|index| asked_core(first, *index, from).unwrap_or(u32::MAX)).collect()
        };
        let of_images: Option<Vec<u32>> =
            made_for.iter().map(|one| one.map(|(core, _)| core)).collect();
        let distinct = |cores: &Vec<u32>| {
            cores.iter().all(there) && cores.iter().collect::<BTreeSet<_>>().len() == cores.len()
        };
        let first = made_for.first().copied().flatten();
        self.on_cores = match (asked, of_images.filter(distinct), first) {
            (Some(core), ..) => following(core),
            (None, Some(cores), _) => cores,
            (None, None, Some((core, _))) if following(core).iter().all(there) => following(core),
            _ => following(0),
        };
        self.cores_from = match (asked, first) {
            (Some(_), _) => Sureness::Configured,
            (None, Some((core, from))) if self.on_cores.first() == Some(&core) => from,
            _ => Sureness::Modelled,
        };
        let shape = HbmShape::of(generation);
        let mut told = Vec::new();
        let all = self.names.iter().zip(&self.on_cores).zip(made_for).zip(&mut self.other);
        for (((name, core), made_for), parts) in all {
            let Some((other, _)) = made_for.filter(|(other, _)| other != core) else { continue };
            parts.iter_mut().for_each(|part| part.place = None);
            let name: String = name.chars().take(64).collect();
            told.push(format!(
                "{name} is planned on core {core}, HBM {}; its images are those of core {other}, and \
                 the plan puts them where there is room",
                shape.default_channel(*core)
            ));
        }
        let told = told.into_iter().take(CORES_TOLD).map(|message| Finding {
            code: "memory.core".to_owned(),
            severity: "warning".to_owned(),
            message,
            at: Default::default(),
        });
        self.findings.extend(told);
    }
}

/// A finding that a capture has no records of memory for a subgraph.
fn not_measured(of: &str) -> Finding {
    let of: String = of.chars().take(64).collect();
    Finding {
        code: "memory.not-measured".to_owned(),
        severity: "info".to_owned(),
        message: format!(
            "{of}: the capture has no records of memory, so nothing measured stands beside the plan"
        ),
        at: Default::default(),
    }
}

/// That a sum exceeds 2^64, with the place of what makes it do so.
pub fn sum_finding(of: &str, what: &str, at: At) -> Finding {
    let of: String = of.chars().take(64).collect();
    Finding {
        code: "memory.sum".to_owned(),
        severity: "warning".to_owned(),
        message: format!(
            "{of}: the sum of {what} exceeds 2^64 bytes; 18446744073709551615 stands for it, the \
             least that it can be"
        ),
        at,
    }
}

/// Images and tables of a subgraph. An engine whose image cannot be built has none.
fn code(
    files: &[Arc<OpenFile>],
    capture: Option<&NtffFile>,
    scope: &Scope,
    file: &NeffFile,
    index: usize,
) -> Result<Code, ApiError> {
    let program = file.program(index);
    let generation = program.subgraph.generation;
    let chosen = choice::choose(files, scope.profile.as_deref(), generation)?;
    let images = match scope::pair(files, capture, scope, file, index, &chosen)? {
        Some(pair) if pair.is_captured() && !scope.modelled => Arc::clone(&pair.real),
        Some(pair) => Arc::clone(&pair.modelled),
        None => file.images(index, &chosen.profile, &chosen.key, scope.core)?,
    };
    let bootstrap = bootstrap_bytes(&images.profile);
    let mut parts = Vec::new();
    let mut sure = Sureness::Observed;
    for (engine, boot) in Engine::ALL.into_iter().zip(bootstrap.unwrap_or([0; 5])) {
        let own = images.engine(engine);
        let part = Part {
            usage: Usage(device_image::placement::usage_tag(engine)),
            bytes: own.image.bytes().len() as u64,
            alignment: CODE_ALIGNMENT,
            place: Some(own.base.get()),
            kind: PartKind::Image(engine),
        };
        parts.push(part);
        if boot > 0 {
            parts.push(Part { bytes: boot, place: None, kind: PartKind::Start(engine), ..part });
        }
        sure = sure.max(own.image.provenance);
    }
    if bootstrap.is_none() {
        sure = Sureness::Modelled;
    }
    if program.subgraph.activation_set {
        parts.push(Part {
            usage: Usage::ACT_TABLE,
            bytes: ACT_TABLE_BYTES,
            alignment: 0,
            place: None,
            kind: PartKind::ActTables,
        });
    }
    let core_from = images.inputs.provenance_of(Inputs::CORE);
    let set_up = set_up(&images.inputs);
    Ok(Code { parts, set_up, sure, core: images.inputs.core, core_from })
}
