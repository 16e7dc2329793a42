//! A NEFF from its description. The same description always gives the same bytes.

use std::io::Write as _;

use anyhow::{Context as _, Result, bail, ensure};
use flate2::{Compression, GzBuilder};
use md5::{Digest as _, Md5};
use sha2::Sha256;

use crate::case::{ArchiveText, Case, Damage, HeaderText, MemberText, hex_bytes};
use crate::debug_member::debug_member;
use crate::slot_text::slot;
use crate::tar_writer::{Dialect, Entry, append};

/// Builds the file of a case.
pub fn build(case: &Case) -> Result<Vec<u8>> {
    let mut tar = build_tar(case)?;
    damage(&mut tar, &case.damages, "tar")?;
    let mut payload = pack(&tar, &case.archive)?;
    damage(&mut payload, &case.damages, "payload")?;
    let mut file = header(&case.header, &payload)?;
    file.extend_from_slice(&payload);
    damage(&mut file, &case.damages, "file")?;
    Ok(file)
}

/// The tar of a case, before compression.
pub fn build_tar(case: &Case) -> Result<Vec<u8>> {
    let dialect = Dialect::parse(case.archive.dialect.as_deref())?;
    let mut tar = Vec::new();
    for member in &case.members {
        let data = content(member).with_context(|| format!("member `{}`", member.name))?;
        let entry = Entry {
            name: &member.name,
            kind: member.kind.map_or(b'0', |kind| kind as u8),
            link: &member.link,
            data: &data,
            claimed_size: member.claimed_size,
            bad_checksum: member.bad_checksum,
        };
        append(&mut tar, dialect, &entry).with_context(|| format!("member `{}`", member.name))?;
    }
    if !case.archive.no_end {
        tar.resize(tar.len() + 1024, 0);
    }
    if let Some(bytes) = case.archive.tar_bytes {
        ensure!(tar.len() as u64 <= bytes, "the tar has {} bytes already", tar.len());
        tar.resize(usize::try_from(bytes)?, 0);
    }
    Ok(tar)
}

/// The bytes of a member.
pub fn content(member: &MemberText) -> Result<Vec<u8>> {
    let mut data = Vec::new();
    if let Some(text) = &member.text {
        data.extend_from_slice(text.as_bytes());
    }
    if let Some(slots) = &member.slots {
        for text in slots {
            data.extend_from_slice(&slot(text)?);
        }
    }
    if let Some(hex) = &member.hex {
        data.extend_from_slice(&hex_bytes(hex)?);
    }
    if let Some(depth) = member.nest {
        data.resize(depth, b'[');
        data.resize(2 * depth, b']');
    }
    if let Some(debug) = &member.debug {
        data.extend_from_slice(&debug_member(debug)?);
    }
    if let Some(bytes) = member.pad_to {
        ensure!(data.len() <= bytes, "it has {} bytes already", data.len());
        data.resize(bytes, b' ');
    }
    Ok(data)
}

fn pack(tar: &[u8], archive: &ArchiveText) -> Result<Vec<u8>> {
    let mut payload = match archive.compression.as_deref() {
        None | Some("gzip") => {
            let mut encoder =
                GzBuilder::new().operating_system(3).write(Vec::new(), Compression::new(6));
            encoder.write_all(tar)?;
            encoder.finish()?
        }
        Some("none") => tar.to_vec(),
        Some(other) => bail!("compression `{other}` is not gzip or none"),
    };
    let tail = usize::try_from(archive.zero_tail.unwrap_or(0))?;
    payload.resize(payload.len() + tail, 0);
    Ok(payload)
}

fn header(text: &HeaderText, payload: &[u8]) -> Result<Vec<u8>> {
    let mut out = vec![0_u8; 1024];
    let mut put = |at: usize, bytes: &[u8], room: usize| -> Result<()> {
        ensure!(bytes.len() <= room, "{} bytes do not fit {room} at {at:#x}", bytes.len());
        out[at..at + bytes.len()].copy_from_slice(bytes);
        Ok(())
    };
    let pkg_version = text.pkg_version.unwrap_or(2);
    put(0x000, &pkg_version.to_le_bytes(), 8)?;
    put(0x008, &text.header_size.unwrap_or(0x400).to_le_bytes(), 8)?;
    put(0x010, &text.data_size.unwrap_or(payload.len() as u64).to_le_bytes(), 8)?;
    put(0x018, &text.major.unwrap_or(2).to_le_bytes(), 8)?;
    put(0x020, &text.minor.unwrap_or(0).to_le_bytes(), 8)?;
    put(0x028, text.build_version.as_deref().unwrap_or("").as_bytes(), 128)?;
    put(0x0A8, &text.num_tpb.unwrap_or(1).to_le_bytes(), 4)?;
    let mut hash = match text.hash.as_deref() {
        None | Some("match") if pkg_version == 1 => Sha256::digest(payload).to_vec(),
        None | Some("match") => Md5::digest(payload).to_vec(),
        Some(digits) => hex_bytes(digits)?,
    };
    hash.resize(32, text.hash_fill.unwrap_or(0));
    put(0x0AC, &hash, 32)?;
    let uuid = text.uuid.as_deref().unwrap_or("00000000-0000-4000-8000-000000000000");
    put(0x0CC, &hex_bytes(uuid)?, 16)?;
    put(0x0DC, text.name.as_deref().unwrap_or("file.neff").as_bytes(), 256)?;
    put(0x1DC, &text.requested_tpb_count.unwrap_or(1).to_le_bytes(), 4)?;
    put(0x1E0, &[text.first_node_tpb.unwrap_or(1)], 64)?;
    put(0x220, &text.feature_bits.unwrap_or(0).to_le_bytes(), 8)?;
    put(0x228, &text.lnc_size.unwrap_or(1).to_le_bytes(), 4)?;
    Ok(out)
}

fn damage(bytes: &mut Vec<u8>, damages: &[Damage], stage: &str) -> Result<()> {
    for damage in damages {
        ensure!(
            ["tar", "payload", "file"].contains(&damage.stage.as_str()),
            "stage `{}` is not tar, payload or file",
            damage.stage
        );
        if damage.stage != stage {
            continue;
        }
        let new = hex_bytes(&damage.hex)?;
        let at = damage.offset.unwrap_or(bytes.len());
        if !new.is_empty() {
            bytes.resize(bytes.len().max(at + new.len()), 0);
            bytes[at..at + new.len()].copy_from_slice(&new);
        }
        if let Some(length) = damage.cut_to {
            ensure!(length <= bytes.len(), "only {} bytes to cut", bytes.len());
            bytes.truncate(length);
        }
    }
    Ok(())
}
