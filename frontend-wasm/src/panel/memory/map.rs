//! The page map: pages as rows, variables to scale.

use super::hbm::{percent, swatch};
use super::setup::chip;
use crate::dom::{El, div, el, find, set_text, span, svg};
use crate::layout::format::{count, thousands};
use crate::layout::memory::VarRef;
use crate::layout::memory::card::said;
use crate::layout::memory::map::{Block, Row, What, hue, owner_text, owners, rows, used_width};
use crate::layout::memory::marks::{
    Parts, SharedBytes, mark, note, orders, parts, row_words, shared,
};
use crate::layout::memory::words::{self, size};
use crate::paint::glyph::{address, button, provenance};
use debug_api::Provenance;
use debug_api::answer::MemoryAnswer;

/// Height of a lane, and of what stands between two.
const LANE: usize = 23;
const GAP: usize = 2;
/// Blocks that are wider than this part of a row have their name in them, as far as there is room.
const NAMED: f64 = 0.008;
/// Blocks that are wider than this have an edge: in narrower ones it would be all that is seen.
const EDGED: f64 = 0.006;

/// The title of a section; it says the mode if the other one stands beside it.
pub fn entitle(section: &El, plan: &MemoryAnswer, double: bool) {
    let title = match (double, plan.mode.as_str()) {
        (false, _) => "Scratchpad",
        (true, "contiguous") => "Scratchpad, contiguous",
        (true, _) => "Scratchpad, paged",
    };
    if let Some(head) = find(section.element(), "h3") {
        set_text(&head, title);
    }
}

/// The section of one mode, to be entitled.
pub fn section(plan: &MemoryAnswer, whole: bool) -> El {
    let mut head =
        div("ph").child(el("h3")).child(span("sub", &words::need(plan))).child(span("grow", ""));
    if plan.n_private > 0 {
        let text = format!("{} private, {}", thousands(plan.n_private), size(plan.private_bytes));
        let title = "Variables that cross a page: each gets memory of its own";
        head = head.child(chip("sevw", "v-warning", &text).attr("title", title));
    }
    if plan.overlaps > 0 {
        let text = count(plan.overlaps, "overlap");
        let title = "Pairs of variables that share bytes: normal, their lifetimes differ";
        head = head.child(chip("sevi", "v-info", &text).attr("title", title));
    }
    let (made, more) = rows(plan, None);
    let used = used_width(&made);
    if let Some(width) = used {
        let choice = |on: bool, whole: &str, text: &str| {
            let made = button(if on { "on" } else { "" }).attr("data-whole", whole);
            made.attr("aria-pressed", if on { "true" } else { "false" }).text(text)
        };
        let group = div("seg").attr("role", "group").attr("aria-label", "Scale of the page map");
        let first = format!("first {}", size(width));
        head = head.child(group.child(choice(!whole, "no", &first)).child(choice(
            whole,
            "yes",
            "whole pages",
        )));
    }
    head = head.child(provenance(plan.provenance));
    // Rows of the used bytes are laid out anew: blocks that are too narrow differ.
    let (made, more) = match used.filter(|_| !whole) {
        Some(width) => rows(plan, Some(width)),
        None => (made, more),
    };
    let section = el("section").class("msec").attr("data-map", &plan.mode).child(head);
    if made.is_empty() {
        return section.child(empty(plan));
    }
    let bytes = made.first().map_or(0, |row| row.bytes);
    let mut body = div("mmap").child(ruler(bytes));
    for row in &made {
        body = body.child(row_of(plan, row));
    }
    if more > 0 {
        let text =
            format!("and {} more; the table of variables has them all", count(more as u64, "page"));
        body = body.child(div("t3 mmore").text(&text));
    }
    section.child(body).child(key(plan, &made))
}

fn empty(plan: &MemoryAnswer) -> El {
    let gap = div("gap");
    if plan.n_pages > 1024 {
        let pages = thousands(plan.n_pages);
        return gap
            .child(el("b").text(&format!("{pages} pages cannot be reserved.")))
            .and_text(" Number of scratchpad pages requested exceeded the max of 1,024, status 2. ")
            .and_text("Larger pages, or contiguous mode, need fewer of them.");
    }
    if plan.n_virtual > 0 {
        let refused = plan.diagnostics.iter().find(|one| one.code == "memory.refused");
        let why = match refused {
            Some(one) => one.message.as_str(),
            None if plan.n_unread > 0 => "their sizes or offsets could not be read",
            None => "all of them are empty",
        };
        let head =
            format!("No page can be shown for {}.", count(plan.n_virtual, "virtual variable"));
        return gap.child(el("b").text(&head)).and_text(&format!(" The reason: {why}."));
    }
    gap.child(el("b").text("No scratchpad is needed."))
        .and_text(" No subgraph has virtual variables; the others have memory of their own.")
}

/// The axis of a row.
fn ruler(bytes: u64) -> El {
    let mut drawing =
        svg("svg").attr("width", "100%").attr("height", "16").attr("aria-hidden", "true");
    for quarter in 0..=4_u64 {
        let anchor = ["start", "middle", "middle", "middle", "end"];
        let anchor = anchor.get(quarter as usize).copied().unwrap_or("middle");
        let at = bytes / 4 * quarter;
        let text = match quarter {
            0 => "0".to_owned(),
            _ => size(at),
        };
        let tick = svg("text").class("tk").attr("x", &percent(quarter as f64 / 4.0));
        drawing = drawing.child(tick.attr("y", "12").attr("text-anchor", anchor).text(&text));
    }
    div("mrow").child(span("", "")).child(drawing).child(span("t3 r", "used, fill"))
}

fn row_of(plan: &MemoryAnswer, row: &Row<'_>) -> El {
    let height = row.lanes * (LANE + GAP) - GAP;
    let words = row_words(row);
    let name = span("mono", "").child(el("b").text(&words.name));
    let label = div("mlab")
        .child(span("mfirst", "").child(name).child(span("mono t2", &words.size)))
        .child(span("mono t3", "").child(address(&format!("{:#x}", row.offset))));
    let mut drawing = svg("svg")
        .class("mpage")
        .attr("width", "100%")
        .attr("height", &height.to_string())
        .attr("role", "img")
        .attr("aria-label", &words.said);
    let ground = svg("rect").class("mgr").attr("height", &height.to_string());
    let part = row.paged_bytes as f64 / row.bytes.max(1) as f64;
    drawing = drawing.child(ground.attr("width", &percent(part.min(1.0))));
    for cut in &row.cuts {
        let line = svg("line").class("mcut").attr("x1", &percent(*cut)).attr("x2", &percent(*cut));
        drawing = drawing.child(line.attr("y1", "0").attr("y2", &height.to_string()));
    }
    let padding = row.blocks.iter().filter(|one| one.what == What::Padding);
    drawing = drawing.children(padding.map(|one| padding_of(one, row.bytes, height)));
    let blocks = row.blocks.iter().filter(|one| one.what != What::Padding);
    drawing = drawing.children(blocks.map(block));
    let (marks, _) = shared(plan, row);
    drawing = drawing.children(marks.iter().map(mark_of));
    let used = row.used as f64 / row.paged_bytes.max(1) as f64;
    let meter = svg("svg")
        .class("mmet")
        .attr("width", "56")
        .attr("height", "4")
        .attr("aria-hidden", "true");
    let bar = |class: &str, width: f64| {
        svg("rect").class(class).attr("height", "4").attr("rx", "2").attr("width", &percent(width))
    };
    let meter = meter.child(bar("mmg", 1.0)).child(bar("f-1", used.min(1.0)));
    let side = div("mside").child(meter).child(span("mono r", &words.used));
    let loads = span("refs t3", "").child(span("", &words.fill));
    let loads = loads.child(span("", &words.references).attr("title", "Loads that use the page"));
    let left = (row.unlisted > 0).then(|| {
        let text = format!("+ {} not drawn", thousands(row.unlisted));
        span("refs t3", &text).attr("title", "The table of variables has them all")
    });
    div("mrow").child(label).child(drawing).child(side.child(loads).children(left))
}

/// A name that keeps its end where there is no room for all of it, and what is said behind it.
fn name_of(class: &str, name: &str, note: &str, high: &str) -> El {
    let Parts { head, middle, end } = parts(name);
    let part = |class: &str, text: &str| (!text.is_empty()).then(|| span(class, text));
    let line = div("mnl")
        .child(span("mn0", &head))
        .children(part("mn1", &middle))
        .children(part("mn2", &end))
        .children(part("mnn", note));
    let room = svg("foreignObject").attr("width", "100%").attr("height", high);
    room.attr("aria-hidden", "true").child(div(class).child(line))
}

fn padding_of(block: &Block<'_>, bytes: u64, height: usize) -> El {
    let high = height.to_string();
    let text = format!("{} of padding", size((block.width * bytes as f64).round() as u64));
    let made = svg("svg").class("mpad").attr("x", &percent(block.start)).attr("height", &high);
    let made = made.attr("width", &percent(block.width));
    let rect = svg("rect").attr("fill", "url(#h-slack)").attr("width", "100%");
    made.child(svg("title").text(&format!("{text}: the slice behind it would cross a page")))
        .child(rect.attr("height", &high))
        .children((block.width > NAMED).then(|| name_of("mnm mono", &text, "", &high)))
}

/// Bytes that two variables share: a frame over both lanes.
fn mark_of(one: &SharedBytes<'_>) -> El {
    let (top, bottom) = one.lanes;
    let y = (top * (LANE + GAP)).to_string();
    let high = ((bottom - top + 1) * (LANE + GAP) - GAP).to_string();
    svg("rect")
        .class(&format!("mshare {}", mark(&one.pair.order)))
        .attr("x", &percent(one.start))
        .attr("width", &percent(one.width))
        .attr("y", &y)
        .attr("height", &high)
}

fn block(block: &Block<'_>) -> El {
    let y = (block.lane * (LANE + GAP)).to_string();
    let high = LANE.to_string();
    let fill = format!("f-{}", hue(block.owner));
    let private = block.what == What::Private;
    let rect = |class: &str, width: &str| {
        svg("rect").class(class).attr("height", &high).attr("width", width)
    };
    let mut made = svg("svg")
        .class(if private { "mb private" } else { "mb" })
        .attr("x", &percent(block.start))
        .attr("y", &y)
        .attr("width", &percent(block.width.max(0.0012)))
        .attr("height", &high);
    let Some(one) = block.variable else { return made };
    let name = match &block.what {
        What::Merged(many) => format!("{} variables", thousands(*many)),
        _ if !block.begins => format!("{}, rest", one.name),
        _ => one.name.clone(),
    };
    made = made.attr("data-var", &VarRef::of(one).text()).attr("aria-label", &said(block));
    if let What::Merged(many) = &block.what {
        made = made.attr("data-many", &many.to_string());
    }
    made =
        made.child(rect(&fill, "100%").attr("fill-opacity", if private { ".16" } else { ".26" }));
    if matches!(block.what, What::Merged(_)) {
        made = made.child(rect("", "100%").attr("fill", "url(#h-ins)"));
    }
    if block.begins && block.width > EDGED {
        made = made.child(rect(&fill, "3"));
    }
    let frame = svg("rect").class("mfr").attr("x", "0.75").attr("y", "0.75").attr("rx", "2");
    let frame = frame.attr("width", "100%").attr("height", &(LANE - 1).to_string());
    made = made.child(frame);
    made.children((block.width > NAMED).then(|| name_of("mnm mono", &name, &note(block), &high)))
}

/// Owners with their hues, and what the other signs mean.
fn key(plan: &MemoryAnswer, rows: &[Row<'_>]) -> El {
    let mut blocks = rows.iter().flat_map(|row| &row.blocks);
    let merged = blocks.any(|one| matches!(one.what, What::Merged(_)));
    let not_marked = plan.overlaps > plan.overlap_pairs.len() as u64
        || rows.iter().any(|row| shared(plan, row).1);
    let mut line = div("mkey");
    for (at, owner) in owners(plan).iter().enumerate().take(8) {
        let text = owner_text(plan, owner);
        let slice = plan
            .slices
            .iter()
            .find(|one| one.file == owner.0 && one.subgraph == owner.1)
            .map_or(String::new(), |one| format!(" {} at {:#x}", size(one.bytes), one.offset));
        let item = span("lbl", "").child(swatch(hue(at))).and_text(&text);
        line = line.child(item.child(span("mono t3", &slice)));
    }
    let sample = |class: &str| {
        let glyph =
            svg("svg").class("sw2").attr("viewBox", "0 0 22 12").attr("aria-hidden", "true");
        let rect = svg("rect").class(class).attr("x", "1").attr("y", "1");
        let rect = rect.attr("width", "20").attr("height", "10");
        // A hatch is of this document, so no rule of a style sheet can name it.
        glyph.child(if class == "mmany" { rect.attr("fill", "url(#h-ins)") } else { rect })
    };
    let signs = [
        (plan.n_private > 0, "pfr", "private spill: crosses a page, so it has memory of its own"),
        (merged, "mmany", "several variables, too small to be told apart"),
    ];
    for (_, class, text) in signs.into_iter().filter(|(there, ..)| *there) {
        line = line.child(span("lbl", "").child(sample(class)).and_text(text));
    }
    if plan.slices.iter().any(|one| one.padding_bytes > 0) {
        let text = "padding, so that a slice crosses no page";
        line = line.child(span("lbl", "").child(swatch(9)).and_text(text));
    }
    if not_marked {
        let text =
            format!("not all of {} that share bytes are marked", count(plan.overlaps, "pair"));
        line = line.child(span("lbl t3", &text));
    }
    for order in orders(plan) {
        let text = match order {
            "apart" => "same bytes, used one after the other",
            "mixed" => "same bytes, uses are mixed on an engine",
            _ => "same bytes, order of the engines not known",
        };
        let class = format!("mshare {order}");
        let own = span("lbl", "").child(sample(&class)).and_text(text);
        line = line.child(own.child(provenance(Provenance::Inferred)));
    }
    line
}
