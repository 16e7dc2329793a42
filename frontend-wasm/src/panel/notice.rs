//! Banners above the panes, the toast, and a file on its way in.
//!
//! An error is always a banner that stays until it is dismissed or its cause is gone; the toast
//! only confirms.

use super::Dispatch;
use super::dialog::{banner, finding};
use crate::dom::{
    El, Listener, append, by_id, closest, data_number, div, el, on, replace_children, set_hidden,
    span,
};
use crate::layout::action::{Action, Dirty};
use crate::layout::format;
use crate::layout::state::{Notice, Opening, Page, State};
use crate::paint::glyph::icon;
use web_sys::Element;

/// Banners, toast and progress.
pub struct NoticePanel {
    banners: Element,
    toast: Element,
    progress: Element,
    notices: Option<(Vec<Notice>, usize)>,
    text: String,
    opening: Option<Opening>,
    _listeners: Vec<Listener>,
}

impl NoticePanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty = Dirty::NOTICE.and(Dirty::INFO).and(Dirty::FRAME);

    /// Builds it.
    pub fn new(dispatch: Dispatch) -> Self {
        let banners = div("banners").attr("role", "region").attr("aria-label", "Messages").build();
        let toast = div("toast").attr("role", "status").build();
        let progress = div("toast busy").attr("role", "status").build();
        let listeners = [&banners, &toast, &progress].map(|root| {
            let send = dispatch.clone();
            on(root, "click", move |event| {
                let number = |selector: &str, name| {
                    closest(&event, selector).and_then(|button| data_number(&button, name))
                };
                if let Some(notice) = number("[data-notice]", "notice") {
                    send(Action::Dismiss(usize::try_from(notice).unwrap_or(usize::MAX)));
                } else if let Some(serial) = number("[data-toast]", "toast") {
                    send(Action::ToastOver(u32::try_from(serial).unwrap_or(0)));
                } else if closest(&event, "[data-cancel]").is_some() {
                    send(Action::OpeningCancel);
                } else if closest(&event, "[data-findings]").is_some() {
                    send(Action::Run("findings"));
                }
            })
        });
        let mut listeners = Vec::from(listeners);
        for (kind, hold) in [("pointerenter", true), ("pointerleave", false)] {
            let send = dispatch.clone();
            listeners.push(on(&toast, kind, move |_| send(Action::HoldToast(hold))));
        }
        for root in [&toast, &progress] {
            set_hidden(root, true);
            if let Some(overlay) = by_id("overlay") {
                append(&overlay, root);
            }
        }
        Self {
            banners,
            toast,
            progress,
            notices: None,
            text: String::new(),
            opening: None,
            _listeners: listeners,
        }
    }

    /// The element of the banners, for the page to place.
    pub const fn banners(&self) -> &Element {
        &self.banners
    }

    /// Brings all up to date.
    pub fn render(&mut self, state: &State) {
        self.render_toast(state);
        // The start page shows both at its drop zone.
        if state.page == Page::Start {
            return;
        }
        self.render_banners(state);
        self.render_progress(state);
    }

    fn render_banners(&mut self, state: &State) {
        let found = state.findings().len();
        if self.notices.as_ref().is_some_and(|(old, n)| *old == state.notices && *n == found) {
            return;
        }
        self.notices = Some((state.notices.clone(), found));
        let own = state.notices.iter().enumerate().map(|(number, notice)| {
            let class = match notice.severity.as_str() {
                "error" => "err",
                "warning" => "warn",
                _ => "info",
            };
            let close = el("button").class("btn sm ghost sq").attr("type", "button");
            let close =
                close.attr("aria-label", "Dismiss").attr("title", "Dismiss").child(icon("close"));
            let close = close.attr("data-notice", &number.to_string());
            banner(class, &notice.severity, &notice.message, "", &notice.code)
                .child(span("grow", ""))
                .child(close)
        });
        // Errors of the file are shown at once; warnings and notes wait in the list.
        let errors: Vec<_> =
            state.findings().into_iter().filter(|finding| finding.severity == "error").collect();
        let more = errors.len().saturating_sub(1);
        let first = errors.first().map(|error| {
            let all = el("button").class("btn sm").attr("type", "button").attr("data-findings", "");
            let text = if more == 0 {
                "All findings".to_owned()
            } else {
                format!("and {}", format::count(more as u64, "more error"))
            };
            finding(error).child(span("grow", "")).child(all.text(&text))
        });
        let all: Vec<El> = own.chain(first).collect();
        set_hidden(&self.banners, all.is_empty());
        replace_children(&self.banners, all);
        // Pages without panes have a place of their own for what went wrong.
        if let Some(problem) = by_id("problem").filter(|_| !self.banners.is_connected()) {
            append(&problem, &self.banners);
        }
    }

    fn render_toast(&mut self, state: &State) {
        let toast = state.toast.as_ref().filter(|_| state.opening.is_none());
        set_hidden(&self.toast, toast.is_none());
        let text = toast.map(|toast| toast.text.clone()).unwrap_or_default();
        if self.text == text {
            return;
        }
        self.text = text;
        let close = el("button").class("btn sm ghost sq").attr("type", "button");
        let close = close.attr("aria-label", "Close").child(icon("close"));
        let serial = toast.map_or(0, |toast| toast.serial);
        let close = close.attr("data-toast", &serial.to_string());
        replace_children(&self.toast, [icon("check"), span("", &self.text), close]);
    }

    fn render_progress(&mut self, state: &State) {
        let opening = state.opening.as_ref().filter(|opening| opening.slow);
        set_hidden(&self.progress, opening.is_none());
        if self.opening.as_ref() == opening {
            return;
        }
        self.opening = opening.cloned();
        let Some(opening) = opening else { return };
        let size =
            |bytes: u64| format::bytes_unit(bytes).unwrap_or_else(|| format::bytes_exact(bytes));
        let sending = opening.upload && opening.done < opening.bytes;
        let text = match (opening.upload, sending) {
            (true, true) => format!(
                "Sending {}: {} of {}",
                opening.name,
                size(opening.done),
                size(opening.bytes)
            ),
            (true, false) => format!("The server reads {}, {}", opening.name, size(opening.bytes)),
            (false, _) => format!("Reading {}, {}", opening.name, size(opening.bytes)),
        };
        let bar = el("progress")
            .attr("aria-label", "Progress")
            .attr("max", &opening.bytes.max(1).to_string());
        let bar = if sending { bar.attr("value", &opening.done.to_string()) } else { bar };
        let cancel = el("button").class("btn sm").attr("type", "button").attr("data-cancel", "");
        replace_children(&self.progress, [span("", &text), bar, cancel.text("Cancel")]);
    }
}
