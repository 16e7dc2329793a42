//! Builders of the fixed records that the runtime puts around a program.
//!
//! Each takes plain numbers and gives 64 bytes; bytes that are not named are zero and byte 1 is
//! the word length 0x10. Which of them appear where is not known here.
//! Spec: docs/format/profiles.md "Records" [observed].

use crate::engine::Engine;
use crate::slot::Slot;

/// Word length in byte 1 of every record: 16 words of 4 bytes.
pub const WORD_LENGTH: u8 = 0x10;

/// A record being written. Writes past the end are dropped.
#[derive(Clone, Copy, Debug)]
pub struct Draft(Slot);

impl Draft {
    /// A record with an opcode and the word length.
    pub fn new(opcode: u8) -> Self {
        Self(Slot::ZERO).u8(0, opcode).u8(1, WORD_LENGTH)
    }

    /// A record that starts as a copy.
    pub const fn of(slot: Slot) -> Self {
        Self(slot)
    }

    /// Sets one byte.
    pub fn u8(self, at: usize, value: u8) -> Self {
        self.bytes(at, &[value])
    }

    /// Sets a little-endian u16.
    pub fn u16(self, at: usize, value: u16) -> Self {
        self.bytes(at, &value.to_le_bytes())
    }

    /// Sets a little-endian u32.
    pub fn u32(self, at: usize, value: u32) -> Self {
        self.bytes(at, &value.to_le_bytes())
    }

    /// Sets a little-endian u64.
    pub fn u64(self, at: usize, value: u64) -> Self {
        self.bytes(at, &value.to_le_bytes())
    }

    /// Sets bytes as given.
    pub fn bytes(mut self, at: usize, bytes: &[u8]) -> Self {
        let end = at.saturating_add(bytes.len());
        if let Some(place) = self.0.0.get_mut(at..end) {
            place.copy_from_slice(bytes);
        }
        self
    }

    /// The finished record.
    pub const fn slot(self) -> Slot {
        self.0
    }
}

/// Comparison codes of a conditional branch, byte 0x0C.
/// Spec: docs/format/profiles.md "Records" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Compare {
    /// Less than.
    Lt = 1,
    /// At most.
    Le = 2,
    /// Equal.
    Eq = 3,
    /// Not equal.
    Ne = 4,
    /// At least.
    Ge = 5,
    /// Greater than.
    Gt = 6,
}

/// dtype code of a 32-bit signed integer.
pub const DTYPE_INT32: u8 = 8;

/// Waits until an event is set, then clears it.
pub fn event_wait(id: u8) -> Slot {
    Draft::new(0xA4).u8(0x04, 0x07).u8(0x05, id).u32(0x0C, 1).slot()
}

/// Sets an event at completion.
pub fn event_set(id: u8) -> Slot {
    Draft::new(0xA4).u8(0x06, 0x11).u8(0x07, id).u32(0x0C, 1).slot()
}

/// Clears an event at completion.
pub fn event_clear(id: u8) -> Slot {
    Draft::new(0xA4).u8(0x06, 0x12).u8(0x07, id).u32(0x0C, 1).slot()
}

/// Adds a value to a semaphore at completion.
pub fn semaphore_add(id: u8, value: u32) -> Slot {
    Draft::new(0xA0).u8(0x22, 0x15).u8(0x23, id).u32(0x28, value).slot()
}

/// Subtracts 1 from a semaphore at completion.
pub fn semaphore_sub(id: u8) -> Slot {
    Draft::new(0xA0).u8(0x22, 0x17).u8(0x23, id).u32(0x28, 1).slot()
}

/// Writes a semaphore at completion.
pub fn semaphore_set(id: u8, value: u32) -> Slot {
    Draft::new(0xA0).u8(0x22, 0x19).u8(0x23, id).u32(0x28, value).slot()
}

/// How a semaphore wait compares: the mode byte of the second event pair.
/// Spec: docs/format/streams.md "Wait modes" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Wait {
    /// Equal.
    Eq = 1,
    /// Greater than.
    Gt = 4,
    /// At least.
    Ge = 5,
}

/// Waits for a semaphore and leaves it alone.
pub fn semaphore_wait(id: u8, how: Wait, value: u32) -> Slot {
    wait_draft(id, how, value).slot()
}

/// Waits for a semaphore, then applies an update of mode `action` with a value to the same one.
/// Mode 0x13 increments, 0x14 decrements, 0x15 adds, 0x19 writes, all at completion.
pub fn semaphore_wait_then(id: u8, how: Wait, value: u32, action: u8, operand: u32) -> Slot {
    wait_draft(id, how, value).u8(0x22, action).u8(0x23, id).u32(0x28, operand).slot()
}

/// Waits until a semaphore exceeds a value, then decrements it.
pub fn semaphore_wait_default(id: u8, value: u32) -> Slot {
    wait_draft(id, Wait::Gt, value).u8(0x22, 0x14).u8(0x23, id).slot()
}

/// The slots with which an engine takes part in an all-engine barrier on one semaphore. The
/// semaphore runs 0, 1, .. 8 and is 0 again after it.
/// Spec: docs/format/profiles.md "Barrier" [observed].
pub fn barrier_ladder(engine: Engine, semaphore: u8) -> Vec<Slot> {
    let climb = |at| semaphore_wait_then(semaphore, Wait::Eq, at, 0x13, 1);
    match engine {
        Engine::Pe => {
            vec![semaphore_add(semaphore, 1), semaphore_wait_then(semaphore, Wait::Eq, 8, 0x19, 0)]
        }
        Engine::Act => vec![climb(1), climb(7)],
        Engine::Pool => vec![climb(2), climb(6)],
        Engine::Dve => vec![climb(3), climb(5)],
        Engine::Sp => vec![climb(4)],
    }
}

/// Unconditional branch by a signed byte distance from the branch record itself.
pub fn branch(distance: i32) -> Slot {
    Draft::new(0xA9).u8(0x0E, 3).u64(0x30, u64::from(distance as u32)).slot()
}

/// Branch taken when a register compares with an immediate, with the flag of byte 3.
pub fn branch_if(register: u8, how: Compare, value: u32, distance: i32) -> Slot {
    Draft::of(branch(distance))
        .u8(0x03, 2)
        .u8(0x0C, how as u8)
        .u8(0x0D, DTYPE_INT32)
        .u32(0x10, value)
        .u8(0x20, register)
        .slot()
}

/// Branch to the address in a register pair.
pub fn branch_register(low: u8, high: u8) -> Slot {
    Draft::new(0xA9).u8(0x0E, 1).u8(0x22, low).u8(0x23, high).slot()
}

/// Branch by a distance in a register.
pub fn branch_relative_register(register: u8) -> Slot {
    Draft::new(0xA9).u8(0x0E, 4).u8(0x22, register).slot()
}

/// Tells the fetcher where a branch will go, as a byte distance from this record. Distances of
/// 2^31 bytes and more cannot be written.
pub fn branch_prefetch_hint(distance: i32) -> Slot {
    Draft::new(0xB5).u64(0x30, u64::from(distance as u32)).slot()
}

/// Waits until the engine's pipeline is empty.
pub fn drain(argument: u8) -> Slot {
    Draft::new(0xA2).u8(0x28, argument).slot()
}

/// Stops the engine.
pub fn halt() -> Slot {
    Draft::new(0xA1).slot()
}

/// Does nothing.
pub fn nop() -> Slot {
    Draft::new(0xA4).slot()
}

/// Writes a phase notification.
pub fn notify(phase: u32) -> Slot {
    Draft::new(0xA6).u8(0x02, 9).u32(0x24, 0x0100_0000_u32.wrapping_add(phase)).slot()
}

/// Sets the ordering mode.
pub fn ordering(mode: u8) -> Slot {
    Draft::new(0xB1).u8(0x0C, mode).slot()
}

/// Polls a semaphore.
pub fn poll_semaphore(mode: u8, id: u8) -> Slot {
    Draft::new(0xB3).u8(0x0C, mode).u8(0x0D, id).u8(0x0E, 9).slot()
}

/// Clears a range of semaphores, both ends included.
pub fn semaphore_clear_range(first: u8, last: u8) -> Slot {
    Draft::new(0xB0).u8(0x0C, 1).u8(0x0D, first).u8(0x0E, last).slot()
}

/// Writes a semaphore to 0 in the short form of the semaphore reset.
pub fn semaphore_reset(id: u8) -> Slot {
    Draft::new(0xA0).u8(0x22, 0x19).u8(0x23, id).slot()
}

/// Writes 4 bytes to an address.
pub fn write(address: u64, value: u64) -> Slot {
    Draft::new(0xA5).u8(0x0C, 4).u64(0x10, address).u64(0x20, value).slot()
}

/// Writes 4 bytes to each of two addresses.
pub fn write_two(first: (u64, u64), second: (u64, u64)) -> Slot {
    Draft::of(write(first.0, first.1)).u8(0x0D, 4).u64(0x18, second.0).u64(0x28, second.1).slot()
}

/// Loads 4 bytes of memory into a register.
pub fn load(address: u64, register: u32) -> Slot {
    transfer(0xAA, address, register)
}

/// Stores a register to 4 bytes of memory.
pub fn store(address: u64, register: u32) -> Slot {
    transfer(0xAB, address, register)
}

/// Stores up to four 8-byte values at addresses that lie `step1` apart; the two 4-byte words of a
/// value lie `step0` apart. Steps are in 4-byte words. More than four values are dropped.
pub fn store_values(address: u64, step0: u32, step1: u32, values: &[u64]) -> Slot {
    let values = values.get(..4).unwrap_or(values);
    let draft = Draft::new(0xAB)
        .u8(0x0C, 9)
        .u8(0x0D, 1)
        .u8(0x0E, 2)
        .u8(0x0F, values.len() as u8)
        .u64(0x10, address)
        .u32(0x18, step0)
        .u32(0x1C, step1);
    let places = (0x20..).step_by(8).zip(values);
    places.fold(draft, |draft, (at, &value)| draft.u64(at, value)).slot()
}

/// Moves a 32-bit immediate.
pub fn move_immediate(value: u32) -> Slot {
    Draft::new(0xA7).u16(0x0C, 0x901).u32(0x20, value).slot()
}

/// Operand of a register operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AluOperand {
    /// An immediate value.
    Immediate(u64),
    /// A register; its field is not known.
    Register,
}

/// Register operation: `destination = source op operand`. Add is 4, subtract 5, maximum 8,
/// minimum 9.
pub fn alu(op: u8, dtype: u8, source: u32, destination: u32, operand: AluOperand) -> Slot {
    let draft =
        Draft::new(0xA8).u8(0x0C, op).u8(0x0D, dtype).u32(0x10, source).u32(0x14, destination);
    match operand {
        AluOperand::Immediate(value) => draft.u8(0x0E, 1).u64(0x18, value).slot(),
        AluOperand::Register => draft.slot(),
    }
}

/// Loads from nowhere: keeps the load path busy. The marker stands in the mode byte of the address.
/// Spec: docs/format/profiles.md "Records" [inferred].
pub fn load_dummy_read() -> Slot {
    Draft::new(0xAA).u8(0x0C, 9).u8(0x17, 0x80).slot()
}

/// Arguments of a pool function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PoolArgument {
    /// Base of the table.
    pub table: u64,
    /// Base in the state buffer.
    pub state_buffer: u64,
    /// Where one value is read.
    pub value: u64,
    /// Where completion is written.
    pub completion: u64,
}

/// Loads the arguments of a pool function.
pub fn load_pool_argument(argument: PoolArgument) -> Slot {
    Draft::new(0x7A)
        .u8(0x0E, 3)
        .u64(0x20, argument.table)
        .u64(0x28, argument.state_buffer)
        .u64(0x30, argument.value)
        .u64(0x38, argument.completion)
        .slot()
}

/// Marks the load of a pool library.
pub fn library_load_marker() -> Slot {
    Draft::new(0x95).slot()
}

fn wait_draft(id: u8, how: Wait, value: u32) -> Draft {
    Draft::new(0xA0).u8(0x20, how as u8).u8(0x21, id).u32(0x24, value)
}

fn transfer(opcode: u8, address: u64, register: u32) -> Slot {
    Draft::new(opcode)
        .u8(0x0C, 9)
        .u8(0x0E, 1)
        .u8(0x0F, 1)
        .u64(0x10, address)
        .u32(0x20, register)
        .slot()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The 64 bytes from pieces of hex at byte offsets; the rest is zero.
    fn bytes(pieces: &[(usize, &str)]) -> [u8; 64] {
        let mut out = [0; 64];
        for (at, hex) in pieces {
            for (i, pair) in hex.split_whitespace().enumerate() {
                out[at + i] = u8::from_str_radix(pair, 16).unwrap();
            }
        }
        out
    }

    #[test]
    fn published_vectors() {
        let table = [
            (event_wait(5), bytes(&[(0, "a4 10 00 00 07 05 00 00 00 00 00 00 01")])),
            (event_set(5), bytes(&[(0, "a4 10 00 00 00 00 11 05 00 00 00 00 01")])),
            (event_clear(5), bytes(&[(0, "a4 10 00 00 00 00 12 05 00 00 00 00 01")])),
            (
                branch(-0x140),
                bytes(&[(0, "a9 10"), (0x0E, "03"), (0x30, "c0 fe ff ff 00 00 00 00")]),
            ),
            (semaphore_add(7, 1), bytes(&[(0, "a0 10"), (0x22, "15 07"), (0x28, "01")])),
        ];
        for (slot, expected) in table {
            assert_eq!(slot.0, expected, "{slot:?}");
        }
    }

    #[test]
    fn records_around_a_program() {
        let table = [
            (notify(7), bytes(&[(0, "a6 10 09"), (0x24, "07 00 00 01")])),
            (ordering(1), bytes(&[(0, "b1 10"), (0x0C, "01")])),
            (
                write(0x0807_0605_0403_0201, 0x99),
                bytes(&[
                    (0, "a5 10"),
                    (0x0C, "04"),
                    (0x10, "01 02 03 04 05 06 07 08"),
                    (0x20, "99"),
                ]),
            ),
            (
                write_two((1, 2), (3, 4)),
                bytes(&[
                    (0, "a5 10"),
                    (0x0C, "04 04"),
                    (0x10, "01"),
                    (0x18, "03"),
                    (0x20, "02"),
                    (0x28, "04"),
                ]),
            ),
            (drain(1), bytes(&[(0, "a2 10"), (0x28, "01")])),
            (halt(), bytes(&[(0, "a1 10")])),
            (
                load(0x1000, 2),
                bytes(&[(0, "aa 10"), (0x0C, "09 00 01 01"), (0x10, "00 10"), (0x20, "02")]),
            ),
            (
                store_values(0x28, 1, 0x10000, &[5, 6]),
                bytes(&[
                    (0, "ab 10"),
                    (0x0C, "09 01 02 02"),
                    (0x10, "28"),
                    (0x18, "01"),
                    (0x1C, "00 00 01"),
                    (0x20, "05"),
                    (0x28, "06"),
                ]),
            ),
            (
                branch_if(0, Compare::Eq, 0, 64),
                bytes(&[(0, "a9 10 00 02"), (0x0C, "03 08 03"), (0x30, "40")]),
            ),
            (branch_register(1, 2), bytes(&[(0, "a9 10"), (0x0E, "01"), (0x22, "01 02")])),
            (semaphore_clear_range(3, 53), bytes(&[(0, "b0 10"), (0x0C, "01 03 35")])),
            (
                alu(4, DTYPE_INT32, 1, 2, AluOperand::Immediate(0x0102)),
                bytes(&[
                    (0, "a8 10"),
                    (0x0C, "04 08 01"),
                    (0x10, "01"),
                    (0x14, "02"),
                    (0x18, "02 01"),
                ]),
            ),
            (
                alu(9, DTYPE_INT32, 3, 4, AluOperand::Register),
                bytes(&[(0, "a8 10"), (0x0C, "09 08 00"), (0x10, "03"), (0x14, "04")]),
            ),
            (branch_relative_register(5), bytes(&[(0, "a9 10"), (0x0E, "04"), (0x22, "05")])),
            (branch_prefetch_hint(-64), bytes(&[(0, "b5 10"), (0x30, "c0 ff ff ff")])),
            (
                load_pool_argument(PoolArgument {
                    table: 0x2_0000_0001,
                    state_buffer: 3,
                    value: 4,
                    completion: 5,
                }),
                bytes(&[
                    (0, "7a 10"),
                    (0x0E, "03"),
                    (0x20, "01 00 00 00 02"),
                    (0x28, "03"),
                    (0x30, "04"),
                    (0x38, "05"),
                ]),
            ),
            (library_load_marker(), bytes(&[(0, "95 10")])),
            (load_dummy_read(), bytes(&[(0, "aa 10"), (0x0C, "09"), (0x17, "80")])),
            (move_immediate(7), bytes(&[(0, "a7 10"), (0x0C, "01 09"), (0x20, "07")])),
            (poll_semaphore(1, 7), bytes(&[(0, "b3 10"), (0x0C, "01 07 09")])),
            (semaphore_sub(7), bytes(&[(0, "a0 10"), (0x22, "17 07"), (0x28, "01")])),
            (
                semaphore_wait_default(7, 2),
                bytes(&[(0, "a0 10"), (0x20, "04 07 14 07"), (0x24, "02")]),
            ),
            (semaphore_wait(7, Wait::Ge, 3), bytes(&[(0, "a0 10"), (0x20, "05 07"), (0x24, "03")])),
            (semaphore_reset(9), bytes(&[(0, "a0 10"), (0x22, "19 09")])),
            (
                semaphore_wait_then(0, Wait::Gt, 0, 0x14, 1),
                bytes(&[(0, "a0 10"), (0x20, "04 00 14 00"), (0x28, "01")]),
            ),
        ];
        for (slot, expected) in table {
            assert_eq!(slot.0, expected, "{slot:?}");
        }
    }

    /// The barrier semaphore climbs from 0 to 8 and is 0 again: every value is awaited once.
    #[test]
    fn the_ladder_visits_every_value_once() {
        let mut awaited = Vec::new();
        for engine in Engine::ALL {
            let slots = barrier_ladder(engine, 2);
            assert_eq!(slots.len(), if engine == Engine::Sp { 1 } else { 2 });
            for slot in slots {
                assert_eq!((slot.u8_at(0x23), slot.u8_at(0x20) <= 1), (2, true));
                if slot.u8_at(0x20) == 1 {
                    awaited.push(slot.u32_at(0x24));
                }
            }
        }
        awaited.sort_unstable();
        assert_eq!(awaited, [1, 2, 3, 4, 5, 6, 7, 8]);
    }
}
