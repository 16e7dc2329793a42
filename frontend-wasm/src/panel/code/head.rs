//! The head of the Code pane: engine tabs, slot count, next patch, details.

use crate::dom::{
    Listener, append, closest, data, div, el, find, on, set_attr, set_class, set_hidden,
    set_opt_attr, set_text, span,
};
use crate::layout::action::Action;
use crate::layout::format;
use crate::layout::state::{ENGINES, State};
use crate::paint::glyph;
use crate::panel::Dispatch;
use crate::panel::details_button::DetailsButton;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement, KeyboardEvent};

/// The head.
pub struct Head {
    root: Element,
    tabs: Vec<Element>,
    count: Element,
    patch: Element,
    compare: Element,
    details: DetailsButton,
    shown: Option<Shown>,
    _listeners: [Listener; 2],
}

/// What the head shows.
#[derive(PartialEq, Eq)]
struct Shown {
    engine: String,
    slots: Option<u64>,
    patched: bool,
    capture: bool,
    compare: bool,
}

impl Head {
    /// Builds it.
    pub fn new(dispatch: Dispatch) -> Self {
        let root = div("ph").build();
        let title = el("h2").attr("id", "code-title").text("Code").build();
        let list = div("tabs").attr("role", "tablist").attr("aria-label", "Engine").build();
        let mut tabs = Vec::new();
        for engine in ENGINES {
            let tab = el("button")
                .attr("type", "button")
                .attr("role", "tab")
                .attr("data-engine", engine)
                .attr("aria-controls", "code-grid")
                .child(glyph::engine(engine))
                .build();
            append(&list, &tab);
            tabs.push(tab);
        }
        let count = span("sub hide-m", "").build();
        let patch = el("button")
            .class("btn sm")
            .attr("type", "button")
            .attr("data-run", "patch-next")
            .attr("aria-keyshortcuts", "N")
            .child(span("what", "Next patch"))
            .child(span("kbd", "N"))
            .build();
        let compare = el("button")
            .class("btn sm")
            .attr("type", "button")
            .attr("data-run", "compare")
            .attr("aria-keyshortcuts", "C")
            .attr("title", "Captured and built image side by side (C)")
            .text("Compare")
            .build();
        let details = DetailsButton::new(&dispatch, "");
        let grow = span("grow", "").build();
        for child in [&title, &list, &grow, &count, &compare, &patch, details.root()] {
            append(&root, child);
        }
        let send = dispatch.clone();
        let clicks = on(&root, "click", move |event| {
            if let Some(engine) =
                closest(&event, "[data-engine]").and_then(|tab| data(&tab, "engine"))
            {
                send(Action::SetEngine(engine));
            } else if let Some(button) = closest(&event, "[data-run]") {
                match data(&button, "run").as_deref() {
                    Some("patch-next") => send(Action::Run("patch-next")),
                    Some("compare") => send(Action::Run("compare")),
                    _ => {}
                }
            }
        });
        let order = tabs.clone();
        let keys = on(&list, "keydown", move |event| {
            let Some(key) = event.dyn_ref::<KeyboardEvent>() else { return };
            let step = match key.key().as_str() {
                "ArrowRight" => 1,
                "ArrowLeft" => order.len() - 1,
                _ => return,
            };
            let now = closest(&event, "[data-engine]");
            let at = order.iter().position(|tab| Some(tab) == now.as_ref()).unwrap_or(0);
            let Some(next) = order.get((at + step) % order.len().max(1)) else { return };
            event.prevent_default();
            if let Some(next) = next.dyn_ref::<HtmlElement>() {
                let _ = next.focus();
            }
            if let Some(engine) = data(next, "engine") {
                dispatch(Action::SetEngine(engine));
            }
        });
        Self { root, tabs, count, patch, compare, details, shown: None, _listeners: [clicks, keys] }
    }

    /// The head's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        let engine = state.engine();
        let now = Shown {
            engine: state.selection.e.clone(),
            slots: engine.map(|engine| engine.image_slots),
            patched: if state.compare.open && state.has_capture() {
                state.compare.plan.differences() > 0
            } else {
                engine.is_none_or(|engine| !engine.patches.is_empty())
            },
            capture: state.has_capture(),
            compare: state.compare.open,
        };
        self.details.render(state);
        if self.shown.as_ref() == Some(&now) {
            return;
        }
        for tab in &self.tabs {
            let on = data(tab, "engine").is_some_and(|engine| engine == state.selection.e);
            set_class(tab, "on", on);
            set_attr(tab, "aria-selected", if on { "true" } else { "false" });
            set_attr(tab, "tabindex", if on { "0" } else { "-1" });
        }
        let count = now.slots.map(|slots| format::count(slots, "slot"));
        set_text(&self.count, &count.unwrap_or_default());
        let none = !now.patched;
        set_opt_attr(&self.patch, "aria-disabled", none.then_some("true"));
        let compared = now.compare && now.capture;
        let why = if compared { "The images do not differ" } else { "This image has no patch" };
        set_opt_attr(&self.patch, "title", none.then_some(why));
        if let Some(what) = find(&self.patch, ".what") {
            set_text(&what, if compared { "Next difference" } else { "Next patch" });
        }
        set_hidden(&self.compare, !now.capture);
        set_class(&self.compare, "on", compared);
        set_attr(&self.compare, "aria-pressed", if compared { "true" } else { "false" });
        self.shown = Some(now);
    }
}
