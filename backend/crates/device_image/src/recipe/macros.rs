//! The records of the macros of the record language.
//! Spec: docs/format/profiles.md "Records" [observed].

use records::Slot;
use records::build::{self, Draft, Wait};

use super::{BARRIER_SEMAPHORE, QueueScope, Recipe, Touched};
use crate::expr::ExprError;
use crate::inputs::{QueueRings, RINGS};
use crate::queue_records::{reset_record, ring_records, write_side};
use crate::record_text::Macro;

/// What a notification's phase is added to.
/// Spec: docs/format/profiles.md "Records" [observed].
const NOTIFY_BASE: u32 = 0x0100_0000;

/// Queue number of the table rings.
/// Spec: docs/format/profiles.md "Queue records" [observed].
const TABLE_QUEUE_OFFSET: u64 = 0xF000;

impl Recipe<'_> {
    pub(super) fn plain(
        &self,
        which: Macro,
        values: &[u64],
        scope: Option<QueueScope<'_>>,
        touched: &Touched,
    ) -> Result<Vec<Slot>, ExprError> {
        let arg = |at: usize| values.get(at).copied().unwrap_or(0);
        let wide = |at: usize, bytes| ExprError::TooWide { value: arg(at), bytes };
        let small = |at: usize| u8::try_from(arg(at)).map_err(|_| wide(at, 1));
        let word = |at: usize| u32::try_from(arg(at)).map_err(|_| wide(at, 4));
        Ok(match which {
            Macro::Notify => {
                // The phase is added to a constant; the sum has 32 bits.
                let phase = word(0)?;
                let value = phase.checked_add(NOTIFY_BASE).ok_or(ExprError::Range {
                    what: "phase",
                    value: u64::from(phase),
                    expected: "0 to 0xfeffffff",
                })?;
                vec![build::notify(value.wrapping_sub(NOTIFY_BASE))]
            }
            Macro::Order => vec![build::ordering(1)],
            Macro::Write => vec![build::write(arg(0), arg(1))],
            Macro::WriteTwo => vec![build::write_two((arg(0), arg(1)), (arg(2), arg(3)))],
            Macro::Drain => vec![build::drain(small(0)?)],
            Macro::Halt => vec![build::halt()],
            Macro::EventWait => vec![build::event_wait(small(0)?)],
            Macro::EventSet => vec![build::event_set(small(0)?)],
            Macro::Load => vec![build::load(arg(0), word(1)?)],
            Macro::Store => vec![build::store(arg(0), word(1)?)],
            Macro::Jump => vec![build::branch_register(1, 2)],
            Macro::ClearRange => {
                ascending(arg(0), arg(1))?;
                vec![build::semaphore_clear_range(small(0)?, small(1)?)]
            }
            Macro::ResetEach => {
                ascending(arg(0), arg(1))?;
                (small(0)?..=small(1)?).map(build::semaphore_reset).collect()
            }
            Macro::Gate => vec![build::semaphore_wait_then(small(0)?, Wait::Gt, 0, 0x14, 1)],
            Macro::Arrive => {
                vec![build::semaphore_wait_then(small(0)?, Wait::Ge, word(1)?, 0x14, 1)]
            }
            Macro::Barrier => {
                let mut slots = vec![build::drain(small(0)?)];
                slots.extend(build::barrier_ladder(self.program.engine, BARRIER_SEMAPHORE));
                slots.push(build::drain(0));
                slots
            }
            Macro::Nop => vec![build::nop()],
            Macro::Op => vec![Draft::new(small(0)?).slot()],
            Macro::QueueReset => vec![self.reset(scope, touched)?],
            Macro::QueueRing => self.ring(scope, touched)?,
            Macro::QueuePost => vec![self.post(scope, touched)?],
            Macro::TableRing => self.table_ring(arg(0), arg(1), arg(2), touched)?,
        })
    }

    /// Resets both sides of a queue on all its DMA engines.
    fn reset(&self, scope: Option<QueueScope<'_>>, touched: &Touched) -> Result<Slot, ExprError> {
        let broadcast = self.named("B", touched)?;
        reset_record(broadcast, queue_offset(scope)?, 0x100)
    }

    /// Reset, then ring bases of both sides and the ring length, four DMA engines at a time.
    fn ring(
        &self,
        scope: Option<QueueScope<'_>>,
        touched: &Touched,
    ) -> Result<Vec<Slot>, ExprError> {
        let first = self.named("D", touched)?;
        let stride = self.named("STRIDE", touched)?;
        let offset = queue_offset(scope)?;
        let empty = QueueRings { read: [0; RINGS], write: [0; RINGS] };
        let name = scope.map_or("", |scope| scope.queue.name.as_str());
        let rings = self.inputs.rings.get(name).unwrap_or(&empty);
        touched.set(touched.get().max(Some(self.inputs.provenance_of(name))));
        let mut slots = vec![self.reset(scope, touched)?];
        let groups = rings.read.chunks(4).zip(rings.write.chunks(4));
        for (group, (read, write)) in (0_u64..).zip(groups) {
            let at = stride.checked_mul(4 * group).and_then(|at| at.checked_add(first));
            let at = at.and_then(|at| at.checked_add(offset)).ok_or(ExprError::Overflow)?;
            slots.extend(ring_records(at, stride, read, write)?);
        }
        Ok(slots)
    }

    /// Posts all descriptors of the write side at once.
    fn post(&self, scope: Option<QueueScope<'_>>, touched: &Touched) -> Result<Slot, ExprError> {
        let broadcast = self.named("B", touched)?;
        let blocks = scope.map_or(&[][..], |scope| &scope.queue.blocks);
        let total: u64 = blocks.iter().map(|block| u64::from(block.counts.write)).sum();
        let tail = write_side(queue_offset(scope)?, 0x38);
        Ok(build::write(broadcast.checked_add(tail).ok_or(ExprError::Overflow)?, total))
    }

    /// Sets up queue 14 of one DMA engine for the tables of an engine.
    fn table_ring(
        &self,
        dma_engine: u64,
        read: u64,
        write: u64,
        touched: &Touched,
    ) -> Result<Vec<Slot>, ExprError> {
        if dma_engine >= RINGS as u64 {
            let (what, expected) = ("DMA engine", "0 to 15");
            return Err(ExprError::Range { what, value: dma_engine, expected });
        }
        let broadcast = self.named("B", touched)?;
        let first = self.named("D", touched)?;
        let stride = self.named("STRIDE", touched)?;
        let only_this = ((0xFFFF ^ (1 << dma_engine)) << 16) + 0x100;
        let mut slots = vec![reset_record(broadcast, TABLE_QUEUE_OFFSET, only_this)?];
        let at = stride.checked_mul(dma_engine).and_then(|at| at.checked_add(first));
        let at = at.and_then(|at| at.checked_add(TABLE_QUEUE_OFFSET)).ok_or(ExprError::Overflow)?;
        slots.extend(ring_records(at, stride, &[read], &[write])?);
        Ok(slots)
    }
}

/// The first of a range of semaphores is not above the last: such a range would be empty.
fn ascending(first: u64, last: u64) -> Result<(), ExprError> {
    if first <= last {
        return Ok(());
    }
    let expected = "one that is not above the last";
    Err(ExprError::Range { what: "first semaphore", value: first, expected })
}

fn queue_offset(scope: Option<QueueScope<'_>>) -> Result<u64, ExprError> {
    let scope = scope.ok_or_else(|| ExprError::UnknownName(String::from("Q")))?;
    Ok(0x1000 * (u64::from(scope.number) + 1))
}
