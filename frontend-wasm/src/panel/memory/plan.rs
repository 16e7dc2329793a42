//! The first part of the view: verdict, HBM, scratchpad, lifetimes.

use super::{hbm, lives, map};
use crate::dom::{El, div, el, replace_children, span};
use crate::layout::memory::words;
use crate::layout::memory::{MemoryBox, Plans, Shown};
use crate::layout::state::{About, State};
use crate::paint::glyph::{button, symbol};
use debug_api::answer::{Finding, MemoryAnswer};
use std::rc::Rc;
use web_sys::Element;

/// What the drawing depends on.
#[derive(Clone, Debug, Default, PartialEq)]
struct Drawn {
    plans: Option<(usize, usize)>,
    capture: Option<usize>,
    shown: Shown,
    bank: u32,
    whole: bool,
    engine: String,
    failed: bool,
}

/// Sections that were drawn of the present plans, by what they show. Turning from one mode to the
/// other and back draws none of them anew.
#[derive(Debug, Default)]
struct Kept {
    plans: Option<(usize, usize)>,
    sections: Vec<(String, Option<El>)>,
}

/// Sections that are kept; banks, engines and scales make more than the two modes alone.
const MOST_KEPT: usize = 16;

impl Kept {
    /// The section of a key: kept, or drawn now.
    fn section(&mut self, key: String, draw: impl FnOnce() -> Option<El>) -> Option<El> {
        if let Some((_, kept)) = self.sections.iter().find(|(own, _)| *own == key) {
            return kept.clone();
        }
        if self.sections.len() == MOST_KEPT {
            self.sections.remove(0);
        }
        let drawn = draw();
        self.sections.push((key, drawn.clone()));
        drawn
    }
}

/// The part.
pub struct PlanPart {
    root: Element,
    drawn: Option<Drawn>,
    kept: Kept,
}

impl PlanPart {
    /// An empty part.
    pub fn new() -> Self {
        let root = div("mplan").attr("tabindex", "0").attr("role", "region");
        let root = root.attr("aria-label", "Plan of device memory").build();
        Self { root, drawn: None, kept: Kept::default() }
    }

    /// Its element, which scrolls.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings it up to date; gives whether it was drawn anew.
    pub fn render(&mut self, state: &State) -> bool {
        let memory = &state.memory;
        let at = |plan: &Rc<MemoryAnswer>| Rc::as_ptr(plan) as usize;
        let failed = state.notices.iter().any(|notice| notice.about == About::Memory);
        let now = Drawn {
            plans: memory
                .plans
                .as_ref()
                .map(|Plans { paged, contiguous }| (at(paged), at(contiguous))),
            capture: memory.capture.as_ref().map(|one| Rc::as_ptr(one) as usize),
            shown: memory.shown,
            bank: memory.bank(),
            whole: memory.whole,
            engine: memory.engine.clone(),
            failed,
        };
        if self.drawn.as_ref() == Some(&now) {
            return false;
        }
        if self.kept.plans != now.plans {
            self.kept = Kept { plans: now.plans, sections: Vec::new() };
        }
        self.drawn = Some(now);
        let top = self.root.scroll_top();
        replace_children(&self.root, parts(memory, failed, &mut self.kept));
        self.root.set_scroll_top(top);
        true
    }
}

fn parts(memory: &MemoryBox, failed: bool, kept: &mut Kept) -> Vec<El> {
    let Some(plan) = memory.plan() else {
        if let Some(capture) = &memory.capture {
            let gap = div("gap").child(el("b").text("Only a profile is open."));
            let gap = gap.and_text(
                " It says what was in use; what a program asks for is planned from its NEFF. \
                 Open both together to see them side by side.",
            );
            return vec![gap, hbm::measured(capture)];
        }
        let text = if failed { "There is no plan." } else { "Planning." };
        let more = if failed { " The message above says why." } else { "" };
        return vec![div("gap").child(el("b").text(text)).and_text(more)];
    };
    let mut out = vec![verdict(plan)];
    out.extend(
        plan.diagnostics.iter().filter(|one| one.code.starts_with("memory.")).take(8).map(finding),
    );
    out.extend(advice(plan));
    out.extend(plan.notes.iter().take(8).map(|note| {
        banner("info", "v-info")
            .child(span("tx", "").child(el("b").text("The runtime logs: ")).and_text(note))
    }));
    let mode = &plan.mode;
    let bank = format!("hbm {mode} {}", memory.bank());
    out.extend(kept.section(bank, || Some(hbm::section(plan, memory.bank()))));
    let mut map = |plan: &MemoryAnswer, double: bool| {
        let key = format!("map {} {}", plan.mode, memory.whole);
        let section = kept.section(key, || Some(map::section(plan, memory.whole)));
        section.inspect(|section| map::entitle(section, plan, double))
    };
    let has_region = memory.plans.as_ref().is_some_and(Plans::has_region);
    if memory.shown == Shown::Both && !has_region {
        let text = " The runtime gives no region here, so both maps are the same.";
        let head = el("b").text("One map.");
        out.push(banner("info", "v-info").child(span("tx", "").child(head).and_text(text)));
    }
    if memory.shown == Shown::Both && has_region {
        let both: Vec<El> = memory.maps().into_iter().filter_map(|plan| map(plan, true)).collect();
        out.push(div("mtwo").children(both));
    } else {
        out.extend(map(plan, false));
    }
    let lives = format!("lives {mode} {}", memory.engine);
    out.extend(kept.section(lives, || lives::section(plan, &memory.engine)));
    out
}

fn banner(class: &str, icon: &str) -> El {
    div(&format!("banner {class}")).child(symbol("ic", icon))
}

/// Fits, or what fails first, by how much, and what would make it fit.
fn verdict(plan: &MemoryAnswer) -> El {
    let text = words::verdict(plan);
    let (class, icon) = match plan.verdict.as_str() {
        "fits" => ("ok", "i-check"),
        "unknown" => ("warn", "v-warning"),
        _ => ("err", "v-error"),
    };
    let (first, rest) = text.split_once(". ").unwrap_or((text.as_str(), ""));
    let head = format!("{}{}", first, if rest.is_empty() { "" } else { "." });
    let tried = "Tried on a model of the driver; what is not computed is left out";
    let mut tx = span("tx", "").child(el("b").text(&head)).and_text(" ").and_text(rest);
    for sentence in plan.refusal_texts().into_iter().chain(plan.unread_texts()) {
        tx = tx.and_text(" ").and_text(&sentence);
    }
    let alone = words::memory_alone(plan);
    if !alone.is_empty() {
        tx = tx.and_text(" ").and_text(&alone);
    }
    let remedies = words::remedies(plan);
    if !remedies.is_empty() {
        tx = tx.and_text(" ").child(el("b").text(&remedies));
    }
    let tx = tx.child(span("t2", &format!(" {tried}.")));
    let mut out = banner(class, icon).attr("role", "status").child(tx);
    if plan.failures.len() > 1 {
        let rows = plan.failures.iter().skip(1).map(|one| el("li").text(&words::failure_text(one)));
        let left = plan.n_failures.saturating_sub(plan.failures.len() as u64);
        let more = (left > 0).then(|| el("li").class("t3").text(&format!("and {left} more")));
        let list = el("details").child(el("summary").text("All that fails"));
        out = out.child(list.child(el("ul").children(rows).children(more)));
    }
    out
}

fn finding(finding: &Finding) -> El {
    let (class, icon) = match finding.severity.as_str() {
        "error" => ("err", "v-error"),
        "warning" => ("warn", "v-warning"),
        _ => ("info", "v-info"),
    };
    let tx =
        span("tx", "").and_text(&finding.message).and_text(" ").child(span("code", &finding.code));
    banner(class, icon).child(tx)
}

/// The runtime's advice on the page size, and whether it is enough.
fn advice(plan: &MemoryAnswer) -> Option<El> {
    let advice = plan.advice.as_ref()?;
    let private = crate::layout::format::count(plan.n_private, "variable");
    let mut text = format!(
        "{private} of {} {} a page; the runtime advises {} and {}.",
        words::size(plan.private_bytes),
        if plan.n_private == 1 { "crosses" } else { "cross" },
        advice.runtime_variable,
        advice.compiler_flag
    );
    if advice.still_private > 0 {
        let enough = advice.enough_page_size;
        let enough = enough.map_or("no documented page size is".to_owned(), |bytes| {
            format!("pages of {} are", words::size(bytes))
        });
        text.push_str(&format!(
            " That is not enough: {} still {} a page then; {enough} enough.",
            crate::layout::format::count(advice.still_private, "variable"),
            if advice.still_private == 1 { "crosses" } else { "cross" }
        ));
    }
    let head = el("b").text("Private spill. ");
    let copy = button("go").attr("data-copy", &advice.runtime_variable).text("copy the setting");
    Some(
        banner("warn", "v-warning")
            .child(span("tx", "").child(head).and_text(&text).and_text(" ").child(copy)),
    )
}
