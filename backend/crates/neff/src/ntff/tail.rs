//! Which bytes of the tail belong to which slice.
//!
//! Slices of a hostile file can lie over each other. Each byte is given to one slice at most, so
//! that reading all of them is bounded by the size of the file.

use crate::ntff::reader::Reader;
use crate::ntff::subgraph::{Slice, SubgraphCapture};
use records::ByteSpan;
use records::trace_record::TRACE_RECORD_BYTES;

/// Size of a record.
const RECORD: u64 = TRACE_RECORD_BYTES as u64;

/// Sets the place of every slice's records, and reports slices that leave the tail or meet.
/// Spec: docs/format/ntff.md "Slices" [observed].
pub(super) fn place_slices(
    reader: &mut Reader<'_>,
    tail: ByteSpan,
    subgraphs: &mut [SubgraphCapture],
) {
    let mut slices: Vec<&mut Slice> = Vec::new();
    for slice in subgraphs.iter_mut().flat_map(|subgraph| &mut subgraph.slices) {
        slice.records = ByteSpan::of(tail.start.saturating_add(slice.offset.min(tail.len())), 0);
        if slice.bytes > 0 {
            slices.push(slice);
        }
    }
    // A stable sort: of slices that start together all but the largest end at once.
    slices.sort_by_key(|slice| (slice.offset, slice.bytes));
    let starts: Vec<u64> = slices.iter().skip(1).map(|slice| slice.offset).collect();
    let next = starts.into_iter().chain([u64::MAX]);
    let mut covered = 0_u64;
    let mut unnamed = 0_u64;
    for (slice, next) in slices.into_iter().zip(next) {
        let end = slice.offset.saturating_add(slice.bytes);
        if end > tail.len() {
            let message = format!(
                "the slice {:#x}..{end:#x} of the tail leaves the file, whose tail has \
                 {:#x} bytes; what is there is read",
                slice.offset,
                tail.len()
            );
            reader.error("ntff.slice", slice.at, message);
        }
        if end > next {
            let message = format!(
                "the slice {:#x}..{end:#x} of the tail meets the one that starts at \
                 {next:#x}; it is read up to there",
                slice.offset
            );
            reader.error("ntff.slice-overlap", slice.at, message);
        }
        if !slice.bytes.is_multiple_of(RECORD) {
            let message = format!(
                "a slice has {} bytes, expected a multiple of {RECORD}; its last bytes are no \
                 record",
                slice.bytes
            );
            reader.warning("ntff.slice-size", slice.at, message);
        }
        let start = slice.offset.min(tail.len());
        let end = end.min(next).min(tail.len()).max(start);
        let whole = (end - start) / RECORD * RECORD;
        slice.records = ByteSpan::of(tail.start.saturating_add(start), whole);
        unnamed += start.saturating_sub(covered);
        covered = covered.max(end);
    }
    unnamed += tail.len().saturating_sub(covered);
    if unnamed > 0 {
        let message =
            format!("{unnamed} of the {} bytes of the tail belong to no slice", tail.len());
        reader.warning("ntff.tail-gap", tail.start, message);
    }
}
