//! One entry: its eight bytes, its fields, and the two readings of its algorithm.

use super::bits;
use crate::dom::{
    El, append, data, div, document, el, find, focus_on, replace_children, set_attr, set_hidden,
    set_opt_attr, set_text, span, svg,
};
use crate::layout::collectives::{CollectivesBox, bits as layout, words};
use crate::layout::state::State;
use crate::paint::glyph::{address, button, icon, provenance};
use crate::panel::Dispatch;
use debug_api::Provenance;
use debug_api::answer::{ReadingInfo, SpadAnswer, SpadBits, SpadEntry};
use std::rc::Rc;
use web_sys::Element;

/// Bits that the firmware's printer leaves out, so it gives 0 for them.
const PRINTER_LOSES: u64 = 0xFFF8_00FE;

/// What the drawing depends on.
type Drawn = (usize, u64, bool, Option<(u64, u32)>);

/// The entry.
pub struct EntryBox {
    root: Element,
    title: Element,
    word: Element,
    note: Element,
    tools: Element,
    strips: Element,
    fields: Element,
    readings: Element,
    drawn: Option<Drawn>,
}

impl EntryBox {
    /// An empty one, with the choice of names in its head.
    pub fn new(_dispatch: &Dispatch, names: &Element) -> Self {
        let title = el("h2").attr("id", "coll-entry").build();
        let word = span("mono", "").build();
        let note = span("sub", "").build();
        let tools = span("row", "").build();
        let head = div("ph").node(&title).node(&word).node(&note).child(span("grow", ""));
        let head = head.child(span("t3 hide-m", "names")).node(names).node(&tools);
        let strips = div("cstrips").build();
        let fields = div("cfields").attr("tabindex", "0").attr("role", "grid");
        let fields = fields.attr("aria-label", "Fields of the entry").build();
        let readings = div("creads").build();
        let body = div("cebody").node(&strips).node(&fields).node(&readings);
        let root = div("cent").child(head).child(body).build();
        Self { root, title, word, note, tools, strips, fields, readings, drawn: None }
    }

    /// Its element.
    pub const fn root(&self) -> &Element {
        &self.root
    }

    /// Focus to the fields.
    pub fn focus(&self) {
        focus_on(&self.fields);
    }

    /// Brings it up to date.
    pub fn render(&mut self, state: &State) {
        let own = &state.collectives;
        let empty = own.rows.is_empty() && own.picked.is_none();
        let shown = own.shown().filter(|_| own.decoder.open || !empty);
        set_hidden(&self.root, shown.is_none());
        let Some(answer) = shown else {
            self.drawn = None;
            return;
        };
        let active = own.field.as_ref().map(|field| format!("cf-{field}"));
        set_opt_attr(&self.fields, "aria-activedescendant", active.as_deref());
        let at = own.picked.map(|at| (at.index, at.top_sp)).filter(|_| !own.decoder.open);
        let now = (Rc::as_ptr(answer) as usize, own.known(), own.decoder.open, at);
        if self.drawn == Some(now) {
            return;
        }
        self.drawn = Some(now);
        let Some(entry) = answer.entries.first() else { return };
        self.draw(own, answer, entry);
    }

    fn draw(&self, own: &CollectivesBox, answer: &SpadAnswer, entry: &SpadEntry) {
        let edit = own.decoder.open;
        let known = own.known();
        let title = match own.picked.filter(|_| !edit) {
            Some(at) => format!("Entry {} of TOP_SP {}", at.index, at.top_sp),
            None => kind_title(&entry.kind).to_owned(),
        };
        set_text(&self.title, &title);
        replace_children(&self.word, [address(&words::masked_word(&entry.word, known))]);
        set_text(
            &self.note,
            if edit && own.starts_open() {
                "bit 0 left; reserved bits dashed; what the plan leaves open starts at 0"
            } else if known == u64::MAX {
                "bit 0 left; reserved bits dashed"
            } else {
                "bit 0 left; reserved bits dashed; ? is not published"
            },
        );
        let copy = button("btn sm").attr("data-copy", &words::masked(&entry.raw, known));
        let copy = copy.attr("aria-label", "Copy bytes in memory order").child(icon("copy"));
        let copy = copy.child(span("hide-m", "Copy bytes"));
        let tool = (!edit).then(|| {
            button("btn sm")
                .attr("data-do", "edit")
                .attr("title", "Edit in the decoder (E)")
                .text("Edit bits")
        });
        replace_children(&self.tools, [copy].into_iter().chain(tool));
        let view = layout::view(answer, entry);
        let cells = layout::cells(&entry.bits, view, words::word_of(&entry.raw), known);
        let (head, union) = cells.split_at(layout::HEAD_BITS as usize);
        let strip = |cells: &[layout::Cell], width| {
            bits::bytes(cells, &layout::brackets(cells), width, edit)
        };
        let strips = [strip(head, layout::WIDTHS.0), strip(union, layout::WIDTHS.1)];
        replace_children(&self.strips, strips);
        let before = focused(&self.fields);
        let ordered = layout::ordered(entry, view);
        replace_children(
            &self.fields,
            ordered.iter().map(|one| field(one, entry, view, known, edit)),
        );
        if let Some(name) = before
            && let Some(input) = find(&self.fields, &format!("[data-set=\"{name}\"]"))
        {
            focus_on(&input);
        }
        let readings = answer.readings.iter().map(|one| reading(one, entry, &answer.algo_names));
        self.readings.set_text_content(None);
        for one in readings {
            append(&self.readings, &one.build());
        }
        if !edit && own.patterns {
            let text = "The plan writes the numbers of the runtime's algorithms; under this reading \
                        they would have to be patterns.";
            append(&self.readings, &div("cnote t3").text(text).build());
        }
        let lost = "The firmware's printer leaves out bits 1\u{2013}7 and 19\u{2013}31; of this \
                    entry it gives back ";
        let note = div("cnote t3")
            .text(lost)
            .child(span("mono", &words::masked_word(&entry.printed, known | PRINTER_LOSES)));
        append(&self.readings, &note.and_text(".").build());
        set_attr(&self.fields, "aria-rowcount", &ordered.len().to_string());
    }
}

fn kind_title(kind: &str) -> &'static str {
    match kind {
        "op" => "Operation",
        "nop" => "NOP, keeps step",
        "continue" => "Marker: another operation follows",
        _ => "Empty place",
    }
}

/// Name of the field whose input has the focus.
fn focused(fields: &Element) -> Option<String> {
    let active = document()?.active_element()?;
    fields.contains(Some(&active)).then(|| data(&active, "set")).flatten()
}

fn field(one: &SpadBits, entry: &SpadEntry, view: Option<&str>, known: u64, edit: bool) -> El {
    let other = layout::is_other_view(&one.name, view);
    let weak = one.reserved || other;
    let class = if weak { "cf weak" } else { "cf" };
    let hue = layout::hue(&one.name);
    let swatch = svg("svg").class("sw1").attr("viewBox", "0 0 10 10").attr("aria-hidden", "true");
    let swatch = swatch.child(
        svg("rect")
            .class(if hue == "cb-res" { "b0r" } else { hue })
            .attr("x", "0.5")
            .attr("y", "0.5")
            .attr("width", "9")
            .attr("height", "9")
            .attr("rx", "1.5"),
    );
    let cell = |class: &str, text: &str| span(class, text).attr("role", "gridcell");
    let text = layout::value(one, known);
    let value = if edit { input(one, &text) } else { cell("mono cv", &text) };
    let mut words = meaning(one, entry, known);
    if other {
        words = format!("other view of the same bytes: {words}");
    }
    div(class)
        .attr("role", "row")
        .attr("id", &format!("cf-{}", one.name))
        .attr("data-field", &one.name)
        .child(cell("", "").child(swatch))
        .child(cell("mono cn", &one.name))
        .child(cell("t3 cp", &layout::places(one)))
        .child(value)
        .child(cell("t2 cm", &words).attr("title", &words))
        .child(cell("", "").child(provenance(one.provenance)))
}

/// What a value means.
fn meaning(one: &SpadBits, entry: &SpadEntry, known: u64) -> String {
    if !layout::is_known(one, known) {
        return match one.name.as_str() {
            "unique_tensors" => "copied from the host's operation, which no file has".to_owned(),
            "safe_mode" => "set in a permute chain, which is not known".to_owned(),
            _ => format!("not published; {}", one.meaning),
        };
    }
    match one.name.as_str() {
        "algo_type" => {
            let texts: Vec<String> = entry
                .readings
                .iter()
                .map(|reading| {
                    let name = reading.algo_type_name.as_deref().unwrap_or("no name");
                    format!("{name} ({})", reading.names)
                })
                .collect();
            format!("{}: {}", texts.join(" or "), one.meaning.split(';').next().unwrap_or(""))
        }
        "channel_list" if one.value > 0 => {
            format!("channels {}: {}", words::channels(one.value), one.meaning)
        }
        _ => match &one.text {
            Some(text) => format!("{text}: {}", one.meaning),
            None => one.meaning.clone(),
        },
    }
}

/// The value of a field as something that can be changed.
fn input(one: &SpadBits, text: &str) -> El {
    let label = format!("{}, {}", one.name, layout::places(one));
    let cell = span("cv", "").attr("role", "gridcell");
    if one.width == 1 {
        let input = el("input").attr("type", "checkbox").attr("data-set", &one.name);
        let input = if one.value == 1 { input.attr("checked", "") } else { input };
        return cell.child(input.attr("aria-label", &label));
    }
    let input = el("input").class("inp1 mono").attr("type", "text").attr("data-set", &one.name);
    let input = input.attr("autocomplete", "off").attr("spellcheck", "false");
    cell.child(input.attr("aria-label", &label).attr("value", text))
}

/// A reading of the algorithm with what speaks for and against it.
fn reading(one: &ReadingInfo, entry: &SpadEntry, chosen: &str) -> El {
    let own = entry.readings.iter().find(|reading| reading.names == one.names);
    let name = own.and_then(|own| own.algo_type_name.as_deref()).unwrap_or("no name");
    let view = match own.and_then(|own| own.view.as_deref()) {
        Some("ring") => "the last four bytes list channels",
        Some("mesh") => "the last four bytes are shift and mask",
        Some(_) => "its legs decide what the last four bytes are",
        None => "nothing says what the last four bytes are",
    };
    let list = |sign: &str, class: &str, texts: &[String]| {
        let item = |text: &String| {
            let sign = span(class, sign).attr("aria-hidden", "true");
            el("li").child(sign).child(span("", text))
        };
        el("ul").attr("aria-label", class_word(class)).children(texts.iter().map(item))
    };
    let on = one.names == chosen;
    let head = div("row")
        .child(el("b").class("mono").text(&one.names))
        .child(span("mono cname", &format!("{} = {name}", entry.cc_op.algo_type)))
        .child(span("grow", ""))
        .children(on.then(|| span("badge", "shown")))
        .child(provenance(Provenance::Inferred));
    div(if on { "cread on" } else { "cread" })
        .child(head)
        .child(div("t2").text(&format!("{}; {view}.", one.says)))
        .child(list("+", "pro", &one.evidence_for))
        .child(list("\u{2212}", "con", &one.evidence_against))
}

fn class_word(class: &str) -> &'static str {
    if class == "pro" { "for it" } else { "against it" }
}
