//! Sentences about events: for the tooltip, the live region, the details.

use super::scale::{Unit, decimal};
use super::tile::Item;
use crate::layout::format::{bytes_exact, count, thousands};
use debug_api::answer::{TimelineEvent, TimelineRow};

/// What several events in one bucket are: `412 events, 63 % busy, longest 1.200 µs`.
pub fn bucket(item: &Item, is_counter: bool, unit: Unit, cycle_fs: Option<u64>) -> String {
    let events = count(u64::from(item.count), "event");
    if is_counter {
        let (last, largest) = (thousands(u64::from(item.value)), thousands(item.largest));
        return format!("{events}, last value {last}, largest {largest}");
    }
    let len = item.end.saturating_sub(item.start).max(1) as f64;
    let busy = decimal(item.busy as f64 * 100.0 / len, 0);
    format!("{events}, {busy} % busy, longest {}", unit.text(item.largest as f64, cycle_fs))
}

/// What a run is, in a line.
pub fn item(item: &Item, row: &TimelineRow, unit: Unit, cycle_fs: Option<u64>) -> String {
    let is_counter = matches!(row.group.as_str(), "semaphores" | "events");
    if item.count > 1 {
        return format!("{}: {}", row.name, bucket(item, is_counter, unit, cycle_fs));
    }
    let len = unit.text(item.end.saturating_sub(item.start) as f64, cycle_fs);
    let slot = item.slot.filter(|_| row.group == "engines");
    let slot = slot.map_or(String::new(), |slot| format!(" slot {}", thousands(u64::from(slot))));
    let what = match row.group.as_str() {
        "queues" => bytes_exact(u64::from(item.value)),
        "semaphores" | "events" => format!("{} to {}", item.name, thousands(u64::from(item.value))),
        _ => item.name.clone(),
    };
    let odd = if item.flags & 1 != 0 { ", no end in the trace" } else { "" };
    format!("{}{slot}: {what}, {len}{odd}", row.name)
}

/// An event read aloud: `PE, event 118 of 4,012, LDWEIGHTS, slot 64, 1.240 µs`.
pub fn spoken(
    event: &TimelineEvent,
    row: Option<&TimelineRow>,
    unit: Unit,
    fs: Option<u64>,
) -> String {
    let of = row.map_or(String::new(), |row| format!(" of {}", thousands(row.events)));
    let number = thousands(u64::from(event.index) + 1);
    let slot = event.place.as_ref().and_then(|place| place.image_slot);
    let slot = slot.map_or(String::new(), |slot| format!(", slot {}", thousands(u64::from(slot))));
    let text = if event.text.is_empty() { String::new() } else { format!(", {}", event.text) };
    let at = unit.text(event.start_ps as f64, fs);
    let len = unit.text(event.len_ps as f64, fs);
    format!("{}, event {number}{of}, {}{slot}, {len} at {at}{text}", event.row, event.name)
}
