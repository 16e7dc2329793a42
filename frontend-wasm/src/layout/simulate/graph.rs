//! Who waits for whom, as a drawing: the cause in the middle, what it needs below, and those that
//! wait because of it above.

use super::words;
use debug_api::answer::{PlaceRef, PosterInfo, SimulateAnswer};

/// Width of a node.
pub const WIDE: f64 = 208.0;
/// Height of a node.
pub const HIGH: f64 = 46.0;
/// Between nodes of a row.
const GAP: f64 = 12.0;
/// Between rows.
const STEP: f64 = 40.0;
/// Around the drawing; the way back of a circle runs in it.
const EDGE: f64 = 24.0;
/// Nodes that are drawn.
pub const MOST: usize = 48;

/// A node.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Node {
    /// Left.
    pub x: f64,
    /// Top.
    pub y: f64,
    /// First line.
    pub title: String,
    /// Second line.
    pub text: String,
    /// Engine, where it is one.
    pub engine: Option<String>,
    /// Place to go to.
    pub place: Option<PlaceRef>,
    /// Whether it is the cause, or what the cause lacks.
    pub is_cause: bool,
    /// Whether nothing is behind it: who would have to act, and does not.
    pub is_root: bool,
}

/// An edge: who is at its start waits for who is at its end.
#[derive(Clone, Debug, PartialEq)]
pub struct Edge {
    /// Path.
    pub path: String,
    /// Points of its head.
    pub head: String,
    /// Whether it is part of the cause.
    pub is_cause: bool,
}

/// The drawing.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Picture {
    /// Width.
    pub width: f64,
    /// Height.
    pub height: f64,
    /// Nodes.
    pub nodes: Vec<Node>,
    /// Edges.
    pub edges: Vec<Edge>,
    /// Nodes and edges that are left out.
    pub left_out: (usize, usize),
}

/// Draws the wait graph of a run, with at most `row` nodes beside each other; nothing where nobody
/// waits.
pub fn picture(answer: &SimulateAnswer, row: usize) -> Picture {
    let graph = &answer.wait_graph;
    let n = graph.nodes.len();
    let cause = chain(answer);
    let depth = depths(answer, &cause);
    let is_cause = |node: usize| depth.get(node) == Some(&Some(0));
    let is_circle = in_circle(answer);
    let is_lost = answer.cause.as_ref().is_some_and(|cause| cause.kind == "post-dropped");
    // What the cause waits for and does not stand still itself comes last.
    let needed = |node: usize| {
        let by = graph.edges.iter().any(|edge| edge.to == node && is_cause(edge.from));
        by && depth.get(node) == Some(&None) && !is_circle && !is_lost
    };
    let mut rows: Vec<Row> = Vec::new();
    let deepest = depth.iter().flatten().max().copied().unwrap_or(0);
    for level in (1..=deepest).rev() {
        let level: Vec<usize> = (0..n).filter(|at| depth.get(*at) == Some(&Some(level))).collect();
        rows.extend(staggered(&level, row));
    }
    rows.extend(cause.iter().filter(|at| **at < n).map(|at| Row::centered(vec![*at])));
    let needs: Vec<usize> = (0..n).filter(|at| needed(*at)).collect();
    rows.extend(staggered(&needs, row));
    let mut drawn = 0;
    rows.retain(|row| {
        drawn += row.nodes.len();
        drawn <= MOST
    });
    if rows.is_empty() {
        return Picture::default();
    }
    let half = rows.iter().map(|row| row.left.abs()).fold(0.0, f64::max);
    let width = 2.0 * (half + EDGE);
    let mut at: Vec<Option<(f64, f64)>> = vec![None; n];
    let mut nodes = Vec::new();
    for (line, row) in rows.iter().enumerate() {
        for (column, node) in row.nodes.iter().enumerate() {
            let x = width / 2.0 + row.left + column as f64 * (WIDE + GAP);
            let y = 2.0 + line as f64 * (HIGH + STEP);
            if let Some(place) = at.get_mut(*node) {
                *place = Some((x, y));
            }
            nodes.extend(node_of(answer, *node, (x, y)).map(|made| Node {
                is_cause: is_cause(*node) || needs.contains(node),
                is_root: needs.contains(node),
                ..made
            }));
        }
    }
    let mut edges: Vec<Edge> = Vec::new();
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (at_of(&at, edge.from), at_of(&at, edge.to)) else { continue };
        let towards = matches!(
            (depth.get(edge.from), depth.get(edge.to)),
            (Some(Some(from)), Some(Some(to))) if to < from
        );
        // Those that wait because of the cause are not what it needs, unless there is nothing else.
        let own = is_cause(edge.from)
            && match (is_circle, is_lost) {
                (true, _) => edge.in_cycle,
                (_, true) => false,
                _ => needs.is_empty() || needs.contains(&edge.to),
            };
        if own || towards {
            let made = line(from, to, own);
            if !edges.contains(&made) {
                edges.push(made);
            }
        }
    }
    let mut height = rows.len() as f64 * (HIGH + STEP) - STEP + 4.0;
    let left_out = (n.saturating_sub(nodes.len()), graph.edges.len().saturating_sub(edges.len()));
    if let Some(from) = cause.first().filter(|_| is_lost).and_then(|first| at_of(&at, *first)) {
        let to = (from.0, height - 4.0 + STEP);
        nodes.push(Node {
            x: to.0,
            y: to.1,
            title: "A lost post".to_owned(),
            text: "left out on purpose".to_owned(),
            is_cause: true,
            is_root: true,
            ..Node::default()
        });
        edges.push(line(from, to, true));
        height += HIGH + STEP;
    }
    Picture { width, height, nodes, edges, left_out }
}

/// Nodes beside each other.
struct Row {
    /// Left of the first one, from the middle of the drawing.
    left: f64,
    /// The nodes.
    nodes: Vec<usize>,
}

impl Row {
    fn centered(nodes: Vec<usize>) -> Self {
        Self { left: (GAP - nodes.len() as f64 * (WIDE + GAP)) / 2.0, nodes }
    }
}

/// Nodes of one level, in rows of at most `most`. Where there are several rows, every second one is
/// moved by half a node and has one less, so that the lines of the row above go between its nodes.
fn staggered(level: &[usize], most: usize) -> Vec<Row> {
    let most = most.max(2);
    if level.len() <= most {
        let all = (!level.is_empty()).then(|| Row::centered(level.to_vec()));
        return all.into_iter().collect();
    }
    let left = (GAP - most as f64 * (WIDE + GAP)) / 2.0;
    let (mut rows, mut rest, mut moved) = (Vec::new(), level, false);
    while !rest.is_empty() {
        let count = if moved { most - 1 } else { most };
        let (now, later) = rest.split_at(count.min(rest.len()));
        let left = if moved { left + (WIDE + GAP) / 2.0 } else { left };
        rows.push(Row { left, nodes: now.to_vec() });
        (rest, moved) = (later, !moved);
    }
    rows
}

/// Whether the cause is a circle, of one engine or several.
fn in_circle(answer: &SimulateAnswer) -> bool {
    answer.cause.as_ref().is_some_and(|cause| matches!(cause.kind.as_str(), "cycle" | "self-wait"))
}

/// The nodes of the cause in order: engines, and in a circle the transfers between them.
fn chain(answer: &SimulateAnswer) -> Vec<usize> {
    let engines = answer.cause.iter().flat_map(|cause| cause.stuck.iter().copied());
    let between = |from: usize| {
        let on = answer.wait_graph.edges.iter().find(|edge| edge.in_cycle && edge.from == from);
        let to = on.map(|edge| edge.to)?;
        answer.wait_graph.nodes.get(to).filter(|node| !node.is_stuck).map(|_| to)
    };
    if !in_circle(answer) {
        return engines.collect();
    }
    engines.flat_map(|at| [Some(at), between(at)]).flatten().collect()
}

fn at_of(at: &[Option<(f64, f64)>], node: usize) -> Option<(f64, f64)> {
    at.get(node).copied().flatten()
}

/// How many waits lie between a node and the cause; `None` where none leads there.
fn depths(answer: &SimulateAnswer, cause: &[usize]) -> Vec<Option<usize>> {
    let graph = &answer.wait_graph;
    let mut depth: Vec<Option<usize>> = vec![None; graph.nodes.len()];
    for at in cause {
        if let Some(own) = depth.get_mut(*at) {
            *own = Some(0);
        }
    }
    let mut level = 0;
    loop {
        let next: Vec<usize> = graph
            .edges
            .iter()
            .filter(|edge| depth.get(edge.to) == Some(&Some(level)))
            .filter(|edge| depth.get(edge.from) == Some(&None))
            .map(|edge| edge.from)
            .collect();
        if next.is_empty() {
            return depth;
        }
        level += 1;
        for at in next {
            if let Some(own) = depth.get_mut(at) {
                *own = Some(level);
            }
        }
    }
}

fn node_of(answer: &SimulateAnswer, at: usize, (x, y): (f64, f64)) -> Option<Node> {
    let node = answer.wait_graph.nodes.get(at)?;
    let stuck = answer.stuck.get(at).filter(|_| node.is_stuck);
    let several = answer.cores.len() > 1;
    let (title, text) = match (node.kind.as_str(), stuck) {
        (_, Some(stuck)) => {
            let own = words::place(&stuck.place);
            let title = if several { format!("{} {own}", stuck.subgraph) } else { own };
            let is = stuck.value.map_or_else(String::new, |value| format!(", is {value}"));
            (title, format!("{}{is}", words::condition(stuck)))
        }
        ("nobody", _) => ("Nobody".to_owned(), "nothing is left that posts".to_owned()),
        ("host", _) => ("Host".to_owned(), "has no reason to post".to_owned()),
        ("transfer", _) => (node.label.clone(), transfer(answer, &node.label).to_owned()),
        _ => (node.label.clone(), String::new()),
    };
    let engine = (node.kind == "engine").then(|| stuck.map(|stuck| stuck.engine.clone())).flatten();
    let cut = |text: String, most: usize| match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['\u{2026}']).collect(),
        false => text,
    };
    let place = node.place.clone();
    let (title, text) = (cut(title, 24), cut(text, 28));
    Some(Node { x, y, title, text, engine, place, ..Node::default() })
}

/// Why a transfer does not post, in few words.
fn transfer(answer: &SimulateAnswer, label: &str) -> &'static str {
    let is_it = |poster: &&PosterInfo| {
        let name = poster.queue.as_deref().zip(poster.block);
        name.is_some_and(|(queue, block)| format!("{queue} block {block}") == label)
    };
    let also = answer.stuck.iter().flat_map(|one| &one.also).flat_map(|also| &also.waits_for);
    let mut all = answer.stuck.iter().flat_map(|one| &one.waits_for).chain(also);
    match all.find(is_it).map_or("", |poster| poster.why.as_str()) {
        "stalled" => "its ring does not move",
        "side-missing" => "descriptors are not posted",
        "no-trigger" => "no record starts it",
        "behind" => "not started yet",
        "halted" => "its starter stopped",
        _ => "does not end",
    }
}

/// The line from a node down to another one; back up at the right side, and around for itself.
fn line((x, y): (f64, f64), (tx, ty): (f64, f64), is_cause: bool) -> Edge {
    let down = ty > y;
    if !down {
        let (right, tright) = (x + WIDE, tx + WIDE);
        let out = right.max(tright) + 22.0;
        let (from, to) = match (x, y) == (tx, ty) {
            true => (y + HIGH - 10.0, y + 12.0),
            false => (y + HIGH / 2.0, ty + HIGH / 2.0),
        };
        let tip = tright + 2.0;
        return Edge {
            path: format!(
                "M{right:.1} {from:.1}C{out:.1} {from:.1} {out:.1} {to:.1} {:.1} {to:.1}",
                tip + 7.0
            ),
            head: format!(
                "{tip:.1},{to:.1} {:.1},{:.1} {:.1},{:.1}",
                tip + 8.0,
                to - 4.0,
                tip + 8.0,
                to + 4.0
            ),
            is_cause,
        };
    }
    let (from, to) = (x + WIDE / 2.0, tx + WIDE / 2.0);
    let (start, tip) = (y + HIGH, ty - 2.0);
    let (bend, end) = (tip - STEP / 2.0, tip - 7.0);
    // Past the rows between it goes straight down.
    let straight = (tip + 2.0 - STEP).max(start);
    Edge {
        path: format!(
            "M{from:.1} {start:.1}V{straight:.1}C{from:.1} {bend:.1} {to:.1} {bend:.1} {to:.1} {end:.1}"
        ),
        head: format!(
            "{to:.1},{tip:.1} {:.1},{:.1} {:.1},{:.1}",
            to - 4.0,
            tip - 8.0,
            to + 4.0,
            tip - 8.0
        ),
        is_cause,
    }
}
