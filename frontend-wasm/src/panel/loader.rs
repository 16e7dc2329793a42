//! What stands below the records of a loader: the target, what a loader makes of the program, and what
//! the file leaves open, to be chosen.

use super::Dispatch;
use crate::dom::{El, closest, data, document, el, find, focus_on, replace_children, span};
use crate::layout::action::{Action, StructsAction};
use crate::layout::loader::{Loader, LoaderChoice, NO_LIBRARY};
use crate::paint::glyph;
use debug_api::Provenance;
use debug_api::answer::KbinAnswer;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlSelectElement};

/// What a loader would say about the program, and the choices.
pub fn foot(answer: &KbinAnswer, loader: &Loader) -> Vec<El> {
    let own = span("tgt", &format!("target {}", answer.target));
    let target = own.child(glyph::provenance(answer.target_provenance));
    let mut parts = vec![span("cap", &format!("KBIN of {}", answer.subgraph)), target];
    // Most programs name their generation.
    if answer.target_provenance == Provenance::Configured {
        let given = answer.target.to_lowercase();
        parts.push(select(LoaderChoice::Device, "Device", &given, loader));
    }
    let library = select(LoaderChoice::Library, "Default library", &answer.default_library, loader);
    parts.push(library.child(glyph::provenance(answer.default_library_provenance)));
    parts.push(span("", &answer.verdict_text));
    let stops = answer.gates.iter().filter(|gate| gate.stops);
    parts.extend(stops.map(|gate| span("mono", &gate.text)));
    parts
}

/// A choice with what is used where nothing is chosen.
fn select(choice: LoaderChoice, label: &str, used: &str, loader: &Loader) -> El {
    let chosen = loader.get(choice);
    let option = |value: &str, text: &str, on: bool| {
        let option = el("option").attr("value", value).text(text);
        if on { option.attr("selected", "") } else { option }
    };
    let title = match choice {
        LoaderChoice::Device => "Generation of the device, which the file leaves open",
        LoaderChoice::Library => {
            "Generation whose programs get the default micro-code library; sources disagree"
        }
    };
    let default = match chosen {
        None => format!("default ({used})"),
        Some(_) => "default".to_owned(),
    };
    let values = choice.values().map(|value| {
        let text = if value == NO_LIBRARY { "no generation" } else { value };
        option(value, text, chosen == Some(value))
    });
    let select = el("select").class("pick1").attr("data-loader", choice.key()).attr("title", title);
    let select = select.child(option("", &default, chosen.is_none())).children(values);
    el("label").class("lbl").and_text(label).child(select)
}

/// Chooses what was picked.
pub fn changes(dispatch: Dispatch) -> impl FnMut(Event) {
    move |event| {
        let Some(at) = closest(&event, "[data-loader]") else { return };
        let choice = LoaderChoice::ALL
            .into_iter()
            .find(|choice| data(&at, "loader").as_deref() == Some(choice.key()));
        if let (Some(choice), Some(select)) = (choice, at.dyn_ref::<HtmlSelectElement>()) {
            dispatch(Action::Structs(StructsAction::Loader(choice, select.value())));
        }
    }
}

/// Replaces the parts; the choice that has the focus keeps it.
pub fn replace(foot: &Element, parts: Vec<El>) {
    let active = document().and_then(|document| document.active_element());
    let active = active.filter(|active| foot.contains(Some(active)));
    let key = active.and_then(|active| data(&active, "loader"));
    replace_children(foot, parts);
    let again = key.and_then(|key| find(foot, &format!("[data-loader={key}]")));
    if let Some(again) = again {
        focus_on(&again);
    }
}
