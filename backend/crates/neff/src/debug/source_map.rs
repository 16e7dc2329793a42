//! The layers of one engine joined: for each slot the records that it came from, up to the source.
//!
//! Each layer names one layer above it, so the join is a list of parent indices for each layer,
//! computed once; a slot's chain is then a walk along indices.

use std::collections::BTreeSet;
use std::sync::Arc;

use records::{Engine, SlotIndex};

use super::layer::{
    DebugLayer, DebugLayers, DebugRecord, LayerKind, file_name_of, find_layer_member,
};
use crate::diagnostic::{Findings, Place, Severity};
use crate::package::{EngineProgram, Package, Subgraph};

/// "None" in columns of indices.
pub const NO_INDEX: u32 = u32::MAX;

/// Most layers that a chain has; more can only be members that name each other in a circle.
const MAX_LAYERS: usize = 8;

/// Where the slots of one engine came from.
/// Spec: docs/format/debug-layers.md "From a slot to the source" [observed].
#[derive(Clone, Debug)]
pub struct SourceMap {
    /// Engine.
    pub engine: Engine,
    /// Slots of the stream.
    pub n_slots: u32,
    asm_text: Option<AsmText>,
    /// Nearest first: the slot layer, then the layers above it.
    layers: Vec<Linked>,
    missing_layer: Option<String>,
    lines: Vec<SourceLine>,
    ids: SlotIds,
}

/// A layer, and for each of its records the index of the parent in the next layer of the list.
#[derive(Clone, Debug)]
struct Linked {
    layer: Arc<DebugLayer>,
    up: Arc<Vec<u32>>,
}

/// An assembly listing: line n is NEFF IP n.
#[derive(Clone, Debug)]
struct AsmText {
    member: String,
    /// Offset of each line in the member, and its text without the line end.
    lines: Vec<(u64, String)>,
}

/// A line of source code.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SourceLine {
    /// Path on the machine that built the program; hide it by default.
    pub path: String,
    /// Line, from 1.
    pub line: u32,
}

impl SourceLine {
    /// Last component of the path.
    pub fn file(&self) -> &str {
        file_name_of(&self.path)
    }
}

/// Compact ids of every slot, one column each; [`NO_INDEX`] where there is none. Slots with equal
/// ids belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SlotIds {
    /// Record index in the engine's backend layer.
    pub bir: Vec<u32>,
    /// Record index in the penguin layer.
    pub penguin: Vec<u32>,
    /// Record index in the HLO layer.
    pub hlo: Vec<u32>,
    /// Index into [`SourceMap::lines`].
    pub line: Vec<u32>,
}

/// One record that a slot came from.
#[derive(Clone, Debug, PartialEq)]
pub struct SourceRecord {
    /// Layer.
    pub layer: LayerKind,
    /// The record's name, or the line of an assembly listing; `None` if empty.
    pub text: Option<String>,
    /// File name without its folders.
    pub file: Option<String>,
    /// Whole path of the file: of the machine that built the program, so hide it by default.
    pub path: Option<String>,
    /// Line, from 1.
    pub line: Option<u32>,
    /// Id in its layer; `None` for listings and for records of slots.
    pub id: Option<u64>,
    /// Member.
    pub member: String,
    /// Byte offset of the record in the member.
    pub offset: u64,
}

impl SourceMap {
    /// Joins the layers of an engine. Layers that are missing end the chain; damage and
    /// contradictions are findings.
    pub fn build(
        package: &Package,
        subgraph: &Subgraph,
        engine: Engine,
        layers: &mut DebugLayers,
        findings: &mut Findings,
    ) -> Self {
        let program = subgraph.engine(engine);
        let mut map = Self {
            engine,
            n_slots: u32::try_from(program.n_slots()).unwrap_or(u32::MAX),
            asm_text: asm_text(package, program, layers),
            layers: Vec::new(),
            missing_layer: None,
            lines: Vec::new(),
            ids: SlotIds::default(),
        };
        let first = subgraph.definition.engine(engine).asm_debug.first();
        let mut next = first.map(|name| subgraph.resolve(name));
        while let Some(member) = next.take() {
            if map.layers.iter().any(|linked| linked.layer.member == member)
                || map.layers.len() >= MAX_LAYERS
            {
                findings.push(
                    Severity::Error,
                    "debug.circle",
                    Place::member(member),
                    "the layers above this one lead back to it; the chain ends here",
                );
                break;
            }
            let Some(layer) = layers.layer(package, &member, findings) else {
                map.missing_layer = Some(member);
                break;
            };
            if let Some(name) = &layer.parent_layer {
                next = find_layer_member(package, &subgraph.prefix, name, findings);
                if next.is_none() {
                    map.missing_layer = Some(name.clone());
                }
            }
            map.layers.push(Linked { layer, up: Arc::default() });
        }
        map.check_slot_count(findings);
        map.link(layers, findings);
        map.compute_ids(findings);
        map
    }

    fn check_slot_count(&self, findings: &mut Findings) {
        let Some(linked) = self.layers.first() else { return };
        let n_records = linked.layer.records.len() as u64;
        if n_records != u64::from(self.n_slots) {
            findings.push(
                Severity::Warning,
                "debug.slot-count",
                Place::member(linked.layer.member.clone()),
                format!(
                    "the layer has {n_records} records, expected one for each of {} slots",
                    self.n_slots
                ),
            );
        }
    }

    fn link(&mut self, layers: &mut DebugLayers, findings: &mut Findings) {
        for index in 0..self.layers.len() {
            let Some(linked) = self.layers.get(index) else { continue };
            let layer = Arc::clone(&linked.layer);
            let up = match self.layers.get(index + 1) {
                Some(above) => {
                    let key = (layer.member.clone(), above.layer.member.clone());
                    let known = layers.links.entry(key);
                    let up =
                        known.or_insert_with(|| Arc::new(links(&layer, &above.layer, findings)));
                    Arc::clone(up)
                }
                None => Arc::default(),
            };
            if let Some(linked) = self.layers.get_mut(index) {
                linked.up = up;
            }
        }
    }

    fn compute_ids(&mut self, findings: &mut Findings) {
        // Source line of every record of every layer: path and line.
        let mut per_layer: Vec<Vec<Option<(&str, u32)>>> = Vec::new();
        for linked in &self.layers {
            let mut reported = false;
            per_layer.push(
                linked
                    .layer
                    .records
                    .iter()
                    .map(|record| source_line(&linked.layer, record, &mut reported, findings))
                    .collect(),
            );
        }
        let distinct: BTreeSet<(&str, u32)> =
            per_layer.iter().flatten().flatten().copied().collect();
        let lines: Vec<SourceLine> = distinct
            .into_iter()
            .map(|(path, line)| SourceLine { path: path.to_owned(), line })
            .collect();
        let n_slots = self.n_slots as usize;
        let column = || vec![NO_INDEX; n_slots];
        let mut ids = SlotIds { bir: column(), penguin: column(), hlo: column(), line: column() };
        for slot in 0..n_slots {
            for (depth, record) in self.climb(slot) {
                let Some(linked) = self.layers.get(depth) else { continue };
                let column = match linked.layer.kind {
                    LayerKind::Backend => Some(&mut ids.bir),
                    LayerKind::Penguin => Some(&mut ids.penguin),
                    LayerKind::Hlo => Some(&mut ids.hlo),
                    _ => None,
                };
                if let Some(cell) = column.and_then(|column| column.get_mut(slot)) {
                    *cell = record as u32;
                }
                let line = per_layer.get(depth).and_then(|lines| *lines.get(record)?);
                if let (Some(line), Some(cell)) = (line, ids.line.get_mut(slot))
                    && *cell == NO_INDEX
                    && let Ok(index) =
                        lines.binary_search_by(|other| (other.path.as_str(), other.line).cmp(&line))
                {
                    *cell = index as u32;
                }
            }
        }
        self.lines = lines;
        self.ids = ids;
    }

    /// Depth and record index of what a slot came from, nearest first.
    fn climb(&self, slot: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let start = self
            .layers
            .first()
            .filter(|linked| slot < linked.layer.records.len())
            .map(|_| (0, slot));
        std::iter::successors(start, |(depth, record)| {
            let up = *self.layers.get(*depth)?.up.get(*record)?;
            (up != NO_INDEX).then_some((*depth + 1, up as usize))
        })
    }

    /// Records that a slot came from, nearest first: its line in the assembly listing if there is
    /// one, its own record, then the records above. Empty for a slot that has neither.
    pub fn chain(&self, slot: SlotIndex) -> Vec<SourceRecord> {
        let index = slot.0 as usize;
        let mut chain = Vec::new();
        if let Some(listing) = &self.asm_text
            && let Some((offset, line)) = listing.lines.get(index)
        {
            chain.push(SourceRecord {
                layer: LayerKind::Asm,
                text: Some(line.clone()).filter(|line| !line.is_empty()),
                file: Some(file_name_of(&listing.member).to_owned()),
                path: None,
                line: slot.neff_ip().map(|ip| ip.get()),
                id: None,
                member: listing.member.clone(),
                offset: *offset,
            });
        }
        for (depth, record) in self.climb(index) {
            if let Some(linked) = self.layers.get(depth)
                && let Some(record) = linked.layer.records.get(record)
            {
                chain.push(source_record(&linked.layer, record));
            }
        }
        chain
    }

    /// The nearest source line of a slot: of its backend record, else of the records above.
    pub fn line_of(&self, slot: SlotIndex) -> Option<&SourceLine> {
        self.lines.get(*self.ids.line.get(slot.0 as usize)? as usize)
    }

    /// Distinct source lines of all layers, sorted by path and line.
    pub fn lines(&self) -> &[SourceLine] {
        &self.lines
    }

    /// Ids of every slot, for linking rows.
    pub fn slot_ids(&self) -> &SlotIds {
        &self.ids
    }

    /// Layers in climbing order.
    pub fn layers(&self) -> impl Iterator<Item = &DebugLayer> {
        self.layers.iter().map(|linked| linked.layer.as_ref())
    }

    /// The layer that is named and not in the archive, where the chain ends early.
    pub fn missing_layer(&self) -> Option<&str> {
        self.missing_layer.as_deref()
    }

    /// Whether an assembly listing is there.
    pub fn has_listing(&self) -> bool {
        self.asm_text.is_some()
    }
}

/// The listing beside a stream: its name with `.asm` for the ending.
fn asm_text(
    package: &Package,
    program: &EngineProgram,
    layers: &mut DebugLayers,
) -> Option<AsmText> {
    let bin = program.bin_member.as_deref()?;
    let member = package.member(&format!("{}.asm", bin.strip_suffix(".bin").unwrap_or(bin)))?;
    let bytes = package.bytes_of(member);
    let mut lines = Vec::new();
    let mut offset = 0_u64;
    // Lines behind the last slot belong to nothing.
    let n_slots = usize::try_from(program.n_slots()).unwrap_or(usize::MAX);
    let split = || bytes.split_inclusive(|byte| *byte == b'\n').take(n_slots);
    let granted = layers.charge(split().count(), package.limits());
    for line in split().take(granted) {
        let text = String::from_utf8_lossy(line);
        lines.push((offset, text.trim_end_matches(['\n', '\r']).to_owned()));
        offset += line.len() as u64;
    }
    Some(AsmText { member: member.name.clone(), lines })
}

/// Records of a penguin layer by id and the number in their name, so that many records of one id
/// do not have to be looked through for each record below.
struct Numbered<'a> {
    /// Id, number, index; sorted.
    list: Vec<(u64, &'a str, u32)>,
}

impl<'a> Numbered<'a> {
    /// Empty for layers of other kinds.
    fn of(layer: &'a DebugLayer) -> Self {
        let mut list = Vec::new();
        if layer.kind == LayerKind::Penguin {
            let numbered = (0_u32..).zip(&layer.records).filter_map(|(index, record)| {
                Some((record.id, dollar_number(&record.name)?, index))
            });
            list = numbered.collect();
            list.sort_unstable();
        }
        Self { list }
    }

    /// The first record of an id and a number.
    fn first(&self, id: u64, number: &str) -> Option<u32> {
        let start = self.list.partition_point(|(i, n, _)| (*i, *n) < (id, number));
        self.list.get(start).filter(|(i, n, _)| (*i, *n) == (id, number)).map(|entry| entry.2)
    }
}

/// Index of each record's parent in the layer above.
fn links(layer: &DebugLayer, above: &DebugLayer, findings: &mut Findings) -> Vec<u32> {
    let by_number = Numbered::of(above);
    let mut unfit = None;
    let mut several = None;
    let up = layer
        .records
        .iter()
        .map(|record| {
            let Some(parent) = record.parents.first() else { return NO_INDEX };
            if record.parents.len() > 1 {
                several.get_or_insert(record.offset);
            }
            let candidates = above.with_id(*parent);
            // Of equal ids the last one counts, except where the names tell them apart.
            let last = candidates.last().copied().unwrap_or(NO_INDEX);
            if candidates.len() < 2 || above.kind != LayerKind::Penguin {
                return last;
            }
            let wanted = bir_number(&record.name);
            match wanted.and_then(|number| by_number.first(*parent, number)) {
                Some(index) => index,
                None => {
                    unfit.get_or_insert(record.offset);
                    last
                }
            }
        })
        .collect();
    if let Some(at) = unfit {
        findings.push(
            Severity::Warning,
            "debug.parent-choice",
            Place::member_at(layer.member.clone(), at),
            format!(
                "several records of `{}` have the parent's id and none has its number; the last \
                 one is used, for this and maybe further records",
                above.member
            ),
        );
    }
    if let Some(at) = several {
        findings.push(
            Severity::Warning,
            "debug.parents",
            Place::member_at(layer.member.clone(), at),
            "this and maybe further records have several parents; the first one is followed",
        );
    }
    up
}

/// The number p of a backend name `I-<p>-<n>`.
fn bir_number(name: &str) -> Option<&str> {
    let number = name.strip_prefix("I-")?.split('-').next()?;
    (!number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())).then_some(number)
}

/// The number behind `$` in a penguin name.
fn dollar_number(name: &str) -> Option<&str> {
    let tail = name.split_once('$')?.1;
    let end = tail.find(|c: char| !c.is_ascii_digit()).unwrap_or(tail.len());
    tail.get(..end).filter(|number| !number.is_empty())
}

/// Source line of a record: `kernel_line` with an index into the layer's files, or `source_line`
/// with a path.
fn source_line<'a>(
    layer: &'a DebugLayer,
    record: &'a DebugRecord,
    reported: &mut bool,
    findings: &mut Findings,
) -> Option<(&'a str, u32)> {
    let mut report = |code: &'static str, message: String| {
        if !*reported {
            *reported = true;
            let place = Place::member_at(layer.member.clone(), record.offset);
            findings.push(Severity::Warning, code, place, message);
        }
    };
    let (path, line) = match record.attribute("kernel_line") {
        Some(line) => {
            let index = record.attribute("kernel_file").unwrap_or("");
            let path = index.parse().ok().and_then(|index: usize| layer.files.get(index));
            if path.is_none() {
                report(
                    "debug.file-index",
                    format!(
                        "kernel_file is `{index}`, expected an index below {}",
                        layer.files.len()
                    ),
                );
            }
            (path.map_or("", String::as_str), line)
        }
        None => {
            let path = record.attribute("source_file").filter(|path| !path.is_empty())?;
            (path, record.attribute("source_line").unwrap_or(""))
        }
    };
    match line.parse() {
        Ok(0) => None,
        Ok(line) => Some((path, line)),
        Err(_) => {
            report("debug.line", format!("the source line is `{line}`, expected a number"));
            None
        }
    }
}

pub(crate) fn source_record(layer: &DebugLayer, record: &DebugRecord) -> SourceRecord {
    // Oddities of lines were reported when the map was built.
    let line = source_line(layer, record, &mut true, &mut Findings::new());
    let path = line.map(|(path, _)| path.to_owned()).filter(|path| !path.is_empty());
    SourceRecord {
        layer: layer.kind,
        text: Some(record.name.clone()).filter(|name| !name.is_empty()),
        file: path.as_deref().map(|path| file_name_of(path).to_owned()),
        path,
        line: line.map(|(_, line)| line),
        id: (layer.kind != LayerKind::Asm).then_some(record.id),
        member: layer.member.clone(),
        offset: record.offset,
    }
}
