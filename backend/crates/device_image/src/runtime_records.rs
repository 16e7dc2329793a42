//! The records of the runtime by name, as bytes and as fields with where each value comes from.
//! Spec: docs/format/image.md "Records of the runtime" [observed].

use records::assembly::code::{
    CODE_RANGE_BYTES, InstBlock, POINTER_BYTES, RawCode, RawCodeRange, ResolvedCode,
};
use records::assembly::configuration::{Capabilities as RawCapabilities, NO_EVENT, ReservedEvents};
use records::assembly::function::{RawBlock, RawEngineFunctions, RawFunction};
use records::assembly::patch_list::{
    ENGINE_LIST_BYTES, EnginePatchList, PATCH_LOCATION, PatchInfo,
};
use records::assembly::{RecordForm, RecordType, model};
use records::memory::RawArchOps;
use records::{DeviceAddr, Engine, Provenance};

use crate::arch_ops::slots_of;
use crate::assembly::PatchLists;
use crate::capability::{Capabilities, Capability, reserved_events, reserved_events_provenance};
use crate::image::Image;
use crate::program::Generation;
use crate::resolve;

/// A record in the list of an engine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordEntry {
    /// Name, for example `functions.0.blocks.1`.
    pub name: String,
    /// Name of the type in the runtime.
    pub kind: &'static str,
    /// Bytes, with what follows the record.
    pub bytes: u64,
    /// Byte in the runtime's record of the model at which it, or the pointer to it, stands.
    pub model_offset: Option<u64>,
}

/// A record with its bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuntimeRecord {
    /// Its line in the list.
    pub entry: RecordEntry,
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Plain fields, ascending by offset.
    pub fields: Vec<RecordValue>,
}

/// A field of a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordValue {
    /// Name, with dots into inner records.
    pub name: String,
    /// First byte.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// How to read it.
    pub form: RecordForm,
    /// What it is, in a few words.
    pub meaning: &'static str,
    /// Where its value comes from.
    pub provenance: Provenance,
    /// Whether there is a value; the bytes of an unknown one are a stand-in.
    pub known: bool,
}

/// Everything that the records of a subgraph are made of.
#[derive(Clone, Copy, Debug)]
pub struct RuntimeRecords<'a> {
    /// The images, by engine code.
    pub images: [&'a Image; 5],
    /// What became of the patch lists.
    pub patch_lists: &'a PatchLists,
    /// Device base of each engine's image, and how sure it is.
    pub bases: [(DeviceAddr, Provenance); 5],
    /// Generation.
    pub generation: Generation,
    /// What it can do.
    pub capabilities: &'a Capabilities,
}

/// Which record a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Which {
    Code,
    Addrs,
    FunctionRange,
    InstBlock,
    PatchInfo,
    PatchList(Engine),
    PatchRow(Engine, usize),
    Functions,
    Function(usize),
    Block(usize, usize),
    Capabilities,
    ReservedEvents,
    ArchOps,
}

impl Which {
    fn of_name(name: &str) -> Option<Self> {
        let parts: Vec<&str> = name.split('.').collect();
        let index = |text: &str| {
            // One name for each record: no sign, no leading zero.
            let plain = text == "0" || !text.starts_with(['0', '+']);
            text.parse::<usize>().ok().filter(|_| plain)
        };
        let engine = |text: &str| Engine::ALL.into_iter().find(|engine| engine.name() == text);
        Some(match parts.as_slice() {
            ["eib"] => Self::Code,
            ["addrs"] => Self::Addrs,
            ["ib_functions"] => Self::FunctionRange,
            ["inst_block"] => Self::InstBlock,
            ["patch_info"] => Self::PatchInfo,
            ["patch_info", list] => Self::PatchList(engine(list)?),
            ["patch_info", list, row] => Self::PatchRow(engine(list)?, index(row)?),
            ["functions"] => Self::Functions,
            ["functions", function] => Self::Function(index(function)?),
            ["functions", function, "blocks", block] => {
                Self::Block(index(function)?, index(block)?)
            }
            ["capabilities"] => Self::Capabilities,
            ["reserved_events"] => Self::ReservedEvents,
            ["arch_ops"] => Self::ArchOps,
            _ => return None,
        })
    }

    fn name(self) -> String {
        match self {
            Self::Code => String::from("eib"),
            Self::Addrs => String::from("addrs"),
            Self::FunctionRange => String::from("ib_functions"),
            Self::InstBlock => String::from("inst_block"),
            Self::PatchInfo => String::from("patch_info"),
            Self::PatchList(engine) => format!("patch_info.{engine}"),
            Self::PatchRow(engine, row) => format!("patch_info.{engine}.{row}"),
            Self::Functions => String::from("functions"),
            Self::Function(function) => format!("functions.{function}"),
            Self::Block(function, block) => format!("functions.{function}.blocks.{block}"),
            Self::Capabilities => String::from("capabilities"),
            Self::ReservedEvents => String::from("reserved_events"),
            Self::ArchOps => String::from("arch_ops"),
        }
    }

    const fn kind(self) -> RecordType {
        match self {
            Self::Code => RawCode::TYPE,
            Self::Addrs => ResolvedCode::TYPE,
            Self::FunctionRange => RawCodeRange::TYPE,
            Self::InstBlock => InstBlock::TYPE,
            Self::PatchInfo => PatchInfo::TYPE,
            Self::PatchList(_) => EnginePatchList::TYPE,
            Self::PatchRow(..) => PATCH_LOCATION,
            Self::Functions => RawEngineFunctions::TYPE,
            Self::Function(_) => RawFunction::TYPE,
            Self::Block(..) => RawBlock::TYPE,
            Self::Capabilities => RawCapabilities::TYPE,
            Self::ReservedEvents => ReservedEvents::TYPE,
            Self::ArchOps => RawArchOps::TYPE,
        }
    }

    fn model_offset(self, engine: Engine) -> Option<u64> {
        let at = |engine: Engine, size: usize| engine.index() as u64 * size as u64;
        match self {
            Self::Addrs => Some(model::ADDRS + at(engine, POINTER_BYTES)),
            Self::FunctionRange => Some(model::FUNCTIONS + at(engine, CODE_RANGE_BYTES)),
            Self::PatchInfo => Some(model::PATCH_INFO),
            Self::PatchList(list) => Some(model::PATCH_INFO + at(list, ENGINE_LIST_BYTES)),
            _ => None,
        }
    }
}

impl RuntimeRecords<'_> {
    /// The records of an engine in a fixed order: those with a fixed name, functions with their
    /// blocks, patch rows. Gives those from an index on, at most `count`, and their total.
    pub fn list(&self, engine: Engine, from: usize, count: usize) -> (Vec<RecordEntry>, usize) {
        let image = self.image(engine);
        let fixed = [
            Which::Code,
            Which::Addrs,
            Which::FunctionRange,
            Which::InstBlock,
            Which::PatchInfo,
            Which::PatchList(engine),
            Which::Capabilities,
            Which::ReservedEvents,
            Which::ArchOps,
            Which::Functions,
        ];
        let functions = image.map_or(&[][..], |image| &image.functions);
        let of_function = |(at, function): (usize, &crate::image::PlacedFunction)| {
            let blocks = (0..function.blocks.len()).map(move |block| Which::Block(at, block));
            std::iter::once(Which::Function(at)).chain(blocks)
        };
        let rows = 0..self.rows(engine);
        let all = fixed
            .into_iter()
            .chain(functions.iter().enumerate().flat_map(of_function))
            .chain(rows.map(|row| Which::PatchRow(engine, row)));
        let blocks: usize = functions.iter().map(|function| 1 + function.blocks.len()).sum();
        let total = fixed.len() + blocks + self.rows(engine);
        (all.skip(from).take(count).map(|which| self.entry(engine, which)).collect(), total)
    }

    /// The record of an engine with a name; `None` if there is none.
    pub fn record(&self, engine: Engine, name: &str) -> Option<RuntimeRecord> {
        let which = Which::of_name(name)?;
        let bytes = self.bytes(engine, which)?;
        let entry = self.entry(engine, which);
        let mut fields = Vec::new();
        leaves(which.kind(), "", 0, &mut fields);
        if which == Which::InstBlock {
            let head = InstBlock::TYPE.bytes as u64;
            fields.push(RecordValue {
                name: String::from("buf"),
                offset: head,
                bytes: (bytes.len() as u64).saturating_sub(head),
                form: RecordForm::Opaque,
                meaning: "the image",
                provenance: Provenance::Observed,
                known: true,
            });
        }
        for field in &mut fields {
            self.explain(engine, which, field, &bytes);
        }
        Some(RuntimeRecord { entry, bytes, fields })
    }

    fn image(&self, engine: Engine) -> Option<&Image> {
        self.images.get(engine.index()).copied()
    }

    /// Rows of an engine's list; none once the lists are freed.
    fn rows(&self, engine: Engine) -> usize {
        match self.patch_lists {
            PatchLists::Kept => self.image(engine).map_or(0, |image| image.rows.len()),
            PatchLists::Freed { .. } => 0,
        }
    }

    fn entry(&self, engine: Engine, which: Which) -> RecordEntry {
        let kind = which.kind();
        let image_bytes = self.image(engine).map_or(0, |image| image.ranges.image_bytes);
        let behind = if which == Which::InstBlock { image_bytes } else { 0 };
        RecordEntry {
            name: which.name(),
            kind: kind.name,
            bytes: kind.bytes as u64 + behind,
            model_offset: which.model_offset(engine),
        }
    }

    fn bytes(&self, engine: Engine, which: Which) -> Option<Vec<u8>> {
        let image = self.image(engine)?;
        let (base, _) = self.bases.get(engine.index()).copied()?;
        Some(match which {
            Which::Code => resolve::code(image).bytes().to_vec(),
            Which::Addrs => resolve::resolved(image).bytes().to_vec(),
            Which::FunctionRange => resolve::functions(image).bytes().to_vec(),
            Which::InstBlock => {
                let mut bytes = resolve::block_head(image, base).bytes().to_vec();
                bytes.extend_from_slice(image.bytes());
                bytes
            }
            Which::PatchInfo => resolve::patch_info(self.images, self.patch_lists).bytes().to_vec(),
            Which::PatchList(list) => {
                resolve::patch_list(self.image(list)?, self.patch_lists).bytes().to_vec()
            }
            Which::PatchRow(list, row) if row < self.rows(list) => {
                self.image(list)?.rows.get(row)?.to_raw().bytes().to_vec()
            }
            Which::PatchRow(..) => return None,
            Which::Functions => resolve::engine_functions(image).bytes().to_vec(),
            Which::Function(at) => resolve::function(image.functions.get(at)?).bytes().to_vec(),
            Which::Block(at, id) => {
                let function = image.functions.get(at)?;
                let block = function.blocks.get(id)?;
                let id = u32::try_from(id).ok()?;
                resolve::block(engine, function.id, id, block).bytes().to_vec()
            }
            Which::Capabilities => self.capabilities.to_raw().bytes().to_vec(),
            Which::ReservedEvents => reserved_events(self.generation).bytes().to_vec(),
            Which::ArchOps => RawArchOps::zero().bytes().to_vec(),
        })
    }

    /// Where a field's value comes from.
    fn explain(&self, engine: Engine, which: Which, field: &mut RecordValue, bytes: &[u8]) {
        let of_image = |engine| self.image(engine).map_or(Provenance::Modelled, |i| i.provenance);
        let image = of_image(engine);
        let byte = usize::try_from(field.offset).ok().and_then(|at| bytes.get(at)).copied();
        field.provenance = match (which, field.name.as_str()) {
            (Which::Capabilities, "memory_base") => self.capabilities.memory_base_provenance(),
            (Which::Capabilities, _) if field.form == RecordForm::Flag => Capability::ALL
                .into_iter()
                .find(|capability| capability.byte() as u64 == field.offset)
                .map_or(Provenance::Modelled, |one| self.capabilities.provenance(one)),
            (Which::ReservedEvents, _) if byte == Some(NO_EVENT) => Provenance::Modelled,
            (Which::ReservedEvents, _) => reserved_events_provenance(self.generation),
            (Which::ArchOps, _) => Provenance::Observed,
            _ if field.form == RecordForm::Pointer => Provenance::Modelled,
            (Which::InstBlock, "start_addr") => {
                self.bases.get(engine.index()).map_or(Provenance::Modelled, |base| base.1)
            }
            (Which::InstBlock, "name") => Provenance::Observed,
            (Which::Addrs, "one_offset.offset" | "one_offset.size") => {
                image.max(Provenance::Inferred)
            }
            (Which::Function(_), "imcpy_queue_instance_idx" | "node") => Provenance::Modelled,
            (Which::Function(_), "func_id") => Provenance::Observed,
            (Which::Function(_), name) if !name.starts_with("block_ctx_ptrs") => Provenance::File,
            (Which::Function(_) | Which::Functions, _) => Provenance::Inferred,
            (Which::Block(..), "cc_block_id") => Provenance::Inferred,
            (
                Which::Block(..),
                "function_id" | "block_id" | "kbin_begin_offset" | "kbin_end_offset" | "has_ccops",
            ) => Provenance::Observed,
            (Which::Block(..), "requires_cache_align") => Provenance::Modelled,
            (Which::Block(..), name) if !name.starts_with("block_offset") => {
                image.max(Provenance::Inferred)
            }
            (Which::PatchList(list) | Which::PatchRow(list, _), name) => {
                let growth = name == "array_count";
                of_image(list).max(if growth { Provenance::Inferred } else { Provenance::File })
            }
            (Which::PatchInfo, name) if name.ends_with("array_count") => {
                Engine::ALL.map(of_image).into_iter().fold(Provenance::Inferred, Ord::max)
            }
            (Which::PatchInfo, _) => {
                Engine::ALL.map(of_image).into_iter().fold(Provenance::File, Ord::max)
            }
            _ => image,
        };
        field.known = match which {
            Which::ReservedEvents => byte != Some(NO_EVENT),
            // Where its functions are is the loader's choice at each start.
            Which::ArchOps => false,
            Which::Capabilities if field.form == RecordForm::Hex => {
                field.provenance == Provenance::Configured
            }
            _ => field.form != RecordForm::Pointer,
        };
    }
}

/// The plain fields of a record type: inner records are taken apart.
fn leaves(kind: RecordType, prefix: &str, start: u64, out: &mut Vec<RecordValue>) {
    for field in kind.fields {
        let name = format!("{prefix}{}", field.name);
        let offset = start + u64::from(field.offset);
        match field.form.inner() {
            Some(inner) => leaves(inner, &format!("{name}."), offset, out),
            None => {
                // Only the table of a generation has tables of pointers inside.
                let of_ops = kind.name == RawArchOps::TYPE.name;
                let bytes = u64::from(field.bytes);
                let names = if of_ops { slots_of(&name, bytes) } else { vec![name] };
                let each = bytes / (names.len() as u64).max(1);
                for (at, name) in (0..).zip(names) {
                    out.push(RecordValue {
                        name,
                        offset: offset + at * each,
                        bytes: each,
                        form: if of_ops { RecordForm::Pointer } else { field.form },
                        meaning: field.meaning,
                        provenance: Provenance::Observed,
                        known: true,
                    });
                }
            }
        }
    }
}
