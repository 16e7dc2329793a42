//! Runtime profiles: what a runtime puts around a program, as data.
//!
//! A profile is a TOML text: named addresses, default inputs and a list of steps, each with the
//! records that it makes on each engine. The built-in ones lie in `profiles/` and are turned into
//! JSON when the crate is built; a user can bring another, with the feature `toml`. This is the only
//! place of the crate where text enters.
//! Spec: docs/format/profiles.md "Files" [observed].

use std::collections::BTreeSet;

use records::{Engine, Provenance};
use serde::Deserialize;

use crate::expr::{Expr, ExprError};
use crate::program::Generation;
use crate::record_text::{Form, Gate, Line, LineError, Target};

include!(concat!(env!("OUT_DIR"), "/built_in.rs"));

/// Most steps that a profile may have.
const MAX_STEPS: usize = 1_000;

/// A runtime profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Profile {
    /// Name as the user picks it.
    pub name: String,
    /// Generation that it is for.
    pub generation: Generation,
    /// Runtime version that it describes; empty for a model.
    pub runtime: String,
    /// How sure it is as a whole.
    pub provenance: Provenance,
    /// What it describes and how far it can be trusted.
    pub about: String,
    /// Default inputs.
    pub defaults: Defaults,
    /// Named values, in order of definition.
    pub symbols: Vec<Symbol>,
    /// Records of a DMA trigger.
    pub trigger: Trigger,
    /// Slots of a collective trigger in MAIN, at least 1.
    pub collective_slots: u32,
    /// Steps of PREAMBLE, then of POSTAMBLE.
    pub steps: Vec<Step>,
    /// Number of steps that belong to PREAMBLE.
    pub preamble_steps: usize,
    /// Index of the step at which the program starts: where the reset branch goes.
    pub program_start: usize,
}

/// Default inputs of a profile: configured values, never a claim about a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Defaults {
    /// Physical core, from `SUBGRAPH`.
    pub core: Expr,
    /// Address of the execution request page.
    pub request_page: u64,
    /// Ring bases of the vector engine's tables, read and write side.
    pub dve_table: [u64; 2],
    /// Ring bases of the activation tables, read and write side.
    pub act_table: [u64; 2],
    /// First base of a queue's rings.
    pub rings: u64,
    /// Bytes from the rings of one queue side to those of the next.
    pub queue_step: u64,
    /// Bytes from one ring to the next.
    pub ring_step: u64,
}

/// A named value.
#[derive(Clone, Debug, PartialEq)]
pub struct Symbol {
    /// Name.
    pub name: String,
    /// Value by engine code; `None` where it has none.
    pub values: [Option<Expr>; 5],
}

/// What a DMA trigger becomes, by queue type.
#[derive(Clone, Debug, PartialEq)]
pub struct Trigger {
    /// Record for a queue whose one side the I/O switch fills.
    pub io: Line,
    /// Record for a queue with both sides known.
    pub data: Line,
    /// Broadcast groups: slots per trigger, at least 1.
    pub groups: u32,
}

/// A step of a profile.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Id, unique in the profile.
    pub id: String,
    /// Title in words.
    pub title: String,
    /// What it does.
    pub text: String,
    /// How sure its records are.
    pub provenance: Provenance,
    /// Condition of the whole step.
    pub gate: Option<Gate>,
    /// Whether it is repeated for each queue that the engine owns.
    pub for_each_queue: bool,
    /// Whether a new patch row begins with it.
    pub opens_row: bool,
    /// Whether the model-switch part begins with it.
    pub model_switch: bool,
    /// Lines by engine code.
    pub lines: [Vec<Line>; 5],
}

/// Why a text is no profile.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProfileError {
    /// No built-in profile of this name.
    #[error("no profile `{0}`")]
    UnknownName(String),
    /// The text cannot be read, or has a wrong key or type.
    #[error("not a profile: {0}")]
    Text(String),
    /// A line of a step is wrong.
    #[error("step `{step}`: {error}")]
    Line {
        /// Step id.
        step: String,
        /// What is wrong.
        error: LineError,
    },
    /// A named value is wrong.
    #[error("value `{name}`: {error}")]
    Symbol {
        /// Name of the value.
        name: String,
        /// What is wrong.
        error: ExprError,
    },
    /// An unknown word where one of a few is expected.
    #[error("`{found}` is no {what}")]
    Word {
        /// What was expected.
        what: &'static str,
        /// What was found.
        found: String,
    },
    /// Two steps have one id.
    #[error("two steps are called `{0}`")]
    DuplicateStep(String),
    /// A branch goes to a step that does not exist.
    #[error("step `{step}` branches to `{target}`, which does not exist")]
    MissingTarget {
        /// Step with the branch.
        step: String,
        /// Where it goes.
        target: String,
    },
    /// Not exactly one step of the preamble starts the program.
    #[error("{0} preamble steps have `program_start`; exactly one must")]
    ProgramStart(usize),
    /// More steps than are accepted.
    #[error("{found} steps; at most {most} are accepted")]
    TooManySteps {
        /// Steps given.
        found: usize,
        /// Steps accepted.
        most: usize,
    },
}

impl Profile {
    /// The built-in profile of a name.
    pub fn built_in(name: &str) -> Result<Self, ProfileError> {
        let entry = BUILT_IN.into_iter().find(|entry| entry.0 == name);
        let (_, text) = entry.ok_or_else(|| ProfileError::UnknownName(name.to_owned()))?;
        // By way of a tree, as questions are read: a program has that reader anyway.
        let tree = serde_json::from_str::<serde_json::Value>(text);
        let raw = tree.and_then(|tree| RawProfile::deserialize(&tree));
        Self::of_raw(raw.map_err(|error| ProfileError::Text(error.to_string()))?)
    }

    /// The name of the default profile of a generation.
    pub const fn default_name(generation: Generation) -> &'static str {
        match generation {
            Generation::Sunda => "sunda-r2.25",
            Generation::Cayman => "cayman-r2.27",
            Generation::Mariana => "modelled-mariana",
        }
    }

    /// The name of the profile of a runtime version as a profile file gives it, for example
    /// `2.27.23.0`; `None` if no capture of that version is known for the generation.
    pub fn name_for_runtime(generation: Generation, version: &str) -> Option<&'static str> {
        let mut parts = version.split('.');
        let minor = (parts.next()?, parts.next()?);
        match (generation, minor) {
            (Generation::Sunda, ("2", "23")) => Some("sunda-r2.23"),
            (Generation::Sunda, ("2", "25")) => Some("sunda-r2.25"),
            (Generation::Cayman, ("2", "27")) => Some("cayman-r2.27"),
            _ => None,
        }
    }

    /// Whether a record of a step mentions a name.
    pub fn mentions(&self, name: &str) -> bool {
        self.steps.iter().flat_map(|step| step.lines.iter().flatten()).any(|line| {
            let arguments = match &line.form {
                Form::Plain(_, arguments) => arguments.as_slice(),
                Form::Branch { .. } => &[],
            };
            let fields = line.fields.iter().map(|field| &field.value);
            arguments.iter().chain(fields).any(|value| value.mentions(name))
        })
    }

    /// Parses the TOML text of a profile.
    #[cfg(feature = "toml")]
    pub fn parse(text: &str) -> Result<Self, ProfileError> {
        Self::of_raw(toml::from_str(text).map_err(|error| ProfileError::Text(error.to_string()))?)
    }

    fn of_raw(raw: RawProfile) -> Result<Self, ProfileError> {
        let provenance = provenance(&raw.provenance)?;
        let found = raw.preamble.len() + raw.postamble.len();
        if found > MAX_STEPS {
            return Err(ProfileError::TooManySteps { found, most: MAX_STEPS });
        }
        let starts: Vec<usize> = raw
            .preamble
            .iter()
            .enumerate()
            .filter_map(|(at, step)| step.program_start.then_some(at))
            .collect();
        let [program_start] = starts[..] else {
            return Err(ProfileError::ProgramStart(starts.len()));
        };
        let preamble_steps = raw.preamble.len();
        let steps = raw.preamble.into_iter().chain(raw.postamble);
        let steps = steps.map(|step| step.build(provenance)).collect::<Result<Vec<_>, _>>()?;
        check_steps(&steps)?;
        let trigger = |text: &str| {
            Line::parse(text)
                .map_err(|error| ProfileError::Line { step: String::from("trigger"), error })
        };
        Ok(Self {
            generation: word("generation", &raw.generation, |word| {
                Generation::ALL.into_iter().find(|generation| generation.name() == word)
            })?,
            defaults: raw.inputs.build()?,
            symbols: raw.symbols.into_iter().map(RawSymbol::build).collect::<Result<_, _>>()?,
            trigger: Trigger {
                io: trigger(&raw.trigger.io)?,
                data: trigger(&raw.trigger.data)?,
                groups: raw.trigger.groups.clamp(1, 16),
            },
            collective_slots: raw.collective_slots.clamp(1, 1024),
            name: raw.name,
            runtime: raw.runtime,
            provenance,
            about: raw.about,
            steps,
            preamble_steps,
            program_start,
        })
    }
}

fn check_steps(steps: &[Step]) -> Result<(), ProfileError> {
    let mut ids = BTreeSet::new();
    for step in steps {
        if !ids.insert(step.id.as_str()) {
            return Err(ProfileError::DuplicateStep(step.id.clone()));
        }
    }
    for step in steps {
        for line in step.lines.iter().flatten() {
            if let Form::Branch { target: Target::Step(target), .. } = &line.form
                && !ids.contains(target.as_str())
            {
                let (step, target) = (step.id.clone(), target.clone());
                return Err(ProfileError::MissingTarget { step, target });
            }
        }
    }
    Ok(())
}

fn word<T>(
    what: &'static str,
    text: &str,
    find: impl Fn(&str) -> Option<T>,
) -> Result<T, ProfileError> {
    find(text).ok_or_else(|| ProfileError::Word { what, found: text.to_owned() })
}

fn provenance(text: &str) -> Result<Provenance, ProfileError> {
    let all = [Provenance::Observed, Provenance::Inferred, Provenance::Modelled];
    word("provenance", text, |word| all.into_iter().find(|value| value.name() == word))
}

fn symbol_expr(name: &str, text: &str) -> Result<Expr, ProfileError> {
    Expr::parse(text).map_err(|error| ProfileError::Symbol { name: name.to_owned(), error })
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProfile {
    name: String,
    generation: String,
    #[serde(default)]
    runtime: String,
    provenance: String,
    about: String,
    inputs: RawInputs,
    symbols: Vec<RawSymbol>,
    trigger: RawTrigger,
    #[serde(default = "default_collective_slots")]
    collective_slots: u32,
    preamble: Vec<RawStep>,
    postamble: Vec<RawStep>,
}

fn default_collective_slots() -> u32 {
    3
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawInputs {
    core: String,
    request_page: u64,
    dve_table: [u64; 2],
    act_table: [u64; 2],
    rings: u64,
    queue_step: u64,
    ring_step: u64,
}

impl RawInputs {
    fn build(self) -> Result<Defaults, ProfileError> {
        Ok(Defaults {
            core: symbol_expr("core", &self.core)?,
            request_page: self.request_page,
            dve_table: self.dve_table,
            act_table: self.act_table,
            rings: self.rings,
            queue_step: self.queue_step,
            ring_step: self.ring_step,
        })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawTrigger {
    io: String,
    data: String,
    #[serde(default = "default_groups")]
    groups: u32,
}

fn default_groups() -> u32 {
    1
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case, reason = "keys of the file are engine names")]
struct RawSymbol {
    name: String,
    value: Option<String>,
    PE: Option<String>,
    ACT: Option<String>,
    POOL: Option<String>,
    DVE: Option<String>,
    SP: Option<String>,
}

impl RawSymbol {
    fn build(self) -> Result<Symbol, ProfileError> {
        let of_engine = [self.PE, self.ACT, self.POOL, self.DVE, self.SP];
        let mut values = [const { None }; 5];
        for (value, own) in values.iter_mut().zip(of_engine) {
            let text = own.as_ref().or(self.value.as_ref());
            *value = text.map(|text| symbol_expr(&self.name, text)).transpose()?;
        }
        Ok(Symbol { name: self.name, values })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(non_snake_case, reason = "keys of the file are engine names")]
struct RawStep {
    id: String,
    title: String,
    text: String,
    provenance: Option<String>,
    engines: Option<Vec<String>>,
    gate: Option<String>,
    #[serde(default)]
    for_each_queue: bool,
    #[serde(default)]
    opens_row: bool,
    #[serde(default)]
    model_switch: bool,
    #[serde(default)]
    program_start: bool,
    #[serde(default)]
    records: Vec<String>,
    PE: Option<Vec<String>>,
    ACT: Option<Vec<String>>,
    POOL: Option<Vec<String>>,
    DVE: Option<Vec<String>>,
    SP: Option<Vec<String>>,
}

impl RawStep {
    fn build(self, of_profile: Provenance) -> Result<Step, ProfileError> {
        let only = match &self.engines {
            Some(names) => {
                let engine = |name: &String| word("engine", name, |word| word.parse().ok());
                Some(names.iter().map(engine).collect::<Result<Vec<Engine>, _>>()?)
            }
            None => None,
        };
        let own = [self.PE, self.ACT, self.POOL, self.DVE, self.SP];
        let mut lines = [const { Vec::new() }; 5];
        for ((engine, own), lines) in Engine::ALL.into_iter().zip(own).zip(&mut lines) {
            let takes_part = only.as_ref().is_none_or(|only| only.contains(&engine));
            let texts = own.as_ref().or(takes_part.then_some(&self.records));
            for text in texts.into_iter().flatten() {
                let line = Line::parse(text)
                    .map_err(|error| ProfileError::Line { step: self.id.clone(), error })?;
                lines.push(line);
            }
        }
        Ok(Step {
            gate: self.gate.map(|text| word("condition", &text, Gate::of_word)).transpose()?,
            provenance: self.provenance.map_or(Ok(of_profile), |text| provenance(&text))?,
            id: self.id,
            title: self.title,
            text: self.text,
            for_each_queue: self.for_each_queue,
            opens_row: self.opens_row,
            model_switch: self.model_switch,
            lines,
        })
    }
}
