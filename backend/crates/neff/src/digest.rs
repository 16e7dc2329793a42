//! The header's digest against the stored archive. A difference is a fact to show, never a reason
//! to refuse: most real files differ.

use md5::Md5;
use records::neff_header::RawNeffHeader;
use sha2::{Digest as _, Sha256};

use crate::diagnostic::{Findings, Place, Severity};

/// Which digest the header's `pkg_version` asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DigestAlgorithm {
    /// `pkg_version` 2: 16 bytes, the first half of the field.
    Md5,
    /// `pkg_version` 1: 32 bytes.
    Sha256,
}

impl DigestAlgorithm {
    /// `md5` or `sha256`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Sha256 => "sha256",
        }
    }
}

/// The stored digest beside the computed one.
/// Spec: docs/format/container.md "Digest" [observed].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    /// Algorithm.
    pub algorithm: DigestAlgorithm,
    /// The compared bytes of the header: 16 or 32.
    pub stored: Vec<u8>,
    /// The digest of the stored archive, zero tail included: 16 or 32 bytes.
    pub computed: Vec<u8>,
}

impl Digest {
    /// Compares the header's digest with the stored archive; a difference becomes a finding.
    pub fn of(header: &RawNeffHeader, stored: &[u8], findings: &mut Findings) -> Self {
        let digest = if header.pkg_version.get() == 1 {
            Self {
                algorithm: DigestAlgorithm::Sha256,
                stored: header.hash.to_vec(),
                computed: Sha256::digest(stored).to_vec(),
            }
        } else {
            Self {
                algorithm: DigestAlgorithm::Md5,
                stored: header.hash.iter().copied().take(16).collect(),
                computed: Md5::digest(stored).to_vec(),
            }
        };
        if !digest.matches() {
            findings.push(
                Severity::Warning,
                "digest.differs",
                Place::file(0xAC),
                format!(
                    "the header's hash is not the {} of the payload; recent compilers store \
                     another value, so this alone does not mean damage",
                    digest.algorithm.name()
                ),
            );
        }
        digest
    }

    /// Whether both agree.
    pub fn matches(&self) -> bool {
        self.stored == self.computed
    }

    /// `match` or `differs`.
    pub fn verdict(&self) -> &'static str {
        if self.matches() { "match" } else { "differs" }
    }
}
