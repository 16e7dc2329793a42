//! The barrier of a program's TOP_SPs in the `collectives` document.

use super::Provenance;
use serde::{Deserialize, Serialize};

/// What the TOP_SPs and the host do before the first operation. Which of the two barriers is run is
/// in the configuration (`execute_device_barrier`), which no executable has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarrierInfo {
    /// The four steps of the device.
    pub steps: Vec<BarrierStepInfo>,
    /// The same where switches join the ranks, which a file does not say.
    pub switched_steps: Vec<BarrierStepInfo>,
    /// What the device does behind the steps.
    pub after: Vec<String>,
    /// What the host does where it runs the barrier instead.
    pub host: Vec<String>,
    /// Of `after` and `host`.
    pub provenance: Provenance,
    /// Ranks of a chip, which the peers depend on.
    pub ranks_per_chip: u32,
    /// The host's plan: peers of one rank of each set of groups that a collective names.
    pub peers: Vec<BarrierPeers>,
}

/// A step of the device's barrier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarrierStepInfo {
    /// 0-based.
    pub index: u32,
    /// `ENTRY` or `EXIT`.
    pub op: String,
    /// Places in use.
    pub group_size: u32,
    /// All four places.
    pub places: Vec<BarrierPlace>,
    /// Of sizes, types and operations.
    pub provenance: Provenance,
    /// What it does, in words.
    pub action: String,
    /// Of the words.
    pub action_provenance: Provenance,
}

/// A place of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarrierPlace {
    /// `INTRA_CHIP INTRA_POD INTER_CHIP RING_LOCAL RING_REMOTE INTRA_RACK INTER_RACK unused`.
    pub kind: String,
    /// Its number; 7 for an unused place.
    pub number: u8,
    /// Number of the operation; 2 for an unused place.
    pub op: u8,
}

/// The host's plan for one rank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarrierPeers {
    /// Index of the set of groups.
    pub group: u32,
    /// The rank: the one that was asked for, else the first of the first group.
    pub rank: u32,
    /// Whom it tells.
    pub sends: Vec<BarrierPeer>,
    /// Who tells it.
    pub receives: Vec<BarrierPeer>,
    /// Of all of it.
    pub provenance: Provenance,
}

/// One line of a plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarrierPeer {
    /// Rank.
    pub rank: u32,
    /// How it is met.
    pub kind: String,
    /// Bit that is set for it; no two peers of a table share kind and bit.
    pub bit: u32,
}
