//! The page map: rows of a scratchpad with the variables on them, to scale.
//!
//! A row is a page, or several pages of a contiguous region. Variables that share bytes stand in
//! lanes below each other; those of different files never share a lane.

use super::VarRef;
use debug_api::answer::{MemoryAnswer, MemoryPage, MemoryVariable};
use std::collections::BTreeMap;

/// Rows of a contiguous region are as long as a default page where that makes no more than these.
const FEW_ROWS: u64 = 16;
/// A contiguous row has at least so many bytes.
const ROW_BYTES: u64 = 1 << 29;
/// Lanes of one file on one row; what does not fit is merged in the last one.
const LANES: usize = 6;
/// Blocks narrower than this part of a row are merged with their neighbors.
const NARROW: f64 = 0.002;

/// What a block stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A variable on a page.
    Variable,
    /// A variable that no page takes: it has memory of its own, and this is where it would be.
    Private,
    /// Several variables that are too small to be told apart.
    Merged(u64),
    /// Bytes that stay empty so that a slice crosses no page.
    Padding,
}

/// A block on a row.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    /// What it is.
    pub what: What,
    /// The variable, the first one of several; `None` for padding.
    pub variable: Option<MemoryVariable>,
    /// Lane from the top of the row.
    pub lane: usize,
    /// Start as a part of the row, 0 to 1.
    pub start: f64,
    /// Width as a part of the row.
    pub width: f64,
    /// Whether its first byte is on the row.
    pub begins: bool,
    /// Whether its last byte is on the row.
    pub ends: bool,
    /// Owner, an index of [`owners`].
    pub owner: usize,
}

/// A row of the map.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Pages of the runtime's table that it shows, first and last.
    pub pages: (u64, u64),
    /// First byte.
    pub offset: u64,
    /// Bytes that its width stands for.
    pub bytes: u64,
    /// Bytes that pages have; less than the width on the last row of a region.
    pub paged_bytes: u64,
    /// Bytes that some variable covers.
    pub used: u64,
    /// Loads that use its pages, fewest and most.
    pub references: (u32, u32),
    /// Blocks, by lane and start.
    pub blocks: Vec<Block>,
    /// Lanes, at least 1.
    pub lanes: usize,
    /// Variables on it that are not listed.
    pub unlisted: u64,
    /// Starts of its pages but the first, as parts of the row.
    pub cuts: Vec<f64>,
}

/// Who has variables: file, and subgraph or `None` for what the subgraphs of a file share.
pub type Owner = (usize, Option<String>);

/// The owners of a plan, in the order of its slices.
pub fn owners(plan: &MemoryAnswer) -> Vec<Owner> {
    let mut out: Vec<Owner> = Vec::new();
    let slices = plan.slices.iter().map(|slice| (slice.file, slice.subgraph.clone()));
    let private = plan.private.iter().map(owner_of);
    for owner in slices.chain(private) {
        if !out.contains(&owner) {
            out.push(owner);
        }
    }
    out
}

/// Who has a variable.
pub fn owner_of(variable: &MemoryVariable) -> Owner {
    let shared = variable.slice == "shared";
    (variable.file, (!shared).then(|| variable.subgraph.clone()))
}

/// Hue of an owner, 1 to 8.
pub const fn hue(owner: usize) -> u8 {
    [1, 5, 3, 7, 2, 8, 4, 6][owner % 8]
}

/// What an owner is called.
pub fn owner_text(plan: &MemoryAnswer, owner: &Owner) -> String {
    let (file, subgraph) = owner;
    let subgraph = subgraph.as_deref().unwrap_or("shared");
    match plan.files.iter().find(|one| one.file == *file) {
        Some(one) if plan.files.len() > 1 => format!("{} {subgraph}", one.name),
        _ => subgraph.to_owned(),
    }
}

/// Bytes that the used beginning of every row has at most, in a round number, where that is less
/// than an eighth of a row: what a map of the used bytes is as wide as.
pub fn used_width(plan: &MemoryAnswer) -> Option<u64> {
    let rows = rows(plan, None);
    let whole = rows.first()?.bytes;
    let ends = rows.iter().flat_map(|row| {
        let blocks = row.blocks.iter().filter(|block| block.what != What::Padding);
        blocks.map(|block| block.start + block.width)
    });
    let most = ends.fold(0.0_f64, f64::max);
    let wide = ((most * whole as f64) as u64).max(1).checked_next_power_of_two()?;
    (wide <= whole / 8).then_some(wide)
}

/// The rows of a plan's page map. A row stands for its pages, or for so many bytes of their
/// beginning.
pub fn rows(plan: &MemoryAnswer, width: Option<u64>) -> Vec<Row> {
    let mut pages: Vec<&MemoryPage> = plan.pages.iter().collect();
    pages.sort_by_key(|page| page.offset);
    let page_size = plan.page_size.max(1);
    let each =
        if plan.mode == "contiguous" { pages_a_row(pages.len() as u64, page_size) } else { 1 };
    let owners = owners(plan);
    let chunks = pages.chunks(usize::try_from(each).unwrap_or(1).max(1));
    let bytes = width.unwrap_or(each.saturating_mul(page_size));
    chunks.map(|chunk| row(plan, chunk, bytes, &owners)).collect()
}

/// Pages of a contiguous region on one row.
fn pages_a_row(pages: u64, page_size: u64) -> u64 {
    let mut each = (ROW_BYTES / page_size).max(1);
    while pages.div_ceil(each) > FEW_ROWS {
        each *= 2;
    }
    each
}

fn row(plan: &MemoryAnswer, pages: &[&MemoryPage], bytes: u64, owners: &[Owner]) -> Row {
    let offset = pages.first().map_or(0, |page| page.offset);
    let paged_bytes = plan.page_size.saturating_mul(pages.len() as u64);
    let mut variables: BTreeMap<VarRef, &MemoryVariable> = BTreeMap::new();
    let listed = pages.iter().flat_map(|page| &page.variables);
    variables.extend(listed.map(|one| (VarRef::of(one), one)));
    let counted: u64 = pages.iter().map(|page| page.n_variables).sum();
    let named: u64 = pages.iter().map(|page| page.variables.len() as u64).sum();
    let mut row = Row {
        pages: (
            pages.iter().map(|page| page.index).min().unwrap_or(0),
            pages.iter().map(|page| page.index).max().unwrap_or(0),
        ),
        offset,
        bytes,
        paged_bytes,
        used: pages.iter().map(|page| page.used_bytes).sum(),
        references: (
            pages.iter().map(|page| page.references).min().unwrap_or(0),
            pages.iter().map(|page| page.references).max().unwrap_or(0),
        ),
        unlisted: counted.saturating_sub(named),
        cuts: pages
            .iter()
            .skip(1)
            .map(|page| (page.offset - offset) as f64 / bytes.max(1) as f64)
            .collect(),
        ..Row::default()
    };
    let end = offset.saturating_add(bytes);
    let meets = |one: &&MemoryVariable| {
        one.offset < end && one.offset.saturating_add(one.size.max(1)) > offset
    };
    let all = variables.into_values().filter(meets).map(|one| (What::Variable, one));
    let private = plan.private.iter().filter(meets).map(|one| (What::Private, one));
    let mut blocks: Vec<Block> = all
        .chain(private)
        .map(|(what, one)| {
            let mut block = place(what, one.offset, one.size, offset, bytes);
            block.owner = owners.iter().position(|owner| *owner == owner_of(one)).unwrap_or(0);
            block.variable = Some(one.clone());
            block
        })
        .collect();
    blocks.sort_by(|a, b| {
        let key = |block: &Block| block.variable.as_ref().map(|one| (one.file, one.offset, one.id));
        key(a).cmp(&key(b))
    });
    row.lanes = lanes(&mut blocks);
    row.blocks = merged(blocks);
    for slice in plan.slices.iter().filter(|slice| slice.padding_bytes > 0) {
        let start = slice.offset.saturating_sub(slice.padding_bytes);
        if start < end && slice.offset > offset {
            let mut block = place(What::Padding, start, slice.padding_bytes, offset, bytes);
            let wanted: Owner = (slice.file, slice.subgraph.clone());
            block.owner = owners.iter().position(|owner| *owner == wanted).unwrap_or(0);
            row.blocks.push(block);
        }
    }
    row.lanes = row.lanes.max(1);
    row
}

fn place(what: What, start: u64, size: u64, offset: u64, bytes: u64) -> Block {
    let end = start.saturating_add(size);
    let row_end = offset.saturating_add(bytes);
    let from = start.max(offset) - offset;
    let to = end.min(row_end).saturating_sub(offset).max(from);
    let whole = bytes.max(1) as f64;
    Block {
        what,
        variable: None,
        lane: 0,
        start: from as f64 / whole,
        width: (to - from) as f64 / whole,
        begins: start >= offset,
        ends: end <= row_end,
        owner: 0,
    }
}

/// Gives each block the first lane of its file where it meets no other; returns the lanes.
fn lanes(blocks: &mut [Block]) -> usize {
    let (mut base, mut file) = (0, None);
    let mut ends: Vec<f64> = Vec::new();
    for block in blocks.iter_mut() {
        let own = block.variable.as_ref().map(|one| one.file);
        if file != own {
            base += ends.len();
            ends.clear();
            file = own;
        }
        let free = ends.iter().position(|end| *end <= block.start);
        let lane = free.unwrap_or(ends.len()).min(LANES - 1);
        let end = block.start + block.width;
        match ends.get_mut(lane) {
            Some(last) => *last = last.max(end),
            None => ends.push(end),
        }
        block.lane = base + lane;
    }
    base + ends.len()
}

/// Blocks in a lane that are too narrow become one with their neighbors, and so do those of the
/// last lane that meet.
fn merged(blocks: Vec<Block>) -> Vec<Block> {
    let mut out: Vec<Block> = Vec::with_capacity(blocks.len());
    // The last block of each lane.
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    for block in blocks {
        let count = |block: &Block| match block.what {
            What::Merged(count) => count,
            _ => 1,
        };
        let before = last.get(&block.lane).and_then(|at| out.get_mut(*at));
        if let Some(before) = before
            && before.owner == block.owner
        {
            let end = before.start + before.width;
            let narrow = before.width < NARROW || matches!(before.what, What::Merged(_));
            let near = block.width < NARROW && narrow && block.start - end < NARROW;
            if near || block.start < end {
                before.what = What::Merged(count(before) + 1);
                before.width = (block.start + block.width).max(end) - before.start;
                before.ends = block.ends;
                continue;
            }
        }
        last.insert(block.lane, out.len());
        out.push(block);
    }
    out
}

/// The variables of a map in the order in which keys step through them: by row, then by offset.
pub fn order(plan: &MemoryAnswer) -> Vec<VarRef> {
    let mut all: Vec<(u64, VarRef)> = plan
        .pages
        .iter()
        .flat_map(|page| &page.variables)
        .chain(&plan.private)
        .map(|one| (one.offset, VarRef::of(one)))
        .collect();
    all.sort();
    all.dedup();
    all.into_iter().map(|(_, one)| one).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use debug_api::Provenance;
    use debug_api::answer::{MemorySlice, PlacedVariables};

    const MIB: u64 = 1 << 20;

    /// A local variable of sg00.
    pub fn variable(id: u32, offset: u64, size: u64) -> MemoryVariable {
        MemoryVariable {
            file: 0,
            subgraph: "sg00".to_owned(),
            id,
            name: format!("v{id}"),
            offset,
            size,
            slice: "local".to_owned(),
            spans: Vec::new(),
        }
    }

    /// A plan with pages of 512 MiB and these variables on them.
    pub fn plan(variables: &[MemoryVariable]) -> MemoryAnswer {
        let page_size = 512 * MIB;
        let need = variables.iter().map(|one| one.offset + one.size).max().unwrap_or(0);
        let pages = (0..need.div_ceil(page_size)).map(|index| {
            let (start, end) = (index * page_size, (index + 1) * page_size);
            let on =
                variables.iter().filter(|one| one.offset < end && one.offset + one.size > start);
            let on: Vec<MemoryVariable> = on.cloned().collect();
            MemoryPage {
                index,
                subgraph: "sg00".to_owned(),
                offset: start,
                used_bytes: 1,
                n_variables: on.len() as u64,
                variables: on,
                references: 1,
            }
        });
        MemoryAnswer {
            schema: 1,
            files: Vec::new(),
            mode: "paged".to_owned(),
            mode_provenance: Provenance::Observed,
            page_size,
            generation: "cayman".to_owned(),
            hbm_bytes: 24 << 30,
            core: 0,
            core_provenance: Provenance::Modelled,
            need_bytes: need,
            n_pages: need.div_ceil(page_size),
            pages: pages.collect(),
            slices: vec![MemorySlice {
                file: 0,
                subgraph: Some("sg00".to_owned()),
                offset: 0,
                bytes: need,
                padding_bytes: 0,
            }],
            private: Vec::new(),
            n_private: 0,
            private_bytes: 0,
            overlaps: 0,
            overlap_pairs: Vec::new(),
            categories: BTreeMap::new(),
            measured: None,
            not_counted: Vec::new(),
            not_computed: Vec::new(),
            fits: true,
            failures: Vec::new(),
            n_failures: 0,
            remedies: Vec::new(),
            advice: None,
            subgraphs: Vec::new(),
            hbms: Vec::new(),
            variables: PlacedVariables { total: 0, from: 0, rows: Vec::new() },
            notes: Vec::new(),
            provenance: Provenance::Observed,
            fits_provenance: Provenance::Modelled,
            diagnostics: Vec::new(),
        }
    }

    fn shown(row: &Row) -> Vec<(u32, usize, f64, f64)> {
        row.blocks
            .iter()
            .map(|one| {
                (one.variable.as_ref().map_or(0, |one| one.id), one.lane, one.start, one.width)
            })
            .collect()
    }

    #[test]
    fn overlaps_stand_in_lanes_to_scale() {
        let plan = plan(&[
            variable(1, 0, 256 * MIB),
            variable(2, 128 * MIB, 128 * MIB),
            variable(3, 256 * MIB, 64 * MIB),
        ]);
        let rows = rows(&plan, None);
        assert_eq!(rows.len(), 1);
        assert_eq!(rows[0].lanes, 2);
        assert_eq!(shown(&rows[0]), [(1, 0, 0.0, 0.5), (2, 1, 0.25, 0.25), (3, 0, 0.5, 0.125)]);
    }

    #[test]
    fn private_variables_are_drawn_where_they_would_cross() {
        let mut plan = plan(&[variable(1, 0, 100 * MIB)]);
        plan.private = vec![variable(2, 100 * MIB, 600 * MIB)];
        plan.pages.push(MemoryPage { index: 1, offset: 512 * MIB, ..plan.pages[0].clone() });
        plan.pages[1].variables.clear();
        let rows = rows(&plan, None);
        let second = &rows[1].blocks[0];
        assert_eq!((second.what.clone(), second.begins, second.ends), (What::Private, false, true));
        assert_eq!((second.start, second.width), (0.0, 188.0 / 512.0));
        assert!(!rows[0].blocks[1].ends);
        assert_eq!(order(&plan).iter().map(|one| one.id).collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn a_region_has_few_rows_and_its_first_bytes_on_the_last_page() {
        let mut plan = plan(&[variable(1, 0, 70 * MIB)]);
        plan.mode = "contiguous".to_owned();
        plan.page_size = 64 * MIB;
        let page = plan.pages[0].clone();
        plan.pages = (0..9)
            .map(|at| MemoryPage { index: at, offset: (8 - at) * 64 * MIB, ..page.clone() })
            .collect();
        let rows = rows(&plan, None);
        assert_eq!(rows.len(), 2, "8 pages of 64 MiB on a row of 512 MiB");
        assert_eq!((rows[0].pages, rows[1].pages), ((1, 8), (0, 0)));
        assert_eq!(rows[0].cuts.len(), 7);
        assert_eq!((rows[1].bytes, rows[1].paged_bytes), (512 * MIB, 64 * MIB));
        assert_eq!(shown(&rows[0]), [(1, 0, 0.0, 70.0 / 512.0)], "named on two pages, drawn once");
        assert!(rows[1].blocks.is_empty());
        assert_eq!(pages_a_row(1_024, 64 * MIB), 64);
    }

    #[test]
    fn narrow_neighbors_are_merged_and_counted() {
        let all: Vec<MemoryVariable> =
            (0..100).map(|id| variable(id, u64::from(id) * 4096, 4096)).collect();
        let rows = rows(&plan(&all), None);
        assert_eq!(rows[0].blocks.len(), 1);
        assert_eq!(rows[0].blocks[0].what, What::Merged(100));
        let stacked: Vec<MemoryVariable> =
            (0..20).map(|id| variable(id, u64::from(id) * MIB, 200 * MIB)).collect();
        let rows = super::rows(&plan(&stacked), None);
        assert_eq!(rows[0].lanes, 6);
        assert_eq!(rows[0].blocks[5].what, What::Merged(15));
    }

    #[test]
    fn a_map_of_the_used_bytes_is_a_round_number_wide() {
        let few = plan(&[variable(1, 0, 9 * MIB), variable(2, 9 * MIB, MIB)]);
        assert_eq!(used_width(&few), Some(16 * MIB));
        let rows = rows(&few, Some(16 * MIB));
        assert_eq!(shown(&rows[0]), [(1, 0, 0.0, 9.0 / 16.0), (2, 0, 9.0 / 16.0, 1.0 / 16.0)]);
        assert_eq!(used_width(&plan(&[variable(1, 400 * MIB, MIB)])), None);
        assert_eq!(used_width(&plan(&[])), None);
    }

    #[test]
    fn padding_stands_before_its_slice() {
        let mut plan = plan(&[variable(1, 0, 100 * MIB), variable(2, 512 * MIB, MIB)]);
        plan.slices.push(MemorySlice {
            file: 0,
            subgraph: Some("sg01".to_owned()),
            offset: 512 * MIB,
            bytes: MIB,
            padding_bytes: 412 * MIB,
        });
        let rows = rows(&plan, None);
        let padding = rows[0].blocks.iter().find(|one| one.what == What::Padding);
        assert_eq!(padding.map(|one| (one.start, one.width)), Some((100.0 / 512.0, 412.0 / 512.0)));
        assert!(rows[1].blocks.iter().all(|one| one.what != What::Padding));
    }
}
