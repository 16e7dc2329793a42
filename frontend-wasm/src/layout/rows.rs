//! The virtual scroller: which rows are on screen, and where.
//!
//! Browsers clamp the height of an element (Chromium at 33,554,432 px), so the scrolled element is
//! at most [`MAX_PX`] high and its position is mapped to the rows: exactly for small moves,
//! proportionally for large ones. Below that height the mapping is the identity.

/// Greatest height of the scrolled element in px.
pub const MAX_PX: f64 = 1e7;
/// Height of a slot row in px.
pub const ROW_PX: f64 = 23.0;
/// Height of a divider row in px.
pub const DIVIDER_PX: f64 = 24.0;
/// Rows kept above and below the window.
pub const OVERSCAN: u64 = 8;

/// Heights of all rows of an image.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heights {
    rows: u64,
    dividers: Vec<u64>,
    open: Option<(u64, f64)>,
}

impl Heights {
    /// `rows` rows of which `dividers` (ascending) are dividers.
    pub const fn new(rows: u64, dividers: Vec<u64>) -> Self {
        Self { rows, dividers, open: None }
    }

    /// Number of rows.
    pub const fn rows(&self) -> u64 {
        self.rows
    }

    /// Lets an open row take `px` more below it, or no row.
    pub fn set_open(&mut self, open: Option<(u64, f64)>) {
        self.open = open;
    }

    /// The open row and the px below it.
    pub const fn open(&self) -> Option<(u64, f64)> {
        self.open
    }

    /// Top of a row in px from the top of the first; of the end for a row past it.
    pub fn top(&self, row: u64) -> f64 {
        let row = row.min(self.rows);
        let dividers = self.dividers.partition_point(|divider| *divider < row);
        let open = self.open.map_or(0.0, |(open, px)| if row > open { px } else { 0.0 });
        px(row) * ROW_PX + px(dividers as u64) * (DIVIDER_PX - ROW_PX) + open
    }

    /// Height of a row without what is open under it.
    pub fn height(&self, row: u64) -> f64 {
        if self.dividers.binary_search(&row).is_ok() { DIVIDER_PX } else { ROW_PX }
    }

    /// Height of all rows.
    pub fn total(&self) -> f64 {
        self.top(self.rows)
    }

    /// The row at `y` px; the last row past the end, 0 if there are none.
    pub fn row_at(&self, y: f64) -> u64 {
        let (mut low, mut high) = (0, self.rows);
        while low < high {
            let middle = low + (high - low) / 2;
            if self.top(middle + 1) <= y {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        low.min(self.rows.saturating_sub(1))
    }
}

/// Position of the window over the rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scroller {
    total: f64,
    view: f64,
    /// Top of the window over the rows in px.
    offset: f64,
    /// Scroll position of the element that belongs to `offset`.
    physical: f64,
}

impl Scroller {
    /// Takes a new height of the rows and of the window. The rows at the top stay where they are;
    /// the element may need to be scrolled to [`Self::physical`].
    pub fn resize(&mut self, total: f64, view: f64) {
        let total = total.max(0.0);
        if total == self.total && view == self.view {
            return;
        }
        self.total = total;
        self.view = view;
        self.move_to(self.offset);
    }

    /// Height of the scrolled element.
    pub const fn element_px(&self) -> f64 {
        self.total.min(MAX_PX)
    }

    /// Top of the window over the rows.
    pub const fn offset(&self) -> f64 {
        self.offset
    }

    /// Scroll position that the element should have.
    pub const fn physical(&self) -> f64 {
        self.physical
    }

    /// Height of the window.
    pub const fn view(&self) -> f64 {
        self.view
    }

    /// What to subtract from the top of a row to get its place in the scrolled element.
    pub const fn origin(&self) -> f64 {
        self.offset - self.physical
    }

    /// The element was scrolled to `physical`. Moves of up to two windows are exact.
    pub fn scrolled(&mut self, physical: f64) {
        let delta = physical - self.physical;
        self.offset = if self.total <= MAX_PX {
            physical
        } else if delta.abs() <= self.view * 2.0 {
            self.offset + delta
        } else {
            physical / self.most_physical() * self.most_offset()
        };
        self.offset = self.offset.clamp(0.0, self.most_offset());
        self.physical = physical;
    }

    /// Moves the window so that `offset` px is its top.
    pub fn move_to(&mut self, offset: f64) {
        self.offset = offset.clamp(0.0, self.most_offset());
        self.physical = self.settled();
    }

    /// After scrolling has come to rest: whether the element has to be scrolled to the place that
    /// belongs to the offset. Many small moves would else run out of element before rows.
    pub fn settle(&mut self) -> bool {
        let settled = self.settled();
        let moved = (settled - self.physical).abs() >= 1.0;
        self.physical = settled;
        moved
    }

    /// Whether the element is so near its end that settling cannot wait.
    pub fn must_settle(&self) -> bool {
        let at_top = self.physical < self.view && self.offset > self.physical;
        let room = self.most_physical() - self.physical;
        let at_end = room < self.view && self.most_offset() - self.offset > room + 1.0;
        self.total > MAX_PX && (at_top || at_end)
    }

    /// Rows to keep in the document: those in the window and [`OVERSCAN`] on both sides, as a
    /// half-open range.
    pub fn window(&self, heights: &Heights) -> (u64, u64) {
        if heights.rows() == 0 {
            return (0, 0);
        }
        let (first, last) = self.visible(heights);
        (first.saturating_sub(OVERSCAN), (last + OVERSCAN).min(heights.rows()))
    }

    /// Rows in the window, at least in part, as a half-open range.
    pub fn visible(&self, heights: &Heights) -> (u64, u64) {
        let first = heights.row_at(self.offset);
        let last = heights.row_at(self.offset + self.view.max(1.0) - 1.0);
        (first, (last + 1).min(heights.rows()))
    }

    /// The offset that brings a row into the window: none if it is inside, else with the row at
    /// about a third of the window, so that what comes before it can be read too. A neighbor just
    /// outside only moves the window as far as needed.
    pub fn reveal(&self, heights: &Heights, row: u64) -> Option<f64> {
        let top = heights.top(row);
        let open = heights.open().map_or(0.0, |(open, px)| if open == row { px } else { 0.0 });
        let bottom = top + heights.height(row) + open.min(self.view - ROW_PX).max(0.0);
        let end = self.offset + self.view;
        if top >= self.offset && bottom <= end {
            return None;
        }
        if top < self.offset && self.offset - top <= ROW_PX * 2.0 {
            return Some(top);
        }
        if bottom > end && bottom - end <= ROW_PX * 2.0 + open {
            return Some(bottom - self.view);
        }
        let above = heights.row_at((top - self.view / 3.0).max(0.0));
        Some(heights.top(above).min(self.most_offset()))
    }

    fn settled(&self) -> f64 {
        if self.total <= MAX_PX || self.most_offset() <= 0.0 {
            return self.offset;
        }
        (self.offset / self.most_offset() * self.most_physical()).round()
    }

    fn most_offset(&self) -> f64 {
        (self.total - self.view).max(0.0)
    }

    fn most_physical(&self) -> f64 {
        (self.element_px() - self.view).max(0.0)
    }
}

/// Row counts stay far below 2^53, where f64 is exact.
#[allow(clippy::cast_precision_loss, reason = "exact below 2^53")]
const fn px(rows: u64) -> f64 {
    rows as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tops_count_dividers_and_the_open_row() {
        let mut heights = Heights::new(10, vec![0, 4]);
        assert_eq!(heights.top(0), 0.0);
        assert_eq!(heights.top(1), 24.0);
        assert_eq!(heights.top(5), 24.0 + 3.0 * 23.0 + 24.0);
        assert_eq!(heights.total(), 2.0 * 24.0 + 8.0 * 23.0);
        heights.set_open(Some((5, 94.0)));
        assert_eq!(heights.top(5), 117.0);
        assert_eq!(heights.top(6), 117.0 + 23.0 + 94.0);
        assert_eq!(heights.row_at(117.0 + 23.0 + 93.0), 5);
        assert_eq!(heights.row_at(117.0 + 23.0 + 94.0), 6);
        assert_eq!(heights.row_at(0.0), 0);
        assert_eq!(heights.row_at(23.9), 0);
        assert_eq!(heights.row_at(24.0), 1);
        assert_eq!(heights.row_at(1e9), 9);
        assert_eq!(Heights::default().row_at(5.0), 0);
    }

    #[test]
    fn a_list_that_fits_is_scrolled_one_to_one() {
        let heights = Heights::new(262_983, vec![0]);
        let mut scroller = Scroller::default();
        scroller.resize(heights.total(), 460.0);
        assert_eq!(scroller.element_px(), 262_983.0 * 23.0 + 1.0);
        scroller.scrolled(3_000_000.0);
        assert_eq!(scroller.offset(), 3_000_000.0);
        assert_eq!(scroller.origin(), 0.0);
        assert!(!scroller.settle());
        // 3,000,000 - 1 = 130,434.7 rows of 23 px.
        assert_eq!(scroller.visible(&heights), (130_434, 130_455));
        assert_eq!(scroller.window(&heights), (130_426, 130_463));
    }

    #[test]
    fn small_moves_in_a_huge_list_are_exact_and_large_ones_proportional() {
        let heights = Heights::new(10_000_000, Vec::new());
        let mut scroller = Scroller::default();
        scroller.resize(heights.total(), 500.0);
        assert_eq!(scroller.element_px(), 1e7);
        scroller.scrolled(46.0);
        assert_eq!(scroller.offset(), 46.0);
        scroller.scrolled(5_000_000.0);
        let half = 5_000_000.0 / (1e7 - 500.0) * (2.3e8 - 500.0);
        assert!((scroller.offset() - half).abs() < 1e-3);
        let before = scroller.offset();
        scroller.scrolled(5_000_023.0);
        assert!((scroller.offset() - before - 23.0).abs() < 1e-3, "one row on");
        assert!(scroller.settle(), "the element is 22 px too far");
        assert!((scroller.physical() - 5_000_001.0).abs() <= 1.0);
        scroller.scrolled(1e7 - 500.0);
        assert_eq!(scroller.offset(), 2.3e8 - 500.0);
        assert_eq!(scroller.visible(&heights).1, 10_000_000);
    }

    #[test]
    fn the_element_never_ends_before_the_rows() {
        let mut scroller = Scroller::default();
        scroller.resize(2.3e8, 500.0);
        // Just below the top by a move, then up in small moves: the element reaches 0 first.
        scroller.move_to(10_000.0);
        assert_eq!(scroller.physical(), 435.0);
        assert!(scroller.must_settle());
        scroller.move_to(2.3e8 - 500.0 - 10_000.0);
        assert!(scroller.must_settle());
        scroller.move_to(1e8);
        assert!(!scroller.must_settle());
        scroller.move_to(0.0);
        assert!(!scroller.must_settle());
    }

    #[test]
    fn a_row_inside_the_window_is_not_moved() {
        let heights = Heights::new(1_000, Vec::new());
        let mut scroller = Scroller::default();
        scroller.resize(heights.total(), 460.0);
        scroller.move_to(2_300.0);
        assert_eq!(scroller.reveal(&heights, 100), None);
        assert_eq!(scroller.reveal(&heights, 119), None);
        assert_eq!(scroller.reveal(&heights, 120), Some(2_323.0), "one row on");
        assert_eq!(scroller.reveal(&heights, 99), Some(2_277.0), "one row back");
        let far = scroller.reveal(&heights, 500).unwrap_or_default();
        assert_eq!(far, 11_500.0 - 7.0 * 23.0, "a whole row at the top, a third of the way");
        assert_eq!(scroller.reveal(&heights, 0), Some(0.0));
    }

    #[test]
    fn a_shorter_list_pulls_the_window_back() {
        let mut scroller = Scroller::default();
        scroller.resize(10_000.0, 500.0);
        scroller.move_to(9_500.0);
        scroller.resize(2_000.0, 500.0);
        assert_eq!(scroller.offset(), 1_500.0);
        scroller.resize(300.0, 500.0);
        assert_eq!(scroller.offset(), 0.0);
    }
}
