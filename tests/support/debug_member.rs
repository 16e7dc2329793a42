//! Debug members from their description, written byte by byte: the suites that read them do not
//! share code with this writer.

use anyhow::Result;

use crate::case::{DebugRecordText, DebugText, hex_bytes};

/// The protobuf message that a description stands for.
pub fn debug_member(text: &DebugText) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    if !text.description.is_empty() {
        bytes_field(&mut out, 1, text.description.as_bytes());
    }
    if let Some(parent) = &text.parent {
        bytes_field(&mut out, 2, parent.as_bytes());
    }
    for record in &text.records {
        bytes_field(&mut out, 3, &record_body(record)?);
    }
    if let Some(engine) = text.engine {
        varint_field(&mut out, 4, engine);
    }
    for file in &text.files {
        bytes_field(&mut out, 5, file.as_bytes());
    }
    Ok(out)
}

fn record_body(record: &DebugRecordText) -> Result<Vec<u8>> {
    if let Some(hex) = &record.hex {
        return hex_bytes(hex);
    }
    let mut out = Vec::new();
    if let Some(id) = record.id.filter(|id| *id != 0) {
        varint_field(&mut out, 1, id);
    }
    if let Some(name) = &record.name {
        bytes_field(&mut out, 2, name.as_bytes());
    }
    packed_field(&mut out, 3, &record.parents);
    packed_field(&mut out, 5, &record.waits_for);
    if let Some(flavor) = record.flavor {
        varint_field(&mut out, 6, flavor);
    }
    for (key, value) in &record.attributes {
        let mut attribute = Vec::new();
        bytes_field(&mut attribute, 1, key.as_bytes());
        bytes_field(&mut attribute, 2, value.as_bytes());
        bytes_field(&mut out, 7, &attribute);
    }
    Ok(out)
}

fn packed_field(out: &mut Vec<u8>, tag: u64, numbers: &[u64]) {
    if numbers.is_empty() {
        return;
    }
    let mut body = Vec::new();
    for number in numbers {
        varint(&mut body, *number);
    }
    bytes_field(out, tag, &body);
}

fn bytes_field(out: &mut Vec<u8>, tag: u64, body: &[u8]) {
    varint(out, tag << 3 | 2);
    varint(out, body.len() as u64);
    out.extend_from_slice(body);
}

fn varint_field(out: &mut Vec<u8>, tag: u64, number: u64) {
    varint(out, tag << 3);
    varint(out, number);
}

fn varint(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Id 60, name, parent 6, waits for 81, flavor 1: a record whose bytes were worked out by hand.
    #[test]
    fn known_record() -> Result<()> {
        let text = DebugText {
            records: vec![DebugRecordText {
                id: Some(60),
                name: Some("I-6-0".to_owned()),
                parents: vec![6],
                waits_for: vec![81],
                flavor: Some(1),
                ..DebugRecordText::default()
            }],
            ..DebugText::default()
        };
        let expected = hex_bytes("1a 11 08 3c 12 05 49 2d 36 2d 30 1a 01 06 2a 01 51 30 01")?;
        assert_eq!(debug_member(&text)?, expected);
        Ok(())
    }
}
