//! What the pure crates must not do, and where byte layouts and text formats may stand.

use super::laws;
use super::paths::mentions;
use super::report::Report;
use super::rust::RustFile;
use super::tree::Tree;

/// Paths of the standard library that reach outside or make a run unrepeatable.
const OUTSIDE: [(&str, &str); 12] = [
    ("std::fs", "a pure crate gets bytes from its caller"),
    ("std::net", "a pure crate does no network"),
    ("std::env", "a pure crate reads no environment"),
    ("std::time", "a pure crate reads no clock"),
    ("std::thread", "a pure crate starts no thread"),
    ("std::process", "a pure crate starts no program"),
    ("std::os", "a pure crate knows no operating system"),
    ("std::io::stdin", "a pure crate reads no terminal"),
    ("std::io::stdout", "a pure crate prints nothing"),
    ("std::io::stderr", "a pure crate prints nothing"),
    ("std::collections::HashMap", "same input, same output: use an ordered map"),
    ("std::collections::HashSet", "same input, same output: use an ordered set"),
];

/// Macros that print or give up.
const MACROS: [&str; 7] =
    ["println", "eprintln", "print", "eprint", "dbg", "todo", "unimplemented"];

/// Where text enters and may be read into types: folders and files, the latter without ending.
/// The server reads requests, the browser reads answers.
const DESERIALIZE: [&str; 11] = [
    "backend/crates/neff/src/doc",
    "backend/crates/neff/src/json",
    "backend/crates/device_image/src/placed",
    "backend/crates/device_image/src/profile_text",
    "backend/crates/device_sim/src/timing",
    "backend/crates/debug_api/src/request",
    "backend/crates/debug_api/src/answer",
    "backend/src/",
    "backend/xtask/src/",
    "frontend-wasm/src/",
    "tests/",
];

/// Where types may be written as text.
const SERIALIZE: [&str; 5] = [
    "backend/crates/debug_api/src/",
    "backend/src/",
    "backend/xtask/src/",
    "frontend-wasm/src/",
    "tests/",
];

/// The crate of byte layouts.
const LAYOUTS: &str = "backend/crates/records/";

/// Checks all Rust files.
pub fn check(tree: &Tree, report: &mut Report) {
    for (path, file) in tree.rust() {
        check_layouts(path, file, report);
        check_serde(path, file, report);
        if path.starts_with(laws::PURE_FOLDER) && path.contains("/src/") {
            check_outside(path, file, report);
        }
        for (offset, _) in super::rust::words(&file.code).filter(|(_, word)| *word == "unsafe") {
            report.add(path, file.line(offset), "unsafe code is forbidden");
        }
    }
}

fn check_outside(path: &str, file: &RustFile, report: &mut Report) {
    for mention in mentions(file).iter().filter(|mention| !file.is_test(mention.offset)) {
        for (outside, reason) in OUTSIDE.iter().filter(|(outside, _)| mention.is_below(outside)) {
            report.add(path, file.line(mention.offset), format!("{outside}: {reason}"));
        }
    }
    for (offset, word) in file.words() {
        let called = file.code[offset + word.len()..].starts_with('!');
        if called && MACROS.contains(&word) {
            report.add(path, file.line(offset), format!("{word}! has no place in a pure crate"));
        }
    }
}

fn check_layouts(path: &str, file: &RustFile, report: &mut Report) {
    if path.starts_with(LAYOUTS) {
        return;
    }
    let attributes = file.code.match_indices("repr(C").map(|(offset, _)| offset);
    let library = super::rust::words(&file.code).filter(|(_, word)| *word == "zerocopy");
    for offset in attributes.chain(library.map(|(offset, _)| offset)) {
        report.add(path, file.line(offset), "byte layouts stand in records only");
    }
}

fn check_serde(path: &str, file: &RustFile, report: &mut Report) {
    let stem = path.trim_end_matches(".rs");
    let below = |places: &[&str]| places.iter().any(|place| is_place(stem, place));
    for (offset, word) in file.words() {
        let message = match word {
            "Serialize" if !below(&SERIALIZE) => "types are written as text in debug_api only",
            "Deserialize" | "DeserializeOwned" if !below(&DESERIALIZE) => {
                "types are read from text only where text enters (see tidy/purity.rs)"
            }
            _ => continue,
        };
        report.add(path, file.line(offset), message);
    }
}

/// Whether a file without its ending is the place or lies in it.
fn is_place(stem: &str, place: &str) -> bool {
    let rest = stem.strip_prefix(place);
    rest.is_some_and(|rest| place.ends_with('/') || rest.is_empty() || rest.starts_with('/'))
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
    fn pure_crates_stay_inside() {
        places(
            &[
                (
                    "backend/crates/neff/src/a.rs",
                    "use std::{fs, io::Read};\nuse std::collections::{BTreeMap, HashMap};\n\
                     fn f() { println!(\"x\"); std::thread::sleep(d) }\n// std::fs\n\
                     #[cfg(test)]\nmod tests { use std::fs; fn g() { println!() } }\n",
                ),
                ("backend/src/store.rs", "use std::fs;\n"),
                ("backend/crates/neff/benches/b.rs", "use std::time::Instant;\n"),
            ],
            &[
                "backend/crates/neff/src/a.rs:1",
                "backend/crates/neff/src/a.rs:2",
                "backend/crates/neff/src/a.rs:3",
                "backend/crates/neff/src/a.rs:3",
            ],
        );
    }

    #[test]
    fn layouts_and_text_formats_have_their_places() {
        places(
            &[
                ("backend/crates/records/src/slot.rs", "#[repr(C)]\nuse zerocopy::FromBytes;\n"),
                ("backend/crates/kbin/src/engine.rs", "#[repr(C)]\nuse zerocopy::FromBytes;\n"),
                ("backend/crates/neff/src/doc/queue.rs", "#[derive(Deserialize)]\n"),
                ("backend/crates/neff/src/document.rs", "#[derive(Deserialize)]\n"),
                ("backend/crates/kbin/src/text.rs", "#[derive(Serialize)]\n"),
                ("backend/crates/debug_api/src/answer.rs", "#[derive(Serialize)]\n"),
            ],
            &[
                "backend/crates/kbin/src/engine.rs:1",
                "backend/crates/kbin/src/engine.rs:2",
                "backend/crates/kbin/src/text.rs:1",
                "backend/crates/neff/src/document.rs:1",
            ],
        );
    }

    #[test]
    fn unsafe_is_found_in_tests_too() {
        places(
            &[("tests/a.rs", "#[cfg(test)]\nmod t { fn f() { unsafe { g() } } }\n// unsafe\n")],
            &["tests/a.rs:2"],
        );
    }
}
