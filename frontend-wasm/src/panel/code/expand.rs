//! The opened record under the selected row: 4 x 16 bytes and what each run of them means.

use crate::dom::{
    Listener, append, closest, data, div, el, on, replace_children, set_class, span, svg,
};
use crate::layout::hex;
use crate::layout::state::State;
use crate::layout::store::Row;
use debug_api::answer::{FieldInfo, SlotAnswer};
use std::rc::Rc;
use web_sys::Element;

/// The opened record.
pub struct Expand {
    root: Element,
    bytes: Element,
    fields: Element,
    /// What it shows: the bytes and the answer that names their fields.
    now: Option<(Vec<u8>, Option<Rc<SlotAnswer>>)>,
    /// Its height in px, as far as it has been measured.
    height: Option<f64>,
    _listeners: [Listener; 2],
}

impl Expand {
    /// An empty record.
    pub fn new() -> Self {
        let bytes = div("hexb").build();
        let fields = div("xf").build();
        let root = div("xp").attr("role", "row").build();
        let cell = div("xpc").attr("role", "gridcell").attr("aria-colspan", "7");
        let cell = cell.build();
        append(&root, &cell);
        append(&cell, &bytes);
        append(&cell, &fields);
        // Pointing at bytes marks the field in the list, and the other way round.
        let light = {
            let root = root.clone();
            move |event: web_sys::Event| {
                let field = closest(&event, "[data-field]").and_then(|at| data(&at, "field"));
                mark(&root, field.as_deref());
            }
        };
        let dark = {
            let root = root.clone();
            move |_| mark(&root, None)
        };
        let listeners = [on(&root, "pointerover", light), on(&root, "pointerleave", dark)];
        Self { root, bytes, fields, now: None, height: None, _listeners: listeners }
    }

    /// The record's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings it up to date. Fields are shown once their answer is there; bytes at once.
    pub fn render(&mut self, state: &State, row: Option<&Row>) {
        let answer = state.slot.as_ref().filter(|slot| {
            let at = &state.selection;
            let same = match at.slot {
                Some(_) => slot.place.image_slot == at.slot,
                None => slot.place.neff_ip == at.ip,
            };
            same && slot.place.e == at.e
        });
        let own = row.map(|row| row.bytes().to_vec()).filter(|bytes| !bytes.is_empty());
        let told = || answer.and_then(|slot| hex::parse_hex(&slot.hex));
        let bytes = own.or_else(told).unwrap_or_default();
        let same = self.now.as_ref().is_some_and(|(shown, old)| {
            *shown == bytes && old.as_ref().map(Rc::as_ptr) == answer.map(Rc::as_ptr)
        });
        if same {
            return;
        }
        self.fill(&bytes, answer.map(Rc::as_ref));
        self.now = Some((bytes, answer.cloned()));
        self.height = None;
    }

    /// Its height in px. Measuring makes the browser lay the page out, so it is done once.
    pub fn height(&mut self) -> f64 {
        *self.height.get_or_insert_with(|| f64::from(self.root.client_height()))
    }

    /// The width has changed: it has to be measured again.
    pub fn resized(&mut self) {
        self.height = None;
    }

    fn fill(&self, bytes: &[u8], answer: Option<&SlotAnswer>) {
        let fields = answer.map_or(&[][..], |slot| slot.fields.as_slice());
        let rows = hex::dump(bytes, fields);
        let mut lines = Vec::new();
        for (number, row) in rows.iter().enumerate() {
            if number > 0 {
                lines.push(el("s").text("\n"));
            }
            lines.push(el("b").text(&format!("{:02x}", row.offset)));
            for run in &row.runs {
                // The underline of a field ends with its last byte, not with the space after it.
                let digits = run.text.trim_end();
                let space = run.text.get(digits.len()..).unwrap_or("");
                let text = if run.class == "z" { el("i") } else { span(run.class, "") };
                let text = text.text(digits);
                lines.push(match run.field {
                    Some(field) => text.attr("data-field", &field.to_string()),
                    None => text,
                });
                lines.push(el("s").text(space));
            }
        }
        replace_children(&self.bytes, lines);
        let zero = |field: &FieldInfo| {
            let from = usize::from(field.offset);
            let own = bytes.get(from..from + usize::from(field.bytes));
            own.is_some_and(|own| own.iter().all(|byte| *byte == 0))
        };
        // Left out: the opcode, which the row names, bytes that the hardware does not read, and
        // what the common head says by being zero.
        let told = fields.iter().enumerate().filter(|(_, field)| match field.kind.as_str() {
            "opcode" | "unread" => false,
            "head" | "wait" | "update" => !zero(field),
            _ => true,
        });
        let list = told.map(|(at, field)| {
            let swatch = svg("svg").attr("viewBox", "0 0 8 8").attr("aria-hidden", "true").child(
                svg("rect")
                    .class(hex::swatch_class(&field.kind))
                    .attr("width", "8")
                    .attr("height", "8")
                    .attr("rx", "1"),
            );
            let text = match field.value.as_str() {
                "" => field.name.clone(),
                value => format!("{}: {value}", field.name),
            };
            div("xi")
                .attr("data-field", &at.to_string())
                .attr("title", &text)
                .child(swatch)
                .child(span("mono", &format!("{:02x}", field.offset)))
                .child(span("cut", &text))
        });
        replace_children(&self.fields, list);
    }
}

fn mark(root: &Element, field: Option<&str>) {
    let Ok(all) = root.query_selector_all("[data-field]") else { return };
    for at in 0..all.length() {
        use wasm_bindgen::JsCast;
        let Some(element) = all.get(at).and_then(|node| node.dyn_into::<Element>().ok()) else {
            continue;
        };
        let on = field.is_some() && data(&element, "field").as_deref() == field;
        set_class(&element, "hit", on);
    }
}
