//! What is drawn of a track: single events where they are wide enough, and counted buckets where
//! they are not. No event is left out, none is picked by chance.

use crate::track::Track;

/// A window of time, cut into buckets of 2^`level` picoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    /// First picosecond.
    pub from: u64,
    /// First picosecond after it.
    pub to: u64,
    /// Power of two of a bucket's width, below 64.
    pub level: u8,
}

impl Window {
    /// Buckets from the first one on.
    pub fn of_buckets(first: u64, count: u64, level: u8) -> Self {
        let level = level.min(62);
        let at =
            |bucket: u64| bucket.checked_shl(u32::from(level)).filter(|at| at >> level == bucket);
        let to = first.saturating_add(count);
        Self { from: at(first).unwrap_or(u64::MAX), to: at(to).unwrap_or(u64::MAX), level }
    }

    /// Width of a bucket.
    pub const fn bucket(&self) -> u64 {
        1 << if self.level > 62 { 62 } else { self.level }
    }
}

/// One event, or several of one bucket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Start of the first event.
    pub start: u64,
    /// Latest end that no earlier event covers, or that of the last event.
    pub end: u64,
    /// Position of the first event.
    pub first: u32,
    /// Events.
    pub count: u32,
    /// Picoseconds covered that no earlier event covers.
    pub busy: u64,
    /// Longest event; on a counter the largest value.
    pub largest: u64,
    /// `arg` of the last event.
    pub last: u32,
}

impl Track {
    /// The runs that meet a window, by start. Of the events that start before it only the one that
    /// reaches in farthest.
    /// At most two for each bucket and one more.
    pub fn runs(&self, window: Window) -> Vec<Run> {
        let mut runs = Vec::new();
        let mut next = self.before(window.from);
        if let Some(before) = self.reaching(next, window.from) {
            runs.extend(self.run(before, before + 1));
        }
        while let Some(start) = self.starts().get(next).copied().filter(|at| *at < window.to) {
            let edge = (start / window.bucket()).saturating_add(1).saturating_mul(window.bucket());
            let ahead = self.starts().get(next..).unwrap_or(&[]);
            let after = next + gallop(ahead, edge.min(window.to));
            let last = after.saturating_sub(1).max(next);
            let wide = self.event(last).is_some_and(|event| event.len >= window.bucket());
            // An event wider than a bucket is drawn for itself; as the last of its bucket it
            // covers none of the others.
            if wide && last > next {
                runs.extend(self.run(next, last));
                runs.extend(self.run(last, last + 1));
            } else {
                runs.extend(self.run(next, after));
            }
            next = after.max(next + 1);
        }
        runs
    }

    /// Of the events before a position the one that lasts longest past a time.
    fn reaching(&self, position: usize, time: u64) -> Option<usize> {
        let past = |index: &usize| self.event(*index).is_some_and(|event| event.end() > time);
        let cover = self.cover(position);
        let covering = (cover.end > time).then_some(cover.last as usize);
        covering.or(position.checked_sub(1)).filter(past)
    }

    /// Events of a range of positions as one run; `None` for none.
    fn run(&self, from: usize, to: usize) -> Option<Run> {
        let (first, last) = (self.event(from)?, self.event(to.checked_sub(1)?)?);
        let (before, after) = (self.cover(from), self.cover(to));
        let count = u32::try_from(to.checked_sub(from)?).ok()?;
        let fresh = after.covered.saturating_sub(before.covered);
        // Ends that earlier events cover are not known, and not seen either.
        let end = if before.end < after.end && count > 1 { after.end } else { last.end() };
        Some(Run {
            start: first.start,
            end: end.max(last.end()),
            first: u32::try_from(from).ok()?,
            count,
            busy: fresh,
            largest: self.largest(from, to),
            last: last.arg,
        })
    }
}

/// How many of some ascending times lie before another, by steps that double: most buckets are
/// short.
fn gallop(times: &[u64], edge: u64) -> usize {
    let mut step = 1;
    while times.get(step - 1).is_some_and(|time| *time < edge) {
        step *= 2;
    }
    let from = step / 2;
    let part = times.get(from..step.min(times.len())).unwrap_or(&[]);
    from + part.partition_point(|time| *time < edge)
}
