//! `cargo xtask test`: every test of the project, the browser suite included.

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

/// Runs all tests, also after a failure, and prints `N passed, N failed` last.
pub fn run(options: &Options) -> Result<()> {
    let mut counts = native()?;
    if !options.no_browser {
        counts += with_browser(options.wasm).unwrap_or_else(|error| {
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

/// Unit tests, suites and doctests of all packages.
pub fn native() -> Result<Counts> {
    counts::run(&mut workspace::cargo(["test", "--locked", "--workspace", "--no-fail-fast"]))
}

/// The bundle, the server and the browser suite.
pub fn with_browser(options: wasm::Options) -> Result<Counts> {
    wasm::run(options)?;
    browser::run(&build_server()?, &[])
}

/// The server of the development profile. It is built with the features of the whole workspace,
/// so that the dependencies of the tests serve it too.
fn build_server() -> Result<PathBuf> {
    let arguments = ["build", "--locked", "--workspace", "--bin", "neffscope"];
    workspace::run(&mut workspace::cargo(arguments))?;
    let program = format!("neffscope{}", std::env::consts::EXE_SUFFIX);
    Ok(workspace::target().join("debug").join(program))
}
