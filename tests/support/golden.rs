//! Golden files: what a stage gives for a fixture, compared with what was accepted.
//!
//! `NEFFSCOPE_BLESS=1` (set by `cargo xtask bless`) writes the new text instead of comparing; read
//! the difference before committing it.

use crate::fixtures::workspace_root;
use anyhow::{Context, bail};
use std::path::{Path, PathBuf};

/// Whether new output is accepted in this run.
pub fn blessing() -> bool {
    std::env::var_os("NEFFSCOPE_BLESS").is_some_and(|value| value == "1")
}

/// The folder of a fixture case.
pub fn case_dir(name: &str) -> PathBuf {
    workspace_root().join("fixtures").join("cases").join(name)
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
    let expected = std::fs::read_to_string(path).with_context(|| {
        format!("{} is missing; accept it with `cargo xtask bless`", path.display())
    })?;
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
