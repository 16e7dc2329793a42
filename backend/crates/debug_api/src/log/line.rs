//! What was read from one line of a log.

use crate::answer::Provenance;
use records::Engine;

/// What a line is about. The names are part of the `log` document.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// An engine with a device PC or a NEFF IP.
    EnginePc,
    /// An access, or a PC, outside of what it must be in.
    OutOfBounds,
    /// Feature bits of a NEFF against those of a runtime.
    FeatureMask,
    /// A model that could not be loaded.
    LoadFailure,
    /// A notification that an engine did not send.
    MissingNotification,
    /// A notification of an error that an engine did send.
    ErrorNotification,
    /// An execution or a wait that took too long.
    Timeout,
    /// Collectives: groups, ranks, operations.
    Collective,
    /// Memory that could not be had, and what fills it.
    Memory,
    /// A fault of the hardware.
    Hardware,
    /// A mistake that the compiler found.
    Compile,
    /// A tool that reads captures.
    Capture,
    /// A status code, and nothing that is more telling.
    Status,
    /// A device or a core, and nothing that is more telling.
    Device,
    /// Nothing that is known here.
    #[default]
    Other,
}

impl Kind {
    /// All kinds, in the order of docs/format/logs.md.
    pub const ALL: [Kind; 15] = [
        Self::EnginePc,
        Self::OutOfBounds,
        Self::FeatureMask,
        Self::LoadFailure,
        Self::MissingNotification,
        Self::ErrorNotification,
        Self::Timeout,
        Self::Collective,
        Self::Memory,
        Self::Hardware,
        Self::Compile,
        Self::Capture,
        Self::Status,
        Self::Device,
        Self::Other,
    ];

    /// The name in documents.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EnginePc => "engine-pc",
            Self::OutOfBounds => "out-of-bounds",
            Self::FeatureMask => "feature-mask",
            Self::LoadFailure => "load-failure",
            Self::MissingNotification => "missing-notification",
            Self::ErrorNotification => "error-notification",
            Self::Timeout => "timeout",
            Self::Collective => "collective",
            Self::Memory => "memory",
            Self::Hardware => "hardware",
            Self::Compile => "compile-error",
            Self::Capture => "capture",
            Self::Status => "status",
            Self::Device => "device",
            Self::Other => "other",
        }
    }
}

/// Where lines of a form lead that name neither a PC nor an IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lead {
    /// The record of the instruction that the line names.
    Name,
    /// The first trigger of a collective.
    Trigger,
    /// The first barrier of the cores.
    CoreBarrier,
    /// The first dynamic transfer.
    DynamicDma,
}

/// Which report of an engine did not come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// That the execution began.
    Start,
    /// That it ended.
    End,
}

impl Phase {
    /// The word of lines.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::End => "end",
        }
    }
}

/// A point of a program that a line names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Point {
    /// Engine, if the line names one.
    pub engine: Option<Engine>,
    /// Whether the engine was concluded rather than read: from its code, or from the kind of line.
    pub engine_inferred: bool,
    /// Device PC.
    pub device_pc: Option<u64>,
    /// 1-based NEFF IP.
    pub neff_ip: Option<u32>,
    /// Base address of the image, if the line names it.
    pub base: Option<u64>,
    /// The report of the engine that is missing.
    pub missing: Option<Phase>,
}

/// Feature bits that a line names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// Of the NEFF.
    pub named: Option<u64>,
    /// Mask of those that the runtime takes.
    pub supported: Option<u64>,
}

/// One line of a log, or several that belong together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// 1-based number of its first line in the text.
    pub number: u32,
    /// The text, without color codes and other controls, cut at the limit.
    pub text: String,
    /// What it is about.
    pub kind: Kind,
    /// Whether the format was seen (observed) or is concluded (inferred).
    pub format: Provenance,
    /// What lines of this form say, in our words; empty for [`Kind::Other`].
    pub says: &'static str,
    /// What to look at next; empty if nothing is known.
    pub next: &'static str,
    /// Where lines of this form lead without a PC and an IP.
    pub lead: Option<Lead>,
    /// Instruction of the compiler that the line names.
    pub instruction: Option<String>,
    /// What is odd about the line, sentences.
    pub remarks: Vec<String>,
    /// `ERROR`, `WARN` and so on.
    pub level: Option<&'static str>,
    /// Module and function of the runtime: `TDRV:exec_...`.
    pub component: Option<String>,
    /// Points of a program, in the order of the line.
    pub points: Vec<Point>,
    /// Neuron device.
    pub device: Option<u32>,
    /// NeuronCore of the device.
    pub core: Option<u32>,
    /// Rank of the process.
    pub rank: Option<u32>,
    /// Name or path of the model.
    pub model: Option<String>,
    /// Status code of the runtime.
    pub status: Option<u32>,
    /// Feature bits.
    pub features: Option<Features>,
    /// Further values by name, as they are written.
    pub values: Vec<(&'static str, String)>,
}

impl Line {
    /// The first point, or none of everything.
    pub fn point(&self) -> Point {
        self.points.first().copied().unwrap_or_default()
    }

    /// A further value by name.
    pub fn value(&self, name: &str) -> Option<&str> {
        let mut values = self.values.iter();
        values.find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_different_names() {
        let mut names: Vec<_> = Kind::ALL.iter().map(|kind| kind.name()).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), Kind::ALL.len());
    }
}
