//! Runtime profiles: what a runtime puts around a program, as data.
//!
//! A profile is a TOML text: named addresses, default inputs and a list of steps, each with the
//! records that it makes on each engine. The built-in ones lie in `profiles/`; a user can bring
//! another.
//! Spec: docs/format/profiles.md "Files" [observed].

use records::{Engine, Provenance};

use crate::capability::Capabilities;
use crate::condition::{Condition, Gate};
use crate::expr::{Expr, ExprError};
use crate::program::Generation;
use crate::record_text::{Form, Line, LineError};
pub use crate::text_place::TextPlace;

/// Built-in profiles: name and text.
pub const BUILT_IN: [(&str, &str); 6] = [
    ("sunda-r2.23", include_str!("../profiles/sunda-r2.23.toml")),
    ("sunda-r2.25", include_str!("../profiles/sunda-r2.25.toml")),
    ("cayman-r2.27", include_str!("../profiles/cayman-r2.27.toml")),
    ("modelled-sunda", include_str!("../profiles/modelled-sunda.toml")),
    ("modelled-cayman", include_str!("../profiles/modelled-cayman.toml")),
    ("modelled-mariana", include_str!("../profiles/modelled-mariana.toml")),
];

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
    /// Bytes of a cache line at which blocks begin whose label a branch names; 0 for none.
    pub cache_line: u32,
    /// What the generation can do.
    pub capabilities: Capabilities,
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
    /// Where that stands in the text.
    pub core_at: Option<TextPlace>,
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
    /// Where each stands in the text.
    pub places: [Option<TextPlace>; 5],
}

/// Names that every recipe has, whatever the profile defines: inputs and properties of engine and
/// program; the last three in records made for a queue.
pub const GIVEN_NAMES: [&str; 12] = [
    "CORE",
    "E",
    "SUBGRAPH",
    "IO_QUEUES",
    "P",
    "DVE_READ",
    "DVE_WRITE",
    "ACT_READ",
    "ACT_WRITE",
    "Q",
    "READS",
    "WRITES",
];

/// A scratch buffer of the runtime's builder.
/// Spec: docs/format/image.md "Rooms" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// The records that fetch an execution request.
    ExecutionRequest,
    /// The configuration of the sequencer.
    SequencerConfiguration,
}

impl Buffer {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::ExecutionRequest, Self::SequencerConfiguration];

    /// The word in a profile.
    pub const fn word(self) -> &'static str {
        match self {
            Self::ExecutionRequest => "execution-request",
            Self::SequencerConfiguration => "sequencer-configuration",
        }
    }

    /// In words.
    pub const fn what(self) -> &'static str {
        match self {
            Self::ExecutionRequest => "execution request",
            Self::SequencerConfiguration => "sequencer configuration",
        }
    }

    /// Its size.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::ExecutionRequest => 0x2000,
            Self::SequencerConfiguration => 0x200,
        }
    }
}

/// Whether blocks can begin at a cache line of so many bytes: a power of two from a slot to the
/// alignment of images.
pub const fn is_cache_line(bytes: u32) -> bool {
    bytes.is_power_of_two() && bytes >= 64 && bytes <= 0x8000
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
    /// Place in the published order of building; `None` for a step that is only in captures.
    pub order: Option<u32>,
    /// Condition of the whole step.
    pub gate: Option<Condition>,
    /// Engines that it makes records on, if it is not for all.
    pub engines: Option<Vec<Engine>>,
    /// Scratch buffer of the runtime that its records are built in.
    pub buffer: Option<Buffer>,
    /// Whether it is repeated for each queue that the engine owns.
    pub for_each_queue: bool,
    /// Whether a new patch row begins with it.
    pub opens_row: bool,
    /// Whether the model-switch part begins with it.
    pub model_switch: bool,
    /// Lines by engine code.
    pub lines: [Vec<Line>; 5],
}

/// Why a text is no profile, and where.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileError {
    /// Place in the text, if there is one.
    pub at: Option<TextPlace>,
    /// What is wrong.
    pub kind: ProfileErrorKind,
}

impl std::fmt::Display for ProfileError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.at {
            Some(at) => write!(f, "line {}, column {}: {}", at.line, at.column, self.kind),
            None => self.kind.fmt(f),
        }
    }
}

impl std::error::Error for ProfileError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        Some(&self.kind)
    }
}

/// What is wrong with the text of a profile.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum ProfileErrorKind {
    /// No built-in profile of this name.
    #[error("no profile `{0}`")]
    UnknownName(String),
    /// The text is longer than accepted.
    #[error("{found} bytes; a profile has at most {most}")]
    TooLong {
        /// Bytes given.
        found: usize,
        /// Bytes accepted.
        most: usize,
    },
    /// The text is no TOML, or has a wrong key or type.
    #[error("{0}")]
    Toml(String),
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
    /// A named value has a name that is given, or that another has.
    #[error("value `{0}`: the name is taken, expected one of its own")]
    TakenName(String),
    /// A text that cannot be shown as it is, or is too long or empty.
    #[error("{what} {found}, expected {expected}")]
    Text {
        /// Key.
        what: &'static str,
        /// What is wrong with it.
        found: String,
        /// What is accepted.
        expected: String,
    },
    /// A key that must be there is not.
    #[error("{of} has no `{key}`, which it needs")]
    MissingKey {
        /// What the key is of.
        of: &'static str,
        /// The key.
        key: String,
    },
    /// An unknown word where one of a few is expected.
    #[error("`{found}` is no {what}, expected {expected}")]
    Word {
        /// What was expected.
        what: &'static str,
        /// What was found.
        found: String,
        /// The words that there are.
        expected: String,
    },
    /// A number outside its range.
    #[error("{what} is {found}, expected {expected}")]
    Number {
        /// Key.
        what: &'static str,
        /// What was found.
        found: u64,
        /// What is accepted.
        expected: &'static str,
    },
    /// A capability that a generation cannot have.
    #[error("`{capability}` is for targets up to 3, {generation} is 4; expected false")]
    Capability {
        /// Its word.
        capability: &'static str,
        /// The generation.
        generation: &'static str,
    },
    /// Two steps have one id.
    #[error("two steps are called `{0}`, expected an id of its own for each")]
    DuplicateStep(String),
    /// A branch goes to a step that does not exist.
    #[error("step `{step}` branches to `{target}`, expected the id of a step")]
    MissingTarget {
        /// Step with the branch.
        step: String,
        /// Where it goes.
        target: String,
    },
    /// Not exactly one step of the preamble starts the program.
    #[error("{0} preamble steps have `program_start`, expected exactly one")]
    ProgramStart(usize),
    /// More steps, record lines or symbols than are accepted.
    #[error("{found} {what}, expected at most {most}")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// Number given.
        found: usize,
        /// Number accepted.
        most: usize,
    },
}

impl Profile {
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

    /// The profile as one that a user brings along: nothing in it is surer than configured.
    #[must_use]
    pub fn configured(mut self) -> Self {
        self.provenance = self.provenance.max(Provenance::Configured);
        for step in &mut self.steps {
            step.provenance = step.provenance.max(Provenance::Configured);
        }
        self
    }

    /// Whether a step or line asks for a gate.
    pub fn asks(&self, gate: Gate) -> bool {
        let of_lines = self.steps.iter().flat_map(|step| step.lines.iter().flatten());
        let conditions = of_lines.filter_map(|line| line.gate.as_ref());
        let of_steps = self.steps.iter().filter_map(|step| step.gate.as_ref());
        conditions.chain(of_steps).any(|condition| condition.asks(gate))
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
}
