//! Algorithms, operations and the events of meshes by number and name.

/// An algorithm of the host's list. The number is also what the control entry's nibble holds under
/// the default reading.
/// Spec: docs/format/collectives-plan.md "Algorithms" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Algorithm {
    /// Ring.
    Ring = 0,
    /// Hierarchical: legs inside a node and between nodes.
    Hierarchical = 1,
    /// Mesh.
    Mesh = 2,
    /// Ring of pairs of ranks.
    Kangaring = 3,
    /// Ring in one fused pass.
    SingleCycleRing = 4,
    /// Recursive halving and doubling inside a node.
    IntraRdh = 5,
    /// Mesh that sends whole buffers.
    SingleStepMesh = 6,
    /// Recursive halving and doubling between nodes.
    InterRdh = 7,
    /// Mesh over the nodes of a pod.
    TwoStepPodMesh = 8,
    /// Mesh behind switches, for latency.
    LatencyOptMesh = 9,
    /// Mesh behind switches, for bandwidth.
    BwOptMesh = 10,
}

impl Algorithm {
    /// All of them, by number.
    pub const ALL: [Self; 11] = [
        Self::Ring,
        Self::Hierarchical,
        Self::Mesh,
        Self::Kangaring,
        Self::SingleCycleRing,
        Self::IntraRdh,
        Self::SingleStepMesh,
        Self::InterRdh,
        Self::TwoStepPodMesh,
        Self::LatencyOptMesh,
        Self::BwOptMesh,
    ];

    /// The number, 0 to 10.
    pub const fn value(self) -> u8 {
        self as u8
    }

    /// Name in questions and answers, `single-cycle-ring`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::Hierarchical => "hierarchical",
            Self::Mesh => "mesh",
            Self::Kangaring => "kangaring",
            Self::SingleCycleRing => "single-cycle-ring",
            Self::IntraRdh => "intra-rdh",
            Self::SingleStepMesh => "single-step-mesh",
            Self::InterRdh => "inter-rdh",
            Self::TwoStepPodMesh => "two-step-pod-mesh",
            Self::LatencyOptMesh => "latency-opt-mesh",
            Self::BwOptMesh => "bw-opt-mesh",
        }
    }

    /// The algorithm of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }

    /// Whether a control entry of it lists channels; meshes give a shift and a mask instead.
    /// Spec: docs/format/collectives-plan.md "Entries" [observed].
    pub const fn lists_channels(self) -> bool {
        matches!(
            self,
            Self::Ring
                | Self::Kangaring
                | Self::SingleCycleRing
                | Self::Hierarchical
                | Self::IntraRdh
                | Self::InterRdh
        )
    }
}

/// What an algorithm computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Operation {
    /// Every rank ends with the reduction of all buffers.
    AllReduce,
    /// Every rank begins with its chunk and ends with all.
    AllGather,
    /// Rank r ends with chunk r of the reduction.
    ReduceScatter,
    /// Chunk c of rank r ends in the inbox of rank c.
    AllToAll,
    /// The buffer of each rank ends in the inbox of the next one: a send and a receive a rank.
    Permute,
}

impl Operation {
    /// All of them.
    pub const ALL: [Self; 5] =
        [Self::AllReduce, Self::AllGather, Self::ReduceScatter, Self::AllToAll, Self::Permute];

    /// `all-reduce`, `all-gather`, `reduce-scatter`, `all-to-all`, `permute`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::AllReduce => "all-reduce",
            Self::AllGather => "all-gather",
            Self::ReduceScatter => "reduce-scatter",
            Self::AllToAll => "all-to-all",
            Self::Permute => "permute",
        }
    }

    /// The operation of a name.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| one.name() == name)
    }
}

/// An event of a mesh, by number.
/// Spec: docs/format/collectives-plan.md "Mesh" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeshEvent(pub u8);

impl MeshEvent {
    /// Members wait for each other.
    pub const SYNC: Self = Self(0);
    /// Groups wait for each other.
    pub const GLOBAL_HNDSHK: Self = Self(1);
    /// Members of a group wait for each other.
    pub const LOCAL_HNDSHK: Self = Self(2);
    /// To other groups.
    pub const INTER_GRP_BRDCST: Self = Self(3);
    /// Barrier before a function, behind every list.
    pub const FUNC_BARRIER_FIRST: Self = Self(4);
    /// Barrier after a function, behind every list.
    pub const FUNC_BARRIER_LAST: Self = Self(5);
    /// Members wait for each other before data of the reduction goes out.
    pub const REDUCE_LOCAL_HNDSHK: Self = Self(6);
    /// To the own group.
    pub const INTRA_GRP_BRDCST: Self = Self(7);
    /// Reduces what arrived.
    pub const REDUCE_COPY: Self = Self(8);
    /// Reduces the rest of what arrived.
    pub const REDUCE_COPY_2: Self = Self(9);
    /// Writes the reduction.
    pub const REDUCE_WRITE: Self = Self(10);
    /// To other groups, second part.
    pub const INTER_GRP_BRDCST_2: Self = Self(11);
    /// What the host knows about sizes.
    pub const COPY_FROM_HOST: Self = Self(22);

    /// The host's name; `None` for an event that no schedule here uses.
    pub const fn name(self) -> Option<&'static str> {
        Some(match self {
            Self::SYNC => "SYNC",
            Self::GLOBAL_HNDSHK => "GLOBAL_HNDSHK",
            Self::LOCAL_HNDSHK => "LOCAL_HNDSHK",
            Self::INTER_GRP_BRDCST => "INTER_GRP_BRDCST",
            Self::FUNC_BARRIER_FIRST => "FUNC_BARRIER_FIRST",
            Self::FUNC_BARRIER_LAST => "FUNC_BARRIER_LAST",
            Self::COPY_FROM_HOST => "COPY_FROM_HOST",
            Self::REDUCE_LOCAL_HNDSHK => "REDUCE_LOCAL_HNDSHK",
            Self::INTRA_GRP_BRDCST => "INTRA_GRP_BRDCST",
            Self::REDUCE_COPY => "REDUCE_COPY",
            Self::REDUCE_COPY_2 => "REDUCE_COPY_2",
            Self::REDUCE_WRITE => "REDUCE_WRITE",
            Self::INTER_GRP_BRDCST_2 => "INTER_GRP_BRDCST_2",
            _ => return None,
        })
    }
}

/// What a trigger of a program asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// A collective that schedules are known for.
    Collective(Operation),
    /// Sends to a peer.
    Send,
    /// Receives from a peer.
    Receive,
    /// A kind of collective whose number has no known name.
    Unknown,
}

impl Kind {
    /// Name of the operation, `send`, `receive` or `unknown`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Collective(operation) => operation.name(),
            Self::Send => "send",
            Self::Receive => "receive",
            Self::Unknown => "unknown",
        }
    }

    /// The operation, where schedules are known.
    pub const fn operation(self) -> Option<Operation> {
        match self {
            Self::Collective(operation) => Some(operation),
            _ => None,
        }
    }
}

/// Place of an operation in a chain of operations that one trigger starts.
/// Spec: docs/format/collectives-plan.md "Triggers" [observed].
pub const fn chaining_name(value: u8) -> Option<&'static str> {
    match value {
        0 => Some("none"),
        1 => Some("initial"),
        2 => Some("body"),
        3 => Some("final"),
        _ => None,
    }
}
