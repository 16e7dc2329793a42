//! The box for a runtime log: what was pasted, what was read from it, and the rows to show.

use debug_api::Provenance;
use debug_api::answer::{LogAnswer, LogLine, LogPlace, PlaceRef, SolvedBase};
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
    let cut =
        if known > MAX_ROWS { format!("; the first {MAX_ROWS} are shown") } else { String::new() };
    format!("{known} of {all} lines are of a known kind{cut}.")
}

/// What was solved, in one sentence.
pub fn solved(solved: &SolvedBase) -> String {
    let whose = match &solved.profile {
        Some(profile) => format!("of {profile}"),
        None => "of a runtime that is not known here".to_owned(),
    };
    let mut text = format!(
        "{} of {} pairs fit base {} with the {} preamble slots {whose}",
        solved.agreeing, solved.pairs, solved.base, solved.preamble_slots
    );
    if let Some(step) = solved.preamble_step {
        text.push_str(&format!(" (or {step} more, and a base as much lower)"));
    }
    let wrong: Vec<String> =
        solved.disagreeing.iter().take(4).map(|pair| pair.line.to_string()).collect();
    if !wrong.is_empty() {
        text.push_str(&format!("; lines {} disagree", wrong.join(", ")));
    }
    text + "."
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
    }

    #[test]
    fn a_solved_base_is_a_sentence() {
        let pair = debug_api::answer::LogPair { line: 7, device_pc: "0x40".to_owned(), neff_ip: 1 };
        let found = SolvedBase {
            subgraph: "sg00".to_owned(),
            engine: "PE".to_owned(),
            device: None,
            core: None,
            profile: None,
            base: "0x100000".to_owned(),
            preamble_slots: 40,
            preamble_step: Some(512),
            pairs: 3,
            agreeing: 2,
            disagreeing: vec![pair],
            in_use: true,
            provenance: Provenance::Inferred,
        };
        assert_eq!(
            solved(&found),
            "2 of 3 pairs fit base 0x100000 with the 40 preamble slots of a runtime that is not \
             known here (or 512 more, and a base as much lower); lines 7 disagree."
        );
    }
}
