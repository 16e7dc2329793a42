//! Opening NEFFs: the bundled cases, one case for each loader gate, limits, and real files.
#![allow(missing_docs, reason = "tests speak by their names")]
#![allow(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use neff::{Compression, Findings, Limits, NeffError, Package, Severity, TargetKind};
use records::Engine;
use support::case::Case;
use support::fixtures::{case, case_file, case_names, crash_files, files};
use support::neff_builder::{build, build_tar, content};
use support::real_files::real_file;
use support::workspace_root;

fn open(bytes: &[u8]) -> (Result<Package, NeffError>, Findings) {
    let mut findings = Findings::new();
    let package = neff::open(bytes, &Limits::default(), &mut findings);
    (package, findings)
}

fn open_case(name: &str) -> (Result<Package, NeffError>, Findings) {
    open(&case_file(&workspace_root(), name).unwrap())
}

fn opened(name: &str) -> (Package, Findings) {
    let (package, findings) = open_case(name);
    (package.unwrap(), findings)
}

/// Codes of findings from a severity on, in order.
fn codes(findings: &Findings, from: Severity) -> Vec<&'static str> {
    findings.as_slice().iter().filter(|f| f.severity >= from).map(|f| f.code).collect()
}

fn n_slots(package: &Package, subgraph: &str) -> [u64; 5] {
    let subgraph = package.subgraph(subgraph).unwrap();
    Engine::ALL.map(|engine| subgraph.engine(engine).n_slots())
}

#[test]
fn stored_files_are_what_their_descriptions_make() {
    let root = workspace_root();
    let names = case_names(&root).unwrap();
    assert!(names.len() >= 29, "{names:?}");
    for name in names {
        for (file, built) in files(&case(&root, &name).unwrap()).unwrap() {
            let stored = std::fs::read(root.join("fixtures/cases").join(&name).join(file)).unwrap();
            assert!(built == stored, "case {name}, {file}: run `cargo xtask bless`");
        }
    }
}

/// Offsets, sizes and digests of the published sample.
#[test]
fn sg00_is_the_published_sample() {
    let (package, findings) = opened("sg00");
    assert_eq!(codes(&findings, Severity::Warning), [] as [&str; 0]);
    let members: Vec<(&str, u64, u64)> =
        package.members().iter().map(|m| (m.name.as_str(), m.header_offset, m.bytes)).collect();
    assert_eq!(
        members,
        [
            ("kelf-a.json", 0, 129),
            ("neff.json", 1024, 980),
            ("sg00/pe.json", 3072, 63),
            ("sg00/def.json", 4096, 1421),
            ("sg00/pool.bin", 6144, 192),
            ("sg00/sp.asm", 7168, 0),
            ("sg00/pe.bin", 7680, 64),
            ("sg00/dve.json", 8704, 65),
            ("sg00/act.json", 9728, 182),
            ("sg00/dve.bin", 10752, 0),
            ("sg00/dve.asm", 11264, 0),
            ("sg00/act.bin", 11776, 0),
            ("sg00/sp.bin", 12288, 0),
            ("sg00/sp.json", 12800, 63),
            ("sg00/pool.asm", 13824, 126),
            ("sg00/pe.asm", 14848, 153),
            ("sg00/pool.json", 15872, 1042),
            ("sg00/act.asm", 17920, 0),
        ]
    );
    assert_eq!((package.tar_bytes(), package.zero_tail_bytes()), (20480, 0));
    assert_eq!(package.compression(), Compression::Gzip);
    for (name, digest) in [
        ("sg00/pe.bin", "f5c01e499e4e49ac4ef559ce7e673436"),
        ("sg00/pool.bin", "25daba764d4de4444cbf460a1e52df2f"),
    ] {
        assert_eq!(md5_hex(package.bytes(name).unwrap()), digest, "{name}");
    }

    let header = package.header();
    assert_eq!(header.build_version_text(), "2.0.21884.0%kaena-tools/develop@6c66f4b");
    assert_eq!(header.uuid_text(), "561826fb-125f-4bb8-991c-29e085c8949a");
    assert_eq!(header.hash[16..], [0x30; 16]);
    assert_eq!(package.digest().verdict(), "match");
    assert_eq!(package.digest().stored.len(), 16);

    let subgraph = package.subgraph("sg00").unwrap();
    assert_eq!((subgraph.target.text.as_str(), subgraph.target.kind), ("*", TargetKind::Any));
    assert_eq!((subgraph.kelf.as_str(), subgraph.prefix.as_str()), ("kelf-a.json", "sg00/"));
    assert_eq!(n_slots(&package, "sg00"), [1, 0, 3, 0, 0]);
    assert_eq!(subgraph.engine(Engine::Sp).bin.as_deref(), Some("sp.bin"));
    let opcodes: Vec<u8> =
        package.slots(subgraph.engine(Engine::Pool)).iter().map(|s| s.opcode_byte()).collect();
    assert_eq!(opcodes, [0xC1, 0xC1, 0xA0]);
}

fn md5_hex(bytes: &[u8]) -> String {
    use md5::Digest as _;
    md5::Md5::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn every_loader_gate_names_its_byte() {
    for (name, code, gate, at) in [
        ("damaged-too-short", "neff.too-short", 2, 1023),
        ("damaged-header-size", "neff.header-size", 3, 0x8),
        ("damaged-version", "neff.version", 4, 0x18),
        ("damaged-feature-bits", "neff.feature-bits", 5, 0x220),
        ("damaged-data-size", "neff.data-size", 6, 0x10),
        ("damaged-pkg-version", "neff.pkg-version", 7, 0x0),
        ("damaged-not-archive", "neff.archive", 9, 0x400),
        // The payload was cut to 700 bytes.
        ("damaged-gzip-truncated", "neff.gzip-truncated", 9, 0x400 + 700),
    ] {
        let error = open_case(name).0.unwrap_err();
        assert_eq!((error.code(), error.gate()), (code, Some(gate)), "{name}");
        assert_eq!(error.place().offset, Some(at), "{name}");
    }
    assert_eq!(open_case("damaged-gzip-bits").0.unwrap_err().code(), "neff.gzip");
}

#[test]
fn damage_inside_the_archive_names_the_tar_header() {
    // `sg00/pe.json` has its header at 3072, `sg00/act.asm` at 17920 with data at 18432.
    let error = open_case("damaged-tar-checksum").0.unwrap_err();
    assert!(matches!(error, NeffError::ArchiveChecksum { at: 3072, found, expected, .. }
        if found == expected + 1));
    let error = open_case("damaged-past-end").0.unwrap_err();
    assert!(matches!(&error, NeffError::ArchivePastEnd { name, at: 17920, end: 118432,
        archive_end: 20480, .. } if name == "sg00/act.asm"));
}

#[test]
fn bytes_behind_the_gzip_member_must_be_zero() {
    let file = case_file(&workspace_root(), "damaged-gzip-tail").unwrap();
    let error = open(&file).0.unwrap_err();
    // The changed byte is the last one.
    assert!(
        matches!(error, NeffError::GzipTail { at, byte: 1, .. } if at == file.len() as u64 - 1)
    );
    let (package, _) = opened("two-subgraphs");
    assert_eq!(package.zero_tail_bytes(), 777);
}

#[test]
fn a_second_gzip_member_is_refused() {
    let root = workspace_root();
    let mut damaged = case(&root, "sg00").unwrap();
    let file = case_file(&root, "sg00").unwrap();
    let hex: String = file[1024..].iter().map(|byte| format!("{byte:02x}")).collect();
    let text = format!("stage = 'payload'\nhex = '{hex}'");
    damaged.damages.push(toml::from_str(&text).unwrap());
    let error = open(&build(&damaged).unwrap()).0.unwrap_err();
    assert!(matches!(error, NeffError::GzipTail { at, byte: 0x1F, .. } if at == file.len() as u64));
}

#[test]
fn damaged_documents_leave_a_viewable_package() {
    let (package, findings) = opened("damaged-json");
    assert_eq!(codes(&findings, Severity::Warning), ["json.syntax"]);
    // The text ends at its 27th byte.
    assert_eq!(findings.as_slice()[1].at.offset, Some(26));
    // Engine documents are found by their usual names.
    assert_eq!(n_slots(&package, "sg00"), [1, 0, 3, 0, 0]);

    let (package, findings) = opened("damaged-json-depth");
    assert_eq!(codes(&findings, Severity::Warning), ["json.depth"]);
    // Level 65 opens at byte 64.
    assert_eq!(findings.as_slice()[1].at.offset, Some(64));
    assert_eq!(n_slots(&package, "sg00"), [1, 0, 3, 0, 0]);

    let (package, findings) = opened("damaged-missing-def");
    assert_eq!(codes(&findings, Severity::Warning), ["member.missing"]);
    assert_eq!(n_slots(&package, "sg00"), [1, 0, 3, 0, 0]);

    let (package, findings) = opened("damaged-missing-bin");
    assert_eq!(codes(&findings, Severity::Warning), ["member.missing"]);
    let pool = package.subgraphs()[0].engine(Engine::Pool);
    assert_eq!((pool.bin.as_deref(), pool.bin_member.as_deref()), (Some("pool.bin"), None));
    assert_eq!(n_slots(&package, "sg00"), [1, 0, 0, 0, 0]);

    let (package, findings) = opened("damaged-missing-engine");
    assert_eq!(codes(&findings, Severity::Warning), ["engine.missing"]);
    assert_eq!(package.subgraphs()[0].engine(Engine::Dve).bin, None);

    let (package, findings) = opened("damaged-no-kelf");
    assert_eq!(codes(&findings, Severity::Warning), ["graph.no-kelf"]);
    assert_eq!(package.subgraphs().len(), 1);
}

#[test]
fn a_stream_of_63_bytes_has_no_slot() {
    let (package, findings) = opened("damaged-trailing-bytes");
    assert_eq!(codes(&findings, Severity::Warning), ["bin.trailing"]);
    let dve = package.subgraphs()[0].engine(Engine::Dve);
    assert_eq!((dve.n_slots(), dve.trailing_bytes()), (0, 63));
    assert_eq!(package.stream(dve), [0xA4; 63]);
}

#[test]
fn links_devices_duplicates_and_unsafe_names_are_not_followed() {
    let (package, findings) = opened("damaged-names");
    assert_eq!(
        codes(&findings, Severity::Warning),
        [
            "archive.link",
            "archive.link",
            "archive.device",
            "archive.duplicate",
            "archive.unsafe-name",
            "archive.unsafe-name"
        ]
    );
    assert_eq!(package.members().len(), 19);
    assert_eq!(package.bytes("sg00/after.txt").unwrap(), b"still read");
    assert_eq!(package.bytes("sg00/pe.json").unwrap().len(), 63);
    for name in ["sg00/link.json", "sg00/device", "/absolute.json", "outside.json"] {
        assert!(package.member(name).is_none(), "{name}");
    }
}

#[test]
fn a_wrong_digest_is_a_finding() {
    let (package, findings) = opened("damaged-digest");
    assert_eq!(codes(&findings, Severity::Warning), ["digest.differs"]);
    assert_eq!(package.digest().verdict(), "differs");
    assert_eq!(package.digest().stored[..3], [0x00, 0x11, 0x22]);
}

#[test]
fn a_bare_tar_has_a_sha256_and_file_offsets() {
    let (package, _) = opened("bare-tar");
    assert_eq!(package.compression(), Compression::None);
    assert_eq!((package.stored_bytes(), package.tar_bytes()), (20480, 20480));
    assert_eq!(package.zero_tail_bytes(), 0);
    assert_eq!(package.digest().algorithm.name(), "sha256");
    assert_eq!((package.digest().stored.len(), package.digest().verdict()), (32, "match"));
    let pe = package.member("sg00/pe.bin").unwrap();
    assert_eq!(package.file_offset(pe.offset), Some(1024 + 8192));
    assert_eq!(opened("sg00").0.file_offset(8192), None);
}

#[test]
fn pax_records_belong_to_the_member_behind_them() {
    let (package, findings) = opened("pax");
    let (sg00, _) = opened("sg00");
    assert_eq!(codes(&findings, Severity::Warning), ["digest.differs"]);
    for member in sg00.members() {
        assert_eq!(package.bytes(&member.name).unwrap(), sg00.bytes_of(member), "{}", member.name);
    }
    let long = package.members().last().unwrap();
    assert_eq!((long.name.len(), package.bytes_of(long)), (108, &b"x"[..]));
    assert_eq!(package.zero_tail_bytes(), 512);
}

#[test]
fn odd_but_valid_things_are_kept() {
    let (package, findings) = opened("mixed");
    assert_eq!(codes(&findings, Severity::Warning), ["json.number-text", "var.type", "queue.type"]);
    assert_eq!(package.bytes("sg00/unknown.member").unwrap(), b"kept");
    assert!(package.member("sg00/<img src=x onerror=1>.txt").is_some());
    let skipped: Vec<&str> = package
        .members()
        .iter()
        .filter(|member| member.skipped_by_loader)
        .map(|member| member.name.as_str())
        .collect();
    assert_eq!(skipped, ["sg00/wavegraph-bin.json"]);
    assert_eq!(n_slots(&package, "sg00"), [5, 0, 3, 0, 0]);
}

#[test]
fn two_cores_have_two_subgraphs() {
    let (package, findings) = opened("two-subgraphs");
    assert_eq!(codes(&findings, Severity::Warning), [] as [&str; 0]);
    let names: Vec<&str> = package.subgraphs().iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["sg00", "sg01"]);
    for subgraph in package.subgraphs() {
        assert_eq!((subgraph.target.kind, subgraph.target.arch()), (TargetKind::Cayman, Some(3)));
        assert_eq!(n_slots(&package, &subgraph.name), [4, 4, 3, 3, 4]);
    }
}

#[test]
fn limits_are_kept_and_named() {
    let root = workspace_root();
    let file = case_file(&root, "sg00").unwrap();
    let refuse =
        |limits: Limits| neff::open(&file, &limits, &mut Findings::new()).unwrap_err().code();
    let limits = Limits::default();
    assert_eq!(refuse(Limits { upload_bytes: 100, ..limits }), "limit.upload");
    assert_eq!(refuse(Limits { inflated_bytes: 20479, ..limits }), "neff.inflated-limit");
    assert_eq!(refuse(Limits { ratio: 5, ratio_from_bytes: 1000, ..limits }), "neff.ratio-limit");
    assert_eq!(refuse(Limits { members: 18, ..limits }), "archive.member-limit");
    let file = case_file(&root, "pax").unwrap();
    let limits = Limits { member_name_bytes: 107, ..limits };
    let error = neff::open(&file, &limits, &mut Findings::new()).unwrap_err();
    assert!(matches!(error, NeffError::NameLimit { bytes: 108, limit: 107, .. }));
}

#[test]
fn tables_beyond_a_limit_are_cut_with_a_finding() {
    let file = case_file(&workspace_root(), "two-subgraphs").unwrap();
    let cut = |limits: Limits| {
        let mut findings = Findings::new();
        let package = neff::open(&file, &limits, &mut findings).unwrap();
        (package, codes(&findings, Severity::Error))
    };
    let (package, codes) = cut(Limits { subgraphs: 1, ..Limits::default() });
    assert_eq!((package.subgraphs().len(), codes), (1, vec!["graph.too-many"]));
    // Six variables in each of two definitions; no other table has more than two rows.
    let (package, codes) = cut(Limits { json_rows: 2, ..Limits::default() });
    assert_eq!(package.subgraphs()[1].definition.variables.len(), 2);
    assert_eq!(codes.iter().filter(|code| **code == "json.rows").count(), 2);
}

/// A bomb of zeros inflates 1000 to 1; it is refused at the default limits after 64 MiB.
#[test]
fn a_bomb_is_refused_by_its_ratio() {
    let mut bomb: Case = case(&workspace_root(), "sg00").unwrap();
    bomb.archive.tar_bytes = Some(80 << 20);
    let error = open(&build(&bomb).unwrap()).0.unwrap_err();
    let NeffError::RatioLimit { inflated, limit: 200, .. } = error else { panic!("{error}") };
    assert!((64 << 20..66 << 20).contains(&inflated), "{inflated}");
}

#[test]
fn fuzz_oracle_holds_on_stored_inputs() {
    let root = workspace_root();
    for name in case_names(&root).unwrap() {
        support::fuzz::open_neff(&case_file(&root, &name).unwrap());
    }
    for (_, bytes) in crash_files(&root).unwrap() {
        support::fuzz::open_neff(&bytes);
    }
}

#[test]
fn real_files_open_with_every_stream() {
    for (name, tar, tail, slots) in [
        ("matmul_small/matmul_small.neff", 356_864, 7_839, [12, 5, 7, 2, 3]),
        ("matmul_large/matmul_large.neff", 9_285_120, 1_156, [21_269, 103, 6_873, 1_101, 449]),
    ] {
        let Some(bytes) = real_file(name) else { continue };
        let (package, findings) = open(&bytes);
        let package = package.unwrap();
        // This compiler's hash is not the MD5 of the payload.
        assert_eq!(codes(&findings, Severity::Info), ["digest.differs"], "{name}");
        assert_eq!(package.members().len(), 72);
        assert_eq!((package.tar_bytes(), package.zero_tail_bytes()), (tar, tail));
        assert_eq!(package.stored_bytes() % 10_240, 0);
        assert_eq!(package.header().lnc_size.get(), 2);
        for subgraph in ["sg00", "sg01"] {
            assert_eq!(n_slots(&package, subgraph), slots, "{name} {subgraph}");
        }
    }
}

mod properties {
    use super::*;
    use proptest::prelude::*;
    use support::case::{Damage, MemberText};

    /// Any change to a header or to a bare tar: the answer may be anything, but it is an answer.
    fn changed(base: &str, stage: &str, changes: &[(usize, u8)]) -> Vec<u8> {
        let mut case = case(&workspace_root(), base).unwrap();
        case.archive.compression = Some("none".to_owned());
        let length = build_tar(&case).unwrap().len();
        for (at, byte) in changes {
            case.damages.push(Damage {
                stage: stage.to_owned(),
                offset: Some(at % length),
                hex: format!("{byte:02x}"),
                cut_to: None,
            });
        }
        build(&case).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn changed_archives_never_panic(
            changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..12),
            base in prop::sample::select(vec!["two-subgraphs", "sg00", "mixed"]),
        ) {
            support::fuzz::open_neff(&changed(base, "tar", &changes));
        }

        #[test]
        fn changed_files_never_panic(
            changes in proptest::collection::vec((any::<usize>(), any::<u8>()), 1..4),
            cut in any::<usize>(),
        ) {
            let mut file = case_file(&workspace_root(), "sg00").unwrap();
            let length = file.len();
            for (at, byte) in changes {
                file[at % length] = byte;
            }
            file.truncate(length - cut % (length / 4));
            support::fuzz::open_neff(&file);
        }

        /// What a description says is what opening finds, in every dialect.
        #[test]
        fn opening_finds_what_was_described(
            contents in proptest::collection::vec("[ -~]{0,700}", 1..6),
            dialect in prop::sample::select(vec!["ustar", "gnu", "pax"]),
            compression in prop::sample::select(vec!["gzip", "none"]),
            long in any::<bool>(),
        ) {
            let mut case = Case::default();
            case.archive.dialect = Some(dialect.to_owned());
            case.archive.compression = Some(compression.to_owned());
            let folder = if long { format!("{}/", "f".repeat(90)) } else { String::new() };
            case.members = contents
                .iter()
                .enumerate()
                .map(|(i, text)| MemberText {
                    name: format!("{folder}member-{i}-of-this-archive"),
                    text: Some(text.clone()),
                    ..MemberText::default()
                })
                .collect();
            let (package, _) = open(&build(&case).unwrap());
            let package = package.unwrap();
            prop_assert_eq!(package.members().len(), case.members.len());
            for (member, text) in package.members().iter().zip(&case.members) {
                prop_assert_eq!(&member.name, &text.name);
                prop_assert_eq!(package.bytes_of(member), &content(text).unwrap()[..]);
            }
        }
    }
}
