//! The panel of the runtime profile: which one builds the images, for which core, with which
//! inputs and steps, and why the result is no stronger.

use crate::dom::{
    El, Listener, by_id, closest, data, div, document, el, on, replace_children, set_hidden,
    set_style, span,
};
use crate::layout::action::Action;
use crate::layout::format::{count, provenance_key, provenance_words, runtime};
use crate::layout::state::State;
use crate::paint::glyph::{address, button, icon, provenance};
use crate::panel::Dispatch;
use debug_api::Provenance;
use debug_api::answer::{ProfilesAnswer, RegionsAnswer};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlSelectElement};

/// Distance from the chip, and from the window's edge.
const GAP: f64 = 6.0;

/// Images, profiles and the core that was set.
type Made = (Rc<RegionsAnswer>, Option<Rc<ProfilesAnswer>>, Option<u32>);

/// The panel; it floats under its chip.
pub struct ProfilePanel {
    root: Element,
    body: Element,
    /// What it was last made from.
    made: Option<Made>,
    open: bool,
    _listeners: Vec<Listener>,
}

impl ProfilePanel {
    /// A closed panel.
    pub fn new(dispatch: Dispatch) -> Self {
        let body = div("pp-body").build();
        let close = button("btn sm sq ghost")
            .attr("data-do", "close")
            .attr("aria-label", "Close")
            .attr("title", "Close (Esc)")
            .child(icon("close"));
        let title = el("h2").attr("id", "profile-title").text("Runtime profile");
        let head = div("pp-head").child(title).child(span("grow", "")).child(close);
        let root = div("tip pp")
            .attr("id", "profile-panel")
            .attr("role", "dialog")
            .attr("aria-labelledby", "profile-title")
            .attr("tabindex", "-1")
            .attr("hidden", "")
            .child(head)
            .node(&body)
            .build();
        let send = dispatch.clone();
        let clicks = on(&root, "click", move |event| {
            if closest(&event, "[data-do=close]").is_some() {
                send(Action::ProfileOpen(false));
            } else if closest(&event, "[data-do=add]").is_some() {
                send(Action::Run("add-profile"));
            } else if let Some(value) = closest(&event, "[data-copy]") {
                send(Action::Copy(data(&value, "copy").unwrap_or_default(), "value"));
            }
        });
        let send = dispatch.clone();
        let picks = on(&root, "change", move |event| {
            let Some(target) = event.target() else { return };
            let select = target.dyn_ref::<HtmlSelectElement>();
            if let Some(select) = select.filter(|select| select.has_attribute("data-captures")) {
                send(Action::SetCapture(select.value().parse().ok()));
            } else if let Some(select) = select {
                send(Action::SetProfile(Some(select.value()).filter(|name| !name.is_empty())));
            } else if let Some(input) = target.dyn_ref::<HtmlInputElement>() {
                send(Action::SetCore(input.value().trim().parse().ok()));
            }
        });
        let mut _listeners = vec![clicks, picks];
        if let Some(document) = document() {
            let outside = {
                let root = root.clone();
                move |event: web_sys::Event| {
                    let inside = closest(&event, "#profile-panel, #profile-chip").is_some();
                    if !inside && !root.has_attribute("hidden") {
                        dispatch(Action::ProfileOpen(false));
                    }
                }
            };
            _listeners.push(on(&document, "pointerdown", outside));
        }
        Self { root, body, made: None, open: false, _listeners }
    }

    /// Its element; the page gives it a place above the panes.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        let regions = state.regions.as_ref().filter(|_| state.profile_open);
        set_hidden(&self.root, regions.is_none());
        let opened = regions.is_some() && !self.open;
        self.open = regions.is_some();
        let Some(regions) = regions else { return };
        if opened {
            self.place();
        }
        let same = self.made.as_ref().is_some_and(|(answer, profiles, core)| {
            Rc::ptr_eq(answer, regions)
                && profiles.as_ref().map(Rc::as_ptr) == state.profiles.as_ref().map(Rc::as_ptr)
                && *core == state.build.core
        });
        if !same {
            self.made = Some((Rc::clone(regions), state.profiles.clone(), state.build.core));
            self.fill(state, regions);
        }
    }

    /// Under the chip, inside the window.
    fn place(&self) {
        let Some(chip) = by_id("profile-chip") else { return };
        let chip = chip.get_bounding_client_rect();
        let root = document().and_then(|document| document.document_element());
        let (width, height) = root.map_or((0.0, 0.0), |root| {
            (f64::from(root.client_width()), f64::from(root.client_height()))
        });
        let right = (width - chip.right()).max(GAP);
        let top = chip.bottom() + GAP;
        set_style(&self.root, "right", &format!("{right:.0}px"));
        set_style(&self.root, "top", &format!("{top:.0}px"));
        set_style(&self.root, "max-height", &format!("{:.0}px", (height - top - 34.0).max(160.0)));
    }

    fn fill(&self, state: &State, regions: &RegionsAnswer) {
        let profile = state
            .profiles
            .as_ref()
            .and_then(|all| all.profiles.iter().find(|profile| profile.name == regions.profile));
        let mut parts = vec![choices(state, regions)];
        if let Some(profile) = profile {
            let runtime = match profile.runtime.as_str() {
                "" | "-" | "–" => "of no particular runtime".to_owned(),
                version => format!("runtime {version}"),
            };
            let steps = count(profile.steps.len() as u64, "step");
            let of = format!("For {}, {runtime}, {steps}.", profile.generation);
            parts.push(el("p").class("pp-p t2").text(&of));
        }
        if let Some(capture) = &regions.capture {
            let of = format!(
                "Values of {} are used: {}, core {}.",
                capture.file,
                runtime(&capture.runtime),
                capture.core
            );
            parts.push(el("p").class("pp-p t2").text(&of));
        }
        parts.extend(captures(state));
        parts.push(reasons(regions));
        parts.push(inputs(regions));
        parts.extend(profile.map(|profile| {
            let steps = profile.steps.iter().map(|step| {
                let what = &step.step;
                let name = el("summary")
                    .child(span("cut", &what.title))
                    .child(span("code", &what.id))
                    .child(provenance(what.provenance));
                let engines = format!("{}, on {}", step.region, step.engines.join(" "));
                let gate = step.gate.as_ref().map(|gate| format!(" Only if {gate}."));
                let note =
                    el("p").class("t3").text(&format!("{engines}.{}", gate.unwrap_or_default()));
                let fold = el("details").child(name).child(el("p").text(&what.text)).child(note);
                el("li").child(fold)
            });
            let list = el("ol").class("pp-steps").children(steps);
            section("Steps, in image order", Some(profile.steps.len())).child(list)
        }));
        replace_children(&self.body, parts);
    }
}

/// The chip that opens the panel: name and provenance of the profile.
pub fn chip(regions: &RegionsAnswer) -> [El; 4] {
    [
        span("vh", "Runtime profile "),
        provenance(regions.profile_provenance).attr("aria-hidden", "true"),
        span("cut", &regions.profile),
        span("t3 hide-m", &format!(" {}", regions.profile_provenance.name())),
    ]
}

fn section(title: &str, side: Option<usize>) -> El {
    let cap = el("h3").class("cap").child(span("", title));
    let side = side.map(|count| span("", &count.to_string()));
    el("section").class("fs").child(cap.children(side))
}

fn badge(of: Provenance) -> El {
    let class = format!("badge q-{}", provenance_key(of));
    span(&class, "").attr("title", provenance_words(of)).child(provenance(of)).and_text(of.name())
}

/// Profile and core.
fn choices(state: &State, regions: &RegionsAnswer) -> El {
    let mut names = regions.profiles.clone();
    if !names.contains(&regions.profile) {
        names.insert(0, regions.profile.clone());
    }
    let options = names.iter().map(|name| {
        let option = el("option").attr("value", name).text(name);
        if *name == regions.profile { option.attr("selected", "") } else { option }
    });
    let select = el("select").class("pick1").attr("aria-label", "Runtime profile");
    let profile = el("label").class("lbl").and_text("Profile").child(select.children(options));
    let input = el("input")
        .class("pick1 pp-core")
        .attr("type", "number")
        .attr("min", "0")
        .attr("max", "7")
        .attr("aria-label", "Physical core")
        .attr("placeholder", &regions.core.to_string());
    let input = match state.build.core {
        Some(core) => input.attr("value", &core.to_string()),
        None => input,
    };
    let core = el("label").class("lbl").and_text("Core").child(input);
    let own = button("btn sm ghost")
        .attr("data-do", "add")
        .attr("title", "Build the images with a runtime profile of your own, a .toml file")
        .text("Add own…");
    div("pp-row")
        .child(profile)
        .child(own)
        .child(core)
        .child(span("grow", ""))
        .child(badge(regions.profile_provenance))
}

/// The captures of the session, where there are several.
fn captures(state: &State) -> Option<El> {
    let files = state.files.as_ref()?;
    let all = files.files.iter().enumerate().filter(|(_, file)| file.kind == "ntff");
    let names: Vec<(usize, &str)> = all.map(|(at, file)| (at, file.name.as_str())).collect();
    if names.len() < 2 {
        return None;
    }
    let options = names.into_iter().map(|(at, name)| {
        let option = el("option").attr("value", &at.to_string()).text(name);
        if state.build.ntff == Some(at) { option.attr("selected", "") } else { option }
    });
    let first = el("option").attr("value", "").text("The first that fits");
    let select = el("select").class("pick1").attr("data-captures", "");
    let select = select.attr("aria-label", "Capture").child(first).children(options);
    Some(div("pp-row").child(el("label").class("lbl").and_text("Capture").child(select)))
}

/// Why the images are no stronger, each reason with the engines that it holds for.
fn reasons(regions: &RegionsAnswer) -> El {
    let mut of: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for engine in &regions.engines {
        for note in &engine.notes {
            of.entry(note).or_default().push(&engine.engine);
        }
    }
    let title = format!("Images: {}", regions.provenance.name());
    let mut made = section(&title, None)
        .child(el("p").class("pp-n").text(provenance_words(regions.provenance)));
    for (note, engines) in of {
        let who = if engines.len() == regions.engines.len() {
            "All engines".to_owned()
        } else {
            engines.join(", ")
        };
        let line = el("p").class("pp-n").child(span("t3", &format!("{who}: ")));
        made = made.child(line.and_text(note));
    }
    made
}

/// What the images were built with beyond program and profile.
fn inputs(regions: &RegionsAnswer) -> El {
    let list = regions.inputs.iter().fold(el("dl").class("fl"), |list, input| {
        let value = if input.value.starts_with("0x") && !input.value.contains(' ') {
            address(&input.value)
        } else {
            span("cut", &input.value)
        };
        let copy = button("val")
            .attr("data-copy", &input.value)
            .attr("aria-label", &format!("{}: {}, copy", input.name, input.value));
        list.child(el("dt").attr("title", &input.name).text(&input.name))
            .child(el("dd").class("mono").attr("title", &input.value).child(copy.child(value)))
            .child(el("dd").class("qp").child(provenance(input.provenance)))
    });
    let made = section("Inputs", Some(regions.inputs.len()));
    if regions.inputs.is_empty() {
        return made.child(el("p").class("pp-n t3").text("This profile needs none."));
    }
    made.child(list)
}
