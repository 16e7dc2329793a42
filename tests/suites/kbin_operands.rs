//! Operands of descriptors, keys that are missing, and numbers that no queue has: one change to the
//! case `every-record`, one finding, the tree all the same.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use neff::Severity;
use support::kbin_tree::{Changes, DEF, POOL, changed, codes, stops};

#[test]
fn one_change_one_finding() {
    let letters = r#""transpose_op": "WZXY", "#;
    let shape = r#""transpose_shape": [1, 1, 4, 4]"#;
    let table: [(Changes<'_>, &[&str], &str); 22] = [
        (&[(POOL, r#", "scale_dtype": "float32""#, "")], &["kbin.scale-dtype"], "no `scale_dtype`"),
        (
            &[(POOL, r#""scale": 0.5"#, r#""scale": [0.5, 1, 2]"#)],
            &["kbin.scales"],
            "3 scales and 2 sources",
        ),
        (&[(POOL, r#""scale": 0.5"#, r#""scale": [0.5, 1]"#)], &[], ""),
        (
            &[(POOL, r#""op": "add", "#, r#""op": "add", "constant": 3, "#)],
            &["kbin.desc-key"],
            "`constant` of a descriptor has no place in a transfer of operation ADD",
        ),
        (
            &[(POOL, r#""op": "copy", "#, r#""op": "copy", "scale": 3, "#)],
            &["kbin.desc-key"],
            "`scale` of a descriptor has no place in a transfer of operation COPY",
        ),
        (
            &[(POOL, letters, r#""op": "transpose", "#)],
            &["kbin.transpose-op"],
            "has no `transpose_op`",
        ),
        (
            &[(POOL, shape, r#""transpose_shape": [1, 4, 4]"#)],
            &["kbin.transpose-shape"],
            "has 3 dimensions, expected four",
        ),
        // 1 x 1 x 4 x 5 elements of 4 bytes are 80; 8 rows of 8 are 64.
        (
            &[(POOL, shape, r#""transpose_shape": [1, 1, 4, 5]"#)],
            &["kbin.transpose-shape"],
            "is 80 bytes, its source carries 64",
        ),
        (&[(POOL, shape, r#""x": 1"#)], &["kbin.transpose-shape"], "has no `transpose_shape`"),
        (
            &[(POOL, r#""transpose_element_size": 4, "#, "")],
            &["kbin.transpose-size"],
            "has no `transpose_element_size`",
        ),
        (
            &[(POOL, r#""op": "copy", "from": "SB""#, r#""op": "copy", "from_arr": ["SB", "SB"]"#)],
            &["kbin.sources"],
            "operation COPY has 2 sources",
        ),
        (
            &[(POOL, r#""queue": "q_data", "id": 1"#, r#""queue": "q_data_b", "id": 0"#)],
            &["kbin.block-twice"],
            "two blocks of `q_data_b` have the id 0",
        ),
        (
            &[(DEF, r#""num_queues": 2"#, r#""num_queues": 0"#)],
            &["kbin.num-queues"],
            "`num_queues` 0",
        ),
        (&[(DEF, r#""num_queues": 2"#, r#""num_queues": 17"#)], &["kbin.num-queues"], "17"),
        (&[(DEF, r#""num_queues": 2"#, r#""num_queues": 16"#)], &[], ""),
        // 256 + 261,889 is one byte more than 2^18.
        (
            &[(DEF, r#"_size": 16384"#, r#"_size": 261889"#)],
            &["kbin.scratch-range"],
            "bytes 0x100 to 0x40000 of a partition",
        ),
        (&[(DEF, r#"_size": 16384"#, r#"_size": 261888"#)], &[], ""),
        (
            &[(DEF, r#""backing_variable_off": 4096, "#, "")],
            &["kbin.var-key"],
            "`local` of type `virtual` has no `backing_variable_off`",
        ),
        (
            &[(DEF, r#", "list": [1, 2]"#, "")],
            &["kbin.var-key"],
            "`both` of type `list` has no `list`",
        ),
        (
            &[(
                "sg00/act.json",
                r#"["exp_and_others"]"#,
                r#"["exp_and_others", "exp_and_others"]"#,
            )],
            &["kbin.act-set"],
            "`exp_and_others` is listed twice",
        ),
        (
            &[(DEF, r#""dve": "dve.json""#, r#""dve": "gone.json""#)],
            &["kbin.engine-missing"],
            "the document `gone.json` for DVE",
        ),
        (&[("sg00/pe.json", r#""instr": "pe.bin", "#, "")], &[], ""),
    ];
    for (changes, expected, message) in table {
        let tree = changed(changes);
        assert_eq!(codes(&tree), expected, "{changes:?} {:?}", tree.notes.findings);
        assert_eq!(stops(&tree), [] as [&str; 0]);
        let Some(code) = expected.first() else { continue };
        let all = tree.notes.findings.as_slice();
        let told = all.iter().find(|one| one.code == *code).unwrap();
        assert!(told.message.contains(message), "{}", told.message);
        assert!(told.at.member.is_some() || told.at.engine.is_some(), "{told:?}");
    }
    // Keys without a published place and a missing stream are only said.
    for (changes, code) in [
        (("sg00/pe.json", r#""instr": "pe.bin", "#, ""), "kbin.no-code"),
        (
            (POOL, r#""queue": "q_in","#, r#""queue": "q_in", "section_start_desc": 2,"#),
            "kbin.block-key",
        ),
    ] {
        let tree = changed(&[changes]);
        let all = tree.notes.findings.as_slice();
        let told = all.iter().find(|one| one.code == code).unwrap();
        assert_eq!(told.severity, Severity::Info);
    }
}

/// A list of scales is one for each source, in their order.
#[test]
fn scales_of_a_list_reach_the_record() {
    let tree = changed(&[(POOL, r#""scale": 0.5"#, r#""scale": [0.25, -2]"#)]);
    let (_, queue) = tree.queue("q_data").unwrap();
    let raw = tree.descriptor(&queue.rings[0], 0).unwrap();
    let scales = raw.cce_info().unwrap().fma().unwrap().scale;
    let bits = [scales[0].get(), scales[1].get(), scales[2].get()];
    assert_eq!(bits, [0x3E80_0000, 0xC000_0000, 0]);
}
