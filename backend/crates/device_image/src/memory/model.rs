//! Models as they are loaded: subgraphs with their cores, and what each asks of its scratchpad.

use std::collections::{BTreeMap, BTreeSet};

use super::total::Total;
use super::variables::{Kind, Variable, Variables};
use crate::address_map::bases;
use crate::dmem::{HbmShape, Usage};
use crate::program::Generation;
use crate::scratchpad::KbinSizes;

/// One subgraph of a model.
#[derive(Clone, Debug)]
pub struct ModelSubgraph<'a> {
    /// Name.
    pub name: String,
    /// Physical core that it runs on.
    pub core: u32,
    /// Its variables.
    pub variables: &'a Variables,
    /// Bytes of inputs and outputs that no earlier subgraph of the model has.
    pub io: Vec<u64>,
    /// Code and tables: what for, bytes, alignment.
    pub other: Vec<(Usage, u64, u64)>,
    /// Device address that each of them has already; none where it has none, or past the list's end.
    pub places: Vec<Option<u64>>,
    /// Addresses and bytes of what its code points to and nobody allocates here, such as rings: nothing
    /// else is put there.
    pub kept: Vec<(u64, u64)>,
}

/// A model: what is loaded at once.
#[derive(Clone, Debug)]
pub struct Model<'a> {
    /// Name.
    pub name: String,
    /// Its subgraphs.
    pub subgraphs: Vec<ModelSubgraph<'a>>,
}

/// Bytes that a subgraph's virtual variables need of the local and of the shared slice: the highest
/// end in each. A range that ends beyond 2^64 needs more than there can be.
/// Spec: docs/format/memory.md "Loading a model" [observed].
pub fn slice_sizes(variables: &Variables) -> (Total, Total) {
    let mut sizes = (Total::default(), Total::default());
    for variable in variables.as_slice() {
        if let Kind::Virtual { offset, shared, .. } = variable.kind {
            let size = if shared { &mut sizes.1 } else { &mut sizes.0 };
            size.raise(Total::end(offset, variable.size));
        }
    }
    sizes
}

/// The inputs and outputs of each subgraph that no earlier one has, by name: the subgraphs of one
/// model share them.
/// Spec: docs/format/memory.md "Inputs and outputs" [observed].
pub fn io_variables_of_each<'a>(subgraphs: &[&'a Variables]) -> Vec<Vec<&'a Variable>> {
    let mut seen = BTreeSet::new();
    let each = |variables: &&'a Variables| {
        let own = variables.io().into_iter().filter(|one| seen.insert(one.name.as_str()));
        own.collect()
    };
    subgraphs.iter().map(each).collect()
}

/// What each kbin of a model needs, by HBM. Subgraphs on cores that the device does not have are
/// left out.
pub fn kbins_by_hbm(
    generation: Generation,
    model: &Model<'_>,
) -> BTreeMap<u32, Vec<(usize, KbinSizes)>> {
    let shape = HbmShape::of(generation);
    let mut groups: BTreeMap<u32, Vec<(usize, KbinSizes)>> = BTreeMap::new();
    for (at, subgraph) in model.subgraphs.iter().enumerate() {
        if subgraph.core >= bases::cores(generation) {
            continue;
        }
        let (local, shared) = slice_sizes(subgraph.variables);
        let core = (subgraph.core % shape.cores_each) as usize;
        let group = groups.entry(shape.default_channel(subgraph.core)).or_default();
        group.push((at, KbinSizes { core, local: local.bytes, shared: shared.bytes }));
    }
    groups
}
