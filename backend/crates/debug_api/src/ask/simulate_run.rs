//! Running a machine to its end while somebody waits for it.

use crate::error::{ApiError, ErrorKind};
use crate::run_trace::Recorder;
use device_sim::event::Nowhere;
use device_sim::{Machine, Outcome};

/// Scheduler steps after which a run tells how far it is, and looks whether it is still wanted.
const SLICE: u64 = 1 << 18;

/// Runs a machine to its end. `before` is added to what is told.
///
/// # Errors
/// `run.cancelled` when it is not wanted any more.
pub fn whole(
    machine: &mut Machine<'_>,
    progress: &dyn Fn(u64) -> bool,
    before: u64,
) -> Result<Outcome, ApiError> {
    loop {
        if !progress(before + machine.steps()) {
            return Err(cancelled(machine.steps()));
        }
        if let Some(outcome) = machine.advance(&mut Nowhere, SLICE) {
            return Ok(outcome);
        }
    }
}

/// Runs a machine and keeps what happens, to its end or until enough is kept.
///
/// # Errors
/// `run.cancelled` when it is not wanted any more.
pub fn recorded(
    machine: &mut Machine<'_>,
    recorder: &mut Recorder,
    progress: &dyn Fn(u64) -> bool,
) -> Result<Outcome, ApiError> {
    loop {
        if !progress(machine.steps()) {
            return Err(cancelled(machine.steps()));
        }
        if let Some(outcome) = machine.advance(recorder, SLICE) {
            return Ok(outcome);
        }
        if recorder.is_full() {
            return Ok(Outcome::Budget);
        }
    }
}

/// A run that is not wanted any more.
pub fn cancelled(steps: u64) -> ApiError {
    let message = format!("the run was given up after {steps} events");
    ApiError::new(ErrorKind::BadRequest, "run.cancelled", message)
}
