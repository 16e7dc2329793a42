//! `cargo xtask test`: every test of the project; `cargo xtask browser`: the browser suite alone.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::counts::{self, Counts};
use crate::{browser, wasm, workspace};

/// What the command was asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How the bundle is built.
    pub wasm: wasm::Options,
    /// Leave out the bundle and the browser suite.
    pub no_browser: bool,
}

/// Takes this command's options out of a list of arguments and leaves the others.
pub fn take_options(arguments: &mut Vec<OsString>) -> Result<Options> {
    let wasm = wasm::take_options(arguments)?;
    let before = arguments.len();
    arguments.retain(|word| word != "--no-browser");
    Ok(Options { wasm, no_browser: arguments.len() != before })
}

/// Runs all tests, also after a failure, and prints the failures and `N passed, N failed` last.
pub fn run(options: &Options) -> Result<()> {
    // The bundle comes first, because the server that is compiled next has it inside.
    let bundle = if options.no_browser { Ok(()) } else { wasm::run(options.wasm) };
    build()?;
    let mut counts = native()?;
    if !options.no_browser {
        counts += bundle.and_then(|()| browser::run(&server(), &[])).unwrap_or_else(|error| {
            let why = format!("the browser suite did not run: {error:#}");
            Counts { passed: 0, failed: 1, why: vec![why] }
        });
    }
    finish(counts)
}

/// Runs only the browser suite, or those of its files that are named.
pub fn in_browser(mut names: Vec<OsString>) -> Result<()> {
    wasm::run(wasm::take_options(&mut names)?)?;
    build()?;
    finish(browser::run(&server(), &names)?)
}

fn finish(counts: Counts) -> Result<()> {
    for line in &counts.why {
        println!("{line}");
    }
    println!("{}", counts.line());
    if counts.failed > 0 {
        bail!("tests failed");
    }
    Ok(())
}

/// Compiles the tests and the server in one go, so that both share their dependencies: a server
/// built alone would compile some of them again with fewer features.
fn build() -> Result<()> {
    let arguments = ["build", "--locked", "--workspace", "--bins", "--tests"];
    workspace::run(&mut workspace::cargo(arguments))
}

/// Unit tests, suites and doctests of all packages.
fn native() -> Result<Counts> {
    counts::run(&mut workspace::cargo(["test", "--locked", "--workspace", "--no-fail-fast"]))
}

/// The server of the development profile.
fn server() -> PathBuf {
    let program = format!("neffscope{}", std::env::consts::EXE_SUFFIX);
    workspace::target().join("debug").join(program)
}
