//! `cargo xtask ci`: everything that must hold before a change lands.
//!
//! All steps run, also after a failure, so that one run shows everything. Times are printed and
//! decide nothing.

use std::ffi::OsString;
use std::time::Instant;

use anyhow::{Result, bail};

use crate::wasm::std_source;
use crate::{rustdoc, test, tidy, workspace};

/// Runs every check. Errors: at least one failed.
pub fn run(mut arguments: Vec<OsString>) -> Result<()> {
    let options = test::take_options(&mut arguments)?;
    let mut steps = Steps::default();
    steps.run("format", || workspace::run(&mut workspace::cargo(["fmt", "--all", "--check"])));
    steps.run("tidy", tidy::run);
    steps.run("clippy", clippy);
    if std_source::target_is_installed() {
        steps.run("clippy for the browser", clippy_for_browser);
    }
    steps.run("documentation", rustdoc::check);
    // Last, so that its failures are the last thing that is printed.
    steps.run("tests", || test::run(&options));
    steps.finish()
}

fn clippy() -> Result<()> {
    let arguments = ["clippy", "--locked", "--workspace", "--all-targets", "--", "-D", "warnings"];
    workspace::run(&mut workspace::cargo(arguments))
}

fn clippy_for_browser() -> Result<()> {
    let mut command = workspace::cargo(["clippy", "--locked", "--package", "frontend-wasm"]);
    command.args(["--package", "worker-wasm"]);
    command.args(["--target", std_source::TARGET, "--", "-D", "warnings"]);
    workspace::run(&mut command)
}

/// The steps that ran: name, seconds, whether it passed.
#[derive(Default)]
struct Steps {
    done: Vec<(&'static str, f64, bool)>,
}

impl Steps {
    fn run(&mut self, name: &'static str, step: impl FnOnce() -> Result<()>) {
        println!("\n== {name}");
        let start = Instant::now();
        let result = step();
        if let Err(error) = &result {
            eprintln!("xtask: {name}: {error:#}");
        }
        self.done.push((name, start.elapsed().as_secs_f64(), result.is_ok()));
    }

    fn finish(self) -> Result<()> {
        println!();
        for (name, seconds, passed) in &self.done {
            let word = if *passed { "ok" } else { "FAILED" };
            println!("{word:6} {seconds:7.1} s  {name}");
        }
        let total: f64 = self.done.iter().map(|(_, seconds, _)| seconds).sum();
        println!("       {total:7.1} s  in all");
        if self.done.iter().any(|(_, _, passed)| !passed) {
            bail!("checks failed");
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_failed_step_fails_the_run_and_the_others_still_run() {
        let mut steps = Steps::default();
        steps.run("first", || bail!("no"));
        steps.run("second", || Ok(()));
        assert_eq!(steps.done.len(), 2);
        assert!(steps.finish().is_err());
    }

    #[test]
    fn all_passed_is_success() {
        let mut steps = Steps::default();
        steps.run("only", || Ok(()));
        assert!(steps.finish().is_ok());
    }
}
