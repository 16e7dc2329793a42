//! The instruction block of one engine: a header, and the code right behind it.

use zerocopy::little_endian::U32;

use super::Form;
use super::names::ENGINE_TYPE;
use crate::error::DecodeError;
use crate::slot::SLOT_BYTES;

/// Bytes of the header in front of the code.
pub const ENGINE_HEADER_BYTES: usize = 320;

kbin_record! {
    /// Header of an instruction block. The copy of the code takes all its bytes; the count has
    /// whole records only.
    /// Spec: docs/format/kbin.md "Instruction block" [observed].
    RawEngine 320 "kbin_engine_t" "Instruction block" {
        0 eng_type: U32 = Form::Name(&ENGINE_TYPE), Observed Observed "" "engine; the only sure sign of which block this is";
        4 name: [u8; 256] = Form::Text, Observed Observed "" "key in the definition, at most 255 bytes";
        260 ninstr: U32 = Form::Dec, Observed Observed "records" "code bytes divided by 64, rounded down";
        264 pad_264: [u8; 56] = Form::Padding, Observed Observed "" "padding";
    }
}

/// An instruction block with its code.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EngineBlock<'a> {
    /// The header.
    pub header: &'a RawEngine,
    /// Everything behind it, whole records and what is left over.
    pub code: &'a [u8],
}

impl<'a> EngineBlock<'a> {
    /// Reads a block from its bytes. Errors if the header is cut off.
    pub fn of(bytes: &'a [u8]) -> Result<Self, DecodeError> {
        RawEngine::of(bytes).map(|(header, code)| Self { header, code })
    }

    /// Bytes behind the last whole record, 0 to 63; they are there and not counted.
    pub fn uncounted_bytes(&self) -> usize {
        self.code.len() % SLOT_BYTES
    }
}
