//! How many tests passed and failed, read from what the test programs print.

use std::io::{BufRead, BufReader};
use std::ops::AddAssign;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::workspace;

/// Lines that are kept of what one program says about its failures.
const KEPT: usize = 60;

/// Numbers of tests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed, and one for a program that failed without saying which.
    pub failed: usize,
    /// What the programs say about their failures, line by line.
    pub why: Vec<String>,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.why.extend(other.why);
    }
}

impl Counts {
    /// The closing line.
    pub fn line(&self) -> String {
        format!("{} passed, {} failed", self.passed, self.failed)
    }

    /// Keeps one printed line if it belongs to a list of failures: that of the Rust harness ends
    /// with its closing line, that of the browser suite with its numbers. `left` is how many more
    /// lines of the list are kept, 0 outside of one.
    fn keep(&mut self, line: &str, left: &mut usize) {
        if line == "failures:" && *left == 0 || line.starts_with("failed: ") {
            *left = KEPT;
        } else if line.starts_with("test result: ") || line.starts_with("# pass ") {
            *left = 0;
        }
        if *left > 0 {
            *left -= 1;
            self.why.push(line.to_owned());
        }
    }

    /// Adds what one printed line says, if it is a closing line of the Rust harness
    /// (`test result: ok. 3 passed; 0 failed; ...`) or of Node's (`pass 3`, `fail 0` after a mark).
    fn read(&mut self, line: &str) {
        if let Some(result) = line.strip_prefix("test result: ") {
            self.passed += number_before(result, " passed;");
            self.failed += number_before(result, " failed;");
        } else if let Some(number) = after_mark(line, "pass ") {
            self.passed += number;
        } else if let Some(number) = after_mark(line, "fail ") {
            self.failed += number;
        }
    }
}

/// Runs a test command, passing on what it prints, and counts. A failure of the command that no
/// count explains counts as one failed test.
pub fn run(command: &mut Command) -> Result<Counts> {
    let shown = workspace::show(command);
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("cannot start `{shown}`"))?;
    let mut counts = Counts::default();
    let mut left = 0;
    let output = child.stdout.take().context("no output to read")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        counts.read(&line);
        counts.keep(&line, &mut left);
    }
    let status = child.wait()?;
    if !status.success() && counts.failed == 0 {
        counts.why.push(format!("`{shown}` failed ({status})"));
        counts.failed = 1;
    }
    Ok(counts)
}

/// The number that ends right before a phrase, 0 if there is none.
fn number_before(text: &str, phrase: &str) -> usize {
    let Some((before, _)) = text.split_once(phrase) else { return 0 };
    before.rsplit(' ').next().and_then(|word| word.parse().ok()).unwrap_or(0)
}

/// The number of a line of one mark, a keyword and a number, such as `# pass 3`.
fn after_mark(line: &str, keyword: &str) -> Option<usize> {
    let (mark, rest) = line.split_once(' ')?;
    if mark != "#" && mark != "\u{2139}" {
        return None;
    }
    rest.strip_prefix(keyword)?.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(lines: &[&str]) -> Counts {
        let mut counts = Counts::default();
        lines.iter().for_each(|line| counts.read(line));
        counts
    }

    #[test]
    fn closing_lines_of_both_harnesses_add_up() {
        let counts = read(&[
            "running 3 tests",
            "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out",
            "test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out",
            "\u{2139} pass 4",
            "\u{2139} fail 1",
            "# pass 5",
            "# fail 0",
        ]);
        assert_eq!(counts, Counts { passed: 22, failed: 3, why: Vec::new() });
        assert_eq!(counts.line(), "22 passed, 3 failed");
    }

    #[test]
    fn other_lines_count_nothing() {
        assert_eq!(read(&["pass 3", "# tests 3", "test a ... ok", ""]), Counts::default());
    }

    #[test]
    fn a_program_that_only_fails_counts_as_one() -> Result<()> {
        let counts = run(Command::new("sh").args(["-c", "echo hello; exit 3"]))?;
        assert_eq!((counts.passed, counts.failed), (0, 1));
        assert_eq!(counts.why.len(), 1);
        Ok(())
    }

    #[test]
    fn what_is_said_about_failures_is_kept() {
        let mut counts = Counts::default();
        let mut left = 0;
        let lines = [
            "test a ... FAILED",
            "failures:",
            "---- a stdout ----",
            "failures:",
            "    a",
            "test result: FAILED. 1 passed; 1 failed;",
            "test b ... ok",
            "failed: c",
            "because",
            "# pass 1",
        ];
        lines.iter().for_each(|line| counts.keep(line, &mut left));
        let kept =
            ["failures:", "---- a stdout ----", "failures:", "    a", "failed: c", "because"];
        assert_eq!(counts.why, kept);
    }
}
