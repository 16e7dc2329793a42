//! Whether what is loaded fits: what a loader refuses before it looks at memory, what could not be
//! read, and what the plan says.

use super::memory_model::OwnedModel;
use crate::answer::{Finding, MemoryRefusal, MemoryUnread};
use crate::convert::{at, provenance};
use crate::file::OpenFile;
use crate::neff_file::NeffFile;
use device_image::dmem::Usage;
use device_image::memory::Kind;
use device_image::memory::load::{Unaligned, VIRTUAL_ALIGNMENT};
use device_image::memory::plan::Plan;
use records::{Engine, Provenance as Sureness};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Refusals and unread values that are listed.
const LISTED: usize = 16;
/// The one refusal that is a conclusion: no source says what a loader does with an unknown type.
const INFERRED: &str = "kbin.var-kind";
/// The refusal of an address, which our model of the device's memory gave.
pub const UNALIGNED: &str = "memory.unaligned";
/// The end of the runtime's text for it; its start is not published.
pub const UNALIGNED_TEXT: &str = "need to be 4K aligned. Required by EFA for CC buffers";

/// Why a loader refuses the address of a virtual variable.
pub fn unaligned_why(name: &str, address: u64) -> String {
    format!(
        "virtual variable `{name}` would lie at {address:#x}, which is no multiple of \
         {VIRTUAL_ALIGNMENT}"
    )
}

/// The finding that a loader refuses an address.
pub fn unaligned_finding(why: &str, at: crate::answer::At) -> Finding {
    Finding {
        code: UNALIGNED.into(),
        severity: "error".to_owned(),
        message: format!("{why}; a loader stops here with a text that ends in `{UNALIGNED_TEXT}`"),
        at,
    }
}

/// The finding of a file without a program, which a loader refuses.
const NO_PROGRAM: &str = "graph.no-kelf";

/// Findings of a member that is no document at all.
const NO_DOCUMENT: [&str; 4] = ["json.syntax", "json.shape", "json.depth", "json.values"];

/// What decides the verdict.
#[derive(Clone, Debug, Default)]
pub struct Grounds {
    /// Why a loader refuses a file; the first ones.
    pub refusals: Vec<MemoryRefusal>,
    /// All of them.
    pub n_refusals: u64,
    /// What could not be read; the first ones.
    pub unread: Vec<MemoryUnread>,
    /// All of it.
    pub n_unread: u64,
    /// Usages of which some bytes could not be read, by subgraph over all files.
    pub lower: Vec<BTreeSet<Usage>>,
    /// Whether something could not be read that the scratchpad which is shown hangs on.
    pub need_at_least: bool,
}

/// Where a variable of a subgraph stands in its file; without one, the subgraph's definition.
pub fn place_of(
    files: &[Arc<OpenFile>],
    model: &OwnedModel,
    at: usize,
    id: Option<u32>,
) -> neff::Place {
    let neff = files.get(model.file).and_then(|file| file.as_neff());
    let index = model.indices.get(at).copied();
    let subgraph = index.and_then(|index| neff?.package().subgraphs().get(index));
    let Some(subgraph) = subgraph else { return neff::Place::default() };
    let variable = id.and_then(|id| model.variables.get(at)?.get(id));
    let mut all = subgraph.definition.variables.iter();
    let source = variable.and_then(|own| all.find(|it| it.name == own.name));
    let member = &subgraph.definition_member;
    let place = source.map_or_else(
        || neff::Place::member(member),
        |source| neff::Place::member_at(member, source.offset),
    );
    neff::Place { subgraph: Some(subgraph.name.clone()), ..place }
}

/// Usages of variables of a kind; of all kinds where the kind is not known.
fn usages(kind: &Kind) -> &'static [Usage] {
    match kind {
        Kind::File => &[Usage::WEIGHT],
        Kind::Temporary => &[Usage::SCRATCHPAD_NOT_SHARED],
        Kind::Input | Kind::Output => &[Usage::TENSOR],
        Kind::Virtual { .. } => &[Usage::SCRATCHPAD, Usage::SCRATCHPAD_NOT_SHARED],
        _ => &OF_VARIABLES,
    }
}

/// Usages of variables.
const OF_VARIABLES: [Usage; 4] =
    [Usage::WEIGHT, Usage::TENSOR, Usage::SCRATCHPAD, Usage::SCRATCHPAD_NOT_SHARED];

impl Grounds {
    /// Of the whole files: a loader takes all subgraphs of a file or none.
    pub fn of(files: &[Arc<OpenFile>], models: &[OwnedModel], plan: &Plan) -> Self {
        let mut made = Self::default();
        for model in models {
            made.refused(files, model);
            made.not_read(files, model);
        }
        made.pages_count_elsewhere(models, plan);
        for one in &plan.load.unaligned {
            made.unaligned(files, models, one);
        }
        let listed = plan.load.unaligned.len() as u64;
        made.n_refusals += plan.load.n_unaligned.saturating_sub(listed);
        made
    }

    fn unaligned(&mut self, files: &[Arc<OpenFile>], models: &[OwnedModel], one: &Unaligned) {
        let Some(model) = models.get(one.model) else { return };
        let variable = model.variables.get(one.subgraph).and_then(|list| list.get(one.id));
        let name: String = variable.map_or("", |it| &it.name).chars().take(64).collect();
        let place = place_of(files, model, one.subgraph, Some(one.id));
        let why = unaligned_why(&name, one.address);
        self.refusal(model.file, (UNALIGNED, Some(UNALIGNED_TEXT), &why), &place);
    }

    /// Findings about the refusals that come from the plan.
    pub fn findings(&self) -> Vec<Finding> {
        let own = self.refusals.iter().filter(|one| one.code == UNALIGNED);
        own.map(|one| unaligned_finding(&one.why, one.at.clone())).collect()
    }

    /// Verdict on the whole, verdict on memory alone, and the first as yes or no.
    pub fn verdicts(&self, plan: &Plan) -> (&'static str, &'static str, Option<bool>) {
        let memory = if !plan.load.fits() {
            // What is not known only adds to it.
            "short"
        } else if self.n_unread > 0 {
            "unknown"
        } else {
            "fits"
        };
        match memory {
            _ if self.n_refusals > 0 => ("refused", memory, Some(false)),
            "fits" => (memory, memory, Some(true)),
            "short" => (memory, memory, Some(false)),
            _ => (memory, memory, None),
        }
    }

    fn refused(&mut self, files: &[Arc<OpenFile>], model: &OwnedModel) {
        let Some(neff) = files.get(model.file).and_then(|file| file.as_neff()) else { return };
        let found = neff.findings().as_slice().iter();
        for one in found.filter(|one| one.code == NO_PROGRAM) {
            self.refusal(model.file, (one.code, None, &one.message), &one.at);
        }
        // What is wrong with the file as a whole stands in the tree of each subgraph.
        let mut seen = BTreeSet::new();
        for index in 0..neff.package().subgraphs().len() {
            let Some(tree) = neff.kbin(index) else { continue };
            let listed = tree.notes.refusals.len() as u64;
            self.n_refusals += tree.notes.n_refusals.saturating_sub(listed);
            for one in &tree.notes.refusals {
                let place = (one.at.member.clone(), one.at.offset);
                if !seen.insert((one.code, one.why.clone(), place)) {
                    continue;
                }
                self.refusal(model.file, (one.code, one.text.as_deref(), &one.why), &one.at);
            }
        }
    }

    fn refusal(
        &mut self,
        file: usize,
        (code, text, why): (&str, Option<&str>, &str),
        place: &neff::Place,
    ) {
        self.n_refusals += 1;
        if self.refusals.len() < LISTED {
            let sure = if code == INFERRED || code == UNALIGNED {
                Sureness::Inferred
            } else {
                Sureness::Observed
            };
            self.refusals.push(MemoryRefusal {
                file,
                code: code.to_owned(),
                text: text.map(str::to_owned),
                why: why.to_owned(),
                at: at(place),
                provenance: provenance(sure),
            });
        }
    }

    fn not_read(&mut self, files: &[Arc<OpenFile>], model: &OwnedModel) {
        let neff = files.get(model.file).and_then(|file| file.as_neff());
        let lists = model.names.iter().zip(&model.indices);
        for (((name, index), variables), code) in
            lists.zip(&model.variables).zip(&model.code_missing)
        {
            let mut lower = BTreeSet::new();
            let mut add = |id, of: &str, what: String| {
                self.n_unread += 1;
                if self.unread.len() < LISTED {
                    let (file, subgraph) = (model.file, name.clone());
                    let name = of.chars().take(64).collect();
                    self.unread.push(MemoryUnread { file, subgraph, id, name, what });
                }
            };
            for (variable, unread) in variables.unread() {
                add(Some(variable.id), &variable.name, unread.words().to_owned());
                lower.extend(usages(&variable.kind));
            }
            let entries = match variables.left_out() {
                0 => None,
                1 => Some("one entry of the table of variables could not be read".to_owned()),
                n => Some(format!("{n} entries of the table of variables could not be read")),
            };
            let whole = neff.filter(|neff| !has_definition(neff, *index));
            let whole = whole.map(|_| "its definition could not be read".to_owned());
            if entries.is_some() || whole.is_some() {
                lower.extend(OF_VARIABLES);
            }
            if code.is_some() {
                lower.extend(Engine::ALL.map(|one| Usage(device_image::placement::usage_tag(one))));
            }
            let code =
                code.as_ref().map(|why| format!("no image of its engines can be built: {why}"));
            for what in whole.into_iter().chain(entries).chain(code) {
                add(None, "", what);
            }
            self.lower.push(lower);
        }
    }

    /// Pages count for the subgraph that carries those of the core which the variables are on.
    fn pages_count_elsewhere(&mut self, models: &[OwnedModel], plan: &Plan) {
        let of = |core: u32| plan.carriers.get(&plan.pages_of(core)).copied();
        let on_cores: Vec<u32> = models.iter().flat_map(|model| model.on_cores.clone()).collect();
        let unknown: Vec<bool> =
            self.lower.iter_mut().map(|all| all.remove(&Usage::SCRATCHPAD)).collect();
        for (core, _) in on_cores.iter().zip(unknown).filter(|one| one.1) {
            self.need_at_least |= plan.pages_of(*core) == plan.core;
            let carrier = of(*core).and_then(|at| self.lower.get_mut(at));
            carrier.map(|lower| lower.insert(Usage::SCRATCHPAD));
        }
    }
}

/// Whether the definition of a subgraph is in the archive and is a document.
fn has_definition(neff: &NeffFile, index: usize) -> bool {
    let package = neff.package();
    let Some(subgraph) = package.subgraphs().get(index) else { return false };
    let member = subgraph.definition_member.as_str();
    let broken = neff
        .findings()
        .as_slice()
        .iter()
        .any(|one| NO_DOCUMENT.contains(&one.code) && one.at.member.as_deref() == Some(member));
    package.member(member).is_some() && !broken
}
