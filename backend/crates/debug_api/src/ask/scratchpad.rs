//! Answers `scratchpad`: where a range of a scratchpad is.

use crate::answer::{Provenance, SCHEMA, ScratchpadAnswer};
use crate::error::{ApiError, ErrorKind};
use device_image::scratchpad::arena::{MAX_PAGES, find};
use device_image::scratchpad::{Mode, ScratchpadError};

/// The page of a range.
///
/// # Errors
/// `memory.mode`, `memory.page-size`, `memory.pages`.
pub fn scratchpad(
    mode_name: &str,
    page_size: u64,
    pages: u64,
    (offset, size): (u64, u64),
) -> Result<ScratchpadAnswer, ApiError> {
    let mode = mode(mode_name)?;
    if page_size == 0 || page_size > u64::from(u32::MAX) {
        return Err(refused(&ScratchpadError::PageSize { bytes: page_size }));
    }
    if pages > MAX_PAGES {
        return Err(refused(&ScratchpadError::TooManyPages { requested: pages }));
    }
    let found = find(mode, page_size, pages, offset, size);
    let reason = found.is_none().then(|| reason(mode, page_size, pages, offset, size));
    Ok(ScratchpadAnswer {
        schema: SCHEMA,
        mode: mode.name().to_owned(),
        page: found.map(|place| place.page),
        in_page_offset: found.map(|place| place.in_page),
        error: found.is_none().then(|| "not-found".to_owned()),
        reason,
        provenance: Provenance::Observed,
    })
}

fn reason(mode: Mode, page_size: u64, pages: u64, offset: u64, size: u64) -> String {
    let Some(end) = offset.checked_add(size) else {
        return format!("{offset} + {size} bytes exceed 2^64");
    };
    let in_page = offset % page_size;
    match mode {
        Mode::Paged if in_page.saturating_add(size) > page_size => {
            format!("it crosses the end of a page: {in_page} + {size} bytes exceed {page_size}")
        }
        Mode::Paged => {
            format!("it lies on page {}, and there are {pages}", offset / page_size)
        }
        Mode::Contiguous => format!(
            "it ends at {end}, and {pages} pages of {page_size} bytes end at {}",
            page_size.saturating_mul(pages)
        ),
    }
}

/// The mode of a name.
///
/// # Errors
/// `memory.mode`.
pub fn mode(name: &str) -> Result<Mode, ApiError> {
    match name {
        "paged" => Ok(Mode::Paged),
        "contiguous" => Ok(Mode::Contiguous),
        other => {
            let shown: String = other.chars().take(40).collect();
            let message = format!("`{shown}` is no mode; the modes are paged and contiguous");
            Err(ApiError::new(ErrorKind::BadRequest, "memory.mode", message))
        }
    }
}

/// What the runtime refuses, as an error of the question.
pub fn refused(error: &ScratchpadError) -> ApiError {
    let code = match error {
        ScratchpadError::PageSize { .. } => "memory.page-size",
        _ => "memory.pages",
    };
    let status = error.status().map(|status| format!(" [{status}]")).unwrap_or_default();
    ApiError::new(ErrorKind::BadRequest, code, format!("{error}{status}"))
}
