//! Answers `bytes`: a page of a member, image, stream, record or part of a capture, with its
//! structure as far as it is known.

use super::bytes_parts::{Shape, fields, parts};
use super::dump;
use super::kbin::past_end;
use super::kbin_page;
use super::records;
use super::view::View;
use crate::answer::{BytesAnswer, Provenance, SCHEMA};
use crate::convert::{hex_bytes, provenance};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::names;
use crate::request::Scope;
use crate::scope;
use ::records::ByteSpan;
use ::records::ntff::NTFF_HEAD_BYTES;
use neff::ntff::Capture;
use neff::{Compression, Member, Package};
use std::sync::Arc;

/// Bytes of a page if no number is given.
const PAGE_BYTES: u32 = 4_096;
/// Most bytes of a page.
const MOST_BYTES: u32 = 65_536;
/// Bytes that are looked at to tell text from other bytes.
const SNIFFED_BYTES: usize = 4_096;

/// Where a slot's layout is written down.
const RECORD_HEAD: &str = "docs/format/streams.md \"Record head\"";

/// Which bytes of it.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// First byte.
    pub from: u64,
    /// Number of bytes; a page if absent.
    pub count: Option<u32>,
    /// Byte whose fields are wanted.
    pub at: Option<u64>,
}

/// Something with bytes, found by a question.
struct Found<'a> {
    file: String,
    subgraph: Option<&'a str>,
    engine: Option<&'a str>,
    structure: &'static str,
    provenance: Provenance,
    archive_offset: Option<u64>,
    file_offset: Option<u64>,
    no_file_offset: Option<&'static str>,
    withheld: Option<(u64, u64)>,
    spec: Option<String>,
}

impl<'a> Found<'a> {
    fn new(file: String, structure: &'static str) -> Self {
        Self {
            file,
            subgraph: None,
            engine: None,
            structure,
            provenance: Provenance::File,
            archive_offset: None,
            file_offset: None,
            no_file_offset: None,
            withheld: None,
            spec: None,
        }
    }
}

/// A page of bytes.
///
/// # Errors
/// `request.invalid` for a kind of bytes that there is not, `bytes.unknown` for a name that there is
/// not, `bytes.past-end`; else as for the thing that has them.
pub fn bytes(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    of: &str,
    name: Option<&str>,
    window: Window,
) -> Result<BytesAnswer, ApiError> {
    let needed = || {
        let message = format!("bytes of a {of} need its `name`");
        name.ok_or_else(|| ApiError::bad_request(message))
    };
    let page =
        |found: Found<'_>, all: &[u8], shape: Shape<'_>| page(of, name, window, found, all, shape);
    match of {
        "header" => {
            let file = scope::neff(files, scope.f)?;
            let found = Found {
                file_offset: Some(0),
                spec: Some(String::from("docs/format/container.md \"Header\"")),
                ..Found::new(names::of_neff(files, file), "header")
            };
            page(found, file.package().header().bytes(), Shape::Header(file.package().header()))
        }
        "tar" => {
            let file = scope::neff(files, scope.f)?;
            let package = file.package();
            let found = Found {
                spec: Some(String::from("docs/format/container.md \"Tar header\"")),
                ..in_archive(Found::new(names::of_neff(files, file), "tar"), package, 0)
            };
            page(found, package.tar(), Shape::Tar(package.members()))
        }
        "gzip" => {
            let file = scope::neff(files, scope.f)?;
            let package = file.package();
            let ends = package.gzip().ok_or_else(|| {
                let message = "the archive is no gzip member: it is a tar as it is";
                ApiError::new(ErrorKind::NotFound, "bytes.unknown", message.to_owned())
            })?;
            let found = |offset| Found {
                file_offset: Some(offset),
                spec: Some(String::from("docs/format/container.md \"Gzip header\"")),
                ..Found::new(names::of_neff(files, file), "gzip")
            };
            match name {
                None | Some("header") => page(found(ends.header_offset), &ends.header, Shape::Gzip),
                Some("trailer") => {
                    page(found(ends.trailer_offset), &ends.trailer, Shape::GzipTrailer)
                }
                Some(other) => Err(unknown("part of the gzip member", other)),
            }
        }
        "member" => {
            let file = scope::neff(files, scope.f)?;
            let package = file.package();
            let name = needed()?;
            let member = package.member(name).ok_or_else(|| unknown("member", name))?;
            let structure = member_structure(package, member);
            let found = in_archive(
                Found::new(names::of_neff(files, file), structure),
                package,
                member.offset,
            );
            let slots = structure == "slots";
            let found = Found { spec: slots.then(|| RECORD_HEAD.to_owned()), ..found };
            let shape = if slots { Shape::Slots(None) } else { Shape::Plain };
            page(found, package.bytes_of(member), shape)
        }
        "stream" => {
            let file = scope::neff(files, scope.f)?;
            let (_, subgraph) = scope::subgraph(file, scope)?;
            let engine = scope::engine(scope)?;
            let program = subgraph.engine(engine);
            let found = in_archive(
                Found::new(names::of_neff(files, file), "slots"),
                file.package(),
                program.offset,
            );
            let found = Found {
                subgraph: Some(&subgraph.name),
                engine: Some(engine.name()),
                spec: Some(RECORD_HEAD.to_owned()),
                ..found
            };
            page(found, file.package().stream(program), Shape::Slots(None))
        }
        "image" => {
            let view = View::of(files, scope)?;
            let image = &view.image().image;
            let found = Found {
                subgraph: Some(view.subgraph),
                engine: Some(view.engine.name()),
                provenance: provenance(image.provenance),
                no_file_offset: Some("an image is no part of the executable: it was made from it"),
                spec: Some(RECORD_HEAD.to_owned()),
                ..Found::new(names::of_neff(files, view.file), "slots")
            };
            page(found, image.bytes(), Shape::Slots(Some(&image.info)))
        }
        "record" => {
            let view = View::of(files, scope)?;
            let made = records::find(&view, needed()?)?;
            let all = records::fields(&view, &made);
            let found = Found {
                subgraph: Some(view.subgraph),
                engine: Some(view.engine.name()),
                provenance: all.iter().map(|field| field.provenance).max().unwrap_or_default(),
                no_file_offset: Some("a record of the runtime is no part of the file"),
                spec: Some(records::spec(&made.entry)),
                ..Found::new(names::of_neff(files, view.file), "record")
            };
            page(found, &made.bytes, Shape::Record(all))
        }
        "kbin" => {
            let at = window.at.unwrap_or(window.from);
            let name = needed()?;
            let count = u64::from(window.count.unwrap_or(PAGE_BYTES).min(MOST_BYTES));
            let own = kbin_page::page(files, scope, name, at, window.from, count)?;
            let found = Found {
                subgraph: Some(&own.subgraph),
                provenance: own
                    .fields
                    .iter()
                    .map(|field| field.provenance)
                    .max()
                    .unwrap_or_default(),
                no_file_offset: Some("a record of a loader is no part of the file"),
                spec: own.fields.iter().find_map(|field| field.spec.clone()),
                ..Found::new(own.file.clone(), "rows")
            };
            check(window, own.total, name)?;
            let shape = Shape::Record(own.fields);
            let made =
                answer(of, Some(name), window.from, found, own.total, &own.bytes, (shape, &[], at));
            Ok(BytesAnswer { parts: own.parts, ..made })
        }
        "capture" => {
            let file = scope::ntff(files, scope.f.or(scope.ntff))?;
            let capture = file.capture();
            let name = needed()?;
            let part = parts_of_capture(capture).into_iter().find(|part| part.name == name);
            let part = part.ok_or_else(|| unknown("part of the capture", name))?;
            // Whatever was in the writer's memory must not be shown.
            let head = part.structure == "head";
            let withheld = head.then_some((8, NTFF_HEAD_BYTES as u64));
            let shape = match (part.structure, part.queue) {
                ("head", _) => Shape::Head,
                ("slots", _) => Shape::Slots(None),
                (_, Some(queue)) => Shape::Trace(queue),
                _ => Shape::Plain,
            };
            let found = Found {
                file_offset: Some(part.span.start),
                withheld,
                spec: match part.structure {
                    "head" => Some(String::from("docs/format/ntff.md \"Head\"")),
                    "slots" => Some(RECORD_HEAD.to_owned()),
                    "trace" => Some(String::from("docs/format/ntff.md \"Record\"")),
                    _ => Some(String::from("docs/format/ntff.md \"Message\"")),
                },
                ..Found::new(names::of_ntff(files, file), part.structure)
            };
            page(found, capture.bytes_of(part.span), shape)
        }
        "dump" => {
            let file = scope::dump(files, scope.f)?;
            let Some(name) = name else {
                let found = Found {
                    file_offset: Some(0),
                    ..Found::new(names::of_dump(files, file), "raw")
                };
                return page(found, file.bytes(), Shape::Plain);
            };
            let (arch, offset, context) = dump::context_bytes(file, name)?;
            let found = Found {
                file_offset: Some(offset),
                spec: Some(String::from("docs/format/collectives.md \"Context\"")),
                ..Found::new(names::of_dump(files, file), "context")
            };
            page(found, context, Shape::Context(arch))
        }
        other => {
            let shown: String = other.chars().take(32).collect();
            Err(ApiError::bad_request(format!(
                "there are no bytes of a `{shown}`; there are: header, gzip, tar, member, stream, \
                 image, record, kbin, capture, dump"
            )))
        }
    }
}

fn page(
    of: &str,
    name: Option<&str>,
    window: Window,
    found: Found<'_>,
    all: &[u8],
    shape: Shape<'_>,
) -> Result<BytesAnswer, ApiError> {
    let total = all.len() as u64;
    check(window, total, name.unwrap_or(of))?;
    let at = window.at.unwrap_or(window.from);
    let count = u64::from(window.count.unwrap_or(PAGE_BYTES).min(MOST_BYTES));
    let end = window.from.saturating_add(count).min(total);
    let place = |at: u64| usize::try_from(at).unwrap_or(usize::MAX).min(all.len());
    let shown = all.get(place(window.from)..place(end)).unwrap_or(&[]);
    Ok(answer(of, name, window.from, found, total, shown, (shape, all, at)))
}

/// Whether a window begins among the bytes that there are, or at their end, and its cursor is one of
/// them.
fn check(window: Window, total: u64, name: &str) -> Result<(), ApiError> {
    let cursor = window.at.filter(|at| *at > 0 && *at >= total);
    match cursor.or((window.from > total).then_some(window.from)) {
        Some(at) => Err(past_end(name, total, at)),
        None => Ok(()),
    }
}

/// The document of a page; `structure` is the shape, all bytes that it is made of, and the byte whose
/// fields are wanted.
fn answer(
    of: &str,
    name: Option<&str>,
    from: u64,
    found: Found<'_>,
    total: u64,
    shown: &[u8],
    structure: (Shape<'_>, &[u8], u64),
) -> BytesAnswer {
    let (shape, all, at) = structure;
    let mut shown = shown.to_vec();
    if let Some((first, last)) = found.withheld {
        for (byte, at) in shown.iter_mut().zip(from..) {
            if (first..last).contains(&at) {
                *byte = 0;
            }
        }
    }
    BytesAnswer {
        schema: SCHEMA,
        file: found.file.clone(),
        subgraph: found.subgraph.map(str::to_owned),
        engine: found.engine.map(str::to_owned),
        of: of.to_owned(),
        name: name.map(str::to_owned),
        structure: found.structure.to_owned(),
        total,
        from,
        hex: hex_bytes(&shown),
        provenance: found.provenance,
        archive_offset: found.archive_offset,
        file_offset: found.file_offset,
        no_file_offset: found.no_file_offset.map(str::to_owned),
        parts: parts(&shape, all, from, from.saturating_add(shown.len() as u64)),
        fields: fields(shape, all, at),
        withheld: found.withheld.map(|(first, last)| [first, last]).into_iter().collect(),
        spec: found.spec,
        diagnostics: Vec::new(),
    }
}

fn in_archive<'a>(found: Found<'a>, package: &Package, offset: u64) -> Found<'a> {
    let file_offset = package.file_offset(offset);
    let why = "the archive is compressed (gzip), so its bytes have no offset in the file";
    let no_file_offset = (package.compression() != Compression::None).then_some(why);
    Found { archive_offset: Some(offset), file_offset, no_file_offset, ..found }
}

fn unknown(what: &str, name: &str) -> ApiError {
    let shown: String = name.chars().take(128).collect();
    let message = format!("there is no {what} `{shown}`; the list of members has all names");
    ApiError::new(ErrorKind::NotFound, "bytes.unknown", message)
}

/// What is known of a member's structure: `slots json text raw`.
pub fn member_structure(package: &Package, member: &Member) -> &'static str {
    let named = |name: &Option<String>| name.as_deref() == Some(member.name.as_str());
    let subgraphs = package.subgraphs();
    if subgraphs.iter().flat_map(|one| &one.engines).any(|engine| named(&engine.bin_member)) {
        return "slots";
    }
    if member.name.ends_with(".json") {
        return "json";
    }
    let bytes = package.bytes_of(member);
    let head = bytes.get(..SNIFFED_BYTES).unwrap_or(bytes);
    let valid = match std::str::from_utf8(head) {
        Ok(text) => text,
        // A character may be cut at the end of what is looked at.
        Err(error) if error.error_len().is_none() => {
            head.get(..error.valid_up_to()).and_then(|head| str::from_utf8(head).ok()).unwrap_or("")
        }
        Err(_) => "",
    };
    let plain = |c: char| !c.is_control() || matches!(c, '\n' | '\r' | '\t');
    if !valid.is_empty() && valid.chars().all(plain) { "text" } else { "raw" }
}

/// A part of a capture.
pub struct CapturePart {
    /// Name, as `bytes` takes it.
    pub name: String,
    /// In words.
    pub label: String,
    /// `head raw slots trace`.
    pub structure: &'static str,
    /// Queue of trace records.
    pub queue: Option<::records::ntff::QueueType>,
    /// Place in the file.
    pub span: ByteSpan,
}

/// Head, message, images and slices of a capture.
pub fn parts_of_capture(capture: &Capture) -> Vec<CapturePart> {
    let part = |name: &str, label: &str, structure, span| CapturePart {
        name: name.to_owned(),
        label: label.to_owned(),
        structure,
        queue: None,
        span,
    };
    let head = ByteSpan::of(0, (capture.file().len() as u64).min(NTFF_HEAD_BYTES as u64));
    let mut all = vec![
        part("head", "Head", "head", head),
        part("message", "Message", "raw", capture.message),
    ];
    for core in &capture.subgraphs {
        for (at, image) in core.images.iter().enumerate() {
            let engine = image.engine().map_or_else(
                || format!("engine {}", image.engine_code),
                |engine| engine.name().to_owned(),
            );
            let name = format!("image.{}.{at}", core.name);
            let label = format!("{} image of {engine}", core.name);
            all.push(part(&name, &label, "slots", image.bytes));
        }
        for (at, slice) in core.slices.iter().enumerate().filter(|(_, one)| one.n_records() > 0) {
            let word = |name: Option<&str>, number: u64| {
                name.map_or_else(|| number.to_string(), str::to_owned)
            };
            let source = word(slice.source.name(), slice.source.0);
            let queue = word(slice.queue.name(), slice.queue.0);
            let name = format!("slice.{}.{at}", core.name);
            let label = format!("{} {queue} of {source}, slice {at}", core.name);
            let own = part(&name, &label, "trace", slice.records);
            all.push(CapturePart { queue: Some(slice.queue), ..own });
        }
    }
    all
}
