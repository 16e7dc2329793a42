//! What a tooltip and a screen reader say about a slot of a strip.

use crate::dom::{El, el, span};
use crate::layout::format::{count, thousands};
use crate::layout::ips;
use crate::layout::marks::Mark;
use crate::layout::place;
use crate::layout::strips::{Hit, Scene, TrackKind};
use crate::paint::glyph::{address, engine, patch};
use debug_api::answer::{EngineRegions, RegionRun};

/// Region of a slot.
fn run(of: &EngineRegions, slot: u64) -> Option<&RegionRun> {
    of.runs.get(place::run_of_slot(of, slot)?)
}

/// A slot in words: `slot 64, MAIN, IP 4, PC 0x...`.
pub fn words(of: &EngineRegions, slot: u64) -> String {
    let mut words = format!("slot {}", thousands(slot));
    if let Some(run) = run(of, slot) {
        words.push_str(&format!(", {}", run.region));
    }
    match ips::ip_at(of, slot) {
        Some(at) if at.inserted => words.push_str(&format!(", inserted for IP {}", at.ip)),
        Some(at) => words.push_str(&format!(", IP {}", at.ip)),
        None => words.push_str(", made by the runtime"),
    }
    if let Some(pc) = ips::pc_of(of, slot) {
        words.push_str(&format!(", PC {pc}"));
    }
    words
}

/// The lines of the tooltip; `None` where there is no slot.
pub fn lines(of: &EngineRegions, hit: Hit, scene: &Scene) -> Option<Vec<El>> {
    let slot = hit.slot?;
    let mut lines = match hit.kind {
        TrackKind::Image => image(of, slot),
        TrackKind::Neff => record(of, slot)?,
    };
    if scene.merged() {
        let width = count((1.0 / scene.scale).ceil() as u64, "slot");
        lines.push(
            el("div").class("t3").text(&format!("one pixel is {width}; zoom in to see each")),
        );
    }
    Some(lines)
}

/// What a patch marker stands for.
pub fn of_mark(of: &EngineRegions, mark: &Mark) -> Vec<El> {
    let Some(first) = of.patches.get(mark.patch) else { return Vec::new() };
    let noun = if first.kind == "DELETE" { "record" } else { "slot" };
    let slots = count(mark.count, noun);
    let head = el("div").child(patch(mark.kind)).and_text(" ").child(engine(&of.engine));
    let (head, more) = if mark.rows > 1 {
        let rows = format!(" {} {}, {slots}", thousands(mark.rows), first.kind);
        (head.and_text(&rows), "click for the first of them; zoom in to tell them apart")
    } else {
        let at = match first.ip {
            Some(ip) => format!(" at slot {}, IP {ip}", thousands(first.slot)),
            None => format!(" at slot {}", thousands(first.slot)),
        };
        let text = format!(" {} of {slots} in {}{at}", first.kind, first.section);
        (head.and_text(&text), "click for before and after")
    };
    vec![head, el("div").class("t3").text(more)]
}

fn image(of: &EngineRegions, slot: u64) -> Vec<El> {
    let at = ips::ip_at(of, slot);
    let region = run(of, slot).map_or("", |run| run.region.as_str());
    let function = run(of, slot).and_then(|run| run.function.as_deref()).unwrap_or_default();
    let ip = match at {
        Some(at) if at.inserted => format!(" · inserted for IP {}", thousands(u64::from(at.ip))),
        Some(at) => format!(" · IP {}", thousands(u64::from(at.ip))),
        None => " · no NEFF IP: the runtime makes this slot".to_owned(),
    };
    let mut first = el("div")
        .child(engine(&of.engine))
        .and_text(&format!(" {region} slot {}", thousands(slot)))
        .and_text(&ip);
    if !function.is_empty() {
        first = first.child(span("t3", &format!(" {function}")));
    }
    let mut lines = vec![first];
    if let Some(pc) = ips::pc_of(of, slot) {
        let offset = format!("{:#x}", slot.saturating_mul(64));
        lines.push(
            el("div")
                .class("t3")
                .and_text("PC ")
                .child(address(&pc))
                .and_text(" · image offset ")
                .child(address(&offset)),
        );
    }
    lines
}

fn record(of: &EngineRegions, record: u64) -> Option<Vec<El>> {
    let ip = u32::try_from(record.checked_add(1)?).ok()?;
    let place = if ips::is_deleted(of, ip) {
        "deleted: it has no image slot".to_owned()
    } else {
        match ips::slot_of(of, ip) {
            Some(slot) => format!("image slot {}", thousands(slot)),
            None => "in no region".to_owned(),
        }
    };
    let first = el("div").child(engine(&of.engine)).and_text(&format!(
        " IP {} · stream slot {}",
        thousands(u64::from(ip)),
        thousands(record)
    ));
    Some(vec![first, el("div").class("t3").text(&place)])
}
