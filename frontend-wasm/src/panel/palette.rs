//! The command palette: every command and every choice, found by words.

use super::Dispatch;
use crate::dom::{
    El, Listener, append, by_id, closest, data_number, div, el, on, replace_children, set_attr,
    set_hidden, set_opt_attr, span, svg,
};
use crate::layout::action::{Action, Dirty};
use crate::layout::commands::{self, PaletteRow};
use crate::layout::state::{Overlay, State};
use crate::paint::glyph;
use wasm_bindgen::JsCast;
use web_sys::{
    Element, HtmlInputElement, KeyboardEvent, ScrollIntoViewOptions, ScrollLogicalPosition,
};

/// The palette.
pub struct PalettePanel {
    root: Element,
    input: Element,
    list: Element,
    none: Element,
    drawn: Option<String>,
    _listeners: Vec<Listener>,
}

impl PalettePanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty = Dirty::OVERLAY.and(Dirty::FRAME);

    /// Builds it, hidden.
    pub fn new(dispatch: Dispatch) -> Self {
        let input = el("input")
            .attr("id", "palette-input")
            .attr("type", "text")
            .attr("role", "combobox")
            .attr("aria-label", "Command")
            .attr("aria-autocomplete", "list")
            .attr("aria-controls", "palette-list")
            .attr("aria-expanded", "true")
            .attr("autocomplete", "off")
            .attr("spellcheck", "false")
            .attr("placeholder", "Type a command")
            .build();
        let list = div("pb").attr("id", "palette-list").attr("role", "listbox");
        let list = list.attr("aria-label", "Commands").build();
        let none = el("p").class("none").text("No command has these words.").build();
        let icon = svg("svg").class("ic").attr("aria-hidden", "true");
        let icon = icon.child(svg("use").attr("href", "#i-search"));
        let head = div("pi").child(icon).node(&input).child(span("kbd", "Esc"));
        let sheet = div("pal").attr("role", "dialog").attr("aria-modal", "true");
        let sheet = sheet.attr("aria-label", "Commands").child(head).node(&list).node(&none);
        let root = div("scrim high").child(sheet).build();
        set_hidden(&root, true);
        if let Some(overlay) = by_id("overlay") {
            append(&overlay, &root);
        }
        let listeners = listen(&root, &input, &list, &dispatch);
        Self { root, input, list, none, drawn: None, _listeners: listeners }
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        let open = state.overlay == Overlay::Palette;
        set_hidden(&self.root, !open);
        if !open {
            self.drawn = None;
            return;
        }
        if let Some(input) = self.input.dyn_ref::<HtmlInputElement>()
            && input.value() != state.palette.text
        {
            input.set_value(&state.palette.text);
        }
        let rows = commands::palette(state, &state.palette.text);
        if self.drawn.as_ref() != Some(&state.palette.text) {
            self.drawn = Some(state.palette.text.clone());
            replace_children(&self.list, groups(&rows));
        }
        set_hidden(&self.none, !rows.is_empty());
        for at in 0..rows.len() {
            let Some(row) = by_id(&format!("palette-{at}")) else { continue };
            let on = at == state.palette.active;
            set_attr(&row, "aria-selected", if on { "true" } else { "false" });
            if on {
                let options = ScrollIntoViewOptions::new();
                options.set_block(ScrollLogicalPosition::Nearest);
                row.scroll_into_view_with_scroll_into_view_options(&options);
            }
        }
        let active = (!rows.is_empty()).then(|| format!("palette-{}", state.palette.active));
        set_opt_attr(&self.input, "aria-activedescendant", active.as_deref());
    }
}

/// Rows under the title of their group; a group may come back, so titles follow the order.
fn groups(rows: &[PaletteRow]) -> Vec<El> {
    let mut titles: Vec<&str> = Vec::new();
    for row in rows {
        if !titles.contains(&row.group) {
            titles.push(row.group);
        }
    }
    titles
        .into_iter()
        .map(|title| {
            let own = rows.iter().enumerate().filter(|(_, row)| row.group == title);
            let list = el("ul").attr("role", "group").attr("aria-label", title);
            let list = list.children(own.map(|(at, row)| option(at, row)));
            let title = div("pc cap").attr("aria-hidden", "true").text(title);
            div("").attr("role", "presentation").child(title).child(list)
        })
        .collect()
}

fn option(at: usize, row: &PaletteRow) -> El {
    let item = el("li")
        .attr("id", &format!("palette-{at}"))
        .attr("role", "option")
        .attr("data-at", &at.to_string())
        .children(row.engine.map(glyph::engine))
        .child(span("", &row.title));
    match row.why_not {
        Some(why) => item.class("off").attr("aria-disabled", "true").child(span("why", why)),
        None => item.children((!row.caps.is_empty()).then(|| span("kbd", &row.caps.join(" ")))),
    }
}

fn listen(root: &Element, input: &Element, list: &Element, dispatch: &Dispatch) -> Vec<Listener> {
    let typed = {
        let (own, send) = (input.clone(), dispatch.clone());
        on(input, "input", move |_| {
            if let Some(input) = own.dyn_ref::<HtmlInputElement>() {
                send(Action::PaletteText(input.value().trim_start_matches('>').to_owned()));
            }
        })
    };
    let keys = {
        let (list, send) = (list.clone(), dispatch.clone());
        on(input, "keydown", move |event| {
            let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
            if key.is_composing() {
                return;
            }
            let step = match key.key().as_str() {
                "ArrowDown" => 1,
                "ArrowUp" => -1,
                "Enter" => 0,
                "Tab" => {
                    // The palette has one control; the focus stays in it.
                    event.prevent_default();
                    return;
                }
                _ => return,
            };
            event.prevent_default();
            if step == 0 {
                send(Action::PaletteEnter(None));
                return;
            }
            let rows = list.query_selector_all("[role=option]").map_or(0, |rows| rows.length());
            let active = crate::dom::find(&list, "[aria-selected=true]");
            let now = active.and_then(|row| data_number(&row, "at")).unwrap_or(0);
            let count = i64::from(rows).max(1);
            let next = (i64::try_from(now).unwrap_or(0) + step).rem_euclid(count);
            send(Action::PaletteActive(usize::try_from(next).unwrap_or(0)));
        })
    };
    let press = {
        let (own, send) = (root.clone(), dispatch.clone());
        on(root, "pointerdown", move |event| {
            if let Some(row) = closest(&event, "[data-at]").and_then(|row| data_number(&row, "at"))
            {
                event.prevent_default();
                send(Action::PaletteEnter(usize::try_from(row).ok()));
            } else if event.target().as_ref() == Some(own.as_ref()) {
                event.prevent_default();
                send(Action::CloseOverlay);
            } else if closest(&event, "input").is_none() {
                event.prevent_default();
            }
        })
    };
    vec![typed, keys, press]
}
