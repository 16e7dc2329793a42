//! How much device memory is in use, by core and usage and by HBM.

use super::alloc::Dmem;
use super::usage::Usage;

/// Cores that are counted.
const CORES: usize = 8;
/// Usages that are counted, and the total.
const COLUMNS: usize = 23;
/// Column of the total.
const TOTAL: usize = 22;

/// The counters of a device. Only allocations in device memory count, by their allocated size.
/// Spec: docs/format/memory.md "Counters" [observed].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counters {
    channels: [u64; 4],
    cores: [[u64; COLUMNS]; CORES],
}

impl Default for Counters {
    fn default() -> Self {
        Self { channels: [0; 4], cores: [[0; COLUMNS]; CORES] }
    }
}

impl Counters {
    /// Counts an allocation of a core.
    pub fn allocated(&mut self, core: u32, dmem: &Dmem) {
        self.change(core, dmem, u64::saturating_add);
    }

    /// Counts its end.
    pub fn freed(&mut self, core: u32, dmem: &Dmem) {
        self.change(core, dmem, u64::saturating_sub);
    }

    fn change(&mut self, core: u32, dmem: &Dmem, change: fn(u64, u64) -> u64) {
        let bytes = dmem.allocated_bytes;
        if let Some(channel) = self.channels.get_mut(dmem.channel as usize) {
            *channel = change(*channel, bytes);
        }
        let Some(row) = self.cores.get_mut(core as usize) else { return };
        for column in [dmem.usage.0 as usize, TOTAL] {
            if let Some(cell) = row.get_mut(column) {
                *cell = change(*cell, bytes);
            }
        }
    }

    /// Bytes in use in an HBM.
    pub fn channel(&self, channel: u32) -> u64 {
        self.channels.get(channel as usize).copied().unwrap_or(0)
    }

    /// Bytes that a core uses for something.
    pub fn usage(&self, core: u32, usage: Usage) -> u64 {
        let row = self.cores.get(core as usize);
        row.and_then(|row| row.get(usage.0 as usize)).copied().unwrap_or(0)
    }

    /// Bytes that a core uses.
    pub fn total(&self, core: u32) -> u64 {
        self.usage(core, Usage(TOTAL as u32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_allocation_counts_three_times() {
        let mut counters = Counters::default();
        let dmem = Dmem {
            physical: 0x100_0000,
            align_offset: 0,
            size: 100,
            allocated_bytes: 0x1000,
            channel: 2,
            usage: Usage::WEIGHT,
        };
        counters.allocated(5, &dmem);
        counters.allocated(5, &dmem);
        counters.freed(5, &dmem);
        assert_eq!((counters.channel(2), counters.channel(1)), (0x1000, 0));
        assert_eq!((counters.usage(5, Usage::WEIGHT), counters.total(5)), (0x1000, 0x1000));
        assert_eq!(counters.total(4), 0);
        counters.allocated(9, &Dmem { channel: 7, ..dmem });
        assert_eq!(counters.total(9), 0);
    }
}
