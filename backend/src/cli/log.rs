//! The command `log`: the text of a log from a file or from the standard input, and its lines.

use super::args::LogArgs;
use super::stop::Stop;
use super::{open_with, print, question, scope};
use crate::log_text::log_text;
use debug_api::answer::{Answer, LogAnswer};
use debug_api::file::kind_of;
use debug_api::log::LogLimits;
use debug_api::{ApiError, ErrorKind, FileKind, Request};
use std::io::Read;
use std::path::Path;

/// Code of what is no text.
const BINARY: &str = "log.binary";

/// Runs the command and gives the exit status. What is no text at all is an input that cannot be
/// read; an empty text is answered, since nothing is wrong with a filter that lets nothing through.
pub fn log(args: &LogArgs) -> Result<u8, Stop> {
    let bytes = bytes(&args.log)?;
    let text = String::from_utf8_lossy(&bytes).into_owned();
    let (path, output) = (&args.place.file, &args.place.output);
    let mut scope = scope(&args.place, Some(&args.profile), args.base.clone())?;
    let (session, profile) = open_with(path, &args.profile)?;
    scope.profile = profile;
    let answer = question(&session, path, output, &Request::Log { scope, text })?;
    if let Answer::Log(log) = &answer
        && let Some(message) = no_text(log, &args.log, &bytes)
    {
        let error = ApiError::new(ErrorKind::Undecodable, BINARY, message);
        return Err(Stop::File(args.log.clone(), error));
    }
    if let (Answer::Log(log), true, false) = (&answer, args.all, output.json) {
        super::stop::write_out(&debug_api::plain::printable_lines(&log_text(log, true)))?;
        return super::failed(Some((&session, path)), &answer, output);
    }
    print(Some((&session, path)), &answer, output)
}

/// Why what was given is no log, in the words of the command line.
fn no_text(log: &LogAnswer, path: &Path, bytes: &[u8]) -> Option<String> {
    let found = log.diagnostics.iter().find(|finding| finding.code == BINARY)?;
    let kind = match kind_of(&crate::format::display_name(path), bytes) {
        Some(FileKind::Neff) => "a NEFF",
        Some(FileKind::Ntff) => "a capture (NTFF)",
        _ => return Some(found.message.clone()),
    };
    Some(format!(
        "this is {kind} and the text of a log is expected: `neffscope log NEFF LOG` takes the \
         executable first and the log second, or `-` for the standard input"
    ))
}

/// The bytes, as far as they are looked at. `-` is the standard input.
fn bytes(path: &Path) -> Result<Vec<u8>, Stop> {
    // One byte more than is read, so that the answer can say that something was left out.
    let limit = LogLimits::default().bytes as u64 + 1;
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.map_err(|error| Stop::Io(path.to_owned(), "file.read", error))?;
    Ok(bytes)
}
