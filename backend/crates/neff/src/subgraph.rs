//! From the host graph to the subgraphs and their programs. Whatever is missing is a finding.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use records::Engine;

use crate::budget::Budget;
use crate::diagnostic::{Findings, Place, Severity};
use crate::doc::{Definition, EngineDocument, HostGraph, Kelf, VarKind};
use crate::package::{EngineProgram, Package, Subgraph, note, note_absent};
use crate::target::{Target, TargetKind};

const HOST_GRAPH: &str = "neff.json";

/// Reads the host graph, the graph lists, the definitions and the heads of the engine documents.
pub(crate) fn load(package: &mut Package, findings: &mut Findings) {
    let mut shared = Shared {
        budget: Budget::of(package.limits()),
        stream_bytes: package.limits().stream_bytes,
        definitions: BTreeMap::new(),
        documents: BTreeMap::new(),
    };
    let budget = &mut shared.budget;
    match package.document_within(HOST_GRAPH, budget, findings, HostGraph::read) {
        Ok(graph) => package.graph = Some(graph),
        Err(error) => note(&error, findings),
    }
    for name in kelf_names(package, findings) {
        match package.document_within(&name, budget, findings, Kelf::read) {
            Ok(kelf) => {
                check_kelf(&kelf, findings);
                package.kelfs.push(kelf);
            }
            Err(error) => note(&error, findings),
        }
    }
    let mut subgraphs = Vec::new();
    let (wanted, listed) = wanted(package, findings);
    package.listed_subgraphs = listed;
    for (kelf, target, name, definition) in wanted {
        subgraphs.push(read_subgraph(
            package,
            kelf,
            target,
            name,
            definition,
            &mut shared,
            findings,
        ));
    }
    package.subgraphs = subgraphs;
}

/// What is read once for the whole file, and what is left of its limits.
struct Shared {
    budget: Budget,
    stream_bytes: u64,
    /// By member; empty where a document is missing or damaged.
    definitions: BTreeMap<String, Arc<Definition>>,
    documents: BTreeMap<String, Arc<EngineDocument>>,
}

/// Graph lists that the host graph names; without any, those that are there.
fn kelf_names(package: &Package, findings: &mut Findings) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    if let Some(graph) = package.graph() {
        for node in graph.device_nodes() {
            match &node.kelf {
                Some(kelf) if seen.insert(kelf) => names.push(kelf.clone()),
                Some(_) => {}
                None => findings.push(
                    Severity::Error,
                    "graph.no-kelf-name",
                    Place::member_at(HOST_GRAPH, node.offset),
                    format!("device node `{}` names no graph list", node.name),
                ),
            }
        }
    }
    if names.is_empty() {
        names = package
            .members()
            .iter()
            .map(|member| &member.name)
            .filter(|name| {
                (name.starts_with("kelf") || name.as_str() == "kelp.json")
                    && name.ends_with(".json")
            })
            .cloned()
            .collect();
        let message = if names.is_empty() {
            "no node of the host graph runs on the device; a loader refuses this".to_owned()
        } else {
            format!(
                "no node of the host graph runs on the device, which a loader refuses; {} is read \
                 all the same",
                names.join(", ")
            )
        };
        findings.push(Severity::Error, "graph.no-kelf", Place::member(HOST_GRAPH), message);
    }
    bound(&mut names, package, HOST_GRAPH, "graph lists", findings);
    names
}

/// Keeps as many as the limit allows: each one costs reading its documents.
fn bound<T>(
    list: &mut Vec<T>,
    package: &Package,
    member: &str,
    what: &str,
    findings: &mut Findings,
) {
    let limit = package.limits().subgraphs;
    if list.len() > limit {
        let message = format!(
            "there are {} {what}; those beyond the limit `subgraphs` of {limit} are left out",
            list.len()
        );
        findings.push(Severity::Error, "graph.too-many", Place::member(member), message);
        list.truncate(limit);
    }
}

fn check_kelf(kelf: &Kelf, findings: &mut Findings) {
    let place = || Place::member(kelf.member.clone());
    if !kelf.version.as_deref().unwrap_or("").contains('.') {
        findings.push(
            Severity::Warning,
            "kelf.version",
            place(),
            format!(
                "version is `{}`, expected a text with a dot",
                kelf.version.as_deref().unwrap_or("")
            ),
        );
    }
    if kelf.target.kind == TargetKind::Unknown {
        findings.push(
            Severity::Error,
            "kelf.target",
            place(),
            format!(
                "target `{}` is unknown, expected sunda, cayman, mariana, v2, v3, v4 or *; a \
                 loader refuses it",
                kelf.target.text
            ),
        );
    }
}

/// A subgraph to read: graph list, target, name, definition.
type Wanted = (String, Target, String, String);

/// Subgraphs to read, and how many are listed. Without graph lists, every folder with a definition.
fn wanted(package: &Package, findings: &mut Findings) -> (Vec<Wanted>, usize) {
    let mut list: Vec<Wanted> = Vec::new();
    let mut seen = BTreeSet::new();
    for kelf in package.kelfs() {
        let mut is_doubled = false;
        for graph in &kelf.graphs {
            if !seen.insert(&graph.name) {
                if std::mem::replace(&mut is_doubled, true) {
                    continue;
                }
                findings.push(
                    Severity::Error,
                    "kelf.duplicate",
                    Place::member_at(kelf.member.clone(), graph.offset),
                    format!(
                        "subgraph `{}` is listed again, and maybe others; the first one is shown",
                        graph.name
                    ),
                );
                continue;
            }
            list.push((
                kelf.member.clone(),
                kelf.target.clone(),
                graph.name.clone(),
                graph.definition.clone(),
            ));
        }
    }
    if package.kelfs().is_empty() {
        for member in package.members() {
            if let Some(folder) = member.name.strip_suffix("/def.json") {
                list.push((
                    String::new(),
                    Target::parse(""),
                    folder.to_owned(),
                    member.name.clone(),
                ));
            }
        }
    }
    let first = package.kelfs().first().map_or(HOST_GRAPH, |kelf| kelf.member.as_str());
    let listed = list.len();
    bound(&mut list, package, first, "subgraphs", findings);
    (list, listed)
}

fn read_subgraph(
    package: &Package,
    kelf: String,
    target: Target,
    name: String,
    definition_member: String,
    shared: &mut Shared,
    findings: &mut Findings,
) -> Subgraph {
    let prefix = match definition_member.rfind('/') {
        Some(slash) => definition_member.get(..=slash).unwrap_or("").to_owned(),
        None => String::new(),
    };
    let known = shared.definitions.get(&definition_member).map(Arc::clone);
    let is_first = known.is_none();
    let definition = known.unwrap_or_else(|| {
        let budget = &mut shared.budget;
        let read = package.document_within(&definition_member, budget, findings, Definition::read);
        let definition = Arc::new(read.unwrap_or_else(|error| {
            note(&error, findings);
            Definition::default()
        }));
        shared.definitions.insert(definition_member.clone(), Arc::clone(&definition));
        definition
    });
    let engines = Engine::ALL
        .map(|engine| read_engine(package, &name, &prefix, &definition, engine, shared, findings));
    let subgraph = Subgraph { name, kelf, target, definition_member, prefix, definition, engines };
    if is_first {
        check_names(package, &subgraph, findings);
    }
    subgraph
}

fn read_engine(
    package: &Package,
    subgraph: &str,
    prefix: &str,
    definition: &Definition,
    engine: Engine,
    shared: &mut Shared,
    findings: &mut Findings,
) -> EngineProgram {
    let place = || Place::engine(subgraph, engine.name());
    let files = definition.engine(engine);
    // Files of the first generation leave out a key and still have the document of that name.
    let by_convention = format!("{prefix}{}.json", engine.key());
    let json_member = match &files.json {
        Some(json) => Some(format!("{prefix}{json}")),
        None => package.member(&by_convention).is_some().then_some(by_convention),
    };
    let mut program = EngineProgram {
        engine,
        json_member: json_member.filter(|name| package.member(name).is_some()),
        document: Arc::default(),
        bin: files.instr.clone(),
        bin_member: None,
        offset: 0,
        bytes: 0,
    };
    match &program.json_member {
        Some(json) => program.document = engine_document(package, json, shared, findings),
        None => findings.push(
            Severity::Warning,
            "engine.missing",
            place(),
            match &files.json {
                Some(json) => format!("its document `{prefix}{json}` is not in the archive"),
                None => "the definition names no document for it; its program is empty".to_owned(),
            },
        ),
    }
    if let Some(instr) = &program.document.instr {
        program.bin = Some(instr.clone());
    }
    let Some(bin) = &program.bin else { return program };
    let name = format!("{prefix}{bin}");
    let Some(member) = package.member(&name) else {
        note_absent(
            Severity::Error,
            &name,
            program.json_member.as_deref().unwrap_or("def.json"),
            findings,
        );
        return program;
    };
    let Some(left) = shared.stream_bytes.checked_sub(member.bytes) else {
        findings.push(
            Severity::Error,
            "bin.total",
            place(),
            format!(
                "its stream of {} bytes is not read: the programs of the file name more than the \
                 limit `stream_bytes` of {}",
                member.bytes,
                package.limits().stream_bytes
            ),
        );
        return program;
    };
    shared.stream_bytes = left;
    (program.offset, program.bytes) = (member.offset, member.bytes);
    program.bin_member = Some(name);
    if program.bytes > u64::from(u32::MAX) {
        findings.push(
            Severity::Error,
            "bin.size",
            place(),
            format!("its stream has {} bytes, a loader accepts at most 2^32 - 1", program.bytes),
        );
    }
    if program.trailing_bytes() > 0 {
        findings.push(
            Severity::Warning,
            "bin.trailing",
            Place {
                offset: Some(program.n_slots() * 64),
                member: program.bin_member.clone(),
                ..place()
            },
            format!(
                "{} bytes follow the last whole slot of 64 bytes; they are no instruction",
                program.trailing_bytes()
            ),
        );
    }
    program
}

/// The document of an engine, read once for all programs that name it.
fn engine_document(
    package: &Package,
    member: &str,
    shared: &mut Shared,
    findings: &mut Findings,
) -> Arc<EngineDocument> {
    if let Some(known) = shared.documents.get(member) {
        return Arc::clone(known);
    }
    let budget = &mut shared.budget;
    let read = package.document_within(member, budget, findings, EngineDocument::read);
    let document = Arc::new(read.unwrap_or_else(|error| {
        note(&error, findings);
        EngineDocument::default()
    }));
    shared.documents.insert(member.to_owned(), Arc::clone(&document));
    document
}

/// Members that documents name and the archive lacks. Those that loaders never open are facts,
/// not faults.
fn check_names(package: &Package, subgraph: &Subgraph, findings: &mut Findings) {
    let definition = &subgraph.definition;
    let check = |severity, name: &str, by: &str, findings: &mut Findings| {
        let member = subgraph.resolve(name);
        if package.member(&member).is_none() {
            note_absent(severity, &member, by, findings);
        }
    };
    let by = &subgraph.definition_member;
    for variable in &definition.variables {
        if variable.kind == VarKind::File
            && let Some(file) = &variable.file_name
        {
            check(Severity::Error, file, by, findings);
        }
    }
    for files in &definition.engines {
        for name in files.debug.iter().chain(&files.asm_debug) {
            check(Severity::Info, name, by, findings);
        }
    }
    for name in &definition.dma_debug {
        check(Severity::Info, name, by, findings);
    }
    for program in &subgraph.engines {
        let by = program.json_member.as_deref().unwrap_or(by);
        if let Some(name) = &program.document.act_info {
            check(Severity::Info, name, by, findings);
        }
        for tables in &program.document.dve_tables {
            for name in tables.names() {
                check(Severity::Warning, name, by, findings);
            }
        }
    }
}
