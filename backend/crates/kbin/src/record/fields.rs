//! The fields of a record with their values: what a field tree shows, each with its bytes, where it
//! comes from and what it leads to.

use neff::Package;
use records::kbin::activation::{RawActBucket, RawActControl, RawActFunctionSet};
use records::kbin::descriptor::{RawDescriptor, RawFmaArm, RawMinMaxArm};
use records::kbin::engine::RawEngine;
use records::kbin::names::{Dtype, MrType};
use records::kbin::queue::{RawDma, RawRingInstance};
use records::kbin::root::RawKbin;
use records::kbin::sets::{
    RawArray, RawCarveout, RawCarveoutHead, RawDveConfig, RawPair, RawSourceTargetPairs,
    RawUcodeFunction, RawUcodeLib,
};
use records::kbin::variable::{
    RawDebugTensor, RawListArm, RawMemRef, RawMemRefSet, RawPointerArm, RawRemoteArm, RawVirtualArm,
};
use records::kbin::{Form, Layout, Tag};
use records::{Provenance, Slot};

use super::id::RecordId;
use super::links::{Link, Target};
use super::sources::Grounds;
use super::value::{Value, by_dtype, number, value};
use crate::disasm;
use crate::lowering::Kbin;
use crate::lowering::model::Compute;

/// Rows of one answer.
pub const MAX_ROWS: u64 = 4_096;

/// A field.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldValue {
    /// Name, with dots into inner records and `[n]` for rows.
    pub name: String,
    /// First byte in the record.
    pub offset: u64,
    /// Size in bytes.
    pub bytes: u64,
    /// The value.
    pub value: Value,
    /// Name of the value, or what a pointer leads to.
    pub text: Option<String>,
    /// Unit of the value, or nothing.
    pub unit: &'static str,
    /// Where the value comes from.
    pub provenance: Provenance,
    /// Why it comes from there, where that is not plain; else nothing.
    pub why: &'static str,
    /// How sure its place is.
    pub tag: Tag,
    /// What it is.
    pub meaning: &'static str,
    /// Heading of docs/format/kbin.md.
    pub spec: &'static str,
    /// Where it leads.
    pub target: Option<Target>,
    /// Whether it only keeps the next field aligned, or is room that is not used.
    pub is_padding: bool,
}

/// What is special about one part of a record: pointers, and provenance by offset.
#[derive(Default)]
struct Beside {
    links: Vec<Link>,
    from: Vec<Grounds>,
}

impl Beside {
    fn link(&self, offset: u64) -> Option<&Target> {
        self.links.iter().find(|link| link.offset == offset).map(|link| &link.target)
    }
}

struct Walk<'a> {
    out: &'a mut Vec<FieldValue>,
    /// Offset in the record of the bytes that are walked.
    base: u64,
    beside: Beside,
}

impl Walk<'_> {
    /// All fields of a layout whose bytes begin at `at` of `bytes`.
    fn layout(&mut self, layout: &Layout, bytes: &[u8], at: usize, prefix: &str) {
        for field in layout.fields {
            let from = at + field.offset;
            let own = bytes.get(from..from + field.bytes).unwrap_or_default();
            let name = format!("{prefix}{}", field.name);
            match field.form {
                Form::Record(inner) => {
                    self.layout(inner, bytes, from, &format!("{name}."));
                    continue;
                }
                Form::Records(inner) if inner.bytes > 0 => {
                    for index in 0..field.bytes / inner.bytes {
                        let start = from + index * inner.bytes;
                        self.layout(inner, bytes, start, &format!("{name}[{index}]."));
                    }
                    continue;
                }
                Form::Pointers => {
                    for index in 0..field.bytes / 8 {
                        let offset = from + index * 8;
                        let name = format!("{name}[{index}]");
                        self.one(layout, field, name, offset, 8, (Value::None, None));
                    }
                    continue;
                }
                _ => {}
            }
            self.one(layout, field, name, from, own.len(), value(field.form, own));
        }
    }

    fn one(
        &mut self,
        layout: &Layout,
        field: &records::kbin::Field,
        name: String,
        at: usize,
        bytes: usize,
        (value, text): (Value, Option<String>),
    ) {
        let target = self.beside.link(at as u64).cloned();
        let from = self.beside.from.iter().find(|from| from.at == at as u64);
        let mut provenance =
            from.map_or(field.provenance, |from| from.provenance.max(field.provenance));
        // A place that is not sure makes the value unsure too.
        if field.tag != Tag::Observed {
            provenance = provenance.max(Provenance::Inferred);
        }
        self.out.push(FieldValue {
            name,
            offset: self.base + at as u64,
            bytes: bytes as u64,
            value,
            text,
            unit: field.unit,
            provenance,
            why: from.map_or("", |from| from.why),
            tag: field.tag,
            meaning: field.meaning,
            spec: layout.spec,
            target,
            is_padding: matches!(field.form, Form::Padding),
        });
    }
}

impl Kbin {
    /// The fields of a record: all of its header, and of the rows behind it `count` from `from`, at
    /// most [`MAX_ROWS`]. Empty for a record that the tree does not have.
    pub fn record_fields(
        &self,
        package: &Package,
        id: RecordId,
        from: u64,
        count: u64,
    ) -> Vec<FieldValue> {
        let Some(shape) = self.shape(id) else { return Vec::new() };
        let mut out = Vec::new();
        if let Some(layout) = header_layout(id) {
            let bytes = self.header(id);
            let beside = Beside { links: self.header_links(id), from: self.header_from(id) };
            let mut walk = Walk { out: &mut out, base: 0, beside };
            walk.layout(layout, &bytes, 0, "");
            self.unplaced(id, &mut out);
        }
        if let RecordId::Engine(slot) = id {
            self.code_fields(package, slot, from, count, &mut out);
            return out;
        }
        let end = from.saturating_add(count.min(MAX_ROWS)).min(shape.count);
        if self.table(id).is_some() {
            table_fields(self.table_bytes(package, id), id, from..end, &mut out);
            return out;
        }
        for row in from..end {
            self.row_fields(id, row, shape.header + row * shape.stride, &mut out);
        }
        out
    }

    /// What a file says for the bytes of profiles whose packing is not published.
    fn unplaced(&self, id: RecordId, out: &mut [FieldValue]) {
        let RecordId::ActSet(at) = id else { return };
        let profiles = self.act_sets.get(at).map_or(&[][..], |set| &set.profiles);
        let packed = out.iter_mut().filter(|field| field.name.ends_with("].thresholds"));
        for (field, profile) in packed.zip(profiles) {
            let said: Vec<String> =
                profile.unplaced.iter().map(|(key, value)| format!("{key} {value}")).collect();
            if !said.is_empty() {
                field.text = Some(format!("not published; the file has {}", said.join(", ")));
            }
        }
    }

    /// Records of the code, 64 bytes each, and what is left over.
    fn code_fields(
        &self,
        package: &Package,
        slot: usize,
        from: u64,
        count: u64,
        out: &mut Vec<FieldValue>,
    ) {
        let code = self.code_bytes(package, slot);
        let content = self.code.get(slot).and_then(|code| code.content.as_ref());
        let rows = (code.len() as u64).div_ceil(64);
        let end = from.saturating_add(count.min(MAX_ROWS)).min(rows);
        for row in from..end {
            let start = row * 64;
            let at = usize::try_from(start).unwrap_or(usize::MAX);
            let bytes = code.get(at..code.len().min(at.saturating_add(64))).unwrap_or_default();
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            let record = Slot::slice_of(bytes).0.first();
            let value = record.map(|record| disasm::line(record, disasm::Names::default()));
            let is_whole = record.is_some();
            out.push(FieldValue {
                name: self.row_name(RecordId::Engine(slot), row),
                offset: RawEngine::LAYOUT.bytes as u64 + start,
                bytes: bytes.len() as u64,
                text: Some(hex),
                value: value.map_or(Value::None, Value::Text),
                unit: "",
                provenance: Provenance::File,
                why: "",
                tag: Tag::Observed,
                meaning: match is_whole {
                    true => "instruction",
                    false => "bytes that are copied and not counted",
                },
                spec: RawEngine::LAYOUT.spec,
                target: content.map(|content| {
                    Target::Member(crate::lowering::model::Content {
                        member: content.member.clone(),
                        offset: content.offset + start,
                        bytes: bytes.len() as u64,
                    })
                }),
                is_padding: false,
            });
        }
    }

    fn row_fields(&self, id: RecordId, row: u64, base: u64, out: &mut Vec<FieldValue>) {
        let bytes = self.row(id, row);
        let at = usize::try_from(row).unwrap_or(usize::MAX);
        let first = out.len();
        let beside = Beside { links: self.row_links(id, at), from: self.row_from(id, at) };
        let mut walk = Walk { out, base, beside };
        let name = self.row_name(id, row);
        let prefix = format!("{name}.");
        match id {
            RecordId::MemRefSet => {
                walk.layout(&RawMemRef::LAYOUT, &bytes, 0, &prefix);
                self.union_fields(&mut walk, &bytes, &prefix);
            }
            RecordId::Ring(queue, ring) => {
                walk.layout(&RawDescriptor::LAYOUT, &bytes, 0, &prefix);
                self.descriptor_fields(&mut walk, (queue, ring, at), &bytes, &prefix, first);
            }
            RecordId::Carveouts => {
                walk.layout(&RawCarveout::LAYOUT, &bytes, 0, &prefix);
            }
            RecordId::Groups => {
                walk.layout(&RawArray::GROUP, &bytes, 0, &prefix);
            }
            RecordId::Group(_) => {
                walk.layout(&RawArray::SUBGROUP, &bytes, 0, &prefix);
            }
            RecordId::PairTables => {
                walk.layout(&RawSourceTargetPairs::LAYOUT, &bytes, 0, &prefix);
            }
            RecordId::Pairs(_) => {
                walk.layout(&RawPair::LAYOUT, &bytes, 0, &prefix);
            }
            RecordId::UcodeFunctions(_) => {
                walk.layout(&RawUcodeFunction::LAYOUT, &bytes, 0, &prefix);
            }
            RecordId::Dma(_) => {
                let target = walk.beside.link(0).cloned();
                out.push(simple(name, base, 8, Value::None, target));
            }
            RecordId::List(_) => {
                let id = number(&bytes);
                let target = u32::try_from(id).ok().and_then(|id| self.mem_ref_target(id));
                let value = Value::Number(id);
                out.push(simple(name, base, 4, value, target));
            }
            RecordId::Subgroup(..) => {
                let value = Value::Number(number(&bytes));
                out.push(simple(name, base, 4, value, None));
            }
            _ => {}
        }
        for field in out.iter_mut().skip(first) {
            self.name_variable(field);
        }
    }

    /// Ids of variables lead to their record.
    fn name_variable(&self, field: &mut FieldValue) {
        let is_id = [".idx", ".referenced_var_id"].iter().any(|end| field.name.ends_with(end))
            || field.name.starts_with("list[");
        if let (true, Value::Number(id)) = (is_id, &field.value)
            && let Some((at, variable)) = u32::try_from(*id).ok().and_then(|id| self.variable(id))
        {
            field.text = Some(variable.name.clone());
            field.target = Some(Target::Record(RecordId::MemRefSet, mem_ref_offset(at)));
        }
    }

    fn mem_ref_target(&self, id: u32) -> Option<Target> {
        let (at, _) = self.variable(id)?;
        Some(Target::Record(RecordId::MemRefSet, mem_ref_offset(at)))
    }

    /// Replaces the union's raw bytes by the form of the variable's kind.
    fn union_fields(&self, walk: &mut Walk<'_>, bytes: &[u8], prefix: &str) {
        const UNION: usize = 136;
        let kind = number(bytes.get(..4).unwrap_or_default());
        let layout = match MrType(kind as i32) {
            MrType::PTR => &RawPointerArm::LAYOUT,
            MrType::VIRTUAL_TMP_BUF => &RawVirtualArm::LAYOUT,
            MrType::LIST | MrType::PTR_TABLE => &RawListArm::LAYOUT,
            MrType::REMOTE => &RawRemoteArm::LAYOUT,
            _ => return,
        };
        walk.out.pop();
        walk.layout(layout, bytes, UNION, prefix);
    }

    /// Leaves out sources that are not there, and gives the compute area its form.
    fn descriptor_fields(
        &self,
        walk: &mut Walk<'_>,
        (queue, ring, row): (usize, usize, usize),
        bytes: &[u8],
        prefix: &str,
        first: usize,
    ) {
        const FROM: u64 = 168;
        const COMPUTE: u64 = 5292;
        let ring = self.queues.get(queue).and_then(|queue| queue.rings.get(ring));
        let Some(source) = ring.and_then(|ring| ring.descriptors.get(row)) else { return };
        let used = FROM + 160 * source.from_variables.len() as u64;
        let base = walk.base;
        let mut fields = walk.out.split_off(first);
        let unused = (used < FROM + 5120).then(|| FieldValue {
            name: format!("{prefix}from[{}..32]", source.from_variables.len()),
            offset: base + used,
            bytes: FROM + 5120 - used,
            value: Value::None,
            text: Some("zero".to_owned()),
            unit: "",
            provenance: Provenance::Observed,
            why: "",
            tag: Tag::Observed,
            meaning: "room for further sources, zero",
            spec: RawDescriptor::LAYOUT.spec,
            target: None,
            is_padding: true,
        });
        let mut rest = fields.split_off(
            fields.iter().position(|field| field.offset - base >= used).unwrap_or(fields.len()),
        );
        rest.retain(|field| field.offset - base >= FROM + 5120);
        walk.out.append(&mut fields);
        walk.out.extend(unused);
        for mut field in rest {
            if field.offset - base != COMPUTE {
                walk.out.push(field);
                continue;
            }
            let inner = match &source.compute {
                Compute::None => {
                    field.provenance = Provenance::Inferred;
                    None
                }
                Compute::Transpose(letters, shape, size) => {
                    field.meaning = "a transpose; the layout of its bytes is not published, \
                                     they are zero here";
                    let size = size.map_or("?".to_owned(), |size| size.to_string());
                    field.text = Some(format!("{letters} {shape:?}, elements of {size} bytes"));
                    None
                }
                Compute::Plain => Some(None),
                Compute::Scale(..) => Some(Some(&RawFmaArm::LAYOUT)),
                Compute::Constant(..) => Some(Some(&RawMinMaxArm::LAYOUT)),
            };
            let Some(arm) = inner else {
                walk.out.push(field);
                continue;
            };
            let info = &records::kbin::descriptor::RawCceInfo::LAYOUT;
            let start = walk.out.len();
            let name = format!("{prefix}cce_info.");
            walk.layout(info, bytes, COMPUTE as usize, &name);
            if let Some(arm) = arm {
                // The raw middle makes room for its form.
                let last = walk.out.pop();
                walk.out.truncate(start + 1);
                walk.layout(arm, bytes, COMPUTE as usize + 4, &name);
                if let Compute::Constant(dtype, bits) = &source.compute {
                    read_constant(walk.out, *dtype, *bits);
                }
                walk.out.extend(last);
            }
        }
    }
}

/// The constant as a number of its element type.
fn read_constant(out: &mut [FieldValue], dtype: Dtype, bits: u32) {
    let found = out.iter_mut().rev().find(|field| field.name.ends_with(".constant"));
    if let Some((field, value)) = found.zip(by_dtype(dtype, bits)) {
        field.value = value;
        field.text = Some(format!("{bits:#010x} as {}", dtype.name().unwrap_or("?")));
    }
}

/// Entries of an activation table.
fn table_fields(bytes: &[u8], id: RecordId, rows: std::ops::Range<u64>, out: &mut Vec<FieldValue>) {
    let is_control = matches!(id, RecordId::ActControls(_));
    let layout = if is_control { &RawActControl::LAYOUT } else { &RawActBucket::LAYOUT };
    for row in rows {
        let base = row * 32;
        let at = usize::try_from(base).unwrap_or(usize::MAX);
        let own = bytes.get(at..at.saturating_add(32)).unwrap_or_default();
        let first = out.len();
        let mut walk = Walk { out, base, beside: Beside::default() };
        walk.layout(layout, own, 0, &format!("entry[{row}]."));
        if let (true, Ok((word, _))) = (is_control, RawActControl::of(own)) {
            let [base, lsb, size] = word.parts();
            if let Some(field) = out.get_mut(first) {
                field.text = Some(format!("base {base}, lsb {lsb}, size {size}"));
            }
        }
    }
}

/// Place of a variable in the table.
fn mem_ref_offset(at: usize) -> u64 {
    24 + 152 * at as u64
}

fn simple(
    name: String,
    offset: u64,
    bytes: u64,
    value: Value,
    target: Option<Target>,
) -> FieldValue {
    FieldValue {
        name,
        offset,
        bytes,
        value,
        text: None,
        unit: "",
        provenance: Provenance::File,
        why: "",
        tag: Tag::Observed,
        meaning: "row",
        spec: "Rules for all records",
        target,
        is_padding: false,
    }
}

fn header_layout(id: RecordId) -> Option<&'static Layout> {
    Some(match id {
        RecordId::Root => &RawKbin::LAYOUT,
        RecordId::Engine(_) => &RawEngine::LAYOUT,
        RecordId::MemRefSet => &RawMemRefSet::LAYOUT,
        RecordId::DebugTensor(_) => &RawDebugTensor::LAYOUT,
        RecordId::Dma(_) => &RawDma::LAYOUT,
        RecordId::Ring(..) => &RawRingInstance::LAYOUT,
        RecordId::ActSet(_) => &RawActFunctionSet::LAYOUT,
        RecordId::DveConfig => &RawDveConfig::LAYOUT,
        RecordId::Carveouts => &RawCarveoutHead::LAYOUT,
        RecordId::UcodeLib(_) => &RawUcodeLib::LAYOUT,
        _ => return None,
    })
}
