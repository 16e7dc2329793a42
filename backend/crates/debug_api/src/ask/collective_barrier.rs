//! The barrier of a program's TOP_SPs as the `collectives` document shows it.

use crate::answer::{
    BarrierInfo, BarrierPeer, BarrierPeers, BarrierPlace, BarrierStepInfo, Provenance, SurfaceInfo,
};
use crate::convert::hex;
use device_image::Generation;
use device_image::collectives::barrier::{
    AFTER, BarrierOp, BarrierStep, BarrierType, HOST, Peer, peers, ranks_per_chip, reserved, steps,
};
use device_image::collectives::plan::{Plan, RANKS_PER_NODE, Setting};
use std::collections::BTreeMap;

/// What comes before the first operation; `None` where there is none.
pub fn barrier(plan: &Plan, setting: &Setting) -> Option<BarrierInfo> {
    if plan.planned.is_empty() {
        return None;
    }
    let words = |list: [&str; 2]| list.iter().map(|one| (*one).to_owned()).collect();
    let per_chip = ranks_per_chip(setting.generation, setting.cores);
    Some(BarrierInfo {
        steps: step_infos(false),
        switched_steps: step_infos(true),
        after: words(AFTER),
        host: words(HOST),
        provenance: Provenance::Inferred,
        ranks_per_chip: per_chip,
        peers: host_plan(plan, setting, per_chip),
    })
}

fn step_infos(switched: bool) -> Vec<BarrierStepInfo> {
    steps(switched).iter().zip(0..).map(|(step, index)| step_info(step, index)).collect()
}

fn step_info(step: &BarrierStep, index: u32) -> BarrierStepInfo {
    let place = |kind: &BarrierType| BarrierPlace {
        kind: kind.name().to_owned(),
        number: kind.value(),
        op: if *kind == BarrierType::Unused { BarrierOp::UNUSED } else { step.op.value() },
    };
    BarrierStepInfo {
        index,
        op: step.op.name().to_owned(),
        group_size: u32::try_from(step.group_size()).unwrap_or(0),
        places: step.places.iter().map(place).collect(),
        provenance: Provenance::Observed,
        action: step.action.to_owned(),
        action_provenance: Provenance::Inferred,
    }
}

/// Of each set of groups that a collective names, the first collective that does.
fn host_plan(plan: &Plan, setting: &Setting, per_chip: u32) -> Vec<BarrierPeers> {
    let mut sets = BTreeMap::new();
    for one in plan.planned.iter().filter(|one| one.trigger.peer.is_none()) {
        let Some((group, n)) = one.trigger.group.zip(one.n_ranks) else { continue };
        sets.entry(group).or_insert_with(|| match one.ranks.is_empty() {
            true => (0..n).collect(),
            false => one.ranks.clone(),
        });
    }
    let per_node = setting.ranks_per_node.unwrap_or(RANKS_PER_NODE);
    let of_set = |(group, ranks): (u32, Vec<u32>)| {
        let rank = setting.rank.or(ranks.first().copied())?;
        let tables = peers(&ranks, rank, per_chip, per_node);
        Some(BarrierPeers {
            group,
            rank,
            sends: tables.sends.iter().map(peer).collect(),
            receives: tables.receives.iter().map(peer).collect(),
            provenance: Provenance::Modelled,
        })
    };
    sets.into_iter().filter_map(of_set).collect()
}

fn peer(one: &Peer) -> BarrierPeer {
    BarrierPeer { rank: one.rank, kind: one.kind.name().to_owned(), bit: one.bit }
}

/// Semaphores of a TOP_SP with a fixed use at barriers.
pub fn reserved_semaphores(generation: Generation, top_sp: u32) -> Vec<SurfaceInfo> {
    let one = |(name, number, address): (&str, u32, Option<(u64, u64)>)| SurfaceInfo {
        name: name.to_owned(),
        top_sp: Some(top_sp),
        semaphore: Some(number),
        address: address.map(|(read, _)| hex(read)),
        increment_address: address.map(|(_, increment)| hex(increment)),
        provenance: Provenance::Observed,
    };
    reserved(generation, top_sp).map(one).collect()
}
