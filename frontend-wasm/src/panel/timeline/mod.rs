//! The Timeline view: ruler, tracks, sums of a range or a table of the window, details.

mod board;
mod details;
mod heads;
mod sums;
mod table;

use self::board::Board;
use self::details::Details;
use self::sums::Sums;
use self::table::Table;
use super::Dispatch;
use crate::dom::{
    Listener, append, closest, data, div, el, find, focus_on, on, replace_children, set_attr,
    set_class, set_hidden, set_opt_attr, set_text, span,
};
use crate::layout::action::{Action, Dirty};
use crate::layout::commands;
use crate::layout::format::{count, thousands};
use crate::layout::state::State;
use crate::layout::timeline::scale::Unit;
use crate::layout::timeline::{TimelineAction, TraceSource};
use crate::paint::glyph::{button, provenance};
use debug_api::Provenance;
use std::cell::RefCell;
use std::rc::Rc;
use web_sys::Element;

/// The view.
pub struct TimelinePanel {
    root: Element,
    main: Element,
    sub: Element,
    units: Vec<(Unit, Element)>,
    sources: Vec<(TraceSource, Element)>,
    as_table: Element,
    save: Element,
    empty: Element,
    board: Rc<RefCell<Board>>,
    sums: Sums,
    table: Table,
    details: Details,
    badge: Element,
    _listeners: Vec<Listener>,
}

impl TimelinePanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty = Dirty::TIMELINE.and(Dirty::SELECTION).and(Dirty::FRAME);

    /// Builds the fixed part.
    pub fn new(dispatch: Dispatch) -> Self {
        let group = div("tabs").attr("role", "group").attr("aria-label", "Unit of times").build();
        let mut units = Vec::new();
        for (unit, label, name) in Unit::ALL {
            let tab = button("").attr("data-unit", name).text(label).build();
            append(&group, &tab);
            units.push((unit, tab));
        }
        let switch = div("tabs tsource").attr("role", "group").attr("aria-label", "Source").build();
        let mut sources = Vec::new();
        for (source, label) in TraceSource::ALL {
            let tab = button("").attr("data-source", source.name()).text(label).build();
            append(&switch, &tab);
            sources.push((source, tab));
        }
        let sub = span("sub", "").build();
        let badge = span("tbadge", "").build();
        let as_table = button("btn sm").attr("data-do", "table");
        let as_table = as_table.attr("title", "Table of this view (T)").text("Table").build();
        let whole = button("btn sm").attr("data-do", "whole").attr("title", "Whole trace (0)");
        let save = el("details").class("texport");
        let choice = |id: &str, words: &str, about: &str| {
            let about = span("sub", "").text(about);
            button("").attr("data-save", id).child(span("", "").text(words)).child(about)
        };
        let choices = div("tsave").children([
            choice("export-perfetto", "Perfetto", "protobuf, .pftrace"),
            choice("export-json", "Trace Event", "JSON"),
            choice("export-csv", "Table", "CSV, every event"),
            choice("open-perfetto", "Open in Perfetto", "ui.perfetto.dev, in this browser"),
        ]);
        let save = save.child(el("summary").class("btn sm").text("Export")).child(choices).build();
        let bar = div("ph")
            .child(el("h2").attr("id", "timeline-title").text("Timeline"))
            .node(&switch)
            .node(&badge)
            .node(&sub)
            .child(span("grow", ""))
            .node(&group)
            .child(whole.text("Fit"))
            .node(&save)
            .node(&as_table);
        let empty = div("tempty").attr("hidden", "").build();
        let board = Board::new(dispatch.clone());
        let (sums, table, details) = (Sums::new(), Table::new(), Details::new());
        let main = el("section").class("pane tmain").attr("aria-labelledby", "timeline-title");
        let main = main.child(bar).node(&empty).node(board.borrow().root());
        let main = main.node(table.root()).node(sums.root()).build();
        let root = div("timev").node(&main).node(details.root()).build();
        let listeners = listen(&root, &dispatch);
        Self {
            root,
            main,
            sub,
            units,
            sources,
            as_table,
            save,
            empty,
            board,
            sums,
            table,
            details,
            badge,
            _listeners: listeners,
        }
    }

    /// The view's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the tracks, or to the table in their place.
    pub fn focus(&self) {
        let selector =
            if self.main.class_list().contains("astable") { ".ttable" } else { ".theads" };
        if let Some(element) = find(&self.main, selector) {
            focus_on(&element);
        }
    }

    /// Focus to the details.
    pub fn focus_details(&self) {
        focus_on(self.details.body());
    }

    /// Brings the view up to date.
    pub fn render(&mut self, state: &State) {
        let timeline = &state.timeline;
        let there = timeline.answer.is_some();
        set_class(&self.main, "astable", timeline.table);
        set_text(&self.as_table, if timeline.table { "Drawing" } else { "Table" });
        set_attr(&self.as_table, "aria-pressed", if timeline.table { "true" } else { "false" });
        for (unit, tab) in &self.units {
            let on = *unit == timeline.unit;
            set_class(tab, "on", on);
            set_attr(tab, "aria-pressed", if on { "true" } else { "false" });
        }
        let alone = state.regions.is_none();
        let shown = state.trace_source();
        for (source, tab) in &self.sources {
            let on = *source == shown;
            set_class(tab, "on", on);
            set_attr(tab, "aria-pressed", if on { "true" } else { "false" });
            let (open, why) = match source {
                TraceSource::Captured if alone || state.has_capture() => {
                    (true, "What was recorded")
                }
                TraceSource::Captured => (false, "No capture of this executable is open: add one"),
                TraceSource::Simulated if alone => {
                    (false, "A run needs the executable: open the NEFF")
                }
                TraceSource::Simulated => (true, "The run of the Run view, by our timing model"),
            };
            set_attr(tab, "title", why);
            set_opt_attr(tab, "disabled", (!open).then_some(""));
        }
        let sub = timeline.answer.as_ref().map_or(String::new(), |answer| {
            if let Some(outcome) = &answer.outcome {
                let end = timeline.unit.text(answer.end_ps as f64, timeline.cycle_fs());
                return format!("{end} · {} · {outcome}", count(answer.events, "event"));
            }
            let end = timeline.unit.text(answer.end_ps as f64, timeline.cycle_fs());
            let (used, all) = (thousands(answer.records_used), thousands(answer.records));
            let events = count(answer.events, "event");
            format!("{end} · {events} of {used} of {all} records · {}", answer.file.name)
        });
        set_text(&self.sub, &sub);
        let from = timeline.answer.as_ref().map(|answer| match answer.provenance {
            Provenance::Modelled => {
                let about = "Engines, queues, host and all times are a model";
                let badge = span("badge q-mod", "modelled").attr("title", about);
                badge.child(provenance(Provenance::Modelled))
            }
            other => provenance(other),
        });
        replace_children(&self.badge, from);
        set_hidden(&self.save, !there);
        set_hidden(&self.empty, there || timeline.missing.is_none());
        let can_simulate = !alone && shown == TraceSource::Captured;
        self.say_empty(timeline.missing.as_deref(), can_simulate);
        set_hidden(self.board.borrow().root(), !there || timeline.table);
        set_hidden(self.table.root(), !there || !timeline.table);
        set_hidden(self.sums.root(), !there);
        if there {
            self.board.borrow_mut().render(state);
            self.sums.render(state);
            if timeline.table {
                self.table.render(state);
            }
        }
        set_class(&self.root, "nodet", !state.drawer_open);
        set_hidden(self.details.root(), !state.drawer_open);
        if state.drawer_open {
            self.details.render(state);
        }
    }

    fn say_empty(&self, why: Option<&str>, can_simulate: bool) {
        let Some(why) = why else { return };
        let add = button("btn").attr("data-do", "add").text("Add the capture of a run (NTFF)");
        let simulated = button("btn").attr("data-source", TraceSource::Simulated.name());
        let simulated = simulated.text("Show a simulated run").build();
        set_hidden(&simulated, !can_simulate);
        let parts = [
            el("b").text("No timeline"),
            el("p").text(&format!("{}{}.", why[..1].to_uppercase(), why.get(1..).unwrap_or(""))),
            add,
        ];
        replace_children(&self.empty, [div("emptybox").children(parts).node(&simulated)]);
    }
}

fn listen(root: &Element, dispatch: &Dispatch) -> Vec<Listener> {
    let send = Rc::clone(dispatch);
    let click = on(root, "click", move |event| {
        let time = |action| send(Action::Timeline(action));
        if let Some(tab) = closest(&event, "[data-unit]") {
            if let Some(unit) = data(&tab, "unit").and_then(|name| Unit::parse(&name)) {
                time(TimelineAction::Unit(unit));
            }
        } else if let Some(tab) = closest(&event, "[data-source]") {
            let source = data(&tab, "source").and_then(|name| TraceSource::parse(&name));
            if let Some(source) = source {
                time(TimelineAction::Source(source));
            }
        } else if let Some(head) = closest(&event, "[data-group]") {
            if let Some(group) = data(&head, "group") {
                time(TimelineAction::Fold(group));
            }
        } else if let Some(pin) = closest(&event, "[data-pin]") {
            if let Some(name) = data(&pin, "pin") {
                time(TimelineAction::Pin(name));
            }
        } else if let Some(row) = closest(&event, "[data-trow]") {
            if let Some(name) = data(&row, "trow") {
                time(TimelineAction::Row(name));
            }
        } else if let Some(row) = closest(&event, "[data-event]") {
            let text = data(&row, "event").unwrap_or_default();
            if let Some(picked) = details::event_ref(&text) {
                time(TimelineAction::Pick(Some(picked)));
            }
        } else if let Some(mark) = closest(&event, "[data-mark]") {
            let text = data(&mark, "mark").unwrap_or_default();
            if let Some((from, to)) = details::mark_of(&text) {
                let gone = closest(&event, "[data-gone]").is_some();
                let fit = TimelineAction::Fit(from, to);
                time(if gone { TimelineAction::Mark((from, to)) } else { fit });
            }
        } else if let Some(choice) = closest(&event, "[data-save]") {
            if let Some(menu) = choice.closest("details").ok().flatten() {
                let _ = menu.remove_attribute("open");
            }
            let id = data(&choice, "save").and_then(|id| commands::by_id(&id));
            if let Some(command) = id {
                send(Action::Run(command.id));
            }
        } else if let Some(button) = closest(&event, "[data-do]") {
            match data(&button, "do").as_deref() {
                Some("table") => send(Action::Run("time-table")),
                Some("whole") => send(Action::Run("time-all")),
                Some("add") => send(Action::Run("add-capture")),
                Some("code") => time(TimelineAction::Code),
                Some("writer") => send(Action::Run("writer")),
                Some("close") => send(Action::Run("drawer")),
                Some("link") => send(Action::Run("copy-link")),
                Some("csv") => {
                    let rows = find_rows(&button);
                    send(Action::Copy(rows, "Table as CSV"));
                }
                _ => {}
            }
        }
    });
    vec![click]
}

/// The rows of the table beside a button, as CSV.
fn find_rows(button: &Element) -> String {
    let table = button.closest(".tmain").ok().flatten();
    let which =
        if button.closest(".tsums").ok().flatten().is_some() { ".tsums" } else { ".ttable" };
    let table = table.and_then(|main| find(&main, &format!("{which} table")));
    table.map_or(String::new(), |table| table::csv(&table))
}
