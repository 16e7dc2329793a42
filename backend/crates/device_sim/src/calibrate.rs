//! Fits costs of operation codes to what a capture measured, and says what error is left.
//! Spec: docs/format/simulator.md "Calibration" [modelled].

use records::{Engine, Opcode};
use std::collections::BTreeMap;

use crate::op::is_work;
use crate::timing::{Cost, GenerationTiming, MAX_NUMBER};

/// How long a captured record kept its engine busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Engine.
    pub engine: Engine,
    /// Operation code.
    pub opcode: Opcode,
    /// Elements of a partition that it works on.
    pub elements: u64,
    /// Time, ps.
    pub ps: u64,
}

/// The fit of one operation code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FittedCost {
    /// Operation code.
    pub opcode: Opcode,
    /// Records that it was fitted to.
    pub samples: u64,
    /// Cost before.
    pub before: Cost,
    /// Cost after.
    pub after: Cost,
    /// What is left.
    pub error: Residual,
}

/// What a model leaves of measured times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Residual {
    /// Records.
    pub samples: u64,
    /// Sum of what was measured, ps.
    pub measured_ps: u64,
    /// Sum by the model, ps.
    pub modelled_ps: u64,
    /// Sum of the differences of single records without their signs, ps.
    pub apart_ps: u64,
}

impl Residual {
    fn add(&mut self, measured: u64, modelled: u64) {
        self.samples += 1;
        self.measured_ps = self.measured_ps.saturating_add(measured);
        self.modelled_ps = self.modelled_ps.saturating_add(modelled);
        self.apart_ps = self.apart_ps.saturating_add(measured.abs_diff(modelled));
    }
}

/// A calibration.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Calibration {
    /// Operation codes that were seen, ascending.
    pub opcodes: Vec<FittedCost>,
    /// Engines with samples: with the model as it was, and as it is now.
    pub engines: Vec<(Engine, Residual, Residual)>,
}

/// Fits the cost of each operation code that was seen. Work: cycles before the first element and
/// thousandths of a cycle for each element, by least squares; where all records have as many
/// elements the cost of an element stays as it is, if that leaves something for the start. Records of
/// the sequencer: the mean. All else stays.
pub fn fit(timing: &mut GenerationTiming, samples: &[Sample]) -> Calibration {
    let before = timing.clone();
    let mut by_code: BTreeMap<u8, Vec<&Sample>> = BTreeMap::new();
    for sample in samples {
        by_code.entry(sample.opcode.0).or_default().push(sample);
    }
    let mut opcodes = Vec::new();
    for (code, samples) in &by_code {
        let opcode = Opcode(*code);
        let own = timing.cost(opcode);
        let after = fitted(timing, own, samples);
        timing.set_cost(opcode, after);
        let mut error = Residual::default();
        for sample in samples {
            error.add(sample.ps, time_by_model(timing, sample));
        }
        let samples = samples.len() as u64;
        opcodes.push(FittedCost { opcode, samples, before: own, after, error });
    }
    let mut engines = Vec::new();
    for engine in Engine::ALL {
        let (mut was, mut is) = (Residual::default(), Residual::default());
        for sample in samples.iter().filter(|sample| sample.engine == engine) {
            was.add(sample.ps, time_by_model(&before, sample));
            is.add(sample.ps, time_by_model(timing, sample));
        }
        if is.samples > 0 {
            engines.push((engine, was, is));
        }
    }
    Calibration { opcodes, engines }
}

/// Time of a record by a model, ps.
fn time_by_model(timing: &GenerationTiming, sample: &Sample) -> u64 {
    let (issue, work) = timing.record_ps(sample.engine, sample.opcode, sample.elements);
    if is_work(sample.opcode) { work.max(1) } else { issue }
}

fn fitted(timing: &GenerationTiming, own: Cost, samples: &[&Sample]) -> Cost {
    let cycles = |sample: &Sample| {
        let fs = timing.clock_fs.get(sample.engine.index()).copied().unwrap_or(1_000_000).max(1);
        sample.ps as f64 * 1000.0 / fs as f64
    };
    let n = samples.len().max(1) as f64;
    let mean = samples.iter().map(|one| cycles(one)).sum::<f64>() / n;
    if !samples.first().is_some_and(|one| is_work(one.opcode)) {
        return Cost { issue: whole(mean).max(1), ..own };
    }
    let elements = samples.iter().map(|one| one.elements as f64).sum::<f64>() / n;
    let (mut spread, mut both) = (0.0, 0.0);
    for one in samples {
        let off = one.elements as f64 - elements;
        spread += off * off;
        both += off * (cycles(one) - mean);
    }
    let slope = if spread > 0.0 {
        (both / spread).max(0.0)
    } else {
        let own = f64::from(own.element_milli) / 1000.0;
        if elements > 0.0 && own * elements > mean { mean / elements } else { own }
    };
    // The line goes through the mean; one that would start before 0 starts there.
    let (start, slope) = match mean - slope * elements {
        start if start >= 0.0 => (start, slope),
        _ if elements > 0.0 => (0.0, mean / elements),
        _ => (mean, 0.0),
    };
    Cost { start: whole(start), element_milli: whole(slope * 1000.0), ..own }
}

/// The nearest whole number that a model can hold.
fn whole(number: f64) -> u32 {
    number.round().clamp(0.0, MAX_NUMBER as f64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::timing::Timing;
    use device_image::Generation;

    #[test]
    fn times_that_were_made_by_costs_give_the_costs_back() {
        let timing = Timing::built_in().unwrap();
        let mut own = timing.of(Generation::Cayman).clone();
        // Copies of DVE: 100 cycles and 2.5 cycles an element, a cycle is 1041.67 ps. NOPs: 33 cycles
        // of 833.33 ps.
        let copy = |elements: u64| Sample {
            engine: Engine::Dve,
            opcode: Opcode(0x46),
            elements,
            ps: (100 + elements * 5 / 2) * 1_041_670 / 1000,
        };
        let nop = Sample {
            engine: Engine::Sp,
            opcode: Opcode(0xA4),
            elements: 0,
            ps: 33 * 833_330 / 1000,
        };
        let made = fit(&mut own, &[copy(64), copy(512), copy(128), nop, nop]);
        let find = |code: u8| made.opcodes.iter().find(|one| one.opcode.0 == code).unwrap();
        let copies = find(0x46);
        assert_eq!((copies.after.start, copies.after.element_milli), (100, 2500));
        assert_eq!((copies.samples, copies.after.issue), (3, copies.before.issue));
        assert!(copies.error.apart_ps <= 3, "{:?}", copies.error);
        assert_eq!(find(0xA4).after.issue, 33);
        let engines: Vec<Engine> = made.engines.iter().map(|one| one.0).collect();
        assert_eq!(engines, [Engine::Dve, Engine::Sp]);
        assert!(made.engines.iter().all(|(_, was, is)| is.apart_ps < was.apart_ps));
    }

    #[test]
    fn one_size_alone_says_nothing_about_elements() {
        let timing = Timing::built_in().unwrap();
        let mut own = timing.of(Generation::Cayman).clone();
        let sample = |ps| Sample { engine: Engine::Dve, opcode: Opcode(0x46), elements: 100, ps };
        // 300 cycles: 100 for the elements as before, 200 for the start.
        let made = fit(&mut own, &[sample(312_501)]);
        assert_eq!((made.opcodes[0].after.start, made.opcodes[0].after.element_milli), (200, 1000));
        // 50 cycles: half a cycle an element, nothing for the start.
        let made = fit(&mut own, &[sample(52_084)]);
        assert_eq!((made.opcodes[0].after.start, made.opcodes[0].after.element_milli), (0, 500));
    }
}
