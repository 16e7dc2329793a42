//! Pages keep to the content security policy: no inline script or style, nothing from elsewhere,
//! and no way by which a name from a file becomes markup.

use super::report::Report;
use super::rust::words;
use super::tree::Tree;

/// Names by which text becomes markup or code.
const MARKUP: [&str; 8] = [
    "set_inner_html",
    "set_outer_html",
    "insert_adjacent_html",
    "innerHTML",
    "outerHTML",
    "insertAdjacentHTML",
    "eval",
    "srcdoc",
];

/// Checks templates, static pages and scripts, and the browser crate.
pub fn check(tree: &Tree, report: &mut Report) {
    for (path, text) in tree.texts() {
        if path.ends_with(".html") {
            check_page(path, text, report);
        } else if path.starts_with("static/") && (path.ends_with(".js") || path.ends_with(".mjs")) {
            check_markup(path, text, report);
        }
    }
    for (path, file) in tree.rust().filter(|(path, _)| path.starts_with("frontend-wasm/src/")) {
        check_markup(path, &file.code, report);
        for literal in file.literals.iter().filter(|literal| literal.text == "style") {
            if file.code[..literal.offset].trim_end().ends_with("set_attribute(") {
                let message = "the policy blocks style attributes: use a class or CSSOM";
                report.add(path, file.line(literal.offset), message);
            }
        }
    }
}

fn check_page(path: &str, text: &str, report: &mut Report) {
    for (offset, tag) in tags(text) {
        let line = line(text, offset);
        let name = tag.split(|c: char| c.is_whitespace()).next().unwrap_or_default();
        let value = |wanted: &str| attributes(tag).find(|(name, _)| *name == wanted);
        if name == "style" {
            report.add(path, line, "no inline style: use the style sheet");
        }
        if name == "script" && value("src").is_none() {
            report.add(path, line, "no inline script: use a file");
        }
        for (name, value) in attributes(tag) {
            if name == "style" {
                report.add(path, line, "no style attribute: use a class");
            } else if name.starts_with("on") && name.len() > 2 {
                report.add(path, line, format!("no inline script in {name}"));
            } else if value.trim_start().starts_with("javascript:") {
                report.add(path, line, "no script in an address");
            }
        }
        let elsewhere = |value: &str| value.starts_with("//") || value.contains("://");
        let loads = matches!(name, "script" | "link" | "img" | "iframe" | "source");
        for (_, value) in attributes(tag).filter(|(name, _)| matches!(*name, "src" | "href")) {
            if loads && elsewhere(value) {
                report.add(path, line, "a page loads nothing from elsewhere");
            }
        }
    }
    for (offset, _) in text.match_indices("|safe").chain(text.match_indices("| safe")) {
        report.add(path, line(text, offset), "text stays escaped");
    }
}

fn check_markup(path: &str, text: &str, report: &mut Report) {
    for (offset, word) in words(text).filter(|(_, word)| MARKUP.contains(word)) {
        let called = text[offset + word.len()..].starts_with('(');
        if word != "eval" || called {
            let message = format!("{word} turns text into markup or code: set the text instead");
            report.add(path, line(text, offset), message);
        }
    }
}

/// Opening tags: offset, and what stands between `<` and `>`. Template marks and quoted values may
/// hold a `>`.
fn tags(text: &str) -> Vec<(usize, &str)> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(offset) = text[at..].find('<').map(|offset| at + offset) {
        at = offset + 1;
        let rest = &text[at..];
        if rest.starts_with("!--") {
            at += rest.find("-->").unwrap_or(rest.len());
        } else if rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
            let end = tag_end(rest);
            found.push((offset, &rest[..end]));
            at += end;
        }
    }
    found
}

fn tag_end(text: &str) -> usize {
    let (mut quote, mut braces) = (None, 0usize);
    for (offset, c) in text.char_indices() {
        match c {
            '{' => braces += 1,
            '}' => braces = braces.saturating_sub(1),
            _ if braces > 0 => {}
            '"' | '\'' if quote.is_none() => quote = Some(c),
            _ if quote == Some(c) => quote = None,
            '>' if quote.is_none() => return offset,
            _ => {}
        }
    }
    text.len()
}

/// Names and values of a tag's attributes.
fn attributes(tag: &str) -> impl Iterator<Item = (&str, &str)> {
    tag.match_indices('=').filter_map(|(at, _)| {
        let name = tag[..at].trim_end();
        let start = name.rfind(|c: char| !c.is_ascii_alphanumeric() && c != '-' && c != ':');
        let name = &name[start? + 1..];
        let value = tag[at + 1..].trim_start();
        let quote = value.chars().next().filter(|c| *c == '"' || *c == '\'');
        let value = match quote {
            Some(quote) => value[1..].split(quote).next()?,
            None => value.split_whitespace().next().unwrap_or_default(),
        };
        (!name.is_empty()).then_some((name, value))
    })
}

fn line(text: &str, offset: usize) -> usize {
    text.bytes().take(offset).filter(|byte| *byte == b'\n').count() + 1
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
    fn good_pages_pass() {
        places(
            &[(
                "backend/templates/a.html",
                "<!doctype html>\n<link rel=\"stylesheet\" href=\"/static/app.css\">\n\
                 <script type=\"module\" src=\"/static/boot.js\"></script>\n\
                 <p class=\"{% if a > b %}x{% endif %}\">{{ name }} style=\"\"</p>\n\
                 <a href=\"https://example.org/\">more</a>\n<!-- <style> -->\n",
            )],
            &[],
        );
    }

    #[test]
    fn what_the_policy_blocks_is_found() {
        places(
            &[(
                "backend/templates/a.html",
                "<p class=\"a\"\n   style=\"top:0\">x</p>\n<script>f()</script>\n<style>a{}</style>\n\
                 <a onclick=\"f()\" href=\"javascript:f()\">x</a>\n\
                 <img src=\"https://example.org/a.png\">\n{{ name|safe }}\n",
            )],
            &[
                "backend/templates/a.html:1",
                "backend/templates/a.html:3",
                "backend/templates/a.html:4",
                "backend/templates/a.html:5",
                "backend/templates/a.html:5",
                "backend/templates/a.html:6",
                "backend/templates/a.html:7",
            ],
        );
    }

    #[test]
    fn text_never_becomes_markup() {
        places(
            &[
                ("static/boot.js", "a.textContent = b;\na.innerHTML = b;\nevaluate(b)\n"),
                (
                    "frontend-wasm/src/a.rs",
                    "// set_inner_html\nfn f() { e.set_inner_html(x) }\n\
                     fn g() { e.set_attribute(\"style\", x) }\n",
                ),
            ],
            &["frontend-wasm/src/a.rs:2", "frontend-wasm/src/a.rs:3", "static/boot.js:2"],
        );
    }
}
