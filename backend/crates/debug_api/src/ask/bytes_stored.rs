//! The structure of what a NEFF is stored in: entries of the tar block by block, both ends of the
//! gzip member.

use super::records::number_kind;
use crate::answer::{BytesPart, Provenance, RecordFieldInfo, RecordValueInfo};
use crate::convert::hex;
use neff::Member;
use records::kbin::{field_text, field_text_end};
use records::stored::{
    GZIP_FIELDS, GZIP_TRAILER_FIELDS, StoredField, StoredForm, TAR_BLOCK_BYTES, TAR_FIELDS,
    gzip_parts, tar_checksum, tar_kind, tar_number,
};

const BLOCK: u64 = TAR_BLOCK_BYTES as u64;
/// Entries that are walked from a member on: each has at most a few blocks in front of it.
const MOST_ENTRIES: usize = 64;

/// The members that meet a page; a member begins with the extension entries in front of its header.
pub fn tar_parts(members: &[Member], tar: &[u8], from: u64, end: u64) -> Vec<BytesPart> {
    let mut first = 0;
    let mut parts = Vec::new();
    for member in members {
        let (start, after) = (first, padded(member.offset.saturating_add(member.bytes)));
        first = after;
        if after <= from {
            continue;
        }
        if start >= end {
            break;
        }
        parts.push(BytesPart {
            name: member.name.clone(),
            offset: start,
            bytes: after.min(tar.len() as u64).saturating_sub(start),
            text: format!("tar header, then {} bytes of data", member.bytes),
            provenance: Provenance::File,
        });
    }
    if first < end && first < tar.len() as u64 {
        parts.push(BytesPart {
            name: "end".to_owned(),
            offset: first,
            bytes: tar.len() as u64 - first,
            text: "end of the archive".to_owned(),
            provenance: Provenance::File,
        });
    }
    parts
}

/// The fields of the entry of a tar that has a byte: its header, its data, what fills the block.
pub fn tar_fields(members: &[Member], tar: &[u8], at: u64) -> Vec<RecordFieldInfo> {
    let before = members.iter().map(|one| padded(one.offset.saturating_add(one.bytes)));
    let mut start = before.filter(|end| *end <= at).max().unwrap_or(0);
    let slice = |from: u64, bytes: u64| {
        let from = usize::try_from(from).unwrap_or(usize::MAX);
        let to = from.saturating_add(usize::try_from(bytes).unwrap_or(usize::MAX));
        tar.get(from..to.min(tar.len())).unwrap_or(&[])
    };
    for _ in 0..MOST_ENTRIES {
        let header = slice(start, BLOCK);
        if header.len() < TAR_BLOCK_BYTES || header.iter().all(|byte| *byte == 0) {
            break;
        }
        let flag = header.get(156).copied().unwrap_or(0);
        let own = members.iter().find(|member| member.header_offset == start);
        let size = header.get(124..136).and_then(tar_number);
        let Some(bytes) = own.map(|own| own.bytes).or(size) else { break };
        let prefix = match flag {
            b'x' => "pax.",
            b'g' => "global.",
            b'L' | b'K' => "long.",
            _ => "",
        };
        let end = start.saturating_add(BLOCK).saturating_add(bytes);
        if padded(end) <= at {
            start = padded(end);
            continue;
        }
        let mut out: Vec<RecordFieldInfo> =
            TAR_FIELDS.iter().map(|one| tar_field(one, header, start, prefix)).collect();
        let data = slice(start + BLOCK, bytes);
        let value = match prefix {
            "" => RecordValueInfo::None(()),
            _ => RecordValueInfo::Text(String::from_utf8_lossy(data).trim_end().to_owned()),
        };
        let meaning = if prefix.is_empty() { "the member" } else { "records of the format" };
        let made = field(&format!("{prefix}data"), start + BLOCK, bytes, "bytes", value, meaning);
        out.push(RecordFieldInfo { text: None, ..made });
        let left = padded(end).min(tar.len() as u64).saturating_sub(end);
        if left > 0 {
            out.push(padding(
                &format!("{prefix}fill"),
                end,
                slice(end, left),
                "fills the last block",
            ));
        }
        out.retain(|field| field.bytes > 0);
        return out;
    }
    if start >= tar.len() as u64 {
        return Vec::new();
    }
    let rest = slice(start, u64::MAX);
    vec![padding("end", start, rest, "two or more blocks of zeros end the archive")]
}

fn padded(at: u64) -> u64 {
    at.div_ceil(BLOCK).saturating_mul(BLOCK)
}

fn tar_field(one: &StoredField, header: &[u8], start: u64, prefix: &str) -> RecordFieldInfo {
    let made = stored_field(one, one.bytes_in(header), start, prefix);
    let text = match one.name {
        "typeflag" => Some(tar_kind(header.get(156).copied().unwrap_or(0)).into_owned()),
        "chksum" => {
            let right = tar_checksum(header);
            let holds = tar_number(one.bytes_in(header)) == Some(right);
            Some(if holds { "it holds".to_owned() } else { format!("it should be {right}") })
        }
        _ => made.text.clone(),
    };
    let unit = match one.name {
        "size" => Some("B".to_owned()),
        "mtime" => Some("s".to_owned()),
        _ => None,
    };
    RecordFieldInfo { text, unit, ..made }
}

/// The fields of a gzip header.
pub fn gzip_fields(header: &[u8]) -> Vec<RecordFieldInfo> {
    let mut out: Vec<RecordFieldInfo> =
        GZIP_FIELDS.iter().map(|one| stored_field(one, one.bytes_in(header), 0, "")).collect();
    let parts = gzip_parts(header).map_or(Vec::new(), |(_, parts)| parts);
    out.extend(parts.into_iter().map(|(name, at, bytes)| {
        let own = header.get(at..at + bytes).unwrap_or(&[]);
        let value = match name {
            "name" | "comment" => RecordValueInfo::Text(field_text(own)),
            "header_crc" => RecordValueInfo::Text(hex(little(own))),
            _ => RecordValueInfo::None(()),
        };
        let meaning = match name {
            "name" => "name of the file that was compressed",
            "comment" => "comment",
            "header_crc" => "check sum of the header",
            _ => "size and bytes of further parts",
        };
        let kind = if matches!(name, "name" | "comment") { "text" } else { "bytes" };
        field(name, at as u64, bytes as u64, kind, value, meaning)
    }));
    out
}

/// The fields of a gzip trailer.
pub fn gzip_trailer_fields(trailer: &[u8]) -> Vec<RecordFieldInfo> {
    GZIP_TRAILER_FIELDS.iter().map(|one| stored_field(one, one.bytes_in(trailer), 0, "")).collect()
}

fn little(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn stored_field(one: &StoredField, own: &[u8], start: u64, prefix: &str) -> RecordFieldInfo {
    let name = format!("{prefix}{}", one.name);
    let at = start + one.offset as u64;
    let number = RecordValueInfo::Number;
    let (kind, value, text) = match one.form {
        StoredForm::Padding => return padding(&name, at, own, one.meaning),
        StoredForm::Text => {
            (
                "text",
                RecordValueInfo::Text(field_text(own)),
                field_text_end(own).filter(|_| {
                    // A name may fill its field.
                    own.last() == Some(&0)
                }),
            )
        }
        StoredForm::Octal => match tar_number(own) {
            Some(value) => {
                ("octal", number(value), Some(format!("{value:#o}")).filter(|_| one.name == "mode"))
            }
            None => ("octal", RecordValueInfo::Text(field_text(own)), None),
        },
        StoredForm::Dec => (number_kind(own.len() as u64), number(little(own)), None),
        StoredForm::Hex => {
            (number_kind(own.len() as u64), RecordValueInfo::Text(hex(little(own))), None)
        }
        StoredForm::Char => ("text", RecordValueInfo::Text(field_text(own)), None),
    };
    RecordFieldInfo { text, ..field(&name, at, one.bytes as u64, kind, value, one.meaning) }
}

/// Bytes that fill up: said to be zero, or shown.
pub fn padding(name: &str, at: u64, own: &[u8], meaning: &str) -> RecordFieldInfo {
    let odd = own.iter().filter(|byte| **byte != 0).count();
    let text = match odd {
        0 => "zero".to_owned(),
        odd => format!("not zero: {odd} of {} bytes", own.len()),
    };
    let made = field(name, at, own.len() as u64, "padding", RecordValueInfo::None(()), meaning);
    RecordFieldInfo { text: Some(text), ..made }
}

/// A field without unit, spec and links.
pub(super) fn field(
    name: &str,
    offset: u64,
    bytes: u64,
    kind: &str,
    value: RecordValueInfo,
    meaning: &str,
) -> RecordFieldInfo {
    RecordFieldInfo {
        name: name.to_owned(),
        offset,
        bytes,
        value,
        kind: kind.to_owned(),
        unit: None,
        spec: None,
        meaning: meaning.to_owned(),
        provenance: Provenance::File,
        why: None,
        text: None,
        tag: None,
        link: None,
        links: Vec::new(),
    }
}
