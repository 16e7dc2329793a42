//! The tree of records of a program: sizes, bytes and fields worked out by hand.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use kbin::record::{FieldValue, Target, Value};
use kbin::{Kbin, Options};
use neff::{Findings, Limits, Package};
use records::Provenance;
use records::kbin::descriptor::RawDescriptor;
use records::kbin::engine::EngineBlock;
use records::kbin::queue::{DmaQueue, RingInstance};
use records::kbin::root::RawKbin;
use records::kbin::sets::{Carveouts, RawFp8Config};
use records::kbin::variable::{MemRefArm, MemRefTable};
use support::case::Case;
use support::fixtures::case;
use support::neff_builder::build;
use support::real_files::real_file;
use support::workspace_root;

fn open(bytes: &[u8]) -> Package {
    neff::open(bytes, &Limits::default(), &mut Findings::new()).unwrap()
}

fn package(name: &str) -> Package {
    open(&build(&case(&workspace_root(), name).unwrap()).unwrap())
}

fn tree(package: &Package) -> Kbin {
    let mut tree = Kbin::build(package, 0, &Options::default()).unwrap();
    tree.check_patterns();
    tree
}

fn bytes(package: &Package, tree: &Kbin, name: &str) -> Vec<u8> {
    let id = tree.record_of_name(name).unwrap_or_else(|| panic!("no record {name}"));
    let entry = tree.entry(id).unwrap();
    let bytes = tree.record_bytes(package, id, 0, u64::MAX);
    assert_eq!(bytes.len() as u64, entry.bytes, "{name}");
    bytes
}

fn fields(package: &Package, tree: &Kbin, name: &str) -> Vec<FieldValue> {
    tree.record_fields(package, tree.record_of_name(name).unwrap(), 0, u64::MAX)
}

fn field(fields: &[FieldValue], name: &str) -> FieldValue {
    let found = fields.iter().find(|field| field.name == name);
    found.unwrap_or_else(|| panic!("no field {name}")).clone()
}

/// Sizes by the rule header + stride * count: 320 + 192, 320 + 100, 296 + 8 n, 264 + 5456 n,
/// 24 + 152 * 11.
#[test]
fn every_record_has_its_size() {
    let package = package("every-record");
    let tree = tree(&package);
    let list: Vec<(String, &str, u64)> =
        tree.records().into_iter().map(|entry| (entry.name, entry.kind, entry.bytes)).collect();
    let list: Vec<(&str, &str, u64)> =
        list.iter().map(|(name, kind, bytes)| (name.as_str(), *kind, *bytes)).collect();
    assert_eq!(
        list,
        [
            ("kbin", "kbin_t", 424),
            ("engine.ACT", "kbin_engine_t", 320),
            ("engine.DVE", "kbin_engine_t", 320),
            ("engine.PE", "kbin_engine_t", 420),
            ("engine.POOL", "kbin_engine_t", 512),
            ("engine.SP", "kbin_engine_t", 320),
            ("dma.q_data", "kbin_dma_t", 312),
            ("ring.q_data.0", "kbin_dma_ring_instance_t", 22_088),
            ("ring.q_data.1", "kbin_dma_ring_instance_t", 5_720),
            ("dma.q_dynamic", "kbin_dma_t", 304),
            ("ring.q_dynamic.0", "kbin_dma_ring_instance_t", 264),
            ("dma.q_embed", "kbin_dma_t", 304),
            ("ring.q_embed.0", "kbin_dma_ring_instance_t", 264),
            ("dma.q_gather", "kbin_dma_t", 304),
            ("ring.q_gather.0", "kbin_dma_ring_instance_t", 264),
            ("dma.q_in", "kbin_dma_t", 304),
            ("ring.q_in.0", "kbin_dma_ring_instance_t", 5_720),
            ("dma.q_out", "kbin_dma_t", 304),
            ("ring.q_out.0", "kbin_dma_ring_instance_t", 11_176),
            ("dma.q_tables", "kbin_dma_t", 304),
            ("ring.q_tables.0", "kbin_dma_ring_instance_t", 264),
            ("mem_ref_set", "kbin_mem_ref_set_t", 1_696),
            ("list.8", "uint32_t[]", 8),
            ("debug_tensor.10", "kbin_debug_tensor_md_t", 516),
            ("act_function_set.0", "kbin_act_function_set_t", 2_192),
            ("act_function_set.0.buckets", "act_bucket_entry", 64),
            ("act_function_set.0.controls", "act_control_entry", 32),
            ("dve_config", "kbin_dve_config_t", 64),
            ("replica_groups", "kbin_replica_group_t[]", 32),
            ("replica_groups.0", "kbin_replica_subgroup_t[]", 32),
            ("replica_groups.0.0", "uint32_t[]", 8),
            ("replica_groups.0.1", "uint32_t[]", 8),
            ("replica_groups.1", "kbin_replica_subgroup_t[]", 16),
            ("replica_groups.1.0", "uint32_t[]", 12),
            ("src_target_pairs", "kbin_src_target_pairs_t[]", 64),
            ("src_target_pairs.0", "kbin_src_target_pair", 32),
            ("src_target_pairs.1", "kbin_src_target_pair", 16),
            ("ucode_lib.0", "kbin_ucode_lib_t", 40),
            ("ucode_lib.0.functions", "kbin_ucode_function", 258),
            ("sb_carveouts", "kbin_sb_carveouts_t", 48),
        ]
    );
    for (name, _, _) in list {
        let id = tree.record_of_name(name).unwrap();
        assert_eq!(tree.record_name(id), name);
        bytes(&package, &tree, name);
    }
    for name in ["", "kbin.0", "engine.X", "ring.q_in.1", "ring.q_in.00", "dma.q", "list.1"] {
        assert_eq!(tree.record_of_name(name), None, "{name}");
    }
    let codes: Vec<&str> = tree.notes.findings.as_slice().iter().map(|one| one.code).collect();
    // SP has no document.
    assert_eq!(codes, ["kbin.engine-empty"], "{:?}", tree.notes.findings);
    let gate = &tree.notes.gates[0];
    assert_eq!(gate.text, "Engine sp not found in NEFF sg00, using empty placeholder");
    assert!(!gate.stops && tree.notes.gates.len() == 1);
}

#[test]
fn the_root_byte_for_byte() {
    let package = package("every-record");
    let tree = tree(&package);
    let mut expected = vec![0_u8; 424];
    let mut put =
        |at: usize, value: u64| expected[at..at + 8].copy_from_slice(&value.to_le_bytes());
    put(312, 1); // one activation set
    put(320, 9); // act_semaphore, with its padding
    put(352, 2); // groups
    put(368, 2); // tables of pairs
    put(384, 1); // libraries
    put(392, 3); // streams
    put(404, 7);
    put(408, 14);
    put(416, 3); // cayman
    expected[412..416].copy_from_slice(&[0, 1, 1, 0]);
    let root = bytes(&package, &tree, "kbin");
    assert_eq!(root, expected);
    // And the bytes give the values back.
    let (raw, rest) = RawKbin::of(&root).unwrap();
    assert!(rest.is_empty());
    assert_eq!((raw.target.get(), raw.replica_groups.count.get()), (3, 2));
    assert_eq!(raw.fp8_conv_cfg.emax_fp8_e5m2.get(), 14);
    let list = fields(&package, &tree, "kbin");
    let target = |name: &str| {
        field(&list, name).target.map(|target| match target {
            Target::Record(id, 0) => tree.record_name(id),
            other => format!("{other:?}"),
        })
    };
    assert_eq!(target("engine[2]").as_deref(), Some("engine.PE"));
    assert_eq!(target("dma[6]").as_deref(), Some("dma.q_tables"));
    assert_eq!(target("dma[7]").as_deref(), Some("Null"));
    assert_eq!(target("ucode_lib_set.libs").as_deref(), Some("ucode_lib.0"));
    let arch = field(&list, "target");
    assert_eq!((arch.value, arch.text.as_deref()), (Value::Number(3), Some("CAYMAN")));
    assert_eq!(arch.provenance, Provenance::File);
}

#[test]
fn code_is_copied_whole_and_counted_in_records() {
    let package = package("every-record");
    let tree = tree(&package);
    // 100 bytes: one record, 36 bytes that are not counted.
    let pe = bytes(&package, &tree, "engine.PE");
    let block = EngineBlock::of(&pe).unwrap();
    assert_eq!((block.header.eng_type.get(), block.header.ninstr.get()), (0, 1));
    assert_eq!((block.code.len(), block.uncounted_bytes()), (100, 36));
    assert_eq!(block.code[..3], [0xA0, 0x10, b' ']);
    // 3 records; the header is the published sample.
    let pool = bytes(&package, &tree, "engine.POOL");
    assert_eq!(pool[..12], [2, 0, 0, 0, b'p', b'o', b'o', b'l', 0, 0, 0, 0]);
    assert_eq!(pool[260..264], [3, 0, 0, 0]);
    assert_eq!(pool[320..322], [0xC1, 0x10]);
    // Any page of a record is the same bytes.
    let id = tree.record_of_name("engine.POOL").unwrap();
    for (from, len) in [(0, 1), (319, 2), (320, 64), (500, 64), (512, 4), (u64::MAX, 1)] {
        let start = usize::try_from(from).unwrap_or(usize::MAX).min(pool.len());
        let end = start.saturating_add(len).min(pool.len());
        let page = tree.record_bytes(&package, id, from, len as u64);
        assert_eq!(page, pool[start..end], "{from} {len}");
    }
    // An engine without a document keeps its type and name.
    let sp = bytes(&package, &tree, "engine.SP");
    assert_eq!((sp[0], &sp[4..7], sp[260]), (4, &b"sp\0"[..], 0));
    let list = tree.record_fields(&package, id, 1, 1);
    let row = list.last().unwrap();
    assert_eq!((row.name.as_str(), row.offset, row.bytes), ("instr[1]", 384, 64));
}

#[test]
fn variables_in_the_order_of_their_ids() {
    let package = package("every-record");
    let tree = tree(&package);
    let set = bytes(&package, &tree, "mem_ref_set");
    let table = MemRefTable::of(&set).unwrap();
    // 4096 + 8192, and 0x6400000 + 32768.
    assert_eq!(table.header.local_scratchpad_size.get(), 12_288);
    assert_eq!(table.header.shared_scratchpad_size.get(), 0x640_8000);
    assert_eq!(table.header.nmem.get(), 11);
    let kinds: Vec<(u32, u32)> =
        table.mem.iter().map(|one| (one.var_id.get(), one.mr_type.get())).collect();
    let expected = [1, 5, 6, 3, 4, 8, 8, 7, 9, 11, 4];
    assert_eq!(
        kinds,
        expected.iter().enumerate().map(|(id, k)| (id as u32, *k)).collect::<Vec<_>>()
    );
    // `shared` is the published virtual variable, all 152 bytes of it.
    let mut virtual_one = vec![0_u8; 152];
    for (at, value) in [
        (0, 8),
        (16, 0x8000),
        (24, 0x1000),
        (56, 1),
        (64, 64),
        (72, 128),
        (136, 0x640_0000),
        (144, 1),
    ] {
        virtual_one[at..at + 8].copy_from_slice(&u64::to_le_bytes(value));
    }
    virtual_one[32] = 5;
    virtual_one[36..43].copy_from_slice(b"float32");
    assert_eq!(set[24 + 5 * 152..24 + 6 * 152], virtual_one);
    let arms: Vec<MemRefArm<'_>> = table.mem.iter().map(|one| one.arm()).collect();
    match (arms[7], arms[8], arms[9]) {
        (MemRefArm::Pointer(pointer), MemRefArm::List(list), MemRefArm::Remote(remote)) => {
            assert_eq!((pointer.referenced_var_id.get(), pointer.io_ref), (2, 1));
            assert_eq!(list.length.get(), 2);
            assert_eq!((remote.subgraph.get(), remote.var_id.get()), (1, 0));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(bytes(&package, &tree, "list.8"), [1, 0, 0, 0, 2, 0, 0, 0]);
    let debug = bytes(&package, &tree, "debug_tensor.10");
    assert_eq!((&debug[..14], debug[512]), (&b"after layer 1\0"[..], 3));
    let list = fields(&package, &tree, "mem_ref_set");
    // The head of the .npy file is 128 bytes.
    match field(&list, "mem[3].buffer").target {
        Some(Target::Member(content)) => {
            assert_eq!((content.member.as_str(), content.offset), ("sg00/weights.npy", 128));
            assert_eq!(content.bytes, 64);
        }
        other => panic!("{other:?}"),
    }
    let target = field(&list, "mem[7].referenced_var_id");
    assert_eq!(target.text.as_deref(), Some("y"));
    assert_eq!(target.target.map(|t| matches!(t, Target::Record(_, 328))), Some(true));
    assert_eq!(field(&list, "mem[8].mr_type").provenance, Provenance::File);
}

#[test]
fn queues_with_types_owners_and_instances() {
    let package = package("every-record");
    let tree = tree(&package);
    let queue = |name: &str| {
        let bytes = bytes(&package, &tree, name);
        let queue = DmaQueue::of(&bytes).unwrap();
        let header = *queue.header;
        let count = header.semaphore_cnt.get() as usize;
        let semaphores: Vec<u32> = header.semaphores[..count].iter().map(|id| id.get()).collect();
        (
            header.ring_type.get(),
            header.owner.get(),
            header.queue_set_cnt.get(),
            semaphores,
            queue.ring_instances.len(),
        )
    };
    assert_eq!(queue("dma.q_in"), (7, 2, 1, vec![10], 1));
    assert_eq!(queue("dma.q_out"), (8, 2, 1, vec![11], 1));
    assert_eq!(queue("dma.q_data"), (6, 4, 2, vec![12, 13], 2));
    assert_eq!(queue("dma.q_gather"), (9, 2, 1, vec![14], 1));
    assert_eq!(queue("dma.q_tables"), (11, 1, 1, vec![15], 1));
    assert_eq!(queue("dma.q_embed"), (15, 3, 1, vec![16], 1));
    assert_eq!(queue("dma.q_dynamic"), (5, 2, 16, vec![24, 25], 1));
    let dynamic = bytes(&package, &tree, "dma.q_dynamic");
    assert_eq!(dynamic[276..284], [0, 1, 0, 0, 0, 0x40, 0, 0]);
    // `q_in` is the published sample of a queue.
    let published = bytes(&package, &tree, "dma.q_in");
    assert_eq!(published[..20], [7, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 10, 0, 0, 0]);
    assert_eq!(published[288], 1);
    let inferred = field(&fields(&package, &tree, "dma.q_dynamic"), "ring_type");
    assert_eq!(
        (inferred.text.as_deref(), inferred.provenance),
        (Some("MODEL"), Provenance::Inferred)
    );
}

fn ring(package: &Package, tree: &Kbin, name: &str) -> Vec<RawDescriptor> {
    let bytes = bytes(package, tree, name);
    let ring = RingInstance::of(&bytes).unwrap();
    assert_eq!(ring.header.ndesc.get() as usize, ring.desc.len());
    ring.desc.to_vec()
}

#[test]
fn descriptors_with_their_sides_and_blocks() {
    let package = package("every-record");
    let tree = tree(&package);
    let out = ring(&package, &tree, "ring.q_out.0");
    let (first, second) = (&out[0], &out[1]);
    assert_eq!((first.from[0].idx.get(), first.to.idx.get()), (0, 2));
    assert_eq!((first.to.off.get(), first.to.num_dims.get()), (48, 2));
    assert_eq!(first.to.steps.map(|step| step.get()), [1, -16, 0, 0, 0, 0, 0, 0]);
    assert_eq!(first.to.sizes.map(|size| size.get()), [16, 4, 0, 0, 0, 0, 0, 0]);
    assert_eq!((first.to.dtype.get(), second.num_tiling_dims.get()), (0, 1));
    assert_eq!((first.block_id.get(), second.block_id.get()), (7, 7));
    assert_eq!((first.block_end_desc, second.block_end_desc), (0, 1));
    assert_eq!((first.priority_class, second.priority_class), (2, 2));
    // A block with a function starts the choice of engines again.
    assert_eq!((first.reset_engine_round_robin, second.reset_engine_round_robin), (1, 1));
    let load = &ring(&package, &tree, "ring.q_in.0")[0];
    assert_eq!((load.reset_engine_round_robin, load.from[0].dtype.get()), (0, 5));
    assert_eq!(load.from[1], records::kbin::descriptor::RawDescriptorSide::zero());
    // A transpose does so too; its block names the second instance.
    let transposed = &ring(&package, &tree, "ring.q_data.1")[0];
    assert_eq!((transposed.op.get(), transposed.reset_engine_round_robin), (5, 1));
    assert_eq!(transposed.compute, [0; 140]);
    let list = fields(&package, &tree, "ring.q_data.1");
    let compute = field(&list, "desc[0].compute");
    assert_eq!(compute.text.as_deref(), Some("WZXY [1, 1, 4, 4], elements of 4 bytes"));
    assert_eq!((compute.value, compute.provenance), (Value::None, Provenance::Modelled));
    let idx = field(&list, "desc[0].from[0].idx");
    assert_eq!((idx.value, idx.text.as_deref()), (Value::Number(1), Some("x")));
    assert_eq!((idx.offset, idx.provenance), (264 + 168, Provenance::Inferred));
    // The fields of a row cover its bytes once.
    let mut end = 264;
    for field in list.iter().filter(|field| field.name.starts_with("desc[0].")) {
        assert_eq!(field.offset, end, "{}", field.name);
        end += field.bytes;
    }
    assert_eq!(end, 264 + 5456);
    let name = field(&fields(&package, &tree, "ring.q_out.0"), "desc[0].function_name");
    assert_eq!(name.target, Some(Target::Text("store".to_owned())));
}

#[test]
fn computing_transfers() {
    let package = package("every-record");
    let tree = tree(&package);
    let data = ring(&package, &tree, "ring.q_data.0");
    assert_eq!(data.iter().map(|one| one.op.get()).collect::<Vec<_>>(), [1, 4, 2, 0]);
    let info = data[0].cce_info().unwrap();
    assert_eq!((info.num_sources.get(), info.num_dests.get()), (2, 1));
    let fma = info.fma().unwrap();
    let scales: Vec<f32> = fma.scale[..3].iter().map(|bits| f32::from_bits(bits.get())).collect();
    assert_eq!((fma.scale_dtype.get(), scales), (5, vec![0.5, 0.5, 0.0]));
    assert_eq!((data[0].from[0].idx.get(), data[0].from[1].idx.get()), (1, 3));
    let max = data[1].cce_info().unwrap().min_max().unwrap();
    assert_eq!(
        (max.use_constant, max.constant_dtype.get(), max.constant.get()),
        (1, 5, 0xBFC0_0000)
    );
    assert_eq!(data[2].cce_info().unwrap().num_sources.get(), 2);
    assert_eq!(data[3].compute, [0; 140]);
    // float32 5 becomes float16 4.
    assert_eq!((data[3].from[0].dtype.get(), data[3].to.dtype.get()), (5, 4));
    let list = fields(&package, &tree, "ring.q_data.0");
    assert_eq!(field(&list, "desc[1].cce_info.constant").value, Value::Float(-1.5));
    let mut end = 264;
    for field in list.iter().filter(|field| field.name.starts_with("desc[")) {
        assert_eq!(field.offset, end, "{}", field.name);
        end += field.bytes;
    }
    assert_eq!(end, 22_088);
}

#[test]
fn tables_and_small_sets() {
    let package = package("every-record");
    let tree = tree(&package);
    let set = bytes(&package, &tree, "act_function_set.0");
    assert_eq!(&set[..15], b"exp_and_others\0");
    assert_eq!((set[264], set[280], set[2184]), (64, 32, 2));
    let profile = &set[284..284 + 76];
    let word = |at: usize| u32::from_le_bytes(profile[at..at + 4].try_into().unwrap());
    assert_eq!((word(0), word(4), &profile[8..12]), (7, 0x3F80_0000, &[1, 0, 1, 0][..]));
    assert_eq!((word(12) as i32, word(16), word(20)), (-19, 26, 0));
    assert_eq!((word(48), word(52), word(60)), (0x7FC0_0000, 0x7F80_0000, 0x3F80_0000));
    assert_eq!((word(64), word(68), &profile[72..76]), (5, 6, &[3, 2, 0, 0][..]));
    assert_eq!(set[284 + 76], 1);
    let dve = bytes(&package, &tree, "dve_config");
    assert_eq!((dve[8], dve[24], dve[40], dve[56]), (40, 60, 70, 50));
    // The published bytes of a reserved area.
    let areas = bytes(&package, &tree, "sb_carveouts");
    let read = Carveouts::of(&areas).unwrap();
    assert_eq!((read.areas.len(), read.areas[0].offset.get()), (1, 0x37FF8));
    assert_eq!(areas[16..20], [0xF8, 0x7F, 3, 0]);
    assert_eq!(bytes(&package, &tree, "replica_groups.1.0"), [0, 0, 0, 0, 2, 0, 0, 0, 4, 0, 0, 0]);
    assert_eq!(bytes(&package, &tree, "src_target_pairs.1")[..9], [2, 0, 0, 0, 0, 0, 0, 0, 3]);
    let lib = bytes(&package, &tree, "ucode_lib.0");
    assert_eq!((lib[8], lib[16], lib[20], lib[21], lib[32]), (90, 6, 0, 8, 1));
    let functions = bytes(&package, &tree, "ucode_lib.0.functions");
    assert_eq!((&functions[..7], functions[256], functions[257]), (&b"gather\0"[..], 240, 3));
}

/// Entries of both tables: the first bucket and control word of a real `exp`.
#[test]
fn activation_tables_are_shown_entry_by_entry() {
    let mut case = case(&workspace_root(), "every-record").unwrap();
    let mut table = |name: &str, hex: &str| {
        let member = case.members.iter_mut().find(|one| one.name == name).unwrap();
        member.hex = Some(hex.to_owned());
    };
    table("sg00/exp_bkt.bin", "0000803f0000003f0000003e000080be0000c03f000000000000000000000001");
    table("sg00/exp_ctrl.bin", &format!("1ab80500{}", "00".repeat(28)));
    let package = open(&build(&case).unwrap());
    let tree = tree(&package);
    let buckets = fields(&package, &tree, "act_function_set.0.buckets");
    let value = |name: &str| field(&buckets, name).value;
    assert_eq!(value("entry[0].d0"), Value::Float(1.0));
    assert_eq!(value("entry[0].d3"), Value::Float(-0.25));
    assert_eq!(value("entry[0].x"), Value::Float(1.5));
    let rest = field(&buckets, "entry[0].rest_20");
    assert_eq!(rest.text.as_deref(), Some("000000000000000000000001"));
    assert!(rest.meaning.starts_with("meaning not published"));
    let controls = fields(&package, &tree, "act_function_set.0.controls");
    let word = field(&controls, "entry[0].word");
    // 0x05b81a: bits 0 to 10 are 0x01a, 11 to 15 are 0b10111, 16 to 23 are 5.
    assert_eq!(word.value, Value::Text("0x5b81a".to_owned()));
    assert_eq!(word.text.as_deref(), Some("base 26, lsb 23, size 5"));
    let rest = field(&controls, "entry[0].rest_4");
    assert_eq!(rest.text.as_deref(), Some("28 bytes of 0"));
    // What the file has for the bytes whose packing is not published stands beside them.
    let case = every_record_with_threshold();
    let package = open(&build(&case).unwrap());
    let tree = self::tree(&package);
    let set = fields(&package, &tree, "act_function_set.0");
    let packed = field(&set, "profile_data[0].thresholds");
    let expected = "not published; the file has small_pos_signal_exp_threshold 108";
    assert_eq!((packed.text.as_deref(), packed.provenance), (Some(expected), Provenance::Modelled));
}

fn every_record_with_threshold() -> Case {
    let mut case = case(&workspace_root(), "every-record").unwrap();
    let more = r#""imm_bias": 2, "small_pos_signal_exp_threshold": 108"#;
    assert!(case.change("sg00/exp.json", r#""imm_bias": 2"#, more));
    case
}

#[test]
fn the_smallest_program() {
    let package = package("sg00");
    let tree = tree(&package);
    let sizes: Vec<(String, u64)> =
        tree.records().into_iter().map(|entry| (entry.name, entry.bytes)).collect();
    for (name, bytes) in [
        ("engine.POOL", 512),
        ("engine.PE", 384),
        ("ring.q_gradient_in.0", 5_720),
        ("mem_ref_set", 24 + 5 * 152),
        ("sb_carveouts", 8),
        ("replica_groups", 16),
    ] {
        assert!(sizes.contains(&(name.to_owned(), bytes)), "{name}: {sizes:?}");
    }
    // The target is `*`: that of the device, which is configured.
    let list = fields(&package, &tree, "kbin");
    assert_eq!(field(&list, "target").provenance, Provenance::Configured);
    assert_eq!(field(&list, "cc_streams.num_streams").value, Value::Number(1));
    let root = bytes(&package, &tree, "kbin");
    assert_eq!(root[400..416], *RawFp8Config::DEFAULT.bytes());
    assert!(!tree.notes.gates.iter().any(|gate| gate.stops), "{:?}", tree.notes.gates);
}

#[test]
fn real_programs_have_no_fault() {
    for (name, engines, variables) in [
        ("matmul_small/matmul_small.neff", [5, 2, 12, 7, 3], 6_u64),
        ("matmul_large/matmul_large.neff", [103, 1_101, 21_269, 6_873, 449], 22),
    ] {
        let Some(file) = real_file(name) else { continue };
        let package = open(&file);
        let tree = tree(&package);
        let list = tree.records();
        let sizes: Vec<u64> = list[1..6].iter().map(|entry| entry.bytes).collect();
        assert_eq!(sizes, engines.map(|slots| 320 + 64 * slots));
        let table = list.iter().find(|entry| entry.name == "mem_ref_set").unwrap();
        assert_eq!(table.bytes, 24 + 152 * variables);
        assert!(tree.notes.findings.as_slice().is_empty(), "{:?}", tree.notes);
        let set = bytes(&package, &tree, "act_function_set.0");
        // 941 and 89 entries of 32 bytes; 15 functions.
        assert_eq!(set[264..268], 30_112_u32.to_le_bytes());
        assert_eq!(set[280..284], 2_848_u32.to_le_bytes());
        assert_eq!(set[2184], 15);
        let dve = bytes(&package, &tree, "dve_config");
        assert_eq!(dve[8..10], 1_024_u16.to_le_bytes());
        assert_eq!(dve[56..58], 16_384_u16.to_le_bytes());
    }
}
