//! The project's own commands: packaging, tests, checks.
//!
//! Purpose: each command that a person or the checks of a change need is one function here; the
//! program `xtask` only reads its arguments. Input: the workspace on disk. Output: built files,
//! and a plain failure where something is wrong. This crate knows nothing of the other crates of
//! the workspace: it starts cargo, npm and the built programs.
//!
//! The modules are listed in reading order; a module uses only those above it.
// Commands talk to a person on the terminal.
#![allow(clippy::print_stdout, clippy::print_stderr)]

pub mod workspace;
pub mod debian;
pub mod wasm;
pub mod serve;
pub mod counts;
pub mod browser;
pub mod perfetto;
pub mod test;
pub mod tidy;
pub mod rustdoc;
pub mod bless;
pub mod bench;
pub mod ci;
