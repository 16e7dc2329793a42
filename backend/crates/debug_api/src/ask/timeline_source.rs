//! Where the events of a timeline come from: a capture, or a run of the simulator.

use super::simulate;
use super::timeline_view::{Source, TimelineView, none};
use super::view::View;
use crate::answer::{At, Finding};
use crate::error::ApiError;
use crate::file::OpenFile;
use crate::kept_runs::KeptRuns;
use crate::request::{Scope, SimulateRequest};
use crate::run_trace::MOST_EVENTS;
use crate::scope;
use std::sync::Arc;

/// Resolves a scope: the named subgraph of the executable, else of the capture; of a run, the core
/// of rank 0 that runs it.
///
/// # Errors
/// `timeline.none` without a capture of the subgraph; else as a scope, and as a run.
pub fn of<'a>(
    files: &'a [Arc<OpenFile>],
    kept: &KeptRuns,
    scope: &Scope,
    run: Option<&SimulateRequest>,
) -> Result<TimelineView<'a>, ApiError> {
    match run {
        Some(run) => of_run(files, kept, scope, run),
        None => TimelineView::of_capture(files, scope),
    }
}

fn of_run<'a>(
    files: &'a [Arc<OpenFile>],
    kept: &KeptRuns,
    scope: &Scope,
    run: &SimulateRequest,
) -> Result<TimelineView<'a>, ApiError> {
    let file = scope::neff(files, scope.f)?;
    let (_, subgraph) = scope::subgraph(file, scope)?;
    let view = View::of(files, &Scope { base: None, e: None, ..scope.clone() })?;
    // All subgraphs run together unless the choices name one.
    let own = Scope { s: run.scope.s.clone(), base: None, e: None, ..scope.clone() };
    let request = SimulateRequest { scope: own, ..run.clone() };
    let question = serde_json::to_string(&request)
        .map_err(|error| ApiError::bad_request(error.to_string()))?;
    let run = kept.of(files, question, || simulate::traced(files, &request, &|_| true))?;
    let core = run.cores.iter().position(|core| core.name == subgraph.name && core.rank == 0);
    let core = core.or_else(|| run.cores.iter().position(|core| core.name == subgraph.name));
    let core = core.ok_or_else(|| {
        let shown: String = subgraph.name.chars().take(64).collect();
        none(&format!("the run has no core that runs `{shown}`"))
    })?;
    let mut findings = view.findings(None);
    if run.cut {
        findings.push(Finding {
            code: "timeline.cut".to_owned(),
            severity: "warning".to_owned(),
            message: format!(
                "the run went on when {MOST_EVENTS} events were kept; the timeline ends there"
            ),
            at: At::default(),
        });
    }
    let subgraph = subgraph.name.clone();
    Ok(TimelineView {
        source: Source::Run { file, run, core },
        subgraph,
        findings,
        view: Some(view),
    })
}
