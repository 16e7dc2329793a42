//! What the triggers of a program put into the tables of the TOP_SPs: one control entry for each
//! operation and TOP_SP, and the steps on the slot tape.
//! Spec: docs/format/collectives-plan.md "Entries" [inferred].

use super::names::Algorithm;
use records::Provenance;

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
