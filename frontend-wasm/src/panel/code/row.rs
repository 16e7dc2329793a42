//! One row of the grid: built once, filled again and again.
//!
//! Filling touches as few nodes as it can, since a scroll refills rows every frame: texts and
//! paths are only written when they differ from what the row showed before.

use crate::dom::{
    El, append, div, document, el, replace_children, set_attr, set_hidden, set_opt_attr, set_style,
    span, svg,
};
use crate::layout::format::{provenance_key, region_hatched, region_key};
use crate::layout::hex;
use crate::layout::link;
use crate::layout::place::RowPlace;
use crate::layout::state::Layer;
use crate::layout::store::{Kind, Row};
use crate::paint::glyph::provenance;
use debug_api::Provenance;
use debug_api::answer::{EngineRegions, RegionRun};
use debug_api::plain::printable;
use web_sys::{Element, Text};

/// Classes of the waveform's paths.
const WAVES: [&str; 5] = ["o", "h", "w", "u", "p"];

/// What a row knows of the record it shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Image slot.
    pub slot: Option<u32>,
    /// NEFF IP.
    pub ip: Option<u32>,
    /// Source groups as in the columns `bir`, `pen`, `line`; 0 none.
    pub groups: [u32; 3],
    /// Whether it is a divider.
    pub divider: bool,
    /// Whether its record has been loaded.
    pub loaded: bool,
}

impl Shown {
    /// The finest source group.
    pub fn group(&self) -> Option<(Layer, u32)> {
        let layers = [Layer::Bir, Layer::Pen, Layer::Line];
        layers.into_iter().zip(self.groups).find(|(_, id)| *id != 0)
    }

    /// Whether it is in a source group.
    pub fn is_in(&self, (layer, id): (Layer, u32)) -> bool {
        let [bir, pen, line] = self.groups;
        id == match layer {
            Layer::Bir => bir,
            Layer::Pen => pen,
            Layer::Line => line,
        }
    }
}

/// How a row is marked at the moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Marks {
    /// It is the selected place.
    pub selected: bool,
    /// It belongs to what the pointer is over.
    pub peer: bool,
    /// It is the tab stop of the grid.
    pub stop: bool,
}

/// A text that is only written when it changes.
struct TextCell {
    cell: Element,
    text: Option<Text>,
    now: String,
}

impl TextCell {
    fn new(class: &str) -> Self {
        let cell = span(class, "").attr("role", "gridcell").build();
        let text = document().map(|document| document.create_text_node(""));
        if let Some(text) = &text {
            append(&cell, text);
        }
        Self { cell, text, now: String::new() }
    }

    fn set(&mut self, text: &str) {
        if self.now != text {
            text.clone_into(&mut self.now);
            if let Some(node) = &self.text {
                node.set_data(&printable(text));
            }
        }
    }
}

/// A path that is only written when it changes.
struct PathCell {
    path: Element,
    now: String,
}

impl PathCell {
    fn new(class: &str) -> Self {
        Self { path: svg("path").class(class).build(), now: String::new() }
    }

    fn set(&mut self, path: &str) {
        if self.now != path {
            path.clone_into(&mut self.now);
            set_attr(&self.path, "d", path);
        }
    }
}

/// A row.
pub struct RowView {
    /// The element with `role=row`.
    pub root: Element,
    /// What it shows.
    pub shown: Shown,
    class: &'static str,
    marks: Option<Marks>,
    top: Option<f64>,
    hidden: bool,
    /// Children of a slot row, to put back after the row was a divider.
    parts: Vec<Element>,
    bar: PathCell,
    hue: u8,
    patch: Element,
    patch_now: u8,
    slot: TextCell,
    ip: TextCell,
    hex: Element,
    hex_now: Vec<u8>,
    waves: [PathCell; 5],
    wave_now: Vec<u8>,
    mnemonic: TextCell,
    operands: Element,
    operands_now: [String; 4],
    prov: Element,
    prov_use: Element,
    prov_now: Option<Provenance>,
}

impl RowView {
    /// An empty row.
    pub fn new() -> Self {
        let root = div("vr").attr("role", "row").attr("tabindex", "-1").build();
        let bar = PathCell::new("");
        let patch = svg("use").attr("x", "7").attr("y", "7").build();
        set_attr(&patch, "width", "8");
        set_attr(&patch, "height", "9");
        let gutter = svg("svg")
            .attr("width", "22")
            .attr("height", "23")
            .attr("viewBox", "0 0 22 23")
            .attr("aria-hidden", "true")
            .node(&bar.path)
            .node(&patch)
            .build();
        let waves = WAVES.map(PathCell::new);
        let wave = svg("svg").class("bw").attr("viewBox", "0 0 128 14");
        let wave = wave.attr("aria-hidden", "true").build();
        append(&wave, &svg("path").class("z").attr("d", "M0 13.25h128").build());
        waves.iter().for_each(|path| append(&wave, &path.path));
        let prov_use = svg("use").build();
        let prov = svg("svg").class("qg").attr("role", "img").node(&prov_use).build();
        let prov_cell = span("", "").attr("role", "gridcell").node(&prov).build();
        let cell = |class: &str| span(class, "").attr("role", "gridcell").build();
        let (hex, operands) = (cell("hex"), cell("opn"));
        let (slot, ip, mnemonic) = (TextCell::new("sl"), TextCell::new("ip"), TextCell::new("mn"));
        let parts =
            [&gutter, &slot.cell, &ip.cell, &hex, &wave, &mnemonic.cell, &operands, &prov_cell];
        let parts: Vec<Element> = parts.into_iter().cloned().collect();
        parts.iter().for_each(|part| append(&root, part));
        Self {
            root,
            shown: Shown::default(),
            class: "vr",
            marks: None,
            top: None,
            hidden: false,
            parts,
            bar,
            hue: 0,
            patch,
            patch_now: 0,
            slot,
            ip,
            hex,
            hex_now: Vec::new(),
            waves,
            wave_now: Vec::new(),
            mnemonic,
            operands,
            operands_now: Default::default(),
            prov,
            prov_use,
            prov_now: None,
        }
    }

    /// Shows a row: what has been loaded of it, else the little that its place tells.
    pub fn fill(&mut self, at: u64, row: Option<&Row>, engine: &EngineRegions, place: RowPlace) {
        set_attr(&self.root, "aria-rowindex", &(at + 2).to_string());
        set_attr(&self.root, "data-row", &at.to_string());
        if let RowPlace::Divider(run) = place {
            if let Some(run) = engine.runs.get(run) {
                self.fill_divider(row, run, engine.captured);
            }
            return;
        }
        if self.shown.divider {
            self.root.set_text_content(None);
            self.parts.iter().for_each(|part| append(&self.root, part));
        }
        let (slot, ip, deleted) = match (row, place) {
            (Some(row), _) => (row.slot(), row.ip(), row.kind() == Kind::Deleted),
            (None, RowPlace::Slot(slot)) => (Some(slot), None, false),
            (None, RowPlace::Deleted(ip)) => (None, ip, true),
            (None, RowPlace::Divider(_)) => (None, None, false),
        };
        let groups = row.map_or([0; 3], |row| [row.u32("bir"), row.u32("pen"), row.u32("line")]);
        self.shown = Shown { slot, ip, groups, divider: false, loaded: row.is_some() };
        let patch = row.map_or(0, |row| row.u8("patch"));
        let made = row.is_some() && !deleted && (ip.is_none() || patch & 0x7f == 1);
        self.set_class(match (deleted, made, patch & 0x7f) {
            (true, ..) => "vr del",
            (_, true, _) => "vr syn",
            (_, _, 2) => "vr mod",
            _ => "vr",
        });
        self.set_gutter(row.map_or(0, |row| row.u8("hue")), patch);
        self.slot.set(&slot.map_or_else(|| "—".to_owned(), |slot| slot.to_string()));
        self.ip.set(&match (ip, row) {
            (Some(ip), _) => ip.to_string(),
            (None, Some(_)) => "·".to_owned(),
            (None, None) => String::new(),
        });
        let bytes = row.map_or(&[][..], Row::bytes);
        self.set_hex(bytes);
        self.set_wave(bytes);
        self.mnemonic.set(row.map_or("", |row| row.text("mnemonic")));
        let texts = row.map_or([""; 4], |row| {
            ["wait", "update", "operands", "sync"].map(|name| row.text(name))
        });
        self.set_operands(texts);
        self.set_prov(row.map(|row| Provenance::from_code(row.u8("prov"))));
    }

    fn fill_divider(&mut self, row: Option<&Row>, run: &RegionRun, captured: bool) {
        self.shown = Shown { divider: true, loaded: row.is_some(), ..Shown::default() };
        self.set_class("vdiv");
        let hatch = region_hatched(&run.region);
        let square = |fill: &str, value: &str| {
            svg("rect").attr(fill, value).attr("width", "10").attr("height", "10").attr("rx", "1.5")
        };
        let swatch = svg("svg").attr("viewBox", "0 0 10 10").attr("aria-hidden", "true");
        let swatch = swatch.child(square("class", &format!("r-{}", region_key(&run.region))));
        let hatched = hatch.then(|| square("fill", "url(#h-ins)"));
        let name = row.map_or(run.region.as_str(), |row| row.text("mnemonic"));
        let summary = row.map_or("", |row| row.text("operands"));
        let cell = span("", "").class("divc").attr("role", "gridcell").attr("aria-colspan", "7");
        let cell = cell.child(swatch.children(hatched)).child(el("b").text(name));
        // A capture has bytes; what its regions are called is a conclusion.
        let inferred = captured.then(|| provenance(Provenance::Inferred));
        let cell = cell.children(inferred).child(span("", summary));
        replace_children(&self.root, [cell]);
    }

    /// Takes it out of sight until it is filled again.
    pub fn hide(&mut self) {
        if !self.hidden {
            self.hidden = true;
            set_hidden(&self.root, true);
        }
    }

    /// Places its top, in px.
    pub fn put(&mut self, top: f64) {
        if self.top != Some(top) {
            self.top = Some(top);
            set_style(&self.root, "transform", &format!("translateY({top}px)"));
        }
        if self.hidden {
            self.hidden = false;
            set_hidden(&self.root, false);
        }
    }

    /// What does not belong to the record but to the moment.
    pub fn mark(&mut self, marks: &Marks) {
        if self.marks == Some(*marks) {
            return;
        }
        self.marks = Some(*marks);
        let select = if marks.selected { " sel" } else { "" };
        let peer = if marks.peer { " peer" } else { "" };
        set_attr(&self.root, "class", &format!("{}{select}{peer}", self.class));
        set_attr(&self.root, "tabindex", if marks.stop { "0" } else { "-1" });
        let yes = |on: bool| if on { "true" } else { "false" };
        let slot = !self.shown.divider;
        set_opt_attr(&self.root, "aria-selected", slot.then_some(yes(marks.selected)));
    }

    fn set_class(&mut self, class: &'static str) {
        if self.class != class {
            self.class = class;
            self.marks = None;
        }
    }

    fn set_gutter(&mut self, hue: u8, patch: u8) {
        if self.hue != hue {
            self.hue = hue;
            set_opt_attr(
                &self.bar.path,
                "class",
                (hue != 0).then(|| format!("f-{hue}")).as_deref(),
            );
            self.bar.set(&link::bar_path(hue, 9, 23));
        }
        // Only the first row of a run carries the glyph.
        let glyph = if patch & 0x80 == 0 { 0 } else { patch & 0x7f };
        if self.patch_now != glyph {
            self.patch_now = glyph;
            let name = match glyph {
                1 => Some("ins"),
                2 => Some("mod"),
                3 => Some("del"),
                _ => None,
            };
            let href = name.map(|name| format!("#p-{name}"));
            set_opt_attr(&self.patch, "href", href.as_deref());
            let class = name.map(|name| format!("p-{name}"));
            set_opt_attr(&self.patch, "class", class.as_deref());
        }
    }

    fn set_hex(&mut self, bytes: &[u8]) {
        let head = bytes.get(..8).unwrap_or(bytes);
        if self.hex_now == head {
            return;
        }
        head.clone_into(&mut self.hex_now);
        let hex = hex::row_hex(bytes);
        let run = |run: &hex::HexRun| span(run.class, &run.text);
        let rest = span("rest", " ").children(hex.rest.iter().map(run));
        let rest = (!hex.rest.is_empty()).then_some(rest);
        replace_children(&self.hex, hex.head.iter().map(run).chain(rest));
    }

    fn set_wave(&mut self, bytes: &[u8]) {
        if self.wave_now == bytes {
            return;
        }
        bytes.clone_into(&mut self.wave_now);
        let paths = hex::waveform(bytes);
        for (class, wave) in WAVES.iter().zip(&mut self.waves) {
            let path = paths.iter().find(|(name, _)| name == class);
            wave.set(path.map_or("", |(_, path)| path));
        }
    }

    fn set_operands(&mut self, texts: [&str; 4]) {
        if self.operands_now == texts {
            return;
        }
        self.operands_now = texts.map(str::to_owned);
        let [wait, update, operands, names] = texts;
        let chips = |text: &str, kind: &'static str| {
            let parts: Vec<El> = text
                .split(" and ")
                .filter(|part| !part.is_empty())
                .map(|part| chip(kind, part).attr("title", names))
                .collect();
            parts
        };
        let rest = (!operands.is_empty()).then(|| span("", operands));
        let all = chips(wait, "wait").into_iter().chain(chips(update, "upd")).chain(rest);
        replace_children(&self.operands, all);
    }

    fn set_prov(&mut self, prov: Option<Provenance>) {
        if self.prov_now == prov {
            return;
        }
        self.prov_now = prov;
        let key = prov.map(provenance_key);
        set_attr(&self.prov, "class", &key.map_or("qg".to_owned(), |key| format!("qg g-{key}")));
        set_opt_attr(&self.prov, "aria-label", prov.map(Provenance::name));
        set_opt_attr(&self.prov, "role", prov.map(|_| "img"));
        set_opt_attr(&self.prov_use, "href", key.map(|key| format!("#q-{key}")).as_deref());
    }
}

/// A wait or an update in words.
fn chip(kind: &'static str, text: &str) -> El {
    let glyph = svg("svg")
        .attr("role", "img")
        .attr("aria-label", if kind == "wait" { "waits for" } else { "updates" })
        .child(svg("use").attr("href", &format!("#s-{kind}")));
    span("sem", "").class(&format!("sem {kind}")).child(glyph).child(span("cut", text))
}
