//! Instruction records of real programs: every record has a meaning, and what is known to hold for
//! compiled programs holds for what we read.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a suite fails by panicking")]

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a suite fails loudly and says what it skips"
)]

use kbin::effects::{SyncTarget, starts_collective};
use kbin::{disasm, memory_effects, sync_effects};
use records::opcode::{Generation, OPCODES};
use records::payload::transfer::Direct2d;
use records::payload::value::{LocalAddress, Place};
use records::payload::{FieldKind, compute, layout_of};
use records::sync::{UpdateKind, UpdateMode, WaitKind, WaitMode};
use records::{Engine, Head, Opcode, Slot, Sync};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::PathBuf;

/// Slots of each engine of one core, and the semaphores at the end of a run.
struct Expected {
    file: &'static str,
    slots: [usize; 5],
    semaphores: Vec<(u8, u32)>,
}

fn expected() -> [Expected; 2] {
    let range = |ids: std::ops::RangeInclusive<u8>, value| ids.map(move |id| (id, value));
    [
        Expected {
            file: "matmul_small/matmul_small.neff",
            slots: [12, 5, 7, 2, 3],
            semaphores: [(4, 2), (5, 4), (8, 16)].into_iter().chain(range(24..=27, 16)).collect(),
        },
        Expected {
            file: "matmul_large/matmul_large.neff",
            slots: [21_269, 103, 6_873, 1_101, 449],
            semaphores: [(4, 69), (5, 16_640), (6, 603)]
                .into_iter()
                .chain(range(8..=23, 240))
                .chain(range(24..=39, 4_128))
                .chain(range(40..=55, 16))
                .collect(),
        },
    ]
}

const BINS: [&str; 5] = ["PE.bin", "Activation.bin", "Pool.bin", "DVE.bin", "SP.bin"];

/// The five streams of both cores of each real file, or nothing if the files are not here.
fn programs() -> Vec<(Expected, [Vec<Slot>; 5])> {
    let root = std::env::var_os("NEFFSCOPE_REAL").map_or_else(
        || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared/real"),
        PathBuf::from,
    );
    let mut programs = Vec::new();
    for core in ["sg00", "sg01"] {
        for expected in expected() {
            let path = root.join(expected.file);
            let Ok(bytes) = std::fs::read(&path) else {
                eprintln!("skipped: {} is not here", path.display());
                continue;
            };
            let members = members(&bytes);
            let stream = |engine: Engine| {
                let bytes = &members[&format!("{core}/{}", BINS[engine.index()])];
                let (slots, tail) = Slot::slice_of(bytes);
                assert_eq!(tail.len(), 0);
                slots.to_vec()
            };
            programs.push((expected, Engine::ALL.map(stream)));
        }
    }
    programs
}

fn members(neff: &[u8]) -> BTreeMap<String, Vec<u8>> {
    let mut tar = Vec::new();
    flate2::read::GzDecoder::new(&neff[1024..]).read_to_end(&mut tar).unwrap();
    let mut members = BTreeMap::new();
    for entry in tar::Archive::new(tar.as_slice()).entries().unwrap() {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        members.insert(name, bytes);
    }
    members
}

#[test]
fn every_record_has_a_name_and_the_usual_head() {
    for (expected, streams) in programs() {
        assert_eq!(streams.each_ref().map(Vec::len), expected.slots, "{}", expected.file);
        for slot in streams.iter().flatten() {
            let head = Head::of(slot);
            let opcode = head.opcode;
            assert!(opcode.mnemonic().is_some(), "{slot:?}");
            assert_eq!((head.words, head.debug_cmd, head.debug_hint), (16, 0, 0));
            assert!(!starts_collective(opcode));
            let sync = Sync::of(slot);
            assert!(sync.waits().all(|wait| wait.mode == WaitMode::GREATER_OR_EQUAL));
            assert!(
                sync.updates().all(|update| update.mode == UpdateMode::INCREMENT_COMPLETE),
                "{slot:?}"
            );
        }
    }
}

#[test]
fn no_byte_that_is_set_stays_unread() {
    for (_, streams) in programs() {
        for slot in streams.iter().flatten() {
            for field in disasm::fields(slot) {
                let unread = field.kind == FieldKind::Unread && field.value != "0";
                assert!(!unread, "{} at {:#x} of {slot:?}", field.value, field.offset);
            }
        }
    }
}

#[test]
fn operands_stay_inside_their_memory() {
    // A partition of the state buffer up to the reserved word, and PSUM.
    const STATE_BUFFER_BYTES: i64 = 0x37ff8;
    const PSUM_BYTES: i64 = 0x4000;
    let mut operands = 0;
    for (_, streams) in programs() {
        for slot in streams.iter().flatten() {
            let effects = memory_effects(slot);
            for operand in effects.reads.iter().chain(&effects.writes) {
                let (low, high) = operand.extent().expect("an operand with elements");
                let (start, limit) = match operand.address.place() {
                    Place::StateBuffer { partition: 0, byte } => (byte, STATE_BUFFER_BYTES),
                    Place::Psum { byte } => (byte, PSUM_BYTES),
                    place => panic!("{place:?} in {slot:?}"),
                };
                let start = i64::from(start);
                assert!(start + low >= 0 && start + high < limit, "{slot:?}");
                operands += 1;
            }
        }
    }
    // One for each weight load, two for each other compute record, three with two sources.
    let per_core = |one: u64, two: u64, three: u64| one + 2 * two + 3 * three;
    let small = per_core(4, 4 + 2, 0);
    let large = per_core(4_352 + 64, 16_640 + 22 + 47 + 10 + 17, 512);
    let whole = 2 * (small + large);
    assert!(operands == 0 || operands == 2 * small || operands == whole, "{operands} operands");
}

#[test]
fn counts_of_sources_and_targets_agree() {
    for (_, streams) in programs() {
        for slot in streams.iter().flatten() {
            let effects = memory_effects(slot);
            let product = |list: &[kbin::effects::MemoryOperand]| {
                list.first().map_or(0, |operand| operand.pattern.product())
            };
            let (read, written) = (product(&effects.reads), product(&effects.writes));
            match Opcode(slot.opcode_byte()) {
                Opcode::LDWEIGHTS => {
                    assert_eq!(read, u64::from(compute::LoadWeights::of(slot).columns));
                }
                Opcode::MATMUL => assert_eq!(read, written, "{slot:?}"),
                Opcode::COPY | Opcode::CAST => {
                    let op = compute::Copy::of(slot);
                    assert_eq!(op.src_counts, op.dst_counts, "{slot:?}");
                    let copy = slot.opcode_byte() == Opcode::COPY.0;
                    assert_eq!(op.dtype == op.out_dtype, copy, "{slot:?}");
                }
                Opcode::PSEUDO_DMA_DIRECT2D => {
                    let transfer = Direct2d::of(slot);
                    assert_eq!(transfer.increment, 16);
                    let (source, target) = (transfer.source(), transfer.target());
                    let elements = |bytes: u16, dtype: records::payload::value::Dtype| {
                        u32::from(bytes) / u32::from(dtype.bytes().unwrap())
                    };
                    assert_eq!(
                        elements(source.row_bytes, source.dtype),
                        elements(target.row_bytes, target.dtype),
                        "{slot:?}"
                    );
                }
                _ => {}
            }
        }
    }
}

/// Runs the waits and posts alone, with transfers that end at once: every engine reaches its end,
/// and the semaphores end at the values that the hardware reports.
#[test]
fn waits_and_posts_carry_every_stream_to_its_end() {
    for (expected, streams) in programs() {
        let mut semaphores = [0_u32; 256];
        let mut at = [0_usize; 5];
        let mut moved = true;
        while moved {
            moved = false;
            for (at, stream) in at.iter_mut().zip(&streams) {
                while let Some(slot) = stream.get(*at) {
                    let effects = sync_effects(slot, None);
                    assert!(!effects.unknown_mode);
                    let ready = effects.waits.iter().all(|wait| match wait {
                        kbin::effects::WaitEffect {
                            target: SyncTarget::Semaphore(id),
                            condition: WaitKind::Semaphore { compare, register: false },
                            value,
                            ..
                        } => compare.holds(semaphores[usize::from(*id)], *value),
                        other => panic!("{other:?}"),
                    });
                    if !ready {
                        break;
                    }
                    for post in effects.posts {
                        let SyncTarget::Semaphore(id) = post.target else {
                            panic!("{post:?}");
                        };
                        assert!(matches!(post.action, UpdateKind::Add | UpdateKind::Increment));
                        semaphores[usize::from(id)] += post.value;
                    }
                    *at += 1;
                    moved = true;
                }
            }
        }
        assert_eq!(at, expected.slots, "{}", expected.file);
        let raised: Vec<(u8, u32)> =
            (0..=255).zip(semaphores).filter(|&(_, value)| value > 0).collect();
        assert_eq!(raised, expected.semaphores, "{}", expected.file);
    }
}

#[test]
fn records_of_a_small_program_read_as_expected() {
    let Some((_, streams)) = programs().into_iter().next() else { return };
    let [pe, act, _, _, sp] = &streams;
    let text = |slot: &Slot| disasm::text(slot);
    assert_eq!(text(&pe[0]), "SET_ORDERING_MODE mode=0");
    assert_eq!(text(&pe[1]), "PSEUDO_BRANCH_LABEL label=0");
    assert_eq!(text(&pe[2]), "EVENT_SEMAPHORE $S[24]>=16");
    assert_eq!(
        text(&pe[3]),
        "LDWEIGHTS $S[8]>=16 src=0x37cfe src_steps=[-1,0,-32] src_counts=[32,1,4] dtype=fp16 \
         transpose=1 rows=128 columns=128 row_groups=0xf column_groups=0xf"
    );
    let operands = |slot: &Slot| disasm::operands(slot, disasm::Names::NONE);
    assert_eq!(operands(&pe[4]), "SB 0x37b00 → PSUM 0x800");
    assert_eq!(disasm::update_words(&pe[4]), "sem[5] ++ at completion");
    assert_eq!(operands(&act[3]), "PSUM 0x800 → SB 0x4000, int32 128×128");
    assert_eq!(operands(&sp[2]), "var 4 0x0 → var 0 0x37b00, 128 × 256 B");
    assert_eq!(LocalAddress(0x37b00).place(), Place::StateBuffer { partition: 0, byte: 0x37b00 });
}

/// The page about streams lists what the code reads: every operation code, every payload field.
#[test]
fn the_page_lists_every_code_and_every_field() {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let page = std::fs::read_to_string(root.join("docs/format/streams.md")).unwrap();
    for info in OPCODES {
        let last = if info.last == Generation::V5 { "" } else { "V2" };
        let row = format!(
            "| `{:#04x}` | {} | {} | {:?} | {last} |",
            info.opcode.0,
            info.mnemonic,
            info.class.name(),
            info.first
        );
        assert!(page.contains(&row), "no row {row}");
    }
    for code in 0..=255 {
        let mut slot = Slot::ZERO;
        slot.0[0] = code;
        let Some(section) = section_of(&page, code) else {
            assert!(layout_of(&slot).is_empty(), "no section for {code:#04x}");
            continue;
        };
        for field in layout_of(&slot) {
            let (at, bytes, name) = (field.offset, field.bytes, field.name);
            let row = format!("| `{at:#04x}` | {bytes} | `{name}` | {} |", field.meaning);
            let register_form = name == "register" && at == 0x20 && bytes == 4;
            assert!(section.contains(&row) || register_form, "{code:#04x} has no row {row}");
        }
    }
}

/// The text of the payload section of a code, up to the next heading.
fn section_of(page: &str, code: u8) -> Option<&str> {
    let code = format!("{code:#04x} ");
    page.split("\n#").find(|section| {
        let heading = section.lines().next().unwrap_or_default();
        heading.starts_with("###") && heading.contains(&code)
    })
}
