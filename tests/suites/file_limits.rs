//! Limits that hold for a whole file, and archives that readers would take differently.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use std::sync::Arc;

use neff::debug::{DebugLayers, SourceMap};
use neff::payload::Payload;
use neff::{Findings, Limits, Severity};
use records::Engine;
use support::case::Case;
use support::fixtures::{case, case_file};
use support::neff_builder::{build, build_tar};
use support::tar_writer::{Dialect, Entry, append};
use support::workspace_root;

/// Codes of findings from a severity on, in order.
fn codes(findings: &Findings, from: Severity) -> Vec<&'static str> {
    findings.as_slice().iter().filter(|f| f.severity >= from).map(|f| f.code).collect()
}

/// `sg00` with so many subgraphs that all name its one definition.
fn crowded(n: usize) -> Case {
    let mut crowded: Case = case(&workspace_root(), "sg00").unwrap();
    let graph = |i| format!(r#"{{"name": "g{i}", "definition": "sg00/def.json"}}"#);
    let graphs: Vec<String> = (0..n).map(graph).collect();
    let list = crowded.members.iter_mut().find(|member| member.name == "kelf-a.json").unwrap();
    list.text =
        Some(format!(r#"{{"version": "0.5", "target": "*", "graphs": [{}]}}"#, graphs.join(",")));
    crowded
}

#[test]
fn what_many_subgraphs_name_is_read_once_and_bounded_for_the_file() {
    let file = build(&crowded(3)).unwrap();
    let read = |limits: Limits| {
        let mut findings = Findings::new();
        let package = neff::open(&file, &limits, &mut findings).unwrap();
        (package, codes(&findings, Severity::Warning))
    };
    let (package, found) = read(Limits::default());
    assert_eq!(found, [] as [&str; 0]);
    let [first, _, last] = package.subgraphs() else { panic!() };
    assert!(Arc::ptr_eq(&first.definition, &last.definition));
    assert!(Arc::ptr_eq(&first.engines[0].document, &last.engines[0].document));

    // The streams of one subgraph fit, those of the others do not.
    let once = first.engines.iter().map(|program| program.bytes).sum();
    let busy = first.engines.iter().filter(|program| program.bytes > 0).count();
    let (package, found) = read(Limits { stream_bytes: once, ..Limits::default() });
    assert_eq!(found, vec!["bin.total"; 2 * busy]);
    assert!(package.slots(&package.subgraphs()[2].engines[0]).is_empty());

    // No JSON text is left for what has no meaning; rows that have one are bounded too.
    let (package, found) = read(Limits { extra_bytes: 0, ..Limits::default() });
    assert!(package.subgraphs()[0].definition.extra.is_empty());
    assert!(found.iter().all(|code| *code == "json.extra"), "{found:?}");
    let (_, found) = read(Limits { file_rows: 0, ..Limits::default() });
    assert!(found.contains(&"json.rows"), "{found:?}");
    let (_, found) = read(Limits { json_values: 0, ..Limits::default() });
    assert!(found.contains(&"json.values"), "{found:?}");
}

/// Why a tar of these entries is refused: kind and data.
fn refusal(entries: &[(u8, &[u8])], high_size: Option<[u8; 4]>) -> String {
    let mut tar = Vec::new();
    for (kind, data) in entries {
        let entry = Entry {
            name: "m",
            kind: *kind,
            link: "",
            data,
            claimed_size: None,
            bad_checksum: false,
        };
        append(&mut tar, Dialect::Gnu, &entry).unwrap();
    }
    if let Some(high) = high_size {
        tar[124..136].copy_from_slice(&[&high[..], &[0; 8]].concat());
        tar[148..156].copy_from_slice(b"        ");
        let sum: u32 = tar[..512].iter().map(|byte| u32::from(*byte)).sum();
        tar[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    tar.resize(tar.len() + 1024, 0);
    let unpacked = Payload::unpack(&tar, &Limits::default(), &mut Findings::new());
    unpacked.map_or_else(|error| error.to_string(), |_| String::new())
}

#[test]
fn sizes_and_names_that_readers_take_differently_are_refused() {
    let file = (b'0', &b"12345"[..]);
    assert_eq!(refusal(&[(b'x', b"9 size=5\n"), file], None), "");
    assert_eq!(refusal(&[(b'x', b"9 size=5\n9 size=5\n"), file], None), "");
    let two = refusal(&[(b'x', b"9 size=5\n9 size=0\n"), file], None);
    assert!(two.contains("two sizes"), "{two}");
    assert_eq!(refusal(&[(b'0', b"")], Some([0x80, 0, 0, 0])), "");
    for high in [[0x80, 0, 0, 1], [0x81, 0, 0, 0], [0xFF, 0xFF, 0xFF, 0xFF]] {
        let wide = refusal(&[(b'0', b"")], Some(high));
        assert!(wide.contains("does not fit 64 bits"), "{wide}");
    }
    let mut long = vec![b'a'; 1025];
    assert!(refusal(&[(b'L', &long), file], None).contains("1025"));
    long[1024] = 0;
    assert_eq!(refusal(&[(b'L', &long), file], None), "");
}

#[test]
fn bytes_behind_the_end_of_a_tar_are_a_fact() {
    let mut tar = build_tar(&case(&workspace_root(), "sg00").unwrap()).unwrap();
    tar.push(7);
    let mut findings = Findings::new();
    Payload::unpack(&tar, &Limits::default(), &mut findings).unwrap();
    let found = &findings.as_slice()[0];
    assert_eq!((found.code, found.at.offset), ("archive.junk", Some(0x400 + 20480)));
}

#[test]
fn debug_records_are_bounded_for_all_members_together() {
    let file = case_file(&workspace_root(), "two-subgraphs").unwrap();
    let damaged = |debug_records: usize| {
        let limits = Limits { debug_records, ..Limits::default() };
        let package = neff::open(&file, &limits, &mut Findings::new()).unwrap();
        let (mut layers, mut findings) = (DebugLayers::new(), Findings::new());
        let subgraph = &package.subgraphs()[0];
        for engine in [Engine::Pe, Engine::Act] {
            let map = SourceMap::build(&package, subgraph, engine, &mut layers, &mut findings);
            let records: usize = map.layers().map(|layer| layer.records.len()).sum();
            assert!(records <= debug_records);
        }
        codes(&findings, Severity::Error).contains(&"debug.damaged")
    };
    assert!(!damaged(1_000));
    assert!(damaged(5));
}
