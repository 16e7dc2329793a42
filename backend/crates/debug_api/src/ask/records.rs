//! Answers `records` and `record`: what the runtime keeps about an assembled program.

use super::record_links::{field_links, record_links};
use super::view::View;
use crate::answer::{
    RecordAnswer, RecordFieldInfo, RecordHit, RecordInfo, RecordValueInfo, RecordsAnswer, RoomInfo,
    SCHEMA,
};
use crate::convert::{hex, hex_bytes, provenance};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::find::Words;
use crate::request::Scope;
use device_image::arch_ops;
use device_image::placement::{BASE_ALIGN, usage_tag};
use device_image::{PatchLists, RecordEntry, RecordValue, RuntimeRecord, RuntimeRecords};
use records::assembly::RecordForm;
use records::{DeviceAddr, Engine, Provenance};
use std::sync::Arc;

/// Records of one answer if no number is given, and most of them.
const MOST_RECORDS: u32 = 4_096;
/// Bytes of a record that are shown.
const MOST_BYTES: usize = 64 << 10;
/// Fields of a found record that are listed.
const MOST_HITS: usize = 100;

/// The records of one engine.
pub fn list(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    from: u32,
    count: Option<u32>,
    find: Option<&str>,
) -> Result<RecordsAnswer, ApiError> {
    let view = View::of(files, scope)?;
    let count = count.unwrap_or(MOST_RECORDS).min(MOST_RECORDS);
    let (from_index, count) = (from as usize, count as usize);
    let words = Words::of(find);
    let (records, total) = with(&view, |all| {
        if words.is_empty() {
            let (entries, total) = all.list(view.engine, from_index, count);
            return (entries.into_iter().map(record_info).collect(), total);
        }
        search(&all, view.engine, &words, from_index, count)
    });
    let image = &view.image().image;
    Ok(RecordsAnswer {
        schema: SCHEMA,
        subgraph: view.subgraph.to_owned(),
        engine: view.engine.name().to_owned(),
        profile: view.images.profile.clone(),
        provenance: provenance(image.provenance),
        from: u64::from(from),
        total: total as u64,
        records,
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
        fields: fields(&view, &made),
        spec: spec(&made.entry),
        links: record_links(&view, name),
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

/// Where the layout of a record is written down.
pub(super) fn spec(entry: &RecordEntry) -> String {
    match entry.kind {
        "capabilities" => "docs/format/profiles.md \"Capabilities\"",
        "reserved_events" => "docs/format/profiles.md \"Reserved events\"",
        "tdrv_arch_ops" => "docs/format/memory.md \"Table of a generation\"",
        "kbin_patch_location_t" => "docs/format/image.md \"Patch row\"",
        _ => "docs/format/image.md \"Records of the runtime\"",
    }
    .to_owned()
}

/// The fields of a record with what they point to.
pub(super) fn fields(view: &View<'_>, made: &RuntimeRecord) -> Vec<RecordFieldInfo> {
    let name = &made.entry.name;
    let with_links = |field: &RecordValue| {
        let info = field_info(field, &made.bytes);
        let answer = match made.entry.kind {
            "tdrv_arch_ops" => arch_ops::answer(view.images.generation, &info.name),
            _ => None,
        };
        let info = match answer {
            Some((text, how)) => {
                RecordFieldInfo { text: Some(text), provenance: provenance(how), ..info }
            }
            None => RecordFieldInfo { text: None, ..info },
        };
        RecordFieldInfo { links: field_links(view, name, &info), ..info }
    };
    made.fields.iter().map(with_links).collect()
}

/// Records whose name and type have all words, or with fields whose names and values have them.
fn search(
    all: &RuntimeRecords<'_>,
    engine: Engine,
    words: &Words,
    from: usize,
    count: usize,
) -> (Vec<RecordInfo>, usize) {
    let mut total = 0;
    let mut found = Vec::new();
    let (entries, _) = all.list(engine, 0, usize::MAX);
    for entry in entries {
        // The values of the staged image are slots, which the Code view searches.
        let small = entry.bytes <= MOST_BYTES as u64;
        let made = small.then(|| all.record(engine, &entry.name)).flatten();
        let mut hits = Hits::default();
        if let Some(made) = &made {
            let fields = made.fields.iter().map(|field| field_info(field, &made.bytes));
            fields.for_each(|field| hits.look(words, &field, None));
        }
        let named = words.in_text(&format!("{} {}", entry.name, entry.kind));
        if !named && hits.total == 0 {
            continue;
        }
        if total >= from && found.len() < count {
            found.push(hits.of(named, record_info(entry)));
        }
        total += 1;
    }
    (found, total)
}

/// Fields of a record in which a searched text was found.
#[derive(Default)]
pub(super) struct Hits {
    /// How many there are.
    pub total: u64,
    /// The first of them.
    list: Vec<RecordHit>,
}

impl Hits {
    /// Takes a field, of a row if it is of one, if it has the words.
    pub fn look(&mut self, words: &Words, field: &RecordFieldInfo, row: Option<u64>) {
        if !words.in_field(field) {
            return;
        }
        self.total += 1;
        if self.list.len() < MOST_HITS {
            let (field, offset, bytes, value) =
                (field.name.clone(), field.offset, field.bytes, value_words(field));
            self.list.push(RecordHit { row, field, offset, bytes, value });
        }
    }

    /// The first one in words: name and value.
    pub fn first(&self) -> Option<String> {
        let first = self.list.first();
        first.map(|hit| match hit.value == hit.field {
            true => hit.field.clone(),
            false => format!("{} {}", hit.field, hit.value).trim_end().to_owned(),
        })
    }

    /// A found record with them; `named` where its own name says why it was found.
    pub fn of(self, named: bool, record: RecordInfo) -> RecordInfo {
        let hit = if named { None } else { self.first() };
        RecordInfo { hit, total_hits: self.total, hits: self.list, ..record }
    }
}

/// Value of a field and what is known of it, each once and only where there is something. Of an
/// instruction its words, not its bytes.
fn value_words(field: &RecordFieldInfo) -> String {
    let value = field.value.plain().unwrap_or_default();
    let known = field.text.as_deref().unwrap_or_default();
    match (value.is_empty(), known.is_empty() || known == value || field.kind == "instruction") {
        (true, _) => known.to_owned(),
        (false, true) => value,
        (false, false) => format!("{value} {known}"),
    }
}

pub(super) fn find(view: &View<'_>, name: &str) -> Result<RuntimeRecord, ApiError> {
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
        hit: None,
        total_hits: 0,
        hits: Vec::new(),
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
        kind: kind(field).to_owned(),
        unit: unit(field).map(str::to_owned),
        spec: None,
        meaning: field.meaning.to_owned(),
        provenance: provenance(field.provenance),
        why: None,
        text: None,
        tag: None,
        link: None,
        links: Vec::new(),
    }
}

/// Type of a field in a word.
fn kind(field: &RecordValue) -> &'static str {
    match field.form {
        RecordForm::Dec | RecordForm::Hex => number_kind(field.bytes),
        RecordForm::Flag => "bool",
        RecordForm::Text => "text",
        RecordForm::Pointer => "pointer",
        RecordForm::DeviceAddress => "address",
        RecordForm::SyncId => "id",
        _ => "bytes",
    }
}

/// Type of a number of so many bytes.
pub(super) const fn number_kind(bytes: u64) -> &'static str {
    match bytes {
        1 => "u8",
        2 => "u16",
        4 => "u32",
        8 => "u64",
        _ => "bytes",
    }
}

/// Offsets, sizes and lengths of these records count bytes.
fn unit(field: &RecordValue) -> Option<&'static str> {
    let last = field.name.rsplit('.').next().unwrap_or("");
    let number = matches!(field.form, RecordForm::Dec | RecordForm::Hex);
    let bytes =
        matches!(last, "size" | "size_used") || last.ends_with("offset") || last.ends_with("_len");
    (number && bytes).then_some("B")
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
