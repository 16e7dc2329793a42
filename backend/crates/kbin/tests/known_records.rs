//! Records whose meaning is known from elsewhere, as a table of bytes, text and effects.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use kbin::effects::{Lane, PostEffect, SyncTarget, WaitEffect, When};
use kbin::{Names, QueueContext, disasm, sync_effects};
use records::payload::Confidence;
use records::payload::sequencer::{Branch, EventSemaphore, Nop};
use records::payload::transfer::DmaTrigger;
use records::sync::{Compare, SyncPair, UpdateKind, UpdateMode, WaitKind, WaitMode};
use records::{Opcode, Slot};

fn slot(parts: &[(usize, &[u8])]) -> Slot {
    let mut slot = Slot::ZERO;
    for &(at, bytes) in parts {
        slot.0[at..at + bytes.len()].copy_from_slice(bytes);
    }
    slot
}

fn nop(wait: (WaitMode, u8), update: (UpdateMode, u8)) -> Slot {
    let mut record = Nop::blank(Opcode::NOP);
    (record.head.wait_mode, record.head.wait_index) = wait;
    (record.head.update_mode, record.head.update_index) = update;
    record.rows.set(1);
    record.to_slot()
}

#[test]
fn layouts_build_the_published_bytes() {
    let none = (WaitMode::NONE, 0);
    let cases = [
        (
            nop((WaitMode::EVENT_SET_CLEAR, 5), (UpdateMode::NONE, 0)),
            slot(&[(0, &[0xa4, 0x10, 0, 0, 7, 5, 0, 0, 0, 0, 0, 0, 1])]),
        ),
        (
            nop(none, (UpdateMode::EVENT_SET_COMPLETE, 5)),
            slot(&[(0, &[0xa4, 0x10, 0, 0, 0, 0, 0x11, 5, 0, 0, 0, 0, 1])]),
        ),
        (
            nop(none, (UpdateMode::EVENT_CLEAR_COMPLETE, 5)),
            slot(&[(0, &[0xa4, 0x10, 0, 0, 0, 0, 0x12, 5, 0, 0, 0, 0, 1])]),
        ),
        (
            {
                let mut record = Branch::blank(Opcode::COMPARE_BRANCH);
                record.target = 3;
                record.distance.set(-0x140);
                record.to_slot()
            },
            slot(&[
                (0, &[0xa9, 0x10]),
                (0x0e, &[3]),
                (0x30, &[0xc0, 0xfe, 0xff, 0xff, 0, 0, 0, 0]),
            ]),
        ),
        (
            {
                let mut record = EventSemaphore::blank(Opcode::EVENT_SEMAPHORE);
                record.pair.update_mode = UpdateMode::ADD_COMPLETE;
                record.pair.update_index = 7;
                record.pair.update_value.set(1);
                record.to_slot()
            },
            slot(&[(0, &[0xa0, 0x10]), (0x22, &[0x15, 7]), (0x28, &[1])]),
        ),
        (
            {
                let mut record = DmaTrigger::blank(Opcode::PSEUDO_DMATRIGGER);
                record.head.wait_mode = WaitMode::GREATER;
                record.head.wait_index = 22;
                record.queue[..14].copy_from_slice(b"q_gradient_out");
                record.to_slot()
            },
            slot(&[(0, &[0xc1, 0x10, 0, 0, 4, 0x16]), (12, b"q_gradient_out")]),
        ),
    ];
    for (i, (built, bytes)) in cases.into_iter().enumerate() {
        assert_eq!(built, bytes, "case {i}");
    }
}

#[test]
fn published_bytes_read_back() {
    let pair = slot(&[(0, &[0xa0, 0x10]), (0x20, &[5, 20, 0x14, 20, 3, 0, 0, 0, 1, 0, 0, 0])]);
    let read: SyncPair = EventSemaphore::of(&pair).pair;
    assert_eq!((read.wait_mode, read.wait_index), (WaitMode::GREATER_OR_EQUAL, 20));
    assert_eq!((read.update_mode, read.update_index), (UpdateMode::DECREMENT_COMPLETE, 20));
    assert_eq!((read.wait_value.get(), read.update_value.get()), (3, 1));
    assert_eq!(disasm::wait_words(&pair), "sem[20] ≥ 3");
    assert_eq!(disasm::update_words(&pair), "sem[20] -- at completion");
}

fn post(target: SyncTarget, action: UpdateKind, value: u32, when: When, lane: Lane) -> PostEffect {
    let confidence = Confidence::Observed;
    PostEffect { target, action, value, from_register: false, when, lane, confidence }
}

#[test]
fn effects_follow_head_and_pair() {
    let both = slot(&[
        (0, &[0xa0, 0x10, 0, 0, 5, 24, 0x13, 2, 16]),
        (0x20, &[7, 9, 0x19, 3, 0, 0, 0, 0, 6]),
    ]);
    let effects = sync_effects(&both, None);
    let at_least = WaitKind::Semaphore { compare: Compare::GreaterOrEqual, register: false };
    let event = WaitKind::Event { set: true, flip: true };
    let semaphore = SyncTarget::Semaphore;
    assert_eq!(
        effects.waits,
        [
            WaitEffect { target: semaphore(24), condition: at_least, value: 16, lane: Lane::Head },
            WaitEffect {
                target: SyncTarget::Event(9),
                condition: event,
                value: 0,
                lane: Lane::Second
            },
        ]
    );
    let event_cleared = UpdateKind::EventClear;
    assert_eq!(
        effects.posts,
        [
            post(SyncTarget::Event(9), event_cleared, 0, When::Start, Lane::Second),
            post(semaphore(2), UpdateKind::Increment, 1, When::Completion, Lane::Head),
            post(semaphore(3), UpdateKind::Write, 6, When::Completion, Lane::Second),
        ]
    );
    assert!(!effects.unknown_mode);
    assert!(sync_effects(&slot(&[(0, &[0xa4, 0x10, 0, 0, 0x2a])]), None).unknown_mode);
}

#[test]
fn transfers_post_when_they_end() {
    let trigger = slot(&[(0, &[0xc1, 0x10]), (12, b"qSPIO0"), (0x30, &[3])]);
    assert_eq!(sync_effects(&trigger, None).posts, []);
    let queue = QueueContext { semaphore: 9, rings: 16 };
    let want = |id| {
        let target = SyncTarget::Semaphore(id);
        [post(target, UpdateKind::Add, 16, When::TransferEnd, Lane::Operation)]
    };
    assert_eq!(sync_effects(&trigger, Some(queue)).posts, want(9));
    assert_eq!(disasm::operands(&trigger, Names::NONE), "qSPIO0 block 3");

    let direct = slot(&[(0, &[0xd4, 0x10]), (12, &[0, 27, 16])]);
    assert_eq!(sync_effects(&direct, Some(queue)).posts, want(27));
    assert_eq!(disasm::update_words(&direct), "sem[27] += 16 at transfer end");
}

#[test]
fn range_clears_reach_their_semaphores_only() {
    let ids = |slot: &Slot| -> Vec<SyncTarget> {
        sync_effects(slot, None).posts.into_iter().map(|post| post.target).collect()
    };
    let range = slot(&[(0, &[0xb0, 0x10]), (12, &[1, 253, 255])]);
    assert_eq!(ids(&range), [253, 254, 255].map(SyncTarget::Semaphore));
    assert_eq!(disasm::operands(&range, Names::NONE), "sem[253] to sem[255] ← 0");
    let mask = slot(&[(0, &[0xb0, 0x10]), (12, &[2, 0, 9]), (0x20, &[0b101]), (0x3f, &[0x80])]);
    assert_eq!(ids(&mask), [0, 2, 255].map(SyncTarget::Semaphore));
}

#[test]
fn operands_of_synthesized_records() {
    let operands = |parts: &[(usize, &[u8])]| disasm::operands(&slot(parts), Names::NONE);
    let write = [
        (0, &[0xa5, 0x10][..]),
        (12, &[4, 4]),
        (0x10, &[0x38, 0xf0]),
        (0x18, &[0x38, 0xf0, 2]),
        (0x20, &[2]),
        (0x28, &[3]),
    ];
    assert_eq!(operands(&write), "[0xf038] ← 0x2, [0x2f038] ← 0x3");
    let notify = |id: u8| operands(&[(0, &[0xa6, 0x10, 9]), (0x24, &[id, 0, 0, 1])]);
    assert_eq!(notify(2), "inference started");
    assert_eq!(notify(1), "phase 1");
    let load = [(0, &[0xaa, 0x10][..]), (12, &[9, 0, 1, 1]), (0x10, &[8, 0, 0x35]), (0x20, &[2])];
    assert_eq!(operands(&load), "r2 ← [0x350008]");
    let store = [(0, &[0xab, 0x10][..]), (12, &[9, 1, 2, 4]), (0x10, &[0x28]), (0x20, &[1])];
    assert_eq!(operands(&store), "[0x28] ← 4 values");
    let skip = [(0, &[0xa9, 0x10][..]), (12, &[3, 8, 3]), (0x30, &[0xc0])];
    assert_eq!(operands(&skip), "if r0 == 0: +3 slots");
    let alu = [(0, &[0xa8, 0x10][..]), (12, &[0x12, 8, 1]), (0x10, &[1, 0, 0, 0, 2])];
    assert_eq!(operands(&alu), "r2 ← r1 EQ 0x0");
    let alu = [(0, &[0xa8, 0x10][..]), (12, &[0x0d, 9, 0]), (0x10, &[0, 0, 2, 0, 3])];
    assert_eq!(operands(&alu), "r3 ← r0 LAND r2");
}

#[test]
fn bytes_of_a_weight_load_map_to_their_fields() {
    // A record of a compiled program.
    let slot = slot(&[
        (0, &[1, 0x10, 0, 0, 5, 8, 0, 0, 0x10]),
        (0x10, &[0xfe, 0x7c, 3, 0, 0xff, 0xff, 0, 0, 0xe0, 0xff, 0x20, 0, 1, 0, 4, 0]),
        (0x20, &[7, 0, 1, 0, 0, 0, 0x80, 0x80]),
        (0x2c, &[0x0f, 0x0f]),
    ]);
    let rows: Vec<String> = disasm::fields(&slot)
        .into_iter()
        .map(|f| format!("{:02x}+{} {} {} {}", f.offset, f.bytes, f.kind.name(), f.name, f.value))
        .collect();
    assert_eq!(
        rows,
        [
            "00+1 opcode opcode 0x01 LDWEIGHTS",
            "01+1 head words 16",
            "02+1 head debug_cmd 0 none",
            "03+1 head debug_hint 0x0",
            "04+1 wait wait_mode 0x5 >=",
            "05+1 wait wait_index sem[8]",
            "06+1 head update_mode 0 none",
            "07+1 head update_index 0",
            "08+4 wait semaphore_value 16",
            "0c+4 unread unread 0",
            "10+4 address src SB 0x37cfe",
            "14+6 pattern src_steps -1, 0, -32",
            "1a+6 pattern src_counts 32, 1, 4",
            "20+1 dtype dtype fp16",
            "21+1 other fp32_pass 0",
            "22+1 other transpose 1",
            "23+3 unread unread 0",
            "26+1 pattern rows 128",
            "27+1 pattern columns 128",
            "28+4 unread unread 0",
            "2c+1 other row_groups 0xf",
            "2d+1 other column_groups 0xf",
            "2e+1 other unnamed_2e 0x0",
            "2f+17 unread unread 0",
        ]
    );
    assert_eq!(disasm::operands(&slot, Names::NONE), "fp16 128×128 ← SB 0x37cfe");
}
