//! The Structs and Bytes views without script: lists and tables of what the application shows.

use crate::format::{clean, percent, thousands};
use crate::page_model::{FindingRow, Shell, provenance_key};
use crate::view_query::{ViewQuery, query_text};
use askama::Template;
use debug_api::answer::{Answer, BytesAnswer, RecordFieldInfo, RecordValueInfo};
use debug_api::{ApiError, ErrorKind, Request, Scope, Session};

/// Lines of a list in a page.
pub const PAGE_LINES: u32 = 512;
/// Bytes of a dump in a page.
const PAGE_BYTES: u32 = 512;

/// A page of lists.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "listing.html")]
pub struct ListingPage {
    /// Frame.
    pub shell: Shell,
    /// Content.
    pub listing: Listing,
}

/// What a page lists.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// What it is about.
    pub title: String,
    /// Facts about it.
    pub summary: String,
    /// Provenance of the whole.
    pub provenance: String,
    /// Findings.
    pub findings: Vec<FindingRow>,
    /// Fields of what is open; may be empty.
    pub fields: Vec<FieldRow>,
    /// Bytes of what is open as lines: offset, digits, characters.
    pub dump: Vec<[String; 3]>,
    /// What can be opened.
    pub lines: Vec<Line>,
    /// How many more lines there are; empty if none.
    pub more: String,
}

impl Listing {
    /// Key of the provenance glyph.
    pub fn prov_key(&self) -> &'static str {
        provenance_key(&self.provenance)
    }
}

/// A field.
#[derive(Clone, Debug, Default)]
pub struct FieldRow {
    /// Name.
    pub name: String,
    /// Type.
    pub kind: String,
    /// First byte.
    pub offset: String,
    /// Size in bytes.
    pub bytes: String,
    /// Value with its unit.
    pub value: String,
    /// What it is.
    pub meaning: String,
    /// Provenance, the word in full.
    pub provenance: String,
}

impl FieldRow {
    /// Key of the provenance glyph.
    pub fn prov_key(&self) -> &'static str {
        provenance_key(&self.provenance)
    }
}

/// A line of a list.
#[derive(Clone, Debug, Default)]
pub struct Line {
    /// Name.
    pub label: String,
    /// The view with it open.
    pub href: String,
    /// Type or structure.
    pub kind: String,
    /// Size.
    pub bytes: String,
    /// Where it is.
    pub place: String,
    /// Whether it is open.
    pub on: bool,
}

/// What has bytes, and the bytes that the address names.
pub fn bytes(
    id: &str,
    session: &Session,
    scope: &Scope,
    query: &ViewQuery,
) -> Result<Listing, ApiError> {
    let count = Some(PAGE_LINES);
    let list = Request::Members { scope: scope.clone(), from: 0, count, find: None };
    let Answer::Members(list) = session.ask(&list)? else { return Ok(Listing::default()) };
    let first = list.sources.first();
    let (of, name) = match &query.of {
        Some(of) => (of.clone(), query.name.clone()),
        None => first.map_or_else(Default::default, |one| (one.of.clone(), one.name.clone())),
    };
    let number = |text: &str| match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    };
    let at = query.at.as_deref().and_then(number).unwrap_or(0);
    let from = at - at % 16;
    let request = Request::Bytes {
        scope: scope.clone(),
        of: of.clone(),
        name: name.clone(),
        from,
        count: Some(PAGE_BYTES),
        at: Some(at),
    };
    let page = session.ask(&request);
    let shown = list.sources.len() as u64;
    let lines = list.sources.iter().map(|source| {
        let mut href = format!(
            "/f/{id}/bytes{}",
            query_text(query, source.e.as_deref(), Some(("of", source.of.clone())))
        );
        if let Some(name) = &source.name {
            href.push_str(&format!("&name={}", percent(name)));
        }
        Line {
            label: clean(&source.label),
            href,
            kind: source.structure.clone(),
            bytes: thousands(source.bytes),
            place: match (source.file_offset, source.archive_offset) {
                (Some(at), _) => format!("file {at:#x}"),
                (None, Some(at)) => format!("archive {at:#x}"),
                (None, None) => "-".to_owned(),
            },
            on: source.of == of
                && source.name == name
                && (source.e.is_none() || source.e == scope.e),
        }
    });
    let (lines, more) = (lines.collect(), more(list.total, shown));
    let page = match page {
        Ok(Answer::Bytes(page)) => page,
        Ok(_) => return Ok(Listing::default()),
        Err(error) => {
            let title = name.as_deref().unwrap_or(&of);
            return Ok(Listing { lines, more, ..absent(title, &error)? });
        }
    };
    Ok(Listing {
        title: clean(name.as_deref().or(page.engine.as_deref()).unwrap_or(&of)),
        summary: bytes_summary(&page),
        provenance: page.provenance.name().to_owned(),
        findings: Vec::new(),
        fields: page.fields.iter().map(field_row).collect(),
        dump: dump(&page),
        lines,
        more,
    })
}

fn bytes_summary(page: &BytesAnswer) -> String {
    let mut text = format!("{} bytes, {}", thousands(page.total), page.structure);
    if let Some(at) = page.archive_offset {
        text.push_str(&format!("; starts at {at:#x} of the archive"));
    }
    match (page.file_offset, &page.no_file_offset) {
        (Some(at), _) => text.push_str(&format!("; starts at {at:#x} of the file")),
        (None, Some(why)) => text.push_str(&format!("; {why}")),
        (None, None) => {}
    }
    text
}

fn dump(page: &BytesAnswer) -> Vec<[String; 3]> {
    let lines = page.hex.as_bytes().chunks(32).enumerate();
    lines
        .map(|(row, digits)| {
            let mut hex = String::new();
            let mut text = String::new();
            for pair in digits.chunks(2) {
                let pair = std::str::from_utf8(pair).unwrap_or("??");
                hex.push_str(pair);
                hex.push(' ');
                let byte = u8::from_str_radix(pair, 16).unwrap_or(0);
                let plain = byte.is_ascii_graphic() || byte == b' ';
                text.push(if plain { char::from(byte) } else { '.' });
            }
            [format!("{:x}", page.from + row as u64 * 16), hex, text]
        })
        .collect()
}

/// A field as a row.
pub fn field_row(field: &RecordFieldInfo) -> FieldRow {
    let value = match &field.value {
        RecordValueInfo::Number(number) => thousands(*number),
        other => other.plain().map_or_else(|| "?".to_owned(), |value| clean(&value)),
    };
    let value = match &field.text {
        Some(text) if value == "?" => clean(text),
        Some(text) => format!("{value} {}", clean(text)),
        None => value,
    };
    let unit = field.unit.as_deref().map_or(String::new(), |unit| format!(" {unit}"));
    FieldRow {
        name: clean(&field.name),
        kind: field.kind.clone(),
        offset: format!("{:#x}", field.offset),
        bytes: thousands(field.bytes),
        value: value + &unit,
        meaning: match &field.why {
            Some(why) => format!("{why} \u{b7} {}", field.meaning),
            None => field.meaning.clone(),
        },
        provenance: field.provenance.name().to_owned(),
    }
}

/// What the address names is not there: that is told in the view, whose list stays.
///
/// # Errors
/// What is no matter of a name.
pub fn absent(title: &str, error: &ApiError) -> Result<Listing, ApiError> {
    if !matches!(error.kind, ErrorKind::NotFound | ErrorKind::BadRequest) {
        return Err(error.clone());
    }
    let finding = FindingRow {
        code: error.code.to_owned(),
        severity: "error".to_owned(),
        message: clean(&error.message),
        place: String::new(),
    };
    Ok(Listing {
        title: clean(title),
        summary: "There is nothing of this name here; the list below has what there is".to_owned(),
        provenance: "observed".to_owned(),
        findings: vec![finding],
        ..Listing::default()
    })
}

/// How many lines are left out.
pub fn more(total: u64, shown: u64) -> String {
    match total.saturating_sub(shown) {
        0 => String::new(),
        left => format!("{} more are listed by the application", thousands(left)),
    }
}
