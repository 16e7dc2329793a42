//! What the files of a session are called where several have one name.

use crate::convert::hex_bytes;
use crate::dump_file::DumpFile;
use crate::file::OpenFile;
use crate::neff_file::NeffFile;
use crate::ntff_file::NtffFile;
use sha2::{Digest, Sha256};
use std::sync::Arc;

/// Hex digits of a digest that tell files apart.
const DIGITS: usize = 8;

/// The name of each file, followed by the beginning of its digest where another file has the same
/// name, and by its place in the list where even that is the same.
pub fn labels(files: &[Arc<OpenFile>]) -> Vec<String> {
    let named = |name: &str| files.iter().filter(|file| file.name() == name).count();
    let mut labels: Vec<String> = Vec::with_capacity(files.len());
    for (at, file) in files.iter().enumerate() {
        let name = file.name();
        let mut label = name.to_owned();
        if named(name) > 1 {
            label = format!("{name} ({})", digest(file));
            if labels.contains(&label) {
                label = format!("{name} ({}, file {})", digest(file), at + 1);
            }
        }
        labels.push(label);
    }
    labels
}

/// The label of one file of a session.
pub fn label(files: &[Arc<OpenFile>], at: usize) -> String {
    labels(files).into_iter().nth(at).unwrap_or_default()
}

/// What an executable of a session is called.
pub fn of_neff(files: &[Arc<OpenFile>], one: &NeffFile) -> String {
    let is = |file: &OpenFile| file.as_neff().is_some_and(|file| std::ptr::eq(file, one));
    of(files, is, one.name())
}

/// What a capture of a session is called.
pub fn of_ntff(files: &[Arc<OpenFile>], one: &NtffFile) -> String {
    let is = |file: &OpenFile| file.as_ntff().is_some_and(|file| std::ptr::eq(file, one));
    of(files, is, one.name())
}

/// What a dump of a session is called.
pub fn of_dump(files: &[Arc<OpenFile>], one: &DumpFile) -> String {
    let is = |file: &OpenFile| file.as_dump().is_some_and(|file| std::ptr::eq(file, one));
    of(files, is, one.name())
}

fn of(files: &[Arc<OpenFile>], is: impl Fn(&OpenFile) -> bool, name: &str) -> String {
    let named = files.iter().filter(|file| file.name() == name).count();
    let at = files.iter().position(|file| is(file));
    match at.filter(|_| named > 1) {
        Some(at) => label(files, at),
        None => name.to_owned(),
    }
}

/// The beginning of the digest of a file's content: of an executable the one that its header has, as
/// the other views show it.
fn digest(file: &OpenFile) -> String {
    let all = match file {
        OpenFile::Neff(neff) => hex_bytes(&neff.package().digest().stored),
        OpenFile::Ntff(ntff) => hex_bytes(&Sha256::digest(ntff.capture().file())),
        OpenFile::Profile(profile) => profile.key().to_owned(),
        OpenFile::Dump(dump) => hex_bytes(&Sha256::digest(dump.bytes())),
        OpenFile::Source(source) => hex_bytes(&Sha256::digest(source.text().as_bytes())),
    };
    all.chars().take(DIGITS).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use neff::Limits;

    fn dump(name: &str, bytes: &[u8]) -> Arc<OpenFile> {
        Arc::new(OpenFile::open(name, bytes.to_vec(), &Limits::default()).unwrap())
    }

    /// SHA-256 of `abc` begins with ba7816bf, of the empty text with e3b0c442 (FIPS 180-2).
    #[test]
    fn equal_names_are_told_apart() {
        let files = [dump("a.dump", b"abc"), dump("b.dump", b"abc"), dump("a.dump", b"")];
        assert_eq!(labels(&files), ["a.dump (ba7816bf)", "b.dump", "a.dump (e3b0c442)"]);
        let twice = [dump("a.dump", b"abc"), dump("a.dump", b"abc"), dump("a.dump", b"abc")];
        assert_eq!(
            labels(&twice),
            ["a.dump (ba7816bf)", "a.dump (ba7816bf, file 2)", "a.dump (ba7816bf, file 3)"]
        );
        assert_eq!(label(&files, 1), "b.dump");
        let called = |at: usize| of_dump(&files, files[at].as_dump().unwrap());
        assert_eq!([called(1), called(2)], ["b.dump", "a.dump (e3b0c442)"]);
        assert_eq!(labels(&files[..2]), ["a.dump", "b.dump"]);
    }
}
