//! A page of the Structs view that is no record: its lines, and the findings of a tree.

use super::Dispatch;
use super::dialog::banner;
use super::vlist::VList;
use crate::dom::{El, div, el, span};
use crate::layout::uses::{Fact, Line, Sheet};
use crate::layout::value::link_text;
use crate::paint::glyph;
use debug_api::answer::{KbinAnswer, RecordLink};
use debug_api::find::Words;
use web_sys::Element;

/// Findings of a tree that are listed.
const FINDINGS: usize = 100;

/// The lines.
pub struct SheetList {
    list: VList,
}

impl SheetList {
    /// An empty list.
    pub fn new(dispatch: &Dispatch) -> Self {
        Self { list: VList::new(dispatch, "ft sheet", "grid", "Uses", None) }
    }

    /// The list's element.
    pub const fn root(&self) -> &Element {
        self.list.root()
    }

    /// Focus to the list.
    pub fn focus(&self) {
        self.list.focus();
    }

    /// Brings it up to date.
    pub fn render(&mut self, sheet: &Sheet, cursor: Option<usize>, find: &Words, reveal: bool) {
        let id = cursor.map(|line| format!("line-{line}"));
        self.list.set_active(id.as_deref());
        self.list.set_label(&format!("{} {}", sheet.kind, sheet.title));
        let wish = reveal.then_some(cursor.unwrap_or(0) as u64);
        self.list.render(sheet.lines.len() as u64, wish, |row| {
            let at = usize::try_from(row).unwrap_or(usize::MAX);
            let selected = cursor == Some(at);
            match sheet.lines.get(at) {
                Some(Line::Head(title, remark)) => head(at, title, remark, selected),
                Some(Line::Fact(fact)) => line(at, fact, selected, find),
                None => div("vr2"),
            }
        });
    }
}

fn row(at: usize, class: &str, selected: bool) -> El {
    let class = if selected { format!("{class} sel") } else { class.to_owned() };
    div(&class)
        .attr("role", "row")
        .attr("id", &format!("line-{at}"))
        .attr("data-field", &at.to_string())
        .attr("aria-selected", if selected { "true" } else { "false" })
}

fn head(at: usize, title: &str, remark: &str, selected: bool) -> El {
    let cell = span("", "").attr("role", "gridcell").child(el("b").text(title));
    row(at, "vr2 shd", selected).child(cell.and_text(" ").child(span("t3", remark)))
}

fn line(at: usize, fact: &Fact, selected: bool, find: &Words) -> El {
    let cell = |class: &str| span(class, "").attr("role", "gridcell");
    let text = format!("{} {} {}", fact.label, fact.value, fact.about);
    let found = !find.is_empty() && find.in_text(&text);
    let class = match (found, fact.bad) {
        (_, true) => "vr2 wrong",
        (true, false) => "vr2 found",
        (false, false) => "vr2",
    };
    let mut label = cell("nm");
    if fact.bad {
        label = label.child(glyph::symbol("ic", "v-warning").attr("aria-hidden", "true"));
    }
    let label = label.child(span("cut t2", &fact.label));
    let mut value = cell("va mono");
    if !fact.value.is_empty() {
        let copy = el("button").class("val").attr("type", "button").attr("tabindex", "-1");
        let copy = copy.attr("data-copy", &fact.value).attr("title", &fact.value);
        value = value.child(copy.text(&fact.value));
    }
    value = value.children(links(&fact.links));
    row(at, class, selected)
        .child(label)
        .child(value)
        .child(cell("t2 cut hm").attr("title", &fact.about).text(&fact.about))
        .child(cell("").child(glyph::provenance(fact.provenance)))
}

fn links(links: &[RecordLink]) -> impl Iterator<Item = El> {
    links.iter().enumerate().map(|(number, link)| {
        let button = el("button").class("go").attr("type", "button").attr("tabindex", "-1");
        button.attr("data-link", &number.to_string()).text(link_text(link))
    })
}

/// Findings of a tree, each with the places that it is about.
pub fn findings(answer: &KbinAnswer) -> Vec<El> {
    let all = answer.diagnostics.iter().enumerate().take(FINDINGS);
    let none = Vec::new();
    let mut all: Vec<_> = all.collect();
    // Errors first, then warnings, else in the loader's order.
    all.sort_by_key(|(_, finding)| {
        ["error", "warning"].iter().position(|one| *one == finding.severity).unwrap_or(2)
    });
    let mut out: Vec<El> = all
        .into_iter()
        .map(|(number, finding)| {
            let links = answer.links.get(number).unwrap_or(&none).iter().enumerate();
            let links = links.map(|(at, link)| {
                let button = el("button").class("go").attr("type", "button");
                let button = button.attr("data-finding", &number.to_string());
                button.attr("data-at", &at.to_string()).text(link_text(link))
            });
            wrong(&finding.severity, &finding.message, &finding.code, links)
        })
        .collect();
    let left = answer.diagnostics.len().saturating_sub(FINDINGS);
    if left > 0 {
        let text = format!("{left} more; `neffscope kbin` lists them all");
        out.push(el("p").class("t3").text(&text));
    }
    out
}

/// What is wrong with a transfer, in full, with the places that it is about.
pub fn faults(sheet: &Sheet) -> impl Iterator<Item = El> {
    sheet.faults.iter().map(|(line, fault)| {
        let links = fault.links.iter().enumerate().map(|(number, link)| {
            let button = el("button").class("go").attr("type", "button");
            let button = button.attr("data-field", &line.to_string());
            button.attr("data-link", &number.to_string()).text(link_text(link))
        });
        wrong(&fault.severity, &fault.message, &fault.code, links).attr("data-fault", "")
    })
}

fn wrong(severity: &str, message: &str, code: &str, links: impl Iterator<Item = El>) -> El {
    let class = match severity {
        "error" => "err",
        "warning" => "warn",
        _ => "info",
    };
    banner(class, severity, message, "", code).child(span("fls", "").children(links))
}
