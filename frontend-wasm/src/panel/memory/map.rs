//! The page map: pages as rows, variables to scale.

use super::hbm::{label, percent, swatch};
use super::setup::chip;
use crate::dom::{El, div, el, find, set_text, span, svg};
use crate::layout::format::{count, range, thousands};
use crate::layout::memory::VarRef;
use crate::layout::memory::map::{Block, Row, What, hue, owner_text, owners, rows, used_width};
use crate::layout::memory::words::{self, size};
use crate::paint::glyph::{address, button, provenance};
use debug_api::answer::MemoryAnswer;

/// Height of a lane, and of what stands between two.
const LANE: usize = 23;
const GAP: usize = 2;
/// Blocks that are wider than this part of a row have their name in them.
const NAMED: f64 = 0.018;

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
    section.child(body).child(key(plan))
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
    div("mrow").child(span("", "")).child(drawing).child(span("t3 r", "used"))
}

fn row_of(plan: &MemoryAnswer, row: &Row<'_>) -> El {
    let height = row.lanes * (LANE + GAP) - GAP;
    let (first, last) = row.pages;
    let page = if first == last { "page" } else { "pages" };
    let name = format!("{page} {}", range(first, last));
    let label = div("mlab")
        .child(span("mono", "").child(el("b").text(&name)))
        .child(span("mono t3", "").child(address(&format!("{:#x}", row.offset))));
    let said = format!(
        "{name}: {} used, {}",
        size(row.used),
        count(row.blocks.iter().filter(|one| one.what != What::Padding).count() as u64, "block")
    );
    let mut drawing = svg("svg")
        .class("mpage")
        .attr("width", "100%")
        .attr("height", &height.to_string())
        .attr("role", "img")
        .attr("aria-label", &said);
    let ground = svg("rect").class("mgr").attr("height", &height.to_string());
    let part = row.paged_bytes as f64 / row.bytes.max(1) as f64;
    drawing = drawing.child(ground.attr("width", &percent(part.min(1.0))));
    for cut in &row.cuts {
        let line = svg("line").class("mcut").attr("x1", &percent(*cut)).attr("x2", &percent(*cut));
        drawing = drawing.child(line.attr("y1", "0").attr("y2", &height.to_string()));
    }
    let padding = row.blocks.iter().filter(|one| one.what == What::Padding);
    drawing = drawing.children(padding.map(|one| padding_of(one, height)));
    let blocks = row.blocks.iter().filter(|one| one.what != What::Padding);
    drawing = drawing.children(blocks.map(block));
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
    let mut side = div("mside").child(meter).child(span("mono r", &size(row.used)));
    let (fewest, most) = row.references;
    let loads = match (fewest, most) {
        (_, 0) => "not reserved".to_owned(),
        (a, b) if a == b => count(u64::from(a), "reference"),
        (a, b) => format!("{a}\u{2013}{b} references"),
    };
    if plan.files.len() > 1 || most != 1 {
        side = side.child(span("t3 refs", &loads).attr("title", "Loads that use the page"));
    }
    if row.unlisted > 0 {
        side = side.child(span("t3 refs", &format!("+ {} not drawn", thousands(row.unlisted))));
    }
    div("mrow").child(label).child(drawing).child(side)
}

fn padding_of(block: &Block<'_>, height: usize) -> El {
    let rect = svg("rect").attr("fill", "url(#h-slack)").attr("x", &percent(block.start));
    let rect = rect.attr("width", &percent(block.width)).attr("height", &height.to_string());
    rect.child(svg("title").text("padding: the slice behind it would cross a page"))
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
    let (name, tip) = match &block.what {
        What::Merged(count) => (
            format!("{} variables", thousands(*count)),
            format!(
                "{} variables from {} on; too small to be told apart",
                thousands(*count),
                one.name
            ),
        ),
        _ => {
            let more = if private {
                "; crosses a page, so it has memory of its own"
            } else if !block.ends {
                "; continues on the next row"
            } else {
                ""
            };
            let rest = if block.begins { "" } else { ", rest" };
            let tip = format!(
                "{}{rest}: {} at {:#x} in {}{more}; {}",
                one.name,
                size(one.size),
                one.offset,
                one.subgraph,
                words::spans(&one.spans)
            );
            (format!("{}{rest}", one.name), tip)
        }
    };
    made = made.attr("data-var", &VarRef::of(one).text()).child(svg("title").text(&tip));
    made =
        made.child(rect(&fill, "100%").attr("fill-opacity", if private { ".16" } else { ".26" }));
    if matches!(block.what, What::Merged(_)) {
        made = made.child(rect("", "100%").attr("fill", "url(#h-ins)"));
    }
    if block.begins {
        made = made.child(rect(&fill, "3"));
    }
    let frame = svg("rect").class("mfr").attr("x", "0.75").attr("y", "0.75").attr("rx", "2");
    let frame = frame.attr("width", "100%").attr("height", &(LANE - 1).to_string());
    made = made.child(frame);
    made.children((block.width > NAMED).then(|| label("mnm mono", &name, &high)))
}

/// Owners with their hues, and what the other signs mean.
fn key(plan: &MemoryAnswer) -> El {
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
    if plan.n_private > 0 {
        let sample =
            svg("svg").class("sw2").attr("viewBox", "0 0 22 12").attr("aria-hidden", "true");
        let sample = sample.child(
            svg("rect")
                .class("pfr")
                .attr("x", "1")
                .attr("y", "1")
                .attr("width", "20")
                .attr("height", "10"),
        );
        line =
            line.child(span("lbl", "").child(sample).and_text("crosses a page: memory of its own"));
    }
    if plan.slices.iter().any(|one| one.padding_bytes > 0) {
        line = line.child(span("lbl", "").child(swatch(9)).and_text("padding"));
    }
    if plan.overlaps > 0 {
        line = line.child(span("lbl", "lanes of a row share bytes in turns"));
    }
    line
}
