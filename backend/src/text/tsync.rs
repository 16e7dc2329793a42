//! Aligned counters as text for a terminal.

use debug_api::answer::TsyncAnswer;
use std::fmt::Write;

/// `tsync` as text, earliest first.
pub fn tsync_text(answer: &TsyncAnswer) -> String {
    let mut out = String::new();
    let _ = writeln!(
        out,
        "{:<12} {:>20} {:>20} {:>18} {:>18} {:>15}",
        "block", "first", "t", "ns since start", "ps after first", "wall ns"
    );
    for one in &answer.readings {
        let wall = one.wall_ns.map_or_else(|| "-".to_owned(), |wall| wall.to_string());
        let _ = writeln!(
            out,
            "{:<12} {:>20} {:>20} {:>18} {:>18} {wall:>15}",
            one.block, one.init, one.t, one.nanoseconds, one.after_first
        );
    }
    let how = answer.provenance.name();
    let _ = writeln!(out, "ps = (t - first) * expected / actual, toward zero [{how}]");
    out
}
