//! The `code` columns: display rows of one engine image.

use super::view::View;
use crate::columns::{Block, Column, MAX_ROWS};
use crate::convert::provenance;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::request::ColumnsRequest;
use crate::rows::Row;
use crate::sync_names;
use device_image::Origin;
use kbin::Names;
use kbin::disasm::{operands, update_words, wait_words};
use neff::debug::NO_INDEX;
use records::{NeffIp, Opcode, PatchType, Slot};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Link hues in the order in which neighbors differ most.
const HUES: [u8; 8] = [1, 7, 3, 5, 2, 8, 4, 6];

/// Names of variables, and the names of a record's events and semaphores in one line.
type Naming<'a> = (Names<'a>, &'a dyn Fn(&Slot) -> String);

/// Column values in the making.
#[derive(Default)]
struct Columns {
    kind: Vec<u8>,
    region: Vec<u8>,
    slot: Vec<u32>,
    ip: Vec<u32>,
    prov: Vec<u8>,
    patch: Vec<u8>,
    hue: Vec<u8>,
    bir: Vec<u32>,
    pen: Vec<u32>,
    line: Vec<u32>,
    bytes: Vec<u8>,
    mnemonic: Vec<String>,
    wait: Vec<String>,
    update: Vec<String>,
    operands: Vec<String>,
    sync: Vec<String>,
}

/// A run of display rows.
pub fn code(files: &[Arc<OpenFile>], request: &ColumnsRequest) -> Result<Block, ApiError> {
    let view = View::of(files, &request.scope)?;
    let built = view.image();
    let total = built.rows.total();
    let count = if request.count == 0 { MAX_ROWS } else { request.count.min(MAX_ROWS) };
    let from = request.from.min(total);
    let to = from.saturating_add(u64::from(count)).min(total);
    let patches = patch_runs(&view);
    let mut columns = Columns::default();
    let (program, links) = (view.file.program(view.index), view.file.links(view.index));
    let sync = |slot: &Slot| sync_names::line(&program, &links, slot);
    view.file.program(view.index).with_names(|names| {
        for row in from..to {
            if let Some(row) = built.rows.at(row) {
                columns.add(&view, row, (names, &sync), &patches);
            }
        }
    });
    let rows = u32::try_from(columns.kind.len()).unwrap_or(u32::MAX);
    Ok(Block { from, total, rows, columns: columns.finish() })
}

impl Columns {
    fn add(&mut self, view: &View<'_>, row: Row, names: Naming<'_>, patches: &[PatchRun]) {
        match row {
            Row::Divider(index) => self.divider(view, index),
            Row::Slot(slot) => self.slot(view, slot, names, patches),
            Row::Deleted(ip) => self.deleted(view, ip, names),
        }
    }

    fn divider(&mut self, view: &View<'_>, index: usize) {
        let built = view.image();
        let Some(run) = built.runs.get(index) else { return };
        self.kind.push(2);
        self.region.push(run.code);
        self.slot.push(run.slot);
        self.ip.push(0);
        self.prov.push(provenance(run.provenance).code());
        self.patch.push(0);
        self.links(view, None);
        self.bytes.extend_from_slice(&[0; 64]);
        self.mnemonic.push(match &run.function {
            Some(name) => format!("{} {name}", run.region),
            None => run.region.to_owned(),
        });
        let mut summary = match run.slots {
            0 => "no slots".to_owned(),
            1 => format!("slot {}", run.slot),
            n => format!("slots {}–{}", run.slot, u64::from(run.slot) + u64::from(n) - 1),
        };
        summary.push_str(&format!(" · image offset {:#x}", u64::from(run.slot) * 64));
        match run.ips {
            Some((first, last)) if first == last => {
                summary.push_str(&format!(" · NEFF IP {first}"))
            }
            Some((first, last)) => summary.push_str(&format!(" · NEFF IP {first}–{last}")),
            None => summary.push_str(" · no NEFF IP"),
        }
        self.sync.push(String::new());
        self.texts(String::new(), String::new(), summary);
    }

    fn slot(&mut self, view: &View<'_>, slot: u32, names: Naming<'_>, patches: &[PatchRun]) {
        let built = view.image();
        let record = built.image.slots.get(slot as usize).copied().unwrap_or(Slot::ZERO);
        let info = built.image.info.get(slot as usize);
        let ip = match info.map(|info| info.origin) {
            Some(Origin::Record(ip)) => Some(ip.get()),
            _ => None,
        };
        self.kind.push(0);
        self.region.push(built.run_at(slot).map_or(0, |run| run.code));
        self.slot.push(slot);
        self.ip.push(ip.unwrap_or(0));
        self.prov.push(info.map_or(0, |info| provenance(info.provenance).code()));
        self.patch.push(patch_code(patches, slot));
        self.links(view, ip);
        self.record(&record, names);
    }

    fn deleted(&mut self, view: &View<'_>, ip: u32, names: Naming<'_>) {
        let built = view.image();
        let index = NeffIp(ip).slot().map_or(usize::MAX, |slot| slot.get() as usize);
        let record = view.stream(view.engine).get(index).copied().unwrap_or(Slot::ZERO);
        let run = built.rows.deleted_record(ip);
        self.kind.push(1);
        self.region.push(run.and_then(|r| built.runs.get(r.run)).map_or(2, |run| run.code));
        self.slot.push(u32::MAX);
        self.ip.push(ip);
        self.prov.push(0);
        self.patch.push(3 | 0x80);
        self.links(view, Some(ip));
        self.record(&record, names);
    }

    fn record(&mut self, record: &Slot, (names, sync): Naming<'_>) {
        self.sync.push(sync(record));
        self.bytes.extend_from_slice(record.bytes());
        let opcode = Opcode(record.opcode_byte());
        self.mnemonic.push(
            opcode
                .mnemonic()
                .map_or_else(|| format!("OPCODE {:#04x}", record.opcode_byte()), str::to_owned),
        );
        self.texts(wait_words(record), update_words(record), operands(record, names));
    }

    fn texts(&mut self, wait: String, update: String, operands: String) {
        self.wait.push(wait);
        self.update.push(update);
        self.operands.push(operands);
    }

    fn links(&mut self, view: &View<'_>, ip: Option<u32>) {
        let sources = view.file.sources(view.index);
        let ids = sources.map(view.engine).map(|map| map.slot_ids());
        let index = ip.and_then(|ip| NeffIp(ip).slot()).map(|slot| slot.get() as usize);
        let at = |column: &[u32]| {
            let id = index.and_then(|index| column.get(index)).copied().unwrap_or(NO_INDEX);
            id.wrapping_add(1)
        };
        let (bir, pen, line) =
            ids.map_or((0, 0, 0), |ids| (at(&ids.bir), at(&ids.penguin), at(&ids.line)));
        self.bir.push(bir);
        self.pen.push(pen);
        self.line.push(line);
        self.hue.push(hue(if pen > 0 { pen } else { bir }));
    }

    fn finish(self) -> BTreeMap<String, Column> {
        let named = [
            ("kind", Column::U8(self.kind)),
            ("region", Column::U8(self.region)),
            ("slot", Column::U32(self.slot)),
            ("ip", Column::U32(self.ip)),
            ("prov", Column::U8(self.prov)),
            ("patch", Column::U8(self.patch)),
            ("hue", Column::U8(self.hue)),
            ("bir", Column::U32(self.bir)),
            ("pen", Column::U32(self.pen)),
            ("line", Column::U32(self.line)),
            ("bytes", Column::Slot(self.bytes)),
            ("mnemonic", Column::Text(self.mnemonic)),
            ("wait", Column::Text(self.wait)),
            ("update", Column::Text(self.update)),
            ("operands", Column::Text(self.operands)),
            ("sync", Column::Text(self.sync)),
        ];
        named.into_iter().map(|(name, column)| (name.to_owned(), column)).collect()
    }
}

/// The link hue of a source group (id + 1), 1 to 8; 0 for no group.
pub fn hue(group: u32) -> u8 {
    match group.checked_sub(1) {
        Some(index) => HUES.get(index as usize % HUES.len()).copied().unwrap_or(0),
        None => 0,
    }
}

/// Image slots that a patch row inserted or modified.
struct PatchRun {
    first: u32,
    slots: u32,
    code: u8,
}

fn patch_runs(view: &View<'_>) -> Vec<PatchRun> {
    let image = &view.image().image;
    let mut runs: Vec<PatchRun> = image
        .rows
        .iter()
        .filter_map(|row| {
            let code = match row.kind {
                PatchType::INSERT => 1,
                PatchType::MODIFY => 2,
                _ => return None,
            };
            let base = if row.section == records::PatchSection::FUNCTION {
                image.ranges.functions.offset
            } else {
                0
            };
            let first = u32::try_from((base + u64::from(row.offset)) / 64).ok()?;
            Some(PatchRun { first, slots: row.count, code })
        })
        .collect();
    runs.sort_by_key(|run| run.first);
    runs
}

fn patch_code(runs: &[PatchRun], slot: u32) -> u8 {
    let at = runs.partition_point(|run| run.first <= slot);
    match at.checked_sub(1).and_then(|at| runs.get(at)) {
        Some(run) if slot - run.first < run.slots => {
            if slot == run.first {
                run.code | 0x80
            } else {
                run.code
            }
        }
        _ => 0,
    }
}
