//! `cargo xtask test`: every test of the project, the browser suite included.

use std::ffi::OsString;

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

/// Runs all tests, also after a failure, and prints `N passed, N failed` last.
pub fn run(options: &Options) -> Result<()> {
    build()?;
    let mut counts = native()?;
    if !options.no_browser {
        counts += in_browser(options.wasm).unwrap_or_else(|error| {
            eprintln!("xtask: the browser suite did not run: {error:#}");
            Counts { passed: 0, failed: 1 }
        });
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

/// The bundle, then the browser suite against the server of the development profile.
fn in_browser(options: wasm::Options) -> Result<Counts> {
    wasm::run(options)?;
    let program = format!("neffscope{}", std::env::consts::EXE_SUFFIX);
    browser::run(&workspace::target().join("debug").join(program))
}
