//! The wait graph as a drawing.

use crate::dom::{El, svg};
use crate::layout::format::engine_key;
use crate::layout::simulate::graph::{HIGH, Node, Picture, WIDE};

fn number(value: f64) -> String {
    format!("{value:.1}")
}

/// The drawing; `label` says it in words.
pub fn drawing(picture: &Picture, label: &str) -> El {
    let (width, height) = (number(picture.width), number(picture.height));
    let mut made = svg("svg")
        .class("rgraph")
        .attr("width", &width)
        .attr("height", &height)
        .attr("viewBox", &format!("0 0 {width} {height}"))
        .attr("role", "img")
        .attr("aria-label", label);
    for edge in &picture.edges {
        let class = if edge.is_cause { " cause" } else { "" };
        made = made
            .child(svg("path").class(&format!("redge{class}")).attr("d", &edge.path))
            .child(svg("polygon").class(&format!("rhead{class}")).attr("points", &edge.head));
    }
    made.children(picture.nodes.iter().map(node))
}

fn node(node: &Node) -> El {
    let class = if node.is_cause { "rnode cause" } else { "rnode" };
    let mut made = svg("g").class(class);
    if let Some(place) = &node.place {
        made = made.attr("data-s", &place.s).attr("data-e", &place.e);
        let slot = place.image_slot.map(|slot| slot.to_string()).unwrap_or_default();
        made = made.attr("data-slot", &slot);
    }
    let rect = |width: f64| {
        let rect = svg("rect").attr("x", &number(node.x)).attr("y", &number(node.y));
        rect.attr("width", &number(width)).attr("height", &number(HIGH))
    };
    made = made.child(rect(WIDE).class("box").attr("rx", "7"));
    if let Some(engine) = &node.engine {
        let key = engine_key(engine);
        made = made.child(rect(4.0).class(&format!("f-{key}")).attr("rx", "2"));
        let glyph = svg("use").attr("href", &format!("#e-{key}")).attr("x", &number(node.x + 12.0));
        let glyph = glyph.attr("y", &number(node.y + 9.0)).attr("width", "10").attr("height", "10");
        made = made.child(glyph.class(&format!("f-{key}")));
    }
    let text = |class: &str, dx: f64, dy: f64, text: &str| {
        let at = svg("text").class(class).attr("x", &number(node.x + dx));
        at.attr("y", &number(node.y + dy)).text(text)
    };
    if node.is_root {
        let root = text("rt3", WIDE - 12.0, 18.0, "root").attr("text-anchor", "end");
        made = made.child(root);
    }
    let left = if node.engine.is_some() { 28.0 } else { 14.0 };
    made.child(text("rt1", left, 18.0, &node.title)).child(text("rt2", 14.0, 36.0, &node.text))
}
