//! What the address bar says of the Timeline view.

use super::TimelineBox;
use super::TraceSource;
use super::kept::{Kept, MARKS, Mark};
use super::scale::{Span, Unit};

/// What an address says of the view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TimelineAddress {
    /// Source of the events.
    pub trace: Option<TraceSource>,
    /// Window, in picoseconds.
    pub window: Option<(u64, u64)>,
    /// Range that is chosen.
    pub range: Option<(u64, u64)>,
    /// Unit of times.
    pub unit: Option<Unit>,
    /// Whether it is a table.
    pub table: bool,
    /// Rows on top and marks that stay.
    pub kept: Kept,
}

impl TimelineAddress {
    /// What the view shows.
    pub fn of(timeline: &TimelineBox) -> Self {
        let (unit, whole) = (timeline.unit, Span::whole(timeline.end()));
        let window = timeline.span.filter(|span| *span != whole);
        let window = window.map(|span| (span.from.max(0.0) as u64, span.to.ceil() as u64));
        Self {
            trace: timeline.chosen,
            window: window.or(timeline.wanted),
            range: timeline.range,
            unit: (unit != Unit::default()).then_some(unit),
            table: timeline.table,
            kept: Kept { now: None, ..timeline.kept.clone() },
        }
    }

    /// Takes a key. `None` where it is not one of these.
    ///
    /// # Errors
    /// What the value should be.
    pub fn read(&mut self, key: &str, value: &str) -> Option<Result<(), &'static str>> {
        let done = match key {
            "trace" => TraceSource::parse(value).map(|source| self.trace = Some(source)),
            "t" => range_of(value).map(|window| self.window = Some(window)),
            "range" => range_of(value).map(|range| self.range = Some(range)),
            "unit" => Unit::parse(value).map(|unit| self.unit = Some(unit)),
            "rows" => {
                self.table = value == "table";
                Some(())
            }
            "pin" => self.pin(value),
            "tm" => marks_of(value).map(|marks| self.kept.marks = marks),
            _ => return None,
        };
        Some(done.ok_or(match key {
            "trace" => "source of a timeline",
            "t" => "window of time, FROM-TO in picoseconds",
            "range" => "range of time, FROM-TO in picoseconds",
            "unit" => "unit of time",
            "pin" => "row for which there is room: at most 16 are pinned",
            _ => "list of at most 64 times or ranges, FROM or FROM-TO in picoseconds",
        }))
    }

    fn pin(&mut self, name: &str) -> Option<()> {
        if self.kept.pins.iter().any(|own| own == name) {
            return Some(());
        }
        self.kept.pin(name).map(|_| ())
    }

    /// Gives what has not its default.
    pub fn write(&self, mut add: impl FnMut(&str, Option<String>)) {
        let pair = |(from, to): (u64, u64)| format!("{from}-{to}");
        add("trace", self.trace.map(|source| source.name().to_owned()));
        add("t", self.window.map(pair));
        add("range", self.range.map(pair));
        add("unit", self.unit.map(|unit| unit.name().to_owned()));
        add("rows", self.table.then(|| "table".to_owned()));
        for name in &self.kept.pins {
            add("pin", Some(name.clone()));
        }
        let mark = |mark: &Mark| match mark.0 == mark.1 {
            true => mark.0.to_string(),
            false => pair(*mark),
        };
        let marks: Vec<String> = self.kept.marks.iter().map(mark).collect();
        add("tm", (!marks.is_empty()).then(|| marks.join(",")));
    }
}

/// `FROM-TO`, in picoseconds.
fn range_of(text: &str) -> Option<(u64, u64)> {
    let (from, to) = text.split_once('-')?;
    Some((from.parse().ok()?, to.parse().ok()?)).filter(|(from, to)| from < to)
}

/// Times and ranges with commas between, sorted, each once.
fn marks_of(text: &str) -> Option<Vec<Mark>> {
    let mark = |part: &str| match part.contains('-') {
        true => range_of(part),
        false => part.parse().ok().map(|at| (at, at)),
    };
    let mut marks = text.split(',').map(mark).collect::<Option<Vec<Mark>>>()?;
    marks.sort_unstable();
    marks.dedup();
    (marks.len() <= MARKS).then_some(marks)
}

#[cfg(test)]
mod tests {
    use super::super::kept::PINS;
    use super::*;

    fn written(address: &TimelineAddress) -> Vec<(String, String)> {
        let mut out = Vec::new();
        address.write(|key, value| out.extend(value.map(|value| (key.to_owned(), value))));
        out
    }

    #[test]
    fn pins_and_marks_come_back() {
        let mut address = TimelineAddress::default();
        for (key, value) in [("pin", "S[5]"), ("pin", "q, a"), ("pin", "S[5]"), ("tm", "30-40,7,7")]
        {
            assert_eq!(address.read(key, value), Some(Ok(())));
        }
        assert_eq!(address.kept.pins, ["S[5]", "q, a"]);
        assert_eq!(address.kept.marks, [(7, 7), (30, 40)]);
        let all = written(&address);
        let plain: Vec<(&str, &str)> = all.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(plain, [("pin", "S[5]"), ("pin", "q, a"), ("tm", "7,30-40")]);
        let mut again = TimelineAddress::default();
        for (key, value) in &all {
            assert_eq!(again.read(key, value), Some(Ok(())));
        }
        assert_eq!(again, address);
    }

    #[test]
    fn what_cannot_be_taken_is_told() {
        let mut address = TimelineAddress::default();
        for (key, value) in [("tm", "9-3"), ("tm", "x"), ("tm", ""), ("t", "5"), ("unit", "ms")] {
            assert!(matches!(address.read(key, value), Some(Err(_))), "{key}={value}");
        }
        assert_eq!(address, TimelineAddress::default());
        for row in 0..PINS {
            assert_eq!(address.read("pin", &row.to_string()), Some(Ok(())));
        }
        assert!(matches!(address.read("pin", "more"), Some(Err(_))));
        assert_eq!(address.read("pin", "3"), Some(Ok(())));
        let many: Vec<String> = (0..65).map(|at| at.to_string()).collect();
        assert!(matches!(address.read("tm", &many.join(",")), Some(Err(_))));
        assert_eq!(address.read("slot", "3"), None);
    }
}
