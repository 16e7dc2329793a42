//! What an allocation is for, and the category that the driver counts it under.

/// Usage type of an allocation, 0 to 22. The numbers are also those of the memory categories in
/// captures of runtimes from 2.25 on.
/// Spec: docs/format/memory.md "Usage and categories" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Usage(pub u32);

/// Category of the driver, 0 to 20; 20 means "not allowed here".
/// Spec: docs/format/memory.md "Usage and categories" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Category(pub u8);

/// Name, host category, device category, column of the usage report.
type Row = (&'static str, u8, u8, u8);

const USAGES: [Row; 23] = [
    ("GENERIC", 4, 12, 5),
    ("INSTR_PE", 1, 8, 0),
    ("INSTR_ACT", 1, 8, 0),
    ("INSTR_POOL", 4, 12, 5),
    ("IO", 1, 8, 5),
    ("DRAM_SPILL", 4, 12, 1),
    ("WEIGHT", 3, 10, 11),
    ("NOTIFICATION", 6, 16, 5),
    ("ACT_TABLE", 4, 12, 0),
    ("INSTR_DVE", 1, 8, 0),
    ("INSTR_SP", 1, 8, 3),
    ("SCRATCHPAD", 20, 11, 2),
    ("TENSOR", 2, 9, 0),
    ("UCODE_LIB", 1, 8, 5),
    ("POOL_STDIO", 4, 12, 10),
    ("CC", 20, 14, 4),
    ("SCRATCHPAD_NOT_SHARED", 20, 15, 5),
    ("XT_CC", 4, 12, 9),
    ("DMA_RING", 17, 18, 7),
    ("DMA_RING_SPILL", 17, 18, 6),
    ("DMA_RING_IO", 17, 18, 8),
    ("DMA_RING_COLLECTIVES", 17, 18, 0),
    ("MAX", 0, 0, 0),
];

const CATEGORIES: [&str; 21] = [
    "UNKNOWN_HOST",
    "CODE_HOST",
    "TENSORS_HOST",
    "CONSTANTS_HOST",
    "MISC_HOST",
    "NCDEV_HOST",
    "NOTIFICATION_HOST",
    "UNKNOWN_DEVICE",
    "CODE_DEVICE",
    "TENSORS_DEVICE",
    "CONSTANTS_DEVICE",
    "SCRATCHPAD_DEVICE",
    "MISC_DEVICE",
    "NCDEV_DEVICE",
    "COLLECTIVES_DEVICE",
    "SCRATCHPAD_NONSHARED_DEVICE",
    "NOTIFICATION_DEVICE",
    "DMA_RINGS_HOST",
    "DMA_RINGS_DEVICE",
    "CONTIGUOUS_SCRATCHPAD_DEVICE",
    "MAX",
];

impl Usage {
    /// Contents of a file.
    pub const WEIGHT: Self = Self(6);
    /// Tables of the activation engine.
    pub const ACT_TABLE: Self = Self(8);
    /// A scratchpad page.
    pub const SCRATCHPAD: Self = Self(11);
    /// A model input or output.
    pub const TENSOR: Self = Self(12);
    /// A temporary buffer of its own.
    pub const SCRATCHPAD_NOT_SHARED: Self = Self(16);

    /// All usages but the end marker.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..22).map(Self)
    }

    fn row(self) -> Option<&'static Row> {
        USAGES.get(usize::try_from(self.0).ok()?)
    }

    /// The name; `None` for a number without one.
    pub fn name(self) -> Option<&'static str> {
        self.row().map(|row| row.0)
    }

    /// The words that captures use for it, for example `shared scratchpad`.
    pub fn words(self) -> Option<&'static str> {
        // The table of the runtime whose captures name every number.
        let runtime = neff::ntff::RuntimeVersion { major: 2, minor: 27, ..Default::default() };
        neff::ntff::category_name(&runtime, u64::from(self.0)).map(|(name, _)| name)
    }

    /// Category of an allocation in host memory; `None` where it is not allowed, or unknown.
    pub fn host_category(self) -> Option<Category> {
        self.row().map(|row| Category(row.1)).filter(|category| *category != Category::MAX)
    }

    /// Category of an allocation in device memory; `None` where it is not allowed, or unknown.
    pub fn device_category(self) -> Option<Category> {
        self.row().map(|row| Category(row.2)).filter(|category| *category != Category::MAX)
    }

    /// Column of the runtime's usage report. The table fits the names badly and is kept as it is.
    /// Spec: docs/format/memory.md "Usage and categories" [inferred].
    pub fn report_column(self) -> Option<u8> {
        self.row().map(|row| row.3)
    }

    /// Usage of a variable that is placed when a model is loaded: 16 for temporary ones, else 6.
    /// Spec: docs/format/memory.md "Placement of variables" [observed].
    pub const fn of_staged(mem_ref_type: u32) -> Self {
        if mem_ref_type.wrapping_sub(4) & 0xFFFF_FFFB == 0 {
            Self::SCRATCHPAD_NOT_SHARED
        } else {
            Self::WEIGHT
        }
    }
}

impl Category {
    /// Not allowed.
    pub const MAX: Self = Self(20);
    /// The one region of a contiguous scratchpad.
    pub const CONTIGUOUS_SCRATCHPAD_DEVICE: Self = Self(19);

    /// The name; `None` for a number without one.
    pub fn name(self) -> Option<&'static str> {
        CATEGORIES.get(usize::from(self.0)).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_bytes_of_the_category_tables() {
        let device: Vec<u8> = USAGES.iter().map(|row| row.2).collect();
        assert_eq!(
            device,
            [12, 8, 8, 12, 8, 12, 10, 16, 12, 8, 8, 11, 9, 8, 12, 14, 15, 12, 18, 18, 18, 18, 0]
        );
        let barred: Vec<u32> =
            (0..23).filter(|usage| Usage(*usage).host_category().is_none()).collect();
        assert_eq!(barred, [11, 15, 16]);
        assert_eq!(
            Usage::WEIGHT.device_category().and_then(Category::name),
            Some("CONSTANTS_DEVICE")
        );
        assert_eq!(Usage(23).device_category(), None);
        assert_eq!(Usage::SCRATCHPAD.words(), Some("shared scratchpad"));
        assert_eq!(Usage::SCRATCHPAD_NOT_SHARED.words(), Some("scratchpad"));
    }

    #[test]
    fn staged_variables_are_weights_or_temporary() {
        for kind in 0..12 {
            let temporary = kind == 4 || kind == 8;
            assert_eq!(Usage::of_staged(kind) == Usage::SCRATCHPAD_NOT_SHARED, temporary, "{kind}");
        }
    }
}
