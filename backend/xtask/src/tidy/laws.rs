//! Who may use whom: the direction of dependencies between the crates, read from their manifests.

use toml::{Table, Value};

use super::report::Report;
use super::tree::Tree;

/// The pure crates, first to last. Each may use those before it.
pub const CHAIN: [&str; 7] =
    ["records", "neff", "kbin", "device_image", "trace", "device_sim", "debug_api"];

/// The folder of the pure crates.
pub const PURE_FOLDER: &str = "backend/crates/";

/// Crates outside the chain and what they may use of the workspace.
const OTHERS: [(&str, &[&str]); 5] = [
    ("backend", &["debug_api"]),
    ("frontend-wasm", &["debug_api"]),
    ("worker-wasm", &["debug_api"]),
    ("xtask", &[]),
    (
        "tests",
        &[
            "records",
            "neff",
            "kbin",
            "device_image",
            "trace",
            "device_sim",
            "debug_api",
            "backend",
            "frontend-wasm",
            "worker-wasm",
        ],
    ),
];

/// Crates from outside that the pure crates must not know: they bring in the network, the browser,
/// a terminal or an error type without a place.
const NOT_PURE: [&str; 13] = [
    "anyhow",
    "askama",
    "axum",
    "clap",
    "js-sys",
    "object_store",
    "rust-embed",
    "tokio",
    "tower",
    "tower-http",
    "tracing",
    "wasm-bindgen",
    "web-sys",
];

/// Tables of a manifest that name dependencies.
const TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// A package of the workspace.
#[derive(Clone, Copy, Debug)]
pub struct Package<'a> {
    /// Its name.
    pub name: &'a str,
    /// Its folder with a slash at the end.
    pub folder: &'a str,
    /// Path of its manifest.
    pub manifest: &'a str,
}

/// The packages of the workspace, by the manifests in the tree.
pub fn packages(tree: &Tree) -> Vec<Package<'_>> {
    let mut found = Vec::new();
    for (manifest, text) in tree.texts() {
        let Some(folder) = manifest.strip_suffix("Cargo.toml").filter(|f| f.ends_with('/')) else {
            continue;
        };
        let name = text.lines().find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'));
        // The fuzz targets are a workspace of their own.
        if let Some(name) = name.filter(|_| !folder.starts_with("tests/fuzz/")) {
            found.push(Package { name, folder, manifest });
        }
    }
    found
}

/// Checks the manifests.
pub fn check(tree: &Tree, report: &mut Report) {
    let packages = packages(tree);
    for package in &packages {
        let text = tree.text(package.manifest).unwrap_or_default();
        match text.parse::<Table>() {
            Ok(table) => check_package(*package, text, &table, &packages, report),
            Err(error) => report.add(package.manifest, 0, format!("not readable: {error}")),
        }
    }
    check_root(tree, report);
}

fn check_root(tree: &Tree, report: &mut Report) {
    let Some(text) = tree.text("Cargo.toml") else { return };
    let Ok(root) = text.parse::<Table>() else { return };
    let forbidden = root
        .get("workspace")
        .and_then(|table| table.get("lints")?.get("rust")?.get("unsafe_code")?.as_str());
    if forbidden != Some("forbid") {
        report.add("Cargo.toml", 0, "the lints of the workspace must forbid unsafe_code");
    }
}

fn check_package(
    package: Package<'_>,
    text: &str,
    table: &Table,
    packages: &[Package<'_>],
    report: &mut Report,
) {
    let Some(allowed) = allowed(package.name) else {
        report.add(package.manifest, 0, format!("no law for crate {}: add one", package.name));
        return;
    };
    let pure = CHAIN.contains(&package.name);
    if pure != package.folder.starts_with(PURE_FOLDER) {
        report.add(
            package.manifest,
            0,
            format!("pure crates, and only they, are in {PURE_FOLDER}"),
        );
    }
    let inherits = table.get("lints").and_then(|lints| lints.get("workspace")?.as_bool());
    if inherits != Some(true) {
        report.add(package.manifest, 0, "the crate must take the lints of the workspace");
    }
    for (name, value) in dependencies(table) {
        let line = line_of(text, name);
        let own = packages.iter().any(|other| other.name == name);
        if own && !allowed.contains(&name) {
            let message = format!("{} must not use {name}: see ARCHITECTURE.md", package.name);
            report.add(package.manifest, line, message);
        }
        if pure && NOT_PURE.contains(&name) {
            report.add(package.manifest, line, format!("a pure crate must not use {name}"));
        }
        if name == "zerocopy" && package.name != "records" {
            report.add(package.manifest, line, "only records knows byte layouts");
        }
        if value.get("workspace").and_then(Value::as_bool) != Some(true) {
            report.add(package.manifest, line, format!("take {name} from the workspace manifest"));
        }
    }
}

/// What a crate may use, `None` for a crate without a law.
fn allowed(name: &str) -> Option<&'static [&'static str]> {
    let in_chain = CHAIN.iter().position(|crate_name| *crate_name == name);
    in_chain
        .and_then(|position| CHAIN.get(..position))
        .or_else(|| OTHERS.iter().find(|(other, _)| *other == name).map(|(_, allowed)| *allowed))
}

/// All dependencies of a manifest, those of one target included.
fn dependencies(table: &Table) -> Vec<(&str, &Value)> {
    let mut tables: Vec<&Table> = vec![table];
    let targets = table.get("target").and_then(Value::as_table);
    tables.extend(targets.into_iter().flat_map(Table::values).filter_map(Value::as_table));
    let named = tables.iter().flat_map(|table| TABLES.iter().filter_map(|name| table.get(*name)));
    named
        .filter_map(Value::as_table)
        .flat_map(|table| table.iter().map(|(name, value)| (name.as_str(), value)))
        .collect()
}

/// The line of a manifest that names a dependency, 0 if it is not found.
fn line_of(text: &str, name: &str) -> usize {
    let names = |line: &str| {
        let plain = line.strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
        plain || (line.starts_with('[') && line.ends_with(&format!(".{name}]")))
    };
    text.lines().position(names).map_or(0, |index| index + 1)
}

#[cfg(test)]
mod tests {
    use super::super::report::assert_places;
    use super::*;

    fn manifest(name: &str, dependencies: &str) -> String {
        format!("[package]\nname = \"{name}\"\n[lints]\nworkspace = true\n{dependencies}")
    }

    fn places(files: &[(&str, String)], expected: &[&str]) {
        let files: Vec<_> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
        let mut report = Report::default();
        check(&Tree::of(&files), &mut report);
        assert_places(report, expected);
    }

    #[test]
    fn the_chain_goes_one_way() {
        places(
            &[
                ("backend/crates/records/Cargo.toml", manifest("records", "")),
                (
                    "backend/crates/kbin/Cargo.toml",
                    manifest("kbin", "[dependencies]\nrecords.workspace = true\n"),
                ),
                (
                    "backend/crates/neff/Cargo.toml",
                    manifest("neff", "[dependencies]\nkbin.workspace = true\n"),
                ),
            ],
            &["backend/crates/neff/Cargo.toml:6"],
        );
    }

    #[test]
    fn the_ends_use_the_door_only() {
        let uses = "[dependencies]\ndebug_api.workspace = true\n[dev-dependencies]\nneff.workspace = true\n";
        places(
            &[
                ("backend/Cargo.toml", manifest("backend", uses)),
                ("backend/crates/debug_api/Cargo.toml", manifest("debug_api", "")),
                ("backend/crates/neff/Cargo.toml", manifest("neff", "")),
                ("tests/Cargo.toml", manifest("tests", uses)),
            ],
            &["backend/Cargo.toml:8"],
        );
    }

    #[test]
    fn outside_crates_have_laws_too() {
        let uses = "[dependencies]\ntokio.workspace = true\nzerocopy.workspace = true\n\
                    [dependencies.serde]\nversion = \"1\"\n";
        places(
            &[("backend/crates/neff/Cargo.toml", manifest("neff", uses))],
            &[
                "backend/crates/neff/Cargo.toml:6",
                "backend/crates/neff/Cargo.toml:7",
                "backend/crates/neff/Cargo.toml:8",
            ],
        );
    }

    #[test]
    fn a_new_crate_needs_a_law_and_the_lints() {
        places(
            &[
                ("backend/crates/other/Cargo.toml", manifest("other", "")),
                ("backend/crates/neff/Cargo.toml", "[package]\nname = \"neff\"\n".to_owned()),
                ("Cargo.toml", "[workspace]\n".to_owned()),
            ],
            &[
                "Cargo.toml:0",
                "backend/crates/neff/Cargo.toml:0",
                "backend/crates/other/Cargo.toml:0",
            ],
        );
    }
}
