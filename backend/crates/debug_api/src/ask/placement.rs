//! Where one variable is in device memory, by our model of loading.

use super::memory_model::model_of;
use super::memory_view::place;
use crate::answer::PlacedVariable;
use crate::file::OpenFile;
use crate::request::Scope;
use crate::scope;
use device_image::memory::LoadRequest;
use device_image::memory::load::load;
use device_image::scratchpad::Mode;
use device_image::scratchpad::arena::DEFAULT_PAGE_BYTES;
use std::sync::Arc;

/// The place of a variable of a subgraph, when the file is loaded alone with the default pages.
/// `None` if it cannot be loaded, or if the variable has no place.
pub fn placed(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    index: usize,
    id: u32,
) -> Option<PlacedVariable> {
    let file = scope::neff(files, scope.f).ok()?;
    let whole = Scope { s: None, ..scope.clone() };
    let owned = model_of(files, scope.f.unwrap_or(0), file, &whole).ok()?;
    let request = LoadRequest {
        generation: file.program(index).subgraph.generation,
        mode: Mode::Paged,
        page_size: DEFAULT_PAGE_BYTES,
        hbm_bytes: None,
        cores: 2,
    };
    let made = load(&[owned.model()], &request, true).ok()?;
    let list = made.placed.first()?.get(index)?;
    place(&owned, index, list.iter().find(|one| one.id == id)?)
}
