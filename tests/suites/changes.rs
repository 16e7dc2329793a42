//! What the runtime changed at a slot: the patch row that it belongs to, with records before and
//! slots after.
//!
//! The stream of POOL in the case `functions` has 11 records. Its image, by the rules of
//! docs/format/image.md: 82 slots of preamble; IP 1; the label of IP 2 is dropped at slot 83; the
//! call of IP 3 becomes slots 83 to 85; IP 4; IP 5; 13 slots of postamble; the head of the first
//! function (IP 6) is dropped at slot 101, IP 7 is slot 101, the return of IP 8 becomes slots 102 to
//! 108; and so on.

#![allow(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use debug_api::answer::{Answer, ChangeInfo, SlotAnswer};
use debug_api::{Limits, Request, Scope, Session};
use support::fixtures::case_file;
use support::workspace_root;

fn session(case: &str) -> Session {
    let bytes = case_file(&workspace_root(), case).unwrap();
    Session::open("input.neff", bytes, &Limits::default()).unwrap()
}

fn ask(slot: Option<u32>, ip: Option<u32>) -> SlotAnswer {
    ask_of("functions", "POOL", slot, ip)
}

fn ask_of(case: &str, engine: &str, slot: Option<u32>, ip: Option<u32>) -> SlotAnswer {
    let scope = Scope { e: Some(engine.to_owned()), ..Scope::default() };
    let Ok(Answer::Slot(answer)) = session(case).ask(&Request::Slot { scope, slot, ip }) else {
        panic!("no slot")
    };
    *answer
}

/// Kind, section, row, slot and count.
fn head(change: &ChangeInfo) -> (&str, &str, Option<u32>, u32, u32) {
    (&change.kind, &change.section, change.index, change.slot, change.count)
}

/// IPs before with their first byte, slots after.
fn sides(change: &ChangeInfo) -> (Vec<(u32, String)>, Vec<u32>) {
    let before = change.before.iter();
    let before = before.map(|r| (r.place.neff_ip.unwrap(), r.hex[..2].to_owned())).collect();
    (before, change.after.iter().map(|record| record.place.image_slot.unwrap()).collect())
}

#[test]
fn an_expanded_record_stands_before_its_slots() {
    for slot in [83, 84, 85] {
        let change = ask(Some(slot), None).change.unwrap();
        assert_eq!(head(&change), ("INSERT", "MAIN", Some(2), 83, 2), "slot {slot}");
        assert_eq!(sides(&change), (vec![(3, "d3".to_owned())], vec![83, 84, 85]));
        assert_eq!((change.before_total, change.after_total), (1, 3));
        let inserted: Vec<bool> = change.after.iter().map(|record| record.inserted).collect();
        assert_eq!(inserted, [true, true, false]);
    }
    let change = ask(Some(108), None).change.unwrap();
    assert_eq!(head(&change), ("INSERT", "FUNCTION", Some(5), 102, 6));
    assert_eq!(sides(&change).1, [102, 103, 104, 105, 106, 107, 108]);
}

#[test]
fn a_deleted_record_has_no_slot_after() {
    let change = ask(None, Some(2)).change.unwrap();
    assert_eq!(head(&change), ("DELETE", "MAIN", Some(1), 83, 1));
    assert_eq!(sides(&change), (vec![(2, "cc".to_owned())], vec![]));
    let change = ask(None, Some(6)).change.unwrap();
    assert_eq!(head(&change), ("DELETE", "FUNCTION", Some(4), 101, 1));
    assert_eq!(sides(&change), (vec![(6, "d1".to_owned())], vec![]));
}

#[test]
fn a_long_insertion_is_shown_around_the_slot() {
    for (slot, first) in [(0, 0), (8, 0), (9, 1), (50, 42), (81, 66)] {
        let change = ask(Some(slot), None).change.unwrap();
        assert_eq!(head(&change), ("INSERT", "PREAMBLE", Some(0), 0, 82));
        assert_eq!(sides(&change), (vec![], (first..first + 16).collect()), "slot {slot}");
        assert_eq!((change.before_total, change.after_total), (0, 82));
        assert!(change.after.iter().all(|record| record.inserted && record.step.is_some()));
    }
}

#[test]
fn what_is_as_in_the_file_has_no_change() {
    // PE of this case: 62 slots of preamble, IP 1, a dropped label, IP 3 and IP 4 as they are.
    let answer = ask_of("two-subgraphs", "PE", Some(63), None);
    assert_eq!((answer.place.neff_ip, answer.neff_hex, answer.change), (Some(3), None, None));
}

#[test]
fn a_record_with_other_bytes_is_rewritten() {
    // Two triggers of a transfer, the exit, and a wait in each function, whose byte 3 gets bit 0.
    for (slot, ip, first) in
        [(82, 1, "c1"), (86, 4, "c1"), (87, 5, "df"), (101, 7, "a0"), (109, 10, "a0")]
    {
        let answer = ask(Some(slot), None);
        let change = answer.change.unwrap();
        assert_eq!((change.kind.as_str(), change.index, change.slot), ("REWRITE", None, slot));
        assert_eq!(sides(&change), (vec![(ip, first.to_owned())], vec![slot]));
        assert_eq!(Some(&change.before[0].hex), answer.neff_hex.as_ref());
        assert_eq!(change.after[0].hex, answer.hex);
    }
    let wait = ask(Some(101), None).change.unwrap();
    assert_eq!((&wait.before[0].hex[..8], &wait.after[0].hex[..8]), ("a0100000", "a0100001"));
}
