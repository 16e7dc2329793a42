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

/// An end of an arrow: row, track, time.
pub type End<'a> = (&'a str, u32, u64);

/// The arrows of an event, from what is depended on to what depends on it. They leave a record at its
/// end, and a change at its time.
pub fn arrows(event: &TimelineEvent) -> Vec<[End<'_>; 2]> {
    let Some(links) = &event.links else { return Vec::new() };
    let leaves = |row: &str, start: u64, len: u64| match row.contains('[') {
        true => start,
        false => start.saturating_add(len),
    };
    let own = (event.row.as_str(), event.lane);
    let into = links.before.iter().map(|link| {
        let time = leaves(&link.row, link.start_ps, link.len_ps);
        [(link.row.as_str(), link.lane, time), (own.0, own.1, event.start_ps)]
    });
    let out_of = links.after.iter().map(|link| {
        let time = leaves(&event.row, event.start_ps, event.len_ps);
        [(own.0, own.1, time), (link.row.as_str(), link.lane, link.start_ps)]
    });
    into.chain(out_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use debug_api::answer::{TimelineLink, TimelineLinks};

    #[test]
    fn arrows_leave_a_record_at_its_end_and_a_change_at_once() {
        let link = |row: &str, lane: u32, start_ps: u64| TimelineLink {
            row: row.to_owned(),
            lane,
            index: 0,
            start_ps,
            len_ps: 50,
            name: String::new(),
        };
        let event = TimelineEvent {
            row: "ACT".to_owned(),
            lane: 1,
            index: 3,
            start_ps: 1_000,
            len_ps: 20,
            name: String::new(),
            text: String::new(),
            place: None,
            wait_cycles: None,
            value: None,
            flags: Vec::new(),
            links: Some(TimelineLinks {
                before: vec![link("sem[5]", 7, 900), link("q", 6, 800)],
                after: vec![link("sem[4]", 8, 1_020)],
                ..TimelineLinks::default()
            }),
        };
        let expected = [
            [("sem[5]", 7, 900), ("ACT", 1, 1_000)],
            [("q", 6, 850), ("ACT", 1, 1_000)],
            [("ACT", 1, 1_020), ("sem[4]", 8, 1_020)],
        ];
        assert_eq!(arrows(&event), expected);
        assert!(arrows(&TimelineEvent { links: None, ..event }).is_empty());
    }
}
