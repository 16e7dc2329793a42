//! The loader's gates over the header, in the loader's order, and what else is odd about it.

use records::neff_header::{NEFF_HEADER_BYTES, RawNeffHeader, feature_name};

use crate::diagnostic::{Findings, Place, Severity};
use crate::error::NeffError;
use crate::limits::Limits;

/// Offset of the archive in every NEFF, whatever `header_size` says.
/// Spec: docs/format/container.md "Loader gates" [observed].
pub const ARCHIVE_OFFSET: u64 = NEFF_HEADER_BYTES as u64;

/// Splits a file into its header and its stored archive, `data_size` bytes long.
///
/// Fails at the first gate that a loader would fail at. What a loader accepts but no known file
/// has is a finding.
/// Spec: docs/format/container.md "Loader gates" [observed].
pub fn split<'a>(
    bytes: &'a [u8],
    limits: &Limits,
    findings: &mut Findings,
) -> Result<(&'a RawNeffHeader, &'a [u8]), NeffError> {
    let file = bytes.len() as u64;
    if file > limits.upload_bytes {
        return Err(NeffError::FileLimit { bytes: file, limit: limits.upload_bytes });
    }
    let too_short = NeffError::TooShort { bytes: file };
    let header = RawNeffHeader::ref_from_file(bytes).map_err(|_| too_short.clone())?;
    let rest = bytes.get(NEFF_HEADER_BYTES..).ok_or(too_short)?;

    if header.header_size.get() >= file {
        return Err(NeffError::HeaderSize { found: header.header_size.get(), file });
    }
    if header.version_major.get() > 2 {
        return Err(NeffError::Version { found: header.version_major.get() });
    }
    if header.version_major.get() == 2 && header.refused_features() != 0 {
        return Err(NeffError::FeatureBits {
            bits: header.feature_bits.get(),
            refused: header.refused_features(),
        });
    }
    let data_size = header.data_size.get();
    let data_error = NeffError::DataSize { found: data_size, available: rest.len() as u64 };
    let data_len = usize::try_from(data_size).map_err(|_| data_error.clone())?;
    let stored = rest.get(..data_len).ok_or(data_error)?;
    if !matches!(header.pkg_version.get(), 1 | 2) {
        return Err(NeffError::PkgVersion { found: header.pkg_version.get() });
    }

    oddities(header, rest.len() - data_len, findings);
    Ok((header, stored))
}

fn oddities(header: &RawNeffHeader, behind: usize, findings: &mut Findings) {
    if header.header_size.get() != ARCHIVE_OFFSET {
        findings.push(
            Severity::Warning,
            "header.size",
            Place::file(0x8),
            format!(
                "header_size is {:#x}, expected 0x400; the archive is read from 0x400",
                header.header_size.get()
            ),
        );
    }
    if behind > 0 {
        let at = ARCHIVE_OFFSET.saturating_add(header.data_size.get());
        findings.push(
            Severity::Warning,
            "header.data-behind",
            Place::file(at),
            format!("{behind} bytes follow the archive, which data_size ends at {at:#x}"),
        );
    }
    if !matches!(header.lnc_size.get(), 1 | 2) {
        findings.push(
            Severity::Warning,
            "header.lnc-size",
            Place::file(0x228),
            format!("logical core size is {}, expected 1 or 2", header.lnc_size.get()),
        );
    }
    let unnamed: Vec<String> = (0..64)
        .filter(|bit| header.feature_bits.get() >> bit & 1 == 1)
        .map(feature_name)
        .filter(|name| name.starts_with("bit"))
        .map(|name| name.into_owned())
        .collect();
    if !unnamed.is_empty() {
        findings.push(
            Severity::Info,
            "header.feature-bits",
            Place::file(0x220),
            format!("feature bits without a known name: {}", unnamed.join(" ")),
        );
    }
    if let Some(index) = header.pad.iter().position(|byte| *byte != 0) {
        findings.push(
            Severity::Info,
            "header.pad",
            Place::file(0x22C + index as u64),
            "the padding of the header is not zero".to_owned(),
        );
    }
}
