//! Answers `members`: everything in a session whose bytes can be shown.

use super::bytes::{member_structure, parts_of_capture};
use super::dump::contexts;
use super::kbin::tree;
use super::view::View;
use crate::answer::{BytesSource, FileInfo, MembersAnswer, SCHEMA};
use crate::dump_file::DumpFile;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::names::labels;
use crate::neff_file::NeffFile;
use crate::request::Scope;
use crate::scope;
use neff::Compression;
use records::Engine;
use records::neff_header::NEFF_HEADER_BYTES;
use std::sync::Arc;

/// Lines of one answer if no number is given, and most of them.
const MOST_LINES: u32 = 4_096;

/// The list.
pub fn members(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    from: u32,
    count: Option<u32>,
    find: Option<&str>,
) -> Result<MembersAnswer, ApiError> {
    let described = scope::described(files, scope.f)?;
    let labels = labels(files);
    let of_described = files.iter().position(|file| Arc::ptr_eq(file, described));
    let called =
        of_described.and_then(|at| labels.get(at)).map_or(described.name(), String::as_str);
    let mut all = Vec::new();
    let mut compression = None;
    for (f, file) in files.iter().enumerate() {
        match file.as_ref() {
            OpenFile::Neff(neff) if Arc::ptr_eq(file, described) => {
                compression = Some(compression_name(neff).to_owned());
                executable(&mut all, f, neff);
                images(&mut all, f, files, scope);
                loader(&mut all, f, files, scope);
            }
            OpenFile::Ntff(ntff) => {
                let group =
                    format!("Capture {}", labels.get(f).map_or(ntff.name(), String::as_str));
                all.extend(parts_of_capture(ntff.capture()).into_iter().map(|part| BytesSource {
                    group: group.clone(),
                    label: part.label,
                    of: String::from("capture"),
                    name: Some(part.name),
                    f,
                    bytes: part.span.len(),
                    structure: part.structure.to_owned(),
                    file_offset: Some(part.span.start),
                    ..BytesSource::default()
                }));
            }
            OpenFile::Dump(dump) => {
                memory(&mut all, f, dump, labels.get(f).map_or(dump.name(), String::as_str))
            }
            _ => {}
        }
    }
    let words: Vec<String> = find.unwrap_or("").split_whitespace().map(str::to_lowercase).collect();
    all.retain(|source| {
        let text = format!("{} {}", source.label, source.structure).to_lowercase();
        words.iter().all(|word| text.contains(word.as_str()))
    });
    let total = all.len() as u64;
    let count = count.unwrap_or(MOST_LINES).min(MOST_LINES);
    Ok(MembersAnswer {
        schema: SCHEMA,
        file: FileInfo {
            name: called.to_owned(),
            bytes: described.bytes(),
            kind: described.kind().name().to_owned(),
        },
        compression,
        from: u64::from(from),
        total,
        sources: all.into_iter().skip(from as usize).take(count as usize).collect(),
    })
}

/// A dump as a whole, and as a context in both layouts.
fn memory(all: &mut Vec<BytesSource>, f: usize, file: &DumpFile, called: &str) {
    let line = |label: String, name: Option<String>, bytes: u64, structure: &str| BytesSource {
        group: format!("Dump {called}"),
        label,
        of: String::from("dump"),
        name,
        f,
        bytes,
        structure: structure.to_owned(),
        file_offset: Some(0),
        ..BytesSource::default()
    };
    all.push(line(String::from("All bytes"), None, file.bytes().len() as u64, "raw"));
    all.extend(contexts(file).map(|(arch, bytes)| {
        let name = format!("{}@0x0", arch.name());
        line(format!("Context, layout of {}", arch.name()), Some(name), bytes, "context")
    }));
}

fn compression_name(file: &NeffFile) -> &'static str {
    match file.package().compression() {
        Compression::Gzip => "gzip",
        Compression::None => "none",
    }
}

fn executable(all: &mut Vec<BytesSource>, f: usize, file: &NeffFile) {
    let package = file.package();
    let top = |label: &str, of: &str, bytes: u64| BytesSource {
        group: String::from("File"),
        label: label.to_owned(),
        of: of.to_owned(),
        f,
        bytes,
        structure: of.to_owned(),
        ..BytesSource::default()
    };
    let header = top("Header", "header", NEFF_HEADER_BYTES as u64);
    all.push(BytesSource { file_offset: Some(0), ..header });
    if let Some(ends) = package.gzip() {
        let end = |label: &str, name: &str, bytes: &[u8], at: u64| BytesSource {
            name: Some(name.to_owned()),
            file_offset: Some(at),
            ..top(label, "gzip", bytes.len() as u64)
        };
        all.push(end("Gzip header", "header", &ends.header, ends.header_offset));
        all.push(end("Gzip trailer", "trailer", &ends.trailer, ends.trailer_offset));
    }
    let tar = top("Archive", "tar", package.tar_bytes());
    let file_offset = package.file_offset(0);
    all.push(BytesSource { archive_offset: Some(0), file_offset, ..tar });
    all.extend(package.members().iter().map(|member| BytesSource {
        group: String::from("Members"),
        label: member.name.clone(),
        of: String::from("member"),
        name: Some(member.name.clone()),
        f,
        bytes: member.bytes,
        structure: member_structure(package, member).to_owned(),
        archive_offset: Some(member.offset),
        file_offset: package.file_offset(member.offset),
        ..BytesSource::default()
    }));
}

/// The records that a loader makes of the chosen subgraph.
fn loader(all: &mut Vec<BytesSource>, f: usize, files: &[Arc<OpenFile>], scope: &Scope) {
    let Ok((_, _, tree)) = tree(files, scope) else { return };
    let group = format!("KBIN of {}", tree.subgraph);
    all.extend(tree.records().into_iter().map(|entry| BytesSource {
        group: group.clone(),
        label: entry.name.clone(),
        of: String::from("kbin"),
        name: Some(entry.name),
        f,
        bytes: entry.bytes,
        structure: String::from("rows"),
        ..BytesSource::default()
    }));
}

/// The images of the chosen subgraph; none where they cannot be built, which `regions` tells.
fn images(all: &mut Vec<BytesSource>, f: usize, files: &[Arc<OpenFile>], scope: &Scope) {
    let Ok(view) = View::of(files, scope) else { return };
    all.extend(Engine::ALL.into_iter().map(|engine| BytesSource {
        group: format!("Device images of {}", view.subgraph),
        label: format!("Image of {}", engine.name()),
        of: String::from("image"),
        e: Some(engine.name().to_owned()),
        f,
        bytes: view.images.engine(engine).image.bytes().len() as u64,
        structure: String::from("slots"),
        ..BytesSource::default()
    }));
}
