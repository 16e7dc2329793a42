//! The window of time: zoom, pan, ticks, and how times are written.

use crate::layout::format::thousands;

/// Pixels of a tick at least.
const TICK_PX: f64 = 90.0;
/// Narrowest window, in picoseconds.
const NARROWEST: f64 = 100.0;

/// A window of time, in picoseconds since the first event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Span {
    /// Left edge.
    pub from: f64,
    /// Right edge.
    pub to: f64,
}

impl Span {
    /// The whole trace, with a little room behind it.
    pub fn whole(end: f64) -> Self {
        Self { from: 0.0, to: (end * 1.02).max(NARROWEST) }
    }

    /// Picoseconds from edge to edge.
    pub fn len(self) -> f64 {
        self.to - self.from
    }

    /// Part of the width at which a time stands.
    pub fn part(self, time: f64) -> f64 {
        (time - self.from) / self.len()
    }

    /// Time at a part of the width.
    pub fn time(self, part: f64) -> f64 {
        self.from + part * self.len()
    }

    /// The window held inside a trace.
    #[must_use]
    pub fn inside(self, end: f64) -> Self {
        let whole = Self::whole(end);
        let len = self.len().clamp(NARROWEST.min(whole.len()), whole.len());
        let from = self.from.clamp(0.0, (whole.to - len).max(0.0));
        Self { from, to: from + len }
    }

    /// Zoomed by a factor around a part of the width.
    #[must_use]
    pub fn zoomed(self, factor: f64, part: f64, end: f64) -> Self {
        let len = (self.len() / factor).max(NARROWEST).min(Self::whole(end).len());
        let from = self.time(part) - part * len;
        Self { from, to: from + len }.inside(end)
    }

    /// Panned by a part of the width.
    #[must_use]
    pub fn panned(self, part: f64, end: f64) -> Self {
        let by = part * self.len();
        Self { from: self.from + by, to: self.to + by }.inside(end)
    }

    /// A window in which a range takes 80 % of the width.
    pub fn around(from: f64, to: f64, end: f64) -> Self {
        let len = ((to - from) / 0.8).max(NARROWEST);
        let middle = f64::midpoint(from, to);
        Self { from: middle - len / 2.0, to: middle + len / 2.0 }.inside(end)
    }
}

/// Unit in which times are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Unit {
    /// Nanoseconds.
    Nanoseconds,
    /// Microseconds.
    #[default]
    Microseconds,
    /// Cycles of the engines' clock.
    Cycles,
}

impl Unit {
    /// All, with the name on the button and in the address bar.
    pub const ALL: [(Self, &'static str, &'static str); 3] = [
        (Self::Nanoseconds, "ns", "ns"),
        (Self::Microseconds, "µs", "us"),
        (Self::Cycles, "cycles", "cycles"),
    ];

    /// Name on the button.
    pub fn label(self) -> &'static str {
        Self::ALL.iter().find(|(unit, ..)| *unit == self).map_or("µs", |(_, label, _)| label)
    }

    /// Name in the address bar.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(unit, ..)| *unit == self).map_or("us", |(.., name)| name)
    }

    /// The unit of a name.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.iter().find(|(.., name)| *name == text).map(|(unit, ..)| *unit)
    }

    /// Picoseconds of one.
    pub fn ps(self, cycle_fs: Option<u64>) -> f64 {
        match self {
            Self::Nanoseconds => 1e3,
            Self::Microseconds => 1e6,
            Self::Cycles => cycle_fs.map_or(1e3, |fs| fs as f64 / 1e3),
        }
    }

    /// A time with three decimals and its unit; cycles are whole.
    pub fn text(self, ps: f64, cycle_fs: Option<u64>) -> String {
        format!("{} {}", self.number(ps, cycle_fs), self.label())
    }

    /// The same without the unit.
    pub fn number(self, ps: f64, cycle_fs: Option<u64>) -> String {
        let value = ps / self.ps(cycle_fs);
        let decimals = if self == Self::Cycles { 0 } else { 3 };
        decimal(value, decimals)
    }
}

/// A number with comma thousands and so many decimals.
pub fn decimal(value: f64, decimals: usize) -> String {
    let text = format!("{:.decimals$}", value.abs());
    let (whole, rest) = text.split_once('.').unwrap_or((&text, ""));
    let sign = if value < 0.0 { "\u{2212}" } else { "" };
    let whole = thousands(whole.parse().unwrap_or(u64::MAX));
    if rest.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest}") }
}

/// A tick: its time in picoseconds and its label.
#[derive(Clone, Debug, PartialEq)]
pub struct Tick {
    /// Picoseconds.
    pub time: f64,
    /// Number in the unit.
    pub label: String,
}

/// Ticks of a window that is `width` pixels wide, at multiples of 1, 2 or 5 times a power of ten of
/// the unit. The first has the unit too.
pub fn ticks(span: Span, width: f64, unit: Unit, cycle_fs: Option<u64>) -> Vec<Tick> {
    let one = unit.ps(cycle_fs);
    let room = (width / TICK_PX).max(1.0);
    let least = span.len() / one / room;
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|times| times * power);
    let step = step.into_iter().find(|step| *step >= least).unwrap_or(power * 10.0);
    if !step.is_finite() || step <= 0.0 {
        return Vec::new();
    }
    let decimals = (-step.log10().floor()).clamp(0.0, 6.0) as usize;
    let first = (span.from / one / step).ceil();
    let count = ((span.to / one / step).floor() - first).clamp(0.0, 200.0) as u32;
    (0..=count)
        .map(|n| {
            let value = (first + f64::from(n)) * step;
            let number = decimal(value, decimals);
            let label = if n == 0 { format!("{number} {}", unit.label()) } else { number };
            Tick { time: value * one, label }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zooming_keeps_what_is_under_the_pointer() {
        let end = 1e6;
        let span = Span::whole(end);
        assert_eq!(span, Span { from: 0.0, to: 1_020_000.0 });
        let near = span.zoomed(4.0, 0.25, end);
        assert_eq!(near, Span { from: 191_250.0, to: 446_250.0 });
        assert_eq!(near.time(0.25), span.time(0.25));
        assert_eq!(near.zoomed(0.001, 0.5, end), span);
        assert_eq!(near.panned(-9.0, end).from, 0.0);
        assert_eq!(near.panned(9.0, end).to, span.to);
        assert!(near.zoomed(1e12, 0.5, end).len() >= NARROWEST);
    }

    #[test]
    fn a_range_takes_most_of_the_width() {
        let span = Span::around(400.0, 480.0, 1e6);
        assert_eq!(span, Span { from: 390.0, to: 490.0 });
        // A moment has no length; the narrowest window shows it.
        assert_eq!(Span::around(500.0, 500.0, 1e6), Span { from: 450.0, to: 550.0 });
    }

    #[test]
    fn ticks_are_round_numbers_of_the_unit() {
        let span = Span { from: 0.0, to: 8_000_000.0 };
        let labels = |unit, cycle| -> Vec<String> {
            ticks(span, 900.0, unit, cycle).into_iter().map(|tick| tick.label).collect()
        };
        assert_eq!(labels(Unit::Microseconds, None)[..3], ["0 µs", "1", "2"]);
        assert_eq!(labels(Unit::Nanoseconds, None)[..3], ["0 ns", "1,000", "2,000"]);
        // 8 µs are 9,600 cycles of 1.2 GHz.
        assert_eq!(labels(Unit::Cycles, Some(833_333))[..2], ["0 cycles", "1,000"]);
        let near =
            ticks(Span { from: 1_000_100.0, to: 1_000_900.0 }, 900.0, Unit::Microseconds, None);
        assert_eq!(near[0].label, "1.0001 µs");
    }

    #[test]
    fn times_have_three_decimals() {
        assert_eq!(Unit::Microseconds.text(3_412_000.0, None), "3.412 µs");
        assert_eq!(Unit::Nanoseconds.text(1_234_567.0, None), "1,234.567 ns");
        assert_eq!(Unit::Cycles.text(1_000_000.0, Some(833_333)), "1,200 cycles");
        assert_eq!(Unit::Microseconds.number(-1_500_000.0, None), "\u{2212}1.500");
    }
}
