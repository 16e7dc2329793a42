//! Sums of a plan, what of it exceeds 2^64 and where, and what would make it fit, in words.

use super::memory_model::{OwnedModel, sum_finding};
use super::memory_verdict::place_of;
use crate::answer::{Finding, MemoryCategory, MemoryPageCap, MemoryRemedy, MemorySubgraph};
use crate::convert::{at, bytes_unit};
use crate::file::OpenFile;
use device_image::memory::plan::Plan;
use device_image::memory::{Beyond, Kind, PageCap, Remedy, Total, Variable};
use device_image::scratchpad::Mode;
use device_image::scratchpad::arena::MAX_PAGES;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Sums that exceed 2^64 of which is told.
const EXCEEDING: usize = 16;

/// Findings about what exceeds 2^64, with its place: variables that end beyond it, slices that do
/// together, and sums, at the variable that makes them do so.
pub fn beyond(files: &[Arc<OpenFile>], models: &[OwnedModel], plan: &Plan) -> Vec<Finding> {
    let flat =
        || models.iter().flat_map(|model| (0..model.indices.len()).map(move |at| (model, at)));
    let mut found: Vec<Finding> = Vec::new();
    for one in &plan.beyond {
        let Some((model, own)) = flat().nth(one.subgraph) else { continue };
        found.push(ends_beyond(files, (model, own), one, plan));
    }
    let left = plan.n_beyond.saturating_sub(found.len() as u64);
    if left > 0 {
        let message = format!("{left} more variables or slices end beyond 2^64 bytes");
        found.push(super::scratchpad::warning("memory.beyond", message));
    }
    let sums = flat().zip(&plan.needs).flat_map(|((model, own), need)| {
        let name = model.names.get(own).map_or("", String::as_str);
        need.exceeding().into_iter().map(move |what| {
            let place = at(&place_of(files, model, own, passes(model, own, what)));
            sum_finding(name, what, place)
        })
    });
    found.extend(sums.take(EXCEEDING));
    if plan.layout.private_bytes.exceeds {
        let all = plan.layout.private.iter().filter_map(|at| plan.variables.get(*at));
        let mut sum = Total::default();
        let last = all.into_iter().find(|one| {
            sum.add(one.size);
            sum.exceeds
        });
        let place = last.and_then(|one| {
            let (model, own) = flat().nth(one.subgraph)?;
            Some(at(&place_of(files, model, own, Some(one.id))))
        });
        let core = format!("core {}", plan.core);
        found.push(sum_finding(&core, "private variables", place.unwrap_or_default()));
    }
    found
}

/// That a variable or slice ends beyond 2^64.
fn ends_beyond(
    files: &[Arc<OpenFile>],
    (model, own): (&OwnedModel, usize),
    one: &Beyond,
    plan: &Plan,
) -> Finding {
    let subgraph: String =
        model.names.get(own).map_or("", String::as_str).chars().take(64).collect();
    let variable = one.id.and_then(|id| model.variables.get(own)?.get(id));
    let what = match variable {
        Some(variable) => {
            let name: String = variable.name.chars().take(64).collect();
            let slice = match variable.kind {
                Kind::Virtual { shared: true, .. } => "shared",
                _ => "local",
            };
            format!(
                "variable `{name}` of {subgraph} ends at byte {} of the {slice} slice, {} + {} bytes",
                one.end(),
                one.offset,
                one.bytes
            )
        }
        None if one.offset == u64::MAX => format!(
            "the local slice of {subgraph}, {} bytes, begins where those before it end",
            one.bytes
        ),
        None => format!(
            "the local slice of {subgraph} ends at byte {} of the scratchpad, {} + {} bytes",
            one.end(),
            one.offset,
            one.bytes
        ),
    };
    let core = model.on_cores.get(own).map_or(plan.core, |core| plan.pages_of(*core));
    Finding {
        code: "memory.beyond".to_owned(),
        severity: "error".to_owned(),
        message: format!(
            "{what}: beyond 2^64. The scratchpad of core {core} needs at least {} bytes",
            u64::MAX
        ),
        at: at(&place_of(files, model, own, one.id)),
    }
}

/// The variable at which a sum of a subgraph passes 2^64, by id; `None` where other parts do.
fn passes(model: &OwnedModel, own: usize, what: &str) -> Option<u32> {
    let counts = |one: &&Variable| match what {
        "inputs and outputs" | "tensor" => matches!(one.kind, Kind::Input | Kind::Output),
        "file variables" | "weight" => one.kind == Kind::File,
        "scratchpad" => matches!(one.kind, Kind::Temporary | Kind::Virtual { .. }),
        _ => matches!(one.kind, Kind::Virtual { .. }),
    };
    let mut sum = Total::default();
    let all = model.variables.get(own)?.as_slice().iter().filter(counts);
    all.into_iter()
        .find(|one| {
            sum.add(one.size);
            sum.exceeds
        })
        .map(|one| one.id)
}

/// `512 MiB`, `61.0 GiB`: a size in words, exact where `.0` is left out.
fn size(bytes: u64) -> String {
    match bytes_unit(bytes) {
        Some(text) if bytes.trailing_zeros() >= 20 && bytes < 1 << 30 => text.replace(".0 ", " "),
        Some(text) if bytes.trailing_zeros() >= 30 => text.replace(".0 ", " "),
        Some(text) => text,
        None => format!("{bytes} bytes"),
    }
}

/// Bytes of an HBM: exact, since a little less does not do.
fn hbm(bytes: u64) -> String {
    if bytes.trailing_zeros() >= 30 {
        return format!("HBMs of {}", size(bytes));
    }
    format!("HBMs of {bytes} bytes ({})", size(bytes))
}

/// Pages of so many MiB.
fn pages(bytes: u64) -> String {
    format!("scratchpad pages of {} MiB", bytes >> 20)
}

/// That a scratchpad has no such number of pages.
pub fn page_cap(cap: PageCap, mode: Mode, page_size: u64, at_least: bool) -> MemoryPageCap {
    let least = if at_least { "at least " } else { "" };
    let paged = if mode == Mode::Paged { "" } else { "paged mode with " };
    let enough = match cap.enough_bytes {
        Some(bytes) => format!("{paged}{} would be enough", pages(bytes)),
        None => "no documented page size, 512 MiB to 3584 MiB, is enough".to_owned(),
    };
    MemoryPageCap {
        requested: cap.requested,
        most: MAX_PAGES,
        enough_page_size: cap.enough_bytes,
        text: format!(
            "{least}{} pages of {} are needed and a scratchpad has {MAX_PAGES}; {enough}",
            cap.requested,
            size(page_size)
        ),
    }
}

/// A remedy in words.
pub fn remedy(remedy: &Remedy) -> MemoryRemedy {
    let mut page_size = None;
    let (kind, bytes, text) = match remedy {
        Remedy::PageSize(bytes) => ("page-size", Some(*bytes), pages(*bytes)),
        Remedy::Paged(bytes) => {
            ("paged", Some(*bytes), format!("paged mode with {}", pages(*bytes)))
        }
        Remedy::Contiguous => ("contiguous", None, "a contiguous scratchpad".to_owned()),
        Remedy::Hbm(bytes) => ("hbm", Some(*bytes), hbm(*bytes)),
        Remedy::PagedHbm { page_size: page, hbm_bytes } => {
            page_size = Some(*page);
            ("paged-hbm", Some(*hbm_bytes), format!("{} and {}", pages(*page), hbm(*hbm_bytes)))
        }
    };
    MemoryRemedy { kind: kind.to_owned(), bytes, page_size, text }
}

/// Sums by category, `None` if there is nothing to sum, and the first name whose sum exceeds 2^64.
pub fn total(
    subgraphs: &[MemorySubgraph],
    value: impl Fn(&MemoryCategory) -> Option<u64>,
) -> (Option<BTreeMap<String, u64>>, Option<String>) {
    let mut sums: BTreeMap<String, u64> = BTreeMap::new();
    let mut beyond = None;
    for category in subgraphs.iter().flat_map(|one| &one.categories) {
        if let Some(bytes) = value(category) {
            let sum = sums.entry(category.name.clone()).or_insert(0);
            let both = sum.checked_add(bytes);
            if both.is_none() {
                beyond.get_or_insert_with(|| category.name.clone());
            }
            *sum = both.unwrap_or(u64::MAX);
        }
    }
    ((!sums.is_empty()).then_some(sums), beyond)
}
