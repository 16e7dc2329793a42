//! The head of the Regions pane: subgraph switch, profile picker, provenance, slots drawn.

use crate::dom::{
    El, Listener, append, closest, data, div, el, on, replace_children, set_attr, set_class,
    set_hidden, set_text, span,
};
use crate::layout::action::Action;
use crate::layout::format::{provenance_key, provenance_words};
use crate::layout::state::{RegionsMode, State};
use crate::paint::glyph::{button, provenance};
use crate::panel::Dispatch;
use debug_api::answer::RegionsAnswer;
use std::collections::BTreeMap;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlSelectElement};

const MODES: [(&str, RegionsMode); 3] =
    [("Image", RegionsMode::Image), ("NEFF", RegionsMode::Neff), ("Both", RegionsMode::Both)];

/// The head.
pub struct Head {
    root: Element,
    sub: Element,
    cores: Element,
    profile: Element,
    badge: Element,
    notes: Element,
    modes: Vec<Element>,
    /// What the changing parts were last made from.
    made: String,
    _listeners: Vec<Listener>,
}

impl Head {
    /// Builds it. `fit` is the button that undoes zoom and pan.
    pub fn new(dispatch: Dispatch, fit: &Element) -> Self {
        let root = div("ph").build();
        let title = el("h2").attr("id", "regions-title").text("Regions").build();
        let sub = span("sub", "").build();
        let grow = span("grow", "").build();
        let cores = span("seg", "").attr("role", "group").attr("aria-label", "Subgraph").build();
        let profile = el("select").class("pick1").attr("aria-label", "Runtime profile").build();
        let badge = button("badge").attr("aria-expanded", "false").build();
        set_attr(&badge, "aria-controls", "regions-notes");
        let notes = div("tip notes").attr("id", "regions-notes").attr("hidden", "").build();
        let group = span("seg hide-m", "").attr("role", "group").attr("aria-label", "Slots drawn");
        let modes: Vec<Element> = MODES
            .iter()
            .enumerate()
            .map(|(index, (name, _))| {
                button("").attr("data-mode", &index.to_string()).text(name).build()
            })
            .collect();
        let group = modes.iter().fold(group, |group, mode| group.node(mode)).build();
        for child in [&title, &sub, &grow, fit, &cores, &profile, &badge, &group] {
            append(&root, child);
        }

        let send = dispatch.clone();
        let tip = notes.clone();
        let clicks = on(&root, "click", move |event| {
            if let Some(mode) = closest(&event, "[data-mode]").and_then(|b| data(&b, "mode")) {
                let mode = mode.parse().ok().and_then(|index: usize| MODES.get(index));
                if let Some((_, mode)) = mode {
                    send(Action::SetRegionsMode(*mode));
                }
            } else if let Some(core) = closest(&event, "[data-core]").and_then(|b| data(&b, "core"))
            {
                send(Action::SetAllCores(false));
                send(Action::SetSubgraph(core));
            } else if closest(&event, "[data-all]").is_some() {
                send(Action::SetAllCores(true));
            } else if let Some(badge) = closest(&event, "button.badge") {
                let open = tip.has_attribute("hidden");
                set_hidden(&tip, !open);
                set_attr(&badge, "aria-expanded", if open { "true" } else { "false" });
            }
        });
        let picks = on(&profile, "change", move |event| {
            let select = event.target().and_then(|t| t.dyn_into::<HtmlSelectElement>().ok());
            if let Some(select) = select {
                dispatch(Action::SetProfile(Some(select.value()).filter(|name| !name.is_empty())));
            }
        });
        let _listeners = vec![clicks, picks];
        Self { root, sub, cores, profile, badge, notes, modes, made: String::new(), _listeners }
    }

    /// The head's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Why the provenance is what it is; shown by the badge, placed by the pane.
    pub const fn notes(&self) -> &Element {
        &self.notes
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        for (button, (_, mode)) in self.modes.iter().zip(MODES) {
            let on = state.regions_mode == mode;
            set_class(button, "on", on);
            set_attr(button, "aria-pressed", if on { "true" } else { "false" });
        }
        let Some(regions) = state.regions.as_deref() else {
            for part in [&self.cores, &self.profile, &self.badge] {
                set_hidden(part, true);
            }
            set_text(&self.sub, "");
            return;
        };
        let sub = match state.regions_mode {
            _ if state.all_cores => "all subgraphs, on one scale".to_owned(),
            RegionsMode::Image => {
                format!("{} · five device images, one cell per 64-byte slot", regions.subgraph)
            }
            RegionsMode::Neff => {
                format!("{} · records of the NEFF, in stream order", regions.subgraph)
            }
            RegionsMode::Both => {
                format!("{} · records above the image slots they became", regions.subgraph)
            }
        };
        set_text(&self.sub, &sub);
        set_attr(&self.sub, "title", &sub);
        let made = format!(
            "{:?} {} {} {:?} {:?} {}",
            regions.subgraphs,
            regions.subgraph,
            state.all_cores,
            regions.profiles,
            regions.provenance,
            regions.profile
        );
        if made != self.made {
            self.made = made;
            self.render_choices(state, regions);
        }
    }

    fn render_choices(&self, state: &State, regions: &RegionsAnswer) {
        set_hidden(&self.cores, regions.subgraphs.len() < 2);
        let core = |name: &str, on: bool| {
            let class = if on { "on" } else { "" };
            button(class).attr("aria-pressed", if on { "true" } else { "false" }).text(name)
        };
        let one = regions.subgraphs.iter().map(|name| {
            let on = !state.all_cores && *name == regions.subgraph;
            core(name, on).attr("data-core", name)
        });
        let all = core("All", state.all_cores).attr("data-all", "");
        replace_children(&self.cores, one.chain([all]));

        set_hidden(&self.profile, false);
        let mut names = regions.profiles.clone();
        if !names.contains(&regions.profile) {
            names.insert(0, regions.profile.clone());
        }
        let options = names.iter().map(|name| {
            let option = el("option").attr("value", name).text(name);
            if *name == regions.profile { option.attr("selected", "") } else { option }
        });
        replace_children(&self.profile, options);
        set_attr(&self.profile, "title", &format!("Runtime profile {}", regions.profile));

        set_hidden(&self.badge, false);
        let key = provenance_key(regions.provenance);
        set_attr(&self.badge, "class", &format!("badge q-{key}"));
        set_attr(&self.badge, "title", provenance_words(regions.provenance));
        replace_children(
            &self.badge,
            [provenance(regions.provenance), span("", regions.provenance.name())],
        );
        replace_children(&self.notes, notes(regions));
    }
}

/// The reasons, each with the engines that it holds for.
fn notes(regions: &RegionsAnswer) -> Vec<El> {
    let mut of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for engine in &regions.engines {
        for note in &engine.notes {
            of.entry(note).or_default().push(&engine.engine);
        }
    }
    let words = provenance_words(regions.provenance);
    let mut lines = vec![el("p").child(el("b").text(words))];
    for (note, engines) in of {
        let who = if engines.len() == regions.engines.len() {
            "All engines".to_owned()
        } else {
            engines.join(", ")
        };
        lines.push(el("p").child(span("t3", &format!("{who}: "))).and_text(note));
    }
    lines
}
