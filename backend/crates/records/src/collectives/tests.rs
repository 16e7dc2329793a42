//! Worked entries both ways, published sizes, places of a context, and the round trip of any bytes.

use proptest::prelude::*;
use zerocopy::little_endian::{U16, U32, U64};

use super::algorithm::*;
use super::barrier::*;
use super::device::*;
use super::entry::*;
use super::printers::*;
use super::program::*;
use super::*;
use crate::kbin::Form;

/// Name, values in the order of the table, union, word, bytes in memory.
type Worked = (&'static str, [u8; 8], u32, u64, [u8; 8]);

/// The worked entries: name, then `at st tn rep rwc rsc safe uniq`, the union, the word, and the
/// bytes in memory.
/// Spec: docs/format/collectives.md "Worked entries" [observed].
#[rustfmt::skip]
const WORKED: [Worked; 20] = [
    ("RING-1", [0, 0, 0, 1, 0, 0, 0, 0], 0x0000_0001, 0x0000_0001_0001_0001, [0x01, 0x00, 0x01, 0x00, 0x01, 0x00, 0x00, 0x00]),
    ("RING-2", [0, 0, 0, 1, 1, 0, 0, 0], 0x0000_000F, 0x0000_000F_0003_0001, [0x01, 0x00, 0x03, 0x00, 0x0F, 0x00, 0x00, 0x00]),
    ("RING-3", [0, 0, 1, 0, 0, 1, 0, 0], 0x0000_0030, 0x0000_0030_0004_8001, [0x01, 0x80, 0x04, 0x00, 0x30, 0x00, 0x00, 0x00]),
    ("RING-4", [0, 0, 0, 0, 1, 1, 0, 1], 0x0000_FF00, 0x0000_FF00_0016_0001, [0x01, 0x00, 0x16, 0x00, 0x00, 0xFF, 0x00, 0x00]),
    ("RING-5", [0, 0, 1, 1, 0, 0, 0, 0], 0x8000_0000, 0x8000_0000_0001_8001, [0x01, 0x80, 0x01, 0x00, 0x00, 0x00, 0x00, 0x80]),
    ("RING-6", [0, 0, 0, 1, 1, 1, 1, 0], 0x0000_FFFF, 0x0000_FFFF_000F_0001, [0x01, 0x00, 0x0F, 0x00, 0xFF, 0xFF, 0x00, 0x00]),
    ("KRING-1", [3, 0, 0, 1, 0, 1, 0, 0], 0x0000_0003, 0x0000_0003_0005_0301, [0x01, 0x03, 0x05, 0x00, 0x03, 0x00, 0x00, 0x00]),
    ("SCR-1", [4, 0, 1, 1, 0, 0, 0, 0], 0x0000_0001, 0x0000_0001_0001_8401, [0x01, 0x84, 0x01, 0x00, 0x01, 0x00, 0x00, 0x00]),
    ("MESH-1", [1, 0, 0, 1, 0, 0, 0, 0], EntryFields::mesh_union(0, 0x0001), 0x0001_0000_0001_0101, [0x01, 0x01, 0x01, 0x00, 0x00, 0x00, 0x01, 0x00]),
    ("MESH-2", [1, 3, 0, 1, 0, 0, 0, 0], EntryFields::mesh_union(4, 0x000F), 0x000F_0004_0001_3101, [0x01, 0x31, 0x01, 0x00, 0x04, 0x00, 0x0F, 0x00]),
    ("MESH-3", [1, 3, 1, 0, 0, 0, 0, 0], EntryFields::mesh_union(8, 0x00FF), 0x00FF_0008_0000_B101, [0x01, 0xB1, 0x00, 0x00, 0x08, 0x00, 0xFF, 0x00]),
    ("MESH-4", [2, 2, 0, 1, 0, 0, 0, 1], EntryFields::mesh_union(12, 0x8001), 0x8001_000C_0011_2201, [0x01, 0x22, 0x11, 0x00, 0x0C, 0x00, 0x01, 0x80]),
    ("MESH-5", [9, 3, 1, 1, 0, 0, 1, 1], EntryFields::mesh_union(15, 0xFFFF), 0xFFFF_000F_0019_B901, [0x01, 0xB9, 0x19, 0x00, 0x0F, 0x00, 0xFF, 0xFF]),
    ("MESH-6", [10, 3, 0, 0, 0, 0, 0, 0], EntryFields::mesh_union(3, 0x0007), 0x0007_0003_0000_3A01, [0x01, 0x3A, 0x00, 0x00, 0x03, 0x00, 0x07, 0x00]),
    ("HIER-1", [1, 0, 1, 1, 1, 1, 0, 0], 0, 0x0000_0000_0007_8101, [0x01, 0x81, 0x07, 0x00, 0x00, 0x00, 0x00, 0x00]),
    ("HIER-2", [5, 0, 0, 1, 0, 0, 0, 0], EntryFields::mesh_union(2, 0x0003), 0x0003_0002_0001_0501, [0x01, 0x05, 0x01, 0x00, 0x02, 0x00, 0x03, 0x00]),
    ("HIER-3", [7, 0, 1, 1, 1, 0, 0, 0], 0x0000_0003, 0x0000_0003_0003_8701, [0x01, 0x87, 0x03, 0x00, 0x03, 0x00, 0x00, 0x00]),
    ("NOP-1", [0, 0, 0, 0, 0, 0, 0, 0], 0, 0x0000_0000_0000_0001, [0x01, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]),
    ("EMPTY", [0, 0, 0, 0, 0, 0, 0, 0], 0, 0x0000_0000_0000_0000, [0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00]),
    ("MAX", [15, 7, 1, 1, 1, 1, 1, 1], 0xFFFF_FFFF, 0xFFFF_FFFF_001F_FF01, [0x01, 0xFF, 0x1F, 0x00, 0xFF, 0xFF, 0xFF, 0xFF]),
];

fn worked_fields(name: &str, values: [u8; 8], union: u32) -> EntryFields {
    let [algo_type, algo_sub_type, tn, rep, rwc, rsc, safe, uniq] = values;
    EntryFields {
        cc_op: name != "EMPTY",
        algo_type,
        algo_sub_type,
        trigger_next: tn == 1,
        reporter: rep == 1,
        ring_wait_complete: rwc == 1,
        ring_send_complete: rsc == 1,
        safe_mode: safe == 1,
        unique_tensors: uniq == 1,
        union,
        ..EntryFields::default()
    }
}

#[test]
fn worked_entries_both_ways() {
    for (name, values, union, word, bytes) in WORKED {
        let fields = worked_fields(name, values, union);
        let entry = SpadCtrlEntry(word);
        assert_eq!(SpadCtrlEntry::of_fields(&fields), Ok(entry), "{name}");
        assert_eq!(entry.fields(), fields, "{name}");
        assert_eq!(entry.to_bytes(), bytes, "{name}");
        assert_eq!(SpadCtrlEntry::from_bytes(bytes), entry, "{name}");
        assert_eq!(RawSpadCtrlEntry::of(&bytes).unwrap().0.entry(), entry, "{name}");
        assert_eq!(entry.reserved(), 0, "{name}");
    }
}

/// The formula, by addition of powers of two, is a second way to the word.
#[test]
fn the_formula_gives_the_worked_words() {
    for (name, [at, st, tn, rep, rwc, rsc, safe, uniq], union, word, _) in WORKED {
        let sum = u64::from(name != "EMPTY")
            + u64::from(at) * 256
            + u64::from(st) * 4096
            + u64::from(tn) * 32_768
            + u64::from(rep) * 65_536
            + u64::from(rwc) * 131_072
            + u64::from(rsc) * 262_144
            + u64::from(safe) * 524_288
            + u64::from(uniq) * 1_048_576
            + u64::from(union) * 4_294_967_296;
        assert_eq!(sum, word, "{name}");
    }
}

#[test]
fn one_number_has_two_names() {
    let (mesh, hier) = (SpadCtrlEntry(0x0001_0000_0001_0101), SpadCtrlEntry(0x0000_0000_0007_8101));
    let names = |entry: SpadCtrlEntry| {
        AlgoNames::ALL.map(|reading| reading.algorithm(entry.fields().algo_type))
    };
    assert_eq!(names(mesh), [Some("HIER"), Some("MESH")]);
    assert_eq!(names(hier), names(mesh));
    assert_eq!(AlgoNames::AlgType.view(1), Some(UnionView::Both));
    assert_eq!(AlgoNames::Pattern.view(1), Some(UnionView::Mesh));
    assert_eq!(AlgoNames::AlgType.algorithm(11), Some("INVALID"));
    assert_eq!((AlgoNames::AlgType.algorithm(12), AlgoNames::Pattern.algorithm(3)), (None, None));
    assert_eq!((AlgoNames::AlgType.view(11), AlgoNames::Pattern.view(2)), (None, None));
    for (word, expected) in [
        ("enc_alg_type", AlgoNames::AlgType),
        ("enc_pattern", AlgoNames::Pattern),
        ("seed", AlgoNames::AlgType),
        ("header", AlgoNames::Pattern),
    ] {
        assert_eq!(AlgoNames::of_name(word), Some(expected));
    }
    assert_eq!(AlgoNames::of_name("sheet"), None);
}

#[test]
fn what_is_printed_lacks_two_flags_and_all_reserved_bits() {
    let all = SpadCtrlEntry(u64::MAX);
    assert_eq!(all.printed().0, 0xFFFF_FFFF_0007_FF01);
    assert_eq!(SpadCtrlEntry::PRINTED & SpadCtrlEntry::RESERVED, 0);
    // What neither is printed nor reserved: safe_mode and unique_tensors.
    assert_eq!(!(SpadCtrlEntry::PRINTED | SpadCtrlEntry::RESERVED), 1 << 19 | 1 << 20);
    assert!(SpadCtrlEntry(1).is_nop() && !SpadCtrlEntry(0).is_nop());
    assert!(SpadCtrlEntry(CONTINUE_MARKER).is_continue_marker());
    assert!(!SpadCtrlEntry(CONTINUE_MARKER).fields().cc_op);
}

#[test]
fn a_value_that_is_too_wide_names_its_byte() {
    let wide = |change: fn(&mut EntryFields)| {
        let mut fields = EntryFields::default();
        change(&mut fields);
        SpadCtrlEntry::of_fields(&fields).unwrap_err().at.start
    };
    assert_eq!(wide(|fields| fields.algo_type = 16), 1);
    assert_eq!(wide(|fields| fields.algo_sub_type = 8), 1);
    assert_eq!(wide(|fields| fields.header_reserved = 128), 0);
    assert_eq!(wide(|fields| fields.flags_reserved = 8), 2);
}

#[test]
fn published_sizes() {
    let sizes: Vec<(&str, usize)> = LAYOUTS.iter().map(|one| (one.name, one.bytes)).collect();
    for expected in [
        ("spad_ctrl_entry", 8),
        ("dev_tsync", 36),
        ("dev_configs", 48),
        ("neff_configs", 3592),
        ("basic_block_configs", 1048),
        ("neff_ctx", 96),
        ("op_ctx", 32),
        ("basic_block_ctx", 60),
        ("barrier_configs", 296),
        ("device_barrier", 292),
        ("barrier_step", 52),
        ("host_barrier", 16),
        ("ring_channel", 148),
        ("ring_neighbor", 28),
        ("ring_channel_ctx", 16),
        ("mesh_event", 80),
        ("dma_channel_apb_bcast", 20),
        ("ncfw_ctx_top_sp", 0x32C8),
        ("ncfw_ctx_top_sp", 0x44E8),
    ] {
        assert!(sizes.contains(&expected), "{expected:?}");
    }
    // The larger context has 58 events more.
    assert_eq!(0x44E8 - 0x32C8, 58 * 80);
}

#[test]
fn fields_cover_their_record_without_gap_or_overlap() {
    for layout in LAYOUTS {
        let mut end = 0;
        for field in layout.fields {
            assert_eq!(field.offset, end, "{} {}", layout.name, field.name);
            assert!(!field.meaning.is_empty());
            end += field.bytes;
            let inner = match field.form {
                Form::Record(inner) => Some((inner, 1)),
                Form::Records(inner) => Some((inner, field.bytes / inner.bytes)),
                Form::Bits(ranges) => {
                    let all =
                        ranges.iter().fold(0_u64, |all, one| all | one.of(u64::MAX) << one.low);
                    assert_eq!(all, u64::MAX >> (64 - 8 * field.bytes), "{}", field.name);
                    None
                }
                _ => None,
            };
            if let Some((inner, count)) = inner {
                assert_eq!(inner.bytes * count, field.bytes, "{}", field.name);
            }
        }
        assert_eq!(end, layout.bytes, "{}", layout.name);
    }
}

/// Places of the sheet, per generation: table addresses, members deep inside.
#[test]
fn places_of_a_context() {
    for arch in ContextArch::ALL {
        let (neff, dev, runtime, algo, end) = match arch {
            ContextArch::Sunda => (0x2228, 0x3030, 0x3060, 0x30C0, 0x32C8),
            _ => (0x3448, 0x4250, 0x4280, 0x42E0, 0x44E8),
        };
        assert_eq!(arch.context_bytes(), end);
        let structs = arch.structs();
        let at = |name: &str| structs.iter().find(|one| one.name == name).unwrap().offset;
        assert_eq!(at("configs.algo.ring.channels.31"), 31 * 148);
        assert_eq!(at("configs.algo.mesh.events.0"), 0x1280);
        assert_eq!(at(&format!("configs.algo.mesh.events.{}", arch.events() - 1)) + 80, neff - 8);
        assert_eq!(at("configs.neff"), neff);
        assert_eq!(at("configs.neff.barrier_configs"), neff + 2200);
        assert_eq!(at("configs.neff.basic_block_configs"), neff + 2496);
        assert_eq!(at("configs.dev"), dev);
        assert_eq!(at("neff.op"), runtime);
        assert_eq!(at("neff.basic_block"), runtime + 0x20);
        assert_eq!(at("algo.ring.channels.0"), algo);
        assert_eq!(at("algo"), algo);
        assert_eq!(structs.len(), 32 + arch.events() + 32 + 11);
        for one in &structs {
            assert!(one.offset + one.layout.bytes <= end, "{}", one.name);
        }
    }
    // The addresses of the live tables, of cayman and sunda.
    let at = |arch: ContextArch| {
        let all = arch.structs();
        all.into_iter().find(|one| one.name == "neff.basic_block").unwrap().offset
    };
    assert_eq!((at(ContextArch::Cayman), at(ContextArch::Cayman) + 48), (0x42A0, 0x42D0));
    assert_eq!((at(ContextArch::Sunda), at(ContextArch::Sunda) + 48), (0x3080, 0x30B0));
}

#[test]
fn packed_ids_are_halves_of_two_bytes() {
    let mut bytes = [0_u8; 48];
    bytes[0x20] = 0x00;
    bytes[0x21] = 0x04;
    bytes[0x24..0x2C].copy_from_slice(&555_819_304_992_u64.to_le_bytes());
    bytes[0x2C] = 0x13;
    bytes[0x2D] = 0xF0;
    let (raw, rest) = RawDevConfigs::of(&bytes).unwrap();
    assert!(rest.is_empty());
    assert_eq!((raw.tpb_id(), raw.seng_id(), raw.dev_id()), (3, 1, 0));
    assert_eq!(raw.tsync.timestamp_tpb_val.get(), 1024);
    assert_eq!(raw.tpb_ctrl_ack.get(), 555_819_304_992);
    let made = RawDevConfigs {
        tsync: RawTsync { timestamp_tpb_val: U32::new(1024), ..RawTsync::zero() },
        tpb_ctrl_ack: U64::new(555_819_304_992),
        ids: 0x13,
        dev: 0xF0,
        pad_2e: [0; 2],
    };
    assert_eq!(made.bytes(), bytes);
}

#[test]
fn the_two_views_of_a_barrier_share_their_bytes() {
    let mut raw = RawBarrierConfigs::zero();
    raw.device_barrier.steps[0].m2s_val = U16::new(0x1122);
    raw.device_barrier.steps[0].barrier_sema[0] = U64::new(0x8877_6655_4433_2211);
    raw.selector = 0xFF;
    assert!(raw.is_device());
    let host = raw.host_barrier().unwrap();
    assert_eq!(host.barrier_start.get(), 0x4433_2211_0000_1122);
    assert_eq!(host.barrier_done.get(), 0x8877_6655);
    assert!(!RawBarrierConfigs::zero().is_device());
}

#[test]
fn the_table_of_basic_blocks_ends_at_the_first_row_without_descriptors() {
    let mut raw = RawBasicBlockConfigs::zero();
    assert!(raw.rows().is_empty());
    for row in &mut raw.table {
        row.desc_count = U16::new(1);
    }
    assert_eq!(raw.rows().len(), 255);
    raw.table[7].desc_count = U16::new(0);
    assert_eq!(raw.rows().len(), 7);
}

#[test]
fn generations_by_name_and_id() {
    for (id, name) in [(5, "sunda"), (12, "CAYMAN"), (20, "mariana"), (28, "mariana_plus")] {
        assert_eq!(ContextArch::of_id(id), ContextArch::of_name(name));
        assert_eq!(ContextArch::of_id(id).map(ContextArch::id), Some(id));
    }
    assert_eq!((ContextArch::of_id(0x24), ContextArch::of_name("v5")), (None, None));
}

#[test]
fn a_short_context_is_an_error_with_its_need() {
    for arch in ContextArch::ALL {
        let bytes = vec![0; arch.context_bytes()];
        assert!(Context::of(arch, &bytes).is_ok());
        let error = Context::of(arch, &bytes[1..]).unwrap_err();
        assert_eq!(
            error.kind,
            crate::error::DecodeErrorKind::TooShort {
                need: bytes.len() as u64,
                have: bytes.len() as u64 - 1
            }
        );
    }
}

/// Rows of the published table, and the function that confirms the distance of the copies.
#[test]
fn printers_of_four_copies() {
    let all = |family: &str| {
        let one = Printer::of(family).unwrap();
        ContextArch::ALL.map(|arch| one.address(arch))
    };
    assert_eq!(all("spad_ctrl_entry_header"), [0x13b5, 0x1a15c, 0x32f03, 0x4bcaa]);
    assert_eq!(all("dev_tsync"), [0xad33, 0x23ada, 0x3c881, 0x55628]);
    assert_eq!(all("ctx entry"), [0x1a12b, 0x32ed2, 0x4bc79, 0x64a20]);
    assert_eq!(all("top (buffer setup)")[1], 0x32ca8);
    assert_eq!(PRINTERS.len(), 39);
    assert_eq!(PRINTERS.iter().filter(|one| !one.observed).count(), 16);
    assert_eq!(Printer::of("spad_ctrl_cc_op_entry").map(|one| one.bytes), Some(0x1be4));
}

proptest! {
    #[test]
    fn any_eight_bytes_survive(bytes in any::<[u8; 8]>()) {
        let entry = SpadCtrlEntry::from_bytes(bytes);
        prop_assert_eq!(entry.to_bytes(), bytes);
        prop_assert_eq!(SpadCtrlEntry::of_fields(&entry.fields()), Ok(entry));
        prop_assert_eq!(RawSpadCtrlEntry::of(&bytes).unwrap().0.entry(), entry);
        let printed = entry.printed();
        prop_assert_eq!(printed.0 & !SpadCtrlEntry::PRINTED, 0);
        prop_assert_eq!(printed.printed(), printed);
    }

    #[test]
    fn decode_then_encode_is_the_identity(
        bytes in proptest::collection::vec(any::<u8>(), 0x44E8),
    ) {
        prop_assert_eq!(context::RawContext::of(&bytes).unwrap().0.bytes(), &bytes[..]);
        prop_assert_eq!(context::RawContextSunda::of(&bytes).unwrap().0.bytes(), &bytes[..0x32C8]);
        prop_assert_eq!(RawRingChannel::of(&bytes).unwrap().0.bytes(), &bytes[..148]);
        prop_assert_eq!(RawMeshEvent::of(&bytes).unwrap().0.bytes(), &bytes[..80]);
        prop_assert_eq!(RawNeffConfigs::of(&bytes).unwrap().0.bytes(), &bytes[..3592]);
        prop_assert_eq!(RawNeffCtx::of(&bytes).unwrap().0.bytes(), &bytes[..96]);
    }
}
