//! DMA queues of `def.json`.

use records::Engine;

use crate::diagnostic::Severity;
use crate::json::Node;
use crate::reader::{Extra, Reader};

/// Type of a descriptor ring, by its number in device records.
/// Spec: docs/format/documents.md "Queues" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RingType(pub u32);

impl RingType {
    /// Model ring; `dynamic` queues are taken for it.
    pub const MODEL: Self = Self(5);
    /// `data`.
    pub const DATA: Self = Self(6);
    /// `in`.
    pub const IN: Self = Self(7);
    /// `out`.
    pub const OUT: Self = Self(8);
    /// `data` with `indirect_memcpy`.
    pub const INDIRECT_MEMCPY: Self = Self(9);
    /// `act_load`.
    pub const DYNAMIC_ACT_TBL: Self = Self(11);
    /// `embedding_update`.
    pub const EMBEDDING_UPDATE: Self = Self(15);

    const NAMES: [&'static str; 19] = [
        "ENG",
        "H2T",
        "H2T_SERVICE",
        "H2T_COPY",
        "COLLECTIVES",
        "MODEL",
        "DATA",
        "IN",
        "OUT",
        "INDIRECT_MEMCPY",
        "ACT_TBL",
        "DYNAMIC_ACT_TBL",
        "DVE_TBL",
        "IOQ_SWITCHER",
        "TOPSP_INIT",
        "EMBEDDING_UPDATE",
        "CUSTOM_OP",
        "GENERIC",
        "LAST",
    ];

    /// Name of the number; `None` above 18.
    pub fn name(self) -> Option<&'static str> {
        Self::NAMES.get(usize::try_from(self.0).ok()?).copied()
    }
}

/// One DMA queue.
#[derive(Clone, Debug, PartialEq)]
pub struct Queue {
    /// Name.
    pub name: String,
    /// Offset of its object in the member.
    pub offset: u64,
    /// Owning engine; absent in the oldest files and where the text is no engine.
    pub owner: Option<Engine>,
    /// Owner as written.
    pub owner_text: Option<String>,
    /// Type text as written; empty if absent.
    pub kind_text: String,
    /// Ring type; `None` for an unknown type text.
    pub ring_type: Option<RingType>,
    /// Whether the ring type is inferred rather than observed: true for `dynamic`.
    pub ring_type_inferred: bool,
    /// Ring instances.
    pub num_queues: Option<u32>,
    /// Semaphore ids: `semaphore_set`, or the one `semaphore`.
    pub semaphores: Vec<u32>,
    /// `semaphore` where there is a `semaphore_set` too, which counts.
    pub unread_semaphore: Option<u32>,
    /// `indirect_memcpy`.
    pub indirect_memcpy: bool,
    /// Scratch area of descriptor generation.
    pub dynamic_dma: Option<DynamicDma>,
    /// `embedding_update_sync_semaphore`.
    pub embedding_update_sync_semaphore: Option<u32>,
    /// `fabric_path`.
    pub fabric_path: Option<String>,
    /// Other keys (`queue_instances`, `pinned`, `dge` among them).
    pub extra: Extra,
}

impl Queue {
    /// Names of the instances that `queue_instances` lists: an array of names or of objects with
    /// one, or an object keyed by name.
    pub fn instances(&self) -> Vec<&str> {
        match self.extra.get("queue_instances") {
            Some(serde_json::Value::Array(items)) => items
                .iter()
                .filter_map(|item| item.as_str().or_else(|| item.get("name")?.as_str()))
                .collect(),
            Some(serde_json::Value::Object(keyed)) => keyed.keys().map(String::as_str).collect(),
            _ => Vec::new(),
        }
    }
}

/// State-buffer area in which a queue generates its descriptors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DynamicDma {
    /// Byte offset in a partition.
    pub scratch_partition_offset: Option<u64>,
    /// Bytes in a partition.
    pub scratch_partition_size: Option<u64>,
    /// Other keys.
    pub extra: Extra,
}

impl Queue {
    /// Whether descriptors are generated on the device: type `dynamic`.
    pub fn is_dynamic(&self) -> bool {
        self.kind_text == "dynamic"
    }

    /// Reads one queue. An unknown type or owner is a finding; the queue stays.
    pub fn read(name: String, node: Node<'_>, reader: &mut Reader<'_>) -> Option<Self> {
        let what = format!("queue `{name}`");
        let mut fields = reader.object(node, &what)?;
        let at = fields.offset();
        let owner_text = reader.text(&mut fields, "owner");
        let owner = owner_text.as_deref().and_then(|text| text.parse().ok());
        if let (Some(text), None) = (&owner_text, owner) {
            let message = format!("{what} has the owner `{text}`, expected pe act pool dve or sp");
            reader.report(Severity::Error, "queue.owner", at, message);
        }
        let kind_text = reader.text(&mut fields, "type").unwrap_or_default();
        let indirect_memcpy = match fields.peek("indirect_memcpy") {
            // Seen as a flag; as an object it holds the details and its presence is the flag.
            Some(node) if node.text().starts_with('{') => true,
            Some(node) => node.as_bool().unwrap_or(node.as_u64().unwrap_or(0) != 0),
            None => false,
        };
        let ring_type = match kind_text.as_str() {
            "in" => Some(RingType::IN),
            "out" => Some(RingType::OUT),
            "data" if indirect_memcpy => Some(RingType::INDIRECT_MEMCPY),
            "data" => Some(RingType::DATA),
            "act_load" => Some(RingType::DYNAMIC_ACT_TBL),
            "embedding_update" => Some(RingType::EMBEDDING_UPDATE),
            "dynamic" => Some(RingType::MODEL),
            _ => None,
        };
        if ring_type.is_none() {
            let message = if kind_text.is_empty() {
                format!("{what} has no type")
            } else {
                format!("{what} has the unknown type `{kind_text}`")
            };
            reader.report(Severity::Error, "queue.type", at, message);
        }
        let mut semaphores = reader.u32_list(&mut fields, "semaphore_set").unwrap_or_default();
        let one = reader.u32(&mut fields, "semaphore");
        let unread_semaphore = one.filter(|_| !semaphores.is_empty());
        if semaphores.is_empty() {
            semaphores.extend(one);
        }
        Some(Self {
            offset: at,
            owner,
            owner_text,
            ring_type,
            ring_type_inferred: kind_text == "dynamic",
            kind_text,
            num_queues: reader.u32(&mut fields, "num_queues"),
            semaphores,
            unread_semaphore,
            indirect_memcpy,
            dynamic_dma: fields
                .take("dynamic_dma")
                .and_then(|node| reader.object(node, "`dynamic_dma`"))
                .map(|mut fields| DynamicDma {
                    scratch_partition_offset: reader
                        .u64(&mut fields, "SB_scratch_partition_offset"),
                    scratch_partition_size: reader.u64(&mut fields, "SB_scratch_partition_size"),
                    extra: reader.rest(fields),
                }),
            embedding_update_sync_semaphore: reader
                .u32(&mut fields, "embedding_update_sync_semaphore"),
            fabric_path: reader.text(&mut fields, "fabric_path"),
            name,
            extra: reader.rest(fields),
        })
    }
}
