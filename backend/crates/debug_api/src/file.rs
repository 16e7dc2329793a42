//! An opened file of any kind.

use crate::dump_file::DumpFile;
use crate::error::{ApiError, ErrorKind};
use crate::neff_file::NeffFile;
use crate::ntff_file::NtffFile;
use crate::profile_file::ProfileFile;
use crate::source_file::{SourceFile, is_source_name};
use neff::Limits;

/// An opened file. Its kind is found out by its content, helped by its name.
pub enum OpenFile {
    /// An executable.
    Neff(Box<NeffFile>),
    /// A capture.
    Ntff(Box<NtffFile>),
    /// A runtime profile.
    Profile(ProfileFile),
    /// Raw memory of a device.
    Dump(DumpFile),
    /// Source text.
    Source(SourceFile),
}

impl OpenFile {
    /// Opens bytes under a display name.
    ///
    /// # Errors
    /// `file.kind` for bytes of no known kind; else what the kind's own reader says.
    pub fn open(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<Self, ApiError> {
        Self::open_as(sniff(name, &bytes)?, name, bytes, limits)
    }

    /// Opens bytes as a file of a kind.
    ///
    /// # Errors
    /// What the kind's own reader says.
    pub fn open_as(
        kind: FileKind,
        name: &str,
        bytes: Vec<u8>,
        limits: &Limits,
    ) -> Result<Self, ApiError> {
        match kind {
            FileKind::Neff => {
                NeffFile::open(name, bytes, limits).map(|file| Self::Neff(Box::new(file)))
            }
            FileKind::Ntff => {
                NtffFile::open(name, bytes, limits).map(|file| Self::Ntff(Box::new(file)))
            }
            FileKind::Profile => ProfileFile::open(name, &bytes).map(Self::Profile),
            FileKind::Dump => Ok(Self::Dump(DumpFile::new(name, bytes))),
            FileKind::Source => SourceFile::open(name, &bytes).map(Self::Source),
        }
    }

    /// What it is.
    pub fn kind(&self) -> FileKind {
        match self {
            Self::Neff(_) => FileKind::Neff,
            Self::Ntff(_) => FileKind::Ntff,
            Self::Profile(_) => FileKind::Profile,
            Self::Dump(_) => FileKind::Dump,
            Self::Source(_) => FileKind::Source,
        }
    }

    /// Display name, without a path.
    pub fn name(&self) -> &str {
        match self {
            Self::Neff(file) => file.name(),
            Self::Ntff(file) => file.name(),
            Self::Profile(file) => file.name(),
            Self::Dump(file) => file.name(),
            Self::Source(file) => file.name(),
        }
    }

    /// Size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        match self {
            Self::Neff(file) => file.bytes(),
            Self::Ntff(file) => file.bytes(),
            Self::Profile(file) => file.bytes(),
            Self::Dump(file) => file.bytes().len() as u64,
            Self::Source(file) => file.bytes(),
        }
    }

    /// Bytes of memory that it holds, roughly.
    pub fn weight(&self) -> u64 {
        match self {
            Self::Neff(file) => file.weight(),
            Self::Ntff(file) => file.weight(),
            // Steps and their lines take several times the text.
            Self::Profile(file) => file.bytes().saturating_mul(16),
            Self::Dump(file) => (file.bytes().len() as u64).saturating_add(1 << 12),
            Self::Source(file) => file.bytes().saturating_add(file.lines().saturating_mul(16)),
        }
    }

    /// The executable; `None` for a file of another kind.
    pub fn as_neff(&self) -> Option<&NeffFile> {
        if let Self::Neff(file) = self { Some(file) } else { None }
    }

    /// The capture; `None` for a file of another kind.
    pub fn as_ntff(&self) -> Option<&NtffFile> {
        if let Self::Ntff(file) = self { Some(file) } else { None }
    }

    /// The profile; `None` for a file of another kind.
    pub fn as_profile(&self) -> Option<&ProfileFile> {
        if let Self::Profile(file) = self { Some(file) } else { None }
    }

    /// The source text; `None` for a file of another kind.
    pub fn as_source(&self) -> Option<&SourceFile> {
        if let Self::Source(file) = self { Some(file) } else { None }
    }

    /// The dump; `None` for a file of another kind.
    pub fn as_dump(&self) -> Option<&DumpFile> {
        if let Self::Dump(file) = self { Some(file) } else { None }
    }
}

/// Kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// An executable.
    Neff,
    /// A capture of a run.
    Ntff,
    /// A runtime profile.
    Profile,
    /// Raw memory of a device.
    Dump,
    /// Source text.
    Source,
}

impl FileKind {
    /// Its word in documents and in the `kind` of an upload.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Neff => "neff",
            Self::Ntff => "ntff",
            Self::Profile => "profile",
            Self::Dump => "dump",
            Self::Source => "source",
        }
    }

    /// The kind of a word; `None` for a word that is none.
    pub fn of_name(name: &str) -> Option<Self> {
        let all = [Self::Neff, Self::Ntff, Self::Profile, Self::Source, Self::Dump];
        all.into_iter().find(|kind| kind.name() == name)
    }

    /// The kind of a file that goes beside an executable, as its name tells it: a capture, a
    /// runtime profile, source text or a memory dump. `None` for any other name.
    pub fn beside(name: &str) -> Option<Self> {
        let lower = name.to_ascii_lowercase();
        if lower.ends_with(".ntff") {
            return Some(Self::Ntff);
        }
        if lower.ends_with(".toml") {
            return Some(Self::Profile);
        }
        if lower.ends_with(".bin") || lower.ends_with(".dump") {
            return Some(Self::Dump);
        }
        is_source_name(name).then_some(Self::Source)
    }
}

/// What a file is, told by its name and its head; `None` for one of no kind that is read.
pub fn kind_of(name: &str, bytes: &[u8]) -> Option<FileKind> {
    sniff(name, bytes).ok()
}

/// Tells kinds apart. A file that is called `.neff` or `.ntff`, or whose head is plausible, goes on
/// to that kind's reader, so that its own error names what is wrong. Profiles and source text are
/// told by their names, and so is a dump, which has no head: `.dump` always is one, `.bin` if its
/// head is that of no other kind.
fn sniff(name: &str, bytes: &[u8]) -> Result<FileKind, ApiError> {
    let word = |at: usize| -> Option<u64> {
        Some(u64::from_le_bytes(bytes.get(at..at + 8)?.try_into().ok()?))
    };
    let name = name.to_ascii_lowercase();
    if name.ends_with(".neff") {
        return Ok(FileKind::Neff);
    }
    if name.ends_with(".dump") {
        return Ok(FileKind::Dump);
    }
    if name.ends_with(".ntff") || neff::ntff::is_plausible(bytes) {
        return Ok(FileKind::Ntff);
    }
    if word(8) == Some(0x400) || matches!(word(0), Some(1 | 2)) {
        return Ok(FileKind::Neff);
    }
    if let Some(kind) = FileKind::beside(&name) {
        return Ok(kind);
    }
    let none = |message| Err(ApiError::new(ErrorKind::UnknownKind, "file.kind", message));
    if bytes.is_empty() {
        return none("the file is empty; copy it again from where it was made");
    }
    if is_text(bytes) {
        return none(
            "this is text, and its name tells no kind: a runtime log goes into the log box (on the \
             command line into `neffscope log`), a runtime profile is told by a name that ends in \
             .toml, source text by one like .py or .cc",
        );
    }
    none(
        "this is neither a NEFF nor an NTFF: its name ends in neither .neff nor .ntff, its first \
         16 bytes hold no package version and no header size of 0x400, and its first 8 bytes are \
         no version 4 or 5 with the length of a message that fits; a runtime profile is told \
         by a name that ends in .toml, source text by one like .py or .cc, a memory dump by \
         .bin or .dump",
    )
}

/// Whether the first 4 KiB are text: UTF-8 without control characters but white space and the
/// escapes of a terminal.
fn is_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..4_096).unwrap_or(bytes);
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The end of the head may cut a character.
        Err(error) if error.error_len().is_none() => {
            let whole = head.get(..error.valid_up_to()).unwrap_or_default();
            std::str::from_utf8(whole).unwrap_or_default()
        }
        Err(_) => return false,
    };
    !text.is_empty()
        && !text.chars().any(|c| c.is_control() && !matches!(c, '\t' | '\n' | '\r' | '\u{1b}'))
}
