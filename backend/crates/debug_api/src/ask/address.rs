//! Answers `address`: what a device address is.

use super::memory::generation as named_generation;
use super::memory_model::model_of;
use super::view::View;
use crate::answer::{
    AddressAnswer, AddressImage, AddressRegion, AddressVariable, Provenance, SCHEMA,
};
use crate::convert::{hex, number, provenance};
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::request::Scope;
use crate::scope;
use device_image::Generation;
use device_image::address_map::AddressMap;
use device_image::memory::load::load;
use device_image::memory::{LoadRequest, Place};
use device_image::scratchpad::Mode;
use device_image::scratchpad::arena::DEFAULT_PAGE_BYTES;
use records::Engine;
use records::memory::NOT_STAGED;
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
    let (image, variable) = match &view {
        Some(view) => (image(view, address), variable(files, scope, view, generation, address)?),
        None => (None, None),
    };
    Ok(AddressAnswer {
        schema: SCHEMA,
        address: hex(address),
        generation: generation.name().to_owned(),
        regions: place.iter().flat_map(|place| &place.regions).map(|one| region(one)).collect(),
        offset: place.as_ref().map(|place| place.offset),
        detail: place.and_then(|place| place.detail),
        image,
        variable,
    })
}

fn region(region: &device_image::address_map::Region) -> AddressRegion {
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

/// The variable that our model of loading puts at an address.
fn variable(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    view: &View<'_>,
    generation: Generation,
    address: u64,
) -> Result<Option<AddressVariable>, ApiError> {
    let index = scope.f.unwrap_or(0);
    let whole = Scope { s: None, ..scope.clone() };
    let Some(loaded) = scope::neff(files, scope.f).ok().map(|file| {
        let owned = model_of(files, index, file, &whole)?;
        let request = LoadRequest {
            generation,
            mode: Mode::Paged,
            page_size: DEFAULT_PAGE_BYTES,
            hbm_bytes: None,
        };
        let made = load(&[owned.model()], &request, true);
        made.map(|made| (owned, made)).map_err(|error| super::scratchpad::refused(&error))
    }) else {
        return Ok(None);
    };
    let (owned, made) = loaded?;
    let Some(variables) = owned.variables.get(view.index) else { return Ok(None) };
    let placed = made.placed.first().and_then(|model| model.get(view.index));
    let holds = |one: &&device_image::memory::Placed| {
        let size = variables.get(one.id).map_or(0, |variable| variable.size);
        let offset = address.checked_sub(one.address);
        one.address != NOT_STAGED
            && one.place != Place::StateBuffer
            && offset.is_some_and(|offset| offset < size)
    };
    let found = placed.and_then(|list| list.iter().find(holds));
    Ok(found.and_then(|one| {
        let variable = variables.get(one.id)?;
        Some(AddressVariable {
            subgraph: view.subgraph.to_owned(),
            id: one.id,
            name: variable.name.clone(),
            offset: address.checked_sub(one.address)?,
            provenance: Provenance::Modelled,
        })
    }))
}
