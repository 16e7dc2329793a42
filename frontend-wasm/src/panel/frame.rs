//! The frame: breadcrumb, view rail, status bar, theme and title.
//!
//! The server has rendered all of it already; this panel keeps it true while the page moves.

use super::Dispatch;
use crate::dom::{
    El, Listener, append, by_id, closest, data, document, el, find, on, replace_children, set_attr,
    set_class, set_hidden, set_opt_attr, span, svg,
};
use crate::layout::action::{Action, Dirty, Move, Target};
use crate::layout::format;
use crate::layout::lone::{is_alone, lone};
use crate::layout::place;
use crate::layout::state::{Page, SizeClass, State, Theme, View};
use crate::layout::url::Address;
use wasm_bindgen::JsCast;
use web_sys::{Element, MouseEvent};

/// The frame.
pub struct FramePanel {
    crumb: Option<Element>,
    rail: Option<Element>,
    /// Left part of the status bar.
    left: Option<Element>,
    shown: Option<(Theme, Page, View, bool, bool)>,
    _listeners: Vec<Listener>,
}

impl FramePanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty =
        Dirty::FRAME.and(Dirty::SELECTION).and(Dirty::INFO).and(Dirty::REGIONS).and(Dirty::NOTICE);

    /// Takes over the frame of the document.
    pub fn new(dispatch: Dispatch) -> Self {
        let crumb = by_id("crumb");
        let rail = document().and_then(|document| document.query_selector(".rail").ok().flatten());
        let left = by_id("stat").map(|stat| take_left(&stat));
        let mut listeners = Vec::new();
        if let Some(crumb) = &crumb {
            let send = dispatch.clone();
            listeners.push(on(crumb, "click", move |event| {
                let crumb = closest(&event, "[data-crumb]").and_then(|at| data(&at, "crumb"));
                if let Some(number) = crumb.and_then(|number| number.parse().ok()) {
                    // The view that is not shown takes no notice.
                    send(Action::Crumb(number));
                    return;
                }
                let Some(link) = closest(&event, "[data-e]").filter(|_| is_plain(&event)) else {
                    return;
                };
                event.prevent_default();
                let number = |name| data(&link, name).and_then(|text| text.parse().ok());
                let target = Target {
                    e: data(&link, "e").unwrap_or_default(),
                    slot: number("slot"),
                    ..Target::default()
                };
                send(Action::Select(target, Move::Jump));
            }));
        }
        if let Some(rail) = &rail {
            let send = dispatch.clone();
            listeners.push(on(rail, "click", move |event| {
                let view = closest(&event, "a[data-view]").and_then(|link| data(&link, "view"));
                if let Some(view) = view.and_then(|view| View::parse(&view))
                    && is_plain(&event)
                {
                    event.prevent_default();
                    send(Action::SetView(view));
                }
            }));
        }
        if let Some(left) = &left {
            listeners.push(on(left, "click", move |event| {
                if closest(&event, "[data-run=findings]").is_some() {
                    dispatch(Action::Run("findings"));
                }
            }));
        }
        Self { crumb, rail, left, shown: None, _listeners: listeners }
    }

    /// Brings the frame up to date.
    pub fn render(&mut self, state: &State) {
        // Every style of the page hangs on these attributes: they are only touched to change them.
        let now = (state.theme, state.page, state.view, state.rail_open, lone(state).is_some());
        if self.shown != Some(now) {
            self.shown = Some(now);
            set_theme(state.theme);
            set_body(state);
        }
        if state.page == Page::Start {
            return;
        }
        if let Some(rail) = &self.rail {
            render_rail(rail, state);
        }
        if !state.opened {
            return;
        }
        // The server wrote the file's name; it stays until the program knows the files.
        let known = |crumb: &&Element| file_name(state).is_some() || crumb.first_child().is_none();
        if let Some(crumb) = self.crumb.as_ref().filter(known) {
            replace_children(crumb, crumbs(state));
        }
        if let Some(left) = &self.left {
            replace_children(left, status(state));
        }
    }
}

fn set_body(state: &State) {
    let Some(body) = document().and_then(|document| document.body()) else { return };
    if state.page != Page::Start {
        set_attr(&body, "data-page", if state.page == Page::Local { "local" } else { "view" });
        set_attr(&body, "data-view", state.view.name());
    }
    set_class(&body, "norail", !state.rail_open);
    set_opt_attr(&body, "data-lone", lone(state).map(|_| "yes"));
}

/// Whether a click asks for nothing but following a link here.
fn is_plain(event: &web_sys::Event) -> bool {
    event.dyn_ref::<MouseEvent>().is_none_or(|event| {
        event.button() == 0 && !event.ctrl_key() && !event.meta_key() && !event.shift_key()
    })
}

/// Moves what the server wrote left of the gap into one element.
fn take_left(stat: &Element) -> Element {
    let left = span("left", "").build();
    while let Some(first) = stat.first_element_child() {
        if first.class_list().contains("grow") {
            break;
        }
        append(&left, &first);
    }
    let _ = stat.insert_before(&left, stat.first_child().as_ref());
    left
}

fn set_theme(theme: Theme) {
    let root = document().and_then(|document| document.document_element());
    if let Some(root) = root {
        let name = (theme != Theme::System).then(|| theme.name());
        set_opt_attr(&root, "data-theme", name);
    }
    if let Some(button) = by_id("theme") {
        let label = format!("Theme: {}. Switch to {}", theme.name(), theme.next().name());
        set_attr(&button, "aria-label", &label);
        set_attr(&button, "title", &label);
    }
}

/// Title of the tab: the place, then the file with what tells it apart from others of its name.
pub fn title(state: &State) -> String {
    let own = match (state.session.as_str(), &state.info) {
        ("", Some(info)) => info.header.hash.as_str(),
        (session, _) => session,
    };
    let file = file_name(state).map_or("neffscope".to_owned(), |name| named(name, own));
    let place = match (state.selection.slot, state.selection.ip) {
        _ if !state.view.has_slots() => {
            let crumbs = crate::layout::trail::crumbs(state);
            let labels: Vec<String> = crumbs.into_iter().map(|crumb| crumb.label).collect();
            format!("{} · ", labels.join(" "))
        }
        (Some(slot), _) => format!("{} slot {slot} · ", state.selection.e),
        (None, Some(ip)) => format!("{} IP {ip} · ", state.selection.e),
        _ => String::new(),
    };
    format!("{place}{file} · neffscope")
}

/// The open executable, else the first file.
fn file_name(state: &State) -> Option<&str> {
    if let Some(info) = &state.info {
        return Some(&info.file.name);
    }
    let files = state.files.as_deref()?;
    files.files.first().map(|file| file.name.as_str())
}

/// A name with the beginning of a digest: of a session its id, which the address has too.
fn named(name: &str, digest: &str) -> String {
    let tag: String = digest.chars().take(8).collect();
    if tag.is_empty() { name.to_owned() } else { format!("{name} ({tag})") }
}

fn render_rail(rail: &Element, state: &State) {
    for (view, key, label) in View::ALL {
        let selector = format!("[data-view={}]", view.name());
        let link = find(rail, &selector).unwrap_or_else(|| {
            let icon = svg("svg").class("ic").attr("aria-hidden", "true");
            let icon = icon.child(svg("use").attr("href", &format!("#i-{}", view.name())));
            let key = el("i").attr("aria-hidden", "true").text(key);
            let link = el("a").attr("data-view", view.name()).child(key).child(icon);
            let link = link.and_text(label).build();
            append(rail, &link);
            link
        });
        set_attr(&link, "href", &path(state, view, &Address::of(state)));
        set_attr(&link, "aria-keyshortcuts", key);
        // A wide window shows the views of slots at once.
        let on = state.view == view;
        let both = state.view.has_slots() && view.has_slots();
        set_class(&link, "on", on || (both && state.size_class == SizeClass::Wide));
        set_opt_attr(&link, "aria-current", on.then_some("page"));
    }
    set_hidden(rail, !state.rail_open && state.size_class != SizeClass::Narrow);
}

fn path(state: &State, view: View, address: &Address) -> String {
    let base = if state.session.is_empty() {
        "/local".to_owned()
    } else {
        format!("/f/{}", state.session)
    };
    format!("{base}/{}?{}", view.name(), address.query())
}

/// Class of the parts of the breadcrumb that a phone leaves out: subgraph, and region of a slot.
const IN_BETWEEN: &str = "hide-s";

/// File, subgraph, engine, region, slot; each part leads to its start.
fn crumbs(state: &State) -> Vec<El> {
    let at = &state.selection;
    let here = Address::of(state);
    let top = Address { slot: None, ip: None, expanded: false, ..here.clone() };
    let link = |label: String, slot: Option<u32>| {
        let address = Address { slot, ..top.clone() };
        let link = el("a").attr("href", &path(state, state.view, &address)).attr("data-e", &at.e);
        let link = match slot {
            Some(slot) => link.attr("data-slot", &slot.to_string()),
            None => link,
        };
        link.attr("title", &label).text(&label)
    };
    let file = file_name(state).unwrap_or("file");
    let main = state.engine().and_then(place::first_slot);
    let mut parts = vec![link(file.to_owned(), main)];
    if !state.view.has_slots() {
        parts.extend(trail(state));
        return joined(parts);
    }
    if !at.s.is_empty() {
        parts.push(link(at.s.clone(), main).class(IN_BETWEEN));
    }
    if is_alone(state) {
        return joined(parts);
    }
    parts.push(link(at.e.clone(), main));
    let run = state.engine().and_then(|engine| {
        let row = at.row?;
        engine.runs.get(place::run_of_row(engine, row)?)
    });
    if let Some(run) = run {
        let part = link(run.region.clone(), u32::try_from(run.slot).ok());
        parts.push(if at.is_some() { part.class(IN_BETWEEN) } else { part });
    }
    match (at.slot, at.ip) {
        (Some(slot), _) => parts.push(link(format!("slot {slot}"), Some(slot))),
        (None, Some(ip)) => parts.push(span("here", &format!("IP {ip}, deleted"))),
        _ => {}
    }
    joined(parts)
}

/// The parts of the breadcrumb of the Structs or Bytes view.
fn trail(state: &State) -> Vec<El> {
    let crumbs = crate::layout::trail::crumbs(state).into_iter().enumerate();
    crumbs
        .map(|(number, crumb)| {
            if crumb.record.is_none() && crumb.bytes.is_none() {
                return span("here", &crumb.label).attr("title", &crumb.label);
            }
            let button = el("button").attr("type", "button");
            let button = button.attr("data-crumb", &number.to_string());
            button.attr("title", &crumb.label).text(&crumb.label)
        })
        .collect()
}

/// The parts with a sign between them.
fn joined(parts: Vec<El>) -> Vec<El> {
    let last = parts.len() - 1;
    let mut out = Vec::new();
    for (number, part) in parts.into_iter().enumerate() {
        if number > 0 {
            let between = part.has_class(IN_BETWEEN);
            let sep = svg("svg").class(if between { "sep hide-s" } else { "sep" });
            out.push(sep.attr("aria-hidden", "true").child(svg("use").attr("href", "#chev")));
        }
        out.push(if number == last { part.attr("aria-current", "location") } else { part });
    }
    out
}

/// Target, digest, findings, profile, place.
fn status(state: &State) -> Vec<El> {
    let icon = |name: &str| {
        let icon = svg("svg").class("ic").attr("aria-hidden", "true");
        icon.child(svg("use").attr("href", &format!("#{name}")))
    };
    let mut out = Vec::new();
    if let Some(info) = &state.info {
        let target = info.build.target.clone();
        let target =
            target.or_else(|| state.regions.as_ref().map(|regions| regions.target.clone()));
        let lnc = format!("{}, LNC {}", target.unwrap_or_default(), info.header.lnc_size);
        out.push(span("hide-s", lnc.trim_start_matches(", ")));
        let (class, name, text) = if info.digest.verdict == "match" {
            ("ok hide-s", "i-check", "digest matches")
        } else {
            ("warn", "v-warning", "digest differs")
        };
        out.push(span(class, "").child(icon(name)).and_text(text));
    }
    out.extend(findings(state, icon));
    if let Some(regions) = &state.regions {
        out.push(span("hide-m", &format!("profile {}", regions.profile)));
        if let Some(capture) = &regions.capture {
            let runtime = format::runtime(&capture.runtime);
            let text = format!("capture {} · {runtime}", capture.file);
            out.push(span("hide-s capt", &text).attr("title", &text));
        }
    }
    let at = &state.selection;
    let mut place = Vec::new();
    if state.view == View::Bytes {
        out.push(span("mono", &crate::layout::bytes::selection_text(&state.bytes)));
    }
    if !state.view.has_slots() {
        return out;
    }
    place.extend(at.slot.map(|slot| format!("slot {slot}")));
    place.extend(at.slot.map(|slot| format!("{:#x}", u64::from(slot) * 64)));
    place.extend(at.ip.map(|ip| format!("IP {ip}")));
    if !place.is_empty() {
        out.push(span("mono", &place.join(" · ")));
    }
    out
}

/// How many findings there are, as a button that lists them; their worst severity is its icon.
fn findings(state: &State, icon: impl Fn(&str) -> El) -> Option<El> {
    let all = state.findings();
    let of = |severity: &str| all.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings, infos) = (of("error"), of("warning"), of("info"));
    if all.is_empty() {
        return None;
    }
    let parts = [(errors, "error"), (warnings, "warning"), (infos, "note")];
    let text: Vec<String> = parts
        .iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, noun)| format::count(*count as u64, noun))
        .collect();
    let (class, name) = match (errors, warnings) {
        (0, 0) => ("", "v-info"),
        (0, _) => ("warn", "v-warning"),
        _ => ("err", "v-error"),
    };
    let button = el("button").class(class).attr("type", "button").attr("data-run", "findings");
    Some(button.attr("aria-keyshortcuts", "Shift+F").child(icon(name)).and_text(&text.join(", ")))
}
