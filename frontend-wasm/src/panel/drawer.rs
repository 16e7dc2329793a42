//! The details drawer: everything about the selected slot.
//!
//! One order, always: identity, place, waits and updates, what made it, source, what it depends
//! on, what needs it. Each value copies itself, each place is a link, each line says where its
//! fact comes from.

use super::Dispatch;
use super::change;
use crate::dom::{
    El, Listener, append, closest, data, data_number, div, document, el, find, on,
    replace_children, set_attr, set_hidden, set_text, span,
};
use crate::layout::action::{
    Action, CollectivesAction, Dirty, MemoryAction, Move, StructsAction, Target,
};
use crate::layout::format::thousands;
use crate::layout::state::{About, Pane, State};
use crate::paint::glyph::{address, button, engine, engine_glyph, icon, provenance, sync};
use debug_api::answer::{Fact, FactSection, LinkInfo, PlaceRef, SlotAnswer, SourceItem, StepInfo};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// Places that links of the drawer lead to, by their index.
type Places = Rc<RefCell<Vec<PlaceRef>>>;

/// The drawer.
pub struct DrawerPanel {
    root: Element,
    glyph: Element,
    name: Element,
    position: Element,
    sentence: Element,
    copy: Element,
    body: Element,
    sections: Element,
    places: Places,
    drawn: Option<Rc<SlotAnswer>>,
    _listeners: Vec<Listener>,
}

impl DrawerPanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty = Dirty::SLOT.and(Dirty::SELECTION).and(Dirty::FRAME).and(Dirty::NOTICE);

    /// Builds the fixed part.
    pub fn new(dispatch: Dispatch) -> Self {
        let glyph = span("eng", "").build();
        let name = el("b").attr("id", "details-title").build();
        let position = span("pos", "").build();
        let sentence = div("l2").build();
        let copy = button("btn sm sq ghost")
            .attr("data-do", "link")
            .attr("aria-label", "Copy link to this view")
            .attr("title", "Copy link to this view (Y)")
            .child(icon("link"))
            .build();
        let close = button("btn sm sq ghost")
            .attr("data-do", "close")
            .attr("aria-label", "Hide details")
            .attr("title", "Hide details (I)")
            .child(icon("close"));
        let line = div("l1").node(&glyph).node(&name).node(&position).child(span("grow", ""));
        let head = div("idh").child(line.node(&copy).child(close)).node(&sentence).build();
        let sections = div("secs").build();
        let body = div("body").attr("tabindex", "0").attr("role", "region");
        let body = body.attr("aria-labelledby", "details-title").node(&sections).build();
        let root = el("aside").class("pane det").attr("aria-label", "Details").build();
        append(&root, &head);
        append(&root, &body);

        let places = Places::default();
        let (send, known) = (dispatch.clone(), Rc::clone(&places));
        let clicks = on(&root, "click", move |event| {
            if let Some(link) = closest(&event, "[data-place]") {
                let index = data_number(&link, "place").and_then(|i| usize::try_from(i).ok());
                let place = index.and_then(|index| known.borrow().get(index).cloned());
                if let Some(place) = place {
                    send(Action::Select(Target::from(&place), Move::Jump));
                }
            } else if let Some(name) =
                closest(&event, "[data-sheet]").and_then(|at| data(&at, "sheet"))
            {
                send(Action::Structs(StructsAction::Show(name)));
            } else if let Some(link) = closest(&event, "[data-address]") {
                let text = data(&link, "address").unwrap_or_default();
                send(Action::Memory(MemoryAction::Go(text)));
            } else if let Some(link) = closest(&event, "[data-collective]") {
                if let Some(index) = data_number(&link, "collective") {
                    send(Action::Collectives(CollectivesAction::Go(index, None)));
                }
            } else if let Some(value) = closest(&event, "[data-copy]") {
                send(Action::Copy(data(&value, "copy").unwrap_or_default(), "value"));
            } else if let Some(button) = closest(&event, "[data-do]") {
                match data(&button, "do").as_deref() {
                    Some("link") => send(Action::Run("copy-link")),
                    _ => send(Action::Run("drawer")),
                }
            }
        });
        let focus = on(&root, "focusin", move |_| dispatch(Action::Focused(Pane::Drawer)));
        let _listeners = vec![clicks, focus];
        Self {
            root,
            glyph,
            name,
            position,
            sentence,
            copy,
            body,
            sections,
            places,
            drawn: None,
            _listeners,
        }
    }

    /// The drawer's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings the drawer up to date.
    pub fn render(&mut self, state: &State) {
        set_hidden(&self.root, !state.drawer_open);
        if !state.drawer_open {
            return;
        }
        let slot = state.slot.as_ref().filter(|_| state.selection.is_some());
        set_attr(&self.root, "aria-busy", if state.slot_stale { "true" } else { "false" });
        set_hidden(&self.copy, slot.is_none());
        match slot {
            Some(slot) if self.drawn.as_ref().is_some_and(|drawn| Rc::ptr_eq(drawn, slot)) => {}
            Some(slot) => {
                let focused = self.focused();
                self.render_slot(slot);
                self.drawn = Some(Rc::clone(slot));
                self.body.set_scroll_top(0);
                self.refocus(focused);
            }
            None => {
                self.drawn = None;
                self.render_empty(state);
            }
        }
    }

    /// Puts the focus on the list of facts.
    pub fn focus(&self) {
        if let Some(body) = self.body.dyn_ref::<HtmlElement>() {
            let _ = body.focus();
        }
    }

    /// The key of the control that has the focus, so that it has it again in the new content.
    fn focused(&self) -> Option<String> {
        let active = document()?.active_element()?;
        self.sections.contains(Some(&active)).then(|| data(&active, "k")).flatten()
    }

    fn refocus(&self, key: Option<String>) {
        let Some(key) = key.filter(|key| key.chars().all(|c| c.is_alphanumeric() || c == '-'))
        else {
            return;
        };
        match find(&self.sections, &format!("[data-k=\"{key}\"]")) {
            Some(control) => {
                if let Some(control) = control.dyn_ref::<HtmlElement>() {
                    let _ = control.focus();
                }
            }
            None => self.focus(),
        }
    }

    fn render_empty(&self, state: &State) {
        replace_children(&self.glyph, []);
        set_text(&self.name, "Details");
        set_text(&self.position, "");
        set_text(&self.sentence, "");
        let notice = state.notices.iter().find(|notice| notice.about == About::Slot);
        let gap = match notice {
            Some(notice) => div("gap")
                .child(el("b").text("The details of this slot could not be read."))
                .child(el("br"))
                .and_text(&notice.message)
                .and_text(" ")
                .child(span("code", &notice.code)),
            None if state.selection.is_some() => {
                div("gap").child(el("b").text("Reading the slot."))
            }
            None => div("gap")
                .child(el("b").text("Nothing is selected."))
                .child(el("br"))
                .and_text("Click a slot in Regions or Code, or go to a device PC with ")
                .child(span("kbd", "G"))
                .and_text("."),
        };
        replace_children(&self.sections, [gap]);
    }

    fn render_slot(&self, slot: &SlotAnswer) {
        let place = &slot.place;
        replace_children(&self.glyph, [engine_glyph(&place.e), span("", &place.e)]);
        set_text(&self.name, &slot.mnemonic);
        set_attr(&self.name, "title", &slot.mnemonic);
        set_text(&self.position, &position(place, slot.deleted));
        set_text(&self.sentence, &slot.sentence);
        self.places.borrow_mut().clear();
        let mut parts = Vec::new();
        let mut made = false;
        for (index, facts) in slot.sections.iter().enumerate() {
            let step = slot.step.as_ref().filter(|_| facts.title == "Made by");
            made |= step.is_some();
            parts.push(self.section(index, facts, step));
        }
        if let Some(step) = slot.step.as_ref().filter(|_| !made) {
            parts.push(titled("Made by", None).child(step_text(step)));
        }
        if let Some(info) = &slot.change {
            parts.push(change::section(slot, info, |place| self.remember(place)));
        }
        if slot.source.iter().any(|item| item.text.is_some() || item.file.is_some()) {
            parts.push(source(&slot.source));
        }
        parts.extend(self.links("Depends on", "dep", &slot.depends, slot.depends.len() as u64));
        parts.extend(self.links("Needed by", "need", &slot.needed, slot.needed_total));
        replace_children(&self.sections, parts);
    }

    fn remember(&self, place: &PlaceRef) -> String {
        let mut places = self.places.borrow_mut();
        places.push(place.clone());
        (places.len() - 1).to_string()
    }

    fn section(&self, index: usize, section: &FactSection, step: Option<&StepInfo>) -> El {
        let mut list = el("dl").class("fl");
        for (row, fact) in section.facts.iter().enumerate() {
            list = self.fact(list, fact, &format!("f{index}-{row}"));
        }
        let made = titled(&section.title, None).child(list);
        match step {
            Some(step) => made.child(step_text(step)),
            None => made,
        }
    }

    fn fact(&self, list: El, fact: &Fact, key: &str) -> El {
        let class = if fact.style == "text" { "" } else { "mono" };
        let shown = match fact.style.as_str() {
            "wait" => sync(true, &fact.value),
            "update" => sync(false, &fact.value),
            "address" => address(&fact.value),
            _ => span("cut", &fact.value),
        };
        let mut line = el("dd").class(class).attr("title", &fact.value);
        let leads = fact.place.as_ref().filter(|place| leads(place));
        if let Some(name) = &fact.record {
            let link = button("go").attr("data-sheet", name).attr("data-k", key);
            line = line.child(link.attr("title", "Show in Structs").child(shown));
        } else if let Some(text) = &fact.address {
            let link = button("go").attr("data-address", text).attr("data-k", key);
            line = line.child(link.attr("title", "Show in the address map").child(shown));
        } else if let Some(index) = fact.collective {
            let link = button("go").attr("data-collective", &index.to_string());
            let link = link.attr("data-k", key).attr("title", "Show in Collectives");
            line = line.child(link.child(shown));
        } else if let Some(place) = leads {
            let link = button("go").attr("data-place", &self.remember(place));
            line = line.child(link.attr("data-k", key).child(shown));
        } else {
            line = line.child(copier(&fact.value, &fact.name, key).child(shown));
        }
        if let Some(note) = &fact.note {
            line = line.child(span("t3", note).attr("title", note));
        }
        if leads.is_some() || fact.address.is_some() || fact.record.is_some() {
            let copy = copier(&fact.value, &fact.name, &format!("{key}-c"));
            line = line.child(copy.child(icon("copy")));
        }
        list.child(el("dt").attr("title", &fact.name).text(&fact.name))
            .child(line)
            .child(el("dd").class("qp").child(provenance(fact.provenance)))
    }

    fn links(&self, title: &str, key: &str, links: &[LinkInfo], total: u64) -> Option<El> {
        if links.is_empty() {
            return None;
        }
        let more = total.saturating_sub(links.len() as u64);
        let mut section = titled(title, Some(&thousands(total)));
        for (index, link) in links.iter().enumerate() {
            let place = &link.place;
            let to = match (place.neff_ip, place.image_slot) {
                (Some(ip), _) => format!("IP {}", thousands(u64::from(ip))),
                (None, Some(slot)) => format!("slot {}", thousands(u64::from(slot))),
                (None, None) => String::new(),
            };
            let words = match &link.via {
                Some(via) => format!("{} · {via}", link.text),
                None => link.text.clone(),
            };
            let row = button("dep").attr("data-k", &format!("{key}-{index}")).attr("title", &words);
            let row = if leads(place) {
                row.attr("data-place", &self.remember(place))
            } else {
                row.attr("disabled", "")
            };
            let who = if place.e.is_empty() { span("eng", "") } else { engine(&place.e) };
            section = section.child(
                row.child(who)
                    .child(span("mono", &to))
                    .child(span("tx", &words))
                    .child(provenance(link.provenance)),
            );
        }
        if more > 0 {
            section = section.child(div("t3").text(&format!("and {} more", thousands(more))));
        }
        Some(section)
    }
}

/// Where a slot is, in the one line of the sheet.
fn position(place: &PlaceRef, deleted: bool) -> String {
    let mut parts = Vec::new();
    match place.image_slot {
        Some(slot) => parts.push(format!("slot {}", thousands(u64::from(slot)))),
        None if deleted => parts.push("no device slot".to_owned()),
        None => {}
    }
    if let Some(ip) = place.neff_ip {
        parts.push(format!("IP {}", thousands(u64::from(ip))));
    }
    parts.join(" · ")
}

/// Whether a place can be selected.
const fn leads(place: &PlaceRef) -> bool {
    place.image_slot.is_some() || place.neff_ip.is_some()
}

fn titled(title: &str, side: Option<&str>) -> El {
    let cap = el("h3").class("cap").child(span("", title));
    let cap = match side {
        Some(side) => cap.child(span("", side)),
        None => cap,
    };
    el("section").class("fs").child(cap)
}

/// A value that copies itself.
fn copier(value: &str, name: &str, key: &str) -> El {
    button("val")
        .attr("data-copy", value)
        .attr("data-k", key)
        .attr("aria-label", &format!("{name}: {value}, copy"))
}

fn step_text(step: &StepInfo) -> El {
    let line = div("row").child(el("b").text(&step.title)).child(provenance(step.provenance));
    let text = el("p").text(&step.text);
    div("step").child(line).child(text).child(span("code", &step.id))
}

fn source(items: &[SourceItem]) -> El {
    let mut list = el("dl").class("fl");
    for (index, item) in items.iter().enumerate() {
        let name = match item.layer.as_str() {
            "asm" => "asm",
            "backend" => "BIR",
            "penguin" => "Penguin",
            "hlo" => "HLO",
            _ => "Python",
        };
        let place = match (&item.file, item.line) {
            (Some(file), Some(line)) => Some(format!("{file}:{line}")),
            (Some(file), None) => Some(file.clone()),
            _ => None,
        };
        let (value, note) = match (&item.text, place) {
            (Some(text), note) => (text.clone(), note),
            (None, Some(place)) => (place, None),
            (None, None) => continue,
        };
        let copy = copier(&value, name, &format!("s{index}")).child(span("cut", &value));
        let mut line = el("dd").class("mono").attr("title", &value).child(copy);
        if let Some(note) = note {
            line = line.child(span("t3", &note).attr("title", &note));
        }
        list = list
            .child(el("dt").text(name))
            .child(line)
            .child(el("dd").class("qp").child(provenance(debug_api::Provenance::File)));
    }
    titled("Source", None).child(list)
}
