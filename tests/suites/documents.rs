//! The JSON documents of bundled cases and of real files.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use neff::doc::{
    ActInfo, ActSet, BuildInfo, DmaOp, RingType, VarKind, facts, tensor_map::tensor_map,
};
use neff::{Findings, Limits, Package, Severity};
use records::Engine;
use serde_json::json;
use support::fixtures::case_file;
use support::real_files::real_file;
use support::workspace_root;

fn opened(bytes: &[u8]) -> (Package, Findings) {
    let mut findings = Findings::new();
    let package = neff::open(bytes, &Limits::default(), &mut findings).unwrap();
    (package, findings)
}

fn case(name: &str) -> (Package, Findings) {
    opened(&case_file(&workspace_root(), name).unwrap())
}

#[test]
fn definition_of_the_smallest_program() {
    let (package, _) = case("sg00");
    let definition = &package.subgraphs()[0].definition;
    let variables: Vec<_> =
        definition.variables.iter().map(|v| (v.name.as_str(), v.var_id, v.kind, v.size)).collect();
    assert_eq!(
        variables,
        [
            ("SB", Some(1), VarKind::StateBuffer, None),
            ("gradient_in", Some(3), VarKind::TmpBuf, Some(128)),
            ("gradient_out", Some(4), VarKind::TmpBuf, Some(128)),
            ("input", Some(0), VarKind::Input, Some(128)),
            ("output", Some(2), VarKind::Output, Some(128)),
        ]
    );
    let output = definition.variable(2).unwrap();
    assert_eq!(output.element_size, Some(4));
    // Keys without a meaning of their own are kept.
    assert_eq!(output.extra["#file-name"], json!("value_nn__output:0-simout.npy"));
    assert_eq!(output.extra["internal_shape"], json!([1, 1, 1, 32]));
    let queues: Vec<_> = definition
        .queues
        .iter()
        .map(|q| (q.name.as_str(), q.owner, q.ring_type, q.semaphores.clone()))
        .collect();
    assert_eq!(
        queues,
        [
            ("q_gradient_in", Some(Engine::Pool), Some(RingType::IN), vec![10]),
            ("q_gradient_out", Some(Engine::Pool), Some(RingType::OUT), vec![11]),
        ]
    );
    assert_eq!(definition.replica_groups, [[] as [Vec<u32>; 0]]);
    assert_eq!(definition.carveouts, Some(vec![]));
    assert_eq!(definition.version.as_deref(), Some("0.6-"));

    // The value's place in the member: the text there is the object of the variable.
    let text = package.bytes("sg00/def.json").unwrap();
    let at = usize::try_from(output.offset).unwrap();
    assert!(text[at..].starts_with(b"{\n      \"#file-name\""));

    let act = &package.subgraphs()[0].engine(Engine::Act).document;
    assert_eq!((act.act_semaphore, act.act_info.as_deref()), (Some(9), Some("act_info.json")));
}

#[test]
fn dma_blocks_of_the_smallest_program() {
    let (package, _) = case("sg00");
    let mut findings = Findings::new();
    let pool = package.subgraphs()[0].engine(Engine::Pool);
    let blocks = package.dma_blocks(pool, &mut findings);
    assert_eq!(findings, Findings::new());
    let ids: Vec<_> = blocks.iter().map(|b| (b.queue.as_deref(), b.id)).collect();
    assert_eq!(ids, [(Some("q_gradient_in"), Some(0)), (Some("q_gradient_out"), Some(0))]);
    let descriptor = &blocks[0].descriptors[0];
    assert_eq!(descriptor.op, DmaOp::Copy);
    assert_eq!((descriptor.from.variable.as_str(), descriptor.from.offset), ("input", Some(0)));
    assert_eq!(descriptor.to.variable, "gradient_in");
    assert_eq!(
        (&descriptor.from.sizes[..], &descriptor.from.steps[..]),
        (&[128, 1][..], &[1, 128][..])
    );
    let pe = package.subgraphs()[0].engine(Engine::Pe);
    assert_eq!(package.dma_blocks(pe, &mut findings), []);
}

#[test]
fn values_of_the_wrong_type_lose_nothing_else() {
    let (package, findings) = case("damaged-json-types");
    let codes: Vec<_> = findings
        .as_slice()
        .iter()
        .filter(|f| f.severity >= Severity::Warning)
        .map(|f| f.code)
        .collect();
    assert_eq!(
        codes,
        [
            "json.type",
            "json.negative",
            "json.duplicate-key",
            "json.type",
            "json.type",
            "queue.owner",
            "json.type"
        ]
    );
    let definition = &package.subgraphs()[0].definition;
    let names: Vec<&str> = definition.variables.iter().map(|v| v.name.as_str()).collect();
    assert_eq!(names, ["SB", "x", "y", "w"]);
    assert_eq!(definition.variable(1).unwrap().size, None);
    assert_eq!(definition.variable(1).unwrap().extra["size"], json!(-128));
    assert_eq!(definition.variable(2).unwrap().size, Some(128));
    assert_eq!(definition.queues[0].owner_text.as_deref(), Some("moon"));
    // The negative size is reported at its byte.
    let at = findings.as_slice().iter().find(|f| f.code == "json.negative").unwrap().at.clone();
    let text = package.bytes("sg00/def.json").unwrap();
    assert!(text[usize::try_from(at.offset.unwrap()).unwrap()..].starts_with(b"-128"));
}

#[test]
fn tables_as_arrays_and_numbers_as_text_are_read() {
    let (package, _) = case("mixed");
    let definition = &package.subgraphs()[0].definition;
    let input = definition.variable(1).unwrap();
    assert_eq!((input.name.as_str(), input.size), ("<img src=x onerror=1>", Some(128)));
    let big = definition.variable(2).unwrap();
    assert_eq!((big.name.len(), big.size), (161, Some(1 << 32)));
    assert_eq!(definition.variable(3).unwrap().extra["unknown_key"], json!({"deep": [1, 2]}));
    assert_eq!(definition.variable(4).unwrap().kind, VarKind::Unknown);
    assert_eq!(definition.queues[1].ring_type, None);
    assert_eq!(definition.queues[1].kind_text, "teleport");
    assert_eq!(definition.extra["#unknown"], json!(1));
}

#[test]
fn definition_of_a_two_core_program() {
    let (package, _) = case("two-subgraphs");
    let subgraph = &package.subgraphs()[1];
    let definition = &subgraph.definition;
    let dynamic = &definition.queues[0];
    assert_eq!((dynamic.ring_type, dynamic.ring_type_inferred), (Some(RingType::MODEL), true));
    assert_eq!(dynamic.semaphores, (24..40).collect::<Vec<_>>());
    assert_eq!(dynamic.dynamic_dma.as_ref().unwrap().scratch_partition_size, Some(16384));
    assert_eq!(definition.variable(5).unwrap().list.as_deref(), Some(&[1, 2][..]));
    assert_eq!(definition.variable(5).unwrap().kind.mem_ref_type(), Some(9));
    assert_eq!(definition.num_streams, Some(0));
    let fp8 = definition.fp8.as_ref().unwrap();
    assert_eq!(
        (fp8.range_extension, fp8.emax_e4m3, fp8.emax_e5m2),
        (Some(true), Some(8), Some(15))
    );
    let carveout = &definition.carveouts.as_ref().unwrap()[0];
    assert_eq!(
        (carveout.offset, carveout.size, carveout.partitions),
        (Some(0x37FF8), Some(8), Some(128))
    );
    assert_eq!(definition.features, ["neff_feature_vnc"]);

    let graph = package.graph().unwrap();
    let node = graph.device_nodes().next().unwrap();
    assert_eq!((node.num_inputs, node.num_outputs), (Some(1), Some(2)));
    assert_eq!(node.output_names, ["y", "y"]);
    assert_eq!(graph.heads, [[1, 0, 0], [1, 1, 0]]);
    assert_eq!(graph.shapes, [[128, 64]; 3]);
    assert_eq!(graph.dtypes, ["float16"; 3]);

    let mut findings = Findings::new();
    let map = package.document(&subgraph.resolve("tensor_map.json"), &mut findings, tensor_map);
    let map = map.unwrap();
    assert_eq!((map[0].kind.as_deref(), map[1].is_const), (Some("input"), Some(true)));
    assert_eq!(map[1].extra["split_axis"], json!(null));
    let stats = package.document("hlo_stats.json", &mut findings, facts::hlo_stats).unwrap();
    assert_eq!((stats[1].name.as_str(), stats[1].value), ("HloInputCount", -1.0));
    assert_eq!(findings, Findings::new());
}

#[test]
fn documents_of_a_real_file() {
    let Some(bytes) = real_file("matmul_small/matmul_small.neff") else { return };
    let (package, _) = opened(&bytes);
    let mut findings = Findings::new();
    let info = package.document("info.json", &mut findings, BuildInfo::read).unwrap();
    assert!(info.tool_version.unwrap().starts_with("2.23.6484.0+"));
    let catalog = package.document("sg00/act_info.json", &mut findings, ActInfo::read).unwrap();
    assert_eq!(catalog.sets.len(), 21);
    assert_eq!(catalog.file_keys, ["bkt_bin", "ctrl_bin", "profile_json"]);
    let set = package.document("sg00/exp_and_others.json", &mut findings, ActSet::read).unwrap();
    assert_eq!((set.bkt_entry_cnt, set.ctl_entry_cnt), (Some(941), Some(89)));
    assert_eq!(set.profiles.len(), 15);
    let exp = set.profiles.iter().find(|p| p.func_name.as_deref() == Some("exp_400p")).unwrap();
    assert_eq!(exp.func_id, Some(7));
    let map = package.document("sg00/tensor_map.json", &mut findings, tensor_map).unwrap();
    assert!(map.iter().any(|tensor| tensor.kind.as_deref() == Some("output")));
    let definition = &package.subgraphs()[0].definition;
    assert_eq!(definition.variables.iter().filter(|v| v.kind == VarKind::DgeTable).count(), 1);
    assert!(
        definition.queues.iter().all(|queue| queue.is_dynamic() && queue.num_queues == Some(16))
    );
    assert!(definition.extra.is_empty(), "{:?}", definition.extra);
    let act = &package.subgraphs()[0].engine(Engine::Act).document;
    assert_eq!(act.act_semaphore, Some(12));
    assert!(act.extra.is_empty());
    assert_eq!(findings, Findings::new());
}
