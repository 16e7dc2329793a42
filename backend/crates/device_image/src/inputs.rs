//! Values that a device's allocator and its user decide: core, request page, ring bases.
//!
//! A program file does not hold them. They are configured, with defaults from the profile, or
//! read from a capture.
//! Spec: docs/format/profiles.md "Inputs" [observed].

use std::collections::{BTreeMap, BTreeSet};

use records::Provenance;

use crate::expr::{ExprError, Value};
use crate::profile::Profile;
use crate::program::{Queue, QueueKind, Subgraph};

/// Rings of a queue: one for each of its 16 DMA engines.
pub const RINGS: usize = 16;

/// Bases of a queue's rings. 0 where the I/O queue switch fills the base for each inference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QueueRings {
    /// Read side.
    pub read: [u64; RINGS],
    /// Write side.
    pub write: [u64; RINGS],
}

/// Everything that a recipe needs beyond the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inputs {
    /// Physical core.
    pub core: u32,
    /// Address of the execution request page.
    pub request_page: u64,
    /// Ring bases of the vector engine's tables, read and write side.
    pub dve_table: [u64; 2],
    /// Ring bases of the activation tables, read and write side.
    pub act_table: [u64; 2],
    /// Ring bases by queue name. A queue that is missing has bases 0.
    pub rings: BTreeMap<String, QueueRings>,
    /// Where the values come from: configured, or a file.
    pub provenance: Provenance,
    /// Values that the file does not hold, so that the configured ones stand in: the names of queues
    /// and those of [`Inputs::CORE`] and the constants beside it.
    pub configured: BTreeSet<String>,
}

impl Inputs {
    /// Name of the physical core.
    pub const CORE: &str = "core";
    /// Name of the request page.
    pub const REQUEST_PAGE: &str = "request page";
    /// Name of the ring bases of the vector engine's tables.
    pub const DVE_TABLE: &str = "DVE table rings";
    /// Name of the ring bases of the activation tables.
    pub const ACT_TABLE: &str = "ACT table rings";

    /// Where a value comes from, by its name or that of its queue.
    pub fn provenance_of(&self, name: &str) -> Provenance {
        if self.configured.contains(name) { Provenance::Configured } else { self.provenance }
    }

    /// The configured defaults of a profile for a subgraph, on a core of its own choice unless
    /// `core` is given. Fails if the profile's core expression does.
    ///
    /// Rings follow each other at the profile's distance: first the one known side of each queue
    /// of type `in`, by name, then both sides of each queue of type `data`, by name.
    pub fn defaults(
        profile: &Profile,
        subgraph: &Subgraph,
        core: Option<u32>,
    ) -> Result<Self, ExprError> {
        let defaults = &profile.defaults;
        let core = match core {
            Some(core) => core,
            None => {
                let index = u64::from(subgraph.index);
                let names = |name: &str| {
                    (name == "SUBGRAPH").then_some(Value { number: index, from_input: None })
                };
                let value = defaults.core.eval(&names)?.number;
                let (what, expected) = ("the core", "a number below 2^32");
                u32::try_from(value).map_err(|_| ExprError::Range { what, value, expected })?
            }
        };
        let mut next = Some(defaults.rings);
        let mut take = |wanted: bool| -> Result<[u64; RINGS], ExprError> {
            if !wanted {
                return Ok([0; RINGS]);
            }
            let first = next;
            next = first.and_then(|first| first.checked_add(defaults.queue_step));
            let mut bases = [0; RINGS];
            for (k, base) in (0_u64..).zip(&mut bases) {
                let behind = defaults.ring_step.checked_mul(k).ok_or(ExprError::Overflow)?;
                let at = first.and_then(|first| first.checked_add(behind));
                *base = at.ok_or(ExprError::Overflow)?;
            }
            Ok(bases)
        };
        let mut rings = BTreeMap::new();
        let io = subgraph.queues.iter().filter(|queue| queue.kind.is_io());
        let data = subgraph.queues.iter().filter(|queue| queue.kind == QueueKind::Data);
        for queue in io.chain(data) {
            let (read, write) = known_sides(queue);
            let pair = QueueRings { read: take(read)?, write: take(write)? };
            rings.insert(queue.name.clone(), pair);
        }
        Ok(Self {
            core,
            request_page: defaults.request_page,
            dve_table: defaults.dve_table,
            act_table: defaults.act_table,
            rings,
            provenance: Provenance::Configured,
            configured: BTreeSet::new(),
        })
    }
}

/// Whether the read and the write side have bases when the model is loaded.
fn known_sides(queue: &Queue) -> (bool, bool) {
    if queue.kind.is_io() { (!queue.io_read, !queue.io_write) } else { (true, true) }
}
