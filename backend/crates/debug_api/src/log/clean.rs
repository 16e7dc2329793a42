//! From pasted text to lines: color codes and controls go, wrapped lines come together, lines that
//! several threads wrote into each other come apart.

use super::ids::component;
use super::scan::stamp;

/// Physical lines that one logical line may have.
const MAX_JOINED: usize = 24;

/// Pieces that one physical line is cut into.
const MAX_PIECES: usize = 16;

/// A line of the text.
pub struct Piece {
    /// 1-based number of its first physical line.
    pub number: u32,
    /// Text without controls; further physical lines follow after a line feed.
    pub text: String,
    /// Whether it has a prefix of the runtime.
    prefixed: bool,
    joined: usize,
    last_bytes: usize,
}

/// A line without escape sequences and controls; a tab stays.
pub fn clean(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\u{1b}' => match chars.next() {
                Some('[') => {
                    // Parameters up to a final byte.
                    for c in chars.by_ref() {
                        if ('\u{40}'..='\u{7e}').contains(&c) {
                            break;
                        }
                    }
                }
                Some(']') => {
                    for c in chars.by_ref() {
                        if matches!(c, '\u{7}' | '\u{1b}') {
                            break;
                        }
                    }
                    chars.next_if_eq(&'\\');
                }
                _ => {}
            },
            '\t' => out.push(c),
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

/// Collects the lines of a text.
pub struct Lines {
    /// The lines so far.
    pub pieces: Vec<Piece>,
    /// Width at which the text was wrapped, in bytes; 0 if it was not.
    width: usize,
}

/// Widths at which a text can have been wrapped; a longer line was not.
const WIDTHS: std::ops::RangeInclusive<usize> = 72..=240;

/// Bytes that the last word of a wrapped line can leave free.
const RAGGED: usize = 24;

impl Lines {
    /// No lines yet, of a text whose longest physical line has so many bytes.
    pub fn new(longest: usize) -> Self {
        Self { pieces: Vec::new(), width: if WIDTHS.contains(&longest) { longest } else { 0 } }
    }

    /// Adds a physical line. Returns the number of logical lines.
    pub fn push(&mut self, number: u32, text: &str, most_bytes: usize) -> usize {
        let text = clean(text);
        let text = text.trim_end();
        if text.trim_start().is_empty() {
            return self.pieces.len();
        }
        let mut start = 0;
        for _ in 1..MAX_PIECES {
            let Some(rest) = text.get(start..) else { break };
            // A stamp behind a prefix begins the line of another thread.
            let Some((at, _)) = component(rest) else { break };
            let Some(next) = stamp(text, start + at) else { break };
            self.add(number, text.get(start..next).unwrap_or("").trim_end(), most_bytes);
            start = next;
        }
        self.add(number, text.get(start..).unwrap_or(""), most_bytes);
        self.pieces.len()
    }

    fn add(&mut self, number: u32, text: &str, most_bytes: usize) {
        let width = self.width;
        let prefixed = component(text).is_some();
        let stamped = prefixed || stamp(text, 0).is_some();
        if let Some(last) = self.pieces.last_mut()
            && !stamped
            && last.prefixed
            && last.number < number
            && last.joined < MAX_JOINED
            && last.text.len() + text.len() < most_bytes
            && let Some(sign) = continues(width, last, text)
        {
            last.text.push_str(sign);
            last.text.push_str(text);
            last.joined += 1;
            last.last_bytes = text.len();
            return;
        }
        self.pieces.push(Piece {
            number,
            text: text.to_owned(),
            prefixed,
            joined: 0,
            last_bytes: text.len(),
        });
    }
}

/// What to put between a line and its continuation; nothing if it is none. Indented lines are
/// continuations, and lines behind a full width that go on in the middle of a sentence.
fn continues(width: usize, last: &Piece, text: &str) -> Option<&'static str> {
    let begin = text.trim_start();
    if begin.starts_with("File \"") || begin.starts_with("at ") || begin.starts_with("Traceback") {
        return None;
    }
    if begin.len() < text.len() {
        return Some("\n");
    }
    let full = width > 0 && last.last_bytes + RAGGED >= width;
    let open = !last.text.ends_with(['.', '!', '?', ';', ')', ']', '}']);
    let inner = begin.starts_with(|c: char| c.is_ascii_lowercase() || c.is_ascii_digit());
    if !full || !open || !inner {
        return None;
    }
    // Terminals break at their width in the middle of a word, mail and chats between words.
    Some(if last.last_bytes == width { "" } else { " " })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<(u32, String)> {
        let mut lines = Lines::new(text.split('\n').map(str::len).max().unwrap_or(0));
        for (number, line) in (1..).zip(text.split('\n')) {
            lines.push(number, line, 4096);
        }
        lines.pieces.into_iter().map(|piece| (piece.number, piece.text)).collect()
    }

    #[test]
    fn controls_go() {
        assert_eq!(clean("\u{1b}[1;31mERROR\u{1b}[0m a\tb\u{0}\u{8}"), "ERROR a\tb");
        assert_eq!(clean("\u{1b}]8;;http://x\u{1b}\\y\u{1b}"), "y");
    }

    #[test]
    fn indented_lines_belong_to_the_line_above() {
        let text = "ERROR TDRV:log_dev_mem  Failed to allocate 43MB, current utilization:\n\
            \t* total: 15.972GB\n\n\t* tensors: 13.170GB\nplain\n  indented";
        let found = lines(text);
        assert_eq!(found.len(), 3);
        assert!(found[0].1.ends_with("* total: 15.972GB\n\t* tensors: 13.170GB"));
        assert_eq!(found[1], (5, "plain".to_owned()));
    }

    #[test]
    fn a_wrapped_line_is_one() {
        let eighty = format!(
            "2023-Jan-09 20:27:41.0593 1:1 ERROR  NMGR:dlr_infer      {}",
            "Inference completed wit"
        );
        assert_eq!(eighty.len(), 80);
        let found = lines(&format!("{eighty}\nh err: 1006"));
        assert!(found[0].1.ends_with("completed with err: 1006"), "{found:?}");
        // Behind a line longer than any width nothing goes on.
        let long = format!("{eighty} {:<200}x", "");
        assert_eq!(lines(&format!("{long}\nfoo")).len(), 2);
    }

    #[test]
    fn lines_of_two_threads_come_apart() {
        let text = "39717:39881 ERROR  NMGR:kmgr   Failed to load NN: /x.neff, err: 102024-Jan-18 \
            01:49:40.972604 39717:39898 ERROR  NEFF:neff_parse   x";
        let found = lines(text);
        assert!(found[0].1.ends_with("err: 10"), "{found:?}");
        assert!(found[1].1.starts_with("2024-Jan-18"));
        // A stamp in front of the stamp is a prefix.
        let text =
            "2024-08-12 18:34:56,116::ERROR: 2024-Aug-12 18:34:56.067150 1:1 ERROR  TDRV:x  y";
        assert_eq!(lines(text).len(), 1);
    }
}
