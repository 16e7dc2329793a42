//! The collectives of several ranks side by side: the first difference, sends without a receive,
//! and receives that wait for each other.
//! Spec: docs/format/collectives-plan.md "Comparison of ranks" [inferred].

use super::groups;
use super::names::Kind;
use super::trigger::Trigger;
use records::payload::value::{alu_op_name, collective_name};
use std::collections::{BTreeMap, VecDeque};

/// One rank: what its program asks for, and its replica groups.
#[derive(Clone, Copy, Debug)]
pub struct Rank<'a> {
    /// Number.
    pub rank: u32,
    /// Its triggers.
    pub triggers: &'a [Trigger],
    /// Replica groups of its definition.
    pub groups: &'a [Vec<Vec<u32>>],
}

/// What differs first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// 0-based place among the collectives that all ranks must agree on; for a count, the number
    /// that all have.
    pub index: usize,
    /// `count`, `operation`, `kind`, `reduction`, `dtype`, `elements`, `group` or `ranks`.
    pub field: &'static str,
    /// For each rank: what it has there, and the trigger's place in its list.
    pub values: Vec<(u32, String, Option<usize>)>,
}

/// The triggers that all ranks run in the same order: all but sends and receives.
fn common(rank: &Rank<'_>) -> Vec<(usize, Trigger)> {
    let all = rank.triggers.iter().enumerate();
    all.filter(|(_, trigger)| trigger.peer.is_none()).map(|(at, one)| (at, one.clone())).collect()
}

fn fields(trigger: &Trigger, sets: &[Vec<Vec<u32>>]) -> [(&'static str, String); 7] {
    let shown = |value: Option<u64>| value.map_or("-".to_owned(), |value| value.to_string());
    let set = trigger.group.and_then(|index| sets.get(usize::try_from(index).ok()?));
    [
        ("operation", trigger.kind.name().to_owned()),
        ("kind", trigger.ctype.map_or("-".to_owned(), kind_text)),
        ("reduction", trigger.reduction.map_or("-".to_owned(), reduction_text)),
        ("dtype", trigger.dtype.map_or("-".to_owned(), |dtype| dtype_text(dtype.0))),
        ("elements", shown(trigger.elements)),
        ("group", shown(trigger.group.map(u64::from))),
        ("ranks", set.map_or("-".to_owned(), |set| groups::text(set))),
    ]
}

fn kind_text(ctype: u8) -> String {
    collective_name(ctype).map_or_else(|| ctype.to_string(), str::to_owned)
}

fn reduction_text(code: u8) -> String {
    alu_op_name(code).map_or_else(|| code.to_string(), str::to_owned)
}

fn dtype_text(code: u8) -> String {
    let name = records::payload::value::Dtype(code).name();
    name.map_or_else(|| code.to_string(), str::to_owned)
}

/// The first place at which ranks do not ask for the same; `None` if there is none or only one
/// rank.
pub fn first_difference(ranks: &[Rank<'_>]) -> Option<Difference> {
    let lists: Vec<Vec<(usize, Trigger)>> = ranks.iter().map(common).collect();
    let least = lists.iter().map(Vec::len).min()?;
    for index in 0..least {
        let rows: Vec<_> = lists
            .iter()
            .zip(ranks)
            .filter_map(|(list, rank)| {
                let (at, trigger) = list.get(index)?;
                Some((rank.rank, *at, fields(trigger, rank.groups)))
            })
            .collect();
        let (_, _, first) = rows.first()?;
        let names = first.iter().map(|(name, _)| *name).enumerate();
        for (column, field) in names {
            let value = |row: &[(&'static str, String); 7]| {
                row.get(column).map(|(_, value)| value.clone()).unwrap_or_default()
            };
            if rows.iter().any(|(_, _, row)| value(row) != value(first)) {
                let values =
                    rows.iter().map(|(rank, at, row)| (*rank, value(row), Some(*at))).collect();
                return Some(Difference { index, field, values });
            }
        }
    }
    if lists.iter().all(|list| list.len() == least) {
        return None;
    }
    let values = lists.iter().zip(ranks).map(|(list, rank)| {
        let next = list.get(least).map(|(at, _)| *at);
        (rank.rank, list.len().to_string(), next)
    });
    Some(Difference { index: least, field: "count", values: values.collect() })
}

/// A collective that all ranks must agree on, as one of them has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Rank.
    pub rank: u32,
    /// Place of the trigger in its list; `None` where it has no such collective.
    pub trigger: Option<usize>,
    /// Field, value of the first rank, value of this one.
    pub differs: Vec<(&'static str, String, String)>,
}

/// All collectives that ranks must agree on, at most so many, each with what differs from the first
/// rank.
pub fn table(ranks: &[Rank<'_>], most: usize) -> Vec<Vec<Cell>> {
    let lists: Vec<Vec<(usize, Trigger)>> = ranks.iter().map(common).collect();
    let longest = lists.iter().map(Vec::len).max().unwrap_or(0);
    let row = |index: usize| -> Vec<Cell> {
        let mut first: Option<Option<[(&'static str, String); 7]>> = None;
        let cells = ranks.iter().zip(&lists).map(|(rank, list)| {
            let own = list.get(index);
            let values = own.map(|(_, trigger)| fields(trigger, rank.groups));
            let first = first.get_or_insert_with(|| values.clone());
            let differs = match (first, &values) {
                (Some(first), Some(values)) => {
                    let pairs = first.iter().zip(values).filter(|(a, b)| a != b);
                    pairs.map(|((name, a), (_, b))| (*name, a.clone(), b.clone())).collect()
                }
                (None, None) => Vec::new(),
                (Some(_), None) => vec![("record", "there".to_owned(), "none".to_owned())],
                (None, Some(_)) => vec![("record", "none".to_owned(), "there".to_owned())],
            };
            Cell { rank: rank.rank, trigger: own.map(|(at, _)| *at), differs }
        });
        cells.collect()
    };
    (0..longest.min(most)).map(row).collect()
}

/// Something between two ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PeerFault {
    /// Rank that says it.
    pub rank: u32,
    /// The trigger's place in its list.
    pub trigger: usize,
    /// `collectives.peer` or `collectives.chain-circular`.
    pub code: &'static str,
    /// Sentence.
    pub message: String,
}

/// Sends, or receives, by (sender, receiver): place of the trigger and bytes.
type Halves = BTreeMap<(u32, u32), VecDeque<(usize, Option<u64>)>>;

/// Sends and receives between the ranks that are there: what has no counterpart, what differs in
/// size, and receives that wait for each other. Sends do not wait in this model, receives do, and
/// each rank works through its list in order.
/// Spec: docs/format/collectives-plan.md "Comparison of ranks" [modelled].
pub fn peer_faults(ranks: &[Rank<'_>]) -> Vec<PeerFault> {
    let mut faults = Vec::new();
    let there: Vec<u32> = ranks.iter().map(|rank| rank.rank).collect();
    let mut sends = Halves::new();
    let mut receives = Halves::new();
    for rank in ranks {
        for (at, trigger) in rank.triggers.iter().enumerate() {
            let Some(peer) = trigger.peer else { continue };
            let known = u32::try_from(peer).ok().filter(|peer| there.contains(peer));
            match (known, trigger.kind) {
                (None, _) | (Some(_), Kind::Collective(_) | Kind::Unknown) => {}
                (Some(peer), Kind::Send) => {
                    sends.entry((rank.rank, peer)).or_default().push_back((at, trigger.bytes));
                }
                (Some(peer), Kind::Receive) => {
                    receives.entry((peer, rank.rank)).or_default().push_back((at, trigger.bytes));
                }
            }
        }
    }
    let mut keys: Vec<(u32, u32)> = sends.keys().chain(receives.keys()).copied().collect();
    keys.sort_unstable();
    keys.dedup();
    for (from, to) in keys {
        let mut sent = sends.remove(&(from, to)).unwrap_or_default();
        let mut received = receives.remove(&(from, to)).unwrap_or_default();
        while let (Some((at, bytes)), Some((_, other))) = (sent.front(), received.front()) {
            if bytes != other {
                let shown = |bytes: &Option<u64>| bytes.unwrap_or(0);
                let message = format!(
                    "rank {from} sends {} bytes to rank {to}, which receives {}",
                    shown(bytes),
                    shown(other)
                );
                let (rank, trigger, code) = (from, *at, "collectives.peer");
                faults.push(PeerFault { rank, trigger, code, message });
            }
            sent.pop_front();
            received.pop_front();
        }
        let left = sent.front().map(|(at, _)| {
            (from, *at, format!("rank {from} sends to rank {to}, which does not receive it"))
        });
        let right = received.front().map(|(at, _)| {
            (to, *at, format!("rank {to} receives from rank {from}, which does not send it"))
        });
        for (rank, trigger, message) in left.into_iter().chain(right) {
            faults.push(PeerFault { rank, trigger, code: "collectives.peer", message });
        }
    }
    if faults.is_empty() {
        faults.extend(circular(ranks, &there));
    }
    faults
}

/// Runs all lists: a receive waits until its peer has come to the send.
fn circular(ranks: &[Rank<'_>], there: &[u32]) -> Option<PeerFault> {
    let lists: Vec<Vec<(usize, &Trigger, u32)>> = ranks
        .iter()
        .map(|rank| {
            let all = rank.triggers.iter().enumerate();
            all.filter_map(|(at, trigger)| {
                let peer = u32::try_from(trigger.peer?).ok()?;
                there.contains(&peer).then_some((at, trigger, peer))
            })
            .collect()
        })
        .collect();
    let mut next = vec![0_usize; lists.len()];
    let mut on_the_way: BTreeMap<(u32, u32), u64> = BTreeMap::new();
    loop {
        let mut moved = false;
        for ((list, place), rank) in lists.iter().zip(&mut next).zip(ranks) {
            while let Some((_, trigger, peer)) = list.get(*place) {
                if trigger.kind == Kind::Send {
                    *on_the_way.entry((rank.rank, *peer)).or_insert(0) += 1;
                } else {
                    let waiting = on_the_way.entry((*peer, rank.rank)).or_insert(0);
                    let Some(left) = waiting.checked_sub(1) else { break };
                    *waiting = left;
                }
                *place += 1;
                moved = true;
            }
        }
        if !moved {
            break;
        }
    }
    let stuck: BTreeMap<u32, (usize, u32)> = lists
        .iter()
        .zip(&next)
        .zip(ranks)
        .filter_map(|((list, place), rank)| {
            let (at, _, peer) = list.get(*place)?;
            Some((rank.rank, (*at, *peer)))
        })
        .collect();
    let (first, (trigger, _)) = stuck.iter().next()?;
    // Whom each one waits for, until one comes again.
    let mut path = vec![*first];
    let mut at = *first;
    while let Some((_, peer)) = stuck.get(&at) {
        let again = path.contains(peer);
        path.push(*peer);
        if again || path.len() > 16 {
            break;
        }
        at = *peer;
    }
    let mut words = String::new();
    for (place, rank) in path.iter().enumerate() {
        words.push_str(match place {
            0 => "",
            1 => " waits for ",
            _ => ", which waits for ",
        });
        words.push_str(&format!("rank {rank}"));
    }
    let message = format!("receives wait for each other in a circle: {words}");
    Some(PeerFault { rank: *first, trigger: *trigger, code: "collectives.chain-circular", message })
}
