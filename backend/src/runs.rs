//! Runs of the simulator: answers that are kept, since every reload of an address asks again, and runs
//! that end when nobody waits for them any more.
//!
//! The same question about the same content has the same answer, and ids of sessions are made of
//! content. What is kept is bounded in bytes; the answer that was asked for the longest ago goes
//! first.

use debug_api::answer::Answer;
use debug_api::{ApiError, Request, Session};
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Bytes of answers that are kept.
const MOST_BYTES: usize = 64 << 20;

/// Answers about runs.
pub struct Runs {
    most_bytes: usize,
    kept: Mutex<VecDeque<Kept>>,
}

struct Kept {
    session: String,
    question: String,
    answer: Arc<str>,
}

impl Kept {
    fn bytes(&self) -> usize {
        self.session.len() + self.question.len() + self.answer.len()
    }
}

impl Default for Runs {
    fn default() -> Self {
        Self { most_bytes: MOST_BYTES, kept: Mutex::default() }
    }
}

impl Runs {
    /// Answers a question as JSON, from what is kept if it was answered before.
    ///
    /// # Errors
    /// As the question; `run.cancelled` if it was given up.
    pub fn ask(
        &self,
        id: &str,
        session: &Session,
        request: &Request,
        wanted: &Wanted,
    ) -> Result<Arc<str>, ApiError> {
        self.ask_telling(id, session, request, wanted, &|_| {})
    }

    /// The same; `told` hears the events so far.
    ///
    /// # Errors
    /// As [`Runs::ask`].
    pub fn ask_telling(
        &self,
        id: &str,
        session: &Session,
        request: &Request,
        wanted: &Wanted,
        told: &dyn Fn(u64),
    ) -> Result<Arc<str>, ApiError> {
        let text = |error: serde_json::Error| ApiError::bad_request(error.to_string());
        let question = serde_json::to_string(request).map_err(text)?;
        if let Some(answer) = self.known(id, &question) {
            return Ok(answer);
        }
        let answer: Answer = session.ask_until(request, &|events| {
            told(events);
            !wanted.is_given_up()
        })?;
        let answer: Arc<str> = serde_json::to_string(&answer).map_err(text)?.into();
        self.keep(Kept { session: id.to_owned(), question, answer: Arc::clone(&answer) });
        Ok(answer)
    }

    fn known(&self, session: &str, question: &str) -> Option<Arc<str>> {
        let mut kept = self.lock();
        let at = kept.iter().position(|one| one.session == session && one.question == question)?;
        let one = kept.remove(at)?;
        let answer = Arc::clone(&one.answer);
        kept.push_back(one);
        Some(answer)
    }

    fn keep(&self, one: Kept) {
        let mut kept = self.lock();
        kept.push_back(one);
        let mut bytes: usize = kept.iter().map(Kept::bytes).sum();
        while bytes > self.most_bytes {
            let Some(oldest) = kept.pop_front() else { break };
            bytes -= oldest.bytes();
        }
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Kept>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether an answer is still waited for.
#[derive(Clone, Debug, Default)]
pub struct Wanted(Arc<AtomicBool>);

impl Wanted {
    /// What gives it up when it is dropped: a handler whose client has gone drops it.
    pub fn guard(&self) -> GivesUp {
        GivesUp(self.clone())
    }

    /// Whether nobody waits any more.
    pub fn is_given_up(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Gives a question up when it is dropped.
#[derive(Debug)]
pub struct GivesUp(Wanted);

impl Drop for GivesUp {
    fn drop(&mut self) {
        self.0.0.store(true, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(question: &str) -> Kept {
        Kept { session: "a".to_owned(), question: question.to_owned(), answer: "12345678".into() }
    }

    #[test]
    fn the_answer_that_was_asked_for_the_longest_ago_goes_first() {
        // Each is 10 bytes: session 1, question 1, answer 8.
        let runs = Runs { most_bytes: 29, kept: Mutex::default() };
        runs.keep(kept("1"));
        runs.keep(kept("2"));
        assert!(runs.known("a", "1").is_some());
        assert!(runs.known("b", "1").is_none());
        runs.keep(kept("3"));
        assert!(runs.known("a", "2").is_none());
        assert!(runs.known("a", "1").is_some());
        assert!(runs.known("a", "3").is_some());
    }

    #[test]
    fn what_is_larger_than_the_bound_is_not_kept() {
        let runs = Runs { most_bytes: 9, kept: Mutex::default() };
        runs.keep(kept("1"));
        assert!(runs.known("a", "1").is_none());
    }

    #[test]
    fn a_dropped_handler_gives_its_question_up() {
        let wanted = Wanted::default();
        let guard = wanted.guard();
        assert!(!wanted.is_given_up());
        drop(guard);
        assert!(wanted.is_given_up());
    }
}
