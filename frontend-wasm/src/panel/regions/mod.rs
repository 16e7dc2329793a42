//! The Regions pane: five engine images on one scale, with their patches.
//!
//! Click selects the slot under the pointer; arrows move along a strip and between engines.
//! Ctrl and wheel zoom, Shift and wheel or a drag pan. The pane's own zoom is like a scroll
//! position: it is kept here, not in the state.

mod tip;

mod overview;

mod canvas;

mod window;

mod board;

mod profile;

mod head;

mod legend;

use self::board::Board;
use self::head::Head;
use self::legend::Legend;
use self::profile::ProfilePanel;
use super::Dispatch;
use crate::dom::{Listener, append, closest, div, el, on, replace_children, set_hidden, span};
use crate::layout::action::{Action, Dirty};
use crate::layout::lone::{Lone, lone};
use crate::layout::state::{About, State};
use crate::paint::glyph::button;
use web_sys::Element;

/// The pane.
pub struct RegionsPanel {
    root: Element,
    head: Head,
    board: Board,
    legend: Legend,
    profile: ProfilePanel,
    empty: Element,
    _adding: Listener,
    /// What is said where a capture is open alone.
    said: Option<Lone>,
}

impl RegionsPanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty =
        Dirty::REGIONS.and(Dirty::SELECTION).and(Dirty::HOVER).and(Dirty::NOTICE).and(Dirty::FRAME);

    /// Builds the fixed part.
    pub fn new(dispatch: Dispatch) -> Self {
        let board = Board::new(dispatch.clone());
        let head = Head::new(dispatch.clone(), board.fit());
        let legend = Legend::new(dispatch.clone());
        let profile = ProfilePanel::new(dispatch.clone());
        let root = el("section").class("pane reg").attr("aria-labelledby", "regions-title").build();
        let body = div("body").build();
        let empty = div("gap").attr("hidden", "").build();
        let adding = on(&empty, "click", move |event| {
            if closest(&event, "[data-run=add-neff]").is_some() {
                dispatch(Action::Run("add-neff"));
            }
        });
        for child in [head.root(), board.overview(), &body, legend.root()] {
            append(&root, child);
        }
        for child in [&empty, board.root(), legend.table()] {
            append(&body, child);
        }
        Self { root, head, board, legend, profile, empty, _adding: adding, said: None }
    }

    /// The pane's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// The panel of the runtime profile, which floats above the panes.
    pub const fn floating(&self) -> &Element {
        self.profile.root()
    }

    /// Brings the pane up to date.
    pub fn render(&mut self, state: &State) {
        let shown = state.shown_regions();
        set_hidden(self.legend.root(), shown.is_empty());
        self.render_empty(state, shown.is_empty());
        self.head.render(state);
        self.legend.render(state, &shown);
        self.profile.render(state);
        self.board.render(state, shown);
    }

    /// Puts the focus on the strip of the selected engine.
    pub fn focus(&self) {
        self.board.focus();
    }

    fn render_empty(&mut self, state: &State, none: bool) {
        let notice = state.notices.iter().find(|notice| notice.about == About::Regions);
        let lone = lone(state);
        let waits = notice.is_none() && lone.is_none() && state.opened && !state.slow;
        set_hidden(&self.empty, !none || waits);
        if !none {
            self.said = None;
            return;
        }
        if lone.is_some() && lone == self.said {
            return;
        }
        self.said.clone_from(&lone);
        if let Some(Lone { what, has, adds, next }) = lone {
            let lines = has.into_iter().chain([adds, next]).map(|line| el("p").text(&line));
            let add = button("btn").attr("data-run", "add-neff").text("Add NEFF");
            let all =
                [el("b").text(&what)].into_iter().chain(lines).chain([el("p").node(&add.build())]);
            replace_children(&self.empty, all);
            return;
        }
        let (what, why, code) = match notice {
            Some(notice) => {
                ("The images could not be built.", notice.message.as_str(), notice.code.as_str())
            }
            None if state.opened => {
                ("Building the images.", "They appear as soon as they are there.", "")
            }
            None => ("No file is open.", "Open one to see the five engine images.", ""),
        };
        replace_children(
            &self.empty,
            [el("b").text(what), el("br"), span("", why).and_text(" "), span("code", code)],
        );
    }
}
