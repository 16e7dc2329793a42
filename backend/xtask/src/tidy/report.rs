//! Violations: what the checks found.

use std::fmt;

/// One broken rule at one place.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Violation {
    /// Path relative to the workspace root.
    pub path: String,
    /// Line from 1; 0 for the file as a whole.
    pub line: usize,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.path, self.line.max(1), self.message)
    }
}

/// Collects violations.
#[derive(Debug, Default)]
pub struct Report {
    violations: Vec<Violation>,
}

impl Report {
    /// Adds a violation. `line` counts from 1; 0 is the whole file.
    pub fn add(&mut self, path: &str, line: usize, message: impl Into<String>) {
        self.violations.push(Violation { path: path.to_owned(), line, message: message.into() });
    }

    /// All violations by path and line, each once.
    pub fn into_sorted(mut self) -> Vec<Violation> {
        self.violations.sort();
        self.violations.dedup();
        self.violations
    }

    /// The violations as `path:line` and message, for tests.
    #[cfg(test)]
    pub fn lines(self) -> Vec<String> {
        self.into_sorted().iter().map(ToString::to_string).collect()
    }
}

/// Asserts that a check finds exactly the given places (`path:line`), for tests.
#[cfg(test)]
pub fn assert_places(report: Report, expected: &[&str]) {
    let found = report.into_sorted();
    let places: Vec<String> =
        found.iter().map(|one| format!("{}:{}", one.path, one.line)).collect();
    assert_eq!(places, expected, "{found:#?}");
}
