//! From slots to source lines: the bundled cases and the coverage of real files.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use neff::debug::{
    Coverage, DebugLayers, DmaOrigins, LayerKind, NO_INDEX, SourceMap, SourceRecord, advice,
};
use neff::{Findings, Limits, Package};
use records::{Engine, SlotIndex};
use support::fixtures::case_file;
use support::real_files::real_file;
use support::workspace_root;

fn opened(bytes: &[u8]) -> Package {
    neff::open(bytes, &Limits::default(), &mut Findings::new()).unwrap()
}

fn maps(package: &Package, findings: &mut Findings) -> Vec<SourceMap> {
    let mut layers = DebugLayers::new();
    package
        .subgraphs()
        .iter()
        .flat_map(|subgraph| Engine::ALL.map(|engine| (subgraph, engine)))
        .map(|(subgraph, engine)| {
            SourceMap::build(package, subgraph, engine, &mut layers, findings)
        })
        .collect()
}

/// Layer, text, file and line of a record.
type Brief<'a> = (&'a str, Option<&'a str>, Option<&'a str>, Option<u32>);

fn brief(chain: &[SourceRecord]) -> Vec<Brief<'_>> {
    chain.iter().map(|r| (r.layer.name(), r.text.as_deref(), r.file.as_deref(), r.line)).collect()
}

#[test]
fn chains_climb_to_the_framework() {
    let package = opened(&case_file(&workspace_root(), "two-subgraphs").unwrap());
    let mut findings = Findings::new();
    let maps = maps(&package, &mut findings);
    assert_eq!(findings, Findings::new());
    let [pe, act, pool, dve, _sp] = &maps[..5] else { panic!() };

    assert_eq!(brief(&pe.chain(SlotIndex(0))), [("asm", None, None, None)]);
    // The backend record has its own line, which counts before the penguin record's.
    assert_eq!(
        brief(&pe.chain(SlotIndex(3))),
        [
            ("asm", None, None, None),
            ("backend", Some("I-21-0"), Some("matmul.py"), Some(14)),
            ("penguin", Some("float32<128 x 64> $21"), Some("matmul.py"), Some(99)),
            ("hlo", Some("%y = dot(%x, %x)"), Some("layers.py"), Some(41)),
            ("pttf", Some("Model/Linear"), None, None),
        ]
    );
    let line = pe.line_of(SlotIndex(3)).unwrap();
    assert_eq!((line.path.as_str(), line.line), ("/build/host/kernels/matmul.py", 14));
    assert_eq!(pe.line_of(SlotIndex(0)), None);
    // Here only the penguin record has one.
    assert_eq!(act.line_of(SlotIndex(3)).map(|l| (l.file(), l.line)), Some(("matmul.py", 15)));
    // Two penguin records have id 23; the name I-17-0 picks the one with $17.
    assert_eq!(
        brief(&dve.chain(SlotIndex(2)))[2],
        ("penguin", Some("float16<128 x 64> $17[i1]"), Some("copy.py"), Some(7))
    );
    // Without a parent the chain ends at the backend record.
    assert_eq!(pool.chain(SlotIndex(2)).len(), 2);
    assert_eq!(pool.chain(SlotIndex(3)), []);
    // A parent id of 0 in the HLO layer means the last record with it, which names no source.
    let sp = &maps[4];
    assert_eq!(
        brief(&sp.chain(SlotIndex(3)))[3..],
        [("hlo", Some("%x = parameter()"), None, None), ("pttf", Some("Model"), None, None)]
    );
    // Through the graph's operation alone.
    assert_eq!(sp.line_of(SlotIndex(2)).map(|l| (l.file(), l.line)), Some(("layers.py", 41)));
}

#[test]
fn chain_records_lie_where_they_say() {
    let package = opened(&case_file(&workspace_root(), "two-subgraphs").unwrap());
    let maps = maps(&package, &mut Findings::new());
    let chain = maps[0].chain(SlotIndex(2));
    let backend = &chain[1];
    assert_eq!((backend.layer, backend.id), (LayerKind::Backend, Some(60)));
    let bytes = package.bytes(&backend.member).unwrap();
    let body = &bytes[usize::try_from(backend.offset).unwrap()..];
    // Field 1 is the id 60, field 2 the name of 6 bytes.
    assert!(body.starts_with(b"\x08\x3c\x12\x06I-21-0"));
    assert_eq!(backend.path.as_deref(), Some("/build/host/kernels/matmul.py"));
}

#[test]
fn ids_link_slots_of_one_origin() {
    let package = opened(&case_file(&workspace_root(), "two-subgraphs").unwrap());
    let maps = maps(&package, &mut Findings::new());
    let ids = maps[0].slot_ids();
    assert_eq!(ids.bir, [NO_INDEX, NO_INDEX, 0, 0]);
    assert_eq!(ids.penguin, [NO_INDEX, NO_INDEX, 1, 1]);
    assert_eq!(ids.hlo, [NO_INDEX, NO_INDEX, 3, 3]);
    assert_eq!(ids.line[2], ids.line[3]);
    assert_eq!(maps[0].lines()[ids.line[2] as usize].line, 14);
    // Both cores share the upper layers.
    assert_eq!(maps[5].slot_ids(), ids);
    let total = maps.iter().map(Coverage::of).fold(Coverage::default(), |a, b| a + b);
    // Per core: 18 slots, 10 of them B1 and CC; one slot without a tensor operation; of the
    // seven others one comes from a parameter without a source.
    assert_eq!(total, Coverage { slots: 36, with_bir: 16, with_penguin: 14, with_line: 12 });
    assert_eq!(advice(&maps), [] as [String; 0]);
}

#[test]
fn trigger_slots_lead_to_their_block() {
    let package = opened(&case_file(&workspace_root(), "two-subgraphs").unwrap());
    let mut findings = Findings::new();
    let mut layers = DebugLayers::new();
    let subgraph = &package.subgraphs()[0];
    let origins = DmaOrigins::build(&package, subgraph, Engine::Sp, &mut layers, &mut findings);
    let origin = origins.block("qSPIO0", 1).unwrap();
    assert_eq!(origin.comment.as_deref(), Some("I-24-0-block-0"));
    let record = origin.record.unwrap();
    assert_eq!((record.id, record.text.as_deref()), (Some(68), Some("I-24-0-block-0")));
    assert_eq!(origins.block("qSPIO0", 2), None);
    assert_eq!(origins.block("qPoolDynamic", 0), None);
    let text = package.bytes("sg00/SP.json").unwrap();
    let at = usize::try_from(origin.block_offset).unwrap();
    assert!(text[at..].starts_with(b"{\"#comment\":\"I-24-0-block-0\""));
}

#[test]
fn listings_number_slots_from_one() {
    let package = opened(&case_file(&workspace_root(), "sg00").unwrap());
    let maps = maps(&package, &mut Findings::new());
    let pool = &maps[2];
    assert_eq!(
        brief(&pool.chain(SlotIndex(1))),
        [(
            "asm",
            Some("PSEUDO_DMA_TRIGGER $S[22]>0 q_gradient_out block_id=0;"),
            Some("pool.asm"),
            Some(2)
        )]
    );
    // The second line starts behind 44 characters and a line end.
    assert_eq!(pool.chain(SlotIndex(1))[0].offset, 45);
    assert_eq!(pool.chain(SlotIndex(3)), []);
    assert_eq!(advice(&maps).len(), 1);
}

#[test]
fn damaged_members_keep_what_is_readable() {
    let package = opened(&case_file(&workspace_root(), "damaged-debug").unwrap());
    let mut findings = Findings::new();
    let maps = maps(&package, &mut findings);
    let mut codes: Vec<&str> = findings.as_slice().iter().map(|f| f.code).collect();
    codes.sort_unstable();
    codes.dedup();
    assert_eq!(codes, ["debug.damaged", "debug.file-index", "debug.record", "debug.slot-count"]);
    let dve = &maps[3];
    // The record behind the damaged one is still found; its line is no number.
    assert_eq!(brief(&dve.chain(SlotIndex(2)))[1], ("backend", Some("I-17-0"), None, None));
    // The layer above the penguin layer is gone.
    assert_eq!(dve.missing_layer(), Some("debug_info_hlo.dbg"));
    assert_eq!(brief(&dve.chain(SlotIndex(2))).len(), 3);
    // Two slot records were readable before the damage at byte 4.
    assert_eq!(maps[2].chain(SlotIndex(1)).len(), 1);
    assert_eq!(maps[2].chain(SlotIndex(2)), []);
    let damaged = findings.as_slice().iter().find(|f| f.code == "debug.damaged").unwrap();
    assert_eq!(damaged.at.offset, Some(4));
}

#[test]
fn coverage_of_real_files() {
    for (name, expected) in [
        ("matmul_small/matmul_small.neff", [58, 38, 38, 20]),
        ("matmul_large/matmul_large.neff", [59_590, 59_570, 58_646, 57_454]),
    ] {
        let Some(bytes) = real_file(name) else { continue };
        let package = opened(&bytes);
        let mut findings = Findings::new();
        let maps = maps(&package, &mut findings);
        assert_eq!(findings, Findings::new(), "{name}");
        let total = maps.iter().map(Coverage::of).fold(Coverage::default(), |a, b| a + b);
        let [slots, with_bir, with_penguin, with_line] = expected;
        assert_eq!(total, Coverage { slots, with_bir, with_penguin, with_line }, "{name}");
        // All lines of one file are the same line.
        let mut lines: Vec<_> = maps
            .iter()
            .flat_map(|map| (0..map.n_slots).filter_map(|slot| map.line_of(SlotIndex(slot))))
            .collect();
        lines.sort();
        lines.dedup();
        assert_eq!(lines.len(), 1, "{name}: {lines:?}");
    }
}
