//! Exports: a timeline in the form of another tool.

use super::timeline_source;
use super::timeline_view::{Source, TimelineView};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::kept_runs::KeptRuns;
use crate::request::ExportRequest;
use records::Engine;
use std::fmt::Write as _;
use std::io::{self, Write};
use std::sync::Arc;
use trace::export::{Format, Record, TRACE_EVENT_MOST, Words};
use trace::{Event, Row, TrackKind};

/// Writes a timeline in the form of another tool.
///
/// # Errors
/// `export.format` for a form that is not written, `export.too-large` for a trace with more events
/// than the form is good for, `export.write` if the writer fails; else as a timeline.
pub fn export(
    files: &[Arc<OpenFile>],
    kept: &KeptRuns,
    request: &ExportRequest,
    out: &mut dyn Write,
) -> Result<(), ApiError> {
    let format = format(&request.format)?;
    let view = timeline_source::of(files, kept, &request.scope, request.run.as_deref())?;
    let (trace, events) = (view.trace(), view.trace().events());
    if format == Format::TraceEvent && events > TRACE_EVENT_MOST {
        return Err(ApiError::new(
            ErrorKind::TooLarge,
            "export.too-large",
            format!(
                "the trace has {events} events, and tools read Trace Event files whole: more than \
                 {TRACE_EVENT_MOST} are not written; take the form `perfetto`"
            ),
        ));
    }
    let words = Exported { view: &view, link: request.link.as_deref() };
    format.write(trace, &words, out).map_err(|error| failed(&error))
}

/// The form with a name.
///
/// # Errors
/// `export.format`.
fn format(name: &str) -> Result<Format, ApiError> {
    Format::parse(name).ok_or_else(|| {
        let shown: String = name.chars().take(32).collect();
        let names = Format::ALL.map(Format::name).join(", ");
        ApiError::new(
            ErrorKind::NotFound,
            "export.format",
            format!("there is no export `{shown}`; there are: {names}"),
        )
    })
}

fn failed(error: &io::Error) -> ApiError {
    let message = format!("the export could not be written to its end: {error}");
    ApiError::new(ErrorKind::Undecodable, "export.write", message)
}

/// Words of a timeline for files of other tools.
struct Exported<'a> {
    view: &'a TimelineView<'a>,
    /// Address of the session's views, without a slash at its end.
    link: Option<&'a str>,
}

impl Words for Exported<'_> {
    fn core(&self) -> String {
        let name = &self.view.subgraph;
        match &self.view.source {
            Source::Capture { file, .. } => format!("{name}: captured in {}", file.name()),
            Source::Run { file, .. } => format!("{name}: simulated from {}", file.name()),
        }
    }

    fn label(&self, row: &Row) -> String {
        match self.view.label(row) {
            (label, _) if label.is_empty() => label,
            (label, from) => format!("{label} [{}]", from.name()),
        }
    }

    fn name(&self, kind: TrackKind, event: &Event) -> String {
        self.view.name(kind, event)
    }

    fn cycle_fs(&self, kind: TrackKind) -> Option<u64> {
        self.view.cycle_fs_of(kind)
    }

    fn record(&self, kind: TrackKind, slot: u32) -> Option<Record> {
        let place = self.view.place(kind, slot)?;
        let event = Event { slot, ..Event::default() };
        let asm = Some(self.view.text(kind, &event)).filter(|text| !text.is_empty());
        Some(Record {
            link: self.link.map(|base| link(base, &place.s, kind, slot)),
            source: self.view.source(kind, place.neff_ip),
            pc: place.device_pc,
            ip: place.neff_ip,
            asm,
        })
    }
}

/// Address of a slot in the Timeline view.
fn link(base: &str, subgraph: &str, kind: TrackKind, slot: u32) -> String {
    let TrackKind::Engine(code) = kind else { return base.to_owned() };
    let engine = Engine::from_code(code).map_or("", Engine::name);
    let mut out = format!("{base}/timeline?v=1&s=");
    for byte in subgraph.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(out, "%{byte:02X}");
        }
    }
    let _ = write!(out, "&e={engine}&slot={slot}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_name_the_place_and_escape_names() {
        let link = link("http://h/f/1", "a b&c", TrackKind::Engine(Engine::Act.code()), 7);
        assert_eq!(link, "http://h/f/1/timeline?v=1&s=a%20b%26c&e=ACT&slot=7");
    }
}
