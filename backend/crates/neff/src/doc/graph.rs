//! `neff.json`: the host graph. Its device nodes name the graph lists.

use crate::error::NeffError;
use crate::json::Node;
use crate::reader::{Extra, Fields, Reader};

/// `func_name` of the nodes that run on the device.
pub const DEVICE_FUNCTION: &str = "__kelf";

/// The host graph.
/// Spec: docs/format/documents.md "neff.json" [observed].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostGraph {
    /// Nodes, inputs first.
    pub nodes: Vec<GraphNode>,
    /// Indices of the input nodes.
    pub arg_nodes: Vec<u64>,
    /// Outputs: node, output index, version.
    pub heads: Vec<Vec<u64>>,
    /// Shape of each entry.
    pub shapes: Vec<Vec<u64>>,
    /// Type name of each entry.
    pub dtypes: Vec<String>,
    /// First entry of each node; one more at the end.
    pub node_row_ptr: Vec<u64>,
    /// Unknown keys.
    pub extra: Extra,
}

/// One node of the host graph.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GraphNode {
    /// Offset in the member.
    pub offset: u64,
    /// `null` for an input, `tvm_op` for an operation.
    pub op: String,
    /// Name.
    pub name: String,
    /// `func_name` of the attributes.
    pub func_name: Option<String>,
    /// Name of the graph list, for device nodes.
    pub kelf: Option<String>,
    /// Number of inputs, written as text in the file.
    pub num_inputs: Option<u64>,
    /// Number of outputs, written as text in the file.
    pub num_outputs: Option<u64>,
    /// Inputs: node, output index, version.
    pub inputs: Vec<Vec<u64>>,
    /// Names of the outputs, one for each core; equal names are normal.
    pub output_names: Vec<String>,
    /// Unknown attributes.
    pub extra_attrs: Extra,
    /// Unknown keys.
    pub extra: Extra,
}

impl HostGraph {
    /// Reads the document. Fails only if it is no object.
    pub fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Result<Self, NeffError> {
        let mut fields = super::document(node, reader)?;
        let mut graph = Self::default();
        if let Some(list) = fields.take("nodes").and_then(|node| reader.array(node, "`nodes`")) {
            graph.nodes = list.into_iter().filter_map(|node| graph_node(node, reader)).collect();
        }
        graph.arg_nodes = reader.u64_list(&mut fields, "arg_nodes").unwrap_or_default();
        graph.heads = rows(&mut fields, "heads", reader);
        graph.node_row_ptr = reader.u64_list(&mut fields, "node_row_ptr").unwrap_or_default();
        if let Some(attrs) = fields.peek("attrs").and_then(|node| node.entries()) {
            for (key, node) in attrs {
                // Each attribute is a pair: the name of its type, then the list.
                let list = node.items().and_then(|pair| pair.get(1)?.items()).unwrap_or_default();
                match key.as_ref() {
                    "shape" => graph.shapes = list.iter().filter_map(numbers).collect(),
                    "dltype" => {
                        graph.dtypes = list
                            .iter()
                            .filter_map(|node| node.as_text().map(|text| text.into_owned()))
                            .collect();
                    }
                    _ => {}
                }
            }
        }
        graph.extra = reader.rest(fields);
        Ok(graph)
    }

    /// Nodes that run on the device.
    pub fn device_nodes(&self) -> impl Iterator<Item = &GraphNode> {
        self.nodes.iter().filter(|node| node.func_name.as_deref() == Some(DEVICE_FUNCTION))
    }
}

fn graph_node(node: Node<'_>, reader: &mut Reader<'_>) -> Option<GraphNode> {
    let mut fields = reader.object(node, "a node")?;
    let mut graph_node = GraphNode {
        offset: fields.offset(),
        op: reader.text(&mut fields, "op").unwrap_or_default(),
        name: reader.text(&mut fields, "name").unwrap_or_default(),
        inputs: rows(&mut fields, "inputs", reader),
        output_names: reader.texts(&mut fields, "output_names"),
        ..GraphNode::default()
    };
    if let Some(mut attrs) = fields.take("attrs").and_then(|node| reader.object(node, "`attrs`")) {
        graph_node.func_name = reader.text(&mut attrs, "func_name");
        graph_node.kelf = reader.text(&mut attrs, "kelf");
        graph_node.num_inputs = reader.u64(&mut attrs, "num_inputs");
        graph_node.num_outputs = reader.u64(&mut attrs, "num_outputs");
        graph_node.extra_attrs = reader.rest(attrs);
    }
    graph_node.extra = reader.rest(fields);
    Some(graph_node)
}

fn rows(fields: &mut Fields<'_>, key: &str, reader: &mut Reader<'_>) -> Vec<Vec<u64>> {
    let Some(node) = fields.peek(key) else { return Vec::new() };
    let rows: Option<Vec<Vec<u64>>> =
        node.items().and_then(|items| items.iter().map(numbers).collect());
    match rows {
        Some(rows) => {
            fields.take(key);
            rows
        }
        None => {
            reader.wrong(&node, &format!("`{key}`"), "an array of arrays of numbers");
            Vec::new()
        }
    }
}

fn numbers(node: &Node<'_>) -> Option<Vec<u64>> {
    node.items()?.iter().map(Node::as_u64).collect()
}
