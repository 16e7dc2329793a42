//! Files of real compilers. They are read where they are and never copied; a test that needs one
//! says so and passes where they are absent.

use std::path::PathBuf;

use crate::fixtures::workspace_root;

/// Bytes of a file below the folder of real files: `$NEFFSCOPE_REAL`, else `../shared/real` beside
/// the workspace. `None`, with a message, where it is absent.
#[allow(clippy::print_stderr, reason = "the message belongs to the test run")]
pub fn real_file(name: &str) -> Option<Vec<u8>> {
    let folder = std::env::var_os("NEFFSCOPE_REAL")
        .map_or_else(|| workspace_root().join("../shared/real"), PathBuf::from);
    let path = folder.join(name);
    let bytes = std::fs::read(&path).ok();
    if bytes.is_none() {
        eprintln!("skipped: {} is absent; set NEFFSCOPE_REAL to the folder of real files", name);
    }
    bytes
}
