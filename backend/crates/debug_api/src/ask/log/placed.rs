//! From the answers about places to the places of a log.

use crate::answer::{IpAnswer, LogPlace, PcAnswer, Provenance};

/// A message as a sentence.
pub(super) fn sentence(message: &str) -> String {
    format!("{}.", message.trim_end_matches('.'))
}

/// The place of a PC; `from` is where its base comes from, if not from the image.
pub(super) fn from_pc(answer: PcAnswer, from: Option<Provenance>) -> LogPlace {
    let from = from.unwrap_or(answer.base_provenance);
    LogPlace {
        subgraph: answer.subgraph,
        engine: answer.engine,
        device_pc: Some(answer.device_pc),
        base: answer.base,
        base_provenance: from,
        profile: answer.profile,
        image_offset: answer.image_offset,
        image_slot: answer.image_slot,
        region: answer.region,
        neff_ip: answer.exact.map(|exact| exact.neff_ip),
        slot: answer.exact.map(|exact| exact.slot),
        exact: answer.exact,
        runtime: Some(answer.runtime),
        agrees: Some(answer.agrees),
        text: answer.text,
        source: answer.source,
        place: answer.place,
        reason: answer.reason,
        provenance: weaker(answer.provenance, from),
        ..LogPlace::default()
    }
}

/// The place of an IP.
pub(super) fn from_ip(answer: IpAnswer, from: Option<Provenance>) -> LogPlace {
    let from = from.unwrap_or(answer.base_provenance);
    LogPlace {
        subgraph: answer.subgraph,
        engine: answer.engine,
        device_pc: answer.device_pcs.first().cloned(),
        base: answer.base,
        base_provenance: from,
        profile: answer.profile,
        image_offset: answer.image_slots.first().map(|slot| slot * 64),
        image_slot: answer.image_slots.first().copied(),
        region: answer.place.region.clone(),
        neff_ip: Some(answer.neff_ip),
        slot: Some(answer.slot),
        image_slots: answer.image_slots,
        device_pcs: answer.device_pcs,
        deleted: answer.deleted,
        text: Some(answer.text),
        source: answer.source,
        place: Some(answer.place),
        provenance: answer.provenance,
        ..LogPlace::default()
    }
}

/// The weaker of two words; what the text or the user says takes nothing away.
pub(super) fn weaker(one: Provenance, other: Provenance) -> Provenance {
    match (one, other) {
        (_, Provenance::File | Provenance::Observed | Provenance::Configured) => one,
        (Provenance::Modelled, _) | (_, Provenance::Modelled) => Provenance::Modelled,
        (_, Provenance::Inferred) => Provenance::Inferred,
    }
}
