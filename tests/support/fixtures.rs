//! Where the fixtures are, and how they are built again.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use crate::case::Case;
use crate::neff_builder::build;
use crate::pair::capture_file;

/// Root folder of the workspace.
pub fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Names of the cases under `fixtures/cases`, sorted.
pub fn case_names(root: &Path) -> Result<Vec<String>> {
    let folder = root.join("fixtures/cases");
    let mut names = Vec::new();
    for entry in
        std::fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))?
    {
        let entry = entry?;
        if entry.path().join("case.toml").is_file() {
            names.push(entry.file_name().to_string_lossy().into_owned());
        }
    }
    names.sort();
    Ok(names)
}

/// Description of a case.
pub fn case(root: &Path, name: &str) -> Result<Case> {
    Case::read(&root.join("fixtures/cases"), name)
}

/// The files that a case stands for, by name: its NEFF, and its capture if it has one.
pub fn files(case: &Case) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let neff = build(case)?;
    let capture = case.capture.as_ref().map(|text| capture_file(&neff, text)).transpose()?;
    let capture = capture.map(|bytes| ("input.ntff", bytes));
    Ok([("input.neff", neff)].into_iter().chain(capture).collect())
}

/// The stored file of a case.
pub fn case_file(root: &Path, name: &str) -> Result<Vec<u8>> {
    let path = root.join("fixtures/cases").join(name).join("input.neff");
    std::fs::read(&path).with_context(|| format!("cannot read {}", path.display()))
}

/// Files under `fixtures/crashes`: inputs that once did harm, sorted by name.
pub fn crash_files(root: &Path) -> Result<Vec<(String, Vec<u8>)>> {
    let folder = root.join("fixtures/crashes");
    let mut files = Vec::new();
    if folder.is_dir() {
        for entry in std::fs::read_dir(&folder)? {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            if entry.path().is_file() && name != "README.md" {
                files.push((name, std::fs::read(entry.path())?));
            }
        }
    }
    files.sort();
    Ok(files)
}

/// Writes the files of every case from its description. Returns the names of the files that
/// changed.
pub fn rebuild_fixtures(root: &Path) -> Result<Vec<String>> {
    let mut changed = Vec::new();
    for name in case_names(root)? {
        let folder = root.join("fixtures/cases").join(&name);
        let mut is_changed = false;
        for (file, bytes) in files(&case(root, &name)?).with_context(|| format!("case {name}"))? {
            let path = folder.join(file);
            if std::fs::read(&path).ok().as_deref() != Some(&bytes[..]) {
                std::fs::write(&path, &bytes)
                    .with_context(|| format!("cannot write {}", path.display()))?;
                is_changed = true;
            }
        }
        if is_changed {
            changed.push(name);
        }
    }
    Ok(changed)
}

/// The number in the last cell of a row of the figures of collectives, whose first cell begins so.
/// A row that is not there has none.
pub fn figure(row: &str) -> Option<u64> {
    let page = workspace_root().join("docs/format/collectives.md");
    let text = std::fs::read_to_string(page).ok()?;
    let line = text.lines().find(|line| line.starts_with(&format!("| {row}")))?;
    let cell = line.trim_end_matches(" |").rsplit("| ").next()?;
    cell.replace(',', "").parse().ok()
}
