//! What is chosen for a run, and the button that starts it.

use crate::dom::{Listener, div, document, el, on, set_attr, set_hidden, set_text, span};
use crate::layout::action::{Action, RunAction};
use crate::layout::state::State;
use crate::paint::glyph::button;
use crate::panel::Dispatch;
use debug_api::RUN_FIELDS;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlTextAreaElement, KeyboardEvent};

/// The switches: key in an address, value that turns it on, label.
const SWITCHES: [(&str, &str, &str); 3] = [
    ("alone", "1", "This subgraph only"),
    ("until", "main-end", "Stop at the end of MAIN"),
    ("calibrate", "1", "Fit costs to the capture"),
];

/// The row of choices.
pub struct ChoiceBar {
    root: Element,
    texts: Vec<Element>,
    timing: Element,
    switches: Vec<(Element, Element)>,
    go: Element,
    cancel: Element,
    stale: Element,
    _listeners: Vec<Listener>,
}

impl ChoiceBar {
    /// Builds the controls.
    pub fn new(dispatch: &Dispatch) -> Self {
        let go = button("btn sm pri").attr("data-do", "go").attr("title", "Simulate (Shift R)");
        let go = go.text("Simulate").build();
        let cancel =
            button("btn sm").attr("data-do", "cancel").attr("title", "Give the run up (Esc)");
        let cancel = cancel.text("Cancel").build();
        let mut root = div("mset rset").node(&go).node(&cancel);
        let mut texts = Vec::new();
        for field in RUN_FIELDS {
            let id = format!("run-{}", field.key);
            let class = if texts.len() < 4 { "inp1 mono rnum" } else { "inp1 mono rlist" };
            let input = el("input").class(class).attr("id", &id).attr("type", "text");
            let input = input.attr("autocomplete", "off").attr("spellcheck", "false");
            let input = input.attr("placeholder", field.hint).attr("title", field.about).build();
            let label = el("label").class("lbl").attr("for", &id).and_text(field.label);
            root = root.child(label.node(&input));
            texts.push(input);
        }
        let mut switches = Vec::new();
        for (key, _, text) in SWITCHES {
            let id = format!("run-{key}");
            let input = el("input").attr("type", "checkbox").attr("id", &id).build();
            let label =
                el("label").class("lbl").attr("for", &id).node(&input).and_text(text).build();
            root = root.node(&label);
            switches.push((label, input));
        }
        let timing = el("textarea").class("inp1 mono rtiming").attr("id", "run-timing");
        let timing = timing.attr("spellcheck", "false").attr("rows", "8");
        let timing =
            timing.attr("placeholder", "A TOML text; empty for the built-in model").build();
        let note = "Replaces the costs and clock periods of the built-in model. The address does not keep it: \
                    a link shows the run by the built-in model.";
        let label = el("label").class("lbl").attr("for", "run-timing").text("Timing model");
        let fold = el("details").class("rfold").child(el("summary").text("Timing model"));
        let fold = fold.child(label).node(&timing).child(el("p").class("t3").text(note));
        root = root.child(fold);
        let stale = span("rstale", "").build();
        let root = root.node(&stale).build();
        let send = dispatch.clone();
        let changed = on(&root, "change", move |event| changed(&event, &send));
        let send = dispatch.clone();
        let key = on(&root, "keydown", move |event| {
            let enter = event.dyn_ref::<KeyboardEvent>().is_some_and(|key| key.key() == "Enter");
            let target = event.target().and_then(|target| target.dyn_into::<Element>().ok());
            let is_line = |target: Element| {
                target.class_list().contains("inp1") && !target.class_list().contains("rtiming")
            };
            if enter && target.is_some_and(is_line) {
                event.prevent_default();
                changed_then_go(&event, &send);
            }
        });
        Self { root, texts, timing, switches, go, cancel, stale, _listeners: vec![changed, key] }
    }

    /// The row.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings the controls up to date.
    pub fn render(&self, state: &State) {
        let own = &state.run;
        let active = document().and_then(|document| document.active_element());
        for (input, text) in self.texts.iter().zip(&own.choices.texts) {
            if let Some(own) = input.dyn_ref::<HtmlInputElement>()
                && active.as_ref() != Some(input)
                && own.value() != *text
            {
                own.set_value(text);
            }
        }
        let several = state.regions.as_ref().is_some_and(|regions| regions.subgraphs.len() > 1);
        if let Some(area) = self.timing.dyn_ref::<HtmlTextAreaElement>()
            && active.as_ref() != Some(&self.timing)
            && area.value().trim() != own.timing
        {
            area.set_value(&own.timing);
        }
        let captured = state
            .files
            .as_ref()
            .is_some_and(|files| files.files.iter().any(|file| file.kind == "ntff"));
        let on = [own.choices.alone, own.choices.main_end, own.choices.calibrate];
        for ((label, input), on) in self.switches.iter().zip(on) {
            if let Some(input) = input.dyn_ref::<HtmlInputElement>() {
                input.set_checked(on);
            }
            let out_of_place = match input.id().as_str() {
                "run-alone" => !several,
                "run-calibrate" => !captured && !own.choices.calibrate,
                _ => false,
            };
            set_hidden(label, out_of_place);
        }
        // Most runs are over before a person could read the word.
        set_hidden(&self.cancel, !(own.busy && state.slow));
        set_attr(&self.go, "aria-busy", if own.busy { "true" } else { "false" });
        let stale = match own.is_stale() && own.answer.is_some() {
            true => "The choices have changed since the run that is shown.",
            false => "",
        };
        set_text(&self.stale, stale);
    }
}

fn changed(event: &web_sys::Event, dispatch: &Dispatch) {
    let Some(target) = event.target() else { return };
    if let Some(area) = target.dyn_ref::<HtmlTextAreaElement>() {
        dispatch(Action::RunView(RunAction::Timing(area.value())));
        return;
    }
    let Ok(input) = target.dyn_into::<HtmlInputElement>() else { return };
    let id = input.id();
    let key = id.trim_start_matches("run-");
    let send = |key, text| dispatch(Action::RunView(RunAction::Choose(key, text)));
    if let Some((key, value, _)) = SWITCHES.into_iter().find(|(own, ..)| *own == key) {
        send(key, if input.checked() { value.to_owned() } else { String::new() });
    } else if let Some(field) = RUN_FIELDS.iter().find(|field| field.key == key) {
        send(field.key, input.value());
    }
}

/// Enter in a text runs with it.
fn changed_then_go(event: &web_sys::Event, dispatch: &Dispatch) {
    changed(event, dispatch);
    dispatch(Action::RunView(RunAction::Go));
}
