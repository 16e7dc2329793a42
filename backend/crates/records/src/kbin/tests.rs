//! Published sizes, sample bytes both ways, and the round trip of any bytes.

use proptest::prelude::*;
use zerocopy::little_endian::{I32, I64, U32, U64};
use zerocopy::{FromBytes, IntoBytes};

use super::activation::RawActFunctionSet;
use super::descriptor::{RawCceInfo, RawDescriptor, RawDescriptorSide, RawFmaArm, RawMinMaxArm};
use super::engine::{EngineBlock, RawEngine};
use super::names::*;
use super::queue::{DmaQueue, RawDma, RawRingInstance, RingInstance};
use super::root::RawKbin;
use super::sets::{Carveouts, RawCarveout, RawCarveoutHead, RawFp8Config};
use super::variable::*;
use super::*;

/// Bytes of a dump whose lines begin with their offset; what no line shows is zero.
fn dump(bytes: usize, lines: &[(usize, &str)]) -> Vec<u8> {
    let mut out = vec![0; bytes];
    for (at, text) in lines {
        for (index, digits) in text.split_whitespace().enumerate() {
            out[at + index] = u8::from_str_radix(digits, 16).unwrap();
        }
    }
    out
}

#[test]
fn sizes_of_the_published_table() {
    let sizes: Vec<(&str, usize)> =
        LAYOUTS.iter().map(|layout| (layout.name, layout.bytes)).collect();
    for expected in [
        ("kbin_t", 424),
        ("kelf_nn", 24),
        ("kbin_engine_t", 320),
        ("kbin_mem_ref_set_t", 24),
        ("kbin_mem_ref", 152),
        ("kbin_debug_tensor_md_t", 516),
        ("kbin_dma_t", 296),
        ("kbin_dma_ring_instance_t", 264),
        ("kbin_dma_desc_t", 5456),
        ("kbin_dma_desc_info_t", 160),
        ("kbin_dma_desc_cce_info_t", 140),
        ("kbin_act_function_set_t", 2192),
        ("kbin_act_profile_data_t", 76),
        ("kbin_dve_config_t", 64),
        ("kbin_src_target_pairs_t", 32),
        ("kbin_sb_carveouts_t", 8),
        ("kbin_sb_carveout_t", 40),
        ("kbin_ucode_lib_t", 40),
        ("kbin_ucode_function", 258),
        ("kbin_fp8_conv_cfg_t", 16),
        ("kbin_act_function_sets_t", 24),
        ("kbin_cc_streams_t", 8),
    ] {
        assert!(sizes.contains(&expected), "{expected:?}");
    }
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
                _ => None,
            };
            if let Some((inner, count)) = inner {
                assert_eq!(inner.bytes * count, field.bytes, "{}", field.name);
            }
        }
        assert_eq!(end, layout.bytes, "{}", layout.name);
    }
}

#[test]
fn a_pool_header_with_three_instructions() {
    let expected = dump(
        320,
        &[
            (0x000, "02 00 00 00 70 6F 6F 6C 00 00 00 00 00 00 00 00"),
            (0x100, "00 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00"),
        ],
    );
    let value = RawEngine {
        eng_type: U32::new(EngineType::POOL.stored()),
        name: text_field("pool"),
        ninstr: U32::new(3),
        ..RawEngine::zero()
    };
    assert_eq!(value.bytes(), expected);
    let mut block = expected;
    block.resize(320 + 200, 7);
    let read = EngineBlock::of(&block).unwrap();
    assert_eq!(*read.header, value);
    assert_eq!((read.code.len(), read.uncounted_bytes()), (200, 8));
    assert_eq!(field_text(&read.header.name), "pool");
}

#[test]
fn the_table_of_variables() {
    let expected = dump(
        24,
        &[
            (0, "00 00 00 20 00 00 00 00"),
            (8, "00 00 40 06 00 00 00 00"),
            (16, "03 00 00 00 00 00 00 00"),
        ],
    );
    let value = RawMemRefSet {
        local_scratchpad_size: U64::new(0x2000_0000),
        shared_scratchpad_size: U64::new(0x640_0000),
        nmem: U32::new(3),
        ..RawMemRefSet::zero()
    };
    assert_eq!(value.bytes(), expected);
    assert!(MemRefTable::of(&expected).is_err());
    let mut table = expected;
    table.resize(24 + 3 * 152, 0);
    assert_eq!(MemRefTable::of(&table).unwrap().mem.len(), 3);
    table.pop();
    assert!(MemRefTable::of(&table).is_err());
}

#[test]
fn three_published_variables() {
    let mut virtual_one = RawMemRef {
        mr_type: U32::new(8),
        size: U64::new(0x8000),
        alignment: U64::new(0x1000),
        var_id: U32::new(5),
        dtype: text_field("float32"),
        shape: [1, 64, 128, 0, 0, 0, 0, 0].map(U64::new),
        ..RawMemRef::zero()
    };
    virtual_one.set_arm(&RawVirtualArm {
        offset: U64::new(0x640_0000),
        backing_buf: U32::new(BackingBuf::SHARED.stored()),
        ..RawVirtualArm::zero()
    });
    let mut remote = RawMemRef {
        mr_type: U32::new(MrType::REMOTE.stored()),
        size: U64::new(0x40),
        var_id: U32::new(9),
        ..RawMemRef::zero()
    };
    remote.set_arm(&RawRemoteArm {
        subgraph: U32::new(1),
        var_id: U32::new(4),
        ..RawRemoteArm::zero()
    });
    let mut pointer = RawMemRef {
        mr_type: U32::new(MrType::PTR.stored()),
        size: U64::new(8),
        alignment: U64::new(8),
        var_id: U32::new(6),
        ..RawMemRef::zero()
    };
    pointer.set_arm(&RawPointerArm {
        referenced_var_id: U32::new(2),
        io_ref: 1,
        ..RawPointerArm::zero()
    });
    let table = [
        (
            virtual_one,
            dump(
                152,
                &[
                    (0x000, "08 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
                    (0x010, "00 80 00 00 00 00 00 00 00 10 00 00 00 00 00 00"),
                    (0x020, "05 00 00 00 66 6C 6F 61 74 33 32 00 00 00 00 00"),
                    (0x030, "00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00"),
                    (0x040, "40 00 00 00 00 00 00 00 80 00 00 00 00 00 00 00"),
                    (0x080, "00 00 00 00 00 00 00 00 00 00 40 06 00 00 00 00"),
                    (0x090, "01 00 00 00 00 00 00 00"),
                ],
            ),
        ),
        (
            remote,
            dump(
                152,
                &[
                    (0x000, "0B 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
                    (0x010, "40 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
                    (0x020, "09 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
                    (0x080, "00 00 00 00 00 00 00 00 01 00 00 00 04 00 00 00"),
                ],
            ),
        ),
        (
            pointer,
            dump(
                152,
                &[
                    (0x000, "07 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
                    (0x010, "08 00 00 00 00 00 00 00 08 00 00 00 00 00 00 00"),
                    (0x020, "06 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
                    (0x080, "00 00 00 00 00 00 00 00 02 00 00 00 01 00 00 00"),
                ],
            ),
        ),
    ];
    for (value, bytes) in &table {
        assert_eq!(value.bytes(), bytes.as_slice());
        assert_eq!(RawMemRef::of(bytes).unwrap().0, value);
    }
    let arms: Vec<MemRefArm<'_>> = table.iter().map(|(value, _)| value.arm()).collect();
    match arms.as_slice() {
        [MemRefArm::Virtual(one), MemRefArm::Remote(two), MemRefArm::Pointer(three)] => {
            assert_eq!((one.offset.get(), one.backing_buf.get()), (0x640_0000, 1));
            assert_eq!((two.subgraph.get(), two.var_id.get()), (1, 4));
            assert_eq!((three.referenced_var_id.get(), three.io_ref), (2, 1));
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_queue_with_one_ring_instance() {
    let mut semaphores = [U32::ZERO; 32];
    semaphores[0] = U32::new(10);
    let value = RawDma {
        ring_type: U32::new(RingType::IN.stored()),
        owner: U32::new(EngineType::POOL.stored()),
        queue_set_cnt: U32::new(1),
        semaphore_cnt: U32::new(1),
        semaphores,
        ring_instance_count: U32::new(1),
        ..RawDma::zero()
    };
    let expected = dump(
        304,
        &[
            (0x000, "07 00 00 00 02 00 00 00 01 00 00 00 01 00 00 00"),
            (0x010, "0A 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
            (0x120, "01 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
        ],
    );
    assert_eq!(value.bytes(), &expected[..296]);
    let read = DmaQueue::of(&expected).unwrap();
    assert_eq!((*read.header, read.ring_instances), (value, &[U64::ZERO][..]));
    assert!(DmaQueue::of(&expected[..303]).is_err());
}

#[test]
fn a_reserved_area_behind_its_count() {
    let expected = dump(
        48,
        &[
            (0x000, "01 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00"),
            (0x010, "F8 7F 03 00 00 00 00 00 08 00 00 00 00 00 00 00"),
            (0x020, "00 00 00 00 00 00 00 00 80 00 00 00 00 00 00 00"),
        ],
    );
    let area = RawCarveout {
        kind: U32::new(CarveoutType::EVTACCEL.stored()),
        offset: U64::new(0x37FF8),
        size: U64::new(8),
        num_partitions: U64::new(128),
        ..RawCarveout::zero()
    };
    let head = RawCarveoutHead { count: U64::new(1) };
    assert_eq!([head.bytes(), area.bytes()].concat(), expected);
    let read = Carveouts::of(&expected).unwrap();
    assert_eq!((read.header, read.areas), (&head, &[area][..]));
    // A count beyond all memory is an error, not an allocation.
    let hostile = [0xFF; 48];
    assert!(Carveouts::of(&hostile).is_err());
}

#[test]
fn defaults_of_the_fp8_conversion() {
    let expected = dump(16, &[(0, "01 00 00 00 08 00 00 00 0F 00 00 00 01 00 00 00")]);
    assert_eq!(RawFp8Config::DEFAULT.bytes(), expected);
    assert_eq!(RawFp8Config::of(&expected).unwrap().0, &RawFp8Config::DEFAULT);
}

/// Places worked out by hand: the union starts at 8 and is filled to 5432 without a gap.
#[test]
fn a_descriptor_places_its_sides() {
    let side = RawDescriptorSide {
        idx: U32::new(0x11),
        off: U64::new(0x22),
        num_dims: U32::new(2),
        steps: [1, -262_144, 0, 0, 0, 0, 0, 0].map(I64::new),
        sizes: [128, 3, 0, 0, 0, 0, 0, 0].map(U64::new),
        dtype: U32::new(Dtype::BF16.stored()),
        ..RawDescriptorSide::zero()
    };
    let mut value = RawDescriptor { op: I32::new(-1), to: side, ..RawDescriptor::zero() };
    value.from[31] = side;
    value.block_id = U32::new(0x33);
    value.block_end_desc = 1;
    value.priority_class = 9;
    let bytes = value.bytes();
    assert_eq!(bytes.len(), 5456);
    assert_eq!(bytes[4..8], [0xFF; 4]);
    for at in [8, 168 + 31 * 160] {
        assert_eq!(bytes[at], 0x11);
        assert_eq!(bytes[at + 8], 0x22);
        assert_eq!(bytes[at + 16], 2);
        assert_eq!(bytes[at + 24], 1);
        assert_eq!(bytes[at + 32..at + 40], [0, 0, 0xFC, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF]);
        assert_eq!((bytes[at + 88], bytes[at + 96]), (128, 3));
        assert_eq!(bytes[at + 152], 7);
    }
    assert_eq!((bytes[0x1538], bytes[0x153C], bytes[0x1548]), (0x33, 1, 9));
    let mut ring = RawRingInstance { ndesc: U32::new(2), ..RawRingInstance::zero() };
    ring.name = text_field("q");
    let all = [ring.bytes(), bytes, bytes].concat();
    assert_eq!(all.len(), 264 + 2 * 5456);
    assert_eq!(RingInstance::of(&all).unwrap().desc, &[value, value]);
}

#[test]
fn computing_transfers_have_two_forms() {
    let mut value = RawDescriptor::zero();
    value.compute[4..8].copy_from_slice(&5_u32.to_le_bytes());
    value.compute[8..12].copy_from_slice(&1.5_f32.to_le_bytes());
    let info = value.cce_info().unwrap();
    let fma = info.fma().unwrap();
    assert_eq!((fma.scale_dtype.get(), f32::from_bits(fma.scale[0].get())), (5, 1.5));
    // The same bytes as a constant: the flag is byte 4, the constant's type byte 8.
    let constant = info.min_max().unwrap();
    assert_eq!((constant.use_constant, constant.constant_dtype.get()), (5, 1.5_f32.to_bits()));
    assert_eq!((RawFmaArm::LAYOUT.bytes, RawMinMaxArm::LAYOUT.bytes), (132, 132));
}

#[test]
fn element_types() {
    let codes = [0, 13, 14, 15, 7, 10, 11, 6, 3, 5, 9, 1, 2, 4, 8, 12];
    let bytes = [0, 1, 1, 1, 2, 4, 4, 2, 1, 2, 4, 8, 1, 2, 4, 8];
    for value in 0..16 {
        let dtype = Dtype(value);
        let index = value as usize;
        assert_eq!(dtype.dma_code().unwrap_or(0), codes[index]);
        assert_eq!(dtype.bytes().unwrap_or(0), bytes[index]);
    }
    assert_eq!(Dtype(16).bytes(), None);
    assert_eq!(Dtype(-1).bytes(), None);
    assert_eq!(Dtype::of_text("float8_e5m2_x4"), Some(Dtype::UINT32));
    assert_eq!(Dtype::of_text("float4_e2m1fn_x4"), Some(Dtype::UINT16));
    assert_eq!(Dtype::of_text("Float32"), None);
    let ops = [DescOp::ADD, DescOp::FMA, DescOp::MAX, DescOp::MIN].map(DescOp::compute_code);
    assert_eq!(ops, [Some(0), Some(1), Some(2), Some(3)]);
    assert_eq!(DescOp::TRANSPOSE.compute_code(), None);
    assert_eq!((DescOp(-1).name(), DescOp(7).name()), (Some("INVALID"), None));
    assert_eq!(RingType(15).name(), Some("EMBEDDING_UPDATE"));
}

#[test]
fn text_is_cut_before_the_last_byte() {
    let field: [u8; 4] = text_field("abcdef");
    assert_eq!(field, *b"abc\0");
    // A character of two bytes is not cut in half.
    let field: [u8; 4] = text_field("abé");
    assert_eq!(field, *b"ab\0\0");
    let field: [u8; 4] = text_field("a\0b");
    assert_eq!(field, *b"a\0\0\0");
    assert_eq!(field_text(b"abcd"), "abcd");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Every record is its bytes: decode then encode is the identity.
    #[test]
    fn decode_then_encode_is_the_identity(
        bytes in proptest::collection::vec(any::<u8>(), 5456),
    ) {
        macro_rules! check {
            ($($type:ty)*) => {$(
                let size = size_of::<$type>();
                let (read, rest) = <$type>::of(&bytes).unwrap();
                prop_assert_eq!(read.bytes(), &bytes[..size]);
                prop_assert_eq!(rest.len(), bytes.len() - size);
                prop_assert!(<$type>::of(&bytes[..size - 1]).is_err());
            )*};
        }
        check!(RawKbin RawEngine RawMemRefSet RawMemRef RawPointerArm RawVirtualArm RawListArm
            RawRemoteArm RawDebugTensor RawDma RawRingInstance RawDescriptor RawDescriptorSide
            RawCceInfo RawActFunctionSet RawCarveoutHead RawCarveout RawFp8Config
            super::root::RawKelfNn super::activation::RawActProfile super::sets::RawDveConfig
            super::sets::RawBuffer super::sets::RawArray super::sets::RawSourceTargetPairs
            super::sets::RawPair super::sets::RawUcodeLib super::sets::RawUcodeFunction
            super::descriptor::RawSemaphoreArm);
        // Tails read by a count that the bytes themselves give.
        let _ = (MemRefTable::of(&bytes), DmaQueue::of(&bytes), RingInstance::of(&bytes));
        let mut copy = RawMemRef::read_from_prefix(&bytes).unwrap().0;
        let arm = *RawRemoteArm::of(&bytes).unwrap().0;
        copy.set_arm(&arm);
        prop_assert_eq!(copy.union.as_slice(), arm.as_bytes());
    }
}

/// How much of the published layouts is here; each field's place is checked when this compiles.
#[test]
fn layouts_and_fields_are_counted() {
    let fields = || LAYOUTS.iter().flat_map(|layout| layout.fields);
    let padding = fields().filter(|field| matches!(field.form, Form::Padding)).count();
    assert_eq!((LAYOUTS.len(), fields().count() - padding, padding), (39, 163, 28));
}
