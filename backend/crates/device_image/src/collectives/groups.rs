//! Replica groups: who takes part with whom, and what is wrong with a group.
//! Spec: docs/format/collectives-plan.md "Replica groups" [observed].

use neff::{Findings, Place, Severity};
use std::collections::{BTreeMap, BTreeSet};

/// Groups, and ranks of a group, that are written out in a sentence.
const SHOWN: (usize, usize) = (8, 16);
/// Findings of one kind about one set of groups.
const MOST: usize = 16;

/// The groups in words, `(0,1),(2,3)`; long ones are cut.
pub fn text(groups: &[Vec<u32>]) -> String {
    let mut words: Vec<String> = groups.iter().take(SHOWN.0).map(|group| one(group)).collect();
    if groups.len() > SHOWN.0 {
        words.push(format!("and {} more", groups.len() - SHOWN.0));
    }
    words.join(",")
}

/// One group in words, `(0,1)`.
pub fn one(group: &[u32]) -> String {
    let mut ranks: Vec<String> = group.iter().take(SHOWN.1).map(u32::to_string).collect();
    if group.len() > SHOWN.1 {
        ranks.push(format!("... {} in all", group.len()));
    }
    format!("({})", ranks.join(","))
}

/// The group of a set that has a rank.
pub fn of_rank(groups: &[Vec<u32>], rank: u32) -> Option<&[u32]> {
    groups.iter().find(|group| group.contains(&rank)).map(Vec::as_slice)
}

/// What is wrong with a set of groups by itself: a rank that is there twice, one outside the
/// world, groups of different sizes.
pub fn check(groups: &[Vec<u32>], world: Option<u32>, place: &Place, findings: &mut Findings) {
    let mut seen: BTreeMap<u32, usize> = BTreeMap::new();
    let mut said = 0;
    for (at, group) in groups.iter().enumerate() {
        for rank in group {
            let Some(before) = seen.insert(*rank, at) else { continue };
            said += 1;
            if said > MOST {
                continue;
            }
            let message = match groups.get(before).filter(|_| before != at) {
                Some(other) => format!(
                    "rank {rank} is in the replica groups {} and {}; a rank belongs to one",
                    one(other),
                    one(group)
                ),
                None => format!("replica group {} has rank {rank} twice", one(group)),
            };
            findings.push(Severity::Error, "collectives.rank-twice", place.clone(), message);
        }
    }
    if let Some(world) = world {
        for rank in seen.keys().filter(|rank| **rank >= world).take(MOST) {
            let message = format!(
                "replica groups {} name rank {rank}, and there are {world} ranks",
                text(groups)
            );
            findings.push(Severity::Error, "collectives.rank-outside", place.clone(), message);
        }
    }
    if let Some(at) = groups.iter().position(Vec::is_empty) {
        let message = format!("replica group {at} of {} has no rank", text(groups));
        findings.push(Severity::Warning, "collectives.group-empty", place.clone(), message);
    }
    let sizes: BTreeSet<usize> = groups.iter().map(Vec::len).collect();
    if sizes.len() > 1 {
        let message = format!("replica groups {} have different sizes", text(groups));
        findings.push(Severity::Warning, "collectives.topology", place.clone(), message);
    }
}

/// The ranks below `world` that no group has, by number; none where there are no groups, which
/// means all ranks.
pub fn missing(groups: &[Vec<u32>], world: u32) -> Vec<u32> {
    if groups.iter().all(Vec::is_empty) {
        return Vec::new();
    }
    let there: BTreeSet<u32> = groups.iter().flatten().copied().collect();
    (0..world).filter(|rank| !there.contains(rank)).take(MOST).collect()
}

/// The size of the world that groups alone suggest: the highest rank and those below.
pub fn suggested_world(groups: &[Vec<u32>]) -> Option<u32> {
    groups.iter().flatten().max().map(|rank| rank.saturating_add(1))
}
