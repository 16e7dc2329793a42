//! Entries, bits, words and drawings, with values worked out by hand.

use super::address::CollectivesAddress;
use super::bits::{brackets, cells, is_known, ordered, places, row, stepped, value};
use super::topology::{SIZE, Side, picture};
use super::*;
use debug_api::answer::{
    BufferRef, Provenance, ScheduleAct, ScheduleMove, ScheduleSync, SpadBits, TableRoom,
    TriggerPlace,
};

fn trigger(index: u64, operation: &str) -> CollectiveTrigger {
    CollectiveTrigger {
        place: TriggerPlace { index, engine: "PE".to_owned(), slot: 4, neff_ip: 5 },
        opcode: 0xC8,
        mnemonic: None,
        operation: operation.to_owned(),
        operation_provenance: Provenance::Observed,
        kind: Some(1),
        reduction: Some("ADD".to_owned()),
        dtype: Some("fp32".to_owned()),
        elements: Some(1_024),
        bytes: Some(4_096),
        group: Some(0),
        group_provenance: Provenance::File,
        ranks: vec![4, 5, 6, 7],
        n_ranks: Some(4),
        inputs: Vec::new(),
        outputs: Vec::new(),
        peer: None,
        chaining: None,
        stream: None,
        algorithm: Some("ring".to_owned()),
        algorithm_number: Some(0),
        algorithm_provenance: Provenance::Modelled,
        why: String::new(),
        steps: Some(6),
        locals: None,
        entries: Vec::new(),
    }
}

fn entry(index: u64, list: Option<&str>, raw: &str, known: &str) -> PlannedEntry {
    PlannedEntry {
        index,
        offset: index * 8,
        trigger: trigger(index, "all-reduce").place,
        raw: raw.to_owned(),
        known: known.to_owned(),
        nop: false,
        algo_type: Some(0),
        algorithm: Some("ring".to_owned()),
        algo_sub_type: Some(0),
        trigger_next: false,
        reporter: true,
        ring_wait_complete: true,
        ring_send_complete: false,
        channel_list: list.map(str::to_owned),
        tape: 7,
        provenance: Provenance::Modelled,
    }
}

fn table(index: u32, entries: Vec<PlannedEntry>) -> TopSpTable {
    let room = TableRoom { bytes: None, entries: None, provenance: Provenance::Observed };
    TopSpTable {
        index,
        index_provenance: Provenance::Inferred,
        leader: index == 0,
        leader_provenance: Provenance::Modelled,
        n_entries: entries.len() as u64,
        control_room: room.clone(),
        tape: 0,
        tape_room: room,
        entries,
        surface: Vec::new(),
        reserved: Vec::new(),
        doorbells: Vec::new(),
    }
}

fn two() -> (Vec<CollectiveTrigger>, Vec<TopSpTable>) {
    let triggers = vec![trigger(0, "all-reduce"), trigger(1, "all-gather")];
    let list = || {
        vec![
            entry(0, Some("0x1"), "0100010001000000", "0xffffffffffefffff"),
            entry(1, Some("0xf0"), "01000300f0000000", "0xffffffffffefffff"),
        ]
    };
    (triggers, vec![table(2, list()), table(3, list())])
}

#[test]
fn rows_stand_by_collective_and_are_searched() {
    let (triggers, tables) = two();
    let at = |index, top_sp| EntryAt { index, top_sp };
    let all = rows(&triggers, &tables, None, "");
    assert_eq!(all, [at(0, 2), at(0, 3), at(1, 2), at(1, 3)]);
    assert_eq!(rows(&triggers, &tables, Some(3), ""), [at(0, 3), at(1, 3)]);
    assert_eq!(rows(&triggers, &tables, None, "gather top_sp"), [at(1, 2), at(1, 3)]);
    assert_eq!(rows(&triggers, &tables, Some(2), "01000300f0"), [at(1, 2)]);
    assert!(rows(&triggers, &tables, None, "mesh").is_empty());
}

#[test]
fn an_entry_is_named_in_the_address() {
    assert_eq!(EntryAt { index: 3, top_sp: 12 }.text(), "3.12");
    assert_eq!(EntryAt::parse("3.12"), Some((3, Some(12))));
    assert_eq!(EntryAt::parse("3"), Some((3, None)));
    assert_eq!(EntryAt::parse("3."), None);
    let mut address = CollectivesAddress::default();
    assert_eq!(address.read("entry", "x"), Some(Err("entry, such as 3 or 3.0")));
    assert_eq!(address.read("slot", "3"), None);
    assert_eq!(address.read("word", "none"), Some(Ok(())));
    assert_eq!(address.word.as_deref(), Some(""));
}

#[test]
fn entries_in_words() {
    let ring = entry(0, Some("0x8000000f"), "", "");
    assert_eq!(words::reads(&ring), "channels 0–3, 31 · reporter, wait");
    let mesh =
        PlannedEntry { reporter: false, ring_wait_complete: false, ..entry(0, None, "", "") };
    assert_eq!(words::reads(&mesh), "shift, mask ?");
    let nop = PlannedEntry { nop: true, algorithm: None, ..mesh };
    assert_eq!(words::reads(&nop), "takes no part, keeps step");
    assert_eq!(words::algorithm(&nop), "NOP");
    // RING-3 of the worked entries: 0x0000003000048001.
    assert_eq!(words::word_of("0180040030000000"), 0x0000_0030_0004_8001);
    assert_eq!(words::spaced("0180040030000000"), "01800400 30000000");
    // Bit 20 is in the high digit of byte 2, bits 32 to 63 are bytes 4 to 7.
    let open = 0x0000_0000_FFEF_FFFF;
    assert_eq!(words::masked("0102000000000000", open), "0102?000 ????????");
    assert_eq!(words::masked("0180040030000000", u64::MAX), "01800400 30000000");
    assert_eq!(words::masked_word("0x0000000000000201", open), "0x????????00?00201");
    assert_eq!(words::masked_word("0x0000000000000201", u64::MAX), "0x0000000000000201");
    assert_eq!(words::channels(0xFF00), "8–15");
    assert_eq!(words::group(&[0, 1, 2, 3, 8, 10, 11], 9), "0–3, 8, 10, 11");
    assert_eq!(words::group(&[0, 2, 4, 6], 2), "0, 2 and 2 more runs");
    assert_eq!(words::operation(&trigger(0, "all-gather")), "all-gather");
    assert_eq!(words::operation(&trigger(0, "all-reduce")), "all-reduce ADD");
    assert_eq!(words::amount(&trigger(0, "all-reduce")), "fp32 × 1,024, 4,096 B");
}

fn bits(name: &str, low: u32, width: u32, value: u64) -> SpadBits {
    SpadBits {
        name: name.to_owned(),
        low,
        width,
        value,
        text: None,
        meaning: String::new(),
        reserved: name.starts_with("reserved"),
        printed: true,
        provenance: Provenance::Observed,
    }
}

fn layout() -> Vec<SpadBits> {
    vec![
        bits("cc_op", 0, 1, 1),
        bits("reserved_header", 1, 7, 0),
        bits("algo_type", 8, 4, 2),
        bits("algo_sub_type", 12, 3, 0),
        bits("trigger_next", 15, 1, 0),
        bits("reporter", 16, 1, 1),
        bits("channel_list", 32, 32, 0xF0000),
        bits("sema_shift_offset", 32, 16, 0),
        bits("sema_mask", 48, 16, 0xF),
    ]
}

#[test]
fn bits_have_places_hues_and_brackets() {
    let word = 0x000F_0000_0001_0201;
    let small = row(&layout(), Some("ring"), word, u64::MAX);
    // Byte 1 begins at 60, its second bit 7 further.
    assert_eq!((small[9].x, small[9].set, small[9].hue), (67.0, Some(true), "cb-type"));
    assert_eq!(
        (small[1].hue, small[17].hue),
        ("cb-res", "cb-res"),
        "reserved, and no field at all"
    );
    assert_eq!((small[48].field.as_str(), small[48].set), ("channel_list", Some(true)));
    let large = cells(&layout(), Some("mesh"), word, !(1 << 48));
    // The last four bytes begin anew: byte 6 is their third.
    assert_eq!((large[48].x, large[48].set), (2.0 * 100.8, None));
    assert_eq!((large[48].field.as_str(), large[48].hue), ("sema_mask", "cb-mask"));
    let (head, union) = large.split_at(32);
    let names = |list: &[super::bits::Cell]| -> Vec<String> {
        brackets(list).into_iter().map(|one| one.field).collect()
    };
    assert_eq!(names(head), ["cc_op", "algo_type", "algo_sub_type", "trigger_next", "reporter"]);
    assert_eq!(names(union), ["sema_shift_offset", "sema_mask"]);
    // Bits 8 to 11: from 171.2, four cells of 18.4 that are 20.4 apart.
    let algo = &brackets(head)[1];
    assert!((algo.x - 171.2).abs() < 1e-9 && (algo.width - (3.0 * 20.4 + 18.4)).abs() < 1e-9);
}

#[test]
fn fields_know_what_is_open() {
    let all = layout();
    let (algo, mask, list) = (&all[2], &all[8], &all[6]);
    assert_eq!((places(algo).as_str(), places(&all[0]).as_str()), ("bits 8–11", "bit 0"));
    assert_eq!(value(algo, u64::MAX), "2");
    assert_eq!(value(mask, u64::MAX), "0xf");
    assert!(is_known(mask, !(1 << 32)) && !is_known(list, !(1 << 32)));
    assert_eq!(value(list, !(1 << 32)), "?");
    let names = ["a", "b", "c"];
    assert_eq!(stepped(&names, Some("c"), 1).as_deref(), Some("a"));
    assert_eq!(stepped(&names, None, -1).as_deref(), Some("c"));
    assert_eq!(stepped(&[], None, 1), None);
}

#[test]
fn the_other_view_of_the_last_bytes_comes_last() {
    let entry = debug_api::answer::SpadEntry {
        raw: String::new(),
        word: String::new(),
        kind: "op".to_owned(),
        header: debug_api::answer::SpadHeader { cc_op: true },
        cc_op: debug_api::answer::SpadOp {
            algo_type: 2,
            algo_type_name: None,
            algo_sub_type: 0,
            algo_sub_type_name: None,
            trigger_next: false,
            reporter: true,
            ring_wait_complete: false,
            ring_send_complete: false,
            safe_mode: false,
            unique_tensors: false,
            ring: debug_api::answer::SpadRing { channel_list: String::new() },
            mesh: debug_api::answer::SpadMesh { sema_shift_offset: 0, sema_mask: String::new() },
        },
        reserved: debug_api::answer::SpadReserved { header: 0, flags: 0, byte: 0 },
        readings: Vec::new(),
        channels: Vec::new(),
        printed: String::new(),
        text: String::new(),
        fields: Vec::new(),
        bits: layout(),
    };
    let last = |view| ordered(&entry, view).last().map(|one| one.name.clone());
    assert_eq!(last(Some("mesh")).as_deref(), Some("channel_list"));
    assert_eq!(last(Some("ring")).as_deref(), Some("sema_mask"));
}

fn head(algorithm: &str, ranks: u32, locals: u32) -> ScheduleAnswer {
    ScheduleAnswer {
        schema: 1,
        algorithm: algorithm.to_owned(),
        number: 0,
        operation: "all-reduce".to_owned(),
        ranks,
        locals,
        n_steps: 6,
        hops: 6,
        crossing_chunks: 24,
        from: 0,
        steps: Vec::new(),
        notes: Vec::new(),
        provenance: Provenance::Observed,
    }
}

fn at(rank: u32) -> BufferRef {
    BufferRef { rank, buffer: "data".to_owned(), sender: None }
}

fn sync(rank: u32) -> ScheduleSync {
    ScheduleSync {
        rank,
        semaphore: "recv_sema".to_owned(),
        leg: 0,
        index: 0,
        value: 1,
        take: 0,
        through: None,
        source: "observed".to_owned(),
        provenance: Provenance::Observed,
    }
}

/// Each rank sends a chunk to the next one, or only posts to it.
fn step(ranks: u32, moves: bool) -> ScheduleStep {
    let act = |rank: u32| {
        let next = (rank + 1) % ranks;
        let sent = ScheduleMove {
            from: vec![at(rank)],
            to: vec![at(next)],
            first: (rank + ranks - 1) % ranks,
            stride: 1,
            count: 1,
            adds: true,
        };
        ScheduleAct {
            rank,
            leaf: "send".to_owned(),
            waits: Vec::new(),
            moves: if moves { vec![sent] } else { Vec::new() },
            after: Vec::new(),
            posts: vec![sync(next)],
        }
    };
    ScheduleStep {
        index: 0,
        phase: "reduce-scatter".to_owned(),
        leg: "all".to_owned(),
        event: None,
        hop: true,
        source: "observed".to_owned(),
        provenance: Provenance::Observed,
        acts: (0..ranks).map(act).collect(),
    }
}

#[test]
fn a_ring_of_four_stands_on_a_circle() {
    let made = picture(&head("ring", 4, 1), Some(&step(4, true)), 1);
    let (cx, cy) = (SIZE.0 / 2.0, SIZE.1 / 2.0);
    let spots: Vec<(f64, f64)> = made.nodes.iter().map(|node| (node.x, node.y)).collect();
    let expected = [(cx, cy - 150.0), (cx + 150.0, cy), (cx, cy + 150.0), (cx - 150.0, cy)];
    for ((x, y), (ex, ey)) in spots.iter().zip(expected) {
        assert!((x - ex).abs() < 1e-9 && (y - ey).abs() < 1e-9, "{x} {y}, not {ex} {ey}");
    }
    assert!(made.hollow && !made.posts && made.groups.is_empty());
    assert_eq!(made.transfers, 4);
    // The own transfers lie above: what it receives, then what it sends.
    let order: Vec<(u32, u32, Side)> =
        made.arrows.iter().map(|one| (one.from, one.to, one.side)).collect();
    assert_eq!(order[2..], [(0, 1, Side::In), (1, 2, Side::Out)]);
    assert_eq!(made.arrows[3].label.as_ref().map(|(text, ..)| text.as_str()), Some("c0"));
    // From the top to the right a ring bends outward: its handle lies above and right of the chord.
    let handle = made.arrows[2].path.split('Q').nth(1).and_then(|rest| rest.split(' ').next());
    let x: f64 = handle.and_then(|text| text.parse().ok()).unwrap_or(0.0);
    assert!(x > cx + 75.0, "{x}");
}

#[test]
fn where_nothing_moves_posts_are_drawn() {
    let made = picture(&head("ring", 4, 1), Some(&step(4, false)), 0);
    assert!(made.posts);
    assert_eq!((made.transfers, made.arrows.len()), (0, 4));
    assert!(made.arrows.iter().all(|one| one.label.is_none()));
}

#[test]
fn large_rings_stay_readable() {
    let made = picture(&head("ring", 64, 1), Some(&step(64, true)), 0);
    // 2 pi 150 / 64 = 14.7 apart: radius 5.3, so that numbers stand outside, every one of them.
    assert!(made.nodes.iter().all(|node| (5.2..5.4).contains(&node.r)));
    assert_eq!(made.nodes.iter().filter(|node| node.label.is_some()).count(), 64);
    assert!(
        made.nodes
            .iter()
            .filter_map(|node| node.label)
            .all(|(x, y)| { (8.0..SIZE.0 - 8.0).contains(&x) && (8.0..SIZE.1 - 4.0).contains(&y) })
    );
    assert!(made.arrows.iter().all(|one| one.label.is_none()), "no room for 64 labels");
    // 128: numbers have three digits and 8 px each, so that every third one is told.
    let made = picture(&head("ring", 128, 1), None, 0);
    assert_eq!(made.nodes.iter().filter(|node| node.label.is_some()).count(), 43);
}

#[test]
fn groups_stand_apart() {
    let made = picture(&head("hierarchical", 8, 4), None, 0);
    assert_eq!(made.groups.len(), 2);
    let (a, b) = (&made.groups[0], &made.groups[1]);
    assert!(b.x - a.x > a.r + b.r, "two groups do not touch");
    let four = picture(&head("mesh", 16, 4), None, 0);
    assert_eq!(four.groups.len(), 4);
    for (index, one) in four.groups.iter().enumerate() {
        for other in &four.groups[index + 1..] {
            let apart = (one.x - other.x).hypot(one.y - other.y);
            assert!(apart > one.r + other.r, "{apart}");
        }
    }
    // With many ranks groups are grids with every number; nothing overlaps, all of it fits.
    for (ranks, locals) in [(128, 64), (128, 32), (128, 16), (128, 8), (128, 4), (64, 32), (36, 6)]
    {
        let made = picture(&head("hierarchical", ranks, locals), None, 0);
        assert_eq!(
            (made.nodes.len(), made.groups.len()),
            (ranks as usize, (ranks / locals) as usize)
        );
        for (at, one) in made.nodes.iter().enumerate() {
            assert_eq!(one.label, Some((one.x, one.y)), "{ranks} in {locals}: {}", one.r);
            assert!(one.x > one.r && one.x < SIZE.0 - one.r && one.y < SIZE.1 - one.r);
            for other in made.nodes.iter().skip(at + 1) {
                let apart = (one.x - other.x).hypot(one.y - other.y);
                assert!(apart > one.r + other.r + 4.0, "{ranks} in {locals}: {apart}");
            }
            let group = &made.groups[at / locals as usize];
            let inside = |middle: f64, half: f64, place: f64| (place - middle).abs() + one.r < half;
            assert!(inside(group.x, group.half.0, one.x) && inside(group.y, group.half.1, one.y));
        }
        let names = made.groups.iter().map(|one| one.label.as_ref().map_or(0.0, |(.., y)| *y));
        assert!(names.min_by(f64::total_cmp).is_some_and(|y| y > 10.0));
    }
    // The transfers of the chosen rank stand out of 128.
    assert!(picture(&head("hierarchical", 128, 64), Some(&step(128, true)), 0).crowded);
    assert!(!picture(&head("ring", 64, 1), Some(&step(64, true)), 0).crowded);
    // Pairs: a secondary stands inside of its primary, at the same angle.
    let pairs = picture(&head("kangaring", 6, 1), None, 0);
    let (cx, cy) = (SIZE.0 / 2.0, SIZE.1 / 2.0);
    let far = |place: usize| (pairs.nodes[place].x - cx).hypot(pairs.nodes[place].y - cy);
    assert!((far(0) - 150.0).abs() < 1e-9 && (far(1) - 108.0).abs() < 1e-9);
    assert!((pairs.nodes[0].x - pairs.nodes[1].x).abs() < 1e-9);
}

#[test]
fn many_transfers_are_those_of_the_chosen_rank() {
    // 32 ranks that all send to all others: 992 at once.
    let mut all = step(32, true);
    for act in &mut all.acts {
        let targets = (0..32).filter(|rank| *rank != act.rank).map(at).collect();
        act.moves[0].to = targets;
    }
    let made = picture(&head("mesh", 32, 1), Some(&all), 5);
    assert_eq!((made.transfers, made.arrows.len()), (992, 62));
    assert!(made.arrows.iter().all(|one| one.from == 5 || one.to == 5));
    assert!(!made.hollow);
    // Between two ranks there is no room for text.
    assert!(!picture(&head("ring", 2, 1), Some(&step(2, true)), 0).hollow);
}

#[test]
fn steps_in_words() {
    let one = &step(4, true).acts[2];
    let rank = |place: u32| place + 4;
    let text = words::transfer(&one.moves[0], rank);
    assert_eq!(text, "chunk 1: rank 6 → rank 7, added to what is there");
    assert_eq!(words::post(&one.posts[0], rank), "rank 7 recv_sema += 1");
    let peer = ScheduleSync { through: Some("kring_peer_semas.peers[0]".to_owned()), ..sync(1) };
    assert_eq!(words::post(&peer, |rank| rank), "rank 1 recv_sema += 1, at peers[0]");
    let wait = ScheduleSync { take: 1, index: 2, ..sync(0) };
    assert_eq!(words::wait(&wait), "recv_sema[2] ≥ 1, then −1");
    let of = |first, stride, count| ScheduleMove { first, stride, count, ..one.moves[0].clone() };
    assert_eq!(words::chunks(&of(0, 1, 4)), "chunks 0–3");
    assert_eq!(words::chunks(&of(1, 2, 4)), "chunks 1, 3, 5, 7");
    assert_eq!(words::chunks(&of(0, 2, 32)), "32 chunks from 0 by 2");
}

#[test]
fn what_is_chosen_outlives_the_answers() {
    let (triggers, tables) = two();
    let mut view = CollectivesBox {
        triggers: Rc::new(triggers),
        tables: Rc::new(tables),
        picked: Some(EntryAt { index: 1, top_sp: 3 }),
        rank: 2,
        ..CollectivesBox::default()
    };
    assert_eq!(view.entry_at(EntryAt { index: 1, top_sp: 3 }).map(|one| one.index), Some(1));
    assert_eq!(view.trigger().map(|one| rank_of(one, 2)), Some(6), "third of the group 4 to 7");
    assert_eq!(view.schedule_key().map(|key| key.ranks), Some(4));
    view.forget();
    assert_eq!((view.rank, view.wanted), (2, Some((1, Some(3)))));
    assert!(view.triggers.is_empty() && view.plan.is_none() && view.picked.is_none());
}
