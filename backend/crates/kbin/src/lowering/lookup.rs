//! Questions to a tree: which variable, which queue, where in the file.

use std::borrow::Cow;

use neff::Place;
use records::Engine;
use records::kbin::names::BackingBuf;

use super::model::{Arm, Code, Kbin, Queue, Variable};
use super::numbers::Origin;

impl Kbin {
    /// The code block of an engine.
    pub fn code_of(&self, engine: Engine) -> Option<&Code> {
        self.code.iter().find(|code| code.engine == engine)
    }

    /// The variable of an id, with its place in the list.
    pub fn variable(&self, id: u32) -> Option<(usize, &Variable)> {
        let at = self.variables.partition_point(|variable| variable.id < id);
        self.variables.get(at).filter(|variable| variable.id == id).map(|found| (at, found))
    }

    /// What a variable is asked for by: its name, or its row where an earlier one has that name.
    pub fn variable_key(&self, at: usize) -> Option<Cow<'_, str>> {
        let name = &self.variables.get(at)?.name;
        Some(match self.repeated.contains(&at) {
            true => Cow::Owned(format!("mem[{at}]")),
            false => Cow::Borrowed(name),
        })
    }

    /// The place of the variable that a key names.
    pub fn variable_of_key(&self, key: &str) -> Option<usize> {
        let by_name = self.variables.iter().position(|variable| variable.name == key);
        by_name.or_else(|| {
            let row = key.strip_prefix("mem[")?.strip_suffix(']')?.parse().ok()?;
            (row < self.variables.len()).then_some(row)
        })
    }

    /// The queue of a name, with its place in the list.
    pub fn queue(&self, name: &str) -> Option<(usize, &Queue)> {
        let at = self.queues.partition_point(|queue| queue.name.as_str() < name);
        self.queues.get(at).filter(|queue| queue.name == name).map(|found| (at, found))
    }

    /// A place in the definition.
    pub fn place(&self, at: u64) -> Place {
        Place {
            subgraph: Some(self.subgraph.clone()),
            ..Place::member_at(self.definition.clone(), at)
        }
    }

    /// The place of a descriptor or block in the document that holds it.
    pub fn place_in(&self, engine: Option<Engine>, at: u64) -> Place {
        let member = match engine.and_then(|engine| self.documents.get(engine.index())) {
            Some(member) => member.clone(),
            None => self.definition.clone(),
        };
        Place {
            subgraph: Some(self.subgraph.clone()),
            engine: engine.map(Engine::name),
            ..Place::member_at(member, at)
        }
    }

    /// Local and shared scratchpad: the largest end of their virtual variables. Ends beyond 2^64,
    /// which are findings, do not count, and are said.
    pub fn scratchpad_bytes(&self) -> [(u64, Origin); 2] {
        [BackingBuf::LOCAL, BackingBuf::SHARED].map(|wanted| {
            let ends = self.variables.iter().filter_map(|variable| match variable.arm {
                Arm::Virtual { offset, backing, .. } if backing == wanted => {
                    Some(offset.checked_add(variable.size))
                }
                _ => None,
            });
            ends.fold((0, Origin::File), |(most, origin), end| match end {
                Some(end) => (most.max(end), origin),
                None => (most, Origin::Unfit),
            })
        })
    }
}

impl Queue {
    /// Descriptors of all instances.
    pub fn n_descriptors(&self) -> u64 {
        self.rings.iter().map(|ring| ring.descriptors.len() as u64).sum()
    }
}
