//! The legend under the strips: the regions that occur, and the patches by kind, for all engines
//! and for each.

use crate::dom::{
    El, Listener, closest, div, el, on, replace_children, set_attr, set_hidden, span,
};
use crate::layout::action::Action;
use crate::layout::format::{count, thousands};
use crate::layout::marks::PatchKind;
use crate::layout::place::patch_counts;
use crate::layout::state::State;
use crate::paint::glyph::{button, engine, patch, provenance, swatch};
use crate::panel::Dispatch;
use debug_api::Provenance;
use debug_api::answer::{EngineRegions, RegionsAnswer};
use std::rc::Rc;
use web_sys::Element;

const REGIONS: [&str; 5] = ["PREAMBLE", "MODEL_SWITCH", "MAIN", "FUNCTION", "POSTAMBLE"];
const PATCHES: [(&str, PatchKind); 3] =
    [("INSERT", PatchKind::Insert), ("DELETE", PatchKind::Delete), ("MODIFY", PatchKind::Modify)];

const REWRITTEN: &str = "Slots that stand for a record of the file and have other bytes than it: \
                         triggers, calls, exits, branches. The runtime keeps no MODIFY row for \
                         them.";

/// The legend.
pub struct Legend {
    root: Element,
    regions: Element,
    toggle: Element,
    counts: Element,
    table: Element,
    drawn: Vec<Rc<RegionsAnswer>>,
    _listener: Listener,
}

impl Legend {
    /// An empty one.
    pub fn new(dispatch: Dispatch) -> Self {
        let regions = span("lg", "").build();
        let counts = button("lgb")
            .attr("data-do", "table")
            .attr("aria-expanded", "false")
            .attr("aria-controls", "patch-table")
            .attr("title", "Patches of each engine")
            .build();
        let toggle = button("lgb")
            .attr("data-do", "marks")
            .attr("aria-keyshortcuts", "O")
            .attr("title", "Show or hide patch marks (O)")
            .child(span("tick", "").attr("aria-hidden", "true"))
            .and_text("Patches")
            .build();
        let root = div("legend").node(&regions).child(span("grow", "")).node(&toggle).node(&counts);
        let root = root.build();
        let table = div("tip notes low").attr("id", "patch-table").attr("hidden", "").build();
        let (tip, head) = (table.clone(), counts.clone());
        let _listener = on(&root, "click", move |event| {
            if closest(&event, "[data-do=marks]").is_some() {
                dispatch(Action::Run("patches"));
            } else if closest(&event, "[data-do=table]").is_some() {
                let open = tip.has_attribute("hidden");
                set_hidden(&tip, !open);
                set_attr(&head, "aria-expanded", if open { "true" } else { "false" });
            }
        });
        Self { root, regions, toggle, counts, table, drawn: Vec::new(), _listener }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// The patches of each engine; shown by the counts, placed by the pane.
    pub const fn table(&self) -> &Element {
        &self.table
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State, answers: &[Rc<RegionsAnswer>]) {
        set_attr(&self.toggle, "aria-pressed", if state.patches_hidden { "false" } else { "true" });
        let same = self.drawn.len() == answers.len()
            && self.drawn.iter().zip(answers).all(|(a, b)| Rc::ptr_eq(a, b));
        if same {
            return;
        }
        self.drawn = answers.to_vec();
        let engines = || answers.iter().flat_map(|answer| &answer.engines);
        let mut parts = Vec::new();
        for name in REGIONS {
            if engines().flat_map(|engine| &engine.runs).any(|run| run.region == name) {
                parts.push(span("", "").child(swatch(name, 14)).and_text(name));
            }
        }
        let captured = answers.iter().any(|answer| answer.captured);
        if captured {
            let badge = span("badge q-inf", "").child(provenance(Provenance::Inferred));
            let names =
                "The capture has bytes and patch rows; the names of its regions are inferred";
            parts.push(badge.attr("title", names).and_text("region names"));
        }
        let hint = if captured {
            "hatched = the runtime's, solid = your file's"
        } else {
            "hatched = built by the runtime, solid = in your file"
        };
        parts.push(span("t3 hide-m cut", hint).attr("title", hint));
        replace_children(&self.regions, parts);
        let totals = engines().map(patch_counts).fold([(0, 0); 3], add);
        let chips = PATCHES.iter().zip(totals).map(|((name, kind), (rows, slots))| {
            let title = format!("{} of {}", count(rows, "patch row"), count(slots, "slot"));
            let text = format!("{name} {}", thousands(rows));
            span("", "").attr("title", &title).child(patch(*kind)).and_text(&text)
        });
        let rewritten = engines().map(|engine| engine.rewritten).sum::<u64>();
        let own = (rewritten > 0).then(|| {
            let text = format!("{} rewritten", thousands(rewritten));
            span("hide-m t2", "").attr("title", REWRITTEN).and_text(&text)
        });
        replace_children(&self.counts, chips.chain(own));
        let all: Vec<&EngineRegions> = engines().collect();
        replace_children(&self.table, [table(answers, &all, totals)]);
    }
}

fn add(mut sum: [(u64, u64); 3], own: [(u64, u64); 3]) -> [(u64, u64); 3] {
    for (sum, own) in sum.iter_mut().zip(own) {
        *sum = (sum.0 + own.0, sum.1 + own.1);
    }
    sum
}

/// Patch rows and their slots, by engine and kind.
fn table(answers: &[Rc<RegionsAnswer>], engines: &[&EngineRegions], totals: [(u64, u64); 3]) -> El {
    let heads = PATCHES.iter().map(|(name, kind)| {
        el("th").attr("scope", "col").class("r").child(patch(*kind)).and_text(&format!(" {name}"))
    });
    let last = el("th").attr("scope", "col").class("r").attr("title", REWRITTEN).text("rewritten");
    let head = el("tr").child(el("th").attr("scope", "col").text("Engine")).children(heads);
    let head = head.child(last);
    let own = |count: u64| el("td").class("r mono").text(&thousands(count));
    let cells = |counts: [(u64, u64); 3], of: &'static str| {
        counts.into_iter().map(move |(rows, slots)| {
            let cell = el("td").class("r mono").and_text(&thousands(rows));
            if rows == 0 {
                cell
            } else {
                cell.child(span("t3", &format!(" {} {of}", thousands(slots))))
            }
        })
    };
    let several = answers.len() > 1;
    let names = answers.iter().flat_map(|answer| answer.engines.iter().map(|_| &answer.subgraph));
    let rows = engines.iter().zip(names).map(|(of, subgraph)| {
        let name = el("th").attr("scope", "row").child(engine(&of.engine));
        let name = if several { name.child(span("t3", &format!(" {subgraph}"))) } else { name };
        let cells = cells(patch_counts(of), "slots");
        el("tr").child(name).children(cells).child(own(of.rewritten))
    });
    let rewritten = engines.iter().map(|engine| engine.rewritten).sum();
    let all = el("th").attr("scope", "row").text("All");
    let sum = el("tr").child(all).children(cells(totals, "slots")).child(own(rewritten));
    let caption = el("caption").class("vh").text("Patch rows of each engine, and their slots");
    el("table")
        .class("tbl pt")
        .child(caption)
        .child(el("thead").child(head))
        .child(el("tbody").children(rows).child(sum))
}
