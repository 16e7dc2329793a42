//! Answers `collectives`: the plan of one executable, and what several ranks do not agree on.

use super::collective_barrier::barrier;
use super::collectives_view as view;
use super::memory::generation;
use super::no_rank::no_ranks;
use super::schedule::algorithm;
use crate::answer::{
    At, CollectiveRank, CollectivesAnswer, ComparedCollective, ComparedField, ComparedRank,
    Finding, Provenance, RankDifference, RankValue, SCHEMA, TriggerPlace, TsyncStep,
};
use crate::convert::{at, findings, provenance};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::names::labels;
use crate::neff_file::NeffFile;
use crate::request::CollectivesRequest;
use crate::scope;
use device_image::collectives::compare::{
    Cell, Difference, Rank, first_difference, peer_faults, table,
};
use device_image::collectives::plan::{Plan, RANKS_PER_NODE, Setting, plan};
use device_image::collectives::trigger::Trigger;
use device_image::collectives::tsync::PROTOCOL;
use neff::{Findings, Subgraph};
use std::sync::Arc;

/// Collectives of one answer, by default and at most.
const COUNT: (u32, u32) = (256, 4_096);
/// Collectives of all ranks that are compared one by one, as cells.
const MOST_CELLS: usize = 16_384;
/// Findings of one answer.
const MOST_FINDINGS: usize = 1_000;

/// One executable with its plan.
struct Planned<'a> {
    at: usize,
    file: &'a NeffFile,
    index: usize,
    subgraph: &'a Subgraph,
    setting: Setting,
    plan: Plan,
    findings: Vec<Finding>,
}

/// The plan of an executable; with several, what they do not agree on.
///
/// # Errors
/// `collectives.algorithm`, `memory.generation`; else as a scope.
pub fn collectives(
    files: &[Arc<OpenFile>],
    request: &CollectivesRequest,
) -> Result<CollectivesAnswer, ApiError> {
    let first = scope::neff(files, request.scope.f)?;
    let all: Vec<(usize, &NeffFile)> = files
        .iter()
        .enumerate()
        .filter_map(|(at, file)| Some((at, file.as_neff()?)))
        .filter(|(_, file)| request.scope.f.is_none() || std::ptr::eq(*file, first))
        .collect();
    let n_files = u32::try_from(all.len()).unwrap_or(u32::MAX);
    let mut planned = Vec::with_capacity(all.len());
    for (rank, (at, file)) in (0..).zip(all) {
        let several = (n_files > 1).then_some((rank, n_files));
        planned.push(plan_of(at, file, request, several)?);
    }
    let shown = request.rank.filter(|_| n_files > 1).unwrap_or(0);
    let Some(one) = usize::try_from(shown).ok().and_then(|at| planned.get(at)) else {
        let message =
            format!("there is no rank {shown}: {n_files} executables are ranks from 0 on");
        return Err(ApiError::new(ErrorKind::BadRequest, "collectives.rank", message));
    };
    let from = request.from as usize;
    let count = request.count.unwrap_or(COUNT.0).min(COUNT.1) as usize;
    let ranks: Vec<(&Planned<'_>, Vec<Trigger>)> = planned
        .iter()
        .map(|one| (one, one.plan.planned.iter().map(|one| one.trigger.clone()).collect()))
        .collect();
    let mut diagnostics: Vec<Finding> =
        planned.iter().flat_map(|one| one.findings.iter().cloned()).collect();
    if request.scope.f.is_none() {
        diagnostics.extend(no_ranks(files));
    }
    let (difference, comparison) = match n_files {
        0 | 1 => (None, Vec::new()),
        _ => compare(&ranks, &mut diagnostics),
    };
    diagnostics.truncate(MOST_FINDINGS);
    let generation = one.setting.generation;
    let or = |configured: bool, other: Provenance| {
        if configured { Provenance::Configured } else { other }
    };
    Ok(CollectivesAnswer {
        schema: SCHEMA,
        file: one.at,
        subgraph: one.subgraph.name.clone(),
        generation: generation.name().to_owned(),
        core: one.setting.core,
        core_provenance: or(request.scope.core.is_some(), Provenance::Modelled),
        rank: one.setting.rank,
        world: one.plan.world.map(|(world, _)| world),
        world_provenance: one.plan.world.map(|(_, from)| provenance(from)),
        ranks_per_node: one.setting.ranks_per_node.unwrap_or(RANKS_PER_NODE),
        ranks_per_node_provenance: or(request.ranks_per_node.is_some(), Provenance::Modelled),
        streams: one.plan.streams.0,
        streams_provenance: provenance(one.plan.streams.1),
        channels: one.plan.channels,
        channels_provenance: or(request.channels.is_some(), Provenance::Modelled),
        groups: view::replica_groups(&one.subgraph.definition),
        pairs: one.file.kbin(one.index).map(|kbin| kbin.pairs.clone()).unwrap_or_default(),
        n_triggers: one.plan.planned.len() as u64,
        from: from as u64,
        triggers: view::triggers(&one.plan, from, count),
        top_sps: view::top_sps(&one.plan, generation, from, count),
        barrier: barrier(&one.plan, &one.setting),
        tsync: PROTOCOL
            .iter()
            .map(|step| TsyncStep {
                who: step.who.to_owned(),
                what: step.what.to_owned(),
                provenance: provenance(step.source.provenance()),
            })
            .collect(),
        ranks: if n_files > 1 {
            {
                let labels = labels(files);
                planned.iter().map(|one| rank(one, &labels)).collect()
            }
        } else {
            Vec::new()
        },
        difference,
        comparison,
        diagnostics,
    })
}

fn plan_of<'a>(
    at: usize,
    file: &'a NeffFile,
    request: &CollectivesRequest,
    several: Option<(u32, u32)>,
) -> Result<Planned<'a>, ApiError> {
    let (index, subgraph) = scope::subgraph(file, &request.scope)?;
    let program = file.program(index);
    let own = program.subgraph.generation;
    let core = request.scope.core.unwrap_or_else(|| u32::try_from(index).unwrap_or(0));
    let setting = Setting {
        generation: request.generation.as_deref().map_or(Ok(own), generation)?,
        core,
        cores: program.subgraph.cores,
        rank: several.map(|(rank, _)| rank).or(request.rank),
        world: request.world.or(several.map(|(_, world)| world)),
        ranks_per_node: request.ranks_per_node,
        channels: request.channels,
        algorithm: request.algorithm.as_deref().map(algorithm).transpose()?,
    };
    let mut found = Findings::new();
    let plan = plan(file.package(), subgraph, &setting, &mut found);
    let mut findings = findings(found.as_slice());
    let file_world = plan.world.filter(|(_, from)| *from == records::Provenance::File);
    if let Some((asked, (world, _))) = request.world.zip(file_world)
        && asked != world
    {
        findings.push(Finding {
            code: "collectives.world".to_owned(),
            severity: "warning".to_owned(),
            message: format!(
                "the file says {world} ranks, so the {asked} that were asked for do not count"
            ),
            at: At::default(),
        });
    }
    if let Some((rank, _)) = several {
        for finding in &mut findings {
            finding.message = format!("rank {rank}: {}", finding.message);
        }
    }
    check_pairs(file, index, &plan, subgraph, setting.rank, &mut findings);
    Ok(Planned { at, file, index, subgraph, setting, plan, findings })
}

/// A send or receive of a known rank must be one of the definition's pairs, if it has any.
fn check_pairs(
    file: &NeffFile,
    index: usize,
    plan: &Plan,
    subgraph: &Subgraph,
    rank: Option<u32>,
    findings: &mut Vec<Finding>,
) {
    let Some(rank) = rank.map(u64::from) else { return };
    let Some(kbin) = file.kbin(index) else { return };
    if kbin.pairs.iter().all(Vec::is_empty) {
        return;
    }
    for one in &plan.planned {
        let Some(peer) = one.trigger.peer else { continue };
        let is_send = one.trigger.kind == device_image::collectives::names::Kind::Send;
        let (source, target) = if is_send { (rank, peer) } else { (peer, rank) };
        if kbin.pairs.iter().flatten().any(|pair| *pair == (source, target)) {
            continue;
        }
        findings.push(Finding {
            code: "collectives.pair".to_owned(),
            severity: "error".to_owned(),
            message: format!(
                "rank {rank} {} rank {peer}, and the pair ({source},{target}) is not among the source and target pairs",
                if is_send { "sends to" } else { "receives from" }
            ),
            at: at(&one.trigger.place(subgraph)),
        });
    }
}

fn rank(one: &Planned<'_>, labels: &[String]) -> CollectiveRank {
    CollectiveRank {
        rank: one.setting.rank.unwrap_or(0),
        file: one.at,
        name: labels.get(one.at).map_or(one.file.name(), String::as_str).to_owned(),
        subgraph: one.subgraph.name.clone(),
        n_triggers: one.plan.planned.len() as u64,
    }
}

fn compare(
    planned: &[(&Planned<'_>, Vec<Trigger>)],
    diagnostics: &mut Vec<Finding>,
) -> (Option<RankDifference>, Vec<ComparedCollective>) {
    let ranks: Vec<Rank<'_>> = planned
        .iter()
        .map(|(one, triggers)| Rank {
            rank: one.setting.rank.unwrap_or(0),
            triggers,
            groups: &one.subgraph.definition.replica_groups,
        })
        .collect();
    let of_rank = |rank: u32| planned.iter().find(|(one, _)| one.setting.rank == Some(rank));
    let place = |rank: u32, trigger: usize| -> At {
        let found = of_rank(rank)
            .and_then(|(one, triggers)| Some(at(&triggers.get(trigger)?.place(one.subgraph))));
        found.unwrap_or_default()
    };
    for fault in peer_faults(&ranks) {
        diagnostics.push(Finding {
            code: fault.code.to_owned(),
            severity: "error".to_owned(),
            message: fault.message,
            at: place(fault.rank, fault.trigger),
        });
    }
    let trigger_place = |rank: u32, trigger: Option<usize>| {
        let (index, (_, triggers)) = trigger.zip(of_rank(rank))?;
        Some(view::place(index, triggers.get(index)?))
    };
    let comparison = compared(&ranks, trigger_place);
    let Some(difference) = first_difference(&ranks) else { return (None, comparison) };
    let message = in_words(&difference);
    let values = difference.values.iter().map(|(rank, value, trigger)| RankValue {
        rank: *rank,
        value: value.clone(),
        place: trigger_place(*rank, *trigger),
    });
    let values: Vec<RankValue> = values.collect();
    let other = other_rank(&difference);
    let code =
        if difference.field == "count" { "collectives.count" } else { "collectives.mismatch" };
    diagnostics.push(Finding {
        code: code.to_owned(),
        severity: "error".to_owned(),
        message: message.clone(),
        at: other
            .and_then(|(rank, _, trigger)| Some(place(*rank, (*trigger)?)))
            .unwrap_or_default(),
    });
    let difference = RankDifference {
        index: difference.index as u64,
        field: difference.field.to_owned(),
        message,
        values,
    };
    (Some(difference), comparison)
}

/// The collectives side by side.
fn compared(
    ranks: &[Rank<'_>],
    place: impl Fn(u32, Option<usize>) -> Option<TriggerPlace>,
) -> Vec<ComparedCollective> {
    let rows = table(ranks, MOST_CELLS / ranks.len().max(1));
    let cells = |row: Vec<Cell>| {
        row.into_iter().map(|cell| ComparedRank {
            rank: cell.rank,
            place: place(cell.rank, cell.trigger),
            differs: cell
                .differs
                .into_iter()
                .map(|(field, first, value)| ComparedField {
                    field: field.to_owned(),
                    first,
                    value,
                })
                .collect(),
        })
    };
    let rows = rows.into_iter().zip(0..);
    rows.map(|(row, index)| ComparedCollective { index, ranks: cells(row).collect() }).collect()
}

/// The first rank that differs from the first one.
fn other_rank(difference: &Difference) -> Option<&(u32, String, Option<usize>)> {
    let (_, expected, _) = difference.values.first()?;
    difference.values.iter().find(|(_, value, _)| value != expected)
}

fn in_words(difference: &Difference) -> String {
    let (Some((first, expected, _)), Some((other, value, _))) =
        (difference.values.first(), other_rank(difference))
    else {
        return String::new();
    };
    match difference.field {
        "count" => format!("rank {first} has {expected} collectives, rank {other} has {value}"),
        field => format!(
            "collective {}: {field} is {expected} on rank {first} and {value} on rank {other}",
            difference.index
        ),
    }
}
