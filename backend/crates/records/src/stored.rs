//! The headers of what a NEFF is stored in: a gzip member and the entries of a tar. Layout only:
//! reading archives is the business of the `neff` crate.
//! Spec: docs/format/container.md "Gzip header", "Tar header" [observed].

use std::borrow::Cow;

/// Size of a tar header, and the grain of an archive.
pub const TAR_BLOCK_BYTES: usize = 512;
/// Size of the fixed part of a gzip header.
pub const GZIP_HEADER_BYTES: usize = 10;
/// Size of a gzip trailer.
pub const GZIP_TRAILER_BYTES: usize = 8;

/// How the bytes of a field are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoredForm {
    /// Text up to a NUL.
    Text,
    /// Octal digits, or a big-endian number where the highest bit is set.
    Octal,
    /// Little-endian decimal number.
    Dec,
    /// Little-endian hex number.
    Hex,
    /// One character.
    Char,
    /// Zero bytes that fill up.
    Padding,
}

/// A field of a header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoredField {
    /// First byte.
    pub offset: usize,
    /// Size in bytes.
    pub bytes: usize,
    /// Name, as in the format.
    pub name: &'static str,
    /// How to read it.
    pub form: StoredForm,
    /// What it is, in a few words.
    pub meaning: &'static str,
}

impl StoredField {
    const fn new(
        offset: usize,
        bytes: usize,
        name: &'static str,
        form: StoredForm,
        meaning: &'static str,
    ) -> Self {
        Self { offset, bytes, name, form, meaning }
    }

    /// The field's bytes in a header; empty if the header is shorter.
    pub fn bytes_in<'a>(&self, header: &'a [u8]) -> &'a [u8] {
        header.get(self.offset..self.offset + self.bytes).unwrap_or(&[])
    }
}

use StoredForm::{Char, Dec, Hex, Octal, Padding, Text};

/// Every field of a tar header; together they cover the block without a gap.
pub const TAR_FIELDS: [StoredField; 17] = [
    StoredField::new(0, 100, "name", Text, "name, or its last part"),
    StoredField::new(100, 8, "mode", Octal, "permissions"),
    StoredField::new(108, 8, "uid", Octal, "id of the owner"),
    StoredField::new(116, 8, "gid", Octal, "id of the group"),
    StoredField::new(124, 12, "size", Octal, "bytes of data"),
    StoredField::new(136, 12, "mtime", Octal, "seconds since 1970"),
    StoredField::new(
        148,
        8,
        "chksum",
        Octal,
        "sum of the header's bytes, with this field as spaces",
    ),
    StoredField::new(156, 1, "typeflag", Char, "kind of the entry"),
    StoredField::new(157, 100, "linkname", Text, "what a link leads to"),
    StoredField::new(257, 6, "magic", Text, "`ustar`"),
    StoredField::new(263, 2, "version", Text, "`00`; blank in GNU headers"),
    StoredField::new(265, 32, "uname", Text, "name of the owner"),
    StoredField::new(297, 32, "gname", Text, "name of the group"),
    StoredField::new(329, 8, "devmajor", Octal, "number of a device"),
    StoredField::new(337, 8, "devminor", Octal, "number of a device"),
    StoredField::new(345, 155, "prefix", Text, "first part of a long name"),
    StoredField::new(500, 12, "pad", Padding, "fills the block"),
];

/// Every field of the fixed part of a gzip header.
pub const GZIP_FIELDS: [StoredField; 6] = [
    StoredField::new(0, 2, "magic", Hex, "0x8b1f: bytes 1f 8b"),
    StoredField::new(2, 1, "method", Dec, "8: deflate"),
    StoredField::new(3, 1, "flags", Hex, "which of the parts below follow"),
    StoredField::new(4, 4, "mtime", Dec, "seconds since 1970, or 0"),
    StoredField::new(8, 1, "extra_flags", Dec, "how hard the compressor tried: 2 most, 4 least"),
    StoredField::new(9, 1, "os", Dec, "system of the compressor: 3 Unix, 255 unknown"),
];

/// The fields of a gzip trailer.
pub const GZIP_TRAILER_FIELDS: [StoredField; 2] = [
    StoredField::new(0, 4, "crc32", Hex, "check sum of the inflated bytes"),
    StoredField::new(
        4,
        4,
        "isize",
        Dec,
        "inflated bytes, of which only the lowest 32 bits are stored",
    ),
];

const _: () = {
    let mut next = 0;
    let mut at = 0;
    while at < TAR_FIELDS.len() {
        assert!(TAR_FIELDS[at].offset == next);
        next += TAR_FIELDS[at].bytes;
        at += 1;
    }
    assert!(next == TAR_BLOCK_BYTES);
    let (mut next, mut at) = (0, 0);
    while at < GZIP_FIELDS.len() {
        assert!(GZIP_FIELDS[at].offset == next);
        next += GZIP_FIELDS[at].bytes;
        at += 1;
    }
    assert!(next == GZIP_HEADER_BYTES);
};

/// A number of a tar header: octal digits between blanks and NULs, or big-endian where the highest
/// bit is set. `None` for other bytes; an empty field is 0.
pub fn tar_number(field: &[u8]) -> Option<u64> {
    if field.first().is_some_and(|first| first & 0x80 != 0) {
        let (first, rest) = field.split_first()?;
        return rest.iter().try_fold(u64::from(first & 0x7F), |sum, byte| {
            sum.checked_mul(256)?.checked_add(u64::from(*byte))
        });
    }
    let text = std::str::from_utf8(field).ok()?.trim_matches([' ', '\0']);
    if text.is_empty() {
        return Some(0);
    }
    let is_octal = text.bytes().all(|byte| (b'0'..=b'7').contains(&byte));
    u64::from_str_radix(text, 8).ok().filter(|_| is_octal)
}

/// The sum that the check sum of a tar header should be.
pub fn tar_checksum(header: &[u8]) -> u64 {
    let bytes = header.iter().take(TAR_BLOCK_BYTES).enumerate();
    bytes.map(|(at, byte)| u64::from(if (148..156).contains(&at) { b' ' } else { *byte })).sum()
}

/// What an entry of a tar is, by its type flag.
pub fn tar_kind(flag: u8) -> Cow<'static, str> {
    Cow::Borrowed(match flag {
        b'0' | 0 => "file",
        b'1' => "hard link",
        b'2' => "symbolic link",
        b'3' => "character device",
        b'4' => "block device",
        b'5' => "directory",
        b'6' => "FIFO",
        b'7' => "contiguous file",
        b'x' => "PAX records of the next entry",
        b'g' => "PAX records of all entries",
        b'L' => "long name of the next entry",
        b'K' => "long link name of the next entry",
        _ => return Cow::Owned(format!("type {flag:#04x}")),
    })
}

/// A part of a gzip header: name, first byte, size.
pub type GzipPart = (&'static str, usize, usize);

/// End of a gzip header that starts at byte 0, with the parts that its flags announce: the parts.
/// `None` if the bytes end before.
pub fn gzip_parts(bytes: &[u8]) -> Option<(usize, Vec<GzipPart>)> {
    let flags = *bytes.get(3)?;
    let mut at = GZIP_HEADER_BYTES;
    let mut parts = Vec::new();
    if flags & 4 != 0 {
        let size = bytes.get(at..at + 2)?;
        let size = 2 + usize::from(u16::from_le_bytes([*size.first()?, *size.get(1)?]));
        parts.push(("extra", at, size));
        at += size;
    }
    for (bit, name) in [(8, "name"), (16, "comment")] {
        if flags & bit != 0 {
            let size = bytes.get(at..)?.iter().position(|byte| *byte == 0)? + 1;
            parts.push((name, at, size));
            at += size;
        }
    }
    if flags & 2 != 0 {
        parts.push(("header_crc", at, 2));
        at += 2;
    }
    (at <= bytes.len()).then_some((at, parts))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_a_tar() {
        assert_eq!(tar_number(b"0000644\0"), Some(0o644));
        assert_eq!(tar_number(b"   1750 "), Some(1000));
        assert_eq!(tar_number(b"\0\0\0\0"), Some(0));
        assert_eq!(tar_number(b"\x80\0\0\0\0\0\x01\0"), Some(256));
        assert_eq!(tar_number(b"00089\0"), None);
        assert_eq!(tar_number(&[0xFF; 12]), None);
        let mut block = [0_u8; 512];
        block[0] = b'a';
        // One letter and eight blanks: 97 + 8 x 32.
        assert_eq!(tar_checksum(&block), 97 + 256);
        block[150] = 99;
        assert_eq!(tar_checksum(&block), 97 + 256);
    }

    #[test]
    fn parts_of_a_gzip_header() {
        let plain = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 2, 0xFF];
        assert_eq!(gzip_parts(&plain), Some((10, Vec::new())));
        let mut named = plain.to_vec();
        named[3] = 8 | 4 | 2;
        named.extend(b"\x03\0abc");
        named.extend(b"a.tar\0");
        named.extend([1, 2]);
        let parts = vec![("extra", 10, 5), ("name", 15, 6), ("header_crc", 21, 2)];
        assert_eq!(gzip_parts(&named), Some((23, parts)));
        assert_eq!(gzip_parts(&named[..20]), None);
    }
}
