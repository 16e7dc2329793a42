//! Every fixture says what it is: a case has its description and a word about where it came from.

use std::collections::BTreeSet;

use super::report::Report;
use super::tree::Tree;

const CASES: &str = "fixtures/cases/";
const README: &str = "fixtures/README.md";

/// Checks the folders of the cases.
pub fn check(tree: &Tree, report: &mut Report) {
    let cases: BTreeSet<&str> = tree
        .paths()
        .filter_map(|path| path.strip_prefix(CASES)?.split_once('/').map(|(case, _)| case))
        .collect();
    let readme = tree.text(README).unwrap_or_default();
    for case in cases {
        let description = format!("{CASES}{case}/case.toml");
        if tree.text(&description).is_none() {
            report.add(&description, 0, "a case needs its description");
        }
        if !readme.contains(&format!("`{case}`")) {
            let message = format!("must say where `{case}` came from and how to rebuild it");
            report.add(README, 0, message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::assert_places;
    use super::*;

    #[test]
    fn a_case_is_described_and_has_an_origin() {
        let tree = Tree::of(&[
            ("fixtures/README.md", "| `good` | built |\n"),
            ("fixtures/cases/good/case.toml", ""),
            ("fixtures/cases/good/input.neff", ""),
            ("fixtures/cases/bad/input.neff", ""),
        ]);
        let mut report = Report::default();
        check(&tree, &mut report);
        assert_places(report, &["fixtures/README.md:0", "fixtures/cases/bad/case.toml:0"]);
    }
}
