//! Placing the variables of one subgraph, and the pass that follows remote ones.

use std::collections::BTreeMap;

use super::variables::{Kind, Variable, Variables};
use crate::dmem::{AllocError, Allocator, Dmem, Driver, Request, Usage};
use crate::scratchpad::Scratchpad;
use crate::scratchpad::arena::find;
use records::Provenance;
use records::memory::NOT_STAGED;

/// Where a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the state buffer of its core.
    StateBuffer,
    /// In device memory of its own.
    Own,
    /// In device memory of its own, since no page takes it.
    Private,
    /// In a page of the scratchpad.
    Page {
        /// Index of the page.
        page: u64,
        /// Bytes from its start.
        in_page: u64,
    },
    /// Bound at each execution.
    AtExecute,
    /// A table in the host's memory.
    Table,
    /// The cell of a pointer.
    Cell,
    /// Where the variable of another subgraph is.
    Remote,
    /// Nowhere yet.
    NotStaged,
}

/// A placed variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    /// Id.
    pub id: u32,
    /// Where.
    pub place: Place,
    /// Device address; all ones where there is none.
    pub address: u64,
    /// What the memory of its own counts as.
    pub usage: Option<Usage>,
    /// The memory of its own.
    pub memory: Option<Dmem>,
    /// How sure the address is. One from our model of the driver is modelled.
    pub provenance: Provenance,
}

/// Why a variable has no place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlaceError {
    /// No memory.
    #[error("variable {id}: {error}")]
    Memory {
        /// Its id.
        id: u32,
        /// Why.
        error: AllocError,
    },
    /// The other subgraph is not in the model.
    #[error(
        "variable {id} refers to subgraph {subgraph} of {subgraphs} (assertion in mem_ref.c, line 0x12a)"
    )]
    RemoteSubgraph {
        /// Its id.
        id: u32,
        /// Relative number of the subgraph, or its name.
        subgraph: String,
        /// Subgraphs of the model.
        subgraphs: usize,
    },
    /// The other subgraph has no such variable.
    #[error("Failed to find remote variable {variable} in relative sg {subgraph}")]
    RemoteVariable {
        /// Name or id of the variable.
        variable: String,
        /// Relative number of the subgraph.
        subgraph: usize,
    },
}

/// What placing needs to know about the core.
pub struct Stage<'a, D> {
    /// Allocates.
    pub memory: &'a mut Allocator<D>,
    /// The scratchpad that holds the slices.
    pub scratchpad: &'a Scratchpad,
    /// Offset of the local slice in it.
    pub local: u64,
    /// Offset of the shared slice in it.
    pub shared: u64,
    /// Core.
    pub core: u32,
    /// HBM.
    pub channel: u32,
    /// First address of the core's window.
    pub core_base: u64,
}

impl<D: Driver> Stage<'_, D> {
    /// Places one variable.
    /// Spec: docs/format/memory.md "Placement of variables" [observed; addresses modelled].
    ///
    /// # Errors
    /// [`PlaceError::Memory`].
    pub fn place(&mut self, variable: &Variable) -> Result<Placed, PlaceError> {
        let id = variable.id;
        let plain = |place, address, provenance| {
            Ok(Placed { id, place, address, usage: None, memory: None, provenance })
        };
        match &variable.kind {
            Kind::StateBuffer => plain(Place::StateBuffer, self.core_base, Provenance::Observed),
            Kind::File | Kind::Temporary => self.own(variable, Place::Own),
            Kind::Virtual { offset, shared, .. } => {
                let base = if *shared { self.shared } else { self.local };
                match base.checked_add(*offset).and_then(|at| self.in_page(at, variable.size)) {
                    Some((place, address)) => plain(place, address, Provenance::Modelled),
                    None => self.own(variable, Place::Private),
                }
            }
            Kind::Input | Kind::Output => plain(Place::AtExecute, NOT_STAGED, Provenance::Observed),
            Kind::Pointer { .. } => plain(Place::Cell, NOT_STAGED, Provenance::Observed),
            Kind::List { .. } => plain(Place::Table, NOT_STAGED, Provenance::Observed),
            Kind::Remote { .. } => plain(Place::Remote, NOT_STAGED, Provenance::Observed),
            Kind::Unknown => plain(Place::NotStaged, NOT_STAGED, Provenance::Inferred),
        }
    }

    /// Whether placing a variable asks for memory of its own.
    pub fn takes_memory(&self, variable: &Variable) -> bool {
        match &variable.kind {
            Kind::File | Kind::Temporary => true,
            Kind::Virtual { offset, shared, .. } => {
                let base = if *shared { self.shared } else { self.local };
                let at = base.checked_add(*offset);
                at.and_then(|at| self.in_page(at, variable.size)).is_none()
            }
            _ => false,
        }
    }

    fn in_page(&self, offset: u64, size: u64) -> Option<(Place, u64)> {
        let scratchpad = self.scratchpad;
        let count = scratchpad.pages().len() as u64;
        let found = find(scratchpad.mode(), scratchpad.page_size(), count, offset, size)?;
        let address = scratchpad.address(offset, size)?;
        Some((Place::Page { page: found.page, in_page: found.in_page }, address))
    }

    fn own(&mut self, variable: &Variable, place: Place) -> Result<Placed, PlaceError> {
        let usage = Usage::of_staged(variable.mem_ref_type);
        let request = Request {
            bytes: variable.size,
            alignment: variable.alignment,
            channel: self.channel,
            core: self.core,
            usage,
        };
        let id = variable.id;
        let dmem = self.memory.allocate(request);
        let dmem = dmem.map_err(|error| PlaceError::Memory { id, error })?;
        let provenance = Provenance::Modelled;
        let (address, usage, memory) = (dmem.address(), Some(usage), Some(dmem));
        Ok(Placed { id, place, address, usage, memory, provenance })
    }
}

/// A subgraph whose variables were placed: its name, its variables, and where they are, by id.
pub struct PlacedSubgraph<'a> {
    /// Name.
    pub name: &'a str,
    /// Variables.
    pub variables: &'a Variables,
    /// Where each is.
    pub placed: Vec<Placed>,
}

/// Gives remote variables the place of the variable that they stand for. Files name subgraph and
/// variable; a number is taken as that relative to the model. One that is missing is an error, the
/// others are placed all the same.
/// Spec: docs/format/memory.md "Remote variables" [observed].
pub fn follow_remote(subgraphs: &mut [PlacedSubgraph<'_>]) -> Vec<PlaceError> {
    let mut errors = Vec::new();
    let mut found: Vec<(usize, usize, Placed)> = Vec::new();
    // Names of variables, made for a subgraph when one refers to it.
    let mut names: BTreeMap<usize, BTreeMap<&str, u32>> = BTreeMap::new();
    let count = subgraphs.len();
    for (own, one) in subgraphs.iter().enumerate() {
        for (at, placed) in one.placed.iter().enumerate() {
            let Some(variable) = one.variables.get(placed.id) else { continue };
            let Kind::Remote { subgraph, variable: wanted } = &variable.kind else { continue };
            let by_name = subgraphs.iter().position(|other| other.name == subgraph);
            let by_number = || subgraph.parse().ok().filter(|number| *number < count);
            let Some(number) = by_name.or_else(by_number) else {
                errors.push(PlaceError::RemoteSubgraph {
                    id: placed.id,
                    subgraph: subgraph.chars().take(64).collect(),
                    subgraphs: count,
                });
                continue;
            };
            let Some(other) = subgraphs.get(number) else { continue };
            let of_other = names.entry(number).or_insert_with(|| {
                let all = other.variables.as_slice().iter();
                all.map(|variable| (variable.name.as_str(), variable.id)).collect()
            });
            let id = of_other.get(wanted.as_str()).copied().or_else(|| wanted.parse().ok());
            let source = id.and_then(|id| {
                let at = other.placed.binary_search_by_key(&id, |placed| placed.id).ok()?;
                other.placed.get(at)
            });
            match source {
                Some(source) => found.push((
                    own,
                    at,
                    Placed {
                        id: placed.id,
                        place: Place::Remote,
                        usage: None,
                        memory: None,
                        ..source.clone()
                    },
                )),
                None => errors.push(PlaceError::RemoteVariable {
                    variable: wanted.chars().take(64).collect(),
                    subgraph: number,
                }),
            }
        }
    }
    for (own, at, placed) in found {
        if let Some(to) = subgraphs.get_mut(own).and_then(|one| one.placed.get_mut(at)) {
            *to = placed;
        }
    }
    errors
}
