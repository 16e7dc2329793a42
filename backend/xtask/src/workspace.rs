//! The workspace on disk, and how the commands start other programs in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// Root folder of the workspace: the current folder or the nearest one above it that holds the
/// workspace manifest, else the folder this program was built in.
pub fn root() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    let above = here.ancestors().find(|folder| folder.join("backend/xtask/Cargo.toml").is_file());
    match above {
        Some(folder) => folder.to_path_buf(),
        None => Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").components().collect(),
    }
}

/// Folder of build output; `CARGO_TARGET_DIR` is respected.
pub fn target() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => root().join(folder),
        None => root().join("target"),
    }
}

/// A command that runs in the workspace root, without the variables that `cargo run` set for this
/// program and that would mislead another cargo or another toolchain.
pub fn command(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.current_dir(root());
    for (name, _) in std::env::vars_os() {
        let text = name.to_string_lossy();
        let package = text.starts_with("CARGO_PKG_") || text.starts_with("CARGO_MANIFEST_");
        if package || ["CARGO", "CARGO_CRATE_NAME", "CARGO_BIN_NAME"].contains(&&*text) {
            command.env_remove(&name);
        }
    }
    command.env_remove("LD_LIBRARY_PATH").env_remove("DYLD_FALLBACK_LIBRARY_PATH");
    command
}

/// The cargo that started this program, with the lock file taken as it is.
pub fn cargo<I>(arguments: I) -> Command
where
    I: IntoIterator,
    I::Item: AsRef<OsStr>,
{
    let program = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = command(program);
    command.args(arguments);
    command
}

/// Runs a command with this program's terminal. Errors: it cannot start, or ends with failure.
pub fn run(command: &mut Command) -> Result<()> {
    let shown = show(command);
    let status = command.status().with_context(|| format!("cannot start `{shown}`"))?;
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

/// Runs a command and returns what it prints, trimmed. Errors: it cannot start, or fails.
pub fn output(command: &mut Command) -> Result<String> {
    let shown = show(command);
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .with_context(|| format!("cannot start `{shown}`"))?;
    if !output.status.success() {
        bail!("`{shown}` failed ({})", output.status);
    }
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_owned())
}

/// The full path of a program on `PATH`.
pub fn find_program(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name)).find(|file| file.is_file())
}

/// A command as a person would type it, with its variables left out.
pub fn show(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or_default();
    let mut words = vec![program.to_string_lossy().into_owned()];
    words.extend(command.get_args().map(|word| word.to_string_lossy().into_owned()));
    words.join(" ")
}

/// A path relative to the workspace root where it lies inside, for messages.
pub fn shown_path(path: &Path) -> String {
    path.strip_prefix(root()).unwrap_or(path).display().to_string()
}
