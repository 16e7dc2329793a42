//! The linear walk over a patch list, in two readings: the runtime's own arithmetic, and the exact
//! one. Slow and plain on purpose: the fast map is checked against it.
//!
//! A walk follows the image slot by slot from the start of a section and counts source records.
//! Spec: docs/format/pc-map.md "The walk" [observed].

use records::{PatchRow, PatchSection, PatchType};

use crate::layout::SLOT;

/// A row whose type the walk does not know was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("invalid patch type {}", .0.0)]
pub struct InvalidPatchType(pub PatchType);

/// Result of the runtime's walk to one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Walked {
    /// 1-based record index in the section; inside an inserted run, that of the record that was
    /// expanded.
    pub ip: u32,
    /// The same through the shipped 32-bit arithmetic, which wraps inside an inserted run.
    pub literal: u32,
}

/// Slots from the section start at which the rows of one section lie, in stored order. `first` is
/// the image slot of the section start if the rows count from the image start, else 0. Rows before
/// the section start are already swallowed and left out.
fn section_rows(
    rows: &[PatchRow],
    section: PatchSection,
    first: u64,
) -> impl Iterator<Item = (u64, &PatchRow)> {
    rows.iter()
        .filter(move |row| row.section == section)
        .filter_map(move |row| Some(((u64::from(row.offset) / SLOT).checked_sub(first)?, row)))
}

/// Walks to the slot `target` of a section as the runtime does: a row at the target itself is not
/// applied. `target` counts from the section start.
/// Spec: docs/format/pc-map.md "The walk" [observed].
pub fn runtime(
    rows: &[PatchRow],
    section: PatchSection,
    first: u64,
    target: u64,
) -> Result<Walked, InvalidPatchType> {
    let (mut at, mut ip) = (0_u64, 1_u32);
    for (place, row) in section_rows(rows, section, first) {
        if at >= target {
            break;
        }
        if place < at {
            continue;
        }
        let step = place.min(target) - at;
        at += step;
        ip = ip.wrapping_add(step as u32);
        if at >= target {
            break;
        }
        match row.kind {
            PatchType::INSERT => at += u64::from(row.count),
            PatchType::MODIFY => {
                at += 1;
                ip = ip.wrapping_add(1);
            }
            PatchType::DELETE => ip = ip.wrapping_add(row.count),
            other => return Err(InvalidPatchType(other)),
        }
    }
    if at < target {
        ip = ip.wrapping_add((target - at) as u32);
        at = target;
    }
    // The shipped tail adds the low 32 bits of the distance still to go, which is negative here.
    let literal = ip.wrapping_sub((at - target) as u32);
    Ok(Walked { ip, literal })
}

/// Walks to the slot `target` exactly: as [`runtime`], and the DELETE rows at the target itself
/// are applied up to the first row there that is none. Returns the record index and whether the
/// slot lies in an inserted run.
/// Spec: docs/format/pc-map.md "Exact reading" [observed].
pub fn exact(
    rows: &[PatchRow],
    section: PatchSection,
    first: u64,
    target: u64,
) -> Result<(u64, bool), InvalidPatchType> {
    let (mut at, mut ip) = (0_u64, 1_u64);
    let mut inserted = false;
    for (place, row) in section_rows(rows, section, first) {
        if place < at {
            continue;
        }
        if place > target || at > target {
            break;
        }
        ip += place - at;
        at = place;
        match row.kind {
            PatchType::DELETE => ip += u64::from(row.count),
            PatchType::INSERT => {
                at += u64::from(row.count);
                inserted = at > target;
                if place == target || inserted {
                    break;
                }
            }
            // A rewritten slot: nothing more can apply at the target.
            PatchType::MODIFY if place == target => break,
            PatchType::MODIFY => {
                at += 1;
                ip += 1;
            }
            _ if place == target => break,
            other => return Err(InvalidPatchType(other)),
        }
    }
    Ok((ip + target.saturating_sub(at), inserted))
}
