//! Answers `dump-read`: the text of the firmware's printer, back as structs.

use super::dump::{arch, field_info, spec};
use crate::answer::{
    DumpReadAnswer, DumpReadStruct, DumpStruct, Provenance, RecordFieldInfo, RecordValueInfo,
    SCHEMA,
};
use crate::convert::{at, findings, hex, hex_bytes};
use crate::error::{ApiError, ErrorKind};
use ::records::collectives::Struct;
use device_image::firmware::fields::fields;
use device_image::firmware::{DumpField, PrintedContext, reader};
use neff::{Findings, Place};

/// What a text tells.
///
/// # Errors
/// `dump.generation`, `dump.text`.
pub fn read(text: &str, generation: Option<&str>) -> Result<DumpReadAnswer, ApiError> {
    let asked = generation.map(arch).transpose()?;
    let mut found = Findings::new();
    let read = reader::read(text, asked, &mut found).map_err(|error| {
        let message = format!("this is no text of the firmware's printer: {error}");
        let place = at(&Place::file(error.at as u64));
        ApiError::new(ErrorKind::Undecodable, "dump.text", message).at(place)
    })?;
    let structs = read.arch.structs();
    let told = structs.iter().filter(|one| read.of(one).1.iter().any(|known| *known != 0));
    Ok(DumpReadAnswer {
        schema: SCHEMA,
        generation: read.arch.name().to_owned(),
        generation_provenance: match (asked, read.tells_arch) {
            (Some(_), _) => Provenance::Configured,
            (None, true) => Provenance::Inferred,
            (None, false) => Provenance::Modelled,
        },
        model_name: read.model_name.clone(),
        base: read.base.map(hex),
        values: read.values as u64,
        structs: told.map(|one| shown(&read, one)).collect(),
        diagnostics: findings(found.as_slice()),
        provenance: Provenance::File,
    })
}

fn shown(read: &PrintedContext, one: &Struct) -> DumpReadStruct {
    let (bytes, known) = read.of(one);
    // All of a field is told, or nothing of it.
    let is_told = |field: &DumpField| {
        let (low, width) = field.bits.unwrap_or((0, 8));
        let mask = 0xFF_u8.checked_shr(8_u32.saturating_sub(width)).unwrap_or(0xFF);
        let first = usize::try_from(field.offset).unwrap_or(usize::MAX);
        let byte = known.get(first.saturating_add(low as usize / 8));
        byte.is_some_and(|known| known.checked_shr(low % 8).unwrap_or(0) & mask == mask)
    };
    let all = fields(one.layout, bytes, 0, one.without);
    let fields = all.iter().map(|field| match is_told(field) {
        true => field_info(field),
        false => RecordFieldInfo {
            value: RecordValueInfo::None(()),
            text: Some("not printed".to_owned()),
            ..field_info(field)
        },
    });
    let digits = hex_bytes(bytes);
    let masks = known.iter().flat_map(|known| [known >> 4, known & 0xF]);
    let masked =
        digits.chars().zip(masks).map(|(digit, known)| if known == 0xF { digit } else { '?' });
    DumpReadStruct {
        of: DumpStruct {
            name: one.name.clone(),
            kind: one.layout.name.to_owned(),
            offset: one.offset as u64,
            context_offset: one.offset as u64,
            bytes: one.layout.bytes as u64,
            spec: spec(one.layout.spec),
            fields: fields.collect(),
            hex: Some(masked.collect()),
            hit: None,
        },
        known: hex_bytes(known),
    }
}
