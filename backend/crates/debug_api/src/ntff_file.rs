//! An opened capture: what it holds, its findings, and what is computed from it once and kept.

use crate::answer::At;
use crate::convert;
use crate::error::{ApiError, ErrorKind};
use neff::ntff::{self, Capture, NtffError, Trace};
use neff::{Findings, Limits};
use std::sync::{Arc, OnceLock, Weak};
use trace::capture::Captured;

/// An opened NTFF. Opening reads its message; records and images are walked when first asked for.
pub struct NtffFile {
    name: String,
    capture: Capture,
    findings: Findings,
    walked: OnceLock<Walked>,
    /// Events of each core, in the order of the capture.
    traces: Vec<OnceLock<Traced>>,
    /// Lives as long as this file: what is kept for it elsewhere can tell when it is gone.
    life: Arc<()>,
}

/// What needs a pass over all bytes.
pub struct Walked {
    /// Summary of the records.
    pub trace: Trace,
    /// MD5 of each image, by subgraph and stored order.
    pub md5: Vec<Vec<[u8; 16]>>,
    /// What is odd about the records.
    pub findings: Findings,
}

/// Events of one core.
pub struct Traced {
    /// The events in columns.
    pub captured: Captured,
    /// What is odd about them.
    pub findings: Findings,
}

impl NtffFile {
    /// Opens bytes under a display name.
    ///
    /// # Errors
    /// `ntff.too-short`, `ntff.no-capture` for bytes that are no capture, `ntff.file-limit`.
    pub fn open(name: &str, bytes: Vec<u8>, limits: &Limits) -> Result<Self, ApiError> {
        let mut findings = Findings::new();
        let capture = ntff::open(bytes, limits, &mut findings).map_err(|error| refused(&error))?;
        let traces = capture.subgraphs.iter().map(|_| OnceLock::new()).collect();
        Ok(Self {
            name: name.to_owned(),
            capture,
            traces,
            findings,
            walked: OnceLock::new(),
            life: Arc::default(),
        })
    }

    /// Display name, without a path.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Size of the file in bytes.
    pub fn bytes(&self) -> u64 {
        self.capture.file().len() as u64
    }

    /// What it holds.
    pub fn capture(&self) -> &Capture {
        &self.capture
    }

    /// A token that dies with this file.
    pub fn life(&self) -> Weak<()> {
        Arc::downgrade(&self.life)
    }

    /// What was odd while opening.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// What is wrong with the capture, in words: the first of its errors, else of its odd bases, and
    /// how many there are. Empty if there is none.
    pub fn damage(&self) -> String {
        let is = |finding: &&neff::Diagnostic| {
            finding.severity == neff::Severity::Error || finding.code == "ntff.base"
        };
        let mut all = self.findings.as_slice().iter().filter(is);
        let Some(first) = all.next() else { return String::new() };
        let more = match all.count() {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        format!("{} [{}]{more}", first.message, first.code)
    }

    /// Bytes of memory that this file holds, roughly: itself and its tables.
    pub fn weight(&self) -> u64 {
        // The smallest entry of a table has two bytes and takes 32; the limit bounds them all.
        let tables = self.capture.message.len().saturating_mul(16).min(64 << 20);
        // An event of a trace takes about 24 bytes, made of one or two records of 16.
        let traces = self.capture.tail.len().saturating_mul(3) / 2;
        self.bytes().saturating_add(tables).saturating_add(traces).saturating_add(1 << 16)
    }

    /// Events of a core by its position in the capture, made once.
    pub fn traced(&self, core: usize) -> Option<&Traced> {
        let subgraph = self.capture.subgraphs.get(core)?;
        Some(self.traces.get(core)?.get_or_init(|| {
            let mut findings = Findings::new();
            let captured = Captured::of(&self.capture, subgraph, &mut findings);
            Traced { captured, findings }
        }))
    }

    /// Records and images, walked over once.
    pub fn walked(&self) -> &Walked {
        self.walked.get_or_init(|| {
            let mut findings = Findings::new();
            let trace = Trace::of(&self.capture, &mut findings);
            let md5 = self.capture.subgraphs.iter().map(|core| {
                core.images.iter().map(|image| self.capture.image_md5(image)).collect()
            });
            Walked { trace, md5: md5.collect(), findings }
        })
    }
}

fn refused(error: &NtffError) -> ApiError {
    let limit = matches!(error, NtffError::FileLimit { .. });
    let kind = if limit { ErrorKind::TooLarge } else { ErrorKind::Undecodable };
    let at: At = convert::at(&error.place());
    ApiError::new(kind, error.code(), error.to_string()).at(at)
}
