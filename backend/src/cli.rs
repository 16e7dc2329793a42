//! The command line: arguments in, a document on stdout, an exit status out.
//!
//! 0 done, 1 a negative answer, 2 usage, 3 input unreadable. Errors go to stderr with their code,
//! the file and the byte offset.

use crate::format;
use crate::serve;
use crate::text;
use clap::{Args, Parser, Subcommand};
use debug_api::answer::{Answer, Finding};
use debug_api::{ApiError, ErrorKind, Limits, Request, Scope, Session};
use std::io::Write;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

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
    /// What a device PC is: image slot, NEFF IP, source
    Pc(PcArgs),
    /// Where a NEFF IP went: image slots, device PCs, source
    Ip(IpArgs),
    /// The runtime profiles that images can be built with
    Profiles(OutputArgs),
    /// Serve the browser application
    Serve(ServeArgs),
}

#[derive(Debug, Args)]
struct OutputArgs {
    /// Print one JSON document
    #[arg(long)]
    json: bool,
    /// Exit with status 1 if there is an error among the findings
    #[arg(long)]
    strict: bool,
}

#[derive(Debug, Args)]
struct InfoArgs {
    /// NEFF file
    file: PathBuf,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct PlaceArgs {
    /// NEFF file
    file: PathBuf,
    /// Subgraph, by name or 0-based index (default: the first)
    #[arg(short = 's', long = "subgraph", value_name = "SUBGRAPH")]
    s: Option<String>,
    /// Engine: PE ACT POOL DVE SP, in any case (default: PE)
    #[arg(short = 'e', long = "engine", value_name = "ENGINE")]
    e: Option<String>,
    #[command(flatten)]
    output: OutputArgs,
}

#[derive(Debug, Args)]
struct SlotsArgs {
    #[command(flatten)]
    place: PlaceArgs,
    /// First 0-based slot
    #[arg(long, default_value = "0", value_parser = number)]
    from: u64,
    /// Number of slots (default: all that follow)
    #[arg(long, value_parser = number)]
    count: Option<u64>,
}

#[derive(Debug, Args)]
struct ProfileArgs {
    /// Runtime profile (default: by target; see `neffscope profiles`)
    #[arg(long)]
    profile: Option<String>,
    /// Physical core of the subgraph
    #[arg(long, value_parser = number)]
    core: Option<u64>,
}

#[derive(Debug, Args)]
struct ImageArgs {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    profile: ProfileArgs,
    /// Write the image's bytes to this file
    #[arg(long, value_name = "OUT")]
    bytes: Option<PathBuf>,
}

#[derive(Debug, Args)]
struct PcArgs {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    profile: ProfileArgs,
    /// Device PC
    #[arg(long, value_name = "ADDR")]
    pc: String,
    /// Device base of the engine's image (default: a modelled placement)
    #[arg(long, value_name = "ADDR")]
    base: Option<String>,
}

#[derive(Debug, Args)]
struct IpArgs {
    #[command(flatten)]
    place: PlaceArgs,
    #[command(flatten)]
    profile: ProfileArgs,
    /// 1-based NEFF IP
    #[arg(long, value_name = "N", value_parser = number)]
    ip: u64,
    /// Device base of the engine's image (default: a modelled placement)
    #[arg(long, value_name = "ADDR")]
    base: Option<String>,
}

#[derive(Debug, Args)]
#[command(after_help = limits_help())]
struct ServeArgs {
    /// NEFF files to open at the start
    files: Vec<PathBuf>,
    /// Address to listen on; anything but loopback needs a token
    #[arg(long, default_value_t = SocketAddr::new(IpAddr::V4(Ipv4Addr::LOCALHOST), 7333))]
    listen: SocketAddr,
    /// Token that uploads must bear
    #[arg(long, env = "NEFFSCOPE_TOKEN", hide_env_values = true)]
    token: Option<String>,
    /// Host name to answer under, beside loopback (repeatable)
    #[arg(long = "allow-host", value_name = "NAME")]
    hosts: Vec<String>,
    /// Most bytes of a file
    #[arg(long, value_parser = number)]
    limit_upload: Option<u64>,
    /// Most bytes that a file may inflate to
    #[arg(long, value_parser = number)]
    limit_inflated: Option<u64>,
    /// Most inflated bytes per stored byte
    #[arg(long, value_parser = number)]
    limit_ratio: Option<u64>,
}

/// Parses the arguments of the process, runs the command and returns its exit status.
pub fn main() -> ExitCode {
    // clap prints usage errors itself and leaves with status 2.
    let cli = Cli::parse();
    ExitCode::from(run(cli.command))
}

fn run(command: Command) -> u8 {
    match answer(command) {
        Ok(status) => status,
        Err(stop) => stop.report(),
    }
}

fn answer(command: Command) -> Result<u8, Stop> {
    let below = |what: &str| Stop::Usage(format!("{what} is below 2^32"));
    match command {
        Command::Info(args) => ask(&args.file, &args.output, Request::Info { f: None, deep: true }),
        Command::Slots(args) => {
            let scope = scope(&args.place, None, None)?;
            let from = u32::try_from(args.from).map_err(|_| below("--from"))?;
            let count = args.count.map(u32::try_from).transpose().map_err(|_| below("--count"))?;
            ask(&args.place.file, &args.place.output, Request::Slots { scope, from, count })
        }
        Command::Image(args) => image(&args),
        Command::Pc(args) => {
            let scope = scope(&args.place, Some(&args.profile), args.base)?;
            ask(&args.place.file, &args.place.output, Request::Pc { scope, pc: args.pc })
        }
        Command::Ip(args) => {
            let scope = scope(&args.place, Some(&args.profile), args.base)?;
            let ip = u32::try_from(args.ip).map_err(|_| below("--ip"))?;
            ask(&args.place.file, &args.place.output, Request::Ip { scope, ip })
        }
        Command::Profiles(output) => {
            let none = Path::new("profiles");
            let session = Session::new(Vec::new());
            let answer = question(&session, none, &output, &Request::Profiles {})?;
            print(None, &answer, &output)
        }
        Command::Serve(args) => serve_command(args),
    }
}

/// Why a command ended without an answer.
enum Stop {
    /// The arguments are wrong.
    Usage(String),
    /// A file cannot be read or written; the code says which.
    Io(PathBuf, &'static str, std::io::Error),
    /// The file cannot be opened.
    File(PathBuf, ApiError),
    /// The question about the file has no answer.
    Question(PathBuf, ApiError, bool),
    /// Anything else.
    Other(anyhow::Error),
}

/// Codes of answers that are negative rather than wrongly asked: the place is not there.
const NEGATIVE: [&str; 3] = ["ip.outside", "slot.outside", "subgraph.none"];

impl Stop {
    fn report(self) -> u8 {
        let (message, status) = match self {
            Self::Usage(message) => (format!("{message} [request.invalid]"), 2),
            Self::Io(path, code, error) => (format!("{}: {error} [{code}]", path.display()), 3),
            Self::File(path, error) => (format!("{}: {error}", path.display()), 3),
            Self::Question(path, error, json) => {
                let negative = NEGATIVE.contains(&error.code);
                if json && negative {
                    // Nothing more can be done about a closed pipe here.
                    let _ = write_out(&error.to_json());
                }
                let status = match error.kind {
                    _ if negative => 1,
                    ErrorKind::BadRequest | ErrorKind::NotFound => 2,
                    _ => 3,
                };
                (format!("{}: {error}", path.display()), status)
            }
            Self::Other(error) => (format!("{error:#}"), 3),
        };
        complain(&text::printable(&message));
        status
    }
}

#[expect(clippy::print_stderr, reason = "errors of a command go to stderr")]
fn complain(message: &str) {
    eprintln!("neffscope: {message}");
}

/// Writes a document and a line end. A closed pipe (`| head`) is no failure of ours.
fn write_out(body: &str) -> Result<(), Stop> {
    let written = writeln!(std::io::stdout().lock(), "{}", body.trim_end());
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Stop::Io(PathBuf::from("stdout"), "file.write", error))
        }
        _ => Ok(()),
    }
}

fn open(path: &Path) -> Result<Session, Stop> {
    let limits = Limits::default();
    let bytes = serve::read_file(path, limits.upload_bytes).map_err(|error| {
        let large = error.kind() == std::io::ErrorKind::FileTooLarge;
        Stop::Io(path.to_owned(), if large { "limit.upload" } else { "file.read" }, error)
    })?;
    Session::open(&format::display_name(path), bytes, &limits)
        .map_err(|error| Stop::File(path.to_owned(), error))
}

fn ask(path: &Path, output: &OutputArgs, request: Request) -> Result<u8, Stop> {
    let session = open(path)?;
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

fn image(args: &ImageArgs) -> Result<u8, Stop> {
    let scope = scope(&args.place, Some(&args.profile), None)?;
    let (path, output) = (&args.place.file, &args.place.output);
    let session = open(path)?;
    let answer = question(&session, path, output, &Request::Image { scope: scope.clone() })?;
    if let Some(out) = &args.bytes {
        let bytes = session
            .image_bytes(&scope)
            .map_err(|error| Stop::Question(path.clone(), error, output.json))?;
        std::fs::write(out, bytes).map_err(|error| Stop::Io(out.clone(), "file.write", error))?;
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
    } else {
        text::human(answer)
    };
    write_out(&body)?;
    let mut failed = text::is_negative(answer);
    if output.strict {
        failed |= text::findings(answer).iter().any(is_error);
        if let Some((session, path)) = asked {
            let info = Request::Info { f: None, deep: true };
            let info = question(session, path, output, &info)?;
            failed |= text::findings(&info).iter().any(is_error);
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
    let core = profile.and_then(|profile| profile.core).map(u32::try_from).transpose();
    let core = core.map_err(|_| Stop::Usage("--core is below 2^32".to_owned()))?;
    Ok(Scope {
        f: None,
        s: place.s.clone(),
        e: place.e.clone(),
        profile: profile.and_then(|profile| profile.profile.clone()),
        core,
        base,
    })
}

/// A decimal or `0x` number.
fn number(text: &str) -> Result<u64, String> {
    let parsed = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => u64::from_str_radix(hex, 16),
        None => text.parse(),
    };
    parsed.map_err(|error| error.to_string())
}

fn limits_help() -> String {
    let limits = Limits::default();
    format!(
        "Limits (defaults):\n  --limit-upload {} bytes\n  --limit-inflated {} bytes\n  \
         --limit-ratio {} inflated bytes per stored byte, once {} are out\n  \
         {} members, {} bytes a member name, JSON depth {}",
        limits.upload_bytes,
        limits.inflated_bytes,
        limits.ratio,
        limits.ratio_from_bytes,
        limits.members,
        limits.member_name_bytes,
        limits.json_depth
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_decimal_or_hex() {
        assert_eq!(number("0x40"), Ok(64));
        assert_eq!(number("64"), Ok(64));
        assert!(number("0x").is_err());
        assert!(number("-1").is_err());
    }

    #[test]
    fn arguments_are_consistent() {
        use clap::CommandFactory;
        Cli::command().debug_assert();
    }
}
