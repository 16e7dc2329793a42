//! Records that set up the rings of a queue.
//! Spec: docs/format/profiles.md "Queue records" [observed].

use records::Slot;
use records::build;

use crate::expr::ExprError;

/// Value of a ring length register: the largest length.
/// Spec: docs/format/profiles.md "Queue records" [observed].
const RING_LENGTH: u64 = 0x00FF_FFF0_00FF_FFF0;

/// A register of the write side of a queue; it lies 0x20000 above the read side.
pub(crate) const fn write_side(queue_offset: u64, register: u64) -> u64 {
    0x2_0000 + queue_offset + register
}

/// Resets both sides of a queue.
pub(crate) fn reset_record(
    broadcast: u64,
    queue_offset: u64,
    value: u64,
) -> Result<Slot, ExprError> {
    let at = |register: u64| broadcast.checked_add(register).ok_or(ExprError::Overflow);
    let (write, read) = (at(write_side(queue_offset, 0x64))?, at(queue_offset + 0xB0)?);
    Ok(build::write_two((write, value), (read, value)))
}

/// Bases of both sides and lengths of the rings of consecutive DMA engines.
pub(crate) fn ring_records(
    at: u64,
    stride: u64,
    read: &[u64],
    write: &[u64],
) -> Result<[Slot; 3], ExprError> {
    let words = u32::try_from(stride / 4).ok().filter(|_| stride.is_multiple_of(4));
    let words = words.ok_or(ExprError::Range {
        what: "STRIDE",
        value: stride,
        expected: "a multiple of 4 up to 0x3fffffffc",
    })?;
    // The registers of both sides lie above this address.
    at.checked_add(write_side(0, 0x28)).ok_or(ExprError::Overflow)?;
    let lengths = [RING_LENGTH; 4];
    let lengths = lengths.get(..read.len()).unwrap_or(&lengths);
    let store = |register: u64, values: &[u64], step0: u32| {
        build::store_values(at.wrapping_add(register), step0, words, values)
    };
    Ok([
        store(0x28, read, 1),
        store(write_side(0, 0x28), write, 1),
        store(0x30, lengths, write_side(0, 0) as u32 / 4),
    ])
}
