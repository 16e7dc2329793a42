//! The command line: arguments in, a document on stdout, an exit status out.
//!
//! 0 done, 1 a negative answer, 2 usage, 3 input unreadable. Errors go to stderr with their code,
//! the file and the byte offset.

mod args;
mod collectives;
mod dump;
mod dump_args;
mod kbin;
mod log;
mod memory;
mod simulate;
mod stop;
mod timeline;
mod tsync;

use crate::format;
use crate::log_text::log_text;
use crate::serve;
use crate::text;
use args::{
    AddressArgs, AddressMapArgs, BytesArgs, ImageArgs, InfoArgs, IpArgs, KbinArgs, LogArgs,
    MemoryArgs, NtffArgs, OutputArgs, PcArgs, PlaceArgs, ProfileArgs, ProfilesArgs, ScratchpadArgs,
    ServeArgs, SlotsArgs,
};
use clap::{Parser, Subcommand};
use debug_api::answer::{Answer, Finding};
use debug_api::plain::printable_lines;
use debug_api::{Limits, OpenFile, ProfileFile, Request, Scope, Session};
use dump_args::{DumpArgs, SpadArgs};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use stop::{Stop, WRITE, maybe_small, small, write_out};

/// Debugger for AWS Neuron executables: device images, PCs and sources, without a device.
#[derive(Debug, Parser)]
#[command(name = "neffscope", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// What a file is: header, digest, members, subgraphs, findings
    Info(InfoArgs),
    /// The records of one engine stream
    Slots(SlotsArgs),
    /// The device image of one engine: regions, patch rows, ranges
    Image(ImageArgs),
    /// The records that a loader makes of a subgraph, byte for byte
    Kbin(KbinArgs),
    /// What a device PC is: image slot, NEFF IP, source
    Pc(PcArgs),
    /// Where a NEFF IP went: image slots, device PCs, source
    Ip(IpArgs),
    /// What a capture holds: cores, images, patch rows, records, rings, memory
    Ntff(NtffArgs),
    /// What happened when, from the capture of a run
    Timeline(Box<timeline::TimelineArgs>),
    /// What the lines of a runtime log say, and where they lead in the file
    Log(LogArgs),
    /// What has bytes in a file, and a page of them with their structure
    Bytes(BytesArgs),
    /// What fills device memory, and whether several files fit on one core group
    Memory(MemoryArgs),
    /// Collectives of a program, ranks compared, and the program of each algorithm
    Collectives(collectives::CollectivesArgs),
    /// Counters of several engines on one time
    Tsync(tsync::TsyncArgs),
    /// The scratchpad page of a range
    Scratchpad(ScratchpadArgs),
    /// What a device address is
    Address(AddressArgs),
    /// Regions of device addresses of a generation
    AddressMap(AddressMapArgs),
    /// Control entries of collectives, bit by bit and back
    SpadCtrl(SpadArgs),
    /// A memory dump of a TOP_SP's firmware: its structs, or the text of the firmware's printer
    Dump(Box<DumpArgs>),
    /// Run the program on modelled engines, rings and host: does it end, and if not, why
    Simulate(Box<simulate::SimulateArgs>),
    /// The runtime profiles that images can be built with
    Profiles(ProfilesArgs),
    /// Serve the browser application
    Serve(ServeArgs),
}

/// Parses the arguments of the process, runs the command and returns its exit status.
pub fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => ExitCode::from(run(cli.command)),
        Err(error) if error.use_stderr() => ExitCode::from(Stop::usage(&error).report()),
        // Help and version.
        Err(error) => error.exit(),
    }
}

fn run(command: Command) -> u8 {
    match answer(command) {
        Ok(status) => status,
        Err(stop) => stop.report(),
    }
}

fn answer(command: Command) -> Result<u8, Stop> {
    match command {
        Command::Info(args) => ask(&args.file, &args.output, Request::Info { f: None, deep: true }),
        Command::Slots(args) => {
            let scope = scope(&args.place, None, None)?;
            let from = small(args.from, "--from")?;
            let count = maybe_small(args.count, "--count")?;
            ask(&args.place.file, &args.place.output, Request::Slots { scope, from, count })
        }
        Command::Image(args) => image(&args),
        Command::Kbin(args) => kbin::kbin(&args),
        Command::Pc(args) => {
            let scope = scope(&args.place, Some(&args.profile), args.base)?;
            let request = Request::Pc { scope, pc: args.pc };
            ask_with(&args.place.file, &args.profile, &args.place.output, request)
        }
        Command::Ip(args) => {
            let scope = scope(&args.place, Some(&args.profile), args.base)?;
            let ip = small(args.ip, "--ip")?;
            let request = Request::Ip { scope, ip };
            ask_with(&args.place.file, &args.profile, &args.place.output, request)
        }
        Command::Ntff(args) => ask(&args.file, &args.output, Request::Ntff { f: None }),
        Command::Log(args) => log::log(&args),
        Command::Timeline(args) => timeline::timeline(*args),
        Command::Bytes(args) => bytes(args),
        Command::Memory(args) => memory::memory(args),
        Command::Collectives(args) => collectives::collectives(args),
        Command::Tsync(args) => tsync::tsync(args),
        Command::Scratchpad(args) => memory::scratchpad(&args),
        Command::AddressMap(args) => memory::address_map(&args),
        Command::Address(args) => memory::address(args),
        Command::Profiles(args) => {
            let none = Path::new("profiles");
            let own = args.profile.as_deref().map(open_profile).transpose()?;
            let session = Session::new(own.into_iter().map(Arc::new).collect());
            let answer = question(&session, none, &args.output, &Request::Profiles {})?;
            print(None, &answer, &args.output)
        }
        Command::SpadCtrl(args) => dump::spad_ctrl(args),
        Command::Dump(args) => dump::dump(*args),
        Command::Simulate(args) => simulate::simulate(*args),
        Command::Serve(args) => serve_command(args),
    }
}

fn read(path: &Path, most: u64) -> Result<Vec<u8>, Stop> {
    serve::read_file(path, most).map_err(|error| {
        let large = error.kind() == std::io::ErrorKind::FileTooLarge;
        Stop::Io(path.to_owned(), if large { "limit.upload" } else { "file.read" }, error)
    })
}

fn open_file(path: &Path) -> Result<Arc<OpenFile>, Stop> {
    open_called(path, &format::display_name(path))
}

/// Several files, each called so that those of one name are told apart.
fn open_all(paths: &[PathBuf]) -> Result<Vec<Arc<OpenFile>>, Stop> {
    let names = format::display_names(paths);
    paths.iter().zip(names).map(|(path, name)| open_called(path, &name)).collect()
}

fn open_called(path: &Path, name: &str) -> Result<Arc<OpenFile>, Stop> {
    let limits = Limits::default();
    let bytes = read(path, limits.upload_bytes)?;
    let file = OpenFile::open(name, bytes, &limits);
    file.map(Arc::new).map_err(|error| Stop::File(path.to_owned(), error))
}

/// A profile file. One with a mistake ends the command, since it was asked for by name.
fn open_profile(path: &Path) -> Result<OpenFile, Stop> {
    let stop = |error| Stop::File(path.to_owned(), error);
    let bytes = read(path, Limits::default().upload_bytes)?;
    let file = ProfileFile::open(&format::display_name(path), &bytes).map_err(stop)?;
    file.profile().map_err(stop)?;
    Ok(OpenFile::Profile(file))
}

/// An executable with the capture of a run and the profile file that the arguments may name, and the
/// name by which questions mean the profile.
fn open_with(path: &Path, with: &ProfileArgs) -> Result<(Session, Option<String>), Stop> {
    open_beside(vec![open_file(path)?], with, None)
}

/// The same for several executables, with another capture behind the first one.
fn open_beside(
    mut files: Vec<Arc<OpenFile>>,
    with: &ProfileArgs,
    capture: Option<&Path>,
) -> Result<(Session, Option<String>), Stop> {
    for ntff in with.ntff.as_deref().into_iter().chain(capture) {
        files.push(open_file(ntff)?);
    }
    let mut name = with.profile.clone();
    if let Some(stop) = name.as_deref().and_then(path_hint) {
        return Err(stop);
    }
    if let Some(own) = with.profile.as_deref().map(Path::new).filter(|own| is_profile_path(own)) {
        let file = open_profile(own)?;
        name = Some(file.name().to_owned());
        files.push(Arc::new(file));
    }
    Ok((Session::new(files), name))
}

/// Something that looks like a path but is not read as one.
fn path_hint(name: &str) -> Option<Stop> {
    let looks = name.contains(['/', '\\']) || Path::new(name).exists();
    (looks && !is_profile_path(Path::new(name))).then(|| {
        Stop::Usage(format!(
            "--profile {name} is read as a name, since a path to a profile ends in .toml: rename the \
             file, or see `neffscope profiles` for the names"
        ))
    })
}

fn is_profile_path(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("toml"))
}

fn ask_with(
    path: &Path,
    with: &ProfileArgs,
    output: &OutputArgs,
    mut request: Request,
) -> Result<u8, Stop> {
    let (session, profile) = open_with(path, with)?;
    if let Some(scope) = request.scope_mut() {
        scope.profile = profile;
    }
    let answer = question(&session, path, output, &request)?;
    print(Some((&session, path)), &answer, output)
}

fn ask(path: &Path, output: &OutputArgs, request: Request) -> Result<u8, Stop> {
    let session = Session::new(vec![open_file(path)?]);
    let answer = question(&session, path, output, &request)?;
    print(Some((&session, path)), &answer, output)
}

fn question(
    session: &Session,
    path: &Path,
    output: &OutputArgs,
    request: &Request,
) -> Result<Answer, Stop> {
    session.ask(request).map_err(|error| Stop::Question(path.to_owned(), error, output.json))
}

/// Without a choice, the list of what has bytes.
fn bytes(args: BytesArgs) -> Result<u8, Stop> {
    let scope = args.loader.choose(scope(&args.place, Some(&args.profile), None)?);
    let named = [
        ("member", args.member),
        ("record", args.record),
        ("kbin", args.kbin),
        ("capture", args.part),
        ("gzip", args.gzip),
    ];
    let named = named.into_iter().find_map(|(of, name)| Some((of, Some(name?))));
    let alone = [
        ("header", args.header),
        ("tar", args.tar),
        ("stream", args.stream),
        ("image", args.image),
    ];
    let alone = alone.into_iter().find_map(|(of, chosen)| chosen.then_some((of, None)));
    let request = match named.or(alone) {
        None => Request::Members { scope, from: 0, count: None, find: None },
        Some((of, name)) => Request::Bytes {
            scope,
            of: of.to_owned(),
            name,
            from: args.from,
            count: Some(u32::try_from(args.count).unwrap_or(u32::MAX)),
            at: None,
        },
    };
    ask_with(&args.place.file, &args.profile, &args.place.output, request)
}

fn image(args: &ImageArgs) -> Result<u8, Stop> {
    let mut scope = scope(&args.place, Some(&args.profile), None)?;
    let (path, output) = (&args.place.file, &args.place.output);
    let (session, profile) = open_with(path, &args.profile)?;
    scope.profile = profile;
    let request = match &args.record {
        Some(name) => Request::Record { scope: scope.clone(), name: name.clone() },
        None if args.records => {
            Request::Records { scope: scope.clone(), from: 0, count: None, find: None }
        }
        None => Request::Image { scope: scope.clone() },
    };
    let answer = question(&session, path, output, &request)?;
    if let Some(out) = &args.bytes {
        let bytes = match &args.record {
            Some(name) => session.record_bytes(&scope, name),
            None => session.image_bytes(&scope),
        };
        let bytes = bytes.map_err(|error| Stop::Question(path.clone(), error, output.json))?;
        std::fs::write(out, bytes).map_err(|error| Stop::Io(out.clone(), WRITE, error))?;
    }
    print(Some((&session, path)), &answer, output)
}

/// Prints an answer and gives the exit status. With `--strict` an error among all findings of the
/// file, or of the answer itself, makes it 1.
fn print(
    asked: Option<(&Session, &Path)>,
    answer: &Answer,
    output: &OutputArgs,
) -> Result<u8, Stop> {
    let body = if output.json {
        serde_json::to_string_pretty(answer).map_err(|error| Stop::Other(error.into()))?
    } else if let Answer::Log(log) = answer {
        log_text(log, false)
    } else {
        text::human(answer)
    };
    // JSON is data; text goes to a terminal, and nothing in it may steer that.
    write_out(&if output.json { body.into() } else { printable_lines(&body) })?;
    failed(asked, answer, output)
}

/// The exit status of an answer that was printed.
fn failed(
    asked: Option<(&Session, &Path)>,
    answer: &Answer,
    output: &OutputArgs,
) -> Result<u8, Stop> {
    let mut failed = text::is_negative(answer);
    if output.strict {
        failed |= text::findings(answer).iter().any(is_error);
        if let Some((session, path)) = asked {
            let info = Request::Info { f: None, deep: true };
            let info = question(session, path, output, &info)?;
            failed |= text::findings(&info).iter().any(is_error);
            // Of an executable's companions only a capture has findings of its own.
            if session.files().iter().any(|file| file.as_ntff().is_some()) {
                let capture = question(session, path, output, &Request::Ntff { f: None })?;
                failed |= text::findings(&capture).iter().any(is_error);
            }
        }
    }
    Ok(u8::from(failed))
}

fn is_error(finding: &Finding) -> bool {
    finding.severity == "error"
}

fn serve_command(args: ServeArgs) -> Result<u8, Stop> {
    if !args.listen.ip().is_loopback() && args.token.as_deref().unwrap_or("").is_empty() {
        return Err(Stop::Usage(format!(
            "--listen {} is reachable from other machines, so uploads need a token: add --token TOKEN",
            args.listen
        )));
    }
    let mut limits = Limits::default();
    limits.upload_bytes = args.limit_upload.unwrap_or(limits.upload_bytes);
    limits.inflated_bytes = args.limit_inflated.unwrap_or(limits.inflated_bytes);
    limits.ratio = args.limit_ratio.unwrap_or(limits.ratio);
    let options = serve::Options {
        files: args.files,
        listen: args.listen,
        token: args.token.filter(|token| !token.is_empty()),
        hosts: args.hosts,
        limits,
    };
    serve::run(options).map_err(Stop::Other)?;
    Ok(0)
}

fn scope(
    place: &PlaceArgs,
    profile: Option<&ProfileArgs>,
    base: Option<String>,
) -> Result<Scope, Stop> {
    let core = maybe_small(profile.and_then(|profile| profile.core), "--core")?;
    Ok(Scope {
        f: None,
        s: place.s.clone(),
        e: place.e.clone(),
        profile: profile.and_then(|profile| profile.profile.clone()),
        core,
        base,
        // The capture is the second file of the session.
        ntff: profile.and_then(|profile| profile.ntff.as_ref()).map(|_| 1),
        modelled: profile.is_some_and(|profile| profile.modelled),
        device: None,
        library: None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
