//! The overview above the strips: all engines on one screen, with the window that the strips show.

use crate::dom::{El, div, replace_children, set_attr, set_class, set_text, svg};
use crate::layout::format::thousands;
use crate::layout::minimap::{self, Scale};
use crate::layout::strips::Scene;
use debug_api::answer::RegionsAnswer;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::{Element, MouseEvent};

/// The overview; a scroll bar for keyboards and screen readers.
pub struct Overview {
    root: Element,
    drawing: Element,
    lines: Element,
    window: Element,
    factor: Element,
    drawn: RefCell<Option<Drawn>>,
}

/// What the overview was drawn of: images, scale, and width in pixels.
type Drawn = (Vec<Rc<RegionsAnswer>>, Scale, f64);

impl Overview {
    /// An empty overview.
    pub fn new() -> Self {
        let lines = svg("g").build();
        let window = rect(0.0, 1.0, 0.0, 0.0).class("win").attr("rx", "2").build();
        let name = svg("text").class("tk").attr("x", "4").attr("y", "17").text("overview");
        let factor = svg("text").class("tk").attr("y", "17").attr("text-anchor", "end").build();
        let drawing = svg("svg")
            .attr("aria-hidden", "true")
            .child(name)
            .node(&lines)
            .node(&window)
            .node(&factor)
            .build();
        let root = div("mini")
            .attr("role", "scrollbar")
            .attr("aria-label", "Window of the strips")
            .attr("aria-controls", "strips")
            .attr("aria-orientation", "horizontal")
            .attr("aria-valuemin", "0")
            .node(&drawing)
            .build();
        Self { root, drawing, lines, window, factor, drawn: RefCell::default() }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// A point of the window of the browser in the drawing.
    pub fn local(&self, mouse: &MouseEvent) -> Option<f64> {
        let rect = self.drawing.get_bounding_client_rect();
        let width = self.drawn.borrow().as_ref()?.2;
        let scale = if rect.width() > 0.0 { width / rect.width() } else { 1.0 };
        Some((f64::from(mouse.client_x()) - rect.left()) * scale)
    }

    /// Brings it up to date with the strips.
    pub fn render(&self, answers: &[Rc<RegionsAnswer>], scene: &Scene, zoom: f64) {
        let scale = Scale::of(scene, zoom);
        let same = self.drawn.borrow().as_ref().is_some_and(|(drawn, at, width)| {
            let equal = drawn.len() == answers.len()
                && drawn.iter().zip(answers).all(|(drawn, answer)| Rc::ptr_eq(drawn, answer));
            equal && *at == scale && *width == scene.width
        });
        if !same {
            let list: Vec<&RegionsAnswer> = answers.iter().map(Rc::as_ref).collect();
            let height = minimap::height(&list);
            set_attr(&self.drawing, "viewBox", &format!("0 0 {} {height}", scene.width));
            set_attr(&self.drawing, "height", &height.to_string());
            set_attr(&self.window, "height", &format!("{:.1}", height - 2.0));
            set_attr(&self.factor, "x", &format!("{:.1}", scene.width));
            let bands = minimap::lay_out(&list, &scale);
            let bars = bands.iter().map(|band| {
                let bar = rect(band.x, band.y, band.width, band.height);
                bar.class(&format!("r-{}", band.region))
            });
            replace_children(&self.lines, bars);
            *self.drawn.borrow_mut() = Some((answers.to_vec(), scale, scene.width));
        }
        let zoomed = scene.zoomed();
        let (x, width) = scale.window(scene.from, scene.seen());
        set_attr(&self.window, "x", &format!("{x:.1}"));
        set_attr(&self.window, "width", &format!("{width:.1}"));
        set_class(&self.root, "all", !zoomed);
        let times = match (zoomed, zoom) {
            (false, _) => "all".to_owned(),
            (_, zoom) if zoom < 9.95 => format!("{zoom:.1} ×"),
            (_, zoom) => format!("{} ×", thousands(zoom.round() as u64)),
        };
        set_text(&self.factor, &times);
        set_attr(&self.root, "tabindex", if zoomed { "0" } else { "-1" });
        let (first, last) = scene.span();
        let most = scene.slots.saturating_sub(scene.seen().floor() as u64);
        set_attr(&self.root, "aria-valuemax", &most.to_string());
        set_attr(&self.root, "aria-valuenow", &first.min(most).to_string());
        let words = format!(
            "slots {} to {} of {}",
            thousands(first),
            thousands(last.saturating_sub(1)),
            thousands(scene.slots)
        );
        set_attr(&self.root, "aria-valuetext", &words);
        set_attr(&self.root, "title", &words);
    }
}

impl Default for Overview {
    fn default() -> Self {
        Self::new()
    }
}

fn rect(x: f64, y: f64, width: f64, height: f64) -> El {
    svg("rect")
        .attr("x", &format!("{x:.1}"))
        .attr("y", &format!("{y:.1}"))
        .attr("width", &format!("{width:.1}"))
        .attr("height", &format!("{height:.1}"))
}
