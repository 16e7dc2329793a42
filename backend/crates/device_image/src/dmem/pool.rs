//! A pool of device memory: first fit over its free ranges, by address.
//! Spec: docs/format/memory.md "Pools of the driver" [observed].

use std::collections::BTreeMap;

/// Alignment of scratchpad pages, in multiples of which sizes of HBMs are tried.
pub(super) const PAGE_ALIGNMENT: u64 = 0x40_0000;
/// Free ranges that all requests together may look at. The driver looks at as many as it takes; this
/// bound keeps a hostile file from making each allocation slow.
pub(super) const RANGES_TRIED: u64 = 50_000_000;
/// Beyond that, free ranges that a request looks at from the low end, and then from the high one.
const RANGES_EACH: usize = 256;

/// How far first fit looked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Search {
    /// Free ranges that may still be looked at.
    pub left: u64,
    /// Requests whose search ended before all free ranges were looked at, with none found at the low
    /// end: first fit may have given another address, or any at all.
    pub cut: u64,
    /// The fewest bytes that a pool lacked which a larger HBM makes larger.
    pub lacks: Option<u64>,
}

impl Search {
    pub fn lacked(&mut self, bytes: Option<u64>) {
        self.lacks = match (self.lacks, bytes) {
            (Some(one), Some(other)) => Some(one.min(other)),
            (one, other) => one.or(other),
        };
    }
}

/// Free and taken ranges, by address.
#[derive(Clone, Debug, Default)]
pub(super) struct Pool {
    pub free: BTreeMap<u64, u64>,
    pub taken: BTreeMap<u64, u64>,
    /// Its end, where a larger HBM has more of it.
    pub grows_at: Option<u64>,
}

impl Pool {
    pub fn of(start: u64, bytes: u64) -> Self {
        let mut pool = Self::default();
        if bytes > 0 {
            pool.free.insert(start, bytes);
        }
        pool
    }

    /// First fit.
    pub fn take(&mut self, bytes: u64, alignment: u64, search: &mut Search) -> Option<u64> {
        let fits = |(&start, &have): (&u64, &u64)| {
            let at = start.checked_next_multiple_of(alignment)?;
            (have.checked_sub(at - start)? >= bytes).then_some(at)
        };
        let all = self.free.len() as u64;
        let at = if search.left >= all {
            let mut tried = 0;
            let at = self.free.iter().inspect(|_| tried += 1).find_map(fits);
            search.left -= tried;
            at
        } else {
            search.left = 0;
            let low = self.free.iter().take(RANGES_EACH).find_map(fits);
            if low.is_none() && self.free.len() > RANGES_EACH {
                search.cut += 1;
            }
            low.or_else(|| self.free.iter().rev().take(RANGES_EACH).find_map(fits))
        };
        match at {
            None => search.lacked(self.lacks(bytes, alignment)),
            // Behind a pool that grows, what is left before and behind an aligned range differs.
            Some(_) if self.grows_at.is_none() && alignment > PAGE_ALIGNMENT => {
                search.lacked(Some(PAGE_ALIGNMENT));
            }
            Some(_) => {}
        }
        self.take_at(at?, bytes)
    }

    /// Bytes by which the HBM has to be larger for a request to fit that no range takes: what the last
    /// free range lacks, or, in a pool that is only moved, how far the next aligned address is from where
    /// a range would take it.
    pub fn lacks(&self, bytes: u64, alignment: u64) -> Option<u64> {
        let gap = |start: u64| Some(start.checked_next_multiple_of(alignment)? - start);
        let Some(end) = self.grows_at else {
            let moved =
                |(start, have): (&u64, &u64)| gap(*start)?.checked_sub(have.checked_sub(bytes)?);
            return self.free.iter().filter_map(moved).min();
        };
        let last = self.free.iter().next_back().filter(|(start, have)| *start + *have == end);
        let (start, have) = last.map_or((end, 0), |(start, have)| (*start, *have));
        gap(start)?.checked_add(bytes)?.checked_sub(have)
    }

    /// Takes a range that lies in a free one.
    pub fn take_at(&mut self, at: u64, bytes: u64) -> Option<u64> {
        let (&start, &have) = self.free.range(..=at).next_back()?;
        let before = at - start;
        let behind = have.checked_sub(before)?.checked_sub(bytes)?;
        self.free.remove(&start);
        if before > 0 {
            self.free.insert(start, before);
        }
        if behind > 0 {
            self.free.insert(at + bytes, behind);
        }
        self.taken.insert(at, bytes);
        Some(at)
    }

    /// Gives a taken range back, joined with its free neighbors. `false` if none starts there.
    pub fn give(&mut self, at: u64) -> bool {
        let Some(mut bytes) = self.taken.remove(&at) else { return false };
        let mut start = at;
        if let Some(next) = self.free.remove(&(at + bytes)) {
            bytes += next;
        }
        if let Some((&before, &have)) = self.free.range(..at).next_back()
            && before + have == at
        {
            self.free.remove(&before);
            (start, bytes) = (before, bytes + have);
        }
        self.free.insert(start, bytes);
        true
    }
}
