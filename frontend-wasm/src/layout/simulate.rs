//! The Run view: what is chosen for a run, how it went, and the picture of who waits for whom.

pub mod graph;
pub mod words;

use debug_api::answer::SimulateAnswer;
use debug_api::{RunChoices, SimulateRequest};
use std::rc::Rc;

/// Something that happened in the Run view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunAction {
    /// A choice was typed: its key in an address, and the text.
    Choose(&'static str, String),
    /// Break something on purpose, or no longer: the key of its list, and the part. Runs at once.
    Switch(&'static str, String),
    /// Run with what is chosen.
    Go,
    /// Give up the run that is under way.
    Cancel,
    /// The text of a timing model; empty for the built-in one.
    Timing(String),
    /// Back to a run without anything that is broken on purpose.
    Repair,
}

/// State of the view.
#[derive(Clone, Debug, Default)]
pub struct RunBox {
    /// What is chosen.
    pub choices: RunChoices,
    /// What the last run was chosen with; `None` before the first.
    pub ran: Option<RunChoices>,
    /// Text of the user's timing model; empty for the built-in one. An address does not keep it.
    pub timing: String,
    /// That of the last run.
    pub ran_timing: String,
    /// The question of that run.
    pub asked: Option<SimulateRequest>,
    /// How it went.
    pub answer: Option<Rc<SimulateAnswer>>,
    /// Why it did not run.
    pub refused: Option<String>,
    /// Whether it runs.
    pub busy: bool,
}

impl RunBox {
    /// Whether the choices are no longer those of the run that is shown.
    pub fn is_stale(&self) -> bool {
        self.ran.as_ref().is_some_and(|ran| *ran != self.choices || self.timing != self.ran_timing)
    }

    /// What an address says.
    pub fn take_address(&mut self, from: &RunAddress) {
        self.choices = from.choices.clone();
        if from.run {
            self.ran = Some(from.choices.clone());
        }
    }

    /// Forgets what has arrived, so that the same run is asked for again.
    pub fn forget(&mut self) {
        *self = Self {
            choices: self.choices.clone(),
            ran: self.ran.clone(),
            timing: std::mem::take(&mut self.timing),
            ran_timing: std::mem::take(&mut self.ran_timing),
            ..Self::default()
        };
    }
}

/// What an address says about the view.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunAddress {
    /// The choices.
    pub choices: RunChoices,
    /// Whether it ran so.
    pub run: bool,
}

impl RunAddress {
    /// What the view adds to an address.
    pub fn of(view: &RunBox) -> Self {
        Self { choices: view.choices.clone(), run: view.ran.is_some() && !view.is_stale() }
    }

    /// What a view adds that shows the run that was last started.
    pub fn of_last(view: &RunBox) -> Self {
        view.ran.clone().map_or_else(Self::default, |choices| Self { choices, run: true })
    }

    /// Takes a part of a query; `false` for a key that is not of this view.
    pub fn read(&mut self, key: &str, value: &str) -> bool {
        if key == "run" {
            self.run = value == "1";
            return true;
        }
        self.choices.read(key, value)
    }

    /// Gives each part that has not its default.
    pub fn write(&self, mut add: impl FnMut(&str, Option<String>)) {
        add("run", self.run.then(|| "1".to_owned()));
        self.choices.write(add);
    }
}

#[cfg(test)]
mod tests;
