//! The dialog that asks for the server's token before a file is sent.

use super::Dispatch;
use super::dialog::keep_tab;
use crate::dom::{
    Listener, append, by_id, closest, div, el, on, replace_children, set_attr, set_hidden,
    set_opt_attr, set_text, span,
};
use crate::layout::action::Action;
use crate::layout::state::{Overlay, State};
use crate::paint::glyph::{button, icon, symbol};
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// The dialog.
pub struct TokenPanel {
    root: Element,
    lead: Element,
    input: Element,
    problem: Element,
    send: Element,
    open: bool,
    _listeners: [Listener; 3],
}

impl TokenPanel {
    /// Builds it, hidden.
    pub fn new(dispatch: Dispatch) -> Self {
        let lead = el("p").attr("id", "token-lead").build();
        // A password field, so that nobody reads the token over a shoulder.
        let input =
            el("input").class("inp mono").attr("id", "token-input").attr("type", "password");
        let input = input.attr("autocomplete", "off").attr("spellcheck", "false");
        let input = input.attr("required", "").attr("data-first", "");
        let input = input.attr("aria-describedby", "token-problem token-keep").build();
        let problem = div("wrong").attr("id", "token-problem").attr("role", "alert").build();
        let send = button("btn pri").attr("type", "submit").build();
        let close = button("btn sm ghost sq").attr("data-close", "").attr("aria-label", "Close");
        let title = el("h2").attr("id", "token-title").text("Token for uploads");
        let label = el("label").attr("for", "token-input").text("Token");
        let keep = "It is kept for this tab alone, until the tab is closed.";
        let keep = el("p").class("t3").attr("id", "token-keep").text(keep);
        let body = div("db").node(&lead).child(div("fld").child(label).node(&input));
        let cancel = button("btn").attr("data-close", "").text("Cancel");
        let form = el("form")
            .attr("novalidate", "")
            .child(div("dh").child(title).child(close.child(icon("close"))))
            .child(body.node(&problem).child(keep))
            .child(div("df").node(&send).child(cancel))
            .build();
        let sheet = div("dlg token")
            .attr("role", "dialog")
            .attr("aria-modal", "true")
            .attr("aria-labelledby", "token-title")
            .attr("aria-describedby", "token-lead")
            .attr("tabindex", "-1")
            .node(&form);
        let root = div("scrim").child(sheet).build();
        set_hidden(&root, true);
        if let Some(overlay) = by_id("overlay") {
            append(&overlay, &root);
        }
        let (own, leave) = (root.clone(), dispatch.clone());
        let press = on(&root, "click", move |event| {
            let outside = event.target().as_ref() == Some(own.as_ref());
            if outside || closest(&event, "[data-close]").is_some() {
                leave(Action::CloseOverlay);
            }
        });
        let field = input.clone();
        let submit = on(&form, "submit", move |event| {
            event.prevent_default();
            if let Some(field) = field.dyn_ref::<HtmlInputElement>() {
                dispatch(Action::TokenGiven(field.value()));
            }
        });
        let listeners = [press, submit, keep_tab(&root)];
        Self { root, lead, input, problem, send, open: false, _listeners: listeners }
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        let open = state.overlay == Overlay::Token;
        set_hidden(&self.root, !open);
        if self.open != open {
            self.open = open;
            // What was typed does not outlive the dialog in the document.
            if let Some(input) = self.input.dyn_ref::<HtmlInputElement>() {
                input.set_value("");
            }
            self.problem.set_text_content(None);
        }
        if !open {
            return;
        }
        let token = &state.token;
        set_text(&self.lead, &token.lead());
        set_text(&self.send, if token.checking { "Checking" } else { "Upload" });
        set_attr(&self.send, "aria-disabled", if token.checking { "true" } else { "false" });
        set_opt_attr(&self.input, "aria-invalid", token.problem.as_ref().map(|_| "true"));
        let said = token.problem.as_ref().map(|problem| {
            let text = span("tx", &problem.message).and_text(" ");
            let text = text.child(span("code", &problem.code));
            div("banner err").child(symbol("ic", "v-error")).child(text)
        });
        replace_children(&self.problem, said);
    }
}
