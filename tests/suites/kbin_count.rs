//! How much of the published records is here: every place of the published tables against the
//! layouts, every published sample made from documents, the table of allocations, and the numbers
//! that docs/format/kbin.md says of them.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use kbin::{Kbin, Options};
use neff::{Findings, Limits, Package};
use records::kbin::{Form, LAYOUTS, Layout};
use support::case::{Case, MemberText};
use support::neff_builder::build;
use support::workspace_root;

/// Published records that have no layout here, and why.
const NOT_HERE: [(&str, &str); 4] = [
    ("transpose information of a descriptor", "its inside is not published"),
    ("event form of a descriptor", "its layout is not published"),
    ("builder's frame of the fp8 conversion", "an object of the builder, not of the tree"),
    ("mla_resources", "an object of the builder, not of the tree"),
];
/// Layouts that are no published record of their own: the form that all arrays by pointer share.
const OWN: [&str; 1] = ["kbin_array"];

/// Every place of the published tables: record, bytes, then `offset+size` of each field.
const PLACES: &[(&str, usize, &str)] = &[
    ("kelf_nn", 24, "0+8 8+8 16+8"),
    (
        "kbin_t",
        424,
        "0+40 40+256 296+8 304+8 312+8 320+4 324+4 328+8 336+8 344+8 352+8 360+8 368+8 376+8 384+8 \
         392+8 400+1 404+4 408+4 412+1 413+1 414+1 416+4 420+4",
    ),
    ("kbin_engine_t", 320, "0+4 4+256 260+4 264+56"),
    ("kbin_mem_ref_set_t", 24, "0+8 8+8 16+4 20+4"),
    ("kbin_mem_ref", 152, "0+4 4+4 8+8 16+8 24+8 32+4 36+16 52+4 56+64 120+8 128+8 136+16"),
    ("kbin_mem_ref.ptr", 16, "0+4 4+1"),
    ("kbin_mem_ref.virtual", 16, "0+8 8+4"),
    ("kbin_mem_ref.list", 16, "0+4 8+8"),
    ("kbin_mem_ref.remote", 16, "0+4 4+4"),
    ("kbin_debug_tensor_md_t", 516, "0+512 512+4"),
    ("kbin_dma_t", 296, "0+4 4+4 8+4 12+4 16+128 144+4 148+128 276+4 280+4 284+4 288+4 292+4"),
    ("kbin_dma_ring_instance_t", 264, "0+256 256+4 260+4"),
    (
        "kbin_dma_desc_t",
        5_456,
        "0+4 4+4 8+160 168+5120 5288+4 5292+140 5432+4 5436+1 5437+1 5438+2 5440+8 5448+1 5449+7",
    ),
    ("kbin_dma_desc_info_t", 160, "0+4 4+4 8+8 16+4 20+4 24+64 88+64 152+4 156+4"),
    ("kbin_dma_desc_cce_info_t", 140, "0+4 4+132 136+4"),
    ("kbin_dma_desc_cce_info_t.fma", 132, "0+4 4+128"),
    ("kbin_dma_desc_cce_info_t.minmax", 132, "0+1 4+4 8+4"),
    ("kbin_dma_desc_t.inc_sema", 8, "0+4 4+4"),
    (
        "kbin_act_function_set_t",
        2_192,
        "0+256 256+8 264+4 268+4 272+8 280+4 284+1900 2184+1 2185+7",
    ),
    (
        "kbin_act_profile_data_t",
        76,
        "0+4 4+4 8+1 9+1 10+1 11+1 12+4 16+4 20+4 24+24 48+4 52+4 56+4 60+4 64+4 68+4 72+1 73+1 74+2",
    ),
    ("act_bucket_entry", 32, "0+4 4+4 8+4 12+4 16+4 20+12"),
    ("act_control_entry", 32, "0+4"),
    ("kbin_dve_config_t", 64, "0+8 8+8 16+8 24+8 32+8 40+8 48+8 56+8"),
    ("kbin_buffer_t", 16, "0+8 8+8"),
    ("kbin_act_function_sets_t", 24, "0+8 8+8 16+4"),
    ("kbin_replica_group_set_t", 16, "0+8 8+8"),
    ("kbin_replica_group_t", 16, "0+8 8+8"),
    ("kbin_replica_subgroup_t", 16, "0+8 8+8"),
    ("kbin_src_target_pairs_set_t", 16, "0+8 8+8"),
    ("kbin_ucode_lib_sets_t", 16, "0+8 8+8"),
    ("kbin_src_target_pairs_t", 32, "0+8 8+8 16+8 24+8"),
    ("kbin_src_target_pair", 16, "0+8 8+8"),
    ("kbin_sb_carveouts_t", 8, "0+8"),
    ("kbin_sb_carveout_t", 40, "0+4 4+4 8+8 16+8 24+8 32+8"),
    ("kbin_ucode_lib_t", 40, "0+8 8+8 16+4 20+1 21+1 22+2 24+8 32+1 33+7"),
    ("kbin_ucode_function", 258, "0+256 256+1 257+1"),
    ("kbin_cc_streams_t", 8, "0+8"),
    ("kbin_fp8_conv_cfg_t", 16, "0+1 4+4 8+4 12+1 13+1 14+1 15+1"),
];

/// Places of a layout, of its inner records too.
fn places(layout: &Layout, base: usize, out: &mut Vec<(usize, usize)>) {
    for field in layout.fields {
        out.push((base + field.offset, field.bytes));
        if let Form::Record(inner) = field.form {
            places(inner, base + field.offset, out);
        }
    }
}

#[test]
fn every_published_place_is_where_it_is_published() {
    for (name, bytes, listed) in PLACES {
        let layout = LAYOUTS.iter().find(|one| one.name == *name);
        let layout = layout.unwrap_or_else(|| panic!("no layout {name}"));
        assert_eq!(layout.bytes, *bytes, "{name}");
        let mut have = Vec::new();
        places(layout, 0, &mut have);
        for place in listed.split_whitespace() {
            let (at, size) = place.split_once('+').unwrap();
            let place = (at.parse().unwrap(), size.parse().unwrap());
            assert!(have.contains(&place), "{name} has no field at {place:?}: {have:?}");
        }
    }
    // And there is no layout beside.
    for layout in LAYOUTS {
        let is_own = OWN.contains(&layout.name);
        assert!(is_own != PLACES.iter().any(|one| one.0 == layout.name), "{}", layout.name);
    }
}

fn member(name: &str, text: impl Into<String>) -> MemberText {
    MemberText { name: name.to_owned(), text: Some(text.into()), ..MemberText::default() }
}

/// A program of two subgraphs, the first of which has this definition and these members.
fn program(definition: &str, members: Vec<MemberText>) -> (Package, Kbin) {
    let graphs = r#"{"graphs": [{"definition": "sg00/def.json", "name": "sg00"}, {"definition": "sg01/def.json", "name": "sg01"}], "version": "0.5", "target": "cayman"}"#;
    let peer = r#"{"var": {"their": {"type": "output", "size": 64, "var_id": 4}}, "runtime_statebuffer_reservation": []}"#;
    let mut all = vec![
        member("kelf-0.json", graphs),
        member("sg00/def.json", definition),
        member("sg01/def.json", peer),
    ];
    all.extend(members);
    let bytes = build(&Case { members: all, ..Case::default() }).unwrap();
    let package = neff::open(&bytes, &Limits::default(), &mut Findings::new()).unwrap();
    let mut tree = Kbin::build(&package, 0, &Options::default()).unwrap();
    tree.check_patterns();
    (package, tree)
}

fn record((package, tree): &(Package, Kbin), name: &str) -> Vec<u8> {
    let id = tree.record_of_name(name).unwrap_or_else(|| panic!("no record {name}"));
    tree.record_bytes(package, id, 0, u64::MAX)
}

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

/// The published samples, each made from documents: where it is in which record, and its bytes.
fn samples() -> Vec<(Vec<u8>, Vec<u8>)> {
    let definition = r#"{"pool": "pool.json",
        "var": {
            "SB": {"type": "state-buffer", "var_id": 0}, "a": {"type": "input", "size": 8, "var_id": 1},
            "b": {"type": "output", "size": 8, "var_id": 2}, "c": {"type": "tmp-buf", "size": 8, "var_id": 3},
            "d": {"type": "tmp-buf", "size": 8, "var_id": 4}, "e": {"type": "tmp-buf", "size": 8, "var_id": 7},
            "f": {"type": "tmp-buf", "size": 8, "var_id": 8},
            "virtual": {"type": "virtual", "size": 32768, "alignment": 4096, "var_id": 5, "dtype": "float32", "shape": [1, 64, 128], "backing_variable_off": 104857600, "backing_buf": "shared"},
            "pointer": {"type": "pointer", "size": 8, "alignment": 8, "var_id": 6, "referenced_var_id": 2},
            "remote": {"type": "remote", "size": 64, "var_id": 9, "subgraph": "sg01", "var": "their"}},
        "dma_queue": {"q": {"owner": "pool", "type": "in", "semaphore": 10}},
        "runtime_statebuffer_reservation": [{"type": "evtaccel", "offset": 229368, "size": 8, "base_partition": 0, "partitions": 128}]}"#;
    let slots = vec!["a0 10".to_owned(); 3];
    let code = MemberText {
        name: "sg00/pool.bin".to_owned(),
        slots: Some(slots),
        ..MemberText::default()
    };
    let first =
        program(definition, vec![member("sg00/pool.json", r#"{"instr": "pool.bin"}"#), code]);
    // Half a gibibyte in one scratchpad and 100 MiB in the other.
    let second = program(
        r#"{"var": {"out": {"type": "output", "size": 8, "var_id": 0},
            "l": {"type": "virtual", "size": 268435456, "backing_variable_off": 268435456, "var_id": 1},
            "s": {"type": "virtual", "size": 104857600, "backing_variable_off": 0, "backing_buf": "shared", "var_id": 2}},
            "runtime_statebuffer_reservation": []}"#,
        Vec::new(),
    );
    let set = record(&first, "mem_ref_set");
    let variable = |id: usize| set[24 + 152 * id..24 + 152 * (id + 1)].to_vec();
    let root = record(&first, "kbin");
    vec![
        (
            record(&first, "engine.POOL")[..320].to_vec(),
            dump(
                320,
                &[
                    (0x000, "02 00 00 00 70 6F 6F 6C 00 00 00 00 00 00 00 00"),
                    (0x100, "00 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00"),
                ],
            ),
        ),
        (
            record(&second, "mem_ref_set")[..24].to_vec(),
            dump(
                24,
                &[(0, "00 00 00 20 00 00 00 00 00 00 40 06 00 00 00 00 03 00 00 00 00 00 00 00")],
            ),
        ),
        (
            variable(5),
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
            variable(9),
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
            variable(6),
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
        (
            record(&first, "dma.q"),
            dump(
                304,
                &[
                    (0x000, "07 00 00 00 02 00 00 00 01 00 00 00 01 00 00 00"),
                    (0x010, "0A 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00"),
                    (0x120, "01 00 00 00 00 00 00 00"),
                ],
            ),
        ),
        (
            record(&first, "sb_carveouts"),
            dump(
                48,
                &[
                    (0x000, "01 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00"),
                    (0x010, "F8 7F 03 00 00 00 00 00 08 00 00 00 00 00 00 00"),
                    (0x020, "00 00 00 00 00 00 00 00 80 00 00 00 00 00 00 00"),
                ],
            ),
        ),
        (
            root[400..416].to_vec(),
            dump(16, &[(0, "01 00 00 00 08 00 00 00 0F 00 00 00 01 00 00 00")]),
        ),
    ]
}

#[test]
fn the_published_samples_come_out_of_documents() {
    for (made, published) in samples() {
        assert_eq!(made, published);
    }
}

/// Sizes for 0, 1, 3 and 10 elements, as published; of what a program always has, no 0.
#[test]
fn allocations_of_the_published_table() {
    let size = |made: &(Package, Kbin), name: &str| {
        made.1.record_of_name(name).map_or(0, |id| made.1.entry(id).unwrap().bytes)
    };
    let names =
        |n: usize, item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<Vec<_>>().join(", ");
    for (n, ring, instance, table, libraries, sets) in [
        (0, 304, 264, 24, 0, 0),
        (1, 304, 5_720, 176, 40, 2_192),
        (3, 320, 16_632, 480, 120, 6_576),
        (10, 376, 54_824, 1_544, 400, 21_920),
    ] {
        let definition = format!(
            r#"{{"act": "act.json", "dve": "dve.json", "var": {{{}}}, "ucode_lib": [{}],
                "dma_queue": {{"q": {{"owner": "act", "type": "data", "queue_instances": [{}]}},
                               "r": {{"owner": "act", "type": "data"}}}},
                "runtime_statebuffer_reservation": []}}"#,
            names(n, &|at| format!(r#""v{at}": {{"type": "output", "size": 8, "var_id": {at}}}"#)),
            names(n, &|at| format!(r#"{{"library": "l{at}", "ulib_to_ucode_version": "1.0"}}"#)),
            names(n, &|at| format!(r#""q{at}""#)),
        );
        let act = format!(
            r#"{{"activation_function_sets": [{}], "dma": [{{"queue": "r", "id": 0, "desc": [{}]}}]}}"#,
            names(n, &|at| format!(r#""s{at}""#)),
            names(n, &|_| "{}".to_owned()),
        );
        let made = program(
            &definition,
            vec![
                member("sg00/act.json", act),
                member("sg00/dve.json", r#"{"dve_tables": [{"opcode_table": "op.bin"}]}"#),
            ],
        );
        let sum = |prefix: &str| -> u64 {
            let all = made.1.records().into_iter();
            all.filter(|one| {
                one.name.strip_prefix(prefix).is_some_and(|rest| rest.parse::<u32>().is_ok())
            })
            .map(|one| one.bytes)
            .sum()
        };
        assert_eq!(size(&made, "kbin"), 424);
        assert_eq!(size(&made, "dma.q"), ring, "{n}");
        assert_eq!(size(&made, "ring.r.0"), instance, "{n}");
        assert_eq!(size(&made, "mem_ref_set"), table, "{n}");
        assert_eq!(sum("ucode_lib."), libraries, "{n}");
        assert_eq!(sum("act_function_set."), sets, "{n}");
        assert_eq!(size(&made, "dve_config"), 64);
        assert_eq!(size(&made, "engine.ACT"), 320);
    }
    // Bytes of code, of its block, records that are counted, bytes that are not.
    for (bytes, block, records, left) in
        [(0_u64, 320, 0, 0), (64, 384, 1, 0), (100, 420, 1, 36), (128, 448, 2, 0)]
    {
        let code = MemberText {
            name: "sg00/sp.bin".to_owned(),
            pad_to: Some(usize::try_from(bytes).unwrap()),
            ..MemberText::default()
        };
        let made = program(
            r#"{"sp": "sp.json", "var": {}, "runtime_statebuffer_reservation": []}"#,
            vec![member("sg00/sp.json", r#"{"instr": "sp.bin"}"#), code],
        );
        let all = record(&made, "engine.SP");
        let read = records::kbin::engine::EngineBlock::of(&all).unwrap();
        assert_eq!(all.len(), block, "{bytes}");
        assert_eq!(u64::from(read.header.ninstr.get()), records);
        assert_eq!(read.uncounted_bytes(), left);
        assert_eq!(read.code.len() as u64, bytes);
        // The slot is that of the name, the type that of the record.
        assert_eq!((all[0], made.1.code[4].engine.name()), (4, "SP"));
    }
}

/// The table under "Coverage" says what is counted here.
#[test]
fn the_page_of_the_format_says_these_numbers() {
    let page = std::fs::read_to_string(workspace_root().join("docs/format/kbin.md")).unwrap();
    let part = page.split("## Coverage").nth(1).unwrap().split("\n## ").next().unwrap();
    let here = LAYOUTS.len() - OWN.len();
    let fields = || LAYOUTS.iter().flat_map(|one| one.fields);
    let padding = fields().filter(|field| matches!(field.form, Form::Padding)).count();
    // Five arrays by pointer share one type; the number of streams is a plain number.
    let is_view = |one: &&&Layout| one.bytes == 16 && one.fields.len() == 2 || one.bytes == 8;
    let views: usize = LAYOUTS
        .iter()
        .filter(is_view)
        .filter(|one| !["kbin_array", "kbin_buffer_t", "kbin_src_target_pair"].contains(&one.name))
        .filter(|one| !["kbin_sb_carveouts_t", "kbin_dma_desc_t.inc_sema"].contains(&one.name))
        .map(|one| one.fields.len())
        .sum();
    let places: usize = PLACES.iter().map(|one| one.2.split_whitespace().count()).sum();
    let samples = samples();
    let bytes: usize = samples.iter().map(|one| one.1.len()).sum();
    for expected in [
        format!(
            "| records with a layout / records published | {here} / {} |",
            here + NOT_HERE.len()
        ),
        format!(
            "| fields whose place and size are checked when it compiles | {} and {padding} of padding, \
             {views} of them as views of `kbin_array` and of one number |",
            fields().count() - padding
        ),
        format!("| published places compared with the layouts | {places} |"),
        format!(
            "| published samples made from documents, byte for byte | {} of {}, {bytes} bytes |",
            samples.len(),
            samples.len()
        ),
    ] {
        assert!(part.contains(&expected), "docs/format/kbin.md has no line `{expected}`");
    }
    for (name, why) in NOT_HERE {
        assert!(part.contains(&format!("{name} ({why})")), "{name} ({why})");
    }
}

/// Every table of the page is that of its layout.
#[test]
fn the_page_of_the_format_has_every_layout() {
    let page = std::fs::read_to_string(workspace_root().join("docs/format/kbin.md")).unwrap();
    for layout in LAYOUTS {
        let head = format!("`{}`, {} bytes", layout.name, layout.bytes);
        let Some(at) = page.find(&head) else { continue };
        let table: Vec<&str> = page[at..]
            .lines()
            .skip_while(|line| !line.starts_with("| byte "))
            .skip(2)
            .take_while(|line| line.starts_with('|'))
            .collect();
        let listed: Vec<(usize, String)> = table
            .iter()
            .map(|line| {
                let cells: Vec<&str> = line.split('|').map(str::trim).collect();
                (cells[1].parse().unwrap(), cells[2].trim_matches('`').to_owned())
            })
            .collect();
        // Padding at the end of a union's form is listed, other padding is not.
        let listed_too = |offset: usize| listed.iter().any(|(at, _)| *at == offset);
        let fields = layout
            .fields
            .iter()
            .filter(|field| !matches!(field.form, Form::Padding) || listed_too(field.offset));
        let own: Vec<(usize, String)> =
            fields.map(|field| (field.offset, field.name.to_owned())).collect();
        assert_eq!(listed, own, "{}", layout.name);
    }
}
