//! `cargo xtask test`: every test of the project; `cargo xtask browser`: the browser suite alone.

use std::ffi::OsString;
use std::path::PathBuf;

use anyhow::{Result, bail};

use crate::counts::{self, Counts};
use crate::{browser, perfetto, wasm, workspace};

/// What the command was asked for.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// How the bundle is built.
    pub wasm: wasm::Options,
    /// Leave out the bundle, the browser suite and the check with Perfetto's schema.
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
        counts += or_failed("the check of exported traces", perfetto::run(&programs()));
        let tested = bundle.and_then(|()| browser::run(&server(), &[]));
        counts += or_failed("the browser suite", tested);
    }
    finish(counts)
}

/// The counts of a suite; one failure if it did not run.
fn or_failed(what: &str, counts: Result<Counts>) -> Counts {
    counts.unwrap_or_else(|error| {
        let why = format!("{what} did not run: {error:#}");
        Counts { passed: 0, failed: 1, why: vec![why] }
    })
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

/// Where the programs of the development profile are.
fn programs() -> PathBuf {
    workspace::target().join("debug")
}

/// The server of the development profile.
fn server() -> PathBuf {
    programs().join(format!("neffscope{}", std::env::consts::EXE_SUFFIX))
}
