//! Bytes of a slot as runs of one hue: the head of a row, the opened record and the waveform.
//!
//! Hues are class letters: `o` opcode, `h` head, `w` wait, `u` update, `s` address, `d` access
//! pattern, `n` data type, `x` other fields, `p` payload without a field, `z` zero. The row forms
//! use the common head of a record: byte 0 is the opcode, bytes 4 and 5 the wait (mode and index),
//! bytes 6 and 7 the update. Spec: docs/format/streams.md "Record head" [observed].

use debug_api::answer::FieldInfo;
use std::fmt::Write;

/// Bytes of a slot.
pub const SLOT_BYTES: usize = 64;

/// A run of text in one hue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HexRun {
    /// Class letter, or empty for the plain text color.
    pub class: &'static str,
    /// Digits, in pairs; spaces between pairs in the opened record.
    pub text: String,
    /// Index of the field in the answer's list.
    pub field: Option<usize>,
}

/// The first eight bytes of a row: two words, `head` before `rest`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowHex {
    /// Bytes 0 to 3.
    pub head: Vec<HexRun>,
    /// Bytes 4 to 7.
    pub rest: Vec<HexRun>,
}

/// The head of a row.
pub fn row_hex(bytes: &[u8]) -> RowHex {
    let part = |from: usize, to: usize| {
        let mut runs: Vec<HexRun> = Vec::new();
        for (index, &byte) in bytes.iter().enumerate().take(to).skip(from) {
            let class = match index {
                0 => "op",
                _ => head_class(bytes, index).unwrap_or(if byte == 0 { "z" } else { "" }),
            };
            match runs.last_mut() {
                Some(run) if run.class == class => push_byte(&mut run.text, byte),
                _ => {
                    let mut text = String::with_capacity(8);
                    push_byte(&mut text, byte);
                    runs.push(HexRun { class, text, field: None });
                }
            }
        }
        runs
    };
    RowHex { head: part(0, 4), rest: part(4, 8) }
}

/// One row of the opened record: its offset, and runs with a space after each byte and a second
/// one after each group of four.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DumpRow {
    /// Offset of the first byte.
    pub offset: u8,
    /// Runs; their texts end in spaces.
    pub runs: Vec<HexRun>,
}

/// The opened record as four rows of 16 bytes; each field keeps its hue, bytes without a field are
/// plain, zero bytes without a field are weak.
pub fn dump(bytes: &[u8], fields: &[FieldInfo]) -> Vec<DumpRow> {
    let owners = owners(bytes.len(), fields);
    let mut rows = Vec::with_capacity(bytes.len().div_ceil(16));
    for (row, chunk) in bytes.chunks(16).enumerate() {
        let mut runs: Vec<HexRun> = Vec::new();
        for (column, &byte) in chunk.iter().enumerate() {
            let field = owners.get(row * 16 + column).copied().flatten();
            let class = match field.and_then(|f| fields.get(f)) {
                Some(field) if !field_class(&field.kind).is_empty() => field_class(&field.kind),
                _ if byte == 0 => "z",
                _ => "",
            };
            let joins = runs.last().is_some_and(|run| run.class == class && run.field == field);
            if !joins {
                runs.push(HexRun { class, text: String::new(), field });
            }
            if let Some(run) = runs.last_mut() {
                push_byte(&mut run.text, byte);
                run.text.push_str(if column % 4 == 3 { "  " } else { " " });
            }
        }
        rows.push(DumpRow { offset: u8::try_from(row * 16).unwrap_or(u8::MAX), runs });
    }
    rows
}

/// Class letter of a field kind; empty for bytes that the hardware does not read.
pub fn field_class(kind: &str) -> &'static str {
    match kind {
        "opcode" => "o",
        "head" => "h",
        "wait" => "w",
        "update" => "u",
        "address" => "s",
        "pattern" => "d",
        "dtype" => "n",
        "other" => "x",
        _ => "",
    }
}

/// Class of the swatch that goes with a field kind.
pub fn swatch_class(kind: &str) -> &'static str {
    match kind {
        "opcode" => "f-t1",
        "wait" => "fw",
        "update" => "fu",
        "address" => "f-1",
        "pattern" => "f-7",
        "dtype" => "f-4",
        "other" => "f-5",
        _ => "f-t3",
    }
}

/// Digits in pairs as bytes; `None` where the text is no such list.
pub fn parse_hex(digits: &str) -> Option<Vec<u8>> {
    if !digits.len().is_multiple_of(2) || !digits.is_ascii() {
        return None;
    }
    (0..digits.len() / 2)
        .map(|i| u8::from_str_radix(digits.get(i * 2..i * 2 + 2)?, 16).ok())
        .collect()
}

/// The waveform of a slot: one path a hue, for a drawing 128 wide and 14 high. A bar is 1.5 wide
/// on 2 and 4 + value / 255 x 10 high. Zero bytes have no bar; the row draws the same ticks for all.
pub fn waveform(bytes: &[u8]) -> Vec<(&'static str, String)> {
    let mut paths: Vec<(&'static str, String)> = Vec::new();
    for (index, &byte) in bytes.iter().enumerate().take(SLOT_BYTES).filter(|(_, byte)| **byte != 0)
    {
        let class = match index {
            0 => "o",
            1..=3 => "h",
            _ => head_class(bytes, index).unwrap_or("p"),
        };
        let at = match paths.iter().position(|(c, _)| *c == class) {
            Some(at) => at,
            None => {
                paths.push((class, String::new()));
                paths.len() - 1
            }
        };
        // In tenths of a pixel: this runs for every row that scrolls in, and integers print fast.
        let top = 100 - (u32::from(byte) * 100 + 127) / 255;
        if let Some((_, path)) = paths.get_mut(at) {
            // Writing to a String cannot fail.
            let _ = write!(path, "M{} {}.{}h1.5V14h-1.5z", index * 2, top / 10, top % 10);
        }
    }
    paths
}

/// The hue of a sync byte: a wait or an update with a mode colors mode and index.
fn head_class(bytes: &[u8], index: usize) -> Option<&'static str> {
    let set = |at: usize| bytes.get(at).is_some_and(|&mode| mode != 0);
    match index {
        4 | 5 if set(4) => Some("w"),
        6 | 7 if set(6) => Some("u"),
        _ => None,
    }
}

fn owners(len: usize, fields: &[FieldInfo]) -> Vec<Option<usize>> {
    let mut owners = vec![None; len];
    for (index, field) in fields.iter().enumerate() {
        let from = usize::from(field.offset);
        for owner in owners.iter_mut().skip(from).take(usize::from(field.bytes)) {
            *owner = Some(index);
        }
    }
    owners
}

fn push_byte(text: &mut String, byte: u8) {
    // Writing to a String cannot fail.
    let _ = write!(text, "{byte:02x}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use debug_api::Provenance;

    fn slot(head: &[u8]) -> Vec<u8> {
        let mut bytes = head.to_vec();
        bytes.resize(SLOT_BYTES, 0);
        bytes
    }

    fn texts(runs: &[HexRun]) -> Vec<(&str, &str)> {
        runs.iter().map(|run| (run.class, run.text.as_str())).collect()
    }

    #[test]
    fn a_row_shows_opcode_and_sync() {
        // LDWEIGHTS of matmul_small at slot 64: waits for semaphore 8.
        let row = row_hex(&slot(&[0x01, 0x10, 0, 0, 0x05, 0x08, 0, 0]));
        assert_eq!(texts(&row.head), [("op", "01"), ("", "10"), ("z", "0000")]);
        assert_eq!(texts(&row.rest), [("w", "0508"), ("z", "0000")]);
        // Semaphore 0 keeps the hue of its mode.
        let row = row_hex(&slot(&[0x02, 0x10, 0, 0, 0, 0, 0x13, 0]));
        assert_eq!(texts(&row.rest), [("z", "0000"), ("u", "1300")]);
    }

    #[test]
    fn the_dump_keeps_fields_apart() {
        let field = |offset, bytes, kind: &str| FieldInfo {
            offset,
            bytes,
            name: String::new(),
            value: String::new(),
            kind: kind.to_owned(),
            provenance: Provenance::File,
        };
        let fields = [field(0, 1, "opcode"), field(4, 2, "wait"), field(8, 4, "wait")];
        let rows = dump(&slot(&[0x01, 0x10, 0, 0, 0x05, 0x08, 0, 0, 0x10]), &fields);
        assert_eq!(rows.len(), 4);
        assert_eq!(rows[1].offset, 16);
        assert_eq!(
            texts(&rows[0].runs),
            [
                ("o", "01 "),
                ("", "10 "),
                ("z", "00 00  "),
                ("w", "05 08 "),
                ("z", "00 00  "),
                ("w", "10 00 00 00  "),
                ("z", "00 00 00 00  "),
            ]
        );
        assert_eq!(rows[0].runs[3].field, Some(1));
        assert_eq!(texts(&rows[3].runs).len(), 1);
    }

    #[test]
    fn the_waveform_has_one_bar_a_byte_that_is_set() {
        let mut bytes = slot(&[0xFF, 0x33]);
        bytes[63] = 0x80;
        let paths = waveform(&bytes);
        assert_eq!(paths[0], ("o", "M0 0.0h1.5V14h-1.5z".to_owned()));
        // 4 + 51 / 255 x 10 = 6 high.
        assert_eq!(paths[1], ("h", "M2 8.0h1.5V14h-1.5z".to_owned()));
        // 4 + 128 / 255 x 10 = 9.02 high.
        assert_eq!(paths[2], ("p", "M126 5.0h1.5V14h-1.5z".to_owned()));
        assert_eq!(paths.len(), 3, "zero bytes have no bar");
        assert!(waveform(&[]).is_empty());
    }

    #[test]
    fn digits_are_read_in_pairs() {
        assert_eq!(parse_hex("01a0"), Some(vec![1, 0xA0]));
        assert_eq!(parse_hex("01a"), None);
        assert_eq!(parse_hex("zz"), None);
        assert_eq!(parse_hex("µ"), None);
    }
}
