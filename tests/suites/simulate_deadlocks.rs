//! Programs that stand still, each for another reason, and programs that fault: the cause and the
//! place are named, and nothing hangs.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a suite fails by panicking"
)]

use records::build::{self, Compare, Draft};
use records::{Engine, Slot};
use serde_json::{Value, json};
use support::asking::{ask, session};
use support::program::{
    QueueText, SubgraphText, neff, post, pseudo, trigger, trigger_raw, wait, wait_exactly,
};

fn run_with(subgraphs: &[SubgraphText], question: &Value) -> Value {
    let mut question = question.clone();
    question["ask"] = json!("simulate");
    let run = ask(&session(&[("a.neff", neff(subgraphs))]), &question);
    assert!(run["error"].is_null(), "{run}");
    run
}

fn run(streams: &[(Engine, &[Slot])]) -> Value {
    run_with(&[SubgraphText::of(streams)], &json!({}))
}

/// The engines of the cause, in the order of the answer.
fn culprits(run: &Value) -> Vec<String> {
    let of = |at: &Value| {
        let stuck = &run["stuck"][at.as_u64().unwrap() as usize];
        stuck["engine"].as_str().unwrap().to_owned()
    };
    run["cause"]["stuck"].as_array().unwrap().iter().map(of).collect()
}

#[track_caller]
fn assert_cause(run: &Value, kind: &str, engines: &[&str], about: &str) {
    let text = || serde_json::to_string_pretty(&run["words"]).unwrap();
    assert_eq!(run["outcome"], "deadlock", "{}", text());
    assert_eq!(run["cause"]["kind"], kind, "{}", text());
    assert_eq!(culprits(run), engines, "{}", text());
    let found = run["cause"]["about"].as_str().unwrap();
    assert!(found.contains(about), "{found}: {}", text());
    // The words name the engine, and every node of the graph that is stuck has a place.
    let words = run["words"][0].as_str().unwrap();
    assert!(words.contains(engines[0]), "{words}");
    for node in run["wait_graph"]["nodes"].as_array().unwrap() {
        if node["is_stuck"] == true {
            assert!(node["place"]["image_slot"].is_u64(), "{node}");
        }
    }
}

/// How many waits are told of that nobody posts.
fn never_posted(run: &Value) -> usize {
    let findings = run["diagnostics"].as_array().unwrap();
    findings.iter().filter(|one| one["code"] == "run.never-posted").count()
}

#[test]
fn a_wait_that_nobody_posts_is_told_of_before_the_run_comes_there() {
    // The first wait has a post, if too few; behind it is one that has none, and an event without.
    let streams: [(Engine, &[Slot]); 2] = [
        (Engine::Pe, &[post(5)]),
        (Engine::Act, &[wait(5, 2), wait(9, 1), wait(9, 2), build::event_wait(41)]),
    ];
    let told = run(&streams);
    assert_cause(&told, "too-few-posts", &["ACT"], "semaphore 5 >= 2");
    assert_eq!(never_posted(&told), 2);
    let text = told["diagnostics"].to_string();
    assert!(text.contains("semaphore 9 >= 1") && text.contains("event 41 set"), "{text}");
}

#[test]
fn a_semaphore_that_nobody_posts() {
    let run = run(&[(Engine::Act, &[wait(4, 1)])]);
    assert_cause(&run, "never-posted", &["ACT"], "semaphore 4 >= 1");
    let stuck = run["stuck"].as_array().unwrap();
    let act = stuck.iter().find(|one| one["engine"] == "ACT").unwrap();
    assert_eq!((&act["value"], &act["needs"]), (&json!(0), &json!(1)));
    assert_eq!((&act["wait"]["op"], &act["wait"]["index"]), (&json!(">="), &json!(4)));
    assert_eq!(act["place"]["neff_ip"], 1);
    assert_eq!(
        run["words"][1],
        "Nothing in the program, no transfer and not the host ever posts semaphore 4."
    );
    assert_eq!(never_posted(&run), 1);
    // All others wait at the barrier behind MAIN.
    assert_eq!(stuck.len(), 5);
    let kinds: Vec<&Value> =
        run["wait_graph"]["nodes"].as_array().unwrap().iter().map(|n| &n["kind"]).collect();
    assert!(kinds.contains(&&json!("nobody")));
}

#[test]
fn posts_that_are_too_few() {
    let run = run(&[(Engine::Pe, &[post(5), post(5)]), (Engine::Act, &[wait(5, 3)])]);
    assert_cause(&run, "too-few-posts", &["ACT"], "semaphore 5 >= 3");
    assert!(run["words"][1].as_str().unwrap().contains("It is 2 now"), "{}", run["words"]);
}

#[test]
fn two_engines_that_wait_for_each_other() {
    let run = run(&[(Engine::Pe, &[wait(4, 1), post(5)]), (Engine::Act, &[wait(5, 1), post(4)])]);
    assert_cause(&run, "cycle", &["PE", "ACT"], "semaphore 4 >= 1");
    let edges = run["wait_graph"]["edges"].as_array().unwrap();
    assert_eq!(edges.iter().filter(|edge| edge["in_cycle"] == true).count(), 2);
    let words = run["words"][1].as_str().unwrap();
    assert!(
        words.contains("PE waits for semaphore 4 >= 1, which ACT would bring later"),
        "{words}"
    );
}

#[test]
fn three_engines_in_a_circle_of_which_a_transfer_is_part() {
    let queue = QueueText { name: "q_load", owner: Engine::Sp, kind: "data", semaphores: vec![24] };
    let text = SubgraphText::of(&[
        (Engine::Pe, &[wait(24, 16), post(5)]),
        (Engine::Act, &[wait(5, 1), post(4)]),
        (Engine::Sp, &[wait(4, 1), trigger("q_load", 0)]),
    ])
    .with(&[queue]);
    let run = run_with(&[text], &json!({}));
    assert_cause(&run, "cycle", &["PE", "SP", "ACT"], "semaphore 24 >= 16");
    let nodes = run["wait_graph"]["nodes"].as_array().unwrap();
    assert!(nodes.iter().any(|node| node["label"] == "q_load block 0"));
}

#[test]
fn an_engine_that_waits_for_itself() {
    let run = run(&[(Engine::Dve, &[wait(6, 1), post(6)])]);
    assert_cause(&run, "self-wait", &["DVE"], "semaphore 6 >= 1");
    assert!(run["words"][1].as_str().unwrap().contains("waits for itself"));
}

#[test]
fn a_wait_for_exactly_a_value_that_was_passed() {
    let run = run(&[
        (Engine::Pe, &[post(5), post(5), post(6)]),
        (Engine::Act, &[wait(6, 1), wait_exactly(5, 1)]),
    ]);
    assert_cause(&run, "value-passed", &["ACT"], "semaphore 5 == 1");
}

#[test]
fn an_event_that_another_wait_took() {
    let run = run(&[
        (Engine::Pe, &[build::event_set(40)]),
        (Engine::Act, &[build::event_wait(40)]),
        (Engine::Dve, &[build::event_wait(40)]),
    ]);
    assert_cause(&run, "event-taken", &["DVE"], "event 40 set");
    assert!(run["words"][1].as_str().unwrap().contains("ACT slot"), "{}", run["words"]);
}

#[test]
fn an_engine_that_stopped_before_it_posts() {
    let run = run(&[(Engine::Pe, &[build::halt(), post(5)]), (Engine::Act, &[wait(5, 1)])]);
    assert_cause(&run, "engine-stopped", &["ACT"], "semaphore 5 >= 1");
    let poster = &run["stuck"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["engine"] == "ACT")
        .unwrap()["waits_for"][0];
    assert_eq!((&poster["why"], &poster["place"]["e"]), (&json!("halted"), &json!("PE")));
}

#[test]
fn engines_with_different_numbers_of_barriers() {
    let run = run(&[(Engine::Pool, &[pseudo(0xD5, "")])]);
    assert_eq!(run["cause"]["kind"], "barrier-unmatched", "{}", run["words"]);
    assert!(run["cause"]["about"].as_str().unwrap().contains("SYNC_BARRIER"));
}

#[test]
fn a_wait_for_the_host_in_the_middle_of_a_program() {
    let run = run(&[(Engine::Act, &[wait(0, 1)])]);
    assert_cause(&run, "host-idle", &["ACT"], "INFERENCE_START");
}

fn two_blocks() -> QueueText {
    QueueText { name: "q_load", owner: Engine::Sp, kind: "data", semaphores: vec![24, 25] }
}

/// Blocks lie in the rings in the order of their ids: the second one cannot move before the first.
#[test]
fn a_transfer_whose_ring_stands_before_another_block() {
    let text = SubgraphText::of(&[(Engine::Sp, &[trigger("q_load", 0), wait(25, 16)])])
        .with(&[two_blocks()]);
    let run = run_with(&[text], &json!({}));
    assert_cause(&run, "transfer-stuck", &["SP"], "semaphore 25 >= 16");
    let poster = &run["stuck"]
        .as_array()
        .unwrap()
        .iter()
        .find(|one| one["engine"] == "SP")
        .unwrap()["waits_for"][0];
    assert_eq!((&poster["why"], &poster["block"]), (&json!("no-trigger"), &json!(1)));
}

#[test]
fn descriptors_that_are_posted_in_part() {
    let text = SubgraphText::of(&[(Engine::Sp, &[trigger_raw("q_load", 1), wait(24, 16)])])
        .with(&[two_blocks()]);
    let run = run_with(&[text], &json!({}));
    assert_cause(&run, "transfer-stuck", &["SP"], "semaphore 24 >= 16");
    let words = run["words"].to_string();
    assert!(words.contains("only 1 of 3 read descriptors"), "{words}");
}

#[test]
fn a_ring_that_stalls_and_a_post_that_is_lost() {
    let text = SubgraphText::of(&[(Engine::Sp, &[trigger("q_load", 0), wait(24, 16)])])
        .with(&[two_blocks()]);
    let stalled = run_with(std::slice::from_ref(&text), &json!({"stall": ["q_load:7"]}));
    assert_cause(&stalled, "transfer-stuck", &["SP"], "semaphore 24 >= 16");
    assert!(stalled["words"].to_string().contains("its ring 7 does not move"));
    // The other 15 rings have added theirs.
    assert_eq!(stalled["semaphores"]["sg00"]["24"], 15);
    let lost = run_with(&[text], &json!({"drop": ["semaphore:24"]}));
    assert_cause(&lost, "post-dropped", &["SP"], "semaphore 24 >= 16");
}

/// One core stands still in its program; the other one waits for it in the next inference.
#[test]
fn a_core_that_does_not_come_to_the_barrier_of_the_cores() {
    let stuck = SubgraphText::of(&[(Engine::Act, &[wait(4, 1)])]);
    let run = run_with(&[SubgraphText::default(), stuck], &json!({"inferences": 2}));
    assert_eq!(run["cause"]["kind"], "never-posted", "{}", run["words"]);
    let first = &run["stuck"][run["cause"]["stuck"][0].as_u64().unwrap() as usize];
    assert_eq!((&first["subgraph"], &first["engine"]), (&json!("sg01"), &json!("ACT")));
    let pe = run["stuck"].as_array().unwrap();
    let pe = pe.iter().find(|one| one["subgraph"] == "sg00" && one["engine"] == "PE").unwrap();
    assert_eq!(pe["wait"]["index"], 1, "{pe}");
    assert_eq!(pe["waits_for"][0]["place"]["s"], "sg01", "{pe}");
}

#[test]
fn functions_are_called_and_return() {
    // Calls f, then posts; f posts and returns. All five engines, since a return is a barrier.
    let stream = |slot: Slot| {
        vec![
            pseudo(0xD3, "f"),
            slot,
            Draft::new(0xDF).u8(0x0C, 1).slot(),
            Draft::of(pseudo(0xD1, "f")).u8(0x31, 10).u8(0x32, 11).slot(),
            post(20),
            Draft::new(0xD2).slot(),
        ]
    };
    let streams = Engine::ALL.map(|engine| (engine, stream(post(30 + engine.code()))));
    let text: Vec<(Engine, &[Slot])> =
        streams.iter().map(|(engine, slots)| (*engine, slots.as_slice())).collect();
    let text = SubgraphText::of(&text);
    let run = run_with(&[text], &json!({"s": "sg00", "until": "main-end"}));
    assert_eq!(run["outcome"], "finished", "{}", run["words"]);
    let values = &run["semaphores"];
    assert_eq!(values["20"], 5, "each engine went through the function once");
    for id in 30..35 {
        assert_eq!(values[id.to_string()], 1, "each engine came back");
    }
}

/// What ends a run at one record: kind, and the record.
#[test]
fn records_that_cannot_run() {
    let far = |distance| build::branch(distance);
    let operand = Draft::new(0x49).u32(0x1C, 0).u8(0x20, 0x0A).u8(0x22, 128).u32(0x2C, 0x3_7FFC);
    let operand = operand.u16(0x30, 1).u16(0x38, 2).u16(0x3A, 1).u16(0x3C, 1).u16(0x3E, 1).slot();
    let table: [(&str, Vec<Slot>); 10] = [
        ("branch-outside", vec![far(0x10_0000)]),
        ("branch-unaligned", vec![far(32)]),
        ("branch-form", vec![Draft::of(build::branch(64)).u8(0x0E, 9).slot()]),
        ("opcode", vec![Draft::new(0xFE).slot()]),
        ("mode", vec![Draft::new(0xA4).u8(4, 0x2A).slot()]),
        ("access", vec![build::write(0xDEAD_0000_0000_0000, 1)]),
        ("register", vec![build::load(0x8005_C035_0000, 300)]),
        ("alu", vec![build::alu(7, 8, 1, 2, build::AluOperand::Immediate(0))]),
        (
            "semaphore-range",
            vec![build::semaphore_add(9, 0x7FFF_FFFF), build::semaphore_add(9, 1), build::nop()],
        ),
        ("operand", vec![operand]),
    ];
    for (kind, slots) in table {
        let run = run(&[(Engine::Dve, &slots)]);
        assert_eq!(run["outcome"], "fault", "{kind}: {}", run["words"]);
        assert_eq!(run["fault"]["kind"], kind, "{}", run["words"]);
        assert_eq!(run["fault"]["place"]["e"], "DVE", "{kind}");
        assert_eq!(run["fault"]["place"]["region"], "MAIN", "{kind}");
    }
}

#[test]
fn queues_that_cannot_move() {
    let empty = QueueText { semaphores: Vec::new(), ..two_blocks() };
    let table: [(&str, Slot, QueueText); 2] = [
        ("ring-empty", trigger_raw("q_load", 3), empty),
        ("ring-overrun", trigger_raw("q_load", 1000), two_blocks()),
    ];
    for (kind, slot, queue) in table {
        let text = SubgraphText::of(&[(Engine::Sp, &[slot])]).with(&[queue]);
        let run = run_with(&[text], &json!({}));
        assert_eq!(run["fault"]["kind"], kind, "{}", run["words"]);
    }
}

#[test]
fn an_endless_loop_ends_with_the_budget() {
    let forever = [build::branch_if(0, Compare::Eq, 0, 0)];
    let text = SubgraphText::of(&[(Engine::Pe, &forever)]);
    let run = run_with(&[text], &json!({"max_events": 20_000}));
    assert_eq!((&run["outcome"], &run["events"]), (&json!("budget"), &json!(20_000)));
    assert!(run["words"][1].as_str().unwrap().contains("PE slot"), "{}", run["words"]);
}

/// Transfers that are started faster than they end, for ever.
#[test]
fn transfers_without_end_are_a_fault() {
    let direct = Draft::new(0xD4).u8(0x0D, 40).u8(0x0E, 16).u16(0x38, 128).u16(0x3C, 60_000);
    let forever = [direct.slot(), build::branch(-64)];
    let queue = QueueText {
        name: "q_dynamic",
        owner: Engine::Pool,
        kind: "dynamic",
        semaphores: Vec::new(),
    };
    let text = SubgraphText::of(&[(Engine::Pool, &forever)]).with(&[queue]);
    let run = run_with(&[text], &json!({}));
    assert_eq!(run["fault"]["kind"], "backlog", "{}", run["words"]);
    assert_eq!(run["fault"]["place"]["e"], "POOL");
}

#[test]
fn an_event_that_is_set_twice_is_a_finding() {
    let run =
        run(&[(Engine::Pe, &[build::event_set(40), build::event_set(40), build::event_wait(40)])]);
    assert_eq!(run["outcome"], "finished", "{}", run["words"]);
    let codes: Vec<&Value> =
        run["diagnostics"].as_array().unwrap().iter().map(|one| &one["code"]).collect();
    assert!(codes.contains(&&json!("run.event-twice")), "{codes:?}");
}
