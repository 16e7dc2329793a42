//! The overview beside the rows: the whole image at a glance, and a scroll bar.

use super::wiring::Position;
use crate::dom::{El, Listener, append, div, on, replace_children, set_attr, svg};
use crate::layout::action::Action;
use crate::layout::overview;
use crate::panel::Dispatch;
use debug_api::answer::EngineRegions;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, PointerEvent};

/// The overview.
pub struct Ruler {
    root: Element,
    drawing: Element,
    window: Element,
    cursor: Element,
    drawn: Option<(Rc<EngineRegions>, f64)>,
    moved: Option<((f64, f64), Option<u64>)>,
    rows: Rc<Cell<u64>>,
    _listeners: [Listener; 2],
}

impl Ruler {
    /// Builds it; clicks and drags move the window of `position`.
    pub fn new(dispatch: Dispatch, position: Rc<RefCell<Position>>) -> Self {
        let root = div("ov").attr("aria-hidden", "true").build();
        let drawing = svg("svg").class("ovs").attr("preserveAspectRatio", "none").build();
        append(&root, &drawing);
        let rows = Rc::new(Cell::new(0));
        let lead = {
            let (root, rows) = (root.clone(), Rc::clone(&rows));
            move |event: &PointerEvent| {
                let area = root.get_bounding_client_rect();
                let y = f64::from(event.client_y()) - area.top();
                let row = overview::row_at(rows.get(), area.height(), y);
                position.borrow_mut().center(row);
                dispatch(Action::Redraw);
            }
        };
        let lead = Rc::new(lead);
        let down = {
            let (root, lead) = (root.clone(), Rc::clone(&lead));
            on(&root.clone(), "pointerdown", move |event| {
                if let Some(event) = event.dyn_ref::<PointerEvent>() {
                    let _ = root.set_pointer_capture(event.pointer_id());
                    lead(event);
                }
            })
        };
        let drag = on(&root, "pointermove", move |event| {
            if let Some(event) =
                event.dyn_ref::<PointerEvent>().filter(|event| event.buttons() == 1)
            {
                lead(event);
            }
        });
        let window = rect(0.5, 0.0, 12.0, 0.0).attr("rx", "2").class("win").build();
        let cursor = rect(0.0, 0.0, 13.0, 1.5).class("cur").build();
        let _listeners = [down, drag];
        Self { root, drawing, window, cursor, drawn: None, moved: None, rows, _listeners }
    }

    /// The overview's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Draws rows `first..last` as the window and the selected row as a line, `height` px high.
    pub fn render(
        &mut self,
        engine: &Rc<EngineRegions>,
        height: f64,
        first: u64,
        last: u64,
        selected: Option<u64>,
    ) {
        self.rows.set(engine.rows);
        let same =
            |(old, tall): &(Rc<EngineRegions>, f64)| Rc::ptr_eq(old, engine) && *tall == height;
        if !self.drawn.as_ref().is_some_and(same) {
            self.drawn = Some((Rc::clone(engine), height));
            self.draw(engine, height);
            self.moved = None;
        }
        // Only the window and the cursor move while scrolling.
        let window = overview::window(engine.rows, height, first, last.saturating_sub(first));
        let moved = (window, selected);
        if self.moved != Some(moved) {
            self.moved = Some(moved);
            set_attr(&self.window, "y", &format!("{:.1}", window.0));
            set_attr(&self.window, "height", &format!("{:.1}", window.1));
            let cursor = selected.map(|row| overview::window(engine.rows, height, row, 0).0);
            set_attr(&self.cursor, "y", &format!("{:.1}", cursor.unwrap_or(-9.0)));
        }
    }

    fn draw(&self, engine: &EngineRegions, height: f64) {
        let overview = overview::lay_out(engine, height, 0, 0, None);
        set_attr(&self.drawing, "viewBox", &format!("0 0 {} {height}", overview::WIDTH));
        let band = |band: &overview::OverviewBand| {
            let rect = || rect(3.0, band.y, 7.0, band.height);
            let hatch = band.hatched.then(|| rect().attr("fill", "url(#h-ins)"));
            [Some(rect().class(&format!("r-{}", band.region))), hatch]
        };
        let bands = overview.bands.iter().flat_map(band).flatten();
        let ticks = overview.ticks.iter().map(|tick| {
            let (class, path) = match tick.kind {
                "DELETE" => ("p-del", "v8l-6-4z"),
                "INSERT" => ("p-ins", "v8h-4v-8z"),
                _ => ("p-mod", "l-3 4 3 4z"),
            };
            svg("path").class(class).attr("d", &format!("M13 {:.1}{path}", tick.y - 4.0))
        });
        replace_children(&self.drawing, bands.chain(ticks));
        append(&self.drawing, &self.window);
        append(&self.drawing, &self.cursor);
    }
}

fn rect(x: f64, y: f64, width: f64, height: f64) -> El {
    svg("rect")
        .attr("x", &format!("{x}"))
        .attr("y", &format!("{y:.1}"))
        .attr("width", &format!("{width}"))
        .attr("height", &format!("{height:.1}"))
}
