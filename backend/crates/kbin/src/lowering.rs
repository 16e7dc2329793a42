//! From the documents of a subgraph to its KBIN: the records of the tree as values, in the order
//! and with the gates of a loader.
//!
//! A gate that would end loading is kept with the loader's text, and the rest of the tree is made
//! all the same. Nothing here is a byte yet: see [`crate::record`].
//! Spec: docs/format/kbin.md "Building" [observed].

pub mod notes;
pub mod numbers;
pub mod model;
mod lookup;
mod order;
mod semaphores;
mod references;
mod transfers;
mod variables;
mod queues;
mod blocks;
mod tables;
mod sets;

use std::collections::BTreeSet;

use neff::{Package, Place, Severity, TargetKind};
use records::kbin::names::ArchType;
use records::{Engine, Provenance};

pub use model::{ENGINE_ORDER, Kbin};
pub use notes::Gate;

use model::{Code, Content, Variable};
use notes::{Notes, shown};

/// Code bytes that a loader accepts.
const MAX_CODE_BYTES: u64 = u32::MAX as u64;

/// Offset of the size of the logical core in the file.
const LNC_SIZE_AT: u64 = 0x228;

/// What a file leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Options {
    /// Generation of the device, for programs whose target is `*`.
    pub device: ArchType,
    /// Generation that gets a default micro-code library; sources disagree between 2 and 4.
    pub default_library: Option<ArchType>,
}

impl Default for Options {
    fn default() -> Self {
        Self { device: ArchType::CAYMAN, default_library: Some(ArchType::SUNDA) }
    }
}

impl Kbin {
    /// Builds the tree of the subgraph at an index; `None` past the last one. Without the checks
    /// of [`crate::patterns`].
    pub fn build(package: &Package, index: usize, options: &Options) -> Option<Self> {
        let subgraph = package.subgraphs().get(index)?;
        let definition = &subgraph.definition;
        let mut notes = Notes::default();
        // A target that is no text stands in none of the values.
        let list = package.kelfs().iter().find(|list| list.member == subgraph.kelf);
        let unread =
            list.and_then(|list| list.extra.get("target")).is_some_and(|raw| !raw.is_null());
        let (target, target_from) = match subgraph.target.kind {
            TargetKind::Sunda if unread => (ArchType::SUNDA, Provenance::Modelled),
            TargetKind::Sunda if subgraph.target.text.is_empty() => {
                (ArchType::SUNDA, Provenance::Observed)
            }
            TargetKind::Sunda => (ArchType::SUNDA, Provenance::File),
            TargetKind::Cayman => (ArchType::CAYMAN, Provenance::File),
            TargetKind::Mariana => (ArchType::MARIANA, Provenance::File),
            TargetKind::Any => (options.device, Provenance::Configured),
            TargetKind::Unknown => (ArchType::INVALID, Provenance::Observed),
        };
        let variables = variables::lower(package, subgraph, &mut notes);
        references::variables(subgraph, &mut notes);
        let mut queues = queues::lower(subgraph, &mut notes);
        let groups_from = sets::groups(subgraph, &mut notes);
        let (pairs, pairs_from) = sets::pairs(subgraph, &mut notes);
        let has_default = options.default_library == Some(target);
        let libs = sets::libraries(package, subgraph, has_default, &mut notes);
        let carveouts = sets::carveouts(subgraph, (target, target_from), &mut notes);
        let num_streams = sets::num_streams(subgraph, &mut notes);
        let fp8 = sets::fp8(subgraph, &mut notes);
        blocks::fill(package, subgraph, &variables, &mut queues, &mut notes);
        references::engines(subgraph, &mut notes);
        let code = ENGINE_ORDER.map(|engine| code(subgraph, engine, &mut notes));
        let act_sets = tables::act_sets(package, subgraph, &mut notes);
        let dve = tables::dve(package, subgraph, &mut notes);
        if target == ArchType::INVALID {
            let place = Place::member(subgraph.kelf.clone());
            let why =
                format!("the target `{}` is none that is known", shown(&subgraph.target.text));
            notes.stop("kbin.target", place, "Invalid target = 0", &why);
        }
        let act_semaphore = tables::act_semaphore(subgraph, act_sets.is_empty(), &mut notes);
        subgraph_count(package, &mut notes);
        order::in_order(&mut notes);
        Some(Self {
            subgraph: subgraph.name.clone(),
            definition: subgraph.definition_member.clone(),
            documents: Engine::ALL
                .map(|engine| subgraph.engine(engine).json_member.clone().unwrap_or_default()),
            target,
            target_from,
            code,
            repeated: repeated(&variables),
            variables,
            queues,
            act_semaphore,
            act_sets,
            dve,
            carveouts,
            groups: definition.replica_groups.clone(),
            groups_from,
            pairs,
            pairs_from,
            libs,
            num_streams,
            fp8,
            notes,
        })
    }
}

fn repeated(variables: &[Variable]) -> BTreeSet<usize> {
    let mut names = BTreeSet::new();
    let mut again = |name| !names.insert(name);
    let all = variables.iter().enumerate();
    all.filter_map(|(at, one)| again(one.name.as_str()).then_some(at)).collect()
}

/// One subgraph, or as many as the logical core has physical ones.
/// Spec: docs/format/kbin.md "Building" [observed].
fn subgraph_count(package: &Package, notes: &mut Notes) {
    let (required, available) =
        (package.listed_subgraphs(), package.header().lnc_size.get().max(1));
    let place = || Place::file(LNC_SIZE_AT);
    let number = u32::try_from(required).unwrap_or(u32::MAX);
    let (many, few) =
        (format!("{required} subgraphs"), format!("a logical core of {available} physical ones"));
    if number > 1 && number > available {
        let text =
            format!("Insufficient number of pncs, required {required}, available {available}");
        notes.stop("kbin.subgraphs", place(), text, &format!("{many} for {few}"));
    } else if number > 1 && number < available {
        let why = format!("{many} for {few}, it has to be 1 or as many");
        notes.refuse("kbin.subgraphs", place(), &why);
    }
}

fn code(subgraph: &neff::Subgraph, engine: Engine, notes: &mut Notes) -> Code {
    let program = subgraph.engine(engine);
    let at = Place::engine(subgraph.name.clone(), engine.name());
    if program.json_member.is_none() {
        let text = format!(
            "Engine {} not found in NEFF {}, using empty placeholder",
            engine.key(),
            shown(&subgraph.name)
        );
        notes.say("kbin.engine-empty", at.clone(), text, "the engine has no document");
        if let Some(named) = &subgraph.definition.engine(engine).json {
            let message = format!(
                "the definition names the document `{}` for {}, which is not in the archive",
                shown(named),
                engine.name()
            );
            notes.find(Severity::Error, "kbin.engine-missing", at.clone(), message);
        }
    } else if program.bin.is_none() {
        let message = "the engine's document names no stream; its block is empty";
        notes.find(Severity::Info, "kbin.no-code", at.clone(), message);
    }
    if program.bytes > MAX_CODE_BYTES {
        let text = format!(
            "Instruction size {} for {} exceeds maximum supported size {MAX_CODE_BYTES}",
            program.bytes,
            engine.key()
        );
        notes.stop("kbin.code-size", at, text, "the code is too long");
    }
    let content = program.bin_member.as_ref().map(|member| Content {
        member: member.clone(),
        offset: 0,
        bytes: program.bytes,
    });
    Code { engine, bytes: program.bytes, n_records: program.n_slots(), content }
}
