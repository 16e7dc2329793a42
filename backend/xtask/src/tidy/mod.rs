//! `cargo xtask tidy`: the rules of the codebase that a machine can check.
//!
//! Each check is a function from the files of the workspace to a report, so its tests run on small
//! trees written in the test. All violations are reported, each with its file and line.

pub mod tree;
pub mod report;
pub mod rust;
pub mod paths;
pub mod laws;
pub mod modules;
pub mod purity;
pub mod files;
pub mod docs;
pub mod codes;
pub mod fixtures;
pub mod pages;

use anyhow::{Result, bail};

use self::report::Report;
use self::tree::Tree;
use crate::workspace;

/// Runs every check on the workspace and prints what it found. Errors: there is a violation.
pub fn run() -> Result<()> {
    let tree = Tree::read(&workspace::root())?;
    let violations = check(&tree).into_sorted();
    violations.iter().for_each(|violation| println!("{violation}"));
    match violations.len() {
        0 => println!("tidy: {} files follow the rules", tree.paths().count()),
        count => bail!("{count} violations of the rules"),
    }
    Ok(())
}

/// Runs every check on a tree.
pub fn check(tree: &Tree) -> Report {
    let mut report = Report::default();
    laws::check(tree, &mut report);
    modules::check(tree, &mut report);
    purity::check(tree, &mut report);
    files::check(tree, &mut report);
    docs::check(tree, &mut report);
    codes::check(tree, &mut report);
    fixtures::check(tree, &mut report);
    pages::check(tree, &mut report);
    report
}
