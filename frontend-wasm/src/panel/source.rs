//! The Source pane: the tree of debug records around the selected one, and what is missing.
//!
//! Hovering a row lights up its slots in the other panes and the other way round; a click selects
//! the first slot under it. The tree is one tab stop with the keys of an ARIA tree.

use super::Dispatch;
use super::source_text::text;
use crate::dom::{
    El, Listener, append, closest, data, data_number, div, document, el, find, on,
    replace_children, set_attr, set_class, set_hidden, set_text, span,
};
use crate::layout::action::{Action, Dirty, Move, Target};
use crate::layout::format::{count, ip_runs, thousands};
use crate::layout::state::{About, Hover, Pane, SourceFilter, State};
use crate::layout::tree::{self, TreeRow};
use crate::paint::glyph::{button, engine_glyph, link_bar, symbol};
use debug_api::answer::{MissingSource, SourceAnswer, SourceNode};
use std::cell::RefCell;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};

const FILTERS: [(&str, SourceFilter); 4] = [
    ("All", SourceFilter::All),
    ("BIR", SourceFilter::Bir),
    ("HLO", SourceFilter::Hlo),
    ("Py", SourceFilter::Line),
];

/// What the listeners know of the rows.
#[derive(Default)]
struct Shown {
    answer: Option<Rc<SourceAnswer>>,
    rows: Vec<TreeRow>,
    hovered: Option<usize>,
}

impl Shown {
    fn node(&self, row: usize) -> Option<&SourceNode> {
        self.answer.as_ref()?.nodes.get(self.rows.get(row)?.node)
    }

    /// Where a row leads: the first slot under it, on this engine or on another.
    fn target(&self, row: usize) -> Option<Target> {
        let answer = self.answer.as_ref()?;
        let node = self.node(row)?;
        let here = node.ips.first().map(|&[first, _]| (answer.engine.clone(), first));
        let there = node.elsewhere.first().map(|(engine, ip, _)| (engine.clone(), *ip));
        let (e, ip) = here.or(there)?;
        Some(Target { s: answer.subgraph.clone(), e, slot: None, ip: Some(ip), row: None })
    }
}

/// The pane.
pub struct SourcePanel {
    root: Element,
    filters: Vec<Element>,
    tree: Element,
    empty: Element,
    missing: Element,
    cover: Element,
    shown: Rc<RefCell<Shown>>,
    drawn: Option<(Rc<SourceAnswer>, SourceFilter, usize)>,
    _listeners: Vec<Listener>,
}

impl SourcePanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty =
        Dirty::SOURCE.and(Dirty::SELECTION).and(Dirty::HOVER).and(Dirty::NOTICE);

    /// Builds the fixed part.
    pub fn new(dispatch: Dispatch) -> Self {
        let title = el("h2").attr("id", "source-title").text("Source");
        let group = span("seg", "").attr("role", "group").attr("aria-label", "Layers shown");
        let filters: Vec<Element> = FILTERS
            .iter()
            .enumerate()
            .map(|(index, (name, _))| {
                button("").attr("data-filter", &index.to_string()).text(name).build()
            })
            .collect();
        let group = filters.iter().fold(group, |group, filter| group.node(filter));
        let head = div("ph").child(title).child(span("grow", "")).child(group).build();
        let tree = div("tree").attr("role", "tree").attr("aria-labelledby", "source-title").build();
        let empty = div("gap").attr("hidden", "").build();
        let missing = div("").build();
        let body = div("body src").node(&empty).node(&tree).node(&missing).build();
        let cover = div("cover").attr("hidden", "").build();
        let root = el("section").class("pane srcp").attr("aria-labelledby", "source-title").build();
        for child in [&head, &body, &cover] {
            append(&root, child);
        }
        let shown = Rc::new(RefCell::new(Shown::default()));
        let _listeners = listeners(&root, &shown, &dispatch);
        Self { root, filters, tree, empty, missing, cover, shown, drawn: None, _listeners }
    }

    /// The pane's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Brings the pane up to date.
    pub fn render(&mut self, state: &State) {
        for (button, (_, filter)) in self.filters.iter().zip(FILTERS) {
            let on = state.source_filter == filter;
            set_class(button, "on", on);
            set_attr(button, "aria-pressed", if on { "true" } else { "false" });
        }
        set_hidden(&self.tree, state.source.is_none());
        set_hidden(&self.missing, state.source.is_none());
        set_hidden(&self.cover, state.source.is_none());
        match &state.source {
            Some(source) => {
                let now = (Rc::clone(source), state.source_filter, state.source_closed.len());
                let same = self.drawn.as_ref().is_some_and(|drawn| {
                    Rc::ptr_eq(&drawn.0, &now.0) && drawn.1 == now.1 && drawn.2 == now.2
                });
                if !same {
                    self.render_tree(source, state);
                    self.drawn = Some(now);
                }
                self.render_empty(source.nodes.is_empty().then_some((
                    "No debug record leads here.",
                    "The slot was made by the runtime, or the file carries no debug layers.",
                    "",
                )));
            }
            None => {
                self.drawn = None;
                let notice = state.notices.iter().find(|notice| notice.about == About::Source);
                self.render_empty(Some(match notice {
                    Some(notice) => (
                        "The source could not be read.",
                        notice.message.as_str(),
                        notice.code.as_str(),
                    ),
                    None if state.selection.is_some() => ("Reading the debug layers.", "", ""),
                    None if state.opened => {
                        ("Nothing is selected.", "Select a slot to see where it comes from.", "")
                    }
                    None => ("No file is open.", "", ""),
                }));
            }
        }
        self.render_links(state);
    }

    /// Puts the focus on the current row of the tree.
    pub fn focus(&self) {
        let row = find(&self.tree, "[tabindex=\"0\"]").or_else(|| self.filters.first().cloned());
        focus(row.as_ref());
    }

    fn render_empty(&self, text: Option<(&str, &str, &str)>) {
        set_hidden(&self.empty, text.is_none());
        if let Some((what, why, code)) = text {
            let parts =
                [el("b").text(what), el("br"), span("", why).and_text(" "), span("code", code)];
            replace_children(&self.empty, parts);
        }
    }

    fn render_tree(&self, answer: &Rc<SourceAnswer>, state: &State) {
        let active = document().and_then(|document| document.active_element());
        let had = active.filter(|active| self.tree.contains(Some(active)));
        let key = had.as_ref().and_then(|row| data(row, "key"));
        let rows = tree::visible(&answer.nodes, state.source_filter, &state.source_closed);
        let selected = rows
            .iter()
            .rposition(|row| answer.nodes.get(row.node).is_some_and(|node| node.selected));
        let kept = key.and_then(|key| rows.iter().position(|row| row.key == key));
        let stop = kept.or(selected).unwrap_or(0);
        let made = rows.iter().enumerate().filter_map(|(index, row)| {
            let node = answer.nodes.get(row.node)?;
            Some(tree_row(index, row, node, Some(index) == selected, index == stop))
        });
        replace_children(&self.tree, made);
        if let Some(chosen) = selected.and_then(|index| self.row(index)) {
            scroll_to(&chosen);
        }
        if had.is_some() {
            focus(self.row(stop).as_ref());
        }
        let mut cards: Vec<El> = answer.texts.iter().map(text).collect();
        cards.extend(answer.missing.iter().map(missing));
        if answer.left_out > 0 {
            let text = format!("{} not shown.", count(answer.left_out, "further row"));
            cards.insert(0, div("gap").child(el("b").text(&text)).and_text(
                " The tree is cut around the selected record; select another to see the rows near it.",
            ));
        }
        replace_children(&self.missing, cards);
        let cover = tree::coverage(answer);
        set_text(&self.cover, &cover);
        set_attr(
            &self.cover,
            "title",
            &format!("How many records of {} lead to each layer", answer.engine),
        );
        *self.shown.borrow_mut() = Shown { answer: Some(Rc::clone(answer)), rows, hovered: None };
    }

    fn row(&self, index: usize) -> Option<Element> {
        find(&self.tree, &format!("[data-row=\"{index}\"]"))
    }

    /// Frames the rows that belong to what the pointer is over in another pane.
    fn render_links(&self, state: &State) {
        let shown = self.shown.borrow();
        let hover = state.hover.as_ref().filter(|hover| hover.pane != Pane::Source);
        for (index, _) in shown.rows.iter().enumerate() {
            let Some(node) = shown.node(index) else { continue };
            let linked = hover.is_some_and(|hover| match hover.group {
                Some(group) => tree::group(node) == Some(group),
                None => node.layer == "backend" && here(&shown, hover) && holds(node, hover.ip),
            });
            if let Some(row) = self.row(index) {
                set_class(&row, "peer", linked);
            }
        }
    }
}

fn here(shown: &Shown, hover: &Hover) -> bool {
    shown.answer.as_ref().is_some_and(|answer| answer.engine == hover.e)
}

fn holds(node: &SourceNode, ip: Option<u32>) -> bool {
    ip.is_some_and(|ip| tree::holds(node, ip))
}

fn tree_row(index: usize, row: &TreeRow, node: &SourceNode, selected: bool, stop: bool) -> El {
    let depth = row.depth.min(5);
    let class = if selected { format!("sn d{depth} sel") } else { format!("sn d{depth}") };
    let mut item = div(&class)
        .attr("role", "treeitem")
        .attr("aria-level", &(u32::from(row.depth) + 1).to_string())
        .attr("aria-selected", if selected { "true" } else { "false" })
        .attr("tabindex", if stop { "0" } else { "-1" })
        .attr("data-row", &index.to_string())
        .attr("data-key", &row.key)
        .attr("title", &title(node));
    if let Some(open) = row.open {
        item = item.attr("aria-expanded", if open { "true" } else { "false" });
    }
    let twist = if row.open.is_some() { "tw" } else { "tw leaf" };
    let place = match (&node.file, node.line) {
        (Some(file), Some(line)) if !node.text.contains(file.as_str()) => format!("{file}:{line}"),
        _ => String::new(),
    };
    item.child(symbol(twist, "twist"))
        .child(link_bar(node.hue))
        .child(span("tx mono", &node.text))
        .child(span("t3 cut", &place))
        .child(right(node))
}

/// The right side: other engines, then IPs, else the layer's name.
fn right(node: &SourceNode) -> El {
    let mut side = span("ips", "");
    let ips = tree::ips(node);
    if !node.open && (ips.is_none() || node.ips.is_empty()) {
        for (engine, ip, slots) in node.elsewhere.iter().take(2) {
            let text = format!("IP {}", thousands(u64::from(*ip)));
            side = side.child(
                span("eng", "")
                    .attr("title", &format!("{engine}, {} from IP {ip}", count(*slots, "slot")))
                    .child(engine_glyph(engine))
                    .child(span("vh", engine))
                    .child(span("mono t2", &text)),
            );
        }
    }
    match ips {
        Some(ips) => side.child(span("mono", &ips)),
        None => side.child(span("lay", &node.layer_name)),
    }
}

fn title(node: &SourceNode) -> String {
    let mut title = format!("{}: {}", node.layer_name, node.text);
    if let (Some(file), Some(line)) = (&node.file, node.line) {
        title.push_str(&format!("\n{file}:{line}"));
    }
    if !node.ips.is_empty() {
        title.push_str(&format!("\n{}", ip_runs(&node.ips)));
    }
    if let (Some(member), Some(offset)) = (&node.member, node.offset) {
        title.push_str(&format!("\n{member} at {offset:#x}"));
    }
    title
}

fn missing(card: &MissingSource) -> El {
    let gap = div("gap").child(el("b").text(&card.what)).child(el("br")).and_text(&card.how);
    let add = card.add.as_ref().map(|file| {
        button("btn sm")
            .attr("data-add", "")
            .attr("title", &format!("Choose {file} on this machine"))
            .child(span("cut", &format!("Add {file}")))
    });
    let copy = card.flag.as_ref().map(|flag| {
        button("btn sm").attr("data-copy", flag).attr("title", "Copy").child(span("mono cut", flag))
    });
    let buttons: Vec<El> = add.into_iter().chain(copy).collect();
    if buttons.is_empty() { gap } else { gap.child(div("row").children(buttons)) }
}

fn listeners(root: &Element, shown: &Rc<RefCell<Shown>>, dispatch: &Dispatch) -> Vec<Listener> {
    let with = |kind: &'static str, run: fn(&mut Shown, &Event, &Dispatch)| {
        let (shown, dispatch) = (Rc::clone(shown), Rc::clone(dispatch));
        on(root, kind, move |event| {
            if let Ok(mut shown) = shown.try_borrow_mut() {
                run(&mut shown, &event, &dispatch);
            }
        })
    };
    vec![
        with("click", click),
        with("keydown", key),
        with("pointerover", over),
        with("pointerleave", |shown, _, dispatch| {
            shown.hovered = None;
            dispatch(Action::Hover(None));
        }),
        with("focusin", |_, _, dispatch| dispatch(Action::Focused(Pane::Source))),
    ]
}

fn row_of(event: &Event) -> Option<usize> {
    let row = closest(event, ".sn")?;
    data_number(&row, "row").and_then(|row| usize::try_from(row).ok())
}

fn click(shown: &mut Shown, event: &Event, dispatch: &Dispatch) {
    if let Some(filter) = closest(event, "[data-filter]") {
        let index = data_number(&filter, "filter").and_then(|i| usize::try_from(i).ok());
        if let Some((_, filter)) = index.and_then(|index| FILTERS.get(index)) {
            dispatch(Action::SetSourceFilter(*filter));
        }
        return;
    }
    if let Some(flag) = closest(event, "[data-copy]") {
        dispatch(Action::Copy(data(&flag, "copy").unwrap_or_default(), "setting"));
        return;
    }
    if closest(event, "[data-add]").is_some() {
        dispatch(Action::Run("add-source"));
        return;
    }
    if let Some(line) = closest(event, "[data-line-ip]") {
        let ip = data_number(&line, "line-ip").and_then(|ip| u32::try_from(ip).ok());
        if let (Some(ip), Some(answer)) = (ip, shown.answer.as_ref()) {
            let (s, e) = (answer.subgraph.clone(), answer.engine.clone());
            let target = Target { s, e, slot: None, ip: Some(ip), row: None };
            dispatch(Action::Select(target, Move::Jump));
        }
        return;
    }
    let Some(index) = row_of(event) else { return };
    if closest(event, ".tw").is_some() && toggle(shown, index, dispatch) {
        return;
    }
    select(shown, index, dispatch);
}

/// Opens or closes a node; `false` if its children are not in the answer.
fn toggle(shown: &Shown, index: usize, dispatch: &Dispatch) -> bool {
    let Some(row) = shown.rows.get(index).filter(|row| row.open.is_some()) else { return false };
    if !shown.node(index).is_some_and(|node| node.open) {
        return false;
    }
    dispatch(Action::ToggleSource(row.key.clone()));
    true
}

fn select(shown: &Shown, index: usize, dispatch: &Dispatch) {
    if let Some(target) = shown.target(index) {
        dispatch(Action::Select(target, Move::Jump));
    } else {
        toggle(shown, index, dispatch);
    }
}

fn over(shown: &mut Shown, event: &Event, dispatch: &Dispatch) {
    let index = row_of(event);
    if index == shown.hovered {
        return;
    }
    shown.hovered = index;
    let node = index.and_then(|index| shown.node(index));
    let engine = shown.answer.as_ref().map(|answer| answer.engine.clone());
    let hover = node.map(|node| Hover {
        pane: Pane::Source,
        group: tree::group(node),
        e: engine.unwrap_or_default(),
        slot: None,
        ip: node.ips.first().map(|&[first, _]| first),
    });
    dispatch(Action::Hover(hover));
}

fn key(shown: &mut Shown, event: &Event, dispatch: &Dispatch) {
    let Some(press) = event.dyn_ref::<KeyboardEvent>() else { return };
    if press.ctrl_key() || press.meta_key() || press.alt_key() {
        return;
    }
    let Some(row) = closest(event, ".sn") else { return };
    let Some(index) = row_of(event) else { return };
    let open = shown.rows.get(index).and_then(|row| row.open);
    let depth = shown.rows.get(index).map_or(0, |row| row.depth);
    let next = match press.key().as_str() {
        "ArrowDown" => index.checked_add(1),
        "ArrowUp" => index.checked_sub(1),
        "Home" => Some(0),
        "End" => shown.rows.len().checked_sub(1),
        "ArrowRight" if open == Some(true) => index.checked_add(1),
        "ArrowRight" if open == Some(false) => {
            if !toggle(shown, index, dispatch) {
                select(shown, index, dispatch);
            }
            None
        }
        "ArrowLeft" if open == Some(true) => {
            toggle(shown, index, dispatch);
            None
        }
        "ArrowLeft" => shown.rows.iter().take(index).rposition(|row| row.depth < depth),
        "Enter" | " " => {
            select(shown, index, dispatch);
            None
        }
        "ArrowRight" => None,
        _ => return,
    };
    event.prevent_default();
    event.stop_propagation();
    let tree = row.parent_element();
    let wanted =
        next.zip(tree).and_then(|(next, tree)| find(&tree, &format!("[data-row=\"{next}\"]")));
    if let Some(wanted) = wanted {
        set_attr(&row, "tabindex", "-1");
        set_attr(&wanted, "tabindex", "0");
        focus(Some(&wanted));
    }
}

fn focus(element: Option<&Element>) {
    if let Some(element) = element.and_then(|element| element.dyn_ref::<HtmlElement>()) {
        let _ = element.focus();
    }
}

/// Scrolls only if the row is out of view, so that nothing moves under the pointer; then to the
/// middle, so that what is around it is seen.
fn scroll_to(row: &Element) {
    let Some(body) = row.closest(".body").ok().flatten() else { return };
    let (row_box, body_box) = (row.get_bounding_client_rect(), body.get_bounding_client_rect());
    if row_box.top() < body_box.top() || row_box.bottom() > body_box.bottom() {
        let middle = (body_box.height() - row_box.height()) / 2.0;
        let by = row_box.top() - body_box.top() - middle;
        #[allow(clippy::cast_possible_truncation, reason = "pixels of a pane")]
        body.set_scroll_top(body.scroll_top() + by as i32);
    }
}
