//! `cargo xtask COMMAND`: reads the arguments and calls the command.
// Commands talk to a person on the terminal.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::ffi::OsString;
use std::process::ExitCode;

use anyhow::{Result, bail};
use xtask::{bench, bless, ci, serve, test, tidy, wasm};

const USAGE: &str = "\
cargo xtask COMMAND

  serve [FILE...]   build everything and start the server; further options go to it
  test              every test, the browser suite included (--no-browser leaves that out)
  browser [NAME...] the browser suite alone, or its files with such a name
  wasm              build the browser bundle into static/pkg
  tidy              check the rules of the codebase that a machine can check
  ci                everything that must hold before a change lands
  bless             rebuild the fixtures and accept the output of the golden tests
  bench             run the benchmarks and print ratios
  dist              one self-contained program in target/dist

Options of every command that builds the bundle:
  --std auto|target|rustup|build-std   where the wasm target's standard library comes from
  --release-size                       optimize the bundle for size alone

XTASK_OFFLINE=1 keeps `auto` from asking rustup for the wasm target.";

fn main() -> ExitCode {
    let mut arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let command = if arguments.is_empty() { OsString::new() } else { arguments.remove(0) };
    match dispatch(&command.to_string_lossy(), arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(command: &str, mut arguments: Vec<OsString>) -> Result<()> {
    match command {
        "serve" => serve::serve(arguments),
        "dist" => serve::dist(arguments),
        "wasm" => wasm::run(wasm::take_options(&mut arguments)?),
        "test" => test::run(&test::take_options(&mut arguments)?),
        "browser" => test::in_browser(arguments),
        "tidy" => tidy::run(),
        "bless" => bless::run(),
        "bench" => bench::run(&arguments),
        "ci" => ci::run(arguments),
        "" | "help" | "-h" | "--help" => {
            println!("{USAGE}");
            Ok(())
        }
        other => bail!("no command {other:?}\n\n{USAGE}"),
    }
}
