//! The details of the selected event: identity, time, place, text, executions.

use crate::dom::{El, append, div, el, replace_children, set_text, span};
use crate::layout::format::{bytes_exact, thousands};
use crate::layout::state::State;
use crate::layout::timeline::kept::{self, Kept, Mark};
use crate::layout::timeline::scale::Unit;
use crate::layout::timeline::{EventRef, TimelineBox};
use crate::paint::glyph::{address, button, engine, icon, provenance};
use debug_api::Provenance;
use debug_api::answer::{
    Finding, TimelineAnswer, TimelineEvent, TimelineEventsAnswer, TimelineLink,
};
use std::rc::Rc;
use web_sys::Element;

/// Executions that are listed.
const LISTED: usize = 64;

/// Name, value, provenance.
type Field = [El; 3];

/// The details.
pub struct Details {
    root: Element,
    title: Element,
    sub: Element,
    body: Element,
    parts: Element,
    shown: Option<Shown>,
}

/// What is shown: made anew only when it is another one, so that what is under the pointer stays.
struct Shown {
    event: Option<Rc<TimelineEvent>>,
    answer: Option<Rc<TimelineAnswer>>,
    executions: Option<Rc<TimelineEventsAnswer>>,
    kept: Kept,
    unit: Unit,
    has_program: bool,
}

impl Shown {
    fn of(state: &State) -> Self {
        let TimelineBox { event, answer, executions, kept, unit, .. } = &state.timeline;
        Self {
            event: event.clone(),
            answer: answer.clone(),
            executions: executions.clone(),
            kept: kept.clone(),
            unit: *unit,
            has_program: state.regions.is_some(),
        }
    }

    fn is(&self, other: &Self) -> bool {
        fn same<T>(a: Option<&Rc<T>>, b: Option<&Rc<T>>) -> bool {
            a.map(Rc::as_ptr) == b.map(Rc::as_ptr)
        }
        same(self.event.as_ref(), other.event.as_ref())
            && same(self.answer.as_ref(), other.answer.as_ref())
            && same(self.executions.as_ref(), other.executions.as_ref())
            && self.kept == other.kept
            && (self.unit, self.has_program) == (other.unit, other.has_program)
    }
}

/// An event as an attribute has it, `3.118`.
pub fn event_ref(text: &str) -> Option<EventRef> {
    let (lane, index) = text.split_once('.')?;
    Some(EventRef { lane: lane.parse().ok()?, index: index.parse().ok()? })
}

/// A mark as an attribute has it, `100-200`.
pub fn mark_of(text: &str) -> Option<Mark> {
    let (from, to) = text.split_once('-')?;
    Some((from.parse().ok()?, to.parse().ok()?))
}

impl Details {
    /// Empty details.
    pub fn new() -> Self {
        let title = el("b").attr("id", "timeline-details").build();
        let sub = div("l2").build();
        let tool = |what: &str, words: &str, key: &str, name: &str| {
            let tool = button("btn sm sq ghost").attr("data-do", what).attr("aria-label", words);
            tool.attr("title", &format!("{words} ({key})")).child(icon(name))
        };
        let line = div("l1").node(&title).child(span("grow", ""));
        let line = line.child(tool("link", "Copy link to this view", "Y", "link"));
        let line = line.child(tool("close", "Hide details", "I", "close"));
        let head = div("idh").child(line).node(&sub);
        let body = div("body scroll").attr("tabindex", "0").attr("role", "region");
        let body = body.attr("aria-labelledby", "timeline-details").build();
        let root =
            el("aside").class("pane det tdet").attr("aria-label", "Details").child(head).build();
        append(&root, &body);
        let parts = div("secs").build();
        append(&body, &parts);
        Self { root, title, sub, body, parts, shown: None }
    }

    /// Their element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// What scrolls and takes the focus.
    pub const fn body(&self) -> &Element {
        &self.body
    }

    /// Brings them up to date.
    pub fn render(&mut self, state: &State) {
        let shown = Shown::of(state);
        if self.shown.as_ref().is_some_and(|before| before.is(&shown)) {
            return;
        }
        self.shown = Some(shown);
        let timeline = &state.timeline;
        match timeline.event.as_deref() {
            Some(event) => self.event(event, state),
            None => self.trace(timeline),
        }
    }

    fn event(&self, event: &TimelineEvent, state: &State) {
        let timeline = &state.timeline;
        let from = Some(timeline.provenance());
        set_text(&self.title, &event.name);
        set_text(
            &self.sub,
            &format!("{} · event {}", event.row, thousands(u64::from(event.index) + 1)),
        );
        let mut sections = vec![section("Time", time_fields(event, timeline))];
        if let Some(place) = &event.place {
            let mut fields = vec![field("Engine", engine(&place.e), None)];
            let number = |n: u32| span("mono", &thousands(n.into()));
            fields.extend(place.image_slot.map(|slot| field("Image slot", number(slot), None)));
            fields.extend(place.neff_ip.map(|ip| field("NEFF IP", number(ip), None)));
            fields.extend(
                place.region.as_ref().map(|region| field("Region", span("", region), None)),
            );
            fields.extend(place.device_pc.as_ref().map(|pc| field("Device PC", address(pc), from)));
            if state.regions.is_some() {
                let go = button("btn sm").attr("data-do", "code").attr("title", "Enter");
                let slot = place.image_slot.map_or(String::new(), |slot| slot.to_string());
                fields.push(field(
                    "Source",
                    go.text(&format!("Open {} slot {slot}", place.e)),
                    None,
                ));
            }
            sections.push(section("Place", fields));
        }
        let mut more = Vec::new();
        if !event.text.is_empty() {
            more.push(field("Says", span("mono", &event.text), from));
        }
        if let Some(value) = event.value {
            let counter = event.row.contains('[');
            let text = if counter { thousands(value) } else { bytes_exact(value) };
            let name = if counter { "Value from here" } else { "Written" };
            more.push(field(name, span("mono", &text), from));
            if counter {
                let go = button("btn sm").attr("data-do", "writer").attr("title", "X");
                more.push(field("Before", go.text("Change before this one"), None));
            }
        }
        for flag in &event.flags {
            let words = match flag.as_str() {
                "no-end" if from == Some(Provenance::Modelled) => {
                    "it had not ended when the run did"
                }
                "no-end" => "its end is not in the trace; the next start bounds it",
                "no-start" => "its start is not in the trace",
                _ => "records were lost before it",
            };
            more.push(field("Note", span("warnt", words), None));
        }
        if !more.is_empty() {
            sections.push(section("More", more));
        }
        sections.extend(links(timeline, event));
        sections.extend(executions(timeline, event));
        sections.extend(marks(timeline));
        replace_children(&self.parts, sections);
    }

    /// Without an event: what the trace is, and what is odd about it.
    fn trace(&self, timeline: &TimelineBox) {
        let Some(answer) = &timeline.answer else {
            set_text(&self.title, "No event");
            set_text(&self.sub, "");
            replace_children(&self.parts, []);
            return;
        };
        set_text(&self.title, &answer.subgraph);
        set_text(&self.sub, &answer.file.name);
        let (unit, fs) = (timeline.unit, timeline.cycle_fs());
        let text = |ps: u64| span("mono", &unit.text(ps as f64, fs));
        let number = |n: u64| span("mono", &thousands(n));
        let file = Some(timeline.provenance());
        let simulated = answer.outcome.is_some();
        let clock = if simulated { Provenance::Modelled } else { Provenance::Observed };
        let mut fields = vec![
            field("Length", text(answer.end_ps), file),
            field("Events", number(answer.events), file),
        ];
        fields.extend(answer.outcome.as_ref().map(|word| field("Outcome", span("", word), file)));
        fields.extend((!simulated).then(|| {
            field(
                "Records used",
                span(
                    "mono",
                    &format!("{} of {}", thousands(answer.records_used), thousands(answer.records)),
                ),
                file,
            )
        }));
        fields.extend(answer.execution_ps.map(|ps| field("Execution", text(ps), file)));
        fields.extend(fs.map(|fs| {
            let ghz = span("mono", &format!("{:.3} GHz", 1e6 / fs as f64));
            field("Cycle", ghz, Some(clock))
        }));
        let mut sections = vec![section(if simulated { "Simulated run" } else { "Trace" }, fields)];
        let finding = |one: &Finding| {
            let code = span("mono code", &one.code);
            div(&format!("tfind {}", one.severity)).child(el("p").text(&one.message)).child(code)
        };
        if !answer.diagnostics.is_empty() {
            let list = answer.diagnostics.iter().map(finding);
            sections.push(titled("Findings").children(list));
        }
        sections.extend(marks(timeline));
        let hint = "Select an event with a click, or with the arrows. Drag for a range. M marks it for now, \
                    Shift+M for good.";
        sections.push(el("section").class("fs").child(el("p").class("sub").text(hint)));
        replace_children(&self.parts, sections);
    }
}

fn time_fields(event: &TimelineEvent, timeline: &TimelineBox) -> Vec<Field> {
    let (unit, fs) = (timeline.unit, timeline.cycle_fs());
    let both = |ps: u64| {
        let own = unit.text(ps as f64, fs);
        span("mono", &own).attr("title", &format!("{} ps", thousands(ps)))
    };
    let file = Some(timeline.provenance());
    let length = if event.row.contains('[') { "Holds" } else { "Length" };
    let mut fields =
        vec![field("Start", both(event.start_ps), file), field(length, both(event.len_ps), file)];
    fields.extend(event.wait_cycles.filter(|cycles| *cycles > 1).map(|cycles| {
        let text = format!("{} cycles, modulo 65,536", thousands(cycles.into()));
        field("Wait before", span("mono", &text), Some(Provenance::Observed))
    }));
    fields
}

/// What the event depends on, and what depends on it.
fn links(timeline: &TimelineBox, event: &TimelineEvent) -> Option<El> {
    let links = event.links.as_ref()?;
    let (unit, fs) = (timeline.unit, timeline.cycle_fs());
    let item = |link: &TimelineLink| {
        let go = button("go").attr("data-event", &format!("{}.{}", link.lane, link.index));
        let go = go.text(&format!("{} {}", link.row, link.name));
        el("li").child(go).child(span("sub", &unit.text(link.start_ps as f64, fs)))
    };
    let part = |title: &str, key: &str, list: &[TimelineLink]| {
        let head = div("tlink").child(span("", title)).child(provenance(links.provenance));
        let head = head.child(span("grow", "")).child(span("kbd", key));
        let items = list.iter().take(LISTED).map(item);
        let all = div("").child(head).child(el("ul").class("texec").children(items));
        match list.len().saturating_sub(LISTED) {
            0 => all,
            more => all.child(el("p").class("sub").text(&format!("{more} more"))),
        }
    };
    let (before, after) = (&links.before, &links.after);
    let parts = [("Depends on", "[", before), ("Leads to", "]", after)];
    let parts: Vec<El> = parts
        .into_iter()
        .filter(|(_, _, list)| !list.is_empty())
        .map(|(title, key, list)| part(title, key, list))
        .collect();
    (!parts.is_empty()).then(|| titled("Dependencies").children(parts))
}

/// The marks: each leads to its place, and can be taken away.
fn marks(timeline: &TimelineBox) -> Option<El> {
    let labels = timeline.kept.labels();
    if labels.is_empty() {
        return None;
    }
    let (unit, fs) = (timeline.unit, timeline.cycle_fs());
    let item = |(label, mark): (String, Mark)| {
        let text = kept::words(mark, unit, fs);
        let own = format!("{}-{}", mark.0, mark.1);
        let name = if label.is_empty() { "for now".to_owned() } else { label };
        let go = button("go").attr("data-mark", &own).text(&text);
        let line = el("li").child(span("tno", &name)).child(go);
        if name == "for now" {
            return line;
        }
        let words = format!("Take mark {name} away");
        let gone = button("btn sm sq ghost").attr("data-mark", &own).attr("data-gone", "");
        line.child(gone.attr("aria-label", &words).attr("title", &words).child(icon("close")))
    };
    let list = el("ul").class("texec tmarks").children(labels.into_iter().map(item));
    Some(titled("Marks").child(list))
}

/// The other executions of the same slot.
fn executions(timeline: &TimelineBox, event: &TimelineEvent) -> Option<El> {
    let slot = event.place.as_ref()?.image_slot;
    let all = timeline.executions.as_ref()?;
    let same =
        |other: &&TimelineEvent| other.place.as_ref().and_then(|place| place.image_slot) == slot;
    let own: Vec<&TimelineEvent> = all.events.iter().filter(same).collect();
    if own.is_empty() {
        return None;
    }
    let (unit, fs) = (timeline.unit, timeline.cycle_fs());
    let item = |other: &&TimelineEvent| {
        let on = other.lane == event.lane && other.index == event.index;
        let at = unit.text(other.start_ps as f64, fs);
        let len = unit.text(other.len_ps as f64, fs);
        let go = button(if on { "go on" } else { "go" });
        let go = go.attr("data-event", &format!("{}.{}", other.lane, other.index));
        el("li").child(go.text(&at)).child(span("sub", &len))
    };
    let list = el("ul").class("texec").children(own.iter().take(LISTED).map(item));
    let title = format!("Executions of this slot: {}", thousands(all.total));
    let section = titled(&title).child(list);
    let more = all.total.saturating_sub(LISTED as u64);
    Some(if more > 0 {
        section.child(
            el("p").class("sub").text(&format!("{} more, marked on the track", thousands(more))),
        )
    } else {
        section
    })
}

fn titled(title: &str) -> El {
    el("section").class("fs").child(el("h3").class("cap").child(span("", title)))
}

fn section(title: &str, fields: Vec<Field>) -> El {
    let list = fields.into_iter().flat_map(|parts| parts.into_iter());
    titled(title).child(el("dl").class("fl").children(list))
}

fn field(name: &str, value: El, from: Option<Provenance>) -> Field {
    let glyph = el("dd").class("qp");
    let glyph = match from {
        Some(from) => glyph.child(provenance(from)),
        None => glyph,
    };
    [el("dt").text(name), el("dd").child(value), glyph]
}
