//! Where one variable is in device memory, by our model of loading.

use super::memory_model::{model_of, whole_file};
use super::memory_verdict::{UNALIGNED, UNALIGNED_TEXT, unaligned_finding, unaligned_why};
use super::memory_view::place;
use crate::answer::{At, Finding, GateInfo, PlacedVariable};
use crate::file::OpenFile;
use crate::request::Scope;
use crate::scope;
use device_image::memory::LoadRequest;
use device_image::memory::load::{is_unaligned, load};
use device_image::scratchpad::Mode;
use device_image::scratchpad::arena::DEFAULT_PAGE_BYTES;
use std::sync::Arc;

/// A place, and the address that a loader refuses.
pub struct Placement {
    /// The place.
    pub place: PlacedVariable,
    refused: Option<u64>,
}

impl Placement {
    /// What a loader says about the address, and the finding about it.
    pub fn refusal(&self, at: At) -> Option<(GateInfo, Finding)> {
        let name: String = self.place.name.chars().take(64).collect();
        let why = unaligned_why(&name, self.refused?);
        let (text, code) = (UNALIGNED_TEXT.to_owned(), UNALIGNED.to_owned());
        Some((GateInfo { text, stops: true, code }, unaligned_finding(&why, at)))
    }
}

/// The place of a variable of a subgraph, when the file is loaded alone with the default pages.
/// `None` if it cannot be loaded, or if the variable has no place.
pub fn placed(files: &[Arc<OpenFile>], scope: &Scope, index: usize, id: u32) -> Option<Placement> {
    let file = scope::neff(files, scope.f).ok()?;
    let whole = whole_file(scope, index);
    let owned = model_of(files, scope.f.unwrap_or(0), file, &whole, None).ok()?;
    let request = LoadRequest {
        generation: file.program(index).subgraph.generation,
        mode: Mode::Paged,
        page_size: DEFAULT_PAGE_BYTES,
        hbm_bytes: None,
        cores: 2,
    };
    let made = load(&[owned.model()], &request, true).ok()?;
    let list = made.placed.first()?.get(index)?;
    let one = list.iter().find(|one| one.id == id)?;
    let variable = owned.variables.get(index)?.get(id)?;
    let refused = is_unaligned(variable, one).then_some(one.address);
    Some(Placement { place: place(&owned, index, one)?, refused })
}
