//! Numbers and texts of documents that are left out or do not fit the field of a record: what the
//! field shows, what it says about it, and what the finding says. Every program is the case
//! `every-record` with one change.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use kbin::record::{FieldValue, Value};
use kbin::{Kbin, Options};
use neff::{Diagnostic, Findings, Limits, Package, Severity};
use records::Provenance;
use support::case::Case;
use support::fixtures::case;
use support::neff_builder::build;
use support::workspace_root;

const DEF: &str = "sg00/def.json";
const POOL: &str = "sg00/pool.json";
const EXP: &str = "sg00/exp.json";
const LIB: &str = "sg00/ulib.json";
const DVE: &str = "sg00/dve.json";

const FILE: Provenance = Provenance::File;
const OBSERVED: Provenance = Provenance::Observed;
const INFERRED: Provenance = Provenance::Inferred;
const MODELLED: Provenance = Provenance::Modelled;

fn every_record() -> Case {
    case(&workspace_root(), "every-record").unwrap()
}

fn built(case: &Case) -> (Package, Kbin) {
    let bytes = build(case).unwrap();
    let package = neff::open(&bytes, &Limits::default(), &mut Findings::new()).unwrap();
    let mut tree = Kbin::build(&package, 0, &Options::default()).unwrap();
    tree.check_patterns();
    (package, tree)
}

fn changed(changes: &[(&str, &str, &str)]) -> (Package, Kbin) {
    let mut case = every_record();
    for (member, from, to) in changes {
        assert!(case.change(member, from, to), "no `{from}` in {member}");
    }
    built(&case)
}

fn fields(package: &Package, tree: &Kbin, record: &str) -> Vec<FieldValue> {
    tree.record_fields(package, tree.record_of_name(record).unwrap(), 0, 4_096)
}

fn field(package: &Package, tree: &Kbin, record: &str, name: &str) -> FieldValue {
    let all = fields(package, tree, record);
    all.into_iter().find(|one| one.name == name).unwrap_or_else(|| panic!("{record} {name}"))
}

fn found<'a>(tree: &'a Kbin, code: &str) -> Vec<&'a Diagnostic> {
    tree.notes.findings.as_slice().iter().filter(|one| one.code == code).collect()
}

#[test]
fn what_does_not_fit_is_said_and_is_no_value_of_the_file() {
    // Member, text, what it becomes; record, field, its value then; JSON pointer, value and range.
    type Row<'a> = ([&'a str; 3], [&'a str; 2], Value, [&'a str; 3]);
    let byte = "a whole number from 0 to 255";
    let half = "a whole number from 0 to 2^32 - 1";
    let long = "a whole number from 0 to 2^64 - 1";
    let word = "a whole number from -2^31 to 2^32 - 1";
    let flag = "true or false, 1 or 0";
    let number = Value::Number;
    let table: Vec<Row<'_>> = vec![
        (
            [EXP, r#""imm_bias": 2"#, r#""imm_bias": 300"#],
            ["act_function_set.0", "profile_data[0].imm_bias"],
            number(0),
            ["/profile_meta_data/0/imm_bias", "300", byte],
        ),
        (
            [EXP, r#""exp_offset": -19"#, r#""exp_offset": -1099511627776"#],
            ["act_function_set.0", "profile_data[0].exp_offset"],
            Value::Signed(0),
            ["/profile_meta_data/0/exp_offset", "-1099511627776", word],
        ),
        (
            [EXP, r#""func_id": 1"#, r#""func_id": 4294967296"#],
            ["act_function_set.0", "profile_data[1].func_id"],
            number(0),
            ["/profile_meta_data/1/func_id", "4294967296", word],
        ),
        (
            [EXP, r#""fma_const_0": 5"#, r#""fma_const_0": 0.5"#],
            ["act_function_set.0", "profile_data[0].fma_const_0"],
            Value::Float(0.0),
            ["/profile_meta_data/0/fma_const_0", "0.5", word],
        ),
        (
            [LIB, r#""gather", "opcode": 240"#, r#""gather", "opcode": 300"#],
            ["ucode_lib.0.functions", "functions[0].opcode"],
            number(0),
            ["/functions/0/opcode", "300", byte],
        ),
        (
            [LIB, r#""total_cpus": 8"#, r#""total_cpus": 256"#],
            ["ucode_lib.0", "total_cpus"],
            number(0),
            ["/total_cpus", "256", byte],
        ),
        (
            [DEF, r#""ocp_sat": false"#, r#""ocp_sat": "yes""#],
            ["kbin", "fp8_conv_cfg.ocp_sat"],
            Value::Flag(true),
            ["/fp8_conversion_config/ocp_sat", "\"yes\"", flag],
        ),
        (
            [DEF, r#""fp8_sis": true"#, r#""fp8_sis": 7"#],
            ["kbin", "fp8_conv_cfg.sis"],
            Value::Flag(false),
            ["/fp8_conversion_config/fp8_sis", "7", flag],
        ),
        (
            [DEF, r#""emax_fp8_e4m3": 7"#, r#""emax_fp8_e4m3": -1"#],
            ["kbin", "fp8_conv_cfg.emax_fp8_e4m3"],
            number(8),
            ["/fp8_conversion_config/emax_fp8_e4m3", "-1", half],
        ),
        (
            [DEF, r#""num_streams": 3"#, r#""num_streams": -3"#],
            ["kbin", "cc_streams.num_streams"],
            number(1),
            ["/cc_streams/num_streams", "-3", long],
        ),
        (
            ["sg00/act.json", r#""act_semaphore": 9"#, r#""act_semaphore": 4294967296"#],
            ["kbin", "act_function_sets.act_tbl_semaphore"],
            number(0),
            ["/act_semaphore", "4294967296", half],
        ),
        (
            [DEF, r#""num_queues": 16"#, r#""num_queues": 4294967297"#],
            ["dma.q_dynamic", "queue_set_cnt"],
            number(1),
            ["/dma_queue/q_dynamic/num_queues", "4294967297", half],
        ),
        (
            [DEF, r#"_size": 16384"#, r#"_size": 17179869184"#],
            ["dma.q_dynamic", "dge_sb_scratch_size"],
            number(0),
            ["/dma_queue/q_dynamic/dynamic_dma/SB_scratch_partition_size", "17179869184", half],
        ),
        (
            [POOL, r#""priority_class": 2"#, r#""priority_class": 256"#],
            ["ring.q_out.0", "desc[1].priority_class"],
            number(0),
            ["/dma/1/priority_class", "256", byte],
        ),
        (
            [POOL, r#""id": 7"#, r#""id": -7"#],
            ["ring.q_out.0", "desc[0].block_id"],
            number(0),
            ["/dma/1/id", "-7", half],
        ),
        (
            [POOL, r#""to_off": 1024"#, r#""to_off": -1024"#],
            ["ring.q_in.0", "desc[0].to.off"],
            number(0),
            ["/dma/0/desc/0/to_off", "-1024", long],
        ),
        (
            [POOL, r#""num_tiling_dimensions": 1"#, r#""num_tiling_dimensions": 4294967296"#],
            ["ring.q_out.0", "desc[1].num_tiling_dims"],
            number(0),
            ["/dma/1/desc/1/num_tiling_dimensions", "4294967296", half],
        ),
        (
            [POOL, r#""scale": 0.5"#, r#""scale": 1e39"#],
            ["ring.q_data.0", "desc[0].cce_info.scale"],
            Value::Floats(vec![0.0; 32]),
            ["/dma/3/desc/0/scale", "1e39", "at most 32 numbers of 32-bit floating point"],
        ),
        (
            [DEF, r#""partitions": 128"#, r#""partitions": "all""#],
            ["sb_carveouts", "carveouts[0].num_partitions"],
            number(0),
            ["/runtime_statebuffer_reservation/0/partitions", "\"all\"", long],
        ),
        (
            [DEF, r#""size": 4096, "alignment": 4096"#, r#""size": 4096, "alignment": -1"#],
            ["mem_ref_set", "mem[4].alignment"],
            number(0),
            ["/var/scratch/alignment", "-1", long],
        ),
        (
            [DEF, r#""pipe": 3"#, r#""pipe": 4294967296"#],
            ["debug_tensor.10", "pipe_id"],
            number(0),
            ["/var/shown/pipe", "4294967296", half],
        ),
        (
            [DEF, r#""backing_variable_off": 4096"#, r#""backing_variable_off": "x""#],
            ["mem_ref_set", "mem[6].offset"],
            number(0),
            ["/var/local/backing_variable_off", "\"x\"", long],
        ),
        (
            [DEF, "[[[0, 1], [2, 3]], [[0, 2, 4]]]", "[[[0, 1], [2, 4294967296]]]"],
            ["kbin", "replica_groups.num_groups"],
            number(0),
            [
                "/replica_groups",
                "[[[0,1],[2,4294967296]]]",
                "nested arrays of ranks from 0 to 2^32 - 1",
            ],
        ),
    ];
    for ([member, from, to], [record, name], value, [pointer, written, range]) in table {
        let (package, tree) = changed(&[(member, from, to)]);
        let field = field(&package, &tree, record, name);
        assert_eq!(field.value, value, "{to}");
        assert_eq!(field.provenance, MODELLED, "{to}");
        assert!(field.why.contains("does not fit"), "{to}: {}", field.why);
        let found = found(&tree, "kbin.number");
        assert_eq!(found.len(), 1, "{to}: {:?}", tree.notes.findings);
        assert_eq!(found[0].severity, Severity::Error);
        let expected = format!("`{pointer}` is {written}; its field takes {range}");
        assert_eq!(found[0].message, expected);
        assert_eq!(found[0].at.member.as_deref(), Some(member));
    }
}

#[test]
fn a_finding_has_the_byte_of_the_object() {
    let (package, tree) = changed(&[(EXP, r#""imm_bias": 2"#, r#""imm_bias": 300"#)]);
    let at = found(&tree, "kbin.number")[0].at.offset.unwrap();
    let text = package.bytes(EXP).unwrap();
    assert!(text[usize::try_from(at).unwrap()..].starts_with(b"{\"func_name\": \"exp_400p\""));
}

#[test]
fn more_functions_than_a_byte_counts_are_all_shown() {
    let one = r#"{"name": "f", "opcode": 1, "sub_opcode": 2}, "#;
    let many = format!("\"functions\": [{}", one.repeat(299));
    let (package, tree) = changed(&[(LIB, "\"functions\": [", &many)]);
    let id = tree.record_of_name("ucode_lib.0.functions").unwrap();
    assert_eq!(tree.entry(id).unwrap().rows, 300);
    let count = field(&package, &tree, "ucode_lib.0", "num_functions");
    assert_eq!((count.value, count.provenance), (Value::Number(255), MODELLED));
    let found = found(&tree, "kbin.number");
    assert_eq!(
        found[0].message,
        "`/functions` is an array of 300; its field takes at most 255, counted in one byte"
    );
    // An operation code is a byte, signed or not: 0x185 is not the built-in 0x85.
    for (opcode, flags, provenance) in
        [("-123", 0, OBSERVED), ("133", 0, OBSERVED), ("389", 6, MODELLED)]
    {
        let text = format!("\"opcode\": {opcode}");
        let (package, tree) = changed(&[(LIB, "\"opcode\": 240", &text)]);
        let field = field(&package, &tree, "ucode_lib.0", "flags");
        assert_eq!((field.value, field.provenance), (Value::Number(flags), provenance), "{opcode}");
    }
}

#[test]
fn what_a_file_leaves_out_is_a_default_with_its_reason() {
    // Member, text, what it becomes; record, field, its value and provenance then.
    type Row<'a> = ([&'a str; 3], [&'a str; 2], Value, Provenance);
    let number = Value::Number;
    let table: Vec<Row<'_>> = vec![
        (
            [EXP, r#""imm_bias": 2, "#, ""],
            ["act_function_set.0", "profile_data[0].imm_bias"],
            number(0),
            INFERRED,
        ),
        (
            [DEF, r#""ocp_sat": false, "#, ""],
            ["kbin", "fp8_conv_cfg.ocp_sat"],
            Value::Flag(true),
            INFERRED,
        ),
        (
            [DEF, "fp8_conversion_config", "x"],
            ["kbin", "fp8_conv_cfg.sns"],
            Value::Flag(false),
            OBSERVED,
        ),
        ([DEF, "cc_streams", "x"], ["kbin", "cc_streams.num_streams"], number(1), OBSERVED),
        (
            [DEF, r#""size": 64, "alignment": 64"#, r#""size": 64"#],
            ["mem_ref_set", "mem[3].alignment"],
            number(0),
            INFERRED,
        ),
        ([DEF, "", ""], ["mem_ref_set", "mem[0].size"], number(0), INFERRED),
        ([DEF, "", ""], ["mem_ref_set", "mem[3].dtype"], Value::Text(String::new()), INFERRED),
        ([DEF, "", ""], ["dma.q_in", "dge_sb_scratch_size"], number(0), INFERRED),
        ([DEF, "", ""], ["dma.q_in", "queue_set_cnt"], number(1), INFERRED),
        ([POOL, "", ""], ["ring.q_in.0", "desc[0].priority_class"], number(0), INFERRED),
        ([POOL, "", ""], ["ring.q_in.0", "desc[0].num_tiling_dims"], number(0), INFERRED),
        ([POOL, "", ""], ["ring.q_in.0", "desc[0].function_name"], Value::None, INFERRED),
        ([POOL, r#""id": 7, "#, ""], ["ring.q_out.0", "desc[0].block_id"], number(0), INFERRED),
        (
            [DEF, r#""size": 8, "base_partition": 0, "#, r#""size": 8, "#],
            ["sb_carveouts", "carveouts[0].start_partition"],
            number(0),
            INFERRED,
        ),
        (
            [LIB, r#""total_cpus": 8"#, r#""x": 8"#],
            ["ucode_lib.0", "total_cpus"],
            number(0),
            INFERRED,
        ),
        (
            [DVE, r#""datapath_table": "dp.bin", "#, ""],
            ["dve_config", "datapath.size"],
            number(0),
            INFERRED,
        ),
        ([DVE, "dp.bin", "gone.bin"], ["dve_config", "datapath.buffer"], Value::None, MODELLED),
        ([DVE, "dp.bin", "gone.bin"], ["dve_config", "datapath.size"], number(0), MODELLED),
        (
            ["sg00/act_info.json", "exp_bkt.bin", "gone.bin"],
            ["act_function_set.0", "bkt_tbl"],
            Value::None,
            MODELLED,
        ),
    ];
    for ([member, from, to], [record, name], value, provenance) in table {
        let (package, tree) = changed(&[(member, from, to)]);
        let field = field(&package, &tree, record, name);
        assert_eq!(field.value, value, "{name}");
        assert_eq!(field.provenance, provenance, "{name}: {}", field.why);
        assert!(!field.why.is_empty(), "{name}");
        assert!(found(&tree, "kbin.number").is_empty(), "{name}: {:?}", tree.notes.findings);
    }
    let (_, tree) = changed(&[(DVE, "dp.bin", "gone.bin")]);
    assert_eq!(found(&tree, "kbin.dve-table").len(), 1);
}

#[test]
fn what_a_file_has_stays_the_file_s() {
    let (package, tree) = changed(&[]);
    for (record, name) in [
        ("act_function_set.0", "profile_data[0].imm_bias"),
        ("kbin", "fp8_conv_cfg.sis"),
        ("mem_ref_set", "mem[1].size"),
        ("mem_ref_set", "mem[1].shape"),
        ("dma.q_dynamic", "dge_sb_scratch_size"),
        ("ring.q_out.0", "desc[1].priority_class"),
        ("sb_carveouts", "carveouts[0].size"),
        ("ucode_lib.0.functions", "functions[0].opcode"),
        ("dve_config", "datapath.size"),
    ] {
        let field = field(&package, &tree, record, name);
        assert_eq!((field.provenance, field.why), (FILE, ""), "{record} {name}");
    }
}

#[test]
fn long_texts_are_cut_and_said() {
    let long = "n".repeat(300);
    let name = format!(r#"{{"name": "{long}", "opcode": 240"#);
    let (package, tree) = changed(&[(LIB, r#"{"name": "gather", "opcode": 240"#, &name)]);
    let function = field(&package, &tree, "ucode_lib.0.functions", "functions[0].name");
    assert_eq!(function.provenance, MODELLED);
    let message = &found(&tree, "kbin.number")[0].message;
    let expected = "`/functions/0/name` is a text of 300 bytes; its field takes at most 255 bytes \
                    without a zero";
    assert_eq!(message, expected);
    // Names of ring instances are cut by a loader as well.
    let (package, tree) = changed(&[(DEF, "q_data_a", &long)]);
    let ring = field(&package, &tree, "ring.q_data.0", "name");
    assert_eq!((ring.value, ring.provenance), (Value::Text("n".repeat(255)), OBSERVED));
    assert!(ring.why.contains("cuts"), "{}", ring.why);
}

#[test]
fn of_equal_keys_the_last_one_counts() {
    let twice = r#""y": {"type": "output", "size": 8, "var_id": 2}, "y": {"type": "output", "size": 16, "var_id": 2}, "y": {"type": "output", "size": 64, "var_id": 2, "dtype""#;
    let mut case = every_record();
    let first = r#""y": {"type": "output", "size": 64, "var_id": 2, "dtype""#;
    assert!(case.change(DEF, first, twice));
    let bytes = build(&case).unwrap();
    let mut findings = Findings::new();
    let package = neff::open(&bytes, &Limits::default(), &mut findings).unwrap();
    let tree = Kbin::build(&package, 0, &Options::default()).unwrap();
    let same: Vec<u64> =
        tree.variables.iter().filter(|one| one.name == "y").map(|one| one.size).collect();
    assert_eq!(same, [64]);
    assert_eq!(tree.variables.len(), 11);
    assert!(tree.notes.gates.iter().all(|gate| !gate.stops), "{:?}", tree.notes.gates);
    // The others are findings, each with its byte.
    let text = package.bytes(DEF).unwrap();
    let twice = findings.as_slice().iter().filter(|one| one.code == "json.duplicate-key");
    let starts: Vec<&[u8]> = twice
        .map(|one| {
            let counts = one.message.split_once(" occurs again; the last one counts, ").unwrap();
            assert_eq!(counts.0, "key `y` of `var`");
            let last = counts.1.strip_prefix("whose value is byte 0x").unwrap();
            let last = usize::from_str_radix(last, 16).unwrap();
            assert!(text[last..].starts_with(br#"{"type": "output", "size": 64"#));
            let at = usize::try_from(one.at.offset.unwrap()).unwrap();
            &text[at..at + 28]
        })
        .collect();
    assert_eq!(
        starts,
        [&br#"{"type": "output", "size": 8"#[..], br#"{"type": "output", "size": 1"#]
    );
}
