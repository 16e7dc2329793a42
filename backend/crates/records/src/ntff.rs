//! The 128-byte head of a capture (NTFF), and the numbers that name its queues.
//!
//! Layout only: which versions are read is the business of the `neff` crate.

use std::mem::offset_of;

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::error::{ByteSpan, DecodeError, DecodeErrorKind};

/// Size of the head, in bytes. The protobuf message starts right behind it.
/// Spec: docs/format/ntff.md "Head" [observed].
pub const NTFF_HEAD_BYTES: usize = 128;

/// Largest length of the message that the head can hold: 56 bits.
/// Spec: docs/format/ntff.md "Head" [observed].
pub const MAX_PROTOBUF_BYTES: u64 = (1 << 56) - 1;

/// The head as it lies in the file. Any 128 bytes are a head; nothing is checked here.
/// Spec: docs/format/ntff.md "Head" [observed].
#[derive(Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned)]
#[repr(C)]
pub struct RawNtffHead {
    /// Version of the format, 4 or 5 in every known file.
    pub version: u8,
    /// Length of the message, 56 bits.
    protobuf_bytes: [u8; 7],
    /// Version 4: whatever was in the writer's memory. Private, so that nobody shows it.
    rest: [u8; 120],
}

const _: () = {
    assert!(size_of::<RawNtffHead>() == NTFF_HEAD_BYTES);
    assert!(offset_of!(RawNtffHead, version) == 0x00);
    assert!(offset_of!(RawNtffHead, protobuf_bytes) == 0x01);
    assert!(offset_of!(RawNtffHead, rest) == 0x08);
};

impl RawNtffHead {
    /// A head with zeros behind the length. `None` for a length above [`MAX_PROTOBUF_BYTES`].
    pub fn new(version: u8, protobuf_bytes: u64) -> Option<Self> {
        let [length @ .., top] = protobuf_bytes.to_le_bytes();
        (top == 0).then_some(Self { version, protobuf_bytes: length, rest: [0; 120] })
    }

    /// Views the start of a file as a head, without copying. Fails when fewer than 128 bytes are
    /// there.
    pub fn ref_from_file(bytes: &[u8]) -> Result<&Self, DecodeError> {
        Self::ref_from_prefix(bytes).map(|(head, _)| head).map_err(|_| DecodeError {
            at: ByteSpan::of(0, bytes.len() as u64),
            what: "NTFF head",
            kind: DecodeErrorKind::TooShort {
                need: NTFF_HEAD_BYTES as u64,
                have: bytes.len() as u64,
            },
        })
    }

    /// Length of the protobuf message in bytes, at most [`MAX_PROTOBUF_BYTES`].
    pub fn protobuf_bytes(&self) -> u64 {
        let [a, b, c, d, e, f, g] = self.protobuf_bytes;
        u64::from_le_bytes([a, b, c, d, e, f, g, 0])
    }

    /// The 128 bytes, for writing them back. What follows byte 7 is never shown to anyone.
    pub fn bytes(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl std::fmt::Debug for RawNtffHead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("RawNtffHead")
            .field("version", &self.version)
            .field("protobuf_bytes", &self.protobuf_bytes())
            .finish_non_exhaustive()
    }
}

/// What a notification queue, and so a slice of the tail, holds. Values without a name are kept.
/// Spec: docs/format/ntff.md "Slices" [observed].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueType(pub u64);

impl QueueType {
    /// Starts and ends of instructions.
    pub const TRACE: Self = Self(0);
    /// Changes of semaphores and events.
    pub const NOTIFY: Self = Self(1);
    /// Errors; always empty in known files.
    pub const ERROR: Self = Self(2);
    /// Transfers of DMA rings.
    pub const DMA_TRACE: Self = Self(4);
    /// Throttling.
    pub const THROTTLE: Self = Self(5);

    /// `trace notify error dma_trace throttle`; `None` for any other value.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::TRACE => Some("trace"),
            Self::NOTIFY => Some("notify"),
            Self::ERROR => Some("error"),
            Self::DMA_TRACE => Some("dma_trace"),
            Self::THROTTLE => Some("throttle"),
            _ => None,
        }
    }
}

/// Which block a notification queue belongs to. Values without a name are kept.
/// Spec: docs/format/ntff.md "Slices" [observed].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct QueueSource(pub u64);

impl QueueSource {
    /// The core with its five engines.
    pub const CORE: Self = Self(0);
    /// The DMA engines.
    pub const DMA: Self = Self(1);
    /// The collectives processor.
    pub const TOP_SP: Self = Self(2);

    /// `core dma top_sp`; `None` for any other value.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::CORE => Some("core"),
            Self::DMA => Some("dma"),
            Self::TOP_SP => Some("top_sp"),
            _ => None,
        }
    }
}

/// What a DMA ring carries. Values without a name are kept.
/// Spec: docs/format/ntff.md "Rings" [observed].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RingKind(pub u64);

impl RingKind {
    /// Tables and switches of the runtime; the field is absent.
    pub const RUNTIME: Self = Self(0);
    /// A queue of type "data".
    pub const DATA: Self = Self(2);
    /// A queue of type "in".
    pub const IN: Self = Self(3);

    /// `runtime data in`; `None` for any other value.
    pub const fn name(self) -> Option<&'static str> {
        match self {
            Self::RUNTIME => Some("runtime"),
            Self::DATA => Some("data"),
            Self::IN => Some("in"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_table_of_values_and_bytes_both_ways() {
        for (version, length, bytes) in [
            (4, 0, [4, 0, 0, 0, 0, 0, 0, 0]),
            (5, 0x0012_3456, [5, 0x56, 0x34, 0x12, 0, 0, 0, 0]),
            (5, MAX_PROTOBUF_BYTES, [5, 255, 255, 255, 255, 255, 255, 255]),
            (6, 0x0102_0304_0506_0708 >> 8, [6, 7, 6, 5, 4, 3, 2, 1]),
        ] {
            let head = RawNtffHead::new(version, length).unwrap();
            assert_eq!(head.bytes()[..8], bytes);
            assert!(head.bytes()[8..].iter().all(|byte| *byte == 0));
            let read = RawNtffHead::ref_from_file(head.bytes()).unwrap();
            assert_eq!((read.version, read.protobuf_bytes()), (version, length));
        }
        assert_eq!(RawNtffHead::new(5, MAX_PROTOBUF_BYTES + 1), None);
    }

    #[test]
    fn garbage_is_not_printed() {
        let bytes = [0x5A; NTFF_HEAD_BYTES];
        let text = format!("{:?}", RawNtffHead::ref_from_file(&bytes).unwrap());
        assert_eq!(text, "RawNtffHead { version: 90, protobuf_bytes: 25432092013386330, .. }");
    }

    #[test]
    fn short_input_says_how_short() {
        let error = RawNtffHead::ref_from_file(&[0; 127]).unwrap_err();
        assert_eq!(error.kind, DecodeErrorKind::TooShort { need: 128, have: 127 });
    }

    #[test]
    fn numbers_without_a_name_are_kept() {
        assert_eq!((QueueType(3).name(), QueueType::DMA_TRACE.name()), (None, Some("dma_trace")));
        assert_eq!((QueueSource(3).name(), QueueSource::TOP_SP.name()), (None, Some("top_sp")));
        assert_eq!((RingKind(1).name(), RingKind::IN.name()), (None, Some("in")));
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_round_trip(bytes in proptest::collection::vec(proptest::num::u8::ANY, 128)) {
            let head = RawNtffHead::ref_from_file(&bytes).unwrap();
            proptest::prop_assert_eq!(head.bytes(), &bytes[..]);
        }
    }
}
