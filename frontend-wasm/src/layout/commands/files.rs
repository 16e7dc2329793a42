//! Commands that open files, and put further ones beside what is open.

use super::{Command, FILE, Reach, always, command, letter, opened};
use crate::layout::lone::is_alone;
use crate::layout::state::State;

fn alone(state: &State) -> Result<(), &'static str> {
    opened(state)?;
    if is_alone(state) { Ok(()) } else { Err("an executable is open") }
}

/// The commands.
pub const COMMANDS: &[Command] = &[
    command("copy-link", "Copy link to this view", FILE, &[letter('y')], Reach::Page, opened),
    command("add-neff", "Add the executable (NEFF)", FILE, &[], Reach::Page, alone),
    command("add-capture", "Add the capture of a run (NTFF)", FILE, &[], Reach::Page, opened),
    command("add-source", "Add source text", FILE, &[], Reach::Page, opened),
    command("add-profile", "Add a runtime profile (TOML)", FILE, &[], Reach::Page, opened),
    command("open-file", "Open a file", FILE, &[letter('o').ctrl()], Reach::Always, always),
];
