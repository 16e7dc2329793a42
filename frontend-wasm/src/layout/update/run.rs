//! Commands of the registry.

use super::{
    address, apply, ask_program, boxes, bytes, collectives, compare, drawer, memory, overlay,
    panes, select, simulate, strips, structs, timeline, timeline_source, toast,
};
use crate::layout::action::{Action, Beside, Dirty, Effect, Effects, FocusOn, Move};
use crate::layout::commands;
use crate::layout::lone::views_are_pages;
use crate::layout::place;
use crate::layout::state::{Overlay, PaletteBox, Pane, SizeClass, State, StripsWish, View};
use crate::layout::url;

/// Runs a command by id; one that can do nothing now says why.
pub(super) fn run(state: &mut State, id: &str, out: &mut Effects) {
    let Some(command) = commands::by_id(id) else { return };
    if let Err(why) = (command.ready)(state) {
        toast(state, &format!("{}: {why}.", command.title), out);
        return;
    }
    match id {
        "goto" => apply(state, Action::GotoOpen(true), out),
        "palette" => {
            state.palette = PaletteBox::default();
            overlay(state, Overlay::Palette, out);
        }
        "keys" => overlay(state, Overlay::Keys, out),
        "findings" => overlay(state, Overlay::Findings, out),
        "log" => overlay(state, Overlay::Log, out),
        "close" => close(state, out),
        "patch-next" if state.compare.open => compare::walk(state, true, out),
        "patch-previous" if state.compare.open => compare::walk(state, false, out),
        "compare" => apply(state, Action::SetCompare(!state.compare.open), out),
        "compare-only" => apply(state, Action::SetOnlyDifferent(!state.compare.only), out),
        "image" => apply(state, Action::SetModelled(!state.build.modelled), out),
        "add-neff" => out.push(Effect::PickBeside(Beside::Program)),
        "add-capture" => out.push(Effect::PickBeside(Beside::Capture)),
        "add-source" => out.push(Effect::PickBeside(Beside::Source)),
        "add-profile" => out.push(Effect::PickBeside(Beside::Profile)),
        "slot-next" if state.compare.open => compare::step(state, 1, out),
        "slot-previous" if state.compare.open => compare::step(state, -1, out),
        "page-down" if state.compare.open => compare::step(state, 20, out),
        "page-up" if state.compare.open => compare::step(state, -20, out),
        "first-slot" if state.compare.open => compare::step(state, i64::MIN, out),
        "last-slot" if state.compare.open => compare::step(state, i64::MAX, out),
        "patch-next" => patch(state, true, out),
        "patch-previous" => patch(state, false, out),
        "patches" => apply(state, Action::SetPatches(state.patches_hidden), out),
        "profile" => apply(state, Action::ProfileOpen(!state.profile_open), out),
        "zoom-in" => strips::wish(state, StripsWish::In, out),
        "zoom-out" => strips::wish(state, StripsWish::Out, out),
        "zoom-all" => strips::wish(state, StripsWish::All, out),
        "zoom-selection" => strips::wish(state, StripsWish::Selection, out),
        "slot-next" => select::step(state, 1, out),
        "slot-previous" => select::step(state, -1, out),
        "page-down" => select::step(state, page_rows(state), out),
        "page-up" => select::step(state, -page_rows(state), out),
        "first-slot" => select::step(state, i64::MIN, out),
        "last-slot" => select::step(state, i64::MAX, out),
        "bytes" => apply(state, Action::Expand(!state.expanded), out),
        "copy-slot" => copy_slot(state, out),
        "view-regions" => set_view(state, View::Regions, out),
        "view-code" => set_view(state, View::Code, out),
        "view-bytes" => set_view(state, View::Bytes, out),
        "view-memory" => set_view(state, View::Memory, out),
        "view-timeline" => set_view(state, View::Timeline, out),
        "executions" => set_view(state, View::Timeline, out),
        "scratchpad" => memory::calculator(state, out),
        "view-collectives" => set_view(state, View::Collectives, out),
        "view-run" => set_view(state, View::Run, out),
        "simulate" => simulate::go(state, out),
        "run-timeline" => timeline_source::of_run(state, out),
        "spad-ctrl" => collectives::open_decoder(state, out),
        "view-structs" => set_view(state, View::Structs, out),
        "drawer" => drawer::toggle(state, out),
        "rail" => {
            state.rail_open = !state.rail_open;
            out.mark(Dirty::FRAME);
            out.push(Effect::Store(
                "rail",
                if state.rail_open { "open" } else { "closed" }.to_owned(),
            ));
        }
        "pane-next" => pane(state, 1, out),
        "pane-previous" => pane(state, -1, out),
        "core-next" => core(state, out),
        "all-cores" => apply(state, Action::SetAllCores(!state.all_cores), out),
        "theme" => {
            let theme = state.theme.next();
            apply(state, Action::SetTheme(theme), out);
            toast(state, &format!("Theme: {}.", theme.name()), out);
        }
        "letter-keys" => apply(state, Action::SetLetterKeys(!state.letter_keys), out),
        "copy-link" => {
            address(state, false, out);
            out.push(Effect::CopyAddress(url::path(state)));
        }
        "open-file" => out.push(Effect::Pick),
        _ if state.view == View::Structs => structs::run(state, id, out),
        _ if state.view == View::Memory => memory::run(state, id, out),
        _ if state.view == View::Collectives => collectives::run(state, id, out),
        _ if state.view == View::Timeline => timeline::run(state, id, out),
        _ => bytes::run(state, id, out),
    }
}

/// Puts a pane first, with the focus in it; a new history entry, as another document would be.
pub(super) fn set_view(state: &mut State, view: View, out: &mut Effects) {
    if state.view != view {
        match view {
            View::Bytes => bytes::follow(state),
            View::Structs => structs::enter(state),
            View::Regions
            | View::Code
            | View::Memory
            | View::Collectives
            | View::Timeline
            | View::Run => {}
        }
        state.view = view;
        if views_are_pages(state) {
            out.push(Effect::Navigate(url::path(state)));
            return;
        }
        if state.opened && view.has_program() {
            ask_program(state, out);
        }
        out.mark(Dirty::ALL);
        address(state, true, out);
    }
    focus(state, view.pane(), out);
}

/// Esc: popup, then the go-to box, then a sheet that covers the rows, then the selection.
fn close(state: &mut State, out: &mut Effects) {
    if state.overlay != Overlay::None {
        overlay(state, Overlay::None, out);
    } else if state.goto.open {
        boxes::close_goto(state, out);
    } else if state.profile_open {
        apply(state, Action::ProfileOpen(false), out);
    } else if state.toast.is_some() {
        state.toast = None;
        out.mark(Dirty::NOTICE);
    } else if state.opening.is_some() {
        apply(state, Action::OpeningCancel, out);
    } else if state.size_class == SizeClass::Narrow && state.drawer_open && !state.details_follow()
    {
        drawer::toggle(state, out);
    } else if state.view == View::Memory {
        memory::close(state, out);
    } else if state.view == View::Collectives {
        collectives::close(state, out);
    } else if state.view == View::Timeline {
        timeline::close(state, out);
    } else if state.view == View::Run {
        simulate::cancel(state, out);
    } else if !state.view.has_slots() {
        structs::close(state, out);
    } else if state.selection.is_some() {
        select::clear(state, out);
    }
}

fn patch(state: &mut State, forward: bool, out: &mut Effects) {
    let Some(engine) = state.engine() else { return };
    let total = engine.patches.len();
    let Some((number, mark)) = place::next_patch(engine, state.cursor, forward) else { return };
    let mut text = strips::told(number, total, mark);
    let row = mark.row;
    let around = if forward { row <= state.cursor } else { row >= state.cursor };
    if around && total > 0 {
        let (last, first) = if forward { ("last", "first") } else { ("first", "last") };
        let words = match total {
            1 => format!("{} has one patch.", engine.engine),
            _ => format!("Past the {last} patch of {}: at the {first} again.", engine.engine),
        };
        toast(state, &words, out);
        text = format!("{words} {text}");
    }
    select::to_row(state, row, Move::Jump, out);
    out.push(Effect::Say(text));
}

fn page_rows(state: &State) -> i64 {
    let (first, last) = state.window;
    let rows = last.saturating_sub(first).saturating_sub(crate::layout::rows::OVERSCAN * 2);
    i64::try_from(rows).unwrap_or(1).max(1)
}

fn copy_slot(state: &mut State, out: &mut Effects) {
    let Some(slot) = state.slot.as_ref().filter(|_| !state.slot_stale) else { return };
    let place = &slot.place;
    let mut parts = vec![format!("{} {}", place.s, place.e)];
    parts.extend(place.image_slot.map(|slot| format!("slot {slot}")));
    parts.extend(place.device_pc.as_ref().map(|pc| format!("PC {pc}")));
    parts.extend(place.neff_ip.map(|ip| format!("IP {ip}")));
    let text = format!("{}: {}\n{}", parts.join(" "), slot.text, slot.hex);
    out.push(Effect::Copy(text, "Slot"));
}

fn pane(state: &mut State, step: isize, out: &mut Effects) {
    let panes = panes(state);
    let at = panes.iter().position(|pane| *pane == state.pane).unwrap_or(0);
    let count = isize::try_from(panes.len()).unwrap_or(1).max(1);
    let at = isize::try_from(at).unwrap_or(0);
    let next = usize::try_from((at + step).rem_euclid(count)).unwrap_or(0);
    if let Some(pane) = panes.get(next) {
        focus(state, *pane, out);
    }
}

pub(super) fn focus(state: &mut State, pane: Pane, out: &mut Effects) {
    state.pane = pane;
    out.mark(Dirty::FRAME.and(Dirty::CODE));
    out.push(Effect::Focus(FocusOn::Pane(pane)));
}

fn core(state: &mut State, out: &mut Effects) {
    let Some(regions) = state.regions.clone() else { return };
    let at = regions.subgraphs.iter().position(|name| *name == regions.subgraph).unwrap_or(0);
    let next = regions.subgraphs.get(at + 1).or_else(|| regions.subgraphs.first());
    if let Some(name) = next {
        select::set_subgraph(state, name, out);
    }
}
