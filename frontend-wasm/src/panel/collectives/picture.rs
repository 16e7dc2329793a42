//! The ranks as a drawing.

use crate::dom::{El, svg};
use crate::layout::collectives::rank_of;
use crate::layout::collectives::topology::{Arrow, Node, Picture, SIZE, Side};
use crate::layout::format::thousands;
use debug_api::answer::{CollectiveTrigger, ScheduleAnswer};

fn number(value: f64) -> String {
    format!("{value:.1}")
}

fn text(class: &str, at: (f64, f64), text: &str) -> El {
    let made = svg("text").class(class).attr("x", &number(at.0)).attr("y", &number(at.1));
    made.attr("text-anchor", "middle").text(text)
}

/// The drawing of a step. `label` says it in words.
pub fn drawing(
    picture: &Picture,
    head: &ScheduleAnswer,
    trigger: &CollectiveTrigger,
    me: u32,
    label: &str,
) -> El {
    let mut made = svg("svg")
        .class(match (picture.crowded, picture.small) {
            (true, true) => "ctopo crowded small",
            (true, false) => "ctopo crowded",
            (false, true) => "ctopo small",
            (false, false) => "ctopo",
        })
        .attr("viewBox", &format!("0 0 {} {}", SIZE.0, SIZE.1))
        .attr("role", "img")
        .attr("aria-label", label);
    for group in &picture.groups {
        let (w, h) = group.half;
        let around = svg("rect").class("cgroup").attr("x", &number(group.x - w));
        let around = around.attr("y", &number(group.y - h)).attr("rx", &number(group.corner));
        let around = around.attr("width", &number(2.0 * w)).attr("height", &number(2.0 * h));
        made = made.child(around);
        if let Some((name, x, y)) = &group.label {
            made = made.child(text("tk", (*x, *y), name));
        }
    }
    for one in &picture.arrows {
        made = arrow(made, one, picture.posts);
    }
    for one in &picture.nodes {
        made = made.child(node(one, rank_of(trigger, one.place), one.place == me));
    }
    if picture.hollow && picture.groups.is_empty() {
        let (x, y) = (SIZE.0 / 2.0, SIZE.1 / 2.0);
        made = made.child(text("cmid", (x, y - 12.0), &head.operation));
        let ranks = format!("{} ranks, {} steps", head.ranks, head.n_steps);
        made = made.child(text("cmid2", (x, y + 6.0), &ranks));
        let bytes = trigger.dtype.as_deref().zip(trigger.elements);
        if let Some((dtype, elements)) = bytes {
            let amount = format!("{dtype} \u{d7} {}", thousands(elements));
            made = made.child(text("cmid2", (x, y + 23.0), &amount));
        }
    }
    made
}

fn arrow(made: El, one: &Arrow, is_post: bool) -> El {
    let class = match one.side {
        Side::Out => "hot",
        Side::In => "in",
        Side::Other => "",
    };
    let line = svg("path")
        .class(&format!("edge {class}{}", if is_post { " post" } else { "" }))
        .attr("d", &one.path);
    let head = svg("polygon").class(&format!("ah {class}")).attr("points", &one.head);
    let made = made.child(line).child(head);
    match &one.label {
        Some((chunks, x, y)) => made.child(text("cchunk", (*x, *y + 4.0), chunks)),
        None => made,
    }
}

fn node(one: &Node, rank: u32, me: bool) -> El {
    let mut class = "cnode".to_owned();
    for (name, on) in [(" me", me), (" idle", !one.acts)] {
        class.push_str(if on { name } else { "" });
    }
    let circle = svg("circle").class("node").attr("cx", &number(one.x));
    let circle = circle.attr("cy", &number(one.y)).attr("r", &number(one.r));
    let title = svg("title").text(&format!("rank {rank}"));
    let made = svg("g").class(&class).attr("data-node", &one.place.to_string());
    let made = made.child(title).child(circle);
    match one.label {
        Some((x, y)) => {
            let inside = (x - one.x).abs() < 0.5 && (y - one.y).abs() < 0.5;
            let class = if inside { "cin" } else { "cout" };
            let below = if inside && one.r < 9.5 { 2.8 } else { 4.0 };
            made.child(text(class, (x, y + below), &rank.to_string()))
        }
        None => made,
    }
}
