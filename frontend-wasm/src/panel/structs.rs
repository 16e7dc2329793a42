//! The Structs view: trees of records, the fields of one, and what the runtime reserves beside.

use super::Dispatch;
use super::drawing;
use super::fields::{FieldTable, Shown};
use super::loader;
use super::sheet::{SheetList, faults, findings};
use super::struct_rows::tree_row;
use super::vlist::VList;
use crate::dom::{
    El, Listener, append, closest, data, data_number, div, el, on, replace_children, set_attr,
    set_class, set_hidden, set_opt_attr, set_text, span,
};
use crate::layout::action::{Action, Dirty, StructsAction};
use crate::layout::format;
use crate::layout::state::{ENGINES, Notice, State};
use crate::layout::structs::{ROWS_AT_ONCE, StructsBox, TreeKind};
use crate::layout::uses::Sheet;
use crate::layout::value::link_text;
use crate::paint::glyph;
use debug_api::answer::{DumpAnswer, KbinAnswer, RecordAnswer, RecordsAnswer};
use debug_api::find::Words;
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// What the foot tells: of which tree, and the answers that it is made of.
type Told = (TreeKind, Option<Rc<RecordsAnswer>>, Option<Rc<KbinAnswer>>, Option<Rc<DumpAnswer>>);

/// The view.
pub struct StructsPanel {
    root: Element,
    tabs: Vec<Element>,
    input: Element,
    found: Element,
    nothing: Element,
    tree: VList,
    head: Element,
    drawing: Element,
    table: FieldTable,
    lines: SheetList,
    foot: Element,
    faults: Element,
    revealed: u32,
    shown: Option<Rc<RecordAnswer>>,
    sheet: Option<Rc<Sheet>>,
    told: Option<Told>,
    /// Rows of the trees when a record that is not there was told of.
    missing: Option<usize>,
    _listeners: Vec<Listener>,
}

impl StructsPanel {
    /// Parts of the state that it reads.
    pub const READS: Dirty = Dirty::STRUCTS.and(Dirty::SELECTION).and(Dirty::REGIONS);

    /// Builds the fixed part.
    pub fn new(dispatch: Dispatch) -> Self {
        let (search, input) = search("record-search", "Search names and values");
        let found = span("sub hide-m", "").attr("role", "status").build();
        let tree = VList::new(&dispatch, "tree", "tree", "Records", None);
        let left = el("section").class("pane rec").attr("aria-label", "Records").build();
        append(&left, &div("ph").child(search).build());
        let nothing = div("gap none1").build();
        set_hidden(&nothing, true);
        append(&left, &nothing);
        append(&left, tree.root());
        let mut tabs = Vec::new();
        let group = div("tabs").attr("role", "group").attr("aria-label", "Engine").build();
        for engine in ENGINES {
            let tab = el("button").attr("type", "button").attr("data-engine", engine);
            let tab = tab.child(glyph::engine(engine)).build();
            append(&group, &tab);
            tabs.push(tab);
        }
        let to_bytes = el("button").class("btn sm").attr("type", "button");
        let to_bytes = to_bytes.attr("data-run", "record-bytes").attr("aria-keyshortcuts", "H");
        let bar = div("ph")
            .child(el("h2").attr("id", "structs-title").text("Structs"))
            .node(&group)
            .child(span("grow", ""))
            .node(&found)
            .child(to_bytes.and_text("Bytes ").child(span("kbd", "H")));
        let head = div("rech").build();
        let table = FieldTable::new(&dispatch, true);
        let lines = SheetList::new(&dispatch);
        let drawing = div("drw").attr("role", "group").attr("aria-label", "Bytes touched").build();
        set_hidden(&drawing, true);
        let foot = div("recf").build();
        let faults = div("recx").attr("role", "region").attr("aria-label", "Findings").build();
        let right = el("section").class("pane fld1").attr("aria-labelledby", "structs-title");
        let right = right.child(bar).node(&head).node(&drawing).node(table.root());
        let right = right.node(lines.root()).node(&faults).node(&foot).build();
        let root = div("stc").node(&left).node(&right).build();
        let listeners = vec![
            on(&root, "click", clicks(dispatch.clone())),
            on(&foot, "change", loader::changes(dispatch.clone())),
            on(&input, "keydown", enters(dispatch.clone())),
            on(&input, "input", move |event| {
                let input = event.target().and_then(|at| at.dyn_into::<HtmlInputElement>().ok());
                if let Some(input) = input {
                    dispatch(Action::Structs(StructsAction::Find(input.value())));
                }
            }),
        ];
        Self {
            root,
            tabs,
            input,
            found,
            nothing,
            tree,
            head,
            drawing,
            table,
            lines,
            foot,
            faults,
            revealed: 0,
            shown: None,
            sheet: None,
            told: None,
            missing: None,
            _listeners: listeners,
        }
    }

    /// The view's element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the trees or to the fields.
    pub fn focus(&self, fields: bool) {
        match (fields, &self.sheet) {
            (false, _) => self.tree.focus(),
            (true, Some(_)) => self.lines.focus(),
            (true, None) => self.table.focus(),
        }
    }

    /// Brings the view up to date.
    pub fn render(&mut self, state: &State) {
        let view = &state.structs;
        for tab in &self.tabs {
            let on = data(tab, "engine").is_some_and(|engine| engine == state.selection.e);
            set_class(tab, "on", on);
            set_attr(tab, "aria-pressed", if on { "true" } else { "false" });
        }
        set_input(&self.input, &view.find);
        let total: u64 = view.trees.iter().map(|tree| tree.total).sum();
        let searching = !view.find.trim().is_empty();
        let count = format::count(total, "record");
        let records = view.trees.iter().flat_map(|tree| &tree.records);
        let fields: u64 = records.map(|record| record.total_hits).sum();
        let text = match (searching, fields) {
            (false, _) => count,
            (true, 0) => format!("{count} found"),
            (true, fields) => format!("{count}, {} found", format::count(fields, "field")),
        };
        set_text(&self.found, &text);
        // A tree that was not asked for, such as that of a dump where none is open, has nothing.
        let answered = view.trees.iter().all(|tree| tree.known || tree.asked.is_none());
        let nothing = searching && total == 0 && answered;
        set_hidden(&self.nothing, !nothing);
        if nothing {
            let text = format!("Nothing has \u{201c}{}\u{201d}.", view.find.trim());
            set_text(&self.nothing, &text);
        }
        let reveal = self.revealed != view.reveal;
        self.revealed = view.reveal;
        let e = &state.selection.e;
        let rows = Rc::clone(&view.rows);
        let id = (!rows.is_empty()).then(|| format!("record-{}", view.cursor));
        self.tree.set_active(id.as_deref());
        let wish = reveal.then_some(view.cursor as u64);
        self.tree.render(rows.len() as u64, wish, |at| {
            let at = usize::try_from(at).unwrap_or(usize::MAX);
            match rows.get(at) {
                Some(row) => tree_row(view, at, row, &state.selection.s, e),
                None => div("vr2"),
            }
        });
        self.render_shown(view, reveal);
        let kind = TreeKind::of_name(&view.name);
        let told = (kind, view.about.clone(), view.kbin.clone(), view.dump.clone());
        let same = self.told.as_ref().is_some_and(|(old, about, kbin, dump)| {
            let pointer = |one: &Option<Rc<RecordsAnswer>>| one.as_ref().map(Rc::as_ptr);
            let other = |one: &Option<Rc<KbinAnswer>>| one.as_ref().map(Rc::as_ptr);
            let third = |one: &Option<Rc<DumpAnswer>>| one.as_ref().map(Rc::as_ptr);
            *old == kind
                && pointer(about) == pointer(&told.1)
                && other(kbin) == other(&told.2)
                && third(dump) == third(&told.3)
        });
        if !same {
            let kbin = view.kbin.as_deref().filter(|_| kind == TreeKind::Kbin);
            let parts = match kind {
                TreeKind::Runtime => view.about.as_deref().map(foot),
                TreeKind::Dump => view.dump.as_deref().map(dump_foot),
                TreeKind::Index | TreeKind::Kbin => {
                    kbin.map(|answer| loader::foot(answer, &view.loader))
                }
            };
            loader::replace(&self.foot, parts.unwrap_or_default());
            let faults = kbin.map(findings).unwrap_or_default();
            // A region that scrolls can be reached with the keyboard.
            set_opt_attr(&self.faults, "tabindex", (!faults.is_empty()).then_some("0"));
            replace_children(&self.faults, faults);
            self.told = Some(told);
        }
    }
}

impl StructsPanel {
    /// The right half: a record with its fields, or a page with its lines.
    fn render_shown(&mut self, view: &StructsBox, reveal: bool) {
        let (record, sheet) = (view.record.as_ref(), view.sheet.as_ref());
        let told = view.missing.as_ref().map(|_| view.rows.len());
        let same_missing = self.missing == told;
        let same_record = self.shown.as_ref().map(Rc::as_ptr) == record.map(Rc::as_ptr);
        let same_sheet = self.sheet.as_ref().map(Rc::as_ptr) == sheet.map(Rc::as_ptr);
        if !same_record || !same_sheet || !same_missing {
            self.missing = told;
            self.shown = record.cloned();
            self.sheet = sheet.cloned();
            let none = || match &view.missing {
                Some(notice) => missing(view, notice),
                None if view.asked_record.is_some() => {
                    vec![div("gap").child(el("b").text("Loading"))]
                }
                None => vec![div("gap").child(el("b").text("No record is shown."))],
            };
            let head = match (sheet, record) {
                (Some(sheet), _) => sheet_head(sheet),
                (None, Some(record)) => head(record, view.from),
                (None, None) => none(),
            };
            replace_children(&self.head, head);
            let bands = sheet.iter().flat_map(|sheet| &sheet.bands);
            let mut drawn: Vec<El> = bands.map(drawing::band).collect();
            drawn.extend(sheet.iter().flat_map(|sheet| faults(sheet)));
            drawn.extend(sheet.and_then(|sheet| sheet.meter).map(drawing::meter));
            set_hidden(&self.drawing, drawn.is_empty());
            replace_children(&self.drawing, drawn);
            let none = view.missing.is_some();
            set_hidden(self.table.root(), sheet.is_some() || none);
            set_hidden(self.lines.root(), sheet.is_none());
        }
        let find = Words::of(Some(&view.find));
        match sheet {
            Some(sheet) => self.lines.render(sheet, view.field, &find, reveal),
            None => {
                let fields = record.map_or(&[][..], |record| record.fields.as_slice());
                let at = view.field.filter(|_| reveal);
                let shown = Shown { cursor: view.field, hover: None, find, reveal: at };
                self.table.render(fields, &shown);
            }
        }
    }
}

/// What stands above the lines of a page.
fn sheet_head(sheet: &Sheet) -> Vec<El> {
    let mut facts: Vec<El> = sheet.facts.iter().map(|fact| span("", fact)).collect();
    facts.extend(sheet.links.iter().enumerate().map(|(number, link)| {
        let button = el("button").class("go").attr("type", "button");
        button.attr("data-link", &number.to_string()).text(link_text(link))
    }));
    let title = div("l1").child(span("mono nm1", &sheet.title).attr("title", &sheet.title));
    vec![title.child(span("t2", &sheet.kind)), div("l2").children(facts)]
}

/// Enter in the search box opens the first record that is found.
fn enters(dispatch: Dispatch) -> impl FnMut(web_sys::Event) {
    move |event| {
        let key = event.dyn_ref::<web_sys::KeyboardEvent>();
        if key.is_some_and(|key| key.key() == "Enter" && !key.is_composing()) {
            event.prevent_default();
            dispatch(Action::Structs(StructsAction::First));
        }
    }
}

/// What a click in the view asks for.
fn clicks(dispatch: Dispatch) -> impl FnMut(web_sys::Event) {
    move |event| {
        let number = |selector: &str, name: &str| {
            let found = closest(&event, selector).and_then(|at| data_number(&at, name));
            found.and_then(|number| usize::try_from(number).ok())
        };
        let send = |action: StructsAction| dispatch(Action::Structs(action));
        let field = number("[data-field]", "field");
        if let Some(text) = closest(&event, "[data-copy]").and_then(|at| data(&at, "copy")) {
            if let Some(field) = field {
                send(StructsAction::Field(field));
            }
            dispatch(Action::Copy(text, "Value"));
        } else if let Some((finding, at)) =
            number("[data-finding]", "finding").zip(number("[data-at]", "at"))
        {
            send(StructsAction::Finding(finding, at));
        } else if let Some(link) = number("[data-link]", "link") {
            send(StructsAction::Link(field, link));
        } else if let Some(field) = field {
            send(StructsAction::Field(field));
        } else if let Some(row) = number("[data-rows]", "rows") {
            send(StructsAction::Rows(row as u64));
        } else if let Some(name) =
            closest(&event, "[data-record]").and_then(|at| data(&at, "record"))
        {
            send(match closest(&event, "[data-turn]") {
                Some(_) => StructsAction::Turn(name),
                None => StructsAction::Record(name),
            });
        } else if let Some(name) = closest(&event, "[data-open]").and_then(|at| data(&at, "open")) {
            send(StructsAction::Show(name));
        } else if let Some(row) = number("[data-row]", "row") {
            send(StructsAction::Row(row));
        } else if let Some(engine) =
            closest(&event, "[data-engine]").and_then(|tab| data(&tab, "engine"))
        {
            dispatch(Action::SetEngine(engine));
        } else if closest(&event, "[data-run]").is_some() {
            dispatch(Action::Run("record-bytes"));
        }
    }
}

/// A search box and its input.
pub fn search(id: &str, label: &str) -> (El, Element) {
    let input = el("input").attr("id", id).attr("type", "search").attr("aria-label", label);
    let input = input.attr("placeholder", label).attr("autocomplete", "off");
    let input = input.attr("spellcheck", "false").attr("data-search", "").build();
    let area = el("label").class("find").child(glyph::icon("search")).node(&input);
    (area.child(span("kbd", "/").attr("aria-hidden", "true")), input)
}

/// Shows a text in an input unless it is there already.
pub fn set_input(input: &Element, text: &str) {
    if let Some(input) = input.dyn_ref::<HtmlInputElement>()
        && input.value() != text
    {
        input.set_value(text);
    }
}

/// What stands in the place of a record that is not there: why, and what there is.
fn missing(view: &StructsBox, notice: &Notice) -> Vec<El> {
    let text = el("b").text(&notice.message);
    let said = div("gap").attr("role", "alert").child(text).child(span("code", &notice.code));
    let names = view.names_like(&view.name, 12);
    if names.is_empty() {
        return vec![said];
    }
    let links = names.into_iter().map(|name| {
        let button = el("button").class("go").attr("type", "button");
        button.attr("data-open", name).text(name)
    });
    vec![said, div("l2 gone").child(span("t2", "There are")).children(links)]
}

/// What stands above the fields of a record.
fn head(answer: &RecordAnswer, from: u64) -> Vec<El> {
    let record = &answer.record;
    let mut facts = vec![span("", &format::bytes_exact(record.bytes))];
    if let Some(at) = record.model_offset {
        let (of, title) = match TreeKind::of_name(&record.name) {
            TreeKind::Dump => ("context +", "Where it stands in the firmware's context"),
            _ => ("model_t +", "Where it, or the pointer to it, stands in model_t"),
        };
        let place = span("", of).child(glyph::address(&format!("{at:#x}")));
        facts.push(place.attr("title", title));
    }
    facts.push(span("t3", &answer.spec).attr("title", "Where its layout is written down"));
    for (number, link) in answer.links.iter().enumerate() {
        let button = el("button").class("go").attr("type", "button");
        facts.push(button.attr("data-link", &number.to_string()).text(link_text(link)));
    }
    if let Some(rows) = record.rows.filter(|rows| *rows > 0) {
        let end = (from + ROWS_AT_ONCE).min(rows);
        let text = format!(
            "rows {} of {}",
            format::range(from, end.saturating_sub(1)),
            format::thousands(rows)
        );
        facts.push(span("", &text));
        let page = |text: &str, to: u64| {
            let button = el("button").class("go").attr("type", "button").text(text);
            button.attr("data-rows", &to.to_string())
        };
        facts.extend((from > 0).then(|| page("previous", from.saturating_sub(ROWS_AT_ONCE))));
        facts.extend((end < rows).then(|| page("next", end)));
    }
    let title =
        div("l1").child(span("mono nm1", &record.name)).child(span("t2 mono", &record.kind));
    vec![title, div("l2").children(facts)]
}

/// What the runtime reserves, and what became of the patch lists.
fn foot(about: &RecordsAnswer) -> Vec<El> {
    let mut parts = vec![
        span("cap", &format!("{} of {}", about.engine, about.subgraph)),
        span("", &format!("patch lists {}", about.patch_lists)),
        span("", &format!("usage tag {}", about.usage_tag)),
        span("", "base aligned to ").child(glyph::address(&format!("{:#x}", about.alignment))),
    ];
    parts.extend(about.rooms.iter().map(|room| {
        let text = format!(
            "{} {} of {}",
            room.name,
            format::thousands(room.used),
            format::thousands(room.reserved)
        );
        let grown = room.grown.filter(|grown| *grown != room.reserved);
        let grown = grown
            .map_or(String::new(), |grown| format!(", {} at the end", format::thousands(grown)));
        span("", &(text + &grown))
    }));
    parts
}

/// What a dump is taken for, and what is odd about it.
fn dump_foot(answer: &DumpAnswer) -> Vec<El> {
    let generation =
        format!("layout of {} [{}]", answer.generation, answer.generation_provenance.name());
    let mut parts = vec![
        span("cap", &answer.file),
        span("", &generation),
        span("", &format!("{} mesh events", answer.mesh_events)),
        span("", "context at ").child(glyph::address(&format!("{:#x}", answer.offset))),
    ];
    parts.extend(
        answer
            .diagnostics
            .iter()
            .map(|one| span("", &format!("{} ", one.message)).child(span("code", &one.code))),
    );
    parts
}
