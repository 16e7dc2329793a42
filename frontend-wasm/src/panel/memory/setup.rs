//! The controls: mode, page size, generation, HBM, which subgraphs.

use crate::dom::{
    El, Listener, append, closest, data, div, document, el, on, replace_children, set_attr,
    set_class, set_hidden, set_opt_attr, span,
};
use crate::layout::action::{Action, MemoryAction};
use crate::layout::memory::words::{parse_bytes, size};
use crate::layout::memory::{GENERATIONS, PAGE_SIZES, Part, Setup, Shown};
use crate::layout::state::State;
use crate::panel::Dispatch;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlSelectElement};

/// The controls.
pub struct SetupBar {
    root: Element,
    modes: Element,
    buttons: Vec<(Shown, Element)>,
    page: Element,
    generation: Element,
    core: Element,
    /// Cores that can be chosen.
    cores: Cell<u32>,
    /// Place of the selected subgraph, which a core is chosen for.
    selected: Rc<Cell<u32>>,
    hbm: Element,
    loads: Vec<(bool, Element)>,
    load: Element,
    /// What is set, for the listeners.
    now: Rc<RefCell<Setup>>,
    _listeners: Vec<Listener>,
}

impl SetupBar {
    /// Builds the controls.
    pub fn new(dispatch: &Dispatch) -> Self {
        let modes = div("seg").attr("role", "group").attr("aria-label", "Scratchpad mode").build();
        let mut buttons = Vec::new();
        for (shown, title) in
            [(Shown::Paged, "Paged"), (Shown::Contiguous, "Contiguous"), (Shown::Both, "Both")]
        {
            let button = el("button").attr("type", "button").attr("data-mode", shown.name());
            let button = button.text(title).build();
            append(&modes, &button);
            buttons.push((shown, button));
        }
        let sizes = PAGE_SIZES.iter().map(|bytes| el("option").attr("value", &size(*bytes)));
        let sizes = el("datalist").attr("id", "memory-pages").children(sizes);
        let typed = |id: &str, title: &str| {
            let input = el("input").class("inp1 mono").attr("id", id).attr("type", "text");
            let input = input.attr("autocomplete", "off").attr("spellcheck", "false");
            input.attr("title", title)
        };
        let page = typed("memory-page", "Bytes of a page: 512 MiB, 0x20000000 or 536870912");
        let page = page.attr("list", "memory-pages").build();
        let generation = el("select").class("pick1").attr("id", "memory-generation");
        let generation = generation.child(option("", "as the file"));
        let generation =
            generation.children(GENERATIONS.iter().map(|one| option(one, one))).build();
        let core = el("select").class("pick1").attr("id", "memory-core");
        let title = "Core of the first subgraph; the others follow it, here and in all views";
        let core = core.attr("title", title).child(option("", "as the images")).build();
        let hbm = typed("memory-hbm", "Bytes of each HBM: 24 GiB, 0x600000000 or 25769803776");
        let hbm = hbm.build();
        let load = div("seg").attr("role", "group").attr("aria-label", "What is loaded").build();
        let mut loads = Vec::new();
        for (one, title) in [(false, "All subgraphs"), (true, "One")] {
            let button = el("button").attr("type", "button");
            let button =
                button.attr("data-load", if one { "one" } else { "all" }).text(title).build();
            append(&load, &button);
            loads.push((one, button));
        }
        let label = |text: &str, of: &Element, id: &str| -> El {
            el("label").class("lbl").attr("for", id).and_text(text).node(of)
        };
        let root = div("mset")
            .child(sizes)
            .child(label("Page size", &page, "memory-page"))
            .child(label("Chip", &generation, "memory-generation"))
            .child(label("Core", &core, "memory-core"))
            .child(label("Each HBM", &hbm, "memory-hbm"))
            .node(&load)
            .build();
        let now: Rc<RefCell<Setup>> = Rc::default();
        let mut listeners = Vec::new();
        for root in [&root, &modes] {
            let (send, own) = (dispatch.clone(), Rc::clone(&now));
            listeners.push(on(root, "click", move |event| {
                if let Some(mode) = closest(&event, "[data-mode]").and_then(|at| data(&at, "mode"))
                {
                    if let Some(shown) = Shown::parse(&mode) {
                        send(Action::Memory(MemoryAction::Shown(shown)));
                    }
                } else if let Some(load) =
                    closest(&event, "[data-load]").and_then(|at| data(&at, "load"))
                {
                    let setup = Setup { one: load == "one", ..own.borrow().clone() };
                    send(Action::Memory(MemoryAction::Setup(setup)));
                }
            }));
        }
        let (send, own) = (dispatch.clone(), Rc::clone(&now));
        let selected: Rc<Cell<u32>> = Rc::default();
        let at = Rc::clone(&selected);
        listeners.push(on(&root, "change", move |event| {
            if let Some(core) = core_of(&event) {
                send(Action::SetCore(core.map(|core| core.saturating_add(at.get()))));
            } else {
                changed(&event, &own.borrow(), &send);
            }
        }));
        Self {
            root,
            modes,
            buttons,
            page,
            generation,
            core,
            cores: Cell::new(0),
            selected,
            hbm,
            loads,
            load,
            now,
            _listeners: listeners,
        }
    }

    /// The row of controls.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// The choice of page maps.
    pub const fn modes(&self) -> &Element {
        &self.modes
    }

    /// Brings the controls up to date.
    pub fn render(&self, state: &State) {
        let memory = &state.memory;
        let programs = state.regions.is_some();
        set_hidden(&self.modes, memory.part != Part::Plan || !programs);
        let shown = match memory.part {
            Part::Plan | Part::Variables => programs,
            Part::Addresses => true,
            Part::Calculator => false,
        };
        set_hidden(&self.root, !shown);
        let only_chip = memory.part == Part::Addresses;
        for control in [&self.page, &self.core, &self.hbm] {
            if let Some(label) = control.parent_element() {
                set_hidden(&label, only_chip);
            }
        }
        let several = state.regions.as_ref().is_some_and(|one| one.subgraphs.len() > 1);
        set_hidden(&self.load, only_chip || !several);
        let press = |button: &Element, on: bool| {
            set_class(button, "on", on);
            set_attr(button, "aria-pressed", if on { "true" } else { "false" });
        };
        for (shown, button) in &self.buttons {
            press(button, *shown == memory.shown);
        }
        for (one, button) in &self.loads {
            press(button, *one == memory.setup.one);
        }
        *self.now.borrow_mut() = memory.setup.clone();
        let page = memory.setup.page_size.unwrap_or(PAGE_SIZES[0]);
        show(&self.page, size(page));
        // Only paged scratchpads have pages of a size that can be set.
        let fixed = memory.shown == Shown::Contiguous
            && memory.plans.as_ref().is_none_or(|plans| plans.has_region());
        set_opt_attr(&self.page, "disabled", fixed.then_some(""));
        if let Some(select) = self.generation.dyn_ref::<HtmlSelectElement>() {
            select.set_value(memory.setup.generation.as_deref().unwrap_or_default());
        }
        self.show_core(state);
        let plan = memory.plan().map(|plan| plan.hbm_bytes);
        show(&self.hbm, memory.setup.hbm.or(plan).map(size).unwrap_or_default());
    }

    /// The cores of the device, and the one that is chosen.
    fn show_core(&self, state: &State) {
        self.selected.set(state.selected_subgraph());
        let chosen = state.first_core();
        let known = state.memory.plan().map_or(self.cores.get(), |plan| plan.n_cores);
        let wanted = known.max(chosen.map_or(0, |core| core.saturating_add(1))).min(64);
        if wanted != self.cores.get() {
            let cores = (0..wanted).map(|core| core.to_string());
            let cores = cores.map(|core| option(&core, &core));
            let own = option("", "as the images");
            replace_children(&self.core, std::iter::once(own).chain(cores));
            self.cores.set(wanted);
        }
        if let Some(select) = self.core.dyn_ref::<HtmlSelectElement>() {
            select.set_value(&chosen.map(|core| core.to_string()).unwrap_or_default());
        }
    }
}

fn option(value: &str, text: &str) -> El {
    el("option").attr("value", value).text(text)
}

/// The core that was chosen; `None` inside for that of the images.
fn core_of(event: &web_sys::Event) -> Option<Option<u32>> {
    let select = event.target()?.dyn_into::<HtmlSelectElement>().ok()?;
    (select.id() == "memory-core").then(|| select.value().parse().ok())
}

/// Shows a text in an input, unless something is being typed there.
fn show(input: &Element, text: String) {
    let active = document().and_then(|document| document.active_element());
    if let Some(own) = input.dyn_ref::<HtmlInputElement>()
        && active.as_ref() != Some(input)
        && own.value() != text
    {
        own.set_value(&text);
    }
}

fn changed(event: &web_sys::Event, now: &Setup, dispatch: &Dispatch) {
    let Some(target) = event.target().and_then(|target| target.dyn_into::<Element>().ok()) else {
        return;
    };
    let send = |setup: Setup| dispatch(Action::Memory(MemoryAction::Setup(setup)));
    let select = target.dyn_ref::<HtmlSelectElement>().map(|select| select.value());
    let typed = target.dyn_ref::<HtmlInputElement>().map(|input| input.value());
    match (target.id().as_str(), select, typed) {
        ("memory-generation", Some(value), _) => {
            let generation = (!value.is_empty()).then_some(value);
            send(Setup { generation, ..now.clone() });
        }
        (id @ ("memory-page" | "memory-hbm"), _, Some(text)) => {
            let page = id == "memory-page";
            let bytes = parse_bytes(&text);
            if bytes.is_none() && !text.trim().is_empty() {
                let what = if page { "Page size" } else { "Each HBM" };
                dispatch(Action::Memory(MemoryAction::Refused(what, text)));
            } else if page {
                let page_size = bytes.filter(|bytes| *bytes != PAGE_SIZES[0]);
                send(Setup { page_size, ..now.clone() });
            } else {
                send(Setup { hbm: bytes, ..now.clone() });
            }
        }
        _ => {}
    }
}

/// A small badge with a word of severity.
pub fn chip(class: &str, icon: &str, text: &str) -> El {
    span(&format!("badge {class}"), "")
        .child(crate::paint::glyph::symbol("ic", icon))
        .and_text(text)
}
