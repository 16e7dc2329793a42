//! The paths that a Rust file mentions: `use` trees spread out, and paths in the code.

use super::rust::RustFile;

/// One path, such as `std::fs::File`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention {
    /// Byte offset in the file.
    pub offset: usize,
    /// The parts; the last of a glob is `*`.
    pub segments: Vec<String>,
    /// The name it gets by `use`: the last part or what follows `as`. `None` outside `use`.
    pub name: Option<String>,
}

impl Mention {
    /// Whether the path is the given one or lies below it (`std::fs`).
    pub fn is_below(&self, path: &str) -> bool {
        let mut parts = self.segments.iter();
        path.split("::").all(|part| parts.next().is_some_and(|own| own == part))
    }

    /// The path as text.
    pub fn text(&self) -> String {
        self.segments.join("::")
    }
}

/// All paths of two parts or more, and everything that is brought in by `use`, tests included.
pub fn mentions(file: &RustFile) -> Vec<Mention> {
    let tokens = tokens(&file.code);
    let mut found = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at].1 == "use" {
            at = use_tree(&tokens, at + 1, &[], &mut found);
        } else if is_name(tokens[at].1) {
            at = plain_path(&tokens, at, &mut found);
        } else {
            at += 1;
        }
    }
    found
}

type Token<'a> = (usize, &'a str);

/// Names, `::`, and single other characters.
fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let mut rest = code.char_indices().peekable();
    while let Some((offset, c)) = rest.next() {
        if c.is_whitespace() {
            continue;
        }
        let mut end = offset + c.len_utf8();
        if is_word(c) {
            while let Some((next, _)) = rest.next_if(|(_, c)| is_word(*c)) {
                end = next + 1;
                while !code.is_char_boundary(end) {
                    end += 1;
                }
            }
        } else if c == ':' && rest.next_if(|(_, c)| *c == ':').is_some() {
            end += 1;
        }
        found.push((offset, &code[offset..end]));
    }
    found
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn is_name(token: &str) -> bool {
    token.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
}

/// Reads a path in the code and returns where to go on.
fn plain_path(tokens: &[Token<'_>], start: usize, found: &mut Vec<Mention>) -> usize {
    let mut segments = vec![tokens[start].1.to_owned()];
    let mut at = start + 1;
    while let (Some((_, "::")), Some((_, name))) = (tokens.get(at), tokens.get(at + 1)) {
        if !is_name(name) {
            break;
        }
        segments.push((*name).to_owned());
        at += 2;
    }
    if segments.len() > 1 {
        found.push(Mention { offset: tokens[start].0, segments, name: None });
    }
    at
}

/// Reads one branch of a `use` tree after a prefix and returns where to go on.
fn use_tree(
    tokens: &[Token<'_>],
    start: usize,
    prefix: &[String],
    found: &mut Vec<Mention>,
) -> usize {
    let mut segments = prefix.to_vec();
    let mut at = start;
    while let Some((offset, token)) = tokens.get(at).copied() {
        at += 1;
        match token {
            "::" => {}
            "{" => {
                while let Some((_, token)) = tokens.get(at).filter(|(_, token)| *token != "}") {
                    let skip = *token == ",";
                    at = if skip { at + 1 } else { use_tree(tokens, at, &segments, found) };
                }
                return at + 1;
            }
            _ if token == "*" || is_name(token) => {
                segments.push(token.to_owned());
                let follows = tokens.get(at).map_or("", |(_, token)| token);
                if follows == "::" {
                    continue;
                }
                let alias = tokens.get(at + 1).filter(|_| follows == "as").map(|(_, name)| *name);
                found.push(used(offset, segments, alias));
                return if alias.is_some() { at + 2 } else { at };
            }
            _ => return at,
        }
    }
    at
}

/// A path that `use` brings in; `a::{self}` is `a`.
fn used(offset: usize, mut segments: Vec<String>, alias: Option<&str>) -> Mention {
    segments.pop_if(|last| last == "self");
    let name = alias.or(segments.last().map(String::as_str)).map(str::to_owned);
    Mention { offset, segments, name }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(code: &str) -> Vec<String> {
        mentions(&RustFile::new(code)).iter().map(Mention::text).collect()
    }

    #[test]
    fn use_trees_are_spread_out() {
        assert_eq!(
            texts("use std::{fs, io::{self, Read as R}}; pub use crate::a::*; use b;"),
            ["std::fs", "std::io", "std::io::Read", "crate::a::*", "b"]
        );
        let found = mentions(&RustFile::new("use a::{B, C as D, e::F};"));
        let names: Vec<_> = found.iter().filter_map(|one| one.name.as_deref()).collect();
        assert_eq!(names, ["B", "D", "F"]);
    }

    #[test]
    fn paths_in_code_are_found_and_plain_names_are_not() {
        assert_eq!(
            texts("fn f() { let x = std::env::var(y); Vec::<u8>::new(); z.iter() }"),
            ["std::env::var"]
        );
    }

    #[test]
    fn a_path_is_below_another_by_whole_parts() {
        let found = mentions(&RustFile::new("use std::fs::File; use std::fsx::Y;"));
        let below: Vec<_> = found.iter().map(|one| one.is_below("std::fs")).collect();
        assert_eq!(below, [true, false]);
    }
}
