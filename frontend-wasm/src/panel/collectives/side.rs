//! The right side: the ranks above, one of four parts below.

use super::topology::Topology;
use super::{plan, ranks, step};
use crate::dom::{append, div, el, replace_children, set_attr, set_class, set_text, span};
use crate::layout::collectives::Part;
use crate::layout::state::State;
use crate::paint::glyph::button;
use crate::panel::Dispatch;
use std::rc::Rc;
use web_sys::Element;

/// What the lower part depends on.
type Drawn = (Part, usize, usize, usize, Option<(u64, u32)>, u32, usize);

/// The right side.
pub struct Side {
    root: Element,
    topology: Topology,
    tabs: Vec<(Part, Element, Element)>,
    body: Element,
    drawn: Option<Drawn>,
}

impl Side {
    /// An empty side.
    pub fn new(dispatch: &Dispatch) -> Self {
        let topology = Topology::new(dispatch);
        let group = div("tabs").attr("role", "group").attr("aria-label", "Part").build();
        let mut tabs = Vec::new();
        for (part, name, title) in Part::ALL {
            let number = span("num", "").build();
            let tab = button("").attr("data-side", name).text(title).node(&number).build();
            append(&group, &tab);
            tabs.push((part, tab, number));
        }
        let body = div("body scroll cbody").attr("tabindex", "0").attr("role", "region");
        let body = body.attr("aria-label", "Plan of the entry").build();
        let head = div("ph").node(&group);
        let root = el("aside").class("pane cside").attr("aria-label", "Ranks and plan");
        let root = root.node(topology.root()).child(head).node(&body).build();
        Self { root, topology, tabs, body, drawn: None }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the slider of steps.
    pub fn focus(&self) {
        self.topology.focus();
    }

    /// Brings the side up to date.
    pub fn render(&mut self, state: &State) {
        let own = &state.collectives;
        self.topology.render(state);
        let findings = own.plan.as_ref().map_or(0, |plan| plan.diagnostics.len());
        let ranks = own.plan.as_ref().map_or(0, |plan| plan.ranks.len());
        for (part, tab, number) in &self.tabs {
            let on = *part == own.part;
            set_class(tab, "on", on);
            set_attr(tab, "aria-pressed", if on { "true" } else { "false" });
            let count = match part {
                Part::Findings => findings,
                Part::Ranks => ranks,
                _ => 0,
            };
            set_text(number, &if count > 0 { count.to_string() } else { String::new() });
        }
        fn at<T>(one: Option<&Rc<T>>) -> usize {
            one.map_or(0, |one| Rc::as_ptr(one) as usize)
        }
        let now = (
            own.part,
            at(own.plan.as_ref()),
            Rc::as_ptr(&own.triggers) as usize,
            at(own.step_shown()),
            own.picked.map(|at| (at.index, at.top_sp)),
            own.node_shown(),
            own.triggers.len(),
        );
        // The old step stays until the new one is there.
        let waits = own.part == Part::Step && own.step_shown().is_none() && self.drawn.is_some();
        let waits = waits && own.schedule.head.is_some();
        if self.drawn == Some(now) || waits {
            return;
        }
        let other = self.drawn.is_none_or(|drawn| drawn.0 != own.part);
        self.drawn = Some(now);
        let parts = match own.part {
            Part::Plan => plan::parts(own),
            Part::Step => step::parts(own),
            Part::Ranks => ranks::parts(state),
            Part::Findings => ranks::findings(state),
        };
        replace_children(&self.body, parts);
        let title = Part::ALL.iter().find(|(part, ..)| *part == own.part);
        set_attr(&self.body, "aria-label", title.map_or("Plan", |(_, _, title)| title));
        if other {
            self.body.set_scroll_top(0);
        }
    }
}
