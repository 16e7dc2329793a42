//! A Rust file taken apart: code, comments, string literals, and which parts are tests.
//!
//! This is no parser: it only separates the parts, so that a rule about code is not broken by a
//! comment or by a text that mentions it.

use std::ops::Range;

/// A comment or a string literal, with where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Byte offset of the piece in the file.
    pub offset: usize,
    /// The comment with its slashes, or the literal's content as written.
    pub text: String,
}

/// A Rust file taken apart.
#[derive(Clone, Debug, Default)]
pub struct RustFile {
    /// The file with comments and the contents of literals blanked; offsets and lines stay.
    pub code: String,
    /// All comments in order.
    pub comments: Vec<Piece>,
    /// All string literals in order.
    pub literals: Vec<Piece>,
    /// Byte ranges of test code, in order.
    tests: Vec<Range<usize>>,
}

impl RustFile {
    /// Takes a file apart. Text that is no Rust gives some parts, never an error.
    pub fn new(text: &str) -> Self {
        let mut file = Lexer::new(text).run();
        file.tests = test_ranges(&file.code);
        file
    }

    /// Line of a byte offset, from 1.
    pub fn line(&self, offset: usize) -> usize {
        self.code.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
    }

    /// Whether a byte offset lies in test code.
    pub fn is_test(&self, offset: usize) -> bool {
        self.tests.iter().any(|range| range.contains(&offset))
    }

    /// Words of the code (names and keywords) outside tests, with their offsets.
    pub fn words(&self) -> impl Iterator<Item = (usize, &str)> {
        words(&self.code).filter(|(offset, _)| !self.is_test(*offset))
    }
}

/// Names and keywords of a text, with their offsets.
pub fn words(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let start = at + text.get(at..)?.find(is_word)?;
        let rest = &text[start..];
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        at = start + length;
        Some((start, &rest[..length]))
    })
}

/// The offset after the bracket that closes the one at `open`.
pub fn after_closing(code: &str, open: usize) -> usize {
    let mut depth = 0usize;
    for (offset, byte) in code.bytes().enumerate().skip(open) {
        match byte {
            b'{' | b'(' | b'[' => depth += 1,
            b'}' | b')' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return offset + 1;
        }
    }
    code.len()
}

/// Items behind `#[cfg(test)]` or `#[test]`, attribute included.
fn test_ranges(code: &str) -> Vec<Range<usize>> {
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for marker in ["#[cfg(test)]", "#[test]"] {
        for (start, _) in code.match_indices(marker) {
            let mut at = start + marker.len();
            let end = loop {
                let Some(byte) = code.as_bytes().get(at) else { break at };
                match byte {
                    b';' => break at + 1,
                    b'{' => break after_closing(code, at),
                    b'[' | b'(' => at = after_closing(code, at),
                    _ => at += 1,
                }
            };
            ranges.push(start..end);
        }
    }
    ranges.sort_by_key(|range| range.start);
    ranges
}

/// Walks through a file once.
struct Lexer<'a> {
    text: &'a str,
    at: usize,
    out: RustFile,
}

impl<'a> Lexer<'a> {
    fn new(text: &'a str) -> Self {
        Self { text, at: 0, out: RustFile::default() }
    }

    fn run(mut self) -> RustFile {
        while let Some(next) = self.rest().chars().next() {
            let rest = self.rest();
            if rest.starts_with("//") {
                self.comment(rest.find('\n').unwrap_or(rest.len()));
            } else if rest.starts_with("/*") {
                self.comment(block_comment(rest));
            } else if let Some((open, hashes)) = raw_string(rest).filter(|_| self.at_word_start()) {
                let close = format!("\"{}", "#".repeat(hashes));
                let length = rest[open..].find(&close).unwrap_or(rest.len() - open);
                self.literal(open, length, close.len());
            } else if next == '"' {
                self.literal(1, string_length(&rest[1..], '"'), 1);
            } else if next == '\'' && is_character(rest) {
                self.keep(1);
                self.blank(string_length(self.rest(), '\''));
                self.keep(1);
            } else {
                self.keep(next.len_utf8());
            }
        }
        self.out
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn at_word_start(&self) -> bool {
        let before = self.text[..self.at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || c == '_')
    }

    fn keep(&mut self, length: usize) {
        let end = (self.at + length).min(self.text.len());
        self.out.code.push_str(&self.text[self.at..end]);
        self.at = end;
    }

    fn blank(&mut self, length: usize) {
        let end = (self.at + length).min(self.text.len());
        let blanks = self.text[self.at..end].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' });
        self.out.code.extend(blanks);
        self.at = end;
    }

    fn comment(&mut self, length: usize) {
        let text = self.rest()[..length].to_owned();
        self.out.comments.push(Piece { offset: self.at, text });
        self.blank(length);
    }

    fn literal(&mut self, open: usize, length: usize, close: usize) {
        let text = self.rest()[open..open + length].to_owned();
        self.out.literals.push(Piece { offset: self.at, text });
        self.keep(open);
        self.blank(length);
        self.keep(close);
    }
}

/// Length of a block comment, which may hold others.
fn block_comment(text: &str) -> usize {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at + 1 < bytes.len() {
        match &bytes[at..at + 2] {
            b"/*" => (depth, at) = (depth + 1, at + 2),
            b"*/" => (depth, at) = (depth.saturating_sub(1), at + 2),
            _ => at += 1,
        }
        if depth == 0 {
            return at;
        }
    }
    text.len()
}

/// Length of the opening and number of hashes, if a raw string begins here.
fn raw_string(text: &str) -> Option<(usize, usize)> {
    let prefix = ["r", "br", "cr"].into_iter().find(|prefix| {
        text.strip_prefix(prefix).is_some_and(|rest| rest.starts_with(['"', '#']))
    })?;
    let rest = &text[prefix.len()..];
    let hashes = rest.len() - rest.trim_start_matches('#').len();
    rest[hashes..].starts_with('"').then_some((prefix.len() + hashes + 1, hashes))
}

/// Length up to the closing quote, which a backslash hides.
fn string_length(text: &str, quote: char) -> usize {
    let mut hidden = false;
    for (offset, c) in text.char_indices() {
        match c {
            _ if hidden => hidden = false,
            '\\' => hidden = true,
            _ if c == quote => return offset,
            _ => {}
        }
    }
    text.len()
}

/// Whether a quote begins a character rather than a lifetime.
fn is_character(text: &str) -> bool {
    let mut characters = text.chars().skip(1);
    let (first, second) = (characters.next(), characters.next());
    first == Some('\\') || second == Some('\'')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_literals_leave_the_code() {
        let text =
            "let a = \"use std::fs\"; // unsafe \"x\"\nlet b = r#\"q\"q\"#; /* a /* b */ c */";
        let file = RustFile::new(text);
        assert_eq!(file.code.len(), text.len());
        assert!(!file.code.contains("fs") && !file.code.contains("unsafe"));
        let literals: Vec<_> = file.literals.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(literals, ["use std::fs", "q\"q"]);
        let comments: Vec<_> = file.comments.iter().map(|piece| piece.text.as_str()).collect();
        assert_eq!(comments, ["// unsafe \"x\"", "/* a /* b */ c */"]);
        assert_eq!(file.line(text.find("let b").unwrap_or_default()), 2);
    }

    #[test]
    fn quotes_of_characters_and_lifetimes() {
        let file = RustFile::new("fn f<'a>(x: &'a str) { g('\"', '\\'', b'\\\\'); h(\"t\\\"u\") }");
        assert_eq!(file.literals.len(), 1);
        assert_eq!(file.literals[0].text, "t\\\"u");
    }

    #[test]
    fn test_code_is_known() {
        let text = "fn a() { one() }\n#[cfg(test)]\nmod tests {\n fn b() { two() }\n}\nfn c() {}\n#[cfg(test)]\nuse x::y;\nfn d() {}";
        let file = RustFile::new(text);
        for (word, expected) in
            [("one", false), ("two", true), ("fn c", false), ("x::y", true), ("fn d", false)]
        {
            let offset = text.find(word).unwrap_or_default();
            assert_eq!(file.is_test(offset), expected, "{word}");
        }
        assert!(file.words().all(|(_, word)| word != "two"));
    }
}
