//! Costs that are fitted to a capture, and the error that they leave.

use super::timeline_view::TimelineView;
use super::view::View;
use crate::answer::{CalibrationInfo, CostInfo, FittedInfo, ResidualInfo, RunErrorInfo};
use crate::error::{ApiError, ErrorKind};
use crate::file::OpenFile;
use crate::request::{Scope, SimulateRequest};
use crate::scope;
use device_image::Generation;
use device_sim::Machine;
use device_sim::calibrate::{Calibration, Residual, Sample, fit};
use device_sim::op;
use device_sim::timing::{Cost, Timing};
use records::{Engine, Opcode, Provenance, Sync};
use std::sync::Arc;
use trace::{Flags, NO_SLOT, TrackKind};

/// What a capture measured, and what was fitted to it.
pub struct Measured {
    file: String,
    fitted: Calibration,
    left_out: u64,
    /// Time of one inference of each core, ps.
    runs: Vec<(String, u64)>,
}

/// Fits the costs of a timing model to a capture of the session.
///
/// # Errors
/// `calibrate.none` for a capture without records of this program; else as a timeline.
pub fn calibrate(
    files: &[Arc<OpenFile>],
    request: &SimulateRequest,
    file: usize,
    timing: &mut Timing,
    generation: Generation,
) -> Result<Measured, ApiError> {
    let neff = scope::neff(files, request.scope.f)?;
    let capture = scope::ntff(files, Some(file))?;
    let mut samples = Vec::new();
    let mut made = Measured {
        file: capture.name().to_owned(),
        fitted: Calibration::default(),
        left_out: 0,
        runs: Vec::new(),
    };
    for subgraph in neff.package().subgraphs() {
        if request.scope.s.is_some() {
            let (_, wanted) = scope::subgraph(neff, &request.scope)?;
            if wanted.name != subgraph.name {
                continue;
            }
        }
        let Some(core) = capture.capture().subgraph(&subgraph.name) else { continue };
        made.runs.extend(core.execution_ps.map(|ps| (subgraph.name.clone(), ps)));
        let s = Some(subgraph.name.clone());
        let of = Scope {
            s,
            e: None,
            ntff: Some(file),
            modelled: false,
            base: None,
            ..request.scope.clone()
        };
        let (view, events) = (View::of(files, &of)?, TimelineView::of_capture(files, &of)?);
        made.left_out += collect(&view, &events, &mut samples);
    }
    if samples.is_empty() {
        let message = format!(
            "{} has no records of this program that a cost can be fitted to: a start and an end on an \
             engine, without a wait between them",
            made.file
        );
        return Err(ApiError::new(ErrorKind::Undecodable, "calibrate.none", message));
    }
    made.fitted = fit(timing.of_mut(generation), &samples);
    timing.name = "calibrated".to_owned();
    let shown: String = made.file.chars().take(100).collect();
    timing.about = format!(
        "Costs of {} operation codes fitted to {shown}; all else as before, modelled.",
        made.fitted.opcodes.len()
    );
    timing.provenance = Provenance::Inferred;
    Ok(made)
}

/// The records of one core that say how long they took: with a start and an end, and without a wait.
/// An engine works on one record at a time, so a record counts from the end of the one before.
fn collect(view: &View<'_>, events: &TimelineView<'_>, samples: &mut Vec<Sample>) -> u64 {
    let mut left_out = 0;
    for track in &events.trace().tracks {
        let TrackKind::Engine(code) = track.kind else { continue };
        let Some(engine) = Engine::from_code(code) else { continue };
        let slots = &view.images.engine(engine).image.slots;
        let mut free = 0;
        for event in (0..track.len()).filter_map(|at| track.event(at)) {
            let (start, end) = (event.start.max(free), event.end());
            free = free.max(end);
            let odd = [Flags::NO_END, Flags::NO_START, Flags::AFTER_LOSS];
            let slot = (event.slot != NO_SLOT).then(|| slots.get(event.slot as usize)).flatten();
            let Some(slot) = slot else { continue };
            let sync = Sync::of(slot);
            let waits = sync.wait.is_some() || sync.wait2.is_some();
            if waits || odd.into_iter().any(|flag| event.flags.has(flag)) || end <= start {
                left_out += 1;
                continue;
            }
            let opcode = Opcode(slot.opcode_byte());
            let elements = op::elements(slot);
            samples.push(Sample { engine, opcode, elements, ps: end - start });
        }
    }
    left_out
}

impl Measured {
    /// As documents show it, beside the run that the fitted costs give.
    pub fn info(&self, machine: &Machine<'_>, timing: &Timing) -> CalibrationInfo {
        let runs = self.runs.iter().filter_map(|(name, measured)| {
            let core = (0..machine.n_cores()).find(|core| machine.name(*core).0 == name)?;
            let times = machine.inferences(core).iter();
            let mut times = times.filter_map(|one| one.end_ps?.checked_sub(one.start_ps?));
            let modelled = times.next()?;
            let error = percent(*measured, modelled);
            Some(RunErrorInfo {
                subgraph: name.clone(),
                measured_ns: measured / 1000,
                modelled_ns: modelled / 1000,
                error_percent: error,
            })
        });
        CalibrationInfo {
            file: self.file.clone(),
            samples: self.fitted.opcodes.iter().map(|one| one.samples).sum(),
            left_out: self.left_out,
            opcodes: self
                .fitted
                .opcodes
                .iter()
                .map(|one| FittedInfo {
                    opcode: one.opcode.0,
                    mnemonic: one.opcode.info().map(|info| info.mnemonic.to_owned()),
                    samples: one.samples,
                    before: cost(one.before),
                    after: cost(one.after),
                    error: residual("", &one.error),
                })
                .collect(),
            engines: self
                .fitted
                .engines
                .iter()
                .map(|(engine, _, after)| residual(engine.name(), after))
                .collect(),
            before: self
                .fitted
                .engines
                .iter()
                .map(|(engine, before, _)| residual(engine.name(), before))
                .collect(),
            runs: runs.collect(),
            toml: timing.to_text(),
        }
    }
}

const fn cost(cost: Cost) -> CostInfo {
    let Cost { issue, start, element_milli } = cost;
    CostInfo { issue, start, element_milli }
}

fn residual(engine: &str, of: &Residual) -> ResidualInfo {
    let mean = of.apart_ps / of.samples.max(1);
    ResidualInfo {
        engine: engine.to_owned(),
        samples: of.samples,
        measured_ns: of.measured_ps / 1000,
        modelled_ns: of.modelled_ps / 1000,
        mean_error_ps: mean,
        error_percent: percent(of.measured_ps, of.modelled_ps),
    }
}

/// How far a modelled time is from a measured one, as hundredths of a percent of the measured one,
/// rounded to two places.
fn percent(measured: u64, modelled: u64) -> f64 {
    if measured == 0 {
        return 0.0;
    }
    let error = (modelled as f64 - measured as f64) / measured as f64;
    (error * 10_000.0).round() / 100.0
}
