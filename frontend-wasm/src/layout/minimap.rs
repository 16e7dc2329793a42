//! The overview above the strips: all engines on one screen, and the window that the strips show.

use super::format::region_key;
use super::strips::Scene;
use debug_api::answer::{EngineRegions, RegionsAnswer};

/// Height of one engine's line.
const LINE: f64 = 3.0;
/// From one line to the next.
const STEP: f64 = 4.0;
/// Above the first line.
const TOP: f64 = 3.5;
/// Height of the overview.
pub const HEIGHT: f64 = 26.0;

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

/// The lines of all engines.
pub fn lay_out(answer: &RegionsAnswer, scale: &Scale) -> Vec<Band> {
    let mut bands = Vec::new();
    for (index, engine) in answer.engines.iter().enumerate() {
        line(engine, TOP + index as f64 * STEP, scale, &mut bands);
    }
    bands
}

/// Runs below a pixel are part of the one before, so that their number is bounded by the width.
fn line(engine: &EngineRegions, y: f64, scale: &Scale, bands: &mut Vec<Band>) {
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
                bands.push(Band { x, y, width: (end - x).max(0.5), height: LINE, region });
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
        let bands = lay_out(&answer(), &scale);
        let first: Vec<_> = bands.iter().take(4).map(|b| (b.x - scale.left, b.width)).collect();
        assert_eq!(first, [(0.0, 18.0), (18.0, 36.0), (54.0, 54.0), (108.0, 36.0)]);
        assert_eq!(bands.len(), 8);
        assert_eq!(bands[4].y - bands[0].y, STEP);
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
        assert!(lay_out(&answer, &scale).len() <= 1_001);
    }
}
