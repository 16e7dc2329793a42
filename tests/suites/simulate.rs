//! Runs of whole files: real ones to their end, bundled ones to the outcome that their records
//! have, the same each time.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use device_sim::gate::SyncId;
use kbin::effects::SyncTarget;
use kbin::sync_effects;
use neff::{Findings, Limits};
use records::Engine;
use records::sync_mode::UpdateKind;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use support::asking::{ask, case, code, session};
use support::real_files::real_file;

const REAL: [&str; 2] = ["matmul_small/matmul_small.neff", "matmul_large/matmul_large.neff"];

/// What the records of all streams of a subgraph add to each semaphore: their own updates, the
/// increment of each direct transfer, one for each ring of a triggered block.
fn accounting(bytes: &[u8], index: usize) -> BTreeMap<String, i64> {
    let package = neff::open(bytes, &Limits::default(), &mut Findings::new()).unwrap();
    let subgraph = &package.subgraphs()[index];
    let mut sums = BTreeMap::new();
    for engine in Engine::ALL {
        for slot in package.slots(subgraph.engine(engine)) {
            for post in sync_effects(slot, None).posts {
                let SyncTarget::Semaphore(id) = post.target else { continue };
                let value = match post.action {
                    UpdateKind::Increment | UpdateKind::Add => i64::from(post.value),
                    other => panic!("{other:?}"),
                };
                *sums.entry(id.to_string()).or_insert(0) += value;
            }
        }
    }
    sums
}

#[test]
fn semaphores_at_the_end_of_main_equal_the_accounting() {
    for name in REAL {
        let Some(bytes) = real_file(name) else { continue };
        let session = session(&[("a.neff", &bytes)]);
        for (index, subgraph) in ["sg00", "sg01"].into_iter().enumerate() {
            let run =
                ask(&session, &json!({"ask": "simulate", "s": subgraph, "until": "main-end"}));
            assert_eq!(run["outcome"], "finished", "{name} {subgraph}");
            let values = run["semaphores"].as_object().unwrap();
            let found: BTreeMap<String, i64> = values
                .iter()
                .map(|(id, value)| (id.clone(), value.as_i64().unwrap()))
                .filter(|(_, value)| *value != 0)
                .collect();
            assert_eq!(found, accounting(&bytes, index), "{name} {subgraph}");
        }
        let all = ask(&session, &json!({"ask": "simulate", "until": "main-end"}));
        assert_eq!(all["outcome"], "finished");
        assert_eq!(all["semaphores"]["sg00"]["5"], all["semaphores"]["sg01"]["5"]);
    }
}

/// The published sums of the two files, so that the accounting above is checked too.
#[test]
fn the_accounting_has_the_published_sums() {
    let Some(small) = real_file(REAL[0]) else { return };
    let sums = accounting(&small, 0);
    let expected = [("4", 2), ("5", 4), ("8", 16), ("24", 16), ("25", 16), ("26", 16), ("27", 16)];
    let expected: BTreeMap<String, i64> =
        expected.into_iter().map(|(id, n)| (id.to_owned(), n)).collect();
    assert_eq!(sums, expected);
    let Some(large) = real_file(REAL[1]) else { return };
    let sums = accounting(&large, 0);
    assert_eq!((sums["4"], sums["5"], sums["6"]), (69, 16_640, 603));
    for id in 8..=23 {
        assert_eq!(sums[&id.to_string()], 240, "S{id}");
    }
    for id in 24..=39 {
        assert_eq!(sums[&id.to_string()], 4_128, "S{id}");
    }
    for id in 40..=55 {
        assert_eq!(sums[&id.to_string()], 16, "S{id}");
    }
}

#[test]
fn real_files_run_several_inferences_on_both_cores() {
    for name in REAL {
        let Some(bytes) = real_file(name) else { continue };
        let session = session(&[("a.neff", &bytes)]);
        let run = ask(&session, &json!({"ask": "simulate", "inferences": 3}));
        assert_eq!(run["outcome"], "finished", "{name}: {}", run["words"]);
        let cores = run["cores"].as_array().unwrap();
        assert_eq!(cores.len(), 2);
        for core in cores {
            assert_eq!((&core["has_peer"], &core["n_inferences"]), (&json!(true), &json!(3)));
            for engine in core["engines"].as_array().unwrap() {
                assert_eq!(engine["state"], "done");
                assert_eq!(engine["place"]["region"], "PREAMBLE");
            }
            // Each inference ends before the next one starts.
            let times = core["inferences"].as_array().unwrap();
            for pair in times.windows(2) {
                assert!(pair[0]["end_ns"].as_u64() < pair[1]["start_ns"].as_u64());
            }
        }
        // The postamble resets everything.
        for values in run["semaphores"].as_object().unwrap().values() {
            assert!(values.as_object().unwrap().values().all(|value| value == 0));
        }
    }
}

/// The slots that a run of one inference completes, by the regions of the images: PREAMBLE without
/// the gate and what follows it up to the inference start, MAIN, POSTAMBLE, and the ordering
/// records before the gate.
#[test]
fn the_number_of_slots_follows_from_the_regions() {
    let Some(bytes) = real_file(REAL[0]) else { return };
    let session = session(&[("a.neff", &bytes)]);
    let one = ask(&session, &json!({"ask": "simulate"}));
    let two = ask(&session, &json!({"ask": "simulate", "inferences": 2}));
    for core in ["sg00", "sg01"] {
        for engine in ["PE", "ACT", "POOL", "DVE", "SP"] {
            let image = ask(&session, &json!({"ask": "image", "s": core, "e": engine}));
            let slots = |name: &str| {
                let of = |region: &&Value| region["name"] == name;
                let region = image["regions"].as_array().unwrap().iter().find(of).unwrap();
                region["bytes"].as_u64().unwrap() / 64
            };
            let body = slots("MAIN") + slots("POSTAMBLE");
            // Behind the gate PE fetches the request (7 slots), loads and branches (2), others
            // load, drain and branch (3). The other model's way is 10 slots and a jump, one more on
            // POOL, one less on SP.
            let to_start = if engine == "PE" { 9 } else { 3 };
            let other = match engine {
                "POOL" => 12,
                "SP" => 10,
                _ => 11,
            };
            // Two ordering records stand before the gate.
            let first = slots("PREAMBLE") - 3 - to_start - other + body + 2;
            let done = |run: &Value| {
                let of = |one: &&Value| one["subgraph"] == core;
                let core = run["cores"].as_array().unwrap().iter().find(of).unwrap();
                let of = |one: &&Value| one["engine"] == engine;
                let engine = core["engines"].as_array().unwrap().iter().find(of).unwrap();
                engine["instructions"].as_u64().unwrap()
            };
            assert_eq!(done(&one), first, "{core} {engine}");
            // What stands behind the branch over the gate and before MAIN runs each time.
            let switch = slots("MODEL_SWITCH");
            let before = slots("PREAMBLE") - switch - 3 - to_start - other;
            let again = 1 + to_start + before + body + 2;
            assert_eq!(done(&two) - done(&one), again, "{core} {engine}");
        }
    }
}

#[test]
fn bundled_files_end_as_their_records_say() {
    let table = [
        ("bare-tar", "finished", ""),
        ("collective-all-gather", "finished", ""),
        ("collective-all-reduce-2", "finished", ""),
        ("collective-all-reduce-4", "finished", ""),
        ("collective-all-reduce-8", "finished", ""),
        ("collective-faults", "finished", ""),
        ("collective-grouped", "finished", ""),
        ("collective-hierarchical", "finished", ""),
        ("collective-reduce-scatter", "finished", ""),
        ("collective-send-receive", "finished", ""),
        // Its first record has mode bytes of no meaning.
        ("every-record", "fault", "mode"),
        ("functions", "finished", ""),
        ("memory", "finished", ""),
        ("mixed", "fault", "opcode"),
        ("pair-cayman", "finished", ""),
        ("pair-sunda", "finished", ""),
        ("pax", "finished", ""),
        ("sg00", "finished", ""),
        // A block of it is meant to leave its variable.
        ("transfers", "fault", "block-outside"),
        ("two-subgraphs", "finished", ""),
    ];
    for (name, outcome, kind) in table {
        let session = session(&[("a.neff", case(name))]);
        let run = ask(&session, &json!({"ask": "simulate", "inferences": 2}));
        assert_eq!(run["outcome"], outcome, "{name}: {}", run["words"]);
        let found = run["cause"]["kind"].as_str().or(run["fault"]["kind"].as_str());
        assert_eq!(found.unwrap_or(""), kind, "{name}: {}", run["words"]);
        let again = ask(&session, &json!({"ask": "simulate", "inferences": 2}));
        assert_eq!(run, again, "{name}");
    }
}

/// A captured image runs like the one that was built with its values.
#[test]
fn captured_images_run_too() {
    for name in ["pair-cayman", "pair-sunda"] {
        let capture = std::fs::read(support::golden::case_dir(name).join("input.ntff")).unwrap();
        let session = session(&[("a.neff", case(name)), ("a.ntff", capture)]);
        let real = ask(&session, &json!({"ask": "simulate", "inferences": 2}));
        let modelled =
            ask(&session, &json!({"ask": "simulate", "inferences": 2, "modelled": true}));
        assert_eq!(real["outcome"], "finished", "{name}: {}", real["words"]);
        assert_eq!(real["trace"]["hash"], modelled["trace"]["hash"], "{name}");
    }
}

#[test]
fn every_profile_runs_the_smallest_program() {
    let session = session(&[("a.neff", case("sg00"))]);
    for (profile, _) in device_image::profile::BUILT_IN {
        let run = ask(&session, &json!({"ask": "simulate", "profile": profile, "inferences": 3}));
        // A profile of another generation meets addresses of that generation.
        assert_eq!(run["outcome"], "finished", "{profile}: {}", run["words"]);
        assert_eq!(run["cores"][0]["n_inferences"], 3, "{profile}");
    }
}

#[test]
fn a_seed_changes_the_order_and_nothing_else() {
    let session = session(&[("a.neff", case("two-subgraphs"))]);
    let plain = ask(&session, &json!({"ask": "simulate"}));
    let mut hashes = std::collections::BTreeSet::new();
    for seed in 0..8 {
        let run = ask(&session, &json!({"ask": "simulate", "seed": seed}));
        assert_eq!(run["outcome"], "finished", "{}", run["words"]);
        assert_eq!(run["semaphores"], plain["semaphores"]);
        assert_eq!(run["instructions"], plain["instructions"]);
        hashes.insert(run["trace"]["hash"].as_str().unwrap().to_owned());
        let again = ask(&session, &json!({"ask": "simulate", "seed": seed}));
        assert_eq!(run, again);
    }
    assert!(hashes.len() > 1);
}

#[test]
fn a_budget_ends_a_run() {
    let session = session(&[("a.neff", case("sg00"))]);
    let run = ask(&session, &json!({"ask": "simulate", "max_events": 100}));
    assert_eq!((&run["outcome"], &run["events"]), (&json!("budget"), &json!(100)));
}

#[test]
fn what_if_breaks_a_run_and_says_so() {
    let session = session(&[("a.neff", case("sg00"))]);
    let stalled = ask(&session, &json!({"ask": "simulate", "stall": ["q_gradient_in:0"]}));
    assert_eq!(stalled["outcome"], "deadlock");
    assert_eq!(stalled["cause"]["kind"], "transfer-stuck", "{}", stalled["words"]);
    let waits_for = &stalled["stuck"][0]["waits_for"][0];
    assert_eq!(
        (&waits_for["why"], &waits_for["queue"]),
        (&json!("stalled"), &json!("q_gradient_in"))
    );
    let dropped = ask(&session, &json!({"ask": "simulate", "drop": ["semaphore:22"]}));
    assert_eq!(dropped["cause"]["kind"], "post-dropped", "{}", dropped["words"]);
    let wrong = [("stall", "q_none:0"), ("drop", "sg07:event:1"), ("delay", "sg07:1")];
    for (key, value) in wrong {
        assert_eq!(code(&session, &json!({"ask": "simulate", key: [value]})), "request.invalid");
    }
}

/// Semaphore 22 is posted once in each inference, by PE's collective.
#[test]
fn a_post_that_never_comes_cannot_be_left_out_and_that_is_said() {
    let session = session(&[("a.neff", case("sg00"))]);
    let run = |drop: Value, inferences: u32| {
        ask(&session, &json!({"ask": "simulate", "drop": drop, "inferences": inferences}))
    };
    let told = |run: &Value, code: &str| {
        let all = run["diagnostics"].as_array().unwrap();
        all.iter().filter(|one| one["code"] == code).count()
    };
    let one = run(json!(["semaphore:22:2"]), 1);
    assert_eq!((&one["outcome"], told(&one, "run.post-not-dropped")), (&json!("finished"), 1));
    let text = one["diagnostics"].to_string();
    assert!(text.contains("post 2 of semaphore 22") && text.contains("1 post came"), "{text}");
    let two = run(json!(["semaphore:22:2"]), 2);
    assert_eq!((&two["outcome"], told(&two, "run.post-not-dropped")), (&json!("deadlock"), 0));
    assert_eq!(two["cores"][0]["n_inferences"], 2, "the first one is done");
    // Two losses of one semaphore count its posts alike.
    let both = run(json!(["event:200:1", "semaphore:22:1", "semaphore:22:2"]), 2);
    assert_eq!((&both["outcome"], told(&both, "run.post-not-dropped")), (&json!("deadlock"), 2));
}

/// The other core waits at the barrier of the cores, and so both are done later.
#[test]
fn a_core_that_starts_late_holds_up_the_other_one() {
    let session = session(&[("a.neff", case("two-subgraphs"))]);
    let plain = ask(&session, &json!({"ask": "simulate"}));
    let late = ask(&session, &json!({"ask": "simulate", "delay": ["sg01:50000"]}));
    assert_eq!(late["outcome"], "finished", "{}", late["words"]);
    for core in 0..2 {
        let end = |run: &Value| run["cores"][core]["inferences"][0]["end_ns"].as_u64().unwrap();
        assert!(end(&late) >= end(&plain) + 45_000, "core {core}");
    }
    assert_eq!(late["instructions"], plain["instructions"]);
}

#[test]
fn a_timing_model_replaces_the_built_in_one() {
    let session = session(&[("a.neff", case("sg00"))]);
    let slow = device_sim::timing::DEFAULT
        .replace("name = \"default\"", "name = \"slow host\"")
        .replace("host_ns = 2000", "host_ns = 1000000");
    let run = ask(&session, &json!({"ask": "simulate", "inferences": 2, "timing": slow}));
    assert_eq!(run["outcome"], "finished");
    assert!(run["time_ns"].as_u64() > Some(1_000_000));
    let timing = &run["timing"];
    assert_eq!(
        (&timing["name"], &timing["provenance"]),
        (&json!("slow host"), &json!("configured"))
    );
    let plain = ask(&session, &json!({"ask": "simulate", "inferences": 2}));
    assert!(plain["time_ns"].as_u64() < Some(1_000_000));
    assert_eq!(plain["timing"]["clock_provenance"], "observed");
    assert_eq!(SyncId::event(3).to_string(), "event 3");
}

/// Each inference of the smallest program moves one block on each of its two queues, and its end resets
/// the rings.
#[test]
fn blocks_are_counted_over_all_inferences() {
    let session = session(&[("a.neff", case("sg00"))]);
    for inferences in [1, 3] {
        let run = ask(&session, &json!({"ask": "simulate", "inferences": inferences}));
        for queue in run["cores"][0]["queues"].as_array().unwrap() {
            assert_eq!((&queue["moved_in_all"], &queue["moved"]), (&json!(inferences), &json!(0)));
        }
    }
    let run = ask(&session, &json!({"ask": "simulate", "until": "main-end"}));
    for queue in run["cores"][0]["queues"].as_array().unwrap() {
        assert_eq!((&queue["moved_in_all"], &queue["moved"]), (&json!(1), &json!(1)));
    }
}

/// Programs that come to their end have no wait that nobody posts.
#[test]
fn no_wait_of_a_program_that_ends_is_never_posted() {
    let bundled = ["sg00", "memory", "two-subgraphs"].map(|name| (name, Some(case(name))));
    let real = REAL.map(|name| (name, real_file(name)));
    for (name, bytes) in bundled.into_iter().chain(real) {
        let Some(bytes) = bytes else { continue };
        let run = ask(&session(&[("a.neff", &bytes)]), &json!({"ask": "simulate"}));
        assert_eq!(run["outcome"], "finished", "{name}");
        let findings = run["diagnostics"].to_string();
        assert!(!findings.contains("run.never-posted"), "{name}: {findings}");
    }
}
