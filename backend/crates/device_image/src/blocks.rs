//! Appends translated functions to the output buffer, block by block: first and last record are
//! handled, the middle is copied, and the block's patch rows are carried along.
//! Spec: docs/format/image.md "Blocks" [observed].

use std::collections::BTreeMap;

use neff::{Findings, Severity};
use records::build::{self, Draft};
use records::{NeffIp, PatchRow, PatchSection, PatchType, Provenance, Slot, SlotIndex};

use crate::expand::{Fixup, Reasons};
use crate::identify::{Block, Function};
use crate::image::{Origin, PlacedBlock, PlacedFunction, SlotInfo};
use crate::layout::{Region, SLOT};
use crate::patch_list::PatchList;
use crate::program::Program;
use crate::recipe::Pieces;
use crate::setup::{Made, Run, Translated, TranslatedBlock};

/// A call that becomes a branch to a function.
pub(crate) struct Call {
    /// Image slot of the placeholder.
    pub slot: usize,
    /// Name of the function.
    pub name: String,
}

/// The output buffer and what is still open about it.
pub(crate) struct Output<'a> {
    program: Program<'a>,
    /// Device records so far.
    pub slots: Vec<Slot>,
    /// What each of them is.
    pub info: Vec<SlotInfo>,
    /// Calls to resolve.
    pub calls: Vec<Call>,
    /// Image slots of exits to resolve.
    pub exits: Vec<usize>,
    /// Image offsets of calls and exits, in the order of the blocks.
    pub post_process: Vec<u64>,
    /// Functions appended so far.
    pub placed: Vec<PlacedFunction>,
    /// Why slots are no surer than they are.
    pub reasons: Reasons,
    /// Image slots of branches that no label resolves.
    unresolved: Vec<usize>,
    /// Bytes of a cache line at which blocks begin that ask for it; 0 for none.
    cache_line: u32,
    max_slots: u32,
}

/// A branch whose label is still open.
struct OpenBranch {
    slot: usize,
    label: u64,
}

impl<'a> Output<'a> {
    /// An empty buffer with room for so many slots.
    pub fn new(program: Program<'a>, expected: usize, cache_line: u32, max_slots: u32) -> Self {
        Self {
            program,
            slots: Vec::with_capacity(expected),
            info: Vec::with_capacity(expected),
            calls: Vec::new(),
            exits: Vec::new(),
            post_process: Vec::new(),
            placed: Vec::new(),
            reasons: Reasons::new(),
            unresolved: Vec::new(),
            cache_line,
            max_slots,
        }
    }

    /// Fails with a record of the stream once there are more slots than accepted.
    fn check_size(&self, record: u32) -> Result<(), u32> {
        if self.slots.len() > self.max_slots as usize { Err(record) } else { Ok(()) }
    }

    /// Appends the slots of a synthesized region, with one INSERT row for each run. Fails with a
    /// record of the stream if the image gets too large.
    pub fn synthesized(
        &mut self,
        region: Region,
        pieces: &Pieces,
        rows: &mut PatchList,
    ) -> Result<(), u32> {
        let start = self.slots.len();
        for piece in &pieces.slots {
            let origin = Origin::Step(piece.step);
            self.slots.push(piece.slot);
            self.info.push(SlotInfo { region, origin, provenance: piece.provenance });
        }
        let section = match region {
            Region::Preamble => PatchSection::PREAMBLE,
            _ => PatchSection::POSTAMBLE,
        };
        let mut run = 0;
        for end in pieces.row_breaks.iter().copied().chain([pieces.slots.len()]) {
            let count = end.saturating_sub(run);
            rows.append_slots(start + run, count, PatchType::INSERT, section);
            run = end;
        }
        let records = u32::try_from(self.program.slots.len()).unwrap_or(u32::MAX);
        self.check_size(if region == Region::Preamble { 0 } else { records })
    }

    /// Appends one function. Its rows count from the image slot `rebase`. Fails as
    /// [`Output::synthesized`].
    pub fn function(
        &mut self,
        function: &Function,
        translated: &Translated,
        rebase: usize,
        rows: &mut PatchList,
        findings: &mut Findings,
    ) -> Result<(), u32> {
        let region = if function.id == 0 { Region::Main } else { Region::Function };
        let start = self.slots.len();
        let mut labels = BTreeMap::new();
        let mut open = Vec::new();
        let list = translated.functions.get(function.id as usize).map_or(&[][..], Vec::as_slice);
        let mut blocks = Vec::with_capacity(function.blocks.len());
        for (block, own) in function.blocks.iter().zip(list) {
            let mut append = BlockAppend { out: self, translated, region, rebase, rows };
            let placed = append.block(block, own, &mut open);
            if let Some(label) = own.label {
                let first = placed.first.0 as usize;
                if *labels.entry(label).or_insert(first) != first {
                    findings.push(
                        Severity::Warning,
                        "image.label-duplicate",
                        self.program.place(block.records.start),
                        format!(
                            "label {label} comes again; branches go to the first one [inferred]"
                        ),
                    );
                }
            }
            blocks.push(placed);
            self.check_size(block.records.start)?;
        }
        self.resolve_labels(&labels, &open, findings);
        if function.id != 0 {
            self.mark_function(rebase);
        }
        self.placed.push(PlacedFunction {
            id: function.id,
            name: function.name.clone(),
            first: SlotIndex(start as u32),
            slots: (self.slots.len() - start) as u32,
            reset_semaphores: function.reset_semaphores,
            return_registers: (function.return_low, function.return_high),
            blocks,
        });
        Ok(())
    }

    /// Bit 0 of byte 3 in every record of the function section so far: the entry, then pairs.
    /// Spec: docs/format/image.md "Branches" [observed; the guard of an odd last record inferred].
    fn mark_function(&mut self, section_start: usize) {
        let from = self.placed.get(1..).and_then(<[_]>::last);
        let from = from.map_or(section_start, |last| (last.first.0 + last.slots) as usize);
        for (slot, info) in self.slots.iter_mut().zip(&mut self.info).skip(from) {
            if let Some(byte) = slot.0.get_mut(3)
                && *byte & 1 == 0
            {
                *byte |= 1;
                info.provenance = info.provenance.max(Provenance::Observed);
            }
        }
    }

    /// Branches whose target is a label of the same function get the distance to it. Others keep
    /// what the compiler wrote.
    fn resolve_labels(
        &mut self,
        labels: &BTreeMap<u64, usize>,
        open: &[OpenBranch],
        findings: &mut Findings,
    ) {
        for branch in open {
            if let Some(&target) = labels.get(&branch.label) {
                self.set_distance(branch.slot, target, Provenance::Inferred);
                continue;
            }
            self.unresolved.push(branch.slot);
            let hint = self.slots.get(branch.slot).is_some_and(|slot| slot.opcode_byte() == 0xB5);
            if hint {
                findings.push(
                    Severity::Warning,
                    "image.label-unknown",
                    self.place_of(branch.slot),
                    format!(
                        "a prefetch hint names label {}, which its function lacks",
                        branch.label
                    ),
                );
            }
        }
    }

    /// Where the record of an image slot stands in the stream, for findings.
    pub fn place_of(&self, slot: usize) -> neff::Place {
        match self.info.get(slot).map(|info| info.origin) {
            Some(Origin::Record(ip)) => self.program.place(ip.0.saturating_sub(1)),
            _ => self.program.whole_place(),
        }
    }

    /// The engine, for findings.
    pub fn whole_place(&self) -> neff::Place {
        self.program.whole_place()
    }

    /// Branches that no label resolved.
    pub fn unresolved(&self) -> &[usize] {
        &self.unresolved
    }

    /// Sets the distance of a branch; its provenance becomes at least `provenance`.
    pub fn set_distance(&mut self, slot: usize, target: usize, provenance: Provenance) {
        let value = u64::from(distance(slot, target) as u32);
        if let Some(place) = self.slots.get_mut(slot) {
            *place = Draft::of(*place).u64(0x30, value).slot();
        }
        if let Some(info) = self.info.get_mut(slot) {
            info.provenance = info.provenance.max(provenance);
        }
    }
}

/// Appends the blocks of one function.
struct BlockAppend<'o, 'a, 't> {
    out: &'o mut Output<'a>,
    translated: &'t Translated,
    region: Region,
    rebase: usize,
    rows: &'o mut PatchList,
}

impl BlockAppend<'_, '_, '_> {
    fn block(
        &mut self,
        block: &Block,
        own: &TranslatedBlock,
        open: &mut Vec<OpenBranch>,
    ) -> PlacedBlock {
        let list = |range: &std::ops::Range<u32>| range.start as usize..range.end as usize;
        let translated = self.translated;
        let rows = translated.rows.get(list(&own.rows)).unwrap_or(&[]);
        let before = self.out.slots.len();
        let post_process = self.out.post_process.len() as u32;
        if own.slots == 0 {
            // An empty block carries its rows along as they are.
            for row in rows {
                self.append_row(*row, before);
            }
            return self.placed(block, own, 0, before, post_process);
        }
        let padding = self.pad(block, own);
        let start = self.out.slots.len();
        // The first record, if it is a label, is bound and dropped; the net change of the edges
        // goes into one row where the block begins, padding included.
        let dropped = usize::from(own.label.is_some());
        let section = self.section();
        let (count, kind) = if padding >= dropped {
            (padding - dropped, PatchType::INSERT)
        } else {
            (dropped - padding, PatchType::DELETE)
        };
        self.rows.append_slots(before - self.rebase, count, kind, section);
        let mut skip = dropped;
        for run in translated.runs.get(list(&own.runs)).unwrap_or(&[]) {
            self.run(*run, &mut skip);
        }
        let shift = |place: u32| start + (place as usize).saturating_sub(dropped);
        for row in rows {
            self.append_row(*row, shift(row.offset / SLOT as u32));
        }
        for (place, fixup) in translated.fixups.get(list(&own.fixups)).unwrap_or(&[]) {
            let slot = shift(*place);
            match fixup {
                Fixup::None => {}
                Fixup::Call(name) => {
                    self.out.post_process.push(slot as u64 * SLOT);
                    self.out.calls.push(Call { slot, name: name.clone() });
                }
                Fixup::Exit => {
                    self.out.post_process.push(slot as u64 * SLOT);
                    self.out.exits.push(slot);
                }
                Fixup::Label(label) => open.push(OpenBranch { slot, label: *label }),
            }
        }
        self.placed(block, own, padding, start, post_process)
    }

    fn placed(
        &self,
        block: &Block,
        own: &TranslatedBlock,
        padding: usize,
        start: usize,
        post_process: u32,
    ) -> PlacedBlock {
        PlacedBlock {
            collective_id: block.collective_id,
            records: block.records.clone(),
            translated_slots: own.slots,
            own_rows: own.rows.end - own.rows.start,
            post_process: post_process..self.out.post_process.len() as u32,
            padding_slots: padding as u32,
            first: SlotIndex(start as u32),
            slots: (self.out.slots.len() - start) as u32,
            cache_align: own.cache_align,
        }
    }

    fn section(&self) -> PatchSection {
        if self.region == Region::Main { PatchSection::MAIN } else { PatchSection::FUNCTION }
    }

    /// Carries a row of a block to an image slot; type, count and section stay.
    fn append_row(&mut self, row: PatchRow, slot: usize) {
        self.rows.append_slots(
            slot.saturating_sub(self.rebase),
            row.count as usize,
            row.kind,
            row.section,
        );
    }

    /// Pads to a cache line where the block asks for it. The padding belongs to the block's first
    /// record. Gives its slots.
    fn pad(&mut self, block: &Block, own: &TranslatedBlock) -> usize {
        let line = self.out.cache_line as usize / SLOT as usize;
        if !own.cache_align || line < 2 {
            return 0;
        }
        let padding = self.out.slots.len().next_multiple_of(line) - self.out.slots.len();
        let info = SlotInfo {
            region: self.region,
            origin: Origin::Record(NeffIp(block.records.start.saturating_add(1))),
            provenance: Provenance::Modelled,
        };
        let end = self.out.slots.len() + padding;
        self.out.slots.resize(end, build::nop());
        self.out.info.resize(end, info);
        if padding > 0 {
            let text = "blocks that ask for it begin at a cache line; the padding is NOPs";
            self.out.reasons.insert((Provenance::Modelled, text.to_owned()));
        }
        padding
    }

    /// Copies a run, without the slots that are still to skip.
    fn run(&mut self, run: Run, skip: &mut usize) {
        match run {
            Run::Source(first, count) => {
                let window = first as usize..first as usize + count as usize;
                let records = self.out.program.slots.get(window).unwrap_or(&[]);
                let kept = records.get(*skip..).unwrap_or(&[]);
                self.out.slots.extend_from_slice(kept);
                let ips = first + 1 + *skip as u32..first + 1 + count;
                let region = self.region;
                self.out.info.extend(ips.map(|ip| SlotInfo {
                    region,
                    origin: Origin::Record(NeffIp(ip)),
                    provenance: Provenance::File,
                }));
            }
            Run::Made(first, count) => {
                let window = first as usize..first as usize + count as usize;
                let made = self.translated.made.get(window).unwrap_or(&[]);
                let kept = made.get(*skip..).unwrap_or(&[]);
                let region = self.region;
                self.out.slots.extend(kept.iter().map(|made| made.slot));
                self.out.info.extend(kept.iter().map(|made: &Made| SlotInfo {
                    region,
                    origin: Origin::Record(made.ip),
                    provenance: made.provenance,
                }));
            }
        }
        *skip = 0;
    }
}

/// Bytes from a branch to its target, both in slots. Images are below 4 GiB, so the low 32 bits
/// are the signed distance.
pub(crate) fn distance(slot: usize, target: usize) -> i32 {
    (target as i64 * 64 - slot as i64 * 64) as i32
}
