//! Answers `image` and `regions`.

use super::diff::{agreement, capture_info};
use super::profiles;
use super::view::View;
use crate::answer::{
    Agreement, EngineRegions, ImageAnswer, InputInfo, PatchInfo, PatchMark, Range, RangesInfo,
    RegionInfo, RegionRun, RegionsAnswer, SCHEMA,
};
use crate::convert::{hex, hex_bytes, provenance};
use crate::engines::EngineImage;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::request::Scope;
use device_image::{ByteRange, Image, Inputs, Region};
use records::{Engine, PatchRow, PatchSection, PatchType};
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// One engine's image.
pub fn image(files: &[Arc<OpenFile>], scope: &Scope) -> Result<ImageAnswer, ApiError> {
    let view = View::of(files, scope)?;
    let engine = view.image();
    let image = &engine.image;
    let ranges = &image.ranges;
    let diagnostics = view.findings(Some(image.engine));
    Ok(ImageAnswer {
        schema: SCHEMA,
        subgraph: view.subgraph.to_owned(),
        engine: image.engine.name().to_owned(),
        profile: view.images.profile.clone(),
        profile_provenance: provenance(view.images.profile_provenance),
        provenance: provenance(image.provenance),
        notes: image.reasons.iter().map(|reason| reason.text.clone()).collect(),
        bytes: image.bytes().len() as u64,
        slots: image.slots.len() as u64,
        sha256: (!engine.is_missing()).then(|| hex_bytes(&Sha256::digest(image.bytes()))),
        regions: if engine.is_missing() { Vec::new() } else { regions_of(engine) },
        patches: image.rows.iter().map(|row| patch(engine, row)).collect(),
        ranges: RangesInfo {
            preamble: range(ranges.preamble),
            model_switch: range(ranges.model_switch),
            core: range(ranges.core),
            functions: range(ranges.functions),
        },
        base: hex(view.base(view.engine).0.get()),
        base_provenance: view.base(view.engine).1,
        captured: engine.captured,
        capture: view.pair.as_deref().map(capture_info),
        agreement: agreement_of(&view, view.engine),
        inputs: inputs(&view),
        diagnostics,
    })
}

/// Agreement of an engine's images, where there is a captured one.
fn agreement_of(view: &View<'_>, engine: Engine) -> Option<Agreement> {
    view.pair.as_deref()?.comparison(engine).map(agreement)
}

/// What the built image was built with.
fn inputs(view: &View<'_>) -> Vec<InputInfo> {
    let inputs = &view.images.inputs;
    let input = |name: &str, value: String, from: &str| InputInfo {
        name: name.to_owned(),
        value,
        provenance: provenance(inputs.provenance_of(from)),
    };
    let named = |name: &str, value: String| input(name, value, name);
    let mut list = vec![
        named(Inputs::CORE, inputs.core.to_string()),
        named(Inputs::REQUEST_PAGE, hex(inputs.request_page)),
        named(Inputs::DVE_TABLE, inputs.dve_table.map(hex).join(", ")),
        named(Inputs::ACT_TABLE, inputs.act_table.map(hex).join(", ")),
    ];
    for (name, rings) in &inputs.rings {
        for (side, bases) in [("read", &rings.read), ("write", &rings.write)] {
            // A side that the I/O switch fills for each inference has no bases.
            if bases.iter().any(|base| *base != 0) {
                list.push(input(&format!("{name} {side} rings"), ring_text(bases), name));
            }
        }
    }
    list
}

/// Sixteen bases: the first and the distance if there is one distance, else all.
fn ring_text(bases: &[u64; 16]) -> String {
    let [first, second, ..] = bases;
    let step = second.wrapping_sub(*first);
    let regular = bases.windows(2).all(|pair| matches!(pair, [a, b] if b.wrapping_sub(*a) == step));
    if regular {
        format!("{} + {} k, k = 0 to 15", hex(*first), hex(step))
    } else {
        bases.map(hex).join(", ")
    }
}

/// PREAMBLE whole, MODEL_SWITCH inside it, then the others as far as they exist.
fn regions_of(engine: &EngineImage) -> Vec<RegionInfo> {
    let ranges = &engine.image.ranges;
    let weakest = |code: &[u8]| {
        let runs = engine.runs.iter().filter(|run| code.contains(&run.code) && run.slots > 0);
        runs.map(|run| run.provenance).max().unwrap_or(records::Provenance::File)
    };
    let mut regions = vec![
        ("PREAMBLE", ranges.preamble, weakest(&[0, 1])),
        ("MODEL_SWITCH", ranges.model_switch, weakest(&[1])),
        ("MAIN", ranges.core, weakest(&[2])),
        ("POSTAMBLE", ranges.of(Region::Postamble), weakest(&[3])),
    ];
    if ranges.functions.size > 0 {
        regions.push(("FUNCTION", ranges.functions, weakest(&[4])));
    }
    regions
        .into_iter()
        .map(|(name, range, weakest)| RegionInfo {
            name: name.to_owned(),
            offset: range.offset,
            bytes: range.size,
            // A capture does not name regions: where they end is inferred.
            provenance: provenance(if engine.captured {
                records::Provenance::Inferred
            } else {
                weakest
            }),
        })
        .collect()
}

fn range(range: ByteRange) -> Range {
    Range { offset: range.offset, size: range.size }
}

fn patch(engine: &EngineImage, row: &PatchRow) -> PatchInfo {
    let image = &engine.image;
    PatchInfo {
        // A capture stores all offsets from the image start, and no section.
        offset: if engine.captured { image_offset(image, row) } else { u64::from(row.offset) },
        section_provenance: if engine.captured {
            crate::answer::Provenance::Inferred
        } else {
            crate::answer::Provenance::Observed
        },
        count: u64::from(row.count),
        kind: type_name(row.kind),
        section: section_name(row.section),
        image_offset: image_offset(image, row),
    }
}

/// FUNCTION rows count from the function section, all others from the image start.
fn image_offset(image: &Image, row: &PatchRow) -> u64 {
    let base =
        if row.section == PatchSection::FUNCTION { image.ranges.functions.offset } else { 0 };
    base + u64::from(row.offset)
}

fn type_name(kind: PatchType) -> String {
    kind.name().map_or_else(|| format!("type {}", kind.0), str::to_owned)
}

fn section_name(section: PatchSection) -> String {
    section.name().map_or_else(|| format!("section {}", section.0), str::to_owned)
}

/// All engines of a subgraph to scale.
pub fn regions(files: &[Arc<OpenFile>], scope: &Scope) -> Result<RegionsAnswer, ApiError> {
    let view = View::of(files, scope)?;
    let subgraphs = view.file.package().subgraphs();
    let diagnostics = view.findings(None);
    let engines: Vec<EngineRegions> =
        Engine::ALL.into_iter().map(|engine| engine_regions(&view, engine)).collect();
    Ok(RegionsAnswer {
        schema: SCHEMA,
        subgraph: view.subgraph.to_owned(),
        subgraphs: subgraphs.iter().map(|subgraph| subgraph.name.clone()).collect(),
        target: subgraphs
            .get(view.index)
            .map(|subgraph| subgraph.target.text.clone())
            .unwrap_or_default(),
        profile: view.images.profile.clone(),
        profile_provenance: provenance(view.images.profile_provenance),
        profiles: profiles::names(files),
        core: view.images.inputs.core,
        capture: view.pair.as_deref().map(capture_info),
        captured: view.images.engines.iter().any(|engine| engine.captured),
        inputs: inputs(&view),
        provenance: provenance(
            view.images
                .engines
                .iter()
                .map(|engine| engine.image.provenance)
                .max()
                .unwrap_or(records::Provenance::File),
        ),
        engines,
        diagnostics,
    })
}

fn engine_regions(view: &View<'_>, engine: Engine) -> EngineRegions {
    let built = view.images.engine(engine);
    let (base, base_provenance) = view.base(engine);
    let runs = built.runs.iter().zip(built.rows.runs()).map(|(run, rows)| RegionRun {
        region: run.region.to_owned(),
        slot: u64::from(run.slot),
        slots: u64::from(run.slots),
        ips: run.ips.map(|(first, last)| [first, last]),
        provenance: provenance(run.provenance),
        row: rows.row,
        function: run.function.clone(),
    });
    let stream = view.stream(engine);
    let slots = (0_u32..).take(built.image.slots.len());
    EngineRegions {
        engine: engine.name().to_owned(),
        neff_slots: stream.len() as u64,
        image_slots: built.image.slots.len() as u64,
        bytes: built.image.bytes().len() as u64,
        base: hex(base.get()),
        base_provenance,
        captured: built.captured,
        agreement: agreement_of(view, engine),
        rows: built.rows.total(),
        runs: runs.collect(),
        patches: marks(built),
        rewritten: slots.filter(|slot| built.rewritten(*slot, stream).is_some()).count() as u64,
        provenance: provenance(built.image.provenance),
        notes: built.image.reasons.iter().map(|reason| reason.text.clone()).collect(),
    }
}

/// The patch rows of an image with the places that they are about, in stored order.
pub(super) fn marks(built: &EngineImage) -> Vec<PatchMark> {
    let mut taken = 0;
    built
        .image
        .rows
        .iter()
        .map(|row| {
            let slot = image_offset(&built.image, row) / 64;
            // Deleted records are listed in the order of the DELETE rows that drop them.
            let deleted =
                (row.kind == PatchType::DELETE).then(|| built.rows.deleted().get(taken)).flatten();
            if row.kind == PatchType::DELETE {
                taken += row.count as usize;
            }
            let ip = deleted.map(|record| record.ip);
            let place = match ip {
                Some(ip) => built.rows.of_deleted(ip),
                None => u32::try_from(slot).ok().and_then(|slot| built.rows.of_slot(slot)),
            };
            PatchMark {
                kind: type_name(row.kind),
                section: section_name(row.section),
                slot,
                count: u64::from(row.count),
                row: place.unwrap_or(0),
                ip,
            }
        })
        .collect()
}
