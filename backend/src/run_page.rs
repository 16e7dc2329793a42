//! The Run view without script: a form for what is chosen, the outcome and the state as tables.

use crate::format::{clean, thousands};
use crate::page_model::{FindingRow, Shell};
use crate::page_parts::finding_rows;
use crate::runs::{Runs, Wanted};
use crate::view_query::ViewQuery;
use askama::Template;
use debug_api::answer::{
    AccessInfo, GraphEdge, PlaceRef, SimulateAnswer, StuckInfo, TiesInfo, TopSpEnd,
};
use debug_api::{ApiError, RUN_FIELDS, Request, RunChoices, Scope, Session};

/// Events of a run that a page waits for; who wants more asks by the API, as the application does.
const PAGE_EVENTS: u64 = 2_000_000;
/// Engines and findings of a page.
const PAGE_ROWS: usize = 128;

/// The page.
#[derive(Clone, Debug, Default, Template)]
#[template(path = "run.html")]
pub struct RunPage {
    /// Frame.
    pub shell: Shell,
    /// Content.
    pub run: RunContent,
}

/// What the page shows.
#[derive(Clone, Debug, Default)]
pub struct RunContent {
    /// Fields of the form.
    pub fields: Vec<FieldRow>,
    /// Parts of the address that stay: key and value.
    pub kept: Vec<(String, String)>,
    /// Whether only the selected subgraph runs.
    pub alone: bool,
    /// Whether engines stop at the end of MAIN.
    pub main_end: bool,
    /// Whether costs are fitted to the capture.
    pub calibrate: bool,
    /// Findings, with what was refused.
    pub findings: Vec<FindingRow>,
    /// The outcome, a word; empty where nothing ran.
    pub outcome: String,
    /// Severity of it: class of its banner.
    pub class: String,
    /// Symbol of its banner.
    pub icon: String,
    /// The outcome in sentences.
    pub words: Vec<String>,
    /// Facts in a sentence.
    pub summary: String,
    /// What stands still.
    pub stuck: Vec<StuckRow>,
    /// Who waits for whom, the circle first.
    pub waits: Vec<WaitRow>,
    /// Whether the result depends on the order at one instant.
    pub ties: Option<TiesRow>,
    /// The fit to a capture, a line for each.
    pub fitted: Vec<String>,
    /// Processors of collectives at the end.
    pub top_sps: Vec<TopSpRow>,
    /// Engines at the end.
    pub engines: Vec<EndRow>,
    /// Semaphores that are not 0.
    pub semaphores: String,
}

/// A field of the form.
#[derive(Clone, Debug, Default)]
pub struct FieldRow {
    /// Key in the address.
    pub key: String,
    /// Label.
    pub label: String,
    /// What it does.
    pub about: String,
    /// Form of the text.
    pub hint: String,
    /// Text.
    pub value: String,
}

/// An engine that stands still.
#[derive(Clone, Debug, Default)]
pub struct StuckRow {
    /// Engine.
    pub engine: String,
    /// Link to its place in Code.
    pub href: String,
    /// The place in words.
    pub place: String,
    /// What it waits for.
    pub words: String,
    /// Who could post, and why not.
    pub posters: Vec<String>,
}

/// Whether the result depends on the order at one instant.
#[derive(Clone, Debug, Default)]
pub struct TiesRow {
    /// In sentences.
    pub words: Vec<String>,
    /// The accesses: words, link, place, source.
    pub accesses: Vec<[String; 4]>,
}

/// A processor of collectives.
#[derive(Clone, Debug, Default)]
pub struct TopSpRow {
    /// Core.
    pub core: String,
    /// Number.
    pub index: u32,
    /// Collectives done.
    pub done: String,
    /// What it waits for.
    pub words: String,
}

/// Somebody waits for somebody.
#[derive(Clone, Debug, Default)]
pub struct WaitRow {
    /// Who waits.
    pub from: String,
    /// Link to its place in Code; empty for what has none.
    pub from_href: String,
    /// What for.
    pub what: String,
    /// Who could bring it.
    pub to: String,
    /// Link to the record that would.
    pub to_href: String,
    /// Whether it is part of a circle.
    pub in_cycle: bool,
}

/// An engine at the end.
#[derive(Clone, Debug, Default)]
pub struct EndRow {
    /// Subgraph.
    pub subgraph: String,
    /// Engine.
    pub engine: String,
    /// State.
    pub state: String,
    /// Link to its place in Code.
    pub href: String,
    /// Last slot.
    pub place: String,
    /// Slots done.
    pub slots: String,
    /// Busy time.
    pub busy: String,
    /// Time in waits.
    pub waited: String,
}

/// The choices of an address.
fn choices(query: &ViewQuery) -> RunChoices {
    let mut choices = RunChoices::default();
    let parts = [
        ("inferences", &query.inferences),
        ("seed", &query.seed),
        ("ranks", &query.ranks),
        ("calibrate", &query.calibrate),
        ("events", &query.events),
        ("stall", &query.stall),
        ("drop", &query.drop),
        ("delay", &query.delay),
        ("alone", &query.alone),
        ("until", &query.until),
    ];
    for (key, value) in parts {
        if let Some(value) = value {
            choices.read(key, value);
        }
    }
    choices
}

/// The run that an address asks for; the form alone where it asks for none.
///
/// # Errors
/// As the question, where it fails for another reason than what was chosen.
pub fn content(
    (id, session): (&str, &Session),
    (runs, wanted): (&Runs, &Wanted),
    scope: &Scope,
    query: &ViewQuery,
) -> Result<RunContent, ApiError> {
    let base = &format!("/f/{}", crate::format::percent(id));
    let choices = choices(query);
    let kept = [
        ("s", &query.s),
        ("profile", &query.profile),
        ("core", &query.core),
        ("base", &query.base),
        ("ntff", &query.ntff),
        ("image", &query.image),
    ];
    let fields = RUN_FIELDS.iter().zip(&choices.texts).map(|(field, text)| FieldRow {
        key: field.key.to_owned(),
        label: field.label.to_owned(),
        about: field.about.to_owned(),
        hint: field.hint.to_owned(),
        value: clean(text),
    });
    let form = RunContent {
        fields: fields.collect(),
        kept: kept
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), value.clone()?)))
            .collect(),
        alone: choices.alone,
        main_end: choices.main_end,
        calibrate: choices.calibrate,
        ..RunContent::default()
    };
    if query.run.as_deref() != Some("1") {
        return Ok(form);
    }
    let subgraph = scope.s.clone().filter(|_| choices.alone);
    let own = Scope { s: subgraph, e: None, ..scope.clone() };
    let capture = scope.ntff.or_else(|| session.first_capture());
    let asked = choices.request(own, capture).map_err(ApiError::bad_request);
    let answer = asked.and_then(|mut asked| {
        asked.max_events = Some(asked.max_events.map_or(PAGE_EVENTS, |most| most.min(PAGE_EVENTS)));
        let text = runs.ask(id, session, &Request::Simulate(asked), wanted)?;
        serde_json::from_str::<SimulateAnswer>(&text)
            .map_err(|error| ApiError::bad_request(error.to_string()))
    });
    match answer {
        Ok(answer) => Ok(of_answer(&answer, form, base)),
        Err(error) => {
            let refused = FindingRow {
                code: error.code.to_owned(),
                severity: "error".to_owned(),
                message: clean(&error.message),
                place: String::new(),
            };
            Ok(RunContent { findings: vec![refused], ..form })
        }
    }
}

fn of_answer(answer: &SimulateAnswer, form: RunContent, base: &str) -> RunContent {
    let (class, icon) = match answer.outcome.as_str() {
        "finished" => ("ok", "i-check"),
        "budget" => ("warn", "v-warning"),
        _ => ("err", "v-error"),
    };
    let shown = answer.diagnostics.get(..PAGE_ROWS).unwrap_or(&answer.diagnostics);
    let engines = answer.cores.iter().flat_map(|core| {
        core.engines.iter().map(|end| EndRow {
            subgraph: clean(&core.subgraph),
            engine: end.engine.clone(),
            state: end.state.clone(),
            href: href(base, &end.place),
            place: place(&end.place),
            slots: thousands(end.instructions),
            busy: thousands(end.busy_ns),
            waited: thousands(end.waited_ns),
        })
    });
    RunContent {
        findings: finding_rows(shown, &[]),
        outcome: heading(&answer.outcome).to_owned(),
        class: class.to_owned(),
        icon: icon.to_owned(),
        words: answer.words.iter().map(|words| clean(words)).collect(),
        summary: summary(answer),
        stuck: answer.stuck.iter().take(PAGE_ROWS).map(|stuck| stuck_row(stuck, base)).collect(),
        waits: wait_rows(answer, base),
        ties: answer.ties.as_ref().map(|ties| ties_row(ties, base)),
        fitted: answer.calibration.as_ref().map(crate::text::calibration_lines).unwrap_or_default(),
        top_sps: answer.top_sps.iter().take(PAGE_ROWS).map(top_sp_row).collect(),
        engines: engines.take(PAGE_ROWS).collect(),
        semaphores: crate::text::semaphores_line(&answer.semaphores),
        ..form
    }
}

fn ties_row(ties: &TiesInfo, base: &str) -> TiesRow {
    let access = |access: &AccessInfo| {
        let at = access.place.as_ref();
        let pc = at.and_then(|at| at.device_pc.clone()).map(|pc| format!(", PC {pc}"));
        let source = access.source.as_ref().map_or_else(String::new, |source| {
            let line = source.line.map_or_else(String::new, |line| format!(":{line}"));
            let file = source.file.as_deref().unwrap_or(&source.layer);
            let text = source.text.as_deref().unwrap_or_default();
            clean(&format!("{file}{line} {text}"))
        });
        [
            clean(&format!("{} {}", access.who, access.does)),
            at.map_or_else(String::new, |at| href(base, at)),
            at.map_or_else(String::new, |at| place(at) + &pc.unwrap_or_default()),
            source,
        ]
    };
    TiesRow {
        words: ties.words.iter().map(|words| clean(words)).collect(),
        accesses: ties.race.iter().flat_map(|r| [access(&r.first), access(&r.second)]).collect(),
    }
}

fn top_sp_row(end: &TopSpEnd) -> TopSpRow {
    TopSpRow {
        core: clean(&end.core),
        index: end.index,
        done: thousands(end.done),
        words: clean(&end.words),
    }
}

fn summary(answer: &SimulateAnswer) -> String {
    let mut text = format!(
        "{} ns by the timing model {} ({}), {} slots done, {} events, trace {}. Engines, rings, \
             host and all times are a model.",
        thousands(answer.time_ns),
        clean(&answer.timing.name),
        answer.timing.provenance.name(),
        thousands(answer.instructions),
        thousands(answer.events),
        answer.trace.hash
    );
    if answer.outcome == "budget" && answer.events >= PAGE_EVENTS {
        text.push_str(&format!(
            " This page ends a run after {} events; with script, on the command line and by the API \
             it goes on as far as asked.",
            thousands(PAGE_EVENTS)
        ));
    }
    text
}

const fn heading(outcome: &str) -> &'static str {
    match outcome.as_bytes() {
        b"finished" => "Finished.",
        b"deadlock" => "Deadlock.",
        b"fault" => "Fault.",
        _ => "Out of events.",
    }
}

fn stuck_row(stuck: &StuckInfo, base: &str) -> StuckRow {
    let also = stuck.also.iter().flat_map(|also| &also.waits_for);
    let posters = stuck.waits_for.iter().chain(also);
    StuckRow {
        engine: stuck.engine.clone(),
        href: href(base, &stuck.place),
        place: place(&stuck.place),
        words: clean(&stuck.words),
        posters: posters.take(8).map(|poster| clean(&poster.words)).collect(),
    }
}

fn wait_rows(answer: &SimulateAnswer, base: &str) -> Vec<WaitRow> {
    let graph = &answer.wait_graph;
    let node = |at: usize| graph.nodes.get(at);
    let label = |at: usize| node(at).map_or_else(String::new, |node| clean(&node.label));
    let row = |edge: &GraphEdge| {
        let from = node(edge.from).and_then(|node| node.place.as_ref());
        let by = edge.place.as_ref();
        WaitRow {
            from: label(edge.from),
            from_href: from.map_or_else(String::new, |place| href(base, place)),
            what: clean(&edge.label),
            to: label(edge.to),
            to_href: by.map_or_else(String::new, |place| href(base, place)),
            in_cycle: edge.in_cycle,
        }
    };
    let mut rows: Vec<WaitRow> = graph.edges.iter().map(row).collect();
    rows.sort_by_key(|row| !row.in_cycle);
    rows.truncate(PAGE_ROWS);
    rows
}

fn place(place: &PlaceRef) -> String {
    let slot = place.image_slot.map_or_else(String::new, |slot| format!(" slot {slot}"));
    let ip = place.neff_ip.map_or_else(String::new, |ip| format!(", IP {ip}"));
    format!("{}{slot}{ip}", place.e)
}

fn href(base: &str, place: &PlaceRef) -> String {
    let slot = place.image_slot.map_or_else(String::new, |slot| format!("&slot={slot}"));
    format!("{base}/code?s={}&e={}{slot}", crate::format::percent(&place.s), place.e)
}
