//! What a scoped question resolves to: file, subgraph, engine, images and base address.

use crate::answer::{At, Finding, PlaceRef, Provenance};
use crate::choice;
use crate::convert::{self, hex, number, provenance};
use crate::engines::{EngineImage, SubgraphImages};
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::names;
use crate::neff_file::NeffFile;
use crate::pair::PairImages;
use crate::request::Scope;
use crate::scope;
use device_image::IpPlace;
use device_image::placement::BASE_ALIGN;
use records::{DeviceAddr, DevicePc, Engine, NeffIp, Slot};
use std::sync::Arc;

/// A resolved scope.
pub struct View<'a> {
    /// File.
    pub file: &'a NeffFile,
    /// 0-based subgraph.
    pub index: usize,
    /// Subgraph name.
    pub subgraph: &'a str,
    /// Engine.
    pub engine: Engine,
    /// Images of the subgraph: the capture's where there is one and the built ones are not asked
    /// for.
    pub images: Arc<SubgraphImages>,
    /// Why the profile is not the one that was asked for.
    pub profile_findings: Vec<Finding>,
    /// Both sides of a capture.
    pub pair: Option<Arc<PairImages>>,
    /// Base that the user set for the engine asked about.
    base: Option<DeviceAddr>,
}

/// Most subgraphs whose images are built to look for a PC that the shown one does not hold.
const MAX_SEARCHED: usize = 16;

/// The place of a device PC in the images of another subgraph than the one with index `own`, of one
/// engine or of any. Bases are those that the images have by themselves.
pub fn in_other_subgraph(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    own: usize,
    engine: Option<Engine>,
    pc: u64,
) -> Option<PlaceRef> {
    let all = scope::neff(files, scope.f).ok()?.package().subgraphs();
    let others = all.iter().enumerate().filter(|(index, _)| *index != own);
    others.take(MAX_SEARCHED).find_map(|(_, subgraph)| {
        let s = Some(subgraph.name.clone());
        let scope = Scope { s, e: None, base: None, ..scope.clone() };
        let view = View::of(files, &scope).ok()?;
        Engine::ALL
            .into_iter()
            .filter(|one| engine.is_none_or(|engine| engine == *one))
            .find_map(|engine| Some(view.place_of_slot(engine, view.slot_of_pc(engine, pc)?)))
    })
}

/// A finding if a base that was given is none that a runtime chooses.
fn odd_base(base: u64, engine: Engine) -> Option<Finding> {
    (!base.is_multiple_of(BASE_ALIGN)).then(|| Finding {
        code: String::from("image.base"),
        severity: String::from("warning"),
        message: format!(
            "the base {} of {} is no multiple of {BASE_ALIGN:#x}, as those of all captures are",
            hex(base),
            engine.name()
        ),
        at: At { engine: Some(engine.name().to_owned()), ..At::default() },
    })
}

impl<'a> View<'a> {
    /// The image slot that holds a device PC; `None` outside of the engine's image.
    pub fn slot_of_pc(&self, engine: Engine, pc: u64) -> Option<u32> {
        let offset = pc.checked_sub(self.base(engine).0.get())?;
        let slot = u32::try_from(offset / records::SLOT_BYTES as u64).ok()?;
        let slots = self.images.engine(engine).image.slots.len();
        ((slot as usize) < slots).then_some(slot)
    }

    /// Resolves a scope and builds the images that it needs.
    pub fn of(files: &'a [Arc<OpenFile>], scope: &Scope) -> Result<Self, ApiError> {
        let file = scope::neff(files, scope.f)?;
        let (index, subgraph) = scope::subgraph(file, scope)?;
        let engine = scope::engine(scope)?;
        let base = scope.base.as_deref().map(|text| number("base", text)).transpose()?;
        let generation = file.program(index).subgraph.generation;
        let mut chosen = choice::choose(files, scope.profile.as_deref(), generation)?;
        let capture = scope::capture(files, scope, file)?;
        let pair = scope::pair(files, capture, scope, file, index, &chosen)?;
        if let (None, Some(capture)) = (&pair, capture) {
            let called = names::of_ntff(files, capture);
            chosen.findings.push(scope::no_core(&called, &subgraph.name));
        }
        let images = match &pair {
            Some(pair) if scope.modelled || !pair.is_captured() => Arc::clone(&pair.modelled),
            Some(pair) => Arc::clone(&pair.real),
            None => file.images(index, &chosen.profile, &chosen.key, scope.core)?,
        };
        let bytes = images.engine(engine).image.bytes().len() as u64;
        if base.is_some_and(|base| base.checked_add(bytes).is_none()) {
            return Err(ApiError::bad_request(format!(
                "base {} leaves no room for the image's {bytes} bytes below 2^64",
                base.map(hex).unwrap_or_default()
            )));
        }
        chosen.findings.extend(base.and_then(|base| odd_base(base, engine)));
        Ok(Self {
            file,
            index,
            subgraph: &subgraph.name,
            engine,
            images,
            profile_findings: chosen.findings,
            pair,
            base: base.map(DeviceAddr),
        })
    }

    /// Findings about the images: of the profile, of the documents, of the building. Those of other
    /// engines are left out if one is named.
    pub fn findings(&self, engine: Option<Engine>) -> Vec<Finding> {
        let mut all = self.profile_findings.clone();
        all.extend(convert::findings(self.file.program(self.index).findings.as_slice()));
        all.extend(convert::findings(self.images.findings.as_slice()));
        if let Some(engine) = engine {
            all.retain(|finding| {
                finding.at.engine.as_deref().is_none_or(|name| name == engine.name())
            });
        }
        all
    }

    /// The image of the engine asked about.
    pub fn image(&self) -> &EngineImage {
        self.images.engine(self.engine)
    }

    /// Base of an engine's image, and where it comes from.
    pub fn base(&self, engine: Engine) -> (DeviceAddr, Provenance) {
        match self.base {
            Some(base) if engine == self.engine => (base, Provenance::Configured),
            _ => {
                let image = self.images.engine(engine);
                (image.base, provenance(image.base_provenance))
            }
        }
    }

    /// Where the base of an engine's image comes from.
    pub fn base_origin(&self, engine: Engine) -> records::Provenance {
        match self.base {
            Some(_) if engine == self.engine => records::Provenance::Configured,
            _ => self.images.engine(engine).base_provenance,
        }
    }

    /// The stream of an engine.
    pub fn stream(&self, engine: Engine) -> &'a [Slot] {
        self.file.streams(self.index).get(engine.index()).copied().unwrap_or(&[])
    }

    /// The place of an image slot.
    pub fn place_of_slot(&self, engine: Engine, slot: u32) -> PlaceRef {
        let image = self.images.engine(engine);
        let offset = u64::from(slot) * 64;
        PlaceRef {
            s: self.subgraph.to_owned(),
            e: engine.name().to_owned(),
            image_slot: Some(slot),
            neff_ip: image
                .map
                .exact_at_slot(records::SlotIndex(slot))
                .map(|exact| exact.neff_ip.get()),
            region: image.run_at(slot).map(|run| run.region.to_owned()),
            image_offset: Some(offset),
            device_pc: Some(hex(self.base(engine).0.get().wrapping_add(offset))),
            row: image.rows.of_slot(slot),
        }
    }

    /// The place of a record: its first image slot, or where it was deleted.
    pub fn place_of_ip(&self, engine: Engine, ip: u32) -> PlaceRef {
        let image = self.images.engine(engine);
        match image.map.image_slots(NeffIp(ip)) {
            IpPlace::Slots(slots) => {
                PlaceRef { neff_ip: Some(ip), ..self.place_of_slot(engine, slots.start) }
            }
            IpPlace::Deleted(slot) => PlaceRef {
                s: self.subgraph.to_owned(),
                e: engine.name().to_owned(),
                neff_ip: Some(ip),
                region: image
                    .rows
                    .deleted_record(ip)
                    .and_then(|record| image.runs.get(record.run))
                    .map(|run| run.region.to_owned()),
                image_offset: Some(slot.byte_offset()),
                row: image.rows.of_deleted(ip),
                ..PlaceRef::default()
            },
            IpPlace::Outside => PlaceRef {
                s: self.subgraph.to_owned(),
                e: engine.name().to_owned(),
                neff_ip: Some(ip),
                ..PlaceRef::default()
            },
        }
    }

    /// Base and PC as the PC map takes them.
    pub fn base_pc(&self) -> DevicePc {
        DevicePc(self.base(self.engine).0.get())
    }
}
