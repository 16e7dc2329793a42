//! What a reader keeps of a timeline: rows that stay on top, and marked times.

use super::scale::Unit;

/// Rows that can be kept on top.
pub const PINS: usize = 16;
/// Marks that can be kept.
pub const MARKS: usize = 64;

/// A time or a range, in picoseconds since the first event; a moment has equal ends.
pub type Mark = (u64, u64);

/// Pins and marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Names of the rows on top, in the order in which they were pinned.
    pub pins: Vec<String>,
    /// Marks for good, by start.
    pub marks: Vec<Mark>,
    /// The mark for now; the next one takes its place.
    pub now: Option<Mark>,
}

impl Kept {
    /// Pins a row, or lets it go. `None` where there is no room.
    pub fn pin(&mut self, name: &str) -> Option<bool> {
        match self.pins.iter().position(|own| own == name) {
            Some(at) => {
                self.pins.remove(at);
                Some(false)
            }
            None if self.pins.len() >= PINS => None,
            None => {
                self.pins.push(name.to_owned());
                Some(true)
            }
        }
    }

    /// Marks for good, or takes the mark away that is just there. `None` where there is no room.
    pub fn mark(&mut self, mark: Mark) -> Option<bool> {
        match self.marks.binary_search(&mark) {
            Ok(at) => {
                self.marks.remove(at);
                Some(false)
            }
            Err(_) if self.marks.len() >= MARKS => None,
            Err(at) => {
                self.marks.insert(at, mark);
                Some(true)
            }
        }
    }

    /// All marks with their labels: numbers for those that stay, none for the one for now.
    pub fn labels(&self) -> Vec<(String, Mark)> {
        let kept = (1_u32..).zip(&self.marks).map(|(number, mark)| (number.to_string(), *mark));
        let now = self.now.filter(|now| !self.marks.contains(now));
        kept.chain(now.map(|mark| (String::new(), mark))).collect()
    }
}

/// A mark in words: its time, or its ends.
pub fn words((from, to): Mark, unit: Unit, fs: Option<u64>) -> String {
    match from == to {
        true => unit.text(from as f64, fs),
        false => format!("{} to {}", unit.number(from as f64, fs), unit.text(to as f64, fs)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_pinned_and_let_go() {
        let mut kept = Kept::default();
        assert_eq!(
            (kept.pin("PE"), kept.pin("S[5]"), kept.pin("PE")),
            (Some(true), Some(true), Some(false))
        );
        assert_eq!(kept.pins, ["S[5]"]);
        for row in 0..PINS {
            kept.pin(&row.to_string());
        }
        assert_eq!((kept.pins.len(), kept.pin("more")), (PINS, None));
        // What is there can still be let go.
        assert_eq!(kept.pin("S[5]"), Some(false));
    }

    #[test]
    fn marks_are_numbered_by_time() {
        let mut kept = Kept { now: Some((7, 9)), ..Kept::default() };
        assert_eq!((kept.mark((20, 30)), kept.mark((5, 5))), (Some(true), Some(true)));
        let labels = |kept: &Kept| -> Vec<String> {
            kept.labels().into_iter().map(|(label, (from, _))| format!("{label}@{from}")).collect()
        };
        assert_eq!(labels(&kept), ["1@5", "2@20", "@7"]);
        // The one for now that is kept is shown once.
        assert_eq!(kept.mark((7, 9)), Some(true));
        assert_eq!(labels(&kept), ["1@5", "2@7", "3@20"]);
        assert_eq!(kept.mark((5, 5)), Some(false));
        assert_eq!(labels(&kept), ["1@7", "2@20"]);
        for at in 100..200 {
            kept.mark((at, at));
        }
        assert_eq!((kept.marks.len(), kept.mark((1, 1))), (MARKS, None));
    }

    #[test]
    fn a_mark_in_words() {
        let unit = Unit::Nanoseconds;
        assert_eq!(words((1_500, 1_500), unit, None), "1.500 ns");
        assert_eq!(words((1_000, 2_000), unit, None), "1.000 to 2.000 ns");
    }
}
