//! Who raises the semaphore that a record waits for, and who waits for what a record posts.
//!
//! A count over the streams, without a run: compiled programs have no loops and only ever add to
//! a semaphore, so when all posts of one come from a single engine, the post that reaches a waited
//! value is known. Where several engines post to one semaphore, or one is written or lowered, all
//! posts are candidates. What is concluded here is inferred.

use kbin::effects::{SyncTarget, When};
use kbin::{QueueContext, sync_effects};
use records::sync_mode::{Compare, UpdateKind, WaitKind};
use records::{Engine, Slot, Sync, Wait};

/// A record that raises a semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Post {
    /// Engine of the record.
    pub engine: Engine,
    /// 0-based stream slot.
    pub slot: u32,
    /// What it adds.
    pub amount: u32,
    /// Value after it, if posts happen in stream order.
    pub total: u64,
    /// Whether a DMA transfer posts when it ends, rather than the record itself.
    pub transfer: bool,
}

/// A record that waits for a semaphore.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Waiter {
    /// Engine of the record.
    pub engine: Engine,
    /// 0-based stream slot.
    pub slot: u32,
    /// Semaphore id.
    pub semaphore: u8,
    /// The value that the semaphore must reach.
    pub reach: u64,
}

/// Who raises a semaphore to a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raised<'a> {
    /// This post, in stream order.
    By(&'a Post),
    /// One of these; their order is not known.
    AnyOf(&'a [Post]),
    /// The posts of the program do not reach the value.
    Never {
        /// Sum of all posts.
        total: u64,
    },
}

/// The semaphores of one subgraph.
#[derive(Clone, Debug, Default)]
pub struct Links {
    posts: Vec<Semaphore>,
    waiters: Vec<Waiter>,
    /// Engines that post to and wait for each semaphore, then each event: a bit for each engine.
    users: Vec<(u8, u8)>,
}

#[derive(Clone, Debug, Default)]
struct Semaphore {
    posts: Vec<Post>,
    unordered: bool,
}

impl Links {
    /// Reads all streams of a subgraph. `transfer` gives what the block of a DMA trigger (engine,
    /// record) posts when it ends.
    pub fn of(
        streams: [&[Slot]; 5],
        transfer: impl Fn(Engine, &Slot) -> Option<QueueContext>,
    ) -> Self {
        let mut links = Self {
            posts: vec![Semaphore::default(); 256],
            waiters: Vec::new(),
            users: vec![(0, 0); 512],
        };
        for (engine, slots) in Engine::ALL.into_iter().zip(streams) {
            for (index, slot) in (0_u32..).zip(slots) {
                links.read(engine, index, slot, &transfer);
            }
        }
        links.waiters.sort_by_key(|w| (w.semaphore, w.reach, w.engine, w.slot));
        links
    }

    fn read(
        &mut self,
        engine: Engine,
        slot: u32,
        record: &Slot,
        transfer: &impl Fn(Engine, &Slot) -> Option<QueueContext>,
    ) {
        let sync = Sync::of(record);
        for wait in sync.waits() {
            let event = matches!(wait.mode.kind(), Some(WaitKind::Event { .. }));
            if wait.mode.kind().is_some()
                && let Some(users) = self.users.get_mut(place(event, wait.index))
            {
                users.1 |= 1 << engine.index();
            }
            let Some(reach) = reach(wait) else { continue };
            self.waiters.push(Waiter { engine, slot, semaphore: wait.index, reach });
        }
        let queue = transfer(engine, record);
        for post in sync_effects(record, queue).posts {
            let (event, id) = match post.target {
                SyncTarget::Semaphore(id) => (false, id),
                SyncTarget::Event(id) => (true, id),
            };
            if let Some(users) = self.users.get_mut(place(event, id)) {
                users.0 |= 1 << engine.index();
            }
            let SyncTarget::Semaphore(semaphore) = post.target else { continue };
            let amount = match post.action {
                UpdateKind::Increment => 1,
                UpdateKind::Add if !post.from_register => post.value,
                _ => {
                    if let Some(semaphore) = self.posts.get_mut(usize::from(semaphore)) {
                        semaphore.unordered = true;
                    }
                    continue;
                }
            };
            self.post(engine, slot, semaphore, amount, post.when == When::TransferEnd);
        }
    }

    fn post(&mut self, engine: Engine, slot: u32, semaphore: u8, amount: u32, transfer: bool) {
        let Some(semaphore) = self.posts.get_mut(usize::from(semaphore)) else { return };
        let before = semaphore.posts.last().map_or(0, |post| post.total);
        semaphore.unordered |= semaphore.posts.last().is_some_and(|post| post.engine != engine);
        let total = before.saturating_add(u64::from(amount));
        semaphore.posts.push(Post { engine, slot, amount, total, transfer });
    }

    /// Who raises a semaphore to at least a value. `None` if no record of the program posts to it:
    /// the runtime or the host may.
    pub fn raised(&self, semaphore: u8, reach: u64) -> Option<Raised<'_>> {
        let semaphore = self.posts.get(usize::from(semaphore))?;
        let total = semaphore.posts.last()?.total;
        Some(if total < reach && !semaphore.unordered {
            Raised::Never { total }
        } else if semaphore.unordered {
            Raised::AnyOf(&semaphore.posts)
        } else {
            let at = semaphore.posts.partition_point(|post| post.total < reach);
            semaphore.posts.get(at).map_or(Raised::Never { total }, Raised::By)
        })
    }

    /// Engines that post to an event or semaphore, and those that wait for it.
    pub fn users(&self, event: bool, id: u8) -> [Vec<Engine>; 2] {
        let (posts, waits) = self.users.get(place(event, id)).copied().unwrap_or_default();
        [posts, waits].map(|bits| {
            Engine::ALL.into_iter().filter(|engine| bits >> engine.index() & 1 == 1).collect()
        })
    }

    /// The waits of a record.
    pub fn waits_of(record: &Slot) -> Vec<(u8, u64)> {
        Sync::of(record).waits().filter_map(|wait| Some((wait.index, reach(wait)?))).collect()
    }

    /// The posts of a record, each with its semaphore.
    pub fn posts_of(&self, engine: Engine, slot: u32) -> Vec<(u8, Post)> {
        let mut found = Vec::new();
        for (id, semaphore) in (0_u8..=255).zip(&self.posts) {
            let at = if semaphore.unordered {
                semaphore.posts.iter().position(|p| p.engine == engine && p.slot == slot)
            } else if semaphore.posts.first().is_some_and(|first| first.engine == engine) {
                semaphore.posts.binary_search_by_key(&slot, |post| post.slot).ok()
            } else {
                None
            };
            if let Some(post) = at.and_then(|at| semaphore.posts.get(at)) {
                found.push((id, *post));
            }
        }
        found
    }

    /// Records whose wait is first met by this post, in order of the waited value.
    pub fn needed(&self, semaphore: u8, post: &Post) -> &[Waiter] {
        let unordered = self.posts.get(usize::from(semaphore)).is_none_or(|s| s.unordered);
        let after = if unordered { 0 } else { post.total - u64::from(post.amount) };
        let upto = if unordered { u64::MAX } else { post.total };
        let start = self.waiters.partition_point(|w| (w.semaphore, w.reach) <= (semaphore, after));
        let end = self.waiters.partition_point(|w| (w.semaphore, w.reach) <= (semaphore, upto));
        self.waiters.get(start..end).unwrap_or(&[])
    }
}

/// Place of an event or semaphore among the users.
fn place(event: bool, id: u8) -> usize {
    usize::from(id) + if event { 256 } else { 0 }
}

/// The value that a semaphore must reach for a wait to hold; `None` for other waits.
fn reach(wait: Wait) -> Option<u64> {
    match wait.mode.kind()? {
        WaitKind::Semaphore {
            compare: Compare::GreaterOrEqual | Compare::Equal,
            register: false,
        } => Some(u64::from(wait.value)),
        WaitKind::Semaphore { compare: Compare::Greater, register: false } => {
            Some(u64::from(wait.value) + 1)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(opcode: u8, wait: Option<(u8, u32)>, post: Option<u8>) -> Slot {
        let mut slot = Slot::ZERO;
        slot.0[0] = opcode;
        if let Some((semaphore, value)) = wait {
            slot.0[4] = 5;
            slot.0[5] = semaphore;
            slot.0[8..12].copy_from_slice(&value.to_le_bytes());
        }
        if let Some(semaphore) = post {
            slot.0[6] = 0x13;
            slot.0[7] = semaphore;
        }
        slot
    }

    /// PE posts S5 three times; ACT waits for S5 >= 2 and posts S4; SP starts a transfer that
    /// adds 16 to S8; PE waits for S8 >= 16.
    fn links() -> Links {
        let pe =
            [record(2, Some((8, 16)), Some(5)), record(2, None, Some(5)), record(2, None, Some(5))];
        let act = [record(0x46, Some((5, 2)), Some(4)), record(0x46, Some((5, 9)), None)];
        let sp = [record(0xC1, None, None)];
        Links::of([&pe, &act, &[], &[], &sp], |engine, _| {
            (engine == Engine::Sp).then_some(QueueContext { semaphore: 8, rings: 16 })
        })
    }

    #[test]
    fn the_second_increment_meets_a_wait_for_two() {
        let links = links();
        let Some(Raised::By(post)) = links.raised(5, 2) else { panic!("no post") };
        assert_eq!((post.engine, post.slot, post.total), (Engine::Pe, 1, 2));
        let Some(Raised::By(post)) = links.raised(8, 16) else { panic!("no post") };
        assert_eq!((post.engine, post.amount, post.transfer), (Engine::Sp, 16, true));
        assert_eq!(links.raised(5, 9), Some(Raised::Never { total: 3 }));
        assert_eq!(links.raised(77, 1), None);
    }

    #[test]
    fn a_post_knows_who_it_releases() {
        let links = links();
        let [(semaphore, post)] = links.posts_of(Engine::Pe, 1)[..] else { panic!("one post") };
        let needed = links.needed(semaphore, &post);
        assert_eq!(needed.len(), 1);
        assert_eq!((needed[0].engine, needed[0].slot), (Engine::Act, 0));
        let [(semaphore, post)] = links.posts_of(Engine::Pe, 0)[..] else { panic!("one post") };
        assert!(links.needed(semaphore, &post).is_empty());
    }

    #[test]
    fn posts_of_two_engines_have_no_order() {
        let a = [record(2, None, Some(5))];
        let b = [record(2, None, Some(5))];
        let links = Links::of([&a, &b, &[], &[], &[]], |_, _| None);
        let Some(Raised::AnyOf(posts)) = links.raised(5, 1) else { panic!("candidates") };
        assert_eq!(posts.len(), 2);
    }
}
