//! The bar of one HBM: categories as segments, to scale, with what is left or what is too much.

use debug_api::Provenance;
use debug_api::answer::MemoryAnswer;

/// A group of categories: key, title, hue 1 to 8 or 0 for gray, names in the words of captures; a
/// name that ends in a star stands for all that begin so.
type Group = (&'static str, &'static str, u8, &'static [&'static str]);

/// The groups, in the order of the bar.
const GROUPS: [Group; 11] = [
    ("weight", "Constants", 1, &["weight"]),
    ("tensor", "Tensors", 8, &["tensor"]),
    ("shared", "Scratchpad", 3, &["shared scratchpad"]),
    ("own", "Scratchpad, private", 5, &["scratchpad", "dram spill"]),
    ("code", "Code", 6, &["pe", "act", "pool", "dve", "sp"]),
    ("tables", "Activation tables", 2, &["act table"]),
    ("ucode", "Libraries", 0, &["ucode*", "pool stdio"]),
    ("rings", "DMA rings", 7, &["dma rings*"]),
    ("collectives", "Collectives", 4, &["collectives", "cc*", "xt cc"]),
    ("io", "Queues and notifications", 0, &["io", "notification*", "profiler buffers"]),
    ("other", "Other", 0, &[]),
];

/// Where a segment comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Segment {
    /// Stable key.
    pub key: &'static str,
    /// Title.
    pub title: &'static str,
    /// Hue, 1 to 8; 0 is gray.
    pub hue: u8,
    /// The categories that it sums, in the words of captures.
    pub names: Vec<String>,
    /// Computed bytes; `None` where nothing computes them.
    pub bytes: Option<u64>,
    /// The least sure of its parts.
    pub provenance: Option<Provenance>,
    /// Bytes in the capture; `None` without one.
    pub measured: Option<u64>,
    /// Why it is not computed; empty where it is.
    pub reason: String,
    /// Whether the sum exceeds 2^64, so that the bytes are only the largest number.
    pub exceeds: bool,
}

/// An HBM as it is planned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Bar {
    /// Segments, in order; those that nothing computes have no width.
    pub segments: Vec<Segment>,
    /// Bytes that all computed segments and the firmware sum to.
    pub planned: u64,
    /// Bytes of the firmware.
    pub firmware: u64,
    /// Bytes of the HBM.
    pub total: u64,
    /// Bytes that the whole width stands for: the largest of these, and of what a capture measured.
    /// It may exceed 2^64, so that no segment leaves the frame.
    pub scale: f64,
    /// Whether what is planned exceeds 2^64.
    pub exceeds: bool,
}

impl Bar {
    /// The bar of an HBM of a plan.
    pub fn of(plan: &MemoryAnswer, bank: u32) -> Self {
        let hbm = plan.hbms.iter().find(|hbm| hbm.index == bank);
        let mut bar = Self {
            firmware: hbm.map_or(0, |hbm| hbm.firmware_bytes),
            total: plan.hbm_bytes,
            segments: GROUPS
                .iter()
                .map(|(key, title, hue, _)| Segment { key, title, hue: *hue, ..Segment::default() })
                .collect(),
            ..Self::default()
        };
        for category in hbm.iter().flat_map(|hbm| &hbm.categories) {
            let Some(segment) = bar.segments.get_mut(group(&category.name)) else { continue };
            segment.names.push(category.name.clone());
            segment.exceeds |= category.exceeds | sum(&mut segment.bytes, category.bytes);
            segment.exceeds |= sum(&mut segment.measured, category.measured_bytes);
            segment.provenance = segment.provenance.max(category.provenance);
        }
        for unknown in &plan.not_computed {
            let Some(segment) = bar.segments.get_mut(group(&unknown.name)) else { continue };
            if !segment.names.contains(&unknown.name) {
                segment.names.push(unknown.name.clone());
            }
            if !segment.reason.is_empty() {
                segment.reason.push_str("; ");
            }
            segment.reason.push_str(&format!("{}: {}", unknown.name, unknown.reason));
        }
        bar.segments.retain(|segment| !segment.names.is_empty());
        let mut planned = Some(bar.firmware);
        for segment in &bar.segments {
            bar.exceeds |= segment.exceeds | sum(&mut planned, segment.bytes);
        }
        bar.planned = planned.unwrap_or(0);
        let (planned, measured) = (bar.sum(|one| one.bytes), bar.sum(|one| one.measured));
        bar.scale = (bar.firmware as f64 + planned).max(measured).max(bar.total as f64).max(1.0);
        bar
    }

    /// Bytes that stay free.
    pub const fn free(&self) -> u64 {
        self.total.saturating_sub(self.planned)
    }

    /// Bytes that are too many.
    pub const fn excess(&self) -> u64 {
        self.planned.saturating_sub(self.total)
    }

    /// Bytes that a capture measured here in all categories.
    pub fn measured(&self) -> Option<u64> {
        let mut all = None;
        for segment in &self.segments {
            sum(&mut all, segment.measured);
        }
        all
    }

    /// Start and width of each computed segment as parts of the whole width: the firmware comes first.
    pub fn computed_parts(&self) -> Vec<(f64, f64)> {
        self.parts(self.firmware as f64, |one| one.bytes)
    }

    /// The same for what a capture measured, which comes from the start on.
    pub fn measured_parts(&self) -> Vec<(f64, f64)> {
        self.parts(0.0, |one| one.measured)
    }

    fn parts(&self, mut at: f64, bytes: impl Fn(&Segment) -> Option<u64>) -> Vec<(f64, f64)> {
        let part = |segment: &Segment| {
            let own = bytes(segment).unwrap_or(0) as f64;
            let start = at;
            at += own;
            (start / self.scale, own / self.scale)
        };
        self.segments.iter().map(part).collect()
    }

    fn sum(&self, bytes: impl Fn(&Segment) -> Option<u64>) -> f64 {
        self.segments.iter().map(|one| bytes(one).unwrap_or(0) as f64).sum()
    }
}

/// Adds, and gives whether the sum exceeds 2^64: it is the largest number then.
fn sum(to: &mut Option<u64>, more: Option<u64>) -> bool {
    let Some(more) = more else { return false };
    let all = to.unwrap_or(0).checked_add(more);
    *to = Some(all.unwrap_or(u64::MAX));
    all.is_none()
}

/// The group of a category.
fn group(name: &str) -> usize {
    let fits = |pattern: &&str| match pattern.strip_suffix('*') {
        Some(head) => name.starts_with(head),
        None => name == *pattern,
    };
    let found = GROUPS.iter().position(|(.., names)| names.iter().any(fits));
    found.unwrap_or(GROUPS.len() - 1)
}

/// The title of the group of a category, for measured ones of a capture alone.
pub fn title(name: &str) -> (&'static str, u8) {
    GROUPS.get(group(name)).map_or(("Other", 0), |(_, title, hue, _)| (title, *hue))
}

/// Most marks of an axis behind the first one.
const MOST_TICKS: u64 = 7;

/// Marks of an axis with their labels: at most eight, in steps that double, all in the unit of the
/// step.
pub fn ticks(scale: u64) -> Vec<(u64, String)> {
    const UNITS: [&str; 5] = ["MiB", "GiB", "TiB", "PiB", "EiB"];
    let shift = (20..63).find(|shift| scale >> shift <= MOST_TICKS).unwrap_or(63);
    let unit = (shift - 20) / 10;
    let name = UNITS.get(unit as usize).copied().unwrap_or("EiB");
    let last = scale >> shift;
    let label = |number: u64| {
        let value = number << (shift - 20 - unit * 10);
        if number == 0 || number == last { format!("{value} {name}") } else { value.to_string() }
    };
    (0..=last).map(|number| (number << shift, label(number))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::memory::map::tests::plan;
    use debug_api::answer::{MemoryCategory, MemoryHbm, MemoryUnknown};

    #[test]
    fn categories_stand_in_groups_and_what_is_not_computed_is_no_zero() {
        let category = |name: &str, bytes, provenance, measured_bytes| MemoryCategory {
            name: name.to_owned(),
            bytes,
            exceeds: false,
            at_least: false,
            provenance,
            measured_bytes,
        };
        let mut plan = plan(&[]);
        plan.hbm_bytes = 1_000;
        plan.hbms = vec![MemoryHbm {
            index: 0,
            base: "0x0".to_owned(),
            firmware_bytes: 16,
            categories: vec![
                category("pe", Some(100), Some(Provenance::Observed), Some(90)),
                category("sp", Some(10), Some(Provenance::Modelled), Some(9)),
                category("dma rings spill", None, None, Some(7)),
                category("category 77", None, None, Some(1)),
            ],
            used_bytes: 0,
            set_up_bytes: 0,
            at_least: false,
            free_bytes: 0,
            largest_free_bytes: 0,
        }];
        plan.not_computed =
            vec![MemoryUnknown { name: "dma rings".to_owned(), reason: "why".to_owned() }];
        let bar = Bar::of(&plan, 0);
        let keys: Vec<(&str, Option<u64>, Option<u64>)> =
            bar.segments.iter().map(|one| (one.key, one.bytes, one.measured)).collect();
        assert_eq!(
            keys,
            [("code", Some(110), Some(99)), ("rings", None, Some(7)), ("other", None, Some(1))]
        );
        assert_eq!(bar.segments[0].provenance, Some(Provenance::Modelled));
        assert_eq!(bar.segments[1].reason, "dma rings: why");
        assert_eq!((bar.planned, bar.free(), bar.excess(), bar.scale), (126, 874, 0, 1_000.0));
        assert_eq!(bar.measured(), Some(107));
        assert_eq!(bar.computed_parts()[0], (0.016, 0.11));
    }

    #[test]
    fn demands_beyond_all_numbers_stay_in_the_frame() {
        let category = |name: &str, bytes, measured_bytes| MemoryCategory {
            name: name.to_owned(),
            bytes: Some(bytes),
            exceeds: false,
            at_least: false,
            provenance: Some(Provenance::Observed),
            measured_bytes,
        };
        let mut plan = plan(&[]);
        plan.hbm_bytes = 24 << 30;
        plan.hbms = vec![MemoryHbm {
            index: 0,
            base: "0x0".to_owned(),
            firmware_bytes: 16 << 20,
            categories: vec![
                category("weight", u64::MAX, Some(u64::MAX)),
                category("tensor", 1 << 62, Some(u64::MAX)),
                category("scratchpad", 1 << 63, None),
            ],
            used_bytes: 0,
            set_up_bytes: 0,
            at_least: false,
            free_bytes: 0,
            largest_free_bytes: 0,
        }];
        let bar = Bar::of(&plan, 0);
        assert!(bar.exceeds);
        assert_eq!(bar.planned, u64::MAX);
        // 2^64, 2^62 and 2^63 are 4, 1 and 2 of 7 parts; measured are 8 of those, so 8 is the whole.
        let near = |parts: Vec<(f64, f64)>, wanted: [(f64, f64); 3]| {
            for ((start, width), (at, wide)) in parts.into_iter().zip(wanted) {
                assert!(
                    (start - at).abs() < 1e-6 && (width - wide).abs() < 1e-6,
                    "{start} {width}"
                );
                assert!(start + width <= 1.0 + 1e-9);
            }
        };
        near(bar.computed_parts(), [(0.0, 0.5), (0.5, 0.125), (0.625, 0.25)]);
        near(bar.measured_parts(), [(0.0, 0.5), (0.5, 0.5), (1.0, 0.0)]);
    }

    #[test]
    fn axes_have_few_marks() {
        let labels =
            |scale| -> Vec<String> { ticks(scale).into_iter().map(|(_, label)| label).collect() };
        assert_eq!(labels(24 << 30), ["0 GiB", "4", "8", "12", "16", "20", "24 GiB"]);
        assert_eq!(ticks(16 << 30).last().map(|one| one.0), Some(16 << 30));
        assert_eq!(labels(64 << 20), ["0 MiB", "16", "32", "48", "64 MiB"]);
        assert_eq!(labels(5 << 40), ["0 TiB", "1", "2", "3", "4", "5 TiB"]);
        assert_eq!(labels(1), ["0 MiB"]);
        // However large, there are few marks, and the last one is in the bar.
        for shift in 0..64 {
            for scale in [1_u64 << shift, (1 << shift) | ((1 << shift) - 1), u64::MAX >> shift] {
                let all = ticks(scale);
                assert!(all.len() <= 8, "{scale}: {all:?}");
                assert!(all.last().is_some_and(|one| one.0 <= scale), "{scale}: {all:?}");
            }
        }
        assert_eq!(labels(u64::MAX), ["0 EiB", "2", "4", "6", "8", "10", "12", "14 EiB"]);
    }
}
