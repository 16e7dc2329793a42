//! Answers `variable`: its record, its place, who uses it.

use super::kbin::{field_info, tree};
use super::kbin_about::Words;
use super::kbin_links::variable_page;
use super::placement::placed;
use super::started::place;
use super::transfer::{beyond, byte, unknown};
use crate::answer::{BufferRange, DescriptorUse, SCHEMA, SlotUse, VariableAnswer};
use crate::convert;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::neff_file::NeffFile;
use crate::plain::unquoted;
use crate::program::trigger;
use crate::request::Scope;
use kbin::Kbin;
use kbin::direct::Direct;
use kbin::lowering::model::{Arm, Descriptor, Queue, Side, Variable};
use kbin::memory_effects;
use kbin::patterns::room;
use kbin::reach::{Reach, out_of_bounds};
use kbin::record::RecordId;
use kbin::users::{Use, variables};
use records::Engine;
use records::kbin::names::MrType;
use records::payload::value::{LocalAddress, Place};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Descriptors and slots of one answer.
const MOST: usize = 1_000;
/// Ranges of the state buffer that are looked for.
const MOST_RANGES: usize = 256;

/// One variable.
///
/// # Errors
/// `variable.unknown`; `request.invalid` without a name and an id.
pub fn variable(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    name: Option<&str>,
    id: Option<u32>,
) -> Result<VariableAnswer, ApiError> {
    let (file, index, tree) = tree(files, scope)?;
    let at = match (name, id) {
        (Some(name), _) => tree.variable_of_key(&unquoted(name)),
        (None, Some(id)) => tree.variable(id).map(|(at, _)| at),
        (None, None) => return Err(ApiError::bad_request("a variable has a `name` or an `id`")),
    };
    let found = at.and_then(|at| Some((at, tree.variables.get(at)?)));
    let Some((at, variable)) = found else {
        let text = name.map_or_else(|| id.unwrap_or(0).to_string(), str::to_owned);
        return Err(unknown(&tree, "variable.unknown", "variable", &text));
    };
    let shape = tree.shape(RecordId::MemRefSet);
    let row = at as u64;
    let fields = tree.record_fields(file.package(), RecordId::MemRefSet, row, 1);
    let offset = shape.map_or(0, |shape| shape.header + row * shape.stride);
    let mut uses = Uses::default();
    for (queue_at, queue) in tree.queues.iter().enumerate() {
        for ring in 0..queue.rings.len() {
            uses.add(&tree, (queue_at, queue), ring, u32::try_from(at).unwrap_or(u32::MAX));
        }
    }
    let (total_slots, slots) = slots(file, index, &tree, (at, variable.id), &mut uses);
    let mut buffer = Buffer { ranges: uses.buffer, ..Buffer::default() };
    if variable.kind != MrType::SB {
        buffer.find(file, index, &tree);
    }
    let named_by = tree.variables.iter().enumerate().filter(|(_, other)| match &other.arm {
        Arm::Pointer { id, .. } => *id == variable.id,
        Arm::List(ids) => ids.contains(&variable.id),
        _ => false,
    });
    let named_by: Vec<(usize, &Variable)> = named_by.take(MOST).collect();
    let mut words = Words::of((file, index), &tree, variable.at, |about| {
        about.variables.contains(&(at as u32))
    });
    let placement = placed(files, scope, index, variable.id);
    let refusal =
        placement.as_ref().and_then(|one| one.refusal(convert::at(&tree.place(variable.at))));
    if let Some((gate, finding)) = refusal {
        words.gates.push(gate);
        words.diagnostics.push(finding);
    }
    Ok(VariableAnswer {
        schema: SCHEMA,
        subgraph: tree.subgraph.clone(),
        name: variable.name.clone(),
        id: variable.id,
        kind: variable.kind.name().unwrap_or("INVALID").to_owned(),
        offset,
        fields: fields
            .iter()
            .filter(|field| field.offset >= offset)
            .map(|field| field_info(&tree, RecordId::MemRefSet, field))
            .collect(),
        total_descriptors: uses.total,
        descriptors: uses.descriptors,
        total_slots,
        slots,
        place: placement.map(|one| one.place),
        buffer: buffer.ranges.into_iter().collect(),
        total_buffer_slots: buffer.total,
        buffer_slots: buffer.slots,
        page: variable_page(&tree, at),
        named_by: named_by.iter().map(|(_, other)| other.name.clone()).collect(),
        named_by_pages: named_by.iter().map(|(at, _)| variable_page(&tree, *at)).collect(),
        gates: words.gates,
        diagnostics: words.diagnostics,
    })
}

/// Descriptors of one variable, and the blocks that they are in.
#[derive(Default)]
struct Uses {
    total: u64,
    descriptors: Vec<DescriptorUse>,
    /// Engine whose document holds the block, queue or instance name, block id, role.
    blocks: BTreeSet<(Option<Engine>, String, u32, Use)>,
    /// What of the state buffer is at the other end.
    buffer: BTreeSet<BufferRange>,
}

impl Uses {
    /// The other side of a transfer, if it is in the state buffer.
    fn other(&mut self, tree: &Kbin, variable: Option<u32>, side: &Side, role: Use) {
        let is_buffer = |one: &Variable| one.kind == MrType::SB;
        let variable = variable.and_then(|at| tree.variables.get(at as usize));
        if variable.is_some_and(is_buffer)
            && self.buffer.len() < MOST_RANGES
            && let Some(range) = buffer_range(side, role)
        {
            self.buffer.insert(range);
        }
    }

    fn add(&mut self, tree: &Kbin, (queue_at, queue): (usize, &Queue), ring_at: usize, at: u32) {
        let Some(ring) = queue.rings.get(ring_at) else { return };
        for (row, descriptor) in ring.descriptors.iter().enumerate() {
            let block = ring.blocks.get(descriptor.block as usize);
            for role in roles(descriptor, at) {
                if let Some(block) = block {
                    let mut add = |name: &str| {
                        self.blocks.insert((block.engine, name.to_owned(), block.id, role));
                    };
                    add(&ring.name);
                    if ring_at == 0 {
                        add(&queue.name);
                    }
                }
                match role {
                    Use::Source => {
                        self.other(tree, descriptor.to_variable, &descriptor.to, role);
                    }
                    Use::Target => {
                        let from = descriptor.from_variables.first().copied().flatten();
                        self.other(tree, from, &descriptor.from, role);
                    }
                }
                self.total += 1;
                if self.descriptors.len() == MOST {
                    continue;
                }
                let side = match role {
                    Use::Source => &descriptor.from,
                    Use::Target => &descriptor.to,
                };
                let reach = Reach::of(side);
                let room = tree.variables.get(at as usize).and_then(room);
                self.descriptors.push(DescriptorUse {
                    record: tree.record_name(RecordId::Ring(queue_at, ring_at)),
                    row: row as u64,
                    queue: queue.name.clone(),
                    block: block.map_or(0, |block| block.id),
                    engine: block
                        .and_then(|block| block.engine)
                        .map(|engine| engine.name().to_owned()),
                    role: role.name().to_owned(),
                    op: descriptor.op.name().unwrap_or("INVALID").to_owned(),
                    start: reach.and_then(|reach| byte(reach.start)),
                    end: reach.and_then(|reach| byte(reach.end)),
                    touches: beyond(side),
                    elements: descriptor.need.most(),
                    out_of_bounds: room.is_some_and(|room| out_of_bounds(side, room)),
                });
            }
        }
    }
}

fn roles(descriptor: &Descriptor, at: u32) -> impl Iterator<Item = Use> {
    let source = descriptor.from_variables.contains(&Some(at)).then_some(Use::Source);
    let target = (descriptor.to_variable == Some(at)).then_some(Use::Target);
    source.into_iter().chain(target)
}

/// Records that name the variable, or trigger a block that touches it.
fn slots(
    file: &NeffFile,
    index: usize,
    tree: &Kbin,
    (at, id): (usize, u32),
    uses: &mut Uses,
) -> (u64, Vec<SlotUse>) {
    let (mut total, mut list) = (0, Vec::new());
    let room = tree.variables.get(at).and_then(room);
    let program = file.program(index);
    program.with_names(|names| {
        for (engine, stream) in Engine::ALL.into_iter().zip(file.streams(index)) {
            for (slot_at, slot) in stream.iter().enumerate() {
                let mut found = SlotUse::default();
                let named = match trigger(slot) {
                    Some((queue, block)) => {
                        let has = |role| {
                            [Some(engine), None].into_iter().any(|holder| {
                                uses.blocks.contains(&(holder, queue.clone(), block, role))
                            })
                        };
                        let both = (has(Use::Source), has(Use::Target));
                        (found.queue, found.block) = (Some(queue), Some(block));
                        both
                    }
                    None => {
                        let named = variables(slot, names.table);
                        let has = |role| named.contains(&(id, role));
                        (has(Use::Source), has(Use::Target))
                    }
                };
                let role = match named {
                    (true, true) => "both",
                    (true, false) => "source",
                    (false, true) => "target",
                    (false, false) => continue,
                };
                total += 1;
                let direct = Direct::of(slot, tree, names.table);
                if let Some(direct) = &direct {
                    if named.0 {
                        uses.other(tree, direct.to_variable, &direct.to, Use::Source);
                    }
                    if named.1 {
                        uses.other(tree, direct.from_variable, &direct.from, Use::Target);
                    }
                }
                if list.len() == MOST {
                    continue;
                }
                if let Some(direct) = direct {
                    let side = if named.0 { &direct.from } else { &direct.to };
                    let reach = Reach::of(side);
                    found.transfer = Some(format!("{}.{}", engine.name(), slot_at + 1));
                    found.start = reach.and_then(|reach| byte(reach.start));
                    found.end = reach.and_then(|reach| byte(reach.end));
                    found.touches = beyond(side);
                    found.out_of_bounds = room.is_some_and(|room| out_of_bounds(side, room));
                }
                let at = place(tree, engine, slot_at);
                list.push(SlotUse { at, role: role.to_owned(), ..found });
            }
        }
    });
    (total, list)
}

/// What a pattern touches of the state buffer: partitions, and bytes in each of them.
fn buffer_range(side: &Side, role: Use) -> Option<BufferRange> {
    let stride = i64::from(LocalAddress::PARTITION_STRIDE);
    Reach::of(side)?;
    let offset = i64::try_from(side.offset).ok()?;
    let (mut first, mut last) = (offset / stride, offset / stride);
    let (mut start, mut end) = (offset % stride, offset % stride);
    for (size, step) in side.sizes.iter().zip(&side.steps) {
        let span = i64::try_from(size - 1).ok()?.checked_mul(*step)?;
        let (low, high) = match step % stride == 0 {
            true => (&mut first, &mut last),
            false => (&mut start, &mut end),
        };
        let span = if step % stride == 0 { span / stride } else { span };
        let edge = if span < 0 { low } else { high };
        *edge = edge.checked_add(span)?;
    }
    let number = |value: i64| u32::try_from(value).ok();
    Some(BufferRange {
        first_partition: number(first)?,
        partitions: number(last.checked_sub(first)?.checked_add(1)?)?,
        start: number(start)?,
        end: number(end.checked_add(1)?)?,
        role: match role {
            Use::Source => "filled",
            Use::Target => "read",
        }
        .to_owned(),
    })
}

/// Compute records that touch bytes of the state buffer.
#[derive(Default)]
struct Buffer {
    ranges: BTreeSet<BufferRange>,
    total: u64,
    slots: Vec<SlotUse>,
}

impl Buffer {
    fn find(&mut self, file: &NeffFile, index: usize, tree: &Kbin) {
        if self.ranges.is_empty() {
            return;
        }
        for (engine, stream) in Engine::ALL.into_iter().zip(file.streams(index)) {
            for (at, slot) in stream.iter().enumerate() {
                let effects = memory_effects(slot);
                let role = match (self.meets(&effects.reads), self.meets(&effects.writes)) {
                    (true, true) => "both",
                    (true, false) => "source",
                    (false, true) => "target",
                    (false, false) => continue,
                };
                self.total += 1;
                if self.slots.len() < MOST {
                    let at = place(tree, engine, at);
                    let role = role.to_owned();
                    self.slots.push(SlotUse { at, role, ..SlotUse::default() });
                }
            }
        }
    }

    fn meets(&self, operands: &[kbin::effects::MemoryOperand]) -> bool {
        operands.iter().any(|operand| {
            let Place::StateBuffer { partition, byte } = operand.address.place() else {
                return false;
            };
            let Some((low, high)) = operand.extent() else { return false };
            let (first, last) = (i64::from(byte) + low, i64::from(byte) + high);
            let (p, n) = (u32::from(partition), u32::from(operand.partitions));
            self.ranges.iter().any(|range| {
                p < range.first_partition.saturating_add(range.partitions)
                    && range.first_partition < p + n
                    && first < i64::from(range.end)
                    && i64::from(range.start) <= last
            })
        })
    }
}
