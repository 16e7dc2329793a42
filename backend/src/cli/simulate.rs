//! The command `simulate`: a run of the program.

use super::args::{OutputArgs, ProfileArgs, number};
use super::stop::{Stop, maybe_small, small};
use super::{open_with, print, question, read};
use clap::Args;
use debug_api::{Request, Scope, SimulateRequest};
use std::path::PathBuf;

/// Most bytes of a timing model.
const MAX_TIMING_BYTES: u64 = 1 << 20;

#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// NEFF file
    pub file: PathBuf,
    /// Run this subgraph alone, by name or 0-based index (default: all together)
    #[arg(short = 's', long = "subgraph", value_name = "SUBGRAPH")]
    pub s: Option<String>,
    #[command(flatten)]
    pub profile: ProfileArgs,
    /// Number of inferences
    #[arg(long, value_name = "N", default_value = "1", value_parser = number)]
    pub inferences: u64,
    /// Shuffle what happens at the same instant (default: a fixed order)
    #[arg(long, value_name = "N", value_parser = number)]
    pub seed: Option<u64>,
    /// Stop after so many events (default: 50000000, at most 1000000000)
    #[arg(long, value_name = "N", value_parser = number)]
    pub max_events: Option<u64>,
    /// Stop each engine at the end of its MAIN: main-end
    #[arg(long, value_name = "WHERE")]
    pub until: Option<String>,
    /// Timing model to use instead of the built-in one, a TOML file
    #[arg(long, value_name = "FILE")]
    pub timing: Option<PathBuf>,
    /// What if this ring did not move? (repeatable)
    #[arg(long, value_name = "QUEUE:RING")]
    pub stall: Vec<String>,
    /// What if this post were lost? [SUBGRAPH:]semaphore:ID[:NTH] or event:ID[:NTH] (repeatable)
    #[arg(long, value_name = "POST")]
    pub drop: Vec<String>,
    /// What if this core started late? (repeatable)
    #[arg(long, value_name = "SUBGRAPH:NS")]
    pub delay: Vec<String>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `simulate`.
pub fn simulate(args: SimulateArgs) -> Result<u8, Stop> {
    let timing = args.timing.as_deref().map(|path| {
        let bytes = read(path, MAX_TIMING_BYTES)?;
        String::from_utf8(bytes).map_err(|_| {
            let name = path.display();
            Stop::Usage(format!("{name}: a timing model is UTF-8 text in TOML, and this is not"))
        })
    });
    let (session, profile) = open_with(&args.file, &args.profile)?;
    let request = Request::Simulate(SimulateRequest {
        scope: Scope {
            s: args.s,
            profile,
            core: maybe_small(args.profile.core, "--core")?,
            // The capture is the second file of the session.
            ntff: args.profile.ntff.as_ref().map(|_| 1),
            modelled: args.profile.modelled,
            ..Scope::default()
        },
        inferences: Some(small(args.inferences, "--inferences")?),
        seed: args.seed,
        max_events: args.max_events,
        until: args.until,
        timing: timing.transpose()?,
        stall: args.stall,
        drop: args.drop,
        delay: args.delay,
    });
    let answer = question(&session, &args.file, &args.output, &request)?;
    print(Some((&session, &args.file)), &answer, &args.output)
}
