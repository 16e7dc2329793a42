//! What page size the runtime advises, and whether it is enough.

/// The advised page size is a multiple of this.
/// Spec: docs/format/memory.md "Advice" [observed].
pub const STEP_BYTES: u64 = 0x2000_0000;
/// Largest page size that is documented for users.
/// Spec: docs/format/memory.md "Scratchpad" [observed].
pub const LARGEST_PAGE_BYTES: u64 = 7 * STEP_BYTES;

/// Advice for variables that found no page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Advice {
    /// Size of the largest such variable.
    pub largest_bytes: u64,
    /// Advised page size: the runtime looks at sizes only, not at offsets.
    pub page_bytes: u64,
    /// Variables that still find no page with it; with one of 2^32 bytes and more, which the runtime
    /// does not take, those that find none now.
    pub still_private: u64,
    /// Smallest documented page size with which all find one; `None` if there is none.
    pub enough_bytes: Option<u64>,
}

impl Advice {
    /// Advice for variables of one scratchpad, given as offset and size, as if they stayed there
    /// with other page sizes (else see [`Self::judge`]); `None` if all find a page
    /// or the advice exceeds 2^64.
    /// Spec: docs/format/memory.md "Advice" [observed; `enough_bytes` is ours].
    pub fn for_variables(page_size: u64, variables: &[(u64, u64)]) -> Option<Self> {
        let private = variables.iter().filter(|one| is_private(page_size, one.0, one.1));
        let largest_bytes = private.map(|one| one.1).max()?;
        let page_bytes = advised_page_bytes(largest_bytes)?;
        let alone = |page: u64| {
            variables.iter().filter(|one| is_private(page, one.0, one.1)).count() as u64
        };
        let mut documented = (1..=LARGEST_PAGE_BYTES / STEP_BYTES).map(|n| n * STEP_BYTES);
        Some(Self {
            largest_bytes,
            page_bytes,
            // The runtime keeps a page size in 32 bits: one beyond cannot be set.
            still_private: alone(if u32::try_from(page_bytes).is_ok() {
                page_bytes
            } else {
                page_size
            }),
            enough_bytes: documented.find(|page| alone(*page) == 0),
        })
    }

    /// Judges page sizes anew, by how many variables find no page with one of them: `None` where it
    /// cannot be planned.
    pub fn judge(&mut self, private: impl Fn(u64) -> Option<u64>) {
        if u32::try_from(self.page_bytes).is_ok()
            && let Some(still) = private(self.page_bytes)
        {
            self.still_private = still;
        }
        let mut documented = (1..=LARGEST_PAGE_BYTES / STEP_BYTES).map(|n| n * STEP_BYTES);
        self.enough_bytes = documented.find(|page| private(*page) == Some(0));
    }

    /// The flag for the compiler, in the runtime's words.
    pub fn compiler_flag(&self) -> String {
        let mib = self.page_bytes >> 20;
        format!("NEURON_CC_FLAGS=\"--hbm-scratchpad-page-size={mib}\"")
    }

    /// The variable for the runtime, in its words.
    pub fn runtime_variable(&self) -> String {
        format!("NEURON_SCRATCHPAD_PAGE_SIZE={}", self.page_bytes >> 20)
    }
}

/// The page size that the runtime advises for a largest variable. `None` beyond 2^64.
/// Spec: docs/format/memory.md "Advice" [observed].
pub fn advised_page_bytes(largest: u64) -> Option<u64> {
    largest.checked_next_multiple_of(STEP_BYTES)
}

/// Whether a variable crosses a page and so gets memory of its own, in paged mode.
/// Spec: docs/format/memory.md "Finding a page" [observed].
pub fn is_private(page_size: u64, offset: u64, size: u64) -> bool {
    let end = offset.checked_rem(page_size).and_then(|in_page| in_page.checked_add(size));
    end.is_none_or(|end| end > page_size || offset.checked_add(size).is_none())
}
