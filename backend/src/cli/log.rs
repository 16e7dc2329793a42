//! Reads the text of a log from a file or from the standard input.

use super::stop::Stop;
use debug_api::log::LogLimits;
use std::io::Read;
use std::path::Path;

/// The text, as far as it is looked at; what is no UTF-8 is replaced. `-` is the standard input.
pub fn text(path: &Path) -> Result<String, Stop> {
    // One byte more than is read, so that the answer can say that something was left out.
    let limit = LogLimits::default().bytes as u64 + 1;
    let mut bytes = Vec::new();
    let read = if path.as_os_str() == "-" {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    read.map_err(|error| Stop::Io(path.to_owned(), "file.read", error))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}
