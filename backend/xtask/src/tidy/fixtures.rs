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
    if !cases.is_empty() && tree.text(README).is_none() {
        report.add(README, 0, "must say where fixtures come from and how to rebuild them");
    }
    for case in cases {
        let description = format!("{CASES}{case}/case.toml");
        match tree.text(&description) {
            None => report.add(&description, 0, "a case needs its description"),
            Some(text) if !text.lines().any(|line| line.starts_with("source = ")) => {
                report.add(&description, 0, "must say in `source` where its content comes from");
            }
            Some(_) => {}
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
            ("fixtures/README.md", "Built from descriptions.\n"),
            ("fixtures/cases/good/case.toml", "source = \"synthetic\"\n"),
            ("fixtures/cases/good/input.neff", ""),
            ("fixtures/cases/bad/input.neff", ""),
            ("fixtures/cases/mute/case.toml", "summary = \"x\"\n"),
        ]);
        let mut report = Report::default();
        check(&tree, &mut report);
        assert_places(
            report,
            &["fixtures/cases/bad/case.toml:0", "fixtures/cases/mute/case.toml:0"],
        );
    }
}
