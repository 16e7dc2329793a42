//! Answers `log`: the lines of a runtime log with their places.

mod bases;
mod placed;
mod place;
mod lead;
mod words;

use super::view::View;
use crate::answer::{
    At, Finding, LogAnswer, LogLine, LogPoint, LogValue, Provenance, SCHEMA, StatusInfo,
};
use crate::convert::hex;
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::log::codes::{UNKNOWN, status};
use crate::log::text::remark;
use crate::log::{Kind, Line, LogLimits, Note, parse};
use crate::names;
use crate::neff_file::NeffFile;
use crate::request::Scope;
use crate::scope;
use bases::Bases;
use place::Places;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The file and subgraph that lines are looked up in.
struct Context<'a> {
    files: &'a [Arc<OpenFile>],
    /// Of the question.
    scope: &'a Scope,
    /// `None` for a session without an executable.
    neff: Option<&'a NeffFile>,
    /// Subgraph of lines that name none; `None` for a file without any.
    subgraph: Option<usize>,
    /// What is said about a capture.
    findings: Vec<Finding>,
}

/// Reads a log text and resolves its lines. Without an executable lines are explained only.
pub fn log(files: &[Arc<OpenFile>], scope: &Scope, text: &str) -> Result<LogAnswer, ApiError> {
    let context = Context::of(files, scope)?;
    let parsed = parse(text, &LogLimits::default());
    let finding = |severity: &str, note: &Note| Finding {
        code: note.code.to_owned(),
        severity: severity.to_owned(),
        message: note.message.clone(),
        at: At { offset: Some(note.at), ..At::default() },
    };
    // What a line of a known kind can be read from is a log, whatever else it holds.
    let nothing = parsed.lines.iter().all(|line| line.kind == Kind::Other);
    let remark = if nothing { remark(text) } else { None };
    let mut diagnostics: Vec<Finding> = remark.iter().map(|note| finding("error", note)).collect();
    diagnostics.extend(parsed.notes.iter().map(|note| finding("warning", note)));
    diagnostics.extend(context.findings.iter().cloned());
    let bases = Bases::solve(&context, &parsed.lines);
    let mut places = Places::new(&context, &bases);
    let mut kinds: BTreeMap<String, u64> = BTreeMap::new();
    let mut codes: BTreeMap<u32, u64> = BTreeMap::new();
    let mut lines = Vec::with_capacity(parsed.lines.len());
    for line in parsed.lines {
        *kinds.entry(line.kind.name().to_owned()).or_default() += 1;
        if let Some(code) = line.status {
            *codes.entry(code).or_default() += 1;
        }
        lines.push(read(&context, &mut places, line));
    }
    diagnostics.extend(places.finding());
    Ok(LogAnswer {
        schema: SCHEMA,
        file: context.neff.map(|file| names::of_neff(files, file)),
        lines,
        kinds,
        solved: bases.documents(),
        codes: codes.into_iter().map(|(code, lines)| status_info(code, lines)).collect(),
        diagnostics,
    })
}

impl<'a> Context<'a> {
    fn of(files: &'a [Arc<OpenFile>], scope: &'a Scope) -> Result<Self, ApiError> {
        let neff = match scope::neff(files, scope.f) {
            Ok(file) => Some(file),
            Err(_) if scope.f.is_none() => None,
            Err(error) => return Err(error),
        };
        let mut findings = Vec::new();
        let subgraph =
            match neff {
                // The whole scope must make sense, also where no line needs it.
                Some(_) => match View::of(files, scope) {
                    Ok(view) => {
                        // What keeps a capture from being used changes every place below.
                        let of_pair = view.findings(None).into_iter();
                        findings.extend(of_pair.filter(|one| {
                            one.code.starts_with("pair.") || one.code == "image.base"
                        }));
                        Some(view.index)
                    }
                    Err(error) if error.code == "subgraph.none" => None,
                    Err(error) => return Err(error),
                },
                None => {
                    scope::engine(scope)?;
                    None
                }
            };
        // A base belongs to one image.
        if scope.base.is_some() && scope.e.is_none() && subgraph.is_some() {
            findings.push(Finding {
                code: String::from("log.base-engine"),
                severity: String::from("warning"),
                message: String::from(
                    "the base that was given is taken for PE alone, since no engine is named with it",
                ),
                at: At::default(),
            });
        }
        Ok(Self { files, scope, neff, subgraph, findings })
    }

    /// Subgraph of a line: the one that it names, else that of the question.
    fn subgraph_of(&self, line: &Line) -> Option<usize> {
        self.named(line).or(self.subgraph)
    }

    /// The subgraph that a line names.
    fn named(&self, line: &Line) -> Option<usize> {
        let all = self.neff?.package().subgraphs();
        // Short names would be found in any prose.
        let mut names = all.iter().take(64).map(|subgraph| subgraph.name.as_str()).enumerate();
        names
            .find(|(_, name)| name.len() > 2 && crate::log::scan::has_word(&line.text, name))
            .map(|(index, _)| index)
    }

    /// A subgraph's images as the question wants them built, or as they were captured.
    fn view(&self, subgraph: usize) -> Option<View<'a>> {
        self.neff?;
        let s = Some(self.subgraph_name(subgraph));
        View::of(self.files, &Scope { s, e: None, base: None, ..self.scope.clone() }).ok()
    }

    fn subgraph_name(&self, index: usize) -> String {
        let all = self.neff.map_or(&[][..], |file| file.package().subgraphs());
        all.get(index).map(|subgraph| subgraph.name.clone()).unwrap_or_default()
    }
}

/// The document of a line.
fn read(context: &Context<'_>, places: &mut Places<'_>, line: Line) -> LogLine {
    let features = line.features.map(|features| words::features(context, features));
    let mut notes = line.remarks.clone();
    notes.extend(words::notes(context, &line));
    let found = places.of(&line);
    notes.extend(found.notes);
    let mut points = line.points.iter();
    let first = points.next().copied().unwrap_or_default();
    let more = points
        .zip(found.more)
        .map(|(point, answer)| LogPoint {
            engine: point.engine.map(|engine| engine.name().to_owned()),
            device_pc: point.device_pc.map(hex),
            neff_ip: point.neff_ip,
            answer,
        })
        .collect();
    let engine = first.engine.map(|engine| engine.name().to_owned());
    LogLine {
        engine_inferred: if engine.is_some() {
            first.engine_inferred
        } else {
            found.engine.is_some()
        },
        engine: engine.or(found.engine),
        device_pc: first.device_pc.map(hex),
        neff_ip: first.neff_ip,
        answer: found.answer,
        kind: line.kind.name().to_owned(),
        line: line.number,
        format: line.format,
        says: line.says.to_owned(),
        next: line.next.to_owned(),
        level: line.level.map(str::to_owned),
        subgraph: context.named(&line).map(|index| context.subgraph_name(index)),
        text: line.text,
        instruction: line.instruction,
        component: line.component,
        device: line.device,
        core: line.core,
        rank: line.rank,
        model: line.model,
        status: line.status,
        features,
        values: line
            .values
            .into_iter()
            .map(|(name, value)| LogValue { name: name.to_owned(), value })
            .collect(),
        more,
        also: found.also,
        notes,
    }
}

fn status_info(code: u32, lines: u64) -> StatusInfo {
    let known = status(code);
    StatusInfo {
        code,
        name: known.map_or_else(|| UNKNOWN.to_owned(), |known| format!("NRT_{}", known.name)),
        meaning: known
            .map_or("No runtime that is known here names this value.", |known| known.meaning)
            .to_owned(),
        advice: known.map_or("", |known| known.advice).to_owned(),
        lines,
        provenance: Provenance::Observed,
    }
}
