//! Rows of the Code pane that have been loaded: chunks of 256, the least recently shown leave first.

use debug_api::{Block, ColumnsRequest, Scope};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Rows of one chunk.
pub const CHUNK_ROWS: u64 = 256;
/// Chunks kept: 16,384 rows, about 3 MB.
pub const MAX_CHUNKS: usize = 64;
/// Chunks asked for at once.
const MAX_ASKED: usize = 4;

/// One loaded row: its block and its place in it.
#[derive(Clone, Debug)]
pub struct Row {
    block: Rc<Block>,
    at: usize,
}

/// What a loaded row is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A slot of the image.
    Slot,
    /// A record that is in no image slot.
    Deleted,
    /// The head of a region.
    Divider,
}

impl Row {
    /// What it is.
    pub fn kind(&self) -> Kind {
        match self.block.u8("kind", self.at) {
            1 => Kind::Deleted,
            2 => Kind::Divider,
            _ => Kind::Slot,
        }
    }

    /// Image slot.
    pub fn slot(&self) -> Option<u32> {
        match self.block.u32("slot", self.at) {
            u32::MAX => None,
            slot => Some(slot),
        }
    }

    /// NEFF IP.
    pub fn ip(&self) -> Option<u32> {
        match self.block.u32("ip", self.at) {
            0 => None,
            ip => Some(ip),
        }
    }

    /// A u8 column.
    pub fn u8(&self, column: &str) -> u8 {
        self.block.u8(column, self.at)
    }

    /// A u32 column.
    pub fn u32(&self, column: &str) -> u32 {
        self.block.u32(column, self.at)
    }

    /// A text column.
    pub fn text(&self, column: &str) -> &str {
        self.block.text(column, self.at)
    }

    /// A column of 64 bytes a row.
    pub fn record(&self, column: &str) -> &[u8] {
        self.block.slot(column, self.at)
    }

    /// The 64 bytes; none for a divider.
    pub fn bytes(&self) -> &[u8] {
        self.block.slot("bytes", self.at)
    }
}

/// The loaded rows of one image.
#[derive(Clone, Debug, Default)]
pub struct RowStore {
    scope: Scope,
    /// Which columns; `code` if none is named.
    what: &'static str,
    rows: u64,
    serial: u32,
    clock: u64,
    chunks: BTreeMap<u64, (u64, Rc<Block>)>,
    asked: BTreeSet<u64>,
}

impl RowStore {
    /// Starts an image of `rows` rows. Nothing changes if it is the present one.
    pub fn open(&mut self, scope: Scope, rows: u64) {
        if self.rows != 0 && self.scope == scope && self.rows == rows {
            return;
        }
        *self = Self { scope, rows, serial: self.serial.wrapping_add(1).max(1), ..Self::default() };
    }

    /// Starts rows of other columns than those of the Code pane.
    pub fn open_what(&mut self, what: &'static str, scope: Scope, rows: u64) {
        self.open(scope, rows);
        self.what = what;
    }

    /// An empty store whose next image gets a number after `serial`, so that late rows of the
    /// images before are not taken for its own.
    pub fn after(serial: u32) -> Self {
        Self { serial, ..Self::default() }
    }

    /// Number of the image, new for each; 0 before the first.
    pub const fn serial(&self) -> u32 {
        self.serial
    }

    /// Subgraph, engine and build of the image.
    pub const fn scope(&self) -> &Scope {
        &self.scope
    }

    /// Rows of the image.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Whether a row of the image has been loaded.
    pub fn has_any(&self) -> bool {
        !self.chunks.is_empty()
    }

    /// A row, if it has been loaded.
    pub fn get(&self, row: u64) -> Option<Row> {
        let (_, block) = self.chunks.get(&(row / CHUNK_ROWS))?;
        let at = usize::try_from(row.checked_sub(block.from)?).ok()?;
        (at < usize::try_from(block.rows).ok()?).then(|| Row { block: Rc::clone(block), at })
    }

    /// The chunks to ask for so that `first..last` can be shown, nearest first, and the next one
    /// on both sides. They count as asked for from now on.
    pub fn want(&mut self, first: u64, last: u64) -> Vec<u64> {
        self.clock += 1;
        let last = last.min(self.rows);
        if first >= last {
            return Vec::new();
        }
        let (low, high) = (first / CHUNK_ROWS, (last - 1) / CHUNK_ROWS);
        for (_, (used, _)) in self.chunks.range_mut(low..=high) {
            *used = self.clock;
        }
        let most = (self.rows - 1) / CHUNK_ROWS;
        let inside = low..=high;
        let around = [high.checked_add(1).filter(|next| *next <= most), low.checked_sub(1)];
        let mut wanted = Vec::new();
        for chunk in inside.chain(around.into_iter().flatten()) {
            let free = self.asked.len() < MAX_ASKED || (low..=high).contains(&chunk);
            if free && !self.chunks.contains_key(&chunk) && self.asked.insert(chunk) {
                wanted.push(chunk);
            }
        }
        wanted
    }

    /// The request for a chunk.
    pub fn request(&self, chunk: u64) -> ColumnsRequest {
        ColumnsRequest {
            what: if self.what.is_empty() { "code" } else { self.what }.to_owned(),
            scope: self.scope.clone(),
            from: chunk * CHUNK_ROWS,
            count: CHUNK_ROWS as u32,
            ..ColumnsRequest::default()
        }
    }

    /// A chunk arrived. One of another image, or one that does not start where it should, is not
    /// taken; the answer says whether it was.
    pub fn put(&mut self, serial: u32, chunk: u64, block: Block) -> bool {
        if serial != self.serial || !self.asked.remove(&chunk) || block.from != chunk * CHUNK_ROWS {
            return false;
        }
        self.clock += 1;
        self.chunks.insert(chunk, (self.clock, Rc::new(block)));
        while self.chunks.len() > MAX_CHUNKS {
            let oldest = self.chunks.iter().min_by_key(|(_, (used, _))| *used).map(|(at, _)| *at);
            let Some(oldest) = oldest else { break };
            self.chunks.remove(&oldest);
        }
        true
    }

    /// A chunk could not be loaded; it may be asked for again.
    pub fn failed(&mut self, serial: u32, chunk: u64) {
        if serial == self.serial {
            self.asked.remove(&chunk);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use debug_api::columns::Column;

    /// Rows `from..from + rows` with slot = row and IP = row + 1.
    pub(crate) fn block(from: u64, rows: u32) -> Block {
        let numbers = || from as u32..from as u32 + rows;
        let mut columns = BTreeMap::new();
        columns.insert("slot".to_owned(), Column::U32(numbers().collect()));
        columns.insert("ip".to_owned(), Column::U32(numbers().map(|row| row + 1).collect()));
        Block { from, total: 100_000, rows, columns }
    }

    fn opened(rows: u64) -> RowStore {
        let mut store = RowStore::default();
        store.open(Scope { e: Some("PE".to_owned()), ..Scope::default() }, rows);
        store
    }

    #[test]
    fn chunks_are_asked_for_once_with_their_neighbors() {
        let mut store = opened(100_000);
        assert_eq!(store.want(300, 340), [1, 2, 0]);
        assert_eq!(store.want(300, 340), Vec::<u64>::new());
        assert!(store.get(300).is_none());
        assert!(store.put(1, 1, block(256, 256)));
        assert_eq!(store.get(300).and_then(|row| row.slot()), Some(300));
        assert_eq!(store.get(300).and_then(|row| row.ip()), Some(301));
        assert_eq!(store.request(1).from, 256);
        assert_eq!(store.request(1).count, 256);
    }

    #[test]
    fn a_window_over_two_chunks_asks_for_both() {
        let mut store = opened(600);
        assert_eq!(store.want(250, 260), [0, 1, 2]);
        assert_eq!(opened(600).want(590, 700), [2, 1]);
        assert_eq!(opened(0).want(0, 10), Vec::<u64>::new());
    }

    #[test]
    fn a_late_chunk_of_another_image_is_not_taken() {
        let mut store = opened(1_000);
        store.want(0, 10);
        store.open(Scope { e: Some("SP".to_owned()), ..Scope::default() }, 500);
        assert_eq!(store.serial(), 2);
        assert!(!store.put(1, 0, block(0, 256)));
        store.want(0, 10);
        assert!(!store.put(2, 0, block(256, 256)), "starts at the wrong row");
        assert!(!store.has_any());
    }

    #[test]
    fn a_failed_chunk_is_asked_for_again() {
        let mut store = opened(200);
        assert_eq!(store.want(0, 10), [0]);
        store.failed(1, 0);
        assert_eq!(store.want(0, 10), [0]);
    }

    #[test]
    fn the_least_recently_shown_chunk_leaves_first() {
        let mut store = opened(100_000);
        for chunk in 0..MAX_CHUNKS as u64 {
            store.want(chunk * 256, chunk * 256 + 1);
            store.put(1, chunk, block(chunk * 256, 256));
        }
        store.want(0, 1);
        let next = MAX_CHUNKS as u64;
        store.want(next * 256, next * 256 + 1);
        assert!(store.put(1, next, block(next * 256, 256)));
        assert!(store.get(0).is_some(), "shown a moment ago");
        assert!(store.get(256).is_none(), "the oldest");
        assert!(store.get(next * 256).is_some());
    }

    #[test]
    fn rows_past_the_end_of_a_short_block_are_missing() {
        let mut store = opened(300);
        store.want(256, 300);
        assert!(store.put(1, 1, block(256, 44)));
        assert!(store.get(299).is_some());
        assert!(store.get(300).is_none());
    }
}
