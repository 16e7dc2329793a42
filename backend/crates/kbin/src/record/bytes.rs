//! Bytes of records, made when somebody asks for them. Host pointers are 0 in them.

use neff::Package;
use records::kbin::activation::{MAX_FUNCTIONS, RawActFunctionSet};
use records::kbin::descriptor::{
    RawCceInfo, RawDescriptor, RawDescriptorSide, RawFmaArm, RawMinMaxArm,
};
use records::kbin::engine::RawEngine;
use records::kbin::names::{ArchType, DescOp, DescType, EngineType};
use records::kbin::queue::{RawDma, RawRingInstance};
use records::kbin::root::{RawActSets, RawKbin};
use records::kbin::sets::{
    RawArray, RawBuffer, RawCarveoutHead, RawDveConfig, RawPair, RawSourceTargetPairs,
    RawUcodeFunction, RawUcodeLib,
};
use records::kbin::text_field;
use records::kbin::variable::{
    RawDebugTensor, RawListArm, RawMemRef, RawMemRefSet, RawPointerArm, RawRemoteArm, RawVirtualArm,
};

use super::id::RecordId;
use crate::lowering::Kbin;
use crate::lowering::model::{
    ActSet, Arm, Compute, Content, Descriptor, Function, Library, Queue, Ring, Side, Variable,
};
use crate::lowering::numbers::Origin;

/// Bytes of one answer of [`Kbin::record_bytes`].
pub const MAX_BYTES: u64 = 64 << 20;

/// Copies as many numbers as there is room for.
fn fill<T, U: From<T>>(room: &mut [U], values: impl IntoIterator<Item = T>) {
    for (to, value) in room.iter_mut().zip(values) {
        *to = value.into();
    }
}

fn narrow(value: u64) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

impl Kbin {
    /// Bytes `from .. from + len` of a record, cut at its end and at [`MAX_BYTES`]. Empty for a
    /// record that the tree does not have.
    pub fn record_bytes(&self, package: &Package, id: RecordId, from: u64, len: u64) -> Vec<u8> {
        let Some(shape) = self.shape(id) else { return Vec::new() };
        let end = from.saturating_add(len.min(MAX_BYTES)).min(shape.bytes());
        let mut out = Vec::new();
        if from < shape.header.min(end) {
            put(&mut out, &self.header(id), from, end.min(shape.header) - from);
        }
        if end <= shape.header || shape.stride == 0 {
            return out;
        }
        let (start, stop) = (from.max(shape.header) - shape.header, end - shape.header);
        if let RecordId::Engine(slot) = id {
            put(&mut out, self.code_bytes(package, slot), start, stop.saturating_sub(start));
            return out;
        }
        if self.table(id).is_some() {
            put(&mut out, self.table_bytes(package, id), start, stop.saturating_sub(start));
            return out;
        }
        let mut at = start;
        while at < stop {
            let row = at / shape.stride;
            let inside = at % shape.stride;
            let take = (shape.stride - inside).min(stop - at);
            put(&mut out, &self.row(id, row), inside, take);
            at += take;
        }
        out
    }

    /// The code of a slot, as it lies in the archive.
    pub fn code_bytes<'a>(&self, package: &'a Package, slot: usize) -> &'a [u8] {
        let content = self.code.get(slot).and_then(|code| code.content.as_ref());
        content.and_then(|content| package.bytes(&content.member).ok()).unwrap_or(&[])
    }

    /// The file of an activation table.
    pub(crate) fn table_bytes<'a>(&self, package: &'a Package, id: RecordId) -> &'a [u8] {
        let content = self.table(id);
        content.and_then(|content| package.bytes(&content.member).ok()).unwrap_or(&[])
    }

    /// The header of a record.
    pub(crate) fn header(&self, id: RecordId) -> Vec<u8> {
        match id {
            RecordId::Root => self.root().bytes().to_vec(),
            RecordId::Engine(slot) => {
                self.engine(slot).map(|engine| engine.bytes().to_vec()).unwrap_or_default()
            }
            RecordId::MemRefSet => self.mem_ref_set().bytes().to_vec(),
            RecordId::DebugTensor(at) => {
                let debug = self.variables.get(at).and_then(|variable| variable.debug.as_ref());
                debug.map(|debug| debug_tensor(&debug.text, debug.pipe)).unwrap_or_default()
            }
            RecordId::Dma(at) => {
                self.queues.get(at).map(|queue| dma(queue).bytes().to_vec()).unwrap_or_default()
            }
            RecordId::Ring(at, ring) => {
                let ring = self.queues.get(at).and_then(|queue| queue.rings.get(ring));
                ring.map(|ring| ring_header(ring).bytes().to_vec()).unwrap_or_default()
            }
            RecordId::ActSet(at) => {
                self.act_sets.get(at).map(|set| act_set(set).bytes().to_vec()).unwrap_or_default()
            }
            RecordId::DveConfig => {
                self.dve.as_ref().map(|tables| dve(tables).bytes().to_vec()).unwrap_or_default()
            }
            RecordId::Carveouts => {
                let count = self.carveouts.as_ref().map_or(0, Vec::len);
                RawCarveoutHead { count: (count as u64).into() }.bytes().to_vec()
            }
            RecordId::UcodeLib(at) => {
                self.libs.get(at).map(|lib| ucode_lib(lib).bytes().to_vec()).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }

    /// A row behind the header; empty past the last one. Code has none.
    pub(crate) fn row(&self, id: RecordId, row: u64) -> Vec<u8> {
        self.row_at(id, usize::try_from(row).unwrap_or(usize::MAX)).unwrap_or_default()
    }

    fn row_at(&self, id: RecordId, row: usize) -> Option<Vec<u8>> {
        let number = |value: u32| value.to_le_bytes().to_vec();
        let array = |count: usize| {
            RawArray { count: (count as u64).into(), ..RawArray::zero() }.bytes().to_vec()
        };
        Some(match id {
            RecordId::MemRefSet => mem_ref(self.variables.get(row)?).bytes().to_vec(),
            RecordId::List(at) => match &self.variables.get(at)?.arm {
                Arm::List(ids) => number(*ids.get(row)?),
                _ => return None,
            },
            RecordId::Dma(_) => vec![0; 8],
            RecordId::Ring(at, ring) => {
                let ring = self.queues.get(at)?.rings.get(ring)?;
                self.descriptor(ring, row)?.bytes().to_vec()
            }
            RecordId::Carveouts => self.carveouts.as_ref()?.get(row)?.raw.bytes().to_vec(),
            RecordId::Groups => array(self.groups.get(row)?.len()),
            RecordId::Group(group) => array(self.groups.get(group)?.get(row)?.len()),
            RecordId::Subgroup(group, sub) => number(*self.groups.get(group)?.get(sub)?.get(row)?),
            RecordId::PairTables => {
                let num_pairs = (self.pairs.get(row)?.len() as u64).into();
                let table = RawSourceTargetPairs { num_pairs, ..RawSourceTargetPairs::zero() };
                table.bytes().to_vec()
            }
            RecordId::Pairs(at) => {
                let (source, target) = *self.pairs.get(at)?.get(row)?;
                RawPair { source: source.into(), target: target.into() }.bytes().to_vec()
            }
            RecordId::UcodeFunctions(at) => {
                let Function { name, opcode, sub_opcode, .. } =
                    self.libs.get(at)?.functions.get(row)?;
                let (opcode, sub_opcode) = (*opcode, *sub_opcode);
                let raw = RawUcodeFunction { name: text_field(name), opcode, sub_opcode };
                raw.bytes().to_vec()
            }
            _ => return None,
        })
    }

    fn root(&self) -> RawKbin {
        let array = |count: usize| RawArray { count: (count as u64).into(), ..RawArray::zero() };
        RawKbin {
            act_function_sets: RawActSets {
                num_function_sets: (self.act_sets.len() as u64).into(),
                act_tbl_semaphore: self.act_semaphore.0.into(),
                ..RawActSets::zero()
            },
            replica_groups: array(self.groups.len()),
            src_target_pairs: array(self.pairs.len()),
            ucode_lib_set: array(self.libs.len()),
            cc_streams: self.num_streams.0.into(),
            fp8_conv_cfg: self.fp8.0,
            target: self.target.stored().into(),
            ..RawKbin::zero()
        }
    }

    fn engine(&self, slot: usize) -> Option<RawEngine> {
        let code = self.code.get(slot)?;
        Some(RawEngine {
            eng_type: u32::from(code.engine.code()).into(),
            name: text_field(code.engine.key()),
            ninstr: narrow(code.n_records).into(),
            ..RawEngine::zero()
        })
    }

    fn mem_ref_set(&self) -> RawMemRefSet {
        let [(local, _), (shared, _)] = self.scratchpad_bytes();
        RawMemRefSet {
            local_scratchpad_size: local.into(),
            shared_scratchpad_size: shared.into(),
            nmem: narrow(self.variables.len() as u64).into(),
            ..RawMemRefSet::zero()
        }
    }

    /// A descriptor as it lies in its ring.
    pub fn descriptor(&self, ring: &Ring, index: usize) -> Option<RawDescriptor> {
        let source = ring.descriptors.get(index)?;
        let block = ring.blocks.get(source.block as usize);
        let last = block.map(|block| block.first.saturating_add(block.count));
        let has_function = block.is_some_and(|block| block.function.is_some());
        let id = |index: Option<u32>| {
            index.and_then(|index| self.variables.get(index as usize)).map_or(0, |one| one.id)
        };
        let mut raw = RawDescriptor {
            desc_type: DescType::DATA.0.into(),
            op: source.op.0.into(),
            to: side(id(source.to_variable), &source.to),
            num_tiling_dims: source.tiling.into(),
            compute: compute(source),
            block_id: block.map_or(0, |block| block.id).into(),
            block_end_desc: u8::from(last == Some(narrow(index as u64).saturating_add(1))),
            reset_engine_round_robin: u8::from(
                self.target > ArchType::SUNDA && (source.op == DescOp::TRANSPOSE || has_function),
            ),
            priority_class: block.map_or(0, |block| block.priority),
            ..RawDescriptor::zero()
        };
        let sources = source.from_variables.iter().map(|index| side(id(*index), &source.from));
        for (to, one) in raw.from.iter_mut().zip(sources) {
            *to = one;
        }
        Some(raw)
    }
}

fn put(out: &mut Vec<u8>, bytes: &[u8], from: u64, len: u64) {
    let start = usize::try_from(from).unwrap_or(usize::MAX).min(bytes.len());
    let end = start.saturating_add(usize::try_from(len).unwrap_or(usize::MAX)).min(bytes.len());
    out.extend_from_slice(bytes.get(start..end).unwrap_or_default());
}

fn mem_ref(source: &Variable) -> RawMemRef {
    let mut raw = RawMemRef {
        mr_type: source.kind.stored().into(),
        size: source.size.into(),
        alignment: source.alignment.into(),
        var_id: source.id.into(),
        dtype: text_field(&source.dtype),
        ..RawMemRef::zero()
    };
    fill(&mut raw.shape, source.shape.iter().copied());
    match &source.arm {
        Arm::None => {}
        Arm::Pointer { id, io } => raw.set_arm(&RawPointerArm {
            referenced_var_id: (*id).into(),
            io_ref: u8::from(*io),
            ..RawPointerArm::zero()
        }),
        Arm::Virtual { offset, backing, .. } => raw.set_arm(&RawVirtualArm {
            offset: (*offset).into(),
            backing_buf: backing.stored().into(),
            ..RawVirtualArm::zero()
        }),
        Arm::List(ids) => raw
            .set_arm(&RawListArm { length: narrow(ids.len() as u64).into(), ..RawListArm::zero() }),
        Arm::Remote { subgraph, id, .. } => raw.set_arm(&RawRemoteArm {
            subgraph: (*subgraph).into(),
            var_id: (*id).into(),
            ..RawRemoteArm::zero()
        }),
    }
    raw
}

fn debug_tensor(text: &str, pipe: u32) -> Vec<u8> {
    RawDebugTensor { prefix_str: text_field(text), pipe_id: pipe.into() }.bytes().to_vec()
}

fn dma(source: &Queue) -> RawDma {
    let mut raw = RawDma {
        ring_type: source.ring_type.stored().into(),
        owner: source
            .owner
            .map_or(EngineType::MAX.stored(), |engine| u32::from(engine.code()))
            .into(),
        queue_set_cnt: source.queue_set_count.into(),
        dge_sb_scratch_addr: source.scratch.0.into(),
        dge_sb_scratch_size: source.scratch.1.into(),
        ring_instance_count: narrow(source.rings.len() as u64).into(),
        ..RawDma::zero()
    };
    let count = source.semaphores.len().min(raw.semaphores.len());
    raw.semaphore_cnt = narrow(count as u64).into();
    fill(&mut raw.semaphores, source.semaphores.iter().copied());
    raw
}

fn ring_header(source: &Ring) -> RawRingInstance {
    RawRingInstance {
        name: text_field(&source.name),
        ndesc: narrow(source.descriptors.len() as u64).into(),
        ..RawRingInstance::zero()
    }
}

fn side(id: u32, source: &Side) -> RawDescriptorSide {
    let mut raw = RawDescriptorSide {
        idx: id.into(),
        off: source.offset.into(),
        num_dims: narrow(source.sizes.len() as u64).into(),
        dtype: source.dtype.stored().into(),
        ..RawDescriptorSide::zero()
    };
    fill(&mut raw.steps, source.steps.iter().copied());
    fill(&mut raw.sizes, source.sizes.iter().copied());
    raw
}

fn compute(source: &Descriptor) -> [u8; 140] {
    let mut info = RawCceInfo {
        num_sources: narrow(source.from_variables.len() as u64).into(),
        num_dests: 1.into(),
        ..RawCceInfo::zero()
    };
    let arm = match &source.compute {
        // The inside of a transpose is not published.
        Compute::None | Compute::Transpose(..) => return [0; 140],
        Compute::Plain => Vec::new(),
        Compute::Scale(dtype, scales) => {
            let mut raw = RawFmaArm { scale_dtype: dtype.stored().into(), ..RawFmaArm::zero() };
            fill(&mut raw.scale, scales.iter().map(|scale| scale.to_bits()));
            raw.bytes().to_vec()
        }
        Compute::Constant(dtype, bits) => RawMinMaxArm {
            use_constant: 1,
            constant_dtype: dtype.stored().into(),
            constant: (*bits).into(),
            ..RawMinMaxArm::zero()
        }
        .bytes()
        .to_vec(),
    };
    fill(&mut info.arm, arm);
    let mut out = [0; 140];
    fill(&mut out, info.bytes().iter().copied());
    out
}

fn act_set(source: &ActSet) -> RawActFunctionSet {
    let bytes = |content: &Option<Content>| narrow(content.as_ref().map_or(0, |one| one.bytes));
    let count = source.profiles.len().min(MAX_FUNCTIONS);
    let mut raw = RawActFunctionSet {
        name: text_field(&source.name),
        bkt_sz: bytes(&source.bkt).into(),
        ctl_sz: bytes(&source.ctl).into(),
        num_functions: u8::try_from(count).unwrap_or(u8::MAX),
        ..RawActFunctionSet::zero()
    };
    for (to, profile) in raw.profile_data.iter_mut().zip(&source.profiles) {
        *to = profile.raw;
    }
    raw
}

fn dve(tables: &[(Option<Content>, Origin); 4]) -> RawDveConfig {
    let [opcode, control_fast, control_slow, datapath] = tables.each_ref().map(|(table, _)| {
        let size = table.as_ref().map_or(0, |table| table.bytes).into();
        RawBuffer { size, ..RawBuffer::zero() }
    });
    RawDveConfig { opcode, control_fast, control_slow, datapath }
}

fn ucode_lib(source: &Library) -> RawUcodeLib {
    RawUcodeLib {
        content_size: source.content.as_ref().map_or(0, |content| content.bytes).into(),
        flags: source.flags.into(),
        cpu_id: source.cpu_id,
        total_cpus: source.total_cpus,
        num_functions: u8::try_from(source.functions.len()).unwrap_or(u8::MAX),
        ..RawUcodeLib::zero()
    }
}
