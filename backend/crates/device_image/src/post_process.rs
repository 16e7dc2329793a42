//! The last pass over an image: calls become branches to functions, exits branches to POSTAMBLE,
//! branches of steps get their distances. One record stays one record, so no patch row comes.
//! Spec: docs/format/image.md "Branches" [observed].

use neff::{Findings, Severity};
use records::build::{self, Draft};
use records::{Provenance, Slot};

use crate::blocks::{Output, distance};
use crate::identify::Functions;
use crate::layout::SLOT;
use crate::recipe::Pieces;

/// Branches out of the image that are listed before the rest is only counted.
const BRANCHES_LISTED: u64 = 100;

impl Output<'_> {
    /// Calls become branches to their functions, exits branches to the postamble.
    pub(crate) fn resolve_calls(&mut self, functions: &Functions, postamble_start: usize) {
        for call in std::mem::take(&mut self.calls) {
            let Some(index) = functions.find(&call.name) else { continue };
            let (Some(callee), Some(placed)) = (functions.list.get(index), self.placed.get(index))
            else {
                continue;
            };
            let entry = placed.blocks.first().map_or(placed.first, |block| block.first);
            self.become_branch(call.slot, entry.0 as usize, 0);
            // The return address, as an offset in the image: low half, then high half.
            let back = (call.slot as u64 + 1) * SLOT;
            let halves =
                [(2, back as u32, callee.return_low), (1, (back >> 32) as u32, callee.return_high)];
            for (before, value, register) in halves {
                let save = call.slot.checked_sub(before).and_then(|at| self.slots.get_mut(at));
                if let Some(save) = save {
                    *save = Draft::of(*save).u32(0x14, u32::from(register)).u32(0x20, value).slot();
                }
            }
        }
        for slot in std::mem::take(&mut self.exits) {
            let flags = self.slots.get(slot).map_or(0, |old| old.u8_at(3));
            self.become_branch(slot, postamble_start, flags);
        }
    }

    /// Replaces a placeholder by an unconditional branch that keeps its events. Byte 3 of the
    /// branch is `flags`: that of the placeholder for an exit, 0 for a call.
    fn become_branch(&mut self, slot: usize, target: usize, flags: u8) {
        let Some(old) = self.slots.get(slot).copied() else { return };
        let events = old.bytes().get(0x04..0x0C).unwrap_or(&[]);
        let branch = build::branch(distance(slot, target));
        let branch = Draft::of(branch).u8(3, flags).bytes(0x04, events).slot();
        if let Some(place) = self.slots.get_mut(slot) {
            *place = branch;
        }
    }

    /// Branches of steps to steps. The regions begin at these image slots.
    pub(crate) fn resolve_steps(&mut self, regions: [(&Pieces, usize); 2]) {
        let start_of = |step: u16| {
            let mut starts = regions.iter();
            starts.find_map(|(pieces, start)| pieces.starts.get(&step).map(|at| start + at))
        };
        for (pieces, start) in regions {
            for (at, piece) in pieces.slots.iter().enumerate() {
                if let Some(target) = piece.branch_to.and_then(start_of) {
                    self.set_distance(start + at, target, Provenance::File);
                }
            }
        }
    }

    /// Relative branches that lead out of the image or between two slots are findings: those of
    /// the synthesized slots, and those of the stream that no label resolved.
    pub(crate) fn check_targets(
        &self,
        synthesized: impl Iterator<Item = usize>,
        findings: &mut Findings,
    ) {
        let end = self.slots.len() as i64 * SLOT as i64;
        let leads_out = |slot: &usize| {
            let at = *slot as i64 * SLOT as i64;
            self.slots.get(*slot).filter(|record| is_relative(record)).is_some_and(|record| {
                let target = at + i64::from(record.u32_at(0x30) as i32);
                // The distance is 32 bits of a field of 64, whose upper half is zero.
                record.u32_at(0x34) != 0 || target < 0 || target >= end || target % SLOT as i64 != 0
            })
        };
        let candidates = synthesized.chain(self.unresolved().iter().copied());
        let mut more = 0_u64;
        for (n, slot) in (1..).zip(candidates.filter(leads_out)) {
            if n > BRANCHES_LISTED {
                more += 1;
                continue;
            }
            let field = self.slots.get(slot).map_or(0, |record| record.u64_at(0x30));
            let distance = u32::try_from(field)
                .map_or_else(|_| format!("{field:#x}"), |distance| (distance as i32).to_string());
            findings.push(
                Severity::Warning,
                "image.branch-outside",
                self.place_of(slot),
                format!(
                    "the branch in image slot {slot} leads {distance} bytes on, to no slot of the image"
                ),
            );
        }
        if more > 0 {
            findings.push(
                Severity::Warning,
                "image.branch-outside",
                self.whole_place(),
                format!("{more} more branches lead to no slot of the image"),
            );
        }
    }
}

/// Whether a record branches by a distance.
fn is_relative(slot: &Slot) -> bool {
    slot.opcode_byte() == 0xA9 && slot.u8_at(0x0E) == 3
}
