//! The Code pane: a virtual grid of slots with engine tabs, the opened bytes and the overview.

mod expand;
mod wiring;
mod compare;
mod grid;
mod head;
mod ruler;
mod row;

use self::compare::Compare;
use self::grid::Grid;
use self::head::Head;
use self::ruler::Ruler;
use super::Dispatch;
use crate::dom::{append, div, el, set_attr, set_hidden};
use crate::layout::action::Dirty;
use crate::layout::format;
use crate::layout::state::State;
use debug_api::answer::EngineRegions;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlElement};

/// The pane.
pub struct CodePanel {
    root: Element,
    head: Head,
    grid: Grid,
    ruler: Ruler,
    compare: Compare,
    named: Option<Rc<EngineRegions>>,
}

impl CodePanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty = Dirty::SELECTION
        .and(Dirty::CODE)
        .and(Dirty::REGIONS)
        .and(Dirty::SLOT)
        .and(Dirty::HOVER)
        .and(Dirty::OVERLAY);

    /// Builds the fixed part.
    pub fn new(dispatch: Dispatch) -> Self {
        let head = Head::new(dispatch.clone());
        let grid = Grid::new(dispatch.clone());
        let ruler = Ruler::new(dispatch.clone(), grid.position());
        let compare = Compare::new(dispatch);
        let root = el("section").class("pane cod").attr("aria-labelledby", "code-title").build();
        let body = div("body").build();
        append(&root, head.root());
        append(&root, &body);
        append(&body, grid.root());
        append(&body, compare.root());
        append(grid.root(), ruler.root());
        Self { root, head, grid, ruler, compare, named: None }
    }

    /// The pane's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings the pane up to date.
    pub fn render(&mut self, state: &State) {
        self.head.render(state);
        let compared = self.compare.render(state);
        set_hidden(self.grid.root(), compared);
        if compared {
            return;
        }
        self.grid.render(state);
        let (first, last) = self.grid.visible();
        let Some((engine, height)) = self.grid.image() else { return };
        self.ruler.render(engine, height, first, last, state.selection.row);
        if self.named.as_ref().is_none_or(|named| !Rc::ptr_eq(named, engine)) {
            self.named = Some(Rc::clone(engine));
            let count = format::count(engine.image_slots, "slot");
            let label = format!("Slots of {}, {count}", engine.engine);
            set_attr(self.grid.table(), "aria-label", &label);
        }
    }

    /// Puts the focus on the row cursor.
    pub fn focus(&self) {
        if self.compare.root().has_attribute("hidden") {
            self.grid.focus();
        } else if let Some(stop) = self.compare.stop().dyn_ref::<HtmlElement>() {
            let _ = stop.focus();
        }
    }
}
