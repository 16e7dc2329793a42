//! Compares a captured image with the one built for it, record by record.
//!
//! Regions are compared with each other. In MAIN and FUNCTION the slots of one source record
//! stand beside each other; in the synthesized regions equal records are aligned, and between
//! them those with the same opcode.

use std::ops::Range;

use records::{NeffIp, Slot};

use crate::image::{Image, Origin};
use crate::layout::{ByteRange, Region};

/// What became of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// All bytes are equal.
    Same,
    /// The same place with other bytes.
    Rewritten,
    /// Only the captured image has it.
    OnlyReal,
    /// Only the built image has it.
    OnlyModelled,
}

impl Change {
    /// `same`, `rewritten`, `only-real` or `only-modelled`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Rewritten => "rewritten",
            Self::OnlyReal => "only-real",
            Self::OnlyModelled => "only-modelled",
        }
    }
}

/// Slots that follow each other in both images and share one change. The range of the image that
/// lacks them is empty and says where they would be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeRun {
    /// What became of them.
    pub change: Change,
    /// Slots of the captured image.
    pub real: Range<u32>,
    /// Slots of the built image.
    pub modelled: Range<u32>,
}

/// The comparison of two images.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Comparison {
    /// Runs in image order; they tile both images.
    pub runs: Vec<ChangeRun>,
    /// Slots of the captured image.
    pub slots: u64,
    /// Of them, those that are byte for byte the same at the same index.
    pub same: u64,
}

impl Comparison {
    /// Number of slots with a change, counted in the image that has them.
    pub fn count(&self, change: Change) -> u64 {
        let runs = self.runs.iter().filter(|run| run.change == change);
        runs.map(|run| u64::from(run.real.len().max(run.modelled.len()) as u32)).sum()
    }

    /// The built image's slot that stands beside a captured one.
    pub fn modelled_slot(&self, real: u32) -> Option<u32> {
        let at = self.runs.partition_point(|run| run.real.end <= real);
        let run = self.runs.get(at).filter(|run| run.real.contains(&real))?;
        run.modelled.start.checked_add(real - run.real.start).filter(|at| run.modelled.contains(at))
    }
}

/// Largest product of the lengths of two runs that are aligned; longer ones are paired by index.
const MAX_TABLE: usize = 1 << 22;

/// Compares a captured image with a built one.
pub fn compare(real: &Image, modelled: &Image) -> Comparison {
    let pairs = real.slots.iter().zip(&modelled.slots);
    let mut runs = Runs::default();
    for region in [Region::Preamble, Region::Main, Region::Postamble, Region::Function] {
        let (a, b) = (slots_of(real, region), slots_of(modelled, region));
        runs.start(a.start, b.start);
        if region.is_source() {
            by_record(real, modelled, a, b, &mut runs);
        } else {
            let records = |image: &Image, range: &Range<u32>| {
                let range = range.start as usize..range.end as usize;
                image.slots.get(range).unwrap_or(&[]).to_vec()
            };
            align(&records(real, &a), &records(modelled, &b), &mut runs);
        }
    }
    Comparison {
        runs: runs.list,
        slots: real.slots.len() as u64,
        same: pairs.filter(|(a, b)| a == b).count() as u64,
    }
}

fn slots_of(image: &Image, region: Region) -> Range<u32> {
    let range: ByteRange = image.ranges.of(region);
    let slot = |slot: u64| u32::try_from(slot).unwrap_or(u32::MAX);
    slot(range.first_slot())..slot(range.first_slot().saturating_add(range.slots()))
}

/// Walks two source regions together: records in order, and the slots of each.
fn by_record(real: &Image, modelled: &Image, a: Range<u32>, b: Range<u32>, runs: &mut Runs) {
    let ip = |image: &Image, slot: u32| match image.info.get(slot as usize)?.origin {
        Origin::Record(ip) => Some(ip),
        Origin::Step(_) | Origin::Inserted => Some(NeffIp(u32::MAX)),
    };
    let (mut i, mut j) = (a.start, b.start);
    while i < a.end || j < b.end {
        let left = (i < a.end).then(|| ip(real, i)).flatten();
        let right = (j < b.end).then(|| ip(modelled, j)).flatten();
        let order = match (left, right) {
            (None, None) => return,
            (Some(_), None) => std::cmp::Ordering::Less,
            (None, Some(_)) => std::cmp::Ordering::Greater,
            (Some(left), Some(right)) => left.cmp(&right),
        };
        match order {
            std::cmp::Ordering::Equal => {
                let same = real.slots.get(i as usize) == modelled.slots.get(j as usize);
                runs.push(if same { Change::Same } else { Change::Rewritten });
                (i, j) = (i + 1, j + 1);
            }
            std::cmp::Ordering::Less => {
                runs.push(Change::OnlyReal);
                i += 1;
            }
            std::cmp::Ordering::Greater => {
                runs.push(Change::OnlyModelled);
                j += 1;
            }
        }
    }
}

/// Aligns two runs of records.
fn align(a: &[Slot], b: &[Slot], runs: &mut Runs) {
    let head = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    runs.push_n(Change::Same, head);
    let (a, b) = (a.get(head..).unwrap_or(&[]), b.get(head..).unwrap_or(&[]));
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let a = a.get(..a.len() - tail).unwrap_or(&[]);
    let b = b.get(..b.len() - tail).unwrap_or(&[]);
    if a.len().saturating_mul(b.len()) <= MAX_TABLE {
        align_middle(a, b, runs);
    } else {
        for (a, b) in a.iter().zip(b) {
            runs.push(if a == b { Change::Same } else { Change::Rewritten });
        }
        runs.push_n(Change::OnlyReal, a.len().saturating_sub(b.len()));
        runs.push_n(Change::OnlyModelled, b.len().saturating_sub(a.len()));
    }
    runs.push_n(Change::Same, tail);
}

/// What it is worth to put two records beside each other; 0 for records that have nothing in
/// common.
fn worth(a: &Slot, b: &Slot) -> u32 {
    match (a == b, a.opcode_byte() == b.opcode_byte()) {
        (true, _) => 5,
        (false, true) => 2,
        (false, false) => 0,
    }
}

/// The alignment of the greatest worth, by a table of the worth of all tails.
fn align_middle(a: &[Slot], b: &[Slot], runs: &mut Runs) {
    let width = b.len() + 1;
    let mut table = vec![0_u32; (a.len() + 1) * width];
    let at = |table: &[u32], i: usize, j: usize| table.get(i * width + j).copied().unwrap_or(0);
    for (i, left) in a.iter().enumerate().rev() {
        for (j, right) in b.iter().enumerate().rev() {
            let gain = worth(left, right);
            let paired = if gain > 0 { gain + at(&table, i + 1, j + 1) } else { 0 };
            let best = paired.max(at(&table, i + 1, j)).max(at(&table, i, j + 1));
            if let Some(cell) = table.get_mut(i * width + j) {
                *cell = best;
            }
        }
    }
    let (mut i, mut j) = (0, 0);
    while let (Some(left), Some(right)) = (a.get(i), b.get(j)) {
        let gain = worth(left, right);
        if gain > 0 && at(&table, i, j) == gain + at(&table, i + 1, j + 1) {
            runs.push(if left == right { Change::Same } else { Change::Rewritten });
            (i, j) = (i + 1, j + 1);
        } else if at(&table, i, j) == at(&table, i + 1, j) {
            runs.push(Change::OnlyReal);
            i += 1;
        } else {
            runs.push(Change::OnlyModelled);
            j += 1;
        }
    }
    runs.push_n(Change::OnlyReal, a.len() - i);
    runs.push_n(Change::OnlyModelled, b.len() - j);
}

/// Runs in the making.
#[derive(Default)]
struct Runs {
    list: Vec<ChangeRun>,
    real: u32,
    modelled: u32,
}

impl Runs {
    /// Goes on at these slots.
    fn start(&mut self, real: u32, modelled: u32) {
        (self.real, self.modelled) = (real, modelled);
    }

    fn push(&mut self, change: Change) {
        self.push_n(change, 1);
    }

    fn push_n(&mut self, change: Change, n: usize) {
        let n = u32::try_from(n).unwrap_or(u32::MAX);
        if n == 0 {
            return;
        }
        let (real, modelled) = match change {
            Change::Same | Change::Rewritten => (n, n),
            Change::OnlyReal => (n, 0),
            Change::OnlyModelled => (0, n),
        };
        let (from, to) = ((self.real, self.modelled), (self.real + real, self.modelled + modelled));
        (self.real, self.modelled) = to;
        match self.list.last_mut() {
            Some(last) if last.change == change && (last.real.end, last.modelled.end) == from => {
                (last.real.end, last.modelled.end) = to;
            }
            _ => self.list.push(ChangeRun { change, real: from.0..to.0, modelled: from.1..to.1 }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::build::Draft;

    fn records(text: &str) -> Vec<Slot> {
        // A letter is an opcode, an upper-case one the same opcode with another payload.
        let record = |letter: u8| {
            let draft = Draft::new(letter.to_ascii_lowercase());
            draft.u8(0x20, u8::from(letter.is_ascii_uppercase())).slot()
        };
        text.bytes().map(record).collect()
    }

    fn changes(a: &str, b: &str) -> String {
        let mut runs = Runs::default();
        align(&records(a), &records(b), &mut runs);
        let letter = |run: &ChangeRun| {
            let (letter, n) = match run.change {
                Change::Same => ("=", run.real.len()),
                Change::Rewritten => ("~", run.real.len()),
                Change::OnlyReal => ("-", run.real.len()),
                Change::OnlyModelled => ("+", run.modelled.len()),
            };
            letter.repeat(n)
        };
        runs.list.iter().map(letter).collect()
    }

    #[test]
    fn records_are_aligned() {
        assert_eq!(changes("", ""), "");
        assert_eq!(changes("abc", "abc"), "===");
        assert_eq!(changes("abc", "aBc"), "=~=");
        assert_eq!(changes("abc", "ac"), "=-=");
        assert_eq!(changes("ac", "abc"), "=+=");
        // x is only real, y only modelled; neither is a rewritten form of the other.
        assert_eq!(changes("axb", "ayb"), "=-+=");
        assert_eq!(changes("abcd", "xbyd"), "-+=-+=");
        // An equal record further on is worth more than a rewritten one here.
        assert_eq!(changes("aBb", "ab"), "=-=");
        assert_eq!(changes("", "abc"), "+++");
    }
}
