//! The button of a view that shows and hides its details.

use super::Dispatch;
use crate::dom::{Listener, on, set_attr, set_class};
use crate::layout::action::Action;
use crate::layout::state::State;
use crate::paint::glyph::button;
use web_sys::Element;

/// The button. A wide window has it only where the details are closed, since they have a button of
/// their own that closes them.
pub struct DetailsButton {
    root: Element,
    _listener: Listener,
}

impl DetailsButton {
    /// A button; `class` says for which widths it is.
    pub fn new(dispatch: &Dispatch, class: &str) -> Self {
        let root = button(&format!("btn sm {class}"))
            .attr("aria-keyshortcuts", "I")
            .attr("title", "Show or hide the details (I)")
            .text("Details")
            .build();
        let send = dispatch.clone();
        let _listener = on(&root, "click", move |_| send(Action::Run("drawer")));
        Self { root, _listener }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings it up to date.
    pub fn render(&self, state: &State) {
        let open = state.has_details();
        set_attr(&self.root, "aria-expanded", if open { "true" } else { "false" });
        set_class(&self.root, "on", open);
        set_class(&self.root, "hide-w", open);
    }
}
