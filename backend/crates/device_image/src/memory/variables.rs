//! Variables as memory planning needs them, from the tables of an opened file.

use super::total::Total;
use neff::doc::{VarKind, Variable as FileVariable};
use neff::{Findings, Place, Severity, Subgraph};
use records::Provenance;

/// What decides where a variable goes.
/// Spec: docs/format/memory.md "Placement of variables" [observed].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The on-chip buffer.
    StateBuffer,
    /// Filled from the file.
    File,
    /// Memory of its own, written before it is read.
    Temporary,
    /// Given by the user.
    Input,
    /// Given by the user.
    Output,
    /// A cell that holds the address of another variable.
    Pointer {
        /// Id of that variable.
        to: Option<u32>,
    },
    /// A range of the scratchpad.
    Virtual {
        /// Byte offset in its slice.
        offset: u64,
        /// Whether the slice is the one that the cores share.
        shared: bool,
        /// How sure the slice is.
        slice_from: Provenance,
    },
    /// A list of variables, or a table of their addresses.
    List {
        /// Their ids.
        ids: Vec<u32>,
    },
    /// A variable of another subgraph.
    Remote {
        /// Name of the subgraph.
        subgraph: String,
        /// Name of the variable.
        variable: String,
    },
    /// A kind that nobody knows.
    Unknown,
}

/// Bytes of the state buffer, the size that such a variable gets.
/// Spec: docs/format/memory.md "Placement of variables" [observed].
pub const STATE_BUFFER_BYTES: u64 = 0x200_0000;

/// One variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Variable {
    /// Id in the model.
    pub id: u32,
    /// Name; untrusted.
    pub name: String,
    /// Bytes.
    pub size: u64,
    /// Alignment in bytes, 0 for none.
    pub alignment: u64,
    /// Type number, 0 for an unknown kind.
    pub mem_ref_type: u32,
    /// What it is.
    pub kind: Kind,
    /// What its need hangs on and could not be read.
    pub unread: Option<Unread>,
}

/// What could not be read of a variable. In plans 0 stands for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unread {
    /// The type: nobody knows what it needs.
    Kind,
    /// The size, since none is written.
    NoSize,
    /// The size that is written.
    Size,
    /// The offset in the scratchpad that is written.
    Offset,
    /// The alignment that is written.
    Alignment,
}

impl Unread {
    /// In words, behind the variable's name.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Kind => "has a type that is not known",
            Self::NoSize => "has no size",
            Self::Size => "has a size that is no number from 0 to 2^64 - 1",
            Self::Offset => "has an offset in the scratchpad that is no number from 0 to 2^64 - 1",
            Self::Alignment => "has an alignment that is no power of two below 2^64",
        }
    }
}

impl Variable {
    /// Whether it is placed when its model is loaded: types 1, 3, 4 and 8.
    /// Spec: docs/format/memory.md "Placement of variables" [observed].
    pub const fn is_staged(&self) -> bool {
        is_staged(self.mem_ref_type)
    }
}

/// Whether variables of a type number are placed when their model is loaded.
/// Spec: docs/format/memory.md "Placement of variables" [observed].
pub const fn is_staged(mem_ref_type: u32) -> bool {
    mem_ref_type <= 8 && 0xFFFF_FFFF_FFFF_FEE5_u64 >> mem_ref_type & 1 == 0
}

/// The variables of a subgraph, ascending by id.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Variables {
    list: Vec<Variable>,
    left_out: u64,
}

impl Variables {
    /// From a list in any order; of equal ids the first counts.
    pub fn new(mut list: Vec<Variable>) -> Self {
        list.sort_by_key(|variable| variable.id);
        list.dedup_by_key(|variable| variable.id);
        Self { list, left_out: 0 }
    }

    /// The variables of an opened subgraph. What is odd about them is a finding; a variable without
    /// an id gets the next one after the highest, since the oldest files have none.
    pub fn of(subgraph: &Subgraph, findings: &mut Findings) -> Self {
        let source = &subgraph.definition.variables;
        let highest = source.iter().filter_map(|variable| variable.var_id).max();
        let mut next = highest.map_or(0, |id| id.saturating_add(1));
        let mut list = Vec::with_capacity(source.len());
        for variable in source {
            let id = variable.var_id.unwrap_or(next);
            if variable.var_id.is_none() {
                next = next.saturating_add(1);
            }
            list.push(read(variable, id, subgraph, findings));
        }
        let all = list.len();
        let made = Self { left_out: subgraph.definition.unread_variables, ..Self::new(list) };
        if made.list.len() < all {
            let doubled = all - made.list.len();
            findings.push(
                Severity::Warning,
                "memory.id",
                Place {
                    subgraph: Some(subgraph.name.clone()),
                    ..Place::member(&subgraph.definition_member)
                },
                format!("{doubled} variables have the id of another one and are not counted"),
            );
        }
        made
    }

    /// All of them.
    pub fn as_slice(&self) -> &[Variable] {
        &self.list
    }

    /// The variable of an id.
    pub fn get(&self, id: u32) -> Option<&Variable> {
        let at = self.list.binary_search_by_key(&id, |variable| variable.id).ok()?;
        self.list.get(at)
    }

    /// Inputs, then outputs, each by id: the place in the list is the ordinal in a tensor set.
    /// Spec: docs/format/memory.md "Inputs and outputs" [observed].
    pub fn io(&self) -> Vec<&Variable> {
        let of = |kind: Kind| self.list.iter().filter(move |variable| variable.kind == kind);
        of(Kind::Input).chain(of(Kind::Output)).collect()
    }

    /// Entries of the file's table that could not be read as variables at all, or that limits left
    /// out.
    pub const fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Variables of which something could not be read.
    pub fn unread(&self) -> impl Iterator<Item = (&Variable, Unread)> {
        self.list.iter().filter_map(|variable| Some((variable, variable.unread?)))
    }

    /// Bytes of all inputs and outputs.
    pub fn io_bytes(&self) -> Total {
        Total::of(self.io().iter().map(|variable| variable.size))
    }

    /// Bytes of the variables that the file fills.
    pub fn file_bytes(&self) -> Total {
        let files = self.list.iter().filter(|variable| variable.kind == Kind::File);
        Total::of(files.map(|variable| variable.size))
    }
}

fn read(source: &FileVariable, id: u32, subgraph: &Subgraph, findings: &mut Findings) -> Variable {
    let kind = match source.kind {
        VarKind::StateBuffer => Kind::StateBuffer,
        VarKind::File => Kind::File,
        VarKind::TmpBuf => Kind::Temporary,
        VarKind::Input => Kind::Input,
        VarKind::Output => Kind::Output,
        VarKind::Pointer => Kind::Pointer { to: source.referenced_var_id },
        VarKind::List | VarKind::DgeTable => {
            Kind::List { ids: source.list.clone().unwrap_or_default() }
        }
        VarKind::Remote => Kind::Remote {
            subgraph: source.remote_subgraph.clone().unwrap_or_default(),
            variable: source.remote_var.clone().unwrap_or_default(),
        },
        VarKind::Virtual => {
            let (shared, slice_from) = slice(source, subgraph, findings);
            let offset = source.backing_variable_off.unwrap_or(0);
            Kind::Virtual { offset, shared, slice_from }
        }
        VarKind::Unknown => Kind::Unknown,
    };
    let size = match kind {
        Kind::StateBuffer => STATE_BUFFER_BYTES,
        _ => source.size.unwrap_or(0),
    };
    Variable {
        id,
        unread: unread(source),
        name: source.name.clone(),
        size,
        // Opening the file has said what is wrong with an alignment that is no power of two.
        alignment: source.alignment.filter(|one| one.is_power_of_two()).unwrap_or(0),
        mem_ref_type: source.kind.mem_ref_type().unwrap_or(0),
        kind,
    }
}

/// What a variable's need hangs on and is not a number. What was read is taken from the object, so
/// a key that is still there could not be.
fn unread(source: &FileVariable) -> Option<Unread> {
    let written = |key| source.extra.contains_key(key);
    match source.kind {
        VarKind::Unknown => Some(Unread::Kind),
        VarKind::File | VarKind::TmpBuf | VarKind::Input | VarKind::Output | VarKind::Virtual => {
            let odd = source.alignment.is_some_and(|one| !one.is_power_of_two());
            if source.size.is_none() {
                Some(if written("size") { Unread::Size } else { Unread::NoSize })
            } else if source.kind == VarKind::Virtual && written("backing_variable_off") {
                Some(Unread::Offset)
            } else {
                (odd || written("alignment")).then_some(Unread::Alignment)
            }
        }
        _ => None,
    }
}

/// Whether a virtual variable lies in the shared slice. Only the texts of the two slices have a
/// known meaning; all others are taken for local.
fn slice(
    source: &FileVariable,
    subgraph: &Subgraph,
    findings: &mut Findings,
) -> (bool, Provenance) {
    match source.backing_buf.as_deref() {
        None => (false, Provenance::Observed),
        Some("local") => (false, Provenance::File),
        Some("shared") => (true, Provenance::File),
        Some(other) => {
            let shown: String = other.chars().take(40).collect();
            findings.push(
                Severity::Warning,
                "memory.backing",
                Place {
                    subgraph: Some(subgraph.name.clone()),
                    ..Place::member_at(&subgraph.definition_member, source.offset)
                },
                format!("the backing `{shown}` is taken for local: where it lies is not known"),
            );
            (false, Provenance::Modelled)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_types_are_staged() {
        let staged: Vec<u32> = (0..70).filter(|kind| is_staged(*kind)).collect();
        assert_eq!(staged, [1, 3, 4, 8]);
    }

    #[test]
    fn inputs_come_before_outputs() {
        let variable = |id, kind, size| Variable {
            id,
            name: format!("v{id}"),
            size,
            alignment: 0,
            mem_ref_type: 5,
            kind,
            unread: None,
        };
        let variables = Variables::new(vec![
            variable(4, Kind::Output, 1),
            variable(2, Kind::Input, u64::MAX),
            variable(1, Kind::File, 7),
            variable(2, Kind::File, 8),
        ]);
        let order: Vec<u32> = variables.io().iter().map(|variable| variable.id).collect();
        assert_eq!(order, [2, 4]);
        let exact = |bytes| Total { bytes, exceeds: false };
        let beyond = Total { bytes: u64::MAX, exceeds: true };
        assert_eq!((variables.io_bytes(), variables.file_bytes()), (beyond, exact(7)));
    }
}
