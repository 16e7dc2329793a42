//! Answers `diff` and serves the `diff` columns: a captured image beside the built one.

use super::view::View;
use crate::answer::{
    Agreement, CaptureInfo, ChangeCounts, ChangeRun, DiffAnswer, Provenance, SCHEMA,
};
use crate::columns::{Block, Column, MAX_ROWS};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::pair::PairImages;
use crate::request::{ColumnsRequest, Scope};
use device_image::{Change, Comparison};
use kbin::Names;
use kbin::disasm::operands;
use records::{Opcode, Slot};
use std::collections::BTreeMap;
use std::sync::Arc;

/// Compares the two images of an engine.
pub fn diff(
    files: &[Arc<OpenFile>],
    scope: &Scope,
    from: u32,
    count: Option<u32>,
) -> Result<DiffAnswer, ApiError> {
    let view = View::of(files, scope)?;
    let (pair, comparison) = compared(&view)?;
    let count = count.map_or(MAX_ROWS, |count| count.min(MAX_ROWS)) as usize;
    let real = pair.real.engine(view.engine);
    let modelled = pair.modelled.engine(view.engine);
    let runs = comparison.runs.iter().skip(from as usize).take(count);
    Ok(DiffAnswer {
        schema: SCHEMA,
        subgraph: view.subgraph.to_owned(),
        engine: view.engine.name().to_owned(),
        profile: pair.modelled.profile.clone(),
        capture: capture_info(pair),
        agreement: agreement(comparison),
        modelled_slots: modelled.image.slots.len() as u64,
        counts: ChangeCounts {
            same: comparison.count(Change::Same),
            rewritten: comparison.count(Change::Rewritten),
            only_real: comparison.count(Change::OnlyReal),
            only_modelled: comparison.count(Change::OnlyModelled),
        },
        total: comparison.runs.len() as u64,
        runs: runs
            .map(|run| ChangeRun {
                change: run.change.name().to_owned(),
                real: run.real.start,
                modelled: run.modelled.start,
                slots: slots_of(run),
                region: match run.change {
                    Change::OnlyModelled => modelled.run_at(run.modelled.start),
                    _ => real.run_at(run.real.start),
                }
                .map_or_else(String::new, |run| run.region.to_owned()),
            })
            .collect(),
        provenance: Provenance::Inferred,
    })
}

/// The capture of a pair, as documents name it.
pub fn capture_info(pair: &PairImages) -> CaptureInfo {
    CaptureInfo { file: pair.file.clone(), runtime: pair.runtime.clone(), core: pair.core }
}

/// The figure of agreement.
pub fn agreement(comparison: &Comparison) -> Agreement {
    Agreement {
        slots: comparison.slots,
        same: comparison.same,
        aligned: comparison.count(Change::Same),
    }
}

fn compared<'a>(view: &'a View<'_>) -> Result<(&'a PairImages, &'a Comparison), ApiError> {
    let pair = view.pair.as_deref().ok_or_else(|| {
        let message = "there is no capture to compare with: open the NTFF profile of a run too";
        ApiError::new(ErrorKind::NotFound, "pair.none", message)
    })?;
    let comparison = pair.comparison(view.engine).ok_or_else(|| {
        let message = format!("{} holds no usable image of {}", pair.file, view.engine);
        ApiError::new(ErrorKind::NotFound, "pair.no-image", message)
    })?;
    Ok((pair, comparison))
}

fn slots_of(run: &device_image::ChangeRun) -> u32 {
    let length = |range: &std::ops::Range<u32>| range.end.saturating_sub(range.start);
    length(&run.real).max(length(&run.modelled))
}

/// Codes of the `change` column.
fn code(change: Change) -> u8 {
    match change {
        Change::Same => 0,
        Change::Rewritten => 1,
        Change::OnlyReal => 2,
        Change::OnlyModelled => 3,
    }
}

/// One row for each aligned record, in image order.
pub fn rows(files: &[Arc<OpenFile>], request: &ColumnsRequest) -> Result<Block, ApiError> {
    let view = View::of(files, &request.scope)?;
    let (pair, comparison) = compared(&view)?;
    let total = comparison.runs.iter().map(|run| u64::from(slots_of(run))).sum::<u64>();
    let count = if request.count == 0 { MAX_ROWS } else { request.count.min(MAX_ROWS) };
    let from = request.from.min(total);
    let to = from.saturating_add(u64::from(count)).min(total);
    let mut columns = Columns::default();
    view.file.program(view.index).with_names(|names| {
        let mut start = 0;
        for run in &comparison.runs {
            let end = start + u64::from(slots_of(run));
            for row in from.max(start)..to.min(end) {
                let at = u32::try_from(row - start).unwrap_or(u32::MAX);
                let has =
                    |range: &std::ops::Range<u32>| (!range.is_empty()).then(|| range.start + at);
                columns.add(&view, pair, run.change, (has(&run.real), has(&run.modelled)), names);
            }
            start = end;
        }
    });
    let rows = u32::try_from(columns.change.len()).unwrap_or(u32::MAX);
    Ok(Block { from, total, rows, columns: columns.finish() })
}

/// Column values in the making.
#[derive(Default)]
struct Columns {
    change: Vec<u8>,
    region: Vec<u8>,
    real: Vec<u32>,
    modelled: Vec<u32>,
    ip: Vec<u32>,
    prov: Vec<u8>,
    bytes: [Vec<u8>; 2],
    mnemonic: [Vec<String>; 2],
    operands: [Vec<String>; 2],
    step: Vec<String>,
}

impl Columns {
    fn add(
        &mut self,
        view: &View<'_>,
        pair: &PairImages,
        change: Change,
        (real, modelled): (Option<u32>, Option<u32>),
        names: Names<'_>,
    ) {
        let images = [pair.real.engine(view.engine), pair.modelled.engine(view.engine)];
        let [left, right] = images;
        let run = match real {
            Some(slot) => left.run_at(slot),
            None => modelled.and_then(|slot| right.run_at(slot)),
        };
        self.change.push(code(change));
        self.region.push(run.map_or(0, |run| run.code));
        self.real.push(real.unwrap_or(u32::MAX));
        self.modelled.push(modelled.unwrap_or(u32::MAX));
        let info = match real {
            Some(slot) => left.image.info.get(slot as usize),
            None => modelled.and_then(|slot| right.image.info.get(slot as usize)),
        };
        self.ip.push(match info.map(|info| info.origin) {
            Some(device_image::Origin::Record(ip)) => ip.get(),
            _ => 0,
        });
        let built = modelled.and_then(|slot| right.image.info.get(slot as usize));
        self.prov.push(built.map_or(0, |info| crate::convert::provenance(info.provenance).code()));
        let step = modelled.and_then(|slot| right.image.step_of(records::SlotIndex(slot)));
        self.step.push(step.map_or_else(String::new, |step| step.title.clone()));
        let slots = [real, modelled];
        let sides = self.bytes.iter_mut().zip(&mut self.mnemonic).zip(&mut self.operands);
        for (((bytes, mnemonic), texts), (image, slot)) in sides.zip(images.into_iter().zip(slots))
        {
            let record = slot.and_then(|slot| image.image.slots.get(slot as usize));
            bytes.extend_from_slice(record.unwrap_or(&Slot::ZERO).bytes());
            mnemonic.push(record.map_or_else(String::new, mnemonic_of));
            texts.push(record.map_or_else(String::new, |record| operands(record, names)));
        }
    }

    fn finish(self) -> BTreeMap<String, Column> {
        let [bytes, modelled_bytes] = self.bytes;
        let [mnemonic, modelled_mnemonic] = self.mnemonic;
        let [operands, modelled_operands] = self.operands;
        let named = [
            ("change", Column::U8(self.change)),
            ("region", Column::U8(self.region)),
            ("real", Column::U32(self.real)),
            ("modelled", Column::U32(self.modelled)),
            ("ip", Column::U32(self.ip)),
            ("prov", Column::U8(self.prov)),
            ("bytes", Column::Slot(bytes)),
            ("modelled_bytes", Column::Slot(modelled_bytes)),
            ("mnemonic", Column::Text(mnemonic)),
            ("modelled_mnemonic", Column::Text(modelled_mnemonic)),
            ("operands", Column::Text(operands)),
            ("modelled_operands", Column::Text(modelled_operands)),
            ("step", Column::Text(self.step)),
        ];
        named.into_iter().map(|(name, column)| (name.to_owned(), column)).collect()
    }
}

fn mnemonic_of(record: &Slot) -> String {
    let opcode = record.opcode_byte();
    Opcode(opcode).mnemonic().map_or_else(|| format!("OPCODE {opcode:#04x}"), str::to_owned)
}
