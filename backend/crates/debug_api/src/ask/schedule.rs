//! Answers `schedule`: the program of an algorithm.

use crate::answer::{
    BufferRef, Provenance, SCHEMA, ScheduleAct, ScheduleAnswer, ScheduleMove, ScheduleStep,
    ScheduleSync,
};
use crate::convert::provenance;
use crate::error::{ApiError, ErrorKind};
use crate::request::ScheduleRequest;
use device_image::collectives::algorithm::does;
use device_image::collectives::{
    Act, Algorithm, Buffer, Move, Operation, Place, Semaphore, Shape, Source, Wait,
};

/// Steps of one answer at most, and acts, moves, waits, posts and places in them.
const STEPS: (u32, usize) = (4_096, 100_000);

/// The algorithm of a name.
///
/// # Errors
/// `collectives.algorithm`.
pub fn algorithm(name: &str) -> Result<Algorithm, ApiError> {
    Algorithm::of_name(name).ok_or_else(|| {
        let shown: String = name.chars().take(40).collect();
        let names = Algorithm::ALL.map(Algorithm::name).join(" ");
        let message = format!("`{shown}` is no algorithm; there are {names}");
        ApiError::new(ErrorKind::BadRequest, "collectives.algorithm", message)
    })
}

fn operation(name: Option<&str>, algorithm: Algorithm) -> Result<Operation, ApiError> {
    let Some(name) = name else {
        let able = Operation::ALL.into_iter().find(|one| does(algorithm, *one));
        return Ok(able.unwrap_or(Operation::AllReduce));
    };
    Operation::of_name(name).ok_or_else(|| {
        let shown: String = name.chars().take(40).collect();
        let names = Operation::ALL.map(Operation::name).join(" ");
        let message = format!("`{shown}` is no operation of schedules; there are {names}");
        ApiError::new(ErrorKind::BadRequest, "collectives.operation", message)
    })
}

/// The program of an algorithm.
///
/// # Errors
/// `collectives.algorithm`, `collectives.operation`, `collectives.ranks`, `collectives.locals`,
/// `collectives.leg`, `collectives.shape`.
pub fn schedule(request: &ScheduleRequest) -> Result<ScheduleAnswer, ApiError> {
    let algorithm = algorithm(&request.algorithm)?;
    let operation = operation(request.operation.as_deref(), algorithm)?;
    let leg = |name: Option<&str>| name.map(self::algorithm).transpose();
    let legs = (leg(request.intra.as_deref())?, leg(request.inter.as_deref())?);
    if algorithm != Algorithm::Hierarchical && legs != (None, None) {
        let message = format!("{} has no legs; hierarchical has", algorithm.name());
        return Err(ApiError::new(ErrorKind::BadRequest, "collectives.leg", message));
    }
    let shape = Shape { locals: request.locals, switched: request.switched, legs };
    let made = device_image::collectives::schedule(algorithm, operation, request.ranks, shape)
        .map_err(|error| ApiError::new(ErrorKind::BadRequest, error.code(), error.to_string()))?;
    let count = request.count.unwrap_or(STEPS.0).min(STEPS.0) as usize;
    let mut left = STEPS.1;
    let steps = made.steps.iter().enumerate().skip(request.from as usize).take(count);
    // The first step is always given, so that one can page on.
    let steps = steps.enumerate().take_while(|(nth, (_, step))| {
        let size: usize = step.acts.iter().map(size).sum();
        let fits = size <= left;
        left = left.saturating_sub(size);
        fits || *nth == 0
    });
    Ok(ScheduleAnswer {
        schema: SCHEMA,
        algorithm: algorithm.name().to_owned(),
        number: algorithm.value(),
        operation: operation.name().to_owned(),
        ranks: made.ranks,
        locals: made.locals,
        n_steps: made.steps.len() as u64,
        hops: made.hops() as u64,
        crossing_chunks: made.crossing(),
        from: u64::from(request.from),
        steps: steps
            .map(|(_, (index, step))| ScheduleStep {
                index: index as u64,
                phase: step.phase.to_owned(),
                leg: step.leg.to_owned(),
                event: step.event.map(|event| event.0),
                hop: step.is_hop,
                source: step.source.word().to_owned(),
                provenance: provenance(step.source.provenance()),
                acts: step.acts.iter().map(act).collect(),
            })
            .collect(),
        notes: made.notes.iter().map(|note| (*note).to_owned()).collect(),
        provenance: made
            .steps
            .iter()
            .map(|step| provenance(step.source.provenance()))
            .max()
            .unwrap_or(Provenance::Observed),
    })
}

fn size(act: &Act) -> usize {
    let places = act.moves.iter().map(|one| one.sources.len() + one.targets.len() + 1);
    1 + act.waits.len() + act.after.len() + act.posts.len() + places.sum::<usize>()
}

fn act(act: &Act) -> ScheduleAct {
    let wait = |wait: &Wait| sync(act.rank, wait.semaphore, wait.at_least, wait.take, wait.source);
    let posts = act.posts.iter().map(|post| ScheduleSync {
        through: post.through.map(str::to_owned),
        ..sync(post.rank, post.semaphore, post.add, 0, post.source)
    });
    ScheduleAct {
        rank: act.rank,
        leaf: act.leaf.to_owned(),
        waits: act.waits.iter().map(wait).collect(),
        moves: act.moves.iter().map(moved).collect(),
        after: act.after.iter().map(wait).collect(),
        posts: posts.collect(),
    }
}

fn sync(rank: u32, semaphore: Semaphore, value: u32, take: u32, source: Source) -> ScheduleSync {
    ScheduleSync {
        rank,
        semaphore: semaphore.kind.name().to_owned(),
        leg: semaphore.leg,
        index: semaphore.index,
        value,
        take,
        through: None,
        source: source.word().to_owned(),
        provenance: provenance(source.provenance()),
    }
}

fn moved(one: &Move) -> ScheduleMove {
    ScheduleMove {
        from: one.sources.iter().map(place).collect(),
        to: one.targets.iter().map(place).collect(),
        first: one.chunks.first,
        stride: one.chunks.stride,
        count: one.chunks.count,
        adds: one.adds,
    }
}

fn place(place: &Place) -> BufferRef {
    let (buffer, sender) = match place.buffer {
        Buffer::Data => ("data", None),
        Buffer::Partial => ("partial", None),
        Buffer::Inbox(sender) => ("inbox", Some(sender)),
    };
    BufferRef { rank: place.rank, buffer: buffer.to_owned(), sender }
}
