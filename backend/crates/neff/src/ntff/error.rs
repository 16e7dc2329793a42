//! Why a file is refused as a capture.

use crate::diagnostic::Place;

/// A capture that cannot be opened. Everything else that is wrong with one is a finding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NtffError {
    /// The file is larger than [`crate::Limits::upload_bytes`].
    #[error("the file has {bytes} bytes, the limit `upload_bytes` is {limit}")]
    FileLimit {
        /// Size of the file.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// Not even a head.
    #[error("the file ends at byte {bytes:#x}; a capture starts with a head of 128 bytes")]
    TooShort {
        /// Size of the file.
        bytes: u64,
    },
    /// A version that nobody knows, and a message that does not fit the file.
    #[error(
        "version at byte 0x0 is {version}, expected 4 or 5; a message of {message} bytes as the \
         head announces it does not fit the {available} bytes behind the head either, so this is \
         no capture"
    )]
    NoCapture {
        /// The version byte.
        version: u8,
        /// Length of the message in the head.
        message: u64,
        /// Bytes behind the head.
        available: u64,
    },
}

impl NtffError {
    /// The stable code, listed in `docs/codes.md`.
    pub fn code(&self) -> &'static str {
        match self {
            Self::FileLimit { .. } => "ntff.file-limit",
            Self::TooShort { .. } => "ntff.too-short",
            Self::NoCapture { .. } => "ntff.no-capture",
        }
    }

    /// Where it is in the file.
    pub fn place(&self) -> Place {
        match self {
            Self::FileLimit { .. } | Self::NoCapture { .. } => Place::file(0),
            Self::TooShort { bytes } => Place::file(*bytes),
        }
    }
}
