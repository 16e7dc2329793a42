//! Blocks become descriptors of the instances of their queues.

use std::collections::BTreeMap;

use neff::doc::{DmaBlock, DmaDescriptor, DmaOp, DmaSide};
use neff::{Package, Place, Severity, Subgraph};
use records::kbin::descriptor::MAX_SOURCES;
use records::kbin::names::{DescOp, Dtype};
use records::kbin::variable::MAX_DIMENSIONS;
use records::{Engine, Provenance};
use serde_json::Value;

use super::model::{Block, Compute, Descriptor, Queue, Side, Variable};
use super::notes::{Notes, shown};
use super::numbers::{Origin, Origins, Source};
use super::{semaphores, transfers};
use crate::need::{Need, SEEN_QUEUES, is_cast, of_descriptor};

/// Bytes of a function's name.
/// Spec: docs/format/kbin.md "Descriptor" [observed].
const MAX_FUNCTION_BYTES: usize = 256;
/// What a side's element type may be.
const DTYPE: &str = "the name of an element type";

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
    let mut filler = Filler { names, rings, seen: BTreeMap::new(), queues, notes };
    let blocks = package.graph_dma_blocks(subgraph, &mut filler.notes.findings);
    filler.blocks(None, &subgraph.definition_member, blocks);
    for engine in Engine::ALL {
        let program = subgraph.engine(engine);
        let blocks = package.dma_blocks(program, &mut filler.notes.findings);
        filler.blocks(Some(engine), program.json_member.as_deref().unwrap_or_default(), blocks);
    }
}

/// Engine of the document, queue and ring, id of a block.
type BlockKey = (Option<Engine>, (usize, usize), u32);

struct Filler<'a> {
    names: BTreeMap<&'a str, u32>,
    rings: BTreeMap<String, (usize, usize)>,
    /// Blocks by engine, ring and id: where they are.
    seen: BTreeMap<BlockKey, u64>,
    queues: &'a mut [Queue],
    notes: &'a mut Notes,
}

impl Filler<'_> {
    fn blocks(&mut self, engine: Option<Engine>, member: &str, blocks: Vec<DmaBlock>) {
        for (number, block) in blocks.into_iter().enumerate() {
            let path = || format!("/dma/{number}");
            let at = Place::member_at(member, block.offset);
            let name = block.queue.as_deref().unwrap_or_default();
            let Some((queue, ring)) = self.rings.get(name).copied() else {
                let message =
                    format!("a DMA block is of queue `{}`, which is not declared", shown(name));
                self.notes.find(Severity::Error, "kbin.block-queue", at, message);
                continue;
            };
            if let (Some(semaphore), Some(queue)) = (block.semaphore, self.queues.get(queue)) {
                let queue = (queue.name.as_str(), queue.semaphores.as_slice());
                semaphores::block(semaphore, queue, &at, self.notes);
            }
            if block.extra.contains_key("section_start_desc") {
                let message = "`section_start_desc` of a block has no published place in its \
                               descriptors";
                self.notes.find(Severity::Info, "kbin.block-key", at.clone(), message);
            }
            if block.extra.contains_key("remote_semaphores") {
                let message = "`remote_semaphores` becomes descriptors whose layout is not \
                               published; they are left out";
                self.notes.find(Severity::Info, "kbin.remote-semaphores", at.clone(), message);
            }
            let function = block.extra.get("function_start").and_then(|value| {
                value.as_str().or_else(|| value.get("name")?.as_str()).map(str::to_owned)
            });
            let from = Source { at: &at, path: &path, extra: &block.extra };
            let mut origins = Origins::default();
            let (id, origin) = self.notes.number(&from, "id", block.id, (0, Origin::Default));
            origins.put(&Block::FIELDS, 5_432, origin);
            let first = *self.seen.entry((engine, (queue, ring), id)).or_insert(block.offset);
            if first != block.offset {
                let message = format!(
                    "two blocks of `{}` have the id {id}, at bytes {first:#x} and {:#x} of `{}`; a \
                     trigger cannot tell them apart",
                    shown(name),
                    block.offset,
                    shown(member)
                );
                self.notes.find(Severity::Error, "kbin.block-twice", at.clone(), message);
            }
            let (priority, origin) =
                self.notes.number(&from, "priority_class", None::<u8>, (0, Origin::Default));
            origins.put(&Block::FIELDS, 5_448, origin);
            if let Some(name) = function.as_ref().filter(|name| name.len() > MAX_FUNCTION_BYTES) {
                let message = format!(
                    "the function `{}` has a name of {} bytes, {MAX_FUNCTION_BYTES} are the most",
                    shown(name),
                    name.len()
                );
                self.notes.find(Severity::Error, "kbin.function-name", at.clone(), message);
            }
            let text = "the name of a function";
            let origin = self.notes.origin(&from, "function_start", function.is_some(), text);
            origins.put(&Block::FIELDS, 5_440, origin);
            let hardware =
                self.queues.get(queue).map_or(SEEN_QUEUES, |queue| queue.hardware_queues);
            let lowered: Vec<Descriptor> = block
                .descriptors
                .into_iter()
                .enumerate()
                .map(|(at, source)| {
                    let need = of_descriptor(&source, hardware);
                    Descriptor { need, ..self.descriptor(member, (number, at), source) }
                })
                .collect();
            let Some(ring) = self.queues.get_mut(queue).and_then(|queue| queue.rings.get_mut(ring))
            else {
                continue;
            };
            // Tables are bounded far below 2^32 rows by the limits of the file.
            let number = |len: usize| u32::try_from(len).unwrap_or(u32::MAX);
            let index = number(ring.blocks.len());
            ring.blocks.push(Block {
                id,
                engine,
                first: number(ring.descriptors.len()),
                count: number(lowered.len()),
                priority,
                function,
                comment: block.comment,
                origins,
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

    fn descriptor(
        &mut self,
        member: &str,
        (block, index): (usize, usize),
        source: DmaDescriptor,
    ) -> Descriptor {
        let at = Place::member_at(member, source.offset);
        let path = || format!("/dma/{block}/desc/{index}");
        let from = Source { at: &at, path: &path, extra: &source.extra };
        let (op, op_from) = match source.op {
            // What is no text is told with the document.
            DmaOp::Copy if source.extra.get("op").is_some_and(|op| !op.is_null()) => {
                (DescOp::COPY, Provenance::Modelled)
            }
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
        let mut origins = Origins::default();
        transfers::operands(&source, op, &from, self.notes);
        let compute = self.compute(&source, op, &from, &mut origins);
        let (tiling, origin) = self.notes.number(
            &from,
            "num_tiling_dimensions",
            source.num_tiling_dimensions,
            (0, Origin::Default),
        );
        origins.put(&Descriptor::FIELDS, 5_288, origin);
        let to = self.side(&source.to, (&from, TO_KEYS, Descriptor::TO), &mut origins);
        let from = self.side(&source.from, (&from, FROM_KEYS, Descriptor::FROM), &mut origins);
        Descriptor {
            at: source.offset,
            block: 0,
            op,
            op_from,
            is_cast: is_cast(&source),
            need: Need::NONE,
            to_variable,
            to,
            from_variables,
            from,
            tiling,
            compute,
            origins,
        }
    }

    /// A side, with the origins of its fields; its first byte in the record is given.
    fn side(
        &mut self,
        source: &DmaSide,
        (from, keys, base): (&Source<'_>, [&str; 4], u64),
        origins: &mut Origins,
    ) -> Side {
        let [offset_key, sizes_key, steps_key, dtype_key] = keys;
        let mut put = |at, origin| origins.put(&Descriptor::FIELDS, base + at, origin);
        let (offset, origin) =
            self.notes.number(from, offset_key, source.offset, (0, Origin::Default));
        put(8, origin);
        let expected = "an array of numbers";
        let mut list = |at, key, is_read| {
            put(at, self.notes.origin(from, key, is_read, expected));
        };
        list(24, steps_key, !source.steps.is_empty());
        list(88, sizes_key, !source.sizes.is_empty());
        let (dtype, origin) = self.dtype(source.dtype.as_deref(), dtype_key, from);
        put(152, origin);
        let dimensions = source.sizes.len().max(source.steps.len());
        if dimensions > MAX_DIMENSIONS {
            let message = format!("a descriptor has {dimensions} dimensions and room for 8");
            self.notes.find(Severity::Error, "kbin.desc-rank", from.at.clone(), message);
            put(24, Origin::Unfit);
            put(88, Origin::Unfit);
        }
        Side {
            offset,
            sizes: source.sizes.iter().copied().take(MAX_DIMENSIONS).collect(),
            steps: source.steps.iter().copied().take(MAX_DIMENSIONS).collect(),
            dtype,
        }
    }

    fn dtype(&mut self, text: Option<&str>, key: &str, from: &Source<'_>) -> (Dtype, Origin) {
        let Some(text) = text else {
            return (Dtype::INVALID, self.notes.origin(from, key, false, DTYPE));
        };
        if let Some(known) = Dtype::of_text(text) {
            return (known, Origin::File);
        }
        let message = format!("`{}` is no known element type", shown(text));
        self.notes.find(Severity::Error, "kbin.dtype", from.at.clone(), message);
        (Dtype::INVALID, Origin::Unfit)
    }

    fn compute(
        &mut self,
        source: &DmaDescriptor,
        op: DescOp,
        from: &Source<'_>,
        origins: &mut Origins,
    ) -> Compute {
        let mut put = |at, origin| origins.put(&Descriptor::FIELDS, Descriptor::ARM + at, origin);
        match op {
            DescOp::FMA => {
                let (dtype, origin) =
                    self.dtype(source.scale_dtype.as_deref(), "scale_dtype", from);
                put(0, origin);
                if source.scale_dtype.is_some() && dtype != Dtype::FP32 {
                    let message = "a scale has an element type other than float32";
                    self.notes.find(Severity::Error, "kbin.scale-dtype", from.at.clone(), message);
                }
                let (scales, origin) = self.scales(source, from);
                put(4, origin);
                Compute::Scale(dtype, scales)
            }
            DescOp::MIN | DescOp::MAX if source.constant.is_some() => {
                let (dtype, origin) =
                    self.dtype(source.constant_dtype.as_deref(), "constant_dtype", from);
                put(4, origin);
                let value = source.constant.as_ref();
                let bits = value.and_then(|value| constant_bits(dtype, value));
                if bits.is_none() {
                    let message = "a constant does not fit its element type in 32 bits";
                    self.notes.find(Severity::Error, "kbin.constant", from.at.clone(), message);
                    put(8, Origin::Unfit);
                }
                Compute::Constant(dtype, bits.unwrap_or(0))
            }
            DescOp::ADD | DescOp::MIN | DescOp::MAX => Compute::Plain,
            DescOp::TRANSPOSE => Compute::Transpose(
                source.transpose_op.clone().unwrap_or_default(),
                source.transpose_shape.clone().unwrap_or_default(),
                source.transpose_element_size,
            ),
            _ => Compute::None,
        }
    }

    /// One scale for each source: the same for all, or a list.
    fn scales(&mut self, source: &DmaDescriptor, from: &Source<'_>) -> (Vec<f32>, Origin) {
        const FLOAT: &str = "at most 32 numbers of 32-bit floating point";
        let count = (1 + source.from.more_variables.len()).min(MAX_SOURCES);
        if let Some(text) = &source.scale {
            if let Some(one) = text.parse().ok().filter(|one: &f32| one.is_finite()) {
                return (vec![one; count], Origin::File);
            }
            self.notes.unfit(from, "scale", &shown(text), FLOAT);
            return (Vec::new(), Origin::Unfit);
        }
        let Some(list) = source.extra.get("scale").and_then(Value::as_array) else {
            return (Vec::new(), self.notes.origin(from, "scale", false, FLOAT));
        };
        let read: Vec<Option<f32>> = list.iter().map(float).collect();
        let scales = read.iter().take(MAX_SOURCES).map(|one| one.unwrap_or(0.0)).collect();
        let wrong = read.iter().position(Option::is_none);
        if wrong.is_none() && read.len() <= MAX_SOURCES {
            return (scales, Origin::File);
        }
        let written = match wrong.and_then(|at| list.get(at)) {
            Some(value) => format!("an array with {}", shown(&value.to_string())),
            None => format!("an array of {}", read.len()),
        };
        self.notes.unfit(from, "scale", &written, FLOAT);
        (scales, Origin::Unfit)
    }
}

/// Keys of a side: offset, sizes, steps, element type.
const TO_KEYS: [&str; 4] = ["to_off", "to_sizes", "to_steps", "to_dtype"];
const FROM_KEYS: [&str; 4] = ["from_off", "from_sizes", "from_steps", "from_dtype"];

/// A number as 32-bit floating point; `None` where it is beyond it.
fn float(value: &Value) -> Option<f32> {
    Some(value.as_f64()? as f32).filter(|one| one.is_finite())
}

/// Bits of a constant: of a float for `float32`, of a whole number else.
fn constant_bits(dtype: Dtype, value: &Value) -> Option<u32> {
    if matches!(dtype, Dtype::FP32 | Dtype::FP32R) {
        return float(value).map(f32::to_bits);
    }
    if let Some(number) = value.as_u64() {
        return u32::try_from(number).ok();
    }
    value.as_i64().and_then(|number| i32::try_from(number).ok()).map(|number| number as u32)
}
