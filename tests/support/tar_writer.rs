//! Tar archives in the three dialects that NEFFs use, written byte by byte.

use anyhow::{Result, bail, ensure};

/// Dialect of the headers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// POSIX headers, owner `nobody`.
    Ustar,
    /// GNU headers: magic with blanks, owner ids in base 256, long names in records of their own.
    Gnu,
    /// POSIX headers, each behind a PAX record with three time stamps.
    Pax,
}

impl Dialect {
    /// The dialect of a name; `ustar` if there is none.
    pub fn parse(name: Option<&str>) -> Result<Self> {
        Ok(match name {
            None | Some("ustar") => Self::Ustar,
            Some("gnu") => Self::Gnu,
            Some("pax") => Self::Pax,
            Some(other) => bail!("dialect `{other}` is not ustar, gnu or pax"),
        })
    }
}

/// One entry to write.
#[derive(Clone, Copy, Debug)]
pub struct Entry<'a> {
    /// Name.
    pub name: &'a str,
    /// Type flag.
    pub kind: u8,
    /// Target of a link.
    pub link: &'a str,
    /// Content.
    pub data: &'a [u8],
    /// Size to claim instead of the true one.
    pub claimed_size: Option<u64>,
    /// Spoil the checksum.
    pub bad_checksum: bool,
}

/// Appends an entry, with the extra records that its dialect needs.
pub fn append(out: &mut Vec<u8>, dialect: Dialect, entry: &Entry<'_>) -> Result<()> {
    match dialect {
        Dialect::Pax => {
            let (folder, file) = entry.name.rsplit_once('/').unwrap_or(("", entry.name));
            let slash = if folder.is_empty() { "" } else { "/" };
            let mut record = String::new();
            if entry.name.len() > 100 {
                record.push_str(&pax_record("path", entry.name));
            }
            for key in ["atime", "ctime", "mtime"] {
                record.push_str(&pax_record(key, "1650000000.25"));
            }
            let name = format!("{folder}{slash}PaxHeader/{file}");
            let name: String = name.chars().take(99).collect();
            raw(out, dialect, &name, b'x', "", record.as_bytes(), None, false)?;
        }
        Dialect::Gnu if entry.name.len() > 100 => {
            let mut long = entry.name.as_bytes().to_vec();
            long.push(0);
            raw(out, dialect, "././@LongLink", b'L', "", &long, None, false)?;
        }
        _ => {}
    }
    raw(
        out,
        dialect,
        entry.name,
        entry.kind,
        entry.link,
        entry.data,
        entry.claimed_size,
        entry.bad_checksum,
    )
}

/// `<length> <key>=<value>` and a line end, where the length counts itself.
fn pax_record(key: &str, value: &str) -> String {
    let rest = format!(" {key}={value}\n");
    let mut length = rest.len();
    while length != rest.len() + length.to_string().len() {
        length = rest.len() + length.to_string().len();
    }
    format!("{length}{rest}")
}

#[allow(clippy::too_many_arguments, reason = "one parameter for each part of a header")]
fn raw(
    out: &mut Vec<u8>,
    dialect: Dialect,
    name: &str,
    kind: u8,
    link: &str,
    data: &[u8],
    claimed_size: Option<u64>,
    bad_checksum: bool,
) -> Result<()> {
    let mut header = [0_u8; 512];
    let (prefix, short) = split_name(name, dialect)?;
    put(&mut header, 0, short.as_bytes());
    put(&mut header, 100, b"0000664\0");
    if dialect == Dialect::Gnu {
        // Base 256: the top bit of the first byte, then the number in the last bytes.
        put(&mut header, 108, &[0x80, 0, 0, 0, 0, 0, 0x03, 0xE8]);
        put(&mut header, 116, &[0x80, 0, 0, 0, 0, 0, 0x03, 0xE8]);
        put(&mut header, 257, b"ustar  \0");
    } else {
        put(&mut header, 108, b"001750 \0");
        put(&mut header, 116, b"001750 \0");
        put(&mut header, 257, b"ustar\x0000");
        put(&mut header, 329, b"000000 \0");
        put(&mut header, 337, b"000000 \0");
        put(&mut header, 345, prefix.as_bytes());
        if dialect == Dialect::Ustar {
            put(&mut header, 265, b"nobody");
            put(&mut header, 297, b"nobody");
        }
    }
    let size = claimed_size.unwrap_or(data.len() as u64);
    put(&mut header, 124, format!("{size:011o}\0").as_bytes());
    put(&mut header, 136, b"00000000000\0");
    header[156] = kind;
    put(&mut header, 157, link.as_bytes());
    put(&mut header, 148, b"        ");
    let mut sum: u32 = header.iter().map(|byte| u32::from(*byte)).sum();
    if bad_checksum {
        sum += 1;
    }
    put(&mut header, 148, format!("{sum:06o}\0 ").as_bytes());
    out.extend_from_slice(&header);
    out.extend_from_slice(data);
    out.resize(out.len().next_multiple_of(512), 0);
    Ok(())
}

/// Prefix and name fields of a header.
fn split_name(name: &str, dialect: Dialect) -> Result<(&str, &str)> {
    if name.len() <= 100 {
        return Ok(("", name));
    }
    match dialect {
        // The long name is in the record before.
        Dialect::Gnu | Dialect::Pax => Ok(("", name.get(..99).unwrap_or(""))),
        Dialect::Ustar => {
            let cut = name
                .match_indices('/')
                .map(|(at, _)| at)
                .find(|at| *at <= 155 && name.len() - at - 1 <= 100);
            ensure!(cut.is_some(), "`{name}` does not fit a ustar header");
            let cut = cut.unwrap_or(0);
            Ok((&name[..cut], &name[cut + 1..]))
        }
    }
}

fn put(header: &mut [u8; 512], at: usize, bytes: &[u8]) {
    header[at..at + bytes.len()].copy_from_slice(bytes);
}
