//! An opened file: the package, its findings, and what is computed from it once and kept.

use crate::convert::neff_error;
use crate::error::{ApiError, ErrorKind};
use neff::{Findings, Limits, Package};
use std::sync::OnceLock;

/// An opened NEFF. Opening reads the container; everything else is computed when first asked for
/// and kept, so a value of this type grows with use (see [`OpenFile::weight`]).
pub struct OpenFile {
    name: String,
    bytes: u64,
    package: Package,
    findings: Findings,
    tool_version: OnceLock<Option<String>>,
}

impl OpenFile {
    /// Opens bytes under a display name.
    ///
    /// # Errors
    /// `file.kind` for bytes that are no NEFF and are not called one; the container's own codes
    /// for a NEFF that cannot be read; `...-limit` codes where a limit was hit.
    pub fn open(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<Self, ApiError> {
        sniff(name, &bytes)?;
        let mut findings = Findings::new();
        let package =
            neff::open(&bytes, limits, &mut findings).map_err(|error| neff_error(&error))?;
        Ok(Self {
            name: name.to_owned(),
            bytes: bytes.len() as u64,
            package,
            findings,
            tool_version: OnceLock::new(),
        })
    }

    /// Display name, without a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The container.
    pub fn package(&self) -> &Package {
        &self.package
    }

    /// What was odd while opening.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Bytes of memory that this file holds, roughly: the archive, and as much again for what is
    /// computed from it.
    pub fn weight(&self) -> u64 {
        self.package.tar_bytes().saturating_mul(2).saturating_add(1 << 16)
    }

    /// `tool_version` of info.json, if the file has one.
    pub fn tool_version(&self) -> Option<String> {
        self.tool_version
            .get_or_init(|| {
                let bytes = self.package.bytes("info.json").ok()?;
                let value: serde_json::Value = serde_json::from_slice(bytes).ok()?;
                Some(value.get("tool_version")?.as_str()?.to_owned())
            })
            .clone()
    }
}

/// Refuses what is clearly something else. A file that is called `.neff`, or whose header is
/// plausible, goes on to the loader, so that its own error names what is wrong.
fn sniff(name: &str, bytes: &[u8]) -> Result<(), ApiError> {
    let word = |at: usize| -> Option<u64> {
        Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
    };
    let called = name.to_ascii_lowercase().ends_with(".neff");
    let plausible = word(8) == Some(0x400) || matches!(word(0), Some(1 | 2));
    if called || plausible {
        return Ok(());
    }
    Err(ApiError::new(
        ErrorKind::UnknownKind,
        "file.kind",
        "this is no NEFF: neither does its name end in .neff nor do its first 16 bytes hold a \
         package version and a header size of 0x400; this version reads NEFF files only",
    ))
}
