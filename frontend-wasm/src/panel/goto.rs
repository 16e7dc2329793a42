//! The go-to box: answers while typing, Enter jumps.

use super::Dispatch;
use crate::dom::{
    El, Listener, append, by_id, closest, data_number, div, document, el, find, on,
    replace_children, set_attr, set_hidden, set_opt_attr, span, svg,
};
use crate::layout::action::{Action, Dirty};
use crate::layout::state::State;
use crate::paint::glyph;
use debug_api::answer::{GotoAnswer, GotoTarget};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, KeyboardEvent};

/// The box.
pub struct GotoPanel {
    root: Element,
    input: Element,
    list: Element,
    tip: Element,
    hint: Element,
    shown: Option<Rc<GotoAnswer>>,
    _listeners: Vec<Listener>,
}

impl GotoPanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty = Dirty::GOTO.and(Dirty::FRAME);

    /// Takes over the box of the document, or makes one. `None` where there is no header.
    pub fn new(dispatch: Dispatch) -> Option<Self> {
        let root = by_id("goto").or_else(make)?;
        let input = el("input")
            .attr("id", "goto-input")
            .attr("type", "text")
            .attr("role", "combobox")
            .attr("aria-label", "Go to PC, IP, slot, offset, file:line")
            .attr("aria-keyshortcuts", "G")
            .attr("aria-autocomplete", "list")
            .attr("aria-controls", "goto-list")
            .attr("aria-expanded", "false")
            .attr("autocomplete", "off")
            .attr("autocapitalize", "off")
            .attr("spellcheck", "false")
            .attr("placeholder", "Go to PC, IP, slot, offset, file:line")
            .build();
        let list = el("ul").attr("id", "goto-list").attr("role", "listbox");
        let list = list.attr("aria-label", "Places").build();
        let hint = el("p").build();
        let tip = div("tip").node(&list).node(&hint).build();
        set_hidden(&tip, true);
        let icon = svg("svg").class("ic").attr("aria-hidden", "true");
        let icon = icon.child(svg("use").attr("href", "#i-search"));
        let key = span("kbd", "G").attr("aria-hidden", "true");
        replace_children(&root, [icon]);
        for child in [&input, &key.build(), &tip] {
            append(&root, child);
        }
        let listeners = listen(&root, &input, &dispatch);
        Some(Self { root, input, list, tip, hint, shown: None, _listeners: listeners })
    }

    /// Brings the box up to date.
    pub fn render(&mut self, state: &State) {
        let goto = &state.goto;
        if let Some(input) = self.input.dyn_ref::<HtmlInputElement>()
            && input.value() != goto.text
        {
            input.set_value(&goto.text);
        }
        if let Some(key) = find(&self.root, ".kbd") {
            crate::dom::set_text(&key, if goto.open { "Enter" } else { "G" });
        }
        let fits = |answer: &&Rc<GotoAnswer>| answer.text == goto.text;
        let answer = goto.answer.as_ref();
        let open = goto.open;
        set_hidden(&self.tip, !open);
        set_attr(&self.input, "aria-expanded", if open { "true" } else { "false" });
        if !open {
            return;
        }
        let same = match (&self.shown, answer) {
            (Some(old), Some(new)) => Rc::ptr_eq(old, new),
            (None, None) => true,
            _ => false,
        };
        if !same {
            self.shown = answer.cloned();
            let targets = answer.iter().flat_map(|answer| &answer.targets).enumerate();
            replace_children(&self.list, targets.map(|(at, target)| option(at, target)));
        }
        let count = answer.map_or(0, |answer| answer.targets.len());
        for at in 0..count {
            if let Some(row) = by_id(&format!("goto-{at}")) {
                set_attr(&row, "aria-selected", if at == goto.active { "true" } else { "false" });
            }
        }
        let active = (count > 0).then(|| format!("goto-{}", goto.active));
        set_opt_attr(&self.input, "aria-activedescendant", active.as_deref());
        let hint = match answer.filter(fits) {
            Some(answer) if count == 0 => answer.hint.as_str(),
            None if goto.text.is_empty() => {
                "A device PC 0x…, slot 64, IP 4, offset 0x1000, file.py:58 or a name. \
                 Start with > for commands."
            }
            _ => "",
        };
        crate::dom::set_text(&self.hint, hint);
        set_hidden(&self.hint, hint.is_empty());
    }
}

fn option(at: usize, target: &GotoTarget) -> El {
    let engine = target.place.as_ref().map(|place| glyph::engine_glyph(&place.e));
    el("li")
        .attr("id", &format!("goto-{at}"))
        .attr("role", "option")
        .attr("data-at", &at.to_string())
        .children(engine)
        .child(span("mono", &target.label))
        .child(span("t3 grow", &target.detail))
        .child(span("t3", &target.kind))
        .child(glyph::provenance(target.provenance))
}

fn listen(root: &Element, input: &Element, dispatch: &Dispatch) -> Vec<Listener> {
    let typed = {
        let (own, send) = (input.clone(), dispatch.clone());
        on(input, "input", move |_| {
            if let Some(input) = own.dyn_ref::<HtmlInputElement>() {
                send(Action::GotoText(input.value()));
            }
        })
    };
    let keys = {
        let (root, send) = (root.clone(), dispatch.clone());
        on(input, "keydown", move |event| {
            let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
            if key.is_composing() {
                return;
            }
            let step = match key.key().as_str() {
                "ArrowDown" => 1,
                "ArrowUp" => -1,
                "Enter" => 0,
                _ => return,
            };
            event.prevent_default();
            if step == 0 {
                send(Action::GotoEnter(None));
                return;
            }
            let rows = root.query_selector_all("[role=option]").map_or(0, |rows| rows.length());
            let active = find(&root, "[aria-selected=true]");
            let now = active.and_then(|row| data_number(&row, "at")).unwrap_or(0);
            let count = i64::from(rows).max(1);
            let next = (i64::try_from(now).unwrap_or(0) + step).rem_euclid(count);
            send(Action::GotoActive(usize::try_from(next).unwrap_or(0)));
        })
    };
    let open = {
        let send = dispatch.clone();
        on(input, "focus", move |_| send(Action::GotoOpen(true)))
    };
    let press = {
        let (own, send) = (input.clone(), dispatch.clone());
        // On press, since the box closes when it loses the focus.
        on(root, "pointerdown", move |event| {
            if let Some(row) = closest(&event, "[data-at]").and_then(|row| data_number(&row, "at"))
            {
                event.prevent_default();
                send(Action::GotoEnter(usize::try_from(row).ok()));
            } else if closest(&event, "input").is_none() {
                event.prevent_default();
                if let Some(input) = own.dyn_ref::<HtmlInputElement>() {
                    let _ = input.focus();
                }
            }
        })
    };
    let leave = {
        let send = dispatch.clone();
        on(input, "blur", move |_| send(Action::GotoLeft))
    };
    vec![typed, keys, open, press, leave]
}

/// A box for a page whose header came without one.
fn make() -> Option<Element> {
    let commands = by_id("commands")?;
    let root = div("goto").attr("id", "goto").attr("role", "search").build();
    commands.parent_element()?.insert_before(&root, Some(&commands)).ok()?;
    document().map(|_| root)
}
