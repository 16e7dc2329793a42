//! What a TOP_SP knows of its device: the surface of time alignment, and packed ids.

use zerocopy::little_endian::{U32, U64};

use crate::kbin::{Bits, Form, kbin_record};

/// Ids of a device's configuration, as bits.
static TPB_IDS: [Bits; 2] =
    [Bits::new(0, 4, "tpb_id", "TPB"), Bits::new(4, 4, "seng_id", "SEngine of the collectives")];
static DEV_IDS: [Bits; 2] =
    [Bits::new(0, 4, "dev_id", "device"), Bits::new(4, 4, "unused", "not used")];

kbin_record! {
    /// Addresses that time alignment needs. Only the last member is a value.
    /// Spec: docs/format/collectives.md "Device configuration" [observed].
    RawTsync 36 "dev_tsync" "Device configuration" {
        0x00 dma_apb_rsvd_addr: U64 = Form::Address, Observed File "" "reserved target of broadcasts";
        0x08 eng_tpb: U64 = Form::Address, Observed File "" "side of the engines";
        0x10 timestamp_local: U64 = Form::Address, Inferred File "" "counter address, local";
        0x18 timestamp_tpb: U64 = Form::Address, Inferred File "" "counter address, of the TPB";
        0x20 timestamp_tpb_val: U32 = Form::Dec, Observed File "" "value of the TPB's counter that was kept";
    }
}

kbin_record! {
    /// Configuration of the device, packed: the 64-bit member is not aligned.
    /// Spec: docs/format/collectives.md "Device configuration" [observed].
    RawDevConfigs 48 "dev_configs" "Device configuration" {
        0x00 tsync: RawTsync = Form::Record(&RawTsync::LAYOUT), Observed File "" "time alignment";
        0x24 tpb_ctrl_ack: U64 = Form::Hex, Observed File "" "where the control of the TPB is acknowledged";
        0x2c ids: u8 = Form::Bits(&TPB_IDS), Observed File "" "two ids";
        0x2d dev: u8 = Form::Bits(&DEV_IDS), Observed File "" "id of the device";
        0x2e pad_2e: [u8; 2] = Form::Padding, Observed File "" "padding";
    }
}

kbin_record! {
    /// Where a broadcast moves the tails of descriptor rings.
    /// Spec: docs/format/collectives.md "Ring channel" [observed].
    RawApbBcast 20 "dma_channel_apb_bcast" "Ring channel" {
        0x00 m2s_tail_ptr: U64 = Form::Address, Observed File "" "tail of the sending side";
        0x08 s2m_tail_ptr: U64 = Form::Address, Observed File "" "tail of the receiving side";
        0x10 mask: U32 = Form::Hex, Observed File "" "DMA engines that take part";
    }
}

impl RawDevConfigs {
    /// TPB, 0 to 15.
    pub const fn tpb_id(&self) -> u8 {
        self.ids & 0xF
    }

    /// SEngine, 0 to 15.
    pub const fn seng_id(&self) -> u8 {
        self.ids >> 4
    }

    /// Device, 0 to 15.
    pub const fn dev_id(&self) -> u8 {
        self.dev & 0xF
    }
}
