//! `cargo xtask serve` and `cargo xtask dist`: the server with the browser bundle in it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::{wasm, workspace};

/// What is opened when no file is named, below the workspace root.
const DEFAULT_FILE: &str = "fixtures/cases/sg00/input.neff";

/// Builds the bundle and the server and starts it; the server prints its address. Arguments that
/// are not options of the bundle go to the server.
pub fn serve(mut arguments: Vec<OsString>) -> Result<()> {
    let options = wasm::take_options(&mut arguments)?;
    if let Err(error) = wasm::run(options) {
        eprintln!("xtask: serving without the browser bundle: {error:#}");
    }
    let server = build_release()?;
    let default = workspace::root().join(DEFAULT_FILE);
    if !arguments.iter().any(names_file) && default.is_file() {
        arguments.push(default.into());
    }
    // Paths that the user typed are relative to the folder the user is in, which is kept.
    let mut command = Command::new(server);
    command.arg("serve").args(arguments);
    replace_process(&mut command)
}

/// Makes one release program with the bundle and all other assets in it.
pub fn dist(mut arguments: Vec<OsString>) -> Result<()> {
    let options = wasm::take_options(&mut arguments)?;
    wasm::run(options)?;
    let server = build_release()?;
    let folder = workspace::target().join("dist");
    std::fs::create_dir_all(&folder)?;
    let copy = folder.join(server.file_name().context("the server has no file name")?);
    std::fs::copy(&server, &copy)?;
    // Line tables are most of the program. Where there is no `strip`, it is just larger.
    if workspace::find_program("strip").is_some() {
        workspace::run(workspace::command("strip").arg("--strip-debug").arg(&copy))?;
    }
    workspace::run(workspace::command(&copy).arg("--version"))?;
    let bytes = std::fs::metadata(&copy)?.len();
    println!("xtask: {} ({bytes} bytes)", workspace::shown_path(&copy));
    Ok(())
}

fn build_release() -> Result<PathBuf> {
    let arguments = ["build", "--locked", "--release", "--package", "backend"];
    workspace::run(&mut workspace::cargo(arguments))?;
    let program = format!("neffscope{}", std::env::consts::EXE_SUFFIX);
    Ok(workspace::target().join("release").join(program))
}

/// Whether an argument of the server names a file to open, rather than an option or its value.
fn names_file(word: &OsString) -> bool {
    let path = Path::new(word);
    let known = path.extension().is_some_and(|end| end == "neff" || end == "ntff");
    !word.to_string_lossy().starts_with('-') && (known || path.is_file())
}

/// Becomes the command, so that signals reach it and nothing is left behind.
#[cfg(unix)]
fn replace_process(command: &mut Command) -> Result<()> {
    use std::os::unix::process::CommandExt;
    Err(command.exec()).with_context(|| format!("cannot start `{}`", workspace::show(command)))
}

#[cfg(not(unix))]
fn replace_process(command: &mut Command) -> Result<()> {
    workspace::run(command)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_and_their_values_are_not_files() {
        for (word, expected) in [
            ("a.neff", true),
            ("run/b.ntff", true),
            ("--listen", false),
            ("127.0.0.1:0", false),
            ("--store=x.neff", false),
        ] {
            assert_eq!(names_file(&OsString::from(word)), expected, "{word}");
        }
    }
}
