//! Barriers of an executable: one by the host, or one in four steps by the device, in one place.

use zerocopy::FromBytes;
use zerocopy::little_endian::{U16, U32, U64};

use super::device::RawApbBcast;
use super::names::BARRIER_VIEW;
use crate::kbin::{Bits, Form, kbin_record};

static SELECTOR: [Bits; 2] = [
    Bits::new(0, 1, "execute_device_barrier", "which view counts").named(&BARRIER_VIEW),
    Bits::new(1, 7, "reserved", "reserved"),
];

kbin_record! {
    /// View of the barrier that the host runs.
    /// Spec: docs/format/collectives.md "Barriers" [observed].
    RawHostBarrier 16 "host_barrier" "Barriers" {
        0x0 barrier_start: U64 = Form::Address, Observed File "" "semaphore: the barrier begins";
        0x8 barrier_done: U64 = Form::Address, Observed File "" "semaphore: the barrier is over";
    }
}

kbin_record! {
    /// One step of the barrier that the device runs.
    /// Spec: docs/format/collectives.md "Barriers" [observed].
    RawBarrierStep 52 "barrier_step" "Barriers" {
        0x00 m2s_val: U16 = Form::Dec, Observed File "" "added to the tail of the sending side";
        0x02 s2m_val: U16 = Form::Dec, Observed File "" "added to the tail of the receiving side";
        0x04 barrier_sema: [U64; 4] = Form::Addresses, Observed File "" "semaphores";
        0x24 target_sema_val: [U32; 4] = Form::DecArray(4), Observed File "" "values waited for";
    }
}

kbin_record! {
    /// View of the barrier that the device runs.
    /// Spec: docs/format/collectives.md "Barriers" [observed].
    RawDeviceBarrier 292 "device_barrier" "Barriers" {
        0x000 steps: [RawBarrierStep; 4] = Form::Records(&RawBarrierStep::LAYOUT), Observed File "" "steps";
        0x0d0 dma_sync_sema: [U64; 4] = Form::Addresses, Observed File "" "semaphores of transfers";
        0x0f0 dma_apb_bcast: RawApbBcast = Form::Record(&RawApbBcast::LAYOUT), Observed File "" "tails of the barrier's ring";
        0x104 start_network_proxy: U64 = Form::Address, Observed File "" "address of the host that starts the network";
        0x10c dma_sync_sema_value: U32 = Form::Dec, Observed File "" "value waited for in those semaphores";
        0x110 tdrbp_low: U32 = Form::Hex, Observed File "" "base of the descriptor ring, low half";
        0x114 tdrbp_high: U32 = Form::Hex, Observed File "" "base of the descriptor ring, high half";
        0x118 desc_count: U32 = Form::Dec, Observed File "" "descriptors";
        0x11c total_desc_n: U32 = Form::Dec, Observed File "" "descriptors in all; never printed";
        0x120 dma_engines_bitmap: U16 = Form::Hex, Observed File "" "DMA engines";
        0x122 queue_id: u8 = Form::Dec, Observed File "" "queue";
        0x123 pad_123: u8 = Form::Padding, Observed File "" "padding";
    }
}

kbin_record! {
    /// Both views in one place, and which of them counts.
    /// Spec: docs/format/collectives.md "Barriers" [observed].
    RawBarrierConfigs 296 "barrier_configs" "Barriers" {
        0x000 device_barrier: RawDeviceBarrier = Form::Record(&RawDeviceBarrier::LAYOUT), Observed File "" "view of the device; the host's takes the first 16 bytes";
        0x124 selector: u8 = Form::Bits(&SELECTOR), Observed File "" "which view counts";
        0x125 pad_125: [u8; 3] = Form::Padding, Observed File "" "padding";
    }
}

impl RawBarrierConfigs {
    /// Whether the device runs the barrier.
    pub const fn is_device(&self) -> bool {
        self.selector & 1 == 1
    }

    /// The first bytes as the host's view.
    pub fn host_barrier(&self) -> Option<&RawHostBarrier> {
        RawHostBarrier::ref_from_prefix(self.bytes()).ok().map(|(view, _)| view)
    }
}
