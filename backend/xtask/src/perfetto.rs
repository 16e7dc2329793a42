//! The check of exported traces: Python and Perfetto's public schema are found or installed, then
//! `tests/perfetto/check.py` reads an export with them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

use crate::counts::{self, Counts};
use crate::{debian, workspace};

/// Runs the check with the programs of the development profile in a folder.
/// Errors: something is missing, and the message says what.
pub fn run(programs: &Path) -> Result<Counts> {
    let python = python()?;
    let program = |name: &str| programs.join(format!("{name}{}", std::env::consts::EXE_SUFFIX));
    let mut command = workspace::command(python);
    command.arg(folder().join("check.py"));
    command.args([program("neffscope"), program("make-capture")]);
    command.arg(workspace::root().join("fixtures/cases/functions/input.neff"));
    command.arg(workspace::target().join("perfetto"));
    counts::run(&mut command)
}

fn folder() -> PathBuf {
    workspace::root().join("tests/perfetto")
}

/// A Python of its own that has the packages of the requirements.
fn python() -> Result<PathBuf> {
    let home = workspace::target().join("perfetto-python");
    let python = home.join("bin/python");
    let wanted = folder().join("requirements.txt");
    let text = std::fs::read(&wanted)?;
    let note = home.join("installed.txt");
    if python.is_file() && std::fs::read(&note).is_ok_and(|installed| installed == text) {
        return Ok(python);
    }
    let make = || {
        let system = workspace::find_program("python3").context("there is no python3")?;
        let arguments = ["-m", "venv", "--clear"];
        workspace::run(workspace::command(system).args(arguments).arg(&home))
    };
    if make().is_err() {
        debian::install(&["python3", "python3-venv"]).context(
            "the check of exported traces needs Python with venv (or run with --no-browser)",
        )?;
        make()?;
    }
    let mut pip = workspace::command(&python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"]).arg(&wanted);
    workspace::run(&mut pip)?;
    std::fs::write(note, text).context("cannot note which packages are installed")?;
    Ok(python)
}
