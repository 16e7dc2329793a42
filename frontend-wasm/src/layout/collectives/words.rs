//! What entries, collectives and steps are in words.

use super::EntryAt;
use crate::layout::format::{parse_number, range, thousands};
use debug_api::answer::{
    BarrierPeer, BufferRef, CollectiveOperand, CollectiveTrigger, Finding, PlannedEntry,
    ScheduleMove, ScheduleSync, TopSpTable,
};

/// The known bits of a planned entry.
pub fn known(entry: &PlannedEntry) -> u64 {
    parse_number(&entry.known).unwrap_or(u64::MAX)
}

/// The word of 16 digits in memory order.
pub fn word_of(raw: &str) -> u64 {
    u64::from_str_radix(raw, 16).map_or(0, u64::swap_bytes)
}

/// The digits of a word in memory order, four bytes apart.
pub fn spaced(raw: &str) -> String {
    match raw.split_at_checked(8) {
        Some((low, high)) => format!("{low} {high}"),
        None => raw.to_owned(),
    }
}

/// The word of a planned entry in memory order, four bytes apart; a digit with an unknown bit is `?`.
pub fn masked(raw: &str, known: u64) -> String {
    let known = format!("{:016x}", known.swap_bytes());
    let digits = raw.chars().zip(known.chars());
    let digits: String =
        digits.map(|(digit, known)| if known == 'f' { digit } else { '?' }).collect();
    spaced(&digits)
}

/// A hexadecimal word, highest digit first; a digit with an unknown bit is `?`.
pub fn masked_word(word: &str, known: u64) -> String {
    let known = format!("{known:016x}");
    let Some(digits) = word.strip_prefix("0x").filter(|digits| digits.len() == known.len()) else {
        return word.to_owned();
    };
    let digits = digits.chars().zip(known.chars());
    let digits = digits.map(|(digit, known)| if known == 'f' { digit } else { '?' });
    std::iter::once("0x".to_owned()).chain(digits.map(String::from)).collect()
}

/// Numbers of the set bits as ranges, `0–3, 8`.
pub fn channels(list: u64) -> String {
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for bit in (0..64).filter(|bit| list >> bit & 1 == 1) {
        match runs.last_mut().filter(|(_, last)| last + 1 == bit) {
            Some((_, last)) => *last = bit,
            None => runs.push((bit, bit)),
        }
    }
    let texts: Vec<String> = runs.iter().map(|(first, last)| range(*first, *last)).collect();
    texts.join(", ")
}

/// What an entry says: its channels or its second half, then its flags.
pub fn reads(entry: &PlannedEntry) -> String {
    if entry.nop {
        return "takes no part, keeps step".to_owned();
    }
    let list = entry.channel_list.as_deref().and_then(parse_number);
    let mut out = match list {
        Some(0) => "no channel".to_owned(),
        Some(list) if list.count_ones() == 1 => format!("channel {}", channels(list)),
        Some(list) => format!("channels {}", channels(list)),
        None => "shift, mask ?".to_owned(),
    };
    let flags = [
        (entry.reporter, "reporter"),
        (entry.ring_wait_complete, "wait"),
        (entry.ring_send_complete, "send"),
        (entry.trigger_next, "next"),
    ];
    let set: Vec<&str> = flags.iter().filter(|(on, _)| *on).map(|(_, name)| *name).collect();
    if !set.is_empty() {
        out = format!("{out} \u{b7} {}", set.join(", "));
    }
    out
}

/// Name of an entry's algorithm as the tables of names have it.
pub fn algorithm(entry: &PlannedEntry) -> String {
    match (&entry.algorithm, entry.nop) {
        (_, true) => "NOP".to_owned(),
        (Some(name), _) => name.clone(),
        (None, _) => "?".to_owned(),
    }
}

/// Whether a row has all words of a text.
pub(super) fn fits(
    trigger: &CollectiveTrigger,
    table: &TopSpTable,
    entry: &PlannedEntry,
    words: &[String],
) -> bool {
    let operands = trigger.inputs.iter().chain(&trigger.outputs);
    let names: Vec<&str> = operands.filter_map(|one| one.name.as_deref()).collect();
    let place = &trigger.place;
    let own = format!(
        "{} {} ip {} {} {} top_sp {} {} {} entry {} {}",
        trigger.operation,
        place.engine,
        place.neff_ip,
        trigger.dtype.as_deref().unwrap_or(""),
        trigger.reduction.as_deref().unwrap_or(""),
        table.index,
        algorithm(entry),
        reads(entry),
        entry.index,
        names.join(" "),
    )
    .to_lowercase();
    words.iter().all(|word| own.contains(word.as_str()) || entry.raw.contains(word.as_str()))
}

/// What a collective does, in a few words: `all-reduce MAX fp32 x 32`.
pub fn operation(trigger: &CollectiveTrigger) -> String {
    let mut out = trigger.operation.clone();
    let is_reduction = matches!(trigger.operation.as_str(), "all-reduce" | "reduce-scatter");
    if let Some(reduction) = trigger.reduction.as_deref().filter(|_| is_reduction) {
        out = format!("{out} {reduction}");
    }
    out
}

/// What is moved: `fp32 × 32, 128 B`.
pub fn amount(trigger: &CollectiveTrigger) -> String {
    let bytes = trigger.bytes.map(|bytes| format!("{} B", thousands(bytes)));
    let elements = trigger.elements.map(thousands);
    match (trigger.dtype.as_deref(), elements, bytes) {
        (Some(dtype), Some(elements), Some(bytes)) => format!("{dtype} \u{d7} {elements}, {bytes}"),
        (Some(dtype), Some(elements), None) => format!("{dtype} \u{d7} {elements}"),
        (Some(dtype), None, _) => format!("{dtype}, elements not known"),
        (None, _, Some(bytes)) => bytes,
        (None, _, None) => "amount not known".to_owned(),
    }
}

/// Bytes of an operand that are moved: `0x0 to 0x7f, all of it`.
pub fn moved_bytes(operand: &CollectiveOperand) -> String {
    let Some(bytes) = operand.bytes else {
        return format!("from {:#x}, bytes not known", operand.offset);
    };
    let whole = operand.offset == 0 && operand.variable_bytes == Some(bytes);
    if whole {
        return format!("all {} B", thousands(bytes));
    }
    let of = operand.variable_bytes.map(|all| format!(" of {}", thousands(all)));
    format!("{} B{} at {:#x}", thousands(bytes), of.unwrap_or_default(), operand.offset)
}

/// Ranks of a group as text, with what is left out.
pub fn group(ranks: &[u32], most: usize) -> String {
    // Neighbouring numbers are a range: most groups are.
    let mut runs: Vec<(u32, u32)> = Vec::new();
    for rank in ranks {
        match runs.last_mut().filter(|(_, last)| last.checked_add(1) == Some(*rank)) {
            Some((_, last)) => *last = *rank,
            None => runs.push((*rank, *rank)),
        }
    }
    let texts: Vec<String> = runs
        .iter()
        .take(most)
        .map(|(first, last)| match last - first {
            0 => first.to_string(),
            1 => format!("{first}, {last}"),
            _ => format!("{first}\u{2013}{last}"),
        })
        .collect();
    let more = runs.len().saturating_sub(most);
    let more = if more > 0 { format!(" and {more} more runs") } else { String::new() };
    format!("{}{more}", texts.join(", "))
}

/// The chunks of a transfer: `chunk 3`, `chunks 0–3`, `chunks 1, 3, 5, 7`.
pub fn chunks(one: &ScheduleMove) -> String {
    let at = |index: u32| one.first.saturating_add(index.saturating_mul(one.stride));
    match (one.count, one.stride) {
        (0, _) => "no chunk".to_owned(),
        (1, _) => format!("chunk {}", one.first),
        (count, 1) => format!("chunks {}\u{2013}{}", one.first, at(count - 1)),
        (count, _) if count <= 8 => {
            let list: Vec<String> = (0..count).map(|index| at(index).to_string()).collect();
            format!("chunks {}", list.join(", "))
        }
        (count, stride) => format!("{count} chunks from {} by {stride}", one.first),
    }
}

/// A transfer in words. `rank` gives the number that a place in the group has.
pub fn transfer(one: &ScheduleMove, rank: impl Fn(u32) -> u32) -> String {
    let places = |list: &[BufferRef]| {
        let texts: Vec<String> = list.iter().map(|place| buffer(place, &rank)).collect();
        texts.join(" + ")
    };
    let added = if one.adds { ", added to what is there" } else { "" };
    format!("{}: {} \u{2192} {}{added}", chunks(one), places(&one.from), places(&one.to))
}

fn buffer(place: &BufferRef, rank: &impl Fn(u32) -> u32) -> String {
    let own = format!("rank {}", rank(place.rank));
    match (place.buffer.as_str(), place.sender) {
        ("data", _) => own,
        (name, Some(sender)) => format!("{own} {name} of {}", rank(sender)),
        (name, None) => format!("{own} {name}"),
    }
}

/// Name of a semaphore with its number where it has one.
pub fn semaphore(one: &ScheduleSync) -> String {
    match (one.leg, one.index) {
        (0, 0) => one.semaphore.clone(),
        (0, index) => format!("{}[{index}]", one.semaphore),
        (leg, index) => format!("{}[{leg}.{index}]", one.semaphore),
    }
}

/// A wait: `recv_sema ≥ 1, −1 then`.
pub fn wait(one: &ScheduleSync) -> String {
    let take = if one.take > 0 { format!(", then \u{2212}{}", one.take) } else { String::new() };
    format!("{} \u{2265} {}{take}", semaphore(one), one.value)
}

/// A post: `rank 3 recv_sema += 1`, with the member that has the address where that is known.
pub fn post(one: &ScheduleSync, rank: impl Fn(u32) -> u32) -> String {
    let member = |name: &str| name.rsplit('.').next().unwrap_or(name).to_owned();
    let through = one.through.as_deref().map_or(String::new(), |at| format!(", at {}", member(at)));
    format!("rank {} {} += {}{through}", rank(one.rank), semaphore(one), one.value)
}

/// The collective that a finding is about, by the place of its record.
pub fn trigger_of(
    finding: &Finding,
    subgraph: &str,
    triggers: &[CollectiveTrigger],
) -> Option<u64> {
    let at = &finding.at;
    let engine = at.engine.as_deref()?;
    let slot = at.offset? / 64;
    let own = at.subgraph.as_deref().is_none_or(|name| name == subgraph);
    triggers
        .iter()
        .filter(|_| own)
        .find(|one| one.place.engine == engine && u64::from(one.place.slot) == slot)
        .map(|one| one.place.index)
}

/// An entry said aloud.
pub fn spoken(at: EntryAt, trigger: &CollectiveTrigger, entry: &PlannedEntry) -> String {
    format!(
        "Entry {} of TOP_SP {}, {}, {}, {}",
        at.index,
        at.top_sp,
        operation(trigger),
        algorithm(entry),
        reads(entry)
    )
}

/// A place of a barrier's step in a cell: `INTRA_CHIP` is `intra chip`.
pub fn barrier_place(kind: &str) -> String {
    kind.to_ascii_lowercase().replace('_', " ")
}

/// A line of the host's plan of a barrier: `4 ring local bit 0`.
pub fn barrier_peer(one: &BarrierPeer) -> String {
    format!("{} {} bit {}", one.rank, barrier_place(&one.kind), one.bit)
}
