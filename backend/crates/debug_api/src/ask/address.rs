//! Answers `address`: what a device address is.

use super::memory::{generation as named_generation, models};
use super::memory_model::{OwnedModel, whole_file};
use super::memory_places::Planned;
use super::view::View;
use crate::answer::{
    AddressAnswer, AddressCell, AddressImage, AddressMapAnswer, AddressMemory, AddressRegion,
    AddressVariable, MapRegion, SCHEMA,
};
use crate::convert::{hex, number, provenance};
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::request::Scope;
use crate::scope;
use device_image::Generation;
use device_image::address_map::{AddressMap, Region, RegionKind};
use device_image::memory::LoadRequest;
use device_image::memory::load::load;
use device_image::scratchpad::Mode;
use device_image::scratchpad::arena::DEFAULT_PAGE_BYTES;
use device_image::sync_events::{Window, cell_of, reserved_name};
use records::Engine;
use records::sync_mode::UpdateKind;
use std::sync::Arc;

/// What an address is on a generation of chips, and in the file's own images and variables. A
/// session without an executable needs the generation.
///
/// # Errors
/// `request.invalid` for an address or generation that is none; else as a scope.
pub fn address(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    text: &str,
    generation: Option<&str>,
) -> Result<AddressAnswer, ApiError> {
    let address = number("address", text)?;
    let asked = generation.map(named_generation).transpose()?;
    let has_file = files.iter().any(|file| file.as_neff().is_some());
    let view = match asked {
        Some(_) if !has_file => None,
        _ => Some(View::of(files, scope)?),
    };
    let own = view.as_ref().map(|view| view.file.program(view.index).subgraph.generation);
    let generation = asked.or(own).unwrap_or(Generation::Cayman);
    let map = AddressMap::new(generation);
    let place = map.lookup(address);
    let (mut image_there, mut variable, mut memory) = (None, None, Vec::new());
    if let Some(view) = &view {
        (variable, memory) = planned(files, scope, view, generation, address)?;
        // Images are those of the file's own chip.
        if own == Some(generation) {
            image_there = image(view, address);
        }
    }
    Ok(AddressAnswer {
        schema: SCHEMA,
        address: hex(address),
        generation: generation.name().to_owned(),
        regions: place.iter().flat_map(|place| &place.regions).map(|one| region(one)).collect(),
        offset: place.as_ref().map(|place| place.offset),
        reason: place
            .is_none()
            .then(|| format!("no region of {} is known at {}", generation.name(), hex(address))),
        cells: place.as_ref().map(|place| cells(generation, place)).unwrap_or_default(),
        detail: place.and_then(|place| named(place)),
        image: image_there,
        variable,
        memory,
    })
}

/// What is there, with the runtime's name of an event or semaphore.
fn named(place: device_image::address_map::Place<'_>) -> Option<String> {
    let detail = place.detail?;
    // The reserved ids are those of a core; a TOP_SP has events and semaphores of its own.
    let of_core = |region: &Region| region.kind == RegionKind::Events && region.core.is_some();
    let events = place.regions.last().is_some_and(|region| of_core(region));
    // Behind the cells of events, up to the windows of semaphores, no id has a name.
    let events = events && Window::of(place.offset).is_some();
    let id = u8::try_from(place.offset % 0x400 / 4).ok().filter(|_| events);
    Some(match id.and_then(|id| reserved_name(place.offset < 0x400, id)) {
        Some(name) => format!("{detail}, {name}"),
        None => detail,
    })
}

/// The cells that rings copy to an event, or to the window of a semaphore that adds.
fn cells(generation: Generation, place: &device_image::address_map::Place<'_>) -> Vec<AddressCell> {
    let events = place.regions.last().is_some_and(|region| region.kind == RegionKind::Events);
    let updates: &[(UpdateKind, &str)] = match Window::of(place.offset).filter(|_| events) {
        Some(Window::Event) => &[(UpdateKind::EventSet, "set"), (UpdateKind::EventClear, "clear")],
        Some(Window::Increment) => &[(UpdateKind::Increment, "add 1")],
        _ => &[],
    };
    let cells = updates.iter().filter_map(|(update, does)| {
        let (address, sure) = cell_of(generation, *update)?;
        let provenance = provenance(sure);
        Some(AddressCell { does: (*does).to_owned(), address: hex(address), provenance })
    });
    cells.collect()
}

/// All regions of a generation.
///
/// # Errors
/// `memory.generation`; else as a scope.
pub fn map(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    generation: Option<&str>,
) -> Result<AddressMapAnswer, ApiError> {
    let asked = generation.map(named_generation).transpose()?;
    let generation = match asked {
        Some(generation) => generation,
        None if files.iter().any(|file| file.as_neff().is_some()) => {
            let file = scope::neff(files, scope.f)?;
            let (index, _) = scope::subgraph(file, scope)?;
            file.program(index).subgraph.generation
        }
        None => Generation::Cayman,
    };
    let map = AddressMap::new(generation);
    let mut ends: Vec<u64> = Vec::new();
    let regions = map.regions().iter().map(|one| {
        while ends.last().is_some_and(|end| *end <= one.start) {
            ends.pop();
        }
        let depth = u32::try_from(ends.len()).unwrap_or(u32::MAX);
        ends.push(one.start.saturating_add(one.bytes));
        MapRegion { depth, region: region(one) }
    });
    Ok(AddressMapAnswer {
        schema: SCHEMA,
        generation: generation.name().to_owned(),
        regions: regions.collect(),
    })
}

fn region(region: &Region) -> AddressRegion {
    AddressRegion {
        name: region.name.clone(),
        kind: region.kind.name().to_owned(),
        start: hex(region.start),
        bytes: region.bytes,
        core: region.core,
        engine: region.engine.map(|engine| engine.name().to_owned()),
        index: region.index,
        provenance: provenance(region.provenance),
    }
}

fn image(view: &View<'_>, address: u64) -> Option<AddressImage> {
    Engine::ALL.into_iter().find_map(|engine| {
        let (base, origin) = view.base(engine);
        let offset = address.checked_sub(base.get())?;
        let bytes = view.images.engine(engine).image.bytes().len() as u64;
        (offset < bytes).then(|| AddressImage {
            subgraph: view.subgraph.to_owned(),
            engine: engine.name().to_owned(),
            image_offset: offset,
            provenance: origin,
        })
    })
}

/// What our model of loading has at an address, of all executables together, beside the variable
/// there. The scratchpad is paged, with pages of the default size.
fn planned(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    view: &View<'_>,
    generation: Generation,
    address: u64,
) -> Result<(Option<AddressVariable>, Vec<AddressMemory>), ApiError> {
    let whole = whole_file(scope, view.index);
    let (_, models) = models(files, &whole, Some(generation))?;
    let plain: Vec<_> = models.iter().map(OwnedModel::model).collect();
    let request = LoadRequest {
        generation,
        mode: Mode::Paged,
        page_size: DEFAULT_PAGE_BYTES,
        hbm_bytes: None,
        cores: 2,
    };
    let load = load(&plain, &request, true).map_err(|error| super::scratchpad::refused(&error))?;
    let planned = Planned { models: &models, load: &load, generation };
    let variable = planned.variable(address);
    let memory = planned.memory(address, variable.as_ref());
    let set_up = planned.set_up(address, (scope.f.unwrap_or(0), view.subgraph));
    Ok((variable, memory.into_iter().chain(set_up).collect()))
}
