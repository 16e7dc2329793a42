//! Stage "set up functions": every block of every function is expanded on its own.
//!
//! A block's translated buffer is kept as runs: records that stay as they are remain in the
//! stream, and only made slots are stored. Its patch rows count from the start of that buffer.
//! Spec: docs/format/image.md "Expansion" [observed].

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use neff::{Findings, Severity};
use records::{NeffIp, PatchRow, PatchSection, PatchType, Provenance, Slot};

use crate::expand::{Expander, Fixup, Reasons};
use crate::identify::{Block, Function, Functions, op};
use crate::layout::SLOT;
use crate::program::Program;
use crate::recipe::RecipeError;

/// What is given for a block beside its records.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BlockInput {
    /// Function of the block.
    pub function: u32,
    /// Number of the block in its function.
    pub block: u32,
    /// Patch rows that it brings along; offsets count from its translated buffer, type and section
    /// are kept as they are.
    pub rows: Vec<PatchRow>,
    /// Whether it asks to begin at a cache line.
    pub cache_align: bool,
}

/// A made slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Made {
    /// The record.
    pub slot: Slot,
    /// Source record that it was made for.
    pub ip: NeffIp,
    /// How sure it is.
    pub provenance: Provenance,
}

/// A piece of a translated buffer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Run {
    /// So many records of the stream from a stream slot, byte for byte.
    Source(u32, u32),
    /// So many slots of [`Translated::made`] from an index.
    Made(u32, u32),
}

/// The expanded form of one block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TranslatedBlock {
    /// Its runs, in [`Translated::runs`].
    pub runs: Range<u32>,
    /// Slots of its translated buffer.
    pub slots: u32,
    /// Its own patch rows in offset order, in [`Translated::rows`].
    pub rows: Range<u32>,
    /// Slots that are resolved later, in [`Translated::fixups`].
    pub fixups: Range<u32>,
    /// Id of the label that it begins with.
    pub label: Option<u64>,
    /// Whether it asks to begin at a cache line.
    pub cache_align: bool,
}

/// The expanded form of all functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translated {
    /// Blocks of each function, by id.
    pub functions: Vec<Vec<TranslatedBlock>>,
    /// Runs of all blocks.
    pub runs: Vec<Run>,
    /// Made slots of all blocks.
    pub made: Vec<Made>,
    /// Own rows of all blocks; offsets are bytes in the block's translated buffer.
    pub rows: Vec<PatchRow>,
    /// Slot in the block's translated buffer, and what has to be done about it.
    pub fixups: Vec<(u32, Fixup)>,
    /// Why some slots are no surer than they are.
    pub reasons: Reasons,
}

/// Why a stream cannot be set up.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SetUpError {
    /// The profile cannot be evaluated.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The slots do not fit what patch rows can tell; at this record of the stream.
    #[error("record {0} leaves the image that patch rows can tell")]
    TooLarge(u32),
}

/// Expands all blocks. `max_slots` bounds the slots of the whole; `align_labels` makes every block
/// ask for alignment whose label a branch of its function names.
pub fn set_up_functions<'a>(
    program: Program<'a>,
    functions: &Functions,
    expander: &mut Expander<'a>,
    inputs: &[BlockInput],
    align_labels: bool,
    max_slots: u32,
    findings: &mut Findings,
) -> Result<Translated, SetUpError> {
    let by_block = check_inputs(program, functions, inputs, findings);
    let mut set_up = SetUp {
        program,
        expander,
        out: Translated::default(),
        slots: 0,
        first_run: 0,
        max_slots,
        findings,
    };
    for function in &functions.list {
        let asked = if align_labels { branch_labels(program, function) } else { BTreeSet::new() };
        let mut blocks = Vec::with_capacity(function.blocks.len());
        for block in &function.blocks {
            let input = by_block.get(&(function.id, block.id)).copied();
            let mut translated = set_up.block(function, block, input)?;
            translated.cache_align |= translated.label.is_some_and(|label| asked.contains(&label));
            blocks.push(translated);
        }
        set_up.out.functions.push(blocks);
    }
    Ok(set_up.out)
}

/// The inputs by function and block; one for a block that does not exist is a finding.
fn check_inputs<'a>(
    program: Program<'_>,
    functions: &Functions,
    inputs: &'a [BlockInput],
    findings: &mut Findings,
) -> BTreeMap<(u32, u32), &'a BlockInput> {
    let mut by_block = BTreeMap::new();
    for input in inputs {
        let function = functions.list.get(input.function as usize);
        if function.is_some_and(|function| (input.block as usize) < function.blocks.len()) {
            by_block.entry((input.function, input.block)).or_insert(input);
            continue;
        }
        findings.push(
            Severity::Warning,
            "image.block-missing",
            program.whole_place(),
            format!(
                "rows are given for block {} of function {}, which the stream does not have",
                input.block, input.function
            ),
        );
    }
    by_block
}

/// Labels that a branch or a prefetch hint of a function names.
fn branch_labels(program: Program<'_>, function: &Function) -> BTreeSet<u64> {
    let window = function.records.start as usize..function.records.end as usize;
    let records = program.slots.get(window).unwrap_or(&[]).iter();
    let names_label = |slot: &&Slot| match slot.opcode_byte() {
        op::BRANCH => slot.u8_at(0x0E) == 3,
        opcode => opcode == op::BRANCH_PREFETCH,
    };
    records.filter(names_label).map(|slot| slot.u64_at(0x30)).collect()
}

struct SetUp<'a, 'b> {
    program: Program<'a>,
    expander: &'b mut Expander<'a>,
    out: Translated,
    /// Slots of all blocks so far.
    slots: u64,
    /// Runs before the current block: they are not joined with its own.
    first_run: usize,
    max_slots: u32,
    findings: &'b mut Findings,
}

impl SetUp<'_, '_> {
    fn block(
        &mut self,
        function: &Function,
        block: &Block,
        input: Option<&BlockInput>,
    ) -> Result<TranslatedBlock, SetUpError> {
        let section = if function.id == 0 { PatchSection::MAIN } else { PatchSection::FUNCTION };
        let start = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
        let (runs, rows) = (start(self.out.runs.len()), start(self.out.rows.len()));
        let fixups = start(self.out.fixups.len());
        let before = self.slots;
        self.first_run = self.out.runs.len();
        let mut label = None;
        let source = self.program.slots;
        let end = (block.records.end as usize).min(source.len());
        let mut at = block.records.start as usize;
        while let Some(rest) = source.get(at..end).filter(|rest| !rest.is_empty()) {
            let stream_slot = start(at);
            let plain = rest.iter().take_while(|slot| Expander::is_plain(slot)).count();
            self.keep(stream_slot, plain)?;
            at += plain;
            let Some(record) = rest.get(plain) else { break };
            let stream_slot = start(at);
            at += 1;
            if record.opcode_byte() == op::LABEL {
                label = Some(u64::from(record.u32_at(0x0C)));
                self.keep(stream_slot, 1)?;
                continue;
            }
            let ip = NeffIp(stream_slot.saturating_add(1));
            if let Some((slot, provenance)) = self.expander.repeat_trigger(record) {
                self.make(stream_slot, [Made { slot, ip, provenance }])?;
                continue;
            }
            let made = self.expander.expand(
                stream_slot,
                record,
                function,
                self.findings,
                &mut self.out.reasons,
            )?;
            let place = self.slots - before;
            let (count, kind) = match made.slots.len() {
                0 => (1, PatchType::DELETE),
                n => (n - 1, PatchType::INSERT),
            };
            let too_large = || SetUpError::TooLarge(stream_slot);
            if count > 0 {
                let offset = u32::try_from(place * SLOT).map_err(|_| too_large())?;
                let count = u32::try_from(count).map_err(|_| too_large())?;
                self.out.rows.push(PatchRow { offset, count, kind, section });
            }
            let provenance = made.provenance;
            let slots = made.slots.into_iter().map(|slot| Made { slot, ip, provenance });
            self.make(stream_slot, slots)?;
            if made.fixup != Fixup::None {
                let last = start((self.slots - before).saturating_sub(1) as usize);
                self.out.fixups.push((last, made.fixup));
            }
        }
        if let Some(input) = input {
            self.out.rows.extend(input.rows.iter().filter(|row| row.count > 0));
            if let Some(own) = self.out.rows.get_mut(rows as usize..) {
                // Stable: at one offset the rows of the expansion come first.
                own.sort_by_key(|row| row.offset);
            }
        }
        Ok(TranslatedBlock {
            runs: runs..start(self.out.runs.len()),
            slots: start((self.slots - before) as usize),
            rows: rows..start(self.out.rows.len()),
            fixups: fixups..start(self.out.fixups.len()),
            label,
            cache_align: input.is_some_and(|input| input.cache_align),
        })
    }

    /// Records of the stream that stay as they are.
    fn keep(&mut self, first: u32, count: usize) -> Result<(), SetUpError> {
        if count > 0 {
            let count = u32::try_from(count).map_err(|_| SetUpError::TooLarge(first))?;
            self.out.runs.push(Run::Source(first, count));
            self.count(first, u64::from(count))?;
        }
        Ok(())
    }

    /// Made slots.
    fn make(&mut self, at: u32, slots: impl IntoIterator<Item = Made>) -> Result<(), SetUpError> {
        let start = self.out.made.len();
        self.out.made.extend(slots);
        let n = self.out.made.len() - start;
        if n == 0 {
            return Ok(());
        }
        let fits = u32::try_from(start).ok().zip(u32::try_from(n).ok());
        let (start, n) = fits.ok_or(SetUpError::TooLarge(at))?;
        match self.out.runs.get_mut(self.first_run..).and_then(<[Run]>::last_mut) {
            // Made slots of one block in a row follow each other in the list too.
            Some(Run::Made(_, count)) => *count += n,
            _ => self.out.runs.push(Run::Made(start, n)),
        }
        self.count(at, u64::from(n))
    }

    fn count(&mut self, at: u32, slots: u64) -> Result<(), SetUpError> {
        self.slots += slots;
        if self.slots > u64::from(self.max_slots) {
            return Err(SetUpError::TooLarge(at));
        }
        Ok(())
    }
}
