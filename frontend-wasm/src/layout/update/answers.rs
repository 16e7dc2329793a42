//! Answers that arrived: they are taken if nothing newer was asked, and settle what waited.

use super::{
    address, ask, ask_all_regions, boxes, bytes, collectives, compare, dismiss, log, memory,
    notice, put_notice, scope, select, simulate, strips, structs, structs_arrive, timeline,
    without_part,
};
use crate::layout::action::{Action, Arrived, Dirty, Effect, Effects, Move, Target};
use crate::layout::lone::{NO_NEFF, capture};
use crate::layout::state::{About, Notice, Purpose, State, Wanted};
use crate::layout::store::RowStore;
use crate::layout::uses;
use debug_api::answer::{PcAnswer, RegionsAnswer, SlotAnswer};
use debug_api::{Block, Request};
use std::mem;
use std::rc::Rc;

/// Answers, failures and rows.
pub(super) fn apply(state: &mut State, action: Action, out: &mut Effects) {
    match action {
        Action::Answer { asked, answer } => {
            let purpose = purpose(&answer);
            if state.asked.get(&purpose) == Some(&asked) {
                state.asked.remove(&purpose);
                dismiss(state, about(purpose), out);
                arrived(state, *answer, out);
            }
        }
        Action::Failed { asked, notice } => {
            let purpose = state.asked.iter().find(|(_, number)| **number == asked);
            let purpose = purpose.map(|(purpose, _)| *purpose);
            if asked != 0 && purpose.is_none() {
                return;
            }
            if let Some(purpose) = purpose {
                state.asked.remove(&purpose);
                if purpose == Purpose::Regions && without_part(state, &notice, out) {
                    return;
                }
                failed(state, purpose, out);
            }
            // A capture alone has no program: the views say so, and what its NEFF would add.
            if notice.code == NO_NEFF && state.files.as_deref().and_then(capture).is_some() {
                return;
            }
            if purpose == Some(Purpose::Scratchpad) {
                memory::refused(state, &notice, out);
                return;
            }
            if purpose == Some(Purpose::Timeline) {
                timeline::missing(state, notice.message, out);
                return;
            }
            let own =
                matches!(purpose, Some(Purpose::Decode | Purpose::Encode | Purpose::Schedule));
            if let Some(purpose) = purpose.filter(|_| own) {
                collectives::refused(state, purpose, &notice, out);
                return;
            }
            if purpose == Some(Purpose::Run) {
                simulate::refused(state, &notice, out);
                return;
            }
            if is_missing(&notice) {
                match purpose {
                    Some(of) if structs::SHOWN.contains(&of) => {
                        structs::missing(state, notice, out);
                        return;
                    }
                    Some(Purpose::Bytes | Purpose::Fields) => {
                        bytes::missing(state, notice, out);
                        return;
                    }
                    _ => {}
                }
            }
            let notice = if purpose == Some(Purpose::Pc) { unread_pc(notice) } else { notice };
            put_notice(state, notice, out);
        }
        Action::Rows { image, chunk, block } if image & strips::LABELS != 0 => {
            strips::rows(state, image, chunk, *block, out);
        }
        Action::Rows { image, chunk, block } if image & compare::DIFFS != 0 => {
            compare::rows(state, image, chunk, *block, out);
        }
        Action::RowsFailed { image, chunk, notice }
            if image & (strips::LABELS | compare::DIFFS) == compare::DIFFS =>
        {
            compare::rows_failed(state, image, chunk, notice, out);
        }
        Action::RowsFailed { image, chunk, notice } if image & strips::LABELS != 0 => {
            strips::failed(state, image, chunk, notice, out);
        }
        Action::Rows { image, chunk, block } => rows(state, image, chunk, *block, out),
        Action::RowsFailed { image, chunk, notice } => {
            if image != state.rows.serial() {
                return;
            }
            state.rows.failed(image, chunk);
            state.rows_before = RowStore::default();
            put_notice(state, notice, out);
            out.mark(Dirty::CODE);
        }
        _ => {}
    }
}

/// Finds the place that was wanted, now that the images are known: the one that was asked for,
/// else the one where this engine was left, else the start of MAIN.
pub(super) fn settle(state: &mut State, out: &mut Effects) {
    let wanted = mem::take(&mut state.wanted);
    if !wanted.pending {
        return;
    }
    if let Some(pc) = wanted.pc.clone() {
        select::select(state, &Target { e: wanted.e.clone(), ..Target::default() }, None, out);
        let request = Request::Pc { scope: scope(state), pc };
        ask(state, Purpose::Pc, request, 0, out);
        state.wanted = Wanted { pending: false, ..wanted };
        return;
    }
    let movement = if wanted.jump { Move::Jump } else { Move::Near };
    let target = Target { e: wanted.e, slot: wanted.slot, ip: wanted.ip, ..Target::default() };
    if target.slot.is_some() || target.ip.is_some() {
        select::select(state, &target, Some(movement), out);
    }
    if !state.selection.is_some() {
        default_place(state, &target.e, movement, out);
    }
}

fn default_place(state: &mut State, engine: &str, movement: Move, out: &mut Effects) {
    let known = state
        .regions
        .as_ref()
        .is_some_and(|regions| regions.engines.iter().any(|one| one.engine == engine));
    let engine = if known { engine } else { "PE" };
    let slot = select::first_slot(state, engine);
    let target = Target { e: engine.to_owned(), slot, ..Target::default() };
    select::select(state, &target, Some(movement), out);
}

fn purpose(answer: &Arrived) -> Purpose {
    match answer {
        Arrived::Info(_) => Purpose::Info,
        Arrived::Regions(_) => Purpose::Regions,
        Arrived::AllRegions(_) => Purpose::AllRegions,
        Arrived::Slot(_) => Purpose::Slot,
        Arrived::Source(_) => Purpose::Source,
        Arrived::Goto(_) => Purpose::Goto,
        Arrived::Pc(_) => Purpose::Pc,
        Arrived::Profiles(_) => Purpose::Profiles,
        Arrived::Files(_) => Purpose::Files,
        Arrived::Diff(_) => Purpose::Diff,
        Arrived::Log(_) => Purpose::Log,
        Arrived::Records(_) => Purpose::Records,
        Arrived::Record(_) => Purpose::Record,
        Arrived::Kbin(_) => Purpose::Kbin,
        Arrived::KbinRecord(_) => Purpose::KbinRecord,
        Arrived::Index(_) => Purpose::Index,
        Arrived::Variable(_) => Purpose::Variable,
        Arrived::Queue(_) => Purpose::Queue,
        Arrived::Transfer(_) => Purpose::Transfer,
        Arrived::Dump(_) => Purpose::Dump,
        Arrived::DumpStruct(_) => Purpose::DumpStruct,
        Arrived::Members(_) => Purpose::Members,
        Arrived::Bytes(_) => Purpose::Bytes,
        Arrived::Fields(_) => Purpose::Fields,
        Arrived::Memory(_) => Purpose::Memory,
        Arrived::Places(_) => Purpose::Places,
        Arrived::AddressMap(_) => Purpose::AddressMap,
        Arrived::Address(_) => Purpose::Address,
        Arrived::Uses(_) => Purpose::Uses,
        Arrived::Scratchpad(_) => Purpose::Scratchpad,
        Arrived::Capture(_) => Purpose::Capture,
        Arrived::Collectives(_) => Purpose::Collectives,
        Arrived::MoreCollectives(_) => Purpose::MoreCollectives,
        Arrived::Entry(_) => Purpose::Entry,
        Arrived::Schedule(_) => Purpose::Schedule,
        Arrived::Decode(_) => Purpose::Decode,
        Arrived::Encode(_) => Purpose::Encode,
        Arrived::Timeline(_) => Purpose::Timeline,
        Arrived::TimelineSums(_) => Purpose::TimelineSums,
        Arrived::TimelineEvent(_) => Purpose::TimelineEvent,
        Arrived::TimelineExecutions(_) => Purpose::TimelineExecutions,
        Arrived::TimelineTable(_) => Purpose::TimelineTable,
        Arrived::Run(_) => Purpose::Run,
    }
}

/// The pane in which a failed question of a purpose is told.
pub fn about(purpose: Purpose) -> About {
    match purpose {
        Purpose::Info => About::File,
        Purpose::Regions | Purpose::AllRegions | Purpose::Profiles => About::Regions,
        Purpose::Files => About::Pair,
        Purpose::Diff => About::Code,
        Purpose::Slot => About::Slot,
        Purpose::Source => About::Source,
        Purpose::Goto => About::Goto,
        Purpose::Pc => About::Address,
        Purpose::Log => About::Log,
        Purpose::Records
        | Purpose::Record
        | Purpose::Kbin
        | Purpose::KbinRecord
        | Purpose::Index
        | Purpose::Variable
        | Purpose::Queue
        | Purpose::Transfer
        | Purpose::Dump
        | Purpose::DumpStruct => About::Records,
        Purpose::Members | Purpose::Bytes | Purpose::Fields => About::Bytes,
        Purpose::Memory
        | Purpose::Places
        | Purpose::AddressMap
        | Purpose::Address
        | Purpose::Uses
        | Purpose::Scratchpad
        | Purpose::Capture => About::Memory,
        Purpose::Collectives
        | Purpose::MoreCollectives
        | Purpose::Entry
        | Purpose::Schedule
        | Purpose::Decode
        | Purpose::Encode => About::Collectives,
        Purpose::Timeline
        | Purpose::TimelineSums
        | Purpose::TimelineEvent
        | Purpose::TimelineExecutions
        | Purpose::TimelineTable
        | Purpose::TimelineTile => About::Timeline,
        Purpose::Run => About::Run,
    }
}

fn arrived(state: &mut State, answer: Arrived, out: &mut Effects) {
    match answer {
        Arrived::Info(info) => {
            state.info = Some(info);
            out.mark(Dirty::INFO.and(Dirty::FRAME).and(Dirty::NOTICE));
        }
        Arrived::Regions(regions) => images(state, regions, out),
        Arrived::AllRegions(all) => {
            state.all_regions = all;
            out.mark(Dirty::REGIONS);
        }
        Arrived::Slot(slot) => details(state, slot, out),
        Arrived::Source(source) => {
            state.source = Some(source);
            out.mark(Dirty::SOURCE);
        }
        Arrived::Goto(answer) => boxes::goto_answer(state, answer, out),
        Arrived::Pc(pc) => device_pc(state, &pc, out),
        Arrived::Files(answer) => compare::files(state, answer, out),
        Arrived::Diff(answer) => compare::arrived(state, answer, out),
        Arrived::Profiles(profiles) => {
            state.profiles = Some(profiles);
            out.mark(Dirty::REGIONS);
        }
        Arrived::Log(answer) => log::arrived(state, answer, out),
        Arrived::Records(answer) => structs_arrive::records(state, answer, out),
        Arrived::Record(answer) => structs_arrive::record(state, answer, out),
        Arrived::Kbin(answer) => structs_arrive::kbin(state, answer, out),
        Arrived::Dump(answer) => structs_arrive::dump(state, answer, out),
        Arrived::DumpStruct(answer) => structs_arrive::dump_struct(state, &answer, out),
        Arrived::KbinRecord(answer) => structs_arrive::kbin_record(state, &answer, out),
        Arrived::Index(answer) => structs_arrive::index(state, &answer, out),
        Arrived::Variable(answer) => structs_arrive::sheet(state, uses::variable(&answer), out),
        Arrived::Queue(answer) => structs_arrive::sheet(state, uses::queue(&answer), out),
        Arrived::Transfer(answer) => structs_arrive::sheet(state, uses::transfer(&answer), out),
        Arrived::Members(answer) => bytes::members(state, answer, out),
        Arrived::Bytes(answer) => bytes::page(state, answer, out),
        Arrived::Fields(answer) => bytes::fields(state, &answer, out),
        Arrived::Memory(answers) => memory::plans(state, &answers, out),
        Arrived::Places(answer) => memory::places(state, &answer, out),
        Arrived::AddressMap(answer) => {
            state.memory.map = Some(answer);
            out.mark(Dirty::MEMORY);
        }
        Arrived::Address(answer) => {
            state.memory.place = Some(answer);
            out.mark(Dirty::MEMORY);
        }
        Arrived::Uses(answer) => {
            state.memory.uses = Some(answer);
            out.mark(Dirty::MEMORY);
        }
        Arrived::Scratchpad(answer) => {
            state.memory.calc_answer = Some(Ok(answer));
            out.mark(Dirty::MEMORY);
        }
        Arrived::Timeline(_)
        | Arrived::TimelineSums(_)
        | Arrived::TimelineEvent(_)
        | Arrived::TimelineExecutions(_)
        | Arrived::TimelineTable(_) => timeline::arrived(state, answer, out),
        Arrived::Capture(answer) => {
            state.memory.capture = Some(answer);
            out.mark(Dirty::MEMORY.and(Dirty::FRAME).and(Dirty::REGIONS));
        }
        Arrived::Collectives(answer) => collectives::arrived(state, answer, true, out),
        Arrived::MoreCollectives(answer) => collectives::arrived(state, answer, false, out),
        Arrived::Entry(answer) => collectives::entry(state, answer, out),
        Arrived::Schedule(answer) => collectives::steps(state, answer, out),
        Arrived::Decode(answer) => collectives::decoded(state, answer, out),
        Arrived::Encode(answer) => collectives::encoded(state, &answer, out),
        Arrived::Run(answer) => simulate::arrived(state, answer, out),
    }
}

fn images(state: &mut State, regions: Rc<RegionsAnswer>, out: &mut Effects) {
    let first = state.all_regions.is_empty();
    state.selection.s = regions.subgraph.clone();
    state.regions = Some(regions);
    out.mark(Dirty::REGIONS.and(Dirty::FRAME).and(Dirty::NOTICE));
    if state.all_cores && first {
        ask_all_regions(state, out);
    }
    if state.wanted.pending {
        // The rows belong to the old images even where subgraph and engine are the same.
        state.rows_before = mem::take(&mut state.rows);
        let serial = state.rows_before.serial();
        state.rows = RowStore::after(serial);
        state.selection.slot = None;
        state.selection.ip = None;
        state.selection.row = None;
    }
    settle(state, out);
    compare::start(state, out);
}

/// Details name what the selection left open: the row of an IP, the IP of a slot.
fn details(state: &mut State, slot: Rc<SlotAnswer>, out: &mut Effects) {
    out.mark(Dirty::SLOT);
    state.slot_stale = false;
    let place = slot.place.clone();
    state.slot = Some(slot);
    if place.e != state.selection.e {
        return;
    }
    let at = &mut state.selection;
    let new_ip = at.ip.is_none() && place.neff_ip.is_some();
    at.ip = at.ip.or(place.neff_ip);
    let had_slot = at.slot.is_some();
    at.slot = at.slot.or(place.image_slot);
    if at.row.is_none() {
        at.row = place.row;
        if let Some(row) = place.row {
            state.cursor = row;
            select::reveal(state, row, out);
        }
    }
    let at = &state.selection;
    // A slot that the runtime made has no source; the tree of the engine is still of use.
    let opened_elsewhere = state.source.as_ref().is_none_or(|source| source.neff_ip.is_some());
    if new_ip || (at.ip.is_none() && opened_elsewhere) {
        select::ask_source(state, 0, out);
    }
    if !had_slot {
        address(state, false, out);
    }
    out.mark(Dirty::SELECTION.and(Dirty::FRAME).and(Dirty::CODE));
}

fn device_pc(state: &mut State, pc: &PcAnswer, out: &mut Effects) {
    let target = pc.place.as_ref().map(Target::from);
    let found = target.filter(|target| target.slot.is_some() || target.ip.is_some());
    if let Some(target) = found {
        select::select(state, &target, Some(Move::Near), out);
        return;
    }
    let e = state.wanted.e.clone();
    default_place(state, &e, Move::Near, out);
    let why = pc.reason.clone().unwrap_or_else(|| "it is outside of the image".to_owned());
    let message = format!(
        "Device PC {} on {}: {why}. The image starts at {}.",
        pc.device_pc, pc.engine, pc.base
    );
    notice(state, About::Address, "warning", "address.pc", &message, out);
}

/// Whether a question was about something that is not there.
fn is_missing(notice: &Notice) -> bool {
    let code = notice.code.as_str();
    code == "bytes.past-end"
        || matches!(
            code,
            "record.unknown"
                | "variable.unknown"
                | "queue.unknown"
                | "transfer.unknown"
                | "bytes.unknown"
        )
}

/// A PC of the address bar that cannot be read, with what is shown instead and what to do.
fn unread_pc(notice: Notice) -> Notice {
    let shown = "The default place is shown; press G to type another PC, such as 0x100040.";
    Notice {
        about: About::Address,
        message: format!("{} {shown}", sentence(&notice.message)),
        ..notice
    }
}

/// A message as a sentence.
fn sentence(message: &str) -> String {
    let message = message.trim_end_matches('.');
    format!("{message}.")
}

fn failed(state: &mut State, purpose: Purpose, out: &mut Effects) {
    match purpose {
        Purpose::Pc => {
            let e = state.wanted.e.clone();
            default_place(state, &e, Move::Near, out);
        }
        Purpose::Slot => {
            state.slot = None;
            state.slot_stale = false;
            out.mark(Dirty::SLOT);
        }
        Purpose::Source => {
            state.source = None;
            out.mark(Dirty::SOURCE);
        }
        Purpose::Goto => {
            state.goto.enter = false;
            out.mark(Dirty::GOTO);
        }
        Purpose::Regions | Purpose::Info => out.mark(Dirty::ALL),
        Purpose::Log => log::failed(state, out),
        Purpose::Diff => compare::failed(state, out),
        // The rest only tells why its view is not up to date.
        _ => match about(purpose) {
            About::Records => out.mark(Dirty::STRUCTS),
            About::Bytes => out.mark(Dirty::BYTES),
            About::Memory => out.mark(Dirty::MEMORY),
            About::Collectives => out.mark(Dirty::COLLECTIVES),
            About::Timeline => out.mark(Dirty::TIMELINE),
            _ => {}
        },
    }
    out.push(Effect::Forget(purpose));
}

fn rows(state: &mut State, image: u32, chunk: u64, block: Block, out: &mut Effects) {
    if state.rows.put(image, chunk, block) {
        dismiss(state, About::Code, out);
        name_selection(state, out);
        out.mark(Dirty::CODE);
    }
}

/// The IP of the selected slot, once its row has been loaded.
fn name_selection(state: &mut State, out: &mut Effects) {
    let Some(row) = state.selection.row.and_then(|row| state.rows.get(row)) else { return };
    let at = &mut state.selection;
    if at.slot == row.slot() && at.ip.is_none() && row.ip().is_some() {
        at.ip = row.ip();
        out.mark(Dirty::SELECTION.and(Dirty::FRAME));
        if !state.asked.contains_key(&Purpose::Source) {
            select::ask_source(state, 0, out);
        }
    }
}
