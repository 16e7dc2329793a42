//! The bundle as it is sent: its programs, packed twins of their files, sizes and the budget.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

/// A program of the bundle: a module and the script that loads it.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its crate.
    pub package: &'static str,
    /// What its files begin with.
    pub stem: &'static str,
    /// Size to aim for, if there is one: module with gzip, bytes. A larger one is reported.
    goal: Option<usize>,
}

/// The programs of the bundle. Every page loads the first; its worker loads the second, when a
/// file is read in the browser.
pub const PROGRAMS: [Program; 2] = [
    Program { package: "frontend-wasm", stem: "frontend_wasm", goal: Some(450 * 1000) },
    Program { package: "worker-wasm", stem: "worker_wasm", goal: None },
];

/// Size of one program that fails the build: module with gzip, bytes.
const LIMIT: usize = 1_500 * 1000;

impl Program {
    /// Name of the module's file.
    pub fn module(&self) -> String {
        format!("{}_bg.wasm", self.stem)
    }

    /// Its files: the module and the script.
    pub fn files(&self) -> [String; 2] {
        [self.module(), format!("{}.js", self.stem)]
    }

    fn verdict(&self, packed: usize) -> Result<String> {
        let name = self.package;
        if packed > LIMIT {
            bail!("{name} has {packed} bytes with gzip; the limit is {LIMIT}");
        }
        Ok(match self.goal {
            Some(goal) if packed > goal => format!("{name} is OVER the goal of {goal} bytes"),
            Some(goal) => {
                format!("{name} is {} % of the goal of {goal} bytes", packed * 100 / goal)
            }
            None => format!("{name} is {} % of the limit of {LIMIT} bytes", packed * 100 / LIMIT),
        })
    }
}

/// What the packed twins of a file of the bundle end with.
pub const TWINS: [&str; 2] = ["gz", "br"];

/// A packed twin of a file of the bundle.
pub fn twin(file: &Path, extension: &str) -> PathBuf {
    file.with_added_extension(extension)
}

/// Whether every file of the bundle and its twins are there.
pub fn is_whole(folder: &Path) -> bool {
    let files = PROGRAMS.iter().flat_map(Program::files).map(|file| folder.join(file));
    files.into_iter().all(|file| {
        file.is_file() && TWINS.iter().all(|extension| twin(&file, extension).is_file())
    })
}

/// Prints the sizes of the bundle. Errors: a file is missing, or a module is over the limit.
pub fn report(folder: &Path) -> Result<()> {
    let bytes = |name: &str| -> Result<usize> {
        let file = fs::metadata(folder.join(name)).with_context(|| format!("static/pkg/{name}"))?;
        Ok(usize::try_from(file.len())?)
    };
    for program in PROGRAMS {
        for file in program.files() {
            let [gzip, brotli] = TWINS.map(|extension| bytes(&format!("{file}.{extension}")));
            let (gzip, brotli) = (gzip?, brotli?);
            println!(
                "xtask: {file}: {} bytes, {gzip} with gzip, {brotli} with brotli",
                bytes(&file)?
            );
        }
        println!("xtask: {}", program.verdict(bytes(&format!("{}.gz", program.module()))?)?);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_has_a_goal_and_a_limit() {
        let [application, worker] = PROGRAMS;
        assert!(application.verdict(225_000).is_ok_and(|text| text.contains("50 % of the goal")));
        assert!(application.verdict(450_000).is_ok_and(|text| text.contains("100 %")));
        assert!(application.verdict(450_001).is_ok_and(|text| text.contains("OVER")));
        assert!(worker.verdict(450_001).is_ok_and(|text| text.contains("30 % of the limit")));
        for program in PROGRAMS {
            assert!(program.verdict(1_500_000).is_ok());
            assert!(program.verdict(1_500_001).is_err());
        }
    }
}
