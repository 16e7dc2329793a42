//! From a DMA trigger slot to its block and to the debug record of that block.

use std::sync::Arc;

use records::Engine;

use super::layer::{DebugLayer, DebugLayers};
use super::source_map::{SourceRecord, source_record};
use crate::diagnostic::Findings;
use crate::package::{Package, Subgraph};

/// DMA blocks of one engine, with the debug record of each: what a trigger slot starts.
/// Spec: docs/format/debug-layers.md "DMA blocks" [observed].
#[derive(Clone, Debug, Default)]
pub struct DmaOrigins {
    layer: Option<Arc<DebugLayer>>,
    /// Queue, block id, comment, member offset of the block; sorted by the first two.
    blocks: Vec<(String, u32, Option<String>, u64)>,
    /// Record indices sorted by name.
    by_name: Vec<u32>,
}

/// What a trigger starts.
#[derive(Clone, Debug, PartialEq)]
pub struct DmaOrigin {
    /// `#comment` of the block.
    pub comment: Option<String>,
    /// Offset of the block in the engine's document.
    pub block_offset: u64,
    /// Record of the DMA debug member with that name.
    pub record: Option<SourceRecord>,
}

impl DmaOrigins {
    /// Decodes the blocks of an engine and the DMA debug member of its subgraph.
    pub fn build(
        package: &Package,
        subgraph: &Subgraph,
        engine: Engine,
        layers: &mut DebugLayers,
        findings: &mut Findings,
    ) -> Self {
        let mut blocks: Vec<_> = package
            .dma_blocks(subgraph.engine(engine), findings)
            .into_iter()
            .filter_map(|block| Some((block.queue?, block.id?, block.comment, block.offset)))
            .collect();
        blocks.sort_by(|a, b| (&a.0, a.1).cmp(&(&b.0, b.1)));
        let layer = subgraph
            .definition
            .dma_debug
            .first()
            .and_then(|name| layers.layer(package, &subgraph.resolve(name), findings));
        let mut by_name = Vec::new();
        if let Some(layer) = &layer {
            by_name = (0..u32::try_from(layer.records.len()).unwrap_or(u32::MAX)).collect();
            by_name.sort_by_key(|index| name_at(layer, *index));
        }
        Self { layer, blocks, by_name }
    }

    /// The block of a queue and id; `None` if the engine's document has none.
    pub fn block(&self, queue: &str, id: u32) -> Option<DmaOrigin> {
        let found =
            self.blocks.binary_search_by(|block| (block.0.as_str(), block.1).cmp(&(queue, id)));
        let (_, _, comment, block_offset) = self.blocks.get(found.ok()?)?;
        let record = comment.as_deref().and_then(|comment| {
            let layer = self.layer.as_ref()?;
            let found =
                self.by_name.binary_search_by(|index| name_at(layer, *index).cmp(comment)).ok()?;
            let record = layer.records.get(*self.by_name.get(found)? as usize)?;
            Some(source_record(layer, record))
        });
        Some(DmaOrigin { comment: comment.clone(), block_offset: *block_offset, record })
    }
}

fn name_at(layer: &DebugLayer, index: u32) -> &str {
    layer.records.get(index as usize).map_or("", |record| record.name.as_str())
}
