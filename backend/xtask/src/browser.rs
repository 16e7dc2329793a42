//! The browser suite: Node.js, its two packages and Chromium are found or installed, then
//! `tests/browser/run.mjs` drives a real browser against a real server.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::counts::{self, Counts};
use crate::{debian, workspace};

/// Oldest Node.js that the driver accepts.
const NODE_MAJOR: u32 = 18;

/// Runs the suite against a server program and returns how many tests passed and failed. Only
/// test files whose name holds one of `names` run, all if there is none.
/// Errors: something is missing, and the message says what.
pub fn run(server: &Path, names: &[OsString]) -> Result<Counts> {
    let (node, npm) = node()?;
    let chromium = chromium()?;
    install_packages(&npm)?;
    let mut command = workspace::command(node);
    command.arg("run.mjs").args(names).current_dir(folder());
    command.env("NEFFSCOPE", server).env("CHROMIUM", chromium);
    counts::run(&mut command)
}

fn folder() -> PathBuf {
    workspace::root().join("tests/browser")
}

/// Node.js and npm.
fn node() -> Result<(PathBuf, PathBuf)> {
    let find = || Some((workspace::find_program("node")?, workspace::find_program("npm")?));
    if find().is_none() {
        debian::install(&["nodejs", "npm"])
            .context("the browser suite needs Node.js and npm (or run with --no-browser)")?;
    }
    let (node, npm) = find().context("Node.js or npm is missing after its installation")?;
    let version = workspace::output(workspace::command(&node).arg("--version"))?;
    let major = version.trim_start_matches('v').split('.').next().unwrap_or_default();
    if major.parse::<u32>().unwrap_or(0) < NODE_MAJOR {
        bail!("the browser suite needs Node.js {NODE_MAJOR} or newer, and {version} is installed");
    }
    Ok((node, npm))
}

/// The browser: `CHROMIUM`, else the first of the usual names on `PATH`.
fn chromium() -> Result<PathBuf> {
    if let Some(program) = std::env::var_os("CHROMIUM") {
        return Ok(program.into());
    }
    let find = || {
        ["chromium", "chromium-browser", "google-chrome"]
            .into_iter()
            .find_map(workspace::find_program)
    };
    if find().is_none() {
        debian::install(&["chromium"]).context(
            "the browser suite needs Chromium; name it in CHROMIUM, or run with --no-browser",
        )?;
    }
    find().context("Chromium is missing after its installation")
}

/// `npm ci`, skipped when the installed packages are those of the lock file.
fn install_packages(npm: &Path) -> Result<()> {
    let lock = std::fs::read(folder().join("package-lock.json"))?;
    let note = folder().join("node_modules/.installed-lock.json");
    if std::fs::read(&note).is_ok_and(|installed| installed == lock) {
        return Ok(());
    }
    let mut command = workspace::command(npm);
    command.args(["ci", "--ignore-scripts", "--no-audit", "--no-fund"]).current_dir(folder());
    workspace::run(&mut command)?;
    std::fs::write(note, lock).context("cannot note which packages are installed")
}
