//! Answers `simulate`: a run of the program on modelled engines, rings and host.

use super::no_rank::no_ranks;
use super::simulate_calibrate::{Measured, calibrate};
use super::simulate_choices::{setting, timing, whom_of};
use super::simulate_end::{core_end, semaphores, timing_info, top_sps, trace};
use super::simulate_findings::{disorder, findings, never_posted};
use super::simulate_places::Places;
use super::simulate_run::{recorded, whole};
use super::simulate_ties::{race_finding, ties};
use super::view::View;
use crate::answer::{CauseInfo, FaultInfo, Provenance, SCHEMA, SimulateAnswer};
use crate::convert::number;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::pairing;
use crate::request::{Scope, SimulateRequest};
use crate::run_trace::{CoreNames, Recorder, RunTrace};
use crate::scope;
use device_image::collectives::plan::{Setting as PlanSetting, plan};
use device_image::{Generation, with_counts};
use device_sim::from_neff;
use device_sim::graph::{Cause, Graph};
use device_sim::input::{CoreInput, EngineInput, Queue, Setting};
use device_sim::posters::{EngineRef, SlotRef};
use device_sim::timing::Timing;
use device_sim::{Machine, Outcome};
use neff::Findings;
use records::Engine;
use std::sync::Arc;

/// TOP_SPs that the words tell of.
const TOLD_TOP_SPS: usize = 1;
/// Ranks of a run, at most.
const MAX_RANKS: u32 = 64;

/// Runs the program, until it ends or is stopped. `progress` is told the events so far.
pub fn simulate(
    files: &[Arc<OpenFile>],
    request: &SimulateRequest,
    progress: &dyn Fn(u64) -> bool,
) -> Result<SimulateAnswer, ApiError> {
    let prepared = Prepared::of(files, request)?;
    let Prepared { setting, timing, seats, generation, measured } = &prepared;
    let (setting, generation) = (setting.clone(), *generation);
    let views: Vec<&View<'_>> = seats.iter().map(|seat| &seat.view).collect();
    let inputs = prepared.inputs(files, request)?;
    let mut machine = Machine::new(&inputs, timing, &setting);
    let (unposted, order) = (machine.never_posted(), machine.disorder());
    let outcome = whole(&mut machine, progress, 0)?;
    let one = views.len() == 1 && request.scope.s.is_some();
    let mut made = answer(&machine, &views, &outcome, &setting, (timing, generation), one);
    made.diagnostics.extend(unposted.iter().map(|one| never_posted(&machine, &views, *one)));
    made.diagnostics.extend(disorder(&machine, &views, &order));
    if request.ranks.is_some() {
        // Captures belong to what runs.
        made.diagnostics
            .extend(no_ranks(files).into_iter().filter(|one| one.severity == "warning"));
    }
    made.ordered = [order.records.0, order.records.1];
    if setting.seed.is_some() {
        let run = || Machine::new(&inputs, timing, &setting);
        let stated_setting = Setting { seed: None, ..setting.clone() };
        let stated = || Machine::new(&inputs, timing, &stated_setting);
        let before = machine.steps();
        let go_on = |steps: u64| progress(before + steps);
        made.ties = ties((&machine, &outcome), &views, &run, &stated, &go_on)?;
        made.diagnostics.extend(made.ties.as_ref().and_then(race_finding));
    }
    made.calibration = measured.as_ref().map(|measured| measured.info(&machine, timing));
    Ok(made)
}

/// Runs the program and keeps what happens.
pub fn traced(
    files: &[Arc<OpenFile>],
    request: &SimulateRequest,
    progress: &dyn Fn(u64) -> bool,
) -> Result<RunTrace, ApiError> {
    let prepared = Prepared::of(files, request)?;
    let inputs = prepared.inputs(files, request)?;
    let names = inputs.iter().map(|input| CoreNames {
        name: input.name.to_owned(),
        rank: input.rank,
        queues: input.queues.iter().map(|queue| queue.name.clone()).collect(),
        stuck: [None; 5],
    });
    let mut names: Vec<CoreNames> = names.collect();
    let mut machine = Machine::new(&inputs, &prepared.timing, &prepared.setting);
    let clock_fs = prepared.timing.of(prepared.generation).clock_fs;
    let mut recorder = Recorder::new(machine.n_cores(), clock_fs);
    let outcome = recorded(&mut machine, &mut recorder, progress)?;
    if outcome == Outcome::Deadlock {
        for one in machine.stuck() {
            let names = names.get_mut(one.at.of.core);
            if let Some(stuck) =
                names.and_then(|names| names.stuck.get_mut(one.at.of.engine.index()))
            {
                *stuck = Some(one.at.slot);
            }
        }
    }
    Ok(recorder.finish(names, machine.time_ps(), outcome.word()))
}

/// What a run is made of.
struct Prepared<'a> {
    setting: Setting,
    timing: Timing,
    seats: Vec<Seat<'a>>,
    generation: Generation,
    measured: Option<Measured>,
}

impl<'a> Prepared<'a> {
    fn of(files: &'a [Arc<OpenFile>], request: &SimulateRequest) -> Result<Self, ApiError> {
        let (setting, mut timing) = (setting(request)?, timing(request)?);
        let seats = seats(files, request)?;
        let first = seats.first().map(|seat| seat.view.images.generation);
        let generation = first.unwrap_or(Generation::Cayman);
        let measured = match request.calibrate {
            Some(file) => Some(calibrate(files, request, file, &mut timing, generation)?),
            None => None,
        };
        Ok(Self { setting, timing, seats, generation, measured })
    }

    fn inputs(
        &self,
        files: &[Arc<OpenFile>],
        request: &SimulateRequest,
    ) -> Result<Vec<CoreInput<'_>>, ApiError> {
        let mut inputs = Vec::with_capacity(self.seats.len());
        for seat in &self.seats {
            inputs.push(core_input(files, seat, request.ranks)?);
        }
        check_what_if(request, &inputs)?;
        Ok(inputs)
    }
}

/// A core that will run: its rank and what it runs.
struct Seat<'a> {
    rank: u32,
    scope: Scope,
    view: View<'a>,
}

/// The cores that run: those of the file of the scope, or of the executables that are ranks.
fn seats<'a>(
    files: &'a [Arc<OpenFile>],
    request: &SimulateRequest,
) -> Result<Vec<Seat<'a>>, ApiError> {
    let of = &request.scope;
    let Some(ranks) = request.ranks else { return of_rank(files, of, 0) };
    if ranks == 0 || ranks > MAX_RANKS {
        let message = format!("a run has 1 to {MAX_RANKS} ranks, not {ranks}");
        return Err(ApiError::bad_request(message));
    }
    let all: Vec<usize> = (0..files.len())
        .filter(|at| files.get(*at).is_some_and(|f| f.as_neff().is_some()))
        .collect();
    let count = u32::try_from(all.len()).unwrap_or(u32::MAX);
    if count > 1 && count != ranks {
        return Err(ApiError::bad_request(format!(
            "{count} executables cannot be {ranks} ranks: give one for all ranks, or one for each"
        )));
    }
    let mut seats = Vec::new();
    for rank in 0..ranks {
        let file = if count > 1 { all.get(rank as usize).copied() } else { of.f };
        seats.extend(of_rank(files, &Scope { f: file, ..of.clone() }, rank)?);
    }
    Ok(seats)
}

/// The cores of a rank: the one of the scope, or all of the file.
fn of_rank<'a>(
    files: &'a [Arc<OpenFile>],
    of: &Scope,
    rank: u32,
) -> Result<Vec<Seat<'a>>, ApiError> {
    let file = scope::neff(files, of.f)?;
    if of.s.is_some() {
        let view = View::of(files, of)?;
        return Ok(vec![Seat { rank, scope: of.clone(), view }]);
    }
    // One core at least, so that a file without any says so.
    let count = file.package().subgraphs().len().max(1);
    let seat = |index: usize| {
        let core = of.core.map(|core| core.saturating_add(u32::try_from(index).unwrap_or(0)));
        let scope = Scope { s: Some(index.to_string()), core, ..of.clone() };
        let view = View::of(files, &scope)?;
        Ok(Seat { rank, scope: Scope { s: None, ..scope }, view })
    };
    (0..count).map(seat).collect()
}

fn core_input<'v>(
    files: &[Arc<OpenFile>],
    seat: &'v Seat<'_>,
    ranks: Option<u32>,
) -> Result<CoreInput<'v>, ApiError> {
    let Seat { rank, scope, view } = seat;
    let engine = |engine: Engine| {
        let built = view.images.engine(engine);
        let base = view.base(engine).0.get();
        EngineInput { image: &built.image, base, stream: view.stream(engine) }
    };
    let (collectives, top_sps) = staged(view, *rank, ranks);
    Ok(CoreInput {
        name: view.subgraph,
        rank: *rank,
        generation: view.images.generation,
        core: view.images.inputs.core,
        engines: Engine::ALL.map(engine),
        queues: queues(files, scope, view)?,
        table: from_neff::table(view.file.package(), view.index),
        collectives,
        top_sps,
    })
}

/// What a rank stages for its collectives. What is odd about the plan is for `collectives` to tell.
fn staged(view: &View<'_>, rank: u32, ranks: Option<u32>) -> from_neff::Staged {
    let Some(subgraph) = view.file.package().subgraphs().get(view.index) else {
        return from_neff::Staged::default();
    };
    let setting = PlanSetting {
        generation: view.images.generation,
        core: view.images.inputs.core,
        cores: view.file.program(view.index).subgraph.cores,
        rank: ranks.map(|_| rank),
        world: ranks,
        ranks_per_node: None,
        channels: None,
        algorithm: None,
    };
    let plan = plan(view.file.package(), subgraph, &setting, &mut Findings::new());
    from_neff::staged(&plan, rank)
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
    let whom = |text: &str| {
        let first = text.split(':').next().unwrap_or_default();
        (!matches!(first, "semaphore" | "event")).then(|| whom_of(first))
    };
    let drops = request.drop.iter().filter_map(|text| whom(text));
    let delays = request.delay.iter().filter_map(|text| whom(text));
    for (rank, subgraph) in drops.chain(delays) {
        let is = |input: &CoreInput<'_>| {
            rank.is_none_or(|rank| rank == input.rank)
                && subgraph.as_deref().is_none_or(|name| name == input.name)
        };
        if !inputs.iter().any(is) {
            let shown: String = subgraph.unwrap_or_default().chars().take(64).collect();
            return Err(ApiError::bad_request(match rank {
                Some(rank) if shown.is_empty() => format!("no rank {rank} runs"),
                Some(rank) => format!("no subgraph `{shown}` of rank {rank} runs"),
                None => format!("no subgraph `{shown}` runs"),
            }));
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
    let mut graph = Graph::of(&stuck);
    let cause = Cause::of(&stuck, &graph);
    // Without an engine that waits, a collective can stand still all the same.
    let alone = (*outcome == Outcome::Deadlock && cause.is_none()).then(|| machine.top_sp_cause());
    let alone = alone.flatten().map(|(own, reason, missing)| {
        graph = own;
        CauseInfo {
            kind: reason.word().to_owned(),
            stuck: Vec::new(),
            about: machine.missing_words(&missing),
        }
    });
    let mut words = match (outcome, &cause) {
        (Outcome::Deadlock, Some(cause)) => machine.deadlock_words(&stuck, &graph, cause),
        (Outcome::Deadlock, None) => {
            vec![
                "All engines are through, and a collective that they started does not end."
                    .to_owned(),
            ]
        }
        (Outcome::Fault(fault), _) => vec![machine.fault_words(fault)],
        (Outcome::Budget, _) => budget_words(machine, setting),
        (Outcome::Finished, _) => vec![finished_words(machine, setting)],
    };
    if *outcome == Outcome::Deadlock {
        let mut top_sps = machine.stuck_top_sps();
        // The one that misses something from outside comes first.
        top_sps.sort_by_key(|one| !machine.is_root(one));
        let told = top_sps.iter().take(TOLD_TOP_SPS);
        words.extend(told.map(|one| machine.stuck_top_sp_words(one)));
        if let Some(more) = top_sps.len().checked_sub(TOLD_TOP_SPS).filter(|more| *more > 0) {
            let are = if more == 1 { "TOP_SP stands" } else { "TOP_SPs stand" };
            words.push(format!("{more} more {are} in a collective."));
        }
    }
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
        cause: cause.map(|cause| places.cause(&stuck, &cause)).or(alone),
        wait_graph: places.graph(&stuck, &graph),
        fault,
        cores: (0..machine.n_cores()).map(|core| core_end(&places, core)).collect(),
        top_sps: top_sps(machine),
        trace: trace(machine),
        ties: None,
        calibration: None,
        ordered: [0; 2],
        diagnostics: findings(machine, views, &setting.what_if),
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
