//! The files of the workspace, by path. Everything is read once, before the checks.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::rust::RustFile;

/// Dot folders that are part of the project.
const DOT_FOLDERS: [&str; 3] = [".ci", ".cargo", ".github"];

/// Files by path relative to the workspace root, with `/` between the parts.
#[derive(Debug, Default)]
pub struct Tree {
    /// The text of each file; `None` for a file that is not text.
    files: BTreeMap<String, Option<String>>,
    /// The Rust files, taken apart once for all checks.
    rust: BTreeMap<String, RustFile>,
}

impl Tree {
    /// Reads all files below a folder except those that `.gitignore` names.
    pub fn read(root: &Path) -> Result<Self> {
        let ignored = fs::read_to_string(root.join(".gitignore")).unwrap_or_default();
        let ignored: Vec<&str> = ignored.lines().map(str::trim).collect();
        let mut tree = Self::default();
        tree.read_folder(root, "", &ignored)?;
        Ok(tree)
    }

    /// A tree of text files, for tests.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let mut tree = Self::default();
        for (path, text) in files {
            tree.add((*path).to_owned(), Some((*text).to_owned()));
        }
        tree
    }

    /// All paths, sorted.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.files.keys().map(String::as_str)
    }

    /// All text files, sorted by path.
    pub fn texts(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().filter_map(|(path, text)| Some((path.as_str(), text.as_deref()?)))
    }

    /// All Rust files, sorted by path.
    pub fn rust(&self) -> impl Iterator<Item = (&str, &RustFile)> {
        self.rust.iter().map(|(path, file)| (path.as_str(), file))
    }

    /// The text of one file, if it exists and is text.
    pub fn text(&self, path: &str) -> Option<&str> {
        self.files.get(path)?.as_deref()
    }

    /// One Rust file, taken apart.
    pub fn rust_file(&self, path: &str) -> Option<&RustFile> {
        self.rust.get(path)
    }

    fn add(&mut self, path: String, text: Option<String>) {
        if let Some(text) = text.as_deref().filter(|_| path.ends_with(".rs")) {
            self.rust.insert(path.clone(), RustFile::new(text));
        }
        self.files.insert(path, text);
    }

    fn read_folder(&mut self, folder: &Path, prefix: &str, ignored: &[&str]) -> Result<()> {
        let entries = fs::read_dir(folder).with_context(|| folder.display().to_string())?;
        for entry in entries {
            let entry = entry?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = format!("{prefix}{name}");
            if is_ignored(&path, &name, ignored) {
                continue;
            }
            let kind = entry.file_type()?;
            if kind.is_dir() {
                if !name.starts_with('.') || DOT_FOLDERS.contains(&name.as_str()) {
                    self.read_folder(&entry.path(), &format!("{path}/"), ignored)?;
                }
            } else if kind.is_file() {
                self.add(path, String::from_utf8(fs::read(entry.path())?).ok());
            }
        }
        Ok(())
    }
}

/// Patterns as this project writes them: `/path` from the root, `*.end`, or a bare name.
fn is_ignored(path: &str, name: &str, patterns: &[&str]) -> bool {
    patterns.iter().any(|pattern| {
        let pattern = pattern.trim_end_matches('/');
        match (pattern.strip_prefix('/'), pattern.strip_prefix('*')) {
            (Some(from_root), _) => path == from_root,
            (_, Some(end)) => name.ends_with(end),
            _ => name == pattern,
        }
    }) || (prefix_is_git(path))
}

fn prefix_is_git(path: &str) -> bool {
    path == ".git"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_of_the_ignore_file() {
        let patterns = ["/target", "*.snap.new", "node_modules", "/static/pkg/"];
        for (path, name, expected) in [
            ("target", "target", true),
            ("tests/target", "target", false),
            ("a/b.snap.new", "b.snap.new", true),
            ("tests/browser/node_modules", "node_modules", true),
            ("static/pkg", "pkg", true),
            (".git", ".git", true),
            ("static/app.css", "app.css", false),
        ] {
            assert_eq!(is_ignored(path, name, &patterns), expected, "{path}");
        }
    }
}
