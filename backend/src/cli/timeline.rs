//! The command `timeline`: what happened when, from the capture of a run.

use super::args::{OutputArgs, number};
use super::stop::{Stop, WRITE, maybe_small};
use super::{open_file, print, question};
use clap::Args;
use debug_api::{
    ExportFormat, ExportRequest, Request, Scope, Session, TimelineEventsRequest, TimelineRequest,
};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

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
    let written = [
        (ExportFormat::Perfetto, args.perfetto),
        (ExportFormat::TraceEvent, args.trace_json),
        (ExportFormat::Csv, args.csv),
    ];
    let exports = written.into_iter().filter_map(|(format, out)| Some((format, out?)));
    let own = scope.clone();
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
    for (format, out) in exports {
        let link = args.link.as_deref().map(|link| link.trim_end_matches('/').to_owned());
        let export = ExportRequest { scope: own.clone(), format: format.name().to_owned(), link };
        write_export(&session, &args.file, &export, &out, args.output.json)?;
    }
    let answer = question(&session, &args.file, &args.output, &request)?;
    print(Some((&session, &args.file)), &answer, &args.output)
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
