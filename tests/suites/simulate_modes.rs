//! Every wait and update mode in a run, on the head of a record and on the second pair of an
//! `EVENT_SEMAPHORE`, against values worked out by hand; and what a HALT does.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a suite fails by panicking")]

use records::build::{self, Draft};
use records::{Engine, Slot};
use serde_json::{Value, json};
use support::asking::{ask, session};
use support::program::{SubgraphText, neff, post, pseudo, wait};

fn run_with(streams: &[(Engine, &[Slot])], question: &Value) -> Value {
    let mut question = question.clone();
    question["ask"] = json!("simulate");
    let run = ask(&session(&[("a.neff", neff(&[SubgraphText::of(streams)]))]), &question);
    assert!(run["error"].is_null(), "{run}");
    run
}

fn to_main_end(streams: &[(Engine, &[Slot])]) -> Value {
    run_with(streams, &json!({"until": "main-end", "s": "sg00"}))
}

/// Where a record has its wait and update.
#[derive(Clone, Copy, Debug)]
enum Lane {
    Head,
    Pair,
}

/// A record that waits and updates in a lane: wait mode, wait id, wait value; update mode, id, value.
/// The head has one value for both.
fn record(lane: Lane, wait: (u8, u8, u32), update: (u8, u8, u32)) -> Slot {
    match lane {
        Lane::Head => {
            let value = if wait.0 == 0 { update.2 } else { wait.2 };
            let draft = Draft::new(0xA4).u8(0x04, wait.0).u8(0x05, wait.1);
            draft.u8(0x06, update.0).u8(0x07, update.1).u32(0x08, value).slot()
        }
        Lane::Pair => {
            let draft = Draft::new(0xA0).u8(0x20, wait.0).u8(0x21, wait.1);
            let draft = draft.u8(0x22, update.0).u8(0x23, update.1);
            draft.u32(0x24, wait.2).u32(0x28, update.2).slot()
        }
    }
}

/// Sets register 7.
fn register_7(value: u32) -> Slot {
    Draft::new(0xA7).u16(0x0C, 0x901).u32(0x14, 7).u32(0x20, value).slot()
}

/// Semaphore 50 is 10 and register 7 is 3 before the record; what the mode makes of the semaphore with
/// the value 4 (or with register 7), and of event 50.
#[test]
fn every_update_mode_changes_what_the_table_says() {
    let table: [(u8, i64); 15] = [
        (0x03, 11),
        (0x04, 9),
        (0x05, 14),
        (0x07, 6),
        (0x09, 4),
        (0x13, 11),
        (0x14, 9),
        (0x15, 14),
        (0x17, 6),
        (0x19, 4),
        (0x85, 13),
        (0x87, 7),
        (0x89, 3),
        (0x95, 13),
        (0x97, 7),
    ];
    for (mode, after) in table.into_iter().chain([(0x99, 3)]) {
        let value = if mode & 0x80 == 0 { 4 } else { 7 };
        for lane in [Lane::Head, Lane::Pair] {
            let slots = [
                register_7(3),
                record(Lane::Pair, (0, 0, 0), (0x09, 50, 10)),
                record(lane, (0, 0, 0), (mode, 50, value)),
                build::nop(),
            ];
            let run = to_main_end(&[(Engine::Dve, &slots)]);
            assert_eq!(run["outcome"], "finished", "{mode:#x} {lane:?}: {}", run["words"]);
            assert_eq!(run["semaphores"]["50"], after, "{mode:#x} {lane:?}");
        }
    }
    let table: [(u8, bool, bool); 4] =
        [(0x01, false, true), (0x02, true, false), (0x11, false, true), (0x12, true, false)];
    for (mode, before, after) in table {
        for lane in [Lane::Head, Lane::Pair] {
            let set = record(Lane::Pair, (0, 0, 0), (0x01, 50, 0));
            let first = if before { set } else { build::nop() };
            let slots = [first, record(lane, (0, 0, 0), (mode, 50, 0)), build::nop()];
            let run = to_main_end(&[(Engine::Act, &slots)]);
            assert_eq!(run["outcome"], "finished", "{mode:#x} {lane:?}: {}", run["words"]);
            // A wait for the other state stands still, one for this state does not.
            for (state, wait_mode) in [(true, 0x06), (false, 0x0E)] {
                let mut slots = slots.to_vec();
                slots.push(record(lane, (wait_mode, 50, 0), (0, 0, 0)));
                let run = to_main_end(&[(Engine::Act, &slots)]);
                let outcome = if state == after { "finished" } else { "deadlock" };
                assert_eq!(run["outcome"], outcome, "{mode:#x} {lane:?} {state}");
            }
        }
    }
}

/// Semaphore 50 has a value, the wait compares with 4 or with register 7, which is 4.
#[test]
fn every_wait_mode_passes_what_the_table_says() {
    let table: [(u8, &[i32], &[i32]); 5] = [
        (0x01, &[4], &[3, 5, -4]),
        (0x02, &[3, -1], &[4, 5]),
        (0x03, &[4, -9], &[5]),
        (0x04, &[5], &[4, -5]),
        (0x05, &[4, 5], &[3, -1]),
    ];
    for (mode, pass, stop) in table {
        for (mode, value) in [(mode, 4), (mode | 0x80, 7)] {
            for lane in [Lane::Head, Lane::Pair] {
                let outcome = |state: i32| {
                    let slots = [
                        register_7(4),
                        record(Lane::Pair, (0, 0, 0), (0x09, 50, state as u32)),
                        record(lane, (mode, 50, value), (0x13, 51, 0)),
                        build::nop(),
                    ];
                    let run = to_main_end(&[(Engine::Pool, &slots)]);
                    let posted = run["semaphores"]["51"] == 1;
                    let outcome = run["outcome"].as_str().unwrap().to_owned();
                    assert_eq!(posted, outcome == "finished", "{mode:#x} {lane:?} {state}");
                    outcome
                };
                for state in pass {
                    assert_eq!(outcome(*state), "finished", "{mode:#x} {lane:?} {state}");
                }
                for state in stop {
                    assert_eq!(outcome(*state), "deadlock", "{mode:#x} {lane:?} {state}");
                }
            }
        }
    }
}

/// Both lanes of an `EVENT_SEMAPHORE`: both waits must hold, and both updates happen.
#[test]
fn both_lanes_of_one_record_count() {
    let both = |head: u32, pair: u32| {
        let draft = Draft::new(0xA0).u8(0x04, 5).u8(0x05, 50).u8(0x06, 0x13).u8(0x07, 52);
        let draft = draft.u32(0x08, head).u8(0x20, 5).u8(0x21, 51).u8(0x22, 0x15).u8(0x23, 53);
        let slot = draft.u32(0x24, pair).u32(0x28, 20).slot();
        to_main_end(&[(Engine::Sp, &[post(50), post(51), slot, build::nop()])])
    };
    let run = both(1, 1);
    assert_eq!(run["outcome"], "finished", "{}", run["words"]);
    assert_eq!((&run["semaphores"]["52"], &run["semaphores"]["53"]), (&json!(1), &json!(20)));
    for (head, pair, lane) in [(2, 1, 50), (1, 2, 51)] {
        let run = both(head, pair);
        assert_eq!(run["outcome"], "deadlock", "{head} {pair}");
        assert_eq!(run["stuck"][0]["wait"]["index"], lane);
        assert!(run["semaphores"]["52"].is_null() && run["semaphores"]["53"].is_null());
    }
}

/// Run register of PE of core 4 on trn2: the window of the core begins at 0x802000000000, the sequencer's registers
/// are at 0x802660000 of it, the run register at 4.
const RUN_OF_PE: u64 = 0x8020_0000_0000 + 0x8_0266_0000 + 4;

/// The updates of a HALT happen, and a write to the run register lets it go on.
#[test]
fn a_halt_updates_and_goes_on_when_it_is_told_to() {
    let halt = Draft::of(build::halt()).u8(0x06, 0x13).u8(0x07, 50).slot();
    let alone = to_main_end(&[(Engine::Pe, &[halt, post(51)])]);
    assert_eq!(alone["semaphores"]["50"], 1, "{}", alone["words"]);
    assert!(alone["semaphores"]["51"].is_null());
    assert_eq!(alone["outcome"], "deadlock");
    let write = build::write(RUN_OF_PE, 1);
    // ACT writes after the HALT stands, then before PE comes to it.
    let act = [wait(50, 1), write, wait(51, 1)];
    let run = to_main_end(&[(Engine::Pe, &[halt, post(51)]), (Engine::Act, &act)]);
    assert_eq!(run["outcome"], "finished", "{}", run["words"]);
    let early = [write, post(52)];
    let pe = [wait(52, 1), halt, post(51)];
    let run = to_main_end(&[(Engine::Pe, &pe), (Engine::Act, &early)]);
    assert_eq!(run["outcome"], "finished", "{}", run["words"]);
    assert_eq!(run["semaphores"]["50"], 1);
}

/// The extra barrier of one engine is the cause in every inference, not the circle that follows.
#[test]
fn a_barrier_too_many_is_the_cause_in_any_inference() {
    for inferences in 1..=3 {
        for engine in Engine::ALL {
            let streams: [(Engine, &[Slot]); 1] = [(engine, &[pseudo(0xD5, "")])];
            let run = run_with(&streams, &json!({"inferences": inferences}));
            let kind = &run["cause"]["kind"];
            assert_eq!(kind, "barrier-unmatched", "{inferences} {engine}: {}", run["words"]);
        }
    }
}

/// What a record does that no model knows is said once, with how often.
#[test]
fn records_without_a_model_are_told_of() {
    let poll = build::poll_semaphore(1, 7);
    let run = to_main_end(&[(Engine::Pe, &[poll, poll, poll]), (Engine::Act, &[post(5)])]);
    assert_eq!(run["outcome"], "finished");
    let findings = run["diagnostics"].as_array().unwrap();
    let of = |one: &&Value| one["code"] == "run.not-modelled";
    let found: Vec<&Value> = findings.iter().filter(of).collect();
    assert_eq!(found.len(), 1, "{findings:?}");
    let message = found[0]["message"].as_str().unwrap();
    assert!(message.contains("POLL_SEM") && message.contains("3 times"), "{message}");
}
