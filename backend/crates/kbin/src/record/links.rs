//! What the pointers of a record lead to. In bytes they are 0; here they are references.

use records::kbin::activation::RawActFunctionSet;
use records::kbin::root::RawKbin;
use records::kbin::variable::RawMemRef;
use std::mem::offset_of;

use super::id::RecordId;
use crate::lowering::Kbin;
use crate::lowering::model::{Content, Library};
use records::kbin::descriptor::RawDescriptor;
use records::kbin::sets::{RawBuffer, RawDveConfig, RawSourceTargetPairs, RawUcodeLib};

/// Where a pointer leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// Nowhere.
    Null,
    /// A text of the host.
    Text(String),
    /// A record of the tree, and the byte of it.
    Record(RecordId, u64),
    /// Bytes of the archive.
    Member(Content),
    /// Bytes that the loader brings along.
    Loader,
}

/// A pointer in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Byte of the record or row at which the pointer stands.
    pub offset: u64,
    /// Where it leads.
    pub target: Target,
}

fn member(content: Option<&Content>) -> Target {
    content.map_or(Target::Null, |content| Target::Member(content.clone()))
}

impl Kbin {
    fn link(&self, id: RecordId) -> Target {
        match self.shape(id) {
            Some(_) => Target::Record(id, 0),
            None => Target::Null,
        }
    }

    /// Pointers of a record's header.
    pub fn header_links(&self, id: RecordId) -> Vec<Link> {
        let mut links = Vec::new();
        let mut put = |offset: usize, target: Target| {
            links.push(Link { offset: offset as u64, target });
        };
        match id {
            RecordId::Root => {
                for slot in 0..self.code.len() {
                    put(slot * 8, self.link(RecordId::Engine(slot)));
                }
                for slot in 0..records::kbin::root::DMA_SLOTS {
                    put(offset_of!(RawKbin, dma) + slot * 8, self.link(RecordId::Dma(slot)));
                }
                put(offset_of!(RawKbin, mem_ref_set), self.link(RecordId::MemRefSet));
                put(offset_of!(RawKbin, act_function_sets), self.link(RecordId::ActSet(0)));
                put(offset_of!(RawKbin, dve_config), self.link(RecordId::DveConfig));
                put(offset_of!(RawKbin, sb_carveouts), self.link(RecordId::Carveouts));
                put(offset_of!(RawKbin, replica_groups), self.link(RecordId::Groups));
                put(offset_of!(RawKbin, src_target_pairs), self.link(RecordId::PairTables));
                put(offset_of!(RawKbin, ucode_lib_set), self.link(RecordId::UcodeLib(0)));
            }
            RecordId::ActSet(at) => {
                let set = self.act_sets.get(at);
                let bkt = set.and_then(|set| set.bkt.as_ref());
                let ctl = set.and_then(|set| set.ctl.as_ref());
                put(offset_of!(RawActFunctionSet, bkt_tbl), member(bkt));
                put(offset_of!(RawActFunctionSet, ctl_tbl), member(ctl));
            }
            RecordId::DveConfig => {
                let tables = self.dve.iter().flatten();
                for (index, (table, _)) in tables.enumerate() {
                    let at = index * size_of::<RawBuffer>();
                    put(at, member(table.as_ref()));
                }
                debug_assert!(size_of::<RawDveConfig>() == 4 * size_of::<RawBuffer>());
            }
            RecordId::UcodeLib(at) => {
                let content = match self.libs.get(at) {
                    Some(Library { content: None, from, .. })
                        if *from == records::Provenance::Modelled =>
                    {
                        Target::Loader
                    }
                    lib => member(lib.and_then(|lib| lib.content.as_ref())),
                };
                put(offset_of!(RawUcodeLib, content), content);
                let functions = self.link(RecordId::UcodeFunctions(at));
                put(offset_of!(RawUcodeLib, functions), functions);
            }
            _ => {}
        }
        links
    }

    /// Pointers of a row behind a record's header, relative to the row.
    pub fn row_links(&self, id: RecordId, row: usize) -> Vec<Link> {
        let link = |offset: usize, target: Target| Link { offset: offset as u64, target };
        match id {
            RecordId::MemRefSet => {
                let Some(variable) = self.variables.get(row) else { return Vec::new() };
                let mut links = vec![
                    link(offset_of!(RawMemRef, name), Target::Text(variable.name.clone())),
                    link(offset_of!(RawMemRef, dtensor_md), self.link(RecordId::DebugTensor(row))),
                    link(offset_of!(RawMemRef, buffer), member(variable.content.as_ref())),
                ];
                if self.shape(RecordId::List(row)).is_some() {
                    let at = offset_of!(RawMemRef, union) + 8;
                    links.push(link(at, self.link(RecordId::List(row))));
                }
                links
            }
            RecordId::Dma(at) => vec![link(0, self.link(RecordId::Ring(at, row)))],
            RecordId::Ring(at, ring) => {
                let ring = self.queues.get(at).and_then(|queue| queue.rings.get(ring));
                let block = ring.and_then(|ring| {
                    let descriptor = ring.descriptors.get(row)?;
                    ring.blocks.get(descriptor.block as usize)
                });
                let function = block.and_then(|block| block.function.clone());
                let target = function.map_or(Target::Null, Target::Text);
                vec![link(offset_of!(RawDescriptor, function_name), target)]
            }
            RecordId::Groups => vec![link(0, self.link(RecordId::Group(row)))],
            RecordId::Group(group) => vec![link(0, self.link(RecordId::Subgroup(group, row)))],
            RecordId::PairTables => {
                let pairs = offset_of!(RawSourceTargetPairs, pairs);
                vec![link(pairs, self.link(RecordId::Pairs(row)))]
            }
            _ => Vec::new(),
        }
    }
}
