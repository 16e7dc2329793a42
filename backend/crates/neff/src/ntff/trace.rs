//! All records of a capture in one pass: how many, from when to when, what is odd about them.

use records::ntff::QueueType;
use records::trace_record::TraceEvent;

use crate::diagnostic::{Findings, Place, Severity};
use crate::ntff::capture::Capture;
use crate::ntff::clock::TimeBase;
use crate::ntff::subgraph::{Slice, SubgraphCapture};

/// Summary of the records of a capture.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trace {
    /// Aligned time of the earliest record of all, in picoseconds: the zero of what is shown.
    pub origin_ps: Option<i128>,
    /// By subgraph, in the order of the capture.
    pub subgraphs: Vec<SubgraphTrace>,
}

/// Summary of the records of one core.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SubgraphTrace {
    /// Records of all slices.
    pub records: u64,
    /// Records whose type does not belong into their slice.
    pub unknown: u64,
    /// Records whose clock is not known, so that they have no time.
    pub untimed: u64,
    /// Records before which the hardware or software lost some.
    pub after_overflow: u64,
    /// Aligned time of the earliest record, in picoseconds.
    pub first_ps: Option<i128>,
    /// Aligned time of the latest record, in picoseconds.
    pub last_ps: Option<i128>,
}

impl Trace {
    /// Walks over every record once. What is odd becomes one finding for each subgraph and kind.
    pub fn of(capture: &Capture, findings: &mut Findings) -> Self {
        let subgraphs: Vec<SubgraphTrace> = capture
            .subgraphs
            .iter()
            .map(|subgraph| SubgraphTrace::of(capture, subgraph, findings))
            .collect();
        let origin_ps = subgraphs.iter().filter_map(|trace| trace.first_ps).min();
        Self { origin_ps, subgraphs }
    }

    /// Nanoseconds of an aligned time since the earliest record, rounded down.
    pub fn ns(&self, ps: i128) -> Option<i128> {
        Some(ps.checked_sub(self.origin_ps?)?.div_euclid(1000))
    }
}

impl SubgraphTrace {
    fn of(capture: &Capture, subgraph: &SubgraphCapture, findings: &mut Findings) -> Self {
        let base = TimeBase::of(capture.version, &subgraph.clocks);
        let mut all = Self::default();
        let mut odd: [Option<u64>; 3] = [None; 3];
        for slice in &subgraph.slices {
            let before = all;
            all.slice(capture, slice, base);
            let grown = [
                all.unknown > before.unknown,
                all.untimed > before.untimed,
                all.after_overflow > before.after_overflow,
            ];
            for (first, grown) in odd.iter_mut().zip(grown) {
                *first = first.or(grown.then_some(slice.records.start));
            }
        }
        let [unknown, untimed, overflow] = odd;
        let mut report = |severity, code, at: Option<u64>, message: String| {
            if let Some(offset) = at {
                let at = Place { subgraph: Some(subgraph.name.clone()), ..Place::file(offset) };
                findings.push(severity, code, at, message);
            }
        };
        let (warning, of) = (Severity::Warning, all.records);
        let text = format!("{} of {of} records have a type that does not belong", all.unknown);
        report(warning, "ntff.record-type", unknown, format!("{text} into their slice"));
        let text = format!("{} of {of} records have no clock that counts", all.untimed);
        report(warning, "ntff.clock", untimed, format!("{text}, so they have no time"));
        let text = format!("records were lost before {} of {of} records", all.after_overflow);
        report(Severity::Info, "ntff.overflow", overflow, text);
        all
    }

    fn slice(&mut self, capture: &Capture, slice: &Slice, base: TimeBase<'_>) {
        for record in capture.records(slice) {
            self.records += 1;
            let is_error = slice.queue == QueueType::ERROR;
            if !is_error && record.event(slice.queue) == TraceEvent::Unknown {
                self.unknown += 1;
            }
            if record.hardware_overflow() || record.software_overflow() {
                self.after_overflow += 1;
            }
            match base.ps(slice.queue, slice.source, record) {
                Some(ps) => {
                    self.first_ps = Some(self.first_ps.map_or(ps, |first| first.min(ps)));
                    self.last_ps = Some(self.last_ps.map_or(ps, |last| last.max(ps)));
                }
                None => self.untimed += 1,
            }
        }
    }
}
