//! The variable table of a definition becomes the list of memory references.

use std::collections::BTreeMap;

use neff::doc::{VarKind, Variable as FileVariable};
use neff::{Package, Place, Severity, Subgraph};
use records::Provenance;
use records::kbin::names::{BackingBuf, MrType};
use records::kbin::variable::{MAX_DIMENSIONS, MAX_DTYPE_CHARACTERS};

use super::model::{Arm, Content, DebugTensor, Variable};
use super::notes::{Notes, shown};
use super::numbers::{Origin, Origins, Source, part};

/// Kind of a list of pointers and of a variable without a known type.
const UNKNOWN: MrType = MrType::INVALID;

/// Lowers all variables, ascending by id.
/// Spec: docs/format/kbin.md "From variables" [observed].
pub fn lower(package: &Package, subgraph: &Subgraph, notes: &mut Notes) -> Vec<Variable> {
    let definition = &subgraph.definition;
    let place = |at| {
        let member = subgraph.definition_member.clone();
        Place { subgraph: Some(subgraph.name.clone()), ..Place::member_at(member, at) }
    };
    let has_ids = definition.variables.iter().any(|variable| variable.var_id.is_some());
    let kinds: BTreeMap<u32, VarKind> = definition
        .variables
        .iter()
        .filter_map(|variable| Some((variable.var_id?, variable.kind)))
        .collect();
    let mut list = Vec::with_capacity(definition.variables.len());
    let mut next_id = kinds.keys().next_back().map_or(0, |id| id.saturating_add(1));
    for source in &definition.variables {
        check(source, &place(source.offset), notes);
        let id = source.var_id.unwrap_or_else(|| {
            let id = next_id;
            next_id = next_id.saturating_add(1);
            id
        });
        list.push(variable(package, subgraph, source, id, &kinds, notes));
    }
    let without = definition.variables.iter().find(|variable| variable.var_id.is_none());
    if !has_ids && without.is_some() {
        let why = "no variable has an id; their order in the file stands for it here";
        notes.stop("kbin.var-id", place(0), "missing <var_id>", why);
    } else if let Some(one) = without {
        let why = format!(
            "variable `{}` has no id; one behind the others stands for it here",
            shown(&one.name)
        );
        notes.stop("kbin.var-id", place(one.offset), "missing <var_id>", &why);
    } else if let Some(max) = kinds.keys().next_back()
        && u64::from(*max) + 1 != kinds.len() as u64
    {
        let text = format!("Unexpected var_ids set! max={max}, size={}", kinds.len());
        notes.stop("kbin.var-ids", place(0), text, "variable ids have holes");
    }
    if !definition.is_read {
        let why = "the definition of the subgraph cannot be read";
        notes.refuse("kbin.no-definition", place(0), why);
    } else if !definition.has_variables {
        let why = "the definition has no `var`, which is required";
        notes.refuse("kbin.no-var", place(0), why);
    }
    let is_output = |variable: &FileVariable| variable.kind == VarKind::Output;
    if definition.is_read && !definition.variables.iter().any(is_output) {
        notes.stop("kbin.no-output", place(0), "no Outputs", "no variable is an output");
    }
    list.sort_by_key(|variable| variable.id);
    list
}

fn check(source: &FileVariable, at: &Place, notes: &mut Notes) {
    let name = shown(&source.name);
    if source.kind_text.is_empty() {
        let why = format!("variable `{name}` has no type");
        notes.stop("kbin.var-type", at.clone(), "Failed to parse, key: type", &why);
    } else if source.kind == VarKind::Unknown {
        let kind = shown(&source.kind_text);
        let why = format!("variable `{name}` has the type `{kind}`, which is none that is known");
        notes.refuse("kbin.var-kind", at.clone(), &why);
    }
    if let Some(alignment) = source.alignment
        && !alignment.is_power_of_two()
    {
        let text = format!("alignment provided not power of 2. alignment={alignment}");
        let why = format!("variable `{name}` has an alignment that is no power of two");
        notes.stop("kbin.alignment", at.clone(), text, &why);
    }
    let characters = source.dtype.as_ref().map_or(0, String::len);
    if characters > MAX_DTYPE_CHARACTERS {
        let text = format!(
            "Device print dtype {} has {characters} char",
            shown(source.dtype.as_deref().unwrap_or_default())
        );
        let why = format!("the element type of `{name}` has more than 15 characters");
        notes.stop("kbin.dtype-text", at.clone(), text, &why);
    }
    let dimensions = source.shape.as_ref().map_or(0, Vec::len);
    if dimensions > MAX_DIMENSIONS {
        let text = "Device print only supports shape dimentions";
        let why = format!("variable `{name}` has {dimensions} dimensions, 8 are the most");
        notes.stop("kbin.shape", at.clone(), text, &why);
    }
    if source.kind == VarKind::Pointer && source.size.is_some_and(|size| size != 8) {
        let why = format!("pointer `{name}` has a size other than 8");
        notes.refuse("kbin.pointer-size", at.clone(), &why);
    }
}

fn variable(
    package: &Package,
    subgraph: &Subgraph,
    source: &FileVariable,
    id: u32,
    kinds: &BTreeMap<u32, VarKind>,
    notes: &mut Notes,
) -> Variable {
    let at = Place {
        subgraph: Some(subgraph.name.clone()),
        ..Place::member_at(subgraph.definition_member.clone(), source.offset)
    };
    let (kind, kind_from) = match (source.kind, source.kind.mem_ref_type()) {
        (VarKind::DgeTable, _) => (MrType::LIST, Provenance::Inferred),
        (_, Some(kind)) => (MrType(kind as i32), Provenance::File),
        (_, None) => (UNKNOWN, Provenance::Modelled),
    };
    let path = || format!("/var/{}", part(&source.name));
    let from = Source { at: &at, path: &path, extra: &source.extra };
    let mut variable = Variable {
        name: source.name.clone(),
        at: source.offset,
        id,
        id_from: if source.var_id.is_some() { Provenance::File } else { Provenance::Modelled },
        kind,
        kind_from,
        size: 0,
        has_size: source.size.is_some(),
        alignment: 0,
        dtype: source.dtype.clone().unwrap_or_default(),
        element_size: source.element_size,
        shape: source.shape.clone().unwrap_or_default(),
        content: content(package, subgraph, source, &at, notes),
        arm: arm(package, source, kinds, &at, notes),
        debug: debug(source, &from, notes),
        origins: Origins::default(),
    };
    let missing = |is_missing| if is_missing { Origin::Default } else { Origin::File };
    let (size, origin) = notes.number(&from, "size", source.size, (0, Origin::Default));
    variable.size = size;
    variable.put(16, origin);
    let (alignment, origin) =
        notes.number(&from, "alignment", source.alignment, (0, Origin::Default));
    variable.alignment = alignment;
    variable.put(24, origin);
    if source.var_id.is_none() {
        // That there is none is said by the provenance of the number.
        let origin = notes.origin(&from, "var_id", false, "a whole number from 0 to 2^32 - 1");
        variable.put(32, origin);
    }
    let origin = match variable.dtype.len() > MAX_DTYPE_CHARACTERS {
        true => Origin::Unfit,
        false => notes.origin(&from, "dtype", source.dtype.is_some(), "text"),
    };
    variable.put(36, origin);
    let origin = match variable.shape.len() > MAX_DIMENSIONS {
        true => Origin::Unfit,
        false => notes.origin(&from, "shape", source.shape.is_some(), "an array of dimensions"),
    };
    variable.put(56, origin);
    variable.put(120, missing(variable.debug.is_none()));
    if source.kind == VarKind::File && variable.content.is_none() {
        let origin = match source.file_name.is_some() {
            true => Origin::Missing,
            false => notes.origin(&from, "file_name", false, "the name of a file"),
        };
        variable.put(128, origin);
        if source.file_name.is_none() {
            let message = format!(
                "variable `{}` is filled from a file and has no `file_name`, so no content",
                shown(&source.name)
            );
            notes.find(Severity::Error, "kbin.content-missing", at.clone(), message);
        }
    }
    let whole = "a whole number from 0 to 2^32 - 1";
    let origin = match source.kind {
        VarKind::Pointer => {
            notes.origin(&from, "referenced_var_id", source.referenced_var_id.is_some(), whole)
        }
        VarKind::Virtual => {
            let key = "backing_variable_off";
            let is_read = source.backing_variable_off.is_some();
            notes.origin(&from, key, is_read, "a whole number from 0 to 2^64 - 1")
        }
        VarKind::List | VarKind::DgeTable => {
            notes.origin(&from, "list", source.list.is_some(), "an array of ids below 2^32")
        }
        _ => Origin::File,
    };
    variable.put(136, origin);
    let needed = match source.kind {
        VarKind::Virtual if origin == Origin::Default => Some("backing_variable_off"),
        VarKind::List if origin == Origin::Default => Some("list"),
        _ => None,
    };
    if let Some(key) = needed {
        let message = format!(
            "variable `{}` of type `{}` has no `{key}`; 0 or nothing stands for it",
            shown(&source.name),
            shown(&source.kind_text)
        );
        notes.find(Severity::Warning, "kbin.var-key", at.clone(), message);
    }
    if let Arm::Virtual { offset, .. } = variable.arm
        && offset.checked_add(variable.size).is_none()
    {
        let message = format!(
            "virtual variable `{}` at {offset} has {} bytes and ends beyond 2^64; the size of its \
             scratchpad is without it",
            shown(&source.name),
            variable.size
        );
        notes.find(Severity::Error, "kbin.range", at, message);
    }
    if matches!(variable.arm, Arm::Remote { found: false, .. }) {
        variable.put(136, Origin::Missing);
        variable.put(140, Origin::Missing);
    }
    variable
}

/// What a device print of a variable says; the prefix of a file is its folder.
fn debug(source: &FileVariable, from: &Source<'_>, notes: &mut Notes) -> Option<DebugTensor> {
    let has = |key| source.extra.get(key).is_some_and(|value| !value.is_null());
    if source.kind == VarKind::File || !(has("prefix") || has("pipe")) {
        return None;
    }
    let text = source.extra.get("prefix").and_then(|prefix| prefix.as_str());
    let text_from = match text {
        Some(text) => notes.text(from, "prefix", text, 512),
        None => notes.origin(from, "prefix", false, "text"),
    };
    let (pipe, pipe_from) = notes.number(from, "pipe", None::<u32>, (0, Origin::Default));
    let text = text.unwrap_or_default().to_owned();
    Some(DebugTensor { text, pipe, from: (text_from, pipe_from) })
}

fn arm(
    package: &Package,
    source: &FileVariable,
    kinds: &BTreeMap<u32, VarKind>,
    at: &Place,
    notes: &mut Notes,
) -> Arm {
    let name = shown(&source.name);
    match source.kind {
        VarKind::Pointer => {
            let id = source.referenced_var_id;
            let target = id.and_then(|id| kinds.get(&id));
            if target.is_none() {
                let message = format!("pointer `{name}` refers to no variable of this subgraph");
                notes.find(Severity::Error, "kbin.pointer-target", at.clone(), message);
            }
            let io = matches!(target, Some(VarKind::Input | VarKind::Output));
            Arm::Pointer { id: id.unwrap_or(0), io }
        }
        VarKind::Virtual => {
            let (backing, backing_from) = match source.backing_buf.as_deref() {
                None => (BackingBuf::LOCAL, Provenance::Observed),
                Some("local") => (BackingBuf::LOCAL, Provenance::File),
                Some("shared") => (BackingBuf::SHARED, Provenance::File),
                Some("sharded") => (BackingBuf::SHARDED, Provenance::File),
                Some("main") => (BackingBuf::MAIN, Provenance::File),
                Some(other) => {
                    let message = format!(
                        "virtual variable `{name}` has the backing `{}`, whose number is not \
                         published; 0 stands for it",
                        shown(other)
                    );
                    notes.find(Severity::Warning, "kbin.backing", at.clone(), message);
                    (BackingBuf::LOCAL, Provenance::Modelled)
                }
            };
            let offset = source.backing_variable_off.unwrap_or(0);
            Arm::Virtual { offset, backing, backing_from }
        }
        VarKind::List | VarKind::DgeTable => Arm::List(source.list.clone().unwrap_or_default()),
        VarKind::Remote => {
            let wanted = source.remote_subgraph.as_deref().unwrap_or_default();
            let found = package.subgraphs().iter().position(|other| other.name == wanted);
            let peer = found.and_then(|index| package.subgraphs().get(index));
            let variable = peer.and_then(|peer| {
                let name = source.remote_var.as_deref()?;
                peer.definition.variables.iter().find(|variable| variable.name == name)
            });
            let id = variable.and_then(|variable| variable.var_id);
            if id.is_none() {
                let last = package.subgraphs().len().saturating_sub(1);
                let text = format!("Failed to resolve remote variables for subgraphs 0 to {last}");
                let why = format!("remote variable `{name}` leads to no variable");
                notes.stop("kbin.remote", at.clone(), text, &why);
            }
            let subgraph = found.and_then(|index| u32::try_from(index).ok()).unwrap_or(0);
            Arm::Remote { subgraph, id: id.unwrap_or(0), found: id.is_some() }
        }
        _ => Arm::None,
    }
}

/// Where the bytes of a variable are: the whole member, or what follows the head of a `.npy`.
/// Spec: docs/format/kbin.md "From variables" [observed].
fn content(
    package: &Package,
    subgraph: &Subgraph,
    source: &FileVariable,
    at: &Place,
    notes: &mut Notes,
) -> Option<Content> {
    if source.kind != VarKind::File {
        return None;
    }
    let file = source.file_name.as_ref()?;
    let folder = source.extra.get("prefix").and_then(|prefix| prefix.as_str()).unwrap_or_default();
    let plain = subgraph.resolve(file);
    let with_folder = subgraph.resolve(&format!("{folder}{file}"));
    // That the member is missing was a finding when the file was opened.
    let member = [with_folder, plain].into_iter().find_map(|name| package.member(&name))?;
    let bytes = package.bytes_of(member);
    let mut start = 0;
    if file.ends_with(".npy") {
        let here = |offset| Place::member_at(member.name.clone(), offset);
        let magic = bytes.get(..2).unwrap_or_default();
        if magic != [0x93, 0x4E] {
            let why = "no `.npy` file: it does not begin with 93 4e";
            notes.refuse("kbin.npy", here(0), why);
            return Some(whole(&member.name, member.bytes));
        }
        let length = match bytes.get(8..10) {
            Some(&[low, high]) => u64::from(u16::from_le_bytes([low, high])),
            _ => 0,
        };
        start = length + 10;
        if bytes.get(6).is_some_and(|version| *version != 1) {
            let message = "the head of this `.npy` file is not of version 1; a loader reads its \
                           length from two bytes and takes the last bytes of the head for data";
            notes.find(Severity::Error, "kbin.npy-version", here(6), message);
        }
        if start > member.bytes {
            let message =
                format!("the head of this `.npy` file is {start} bytes, more than it has");
            notes.find(Severity::Error, "kbin.npy", here(8), message);
            start = member.bytes;
        }
    }
    let content = Content {
        member: member.name.clone(),
        offset: start,
        bytes: member.bytes.saturating_sub(start),
    };
    if let Some(size) = source.size.filter(|size| *size > content.bytes) {
        let message = format!(
            "variable `{}` has {size} bytes, its file `{}` only {}",
            shown(&source.name),
            shown(&content.member),
            content.bytes
        );
        notes.find(Severity::Error, "kbin.content-size", at.clone(), message);
    }
    Some(content)
}

fn whole(member: &str, bytes: u64) -> Content {
    Content { member: member.to_owned(), offset: 0, bytes }
}
