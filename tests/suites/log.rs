//! Runtime logs: what lines say, where they lead, and which bases fit their pairs.
//!
//! The logs are written by hand in the forms of docs/format/logs.md. Expected places were worked
//! out from the patch lists, not by the program.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use debug_api::answer::{Answer, LogAnswer, Provenance};
use debug_api::log::solve::{Pair, solve};
use debug_api::{Limits, Request, Scope, Session};
use device_image::pc_map::{PcMap, SourceCounts};
use device_image::{ByteRange, ImageRanges};
use records::{PatchRow, PatchSection, PatchType};
use support::golden::case_dir;

const INSERT: PatchType = PatchType::INSERT;
const DELETE: PatchType = PatchType::DELETE;
const PRE: PatchSection = PatchSection::PREAMBLE;
const POST: PatchSection = PatchSection::POSTAMBLE;
const MAIN: PatchSection = PatchSection::MAIN;

fn map(
    rows: &[(u32, u32, PatchType, PatchSection)],
    core: (u64, u64),
    bytes: u64,
    records: u32,
) -> PcMap {
    let rows: Vec<PatchRow> = rows
        .iter()
        .map(|&(offset, count, kind, section)| PatchRow { offset, count, kind, section })
        .collect();
    let ranges = ImageRanges {
        preamble: ByteRange { offset: 0, size: core.0 },
        model_switch: ByteRange::default(),
        core: ByteRange { offset: core.0, size: core.1 },
        functions: ByteRange { offset: bytes, size: 0 },
        image_bytes: bytes,
    };
    PcMap::new(&rows, ranges, SourceCounts { main: records, functions: 0 })
}

/// Six records, as example 6 of docs/format/pc-map.md: the first becomes 3 slots, the third is
/// deleted, the fifth becomes 4; 3 slots in front.
fn mixed() -> PcMap {
    map(
        &[
            (0, 3, INSERT, PRE),
            (0xC0, 2, INSERT, MAIN),
            (0x1C0, 1, DELETE, MAIN),
            (0x200, 3, INSERT, MAIN),
            (0x340, 2, INSERT, POST),
        ],
        (0xC0, 0x280),
        0x3C0,
        6,
    )
}

/// A captured POOL image: 69 slots in front, six records of which the second is deleted, then 12.
fn captured() -> PcMap {
    map(
        &[(0, 69, INSERT, PRE), (70 * 64, 1, DELETE, MAIN), (74 * 64, 12, INSERT, POST)],
        (69 * 64, 5 * 64),
        86 * 64,
        6,
    )
}

fn pair(device_pc: u64, neff_ip: u32) -> Pair {
    Pair { device_pc, neff_ip }
}

#[test]
fn a_base_is_solved_from_pairs() {
    // Base 0x100000. Slot 6 is record 2; slot 7 is record 4, which the runtime calls 3.
    let pairs = [pair(0x10_0180, 2), pair(0x10_01C0, 3), pair(0x10_0300, 6)];
    let found = solve(&[&mixed()], &pairs);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].map, found[0].base, found[0].preamble_slots), (Some(0), 0x10_0000, 3));
    assert_eq!(found[0].fits, [true, true, true]);
}

#[test]
fn a_captured_image_is_found_at_its_base() {
    // Records 1, 3 and 6 stand in slots 69, 70 and 73.
    let base = 0x8005_C000_8000;
    let at = |slot: u64| base + slot * 64;
    let pairs = [pair(at(69), 1), pair(at(70), 3), pair(at(73), 6)];
    let found = solve(&[&mixed(), &captured()], &pairs);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0].map, found[0].base), (Some(1), base));
    // One pair is enough under a known preamble, as only one base of 512 is aligned.
    let found = solve(&[&captured()], &pairs[..1]);
    assert_eq!(found.iter().map(|found| found.base).collect::<Vec<_>>(), [base]);
}

#[test]
fn an_unknown_preamble_is_solved_up_to_512_slots() {
    // MAIN of the mixed program lies 40 slots behind a base; no known preamble is that long.
    let main = 0x3_C000_0000 + 40 * 64;
    let pairs = [pair(main + 3 * 64, 2), pair(main + 4 * 64, 4), pair(main + 9 * 64, 6)];
    let found = solve(&[&mixed(), &captured()], &pairs);
    assert_eq!(found.len(), 1, "{found:?}");
    let found = &found[0];
    assert_eq!((found.map, found.base, found.preamble_slots), (None, 0x3_C000_0000, 40));
    assert_eq!(found.main_start(), main);
}

#[test]
fn pairs_that_disagree_are_named() {
    let pairs = [pair(0x10_0180, 2), pair(0x10_0300, 6), pair(0x10_0200, 1)];
    let found = solve(&[&mixed()], &pairs);
    assert_eq!(found[0].base, 0x10_0000);
    assert_eq!(found[0].fits, [true, true, false]);
    assert_eq!(found[0].agreeing(), 2);
}

#[test]
fn nothing_fits_nothing() {
    assert_eq!(solve(&[], &[pair(64, 1)]), []);
    assert_eq!(solve(&[&mixed()], &[]), []);
    // An IP that the program does not have, and one pair at an unaligned base.
    assert_eq!(solve(&[&mixed()], &[pair(0x10_0180, 99), pair(0x40, 1)]), []);
    assert_eq!(solve(&[&mixed()], &[pair(u64::MAX, 6), pair(0, 1)]), []);
}

fn session(case: &str) -> Session {
    let path = case_dir(case).join("input.neff");
    Session::open("input.neff", std::fs::read(path).unwrap(), &Limits::default()).unwrap()
}

fn ask(session: &Session, scope: Scope, text: &str) -> LogAnswer {
    match session.ask(&Request::Log { scope, text: text.to_owned() }).unwrap() {
        Answer::Log(log) => *log,
        other => panic!("{other:?}"),
    }
}

const OOB: &str = "2024-Jun-26 00:32:47.943821 30294:32381 ERROR  TDRV:generate_custom_notification_msg        nd0:nc0:h_model.id1001: Received notification generated at runtime: failed to run scatter/gather (indirect memory copy), due to out-of-bound access. isa instruction line number = 2. model name = /m/input.neff";

#[test]
fn an_out_of_bounds_line_leads_to_its_record() {
    let log = ask(&session("sg00"), Scope::default(), OOB);
    let line = &log.lines[0];
    assert_eq!((line.kind.as_str(), line.neff_ip), ("out-of-bounds", Some(2)));
    assert_eq!((line.engine.as_deref(), line.engine_inferred), (Some("POOL"), true));
    assert_eq!(line.format, Provenance::Observed);
    let answer = line.answer.as_ref().unwrap();
    // pool.asm line 2.
    assert!(answer.text.as_deref().unwrap().contains("q_gradient_out"), "{answer:?}");
    assert_eq!(answer.source[0].line, Some(2));
    assert_eq!(answer.place.as_ref().unwrap().neff_ip, Some(2));
    // No other engine of the sample has two records; the model is the open one.
    assert_eq!(line.also, []);
    assert_eq!(line.notes, [""; 0]);
}

#[test]
fn a_base_of_the_question_and_of_a_line_count() {
    let session = session("sg00");
    let scope =
        Scope { e: Some("POOL".to_owned()), base: Some("0x100000".to_owned()), ..Scope::default() };
    let image = session.ask(&Request::Image { scope: scope.clone() }).unwrap();
    let Answer::Image(image) = image else { panic!() };
    let main = image.ranges.core.offset;
    // The third record, under the base of the question and under that of the line.
    let text =
        format!("POOL pc {:#x}\nPOOL base=0x200000 pc={:#x}", 0x10_0080 + main, 0x20_0080 + main);
    let log = ask(&session, scope, &text);
    let from = [Provenance::Configured, Provenance::File];
    for (line, from) in log.lines.iter().zip(from) {
        let answer = line.answer.as_ref().unwrap();
        assert_eq!((answer.neff_ip, answer.base_provenance), (Some(3), from), "{line:?}");
        assert_eq!(answer.exact.unwrap().neff_ip, 3);
    }
}

#[test]
fn pairs_move_all_lines_of_their_engine() {
    let session = session("sg00");
    let scope = Scope { e: Some("POOL".to_owned()), ..Scope::default() };
    let Answer::Image(image) = session.ask(&Request::Image { scope }).unwrap() else { panic!() };
    let at = |slot: u64| 0x8005_C000_8000 + image.ranges.core.offset + slot * 64;
    let text = format!(
        "[ND 0][NC 0] POOL pc {:#x} ip 1\n[ND 0][NC 0] POOL pc {:#x} ip 3\n[ND 0][NC 0] POOL pc {:#x}",
        at(0),
        at(2),
        at(1)
    );
    let log = ask(&session, Scope::default(), &text);
    let solved = &log.solved[0];
    assert_eq!((solved.base.as_str(), solved.agreeing, solved.in_use), ("0x8005c0008000", 2, true));
    assert_eq!(solved.profile.as_deref(), Some("cayman-r2.27"));
    assert_eq!(solved.preamble_slots * 64, image.ranges.core.offset);
    assert_eq!(solved.provenance, Provenance::Inferred);
    let third = log.lines[2].answer.as_ref().unwrap();
    assert_eq!((third.neff_ip, third.base_provenance), (Some(2), Provenance::Inferred));
}

#[test]
fn feature_bits_are_compared_with_the_file() {
    let text = "2024-Jan-19 05:03:34.343999 31898:32693 ERROR  NEFF:neff_parse                              NEFF version: 2.0, features: 0x100 are not supported.  Currently supporting: 0x80000000000000ff";
    let log = ask(&session("sg00"), Scope::default(), text);
    let features = log.lines[0].features.as_ref().unwrap();
    assert_eq!(log.lines[0].kind, "feature-mask");
    assert_eq!(features.named.as_deref(), Some("0x100"));
    assert_eq!(features.refused, ["indirect_memcpy_bound_check"]);
    // The sample has no feature bits.
    assert_eq!(features.file.as_deref(), Some("0x0"));
    assert_eq!(features.file_refused, [""; 0]);
    assert!(log.lines[0].notes.iter().any(|note| note.contains("another file")));
}

#[test]
fn codes_are_explained_once() {
    let text = "NMGR:dlr_infer Inference completed with err: 1006\nnrt_load: status=4\nNRT:x Inference completed with err: 1006";
    let log = ask(&Session::new(Vec::new()), Scope::default(), text);
    let codes: Vec<_> =
        log.codes.iter().map(|code| (code.code, code.name.as_str(), code.lines)).collect();
    assert_eq!(codes, [(4, "NRT_RESOURCE", 1), (1006, "NRT_EXEC_OOB", 2)]);
    assert!(log.codes.iter().all(|code| !code.meaning.is_empty() && !code.advice.is_empty()));
    assert_eq!(log.file, None);
    assert!(log.lines.iter().all(|line| line.answer.is_none()));
}

#[test]
fn a_hang_names_its_engine() {
    let text = "\
2023-Jan-09 20:27:41.0593 15042:15042 ERROR  TDRV:exec_consume_tpb_status_notifications   Missing infer_status notification: (end:2)
2023-Jan-09 20:27:41.0593 15042:15042 ERROR  TDRV:exec_consume_infer_status_notifications (FATAL-RT-UNDEFINED-STATE) inference timeout (600000 ms) on Neuron Device 4 NC 1, waiting for execution completion notification
2023-Jan-09 20:27:41.0600 15042:15042 ERROR  NMGR:dlr_infer                               Inference completed with err: 5";
    let log = ask(&session("sg00"), Scope::default(), text);
    let kinds: Vec<_> = log.lines.iter().map(|line| line.kind.as_str()).collect();
    assert_eq!(kinds, ["missing-notification", "timeout", "status"]);
    let answer = log.lines[0].answer.as_ref().unwrap();
    assert_eq!((answer.engine.as_str(), answer.neff_ip), ("POOL", Some(3)));
    assert_eq!((log.lines[1].device, log.lines[1].core), (Some(4), Some(1)));
    assert_eq!(log.lines[2].status, Some(5));
}

#[test]
fn a_subgraph_can_be_named_by_the_line() {
    let session = session("two-subgraphs");
    let log = ask(&session, Scope::default(), "sg01 SP neff_ip 1");
    assert_eq!(log.lines[0].subgraph.as_deref(), Some("sg01"));
    assert_eq!(log.lines[0].answer.as_ref().unwrap().subgraph, "sg01");
}

#[test]
fn the_document_has_its_keys() {
    let text =
        session("sg00").ask_text(&serde_json::json!({"ask": "log", "text": OOB}).to_string());
    let json: serde_json::Value = serde_json::from_str(&text.unwrap()).unwrap();
    for key in ["text", "kind", "engine", "device_pc", "neff_ip", "answer"] {
        assert!(json["lines"][0].get(key).is_some(), "{key}");
    }
    assert_eq!(json["lines"][0]["text"], OOB);
    assert!(json["lines"][0]["device_pc"].is_null());
    let back: LogAnswer = serde_json::from_value(json).unwrap();
    assert_eq!(back.lines.len(), 1);
}

#[test]
fn wrong_scopes_are_refused() {
    let session = session("sg00");
    for (scope, code) in [
        (Scope { s: Some("sg99".to_owned()), ..Scope::default() }, "subgraph.unknown"),
        (Scope { e: Some("TPB".to_owned()), ..Scope::default() }, "engine.unknown"),
        (Scope { f: Some(3), ..Scope::default() }, "file.unknown"),
    ] {
        let error = session.ask(&Request::Log { scope, text: OOB.to_owned() }).unwrap_err();
        assert_eq!(error.code, code);
    }
}

/// Texts that fuzzing starts from, replayed here.
#[test]
fn hostile_texts_are_answered_twice_equal() {
    let long = "PE pc 0x40 ip 1 ".repeat(5_000);
    let stamps = "TDRV:x 2024-Jan-18 01:49:40 ".repeat(3_000);
    let many = "ip 3\n".repeat(25_000);
    let nested = "((((end:".repeat(10_000);
    for text in [
        "",
        "\r\r\n\u{1b}[",
        "\u{1b}]",
        "ip 0xffffffffffffffffffff pc",
        "pc 0xffffffffffffffff ip 4294967295 engine 4 base 0xffffffffffffffff",
        "PE=0x1 PE=0x2 ACT=0x3 pc ip 1",
        "features: 0x supporting: 0xg",
        "Missing infer_status notification: (",
        "ä pc 0x40 ö ip 1 ü .json json",
        &long,
        &stamps,
        &many,
        &nested,
    ] {
        support::fuzz_log::run(text.as_bytes());
    }
}

/// Every pair asks for a base of its own: a bounded number of them is tried, the lowest first.
#[test]
fn pairs_that_all_contradict_each_other_are_bounded() {
    let map = captured();
    let first = map.ranges().core.offset;
    let pairs: Vec<Pair> = (1..=256_u64).map(|n| pair(n * 0x8000 + first, 1)).rev().collect();
    let found = solve(&[&map], &pairs);
    let bases: Vec<u64> = found.iter().map(|candidate| candidate.base).collect();
    assert_eq!(bases, [0x8000, 0x1_0000, 0x1_8000, 0x2_0000]);
    // The base that two pairs lead to is found, however high it is.
    let mut more = pairs;
    let base = 250 * 0x8000;
    more[0] = pair(base + first, 1);
    more[1] = pair(base + first + 64, 3);
    let found = solve(&[&map], &more);
    assert_eq!((found[0].base, found[0].agreeing()), (base, 3));
}

/// The sample has one record on PE, three on POOL and none on the other engines.
#[test]
fn an_engine_without_records_waits_behind_its_program() {
    let session = session("sg00");
    let text = "Missing infer_status notification: (end:4) (end:2)";
    let log = ask(&session, Scope::default(), text);
    let line = &log.lines[0];
    assert!(line.says.contains("the end") && !line.says.contains("start or"));
    assert_eq!((line.engine.as_deref(), line.engine_inferred), (Some("SP"), true));
    assert_eq!(line.more.len(), 1);
    let pool = line.more[0].answer.as_ref().unwrap();
    assert_eq!((pool.engine.as_str(), pool.neff_ip), ("POOL", Some(3)));
    for (code, engine) in [(1, "ACT"), (3, "DVE"), (4, "SP")] {
        let text = format!("Missing infer_status notification: (end:{code})");
        let log = ask(&session, Scope::default(), &text);
        let answer = log.lines[0].answer.as_ref().unwrap();
        assert_eq!((answer.engine.as_str(), answer.neff_ip), (engine, None), "{text}");
        assert_eq!(answer.region.as_deref(), Some("POSTAMBLE"), "{text}");
        assert!(answer.reason.as_deref().unwrap().contains("no record to wait at"));
        assert_ne!(answer.provenance, Provenance::Observed);
    }
    let log = ask(&session, Scope::default(), "Missing infer_status notification: (start:2)");
    let answer = log.lines[0].answer.as_ref().unwrap();
    assert_eq!((answer.region.as_deref(), answer.neff_ip), (Some("MAIN"), Some(1)));
    assert!(answer.reason.as_deref().unwrap().contains("in front of it"));
}

#[test]
fn numbers_that_are_no_engine_get_a_remark() {
    let session = session("sg00");
    let log = ask(
        &session,
        Scope::default(),
        "Missing infer_status notification: (end:99)\nMissing infer_status notification: (9:9)",
    );
    for (line, part) in log.lines.iter().zip(["code 99", "number 9"]) {
        assert!(line.answer.is_none() && line.notes.iter().any(|note| note.contains(part)));
    }
}

#[test]
fn a_concluded_engine_is_inferred_and_others_are_named() {
    let log = ask(&session("sg00"), Scope::default(), OOB);
    let answer = log.lines[0].answer.as_ref().unwrap();
    assert_ne!(answer.provenance, Provenance::Observed);
    assert!(answer.reason.as_deref().unwrap().contains("engine is inferred: POOL"));
    // With an engine of the question nothing is concluded.
    let scope = Scope { e: Some("POOL".to_owned()), ..Scope::default() };
    let log = ask(&session("sg00"), scope, OOB);
    assert_eq!(log.lines[0].answer.as_ref().unwrap().reason, None);
}

#[test]
fn a_line_against_its_own_place_is_remarked() {
    let session = session("sg00");
    let scope = Scope { e: Some("POOL".to_owned()), ..Scope::default() };
    let Answer::Image(image) = session.ask(&Request::Image { scope }).unwrap() else { panic!() };
    let base = u64::from_str_radix(image.base.trim_start_matches("0x"), 16).unwrap();
    let line = |pc: u64| format!("device_ip {pc:#x} is out of bounds of main and function buffer");
    let log = ask(&session, Scope::default(), &line(base + image.ranges.core.offset));
    assert!(log.lines[0].notes.iter().any(|note| note.contains("does lie in MAIN of POOL")));
    // A PC in front of MAIN lies where the line says.
    let log = ask(&session, Scope::default(), &line(base + 64));
    assert!(!log.lines[0].notes.iter().any(|note| note.contains("does lie")));
}

/// Every line that users report is known, says something, and says what to do next.
#[test]
fn reported_lines_are_explained() {
    let lines = [
        (
            "NEFF version: 2.0, features: 0x100 are not supported. Currently supporting: 0xff",
            "feature-mask",
        ),
        ("trn1 NEFF on trn2: set NEURON_RT_ALLOW_LEGACY_NEFF=1", "load-failure"),
        ("nrt_load status 2, NEFF is invalid; could be broken or hacked", "load-failure"),
        ("unable to open kelf-b.json", "load-failure"),
        ("Could not load the model status=2 message=Invalid", "load-failure"),
        ("Could not find a matching NEFF for your HLO in this directory.", "load-failure"),
        (
            "TDRV:tdrv_one_tmpbuf_reserve Number of ONE TMPBUF pages requested exceeded the max number of pages allowed (requested: 18, max allowed: 16).",
            "memory",
        ),
        ("Failed to stage graph: kelf-0.json to NeuronCore, err:4", "load-failure"),
        ("Failed to allocate 172.000MB (usage: tensors) on ND 0:NC 0", "memory"),
        ("Missing infer_status notification: (end:0)", "missing-notification"),
        ("nrt_tensor_allocate status=4", "memory"),
        ("nrt_load_collectives status=4", "load-failure"),
        ("Failure: NRT_RESOURCE in nrt_load()", "load-failure"),
        (
            "TDRV:dma_queue_init_batch_execute failed to init dma queue batch. One or more of the queues may have exceeded",
            "memory",
        ),
        ("neuron:udma_q_init_validate: queue8 size(16777216) too large", "memory"),
        (
            "Error notifications found on NC:0; action=INFER_ERROR_SUBTYPE_MODEL; error_id=8; error string:Event double set",
            "error-notification",
        ),
        (
            "ENC:validate_neff_cc_ops mismatching number of cc ops, expected 3 received 6",
            "collective",
        ),
        ("replica groups (0/1) does not have myself 2", "collective"),
        ("failed to create instruction block", "load-failure"),
        ("Unsupported topology: supported 1/2/8/16/x32 cores", "collective"),
        ("timeout waiting for RX, 120 s, 32 ranks", "timeout"),
        ("core barrier names differ between LNC cores", "collective"),
        ("DMA TX engine 3 is in an abort state", "hardware"),
        ("HW_ERR_DMA_ABORT", "hardware"),
        (
            "=== BIR error === Reason: Access pattern out of bound. Instruction: identity_pool_1_I-6634-418669-tc Opcode: TensorCopy",
            "compile-error",
        ),
        ("NTFF version 4 not supported (1 - 3)", "capture"),
        (
            "WARNING: Missing additional dynamic DMA metadata, reported DMA values may be inaccurate",
            "capture",
        ),
        ("instruction I-21-0 cannot be allocated in SB", "compile-error"),
        (
            "out-of-bound access. isa instruction line number = 2. model name = /m/input.neff",
            "out-of-bounds",
        ),
        (
            "device_ip 0x8005c1000f80 is out of bounds of main and function buffer, no debug info",
            "out-of-bounds",
        ),
    ];
    let text: Vec<&str> = lines.iter().map(|(text, _)| *text).collect();
    let log = ask(&session("sg00"), Scope::default(), &text.join("\n"));
    assert_eq!(log.lines.len(), lines.len());
    for (line, (text, kind)) in log.lines.iter().zip(lines) {
        assert_eq!(line.kind, kind, "{text}");
        assert!(!line.says.is_empty() && !line.next.is_empty(), "{text}");
    }
    // Codes that speak for themselves are explained once, at the end.
    let codes = "NRT_EXEC_OOB\nstatus=1003\nNERR_RESOURCE\nInference completed with err: 1004";
    let log = ask(&session("sg00"), Scope::default(), codes);
    assert!(log.lines.iter().all(|line| line.kind == "status"));
    assert!(log.codes.len() == 4 && log.codes.iter().all(|code| !code.advice.is_empty()));
}

/// `I-20-0-trig` is the instruction of the third record on SP.
#[test]
fn an_instruction_of_the_compiler_leads_to_its_record() {
    let log =
        ask(&session("sg00"), Scope::default(), "instruction I-21-0 cannot be allocated in SB");
    let line = &log.lines[0];
    assert_eq!(line.instruction.as_deref(), Some("I-21-0"));
    assert!(line.answer.is_none() && line.notes.len() == 1, "{line:?}");
    let session = session("two-subgraphs");
    for (name, engine, ip) in [("I-20-0-trig", "SP", Some(3)), ("I-20-0", "SP", Some(3))] {
        let text = format!(
            "=== BIR error === Reason: Access pattern out of bound. Instruction: {name} Opcode: X"
        );
        let log = ask(&session, Scope::default(), &text);
        let answer = log.lines[0].answer.as_ref().unwrap();
        assert_eq!((answer.engine.as_str(), answer.neff_ip), (engine, ip), "{name}");
        assert!(answer.reason.as_deref().unwrap().contains("I-20-0-trig"));
    }
    let log = ask(
        &session,
        Scope::default(),
        "instruction I-20 cannot be allocated\ninstruction 0-trig cannot be allocated\ninstruction -20x cannot be allocated",
    );
    assert!(log.lines[2].answer.is_none());
}
