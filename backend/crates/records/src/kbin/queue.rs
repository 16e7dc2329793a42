//! DMA queues and the instances of their rings.

use zerocopy::FromBytes;
use zerocopy::little_endian::{U32, U64};

use super::Form;
use super::descriptor::RawDescriptor;
use super::names::{ENGINE_TYPE, RING_TYPE};
use crate::error::{ByteSpan, DecodeError, DecodeErrorKind};

/// Bytes of the header in front of the pointers to ring instances.
pub const DMA_BYTES: usize = 296;
/// Bytes of the header in front of the descriptors.
pub const RING_INSTANCE_BYTES: usize = 264;
/// Semaphores that a queue may have.
/// Spec: docs/format/kbin.md "Queue" [observed].
pub const MAX_SEMAPHORES: usize = 32;

kbin_record! {
    /// Header of a queue.
    /// Spec: docs/format/kbin.md "Queue" [observed].
    RawDma 296 "kbin_dma_t" "Queue" {
        0 ring_type: U32 = Form::Name(&RING_TYPE), Observed File "" "what the ring is for";
        4 owner: U32 = Form::Name(&ENGINE_TYPE), Observed File "" "engine that triggers it";
        8 queue_set_cnt: U32 = Form::Dec, Observed Inferred "" "hardware queues of the set";
        12 semaphore_cnt: U32 = Form::Dec, Observed Observed "" "semaphores, at most 32";
        16 semaphores: [U32; 32] = Form::DecArray(4), Observed File "" "semaphores that ends of blocks raise";
        144 pseudo_serialization_semaphore_cnt: U32 = Form::Dec, Observed Inferred "" "semaphores that keep blocks in order, at most 32";
        148 pseudo_serialization_semaphores: [U32; 32] = Form::DecArray(4), Observed Inferred "" "those semaphores";
        276 dge_sb_scratch_addr: U32 = Form::Dec, Observed File "bytes" "scratch of descriptor generation, in a partition";
        280 dge_sb_scratch_size: U32 = Form::Dec, Observed File "bytes" "its size, in a partition";
        284 flags: U32 = Form::Hex, Observed Modelled "" "flags; their bits are not published";
        288 ring_instance_count: U32 = Form::Dec, Observed Observed "" "ring instances";
        292 pad_292: [u8; 4] = Form::Padding, Observed Observed "" "padding";
    }
}

kbin_record! {
    /// Header of a ring instance.
    /// Spec: docs/format/kbin.md "Ring instance" [observed].
    RawRingInstance 264 "kbin_dma_ring_instance_t" "Ring instance" {
        0 name: [u8; 256] = Form::Text, Observed File "" "name, at most 255 bytes";
        256 ndesc: U32 = Form::Dec, Observed Observed "" "descriptors";
        260 pad_260: [u8; 4] = Form::Padding, Observed Observed "" "padding";
    }
}

/// A queue with its pointers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DmaQueue<'a> {
    /// The header.
    pub header: &'a RawDma,
    /// Pointers to the ring instances.
    pub ring_instances: &'a [U64],
}

impl<'a> DmaQueue<'a> {
    /// Reads a queue. Errors if it has fewer pointers than its header counts.
    pub fn of(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (header, rest) = RawDma::of(bytes)?;
        let count = header.ring_instance_count.get();
        let read = usize::try_from(count)
            .ok()
            .and_then(|count| <[U64]>::ref_from_prefix_with_elems(rest, count).ok());
        let (ring_instances, _) = read.ok_or(DecodeError {
            at: ByteSpan::of(DMA_BYTES as u64, rest.len() as u64),
            what: "ring_instances",
            kind: DecodeErrorKind::TooShort { need: u64::from(count) * 8, have: rest.len() as u64 },
        })?;
        Ok(Self { header, ring_instances })
    }
}

/// A ring instance with its descriptors.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RingInstance<'a> {
    /// The header.
    pub header: &'a RawRingInstance,
    /// The descriptors.
    pub desc: &'a [RawDescriptor],
}

impl<'a> RingInstance<'a> {
    /// Reads an instance. Errors if it has fewer descriptors than its header counts.
    pub fn of(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        let (header, rest) = RawRingInstance::of(bytes)?;
        let (desc, _) = RawDescriptor::list(rest, u64::from(header.ndesc.get()))?;
        Ok(Self { header, desc })
    }
}
