//! What depends on the order at one instant, what has no order at all, and costs that are fitted.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "a suite fails by panicking")]

use records::build::{self, Draft};
use records::{Engine, Slot};
use serde_json::{Value, json};
use support::asking::{ask, session};
use support::program::{QueueText, SubgraphText, neff, post, trigger, wait};
use support::real_files::real_file;

fn run_with(text: &[SubgraphText], question: &Value) -> Value {
    let mut question = question.clone();
    question["ask"] = json!("simulate");
    let run = ask(&session(&[("a.neff", neff(text))]), &question);
    assert!(run["error"].is_null(), "{run}");
    run
}

fn codes(run: &Value, code: &str) -> Vec<String> {
    let all = run["diagnostics"].as_array().unwrap().iter();
    let own = all.filter(|one| one["code"] == code);
    own.map(|one| one["message"].as_str().unwrap().to_owned()).collect()
}

/// Two engines take one event; which is first decides who stands still.
fn one_event_for_two() -> SubgraphText {
    SubgraphText::of(&[
        (Engine::Pe, &[build::event_set(40)]),
        (Engine::Act, &[build::event_wait(40)]),
        (Engine::Pool, &[build::event_wait(40)]),
    ])
}

#[test]
fn a_result_that_depends_on_ties_is_a_race_with_both_accesses() {
    let text = one_event_for_two();
    let mut races = 0;
    for seed in 1..=12 {
        let run = run_with(std::slice::from_ref(&text), &json!({"seed": seed}));
        let ties = &run["ties"];
        assert_eq!(ties["compared"], true);
        if ties["depends"] == false {
            assert!(ties["race"].is_null());
            continue;
        }
        races += 1;
        let race = &ties["race"];
        assert_eq!(race["about"], "event 40", "{ties}");
        let engines = ["first", "second"].map(|one| race[one]["place"]["e"].as_str().unwrap());
        assert_eq!(engines, ["ACT", "POOL"], "{ties}");
        for one in ["first", "second"] {
            assert!(race[one]["place"]["device_pc"].as_str().unwrap().starts_with("0x"));
            assert_eq!(race[one]["place"]["neff_ip"], 1);
            assert_eq!(race[one]["does"], "clears", "{race}");
        }
        assert_eq!(race["first"]["time_ps"], race["second"]["time_ps"]);
        // The one who is late stands still: in the stated order that is POOL.
        let stuck = run["stuck"].as_array().unwrap();
        assert!(stuck.iter().any(|one| one["engine"] == "ACT" && one["wait"]["index"] == 40));
        assert_eq!((&ties["stated"], &ties["shuffled"]), (&json!("deadlock"), &json!("deadlock")));
    }
    assert!(races > 0, "no seed turns the two around");
}

/// Additions commute: whoever is first, the sum and the time are the same.
#[test]
fn what_commutes_is_no_race() {
    let post = [post(9)];
    let text = SubgraphText::of(&[
        (Engine::Act, &post),
        (Engine::Pool, &post),
        (Engine::Dve, &[wait(9, 2)]),
    ]);
    for seed in 1..=8 {
        let run = run_with(std::slice::from_ref(&text), &json!({"seed": seed}));
        assert_eq!(run["outcome"], "finished");
        assert_eq!(run["ties"]["depends"], false, "{}", run["ties"]);
    }
    assert!(run_with(&[text], &json!({}))["ties"].is_null());
}

/// A value that is written and one that is added in the same instant.
#[test]
fn a_value_at_the_end_that_depends_on_ties_is_a_race() {
    let set = Draft::new(0xA0).u8(0x22, 0x19).u8(0x23, 9).u32(0x28, 7).slot();
    // Both go on at the same instant, when PE has posted.
    let text = SubgraphText::of(&[
        (Engine::Pe, &[build::nop(), post(30)]),
        (Engine::Act, &[wait(30, 1), set]),
        (Engine::Pool, &[wait(30, 1), build::semaphore_add(9, 1)]),
    ]);
    let found = (1..=12).find_map(|seed| {
        let run = run_with(
            std::slice::from_ref(&text),
            &json!({"seed": seed, "until": "main-end", "s": "sg00"}),
        );
        (run["ties"]["depends"] == true).then_some(run)
    });
    let run = found.unwrap();
    assert_eq!(run["ties"]["race"]["about"], "semaphore 9");
    let differences = run["ties"]["differences"].to_string();
    assert!(
        differences.contains("Semaphore 9 ends at 8") && differences.contains("at 7"),
        "{differences}"
    );
}

#[test]
fn real_files_do_not_depend_on_ties() {
    let Some(bytes) = real_file("matmul_small/matmul_small.neff") else { return };
    let session = session(&[("a.neff", &bytes)]);
    for seed in [1, 7] {
        let run = ask(&session, &json!({"ask": "simulate", "inferences": 2, "seed": seed}));
        assert_eq!(run["ties"]["depends"], false, "{}", run["ties"]);
    }
}

/// Copies of DVE in the state buffer: so many fp32 elements from one byte to another.
fn copy(from: u32, to: u32, elements: u16, update: Option<u8>) -> Draft {
    let mut made = Draft::new(0x46).u8(0x20, 0x0A).u8(0x21, 0x0A).u8(0x22, 128);
    for (address, steps, counts) in [(0x0C, 0x10, 0x18), (0x2C, 0x30, 0x38)] {
        made = made.u32(address, if address == 0x0C { from } else { to });
        made = made.u16(steps, 1).u16(counts, elements);
        for at in [2, 4, 6] {
            made = made.u16(counts + at, 1);
        }
    }
    match update {
        Some(id) => made.u8(6, 0x13).u8(7, id),
        None => made,
    }
}

#[test]
fn an_access_without_an_order_to_its_writer_is_found_without_a_run() {
    // DVE writes bytes 0x100 to 0x1FF; ACT reads them, once behind a wait and once not.
    let write = copy(0x1000, 0x100, 64, Some(6)).slot();
    let ordered = copy(0x100, 0x2000, 64, None).u8(4, 5).u8(5, 6).u32(8, 1).slot();
    let early = copy(0x1FC, 0x3000, 1, None).slot();
    let apart = copy(0x200, 0x4000, 64, None).slot();
    let found = |act: &[Slot]| {
        let text = SubgraphText::of(&[(Engine::Dve, &[write]), (Engine::Act, act)]);
        codes(&run_with(&[text], &json!({})), "run.unordered-access")
    };
    assert_eq!(found(&[ordered]), Vec::<String>::new());
    assert_eq!(found(&[apart, ordered]), Vec::<String>::new());
    let told = found(&[early, ordered]);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("byte 0x1fc") && told[0].contains("ACT slot"), "{told:?}");
    assert!(told[0].contains("DVE slot"), "{told:?}");
}

/// Two posts by two engines, and a wait that one of them alone can end: the other has no order.
#[test]
fn a_wait_orders_only_what_it_needs() {
    let write = copy(0x1000, 0x100, 64, Some(6)).slot();
    let other = [post(6), post(6)];
    let read = |value: u32| copy(0x100, 0x2000, 64, None).u8(4, 5).u8(5, 6).u32(8, value).slot();
    let found = |value| {
        let reads = [read(value)];
        let text = SubgraphText::of(&[
            (Engine::Dve, &[write]),
            (Engine::Pool, &other),
            (Engine::Act, &reads),
        ]);
        codes(&run_with(&[text], &json!({})), "run.unordered-access").len()
    };
    // Two of three posts can be POOL's.
    assert_eq!((found(2), found(3)), (1, 0));
}

#[test]
fn a_transfer_that_nobody_waits_for_has_no_order_to_its_reader() {
    let queue =
        || QueueText { name: "q_load", owner: Engine::Sp, kind: "data", semaphores: vec![24] };
    let run = |act: &[Slot]| {
        let text = SubgraphText::of(&[(Engine::Sp, &[trigger("q_load", 0)]), (Engine::Act, act)]);
        run_with(&[text.with(&[queue()])], &json!({}))
    };
    // Whatever the block of the builder touches, a run of it alone has nothing to tell.
    assert_eq!(codes(&run(&[wait(24, 16)]), "run.unordered-access").len(), 0);
}

#[test]
fn an_event_that_is_set_twice_is_found_without_a_run() {
    let twice = [build::event_set(40), build::event_set(40)];
    let text = SubgraphText::of(&[(Engine::Pe, &twice), (Engine::Act, &[build::event_wait(40)])]);
    let told = codes(&run_with(&[text], &json!({})), "run.event-set-twice");
    assert_eq!(told.len(), 1, "{told:?}");
    // Set, taken, told that it was taken, and set again: an order.
    let good = [build::event_set(40), wait(9, 1), build::event_set(40)];
    let takes = [build::event_wait(40), post(9), build::event_wait(40)];
    let text = SubgraphText::of(&[(Engine::Pe, &good), (Engine::Act, &takes)]);
    let run = run_with(&[text], &json!({}));
    assert_eq!(run["outcome"], "finished", "{}", run["words"]);
    assert_eq!(codes(&run, "run.event-set-twice"), Vec::<String>::new());
    // The same without the answer: it may still be set.
    let text = SubgraphText::of(&[
        (Engine::Pe, &[build::event_set(40), build::nop(), build::event_set(40)]),
        (Engine::Act, &[build::event_wait(40), build::event_wait(40)]),
    ]);
    assert_eq!(codes(&run_with(&[text], &json!({})), "run.event-set-twice").len(), 1);
}

/// Programs of a compiler have an order for everything.
#[test]
fn real_files_have_an_order_for_every_access() {
    for name in ["matmul_small/matmul_small.neff", "matmul_large/matmul_large.neff"] {
        let Some(bytes) = real_file(name) else { continue };
        let session = session(&[("a.neff", &bytes)]);
        let run = ask(&session, &json!({"ask": "simulate"}));
        for code in ["run.unordered-access", "run.event-set-twice", "run.never-posted"] {
            let told = codes(&run, code);
            assert!(told.is_empty(), "{name} {code}: {} of {}", told[0], told.len());
        }
        assert_eq!(run["ordered"][0], run["ordered"][1], "{name}: all records were gone through");
    }
}
