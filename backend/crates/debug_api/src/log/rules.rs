//! The known forms of lines: phrases, the kind they mean, and what they say in our words.
//!
//! Rules are tried in order; the first whose phrases all stand in the lower-case line counts.

use super::line::Kind;
use crate::answer::Provenance::{self, Inferred, Observed};

/// A form of line.
pub struct Rule {
    /// Kind.
    pub kind: Kind,
    /// Observed: quoted by a public report or read from the runtime. Inferred: concluded.
    pub format: Provenance,
    /// Phrases, all of which must be there.
    pub phrases: &'static [&'static str],
    /// What it says.
    pub says: &'static str,
}

const fn rule(
    kind: Kind,
    format: Provenance,
    phrases: &'static [&'static str],
    says: &'static str,
) -> Rule {
    Rule { kind, format, phrases, says }
}

const OOB: &str = "An indirect transfer (gather, scatter or table update) used an index outside its tensor. The line \
    number is the NEFF IP of the instruction.";
const TIMEOUT: &str = "The execution did not end in time; an engine still waits. Lines about missing notifications name it.";
const LOAD: &str = "The model could not be loaded; the lines above it name the cause.";
const STAGE: &str =
    "A graph of the model could not be brought to its core; the lines above it name the cause.";
const MEMORY: &str =
    "Memory on the device could not be had; the list that follows says what fills it.";
const NEFF: &str = "The runtime refused the NEFF itself.";
const GROUPS: &str =
    "The replica groups of a collective do not hold the core that runs it, or cannot be read.";

/// The rules, in order. Spec: docs/format/logs.md "Lines" [as tagged].
pub const RULES: &[Rule] = &[
    rule(
        Kind::OutOfBounds,
        Observed,
        &["out of bounds of"],
        "The runtime could not map this device PC: in its image the PC lies neither in MAIN nor in a function.",
    ),
    rule(
        Kind::EnginePc,
        Observed,
        &["find section", "patch list"],
        "The runtime could not map a device PC: the engine's patch list has no row of that section.",
    ),
    rule(Kind::OutOfBounds, Observed, &["out-of-bound"], OOB),
    rule(Kind::OutOfBounds, Observed, &["out of bound"], OOB),
    rule(
        Kind::OutOfBounds,
        Inferred,
        &["oob", "device ip"],
        "An access out of bounds; the device IP is the PC of the instruction.",
    ),
    rule(
        Kind::MissingNotification,
        Observed,
        &["missing infer_status notification"],
        "An engine did not report the start or the end of the execution: it did not get there.",
    ),
    rule(
        Kind::MissingNotification,
        Observed,
        &["missing collectives status"],
        "A collective operation did not report its end; a rank has not arrived, or the operation hangs.",
    ),
    rule(
        Kind::MissingNotification,
        Inferred,
        &["missing", "notification"],
        "A notification that the runtime waits for did not come.",
    ),
    rule(
        Kind::ErrorNotification,
        Observed,
        &["error notifications found"],
        "Engines reported errors of this kind; each kind is logged once.",
    ),
    rule(
        Kind::ErrorNotification,
        Observed,
        &["number of error notifications"],
        "Engines reported very many errors; most often floating-point underflow, which is harmless.",
    ),
    rule(
        Kind::ErrorNotification,
        Observed,
        &["custom debug notification"],
        "An instruction of the program sent a debug notification; it is no error.",
    ),
    rule(
        Kind::ErrorNotification,
        Observed,
        &["gpsimd exception"],
        "A custom operator on POOL met an exception of its processor.",
    ),
    rule(
        Kind::ErrorNotification,
        Observed,
        &["exception pc"],
        "Where the processor inside POOL stopped; it is no PC of an instruction stream.",
    ),
    rule(
        Kind::Hardware,
        Observed,
        &["uncorrectable"],
        "Memory of the device had an error that cannot be corrected; results are not to be trusted.",
    ),
    rule(
        Kind::Hardware,
        Observed,
        &["dma", "abort state"],
        "A DMA engine stopped in the middle of a transfer.",
    ),
    rule(
        Kind::Hardware,
        Inferred,
        &["axi_timeout"],
        "A transfer on the bus of the device got no answer in time.",
    ),
    rule(
        Kind::Timeout,
        Observed,
        &["stuck after all collectives"],
        "All collectives ended, then the execution stood still: look at instructions behind the last collective.",
    ),
    rule(
        Kind::Timeout,
        Observed,
        &["suspected hang"],
        "The runtime suspects a hang at or behind this collective operation.",
    ),
    rule(Kind::Timeout, Observed, &["execution timeout"], TIMEOUT),
    rule(Kind::Timeout, Observed, &["inference timeout"], TIMEOUT),
    rule(
        Kind::Timeout,
        Observed,
        &["stop timeout"],
        "A program of the runtime could not be stopped in time.",
    ),
    rule(Kind::Timeout, Observed, &["timeout exceeded"], TIMEOUT),
    rule(
        Kind::Timeout,
        Observed,
        &["timeout waiting"],
        "A partner did not answer in time; in collectives this is a rank that has not arrived.",
    ),
    rule(Kind::Timeout, Inferred, &["timed out"], TIMEOUT),
    rule(
        Kind::Collective,
        Observed,
        &["mismatching number of cc ops"],
        "Two ranks run programs with different numbers of collectives, so they loaded different NEFFs.",
    ),
    rule(Kind::Collective, Observed, &["replica group"], GROUPS),
    rule(Kind::Collective, Observed, &["src_target_pairs"], GROUPS),
    rule(
        Kind::Collective,
        Observed,
        &["pseudo trigger collective"],
        "A trigger of a collective could not be turned into device instructions.",
    ),
    rule(
        Kind::Collective,
        Inferred,
        &["collectives operation"],
        "A line about one collective operation.",
    ),
    rule(Kind::Memory, Observed, &["failed to alloc"], MEMORY),
    rule(Kind::Memory, Observed, &["failed to load", "memory"], MEMORY),
    rule(
        Kind::Memory,
        Observed,
        &["scratchpad", "exceeded the max"],
        "The program needs more scratchpad pages than a core can have.",
    ),
    rule(Kind::Memory, Observed, &["device mempool"], "The driver's memory pool is full."),
    rule(Kind::LoadFailure, Observed, &["failed to load nn"], LOAD),
    rule(Kind::LoadFailure, Observed, &["failed to stage graph"], STAGE),
    rule(Kind::LoadFailure, Observed, &["failed to load subgraph"], STAGE),
    rule(Kind::LoadFailure, Observed, &["failed to load collectives"], LOAD),
    rule(Kind::LoadFailure, Observed, &["load failed"], LOAD),
    rule(Kind::LoadFailure, Observed, &["not load the model"], LOAD),
    rule(Kind::LoadFailure, Observed, &["neff is invalid"], NEFF),
    rule(Kind::LoadFailure, Observed, &["neff version"], NEFF),
    rule(
        Kind::LoadFailure,
        Observed,
        &["allow_legacy_neff"],
        "The NEFF was built for another generation of devices; the switch only makes the runtime try.",
    ),
    rule(
        Kind::LoadFailure,
        Observed,
        &["unsupported hardware operator code"],
        "The program has an instruction that this runtime does not know; take a newer runtime.",
    ),
    rule(
        Kind::LoadFailure,
        Observed,
        &["failed to create instruction block"],
        "The device image of an engine could not be built.",
    ),
    rule(
        Kind::LoadFailure,
        Observed,
        &["failed to translate instructions"],
        "The device image of an engine could not be built: an instruction could not be translated.",
    ),
    rule(
        Kind::LoadFailure,
        Observed,
        &["invalid target"],
        "The graph names no target that is known.",
    ),
    rule(
        Kind::LoadFailure,
        Observed,
        &["unable to open", "json"],
        "A document that the NEFF names is not in its archive.",
    ),
    rule(Kind::LoadFailure, Observed, &["nrt_load", "status"], LOAD),
    rule(Kind::LoadFailure, Observed, &["in nrt_load"], LOAD),
];

/// The first rule that fits a lower-case line.
pub fn find(lower: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.phrases.iter().all(|phrase| lower.contains(phrase)))
}
