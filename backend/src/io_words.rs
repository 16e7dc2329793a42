//! What the system says of a file or an address that cannot be had, in words that say what to do.
//!
//! The system's own text is kept for the rare reasons that have no words here.

use std::io::{Error, ErrorKind};
use std::net::SocketAddr;
use std::path::Path;

/// Code of an address that the server cannot listen on.
const LISTEN: &str = "serve.listen";

/// Why a file cannot be read, and what to do.
pub fn reading(path: &Path, error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound if path.is_relative() => {
            "there is no such file in the folder that the command runs in; check the name, or give \
             the whole path"
        }
        ErrorKind::NotFound => "there is no such file; check its folder and its name",
        ErrorKind::IsADirectory => "this is a folder and a file is expected; name a file in it",
        ErrorKind::NotADirectory => {
            "a part of this path is a file where a folder is expected; check the path"
        }
        ErrorKind::PermissionDenied => {
            "you have no right to read this file; ask its owner for the right, or for a copy"
        }
        // Ours: it says the limit.
        ErrorKind::FileTooLarge => return error.to_string(),
        _ => return other("read", error),
    }
    .to_owned()
}

/// Why a file cannot be written, and what to do.
pub fn writing(error: &Error) -> String {
    match error.kind() {
        ErrorKind::NotFound => {
            "its folder does not exist; make the folder, or name a file in one that exists"
        }
        ErrorKind::IsADirectory => "this is a folder and a file is expected; name a file in it",
        ErrorKind::NotADirectory => {
            "a part of this path is a file where a folder is expected; check the path"
        }
        ErrorKind::PermissionDenied => {
            "you have no right to write here; name a file in a folder of your own"
        }
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "there is no room left for it; free some, or write to another disk"
        }
        ErrorKind::ReadOnlyFilesystem => {
            "nothing can be written on this disk; name a file on another one"
        }
        _ => return other("written", error),
    }
    .to_owned()
}

/// Why the server cannot listen on an address, and what to do.
pub fn listening(address: SocketAddr, error: &Error) -> String {
    let (host, port) = (address.ip(), address.port());
    let with = |port: u16| SocketAddr::new(host, port);
    let why = match error.kind() {
        ErrorKind::AddrInUse => format!(
            "another program, maybe a neffscope that still runs, listens there; stop that one, or \
             choose another port: --listen {}, or --listen {} for any that is free",
            with(if port == u16::MAX { port - 1 } else { port + 1 }),
            with(0)
        ),
        ErrorKind::AddrNotAvailable => {
            format!(
                "this machine has no address {host}; the usual one is --listen 127.0.0.1:{port}"
            )
        }
        ErrorKind::PermissionDenied => format!(
            "you have no right to use port {port}; ports from 1024 on need none: --listen {}",
            with(7333)
        ),
        _ => format!("the system says: {error}; choose another address with --listen ADDRESS:PORT"),
    };
    format!("cannot listen on {address}: {why} [{LISTEN}]")
}

fn other(what: &str, error: &Error) -> String {
    format!("it cannot be {what}, the system says: {error}; check the disk and the path")
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    /// Numbers of the system's own errors have no place in what is said of the usual reasons.
    fn plain(text: &str) -> bool {
        !text.contains("os error")
    }

    #[test]
    fn files_that_are_not_there_are_told_plainly() {
        let gone = std::fs::read("no-such-folder/x.neff").unwrap_err();
        let text = reading(Path::new("no-such-folder/x.neff"), &gone);
        assert!(plain(&text) && text.contains("no such file") && text.contains("whole path"));
        let folder = std::fs::read(".").unwrap_err();
        let text = reading(Path::new("."), &folder);
        assert!(plain(&text) && text.contains("name a file in it"), "{text}");
        let gone = std::fs::write("no-such-folder/x.bin", b"").unwrap_err();
        let text = writing(&gone);
        assert!(plain(&text) && text.contains("make the folder"), "{text}");
        let full = writing(&Error::from(ErrorKind::StorageFull));
        assert!(plain(&full) && full.contains("no room"));
    }

    #[test]
    fn an_address_in_use_names_the_next_port() {
        let first = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let address = first.local_addr().unwrap();
        let error = std::net::TcpListener::bind(address).unwrap_err();
        let text = listening(address, &error);
        assert!(plain(&text) && text.ends_with("[serve.listen]"), "{text}");
        assert!(text.starts_with(&format!("cannot listen on {address}: another program")));
        assert!(text.contains("--listen 127.0.0.1:0 "), "{text}");
        let none = listening(address, &Error::from(ErrorKind::AddrNotAvailable));
        assert!(none.contains("this machine has no address 127.0.0.1"), "{none}");
    }

    #[test]
    fn what_has_no_words_keeps_those_of_the_system() {
        let text = reading(Path::new("x"), &Error::other("the wire is cut"));
        assert!(text.contains("the wire is cut") && text.contains("check"), "{text}");
    }
}
