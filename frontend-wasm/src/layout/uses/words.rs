//! What a loader says about a variable or queue, and what is odd about it, as lines.

use super::Line;
use debug_api::Provenance;
use debug_api::answer::{Finding, GateInfo};

/// Lines in front of a page's facts; none where nothing is wrong.
pub(super) fn words(gates: &[GateInfo], findings: &[Finding]) -> Vec<Line> {
    if gates.is_empty() && findings.is_empty() {
        return Vec::new();
    }
    let mut lines = vec![Line::head("Gates and findings", "")];
    lines.extend(gates.iter().map(|gate| {
        let label = if gate.stops { "loader stops" } else { "loader says" };
        let fact = Line::fact(label, gate.text.as_str(), gate.code.as_str());
        fact.from(Provenance::Observed).bad(gate.stops).line()
    }));
    lines.extend(findings.iter().map(|one| {
        let fact = Line::fact(&one.severity, one.message.as_str(), one.code.as_str());
        fact.bad(one.severity == "error").line()
    }));
    lines
}
