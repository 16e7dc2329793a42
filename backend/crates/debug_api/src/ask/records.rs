//! Answers `records` and `record`: what the runtime keeps about an assembled program.

use super::view::View;
use crate::answer::{
    RecordAnswer, RecordFieldInfo, RecordInfo, RecordValueInfo, RecordsAnswer, RoomInfo, SCHEMA,
};
use crate::convert::{hex, hex_bytes, provenance};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::request::Scope;
use device_image::placement::{BASE_ALIGN, usage_tag};
use device_image::{PatchLists, RecordEntry, RecordValue, RuntimeRecord, RuntimeRecords};
use records::assembly::RecordForm;
use records::{DeviceAddr, Engine, Provenance};
use std::sync::Arc;

/// Records of one answer if no number is given, and most of them.
const MOST_RECORDS: u32 = 4_096;
/// Bytes of a record that are shown.
const MOST_BYTES: usize = 64 << 10;

/// The records of one engine.
pub fn list(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    from: u32,
    count: Option<u32>,
) -> Result<RecordsAnswer, ApiError> {
    let view = View::of(files, scope)?;
    let count = count.unwrap_or(MOST_RECORDS).min(MOST_RECORDS);
    let (entries, total) = with(&view, |all| all.list(view.engine, from as usize, count as usize));
    let image = &view.image().image;
    Ok(RecordsAnswer {
        schema: SCHEMA,
        subgraph: view.subgraph.to_owned(),
        engine: view.engine.name().to_owned(),
        profile: view.images.profile.clone(),
        provenance: provenance(image.provenance),
        from: u64::from(from),
        total: total as u64,
        records: entries.into_iter().map(record_info).collect(),
        rooms: image
            .rooms
            .iter()
            .map(|room| RoomInfo {
                name: room.what.to_owned(),
                used: room.used,
                reserved: room.reserved,
                grown: room.grown,
            })
            .collect(),
        patch_lists: match view.images.patch_lists {
            PatchLists::Kept => "kept",
            PatchLists::Freed { .. } => "freed",
        }
        .to_owned(),
        usage_tag: usage_tag(view.engine),
        alignment: BASE_ALIGN,
        diagnostics: view.findings(Some(view.engine)),
    })
}

/// One record.
///
/// # Errors
/// `record.unknown`.
pub fn record(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    name: &str,
) -> Result<RecordAnswer, ApiError> {
    let view = View::of(files, scope)?;
    let made = find(&view, name)?;
    let shown = made.bytes.get(..MOST_BYTES).unwrap_or(&made.bytes);
    Ok(RecordAnswer {
        schema: SCHEMA,
        subgraph: view.subgraph.to_owned(),
        engine: view.engine.name().to_owned(),
        profile: view.images.profile.clone(),
        hex: hex_bytes(shown),
        fields: made.fields.iter().map(|field| field_info(field, &made.bytes)).collect(),
        record: record_info(made.entry),
    })
}

/// All bytes of one record.
///
/// # Errors
/// `record.unknown`.
pub fn bytes(files: &[Arc<OpenFile>], scope: &Scope, name: &str) -> Result<Vec<u8>, ApiError> {
    Ok(find(&View::of(files, scope)?, name)?.bytes)
}

fn find(view: &View<'_>, name: &str) -> Result<RuntimeRecord, ApiError> {
    with(view, |all| all.record(view.engine, name)).ok_or_else(|| {
        let shown: String = name.chars().take(64).collect();
        ApiError::new(
            ErrorKind::NotFound,
            "record.unknown",
            format!(
                "{} has no record `{shown}`; names are such as eib, functions.0.blocks.0 or \
                 patch_info.{}.0, and the list of records has them all",
                view.engine, view.engine
            ),
        )
    })
}

fn with<T>(view: &View<'_>, ask: impl FnOnce(RuntimeRecords<'_>) -> T) -> T {
    let images = &view.images;
    let base = |engine: Engine| -> (DeviceAddr, Provenance) {
        let (base, _) = view.base(engine);
        (base, view.base_origin(engine))
    };
    ask(RuntimeRecords {
        images: images.engines.each_ref().map(|engine| &engine.image),
        patch_lists: &images.patch_lists,
        bases: Engine::ALL.map(base),
        generation: images.generation,
        capabilities: &images.capabilities,
    })
}

fn record_info(entry: RecordEntry) -> RecordInfo {
    RecordInfo {
        name: entry.name,
        kind: entry.kind.to_owned(),
        bytes: entry.bytes,
        model_offset: entry.model_offset,
        rows: None,
        part: None,
    }
}

fn field_info(field: &RecordValue, bytes: &[u8]) -> RecordFieldInfo {
    RecordFieldInfo {
        name: field.name.clone(),
        offset: field.offset,
        bytes: field.bytes,
        value: if field.known { value(field, bytes) } else { RecordValueInfo::None(()) },
        meaning: field.meaning.to_owned(),
        provenance: provenance(field.provenance),
        text: None,
        unit: None,
        tag: None,
        spec: None,
        link: None,
    }
}

fn value(field: &RecordValue, record: &[u8]) -> RecordValueInfo {
    let start = usize::try_from(field.offset).unwrap_or(usize::MAX);
    let end = start.saturating_add(usize::try_from(field.bytes).unwrap_or(usize::MAX));
    let own = record.get(start..end).unwrap_or(&[]);
    let number = || own.iter().take(8).rev().fold(0, |sum, &byte| sum << 8 | u64::from(byte));
    match field.form {
        RecordForm::Dec | RecordForm::SyncId => RecordValueInfo::Number(number()),
        RecordForm::Hex | RecordForm::DeviceAddress | RecordForm::Pointer => {
            RecordValueInfo::Text(hex(number()))
        }
        RecordForm::Flag => RecordValueInfo::Flag(number() != 0),
        RecordForm::Text => {
            let end = own.iter().position(|&byte| byte == 0).unwrap_or(own.len());
            let text = String::from_utf8_lossy(own.get(..end).unwrap_or(own));
            RecordValueInfo::Text(text.into_owned())
        }
        RecordForm::Range
        | RecordForm::Buffer
        | RecordForm::PatchList
        | RecordForm::PatchLists
        | RecordForm::Opaque => RecordValueInfo::None(()),
    }
}
