//! The card beside the pointer: what is known of the variable under it.

use crate::dom::{El, data_number, div, el, replace_children, set_hidden, set_style, span};
use crate::layout::format::thousands;
use crate::layout::memory::VarRef;
use crate::layout::memory::card::card;
use crate::layout::state::State;
use crate::paint::glyph::provenance;
use web_sys::Element;

/// Width that a card has at most, and its distance from the bar.
const WIDTH: f64 = 420.0;
const AWAY: f64 = 6.0;

/// The card.
pub struct Tip {
    root: Element,
    shown: Option<(VarRef, usize)>,
}

impl Tip {
    /// A card that says nothing.
    pub fn new() -> Self {
        let root = div("tip mtip").attr("aria-hidden", "true").attr("hidden", "").build();
        Self { root, shown: None }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Shows the card of the variable under the pointer beside its bar, or none. `map` is the
    /// element that the pointer is over.
    pub fn render(&mut self, state: &State, bar: Option<&Element>) {
        let memory = &state.memory;
        let plan = bar.and_then(|bar| bar.closest("[data-map]").ok().flatten());
        let mode = plan.and_then(|section| section.get_attribute("data-map"));
        let plan = memory.maps().into_iter().find(|plan| Some(&plan.mode) == mode.as_ref());
        let wanted = memory.hover.as_ref().zip(bar).zip(plan.or_else(|| memory.plan()));
        let made = wanted.and_then(|((hover, bar), plan)| {
            Some((card(memory, plan, hover)?, hover.clone(), bar))
        });
        let Some((made, hover, bar)) = made else {
            self.shown = None;
            set_hidden(&self.root, true);
            return;
        };
        let many = data_number(bar, "many").unwrap_or(0);
        let place = bar.get_bounding_client_rect();
        let now = (hover, (place.left() as usize) ^ ((place.top() as usize) << 16));
        if self.shown.as_ref() == Some(&now) {
            return;
        }
        self.shown = Some(now);
        let mut list = el("dl");
        for line in &made.lines {
            list = list.child(el("dt").text(line.name)).child(el("dd").text(&line.text));
            list = list.child(el("dd").class("qp").child(provenance(line.of)));
        }
        let head = div("mono b").text(&made.title);
        let more: Option<El> = (many > 1).then(|| {
            let text =
                format!("the first of {} that are too small to be told apart", thousands(many));
            span("t3", &text)
        });
        let next = "Click it for its record in Structs, its slots and its descriptors.";
        let parts = [head].into_iter().chain(more).chain([list, div("t3").text(next)]);
        replace_children(&self.root, parts);
        set_hidden(&self.root, false);
        self.put(&place);
    }

    /// Below the bar, or above it where there is no room below.
    fn put(&self, bar: &web_sys::DomRect) {
        let window = crate::dom::window();
        let of = |side: Option<Result<wasm_bindgen::JsValue, wasm_bindgen::JsValue>>| {
            side.and_then(Result::ok).and_then(|value| value.as_f64()).unwrap_or(0.0)
        };
        let width = of(window.as_ref().map(web_sys::Window::inner_width));
        let height = of(window.as_ref().map(web_sys::Window::inner_height));
        let own = self.root.get_bounding_client_rect();
        let left = bar.left().min(width - own.width().min(WIDTH) - 8.0).max(8.0);
        let below = bar.bottom() + AWAY;
        let top =
            if below + own.height() > height { bar.top() - own.height() - AWAY } else { below };
        set_style(&self.root, "left", &format!("{left:.0}px"));
        set_style(&self.root, "top", &format!("{:.0}px", top.max(8.0)));
    }
}
