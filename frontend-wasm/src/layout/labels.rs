//! Mnemonics of the slots of a strip, where these are wide enough: which loaded row names a cell,
//! and how much of the name fits.

use super::ips;
use super::place::{Places, row_of_deleted};
use super::store::RowStore;
use super::strips::TrackKind;
use debug_api::answer::EngineRegions;

/// Width of a character of a name.
const CHAR: f64 = 6.62;
/// Room at the left of a name, and at its right.
const SIDES: f64 = 9.0;

/// The display row that a cell shows: of an image slot, or of a 0-based NEFF record.
pub fn row_of(engine: &EngineRegions, places: &Places, kind: TrackKind, at: u64) -> Option<u64> {
    match kind {
        TrackKind::Image => places.row_of_slot(engine, u32::try_from(at).ok()?),
        TrackKind::Neff => {
            let ip = u32::try_from(at.checked_add(1)?).ok()?;
            if let Some(row) = row_of_deleted(engine, ip) {
                return Some(row);
            }
            places.row_of_slot(engine, u32::try_from(ips::slot_of(engine, ip)?).ok()?)
        }
    }
}

/// The mnemonic of a cell, if its row has been loaded.
pub fn mnemonic(
    store: &RowStore,
    engine: &EngineRegions,
    places: &Places,
    kind: TrackKind,
    at: u64,
) -> Option<String> {
    let row = store.get(row_of(engine, places, kind, at)?)?;
    // A record that became several slots is named by its own bytes, not by the first of these.
    let own = match kind {
        TrackKind::Image => true,
        TrackKind::Neff => row.slot().is_none() || row.u8("patch") & 0x7f != 1,
    };
    own.then(|| row.text("mnemonic").to_owned())
}

/// As much of a name as fits into a width, with a sign of what is left out.
pub fn cut(name: &str, width: f64) -> Option<String> {
    let room = ((width - SIDES) / CHAR).floor();
    let room = if room >= 1.0 { room as usize } else { 0 };
    if name.chars().count() <= room {
        return Some(name.to_owned());
    }
    // A letter and a sign tell nothing.
    (room >= 4).then(|| name.chars().take(room - 1).chain(['…']).collect())
}

#[cfg(test)]
mod tests {
    use super::super::place::tests::small;
    use super::*;

    #[test]
    fn cells_find_their_rows() {
        let engine = small();
        let places = Places::new(&engine);
        let image = |at| row_of(&engine, &places, TrackKind::Image, at);
        assert_eq!([image(0), image(3), image(4), image(8)], [Some(1), Some(6), Some(8), None]);
        let neff = |at| row_of(&engine, &places, TrackKind::Neff, at);
        assert_eq!([neff(0), neff(1), neff(2)], [Some(6), Some(7), Some(8)]);
    }

    #[test]
    fn names_are_cut_where_they_do_not_fit() {
        // 5 characters are 33.1 px wide.
        assert_eq!(cut("DRAIN", 43.0).as_deref(), Some("DRAIN"));
        assert_eq!(cut("DRAIN", 36.0).as_deref(), Some("DRA…"));
        assert_eq!(cut("EVENT_SEMAPHORE", 60.0).as_deref(), Some("EVENT_…"));
        assert_eq!(cut("DRAIN", 20.0), None);
    }
}
