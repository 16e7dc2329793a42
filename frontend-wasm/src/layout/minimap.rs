//! The overview above the strips: all engines on one screen, and the window that the strips show.

use super::format::region_key;
use super::strips::Scene;
use debug_api::answer::{EngineRegions, RegionsAnswer};

/// From one line to the next, where there is room.
const STEP: f64 = 4.0;
/// What a line is lower than the distance of two.
const GAP: f64 = 1.0;
/// Between the lines of two subgraphs.
const BETWEEN: f64 = 2.0;
/// Above the first line, and below the last one.
const TOP: f64 = 3.5;
/// Height that the lines of many subgraphs share.
const MOST: f64 = 64.0;

/// Height of the overview of some answers.
pub fn height(answers: &[&RegionsAnswer]) -> f64 {
    let step = step(answers);
    let (lines, gaps) = counts(answers);
    (2.0 * TOP + lines * step + gaps * BETWEEN.min(step) - GAP.min(step / 4.0)).max(26.0)
}

/// Lines, and gaps between subgraphs.
fn counts(answers: &[&RegionsAnswer]) -> (f64, f64) {
    let lines: usize = answers.iter().map(|answer| answer.engines.len()).sum();
    (lines as f64, answers.len().saturating_sub(1) as f64)
}

/// From one line to the next: smaller where many lines share the height.
fn step(answers: &[&RegionsAnswer]) -> f64 {
    let (lines, gaps) = counts(answers);
    STEP.min((MOST - gaps * BETWEEN).max(MOST / 2.0) / lines.max(1.0))
}

/// A run of slots of one region.
#[derive(Clone, Debug, PartialEq)]
pub struct Band {
    /// Left edge.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Region key for the class.
    pub region: &'static str,
}

/// From slots to pixels, of the whole image.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Scale {
    /// Left edge of the first slot.
    pub left: f64,
    /// Right edge of the last slot of the longest image.
    pub right: f64,
    /// Slots of the longest image.
    pub slots: u64,
}

impl Scale {
    /// The scale below a scene, as it is when nothing is zoomed.
    pub fn of(scene: &Scene, zoom: f64) -> Self {
        let fit = scene.scale / zoom.max(1.0);
        let right = (scene.left + scene.slots as f64 * fit).min(scene.right);
        Self { left: scene.left, right, slots: scene.slots }
    }

    /// Pixels a slot.
    pub fn px(&self) -> f64 {
        (self.right - self.left) / self.slots.max(1) as f64
    }

    /// The slot at a place, possibly a fraction; before the first and past the last one too.
    pub fn slot_at(&self, x: f64) -> f64 {
        (x - self.left) / self.px().max(f64::MIN_POSITIVE)
    }

    /// Left edge and width of a window over slots: never thinner than can be seen and taken.
    pub fn window(&self, from: f64, seen: f64) -> (f64, f64) {
        let seen = seen.min(self.slots as f64 - from).max(0.0);
        let width = (seen * self.px()).max(6.0).min(self.right - self.left);
        let x = (self.left + from * self.px()).min(self.right - width).max(self.left);
        (x, width)
    }
}

/// The lines of all engines of all answers, from top to bottom as the strips are.
pub fn lay_out(answers: &[&RegionsAnswer], scale: &Scale) -> Vec<Band> {
    let step = step(answers);
    let mut bands = Vec::new();
    let mut y = TOP;
    for answer in answers {
        for engine in &answer.engines {
            line(engine, (y, step - GAP.min(step / 4.0)), scale, &mut bands);
            y += step;
        }
        y += BETWEEN.min(step);
    }
    bands
}

/// Runs below a pixel are part of the one before, so that their number is bounded by the width.
fn line(engine: &EngineRegions, (y, height): (f64, f64), scale: &Scale, bands: &mut Vec<Band>) {
    let px = scale.px();
    for run in engine.runs.iter().filter(|run| run.slots > 0) {
        let x = scale.left + run.slot as f64 * px;
        let end = x + run.slots as f64 * px;
        let region = region_key(&run.region);
        match bands.last_mut() {
            Some(last) if last.y == y && (last.region == region || end - last.x < 1.0) => {
                last.width = end - last.x;
            }
            _ => {
                bands.push(Band { x, y, width: (end - x).max(0.5), height, region });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::place::tests::small;
    use super::super::state::RegionsMode;
    use super::super::strips::{self, Params};
    use super::*;

    fn answer() -> RegionsAnswer {
        RegionsAnswer { engines: vec![small(), small()], ..RegionsAnswer::default() }
    }

    fn scene(zoom: f64, from: f64) -> Scene {
        let params = Params { width: 1190.0, mode: RegionsMode::Image, zoom, from, patches: true };
        strips::lay_out(&[&answer()], &params)
    }

    #[test]
    fn the_overview_lies_under_the_strips() {
        // 8 slots are drawn 18 px wide, since nothing is gained by wider ones.
        let scale = Scale::of(&scene(1.0, 0.0), 1.0);
        assert_eq!(scale.px(), 18.0);
        let bands = lay_out(&[&answer()], &scale);
        let first: Vec<_> = bands.iter().take(4).map(|b| (b.x - scale.left, b.width)).collect();
        assert_eq!(first, [(0.0, 18.0), (18.0, 36.0), (54.0, 54.0), (108.0, 36.0)]);
        assert_eq!(bands.len(), 8);
        assert_eq!(bands[4].y - bands[0].y, STEP);
        assert_eq!((bands[0].height, height(&[&answer()])), (3.0, 26.0));
    }

    /// Two subgraphs of two engines: four lines of 4 px with 2 px between the subgraphs. Of a
    /// hundred subgraphs all lines are there, and the overview stays low.
    #[test]
    fn all_subgraphs_have_their_lines() {
        let (one, scale) = (answer(), Scale { left: 0.0, right: 144.0, slots: 8 });
        let tops = |answers: &[&RegionsAnswer]| {
            let mut all: Vec<f64> = lay_out(answers, &scale).iter().map(|band| band.y).collect();
            all.dedup();
            all
        };
        assert_eq!(tops(&[&one, &one]), [3.5, 7.5, 13.5, 17.5]);
        assert_eq!(height(&[&one, &one, &one, &one]), 2.0 * 3.5 + 8.0 * 4.0 + 3.0 * 2.0 - 1.0);
        let many = vec![&one; 100];
        assert_eq!(tops(&many).len(), 200);
        let (last, high) = (tops(&many)[199], height(&many));
        assert!(last < high && high < 100.0, "{last} of {high}");
    }

    #[test]
    fn the_window_is_what_the_strips_show() {
        let zoomed = scene(8.0, 5.0);
        assert_eq!(zoomed.scale, 144.0);
        let scale = Scale::of(&zoomed, 8.0);
        assert_eq!(scale.px(), 18.0);
        // 962 px of strips show 6.7 slots, so the last possible window starts at slot 1.3.
        let (x, width) = scale.window(zoomed.from, zoomed.seen());
        assert!((x + width - scale.right).abs() < 1e-9);
        assert!((width - 962.0 / 144.0 * 18.0).abs() < 1e-9);
        assert_eq!(scale.slot_at(scale.left + 36.0), 2.0);
        let thin = Scale { left: 0.0, right: 1_000.0, slots: 1_000_000 };
        assert_eq!(thin.window(500_000.0, 10.0), (500.0, 6.0));
        assert_eq!(thin.window(999_990.0, 10.0), (994.0, 6.0));
    }

    #[test]
    fn many_small_runs_are_bounded_by_the_width() {
        let mut engine = small();
        let run = engine.runs[0].clone();
        let name = |n: u64| if n.is_multiple_of(2) { "MAIN" } else { "FUNCTION" }.to_owned();
        engine.runs = (0..100_000)
            .map(|n| debug_api::answer::RegionRun { region: name(n), slot: n, ..run.clone() })
            .collect();
        let answer = RegionsAnswer { engines: vec![engine], ..RegionsAnswer::default() };
        let scale = Scale { left: 0.0, right: 1_000.0, slots: 100_000 };
        assert!(lay_out(&[&answer], &scale).len() <= 1_001);
    }
}
