//! A file of source text that a user brings along, since a NEFF has only its name and lines.

use crate::answer::At;
use crate::error::{ApiError, ErrorKind};
use std::ops::Range;

/// Most bytes of a source file.
const MAX_SOURCE_BYTES: usize = 16 << 20;
/// Longest part of a line that is shown, in characters.
const MAX_LINE: usize = 400;

/// Endings of names that are taken for source text.
const ENDINGS: [&str; 11] = ["py", "pyi", "cc", "cpp", "cxx", "c", "h", "hpp", "rs", "mlir", "hlo"];

/// Whether a file is source text by its name.
pub fn is_source_name(name: &str) -> bool {
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
}

/// An opened source file.
pub struct SourceFile {
    name: String,
    text: String,
    /// Bytes of each line without its end.
    lines: Vec<Range<usize>>,
}

impl SourceFile {
    /// Opens bytes under a display name.
    ///
    /// # Errors
    /// `source.text` for bytes that are no text or too many.
    pub fn open(name: &str, bytes: &[u8]) -> Result<Self, ApiError> {
        let error = |message| ApiError::new(ErrorKind::Undecodable, "source.text", message);
        if bytes.len() > MAX_SOURCE_BYTES {
            return Err(error(format!("a source file has at most {MAX_SOURCE_BYTES} bytes")));
        }
        let text =
            std::str::from_utf8(bytes).map_err(|wrong| {
                let offset = Some(wrong.valid_up_to() as u64);
                error(format!("source is UTF-8 text, byte {:#x} is not", wrong.valid_up_to()))
                    .at(At { member: Some(name.to_owned()), offset, ..At::default() })
            })?;
        let mut at = 0;
        let lines = text
            .split_inclusive('\n')
            .map(|line| {
                let start = at;
                at += line.len();
                start..start + line.trim_end_matches(['\n', '\r']).len()
            })
            .collect();
        Ok(Self { name: name.to_owned(), text: text.to_owned(), lines })
    }

    /// Display name, without a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.text.len() as u64
    }

    /// Number of lines.
    pub fn lines(&self) -> u64 {
        self.lines.len() as u64
    }

    /// A line, 1-based, cut to what is shown; `None` behind the last one.
    pub fn line(&self, number: u64) -> Option<&str> {
        let index = usize::try_from(number.checked_sub(1)?).ok()?;
        let line = self.text.get(self.lines.get(index)?.clone())?;
        let end = line.char_indices().nth(MAX_LINE).map_or(line.len(), |(at, _)| at);
        line.get(..end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one_and_have_no_end() {
        let file = SourceFile::open("a.py", "one\r\ntwö\n\nfour".as_bytes()).unwrap();
        let lines: Vec<Option<&str>> = (0..6).map(|number| file.line(number)).collect();
        assert_eq!(lines, [None, Some("one"), Some("twö"), Some(""), Some("four"), None]);
        assert_eq!((file.lines(), file.bytes()), (4, 15));
        assert_eq!(SourceFile::open("a.py", b"").unwrap().lines(), 0);
        let long = SourceFile::open("a.py", "ü".repeat(500).as_bytes()).unwrap();
        assert_eq!(long.line(1).map(|line| line.chars().count()), Some(400));
    }

    #[test]
    fn bytes_that_are_no_text_are_an_error_with_their_place() {
        let error = SourceFile::open("a.py", b"abc\xff").err().unwrap();
        assert_eq!((error.code, error.at.offset), ("source.text", Some(3)));
    }

    #[test]
    fn names_tell_source() {
        for name in ["a.py", "B.PY", "k.cpp"] {
            assert!(is_source_name(name), "{name}");
        }
        for name in ["a.neff", "py", "a.py.neff", "a", "notes.txt", ""] {
            assert!(!is_source_name(name), "{name}");
        }
    }
}
