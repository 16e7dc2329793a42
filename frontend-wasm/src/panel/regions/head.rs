//! The head of the Regions pane: subgraph switch, profile, slots drawn.

use super::profile;
use crate::dom::{
    Listener, append, closest, data, div, el, on, replace_children, set_attr, set_class,
    set_hidden, set_text, span,
};
use crate::layout::action::Action;
use crate::layout::format::provenance_words;
use crate::layout::state::{RegionsMode, State};
use crate::paint::glyph::button;
use crate::panel::Dispatch;
use crate::panel::details_button::DetailsButton;
use debug_api::answer::RegionsAnswer;
use web_sys::Element;

const MODES: [(&str, RegionsMode); 3] =
    [("Image", RegionsMode::Image), ("NEFF", RegionsMode::Neff), ("Both", RegionsMode::Both)];

/// The head.
pub struct Head {
    root: Element,
    sub: Element,
    cores: Element,
    chip: Element,
    images: [Element; 2],
    pair: Element,
    add: Element,
    modes: Vec<Element>,
    details: DetailsButton,
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
        let image = |id: &str, text: &str, title: &str| {
            button("").attr("data-image", id).attr("title", title).text(text).build()
        };
        let images = [
            image("captured", "Captured", "The image that the run had (B)"),
            image("built", "Built", "The image that the profile builds (B)"),
        ];
        let pair = span("seg", "").attr("role", "group").attr("aria-label", "Source of the image");
        let pair = images.iter().fold(pair, |pair, image| pair.node(image)).build();
        let add = button("btn sm ghost hide-m")
            .attr("data-add", "")
            .attr("title", "Open the capture of a run (NTFF, a profile) of this file beside it")
            .text("Add capture")
            .build();
        let chip = button("chip")
            .attr("id", "profile-chip")
            .attr("aria-haspopup", "dialog")
            .attr("aria-expanded", "false")
            .attr("aria-controls", "profile-panel")
            .build();
        let group = span("seg hide-s", "").attr("role", "group").attr("aria-label", "Slots drawn");
        let modes: Vec<Element> = MODES
            .iter()
            .enumerate()
            .map(|(index, (name, _))| {
                button("").attr("data-mode", &index.to_string()).text(name).build()
            })
            .collect();
        let group = modes.iter().fold(group, |group, mode| group.node(mode)).build();
        let zoom = span("seg hide-s", "").attr("role", "group").attr("aria-label", "Zoom");
        let step = |id: &str, label: &str, key: &str, sign: &str| {
            let title = format!("{label} ({key})");
            let step = button("").attr("data-zoom", id).attr("aria-label", label).text(sign);
            step.attr("title", &title).attr("aria-keyshortcuts", key)
        };
        let zoom = zoom
            .child(step("zoom-out", "Zoom out", "-", "−"))
            .child(step("zoom-in", "Zoom in", "+", "+"))
            .build();
        // Where the Code pane is there too, its head has this button.
        let details = DetailsButton::new(&dispatch, "only-s");
        let own = details.root();
        for child in [&title, &sub, &grow, fit, &zoom, &add, &cores, &pair, &chip, &group, own] {
            append(&root, child);
        }

        let send = dispatch;
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
            } else if let Some(zoom) = closest(&event, "[data-zoom]").and_then(|b| data(&b, "zoom"))
            {
                let zoom = if zoom == "zoom-in" { "zoom-in" } else { "zoom-out" };
                send(Action::Run(zoom));
            } else if let Some(image) =
                closest(&event, "[data-image]").and_then(|button| data(&button, "image"))
            {
                send(Action::SetModelled(image == "built"));
            } else if closest(&event, "[data-add]").is_some() {
                send(Action::Run("add-capture"));
            } else if closest(&event, "#profile-chip").is_some() {
                send(Action::Run("profile"));
            }
        });
        let _listeners = vec![clicks];
        let made = String::new();
        Self { root, sub, cores, chip, images, pair, add, modes, details, made, _listeners }
    }

    /// The head's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        self.details.render(state);
        for (button, (_, mode)) in self.modes.iter().zip(MODES) {
            let on = state.regions_mode == mode;
            set_class(button, "on", on);
            set_attr(button, "aria-pressed", if on { "true" } else { "false" });
        }
        let Some(regions) = state.regions.as_deref() else {
            for part in [&self.cores, &self.chip, &self.pair, &self.add] {
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
        set_hidden(&self.pair, regions.capture.is_none());
        set_hidden(&self.add, regions.capture.is_some());
        let [captured, built] = &self.images;
        for (button, on) in [(captured, regions.captured), (built, !regions.captured)] {
            set_class(button, "on", on);
            set_attr(button, "aria-pressed", if on { "true" } else { "false" });
        }
        set_attr(&self.chip, "aria-expanded", if state.profile_open { "true" } else { "false" });
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

        set_hidden(&self.chip, false);
        let (name, of) = (&regions.profile, regions.provenance);
        let label = format!("Runtime profile {name}, {}", of.name());
        set_attr(&self.chip, "title", &format!("{label}: {}", provenance_words(of)));
        replace_children(&self.chip, profile::chip(regions));
    }
}
