//! What a question about a timeline resolves to: the capture's core, its events, and the program
//! that ran where the executable is open too.

use super::view::View;
use crate::answer::{Finding, PlaceRef, Provenance};
use crate::convert::{findings, hex};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::names;
use crate::neff_file::NeffFile;
use crate::ntff_file::NtffFile;
use crate::request::Scope;
use crate::run_trace::{self, RunTrace};
use crate::scope;
use crate::sync_names::{self, SyncId};
use kbin::disasm::{update_words, wait_words};
use neff::ntff::SubgraphCapture;
use records::sync_mode::UpdateKind;
use records::trace_record::{DmaStep, NotifyChange};
use records::{Engine, Opcode, Slot};
use std::sync::Arc;
use trace::capture::Captured;
use trace::{Event, Flags, NO_SLOT, Row, Trace, TrackKind};

/// Code of a region that is not known.
pub const NO_REGION: u8 = 255;

/// A resolved timeline.
pub struct TimelineView<'a> {
    /// Where its events come from.
    pub source: Source<'a>,
    /// Name of the subgraph.
    pub subgraph: String,
    /// What is odd.
    pub findings: Vec<Finding>,
    /// The program, where the executable is open too.
    pub view: Option<View<'a>>,
}

/// Where the events of a timeline come from.
pub enum Source<'a> {
    /// A capture.
    Capture {
        /// Its file.
        file: &'a NtffFile,
        /// Its core.
        core: &'a SubgraphCapture,
        /// Its events.
        captured: &'a Captured,
    },
    /// A run of the simulator.
    Run {
        /// The executable.
        file: &'a NeffFile,
        /// All cores of the run.
        run: Arc<RunTrace>,
        /// Position of the core among them.
        core: usize,
    },
}

impl<'a> TimelineView<'a> {
    /// Resolves a scope in a capture: the named subgraph of the executable, else of the capture.
    ///
    /// # Errors
    /// `timeline.none` without a capture of the subgraph; else as a scope.
    pub fn of_capture(files: &'a [Arc<OpenFile>], scope: &Scope) -> Result<Self, ApiError> {
        let has_neff = files.iter().any(|file| file.as_neff().is_some());
        let (file, name, view) = if has_neff {
            let neff = scope::neff(files, scope.f)?;
            let (_, subgraph) = scope::subgraph(neff, scope)?;
            let file = scope::capture(files, scope, neff)?.ok_or_else(|| {
                none("the session has no capture of this executable; add an NTFF to see when what ran")
            })?;
            // Slots of a timeline are those of the captured image, and all engines have their own.
            let own = Scope { modelled: false, base: None, e: None, ..scope.clone() };
            (file, Some(subgraph.name.as_str()), Some(View::of(files, &own)?))
        } else {
            (scope::ntff(files, scope.ntff.or(scope.f))?, scope.s.as_deref(), None)
        };
        let cores = &file.capture().subgraphs;
        let position = match name {
            None => Some(0),
            Some(name) => cores
                .iter()
                .position(|core| core.name == name)
                .or_else(|| name.parse().ok().filter(|_| view.is_none())),
        };
        let found = position.and_then(|at| Some((cores.get(at)?, file.traced(at)?)));
        let (core, traced) = found.ok_or_else(|| {
            let shown: String = name.unwrap_or("").chars().take(64).collect();
            none(&format!("{} holds no core that ran `{shown}`", names::of_ntff(files, file)))
        })?;
        let of_core = |finding: &Finding| finding.at.subgraph.as_deref() == Some(&core.name);
        let mut list = findings(file.walked().findings.as_slice());
        list.retain(of_core);
        list.extend(findings(traced.findings.as_slice()));
        let (captured, subgraph) = (&traced.captured, core.name.clone());
        Ok(Self {
            source: Source::Capture { file, core, captured },
            subgraph,
            findings: list,
            view,
        })
    }

    /// The events.
    pub fn trace(&self) -> &Trace {
        static EMPTY: Trace = Trace { tracks: Vec::new(), rows: Vec::new(), end: 0 };
        match &self.source {
            Source::Capture { captured, .. } => &captured.trace,
            Source::Run { run, core, .. } => {
                run.cores.get(*core).map_or(&EMPTY, |core| &core.trace)
            }
        }
    }

    /// Where the events come from.
    pub const fn provenance(&self) -> Provenance {
        match &self.source {
            Source::Capture { .. } => Provenance::File,
            Source::Run { .. } => Provenance::Modelled,
        }
    }

    /// Record of a slot of the image that ran.
    pub fn record(&self, engine: Engine, slot: u32) -> Option<&Slot> {
        match &self.source {
            Source::Capture { file, core, .. } => {
                file.capture().slots(core.image(engine)?).get(slot as usize)
            }
            Source::Run { .. } => {
                let built = self.view.as_ref()?.images.engine(engine);
                built.image.slots.get(slot as usize)
            }
        }
    }

    /// What an event is in a word or two: mnemonic, kind of change, step of a transfer.
    pub fn name(&self, kind: TrackKind, event: &Event) -> String {
        match kind {
            TrackKind::Engine(code) => match Engine::from_code(code) {
                _ if event.slot == NO_SLOT => "bootstrap".to_owned(),
                Some(engine) => self.record(engine, event.slot).map_or_else(String::new, mnemonic),
                None => String::new(),
            },
            TrackKind::Ring { .. } => match DmaStep(event.kind).name() {
                Some("read_start") => "packet".to_owned(),
                Some(name) => name.replace('_', " "),
                None => format!("step {}", event.kind),
            },
            TrackKind::Semaphore(_) | TrackKind::Event(_) => {
                let name = NotifyChange(event.kind).name();
                name.map_or_else(
                    || format!("change {:#04x}", event.kind),
                    |one| one.replace('_', " "),
                )
            }
            TrackKind::Queue(_) => "block".to_owned(),
            TrackKind::TopSp(_) => if event.kind == 0 { "collective" } else { "step" }.to_owned(),
            TrackKind::Moments(run_trace::HOST) => match event.kind {
                0 => "inference posted".to_owned(),
                1 => "table load".to_owned(),
                other => format!("act {other}"),
            },
            TrackKind::Moments(run_trace::NOTIFIED) => "notify".to_owned(),
            TrackKind::Moments(_) => format!("type {:#04x}", event.kind),
        }
    }

    /// More about an event in words; may be empty.
    pub fn text(&self, kind: TrackKind, event: &Event) -> String {
        match kind {
            TrackKind::Engine(code) => {
                if event.slot == NO_SLOT {
                    return "outside the captured image: the bootstrap program".to_owned();
                }
                let engine = Engine::from_code(code);
                let record = engine.and_then(|engine| self.record(engine, event.slot));
                let words = record.map(|record| [wait_words(record), update_words(record)]);
                let words = words.into_iter().flatten().filter(|text| !text.is_empty());
                words.collect::<Vec<_>>().join("; ")
            }
            TrackKind::Ring { engine, .. } => format!("DMA engine {engine} of the core"),
            TrackKind::Semaphore(_) | TrackKind::Event(_) => {
                let by = u8::try_from(event.slot).ok().and_then(Engine::from_code);
                format!("by {}", by.map_or("DMA or the host", Engine::name))
            }
            TrackKind::Queue(_) => format!("block {} on all rings", event.slot),
            TrackKind::TopSp(_) => format!("number {}", event.slot),
            TrackKind::Moments(run_trace::NOTIFIED) => format!("phase or value {}", event.arg),
            TrackKind::Moments(_) => String::new(),
        }
    }

    /// Place of an instruction.
    pub fn place(&self, kind: TrackKind, slot: u32) -> Option<PlaceRef> {
        let TrackKind::Engine(code) = kind else { return None };
        let engine = Engine::from_code(code)?;
        self.record(engine, slot)?;
        Some(match &self.view {
            Some(view) => view.place_of_slot(engine, slot),
            None => {
                let offset = u64::from(slot) * 64;
                let image = match &self.source {
                    Source::Capture { core, .. } => core.image(engine),
                    Source::Run { .. } => None,
                };
                let base = image.map(|image| image.base.get());
                PlaceRef {
                    s: self.subgraph.clone(),
                    e: engine.name().to_owned(),
                    image_slot: Some(slot),
                    image_offset: Some(offset),
                    device_pc: base.map(|base| hex(base.wrapping_add(offset))),
                    ..PlaceRef::default()
                }
            }
        })
    }

    /// Source line of a record of the executable, `file:line`.
    pub fn source(&self, kind: TrackKind, ip: Option<u32>) -> Option<String> {
        let (TrackKind::Engine(code), Some(view)) = (kind, &self.view) else { return None };
        let sources = view.file.sources(view.index);
        let items = sources.items(Engine::from_code(code)?, ip?.checked_sub(1)?);
        items.iter().find_map(|item| Some(format!("{}:{}", item.file.as_ref()?, item.line?)))
    }

    /// Column code of the region of an instruction.
    pub fn region(&self, kind: TrackKind, slot: u32) -> u8 {
        let (TrackKind::Engine(code), Some(view)) = (kind, &self.view) else { return NO_REGION };
        let run =
            Engine::from_code(code).and_then(|engine| view.images.engine(engine).run_at(slot));
        run.filter(|_| slot != NO_SLOT).map_or(NO_REGION, |run| run.code)
    }

    /// What a row is in words, and where the words come from.
    pub fn label(&self, row: &Row) -> (String, Provenance) {
        let first = self.trace().lanes(row).first().map(|track| track.kind);
        let sync = match first {
            Some(TrackKind::Semaphore(id)) => (false, id),
            Some(TrackKind::Event(id)) => (true, id),
            _ => return (String::new(), Provenance::File),
        };
        let Some(view) = &self.view else { return (String::new(), Provenance::File) };
        let (program, links) = (view.file.program(view.index), view.file.links(view.index));
        let of = SyncId { event: sync.0, id: sync.1, update: None::<UpdateKind> };
        sync_names::name(&program, &links, of)
    }

    /// Femtoseconds of a cycle of a row's clock.
    /// Spec: docs/format/ntff.md "Clocks" [observed].
    pub fn cycle_fs(&self, row: &Row) -> Option<u64> {
        self.cycle_fs_of(self.trace().lanes(row).first()?.kind)
    }

    /// The same of a track.
    pub fn cycle_fs_of(&self, kind: TrackKind) -> Option<u64> {
        let TrackKind::Engine(code) = kind else { return None };
        let engine = Engine::from_code(code)?;
        match &self.source {
            Source::Capture { file, .. } if file.capture().version >= 5 => {
                Some(if engine == Engine::Dve { 1_041_667 } else { 833_333 })
            }
            Source::Capture { core, .. } => {
                let clock = core.clocks.engines.get(engine.index()).copied().flatten()?;
                // The increments are picoseconds x 1024.
                clock.expected.checked_mul(1000).map(|scaled| scaled / 1024)
            }
            Source::Run { run, core, .. } => {
                run.cores.get(*core)?.clock_fs.get(engine.index()).copied()
            }
        }
    }

    /// Slot of the record that an engine stands at for ever when the run ends.
    pub fn stuck_slot(&self, engine: Engine) -> Option<u32> {
        let Source::Run { run, core, .. } = &self.source else { return None };
        run.cores.get(*core)?.stuck.get(engine.index()).copied().flatten()
    }

    /// Words of an event's flags.
    pub fn flags(flags: Flags) -> Vec<String> {
        flags.words().map(str::to_owned).collect()
    }
}

fn mnemonic(record: &Slot) -> String {
    let byte = record.opcode_byte();
    Opcode(byte).mnemonic().map_or_else(|| format!("OPCODE {byte:#04x}"), str::to_owned)
}

/// No timeline to show.
pub fn none(message: &str) -> ApiError {
    ApiError::new(ErrorKind::NotFound, "timeline.none", message)
}
