//! Several ranks together: TOP_SPs walk their tables and run the programs of the algorithms over links.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a suite fails by panicking")]

use serde_json::{Value, json};
use support::asking::{ask, case, session};

fn run(name: &str, question: &Value) -> Value {
    let bytes = case(name);
    let mut question = question.clone();
    question["ask"] = json!("simulate");
    ask(&session(&[("a.neff", bytes)]), &question)
}

fn time(run: &Value) -> u64 {
    run["time_ns"].as_u64().unwrap()
}

#[test]
fn all_reduces_of_two_four_and_eight_ranks_finish() {
    for (name, ranks, collectives) in [
        ("collective-all-reduce-2", 2, 2),
        ("collective-all-reduce-4", 4, 2),
        ("collective-all-reduce-8", 8, 3),
    ] {
        for inferences in [1, 2] {
            let run = run(name, &json!({"ranks": ranks, "inferences": inferences}));
            assert_eq!(run["outcome"], "finished", "{name}: {}", run["words"]);
            let cores = run["cores"].as_array().unwrap();
            assert_eq!(cores.len(), ranks, "{name}");
            for top_sp in run["top_sps"].as_array().unwrap() {
                assert_eq!(top_sp["done"], collectives * inferences, "{name}: {top_sp}");
                assert_eq!(top_sp["state"], "idle");
            }
            // Each collective starts and ends on each TOP_SP, as often as there are inferences.
            let kinds = &run["trace"]["kinds"];
            let top_sps = run["top_sps"].as_array().unwrap().len() as u64;
            let ends = top_sps * collectives * inferences;
            assert_eq!(kinds["collective-start"], ends, "{name}");
            assert_eq!(kinds["collective-end"], ends, "{name}");
        }
    }
}

/// Each rank sends the schedule's chunks: the steps that move are as many as the schedule has.
#[test]
fn the_steps_are_those_of_the_schedule() {
    let session = session(&[("a.neff", case("collective-all-reduce-4"))]);
    let run = ask(&session, &json!({"ask": "simulate", "ranks": 4}));
    let plan = ask(&session, &json!({"ask": "collectives"}));
    let mut moving = 0;
    for one in plan["triggers"].as_array().unwrap() {
        let (algorithm, n) = (one["algorithm"].as_str().unwrap(), 4);
        let steps = one["steps"].as_u64().unwrap();
        let mut request = json!({"ask": "schedule", "algorithm": algorithm, "operation": "all-reduce",
            "ranks": n, "from": 0, "count": steps});
        if let Some(locals) = one["locals"].as_u64() {
            request["locals"] = json!(locals);
        }
        let schedule = ask(&session, &request);
        assert!(schedule["error"].is_null(), "{schedule}");
        for step in schedule["steps"].as_array().unwrap() {
            for act in step["acts"].as_array().unwrap() {
                moving += u64::from(!act["moves"].as_array().unwrap().is_empty());
            }
        }
    }
    // Every TOP_SP of a core runs the schedule on its part of the buffer.
    let top_sps = run["top_sps"].as_array().unwrap().len() as u64 / 4;
    assert_eq!(run["trace"]["kinds"]["collective-step"], moving * top_sps);
}

#[test]
fn a_rank_that_starts_late_makes_all_late() {
    let question = json!({"ranks": 4});
    let even = run("collective-all-reduce-4", &question);
    let late = run("collective-all-reduce-4", &json!({"ranks": 4, "delay": ["rank2:50000"]}));
    assert_eq!(late["outcome"], "finished", "{}", late["words"]);
    assert!(time(&late) >= time(&even) + 40_000, "{} {}", time(&late), time(&even));
    // All ranks end their inference after the late one has come.
    for core in late["cores"].as_array().unwrap() {
        assert!(core["inferences"][0]["end_ns"].as_u64().unwrap() > 50_000, "{core}");
    }
}

#[test]
fn a_post_that_is_lost_between_ranks_is_the_cause() {
    let run = run("collective-all-reduce-4", &json!({"ranks": 4, "drop": ["rank1:link:1"]}));
    assert_eq!(run["outcome"], "deadlock", "{}", run["words"]);
    assert_eq!(run["cause"]["kind"], "post-dropped", "{}", run["words"]);
    let words = run["words"].to_string();
    assert!(words.contains("rank 1") && words.contains("left out on purpose"), "{words}");
    assert!(run["top_sps"].as_array().unwrap().iter().any(|one| one["state"] == "stuck"));
    let nodes = run["wait_graph"]["nodes"].as_array().unwrap();
    assert!(nodes.iter().any(|node| node["kind"] == "top-sp"), "{nodes:?}");
}

/// The second file is the same program with another number of collectives.
#[test]
fn a_rank_that_starts_fewer_collectives_is_named() {
    let files = session(&[("a.neff", case("collective-all-reduce-2")), ("b.neff", case("sg00"))]);
    let run = ask(&files, &json!({"ask": "simulate", "ranks": 2}));
    assert_eq!(run["outcome"], "deadlock", "{}", run["words"]);
    assert_eq!(run["cause"]["kind"], "rank-missing", "{}", run["words"]);
    assert!(run["words"].to_string().contains("rank 1 never starts it"), "{}", run["words"]);
}

#[test]
fn ranks_that_disagree_are_a_fault_with_its_place() {
    let files = session(&[
        ("a.neff", case("collective-all-reduce-2")),
        ("b.neff", case("collective-other-elements")),
    ]);
    let run = ask(&files, &json!({"ask": "simulate", "ranks": 2}));
    assert_eq!(run["outcome"], "fault", "{}", run["words"]);
    assert_eq!(run["fault"]["kind"], "ranks-disagree", "{}", run["words"]);
    assert_eq!(run["fault"]["place"]["e"], "PE");
    assert!(run["fault"]["place"]["neff_ip"].is_u64(), "{}", run["fault"]);
}

#[test]
fn a_rank_of_the_group_that_does_not_run_is_told() {
    let run = run("collective-all-reduce-4", &json!({"ranks": 2}));
    assert_eq!(run["cause"]["kind"], "rank-missing", "{}", run["words"]);
    assert!(run["words"].to_string().contains("does not run"), "{}", run["words"]);
}

#[test]
fn the_same_run_has_the_same_trace_and_a_seed_changes_no_result() {
    let question = json!({"ranks": 8});
    let (a, b) =
        (run("collective-all-reduce-8", &question), run("collective-all-reduce-8", &question));
    assert_eq!(a["trace"]["hash"], b["trace"]["hash"]);
    let seeded = run("collective-all-reduce-8", &json!({"ranks": 8, "seed": 5}));
    assert_eq!(seeded["ties"]["depends"], false, "{}", seeded["ties"]);
    assert_eq!(seeded["time_ns"], a["time_ns"]);
}

#[test]
fn ranks_without_sense_are_refused() {
    for (question, word) in [
        (json!({"ranks": 0}), "1 to 64"),
        (json!({"ranks": 65}), "1 to 64"),
        (json!({"ranks": 2, "delay": ["rank5:10"]}), "no rank 5 runs"),
    ] {
        let told = run("collective-all-reduce-2", &question);
        assert_eq!(told["error"]["code"], "request.invalid", "{told}");
        assert!(told["error"]["message"].as_str().unwrap().contains(word), "{told}");
    }
    let three = session(&[("a.neff", case("sg00")), ("b.neff", case("sg00"))]);
    let told = ask(&three, &json!({"ask": "simulate", "ranks": 3}));
    assert!(told["error"]["message"].as_str().unwrap().contains("cannot be 3 ranks"), "{told}");
}
