//! Members and bytes as text: a list, and a dump with offsets, digits and characters.

use super::fields_text;
use crate::format::{clean, line, range};
use debug_api::answer::{BytesAnswer, MembersAnswer};
use std::fmt::Write;

/// What has bytes.
pub fn members_text(answer: &MembersAnswer) -> String {
    let mut out = String::new();
    line!(out, "{}: {} things with bytes", clean(&answer.file.name), answer.total);
    let mut group = "";
    for source in &answer.sources {
        if source.group != group {
            group = &source.group;
            line!(out, "{}", clean(group));
        }
        let offset = match (source.file_offset, source.archive_offset) {
            (Some(at), _) => format!("file {at:#x}"),
            (None, Some(at)) => format!("archive {at:#x}"),
            (None, None) => String::from("-"),
        };
        line!(
            out,
            "  {:<44} {:<8} {:>12} bytes  {offset}",
            clean(&source.label),
            source.structure,
            source.bytes
        );
    }
    let left = answer.total.saturating_sub(answer.from + answer.sources.len() as u64);
    if left > 0 {
        line!(out, "  and {left} more");
    }
    out
}

/// A page of bytes, its elements, and the fields at its start.
pub fn bytes_text(answer: &BytesAnswer) -> String {
    let mut out = String::new();
    let what = answer.name.as_deref().or(answer.engine.as_deref()).unwrap_or("");
    line!(
        out,
        "{} {}: {} bytes, {} [{}]",
        answer.of,
        clean(what),
        answer.total,
        answer.structure,
        answer.provenance.name()
    );
    if let Some(at) = answer.archive_offset {
        line!(out, "  byte 0 is byte {at:#x} of the archive");
    }
    match (answer.file_offset, &answer.no_file_offset) {
        (Some(at), _) => line!(out, "  byte 0 is byte {at:#x} of the file"),
        (None, Some(why)) => line!(out, "  {why}"),
        (None, None) => {}
    }
    for [first, end] in &answer.withheld {
        line!(out, "  {} are not shown", range(*first, *end));
    }
    for (row, digits) in answer.hex.as_bytes().chunks(32).enumerate() {
        let at = answer.from + row as u64 * 16;
        let mut hex = String::new();
        let mut text = String::new();
        for pair in digits.chunks(2) {
            let pair = std::str::from_utf8(pair).unwrap_or("??");
            if hex.len() % 13 == 12 {
                hex.push(' ');
            }
            let _ = write!(hex, "{pair} ");
            let byte = u8::from_str_radix(pair, 16).unwrap_or(0);
            text.push(if byte.is_ascii_graphic() || byte == b' ' { char::from(byte) } else { '.' });
        }
        line!(out, "{at:>10x}  {hex:<51} {text}");
    }
    for part in &answer.parts {
        line!(out, "  {:>#8x} {:>6}  {:<12} {}", part.offset, part.bytes, part.name, part.text);
    }
    fields_text(&mut out, &answer.fields);
    out
}
