//! The `timeline` columns: what is drawn of a window, for every track.

use super::timeline_source;
use super::timeline_view::{NO_REGION, TimelineView};
use crate::columns::{Block, Column};
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::kept_runs::KeptRuns;
use crate::request::ColumnsRequest;
use std::sync::Arc;
use trace::{NO_SLOT, Run, Track, Window};

/// Most buckets of one answer.
const MAX_BUCKETS: u32 = 16_384;
/// Most runs of one answer: tracks times buckets stay below it, else the window is shortened.
const MAX_RUNS: usize = 1 << 20;

#[derive(Default)]
struct Columns {
    lane: Vec<u32>,
    start: Vec<u64>,
    end: Vec<u64>,
    busy: Vec<u64>,
    largest: Vec<u64>,
    first: Vec<u32>,
    count: Vec<u32>,
    value: Vec<u32>,
    slot: Vec<u32>,
    region: Vec<u8>,
    flags: Vec<u8>,
    name: Vec<String>,
}

/// Runs of all tracks in a window.
///
/// # Errors
/// `request.invalid` for a window that is too wide or gives too many runs; else as a timeline.
pub fn runs(
    files: &[Arc<OpenFile>],
    kept: &KeptRuns,
    request: &ColumnsRequest,
) -> Result<Block, ApiError> {
    let view = timeline_source::of(files, kept, &request.scope, request.run.as_deref())?;
    let count = if request.count == 0 { MAX_BUCKETS } else { request.count };
    if count > MAX_BUCKETS {
        return Err(ApiError::bad_request(format!(
            "{count} buckets are more than {MAX_BUCKETS}; ask for a coarser level"
        )));
    }
    let window = Window::of_buckets(request.from, u64::from(count), request.level);
    let mut columns = Columns::default();
    for (lane, track) in (0_u32..).zip(&view.trace().tracks) {
        for run in track.runs(window) {
            columns.add(&view, lane, track, &run);
        }
        if columns.lane.len() > MAX_RUNS {
            return Err(ApiError::bad_request(format!(
                "the window has more than {MAX_RUNS} runs; ask for fewer buckets or a coarser level"
            )));
        }
    }
    let rows = u32::try_from(columns.lane.len()).unwrap_or(u32::MAX);
    Ok(Block { from: request.from, total: u64::from(count), rows, columns: columns.finish() })
}

impl Columns {
    fn add(&mut self, view: &TimelineView<'_>, lane: u32, track: &Track, run: &Run) {
        let single = (run.count == 1).then(|| track.event(run.first as usize)).flatten();
        self.lane.push(lane);
        self.start.push(run.start);
        self.end.push(run.end);
        self.busy.push(run.busy);
        self.largest.push(run.largest);
        self.first.push(run.first);
        self.count.push(run.count);
        self.value.push(run.last);
        self.slot.push(single.map_or(NO_SLOT, |event| event.slot));
        self.region.push(single.map_or(NO_REGION, |event| view.region(track.kind, event.slot)));
        self.flags.push(single.map_or(0, |event| event.flags.0));
        self.name.push(single.map_or_else(String::new, |event| view.name(track.kind, &event)));
    }

    fn finish(self) -> std::collections::BTreeMap<String, Column> {
        let named = [
            ("lane", Column::U32(self.lane)),
            ("start", Column::U64(self.start)),
            ("end", Column::U64(self.end)),
            ("busy", Column::U64(self.busy)),
            ("largest", Column::U64(self.largest)),
            ("first", Column::U32(self.first)),
            ("count", Column::U32(self.count)),
            ("value", Column::U32(self.value)),
            ("slot", Column::U32(self.slot)),
            ("region", Column::U8(self.region)),
            ("flags", Column::U8(self.flags)),
            ("name", Column::Text(self.name)),
        ];
        named.into_iter().map(|(name, column)| (name.to_owned(), column)).collect()
    }
}
