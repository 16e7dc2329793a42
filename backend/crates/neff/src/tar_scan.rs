//! Walks tar headers while the archive is still being inflated, so that damage and hostile
//! structure are refused early and with the exact offset.
//!
//! It checks what a reader relies on: checksums, sizes that stay inside the archive, the number
//! of members and the length of names. Reading members is left to [`crate::archive`].

use tar::{EntryType, Header, PaxExtensions};

use crate::error::{NeffError, Space};
use crate::limits::Limits;

const BLOCK: u64 = 512;
/// Longest accepted extension record besides names: time stamps and comments.
const EXTENSION_BYTES: u64 = 1 << 20;

/// Incremental check of a tar's structure.
#[derive(Debug)]
pub struct TarScan {
    space: Space,
    base: u64,
    next: u64,
    members: usize,
    size_override: Option<u64>,
    last: Option<Extent>,
    state: State,
}

/// The last member met: enough to say who leaves the archive.
#[derive(Debug)]
struct Extent {
    header: u64,
    name: String,
    end: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Walking,
    /// A block of zeros was met: the archive is over.
    Ended,
    /// A form whose length this walk does not know; the reader behind it does.
    Unknown,
}

impl TarScan {
    /// Starts at the first header. `base` is added to offsets in errors.
    pub fn new(space: Space, base: u64) -> Self {
        Self {
            space,
            base,
            next: 0,
            members: 0,
            size_override: None,
            last: None,
            state: State::Walking,
        }
    }

    /// Checks every header that lies whole inside the bytes so far.
    pub fn advance(&mut self, archive: &[u8], limits: &Limits) -> Result<(), NeffError> {
        while self.state == State::Walking {
            let Some(block) = slice(archive, self.next, BLOCK) else { return Ok(()) };
            if block.iter().all(|byte| *byte == 0) {
                self.state = State::Ended;
                return Ok(());
            }
            if !self.step(block, archive, limits)? {
                return Ok(());
            }
        }
        Ok(())
    }

    /// Checks that nothing leaves the archive, now that all of it is there. True if it was ended
    /// by zero blocks, as it should be.
    pub fn finish(&self, archive: &[u8]) -> Result<bool, NeffError> {
        let end = archive.len() as u64;
        if let Some(last) = &self.last
            && last.end > end
        {
            return Err(NeffError::ArchivePastEnd {
                name: last.name.clone(),
                at: self.base.saturating_add(last.header),
                space: self.space,
                end: self.base.saturating_add(last.end),
                archive_end: self.base.saturating_add(end),
            });
        }
        if self.state == State::Walking && self.next < end {
            return Err(self.unreadable(
                self.next,
                format!("{} bytes are left, expected a header of 512 bytes", end - self.next),
            ));
        }
        Ok(self.state != State::Walking)
    }

    /// Offset of the zero block that ends the archive; `None` if none was met.
    pub fn end(&self) -> Option<u64> {
        (self.state == State::Ended).then_some(self.next)
    }

    /// Handles one header; false when more bytes are needed first.
    fn step(&mut self, block: &[u8], archive: &[u8], limits: &Limits) -> Result<bool, NeffError> {
        let at = self.next;
        let header = Header::from_byte_slice(block);
        self.checksum(at, block, header)?;
        self.base256(at, block)?;
        let own_size = header
            .entry_size()
            .map_err(|error| self.unreadable(at, format!("its size field: {error}")))?;
        let data = at.saturating_add(BLOCK);
        let kind = header.entry_type();
        let is_name = kind.is_gnu_longname() || kind.is_gnu_longlink();
        let is_local = is_name || kind.is_pax_local_extensions();
        let is_extension = is_local || kind.is_pax_global_extensions();
        // Readers take local extensions only from headers with a magic; any other entry uses up
        // what was said about the next one.
        let is_known = header.as_ustar().is_some() || header.as_gnu().is_some();
        let own_override = self.size_override;
        if !(is_local && is_known) {
            self.size_override = None;
        }

        let size = if is_extension {
            self.extension(at, kind, own_size, limits)?;
            let Some(record) = slice(archive, data, own_size) else {
                self.remember(at, header, data.saturating_add(own_size));
                return Ok(false);
            };
            if kind.is_pax_local_extensions() {
                self.pax(at, record, limits)?;
            }
            let name = record.strip_suffix(&[0]).unwrap_or(record).len();
            if is_name && name > limits.member_name_bytes {
                return Err(self.name_limit(at, name as u64, limits));
            }
            own_size
        } else {
            self.members += 1;
            if self.members > limits.members {
                return Err(NeffError::MemberLimit {
                    at: self.base.saturating_add(at),
                    space: self.space,
                    limit: limits.members,
                });
            }
            own_override.unwrap_or(own_size)
        };
        self.remember(at, header, data.saturating_add(size));
        if kind.is_gnu_sparse() {
            self.state = State::Unknown;
        }
        if size > limits.inflated_bytes {
            return Err(self.unreadable(
                at,
                format!("a size of {size} bytes, more than the limit `inflated_bytes`"),
            ));
        }
        self.next = data.saturating_add(size.div_ceil(BLOCK).saturating_mul(BLOCK));
        Ok(true)
    }

    /// Refuses binary sizes of more than 64 bits: only the low ones would be read.
    fn base256(&self, at: u64, block: &[u8]) -> Result<(), NeffError> {
        match block.get(124..128) {
            Some([first, high @ ..])
                if first & 0x80 != 0 && (*first != 0x80 || high != [0, 0, 0]) =>
            {
                Err(self.unreadable(at, "its binary size does not fit 64 bits".to_owned()))
            }
            _ => Ok(()),
        }
    }

    fn checksum(&self, at: u64, block: &[u8], header: &Header) -> Result<(), NeffError> {
        // The checksum's own eight bytes count as blanks.
        let sum = |bytes: &[u8]| bytes.iter().map(|byte| u32::from(*byte)).sum::<u32>();
        let own = block.get(148..156).map_or(0, sum);
        let expected = sum(block) - own + 8 * 32;
        let looks_like_tar = header.as_ustar().is_some() || header.as_gnu().is_some();
        match header.cksum() {
            Ok(found) if found == expected => Ok(()),
            _ if at == 0 && !looks_like_tar => Err(NeffError::NoArchive {
                reason: "it has neither the magic of gzip nor a tar header with a valid checksum"
                    .to_owned(),
            }),
            Ok(found) => Err(NeffError::ArchiveChecksum {
                at: self.base.saturating_add(at),
                space: self.space,
                found,
                expected,
            }),
            Err(error) => Err(self.unreadable(at, format!("its checksum field: {error}"))),
        }
    }

    fn extension(
        &self,
        at: u64,
        kind: EntryType,
        size: u64,
        limits: &Limits,
    ) -> Result<(), NeffError> {
        let is_name = kind.is_gnu_longname() || kind.is_gnu_longlink();
        // A stored long name ends with a NUL.
        let limit = limits.member_name_bytes as u64 + 1;
        if is_name && size > limit {
            return Err(self.name_limit(at, size.saturating_sub(1), limits));
        }
        if size > EXTENSION_BYTES {
            return Err(self.unreadable(
                at,
                format!("an extension of {size} bytes, expected at most {EXTENSION_BYTES}"),
            ));
        }
        Ok(())
    }

    fn pax(&mut self, at: u64, record: &[u8], limits: &Limits) -> Result<(), NeffError> {
        let mut stated = None;
        for extension in PaxExtensions::new(record) {
            let extension = extension
                .map_err(|error| self.unreadable(at, format!("its PAX records: {error}")))?;
            match extension.key_bytes() {
                b"path" | b"linkpath" => {
                    let bytes = extension.value_bytes().len();
                    if bytes > limits.member_name_bytes {
                        return Err(self.name_limit(at, bytes as u64, limits));
                    }
                }
                b"size" => {
                    let size = extension.value().ok().and_then(|text| text.parse().ok());
                    let size: u64 = size.ok_or_else(|| {
                        self.unreadable(at, "its PAX size is no decimal number".to_owned())
                    })?;
                    if stated.is_some_and(|other| other != size) {
                        let reason = "its PAX records state two sizes".to_owned();
                        return Err(self.unreadable(at, reason));
                    }
                    stated = Some(size);
                    self.size_override = stated;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn remember(&mut self, at: u64, header: &Header, end: u64) {
        let name = String::from_utf8_lossy(&header.path_bytes()).into_owned();
        self.last = Some(Extent { header: at, name, end });
    }

    fn name_limit(&self, at: u64, bytes: u64, limits: &Limits) -> NeffError {
        NeffError::NameLimit {
            at: self.base.saturating_add(at),
            space: self.space,
            bytes,
            limit: limits.member_name_bytes,
        }
    }

    fn unreadable(&self, at: u64, reason: String) -> NeffError {
        NeffError::ArchiveHeader { at: self.base.saturating_add(at), space: self.space, reason }
    }
}

fn slice(bytes: &[u8], at: u64, len: u64) -> Option<&[u8]> {
    let start = usize::try_from(at).ok()?;
    let end = usize::try_from(at.checked_add(len)?).ok()?;
    bytes.get(start..end)
}
