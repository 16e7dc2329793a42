//! What is drawn of a window: runs of every track, as the answer's columns hold them.

use super::TraceOf;
use super::scale::Span;
use debug_api::{Block, ColumnsRequest};

/// Tracks without a slot.
const NO_SLOT: u32 = u32::MAX;

/// What a tile was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TileKey {
    /// Number of the question.
    pub serial: u32,
    /// First bucket.
    pub first: u64,
    /// Buckets.
    pub count: u32,
    /// Power of two of a bucket in picoseconds.
    pub level: u8,
}

impl TileKey {
    /// The tile for a window of so many pixels: buckets of one to two pixels, and as much to both
    /// sides as the window has, so that panning does not ask again at once.
    pub fn of(span: Span, width: f64, end: f64) -> Self {
        let pixel = (span.len() / width.max(1.0)).max(1.0);
        let level = pixel.log2().floor().clamp(0.0, 62.0) as u8;
        let bucket = 2_f64.powi(i32::from(level));
        let from = (span.from - span.len()).max(0.0);
        let to = (span.to + span.len()).min(end + bucket);
        let first = (from / bucket).floor();
        let count = ((to / bucket).ceil() - first).clamp(1.0, 16_384.0);
        Self { serial: 0, first: first as u64, count: count as u32, level }
    }

    /// Whether what it has is good for another: the same or finer buckets around the same window.
    pub fn covers(&self, span: Span, end: f64, level: u8) -> bool {
        let bucket = 2_f64.powi(i32::from(self.level));
        let (from, to) =
            (self.first as f64 * bucket, (self.first as f64 + f64::from(self.count)) * bucket);
        self.level == level && from <= span.from.max(0.0) && to >= span.to.min(end)
    }

    /// The question for it.
    pub fn request(&self, of: TraceOf) -> ColumnsRequest {
        let (what, TraceOf { scope, run }) = ("timeline".to_owned(), of);
        ColumnsRequest { what, scope, run, from: self.first, count: self.count, level: self.level }
    }
}

/// One event, or several that are not told apart at this scale.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Item {
    /// Start in picoseconds.
    pub start: u64,
    /// End.
    pub end: u64,
    /// Picoseconds covered.
    pub busy: u64,
    /// Longest event; of a counter the largest value.
    pub largest: u64,
    /// First event of the track.
    pub first: u32,
    /// Events.
    pub count: u32,
    /// Value after the last one, bytes, or cycles of a wait.
    pub value: u32,
    /// Image slot.
    pub slot: Option<u32>,
    /// Column code of the region; 255 if not known.
    pub region: u8,
    /// 1 no end, 2 no start, 4 records lost before.
    pub flags: u8,
    /// Name of a single event.
    pub name: String,
}

/// Runs by track, by start.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tile {
    /// What it was asked for.
    pub key: Option<TileKey>,
    /// By number of the track.
    pub lanes: Vec<Vec<Item>>,
}

impl Tile {
    /// Takes the columns apart.
    pub fn of(key: TileKey, block: &Block) -> Self {
        let mut lanes: Vec<Vec<Item>> = Vec::new();
        for row in 0..block.rows as usize {
            let lane = block.u32("lane", row) as usize;
            // A track has at least one row, so there are no more of them than rows.
            if lane > (1 << 20) {
                continue;
            }
            if lanes.len() <= lane {
                lanes.resize(lane + 1, Vec::new());
            }
            let slot = block.u32("slot", row);
            let item = Item {
                start: block.u64("start", row),
                end: block.u64("end", row),
                busy: block.u64("busy", row),
                largest: block.u64("largest", row),
                first: block.u32("first", row),
                count: block.u32("count", row),
                value: block.u32("value", row),
                slot: (slot != NO_SLOT).then_some(slot),
                region: block.u8("region", row),
                flags: block.u8("flags", row),
                name: block.text("name", row).to_owned(),
            };
            if let Some(items) = lanes.get_mut(lane) {
                items.push(item);
            }
        }
        Self { key: Some(key), lanes }
    }

    /// Runs of a track.
    pub fn lane(&self, lane: u32) -> &[Item] {
        self.lanes.get(lane as usize).map_or(&[], Vec::as_slice)
    }

    /// The run of a track at a time, or the one nearest to it within `slack` picoseconds.
    pub fn hit(&self, lane: u32, time: f64, slack: f64) -> Option<&Item> {
        let items = self.lane(lane);
        let after = items.partition_point(|item| item.start as f64 <= time);
        let far = |item: &Item| (item.start as f64 - time).max(time - item.end as f64).max(0.0);
        let near = items.get(after.saturating_sub(2)..(after + 1).min(items.len()))?;
        let best = near.iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
        (far(best) <= slack).then_some(best)
    }

    /// The edge of a run on a track that is nearest to a time, within `slack` picoseconds.
    pub fn edge(&self, lane: u32, time: f64, slack: f64) -> Option<u64> {
        let items = self.lane(lane);
        let after = items.partition_point(|item| item.start as f64 <= time);
        let near = items.get(after.saturating_sub(2)..(after + 1).min(items.len()))?;
        let edges = near.iter().flat_map(|item| [item.start, item.end]);
        let far = |edge: &u64| (*edge as f64 - time).abs();
        edges.min_by(|a, b| far(a).total_cmp(&far(b))).filter(|edge| far(edge) <= slack)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_one_to_two_pixels() {
        let span = Span { from: 1e6, to: 2e6 };
        let key = TileKey::of(span, 1000.0, 1e9);
        // 1,000 ps a pixel: buckets of 512 ps, from 0 to 3e6.
        assert_eq!((key.level, key.first, key.count), (9, 0, 5_860));
        assert!(key.covers(span, 1e9, 9));
        assert!(!key.covers(Span { from: 2.5e6, to: 3.5e6 }, 1e9, 9));
        assert!(!key.covers(span, 1e9, 8));
        let near = TileKey::of(Span { from: 10.0, to: 60.0 }, 1000.0, 1e9);
        assert_eq!(near.level, 0);
    }

    #[test]
    fn runs_are_found_by_time() {
        let item = |start, end| Item { start, end, count: 1, ..Item::default() };
        let tile = Tile { key: None, lanes: vec![vec![item(10, 20), item(20, 30), item(50, 50)]] };
        let hit = |time, slack| tile.hit(0, time, slack).map(|item| item.start);
        assert_eq!((hit(15.0, 0.0), hit(25.0, 0.0)), (Some(10), Some(20)));
        assert_eq!((hit(40.0, 3.0), hit(48.0, 3.0), hit(0.0, 3.0)), (None, Some(50), None));
        assert_eq!(tile.hit(7, 15.0, 9.0), None);
        assert_eq!((tile.edge(0, 28.0, 3.0), tile.edge(0, 40.0, 3.0)), (Some(30), None));
    }
}
