//! Where the standard library of the wasm target comes from: the active toolchain, rustup, or the
//! distribution's compiler that builds it from source.
//!
//! Sources of one compiler cannot be built by another, so the third way uses the distribution's
//! compiler for the whole bundle, with a target folder of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::str::FromStr;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use crate::{debian, workspace};

/// The target of the browser bundle.
pub const TARGET: &str = "wasm32-unknown-unknown";

/// How long `rustup target add` may take: with a server that never answers it would not end.
const RUSTUP_PATIENCE: Duration = Duration::from_secs(180);

/// Debian's compiler, kept current for building browsers, with the sources of its library.
const DEBIAN_PACKAGES: [&str; 3] = ["rustc-web", "cargo-web", "rust-web-src"];

/// Builds the standard library too, in its small form.
const BUILD_STD: [&str; 2] =
    ["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size"];

/// The 95 of the workspace's `rust-version`.
const MINOR_VERSION: u32 = 95;

/// The argument of `--std`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StdChoice {
    /// The first way that works.
    #[default]
    Auto,
    /// Only the library that the active toolchain has.
    Target,
    /// Only the active toolchain, after `rustup target add`.
    Rustup,
    /// Only the distribution's compiler with its sources.
    BuildStd,
}

impl FromStr for StdChoice {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        Ok(match text {
            "auto" => Self::Auto,
            "target" => Self::Target,
            "rustup" => Self::Rustup,
            "build-std" => Self::BuildStd,
            other => bail!("--std takes auto, target, rustup or build-std, not {other:?}"),
        })
    }
}

/// A compiler that can build for the browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StdSource {
    /// The active toolchain has the target's library.
    Installed,
    /// The distribution's compiler builds the library first.
    Distribution {
        /// The distribution's rustc.
        rustc: PathBuf,
        /// The distribution's cargo.
        cargo: PathBuf,
        /// The linker, if the compiler does not find one itself.
        linker: Option<PathBuf>,
    },
}

impl StdSource {
    /// One line for a person.
    pub fn describe(&self) -> String {
        match self {
            Self::Installed => format!("with the {TARGET} library of the active toolchain"),
            Self::Distribution { rustc, .. } => {
                format!("with {} building the standard library", rustc.display())
            }
        }
    }

    /// The cargo of this compiler, with no arguments yet.
    pub fn cargo(&self) -> Command {
        match self {
            Self::Installed => workspace::cargo::<[&str; 0]>([]),
            Self::Distribution { rustc, cargo, linker } => {
                let mut command = workspace::command(cargo);
                // The library's build is an unstable feature that this variable opens.
                command.env("RUSTC", rustc).env("RUSTC_BOOTSTRAP", "1");
                command.env_remove("RUSTUP_TOOLCHAIN").env_remove("RUSTDOC");
                if let Some(linker) = linker {
                    command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
                }
                command
            }
        }
    }

    /// Further arguments of `cargo build`.
    pub fn extra_arguments(&self) -> &'static [&'static str] {
        match self {
            Self::Installed => &[],
            Self::Distribution { .. } => &BUILD_STD,
        }
    }

    /// Build folder. Two compilers in one folder would undo each other's work.
    pub fn target_dir(&self) -> PathBuf {
        match self {
            Self::Installed => workspace::target(),
            Self::Distribution { .. } => distribution_target(),
        }
    }

    /// Folder of the compiler's own files.
    pub fn sysroot(&self) -> Result<PathBuf> {
        match self {
            Self::Installed => sysroot(&active_rustc()),
            Self::Distribution { rustc, .. } => sysroot(rustc),
        }
    }
}

/// Finds or installs a compiler, in the order installed target, rustup, distribution.
pub fn find(choice: StdChoice) -> Result<StdSource> {
    match choice {
        StdChoice::Target if target_is_installed() => Ok(StdSource::Installed),
        StdChoice::Target => bail!("the active toolchain has no {TARGET} library"),
        StdChoice::Rustup => add_by_rustup().map(|()| StdSource::Installed),
        StdChoice::BuildStd => distribution(),
        StdChoice::Auto => automatic(),
    }
}

/// Whether the active toolchain can compile for the browser. The folder's name is printed whether
/// or not it exists, so its content decides.
pub fn target_is_installed() -> bool {
    let mut command = workspace::command(active_rustc());
    command.args(["--print", "target-libdir", "--target", TARGET]);
    let Ok(folder) = workspace::output(&mut command) else { return false };
    let Ok(entries) = std::fs::read_dir(folder) else { return false };
    entries.flatten().any(|entry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        name.starts_with("libcore-") && name.ends_with(".rlib")
    })
}

fn automatic() -> Result<StdSource> {
    if target_is_installed() {
        return Ok(StdSource::Installed);
    }
    // Where the third way was taken before, rustup is not waited for again.
    if distribution_target().is_dir() && distribution_rustc().is_some() {
        return distribution();
    }
    let by_rustup = match std::env::var("XTASK_OFFLINE").as_deref() {
        Ok("1") => Err(anyhow::anyhow!("XTASK_OFFLINE is set")),
        _ => add_by_rustup(),
    };
    let Err(rustup_error) = by_rustup else { return Ok(StdSource::Installed) };
    println!("xtask: not by rustup ({rustup_error:#}); trying the distribution's compiler");
    distribution().map_err(|error| {
        anyhow::anyhow!(
            "no compiler for {TARGET} ({error:#}); run `rustup target add {TARGET}`, or on Debian \
             `apt-get install {}`",
            DEBIAN_PACKAGES.join(" ")
        )
    })
}

/// `rustup target add` for the toolchain in use, stopped when it takes too long.
fn add_by_rustup() -> Result<()> {
    if target_is_installed() {
        return Ok(());
    }
    let rustup = workspace::find_program("rustup").context("rustup is not installed")?;
    let mut command = workspace::command(rustup);
    command.args(["target", "add", TARGET]).stdin(Stdio::null());
    println!("xtask: {}", workspace::show(&command));
    let mut child = command.spawn().context("cannot start rustup")?;
    let start = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if start.elapsed() > RUSTUP_PATIENCE {
            child.kill()?;
            child.wait()?;
            bail!("rustup gave no answer in {} s", RUSTUP_PATIENCE.as_secs());
        }
        std::thread::sleep(Duration::from_millis(100));
    };
    if !status.success() || !target_is_installed() {
        bail!("rustup could not add {TARGET}");
    }
    Ok(())
}

/// The distribution's compiler with its sources, installed if that is possible.
fn distribution() -> Result<StdSource> {
    if distribution_rustc().is_none() {
        debian::install(&DEBIAN_PACKAGES)?;
    }
    let rustc = distribution_rustc().context("no distribution compiler with library sources")?;
    let cargo = rustc.with_file_name("cargo");
    let linker = active_linker();
    if linker.is_none() && workspace::find_program("rust-lld").is_none() {
        install_linker(&rustc)?;
    }
    let linker = linker.or_else(|| newest_lld(Path::new("/usr/lib")));
    Ok(StdSource::Distribution { rustc, cargo, linker })
}

/// A rustc outside rustup, new enough, with the sources of its own library and a cargo beside it.
fn distribution_rustc() -> Option<PathBuf> {
    let rustc = PathBuf::from("/usr/bin/rustc");
    if !rustc.is_file() || !rustc.with_file_name("cargo").is_file() {
        return None;
    }
    let version = workspace::output(workspace::command(&rustc).arg("--version")).ok()?;
    let sources = sysroot(&rustc).ok()?.join("lib/rustlib/src/rust/library/std/Cargo.toml");
    (minor_version(&version)? >= MINOR_VERSION && sources.is_file()).then_some(rustc)
}

/// The 95 of `rustc 1.95.0 (59807616e 2026-04-14)`.
fn minor_version(text: &str) -> Option<u32> {
    text.strip_prefix("rustc 1.")?.split('.').next()?.parse().ok()
}

fn distribution_target() -> PathBuf {
    workspace::target().join("wasm-std")
}

/// The linker that comes with rustup's toolchain, named after the host.
fn active_linker() -> Option<PathBuf> {
    let rustc = active_rustc();
    let version = workspace::output(workspace::command(&rustc).arg("-vV")).ok()?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "))?;
    let linker = sysroot(&rustc).ok()?.join("lib/rustlib").join(host).join("bin/rust-lld");
    linker.is_file().then_some(linker)
}

/// Installs the LLVM linker of the compiler's own LLVM version.
fn install_linker(rustc: &Path) -> Result<()> {
    if newest_lld(Path::new("/usr/lib")).is_some() {
        return Ok(());
    }
    let version = workspace::output(workspace::command(rustc).arg("-vV"))?;
    let llvm = version.lines().find_map(|line| line.strip_prefix("LLVM version: "));
    let major = llvm.and_then(|text| text.split('.').next()).context("no LLVM version")?;
    debian::install(&[&format!("lld-{major}")])
}

/// `wasm-ld` of the highest LLVM version under a folder (`llvm-22/bin/wasm-ld`).
fn newest_lld(folder: &Path) -> Option<PathBuf> {
    let version = |name: &str| name.strip_prefix("llvm-").and_then(|text| text.parse().ok());
    std::fs::read_dir(folder)
        .ok()?
        .flatten()
        .filter_map(|entry| {
            let number: u32 = version(&entry.file_name().to_string_lossy())?;
            Some((number, entry.path().join("bin/wasm-ld")))
        })
        .filter(|(_, linker)| linker.is_file())
        .max()
        .map(|(_, linker)| linker)
}

fn active_rustc() -> PathBuf {
    std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from)
}

fn sysroot(rustc: &Path) -> Result<PathBuf> {
    let folder = workspace::output(workspace::command(rustc).args(["--print", "sysroot"]))?;
    Ok(PathBuf::from(folder))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_has_a_name() -> Result<()> {
        for (text, choice) in [
            ("auto", StdChoice::Auto),
            ("target", StdChoice::Target),
            ("rustup", StdChoice::Rustup),
            ("build-std", StdChoice::BuildStd),
        ] {
            assert_eq!(text.parse::<StdChoice>()?, choice);
        }
        Ok(())
    }

    #[test]
    fn the_version_is_read_from_the_first_line() {
        assert_eq!(minor_version("rustc 1.96.0 (ac68faa20 2026-05-25)"), Some(96));
        assert_eq!(minor_version("rustc 1.63.0"), Some(63));
        assert_eq!(minor_version("gcc 12"), None);
    }

    #[test]
    fn the_two_compilers_have_different_folders() {
        let distribution =
            StdSource::Distribution { rustc: "rustc".into(), cargo: "cargo".into(), linker: None };
        assert_ne!(distribution.target_dir(), StdSource::Installed.target_dir());
        assert_eq!(distribution.extra_arguments().first(), Some(&"-Zbuild-std=std,panic_abort"));
    }
}
