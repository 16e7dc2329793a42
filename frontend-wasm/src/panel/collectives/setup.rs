//! The controls: rank, algorithm, ranks, channels; and where the plan is of.

use crate::dom::{
    El, Listener, append, div, document, el, on, replace_children, set_attr, set_hidden, span,
};
use crate::layout::action::{Action, CollectivesAction};
use crate::layout::collectives::{ALGORITHMS, Setup, SetupField};
use crate::layout::state::State;
use crate::paint::glyph::provenance;
use crate::panel::Dispatch;
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlSelectElement};

/// The controls.
pub struct SetupBar {
    root: Element,
    rank: Element,
    rank_label: Element,
    algorithm: Element,
    numbers: Vec<(SetupField, Element)>,
    place: Element,
    /// What is set, for the listeners.
    now: Rc<RefCell<Setup>>,
    ranks: usize,
    told: usize,
    _changed: Listener,
}

impl SetupBar {
    /// Builds the controls.
    pub fn new(dispatch: &Dispatch) -> Self {
        let option = |value: &str, text: &str| el("option").attr("value", value).text(text);
        let rank = el("select").class("pick1").attr("id", "coll-rank").build();
        let algorithm = el("select").class("pick1").attr("id", "coll-algorithm");
        let algorithm = algorithm.child(option("", "our choice"));
        let algorithm = algorithm.children(ALGORITHMS.map(|one| option(one, one))).build();
        let label = |text: &str, of: &Element, id: &str| -> El {
            el("label").class("lbl").attr("for", id).and_text(text).node(of)
        };
        let rank_label = label("Rank", &rank, "coll-rank").build();
        let mut root = div("mset").node(&rank_label);
        root = root.child(label("Algorithm", &algorithm, "coll-algorithm"));
        let mut numbers = Vec::new();
        for (field, id, title, most) in SetupField::ALL {
            let input = el("input").class("inp1 mono cnum").attr("id", id).attr("type", "text");
            let input = input.attr("autocomplete", "off").attr("inputmode", "numeric");
            let input = input.attr("title", &format!("{title}: a number from 1 to {most}")).build();
            root = root.child(label(title, &input, id));
            numbers.push((field, input));
        }
        let place = span("cplace", "").build();
        let root = root.child(span("grow", "")).node(&place).build();
        let now: Rc<RefCell<Setup>> = Rc::default();
        let (send, own) = (dispatch.clone(), Rc::clone(&now));
        let changed = on(&root, "change", move |event| changed(&event, &own.borrow(), &send));
        Self {
            root,
            rank,
            rank_label,
            algorithm,
            numbers,
            place,
            now,
            ranks: 0,
            told: 0,
            _changed: changed,
        }
    }

    /// The row of controls.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings the controls up to date.
    pub fn render(&mut self, state: &State) {
        let own = &state.collectives;
        let plan = own.plan.as_ref();
        let shown = plan.is_some_and(|plan| plan.n_triggers > 0 || !plan.ranks.is_empty());
        set_hidden(&self.root, own.decoder.open || !shown);
        *self.now.borrow_mut() = own.setup.clone();
        let Some(plan) = plan else { return };
        let at = Rc::as_ptr(plan) as usize;
        set_hidden(&self.rank_label, plan.ranks.is_empty());
        if self.ranks != at {
            self.ranks = at;
            let options = plan.ranks.iter().map(|one| {
                let text = format!("{} {}", one.rank, one.name);
                el("option").attr("value", &one.rank.to_string()).text(&text)
            });
            replace_children(&self.rank, options);
        }
        if let Some(select) = self.rank.dyn_ref::<HtmlSelectElement>() {
            select.set_value(&own.rank.to_string());
        }
        if let Some(select) = self.algorithm.dyn_ref::<HtmlSelectElement>() {
            select.set_value(own.setup.algorithm.as_deref().unwrap_or_default());
        }
        for (field, input) in &self.numbers {
            let known = match field {
                SetupField::World => plan.world,
                SetupField::Node => Some(plan.ranks_per_node),
                SetupField::Channels => Some(plan.channels),
            };
            show(input, own.setup.get(*field).map(|one| one.to_string()).unwrap_or_default());
            let hint = known.map_or("?".to_owned(), |known| known.to_string());
            set_attr(input, "placeholder", &hint);
        }
        if self.told != at {
            self.told = at;
            let text = format!("{} on core {}, {}", plan.subgraph, plan.core, plan.generation);
            let parts = [span("t3", &text), provenance(plan.core_provenance)];
            self.place.set_text_content(None);
            parts.into_iter().for_each(|part| append(&self.place, &part.build()));
        }
    }
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
    let send = |action| dispatch(Action::Collectives(action));
    if let Some(select) = target.dyn_ref::<HtmlSelectElement>() {
        let value = select.value();
        if target.id() == "coll-rank" {
            if let Ok(rank) = value.parse() {
                send(CollectivesAction::Rank(rank));
            }
            return;
        }
        let algorithm = (!value.is_empty()).then_some(value);
        send(CollectivesAction::Setup(Setup { algorithm, ..now.clone() }));
    } else if let Some(input) = target.dyn_ref::<HtmlInputElement>() {
        let id = target.id();
        let field = SetupField::ALL.into_iter().find(|(_, own, ..)| *own == id);
        if let Some((field, ..)) = field {
            send(CollectivesAction::Number(field, input.value()));
        }
    }
}
