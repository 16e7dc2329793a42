//! Whether a result depends on what is first at one instant, the fit to a capture, and the processors of
//! collectives.

use super::link;
use crate::dom::{El, div, el, span};
use crate::layout::format::thousands;
use crate::layout::simulate::words;
use crate::paint::glyph::{engine_glyph, symbol};
use debug_api::answer::{AccessInfo, CalibrationInfo, ResidualInfo, TiesInfo, TopSpEnd};

/// TOP_SPs that are listed.
const MOST_TOP_SPS: usize = 64;

/// The shuffled run beside the one in the stated order.
pub fn ties(ties: &TiesInfo) -> Vec<El> {
    let (class, icon) = match (ties.compared, ties.depends) {
        (false, _) => ("info", "v-info"),
        (true, false) => ("ok", "i-check"),
        (true, true) => ("warn", "v-warning"),
    };
    let title = if ties.depends { "A race. " } else { "Order at one instant. " };
    let text = span("tx", "").child(el("b").text(title)).and_text(&ties.words.join(" "));
    let text = match ties.depends {
        true => text.and_text(" ").child(span("code", "run.race")),
        false => text,
    };
    let mut out = vec![
        el("h3").class("rh").text("Order at one instant"),
        div(&format!("banner {class}")).child(symbol("ic", icon)).child(text),
    ];
    if let Some(race) = &ties.race {
        let list = [&race.first, &race.second].into_iter().map(access);
        out.push(el("ul").class("rlist1").children(list));
    }
    out
}

fn access(one: &AccessInfo) -> El {
    let mut head = div("rhead1");
    if let Some(place) = &one.place {
        head = head.child(engine_glyph(&place.e)).child(link(place, &words::place(place)));
        if let Some(pc) = &place.device_pc {
            head = head.child(span("mono t2", &format!("PC {pc}")));
        }
    }
    let text = format!("{} {} it, after {} ps.", one.who, one.does, thousands(one.time_ps));
    let mut made = el("li").class("rstuck cause").child(head);
    made = made.child(el("p").text(&words::capital(&text)));
    if let Some(source) = &one.source {
        let line = source.line.map_or_else(String::new, |line| format!(":{line}"));
        let file = source.file.as_deref().unwrap_or(&source.layer);
        let text = source.text.as_deref().unwrap_or_default();
        made = made.child(el("p").class("mono t2").text(&format!("{file}{line}  {text}")));
    }
    made
}

/// The fit to a capture.
pub fn calibration(of: &CalibrationInfo) -> Vec<El> {
    let text = format!(
        "{} records of {} fitted, {} left out: those with a wait, or without a start or an end.",
        thousands(of.samples),
        of.file,
        thousands(of.left_out)
    );
    let mut out = vec![
        el("h3").class("rh").text("Costs fitted to the capture"),
        el("p").class("rline").text(&text),
    ];
    let left = of.engines.iter().zip(&of.before).map(|(after, before)| engine_row(after, before));
    let runs = of.runs.iter().map(|run| {
        row(&[
            format!("inference of {}", run.subgraph),
            String::new(),
            thousands(run.measured_ns),
            thousands(run.modelled_ns),
            percent(run.error_percent),
            String::new(),
            String::new(),
        ])
    });
    let head = ["Of", "Records", "Measured ns", "Model ns", "Error", "Before", "A record, ps"];
    out.push(table("Error that is left", &numbers(&head), left.chain(runs).collect()));
    let costs = of.opcodes.iter().map(|one| {
        let cost = |cost: &debug_api::answer::CostInfo| {
            format!("{} + {} + {}/1000", cost.issue, cost.start, cost.element_milli)
        };
        row(&[
            one.mnemonic.clone().unwrap_or_else(|| format!("{:#04x}", one.opcode)),
            thousands(one.samples),
            cost(&one.after),
            cost(&one.before),
            percent(one.error.error_percent),
            thousands(one.error.mean_error_ps),
        ])
    });
    let head =
        ["Opcode", "Records", "Cycles: issue + start + element", "Before", "Error", "A record, ps"];
    out.push(table("Fitted costs", &numbers(&head), costs.collect()));
    let fold = el("details").class("rfold").child(el("summary").text("As a timing model"));
    out.push(fold.child(el("pre").class("mono rtoml").attr("tabindex", "0").text(&of.toml)));
    out
}

fn engine_row(after: &ResidualInfo, before: &ResidualInfo) -> El {
    row(&[
        after.engine.clone(),
        thousands(after.samples),
        thousands(after.measured_ns),
        thousands(after.modelled_ns),
        percent(after.error_percent),
        percent(before.error_percent),
        thousands(after.mean_error_ps),
    ])
}

fn percent(error: f64) -> String {
    format!("{error:+.2} %")
}

fn row(cells: &[String]) -> El {
    let cell = |(at, text): (usize, &String)| match at {
        0 => el("th").attr("scope", "row").text(text),
        _ => el("td").class("r mono").text(text),
    };
    el("tr").children(cells.iter().enumerate().map(cell))
}

/// The head of a table that has numbers in all columns but the first.
fn numbers<'a>(head: &[&'a str]) -> Vec<(&'a str, &'static str)> {
    head.iter().enumerate().map(|(at, text)| (*text, if at == 0 { "" } else { "r" })).collect()
}

/// A table whose head cells have a text and a class.
fn table(label: &str, head: &[(&str, &str)], rows: Vec<El>) -> El {
    let cell = |(text, class): &(&str, &str)| el("th").attr("scope", "col").class(class).text(text);
    let head = el("thead").child(el("tr").children(head.iter().map(cell)));
    let made = el("table").class("tbl dense").child(head).child(el("tbody").children(rows));
    let scroll = div("scrollx").attr("tabindex", "0").attr("role", "region");
    scroll.attr("aria-label", label).child(made)
}

/// The processors of collectives.
pub fn top_sps(all: &[TopSpEnd]) -> Vec<El> {
    let rows = all.iter().take(MOST_TOP_SPS).map(|one| {
        let cell = |text: &str| el("td").text(text);
        el("tr")
            .child(el("th").attr("scope", "row").text(&one.core))
            .child(el("td").class("r mono").text(&one.index.to_string()))
            .child(el("td").class("r mono").text(&thousands(one.done)))
            .child(cell(&one.state))
            .child(cell(&one.words).class("wrap"))
    });
    let head = [("Core", ""), ("TOP_SP", "r"), ("Collectives done", "r"), ("State", ""), ("", "")];
    let mut out =
        vec![el("h3").class("rh").text("Collectives"), table("Collectives", &head, rows.collect())];
    let left = all.len().saturating_sub(MOST_TOP_SPS);
    if left > 0 {
        out.push(el("p").class("rmore t3").text(&format!("and {left} more TOP_SPs")));
    }
    out
}
