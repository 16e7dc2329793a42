//! Answers `scratchpad`: where a range of a scratchpad is.

use crate::answer::{Finding, Provenance, SCHEMA, ScratchpadAnswer};
use crate::error::{ApiError, ErrorKind};
use device_image::scratchpad::arena::{CONTIGUOUS_PAGE_BYTES, MAX_PAGES, find};
use device_image::scratchpad::newer::is_documented_page;
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
        diagnostics: about_page(mode, page_size).into_iter().collect(),
    })
}

/// What is odd about a page size, which is taken as given in both modes.
fn about_page(mode: Mode, page_size: u64) -> Option<Finding> {
    let (code, message) = match mode {
        Mode::Paged => return odd_page(page_size),
        Mode::Contiguous if page_size == CONTIGUOUS_PAGE_BYTES => return None,
        Mode::Contiguous => (
            "memory.page-size-unused",
            format!(
                "a runtime has pages of 64 MiB in contiguous mode, whatever it is asked for; this \
                 answer is for the {page_size} bytes that were given"
            ),
        ),
    };
    Some(warning(code, message))
}

/// The finding that a page size is not documented.
pub fn odd_page(page_size: u64) -> Option<Finding> {
    let message = format!(
        "pages of {page_size} bytes are accepted; documented are multiples of 512 MiB up to 3.5 GiB"
    );
    (!is_documented_page(page_size)).then(|| warning("memory.page-size-odd", message))
}

/// A finding without a place.
pub fn warning(code: &str, message: String) -> Finding {
    let severity = "warning".to_owned();
    Finding { code: code.into(), severity, message, at: Default::default() }
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
