//! Answers `pc` and `ip`.

use super::view::{View, in_other_subgraph};
use crate::answer::{
    ExactIp, Finding, IpAnswer, PcAnswer, PlaceRef, Provenance, RuntimeReading, SCHEMA, SourceItem,
    StepInfo,
};
use crate::convert::{hex, number, provenance};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::request::Scope;
use device_image::{IpPlace, PcPlace};
use records::{DevicePc, Engine, NeffIp, SlotIndex};
use std::sync::Arc;

/// What is at a device PC.
pub fn pc(files: &[Arc<OpenFile>], scope: &Scope, text: &str) -> Result<PcAnswer, ApiError> {
    let view = View::of(files, scope)?;
    let pc = number("device PC", text)?;
    let built = view.image();
    let (base, base_provenance) = view.base(view.engine);
    let found = built.map.locate(view.base_pc(), DevicePc(pc));
    let mut answer = PcAnswer {
        schema: SCHEMA,
        subgraph: view.subgraph.to_owned(),
        engine: view.engine.name().to_owned(),
        device_pc: hex(pc),
        base: hex(base.get()),
        base_provenance,
        profile: view.images.profile.clone(),
        image_offset: None,
        image_slot: None,
        region: None,
        region_provenance: None,
        exact: found.exact.map(|exact| ExactIp {
            neff_ip: exact.neff_ip.get(),
            slot: exact.slot.get(),
            inserted: exact.inserted,
        }),
        runtime: match found.runtime {
            Ok(ip) => RuntimeReading::Ip { neff_ip: ip.neff_ip, literal: ip.literal },
            Err(error) => RuntimeReading::Error { error: error.to_string() },
        },
        agrees: found.agrees,
        step: None,
        source: Vec::new(),
        text: None,
        place: None,
        reason: None,
        provenance: provenance(records::Provenance::Observed.max(built.image.provenance)),
        diagnostics: view.findings(Some(view.engine)),
    };
    match found.place {
        _ if built.is_missing() => {
            answer.reason = Some(not_built(&answer.diagnostics));
            return Ok(answer);
        }
        PcPlace::Before(bytes) => {
            answer.reason = Some(format!("the PC is {bytes} bytes below the image's base"));
        }
        PcPlace::After(bytes) => {
            let length = built.image.bytes().len();
            answer.reason = Some(format!(
                "the PC is {bytes} bytes past the image's end; it has {length} bytes"
            ));
        }
        PcPlace::Inside { offset, slot, unaligned_by, .. } => {
            answer.image_offset = Some(offset.get());
            answer.image_slot = Some(u64::from(slot.get()));
            answer.region = built.run_at(slot.get()).map(|run| run.region.to_owned());
            // A capture names no region.
            answer.region_provenance = answer
                .region
                .as_ref()
                .map(|_| if built.captured { Provenance::Inferred } else { answer.provenance });
            answer.text = built.image.slots.get(slot.get() as usize).map(kbin::disasm::text);
            answer.place = Some(view.place_of_slot(view.engine, slot.get()));
            answer.step = step(&view, slot);
            if let Some(exact) = &answer.exact {
                answer.source = sources(&view, exact.slot);
            } else {
                let region = answer.region.as_deref().unwrap_or("this region");
                answer.reason = Some(format!(
                    "{region} is made by the runtime, so no NEFF record stands behind it"
                ));
            }
            if unaligned_by > 0 {
                let note = format!(
                    "the PC is {unaligned_by} bytes into the slot; it is read as the slot's start"
                );
                answer.reason = Some(match answer.reason.take() {
                    Some(reason) => format!("{reason}; {note}"),
                    None => note,
                });
            }
        }
    }
    if answer.image_offset.is_none() {
        match in_another_image(files, scope, &view, pc) {
            Some(place) => stands_elsewhere(&view, place, &mut answer),
            None if in_unplaced(&view, pc, &mut answer) => {}
            None => bootstrap(&view, &mut answer),
        }
    }
    Ok(answer)
}

/// Why there is no image: its worst finding, in words.
pub fn not_built(findings: &[Finding]) -> String {
    let why = findings.iter().find(|finding| finding.severity == "error");
    match why {
        Some(finding) => format!("no image of this engine could be built: {}", finding.message),
        None => "no image of this engine could be built".to_owned(),
    }
}

/// A PC that the image of another engine or of another subgraph holds.
fn in_another_image(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    view: &View<'_>,
    pc: u64,
) -> Option<PlaceRef> {
    let mut others = Engine::ALL.into_iter().filter(|engine| *engine != view.engine);
    let own =
        others.find_map(|engine| Some(view.place_of_slot(engine, view.slot_of_pc(engine, pc)?)));
    own.or_else(|| in_other_subgraph(files, scope, view.index, None, pc))
}

/// Says that the engine or the subgraph is the wrong one.
fn stands_elsewhere(view: &View<'_>, place: PlaceRef, answer: &mut PcAnswer) {
    let of = if place.s == view.subgraph { String::new() } else { format!(" of {}", place.s) };
    answer.reason = Some(format!(
        "{}; it lies in the image of {}{of}, slot {}",
        answer.reason.take().unwrap_or_default(),
        place.e,
        place.image_slot.unwrap_or_default()
    ));
    answer.place = Some(place);
}

/// A PC inside a captured image that does not account for this program, and so is not shown: its
/// record can be read, where it comes from cannot.
fn in_unplaced(view: &View<'_>, pc: u64, answer: &mut PcAnswer) -> bool {
    let Some(pair) = view.pair.as_deref() else { return false };
    let found = pair.unplaced.iter().find_map(|image| {
        let slot = pc.checked_sub(image.base)? / records::SLOT_BYTES as u64;
        Some((image, slot, image.slots.get(usize::try_from(slot).ok()?)?))
    });
    let Some((image, slot, record)) = found else { return false };
    answer.text = Some(kbin::disasm::text(record));
    answer.reason = Some(format!(
        "{}; it lies in the image of {} that {} holds at {}, slot {slot}; that image does not \
         account for this program, so that no NEFF record can be named",
        answer.reason.take().unwrap_or_default(),
        image.engine,
        pair.file,
        hex(image.base)
    ));
    true
}

/// PCs outside a captured image belong to the bootstrap program of the runtime, which no file
/// holds. The oldest runtime seen has none.
/// Spec: docs/format/image.md "Bootstrap program" [observed].
fn bootstrap(view: &View<'_>, answer: &mut PcAnswer) {
    let Some(pair) = view.pair.as_deref() else { return };
    let outside = answer.reason.take().unwrap_or_default();
    if pair.runtime.starts_with("2.23.") {
        answer.reason = Some(format!(
            "{outside}; captures of runtime {} show no instruction outside the image",
            pair.runtime
        ));
        return;
    }
    answer.region = Some("BOOTSTRAP".to_owned());
    answer.region_provenance = Some(Provenance::Inferred);
    answer.provenance = answer.provenance.max(Provenance::Inferred);
    answer.reason = Some(format!(
        "{outside}; in captures, PCs outside the images belong to the bootstrap program that the \
         runtime puts beside them; no file holds its bytes"
    ));
}

/// Where a NEFF IP went.
pub fn ip(files: &[Arc<OpenFile>], scope: &Scope, ip: u32) -> Result<IpAnswer, ApiError> {
    let view = View::of(files, scope)?;
    let built = view.image();
    let (base, base_provenance) = view.base(view.engine);
    let stream = view.stream(view.engine);
    let index = NeffIp(ip).slot().filter(|slot| (slot.get() as usize) < stream.len());
    let Some(index) = index else {
        return Err(no_such_ip(view.engine, view.subgraph, ip, stream.len()));
    };
    let record = stream.get(index.get() as usize);
    let (slots, deleted_at) = match built.map.image_slots(NeffIp(ip)) {
        IpPlace::Slots(slots) => (slots.collect::<Vec<u32>>(), None),
        IpPlace::Deleted(slot) => (Vec::new(), Some(slot.byte_offset())),
        IpPlace::Outside => (Vec::new(), None),
    };
    let pc = |slot: &u32| hex(base.get().wrapping_add(u64::from(*slot) * 64));
    Ok(IpAnswer {
        schema: SCHEMA,
        subgraph: view.subgraph.to_owned(),
        engine: view.engine.name().to_owned(),
        neff_ip: ip,
        slot: index.get(),
        deleted: slots.is_empty(),
        deleted_at,
        device_pcs: slots.iter().map(pc).collect(),
        image_slots: slots.into_iter().map(u64::from).collect(),
        base: hex(base.get()),
        base_provenance,
        profile: view.images.profile.clone(),
        text: record.map(kbin::disasm::text).unwrap_or_default(),
        source: sources(&view, index.get()),
        place: view.place_of_ip(view.engine, ip),
        provenance: provenance(records::Provenance::Observed.max(built.image.provenance)),
        diagnostics: view.findings(Some(view.engine)),
    })
}

/// The error for an IP past the stream.
pub fn no_such_ip(engine: Engine, subgraph: &str, ip: u32, records: usize) -> ApiError {
    let range = match records {
        0 => "has no records and so no NEFF IP".to_owned(),
        _ => format!("has {records} records, so its NEFF IPs are 1 to {records}"),
    };
    let message = format!("{engine} of {subgraph} {range}; {ip} is none");
    ApiError::new(ErrorKind::NotFound, "ip.outside", message)
}

/// Debug records of a stream slot.
pub fn sources(view: &View<'_>, slot: u32) -> Vec<SourceItem> {
    view.file.sources(view.index).items(view.engine, slot)
}

/// The profile step that made an image slot.
pub fn step(view: &View<'_>, slot: SlotIndex) -> Option<StepInfo> {
    let image = &view.image().image;
    image.step_of(slot).map(|step| StepInfo {
        id: step.id.clone(),
        title: step.title.clone(),
        text: step.text.clone(),
        // That a captured record is of a step is concluded from its place and bytes.
        provenance: match view.image().captured {
            true => provenance(step.provenance.max(records::Provenance::Inferred)),
            false => provenance(step.provenance),
        },
    })
}

/// File for slots whose bytes are the NEFF's, else what the image says.
pub fn slot_provenance(view: &View<'_>, slot: u32) -> Provenance {
    let info = view.image().image.info.get(slot as usize);
    info.map_or(Provenance::File, |info| provenance(info.provenance))
}
