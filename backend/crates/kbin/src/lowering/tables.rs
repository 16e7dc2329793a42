//! Activation sets and DVE tables.

use neff::doc::{ActInfo, ActProfile, ActSet as FileActSet, DveTables};
use neff::{Findings, Package, Place, Severity, Subgraph};
use records::Engine;
use records::kbin::activation::{MAX_FUNCTIONS, RawActProfile};

use super::model::{ActSet, Content, Profile};
use super::notes::{Notes, shown};
use super::numbers::{Origin, Origins, Source, Word};
use super::semaphores;

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
    let listed = document.activation_function_sets.len().max(document.activation_set_objects.len());
    if listed > MAX_SETS {
        let message = format!("there are {listed} activation sets, of which {MAX_SETS} are read");
        notes.find(Severity::Warning, "kbin.act-set", place(), message);
    }
    for (index, name) in document.activation_function_sets.iter().take(MAX_SETS).enumerate() {
        if document.activation_function_sets.iter().take(index).any(|earlier| earlier == name) {
            let message = format!("activation set `{}` is listed twice", shown(name));
            notes.find(Severity::Warning, "kbin.act-set", place(), message);
        }
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
        let read = match package.document(&json, &mut notes.findings, FileActSet::read) {
            Ok(read) => Some(read),
            Err(error) => {
                let message = format!(
                    "the functions of activation set `{}` are not here: {error}",
                    shown(name)
                );
                notes.find(Severity::Error, "kbin.act-profiles", error.place(), message);
                None
            }
        };
        let profiles = read.iter().flat_map(|read| &read.profiles).enumerate();
        let mut set = ActSet {
            name: name.clone(),
            bkt: member(package, subgraph, Some(&bkt)),
            ctl: member(package, subgraph, Some(&ctl)),
            document: read.is_some().then(|| json.clone()),
            profiles: profiles
                .map(|(index, source)| profile(source, (&json, index), notes))
                .collect(),
            origins: Origins::default(),
        };
        if set.profiles.len() > MAX_FUNCTIONS {
            set.origins.put(&ActSet::FIELDS, 2_184, Origin::Unfit);
        } else if set.document.is_none() {
            set.origins.put(&ActSet::FIELDS, 2_184, Origin::Missing);
        }
        set_origins(&mut set, &place(), notes);
        check_set(&set, read.as_ref(), &json, [&bkt, &ctl], notes);
        sets.push(set);
    }
    for object in document.activation_set_objects.iter().take(MAX_SETS) {
        let text = |keys: &[&str]| {
            keys.iter().find_map(|key| object.get(*key)?.as_str()).map(str::to_owned)
        };
        let bkt = text(&["bkt_bin", "bkt", "bucket"]);
        let ctl = text(&["ctl_bin", "ctrl_bin", "ctl", "control"]);
        let mut set = ActSet {
            name: text(&["name"]).unwrap_or_default(),
            bkt: member(package, subgraph, bkt.as_deref()),
            ctl: member(package, subgraph, ctl.as_deref()),
            document: None,
            profiles: Vec::new(),
            origins: Origins::default(),
        };
        set.origins.put(&ActSet::FIELDS, 2_184, Origin::Missing);
        set_origins(&mut set, &place(), notes);
        if set.bkt.is_none() || set.ctl.is_none() {
            let message = format!("activation set `{}` has no tables here", shown(&set.name));
            notes.find(Severity::Warning, "kbin.act-set", place(), message);
        }
        sets.push(set);
    }
    sets
}

/// Origins of the name and both tables of a set.
fn set_origins(set: &mut ActSet, at: &Place, notes: &mut Notes) {
    let extra = neff::reader::Extra::new();
    let path = || "/activation_function_sets".to_owned();
    let from = Source { at, path: &path, extra: &extra };
    let name = notes.text(&from, "name", &set.name, 256);
    set.origins.put(&ActSet::FIELDS, 0, name);
    for (table, bytes) in [(&set.bkt, [256, 264]), (&set.ctl, [272, 280])] {
        let origin = if table.is_none() { Origin::Missing } else { Origin::File };
        bytes.iter().for_each(|at| set.origins.put(&ActSet::FIELDS, *at, origin));
    }
}

/// Numbers of a profile without a place that are kept.
const MAX_UNPLACED: usize = 32;
/// Keys of a profile whose place in its record is known.
const PLACED: [&str; 16] = [
    "func_id",
    "symmetry_point",
    "sym_invert_sign_point",
    "symmetry_opt_en",
    "symmetry_opt_use_neg_region",
    "exp_offset",
    "pwl_control_base_pos",
    "pwl_control_base_neg",
    "fnan_result",
    "fpinf_result",
    "fninf_result",
    "fzero_result",
    "fma_const_0",
    "fma_const_1",
    "fma_indirection_src_sel",
    "imm_bias",
];

/// The profile of a function as it lies in its set.
fn profile(source: &ActProfile, (member, index): (&str, usize), notes: &mut Notes) -> Profile {
    let at = Place::member_at(member, source.offset);
    let path = || format!("/profile_meta_data/{index}");
    let from = Source { at: &at, path: &path, extra: &source.extra };
    let mut origins = Origins::default();
    let mut put = |byte, origin| origins.put(&Profile::FIELDS, byte, origin);
    let mut word = |byte, key: &str, read: Option<i128>| {
        let read = read.or_else(|| source.value(key));
        let (Word(value), origin) = notes.number(&from, key, read, (Word(0), Origin::Default));
        put(byte, origin);
        value
    };
    let mut raw = RawActProfile {
        func_id: word(0, "func_id", source.func_id.map(i128::from)).into(),
        symmetry_point: word(4, "symmetry_point", None).into(),
        exp_offset: (word(12, "exp_offset", None) as i32).into(),
        pwl_control_base_pos: word(16, "pwl_control_base_pos", None).into(),
        pwl_control_base_neg: word(20, "pwl_control_base_neg", None).into(),
        fnan_result: word(48, "fnan_result", None).into(),
        fpinf_result: word(52, "fpinf_result", None).into(),
        fninf_result: word(56, "fninf_result", None).into(),
        fzero_result: word(60, "fzero_result", None).into(),
        fma_const_0: word(64, "fma_const_0", None).into(),
        fma_const_1: word(68, "fma_const_1", None).into(),
        ..RawActProfile::zero()
    };
    let mut byte = |at, key: &str| {
        let (value, origin) = notes.number(&from, key, source.value(key), (0_u8, Origin::Default));
        put(at, origin);
        value
    };
    raw.sym_invert_sign_point = byte(8, "sym_invert_sign_point");
    raw.symmetry_opt_en = byte(9, "symmetry_opt_en");
    raw.sym_opt_use_neg_region = byte(10, "symmetry_opt_use_neg_region");
    raw.fma_indirection_src_sel = byte(72, "fma_indirection_src_sel");
    raw.imm_bias = byte(73, "imm_bias");
    let is_placed = |key: &str| PLACED.contains(&key);
    let unplaced = source.values.iter().filter(|(key, _)| !is_placed(key)).take(MAX_UNPLACED);
    Profile { raw, unplaced: unplaced.cloned().collect(), origins }
}

/// The semaphore of table loads; 0 where there are no sets.
/// Spec: docs/format/kbin.md "kbin_t" [inferred].
pub fn act_semaphore(subgraph: &Subgraph, no_sets: bool, notes: &mut Notes) -> (u32, Origin) {
    if no_sets {
        return (0, Origin::Default);
    }
    let program = subgraph.engine(Engine::Act);
    let at = Place::member(program.json_member.clone().unwrap_or_default());
    let from = Source { at: &at, path: &String::new, extra: &program.document.extra };
    let read = program.document.act_semaphore;
    if let Some(semaphore) = read {
        semaphores::range(semaphore, "of table loads", &at, notes);
    }
    notes.number(&from, "act_semaphore", read, (0, Origin::Default))
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
) -> Option<[(Option<Content>, Origin); 4]> {
    let program = subgraph.engine(Engine::Dve);
    let tables = program.document.dve_tables.first()?;
    if program.document.dve_tables.len() > 1 {
        let place = Place::member(program.json_member.clone().unwrap_or_default());
        let message = "there are several groups of DVE tables; the record has room for the first";
        notes.find(Severity::Warning, "kbin.dve-tables", place, message);
    }
    let at = Place::member(program.json_member.clone().unwrap_or_default());
    let path = || "/dve_tables/0".to_owned();
    let from = Source { at: &at, path: &path, extra: &tables.extra };
    let DveTables { opcode, control_fast, control_slow, datapath, control, .. } = tables;
    if let Some(control) = control {
        let message = format!(
            "`control_table` names `{}`, for which the record has no room: it has a fast and a slow \
             control table; where a loader puts this one is not published",
            shown(control)
        );
        notes.find(Severity::Info, "kbin.dve-control", at.clone(), message);
        if member(package, subgraph, Some(control)).is_none() {
            let message = format!("the DVE table `{}` is not in the archive", shown(control));
            notes.find(Severity::Error, "kbin.dve-table", at.clone(), message);
        }
    }
    let names = [
        ("opcode_table", opcode),
        ("control_fast_table", control_fast),
        ("control_slow_table", control_slow),
        ("datapath_table", datapath),
    ];
    Some(names.map(|(key, name)| {
        let Some(name) = name else {
            let origin = notes.origin(&from, key, false, "the name of a file");
            let is_other = origin == Origin::Default && key.starts_with("control_");
            return (None, if is_other && control.is_some() { Origin::NoRoom } else { origin });
        };
        let content = member(package, subgraph, Some(name));
        if content.is_some() {
            return (content, Origin::File);
        }
        let message = format!("the DVE table `{}` is not in the archive", shown(name));
        notes.find(Severity::Error, "kbin.dve-table", at.clone(), message);
        (None, Origin::Missing)
    }))
}
