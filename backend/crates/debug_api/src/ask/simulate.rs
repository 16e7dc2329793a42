//! Answers `simulate`: a run of the program on modelled engines, rings and host.

use super::simulate_choices::{setting, timing};
use super::simulate_places::Places;
use super::view::View;
use crate::answer::{
    At, CoreEnd, EngineEndInfo, FaultInfo, Finding, InferenceInfo, Provenance, QueueEndInfo,
    SCHEMA, Semaphores, SimulateAnswer, TimingInfo, TraceInfo, WaitGraph,
};
use crate::convert::{number, provenance};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::pairing;
use crate::request::{Scope, SimulateRequest};
use crate::scope;
use device_image::{Generation, with_counts};
use device_sim::core::Phase;
use device_sim::event::Nowhere;
use device_sim::from_neff;
use device_sim::gate::Gate;
use device_sim::graph::{Cause, Graph};
use device_sim::input::{CoreInput, EngineInput, Queue, Setting};
use device_sim::posters::{EngineRef, SlotRef};
use device_sim::timing::Timing;
use device_sim::{Machine, Outcome};
use records::Engine;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Inferences that the answer lists.
const LISTED_INFERENCES: usize = 1000;

/// Scheduler steps after which a run looks whether it is still wanted.
const SLICE: u64 = 1 << 20;

/// Runs the program, until it ends or is stopped.
pub fn simulate(
    files: &[Arc<OpenFile>],
    request: &SimulateRequest,
    stopped: &dyn Fn() -> bool,
) -> Result<SimulateAnswer, ApiError> {
    let setting = setting(request)?;
    let timing = timing(request)?;
    let views = views(files, &request.scope)?;
    let views: Vec<&View<'_>> = views.iter().collect();
    let mut inputs = Vec::with_capacity(views.len());
    for view in &views {
        inputs.push(core_input(files, &request.scope, view)?);
    }
    check_what_if(request, &inputs)?;
    let mut machine = Machine::new(&inputs, &timing, &setting);
    let unposted = machine.never_posted();
    let outcome = loop {
        if stopped() {
            let message = format!("the run was given up after {} events", machine.steps());
            return Err(ApiError::new(ErrorKind::BadRequest, "run.cancelled", message));
        }
        if let Some(outcome) = machine.advance(&mut Nowhere, SLICE) {
            break outcome;
        }
    };
    let generation = inputs.first().map_or(Generation::Cayman, |input| input.generation);
    let one = request.scope.s.is_some();
    let mut made = answer(&machine, &views, &outcome, &setting, (&timing, generation), one);
    made.diagnostics.extend(unposted.iter().map(|one| never_posted(&machine, *one)));
    Ok(made)
}

/// The views of the cores that run: the one of the scope, or all of the file.
fn views<'a>(files: &'a [Arc<OpenFile>], of: &Scope) -> Result<Vec<View<'a>>, ApiError> {
    let file = scope::neff(files, of.f)?;
    if of.s.is_some() {
        return Ok(vec![View::of(files, of)?]);
    }
    // One core at least, so that a file without any says so.
    let count = file.package().subgraphs().len().max(1);
    let view = |index: usize| {
        let core = of.core.map(|core| core.saturating_add(u32::try_from(index).unwrap_or(0)));
        View::of(files, &Scope { s: Some(index.to_string()), core, ..of.clone() })
    };
    (0..count).map(view).collect()
}

fn core_input<'v>(
    files: &[Arc<OpenFile>],
    of: &Scope,
    view: &'v View<'_>,
) -> Result<CoreInput<'v>, ApiError> {
    let engine = |engine: Engine| {
        let built = view.images.engine(engine);
        let base = view.base(engine).0.get();
        EngineInput { image: &built.image, base, stream: view.stream(engine) }
    };
    Ok(CoreInput {
        name: view.subgraph,
        rank: 0,
        generation: view.images.generation,
        core: view.images.inputs.core,
        engines: Engine::ALL.map(engine),
        queues: queues(files, of, view)?,
    })
}

/// The queues of a core, with the descriptor counts of the capture where its images run.
fn queues(files: &[Arc<OpenFile>], of: &Scope, view: &View<'_>) -> Result<Vec<Queue>, ApiError> {
    let program = view.file.program(view.index);
    let package = view.file.package();
    if view.pair.is_some()
        && let Some(capture) = scope::capture(files, of, view.file)?
        && let Some(core) = pairing::core_capture(capture.name(), capture.capture(), view.subgraph)
    {
        let counted = with_counts(&program.subgraph, |queue, block| core.counts(queue, block));
        return Ok(from_neff::queues(package, view.index, &counted));
    }
    Ok(from_neff::queues(package, view.index, &program.subgraph))
}

/// What is broken on purpose must be there, or the run would say nothing about it.
fn check_what_if(request: &SimulateRequest, inputs: &[CoreInput<'_>]) -> Result<(), ApiError> {
    for text in &request.stall {
        let (name, ring) = text.rsplit_once(':').unwrap_or_default();
        let queues = || inputs.iter().flat_map(|input| &input.queues);
        let ring = number("ring", ring)?;
        let mut of_name = queues().filter(|queue| queue.name == name).peekable();
        if of_name.peek().is_some() {
            if of_name.any(|queue| !queue.is_dynamic && ring < u64::from(queue.rings)) {
                continue;
            }
            let shown: String = name.chars().take(64).collect();
            let message = format!(
                "queue `{shown}` has no ring {ring} in this model; a ring that is stalled has to be \
                 one of those that take part, and a dynamic queue has none"
            );
            return Err(ApiError::bad_request(message));
        } else {
            let names: Vec<&str> = queues().map(|queue| queue.name.as_str()).take(16).collect();
            let list = if names.is_empty() { "none".to_owned() } else { names.join(" ") };
            let shown: String = name.chars().take(64).collect();
            let message = format!("there is no queue `{shown}`; the queues are {list}");
            return Err(ApiError::bad_request(message));
        }
    }
    let drops = request.drop.iter().map(|text| text.split(':').next());
    let delays = request.delay.iter().map(|text| text.rsplit_once(':').map(|(name, _)| name));
    for first in drops.chain(delays).flatten() {
        let is_kind = matches!(first, "semaphore" | "event");
        if !is_kind && !inputs.iter().any(|input| input.name == first) {
            let shown: String = first.chars().take(64).collect();
            return Err(ApiError::bad_request(format!("no subgraph `{shown}` runs")));
        }
    }
    Ok(())
}

fn answer(
    machine: &Machine<'_>,
    views: &[&View<'_>],
    outcome: &Outcome,
    setting: &Setting,
    timing: (&Timing, Generation),
    one: bool,
) -> SimulateAnswer {
    let places = Places { machine, views };
    let stuck = match outcome {
        Outcome::Deadlock => machine.stuck(),
        _ => Vec::new(),
    };
    let graph = Graph::of(&stuck);
    let cause = Cause::of(&stuck, &graph);
    let words = match (outcome, &cause) {
        (Outcome::Deadlock, Some(cause)) => machine.deadlock_words(&stuck, &graph, cause),
        (Outcome::Deadlock, None) => vec!["Nothing can happen any more.".to_owned()],
        (Outcome::Fault(fault), _) => vec![machine.fault_words(fault)],
        (Outcome::Budget, _) => budget_words(machine, setting),
        (Outcome::Finished, _) => vec![finished_words(machine, setting)],
    };
    let fault = match outcome {
        Outcome::Fault(fault) => {
            let of = EngineRef { core: fault.core, engine: fault.engine };
            Some(FaultInfo {
                kind: fault.kind.word().to_owned(),
                words: machine.fault_words(fault),
                place: places.place(SlotRef { of, slot: fault.slot }),
            })
        }
        _ => None,
    };
    SimulateAnswer {
        schema: SCHEMA,
        outcome: outcome.word().to_owned(),
        words,
        provenance: Provenance::Modelled,
        time_ns: machine.time_ps() / 1000,
        events: machine.steps(),
        instructions: machine.instructions(),
        inferences: setting.inferences,
        seed: setting.seed,
        until: setting.until_main_end.then(|| "main-end".to_owned()),
        timing: timing_info(timing.0, timing.1),
        semaphores: semaphores(machine, one),
        stuck: stuck.iter().map(|stuck| places.stuck(stuck)).collect(),
        cause: cause.map(|cause| places.cause(&stuck, &cause)),
        wait_graph: if stuck.is_empty() {
            WaitGraph::default()
        } else {
            places.graph(&stuck, &graph)
        },
        fault,
        cores: (0..machine.n_cores()).map(|core| core_end(&places, core)).collect(),
        trace: trace(machine),
        diagnostics: findings(machine, views),
    }
}

fn finished_words(machine: &Machine<'_>, setting: &Setting) -> String {
    let time = machine.time_ps() / 1000;
    match (setting.until_main_end, setting.inferences) {
        (true, _) => format!("Every engine reached the end of MAIN after {time} ns [modelled]."),
        (false, 1) => format!("One inference is done after {time} ns [modelled]."),
        (false, all) => format!("{all} inferences are done after {time} ns [modelled]."),
    }
}

/// Where a run stands that did not come to an end.
fn budget_words(machine: &Machine<'_>, setting: &Setting) -> Vec<String> {
    let mut words = vec![format!(
        "The run did not end within {} events; it may go on for ever.",
        setting.max_events
    )];
    let busiest = (0..machine.n_cores()).flat_map(|core| {
        machine.engine_ends(core).into_iter().map(move |end| (end.instructions, core, end))
    });
    if let Some((instructions, core, end)) =
        busiest.max_by_key(|(n, core, _)| (*n, usize::MAX - core))
    {
        let of = EngineRef { core, engine: end.engine };
        let place = machine.slot_words(SlotRef { of, slot: end.slot });
        words.push(format!("The busiest engine did {instructions} slots and is at {place}."));
    }
    words
}

fn timing_info(timing: &Timing, generation: Generation) -> TimingInfo {
    let of = timing.of(generation);
    let engines = Engine::ALL.into_iter().map(|engine| engine.name()).zip(of.clock_fs);
    let all = engines.chain([("DMA", of.dma_clock_fs)]);
    let own = provenance(timing.provenance);
    TimingInfo {
        name: timing.name.clone(),
        about: timing.about.clone(),
        provenance: own,
        clock_fs: all.map(|(name, fs)| (name.to_owned(), fs)).collect(),
        clock_provenance: match (own, generation) {
            (Provenance::Configured, _) => Provenance::Configured,
            (_, Generation::Mariana) => Provenance::Modelled,
            _ => Provenance::Observed,
        },
    }
}

fn semaphores(machine: &Machine<'_>, one: bool) -> Semaphores {
    let of = |core: usize| -> BTreeMap<String, i32> {
        machine.semaphores(core).into_iter().map(|(id, value)| (id.to_string(), value)).collect()
    };
    if one {
        return Semaphores::One(of(0));
    }
    let all = (0..machine.n_cores()).map(|core| (machine.name(core).0.to_owned(), of(core)));
    Semaphores::All(all.collect())
}

fn core_end(places: &Places<'_, '_>, core: usize) -> CoreEnd {
    let machine = places.machine;
    let engine = |end: device_sim::state::EngineEnd| EngineEndInfo {
        engine: end.engine.name().to_owned(),
        state: match end.phase {
            _ if end.is_done => "done",
            Phase::Done => "done",
            Phase::Running => "running",
            Phase::Waiting => "waiting",
            Phase::Halted => "halted",
        }
        .to_owned(),
        instructions: end.instructions,
        busy_ns: end.busy_ps / 1000,
        waited_ns: end.waited_ps / 1000,
        since_ns: end.since_ps.map(|since| since / 1000),
        place: places.place(SlotRef { of: EngineRef { core, engine: end.engine }, slot: end.slot }),
    };
    let queue = |end: device_sim::state::QueueEnd| QueueEndInfo {
        name: machine.queue_name(core, end.number).to_owned(),
        number: end.number,
        rings: end.rings,
        moved: end.moved,
        blocks: end.blocks,
        in_flight: end.in_flight,
    };
    let inferences = machine.inferences(core);
    CoreEnd {
        subgraph: machine.name(core).0.to_owned(),
        core: places.views.get(core).map_or(0, |view| view.images.inputs.core),
        has_peer: machine.has_peer(core),
        engines: machine.engine_ends(core).into_iter().map(engine).collect(),
        queues: machine.queue_ends(core).into_iter().map(queue).collect(),
        events_set: machine.events_set(core),
        inferences: inferences
            .iter()
            .take(LISTED_INFERENCES)
            .map(|one| InferenceInfo {
                start_ns: one.start_ps.map(|ps| ps / 1000),
                end_ns: one.end_ps.map(|ps| ps / 1000),
            })
            .collect(),
        n_inferences: inferences.len() as u64,
    }
}

fn trace(machine: &Machine<'_>) -> TraceInfo {
    let digest = machine.digest();
    TraceInfo {
        hash: format!("{:016x}", digest.hash()),
        events: digest.total(),
        kinds: digest.counts().map(|(kind, count)| (kind.word().to_owned(), count)).collect(),
    }
}

/// Findings of the images, and what was odd while running.
fn findings(machine: &Machine<'_>, views: &[&View<'_>]) -> Vec<Finding> {
    let mut list: Vec<Finding> = views.iter().flat_map(|view| view.findings(None)).collect();
    for remark in machine.remarks() {
        let subgraph = Some(machine.name(remark.core).0.to_owned());
        let engine = remark.engine.map(|engine| engine.name().to_owned());
        let place = remark.engine.map(|engine| {
            let of = EngineRef { core: remark.core, engine };
            machine.slot_words(SlotRef { of, slot: remark.slot })
        });
        let what = machine.remark_words(remark.kind, remark.core);
        list.push(Finding {
            code: code(remark.kind).to_owned(),
            severity: "warning".to_owned(),
            message: place.map_or_else(|| what.clone(), |place| format!("{place}: {what}")),
            at: At { subgraph, engine, ..At::default() },
        });
    }
    list
}

/// A wait that stands still whenever an engine comes to it, whether or not this run does.
fn never_posted(machine: &Machine<'_>, (at, gate): (SlotRef, Gate)) -> Finding {
    let place = machine.slot_words(at);
    let what = gate.words(gate.value);
    Finding {
        code: "run.never-posted".to_owned(),
        severity: "warning".to_owned(),
        message: format!(
            "{place} waits for {what}, and no record, no transfer and not the host ever posts it; an \
             engine that comes there stands still"
        ),
        at: At {
            subgraph: Some(machine.name(at.of.core).0.to_owned()),
            engine: Some(at.of.engine.name().to_owned()),
            ..At::default()
        },
    }
}

const fn code(kind: device_sim::core::RemarkKind) -> &'static str {
    use device_sim::core::RemarkKind;
    match kind {
        RemarkKind::EventTwice(_) => "run.event-twice",
        RemarkKind::ResetInFlight(_) => "run.reset-in-flight",
        RemarkKind::Dropped(_) => "run.post-dropped",
    }
}
