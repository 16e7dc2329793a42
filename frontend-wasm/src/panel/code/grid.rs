//! The virtual grid: a scrolled element that only ever holds the rows near the window.
//!
//! Rows are recycled: a row that leaves the window is filled again for one that enters it. The row
//! with the focus is never recycled, so that scrolling cannot move the focus to another record.

use super::expand::Expand;
use super::row::{Marks, RowView, Shown};
use super::wiring::{Position, listen, observe};
use crate::dom::{
    Listener, append, div, document, set_attr, set_class, set_hidden, set_style, span,
};
use crate::layout::action::Action;
use crate::layout::place::Places;
use crate::layout::rows::{Heights, ROW_PX};
use crate::layout::state::{Pane, State};
use crate::panel::Dispatch;
use crate::panel::timer::Timer;
use debug_api::answer::EngineRegions;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, Node, ResizeObserver};

/// The grid.
pub struct Grid {
    root: Element,
    scrolled: Element,
    spacer: Element,
    position: Rc<RefCell<Position>>,
    dispatch: Dispatch,
    rows: BTreeMap<u64, RowView>,
    spare: Vec<RowView>,
    expand: Expand,
    /// Number of the image and of the build of the heights.
    image: u32,
    engine: Option<Rc<EngineRegions>>,
    places: Places,
    revealed: u32,
    asked: (u64, u64),
    cursor: Option<u64>,
    /// Whether rows stand in the document in the order in which they are shown.
    tidy: bool,
    /// Heights of the window and of the scrolled element in px, as last measured and set.
    view: f64,
    tall: f64,
    busy: Option<bool>,
    resized: Rc<Cell<bool>>,
    rest: Rc<Timer>,
    _observer: Option<(ResizeObserver, Closure<dyn FnMut()>)>,
    _listeners: Vec<Listener>,
}

impl Grid {
    /// Builds it.
    pub fn new(dispatch: Dispatch) -> Self {
        let root = div("vg withov")
            .attr("id", "code-grid")
            .attr("role", "treegrid")
            .attr("aria-label", "Slots")
            .attr("aria-multiselectable", "false")
            .build();
        let head = div("vgh").attr("role", "row").attr("aria-rowindex", "1");
        let titles = [
            ("r", "Slot"),
            ("r", "IP"),
            ("hexh", "Header, sync"),
            ("bwh", "64 bytes"),
            ("", "Mnemonic"),
            ("", "Wait, update, operands"),
        ];
        let title = |(class, text): (&str, &str)| {
            let role = if class == "bwh" { "presentation" } else { "columnheader" };
            span(class, text).attr("role", role)
        };
        let last = span("", "").attr("role", "columnheader").child(span("vh", "From"));
        let head = head.child(span("", "").attr("role", "presentation"));
        let head = head.children(titles.into_iter().map(title)).child(last).build();
        let scrolled = div("vgs").attr("role", "rowgroup").build();
        let spacer = div("vgp").attr("role", "presentation").build();
        append(&root, &head);
        append(&root, &scrolled);
        append(&scrolled, &spacer);
        let expand = Expand::new();
        append(&scrolled, expand.root());
        set_hidden(expand.root(), true);
        let position = Rc::new(RefCell::new(Position::default()));
        let rest = Rc::new(Timer::new({
            let dispatch = dispatch.clone();
            move || dispatch(Action::Redraw)
        }));
        let listeners = listen(&scrolled, &dispatch, &position, &rest);
        let resized = Rc::new(Cell::new(true));
        let observer = observe(&scrolled, &dispatch, &resized);
        Self {
            root,
            scrolled,
            spacer,
            position,
            dispatch,
            rows: BTreeMap::new(),
            spare: Vec::new(),
            expand,
            image: 0,
            engine: None,
            places: Places::default(),
            revealed: 0,
            asked: (0, 0),
            cursor: None,
            tidy: true,
            view: 0.0,
            tall: 0.0,
            busy: None,
            resized,
            rest,
            _observer: observer,
            _listeners: listeners,
        }
    }

    /// The grid's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// The element with `role=grid`.
    pub const fn table(&self) -> &Element {
        &self.root
    }

    /// The position, shared with the overview.
    pub fn position(&self) -> Rc<RefCell<Position>> {
        Rc::clone(&self.position)
    }

    /// The image that is shown, and the height of the window in px.
    pub fn image(&self) -> Option<(&Rc<EngineRegions>, f64)> {
        self.engine.as_ref().map(|engine| (engine, self.view))
    }

    /// Rows in the window, half open.
    pub fn visible(&self) -> (u64, u64) {
        let position = self.position.borrow();
        position.scroller.visible(&position.heights)
    }

    /// Focus to the row cursor, or to the grid's first row in the document.
    pub fn focus(&self) {
        let stop = self
            .rows
            .values()
            .find(|row| row.root.get_attribute("tabindex").as_deref() == Some("0"));
        if let Some(row) = stop.or_else(|| self.rows.values().next()) {
            focus(&row.root);
        }
    }

    /// Brings the grid up to date.
    pub fn render(&mut self, state: &State) {
        let store = state.rows_shown();
        let current = store.serial() == state.rows.serial();
        let busy = !(current && (store.has_any() || store.rows() == 0));
        if self.busy != Some(busy) {
            self.busy = Some(busy);
            set_attr(&self.root, "aria-busy", if busy { "true" } else { "false" });
        }
        if store.serial() != self.image && current {
            self.open_image(state);
        }
        let Some(engine) = self.engine.clone() else { return };
        self.measure(state, current);
        if current {
            self.obey(state);
        }
        self.place_rows(state, &engine);
        self.mark_rows(state, current);
        self.sync_scroll();
        if current {
            let position = self.position.borrow();
            let window = position.scroller.window(&position.heights);
            if window != self.asked {
                self.asked = window;
                (self.dispatch)(Action::Window(window.0, window.1));
            }
        }
        let resting = !self.tidy && !self.rest.is_running();
        if resting || self.position.borrow().scroller.must_settle() {
            self.settle();
        }
    }

    /// Scrolling has come to rest: the element is set right, and the rows stand in the document in
    /// the order in which they are shown, for screen readers and for marking text.
    fn settle(&mut self) {
        self.tidy = true;
        self.position.borrow_mut().scroller.settle();
        self.sync_scroll();
        self.put_tops();
        self.sort_rows();
        let open = self.position.borrow().heights.open().map(|(row, _)| row);
        if let Some(row) = open.and_then(|row| self.rows.get(&row)) {
            let next: Option<Node> = row.root.next_sibling();
            if next.as_ref() != Some(self.expand.root()) {
                let _ = self.scrolled.insert_before(self.expand.root(), next.as_ref());
            }
        }
    }

    /// Moves the rows that are out of order, away from the one with the focus: moving that one
    /// would take the focus away.
    fn sort_rows(&self) {
        let active = active_element();
        let roots: Vec<&Element> = self.rows.values().map(|row| &row.root).collect();
        let held = roots.iter().position(|root| active.as_ref() == Some(*root));
        let pivot = held.unwrap_or(roots.len() / 2);
        let expand = self.expand.root();
        let (before, after) = roots.split_at(pivot);
        for pair in after.windows(2) {
            let [above, below] = pair else { continue };
            let next = above.next_element_sibling();
            let next = next.filter(|next| next != expand).or_else(|| expand.next_element_sibling());
            if next.as_ref() != Some(*below) {
                let _ = self.scrolled.insert_before(below, above.next_sibling().as_ref());
            }
        }
        let mut below = roots.get(pivot).copied();
        for above in before.iter().rev() {
            let Some(anchor) = below else { break };
            let last = anchor.previous_element_sibling();
            let last =
                last.filter(|last| last != expand).or_else(|| expand.previous_element_sibling());
            if last.as_ref() != Some(*above) {
                let _ = self.scrolled.insert_before(above, Some(anchor));
            }
            below = Some(above);
        }
    }

    fn open_image(&mut self, state: &State) {
        let Some(engine) = state.engine() else { return };
        self.image = state.rows.serial();
        self.engine = Some(Rc::new(engine.clone()));
        self.places = Places::new(engine);
        let dividers = engine.runs.iter().map(|run| run.row).collect();
        let mut position = self.position.borrow_mut();
        position.heights = Heights::new(engine.rows, dividers);
        position.engine.clone_from(&engine.engine);
        position.scroller.move_to(0.0);
        drop(position);
        self.asked = (0, 0);
        // Rows of the image before are filled anew, whatever number they had.
        let rows = std::mem::take(&mut self.rows);
        self.spare.extend(rows.into_values());
        set_attr(&self.root, "aria-rowcount", &(engine.rows + 1).to_string());
        set_class(&self.root, "big", engine.image_slots >= 10_000);
    }

    /// Heights of window and rows, and of the opened record, which is measured once it is filled.
    fn measure(&mut self, state: &State, current: bool) {
        let open = if current { state.selection.row.filter(|_| state.expanded) } else { None };
        set_hidden(self.expand.root(), open.is_none());
        if let Some(row) = open {
            self.expand.render(state, state.rows.get(row).as_ref());
        }
        if self.resized.take() {
            self.view = f64::from(self.scrolled.client_height());
            self.expand.resized();
        }
        let view = self.view;
        let below = open.map(|row| (row, self.expand.height()));
        let mut position = self.position.borrow_mut();
        let Position { heights, scroller, anchor, .. } = &mut *position;
        // A click must not move what is under the pointer, whatever opens or closes above it.
        let before = anchor.take().map(|row| (row, heights.top(row)));
        heights.set_open(below);
        scroller.resize(heights.total(), view);
        if let Some((row, top)) = before {
            let moved = heights.top(row) - top;
            if moved != 0.0 {
                let offset = scroller.offset() + moved;
                scroller.move_to(offset);
            }
        }
        let tall = scroller.element_px().max(view);
        drop(position);
        if self.tall != tall {
            self.tall = tall;
            set_style(&self.spacer, "height", &format!("{tall}px"));
        }
    }

    /// Brings a row into view if the state wishes it.
    fn obey(&mut self, state: &State) {
        if state.reveal.serial == self.revealed {
            return;
        }
        self.revealed = state.reveal.serial;
        let mut position = self.position.borrow_mut();
        let Position { heights, scroller, .. } = &mut *position;
        if let Some(offset) = scroller.reveal(heights, state.reveal.row) {
            scroller.move_to(offset);
        }
    }

    /// Fills the rows that enter the window from those that left it.
    fn place_rows(&mut self, state: &State, engine: &EngineRegions) {
        let store = state.rows_shown();
        let mut position = self.position.borrow_mut();
        let (first, last) = position.scroller.window(&position.heights);
        let active = active_element();
        let left: Vec<u64> = self
            .rows
            .iter()
            .filter(|(at, row)| !(first..last).contains(*at) && active.as_ref() != Some(&row.root))
            .map(|(at, _)| *at)
            .collect();
        for at in left {
            self.spare.extend(self.rows.remove(&at));
            position.shown.remove(&at);
        }
        for at in first..last {
            let loaded = store.get(at);
            let shown = position.shown.get(&at).filter(|_| self.rows.contains_key(&at));
            if shown.is_some_and(|shown| shown.loaded == loaded.is_some()) {
                continue;
            }
            let view = self.rows.entry(at).or_insert_with(|| {
                self.tidy = false;
                let view = self.spare.pop().unwrap_or_else(RowView::new);
                if view.root.parent_node().is_none() {
                    append(&self.scrolled, &view.root);
                }
                view
            });
            if let Some(place) = self.places.place_of_row(engine, at) {
                view.fill(at, loaded.as_ref(), engine, place);
                position.shown.insert(at, view.shown.clone());
            }
        }
        for view in &mut self.spare {
            view.hide();
        }
        drop(position);
        self.put_tops();
    }

    /// Writes the place of every row that has moved.
    fn put_tops(&mut self) {
        let position = self.position.borrow();
        let origin = position.scroller.origin();
        for (at, row) in &mut self.rows {
            row.put(position.heights.top(*at) - origin);
        }
        if let Some((row, _)) = position.heights.open() {
            let top = position.heights.top(row) + ROW_PX - origin;
            set_style(self.expand.root(), "transform", &format!("translateY({top}px)"));
        }
    }

    /// Selection, row cursor and hover.
    fn mark_rows(&mut self, state: &State, current: bool) {
        let selected = state.selection.row.filter(|_| current);
        let cursor = Some(state.cursor).filter(|at| current && self.rows.contains_key(at));
        let first_slot = || self.rows.iter().find(|(_, row)| !row.shown.divider).map(|(at, _)| *at);
        let stop = cursor.or_else(first_slot);
        let active = active_element();
        let mut held = false;
        for (at, row) in &mut self.rows {
            let on = selected == Some(*at);
            held |= active.as_ref() == Some(&row.root);
            row.mark(&Marks {
                selected: on,
                peer: !on && is_peer(state, &row.shown),
                stop: stop == Some(*at),
            });
        }
        // The focus follows the cursor from row to row, but is never taken from elsewhere.
        if held
            && self.cursor != cursor
            && let Some(row) = cursor.and_then(|at| self.rows.get(&at))
        {
            focus(&row.root);
        }
        self.cursor = cursor;
        self.position.borrow_mut().selected = selected;
    }

    fn sync_scroll(&self) {
        let mut position = self.position.borrow_mut();
        let physical = position.scroller.physical();
        // Compared with what is known: asking would make the browser lay the page out.
        if (position.scrolled - physical).abs() >= 1.0 {
            position.scrolled = physical.round();
            drop(position);
            #[allow(clippy::cast_possible_truncation, reason = "at most 1e7")]
            self.scrolled.set_scroll_top(physical.round() as i32);
        }
    }
}

/// Whether a row belongs to what the pointer is over, in this pane or in another.
fn is_peer(state: &State, shown: &Shown) -> bool {
    let Some(hover) = &state.hover else { return false };
    if shown.divider || !shown.loaded {
        return false;
    }
    if let Some(group) = hover.group {
        return shown.is_in(group);
    }
    let place = hover.slot.is_some() || hover.ip.is_some();
    place
        && hover.pane != Pane::Code
        && hover.e == state.selection.e
        && (hover.slot.is_none() || hover.slot == shown.slot)
        && (hover.slot.is_some() || hover.ip == shown.ip)
}

fn active_element() -> Option<Element> {
    document()?.active_element()
}

fn focus(element: &Element) {
    let options = web_sys::FocusOptions::new();
    options.set_prevent_scroll(true);
    if let Some(element) = element.dyn_ref::<HtmlElement>() {
        let _ = element.focus_with_options(&options);
    }
}
