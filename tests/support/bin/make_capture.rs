//! Writes a capture for a NEFF, to try out what a pair shows: `make-capture NEFF PROFILE OUT`.

use anyhow::{Context as _, Result};
use support::{ntff_writer, pair_builder};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().context("usage: make-capture NEFF PROFILE OUT");
    let (file, profile, out) = (next()?, next()?, next()?);
    let file = std::fs::read(&file).with_context(|| file.clone())?;
    let text = pair_builder::capture_of(&file, &profile, 0)?;
    std::fs::write(&out, ntff_writer::ntff(&text)).context(out)
}
