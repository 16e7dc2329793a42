//! Before and after of what the runtime changed at the selected slot: the records of the NEFF, the
//! slots of the image, and the bytes in which they differ.

use crate::dom::{El, div, el, span};
use crate::layout::bytediff::{self, Look};
use crate::layout::format::{count, thousands};
use crate::layout::hex::parse_hex;
use crate::layout::marks::PatchKind;
use crate::paint::glyph::{button, patch, provenance};
use debug_api::answer::{ChangeInfo, ChangedRecord, PlaceRef, SlotAnswer};

/// The section of the drawer. `link` remembers a place and gives its number.
pub fn section(
    slot: &SlotAnswer,
    change: &ChangeInfo,
    mut link: impl FnMut(&PlaceRef) -> String,
) -> El {
    let here = &slot.place;
    let now = change.after.iter().find(|record| is_at(&record.place, here));
    // An inserted slot stands for no single record: only what became of a record is compared.
    let twin = match now {
        Some(now) if !now.inserted => {
            change.before.iter().find(|record| record.place.neff_ip == now.place.neff_ip)
        }
        Some(_) => None,
        None => change.before.iter().find(|record| record.place.neff_ip == here.neff_ip),
    };
    let bytes = |record: Option<&ChangedRecord>| {
        record.and_then(|record| parse_hex(&record.hex)).unwrap_or_default()
    };
    let (old, new) = (bytes(twin), bytes(now));
    let both = twin.is_some() && now.is_some();
    let rewrite = change.kind == "REWRITE";
    let noun = if change.kind == "DELETE" { "record" } else { "slot" };
    let title = if rewrite {
        "Rewritten in place".to_owned()
    } else {
        format!("{} of {}", change.kind, count(u64::from(change.count), noun))
    };
    let cap = el("h3")
        .class("cap")
        .child(span("chg", "").children(kind(&change.kind).map(patch)).and_text(&title));
    let side = match change.index {
        Some(index) => format!("row {} · {}", thousands(u64::from(index)), change.section),
        None => change.section.clone(),
    };
    let cap =
        cap.child(span("row", "").child(span("t3", &side)).child(provenance(change.provenance)));
    let mut made = el("section").class("fs chgs").attr("aria-label", &title).child(cap);

    let before = records(&change.before, change.before_total, "record", here, &mut link);
    let none = match change.kind.as_str() {
        "INSERT" => "No record: the runtime makes these slots.",
        _ => "The record is not in the file.",
    };
    made = made.child(side_title("Before, in the NEFF", change.before_total, "record"));
    made = if change.before.is_empty() {
        made.child(el("p").class("t3").text(none))
    } else {
        made.children(before)
    };
    if twin.is_some() {
        made = made.child(dump(&old, both.then_some(&new[..]), "before"));
    }
    let after = records(&change.after, change.after_total, "slot", here, &mut link);
    made = made.child(side_title("After, in the image", change.after_total, "slot"));
    made = if change.after.is_empty() {
        made.child(el("p").class("t3").text("No slot: the record is left out."))
    } else {
        made.children(after)
    };
    if now.is_some() {
        made = made.child(dump(&new, both.then_some(&old[..]), "after"));
    }
    if both {
        made = made.child(el("p").class("t2 chgw").text(&bytediff::words(&old, &new)));
    }
    made
}

fn kind(name: &str) -> Option<PatchKind> {
    match name {
        "INSERT" => Some(PatchKind::Insert),
        "DELETE" => Some(PatchKind::Delete),
        "MODIFY" | "REWRITE" => Some(PatchKind::Modify),
        _ => None,
    }
}

fn is_at(place: &PlaceRef, here: &PlaceRef) -> bool {
    match here.image_slot {
        Some(slot) => place.image_slot == Some(slot),
        None => place.image_slot.is_none() && place.neff_ip == here.neff_ip,
    }
}

fn side_title(text: &str, total: u32, noun: &str) -> El {
    el("h4").class("chgh").and_text(text).child(span("t3", &count(u64::from(total), noun)))
}

/// Records as links, with what is left out of a long list.
fn records(
    list: &[ChangedRecord],
    total: u32,
    noun: &str,
    here: &PlaceRef,
    link: &mut impl FnMut(&PlaceRef) -> String,
) -> Vec<El> {
    let mut rows: Vec<El> = Vec::new();
    for record in list {
        let place = &record.place;
        let number = match (noun, place.image_slot, place.neff_ip) {
            ("slot", Some(slot), _) => slot.to_string(),
            (_, _, Some(ip)) => format!("IP {ip}"),
            _ => String::new(),
        };
        let on = is_at(place, here);
        let words = match &record.step {
            Some(step) => format!("{} · {step}", record.text),
            None => record.text.clone(),
        };
        let row = button(if on { "dep on" } else { "dep" })
            .attr("data-place", &link(place))
            .attr("data-k", &format!("c{noun}-{number}").replace(' ', ""))
            .attr("title", &words)
            .child(span("mono t3 num", &number))
            .child(span("mono tx", &record.text))
            .child(provenance(record.provenance));
        rows.push(if on { row.attr("aria-current", "true") } else { row });
    }
    let more = total.saturating_sub(u32::try_from(list.len()).unwrap_or(u32::MAX));
    if more > 0 {
        let text = format!("and {} around these", count(u64::from(more), noun));
        rows.push(div("t3").text(&text));
    }
    rows
}

/// The 64 bytes in lines of 16; bytes that differ are set apart by weight, ground and underline.
pub fn dump(own: &[u8], other: Option<&[u8]>, side: &str) -> El {
    let mut dump = div("rawhex cmp").attr("role", "img");
    let words =
        other.map_or_else(String::new, |other| format!(", {}", bytediff::words(own, other)));
    dump = dump.attr("aria-label", &format!("Bytes {side}{words}"));
    for line in bytediff::lines(own, other, 16) {
        dump = dump.child(el("i").text(&format!("{:02x} ", line.offset)));
        for (look, text) in line.runs {
            dump = match look {
                Look::Zero => dump.child(span("z", &text)),
                Look::Plain => dump.and_text(&text),
                Look::Changed => dump.child(el("u").text(&text)),
            };
        }
        dump = dump.and_text("\n");
    }
    dump
}
