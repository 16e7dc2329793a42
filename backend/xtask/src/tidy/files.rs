//! Rules for single files: length, opening comment, order of tests, words that must not occur.

use super::report::Report;
use super::rust::RustFile;
use super::tree::Tree;

/// Lines that a file may have.
const LIMIT: usize = 500;

/// Endings of the files that the limit is for.
const LIMITED: [&str; 5] = [".rs", ".css", ".js", ".mjs", ".html"];

/// Files that may be longer, with the reason: tables of opcodes and fields only.
const LONG_TABLES: [(&str, &str); 0] = [];

/// Endings of the files in which a promise of later work is looked for.
const SOURCES: [&str; 7] = [".rs", ".css", ".js", ".mjs", ".html", ".md", ".toml"];

/// Texts that must not occur: folders of one machine and hosts of package registries. They are
/// written in two halves, so that this file does not break its own rule.
const FORBIDDEN: [(&str, &str, &str); 5] = [
    ("/wor", "k/", "a folder of one machine"),
    ("/roo", "t/", "a folder of one machine"),
    ("/tmp/", "bash", "a folder of one machine"),
    ("registry.", "npmjs.org", "a registry host; lock files record none"),
    ("static.", "crates.io", "a registry host; lock files record none"),
];

/// Words that promise later work.
const PROMISES: [(&str, &str); 2] = [("TO", "DO"), ("FIX", "ME")];

/// Checks all files.
pub fn check(tree: &Tree, report: &mut Report) {
    check_with(tree, &LONG_TABLES, report);
}

fn check_with(tree: &Tree, long_tables: &[(&str, &str)], report: &mut Report) {
    for (path, text) in tree.texts() {
        let lines = text.lines().count();
        let long = lines > LIMIT && LIMITED.iter().any(|end| path.ends_with(end));
        let excused = long_tables.iter().any(|(table, _)| *table == path);
        if long && !excused {
            report.add(path, LIMIT + 1, format!("{lines} lines; {LIMIT} are the limit"));
        }
        if excused && !long {
            report.add(path, 0, "short enough now: take it off the list in tidy/files.rs");
        }
        check_words(path, text, report);
    }
    for (table, _) in long_tables.iter().filter(|(table, _)| tree.text(table).is_none()) {
        report.add(table, 0, "does not exist: take it off the list in tidy/files.rs");
    }
    for (path, file) in tree.rust() {
        if !tree.text(path).unwrap_or_default().starts_with("//!") {
            report.add(path, 1, "the file must open with //! and say what it holds and why");
        }
        check_tests_last(path, file, report);
    }
}

fn check_words(path: &str, text: &str, report: &mut Report) {
    // What the programs print about somebody's file may name folders of that file's maker.
    if path.starts_with("fixtures/cases/") {
        return;
    }
    for (index, line) in text.lines().enumerate() {
        for (first, second, reason) in FORBIDDEN {
            if finds(line, &format!("{first}{second}")) {
                report.add(path, index + 1, format!("{first}{second}: {reason}"));
            }
        }
        if SOURCES.iter().any(|end| path.ends_with(end)) {
            for (first, second) in PROMISES {
                if finds(line, &format!("{first}{second}")) {
                    report.add(path, index + 1, "finish it, or take it out");
                }
            }
        }
    }
}

/// Whether a text occurs and nothing before or after it makes it part of a longer name.
fn finds(line: &str, text: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '}' | ')');
    let open_end = text.ends_with(|c: char| !c.is_alphanumeric());
    line.match_indices(text).any(|(at, _)| {
        let before = line[..at].chars().next_back().is_some_and(joins);
        let after = line[at + text.len()..].chars().next();
        !before && (open_end || !after.is_some_and(|c| c.is_alphanumeric() || c == '_'))
    })
}

/// A test module has nothing but further tests behind it.
fn check_tests_last(path: &str, file: &RustFile, report: &mut Report) {
    let Some(start) = file.code.find("#[cfg(test)]\nmod tests {") else { return };
    let open = start + file.code[start..].find('{').unwrap_or_default();
    let end = super::rust::after_closing(&file.code, open);
    let follower = super::rust::words(&file.code[end..])
        .map(|(offset, _)| end + offset)
        .find(|offset| !file.is_test(*offset));
    if let Some(offset) = follower {
        report.add(path, file.line(offset), "tests stand last in a file");
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::assert_places;
    use super::*;

    fn places(files: &[(&str, &str)], long_tables: &[(&str, &str)], expected: &[&str]) {
        let mut report = Report::default();
        check_with(&Tree::of(files), long_tables, &mut report);
        assert_places(report, expected);
    }

    #[test]
    fn long_files_are_listed_or_broken_up() {
        let (full, long) = ("//!\n".repeat(500), "//!\n".repeat(501));
        places(
            &[
                ("a.rs", &full),
                ("b.rs", &long),
                ("c.rs", &long),
                ("d.rs", &full),
                ("e.css", &long),
                ("docs/f.md", &long),
            ],
            &[("c.rs", "opcodes"), ("d.rs", "fields"), ("gone.rs", "fields")],
            &["b.rs:501", "d.rs:0", "e.css:501", "gone.rs:0"],
        );
    }

    #[test]
    fn a_file_says_what_it_holds() {
        places(
            &[("a.rs", "//! A.\n"), ("b.rs", "// B.\n"), ("c.rs", "")],
            &[],
            &["b.rs:1", "c.rs:1"],
        );
    }

    #[test]
    fn folders_of_one_machine_and_registry_hosts_are_found() {
        let text = format!(
            "x {0}a\nframe{0}a\n\"{1}.cargo\"\nhttps://{2}/x\n// {3}: later\n{3}S\n",
            concat!("/wor", "k/"),
            concat!("/roo", "t/"),
            concat!("registry.", "npmjs.org"),
            concat!("TO", "DO"),
        );
        places(
            &[("a.md", &text), ("fixtures/cases/a/expected/b.txt", &text)],
            &[],
            &["a.md:1", "a.md:3", "a.md:4", "a.md:5"],
        );
    }

    #[test]
    fn tests_stand_last() {
        let last = "//! A.\nfn a() {}\n#[cfg(test)]\nmod tests {\n}\n#[cfg(test)]\nmod more {}\n";
        let early = "//! A.\n#[cfg(test)]\nmod tests {\n fn t() {}\n}\nfn a() {}\n";
        places(&[("a.rs", last), ("b.rs", early)], &[], &["b.rs:6"]);
    }
}
