//! Traces of runs that are kept, since each zoom of a timeline asks again.

use crate::error::ApiError;
use crate::file::OpenFile;
use crate::run_trace::{MOST_EVENTS, RunTrace};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError, Weak};

/// The traces of several sessions. Together they have no more events than one may have; the latest
/// one always stays.
#[derive(Default)]
pub struct KeptRuns {
    kept: Mutex<VecDeque<Kept>>,
}

struct Kept {
    question: String,
    files: Vec<Weak<OpenFile>>,
    events: u64,
    trace: Arc<RunTrace>,
}

impl Kept {
    /// Whether all of its files are open, and are these.
    fn is_of(&self, files: &[Arc<OpenFile>]) -> bool {
        let same = |(own, file): (&Weak<OpenFile>, &Arc<OpenFile>)| {
            std::ptr::eq(own.as_ptr(), Arc::as_ptr(file))
        };
        self.files.len() == files.len() && self.files.iter().zip(files).all(same)
    }

    fn is_gone(&self) -> bool {
        self.files.iter().any(|file| file.strong_count() == 0)
    }
}

impl KeptRuns {
    /// The trace for a question about some files; made if it is not there.
    ///
    /// # Errors
    /// As `make`.
    pub fn of(
        &self,
        files: &[Arc<OpenFile>],
        question: String,
        make: impl FnOnce() -> Result<RunTrace, ApiError>,
    ) -> Result<Arc<RunTrace>, ApiError> {
        if let Some(trace) = self.known(files, &question) {
            return Ok(trace);
        }
        // Not under the lock: others ask for what is there meanwhile.
        let trace = Arc::new(make()?);
        let events = trace.cores.iter().map(|core| core.trace.events()).sum();
        let weak = files.iter().map(Arc::downgrade).collect();
        let one = Kept { question, files: weak, events, trace: Arc::clone(&trace) };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.push_back(one);
        while kept.len() > 1 && kept.iter().map(|one| one.events).sum::<u64>() > MOST_EVENTS {
            kept.pop_front();
        }
        Ok(trace)
    }

    fn known(&self, files: &[Arc<OpenFile>], question: &str) -> Option<Arc<RunTrace>> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|one| !one.is_gone());
        let at = kept.iter().position(|one| one.question == question && one.is_of(files))?;
        let one = kept.remove(at)?;
        let trace = Arc::clone(&one.trace);
        kept.push_back(one);
        Some(trace)
    }
}
