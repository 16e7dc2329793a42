//! A table of control entries as raw bytes.

use neff::{Findings, Place, Severity};
use records::collectives::SpadCtrlEntry;
use records::collectives::entry::ENTRY_BYTES;

/// Entries that the memory of a control table has room for, on cayman.
/// Spec: docs/format/collectives.md "Tables" [observed].
pub const SPAD_ENTRIES: u64 = 512;

/// Entries of a table, and where it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SpadTable {
    /// First byte in the dump.
    pub offset: u64,
    /// Its entries.
    pub entries: Vec<SpadCtrlEntry>,
}

impl SpadTable {
    /// Reads `count` entries from a byte on; without a count all that are there, at most as many as
    /// the memory of a table holds. What is missing is a finding.
    pub fn read(bytes: &[u8], offset: u64, count: Option<u64>, findings: &mut Findings) -> Self {
        let start = usize::try_from(offset).unwrap_or(usize::MAX);
        let rest = bytes.get(start..).unwrap_or(&[]);
        let (whole, left) = rest.as_chunks::<ENTRY_BYTES>();
        let wanted = count.unwrap_or((whole.len() as u64).min(SPAD_ENTRIES));
        let taken = usize::try_from(wanted).unwrap_or(usize::MAX);
        let entries: Vec<SpadCtrlEntry> =
            whole.iter().take(taken).map(|bytes| SpadCtrlEntry::from_bytes(*bytes)).collect();
        let end = offset.saturating_add(entries.len() as u64 * ENTRY_BYTES as u64);
        if wanted > SPAD_ENTRIES {
            let message = format!(
                "{wanted} entries are asked for; the memory of a control table has \
                 {SPAD_ENTRIES} on cayman"
            );
            let past = offset.saturating_add(SPAD_ENTRIES * ENTRY_BYTES as u64);
            findings.push(Severity::Warning, "spad.count", Place::file(past), message);
        }
        if (entries.len() as u64) < wanted {
            let message = format!(
                "the table is cut short: {} of {wanted} entries are there, and {} bytes more",
                entries.len(),
                left.len()
            );
            findings.push(Severity::Error, "spad.cut-short", Place::file(end), message);
        } else if count.is_none() && rest.is_empty() {
            let message = "no byte is there, and an entry has 8".to_owned();
            findings.push(Severity::Error, "spad.cut-short", Place::file(end), message);
        } else if count.is_none() && whole.len() == entries.len() && !left.is_empty() {
            let message = format!(
                "{} bytes follow the last whole entry, and an entry has {ENTRY_BYTES}",
                left.len()
            );
            findings.push(Severity::Error, "spad.cut-short", Place::file(end), message);
        }
        let table = Self { offset, entries };
        table.check(findings);
        table
    }

    /// First byte of an entry.
    pub fn start(&self, index: usize) -> u64 {
        self.offset.saturating_add((index * ENTRY_BYTES) as u64)
    }

    fn check(&self, findings: &mut Findings) {
        for (index, entry) in self.entries.iter().enumerate() {
            let (at, fields) = (self.start(index), entry.fields());
            if fields.cc_op && entry.reserved() != 0 {
                let message = format!(
                    "entry {index} has reserved bits {:#x}; a packer leaves them zero",
                    entry.reserved()
                );
                findings.push(Severity::Info, "spad.reserved", Place::file(at), message);
            }
            if fields.cc_op && fields.algo_type > 11 {
                let message = format!(
                    "entry {index} has the algorithm {}, which has no name",
                    fields.algo_type
                );
                findings.push(Severity::Info, "spad.algorithm", Place::file(at + 1), message);
            }
        }
        let last = self.entries.iter().rposition(|entry| entry.fields().cc_op);
        let open = last.and_then(|index| Some((index, self.entries.get(index)?)));
        if let Some((index, entry)) = open.filter(|(_, entry)| entry.fields().trigger_next) {
            let message = format!(
                "entry {index}, the last operation, starts a next one (word {:#x}), and none \
                 follows",
                entry.0
            );
            findings.push(
                Severity::Info,
                "spad.chain-open",
                Place::file(self.start(index) + 1),
                message,
            );
        }
    }
}
