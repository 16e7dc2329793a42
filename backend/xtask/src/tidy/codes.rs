//! Codes of findings and errors are a contract: `docs/codes.md` lists exactly those in the source.
//!
//! A code is a text of an area and a name joined by a dot, such as `archive.duplicate`. Every text
//! of that form in the source is taken for one, unless it ends like a file name, so a code cannot
//! be forgotten whatever function it is passed to.

use std::collections::{BTreeMap, BTreeSet};

use super::report::Report;
use super::tree::Tree;

/// The page that lists the codes: one row each, the code first.
const PAGE: &str = "docs/codes.md";

/// Folders whose programs give codes.
const FOLDERS: [&str; 4] =
    ["backend/crates/", "backend/src/", "frontend-wasm/src/", "frontend-wasm/worker/src/"];

/// Last words that make a text a file name rather than a code.
const FILE_ENDINGS: [&str; 16] = [
    "asm", "bin", "css", "csv", "gz", "html", "ico", "js", "json", "md", "neff", "ntff", "svg",
    "toml", "txt", "wasm",
];

/// Areas that make a text a selector of a page's elements (`button.badge`).
const ELEMENTS: [&str; 12] =
    ["a", "button", "div", "dialog", "input", "li", "p", "section", "span", "td", "tr", "ul"];

/// Compares the page with the source.
pub fn check(tree: &Tree, report: &mut Report) {
    let listed = listed(tree, report);
    let mut met: BTreeSet<&str> = BTreeSet::new();
    for (path, file) in tree.rust() {
        if !FOLDERS.iter().any(|folder| path.starts_with(folder)) || is_test_file(path) {
            continue;
        }
        for literal in file.literals.iter().filter(|literal| is_code(&literal.text)) {
            if file.is_test(literal.offset) {
                continue;
            }
            met.insert(&literal.text);
            if !listed.contains_key(literal.text.as_str()) {
                let message = format!("code {} is not in {PAGE}", literal.text);
                report.add(path, file.line(literal.offset), message);
            }
        }
    }
    for (code, line) in &listed {
        if !met.contains(code) {
            report.add(PAGE, *line, format!("no source gives code {code}"));
        }
    }
}

/// The codes of the page with their lines.
fn listed<'a>(tree: &'a Tree, report: &mut Report) -> BTreeMap<&'a str, usize> {
    let mut listed = BTreeMap::new();
    for (index, line) in tree.text(PAGE).unwrap_or_default().lines().enumerate() {
        let row = line.strip_prefix("| `").and_then(|rest| rest.split_once('`'));
        let Some((code, _)) = row else { continue };
        if !is_code(code) {
            report.add(PAGE, index + 1, format!("{code} is no code: lower-case words and dots"));
        } else if listed.insert(code, index + 1).is_some() {
            report.add(PAGE, index + 1, format!("code {code} is listed twice"));
        }
    }
    listed
}

/// An area of letters, then names that begin with a letter.
fn is_code(text: &str) -> bool {
    let letter = |c: char| c.is_ascii_lowercase();
    let in_name = |c: char| letter(c) || c.is_ascii_digit() || c == '-';
    let Some((area, names)) = text.split_once('.') else { return false };
    let last = names.rsplit('.').next().unwrap_or_default();
    !area.is_empty()
        && area.chars().all(letter)
        && names.split('.').all(|name| name.starts_with(letter) && name.chars().all(in_name))
        && !FILE_ENDINGS.contains(&last)
        && !ELEMENTS.contains(&area)
}

fn is_test_file(path: &str) -> bool {
    path.contains("/tests/") || path.ends_with("/tests.rs") || path.contains("/benches/")
}

#[cfg(test)]
mod tests {
    use super::super::report::assert_places;
    use super::*;

    fn places(files: &[(&str, &str)], expected: &[&str]) {
        let mut report = Report::default();
        check(&Tree::of(files), &mut report);
        assert_places(report, expected);
    }

    #[test]
    fn every_text_of_that_form_is_a_code() {
        places(
            &[
                (
                    "backend/crates/neff/src/a.rs",
                    "fn f() { findings.push(Severity::Error,\n    \"top.one\", at, \"kelf.json\"); }\n\
                     let names = [\"sunda-r2.23\", \"A.b\", \"div.row\", \"b.\", \".b\", \"a..b\"];\n\
                     fn code(&self) -> &'static str { \"c.three-four\" }\n\
                     #[cfg(test)]\nmod tests { const CODE: &str = \"f.six\"; }\n",
                ),
                ("backend/crates/neff/tests/a.rs", "const CODE: &str = \"g.seven\";\n"),
                ("backend/xtask/src/a.rs", "const CODE: &str = \"h.eight\";\n"),
            ],
            &["backend/crates/neff/src/a.rs:2", "backend/crates/neff/src/a.rs:4"],
        );
    }

    #[test]
    fn page_and_source_agree() {
        places(
            &[
                (
                    "docs/codes.md",
                    "# Codes\n| code |\n|---|\n| `archive.link` | a |\n| `archive.gone` | b |\n\
                     | `archive.link` | c |\n| `Bad` | d |\n",
                ),
                (
                    "backend/crates/neff/src/a.rs",
                    "let a = (x, \"archive.link\");\nlet b = (x, \"archive.new-one\");\n\
                     let c = \"archive.bin\";\n",
                ),
            ],
            &[
                "backend/crates/neff/src/a.rs:2",
                "docs/codes.md:5",
                "docs/codes.md:6",
                "docs/codes.md:7",
            ],
        );
    }
}
