//! `cargo xtask wasm`: builds the programs of the browser and packages them into `static/pkg/`.

pub mod std_source;
pub mod size;

use std::collections::hash_map::DefaultHasher;
use std::ffi::OsString;
use std::hash::Hasher;
use std::path::{Path, PathBuf};
use std::{fs, str::FromStr};

use anyhow::{Context, Result, bail};

use self::std_source::{StdChoice, StdSource};
use crate::workspace;

/// What the command was asked for.
#[derive(Clone, Copy, Debug, Default)]
pub struct Options {
    /// Where the standard library of the wasm target comes from.
    pub std: StdChoice,
}

/// Takes this command's options out of a list of arguments and leaves the others.
pub fn take_options(arguments: &mut Vec<OsString>) -> Result<Options> {
    let mut options = Options::default();
    let mut others = Vec::new();
    let mut words = std::mem::take(arguments).into_iter();
    while let Some(word) = words.next() {
        match word.to_str() {
            Some("--std") => {
                let value = words.next().unwrap_or_default();
                options.std = StdChoice::from_str(&value.to_string_lossy())?;
            }
            Some(text) if text.starts_with("--std=") => {
                options.std = StdChoice::from_str(&text["--std=".len()..])?;
            }
            _ => others.push(word),
        }
    }
    *arguments = others;
    Ok(options)
}

/// Builds the bundle if anything changed, prints its sizes and checks the budget.
pub fn run(options: Options) -> Result<()> {
    let source = std_source::find(options.std)?;
    println!("xtask: browser bundle, {}", source.describe());
    let compiled = compile(&source)?;
    let folder = workspace::root().join("static/pkg");
    let stamp = Stamp::of(&compiled)?;
    if stamp.is_current(&folder) {
        println!("xtask: static/pkg is up to date");
    } else {
        package(&compiled, &folder)?;
        stamp.write()?;
    }
    size::report(&folder)
}

/// Compiles the programs and returns the paths of their wasm files.
fn compile(source: &StdSource) -> Result<Vec<PathBuf>> {
    let mut command = source.cargo();
    // Both in one go: they share their dependencies and are linked at the same time.
    command.args(["build", "--locked", "--lib"]);
    for program in size::PROGRAMS {
        command.args(["--package", program.package]);
    }
    command.args(["--profile", "wasm", "--target", std_source::TARGET]);
    command.args(source.extra_arguments());
    command.arg("--target-dir").arg(source.target_dir());
    command.env_remove("RUSTFLAGS").env("CARGO_ENCODED_RUSTFLAGS", rust_flags(source)?);
    workspace::run(&mut command).context("could not compile the programs of the browser")?;
    let folder = source.target_dir().join(std_source::TARGET).join("wasm");
    let files = size::PROGRAMS.map(|program| folder.join(format!("{}.wasm", program.stem)));
    if let Some(file) = files.iter().find(|file| !file.is_file()) {
        bail!("the compiler left no {}", workspace::shown_path(file));
    }
    Ok(files.into())
}

/// Flags that keep this machine's folders out of the bundle. They are separated by the unit
/// separator, because a folder may have a space in its name.
fn rust_flags(source: &StdSource) -> Result<String> {
    let home = match std::env::var_os("CARGO_HOME") {
        Some(folder) => PathBuf::from(folder),
        None => std::env::home_dir().context("no home folder")?.join(".cargo"),
    };
    let folders = [(workspace::root(), "neffscope"), (home, "cargo"), (source.sysroot()?, "rust")];
    let flags =
        folders.map(|(folder, name)| format!("--remap-path-prefix={}={name}", folder.display()));
    Ok(flags.join("\u{1f}"))
}

/// Runs the wasm-bindgen library in its own program, which is built only here.
fn package(compiled: &[PathBuf], folder: &Path) -> Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder).context("cannot clear static/pkg")?;
    }
    let mut command = workspace::cargo(["run", "--quiet", "--locked", "--package", "xtask"]);
    // It runs for a second and takes minutes to optimize.
    command.args(["--config", "profile.dev.package.\"*\".opt-level=0"]);
    for packer in ["zopfli", "brotli", "alloc-no-stdlib", "alloc-stdlib"] {
        command.arg("--config").arg(format!("profile.dev.package.{packer}.opt-level=3"));
    }
    command.args(["--features", "bundle", "--bin", "wasm-bundle", "--"]);
    workspace::run(command.arg(folder).args(compiled)).context("could not package the bundle")
}

/// Says whether the packaged bundle was made from the compiled files at hand.
struct Stamp {
    content: String,
}

impl Stamp {
    fn of(compiled: &[PathBuf]) -> Result<Self> {
        let mut hasher = DefaultHasher::new();
        for file in compiled {
            hasher.write(&fs::read(file)?);
        }
        hasher.write(&fs::read(workspace::root().join("Cargo.lock"))?);
        Ok(Self { content: format!("{:016x}\n", hasher.finish()) })
    }

    fn is_current(&self, folder: &Path) -> bool {
        size::is_whole(folder)
            && fs::read_to_string(Self::path()).is_ok_and(|text| text == self.content)
    }

    fn write(&self) -> Result<()> {
        fs::write(Self::path(), &self.content).context("cannot note what was packaged")
    }

    fn path() -> PathBuf {
        workspace::target().join("wasm-bundle.stamp")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_taken_out_and_the_rest_stays_in_order() -> Result<()> {
        let mut words: Vec<OsString> =
            ["a.neff", "--std", "build-std", "--listen", "x"].map(OsString::from).into();
        let options = take_options(&mut words)?;
        assert_eq!(options.std, StdChoice::BuildStd);
        assert_eq!(words, ["a.neff", "--listen", "x"]);
        Ok(())
    }

    #[test]
    fn an_unknown_source_is_refused() {
        let mut words = vec![OsString::from("--std=nightly")];
        assert!(take_options(&mut words).is_err());
    }
}
