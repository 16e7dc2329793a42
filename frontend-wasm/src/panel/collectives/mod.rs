//! The Collectives view: entries of the control tables bit by bit, the ranks and their steps, the plan.

mod bits;
mod table;
mod entry;
mod decoder;
mod setup;
mod picture;
mod topology;
mod barrier;
mod plan;
mod step;
mod ranks;
mod side;

use self::decoder::DecoderForm;
use self::entry::EntryBox;
use self::setup::SetupBar;
use self::side::Side;
use self::table::Table;
use super::Dispatch;
use super::details_button::DetailsButton;
use crate::dom::{
    Listener, append, closest, data, data_number, div, el, on, set_attr, set_class, set_hidden,
    set_text, span,
};
use crate::layout::action::{Action, CollectivesAction, Dirty, MemoryAction, Move, Target};
use crate::layout::collectives::{EntryAt, NAMES, Part};
use crate::layout::format::{count, thousands};
use crate::layout::memory::VarRef;
use crate::layout::state::{State, View};
use crate::paint::glyph::button;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// The view.
pub struct CollectivesPanel {
    root: Element,
    sub: Element,
    tops: Element,
    modes: Vec<(bool, Element)>,
    names: Vec<(bool, Element)>,
    setup: SetupBar,
    gap: Element,
    table: Table,
    decoder: DecoderForm,
    entry: EntryBox,
    side: Side,
    toggle: DetailsButton,
    drawn_tops: Option<(Vec<u32>, Option<u32>)>,
    is_decoder: bool,
    _listeners: Vec<Listener>,
}

impl CollectivesPanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty =
        Dirty::COLLECTIVES.and(Dirty::SELECTION).and(Dirty::REGIONS).and(Dirty::FRAME);

    /// Builds the fixed part.
    pub fn new(dispatch: Dispatch) -> Self {
        let choice = |label: &str, options: [(&str, &str); 2], key: &str| {
            let group = div("seg").attr("role", "group").attr("aria-label", label).build();
            let mut buttons = Vec::new();
            for (at, (name, title)) in options.into_iter().enumerate() {
                let one = button("").attr(&format!("data-{key}"), name).text(title).build();
                append(&group, &one);
                buttons.push((at == 1, one));
            }
            (group, buttons)
        };
        let (mode, modes) =
            choice("What is decoded", [("table", "Table"), ("decoder", "Decoder")], "mode");
        let (name, names) = choice("Names of algorithms", NAMES.map(|name| (name, name)), "names");
        let sub = span("sub", "").build();
        let tops = div("seg").attr("role", "group").attr("aria-label", "TOP_SP").build();
        let setup = SetupBar::new(&dispatch);
        let table = Table::new(&dispatch);
        let toggle = DetailsButton::new(&dispatch, "");
        let bar = div("ph")
            .child(el("h2").attr("id", "coll-title").text("spad-ctrl tables"))
            .node(&sub)
            .child(span("grow", ""))
            .node(table.find())
            .node(&tops)
            .node(&mode)
            .node(toggle.root());
        let decoder = DecoderForm::new(&dispatch);
        let entry = EntryBox::new(&dispatch, &name);
        let gap = div("cgap").build();
        let main = el("section").class("pane cmain").attr("aria-labelledby", "coll-title");
        let main = main.child(bar).node(setup.root()).node(&gap).node(table.root());
        let main = main.node(decoder.root()).node(entry.root()).build();
        let side = Side::new(&dispatch);
        let root = div("colv").node(&main).node(side.root()).build();
        let _listeners = listen(&root, &dispatch);
        Self {
            root,
            sub,
            tops,
            modes,
            names,
            setup,
            gap,
            table,
            decoder,
            entry,
            side,
            toggle,
            drawn_tops: None,
            is_decoder: false,
            _listeners,
        }
    }

    /// The view's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the table, or to the word of the decoder.
    pub fn focus(&self) {
        if self.is_decoder { self.decoder.focus() } else { self.table.focus() }
    }

    /// Focus to the fields of the entry.
    pub fn focus_fields(&self) {
        self.entry.focus();
    }

    /// Focus to the ranks and the plan.
    pub fn focus_topology(&self) {
        self.side.focus();
    }

    /// Brings the view up to date.
    pub fn render(&mut self, state: &State) {
        let own = &state.collectives;
        self.is_decoder = own.decoder.open;
        press(&self.modes, own.decoder.open);
        press(&self.names, own.patterns);
        let empty = own.plan.as_ref().is_some_and(|plan| plan.n_triggers == 0);
        set_text(&self.sub, &summary(state));
        self.setup.render(state);
        set_hidden(self.table.find(), own.decoder.open || empty);
        self.render_tops(state, empty);
        set_hidden(&self.gap, !empty || own.decoder.open);
        if empty {
            render_gap(&self.gap);
        }
        set_hidden(self.table.root(), own.decoder.open || empty);
        if !own.decoder.open && !empty {
            self.table.render(state);
        }
        set_hidden(self.decoder.root(), !own.decoder.open);
        self.decoder.render(state);
        self.entry.render(state);
        self.toggle.render(state);
        set_class(&self.root, "nodet", !state.has_details());
        set_hidden(self.side.root(), !state.has_details());
        if state.has_details() {
            self.side.render(state);
        }
        self.mark(state);
    }

    fn render_tops(&mut self, state: &State, empty: bool) {
        let own = &state.collectives;
        set_hidden(&self.tops, own.decoder.open || empty || own.tables.len() < 2);
        let numbers: Vec<u32> = own.tables.iter().map(|table| table.index).collect();
        let now = (numbers, own.top_sp);
        if self.drawn_tops.as_ref() == Some(&now) {
            return;
        }
        self.tops.set_text_content(None);
        let one = |name: &str, title: &str, on: bool, label: &str| {
            let one = button(if on { "on" } else { "" }).attr("data-topsp", name);
            one.attr("aria-pressed", if on { "true" } else { "false" })
                .attr("aria-label", label)
                .text(title)
                .build()
        };
        append(&self.tops, &one("all", "All TOP_SPs", now.1.is_none(), "Entries of all TOP_SPs"));
        for number in &now.0 {
            let (text, on) = (number.to_string(), now.1 == Some(*number));
            append(&self.tops, &one(&text, &text, on, &format!("Entries of TOP_SP {text}")));
        }
        self.drawn_tops = Some(now);
    }

    /// Marks all that belongs to the chosen field, and to the one under the pointer.
    fn mark(&self, state: &State) {
        let own = &state.collectives;
        let Ok(all) = self.root.query_selector_all(".cent [data-field]") else { return };
        for at in 0..all.length() {
            let Some(one) = all.item(at).and_then(|one| one.dyn_into::<Element>().ok()) else {
                continue;
            };
            let field = data(&one, "field");
            set_class(&one, "on", field.is_some() && field == own.field);
            set_class(&one, "hot", field.is_some() && field == own.hover);
        }
    }
}

fn press(buttons: &[(bool, Element)], second: bool) {
    for (is_second, button) in buttons {
        let on = *is_second == second;
        set_class(button, "on", on);
        set_attr(button, "aria-pressed", if on { "true" } else { "false" });
    }
}

fn summary(state: &State) -> String {
    let own = &state.collectives;
    let Some(plan) = &own.plan else { return String::new() };
    if own.decoder.open {
        return "any control entry, bit by bit".to_owned();
    }
    let have = own.triggers.len() as u64;
    let loading = match have < plan.n_triggers {
        true => format!(", {} loaded", thousands(have)),
        false => String::new(),
    };
    let entries: u64 = own.tables.iter().map(|table| table.n_entries).sum();
    format!(
        "{}{loading}, {} of 8 bytes",
        count(plan.n_triggers, "collective"),
        match entries {
            1 => "1 entry".to_owned(),
            many => format!("{} entries", thousands(many)),
        }
    )
}

fn render_gap(gap: &Element) {
    if gap.first_element_child().is_some() {
        return;
    }
    let text = "Its streams have no record that starts a collective (all-reduce, collective, send or \
                receive). For one that has, this view shows the control entries that each TOP_SP \
                gets, the ranks with their steps and semaphores, and what several files opened \
                together do not agree on.";
    let row =
        div("row").child(button("btn sm").attr("data-mode", "decoder").text("Open the decoder"));
    let gap_box = div("gap").child(el("b").text("This executable has no collectives."));
    append(gap, &gap_box.child(el("br")).and_text(text).child(row).build());
}

fn listen(root: &Element, dispatch: &Dispatch) -> Vec<Listener> {
    let send = dispatch.clone();
    let click = on(root, "click", move |event| clicked(&event, &send));
    let send = dispatch.clone();
    let over = on(root, "mouseover", move |event| {
        let field = closest(&event, ".cent [data-field]").and_then(|one| data(&one, "field"));
        send(Action::Collectives(CollectivesAction::Hover(field)));
    });
    let send = dispatch.clone();
    let leave = on(root, "mouseleave", move |_| {
        send(Action::Collectives(CollectivesAction::Hover(None)));
    });
    vec![click, over, leave]
}

fn clicked(event: &web_sys::Event, dispatch: &Dispatch) {
    let send = |action: CollectivesAction| dispatch(Action::Collectives(action));
    let at = |selector: &str, name: &str| closest(event, selector).and_then(|at| data(&at, name));
    if let Some(text) = at("[data-copy]", "copy") {
        dispatch(Action::Copy(text, "Value"));
    } else if let Some(link) = closest(event, "[data-ip]") {
        let ip = data_number(&link, "ip").and_then(|ip| u32::try_from(ip).ok());
        let e = data(&link, "e").unwrap_or_default();
        dispatch(Action::SetView(View::Code));
        dispatch(Action::Select(Target { e, ip, ..Target::default() }, Move::Jump));
    } else if let Some(var) = at("[data-var]", "var") {
        dispatch(Action::Memory(MemoryAction::Pick(VarRef::parse(&var))));
        dispatch(Action::SetView(View::Memory));
    } else if let Some(name) = at("[data-variable]", "variable") {
        send(CollectivesAction::Variable(name));
    } else if let Some(address) = at("[data-address]", "address") {
        dispatch(Action::Memory(MemoryAction::Go(address)));
    } else if let Some(run) = at("[data-do]", "do") {
        match run.as_str() {
            "edit" => send(CollectivesAction::Edit),
            "step-next" => dispatch(Action::Run("coll-step-next")),
            "step-previous" => dispatch(Action::Run("coll-step-previous")),
            _ => dispatch(Action::Run("drawer")),
        }
    } else if let Some(mode) = at("[data-mode]", "mode") {
        send(CollectivesAction::Decoder(mode == "decoder"));
    } else if let Some(names) = at("[data-names]", "names") {
        send(CollectivesAction::Patterns(names == NAMES[1]));
    } else if let Some(top_sp) = at("[data-topsp]", "topsp") {
        send(CollectivesAction::TopSp(top_sp.parse().ok()));
    } else if let Some(part) = at("[data-side]", "side").and_then(|part| Part::parse(&part)) {
        send(CollectivesAction::Part(part));
    } else if let Some(link) = closest(event, "[data-go]") {
        let rank = data_number(&link, "rank").and_then(|rank| u32::try_from(rank).ok());
        if let Some(index) = data_number(&link, "go") {
            send(CollectivesAction::Go(index, rank));
        }
    } else if let Some(text) = at("[data-entry]", "entry") {
        if let Some((index, Some(top_sp))) = EntryAt::parse(&text) {
            send(CollectivesAction::Pick(EntryAt { index, top_sp }));
        }
    } else if let Some(node) = at("[data-node]", "node").and_then(|node| node.parse().ok()) {
        send(CollectivesAction::Node(node));
    } else if let Some(bit) = at("[data-bit]", "bit").and_then(|bit| bit.parse().ok()) {
        send(CollectivesAction::Turn(bit));
    } else if closest(event, "input, select, label").is_none()
        && let Some(field) = at(".cent [data-field]", "field")
    {
        send(CollectivesAction::Field(Some(field)));
    }
}
