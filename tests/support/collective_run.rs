//! Runs the schedule of a collective on real numbers: step by step as the steps say, and rank by
//! rank in any order that the semaphores allow. It shares nothing with what wrote the schedule.

use device_image::collectives::{
    Buffer, Operation, Place, Schedule, Semaphore, SemaphoreKind, Wait,
};
use std::collections::{BTreeMap, HashSet, VecDeque};

/// Values of all buffers; a chunk that nobody wrote has none.
struct Memory {
    chunks: usize,
    /// Data, partial results and one inbox per sender of rank 0, then of rank 1; empty if unused.
    values: Vec<Vec<Option<f64>>>,
}

/// A number for a rank and a chunk: neither whole nor of one sign.
pub fn operand(rank: u32, chunk: u32) -> f64 {
    (f64::from(rank) + 0.37) * 1.5 - f64::from(chunk * chunk % 7) * 0.81
        + 1.0 / f64::from(chunk + 3)
}

impl Memory {
    fn begin(schedule: &Schedule) -> Self {
        let chunks = schedule.ranks as usize;
        let mut memory = Self { chunks, values: vec![Vec::new(); chunks * (chunks + 2)] };
        for rank in 0..schedule.ranks {
            let own = (0..schedule.ranks).map(|chunk| {
                let has = schedule.operation != Operation::AllGather || chunk == rank;
                has.then(|| operand(rank, chunk))
            });
            let at = memory.at(Place { rank, buffer: Buffer::Data });
            if let Some(slot) = memory.values.get_mut(at) {
                *slot = own.collect();
            }
        }
        memory
    }

    fn at(&self, place: Place) -> usize {
        let buffer = match place.buffer {
            Buffer::Data => 0,
            Buffer::Partial => 1,
            Buffer::Inbox(from) => 2 + from as usize,
        };
        place.rank as usize * (self.chunks + 2) + buffer
    }

    fn read(&self, place: Place, chunk: u32) -> Result<f64, String> {
        let chunks = self.values.get(self.at(place));
        chunks
            .and_then(|chunks| chunks.get(chunk as usize).copied().flatten())
            .ok_or_else(|| format!("{place:?} has no chunk {chunk}"))
    }

    fn write(&mut self, place: Place, chunk: u32, value: f64) -> Result<(), String> {
        let at = self.at(place);
        let chunks = self.values.get_mut(at).ok_or_else(|| format!("there is no {place:?}"))?;
        if chunks.is_empty() {
            chunks.resize(self.chunks, None);
        }
        let slot = chunks.get_mut(chunk as usize).ok_or(format!("there is no chunk {chunk}"))?;
        *slot = Some(value);
        Ok(())
    }

    /// Whether every rank ends with what the operation promises.
    fn check(&self, schedule: &Schedule) -> Result<(), String> {
        let n = schedule.ranks;
        for rank in 0..n {
            for chunk in 0..n {
                let gave = Place { rank, buffer: Buffer::Inbox(chunk) };
                let before = (rank + n - 1) % n;
                let arrived = Place { rank, buffer: Buffer::Inbox(before) };
                let own = Place { rank, buffer: Buffer::Data };
                // What of a rank, which chunk, and where it must be.
                let (place, at, expected) = match schedule.operation {
                    Operation::AllToAll if chunk == rank => (own, rank, operand(rank, rank)),
                    Operation::AllToAll => (gave, rank, operand(chunk, rank)),
                    Operation::Permute => (arrived, chunk, operand(before, chunk)),
                    Operation::AllGather => (own, chunk, operand(chunk, chunk)),
                    Operation::ReduceScatter if chunk != rank => continue,
                    _ => (own, chunk, (0..n).map(|from| operand(from, chunk)).sum()),
                };
                let found = self.read(place, at)?;
                if (found - expected).abs() > 1e-9 * f64::from(n * n) {
                    return Err(format!(
                        "rank {rank} chunk {chunk}: {found} instead of {expected}"
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Runs all steps one after the other; within a step everything is read before anything is
/// written.
///
/// # Errors
/// The first wrong or missing value.
pub fn by_steps(schedule: &Schedule) -> Result<(), String> {
    let mut memory = Memory::begin(schedule);
    for (at, step) in schedule.steps.iter().enumerate() {
        let mut results: Vec<(Place, u32, f64)> = Vec::new();
        let mut written: HashSet<(Place, u32)> = HashSet::new();
        let mut added: BTreeMap<(Place, u32), f64> = BTreeMap::new();
        for moved in step.acts.iter().flat_map(|act| &act.moves) {
            for chunk in moved.chunks.iter() {
                let mut sum = 0.0;
                for from in &moved.sources {
                    sum += memory.read(*from, chunk).map_err(|e| format!("step {at}: {e}"))?;
                }
                for to in &moved.targets {
                    if moved.adds {
                        *added.entry((*to, chunk)).or_insert(0.0) += sum;
                    } else if written.insert((*to, chunk)) {
                        results.push((*to, chunk, sum));
                    } else {
                        return Err(format!("step {at}: {to:?} chunk {chunk} is written twice"));
                    }
                }
            }
        }
        for ((to, chunk), sum) in added {
            let own = memory.read(to, chunk).map_err(|e| format!("step {at}: {e}"))?;
            results.push((to, chunk, own + sum));
        }
        for (to, chunk, value) in results {
            memory.write(to, chunk, value)?;
        }
    }
    memory.check(schedule)
}

/// Runs the acts of each rank in their order, ranks in an order that `seed` gives, held back by
/// semaphores alone.
///
/// # Errors
/// The first wrong or missing value, or that nobody can go on.
pub fn by_semaphores(schedule: &Schedule, seed: u64) -> Result<(), String> {
    let mut memory = Memory::begin(schedule);
    let mut semaphores: BTreeMap<(u32, Semaphore), u32> = BTreeMap::new();
    let mut queues: Vec<VecDeque<&device_image::collectives::Act>> =
        vec![VecDeque::new(); schedule.ranks as usize];
    for act in schedule.steps.iter().flat_map(|step| &step.acts) {
        let queue = queues.get_mut(act.rank as usize).ok_or("an act of no rank")?;
        queue.push_back(act);
    }
    let mut state = seed | 1;
    let mut blocked = 0;
    let mut left: usize = queues.iter().map(VecDeque::len).sum();
    let mut at = 0;
    while left > 0 {
        if blocked == 0 {
            // A new place to begin with after each act.
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            at = (state >> 20) as usize;
        }
        let rank = (at + blocked) % queues.len();
        let ready = queues.get(rank).and_then(|queue| queue.front()).filter(|act| {
            act.waits.iter().all(|Wait { semaphore, at_least, .. }| {
                let key = (act.rank, *semaphore);
                semaphores.get(&key).copied().unwrap_or(0) >= *at_least
            })
        });
        let Some(act) = ready.copied() else {
            blocked += 1;
            if blocked == queues.len() {
                return Err(format!("{left} acts are left and nobody can go on"));
            }
            continue;
        };
        blocked = 0;
        left -= 1;
        if let Some(queue) = queues.get_mut(rank) {
            queue.pop_front();
        }
        for wait in &act.waits {
            let key = (act.rank, wait.semaphore);
            let value = semaphores.entry(key).or_insert(0);
            *value = value.checked_sub(wait.take).ok_or("a semaphore below 0")?;
        }
        for moved in &act.moves {
            for chunk in moved.chunks.iter() {
                let mut sum = 0.0;
                for from in &moved.sources {
                    sum += memory.read(*from, chunk)?;
                }
                for to in &moved.targets {
                    let own = if moved.adds { memory.read(*to, chunk)? } else { 0.0 };
                    memory.write(*to, chunk, own + sum)?;
                }
            }
        }
        // Each transfer that ended adds 1; the rank takes off what it waits for.
        for wait in &act.after {
            let value = semaphores.entry((act.rank, wait.semaphore)).or_insert(0);
            *value += act.moves.len() as u32;
            if *value < wait.at_least {
                return Err(format!("{:?} stays at {value}", wait.semaphore));
            }
            *value = value.checked_sub(wait.take).ok_or("a semaphore below 0")?;
        }
        for post in &act.posts {
            let key = (post.rank, post.semaphore);
            *semaphores.entry(key).or_insert(0) += post.add;
        }
    }
    // What counts arrivals keeps its count; all else is as before the first step.
    let left = semaphores
        .iter()
        .find(|((_, semaphore), value)| semaphore.kind != SemaphoreKind::Receive && **value != 0);
    if let Some(((rank, semaphore), value)) = left {
        return Err(format!("{semaphore:?} of rank {rank} ends at {value}"));
    }
    memory.check(schedule)
}
