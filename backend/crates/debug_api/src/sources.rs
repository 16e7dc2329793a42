//! The debug layers of one subgraph, joined for all engines.

use crate::answer::{CoverageInfo, DmaRef, SourceItem};
use crate::program::trigger;
use neff::debug::{Coverage, DebugLayers, DmaOrigins, SourceMap, SourceRecord};
use neff::{Findings, Package};
use records::{Engine, Slot, SlotIndex};

/// Source maps and DMA blocks of the five engines of a subgraph.
pub struct Sources {
    /// Five maps in engine-code order; empty past the last subgraph.
    pub maps: Vec<SourceMap>,
    /// What was odd about the layers.
    pub findings: Findings,
    origins: Vec<DmaOrigins>,
}

impl Sources {
    /// Decodes and joins the layers of the subgraph at an index.
    /// Layers that were decoded for another subgraph are used again.
    pub fn of(package: &Package, index: usize, layers: &mut DebugLayers) -> Self {
        let mut findings = Findings::new();
        let mut maps = Vec::new();
        let mut origins = Vec::new();
        if let Some(subgraph) = package.subgraphs().get(index) {
            for engine in Engine::ALL {
                maps.push(SourceMap::build(package, subgraph, engine, layers, &mut findings));
                // The findings of the blocks themselves belong to the program.
                let mut ignored = Findings::new();
                origins.push(DmaOrigins::build(package, subgraph, engine, layers, &mut ignored));
            }
        }
        Self { maps, findings, origins }
    }

    /// The map of an engine.
    pub fn map(&self, engine: Engine) -> Option<&SourceMap> {
        self.maps.get(engine.index())
    }

    /// Records that a stream slot came from, nearest first, as documents show them.
    pub fn items(&self, engine: Engine, slot: u32) -> Vec<SourceItem> {
        let chain = self.map(engine).map(|map| map.chain(SlotIndex(slot))).unwrap_or_default();
        chain.iter().map(item).collect()
    }

    /// The block of a DMA trigger; `None` for other records.
    pub fn dma(&self, engine: Engine, record: &Slot) -> Option<DmaRef> {
        let (queue, block) = trigger(record)?;
        let origin = self.origins.get(engine.index()).and_then(|all| all.block(&queue, block));
        Some(DmaRef { queue, block, comment: origin.and_then(|origin| origin.comment) })
    }

    /// Coverage rows of all engines.
    pub fn coverage(&self, subgraph: &str) -> Vec<CoverageInfo> {
        self.maps
            .iter()
            .map(|map| {
                let coverage = Coverage::of(map);
                CoverageInfo {
                    s: subgraph.to_owned(),
                    e: map.engine.name().to_owned(),
                    slots: coverage.slots,
                    bir: coverage.with_bir,
                    penguin: coverage.with_penguin,
                    line: coverage.with_line,
                }
            })
            .collect()
    }
}

fn item(record: &SourceRecord) -> SourceItem {
    SourceItem {
        layer: record.layer.name().to_owned(),
        text: record.text.clone(),
        file: record.file.clone(),
        line: record.line.map(u64::from),
    }
}
