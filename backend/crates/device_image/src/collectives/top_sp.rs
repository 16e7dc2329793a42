//! The processors of collectives (TOP_SPs) of a core: addresses of their semaphores and doorbells,
//! and the room that their tables have.
//! Spec: docs/format/collectives-plan.md "TOP_SPs" [observed].

use crate::address_map::bases::{top_sp_base, top_sps};
use crate::program::Generation;
use records::Provenance;

/// Bytes of an entry of either table.
pub const ENTRY_BYTES: u64 = 8;
/// Bytes from a TOP_SP's semaphores to its registers.
const REGISTERS: u64 = 0x20_0000;
/// Windows of a TOP_SP's semaphores: read, set, increment, decrement.
const READ: u64 = 0x1000;
const INCREMENT: u64 = 0x1800;
/// Semaphores of a TOP_SP.
const SEMAPHORES: u32 = 256;

/// Room of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes; `None` if they are not known for the generation.
    pub bytes: Option<u64>,
    /// Observed, or inferred from another generation.
    pub from: Provenance,
}

impl Room {
    /// Entries.
    pub fn entries(&self) -> Option<u64> {
        Some(self.bytes? / ENTRY_BYTES)
    }
}

/// Room of the control table and of the slot tape.
/// Spec: docs/format/collectives-plan.md "Tables" [observed].
pub const fn rooms(generation: Generation) -> (Room, Room) {
    let (bytes, from) = match generation {
        Generation::Sunda => ((None, None), Provenance::Modelled),
        Generation::Cayman => ((Some(0x1000), Some(0x8000)), Provenance::Observed),
        Generation::Mariana => ((Some(0x1000), Some(0x8000)), Provenance::Inferred),
    };
    (Room { bytes: bytes.0, from }, Room { bytes: bytes.1, from })
}

/// A doorbell: a register whose write of 1 starts something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Doorbell {
    /// Name.
    pub name: &'static str,
    /// Bytes from the TOP_SP's registers.
    pub offset: u64,
    /// Observed, or inferred from another generation.
    pub from: Provenance,
}

/// The doorbells of a generation that are known.
/// Spec: docs/format/collectives-plan.md "TOP_SPs" [observed].
pub fn doorbells(generation: Generation) -> Vec<Doorbell> {
    let list: &[(&'static str, u64)] = match generation {
        Generation::Sunda => {
            &[("basic_block_switch", 0x6083C), ("host_trigger", 0x60848), ("stop", 0x6084C)]
        }
        Generation::Cayman | Generation::Mariana => &[
            ("init", 0x61540),
            ("tsync", 0x61560),
            ("host_trigger", 0x615A0),
            ("stop", 0x615C0),
            ("basic_block_switch", 0x615E0),
        ],
    };
    let from = Provenance::Observed;
    list.iter().map(|(name, offset)| Doorbell { name, offset: *offset, from }).collect()
}

/// Address of a TOP_SP's registers; `None` for one that is not there.
/// Spec: docs/format/collectives-plan.md "TOP_SPs" [observed].
pub fn registers(generation: Generation, index: u32) -> Option<u64> {
    top_sp_base(generation, index)?.checked_add(REGISTERS)
}

/// Addresses at which a TOP_SP's semaphore is read and incremented; `None` for one that is not
/// there. Configurations hold the first, posts go to the second.
/// Spec: docs/format/collectives-plan.md "TOP_SPs" [observed].
pub fn semaphore(generation: Generation, index: u32, semaphore: u32) -> Option<(u64, u64)> {
    if semaphore >= SEMAPHORES {
        return None;
    }
    let base = top_sp_base(generation, index)?;
    let at = 4 * u64::from(semaphore);
    Some((base + READ + at, base + INCREMENT + at))
}

/// TOP_SPs of a logical core that has the physical core: two for each of its physical cores, by
/// number. Those that the chip does not have are left out.
/// Spec: docs/format/collectives-plan.md "TOP_SPs" [inferred].
pub fn of_core(generation: Generation, core: u32, cores: u32) -> Vec<u32> {
    let cores = cores.max(1);
    let first = u64::from(core / cores) * u64::from(cores) * 2;
    let all = first..first + u64::from(cores) * 2;
    all.filter_map(|index| u32::try_from(index).ok())
        .filter(|index| *index < top_sps(generation))
        .collect()
}
