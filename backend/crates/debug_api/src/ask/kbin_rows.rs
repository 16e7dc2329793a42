//! Rows of a record: where they are, and which of them an answer has.

use kbin::Kbin;
use kbin::record::RecordId;
use records::SLOT_BYTES;

/// What of a list is shown.
pub struct Shown {
    /// Records or rows that there are.
    pub all: u64,
    /// First one shown.
    pub from: u64,
    /// How many are shown.
    pub shown: u64,
    /// The most of one answer.
    pub most: u32,
}

impl Shown {
    /// What is not shown, in words; nothing where all that was asked for is there.
    pub fn note(&self, what: &str, asked: Option<u32>) -> Option<String> {
        let Self { all, from, shown, most } = *self;
        let end = from.saturating_add(shown);
        let are = if all == 1 { format!("is 1 {what}") } else { format!("are {all} {what}s") };
        if from > 0 && from >= all {
            return Some(format!("there {are}, so there is none at {from}"));
        }
        if end >= all {
            return None;
        }
        let limit = match asked {
            Some(asked) if asked > most => format!(", {most} are the most of one answer"),
            _ => String::new(),
        };
        Some(format!(
            "{what}s {from} to {} of {all}{limit}; the next one is {end} (`from`)",
            end.saturating_sub(1)
        ))
    }
}

/// Bytes before the first row, and bytes of a row.
pub fn header_and_row(tree: &Kbin, id: RecordId) -> Option<(u64, u64)> {
    let shape = tree.shape(id)?;
    // Rows of code are slots.
    let is_code = matches!(id, RecordId::Engine(_));
    let stride = if is_code { SLOT_BYTES as u64 } else { shape.stride };
    Some((shape.header, stride))
}

/// The first byte of a row.
pub fn row_start(tree: &Kbin, id: RecordId, row: u64) -> u64 {
    let Some((header, stride)) = header_and_row(tree, id) else { return 0 };
    header.saturating_add(row.saturating_mul(stride))
}

/// The row that has a byte; the first one for bytes of the header.
pub fn row_of(tree: &Kbin, id: RecordId, at: u64) -> u64 {
    let Some((header, stride)) = header_and_row(tree, id) else { return 0 };
    at.saturating_sub(header).checked_div(stride).unwrap_or(0)
}
