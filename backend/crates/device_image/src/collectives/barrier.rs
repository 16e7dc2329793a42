//! The barrier that a TOP_SP runs before its first operation: its steps, and the peers that the host
//! writes down for it.
//! Spec: docs/format/collectives-plan.md "Barriers" [observed].

use super::top_sp::semaphore;
use crate::address_map::bases::cores;
use crate::program::Generation;

/// Places of a step; a step that needs fewer has the rest unused.
pub const PLACES: usize = 4;

/// Who meets at a place of a step.
/// Spec: docs/format/collectives-plan.md "Barriers" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum BarrierType {
    /// Ranks of one chip.
    IntraChip = 0,
    /// Ranks of one pod.
    IntraPod = 1,
    /// Ranks of different chips.
    InterChip = 2,
    /// Neighbours in a ring whose link cannot deadlock with semaphores alone.
    RingLocal = 3,
    /// Other neighbours in a ring.
    RingRemote = 4,
    /// Ranks of one rack.
    IntraRack = 5,
    /// Ranks of different racks.
    InterRack = 6,
    /// An unused place.
    Unused = 7,
}

impl BarrierType {
    /// The number.
    pub const fn value(self) -> u8 {
        self as u8
    }

    /// The host's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::IntraChip => "INTRA_CHIP",
            Self::IntraPod => "INTRA_POD",
            Self::InterChip => "INTER_CHIP",
            Self::RingLocal => "RING_LOCAL",
            Self::RingRemote => "RING_REMOTE",
            Self::IntraRack => "INTRA_RACK",
            Self::InterRack => "INTER_RACK",
            Self::Unused => "unused",
        }
    }
}

/// What a step does at its places.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BarrierOp {
    /// Posts.
    Entry = 0,
    /// Waits.
    Exit = 1,
}

impl BarrierOp {
    /// The number that an unused place has instead.
    pub const UNUSED: u8 = 2;

    /// The number.
    pub const fn value(self) -> u8 {
        self as u8
    }

    /// The host's name.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Entry => "ENTRY",
            Self::Exit => "EXIT",
        }
    }
}

/// One of the four steps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BarrierStep {
    /// What it does.
    pub op: BarrierOp,
    /// At these places; the rest is [`BarrierType::Unused`].
    pub places: [BarrierType; PLACES],
    /// In words.
    pub action: &'static str,
}

impl BarrierStep {
    /// Places in use.
    pub fn group_size(&self) -> usize {
        self.places.iter().filter(|place| **place != BarrierType::Unused).count()
    }
}

/// The steps; ranks that are joined by switches have racks instead of pods, chips and rings.
/// Spec: docs/format/collectives-plan.md "Barriers" [observed].
pub const fn steps(switched: bool) -> [BarrierStep; 4] {
    use BarrierType::{
        InterChip, InterRack, IntraChip, IntraPod, IntraRack, RingLocal, RingRemote, Unused,
    };
    let chip = [IntraChip, Unused, Unused, Unused];
    let far = if switched {
        [IntraRack, InterRack, Unused, Unused]
    } else {
        [IntraPod, InterChip, RingLocal, RingRemote]
    };
    let (entry, exit) = (BarrierOp::Entry, BarrierOp::Exit);
    let wait = "waits for the target, then takes it off";
    [
        BarrierStep { op: entry, places: chip, action: "posts" },
        BarrierStep { op: entry, places: far, action: "posts, and adds to the two tail pointers" },
        BarrierStep { op: exit, places: far, action: wait },
        BarrierStep { op: exit, places: chip, action: wait },
    ]
}

/// What follows the steps.
/// Spec: docs/format/collectives-plan.md "Barriers" [inferred].
pub const AFTER: [&str; 2] = [
    "waits until the four semaphores of transfers, dma_sync_sema, reach dma_sync_sema_value",
    "writes to start_network_proxy, an address of the host, which starts the network",
];

/// The barrier that the host runs instead, where `execute_device_barrier` is 0.
/// Spec: docs/format/collectives-plan.md "Barriers" [inferred].
pub const HOST: [&str; 2] =
    ["the host posts barrier_start and polls it", "the host posts barrier_done and polls it"];

/// Semaphores of a TOP_SP with a fixed use at a barrier.
/// Spec: docs/format/collectives-plan.md "Completion surface" [observed].
pub const RESERVED: [(&str, u32); 6] = [
    ("barrier_0", 2),
    ("barrier_1", 3),
    ("barrier_dma_sync", 4),
    ("function_switch", 5),
    ("host_barrier_0", 6),
    ("host_barrier_1", 7),
];

/// Name, number, and read and increment address of each of a TOP_SP's.
pub fn reserved(
    generation: Generation,
    top_sp: u32,
) -> impl Iterator<Item = (&'static str, u32, Option<(u64, u64)>)> {
    RESERVED
        .into_iter()
        .map(move |(name, number)| (name, number, semaphore(generation, top_sp, number)))
}

/// One line of the host's plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Peer {
    /// Rank.
    pub rank: u32,
    /// How it is met.
    pub kind: BarrierType,
    /// Bit that is set for it.
    pub bit: u32,
}

/// The host's plan for one rank of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PeerTables {
    /// Whom it tells.
    pub sends: Vec<Peer>,
    /// Who tells it.
    pub receives: Vec<Peer>,
}

/// Logical cores of a chip, each of which is a rank.
/// Spec: docs/format/collectives-plan.md "Barriers" [modelled].
pub const fn ranks_per_chip(generation: Generation, cores_of_rank: u32) -> u32 {
    let cores_of_rank = if cores_of_rank == 0 { 1 } else { cores_of_rank };
    let ranks = cores(generation) / cores_of_rank;
    if ranks == 0 { 1 } else { ranks }
}

/// The plan of a rank: all others of its group on its chip, and its neighbours in the ring where
/// they are elsewhere. A link inside a node counts as one that cannot deadlock. Bits are counted for
/// each type.
/// Spec: docs/format/collectives-plan.md "Barriers" [modelled].
pub fn peers(group: &[u32], rank: u32, per_chip: u32, per_node: u32) -> PeerTables {
    let Some(place) = group.iter().position(|one| *one == rank) else {
        return PeerTables::default();
    };
    let chip = |rank: u32| rank / per_chip.max(1);
    let node = |rank: u32| rank / per_node.max(1);
    let near =
        || group.iter().copied().filter(|other| *other != rank && chip(*other) == chip(rank));
    let neighbour = |step: usize| {
        let other = group.get((place + step) % group.len()).copied();
        other.filter(|other| chip(*other) != chip(rank))
    };
    let table = |neighbour: Option<u32>| {
        let near =
            near().zip(0..).map(|(rank, bit)| Peer { rank, kind: BarrierType::IntraChip, bit });
        let far = neighbour.map(|other| {
            let same = node(other) == node(rank);
            let kind = if same { BarrierType::RingLocal } else { BarrierType::RingRemote };
            Peer { rank: other, kind, bit: 0 }
        });
        near.chain(far).collect()
    };
    PeerTables {
        sends: table(neighbour(1)),
        receives: table(neighbour(group.len().saturating_sub(1))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn steps_as_published() {
        // Group sizes {1, 4, 4, 1}, of switches {1, 2, 2, 1}; unused places are type 7.
        let numbers = |switched| {
            steps(switched).map(|step| (step.op.value(), step.places.map(BarrierType::value)))
        };
        let plain = [(0, [0, 7, 7, 7]), (0, [1, 2, 3, 4]), (1, [1, 2, 3, 4]), (1, [0, 7, 7, 7])];
        assert_eq!(numbers(false), plain);
        assert_eq!(steps(false).map(|step| step.group_size()), [1, 4, 4, 1]);
        let switches = [(0, [0, 7, 7, 7]), (0, [5, 6, 7, 7]), (1, [5, 6, 7, 7]), (1, [0, 7, 7, 7])];
        assert_eq!(numbers(true), switches);
        assert_eq!(steps(true).map(|step| step.group_size()), [1, 2, 2, 1]);
        assert_eq!(BarrierOp::UNUSED, 2);
    }

    #[test]
    fn peers_by_chip_and_ring() {
        // Cayman has 8 physical cores: 8 ranks of one core, 4 of two. Sunda has 2.
        assert_eq!(ranks_per_chip(Generation::Cayman, 1), 8);
        assert_eq!(ranks_per_chip(Generation::Cayman, 2), 4);
        assert_eq!(ranks_per_chip(Generation::Sunda, 1), 2);
        assert_eq!(ranks_per_chip(Generation::Sunda, 0), 2);
        let told = |list: &[Peer]| -> Vec<(u32, u8, u32)> {
            list.iter().map(|peer| (peer.rank, peer.kind.value(), peer.bit)).collect()
        };
        let all: Vec<u32> = (0..8).collect();
        // Two chips of four in one node: rank 3 has 0, 1, 2 beside it and sends to 4 elsewhere; what
        // it receives comes from 2, which is beside it already.
        let of = peers(&all, 3, 4, 64);
        assert_eq!(told(&of.sends), [(0, 0, 0), (1, 0, 1), (2, 0, 2), (4, 3, 0)]);
        assert_eq!(told(&of.receives), [(0, 0, 0), (1, 0, 1), (2, 0, 2)]);
        // The ring closes from 7 to 0. In nodes of four ranks it is a remote link.
        let of = peers(&all, 0, 4, 4);
        assert_eq!(told(&of.receives), [(1, 0, 0), (2, 0, 1), (3, 0, 2), (7, 4, 0)]);
        assert_eq!(peers(&all, 9, 4, 64), PeerTables::default());
        assert_eq!(peers(&[5], 5, 4, 64), PeerTables::default());
        assert_eq!(peers(&[], 0, 0, 0), PeerTables::default());
    }

    #[test]
    fn no_two_peers_share_a_type_and_a_bit() {
        for (n, per_chip, per_node) in
            [(2, 8, 64), (16, 8, 16), (64, 4, 64), (128, 4, 64), (7, 2, 4)]
        {
            let all: Vec<u32> = (0..n).collect();
            for rank in 0..n {
                let tables = peers(&all, rank, per_chip, per_node);
                for list in [&tables.sends, &tables.receives] {
                    let pairs: BTreeSet<_> = list.iter().map(|one| (one.kind, one.bit)).collect();
                    assert_eq!(pairs.len(), list.len(), "{n} {rank}");
                }
                // Who tells whom is told by both.
                for peer in &tables.sends {
                    let other = peers(&all, peer.rank, per_chip, per_node);
                    assert!(
                        other.receives.iter().any(|one| one.rank == rank && one.kind == peer.kind)
                    );
                }
            }
        }
    }
}
