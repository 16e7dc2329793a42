//! Lifetimes: which records of an engine use which bytes, and the pairs that share bytes.

use super::hbm::{percent, swatch};
use crate::dom::{El, div, el, span, svg};
use crate::layout::format::{count, thousands};
use crate::layout::memory::VarRef;
use crate::layout::memory::lives::{engines, lives};
use crate::layout::memory::map::{Owner, hue, owners};
use crate::layout::memory::words::{self, size};
use crate::paint::glyph::{button, engine_glyph, provenance};
use debug_api::Provenance;
use debug_api::answer::{MemoryAnswer, OverlapPair};

/// Height of the chart.
const HEIGHT: u32 = 210;
/// Rectangles of a chart, and rows of the table of pairs.
const MOST: usize = 2_000;
const PAIRS: usize = 40;

/// The engine whose chart is shown.
pub fn engine_of(plan: &MemoryAnswer, wanted: &str) -> Option<&'static str> {
    let all = engines(plan);
    all.iter().find(|one| **one == wanted).or(all.first()).copied()
}

/// The section; `None` where there is nothing to tell.
pub fn section(plan: &MemoryAnswer, wanted: &str) -> Option<El> {
    if plan.pages.is_empty() {
        return None;
    }
    let head = |sub: &str| {
        div("ph").child(el("h3").text("Lifetimes")).child(span("sub", sub)).child(span("grow", ""))
    };
    let made = el("section").class("msec");
    let Some(engine) = engine_of(plan, wanted) else {
        let gap = div("gap").child(el("b").text("No record is known to use a virtual variable."));
        let gap =
            gap.and_text(" Transfers whose descriptors the file does not hold cannot be followed.");
        return Some(made.child(head("not known")).child(gap));
    };
    let (list, last) = lives(plan, engine);
    let sub =
        format!("offset against NEFF IP of {engine}, {}", count(list.len() as u64, "variable"));
    let buttons = engines(plan).into_iter().map(|one| {
        let on = one == engine;
        let made = button(if on { "on" } else { "" }).attr("data-engine", one);
        made.attr("aria-pressed", if on { "true" } else { "false" })
            .child(engine_glyph(one))
            .and_text(one)
    });
    let tabs = div("tabs").attr("role", "group").attr("aria-label", "Engine").children(buttons);
    let badge =
        span("badge q-inf", "").child(provenance(Provenance::Inferred)).and_text("inferred");
    let title =
        "From the first to the last record that names the variable or triggers a transfer of it";
    let head = head(&sub).child(tabs).child(badge.attr("title", title));
    let top = plan.need_bytes.max(1) as f64;
    let whole = f64::from(last.max(1));
    let mut drawing =
        svg("svg").class("mlife").attr("width", "100%").attr("height", &HEIGHT.to_string());
    drawing = drawing.attr("role", "img").attr("aria-label", &sub);
    for quarter in 0..=4_u32 {
        let y = (HEIGHT * quarter / 4).to_string();
        let line = svg("line").class("mgrid").attr("x1", "0").attr("x2", "100%");
        drawing = drawing.child(line.attr("y1", &y).attr("y2", &y));
    }
    for life in list.iter().take(MOST) {
        let one = &life.variable;
        let (from, to) = (f64::from(life.ips.0) / whole, f64::from(life.ips.1) / whole);
        let high = (one.size as f64 / top * f64::from(HEIGHT)).max(3.0);
        let y = f64::from(HEIGHT) - (one.offset as f64 / top * f64::from(HEIGHT)) - high;
        let fill = format!("f-{}", hue(life.owner));
        let (y, high) = (format!("{:.2}", y.max(0.0)), format!("{high:.2}"));
        let rect = |class: &str| svg("rect").class(class).attr("height", &high);
        let tip = format!(
            "{}: {} at {:#x}, {engine} IP {} to {}",
            one.name,
            size(one.size),
            one.offset,
            thousands(u64::from(life.ips.0)),
            thousands(u64::from(life.ips.1))
        );
        let block = svg("svg")
            .class("mb")
            .attr("x", &percent(from.min(0.996)))
            .attr("y", &y)
            .attr("width", &percent((to - from).max(0.004)))
            .attr("height", &high)
            .attr("data-var", &VarRef::of(one).text())
            .attr("aria-label", &tip)
            .child(rect(&fill).attr("width", "100%").attr("fill-opacity", ".42"))
            .child(rect(&fill).attr("width", "3"))
            .child(rect("mfr").attr("width", "100%"));
        drawing = drawing.child(block);
    }
    let scale = div("myax")
        .child(span("mono t3", &size(plan.need_bytes)))
        .child(span("mono t3", &size(plan.need_bytes / 2)))
        .child(span("mono t3", "0"));
    let ends = div("mxax")
        .child(span("mono t3", "IP 1"))
        .child(span("mono t3", &thousands(u64::from(last))));
    let chart = div("mchart").child(scale).child(drawing).child(span("", "")).child(ends);
    Some(made.child(head).child(chart).children(pairs(plan)))
}

/// The pairs that share bytes, as a table.
fn pairs(plan: &MemoryAnswer) -> Option<El> {
    if plan.overlap_pairs.is_empty() {
        return None;
    }
    let heads = ["Variable", "Shares with", "Bytes", "Used"];
    let heads = heads.map(|text| el("th").attr("scope", "col").text(text));
    let owners = owners(plan);
    let rows = plan.overlap_pairs.iter().take(PAIRS).map(|pair| pair_row(&owners, pair));
    let table = el("table").class("tbl dense").child(el("thead").child(el("tr").children(heads)));
    let table = table.child(el("tbody").children(rows));
    let shown = plan.overlap_pairs.len().min(PAIRS) as u64;
    let more = plan.overlaps.saturating_sub(shown);
    let more =
        (more > 0).then(|| div("t3 mmore").text(&format!("and {} more pairs", thousands(more))));
    let cap = el("h4").class("cap mcapt").text("Bytes that variables share");
    let scroll = div("scrollx").attr("tabindex", "0").attr("role", "region");
    let scroll = scroll.attr("aria-label", "Pairs of variables that share bytes").child(table);
    Some(div("").child(cap).child(scroll).children(more))
}

fn pair_row(owners: &[Owner], pair: &OverlapPair) -> El {
    let name = |one: &debug_api::answer::MemoryVariable| {
        let at = owners.iter().position(|own| {
            own.0 == one.file
                && own.1.as_deref() == (one.slice != "shared").then_some(one.subgraph.as_str())
        });
        let link = button("go mono").attr("data-var", &VarRef::of(one).text()).text(&one.name);
        el("td").class("nm").child(span("lbl", "").child(swatch(hue(at.unwrap_or(0)))).child(link))
    };
    let class = if pair.order == "together" { "warnt" } else { "t2" };
    el("tr")
        .child(name(&pair.a))
        .child(name(&pair.b))
        .child(el("td").class("r mono").text(&size(pair.bytes)))
        .child(el("td").class(class).text(words::order(&pair.order)))
}
