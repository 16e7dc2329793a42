//! An opened file of any kind.

use crate::error::{ApiError, ErrorKind};
use crate::neff_file::NeffFile;
use crate::profile_file::ProfileFile;
use neff::Limits;

/// An opened file. Its kind is found out by its content, helped by its name.
#[expect(clippy::large_enum_variant, reason = "a few files, each behind an `Arc`")]
pub enum OpenFile {
    /// An executable.
    Neff(NeffFile),
    /// A runtime profile.
    Profile(ProfileFile),
}

impl OpenFile {
    /// Opens bytes under a display name.
    ///
    /// # Errors
    /// `file.kind` for bytes of no known kind; else what the kind's own reader says.
    pub fn open(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<Self, ApiError> {
        match sniff(name, &bytes)? {
            FileKind::Neff => NeffFile::open(name, bytes, limits).map(Self::Neff),
            FileKind::Profile => ProfileFile::open(name, &bytes).map(Self::Profile),
        }
    }

    /// What it is.
    pub fn kind(&self) -> FileKind {
        match self {
            Self::Neff(_) => FileKind::Neff,
            Self::Profile(_) => FileKind::Profile,
        }
    }

    /// Display name, without a path.
    pub fn name(&self) -> &str {
        match self {
            Self::Neff(file) => file.name(),
            Self::Profile(file) => file.name(),
        }
    }

    /// Size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Neff(file) => file.bytes(),
            Self::Profile(file) => file.bytes(),
        }
    }

    /// Bytes of memory that it holds, roughly.
    pub fn weight(&self) -> u64 {
        match self {
            Self::Neff(file) => file.weight(),
            // Steps and their lines take several times the text.
            Self::Profile(file) => file.bytes().saturating_mul(16),
        }
    }

    /// The executable; `None` for a file of another kind.
    pub fn as_neff(&self) -> Option<&NeffFile> {
        match self {
            Self::Neff(file) => Some(file),
            Self::Profile(_) => None,
        }
    }

    /// The profile; `None` for a file of another kind.
    pub fn as_profile(&self) -> Option<&ProfileFile> {
        match self {
            Self::Neff(_) => None,
            Self::Profile(file) => Some(file),
        }
    }
}

/// Kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// An executable.
    Neff,
    /// A runtime profile.
    Profile,
}

impl FileKind {
    /// Its word in documents and in the `kind` of an upload.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Neff => "neff",
            Self::Profile => "profile",
        }
    }
}

/// Tells kinds apart. A file that is called `.neff`, or whose header is plausible, goes on to the
/// loader, so that its own error names what is wrong. A profile is told by its name.
fn sniff(name: &str, bytes: &[u8]) -> Result<FileKind, ApiError> {
    let word = |at: usize| -> Option<u64> {
        Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
    };
    let called = name.to_ascii_lowercase().ends_with(".neff");
    let plausible = word(8) == Some(0x400) || matches!(word(0), Some(1 | 2));
    if called || plausible {
        return Ok(FileKind::Neff);
    }
    if name.to_ascii_lowercase().ends_with(".toml") {
        return Ok(FileKind::Profile);
    }
    Err(ApiError::new(
        ErrorKind::UnknownKind,
        "file.kind",
        "this is no NEFF: neither does its name end in .neff nor do its first 16 bytes hold a \
         package version and a header size of 0x400; this version reads NEFF files, and runtime \
         profiles whose name ends in .toml",
    ))
}
