//! A page of the bytes of a loader's record: its rows as elements, and the fields at a byte.

use super::bytes_parts::slot_fields;
use super::kbin::{field_info, find, tree};
use super::kbin_rows::{header_and_row, row_of};
use crate::answer::{BytesPart, Provenance, RecordFieldInfo};
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::names;
use crate::request::Scope;
use kbin::disasm;
use kbin::record::RecordId;
use kbin::{Kbin, RecordEntry};
use records::{SLOT_BYTES, Slot};
use std::sync::Arc;

/// A page of a record's bytes.
pub struct Page {
    /// Name of the file.
    pub file: String,
    /// Subgraph.
    pub subgraph: String,
    /// Bytes of the record.
    pub total: u64,
    /// Bytes of the page.
    pub bytes: Vec<u8>,
    /// Rows of the record that meet the page.
    pub parts: Vec<BytesPart>,
    /// Fields of the header, and of some rows from that with the byte asked about.
    pub fields: Vec<RecordFieldInfo>,
}

/// Rows of a record whose fields come with a page of its bytes.
const PAGE_ROWS: u64 = 4;
/// Rows that are elements of one page.
const MOST_PARTS: u64 = 4_096;

/// A page of a record's bytes with the fields at `at`.
///
/// # Errors
/// `record.unknown`.
pub fn page(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    name: &str,
    at: u64,
    from: u64,
    count: u64,
) -> Result<Page, ApiError> {
    let (file, _, tree) = tree(files, scope)?;
    let entry = find(&tree, name)?;
    let (id, total) = (entry.id, entry.bytes);
    let header = tree.shape(id).map_or(0, |shape| shape.header);
    let row = row_of(&tree, id, at);
    let is_code = matches!(id, RecordId::Engine(_));
    let rows = if at < header { 0 } else { PAGE_ROWS };
    let shown = tree.record_fields(file.package(), id, row, if is_code { 0 } else { rows });
    let mut fields: Vec<RecordFieldInfo> =
        shown.iter().map(|field| field_info(&tree, id, field)).collect();
    let bytes = |from: u64, count: u64| tree.record_bytes(file.package(), id, from, count);
    if is_code && at >= header {
        // The bytes of an instruction have fields of their own.
        let start = header + row * SLOT_BYTES as u64;
        let own = bytes(start, SLOT_BYTES as u64);
        match Slot::slice_of(&own).0.first() {
            Some(slot) => fields.extend(slot_fields(slot, start)),
            None => fields.extend(
                tree.record_fields(file.package(), id, row, 1)
                    .iter()
                    .filter(|field| field.offset >= header)
                    .map(|field| field_info(&tree, id, field)),
            ),
        }
    }
    let shown = bytes(from, count);
    let end = from.saturating_add(shown.len() as u64);
    Ok(Page {
        file: names::of_neff(files, file),
        subgraph: tree.subgraph.clone(),
        total,
        parts: parts(&tree, &entry, header, (from, end), &bytes),
        bytes: shown,
        fields,
    })
}

/// The header and the rows that meet some bytes.
fn parts(
    tree: &Kbin,
    entry: &RecordEntry,
    header: u64,
    (from, end): (u64, u64),
    bytes: &dyn Fn(u64, u64) -> Vec<u8>,
) -> Vec<BytesPart> {
    let part = |name: String, offset: u64, bytes: u64, text: String| BytesPart {
        name,
        offset,
        bytes,
        text,
        provenance: Provenance::File,
    };
    let mut out = Vec::new();
    if entry.rows == 0 || from >= end {
        return out;
    }
    if from < header {
        out.push(part("header".to_owned(), 0, header, entry.kind.to_owned()));
    }
    let first = if from < header { 0 } else { row_of(tree, entry.id, from) };
    let Some((_, stride)) = header_and_row(tree, entry.id) else { return out };
    for row in (first..entry.rows).take(MOST_PARTS as usize) {
        let start = header.saturating_add(row.saturating_mul(stride));
        if start >= end {
            break;
        }
        let size = stride.min(entry.bytes.saturating_sub(start));
        let text = match entry.id {
            RecordId::Engine(_) => {
                let own = bytes(start, SLOT_BYTES as u64);
                match Slot::slice_of(&own).0.first() {
                    Some(slot) => disasm::line(slot, disasm::Names::default()),
                    None => "bytes that are copied and not counted".to_owned(),
                }
            }
            _ => tree.row_text(entry.id, row),
        };
        out.push(part(tree.row_name(entry.id, row), start, size, text));
    }
    out
}
