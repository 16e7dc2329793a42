//! Parts of a definition that opening a file leaves alone, read when somebody asks.

use serde_json::Value;

use crate::budget::Budget;
use crate::diagnostic::Findings;
use crate::doc::ucode::{self, ExtIsaLibrary, UcodeManifest};
use crate::doc::{DmaBlock, dma};
use crate::error::NeffError;
use crate::json::{self, Node};
use crate::package::{Package, Subgraph, note};
use crate::reader::Reader;

impl Package {
    /// The micro-code libraries of a subgraph: from manifests that its definition names or holds.
    /// What cannot be read is a finding.
    pub fn ucode_manifests(
        &self,
        subgraph: &Subgraph,
        findings: &mut Findings,
    ) -> Vec<UcodeManifest> {
        let Some(value) = &subgraph.definition.ucode_lib else { return Vec::new() };
        let items = match value {
            Value::Array(items) => items.as_slice(),
            other => std::slice::from_ref(other),
        };
        let mut list = Vec::new();
        for item in items.iter().take(self.limits().subgraphs) {
            let read = match item {
                Value::String(name) => {
                    let member = subgraph.resolve(name);
                    self.document(&member, findings, |node, reader| {
                        Ok(ucode::manifests(node, reader))
                    })
                }
                inline => self.inline(subgraph, inline, findings, ucode::manifests),
            };
            match read {
                Ok(manifests) => list.extend(manifests),
                Err(error) => note(&error, findings),
            }
        }
        list
    }

    /// What the definition says about the extended instruction set's default library.
    pub fn ext_isa_library(
        &self,
        subgraph: &Subgraph,
        findings: &mut Findings,
    ) -> Option<ExtIsaLibrary> {
        let value = subgraph.definition.ext_isa_ucode_lib_def.as_ref()?;
        self.inline(subgraph, value, findings, ucode::ext_isa_library).ok().flatten()
    }

    /// Reads a value that the definition kept as it is.
    fn inline<T>(
        &self,
        subgraph: &Subgraph,
        value: &Value,
        findings: &mut Findings,
        read: impl FnOnce(Node<'_>, &mut Reader<'_>) -> T,
    ) -> Result<T, NeffError> {
        let (member, limits) = (&subgraph.definition_member, self.limits());
        let text = value.to_string();
        let mut budget = Budget::of(limits);
        let node = json::parse(member, text.as_bytes(), limits, &mut budget)?;
        Ok(read(node, &mut Reader::new(member, limits, budget, findings)))
    }

    /// DMA blocks at graph level, decoded now. Empty where the definition has none.
    pub fn graph_dma_blocks(&self, subgraph: &Subgraph, findings: &mut Findings) -> Vec<DmaBlock> {
        if subgraph.definition.dma.is_none() {
            return Vec::new();
        }
        let member = &subgraph.definition_member;
        // The rest of the document was read, and its findings taken, when the file was opened.
        let read = self.document(member, findings, |node, reader| {
            let entries = node.entries().unwrap_or_default();
            let dma = entries.into_iter().rev().find(|(key, _)| key == "dma");
            Ok(dma.map(|(_, node)| dma::blocks(node, reader)).unwrap_or_default())
        });
        read.unwrap_or_default()
    }
}
