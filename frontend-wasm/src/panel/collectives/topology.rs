//! Ranks, the step that is shown, and the slider that chooses it.

use super::picture;
use crate::dom::{
    El, Listener, append, div, el, focus_on, on, replace_children, set_attr, set_hidden,
    set_opt_attr, set_text, span,
};
use crate::layout::action::{Action, CollectivesAction};
use crate::layout::collectives::topology::{MOST_ARROWS, Picture, picture as draw};
use crate::layout::collectives::{CollectivesBox, rank_of};
use crate::layout::format::{count, thousands};
use crate::layout::state::State;
use crate::paint::glyph::{button, icon, provenance};
use crate::panel::Dispatch;
use debug_api::answer::{CollectiveTrigger, ScheduleAnswer, ScheduleStep};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement, HtmlSelectElement};

/// What the drawing depends on: head, step, rank, collective.
type Drawn = (usize, usize, u32, u64);

/// The upper right side.
pub struct Topology {
    root: Element,
    title: Element,
    sub: Element,
    badge: Element,
    gap: Element,
    body: Element,
    bar: Element,
    slider: Element,
    said: Element,
    node: Element,
    note: Element,
    drawn: Option<Drawn>,
    listed: Option<(u32, u64)>,
    _listeners: Vec<Listener>,
}

impl Topology {
    /// An empty drawing.
    pub fn new(dispatch: &Dispatch) -> Self {
        let title = el("h2").attr("id", "coll-ranks").build();
        let sub = span("sub", "").build();
        let badge = span("cbadge", "").build();
        let close = button("btn sm sq ghost").attr("data-do", "close");
        let close = close.attr("aria-label", "Hide ranks and plan");
        let close = close.attr("title", "Hide ranks and plan (I)").child(icon("close"));
        let head = div("ph").node(&title).node(&sub).child(span("grow", ""));
        let head = head.node(&badge).child(close);
        let gap = div("cgap").build();
        let body = div("cdraw").build();
        let slider = el("input").attr("type", "range").attr("id", "coll-step").attr("min", "0");
        let slider = slider.attr("aria-label", "Step of the schedule").build();
        let said = span("csaid", "").attr("role", "status").build();
        let node = el("select").class("pick1").attr("id", "coll-as-rank").build();
        let step = |which: &str, label: &str, text: &str| {
            let one = button("btn sm sq").attr("data-do", which).attr("aria-label", label);
            one.attr("title", label).text(text)
        };
        let bar = div("cstepbar")
            .child(step("step-previous", "Previous step (,)", "\u{2039}"))
            .node(&slider)
            .child(step("step-next", "Next step (.)", "\u{203a}"))
            .child(
                el("label")
                    .class("lbl")
                    .attr("for", "coll-as-rank")
                    .and_text("as rank")
                    .node(&node),
            )
            .build();
        // It may scroll, so a keyboard must reach it.
        let note = div("cnotes t3").attr("tabindex", "0").attr("role", "group");
        let note = note.attr("aria-label", "Notes on the schedule").build();
        let root = el("section").class("ctop").attr("aria-labelledby", "coll-ranks").child(head);
        let root = root.node(&gap).node(&body).node(&said).node(&bar).node(&note).build();
        let send = dispatch.clone();
        let mut listeners = vec![on(&slider, "input", move |event| {
            let input = event.target().and_then(|at| at.dyn_into::<HtmlInputElement>().ok());
            if let Some(step) = input.and_then(|input| input.value().parse().ok()) {
                send(Action::Collectives(CollectivesAction::Step(step)));
            }
        })];
        let send = dispatch.clone();
        listeners.push(on(&node, "change", move |event| {
            let select = event.target().and_then(|at| at.dyn_into::<HtmlSelectElement>().ok());
            if let Some(node) = select.and_then(|select| select.value().parse().ok()) {
                send(Action::Collectives(CollectivesAction::Node(node)));
            }
        }));
        Self {
            root,
            title,
            sub,
            badge,
            gap,
            body,
            bar,
            slider,
            said,
            node,
            note,
            drawn: None,
            listed: None,
            _listeners: listeners,
        }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the slider.
    pub fn focus(&self) {
        focus_on(&self.slider);
    }

    /// Brings the drawing up to date.
    pub fn render(&mut self, state: &State) {
        let own = &state.collectives;
        let head = own.schedule.head.as_ref();
        let trigger = own.trigger();
        let (Some(head), Some(trigger)) = (head, trigger) else {
            self.empty(own, trigger);
            return;
        };
        set_hidden(&self.gap, true);
        for part in [&self.body, &self.bar, &self.said, &self.note] {
            set_hidden(part, false);
        }
        let me = own.node_shown().min(head.ranks.saturating_sub(1));
        set_attr(&self.slider, "max", &head.n_steps.saturating_sub(1).to_string());
        if let Some(slider) = self.slider.dyn_ref::<HtmlInputElement>()
            && slider.value() != own.step.to_string()
        {
            slider.set_value(&own.step.to_string());
        }
        self.list(head, trigger, me);
        let step = own.step_shown();
        // The old step stays until the new one is there.
        if step.is_none() && self.drawn.is_some_and(|drawn| drawn.0 == Rc::as_ptr(head) as usize) {
            return;
        }
        let at = |step: Option<&Rc<ScheduleStep>>| step.map_or(0, |step| Rc::as_ptr(step) as usize);
        let now = (Rc::as_ptr(head) as usize, at(step), me, trigger.place.index);
        if self.drawn == Some(now) {
            return;
        }
        self.drawn = Some(now);
        let step = step.map(Rc::as_ref);
        let made = draw(head, step, me);
        let words = said(&made, head, step);
        set_text(&self.title, &title(&head.algorithm));
        set_text(
            &self.sub,
            &format!("entry {}, as rank {}", trigger.place.index, rank_of(trigger, me)),
        );
        replace_children(
            &self.badge,
            [badge(step.map_or(head.provenance, |step| step.provenance), step)],
        );
        replace_children(&self.body, [picture::drawing(&made, head, trigger, me, &words)]);
        set_text(&self.said, &words);
        set_attr(&self.slider, "aria-valuetext", &words);
        let mut notes: Vec<String> = head.notes.clone();
        if made.transfers > MOST_ARROWS {
            notes.push(format!(
                "{} transfers at once; only those of rank {} are drawn.",
                thousands(made.transfers as u64),
                rank_of(trigger, me)
            ));
        }
        if made.crowded {
            notes.insert(0, format!("The transfers of rank {} stand out.", rank_of(trigger, me)));
        }
        replace_children(&self.note, notes.iter().map(|note| div("").text(note)));
    }

    fn list(&mut self, head: &ScheduleAnswer, trigger: &CollectiveTrigger, me: u32) {
        let now = (head.ranks, trigger.place.index);
        if self.listed != Some(now) {
            self.listed = Some(now);
            let options = (0..head.ranks).map(|place| {
                let option = el("option").attr("value", &place.to_string());
                option.text(&rank_of(trigger, place).to_string())
            });
            replace_children(&self.node, options);
        }
        if let Some(select) = self.node.dyn_ref::<HtmlSelectElement>() {
            select.set_value(&me.to_string());
        }
    }

    /// Why there is nothing to draw.
    fn empty(&mut self, own: &CollectivesBox, trigger: Option<&CollectiveTrigger>) {
        self.drawn = None;
        for part in [&self.body, &self.bar, &self.said, &self.note] {
            set_hidden(part, true);
        }
        set_hidden(&self.gap, false);
        set_text(&self.title, "Ranks");
        set_text(&self.sub, "");
        replace_children(&self.badge, []);
        let (head, text) = why(own, trigger);
        let gap = div("gap").child(el("b").text(&head)).child(el("br")).and_text(&text);
        self.gap.set_text_content(None);
        append(&self.gap, &gap.build());
        set_opt_attr(&self.gap, "role", Some("status"));
    }
}

fn why(own: &CollectivesBox, trigger: Option<&CollectiveTrigger>) -> (String, String) {
    let Some(trigger) = trigger else {
        let none = own.plan.as_ref().is_some_and(|plan| plan.n_triggers == 0);
        return match none {
            true => (
                "Nothing to draw.".to_owned(),
                "The ranks of a collective and the data that moves between them stand here."
                    .to_owned(),
            ),
            false => ("Reading the plan.".to_owned(), String::new()),
        };
    };
    if let Some(text) = &own.schedule.refused {
        return ("No schedule.".to_owned(), text.clone());
    }
    if own.schedule_key().is_some() {
        return ("Reading the schedule.".to_owned(), String::new());
    }
    let why = trigger.why.clone();
    if trigger.peer.is_some() {
        let peer = trigger.peer.unwrap_or(0);
        let (verb, to) =
            if trigger.operation == "send" { ("Sends", "to") } else { ("Receives", "from") };
        return (format!("{verb} {to} rank {peer}."), format!("{}.", capital(&why)));
    }
    match trigger.n_ranks {
        None => (
            "How many ranks take part is not known.".to_owned(),
            "Neither the file nor its group says it: set Ranks above.".to_owned(),
        ),
        Some(ranks) if ranks > 128 => (
            format!("{} take part.", count(u64::from(ranks), "rank")),
            "Schedules are shown for 2 to 128 ranks.".to_owned(),
        ),
        Some(_) => ("No schedule.".to_owned(), format!("{}.", capital(&why))),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().to_string() + chars.as_str())
}

fn title(algorithm: &str) -> String {
    capital(&algorithm.replace('-', " ")).replace("rdh", "RDH").replace("Rdh", "RDH")
}

fn badge(of: debug_api::Provenance, step: Option<&ScheduleStep>) -> El {
    let key = crate::layout::format::provenance_key(of);
    let word = step.map_or(of.name(), |step| step.source.as_str());
    span(&format!("badge q-{key}"), "").child(provenance(of)).and_text(word)
}

/// The step in words.
fn said(made: &Picture, head: &ScheduleAnswer, step: Option<&ScheduleStep>) -> String {
    let Some(step) = step else { return format!("Step of {}", head.n_steps) };
    let leg = if step.leg == "all" { String::new() } else { format!(", {} nodes", leg(&step.leg)) };
    let moved = match made.transfers {
        0 if made.arrows.is_empty() => "nothing moves".to_owned(),
        0 => "nothing moves, posts are drawn".to_owned(),
        many => count(many as u64, "transfer"),
    };
    format!("Step {} of {}: {}{leg}, {moved}", step.index + 1, head.n_steps, step.phase)
}

fn leg(name: &str) -> &str {
    match name {
        "intra" => "inside the",
        "inter" => "between",
        other => other,
    }
}
