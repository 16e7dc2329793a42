//! What a runtime knows about a generation of chips: capabilities and reserved event ids.

use zerocopy::little_endian::U64;

/// An id of [`ReservedEvents`] that is not supported; no known table has it.
/// Spec: docs/format/profiles.md "Reserved events" [observed].
pub const NO_EVENT: u8 = 0xFF;

runtime_record! {
    /// What the builder of images asks about a generation. The layout is observed, the values of a
    /// generation are not published.
    /// Spec: docs/format/profiles.md "Capabilities" [observed].
    Capabilities 32 "capabilities" {
        0x00 memory_base: U64 = Hex Observed "base of relative memory addresses";
        0x08 hardware_dge: u8 = Flag Observed "hardware descriptor generation";
        0x09 software_dge_notification: u8 = Flag Observed "notification of software descriptor generation";
        0x0a extended_flags: u8 = Flag Observed "extended feature flags";
        0x0b event_carve_out: u8 = Flag Observed "event accelerator carve-out";
        0x0c legacy_ordering: u8 = Flag Observed "legacy relaxed ordering; only for targets up to 3";
        0x0d fp8_conversion: u8 = Flag Observed "FP8 conversion configuration";
        0x0e background_transpose: u8 = Flag Observed "background transpose";
        0x0f bound_check: u8 = Flag Observed "bound check of indirect transfers";
        0x10 pool_library: u8 = Flag Observed "library configuration of POOL";
        0x11 args_swap_all: u8 = Flag Observed "argument table swap on all engines";
        0x12 gap_12: [u8; 6];
        0x18 final_check: U64 = Pointer Observed "function that checks the result";
    }
}

runtime_record! {
    /// Event and semaphore ids that the runtime keeps for itself; 0xFF is unsupported.
    /// Spec: docs/format/profiles.md "Reserved events" [observed].
    ReservedEvents 20 "reserved_events" {
        0x00 inference_start: u8 = SyncId Observed "an inference starts";
        0x01 core_barrier: u8 = SyncId Observed "barrier of the cores";
        0x02 sync_barrier: u8 = SyncId Observed "barrier of the engines";
        0x03 pinned_queue_start: u8 = SyncId Observed "pinned queues, first";
        0x04 pinned_queue_last: u8 = SyncId Observed "pinned queues, last";
        0x05 collective_stop: u8 = SyncId Observed "collectives stop";
        0x06 inference_init_start: u8 = SyncId Observed "initialization of an inference, first";
        0x07 inference_init_last: u8 = SyncId Observed "initialization of an inference, last";
        0x08 io_queue_switch: u8 = SyncId Observed "I/O queue switch";
        0x09 range_check_start: u8 = SyncId Observed "range check, first";
        0x0a range_check_last: u8 = SyncId Observed "range check, last";
        0x0b act_tables: u8 = SyncId Observed "activation tables are loaded";
        0x0c dve_tables: u8 = SyncId Observed "DVE tables are loaded";
        0x0d exec_request: u8 = SyncId Observed "the execution request is loaded";
        0x0e collective_context: u8 = SyncId Observed "the collectives' context is loaded";
        0x0f collective_ack_first: u8 = SyncId Observed "collectives acknowledge, first";
        0x10 collective_ack_last: u8 = SyncId Observed "collectives acknowledge, last";
        0x11 debug_tensor_start: u8 = SyncId Observed "reading of debug tensors, first";
        0x12 debug_tensor_last: u8 = SyncId Observed "reading of debug tensors, last";
        0x13 reserved_count: u8 = Dec Observed "number of reserved ids";
    }
}

impl ReservedEvents {
    /// A table in which nothing is known.
    pub fn unknown() -> Self {
        Self::of(&[NO_EVENT; 20]).copied().unwrap_or_else(|_| Self::zero())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_lie_at_their_published_bytes() {
        let mut record = Capabilities::zero();
        record.legacy_ordering = 1;
        record.args_swap_all = 1;
        let set: Vec<usize> = (0..32).filter(|&at| record.bytes()[at] != 0).collect();
        assert_eq!(set, [12, 17]);
    }

    #[test]
    fn nothing_is_known_of_an_empty_table() {
        let mut table = ReservedEvents::unknown();
        table.exec_request = 8;
        assert_eq!((table.bytes()[13], table.bytes()[12]), (8, NO_EVENT));
    }
}
