//! The command `timeline`: what happened when, from the capture of a run or from the simulator.

use super::args::{OutputArgs, number};
use super::stop::{Stop, WRITE, maybe_small};
use super::{open_file, print, question};
use clap::Args;
use debug_api::{
    ExportFormat, ExportRequest, Request, Scope, Session, SimulateRequest, TimelineEventsRequest,
    TimelineRequest, TimelineStateRequest,
};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

/// Files that a timeline is written to.
#[derive(Debug, Args)]
pub struct WrittenArgs {
    /// Write the events in Perfetto's form, for ui.perfetto.dev
    #[arg(long, value_name = "OUT")]
    pub perfetto: Option<PathBuf>,
    /// Write the events as Trace Event JSON
    #[arg(long, value_name = "OUT")]
    pub trace_json: Option<PathBuf>,
    /// Write the events as rows of comma-separated text
    #[arg(long, value_name = "OUT")]
    pub csv: Option<PathBuf>,
    /// Address of the views that written events link to, such as http://host:port/f/ID
    #[arg(long, value_name = "URL")]
    pub link: Option<String>,
}

#[derive(Debug, Args)]
pub struct TimelineArgs {
    /// NTFF file, or a NEFF file, with --ntff or to be simulated
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
    /// Tell what everything was doing at this picosecond: the record of each engine, semaphores, queues
    #[arg(long, value_name = "PS", value_parser = number, conflicts_with_all = ["events", "from_ps", "to_ps"])]
    pub at_ps: Option<u64>,
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
    /// With each event what it depends on and what depends on it; for at most 16 events (--count)
    #[arg(long, requires = "events")]
    pub links: bool,
    /// Show a run of the simulator instead of a capture; so it is for a NEFF file alone. `simulate`
    /// writes runs with other choices
    #[arg(long, conflicts_with = "ntff")]
    pub run: bool,
    #[command(flatten)]
    pub written: WrittenArgs,
    #[command(flatten)]
    pub output: OutputArgs,
}

/// Runs the command and gives the exit status.
pub fn timeline(args: TimelineArgs) -> Result<u8, Stop> {
    let mut files = vec![open_file(&args.file)?];
    if let Some(path) = &args.ntff {
        files.push(open_file(path)?);
    }
    let runs = args.run || (args.ntff.is_none() && files.iter().all(|one| one.as_neff().is_some()));
    let run = runs.then(Box::default);
    let scope = Scope { s: args.s, ntff: args.ntff.as_ref().map(|_| 1), ..Scope::default() };
    let own = scope.clone();
    let request = if args.events {
        let slot = maybe_small(args.slot, "--slot")?;
        let count = maybe_small(args.count, "--count")?;
        Request::TimelineEvents(TimelineEventsRequest {
            scope,
            run: run.clone(),
            row: args.row,
            lane: None,
            from_ps: args.from_ps,
            to_ps: args.to_ps,
            slot,
            find: args.find,
            from: args.from,
            count,
            last: args.last,
            links: args.links,
        })
    } else if let Some(at_ps) = args.at_ps {
        Request::TimelineState(TimelineStateRequest { scope, run: run.clone(), at_ps })
    } else {
        Request::Timeline(TimelineRequest {
            scope,
            run: run.clone(),
            from_ps: args.from_ps,
            to_ps: args.to_ps,
        })
    };
    let session = Session::new(files);
    args.written.write(&session, &args.file, &own, run.as_deref(), args.output.json)?;
    let answer = question(&session, &args.file, &args.output, &request)?;
    print(Some((&session, &args.file)), &answer, &args.output)
}

impl WrittenArgs {
    /// Writes the files that were asked for.
    pub fn write(
        &self,
        session: &Session,
        about: &Path,
        scope: &Scope,
        run: Option<&SimulateRequest>,
        json: bool,
    ) -> Result<(), Stop> {
        let written = [
            (ExportFormat::Perfetto, &self.perfetto),
            (ExportFormat::TraceEvent, &self.trace_json),
            (ExportFormat::Csv, &self.csv),
        ];
        for (format, out) in written {
            let Some(out) = out else { continue };
            let link = self.link.as_deref().map(|link| link.trim_end_matches('/').to_owned());
            let format = format.name().to_owned();
            let run = run.cloned().map(Box::new);
            let export = ExportRequest { scope: scope.clone(), run, format, link };
            write_export(session, about, &export, out, json)?;
        }
        Ok(())
    }
}

/// Writes an export to a file. A file that could not be written whole is removed.
fn write_export(
    session: &Session,
    about: &Path,
    request: &ExportRequest,
    out: &Path,
    json: bool,
) -> Result<(), Stop> {
    let failed = |error| Stop::Io(out.to_path_buf(), WRITE, error);
    let mut file = BufWriter::new(File::create(out).map_err(failed)?);
    let done = session.export(request, &mut file);
    if let Err(error) = done {
        drop(file);
        // Half a file would be taken for a whole one.
        drop(std::fs::remove_file(out));
        return Err(Stop::Question(about.to_path_buf(), error, json));
    }
    file.flush().map_err(failed)
}
