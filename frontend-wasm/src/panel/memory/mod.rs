//! The Memory view: the plan of device memory, its variables, the address map, the calculator.

mod calc;
mod details;
mod hbm;
mod lists;
mod lives;
mod map;
mod plan;
mod setup;
mod tip;

use self::calc::CalcForm;
use self::details::Details;
use self::lists::Lists;
use self::plan::PlanPart;
use self::setup::SetupBar;
use self::tip::Tip;
use super::Dispatch;
use super::details_button::DetailsButton;
use crate::dom::{
    Listener, append, closest, data, data_number, div, el, find, focus_on, on, set_attr, set_class,
    set_hidden, set_opt_attr, span,
};
use crate::layout::action::{Action, Dirty, MemoryAction, Move, Target};
use crate::layout::memory::{Part, VarRef};
use crate::layout::state::{State, View};
use crate::paint::glyph::button;
use wasm_bindgen::JsCast;
use web_sys::Element;

/// The view.
pub struct MemoryPanel {
    root: Element,
    main: Element,
    tabs: Vec<(Part, Element)>,
    setup: SetupBar,
    plan: PlanPart,
    lists: Lists,
    calc: CalcForm,
    details: Details,
    toggle: DetailsButton,
    tip: Tip,
    marked: (Option<VarRef>, Option<VarRef>),
    part: Part,
    _listeners: Vec<Listener>,
}

impl MemoryPanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty =
        Dirty::MEMORY.and(Dirty::SELECTION).and(Dirty::REGIONS).and(Dirty::FRAME);

    /// Builds the fixed part.
    pub fn new(dispatch: Dispatch) -> Self {
        let group = div("tabs").attr("role", "group").attr("aria-label", "Part").build();
        let mut tabs = Vec::new();
        for (part, name, title) in Part::ALL {
            let tab = button("").attr("data-part", name).text(title).build();
            append(&group, &tab);
            tabs.push((part, tab));
        }
        let setup = SetupBar::new(&dispatch);
        let plan = PlanPart::new();
        let lists = Lists::new(&dispatch);
        let calc = CalcForm::new(&dispatch);
        let details = Details::new();
        let tip = Tip::new();
        let toggle = DetailsButton::new(&dispatch, "");
        let bar = div("ph")
            .child(el("h2").attr("id", "memory-title").text("Memory"))
            .node(&group)
            .child(span("grow", ""))
            .node(setup.modes())
            .node(toggle.root());
        let main = el("section").class("pane mmain").attr("aria-labelledby", "memory-title");
        let main = main.child(bar).node(setup.root());
        let main = main.node(plan.root()).node(lists.root()).node(calc.root()).build();
        let root = div("memv").node(&main).node(details.root()).node(tip.root()).build();
        let listeners = listen(&root, &dispatch);
        Self {
            root,
            main,
            tabs,
            setup,
            plan,
            lists,
            calc,
            details,
            toggle,
            tip,
            marked: (None, None),
            part: Part::default(),
            _listeners: listeners,
        }
    }

    /// The view's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to what the part is moved through by.
    pub fn focus(&self) {
        match self.part {
            Part::Plan => focus_on(self.plan.root()),
            Part::Variables | Part::Addresses => self.lists.focus(self.part),
            Part::Calculator => self.calc.focus(),
        }
    }

    /// Focus to the details.
    pub fn focus_details(&self) {
        focus_on(self.details.body());
    }

    /// Brings the view up to date.
    pub fn render(&mut self, state: &State) {
        let memory = &state.memory;
        self.part = memory.part;
        for (part, tab) in &self.tabs {
            let on = *part == memory.part;
            set_class(tab, "on", on);
            set_attr(tab, "aria-pressed", if on { "true" } else { "false" });
        }
        set_opt_attr(&self.main, "data-part", Some(memory.part.name()));
        self.setup.render(state);
        set_hidden(self.plan.root(), memory.part != Part::Plan);
        let mut fresh = memory.part == Part::Plan && self.plan.render(state);
        self.lists.render(state);
        set_hidden(self.calc.root(), memory.part != Part::Calculator);
        if memory.part == Part::Calculator {
            self.calc.render(state);
        }
        self.toggle.render(state);
        set_class(&self.root, "nodet", !state.has_details());
        set_hidden(self.details.root(), !state.has_details());
        fresh |= state.has_details() && self.details.render(state);
        self.mark(memory.picked.as_ref(), memory.hover.as_ref(), fresh);
        let bar = memory.hover.as_ref().and_then(|_| find(self.plan.root(), ".mb:hover"));
        self.tip.render(state, bar.as_ref());
    }

    /// Marks all blocks of the chosen variable, and of the one under the pointer, if these or the
    /// blocks are others than before.
    fn mark(&mut self, picked: Option<&VarRef>, hover: Option<&VarRef>, fresh: bool) {
        if !fresh && (self.marked.0.as_ref(), self.marked.1.as_ref()) == (picked, hover) {
            return;
        }
        let texts = [picked.map(VarRef::text), hover.map(VarRef::text)];
        for one in self.all("[data-var].on, [data-var].hot") {
            set_class(&one, "on", false);
            set_class(&one, "hot", false);
        }
        if texts.iter().any(Option::is_some) {
            for one in self.all("[data-var]") {
                let own = data(&one, "var");
                for (class, text) in ["on", "hot"].into_iter().zip(&texts) {
                    if own.is_some() && own == *text {
                        set_class(&one, class, true);
                    }
                }
            }
        }
        self.marked = (picked.cloned(), hover.cloned());
    }

    fn all(&self, selector: &str) -> Vec<Element> {
        let Ok(all) = self.root.query_selector_all(selector) else { return Vec::new() };
        let elements = (0..all.length()).filter_map(|at| all.item(at)?.dyn_into().ok());
        elements.collect()
    }
}

fn listen(root: &Element, dispatch: &Dispatch) -> Vec<Listener> {
    let click = {
        let send = dispatch.clone();
        on(root, "click", move |event| clicked(&event, &send))
    };
    let over = {
        let send = dispatch.clone();
        on(root, "mouseover", move |event| {
            let var = closest(&event, "[data-var]").and_then(|one| data(&one, "var"));
            let var = var.and_then(|text| VarRef::parse(&text));
            send(Action::Memory(MemoryAction::Hover(var)));
        })
    };
    let leave = {
        let send = dispatch.clone();
        on(root, "mouseleave", move |_| send(Action::Memory(MemoryAction::Hover(None))))
    };
    vec![click, over, leave]
}

fn clicked(event: &web_sys::Event, dispatch: &Dispatch) {
    let send = |action: MemoryAction| dispatch(Action::Memory(action));
    let at = |selector: &str, name: &str| closest(event, selector).and_then(|at| data(&at, name));
    if let Some(text) = at("[data-copy]", "copy") {
        dispatch(Action::Copy(text, "Value"));
    } else if let Some(link) = closest(event, "[data-ip]") {
        let ip = data_number(&link, "ip").and_then(|ip| u32::try_from(ip).ok());
        let target = Target {
            s: data(&link, "s").unwrap_or_default(),
            e: data(&link, "e").unwrap_or_default(),
            ip,
            ..Target::default()
        };
        dispatch(Action::SetView(View::Code));
        dispatch(Action::Select(target, Move::Jump));
    } else if let Some(link) = closest(event, "[data-slot]") {
        let slot = data_number(&link, "slot").and_then(|slot| u32::try_from(slot).ok());
        let target = Target {
            s: data(&link, "s").unwrap_or_default(),
            e: data(&link, "e").unwrap_or_default(),
            slot,
            ..Target::default()
        };
        dispatch(Action::SetView(View::Code));
        dispatch(Action::Select(target, Move::Jump));
    } else if let Some(link) = closest(event, "[data-ring]") {
        let row = data_number(&link, "row").unwrap_or(0);
        send(MemoryAction::Descriptor(data(&link, "ring").unwrap_or_default(), row));
    } else if let Some(run) = at("[data-do]", "do") {
        match run.as_str() {
            "record" => send(MemoryAction::Record),
            "calculate" => send(MemoryAction::Calculate),
            "close" => dispatch(Action::Run("drawer")),
            "findings" => dispatch(Action::Run("findings")),
            _ => dispatch(Action::Run("copy-link")),
        }
    } else if let Some(part) = at("[data-part]:not(section)", "part") {
        if let Some(part) = Part::parse(&part) {
            send(MemoryAction::Part(part));
        }
    } else if let Some(bank) = at("[data-bank]", "bank").and_then(|bank| bank.parse().ok()) {
        send(MemoryAction::Bank(bank));
    } else if let Some(whole) = at("[data-whole]", "whole") {
        send(MemoryAction::Whole(whole == "yes"));
    } else if let Some(engine) = at("[data-engine]", "engine") {
        send(MemoryAction::Engine(engine));
    } else if let Some(address) = at("[data-address]", "address") {
        send(MemoryAction::Part(Part::Addresses));
        send(MemoryAction::Find(address));
    } else if let Some(row) = at("[data-row]", "row").and_then(|row| row.parse().ok()) {
        send(MemoryAction::Row(row));
    } else if let Some(var) = at("[data-var]", "var") {
        send(MemoryAction::Pick(VarRef::parse(&var)));
    }
}
