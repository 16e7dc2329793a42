//! Answers `spad-ctrl`, `spad-ctrl-encode` and `spad-table`: control entries bit by bit.

use super::dump::field_info;
use crate::answer::{
    Provenance, ReadingInfo, SCHEMA, SpadAnswer, SpadBits, SpadEntry, SpadHeader, SpadMesh, SpadOp,
    SpadReading, SpadReserved, SpadRing,
};
use crate::convert::{findings, hex, hex_bytes, number, provenance};
use crate::dump_file::DumpFile;
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::names;
use crate::request::EntryValue;
use ::records::collectives::entry::RawSpadCtrlEntry;
use ::records::collectives::names::MESH_TYPE;
use ::records::collectives::{AlgoNames, EntryFields, SpadCtrlEntry};
use device_image::firmware::text::{TextForm, member, print_member};
use device_image::firmware::{SpadTable, fields, tree};
use neff::Findings;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Words of one question, and entries of one answer: the 32 KiB of SLOT SPAD.
const MOST_WORDS: usize = 4_096;

/// Entries of words.
///
/// # Errors
/// `spad.word` for a text that is no word, `spad.names`.
pub fn decode(words: &[String], names: Option<&str>) -> Result<SpadAnswer, ApiError> {
    let names = names_of(names)?;
    if words.len() > MOST_WORDS {
        return Err(ApiError::bad_request(format!(
            "{} words are asked for, at most {MOST_WORDS} are read at once",
            words.len()
        )));
    }
    let entries: Vec<SpadCtrlEntry> =
        words.iter().map(|text| word(text)).collect::<Result<_, _>>()?;
    Ok(answer(&entries, names))
}

/// The entry of some values.
///
/// # Errors
/// `spad.field` for a field or value that there is not, `spad.views` for both views at once,
/// `spad.names`.
pub fn encode(
    values: &BTreeMap<String, EntryValue>,
    names: Option<&str>,
) -> Result<SpadAnswer, ApiError> {
    let names = names_of(names)?;
    let is_mesh = |key: &str| matches!(key, "sema_shift_offset" | "sema_mask");
    if values.contains_key("channel_list") && values.keys().any(|key| is_mesh(key)) {
        return Err(ApiError::new(
            ErrorKind::BadRequest,
            "spad.views",
            "channel_list and sema_shift_offset or sema_mask are two views of the same four \
             bytes: give one of them",
        ));
    }
    let mut fields = EntryFields { cc_op: true, ..EntryFields::default() };
    let (mut shift, mut mask) = (0, 0);
    for (key, value) in values {
        match key.as_str() {
            "cc_op" => fields.cc_op = flag(key, value)?,
            "algo_type" => fields.algo_type = algorithm(value, names)?,
            "algo_sub_type" => fields.algo_sub_type = narrow(key, value, 7)? as u8,
            "trigger_next" => fields.trigger_next = flag(key, value)?,
            "reporter" => fields.reporter = flag(key, value)?,
            "ring_wait_complete" => fields.ring_wait_complete = flag(key, value)?,
            "ring_send_complete" => fields.ring_send_complete = flag(key, value)?,
            "safe_mode" => fields.safe_mode = flag(key, value)?,
            "unique_tensors" => fields.unique_tensors = flag(key, value)?,
            "channel_list" => fields.union = narrow(key, value, u32::MAX.into())? as u32,
            "sema_shift_offset" => shift = narrow(key, value, u16::MAX.into())? as u16,
            "sema_mask" => mask = narrow(key, value, u16::MAX.into())? as u16,
            "reserved_header" => fields.header_reserved = narrow(key, value, 127)? as u8,
            "reserved_flags" => fields.flags_reserved = narrow(key, value, 7)? as u8,
            "reserved_byte" => fields.byte_reserved = narrow(key, value, 255)? as u8,
            other => {
                let shown: String = other.chars().take(40).collect();
                return Err(wrong(format!(
                    "an entry has no field `{shown}`; it has cc_op, algo_type, algo_sub_type, \
                     trigger_next, reporter, ring_wait_complete, ring_send_complete, safe_mode, \
                     unique_tensors, channel_list or sema_shift_offset and sema_mask, \
                     reserved_header, reserved_flags, reserved_byte"
                )));
            }
        }
    }
    fields.union |= EntryFields::mesh_union(shift, mask);
    let entry = SpadCtrlEntry::of_fields(&fields).map_err(|error| wrong(error.to_string()))?;
    Ok(answer(&[entry], names))
}

/// The entries of a table in a dump.
///
/// # Errors
/// `spad.names`, `bytes.past-end` for a table that begins behind the dump.
pub fn table(
    files: &[Arc<OpenFile>],
    file: &DumpFile,
    offset: u64,
    count: Option<u64>,
    names: Option<&str>,
) -> Result<SpadAnswer, ApiError> {
    let names = names_of(names)?;
    super::dump::check_offset(file, offset)?;
    let mut found = Findings::new();
    let table = SpadTable::read(file.bytes(), offset, count, &mut found);
    Ok(SpadAnswer {
        file: Some(names::of_dump(files, file)),
        offset: Some(offset),
        provenance: Provenance::File,
        diagnostics: findings(found.as_slice()),
        total: table.entries.len() as u64,
        ..answer(table.entries.get(..MOST_WORDS).unwrap_or(&table.entries), names)
    })
}

fn wrong(message: impl Into<String>) -> ApiError {
    ApiError::new(ErrorKind::BadRequest, "spad.field", message)
}

fn names_of(name: Option<&str>) -> Result<AlgoNames, ApiError> {
    let Some(name) = name else { return Ok(AlgoNames::AlgType) };
    AlgoNames::of_name(name).ok_or_else(|| {
        let shown: String = name.chars().take(40).collect();
        let message = format!("`{shown}` names no reading of algorithms: they are enc_alg_type and enc_pattern (or header)");
        ApiError::new(ErrorKind::BadRequest, "spad.names", message)
    })
}

/// A word: with `0x` the number, else 16 digits in memory order, blanks between them as one likes.
fn word(text: &str) -> Result<SpadCtrlEntry, ApiError> {
    let bad = || {
        let shown: String = text.chars().take(40).collect();
        ApiError::new(
            ErrorKind::BadRequest,
            "spad.word",
            format!(
                "`{shown}` is no entry: an entry is 16 hex digits, its 8 bytes in memory order, or \
                 the value of its word with 0x"
            ),
        )
    };
    let clean: String = text.chars().filter(|c| !c.is_whitespace()).collect();
    let is_hex = |digits: &str| digits.chars().all(|c| c.is_ascii_hexdigit());
    match clean.strip_prefix("0x").or_else(|| clean.strip_prefix("0X")) {
        Some(digits) if is_hex(digits) => {
            u64::from_str_radix(digits, 16).map(SpadCtrlEntry).map_err(|_| bad())
        }
        None if clean.len() == 16 && is_hex(&clean) => {
            let stored = u64::from_str_radix(&clean, 16).map_err(|_| bad())?;
            Ok(SpadCtrlEntry(stored.swap_bytes()))
        }
        _ => Err(bad()),
    }
}

fn flag(key: &str, value: &EntryValue) -> Result<bool, ApiError> {
    match value {
        EntryValue::Flag(flag) => Ok(*flag),
        EntryValue::Number(0) => Ok(false),
        EntryValue::Number(1) => Ok(true),
        EntryValue::Text(text) if text == "0" || text == "false" => Ok(false),
        EntryValue::Text(text) if text == "1" || text == "true" => Ok(true),
        _ => Err(wrong(format!("{key} is true or false"))),
    }
}

fn narrow(key: &str, value: &EntryValue, most: u64) -> Result<u64, ApiError> {
    let found = match value {
        EntryValue::Number(number) => *number,
        EntryValue::Text(text) => number(key, text).map_err(|error| wrong(error.message))?,
        EntryValue::Flag(_) => return Err(wrong(format!("{key} is a number"))),
    };
    if found > most {
        return Err(wrong(format!("{key} is {found:#x}, expected at most {most:#x}")));
    }
    Ok(found)
}

/// A number, or a name of the chosen reading.
fn algorithm(value: &EntryValue, names: AlgoNames) -> Result<u8, ApiError> {
    if let EntryValue::Text(text) = value {
        let upper = text.to_ascii_uppercase();
        let known = names.table().values.iter().find(|(_, name)| *name == upper);
        if let Some((number, _)) = known {
            return Ok(*number as u8);
        }
    }
    narrow("algo_type", value, 15).map(|number| number as u8)
}

fn answer(entries: &[SpadCtrlEntry], names: AlgoNames) -> SpadAnswer {
    SpadAnswer {
        schema: SCHEMA,
        algo_names: names.name().to_owned(),
        file: None,
        offset: None,
        total: entries.len() as u64,
        entries: entries.iter().map(|entry| shown(*entry, names)).collect(),
        readings: AlgoNames::ALL.map(reading).to_vec(),
        provenance: Provenance::Observed,
        names_provenance: Provenance::Inferred,
        diagnostics: Vec::new(),
    }
}

fn shown(entry: SpadCtrlEntry, names: AlgoNames) -> SpadEntry {
    let fields = entry.fields();
    let bytes = entry.to_bytes();
    let kind = match (entry.is_continue_marker(), entry.is_nop(), fields.cc_op) {
        (true, ..) => "continue",
        (_, true, _) => "nop",
        (.., true) => "op",
        _ => "empty",
    };
    let owned = |text: Option<&'static str>| text.map(str::to_owned);
    let text = member("ctrl_entry", tree::ctrl_entry(entry));
    SpadEntry {
        raw: hex_bytes(&bytes),
        word: format!("{:#018x}", entry.0),
        kind: kind.to_owned(),
        header: SpadHeader { cc_op: fields.cc_op },
        cc_op: SpadOp {
            algo_type: fields.algo_type,
            algo_type_name: owned(names.algorithm(fields.algo_type)),
            algo_sub_type: fields.algo_sub_type,
            algo_sub_type_name: owned(MESH_TYPE.name_of(fields.algo_sub_type.into())),
            trigger_next: fields.trigger_next,
            reporter: fields.reporter,
            ring_wait_complete: fields.ring_wait_complete,
            ring_send_complete: fields.ring_send_complete,
            safe_mode: fields.safe_mode,
            unique_tensors: fields.unique_tensors,
            ring: SpadRing { channel_list: hex(fields.channel_list().into()) },
            mesh: SpadMesh {
                sema_shift_offset: fields.sema_shift_offset(),
                sema_mask: hex(fields.sema_mask().into()),
            },
        },
        reserved: SpadReserved {
            header: fields.header_reserved,
            flags: fields.flags_reserved,
            byte: fields.byte_reserved,
        },
        readings: AlgoNames::ALL
            .map(|one| SpadReading {
                names: one.name().to_owned(),
                algo_type_name: owned(one.algorithm(fields.algo_type)),
                view: one.view(fields.algo_type).map(|view| view.name().to_owned()),
            })
            .to_vec(),
        channels: (0..32).filter(|bit| fields.channel_list() >> bit & 1 == 1).collect(),
        printed: format!("{:#018x}", entry.printed().0),
        text: print_member(&text, 0, true, TextForm::Firmware),
        fields: fields::fields(&RawSpadCtrlEntry::LAYOUT, &bytes, 0, &[])
            .iter()
            .map(field_info)
            .collect(),
        bits: bits(entry),
    }
}

/// The ranges of bits of an entry.
fn bits(entry: SpadCtrlEntry) -> Vec<SpadBits> {
    let found = fields::fields(&RawSpadCtrlEntry::LAYOUT, &entry.to_bytes(), 0, &[]);
    let mut out: Vec<SpadBits> = found
        .into_iter()
        .filter_map(|field| {
            let (low, width) =
                field.bits.or_else(|| Some((0, u32::try_from(field.bytes).ok()? * 8)))?;
            let low = low + u32::try_from(field.offset).ok()? * 8;
            let mask = u64::MAX.checked_shr(64 - width)?;
            Some(SpadBits {
                name: encode_name(&field.name).to_owned(),
                low,
                width,
                value: entry.0.checked_shr(low)? & mask,
                text: field.text,
                meaning: field.meaning.to_owned(),
                reserved: field.is_reserved,
                printed: SpadCtrlEntry::PRINTED & mask.checked_shl(low)? != 0,
                // Not of the value: these bytes need not be of a file.
                provenance: match field.provenance {
                    ::records::Provenance::File => Provenance::Observed,
                    other => provenance(other),
                },
            })
        })
        .collect();
    out.sort_by_key(|one| one.low);
    out
}

/// The name under which `spad-ctrl-encode` takes a field.
fn encode_name(name: &str) -> &str {
    match name.strip_suffix("reserved") {
        Some("header.") => "reserved_header",
        Some("flags.") => "reserved_flags",
        Some("") => "reserved_byte",
        _ => name,
    }
}

/// A reading with its evidence.
fn reading(one: AlgoNames) -> ReadingInfo {
    let (says, evidence_for, evidence_against): (_, &[&str], &[&str]) = match one {
        AlgoNames::AlgType => (
            "the number is the runtime's algorithm",
            &[
                "the field has 4 bits and the enumeration 12 values",
                "the firmware's data has a table of 12 entries",
            ],
            &[
                "entry 3 of that table leads to what looks like an error, though 3 would be \
                 KANGARING",
                "the identity was never traced byte for byte",
            ],
        ),
        AlgoNames::Pattern => (
            "the number is the runtime's pattern",
            &[
                "the type information gives the pattern enumeration",
                "the public header has a field of that enumeration in its channel",
                "the packer has a path with the constants 1 and 3, which is one of meshes",
            ],
            &["it does not explain a table of 12 entries"],
        ),
    };
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
    ReadingInfo {
        names: one.name().to_owned(),
        says: says.to_owned(),
        values: (0..16).map(|value| one.algorithm(value).map(str::to_owned)).collect(),
        evidence_for: owned(evidence_for),
        evidence_against: owned(evidence_against),
    }
}
