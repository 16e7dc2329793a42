//! Expansion of one source record into its device slots.
//!
//! Most records stay as they are, byte for byte. A pseudo record of the runtime becomes none, one
//! or several. Where no real image shows the result, what stands here is a model and is tagged so.
//! Spec: docs/format/image.md "Expansion" [observed].

use std::collections::{BTreeMap, BTreeSet};

use neff::{Findings, Severity};
use records::build::{self, Draft, PoolArgument, Wait};
use records::{Provenance, Slot};

use crate::identify::{self, Function, op};
use crate::program::{Program, Queue, QueueKind};
use crate::recipe::{BARRIER_SEMAPHORE, MAX_QUEUES, QueueScope, Recipe, RecipeError};

/// What the layout has to do about the last slot of an expansion.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Fixup {
    /// Nothing.
    #[default]
    None,
    /// It becomes a branch to the start of the function with this name.
    Call(String),
    /// It becomes a branch to the start of POSTAMBLE.
    Exit,
    /// Its distance is that to the label with this id in the same function, if there is one.
    Label(u64),
}

/// The device slots of one record. None at all means that the record is deleted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expansion {
    /// Slots in order.
    pub slots: Vec<Slot>,
    /// How sure they are.
    pub provenance: Provenance,
    /// What is still open.
    pub fixup: Fixup,
}

/// Why some slots are a model. Ordered and free of duplicates.
pub type Reasons = BTreeSet<(Provenance, String)>;

/// Expands the records of one program.
pub struct Expander<'a> {
    program: Program<'a>,
    recipe: &'a Recipe<'a>,
    collective_slots: u32,
    groups: u32,
    /// Trigger payloads by queue number and counts: blocks of a queue mostly have the same.
    triggers: BTreeMap<(u32, u32, u32), Option<(Slot, Provenance)>>,
    /// The queue that the trigger before named, with its 32 name bytes.
    last_queue: Option<([u8; 32], u32, &'a Queue)>,
    /// Whether the record before was a collective that takes an extension.
    extension_expected: bool,
}

impl<'a> Expander<'a> {
    /// An expander with the slots of a collective trigger and the broadcast groups of a DMA
    /// trigger; both count at least 1.
    pub fn new(
        program: Program<'a>,
        recipe: &'a Recipe<'a>,
        collective_slots: u32,
        groups: u32,
    ) -> Self {
        Self {
            program,
            recipe,
            collective_slots: collective_slots.max(1),
            groups: groups.max(1),
            triggers: BTreeMap::new(),
            last_queue: None,
            extension_expected: false,
        }
    }

    /// Whether a record is copied as it is, so that it needs no expansion.
    #[inline]
    pub fn is_plain(slot: &Slot) -> bool {
        let opcode = slot.opcode_byte();
        !op::is_pseudo(opcode) && opcode != op::BRANCH
    }

    /// Expands the record at a stream slot of a function.
    pub fn expand(
        &mut self,
        at: u32,
        slot: &Slot,
        function: &Function,
        findings: &mut Findings,
        reasons: &mut Reasons,
    ) -> Result<Expansion, RecipeError> {
        let after_collective = std::mem::take(&mut self.extension_expected);
        Ok(match slot.opcode_byte() {
            op::DMA_TRIGGER => self.trigger(at, slot, findings, reasons)?,
            op::DMA_REARM => self.rearm(at, slot, findings, reasons)?,
            op::DMA_BARRIER => {
                let kept = Draft::of(*slot).u8(0, 0xA4).u8(1, build::WORD_LENGTH).slot();
                one(kept, Provenance::Inferred)
            }
            opcode if op::is_collective(opcode) => {
                self.extension_expected = opcode == op::COLLECTIVE2;
                modelled(
                    reasons,
                    format!(
                        "a collective trigger stands as {} slots: wait, trigger, completion",
                        self.collective_slots
                    ),
                );
                self.collective(slot)
            }
            op::EXTENSION => {
                if !after_collective {
                    findings.push(
                        Severity::Warning,
                        "image.extension-alone",
                        self.program.place(at),
                        "extension record without a collective trigger before it; it is deleted",
                    );
                }
                deleted()
            }
            // A label keeps its slot here; the assembly of its block binds and drops it.
            op::LABEL => one(*slot, Provenance::File),
            op::FUNCTION_BEGIN => deleted(),
            op::EMBEDDING_UPDATE => {
                modelled(reasons, "an embedding update stands as one tile of six slots");
                many(embedding_tile(slot), slot, Provenance::Modelled)
            }
            op::TENSOR_STORE | op::TENSOR_LOAD => {
                modelled(reasons, "tensor loads and stores keep their unresolved operands");
                let opcode = if slot.opcode_byte() == op::TENSOR_LOAD { 0xAA } else { 0xAB };
                one(Draft::of(*slot).u8(0, opcode).slot(), Provenance::Modelled)
            }
            op::FUNCTION_RETURN => self.function_return(slot, function, reasons)?,
            op::FUNCTION_CALL => {
                modelled(
                    reasons,
                    "a function call stands as two moves of the return address, as a byte offset in \
                     the image, and a branch; the device's register branch takes an address, so \
                     that the base has to be added once the image has its place",
                );
                let name = identify::name_in(slot);
                let save = build::move_immediate(0);
                // The placeholder keeps opcode and name until it is resolved.
                let placeholder = Draft::of(*slot).u32(0x04, 0).u32(0x08, 0).slot();
                let mut call = many(vec![save, save, placeholder], slot, Provenance::Modelled);
                call.fixup = Fixup::Call(name);
                call
            }
            op::SYNC_BARRIER => {
                let mut slots = vec![build::drain(0)];
                slots.extend(build::barrier_ladder(self.program.engine, BARRIER_SEMAPHORE));
                inferred(reasons, "a sync barrier is the barrier that was seen around programs");
                many(slots, slot, Provenance::Inferred)
            }
            op::CORE_BARRIER => {
                let semaphore = slot.u8_at(0x10);
                modelled(reasons, "a core barrier signals and waits for the semaphore it names");
                let signal = build::semaphore_add(semaphore, 1);
                let wait = build::semaphore_wait_then(semaphore, Wait::Ge, 1, 0x14, 1);
                many(vec![signal, wait], slot, Provenance::Modelled)
            }
            op::BRANCH if slot.u8_at(0x0E) == 3 => {
                Expansion { fixup: Fixup::Label(slot.u64_at(0x30)), ..one(*slot, Provenance::File) }
            }
            op::BRANCH => one(*slot, Provenance::File),
            op::BRANCH_PREFETCH => {
                modelled(reasons, "a prefetch hint has its target and distance where a branch has");
                let hint = Draft::of(build::branch_prefetch_hint(0))
                    .bytes(4, slot.bytes().get(4..0x0C).unwrap_or(&[]))
                    .slot();
                Expansion {
                    fixup: Fixup::Label(slot.u64_at(0x30)),
                    ..one(hint, Provenance::Modelled)
                }
            }
            op::INSTRUCTION if slot.u8_at(0x0C) == 1 => {
                Expansion { fixup: Fixup::Exit, ..one(*slot, Provenance::Inferred) }
            }
            opcode if op::is_pseudo(opcode) => {
                modelled(
                    reasons,
                    format!(
                        "pseudo record {opcode:#04x} stays one slot: its expansion is in no image"
                    ),
                );
                one(*slot, Provenance::Modelled)
            }
            _ => one(*slot, Provenance::File),
        })
    }

    /// The short way for the common DMA trigger: the same queue as before, counts met before, one
    /// group. Anything else goes through [`Expander::expand`].
    #[inline]
    pub fn repeat_trigger(&self, slot: &Slot) -> Option<(Slot, Provenance)> {
        let (name, number, queue) = self.last_queue.as_ref()?;
        if slot.opcode_byte() != op::DMA_TRIGGER
            || slot.bytes().get(0x0C..0x2C)? != name
            || slot.u8_at(0x2C) != 0
            || self.groups != 1
            || self.extension_expected
        {
            return None;
        }
        let counts = queue.block(slot.u32_at(0x30))?.counts;
        let (payload, provenance) = (*self.triggers.get(&(*number, counts.read, counts.write))?)?;
        if counts.provenance == Provenance::Modelled {
            return None;
        }
        Some((with_header_of(payload, slot), provenance.max(counts.provenance)))
    }

    fn trigger(
        &mut self,
        at: u32,
        slot: &Slot,
        findings: &mut Findings,
        reasons: &mut Reasons,
    ) -> Result<Expansion, RecipeError> {
        let Some((number, queue)) = self.queue_of(at, slot, findings) else {
            modelled(reasons, "a DMA trigger without a known queue stays as it is");
            return Ok(one(*slot, Provenance::Modelled));
        };
        if let Some(name) = slot.bytes().get(0x0C..0x2C).and_then(|name| name.try_into().ok()) {
            self.last_queue = Some((name, number, queue));
        }
        let block = slot.u32_at(0x30);
        let counts = if slot.u8_at(0x2C) != 0 {
            modelled(reasons, "a raw count of a DMA trigger is taken for both sides");
            Some((block, block, Provenance::Modelled))
        } else {
            queue
                .block(block)
                .map(|block| (block.counts.read, block.counts.write, block.counts.provenance))
        };
        let Some((read, write, sure)) = counts else {
            findings.push(
                Severity::Warning,
                "image.block-unknown",
                self.program.place(at),
                format!("queue `{}` has no block {block}; its trigger stays as it is", queue.name),
            );
            modelled(reasons, "a DMA trigger without a known block stays as it is");
            return Ok(one(*slot, Provenance::Modelled));
        };
        let made = match self.triggers.get(&(number, read, write)) {
            Some(made) => *made,
            None => {
                let scope = QueueScope { number, queue, counts: (read, write) };
                let made = self.recipe.trigger(scope)?;
                self.triggers.insert((number, read, write), made);
                made
            }
        };
        let Some((payload, provenance)) = made else {
            modelled(
                reasons,
                format!("a trigger of a `{}` queue stays as it is", queue.kind.word()),
            );
            return Ok(one(*slot, Provenance::Modelled));
        };
        if sure == Provenance::Modelled {
            modelled(reasons, "descriptor counts of shapes that no capture shows");
        }
        let provenance = provenance.max(sure);
        if self.groups == 1 {
            return Ok(one(with_header_of(payload, slot), provenance));
        }
        modelled(reasons, format!("a DMA trigger writes {} broadcast groups", self.groups));
        let bare = vec![payload; self.groups as usize];
        Ok(many(bare, slot, Provenance::Modelled))
    }

    fn rearm(
        &mut self,
        at: u32,
        slot: &Slot,
        findings: &mut Findings,
        reasons: &mut Reasons,
    ) -> Result<Expansion, RecipeError> {
        modelled(reasons, "a rearm record does what the end of a program does for its queue");
        if let Some((number, queue)) = self.queue_of(at, slot, findings) {
            let scope = QueueScope { number, queue, counts: (0, 0) };
            let slots: Vec<Slot> =
                self.recipe.rearm(scope)?.into_iter().map(|piece| piece.slot).collect();
            if !slots.is_empty() {
                return Ok(many(slots, slot, Provenance::Modelled));
            }
        }
        Ok(one(*slot, Provenance::Modelled))
    }

    /// Wait first, triggers in between, completion last; with one slot all in one.
    fn collective(&self, slot: &Slot) -> Expansion {
        let n = self.collective_slots as usize;
        let write = Draft::new(0xA5).slot();
        let mut slots = vec![write; n];
        if n > 1
            && let Some(first) = slots.first_mut()
        {
            *first = build::nop();
        }
        if n > 2
            && let Some(last) = slots.last_mut()
        {
            *last = build::nop();
        }
        many(slots, slot, Provenance::Modelled)
    }

    fn function_return(
        &self,
        slot: &Slot,
        function: &Function,
        reasons: &mut Reasons,
    ) -> Result<Expansion, RecipeError> {
        modelled(reasons, "a function return stands as drain, barrier and register branch");
        let engine = self.program.engine;
        let mut slots = vec![build::drain(0)];
        slots.extend(build::barrier_ladder(engine, BARRIER_SEMAPHORE));
        if function.reset_semaphores {
            let reset = self.recipe.step("semaphore-reset")?;
            slots.extend(reset.into_iter().map(|piece| piece.slot));
            slots.extend(build::barrier_ladder(engine, BARRIER_SEMAPHORE));
        }
        slots.push(build::branch_register(function.return_low, function.return_high));
        Ok(many(slots, slot, Provenance::Modelled))
    }

    /// The queue that a record names; an unknown name and a queue without a recipe are findings.
    fn queue_of(&self, at: u32, slot: &Slot, findings: &mut Findings) -> Option<(u32, &'a Queue)> {
        let name = identify::text_of(slot.bytes().get(0x0C..0x2C).unwrap_or(&[]));
        let found = self.program.subgraph.queue(&name);
        let problem = match found {
            None => format!("queue `{name}` is not declared"),
            Some((number, _)) if number as usize >= MAX_QUEUES => {
                format!("queue `{name}` is beyond the {MAX_QUEUES} queues that there is room for")
            }
            Some((_, queue)) if queue.kind == QueueKind::Dynamic => {
                format!("queue `{name}` is dynamic and has no blocks to trigger")
            }
            Some(_) => return found,
        };
        findings.push(
            Severity::Warning,
            "image.queue-unknown",
            self.program.place(at),
            format!("{problem}; the record stays as it is"),
        );
        None
    }
}

/// Opcode and payload of one record, length, debug bytes and events of another.
#[inline]
fn with_header_of(payload: Slot, source: &Slot) -> Slot {
    let mut slot = payload;
    if let (Some(to), Some(from)) = (slot.0.get_mut(1..0x0C), source.0.get(1..0x0C)) {
        to.copy_from_slice(from);
    }
    slot
}

fn one(slot: Slot, provenance: Provenance) -> Expansion {
    Expansion { slots: vec![slot], provenance, fixup: Fixup::None }
}

fn deleted() -> Expansion {
    Expansion { slots: Vec::new(), provenance: Provenance::Observed, fixup: Fixup::None }
}

/// Several slots for one record: its wait goes to the first, its update to the last, and with them
/// the value that both share.
fn many(mut slots: Vec<Slot>, source: &Slot, provenance: Provenance) -> Expansion {
    if let Some(first) = slots.first_mut() {
        let wait = source.bytes().get(0x04..0x06).unwrap_or(&[]);
        if source.u8_at(0x04) != 0 {
            *first = Draft::of(*first).bytes(0x04, wait).u32(0x08, source.u32_at(0x08)).slot();
        }
    }
    if let Some(last) = slots.last_mut() {
        let update = source.bytes().get(0x06..0x08).unwrap_or(&[]);
        if source.u8_at(0x06) != 0 {
            *last = Draft::of(*last).bytes(0x06, update).u32(0x08, source.u32_at(0x08)).slot();
        }
    }
    Expansion { slots, provenance, fixup: Fixup::None }
}

/// Two halves of the base, the size, the arguments, then drain and completion.
fn embedding_tile(slot: &Slot) -> Vec<Slot> {
    let base = slot.u32_at(0x2C);
    vec![
        build::write(0, u64::from(base)),
        build::write(0, 0),
        build::write(0, u64::from(slot.u32_at(0x30))),
        build::load_pool_argument(PoolArgument {
            table: u64::from(base),
            ..PoolArgument::default()
        }),
        build::drain(0),
        Draft::new(0xA0).slot(),
    ]
}

fn modelled(reasons: &mut Reasons, text: impl Into<String>) {
    reasons.insert((Provenance::Modelled, text.into()));
}

fn inferred(reasons: &mut Reasons, text: impl Into<String>) {
    reasons.insert((Provenance::Inferred, text.into()));
}
