//! Who waits for whom, as a drawing: the cause in the middle, what it needs below, and those that
//! wait because of it above.

use super::words;
use debug_api::answer::{PlaceRef, SimulateAnswer};

/// Width of a node.
pub const WIDE: f64 = 190.0;
/// Height of a node.
pub const HIGH: f64 = 46.0;
/// Between nodes of a row.
const GAP: f64 = 18.0;
/// Between rows.
const STEP: f64 = 40.0;
/// Nodes of a row.
const ROW: usize = 4;
/// Around the drawing; the way back of a circle runs in it.
const EDGE: f64 = 34.0;
/// Nodes that are drawn.
pub const MOST: usize = 48;

/// A node.
#[derive(Clone, Debug, PartialEq)]
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

/// Draws the wait graph of a run; nothing where nobody waits.
pub fn picture(answer: &SimulateAnswer) -> Picture {
    let graph = &answer.wait_graph;
    let n = graph.nodes.len();
    let cause: Vec<usize> = answer.cause.iter().flat_map(|cause| cause.stuck.clone()).collect();
    let depth = depths(answer, &cause);
    let is_cause = |node: usize| depth.get(node) == Some(&Some(0));
    // What the cause waits for and does not stand still itself comes last.
    let needed = |node: usize| {
        let by = graph.edges.iter().any(|edge| edge.to == node && is_cause(edge.from));
        by && depth.get(node) == Some(&None)
    };
    let mut rows: Vec<Vec<usize>> = Vec::new();
    let deepest = depth.iter().flatten().max().copied().unwrap_or(0);
    for level in (1..=deepest).rev() {
        let level: Vec<usize> = (0..n).filter(|at| depth.get(*at) == Some(&Some(level))).collect();
        rows.extend(level.chunks(ROW).map(<[usize]>::to_vec));
    }
    rows.extend(cause.iter().filter(|at| **at < n).map(|at| vec![*at]));
    let needs: Vec<usize> = (0..n).filter(|at| needed(*at)).collect();
    rows.extend(needs.chunks(ROW).map(<[usize]>::to_vec));
    let mut drawn = 0;
    rows.retain(|row| {
        drawn += row.len();
        drawn <= MOST
    });
    let widest = rows.iter().map(Vec::len).max().unwrap_or(0);
    if widest == 0 {
        return Picture::default();
    }
    let width = widest as f64 * (WIDE + GAP) - GAP + 2.0 * EDGE;
    let mut at: Vec<Option<(f64, f64)>> = vec![None; n];
    let mut nodes = Vec::new();
    for (line, row) in rows.iter().enumerate() {
        let own = row.len() as f64 * (WIDE + GAP) - GAP;
        for (column, node) in row.iter().enumerate() {
            let x = (width - own) / 2.0 + column as f64 * (WIDE + GAP);
            let y = 2.0 + line as f64 * (HIGH + STEP);
            if let Some(place) = at.get_mut(*node) {
                *place = Some((x, y));
            }
            nodes.extend(node_of(answer, *node, (x, y), is_cause(*node) || needs.contains(node)));
        }
    }
    let mut edges = Vec::new();
    for edge in &graph.edges {
        let (Some(from), Some(to)) = (at_of(&at, edge.from), at_of(&at, edge.to)) else { continue };
        let towards = matches!(
            (depth.get(edge.from), depth.get(edge.to)),
            (Some(Some(from)), Some(Some(to))) if to < from
        );
        if is_cause(edge.from) || towards {
            let own = is_cause(edge.from);
            let made = line(from, to, own);
            if !edges.contains(&made) {
                edges.push(made);
            }
        }
    }
    let left_out = (n - nodes.len(), graph.edges.len().saturating_sub(edges.len()));
    let height = rows.len() as f64 * (HIGH + STEP) - STEP + 4.0;
    Picture { width, height, nodes, edges, left_out }
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

fn node_of(answer: &SimulateAnswer, at: usize, (x, y): (f64, f64), is_cause: bool) -> Option<Node> {
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
        ("nobody", _) => ("Nobody".to_owned(), "no record, transfer or host posts".to_owned()),
        ("host", _) => ("Host".to_owned(), node.label.clone()),
        ("transfer", _) => ("Transfer".to_owned(), node.label.clone()),
        _ => (node.label.clone(), String::new()),
    };
    let engine = (node.kind == "engine").then(|| stuck.map(|stuck| stuck.engine.clone())).flatten();
    let cut = |text: String, most: usize| match text.chars().count() > most {
        true => text.chars().take(most - 1).chain(['\u{2026}']).collect(),
        false => text,
    };
    let place = node.place.clone();
    Some(Node { x, y, title: cut(title, 24), text: cut(text, 28), engine, place, is_cause })
}

/// The line from a node down to another one; back up at the right side, and around for itself.
fn line((x, y): (f64, f64), (tx, ty): (f64, f64), is_cause: bool) -> Edge {
    let down = ty > y;
    if !down {
        let (right, tright) = (x + WIDE, tx + WIDE);
        let out = right.max(tright) + 28.0;
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
    Edge {
        path: format!(
            "M{from:.1} {start:.1}C{from:.1} {bend:.1} {to:.1} {bend:.1} {to:.1} {end:.1}"
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
