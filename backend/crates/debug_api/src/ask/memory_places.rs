//! What a plan has at an address of device memory, and what it puts elsewhere than other views.

use super::memory_model::OwnedModel;
use super::memory_set_up::{SET_UP_BYTES, SetUp};
use super::scratchpad::warning;
use crate::answer::{AddressMemory, AddressVariable, Finding, Provenance};
use crate::convert::{hex, provenance};
use device_image::Generation;
use device_image::dmem::HbmShape;
use device_image::dmem::driver::{FIRMWARE_BYTES, SMALL_POOL_BYTES};
use device_image::memory::Place;
use device_image::memory::load::Load;
use device_image::memory::taken::{Moved, Owner, Taken, taken_at};
use records::memory::NOT_STAGED;

/// Images of which it is told that they are elsewhere.
const TOLD: usize = 4;

/// Findings about what lies elsewhere than views of code show it, and about a search for room that
/// was cut short.
pub fn findings(models: &[OwnedModel], load: &Load) -> Vec<Finding> {
    let mut found = Vec::new();
    // Where not all fits, everything is put where there is room: nothing is told of single images.
    let moved = load.moved.iter().filter(|_| load.fits()).take(TOLD);
    for one in moved {
        let Moved { model, subgraph, part, .. } = *one;
        let owner = Owner::Part { model, subgraph, part };
        let now = load.taken.iter().find(|taken| taken.owner == owner);
        let Some(model) = models.get(model) else { continue };
        let Some(part) = model.other.get(subgraph).and_then(|all| all.get(part)) else { continue };
        let name = model.names.get(subgraph).map_or("", String::as_str);
        let (name, file) = (short(name), short(&model.name));
        let now = now.map_or("nowhere".to_owned(), |taken| format!("at {}", hex(taken.start)));
        let message = format!(
            "{file}: {} of {name} is shown at {}, where this plan has no room for it; it has it {now}",
            part.kind.words(),
            hex(one.place)
        );
        found.push(warning("memory.moved", message));
    }
    let more = load.n_moved.saturating_sub(found.len() as u64);
    if more > 0 && !found.is_empty() {
        let message = format!("{more} more images are elsewhere than they are shown");
        found.push(warning("memory.moved", message));
    }
    if load.searches_cut > 0 {
        let message = format!(
            "{} requests were not tried in all free ranges, of which there are too many: the driver \
             looks at all, so addresses may differ, and what does not fit here may fit there",
            load.searches_cut
        );
        found.push(warning("memory.search", message));
    }
    found
}

fn short(text: &str) -> String {
    text.chars().take(64).collect()
}

/// A plan that an address is looked up in.
pub struct Planned<'a> {
    /// What is loaded.
    pub models: &'a [OwnedModel],
    /// Where everything is.
    pub load: &'a Load,
    /// Generation of the chip.
    pub generation: Generation,
}

impl Planned<'_> {
    /// The variable at an address: the smallest one that has it, or the tensor that is bound there.
    pub fn variable(&self, address: u64) -> Option<AddressVariable> {
        let mut found: Option<(u64, AddressVariable)> = None;
        let models = self.models.iter().zip(&self.load.placed);
        for (model, subgraphs) in models {
            let lists = model.names.iter().zip(&model.variables).zip(subgraphs);
            for ((subgraph, variables), placed) in lists {
                for one in placed {
                    if one.address == NOT_STAGED || one.place == Place::StateBuffer {
                        continue;
                    }
                    let (Some(variable), Some(offset)) =
                        (variables.get(one.id), address.checked_sub(one.address))
                    else {
                        continue;
                    };
                    let smaller = found.as_ref().is_none_or(|(size, _)| variable.size < *size);
                    if offset < variable.size && smaller {
                        let there = AddressVariable {
                            file: model.file,
                            subgraph: subgraph.clone(),
                            id: one.id,
                            name: variable.name.clone(),
                            offset,
                            provenance: Provenance::Modelled,
                        };
                        found = Some((variable.size, there));
                    }
                }
            }
        }
        found.map(|(_, variable)| variable).or_else(|| self.tensor(address))
    }

    fn tensor(&self, address: u64) -> Option<AddressVariable> {
        let (taken, true) = taken_at(&self.load.taken, address)? else { return None };
        let Owner::Tensor { model, subgraph, io } = taken.owner else { return None };
        let model = self.models.get(model)?;
        let (id, _) = *model.io.get(subgraph)?.get(io)?;
        Some(AddressVariable {
            file: model.file,
            subgraph: model.names.get(subgraph)?.clone(),
            id,
            name: model.variables.get(subgraph)?.get(id)?.name.clone(),
            offset: address - taken.start,
            provenance: Provenance::Modelled,
        })
    }

    /// Rings and pages that code points to, at an address: first those of a subgraph of a file.
    pub fn set_up(&self, address: u64, own: (usize, &str)) -> Vec<AddressMemory> {
        let all = self.models.iter().flat_map(|model| {
            let named = model.names.iter().zip(&model.set_up);
            named.flat_map(move |(name, list)| list.iter().map(move |one| (model.file, name, one)))
        });
        let holds = |one: &SetUp| {
            address.checked_sub(one.start).is_some_and(|offset| offset < SET_UP_BYTES)
        };
        let mut found: Vec<_> = all.filter(|(_, _, one)| holds(one)).collect();
        found.sort_by_key(|(file, name, _)| (*file, name.as_str()) != own);
        let found = found.into_iter().take(TOLD).map(|(file, name, one)| AddressMemory {
            file: Some(file),
            subgraph: Some(name.clone()),
            core: Some(one.core),
            name: one.queue.clone(),
            ..of(
                one.kind,
                one.what.clone(),
                (one.start, SET_UP_BYTES),
                address,
                provenance(one.sure),
            )
        });
        found.collect()
    }

    /// What the plan has at an address of device memory; `None` for other addresses, and where there is
    /// only what code points to.
    pub fn memory(
        &self,
        address: u64,
        variable: Option<&AddressVariable>,
    ) -> Option<AddressMemory> {
        let shape = HbmShape::of(self.generation);
        let holds = |base: &&u64| address.checked_sub(**base).is_some_and(|at| at < shape.bytes);
        let base = *shape.bases.iter().find(holds)?;
        let first = base + FIRMWARE_BYTES;
        if address < first {
            let what = "memory that the firmware keeps";
            let provenance = Provenance::Observed;
            return Some(of("firmware", what.into(), (base, FIRMWARE_BYTES), address, provenance));
        }
        if let Some((taken, inside)) = taken_at(&self.load.taken, address) {
            let made = self.of_taken(taken, address, variable.is_some())?;
            if inside {
                return Some(made);
            }
            let end = taken.start.saturating_add(taken.bytes);
            let (start, bytes) = (hex(end), taken.block_end.saturating_sub(end));
            let what = format!("rest of the driver's last block of the {}", made.what);
            let (kind, offset) = ("rest".to_owned(), address.saturating_sub(end));
            return Some(AddressMemory { kind, what, start, bytes, offset, ..made });
        }
        let starts = self.models.iter().flat_map(|model| model.set_up.iter().flatten());
        let starts: Vec<u64> = starts.map(|one| one.start).collect();
        let set_up = |start: &u64| address.checked_sub(*start).is_some_and(|at| at < SET_UP_BYTES);
        if starts.iter().any(set_up) {
            return None;
        }
        let taken = &self.load.taken;
        let behind = taken.partition_point(|one| one.start <= address);
        let before = behind.checked_sub(1).and_then(|at| taken.get(at));
        let pool = base + shape.bytes - SMALL_POOL_BYTES;
        let (low, high, name) = if address < pool {
            (first, pool, "main pool")
        } else {
            (pool, base + shape.bytes, "small pool")
        };
        let low = before.map_or(low, |one| one.block_end.max(low));
        let high = taken.get(behind).map_or(high, |one| one.start.min(high));
        let what = format!("free memory of the {name} in this plan");
        // What code points to is not free, whether the plan put it there or not.
        let ends = starts.iter().map(|start| start.saturating_add(SET_UP_BYTES));
        let low = ends.filter(|end| *end <= address).max().map_or(low, |end| end.max(low));
        let next = starts.iter().copied().filter(|start| *start > address).min();
        let high = next.map_or(high, |start| start.min(high));
        let bytes = high.saturating_sub(low);
        Some(of("free", what, (low, bytes), address, Provenance::Modelled))
    }

    fn of_taken(&self, taken: &Taken, address: u64, named: bool) -> Option<AddressMemory> {
        let of = |kind: &str, what: String| {
            of(kind, what, (taken.start, taken.bytes), address, Provenance::Modelled)
        };
        let (model, subgraph) = match taken.owner {
            Owner::Kept { .. } => return None,
            Owner::Page { core, page } => {
                let what = format!("page {page} of the scratchpad of core {core}");
                let made = if named {
                    of("page", what)
                } else {
                    of("slack", format!("{what}, at a byte that no variable has"))
                };
                return Some(AddressMemory { core: Some(core), ..made });
            }
            Owner::Variable { model, subgraph, .. }
            | Owner::Part { model, subgraph, .. }
            | Owner::Tensor { model, subgraph, .. } => (self.models.get(model)?, subgraph),
        };
        let variable = |id: u32| Some(model.variables.get(subgraph)?.get(id)?.name.clone());
        let (made, name, engine) = match taken.owner {
            Owner::Part { part, .. } => {
                let part = model.other.get(subgraph)?.get(part)?;
                (of(part.kind.word(), part.kind.words()), None, Some(part.kind.engine()))
            }
            Owner::Variable { id, .. } => {
                let what = "memory of its own of variable".to_owned();
                (of("variable", what), variable(id), None)
            }
            Owner::Tensor { io, .. } => {
                let what = "tensor".to_owned();
                let (id, _) = *model.io.get(subgraph)?.get(io)?;
                (of("tensor", what), variable(id), None)
            }
            Owner::Page { .. } | Owner::Kept { .. } => return None,
        };
        Some(AddressMemory {
            file: Some(model.file),
            subgraph: model.names.get(subgraph).cloned(),
            core: model.on_cores.get(subgraph).copied(),
            engine: engine.map(|one| one.name().to_owned()),
            name,
            ..made
        })
    }
}

/// A range with what is there.
pub fn of(
    kind: &str,
    what: String,
    (start, bytes): (u64, u64),
    address: u64,
    provenance: Provenance,
) -> AddressMemory {
    AddressMemory {
        kind: kind.to_owned(),
        what,
        file: None,
        subgraph: None,
        core: None,
        engine: None,
        name: None,
        start: hex(start),
        bytes,
        offset: address.saturating_sub(start),
        provenance,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_search_that_was_cut_short_is_told() {
        let load = Load { searches_cut: 3, ..Load::default() };
        let found = findings(&[], &load);
        assert_eq!(
            found.iter().map(|one| one.code.as_ref()).collect::<Vec<&str>>(),
            ["memory.search"]
        );
        assert!(found.iter().all(|one| one.message.starts_with("3 requests were not tried")));
        assert!(findings(&[], &Load::default()).is_empty());
    }
}
