//! The Bytes view: what has bytes at the left, a window of bytes, and the fields at the cursor.

use super::hex::parse_hex;
use super::state::Notice;
use debug_api::Scope;
use debug_api::answer::{BytesAnswer, BytesPart, BytesSource, MembersAnswer, RecordFieldInfo};
use debug_api::plain::range;
use std::rc::Rc;

/// Bytes of a row.
pub const ROW_BYTES: u64 = 16;
/// Bytes of a row of text.
pub const TEXT_ROW_BYTES: u64 = 64;
/// Longest line of a text that is loaded whole.
const LINE_BYTES: usize = 96;
/// Pages begin at whole multiples.
const PAGE: u64 = 4_096;
/// Most bytes of one answer.
const MOST: u64 = 65_536;

/// Whose bytes are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BytesOf {
    /// `header tar member stream image record kbin capture`; empty for nothing.
    pub of: String,
    /// Member, record, or part of a capture.
    pub name: Option<String>,
    /// File of the session, for a part of a capture.
    pub f: Option<usize>,
}

/// Bytes to show: what has them, and the first of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BytesRef {
    /// Whose bytes.
    pub of: BytesOf,
    /// Engine of a stream or image.
    pub e: Option<String>,
    /// First byte.
    pub at: u64,
    /// How many to select.
    pub bytes: u64,
}

/// State of the view.
#[derive(Clone, Debug, Default)]
pub struct BytesBox {
    /// What the list was asked for.
    pub asked_list: Option<(Scope, String)>,
    /// What has bytes.
    pub list: Option<Rc<MembersAnswer>>,
    /// Searched text of the list.
    pub find: String,
    /// Cursor in the list.
    pub row: usize,
    /// Whose bytes are shown.
    pub of: BytesOf,
    /// What the page was asked for.
    pub asked: Option<(Scope, BytesOf)>,
    /// The loaded page.
    pub page: Option<Rc<BytesAnswer>>,
    /// Its bytes.
    pub bytes: Rc<Vec<u8>>,
    /// Fields at the cursor.
    pub fields: Rc<Vec<RecordFieldInfo>>,
    /// The cursor.
    pub cursor: u64,
    /// The other end of the selection.
    pub anchor: u64,
    /// Bytes in the window, half open.
    pub seen: (u64, u64),
    /// Whether bytes are shown as text.
    pub text: bool,
    /// First bytes of the lines of a text that is loaded whole; else rows are of one length.
    pub lines: Rc<Vec<u64>>,
    /// Whether the value inspector is closed.
    pub inspector_closed: bool,
    /// The reading of the bytes at the cursor that is marked, by its number in the key's order.
    pub reading: usize,
    /// Field under the pointer.
    pub hover: Option<usize>,
    /// Whether the pointer is on one of its bytes, not on its line.
    pub hover_of_bytes: bool,
    /// Counts up with each wish to see the cursor.
    pub reveal: u32,
    /// Why there are no bytes to show.
    pub missing: Option<Notice>,
}

impl BytesBox {
    /// First and end of the selection, at least one byte.
    pub fn selection(&self) -> (u64, u64) {
        (self.cursor.min(self.anchor), self.cursor.max(self.anchor).saturating_add(1))
    }

    /// Bytes that there are; 0 until known.
    pub fn total(&self) -> u64 {
        self.page.as_ref().map_or(0, |page| page.total)
    }

    /// Bytes of a row.
    pub const fn row_bytes(&self) -> u64 {
        if self.text { TEXT_ROW_BYTES } else { ROW_BYTES }
    }

    /// Rows that there are.
    pub fn rows(&self) -> u64 {
        match self.lines.len() {
            0 => self.total().div_ceil(self.row_bytes()),
            lines => lines as u64,
        }
    }

    /// First byte and end of a row.
    pub fn row(&self, row: u64) -> (u64, u64) {
        if self.lines.is_empty() {
            let start = row * self.row_bytes();
            return (start, (start + self.row_bytes()).min(self.total()));
        }
        let at = usize::try_from(row).unwrap_or(usize::MAX);
        let start = |at: usize| self.lines.get(at).copied().unwrap_or_else(|| self.total());
        (start(at), start(at.saturating_add(1)))
    }

    /// The row of a byte.
    pub fn row_of(&self, at: u64) -> u64 {
        match self.lines.is_empty() {
            true => at / self.row_bytes(),
            false => self.lines.partition_point(|start| *start <= at).saturating_sub(1) as u64,
        }
    }

    /// Sets the lines of what is loaded, if it is shown as text and loaded whole.
    pub fn arrange(&mut self) {
        let whole = self.total() == self.bytes.len() as u64;
        let own = if self.text && whole { text_lines(&self.bytes) } else { Vec::new() };
        self.lines = Rc::new(own);
    }

    /// A loaded byte.
    pub fn byte(&self, at: u64) -> Option<u8> {
        let from = self.page.as_ref()?.from;
        self.bytes.get(usize::try_from(at.checked_sub(from)?).ok()?).copied()
    }

    /// Loaded bytes of a range; `None` if one is not loaded.
    pub fn range(&self, first: u64, end: u64) -> Option<&[u8]> {
        let from = self.page.as_ref()?.from;
        let place = |at: u64| usize::try_from(at.checked_sub(from)?).ok();
        self.bytes.get(place(first)?..place(end)?)
    }

    /// Loaded bytes from the cursor on, at most 64.
    pub fn ahead(&self) -> &[u8] {
        let end = self.page.as_ref().map_or(0, |page| page.from + self.bytes.len() as u64);
        self.range(self.cursor, end.min(self.cursor.saturating_add(64))).unwrap_or(&[])
    }

    /// Whether a byte is kept back.
    pub fn is_withheld(&self, at: u64) -> bool {
        let runs = self.page.iter().flat_map(|page| &page.withheld);
        runs.into_iter().any(|[first, end]| (*first..*end).contains(&at))
    }

    /// The field at a byte.
    pub fn field_at(&self, at: u64) -> Option<usize> {
        self.fields.iter().position(|field| covers(field, at))
    }

    /// The element at a byte.
    pub fn part_at(&self, at: u64) -> Option<&BytesPart> {
        let parts = &self.page.as_ref()?.parts;
        let index = parts.partition_point(|part| part.offset <= at).checked_sub(1)?;
        parts.get(index).filter(|part| at - part.offset < part.bytes)
    }

    /// Whether the fields at the cursor have to be asked for.
    pub fn wants_fields(&self) -> bool {
        let Some(page) = &self.page else { return false };
        let lists = matches!(page.structure.as_str(), "slots" | "trace" | "tar" | "rows");
        lists && !self.fields.iter().any(|field| covers(field, self.cursor))
    }

    /// The source that is shown, as the list has it.
    pub fn source(&self, engine: &str) -> Option<&BytesSource> {
        self.list.as_ref()?.sources.iter().find(|source| self.is_of(source, engine))
    }

    /// Whether a line of the list is what is shown.
    pub fn is_of(&self, source: &BytesSource, engine: &str) -> bool {
        let named = source.of == self.of.of && source.name == self.of.name;
        let file = self.of.f.is_none_or(|f| f == source.f);
        named && file && source.e.as_deref().is_none_or(|e| e == engine)
    }
}

fn covers(field: &RecordFieldInfo, at: u64) -> bool {
    at.checked_sub(field.offset).is_some_and(|inside| inside < field.bytes)
}

/// First bytes of the lines of a text; long ones are cut.
fn text_lines(bytes: &[u8]) -> Vec<u64> {
    let mut out = Vec::new();
    let mut start = 0;
    for line in bytes.split_inclusive(|byte| *byte == b'\n') {
        for part in line.chunks(LINE_BYTES) {
            out.push(start);
            start += part.len() as u64;
        }
    }
    out
}

/// The bytes of an answer.
pub fn decode(answer: &BytesAnswer) -> Vec<u8> {
    parse_hex(&answer.hex).unwrap_or_default()
}

/// The page to ask for so that `seen` can be shown, with the selection where one page holds both;
/// `None` if it is loaded.
pub fn wanted(view: &BytesBox, seen: (u64, u64)) -> Option<(u64, u32)> {
    let total = view.page.as_ref().map(|page| page.total);
    let end = total.map_or(seen.1, |total| seen.1.min(total));
    let first = seen.0.min(end);
    if let Some(page) = &view.page {
        let whole = page.from == 0 && view.bytes.len() as u64 == page.total;
        if view.text && page.total <= MOST && !whole {
            return Some((0, u32::try_from(page.total).unwrap_or(u32::MAX)));
        }
        let loaded = page.from..=page.from + view.bytes.len() as u64;
        if loaded.contains(&first) && loaded.contains(&end) {
            return None;
        }
    }
    let (low, high) = view.selection();
    let both = (first.min(low), end.max(high));
    let near = both.1 - both.0 <= MOST - 3 * PAGE;
    let (first, end) = if near { both } else { (first, end) };
    let from = (first / PAGE * PAGE).saturating_sub(PAGE);
    let count = (end.div_ceil(PAGE) * PAGE + PAGE).saturating_sub(from).min(MOST);
    Some((from, u32::try_from(count).unwrap_or(u32::MAX)))
}

/// The cursor after a move of so many bytes.
pub fn moved(view: &BytesBox, by: i64) -> u64 {
    view.cursor.saturating_add_signed(by).min(view.total().saturating_sub(1))
}

/// The cursor after a move of so many rows, in the same column as far as the row has it.
pub fn moved_rows(view: &BytesBox, by: i64) -> u64 {
    let now = view.row_of(view.cursor);
    let column = view.cursor - view.row(now).0;
    let row = now.saturating_add_signed(by).min(view.rows().saturating_sub(1));
    let (start, end) = view.row(row);
    if row == now { view.cursor } else { (start + column).min(end.saturating_sub(1)) }
}

/// What a character of the text column is; a dot for what is none.
pub const fn shown_char(byte: u8) -> char {
    if byte.is_ascii_graphic() || byte == b' ' { byte as char } else { '\u{b7}' }
}

/// What is shown, in words, and where a byte of it is in the file.
pub fn place_text(page: &BytesAnswer, at: u64) -> String {
    match (page.file_offset, page.archive_offset) {
        (Some(start), _) => format!("file {:#x}", start + at),
        (None, Some(start)) => format!("archive {:#x}", start + at),
        (None, None) => String::new(),
    }
}

/// A line of the list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ListLine {
    /// Heading of a group.
    Head(String),
    /// Something with bytes, by its number in the answer.
    Source(usize),
}

/// The lines of the list: a heading before each group and each folder.
pub fn lines(answer: &MembersAnswer) -> Vec<ListLine> {
    let mut out = Vec::with_capacity(answer.sources.len() + 4);
    let mut head = String::new();
    for (at, source) in answer.sources.iter().enumerate() {
        let own = match folder_of(source) {
            "" => source.group.clone(),
            folder => folder.to_owned(),
        };
        if own != head {
            out.push(ListLine::Head(own.clone()));
            head = own;
        }
        out.push(ListLine::Source(at));
    }
    out
}

/// The folder of a member with its slash; nothing for what is in none.
pub fn folder_of(source: &BytesSource) -> &str {
    match source.label.rfind('/').filter(|_| source.of == "member") {
        Some(at) => source.label.get(..=at).unwrap_or(""),
        None => "",
    }
}

/// How much is selected.
pub fn selection_text(view: &BytesBox) -> String {
    let (first, end) = view.selection();
    match end - first {
        1 => format!("byte {first:#x}"),
        _ => range(first, end),
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use debug_api::Provenance;

    /// A page of `bytes` zero bytes from `from` of `total`.
    pub(crate) fn page(from: u64, bytes: usize, total: u64, structure: &str) -> BytesAnswer {
        BytesAnswer {
            schema: 1,
            file: "a.neff".to_owned(),
            subgraph: None,
            engine: None,
            of: "member".to_owned(),
            name: Some("a.bin".to_owned()),
            structure: structure.to_owned(),
            total,
            from,
            hex: "00".repeat(bytes),
            provenance: Provenance::File,
            archive_offset: Some(0x200),
            file_offset: None,
            no_file_offset: None,
            parts: Vec::new(),
            fields: Vec::new(),
            withheld: vec![[8, 10]],
            spec: None,
            diagnostics: Vec::new(),
        }
    }

    fn view(from: u64, bytes: usize, total: u64) -> BytesBox {
        let page = page(from, bytes, total, "raw");
        let bytes = Rc::new(decode(&page));
        BytesBox { page: Some(Rc::new(page)), bytes, ..BytesBox::default() }
    }

    #[test]
    fn pages_are_whole_and_hold_the_selection_where_they_can() {
        let loaded = view(4096, 8192, 100_000);
        assert_eq!(wanted(&loaded, (5_000, 6_000)), None);
        // One page more on both sides, and the selected byte 0 with it.
        assert_eq!(wanted(&loaded, (13_000, 14_000)), Some((0, 20_480)));
        let far = BytesBox { cursor: 90_000, anchor: 90_000, ..view(4096, 8192, 100_000) };
        assert_eq!(wanted(&far, (13_000, 14_000)), Some((8_192, 12_288)));
        assert_eq!(wanted(&view(0, 100, 100), (0, 800)), None, "there are no more");
        assert_eq!(wanted(&BytesBox::default(), (0, 800)), Some((0, 8_192)));
    }

    #[test]
    fn the_cursor_stays_inside_and_the_selection_is_a_run() {
        let mut view = view(0, 64, 64);
        view.cursor = 60;
        assert_eq!((moved(&view, 16), moved(&view, -100)), (63, 0));
        view.anchor = 62;
        assert_eq!(view.selection(), (60, 63));
        assert_eq!(view.range(60, 63).map(<[u8]>::len), Some(3));
        assert_eq!(view.range(60, 65), None);
        assert!(view.is_withheld(9) && !view.is_withheld(10));
    }

    #[test]
    fn a_byte_has_a_place_in_the_archive() {
        assert_eq!(place_text(&page(0, 1, 1, "raw"), 5), "archive 0x205");
    }

    #[test]
    fn a_text_has_lines_once_it_is_there() {
        let text = format!("{{\n  \"a\": 1,\n{}\n}}", "x".repeat(100));
        let mut answer = page(0, 0, text.len() as u64, "json");
        answer.hex = text.bytes().map(|byte| format!("{byte:02x}")).collect();
        let mut view = BytesBox { text: true, ..BytesBox::default() };
        view.bytes = Rc::new(decode(&answer));
        view.page = Some(Rc::new(answer));
        view.arrange();
        // The third line has 101 bytes with its end and is cut after 96.
        assert_eq!(*view.lines, [0, 2, 12, 108, 113]);
        assert_eq!((view.rows(), view.row(1), view.row(4)), (5, (2, 12), (113, 114)));
        assert_eq!((view.row_of(11), view.row_of(12)), (1, 2));
        view.cursor = 10;
        assert_eq!((moved_rows(&view, 1), moved_rows(&view, -1)), (20, 1));
        assert_eq!(moved_rows(&view, 9), 113);
        view.text = false;
        view.arrange();
        assert_eq!((view.rows(), view.row_of(17)), (8, 1));
        view.cursor = 5;
        assert_eq!((moved_rows(&view, 1), moved_rows(&view, -1)), (21, 5));
        let part = BytesBox { text: true, ..self::view(4096, 4096, 10_000) };
        assert_eq!(wanted(&part, (4096, 4200)), Some((0, 10_000)), "all of a small text");
    }

    #[test]
    fn folders_are_headings() {
        let source = |group: &str, of: &str, label: &str| BytesSource {
            group: group.to_owned(),
            of: of.to_owned(),
            label: label.to_owned(),
            ..BytesSource::default()
        };
        let answer = MembersAnswer {
            schema: 1,
            file: debug_api::answer::FileInfo {
                name: String::new(),
                bytes: 0,
                kind: "neff".to_owned(),
            },
            compression: None,
            from: 0,
            total: 4,
            sources: vec![
                source("File", "header", "Header"),
                source("Members", "member", "a.json"),
                source("Members", "member", "sg00/PE.bin"),
                source("Images", "image", "Image of PE"),
            ],
        };
        let heads = lines(&answer).into_iter().filter_map(|line| match line {
            ListLine::Head(text) => Some(text),
            ListLine::Source(_) => None,
        });
        assert_eq!(heads.collect::<Vec<_>>(), ["File", "Members", "sg00/", "Images"]);
        assert_eq!(lines(&answer).len(), 8);
    }

    #[test]
    fn fields_are_asked_for_where_the_cursor_left_theirs() {
        let field = |offset| RecordFieldInfo {
            name: String::new(),
            offset,
            bytes: 4,
            value: debug_api::answer::RecordValueInfo::None(()),
            kind: String::new(),
            unit: None,
            spec: None,
            meaning: String::new(),
            provenance: Provenance::File,
            why: None,
            text: None,
            tag: None,
            link: None,
            links: Vec::new(),
        };
        let slots = page(0, 256, 256, "slots");
        let mut view = BytesBox {
            page: Some(Rc::new(slots)),
            fields: Rc::new(vec![field(0), field(4)]),
            ..BytesBox::default()
        };
        view.cursor = 7;
        assert_eq!((view.field_at(7), view.wants_fields()), (Some(1), false));
        view.cursor = 8;
        assert!(view.wants_fields());
        view.page = Some(Rc::new(page(0, 256, 256, "record")));
        assert!(!view.wants_fields(), "a record has all its fields");
    }
}
