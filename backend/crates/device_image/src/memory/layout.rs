//! The pages of a scratchpad with the variables on them, and the variables that no page takes.

use super::total::Total;
use crate::scratchpad::advice::{Advice, is_private};
use crate::scratchpad::arena::{MAX_PAGES, Mode, pages_needed};

/// Slice of the scratchpad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum SliceKind {
    /// Of all cores.
    Shared,
    /// Of one subgraph, by its index.
    Local(usize),
}

/// A virtual variable in the scratchpad of a core.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VirtualVariable {
    /// Index of its subgraph in the question.
    pub subgraph: usize,
    /// Id.
    pub id: u32,
    /// Offset in the scratchpad.
    pub offset: u64,
    /// Bytes.
    pub size: u64,
    /// Its slice.
    pub slice: SliceKind,
}

/// A page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageUse {
    /// Index in the runtime's table: in contiguous mode the first bytes are on the last page.
    pub index: u64,
    /// Offset of its first byte in the scratchpad.
    pub offset: u64,
    /// Bytes that some variable covers.
    pub used_bytes: u64,
    /// Variables on it, as places in the list of variables; at most as many as asked for.
    pub variables: Vec<usize>,
    /// How many there are.
    pub n_variables: u64,
}

/// A scratchpad with its variables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Layout {
    /// Bytes that are needed, padding between slices included.
    pub need_bytes: u64,
    /// Pages that the need takes; more than the table holds cannot be reserved.
    pub n_pages: u64,
    /// The pages, by index; empty if there are too many.
    pub pages: Vec<PageUse>,
    /// Variables that get memory of their own, as places in the list.
    pub private: Vec<usize>,
    /// Their bytes.
    pub private_bytes: Total,
    /// What the runtime advises about them.
    pub advice: Option<Advice>,
}

impl Layout {
    /// Lays variables out. `listed` bounds the variables that are named, over all pages.
    /// Spec: docs/format/memory.md "Finding a page" [observed].
    pub fn of(
        mode: Mode,
        page_size: u64,
        need_bytes: u64,
        variables: &[VirtualVariable],
        listed: usize,
    ) -> Self {
        let ranges: Vec<(u64, u64)> = variables.iter().map(|one| (one.offset, one.size)).collect();
        let n_pages = pages_needed(need_bytes, page_size);
        let alone = |one: &VirtualVariable| match mode {
            Mode::Paged => is_private(page_size, one.offset, one.size),
            Mode::Contiguous => one.offset.checked_add(one.size).is_none(),
        };
        let (private, paged): (Vec<usize>, Vec<usize>) =
            (0..variables.len()).partition(|at| variables.get(*at).is_some_and(alone));
        let sizes = private.iter().filter_map(|at| variables.get(*at)).map(|one| one.size);
        let private_bytes = Total::of(sizes);
        let advice = match mode {
            Mode::Paged => Advice::for_variables(page_size, &ranges),
            Mode::Contiguous => None,
        };
        let mut pages = Vec::new();
        if n_pages <= MAX_PAGES {
            pages = (0..n_pages)
                .map(|page| PageUse { index: page, offset: page * page_size, ..PageUse::default() })
                .collect();
            fill(&mut pages, page_size, variables, &paged, listed);
        }
        if mode == Mode::Contiguous {
            pages.reverse();
            for (index, page) in (0..).zip(&mut pages) {
                page.index = index;
            }
        }
        Self { need_bytes, n_pages, pages, private, private_bytes, advice }
    }
}

/// Counts and names the variables on each page; pages stand by offset.
fn fill(
    pages: &mut [PageUse],
    page_size: u64,
    variables: &[VirtualVariable],
    paged: &[usize],
    listed: usize,
) {
    let mut sorted: Vec<(u64, u64, usize)> = paged
        .iter()
        .filter_map(|at| {
            let one = variables.get(*at)?;
            Some((one.offset, one.offset.checked_add(one.size)?, *at))
        })
        .collect();
    sorted.sort_unstable();
    // The first and the last page of a range, as places in the list of pages.
    let page_of = |byte: u64| usize::try_from(byte / page_size).unwrap_or(usize::MAX);
    let mut starts = vec![0_u64; pages.len()];
    let mut ends = vec![0_u64; pages.len()];
    let mut room = listed;
    // End of what is covered so far: ranges come by their starts.
    let mut covered = 0;
    for (start, end, at) in sorted {
        let (first, last) = (page_of(start), page_of(end.saturating_sub(1).max(start)));
        if let Some(count) = starts.get_mut(first) {
            *count += 1;
        }
        if let Some(count) = ends.get_mut(last) {
            *count += 1;
        }
        for page in pages.get_mut(first..=last).unwrap_or_default() {
            if room == 0 {
                break;
            }
            room -= 1;
            page.variables.push(at);
        }
        let fresh = start.max(covered);
        if fresh < end {
            let (first, last) = (page_of(fresh), page_of(end - 1));
            for page in pages.get_mut(first..=last).unwrap_or_default() {
                let page_end = page.offset.saturating_add(page_size);
                page.used_bytes += end.min(page_end) - fresh.max(page.offset);
            }
            covered = end;
        }
    }
    // Variables on a page: those that began up to it, less those that ended before it.
    let mut on_page = 0_u64;
    for (page, (start, end)) in pages.iter_mut().zip(starts.iter().zip(&ends)) {
        on_page += start;
        page.n_variables = on_page;
        on_page = on_page.saturating_sub(*end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MIB: u64 = 1 << 20;

    fn variable(offset: u64, size: u64) -> VirtualVariable {
        VirtualVariable { subgraph: 0, id: 0, offset, size, slice: SliceKind::Local(0) }
    }

    #[test]
    fn the_manuals_second_model() {
        // b1 {0, 100 MiB}, b2 {100 MiB, 1.5 GiB}: 4 pages of 512 MiB, b2 has memory of its own.
        let both = [variable(0, 100 * MIB), variable(100 * MIB, 1536 * MIB)];
        let layout = Layout::of(Mode::Paged, 512 * MIB, 1636 * MIB, &both, 10);
        assert_eq!((layout.n_pages, layout.pages.len()), (4, 4));
        assert_eq!((layout.private.clone(), layout.private_bytes.bytes), (vec![1], 1536 * MIB));
        let used: Vec<u64> = layout.pages.iter().map(|page| page.used_bytes).collect();
        assert_eq!(used, [100 * MIB, 0, 0, 0]);
        // As one region of 64 MiB steps: 26 pages, b1 on the two last ones, b2 on all from page 24
        // down.
        let layout = Layout::of(Mode::Contiguous, 64 * MIB, 1636 * MIB, &both, 100);
        assert_eq!((layout.n_pages, layout.private.len()), (26, 0));
        let last: Vec<(u64, u64, u64, Vec<usize>)> = layout.pages[23..]
            .iter()
            .map(|page| (page.index, page.used_bytes, page.n_variables, page.variables.clone()))
            .collect();
        assert_eq!(
            last,
            [(23, 64 * MIB, 1, vec![1]), (24, 64 * MIB, 2, vec![0, 1]), (25, 64 * MIB, 1, vec![0])]
        );
        assert_eq!(layout.pages[0].used_bytes, 36 * MIB);
        assert_eq!(layout.pages.iter().map(|page| page.used_bytes).sum::<u64>(), 1636 * MIB);
    }

    #[test]
    fn bytes_that_two_variables_share_count_once() {
        let three = [variable(0, 100), variable(50, 100), variable(400, 10)];
        let layout = Layout::of(Mode::Paged, 512, 410, &three, 2);
        let page = &layout.pages[0];
        assert_eq!((page.used_bytes, page.n_variables), (160, 3));
        assert_eq!(page.variables, [0, 1]);
        // An empty variable stands on a page and covers nothing.
        let empty = Layout::of(Mode::Paged, 512, 600, &[variable(512, 0)], 9);
        assert_eq!((empty.pages[1].n_variables, empty.pages[1].used_bytes), (1, 0));
    }

    #[test]
    fn too_many_pages_are_not_listed() {
        let layout = Layout::of(Mode::Paged, 1, u64::MAX, &[variable(0, 1)], 9);
        assert_eq!((layout.n_pages, layout.pages.len()), (u64::MAX, 0));
        let wide = [variable(u64::MAX, 1), variable(u64::MAX, u64::MAX)];
        let layout = Layout::of(Mode::Contiguous, 64 * MIB, 64 * MIB, &wide, 9);
        assert_eq!(layout.private, [0, 1]);
    }
}
