//! A whole text, within limits.

use super::clean::Lines;
use super::line::Line;
use super::read::read;
use super::scan::cut;
use neff::Limits;

/// What is read of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LogLimits {
    /// Bytes of the text.
    pub bytes: usize,
    /// Lines.
    pub lines: usize,
    /// Bytes of one line.
    pub line_bytes: usize,
}

impl Default for LogLimits {
    fn default() -> Self {
        Self { bytes: Limits::default().log_bytes, lines: 20_000, line_bytes: 4096 }
    }
}

/// What helps with a text that is too long.
const NEXT: &str = "give the lines around the first ERROR instead";

/// A remark about the text as a whole.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Stable code, see docs/codes.md.
    pub code: &'static str,
    /// Sentence.
    pub message: String,
    /// Byte of the text.
    pub at: u64,
}

/// What a text holds.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parsed {
    /// Lines in the order of the text; empty ones are left out.
    pub lines: Vec<Line>,
    /// What was cut.
    pub notes: Vec<Note>,
}

/// Reads a text. Takes time and memory linear in the part of it that the limits let in.
pub fn parse(text: &str, limits: &LogLimits) -> Parsed {
    let mut notes = Vec::new();
    let mut note = |code, message, at: usize| notes.push(Note { code, message, at: at as u64 });
    let kept = cut(text, limits.bytes);
    if kept.len() < text.len() {
        let message = format!(
            "only the first {} bytes of the text are read (limit `log_bytes`): {NEXT}",
            kept.len()
        );
        note("log.bytes-limit", message, kept.len());
    }
    let longest = kept.split(['\n', '\r']).map(|row| row.trim_end().len()).max();
    let mut lines = Lines::new(longest.unwrap_or(0));
    let (mut number, mut at, mut long) = (0_u32, 0, None);
    'text: for row in kept.split('\n') {
        number = number.saturating_add(1);
        // A carriage return draws a line anew; each state of it is a line.
        for part in row.split('\r') {
            let short = cut(part, limits.line_bytes);
            if short.len() < part.len() {
                long = long.or(Some((number, at)));
            }
            lines.push(number, short, limits.line_bytes);
            if lines.pieces.len() > limits.lines {
                lines.pieces.truncate(limits.lines);
                let message =
                    format!("only the first {} lines are read (limit `lines`)", limits.lines);
                note("log.lines-limit", message, at);
                break 'text;
            }
        }
        at += row.len() + 1;
    }
    if let Some((number, at)) = long {
        let message = format!(
            "line {number}, and maybe others, is longer than {} bytes; the rest of it is not read \
             (limit `line_bytes`)",
            limits.line_bytes
        );
        note("log.line-limit", message, at);
    }
    let lines = lines.pieces.iter().map(|piece| read(&piece.text, piece.number)).collect();
    Parsed { lines, notes }
}

#[cfg(test)]
mod tests {
    use super::super::line::Kind;
    use super::*;

    #[test]
    fn limits_leave_notes() {
        let limits = LogLimits { bytes: 40, lines: 2, line_bytes: 8 };
        let parsed = parse("one\ntwo\n\nthree is a long line\nfour\nfive\nsix", &limits);
        let texts: Vec<_> = parsed.lines.iter().map(|line| line.text.as_str()).collect();
        assert_eq!(texts, ["one", "two"]);
        let codes: Vec<_> = parsed.notes.iter().map(|note| note.code).collect();
        assert_eq!(codes, ["log.bytes-limit", "log.lines-limit", "log.line-limit"]);
    }

    #[test]
    fn states_of_one_row_count_as_lines() {
        let limits = LogLimits { bytes: 1 << 20, lines: 3, line_bytes: 8 };
        let parsed = parse(&"a\r".repeat(1000), &limits);
        assert_eq!(parsed.lines.len(), 3);
        assert_eq!(parsed.notes[0].code, "log.lines-limit");
    }

    #[test]
    fn carriage_returns_and_colors_are_taken() {
        let text = "10%\r20%\r\n\u{1b}[31mInference completed with err: 5\u{1b}[0m\r\n";
        let parsed = parse(text, &LogLimits::default());
        assert_eq!(parsed.lines.len(), 3);
        let last = &parsed.lines[2];
        assert_eq!((last.kind, last.status, last.number), (Kind::Status, Some(5), 2));
        assert_eq!(last.text, "Inference completed with err: 5");
    }
}
