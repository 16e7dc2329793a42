//! A patch list as the runtime grows it: rows and the room that is reserved for them.
//! Spec: docs/format/image.md "Patch lists" [observed].

use records::{PatchRow, PatchSection, PatchType};

use crate::layout::SLOT;

/// Room of a model's list at first, in rows.
/// Spec: docs/format/image.md "Patch lists" [observed].
pub const MODEL_CAPACITY: u32 = 8;
/// Room of the lists in which MAIN and FUNCTION rows are gathered, in rows.
/// Spec: docs/format/image.md "Patch lists" [observed].
pub const SECTION_CAPACITY: u32 = 0x400;

/// Rows in stored order, with the capacity that the runtime's list would have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchList {
    rows: Vec<PatchRow>,
    capacity: u32,
}

impl PatchList {
    /// An empty list with room for so many rows.
    pub const fn with_capacity(capacity: u32) -> Self {
        Self { rows: Vec::new(), capacity }
    }

    /// Room of a model's list that got so many rows by appending.
    pub fn capacity_of(rows: usize) -> u32 {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        rows.max(MODEL_CAPACITY).checked_next_power_of_two().unwrap_or(u32::MAX)
    }

    /// The rows.
    pub fn rows(&self) -> &[PatchRow] {
        &self.rows
    }

    /// Rows that there is room for.
    pub const fn capacity(&self) -> u32 {
        self.capacity
    }

    /// Appends a row; a count of 0 is no row. A full list doubles.
    pub fn append(&mut self, row: PatchRow) {
        if row.count == 0 {
            return;
        }
        if self.rows.len() >= self.capacity as usize {
            self.capacity = self.capacity.max(1).saturating_mul(2);
        }
        self.rows.push(row);
    }

    /// Appends a row by image slots. One that does not fit 32 bits is dropped: an image of that
    /// size is refused elsewhere.
    pub fn append_slots(
        &mut self,
        slot: usize,
        count: usize,
        kind: PatchType,
        section: PatchSection,
    ) {
        let offset = (slot as u64).saturating_mul(SLOT);
        if let Some((offset, count)) = u32::try_from(offset).ok().zip(u32::try_from(count).ok()) {
            self.append(PatchRow { offset, count, kind, section });
        }
    }

    /// Splices another list behind this one. A list that is too small grows to the next power of
    /// two of the sum.
    pub fn extend(&mut self, other: &PatchList) {
        let sum = self.rows.len().saturating_add(other.rows.len());
        if sum > self.capacity as usize {
            let grown = u32::try_from(sum).ok().and_then(u32::checked_next_power_of_two);
            self.capacity = grown.unwrap_or(u32::MAX);
        }
        self.rows.extend_from_slice(&other.rows);
    }

    /// The rows, without the list.
    pub fn into_rows(self) -> Vec<PatchRow> {
        self.rows
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(offset: u32, count: u32) -> PatchRow {
        PatchRow { offset, count, kind: PatchType::INSERT, section: PatchSection::MAIN }
    }

    /// 8, 16 by doubling; 16 + 30 rows make 64 by splicing, 2 rows more make no difference.
    #[test]
    fn appending_doubles_and_splicing_takes_the_next_power_of_two() {
        let mut list = PatchList::with_capacity(MODEL_CAPACITY);
        for n in 0..9 {
            list.append(row(n * 64, 1));
        }
        assert_eq!((list.rows().len(), list.capacity()), (9, 16));
        let mut part = PatchList::with_capacity(SECTION_CAPACITY);
        for n in 0..30 {
            part.append_slots(n, 1, PatchType::INSERT, PatchSection::MAIN);
        }
        assert_eq!(part.capacity(), SECTION_CAPACITY);
        list.extend(&part);
        assert_eq!((list.rows().len(), list.capacity()), (39, 64));
        list.extend(&part.clone());
        assert_eq!((list.rows().len(), list.capacity()), (69, 128));
    }

    #[test]
    fn a_row_without_a_count_is_not_stored() {
        let mut list = PatchList::with_capacity(0);
        list.append(row(0, 0));
        assert_eq!((list.rows().len(), list.capacity()), (0, 0));
        list.append(row(0, 1));
        assert_eq!(list.capacity(), 2);
    }
}
