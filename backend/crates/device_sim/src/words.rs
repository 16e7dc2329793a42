//! Sentences about what stands still, for a person who has been awake for long.

use device_image::sync_events::reserved_name;
use records::Opcode;

use crate::core::RemarkKind;
use crate::fabric_stuck::Missing;
use crate::fault::Fault;
use crate::gate::Condition;
use crate::graph::{Cause, Graph, NodeKind};
use crate::machine::Machine;
use crate::posters::{EngineRef, Poster, SlotRef, Who, Why};
use crate::stuck::{Reason, Stuck, StuckWait};

impl Machine<'_> {
    /// `POOL`, or `sg01 POOL` where several cores run, with the rank where there are several.
    pub fn engine_words(&self, of: EngineRef) -> String {
        let (name, rank) = self.name(of.core);
        let ranks = (0..self.n_cores()).any(|core| self.name(core).1 != 0);
        match (self.n_cores(), ranks) {
            (1, _) => of.engine.name().to_owned(),
            (_, false) => format!("{name} {}", of.engine),
            (_, true) => format!("rank {rank} {name} {}", of.engine),
        }
    }

    /// `sg01`, with its rank where there are several.
    pub fn core_words(&self, core: usize) -> String {
        let (name, rank) = self.name(core);
        match (0..self.n_cores()).any(|core| self.name(core).1 != 0) {
            false => name.to_owned(),
            true => format!("rank {rank} {name}"),
        }
    }

    /// Whether a rank runs.
    fn has_rank(&self, rank: u32) -> bool {
        (0..self.n_cores()).any(|core| self.name(core).1 == rank)
    }

    /// `POOL slot 74 (NEFF IP 3)`.
    pub fn slot_words(&self, at: SlotRef) -> String {
        let engine = self.engine_words(at.of);
        let program = self.cores.get(at.of.core).and_then(|core| self.program(core, at.of.engine));
        match program.and_then(|program| program.source(at.slot)) {
            Some((ip, _)) => format!("{engine} slot {} (NEFF IP {ip})", at.slot),
            None => format!("{engine} slot {}", at.slot),
        }
    }

    /// What a wait looks at, with the runtime's name of it: `semaphore 2 (SYNC_BARRIER) == 6`.
    pub fn wait_words(&self, wait: &StuckWait) -> String {
        let id = wait.gate.id;
        let words = wait.gate.words(wait.needed);
        match reserved_name(id.is_event(), id.id()) {
            Some(name) => words.replacen(&id.to_string(), &format!("{id} ({name})"), 1),
            None => words,
        }
    }

    fn state_words(&self, wait: &StuckWait) -> String {
        match wait.gate.condition {
            Condition::Event { .. } if wait.now != 0 => "it is set".to_owned(),
            Condition::Event { .. } => "it is clear".to_owned(),
            Condition::Semaphore(_) => format!("it is {}", wait.now),
        }
    }

    /// One sentence for one stuck engine.
    pub fn stuck_words(&self, stuck: &Stuck) -> String {
        let place = self.slot_words(stuck.at);
        if stuck.halted {
            return format!("{place} stopped at a HALT that nothing lets go on.");
        }
        let waits: Vec<String> = stuck
            .waits
            .iter()
            .map(|wait| format!("{}; {}", self.wait_words(wait), self.state_words(wait)))
            .collect();
        format!("{place} waits for {}.", waits.join(", and for "))
    }

    /// Who could post, and why not.
    pub fn poster_words(&self, poster: &Poster) -> String {
        match &poster.who {
            Who::Record(by) => {
                let more = match poster.count {
                    0 | 1 => String::new(),
                    count => format!(" and {} more records after it", count - 1),
                };
                let place = self.slot_words(*by);
                let why = self.why_words(poster.why, Some(by.of));
                format!("{place}{more} would post it, {why}")
            }
            Who::Collective { core, collective, top_sp, rank, by } => {
                let what = self.collective_words(*core, *collective);
                let place = self.top_sp_words(*top_sp);
                let one = Missing { rank: *rank, top_sp: None, why: poster.why, by: *by };
                let why = match (poster.why, by) {
                    (Why::InCollective, _) => "but its TOP_SPs wait for each other".to_owned(),
                    (Why::RankMissing, None) if self.has_rank(*rank) => {
                        format!("but rank {rank} never starts it")
                    }
                    _ => format!("but {}", self.missing_words(&one)),
                };
                format!("the {what}, in which {place} stands, would post it, {why}")
            }
            Who::Transfer { core, queue, block, trigger } => {
                let name = self.queue_name(*core, *queue);
                let id = self.block_id(*core, *queue, *block).unwrap_or(*block);
                let by = match (trigger, poster.why) {
                    (Some(by), Why::Behind | Why::Halted | Why::Done) => {
                        format!(", which {} starts", self.slot_words(*by))
                    }
                    (Some(by), _) => format!(", which {} started", self.slot_words(*by)),
                    (None, _) => String::new(),
                };
                let why = self.why_words(poster.why, trigger.map(|by| by.of));
                format!("the transfer of block {id} of queue {name}{by}, would post it, {why}")
            }
        }
    }

    fn why_words(&self, why: Why, of: Option<EngineRef>) -> String {
        let engine = of.map_or_else(|| "its engine".to_owned(), |of| self.engine_words(of));
        match why {
            Why::Behind => format!("but {engine} does not get there"),
            Why::Halted => format!("but {engine} stopped at a HALT"),
            Why::Done => format!("but {engine} has no inference left to run"),
            Why::Stalled { ring } => format!("but its ring {ring} does not move"),
            Why::SideMissing { posted, needed } => {
                let side = |at: usize| (posted.get(at).copied(), needed.get(at).copied());
                let [read, write] = [side(0), side(1)];
                let text = |name: &str, (posted, needed): (Option<u64>, Option<u64>)| {
                    let (posted, needed) = (posted.unwrap_or(0), needed.unwrap_or(0));
                    format!("{posted} of {needed} {name} descriptors")
                };
                format!("but only {} and {} are posted", text("read", read), text("write", write))
            }
            Why::NoTrigger => "but no record starts it".to_owned(),
            Why::RankMissing => "but a rank of it never starts it".to_owned(),
            Why::LinkDropped => "but a post of another rank was left out on purpose".to_owned(),
            Why::InCollective => "but it stands still".to_owned(),
        }
    }

    /// The whole in a few sentences, the cause first.
    pub fn deadlock_words(&self, stuck: &[Stuck], graph: &Graph, cause: &Cause) -> Vec<String> {
        let mut words = Vec::new();
        let first = cause.stuck.first().and_then(|at| stuck.get(*at));
        let wait = first.and_then(|one| one.waits.get(cause.wait));
        if let Some(first) = first {
            words.push(self.stuck_words(first));
        }
        match (cause.reason, first, wait) {
            (Reason::Cycle, ..) => words.push(self.cycle_words(stuck, graph, cause)),
            (Reason::SelfWait, Some(first), _) => {
                let engine = self.engine_words(first.at.of);
                let by = graph.edges.iter().find(|edge| edge.in_cycle).and_then(|edge| edge.by);
                let place =
                    by.map_or_else(String::new, |by| format!(" at {}", self.slot_words(by)));
                words.push(format!(
                    "Only {engine} itself would bring it{place}, behind this wait: it waits for itself."
                ));
            }
            (reason, Some(_), Some(wait)) => words.push(self.reason_words(reason, wait)),
            _ => {}
        }
        if let (Some(wait), false) = (wait, cause.reason == Reason::Cycle) {
            for poster in wait.posters.iter().take(4) {
                words.push(sentence(&self.poster_words(poster)));
            }
        }
        let others = stuck.len().saturating_sub(cause.stuck.len());
        if others > 0 {
            let (engines, verb) =
                if others == 1 { ("engine", "stands") } else { ("engines", "stand") };
            words.push(format!("{others} more {engines} {verb} still because of this."));
        }
        words
    }

    fn cycle_words(&self, stuck: &[Stuck], graph: &Graph, cause: &Cause) -> String {
        let name = |at: usize| stuck.get(at).map(|one| self.engine_words(one.at.of));
        let mut parts = Vec::new();
        for at in &cause.stuck {
            let edge = graph.edges.iter().find(|edge| edge.in_cycle && edge.from == *at);
            let Some(edge) = edge else { continue };
            let wait = stuck.get(*at).and_then(|one| one.waits.get(edge.wait.1));
            let what = wait.map_or_else(String::new, |wait| self.wait_words(wait));
            // A transfer stands between two engines.
            let engine = match graph.nodes.get(edge.to) {
                Some(NodeKind::Transfer { .. }) => {
                    let on = graph.edges.iter().find(|on| on.in_cycle && on.from == edge.to);
                    on.and_then(|on| name(on.to))
                }
                _ => name(edge.to),
            };
            parts.push(format!(
                "{} waits for {what}, which {} would bring later",
                name(*at).unwrap_or_default(),
                engine.unwrap_or_default()
            ));
        }
        format!("They wait for each other in a circle: {}.", parts.join("; "))
    }

    fn reason_words(&self, reason: Reason, wait: &StuckWait) -> String {
        let id = wait.gate.id;
        match reason {
            Reason::Dropped => format!("A post to {id} was left out on purpose."),
            Reason::RankMissing => {
                "A rank that has to take part in the collective never starts it, so \
                                    that the others wait for it for ever."
                    .to_owned()
            }
            Reason::CollectiveStuck => "The collective that would post it does not end.".to_owned(),
            Reason::TransferStuck => "The transfer that would post it does not end.".to_owned(),
            Reason::NeverPosted if wait.posts == 0 => {
                format!("Nothing in the program, no transfer and not the host ever posts {id}.")
            }
            Reason::NeverPosted => format!("Nothing that is left to run posts {id}."),
            Reason::TooFewPosts => {
                let more: u64 = wait.posters.iter().filter_map(|poster| poster.adds).sum();
                let left = if more == 0 {
                    "nothing more comes".to_owned()
                } else {
                    format!("all that could still come adds {more}")
                };
                format!(
                    "It is {} now and {left}: too few for {}.",
                    wait.now,
                    wait.gate.words(wait.needed)
                )
            }
            Reason::ValuePassed => format!(
                "It is already past {}: a wait for exactly that value can miss it. Wait with >=.",
                wait.needed as i32
            ),
            Reason::EventTaken => match wait.last {
                Some(last) => {
                    let by = match last.actor.as_engine() {
                        Some(engine) => {
                            let of = EngineRef { core: last.actor.core(), engine };
                            self.slot_words(SlotRef { of, slot: last.slot })
                        }
                        None => last.actor.name().to_owned(),
                    };
                    format!("{id} was set and {by} cleared it; one set lets only one wait through.")
                }
                None => format!("{id} was set and cleared by another record."),
            },
            Reason::HostIdle => format!("Only the host posts {id}, and it has no reason to."),
            Reason::BarrierUnmatched => {
                "All five engines must come to the same number of barriers; \
                the others are through with theirs."
                    .to_owned()
            }
            Reason::EngineStopped => "Whoever would post it has stopped.".to_owned(),
            Reason::SelfWait | Reason::Cycle | Reason::Behind => {
                "Whoever would post it stands still too.".to_owned()
            }
        }
    }

    /// One sentence for a fault.
    pub fn fault_words(&self, fault: &Fault) -> String {
        let of = EngineRef { core: fault.core, engine: fault.engine };
        let place = self.slot_words(SlotRef { of, slot: fault.slot });
        format!("{place}: {}.", fault.kind)
    }

    /// A sentence for something odd.
    pub fn remark_words(&self, kind: RemarkKind, core: usize) -> String {
        match kind {
            RemarkKind::EventTwice(id) => {
                format!(
                    "{id} is set while it is set, or cleared while it is clear: an error of the hardware"
                )
            }
            RemarkKind::ResetInFlight(queue) => format!(
                "queue {} is reset while a transfer of it is under way",
                self.queue_name(core, queue)
            ),
            RemarkKind::Dropped(id) => format!("a post to {id} is left out on purpose"),
            RemarkKind::NotModelled(code) => {
                let name = Opcode(code).info().map_or("this code", |info| info.mnemonic);
                format!(
                    "{name} ran without an effect besides its waits and updates: what else it does \
                     is not modelled, so what comes behind it can be different on a device"
                )
            }
        }
    }
}

/// A sentence of it; names stay as they are.
fn sentence(text: &str) -> String {
    match text.strip_prefix("the ") {
        Some(rest) => format!("The {rest}."),
        None => format!("{text}."),
    }
}
