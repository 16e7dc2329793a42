//! The members of the tar: names, places and sizes, in file order. Nothing is copied.

use std::io::Cursor;

use tar::EntryType;

use crate::diagnostic::{Findings, Place, Severity};
use crate::error::{NeffError, Space};
use crate::limits::Limits;

/// Ending of the one member name that loaders skip.
/// Spec: docs/format/container.md "Tar" [observed].
pub const SKIPPED_SUFFIX: &str = "wavegraph-bin.json";

/// A regular file in the archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Name without a leading `./`; bytes that are no UTF-8 are U+FFFD. Untrusted text.
    pub name: String,
    /// Offset of its own tar header (behind PAX and long-name records) in the inflated archive.
    pub header_offset: u64,
    /// Offset of its data in the inflated archive.
    pub offset: u64,
    /// Bytes of data.
    pub bytes: u64,
    /// Whether a loader leaves it out.
    pub skipped_by_loader: bool,
}

/// Lists the regular files of a tar. Directories, links, devices, duplicates and unsafe names are
/// findings and not listed: nothing ever follows them.
///
/// The limits hold for what is met here, whatever was made of the headers before.
/// `base` is what the offsets of errors count from: the file offset of a bare tar.
/// Spec: docs/format/container.md "Tar" [observed].
pub fn members(
    tar: &[u8],
    space: Space,
    base: u64,
    limits: &Limits,
    findings: &mut Findings,
) -> Result<Vec<Member>, NeffError> {
    let mut archive = tar::Archive::new(Cursor::new(tar));
    let mut next = 0;
    let unreadable = |at: u64, error: std::io::Error| NeffError::ArchiveHeader {
        at: base.saturating_add(at),
        space,
        reason: error.to_string(),
    };
    let entries = archive.entries_with_seek().map_err(|error| unreadable(0, error))?;
    let mut list: Vec<Member> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for (met, entry) in entries.enumerate() {
        let entry = entry.map_err(|error| unreadable(next, error))?;
        let at = base.saturating_add(entry.raw_header_position());
        if met >= limits.members {
            return Err(NeffError::MemberLimit { at, space, limit: limits.members });
        }
        let (offset, bytes) = (entry.raw_file_position(), entry.size());
        let kind = entry.header().entry_type();
        let stored_name = entry.path_bytes();
        if stored_name.len() > limits.member_name_bytes {
            return Err(NeffError::NameLimit {
                at,
                space,
                bytes: stored_name.len() as u64,
                limit: limits.member_name_bytes,
            });
        }
        let text = String::from_utf8_lossy(&stored_name);
        let name = text.strip_prefix("./").unwrap_or(&text).to_owned();
        let header_offset = entry.raw_header_position();

        let kept = keeps(&name, kind, findings);
        if kept && !seen.insert(name.clone()) {
            findings.push(
                Severity::Warning,
                "archive.duplicate",
                Place::member(name),
                format!(
                    "a second member of this name at {header_offset:#x} of the archive is not used"
                ),
            );
        } else if kept {
            if std::str::from_utf8(&stored_name).is_err() {
                findings.push(
                    Severity::Warning,
                    "archive.name-text",
                    Place::member(name.clone()),
                    "the member's name is no UTF-8; other bytes are shown as U+FFFD",
                );
            }
            let skipped_by_loader = name.ends_with(SKIPPED_SUFFIX);
            list.push(Member { name, header_offset, offset, bytes, skipped_by_loader });
        }
        let end = offset.saturating_add(bytes);
        if kept && end > tar.len() as u64 {
            return Err(NeffError::ArchivePastEnd {
                name: text.into_owned(),
                at: base.saturating_add(header_offset),
                space,
                end: base.saturating_add(end),
                archive_end: base.saturating_add(tar.len() as u64),
            });
        }
        next = offset.saturating_add(bytes.div_ceil(512).saturating_mul(512));
    }
    Ok(list)
}

/// Whether an entry becomes a member; if not, says why.
fn keeps(name: &str, kind: EntryType, findings: &mut Findings) -> bool {
    let (severity, code, message) = if kind.is_dir() || (is_file(kind) && name.ends_with('/')) {
        (Severity::Info, "archive.directory", "a directory; loaders skip it")
    } else if kind.is_symlink() || kind.is_hard_link() {
        (Severity::Warning, "archive.link", "a link; links are not followed")
    } else if kind.is_pax_global_extensions() {
        (Severity::Info, "archive.pax-global", "a PAX header for all members; it is not applied")
    } else if !is_file(kind) {
        (Severity::Warning, "archive.device", "no regular file; it is not read")
    } else if name.is_empty() {
        (Severity::Warning, "archive.no-name", "a member without a name is not read")
    } else if name.starts_with('/') || name.split(['/', '\\']).any(|part| part == "..") {
        (
            Severity::Warning,
            "archive.unsafe-name",
            "an absolute name or one with `..` names nothing in this archive; it is not read",
        )
    } else {
        return true;
    };
    findings.push(severity, code, Place::member(name), message);
    false
}

/// Regular files of every dialect: type `0`, NUL and `7`.
fn is_file(kind: EntryType) -> bool {
    kind.is_file() || kind.is_contiguous()
}
