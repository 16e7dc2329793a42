//! The Memory view: what is chosen in it, and what has arrived.

use super::memory_ask as ask;
use super::{address, run, structs, toast};
use crate::layout::action::{Dirty, Effect, Effects, FocusOn, MemoryAction};
use crate::layout::format::count;
use crate::layout::memory::{CalcField, Part, Plans, Setup, Shown, VarRef, found, map, words};
use crate::layout::state::{Notice, Page, Pane, State, View};
use crate::layout::url::Address;
use debug_api::answer::{MemoryAnswer, PlacedVariable};
use std::rc::Rc;

/// Rows of a page up or down.
const PAGE: i64 = 20;

/// What happened in the view.
pub(super) fn apply(state: &mut State, action: MemoryAction, out: &mut Effects) {
    if let MemoryAction::Hover(hover) = action {
        if state.memory.hover != hover {
            state.memory.hover = hover;
            out.mark(Dirty::MEMORY);
        }
        return;
    }
    out.mark(Dirty::MEMORY.and(Dirty::FRAME));
    match action {
        MemoryAction::Part(part) => to_part(state, part, out),
        MemoryAction::Shown(shown) => {
            state.memory.shown = shown;
            say_verdict(state, out);
        }
        MemoryAction::Setup(setup) => state.memory.setup = setup,
        MemoryAction::Refused(what, text) => {
            let shown: String = text.chars().take(40).collect();
            let why = if shown.trim_start().starts_with(['-', '\u{2212}']) {
                "is below 0"
            } else {
                "is no number of bytes below 2^64, such as 4096, 0x1000 or 512 MiB"
            };
            toast(state, &format!("{what}: {shown} {why}."), out);
        }
        MemoryAction::Whole(whole) => state.memory.whole = whole,
        MemoryAction::Bank(bank) => state.memory.bank = Some(bank),
        MemoryAction::Engine(engine) => state.memory.engine = engine,
        MemoryAction::Pick(picked) => {
            if !matches!(state.memory.part, Part::Plan | Part::Variables) {
                to_part(state, Part::Plan, out);
            }
            pick(state, picked, out);
        }
        MemoryAction::Find(text) => find(state, text),
        MemoryAction::Row(row) => {
            state.memory.to_last = false;
            state.memory.cursor = row;
            choose(state, out);
        }
        MemoryAction::Go(text) => {
            go(state, text, out);
            return;
        }
        MemoryAction::Record => {
            record(state, out);
            return;
        }
        MemoryAction::Descriptor(name, row) => {
            to_structs(state, out);
            structs::open_row(state, name, row, out);
            return;
        }
        MemoryAction::Calc(field, text) => state.memory.calc.set(field, text),
        MemoryAction::Calculate => calculate(state, out),
        MemoryAction::Hover(_) => {}
    }
    address(state, false, out);
}

/// Both plans arrived.
pub(super) fn plans(state: &mut State, answers: &[Rc<MemoryAnswer>], out: &mut Effects) {
    let [paged, contiguous] = answers else { return };
    out.mark(Dirty::MEMORY.and(Dirty::FRAME));
    let variables = &paged.variables;
    state.memory.rows = Rc::new(variables.rows.clone());
    state.memory.total = variables.total;
    let plans = Plans { paged: Rc::clone(paged), contiguous: Rc::clone(contiguous) };
    let first = state.memory.plans.replace(plans).is_none();
    refind(state);
    if !first {
        say_verdict(state, out);
    }
    ask::more_places(state, out);
}

/// Further places arrived.
pub(super) fn places(state: &mut State, answer: &MemoryAnswer, out: &mut Effects) {
    out.mark(Dirty::MEMORY);
    if answer.variables.from != state.memory.rows.len() as u64 {
        return;
    }
    let rows: &mut Vec<PlacedVariable> = Rc::make_mut(&mut state.memory.rows);
    rows.extend(answer.variables.rows.iter().cloned());
    refind(state);
    if state.memory.to_last && is_whole(state) {
        step(state, i64::MAX, out);
    }
    ask::more_places(state, out);
}

/// Whether all variables have arrived.
fn is_whole(state: &State) -> bool {
    state.memory.rows.len() as u64 >= state.memory.total
}

/// The calculator's question was refused.
pub(super) fn refused(state: &mut State, notice: &Notice, out: &mut Effects) {
    let message = notice.message.trim_end_matches('.');
    state.memory.calc_refused =
        CalcField::of_code(&notice.code).map(|field| (field, message.to_owned()));
    state.memory.calc_answer = Some(Err(format!("{} {}", notice.message, notice.code)));
    out.mark(Dirty::MEMORY);
}

/// What an address says.
pub(super) fn take_address(state: &mut State, from: &Address) {
    let memory = &mut state.memory;
    memory.part = from.part;
    memory.shown = from.mode;
    memory.setup = from.setup.clone();
    memory.bank = from.bank;
    memory.whole = from.whole;
    memory.picked = from.var.clone();
    if let Some(text) = &from.addr {
        memory.address = Some(text.clone());
        memory.find = text.clone();
    }
}

/// Shows an address in the map: a new entry in the history.
pub(super) fn go(state: &mut State, text: String, out: &mut Effects) {
    state.memory.part = Part::Addresses;
    state.memory.find = text.clone();
    look_up(state, text);
    out.mark(Dirty::ALL);
    if state.view == View::Memory {
        address(state, true, out);
        run::focus(state, Pane::Memory, out);
    } else {
        run::set_view(state, View::Memory, out);
    }
}

/// The calculator: in the view where a file is open, else a page of its own.
pub(super) fn calculator(state: &mut State, out: &mut Effects) {
    if !state.opened || state.page == Page::Start {
        out.push(Effect::Navigate("/scratchpad".to_owned()));
        return;
    }
    state.memory.part = Part::Calculator;
    out.mark(Dirty::ALL);
    run::set_view(state, View::Memory, out);
}

/// A command of the view.
pub(super) fn run(state: &mut State, id: &str, out: &mut Effects) {
    out.mark(Dirty::MEMORY.and(Dirty::FRAME));
    match id {
        "memory-next" => step(state, 1, out),
        "memory-previous" => step(state, -1, out),
        "memory-page-down" => step(state, PAGE, out),
        "memory-page-up" => step(state, -PAGE, out),
        "memory-first" => step(state, i64::MIN, out),
        "memory-last" => step(state, i64::MAX, out),
        "memory-open" => match state.memory.part {
            Part::Addresses => choose(state, out),
            _ => record(state, out),
        },
        "memory-mode" => {
            let next = match state.memory.shown {
                Shown::Paged => Shown::Contiguous,
                Shown::Contiguous => Shown::Both,
                Shown::Both => Shown::Paged,
            };
            apply(state, MemoryAction::Shown(next), out);
        }
        "memory-scale" => {
            let whole = !state.memory.whole;
            let text = if whole { "Whole pages" } else { "Used bytes" };
            out.push(Effect::Say(text.to_owned()));
            apply(state, MemoryAction::Whole(whole), out);
        }
        "memory-bank" => {
            let banks = state.memory.plan().map_or(1, |plan| plan.hbms.len()).max(1);
            let next = (state.memory.bank() as usize + 1) % banks;
            out.push(Effect::Say(format!("HBM {next}")));
            apply(state, MemoryAction::Bank(u32::try_from(next).unwrap_or(0)), out);
        }
        "memory-load" => {
            let setup = Setup { one: !state.memory.setup.one, ..state.memory.setup.clone() };
            apply(state, MemoryAction::Setup(setup), out);
        }
        "memory-part-next" => turn(state, 1, out),
        "memory-part-previous" => turn(state, -1, out),
        "memory-calculate" => apply(state, MemoryAction::Calculate, out),
        "search" => {
            if matches!(state.memory.part, Part::Plan | Part::Calculator) {
                to_part(state, Part::Variables, out);
                address(state, false, out);
            }
            out.push(Effect::Focus(FocusOn::Search));
        }
        _ => {}
    }
}

/// Esc: the searched text, then the selection.
pub(super) fn close(state: &mut State, out: &mut Effects) {
    out.mark(Dirty::MEMORY.and(Dirty::FRAME));
    let list = matches!(state.memory.part, Part::Variables | Part::Addresses);
    if list && !state.memory.find.is_empty() {
        find(state, String::new());
    } else if state.memory.part == Part::Addresses {
        state.memory.address = None;
        state.memory.place = None;
    } else {
        state.memory.picked = None;
    }
    address(state, false, out);
}

fn to_part(state: &mut State, part: Part, out: &mut Effects) {
    if state.memory.part == part {
        return;
    }
    state.memory.to_last = false;
    state.memory.part = part;
    state.memory.cursor = 0;
    state.memory.find.clear();
    refind(state);
    if part == Part::Variables {
        ask::more_places(state, out);
        put_cursor(state);
    }
    let title = Part::ALL.iter().find(|(one, ..)| *one == part).map_or("", |(_, _, title)| title);
    out.push(Effect::Say(title.to_owned()));
}

fn turn(state: &mut State, by: isize, out: &mut Effects) {
    let count = Part::ALL.len() as isize;
    let at = Part::ALL.iter().position(|(part, ..)| *part == state.memory.part).unwrap_or(0);
    let next = (at as isize + by).rem_euclid(count) as usize;
    if let Some((part, ..)) = Part::ALL.get(next) {
        to_part(state, *part, out);
        address(state, false, out);
        run::focus(state, Pane::Memory, out);
    }
}

fn find(state: &mut State, text: String) {
    state.memory.to_last = false;
    state.memory.find = text;
    state.memory.cursor = 0;
    state.memory.reveal = state.memory.reveal.wrapping_add(1);
    refind(state);
    let typed = state.memory.find.trim().to_owned();
    if state.memory.part == Part::Addresses && typed.starts_with("0x") {
        look_up(state, typed);
    }
}

/// The rows after text or rows have changed.
fn refind(state: &mut State) {
    let memory = &mut state.memory;
    let text = if memory.part == Part::Variables { memory.find.as_str() } else { "" };
    memory.found = Rc::new(found(&memory.rows, text));
    memory.cursor = memory.cursor.min(memory.found.len().saturating_sub(1));
}

fn look_up(state: &mut State, text: String) {
    if crate::layout::format::parse_number(&text).is_some() {
        state.memory.address = Some(text);
    } else {
        state.memory.address = None;
        state.memory.place = None;
    }
}

fn pick(state: &mut State, picked: Option<VarRef>, out: &mut Effects) {
    state.memory.picked = picked;
    put_cursor(state);
    say_variable(state, out);
}

/// The cursor of the table on the chosen variable.
fn put_cursor(state: &mut State) {
    let memory = &mut state.memory;
    let Some(picked) = &memory.picked else { return };
    let at = memory
        .found
        .iter()
        .position(|row| memory.rows.get(*row).is_some_and(|row| VarRef::of_row(row) == *picked));
    if let Some(at) = at {
        memory.cursor = at;
        memory.reveal = memory.reveal.wrapping_add(1);
    }
}

/// What stands at the cursor is chosen: a variable, or the start of a region.
fn choose(state: &mut State, out: &mut Effects) {
    match state.memory.part {
        Part::Addresses => {
            let region = state.memory.regions().get(state.memory.cursor).map(|one| &one.region);
            let Some(region) = region else { return };
            let text = format!("{}, {}", region.name, region.start);
            let start = region.start.clone();
            out.push(Effect::Say(text));
            look_up(state, start);
        }
        Part::Variables => {
            let row = state.memory.found.get(state.memory.cursor);
            let row = row.and_then(|row| state.memory.rows.get(*row));
            state.memory.picked = row.map(VarRef::of_row);
            say_variable(state, out);
        }
        Part::Plan | Part::Calculator => {}
    }
}

fn step(state: &mut State, by: i64, out: &mut Effects) {
    let list = state.memory.part == Part::Variables;
    state.memory.to_last = list && by == i64::MAX && !is_whole(state);
    if state.memory.to_last {
        let left = state.memory.total - state.memory.rows.len() as u64;
        let text = format!("{} still to come, then the last one", count(left, "variable"));
        out.push(Effect::Say(text));
        return;
    }
    let moved = |now: usize, count: usize| {
        let now = i64::try_from(now).unwrap_or(0);
        // Numbers beyond a small machine's are the last one.
        let next = usize::try_from(now.saturating_add(by).max(0)).unwrap_or(usize::MAX);
        next.min(count.saturating_sub(1))
    };
    match state.memory.part {
        Part::Plan => {
            let Some(plan) = state.memory.plan() else { return };
            let order = map::order(plan);
            let now = state.memory.picked.as_ref();
            let now = now.and_then(|picked| order.iter().position(|one| one == picked));
            let next = now.map_or(0, |now| moved(now, order.len()));
            if let Some(one) = order.get(next) {
                pick(state, Some(one.clone()), out);
            }
        }
        Part::Variables => {
            state.memory.cursor = moved(state.memory.cursor, state.memory.found.len());
            choose(state, out);
        }
        Part::Addresses => {
            let count = state.memory.regions().len();
            state.memory.cursor = moved(state.memory.cursor, count);
            choose(state, out);
        }
        Part::Calculator => return,
    }
    state.memory.reveal = state.memory.reveal.wrapping_add(1);
    address(state, false, out);
}

fn say_variable(state: &State, out: &mut Effects) {
    let Some(row) = state.memory.picked.as_ref().and_then(|picked| state.memory.row(picked)) else {
        return;
    };
    let page = match (row.page, row.in_page_offset) {
        (Some(page), Some(at)) => format!(", page {page} + {at:#x}"),
        _ => String::new(),
    };
    out.push(Effect::Say(format!("{}, {}{page}", row.name, words::size(row.size))));
}

fn say_verdict(state: &State, out: &mut Effects) {
    if let Some(plan) = state.memory.plan() {
        let pages = count(plan.n_pages, "page");
        out.push(Effect::Say(format!("{} {pages}, {}", words::verdict(plan), plan.mode)));
    }
}

/// The record of the chosen variable in the Structs view.
fn record(state: &mut State, out: &mut Effects) {
    let Some(picked) = state.memory.picked.clone() else { return };
    let uses = state.memory.uses.clone();
    let Some(uses) = uses.filter(|uses| uses.subgraph == picked.subgraph && uses.id == picked.id)
    else {
        toast(state, "The record of this variable is not known yet.", out);
        return;
    };
    if picked.file != first_neff(state) {
        toast(state, "Structs shows the first file alone; this variable is of another one.", out);
        return;
    }
    if picked.subgraph != state.selection.s {
        super::select::set_subgraph(state, &picked.subgraph, out);
        // The record is the jump; that its images arrive is none.
        state.wanted.jump = false;
    }
    to_structs(state, out);
    structs::open_byte(state, "mem_ref_set".to_owned(), uses.offset, out);
}

/// The Structs view, whose record makes the entry in the history.
fn to_structs(state: &mut State, out: &mut Effects) {
    state.view = View::Structs;
    out.mark(Dirty::ALL);
    run::focus(state, Pane::Records, out);
}

/// The file that the other views show.
fn first_neff(state: &State) -> usize {
    let files = state.files.as_ref();
    let at = files.and_then(|files| files.files.iter().position(|file| file.kind == "neff"));
    at.unwrap_or(0)
}

/// The chosen variable's range into the calculator.
fn calculate(state: &mut State, out: &mut Effects) {
    let plan = state.memory.plan().cloned();
    let picked = state.memory.picked.clone();
    let (Some(plan), Some(picked)) = (plan, picked) else { return };
    let calc = &mut state.memory.calc;
    calc.mode = plan.mode.clone();
    calc.page_size = plan.page_size.to_string();
    calc.pages = plan.n_pages.to_string();
    if let Some(one) = crate::layout::memory::MemoryBox::on_page(&plan, &picked) {
        calc.offset = format!("{:#x}", one.offset);
        calc.size = format!("{:#x}", one.size);
    }
    to_part(state, Part::Calculator, out);
}
