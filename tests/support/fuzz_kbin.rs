//! Body of the fuzz target `kbin`: any texts stand for the documents of a program.

use kbin::direct::Direct;
use kbin::patterns::Transfer;
use kbin::reach::{Reach, ranges, shared};
use kbin::{Kbin, Options, RecordId};
use neff::{Findings, Limits, Package};
use records::kbin::engine::EngineBlock;
use records::kbin::queue::{DmaQueue, RingInstance};
use records::kbin::sets::Carveouts;
use records::kbin::variable::MemRefTable;
use records::{Opcode, Slot};

use crate::case::{Case, MemberText};
use crate::neff_builder::build;

/// Members that the parts of an input stand for, in this order.
pub const MEMBERS: [&str; 6] = [
    "sg00/def.json",
    "sg00/pool.json",
    "sg00/exp.json",
    "sg00/ulib.json",
    "sg00/act_info.json",
    "sg00/weights.npy",
];

/// Byte between two parts; it occurs in no UTF-8 text.
pub const BETWEEN: u8 = 0xFF;

/// Puts the parts of an input into the members of a case, and builds the tree of its first
/// subgraph twice. Nothing may panic, both are the same, every record has the size that the list
/// says, its pages are its bytes, its bytes decode, and its fields lie in it. Gives whether there
/// is a tree.
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
        let decodes = match id {
            RecordId::Engine(_) => EngineBlock::of(&whole).is_ok(),
            RecordId::MemRefSet => MemRefTable::of(&whole).is_ok(),
            RecordId::Dma(_) => DmaQueue::of(&whole).is_ok(),
            RecordId::Ring(..) => RingInstance::of(&whole).is_ok(),
            RecordId::Carveouts => Carveouts::of(&whole).is_ok(),
            _ => true,
        };
        assert!(decodes, "{name} decodes");
    }
    let mut end = 0;
    for field in tree.record_fields(package, id, 0, 50) {
        assert!(field.offset >= end && field.bytes > 0, "{name} {}", field.name);
        end = field.offset + field.bytes;
        assert!(end <= bytes, "{name} {}", field.name);
    }
}
