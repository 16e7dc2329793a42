//! Parts of the answer about a run that say how far everything is at its end.

use super::simulate_places::Places;
use crate::answer::{
    CoreEnd, EngineEndInfo, InferenceInfo, Provenance, QueueEndInfo, Semaphores, TimingInfo,
    TopSpEnd, TraceInfo,
};
use crate::convert::provenance;
use device_image::Generation;
use device_sim::Machine;
use device_sim::core::Phase;
use device_sim::posters::{EngineRef, SlotRef};
use device_sim::timing::Timing;
use records::Engine;
use std::collections::BTreeMap;

/// Inferences that the answer lists.
const LISTED_INFERENCES: usize = 1000;

/// The timing model that was used.
pub fn timing_info(timing: &Timing, generation: Generation) -> TimingInfo {
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

/// Semaphores at the end.
pub fn semaphores(machine: &Machine<'_>, one: bool) -> Semaphores {
    let of = |core: usize| -> BTreeMap<String, i32> {
        machine.semaphores(core).into_iter().map(|(id, value)| (id.to_string(), value)).collect()
    };
    if one {
        return Semaphores::One(of(0));
    }
    let name = |core: usize| match machine.name(core) {
        (name, rank) if several_ranks(machine) => format!("rank{rank}/{name}"),
        (name, _) => name.to_owned(),
    };
    let all = (0..machine.n_cores()).map(|core| (name(core), of(core)));
    Semaphores::All(all.collect())
}

/// A core at the end.
pub fn core_end(places: &Places<'_, '_>, core: usize) -> CoreEnd {
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
        moved_in_all: end.moved_in_all,
        blocks: end.blocks,
        in_flight: end.in_flight,
    };
    let inferences = machine.inferences(core);
    CoreEnd {
        subgraph: machine.name(core).0.to_owned(),
        rank: machine.name(core).1,
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

/// What happened, in numbers.
pub fn trace(machine: &Machine<'_>) -> TraceInfo {
    let digest = machine.digest();
    TraceInfo {
        hash: format!("{:016x}", digest.hash()),
        events: digest.total(),
        kinds: digest.counts().map(|(kind, count)| (kind.word().to_owned(), count)).collect(),
    }
}

fn several_ranks(machine: &Machine<'_>) -> bool {
    (0..machine.n_cores()).any(|core| machine.name(core).1 != 0)
}

/// The TOP_SPs with a control table.
pub fn top_sps(machine: &Machine<'_>) -> Vec<TopSpEnd> {
    let stuck = machine.stuck_top_sps();
    let all = machine.top_sp_ends().into_iter().filter(|end| end.entries > 0);
    all.map(|end| {
        let told = stuck.iter().find(|one| one.at == end.at);
        TopSpEnd {
            rank: machine.name(end.core).1,
            subgraph: machine.name(end.core).0.to_owned(),
            core: machine.core_words(end.core),
            index: end.index,
            done: end.done,
            entries: end.entries,
            state: match end.phase {
                _ if told.is_some() => "stuck",
                device_sim::fabric::Phase::Idle => "idle",
                _ => "running",
            }
            .to_owned(),
            words: told.map_or_else(
                || "waits for its next trigger".to_owned(),
                |one| machine.stuck_top_sp_state(one),
            ),
        }
    })
    .collect()
}
