//! Two records of 64 bytes against each other: which bytes differ, as lines to draw and in words.

use std::fmt::Write;

/// How a run of bytes is set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Look {
    /// Equal and zero.
    Zero,
    /// Equal, or nothing to compare with.
    Plain,
    /// Other than on the other side.
    Changed,
}

/// A line of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Offset of its first byte.
    pub offset: usize,
    /// Runs of one look; pairs of digits, a space after each group of four bytes.
    pub runs: Vec<(Look, String)>,
}

/// Bytes in lines of `width`, compared with the other side where there is one.
pub fn lines(own: &[u8], other: Option<&[u8]>, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    for (row, chunk) in own.chunks(width.max(1)).enumerate() {
        let offset = row * width.max(1);
        let mut runs: Vec<(Look, String)> = Vec::new();
        for (column, byte) in chunk.iter().enumerate() {
            let differs = other.is_some_and(|other| other.get(offset + column) != Some(byte));
            let look = match (differs, byte) {
                (true, _) => Look::Changed,
                (_, 0) => Look::Zero,
                _ => Look::Plain,
            };
            let space = column % 4 == 0 && column > 0;
            match runs.last_mut() {
                Some((last, text)) if *last == look => {
                    if space {
                        text.push(' ');
                    }
                    let _ = write!(text, "{byte:02x}");
                }
                last => {
                    // A mark under changed bytes does not reach into the gap beside them.
                    let mut text = String::new();
                    match last {
                        Some((before, gap)) if space && *before != Look::Changed => gap.push(' '),
                        _ if space && look != Look::Changed => text.push(' '),
                        _ if space => runs.push((Look::Plain, " ".to_owned())),
                        _ => {}
                    }
                    let _ = write!(text, "{byte:02x}");
                    runs.push((look, text));
                }
            }
        }
        lines.push(Line { offset, runs });
    }
    lines
}

/// Offsets of the bytes that differ, as runs.
pub fn changed(own: &[u8], other: &[u8]) -> Vec<(usize, usize)> {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for at in (0..own.len().max(other.len())).filter(|at| own.get(*at) != other.get(*at)) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == at => *last = at,
            _ => runs.push((at, at)),
        }
    }
    runs
}

/// `no byte differs`, `1 byte differs: 0c`, `5 bytes differ: 00, 0c–0f`.
pub fn words(own: &[u8], other: &[u8]) -> String {
    let runs = changed(own, other);
    let bytes: usize = runs.iter().map(|(first, last)| last - first + 1).sum();
    let places: Vec<String> = runs
        .iter()
        .map(|(first, last)| {
            if first == last { format!("{first:02x}") } else { format!("{first:02x}–{last:02x}") }
        })
        .collect();
    match bytes {
        0 => "no byte differs".to_owned(),
        1 => format!("1 byte differs: {}", places.join(", ")),
        _ => format!("{bytes} bytes differ: {}", places.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_told_apart_and_gaps_stay_plain() {
        let own = [0xa0, 0x10, 0, 0, 1, 2, 3, 4];
        let other = [0xa0, 0x10, 0, 0, 9, 2, 3, 4];
        let line = &lines(&own, Some(&other), 16)[0];
        let want = [
            (Look::Plain, "a010"),
            (Look::Zero, "0000 "),
            (Look::Changed, "01"),
            (Look::Plain, "020304"),
        ];
        let have: Vec<_> = line.runs.iter().map(|(look, text)| (*look, text.as_str())).collect();
        assert_eq!(have, want);
        let text: String = line.runs.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(text, "a0100000 01020304");
        let alone = &lines(&own, None, 4)[1];
        assert_eq!(alone.offset, 4);
        assert_eq!(alone.runs, [(Look::Plain, "01020304".to_owned())]);
    }

    #[test]
    fn a_gap_between_two_changes_has_no_mark() {
        let line = &lines(&[1, 1, 1, 1, 0, 7], Some(&[1, 1, 1, 2, 0, 7]), 16)[0];
        let text: String = line.runs.iter().map(|(_, text)| text.as_str()).collect();
        assert_eq!(text, "01010101 0007");
        assert_eq!(line.runs[1], (Look::Changed, "01".to_owned()));
        assert_eq!(line.runs[2], (Look::Zero, " 00".to_owned()));
    }

    #[test]
    fn differences_in_words() {
        let mut other = [0_u8; 64];
        assert_eq!(words(&[0; 64], &other), "no byte differs");
        other[12] = 1;
        assert_eq!(words(&[0; 64], &other), "1 byte differs: 0c");
        other[13] = 1;
        other[0] = 2;
        assert_eq!(words(&[0; 64], &other), "3 bytes differ: 00, 0c–0d");
    }
}
