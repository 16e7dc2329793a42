//! The bar of an HBM with its categories, computed and measured.

use crate::dom::{El, div, el, span, svg};
use crate::layout::memory::bar::{Bar, Segment, ticks, title};
use crate::layout::memory::words::{size, size_fine};
use crate::paint::glyph::{button, provenance, symbol};
use debug_api::Provenance;
use debug_api::answer::{MemoryAnswer, NtffAnswer};

/// Height of a bar.
const HEIGHT: &str = "30";

/// What stands for sums beyond 2^64.
const OVER: &str = "over 16 EiB";

/// Parts of a bar that are wider than this have their name in them.
const NAMED: f64 = 0.04;

/// A part of a width, in percent.
pub fn percent(part: f64) -> String {
    format!("{:.4}%", part * 100.0)
}

/// Swatch of a hue; 0 is gray, 9 is hatched.
pub fn swatch(hue: u8) -> El {
    let square = |class: &str| {
        svg("rect").class(class).attr("width", "10").attr("height", "10").attr("rx", "2")
    };
    let glyph = svg("svg").class("sw1").attr("viewBox", "0 0 10 10").attr("aria-hidden", "true");
    match hue {
        0 => glyph.child(square("r-pad")),
        9 => glyph.child(square("none")).child(square("").attr("fill", "url(#h-slack)")),
        hue => glyph.child(square(&format!("f-{hue}"))),
    }
}

/// The section of one HBM.
pub fn section(plan: &MemoryAnswer, bank: u32) -> El {
    let bar = Bar::of(plan, bank);
    let several = plan.hbms.len() > 1;
    let said = match bar.excess() {
        0 => format!("{} of {} planned", size_fine(bar.planned), size(bar.total)),
        _ if bar.exceeds => format!("more than 16 EiB planned of {}", size(bar.total)),
        excess => format!(
            "{} planned, {} more than its {}",
            size_fine(bar.planned),
            size_fine(excess),
            size(bar.total)
        ),
    };
    let head = div("ph")
        .child(el("h3").text(&format!("HBM {bank}")))
        .child(span("sub", &said))
        .child(span("grow", ""))
        .child(
            span("badge q-mod", "")
                .child(provenance(plan.fits_provenance))
                .and_text("modelled")
                .attr("title", "Whether it fits is tried on a model of the driver"),
        );
    let head = if several { head.child(banks(plan, bank)) } else { head };
    let mut drawing = strip("Computed");
    if bar.firmware > 0 {
        let width = bar.firmware as f64 / bar.scale;
        drawing = drawing.child(piece(0.0, width, 0, "firmware", &size(bar.firmware)));
    }
    for (segment, (start, width)) in bar.segments.iter().zip(bar.computed_parts()) {
        let Some(bytes) = segment.bytes.filter(|bytes| *bytes > 0) else { continue };
        let value = if segment.exceeds { OVER.to_owned() } else { size_fine(bytes) };
        drawing = drawing.child(piece(start, width, segment.hue, segment.title, &value));
    }
    drawing = rest(drawing, &bar);
    let mut body = div("mhb").child(line("computed", drawing));
    if let Some(all) = bar.measured() {
        let mut drawing = strip("Measured");
        for (segment, (start, width)) in bar.segments.iter().zip(bar.measured_parts()) {
            let Some(bytes) = segment.measured.filter(|bytes| *bytes > 0) else { continue };
            let hue = segment.hue;
            drawing = drawing.child(piece(start, width, hue, segment.title, &size_fine(bytes)));
        }
        let said = format!("measured, {}", size_fine(all));
        body = body.child(line(&said, drawing));
    }
    body = body.child(axis(bar.scale));
    let mut legend = el("ul").class("mleg").attr("aria-label", "Categories");
    let known = |segment: &&Segment| segment.bytes.is_some() || segment.measured.is_some();
    for segment in bar.segments.iter().filter(known) {
        legend = legend.child(entry(segment, plan.measured.is_some()));
    }
    let firmware = format!("first {} of the HBM", size(bar.firmware));
    let (observed, tried) = (Provenance::Observed, plan.fits_provenance);
    legend = legend.child(plain(0, ("Firmware", &size_fine(bar.firmware)), &firmware, observed));
    let of = format!("of {}, bank {bank}", size(bar.total));
    let free = match bar.excess() {
        0 => plain(9, ("Free", &size_fine(bar.free())), &of, tried),
        _ if bar.exceeds => plain(9, ("Missing", OVER), &of, tried).class("over"),
        excess => plain(9, ("Missing", &size_fine(excess)), &of, tried).class("over"),
    };
    let mut unknown = el("dl").class("mnot");
    for one in &plan.not_computed {
        unknown =
            unknown.child(el("dt").class("mono").text(&one.name)).child(el("dd").text(&one.reason));
    }
    let title = el("h4").class("cap").text("Not computed, so not in these sums");
    let unknown = div("mnots").child(title).child(unknown);
    let body = body.child(legend.child(free)).child(unknown);
    el("section").class("msec").child(head).child(body)
}

fn banks(plan: &MemoryAnswer, bank: u32) -> El {
    let buttons = plan.hbms.iter().map(|hbm| {
        let on = hbm.index == bank;
        let used = if hbm.used_bytes == 0 { ", empty" } else { "" };
        button(if on { "on" } else { "" })
            .attr("data-bank", &hbm.index.to_string())
            .attr("aria-pressed", if on { "true" } else { "false" })
            .attr("aria-label", &format!("HBM {}{used}", hbm.index))
            .text(&hbm.index.to_string())
    });
    div("seg").attr("role", "group").attr("aria-label", "HBM").children(buttons)
}

fn strip(name: &str) -> El {
    svg("svg")
        .class("mstrip")
        .attr("width", "100%")
        .attr("height", HEIGHT)
        .attr("role", "img")
        .attr("aria-label", &format!("{name} categories to scale; the list below has the numbers"))
}

/// A segment: tint, edge, name where there is room.
fn piece(start: f64, width: f64, hue: u8, name: &str, value: &str) -> El {
    let fill = if hue == 0 { "r-pad".to_owned() } else { format!("f-{hue}") };
    let rect = |class: &str| svg("rect").class(class).attr("height", HEIGHT);
    svg("svg")
        .class("mpiece")
        .attr("x", &percent(start))
        .attr("width", &percent(width.max(0.0015)))
        .attr("height", HEIGHT)
        .child(svg("title").text(&format!("{name}, {value}")))
        .child(rect(&fill).attr("width", "100%").attr("fill-opacity", ".36"))
        .child(rect(&fill).attr("width", "3"))
        .children((width > NAMED).then(|| label("mnm b", name, HEIGHT)))
}

/// A name in a drawing that ends in dots where there is no room for it.
pub fn label(class: &str, text: &str, height: &str) -> El {
    let room = svg("foreignObject").attr("width", "100%").attr("height", height);
    room.attr("aria-hidden", "true").child(div(class).text(text))
}

/// What is free, or the end of the HBM in the middle of what is planned.
fn rest(drawing: El, bar: &Bar) -> El {
    let at = |bytes: u64| bytes as f64 / bar.scale;
    if bar.excess() > 0 {
        let end = at(bar.total);
        let rect = svg("rect").class("mover").attr("x", &percent(end)).attr("height", HEIGHT);
        let rect = rect.attr("width", &percent(1.0 - end));
        let line = svg("line").class("mend").attr("x1", &percent(end)).attr("x2", &percent(end));
        let line = line.attr("y1", "-3").attr("y2", "33");
        return drawing.child(rect.child(svg("title").text("more than the HBM has"))).child(line);
    }
    let start = at(bar.planned);
    let free = svg("svg").class("mpiece").attr("x", &percent(start)).attr("height", HEIGHT);
    let free = free.attr("width", &percent((1.0 - start).max(0.0)));
    let rect = svg("rect").attr("width", "100%").attr("height", HEIGHT);
    let text = svg("text").class("b").attr("x", "100%").attr("dx", "-8").attr("y", "19");
    let text = text.attr("text-anchor", "end");
    let words =
        if 1.0 - start > 0.12 { format!("free {}", size_fine(bar.free())) } else { String::new() };
    drawing.child(
        free.child(rect.attr("fill", "url(#h-slack)"))
            .child(svg("title").text("free"))
            .child(text.text(&words)),
    )
}

fn line(name: &str, drawing: El) -> El {
    div("mline").child(span("t3", name)).child(drawing)
}

fn axis(scale: f64) -> El {
    // Marks end at the largest number; the casts stop there too.
    let all = ticks(scale as u64);
    let mut drawing =
        svg("svg").attr("width", "100%").attr("height", "16").attr("aria-hidden", "true");
    for (number, (tick, label)) in all.iter().enumerate() {
        let part = *tick as f64 / scale;
        let anchor = match part {
            _ if number == 0 => "start",
            part if part > 0.97 => "end",
            _ => "middle",
        };
        let text = svg("text").class("tk").attr("x", &percent(part)).attr("y", "12");
        drawing = drawing.child(text.attr("text-anchor", anchor).text(label));
    }
    div("mline").child(span("", "")).child(drawing)
}

fn entry(segment: &Segment, measured: bool) -> El {
    let title = span("ti", segment.title).attr("title", segment.title);
    let mut item = el("li").child(swatch(segment.hue)).child(title);
    item = match segment.bytes {
        Some(_) if segment.exceeds => item.child(span("mono va", OVER)),
        Some(bytes) => item.child(span("mono va", &size_fine(bytes))),
        None => item.child(span("va t3", "not computed")),
    };
    item = match segment.provenance {
        Some(how) => item.child(provenance(how)),
        None => item.child(span("", "")),
    };
    let names = segment.names.join(", ");
    let mut below = span("be mono", &names).attr("title", &names);
    if measured {
        let text = match segment.measured {
            Some(bytes) => format!("measured {}", size_fine(bytes)),
            None => "not in the capture".to_owned(),
        };
        below = span("be", "").child(span("mono", &names)).child(span("t2", &text));
    }
    item.child(below)
}

fn plain(hue: u8, (title, value): (&str, &str), below: &str, of: Provenance) -> El {
    el("li")
        .child(swatch(hue))
        .child(span("ti", title))
        .child(span("mono va", value))
        .child(provenance(of))
        .child(span("be t3", below))
}

/// What a capture measured, where there is no program to plan.
pub fn measured(capture: &NtffAnswer) -> El {
    let mut out = div("mcap");
    for core in &capture.subgraphs {
        let total = core.memory.iter().fold(0, |sum: u64, one| sum.saturating_add(one.bytes));
        let said = match total {
            u64::MAX => "16 EiB and more".to_owned(),
            total => size_fine(total),
        };
        let head = div("ph")
            .child(el("h3").text(&core.name))
            .child(span("sub", &format!("{said} measured while it ran")))
            .child(span("grow", ""))
            .child(span("badge q-file", "").child(symbol("g-file", "q-file")).and_text("file"));
        let mut at = 0.0;
        let scale: f64 = core.memory.iter().map(|one| one.bytes as f64).sum::<f64>().max(1.0);
        let mut drawing = strip("Measured");
        let mut rows = Vec::new();
        for one in &core.memory {
            let name = one.name.clone().unwrap_or_else(|| "category without a name".to_owned());
            let (group, hue) = title(&name);
            let (start, width) = (at / scale, one.bytes as f64 / scale);
            if one.bytes > 0 {
                drawing = drawing.child(piece(start, width, hue, &name, &size_fine(one.bytes)));
            }
            at += one.bytes as f64;
            rows.push(
                el("tr")
                    .child(
                        el("th").attr("scope", "row").child(swatch(hue)).child(span("mono", &name)),
                    )
                    .child(el("td").text(group))
                    .child(
                        el("td")
                            .class("r mono")
                            .text(&crate::layout::format::bytes_exact(one.bytes)),
                    )
                    .child(el("td").class("r").text(&size_fine(one.bytes))),
            );
        }
        let heads = ["Category", "Group"].map(|text| el("th").attr("scope", "col").text(text));
        let sums = ["Bytes", ""].map(|text| el("th").attr("scope", "col").class("r").text(text));
        let head_row = el("tr").children(heads).children(sums);
        let table = el("table").class("tbl").child(el("thead").child(head_row));
        let table = table.child(el("tbody").children(rows));
        let body = div("mhb").child(line("measured", drawing)).child(table);
        out = out.child(el("section").class("msec").child(head).child(body));
    }
    out
}
