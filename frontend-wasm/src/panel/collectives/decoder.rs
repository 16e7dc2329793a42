//! The decoder: a word is typed, what it is stands below; its fields can be set.

use crate::dom::{
    El, Listener, data, div, el, find, focus_on, on, replace_children, set_attr, span,
};
use crate::layout::action::{Action, CollectivesAction};
use crate::layout::state::State;
use crate::paint::glyph::symbol;
use crate::panel::Dispatch;
use crate::panel::structs::set_input;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// The form.
pub struct DecoderForm {
    root: Element,
    input: Element,
    told: Element,
    text: Option<String>,
    _listeners: Vec<Listener>,
}

impl DecoderForm {
    /// Builds the form.
    pub fn new(dispatch: &Dispatch) -> Self {
        let input = el("input").class("inp mono").attr("id", "coll-word").attr("type", "text");
        let input = input.attr("autocomplete", "off").attr("spellcheck", "false");
        let input =
            input.attr("placeholder", "01 00 03 00 0f 00 00 00 or 0x0000000f00030001").build();
        let told = div("mans").attr("role", "status").build();
        let lead = el("p").class("t2").text(
            "A control entry: its 8 bytes in memory order (16 hex digits), or the value of its word \
             with 0x. Click a bit to turn it, or set a field below.",
        );
        let row = div("fld").child(el("label").attr("for", "coll-word").text("Entry")).node(&input);
        let root = div("cdec").child(lead).child(row).node(&told).build();
        let send = dispatch.clone();
        let typed = on(&input, "input", move |event| {
            if let Some(input) = of(&event) {
                send(Action::Collectives(CollectivesAction::Word(input.value())));
            }
        });
        let send = dispatch.clone();
        let mut listeners = vec![typed];
        if let Some(document) = crate::dom::document() {
            // The fields stand in another part of the view.
            listeners.push(on(&document, "change", move |event| {
                let Some(input) = of(&event) else { return };
                let Some(name) = data(&input, "set") else { return };
                let value = match input.type_().as_str() {
                    "checkbox" => if input.checked() { "1" } else { "0" }.to_owned(),
                    _ => input.value(),
                };
                send(Action::Collectives(CollectivesAction::Value(name, value)));
            }));
        }
        Self { root, input, told, text: None, _listeners: listeners }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the word.
    pub fn focus(&self) {
        if let Some(input) = find(&self.root, "#coll-word") {
            focus_on(&input);
        }
    }

    /// Brings the form up to date.
    pub fn render(&mut self, state: &State) {
        let decoder = &state.collectives.decoder;
        if !decoder.open {
            return;
        }
        set_input(&self.input, &decoder.text);
        let refused = decoder.refused.as_ref().map(|(_, text)| text.clone());
        let wrong = match &decoder.answer {
            Some(Err(text)) => Some(text.clone()),
            _ => refused,
        };
        if self.text != wrong {
            self.text.clone_from(&wrong);
            set_attr(&self.input, "aria-invalid", if wrong.is_some() { "true" } else { "false" });
            replace_children(&self.told, wrong.as_deref().map(banner));
        }
    }
}

fn of(event: &web_sys::Event) -> Option<HtmlInputElement> {
    event.target().and_then(|target| target.dyn_into::<HtmlInputElement>().ok())
}

fn banner(text: &str) -> El {
    div("banner err").child(symbol("ic", "v-error")).child(span("tx", text))
}
