//! The known forms of lines: phrases, the kind they mean, what they say in our words and what to do.
//!
//! Rules are tried in order; the first whose phrases all stand in the lower-case line counts.

use super::line::{Kind, Lead};
use crate::answer::Provenance::{self, Inferred, Observed};

/// A form of line.
pub struct Rule {
    /// Kind.
    pub kind: Kind,
    /// Observed: quoted by a public report or read from the runtime. Inferred: concluded, or known
    /// only in a shortened wording.
    pub format: Provenance,
    /// Phrases, all of which must be there.
    pub phrases: &'static [&'static str],
    /// What it says.
    pub says: &'static str,
    /// What to look at next.
    pub next: &'static str,
    /// Where it leads without a PC and an IP.
    pub lead: Option<Lead>,
}

const fn rule(
    kind: Kind,
    format: Provenance,
    phrases: &'static [&'static str],
    says: &'static str,
    next: &'static str,
) -> Rule {
    Rule { kind, format, phrases, says, next, lead: None }
}

impl Rule {
    const fn to(self, lead: Lead) -> Self {
        Self { lead: Some(lead), ..self }
    }
}

const OOB: &str = "An indirect transfer (gather, scatter or table update) used an index outside its tensor. The line \
    number is the NEFF IP of the instruction.";
const TIMEOUT: &str = "The execution did not end in time; an engine still waits.";
const LOAD: &str = "The model could not be loaded; the lines above it name the cause.";
const STAGE: &str =
    "A graph of the model could not be brought to its core; the lines above it name the cause.";
const MEMORY: &str = "Memory on the device could not be had.";
const NEFF: &str = "The runtime refused the NEFF itself.";
const GROUPS: &str =
    "The replica groups of a collective do not hold the core that runs it, or cannot be read.";
const QUEUE: &str =
    "A DMA queue could not be set up: it has more descriptors than a hardware queue can hold.";
const ACCESS: &str = "The compiler found an access that leaves its tensor; no NEFF was made, nothing ran on a device.";
const PROXY: &str =
    "A partner did not answer in time; in collectives this is a rank that has not arrived.";

const SEE_ABOVE: &str = "Read up to the first ERROR of the same process: it names the cause.";
const SEE_SLOT: &str = "Go to the record, to its source line, and check the indices fed to it.";
const SEE_WAIT: &str =
    "Look for missing notifications, and at what the last records of that engine wait for.";
const SEE_MEMORY: &str = "See in Memory what this NEFF needs, and in the rows of the line what is full; use fewer or smaller models on the core.";
const SEE_FINDINGS: &str = "Read the findings of the open file: each names the rule and the byte.";
const SEE_RANKS: &str = "Compare the logs of all ranks: the one that says nothing did not arrive.";
const SEE_QUEUES: &str =
    "See in Structs how many descriptors each queue has; split the tensor or its transfer.";
const SEE_GROUPS: &str = "See the trigger and its groups; run with as many ranks as they name.";
const SEE_COMPILER: &str =
    "Look the instruction up by its name: it leads to the operation and its source line.";
const SEE_BASE: &str =
    "Open the capture of the run, or give the base of the image, and look the PC up again.";
const SEE_DEVICE: &str =
    "Check the driver's log; reset the device, and replace the instance if it stays.";

/// The rules, in order. Spec: docs/format/logs.md "Lines" [as tagged].
pub const RULES: &[Rule] = &[
    rule(Kind::Compile, Observed, &["bir error", "out of bound"], ACCESS, SEE_COMPILER).to(Lead::Name),
    rule(Kind::Compile, Inferred, &["access pattern out of bound"], ACCESS, SEE_COMPILER).to(Lead::Name),
    rule(Kind::Compile, Inferred, &["allocation out of bound"], ACCESS, SEE_COMPILER).to(Lead::Name),
    rule(Kind::Compile, Observed, &["bir error"], "The compiler refused an instruction; no NEFF was made, nothing ran on a device.", SEE_COMPILER).to(Lead::Name),
    rule(Kind::Compile, Inferred, &["instruction", "cannot be allocated"], "The compiler found no room in the state buffer for what this instruction reads or writes.", SEE_COMPILER).to(Lead::Name),
    rule(Kind::Capture, Observed, &["dynamic dma metadata"], "The capture has no record of what dynamic transfers moved, so sizes and rates shown for them are too low. The execution itself is right.", "See the dynamic transfers; update runtime and tools, then capture again.").to(Lead::DynamicDma),
    rule(Kind::Capture, Inferred, &["ntff version", "not supported"], "The profiling tool is older than the capture: it reads the versions that the line names.", "Take the tool of the release that made the capture. Captures of version 4 and 5 are read here."),
    rule(Kind::LoadFailure, Observed, &["matching neff", "hlo"], "None of the stored artifacts belongs to this graph: it was traced with other shapes, options or versions.", "Compile anew, or compare the old NEFF with a new one to see what differs."),
    rule(Kind::Memory, Observed, &["tmpbuf pages"], "The program needs more scratchpad pages than a core can have: its temporary variables do not fit.", "See in Memory which variables take the pages; larger pages or fewer live variables help."),
    rule(Kind::Memory, Observed, &["dma_queue_init"], QUEUE, SEE_QUEUES),
    rule(Kind::Memory, Observed, &["init dma queue"], QUEUE, SEE_QUEUES),
    rule(Kind::Memory, Observed, &["udma_q_init"], QUEUE, SEE_QUEUES),
    rule(Kind::Memory, Inferred, &["queue", "size", "too large"], QUEUE, SEE_QUEUES),
    rule(Kind::Collective, Inferred, &["unsupported", "topology"], "The collectives of this model need an arrangement of cores that the instance, or the runtime, cannot give them.", "Compare the number of cores that the file asks for with the numbers in the line.").to(Lead::Trigger),
    rule(Kind::Collective, Inferred, &["core barrier"], "The cores of one logical core do not meet at the same barrier: their programs were not compiled as a pair.", "Compare the barriers of both subgraphs in order, from the first one on.").to(Lead::CoreBarrier),
    rule(Kind::Collective, Observed, &["validate_neff_cc_ops"], "Two ranks run programs with different numbers of collectives, so they loaded different NEFFs.", "Compare the NEFFs of the ranks, and the number of triggers in each."),
    rule(Kind::LoadFailure, Observed, &["nrt_load_collectives", "status"], "The model could not be loaded together with its collectives: memory, a rank that did not arrive, or other NEFFs on other ranks.", "Read the first ERROR of every rank; compare their NEFFs.").to(Lead::Trigger),
    rule(Kind::Memory, Observed, &["nrt_tensor_allocate"], "A tensor could not be placed on the device.", SEE_MEMORY),
    rule(Kind::Hardware, Inferred, &["hw_err_dma_abort"], "A DMA engine stopped in the middle of a transfer.", SEE_DEVICE),
    rule(Kind::OutOfBounds, Observed, &["out of bounds of"], "The runtime could not map this device PC: in its image the PC lies neither in MAIN nor in a function.", SEE_BASE),
    rule(Kind::EnginePc, Observed, &["find section", "patch list"], "The runtime could not map a device PC: the engine's patch list has no row of that section.", SEE_BASE),
    rule(Kind::OutOfBounds, Observed, &["out-of-bound"], OOB, SEE_SLOT),
    rule(Kind::OutOfBounds, Observed, &["out of bound"], OOB, SEE_SLOT),
    rule(Kind::OutOfBounds, Inferred, &["oob", "device ip"], "An access out of bounds; the device IP is the PC of the instruction.", SEE_SLOT),
    rule(Kind::MissingNotification, Observed, &["missing infer_status notification"], "An engine did not report the start or the end of the execution: it did not get there.", SEE_WAIT),
    rule(Kind::MissingNotification, Observed, &["missing collectives status"], "A collective operation did not report its end; a rank has not arrived, or the operation hangs.", SEE_RANKS),
    rule(Kind::MissingNotification, Inferred, &["missing", "notification"], "A notification that the runtime waits for did not come.", SEE_WAIT),
    rule(Kind::ErrorNotification, Observed, &["error notifications found"], "Engines reported errors of this kind; each kind is logged once.", "Look at the error string, and at records of the kind that it names."),
    rule(Kind::ErrorNotification, Observed, &["number of error notifications"], "Engines reported very many errors; most often floating-point underflow, which is harmless.", "Check the number formats of the operations; switch the notification off if it is expected."),
    rule(Kind::ErrorNotification, Observed, &["custom debug notification"], "An instruction of the program sent a debug notification; it is no error.", ""),
    rule(Kind::ErrorNotification, Observed, &["gpsimd exception"], "A custom operator on POOL met an exception of its processor.", "Read the exception of the custom operator; its code is not in the NEFF's streams."),
    rule(Kind::ErrorNotification, Observed, &["exception pc"], "Where the processor inside POOL stopped; it is no PC of an instruction stream.", "Read the exception of the custom operator; its code is not in the NEFF's streams."),
    rule(Kind::Hardware, Observed, &["uncorrectable"], "Memory of the device had an error that cannot be corrected; results are not to be trusted.", SEE_DEVICE),
    rule(Kind::Hardware, Observed, &["dma", "abort state"], "A DMA engine stopped in the middle of a transfer.", SEE_DEVICE),
    rule(Kind::Hardware, Inferred, &["axi_timeout"], "A transfer on the bus of the device got no answer in time.", SEE_DEVICE),
    rule(Kind::Timeout, Observed, &["stuck after all collectives"], "All collectives ended, then the execution stood still: look at instructions behind the last collective.", SEE_RANKS),
    rule(Kind::Timeout, Observed, &["suspected hang"], "The runtime suspects a hang at or behind this collective operation.", SEE_RANKS),
    rule(Kind::Timeout, Observed, &["execution timeout"], TIMEOUT, SEE_WAIT),
    rule(Kind::Timeout, Observed, &["inference timeout"], TIMEOUT, SEE_WAIT),
    rule(Kind::Timeout, Observed, &["stop timeout"], "A program of the runtime could not be stopped in time.", SEE_WAIT),
    rule(Kind::Timeout, Observed, &["timeout exceeded"], TIMEOUT, SEE_WAIT),
    rule(Kind::Timeout, Observed, &["timeout waiting"], PROXY, SEE_RANKS),
    rule(Kind::Timeout, Inferred, &["timed out"], TIMEOUT, SEE_WAIT),
    rule(Kind::Collective, Observed, &["mismatching number of cc ops"], "Two ranks run programs with different numbers of collectives, so they loaded different NEFFs.", "Compare the NEFFs of the ranks, and the number of triggers in each."),
    rule(Kind::Collective, Observed, &["replica group"], GROUPS, SEE_GROUPS).to(Lead::Trigger),
    rule(Kind::Collective, Observed, &["src_target_pairs"], GROUPS, SEE_GROUPS).to(Lead::Trigger),
    rule(Kind::Collective, Observed, &["pseudo trigger collective"], "A trigger of a collective could not be turned into device instructions.", SEE_GROUPS).to(Lead::Trigger),
    rule(Kind::Collective, Inferred, &["collectives operation"], "A line about one collective operation.", SEE_GROUPS),
    rule(Kind::Memory, Observed, &["failed to alloc"], MEMORY, SEE_MEMORY),
    rule(Kind::Memory, Observed, &["failed to load", "memory"], MEMORY, SEE_MEMORY),
    rule(Kind::Memory, Observed, &["scratchpad", "exceeded the max"], "The program needs more scratchpad pages than a core can have.", "See in Memory which variables take the pages; larger pages or fewer live variables help."),
    rule(Kind::Memory, Observed, &["device mempool"], "The driver's memory pool is full.", "Free device memory, or restart the processes that hold it."),
    rule(Kind::LoadFailure, Observed, &["failed to load nn"], LOAD, SEE_ABOVE),
    rule(Kind::LoadFailure, Observed, &["failed to stage graph"], STAGE, SEE_ABOVE),
    rule(Kind::LoadFailure, Observed, &["failed to load subgraph"], STAGE, SEE_ABOVE),
    rule(Kind::LoadFailure, Observed, &["failed to load collectives"], LOAD, SEE_ABOVE),
    rule(Kind::LoadFailure, Observed, &["load failed"], LOAD, SEE_ABOVE),
    rule(Kind::LoadFailure, Observed, &["not load the model"], LOAD, SEE_ABOVE),
    rule(Kind::LoadFailure, Observed, &["neff is invalid"], NEFF, SEE_FINDINGS),
    rule(Kind::LoadFailure, Observed, &["neff version"], NEFF, "Compare the header with what the runtime takes; take a newer runtime or an older compiler."),
    rule(Kind::LoadFailure, Observed, &["allow_legacy_neff"], "The NEFF was built for another generation of devices; the switch only makes the runtime try.", "Compare the target of the open file with the device; compile for the device instead."),
    rule(Kind::LoadFailure, Observed, &["unsupported hardware operator code"], "The program has an instruction that this runtime does not know; take a newer runtime.", "Compare the header with what the runtime takes; take a newer runtime or an older compiler."),
    rule(Kind::LoadFailure, Observed, &["failed to create instruction block"], "The device image of an engine could not be built.", "Read the findings of the image, and the lines above for the engine."),
    rule(Kind::LoadFailure, Observed, &["failed to translate instructions"], "The device image of an engine could not be built: an instruction could not be translated.", "Read the findings of the image, and the lines above for the engine."),
    rule(Kind::LoadFailure, Observed, &["invalid target"], "The graph names no target that is known.", SEE_FINDINGS),
    rule(Kind::LoadFailure, Observed, &["unable to open", "json"], "A document that the NEFF names is not in its archive.", "See in the list of members whether the document is there; pack the NEFF anew."),
    rule(Kind::LoadFailure, Observed, &["nrt_load", "status"], LOAD, SEE_ABOVE),
    rule(Kind::LoadFailure, Observed, &["in nrt_load"], LOAD, SEE_ABOVE),
    rule(Kind::ErrorNotification, Inferred, &["error notification"], "Engines reported errors while they ran.", "Look at the error string, and at records of the kind that it names."),
    rule(Kind::ErrorNotification, Observed, &["event double set"], "An event was set that was set already: two records set it and none waited in between.", "Look for the records that set this event, in Code on all engines."),
    rule(Kind::Memory, Inferred, &["device", "alloc", "failed"], MEMORY, SEE_MEMORY),
    rule(Kind::OutOfBounds, Inferred, &["no debug info"], "The runtime found no debug information for the place that it names.", "Take the PC or the NEFF IP: the streams of the open file hold the record."),
];

/// The first rule that fits a lower-case line.
pub fn find(lower: &str) -> Option<&'static Rule> {
    RULES.iter().find(|rule| rule.phrases.iter().all(|phrase| lower.contains(phrase)))
}
