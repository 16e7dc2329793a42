//! Documents and code agree: format references lead to a heading, ARCHITECTURE.md names each crate.

use super::laws;
use super::report::Report;
use super::rust::{Piece, RustFile};
use super::tree::Tree;

/// The folder of the format pages.
const PAGES: &str = "docs/format/";

/// What opens a reference in a comment.
const MARK: &str = "Spec: ";

/// Checks references and the list of crates.
pub fn check(tree: &Tree, report: &mut Report) {
    for (path, file) in tree.rust() {
        for block in comment_blocks(file) {
            check_references(tree, path, file, &block, report);
        }
        let page = |text: &str| text.starts_with(PAGES) && text.len() > PAGES.len();
        for literal in file.literals.iter().filter(|literal| page(&literal.text)) {
            if !file.is_test(literal.offset) && !is_page(tree, &literal.text) {
                let message = format!("no page or heading {}", literal.text);
                report.add(path, file.line(literal.offset), message);
            }
        }
    }
    check_crates(tree, report);
}

fn check_crates(tree: &Tree, report: &mut Report) {
    let page = "ARCHITECTURE.md";
    let text = tree.text(page).unwrap_or_default();
    for package in laws::packages(tree) {
        if !text.contains(&format!("`{}`", package.name)) {
            report.add(page, 0, format!("must name crate `{}` with its law", package.name));
        }
    }
}

/// Comments on neighboring lines, joined with spaces; a reference may go over several lines.
fn comment_blocks(file: &RustFile) -> Vec<Piece> {
    let mut blocks: Vec<Piece> = Vec::new();
    let mut last_line = 0;
    for comment in &file.comments {
        let line = file.line(comment.offset);
        let text = comment.text.trim_start_matches(['/', '!', '*']).trim();
        match blocks.last_mut().filter(|_| line == last_line + 1) {
            Some(block) => block.text = format!("{} {text}", block.text),
            None => blocks.push(Piece { offset: comment.offset, text: text.to_owned() }),
        }
        last_line = line + comment.text.matches('\n').count();
    }
    blocks
}

fn check_references(tree: &Tree, path: &str, file: &RustFile, block: &Piece, report: &mut Report) {
    let line = file.line(block.offset);
    for (at, _) in block.text.match_indices(MARK) {
        let rest = &block.text[at + MARK.len()..];
        let Some(rest) = rest.strip_prefix(PAGES) else {
            report.add(path, line, format!("a reference reads: {MARK}{PAGES}PAGE.md \"HEADING\""));
            continue;
        };
        let (name, rest) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
        let page = format!("{PAGES}{}", name.trim_end_matches([',', '.', ';']));
        let Some(text) = tree.text(&page) else {
            report.add(path, line, format!("no page {page}"));
            continue;
        };
        let wanted = headings_named(rest);
        if wanted.is_empty() {
            report.add(path, line, format!("name a heading of {page} in quotes"));
        }
        for heading in wanted {
            if !headings(text).any(|known| known == heading) {
                report.add(path, line, format!("no heading \"{heading}\" in {page}"));
            }
        }
    }
}

/// The quoted headings at the start of a text: `"A", "B" and "C" [observed]`.
fn headings_named(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some((heading, after)) = rest.strip_prefix('"').and_then(|t| t.split_once('"')) {
        found.push(heading);
        rest = after.trim_start_matches([',', ';']).trim_start();
        rest = rest.strip_prefix("and ").unwrap_or(rest);
    }
    found
}

/// The headings of a page, without code marks.
fn headings(page: &str) -> impl Iterator<Item = String> {
    page.lines()
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim().replace('`', ""))
}

/// Whether `docs/format/page.md`, `docs/format/page.md#anchor` or `docs/format/page.md "Heading"`
/// exists.
fn is_page(tree: &Tree, reference: &str) -> bool {
    let end = reference.find(['#', ' ']).unwrap_or(reference.len());
    let (path, rest) = reference.split_at(end);
    let Some(text) = tree.text(path) else { return false };
    match rest.strip_prefix('#') {
        Some(anchor) => headings(text).any(|heading| slug(&heading) == anchor),
        None => headings_named(rest).iter().all(|named| headings(text).any(|own| own == *named)),
    }
}

/// The anchor of a heading.
fn slug(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
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

    const PAGE: (&str, &str) =
        ("docs/format/streams.md", "# Streams\n\n## Record\n\n### `C1` trigger\n");

    #[test]
    fn references_lead_to_headings() {
        places(
            &[
                PAGE,
                (
                    "a.rs",
                    "//! Spec: docs/format/streams.md \"Record\", \"C1 trigger\" [observed].\n\
                     \n\
                     /// Spec: docs/format/streams.md \"Records\" [observed].\nfn a() {}\n\
                     /// Spec: docs/format/gone.md \"Record\" [observed].\nfn b() {}\n\
                     /// Spec: docs/format/streams.md [observed].\nfn c() {}\n\
                     /// Spec: the sheet.\nfn d() {}\n\
                     /// Two words. Spec: docs/format/streams.md\n/// \"Record\" and\n\
                     /// \"Nothing\" [inferred].\nfn e() {}\n",
                ),
            ],
            &["a.rs:3", "a.rs:5", "a.rs:7", "a.rs:9", "a.rs:11"],
        );
    }

    #[test]
    fn pages_in_findings_exist() {
        places(
            &[
                PAGE,
                (
                    "a.rs",
                    "const A: &str = \"docs/format/streams.md\";\n\
                     const B: &str = \"docs/format/streams.md#c1-trigger\";\n\
                     const C: &str = \"docs/format/streams.md#c2\";\n\
                     const D: &str = \"docs/format/stream.md\";\n",
                ),
            ],
            &["a.rs:3", "a.rs:4"],
        );
    }

    #[test]
    fn the_architecture_names_each_crate() {
        places(
            &[
                ("ARCHITECTURE.md", "| `neff` | the container |\n"),
                ("backend/crates/neff/Cargo.toml", "name = \"neff\"\n"),
                ("backend/crates/kbin/Cargo.toml", "name = \"kbin\"\n"),
            ],
            &["ARCHITECTURE.md:0"],
        );
    }
}
