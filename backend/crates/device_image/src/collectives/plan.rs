//! The plan of one program: its triggers with their algorithms, and what they put into the tables
//! of the TOP_SPs.
//! Spec: docs/format/collectives-plan.md "Tables" [inferred].

use super::algorithm::{Shape, does, schedule, takes};
use super::choice::{Conditions, choose, mesh_groups, variant};
use super::groups;
use super::names::{Algorithm, Kind, Operation as Op};
use super::tables::{Entry, MAX_CHANNELS, Operation, entries};
use super::top_sp::{of_core, rooms, semaphore};
use super::trigger::{MAX_STREAMS, Trigger, check_chains, group_of, triggers};
use crate::program::Generation;
use neff::{Findings, Package, Place, Severity, Subgraph};
use records::Provenance;
use std::collections::{BTreeMap, BTreeSet};

/// Ranks of a node unless somebody says otherwise: 16 chips of 4 logical cores.
/// Spec: docs/format/collectives-plan.md "Choice of an algorithm" [modelled].
pub const RANKS_PER_NODE: u32 = 64;
/// Semaphores of a TOP_SP that have a fixed use: trigger and completion.
/// Spec: docs/format/collectives-plan.md "Completion surface" [observed].
const TRIGGER: u32 = 0;
const COMPLETION: u32 = 1;

/// What the file does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Setting {
    /// Generation of the chip.
    pub generation: Generation,
    /// Physical core that runs the program.
    pub core: u32,
    /// Physical cores of a logical one.
    pub cores: u32,
    /// Rank that runs it.
    pub rank: Option<u32>,
    /// Ranks of the job, if the file does not say.
    pub world: Option<u32>,
    /// Ranks of a node.
    pub ranks_per_node: Option<u32>,
    /// Channels of an operation; one for each TOP_SP if `None`.
    pub channels: Option<u32>,
    /// Algorithm of all collectives; a modelled choice if `None`.
    pub algorithm: Option<Algorithm>,
}

/// A trigger with what follows from it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// The record.
    pub trigger: Trigger,
    /// Ranks that take part, in ring order; empty where the file names none, which means all.
    pub ranks: Vec<u32>,
    /// How many take part; `None` if that is not known.
    pub n_ranks: Option<u32>,
    /// Algorithm.
    pub algorithm: Option<Algorithm>,
    /// Number of its variant, by our model of the choice.
    pub variant: Option<u8>,
    /// Configured or modelled.
    pub algorithm_from: Provenance,
    /// Why, in words.
    pub why: String,
    /// Steps of the schedule.
    pub steps: Option<u64>,
    /// Ranks of a node in the schedule, where they divide the group; else it takes its own default.
    pub locals: Option<u32>,
}

/// Address of a semaphore, with how sure its use is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceSemaphore {
    /// Name in the configuration.
    pub name: &'static str,
    /// Number; `None` where it is not known.
    pub index: Option<u32>,
    /// TOP_SP that has it.
    pub top_sp: Option<u32>,
    /// Read and increment address.
    pub address: Option<(u64, u64)>,
    /// How sure this is.
    pub from: Provenance,
}

/// A TOP_SP with its tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TopSp {
    /// Number on the chip.
    pub index: u32,
    /// Entries of its control table.
    pub entries: Vec<Entry>,
    /// Entries on its slot tape.
    pub tape: u64,
    /// Semaphores of the configuration.
    pub surface: Vec<SurfaceSemaphore>,
    /// Whether it leads the stream.
    pub leader: bool,
}

/// The plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Collectives, by engine and slot.
    pub planned: Vec<Planned>,
    /// TOP_SPs.
    pub top_sps: Vec<TopSp>,
    /// Channels of an operation.
    pub channels: u32,
    /// Ranks of the job.
    pub world: Option<(u32, Provenance)>,
    /// Streams, and whether the file says so.
    pub streams: (u64, Provenance),
}

/// Plans a program. What is wrong with it is a finding.
pub fn plan(
    package: &Package,
    subgraph: &Subgraph,
    setting: &Setting,
    findings: &mut Findings,
) -> Plan {
    let found = triggers(package, subgraph, findings);
    check_chains(&found, subgraph, findings);
    let world = world(subgraph, setting, found.is_empty(), findings);
    if !found.is_empty() {
        check_groups(&found, subgraph, setting, world, findings);
    }
    let mut indices = of_core(setting.generation, setting.core, setting.cores);
    let place = || Place::member(&subgraph.definition_member);
    if indices.is_empty() {
        let message =
            format!("core {} has no TOP_SP on {}", setting.core, setting.generation.name());
        findings.push(Severity::Warning, "collectives.top-sp", place(), message);
    }
    let n_top_sps = u32::try_from(indices.len()).unwrap_or(0);
    let channels = setting.channels.unwrap_or(n_top_sps);
    if channels > MAX_CHANNELS {
        let message = format!(
            "{channels} channels are asked for, a communicator has at most {MAX_CHANNELS}: \
             channel ids above 31 have no bit in an entry"
        );
        findings.push(Severity::Error, "collectives.channels", place(), message);
    }
    if setting.channels == Some(0) {
        let message =
            format!("0 channels are asked for; expected 1 to {MAX_CHANNELS}: nothing would move");
        findings.push(Severity::Error, "collectives.channels", place(), message);
    }
    let channels = channels.min(MAX_CHANNELS);
    let streams = streams(&found, subgraph, findings);
    if found.is_empty() {
        // Nothing is staged, so nothing is completed either.
        indices.clear();
    }
    let mut lengths = BTreeMap::new();
    let planned: Vec<Planned> = found
        .into_iter()
        .map(|trigger| choose_for(trigger, subgraph, setting, world, &mut lengths, findings))
        .collect();
    let operations: Vec<Operation> = planned
        .iter()
        .enumerate()
        .map(|(at, one)| Operation {
            trigger: at,
            algorithm: one.algorithm,
            variant: one.variant,
            is_shared: one.n_ranks != Some(1),
            channels: if one.trigger.peer.is_some() { 1 } else { channels },
            steps: one.steps.unwrap_or(0),
            is_chained: matches!(one.trigger.chaining, Some(1 | 2)),
        })
        .collect();
    let lists = entries(&operations, n_top_sps);
    let top_sps: Vec<TopSp> = indices
        .iter()
        .zip(lists)
        .enumerate()
        .map(|(at, (index, entries))| TopSp {
            index: *index,
            tape: entries.iter().map(|entry| entry.tape).sum(),
            entries,
            surface: surface(setting.generation, *index, indices.get(at + 1).copied()),
            leader: at == 0,
        })
        .collect();
    check_rooms(&top_sps, &planned, setting.generation, subgraph, findings);
    Plan { planned, top_sps, channels, world, streams }
}

/// As many as the definition says; else up to the highest that a record names; else one.
/// Spec: docs/format/collectives-plan.md "Limits" [inferred].
fn streams(found: &[Trigger], subgraph: &Subgraph, findings: &mut Findings) -> (u64, Provenance) {
    let last = found.iter().filter(|one| one.stream.is_some()).max_by_key(|one| one.stream);
    let named = last.and_then(|one| Some((one, u64::from(one.stream?) + 1)));
    let Some(said) = subgraph.definition.num_streams else {
        let modelled = (1, Provenance::Modelled);
        return named.map_or(modelled, |(_, named)| (named, Provenance::Inferred));
    };
    if said > MAX_STREAMS {
        let message = format!("{said} streams, a program has at most {MAX_STREAMS}");
        let place = Place::member(&subgraph.definition_member);
        findings.push(Severity::Error, "collectives.streams", place, message);
    }
    if let Some((one, named)) = named.filter(|(_, named)| *named > said) {
        let message = format!(
            "the collective names stream {}, and the definition has {said} streams",
            named - 1
        );
        findings.push(Severity::Error, "collectives.streams", one.place(subgraph), message);
    }
    (said, Provenance::File)
}

fn world(
    subgraph: &Subgraph,
    setting: &Setting,
    is_alone: bool,
    findings: &mut Findings,
) -> Option<(u32, Provenance)> {
    let mut say = |message| {
        let place = Place::member(&subgraph.definition_member);
        findings.push(Severity::Error, "collectives.world", place, message);
    };
    let said = subgraph.definition.rank_world_size;
    let file = said.and_then(|world| u32::try_from(world).ok());
    if let Some(said) = said.filter(|_| file.is_none()) {
        say(format!("`#rank_world_size` is {said}; expected a number below 2^32"));
    }
    if said.is_none() && subgraph.definition.extra.contains_key("#rank_world_size") {
        say("`#rank_world_size` is no number of ranks".to_owned());
    }
    let file = file.map(|world| (world, Provenance::File));
    let world = file.or_else(|| setting.world.map(|world| (world, Provenance::Configured)));
    match world {
        // Compilers write 0 where a program has no collectives.
        Some((0, Provenance::File)) if is_alone => {}
        Some((0, Provenance::File)) => {
            say("`#rank_world_size` is 0; expected 1 or more".to_owned())
        }
        Some((0, _)) => say("a job of 0 ranks is asked for; expected 1 or more".to_owned()),
        _ => {}
    }
    world
}

fn check_groups(
    found: &[Trigger],
    subgraph: &Subgraph,
    setting: &Setting,
    world: Option<(u32, Provenance)>,
    findings: &mut Findings,
) {
    let known = world.map(|(world, _)| world);
    for trigger in found {
        let Some(peer) = trigger.peer else { continue };
        let outside = known.is_some_and(|world| peer >= u64::from(world));
        if outside || u32::try_from(peer).is_err() {
            let ranks = known
                .map_or("below 2^32".to_owned(), |world| format!("0 to {}", i64::from(world) - 1));
            let message =
                format!("the transfer names rank {peer}; expected a rank of the job, {ranks}");
            findings.push(
                Severity::Error,
                "collectives.rank-outside",
                trigger.place(subgraph),
                message,
            );
        }
    }
    let mut seen: BTreeSet<u32> = BTreeSet::new();
    for trigger in found {
        let Some(index) = trigger.group.filter(|index| seen.insert(*index)) else { continue };
        let Some(set) = group_of(subgraph, index) else { continue };
        let place = trigger.place(subgraph);
        groups::check(set, known, &place, findings);
        let lacking = match (setting.rank, known) {
            (Some(rank), _) if set.iter().all(Vec::is_empty) => {
                let outside = known.is_some_and(|world| rank >= world);
                if outside { vec![rank] } else { Vec::new() }
            }
            (Some(rank), _) if groups::of_rank(set, rank).is_none() => vec![rank],
            (Some(_), _) => Vec::new(),
            (None, Some(world)) => groups::missing(set, world),
            (None, None) => {
                groups::suggested_world(set).map_or_else(Vec::new, |all| groups::missing(set, all))
            }
        };
        let sure = setting.rank.is_some() || known.is_some();
        let severity = if sure { Severity::Error } else { Severity::Warning };
        for rank in lacking {
            let message =
                format!("replica groups {} do not contain rank {rank}", groups::text(set));
            findings.push(severity, "collectives.rank-missing", place.clone(), message);
        }
    }
    let odd = known.filter(|world| {
        setting.generation == Generation::Sunda
            && !matches!(world, 1 | 2 | 8 | 16)
            && !world.is_multiple_of(32)
    });
    if let Some(world) = odd {
        let message = format!(
            "unsupported topology: {world} ranks; runtimes of this generation take 1, 2, 8, 16 or a multiple of 32"
        );
        let place = Place::member(&subgraph.definition_member);
        findings.push(Severity::Warning, "collectives.topology", place, message);
    }
}

/// Steps of schedules that were written once.
type Lengths = BTreeMap<(Algorithm, Op, u32, Option<u32>), Option<u64>>;

fn choose_for(
    trigger: Trigger,
    subgraph: &Subgraph,
    setting: &Setting,
    world: Option<(u32, Provenance)>,
    lengths: &mut Lengths,
    findings: &mut Findings,
) -> Planned {
    let named = trigger.group.and_then(|index| group_of(subgraph, index));
    let set = named.unwrap_or_default();
    let group = match setting.rank {
        Some(rank) => groups::of_rank(set, rank),
        None => set.first().map(Vec::as_slice),
    };
    let ranks: Vec<u32> = group.unwrap_or_default().to_vec();
    let n_ranks = match (trigger.peer, ranks.is_empty()) {
        (Some(_), _) => Some(2),
        (None, false) => u32::try_from(ranks.len()).ok(),
        // No groups means all ranks.
        (None, true) => {
            let all = named.is_some_and(|set| set.iter().all(Vec::is_empty));
            world.map(|(world, _)| world).filter(|_| all)
        }
    };
    let mut planned = Planned {
        trigger,
        ranks,
        n_ranks,
        algorithm: None,
        variant: None,
        algorithm_from: Provenance::Modelled,
        why: String::new(),
        steps: None,
        locals: None,
    };
    let place = planned.trigger.place(subgraph);
    let Some(operation) = planned.trigger.kind.operation() else {
        planned.why = match planned.trigger.kind {
            Kind::Unknown => {
                let kind = planned.trigger.ctype.map_or(String::new(), |kind| format!(" {kind}"));
                let message = format!(
                    "kind{kind} of collective has no known name, and the sizes of its variables do not tell it"
                );
                findings.push(Severity::Info, "collectives.kind", place, message.clone());
                message
            }
            _ => "one transfer between two ranks".to_owned(),
        };
        return planned;
    };
    let Some(n_ranks) = n_ranks else {
        planned.why = "how many ranks take part is not known".to_owned();
        return planned;
    };
    let conditions = Conditions {
        generation: setting.generation,
        cores: setting.cores,
        ranks: n_ranks,
        ranks_per_node: setting.ranks_per_node.unwrap_or(RANKS_PER_NODE),
        bytes: planned.trigger.message_bytes().unwrap_or(0),
    };
    if let Some(algorithm) = setting.algorithm {
        planned.algorithm = Some(algorithm);
        planned.algorithm_from = Provenance::Configured;
        planned.why = "asked for".to_owned();
        let refused = match takes(algorithm, n_ranks) {
            Err(why) => Some(why),
            Ok(()) if !does(algorithm, operation) => Some("it does not do this operation"),
            Ok(()) => None,
        };
        if let Some(why) = refused {
            let message = format!(
                "unsupported topology: {} for {} over {n_ranks} ranks: {why}",
                algorithm.name(),
                operation.name()
            );
            findings.push(Severity::Error, "collectives.topology", place.clone(), message);
        }
    } else {
        match choose(operation, &conditions) {
            Some((algorithm, why)) => {
                planned.algorithm = Some(algorithm);
                planned.why = why.to_owned();
            }
            None => planned.why = "the group has no other rank, so nothing moves".to_owned(),
        }
    }
    if let Some(algorithm) = planned.algorithm {
        planned.variant = Some(variant(algorithm, &conditions));
        let node = conditions.ranks_per_node;
        if setting.ranks_per_node.is_some()
            && (node == 0 || (n_ranks > node && !n_ranks.is_multiple_of(node)))
        {
            let message =
                format!("{node} ranks a node do not divide {n_ranks} ranks; planned as one node");
            findings.push(Severity::Error, "collectives.locals", place, message);
        }
        let divides = node > 1 && n_ranks > node && n_ranks.is_multiple_of(node);
        let locals = match algorithm {
            Algorithm::Hierarchical => divides.then_some(node),
            Algorithm::Mesh => mesh_groups(operation, &conditions),
            _ => None,
        };
        planned.locals = locals;
        let length = lengths.entry((algorithm, operation, n_ranks, locals)).or_insert_with(|| {
            let shape = Shape { locals, ..Shape::default() };
            let made = schedule(algorithm, operation, n_ranks, shape).ok()?;
            u64::try_from(made.steps.len()).ok()
        });
        planned.steps = *length;
    }
    planned
}

/// Spec: docs/format/collectives-plan.md "Completion surface" [inferred].
fn surface(generation: Generation, index: u32, next: Option<u32>) -> Vec<SurfaceSemaphore> {
    let of = |name, top_sp: Option<u32>, number: u32, from| SurfaceSemaphore {
        name,
        index: top_sp.map(|_| number),
        top_sp,
        address: top_sp.and_then(|top_sp| semaphore(generation, top_sp, number)),
        from,
    };
    vec![
        of("trigger", Some(index), TRIGGER, Provenance::Observed),
        of("trigger_next", Some(index), TRIGGER, Provenance::Inferred),
        of("complete", next, COMPLETION, Provenance::Modelled),
        of("complete_prev", Some(index), COMPLETION, Provenance::Inferred),
        of("tpb_stop_sema", None, 0, Provenance::Modelled),
    ]
}

/// Tables that are too large, at the record whose entries are the first without room.
fn check_rooms(
    top_sps: &[TopSp],
    planned: &[Planned],
    generation: Generation,
    subgraph: &Subgraph,
    findings: &mut Findings,
) {
    let (control, tape) = rooms(generation);
    let place = |entry: Option<&Entry>| {
        let planned = entry.and_then(|entry| planned.get(entry.trigger));
        planned.map_or_else(
            || Place::member(&subgraph.definition_member),
            |one| one.trigger.place(subgraph),
        )
    };
    for top_sp in top_sps {
        let entries = top_sp.entries.len() as u64;
        if let Some(room) = control.entries().filter(|room| entries > *room) {
            let message = format!(
                "the control table of TOP_SP {} needs {entries} entries and has room for {room}",
                top_sp.index
            );
            let first = usize::try_from(room).ok().and_then(|room| top_sp.entries.get(room));
            findings.push(Severity::Error, "collectives.table", place(first), message);
        }
        if let Some(room) = tape.entries().filter(|room| top_sp.tape > *room) {
            let message = format!(
                "the slot tape of TOP_SP {} takes about {} entries in our model and has room for {room}",
                top_sp.index, top_sp.tape
            );
            let first = top_sp.entries.iter().scan(0_u64, |end, entry| {
                *end += entry.tape;
                Some((*end, entry))
            });
            let first = first.filter(|(end, _)| *end > room).map(|(_, entry)| entry).next();
            findings.push(Severity::Warning, "collectives.tape", place(first), message);
        }
    }
}
