//! From the names in a question to the things they name.

use crate::answer::{At, Finding};
use crate::choice::Choice;
use crate::dump_file::DumpFile;
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::names;
use crate::neff_file::NeffFile;
use crate::ntff_file::NtffFile;
use crate::pair::PairImages;
use crate::pairing::Signs;
use crate::request::Scope;
use neff::Subgraph;
use records::Engine;
use std::sync::Arc;

/// The executable that a question is about; the session's first one if no index is given.
///
/// # Errors
/// `file.unknown` for an index past the session's files, `file.no-neff` for a file of another kind
/// or a session without an executable.
pub fn neff(files: &[Arc<OpenFile>], index: Option<usize>) -> Result<&NeffFile, ApiError> {
    let none = |message| ApiError::new(ErrorKind::NotFound, "file.no-neff", message);
    match index {
        Some(_) => {
            let file = file(files, index)?;
            let kind = file.kind().name();
            file.as_neff().ok_or_else(|| {
                none(format!(
                    "the question is about a NEFF, file {} is of the kind {kind}",
                    names::label(files, index.unwrap_or(0))
                ))
            })
        }
        None if files.is_empty() => Err(unknown_file(files, 0)),
        None => files.iter().find_map(|file| file.as_neff()).ok_or_else(|| {
            none("the question is about a NEFF, and the session has none".to_owned())
        }),
    }
}

/// The capture that a question is about; the session's first one if no index is given.
///
/// # Errors
/// `file.unknown` for an index past the session's files, `file.no-ntff` for a file of another kind
/// or a session without a capture.
pub fn ntff(files: &[Arc<OpenFile>], index: Option<usize>) -> Result<&NtffFile, ApiError> {
    let none = |message| ApiError::new(ErrorKind::NotFound, "file.no-ntff", message);
    match index {
        Some(_) => {
            let file = file(files, index)?;
            let kind = file.kind().name();
            file.as_ntff().ok_or_else(|| {
                none(format!(
                    "the question is about a capture, file {} is of the kind {kind}",
                    names::label(files, index.unwrap_or(0))
                ))
            })
        }
        None if files.is_empty() => Err(unknown_file(files, 0)),
        None => files.iter().find_map(|file| file.as_ntff()).ok_or_else(|| {
            none("the question is about a capture, and the session has none".to_owned())
        }),
    }
}

/// The dump that a question is about; the session's first one if no index is given.
///
/// # Errors
/// `file.unknown` for an index past the session's files, `file.no-dump` for a file of another kind
/// or a session without a dump.
pub fn dump(files: &[Arc<OpenFile>], index: Option<usize>) -> Result<&DumpFile, ApiError> {
    let none = |message| ApiError::new(ErrorKind::NotFound, "file.no-dump", message);
    match index {
        Some(_) => {
            let file = file(files, index)?;
            let kind = file.kind().name();
            file.as_dump().ok_or_else(|| {
                none(format!(
                    "the question is about a memory dump, file {} is of the kind {kind}",
                    names::label(files, index.unwrap_or(0))
                ))
            })
        }
        None if files.is_empty() => Err(unknown_file(files, 0)),
        None => files.iter().find_map(|file| file.as_dump()).ok_or_else(|| {
            none("the question is about a memory dump, and the session has none".to_owned())
        }),
    }
}

/// The file that `info` is about: the one at an index, else the first executable, else the first
/// file.
///
/// # Errors
/// `file.unknown` for an index past the session's files.
pub fn described(
    files: &[Arc<OpenFile>],
    index: Option<usize>,
) -> Result<&Arc<OpenFile>, ApiError> {
    let executable = files.iter().find(|file| file.as_neff().is_some());
    match (index, executable) {
        (None, Some(executable)) => Ok(executable),
        _ => file(files, index),
    }
}

/// The file at an index; the first if none is given.
///
/// # Errors
/// `file.unknown` for an index past the session's files.
pub fn file(files: &[Arc<OpenFile>], index: Option<usize>) -> Result<&Arc<OpenFile>, ApiError> {
    let index = index.unwrap_or(0);
    files.get(index).ok_or_else(|| unknown_file(files, index))
}

fn unknown_file(files: &[Arc<OpenFile>], index: usize) -> ApiError {
    ApiError::new(
        ErrorKind::NotFound,
        "file.unknown",
        format!("the session has {} files, there is none with index {index}", files.len()),
    )
}

/// The subgraph of a scope with its index: by name, else by 0-based index, else the first.
///
/// # Errors
/// `subgraph.unknown`, naming those that exist; `subgraph.none` for a file without any.
pub fn subgraph<'a>(file: &'a NeffFile, scope: &Scope) -> Result<(usize, &'a Subgraph), ApiError> {
    let all = file.package().subgraphs();
    if all.is_empty() {
        return Err(ApiError::new(
            ErrorKind::NotFound,
            "subgraph.none",
            "no subgraph could be read from this file; the findings of `info` say why",
        ));
    }
    let index = match scope.s.as_deref() {
        None => Some(0),
        Some(text) => all
            .iter()
            .position(|subgraph| subgraph.name == text)
            .or_else(|| text.parse().ok().filter(|index| *index < all.len())),
    };
    index.and_then(|index| Some((index, all.get(index)?))).ok_or_else(|| {
        let names: Vec<&str> = all.iter().map(|subgraph| subgraph.name.as_str()).take(16).collect();
        let shown: String = scope.s.as_deref().unwrap_or("").chars().take(64).collect();
        ApiError::new(
            ErrorKind::NotFound,
            "subgraph.unknown",
            format!("there is no subgraph `{shown}`; the file has {}", names.join(" ")),
        )
    })
}

/// Captured and built images of a subgraph, if a capture of it is given.
///
/// # Errors
/// As building.
pub fn pair(
    files: &[Arc<OpenFile>],
    capture: Option<&NtffFile>,
    scope: &Scope,
    file: &NeffFile,
    index: usize,
    chosen: &Choice,
) -> Result<Option<Arc<PairImages>>, ApiError> {
    let Some(capture) = capture else { return Ok(None) };
    let asked = scope.profile.is_some();
    let profile = asked.then(|| (chosen.profile.as_ref(), chosen.key.as_str()));
    file.pair(index, (capture, &names::of_ntff(files, capture)), profile, scope.core)
}

/// The finding for a capture without a core that ran a subgraph.
pub fn no_core(file: &str, subgraph: &str) -> Finding {
    Finding {
        code: "pair.subgraph".to_owned(),
        severity: "warning".to_owned(),
        message: format!("{file} holds no core that ran {subgraph}; the built images are shown"),
        at: At { subgraph: Some(subgraph.to_owned()), ..At::default() },
    }
}

/// The capture of a scope: the named one, or the first of the session that belongs to the
/// executable.
///
/// # Errors
/// `file.unknown`, `file.no-ntff`.
pub fn capture<'a>(
    files: &'a [Arc<OpenFile>],
    scope: &Scope,
    neff: &NeffFile,
) -> Result<Option<&'a NtffFile>, ApiError> {
    if scope.ntff.is_some() {
        let named = file(files, scope.ntff)?;
        return named.as_ntff().map(Some).ok_or_else(|| {
            let message = format!(
                "{} is no capture: it is of the kind {}",
                names::label(files, scope.ntff.unwrap_or(0)),
                named.kind().name()
            );
            ApiError::new(ErrorKind::NotFound, "file.no-ntff", message)
        });
    }
    let mut captures = files.iter().filter_map(|file| file.as_ntff());
    Ok(captures.find(|ntff| Signs::of(neff.package(), ntff.capture()).is_pair()))
}

/// The engine of a scope; PE if none is named.
///
/// # Errors
/// `engine.unknown`.
pub fn engine(scope: &Scope) -> Result<Engine, ApiError> {
    let text = scope.e.as_deref().unwrap_or("PE");
    text.parse().map_err(|_| {
        let shown: String = text.chars().take(64).collect();
        ApiError::new(
            ErrorKind::BadRequest,
            "engine.unknown",
            format!("`{shown}` is no engine; the engines are PE ACT POOL DVE SP"),
        )
    })
}
