//! Groups, pairs, reserved areas, micro-code libraries, fp8 conversion.

use std::collections::BTreeSet;

use neff::doc::{UcodeFunction, UcodeManifest};
use neff::{Package, Place, Severity, Subgraph};
use records::Provenance;
use records::kbin::names::{ArchType, CarveoutType};
use records::kbin::sets::{RawCarveout, RawFp8Config};

use super::model::{Content, Library};
use super::notes::{Notes, shown};

/// Functions that the default library may have.
/// Spec: docs/format/kbin.md "From sets" [observed].
const MAX_DEFAULT_FUNCTIONS: usize = 18;
/// Operation code of a built-in library.
const BUILT_IN_OPCODE: u64 = 0x85;
/// Flags of a default or own library.
const OWN_FLAGS: u32 = 6;
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

/// Tables of pairs: an array of pairs is one table, an array of such arrays several.
pub fn pairs(subgraph: &Subgraph, notes: &mut Notes) -> Vec<Vec<(u64, u64)>> {
    let Some(value) = &subgraph.definition.src_target_pairs else { return Vec::new() };
    let pair = |value: &serde_json::Value| -> Option<(u64, u64)> {
        match value.as_array()?.as_slice() {
            [source, target] => Some((source.as_u64()?, target.as_u64()?)),
            _ => None,
        }
    };
    let table = |value: &serde_json::Value| -> Option<Vec<(u64, u64)>> {
        value.as_array()?.iter().map(pair).collect()
    };
    let read = || -> Option<Vec<Vec<(u64, u64)>>> {
        let items = value.as_array()?;
        if items.is_empty() {
            return Some(Vec::new());
        }
        table(value).map(|one| vec![one]).or_else(|| items.iter().map(table).collect())
    };
    read().unwrap_or_else(|| {
        let message = "`src_target_pairs` is no array of pairs of ranks, nor one of such arrays";
        notes.find(Severity::Error, "kbin.pairs", place(subgraph, None), message);
        Vec::new()
    })
}

/// Reserved areas of the state buffer, with the loader's demands on cayman.
/// Spec: docs/format/kbin.md "Reserved areas" [observed].
pub fn carveouts(
    subgraph: &Subgraph,
    target: ArchType,
    notes: &mut Notes,
) -> Option<Vec<RawCarveout>> {
    let Some(sources) = &subgraph.definition.carveouts else {
        if target == ArchType::CAYMAN {
            let why = "the definition reserves no area for event acceleration";
            let text = "no evtaccel reservation on SBUF";
            notes.say("kbin.carveout-missing", place(subgraph, None), text, why);
        }
        return None;
    };
    let mut areas = Vec::with_capacity(sources.len());
    for source in sources {
        let at = place(subgraph, Some(source.at));
        let kind = match source.kind.as_deref() {
            Some("evtaccel") => CarveoutType::EVTACCEL,
            other => {
                let kind = other.map(shown).unwrap_or_default();
                let text = format!("Invalid runtime_statebuffer_reservation type {kind}");
                let why = "a reserved area has an unknown type";
                notes.stop("kbin.carveout-type", at.clone(), text, why);
                CarveoutType::INVALID
            }
        };
        let area = RawCarveout {
            kind: kind.stored().into(),
            offset: source.offset.unwrap_or(0).into(),
            size: source.size.unwrap_or(0).into(),
            start_partition: source.base_partition.unwrap_or(0).into(),
            num_partitions: source.partitions.unwrap_or(0).into(),
            ..RawCarveout::zero()
        };
        let is_expected = (area.start_partition.get(), area.num_partitions.get()) == (0, 128)
            && (area.offset.get(), area.size.get()) == (0x37FF8, 8);
        if target == ArchType::CAYMAN && kind == CarveoutType::EVTACCEL && !is_expected {
            let why = "the area of event acceleration on cayman is offset 0x37ff8, 8 bytes, \
                       partitions 0 to 127, any other is refused with status 2";
            notes.refuse("kbin.carveout-place", at, why);
        }
        areas.push(area);
    }
    for (index, one) in areas.iter().enumerate().take(MAX_COMPARED) {
        let other = areas.iter().take(index).position(|other| meets(one, other));
        if let (Some(other), Some(source)) = (other, sources.get(index)) {
            let message = format!("reserved area {index} overlaps reserved area {other}");
            let at = place(subgraph, Some(source.at));
            notes.find(Severity::Error, "kbin.carveout-overlap", at, message);
        }
    }
    Some(areas)
}

fn meets(one: &RawCarveout, other: &RawCarveout) -> bool {
    let overlap = |a: u64, a_len: u64, b: u64, b_len: u64| {
        a_len > 0 && b_len > 0 && a < b.saturating_add(b_len) && b < a.saturating_add(a_len)
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
            functions: functions.iter().take(MAX_DEFAULT_FUNCTIONS).map(function).collect(),
            from: Provenance::Modelled,
        });
    }
    let mut seen = BTreeSet::new();
    for manifest in package.ucode_manifests(subgraph, &mut notes.findings) {
        list.push(library(package, subgraph, &manifest, &mut seen, notes));
    }
    list
}

fn function(source: &UcodeFunction) -> (String, u8, u8) {
    let byte = |value: Option<u64>| value.and_then(|value| u8::try_from(value).ok()).unwrap_or(0);
    (source.name.clone(), byte(source.opcode), byte(source.sub_opcode))
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
    let cpu_id = manifest.cpu_id.unwrap_or(0);
    let total_cpus = manifest.total_cpus.unwrap_or(0);
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
        notes.find(Severity::Error, "kbin.ucode-missing", at, message);
    }
    let opcode = manifest.opcode.map(|opcode| opcode as u64 & 0xFF);
    Library {
        content: member.map(|member| Content {
            member: member.name.clone(),
            offset: 0,
            bytes: member.bytes,
        }),
        flags: if opcode == Some(BUILT_IN_OPCODE) { 0 } else { OWN_FLAGS },
        cpu_id: u8::try_from(cpu_id).unwrap_or(u8::MAX),
        total_cpus: u8::try_from(total_cpus).unwrap_or(u8::MAX),
        functions: manifest.functions.iter().take(usize::from(u8::MAX)).map(function).collect(),
        from: Provenance::File,
        name,
    }
}

/// Conversion of 8-bit floating point: what the file says, and defaults for the rest.
/// Spec: docs/format/kbin.md "fp8 conversion" [observed; defaults of single keys inferred].
pub fn fp8(subgraph: &Subgraph, notes: &mut Notes) -> (RawFp8Config, Provenance) {
    let default = RawFp8Config::DEFAULT;
    let Some(source) = &subgraph.definition.fp8 else { return (default, Provenance::Observed) };
    let flag = |value: Option<bool>, default: u8| value.map_or(default, u8::from);
    let mut number = |value: Option<i64>, default: u32| match value {
        None => default,
        Some(value) => u32::try_from(value).unwrap_or_else(|_| {
            let message = format!("an exponent of the fp8 conversion is {value}");
            notes.find(Severity::Error, "kbin.fp8", place(subgraph, None), message);
            value as u32
        }),
    };
    let config = RawFp8Config {
        fp8_range_extension: flag(source.range_extension, default.fp8_range_extension),
        emax_fp8_e4m3: number(source.emax_e4m3, default.emax_fp8_e4m3.get()).into(),
        emax_fp8_e5m2: number(source.emax_e5m2, default.emax_fp8_e5m2.get()).into(),
        ocp_sat: flag(source.ocp_sat, default.ocp_sat),
        sis: flag(source.sis, default.sis),
        sns: flag(source.sns, default.sns),
        ..default
    };
    (config, Provenance::File)
}
