//! Activation sets and DVE tables.

use neff::doc::{ActInfo, ActSet as FileActSet};
use neff::{Findings, Package, Place, Severity, Subgraph};
use records::Engine;
use records::kbin::activation::MAX_FUNCTIONS;

use super::model::{ActSet, Content};
use super::notes::{Notes, shown};

/// Bytes of an entry of either activation table.
/// Spec: docs/format/kbin.md "Activation set" [observed].
const ENTRY_BYTES: u64 = 32;
/// Activation sets of one program that are read.
const MAX_SETS: usize = 64;

/// Whole member of a name in the subgraph's folder.
fn member(package: &Package, subgraph: &Subgraph, name: Option<&str>) -> Option<Content> {
    let member = package.member(&subgraph.resolve(name?))?;
    Some(Content { member: member.name.clone(), offset: 0, bytes: member.bytes })
}

/// The activation sets in use, in the order of the engine's document.
/// Spec: docs/format/kbin.md "From tables" [observed].
pub fn act_sets(package: &Package, subgraph: &Subgraph, notes: &mut Notes) -> Vec<ActSet> {
    let program = subgraph.engine(Engine::Act);
    let document = &program.document;
    let place = || {
        let member = program.json_member.clone().unwrap_or_default();
        Place { subgraph: Some(subgraph.name.clone()), ..Place::member(member) }
    };
    let mut sets = Vec::new();
    // What is odd about the catalog is said once, when it is looked at by itself.
    let info = document.act_info.as_ref().filter(|_| !document.activation_function_sets.is_empty());
    let info = info.and_then(|name| {
        let member = subgraph.resolve(name);
        package.document(&member, &mut Findings::new(), ActInfo::read).ok()
    });
    for name in document.activation_function_sets.iter().take(MAX_SETS) {
        let entry = info.as_ref().and_then(|info| info.set(name));
        if entry.is_none() {
            let message = format!("activation set `{}` is not in the catalog", shown(name));
            notes.find(Severity::Warning, "kbin.act-set", place(), message);
        }
        let of_entry = |key: Option<&String>, ending: &str| {
            key.cloned().unwrap_or_else(|| format!("{name}{ending}"))
        };
        let json = of_entry(entry.and_then(|entry| entry.profile_json.as_ref()), ".json");
        let bkt = of_entry(entry.and_then(|entry| entry.bkt_bin.as_ref()), "_bkt.bin");
        let ctl = of_entry(entry.and_then(|entry| entry.ctrl_bin.as_ref()), "_ctrl.bin");
        let json = subgraph.resolve(&json);
        let read = package.document(&json, &mut notes.findings, FileActSet::read).ok();
        let set = ActSet {
            name: name.clone(),
            bkt: member(package, subgraph, Some(&bkt)),
            ctl: member(package, subgraph, Some(&ctl)),
            document: read.is_some().then(|| json.clone()),
            profiles: read.as_ref().map(|read| read.profiles.clone()).unwrap_or_default(),
        };
        check_set(&set, read.as_ref(), &json, [&bkt, &ctl], notes);
        sets.push(set);
    }
    for object in document.activation_set_objects.iter().take(MAX_SETS) {
        let text = |keys: &[&str]| {
            keys.iter().find_map(|key| object.get(*key)?.as_str()).map(str::to_owned)
        };
        let bkt = text(&["bkt_bin", "bkt", "bucket"]);
        let ctl = text(&["ctl_bin", "ctrl_bin", "ctl", "control"]);
        let set = ActSet {
            name: text(&["name"]).unwrap_or_default(),
            bkt: member(package, subgraph, bkt.as_deref()),
            ctl: member(package, subgraph, ctl.as_deref()),
            document: None,
            profiles: Vec::new(),
        };
        if set.bkt.is_none() || set.ctl.is_none() {
            let message = format!("activation set `{}` has no tables here", shown(&set.name));
            notes.find(Severity::Warning, "kbin.act-set", place(), message);
        }
        sets.push(set);
    }
    sets
}

fn check_set(
    set: &ActSet,
    read: Option<&FileActSet>,
    json: &str,
    files: [&str; 2],
    notes: &mut Notes,
) {
    if set.profiles.len() > MAX_FUNCTIONS {
        let why = format!(
            "activation set `{}` has {} functions and its record room for 25",
            shown(&set.name),
            set.profiles.len()
        );
        notes.refuse("kbin.act-functions", Place::member(json), &why);
    }
    let counts = read.map_or((None, None), |read| (read.bkt_entry_cnt, read.ctl_entry_cnt));
    let [bkt, ctl] = files;
    for (table, file, entries) in [(&set.bkt, bkt, counts.0), (&set.ctl, ctl, counts.1)] {
        let Some(table) = table else {
            let message = format!("activation table `{}` is not in the archive", shown(file));
            notes.find(Severity::Error, "kbin.act-table", Place::member(json), message);
            continue;
        };
        let expected = entries.and_then(|entries| entries.checked_mul(ENTRY_BYTES));
        let wrong = match (entries, expected) {
            (Some(_), expected) => expected != Some(table.bytes),
            (None, _) => table.bytes % ENTRY_BYTES != 0,
        };
        if wrong {
            let message = match expected {
                Some(expected) => format!(
                    "this activation table has {} bytes, its set counts {expected} in entries of 32",
                    table.bytes
                ),
                None => format!(
                    "this activation table has {} bytes, which is no multiple of 32",
                    table.bytes
                ),
            };
            let place = Place::member(table.member.clone());
            notes.find(Severity::Error, "kbin.act-table", place, message);
        }
    }
}

/// The four tables of the DVE that have a place: opcode, control fast, control slow, datapath.
pub fn dve(
    package: &Package,
    subgraph: &Subgraph,
    notes: &mut Notes,
) -> Option<[Option<Content>; 4]> {
    let program = subgraph.engine(Engine::Dve);
    let tables = program.document.dve_tables.first()?;
    if program.document.dve_tables.len() > 1 {
        let place = Place::member(program.json_member.clone().unwrap_or_default());
        let message = "there are several groups of DVE tables; the record has room for the first";
        notes.find(Severity::Warning, "kbin.dve-tables", place, message);
    }
    let names = [&tables.opcode, &tables.control_fast, &tables.control_slow, &tables.datapath];
    Some(names.map(|name| member(package, subgraph, name.as_deref())))
}
