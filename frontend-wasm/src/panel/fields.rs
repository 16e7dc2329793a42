//! A table of fields: name, type, place, value with its unit, what it points to, where it comes from.

use super::Dispatch;
use super::vlist::VList;
use crate::dom::{El, div, el, span};
use crate::layout::format;
use crate::layout::value::{fits, is_quiet, link_text, links, meaning, value_text};
use crate::paint::glyph;
use debug_api::answer::RecordFieldInfo;
use debug_api::find::Words;
use web_sys::Element;

/// The table.
pub struct FieldTable {
    list: VList,
    wide: bool,
}

/// What it shows beside the fields.
#[derive(Default)]
pub struct Shown {
    /// Field of the cursor.
    pub cursor: Option<usize>,
    /// Field under the pointer, here or among the bytes.
    pub hover: Option<usize>,
    /// Searched text.
    pub find: Words,
    /// Field that has to come into view.
    pub reveal: Option<usize>,
}

impl FieldTable {
    /// An empty table; a wide one has types, sizes and meanings in columns of their own.
    pub fn new(dispatch: &Dispatch, wide: bool) -> Self {
        let title = |text: &str, class: &str| span(class, text).attr("role", "columnheader");
        let titles: &[(&str, &str)] = if wide {
            &[("Offset", "r"), ("Size", "r hs"), ("Name", ""), ("Type", "hs"), ("Value", "")]
        } else {
            &[("Offset", "r"), ("Name", ""), ("Value", "")]
        };
        let head = div("vlhd").attr("role", "row");
        let head = head.children(titles.iter().map(|(text, class)| title(text, class)));
        let head = head.child(title("Meaning", "hm"));
        let head = head.child(title("", "").child(span("vh", "From")));
        let class = if wide { "ft wide" } else { "ft" };
        Self { list: VList::new(dispatch, class, "grid", "Fields", Some(head)), wide }
    }

    /// The table's element.
    pub const fn root(&self) -> &Element {
        self.list.root()
    }

    /// Focus to the table.
    pub fn focus(&self) {
        self.list.focus();
    }

    /// Brings it up to date.
    pub fn render(&mut self, fields: &[RecordFieldInfo], shown: &Shown) {
        let id = shown.cursor.map(|field| row_id(field, self.wide));
        self.list.set_active(id.as_deref());
        let wide = self.wide;
        let reveal = shown.reveal.map(|field| field as u64);
        self.list.render(fields.len() as u64, reveal, |row| {
            let at = usize::try_from(row).unwrap_or(usize::MAX);
            match fields.get(at) {
                Some(field) => line(at, field, shown, wide),
                None => div("vr2"),
            }
        });
    }
}

/// Id of a row. Both tables can be in the page at once.
fn row_id(at: usize, wide: bool) -> String {
    format!("{}-field-{at}", if wide { "record" } else { "bytes" })
}

fn line(at: usize, field: &RecordFieldInfo, shown: &Shown, wide: bool) -> El {
    let cell = |class: &str| span(class, "").attr("role", "gridcell");
    let mut class = "vr2".to_owned();
    let selected = shown.cursor == Some(at);
    for (on, name) in [
        (selected, " sel"),
        (shown.hover == Some(at), " hit"),
        (fits(field, &shown.find), " found"),
        (field.name == "unread" || is_quiet(field), " weak"),
        (field.kind == "padding" && !is_quiet(field), " odd"),
    ] {
        class.push_str(if on { name } else { "" });
    }
    let size = format::thousands(field.bytes);
    let offset = cell("r mono").child(glyph::address(&format!("{:#x}", field.offset)));
    let name = cell("nm mono").attr("title", &field.name);
    let name = if wide { name } else { name.child(swatch(at)) };
    let name = name.child(span("cut", &field.name));
    let row = div(&class)
        .attr("role", "row")
        .attr("id", &row_id(at, wide))
        .attr("data-field", &at.to_string())
        .attr("aria-selected", if selected { "true" } else { "false" })
        .child(offset);
    let row = if wide { row.child(cell("r mono t2 hs").text(&size)) } else { row };
    let row = row.child(name);
    let row = if wide { row.child(cell("mono t2 hs").text(&field.kind)) } else { row };
    let mut about = field.meaning.clone();
    if let Some(spec) = &field.spec {
        about = format!("{about} ({spec})");
    }
    if let Some(tag) = &field.tag {
        about = format!("{about}; its place is {tag}");
    }
    if let Some(why) = &field.why {
        about = format!("{about}; {why}");
    }
    let mut value = cell("va mono");
    match value_text(field) {
        Some(text) => {
            let raw = field.text.as_deref().filter(|_| field.kind == "instruction");
            let raw = raw.map_or(String::new(), |raw| format!("\n{raw}"));
            let full = format!("{text}{raw}\n{about}, {size} bytes, {}", field.kind);
            let copy = el("button").class("val").attr("type", "button").attr("tabindex", "-1");
            value = value.child(copy.attr("data-copy", &text).attr("title", &full).text(&text));
        }
        None if links(field).next().is_some() => {}
        None => value = value.child(span("t3", "?").attr("title", why_unknown(field))),
    }
    if let Some(unit) = &field.unit {
        value = value.child(span("t3", unit));
    }
    for (number, link) in links(field).enumerate() {
        let button = el("button").class("go").attr("type", "button").attr("tabindex", "-1");
        value = value.child(button.attr("data-link", &number.to_string()).text(link_text(link)));
    }
    let row = row.child(value);
    let row = row.child(cell("t2 cut hm").attr("title", &about).text(&meaning(field)));
    row.child(cell("").child(glyph::provenance(field.provenance)))
}

fn why_unknown(field: &RecordFieldInfo) -> &str {
    match field.kind.as_str() {
        "pointer" => "an address in the memory of the runtime, which is not known",
        "bytes" => "bytes without a published layout",
        _ => "not known",
    }
}

/// The hue that the bytes of a field have too.
pub fn swatch(field: usize) -> El {
    use crate::dom::svg;
    let rect = svg("rect").class(&format!("f-{}", hue(field)));
    let rect = rect.attr("width", "8").attr("height", "8").attr("rx", "1");
    svg("svg").class("swa").attr("viewBox", "0 0 8 8").attr("aria-hidden", "true").child(rect)
}

/// Hue 1 to 8 of a field, in the order in which neighbors differ most.
pub fn hue(field: usize) -> u8 {
    const ORDER: [u8; 8] = [1, 7, 3, 5, 2, 8, 4, 6];
    ORDER.get(field % ORDER.len()).copied().unwrap_or(1)
}
