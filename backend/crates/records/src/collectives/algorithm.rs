//! What a TOP_SP knows of algorithms: channels of rings, events of meshes, and how far they are.

use zerocopy::little_endian::{U16, U32, U64};

use super::device::RawApbBcast;
use super::names::{MESH_EVENT, NEIGHBOUR_TYPE};
use crate::kbin::{Form, kbin_record};

/// Ring channels of a context.
/// Spec: docs/format/collectives.md "Ring channel" [observed].
pub const CHANNELS: usize = 32;
/// Network indices that a neighbor has room for.
/// Spec: docs/format/collectives.md "Ring channel" [observed].
pub const NET_INDICES: usize = 3;
/// Mesh events of a context on sunda.
/// Spec: docs/format/collectives.md "Context" [observed].
pub const EVENTS_SUNDA: usize = 50;
/// Mesh events of a context on cayman and later.
/// Spec: docs/format/collectives.md "Context" [observed].
pub const EVENTS: usize = 108;

kbin_record! {
    /// A neighbor in a ring.
    /// Spec: docs/format/collectives.md "Ring channel" [observed].
    RawNeighbour 28 "ring_neighbor" "Ring channel" {
        0 net_idx_addrs: [U64; 3] = Form::Addresses, Observed File "" "addresses of network indices";
        24 fold_n: u8 = Form::Dec, Observed File "" "of them in use";
        25 type_: u8 = Form::Name(&NEIGHBOUR_TYPE), Observed File "" "how it is reached";
        26 pad_26: [u8; 2] = Form::Padding, Observed File "" "padding";
    }
}

kbin_record! {
    /// Semaphores of paired ranks.
    /// Spec: docs/format/collectives.md "Ring channel" [observed].
    RawKringPeers 32 "kring_peer_semas" "Ring channel" {
        0 mine: U64 = Form::Address, Observed File "" "semaphore that is waited";
        8 peers: [U64; 3] = Form::Addresses, Observed File "" "semaphores that are posted";
    }
}

kbin_record! {
    /// A ring channel as it is configured.
    /// Spec: docs/format/collectives.md "Ring channel" [observed].
    RawRingChannel 148 "ring_channel" "Ring channel" {
        0 next_neigh: RawNeighbour = Form::Record(&RawNeighbour::LAYOUT), Observed File "" "next rank";
        28 prev_neigh: RawNeighbour = Form::Record(&RawNeighbour::LAYOUT), Observed File "" "previous rank";
        56 recv_sema: U64 = Form::Address, Observed File "" "semaphore that counts what was received";
        64 send_sema: U64 = Form::Address, Observed File "" "semaphore of credits to send";
        72 post_sema: U64 = Form::Address, Observed File "" "semaphore that is posted";
        80 dma_compl_sema: U64 = Form::Address, Observed File "" "semaphore of finished transfers";
        88 kring_peer_semas: RawKringPeers = Form::Record(&RawKringPeers::LAYOUT), Observed File "" "paired ranks";
        120 dma_apb_bcast: RawApbBcast = Form::Record(&RawApbBcast::LAYOUT), Observed File "" "tails of its rings";
        140 channel_id: u8 = Form::Dec, Observed File "" "channel, below 32";
        141 spad_slot_idx: u8 = Form::Dec, Observed File "" "slot whose tape it runs, below 6";
        142 fold_n: u8 = Form::Dec, Observed File "" "network indices";
        143 kangaring_is_primary: u8 = Form::Dec, Observed File "" "it is the primary of its pair";
        144 kangaring_num_peers: u8 = Form::Dec, Observed File "" "peers, 1 or 3";
        145 reserved_145: [u8; 3] = Form::Padding, Observed File "" "reserved";
    }
}

kbin_record! {
    /// A ring channel as it runs.
    /// Spec: docs/format/collectives.md "Running state" [observed].
    RawRingRow 16 "ring_channel_ctx" "Running state" {
        0 recv_cnt: U16 = Form::Dec, Observed File "" "received";
        2 send_credit: U16 = Form::Dec, Observed File "" "credits to send";
        4 repeat_cnt: U16 = Form::Dec, Observed File "" "repetitions of the step";
        6 m2s_val: U16 = Form::Dec, Observed File "" "added to the tail of the sending side";
        8 s2m_val: U16 = Form::Dec, Observed File "" "added to the tail of the receiving side";
        10 unused_10: [u8; 4] = Form::Padding, Observed File "" "not used";
        14 slot_idx: u8 = Form::Dec, Observed File "" "slot";
        15 run_state: u8 = Form::Dec, Observed File "" "state; its values are not known";
    }
}

kbin_record! {
    /// An event of a mesh.
    /// Spec: docs/format/collectives.md "Mesh events" [observed].
    RawMeshEvent 80 "mesh_event" "Mesh events" {
        0x00 dma_apb_bcast: [RawApbBcast; 2] = Form::Records(&RawApbBcast::LAYOUT), Observed File "" "broadcasts";
        0x28 direct_trigger_sema: [U64; 3] = Form::Addresses, Observed File "" "semaphores that are posted";
        0x40 event_wait_sema: U64 = Form::Address, Observed File "" "semaphore that is waited";
        0x48 wait_val: U32 = Form::Dec, Observed File "ranks" "value waited for";
        0x4c event_type: u8 = Form::Name(&MESH_EVENT), Observed File "" "kind; numbers differ between versions";
        0x4d dma_trigger: u8 = Form::Dec, Observed File "" "broadcasts, at most 2";
        0x4e direct_trigger: u8 = Form::Dec, Observed File "" "semaphores that are posted, at most 3";
        0x4f wait_event: u8 = Form::Dec, Observed File "" "whether it waits";
    }
}

kbin_record! {
    /// Algorithms as they are configured, on sunda.
    /// Spec: docs/format/collectives.md "Context" [observed].
    RawAlgoConfigsSunda 0x2228 "algo_configs" "Context" {
        0x0000 channels: [RawRingChannel; 32] = Form::Records(&RawRingChannel::LAYOUT), Observed File "" "ring channels";
        0x1280 events: [RawMeshEvent; 50] = Form::Records(&RawMeshEvent::LAYOUT), Observed File "" "mesh events";
        0x2220 stub: U64 = Form::Hex, Observed File "" "stands for the hierarchical configuration";
    }
}

kbin_record! {
    /// Algorithms as they are configured, on cayman and later.
    /// Spec: docs/format/collectives.md "Context" [observed].
    RawAlgoConfigs 0x3448 "algo_configs" "Context" {
        0x0000 channels: [RawRingChannel; 32] = Form::Records(&RawRingChannel::LAYOUT), Observed File "" "ring channels";
        0x1280 events: [RawMeshEvent; 108] = Form::Records(&RawMeshEvent::LAYOUT), Observed File "" "mesh events";
        0x3440 stub: U64 = Form::Hex, Observed File "" "stands for the hierarchical configuration";
    }
}

kbin_record! {
    /// Algorithms as they run.
    /// Spec: docs/format/collectives.md "Running state" [observed].
    RawAlgoCtx 0x208 "algo_ctx" "Running state" {
        0x000 channels: [RawRingRow; 32] = Form::Records(&RawRingRow::LAYOUT), Observed File "" "ring channels";
        0x200 hierarchical_run_state: u8 = Form::Dec, Observed File "" "state of a hierarchical algorithm";
        0x201 pad_201: [u8; 3] = Form::Padding, Observed File "" "padding";
        0x204 mesh_event_index: U16 = Form::Dec, Observed File "" "event that is next";
        0x206 pad_206: [u8; 2] = Form::Padding, Observed File "" "padding";
    }
}
