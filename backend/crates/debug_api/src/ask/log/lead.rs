//! Where lines lead that name neither a PC nor an IP: an engine that did not report, an opcode, the
//! number of a collective, the name of an instruction.

use super::place::{Found, Names, Places};
use super::placed::from_ip;
use crate::answer::{LogPlace, Provenance};
use crate::ask::pc;
use crate::ask::view::View;
use crate::log::{Lead, Line, Phase, Point};
use crate::request::Scope;
use device_image::IpPlace;
use neff::debug::LayerKind;
use records::{Engine, NeffIp, Opcode, SlotIndex};

/// Opcodes that start a collective.
const COLLECTIVES: [Opcode; 3] = [
    Opcode::PSEUDO_TRIGGER_ALL_REDUCE,
    Opcode::PSEUDO_TRIGGER_COLLECTIVE,
    Opcode::PSEUDO_TRIGGER_COLLECTIVE2,
];

/// Records that an engine passes without waiting: labels and modes.
const PASSED: [Opcode; 2] = [Opcode::PSEUDO_BRANCH_LABEL, Opcode::SET_ORDERING_MODE];

/// Most names of instructions that are looked through.
const MAX_NAMES: usize = 200_000;

/// A record and why it is the one.
struct Target {
    engine: Engine,
    ip: u32,
    reason: String,
}

impl Places<'_> {
    /// Finds a place, if the line gives anything to go by.
    pub(super) fn other(&mut self, subgraph: usize, line: &Line, point: Point, found: &mut Found) {
        let number = |name| line.value(name).and_then(|value| value.parse::<usize>().ok());
        let opcode = number("opcode").and_then(|opcode| u8::try_from(opcode).ok());
        let operation = number("operation");
        let silent = point.engine.zip(point.missing);
        let nothing =
            opcode.is_none() && operation.is_none() && silent.is_none() && line.lead.is_none();
        if nothing || !self.has_room() {
            return;
        }
        let scope = self.scope(subgraph, Engine::Pe, self.own_base());
        let scope = Scope { base: None, ..scope };
        let Ok(view) = View::of(self.context.files, &scope) else { return };
        let target = if let Some(opcode) = opcode {
            let target = first(&view, |op| op.0 == opcode, "the first record with this opcode");
            if target.is_none() {
                found.notes.push(format!("The open subgraph has no record of opcode {opcode:#x}."));
            }
            target
        } else if let Some(operation) = operation {
            let own = first(&view, |op| COLLECTIVES.contains(&op), "").map(|first| first.engine);
            let ip =
                own.and_then(|own| nth(&view, own, &|op| COLLECTIVES.contains(&op), operation));
            own.zip(ip).map(|(engine, ip)| Target {
                engine,
                ip,
                reason: String::from(
                    "the trigger of that number on the first engine with triggers, counted from 0",
                ),
            })
        } else if let Some((engine, phase)) = silent {
            match self.silent(&view, subgraph, engine, phase, found) {
                Some(target) => Some(target),
                None => return,
            }
        } else {
            self.lead(&view, subgraph, line, found)
        };
        let Some(Target { engine, ip, reason }) = target else { return };
        let scope = Scope { e: Some(engine.name().to_owned()), ..scope };
        if let Ok(answer) = pc::ip(self.context.files, &scope, ip) {
            let place = from_ip(answer, None);
            found.answer = Some(concluded(place, reason));
        }
    }

    /// The place of a line by its form.
    fn lead(
        &mut self,
        view: &View<'_>,
        subgraph: usize,
        line: &Line,
        found: &mut Found,
    ) -> Option<Target> {
        let (what, target) = match line.lead? {
            Lead::Name => return self.named(view, subgraph, line.instruction.as_deref()?, found),
            Lead::Trigger => (
                "trigger of a collective",
                first(view, |op| COLLECTIVES.contains(&op), "the first trigger of a collective"),
            ),
            Lead::CoreBarrier => {
                let is_barrier = |op| op == Opcode::PSEUDO_CORE_BARRIER;
                ("barrier of cores", first(view, is_barrier, "the first barrier of the cores"))
            }
            Lead::DynamicDma => {
                let is_dynamic = |op| op == Opcode::PSEUDO_DMA_DIRECT2D;
                ("dynamic transfer", first(view, is_dynamic, "the first dynamic transfer"))
            }
        };
        if target.is_none() {
            found.notes.push(format!("The open subgraph {} has no {what}.", view.subgraph));
        }
        target
    }

    /// The first record of an instruction, by its whole name, else by a name that has it as a part.
    fn named(
        &mut self,
        view: &View<'_>,
        subgraph: usize,
        name: &str,
        found: &mut Found,
    ) -> Option<Target> {
        let names = self.names.entry(subgraph).or_insert_with(|| names(view));
        let part = |known: &&String| {
            known.match_indices(name).any(|(at, _)| {
                let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
                let before = known.get(..at).and_then(|head| head.chars().next_back());
                let behind = known.get(at + name.len()..).and_then(|tail| tail.chars().next());
                !before.is_some_and(word) && !behind.is_some_and(word)
            })
        };
        let hit = names.get_key_value(name).or_else(|| {
            let mut parts = names.iter().filter(|(known, _)| part(known));
            parts.next()
        });
        let Some((known, (engine, ip))) = hit else {
            let shown = crate::log::scan::cut(name, 80);
            found.notes.push(if names.is_empty() {
                format!("The open file has no names of instructions, so {shown} is not found.")
            } else {
                format!("No instruction of {} is called {shown}.", view.subgraph)
            });
            return None;
        };
        let known = crate::log::scan::cut(known, 80);
        let reason = format!("the first record of the instruction {known}");
        Some(Target { engine: *engine, ip: *ip, reason })
    }

    /// The record that an engine waits at or before. An engine without one gets its place here: the
    /// slot behind its program, or the first one for an engine that did not start.
    fn silent(
        &mut self,
        view: &View<'_>,
        subgraph: usize,
        engine: Engine,
        phase: Phase,
        found: &mut Found,
    ) -> Option<Target> {
        let image = view.images.engine(engine);
        let map = &image.map;
        let last = *self.waits.entry((subgraph, engine.code())).or_insert_with(|| {
            let stream = view.stream(engine);
            let here = |ip: &u32| {
                let record = NeffIp(*ip).slot().and_then(|at| stream.get(at.get() as usize));
                let passed =
                    record.is_some_and(|slot| PASSED.contains(&Opcode(slot.opcode_byte())));
                let slots = map.image_slots(NeffIp(*ip));
                !passed && matches!(slots, IpPlace::Slots(slots) if !slots.is_empty())
            };
            (1..=map.source().main).rev().find(here)
        });
        if let (Phase::End, Some(ip)) = (phase, last) {
            let reason = "the last record of MAIN: the engine waits there or before it";
            return Some(Target { engine, ip, reason: reason.to_owned() });
        }
        let core = map.ranges().core;
        let (offset, reason) = match (phase, last) {
            (Phase::Start, Some(_)) => (
                core.offset,
                format!("the first slot of {engine}'s program: the engine stands in front of it"),
            ),
            _ => (
                core.offset.saturating_add(core.size),
                format!(
                    "{engine} has no record to wait at: its stream {}; this is the first slot behind \
                     MAIN, and the engine waits there, or in front of MAIN",
                    if map.source().main == 0 {
                        "is empty"
                    } else {
                        "holds labels and modes alone"
                    }
                ),
            ),
        };
        let pc = view.base(engine).0.get().wrapping_add(offset);
        let place = self.pc(subgraph, engine, pc, self.own_base(), found);
        found.answer = place.map(|place| concluded(LogPlace { reason: None, ..place }, reason));
        None
    }
}

fn concluded(mut place: LogPlace, reason: String) -> LogPlace {
    place.reason = Some(reason);
    if place.provenance != Provenance::Modelled {
        place.provenance = Provenance::Inferred;
    }
    place
}

/// The IP of the n-th record of an engine whose opcode fits.
fn nth(view: &View<'_>, engine: Engine, fits: &dyn Fn(Opcode) -> bool, n: usize) -> Option<u32> {
    let records = view.stream(engine).iter().zip(1_u32..);
    let mut fitting = records.filter(|(slot, _)| fits(Opcode(slot.opcode_byte())));
    fitting.nth(n).map(|(_, ip)| ip)
}

/// The first record whose opcode fits, engine by engine.
fn first(view: &View<'_>, fits: impl Fn(Opcode) -> bool, reason: &str) -> Option<Target> {
    let reason = reason.to_owned();
    Engine::ALL
        .into_iter()
        .find_map(|engine| nth(view, engine, &fits, 0).map(|ip| (engine, ip)))
        .map(|(engine, ip)| Target { engine, ip, reason })
}

/// The names that debug layers have for the records of a subgraph.
fn names(view: &View<'_>) -> Names {
    let mut names = Names::new();
    let sources = view.file.sources(view.index);
    for engine in Engine::ALL {
        let Some(map) = sources.map(engine) else { continue };
        let ids = map.slot_ids();
        let mut last = None;
        for ip in (1..=view.stream(engine).len()).map_while(|ip| u32::try_from(ip).ok()) {
            if names.len() >= MAX_NAMES {
                return names;
            }
            // Records of one compiler instruction have one chain.
            let id = ids.bir.get(ip as usize - 1).copied();
            if id.is_some() && id == last {
                continue;
            }
            last = id;
            for record in map.chain(SlotIndex(ip - 1)) {
                if let Some(text) = record.text.filter(|_| record.layer != LayerKind::Asm) {
                    names.entry(text).or_insert((engine, ip));
                }
            }
        }
    }
    names
}
