//! The Run view: what is chosen, how the run ended and why, and where everything stands.

mod bar;
mod drawing;
mod times;
mod more;
mod story;
mod state;

use self::bar::ChoiceBar;
use super::Dispatch;
use super::details_button::DetailsButton;
use crate::dom::{
    El, Listener, closest, data, data_number, div, document, el, focus_on, on, replace_children,
    set_attr, set_class, set_hidden, set_text, span,
};
use crate::layout::action::{Action, Dirty, Move, RunAction, Target};
use crate::layout::format::thousands;
use crate::layout::simulate::words;
use crate::layout::state::{SizeClass, State, View};
use crate::paint::glyph::{button, provenance};
use debug_api::RUN_FIELDS;
use debug_api::answer::PlaceRef;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// What the two bodies depend on.
type Drawn = (usize, Option<String>, bool, bool, SizeClass);

/// The view.
pub struct RunPanel {
    root: Element,
    sub: Element,
    badge: Element,
    timeline: Element,
    bar: ChoiceBar,
    body: Element,
    side: Element,
    toggle: DetailsButton,
    side_body: Element,
    drawn: Option<Drawn>,
    _listeners: Vec<Listener>,
}

impl RunPanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty = Dirty::RUN.and(Dirty::REGIONS).and(Dirty::FRAME).and(Dirty::NOTICE);

    /// Builds the fixed part.
    pub fn new(dispatch: Dispatch) -> Self {
        let sub = span("sub", "").attr("role", "status").build();
        let badge =
            span("badge q-mod", "modelled").child(provenance(debug_api::Provenance::Modelled));
        let badge = badge.attr("title", "Engines, rings, host and all times are a model").build();
        let head = div("ph").child(el("h2").attr("id", "run-title").text("Run"));
        let timeline = button("btn sm").attr("data-do", "timeline").text("Timeline");
        let timeline = timeline.attr("title", "What happened when in this run").build();
        let toggle = DetailsButton::new(&dispatch, "");
        let head = head.node(&sub).child(span("grow", "")).node(&timeline).node(&badge);
        let head = head.node(toggle.root());
        let bar = ChoiceBar::new(&dispatch);
        let body = div("body scroll rbody").attr("tabindex", "0").attr("role", "region");
        let body = body.attr("aria-label", "How the run ended").build();
        let main = el("section").class("pane rmain").attr("aria-labelledby", "run-title");
        let main = main.child(head).node(bar.root()).node(&body).build();
        let close = button("btn sm sq ghost").attr("data-do", "drawer");
        let close = close.attr("aria-label", "Hide the state").attr("title", "Hide the state (I)");
        let close = close.child(crate::paint::glyph::icon("close"));
        let side_head = div("ph").child(el("h2").text("State at the end"));
        let side_head = side_head.child(span("grow", "")).child(close);
        let side_body = div("body scroll").attr("tabindex", "0").attr("role", "region");
        let side_body = side_body.attr("aria-label", "State at the end").build();
        let side = el("aside").class("pane rside").attr("aria-label", "State at the end");
        let side = side.child(side_head).node(&side_body).build();
        let root = div("runv").node(&main).node(&side).build();
        let send = dispatch;
        let _listeners = vec![on(&root, "click", move |event| clicked(&event, &send))];
        Self {
            root,
            sub,
            badge,
            timeline,
            bar,
            body,
            side,
            toggle,
            side_body,
            drawn: None,
            _listeners,
        }
    }

    /// The view's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the story of the run.
    pub fn focus(&self) {
        focus_on(&self.body);
    }

    /// Focus to the state at the end.
    pub fn focus_state(&self) {
        focus_on(&self.side_body);
    }

    /// Brings the view up to date.
    pub fn render(&mut self, state: &State) {
        let own = &state.run;
        self.bar.render(state);
        set_text(&self.sub, &summary(state));
        set_hidden(&self.badge, own.answer.is_none());
        set_hidden(&self.timeline, own.answer.is_none());
        let side = state.has_details() && own.answer.is_some();
        self.toggle.render(state);
        set_hidden(self.toggle.root(), own.answer.is_none());
        set_class(&self.root, "nodet", !side);
        set_hidden(&self.side, !side);
        set_attr(&self.body, "aria-busy", if own.busy { "true" } else { "false" });
        let at = own.answer.as_ref().map_or(0, |answer| Rc::as_ptr(answer) as usize);
        let now = (at, own.refused.clone(), own.busy, own.is_stale(), state.size_class);
        if self.drawn.as_ref() == Some(&now) {
            return;
        }
        let other = self.drawn.as_ref().is_none_or(|drawn| drawn.0 != at);
        self.drawn = Some(now);
        replace_children(&self.body, story::parts(own, state.size_class));
        if let Some(answer) = &own.answer {
            let held = switch_held(&self.side_body);
            replace_children(&self.side_body, state::parts(state, answer));
            if let Some(held) = held {
                focus_switch(&self.side_body, &held);
            }
        }
        if other {
            self.body.set_scroll_top(0);
        }
    }
}

fn summary(state: &State) -> String {
    let own = &state.run;
    match &own.answer {
        _ if own.busy => "runs\u{2026}".to_owned(),
        None => "on modelled engines, rings and host".to_owned(),
        Some(answer) => format!(
            "{}, {} ns by our timing model, {} slots",
            words::outcome(answer).to_lowercase(),
            thousands(answer.time_ns),
            thousands(answer.instructions)
        ),
    }
}

/// A link to a place in Code.
fn link(place: &PlaceRef, text: &str) -> El {
    let mut made = button("go").attr("data-e", &place.e).attr("data-s", &place.s);
    if let Some(slot) = place.image_slot {
        made = made.attr("data-slot", &slot.to_string());
    }
    if let Some(ip) = place.neff_ip {
        made = made.attr("data-ip", &ip.to_string());
    }
    made.text(text)
}

fn clicked(event: &web_sys::Event, dispatch: &Dispatch) {
    let run = closest(event, "[data-do]").and_then(|one| data(&one, "do"));
    match run.as_deref() {
        Some("go") => dispatch(Action::RunView(RunAction::Go)),
        Some("cancel") => dispatch(Action::RunView(RunAction::Cancel)),
        Some("timeline") => dispatch(Action::Run("run-timeline")),
        Some("repair") => dispatch(Action::RunView(RunAction::Repair)),
        Some(_) => dispatch(Action::Run("drawer")),
        None => {
            if let Some(switch) = closest(event, "[data-list]") {
                let key = data(&switch, "list").unwrap_or_default();
                let part = data(&switch, "part").unwrap_or_default();
                if let Some(field) = RUN_FIELDS.iter().find(|field| field.key == key) {
                    dispatch(Action::RunView(RunAction::Switch(field.key, part)));
                }
                return;
            }
            let Some(link) = closest(event, "[data-e]") else { return };
            let number =
                |name| data_number(&link, name).and_then(|value| u32::try_from(value).ok());
            let target = Target {
                s: data(&link, "s").unwrap_or_default(),
                e: data(&link, "e").unwrap_or_default(),
                slot: number("slot"),
                ip: number("ip"),
                row: None,
            };
            dispatch(Action::SetView(View::Code));
            dispatch(Action::Select(target, Move::Jump));
        }
    }
}

/// List and part of the switch that has the focus.
fn switch_held(inside: &Element) -> Option<(String, String)> {
    let active = document()?.active_element()?;
    inside.contains(Some(&active)).then_some(())?;
    Some((data(&active, "list")?, data(&active, "part")?))
}

/// Focus to the switch of a list and part; what is drawn anew had it before.
fn focus_switch(inside: &Element, (list, part): &(String, String)) {
    let Ok(all) = inside.query_selector_all("[data-list]") else { return };
    let all = (0..all.length()).filter_map(|at| all.item(at)?.dyn_into::<Element>().ok());
    let same = |one: &Element| {
        data(one, "list").as_ref() == Some(list) && data(one, "part").as_ref() == Some(part)
    };
    if let Some(one) = all.into_iter().find(same) {
        focus_on(&one);
    }
}
