//! Writes a capture for a NEFF, to try out what a pair shows: `make-capture NEFF PROFILE OUT
//! [LAPS]`. With laps it has records of a run: every engine goes so often through its image.

use anyhow::{Context as _, Result};
use support::{ntff_writer, pair_builder, trace_builder};

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let mut next = || arguments.next().context("usage: make-capture NEFF PROFILE OUT");
    let (file, profile, out) = (next()?, next()?, next()?);
    let file = std::fs::read(&file).with_context(|| file.clone())?;
    let mut text = pair_builder::capture_of(&file, &profile, 0)?;
    if let Some(laps) = arguments.next() {
        trace_builder::add_trace(&mut text, laps.parse().context("laps are a number")?);
    }
    std::fs::write(&out, ntff_writer::ntff(&text)).context(out)
}
