//! Who waits for whom: a graph that can be drawn, its circle if it has one, and the cause of the
//! whole.

use crate::fabric_stuck::Missing;
use crate::gate::SyncId;
use crate::host::SYNC_BARRIER;
use crate::machine::Machine;
use crate::posters::{Poster, SlotRef, Who, Why};
use crate::stuck::{Reason, Stuck, poster_engine};

/// What a node stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// An engine that stands still, or one that is done.
    Engine(SlotRef),
    /// A block of a queue.
    Transfer {
        /// Core.
        core: usize,
        /// Queue number.
        queue: u8,
        /// Place in the queue's list.
        block: u32,
    },
    /// A TOP_SP in a collective, by place in the run.
    TopSp(usize),
    /// The host.
    Host,
    /// Nobody.
    Nobody,
}

/// Somebody waits for somebody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Node that waits.
    pub from: usize,
    /// Node that is waited for.
    pub to: usize,
    /// Which stuck engine and wait of it this is about.
    pub wait: (usize, usize),
    /// The record that would post, or trigger.
    pub by: Option<SlotRef>,
    /// Whether it is about a barrier of the five engines, where everybody waits for everybody.
    pub is_barrier: bool,
    /// Whether it is part of the circle.
    pub in_cycle: bool,
}

/// The wait graph.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Graph {
    /// Nodes; those of stuck engines come first, in their order.
    pub nodes: Vec<NodeKind>,
    /// Edges.
    pub edges: Vec<Edge>,
}

/// Why all of it stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The reason.
    pub reason: Reason,
    /// Stuck engines that it is about: the circle in order, or the one that misses a post.
    pub stuck: Vec<usize>,
    /// Which wait of the first of them.
    pub wait: usize,
}

impl Graph {
    /// The graph of what stands still.
    pub fn of(stuck: &[Stuck]) -> Self {
        let nodes = stuck.iter().map(|one| NodeKind::Engine(one.at)).collect();
        let mut graph = Self { nodes, edges: Vec::new() };
        for (from, one) in stuck.iter().enumerate() {
            for (at, wait) in one.waits.iter().enumerate() {
                if wait.posters.is_empty() {
                    let host = wait.reason == Reason::HostIdle;
                    let kind = if host { NodeKind::Host } else { NodeKind::Nobody };
                    let to = graph.node(kind);
                    graph.edge(from, to, (from, at), None);
                }
                // Who waits for others too does not wait for itself.
                let own = |poster: &&Poster| poster_engine(poster) == Some(one.at.of);
                let alone = wait.posters.iter().all(|poster| own(&poster));
                for poster in wait.posters.iter().filter(|poster| alone || !own(poster)) {
                    graph.poster(stuck, (from, at), poster);
                }
            }
        }
        let barrier = SyncId::semaphore(SYNC_BARRIER);
        for edge in &mut graph.edges {
            let (at, wait) = edge.wait;
            let wait = stuck.get(at).and_then(|one| one.waits.get(wait));
            edge.is_barrier = wait.is_some_and(|wait| wait.gate.id == barrier);
        }
        graph.mark_cycle(stuck.len());
        graph
    }

    fn poster(&mut self, stuck: &[Stuck], wait: (usize, usize), poster: &Poster) {
        let engine_node = |graph: &mut Self, by: SlotRef| {
            let known = stuck.iter().position(|one| one.at.of == by.of);
            known.unwrap_or_else(|| graph.node(NodeKind::Engine(by)))
        };
        match &poster.who {
            Who::Record(by) => {
                let to = engine_node(self, *by);
                self.edge(wait.0, to, wait, Some(*by));
            }
            Who::Collective { top_sp, by, .. } => {
                let to = self.node(NodeKind::TopSp(*top_sp));
                self.edge(wait.0, to, wait, *by);
                let on = match by {
                    Some(by) => engine_node(self, *by),
                    None => self.node(NodeKind::Nobody),
                };
                if poster.why != Why::InCollective {
                    self.edge(to, on, wait, *by);
                }
            }
            Who::Transfer { core, queue, block, trigger } => {
                let kind = NodeKind::Transfer { core: *core, queue: *queue, block: *block };
                let to = self.node(kind);
                self.edge(wait.0, to, wait, *trigger);
                if let (Why::Behind | Why::Halted | Why::Done, Some(by)) = (poster.why, trigger) {
                    let engine = engine_node(self, *by);
                    self.edge(to, engine, wait, Some(*by));
                }
            }
        }
    }

    fn node(&mut self, kind: NodeKind) -> usize {
        let same = |known: &NodeKind| match (known, &kind) {
            (NodeKind::Engine(a), NodeKind::Engine(b)) => a.of == b.of,
            _ => *known == kind,
        };
        self.nodes.iter().position(same).unwrap_or_else(|| {
            self.nodes.push(kind);
            self.nodes.len() - 1
        })
    }

    fn edge(&mut self, from: usize, to: usize, wait: (usize, usize), by: Option<SlotRef>) {
        let known = self.edges.iter().any(|edge| (edge.from, edge.to) == (from, to));
        if !known {
            let (is_barrier, in_cycle) = (false, false);
            self.edges.push(Edge { from, to, wait, by, is_barrier, in_cycle });
        }
    }

    /// The shortest circle through a stuck engine, as nodes; empty if there is none. One that goes
    /// through a barrier counts only if there is no other.
    pub fn cycle(&self, engines: usize) -> Vec<usize> {
        let mut best: Vec<usize> = Vec::new();
        for with_barriers in [false, true] {
            for path in (0..engines).filter_map(|start| self.way_back(start, with_barriers)) {
                if best.is_empty() || path.len() < best.len() {
                    best = path;
                }
            }
            if !best.is_empty() {
                break;
            }
        }
        best
    }

    /// The shortest way from a node back to it.
    fn way_back(&self, start: usize, with_barriers: bool) -> Option<Vec<usize>> {
        let open = |edge: &&Edge| with_barriers || !edge.is_barrier;
        let mut before = vec![usize::MAX; self.nodes.len()];
        let mut todo = std::collections::VecDeque::from([start]);
        while let Some(at) = todo.pop_front() {
            for edge in self.edges.iter().filter(|edge| edge.from == at).filter(open) {
                if edge.to == start {
                    let mut path = vec![at];
                    let mut place = at;
                    while place != start {
                        place = *before.get(place)?;
                        path.push(place);
                    }
                    path.reverse();
                    return Some(path);
                }
                if let Some(place) = before.get_mut(edge.to)
                    && *place == usize::MAX
                {
                    *place = at;
                    todo.push_back(edge.to);
                }
            }
        }
        None
    }

    fn mark_cycle(&mut self, engines: usize) {
        let cycle = self.cycle(engines);
        let pairs: Vec<(usize, usize)> =
            cycle.iter().copied().zip(cycle.iter().copied().cycle().skip(1)).collect();
        for edge in &mut self.edges {
            edge.in_cycle = pairs.contains(&(edge.from, edge.to));
        }
    }
}

impl Cause {
    /// The cause of what stands still; `None` if no engine waits.
    pub fn of(stuck: &[Stuck], graph: &Graph) -> Option<Self> {
        let waits = stuck.iter().enumerate().flat_map(|(at, one)| {
            one.waits.iter().enumerate().map(move |(wait, this)| (this.reason, at, wait))
        });
        // Who misses something that nobody brings comes before who waits for somebody else.
        let root = waits.filter(|(reason, ..)| *reason < Reason::SelfWait).min();
        if let Some((reason, at, wait)) = root {
            return Some(Self { reason, stuck: vec![at], wait });
        }
        let cycle = graph.cycle(stuck.len());
        let engines: Vec<usize> = cycle.into_iter().filter(|node| *node < stuck.len()).collect();
        match engines[..] {
            [] => {
                let at = stuck.iter().position(|one| one.halted || !one.waits.is_empty())?;
                let halted = stuck.get(at).is_some_and(|one| one.halted);
                let reason = if halted { Reason::EngineStopped } else { Reason::Behind };
                Some(Self { reason, stuck: vec![at], wait: 0 })
            }
            [one] => Some(Self { reason: Reason::SelfWait, stuck: vec![one], wait: 0 }),
            _ => Some(Self { reason: Reason::Cycle, stuck: engines, wait: 0 }),
        }
    }
}

impl Machine<'_> {
    /// Why collectives stand still in a run in which no engine waits for them, and the graph of it: the
    /// TOP_SP, and who does not post to it.
    pub fn top_sp_cause(&self) -> Option<(Graph, Reason, Missing)> {
        let first = self.stuck_top_sps().into_iter().next()?;
        let (at, missing) = self.collective_root(first.core, first.collective)?;
        let reason = match missing.why {
            Why::LinkDropped => Reason::Dropped,
            Why::RankMissing => Reason::RankMissing,
            _ => Reason::CollectiveStuck,
        };
        let mut graph = Graph::default();
        let from = graph.node(NodeKind::TopSp(at));
        let to = match (missing.by, missing.top_sp) {
            (Some(by), _) => graph.node(NodeKind::Engine(by)),
            (None, Some(top_sp)) if top_sp != at => graph.node(NodeKind::TopSp(top_sp)),
            _ => graph.node(NodeKind::Nobody),
        };
        graph.edge(from, to, (0, 0), missing.by);
        Some((graph, reason, missing))
    }
}
