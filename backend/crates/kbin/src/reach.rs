//! What one side of a transfer touches: bytes, runs, ranges. All sums are checked.
//! Spec: docs/format/kbin.md "Checks of access patterns" [inferred].

use crate::lowering::model::Side;

/// Runs of one side that are listed.
const MAX_LISTED_RUNS: u64 = 4_096;

/// Which bytes of its variable a side touches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reach {
    /// First byte; negative if a negative step leads there.
    pub start: i128,
    /// One past the last byte.
    pub end: i128,
    /// Bytes that are transferred.
    pub bytes: u128,
    /// Fewest contiguous runs that carry them.
    pub runs: u128,
}

/// Why a side has no reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoReach {
    /// It touches nothing: a size of 0.
    Empty,
    /// What it touches is not known: no sizes, or sizes and steps of different number.
    Rank,
    /// It carries 2^120 bytes or more, or touches bytes that far away.
    Beyond,
}

/// Bytes and places from which on no sums are made: 2^120. Seven further bits are room for what is
/// computed of them.
const BEYOND: i128 = 1 << 120;

/// A run of bytes in words, the one form of all views: first byte, end, and how many,
/// `0x10..0x18, 8 bytes`; `-0x20..0x4, 36 bytes`.
pub fn range(start: impl Into<i128>, end: impl Into<i128>) -> String {
    let (start, end) = (start.into(), end.into());
    let count = end.saturating_sub(start);
    let noun = if count == 1 { "byte" } else { "bytes" };
    format!("{}..{}, {} {noun}", byte_text(start), byte_text(end), grouped(count))
}

/// The place of a byte in words; one in front of byte 0 has a sign.
pub fn byte_text(at: impl Into<i128>) -> String {
    let at = at.into();
    let sign = if at < 0 { "-" } else { "" };
    format!("{sign}{:#x}", at.unsigned_abs())
}

/// With comma thousands.
fn grouped(number: i128) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = String::from(if number < 0 { "-" } else { "" });
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// What a side touches, in words: `0x0..0x80, 128 bytes`, `no bytes`.
pub fn touched(side: &Side) -> String {
    match Reach::checked(side) {
        Ok(reach) => range(reach.start, reach.end),
        Err(NoReach::Empty) => "no bytes".to_owned(),
        Err(NoReach::Rank) => format!(
            "unknown bytes ({} and {})",
            counted(side.sizes.len(), "size"),
            counted(side.steps.len(), "step")
        ),
        Err(NoReach::Beyond) => "bytes beyond 2^120".to_owned(),
    }
}

impl Reach {
    /// The reach of a side; `None` if it touches nothing, or bytes beyond all numbers.
    pub fn of(side: &Side) -> Option<Self> {
        Self::checked(side).ok()
    }

    /// The reach of a side.
    ///
    /// # Errors
    /// Why there is none.
    pub fn checked(side: &Side) -> Result<Self, NoReach> {
        if side.sizes.is_empty() || side.sizes.len() != side.steps.len() {
            return Err(NoReach::Rank);
        }
        if side.sizes.contains(&0) {
            return Err(NoReach::Empty);
        }
        Self::sums(side).ok_or(NoReach::Beyond)
    }

    /// The sums of sides with sizes; `None` once one of them is beyond.
    fn sums(side: &Side) -> Option<Self> {
        let inside = |value: i128| (-BEYOND..BEYOND).contains(&value).then_some(value);
        let (mut start, mut last) = (i128::from(side.offset), i128::from(side.offset));
        let (mut bytes, mut runs) = (1_u128, 1_u128);
        // Bytes of one run, as long as the dimensions so far are contiguous.
        let mut run = Some(1_i128);
        for (size, step) in side.sizes.iter().zip(&side.steps) {
            let (size, step) = (i128::from(*size), i128::from(*step));
            let span = (size - 1).checked_mul(step)?;
            if span < 0 {
                start = inside(start.checked_add(span)?)?;
            } else {
                last = inside(last.checked_add(span)?)?;
            }
            bytes = bytes
                .checked_mul(size.unsigned_abs())
                .filter(|bytes| *bytes < BEYOND.unsigned_abs())?;
            if size == 1 {
                continue;
            }
            run = match run {
                Some(length) if step == length => Some(length.checked_mul(size)?),
                _ => {
                    runs = runs.checked_mul(size.unsigned_abs())?;
                    None
                }
            };
        }
        Some(Self { start, end: last + 1, bytes, runs })
    }
}

/// A number of things: `1 step`, `2 steps`.
fn counted(number: usize, thing: &str) -> String {
    format!("{number} {thing}{}", if number == 1 { "" } else { "s" })
}

/// Whether a side touches bytes that its variable, of a size, does not have.
pub fn out_of_bounds(side: &Side, room: u64) -> bool {
    match Reach::checked(side) {
        Ok(reach) => reach.start < 0 || reach.end > i128::from(room),
        Err(NoReach::Empty) => false,
        // Where it begins is known all the same.
        Err(NoReach::Rank) => side.offset >= room,
        Err(NoReach::Beyond) => true,
    }
}

/// The byte ranges that a side touches, ascending and apart; `None` for an empty pattern, or for
/// more runs than are listed.
pub fn ranges(side: &Side) -> Option<Vec<(i128, i128)>> {
    Reach::of(side)?;
    runs(side).map(apart)
}

/// The ranges that two lists of [`ranges`] share.
pub fn shared(one: &[(i128, i128)], other: &[(i128, i128)]) -> Vec<(i128, i128)> {
    let mut out = Vec::new();
    let (mut left, mut right) = (one.iter().peekable(), other.iter().peekable());
    while let (Some(&&(a, b)), Some(&&(c, d))) = (left.peek(), right.peek()) {
        let (start, end) = (a.max(c), b.min(d));
        if start < end {
            out.push((start, end));
        }
        if b < d {
            left.next()
        } else {
            right.next()
        };
    }
    out
}

/// Runs that touch become one, so that those left are apart and ascend in both ends.
fn apart(mut runs: Vec<(i128, i128)>) -> Vec<(i128, i128)> {
    runs.sort_unstable();
    let mut apart: Vec<(i128, i128)> = Vec::new();
    for (start, end) in runs {
        match apart.last_mut().filter(|last| start <= last.1) {
            Some(last) => last.1 = last.1.max(end),
            None => apart.push((start, end)),
        }
    }
    apart
}

/// The runs of a side, or `None` if there are too many.
fn runs(side: &Side) -> Option<Vec<(i128, i128)>> {
    let (size, step) = (*side.sizes.first()?, *side.steps.first()?);
    let outer = side.sizes.iter().skip(1).try_fold(1_u64, |sum, size| sum.checked_mul(*size))?;
    let inner = if step == 1 { 1 } else { size };
    let count = outer.checked_mul(inner).filter(|count| *count <= MAX_LISTED_RUNS)?;
    let mut starts = Vec::with_capacity(usize::try_from(count).ok()?);
    starts.push(i128::from(side.offset));
    let skipped = usize::from(step == 1);
    for (size, step) in side.sizes.iter().zip(&side.steps).skip(skipped) {
        let begins = std::mem::take(&mut starts);
        for index in 0..*size {
            // Sums of sides with a reach stay far below 2^127.
            let add = i128::from(index) * i128::from(*step);
            starts.extend(begins.iter().map(|begin| begin + add));
        }
    }
    let length = if step == 1 { i128::from(size) } else { 1 };
    Some(starts.into_iter().map(|start| (start, start + length)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::kbin::names::Dtype;

    fn side(offset: u64, sizes: &[u64], steps: &[i64]) -> Side {
        Side { offset, sizes: sizes.to_vec(), steps: steps.to_vec(), dtype: Dtype::INVALID }
    }

    #[test]
    fn reach_of_strided_and_reversed_sides() {
        let reach = |side: &Side| Reach::of(side).map(|r| (r.start, r.end, r.bytes, r.runs));
        // One run of 128 bytes; the outer size of 1 changes nothing.
        assert_eq!(reach(&side(0, &[128, 1], &[1, 128])), Some((0, 128, 128, 1)));
        // 3 rows of 4 bytes, 16 apart: last byte 2 * 16 + 3.
        assert_eq!(reach(&side(8, &[4, 3], &[1, 16])), Some((8, 44, 12, 3)));
        // Rows that touch are one run.
        assert_eq!(reach(&side(0, &[4, 3], &[1, 4])), Some((0, 12, 12, 1)));
        // A contiguous dimension behind a gap stays split.
        assert_eq!(reach(&side(0, &[4, 3, 2], &[1, 16, 48])), Some((0, 84, 24, 6)));
        // Backwards from byte 32: rows at 32, 16, 0.
        assert_eq!(reach(&side(32, &[4, 3], &[1, -16])), Some((0, 36, 12, 3)));
        assert_eq!(reach(&side(0, &[4, 3], &[1, -16])), Some((-32, 4, 12, 3)));
        assert_eq!(reach(&side(0, &[4, 0], &[1, 16])), None);
        assert_eq!(reach(&side(0, &[4], &[1, 16])), None);
        assert_eq!(reach(&side(0, &[], &[])), None);
        let most = side(u64::MAX, &[u64::MAX; 8], &[i64::MIN; 8]);
        assert_eq!(Reach::checked(&most), Err(NoReach::Beyond));
        assert_eq!(touched(&most), "bytes beyond 2^120");
        // 2^63 bytes in one run.
        let half = side(0, &[1 << 63], &[1]);
        assert_eq!(reach(&half), Some((0, 1 << 63, 1 << 63, 1)));
        assert_eq!(touched(&half), "0x0..0x8000000000000000, 9,223,372,036,854,775,808 bytes");
        assert_eq!(touched(&side(0, &[4, 3], &[1, -16])), "-0x20..0x4, 36 bytes");
        assert_eq!(touched(&side(0, &[4, 0], &[1, 16])), "no bytes");
    }

    #[test]
    fn ranges_are_apart_and_share_what_both_have() {
        // Rows of 4 every 8 bytes, from 0: 0-4, 8-12, 16-20. Backwards it is the same.
        let rows = [(0, 4), (8, 12), (16, 20)];
        assert_eq!(ranges(&side(0, &[4, 3], &[1, 8])).unwrap(), rows);
        assert_eq!(ranges(&side(16, &[4, 3], &[1, -8])).unwrap(), rows);
        // Rows that touch are one range, bytes twice written too.
        assert_eq!(ranges(&side(2, &[4, 3], &[1, 4])).unwrap(), [(2, 14)]);
        assert_eq!(ranges(&side(2, &[4, 3], &[1, 0])).unwrap(), [(2, 6)]);
        assert_eq!(ranges(&side(0, &[0, 3], &[1, 4])), None);
        assert_eq!(ranges(&side(0, &[1, 4_097], &[1, 2])), None, "too many");
        assert_eq!(shared(&rows, &[(2, 9), (19, 30)]), [(2, 4), (8, 9), (19, 20)]);
        assert_eq!(shared(&rows, &[(4, 8), (12, 16)]), []);
        assert_eq!(shared(&[], &rows), []);
    }
}
