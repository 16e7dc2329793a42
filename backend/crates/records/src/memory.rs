//! The records that a runtime keeps about device memory: variables and where they were placed,
//! allocations and their allocator, the scratchpad of a core, and the table of functions that
//! differ between generations of chips.
//!
//! They are layouts like those of [`crate::assembly`]: offsets checked at compile time, and one
//! list of fields for screens. Pointers are addresses in the host's memory; made here they are 0.
//! Spec: docs/format/memory.md "Records" [observed].

pub mod mem_ref;
pub mod dmem;
pub mod scratchpad;
pub mod arch_ops;

pub use arch_ops::RawArchOps;
pub use dmem::{RawAllocator, RawDmem};
pub use mem_ref::{
    MemRef, NOT_STAGED, PointerPlacement, PointerTablePlacement, StagedPlacement, VariableList,
};
pub use scratchpad::{RawScratchpad, RawScratchpadPage, ScratchpadCleanup, ScratchpadInfo};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::assembly::RecordType;
    use proptest::prelude::*;
    use zerocopy::little_endian::{U32, U64};

    const TYPES: [RecordType; 12] = [
        MemRef::TYPE,
        StagedPlacement::TYPE,
        PointerPlacement::TYPE,
        VariableList::TYPE,
        PointerTablePlacement::TYPE,
        RawDmem::TYPE,
        RawAllocator::TYPE,
        RawScratchpad::TYPE,
        RawScratchpadPage::TYPE,
        ScratchpadInfo::TYPE,
        ScratchpadCleanup::TYPE,
        RawArchOps::TYPE,
    ];

    #[test]
    fn published_sizes() {
        let sizes = TYPES.map(|kind| (kind.name, kind.bytes));
        let expected = [
            ("mem_ref_t", 208),
            ("staged placement", 40),
            ("pointer placement", 40),
            ("list placement", 40),
            ("pointer table placement", 40),
            ("dmem_t", 192),
            ("dmem_allocator_t", 512),
            ("tdrv_scratchpad_t", 16_440),
            ("tdrv_scratchpad_page_t", 16),
            ("tdrv_scratchpad_info_t", 24),
            ("tdrv_scratchpad_cleanup_info_t", 48),
            ("tdrv_arch_ops", 488),
        ];
        assert_eq!(sizes, expected);
    }

    #[test]
    fn fields_ascend_without_overlap_inside_their_record() {
        for kind in TYPES {
            let mut end = 0;
            for field in kind.fields {
                assert!(field.offset >= end, "{} {}", kind.name, field.name);
                assert!(field.bytes > 0 && !field.meaning.is_empty());
                end = field.offset + field.bytes;
            }
            assert!(usize::from(end) <= kind.bytes, "{}", kind.name);
        }
    }

    /// A variable of 32 KiB with id 5, staged at 0x2223_4000 in the second page, by hand.
    #[test]
    fn a_staged_variable_byte_for_byte() {
        let mut record = MemRef::unstaged(8, 0x8000, 5);
        assert_eq!(record.placement[..8], [0xFF; 8]);
        record.dtype[..7].copy_from_slice(b"float32");
        record.shape[1] = U64::new(64);
        let placed = StagedPlacement {
            physical_address: U64::new(0x2223_4000),
            mem_offset: U64::new(0x123_4000),
            ..StagedPlacement::zero()
        };
        record.place(placed.bytes());
        let mut expected = [0; 208];
        for (at, bytes) in [
            (8, &[8][..]),
            (17, &[0x80]),
            (24, &[5]),
            (32, &[0x00, 0x40, 0x23, 0x22]),
            (48, &[0x00, 0x40, 0x23, 0x01]),
            (72, b"float32"),
            (96, &[64]),
        ] {
            expected[at..at + bytes.len()].copy_from_slice(bytes);
        }
        assert_eq!(record.bytes(), expected);
        let again = MemRef::of(&expected).unwrap();
        assert_eq!(again.staged().map(|one| one.physical_address.get()), Ok(0x2223_4000));
    }

    #[test]
    fn the_address_of_an_allocation_is_base_plus_alignment() {
        let dmem = RawDmem {
            physical: U64::new(0x123_4800),
            align_offset: U64::new(0x800),
            ..RawDmem::zero()
        };
        assert_eq!(dmem.address(), Some(0x123_5000));
        assert_eq!(dmem.bytes()[24..32], [0x00, 0x48, 0x23, 0x01, 0, 0, 0, 0]);
        let past = RawDmem { physical: U64::new(u64::MAX), ..dmem };
        assert_eq!(past.address(), None);
    }

    #[test]
    fn pages_of_a_scratchpad_lie_16_bytes_apart_from_byte_56() {
        let mut record = RawScratchpad::zero();
        record.page_size = U64::new(0x2000_0000);
        record.num_pages = U32::new(2);
        record.pages[1023].refs = U32::new(7);
        assert_eq!(record.bytes()[56 + 16 * 1023 + 8], 7);
        assert_eq!(record.bytes()[43], 0x20);
        assert_eq!(record.bytes()[48], 2);
        assert_eq!(scratchpad::IN_TPB + 56, scratchpad::PAGES_IN_TPB);
    }

    #[test]
    fn slots_of_the_arch_table_are_8_bytes() {
        let fields = RawArchOps::TYPE.fields;
        let at = |name: &str| {
            let field = fields.iter().find(|field| field.name == name);
            field.map(|field| (field.offset / 8, field.bytes / 8))
        };
        assert_eq!(fields.len(), 47);
        assert_eq!(fields.iter().map(|field| field.bytes / 8).sum::<u16>(), 61);
        assert_eq!(at("get_evt_accel_addr"), Some((33, 1)));
        assert_eq!(at("get_evt_addr"), Some((34, 1)));
        assert_eq!(at("tpb_reg_offset"), Some((35, 9)));
        assert_eq!(at("seq_refill"), Some((46, 7)));
        assert_eq!(at("add_ev_wait"), Some((56, 1)));
        assert_eq!(at("sync_events"), Some((59, 1)));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(32))]

        #[test]
        fn decode_then_encode_is_the_identity(
            bytes in proptest::collection::vec(any::<u8>(), 16_440),
        ) {
            prop_assert_eq!(MemRef::of(&bytes).unwrap().bytes(), &bytes[..208]);
            prop_assert_eq!(RawDmem::of(&bytes).unwrap().bytes(), &bytes[..192]);
            prop_assert_eq!(RawAllocator::of(&bytes).unwrap().bytes(), &bytes[..512]);
            prop_assert_eq!(RawScratchpad::of(&bytes).unwrap().bytes(), &bytes[..]);
            prop_assert_eq!(ScratchpadInfo::of(&bytes).unwrap().bytes(), &bytes[..24]);
            prop_assert_eq!(ScratchpadCleanup::of(&bytes).unwrap().bytes(), &bytes[..48]);
            prop_assert_eq!(RawArchOps::of(&bytes).unwrap().bytes(), &bytes[..488]);
            prop_assert!(RawScratchpad::of(&bytes[..16_439]).is_err());
        }
    }
}
