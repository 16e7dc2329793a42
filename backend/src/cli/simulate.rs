//! The command `simulate`: a run of the program.

use super::args::{OutputArgs, ProfileArgs, number};
use super::stop::{Stop, WRITE, maybe_small, small};
use super::timeline::WrittenArgs;
use super::{open_all, open_beside, print, question, read};
use clap::Args;
use debug_api::answer::Answer;
use debug_api::{Request, Scope, SimulateRequest};
use std::path::PathBuf;

/// Most bytes of a timing model.
const MAX_TIMING_BYTES: u64 = 1 << 20;

#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// NEFF files; several are ranks 0, 1, ... of one job and run together
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Ranks that run (default: as many as files); one file alone runs on all of them
    #[arg(long, value_name = "N", value_parser = number)]
    pub ranks: Option<u64>,
    /// Run this subgraph alone, by name or 0-based index (default: all together)
    #[arg(short = 's', long = "subgraph", value_name = "SUBGRAPH")]
    pub s: Option<String>,
    #[command(flatten)]
    pub profile: ProfileArgs,
    /// Number of inferences
    #[arg(long, value_name = "N", default_value = "1", value_parser = number)]
    pub inferences: u64,
    /// Shuffle what happens at the same instant and compare with the stated order: a result that
    /// depends on it is a race
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
    /// Fit the costs of the operation codes to this capture and tell the error that is left
    #[arg(long, value_name = "NTFF")]
    pub calibrate: Option<PathBuf>,
    /// Write the fitted timing model here, a TOML file
    #[arg(long, value_name = "OUT", requires = "calibrate")]
    pub calibrated: Option<PathBuf>,
    /// What if this ring did not move? (repeatable)
    #[arg(long, value_name = "QUEUE:RING")]
    pub stall: Vec<String>,
    /// What if this post were lost? [SUBGRAPH:]semaphore:ID[:NTH] or event:ID[:NTH], or of the TOP_SPs
    /// of a rank rankN:link[:NTH] (repeatable)
    #[arg(long, value_name = "POST")]
    pub drop: Vec<String>,
    /// What if this core, or all cores of rankN, started late? (repeatable)
    #[arg(long, value_name = "SUBGRAPH:NS")]
    pub delay: Vec<String>,
    #[command(flatten)]
    pub written: WrittenArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

fn only_subgraph(scope: &Scope) -> Scope {
    Scope { s: scope.s.clone(), ..Scope::default() }
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
    let files = open_all(&args.files)?;
    let executables = files.iter().filter(|file| file.as_neff().is_some()).count();
    let (session, profile) = open_beside(files, &args.profile, args.calibrate.as_deref())?;
    let Some(first) = args.files.first() else {
        return Err(Stop::Usage("name a NEFF file".to_owned()));
    };
    let ranks = match (args.ranks, args.files.len()) {
        (None, 1) => None,
        // What else is named is no rank, and the answer says so.
        (None, _) => Some(executables.max(1) as u64),
        (ranks, _) => ranks,
    };
    let n_files = args.files.len();
    let asked = SimulateRequest {
        scope: Scope {
            s: args.s,
            profile,
            core: maybe_small(args.profile.core, "--core")?,
            // The capture comes behind the executables.
            ntff: args.profile.ntff.as_ref().map(|_| n_files),
            modelled: args.profile.modelled,
            ..Scope::default()
        },
        inferences: Some(small(args.inferences, "--inferences")?),
        seed: args.seed,
        max_events: args.max_events,
        until: args.until,
        timing: timing.transpose()?,
        ranks: ranks.map(|ranks| small(ranks, "--ranks")).transpose()?,
        calibrate: args
            .calibrate
            .as_ref()
            .map(|_| n_files + usize::from(args.profile.ntff.is_some())),
        stall: args.stall,
        drop: args.drop,
        delay: args.delay,
    };
    // The timeline is that of the subgraph, else of the first, of rank 0.
    let run = SimulateRequest { scope: only_subgraph(&asked.scope), ..asked.clone() };
    args.written.write(&session, first, &asked.scope, Some(&run), args.output.json)?;
    let request = Request::Simulate(asked);
    let answer = question(&session, first, &args.output, &request)?;
    if let (Some(path), Answer::Simulate(run)) = (&args.calibrated, &answer)
        && let Some(calibration) = &run.calibration
    {
        std::fs::write(path, &calibration.toml)
            .map_err(|error| Stop::Io(path.clone(), WRITE, error))?;
    }
    print(Some((&session, first)), &answer, &args.output)
}
