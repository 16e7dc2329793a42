//! The queues of a definition become ring headers; blocks become descriptors of their instances.

use std::collections::BTreeMap;

use neff::doc::{DmaBlock, DmaDescriptor, DmaOp, DmaSide, Queue as FileQueue};
use neff::{Package, Place, Severity, Subgraph};
use records::kbin::descriptor::MAX_SOURCES;
use records::kbin::names::{DescOp, Dtype, RingType};
use records::kbin::queue::MAX_SEMAPHORES;
use records::kbin::root::DMA_SLOTS;
use records::kbin::variable::MAX_DIMENSIONS;
use records::{Engine, Provenance};

use super::model::{Block, Compute, Descriptor, Queue, Ring, Side, Variable};
use super::notes::{Notes, shown};

/// Lowers the queues, by name, without their descriptors.
/// Spec: docs/format/kbin.md "From queues" [observed; number of instances inferred].
pub fn lower(subgraph: &Subgraph, notes: &mut Notes) -> Vec<Queue> {
    let mut list: Vec<Queue> =
        subgraph.definition.queues.iter().map(|source| queue(subgraph, source, notes)).collect();
    list.sort_by(|a, b| a.name.cmp(&b.name));
    let whole = || Place::member(subgraph.definition_member.clone());
    let listed = list.len();
    list.dedup_by(|later, first| later.name == first.name);
    if list.len() < listed {
        let message = "two queues have the same name; the first one is shown";
        notes.find(Severity::Error, "kbin.queue-twice", whole(), message);
    }
    if list.len() > DMA_SLOTS {
        let message = format!(
            "there are {} queues and the root has room for 32; the others have no place in it",
            list.len()
        );
        notes.find(Severity::Error, "kbin.queues", whole(), message);
    }
    if list.iter().filter(|queue| queue.ring_type == RingType::DYNAMIC_ACT_TBL).count() > 1 {
        notes.refuse("kbin.act-queues", whole(), "more than one queue loads activation tables");
    }
    list
}

fn queue(subgraph: &Subgraph, source: &FileQueue, notes: &mut Notes) -> Queue {
    let at = Place {
        subgraph: Some(subgraph.name.clone()),
        ..Place::member_at(subgraph.definition_member.clone(), source.offset)
    };
    let name = shown(&source.name);
    if source.owner.is_none() {
        let owner = source.owner_text.as_deref().map(shown).unwrap_or_default();
        let text = format!("Invalid owner '{owner}' for DMA queue {name}");
        notes.stop("kbin.owner", at.clone(), text, &format!("the owner of `{name}` is no engine"));
    }
    if source.ring_type.is_none() {
        let message =
            format!("queue `{name}` has no known type, so no ring type; LAST stands here");
        notes.find(Severity::Error, "kbin.ring-type", at.clone(), message);
    }
    if source.semaphores.len() > MAX_SEMAPHORES {
        let text = format!(
            "Runtime supports maximum of 32 semaphores per queue set, found: {}",
            source.semaphores.len()
        );
        notes.stop("kbin.semaphores", at.clone(), text, &format!("`{name}` has too many"));
    }
    for key in ["pinned", "dge"] {
        if source.extra.contains_key(key) {
            let message = format!("`{key}` of queue `{name}` has no published bit in the flags");
            notes.find(Severity::Info, "kbin.queue-key", at.clone(), message);
        }
    }
    if source.embedding_update_sync_semaphore.is_some() {
        let message = format!(
            "`embedding_update_sync_semaphore` of queue `{name}` has no published place in its \
             record"
        );
        notes.find(Severity::Info, "kbin.queue-key", at, message);
    }
    let narrow =
        |value: Option<u64>| value.and_then(|value| u32::try_from(value).ok()).unwrap_or(0);
    let scratch = source.dynamic_dma.as_ref().map_or((0, 0), |dynamic| {
        (narrow(dynamic.scratch_partition_offset), narrow(dynamic.scratch_partition_size))
    });
    let mut rings: Vec<Ring> =
        instances(source).into_iter().map(|name| Ring { name, ..Ring::default() }).collect();
    if rings.is_empty() {
        rings.push(Ring { name: source.name.clone(), ..Ring::default() });
    }
    Queue {
        name: source.name.clone(),
        at: source.offset,
        ring_type: source.ring_type.map_or(RingType::LAST, |ring| RingType(ring.0 as i32)),
        ring_type_from: match source.ring_type {
            None => Provenance::Modelled,
            Some(_) if source.ring_type_inferred => Provenance::Inferred,
            Some(_) => Provenance::File,
        },
        owner: source.owner,
        queue_set_count: source.num_queues.unwrap_or(1),
        semaphores: source.semaphores.clone(),
        scratch,
        rings,
    }
}

/// Names of the instances that a queue lists: an array of names or of objects, or an object.
fn instances(source: &FileQueue) -> Vec<String> {
    let Some(value) = source.extra.get("queue_instances") else { return Vec::new() };
    if let Some(items) = value.as_array() {
        let name = |item: &_| -> Option<String> {
            let item: &serde_json::Value = item;
            item.as_str().or_else(|| item.get("name")?.as_str()).map(str::to_owned)
        };
        return items.iter().filter_map(name).collect();
    }
    value.as_object().map(|object| object.keys().cloned().collect()).unwrap_or_default()
}

/// Puts the descriptors of all blocks into the instances of their queues: blocks at graph level,
/// then those of each engine's document.
pub fn fill(
    package: &Package,
    subgraph: &Subgraph,
    variables: &[Variable],
    queues: &mut [Queue],
    notes: &mut Notes,
) {
    let mut names: BTreeMap<&str, u32> = BTreeMap::new();
    for (index, variable) in variables.iter().enumerate() {
        names.entry(&variable.name).or_insert(u32::try_from(index).unwrap_or(u32::MAX));
    }
    let mut rings: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for (at, queue) in queues.iter().enumerate() {
        for (instance, ring) in queue.rings.iter().enumerate() {
            rings.entry(ring.name.clone()).or_insert((at, instance));
        }
    }
    for (at, queue) in queues.iter().enumerate() {
        // The queue's own name leads to its first instance.
        rings.entry(queue.name.clone()).or_insert((at, 0));
    }
    let mut filler = Filler { names, rings, queues, notes };
    let blocks = package.graph_dma_blocks(subgraph, &mut filler.notes.findings);
    filler.blocks(None, &subgraph.definition_member, blocks);
    for engine in Engine::ALL {
        let program = subgraph.engine(engine);
        let blocks = package.dma_blocks(program, &mut filler.notes.findings);
        filler.blocks(Some(engine), program.json_member.as_deref().unwrap_or_default(), blocks);
    }
}

struct Filler<'a> {
    names: BTreeMap<&'a str, u32>,
    rings: BTreeMap<String, (usize, usize)>,
    queues: &'a mut [Queue],
    notes: &'a mut Notes,
}

impl Filler<'_> {
    fn blocks(&mut self, engine: Option<Engine>, member: &str, blocks: Vec<DmaBlock>) {
        for block in blocks {
            let at = Place::member_at(member, block.offset);
            let name = block.queue.as_deref().unwrap_or_default();
            let Some((queue, ring)) = self.rings.get(name).copied() else {
                let message =
                    format!("a DMA block is of queue `{}`, which is not declared", shown(name));
                self.notes.find(Severity::Error, "kbin.block-queue", at, message);
                continue;
            };
            if block.extra.contains_key("remote_semaphores") {
                let message = "`remote_semaphores` becomes descriptors whose layout is not \
                               published; they are left out";
                self.notes.find(Severity::Info, "kbin.remote-semaphores", at.clone(), message);
            }
            let function = block.extra.get("function_start").and_then(|value| {
                value.as_str().or_else(|| value.get("name")?.as_str()).map(str::to_owned)
            });
            let priority = block.extra.get("priority_class").and_then(|value| value.as_u64());
            let lowered: Vec<Descriptor> = block
                .descriptors
                .into_iter()
                .map(|source| self.descriptor(member, source))
                .collect();
            let Some(ring) = self.queues.get_mut(queue).and_then(|queue| queue.rings.get_mut(ring))
            else {
                continue;
            };
            // Tables are bounded far below 2^32 rows by the limits of the file.
            let number = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
            let index = number(ring.blocks.len());
            ring.blocks.push(Block {
                id: block.id.unwrap_or(0),
                engine,
                first: number(ring.descriptors.len()),
                count: number(lowered.len()),
                priority: priority.and_then(|value| u8::try_from(value).ok()).unwrap_or(0),
                function,
                comment: block.comment,
            });
            let of_block = lowered.into_iter().map(|one| Descriptor { block: index, ..one });
            ring.descriptors.extend(of_block);
        }
    }

    fn variable(&mut self, name: &str, at: &Place) -> Option<u32> {
        let found = self.names.get(name).copied();
        if found.is_none() {
            let message =
                format!("a descriptor names the variable `{}`, which is not there", shown(name));
            self.notes.find(Severity::Error, "kbin.desc-variable", at.clone(), message);
        }
        found
    }

    fn descriptor(&mut self, member: &str, source: DmaDescriptor) -> Descriptor {
        let at = Place::member_at(member, source.offset);
        let (op, op_from) = match source.op {
            DmaOp::Copy if source.op_text.is_none() => (DescOp::COPY, Provenance::Observed),
            DmaOp::Copy => (DescOp::COPY, Provenance::File),
            DmaOp::Cast => (DescOp::COPY, Provenance::Inferred),
            DmaOp::Fma => (DescOp::FMA, Provenance::File),
            DmaOp::Add => (DescOp::ADD, Provenance::File),
            DmaOp::Min => (DescOp::MIN, Provenance::File),
            DmaOp::Max => (DescOp::MAX, Provenance::File),
            DmaOp::Transpose => (DescOp::TRANSPOSE, Provenance::File),
            DmaOp::Unknown => {
                let text = source.op_text.as_deref().map(shown).unwrap_or_default();
                let text = format!("Unknown dma operation: {text}");
                self.notes.stop("kbin.dma-op", at.clone(), text, "the operation is unknown");
                (DescOp::INVALID, Provenance::Modelled)
            }
        };
        let sizes = source.from.sizes.iter().chain(&source.to.sizes);
        if sizes.clone().any(|size| *size == 0) {
            self.notes.stop("kbin.dma-size", at.clone(), "Size cannot be 0", "a size is 0");
        }
        let computes = op.compute_code().is_some();
        if computes && (source.from.dtype.is_none() || source.to.dtype.is_none()) {
            let text = "Invalid cce desc ap without dtype";
            let why = "a computing transfer has a side without an element type";
            self.notes.stop("kbin.cce-dtype", at.clone(), text, why);
        }
        let to_variable = self.variable(&source.to.variable, &at);
        let mut from_variables = vec![self.variable(&source.from.variable, &at)];
        for name in &source.from.more_variables {
            from_variables.push(self.variable(name, &at));
        }
        if from_variables.len() > MAX_SOURCES {
            let message = format!(
                "a descriptor has {} sources and its record room for 32",
                from_variables.len()
            );
            self.notes.find(Severity::Error, "kbin.sources", at.clone(), message);
            from_variables.truncate(MAX_SOURCES);
        }
        let compute = self.compute(&source, op, &at);
        Descriptor {
            at: source.offset,
            block: 0,
            op,
            op_from,
            is_cast: source.op == DmaOp::Cast || source.extra.contains_key("cast"),
            to_variable,
            to: self.side(source.to, &at),
            from_variables,
            from: self.side(source.from, &at),
            tiling: source.num_tiling_dimensions.unwrap_or(0),
            compute,
        }
    }

    fn side(&mut self, source: DmaSide, at: &Place) -> Side {
        let dimensions = source.sizes.len().max(source.steps.len());
        if dimensions > MAX_DIMENSIONS {
            let message = format!("a descriptor has {dimensions} dimensions and room for 8");
            self.notes.find(Severity::Error, "kbin.desc-rank", at.clone(), message);
        }
        let dtype = self.dtype(source.dtype.as_deref(), at);
        let Side { mut sizes, mut steps, .. } =
            Side { sizes: source.sizes, steps: source.steps, ..Side::default() };
        sizes.truncate(MAX_DIMENSIONS);
        steps.truncate(MAX_DIMENSIONS);
        Side { offset: source.offset, sizes, steps, dtype }
    }

    fn dtype(&mut self, text: Option<&str>, at: &Place) -> Dtype {
        let Some(text) = text else { return Dtype::INVALID };
        Dtype::of_text(text).unwrap_or_else(|| {
            let message = format!("`{}` is no known element type", shown(text));
            self.notes.find(Severity::Error, "kbin.dtype", at.clone(), message);
            Dtype::INVALID
        })
    }

    fn compute(&mut self, source: &DmaDescriptor, op: DescOp, at: &Place) -> Compute {
        match op {
            DescOp::FMA => {
                let dtype = self.dtype(source.scale_dtype.as_deref(), at);
                if source.scale_dtype.is_some() && dtype != Dtype::FP32 {
                    let message = "a scale has an element type other than float32";
                    self.notes.find(Severity::Error, "kbin.scale-dtype", at.clone(), message);
                }
                let one = source.scale.as_deref().and_then(|scale| scale.parse().ok());
                let several = source.extra.get("scale").and_then(|value| value.as_array());
                let scales: Vec<f32> = match (one, several) {
                    (Some(one), _) => vec![one; 1 + source.from.more_variables.len()],
                    (None, Some(list)) => {
                        list.iter().map(|item| item.as_f64().unwrap_or(0.0) as f32).collect()
                    }
                    (None, None) => Vec::new(),
                };
                Compute::Scale(dtype, scales.into_iter().take(MAX_SOURCES).collect())
            }
            DescOp::MIN | DescOp::MAX if source.constant.is_some() => {
                let dtype = self.dtype(source.constant_dtype.as_deref(), at);
                let value = source.constant.as_ref();
                let bits = value.and_then(|value| constant_bits(dtype, value));
                if bits.is_none() {
                    let message = "a constant does not fit its element type in 32 bits";
                    self.notes.find(Severity::Error, "kbin.constant", at.clone(), message);
                }
                Compute::Constant(dtype, bits.unwrap_or(0))
            }
            DescOp::ADD | DescOp::MIN | DescOp::MAX => Compute::Plain,
            DescOp::TRANSPOSE => Compute::Transpose(
                source.transpose_op.clone().unwrap_or_default(),
                source.transpose_shape.clone().unwrap_or_default(),
                source.transpose_element_size.unwrap_or(0),
            ),
            _ => Compute::None,
        }
    }
}

/// Bits of a constant: of a float for `float32`, of a whole number else.
fn constant_bits(dtype: Dtype, value: &serde_json::Value) -> Option<u32> {
    if matches!(dtype, Dtype::FP32 | Dtype::FP32R) {
        return Some((value.as_f64()? as f32).to_bits());
    }
    if let Some(number) = value.as_u64() {
        return u32::try_from(number).ok();
    }
    value.as_i64().and_then(|number| i32::try_from(number).ok()).map(|number| number as u32)
}
