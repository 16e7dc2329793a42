//! The places that lines lead to.

use super::Context;
use super::bases::{Bases, UsedBase};
use super::placed::{from_ip, from_pc, sentence, weaker};
use crate::answer::{At, Finding, LogPlace, PlaceRef, Provenance, RuntimeReading};
use crate::ask::pc;
use crate::ask::view::{View, in_other_subgraph};
use crate::choice::choose;
use crate::convert::hex;
use crate::log::{Kind, Line, Point};
use crate::request::Scope;
use records::Engine;
use std::collections::BTreeMap;

/// Most places that are looked up.
const MAX_PLACES: usize = 4_000;

/// What was found for a line.
#[derive(Default)]
pub struct Found {
    /// Place of the first point.
    pub answer: Option<LogPlace>,
    /// Engine, if only the lookup told it.
    pub engine: Option<String>,
    /// Places of the further points.
    pub more: Vec<Option<LogPlace>>,
    /// Other places that are possible.
    pub also: Vec<PlaceRef>,
    /// Sentences.
    pub notes: Vec<String>,
}

/// Looks places up, up to a limit.
pub struct Places<'a> {
    pub(super) context: &'a Context<'a>,
    bases: &'a Bases,
    done: usize,
    left_out: usize,
    /// The last record of MAIN that an engine can wait at, by subgraph and engine code.
    pub(super) waits: BTreeMap<(usize, u8), Option<u32>>,
    /// Instructions of the compiler by subgraph and name.
    pub(super) names: BTreeMap<usize, Names>,
}

/// The first record of each named instruction of a subgraph.
pub type Names = BTreeMap<String, (Engine, u32)>;

/// A base with the word for where it comes from.
pub(super) struct Base {
    address: Option<u64>,
    profile: Option<String>,
    /// `None` for the base that the image has by itself.
    from: Option<Provenance>,
    /// What is uncertain about it.
    note: Option<String>,
}

impl<'a> Places<'a> {
    /// Nothing looked up yet.
    pub fn new(context: &'a Context<'a>, bases: &'a Bases) -> Self {
        let (waits, names) = (BTreeMap::new(), BTreeMap::new());
        Self { context, bases, done: 0, left_out: 0, waits, names }
    }

    /// The finding about places that were not looked up.
    pub fn finding(&self) -> Option<Finding> {
        (self.left_out > 0).then(|| Finding {
            code: "log.places-limit".to_owned(),
            severity: "warning".to_owned(),
            message: format!(
                "the first {MAX_PLACES} places are looked up, {} are not",
                self.left_out
            ),
            at: At::default(),
        })
    }

    /// The places of a line.
    pub fn of(&mut self, line: &Line) -> Found {
        let mut found = Found::default();
        let Some(subgraph) = self.context.subgraph_of(line) else { return found };
        let mut points = line.points.iter();
        let first = points.next().copied().unwrap_or_default();
        if first.device_pc.is_some() || first.neff_ip.is_some() {
            if self.has_room() {
                self.point(subgraph, line, first, &mut found);
            }
        } else {
            self.other(subgraph, line, first, &mut found);
        }
        for point in points {
            let mut further = Found::default();
            if point.missing.is_some() {
                self.other(subgraph, line, *point, &mut further);
            } else if self.has_room() {
                self.point(subgraph, line, *point, &mut further);
            }
            found.notes.append(&mut further.notes);
            found.more.push(further.answer);
        }
        found
    }

    pub(super) fn has_room(&mut self) -> bool {
        let room = self.done < MAX_PLACES;
        if room {
            self.done += 1
        } else {
            self.left_out += 1
        }
        room
    }

    /// A device PC, a NEFF IP, or both.
    fn point(&self, subgraph: usize, line: &Line, point: Point, found: &mut Found) {
        let asked = self.context.scope.e.as_deref().and_then(|name| name.parse().ok());
        let engine = match (point.engine, asked) {
            (Some(engine), asked) => {
                // What is only concluded gives way to what the user says.
                Some(if point.engine_inferred { asked.unwrap_or(engine) } else { engine })
            }
            (None, asked) => asked,
        };
        if let Some(pc) = point.device_pc {
            let subgraph = self.holds(subgraph, line, point, pc, engine);
            let first = self.by_pc(subgraph, line, point, pc, engine, found);
            let unknown = first.as_ref().is_none_or(|answer| {
                let agrees = point.neff_ip.is_some() && answer.neff_ip == point.neff_ip;
                let modelled = answer.base_provenance == Provenance::Modelled && !agrees;
                modelled || answer.neff_ip.is_none()
            });
            let Some(ip) = point.neff_ip.filter(|_| unknown) else {
                if let (Some(answer), Some(ip)) = (&first, point.neff_ip) {
                    disagreement(answer, ip, found);
                }
                if line.kind == Kind::OutOfBounds {
                    contradiction(line, first.as_ref(), found);
                }
                found.answer = first;
                self.concluded(point, found);
                return;
            };
            // Without a base that means something the IP is the better guide.
            self.by_ip(subgraph, line, point, ip, engine, found);
            match &mut found.answer {
                Some(answer) => {
                    let why = match first.as_ref().and_then(|first| first.neff_ip) {
                        Some(other) => format!(
                            "the place is that of the NEFF IP; under base {} [{}] the PC leads to \
                             NEFF IP {other}",
                            answer.base,
                            answer.base_provenance.name()
                        ),
                        None => "the place is that of the NEFF IP; no known base puts the PC there"
                            .to_owned(),
                    };
                    answer.reason = Some(why);
                }
                None => found.answer = first,
            }
        } else if let Some(ip) = point.neff_ip {
            self.by_ip(subgraph, line, point, ip, engine, found);
        }
        self.concluded(point, found);
    }

    /// Marks a place whose engine the line does not name: it is inferred, and the sentence says so.
    fn concluded(&self, point: Point, found: &mut Found) {
        let asked = self.context.scope.e.is_some();
        let read = point.engine.is_some() && !point.engine_inferred;
        let Some(answer) = found.answer.as_mut().filter(|_| !read && !asked) else { return };
        answer.provenance = weaker(answer.provenance, Provenance::Inferred);
        let mut others: Vec<&str> = found.also.iter().map(|place| place.e.as_str()).collect();
        others.dedup();
        let engine = &answer.engine;
        let why = match (point.engine, others.as_slice()) {
            (Some(_), []) => format!("the engine is inferred: {engine}"),
            (Some(_), others) => {
                format!("the engine is inferred: {engine}, or {}", others.join(" or "))
            }
            (None, []) => format!("the line names no engine; only {engine} has such a place"),
            (None, others) => {
                format!("the line names no engine: {engine}, or {}", others.join(" or "))
            }
        };
        answer.reason = Some(match answer.reason.take() {
            Some(reason) => format!("{why}; {reason}"),
            None => why,
        });
    }

    /// The subgraph whose image holds a PC, where the line names none: the given one, if no other
    /// does.
    fn holds(
        &self,
        subgraph: usize,
        line: &Line,
        point: Point,
        pc: u64,
        engine: Option<Engine>,
    ) -> usize {
        let context = self.context;
        let Some(file) = context.neff.filter(|_| context.named(line).is_none()) else {
            return subgraph;
        };
        let own = Engine::ALL.into_iter().any(|one| {
            let base = self.base(subgraph, line, point, one);
            let scope = self.scope(subgraph, one, base);
            engine.is_none_or(|engine| engine == one)
                && View::of(context.files, &scope)
                    .is_ok_and(|view| view.slot_of_pc(one, pc).is_some())
        });
        if own || point.base.is_some() {
            return subgraph;
        }
        let other = in_other_subgraph(context.files, context.scope, subgraph, engine, pc);
        let all = file.package().subgraphs();
        other.and_then(|place| all.iter().position(|one| one.name == place.s)).unwrap_or(subgraph)
    }

    fn by_pc(
        &self,
        subgraph: usize,
        line: &Line,
        point: Point,
        pc: u64,
        engine: Option<Engine>,
        found: &mut Found,
    ) -> Option<LogPlace> {
        if let Some(engine) = engine {
            let base = self.base(subgraph, line, point, engine);
            return self.pc(subgraph, engine, pc, base, found);
        }
        if let Some(used) = self.bases.used((subgraph, None, line.device, line.core)) {
            let engine = used.engine;
            let base = self.solved_base(subgraph, used);
            found.engine = Some(engine.name().to_owned());
            return self.pc(subgraph, engine, pc, base, found);
        }
        // Every engine whose image holds the PC.
        let mut inside: Vec<LogPlace> = Vec::new();
        for engine in Engine::ALL {
            let base = self.base(subgraph, line, point, engine);
            let answer = self.pc(subgraph, engine, pc, base, &mut Found::default());
            inside.extend(answer.filter(|answer| answer.image_slot.is_some()));
        }
        let mut inside = inside.into_iter();
        let first = inside.next();
        found.also = inside.filter_map(|answer| answer.place).collect();
        match &first {
            Some(first) if found.also.is_empty() => found.engine = Some(first.engine.clone()),
            Some(_) => {}
            None => found.notes.push(
                "The PC lies in no image under the bases that are known here; name the engine and \
                 its base."
                    .to_owned(),
            ),
        }
        first
    }

    fn by_ip(
        &self,
        subgraph: usize,
        line: &Line,
        point: Point,
        ip: u32,
        engine: Option<Engine>,
        found: &mut Found,
    ) {
        let sure = engine.is_some() && !(point.engine_inferred && self.context.scope.e.is_none());
        let mut answers: Vec<LogPlace> = Vec::new();
        let others = Engine::ALL.into_iter().filter(|other| !sure && Some(*other) != engine);
        for engine in engine.into_iter().chain(others) {
            let base = self.base(subgraph, line, point, engine);
            let from = base.from;
            let scope = self.scope(subgraph, engine, base);
            match pc::ip(self.context.files, &scope, ip) {
                Ok(answer) => answers.push(from_ip(answer, from)),
                Err(error) if sure => found.notes.push(sentence(&error.message)),
                Err(_) => {}
            }
        }
        let mut answers = answers.into_iter();
        found.answer = answers.next();
        found.also = answers.filter_map(|answer| answer.place).collect();
        if found.answer.is_none() && !sure {
            let name = self.context.subgraph_name(subgraph);
            found.notes.push(format!("No engine of {name} has a record with NEFF IP {ip}."));
        }
        if let Some(answer) = &found.answer
            && engine.is_none_or(|engine| engine.name() != answer.engine)
            && found.also.is_empty()
        {
            found.engine = Some(answer.engine.clone());
        }
    }

    pub(super) fn pc(
        &self,
        subgraph: usize,
        engine: Engine,
        pc: u64,
        base: Base,
        found: &mut Found,
    ) -> Option<LogPlace> {
        let from = base.from;
        let note = base.note.clone();
        let scope = self.scope(subgraph, engine, base);
        match pc::pc(self.context.files, &scope, &hex(pc)) {
            Ok(answer) => {
                let mut place = from_pc(answer, from);
                place.reason = match (place.reason, note) {
                    (Some(reason), Some(note)) => Some(format!("{reason}; {note}")),
                    (reason, note) => reason.or(note),
                };
                Some(place)
            }
            Err(error) => {
                found.notes.push(sentence(&error.message));
                None
            }
        }
    }

    /// The base of an engine's image: from the line, from the question, from pairs, or none.
    fn base(&self, subgraph: usize, line: &Line, point: Point, engine: Engine) -> Base {
        let given = self.context.scope;
        if let Some(address) = point.base {
            let profile = given.profile.clone();
            return Base {
                address: Some(address),
                profile,
                from: Some(Provenance::File),
                note: None,
            };
        }
        // The base of the question is that of its engine.
        let asked: Engine = given.e.as_deref().and_then(|e| e.parse().ok()).unwrap_or(Engine::Pe);
        let own = given.base.as_deref().filter(|_| asked == engine);
        if let Some(address) = own.and_then(|text| crate::convert::number("base", text).ok()) {
            let profile = given.profile.clone();
            return Base {
                address: Some(address),
                profile,
                from: Some(Provenance::Configured),
                note: None,
            };
        }
        // A captured image knows where it lies.
        let view = self.context.view(subgraph);
        let captured = view.is_some_and(|view| view.base(engine).1 != Provenance::Modelled);
        match self.bases.used((subgraph, Some(engine), line.device, line.core)) {
            Some(used) if !captured => self.solved_base(subgraph, used),
            _ => Base { address: None, profile: given.profile.clone(), from: None, note: None },
        }
    }

    /// A solved base: MAIN lies where the pairs say, whatever the preamble is.
    fn solved_base(&self, subgraph: usize, used: UsedBase) -> Base {
        let asked = &self.context.scope.profile;
        let core = self.context.scope.core;
        let solved = used.profile.is_some();
        let profile = used.profile.or_else(|| asked.clone());
        let images = match self.context.neff {
            Some(file) if profile.is_some() => {
                let generation = file.program(subgraph).subgraph.generation;
                let chosen = choose(self.context.files, profile.as_deref(), generation).ok();
                chosen.and_then(|chosen| {
                    file.images(subgraph, &chosen.profile, &chosen.key, core).ok()
                })
            }
            _ => self.context.view(subgraph).map(|view| view.images),
        };
        let address = images.and_then(|images| {
            used.main_start.checked_sub(images.engine(used.engine).map.ranges().core.offset)
        });
        let from = address.map(|_| Provenance::Inferred);
        let note = (!solved && address.is_some()).then(|| {
            format!(
                "MAIN lies at {}, as the pairs say; the preamble on the device has another length \
                 than under this profile, so base and image slots are the profile's",
                hex(used.main_start)
            )
        });
        Base { address, profile, from, note }
    }

    /// The base that an image has by itself.
    pub(super) fn own_base(&self) -> Base {
        Base { address: None, profile: self.context.scope.profile.clone(), from: None, note: None }
    }

    pub(super) fn scope(&self, subgraph: usize, engine: Engine, base: Base) -> Scope {
        Scope {
            s: Some(self.context.subgraph_name(subgraph)),
            e: Some(engine.name().to_owned()),
            profile: base.profile,
            base: base.address.map(hex),
            ..self.context.scope.clone()
        }
    }
}

/// A line that says a PC lies nowhere, above a place where it does lie, needs a word.
fn contradiction(line: &Line, answer: Option<&LogPlace>, found: &mut Found) {
    let nowhere = line.text.to_ascii_lowercase().contains("out of bounds of");
    let inside = answer.filter(|answer| nowhere && answer.exact.is_some());
    if let Some(answer) = inside {
        let region = answer.region.as_deref().unwrap_or("the program");
        found.notes.push(format!(
            "Under base {} [{}] the PC does lie in {region} of {}, against what the line says: on \
             the device the image lay elsewhere, was another one, or the line is about another \
             engine.",
            answer.base,
            answer.base_provenance.name(),
            answer.engine
        ));
    }
}

/// Says where a PC and the IP beside it differ.
fn disagreement(answer: &LogPlace, ip: u32, found: &mut Found) {
    let runtime = match &answer.runtime {
        Some(RuntimeReading::Ip { neff_ip, literal }) => [Some(*neff_ip), Some(*literal)],
        _ => [None, None],
    };
    if answer.neff_ip == Some(ip) {
        return;
    }
    let own = answer.neff_ip.map_or("none".to_owned(), |own| own.to_string());
    if runtime.contains(&Some(ip)) {
        found.notes.push(format!(
            "NEFF IP {ip} is the runtime's own reading of the PC; the exact one is {own}."
        ));
    } else {
        found.notes.push(format!(
            "The line says NEFF IP {ip}; under base {} the PC leads to {own}.",
            answer.base
        ));
    }
}
