//! Any 64 bytes are a record: text, words and byte maps take them all, and lose none.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use kbin::{Names, disasm, memory_effects, sync_effects};
use proptest::prelude::*;
use records::{Opcode, SLOT_BYTES, Slot};

/// Everything that reads a record, and the laws that hold for any record.
fn check(slot: &Slot) {
    let text = disasm::text(slot);
    let name = Opcode(slot.opcode_byte()).asm_name();
    match name {
        Some(name) => assert!(text.starts_with(name), "{text}"),
        None => assert!(text.starts_with("OPCODE_0x"), "{text}"),
    }
    assert!(!text.contains(';') && !text.contains('\n'), "{text}");
    assert!(text.is_ascii() && !text.contains("  "), "{text}");

    let table = [0, u32::MAX];
    let names = Names { variables: &["SB", ""], table: &table };
    let sentence = disasm::sentence(slot, names);
    assert!(sentence.ends_with('.') && sentence.contains(' '), "{sentence}");
    disasm::operands(slot, names);

    let mut end = 0;
    for field in disasm::fields(slot) {
        assert_eq!(usize::from(field.offset), end, "{} leaves a gap or overlaps", field.name);
        assert!(field.bytes > 0 && !field.meaning.is_empty(), "{}", field.name);
        end += usize::from(field.bytes);
    }
    assert_eq!(end, SLOT_BYTES);

    let effects = sync_effects(slot, None);
    let waits = disasm::wait_words(slot);
    assert_eq!(waits.is_empty(), effects.waits.is_empty() && !waits.contains("mode"));
    for operand in memory_effects(slot).reads {
        operand.extent();
    }
}

#[test]
fn every_code_with_plain_and_full_payloads() {
    for fill in [0x00, 0x01, 0x7f, 0x80, 0xff] {
        for code in 0..=255 {
            let mut slot = Slot([fill; SLOT_BYTES]);
            slot.0[0] = code;
            check(&slot);
            slot.0[1..12].fill(0);
            check(&slot);
        }
    }
}

#[test]
fn every_wait_and_update_mode() {
    let mut slot = Slot::ZERO;
    slot.0[..2].copy_from_slice(&[0xa0, 16]);
    for mode in 0..=255 {
        for at in [4, 6, 0x20, 0x22] {
            let mut slot = slot;
            slot.0[at] = mode;
            check(&slot);
        }
    }
}

#[test]
fn bytes_of_an_unknown_code_are_all_in_its_text() {
    let mut slot = Slot::ZERO;
    slot.0[..2].copy_from_slice(&[0x97, 16]);
    for (i, byte) in slot.0[12..].iter_mut().enumerate() {
        *byte = 1 + i as u8;
    }
    let hex: String = slot.0[12..].iter().map(|byte| format!("{byte:02x}")).collect();
    assert_eq!(disasm::text(&slot), format!("OPCODE_0x97 payload={hex}"));
}

proptest! {
    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), SLOT_BYTES)) {
        check(&Slot(bytes.try_into().unwrap()));
    }

    #[test]
    fn random_payloads_of_small_numbers(code in any::<u8>(), bytes in prop::collection::vec(0_u8..4, 63)) {
        let mut slot = Slot::ZERO;
        slot.0[0] = code;
        slot.0[1..].copy_from_slice(&bytes);
        check(&slot);
    }
}
