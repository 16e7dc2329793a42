//! Where the values of a record come from, where that differs from program to program.

use records::Provenance;

use super::id::RecordId;
use crate::lowering::Kbin;
use crate::lowering::model::Arm;

impl Kbin {
    /// Of the header, by byte; all other fields have that of their layout.
    pub(crate) fn header_from(&self, id: RecordId) -> Vec<(u64, Provenance)> {
        match id {
            RecordId::Root => {
                let mut from = vec![(392, self.num_streams.1), (416, self.target_from)];
                from.extend([400, 404, 408, 412, 413, 414].map(|at| (at, self.fp8.1)));
                if self.act_sets.is_empty() {
                    from.push((320, Provenance::Inferred));
                }
                from
            }
            RecordId::Dma(at) => match self.queues.get(at) {
                Some(queue) => {
                    let owner = match queue.owner {
                        Some(_) => Provenance::File,
                        None => Provenance::Modelled,
                    };
                    vec![(0, queue.ring_type_from), (4, owner)]
                }
                None => Vec::new(),
            },
            RecordId::UcodeLib(at) => {
                let from = self.libs.get(at).map_or(Provenance::File, |lib| lib.from);
                [0, 8, 20, 21, 24, 32].map(|at| (at, from)).to_vec()
            }
            _ => Vec::new(),
        }
    }

    /// Of a row, by byte relative to the row.
    pub(crate) fn row_from(&self, id: RecordId, row: usize) -> Vec<(u64, Provenance)> {
        match id {
            RecordId::MemRefSet => match self.variables.get(row) {
                Some(variable) => {
                    let mut from = vec![(0, variable.kind_from), (32, variable.id_from)];
                    match variable.arm {
                        Arm::Virtual { backing_from, .. } => from.push((144, backing_from)),
                        Arm::Remote { found: false, .. } => {
                            from.extend([(136, Provenance::Modelled), (140, Provenance::Modelled)]);
                        }
                        _ => {}
                    }
                    from
                }
                None => Vec::new(),
            },
            RecordId::Ring(queue, ring) => {
                let ring = self.queues.get(queue).and_then(|queue| queue.rings.get(ring));
                let op = ring.and_then(|ring| ring.descriptors.get(row));
                op.map(|one| vec![(4, one.op_from)]).unwrap_or_default()
            }
            _ => Vec::new(),
        }
    }
}
