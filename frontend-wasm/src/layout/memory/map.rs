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
pub struct Block<'a> {
    /// What it is.
    pub what: What,
    /// The variable, the first one of several; `None` for padding.
    pub variable: Option<&'a MemoryVariable>,
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
pub struct Row<'a> {
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
    pub blocks: Vec<Block<'a>>,
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
    for owner in slices {
        if !out.contains(&owner) {
            out.push(owner);
        }
    }
    for one in &plan.private {
        if owner_at(&out, one).is_none() {
            out.push(owner_of(one));
        }
    }
    out
}

/// Where the owner of a variable stands among owners.
fn owner_at(owners: &[Owner], variable: &MemoryVariable) -> Option<usize> {
    let shared = variable.slice == "shared";
    let subgraph = (!shared).then_some(variable.subgraph.as_str());
    owners.iter().position(|(file, of)| *file == variable.file && of.as_deref() == subgraph)
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
/// than an eighth of a row: what a map of the used bytes is as wide as. The rows are those of whole
/// pages.
pub fn used_width(rows: &[Row<'_>]) -> Option<u64> {
    let whole = rows.first()?.bytes;
    let ends = rows.iter().flat_map(|row| {
        let blocks = row.blocks.iter().filter(|block| block.what != What::Padding);
        blocks.map(|block| block.start + block.width)
    });
    let most = ends.fold(0.0_f64, f64::max);
    let wide = ((most * whole as f64) as u64).max(1).checked_next_power_of_two()?;
    (wide <= whole / 8).then_some(wide)
}

/// Rows that are drawn; a map of more says so.
const MOST_ROWS: usize = 64;

/// The rows of a plan's page map, at most 64, and the number of rows that are left out. A row stands
/// for its pages, or for so many bytes of their beginning.
pub fn rows(plan: &MemoryAnswer, width: Option<u64>) -> (Vec<Row<'_>>, usize) {
    let mut pages: Vec<&MemoryPage> = plan.pages.iter().collect();
    pages.sort_by_key(|page| page.offset);
    let page_size = plan.page_size.max(1);
    let each =
        if plan.mode == "contiguous" { pages_a_row(pages.len() as u64, page_size) } else { 1 };
    let owners = owners(plan);
    let chunks = pages.chunks(usize::try_from(each).unwrap_or(1).max(1));
    let bytes = width.unwrap_or(each.saturating_mul(page_size));
    let more = chunks.len().saturating_sub(MOST_ROWS);
    (chunks.take(MOST_ROWS).map(|chunk| row(plan, chunk, bytes, &owners)).collect(), more)
}

/// Pages of a contiguous region on one row.
fn pages_a_row(pages: u64, page_size: u64) -> u64 {
    let mut each = (ROW_BYTES / page_size).max(1);
    while pages.div_ceil(each) > FEW_ROWS {
        each *= 2;
    }
    each
}

fn row<'a>(
    plan: &'a MemoryAnswer,
    pages: &[&'a MemoryPage],
    bytes: u64,
    owners: &[Owner],
) -> Row<'a> {
    let offset = pages.first().map_or(0, |page| page.offset);
    let paged_bytes = plan.page_size.saturating_mul(pages.len() as u64);
    let mut variables: BTreeMap<VarRef, &'a MemoryVariable> = BTreeMap::new();
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
    let mut blocks: Vec<Block<'_>> = all
        .chain(private)
        .map(|(what, one)| {
            let mut block = place(what, one.offset, one.size, offset, bytes);
            block.owner = owner_at(owners, one).unwrap_or(0);
            block.variable = Some(one);
            block
        })
        .collect();
    blocks.sort_by(|a, b| {
        let key =
            |block: &Block<'_>| block.variable.as_ref().map(|one| (one.file, one.offset, one.id));
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

fn place<'a>(what: What, start: u64, size: u64, offset: u64, bytes: u64) -> Block<'a> {
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
fn lanes(blocks: &mut [Block<'_>]) -> usize {
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
fn merged(blocks: Vec<Block<'_>>) -> Vec<Block<'_>> {
    let mut out: Vec<Block<'_>> = Vec::with_capacity(blocks.len());
    // The last block of each lane.
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    for block in blocks {
        let count = |block: &Block<'_>| match block.what {
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
pub(in crate::layout) mod tests;
