//! A session: one or more opened files and the one door to every question about them.

use crate::answer::Answer;
use crate::ask;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::kept_runs::KeptRuns;
use crate::request::{ColumnsRequest, ExportRequest, Request, Scope};
use neff::Limits;
use std::io::Write;
use std::sync::Arc;

/// Files seen together. A lone file is its own session.
pub struct Session {
    files: Vec<Arc<OpenFile>>,
    runs: Arc<KeptRuns>,
}

impl Session {
    /// A session of opened files, in this order.
    pub fn new(files: Vec<Arc<OpenFile>>) -> Self {
        Self::keeping(files, Arc::default())
    }

    /// The same, where traces of runs are kept together with those of other sessions.
    pub const fn keeping(files: Vec<Arc<OpenFile>>, runs: Arc<KeptRuns>) -> Self {
        Self { files, runs }
    }

    /// Opens one file as a session of its own.
    ///
    /// # Errors
    /// See [`OpenFile::open`].
    pub fn open(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<Self, ApiError> {
        Ok(Self::new(vec![Arc::new(OpenFile::open(name, bytes, limits)?)]))
    }

    /// The files, in order.
    pub fn files(&self) -> &[Arc<OpenFile>] {
        &self.files
    }

    /// Names of a file's subgraphs, in order; empty for a file that is not there.
    pub fn subgraph_names(&self, file: usize) -> Vec<String> {
        let neff = self.files.get(file).and_then(|file| file.as_neff());
        neff.map_or_else(Vec::new, |file| {
            file.package().subgraphs().iter().map(|subgraph| subgraph.name.clone()).collect()
        })
    }

    /// Answers a question. The same question always gives the same answer.
    ///
    /// # Errors
    /// What the question names is not there, or is no sensible value.
    pub fn ask(&self, request: &Request) -> Result<Answer, ApiError> {
        ask::answer(&self.files, &self.runs, request)
    }

    /// The first capture of the session, by index.
    pub fn first_capture(&self) -> Option<usize> {
        self.files.iter().position(|file| file.as_ntff().is_some())
    }

    /// As [`Session::ask`]; a long run tells its events so far, and ends soon after it is told
    /// `false`.
    ///
    /// # Errors
    /// As [`Session::ask`]; `run.cancelled` for a run that was stopped.
    pub fn ask_until(
        &self,
        request: &Request,
        progress: &dyn Fn(u64) -> bool,
    ) -> Result<Answer, ApiError> {
        ask::answer_until(&self.files, &self.runs, request, progress)
    }

    /// Answers a question in its JSON form with the JSON form of the answer.
    ///
    /// # Errors
    /// `request.invalid` for text that is no question, else as [`Session::ask`].
    pub fn ask_text(&self, text: &str) -> Result<String, ApiError> {
        let answer = self.ask(&Request::from_json(text)?)?;
        serde_json::to_string(&answer).map_err(|error| ApiError::bad_request(error.to_string()))
    }

    /// A block of columns (see [`crate::columns`]).
    ///
    /// # Errors
    /// As [`Session::ask`]; `request.invalid` for rows that are not served.
    pub fn columns(&self, request: &ColumnsRequest) -> Result<Vec<u8>, ApiError> {
        Ok(ask::columns(&self.files, &self.runs, request)?.encode())
    }

    /// A block of columns for a request in its JSON form.
    ///
    /// # Errors
    /// `request.invalid` for text that is no such request, else as [`Session::columns`].
    pub fn columns_text(&self, text: &str) -> Result<Vec<u8>, ApiError> {
        self.columns(&ColumnsRequest::from_json(text)?)
    }

    /// Writes a timeline in the form of another tool.
    ///
    /// # Errors
    /// `export.format`, `export.too-large`, `export.write`; else as [`Session::ask`].
    pub fn export(&self, request: &ExportRequest, out: &mut dyn Write) -> Result<(), ApiError> {
        ask::export(&self.files, &self.runs, request, out)
    }

    /// The bytes of one engine's image.
    ///
    /// # Errors
    /// As [`Session::ask`].
    pub fn image_bytes(&self, scope: &Scope) -> Result<Vec<u8>, ApiError> {
        ask::image_bytes(&self.files, scope)
    }

    /// The bytes of one record that the runtime keeps.
    ///
    /// # Errors
    /// As [`Session::ask`].
    pub fn record_bytes(&self, scope: &Scope, name: &str) -> Result<Vec<u8>, ApiError> {
        ask::record_bytes(&self.files, scope, name)
    }

    /// Bytes of one record of the tree that a loader makes, from a byte on: at most 64 MiB, and
    /// none past its end.
    ///
    /// # Errors
    /// As [`Session::ask`].
    pub fn kbin_bytes(&self, scope: &Scope, name: &str, from: u64) -> Result<Vec<u8>, ApiError> {
        ask::kbin_bytes(&self.files, scope, name, from)
    }

    /// The bytes of some rows of a record of the tree: `from` 0 has the header too, no `count` means
    /// all rows from there on.
    ///
    /// # Errors
    /// As [`Session::ask`]; `bytes.past-end` where there is no such row.
    pub fn kbin_rows_span(
        &self,
        scope: &Scope,
        name: &str,
        from: u64,
        count: Option<u64>,
    ) -> Result<std::ops::Range<u64>, ApiError> {
        ask::kbin_rows_span(&self.files, scope, name, from, count)
    }
}
