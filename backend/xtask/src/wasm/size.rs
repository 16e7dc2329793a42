//! The bundle as it is sent: packed twins of its files, their sizes and the budget.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::{Compression, write::GzEncoder};

/// Files of the bundle.
const FILES: [&str; 2] = ["frontend_wasm_bg.wasm", "frontend_wasm.js"];

/// Size to aim for: module with gzip, bytes. A bundle above it is reported.
const GOAL: usize = 450 * 1000;

/// Size that fails the build: module with gzip, bytes.
const LIMIT: usize = 1_500 * 1000;

/// Writes the packed twin of each file beside it (`NAME.gz`), which the server sends as it is.
pub fn pack(folder: &Path) -> Result<()> {
    for file in FILES {
        let bytes = fs::read(folder.join(file)).with_context(|| format!("no static/pkg/{file}"))?;
        fs::write(folder.join(format!("{file}.gz")), gzip(&bytes)?)?;
    }
    Ok(())
}

/// Whether every file of the bundle and its twin are there.
pub fn is_whole(folder: &Path) -> bool {
    FILES
        .iter()
        .all(|file| folder.join(file).is_file() && folder.join(format!("{file}.gz")).is_file())
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

/// The bytes packed with gzip at its best level; the same bytes always give the same.
fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
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

    #[test]
    fn gzip_shrinks_repetition() -> Result<()> {
        assert!(gzip(&[7; 10_000])?.len() < 100);
        Ok(())
    }
}
