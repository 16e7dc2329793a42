//! What a run writes down: one small record for everything that happens, in the order of time.
//!
//! The record is made of plain numbers, so that whoever keeps or draws events needs nothing else of
//! this crate.

use records::Engine;

use crate::gate::SyncId;

/// Who did something: a core and a part of it.
///
/// The number is `core * 8 + part`; parts 0 to 4 are the engines by their codes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Actor(pub u32);

impl Actor {
    const PARTS: u32 = 8;
    const DMA: u32 = 5;
    const HOST: u32 = 6;
    const TOP_SP: u32 = 7;

    /// An engine of a core.
    pub const fn engine(core: usize, engine: Engine) -> Self {
        Self(core as u32 * Self::PARTS + engine.code() as u32)
    }

    /// The DMA rings of a core.
    pub const fn dma(core: usize) -> Self {
        Self(core as u32 * Self::PARTS + Self::DMA)
    }

    /// The host and what it set up, as far as a core sees it.
    pub const fn host(core: usize) -> Self {
        Self(core as u32 * Self::PARTS + Self::HOST)
    }

    /// The processors of collectives of a core.
    pub const fn top_sp(core: usize) -> Self {
        Self(core as u32 * Self::PARTS + Self::TOP_SP)
    }

    /// 0-based core of the run.
    pub const fn core(self) -> usize {
        (self.0 / Self::PARTS) as usize
    }

    /// The engine, if it is one.
    pub const fn as_engine(self) -> Option<Engine> {
        Engine::from_code((self.0 % Self::PARTS) as u8)
    }

    /// `PE ACT POOL DVE SP DMA host TOP_SP`.
    pub const fn name(self) -> &'static str {
        match self.0 % Self::PARTS {
            Self::DMA => "DMA",
            Self::HOST => "host",
            Self::TOP_SP => "TOP_SP",
            _ => match self.as_engine() {
                Some(engine) => engine.name(),
                None => "",
            },
        }
    }
}

/// Number of a TOP_SP where none is known: of a collective that has no plan.
pub const NO_TOP_SP: u32 = 255;

macro_rules! kinds {
    ($($value:literal $name:ident $word:literal $doc:literal;)*) => {
        /// What happened.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum EventKind {
            $(#[doc = $doc] $name = $value,)*
        }

        impl EventKind {
            /// All kinds, by number.
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

kinds! {
    0 Execute "execute" "A record starts; `b` is its duration in ps.";
    1 Waited "waited" "A record's waits hold; `a` is what it waited for, `b` for how long in ps.";
    2 Semaphore "semaphore" "A semaphore changes; `a` is its id, `b` the value after it.";
    3 EventSet "event-set" "An event is set; `a` is its id.";
    4 EventClear "event-clear" "An event is cleared; `a` is its id.";
    5 Notify "notify" "A notification; `a` is what is told.";
    6 TransferStart "transfer-start" "A block starts; `slot` is the queue, `a` the block, `b` bytes.";
    7 TransferEnd "transfer-end" "A block has moved; as above.";
    8 Branch "branch" "A branch is taken; `a` is the slot it goes to.";
    9 Host "host" "The host acts; `a` says how: 0 posts an inference, 1 starts a table load.";
    10 CollectiveStart "collective-start" "A TOP_SP starts a collective; `slot` is its number or [`NO_TOP_SP`], `a` the collective of the core.";
    11 CollectiveEnd "collective-end" "A TOP_SP is through with a collective; as above.";
    12 CollectiveStep "collective-step" "A TOP_SP has moved the chunks of a step; `slot` is its number, `a` the step, `b` how long in ps.";
}

/// One thing that happened. Columns of a trace have these names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// When, in picoseconds from the start of the run.
    pub time_ps: u64,
    /// Who.
    pub actor: Actor,
    /// What.
    pub kind: EventKind,
    /// 0-based image slot of an engine; a queue's number for transfers.
    pub slot: u32,
    /// See the kind. Ids of events have bit 8 set where semaphores can stand too.
    pub a: u32,
    /// See the kind.
    pub b: u64,
}

/// Something that several parts of a device can touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Shared {
    /// An event or semaphore.
    Sync(SyncId),
    /// A device address.
    Address(u64),
    /// The rings of a queue.
    Queue(u8),
}

/// What an access does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Touch {
    /// A wait looks at it and holds.
    Passes,
    /// A wait looks at it and does not hold.
    Stays,
    /// A load reads it.
    Reads(u32),
    /// Adds to it; the order of additions does not matter.
    Adds(i64),
    /// Gives it a value. Of a queue: posts so many descriptors.
    Writes(u32),
}

impl Touch {
    /// Whether it changes what it touches.
    pub const fn changes(self) -> bool {
        matches!(self, Self::Adds(_) | Self::Writes(_))
    }
}

/// One access to something that others can touch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Access {
    /// When, in picoseconds from the start of the run.
    pub time_ps: u64,
    /// Core that has what is touched.
    pub core: u32,
    /// What is touched.
    pub what: Shared,
    /// Who.
    pub actor: Actor,
    /// 0-based image slot of an engine; a queue's number for transfers.
    pub slot: u32,
    /// How.
    pub how: Touch,
}

/// Takes events. They come in the order of time.
pub trait Sink {
    /// One more event.
    fn event(&mut self, event: Event);

    /// One more access. Most who take events have no use for them.
    #[inline]
    fn access(&mut self, _: Access) {}
}

/// Takes no events.
#[derive(Clone, Copy, Debug, Default)]
pub struct Nowhere;

impl Sink for Nowhere {
    #[inline]
    fn event(&mut self, _: Event) {}
}

impl Sink for Vec<Event> {
    fn event(&mut self, event: Event) {
        self.push(event);
    }
}

/// Counts of events and one number that tells two traces apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    hash: u64,
    counts: [u64; EventKind::ALL.len()],
}

impl Default for Digest {
    fn default() -> Self {
        Self { hash: 0xCBF2_9CE4_8422_2325, counts: [0; EventKind::ALL.len()] }
    }
}

impl Digest {
    /// Adds an event.
    #[inline]
    pub fn add(&mut self, event: &Event) {
        let head = u64::from(event.actor.0) << 8 | event.kind as u64;
        let place = u64::from(event.slot) << 32 | u64::from(event.a);
        for word in [event.time_ps, head, place, event.b] {
            self.hash = (self.hash.rotate_left(5) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
        if let Some(count) = self.counts.get_mut(event.kind as usize) {
            *count += 1;
        }
    }

    /// The same events in the same order give the same number.
    pub const fn hash(&self) -> u64 {
        self.hash ^ self.hash >> 29
    }

    /// How many of each kind.
    pub fn counts(&self) -> impl Iterator<Item = (EventKind, u64)> {
        EventKind::ALL.iter().copied().zip(self.counts)
    }

    /// All events.
    pub fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn actors_know_their_core_and_part() {
        let actor = Actor::engine(3, Engine::Dve);
        assert_eq!((actor.core(), actor.as_engine(), actor.name()), (3, Some(Engine::Dve), "DVE"));
        assert_eq!((Actor::dma(1).core(), Actor::dma(1).as_engine()), (1, None));
        assert_eq!([Actor::host(0).name(), Actor::top_sp(0).name()], ["host", "TOP_SP"]);
    }

    #[test]
    fn the_hash_depends_on_order_and_content() {
        let event = |time_ps, a| Event {
            time_ps,
            actor: Actor(0),
            kind: EventKind::Notify,
            slot: 0,
            a,
            b: 0,
        };
        let of = |events: &[Event]| {
            let mut digest = Digest::default();
            events.iter().for_each(|event| digest.add(event));
            (digest.hash(), digest.total())
        };
        let (first, second) = (event(1, 2), event(1, 3));
        assert_eq!(of(&[first, second]), of(&[first, second]));
        assert_ne!(of(&[first, second]).0, of(&[second, first]).0);
        assert_ne!(of(&[first]).0, of(&[second]).0);
        assert_eq!(of(&[first, second]).1, 2);
    }
}
