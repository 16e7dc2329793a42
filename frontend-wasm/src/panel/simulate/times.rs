//! Where the time of a core's engines went: a bar for each, to the scale of the run.

use crate::dom::{El, div, el, span, svg};
use crate::layout::simulate::words::{self, Share, shares};
use crate::paint::glyph::engine;
use debug_api::answer::{CoreEnd, SimulateAnswer};

/// Width of a bar in its own units.
const WIDE: f64 = 1000.0;

/// The bars of a core.
pub fn bars(core: &CoreEnd, answer: &SimulateAnswer) -> El {
    let title = match answer.cores.len() {
        0 | 1 => "Where the time went".to_owned(),
        _ => format!("Where the time of {} went", words::core_name(core, words::has_ranks(answer))),
    };
    let rows = core.engines.iter().map(|one| {
        let share = shares(one, answer.time_ns);
        let row = div("rbar").attr("role", "listitem").child(engine(&one.engine));
        row.child(bar(&share)).child(span("t2", &share.words()))
    });
    let list = div("rbars").attr("role", "list").attr("aria-label", &title).children(rows);
    div("rtimes").child(el("h3").class("rh").text(&title)).child(list)
}

fn bar(share: &Share) -> El {
    let mut made = svg("svg").class("rshare").attr("aria-hidden", "true");
    made = made.attr("viewBox", "0 0 1000 8").attr("preserveAspectRatio", "none");
    let mut from = 0.0;
    for (class, part) in [("busy", share.busy), ("waited", share.waited), ("stuck", share.stuck)] {
        let wide = WIDE * part;
        let rect = svg("rect").class(class).attr("x", &format!("{from:.1}")).attr("y", "0");
        made = made.child(rect.attr("width", &format!("{wide:.1}")).attr("height", "8"));
        from += wide;
    }
    made
}
