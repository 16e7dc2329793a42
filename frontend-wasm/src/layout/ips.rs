//! NEFF IPs of image slots and back, and the device PC of a slot.
//!
//! The regions answer carries runs and patch rows, from which all of this follows by the walk of
//! docs/format/pc-map.md "The walk" [observed]: INSERT slots belong to the record that was
//! expanded, DELETE moves the IP without taking a slot, MODIFY is neutral. So hover and keys need
//! no round trip.

use super::format::parse_number;
use debug_api::answer::{EngineRegions, PatchMark, RegionRun};

/// A NEFF IP and whether the slot was inserted for its record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IpAt {
    /// 1-based.
    pub ip: u32,
    /// Whether the slot is in an INSERT run.
    pub inserted: bool,
}

/// The run that holds a slot.
pub fn run_at(engine: &EngineRegions, slot: u64) -> Option<&RegionRun> {
    let after = engine.runs.partition_point(|run| run.slot <= slot);
    let run = engine.runs.get(after.checked_sub(1)?)?;
    (slot - run.slot < run.slots).then_some(run)
}

/// The NEFF IP at a slot; `None` where the runtime made the slot.
pub fn ip_at(engine: &EngineRegions, slot: u64) -> Option<IpAt> {
    let run = run_at(engine, slot)?;
    let mut ip = u64::from(run.ips?[0]);
    let mut at = run.slot;
    for patch in patches_of(engine, run).take_while(|patch| patch.slot <= slot) {
        if patch.slot < at {
            continue;
        }
        ip += patch.slot - at;
        at = patch.slot;
        match patch.kind.as_str() {
            "INSERT" if slot < at.saturating_add(patch.count) => return made(ip, true),
            "INSERT" => at += patch.count,
            "DELETE" => ip += patch.count,
            _ if slot == at => return made(ip, false),
            _ => {
                at += 1;
                ip += 1;
            }
        }
    }
    made(ip + slot.saturating_sub(at), false)
}

/// The slot at which a NEFF IP is found: the first that belongs to it, or the one at which a
/// deleted record would be.
pub fn slot_of(engine: &EngineRegions, ip: u32) -> Option<u64> {
    let holds = |run: &&RegionRun| run.ips.is_some_and(|[a, b]| (a..=b).contains(&ip));
    let run = engine.runs.iter().find(holds)?;
    let mut next = u64::from(run.ips?[0]);
    let (mut at, wanted) = (run.slot, u64::from(ip));
    for patch in patches_of(engine, run) {
        let step = patch.slot.saturating_sub(at);
        if wanted < next + step {
            break;
        }
        next += step;
        at += step;
        match patch.kind.as_str() {
            "INSERT" if wanted == next => return Some(at),
            "INSERT" => at += patch.count,
            "DELETE" if wanted < next + patch.count => return Some(at),
            "DELETE" => next += patch.count,
            _ => {}
        }
    }
    Some(at + wanted.saturating_sub(next))
}

/// Whether a NEFF IP is in no image slot.
pub fn is_deleted(engine: &EngineRegions, ip: u32) -> bool {
    engine.patches.iter().any(|patch| {
        let end = |first: u32| u64::from(first) + patch.count;
        patch.kind == "DELETE" && patch.ip.is_some_and(|f| f <= ip && u64::from(ip) < end(f))
    })
}

/// The device PC of a slot, lower-case hex with `0x`.
pub fn pc_of(engine: &EngineRegions, slot: u64) -> Option<String> {
    let base = parse_number(&engine.base)?;
    Some(format!("{:#x}", base.checked_add(slot.checked_mul(64)?)?))
}

/// The patch rows of a run, in stored order. A DELETE at the border of two functions belongs to
/// the one whose IPs it takes away.
fn patches_of<'a>(
    engine: &'a EngineRegions,
    run: &'a RegionRun,
) -> impl Iterator<Item = &'a PatchMark> {
    let end = run.slot.saturating_add(run.slots);
    engine.patches.iter().filter(move |patch| {
        let section = match run.region.as_str() {
            "MODEL_SWITCH" => "PREAMBLE",
            region => region,
        };
        let ours = match (patch.ip, run.ips) {
            (Some(ip), Some([first, last])) => (first..=last).contains(&ip),
            _ => true,
        };
        let inside =
            (run.slot..end).contains(&patch.slot) || (patch.slot == end && patch.kind == "DELETE");
        patch.section == section && inside && ours
    })
}

fn made(ip: u64, inserted: bool) -> Option<IpAt> {
    Some(IpAt { ip: u32::try_from(ip).ok()?, inserted })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use debug_api::Provenance;

    /// Region, slot, slots, IPs, divider row.
    pub(crate) type Run<'a> = (&'a str, u64, u64, Option<[u32; 2]>, u64);
    /// Type, section, slot, count, row, first deleted IP.
    pub(crate) type Patch<'a> = (&'a str, &'a str, u64, u64, u64, Option<u32>);

    /// An engine of these runs and patches.
    pub(crate) fn engine(runs: &[Run<'_>], patches: &[Patch<'_>]) -> EngineRegions {
        let slots = runs.last().map_or(0, |run| run.1 + run.2);
        let runs: Vec<RegionRun> = runs
            .iter()
            .map(|&(region, slot, slots, ips, row)| RegionRun {
                region: region.to_owned(),
                slot,
                slots,
                ips,
                provenance: Provenance::File,
                row,
                function: None,
            })
            .collect();
        let patches = patches
            .iter()
            .map(|&(kind, section, slot, count, row, ip)| PatchMark {
                kind: kind.to_owned(),
                section: section.to_owned(),
                slot,
                count,
                row,
                ip,
            })
            .collect();
        EngineRegions {
            engine: "PE".to_owned(),
            neff_slots: runs
                .iter()
                .filter_map(|r| r.ips)
                .map(|i| u64::from(i[1]))
                .max()
                .unwrap_or(0),
            image_slots: slots,
            bytes: slots * 64,
            base: "0x100000".to_owned(),
            base_provenance: Provenance::Configured,
            captured: false,
            agreement: None,
            rows: slots + runs.len() as u64,
            runs,
            patches,
            rewritten: 0,
            provenance: Provenance::Observed,
            notes: Vec::new(),
        }
    }

    /// Six records: s1 becomes 3 slots, s2 stays, s3 is deleted, s4 stays, s5 becomes 4 slots, s6
    /// stays. docs/format/pc-map.md "Worked examples", example 6.
    fn mixed() -> EngineRegions {
        engine(
            &[
                ("PREAMBLE", 0, 3, None, 0),
                ("MAIN", 3, 10, Some([1, 6]), 4),
                ("POSTAMBLE", 13, 2, None, 16),
            ],
            &[
                ("INSERT", "PREAMBLE", 0, 3, 1, None),
                ("INSERT", "MAIN", 3, 2, 5, None),
                ("DELETE", "MAIN", 7, 1, 9, Some(3)),
                ("INSERT", "MAIN", 8, 3, 11, None),
                ("INSERT", "POSTAMBLE", 13, 2, 17, None),
            ],
        )
    }

    #[test]
    fn the_walk_gives_the_exact_ips() {
        let engine = mixed();
        let ips: Vec<_> = (3..13).map(|slot| ip_at(&engine, slot).map(|at| at.ip)).collect();
        assert_eq!(ips, [1, 1, 1, 2, 4, 5, 5, 5, 5, 6].map(Some));
        let inserted: Vec<_> =
            (3..13).filter(|&s| ip_at(&engine, s).is_some_and(|at| at.inserted)).collect();
        assert_eq!(inserted, [3, 4, 8, 9, 10]);
        assert_eq!(ip_at(&engine, 2), None);
        assert_eq!(ip_at(&engine, 13), None);
        assert_eq!(ip_at(&engine, 99), None);
    }

    #[test]
    fn a_delete_at_the_first_slot_is_applied() {
        // Example 4: the first of four records is deleted.
        let engine = engine(
            &[("PREAMBLE", 0, 2, None, 0), ("MAIN", 2, 3, Some([1, 4]), 3)],
            &[("DELETE", "MAIN", 2, 1, 4, Some(1))],
        );
        let ips: Vec<_> = (2..5).map(|slot| ip_at(&engine, slot).map(|at| at.ip)).collect();
        assert_eq!(ips, [2, 3, 4].map(Some));
        assert_eq!(slot_of(&engine, 1), Some(2));
        assert_eq!(slot_of(&engine, 2), Some(2));
        assert!(is_deleted(&engine, 1) && !is_deleted(&engine, 2));
    }

    #[test]
    fn functions_go_on_counting() {
        // Example 9: MAIN has three records, the function section four, the first of them deleted.
        let engine = engine(
            &[("MAIN", 2, 4, Some([1, 3]), 0), ("FUNCTION", 8, 5, Some([4, 7]), 5)],
            &[
                ("INSERT", "MAIN", 3, 1, 2, None),
                ("DELETE", "FUNCTION", 8, 1, 6, Some(4)),
                ("INSERT", "FUNCTION", 9, 2, 8, None),
            ],
        );
        let ips: Vec<_> = (2..6).map(|slot| ip_at(&engine, slot).map(|at| at.ip)).collect();
        assert_eq!(ips, [1, 2, 2, 3].map(Some));
        let ips: Vec<_> = (8..13).map(|slot| ip_at(&engine, slot).map(|at| at.ip)).collect();
        assert_eq!(ips, [5, 6, 6, 6, 7].map(Some));
        assert_eq!(ip_at(&engine, 6), None);
    }

    #[test]
    fn ips_lead_back_to_slots() {
        let engine = mixed();
        let slots: Vec<_> = (1..=6).map(|ip| slot_of(&engine, ip)).collect();
        assert_eq!(slots, [3, 6, 7, 7, 8, 12].map(Some));
        assert_eq!(slot_of(&engine, 7), None);
        assert_eq!(pc_of(&engine, 2).as_deref(), Some("0x100080"));
    }
}
