//! Turns the built-in profiles into JSON, so that a program that reads no other profile needs no
//! parser of TOML; in the browser's bundle that is a tenth of the code.
#![allow(
    clippy::disallowed_methods,
    reason = "a build script reads and writes files; the crate does not"
)]

use std::error::Error;
use std::fmt::Write;
use std::path::PathBuf;

/// The built-in profiles, in the order in which they are listed.
const NAMES: [&str; 6] = [
    "sunda-r2.23",
    "sunda-r2.25",
    "cayman-r2.27",
    "modelled-sunda",
    "modelled-cayman",
    "modelled-mariana",
];

fn main() -> Result<(), Box<dyn Error>> {
    let mut source = String::from(
        "/// Built-in profiles: name, and the profile as JSON. They are listed in this order.\n",
    );
    writeln!(source, "pub const BUILT_IN: [(&str, &str); {}] = [", NAMES.len())?;
    for name in NAMES {
        let path = format!("profiles/{name}.toml");
        println!("cargo:rerun-if-changed={path}");
        let table: toml::Table = std::fs::read_to_string(&path)?.parse()?;
        writeln!(source, "    ({name:?}, {:?}),", serde_json::to_string(&table)?)?;
    }
    let out = PathBuf::from(std::env::var("OUT_DIR")?).join("built_in.rs");
    std::fs::write(out, source + "];\n")?;
    Ok(())
}
