//! How much of a stream leads back to source code, and what is missing where it does not.

use super::layer::LayerKind;
use super::source_map::{NO_INDEX, SourceMap};

/// Slots of an engine by how far they lead.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// All slots.
    pub slots: u64,
    /// With a backend record.
    pub with_bir: u64,
    /// With a penguin record.
    pub with_penguin: u64,
    /// With a source line.
    pub with_line: u64,
}

impl Coverage {
    /// Counts the slots of one engine.
    pub fn of(map: &SourceMap) -> Self {
        let count = |column: &[u32]| column.iter().filter(|index| **index != NO_INDEX).count();
        let ids = map.slot_ids();
        Self {
            slots: u64::from(map.n_slots),
            with_bir: count(&ids.bir) as u64,
            with_penguin: count(&ids.penguin) as u64,
            with_line: count(&ids.line) as u64,
        }
    }
}

impl std::ops::Add for Coverage {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            slots: self.slots + other.slots,
            with_bir: self.with_bir + other.with_bir,
            with_penguin: self.with_penguin + other.with_penguin,
            with_line: self.with_line + other.with_line,
        }
    }
}

/// What keeps the slots of these engines from leading to source lines, one sentence each; empty
/// if lines are there. It says only what is known of real files.
/// Spec: docs/format/debug-layers.md "Coverage" [observed].
pub fn advice(maps: &[SourceMap]) -> Vec<String> {
    let total = maps.iter().map(Coverage::of).fold(Coverage::default(), |a, b| a + b);
    let mut list = Vec::new();
    if total.slots == 0 || total.with_line > 0 {
        return list;
    }
    let mut layers = maps.iter().flat_map(SourceMap::layers);
    let has_slot_layer = layers.any(|layer| layer.kind == LayerKind::Asm);
    if !has_slot_layer {
        list.push(
            if maps.iter().any(SourceMap::has_listing) {
                "The file has assembly listings and no debug members, so slots lead to listing \
                 lines and no further."
            } else {
                "The file has no debug member of its slots (`debug_info_asm_<engine>.dbg`). All \
                 files of compilers 2.0.99229, 2.18.121, 2.21.18209 and 2.23.6484 have them, so \
                 they were probably removed; use the file as the compiler wrote it."
            }
            .to_owned(),
        );
        return list;
    }
    let missing = maps.iter().find_map(SourceMap::missing_layer);
    if let Some(name) = missing {
        let known = match LayerKind::of_member(name) {
            LayerKind::Hlo | LayerKind::Pttf => {
                " Files of compiler 2.23.6484 have it; earlier known ones do not."
            }
            LayerKind::Penguin | LayerKind::Backend | LayerKind::Asm => {
                " All known compilers write it, so it was probably removed."
            }
            LayerKind::Other => "",
        };
        list.push(format!("The layer `{name}` is named and not in the file.{known}"));
    }
    list.push(
        "No debug record names a source line. Among known files, lines come from compilers \
         2.18.121 (10 of 12 files) and 2.23.6484 (2 of 2), rarely from 2.0.99229 (1 of 62) and \
         never from 2.21.18209 (0 of 37); compiling again with a compiler that writes them is the \
         known way to get them."
            .to_owned(),
    );
    list
}
