//! The command `timeline`: what happened when, from the capture of a run.

use super::args::{OutputArgs, number};
use super::stop::{Stop, maybe_small};
use super::{open_file, print, question};
use clap::Args;
use debug_api::{Request, Scope, Session, TimelineEventsRequest, TimelineRequest};
use std::path::PathBuf;

#[derive(Debug, Args)]
pub struct TimelineArgs {
    /// NTFF file, or a NEFF file with --ntff
    pub file: PathBuf,
    /// NTFF profile of a run of the NEFF file: events then have their NEFF IPs and regions
    #[arg(long, value_name = "FILE")]
    pub ntff: Option<PathBuf>,
    /// Subgraph, by name or 0-based index (default: the first)
    #[arg(short = 's', long = "subgraph", value_name = "SUBGRAPH")]
    pub s: Option<String>,
    /// First picosecond of the range, from the first event on
    #[arg(long, value_name = "PS", value_parser = number)]
    pub from_ps: Option<u64>,
    /// First picosecond after the range
    #[arg(long, value_name = "PS", value_parser = number)]
    pub to_ps: Option<u64>,
    /// List single events instead of sums
    #[arg(long)]
    pub events: bool,
    /// Only events of this row: an engine, a queue by name, sem[N], event[N]
    #[arg(long, value_name = "NAME", requires = "events")]
    pub row: Option<String>,
    /// Only executions of this image slot of the row's engine (default: PE)
    #[arg(long, value_name = "SLOT", value_parser = number, requires = "events")]
    pub slot: Option<u64>,
    /// Only events whose name has this text
    #[arg(long, value_name = "TEXT", requires = "events")]
    pub find: Option<String>,
    /// Take the last events: with --to-ps and a semaphore, who wrote it last
    #[arg(long, requires = "events")]
    pub last: bool,
    /// First 0-based event
    #[arg(long, default_value = "0", value_parser = number, requires = "events")]
    pub from: u64,
    /// Number of events, at most 4,096 (default: 256)
    #[arg(long, value_parser = number, requires = "events")]
    pub count: Option<u64>,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Runs the command and gives the exit status.
pub fn timeline(args: TimelineArgs) -> Result<u8, Stop> {
    let mut files = vec![open_file(&args.file)?];
    if let Some(path) = &args.ntff {
        files.push(open_file(path)?);
    }
    let scope = Scope { s: args.s, ntff: args.ntff.as_ref().map(|_| 1), ..Scope::default() };
    let request = if args.events {
        let slot = maybe_small(args.slot, "--slot")?;
        let count = maybe_small(args.count, "--count")?;
        Request::TimelineEvents(TimelineEventsRequest {
            scope,
            row: args.row,
            lane: None,
            from_ps: args.from_ps,
            to_ps: args.to_ps,
            slot,
            find: args.find,
            from: args.from,
            count,
            last: args.last,
        })
    } else {
        Request::Timeline(TimelineRequest { scope, from_ps: args.from_ps, to_ps: args.to_ps })
    };
    let session = Session::new(files);
    let answer = question(&session, &args.file, &args.output, &request)?;
    print(Some((&session, &args.file)), &answer, &args.output)
}
