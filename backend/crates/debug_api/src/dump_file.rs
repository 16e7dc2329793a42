//! Raw memory of a device that a user brings along. What it holds is said by each question: it has no
//! head, and nothing in it names its generation.

use std::sync::OnceLock;

use device_image::firmware::likely_arch;
use records::collectives::ContextArch;

/// An opened dump.
pub struct DumpFile {
    name: String,
    bytes: Vec<u8>,
    /// The generation that fits a context at byte 0 best.
    likely: OnceLock<ContextArch>,
}

impl DumpFile {
    /// Keeps bytes under a display name. Any bytes are a dump.
    pub fn new(name: &str, bytes: Vec<u8>) -> Self {
        Self { name: name.to_owned(), bytes, likely: OnceLock::new() }
    }

    /// Display name, without a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// All bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The generation whose layout fits a context at a byte best.
    pub fn likely_arch(&self, offset: u64) -> ContextArch {
        match offset {
            0 => *self.likely.get_or_init(|| likely_arch(&self.bytes, 0)),
            _ => likely_arch(&self.bytes, offset),
        }
    }
}
