//! The runtime's records of a program with a function: bytes at their published places.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a suite fails by panicking"
)]

use device_image::{
    Assembly, Generation, Inputs, Options, PatchLists, Profile, RuntimeRecord, RuntimeRecords,
    Subgraph, assemble_all,
};
use neff::Findings;
use records::build::Draft;
use records::{DeviceAddr, Engine, Provenance, Slot};

const BASE: u64 = 0x8005_C041_0000;

fn assembly() -> (Profile, Assembly) {
    let subgraph = Subgraph::without_queues(Generation::Cayman);
    let profile = Profile::built_in("cayman-r2.27").unwrap();
    let inputs = Inputs::defaults(&profile, &subgraph, None).unwrap();
    let named = |opcode, name: &str| Draft::new(opcode).bytes(0x0C, name.as_bytes());
    // MAIN: copy, label, collective, call. f: begin, copy, return.
    let stream = [
        Draft::new(0x46).slot(),
        Draft::new(0xCC).slot(),
        Draft::new(0xC8).slot(),
        named(0xD3, "f").slot(),
        named(0xD1, "f").u8(0x31, 6).u8(0x32, 7).slot(),
        Draft::new(0x46).slot(),
        Draft::new(0xD2).slot(),
    ];
    let empty: &[Slot] = &[];
    let mut findings = Findings::new();
    let streams = [&stream[..], empty, empty, empty, empty];
    let all =
        assemble_all(&profile, &subgraph, streams, &inputs, Options::default(), &mut findings);
    assert_eq!(findings, Findings::new());
    (profile, all)
}

fn with<T>(lists: &PatchLists, ask: impl FnOnce(RuntimeRecords<'_>) -> T) -> T {
    let (profile, all) = assembly();
    ask(RuntimeRecords {
        images: all.images.each_ref(),
        patch_lists: lists,
        bases: [(DeviceAddr(BASE), Provenance::Modelled); 5],
        generation: profile.generation,
        capabilities: &profile.capabilities,
    })
}

fn record(name: &str) -> RuntimeRecord {
    with(&PatchLists::Kept, |all| all.record(Engine::Pe, name)).unwrap()
}

fn word(record: &RuntimeRecord, at: usize) -> u64 {
    u64::from_le_bytes(record.bytes[at..at + 8].try_into().unwrap())
}

/// PE: PREAMBLE 62 slots, MAIN 1 + 3 + 3 = 7, POSTAMBLE 11, FUNCTION 1 + (1 + 2 + 1) = 5.
#[test]
fn ranges_of_the_three_records() {
    let (preamble, core) = ((0, 62 * 64), (62 * 64, 7 * 64));
    let eib = record("eib");
    assert_eq!((word(&eib, 0x08), word(&eib, 0x10)), preamble);
    assert_eq!((word(&eib, 0x28), word(&eib, 0x30)), core);
    let addrs = record("addrs");
    assert_eq!((word(&addrs, 0x28), word(&addrs, 0x30)), core);
    assert_eq!((word(&addrs, 0x18), word(&addrs, 0x20)), (word(&eib, 0x18), word(&eib, 0x20)));
    let functions = record("ib_functions");
    assert_eq!((word(&functions, 0), word(&functions, 8)), (80 * 64, 5 * 64));
    // Pointers of the host are 0 and said to be no value.
    let base = &addrs.fields[0];
    assert_eq!((base.name.as_str(), base.known, word(&addrs, 0)), ("base", false, 0));
    let one = addrs.fields.iter().find(|field| field.name == "one_offset.size").unwrap();
    assert!(one.provenance >= Provenance::Inferred);
}

#[test]
fn the_staged_block_is_a_head_and_the_image() {
    let block = record("inst_block");
    let bytes = 85 * 64;
    assert_eq!(block.bytes.len(), 96 + bytes);
    assert_eq!(&block.bytes[..10], b"One block\0");
    assert_eq!((word(&block, 0x20), word(&block, 0x28)), (bytes as u64, bytes as u64));
    assert_eq!(word(&block, 0x50), BASE);
    // The image begins with the notification that the switch starts.
    assert_eq!(block.bytes[0x60], 0xA6);
    let last = block.fields.last().unwrap();
    assert_eq!((last.name.as_str(), last.offset, last.bytes), ("buf", 96, bytes as u64));
}

#[test]
fn functions_and_blocks() {
    let f = record("functions.1");
    assert_eq!(&f.bytes[..2], b"f\0");
    assert_eq!((f.bytes[256], f.bytes[260], f.bytes[261], f.bytes[262]), (1, 6, 7, 0));
    // MAIN's second block: records 1 to 4 of the stream, a label, a trigger of three slots and a
    // call of three. Its call is resolved later: one 8-byte offset.
    let block = record("functions.0.blocks.1");
    assert_eq!((block.bytes[4], block.bytes[192]), (1, 1));
    assert_eq!((word(&block, 16), word(&block, 24)), (64, 4 * 64));
    assert_eq!(word(&block, 40), 7 * 64, "the translated buffer holds the label too");
    assert_eq!(word(&block, 64), 8);
    assert_eq!((word(&block, 176), word(&block, 184)), (63 * 64, 6 * 64));
    // Its own rows: INSERT 2 of the trigger and INSERT 2 of the call.
    assert_eq!(block.bytes[80], 2);
    let names: Vec<&str> = block.fields.iter().map(|field| field.name.as_str()).collect();
    assert!(names.contains(&"patch_info.sp.locations") && names.contains(&"block_offset.size"));
}

#[test]
fn patch_lists_and_their_rows() {
    // PREAMBLE, label, trigger, call, POSTAMBLE, begin record, return.
    let list = record("patch_info.PE");
    assert_eq!((list.bytes[0], list.bytes[4]), (7, 8));
    let info = record("patch_info");
    assert_eq!(&info.bytes[..16], &list.bytes[..]);
    assert_eq!((info.bytes[16], info.bytes[20]), (2, 8), "an empty stream has two rows");
    let row = record("patch_info.PE.1");
    assert_eq!(row.bytes, [0xC0, 0x0F, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0]);
    let freed = PatchLists::Freed { engine: Engine::Sp, code: "image.too-large" };
    let (list, row) = with(&freed, |all| {
        (all.record(Engine::Pe, "patch_info.PE"), all.record(Engine::Pe, "patch_info.PE.0"))
    });
    assert_eq!((list.unwrap().bytes, row), (vec![0; 16], None));
}

/// Places that the reader of a trace computes: (engine + 0x18A) x 16 and engine x 8 + 0x1988.
#[test]
fn places_in_the_model() {
    let place = |engine: Engine, name: &str| {
        let found = with(&PatchLists::Kept, |all| all.record(engine, name)).unwrap();
        found.entry.model_offset
    };
    let list = format!("patch_info.{}", Engine::Dve);
    assert_eq!(place(Engine::Dve, &list), Some((3 + 0x18A) * 16));
    assert_eq!(place(Engine::Dve, "addrs"), Some(3 * 8 + 0x1988));
    assert_eq!(place(Engine::Sp, "ib_functions"), Some(0x19B0 + 4 * 16));
    assert_eq!(place(Engine::Pe, "eib"), None);
}

#[test]
fn what_is_not_known_of_a_generation_has_no_value() {
    let events = record("reserved_events");
    assert!(events.fields.iter().all(|field| field.known));
    let ids = [0, 1, 2, 3, 0x23, 3, 0, 3, 4, 5, 5, 6, 7, 8, 9, 10, 13, 14, 18, 3];
    assert_eq!(events.bytes, ids);
    // The table of a generation: 61 slots, whose addresses are the loader's.
    let ops = record("arch_ops");
    assert_eq!((ops.bytes.len(), ops.fields.len()), (488, 61));
    assert!(ops.fields.iter().all(|field| !field.known && field.bytes == 8));
    assert_eq!((ops.fields[44].name.as_str(), ops.fields[44].offset), ("sem_inc_addr", 352));
    let capabilities = record("capabilities");
    let dge = capabilities.fields.iter().find(|field| field.name == "hardware_dge").unwrap();
    assert_eq!((capabilities.bytes[8], dge.provenance), (1, Provenance::Inferred));
}

/// The page of the profiles gives every byte of the table, and none of them as unknown.
#[test]
fn the_page_of_profiles_has_all_reserved_ids() {
    let page = include_str!("../../../../docs/format/profiles.md");
    let part = page.split("## Reserved events").nth(1).unwrap().split("\n## ").next().unwrap();
    let numbers = |cell: &str| -> Vec<usize> {
        cell.split(|c: char| !c.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
    };
    let mut written = Vec::new();
    for row in part.lines().filter(|row| row.starts_with("| ")).skip(1) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (bytes, ids) = (numbers(cells[1]), numbers(cells[3]));
        assert_eq!(bytes.len(), ids.len(), "{row}");
        written.extend(bytes.into_iter().zip(ids));
    }
    let known = record("reserved_events").bytes;
    let table: Vec<(usize, usize)> = known.iter().map(|id| usize::from(*id)).enumerate().collect();
    assert_eq!(written, table);
}

/// Every name of the list leads to its record, and pages of the list follow each other.
#[test]
fn every_listed_record_is_found() {
    with(&PatchLists::Kept, |all| {
        for engine in Engine::ALL {
            let (whole, total) = all.list(engine, 0, usize::MAX);
            assert_eq!(whole.len(), total);
            for entry in &whole {
                let found = all.record(engine, &entry.name).unwrap();
                assert_eq!(&found.entry, entry);
                assert_eq!(found.bytes.len() as u64, entry.bytes);
                let end = found.fields.last().map(|field| field.offset + field.bytes).unwrap();
                assert!(end <= entry.bytes);
            }
            let (page, _) = all.list(engine, 3, 2);
            assert_eq!(page[..], whole[3..5]);
        }
        // 10 with fixed names, 2 functions with 2 and 1 blocks, 7 rows.
        assert_eq!(all.list(Engine::Pe, 0, 0).1, 10 + 5 + 7);
        for name in
            ["", "eib.0", "functions.2", "functions.00", "functions.0.blocks.2", "patch_info.XX"]
        {
            assert_eq!(all.record(Engine::Pe, name), None, "{name}");
        }
    });
}
