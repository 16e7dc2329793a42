//! Which base and preamble length fit pairs of device PC and NEFF IP.
//!
//! PC = base + 64 x image slot, the base a multiple of 0x8000. Under a profile the slots of an IP
//! are known, so each pair leaves a few bases; those that most pairs leave are offered. Without
//! a fitting profile the preamble length is taken as unknown: pairs then give where MAIN begins,
//! and the length up to a multiple of 512 slots.
//! Spec: docs/format/logs.md "Solving for the base" [inferred; base alignment observed].

use device_image::placement::BASE_ALIGN;
use device_image::{IpPlace, PcMap};
use records::{DevicePc, NeffIp};
use std::collections::BTreeMap;

/// Bytes of a slot.
const SLOT: u64 = 64;

/// Most pairs that are used.
pub const MAX_PAIRS: usize = 256;

/// Most slots of one record, and most bases, that are counted for one map.
const MAX_BASES: usize = 1024;

/// Most bases that are looked into for one map: those that the most pairs lead to. Looking into one
/// takes a lookup for each pair, so pairs that contradict each other would be slow without a bound.
const MAX_TRIED: usize = 16;

/// Most candidates that are offered for one map.
const MAX_CANDIDATES: usize = 4;

/// A device PC and the NEFF IP that a log names for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Pair {
    /// Device PC.
    pub device_pc: u64,
    /// 1-based NEFF IP.
    pub neff_ip: u32,
}

/// A base that fits pairs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Index of the map whose preamble length was taken; `None` for an unknown length.
    pub map: Option<usize>,
    /// Base of the image, a multiple of 0x8000.
    pub base: u64,
    /// Slots in front of MAIN. For an unknown length the smallest that fits: 512 more with a base
    /// 0x8000 lower fit as well.
    pub preamble_slots: u64,
    /// For each pair, whether it fits.
    pub fits: Vec<bool>,
}

impl Candidate {
    /// Device address of the first slot of MAIN.
    pub const fn main_start(&self) -> u64 {
        self.base + self.preamble_slots * SLOT
    }

    /// Number of pairs that fit.
    pub fn agreeing(&self) -> usize {
        self.fits.iter().filter(|fits| **fits).count()
    }
}

/// The bases that fit most of the pairs, best first: under each map, in their order, then with an
/// unknown preamble length under the first map, where that says something new. Pairs past
/// [`MAX_PAIRS`] are not looked at, nor bases past the sixteen that the most pairs lead to.
pub fn solve(maps: &[&PcMap], pairs: &[Pair]) -> Vec<Candidate> {
    let pairs = pairs.get(..MAX_PAIRS).unwrap_or(pairs);
    let mut all: Vec<Candidate> = Vec::new();
    for (index, map) in maps.iter().enumerate() {
        let first = map.ranges().core.first_slot();
        let bases = most_named(map, pairs, |start| {
            start.checked_sub(first * SLOT).filter(|base| base % BASE_ALIGN == 0)
        });
        let candidates = bases.into_iter().map(|base| Candidate {
            map: Some(index),
            base,
            preamble_slots: first,
            fits: fits(map, base + first * SLOT, pairs),
        });
        all.extend(best(candidates.collect()));
    }
    if let Some(map) = maps.first() {
        let begins = most_named(map, pairs, Some);
        let candidates = begins.into_iter().map(|start| Candidate {
            map: None,
            base: start - start % BASE_ALIGN,
            preamble_slots: start % BASE_ALIGN / SLOT,
            fits: fits(map, start, pairs),
        });
        let new: Vec<Candidate> = best(candidates.collect())
            .into_iter()
            // One pair alone would fit everywhere.
            .filter(|candidate| candidate.agreeing() > 1)
            .filter(|new| {
                !all.iter().any(|known| {
                    known.main_start() == new.main_start() && known.agreeing() >= new.agreeing()
                })
            })
            .collect();
        all.extend(new);
    }
    let most = all.iter().map(Candidate::agreeing).max().unwrap_or(0);
    all.retain(|candidate| candidate.agreeing() == most && most > 0);
    all
}

/// Those that fit most pairs, the lowest bases first.
fn best(mut candidates: Vec<Candidate>) -> Vec<Candidate> {
    let most = candidates.iter().map(Candidate::agreeing).max().unwrap_or(0);
    candidates.retain(|candidate| candidate.agreeing() == most);
    candidates.truncate(MAX_CANDIDATES);
    candidates
}

/// The values that most pairs lead to, lowest first; of equally many the lowest.
fn most_named(map: &PcMap, pairs: &[Pair], value: impl Fn(u64) -> Option<u64>) -> Vec<u64> {
    let mut counts: BTreeMap<u64, usize> = BTreeMap::new();
    for pair in pairs {
        for value in starts(map, *pair).into_iter().filter_map(&value) {
            if let Some(count) = counts.get_mut(&value) {
                *count += 1;
            } else if counts.len() < MAX_BASES {
                counts.insert(value, 1);
            }
        }
    }
    let mut list: Vec<(u64, usize)> = counts.into_iter().collect();
    // A stable sort: the values are in order already.
    list.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    let mut values: Vec<u64> = list.into_iter().take(MAX_TRIED).map(|(value, _)| value).collect();
    values.sort_unstable();
    values
}

/// Where MAIN begins if a pair is right: one address for each slot of its IP.
fn starts(map: &PcMap, pair: Pair) -> Vec<u64> {
    let first = map.ranges().core.first_slot();
    let slots = match map.image_slots(NeffIp(pair.neff_ip)) {
        IpPlace::Slots(slots) => slots,
        // The runtime names a deleted record at the slot of the one behind it.
        IpPlace::Deleted(slot) => slot.get()..slot.get().saturating_add(1),
        IpPlace::Outside => 0..0,
    };
    let pc = pair.device_pc - pair.device_pc % SLOT;
    slots
        .take(MAX_BASES)
        .filter_map(|slot| {
            let behind = u64::from(slot).checked_sub(first)? * SLOT;
            pc.checked_sub(behind)
        })
        .collect()
}

/// Whether each pair fits when MAIN begins at an address: the exact reading names its IP, or the
/// runtime's own does.
fn fits(map: &PcMap, start: u64, pairs: &[Pair]) -> Vec<bool> {
    let core = map.ranges().core.offset;
    let fit = |pair: &Pair| {
        let Some(offset) = pair.device_pc.checked_sub(start).and_then(|at| at.checked_add(core))
        else {
            return false;
        };
        let found = map.locate(DevicePc(0), DevicePc(offset));
        let exact = found.exact.is_some_and(|exact| exact.neff_ip.get() == pair.neff_ip);
        let runtime = found.runtime.is_ok_and(|runtime| {
            runtime.neff_ip == pair.neff_ip || runtime.literal == pair.neff_ip
        });
        exact || runtime
    };
    pairs.iter().map(fit).collect()
}
