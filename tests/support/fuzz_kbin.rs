//! Body of the fuzz target `kbin`: any texts stand for the documents of a program.

use kbin::direct::Direct;
use kbin::lowering::model::Arm;
use kbin::patterns::{Transfer, queue_need};
use kbin::reach::{Reach, ranges, shared};
use kbin::{Kbin, Options, RecordId};
use neff::{Findings, Limits, Package};
use records::kbin::activation::RawActFunctionSet;
use records::kbin::engine::EngineBlock;
use records::kbin::queue::{DmaQueue, RingInstance};
use records::kbin::root::RawKbin;
use records::kbin::sets::{Carveouts, RawUcodeLib};
use records::kbin::variable::{MemRefArm, MemRefTable};
use records::{Opcode, Slot};

use crate::case::{Case, MemberText};
use crate::neff_builder::build;

/// Members that the parts of an input stand for, in this order.
pub const MEMBERS: [&str; 11] = [
    "sg00/def.json",
    "sg00/pool.json",
    "sg00/exp.json",
    "sg00/ulib.json",
    "sg00/act_info.json",
    "sg00/weights.npy",
    "kelf-0.json",
    "sg00/act.json",
    "sg00/dve.json",
    "sg01/def.json",
    "sg00/exp_bkt.bin",
];

/// Byte between two parts; it occurs in no UTF-8 text.
pub const BETWEEN: u8 = 0xFF;

/// Puts the parts of an input into the members of a case, and builds the tree of its first
/// subgraph twice. Nothing may panic, both are the same, every record has the size that the list
/// says, its pages are its bytes, its bytes decode to what the tree has, and its fields lie in it.
/// Findings lead to things that are there. Gives whether there is a tree.
///
/// # Panics
///
/// When one of this does not hold.
#[allow(clippy::panic, reason = "a fuzz body reports by panicking")]
pub fn run(base: &Case, data: &[u8]) -> bool {
    let mut case = base.clone();
    case.archive.compression = Some("none".to_owned());
    for (name, part) in MEMBERS.iter().zip(data.split(|byte| *byte == BETWEEN)) {
        let digits: String = part.iter().map(|byte| format!("{byte:02x}")).collect();
        let content =
            MemberText { name: (*name).to_owned(), hex: Some(digits), ..MemberText::default() };
        match case.members.iter_mut().find(|member| member.name == *name) {
            Some(member) => *member = content,
            None => case.members.push(content),
        }
    }
    let Ok(bytes) = build(&case) else { return false };
    let limits = Limits { json_rows: 4_096, file_rows: 20_000, ..Limits::default() };
    let Ok(package) = neff::open(&bytes, &limits, &mut Findings::new()) else { return false };
    let tree = || {
        let mut tree = Kbin::build(&package, 0, &Options::default())?;
        tree.check_patterns();
        Some(tree)
    };
    let (Some(first), Some(second)) = (tree(), tree()) else { return false };
    // Not-a-number scales are not equal to themselves; their text is.
    assert!(format!("{first:?}") == format!("{second:?}"), "two trees of the same bytes differ");
    for entry in first.records() {
        record(&package, &first, entry.id, entry.bytes, &entry.name);
    }
    for about in first.notes.about.values() {
        let queue = about.queue.map(|at| &first.queues[at]);
        if let (Some(queue), Some((ring, row))) = (queue, about.descriptor) {
            assert!(row < queue.rings[ring].descriptors.len(), "{about:?}");
        }
        assert!(about.variables.iter().all(|at| (*at as usize) < first.variables.len()));
    }
    for queue in &first.queues {
        let parts = queue_need(&first, queue).parts;
        assert!(parts.iter().all(|part| (part.variable as usize) < first.variables.len()));
    }
    let descriptors = first.queues.iter().flat_map(|queue| &queue.rings);
    for descriptor in descriptors.flat_map(|ring| &ring.descriptors).take(64) {
        let transfer = Transfer::of("one", descriptor);
        pattern(&first, &transfer);
    }
    for bytes in data.chunks(64).take(64) {
        let mut slot = [0; 64];
        slot.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        slot[0] = Opcode::PSEUDO_DMA_DIRECT2D.0;
        let direct = Direct::of(&Slot(slot), &first, &[1, 2]);
        let direct = direct.unwrap_or_else(|| panic!("a direct transfer is one"));
        pattern(&first, &direct.transfer("one", &[direct.from_variable]));
    }
    true
}

/// Ranges of a side lie apart in its reach and carry no more than its bytes; what two sides share
/// lies in both.
#[allow(clippy::panic, reason = "a fuzz body reports by panicking")]
fn pattern(tree: &Kbin, transfer: &Transfer<'_>) {
    for fault in tree.transfer_faults(transfer) {
        let known = fault.variables.iter().all(|at| (*at as usize) < tree.variables.len());
        assert!(known, "{fault:?}");
    }
    let sides = [transfer.from, transfer.to].map(|side| (side, ranges(side)));
    for (side, all) in &sides {
        let Some((reach, all)) = Reach::of(side).zip(all.as_ref()) else { continue };
        assert!(all.windows(2).all(|two| two[0].1 < two[1].0), "{side:?}");
        let ends = all.first().zip(all.last()).map(|(first, last)| (first.0, last.1));
        assert!(ends == Some((reach.start, reach.end)), "{side:?}");
        let bytes: i128 = all.iter().map(|(start, end)| end - start).sum();
        assert!(bytes.unsigned_abs() <= reach.bytes, "{side:?}");
    }
    let [(_, Some(one)), (_, Some(other))] = &sides else { return };
    let within = |(start, end): (i128, i128), all: &[(i128, i128)]| {
        all.iter().any(|(from, to)| *from <= start && end <= *to)
    };
    for range in shared(one, other) {
        assert!(within(range, one) && within(range, other), "{range:?}");
    }
}

fn record(package: &Package, tree: &Kbin, id: RecordId, bytes: u64, name: &str) {
    let whole = tree.record_bytes(package, id, 0, 1 << 20);
    assert!(whole.len() as u64 == bytes.min(1 << 20), "{name} has {bytes} bytes");
    assert!(tree.record_of_name(name).is_some(), "{name} is a name");
    for from in [0, bytes / 3, bytes.saturating_sub(1), bytes] {
        let page = tree.record_bytes(package, id, from, 100);
        let start = usize::try_from(from).unwrap_or(usize::MAX);
        if let Some(rest) = whole.get(start..) {
            assert!(rest.starts_with(&page), "{name}: a page is the record's bytes");
        }
    }
    if whole.len() as u64 == bytes {
        assert!(decodes(tree, id, &whole), "{name} decodes to what it was made of");
    }
    let mut end = 0;
    for field in tree.record_fields(package, id, 0, 50) {
        assert!(field.offset >= end && field.bytes > 0, "{name} {}", field.name);
        end = field.offset + field.bytes;
        assert!(end <= bytes, "{name} {}", field.name);
    }
}

/// Whether the bytes of a record give back what the tree has.
fn decodes(tree: &Kbin, id: RecordId, whole: &[u8]) -> bool {
    let ring = |at: usize, ring: usize| tree.queues.get(at)?.rings.get(ring);
    match id {
        RecordId::Root => RawKbin::of(whole).is_ok_and(|(raw, rest)| {
            rest.is_empty()
                && raw.target.get() == tree.target.stored()
                && raw.cc_streams.get() == tree.num_streams.0
                && raw.replica_groups.count.get() == tree.groups.len() as u64
                && raw.ucode_lib_set.count.get() == tree.libs.len() as u64
                && raw.fp8_conv_cfg == tree.fp8.0
        }),
        RecordId::Engine(slot) => EngineBlock::of(whole).is_ok_and(|block| {
            let code = &tree.code[slot];
            block.code.len() as u64 == code.bytes
                && u64::from(block.header.ninstr.get()) == code.n_records
                && block.header.eng_type.get() == u32::from(code.engine.code())
        }),
        RecordId::MemRefSet => MemRefTable::of(whole).is_ok_and(|table| {
            table.mem.len() == tree.variables.len()
                && table.mem.iter().zip(&tree.variables).all(|(raw, one)| {
                    (raw.var_id.get(), raw.size.get(), raw.alignment.get())
                        == (one.id, one.size, one.alignment)
                        && raw.mr_type.get() == one.kind.stored()
                        && match (raw.arm(), &one.arm) {
                            (MemRefArm::Pointer(raw), Arm::Pointer { id, io }) => {
                                (raw.referenced_var_id.get(), raw.io_ref != 0) == (*id, *io)
                            }
                            (MemRefArm::Virtual(raw), Arm::Virtual { offset, .. }) => {
                                raw.offset.get() == *offset
                            }
                            (MemRefArm::List(raw), Arm::List(ids)) => {
                                raw.length.get() as usize == ids.len()
                            }
                            (MemRefArm::Remote(raw), Arm::Remote { subgraph, id, .. }) => {
                                (raw.subgraph.get(), raw.var_id.get()) == (*subgraph, *id)
                            }
                            (_, Arm::None) => raw.union == [0; 16],
                            _ => false,
                        }
                })
        }),
        RecordId::Dma(at) => DmaQueue::of(whole).is_ok_and(|queue| {
            let one = &tree.queues[at];
            let count = one.semaphores.len().min(32);
            queue.ring_instances.len() == one.rings.len()
                && queue.header.semaphore_cnt.get() as usize == count
                && (queue.header.semaphores.iter().zip(&one.semaphores))
                    .all(|(raw, own)| raw.get() == *own)
                && queue.header.queue_set_cnt.get() == one.queue_set_count
        }),
        RecordId::Ring(at, number) => RingInstance::of(whole).is_ok_and(|made| {
            let Some(ring) = ring(at, number) else { return false };
            made.desc.len() == ring.descriptors.len()
                && made.desc.iter().zip(&ring.descriptors).all(|(raw, one)| {
                    raw.op.get() == one.op.0
                        && raw.to.off.get() == one.to.offset
                        && raw.from[0].off.get() == one.from.offset
                        && (raw.to.sizes.iter().zip(&one.to.sizes))
                            .all(|(raw, own)| raw.get() == *own)
                        && (raw.from[0].steps.iter().zip(&one.from.steps))
                            .all(|(raw, own)| raw.get() == *own)
                        && raw.num_tiling_dims.get() == one.tiling
                })
        }),
        RecordId::Carveouts => Carveouts::of(whole).is_ok_and(|made| {
            let own: Vec<_> = tree.carveouts.iter().flatten().map(|area| area.raw).collect();
            made.areas == own
        }),
        RecordId::ActSet(at) => RawActFunctionSet::of(whole).is_ok_and(|(raw, rest)| {
            let profiles = &tree.act_sets[at].profiles;
            rest.is_empty()
                && usize::from(raw.num_functions) == profiles.len().min(25)
                && raw.profile_data.iter().zip(profiles).all(|(raw, own)| *raw == own.raw)
        }),
        RecordId::UcodeLib(at) => RawUcodeLib::of(whole).is_ok_and(|(raw, rest)| {
            let lib = &tree.libs[at];
            rest.is_empty()
                && raw.flags.get() == lib.flags
                && (raw.cpu_id, raw.total_cpus) == (lib.cpu_id, lib.total_cpus)
        }),
        _ => true,
    }
}
