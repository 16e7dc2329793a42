//! Names of the records of a tree, their types and sizes.

use neff::hidden::{quoted, unquoted};
use records::Engine;
use records::kbin::activation::{
    ACT_FUNCTION_SET_BYTES, RawActBucket, RawActControl, RawActFunctionSet,
};
use records::kbin::descriptor::DESCRIPTOR_BYTES;
use records::kbin::engine::{ENGINE_HEADER_BYTES, RawEngine};
use records::kbin::queue::{DMA_BYTES, RING_INSTANCE_BYTES, RawDma, RawRingInstance};
use records::kbin::root::{KBIN_BYTES, RawKbin};
use records::kbin::sets::{
    CARVEOUT_BYTES, RawCarveoutHead, RawDveConfig, RawPair, RawSourceTargetPairs, RawUcodeFunction,
    RawUcodeLib, UCODE_LIB_BYTES,
};
use records::kbin::variable::{MEM_REF_BYTES, MEM_REF_SET_BYTES, RawDebugTensor, RawMemRefSet};

use crate::lowering::model::{Arm, Content};
use crate::lowering::{ENGINE_ORDER, Kbin};

/// A record of a tree. Indexes are places in the tree's lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordId {
    /// `kbin`: the root.
    Root,
    /// `engine.PE`: an instruction block, by slot of `engine[]`.
    Engine(usize),
    /// `mem_ref_set`: the table of variables.
    MemRefSet,
    /// `list.<row>`: ids of a list, by row of its variable in the table.
    List(usize),
    /// `debug_tensor.<row>`: text of a device print, likewise.
    DebugTensor(usize),
    /// `dma.<queue>`: a queue.
    Dma(usize),
    /// `ring.<queue>.<n>`: an instance of a queue's ring.
    Ring(usize, usize),
    /// `act_function_set.<n>`: an activation set.
    ActSet(usize),
    /// `act_function_set.<n>.buckets`: entries of its table of buckets.
    ActBuckets(usize),
    /// `act_function_set.<n>.controls`: entries of its table of control words.
    ActControls(usize),
    /// `dve_config`: tables of the DVE.
    DveConfig,
    /// `sb_carveouts`: reserved areas.
    Carveouts,
    /// `replica_groups`: the groups.
    Groups,
    /// `replica_groups.<g>`: the subgroups of one.
    Group(usize),
    /// `replica_groups.<g>.<s>`: participants.
    Subgroup(usize, usize),
    /// `src_target_pairs`: the tables of pairs.
    PairTables,
    /// `src_target_pairs.<n>`: the pairs of one.
    Pairs(usize),
    /// `ucode_lib.<n>`: a micro-code library.
    UcodeLib(usize),
    /// `ucode_lib.<n>.functions`: its functions.
    UcodeFunctions(usize),
}

/// How a record is made up: a header, and elements behind it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Type in the runtime.
    pub kind: &'static str,
    /// Bytes of the header.
    pub header: u64,
    /// Bytes of an element; 1 for code, whose rows are 64 bytes.
    pub stride: u64,
    /// Elements.
    pub count: u64,
}

impl Shape {
    /// Bytes of the record with what follows its header.
    pub fn bytes(&self) -> u64 {
        self.header.saturating_add(self.stride.saturating_mul(self.count))
    }
}

/// A line of the list of records.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordEntry {
    /// Which.
    pub id: RecordId,
    /// Name.
    pub name: String,
    /// Type in the runtime.
    pub kind: &'static str,
    /// Bytes, with what follows the header.
    pub bytes: u64,
    /// Rows behind the header: instructions, variables, descriptors and so on.
    pub rows: u64,
}

impl Kbin {
    /// All records, root first, in the order in which a loader makes them.
    pub fn records(&self) -> Vec<RecordEntry> {
        let mut ids = vec![RecordId::Root];
        ids.extend((0..self.code.len()).map(RecordId::Engine));
        for (at, queue) in self.queues.iter().enumerate() {
            ids.push(RecordId::Dma(at));
            ids.extend((0..queue.rings.len()).map(|ring| RecordId::Ring(at, ring)));
        }
        ids.push(RecordId::MemRefSet);
        for (at, variable) in self.variables.iter().enumerate() {
            if matches!(variable.arm, Arm::List(_)) {
                ids.push(RecordId::List(at));
            }
            if variable.debug.is_some() {
                ids.push(RecordId::DebugTensor(at));
            }
        }
        for at in 0..self.act_sets.len() {
            ids.extend([RecordId::ActSet(at), RecordId::ActBuckets(at), RecordId::ActControls(at)]);
        }
        ids.extend(self.dve.as_ref().map(|_| RecordId::DveConfig));
        if !self.groups.is_empty() {
            ids.push(RecordId::Groups);
        }
        for (group, subgroups) in self.groups.iter().enumerate() {
            ids.push(RecordId::Group(group));
            ids.extend((0..subgroups.len()).map(|sub| RecordId::Subgroup(group, sub)));
        }
        if !self.pairs.is_empty() {
            ids.push(RecordId::PairTables);
        }
        ids.extend((0..self.pairs.len()).map(RecordId::Pairs));
        for lib in 0..self.libs.len() {
            ids.push(RecordId::UcodeLib(lib));
            ids.push(RecordId::UcodeFunctions(lib));
        }
        ids.extend(self.carveouts.as_ref().map(|_| RecordId::Carveouts));
        ids.into_iter().filter_map(|id| self.entry(id)).collect()
    }

    /// The line of one record; `None` if the tree has none.
    pub fn entry(&self, id: RecordId) -> Option<RecordEntry> {
        let shape = self.shape(id)?;
        let rows = match id {
            RecordId::Engine(_) => shape.count.div_ceil(64),
            _ => shape.count,
        };
        let name = self.record_name(id);
        Some(RecordEntry { id, name, kind: shape.kind, bytes: shape.bytes(), rows })
    }

    /// Name of a record. The name of a queue is quoted where it is empty or begins with a quote.
    pub fn record_name(&self, id: RecordId) -> String {
        let queue = |at: usize| self.queues.get(at).map_or("", |queue| queue.name.as_str());
        match id {
            RecordId::Root => "kbin".to_owned(),
            RecordId::Engine(slot) => {
                format!("engine.{}", ENGINE_ORDER.get(slot).map_or("", |engine| engine.name()))
            }
            RecordId::MemRefSet => "mem_ref_set".to_owned(),
            RecordId::List(at) => format!("list.{at}"),
            RecordId::DebugTensor(at) => format!("debug_tensor.{at}"),
            RecordId::Dma(at) => format!("dma.{}", quoted(queue(at))),
            RecordId::Ring(at, ring) => format!("ring.{}.{ring}", quoted(queue(at))),
            RecordId::ActSet(at) => format!("act_function_set.{at}"),
            RecordId::ActBuckets(at) => format!("act_function_set.{at}.buckets"),
            RecordId::ActControls(at) => format!("act_function_set.{at}.controls"),
            RecordId::DveConfig => "dve_config".to_owned(),
            RecordId::Carveouts => "sb_carveouts".to_owned(),
            RecordId::Groups => "replica_groups".to_owned(),
            RecordId::Group(group) => format!("replica_groups.{group}"),
            RecordId::Subgroup(group, sub) => format!("replica_groups.{group}.{sub}"),
            RecordId::PairTables => "src_target_pairs".to_owned(),
            RecordId::Pairs(at) => format!("src_target_pairs.{at}"),
            RecordId::UcodeLib(at) => format!("ucode_lib.{at}"),
            RecordId::UcodeFunctions(at) => format!("ucode_lib.{at}.functions"),
        }
    }

    /// The record of a name; `None` if the tree has none.
    pub fn record_of_name(&self, name: &str) -> Option<RecordId> {
        let id = match name {
            "kbin" => RecordId::Root,
            "mem_ref_set" => RecordId::MemRefSet,
            "dve_config" => RecordId::DveConfig,
            "sb_carveouts" => RecordId::Carveouts,
            "replica_groups" => RecordId::Groups,
            "src_target_pairs" => RecordId::PairTables,
            _ => self.numbered(name)?,
        };
        self.shape(id).map(|_| id)
    }

    fn numbered(&self, name: &str) -> Option<RecordId> {
        let (area, rest) = name.split_once('.')?;
        Some(match area {
            "engine" => {
                let engine: Engine = rest.parse().ok()?;
                RecordId::Engine(ENGINE_ORDER.iter().position(|known| *known == engine)?)
            }
            "dma" => RecordId::Dma(self.queue(&unquoted(rest))?.0),
            "ring" => {
                let (queue, ring) = rest.rsplit_once('.')?;
                RecordId::Ring(self.queue(&unquoted(queue))?.0, index(ring)?)
            }
            "list" => RecordId::List(index(rest)?),
            "debug_tensor" => RecordId::DebugTensor(index(rest)?),
            "act_function_set" => match rest.split_once('.') {
                Some((set, "buckets")) => RecordId::ActBuckets(index(set)?),
                Some((set, "controls")) => RecordId::ActControls(index(set)?),
                _ => RecordId::ActSet(index(rest)?),
            },
            "replica_groups" => match rest.split_once('.') {
                Some((group, sub)) => RecordId::Subgroup(index(group)?, index(sub)?),
                None => RecordId::Group(index(rest)?),
            },
            "src_target_pairs" => RecordId::Pairs(index(rest)?),
            "ucode_lib" => match rest.strip_suffix(".functions") {
                Some(lib) => RecordId::UcodeFunctions(index(lib)?),
                None => RecordId::UcodeLib(index(rest)?),
            },
            _ => return None,
        })
    }

    /// The file of an activation table.
    pub(crate) fn table(&self, id: RecordId) -> Option<&Content> {
        match id {
            RecordId::ActBuckets(at) => self.act_sets.get(at)?.bkt.as_ref(),
            RecordId::ActControls(at) => self.act_sets.get(at)?.ctl.as_ref(),
            _ => None,
        }
    }

    /// Whole entries of it; `None` if there are none.
    fn n_entries(&self, id: RecordId) -> Option<usize> {
        let count = usize::try_from(self.table(id)?.bytes / 32).ok()?;
        (count > 0).then_some(count)
    }

    /// How a record is made up; `None` if the tree has none.
    pub fn shape(&self, id: RecordId) -> Option<Shape> {
        let shape = |kind, header: usize, stride: usize, count: usize| Shape {
            kind,
            header: header as u64,
            stride: stride as u64,
            count: count as u64,
        };
        Some(match id {
            RecordId::Root => shape(RawKbin::LAYOUT.name, KBIN_BYTES, 0, 0),
            RecordId::Engine(slot) => Shape {
                count: self.code.get(slot)?.bytes,
                ..shape(RawEngine::LAYOUT.name, ENGINE_HEADER_BYTES, 1, 0)
            },
            RecordId::MemRefSet => {
                let count = self.variables.len();
                shape(RawMemRefSet::LAYOUT.name, MEM_REF_SET_BYTES, MEM_REF_BYTES, count)
            }
            RecordId::List(at) => match &self.variables.get(at)?.arm {
                Arm::List(ids) => shape("uint32_t[]", 0, 4, ids.len()),
                _ => return None,
            },
            RecordId::DebugTensor(at) => {
                self.variables.get(at)?.debug.as_ref()?;
                shape(RawDebugTensor::LAYOUT.name, RawDebugTensor::LAYOUT.bytes, 0, 0)
            }
            RecordId::Dma(at) => {
                let count = self.queues.get(at)?.rings.len();
                shape(RawDma::LAYOUT.name, DMA_BYTES, 8, count)
            }
            RecordId::Ring(at, ring) => {
                let count = self.queues.get(at)?.rings.get(ring)?.descriptors.len();
                let kind = RawRingInstance::LAYOUT.name;
                shape(kind, RING_INSTANCE_BYTES, DESCRIPTOR_BYTES, count)
            }
            RecordId::ActSet(at) => {
                self.act_sets.get(at)?;
                shape(RawActFunctionSet::LAYOUT.name, ACT_FUNCTION_SET_BYTES, 0, 0)
            }
            RecordId::ActBuckets(_) => {
                let layout = &RawActBucket::LAYOUT;
                shape(layout.name, 0, layout.bytes, self.n_entries(id)?)
            }
            RecordId::ActControls(_) => {
                let layout = &RawActControl::LAYOUT;
                shape(layout.name, 0, layout.bytes, self.n_entries(id)?)
            }
            RecordId::DveConfig => {
                self.dve.as_ref()?;
                shape(RawDveConfig::LAYOUT.name, RawDveConfig::LAYOUT.bytes, 0, 0)
            }
            RecordId::Carveouts => {
                let count = self.carveouts.as_ref()?.len();
                shape(RawCarveoutHead::LAYOUT.name, 8, CARVEOUT_BYTES, count)
            }
            RecordId::Groups if self.groups.is_empty() => return None,
            RecordId::Groups => shape("kbin_replica_group_t[]", 0, 16, self.groups.len()),
            RecordId::Group(group) => {
                shape("kbin_replica_subgroup_t[]", 0, 16, self.groups.get(group)?.len())
            }
            RecordId::Subgroup(group, sub) => {
                shape("uint32_t[]", 0, 4, self.groups.get(group)?.get(sub)?.len())
            }
            RecordId::PairTables if self.pairs.is_empty() => return None,
            RecordId::PairTables => {
                let stride = RawSourceTargetPairs::LAYOUT.bytes;
                shape("kbin_src_target_pairs_t[]", 0, stride, self.pairs.len())
            }
            RecordId::Pairs(at) => {
                shape(RawPair::LAYOUT.name, 0, RawPair::LAYOUT.bytes, self.pairs.get(at)?.len())
            }
            RecordId::UcodeLib(at) => {
                self.libs.get(at)?;
                shape(RawUcodeLib::LAYOUT.name, UCODE_LIB_BYTES, 0, 0)
            }
            RecordId::UcodeFunctions(at) => {
                let functions = &self.libs.get(at)?.functions;
                if functions.is_empty() {
                    return None;
                }
                let layout = &RawUcodeFunction::LAYOUT;
                shape(layout.name, 0, layout.bytes, functions.len())
            }
        })
    }
}

/// A plain index: no sign, no leading zero, below 2^32.
fn index(text: &str) -> Option<usize> {
    let plain = text == "0" || !text.starts_with(['0', '+']);
    text.parse::<u32>().ok().filter(|_| plain).map(|index| index as usize)
}
