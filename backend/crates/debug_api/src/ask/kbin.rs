//! Answers `kbin`: the tree of records that a loader makes of a subgraph.

use super::kbin_about::{gate_info, generation_name, loader_options, verdict};
use super::kbin_links::{field_links, finding_links, record_links};
use super::kbin_rows::{Shown, row_of, row_start};
use super::records::{Hits, number_kind};
use crate::answer::{
    KbinAnswer, RecordFieldInfo, RecordInfo, RecordLink, RecordPart, RecordValueInfo, SCHEMA,
};
use crate::convert::{findings, hex_bytes, provenance};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::find::Words;
use crate::neff_file::NeffFile;
use crate::plain::{printable, range};
use crate::request::Scope;
use crate::scope;
use kbin::Kbin;
use kbin::record::{FieldValue, RecordEntry, RecordId, Target, Value};
use records::float::float_text;
use records::kbin::Tag;
use std::sync::Arc;

/// Records of one answer.
const MOST_RECORDS: u32 = 4_096;
/// Rows of one answer, and how many if no number is given.
const MOST_ROWS: u32 = 4_096;
const ROWS: u32 = 64;
/// Bytes of one answer, and how many if no number is given.
const MOST_BYTES: u32 = 65_536;
/// Rows whose fields are made at a time in a search.
const SEARCHED_ROWS: u64 = 512;
const BYTES: u32 = 4_096;

/// Which records or rows, and which bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Part {
    /// First record or row.
    pub from: u64,
    /// Records or rows.
    pub count: Option<u32>,
    /// Byte whose row is the first.
    pub at: Option<u64>,
    /// First byte.
    pub hex_from: Option<u64>,
    /// Bytes.
    pub hex_bytes: Option<u32>,
}

/// The tree of a scope.
///
/// # Errors
/// `file.unknown`, `file.no-neff`, `subgraph.unknown`, `subgraph.none`, `engine.unknown`.
pub fn tree<'a>(
    files: &'a [Arc<OpenFile>],
    scope: &Scope,
) -> Result<(&'a NeffFile, usize, Arc<Kbin>), ApiError> {
    let file = scope::neff(files, scope.f)?;
    let (index, subgraph) = scope::subgraph(file, scope)?;
    // A tree is that of a subgraph; an engine that is named has to be one all the same.
    scope::engine(scope)?;
    let tree = file.kbin_with(index, loader_options(scope)?).ok_or_else(|| {
        let message = format!("subgraph `{}` is gone", subgraph.name);
        ApiError::new(ErrorKind::NotFound, "subgraph.unknown", message)
    })?;
    Ok((file, index, tree))
}

/// All records.
pub fn list(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    part: Part,
    wanted: Option<&str>,
) -> Result<KbinAnswer, ApiError> {
    let (file, index, tree) = tree(files, scope)?;
    let words = Words::of(wanted);
    let entries = tree.records();
    let found: Vec<RecordInfo> = match words.is_empty() {
        true => entries.into_iter().map(info).collect(),
        false => {
            entries.into_iter().filter_map(|entry| searched(file, &tree, &words, entry)).collect()
        }
    };
    let total = found.len() as u64;
    let total_hits = found.iter().map(|record| record.total_hits).sum();
    let skip = usize::try_from(part.from).unwrap_or(usize::MAX);
    let count = part.count.unwrap_or(MOST_RECORDS).min(MOST_RECORDS);
    let records: Vec<RecordInfo> = found.into_iter().skip(skip).take(count as usize).collect();
    let shown =
        Shown { all: total, from: part.from, shown: records.len() as u64, most: MOST_RECORDS };
    let note = shown.note("record", part.count);
    let answer = answer((file, index), scope, &tree, part.from, total)?;
    Ok(KbinAnswer { records, total_hits, note, ..answer })
}

/// A record with the fields of its header and of all its rows that have the words; `None` where
/// neither they nor its name have them.
fn searched(file: &NeffFile, tree: &Kbin, words: &Words, entry: RecordEntry) -> Option<RecordInfo> {
    let named = words.in_text(&format!("{} {}", entry.name, entry.kind));
    let header = tree.shape(entry.id).map_or(0, |shape| shape.header);
    let mut hits = Hits::default();
    let mut row = 0;
    loop {
        for field in tree.record_fields(file.package(), entry.id, row, SEARCHED_ROWS) {
            let own = (field.offset >= header).then(|| row_of(tree, entry.id, field.offset));
            // The header comes with each page of rows.
            if own.is_some() || row == 0 {
                let own = own.filter(|_| entry.rows > 0);
                hits.look(words, &field_info(tree, entry.id, &field), own);
            }
        }
        row += SEARCHED_ROWS;
        if row >= entry.rows {
            break;
        }
    }
    (named || hits.total > 0).then(|| hits.of(named, info(entry)))
}

/// One record, with its fields and bytes.
///
/// # Errors
/// `record.unknown`; `bytes.past-end` for a byte that it does not have.
pub fn record(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    name: &str,
    part: Part,
) -> Result<KbinAnswer, ApiError> {
    let (file, index, tree) = tree(files, scope)?;
    let entry = find(&tree, name)?;
    if let Some(at) = part.at.filter(|at| *at >= entry.bytes.max(1)) {
        return Err(past_end(name, entry.bytes, at));
    }
    let rows = part.count.unwrap_or(ROWS).min(MOST_ROWS);
    let from = part.at.map_or(part.from, |at| row_of(&tree, entry.id, at));
    let part = Part { from, ..part };
    let fields = tree.record_fields(file.package(), entry.id, part.from, u64::from(rows));
    let start = if part.from > 0 { row_start(&tree, entry.id, part.from) } else { 0 };
    let hex_from = part.hex_from.unwrap_or(start).min(entry.bytes);
    let hex_bytes_wanted = part.hex_bytes.unwrap_or(BYTES).min(MOST_BYTES);
    let bytes = tree.record_bytes(file.package(), entry.id, hex_from, u64::from(hex_bytes_wanted));
    let total = tree.records().len() as u64;
    let id = entry.id;
    let shown = Shown {
        all: entry.rows,
        from: part.from,
        shown: entry.rows.saturating_sub(part.from).min(u64::from(rows)),
        most: MOST_ROWS,
    };
    // Without a number, a page is what is meant.
    let asks = part.count.is_some() || part.from >= entry.rows.max(1);
    let note = asks.then(|| shown.note("row", part.count)).flatten();
    let mut one = info(entry);
    one.part = Some(RecordPart {
        from: part.from,
        fields: fields.iter().map(|field| field_info(&tree, id, field)).collect(),
        links: record_links(&tree, id),
        hex_from,
        hex: hex_bytes(&bytes),
    });
    Ok(KbinAnswer {
        records: vec![one],
        note,
        ..answer((file, index), scope, &tree, part.from, total)?
    })
}

/// The bytes of some rows of a record: from the header on if they begin with row 0, else from that
/// row, up to the end of the last one.
///
/// # Errors
/// `record.unknown`, `bytes.past-end` where there is no such row.
pub fn rows_span(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    name: &str,
    from: u64,
    count: Option<u64>,
) -> Result<std::ops::Range<u64>, ApiError> {
    let (_, _, tree) = tree(files, scope)?;
    let entry = find(&tree, name)?;
    if from > 0 && from >= entry.rows {
        let message = format!("{name} has {} rows, so there is none at {from}", entry.rows);
        return Err(ApiError::new(ErrorKind::NotFound, "bytes.past-end", message));
    }
    let at = |row| row_start(&tree, entry.id, row).min(entry.bytes);
    let start = if from == 0 { 0 } else { at(from) };
    let end = count.map_or(entry.bytes, |count| at(from.saturating_add(count)));
    Ok(start..end)
}

/// Bytes of one record.
///
/// # Errors
/// `record.unknown`.
pub fn bytes(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    name: &str,
    from: u64,
) -> Result<Vec<u8>, ApiError> {
    let (file, _, tree) = tree(files, scope)?;
    let entry = find(&tree, name)?;
    Ok(tree.record_bytes(file.package(), entry.id, from, u64::MAX))
}

fn answer(
    (file, index): (&NeffFile, usize),
    scope: &Scope,
    tree: &Kbin,
    from: u64,
    total: u64,
) -> Result<KbinAnswer, ApiError> {
    let options = loader_options(scope)?;
    // Findings of the tree, which have links, then those of the documents that it was made from.
    let mut diagnostics = findings(tree.notes.findings.as_slice());
    let mut links = finding_links(tree);
    for finding in file.tree_findings(index) {
        let at = &finding.at;
        let link = RecordLink {
            label: "in the file".to_owned(),
            member: at.member.clone(),
            offset: at.offset.unwrap_or(0),
            ..RecordLink::default()
        };
        links.push(at.member.is_some().then_some(link).into_iter().collect());
        diagnostics.push(finding);
    }
    let (verdict, verdict_text) = verdict(tree, &diagnostics);
    Ok(KbinAnswer {
        schema: SCHEMA,
        verdict: verdict.to_owned(),
        verdict_text,
        subgraph: tree.subgraph.clone(),
        target: tree.target.name().unwrap_or("INVALID").to_owned(),
        target_provenance: provenance(tree.target_from),
        default_library: generation_name(options.default_library),
        default_library_provenance: provenance(match scope.library {
            Some(_) => records::Provenance::Configured,
            None => records::Provenance::Modelled,
        }),
        from,
        total,
        total_hits: 0,
        records: Vec::new(),
        note: None,
        gates: tree.notes.gates.iter().map(gate_info).collect(),
        diagnostics,
        links,
    })
}

/// A byte beyond the end of what is named.
pub(super) fn past_end(name: &str, total: u64, at: u64) -> ApiError {
    let name = printable(name);
    let message = match total {
        0 => format!("{name} has no bytes, so there is none at {at:#x}"),
        _ => format!("{name} has bytes {}, so there is none at {at:#x}", range(0, total)),
    };
    ApiError::new(ErrorKind::NotFound, "bytes.past-end", message)
}

/// A record by its name.
///
/// # Errors
/// `record.unknown`.
pub(super) fn find(tree: &Kbin, name: &str) -> Result<RecordEntry, ApiError> {
    let found = tree.record_of_name(name).and_then(|id| tree.entry(id));
    found.ok_or_else(|| {
        let shown: String = name.chars().take(64).collect();
        ApiError::new(
            ErrorKind::NotFound,
            "record.unknown",
            format!(
                "{} has no record `{shown}`; names are such as kbin, engine.PE or mem_ref_set, and \
                 the list of records has them all",
                tree.subgraph
            ),
        )
    })
}

fn info(entry: RecordEntry) -> RecordInfo {
    RecordInfo {
        name: entry.name,
        kind: entry.kind.to_owned(),
        bytes: entry.bytes,
        model_offset: None,
        hit: None,
        total_hits: 0,
        hits: Vec::new(),
        rows: Some(entry.rows),
        part: None,
    }
}

/// A field as a document shows it.
pub fn field_info(tree: &Kbin, id: RecordId, field: &FieldValue) -> RecordFieldInfo {
    let (text, link) = match &field.target {
        None => (None, None),
        Some(Target::Null) => (Some("NULL".to_owned()), None),
        Some(Target::Text(text)) => (Some(text.clone()), None),
        Some(Target::Loader) => (Some("comes with the loader".to_owned()), None),
        Some(Target::Record(id, offset)) => {
            let record = tree.record_name(*id);
            let link = RecordLink {
                label: row_label(tree, *id, *offset),
                record: Some(record.clone()),
                offset: *offset,
                ..RecordLink::default()
            };
            (Some(record), Some(link))
        }
        Some(Target::Member(content)) => {
            let link = RecordLink {
                member: Some(content.member.clone()),
                offset: content.offset,
                bytes: Some(content.bytes),
                ..RecordLink::default()
            };
            (Some(content.member.clone()), Some(link))
        }
    };
    RecordFieldInfo {
        name: field.name.clone(),
        offset: field.offset,
        bytes: field.bytes,
        value: match &field.value {
            Value::None => RecordValueInfo::None(()),
            Value::Flag(flag) => RecordValueInfo::Flag(*flag),
            Value::Number(number) => RecordValueInfo::Number(*number),
            Value::Signed(number) => RecordValueInfo::Signed(*number),
            Value::Float(number) => RecordValueInfo::Text(float_text(*number)),
            Value::Floats(numbers) => {
                let texts: Vec<String> = numbers.iter().map(|one| float_text(*one)).collect();
                RecordValueInfo::Text(format!("[{}]", texts.join(", ")))
            }
            Value::Text(text) => RecordValueInfo::Text(text.clone()),
            Value::Numbers(numbers) => RecordValueInfo::Numbers(numbers.clone()),
            Value::SignedNumbers(numbers) => RecordValueInfo::SignedNumbers(numbers.clone()),
        },
        kind: kind(field).to_owned(),
        meaning: field.meaning.to_owned(),
        provenance: provenance(field.provenance),
        why: Some(field.why).filter(|why| !why.is_empty()).map(str::to_owned),
        links: field_links(tree, id, field),
        text: field.text.clone().or(text),
        unit: Some(field.unit).filter(|unit| !unit.is_empty()).map(str::to_owned),
        tag: (field.tag != Tag::Observed).then(|| field.tag.name().to_owned()),
        spec: Some(format!("docs/format/kbin.md \"{}\"", field.spec)),
        link,
    }
}

/// The row of the table of variables that a link leads to; nothing for other records, whose name
/// says enough.
fn row_label(tree: &Kbin, id: RecordId, offset: u64) -> String {
    match id {
        RecordId::MemRefSet if offset > 0 => format!("mem[{}]", row_of(tree, id, offset)),
        _ => String::new(),
    }
}

/// Type of a field in a word.
fn kind(field: &FieldValue) -> &'static str {
    let leads = matches!(
        field.target,
        Some(Target::Null | Target::Loader | Target::Record(..) | Target::Member(_))
    );
    match &field.value {
        _ if field.is_padding => "padding",
        _ if field.name.starts_with("instr[") => "instruction",
        _ if leads && field.bytes == 8 => "pointer",
        Value::Flag(_) => "bool",
        Value::Text(_) => "text",
        Value::Float(_) => {
            if field.bytes == 8 {
                "f64"
            } else {
                "f32"
            }
        }
        Value::Number(_) => number_kind(field.bytes),
        Value::Signed(_) => match field.bytes {
            1 => "i8",
            2 => "i16",
            4 => "i32",
            _ => "i64",
        },
        Value::Numbers(_) | Value::SignedNumbers(_) | Value::Floats(_) => "array",
        Value::None => "bytes",
    }
}
