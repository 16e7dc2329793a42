//! Reading order: a module uses only modules that the crate's first file lists above it.

use std::collections::BTreeMap;

use super::laws::{self, Package};
use super::paths::{Mention, mentions};
use super::report::Report;
use super::rust::RustFile;
use super::tree::Tree;

/// Checks every crate of the workspace.
pub fn check(tree: &Tree, report: &mut Report) {
    for package in laws::packages(tree) {
        let roots = ["src/lib.rs", "src/main.rs", "support/lib.rs"];
        for root in roots.map(|file| format!("{}{file}", package.folder)) {
            if let Some(file) = tree.rust_file(&root) {
                check_crate(tree, package, &root, file, report);
                break;
            }
        }
    }
}

fn check_crate(
    tree: &Tree,
    package: Package<'_>,
    root: &str,
    file: &RustFile,
    report: &mut Report,
) {
    let order = Order::of(file);
    let folder = root.trim_end_matches(|c| c != '/');
    for (path, file) in tree.rust() {
        let Some(inner) = path.strip_prefix(folder).filter(|_| path != root) else { continue };
        let top = inner.split(['/', '.']).next().unwrap_or_default();
        let Some(own) = order.position(top) else { continue };
        for mention in mentions(file).iter().filter(|mention| !file.is_test(mention.offset)) {
            let depth = inner.trim_end_matches(".rs").trim_end_matches("/mod").split('/').count();
            let Some(used) = order.used_by(mention, depth) else { continue };
            if order.position(used).is_some_and(|position| position > own) {
                let message = format!(
                    "module {top} uses {used}, which {} lists below it ({})",
                    package.name,
                    mention.text()
                );
                report.add(path, file.line(mention.offset), message);
            }
        }
    }
}

/// The modules of a crate in their order, and what its first file brings up from them.
struct Order {
    modules: Vec<String>,
    /// Name of a re-exported item, and the module it comes from.
    exports: BTreeMap<String, String>,
}

impl Order {
    fn of(root: &RustFile) -> Self {
        let words: Vec<_> = root.words().collect();
        let is_list = |end: usize| root.code[end..].trim_start().starts_with(';');
        let modules: Vec<String> = words
            .windows(2)
            .filter(|pair| pair[0].1 == "mod" && is_list(pair[1].0 + pair[1].1.len()))
            .map(|pair| pair[1].1.to_owned())
            .collect();
        let mut exports = BTreeMap::new();
        for mention in mentions(root) {
            let parts = mention.segments.iter().map(String::as_str);
            let module = parts.into_iter().find(|part| !matches!(*part, "crate" | "self"));
            if let (Some(name), Some(module)) = (mention.name, module)
                && name != module
                && modules.iter().any(|known| known == module)
            {
                exports.insert(name, module.to_owned());
            }
        }
        Self { modules, exports }
    }

    fn position(&self, module: &str) -> Option<usize> {
        self.modules.iter().position(|known| known == module)
    }

    /// The top module that a path leads to. `depth` is how deep the using file lies: 1 for a
    /// module of the first file.
    fn used_by<'a>(&'a self, mention: &'a Mention, depth: usize) -> Option<&'a str> {
        let first = mention.segments.first()?.as_str();
        let name = match first {
            "crate" => mention.segments.get(1)?.as_str(),
            "super" => {
                let ups = mention.segments.iter().take_while(|part| *part == "super").count();
                mention.segments.get(ups).filter(|_| ups == depth)?.as_str()
            }
            _ => return None,
        };
        Some(self.exports.get(name).map_or(name, String::as_str))
    }
}

#[cfg(test)]
mod tests {
    use super::super::report::assert_places;
    use super::*;

    const MANIFEST: (&str, &str) = ("backend/crates/neff/Cargo.toml", "name = \"neff\"\n");

    fn places(files: &[(&str, &str)], expected: &[&str]) {
        let mut all = vec![MANIFEST];
        all.extend(files);
        let mut report = Report::default();
        check(&Tree::of(&all), &mut report);
        assert_places(report, expected);
    }

    #[test]
    fn a_module_must_not_look_down() {
        places(
            &[
                ("backend/crates/neff/src/lib.rs", "pub mod a;\npub mod b;\nmod c;\n"),
                ("backend/crates/neff/src/a.rs", "//! A.\nuse crate::b::B;\n"),
                ("backend/crates/neff/src/b.rs", "use crate::a::A;\nfn f() { super::c::g() }\n"),
                ("backend/crates/neff/src/c/mod.rs", "use crate::{a, b};\n"),
                ("backend/crates/neff/src/b/deep.rs", "use super::c;\nuse super::super::c::X;\n"),
            ],
            &[
                "backend/crates/neff/src/a.rs:2",
                "backend/crates/neff/src/b.rs:2",
                "backend/crates/neff/src/b/deep.rs:2",
            ],
        );
    }

    #[test]
    fn names_brought_up_belong_to_their_module() {
        places(
            &[
                (
                    "backend/crates/neff/src/lib.rs",
                    "pub mod a;\npub mod b;\npub use a::A;\npub use b::{B, x::C as D};\n",
                ),
                ("backend/crates/neff/src/a.rs", "use crate::{A, B};\nfn f() -> crate::D {}\n"),
                ("backend/crates/neff/src/b.rs", "use crate::A;\n"),
            ],
            &["backend/crates/neff/src/a.rs:1", "backend/crates/neff/src/a.rs:2"],
        );
    }

    #[test]
    fn tests_may_use_everything() {
        places(
            &[
                ("backend/crates/neff/src/lib.rs", "mod a;\nmod b;\n"),
                (
                    "backend/crates/neff/src/a.rs",
                    "#[cfg(test)]\nmod tests {\n    use crate::b::B;\n}\n",
                ),
            ],
            &[],
        );
    }
}
