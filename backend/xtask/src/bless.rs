//! `cargo xtask bless`: rebuilds the fixtures and accepts what the golden tests now print.

use anyhow::{Context, Result};

use crate::workspace;

/// Rebuilds and accepts, then lists what changed, for a person to read before it is committed.
pub fn run() -> Result<()> {
    let rebuild = ["run", "--locked", "--package", "tests", "--bin", "rebuild-fixtures"];
    workspace::run(&mut workspace::cargo(rebuild)).context("could not rebuild the fixtures")?;
    let accept = ["test", "--locked", "--package", "tests", "--no-fail-fast"];
    workspace::run(workspace::cargo(accept).env("NEFFSCOPE_BLESS", "1"))
        .context("some tests fail for another reason than their expected output")?;
    println!("xtask: changed files; read `git diff` before you commit them");
    workspace::run(workspace::command("git").args(["status", "--short", "fixtures", "tests"]))
}
