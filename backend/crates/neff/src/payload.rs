//! From the stored archive to the bytes of the tar: one gzip member, or a tar as it is.

use std::io::{ErrorKind, Read};

use flate2::bufread::GzDecoder;
use records::stored::{GZIP_TRAILER_BYTES, gzip_parts};

use crate::diagnostic::{Findings, Place, Severity};
use crate::error::{NeffError, Space};
use crate::header::ARCHIVE_OFFSET;
use crate::limits::Limits;
use crate::tar_scan::TarScan;

/// Bytes inflated between two checks of the limits.
const STEP: u64 = 1 << 20;
/// Memory reserved up front on the word of the gzip trailer, at most.
const RESERVE: u64 = 128 << 20;

/// How the archive is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// One gzip member around the tar.
    Gzip,
    /// A tar as it is.
    None,
}

impl Compression {
    /// `gzip` or `none`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::None => "none",
        }
    }
}

/// The inflated archive and how it was stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Payload {
    /// How it is stored.
    pub compression: Compression,
    /// Bytes in the file, zero tail included: the header's `data_size`.
    pub stored_bytes: u64,
    /// Zero bytes behind the gzip member; 0 for a bare tar.
    pub zero_tail_bytes: u64,
    /// Header and trailer of the gzip member, as they lie in the file; `None` for a bare tar.
    pub gzip: Option<GzipEnds>,
    /// The tar.
    pub tar: Vec<u8>,
}

/// Both ends of a gzip member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GzipEnds {
    /// Its header, with the parts that its flags announce.
    pub header: Vec<u8>,
    /// Offset of the header in the file.
    pub header_offset: u64,
    /// Its trailer.
    pub trailer: Vec<u8>,
    /// Offset of the trailer in the file.
    pub trailer_offset: u64,
}

impl GzipEnds {
    /// The ends of a member that the stored bytes begin with and that is so long.
    fn of(stored: &[u8], bytes: usize) -> Option<Self> {
        let member = stored.get(..bytes)?;
        let (end, _) = gzip_parts(member)?;
        let start = bytes.checked_sub(GZIP_TRAILER_BYTES)?;
        Some(Self {
            header: member.get(..end)?.to_vec(),
            header_offset: ARCHIVE_OFFSET,
            trailer: member.get(start..)?.to_vec(),
            trailer_offset: ARCHIVE_OFFSET + start as u64,
        })
    }
}

impl Payload {
    /// Unpacks a stored archive, whatever `pkg_version` says about its form: the magic decides.
    ///
    /// The limits are checked while inflating, and so is the tar's structure. Memory used for a
    /// refused archive is at most what was inflated when the reason was met.
    /// Spec: docs/format/container.md "Payload" [observed].
    pub fn unpack(
        stored: &[u8],
        limits: &Limits,
        findings: &mut Findings,
    ) -> Result<Self, NeffError> {
        if stored.is_empty() {
            return Err(NeffError::NoArchive { reason: "it is empty".to_owned() });
        }
        let payload = if stored.starts_with(&[0x1F, 0x8B]) {
            inflate(stored, limits, findings)?
        } else {
            bare(stored, limits, findings)?
        };
        Ok(payload)
    }
}

impl std::fmt::Debug for Payload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Payload")
            .field("compression", &self.compression)
            .field("stored_bytes", &self.stored_bytes)
            .field("zero_tail_bytes", &self.zero_tail_bytes)
            .field("tar_bytes", &self.tar.len())
            .finish_non_exhaustive()
    }
}

fn bare(stored: &[u8], limits: &Limits, findings: &mut Findings) -> Result<Payload, NeffError> {
    if stored.len() as u64 > limits.inflated_bytes {
        return Err(NeffError::InflatedLimit { limit: limits.inflated_bytes });
    }
    let mut scan = TarScan::new(Space::File, ARCHIVE_OFFSET);
    scan.advance(stored, limits)?;
    note_missing_end(scan.finish(stored)?, findings);
    note_junk(&scan, stored, Space::File, findings);
    Ok(Payload {
        compression: Compression::None,
        stored_bytes: stored.len() as u64,
        zero_tail_bytes: 0,
        gzip: None,
        tar: stored.to_vec(),
    })
}

fn inflate(stored: &[u8], limits: &Limits, findings: &mut Findings) -> Result<Payload, NeffError> {
    let mut decoder = GzDecoder::new(stored);
    let mut tar: Vec<u8> = Vec::new();
    tar.reserve_exact(plausible_size(stored, limits));
    let mut scan = TarScan::new(Space::Inflated, 0);
    loop {
        let before = tar.len();
        if tar.capacity() - before < STEP as usize {
            // Doubling, so that a wrong guess costs no more than it must.
            tar.reserve_exact((STEP as usize).max(before.min(RESERVE as usize)));
        }
        let result = decoder.by_ref().take(STEP).read_to_end(&mut tar);
        let read = stored.len() - decoder.get_ref().len();
        if let Err(error) = result {
            return Err(damaged(&error, read, stored.len(), tar.len()));
        }
        if tar.len() as u64 > limits.inflated_bytes {
            return Err(NeffError::InflatedLimit { limit: limits.inflated_bytes });
        }
        check_ratio(tar.len() as u64, read as u64, limits)?;
        scan.advance(&tar, limits)?;
        if tar.len() == before {
            break;
        }
    }
    note_missing_end(scan.finish(&tar)?, findings);
    note_junk(&scan, &tar, Space::Inflated, findings);
    let tail = decoder.into_inner();
    if let Some(index) = tail.iter().position(|byte| *byte != 0) {
        return Err(NeffError::GzipTail {
            at: ARCHIVE_OFFSET + (stored.len() - tail.len() + index) as u64,
            byte: tail.get(index).copied().unwrap_or(0),
            end: ARCHIVE_OFFSET + stored.len() as u64,
        });
    }
    Ok(Payload {
        compression: Compression::Gzip,
        stored_bytes: stored.len() as u64,
        zero_tail_bytes: tail.len() as u64,
        gzip: GzipEnds::of(stored, stored.len() - tail.len()),
        tar,
    })
}

fn check_ratio(inflated: u64, stored: u64, limits: &Limits) -> Result<(), NeffError> {
    if inflated > limits.ratio_from_bytes && inflated > stored.saturating_mul(limits.ratio) {
        return Err(NeffError::RatioLimit {
            at: ARCHIVE_OFFSET + stored,
            inflated,
            stored,
            limit: limits.ratio,
        });
    }
    Ok(())
}

fn damaged(error: &std::io::Error, read: usize, stored: usize, inflated: usize) -> NeffError {
    if error.kind() == ErrorKind::UnexpectedEof {
        return NeffError::GzipTruncated {
            at: ARCHIVE_OFFSET + stored as u64,
            inflated: inflated as u64,
        };
    }
    NeffError::Gzip { at: ARCHIVE_OFFSET + read as u64, reason: error.to_string() }
}

fn note_missing_end(ended: bool, findings: &mut Findings) {
    if !ended {
        findings.push(
            Severity::Info,
            "archive.no-end",
            Place::file(ARCHIVE_OFFSET),
            "the tar ends without its zero blocks",
        );
    }
}

/// Says where something other than zeros follows the end of the archive: nothing reads it.
fn note_junk(scan: &TarScan, tar: &[u8], space: Space, findings: &mut Findings) {
    let Some(end) = scan.end().and_then(|end| usize::try_from(end).ok()) else { return };
    let tail = tar.get(end..).unwrap_or(&[]);
    let Some(index) = tail.iter().position(|byte| *byte != 0) else { return };
    let at = (end + index) as u64;
    let place = match space {
        Space::File => Place::file(ARCHIVE_OFFSET + at),
        Space::Inflated => Place::default(),
    };
    findings.push(
        Severity::Info,
        "archive.junk",
        place,
        format!("bytes other than zero follow the end of the tar, the first at {at:#x} of it"),
    );
}

/// The inflated size that the gzip trailer claims, if a tar of that size is believable. The
/// trailer's last bytes may be zeros, so up to three of the zero tail are counted in.
fn plausible_size(stored: &[u8], limits: &Limits) -> usize {
    let used = stored.iter().rposition(|byte| *byte != 0).map_or(0, |last| last + 1);
    let cap = limits.inflated_bytes.min(RESERVE);
    for zeros in 0..4 {
        let end = used + zeros;
        let Some(size) = end.checked_sub(4).and_then(|start| stored.get(start..end)) else {
            continue;
        };
        let Ok(size) = <[u8; 4]>::try_from(size) else { continue };
        let size = u64::from(u32::from_le_bytes(size));
        let believable =
            size % 512 == 0 && size > used as u64 && size / limits.ratio.max(1) <= used as u64;
        if believable {
            // One step more, so that the read that finds the end does not grow the buffer.
            return usize::try_from(size.saturating_add(STEP).min(cap)).unwrap_or(0);
        }
    }
    0
}
