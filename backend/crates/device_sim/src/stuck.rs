//! What stands still when nothing can happen any more: the engines that wait, what for, and why it
//! does not come.

use records::Engine;
use records::sync_mode::Compare;

use crate::core::{LastChange, Phase, RemarkKind};
use crate::gate::{Condition, Gate, SyncId};
use crate::host::{CORE_BARRIER, INFERENCE_START, SYNC_BARRIER};
use crate::machine::Machine;
use crate::posters::{EngineRef, Poster, SlotRef, Who, Why};

/// An engine that stands still.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stuck {
    /// Engine and slot.
    pub at: SlotRef,
    /// Whether it stopped at a HALT rather than at a wait.
    pub halted: bool,
    /// The waits that do not hold.
    pub waits: Vec<StuckWait>,
}

/// A wait that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StuckWait {
    /// The wait.
    pub gate: Gate,
    /// Which of the record's waits: 0 that of the head, 1 the second.
    pub lane: usize,
    /// What it compares with.
    pub needed: u32,
    /// The state now.
    pub now: i32,
    /// Posts so far, resets included.
    pub posts: u32,
    /// What changed it last.
    pub last: Option<LastChange>,
    /// Who could still post.
    pub posters: Vec<Poster>,
    /// Why it does not come.
    pub reason: Reason,
}

macro_rules! reasons {
    ($($name:ident $word:literal $doc:literal;)*) => {
        /// Why a wait can never hold.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Reason {
            $(#[doc = $doc] $name,)*
        }

        impl Reason {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$name,)*];

            /// The word of documents.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)*
                }
            }
        }
    };
}

// In the order in which one of them is taken for the cause of the whole.
reasons! {
    Dropped "post-dropped" "A post was left out on purpose.";
    RankMissing "rank-missing" "A rank of the collective never starts it.";
    CollectiveStuck "collective-stuck" "The collective that would post it does not end.";
    TransferStuck "transfer-stuck" "The transfer that would post it does not end.";
    NeverPosted "never-posted" "Nobody posts it at all.";
    TooFewPosts "too-few-posts" "All posts together are too few.";
    ValuePassed "value-passed" "The semaphore went past the value that is waited for.";
    EventTaken "event-taken" "Another record took the event.";
    HostIdle "host-idle" "Only the host posts it, and it has no reason to.";
    BarrierUnmatched "barrier-unmatched" "Not all engines come to as many barriers.";
    EngineStopped "engine-stopped" "Whoever would post it has stopped.";
    SelfWait "self-wait" "Only the engine itself would post it, later.";
    Cycle "cycle" "Engines wait for each other in a circle.";
    Behind "behind" "Whoever would post it stands still too.";
}

impl Machine<'_> {
    /// The engines that stand still, in order.
    pub fn stuck(&self) -> Vec<Stuck> {
        let mut list = Vec::new();
        for core in &self.cores {
            for engine in Engine::ALL {
                let state = core.engine_ref(engine);
                if self.is_done(core, engine) || state.phase == Phase::Running {
                    continue;
                }
                let of = EngineRef { core: core.index, engine };
                let halted = state.phase == Phase::Halted;
                let gates = self.op(core, engine).map(|op| op.gates).unwrap_or_default();
                let waits = gates
                    .iter()
                    .enumerate()
                    .filter_map(|(lane, gate)| self.stuck_wait(of, lane, gate.as_ref()?));
                let waits = if halted { Vec::new() } else { waits.collect() };
                list.push(Stuck { at: SlotRef { of, slot: state.pc }, halted, waits });
            }
        }
        list
    }

    fn stuck_wait(&self, of: EngineRef, lane: usize, gate: &Gate) -> Option<StuckWait> {
        let core = self.cores.get(of.core)?;
        let needed = core.gate_value(of.engine, gate).ok()?;
        let now = core.state(gate.id);
        if gate.holds(now, needed) {
            return None;
        }
        let posters = self.posters(of.core, gate);
        let at = gate.id.index();
        let mut wait = StuckWait {
            gate: *gate,
            lane,
            needed,
            now,
            posts: core.sync.posts.get(at).copied().unwrap_or(0),
            last: core.sync.last.get(at).copied().flatten(),
            posters,
            reason: Reason::Behind,
        };
        wait.reason = self.reason(of, &wait);
        Some(wait)
    }

    fn reason(&self, of: EngineRef, wait: &StuckWait) -> Reason {
        let id = wait.gate.id;
        let dropped = RemarkKind::Dropped(id);
        if self.remarks().iter().any(|one| one.core == of.core && one.kind == dropped) {
            return Reason::Dropped;
        }
        let collective = |why: Why| wait.posters.iter().any(|poster| poster.why == why);
        if collective(Why::LinkDropped) {
            return Reason::Dropped;
        }
        if collective(Why::RankMissing) {
            return Reason::RankMissing;
        }
        if collective(Why::InCollective) {
            return Reason::CollectiveStuck;
        }
        let is_semaphore = |wanted: u8| !id.is_event() && id.id() == wanted;
        let live = |poster: &&Poster| matches!(poster.why, Why::Behind);
        let stalls = |poster: &Poster| {
            matches!(poster.why, Why::Stalled { .. } | Why::SideMissing { .. } | Why::NoTrigger)
        };
        if wait.gate.condition == Condition::Semaphore(Compare::Equal)
            && wait.now > wait.needed as i32
            && wait.posters.iter().filter(live).all(|poster| poster.adds.is_some())
        {
            return Reason::ValuePassed;
        }
        let elsewhere = |poster: &Poster| live(&poster) && !self.is_past(poster);
        if is_semaphore(SYNC_BARRIER) && !wait.posters.iter().any(elsewhere) {
            return Reason::BarrierUnmatched;
        }
        if wait.posters.is_empty() {
            return self.without_posters(of, wait);
        }
        if wait.posters.iter().any(stalls) && !self.reaches(wait, |poster| !stalls(poster)) {
            return Reason::TransferStuck;
        }
        if !wait.posters.iter().any(|poster| live(&poster)) {
            return Reason::EngineStopped;
        }
        if !self.reaches(wait, |poster| poster.why == Why::Behind) {
            return Reason::TooFewPosts;
        }
        let own = |poster: &Poster| poster_engine(poster) == Some(of);
        if wait.posters.iter().filter(live).all(own) { Reason::SelfWait } else { Reason::Behind }
    }

    /// Whether the engine of a poster waits at a barrier of the five engines itself, or is through with
    /// the inference in which another one still stands at a barrier.
    fn is_past(&self, poster: &Poster) -> bool {
        let Some(of) = poster_engine(poster) else { return false };
        let Some(core) = self.cores.get(of.core) else { return false };
        let Some(op) = self.op(core, of.engine) else { return false };
        let barrier = SyncId::semaphore(SYNC_BARRIER);
        self.is_at_gate(core, of.engine) || op.gates.iter().flatten().any(|gate| gate.id == barrier)
    }

    /// Nobody is left who could post.
    fn without_posters(&self, of: EngineRef, wait: &StuckWait) -> Reason {
        let id = wait.gate.id;
        if !id.is_event() && id.id() == INFERENCE_START {
            return Reason::HostIdle;
        }
        if id.is_event() && matches!(id.id(), 4 | 6 | 7 | 8) && wait.posts == 0 {
            return Reason::HostIdle;
        }
        let taken = wait.last.is_some_and(|last| last.actor.as_engine() != Some(of.engine));
        match wait.gate.condition {
            Condition::Event { .. } if wait.posts > 1 && taken => Reason::EventTaken,
            _ if wait.posts > 0 && !id.is_event() && id.id() != CORE_BARRIER => Reason::TooFewPosts,
            _ => Reason::NeverPosted,
        }
    }

    /// Whether the posts of some posters could bring a semaphore to the value. Waits for anything
    /// but a growing semaphore are taken to be reachable.
    fn reaches(&self, wait: &StuckWait, of: impl Fn(&Poster) -> bool) -> bool {
        let Condition::Semaphore(compare) = wait.gate.condition else {
            return wait.posters.iter().any(of);
        };
        let goal = match compare {
            Compare::Greater => i64::from(wait.needed as i32) + 1,
            Compare::Equal | Compare::GreaterOrEqual => i64::from(wait.needed as i32),
            Compare::Less | Compare::LessOrEqual => return wait.posters.iter().any(of),
        };
        let mut total = i64::from(wait.now);
        for poster in wait.posters.iter().filter(|poster| of(poster)) {
            let Some(adds) = poster.adds else { return true };
            total = total.saturating_add(i64::try_from(adds).unwrap_or(i64::MAX));
        }
        total >= goal
    }
}

/// The engine that must go on so that somebody posts; `None` where no engine has to.
pub fn poster_engine(poster: &Poster) -> Option<EngineRef> {
    match &poster.who {
        Who::Record(slot) => Some(slot.of),
        Who::Transfer { trigger, .. } => trigger.map(|trigger| trigger.of),
        Who::Collective { by, .. } => by.map(|by| by.of),
    }
}
