//! Places in a text: line and column of a byte.

/// A place in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextPlace {
    /// Byte, 0-based.
    pub offset: usize,
    /// Line, 1-based.
    pub line: usize,
    /// Column in characters, 1-based.
    pub column: usize,
}

impl TextPlace {
    /// The place of a byte of a text; one past its end counts as the end.
    pub fn of(text: &str, offset: usize) -> Self {
        let offset = offset.min(text.len());
        let before = text.as_bytes().get(..offset).unwrap_or(&[]);
        let line_start = before.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let in_line = before.get(line_start..).unwrap_or(&[]);
        // Continuation bytes of UTF-8 begin no character.
        let characters = in_line.iter().filter(|&&byte| byte & 0xC0 != 0x80).count();
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        Self { offset, line, column: characters + 1 }
    }
}

/// Bytes from one mark of a [`PlaceIndex`] to the next.
const STEP: usize = 1024;

/// Finds the places of many bytes of one text, each in a bounded time.
pub struct PlaceIndex<'a> {
    text: &'a str,
    /// Line and column at every multiple of [`STEP`] bytes.
    marks: Vec<(usize, usize)>,
}

impl<'a> PlaceIndex<'a> {
    /// Looks through the text once.
    pub fn new(text: &'a str) -> Self {
        let mut marks = Vec::with_capacity(text.len() / STEP + 1);
        let mut at = (1, 1);
        for part in text.as_bytes().chunks(STEP) {
            marks.push(at);
            at = advance(at, part);
        }
        Self { text, marks }
    }

    /// The place of a byte; one past the end counts as the end.
    pub fn place(&self, offset: usize) -> TextPlace {
        let offset = offset.min(self.text.len());
        let mark = offset / STEP;
        let Some(start) = self.marks.get(mark) else { return TextPlace::of(self.text, offset) };
        let part = self.text.as_bytes().get(mark * STEP..offset).unwrap_or(&[]);
        let (line, column) = advance(*start, part);
        TextPlace { offset, line, column }
    }
}

/// Line and column behind some more bytes. Continuation bytes of UTF-8 begin no character.
fn advance(start: (usize, usize), part: &[u8]) -> (usize, usize) {
    part.iter().fold(start, |(line, column), byte| match byte {
        b'\n' => (line + 1, 1),
        byte if byte & 0xC0 == 0x80 => (line, column),
        _ => (line, column + 1),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_index_finds_what_a_walk_finds() {
        let text: String = (0..600).map(|n| format!("µ{n}\n日本 {n}")).collect();
        let index = PlaceIndex::new(&text);
        for offset in (0..text.len() + 3).step_by(7) {
            assert_eq!(index.place(offset), TextPlace::of(&text, offset), "{offset}");
        }
        assert_eq!(PlaceIndex::new("").place(4), TextPlace { offset: 0, line: 1, column: 1 });
    }
}
