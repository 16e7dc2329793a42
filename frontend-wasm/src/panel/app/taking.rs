//! Files that the worker of this page reads together: a bad one keeps no good one out.

use crate::layout::json::read_json;
use crate::layout::refused;
use crate::layout::state::{About, Notice};
use crate::panel::transport::{Fail, Local, Transport};
use debug_api::answer::{FilesAnswer, InfoAnswer};
use debug_api::{FileKind, Request};
use std::rc::Rc;
use web_sys::{AbortSignal, File};

/// What became of files that were opened together.
#[derive(Clone, Default)]
pub struct Took {
    /// Names of those that are open.
    pub names: Vec<String>,
    /// Banners of the others.
    pub refused: Vec<Notice>,
}

impl Took {
    /// Takes note of a file that cannot be opened.
    ///
    /// # Errors
    /// The failure itself where it is none of the file: then no other file can be opened either.
    pub fn refuse(&mut self, name: &str, fail: Fail) -> Result<(), Fail> {
        if fail.aborted || fail.code.starts_with("page.") {
            return Err(fail);
        }
        self.refused.push(refused::banner(name, fail.notice(About::Open)));
        Ok(())
    }

    /// The name of the last open file of a kind.
    pub fn last(&self, kind: FileKind) -> Option<&String> {
        self.names.iter().rfind(|name| FileKind::beside(name) == Some(kind))
    }
}

/// Gives files to the worker, in order; `beside` puts them next to what it has open.
///
/// # Errors
/// What keeps the worker from reading any file.
pub async fn take(
    local: &Local,
    files: &[File],
    beside: bool,
    signal: &AbortSignal,
) -> Result<Took, Fail> {
    let mut took = Took::default();
    for file in files {
        let answer = if beside || !took.names.is_empty() {
            local.add(file, signal).await
        } else {
            local.open(file, signal).await
        };
        match answer {
            Ok(_) => took.names.push(file.name()),
            Err(fail) => took.refuse(&file.name(), fail)?,
        }
    }
    Ok(took)
}

/// What is known of the executable that a worker has opened; `name` is that of the first file.
///
/// # Errors
/// `file.no-neff` where there is none; else what the worker says.
pub async fn described(
    local: &Rc<Local>,
    name: &str,
    signal: &AbortSignal,
) -> Result<InfoAnswer, Fail> {
    let ask = Transport::Worker(Rc::clone(local));
    let other = |error: serde_json::Error| Fail::own("page.answer", error.to_string());
    let files: FilesAnswer =
        read_json(&ask.ask(&Request::Files {}, signal).await?).map_err(other)?;
    if files.files.iter().all(|file| file.kind != "neff") {
        let what = match FileKind::beside(name) {
            Some(FileKind::Profile) => "a runtime profile",
            Some(FileKind::Source) => "source text",
            Some(FileKind::Dump) => "a memory dump",
            _ => "a capture of a run (NTFF)",
        };
        let message = format!(
            "{name} is {what} and is read together with an executable. Drop or choose the NEFF at \
             the same time."
        ) + match FileKind::beside(name) {
            Some(FileKind::Dump) => " Uploaded to this server, it is shown alone.",
            _ => "",
        };
        return Err(Fail::own("file.no-neff", message));
    }
    let info = ask.ask(&Request::Info { f: None, deep: false }, signal).await?;
    read_json(&info).map_err(other)
}
