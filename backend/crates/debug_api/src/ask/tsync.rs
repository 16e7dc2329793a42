//! Answers `tsync`: counters of several blocks on one time.

use crate::answer::{AlignedReading, Provenance, SCHEMA, TsyncAnswer};
use crate::convert::number;
use crate::error::{ApiError, ErrorKind};
use crate::request::TsyncRequest;
use device_image::collectives::tsync::{Block, Clock, block_of_name};

/// Readings of one question at most.
const MOST: usize = 4_096;

/// The readings, earliest first.
///
/// # Errors
/// `tsync.reading`, `request.invalid`.
pub fn tsync(request: &TsyncRequest) -> Result<TsyncAnswer, ApiError> {
    if request.readings.is_empty() || request.readings.len() > MOST {
        let message = format!("{} readings, expected 1 to {MOST}", request.readings.len());
        return Err(ApiError::new(ErrorKind::BadRequest, "tsync.reading", message));
    }
    let readings = request.readings.iter().enumerate();
    let mut readings: Vec<AlignedReading> =
        readings.map(|(at, text)| reading(at, text, request.host_ns)).collect::<Result<_, _>>()?;
    readings.sort_by_key(|one| one.picoseconds);
    let first = readings.first().map_or(0, |one| one.picoseconds);
    for one in &mut readings {
        one.after_first = one.picoseconds.abs_diff(first);
    }
    Ok(TsyncAnswer { schema: SCHEMA, readings, provenance: Provenance::Observed })
}

fn reading(at: usize, text: &str, host_ns: Option<i64>) -> Result<AlignedReading, ApiError> {
    let shown: String = text.chars().take(80).collect();
    let refused = |why: String| {
        let message = format!("reading {at} `{shown}` {why}");
        ApiError::new(ErrorKind::BadRequest, "tsync.reading", message)
    };
    let parts: Vec<&str> = text.split(':').map(str::trim).collect();
    let [block, init, actual, expected, t] = parts.as_slice() else {
        return Err(refused("is not BLOCK:INIT:ACTUAL:EXPECTED:T".to_owned()));
    };
    let block = block_of_name(block).ok_or_else(|| {
        refused(format!("names no block; there are {}", Block::ALL.map(Block::name).join(" ")))
    })?;
    let increment = |what: &str, text: &str| -> Result<u32, ApiError> {
        let value = number(what, text)?;
        u32::try_from(value).map_err(|_| refused(format!("has an {what} of 2^32 or more")))
    };
    let clock = Clock {
        init: number("the counter at the common instant", init)?,
        actual_increment: increment("actual increment", actual)?,
        expected_increment: increment("expected increment", expected)?,
    };
    if clock.expected_increment == 0 {
        let why = "has an expected increment of 0: a tick takes some picoseconds";
        return Err(refused(why.to_owned()));
    }
    let t = number("the counter of the event", t)?;
    let picoseconds = clock.picoseconds(t).ok_or_else(|| {
        refused(match clock.actual_increment {
            0 => "has an actual increment of 0: the counter stands still".to_owned(),
            _ => "is 2^63 picoseconds or more from the common instant".to_owned(),
        })
    })?;
    let wall_ns = host_ns
        .map(|host| {
            clock.wall_nanoseconds(t, host).ok_or_else(|| {
                refused("is past the end of a 64-bit wall clock in nanoseconds".to_owned())
            })
        })
        .transpose()?;
    Ok(AlignedReading {
        index: at as u64,
        block: block.name().to_owned(),
        init: clock.init,
        actual_increment: clock.actual_increment,
        expected_increment: clock.expected_increment,
        t,
        picoseconds,
        nanoseconds: clock.nanoseconds(t).unwrap_or_default(),
        after_first: 0,
        wall_ns,
    })
}
