//! Names and ids that are there twice, and things that lead to themselves.

use std::collections::{BTreeMap, BTreeSet};

use neff::doc::{VarKind, Variable as FileVariable};
use neff::{Place, Severity, Subgraph};
use records::Engine;

use super::notes::{Notes, shown};

/// Elements of a list that are named in one finding.
const NAMED: usize = 8;

fn at(subgraph: &Subgraph, offset: u64) -> Place {
    Place {
        subgraph: Some(subgraph.name.clone()),
        ..Place::member_at(subgraph.definition_member.clone(), offset)
    }
}

/// Variables of one name or id, and those that lead to themselves or to none.
pub fn variables(subgraph: &Subgraph, notes: &mut Notes) {
    let all = &subgraph.definition.variables;
    let mut names: BTreeMap<&str, &FileVariable> = BTreeMap::new();
    let mut ids: BTreeMap<u32, &FileVariable> = BTreeMap::new();
    for one in all {
        let first = *names.entry(&one.name).or_insert(one);
        if first.offset != one.offset {
            let message = format!(
                "two variables have the name `{}`, at bytes {:#x} and {:#x} of the definition; \
                 descriptors of that name go to the one with the lower id",
                shown(&one.name),
                first.offset,
                one.offset
            );
            notes.find(Severity::Error, "kbin.name-twice", at(subgraph, one.offset), message);
        }
        let Some(id) = one.var_id else { continue };
        let first = *ids.entry(id).or_insert(one);
        if first.offset != one.offset {
            let message = format!(
                "variables `{}` (byte {:#x} of the definition) and `{}` (byte {:#x}) both have the \
                 id {id}; both are shown, a loader keeps one",
                shown(&first.name),
                first.offset,
                shown(&one.name),
                one.offset
            );
            notes.find(Severity::Error, "kbin.var-twice", at(subgraph, one.offset), message);
        }
    }
    for one in all {
        let name = shown(&one.name);
        let own = one.var_id;
        let is_remote_to_itself = one.kind == VarKind::Remote
            && one.remote_subgraph.as_deref() == Some(subgraph.name.as_str());
        let itself = match one.kind {
            VarKind::Pointer => own.is_some() && one.referenced_var_id == own,
            VarKind::List | VarKind::DgeTable => {
                own.is_some_and(|own| one.list.iter().flatten().any(|id| *id == own))
            }
            VarKind::Remote => {
                is_remote_to_itself && one.remote_var.as_deref() == Some(one.name.as_str())
            }
            _ => false,
        };
        if itself {
            let message = format!(
                "variable `{name}` leads to itself, expected another variable; it is shown as written"
            );
            notes.find(Severity::Error, "kbin.self-reference", at(subgraph, one.offset), message);
        } else if is_remote_to_itself {
            let message = format!(
                "remote variable `{name}` names its own subgraph `{}`, expected another one",
                shown(&subgraph.name)
            );
            notes.find(Severity::Warning, "kbin.self-reference", at(subgraph, one.offset), message);
        }
        let ghosts: BTreeSet<u32> =
            one.list.iter().flatten().filter(|id| !ids.contains_key(id)).copied().collect();
        if matches!(one.kind, VarKind::List | VarKind::DgeTable)
            && !ids.is_empty()
            && !ghosts.is_empty()
        {
            let named: Vec<String> = ghosts.iter().take(NAMED).map(u32::to_string).collect();
            let more = if ghosts.len() > NAMED { " and others" } else { "" };
            let message = format!(
                "list `{name}` names the ids {}{more}, which no variable of this subgraph has",
                named.join(", ")
            );
            notes.find(Severity::Error, "kbin.list-target", at(subgraph, one.offset), message);
        }
    }
}

/// Documents and streams of engines: each has its own.
pub fn engines(subgraph: &Subgraph, notes: &mut Notes) {
    let mut documents: BTreeMap<&str, Engine> = BTreeMap::new();
    let mut streams: BTreeMap<&str, Engine> = BTreeMap::new();
    for engine in Engine::ALL {
        let program = subgraph.engine(engine);
        let Some(document) = program.json_member.as_deref() else { continue };
        let place = Place::engine(subgraph.name.clone(), engine.name());
        if document == subgraph.definition_member {
            let message = format!(
                "the document of {} is the definition itself, expected one of its own",
                engine.name()
            );
            notes.find(Severity::Error, "kbin.self-reference", place.clone(), message);
        }
        let stream = program.bin_member.as_deref();
        if stream == Some(document) {
            let message = format!(
                "`{}` names itself as the stream of {}; its text is taken for records",
                shown(document),
                engine.name()
            );
            notes.find(Severity::Error, "kbin.self-reference", place.clone(), message);
        }
        let mut twice = |seen: Option<Engine>, what: &str, member: &str, then: &str| {
            let Some(first) = seen else { return };
            let message = format!(
                "{} and {} have one {what}, `{}`; {then}",
                first.name(),
                engine.name(),
                shown(member)
            );
            notes.find(Severity::Warning, "kbin.engine-twice", place.clone(), message);
        };
        let seen = documents.get(document).copied();
        twice(seen, "document", document, "its blocks are there once for each of them");
        if let Some(stream) = stream.filter(|_| seen.is_none()) {
            let first = streams.get(stream).copied();
            twice(first, "stream", stream, "both have the same records");
            streams.entry(stream).or_insert(engine);
        }
        documents.entry(document).or_insert(engine);
    }
}
