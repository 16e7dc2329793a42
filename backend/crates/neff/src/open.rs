//! Opening a file: container first, then its subgraphs.

use crate::diagnostic::Findings;
use crate::error::NeffError;
use crate::limits::Limits;
use crate::package::{self, Package};
use crate::subgraph;

/// Opens a NEFF.
///
/// A file that a loader refuses, or whose archive is damaged, fails with the reason and the byte
/// offset. Everything else that is odd becomes a finding: the result can be looked at even if a
/// document or a member is missing. DMA blocks, debug layers and the smaller documents are not
/// decoded here.
pub fn open(bytes: &[u8], limits: &Limits, findings: &mut Findings) -> Result<Package, NeffError> {
    let mut package = package::unpack(bytes, limits, findings)?;
    subgraph::load(&mut package, findings);
    Ok(package)
}
