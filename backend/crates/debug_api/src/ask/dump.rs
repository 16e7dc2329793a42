//! Answers `dump`, `dump-text` and `printers`: memory of a TOP_SP's firmware.

use super::records::{Hits, number_kind};
use crate::answer::{
    DumpAnswer, DumpStruct, DumpTextAnswer, PrinterInfo, PrintersAnswer, Provenance,
    RecordFieldInfo, RecordValueInfo, SCHEMA,
};
use crate::convert::{at, findings, hex, hex_bytes, number, provenance};
use crate::dump_file::DumpFile;
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::find::Words;
use crate::names;
use crate::request::Request;
use crate::scope;
use ::records::collectives::printers::{COPY_STRIDE, TEXT_ROOM, TEXT_STRIDE};
use ::records::collectives::{ContextArch, Struct};
use ::records::kbin::Tag;
use device_image::firmware::text::{TextForm, print};
use device_image::firmware::{DumpField, DumpValue, FirmwareDump, tree, writes};
use neff::{Findings, Place, Severity};
use std::sync::Arc;

/// Structs of one answer if no number is given, and most of them.
const MOST_STRUCTS: u32 = 4_096;

/// What a question is about.
struct Asked<'a> {
    file: &'a DumpFile,
    /// What the session calls it.
    called: String,
    dump: FirmwareDump<'a>,
    generation_provenance: Provenance,
}

impl<'a> Asked<'a> {
    fn of(
        files: &[Arc<OpenFile>],
        file: &'a DumpFile,
        generation: Option<&str>,
        offset: u64,
    ) -> Result<Self, ApiError> {
        check_offset(file, offset)?;
        let (arch, generation_provenance) = match generation {
            Some(name) => (arch(name)?, Provenance::Configured),
            None => (file.likely_arch(offset), Provenance::Inferred),
        };
        let dump = FirmwareDump { bytes: file.bytes(), arch, offset };
        let called = names::of_dump(files, file);
        Ok(Self { file, called, dump, generation_provenance })
    }

    fn answer(&self) -> DumpAnswer {
        let mut found = Findings::new();
        if self.generation_provenance == Provenance::Configured {
            self.dump.check_layout(&mut found);
        }
        self.dump.check(&mut found);
        let arch = self.dump.arch;
        DumpAnswer {
            schema: SCHEMA,
            file: self.called.clone(),
            file_bytes: self.file.bytes().len() as u64,
            generation: arch.name().to_owned(),
            generation_provenance: self.generation_provenance,
            arch_id: hex(arch.id().into()),
            offset: self.dump.offset,
            context_bytes: arch.context_bytes() as u64,
            mesh_events: arch.events() as u64,
            from: 0,
            total: 0,
            structs: Vec::new(),
            diagnostics: findings(found.as_slice()),
            provenance: Provenance::File,
        }
    }

    fn shown(&self, one: &Struct, with_fields: bool) -> DumpStruct {
        let start = self.dump.start(one);
        let fields = if with_fields { self.dump.fields(one) } else { Vec::new() };
        DumpStruct {
            name: one.name.clone(),
            kind: one.layout.name.to_owned(),
            offset: start,
            context_offset: one.offset as u64,
            bytes: one.layout.bytes as u64,
            spec: spec(one.layout.spec),
            fields: fields
                .iter()
                .map(|field| {
                    let info = field_info(field);
                    RecordFieldInfo { offset: info.offset.saturating_sub(start), ..info }
                })
                .collect(),
            hex: None,
            hit: None,
        }
    }

    fn find(&self, name: &str) -> Result<Struct, ApiError> {
        let found = self.dump.arch.structs().into_iter().find(|one| one.name == name);
        let one = found.ok_or_else(|| {
            let shown: String = name.chars().take(64).collect();
            let message = format!(
                "a context has no struct `{shown}`; names are such as configs.dev or neff.op, and \
                 the list of structs has them all"
            );
            ApiError::new(ErrorKind::NotFound, "record.unknown", message)
        })?;
        if self.dump.bytes_of(&one).is_empty() {
            return Err(too_short(&self.dump, &one.name, one.offset, one.layout.bytes));
        }
        Ok(one)
    }
}

/// What `info` says of a dump: everything but the structs.
pub fn summary(files: &[Arc<OpenFile>], file: &DumpFile) -> DumpAnswer {
    let arch = file.likely_arch(0);
    let dump = FirmwareDump { bytes: file.bytes(), arch, offset: 0 };
    let called = names::of_dump(files, file);
    let asked = Asked { file, called, dump, generation_provenance: Provenance::Inferred };
    DumpAnswer { total: dump.structs().len() as u64, ..asked.answer() }
}

/// The structs of a context, or one.
///
/// # Errors
/// `file.no-dump`, `dump.generation`, `bytes.past-end`, `record.unknown`, `dump.too-short`.
pub fn dump(files: &[Arc<OpenFile>], request: &Request) -> Result<DumpAnswer, ApiError> {
    let Request::Dump { scope, generation, offset, name, from, count, find, names_only } = request
    else {
        return Err(ApiError::bad_request("this is no question about a dump"));
    };
    let asked = Asked::of(files, scope::dump(files, scope.f)?, generation.as_deref(), *offset)?;
    if let Some(name) = name {
        let one = asked.find(name)?;
        let bytes = hex_bytes(asked.dump.bytes_of(&one));
        let only = DumpStruct { hex: Some(bytes), ..asked.shown(&one, true) };
        return Ok(DumpAnswer { total: 1, structs: vec![only], ..asked.answer() });
    }
    let words = Words::of(find.as_deref());
    let mut all: Vec<(Struct, Option<String>)> =
        asked.dump.structs().into_iter().map(|one| (one, None)).collect();
    if !words.is_empty() {
        all.retain_mut(|(one, hit)| {
            if words.in_text(&format!("{} {}", one.name, one.layout.name)) {
                return true;
            }
            let mut hits = Hits::default();
            for field in &asked.dump.fields(one) {
                hits.look(&words, &field_info(field), None);
            }
            *hit = hits.first();
            hit.is_some()
        });
    }
    let total = all.len() as u64;
    let skip = usize::try_from(*from).unwrap_or(usize::MAX);
    let most = count.unwrap_or(MOST_STRUCTS).min(MOST_STRUCTS) as usize;
    let listed = all.into_iter().skip(skip).take(most);
    let structs = listed.map(|(one, hit)| DumpStruct { hit, ..asked.shown(&one, !names_only) });
    Ok(DumpAnswer { from: *from, total, structs: structs.collect(), ..asked.answer() })
}

/// A context in the text of its printer.
///
/// # Errors
/// As for `dump`.
pub fn text(files: &[Arc<OpenFile>], request: &Request) -> Result<DumpTextAnswer, ApiError> {
    let Request::DumpText { scope, generation, offset, model_name } = request else {
        return Err(ApiError::bad_request("this is no question about a dump"));
    };
    let base = scope.base.as_deref().map(|text| number("base", text)).transpose()?.unwrap_or(0);
    let asked = Asked::of(files, scope::dump(files, scope.f)?, generation.as_deref(), *offset)?;
    let arch = asked.dump.arch;
    let whole = || too_short(&asked.dump, "a context", 0, arch.context_bytes());
    let context = asked.dump.context().ok_or_else(whole)?;
    let model_name = model_name.as_deref().unwrap_or_else(|| asked.file.name());
    let tree = tree::context(&context, model_name, base);
    let printed = print(&tree, TextForm::Firmware);
    let answer = asked.answer();
    Ok(DumpTextAnswer {
        schema: SCHEMA,
        file: answer.file,
        generation: answer.generation,
        generation_provenance: answer.generation_provenance,
        offset: answer.offset,
        model_name: model_name.to_owned(),
        base: hex(base),
        status: printed.status,
        text: printed.text,
        strict: print(&tree, TextForm::Strict).text,
        provenance: Provenance::Inferred,
        diagnostics: answer.diagnostics,
    })
}

/// The context of a name such as `cayman@0x100`, with its generation and first byte. It may be cut
/// off.
///
/// # Errors
/// `bytes.unknown`, `dump.generation`, `bytes.past-end`.
pub(super) fn context_bytes<'a>(
    file: &'a DumpFile,
    name: &str,
) -> Result<(ContextArch, u64, &'a [u8]), ApiError> {
    let (generation, offset) = name.split_once('@').ok_or_else(|| {
        let shown: String = name.chars().take(64).collect();
        let message = format!(
            "a dump has no part `{shown}`; its parts are contexts, such as cayman@0x0, and without \
             a name all its bytes"
        );
        ApiError::new(ErrorKind::NotFound, "bytes.unknown", message)
    })?;
    let arch = arch(generation)?;
    let offset = number("offset", offset)?;
    check_offset(file, offset)?;
    let start = usize::try_from(offset).unwrap_or(usize::MAX);
    let rest = file.bytes().get(start..).unwrap_or(&[]);
    Ok((arch, offset, rest.get(..arch.context_bytes()).unwrap_or(rest)))
}

/// The contexts at the start of a dump that `members` lists: the likelier layout first.
pub(super) fn contexts(file: &DumpFile) -> [(ContextArch, u64); 2] {
    let likely = file.likely_arch(0);
    let other = match likely {
        ContextArch::Sunda => ContextArch::Cayman,
        _ => ContextArch::Sunda,
    };
    [likely, other].map(|arch| (arch, file.bytes().len().min(arch.context_bytes()) as u64))
}

/// The printing functions.
pub fn printers() -> PrintersAnswer {
    let all = writes::printers();
    let mut found = Findings::new();
    for one in all.iter().filter(|one| one.fits() == Some(false)) {
        let (writes, bytes) = (one.writes.unwrap_or(0), one.printer.bytes);
        let message = format!(
            "{} has {bytes} bytes of code and needs {writes} writes, which is {} bytes each; 120 \
             to 155 are usual, so it writes something that is not known",
            one.printer.family,
            one.bytes_per_write().unwrap_or(0)
        );
        found.push(Severity::Info, "dump.write-count", Place::default(), message);
    }
    let named = |arch: ContextArch| arch.name().to_owned();
    PrintersAnswer {
        schema: SCHEMA,
        library: String::from("2.31.1.0"),
        arch_ids: ContextArch::ALL.map(|arch| (named(arch), hex(arch.id().into()))).into(),
        room: TEXT_ROOM as u64,
        strides: [COPY_STRIDE.into(), TEXT_STRIDE.into()],
        printers: all
            .iter()
            .map(|one| PrinterInfo {
                family: one.printer.family.to_owned(),
                bytes: one.printer.bytes.into(),
                addresses: ContextArch::ALL
                    .map(|arch| (named(arch), hex(one.printer.address(arch).into())))
                    .into(),
                provenance: match one.printer.observed {
                    true => Provenance::Observed,
                    false => Provenance::Inferred,
                },
                writes: one.writes,
                bytes_per_write: one.bytes_per_write(),
                fits: one.fits(),
            })
            .collect(),
        diagnostics: findings(found.as_slice()),
    }
}

/// The generation of a name.
///
/// # Errors
/// `dump.generation`.
pub(super) fn arch(name: &str) -> Result<ContextArch, ApiError> {
    ContextArch::of_name(name).ok_or_else(|| {
        let shown: String = name.chars().take(40).collect();
        let message = format!(
            "`{shown}` is no generation with a known firmware: they are sunda, cayman, mariana and \
             mariana-plus"
        );
        ApiError::new(ErrorKind::BadRequest, "dump.generation", message)
    })
}

/// Whether something can begin at a byte.
///
/// # Errors
/// `bytes.past-end`.
pub(super) fn check_offset(file: &DumpFile, offset: u64) -> Result<(), ApiError> {
    let have = file.bytes().len() as u64;
    if offset > have {
        let message = format!("the dump has {have} bytes, so there is none at {offset:#x}");
        return Err(ApiError::new(ErrorKind::NotFound, "bytes.past-end", message));
    }
    Ok(())
}

fn too_short(dump: &FirmwareDump<'_>, what: &str, offset: usize, need: usize) -> ApiError {
    let start = dump.offset.saturating_add(offset as u64);
    let have = (dump.bytes.len() as u64).saturating_sub(start);
    let message = format!(
        "the dump is too short: {what} at {start:#x} needs {need} bytes on {}, {have} are there",
        dump.arch.name()
    );
    ApiError::new(ErrorKind::Undecodable, "dump.too-short", message).at(at(&Place::file(start)))
}

pub(super) fn spec(heading: &str) -> String {
    format!("docs/format/collectives.md \"{heading}\"")
}

/// A field as a document shows it.
pub(super) fn field_info(field: &DumpField) -> RecordFieldInfo {
    let meaning = match field.bits {
        Some((low, 1)) => format!("bit {low}: {}", field.meaning),
        Some((low, width)) => format!("bits {low} to {}: {}", low + width - 1, field.meaning),
        None => field.meaning.to_owned(),
    };
    RecordFieldInfo {
        name: field.name.clone(),
        offset: field.offset,
        bytes: field.bytes,
        value: match &field.value {
            DumpValue::None => RecordValueInfo::None(()),
            DumpValue::Flag(flag) => RecordValueInfo::Flag(*flag),
            DumpValue::Number(number) => RecordValueInfo::Number(*number),
            DumpValue::Hex(number) | DumpValue::Address(number) => {
                RecordValueInfo::Text(hex(*number))
            }
            DumpValue::Numbers(numbers) => RecordValueInfo::Numbers(numbers.clone()),
        },
        kind: match (&field.value, field.bits) {
            _ if field.is_reserved && field.bits.is_none() => "padding",
            (DumpValue::None, _) => "bytes",
            (DumpValue::Flag(_), _) => "bool",
            (DumpValue::Address(_), _) => "address",
            (DumpValue::Numbers(_), _) => "array",
            (_, Some(_)) => "bits",
            _ => number_kind(field.bytes),
        }
        .to_owned(),
        meaning,
        provenance: provenance(field.provenance),
        why: None,
        text: field.text.clone(),
        unit: (!field.unit.is_empty()).then(|| field.unit.to_owned()),
        tag: (field.tag != Tag::Observed).then(|| field.tag.name().to_owned()),
        spec: Some(spec(field.spec)),
        link: None,
        links: Vec::new(),
    }
}
