//! The rows behind a record's header: what each is called, and what it is in a line.

use super::id::RecordId;
use crate::lowering::Kbin;

impl Kbin {
    /// Name of a row, as its fields begin: `mem[3]`, `desc[0]`, `instr[12]`.
    pub fn row_name(&self, id: RecordId, row: u64) -> String {
        let of = match id {
            RecordId::Engine(_) => "instr",
            RecordId::MemRefSet => "mem",
            RecordId::Ring(..) => "desc",
            RecordId::Dma(_) => "ring_instances",
            RecordId::List(_) => "list",
            RecordId::Subgroup(..) => "participants",
            RecordId::Carveouts => "carveouts",
            RecordId::Groups => "groups",
            RecordId::Group(_) => "subgroups",
            RecordId::PairTables => "pairs_set",
            RecordId::Pairs(_) => "pairs",
            RecordId::UcodeFunctions(_) => "functions",
            RecordId::ActBuckets(_) | RecordId::ActControls(_) => "entry",
            _ => "row",
        };
        format!("{of}[{row}]")
    }

    /// What a row is about, in a few words; nothing where its name says it.
    pub fn row_text(&self, id: RecordId, row: u64) -> String {
        let at = usize::try_from(row).unwrap_or(usize::MAX);
        let named = |at: Option<u32>| {
            let variable = at.and_then(|at| self.variables.get(at as usize));
            variable.map_or("?", |variable| variable.name.as_str())
        };
        let text = match id {
            RecordId::MemRefSet => self.variables.get(at).map(|variable| {
                format!("{} {}", variable.kind.name().unwrap_or("INVALID"), variable.name)
            }),
            RecordId::Ring(queue, ring) => {
                let ring = self.queues.get(queue).and_then(|queue| queue.rings.get(ring));
                ring.and_then(|ring| ring.descriptors.get(at)).map(|one| {
                    let sources: Vec<&str> =
                        one.from_variables.iter().map(|at| named(*at)).collect();
                    let op = one.op.name().unwrap_or("INVALID");
                    format!("{op} {} to {}", sources.join(", "), named(one.to_variable))
                })
            }
            RecordId::UcodeFunctions(lib) => {
                let lib = self.libs.get(lib);
                lib.and_then(|lib| lib.functions.get(at)).map(|function| function.name.clone())
            }
            _ => None,
        };
        text.unwrap_or_default()
    }
}
