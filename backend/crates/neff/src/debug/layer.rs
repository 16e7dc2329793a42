//! One debug member: a protobuf message whose records stay in file order with their offsets.
//!
//! The top level is walked by hand, so that a damaged record is one finding and not the end.

use std::collections::BTreeMap;
use std::sync::Arc;

use prost::Message as _;

use crate::diagnostic::{Findings, Place, Severity};
use crate::error::NeffError;
use crate::limits::Limits;
use crate::package::Package;
use crate::wire::{Body, Field, Value, WireError};

/// Damaged records of one member that become findings of their own.
const DAMAGED_RECORDS_LISTED: usize = 20;

/// Layers between a slot and the framework, nearest to the slot first.
/// Spec: docs/format/debug-layers.md "Layers" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerKind {
    /// One record for each slot.
    Asm,
    /// Instructions of the compiler's back end (BIR), and DMA blocks.
    Backend,
    /// Tensor operations.
    Penguin,
    /// Operations of the framework's graph.
    Hlo,
    /// Scopes of the framework.
    Pttf,
    /// A member with another name.
    Other,
}

impl LayerKind {
    /// Kind of a member, by its name; folders and a `_sg` suffix do not matter.
    pub fn of_member(member: &str) -> Self {
        let name = member.rsplit('/').next().unwrap_or(member);
        let name = name.strip_prefix("debug_info_").unwrap_or("");
        let is =
            |word: &str| name.strip_prefix(word).is_some_and(|rest| rest.starts_with(['.', '_']));
        [Self::Asm, Self::Backend, Self::Penguin, Self::Hlo, Self::Pttf]
            .into_iter()
            .find(|kind| is(kind.name()))
            .unwrap_or(Self::Other)
    }

    /// `asm backend penguin hlo pttf`, or `other`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Asm => "asm",
            Self::Backend => "backend",
            Self::Penguin => "penguin",
            Self::Hlo => "hlo",
            Self::Pttf => "pttf",
            Self::Other => "other",
        }
    }
}

/// A decoded debug member.
/// Spec: docs/format/debug-layers.md "Container" [observed].
#[derive(Clone, Debug, PartialEq)]
pub struct DebugLayer {
    /// Name of the member.
    pub member: String,
    /// Kind, by the name.
    pub kind: LayerKind,
    /// Description in English.
    pub description: String,
    /// Name of the next layer up, without folder and suffix; `None` on the top layer.
    pub parent_layer: Option<String>,
    /// The compiler's number of the engine: PE 1, ACT 2, POOL 3, DMA 4, DVE 5, SP 6.
    pub engine_number: Option<u64>,
    /// Source files: paths on the machine that built the program.
    pub files: Vec<String>,
    /// Records, in file order.
    pub records: Vec<DebugRecord>,
    /// Records whose body could not be decoded.
    pub n_damaged: usize,
    /// Entries as the limit `debug_records` counts them: records and files, and lists by size.
    used: usize,
    /// Record indices sorted by id, then index.
    by_id: Vec<u32>,
}

/// One record of a layer.
/// Spec: docs/format/debug-layers.md "Record" [observed; dependency kinds 2 and 4 inferred].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DebugRecord {
    /// Offset of the record's body in the member.
    pub offset: u64,
    /// Id, 0 if absent.
    pub id: u64,
    /// Name; empty in the slot layer.
    pub name: String,
    /// Ids in the next layer up; never more than one in known files.
    pub parents: Vec<u64>,
    /// Ids that it depends on.
    pub depends_on: Vec<u64>,
    /// Ids that it waits for with a semaphore.
    pub waits_for: Vec<u64>,
    /// 1 normal, 2 spill store, 3 PE transpose; 0 if absent.
    pub flavor: u64,
    /// Attributes: key, value.
    pub attributes: Vec<(String, String)>,
    /// Kinds of `depends_on`: 1 same accumulation group, 2 write after read, 3 write after write,
    /// 4 read after write.
    pub depends_on_kinds: Vec<u64>,
    /// Kinds of `waits_for`.
    pub waits_for_kinds: Vec<u64>,
    /// Whether the body could not be decoded; such a record is empty but keeps its place.
    pub is_damaged: bool,
}

impl DebugRecord {
    /// Value of an attribute; the first one of the key.
    pub fn attribute(&self, key: &str) -> Option<&str> {
        self.attributes.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
    }
}

/// Record body as protobuf. Texts are bytes here, so that bad UTF-8 loses nothing else.
#[derive(Clone, PartialEq, prost::Message)]
struct RawRecord {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(bytes = "vec", tag = "2")]
    name: Vec<u8>,
    #[prost(uint64, repeated, tag = "3")]
    parents: Vec<u64>,
    #[prost(uint64, repeated, tag = "4")]
    depends_on: Vec<u64>,
    #[prost(uint64, repeated, tag = "5")]
    waits_for: Vec<u64>,
    #[prost(uint64, tag = "6")]
    flavor: u64,
    #[prost(message, repeated, tag = "7")]
    attributes: Vec<RawAttribute>,
    #[prost(uint64, repeated, tag = "9")]
    depends_on_kinds: Vec<u64>,
    #[prost(uint64, repeated, tag = "10")]
    waits_for_kinds: Vec<u64>,
}

#[derive(Clone, PartialEq, prost::Message)]
struct RawAttribute {
    #[prost(bytes = "vec", tag = "1")]
    key: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

impl DebugLayer {
    /// Decodes a member. Damage becomes findings with the byte offset; what was read before it,
    /// and every record behind a damaged one, is kept.
    pub fn decode(member: &str, bytes: &[u8], limits: &Limits, findings: &mut Findings) -> Self {
        let mut layer = Self {
            member: member.to_owned(),
            kind: LayerKind::of_member(member),
            description: String::new(),
            parent_layer: None,
            engine_number: None,
            files: Vec::new(),
            records: Vec::new(),
            n_damaged: 0,
            used: 0,
            by_id: Vec::new(),
        };
        for field in Body::whole(0, bytes).fields() {
            let outcome = field.and_then(|field| {
                layer
                    .field(&field, limits, findings)
                    .map_err(|reason| WireError { at: field.at, reason })
            });
            if let Err(WireError { at, reason }) = outcome {
                let error = NeffError::DebugMember { member: member.to_owned(), at, reason };
                findings.push(Severity::Error, error.code(), error.place(), error.to_string());
                break;
            }
        }
        layer.by_id = (0..u32::try_from(layer.records.len()).unwrap_or(u32::MAX)).collect();
        let records = &layer.records;
        layer.by_id.sort_by_key(|index| records.get(*index as usize).map(|record| record.id));
        layer
    }

    /// Takes one field of the top level.
    fn field(
        &mut self,
        field: &Field<'_>,
        limits: &Limits,
        findings: &mut Findings,
    ) -> Result<(), String> {
        let body = match field.value {
            Value::Varint(number) => {
                if field.number == 4 {
                    self.engine_number = Some(number);
                }
                return Ok(());
            }
            Value::Bytes(body) if body.missing > 0 => {
                let have = body.bytes.len() as u64;
                let len = have.saturating_add(body.missing);
                return Err(format!("a length of {len} bytes, {have} are left"));
            }
            Value::Bytes(body) => body,
            Value::Fixed64(_) | Value::Fixed32(_) => return Ok(()),
        };
        match field.number {
            1 => self.description = body.text(),
            2 => self.parent_layer = Some(body.text()).filter(|name| !name.is_empty()),
            3 | 5 if self.used >= limits.debug_records => {
                return Err(format!(
                    "one more entry than the limit `debug_records` of {}",
                    limits.debug_records
                ));
            }
            3 => {
                let record = self.record(body.at, body.bytes, findings);
                // Lists and attributes take memory of their own.
                let numbers = record.parents.len() + record.depends_on.len();
                let numbers = numbers + record.waits_for.len() + record.depends_on_kinds.len();
                let numbers = numbers + record.waits_for_kinds.len();
                self.used += 1 + record.attributes.len() / 4 + numbers / 16;
                self.records.push(record);
            }
            5 => {
                self.used += 1;
                self.files.push(body.text());
            }
            _ => {}
        }
        Ok(())
    }

    fn record(&mut self, offset: u64, body: &[u8], findings: &mut Findings) -> DebugRecord {
        match RawRecord::decode(body) {
            Ok(raw) => DebugRecord {
                offset,
                id: raw.id,
                name: owned_text(raw.name),
                parents: raw.parents,
                depends_on: raw.depends_on,
                waits_for: raw.waits_for,
                flavor: raw.flavor,
                attributes: raw
                    .attributes
                    .into_iter()
                    .map(|attribute| (owned_text(attribute.key), owned_text(attribute.value)))
                    .collect(),
                depends_on_kinds: raw.depends_on_kinds,
                waits_for_kinds: raw.waits_for_kinds,
                is_damaged: false,
            },
            Err(error) => {
                self.n_damaged += 1;
                if self.n_damaged <= DAMAGED_RECORDS_LISTED {
                    findings.push(
                        Severity::Error,
                        "debug.record",
                        Place::member_at(self.member.clone(), offset),
                        format!("record {} cannot be decoded: {error}", self.records.len()),
                    );
                }
                DebugRecord { offset, is_damaged: true, ..DebugRecord::default() }
            }
        }
    }

    /// Indices of the records with an id, in file order.
    pub fn with_id(&self, id: u64) -> &[u32] {
        let id_of =
            |index: &u32| self.records.get(*index as usize).map_or(u64::MAX, |record| record.id);
        let start = self.by_id.partition_point(|index| id_of(index) < id);
        let tail = self.by_id.get(start..).unwrap_or(&[]);
        let len = tail.partition_point(|index| id_of(index) == id);
        tail.get(..len).unwrap_or(&[])
    }
}

/// The bytes as text, without copying where they are UTF-8; what is none becomes U+FFFD.
fn owned_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

/// Last component of a path of either style.
pub fn file_name_of(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

/// Layers that were decoded so far. Each member is decoded once, when it is first asked for.
#[derive(Clone, Debug, Default)]
pub struct DebugLayers {
    decoded: BTreeMap<String, Arc<DebugLayer>>,
    /// Entries that the decoded layers hold, charged against the limit `debug_records`.
    used: usize,
    /// Parent indices of a layer's records, by the layer's member and the one above it.
    pub(crate) links: BTreeMap<(String, String), Arc<Vec<u32>>>,
}

impl DebugLayers {
    /// Nothing decoded yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many of so many more entries may be kept; they are charged.
    pub(crate) fn charge(&mut self, wanted: usize, limits: &Limits) -> usize {
        let granted = wanted.min(limits.debug_records.saturating_sub(self.used));
        self.used += granted;
        granted
    }

    /// The layer in a member; `None` if the archive has no such member.
    pub fn layer(
        &mut self,
        package: &Package,
        member: &str,
        findings: &mut Findings,
    ) -> Option<Arc<DebugLayer>> {
        if let Some(layer) = self.decoded.get(member) {
            return Some(Arc::clone(layer));
        }
        let bytes = package.bytes(member).ok()?;
        let mut limits = *package.limits();
        limits.debug_records = limits.debug_records.saturating_sub(self.used);
        let layer = Arc::new(DebugLayer::decode(member, bytes, &limits, findings));
        self.used = self.used.saturating_add(layer.used);
        self.decoded.insert(member.to_owned(), Arc::clone(&layer));
        Some(layer)
    }
}

/// Member of a layer named in another one: in the subgraph's folder, then in `debug_info/`; under
/// the name itself or with `_sg` and digits behind it. Of several, the lowest number.
/// Spec: docs/format/debug-layers.md "Finding the next layer" [observed].
pub(crate) fn find_layer_member(
    package: &Package,
    prefix: &str,
    name: &str,
    findings: &mut Findings,
) -> Option<String> {
    for folder in [prefix, "debug_info/"] {
        let stem = format!("{folder}{name}");
        let mut found: Vec<(Option<u128>, &str)> = package
            .members()
            .iter()
            .filter_map(|member| {
                let suffix = member.name.strip_prefix(&stem)?;
                let number = match suffix.strip_prefix("_sg") {
                    Some(digits) if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
                        Some(digits.parse().ok()?)
                    }
                    _ if suffix.is_empty() => None,
                    _ => return None,
                };
                Some((number, member.name.as_str()))
            })
            .collect();
        found.sort();
        let Some((_, first)) = found.first() else { continue };
        if found.len() > 1 {
            findings.push(
                Severity::Warning,
                "debug.ambiguous-layer",
                Place::member((*first).to_owned()),
                format!("{} members fit the layer name `{name}`; this one is used", found.len()),
            );
        }
        return Some((*first).to_owned());
    }
    None
}
