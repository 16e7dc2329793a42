//! The one-dimensional overview beside the scroll bar of the Code pane, as a display list.
//!
//! Region colors run from top to bottom in proportion to display rows, patches are ticks at the
//! right, the rows in view are a frame. Everything is bounded by the height in pixels: runs that
//! would be thinner than one pixel share it, and ticks that would fall on one another merge.

use super::format::{region_hatched, region_key};
use debug_api::answer::EngineRegions;

/// Width of the drawing in pixels.
pub const WIDTH: f64 = 13.0;

/// A band of region color.
#[derive(Clone, Debug, PartialEq)]
pub struct OverviewBand {
    /// Top in pixels.
    pub y: f64,
    /// Height in pixels.
    pub height: f64,
    /// Region key for the class.
    pub region: &'static str,
    /// Whether it is hatched.
    pub hatched: bool,
}

/// A patch tick.
#[derive(Clone, Debug, PartialEq)]
pub struct OverviewTick {
    /// Middle in pixels.
    pub y: f64,
    /// `INSERT`, `DELETE` or `MODIFY`.
    pub kind: &'static str,
}

/// The overview of one engine.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Overview {
    /// Height in pixels.
    pub height: f64,
    /// Bands from top to bottom.
    pub bands: Vec<OverviewBand>,
    /// Ticks from top to bottom.
    pub ticks: Vec<OverviewTick>,
    /// Top and height of the frame around the rows in view; at least 8 px high.
    pub window: (f64, f64),
    /// The selected row.
    pub cursor: Option<f64>,
}

/// Lays out the overview: rows `first..first + shown` are in view, `selected` is the cursor's row.
pub fn lay_out(
    engine: &EngineRegions,
    height: f64,
    first: u64,
    shown: u64,
    selected: Option<u64>,
) -> Overview {
    let height = height.max(0.0);
    let rows = engine.rows.max(1) as f64;
    let y_of = |row: u64| (row as f64 / rows).min(1.0) * height;
    let mut bands: Vec<OverviewBand> = Vec::new();
    for (index, run) in engine.runs.iter().enumerate() {
        let end = engine.runs.get(index + 1).map_or(engine.rows, |next| next.row);
        let (top, bottom) = (y_of(run.row), y_of(end));
        let region = region_key(&run.region);
        match bands.last_mut() {
            // Too thin to be seen alone, or the same color: the band above grows.
            Some(band) if band.region == region || bottom - top < 1.0 => {
                band.height = bottom - band.y;
            }
            _ => {
                let hatched = region_hatched(&run.region);
                bands.push(OverviewBand { y: top, height: bottom - top, region, hatched });
            }
        }
    }
    let mut ticks: Vec<OverviewTick> = Vec::new();
    for patch in &engine.patches {
        let kind = match patch.kind.as_str() {
            "INSERT" => "INSERT",
            "DELETE" => "DELETE",
            _ => "MODIFY",
        };
        let y = y_of(patch.row);
        let taken = ticks.iter().rev().take(3).any(|t| t.kind == kind && (y - t.y).abs() < 3.0);
        // Whole regions are inserted too; their color says so already.
        let whole = kind == "INSERT" && !matches!(patch.section.as_str(), "MAIN" | "FUNCTION");
        if !taken && !whole {
            ticks.push(OverviewTick { y, kind });
        }
    }
    let window = window(engine.rows, height, first, shown);
    Overview { height, bands, ticks, window, cursor: selected.map(y_of) }
}

/// Top and height of the frame around rows `first..first + shown`, at least 8 px high.
pub fn window(rows: u64, height: f64, first: u64, shown: u64) -> (f64, f64) {
    let y_of = |row: u64| (row as f64 / rows.max(1) as f64).min(1.0) * height;
    let top = y_of(first);
    let frame = (y_of(first.saturating_add(shown)) - top).max(8.0).min(height);
    (top.min(height - frame).max(0.0), frame)
}

/// The display row at a height: where a click or a drag leads.
pub fn row_at(rows: u64, height: f64, y: f64) -> u64 {
    if height <= 0.0 || rows == 0 {
        return 0;
    }
    let row = (y / height).clamp(0.0, 1.0) * rows as f64;
    (row as u64).min(rows - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use debug_api::Provenance;
    use debug_api::answer::{PatchMark, RegionRun};

    fn engine() -> EngineRegions {
        let run = |region: &str, slot, slots, row| RegionRun {
            region: region.to_owned(),
            slot,
            slots,
            ips: None,
            provenance: Provenance::File,
            row,
            function: None,
        };
        let patch = |kind: &str, section: &str, row| PatchMark {
            kind: kind.to_owned(),
            section: section.to_owned(),
            slot: 0,
            count: 1,
            row,
            ip: None,
        };
        EngineRegions {
            engine: "PE".to_owned(),
            neff_slots: 12,
            image_slots: 84,
            bytes: 5_376,
            base: "0x0".to_owned(),
            base_provenance: Provenance::Configured,
            captured: false,
            agreement: None,
            rows: 100,
            runs: vec![
                run("PREAMBLE", 0, 40, 0),
                run("MODEL_SWITCH", 40, 1, 50),
                run("MAIN", 41, 30, 51),
                run("POSTAMBLE", 71, 13, 80),
            ],
            patches: vec![
                patch("INSERT", "PREAMBLE", 1),
                patch("DELETE", "MAIN", 53),
                patch("DELETE", "MAIN", 54),
                patch("MODIFY", "MAIN", 54),
            ],
            rewritten: 0,
            provenance: Provenance::Observed,
            notes: Vec::new(),
        }
    }

    #[test]
    fn bands_follow_rows() {
        // 200 px for 100 rows: two a row. MODEL_SWITCH has one row, so two pixels.
        let overview = lay_out(&engine(), 200.0, 50, 10, Some(60));
        let bands: Vec<_> = overview.bands.iter().map(|b| (b.region, b.y, b.height)).collect();
        assert_eq!(
            bands,
            [
                ("pre", 0.0, 100.0),
                ("msw", 100.0, 2.0),
                ("main", 102.0, 58.0),
                ("post", 160.0, 40.0)
            ]
        );
        assert_eq!(overview.window, (100.0, 20.0));
        assert_eq!(overview.cursor, Some(120.0));
        // At half a pixel a row it is too thin: the preamble takes it over.
        let bands = lay_out(&engine(), 50.0, 0, 1, None).bands;
        assert_eq!(bands.len(), 3);
        assert_eq!(bands[0].height, 25.5);
    }

    #[test]
    fn ticks_merge_and_the_frame_stays_inside() {
        let overview = lay_out(&engine(), 200.0, 99, 1, None);
        let ticks: Vec<_> = overview.ticks.iter().map(|t| (t.kind, t.y)).collect();
        assert_eq!(ticks, [("DELETE", 106.0), ("MODIFY", 108.0)]);
        assert_eq!(overview.window, (192.0, 8.0));
    }

    #[test]
    fn a_height_leads_to_a_row() {
        assert_eq!(row_at(100, 200.0, 0.0), 0);
        assert_eq!(row_at(100, 200.0, 101.0), 50);
        assert_eq!(row_at(100, 200.0, 500.0), 99);
        assert_eq!(row_at(0, 200.0, 50.0), 0);
        assert_eq!(row_at(10, 0.0, 50.0), 0);
    }
}
