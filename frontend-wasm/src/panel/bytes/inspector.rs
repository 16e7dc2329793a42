//! The value inspector: the bytes at the cursor read as numbers and text.

use crate::dom::{div, el, replace_children, set_attr, set_hidden, set_text, span};
use crate::layout::bytes::{BytesBox, place_text};
use crate::layout::inspect::{chosen, readings};
use web_sys::Element;

/// The inspector.
pub struct Inspector {
    root: Element,
    title: Element,
    button: Element,
    word: Element,
    values: Element,
    shown: Option<(u64, Vec<u8>, usize)>,
}

impl Inspector {
    /// An empty inspector.
    pub fn new() -> Self {
        let title = span("sub", "").build();
        let button = el("button").class("btn sm").attr("type", "button");
        let button = button.attr("data-run", "inspector").attr("aria-keyshortcuts", "Shift+T");
        let word = span("", "").build();
        let button = button.attr("aria-controls", "inspector").node(&word);
        let button = button.and_text(" ").child(span("kbd", "\u{21e7}T")).build();
        let values = el("dl").class("insv").attr("id", "inspector").build();
        let head = div("ph").child(el("h2").text("Values")).node(&title);
        let head = head.child(span("grow", "")).node(&button);
        let root = div("insp").child(head).node(&values).build();
        Self { root, title, button, word, values, shown: None }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings it up to date.
    pub fn render(&mut self, view: &BytesBox) {
        let open = !view.inspector_closed;
        set_hidden(&self.values, !open);
        set_attr(&self.button, "aria-expanded", if open { "true" } else { "false" });
        set_text(&self.word, if open { "Hide" } else { "Show" });
        let place = view.page.as_ref().map(|page| place_text(page, view.cursor));
        let place = place.filter(|place| !place.is_empty());
        let place = place.map_or_else(String::new, |place| format!(" \u{b7} {place}"));
        let text = format!("little-endian at {:#x}{place}", view.cursor);
        set_text(&self.title, &text);
        set_attr(&self.title, "title", &text);
        let ahead = if view.is_withheld(view.cursor) { &[] } else { view.ahead() };
        let now = (view.cursor, ahead.to_vec(), view.reading);
        if !open || self.shown.as_ref() == Some(&now) {
            return;
        }
        let chosen = chosen(ahead, view.reading);
        let rows = readings(ahead).into_iter().map(|reading| {
            let copy = reading.value.split("  ").next().unwrap_or("").replace('\u{2212}', "-");
            let name = el("dt").text(reading.name);
            let name = match reading.name {
                "fp8 e3m4" => name.attr("title", "FP8_E3: bias 3, with infinities, largest 15.5"),
                "fp8 e4m3" => {
                    name.attr("title", "FP8_E4, float8_e4m3fn: no infinities, largest 448")
                }
                "fp8 e5m2" => {
                    name.attr("title", "FP8_E5: the upper half of an fp16, largest 57344")
                }
                _ => name,
            };
            let value = el("button").class("val mono").attr("type", "button");
            let value = value.attr("data-copy", &copy).attr("title", &reading.value);
            let marked = chosen.as_ref().is_some_and(|one| one.name == reading.name);
            let class = if matches!(reading.bytes, 0 | 8) { "wide" } else { "" };
            let class = if marked { format!("{class} on") } else { class.to_owned() };
            let row = div(class.trim());
            let row = if marked { row.attr("aria-current", "true") } else { row };
            row.child(name).child(el("dd").child(value.text(&reading.value)))
        });
        replace_children(&self.values, rows);
        self.shown = Some(now);
    }
}
