//! Does a result depend on what happens first at one instant? Two runs are compared, one in the
//! stated order and one shuffled; where they differ, the accesses that were the other way round.
//! Spec: docs/format/simulator.md "Races" [modelled].

use records::Engine;
use std::collections::{BTreeMap, VecDeque};

use crate::core::Phase;
use crate::event::{Access, Event, Shared, Sink, Touch};
use crate::gate::SyncId;
use crate::machine::{Machine, Outcome};
use crate::posters::EngineRef;

/// How two runs ended differently.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// Another outcome.
    Outcome([&'static str; 2]),
    /// An engine ends elsewhere.
    Slot(EngineRef, [u32; 2]),
    /// An engine did another number of slots.
    Slots(EngineRef, [u64; 2]),
    /// A register of an engine has another value.
    Register(EngineRef, u8, [u32; 2]),
    /// An event or semaphore of a core ends with another value.
    Sync(usize, SyncId, [i32; 2]),
    /// An address of a core holds another value.
    Address(usize, u64, [Option<u32>; 2]),
    /// The run takes another time, ps.
    Time([u64; 2]),
}

/// Two accesses whose order decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Race {
    /// The one that is first, or that has its way, in the stated order.
    pub first: Access,
    /// The other.
    pub second: Access,
}

/// Accesses that wait for their counterparts, at most.
const MOST_OPEN: usize = 1 << 22;
/// Steps between two looks at the accesses.
const SLICE: u64 = 1 << 14;
/// Differences that are listed.
const LISTED: usize = 16;

impl Machine<'_> {
    /// How the end of this run differs from that of another one of the same cores; the most telling
    /// first, at most 16.
    pub fn differences(&self, own: &Outcome, other: (&Self, &Outcome)) -> Vec<Difference> {
        let (that, outcome) = other;
        let mut list = Vec::new();
        if own.word() != outcome.word() {
            list.push(Difference::Outcome([own.word(), outcome.word()]));
        }
        let pairs = || self.cores.iter().zip(&that.cores);
        for (a, b) in pairs() {
            for id in (0..SyncId::COUNT as u16).map(SyncId) {
                let values = [a.state(id), b.state(id)];
                if values[0] != values[1] {
                    list.push(Difference::Sync(a.index, id, values));
                }
            }
        }
        for (a, b) in pairs() {
            for engine in Engine::ALL {
                let of = EngineRef { core: a.index, engine };
                let (x, y) = (a.engine_ref(engine), b.engine_ref(engine));
                let waits = |phase| phase != Phase::Running;
                if x.pc != y.pc || waits(x.phase) != waits(y.phase) {
                    list.push(Difference::Slot(of, [x.pc, y.pc]));
                } else if x.instructions != y.instructions {
                    list.push(Difference::Slots(of, [x.instructions, y.instructions]));
                }
                for (at, (x, y)) in (0_u8..=255).zip(x.registers.iter().zip(&y.registers)) {
                    if x != y {
                        list.push(Difference::Register(of, at, [*x, *y]));
                    }
                }
            }
            let addresses = a.memory.keys().chain(b.memory.keys());
            let mut seen: Vec<u64> = addresses.copied().collect();
            seen.sort_unstable();
            seen.dedup();
            for address in seen {
                let values = [a.memory.get(&address).copied(), b.memory.get(&address).copied()];
                if values[0] != values[1] {
                    list.push(Difference::Address(a.index, address, values));
                }
            }
        }
        let times = [self.time_ps(), that.time_ps()];
        if times[0] != times[1] {
            list.push(Difference::Time(times));
        }
        list.truncate(LISTED);
        list
    }
}

/// Keeps accesses.
#[derive(Debug, Default)]
struct Recorder {
    open: VecDeque<Access>,
}

impl Sink for Recorder {
    fn event(&mut self, _: Event) {}

    fn access(&mut self, access: Access) {
        self.open.push_back(access);
    }
}

/// Runs two machines that have not run yet beside each other, one in the stated order and one
/// shuffled, up to the first instant at which the same thing is touched with another result. `None`
/// if there is no such instant, or if `stopped` says so.
pub fn find<'a>(
    stated: &mut Machine<'a>,
    shuffled: &mut Machine<'a>,
    stopped: &dyn Fn() -> bool,
) -> Option<Race> {
    let mut sinks = [Recorder::default(), Recorder::default()];
    let mut ended = [false; 2];
    loop {
        if stopped() {
            return None;
        }
        for (at, machine) in [&mut *stated, &mut *shuffled].into_iter().enumerate() {
            let (Some(sink), Some(ended)) = (sinks.get_mut(at), ended.get_mut(at)) else {
                continue;
            };
            if !*ended {
                *ended = machine.advance(sink, SLICE).is_some();
            }
        }
        let [a, b] = &mut sinks;
        // What happens at the last instant of a machine that goes on may not be complete.
        let horizon = |sink: &Recorder, ended: bool| {
            if ended { u64::MAX } else { sink.open.back().map_or(0, |last| last.time_ps) }
        };
        let until = horizon(a, ended[0]).min(horizon(b, ended[1]));
        loop {
            let first = [&*a, &*b].into_iter().filter_map(|one| one.open.front());
            let Some(time) = first.map(|one| one.time_ps).min().filter(|time| *time < until) else {
                break;
            };
            let (own, other) = (instant(a, time), instant(b, time));
            if let Some(race) = compare(&own, &other) {
                return Some(race);
            }
        }
        if ended == [true; 2] || a.open.len().max(b.open.len()) > MOST_OPEN {
            return None;
        }
    }
}

/// Takes the accesses of an instant.
fn instant(from: &mut Recorder, time: u64) -> Vec<Access> {
    let mut list = Vec::new();
    while let Some(one) = from.open.pop_front_if(|one| one.time_ps == time) {
        list.push(one);
    }
    list
}

type Groups = BTreeMap<(u32, Shared), Vec<Access>>;

/// By what is touched. A wait that looks in vain and passes at the same instant looks once.
fn groups(list: &[Access]) -> Groups {
    let mut groups = Groups::new();
    for one in list {
        groups.entry((one.core, one.what)).or_default().push(*one);
    }
    for group in groups.values_mut() {
        let passed: Vec<(crate::event::Actor, u32)> = group
            .iter()
            .filter(|one| one.how == Touch::Passes)
            .map(|one| (one.actor, one.slot))
            .collect();
        group.retain(|one| one.how != Touch::Stays || !passed.contains(&(one.actor, one.slot)));
    }
    groups
}

/// The first pair of accesses whose order matters at one instant.
fn compare(own: &[Access], other: &[Access]) -> Option<Race> {
    if own == other {
        return None;
    }
    let (a, b) = (groups(own), groups(other));
    let order = own.iter().chain(other).map(|one| (one.core, one.what));
    let mut seen = Vec::new();
    for key in order {
        if seen.contains(&key) {
            continue;
        }
        seen.push(key);
        let empty = Vec::new();
        let (x, y) = (a.get(&key).unwrap_or(&empty), b.get(&key).unwrap_or(&empty));
        if let Some(race) = pair(x, y) {
            return Some(race);
        }
    }
    None
}

fn pair(a: &[Access], b: &[Access]) -> Option<Race> {
    if is_same(a, b) {
        return None;
    }
    // What changes something says more than the look before it.
    let only = |list: &[Access], other: &[Access]| {
        let own = || list.iter().filter(|one| !other.contains(one));
        let first = own().next()?;
        let same = |one: &&Access| one.actor == first.actor && one.how.changes();
        own().find(same).or(Some(first)).copied()
    };
    let changed = a.iter().find(|one| one.how.changes()).copied();
    let first = only(a, b).or_else(|| only(b, a)).or(changed)?;
    let all = || b.iter().chain(a).filter(move |one| one.actor != first.actor);
    let other = |one: &&Access| !(first.how.changes() && only(b, a) == Some(**one));
    // The counterpart that has its way in the other run comes before one that is in both.
    let second = only(b, a)
        .filter(|one| one.actor != first.actor && (one.how.changes() || first.how.changes()))
        .or_else(|| all().filter(other).find(|one| one.how.changes()).copied())
        .or_else(|| all().find(|one| one.how.changes() || first.how.changes()).copied())?;
    Some(Race { first, second })
}

/// Whether the order of two lists of the same accesses makes no difference.
fn is_same(a: &[Access], b: &[Access]) -> bool {
    if a == b {
        return true;
    }
    let sorted = |list: &[Access]| {
        let mut list = list.to_vec();
        list.sort_unstable();
        list
    };
    if sorted(a) != sorted(b) {
        return false;
    }
    let writes = |list: &[Access]| -> Vec<Access> {
        list.iter().filter(|one| one.how.changes()).copied().collect()
    };
    let adds = |list: &[Access]| list.iter().all(|one| matches!(one.how, Touch::Adds(_)));
    let (a, b) = (writes(a), writes(b));
    a == b || adds(&a)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::Actor;

    fn access(engine: Engine, how: Touch) -> Access {
        let actor = Actor::engine(0, engine);
        let what = Shared::Sync(SyncId::semaphore(5));
        Access { time_ps: 7, core: 0, what, actor, slot: u32::from(engine.code()), how }
    }

    #[test]
    fn additions_commute_and_writes_do_not() {
        let (a, b) = (access(Engine::Pe, Touch::Adds(1)), access(Engine::Act, Touch::Adds(2)));
        assert_eq!(compare(&[a, b], &[b, a]), None);
        let write = access(Engine::Act, Touch::Writes(0));
        let race = compare(&[a, write], &[write, a]).unwrap();
        assert_eq!((race.first, race.second), (a, write));
    }

    #[test]
    fn a_wait_that_holds_in_one_order_only_is_paired_with_the_post() {
        let post = access(Engine::Act, Touch::Adds(1));
        let (passes, stays) = (access(Engine::Pe, Touch::Passes), access(Engine::Pe, Touch::Stays));
        let race = compare(&[passes, post], &[post, stays]).unwrap();
        assert_eq!((race.first, race.second), (passes, post));
        // Looking twice at one instant is looking once.
        assert_eq!(compare(&[post, passes], &[stays, post, passes]), None);
    }

    #[test]
    fn two_that_take_one_event_are_the_pair() {
        let take = |engine| [access(engine, Touch::Passes), access(engine, Touch::Writes(0))];
        let stays = |engine| access(engine, Touch::Stays);
        let [a, taken] = take(Engine::Pe);
        let [b, other] = take(Engine::Act);
        let race = compare(&[a, taken, stays(Engine::Act)], &[b, other, stays(Engine::Pe)]);
        let race = race.unwrap();
        assert_eq!((race.first.actor, race.second.actor), (a.actor, b.actor));
    }
}
