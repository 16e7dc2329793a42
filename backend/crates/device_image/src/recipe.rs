//! Evaluates a profile for one engine: the synthesized slots of PREAMBLE and POSTAMBLE, each with
//! the step that made it. Branches between steps stay open until the image is laid out.
//! Spec: docs/format/profiles.md "Steps" [observed].

mod macros;

use std::cell::Cell;
use std::collections::BTreeMap;

use records::build::{self, Draft};
use records::{Engine, Provenance, Slot};

use crate::condition::{Condition, Gate};
use crate::expr::{Expr, ExprError, Value};
use crate::identify::op;
use crate::inputs::Inputs;
use crate::profile::{Profile, Step};
use crate::program::{Program, Queue, QueueKind};
use crate::record_text::{Form, Line, Target};
use crate::text_place::TextPlace;

/// Semaphore of the barrier of the five engines.
/// Spec: docs/format/profiles.md "Barrier" [observed].
pub const BARRIER_SEMAPHORE: u8 = 2;

/// Most queues of a subgraph that the runtime has room for.
/// Spec: docs/format/profiles.md "Queues" [observed].
pub const MAX_QUEUES: usize = 32;

/// Most slots of PREAMBLE, and of POSTAMBLE; a hostile profile cannot fill the memory. The runtime
/// has room for 1,024 in POSTAMBLE.
const MAX_REGION_SLOTS: usize = 1 << 16;

/// Why a profile cannot be evaluated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RecipeError {
    /// A value of a step cannot be computed.
    #[error("{place}step `{step}` on {engine}: {error}", place = place_text(at.as_deref()))]
    Value {
        /// Place in the text of the profile.
        at: Option<Box<TextPlace>>,
        /// Profile name.
        profile: String,
        /// Step id.
        step: String,
        /// Engine.
        engine: Engine,
        /// What is wrong.
        error: ExprError,
    },
    /// A named value cannot be computed.
    #[error("{place}value `{name}` on {engine}: {error}", place = place_text(at.as_deref()))]
    Symbol {
        /// Place in the text of the profile.
        at: Option<Box<TextPlace>>,
        /// Profile name.
        profile: String,
        /// Name of the value.
        name: String,
        /// Engine.
        engine: Engine,
        /// What is wrong.
        error: ExprError,
    },
    /// A region gets more slots than are accepted.
    #[error("profile `{profile}`, step `{step}`: its region has more than {most} slots")]
    TooManySlots {
        /// Profile name.
        profile: String,
        /// Step id.
        step: String,
        /// Most slots accepted.
        most: usize,
    },
}

fn place_text(at: Option<&TextPlace>) -> String {
    at.map_or(String::new(), |at| format!("line {}, column {}: ", at.line, at.column))
}

/// A synthesized slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// The record; the distance of an open branch is still 0.
    pub slot: Slot,
    /// Index of the step in the profile.
    pub step: u16,
    /// How sure the record is.
    pub provenance: Provenance,
    /// Index of the step to whose first slot it branches.
    pub branch_to: Option<u16>,
}

/// The synthesized slots of one region.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pieces {
    /// Slots in order.
    pub slots: Vec<Piece>,
    /// Slot at which each step begins, by step index; also for steps without a slot here.
    pub starts: BTreeMap<u16, usize>,
    /// Slots at which a new patch row begins; without the first.
    pub row_breaks: Vec<usize>,
    /// Slot at which the model-switch part begins.
    pub model_switch: Option<usize>,
}

/// Evaluates a profile for one engine.
pub struct Recipe<'a> {
    profile: &'a Profile,
    program: Program<'a>,
    inputs: &'a Inputs,
    symbols: BTreeMap<&'a str, Value>,
    /// Whether the stream triggers a collective operation.
    collectives: bool,
}

/// A queue in scope, with the descriptor counts of a trigger if there is one.
#[derive(Clone, Copy)]
pub struct QueueScope<'a> {
    /// Queue number.
    pub number: u32,
    /// The queue.
    pub queue: &'a Queue,
    /// Counts on the read and write side.
    pub counts: (u32, u32),
}

/// Where the least sure input comes from that went into a record; `None` while none did.
type Touched = Cell<Option<Provenance>>;

impl<'a> Recipe<'a> {
    /// Prepares the named values. Fails if one of them cannot be computed.
    pub fn new(
        profile: &'a Profile,
        program: Program<'a>,
        inputs: &'a Inputs,
    ) -> Result<Self, RecipeError> {
        let plain = |number: u64| Value { number, from_input: None };
        let input = |number: u64, name: &str| Value {
            number,
            from_input: Some(inputs.provenance_of(name)),
        };
        let collectives = profile.asks(Gate::Collectives)
            && program.slots.iter().any(|slot| op::is_collective(slot.opcode_byte()));
        let mut recipe = Self { profile, program, inputs, symbols: BTreeMap::new(), collectives };
        recipe.symbols.extend([
            ("CORE", input(u64::from(inputs.core), Inputs::CORE)),
            ("E", plain(u64::from(program.engine.code()))),
            ("SUBGRAPH", plain(u64::from(program.subgraph.index))),
            ("IO_QUEUES", plain(u64::from(program.subgraph.io_queues()))),
            ("P", input(inputs.request_page, Inputs::REQUEST_PAGE)),
            ("DVE_READ", input(inputs.dve_table[0], Inputs::DVE_TABLE)),
            ("DVE_WRITE", input(inputs.dve_table[1], Inputs::DVE_TABLE)),
            ("ACT_READ", input(inputs.act_table[0], Inputs::ACT_TABLE)),
            ("ACT_WRITE", input(inputs.act_table[1], Inputs::ACT_TABLE)),
        ]);
        for symbol in &profile.symbols {
            let Some(Some(expr)) = symbol.values.get(program.engine.index()) else { continue };
            let value = recipe.eval(expr, None, &Touched::default()).map_err(|error| {
                RecipeError::Symbol {
                    at: symbol.places.get(program.engine.index()).copied().flatten().map(Box::new),
                    profile: profile.name.clone(),
                    name: symbol.name.clone(),
                    engine: program.engine,
                    error,
                }
            })?;
            recipe.symbols.insert(&symbol.name, value);
        }
        Ok(recipe)
    }

    /// A named value of this engine.
    pub fn symbol(&self, name: &str) -> Option<u64> {
        self.symbols.get(name).map(|value| value.number)
    }

    /// The slots of PREAMBLE.
    pub fn preamble(&self) -> Result<Pieces, RecipeError> {
        self.region(0..self.profile.preamble_steps)
    }

    /// The slots of POSTAMBLE.
    pub fn postamble(&self) -> Result<Pieces, RecipeError> {
        self.region(self.profile.preamble_steps..self.profile.steps.len())
    }

    /// The slots of the step with an id, without open branches; empty if there is none.
    pub fn step(&self, id: &str) -> Result<Vec<Piece>, RecipeError> {
        let mut pieces = Pieces::default();
        if let Some(at) = self.profile.steps.iter().position(|step| step.id == id) {
            self.add_step(at, &mut pieces)?;
        }
        Ok(pieces.slots)
    }

    /// The record of a DMA trigger of a queue: opcode and payload, no events. `None` if no recipe
    /// for the queue's type is known.
    pub fn trigger(
        &self,
        scope: QueueScope<'_>,
    ) -> Result<Option<(Slot, Provenance)>, RecipeError> {
        let line = match scope.queue.kind {
            QueueKind::In | QueueKind::Out => &self.profile.trigger.io,
            QueueKind::Data => &self.profile.trigger.data,
            QueueKind::Dynamic | QueueKind::Other(_) => return Ok(None),
        };
        let slots = self.line(line, 0, self.profile.provenance, Some(scope));
        let slots = slots.map_err(|error| self.value_error("trigger", line.at, error))?;
        Ok(slots.first().map(|piece| (piece.slot, piece.provenance)))
    }

    /// The records that rearm one queue, as in the step `rearm`.
    pub fn rearm(&self, scope: QueueScope<'_>) -> Result<Vec<Piece>, RecipeError> {
        let mut out = Vec::new();
        let steps = (0_u16..).zip(&self.profile.steps).filter(|(_, step)| step.id == "rearm");
        for (at, step) in steps {
            for line in step.lines.get(self.program.engine.index()).into_iter().flatten() {
                let made = self.line(line, at, step.provenance, Some(scope));
                out.extend(made.map_err(|error| self.value_error(&step.id, line.at, error))?);
                self.check_room(&step.id, out.len())?;
            }
        }
        Ok(out)
    }

    /// The queues of this engine that have a set-up, with their numbers.
    pub fn owned_queues(&self) -> impl Iterator<Item = QueueScope<'a>> {
        let engine = self.program.engine;
        (0_u32..)
            .zip(&self.program.subgraph.queues)
            .take(MAX_QUEUES)
            .filter(move |(_, queue)| queue.owner == engine && queue.kind.has_recipe())
            .map(|(number, queue)| QueueScope { number, queue, counts: (0, 0) })
    }

    fn region(&self, steps: std::ops::Range<usize>) -> Result<Pieces, RecipeError> {
        let mut pieces = Pieces::default();
        for at in steps {
            self.add_step(at, &mut pieces)?;
        }
        Ok(pieces)
    }

    fn add_step(&self, at: usize, pieces: &mut Pieces) -> Result<(), RecipeError> {
        let Some(step) = self.profile.steps.get(at) else { return Ok(()) };
        let index = u16::try_from(at).unwrap_or(u16::MAX);
        let start = pieces.slots.len();
        pieces.starts.insert(index, start);
        if step.opens_row && start > 0 {
            pieces.row_breaks.push(start);
        }
        if step.model_switch {
            pieces.model_switch.get_or_insert(start);
        }
        if !self.holds(step.gate.as_ref(), None) {
            return Ok(());
        }
        if step.for_each_queue {
            for scope in self.owned_queues() {
                self.add_lines(step, index, Some(scope), pieces)?;
            }
            return Ok(());
        }
        self.add_lines(step, index, None, pieces)
    }

    fn add_lines(
        &self,
        step: &Step,
        index: u16,
        scope: Option<QueueScope<'_>>,
        pieces: &mut Pieces,
    ) -> Result<(), RecipeError> {
        for line in step.lines.get(self.program.engine.index()).into_iter().flatten() {
            let made = self
                .line(line, index, step.provenance, scope)
                .map_err(|error| self.value_error(&step.id, line.at, error))?;
            pieces.slots.extend(made);
            self.check_room(&step.id, pieces.slots.len())?;
        }
        Ok(())
    }

    fn check_room(&self, step: &str, slots: usize) -> Result<(), RecipeError> {
        if slots <= MAX_REGION_SLOTS {
            return Ok(());
        }
        Err(RecipeError::TooManySlots {
            profile: self.profile.name.clone(),
            step: step.to_owned(),
            most: MAX_REGION_SLOTS,
        })
    }

    /// The slots of one line; none if its condition does not hold.
    fn line(
        &self,
        line: &Line,
        step: u16,
        provenance: Provenance,
        scope: Option<QueueScope<'_>>,
    ) -> Result<Vec<Piece>, ExprError> {
        if !self.holds(line.gate.as_ref(), scope) {
            return Ok(Vec::new());
        }
        let touched = Touched::default();
        let mut branch_to = None;
        let mut slots = match &line.form {
            Form::Plain(which, arguments) => {
                let values = arguments
                    .iter()
                    .map(|argument| Ok(self.eval(argument, scope, &touched)?.number));
                let values = values.collect::<Result<Vec<u64>, ExprError>>()?;
                self.plain(*which, &values, scope, &touched)?
            }
            Form::Branch { target, if_zero } => {
                let distance = match target {
                    Target::Slots(slots) => i32::from(*slots) * 64,
                    Target::Step(id) => {
                        let at = self.profile.steps.iter().position(|step| step.id == *id);
                        branch_to = at.and_then(|at| u16::try_from(at).ok());
                        0
                    }
                };
                let draft = Draft::of(build::branch(distance));
                let draft = if *if_zero { draft.u8(0x0C, 3).u8(0x0D, 8) } else { draft };
                vec![draft.slot()]
            }
        };
        for field in &line.fields {
            let value = self.eval(&field.value, scope, &touched)?.number;
            for slot in &mut slots {
                *slot = field.write(*slot, value)?;
            }
        }
        let provenance = touched.get().map_or(provenance, |input| provenance.max(input));
        Ok(slots.into_iter().map(|slot| Piece { slot, step, provenance, branch_to }).collect())
    }

    fn holds(&self, condition: Option<&Condition>, scope: Option<QueueScope<'_>>) -> bool {
        condition.is_none_or(|condition| condition.holds(|gate| self.gate(gate, scope)))
    }

    fn gate(&self, gate: Gate, scope: Option<QueueScope<'_>>) -> bool {
        let (subgraph, engine) = (self.program.subgraph, self.program.engine);
        let owns = |wanted: &dyn Fn(&QueueKind) -> bool| {
            let mut owned = subgraph.queues.iter().filter(|queue| queue.owner == engine);
            owned.any(|queue| wanted(&queue.kind))
        };
        match gate {
            Gate::Engine(other) => other == engine,
            Gate::ActivationSet => subgraph.activation_set,
            Gate::Tables => {
                engine == Engine::Dve || (engine == Engine::Act && subgraph.activation_set)
            }
            Gate::DataQueue => scope.is_some_and(|scope| scope.queue.kind == QueueKind::Data),
            Gate::IoQueue => scope.is_some_and(|scope| scope.queue.kind.is_io()),
            Gate::Queues => self.owned_queues().next().is_some(),
            Gate::DataQueues => owns(&|kind| *kind == QueueKind::Data),
            Gate::IoQueues => owns(&QueueKind::is_io),
            Gate::DynamicQueues => owns(&|kind| *kind == QueueKind::Dynamic),
            Gate::Collectives => self.collectives,
            Gate::Libraries => subgraph.libraries,
            Gate::SeveralSubgraphs => subgraph.count > 1,
            Gate::SeveralCores => subgraph.cores > 1,
            Gate::Capability(capability) => self.profile.capabilities.has(capability),
        }
    }

    fn named(&self, name: &str, touched: &Touched) -> Result<u64, ExprError> {
        let value =
            self.symbols.get(name).ok_or_else(|| ExprError::UnknownName(name.to_owned()))?;
        touched.set(touched.get().max(value.from_input));
        Ok(value.number)
    }

    fn eval(
        &self,
        expr: &Expr,
        scope: Option<QueueScope<'_>>,
        touched: &Touched,
    ) -> Result<Value, ExprError> {
        let names = |name: &str| {
            let of_queue = scope.and_then(|scope| match name {
                "Q" => Some(0x1000 * (u64::from(scope.number) + 1)),
                "READS" => Some(u64::from(scope.counts.0)),
                "WRITES" => Some(u64::from(scope.counts.1)),
                _ => None,
            });
            match of_queue {
                Some(number) => Some(Value { number, from_input: None }),
                None => self.symbols.get(name).copied(),
            }
        };
        let value = expr.eval(&names)?;
        touched.set(touched.get().max(value.from_input));
        Ok(value)
    }

    fn value_error(&self, step: &str, at: Option<TextPlace>, error: ExprError) -> RecipeError {
        RecipeError::Value {
            at: at.map(Box::new),
            profile: self.profile.name.clone(),
            step: step.to_owned(),
            engine: self.program.engine,
            error,
        }
    }
}
