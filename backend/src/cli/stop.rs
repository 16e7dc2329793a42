//! How a command ends without an answer: a message on stderr and an exit status.

use crate::{format, io_words};
use debug_api::{ApiError, ErrorKind};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Why a command ended without an answer.
pub enum Stop {
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

/// Code of what cannot be written.
pub const WRITE: &str = "file.write";

/// Codes of answers that are negative rather than wrongly asked: the place is not there.
const NEGATIVE: [&str; 3] = ["ip.outside", "slot.outside", "subgraph.none"];

impl Stop {
    /// Wrong arguments, in the words of their parser: the sentence, then what it suggests.
    pub fn usage(error: &clap::Error) -> Self {
        let text = error.to_string();
        let mut parts = text.split("\n\n").map(str::trim).filter(|part| !part.is_empty());
        let first = parts.next().unwrap_or_default();
        let first = first.strip_prefix("error: ").unwrap_or(first);
        let one_line = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut message = one_line(first);
        for part in parts {
            message.push_str("; ");
            message.push_str(&one_line(part));
        }
        Self::Usage(message)
    }

    /// Says why on stderr and gives the exit status.
    pub fn report(self) -> u8 {
        let (message, status) = match self {
            Self::Usage(message) => (format!("{message} [request.invalid]"), 2),
            Self::Io(path, code, error) => {
                let why = match code {
                    WRITE => io_words::writing(&error),
                    _ => io_words::reading(&path, &error),
                };
                let name = match path.to_str() {
                    Some("-") => "the standard input".to_owned(),
                    _ => path.display().to_string(),
                };
                (format!("{name}: {why} [{code}]"), 3)
            }
            Self::File(path, error) => (about(&path, error), 3),
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
                (about(&path, error), status)
            }
            Self::Other(error) => (format!("{error:#}"), 3),
        };
        complain(&format::clean(&message));
        status
    }
}

/// An error after the file that it is about, which is then not named again as its place.
fn about(path: &Path, mut error: ApiError) -> String {
    let own = path.file_name().map(|name| name.to_string_lossy().into_owned());
    if error.at.member.is_some() && error.at.member == own {
        error.at.member = None;
    }
    format!("{}: {error}", path.display())
}

/// A value that an answer counts with 32 bits.
pub fn small(value: u64, what: &str) -> Result<u32, Stop> {
    u32::try_from(value).map_err(|_| {
        Stop::Usage(format!("{what} {value} is too large: a number up to {} is expected", u32::MAX))
    })
}

/// One that may be left out.
pub fn maybe_small(value: Option<u64>, what: &str) -> Result<Option<u32>, Stop> {
    value.map(|value| small(value, what)).transpose()
}

#[expect(clippy::print_stderr, reason = "errors of a command go to stderr")]
fn complain(message: &str) {
    eprintln!("neffscope: {message}");
}

/// Writes a document and a line end. A closed pipe (`| head`) is no failure of ours.
pub fn write_out(body: &str) -> Result<(), Stop> {
    let written = writeln!(std::io::stdout().lock(), "{}", body.trim_end());
    match written {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(Stop::Io(PathBuf::from("stdout"), WRITE, error))
        }
        _ => Ok(()),
    }
}
