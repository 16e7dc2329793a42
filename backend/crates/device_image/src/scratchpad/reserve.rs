//! Reserving pages, with references so that models share them, and giving them back.

use super::arena::{MAX_PAGES, Mode, Page, Scratchpad, ScratchpadError, pages_needed};
use crate::dmem::{AllocError, Allocator, Dmem, Driver, Request, Usage};

/// Alignment that is asked for pages.
/// Spec: docs/format/memory.md "Reserving" [observed].
pub const PAGE_ALIGNMENT: u64 = 0x40_0000;
/// Alignment without which the runtime ends.
const HARD_ALIGNMENT: u64 = 0x1000;

impl Scratchpad {
    /// Makes sure that so many bytes have pages, and takes a reference on each of them. Where the
    /// driver has no more, the pages that this call added are given back, in both modes, and
    /// number and references stay as they were.
    ///
    /// After a smaller request the number of pages stays: pages above are used by others.
    /// Spec: docs/format/memory.md "Reserving" [observed; the number inferred].
    ///
    /// # Errors
    /// [`ScratchpadError::TooManyPages`], [`ScratchpadError::Allocation`], and
    /// [`ScratchpadError::Assertion`] where the runtime would end.
    pub fn reserve<D: Driver>(
        &mut self,
        memory: &mut Allocator<D>,
        size: u64,
    ) -> Result<(), ScratchpadError> {
        let needed = pages_needed(size, self.page_size);
        if needed > MAX_PAGES {
            return Err(ScratchpadError::TooManyPages { requested: needed });
        }
        let before = self.pages.len();
        while (self.pages.len() as u64) < needed {
            match self.add_page(memory) {
                Ok(mem) if mem.address() % HARD_ALIGNMENT != 0 => {
                    return Err(ScratchpadError::Assertion {
                        text: "Page needs to be 4K aligned",
                        line: 0xDA,
                    });
                }
                Ok(mem) => self.pages.push(Page { mem, refs: 0 }),
                Err(error) => {
                    self.release_down_to(memory, before);
                    let status = error.status();
                    let reason = error.to_string();
                    return Err(ScratchpadError::Allocation { status, reason });
                }
            }
        }
        self.change_refs(needed, |refs| refs.checked_add(1))
    }

    /// Gives back a reference on the pages of so many bytes; those that nobody uses any more are
    /// released from the top, as the driver of a contiguous region needs it.
    /// Spec: docs/format/memory.md "Giving back" [observed; the order inferred].
    ///
    /// # Errors
    /// [`ScratchpadError::Assertion`] where a page has no reference left, or where the unused pages
    /// are not the top ones.
    pub fn free<D: Driver>(
        &mut self,
        memory: &mut Allocator<D>,
        size: u64,
    ) -> Result<(), ScratchpadError> {
        self.change_refs(pages_needed(size, self.page_size), |refs| refs.checked_sub(1))?;
        let used = self.pages.iter().rposition(|page| page.refs > 0).map_or(0, |last| last + 1);
        let below = self.pages.get(..used).unwrap_or(&[]);
        let holes = below.iter().any(|page| page.refs == 0);
        self.release_down_to(memory, used);
        if holes {
            let text = "pages that were freed are not those marked for freeing";
            return Err(ScratchpadError::Assertion { text, line: 0x11B });
        }
        Ok(())
    }

    fn add_page<D: Driver>(&self, memory: &mut Allocator<D>) -> Result<Dmem, AllocError> {
        let request = Request {
            bytes: self.page_size,
            alignment: PAGE_ALIGNMENT,
            channel: self.channel,
            core: self.core,
            usage: Usage::SCRATCHPAD,
        };
        match self.mode {
            Mode::Paged => memory.allocate(request),
            Mode::Contiguous => memory.allocate_contiguous(Request { alignment: 0, ..request }),
        }
    }

    fn release_down_to<D: Driver>(&mut self, memory: &mut Allocator<D>, count: usize) {
        while self.pages.len() > count {
            if let Some(page) = self.pages.pop() {
                memory.free(self.core, &page.mem);
            }
        }
    }

    /// Changes the references of the first pages; of all of them or of none.
    pub(super) fn change_refs(
        &mut self,
        count: u64,
        change: impl Fn(u32) -> Option<u32>,
    ) -> Result<(), ScratchpadError> {
        let none = |text, line| ScratchpadError::Assertion { text, line };
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        let pages = self.pages.get_mut(..count);
        let pages = pages.ok_or(none("a page of the scratchpad has no memory", 0xED))?;
        if pages.iter().any(|page| change(page.refs).is_none()) {
            return Err(none("the references of a page run out of their range", 0));
        }
        for page in pages {
            page.refs = change(page.refs).unwrap_or(page.refs);
        }
        Ok(())
    }
}
