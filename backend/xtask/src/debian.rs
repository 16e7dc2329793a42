//! Packages of the Debian archive: what is missing is installed when that is possible without
//! asking anybody, which is when this program is root on Debian.

use std::sync::Once;

use anyhow::{Context, Result, bail};

use crate::workspace;

/// Whether packages can be installed: `apt-get` exists on a Debian and this is root.
pub fn can_install() -> bool {
    let debian = std::path::Path::new("/etc/debian_version").is_file();
    debian && workspace::find_program("apt-get").is_some() && is_root()
}

/// Installs packages. The package lists are refreshed once, before the first installation.
/// Errors: not root on Debian, or `apt-get` fails; both name the command to run.
pub fn install(packages: &[&str]) -> Result<()> {
    let line = format!("apt-get install -y --no-install-recommends {}", packages.join(" "));
    if !can_install() {
        bail!("this needs root on Debian: {line}");
    }
    println!("xtask: {line}");
    static REFRESH: Once = Once::new();
    // A refresh that fails is not the last word: the lists at hand may do.
    REFRESH.call_once(|| drop(workspace::run(apt().args(["-qq", "update"]))));
    // Nothing that is there may be removed to make room.
    let fixed = ["-qq", "install", "-y", "--no-install-recommends", "--no-remove"];
    workspace::run(apt().args(fixed).args(packages))
        .with_context(|| format!("could not install by `{line}`"))
}

fn apt() -> std::process::Command {
    let mut command = workspace::command("apt-get");
    command.env("DEBIAN_FRONTEND", "noninteractive").stdin(std::process::Stdio::null());
    command
}

fn is_root() -> bool {
    workspace::output(workspace::command("id").arg("-u")).is_ok_and(|id| id == "0")
}
