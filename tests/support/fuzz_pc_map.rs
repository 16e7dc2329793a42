//! Fuzz body of the PC map: any bytes become a patch list; the fast map must agree with the plain
//! walk everywhere and with itself backward, and must not panic.

use device_image::pc_map::{PcMap, SourceCounts};
use device_image::{ByteRange, ImageRanges, IpPlace, RuntimeError, walk};
use records::{DevicePc, NeffIp, PatchRow, PatchSection, PatchType, SlotIndex};

/// Largest record index that the map answers.
const MAX_IP: u64 = (1 << 31) - 1;

/// Takes the first five bytes for sizes and each five that follow for a row.
pub fn run(data: &[u8]) {
    let Some((sizes, rest)) = data.split_first_chunk::<5>() else { return };
    let [preamble, main, postamble, functions, records] = sizes.map(u64::from);
    let (core, function_start) = (preamble * 64, (preamble + main + postamble) * 64);
    let image_bytes = function_start + functions * 64;
    let ranges = ImageRanges {
        preamble: ByteRange { offset: 0, size: core },
        model_switch: ByteRange::default(),
        core: ByteRange { offset: core, size: main * 64 },
        functions: ByteRange { offset: function_start, size: functions * 64 },
        image_bytes,
    };
    let rows: Vec<PatchRow> = rest.chunks_exact(5).map(row).collect();
    let counts = SourceCounts { main: records as u32, functions: 9 };
    let map = PcMap::new(&rows, ranges, counts);
    let _ = map.check();
    let base = DevicePc(u64::from(sizes[4]) << 33);
    for slot in 0..image_bytes / 64 + 2 {
        check_slot(&map, &rows, base, slot);
    }
    for ip in 0..=600 {
        check_ip(&map, NeffIp(ip));
    }
}

/// Five bytes: place, count, and three choices. Some places are unaligned, some counts huge.
fn row(bytes: &[u8]) -> PatchRow {
    let &[place, count, kind, section, choice] = bytes else {
        return PatchRow {
            offset: 0,
            count: 0,
            kind: PatchType::MODIFY,
            section: PatchSection::MAIN,
        };
    };
    let unaligned = if choice & 0xF0 == 0xF0 { 17 } else { 0 };
    let count = match choice & 0xF {
        0xF => u32::MAX - u32::from(count),
        0xE => (1 << 31) - u32::from(count),
        _ => u32::from(count % 8),
    };
    PatchRow {
        offset: u32::from(place) * 64 + unaligned,
        count,
        kind: PatchType(u32::from(kind % 16).min(3)),
        section: PatchSection(u32::from(section % 6)),
    }
}

/// Exact and runtime answers against the walk.
fn check_slot(map: &PcMap, rows: &[PatchRow], base: DevicePc, slot: u64) {
    let ranges = *map.ranges();
    let pc = DevicePc(base.0 + slot * 64);
    let (core, functions) = (ranges.core, ranges.functions);
    let (section, first, start, before) = if core.contains(slot * 64) {
        (PatchSection::MAIN, core.first_slot(), core.first_slot(), 0)
    } else if functions.contains(slot * 64) {
        let before = u64::from(map.source().main);
        (PatchSection::FUNCTION, 0, functions.first_slot(), before)
    } else {
        assert_eq!(map.exact(base, pc), None);
        assert!(map.runtime(base, pc).is_err());
        return;
    };
    let target = slot - start;
    let walked = walk::exact(rows, section, first, target).ok();
    let expected = walked.filter(|walked| walked.0 <= MAX_IP);
    let exact = map.exact(base, pc);
    assert_eq!(
        exact.map(|exact| (u64::from(exact.neff_ip.0), exact.inserted)),
        expected.map(|(ip, inserted)| (ip + before, inserted)),
        "slot {slot}"
    );
    assert_eq!(map.exact(base, DevicePc(pc.0 + 63)), exact, "an unaligned PC rounds down");
    if let Some(exact) = exact {
        let IpPlace::Slots(run) = map.image_slots(exact.neff_ip) else {
            // Counts that do not fit the rows: a MAIN record past the source's count is looked
            // for among the functions.
            assert!(map.check().is_err(), "record {} of slot {slot} is lost", exact.neff_ip);
            return;
        };
        assert!(map.check().is_err() || run.contains(&(slot as u32)));
    }
    let found = [PatchSection::MAIN, PatchSection::POSTAMBLE]
        .map(|section| rows.iter().position(|row| row.section == section));
    let runtime = map.runtime(base, pc);
    match (found[0], runtime) {
        (None, runtime) => assert_eq!(runtime, Err(RuntimeError::NoMainRow)),
        (Some(_), Err(RuntimeError::NoPostambleRow)) => {}
        (Some(_), runtime) => {
            let walk = walk::runtime(rows, section, first, target);
            let expected = if section == PatchSection::MAIN {
                walk.map(|walked| (walked.ip, walked.literal))
            } else {
                let last = core.slots().checked_sub(1);
                let main = last.map_or(Ok((1, 1)), |last| {
                    walk::runtime(rows, PatchSection::MAIN, core.first_slot(), last)
                        .map(|walked| (walked.ip, walked.literal))
                });
                main.and_then(|main| {
                    let walked = walk?;
                    Ok((main.0.wrapping_add(walked.ip), main.1.wrapping_add(walked.literal)))
                })
            };
            assert_eq!(
                runtime.map(|ip| (ip.neff_ip, ip.literal)),
                expected.map_err(RuntimeError::BadRow),
                "slot {slot}"
            );
        }
    }
}

/// Every slot that a record leads to leads back to the record.
fn check_ip(map: &PcMap, ip: NeffIp) {
    match map.image_slots(ip) {
        IpPlace::Slots(run) => {
            for slot in run {
                let exact = map.exact_at_slot(SlotIndex(slot));
                assert_eq!(exact.map(|exact| exact.neff_ip), Some(ip));
            }
        }
        IpPlace::Deleted(slot) => {
            let after = map.exact_at_slot(slot);
            assert!(after.is_none_or(|after| after.neff_ip > ip));
        }
        IpPlace::Outside => {}
    }
}
