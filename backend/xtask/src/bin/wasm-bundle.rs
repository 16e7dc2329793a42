//! Turns the compiled programs of the browser into modules and the scripts that load them, and
//! packs all as they are sent.
//!
//! `cargo xtask wasm` runs this program. It stands apart because the wasm-bindgen library takes
//! minutes to build and no other command needs it. Arguments: the folder to write to, the compiled
//! wasm files.
#![deny(warnings)]

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use wasm_bindgen_cli_support::Bindgen;
use xtask::wasm::size;

fn main() -> Result<()> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let folder = arguments.next().context("missing argument: the folder to write to")?;
    for input in arguments {
        bind(&input, &folder)?;
    }
    let files = size::PROGRAMS.iter().flat_map(|program| program.files());
    files.into_iter().try_for_each(|file| pack(&folder.join(file)))
}

/// Writes a program's module and script.
fn bind(input: &Path, folder: &Path) -> Result<()> {
    Bindgen::new()
        .input_path(input)
        .web(true)?
        .typescript(false)
        // Function names are a third of the module and say nothing to a user.
        .remove_name_section(true)
        .remove_producers_section(true)
        // Without the default path the script cannot find its module when called with no argument.
        .omit_default_module_path(false)
        .generate(folder)
        .with_context(|| format!("wasm-bindgen could not package {}", input.display()))
}

/// Bytes of a packer's buffer.
const BUFFER: usize = 1 << 16;

/// Writes the packed twins of a file beside it, which the server sends as they are. The packers
/// take seconds; the same bytes always give the same.
///
/// `NAME.br` is a sixth smaller than `NAME.gz`, but browsers take it from servers of their own
/// machine and over TLS only. The packer of `NAME.gz` saves a twentieth against the usual one.
fn pack(file: &Path) -> Result<()> {
    let bytes = fs::read(file).with_context(|| format!("no {}", file.display()))?;
    let twin = File::create(size::twin(file, "gz"))?;
    zopfli::compress(zopfli::Options::default(), zopfli::Format::Gzip, bytes.as_slice(), twin)
        .with_context(|| format!("cannot pack {}", file.display()))?;
    // Quality and window at their largest.
    let twin = File::create(size::twin(file, "br"))?;
    let mut packer = brotli::CompressorWriter::new(twin, BUFFER, 11, 24);
    packer.write_all(&bytes).and_then(|()| packer.flush())?;
    // What is left goes out, and the stream ends, when the packer is given up.
    drop(packer.into_inner());
    Ok(())
}
