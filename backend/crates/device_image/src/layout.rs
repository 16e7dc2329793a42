//! Regions and byte ranges of an engine's device image. No base address: placement gives that.

/// Size of a slot as a 64-bit number, for arithmetic on offsets.
pub const SLOT: u64 = records::SLOT_BYTES as u64;

/// A region of the image, in the order in which they lie in it.
/// Spec: docs/format/image.md "Regions" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Region {
    /// Synthesized slots before the program; the model-switch part is inside it.
    Preamble,
    /// Function 0 of the source, expanded.
    Main,
    /// Synthesized slots after the program.
    Postamble,
    /// Functions 1 and up of the source, expanded.
    Function,
}

impl Region {
    /// `PREAMBLE`, `MAIN`, `POSTAMBLE` or `FUNCTION`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Preamble => "PREAMBLE",
            Self::Main => "MAIN",
            Self::Postamble => "POSTAMBLE",
            Self::Function => "FUNCTION",
        }
    }

    /// Whether its slots come from source records.
    pub const fn is_source(self) -> bool {
        matches!(self, Self::Main | Self::Function)
    }
}

/// A run of bytes of an image.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ByteRange {
    /// First byte, from the image start.
    pub offset: u64,
    /// Number of bytes.
    pub size: u64,
}

impl ByteRange {
    /// The bytes from `start` up to, not including, `end`; empty if `end` lies before `start`.
    pub const fn between(start: u64, end: u64) -> Self {
        Self { offset: start, size: end.saturating_sub(start) }
    }

    /// One past the last byte.
    pub const fn end(self) -> u64 {
        self.offset.saturating_add(self.size)
    }

    /// Whether the byte is inside.
    pub const fn contains(self, byte: u64) -> bool {
        byte >= self.offset && byte < self.end()
    }

    /// First slot of the range, counted from the image start.
    pub const fn first_slot(self) -> u64 {
        self.offset / SLOT
    }

    /// Number of whole slots.
    pub const fn slots(self) -> u64 {
        self.size / SLOT
    }
}

/// The resolved ranges of an image, as the runtime keeps them for its trace reader.
/// Spec: docs/format/image.md "Ranges" [observed].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct ImageRanges {
    /// PREAMBLE, from 0.
    pub preamble: ByteRange,
    /// Part of the preamble up to the program start.
    pub model_switch: ByteRange,
    /// MAIN.
    pub core: ByteRange,
    /// FUNCTION section; size 0 if there is only function 0.
    pub functions: ByteRange,
    /// Bytes of the whole image.
    pub image_bytes: u64,
}

impl ImageRanges {
    /// POSTAMBLE: from the end of MAIN to the function section, or to the image end.
    pub const fn postamble(&self) -> ByteRange {
        let end = if self.functions.size > 0 { self.functions.offset } else { self.image_bytes };
        ByteRange::between(self.core.end(), end)
    }

    /// The bytes of a region.
    pub const fn of(&self, region: Region) -> ByteRange {
        match region {
            Region::Preamble => self.preamble,
            Region::Main => self.core,
            Region::Postamble => self.postamble(),
            Region::Function => self.functions,
        }
    }

    /// The region of a byte of the image; `None` past its end.
    pub fn region_at(&self, byte: u64) -> Option<Region> {
        if byte >= self.image_bytes {
            return None;
        }
        [Region::Main, Region::Function, Region::Preamble, Region::Postamble]
            .into_iter()
            .find(|&region| self.of(region).contains(byte))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// PREAMBLE 2 slots, MAIN 4, POSTAMBLE 2, FUNCTION 5.
    #[test]
    fn ranges_tile_the_image() {
        let ranges = ImageRanges {
            preamble: ByteRange { offset: 0, size: 0x80 },
            model_switch: ByteRange { offset: 0, size: 0x40 },
            core: ByteRange { offset: 0x80, size: 0x100 },
            functions: ByteRange { offset: 0x200, size: 0x140 },
            image_bytes: 0x340,
        };
        assert_eq!(ranges.postamble(), ByteRange { offset: 0x180, size: 0x80 });
        let at = |byte| ranges.region_at(byte);
        assert_eq!(at(0x7F), Some(Region::Preamble));
        assert_eq!(at(0x80), Some(Region::Main));
        assert_eq!(at(0x180), Some(Region::Postamble));
        assert_eq!(at(0x200), Some(Region::Function));
        assert_eq!(at(0x340), None);
    }
}
