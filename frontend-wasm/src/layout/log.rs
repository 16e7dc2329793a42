//! The box for a runtime log: what was pasted, what was read from it, and the rows to show.

use debug_api::Provenance;
use debug_api::answer::{Fold, LogAnswer, LogLine, LogPart, LogPlace, PlaceRef};
use std::rc::Rc;

/// Most lines that are shown.
pub const MAX_ROWS: usize = 500;

/// The box.
#[derive(Clone, Debug, Default)]
pub struct LogBox {
    /// Text that was read last.
    pub text: String,
    /// What was read from it.
    pub answer: Option<Rc<LogAnswer>>,
    /// Whether an answer is on its way.
    pub waiting: bool,
}

/// A line of a known kind.
#[derive(Clone, Debug)]
pub struct LogRow<'a> {
    /// The line.
    pub line: &'a LogLine,
    /// Where it leads, the best first.
    pub spots: Vec<Spot<'a>>,
    /// What it says, and what the file says about it.
    pub says: String,
}

/// A place that a line leads to.
#[derive(Clone, Debug)]
pub struct Spot<'a> {
    /// The place.
    pub place: &'a PlaceRef,
    /// Region, slot, IP.
    pub label: String,
    /// Record and source line.
    pub detail: String,
    /// What is uncertain; empty if nothing is.
    pub note: String,
    /// Of the place.
    pub provenance: Provenance,
    /// Profile that its slots are counted under; `None` for that of the question.
    pub profile: Option<&'a str>,
}

/// What the list shows: a row, or lines that are folded.
#[derive(Clone, Debug)]
pub enum LogItem<'a> {
    /// A line of a known kind.
    Row(Box<LogRow<'a>>),
    /// Folded lines.
    Fold {
        /// How many, and which.
        words: String,
        /// Why they are folded.
        fold: Fold,
        /// The lines.
        lines: &'a [LogLine],
    },
}

/// All lines of an answer, in the order of the text.
pub fn items(answer: &LogAnswer) -> Vec<LogItem<'_>> {
    let item = |part| match part {
        LogPart::Line(line) => LogItem::Row(Box::new(row(line))),
        LogPart::Folded(lines, fold) => LogItem::Fold { words: fold.words(lines), fold, lines },
    };
    answer.parts(MAX_ROWS).into_iter().map(item).collect()
}

/// The rows of an answer, in the order of the text.
pub fn rows(answer: &LogAnswer) -> impl Iterator<Item = LogRow<'_>> {
    answer.lines.iter().filter(|line| line.kind != "other").take(MAX_ROWS).map(row)
}

fn row(line: &LogLine) -> LogRow<'_> {
    let more = line.more.iter().filter_map(|point| point.answer.as_ref());
    let mut spots: Vec<Spot<'_>> = line.answer.iter().chain(more).filter_map(spot).collect();
    spots.extend(line.also.iter().map(|place| Spot {
        place,
        label: label(place),
        detail: String::new(),
        note: "also possible".to_owned(),
        provenance: Provenance::Inferred,
        profile: None,
    }));
    let mut says = vec![line.says.as_str()];
    says.extend(line.notes.iter().map(String::as_str));
    says.push(line.next.as_str());
    says.retain(|part| !part.is_empty());
    if spots.is_empty() {
        // Without a place the reason stands alone.
        says.extend(line.answer.as_ref().and_then(|answer| answer.reason.as_deref()));
    }
    LogRow { line, spots, says: says.join(" ") }
}

fn spot(answer: &LogPlace) -> Option<Spot<'_>> {
    let place = answer.place.as_ref()?;
    let mut detail: Vec<String> = answer.text.iter().cloned().collect();
    detail.extend(
        answer
            .source
            .iter()
            .find_map(|item| Some(format!("{}:{}", item.file.as_deref()?, item.line?))),
    );
    Some(Spot {
        place,
        label: label(place),
        detail: detail.join(" · "),
        note: answer.reason.clone().unwrap_or_default(),
        provenance: answer.provenance,
        profile: Some(&answer.profile),
    })
}

fn label(place: &PlaceRef) -> String {
    let mut parts: Vec<String> = place.region.iter().cloned().collect();
    parts.extend(place.image_slot.map(|slot| format!("slot {slot}")));
    parts.extend(place.neff_ip.map(|ip| format!("IP {ip}")));
    parts.join(" ")
}

/// What was read, in one sentence.
pub fn summary(answer: &LogAnswer) -> String {
    let all = answer.lines.len();
    let known = answer.lines.iter().filter(|line| line.kind != "other").count();
    let cut = match known > MAX_ROWS {
        true => format!("; the first {MAX_ROWS} are explained, the rest is folded behind them"),
        false => String::new(),
    };
    if all == 0 {
        return "No line was read.".to_owned();
    }
    format!("{known} of {all} lines are of a known kind{cut}.")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer() -> LogAnswer {
        let place = PlaceRef {
            e: "POOL".to_owned(),
            region: Some("MAIN".to_owned()),
            image_slot: Some(71),
            neff_ip: Some(11),
            ..PlaceRef::default()
        };
        let found = LogPlace {
            text: Some("HALT".to_owned()),
            place: Some(place.clone()),
            profile: "cayman-r2.27".to_owned(),
            ..LogPlace::default()
        };
        let line = |kind: &str, answer: Option<LogPlace>, also: Vec<PlaceRef>| LogLine {
            kind: kind.to_owned(),
            says: "Where an engine stands.".to_owned(),
            answer,
            also,
            ..LogLine::default()
        };
        LogAnswer {
            schema: 1,
            file: None,
            lines: vec![
                line("other", None, Vec::new()),
                line("engine-pc", Some(found), vec![place]),
                line("status", None, Vec::new()),
            ],
            kinds: Default::default(),
            solved: Vec::new(),
            codes: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    #[test]
    fn known_lines_have_rows_and_spots() {
        let answer = answer();
        let rows: Vec<_> = rows(&answer).collect();
        assert_eq!(rows.len(), 2);
        assert_eq!(rows[0].spots.len(), 2);
        assert_eq!(rows[0].spots[0].label, "MAIN slot 71 IP 11");
        assert_eq!(rows[0].spots[0].detail, "HALT");
        assert_eq!(rows[0].spots[1].note, "also possible");
        assert!(rows[1].spots.is_empty());
        assert_eq!(summary(&answer), "2 of 3 lines are of a known kind.");
        let items = items(&answer);
        assert!(matches!(&items[0], LogItem::Fold { lines, .. } if lines.len() == 1));
        assert!(matches!(&items[2], LogItem::Row(_)) && items.len() == 3);
    }
}
