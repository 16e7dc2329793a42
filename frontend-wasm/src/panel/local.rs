//! The local page without its file: after a reload the bytes are gone, and the page says so.

use super::Dispatch;
use crate::dom::{Listener, by_id, closest, div, el, on, replace_children, span};
use crate::layout::action::Action;
use crate::layout::state::State;
use web_sys::Element;

/// What stands in place of the panes.
pub struct LocalPanel {
    root: Element,
    drawn: bool,
    _listener: Listener,
}

impl LocalPanel {
    /// Takes over the document's content. `None` where there is none.
    pub fn new(dispatch: Dispatch) -> Option<Self> {
        let root = by_id("main")?;
        let listener = on(&root, "click", move |event| {
            if closest(&event, "[data-pick]").is_some() {
                dispatch(Action::Run("open-file"));
            }
        });
        Some(Self { root, drawn: false, _listener: listener })
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        if self.drawn || state.opened {
            return;
        }
        self.drawn = true;
        let button = el("button").class("btn pri").attr("type", "button").attr("data-pick", "");
        let buttons = div("row")
            .child(button.text("Choose file"))
            .child(span("kbd", "Ctrl O"))
            .child(el("a").class("btn").attr("href", "/").text("Start page"));
        let gap = div("gap")
            .child(el("b").text("Drop the file here again."))
            .and_text(
                " This address belongs to a file that was read in this browser only. A reload \
                 forgets its bytes; the place in the address is kept and shown once the file is \
                 back.",
            )
            .child(buttons)
            .child(div("").attr("id", "problem").attr("role", "alert"));
        replace_children(&self.root, [div("doc").child(gap)]);
    }
}
