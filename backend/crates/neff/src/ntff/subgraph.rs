//! What a capture holds of one core: images, patch rows, slices of the tail, rings.
//! Spec: docs/format/ntff.md "Subgraph" and "Rings" [observed].

use std::collections::BTreeMap;

use records::ntff::{QueueSource, QueueType, RingKind};
use records::{ByteSpan, DeviceAddr, Engine, PatchRow, PatchSection, PatchType};

use crate::ntff::clock::Clocks;
use crate::ntff::memory::MemoryUse;

/// One captured core.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SubgraphCapture {
    /// Name, `sg00`; empty if the file has none.
    pub name: String,
    /// Place of the message in the file.
    pub at: u64,
    /// Physical core; absent in version 4, which knows core 0 only.
    pub core: Option<u64>,
    /// Device images, in stored order.
    pub images: Vec<CapturedImage>,
    /// Patch lists, in stored order.
    pub patches: Vec<PatchList>,
    /// Slices of the tail, in stored order.
    pub slices: Vec<Slice>,
    /// Rings of the DMA queues, in stored order.
    pub rings: Vec<Ring>,
    /// Clocks.
    pub clocks: Clocks,
    /// Device memory by category.
    pub memory: Vec<MemoryUse>,
    /// Execution time in picoseconds.
    pub execution_ps: Option<u64>,
    /// Whether the empty field 15 is there.
    pub has_field_15: bool,
}

/// Image of one engine. The bytes stay in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CapturedImage {
    /// Engine code as stored.
    pub engine_code: u64,
    /// Device address of the first slot.
    pub base: DeviceAddr,
    /// Place of the bytes in the file; empty if the field is absent.
    pub bytes: ByteSpan,
    /// Bytes that the file announces but does not have.
    pub missing_bytes: u64,
}

impl CapturedImage {
    /// Engine; `None` for an unknown code.
    pub fn engine(&self) -> Option<Engine> {
        engine_of(self.engine_code)
    }

    /// Whether it is a whole number of slots and all of it is there.
    pub fn is_whole(&self) -> bool {
        self.missing_bytes == 0 && self.bytes.len().is_multiple_of(records::SLOT_BYTES as u64)
    }
}

/// Patch rows of one engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchList {
    /// Engine code as stored.
    pub engine_code: u64,
    /// Rows, in stored order.
    pub rows: Vec<CapturedRow>,
}

impl PatchList {
    /// Engine; `None` for an unknown code.
    pub fn engine(&self) -> Option<Engine> {
        engine_of(self.engine_code)
    }

    /// The rows as an image has them. Their section means nothing yet: a capture stores none.
    /// `None` if a number does not fit 32 bits.
    pub fn patch_rows(&self) -> Option<Vec<PatchRow>> {
        self.rows.iter().map(CapturedRow::patch_row).collect()
    }
}

/// One patch row as stored.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CapturedRow {
    /// Bytes from the start of the image.
    pub offset: u64,
    /// Slots (INSERT) or source records (DELETE).
    pub count: u64,
    /// Number of the [`PatchType`]; 0, INSERT, if absent.
    pub kind: u64,
}

impl CapturedRow {
    /// The row with a section that means nothing; `None` if a number does not fit 32 bits.
    pub fn patch_row(&self) -> Option<PatchRow> {
        Some(PatchRow {
            offset: u32::try_from(self.offset).ok()?,
            count: u32::try_from(self.count).ok()?,
            kind: PatchType(u32::try_from(self.kind).ok()?),
            section: PatchSection::PREAMBLE,
        })
    }

    /// `INSERT`, `MODIFY` or `DELETE`; `None` for any other number.
    pub fn kind_name(&self) -> Option<&'static str> {
        u32::try_from(self.kind).ok().and_then(|kind| PatchType(kind).name())
    }
}

/// A run of records in the tail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// What it holds.
    pub queue: QueueType,
    /// Block it comes from.
    pub source: QueueSource,
    /// Offset from the start of the tail, as stored.
    pub offset: u64,
    /// Bytes, as stored.
    pub bytes: u64,
    /// Place of the field in the file.
    pub at: u64,
    /// The whole records of it that are there and belong to no other slice: place in the file.
    pub records: ByteSpan,
}

impl Slice {
    /// Records that are there.
    pub fn n_records(&self) -> u64 {
        self.records.len() / records::trace_record::TRACE_RECORD_BYTES as u64
    }
}

/// One of the 16 rings of a queue.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ring {
    /// DMA engine: 16 times the core plus the number on the core.
    pub engine: u64,
    /// Queue number.
    pub queue: u64,
    /// Kind.
    pub kind: RingKind,
    /// Name of the queue.
    pub name: String,
    /// Field 5, -1 in known files. Its meaning is unknown.
    pub field_5: Option<i64>,
    /// Field 7, 2 in version 5: fits the memory channel (inferred).
    pub field_7: Option<u64>,
    /// Blocks, in stored order, which is arbitrary.
    pub blocks: Vec<RingBlock>,
}

/// Descriptors of one block on one ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RingBlock {
    /// Block id.
    pub id: u64,
    /// Packets.
    pub packets: u64,
    /// Descriptors of the read side.
    pub read: u64,
    /// Descriptors of the write side.
    pub write: u64,
}

impl SubgraphCapture {
    /// The image of an engine, the first one if there are several.
    pub fn image(&self, engine: Engine) -> Option<&CapturedImage> {
        self.images.iter().find(|image| image.engine() == Some(engine))
    }

    /// The patch list of an engine, the first one if there are several.
    pub fn patch_list(&self, engine: Engine) -> Option<&PatchList> {
        self.patches.iter().find(|list| list.engine() == Some(engine))
    }

    /// Descriptor counts of all blocks, to be asked by queue and block. All rings of a queue have
    /// the same counts in known files; those of its first ring are taken.
    pub fn block_table(&self) -> BlockTable<'_> {
        let mut table = BlockTable::default();
        for ring in &self.rings {
            table.queues.entry(&ring.name).or_insert_with(|| {
                let mut blocks: Vec<&RingBlock> = ring.blocks.iter().collect();
                blocks.sort_by_key(|block| block.id);
                blocks
            });
        }
        table
    }
}

/// Blocks by queue name and block id.
#[derive(Clone, Debug, Default)]
pub struct BlockTable<'a> {
    queues: BTreeMap<&'a str, Vec<&'a RingBlock>>,
}

impl BlockTable<'_> {
    /// A block of a queue; of several with one id the first one.
    pub fn block(&self, queue: &str, id: u64) -> Option<RingBlock> {
        let blocks = self.queues.get(queue)?;
        let index = blocks.partition_point(|block| block.id < id);
        blocks.get(index).filter(|block| block.id == id).map(|block| **block)
    }
}

fn engine_of(code: u64) -> Option<Engine> {
    u8::try_from(code).ok().and_then(Engine::from_code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_convert_when_they_fit() {
        let row = CapturedRow { offset: 0x1180, count: 1, kind: 2 };
        let expected = PatchRow {
            offset: 0x1180,
            count: 1,
            kind: PatchType::DELETE,
            section: PatchSection::PREAMBLE,
        };
        assert_eq!((row.patch_row(), row.kind_name()), (Some(expected), Some("DELETE")));
        let large = CapturedRow { offset: 1 << 32, ..row };
        assert_eq!(large.patch_row(), None);
        let list = PatchList { engine_code: 0, rows: vec![row, large] };
        assert_eq!((list.engine(), list.patch_rows()), (Some(Engine::Pe), None));
        assert_eq!(CapturedRow { kind: 1 << 32, ..row }.kind_name(), None);
    }

    #[test]
    fn blocks_are_found_by_queue_and_id() {
        let block = |id, read| RingBlock { id, packets: 1, read, write: 9 };
        let ring = |name: &str, blocks| Ring { name: name.to_owned(), blocks, ..Ring::default() };
        let subgraph = SubgraphCapture {
            rings: vec![
                ring("q", vec![block(7, 70), block(0, 1), block(3, 30)]),
                ring("q", vec![block(9, 90)]),
                ring("other", vec![]),
            ],
            ..SubgraphCapture::default()
        };
        let table = subgraph.block_table();
        assert_eq!(table.block("q", 0), Some(block(0, 1)));
        assert_eq!(table.block("q", 7), Some(block(7, 70)));
        assert_eq!(table.block("q", 9), None);
        assert_eq!(table.block("other", 0), None);
        assert_eq!(table.block("none", 0), None);
    }
}
