//! A profile that a user brings along.

use crate::answer::At;
use crate::error::{ApiError, ErrorKind};
use device_image::Profile;
use device_image::profile::ProfileError;
use device_image::profile_text::MAX_PROFILE_BYTES;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// An opened profile file. One with a mistake is opened too, so that the mistake can be shown.
pub struct ProfileFile {
    name: String,
    bytes: u64,
    /// Tells contents apart, whatever the file is called.
    key: String,
    profile: Result<Arc<Profile>, ProfileError>,
}

impl ProfileFile {
    /// Opens bytes under a display name.
    ///
    /// # Errors
    /// `profile.text` for bytes that are no text or too many.
    pub fn open(name: &str, bytes: &[u8]) -> Result<Self, ApiError> {
        let error = |message| ApiError::new(ErrorKind::Undecodable, "profile.text", message);
        if bytes.len() > MAX_PROFILE_BYTES {
            return Err(error(format!("a profile has at most {MAX_PROFILE_BYTES} bytes")));
        }
        let text = std::str::from_utf8(bytes).map_err(|wrong| {
            let offset = Some(wrong.valid_up_to() as u64);
            error(format!("a profile is UTF-8 text, byte {:#x} is not", wrong.valid_up_to()))
                .at(At { member: Some(name.to_owned()), offset, ..At::default() })
        })?;
        Ok(Self {
            name: name.to_owned(),
            bytes: bytes.len() as u64,
            key: crate::convert::hex_bytes(&Sha256::digest(bytes)),
            profile: Profile::parse(text).map(Profile::configured).map(Arc::new),
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

    /// Tells its content apart from that of other files.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// What is wrong with it; `None` for a sound profile.
    pub fn mistake(&self) -> Option<&ProfileError> {
        self.profile.as_ref().err()
    }

    /// The profile.
    ///
    /// # Errors
    /// `profile.invalid` with line, column and what was expected.
    pub fn profile(&self) -> Result<&Arc<Profile>, ApiError> {
        self.profile.as_ref().map_err(|error| {
            let message = error.to_string();
            let at = crate::convert::at_text(&self.name, error.at);
            ApiError::new(ErrorKind::Undecodable, "profile.invalid", message).at(at)
        })
    }

    /// Whether a question means this profile: by the name inside it or by that of its file.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.profile.as_ref().is_ok_and(|profile| profile.name == name)
    }
}
