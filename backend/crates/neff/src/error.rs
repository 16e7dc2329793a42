//! Why an input is refused, with a stable code, a place and, for loader gates, the gate's number.

use crate::diagnostic::Place;

/// An input that cannot be opened, or a document that cannot be read.
///
/// Offsets named `at` count from the start of the file; offsets inside the inflated archive and
/// inside members say so.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NeffError {
    /// The file is larger than [`crate::Limits::upload_bytes`].
    #[error("the file has {bytes} bytes, the limit `upload_bytes` is {limit}")]
    FileLimit {
        /// Size of the file.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Loader gate 2: not even a header.
    #[error("the file ends at byte {bytes:#x}; a NEFF starts with a header of 1024 bytes")]
    TooShort {
        /// Size of the file.
        bytes: u64,
    },
    /// Loader gate 3: the header claims to be as long as the file or longer.
    #[error("header_size at byte 0x8 is {found:#x}, expected less than the file size {file:#x}")]
    HeaderSize {
        /// The field's value.
        found: u64,
        /// Size of the file.
        file: u64,
    },
    /// Loader gate 4: a format that no loader knows.
    #[error("major version at byte 0x18 is {found}, expected 0, 1 or 2")]
    Version {
        /// The field's value.
        found: u64,
    },
    /// Loader gate 5: features that only a newer runtime knows.
    #[error(
        "feature bits at byte 0x220 are {bits:#x}; {refused:#x} of them are not supported under \
         major version 2 (a newer compiler was used)"
    )]
    FeatureBits {
        /// The field's value.
        bits: u64,
        /// The bits among 27 to 62.
        refused: u64,
    },
    /// Loader gate 6: the archive would leave the file.
    #[error(
        "data_size at byte 0x10 is {found:#x}, expected at most {available:#x}, the bytes behind \
         the header"
    )]
    DataSize {
        /// The field's value.
        found: u64,
        /// Bytes behind the header.
        available: u64,
    },
    /// Loader gate 7: an unknown archive scheme.
    #[error("pkg_version at byte 0x0 is {found}, expected 1 or 2")]
    PkgVersion {
        /// The field's value.
        found: u64,
    },
    /// The gzip member is damaged.
    #[error("the gzip member is damaged at byte {at:#x} of the file: {reason}")]
    Gzip {
        /// Where decoding stopped.
        at: u64,
        /// What the decoder says.
        reason: String,
    },
    /// The stored archive ends inside its gzip member.
    #[error(
        "the gzip member is cut off: the archive ends at byte {at:#x} of the file after \
         {inflated} inflated bytes, expected more compressed data"
    )]
    GzipTruncated {
        /// End of the stored archive.
        at: u64,
        /// Inflated bytes up to there.
        inflated: u64,
    },
    /// Something other than zero bytes follows the gzip member.
    #[error(
        "byte {byte:#04x} at {at:#x} of the file follows the gzip member, expected only zero \
         bytes up to the end of the archive at {end:#x}"
    )]
    GzipTail {
        /// The first such byte.
        at: u64,
        /// Its value.
        byte: u8,
        /// End of the stored archive.
        end: u64,
    },
    /// More inflated bytes than allowed.
    #[error(
        "the archive at byte 0x400 inflates to more than {limit} bytes, the limit \
         `inflated_bytes`"
    )]
    InflatedLimit {
        /// The limit.
        limit: u64,
    },
    /// Too many inflated bytes for each stored byte.
    #[error(
        "the archive inflates {inflated} bytes from the {stored} bytes up to {at:#x} of the file, \
         more than the limit `ratio` of {limit} to 1"
    )]
    RatioLimit {
        /// How far the file was read.
        at: u64,
        /// Inflated bytes so far.
        inflated: u64,
        /// Stored bytes read so far.
        stored: u64,
        /// The limit.
        limit: u64,
    },
    /// Loader gate 9: the payload is no archive.
    #[error("the payload at byte 0x400 is no archive: {reason}")]
    NoArchive {
        /// What was found, and what was expected.
        reason: String,
    },
    /// A tar header contradicts its checksum.
    #[error("tar header at {at:#x} of the {space} has checksum {found:#o}, expected {expected:#o}")]
    ArchiveChecksum {
        /// Offset of the header.
        at: u64,
        /// Whether offsets count in the file or in the inflated archive.
        space: Space,
        /// The stored checksum.
        found: u32,
        /// The sum of the header's bytes.
        expected: u32,
    },
    /// A member is longer than the archive.
    #[error(
        "member `{name}` at {at:#x} of the {space} ends at {end:#x}, past the end of the archive \
         at {archive_end:#x}"
    )]
    ArchivePastEnd {
        /// Name of the member.
        name: String,
        /// Offset of its header.
        at: u64,
        /// Whether offsets count in the file or in the inflated archive.
        space: Space,
        /// Where its data would end.
        end: u64,
        /// Where the archive ends.
        archive_end: u64,
    },
    /// A tar header holds something that cannot be read.
    #[error("tar header at {at:#x} of the {space} cannot be read: {reason}")]
    ArchiveHeader {
        /// Offset of the header.
        at: u64,
        /// Whether offsets count in the file or in the inflated archive.
        space: Space,
        /// What was found, and what was expected.
        reason: String,
    },
    /// More members than allowed.
    #[error("tar header at {at:#x} of the {space} is one more than the limit `members` of {limit}")]
    MemberLimit {
        /// Offset of the first header beyond the limit.
        at: u64,
        /// Whether offsets count in the file or in the inflated archive.
        space: Space,
        /// The limit.
        limit: usize,
    },
    /// A member name is longer than allowed.
    #[error(
        "tar header at {at:#x} of the {space} has a name of {bytes} bytes, the limit \
         `member_name_bytes` is {limit}"
    )]
    NameLimit {
        /// Offset of the header.
        at: u64,
        /// Whether offsets count in the file or in the inflated archive.
        space: Space,
        /// Length of the name.
        bytes: u64,
        /// The limit.
        limit: usize,
    },
    /// A document that was asked for is not in the archive.
    #[error("member `{member}` is not in the archive")]
    MemberMissing {
        /// Name of the member.
        member: String,
    },
    /// A document is no JSON.
    #[error("member `{member}` is no JSON at byte {at:#x}: {reason}")]
    JsonSyntax {
        /// Name of the member.
        member: String,
        /// Offset in the member.
        at: u64,
        /// What was found or expected.
        reason: String,
    },
    /// A document nests too deeply.
    #[error(
        "member `{member}` nests deeper than {limit} levels at byte {at:#x}, the limit `json_depth`"
    )]
    JsonDepth {
        /// Name of the member.
        member: String,
        /// Offset in the member of the bracket that is too deep.
        at: u64,
        /// The limit.
        limit: usize,
    },
    /// A document has too many values.
    #[error(
        "member `{member}` has more than {limit} values at byte {at:#x}, the limit `json_values`"
    )]
    JsonValues {
        /// Name of the member.
        member: String,
        /// Offset in the member of the first value that is too much.
        at: u64,
        /// The limit.
        limit: usize,
    },
    /// A document has another shape than its name promises.
    #[error("member `{member}` at byte {at:#x} is {found}, expected {expected}")]
    JsonShape {
        /// Name of the member.
        member: String,
        /// Offset in the member.
        at: u64,
        /// What was found.
        found: &'static str,
        /// What was expected.
        expected: &'static str,
    },
    /// A debug member is no protobuf message.
    #[error("debug member `{member}` is damaged at byte {at:#x}: {reason}")]
    DebugMember {
        /// Name of the member.
        member: String,
        /// Offset in the member.
        at: u64,
        /// What was found.
        reason: String,
    },
}

/// What an archive offset counts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Space {
    /// The opened file (bare tar).
    File,
    /// The inflated archive.
    Inflated,
}

impl std::fmt::Display for Space {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::File => "file",
            Self::Inflated => "inflated archive",
        })
    }
}

impl NeffError {
    /// The stable code, listed in `docs/codes.md`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::FileLimit { .. } => "limit.upload",
            Self::TooShort { .. } => "neff.too-short",
            Self::HeaderSize { .. } => "neff.header-size",
            Self::Version { .. } => "neff.version",
            Self::FeatureBits { .. } => "neff.feature-bits",
            Self::DataSize { .. } => "neff.data-size",
            Self::PkgVersion { .. } => "neff.pkg-version",
            Self::Gzip { .. } => "neff.gzip",
            Self::GzipTruncated { .. } => "neff.gzip-truncated",
            Self::GzipTail { .. } => "neff.gzip-tail",
            Self::InflatedLimit { .. } => "neff.inflated-limit",
            Self::RatioLimit { .. } => "neff.ratio-limit",
            Self::NoArchive { .. } => "neff.archive",
            Self::ArchiveChecksum { .. } => "archive.checksum",
            Self::ArchivePastEnd { .. } => "archive.past-end",
            Self::ArchiveHeader { .. } => "archive.header",
            Self::MemberLimit { .. } => "archive.member-limit",
            Self::NameLimit { .. } => "archive.name-limit",
            Self::MemberMissing { .. } => "member.missing",
            Self::JsonSyntax { .. } => "json.syntax",
            Self::JsonDepth { .. } => "json.depth",
            Self::JsonValues { .. } => "json.values",
            Self::JsonShape { .. } => "json.shape",
            Self::DebugMember { .. } => "debug.damaged",
        }
    }

    /// The loader gate that refuses the file, 2 to 9; `None` for our own limits and for documents.
    /// Spec: docs/format/container.md "Loader gates" [observed].
    pub fn gate(&self) -> Option<u8> {
        Some(match self {
            Self::TooShort { .. } => 2,
            Self::HeaderSize { .. } => 3,
            Self::Version { .. } => 4,
            Self::FeatureBits { .. } => 5,
            Self::DataSize { .. } => 6,
            Self::PkgVersion { .. } => 7,
            Self::Gzip { .. }
            | Self::GzipTruncated { .. }
            | Self::GzipTail { .. }
            | Self::NoArchive { .. }
            | Self::ArchiveChecksum { .. }
            | Self::ArchivePastEnd { .. }
            | Self::ArchiveHeader { .. } => 9,
            _ => return None,
        })
    }

    /// Where it is. Offsets inside the inflated archive have no offset in the file; for those the
    /// place is the start of the archive, and the message has the exact offset.
    pub fn place(&self) -> Place {
        match self {
            Self::FileLimit { .. } => Place::file(0),
            Self::TooShort { bytes } => Place::file(*bytes),
            Self::HeaderSize { .. } => Place::file(0x8),
            Self::Version { .. } => Place::file(0x18),
            Self::FeatureBits { .. } => Place::file(0x220),
            Self::DataSize { .. } => Place::file(0x10),
            Self::PkgVersion { .. } => Place::file(0),
            Self::Gzip { at, .. }
            | Self::GzipTruncated { at, .. }
            | Self::GzipTail { at, .. }
            | Self::RatioLimit { at, .. } => Place::file(*at),
            Self::InflatedLimit { .. } | Self::NoArchive { .. } => Place::file(0x400),
            Self::ArchiveChecksum { at, space, .. }
            | Self::ArchivePastEnd { at, space, .. }
            | Self::ArchiveHeader { at, space, .. }
            | Self::MemberLimit { at, space, .. }
            | Self::NameLimit { at, space, .. } => match space {
                Space::File => Place::file(*at),
                Space::Inflated => Place::file(0x400),
            },
            Self::MemberMissing { member } => Place::member(member),
            Self::JsonSyntax { member, at, .. }
            | Self::JsonDepth { member, at, .. }
            | Self::JsonValues { member, at, .. }
            | Self::JsonShape { member, at, .. }
            | Self::DebugMember { member, at, .. } => Place::member_at(member, *at),
        }
    }
}
