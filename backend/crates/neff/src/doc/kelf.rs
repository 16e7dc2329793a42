//! `kelf-0.json` and its kin: the list of subgraphs and the target.

use crate::error::NeffError;
use crate::json::Node;
use crate::reader::{Extra, Reader};
use crate::target::Target;

/// A graph list.
/// Spec: docs/format/documents.md "kelf" [observed].
#[derive(Clone, Debug, PartialEq)]
pub struct Kelf {
    /// Name of the member.
    pub member: String,
    /// Subgraphs, one for each physical core.
    pub graphs: Vec<Graph>,
    /// Version text; a loader wants a `.` in it.
    pub version: Option<String>,
    /// Target, as written.
    pub target: Target,
    /// Unknown keys.
    pub extra: Extra,
}

/// One subgraph of a graph list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Graph {
    /// Offset in the member.
    pub offset: u64,
    /// Name, `sg00`.
    pub name: String,
    /// Member of the definition, `sg00/def.json`.
    pub definition: String,
    /// Unknown keys.
    pub extra: Extra,
}

impl Kelf {
    /// Reads the document. Fails only if it is no object.
    pub fn read(node: Node<'_>, reader: &mut Reader<'_>) -> Result<Self, NeffError> {
        let mut fields = super::document(node, reader)?;
        let mut graphs = Vec::new();
        if let Some(list) = fields.take("graphs").and_then(|node| reader.array(node, "`graphs`")) {
            for node in list {
                let Some(mut graph) = reader.object(node, "a graph") else { continue };
                graphs.push(Graph {
                    offset: graph.offset(),
                    name: reader.text(&mut graph, "name").unwrap_or_default(),
                    definition: reader.text(&mut graph, "definition").unwrap_or_default(),
                    extra: reader.rest(graph),
                });
            }
        }
        Ok(Self {
            member: reader.member().to_owned(),
            graphs,
            version: reader.text(&mut fields, "version"),
            target: Target::parse(reader.text(&mut fields, "target").unwrap_or_default()),
            extra: reader.rest(fields),
        })
    }
}
