//! How many tests passed and failed, read from what the test programs print.

use std::io::{BufRead, BufReader};
use std::ops::AddAssign;
use std::process::{Command, Stdio};

use anyhow::{Context, Result};

use crate::workspace;

/// Numbers of tests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Tests that passed.
    pub passed: usize,
    /// Tests that failed, and one for a program that failed without saying which.
    pub failed: usize,
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }
}

impl Counts {
    /// The closing line.
    pub fn line(self) -> String {
        format!("{} passed, {} failed", self.passed, self.failed)
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
    let output = child.stdout.take().context("no output to read")?;
    for line in BufReader::new(output).split(b'\n') {
        let line = line?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        counts.read(&line);
    }
    let status = child.wait()?;
    if !status.success() && counts.failed == 0 {
        eprintln!("xtask: `{shown}` failed ({status})");
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
        assert_eq!(counts, Counts { passed: 22, failed: 3 });
        assert_eq!(counts.line(), "22 passed, 3 failed");
    }

    #[test]
    fn other_lines_count_nothing() {
        assert_eq!(read(&["pass 3", "# tests 3", "test a ... ok", ""]), Counts::default());
    }

    #[test]
    fn a_program_that_only_fails_counts_as_one() -> Result<()> {
        let counts = run(Command::new("sh").args(["-c", "echo hello; exit 3"]))?;
        assert_eq!(counts, Counts { passed: 0, failed: 1 });
        Ok(())
    }
}
