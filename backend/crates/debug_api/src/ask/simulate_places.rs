//! Parts of the answer about a run that name places: stuck engines, posters, the wait graph.

use super::view::View;
use crate::answer::{
    AlsoWaits, CauseInfo, GraphEdge, GraphNode, PlaceRef, PosterInfo, StuckInfo, Sync, WaitGraph,
};
use crate::sync_names::{self, SyncId};
use device_sim::Machine;
use device_sim::gate::Condition;
use device_sim::graph::{Cause, Graph, NodeKind};
use device_sim::posters::{Poster, SlotRef, Who, Why};
use device_sim::stuck::{Stuck, StuckWait};

/// A machine beside the views of its cores.
pub struct Places<'m, 'a> {
    /// The machine.
    pub machine: &'m Machine<'a>,
    /// The view of each core.
    pub views: &'m [&'m View<'a>],
}

impl Places<'_, '_> {
    /// A slot of an engine, as documents name it.
    pub fn place(&self, at: SlotRef) -> PlaceRef {
        match self.views.get(at.of.core) {
            Some(view) => view.place_of_slot(at.of.engine, at.slot),
            None => PlaceRef::default(),
        }
    }

    /// A stuck engine.
    pub fn stuck(&self, stuck: &Stuck) -> StuckInfo {
        let place = self.place(stuck.at);
        let first = stuck.waits.first();
        let also = stuck.waits.get(1).map(|wait| {
            Box::new(AlsoWaits {
                wait: self.sync(stuck.at, wait),
                value: wait.now,
                needs: needs(wait),
                reason: wait.reason.word().to_owned(),
                waits_for: wait.posters.iter().map(|one| self.poster(one)).collect(),
            })
        });
        StuckInfo {
            subgraph: place.s.clone(),
            rank: self.machine.name(stuck.at.of.core).1,
            engine: place.e.clone(),
            slot: stuck.at.slot,
            wait: first.map(|wait| self.sync(stuck.at, wait)),
            value: first.map(|wait| wait.now),
            needs: first.and_then(needs),
            reason: first.map_or("halted", |wait| wait.reason.word()).to_owned(),
            waits_for: first
                .map(|wait| wait.posters.iter().map(|one| self.poster(one)).collect())
                .unwrap_or_default(),
            also,
            words: self.machine.stuck_words(stuck),
            place,
        }
    }

    /// The wait of a record in the form of other documents.
    fn sync(&self, at: SlotRef, wait: &StuckWait) -> Sync {
        let view = self.views.get(at.of.core);
        let slot = view
            .and_then(|view| view.images.engine(at.of.engine).image.slots.get(at.slot as usize));
        let sync = slot.map(records::Sync::of).unwrap_or_default();
        let record = if wait.lane == 0 { sync.wait } else { sync.wait2 };
        let id = wait.gate.id;
        let name = view.map(|view| {
            let links = view.file.links(view.index);
            let of = SyncId { event: id.is_event(), id: id.id(), update: None };
            sync_names::name(&view.file.program(view.index), &links, of)
        });
        let parts = record.map(records::Wait::parts);
        Sync {
            mode: parts.map_or(0, |parts| parts.mode),
            op: parts.and_then(|parts| parts.op).map(str::to_owned),
            index: id.id(),
            value: parts.and_then(|parts| parts.value),
            name: name.as_ref().map(|(name, _)| name.clone()),
            name_provenance: name.map(|(_, from)| from),
        }
    }

    fn poster(&self, poster: &Poster) -> PosterInfo {
        let mut words = self.machine.poster_words(poster);
        words.push('.');
        let (who, place, queue, block) = match &poster.who {
            Who::Record(by) => ("record", Some(self.place(*by)), None, None),
            Who::Collective { by, .. } => ("collective", by.map(|by| self.place(by)), None, None),
            Who::Transfer { core, queue, block, trigger } => (
                "transfer",
                trigger.map(|by| self.place(by)),
                Some(self.machine.queue_name(*core, *queue).to_owned()),
                self.machine.block_id(*core, *queue, *block),
            ),
        };
        PosterInfo {
            who: who.to_owned(),
            why: why_word(poster.why).to_owned(),
            count: poster.count,
            adds: poster.adds,
            place,
            queue,
            block,
            words,
        }
    }

    /// The wait graph.
    pub fn graph(&self, stuck: &[Stuck], graph: &Graph) -> WaitGraph {
        let node = |(at, kind): (usize, &NodeKind)| {
            let (kind, label, place) = match kind {
                NodeKind::Engine(at) => {
                    ("engine", self.machine.engine_words(at.of), Some(self.place(*at)))
                }
                NodeKind::Transfer { core, queue, block } => {
                    let id = self.machine.block_id(*core, *queue, *block).unwrap_or(*block);
                    let name = self.machine.queue_name(*core, *queue);
                    ("transfer", format!("{name} block {id}"), None)
                }
                NodeKind::TopSp(at) => ("top-sp", self.machine.top_sp_words(*at), None),
                NodeKind::Host => ("host", "host".to_owned(), None),
                NodeKind::Nobody => ("nobody", "nobody".to_owned(), None),
            };
            GraphNode { kind: kind.to_owned(), label, is_stuck: at < stuck.len(), place }
        };
        let edge = |edge: &device_sim::graph::Edge| {
            let (at, wait) = edge.wait;
            let wait = stuck.get(at).and_then(|one| one.waits.get(wait));
            GraphEdge {
                from: edge.from,
                to: edge.to,
                label: wait.map(|wait| self.machine.wait_words(wait)).unwrap_or_default(),
                in_cycle: edge.in_cycle,
                place: edge.by.map(|by| self.place(by)),
            }
        };
        WaitGraph {
            nodes: graph.nodes.iter().enumerate().map(node).collect(),
            edges: graph.edges.iter().map(edge).collect(),
        }
    }

    /// Why it stands still.
    pub fn cause(&self, stuck: &[Stuck], cause: &Cause) -> CauseInfo {
        let first = cause.stuck.first().and_then(|at| stuck.get(*at));
        let wait = first.and_then(|one| one.waits.get(cause.wait));
        CauseInfo {
            kind: cause.reason.word().to_owned(),
            stuck: cause.stuck.clone(),
            about: wait.map(|wait| self.machine.wait_words(wait)).unwrap_or_default(),
        }
    }
}

fn needs(wait: &StuckWait) -> Option<i32> {
    matches!(wait.gate.condition, Condition::Semaphore(_)).then_some(wait.needed as i32)
}

const fn why_word(why: Why) -> &'static str {
    match why {
        Why::Behind => "behind",
        Why::Halted => "halted",
        Why::Done => "done",
        Why::Stalled { .. } => "stalled",
        Why::SideMissing { .. } => "side-missing",
        Why::NoTrigger => "no-trigger",
        Why::RankMissing => "rank-missing",
        Why::LinkDropped => "link-dropped",
        Why::InCollective => "in-collective",
    }
}
