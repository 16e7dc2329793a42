//! The size of the browser bundle, raw and as sent, and its budget.

use std::fs;
use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, bail};
use flate2::{Compression, write::GzEncoder};

/// Files of the bundle, in `static/pkg/`.
pub const FILES: [&str; 2] = ["frontend_wasm_bg.wasm", "frontend_wasm.js"];

/// Size to aim for: module with gzip, bytes. A bundle above it is reported.
const GOAL: usize = 450 * 1000;

/// Size that fails the build: module with gzip, bytes.
const LIMIT: usize = 1_500 * 1000;

/// Prints the sizes of the bundle. Errors: a file is missing, or the module is over the limit.
pub fn report(folder: &Path) -> Result<()> {
    for file in FILES {
        let bytes = fs::read(folder.join(file)).with_context(|| format!("no static/pkg/{file}"))?;
        let packed = gzip_bytes(&bytes)?;
        println!("xtask: {file}: {} bytes, {packed} with gzip", bytes.len());
        if file.ends_with(".wasm") {
            println!("xtask: {}", verdict(packed)?);
        }
    }
    Ok(())
}

/// The length of the bytes with gzip at its best level.
fn gzip_bytes(bytes: &[u8]) -> Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
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
        assert!(gzip_bytes(&[7; 10_000])? < 100);
        Ok(())
    }
}
