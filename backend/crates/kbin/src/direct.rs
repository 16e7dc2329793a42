//! Direct transfers of a stream as access patterns, in the form that descriptors have.

use records::kbin::names::{DescOp, Dtype};
use records::payload::transfer::{Direct2d, Direct2dSide};
use records::{Opcode, Provenance, Slot};

use crate::lowering::Kbin;
use crate::lowering::model::Side;
use crate::need::{Need, of_patterns};
use crate::patterns::Transfer;
use crate::users::side_variable;

/// A direct transfer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Direct {
    /// Source variable, by place in the tree's list.
    pub from_variable: Option<u32>,
    /// Source.
    pub from: Side,
    /// Target variable, likewise.
    pub to_variable: Option<u32>,
    /// Target.
    pub to: Side,
    /// Whether the element types differ.
    pub is_cast: bool,
}

impl Direct {
    /// The transfer of a record; `None` for other records. `table` is the list of the table variable.
    /// Spec: docs/format/streams.md "Transfer payloads" [observed].
    pub fn of(slot: &Slot, tree: &Kbin, table: &[u32]) -> Option<Self> {
        if Opcode(slot.opcode_byte()) != Opcode::PSEUDO_DMA_DIRECT2D {
            return None;
        }
        let record = Direct2d::of(slot);
        let (source, target) = (record.source(), record.target());
        let variable = |side: &Direct2dSide| {
            let (at, _) = tree.variable(side_variable(side, table)?)?;
            u32::try_from(at).ok()
        };
        Some(Self {
            from_variable: variable(&source),
            from: pattern(&source, record.src_steps[1].get(), record.src_counts[1].get()),
            to_variable: variable(&target),
            to: pattern(&target, record.dst_steps[1].get(), record.dst_counts[1].get()),
            is_cast: source.dtype != target.dtype,
        })
    }

    /// The same for checks. `from` holds the source.
    pub fn transfer<'a>(&'a self, who: &'a str, from: &'a [Option<u32>; 1]) -> Transfer<'a> {
        Transfer {
            who,
            from_variables: from,
            from: &self.from,
            to_variable: self.to_variable,
            to: &self.to,
            op: DescOp::COPY,
            is_cast: self.is_cast,
        }
    }

    /// Descriptors of each of a queue's hardware queues that it needs, with the one of its semaphore.
    pub fn need(&self, queues: u64) -> Need {
        let (from, to) =
            ((&*self.from.sizes, &*self.from.steps), (&*self.to.sizes, &*self.to.steps));
        // The count was seen for blocks only.
        let made = Need::SEMAPHORE.and(of_patterns(from, to, self.is_cast, queues));
        Need { provenance: Provenance::Modelled, ..made }
    }
}

/// Rows of bytes; elements that are apart are a dimension of their own.
fn pattern(side: &Direct2dSide, step: i32, count: u16) -> Side {
    let (row, rows) = (u64::from(side.row_bytes), u64::from(side.rows));
    let one = row.checked_div(u64::from(count)).filter(|one| one * u64::from(count) == row);
    let apart = one.filter(|one| count > 1 && step != 1 && i64::from(step) != *one as i64);
    let (mut sizes, mut steps) = match apart {
        Some(one) => (vec![one, u64::from(count)], vec![1, i64::from(step)]),
        None => (vec![row], vec![1]),
    };
    sizes.push(rows);
    steps.push(i64::from(side.row_step));
    let known = (1..=15).map(Dtype).find(|one| one.dma_code() == Some(side.dtype.0.into()));
    Side { offset: u64::from(side.offset), sizes, steps, dtype: known.unwrap_or(Dtype::INVALID) }
}
