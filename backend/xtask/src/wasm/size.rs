//! The bundle as it is sent: packed twins of its files, their sizes and the budget.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// Files of the bundle.
pub const FILES: [&str; 2] = ["frontend_wasm_bg.wasm", "frontend_wasm.js"];

/// Size to aim for: module with gzip, bytes. A bundle above it is reported.
const GOAL: usize = 450 * 1000;

/// Size that fails the build: module with gzip, bytes.
const LIMIT: usize = 1_500 * 1000;

/// The packed twin of a file of the bundle.
pub fn twin(file: &Path) -> PathBuf {
    file.with_added_extension("gz")
}

/// Whether every file of the bundle and its twin are there.
pub fn is_whole(folder: &Path) -> bool {
    FILES.iter().map(|file| folder.join(file)).all(|file| file.is_file() && twin(&file).is_file())
}

/// Prints the sizes of the bundle. Errors: a file is missing, or the module is over the limit.
pub fn report(folder: &Path) -> Result<()> {
    let bytes = |name: &str| -> Result<usize> {
        let file = fs::metadata(folder.join(name)).with_context(|| format!("static/pkg/{name}"))?;
        Ok(usize::try_from(file.len())?)
    };
    for file in FILES {
        let packed = bytes(&format!("{file}.gz"))?;
        println!("xtask: {file}: {} bytes, {packed} with gzip", bytes(file)?);
        if file.ends_with(".wasm") {
            println!("xtask: {}", verdict(packed)?);
        }
    }
    Ok(())
}

fn verdict(packed: usize) -> Result<String> {
    let share = packed * 100 / GOAL;
    match packed {
        0..=GOAL => Ok(format!("bundle size is {share} % of the goal of {GOAL} bytes")),
        _ if packed <= LIMIT => Ok(format!("bundle size is OVER the goal of {GOAL} bytes")),
        _ => bail!("the bundle has {packed} bytes with gzip; the limit is {LIMIT}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_has_a_goal_and_a_limit() {
        assert!(verdict(225_000).is_ok_and(|text| text.contains("50 %")));
        assert!(verdict(450_000).is_ok_and(|text| text.contains("100 %")));
        assert!(verdict(450_001).is_ok_and(|text| text.contains("OVER")));
        assert!(verdict(1_500_000).is_ok());
        assert!(verdict(1_500_001).is_err());
    }
}
