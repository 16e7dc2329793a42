//! Answers `source`: the tree of debug records of one engine, opened at one record.
//!
//! The tree goes from the source line down to the compiler's instructions. Only the branch of the
//! selected record is open; its siblings are listed around it, so the answer stays small whatever
//! the size of the program.

use super::code::hue;
use super::pc::no_such_ip;
use crate::answer::{
    MissingSource, Provenance, SCHEMA, SourceAnswer, SourceNode, SourceText, SourceTextLine,
};
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::request::Scope;
use crate::scope;
use crate::source_file::SourceFile;
use crate::sources::Sources;
use neff::debug::{Coverage, LayerKind, NO_INDEX, SourceLine, SourceMap, SourceRecord, advice};
use records::{Engine, SlotIndex};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Nodes of an answer unless the question says otherwise.
const DEFAULT_LIMIT: u32 = 400;
/// Siblings shown on each side of the open branch, at each level.
const AROUND: usize = 40;

/// The source tree around a record.
pub fn source(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    ip: Option<u32>,
    limit: Option<u32>,
) -> Result<SourceAnswer, ApiError> {
    let file = scope::neff(files, scope.f)?;
    let (index, subgraph) = scope::subgraph(file, scope)?;
    let engine = scope::engine(scope)?;
    let records = file.streams(index).get(engine.index()).map_or(0, |stream| stream.len());
    if ip.is_some_and(|ip| ip == 0 || ip as usize > records) {
        return Err(no_such_ip(engine, &subgraph.name, ip.unwrap_or(0), records));
    }
    let sources = file.sources(index);
    let mut answer = SourceAnswer {
        schema: SCHEMA,
        subgraph: subgraph.name.clone(),
        engine: engine.name().to_owned(),
        neff_ip: ip,
        nodes: Vec::new(),
        left_out: 0,
        slots: 0,
        bir: 0,
        penguin: 0,
        line: 0,
        texts: Vec::new(),
        missing: missing(&sources),
        provenance: Provenance::Observed,
    };
    let Some(map) = sources.map(engine) else { return Ok(answer) };
    let selected = ip.and_then(|ip| ip.checked_sub(1));
    let line = selected.and_then(|slot| map.line_of(SlotIndex(slot)));
    answer.missing.extend(absent(files, map, line.map(SourceLine::file)));
    let coverage = Coverage::of(map);
    answer.slots = coverage.slots;
    answer.bir = coverage.with_bir;
    answer.penguin = coverage.with_penguin;
    answer.line = coverage.with_line;
    let tree = Tree::of(map, &sources, engine);
    answer.texts = selected.and_then(|slot| text(files, map, slot)).into_iter().collect();
    tree.write(selected, limit.unwrap_or(DEFAULT_LIMIT) as usize, &mut answer);
    Ok(answer)
}

/// A key of a node: one of the four levels with its id.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Line,
    Hlo,
    Penguin,
    Bir,
}

const LEVELS: [Level; 4] = [Level::Line, Level::Hlo, Level::Penguin, Level::Bir];

struct Tree<'a> {
    map: &'a SourceMap,
    sources: &'a Sources,
    engine: Engine,
}

/// Slots that share a path prefix: their runs as inclusive slot numbers.
#[derive(Default)]
struct Group {
    runs: Vec<[u32; 2]>,
}

impl Group {
    fn add(&mut self, slot: u32) {
        match self.runs.last_mut() {
            Some(run) if run[1] + 1 == slot => run[1] = slot,
            _ => self.runs.push([slot, slot]),
        }
    }
}

impl<'a> Tree<'a> {
    fn of(map: &'a SourceMap, sources: &'a Sources, engine: Engine) -> Self {
        Self { map, sources, engine }
    }

    fn id(&self, level: Level, slot: u32) -> u32 {
        Self::id_in(self.map, level, slot)
    }

    fn id_in(map: &SourceMap, level: Level, slot: u32) -> u32 {
        let ids = map.slot_ids();
        let column = match level {
            Level::Line => &ids.line,
            Level::Hlo => &ids.hlo,
            Level::Penguin => &ids.penguin,
            Level::Bir => &ids.bir,
        };
        column.get(slot as usize).copied().unwrap_or(NO_INDEX)
    }

    fn write(&self, selected: Option<u32>, limit: usize, answer: &mut SourceAnswer) {
        let slots: Vec<u32> = (0..self.map.n_slots).collect();
        let mut out = Writer { tree: self, selected, limit, answer };
        out.level(0, 0, &slots);
    }
}

struct Writer<'t, 'a> {
    tree: &'t Tree<'a>,
    selected: Option<u32>,
    limit: usize,
    answer: &'t mut SourceAnswer,
}

impl Writer<'_, '_> {
    /// Writes the nodes of one level for some slots of the engine.
    fn level(&mut self, at: usize, depth: u8, slots: &[u32]) {
        let Some(level) = LEVELS.get(at).copied() else { return };
        let mut groups: BTreeMap<u32, Group> = BTreeMap::new();
        let mut order: Vec<u32> = Vec::new();
        let mut without: Vec<u32> = Vec::new();
        for slot in slots {
            match self.tree.id(level, *slot) {
                NO_INDEX => without.push(*slot),
                id => {
                    let group = groups.entry(id).or_insert_with(|| {
                        order.push(id);
                        Group::default()
                    });
                    group.add(*slot);
                }
            }
        }
        let selected_id = self.selected.map(|slot| self.tree.id(level, slot));
        let open = order.iter().position(|id| Some(*id) == selected_id);
        let center = open.unwrap_or(0);
        let first = center.saturating_sub(AROUND);
        let last = center.saturating_add(AROUND + 1).min(order.len());
        for (position, id) in order.iter().enumerate() {
            let Some(group) = groups.get(id) else { continue };
            if position < first || position >= last || self.answer.nodes.len() >= self.limit {
                self.answer.left_out += 1;
                continue;
            }
            // Upper levels with few members are open; the rest only along the selection.
            let on_path = open == Some(position) && self.selected_in(group);
            let is_open = on_path || (order.len() == 1 && level < Level::Bir);
            let inner: Vec<u32> = group.runs.iter().flat_map(|run| run[0]..=run[1]).collect();
            self.node(level, depth, *id, group, on_path, is_open);
            if is_open {
                self.level(at + 1, depth + 1, &inner);
            }
        }
        if !without.is_empty() {
            self.level(at + 1, depth, &without);
        }
    }

    fn selected_in(&self, group: &Group) -> bool {
        self.selected
            .is_some_and(|slot| group.runs.iter().any(|run| (run[0]..=run[1]).contains(&slot)))
    }

    fn node(&mut self, level: Level, depth: u8, id: u32, group: &Group, on_path: bool, open: bool) {
        let Some(slot) = group.runs.first().map(|run| run[0]) else { return };
        let record = self.record(level, slot);
        let line = (level == Level::Line).then(|| self.tree.map.lines().get(id as usize)).flatten();
        let (layer, layer_name) = match level {
            Level::Line => ("line", "Source"),
            Level::Hlo => ("hlo", "HLO"),
            Level::Penguin => ("penguin", "Penguin"),
            Level::Bir => ("backend", "BIR"),
        };
        let text = match (line, &record) {
            (Some(line), _) => format!("{}:{}", line.file(), line.line),
            (None, Some(record)) => record.text.clone().unwrap_or_else(|| "–".to_owned()),
            (None, None) => "–".to_owned(),
        };
        let group_id = id.saturating_add(1);
        self.answer.nodes.push(SourceNode {
            depth,
            layer: layer.to_owned(),
            layer_name: layer_name.to_owned(),
            text,
            file: line.map(|line| line.file().to_owned()),
            line: line.map(|line| u64::from(line.line)),
            group: Some(group_id),
            hue: if level == Level::Penguin { hue(group_id) } else { self.hue_of(slot, level) },
            ips: group.runs.iter().take(8).map(|run| [run[0] + 1, run[1] + 1]).collect(),
            elsewhere: self.elsewhere(level, id),
            selected: on_path,
            open: open && level < Level::Bir,
            children: level < Level::Bir,
            member: record.as_ref().map(|record| record.member.clone()),
            offset: record.as_ref().map(|record| record.offset),
        });
    }

    /// The hue of a compiler instruction is that of its tensor operation, as in the code rows.
    fn hue_of(&self, slot: u32, level: Level) -> u8 {
        if level != Level::Bir {
            return 0;
        }
        let penguin = self.tree.id(Level::Penguin, slot).wrapping_add(1);
        let bir = self.tree.id(Level::Bir, slot).wrapping_add(1);
        hue(if penguin > 0 { penguin } else { bir })
    }

    fn record(&self, level: Level, slot: u32) -> Option<SourceRecord> {
        let kind = match level {
            Level::Line => return None,
            Level::Hlo => LayerKind::Hlo,
            Level::Penguin => LayerKind::Penguin,
            Level::Bir => LayerKind::Backend,
        };
        let chain = self.tree.map.chain(SlotIndex(slot));
        chain.into_iter().find(|record| record.layer == kind)
    }

    /// Other engines with slots of the same node. Compiler instructions belong to one engine; ids
    /// of the upper layers are shared, lines are compared by value.
    fn elsewhere(&self, level: Level, id: u32) -> Vec<(String, u32, u64)> {
        if level == Level::Bir || level == Level::Line {
            return Vec::new();
        }
        let mut list = Vec::new();
        for map in self.tree.sources.maps.iter().filter(|map| map.engine != self.tree.engine) {
            let mut first = None;
            let mut count = 0_u64;
            for slot in 0..map.n_slots {
                if Tree::id_in(map, level, slot) == id {
                    first.get_or_insert(slot + 1);
                    count += 1;
                }
            }
            if let Some(first) = first {
                list.push((map.engine.name().to_owned(), first, count));
            }
        }
        list
    }
}

/// Lines of text shown on each side of a record's line.
const AROUND_LINE: u64 = 12;
/// Runs of IPs named for a line.
const LINE_RUNS: usize = 8;

/// A file of the session that is called like one of the debug layers.
fn text_of<'a>(files: &'a [Arc<OpenFile>], name: &str) -> Option<&'a SourceFile> {
    files.iter().filter_map(|file| file.as_source()).find(|file| file.name() == name)
}

/// The text around the line that a stream slot comes from.
fn text(files: &[Arc<OpenFile>], map: &SourceMap, slot: u32) -> Option<SourceText> {
    let ids = &map.slot_ids().line;
    let id = *ids.get(slot as usize).filter(|id| **id != NO_INDEX)?;
    let line = map.lines().get(id as usize)?;
    let file = text_of(files, line.file())?;
    let number = u64::from(line.line);
    let first = number.saturating_sub(AROUND_LINE).max(1);
    let last = number.saturating_add(AROUND_LINE).min(file.lines());
    // Slots of each line that is shown.
    let mut groups: BTreeMap<u64, Group> = BTreeMap::new();
    for (slot, id) in (0..).zip(ids) {
        let other = map.lines().get(*id as usize);
        if let Some(other) = other.filter(|other| other.file() == line.file()) {
            let number = u64::from(other.line);
            if (first..=last).contains(&number) {
                groups.entry(number).or_default().add(slot);
            }
        }
    }
    let lines = (first..=last).filter_map(|number| {
        let runs = groups.get(&number).map(|group| group.runs.as_slice()).unwrap_or_default();
        let ips = runs.iter().take(LINE_RUNS).map(|run| [run[0] + 1, run[1] + 1]).collect();
        Some(SourceTextLine { text: file.line(number)?.to_owned(), ips })
    });
    Some(SourceText {
        file: file.name().to_owned(),
        line: number,
        total: file.lines(),
        first,
        lines: lines.collect(),
        provenance: Provenance::File,
    })
}

/// What the layers lack.
fn missing(sources: &Sources) -> Vec<MissingSource> {
    advice(&sources.maps)
        .into_iter()
        .map(|text| {
            let (what, how) = text.split_once(". ").unwrap_or((text.as_str(), ""));
            let what = format!("{}.", what.trim_end_matches('.'));
            MissingSource { what, how: how.to_owned(), flag: None, add: None }
        })
        .collect()
}

/// The file whose text would help: that of the selected record, else the first one that the engine's
/// own records name.
fn absent(files: &[Arc<OpenFile>], map: &SourceMap, of: Option<&str>) -> Option<MissingSource> {
    let is_absent = |name: &&str| text_of(files, name).is_none();
    let name = match of {
        Some(name) => Some(name).filter(is_absent),
        None => {
            let ids = map.slot_ids().line.iter().filter(|id| **id != NO_INDEX);
            let lines = ids.filter_map(|id| map.lines().get(*id as usize));
            lines.map(SourceLine::file).find(is_absent)
        }
    }?;
    Some(MissingSource {
        what: format!("The text of {name} is not in this NEFF."),
        how: "It carries file and line only; add that file to see it here.".to_owned(),
        flag: None,
        add: Some(name.to_owned()),
    })
}
