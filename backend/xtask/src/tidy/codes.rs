//! Codes of findings and errors are a contract: `docs/codes.md` lists exactly those in the source.
//!
//! A code is a text of lower-case words joined by dots, such as `archive.duplicate`. It is known
//! by where it stands: after a severity, after `code:`, in a function named `code`, in a constant
//! of a file named `codes` or `error`, or anywhere if its area, the first word, is that of a
//! listed code.

use std::collections::{BTreeMap, BTreeSet};

use super::report::Report;
use super::rust::{RustFile, after_closing, words};
use super::tree::Tree;

/// The page that lists the codes: one row each, the code first.
const PAGE: &str = "docs/codes.md";

/// Folders whose programs give codes.
const FOLDERS: [&str; 3] = ["backend/crates/", "backend/src/", "frontend-wasm/src/"];

/// Last words that make a text a file name rather than a code.
const FILE_ENDINGS: [&str; 12] =
    ["asm", "bin", "css", "gz", "html", "js", "json", "md", "neff", "ntff", "toml", "txt"];

/// Compares the page with the source.
pub fn check(tree: &Tree, report: &mut Report) {
    let listed = listed(tree, report);
    let areas: BTreeSet<&str> = listed.keys().filter_map(|code| code.split('.').next()).collect();
    let mut met: BTreeSet<&str> = BTreeSet::new();
    for (path, file) in tree.rust() {
        if !FOLDERS.iter().any(|folder| path.starts_with(folder)) || is_test_file(path) {
            continue;
        }
        let by_function = code_functions(file);
        for literal in file.literals.iter().filter(|literal| !file.is_test(literal.offset)) {
            let (text, offset) = (literal.text.as_str(), literal.offset);
            if !is_code(text) {
                continue;
            }
            met.insert(text);
            let area = text.split('.').next().unwrap_or_default();
            let stands_as_code = areas.contains(area)
                || by_function.iter().any(|body| body.contains(&offset))
                || is_at_code_place(path, &file.code[..offset]);
            if stands_as_code && !listed.contains_key(text) {
                report.add(path, file.line(offset), format!("code {text} is not in {PAGE}"));
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

fn is_code(text: &str) -> bool {
    let word = |part: &str| {
        !part.is_empty()
            && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')
    };
    let last = text.rsplit('.').next().unwrap_or_default();
    text.contains('.')
        && text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.split('.').all(word)
        && !FILE_ENDINGS.contains(&last)
}

/// Whether the code before a literal makes it a code.
fn is_at_code_place(path: &str, before: &str) -> bool {
    let before = before.trim_end();
    let severity = before.strip_suffix(',').and_then(|rest| {
        let word = rest.trim_end().rsplit(|c: char| !c.is_alphanumeric() && c != ':').next()?;
        Some(word.starts_with("Severity::"))
    });
    let name = path.rsplit('/').next().unwrap_or_default();
    let declares = before.ends_with('=') && {
        let line = before.rsplit(['\n', ';', '{', '}']).next().unwrap_or_default();
        let word = |wanted: &str| words(line).any(|(_, word)| word == wanted);
        word("const") && (matches!(name, "codes.rs" | "error.rs") || line.contains("CODE"))
    };
    severity == Some(true) || before.ends_with("code:") || declares
}

/// Bodies of the functions named `code` or `..._code`.
fn code_functions(file: &RustFile) -> Vec<std::ops::Range<usize>> {
    let all: Vec<_> = words(&file.code).collect();
    let named = all
        .windows(2)
        .filter(|pair| pair[0].1 == "fn" && (pair[1].1 == "code" || pair[1].1.ends_with("_code")));
    named
        .filter_map(|pair| {
            let open = pair[1].0 + file.code[pair[1].0..].find('{')?;
            Some(open..after_closing(&file.code, open))
        })
        .collect()
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
    fn the_places_of_codes() {
        places(
            &[
                (
                    "backend/crates/neff/src/a.rs",
                    "fn f() { findings.push(Severity::Error,\n    \"a.one\", at, \"kelf-0.json\"); }\n\
                     let d = Diagnostic { code: \"b.two\", spec: \"x.y\" };\n\
                     impl E {\n    fn code(&self) -> &'static str { \"c.three\" }\n}\n\
                     const BAD_CODE: &str = \"d.four\";\nconst NAME: &str = \"e.five\";\n\
                     #[cfg(test)]\nmod tests { const CODE: &str = \"f.six\"; }\n",
                ),
                ("backend/crates/neff/src/error.rs", "const X: &str = \"g.seven\";\n"),
                ("backend/xtask/src/a.rs", "const CODE: &str = \"h.eight\";\n"),
            ],
            &[
                "backend/crates/neff/src/a.rs:2",
                "backend/crates/neff/src/a.rs:3",
                "backend/crates/neff/src/a.rs:5",
                "backend/crates/neff/src/a.rs:7",
                "backend/crates/neff/src/error.rs:1",
            ],
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
