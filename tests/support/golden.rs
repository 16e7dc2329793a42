//! Golden files: what a stage gives for a fixture, compared with what was accepted.
//!
//! `NEFFSCOPE_BLESS=1` (set by `cargo xtask bless`) writes the new text instead of comparing; read
//! the difference before committing it.

use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// Whether new output is accepted in this run.
pub fn blessing() -> bool {
    std::env::var_os("NEFFSCOPE_BLESS").is_some_and(|value| value == "1")
}

/// Root of the workspace.
pub fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().map_or_else(PathBuf::new, Path::to_owned)
}

/// The folder of a fixture case.
pub fn case_dir(name: &str) -> PathBuf {
    workspace_root().join("fixtures").join("cases").join(name)
}

/// Names of all fixture cases, sorted.
///
/// # Errors
/// The folder cannot be listed.
pub fn cases() -> anyhow::Result<Vec<String>> {
    let dir = workspace_root().join("fixtures").join("cases");
    let mut names = Vec::new();
    for entry in std::fs::read_dir(&dir).with_context(|| format!("list {}", dir.display()))? {
        let entry = entry?;
        if entry.path().is_dir() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Compares text with an accepted file, or writes it when blessing.
///
/// # Errors
/// The text differs (the first differing line is named), or the file is missing.
pub fn compare(path: &Path, actual: &str) -> anyhow::Result<()> {
    let actual = format!("{}\n", actual.trim_end());
    if blessing() {
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        std::fs::write(path, actual)?;
        return Ok(());
    }
    let expected = std::fs::read_to_string(path)
        .with_context(|| format!("{} is missing; accept it with `cargo xtask bless`", path.display()))?;
    if expected == actual {
        return Ok(());
    }
    let at = expected.lines().zip(actual.lines()).position(|(a, b)| a != b);
    let line = at.unwrap_or_else(|| expected.lines().count().min(actual.lines().count()));
    bail!(
        "{} differs at line {}:\n  accepted: {}\n  now:      {}\nread the change, then accept it with `cargo xtask bless`",
        path.display(),
        line + 1,
        expected.lines().nth(line).unwrap_or("(end)"),
        actual.lines().nth(line).unwrap_or("(end)")
    )
}

/// A real NEFF file by its folder name, or `None` (said on stderr) where the files are absent.
/// They are looked for in `$NEFFSCOPE_REAL`, else in `../shared/real` beside the workspace.
pub fn real(name: &str) -> Option<Vec<u8>> {
    let root = std::env::var_os("NEFFSCOPE_REAL")
        .map_or_else(|| workspace_root().join("../shared/real"), PathBuf::from);
    let path = root.join(name).join(format!("{name}.neff"));
    match std::fs::read(&path) {
        Ok(bytes) => Some(bytes),
        Err(_) => {
            #[expect(clippy::print_stderr, reason = "a skipped check is said aloud")]
            {
                eprintln!("skipped: the real file {name} is not at {}", path.display());
            }
            None
        }
    }
}
