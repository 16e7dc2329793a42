//! The key sheet and the list of findings, as dialogs.

use super::Dispatch;
use crate::dom::{
    El, Listener, append, by_id, closest, div, el, on, replace_children, set_hidden, span, svg,
};
use crate::layout::action::Action;
use crate::layout::commands;
use crate::layout::state::{Overlay, State};
use crate::paint::glyph::icon;
use debug_api::answer::Finding;
use wasm_bindgen::JsCast;
use web_sys::{Element, KeyboardEvent};

/// The dialogs; one is open at most.
pub struct DialogPanel {
    root: Element,
    sheet: Element,
    drawn: (Overlay, usize, bool),
    _listeners: Vec<Listener>,
}

impl DialogPanel {
    /// Builds it, hidden.
    pub fn new(dispatch: Dispatch) -> Self {
        let sheet = div("dlg")
            .attr("role", "dialog")
            .attr("aria-modal", "true")
            .attr("aria-labelledby", "dialog-title")
            .attr("tabindex", "-1")
            .build();
        let root = div("scrim").node(&sheet).build();
        set_hidden(&root, true);
        if let Some(overlay) = by_id("overlay") {
            append(&overlay, &root);
        }
        let press = {
            let (own, send) = (root.clone(), dispatch.clone());
            on(&root, "click", move |event| {
                let outside = event.target().as_ref() == Some(own.as_ref());
                if outside || closest(&event, "[data-close]").is_some() {
                    send(Action::CloseOverlay);
                } else if closest(&event, "[data-letters]").is_some() {
                    send(Action::Run("letter-keys"));
                }
            })
        };
        let keep = keep_tab(&root);
        let drawn = (Overlay::None, 0, false);
        Self { root, sheet, drawn, _listeners: vec![press, keep] }
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        let open = matches!(state.overlay, Overlay::Keys | Overlay::Findings);
        set_hidden(&self.root, !open);
        let now = (state.overlay, state.keycaps.len(), state.letter_keys);
        if !open || self.drawn == now {
            if !open {
                self.drawn = (Overlay::None, 0, false);
            }
            return;
        }
        self.drawn = now;
        crate::dom::set_class(&self.sheet, "keys", state.overlay == Overlay::Keys);
        let (title, body) = match state.overlay {
            Overlay::Keys => ("Keys", keys(state)),
            _ => ("Findings", findings(state)),
        };
        let close = el("button").class("btn sm ghost sq").attr("type", "button");
        let close = close.attr("data-close", "").attr("aria-label", "Close").child(icon("close"));
        let head = div("dh").child(el("h2").attr("id", "dialog-title").text(title)).child(close);
        let mut parts = vec![head, body];
        if state.overlay == Overlay::Keys {
            let text = if state.letter_keys {
                "Turn single-letter keys off"
            } else {
                "Turn single-letter keys on"
            };
            let letters = el("button").class("btn sm").attr("type", "button");
            let letters = letters.attr("data-letters", "").text(text);
            let hint = span(
                "t3",
                "Movement keys go by their place on the keyboard, the others by their letter.",
            );
            parts.push(div("df").child(letters).child(hint));
        }
        replace_children(&self.sheet, parts);
    }
}

/// Keeps Tab inside a dialog.
pub fn keep_tab(root: &Element) -> Listener {
    let own = root.clone();
    on(root, "keydown", move |event| {
        let Some(key) = event.dyn_ref::<KeyboardEvent>().filter(|key| key.key() == "Tab") else {
            return;
        };
        let Ok(all) = own.query_selector_all("button, a[href], input, [tabindex='0']") else {
            return;
        };
        let at = |index: u32| all.get(index).and_then(|node| node.dyn_into::<Element>().ok());
        let (first, last) = (at(0), all.length().checked_sub(1).and_then(at));
        let now = crate::dom::document().and_then(|document| document.active_element());
        let to = match key.shift_key() {
            true if now == first || now == crate::dom::find(&own, ".dlg") => last,
            false if now == last => first,
            _ => return,
        };
        event.prevent_default();
        if let Some(to) = to.and_then(|to| to.dyn_into::<web_sys::HtmlElement>().ok()) {
            let _ = to.focus();
        }
    })
}

fn keys(state: &State) -> El {
    let lines = commands::sheet(state);
    let mut groups: Vec<&str> = Vec::new();
    for (group, ..) in &lines {
        if !groups.contains(group) {
            groups.push(group);
        }
    }
    let section = |group: &&str| {
        let own = lines.iter().filter(|line| line.0 == *group);
        let rows = own.flat_map(|(_, title, keys)| {
            let caps = keys.iter().enumerate().flat_map(|(number, caps)| {
                let or = (number > 0).then(|| span("t3", "or"));
                or.into_iter().chain(caps.iter().map(|cap| el("kbd").class("kbd").text(cap)))
            });
            [el("dt").text(title), el("dd").children(caps)]
        });
        let title = el("h3").class("cap").text(group);
        el("section").child(title).child(el("dl").children(rows))
    };
    div("db")
        .attr("tabindex", "0")
        .attr("role", "region")
        .attr("aria-labelledby", "dialog-title")
        .children(groups.iter().map(section))
}

fn findings(state: &State) -> El {
    let all = state.findings();
    let body = div("db finds").attr("tabindex", "0").attr("role", "region");
    let body = body.attr("aria-labelledby", "dialog-title");
    if all.is_empty() {
        return body.child(el("p").text("Nothing odd was found in this file."));
    }
    body.children(all.into_iter().map(finding))
}

/// A finding as a banner: what, where, code.
pub fn finding(finding: &Finding) -> El {
    let class = match finding.severity.as_str() {
        "error" => "err",
        "warning" => "warn",
        _ => "info",
    };
    let at = &finding.at;
    let mut place = Vec::new();
    place.extend(at.member.clone());
    place.extend(at.subgraph.clone().filter(|_| at.member.is_none()));
    place.extend(at.engine.clone().filter(|_| at.member.is_none()));
    place.extend(at.offset.map(|offset| format!("{offset:#x}")));
    banner(class, &finding.severity, &finding.message, &place.join(" "), &finding.code)
}

/// A banner: icon with its word, bold fact, place, stable code.
pub fn banner(class: &str, severity: &str, fact: &str, place: &str, code: &str) -> El {
    let icon = svg("svg").class("ic").attr("role", "img").attr("aria-label", severity);
    let icon = icon.child(svg("use").attr("href", &format!("#v-{severity}")));
    let text = span("tx", "").child(el("b").text(fact)).and_text(" ");
    let text = text.children((!place.is_empty()).then(|| span("mono t2", place)));
    let text = text.and_text(" ").child(span("code", code));
    div(&format!("banner {class}")).child(icon).child(text)
}
