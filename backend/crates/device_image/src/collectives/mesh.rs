//! Meshes: a tape of events. Ranks form groups of `locals` neighbouring ranks (a chip or a rack);
//! the ranks at one place of all groups form a column.
//! Spec: docs/format/collectives-plan.md "Mesh" [observed].

use super::names::{MeshEvent as Event, Operation};
use super::schedule::{
    Act, Chunks, Move, Place, Post, Semaphore, SemaphoreKind, Source, Step, Wait,
};

/// When an event's transfers run.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Order {
    /// Move, post, then wait for the others' posts.
    Push,
    /// Post, wait for the others' posts, then move.
    Pull,
}

/// A mesh that is being written.
pub struct Mesh {
    n: u32,
    locals: u32,
    steps: Vec<Step>,
}

impl Mesh {
    /// A mesh of ranks in groups of `locals`, which divides `ranks`.
    pub const fn new(ranks: u32, locals: u32) -> Self {
        Self { n: ranks, locals, steps: Vec::new() }
    }

    const fn groups(&self) -> u32 {
        self.n / self.locals
    }

    /// The rank alone.
    fn own(&self, rank: u32) -> Vec<u32> {
        vec![rank]
    }

    fn members(&self, rank: u32) -> Vec<u32> {
        let first = rank - rank % self.locals;
        (first..first + self.locals).collect()
    }

    fn column(&self, rank: u32) -> Vec<u32> {
        (0..self.groups()).map(|group| group * self.locals + rank % self.locals).collect()
    }

    /// Chunks of the ranks at one place of all groups.
    const fn column_chunks(&self, rank: u32) -> Chunks {
        Chunks { first: rank % self.locals, stride: self.locals, count: self.groups() }
    }

    /// Chunks of the ranks of one group.
    const fn group_chunks(&self, rank: u32) -> Chunks {
        Chunks::run(rank - rank % self.locals, self.locals)
    }

    /// Other ranks in the order of their distance: the nearer part, or the rest.
    fn half(&self, rank: u32, second: bool) -> Vec<u32> {
        let others = (1..self.n).map(|distance| (rank + distance) % self.n);
        let near = (self.n / 2) as usize;
        if second { others.skip(near).collect() } else { others.take(near).collect() }
    }

    /// Other ranks of the column, in two parts.
    fn column_half(&self, rank: u32, second: bool) -> Vec<u32> {
        let step = |distance: u32| (rank + distance * self.locals) % self.n;
        let others = (1..self.groups()).map(step);
        let near = (self.groups() / 2) as usize;
        if second { others.skip(near).collect() } else { others.take(near).collect() }
    }

    /// Adds an event. Every rank posts to `to` and to itself, and waits for as many posts as come.
    fn event(
        &mut self,
        event: Event,
        order: Order,
        to: impl Fn(&Self, u32) -> Vec<u32>,
        moves: impl Fn(&Self, u32) -> Vec<Move>,
    ) {
        let index = u32::try_from(self.steps.len()).unwrap_or(u32::MAX);
        let semaphore = Semaphore { kind: SemaphoreKind::Event, leg: 0, index };
        let mut acts = Vec::new();
        let (mut is_hop, mut is_still) = (false, true);
        for rank in 0..self.n {
            let mut to = to(self, rank);
            if !to.contains(&rank) {
                to.push(rank);
            }
            let count = u32::try_from(to.len()).unwrap_or(u32::MAX);
            let source = Source::Inferred;
            let posts = to
                .into_iter()
                .map(|rank| Post { rank, semaphore, add: 1, through: None, source })
                .collect();
            let waits = vec![Wait { semaphore, at_least: count, take: count, source }];
            let moves = moves(self, rank);
            is_hop |= moves.iter().any(|one| one.crossing() > 0);
            is_still &= moves.is_empty();
            let (first, last) = match order {
                Order::Push => (moves, Vec::new()),
                Order::Pull => (Vec::new(), moves),
            };
            acts.push(Act { rank, leaf: "fire", moves: first, posts, ..Act::default() });
            acts.push(Act { rank, leaf: "await", waits, moves: last, ..Act::default() });
        }
        let phase = event.name().unwrap_or("event");
        // Lists and what handshakes are for were read, what data they guard is textbook.
        let source = if is_still { Source::Inferred } else { Source::Standard };
        self.steps.push(Step { phase, leg: "all", event: Some(event), is_hop, source, acts });
    }

    fn meet(&mut self, event: Event, to: impl Fn(&Self, u32) -> Vec<u32>) {
        self.event(event, Order::Push, to, |_, _| Vec::new());
    }

    fn handshakes(&mut self) {
        self.meet(Event::LOCAL_HNDSHK, Self::members);
        self.meet(Event::GLOBAL_HNDSHK, Self::column);
    }

    /// All ranks of the last event's order have read; buffers may be used again.
    fn sync(mut self) -> Vec<Step> {
        self.meet(Event::SYNC, Self::members);
        self.barriers()
    }

    /// The barriers of functions that end every list. Who takes part is not published: all ranks.
    /// Spec: docs/format/collectives-plan.md "Mesh" [observed].
    fn barriers(mut self) -> Vec<Step> {
        for event in [Event::FUNC_BARRIER_FIRST, Event::FUNC_BARRIER_LAST] {
            self.meet(event, |mesh, _| (0..mesh.n).collect());
        }
        self.steps
    }

    /// Reduces, gathers or scatters by way of groups: each rank moves (n - 1) chunks for a gather or
    /// a scatter, twice as many for a reduction.
    /// Spec: docs/format/collectives-plan.md "Mesh" [modelled].
    pub fn two_phases(mut self, operation: Operation) -> Vec<Step> {
        self.handshakes();
        match operation {
            Operation::AllGather => {
                self.event(Event::INTER_GRP_BRDCST, Order::Push, Self::column, |mesh, rank| {
                    mesh.give(rank, mesh.column(rank), Chunks::one(rank))
                });
                self.event(Event::INTRA_GRP_BRDCST, Order::Push, Self::members, |mesh, rank| {
                    mesh.give(rank, mesh.members(rank), mesh.column_chunks(rank))
                });
            }
            Operation::ReduceScatter => self.scatter(),
            Operation::AllReduce => self.reduce(),
            Operation::AllToAll | Operation::Permute => self.exchange(),
        }
        self.sync()
    }

    /// Each rank gives each other rank its chunk; sizes that differ come from the host.
    /// Spec: docs/format/collectives-plan.md "Mesh" [modelled].
    fn exchange(&mut self) {
        let all = |mesh: &Self, _: u32| (0..mesh.n).collect::<Vec<u32>>();
        self.event(Event::INTER_GRP_BRDCST, Order::Push, all, |mesh, rank| {
            mesh.deal(rank, Place::data(rank), (0..mesh.n).collect(), Chunks::one)
        });
        self.meet(Event::COPY_FROM_HOST, Self::own);
    }

    /// Copies of the own data to the same chunks of others.
    fn give(&self, rank: u32, to: Vec<u32>, chunks: Chunks) -> Vec<Move> {
        let targets: Vec<Place> =
            to.into_iter().filter(|other| *other != rank).map(Place::data).collect();
        if targets.is_empty() {
            return Vec::new();
        }
        vec![Move::copy(Place::data(rank), targets, chunks)]
    }

    /// Inside the group first, then between groups.
    fn scatter(&mut self) {
        self.event(Event::INTRA_GRP_BRDCST, Order::Push, Self::members, |mesh, rank| {
            mesh.deal(rank, Place::data(rank), mesh.members(rank), |to| mesh.column_chunks(to))
        });
        self.event(Event::REDUCE_COPY, Order::Push, Self::own, |mesh, rank| {
            let sources = mesh.own_and_inboxes(rank, Place::data(rank), mesh.members(rank));
            vec![Move::sum(sources, Place::partial(rank), mesh.column_chunks(rank))]
        });
        self.event(Event::INTER_GRP_BRDCST, Order::Push, Self::column, |mesh, rank| {
            mesh.deal(rank, Place::partial(rank), mesh.column(rank), Chunks::one)
        });
        self.event(Event::REDUCE_WRITE, Order::Pull, Self::own, |mesh, rank| {
            let sources = mesh.own_and_inboxes(rank, Place::partial(rank), mesh.column(rank));
            vec![Move::sum(sources, Place::data(rank), Chunks::one(rank))]
        });
    }

    /// Between groups first, then inside the group, then to all.
    /// Spec: docs/format/collectives-plan.md "Mesh" [observed].
    fn reduce(&mut self) {
        self.event(Event::INTER_GRP_BRDCST, Order::Push, Self::column, |mesh, rank| {
            mesh.deal(rank, Place::data(rank), mesh.column(rank), |to| mesh.group_chunks(to))
        });
        self.event(Event::REDUCE_COPY, Order::Push, Self::own, |mesh, rank| {
            let sources = mesh.own_and_inboxes(rank, Place::data(rank), mesh.column(rank));
            vec![Move::sum(sources, Place::partial(rank), mesh.group_chunks(rank))]
        });
        self.event(Event::REDUCE_WRITE, Order::Pull, Self::members, |mesh, rank| {
            let sources = mesh.members(rank).into_iter().map(Place::partial).collect();
            vec![Move::sum(sources, Place::data(rank), Chunks::one(rank))]
        });
        self.meet(Event::REDUCE_LOCAL_HNDSHK, Self::members);
        self.event(
            Event::INTER_GRP_BRDCST_2,
            Order::Push,
            |mesh, _| (0..mesh.n).collect(),
            |mesh, rank| mesh.give(rank, (0..mesh.n).collect(), Chunks::one(rank)),
        );
    }

    /// To each other rank its own chunks, into its inbox.
    fn deal(
        &self,
        rank: u32,
        from: Place,
        to: Vec<u32>,
        chunks: impl Fn(u32) -> Chunks,
    ) -> Vec<Move> {
        let others = to.into_iter().filter(|other| *other != rank);
        others
            .map(|other| Move::copy(from, vec![Place::inbox(other, rank)], chunks(other)))
            .collect()
    }

    fn own_and_inboxes(&self, rank: u32, own: Place, from: Vec<u32>) -> Vec<Place> {
        let others = from.into_iter().filter(|other| *other != rank);
        std::iter::once(own).chain(others.map(|other| Place::inbox(rank, other))).collect()
    }

    /// Two ranks of one node: each reads both buffers.
    /// Spec: docs/format/collectives-plan.md "Mesh" [observed].
    pub fn pair(mut self) -> Vec<Step> {
        self.meet(Event::LOCAL_HNDSHK, Self::members);
        self.event(
            Event::REDUCE_COPY,
            Order::Push,
            |_, _| vec![0, 1],
            |_, rank| {
                let sources = vec![Place::data(0), Place::data(1)];
                vec![Move::sum(sources, Place::partial(rank), Chunks::run(0, 2))]
            },
        );
        // The result may replace the operands once both have read them.
        self.event(Event::SYNC, Order::Pull, Self::members, |_, rank| {
            let (from, to) = (Place::partial(rank), Place::data(rank));
            vec![Move::copy(from, vec![to], Chunks::run(0, 2))]
        });
        self.barriers()
    }

    /// Whole buffers cross the column, then every rank reduces what its group has.
    /// Spec: docs/format/collectives-plan.md "Mesh" [observed].
    pub fn single_step(mut self) -> Vec<Step> {
        self.handshakes();
        self.event(Event::INTRA_GRP_BRDCST, Order::Push, Self::own, |mesh, rank| {
            vec![mesh.whole(rank, vec![rank])]
        });
        self.event(Event::INTER_GRP_BRDCST, Order::Push, Self::column, |mesh, rank| {
            let mut others = mesh.column(rank);
            others.retain(|other| *other != rank);
            if others.is_empty() { Vec::new() } else { vec![mesh.whole(rank, others)] }
        });
        self.event(Event::REDUCE_WRITE, Order::Pull, Self::members, |mesh, rank| {
            let inboxes = mesh.members(rank).into_iter().flat_map(|member| {
                mesh.column(member).into_iter().map(move |from| Place::inbox(member, from))
            });
            vec![mesh.reduced(inboxes.collect(), rank)]
        });
        self.sync()
    }

    /// The same behind switches: whole buffers go to all, in two parts.
    /// Spec: docs/format/collectives-plan.md "Mesh" [observed].
    pub fn single_step_switch(mut self) -> Vec<Step> {
        for (event, second) in [(Event::INTER_GRP_BRDCST, false), (Event::INTER_GRP_BRDCST_2, true)]
        {
            self.event(
                event,
                Order::Push,
                move |mesh, rank| mesh.half(rank, second),
                move |mesh, rank| {
                    let mut to = mesh.half(rank, second);
                    if !second {
                        to.push(rank);
                    }
                    if to.is_empty() { Vec::new() } else { vec![mesh.whole(rank, to)] }
                },
            );
        }
        self.event(Event::REDUCE_WRITE, Order::Pull, Self::own, |mesh, rank| {
            let inboxes = (0..mesh.n).map(|from| Place::inbox(rank, from)).collect();
            vec![mesh.reduced(inboxes, rank)]
        });
        self.sync()
    }

    fn whole(&self, rank: u32, to: Vec<u32>) -> Move {
        let targets = to.into_iter().map(|to| Place::inbox(to, rank)).collect();
        Move::copy(Place::data(rank), targets, Chunks::run(0, self.n))
    }

    fn reduced(&self, sources: Vec<Place>, rank: u32) -> Move {
        Move::sum(sources, Place::data(rank), Chunks::run(0, self.n))
    }

    /// Behind switches, for latency: chunk r is reduced by rank r from everywhere and sent to all.
    /// Spec: docs/format/collectives-plan.md "Mesh" [observed].
    pub fn latency(mut self, operation: Operation) -> Vec<Step> {
        if operation == Operation::AllReduce {
            self.meet(Event::LOCAL_HNDSHK, Self::members);
            for (event, own) in [(Event::REDUCE_COPY, true), (Event::REDUCE_COPY_2, false)] {
                self.event(event, Order::Push, Self::own, move |mesh, rank| {
                    mesh.read_all(rank, own)
                });
            }
            self.event(Event::REDUCE_WRITE, Order::Pull, Self::own, |_, rank| {
                let (from, to) = (Place::partial(rank), Place::data(rank));
                vec![Move::copy(from, vec![to], Chunks::one(rank))]
            });
        } else {
            self.meet(Event::GLOBAL_HNDSHK, Self::column);
            self.meet(Event::LOCAL_HNDSHK, Self::members);
        }
        for (event, second) in [(Event::INTER_GRP_BRDCST, false), (Event::INTER_GRP_BRDCST_2, true)]
        {
            self.event(
                event,
                Order::Push,
                move |mesh, rank| mesh.half(rank, second),
                move |mesh, rank| mesh.give(rank, mesh.half(rank, second), Chunks::one(rank)),
            );
        }
        self.sync()
    }

    /// Chunk r of the own group's ranks, or of all others, to the partial result.
    fn read_all(&self, rank: u32, own: bool) -> Vec<Move> {
        let group = self.members(rank);
        let sources: Vec<Place> =
            (0..self.n).filter(|from| group.contains(from) == own).map(Place::data).collect();
        if sources.is_empty() {
            return Vec::new();
        }
        let targets = vec![Place::partial(rank)];
        vec![Move { sources, targets, chunks: Chunks::one(rank), adds: !own }]
    }

    /// Behind switches, for bandwidth: an all-gather between groups in two parts, then inside them.
    /// Spec: docs/format/collectives-plan.md "Mesh" [observed].
    pub fn bandwidth(mut self) -> Vec<Step> {
        self.meet(Event::GLOBAL_HNDSHK, Self::column);
        self.meet(Event::LOCAL_HNDSHK, Self::members);
        for (event, second) in [(Event::INTER_GRP_BRDCST, false), (Event::INTER_GRP_BRDCST_2, true)]
        {
            self.event(
                event,
                Order::Push,
                move |mesh, rank| mesh.column_half(rank, second),
                move |mesh, rank| {
                    mesh.give(rank, mesh.column_half(rank, second), Chunks::one(rank))
                },
            );
        }
        self.event(Event::INTRA_GRP_BRDCST, Order::Push, Self::members, |mesh, rank| {
            mesh.give(rank, mesh.members(rank), mesh.column_chunks(rank))
        });
        self.sync()
    }
}
