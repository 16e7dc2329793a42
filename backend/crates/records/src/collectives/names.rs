//! Numbers with names in the records of collectives. Values without a name stay numbers.
//! Spec: docs/format/collectives.md "Enumerations" [observed].

use crate::kbin::names::NameTable;

/// Algorithms of the runtime, which the default reading of the nibble takes.
/// Spec: docs/format/collectives.md "Two readings of the algorithm" [observed].
pub static HOST_ALGORITHM: NameTable = NameTable {
    name: "enc_alg_type",
    values: &[
        (0, "RING"),
        (1, "HIER"),
        (2, "MESH"),
        (3, "KANGARING"),
        (4, "SINGLE_CYCLE_RING"),
        (5, "INTRA_RDH"),
        (6, "SINGLE_STEP_MESH"),
        (7, "INTER_RDH"),
        (8, "TWO_STEP_POD_MESH"),
        (9, "LATENCY_OPT_MESH"),
        (10, "BW_OPT_MESH"),
        (11, "INVALID"),
    ],
};

/// Patterns, which the other reading of the nibble takes.
/// Spec: docs/format/collectives.md "Two readings of the algorithm" [observed].
pub static PATTERN: NameTable =
    NameTable { name: "enc_pattern", values: &[(0, "RING"), (1, "MESH"), (2, "INVALID")] };

/// Kinds of meshes, which the sub type may be.
/// Spec: docs/format/collectives.md "Enumerations" [medium].
pub static MESH_TYPE: NameTable = NameTable {
    name: "enc_alg_mesh_type_t",
    values: &[(0, "FULL"), (1, "GROUPED"), (2, "TRN2"), (3, "SWITCH"), (4, "INVALID")],
};

/// How a ring neighbor is reached.
/// Spec: docs/format/collectives.md "Ring channel" [observed].
pub static NEIGHBOUR_TYPE: NameTable =
    NameTable { name: "neighbour type", values: &[(0, "LOCAL"), (1, "P2P"), (2, "P2P_POD")] };

/// Whether the device runs its barrier, or the host its own.
/// Spec: docs/format/collectives.md "Barriers" [observed].
pub static BARRIER_VIEW: NameTable =
    NameTable { name: "barrier", values: &[(0, "HOST"), (1, "DEVICE")] };

/// Events of a mesh, in version 2.31 of the runtime. Older versions number them differently.
/// Spec: docs/format/collectives.md "Mesh events" [medium].
pub static MESH_EVENT: NameTable = NameTable {
    name: "mesh event",
    values: &[
        (0, "SYNC"),
        (1, "GLOBAL_HNDSHK"),
        (2, "LOCAL_HNDSHK"),
        (3, "INTER_GRP_BRDCST"),
        (4, "FUNC_BARRIER_FIRST"),
        (5, "FUNC_BARRIER_LAST"),
        (6, "REDUCE_LOCAL_HNDSHK"),
        (7, "INTRA_GRP_BRDCST"),
        (8, "REDUCE_COPY"),
        (9, "REDUCE_COPY_2"),
        (10, "REDUCE_WRITE"),
        (11, "INTER_GRP_BRDCST_2"),
        (12, "LOCAL_AND_POD_GRP_BRDCST"),
        (13, "LOCAL_AND_POD_GRP_BRDCST_2"),
        (20, "2DEV_BRDCST"),
        (21, "2DEV_HNDSHK"),
        (22, "COPY_FROM_HOST"),
        (23, "RH_STEP_0"),
        (24, "RH_STEP_1"),
        (25, "RH_STEP_2"),
        (26, "RH_STEP_3"),
        (27, "RH_STEP_4"),
        (28, "RH_STEP_5"),
        (29, "RH_STEP_6"),
        (30, "RH_STEP_7"),
        (31, "RH_STEP_8"),
        (32, "RH_STEP_9"),
        (52, "RDH_LOCAL_PEER_HANDSHAKE"),
    ],
};

/// What a number of a mesh event is in version 2.31, and in the older public header where that is
/// something else. Numbers whose own name is not known are of a range.
/// Spec: docs/format/collectives.md "Mesh events" [medium].
pub fn mesh_event_words(number: u8) -> (Option<&'static str>, Option<&'static str>) {
    let named = MESH_EVENT.name_of(number.into());
    let now = named.or(match number {
        14..=19 => Some("an all-to-all event"),
        33..=51 => Some("an RDH event"),
        _ => None,
    });
    let older = match number {
        9 => "REDUCE_WRITE",
        10 => "INTER_GRP_BRDCST_2",
        11..=18 => "an all-to-all event",
        19..=LAST_MESH_EVENT => "an RDH event",
        _ => return (now, None),
    };
    let same = now == Some(older)
        || older == "an RDH event" && now.is_some_and(|now| now.starts_with('R'));
    (now, if same { None } else { Some(older) })
}

/// Highest number of a mesh event; those without a name of their own are known by range only.
/// Spec: docs/format/collectives.md "Mesh events" [medium].
pub const LAST_MESH_EVENT: u8 = 52;
