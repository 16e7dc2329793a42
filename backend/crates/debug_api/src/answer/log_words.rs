//! What the answer about a log says in the words and the order that all views share.

use super::{Finding, LogAnswer, LogLine, SCHEMA, SolvedBase};
use std::collections::BTreeMap;

/// Lines that are named by their number.
const MOST_LINES: usize = 8;

/// A part of a log on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogPart<'a> {
    /// A line of a known kind.
    Line(&'a LogLine),
    /// Lines that follow each other and are shown folded.
    Folded(&'a [LogLine], Fold),
}

/// Why lines are folded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fold {
    /// They name no PC, no IP, no code and nothing else that is known.
    Noise,
    /// Enough lines of a known kind stand above them.
    Rest,
}

impl LogAnswer {
    /// All lines in their order, those between lines of a known kind folded. Behind the first
    /// `most` lines of a known kind all that follow is one fold, so that no line is lost.
    pub fn parts(&self, most: usize) -> Vec<LogPart<'_>> {
        let is_known = |line: &LogLine| line.kind != "other";
        let mut parts = Vec::new();
        let (mut rest, mut shown) = (self.lines.as_slice(), 0);
        while let Some(first) = rest.first() {
            if is_known(first) && shown == most {
                parts.push(LogPart::Folded(rest, Fold::Rest));
                break;
            }
            let noise = rest.iter().take_while(|line| !is_known(line)).count();
            let (head, tail) = rest.split_at(noise.max(1).min(rest.len()));
            if noise == 0 {
                shown += 1;
                parts.push(LogPart::Line(first));
            } else {
                parts.push(LogPart::Folded(head, Fold::Noise));
            }
            rest = tail;
        }
        parts
    }

    /// The answer to a text without lines, and why there are none.
    pub fn only(finding: Finding) -> Self {
        Self {
            schema: SCHEMA,
            file: None,
            lines: Vec::new(),
            kinds: BTreeMap::new(),
            solved: Vec::new(),
            codes: Vec::new(),
            diagnostics: vec![finding],
        }
    }

    /// How the bases of this answer were found, for a reader who sees them for the first time.
    pub const SOLVED: &'static str = "A base is the device address of an engine\u{2019}s image. These \
        are computed, not read: lines with a device PC and a NEFF IP of the same record leave only \
        bases with PC = base + 64 \u{d7} image slot of that record, and a base is a multiple of \
        0x8000. The slots are those of the open file under a runtime profile, so a base is as sure \
        as its pairs are many.";
}

impl Fold {
    /// What a fold holds, in a few words with its first and last line.
    pub fn words(self, lines: &[LogLine]) -> String {
        let (first, last) = (lines.first(), lines.last());
        let (first, last) = (first.map_or(0, |line| line.line), last.map_or(0, |line| line.line));
        let count = lines.len();
        let what = match (self, count) {
            (Self::Noise, 1) => "1 line without a PC, an IP or a code".to_owned(),
            (Self::Noise, _) => format!("{count} lines without a PC, an IP or a code"),
            (Self::Rest, 1) => "1 further line".to_owned(),
            (Self::Rest, _) => format!("{count} further lines"),
        };
        match first == last {
            true => format!("{what} (line {first})"),
            false => format!("{what} (lines {first} to {last})"),
        }
    }
}

impl SolvedBase {
    /// What was computed: `sg00 POOL: base 0x... with 69 slots in front of MAIN`.
    pub fn what(&self) -> String {
        let mut of = format!("{} {}", self.subgraph, self.engine);
        for (word, id) in [("device", self.device), ("core", self.core)] {
            if let Some(id) = id {
                of.push_str(&format!(" of {word} {id}"));
            }
        }
        format!("{of}: base {} with {} slots in front of MAIN", self.base, self.preamble_slots)
    }

    /// From what: the pairs, and whose slots in front of MAIN they were counted with.
    pub fn from_what(&self) -> String {
        let pairs = match self.pairs {
            1 => "1 pair of a device PC and a NEFF IP".to_owned(),
            pairs => format!("{pairs} pairs of a device PC and a NEFF IP"),
        };
        let profile = match &self.profile {
            Some(profile) => format!("the image that {profile} builds"),
            None => "no profile that is known here: the slots in front of MAIN were solved for too"
                .to_owned(),
        };
        format!("From {pairs} ({}) and {profile}.", lines(&self.lines))
    }

    /// How sure it is, among the bases that were found for the same lines.
    pub fn how_sure(&self, all: &[SolvedBase]) -> String {
        let same = |other: &&SolvedBase| {
            (&other.subgraph, &other.engine, other.device, other.core)
                == (&self.subgraph, &self.engine, self.device, self.core)
        };
        let others = all.iter().filter(same).count().saturating_sub(1);
        let mut parts = Vec::new();
        parts.push(match (self.agreeing, self.pairs) {
            (1, 1) => {
                "Not sure: one pair alone always leaves a base, also if the log is of another \
                       run; a second pair would confirm it."
                    .to_owned()
            }
            (fit, all) if fit == all => format!("Quite sure: all {all} pairs fit it."),
            (fit, all) => {
                let wrong: Vec<u32> = self.disagreeing.iter().map(|pair| pair.line).collect();
                let (not, those) = match wrong.len() {
                    1 => ("does not", "it"),
                    _ => ("do not", "they"),
                };
                format!(
                    "Not sure: {fit} of {all} pairs fit it, {} {not}; {those} may be of another \
                     core, run or file.",
                    lines(&wrong)
                )
            }
        });
        match others {
            0 => {}
            1 => parts.push("Another base fits as many.".to_owned()),
            _ => parts.push(format!("{others} other bases fit as many.")),
        }
        if let Some(step) = self.preamble_step {
            parts.push(format!(
                "Each {step} slots more in front of MAIN with a base {:#x} lower fit as well.",
                step * 64
            ));
        }
        parts.push(if self.in_use {
            "The places of these lines are computed with it.".to_owned()
        } else {
            "The places of these lines are not computed with it.".to_owned()
        });
        parts.join(" ")
    }
}

/// `line 4`, `lines 4, 9, 12`, with a count of those that are not named.
fn lines(numbers: &[u32]) -> String {
    let named: Vec<String> = numbers.iter().take(MOST_LINES).map(u32::to_string).collect();
    let more = match numbers.len().saturating_sub(named.len()) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let word = if numbers.len() == 1 { "line" } else { "lines" };
    format!("{word} {}{more}", named.join(", "))
}

#[cfg(test)]
mod tests {
    use super::super::{LogPair, Provenance};
    use super::*;

    fn answer(kinds: &[&str]) -> LogAnswer {
        let line = |(at, kind): (usize, &&str)| LogLine {
            line: u32::try_from(at).unwrap() + 1,
            kind: (*kind).to_owned(),
            ..LogLine::default()
        };
        LogAnswer {
            schema: 1,
            file: None,
            lines: kinds.iter().enumerate().map(line).collect(),
            kinds: Default::default(),
            solved: Vec::new(),
            codes: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    fn words(parts: &[LogPart<'_>]) -> Vec<String> {
        let word = |part: &LogPart<'_>| match part {
            LogPart::Line(line) => line.line.to_string(),
            LogPart::Folded(lines, fold) => fold.words(lines),
        };
        parts.iter().map(word).collect()
    }

    #[test]
    fn noise_is_folded_and_counted() {
        let log = answer(&["other", "other", "status", "other", "engine-pc", "status", "other"]);
        let noise = "without a PC, an IP or a code";
        assert_eq!(
            words(&log.parts(10)),
            [
                format!("2 lines {noise} (lines 1 to 2)"),
                "3".to_owned(),
                format!("1 line {noise} (line 4)"),
                "5".to_owned(),
                "6".to_owned(),
                format!("1 line {noise} (line 7)"),
            ]
        );
        assert_eq!(
            words(&log.parts(1))[2..],
            [format!("1 line {noise} (line 4)"), "3 further lines (lines 5 to 7)".to_owned()]
        );
        for most in 0..5 {
            let lines = |part: &LogPart<'_>| match part {
                LogPart::Line(_) => 1,
                LogPart::Folded(lines, _) => lines.len(),
            };
            assert_eq!(log.parts(most).iter().map(lines).sum::<usize>(), 7, "none is lost");
        }
        assert!(answer(&[]).parts(3).is_empty());
    }

    fn base() -> SolvedBase {
        SolvedBase {
            subgraph: "sg00".to_owned(),
            engine: "POOL".to_owned(),
            device: None,
            core: Some(1),
            profile: Some("cayman-r2.27".to_owned()),
            base: "0x8005c0008000".to_owned(),
            preamble_slots: 69,
            preamble_step: None,
            pairs: 3,
            agreeing: 3,
            lines: vec![4, 9, 12],
            disagreeing: Vec::new(),
            in_use: true,
            provenance: Provenance::Inferred,
        }
    }

    #[test]
    fn a_base_says_what_from_what_and_how_sure() {
        let sure = base();
        assert_eq!(
            sure.what(),
            "sg00 POOL of core 1: base 0x8005c0008000 with 69 slots in front of MAIN"
        );
        assert_eq!(
            sure.from_what(),
            "From 3 pairs of a device PC and a NEFF IP (lines 4, 9, 12) and the image that \
             cayman-r2.27 builds."
        );
        assert_eq!(
            sure.how_sure(std::slice::from_ref(&sure)),
            "Quite sure: all 3 pairs fit it. The places of these lines are computed with it."
        );
        let pair = LogPair { line: 7, device_pc: "0x40".to_owned(), neff_ip: 1 };
        let torn = SolvedBase { agreeing: 2, disagreeing: vec![pair], in_use: false, ..base() };
        let both = [torn.clone(), base()];
        assert!(torn.how_sure(&both).starts_with(
            "Not sure: 2 of 3 pairs fit it, line 7 does not; it may be of another core, run or \
             file. Another base fits as many."
        ));
        let one = SolvedBase { pairs: 1, agreeing: 1, lines: vec![4], ..base() };
        assert!(one.how_sure(std::slice::from_ref(&one)).starts_with("Not sure: one pair alone"));
        let open = SolvedBase { profile: None, preamble_step: Some(512), ..base() };
        // 512 slots of 64 bytes are 0x8000 bytes.
        assert!(
            open.how_sure(&[]).contains("Each 512 slots more in front of MAIN with a base 0x8000")
        );
    }
}
