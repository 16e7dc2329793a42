//! The functions of the firmware's host library that print a context: where they are in each
//! generation's copy, how large they are, and how many writes their size has room for.
//!
//! Spec: docs/format/collectives.md "Printers" [observed; some addresses and sizes inferred].

use super::context::ContextArch;

/// Bytes between the copies of two generations, in code.
/// Spec: docs/format/collectives.md "Printers" [observed].
pub const COPY_STRIDE: u32 = 0x18DA7;
/// Bytes between the copies of two generations, in texts.
/// Spec: docs/format/collectives.md "Printers" [observed].
pub const TEXT_STRIDE: u32 = 0x695;
/// Bytes of text that the printer has room for.
/// Spec: docs/format/collectives.md "Printed text" [observed].
pub const TEXT_ROOM: usize = 0x10_0000;
/// What the printer answers for a generation that it does not know, or a NULL.
pub const STATUS_UNKNOWN: u32 = 22;
/// What the printer answers when its room was too small.
pub const STATUS_FULL: u32 = 28;

/// A printing function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Printer {
    /// What it prints.
    pub family: &'static str,
    /// Bytes of code, in the copy of sunda; the other copies are clones.
    pub bytes: u32,
    /// Address of the copy of sunda.
    pub sunda: u32,
    /// Whether the addresses of the other copies, and the size, are published; else they follow from
    /// the distance of copies and of the next function.
    pub observed: bool,
}

impl Printer {
    /// Address of a generation's copy.
    pub const fn address(&self, arch: ContextArch) -> u32 {
        let copy = match arch {
            ContextArch::Sunda => 0,
            ContextArch::Cayman => 1,
            ContextArch::Mariana => 2,
            ContextArch::MarianaPlus => 3,
        };
        self.sunda + copy * COPY_STRIDE
    }

    /// The function of a family.
    pub fn of(family: &str) -> Option<&'static Self> {
        PRINTERS.iter().find(|one| one.family == family)
    }
}

/// All printing functions, from the smallest part to the whole.
#[rustfmt::skip]
pub static PRINTERS: [Printer; 39] = [
    Printer { family: "ctx entry", bytes: 0x31, sunda: 0x1a12b, observed: true },
    Printer { family: "spad_ctrl_entry_header", bytes: 0x48b, sunda: 0x13b5, observed: true },
    Printer { family: "spad_ctrl_cc_op_entry", bytes: 0x1be4, sunda: 0x1840, observed: true },
    Printer { family: "spad_ctrl_entry", bytes: 0x3cd, sunda: 0x3424, observed: true },
    Printer { family: "ring neighbor", bytes: 0x9d2, sunda: 0x37f1, observed: true },
    Printer { family: "addr (leaf)", bytes: 0x3ae, sunda: 0x41c3, observed: false },
    Printer { family: "dma reprogram info", bytes: 0x328, sunda: 0x4571, observed: false },
    Printer { family: "dma_channel_apb_bcast", bytes: 0x4cb, sunda: 0x4899, observed: true },
    Printer { family: "kring_peer_semas", bytes: 0x12bc, sunda: 0x4d64, observed: true },
    Printer { family: "ring_channels_configs", bytes: 0x2524, sunda: 0x6020, observed: true },
    Printer { family: "ring_configs", bytes: 0x4d7, sunda: 0x8544, observed: true },
    Printer { family: "soc_addr array", bytes: 0x367, sunda: 0x8a1b, observed: false },
    Printer { family: "mesh events", bytes: 0x1fb1, sunda: 0x8d82, observed: true },
    Printer { family: "dev_tsync", bytes: 0x163e, sunda: 0xad33, observed: true },
    Printer { family: "dev_configs", bytes: 0xa90, sunda: 0xc371, observed: true },
    Printer { family: "dma_alloc_bitmap", bytes: 0x812, sunda: 0xce01, observed: false },
    Printer { family: "host barrier", bytes: 0x7a9, sunda: 0xd613, observed: true },
    Printer { family: "barrier semaphores", bytes: 0x925, sunda: 0xddbc, observed: false },
    Printer { family: "barrier target values", bytes: 0x621, sunda: 0xe6e1, observed: false },
    Printer { family: "barrier step", bytes: 0x8ce, sunda: 0xed02, observed: true },
    Printer { family: "barrier DMA sync semaphores", bytes: 0x925, sunda: 0xf5d0, observed: false },
    Printer { family: "device barrier", bytes: 0x1096, sunda: 0xfef5, observed: true },
    Printer { family: "barrier parent", bytes: 0x4c7, sunda: 0x10f8b, observed: true },
    Printer { family: "basic_block_table", bytes: 0x875, sunda: 0x11452, observed: true },
    Printer { family: "basic_block_configs", bytes: 0xb9d, sunda: 0x11cc7, observed: true },
    Printer { family: "neff_configs", bytes: 0x283e, sunda: 0x12864, observed: false },
    Printer { family: "op_ctx", bytes: 0xf4f, sunda: 0x150a2, observed: false },
    Printer { family: "basic_block_ctx", bytes: 0x54a, sunda: 0x15ff1, observed: false },
    Printer { family: "neff_ctx", bytes: 0x4c5, sunda: 0x1653b, observed: false },
    Printer { family: "ring_ctx (runtime)", bytes: 0x19c6, sunda: 0x16a00, observed: true },
    Printer { family: "hierarchical ctx", bytes: 0x486, sunda: 0x183c6, observed: true },
    Printer { family: "mesh ctx", bytes: 0x486, sunda: 0x1884c, observed: false },
    Printer { family: "algo ctx", bytes: 0x2f9, sunda: 0x18cd2, observed: false },
    Printer { family: "hierarchical configs", bytes: 0x39a, sunda: 0x18fcb, observed: true },
    Printer { family: "mesh configs", bytes: 0x2b7, sunda: 0x19365, observed: true },
    Printer { family: "algo configs", bytes: 0x2f9, sunda: 0x1961c, observed: false },
    Printer { family: "configs", bytes: 0x2f9, sunda: 0x19915, observed: false },
    Printer { family: "root context", bytes: 0x2f3, sunda: 0x19c0e, observed: false },
    Printer { family: "top (buffer setup)", bytes: 0x22a, sunda: 0x19f01, observed: true },
];
