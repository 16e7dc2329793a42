//! Groups, pairs, reserved areas, micro-code libraries, fp8 conversion.

use std::collections::BTreeSet;

use neff::doc::{UcodeFunction, UcodeManifest};
use neff::{Package, Place, Severity, Subgraph};
use records::Provenance;
use records::kbin::names::{ArchType, CarveoutType};
use records::kbin::sets::{RawCarveout, RawFp8Config};
use serde_json::Value;

use super::model::{Carveout, Content, FP8_FIELDS, Function, Library, PARTITIONS, STRIDE};
use super::notes::{Notes, shown};
use super::numbers::{Flag, Origin, Origins, Source};

/// Functions that the default library may have.
/// Spec: docs/format/kbin.md "From sets" [observed].
const MAX_DEFAULT_FUNCTIONS: usize = 18;
/// Operation code of a built-in library.
const BUILT_IN_OPCODE: i64 = 0x85;
/// The same as a signed byte.
const BUILT_IN_SIGNED: i64 = -123;
/// Operation codes that a byte holds.
const OPCODE_RANGE: &str = "a byte, -128 to 255";
/// Flags of a default or own library.
const OWN_FLAGS: u32 = 6;
/// Type of an area for event acceleration.
const EVTACCEL: &str = "evtaccel";
/// Reserved areas and pairs that are compared with each other.
const MAX_COMPARED: usize = 1_000;

fn place(subgraph: &Subgraph, at: Option<u64>) -> Place {
    Place {
        member: Some(subgraph.definition_member.clone()),
        subgraph: Some(subgraph.name.clone()),
        engine: None,
        offset: at,
    }
}

/// Whether the groups of the definition were understood; what was not is a finding.
pub fn groups(subgraph: &Subgraph, notes: &mut Notes) -> Origin {
    let at = place(subgraph, None);
    let extra = &subgraph.definition.extra;
    let from = Source { at: &at, path: &String::new, extra };
    let definition = &subgraph.definition;
    let is_read = !definition.replica_groups.is_empty() && definition.unread_groups.is_empty();
    notes.origin(&from, "replica_groups", is_read, "nested arrays of ranks from 0 to 2^32 - 1")
}

/// Streams of collectives; 1 is how a loader begins.
/// Spec: docs/format/kbin.md "Small sets" [observed].
pub fn num_streams(subgraph: &Subgraph, notes: &mut Notes) -> (u64, Origin) {
    let at = place(subgraph, None);
    let definition = &subgraph.definition;
    let missing = (1, Origin::Published);
    let nested = definition.extra.get("cc_streams").and_then(|value| value.as_object());
    let nested = nested.filter(|nested| nested.contains_key("num_streams"));
    // What is read is taken out of the document, so a second way of writing it is still there.
    let mut others = ["num_streams", "cc_stream"].into_iter();
    let other = others.find(|key| definition.extra.contains_key(*key));
    if let (Some(key), Some(number)) = (other, definition.num_streams) {
        let message = format!(
            "the number of streams is written twice; {number} is taken, and `{key}` is not read"
        );
        notes.find(Severity::Warning, "kbin.streams-twice", at.clone(), message);
    }
    if let (Some(extra), None) = (nested, definition.num_streams) {
        let from = Source { at: &at, path: &|| "/cc_streams".to_owned(), extra };
        return notes.number(&from, "num_streams", None::<u64>, missing);
    }
    let from = Source { at: &at, path: &String::new, extra: &definition.extra };
    let key = if definition.extra.contains_key("cc_stream") { "cc_stream" } else { "num_streams" };
    notes.number(&from, key, definition.num_streams, missing)
}

/// Tables of pairs: an array of pairs is one table, an array of such arrays several.
pub fn pairs(subgraph: &Subgraph, notes: &mut Notes) -> (Vec<Vec<(u64, u64)>>, Origin) {
    let Some(value) = &subgraph.definition.src_target_pairs else {
        return (Vec::new(), Origin::Default);
    };
    let pair = |value: &Value| -> Option<(u64, u64)> {
        match value.as_array()?.as_slice() {
            [source, target] => Some((source.as_u64()?, target.as_u64()?)),
            _ => None,
        }
    };
    let table =
        |value: &Value| -> Option<Vec<(u64, u64)>> { value.as_array()?.iter().map(pair).collect() };
    let read = || -> Option<Vec<Vec<(u64, u64)>>> {
        let items = value.as_array()?;
        if items.is_empty() {
            return Some(Vec::new());
        }
        table(value).map(|one| vec![one]).or_else(|| items.iter().map(table).collect())
    };
    read().map(|read| (read, Origin::File)).unwrap_or_else(|| {
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        let is_one = items.first().is_some_and(|first| pair(first).is_some());
        let is_wrong =
            |item: &&Value| if is_one { pair(item).is_none() } else { table(item).is_none() };
        let wrong = items.iter().enumerate().find(|(_, item)| is_wrong(item));
        let place_of = wrong.map_or(String::new(), |(index, item)| {
            format!("; entry {index} is {}", shown(&item.to_string()))
        });
        let message = format!(
            "`src_target_pairs` is no array of pairs of ranks, nor one of such arrays{place_of}"
        );
        notes.find(Severity::Error, "kbin.pairs", place(subgraph, None), message);
        (Vec::new(), Origin::Unfit)
    })
}

/// Reserved areas of the state buffer, with the loader's demands on cayman.
/// Spec: docs/format/kbin.md "Reserved areas" [observed].
pub fn carveouts(
    subgraph: &Subgraph,
    (target, target_from): (ArchType, Provenance),
    notes: &mut Notes,
) -> Option<Vec<Carveout>> {
    let Some(sources) = &subgraph.definition.carveouts else {
        let definition = &subgraph.definition;
        let key = "runtime_statebuffer_reservation";
        // What is no array is told with the document.
        let is_other = definition.extra.get(key).is_some_and(|value| !value.is_null());
        if target == ArchType::CAYMAN && definition.is_read && !is_other {
            let why = "the definition has no `runtime_statebuffer_reservation`, which is required on \
                       cayman unless NEURON_RT_ALLOW_LEGACY_NEFF is 1";
            match target_from {
                // On another device it is not.
                Provenance::Configured => {
                    let message = format!("{why}; the program is for any device");
                    let place = place(subgraph, None);
                    notes.find(Severity::Warning, "kbin.carveout-missing", place, message);
                }
                _ => notes.refuse("kbin.carveout-missing", place(subgraph, None), why),
            }
        }
        return None;
    };
    let is_evtaccel = |kind: &Option<String>| kind.as_deref() == Some(EVTACCEL);
    if target == ArchType::CAYMAN && !sources.iter().any(|one| is_evtaccel(&one.kind)) {
        let why = "the definition reserves no area for event acceleration";
        let text = "no evtaccel reservation on SBUF";
        notes.say("kbin.carveout-none", place(subgraph, None), text, why);
    }
    let mut areas = Vec::with_capacity(sources.len());
    for (index, source) in sources.iter().enumerate() {
        let at = place(subgraph, Some(source.at));
        let kind = match source.kind.as_deref() {
            Some(EVTACCEL) => CarveoutType::EVTACCEL,
            other => {
                let kind = other.map(shown).unwrap_or_default();
                let text = format!("Invalid runtime_statebuffer_reservation type {kind}");
                let why = "a reserved area has an unknown type";
                notes.stop("kbin.carveout-type", at.clone(), text, why);
                CarveoutType::INVALID
            }
        };
        let path = || format!("/runtime_statebuffer_reservation/{index}");
        let from = Source { at: &at, path: &path, extra: &source.extra };
        let mut origins = Origins::default();
        if kind == CarveoutType::INVALID {
            origins.put(&Carveout::FIELDS, 0, Origin::Unfit);
        }
        let mut number = |byte, key, read: Option<u64>| {
            let (value, origin) = notes.number(&from, key, read, (0_u64, Origin::Default));
            origins.put(&Carveout::FIELDS, byte, origin);
            value.into()
        };
        let area = RawCarveout {
            kind: kind.stored().into(),
            offset: number(8, "offset", source.offset),
            size: number(16, "size", source.size),
            start_partition: number(24, "base_partition", source.base_partition),
            num_partitions: number(32, "partitions", source.partitions),
            ..RawCarveout::zero()
        };
        let is_expected = (area.start_partition.get(), area.num_partitions.get()) == (0, 128)
            && (area.offset.get(), area.size.get()) == (0x37FF8, 8);
        if target == ArchType::CAYMAN && kind == CarveoutType::EVTACCEL && !is_expected {
            let why = "the area of event acceleration on cayman is offset 0x37ff8, 8 bytes, \
                       partitions 0 to 127, any other is refused with status 2";
            notes.refuse("kbin.carveout-place", at.clone(), why);
        }
        if !is_inside(&area) {
            let message = format!(
                "reserved area {index} is partitions {} to {} and bytes {:#x} to {:#x}, the state \
                 buffer has 128 partitions of at most {STRIDE:#x} bytes",
                area.start_partition.get(),
                last(area.start_partition.get(), area.num_partitions.get()),
                area.offset.get(),
                last(area.offset.get(), area.size.get())
            );
            notes.find(Severity::Error, "kbin.carveout-range", at, message);
        }
        areas.push(Carveout { raw: area, origins });
    }
    if areas.len() > MAX_COMPARED {
        let message =
            format!("of {} reserved areas the first {MAX_COMPARED} are compared", areas.len());
        notes.find(Severity::Warning, "kbin.carveout-overlap", place(subgraph, None), message);
    }
    for (index, one) in areas.iter().enumerate().take(MAX_COMPARED) {
        let other = areas.iter().take(index).position(|other| meets(&one.raw, &other.raw));
        if let (Some(other), Some(source)) = (other, sources.get(index)) {
            let other_at = sources.get(other).map_or(0, |source| source.at);
            let message = format!(
                "reserved area {index} overlaps reserved area {other} (byte {other_at:#x} of the \
                 definition)"
            );
            let at = place(subgraph, Some(source.at));
            notes.find(Severity::Error, "kbin.carveout-overlap", at, message);
        }
    }
    Some(areas)
}

/// The last of so many from a first one on.
fn last(first: u64, count: u64) -> u128 {
    (u128::from(first) + u128::from(count)).saturating_sub(1)
}

/// Whether an area lies in the state buffer.
fn is_inside(area: &RawCarveout) -> bool {
    last(area.start_partition.get(), area.num_partitions.get()) < u128::from(PARTITIONS)
        && last(area.offset.get(), area.size.get()) < u128::from(STRIDE)
}

fn meets(one: &RawCarveout, other: &RawCarveout) -> bool {
    let end = |start: u64, len: u64| u128::from(start) + u128::from(len);
    let overlap = |a: u64, a_len: u64, b: u64, b_len: u64| {
        a_len > 0 && b_len > 0 && u128::from(a) < end(b, b_len) && u128::from(b) < end(a, a_len)
    };
    let bytes = overlap(one.offset.get(), one.size.get(), other.offset.get(), other.size.get());
    bytes
        && overlap(
            one.start_partition.get(),
            one.num_partitions.get(),
            other.start_partition.get(),
            other.num_partitions.get(),
        )
}

/// Micro-code libraries: the default one where the generation has it, then those of the file.
/// Spec: docs/format/kbin.md "From sets" [observed; content of the default one modelled].
pub fn libraries(
    package: &Package,
    subgraph: &Subgraph,
    has_default: bool,
    notes: &mut Notes,
) -> Vec<Library> {
    let mut list = Vec::new();
    let asked = package.ext_isa_library(subgraph, &mut notes.findings);
    let refused = asked.as_ref().is_some_and(|asked| asked.add_lib == Some(false));
    let wanted = asked.as_ref().is_some_and(|asked| asked.add_lib == Some(true));
    if wanted || (has_default && !refused) {
        let functions = asked.map(|asked| asked.functions).unwrap_or_default();
        if functions.len() > MAX_DEFAULT_FUNCTIONS {
            let message =
                format!("the default library has {} functions, 18 are the most", functions.len());
            notes.find(Severity::Error, "kbin.ext-isa", place(subgraph, None), message);
        }
        list.push(Library {
            name: "all".to_owned(),
            content: None,
            flags: OWN_FLAGS,
            cpu_id: 0,
            total_cpus: 0,
            functions: functions
                .iter()
                .take(MAX_DEFAULT_FUNCTIONS)
                .enumerate()
                .map(|(index, source)| {
                    let path = format!("/ext_isa_ucode_lib_def/functions/{index}");
                    function(source, &path, &place(subgraph, None), notes)
                })
                .collect(),
            from: Provenance::Modelled,
            origins: Origins::default(),
        });
    }
    let mut seen = BTreeSet::new();
    for manifest in package.ucode_manifests(subgraph, &mut notes.findings) {
        list.push(library(package, subgraph, &manifest, &mut seen, notes));
    }
    list
}

fn function(source: &UcodeFunction, path: &str, at: &Place, notes: &mut Notes) -> Function {
    let path = || path.to_owned();
    let from = Source { at, path: &path, extra: &source.extra };
    let mut origins = Origins::default();
    origins.put(&Function::FIELDS, 0, notes.text(&from, "name", &source.name, 256));
    let mut byte = |at, key, read: Option<u64>| {
        let (value, origin) = notes.number(&from, key, read, (0, Origin::Default));
        origins.put(&Function::FIELDS, at, origin);
        value
    };
    let (opcode, sub_opcode) =
        (byte(256, "opcode", source.opcode), byte(257, "sub_opcode", source.sub_opcode));
    Function { name: source.name.clone(), opcode, sub_opcode, origins }
}

fn library(
    package: &Package,
    subgraph: &Subgraph,
    manifest: &UcodeManifest,
    seen: &mut BTreeSet<String>,
    notes: &mut Notes,
) -> Library {
    let at = Place {
        subgraph: Some(subgraph.name.clone()),
        ..Place::member_at(manifest.member.clone(), manifest.offset)
    };
    let name = manifest.library.clone().unwrap_or_default();
    if !seen.insert(name.clone()) {
        let text = format!("UCode Library {} has already been added", shown(&name));
        notes.stop("kbin.ucode-twice", at.clone(), text, "a library is listed twice");
    }
    let version = manifest.version.as_deref().unwrap_or_default();
    if version.split('.').next() != Some("1") {
        let text = "Mismatch between GPSIMD lib version and NRT version!";
        let why = format!("library `{}` has the version `{}`", shown(&name), shown(version));
        notes.stop("kbin.ucode-version", at.clone(), text, &why);
    }
    let from = Source { at: &at, path: &String::new, extra: &manifest.extra };
    let mut origins = Origins::default();
    let mut byte = |byte, key, read: Option<u64>| {
        let (value, origin) = notes.number(&from, key, read, (0_u8, Origin::Default));
        origins.put(&Library::FIELDS, byte, origin);
        value
    };
    let cpu_id = byte(20, "cpu_id", manifest.cpu_id);
    let total_cpus = byte(21, "total_cpus", manifest.total_cpus);
    if cpu_id != 0 || !matches!(total_cpus, 0 | 1 | 8) {
        let why = format!(
            "library `{}` has cpu {cpu_id} of {total_cpus}, cpu 0 of 0, 1 or 8 is taken",
            shown(&name)
        );
        notes.refuse("kbin.ucode-cpus", at.clone(), &why);
    }
    let member = package.member(&subgraph.resolve(&name));
    if member.is_none() {
        let message = format!("library `{}` is not in the archive", shown(&name));
        notes.find(Severity::Error, "kbin.ucode-missing", at.clone(), message);
        origins.put(&Library::FIELDS, 0, Origin::Missing);
        origins.put(&Library::FIELDS, 8, Origin::Missing);
    }
    let flags = match manifest.opcode {
        Some(BUILT_IN_OPCODE | BUILT_IN_SIGNED) => 0,
        _ => OWN_FLAGS,
    };
    let is_known = manifest.opcode.is_some_and(|opcode| (-128..256).contains(&opcode));
    if !is_known {
        let opcode = manifest.opcode.map(|opcode| opcode.to_string());
        let origin = match opcode {
            None => notes.origin(&from, "opcode", false, OPCODE_RANGE),
            Some(opcode) => {
                notes.unfit(&from, "opcode", &opcode, OPCODE_RANGE);
                Origin::Unfit
            }
        };
        origins.put(&Library::FIELDS, 16, origin);
    }
    let listed = manifest.functions.iter().enumerate();
    let functions: Vec<Function> = listed
        .map(|(index, source)| {
            let at = Place { offset: Some(source.offset), ..at.clone() };
            function(source, &format!("/functions/{index}"), &at, notes)
        })
        .collect();
    if functions.is_empty() {
        let origin = notes.origin(&from, "functions", false, "an array of functions");
        origins.put(&Library::FIELDS, 24, origin);
    }
    if functions.len() > usize::from(u8::MAX) {
        let written = format!("an array of {}", functions.len());
        notes.unfit(&from, "functions", &written, "at most 255, counted in one byte");
        origins.put(&Library::FIELDS, 32, Origin::Unfit);
    }
    Library {
        content: member.map(|member| Content {
            member: member.name.clone(),
            offset: 0,
            bytes: member.bytes,
        }),
        flags,
        cpu_id,
        total_cpus,
        functions,
        from: Provenance::File,
        origins,
        name,
    }
}

/// Conversion of 8-bit floating point: what the file says, and defaults for the rest.
/// Spec: docs/format/kbin.md "fp8 conversion" [observed; defaults of single keys inferred].
pub fn fp8(subgraph: &Subgraph, notes: &mut Notes) -> (RawFp8Config, Origins) {
    let default = RawFp8Config::DEFAULT;
    let mut origins = Origins::default();
    let Some(source) = &subgraph.definition.fp8 else {
        let at = place(subgraph, None);
        let from = Source { at: &at, path: &String::new, extra: &subgraph.definition.extra };
        let origin = match notes.origin(&from, "fp8_conversion_config", false, "an object") {
            Origin::Default => Origin::Published,
            other => other,
        };
        FP8_FIELDS.iter().for_each(|byte| origins.put(&FP8_FIELDS, *byte, origin));
        return (default, origins);
    };
    let at = place(subgraph, Some(source.at));
    let path = || "/fp8_conversion_config".to_owned();
    let from = Source { at: &at, path: &path, extra: &source.extra };
    let mut flag = |byte, key, read: Option<bool>, missing: u8| {
        let (Flag(value), origin) =
            notes.number(&from, key, read.map(i128::from), (Flag(missing), Origin::Default));
        origins.put(&FP8_FIELDS, byte, origin);
        value
    };
    let range = flag(0, "fp8_range_extension", source.range_extension, default.fp8_range_extension);
    let ocp_sat = flag(12, "ocp_sat", source.ocp_sat, default.ocp_sat);
    let sis = flag(13, "fp8_sis", source.sis, default.sis);
    let sns = flag(14, "fp8_sns", source.sns, default.sns);
    let mut number = |byte, key, read: Option<i64>, missing: u32| {
        let (value, origin) = notes.number(&from, key, read, (missing, Origin::Default));
        origins.put(&FP8_FIELDS, byte, origin);
        value.into()
    };
    let config = RawFp8Config {
        fp8_range_extension: range,
        emax_fp8_e4m3: number(4, "emax_fp8_e4m3", source.emax_e4m3, default.emax_fp8_e4m3.get()),
        emax_fp8_e5m2: number(8, "emax_fp8_e5m2", source.emax_e5m2, default.emax_fp8_e5m2.get()),
        ocp_sat,
        sis,
        sns,
        ..default
    };
    (config, origins)
}
