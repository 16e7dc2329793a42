//! From which record to which a variable is used, by engine: what tells whether two variables that
//! share bytes take turns.

use crate::answer::VariableSpan;
use crate::neff_file::NeffFile;
use crate::program::trigger;
use kbin::Kbin;
use kbin::users::variables;
use records::{Engine, Slot};
use std::collections::{BTreeMap, BTreeSet};

/// First and last NEFF IP that uses a variable, and how many do, by engine.
type Spans = BTreeMap<Engine, (u32, u32, u64)>;

/// Uses of some variables of one subgraph.
#[derive(Clone, Debug, Default)]
pub struct Lifetimes {
    spans: BTreeMap<u32, Spans>,
}

/// Variables that the descriptors of a block touch, by the document that holds it, the name of the
/// queue or ring, and the block's id.
type Blocks<'a> = BTreeMap<(Option<Engine>, &'a str, u32), BTreeSet<u32>>;

impl Lifetimes {
    /// Uses of the variables with these ids: records that name one, or trigger a block of
    /// descriptors that touches one.
    pub fn of(file: &NeffFile, index: usize, wanted: &BTreeSet<u32>) -> Self {
        let mut made = Self::default();
        if wanted.is_empty() {
            return made;
        }
        let Some(tree) = file.kbin(index) else { return made };
        let blocks = blocks(&tree, wanted);
        let program = file.program(index);
        program.with_names(|names| {
            for (engine, stream) in Engine::ALL.into_iter().zip(file.streams(index)) {
                for (slot, ip) in stream.iter().zip(1_u32..) {
                    for id in used(slot, engine, &blocks, names.table) {
                        if wanted.contains(&id) {
                            made.add(id, engine, ip);
                        }
                    }
                }
            }
        });
        made
    }

    fn add(&mut self, id: u32, engine: Engine, ip: u32) {
        let span = self.spans.entry(id).or_default().entry(engine).or_insert((ip, ip, 0));
        span.1 = ip;
        span.2 += 1;
    }

    /// The uses of a variable, by engine; empty where no record is known to use it.
    pub fn spans(&self, id: u32) -> Vec<VariableSpan> {
        let spans = self.spans.get(&id).into_iter().flatten();
        let span = |(engine, (first, last, uses)): (&Engine, &(u32, u32, u64))| VariableSpan {
            engine: engine.name().to_owned(),
            first_ip: *first,
            last_ip: *last,
            uses: *uses,
        };
        spans.map(span).collect()
    }
}

/// Whether two variables take turns: `apart` if one engine has all uses of both and those of one
/// end before those of the other begin, `together` if their uses are mixed on some engine,
/// `unknown` where uses are on several engines, whose order the program order does not tell.
pub fn order(a: &[VariableSpan], b: &[VariableSpan]) -> &'static str {
    let mixed = a.iter().any(|one| {
        b.iter().any(|other| {
            one.engine == other.engine
                && one.first_ip <= other.last_ip
                && other.first_ip <= one.last_ip
        })
    });
    match (a, b) {
        _ if mixed => "together",
        ([one], [other]) if one.engine == other.engine => "apart",
        _ => "unknown",
    }
}

fn blocks<'a>(tree: &'a Kbin, wanted: &BTreeSet<u32>) -> Blocks<'a> {
    let mut blocks = Blocks::new();
    let id = |at: u32| {
        let variable = tree.variables.get(at as usize)?;
        wanted.contains(&variable.id).then_some(variable.id)
    };
    for queue in &tree.queues {
        for (number, ring) in queue.rings.iter().enumerate() {
            for descriptor in &ring.descriptors {
                let sides = descriptor.from_variables.iter().chain([&descriptor.to_variable]);
                let ids: Vec<u32> = sides.filter_map(|at| at.and_then(id)).collect();
                let Some(block) = ring.blocks.get(descriptor.block as usize) else { continue };
                if ids.is_empty() {
                    continue;
                }
                let own = (number == 0).then_some(queue.name.as_str());
                for name in own.into_iter().chain([ring.name.as_str()]) {
                    blocks.entry((block.engine, name, block.id)).or_default().extend(&ids);
                }
            }
        }
    }
    blocks
}

fn used(slot: &Slot, engine: Engine, blocks: &Blocks<'_>, table: &[u32]) -> Vec<u32> {
    match trigger(slot) {
        Some((queue, block)) => [Some(engine), None]
            .into_iter()
            .filter_map(|holder| blocks.get(&(holder, queue.as_str(), block)))
            .flatten()
            .copied()
            .collect(),
        None => variables(slot, table).into_iter().map(|(id, _)| id).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(engine: &str, first_ip: u32, last_ip: u32) -> VariableSpan {
        VariableSpan { engine: engine.to_owned(), first_ip, last_ip, uses: 1 }
    }

    #[test]
    fn turns_are_told_within_one_engine_only() {
        let early = [span("PE", 1, 4)];
        assert_eq!(order(&early, &[span("PE", 5, 9)]), "apart");
        assert_eq!(order(&early, &[span("PE", 4, 9)]), "together");
        assert_eq!(order(&early, &[span("SP", 5, 9)]), "unknown");
        assert_eq!(order(&early, &[span("PE", 5, 9), span("SP", 1, 1)]), "unknown");
        assert_eq!(order(&early, &[]), "unknown");
    }
}
