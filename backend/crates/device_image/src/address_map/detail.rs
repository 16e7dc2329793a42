//! What an address is inside its region.

use super::bases;
use super::core_blocks::PARTITION_BYTES;
use super::region::{Region, RegionKind};
use crate::program::Generation;

/// Words for an offset in a region; `None` where nothing more is known.
pub fn of(generation: Generation, region: &Region, offset: u64) -> Option<String> {
    match region.kind {
        RegionKind::StateBuffer => {
            let (partition, byte) = (offset / PARTITION_BYTES, offset % PARTITION_BYTES);
            Some(format!("partition {partition}, byte {byte:#x}"))
        }
        // The driver's check is about cores; a TOP_SP has events of its own.
        RegionKind::Events if region.core.is_some() => {
            event(offset).or_else(|| past_events(offset))
        }
        RegionKind::Events => event(offset),
        RegionKind::EventAccelerator => Some(accelerator(generation, region.start, offset)),
        RegionKind::Dma => dma(generation, offset),
        RegionKind::Notifications => notification(offset),
        RegionKind::Registers if region.name.ends_with("control") => Some(
            match offset {
                0x0 => "event acceleration enable",
                0x1C => "reorder buffer",
                0x20 => "write buffer",
                0x800 => "outstanding beats",
                _ => return None,
            }
            .to_owned(),
        ),
        _ => None,
    }
}

/// Spec: docs/format/memory.md "Event addresses" [observed].
fn event(offset: u64) -> Option<String> {
    let (id, byte) = (offset % 0x400 / 4, offset % 4);
    let what = match offset / 0x400 {
        0 => format!("event {id}"),
        4 => format!("semaphore {id}, read"),
        5 => format!("semaphore {id}, set"),
        6 => format!("semaphore {id}, increment"),
        7 => format!("semaphore {id}, decrement"),
        _ => return None,
    };
    Some(if byte == 0 { what } else { format!("{what}, byte {byte}") })
}

/// The word behind the cells of events, which has a number that the driver accepts.
/// Spec: docs/format/memory.md "Event addresses" [observed].
fn past_events(offset: u64) -> Option<String> {
    let byte = offset.checked_sub(0x400).filter(|byte| *byte < 4)?;
    let what = "event 256: the driver lets this number through, but no event is there";
    Some(if byte == 0 { what.to_owned() } else { format!("{what}; byte {byte}") })
}

/// Spec: docs/format/memory.md "Event transfers" [observed].
fn accelerator(generation: Generation, start: u64, offset: u64) -> String {
    let what = if start == bases::accelerator(generation, true) {
        "copied by rings to set an event"
    } else {
        "copied by rings to clear an event"
    };
    if offset == 0 { what.to_owned() } else { format!("{what}, byte {offset}") }
}

/// Spec: docs/format/memory.md "DMA registers" [observed].
fn dma(generation: Generation, offset: u64) -> Option<String> {
    let (side, inner) = match offset {
        0..=0x1_FFFF => ("M2S", offset),
        0x2_0000..=0x3_7FFF => ("S2M", offset - 0x2_0000),
        0x3_8000..=0x3_BFFF => return Some(format!("general registers, {:#x}", offset - 0x3_8000)),
        0x3_C000..=0x3_FFFF => {
            return Some(format!("extended registers, {:#x}", offset - 0x3_C000));
        }
        _ => return None,
    };
    let queue = (inner / 0x1000).checked_sub(1).filter(|queue| *queue < 16)?;
    let register = inner % 0x1000;
    let name = match (register, side) {
        (0x20, _) => "config",
        (0x24, _) => "status",
        (0x28, _) => "ring base low",
        (0x2C, _) => "ring base high",
        (0x30, _) => "length",
        (0x34, _) => "head",
        (0x38, _) => "tail increment",
        (0x3C, _) => "tail",
        (0x40, _) => "current descriptor",
        (0x44, _) => "completion base low",
        (0x48, _) => "completion base high",
        (0x4C, _) => "completion head",
        (0x54, "S2M") => "completion config",
        (0x64, "S2M") | (0xB0, "M2S") => "software control",
        (0xE0, _) if generation != Generation::Sunda => "data tail increment",
        _ => return Some(format!("{side} queue {queue}, register {register:#x}")),
    };
    Some(format!("{side} queue {queue}, {name}"))
}

/// Spec: docs/format/memory.md "Notification blocks" [observed].
fn notification(offset: u64) -> Option<String> {
    let block = match offset {
        0x0 => "timestamp low",
        0x4 => "timestamp high",
        0x8 => "software back-pressure",
        0xC | 0x10 => "hardware back-pressure",
        0x14 => "enable",
        0x18 => "overflow",
        0x28 => "uart",
        0x2C => "axi id",
        0x30 | 0x34 => "write buffer enable",
        0x40 | 0x44 => "error address",
        0xC0 => "threshold enable",
        0xC4 => "full",
        0xC8 => "threshold passed",
        0xCC => "timestamp increment",
        0x100..=0x28F => {
            let (slot, register) = ((offset - 0x100) / 0x28, (offset - 0x100) % 0x28);
            let name = match register {
                0x0 => "base low",
                0x4 => "base high",
                0x8 => "size",
                0xC => "head",
                0x10 => "tail",
                0x14 => "threshold",
                _ => return None,
            };
            return Some(format!("queue {slot}, {name}"));
        }
        _ => return None,
    };
    Some(block.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_of_the_event_block() {
        let table = [
            (0x3FC, Some("event 255")),
            (0x400, None),
            (0x1004, Some("semaphore 1, read")),
            (0x1400, Some("semaphore 0, set")),
            (0x1C01, Some("semaphore 0, decrement, byte 1")),
            (0x2000, None),
        ];
        for (offset, expected) in table {
            assert_eq!(event(offset).as_deref(), expected, "{offset:#x}");
        }
    }

    #[test]
    fn the_driver_lets_one_event_too_many_through() {
        let what = "event 256: the driver lets this number through, but no event is there";
        assert_eq!(past_events(0x400).as_deref(), Some(what));
        assert_eq!(past_events(0x403), Some(format!("{what}; byte 3")));
        assert_eq!([0x3FF, 0x404, 0x1000].map(past_events), [None, None, None]);
        // Of cores alone: 0x2802700400 is in core 0, 0x8280000400 in TOP_SP 0.
        let map = super::super::AddressMap::new(Generation::Cayman);
        let detail = |address| map.lookup(address).and_then(|place| place.detail);
        assert_eq!(detail(0x28_0270_0400).as_deref(), Some(what));
        assert_eq!(detail(0x82_8000_0400), None);
    }

    #[test]
    fn registers_have_names() {
        assert_eq!(
            dma(Generation::Cayman, 0x2_1064).as_deref(),
            Some("S2M queue 0, software control")
        );
        assert_eq!(dma(Generation::Sunda, 0x10E0).as_deref(), Some("M2S queue 0, register 0xe0"));
        assert_eq!(dma(Generation::Cayman, 0x20), None);
        assert_eq!(notification(0x100 + 0x28 * 3 + 0xC).as_deref(), Some("queue 3, head"));
        assert_eq!(notification(0x290), None);
    }
}
