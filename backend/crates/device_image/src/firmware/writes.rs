//! Whether a printing function is as large as what it prints needs: a check of the description of
//! the text against the size of the code.
//! Spec: docs/format/collectives.md "Count of writes" [inferred].

use std::collections::BTreeMap;

use records::collectives::printers::{PRINTERS, Printer};
use records::collectives::{Context, ContextArch};

use super::text::Node;
use super::tree;

/// Families whose writes were counted.
const COUNTED: [&str; 12] = [
    "spad_ctrl_entry_header",
    "spad_ctrl_cc_op_entry",
    "spad_ctrl_entry",
    "addr (leaf)",
    "kring_peer_semas",
    "ring_channels_configs",
    "dev_tsync",
    "dev_configs",
    "neff_configs",
    "op_ctx",
    "basic_block_ctx",
    "neff_ctx",
];

/// Bytes of code of one write, at least and at most.
const BYTES_PER_WRITE: std::ops::RangeInclusive<u32> = 120..=155;

/// A printing function with the writes that its text needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrinterWrites {
    /// The function.
    pub printer: &'static Printer,
    /// Writes that its text needs; `None` for a function whose writes nobody counted.
    pub writes: Option<u32>,
}

impl PrinterWrites {
    /// Bytes of code for each write, rounded down.
    pub fn bytes_per_write(&self) -> Option<u32> {
        self.printer.bytes.checked_div(self.writes?)
    }

    /// Whether the size fits the writes; `None` where nobody counted.
    pub fn fits(&self) -> Option<bool> {
        self.bytes_per_write().map(|bytes| BYTES_PER_WRITE.contains(&bytes))
    }
}

/// All printing functions, with the writes of the counted ones.
pub fn printers() -> Vec<PrinterWrites> {
    // With a one in every byte no list is empty.
    let arch = ContextArch::Sunda;
    let bytes = vec![1; arch.context_bytes()];
    let mut counts = BTreeMap::new();
    if let Ok(context) = Context::of(arch, &bytes) {
        count(&tree::context(&context, "", 0), &mut counts);
    }
    let writes = |printer: &Printer| {
        let counted = COUNTED.contains(&printer.family);
        counted.then(|| counts.get(printer.family).copied()).flatten()
    };
    PRINTERS.iter().map(|printer| PrinterWrites { printer, writes: writes(printer) }).collect()
}

/// Writes of a node in the function that prints it; those of functions that it calls go into
/// `counts`.
fn count(node: &Node, counts: &mut BTreeMap<&'static str, u32>) -> u32 {
    match node {
        Node::Number(_) | Node::Pointer(_) | Node::Text(_) => 4,
        Node::Address(_) => 2,
        Node::Object(members) => {
            let mut sum = 4;
            let mut in_loop = false;
            for one in members {
                let own = count(&one.node, counts);
                // The members of a loop are one piece of code.
                if !(one.numbered && in_loop) {
                    sum += own + u32::from(one.numbered);
                }
                in_loop = one.numbered;
            }
            sum
        }
        // So are the elements of a list.
        Node::List(nodes) => {
            let each: Vec<u32> = nodes.iter().map(|one| count(one, counts)).collect();
            4 + each.first().copied().unwrap_or(0)
        }
        Node::Call(family, inner) => {
            // The function's own opening is one write more than one inside.
            let own = 1 + count(inner, counts);
            counts.entry(family).or_insert(own);
            0
        }
    }
}
