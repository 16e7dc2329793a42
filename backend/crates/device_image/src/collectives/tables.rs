//! What the triggers of a program put into the tables of the TOP_SPs: one control entry for each
//! operation and TOP_SP, and the steps on the slot tape.
//! Spec: docs/format/collectives-plan.md "Entries" [inferred].

use super::names::Algorithm;
use records::Provenance;
use records::collectives::{EntryFields, SpadCtrlEntry};

/// Channels that a communicator has at most.
/// Spec: docs/format/collectives-plan.md "Limits" [observed].
pub const MAX_CHANNELS: u32 = 32;

/// An operation, as its entries need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operation {
    /// Index of its trigger.
    pub trigger: usize,
    /// Algorithm; `None` for a send, a receive or an unknown kind.
    pub algorithm: Option<Algorithm>,
    /// Number of the algorithm's variant.
    pub variant: Option<u8>,
    /// Whether somebody else has to take part: an operation of one rank moves nothing.
    pub is_shared: bool,
    /// Channels that it uses.
    pub channels: u32,
    /// Steps of its schedule; 0 if there is none.
    pub steps: u64,
    /// Whether another operation of its chain follows.
    pub is_chained: bool,
}

/// What the second half of an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum View {
    /// One bit for each channel that the TOP_SP runs.
    Channels(u32),
    /// Shift and mask of semaphores; how the runtime chooses them is not published.
    Mesh,
}

/// A control entry. Its bytes are for others to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Index of the trigger that it is for.
    pub trigger: usize,
    /// Algorithm; `None` for a NOP and where none is known.
    pub algorithm: Option<Algorithm>,
    /// Number of the algorithm's variant; `None` where there is no algorithm.
    pub variant: Option<u8>,
    /// Only the enable bit: the TOP_SP takes no part, so that all have the same number of entries.
    pub is_nop: bool,
    /// The next operation starts when this one is done.
    pub trigger_next: bool,
    /// This TOP_SP reports the end to the engines.
    pub reporter: bool,
    /// Waits for a TOP_SP of a lower number.
    pub wait_complete: bool,
    /// Tells a TOP_SP of a higher number.
    pub send_complete: bool,
    /// The second half.
    pub view: View,
    /// Entries on the slot tape, the closing one included.
    pub tape: u64,
    /// How sure the flags and channels are.
    pub from: Provenance,
}

impl Entry {
    /// The word as far as it is known, and its known bits. A packer that writes only what it knows
    /// leaves reserved bits 0; what it copies from the host, and a mesh's shift and mask, stay open.
    /// Spec: docs/format/collectives-plan.md "Entries" [inferred].
    pub fn word(&self) -> (SpadCtrlEntry, u64) {
        if self.is_nop {
            return (SpadCtrlEntry(1), u64::MAX);
        }
        let fields = EntryFields {
            cc_op: true,
            algo_type: self.algorithm.map_or(0, Algorithm::value),
            algo_sub_type: self.variant.unwrap_or(0),
            trigger_next: self.trigger_next,
            reporter: self.reporter,
            ring_wait_complete: self.wait_complete,
            ring_send_complete: self.send_complete,
            union: match self.view {
                View::Channels(list) => list,
                View::Mesh => 0,
            },
            ..EntryFields::default()
        };
        let all = EntryFields {
            algo_type: if self.algorithm.is_none() { 15 } else { 0 },
            algo_sub_type: if self.variant.is_none() { 7 } else { 0 },
            // Nothing planned here is a permutation; a kind without a name could be one.
            safe_mode: self.algorithm.is_none(),
            unique_tensors: true,
            union: if self.view == View::Mesh { u32::MAX } else { 0 },
            ..EntryFields::default()
        };
        let word = |fields: &EntryFields| SpadCtrlEntry::of_fields(fields).unwrap_or_default();
        (word(&fields), !word(&all).0)
    }
}

/// Entries of all TOP_SPs, each list in the order of the operations.
pub fn entries(operations: &[Operation], n_top_sps: u32) -> Vec<Vec<Entry>> {
    (0..n_top_sps)
        .map(|place| operations.iter().map(|one| entry(one, place, n_top_sps)).collect())
        .collect()
}

/// Place of the TOP_SP that owns a channel: channels are dealt out in turn.
/// Spec: docs/format/collectives-plan.md "Entries" [modelled].
const fn owner(channel: u32, n_top_sps: u32) -> u32 {
    channel % n_top_sps
}

fn entry(operation: &Operation, place: u32, n_top_sps: u32) -> Entry {
    let mut made = Entry {
        trigger: operation.trigger,
        algorithm: operation.algorithm,
        variant: operation.variant,
        is_nop: false,
        trigger_next: operation.is_chained,
        reporter: false,
        wait_complete: false,
        send_complete: false,
        view: View::Channels(0),
        tape: 0,
        from: Provenance::Modelled,
    };
    let channels = operation.channels.min(MAX_CHANNELS);
    let is_mesh = operation.algorithm.is_some_and(|algorithm| !algorithm.lists_channels());
    if is_mesh {
        made.view = View::Mesh;
        made.reporter = place + 1 == n_top_sps;
        return made;
    }
    let mine = (0..channels).filter(|channel| owner(*channel, n_top_sps) == place);
    let list = mine.clone().fold(0_u32, |bits, channel| bits | 1 << channel);
    if list == 0 || !operation.is_shared {
        return Entry { algorithm: None, variant: None, is_nop: true, trigger_next: false, ..made };
    }
    let neighbours = mine.flat_map(|channel| [channel.checked_sub(1), Some(channel + 1)]);
    for neighbour in neighbours.flatten().filter(|channel| *channel < channels) {
        let other = owner(neighbour, n_top_sps);
        made.send_complete |= other > place;
        made.wait_complete |= other < place;
    }
    made.view = View::Channels(list);
    // The last one of the chain of completions knows that all are done.
    made.reporter = place + 1 == n_top_sps.min(channels);
    made.tape = u64::from(list.count_ones()) * (operation.steps + 1);
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(algorithm: Option<Algorithm>, channels: u32) -> Operation {
        let variant = algorithm.map(|_| 0);
        Operation {
            trigger: 0,
            algorithm,
            variant,
            is_shared: true,
            channels,
            steps: 2,
            is_chained: true,
        }
    }

    #[test]
    fn words_of_planned_entries() {
        // Kangaring 3 on channel 0 of two TOP_SPs: bits 0, 8, 9, 15 (chained), 18 (the neighbour on
        // the higher TOP_SP), 32.
        let lists = entries(&[operation(Some(Algorithm::Kangaring), 2)], 2);
        let (word, known) = lists[0][0].word();
        assert_eq!(word.0, 0x0000_0001_0004_8301);
        assert_eq!(known, !(1 << 20), "only what is copied from the host is open");
        // The other one waits, reports and has channel 1.
        assert_eq!(lists[1][0].word().0.0, 0x0000_0002_0003_8301);
        // A mesh has its number 2 and an open second half.
        let lists = entries(&[operation(Some(Algorithm::Mesh), 2)], 2);
        let (word, known) = lists[1][0].word();
        assert_eq!((word.0, known), (0x0000_0000_0001_8201, 0x0000_0000_FFEF_FFFF));
        // Without an algorithm its bits are open too, and so is the permute flag.
        let lists = entries(&[operation(None, 1)], 2);
        assert_eq!(lists[0][0].word().1, !(0x7F00 | 3 << 19));
        // The one without a channel keeps step.
        assert_eq!(lists[1][0].word(), (SpadCtrlEntry(1), u64::MAX));
    }
}
