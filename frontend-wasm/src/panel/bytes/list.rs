//! The list of what has bytes, by groups.

use crate::dom::{El, Listener, append, div, el, on, span};
use crate::layout::action::{Action, BytesAction};
use crate::layout::bytes::{ListLine, folder_of, lines};
use crate::layout::format;
use crate::layout::state::State;
use crate::panel::Dispatch;
use crate::panel::structs::{search, set_input};
use crate::panel::vlist::VList;
use debug_api::answer::{BytesSource, MembersAnswer};
use std::rc::Rc;
use wasm_bindgen::JsCast;
use web_sys::{Element, HtmlInputElement};

/// The list.
pub struct List {
    root: Element,
    input: Element,
    list: VList,
    lines: Vec<ListLine>,
    of: Option<Rc<MembersAnswer>>,
    row: Option<usize>,
    _listener: Listener,
}

impl List {
    /// An empty list.
    pub fn new(dispatch: &Dispatch) -> Self {
        let (find, input) = search("member-search", "Search members");
        let list = VList::new(dispatch, "srcs", "listbox", "What has bytes", None);
        let root = el("section").class("pane mem").attr("aria-label", "Members").build();
        append(&root, &div("ph").child(find).build());
        append(&root, list.root());
        let send = dispatch.clone();
        let listener = on(&input, "input", move |event| {
            let input = event.target().and_then(|at| at.dyn_into::<HtmlInputElement>().ok());
            if let Some(input) = input {
                send(Action::Bytes(BytesAction::Find(input.value())));
            }
        });
        Self { root, input, list, lines: Vec::new(), of: None, row: None, _listener: listener }
    }

    /// Its pane.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the list.
    pub fn focus(&self) {
        self.list.focus();
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State, reveal: bool) {
        let view = &state.bytes;
        set_input(&self.input, &view.find);
        let fresh = self.of.as_ref().map(Rc::as_ptr) != view.list.as_ref().map(Rc::as_ptr);
        if fresh {
            self.of.clone_from(&view.list);
            self.lines = view.list.as_deref().map_or_else(Vec::new, lines);
        }
        let moved = self.row != Some(view.row);
        self.row = Some(view.row);
        let at = self.lines.iter().position(|line| *line == ListLine::Source(view.row));
        let wish = at.filter(|_| reveal || fresh || moved).map(|at| at as u64);
        self.list.set_active(at.map(|_| format!("source-{}", view.row)).as_deref());
        let (lines, e) = (&self.lines, &state.selection.e);
        let sources = view.list.as_ref().map_or(&[][..], |list| list.sources.as_slice());
        self.list.render(lines.len() as u64, wish, |at| {
            match usize::try_from(at).ok().and_then(|at| lines.get(at)) {
                Some(ListLine::Head(text)) => {
                    div("vr2 trh").attr("role", "presentation").text(text)
                }
                Some(ListLine::Source(at)) => match sources.get(*at) {
                    Some(source) => line(*at, source, view.is_of(source, e), view.row == *at),
                    None => div("vr2"),
                },
                None => div("vr2"),
            }
        });
    }
}

fn line(at: usize, source: &BytesSource, shown: bool, cursor: bool) -> El {
    let mut class = "vr2 tr1".to_owned();
    for (on, name) in [(shown, " sel"), (cursor, " cur")] {
        class.push_str(if on { name } else { "" });
    }
    let place = match (source.file_offset, source.archive_offset) {
        (Some(at), _) => format!(", file {at:#x}"),
        (None, Some(at)) => format!(", archive {at:#x}"),
        (None, None) => String::new(),
    };
    let title = format!(
        "{}, {}, {}{place}",
        source.label,
        source.structure,
        format::bytes_exact(source.bytes)
    );
    let last = source.label.get(folder_of(source).len()..).unwrap_or(&source.label);
    let size = format::bytes_unit(source.bytes);
    let size = size.unwrap_or_else(|| format::bytes_exact(source.bytes));
    div(&class)
        .attr("role", "option")
        .attr("id", &format!("source-{at}"))
        .attr("data-source", &at.to_string())
        .attr("aria-selected", if shown { "true" } else { "false" })
        .attr("title", &title)
        .child(span("tn mono cut", last))
        .child(span("grow", ""))
        .child(span("t3 num", &size))
}
