//! Captured and built records side by side: a virtual grid of pairs, and the two records of the
//! cursor with their bytes.

use super::wiring::observe;
use crate::dom::{
    El, Listener, closest, data_number, div, el, on, replace_children, set_attr, set_hidden,
    set_opt_attr, set_style, span,
};
use crate::layout::action::Action;
use crate::layout::bytediff;
use crate::layout::compare::{Change, Shown};
use crate::layout::format::{count, thousands};
use crate::layout::marks::PatchKind;
use crate::layout::rows::{Heights, Scroller};
use crate::layout::state::State;
use crate::layout::store::Row;
use crate::paint::glyph::{button, patch, provenance};
use crate::panel::Dispatch;
use crate::panel::change::dump;
use debug_api::Provenance;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver};

/// The comparison.
pub struct Compare {
    root: Element,
    told: Element,
    only: Element,
    scrolled: Element,
    spacer: Element,
    layer: Element,
    pair: Element,
    position: Rc<RefCell<Scroller>>,
    dispatch: Dispatch,
    resized: Rc<Cell<bool>>,
    drawn: Option<(u64, u64, u64, u32, usize)>,
    shown: Option<(u64, bool)>,
    obeyed: u32,
    asked: (u64, u64),
    _observer: Option<(ResizeObserver, Closure<dyn FnMut()>)>,
    _listeners: Vec<Listener>,
}

impl Compare {
    /// Builds it.
    pub fn new(dispatch: Dispatch) -> Self {
        let told = span("cmpt", "").build();
        let only = button("lgb")
            .attr("aria-keyshortcuts", "D")
            .attr("title", "Fold records that are equal (D)")
            .child(span("tick", "").attr("aria-hidden", "true"))
            .and_text("Only differences")
            .build();
        let bar = div("cmpb").node(&told).child(span("grow", "")).node(&only).build();
        // The visible head does not scroll; the grid has its own, which only readers see.
        let titles = ["Change", "Slot", "Captured", "", "Slot", "Built", "", "From"];
        let head = div("vgh cmph").attr("aria-hidden", "true").children(
            titles.iter().enumerate().map(|(at, text)| {
                let hidden = matches!(at, 0 | 7);
                span(if *text == "Slot" { "r" } else { "" }, if hidden { "" } else { text })
            }),
        );
        let heads = div("vh").attr("role", "row").attr("aria-rowindex", "1").children(
            [
                "Change",
                "Slot",
                "Captured",
                "Captured operands",
                "Slot",
                "Built",
                "Built operands",
                "From",
            ]
            .map(|text| span("", text).attr("role", "columnheader")),
        );
        let spacer = div("vgp").attr("role", "presentation").build();
        let layer = div("cmpl").attr("role", "rowgroup").build();
        let scrolled = div("cmps")
            .attr("role", "grid")
            .attr("tabindex", "0")
            .attr("aria-label", "Captured and built records")
            .child(div("").attr("role", "rowgroup").child(heads))
            .node(&spacer)
            .node(&layer)
            .build();
        let grid = div("cmpg").child(head).node(&scrolled).build();
        let pair = div("cmpp").attr("role", "region").attr("aria-label", "Bytes of both").build();
        let root = div("cmpr").attr("hidden", "").node(&bar).node(&grid).node(&pair).build();
        let position = Rc::new(RefCell::new(Scroller::default()));
        let send = dispatch.clone();
        let clicks = on(&root, "click", move |event| {
            if closest(&event, ".lgb").is_some() {
                send(Action::Run("compare-only"));
            } else if let Some(row) =
                closest(&event, "[data-row]").and_then(|row| data_number(&row, "row"))
            {
                send(Action::ComparePick(row));
            }
        });
        let (send, own, at) = (dispatch.clone(), scrolled.clone(), Rc::clone(&position));
        let scrolls = on(&scrolled, "scroll", move |_| {
            at.borrow_mut().scrolled(f64::from(own.scroll_top()));
            send(Action::Redraw);
        });
        let resized = Rc::new(Cell::new(true));
        let observer = observe(&scrolled, &dispatch, &resized);
        Self {
            root,
            told,
            only,
            scrolled,
            spacer,
            layer,
            pair,
            position,
            dispatch,
            resized,
            drawn: None,
            shown: None,
            obeyed: 0,
            asked: (0, 0),
            _observer: observer,
            _listeners: vec![clicks, scrolls],
        }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// The element that takes the focus.
    pub const fn stop(&self) -> &Element {
        &self.scrolled
    }

    /// Brings it up to date; whether it is shown.
    pub fn render(&mut self, state: &State) -> bool {
        let shown = state.compare.open && state.has_capture();
        set_hidden(&self.root, !shown);
        if !shown {
            return false;
        }
        let plan = &state.compare.plan;
        let pressed = if state.compare.only { "true" } else { "false" };
        set_attr(&self.only, "aria-pressed", pressed);
        let now = (plan.rows(), state.compare.only);
        if self.shown != Some(now) {
            self.shown = Some(now);
            self.drawn = None;
            set_attr(&self.scrolled, "aria-rowcount", &(plan.rows() + 1).to_string());
        }
        self.tell(state);
        let heights = Heights::new(plan.rows(), Vec::new());
        if self.resized.take() {
            self.drawn = None;
        }
        let view = f64::from(self.scrolled.client_height());
        let mut position = self.position.borrow_mut();
        position.resize(heights.total(), view);
        set_style(&self.spacer, "height", &format!("{}px", position.element_px().max(view)));
        if self.obeyed != state.compare.reveal {
            self.obeyed = state.compare.reveal;
            if let Some(offset) = position.reveal(&heights, state.compare.cursor) {
                position.move_to(offset);
            }
        }
        let physical = position.physical();
        if (f64::from(self.scrolled.scroll_top()) - physical).abs() >= 1.0 {
            #[allow(clippy::cast_possible_truncation, reason = "at most 1e7")]
            self.scrolled.set_scroll_top(physical.round() as i32);
        }
        let (first, last) = position.window(&heights);
        let top = heights.top(first) - position.origin();
        drop(position);
        if (first, last) != self.asked {
            self.asked = (first, last);
            (self.dispatch)(Action::CompareSeen(first, last));
        }
        let serial = state.compare.rows.serial();
        let loaded = (first..last).filter(|row| record_of(state, *row).is_some()).count();
        let drawn = (first, last, state.compare.cursor, serial, loaded);
        if self.drawn != Some(drawn) {
            self.drawn = Some(drawn);
            let rows = (first..last).filter_map(|row| line(state, row));
            replace_children(&self.layer, rows);
            set_style(&self.layer, "transform", &format!("translateY({top}px)"));
            let on = (plan.rows() > 0).then(|| format!("cmp-{}", state.compare.cursor));
            set_opt_attr(&self.scrolled, "aria-activedescendant", on.as_deref());
            self.bytes(state);
        } else {
            set_style(&self.layer, "transform", &format!("translateY({top}px)"));
        }
        true
    }

    /// What is compared, and how far it agrees.
    fn tell(&self, state: &State) {
        let Some(answer) = &state.compare.answer else {
            replace_children(&self.told, [span("t3", "Comparing the images.")]);
            return;
        };
        let capture = &answer.capture;
        let counts = &answer.counts;
        let part = |kind: Option<PatchKind>, sign: &str, number: u64, words: &str| {
            let glyph = kind.map(patch);
            let sign = glyph.is_none().then(|| span("sg", sign).attr("aria-hidden", "true"));
            let text = format!("{} {words}", thousands(number));
            span("cnt", "").children(glyph).children(sign).and_text(&text)
        };
        let who = format!("{} · {} against {}", capture.file, capture.runtime, answer.profile);
        let parts = [
            span("t3 cut", &who).attr("title", &who),
            part(None, "=", counts.same, "same, aligned").attr(
                "title",
                "Records with equal bytes after both images are aligned; Regions counts those that \
                 are equal at the same slot",
            ),
            part(Some(PatchKind::Modify), "", counts.rewritten, "other bytes"),
            part(None, "◂", counts.only_real, "only captured"),
            part(None, "▸", counts.only_modelled, "only built"),
            provenance(answer.provenance),
        ];
        replace_children(&self.told, parts);
    }

    /// The two records of the cursor.
    fn bytes(&self, state: &State) {
        let row = record_of(state, state.compare.cursor);
        let Some((row, change)) = row else {
            replace_children(&self.pair, []);
            return;
        };
        let (real, modelled) = (row.record("bytes"), row.record("modelled_bytes"));
        let has = [change != Change::OnlyModelled, change != Change::OnlyReal];
        let both = has == [true, true];
        let side = |name: &str, on: bool, slot: u32, own: &[u8], other: &[u8], text: [&str; 2]| {
            let head = div("cmpd").child(el("b").text(name));
            if !on {
                return div("").child(head.child(span("t3", "has no such record")));
            }
            let [mnemonic, operands] = text;
            let at = format!("slot {}", thousands(u64::from(slot)));
            let head = head.child(span("t3", &at)).child(span("mono b", mnemonic));
            let head = head.child(span("mono t2 cut", operands).attr("title", operands));
            div("").child(head).child(dump(own, both.then_some(other), name))
        };
        let text = |a: &str, b: &str| [row.text(a).to_owned(), row.text(b).to_owned()];
        let left = text("mnemonic", "operands");
        let right = text("modelled_mnemonic", "modelled_operands");
        let step = row.text("step");
        let words = match (both, change) {
            (true, _) => bytediff::words(real, modelled),
            (_, change) => change.words().to_owned(),
        };
        let words = if step.is_empty() { words } else { format!("{words} · made by: {step}") };
        let [l0, l1] = &left;
        let [r0, r1] = &right;
        let parts = [
            side("Captured", has[0], row.u32("real"), real, modelled, [l0, l1]),
            side("Built", has[1], row.u32("modelled"), modelled, real, [r0, r1]),
            el("p").class("t2").text(&words),
        ];
        replace_children(&self.pair, parts);
    }
}

/// The loaded record of a display row.
fn record_of(state: &State, row: u64) -> Option<(Row, Change)> {
    let Shown::Record(record) = state.compare.plan.at(row)? else { return None };
    let row = state.compare.rows.get(record)?;
    let change = Change::from_code(row.u8("change"));
    Some((row, change))
}

/// One display row.
fn line(state: &State, at: u64) -> Option<El> {
    let shown = state.compare.plan.at(at)?;
    let on = at == state.compare.cursor;
    let base = |class: &str| {
        let row = div(&format!("{class}{}", if on { " sel" } else { "" })).attr("role", "row");
        let row = row.attr("id", &format!("cmp-{at}")).attr("data-row", &at.to_string());
        row.attr("aria-rowindex", &(at + 2).to_string())
            .attr("aria-selected", if on { "true" } else { "false" })
    };
    let record = match shown {
        Shown::Fold(_, slots) => {
            let text = format!("{} the same", count(slots, "record"));
            let cell = span("t3", &text).attr("role", "gridcell").attr("aria-colspan", "8");
            return Some(base("cr fold").child(cell));
        }
        Shown::Record(record) => record,
    };
    let slots = state.compare.plan.slots_of(record)?;
    let cell = |class: &str, text: &str| span(class, text).attr("role", "gridcell");
    let Some((row, change)) = record_of(state, at) else {
        let number = |slot: Option<u32>| slot.map_or_else(String::new, |slot| slot.to_string());
        let [real, modelled] = slots.map(number);
        let row = base("cr").child(cell("", "")).child(cell("sl", &real)).child(cell("", ""));
        return Some(row.child(cell("", "")).child(cell("sl", &modelled)));
    };
    let (class, sign) = match change {
        Change::Same => ("cr", span("sg", "=")),
        Change::Rewritten => ("cr chd", patch(PatchKind::Modify)),
        Change::OnlyReal => ("cr onr", span("sg", "◂")),
        Change::OnlyModelled => ("cr onm", span("sg", "▸")),
    };
    let mark = span("mk", "").attr("role", "gridcell").attr("title", change.words());
    let mark = mark.child(span("vh", change.words())).child(sign.attr("aria-hidden", "true"));
    let mut line = base(class).child(mark);
    let sides = [
        (slots[0], "mnemonic", "operands", "bytes", "modelled_bytes"),
        (slots[1], "modelled_mnemonic", "modelled_operands", "modelled_bytes", "bytes"),
    ];
    for (slot, mnemonic, operands, own, other) in sides {
        let Some(slot) = slot else {
            let none = cell("gone", "no slot");
            line = line.child(none.attr("aria-colspan", "3"));
            continue;
        };
        line = line.child(cell("sl", &slot.to_string())).child(cell("mn", row.text(mnemonic)));
        line = line.child(if change == Change::Rewritten {
            differences(row.record(own), row.record(other))
        } else {
            cell("opn", row.text(operands)).attr("title", row.text(operands))
        });
    }
    let of = match change {
        Change::OnlyReal => Provenance::File,
        _ => Provenance::from_code(row.u8("prov")),
    };
    Some(line.child(cell("", "").child(provenance(of))))
}

/// The bytes of one side that differ, each run with its offset.
fn differences(own: &[u8], other: &[u8]) -> El {
    let runs = bytediff::changed(own, other);
    let parts = runs.iter().take(8).map(|(first, last)| {
        let hex = own.get(*first..=*last).unwrap_or(&[]);
        let hex: String = hex.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
        let more = if last - first >= 8 { "…" } else { "" };
        span("df", "")
            .child(el("i").text(&format!("{first:02x}")))
            .child(el("u").text(&format!("{hex}{more}")))
    });
    span("opn cmp", "").attr("role", "gridcell").children(parts)
}
