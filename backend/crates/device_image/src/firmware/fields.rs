//! The fields of a struct with their values, ranges of bits apart.

use records::Provenance;
use records::collectives::AlgoNames;
use records::collectives::names::{HOST_ALGORITHM, MESH_EVENT, MESH_TYPE, mesh_event_words};
use records::kbin::names::NameTable;
use records::kbin::{Bits, Field, Form, Layout, Tag};

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DumpValue {
    /// Bytes without a known layout.
    None,
    /// One bit.
    Flag(bool),
    /// A number.
    Number(u64),
    /// A mask or word, written in hex.
    Hex(u64),
    /// An address in the device's address space.
    Address(u64),
    /// Several numbers.
    Numbers(Vec<u64>),
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DumpField {
    /// Name, with dots into inner structs and `[n]` for rows.
    pub name: String,
    /// First byte, from where the walk began.
    pub offset: u64,
    /// Size in bytes; of a range of bits, that of the number that has it.
    pub bytes: u64,
    /// Lowest bit and how many, for a range of bits.
    pub bits: Option<(u32, u32)>,
    /// The value.
    pub value: DumpValue,
    /// Name of the value.
    pub text: Option<String>,
    /// What it is.
    pub meaning: &'static str,
    /// Unit, or nothing.
    pub unit: &'static str,
    /// How sure its place is.
    pub tag: Tag,
    /// Where the value comes from: the file, or less sure than that.
    pub provenance: Provenance,
    /// Whether it is reserved or padding.
    pub is_reserved: bool,
    /// Heading of docs/format/collectives.md.
    pub spec: &'static str,
}

/// All fields of a struct whose bytes begin at `at` of whatever offsets count from.
pub fn fields(layout: &Layout, bytes: &[u8], at: u64, without: &[&str]) -> Vec<DumpField> {
    let mut out = Vec::new();
    walk(layout, bytes, at, "", without, &mut out);
    out
}

fn walk(
    layout: &Layout,
    bytes: &[u8],
    at: u64,
    prefix: &str,
    without: &[&str],
    out: &mut Vec<DumpField>,
) {
    for field in layout.fields.iter().filter(|field| !without.contains(&field.name)) {
        let own = field.bytes_in(bytes);
        // `type` is a word of the language, so the layout writes it with a line behind it.
        let name = format!("{prefix}{}", field.name.trim_end_matches('_'));
        let from = at + field.offset as u64;
        match field.form {
            Form::Record(inner) => walk(inner, own, from, &format!("{name}."), &[], out),
            Form::Records(inner) if inner.bytes > 0 => {
                for (index, row) in own.chunks_exact(inner.bytes).enumerate() {
                    let start = from + (index * inner.bytes) as u64;
                    walk(inner, row, start, &format!("{name}[{index}]."), &[], out);
                }
            }
            Form::Addresses => {
                for (index, word) in own.chunks(8).enumerate() {
                    let value = DumpValue::Address(number(word));
                    let base = plain(layout, field, format!("{name}[{index}]"), from, value);
                    let offset = from + index as u64 * 8;
                    out.push(DumpField { offset, bytes: word.len() as u64, ..base });
                }
            }
            Form::Bits(ranges) => {
                for range in ranges {
                    out.push(bits(layout, field, range, own, prefix, from));
                }
            }
            _ => {
                let (value, text) = value(field.form, own);
                out.push(DumpField { text, ..plain(layout, field, name, from, value) });
            }
        }
    }
}

/// The provenance of a value whose place is as sure as this.
const fn provenance(tag: Tag) -> Provenance {
    match tag {
        Tag::Observed => Provenance::File,
        Tag::Medium | Tag::Inferred => Provenance::Inferred,
    }
}

fn plain(layout: &Layout, field: &Field, name: String, offset: u64, value: DumpValue) -> DumpField {
    DumpField {
        name,
        offset,
        bytes: field.bytes as u64,
        bits: None,
        value,
        text: None,
        meaning: field.meaning,
        unit: field.unit,
        tag: field.tag,
        provenance: provenance(field.tag),
        is_reserved: matches!(field.form, Form::Padding) || field.name.starts_with("reserve"),
        spec: layout.spec,
    }
}

fn bits(
    layout: &Layout,
    field: &Field,
    range: &Bits,
    own: &[u8],
    prefix: &str,
    from: u64,
) -> DumpField {
    let number = range.of(number(own));
    let value = match range.width {
        1 => DumpValue::Flag(number == 1),
        _ if range.is_mask => DumpValue::Hex(number),
        _ => DumpValue::Number(number),
    };
    let reserved = matches!(range.name, "reserved" | "unused");
    // Two numbers of one entry have reserved bits.
    let name = match reserved {
        true => format!("{prefix}{}.{}", field.name, range.name),
        false => format!("{prefix}{}", range.name),
    };
    let text = range.names.and_then(|table| name_of(table, number));
    DumpField {
        bits: Some((range.low, range.width)),
        text,
        meaning: range.meaning,
        tag: range.tag,
        provenance: provenance(range.tag),
        is_reserved: reserved,
        ..plain(layout, field, name, from, value)
    }
}

/// The name of a value; an algorithm has one in each of its two readings, and what versions number
/// differently has one in each.
fn name_of(table: &'static NameTable, number: u64) -> Option<String> {
    if std::ptr::eq(table, &raw const HOST_ALGORITHM) {
        let number = u8::try_from(number).ok()?;
        let names = AlgoNames::ALL.map(|one| Some((one.algorithm(number)?, one.name())));
        let words: Vec<String> =
            names.into_iter().flatten().map(|(name, from)| format!("{name} ({from})")).collect();
        return (!words.is_empty()).then(|| words.join(", "));
    }
    let (now, older) = if std::ptr::eq(table, &raw const MESH_EVENT) {
        mesh_event_words(u8::try_from(number).ok()?)
    } else {
        // The older header has no meshes behind switches.
        let older = std::ptr::eq(table, &raw const MESH_TYPE) && number == 3;
        (table.name_of(i32::try_from(number).ok()?), older.then_some("INVALID"))
    };
    match (now, older) {
        (Some(now), Some(older)) => Some(format!("{now} (2.31), {older} (older headers)")),
        (None, Some(older)) => Some(format!("{older} (older headers)")),
        (now, None) => now.map(str::to_owned),
    }
}

fn number(bytes: &[u8]) -> u64 {
    bytes.iter().take(8).rev().fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn value(form: Form, bytes: &[u8]) -> (DumpValue, Option<String>) {
    let plain = |value| (value, None);
    match form {
        Form::Dec => plain(DumpValue::Number(number(bytes))),
        Form::Hex => plain(DumpValue::Hex(number(bytes))),
        Form::Address => plain(DumpValue::Address(number(bytes))),
        Form::Padding if bytes.len() <= 8 => plain(DumpValue::Hex(number(bytes))),
        Form::Name(table) => (DumpValue::Number(number(bytes)), name_of(table, number(bytes))),
        Form::DecArray(size) if size > 0 => {
            plain(DumpValue::Numbers(bytes.chunks(size).map(number).collect()))
        }
        _ => plain(DumpValue::None),
    }
}
