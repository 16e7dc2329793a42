//! Runs of the simulator that are started, watched and given up apart from each other.
//!
//! A run has an id made of its session and question: starting the same run again joins it, and one
//! that was answered before is answered from what is kept.

use crate::runs::{GivesUp, Wanted};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};
use tokio::sync::watch;

/// Runs that are under way or not yet looked at, at most.
pub const MOST: usize = 32;
/// How far a run is.
#[derive(Clone, Debug, Default)]
pub struct Progress {
    /// Events so far.
    pub events: u64,
    /// The answer or the error document, and whether it is an answer.
    pub done: Option<(bool, Arc<str>)>,
}

/// A run.
pub struct Job {
    session: String,
    /// Whether it is still wanted.
    pub wanted: Wanted,
    /// Gives the run up when the job goes.
    _gives_up: GivesUp,
    /// How far it is.
    pub progress: watch::Sender<Progress>,
    /// Its events at most.
    pub most: u64,
}

/// All runs.
#[derive(Default)]
pub struct Jobs(Mutex<BTreeMap<String, Arc<Job>>>);

impl Jobs {
    /// A run of a session.
    pub fn of(&self, session: &str, run: &str) -> Option<Arc<Job>> {
        let all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(run).filter(|job| job.session == session).cloned()
    }

    /// The run with this id if it is there, else a new one; `true` if it is new. `None` if there are
    /// too many.
    pub fn start(&self, id: &str, session: &str, most: u64) -> Option<(Arc<Job>, bool)> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(job) = all.get(id).filter(|job| !job.wanted.is_given_up()) {
            return Some((Arc::clone(job), false));
        }
        if all.len() >= MOST {
            all.retain(|_, job| job.progress.borrow().done.is_none());
        }
        if all.len() >= MOST {
            return None;
        }
        let wanted = Wanted::default();
        let job = Arc::new(Job {
            session: session.to_owned(),
            _gives_up: wanted.guard(),
            wanted,
            progress: watch::Sender::new(Progress::default()),
            most,
        });
        all.insert(id.to_owned(), Arc::clone(&job));
        Some((job, true))
    }

    /// Takes a run of a session out, so that it is given up when nobody holds it.
    pub fn remove(&self, session: &str, run: &str) -> Option<Arc<Job>> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.get(run).filter(|job| job.session == session)?;
        all.remove(run)
    }
}
