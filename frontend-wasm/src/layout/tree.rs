//! Which rows of the source tree are shown, and what they say.

use super::format::{ip_runs, thousands};
use super::state::{Layer, SourceFilter};
use debug_api::answer::{SourceAnswer, SourceNode};
use std::collections::BTreeSet;

/// A row that is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeRow {
    /// Index of the node in the answer.
    pub node: usize,
    /// Key of the node, as closed nodes are remembered.
    pub key: String,
    /// Depth among the rows that are shown.
    pub depth: u8,
    /// `None` for a leaf, else whether its children are shown.
    pub open: Option<bool>,
}

/// A name of a node that is the same in every answer about the file.
pub fn key(node: &SourceNode) -> String {
    match node.group {
        Some(group) => format!("{}#{group}", node.layer),
        None => format!("{}:{}", node.layer, node.text),
    }
}

/// The layer of a node among those that rows of the Code pane carry, with its group.
pub fn group(node: &SourceNode) -> Option<(Layer, u32)> {
    let layer = match node.layer.as_str() {
        "backend" => Layer::Bir,
        "penguin" => Layer::Pen,
        "line" => Layer::Line,
        _ => return None,
    };
    node.group.map(|id| (layer, id))
}

/// The rows, given what the filter lets through and which nodes the user closed.
pub fn visible(
    nodes: &[SourceNode],
    filter: SourceFilter,
    closed: &BTreeSet<String>,
) -> Vec<TreeRow> {
    let deepest = match filter {
        SourceFilter::All => 5,
        SourceFilter::Bir => 4,
        SourceFilter::Hlo => 2,
        SourceFilter::Line => 0,
    };
    let mut rows: Vec<TreeRow> = Vec::new();
    // Depths in the answer of the ancestors that are shown.
    let mut above: Vec<u8> = Vec::new();
    let mut skip: Option<u8> = None;
    for (index, node) in nodes.iter().enumerate() {
        if skip.is_some_and(|depth| node.depth > depth) {
            continue;
        }
        skip = None;
        if rank(&node.layer) > deepest {
            continue;
        }
        above.retain(|depth| *depth < node.depth);
        let key = key(node);
        let shut = closed.contains(&key);
        let below = nodes.iter().skip(index + 1).take_while(|n| n.depth > node.depth);
        let parent = below.clone().any(|n| rank(&n.layer) <= deepest)
            || (node.children && !node.open && rank(&node.layer) < deepest);
        let open = parent.then_some(node.open && !shut);
        if shut {
            skip = Some(node.depth);
        }
        let depth = u8::try_from(above.len()).unwrap_or(u8::MAX);
        rows.push(TreeRow { node: index, key, depth, open });
        above.push(node.depth);
    }
    rows
}

/// What stands at the right of a row: IPs of this engine, or nothing where the layer's name does.
pub fn ips(node: &SourceNode) -> Option<String> {
    let fine = matches!(node.layer.as_str(), "backend" | "asm") || !node.open;
    (fine && !node.ips.is_empty()).then(|| ip_runs(&node.ips))
}

/// Whether a NEFF IP is under a node.
pub fn holds(node: &SourceNode, ip: u32) -> bool {
    node.ips.iter().any(|&[first, last]| (first..=last).contains(&ip))
}

/// How far the engine's records lead, as in `12 records: BIR 11, Penguin 10, line 10`.
pub fn coverage(answer: &SourceAnswer) -> String {
    format!(
        "{} {}: BIR {}, Penguin {}, line {}",
        thousands(answer.slots),
        if answer.slots == 1 { "record" } else { "records" },
        thousands(answer.bir),
        thousands(answer.penguin),
        thousands(answer.line),
    )
}

fn rank(layer: &str) -> u8 {
    match layer {
        "line" | "pttf" => 0,
        "hlo" => 2,
        "penguin" => 3,
        "backend" => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(depth: u8, layer: &str, text: &str, open: bool) -> SourceNode {
        SourceNode {
            depth,
            layer: layer.to_owned(),
            layer_name: String::new(),
            text: text.to_owned(),
            file: None,
            line: None,
            group: None,
            hue: 0,
            ips: Vec::new(),
            elsewhere: Vec::new(),
            selected: false,
            open,
            children: layer != "backend",
            member: None,
            offset: None,
        }
    }

    fn nodes() -> Vec<SourceNode> {
        vec![
            node(0, "line", "a.py:58", true),
            node(1, "hlo", "%op0", true),
            node(2, "penguin", "$87", true),
            node(3, "backend", "I-87-0", false),
            node(3, "backend", "I-87-1", false),
            node(2, "penguin", "$76", false),
        ]
    }

    fn shown(filter: SourceFilter, closed: &[&str]) -> Vec<(usize, u8, Option<bool>)> {
        let closed = closed.iter().map(|key| (*key).to_owned()).collect();
        let rows = visible(&nodes(), filter, &closed);
        rows.into_iter().map(|row| (row.node, row.depth, row.open)).collect()
    }

    #[test]
    fn all_rows_with_their_depth() {
        assert_eq!(
            shown(SourceFilter::All, &[]),
            [
                (0, 0, Some(true)),
                (1, 1, Some(true)),
                (2, 2, Some(true)),
                (3, 3, None),
                (4, 3, None),
                (5, 2, Some(false)),
            ]
        );
    }

    #[test]
    fn a_closed_node_hides_what_is_under_it() {
        assert_eq!(
            shown(SourceFilter::All, &["penguin:$87"]),
            [(0, 0, Some(true)), (1, 1, Some(true)), (2, 2, Some(false)), (5, 2, Some(false))]
        );
        assert_eq!(shown(SourceFilter::All, &["line:a.py:58"]), [(0, 0, Some(false))]);
    }

    #[test]
    fn the_filter_ends_the_tree() {
        assert_eq!(shown(SourceFilter::Hlo, &[]), [(0, 0, Some(true)), (1, 1, None)]);
        assert_eq!(shown(SourceFilter::Line, &[]), [(0, 0, None)]);
    }

    #[test]
    fn groups_and_ips() {
        let mut one = node(3, "backend", "I-87-0", false);
        one.group = Some(7);
        one.ips = vec![[4, 5]];
        assert_eq!(key(&one), "backend#7");
        assert_eq!(group(&one), Some((Layer::Bir, 7)));
        assert_eq!(ips(&one).as_deref(), Some("IP 4, 5"));
        assert!(holds(&one, 5) && !holds(&one, 6));
        assert_eq!(group(&node(1, "hlo", "%op0", true)), None);
        one.layer = "penguin".to_owned();
        one.open = true;
        assert_eq!(ips(&one), None);
    }
}
