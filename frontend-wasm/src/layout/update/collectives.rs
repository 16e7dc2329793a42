//! The Collectives view: what is chosen in it, and what has arrived.

use super::collectives_ask as ask;
use super::{address, run, select, structs, toast};
use crate::layout::action::{Dirty, Effect, Effects, FocusOn, Move, Target};
use crate::layout::collectives::{CollectivesAction, EntryAt, Part, SetupField, bits, rows, words};
use crate::layout::format::count;
use crate::layout::state::{Notice, Pane, Purpose, State, View};
use crate::layout::url::Address;
use debug_api::answer::{CollectivesAnswer, ScheduleAnswer, SpadAnswer};
use std::rc::Rc;

/// Rows of a page up or down.
const PAGE: i64 = 20;

/// What happened in the view.
pub(super) fn apply(state: &mut State, action: CollectivesAction, out: &mut Effects) {
    if let CollectivesAction::Hover(hover) = action {
        if state.collectives.hover != hover {
            state.collectives.hover = hover;
            out.mark(Dirty::COLLECTIVES);
        }
        return;
    }
    out.mark(Dirty::COLLECTIVES.and(Dirty::FRAME));
    let own = &mut state.collectives;
    match action {
        CollectivesAction::Part(part) => own.part = part,
        CollectivesAction::Setup(setup) => own.setup = setup,
        CollectivesAction::Number(field, text) => number(state, field, &text, out),
        CollectivesAction::Patterns(patterns) => {
            own.patterns = patterns;
            out.push(Effect::Say(names_said(patterns).to_owned()));
        }
        CollectivesAction::TopSp(top_sp) => {
            own.top_sp = top_sp;
            list(state);
        }
        CollectivesAction::Find(text) => {
            own.find = text;
            list(state);
        }
        CollectivesAction::Rank(rank) => to_rank(state, rank, out),
        CollectivesAction::Pick(at) => pick(state, at, out),
        CollectivesAction::Go(index, rank) => {
            go(state, index, rank, out);
            return;
        }
        CollectivesAction::Field(field) => own.field = field,
        CollectivesAction::Step(step) => to_step(state, step, out),
        CollectivesAction::Node(node) => {
            own.node = Some(node);
            let text = format!("Rank at place {node} of the group");
            out.push(Effect::Say(text));
        }
        CollectivesAction::Decoder(open) => decoder(state, open, out),
        CollectivesAction::Word(text) => {
            own.decoder.refused = None;
            own.decoder.text = text;
        }
        CollectivesAction::Turn(bit) => turn(state, bit, out),
        CollectivesAction::Value(name, text) => ask::encode(state, &name, &text, out),
        CollectivesAction::Edit => edit(state, out),
        CollectivesAction::Variable(name) => {
            variable(state, &name, out);
            return;
        }
        CollectivesAction::Hover(_) => {}
    }
    address(state, false, out);
}

/// The plan arrived, or further collectives of it.
pub(super) fn arrived(
    state: &mut State,
    answer: Rc<CollectivesAnswer>,
    first: bool,
    out: &mut Effects,
) {
    out.mark(Dirty::COLLECTIVES.and(Dirty::FRAME));
    let own = &mut state.collectives;
    if first {
        own.triggers = Rc::new(answer.triggers.clone());
        own.tables = Rc::new(answer.top_sps.clone());
        own.plan = Some(answer);
    } else {
        if answer.from != own.triggers.len() as u64 {
            return;
        }
        Rc::make_mut(&mut own.triggers).extend(answer.triggers.iter().cloned());
        let tables = Rc::make_mut(&mut own.tables);
        for (table, more) in tables.iter_mut().zip(&answer.top_sps) {
            table.entries.extend(more.entries.iter().cloned());
        }
    }
    let known = own.top_sp.is_none_or(|top_sp| own.table(top_sp).is_some());
    if !known {
        own.top_sp = None;
    }
    list(state);
    settle(state, out);
    ask::more(state, out);
}

/// The entry that an address asked for is chosen once it is there; else the first one.
fn settle(state: &mut State, out: &mut Effects) {
    let own = &mut state.collectives;
    let old = own.picked.map(|at| (at.index, Some(at.top_sp)));
    let Some((index, top_sp)) = own.wanted.or(old).or(Some((0, None))) else { return };
    let all = own.plan.as_ref().map_or(0, |plan| plan.n_triggers);
    let have = own.triggers.len() as u64;
    let table = top_sp.filter(|one| own.table(*one).is_some());
    let table = table.or_else(|| own.tables.first().map(|table| table.index));
    if index < have {
        own.picked = table.map(|top_sp| EntryAt { index, top_sp });
        own.wanted = None;
    } else if index < all {
        own.wanted = Some((index, top_sp));
        return;
    } else {
        own.wanted = None;
        own.picked = table.filter(|_| have > 0).map(|top_sp| EntryAt { index: 0, top_sp });
        if all > 0 {
            let text = format!("There is no entry {index}: {}.", count(all, "collective"));
            toast(state, &text, out);
        }
    }
    let own = &mut state.collectives;
    own.reveal = own.reveal.wrapping_add(1);
}

/// The selected entry bit by bit.
pub(super) fn entry(state: &mut State, answer: Rc<SpadAnswer>, out: &mut Effects) {
    state.collectives.entry = Some(answer);
    out.mark(Dirty::COLLECTIVES);
}

/// The decoder's word.
pub(super) fn decoded(state: &mut State, answer: Rc<SpadAnswer>, out: &mut Effects) {
    state.collectives.decoder.answer = Some(Ok(answer));
    out.mark(Dirty::COLLECTIVES);
}

/// A field of the decoder's word was set.
pub(super) fn encoded(state: &mut State, answer: &SpadAnswer, out: &mut Effects) {
    let Some(entry) = answer.entries.first() else { return };
    state.collectives.decoder.text = entry.raw.clone();
    state.collectives.decoder.refused = None;
    out.mark(Dirty::COLLECTIVES);
    out.push(Effect::Say(format!("Word {}", entry.word)));
    address(state, false, out);
}

/// A part of a schedule.
pub(super) fn steps(state: &mut State, answer: Rc<ScheduleAnswer>, out: &mut Effects) {
    out.mark(Dirty::COLLECTIVES);
    let own = &mut state.collectives;
    own.schedule.asked = None;
    for step in &answer.steps {
        own.schedule.steps.insert(step.index, Rc::new(step.clone()));
    }
    own.step = own.step.min(answer.n_steps.saturating_sub(1));
    own.schedule.head = Some(answer);
}

/// A question was refused whose answer has a place of its own in the view.
pub(super) fn refused(state: &mut State, purpose: Purpose, notice: &Notice, out: &mut Effects) {
    out.mark(Dirty::COLLECTIVES);
    let text = format!("{} {}", notice.message, notice.code);
    let own = &mut state.collectives;
    match purpose {
        Purpose::Decode => own.decoder.answer = Some(Err(text)),
        Purpose::Encode => {
            own.decoder.refused = Some((String::new(), text.clone()));
            out.push(Effect::Say(text));
        }
        _ => {
            own.schedule.asked = None;
            own.schedule.refused = Some(text);
        }
    }
}

/// What an address says.
pub(super) fn take_address(state: &mut State, from: &Address) {
    let own = &mut state.collectives;
    let wanted = &from.collectives;
    own.part = wanted.part;
    own.setup = wanted.setup.clone();
    own.patterns = wanted.patterns;
    own.top_sp = wanted.top_sp;
    own.rank = wanted.rank;
    own.step = wanted.step;
    own.node = wanted.node;
    own.field = wanted.field.clone();
    own.decoder.open = wanted.word.is_some();
    if let Some(word) = &wanted.word {
        own.decoder.text = word.clone();
    }
    if wanted.entry.is_some() {
        own.wanted = wanted.entry;
        own.picked = None;
    }
    if own.plan.is_some() {
        list(state);
        settle(state, &mut Effects::default());
    }
}

/// Shows a collective, from any view: a new entry in the history.
pub(super) fn go(state: &mut State, index: u64, rank: Option<u32>, out: &mut Effects) {
    let own = &mut state.collectives;
    own.decoder.open = false;
    own.find.clear();
    if let Some(rank) = rank {
        own.rank = rank;
    }
    own.step = 0;
    own.wanted = Some((index, own.top_sp));
    own.picked = None;
    out.mark(Dirty::ALL);
    if own.plan.is_some() {
        list(state);
        settle(state, out);
    }
    if state.view == View::Collectives {
        address(state, true, out);
        run::focus(state, Pane::Entries, out);
    } else {
        run::set_view(state, View::Collectives, out);
    }
}

/// The decoder: in the view where a file is open, else a page of its own.
pub(super) fn open_decoder(state: &mut State, out: &mut Effects) {
    if !state.opened || state.page == crate::layout::state::Page::Start {
        out.push(Effect::Navigate("/spad-ctrl".to_owned()));
        return;
    }
    decoder(state, true, out);
    out.mark(Dirty::ALL);
    run::set_view(state, View::Collectives, out);
    out.push(Effect::Focus(FocusOn::Search));
}

/// A command of the view.
pub(super) fn run(state: &mut State, id: &str, out: &mut Effects) {
    out.mark(Dirty::COLLECTIVES.and(Dirty::FRAME));
    let in_fields = state.pane == Pane::EntryFields || state.collectives.decoder.open;
    let last = state.collectives.schedule.head.as_ref().map_or(0, |head| head.n_steps);
    let step = state.collectives.step;
    match id {
        "coll-next" if in_fields => field(state, 1, out),
        "coll-previous" if in_fields => field(state, -1, out),
        "coll-next" => move_by(state, 1, out),
        "coll-previous" => move_by(state, -1, out),
        "coll-page-down" => move_by(state, PAGE, out),
        "coll-page-up" => move_by(state, -PAGE, out),
        "coll-first" => move_by(state, i64::MIN, out),
        "coll-last" => move_by(state, i64::MAX, out),
        "coll-field-next" => field(state, 1, out),
        "coll-field-previous" => field(state, -1, out),
        "coll-open" => code(state, out),
        "coll-step-next" => {
            to_step(state, (step + 1).min(last.saturating_sub(1)), out);
            address(state, false, out);
        }
        "coll-step-previous" => {
            to_step(state, step.saturating_sub(1), out);
            address(state, false, out);
        }
        "coll-top-sp" => {
            let tables = Rc::clone(&state.collectives.tables);
            let numbers: Vec<u32> = tables.iter().map(|table| table.index).collect();
            let next = match state.collectives.top_sp {
                None => numbers.first().copied(),
                Some(now) => {
                    let at = numbers.iter().position(|one| *one == now).unwrap_or(0);
                    numbers.get(at + 1).copied()
                }
            };
            let text = next.map_or("All TOP_SPs".to_owned(), |one| format!("TOP_SP {one}"));
            out.push(Effect::Say(text));
            apply(state, CollectivesAction::TopSp(next), out);
        }
        "coll-rank" => {
            let ranks = state.collectives.plan.as_ref().map_or(0, |plan| plan.ranks.len());
            let next = (state.collectives.rank as usize + 1) % ranks.max(1);
            let next = u32::try_from(next).unwrap_or(0);
            apply(state, CollectivesAction::Rank(next), out);
        }
        "coll-names" => {
            let patterns = !state.collectives.patterns;
            apply(state, CollectivesAction::Patterns(patterns), out);
        }
        "coll-decoder" => {
            let open = !state.collectives.decoder.open;
            apply(state, CollectivesAction::Decoder(open), out);
            let focus = if open { FocusOn::Search } else { FocusOn::Pane(Pane::Entries) };
            out.push(Effect::Focus(focus));
        }
        "coll-edit" => apply(state, CollectivesAction::Edit, out),
        "coll-part-next" => part(state, 1, out),
        "coll-part-previous" => part(state, -1, out),
        "search" => out.push(Effect::Focus(FocusOn::Search)),
        _ => {}
    }
}

/// Esc: the searched text, the field, the decoder.
pub(super) fn close(state: &mut State, out: &mut Effects) {
    out.mark(Dirty::COLLECTIVES.and(Dirty::FRAME));
    let own = &mut state.collectives;
    if own.field.is_some() {
        own.field = None;
    } else if own.decoder.open {
        own.decoder.open = false;
        out.push(Effect::Focus(FocusOn::Pane(Pane::Entries)));
    } else if !own.find.is_empty() {
        own.find.clear();
        list(state);
    }
    address(state, false, out);
}

const fn names_said(patterns: bool) -> &'static str {
    match patterns {
        true => "Numbers of algorithms read as enc_pattern",
        false => "Numbers of algorithms read as enc_alg_type",
    }
}

/// The listed rows after tables, text or TOP_SP have changed.
fn list(state: &mut State) {
    let own = &mut state.collectives;
    own.rows = Rc::new(rows(&own.triggers, &own.tables, own.top_sp, &own.find));
    own.reveal = own.reveal.wrapping_add(1);
}

fn number(state: &mut State, field: SetupField, text: &str, out: &mut Effects) {
    let text = text.trim();
    let (_, _, label, most) = SetupField::ALL
        .into_iter()
        .find(|(one, ..)| *one == field)
        .unwrap_or((field, "", "This", u32::MAX));
    let value = match text {
        "" => None,
        text => match text.parse::<u32>() {
            Ok(value) if (1..=most).contains(&value) => Some(value),
            _ => {
                let shown: String = text.chars().take(40).collect();
                let why = format!("{label}: `{shown}` is no number from 1 to {most}.");
                toast(state, &why, out);
                return;
            }
        },
    };
    state.collectives.setup.set(field, value);
}

fn to_rank(state: &mut State, rank: u32, out: &mut Effects) {
    let own = &mut state.collectives;
    own.rank = rank;
    own.node = None;
    // The same place in the other rank's table, if it has it.
    own.wanted = own.picked.map(|at| (at.index, Some(at.top_sp)));
    out.push(Effect::Say(format!("Rank {rank}")));
}

fn pick(state: &mut State, at: EntryAt, out: &mut Effects) {
    let own = &mut state.collectives;
    if own.picked.map(|old| old.index) != Some(at.index) {
        own.step = 0;
    }
    own.picked = Some(at);
    own.reveal = own.reveal.wrapping_add(1);
    if let (Some(trigger), Some(entry)) = (own.trigger_at(at.index), own.entry_at(at)) {
        out.push(Effect::Say(words::spoken(at, trigger, entry)));
    }
}

fn move_by(state: &mut State, by: i64, out: &mut Effects) {
    let own = &state.collectives;
    let last = own.rows.len().saturating_sub(1);
    let next = match own.row() {
        Some(now) => {
            let now = i64::try_from(now).unwrap_or(0);
            usize::try_from(now.saturating_add(by).max(0)).unwrap_or(usize::MAX).min(last)
        }
        None => 0,
    };
    if let Some(at) = own.rows.get(next).copied() {
        pick(state, at, out);
        address(state, false, out);
    }
}

fn to_step(state: &mut State, step: u64, out: &mut Effects) {
    let own = &mut state.collectives;
    own.step = step;
    let Some(head) = &own.schedule.head else { return };
    let phase = own.step_shown().map_or(String::new(), |step| format!(", {}", step.phase));
    out.push(Effect::Say(format!("Step {} of {}{phase}", step + 1, head.n_steps)));
}

/// The next or previous field of what is shown.
fn field(state: &mut State, by: isize, out: &mut Effects) {
    let own = &state.collectives;
    let Some(answer) = own.shown().cloned() else { return };
    let Some(entry) = answer.entries.first() else { return };
    let ordered = bits::ordered(entry, bits::view(&answer, entry));
    let names: Vec<&str> = ordered.iter().map(|field| field.name.as_str()).collect();
    let next = bits::stepped(&names, own.field.as_deref(), by);
    if let Some(field) = ordered.iter().find(|one| Some(&one.name) == next.as_ref()) {
        let value = bits::value(field, own.known());
        let place = bits::places(field);
        out.push(Effect::Say(format!("{}, {place}: {value}", field.name)));
    }
    state.collectives.field = next;
    address(state, false, out);
}

/// The record of the selected collective in Code.
fn code(state: &mut State, out: &mut Effects) {
    if is_elsewhere(state) {
        toast(state, "Code shows the first file alone; this collective is of another one.", out);
        return;
    }
    let Some(trigger) = state.collectives.trigger() else { return };
    let place = &trigger.place;
    let target = Target { e: place.engine.clone(), ip: Some(place.neff_ip), ..Target::default() };
    run::set_view(state, View::Code, out);
    select::select(state, &target, Some(Move::Jump), out);
}

/// The page of a variable in Structs.
fn variable(state: &mut State, name: &str, out: &mut Effects) {
    if is_elsewhere(state) {
        toast(state, "Structs shows the first file alone; this variable is of another one.", out);
        return;
    }
    state.view = View::Structs;
    out.mark(Dirty::ALL);
    run::focus(state, Pane::Records, out);
    structs::open(state, format!("variable.{name}"), out);
}

/// Whether the plan is of a file that the other views do not show.
fn is_elsewhere(state: &State) -> bool {
    let plan = state.collectives.plan.as_ref();
    plan.is_some_and(|plan| !plan.ranks.is_empty() && plan.rank.is_some_and(|rank| rank > 0))
}

fn part(state: &mut State, by: isize, out: &mut Effects) {
    let count = Part::ALL.len() as isize;
    let now = state.collectives.part;
    let at = Part::ALL.iter().position(|(part, ..)| *part == now).unwrap_or(0);
    let next = (at as isize + by).rem_euclid(count) as usize;
    if let Some((part, _, title)) = Part::ALL.get(next) {
        state.collectives.part = *part;
        out.push(Effect::Say((*title).to_owned()));
        address(state, false, out);
    }
}

fn decoder(state: &mut State, open: bool, out: &mut Effects) {
    let own = &mut state.collectives;
    own.decoder.open = open;
    own.hover = None;
    if open && own.decoder.text.is_empty() {
        let entry = own.picked.and_then(|at| own.entry_at(at));
        own.decoder.text = entry.map(|entry| entry.raw.clone()).unwrap_or_default();
    }
    let text = if open { "Decoder" } else { "Table" };
    out.push(Effect::Say(text.to_owned()));
}

/// One bit of the decoder's word.
fn turn(state: &mut State, bit: u32, out: &mut Effects) {
    let Some(Ok(answer)) = &state.collectives.decoder.answer else { return };
    let Some(entry) = answer.entries.first() else { return };
    let word = words::word_of(&entry.raw) ^ 1_u64.checked_shl(bit).unwrap_or(0);
    state.collectives.decoder.text = format!("{:016x}", word.swap_bytes());
    let set = if word >> bit & 1 == 1 { "set" } else { "cleared" };
    out.push(Effect::Say(format!("Bit {bit} {set}")));
}

/// The selected entry in the decoder.
fn edit(state: &mut State, out: &mut Effects) {
    let own = &mut state.collectives;
    let raw = own.picked.and_then(|at| own.entry_at(at)).map(|entry| entry.raw.clone());
    own.decoder.text = raw.unwrap_or_default();
    own.decoder.open = true;
    out.push(Effect::Say("The entry is in the decoder".to_owned()));
}
