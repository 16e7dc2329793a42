//! Stage "assemble": lays out the device image of one engine: PREAMBLE, MAIN, POSTAMBLE, FUNCTION.
//! The patch list is a side effect of laying out.
//! Spec: docs/format/image.md "Stages" [observed].

use neff::{Findings, Severity};
use records::Provenance;

use crate::blocks::Output;
use crate::expand::{Expander, Reasons};
use crate::identify::{Function, Functions};
use crate::image::{Image, Reason, StepInfo};
use crate::inputs::Inputs;
use crate::layout::{ByteRange, ImageRanges, Region, SLOT};
use crate::limits::{self, MAX_IMAGE_SLOTS, MAX_INSERTED_SLOTS};
use crate::patch_list::{MODEL_CAPACITY, PatchList, SECTION_CAPACITY};
use crate::pc_map::SourceCounts;
use crate::profile::{Profile, Step, is_cache_line};
use crate::program::Program;
use crate::recipe::{Recipe, RecipeError};
use crate::setup::{self, BlockInput, SetUpError};

/// Why no image can be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// The profile cannot be evaluated.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The image is larger than patch rows can tell, or than the caller accepts.
    #[error("the image takes more than the {most} slots that are accepted")]
    TooLarge {
        /// Most slots accepted.
        most: u32,
        /// Record of the stream at which the bound is passed.
        record: u32,
    },
}

/// Choices that a profile makes and a user can change, and what is given beside a stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options<'a> {
    /// Slots of a collective trigger instead of the profile's number.
    pub collective_slots: Option<u32>,
    /// Broadcast groups of a DMA trigger instead of the profile's number.
    pub groups: Option<u32>,
    /// Bytes of a cache line instead of the profile's number: a power of two from 64 to 0x8000;
    /// anything else means that nothing is aligned.
    pub cache_line: Option<u32>,
    /// What is given for blocks beside their records.
    pub blocks: &'a [BlockInput],
    /// Most slots of the image instead of those of the stream and [`MAX_INSERTED_SLOTS`] beyond;
    /// not more than [`MAX_IMAGE_SLOTS`].
    pub max_slots: Option<u32>,
}

/// Builds the device image of one engine. Odd facts about the program become findings; the image
/// is built all the same.
pub fn assemble(
    profile: &Profile,
    program: Program<'_>,
    inputs: &Inputs,
    options: Options<'_>,
    findings: &mut Findings,
) -> Result<Image, AssembleError> {
    let records = u32::try_from(program.slots.len()).unwrap_or(u32::MAX);
    let max_slots = options.max_slots.unwrap_or(records.saturating_add(MAX_INSERTED_SLOTS));
    let max_slots = max_slots.min(MAX_IMAGE_SLOTS);
    let functions = Functions::identify(program, findings);
    let recipe = Recipe::new(profile, program, inputs)?;
    let preamble = recipe.preamble()?;
    let postamble = recipe.postamble()?;
    limits::check_queues(profile, program, findings);
    let mut expander = Expander::new(
        program,
        &recipe,
        options.collective_slots.unwrap_or(profile.collective_slots),
        options.groups.unwrap_or(profile.trigger.groups),
    );
    let too_large = |record| AssembleError::TooLarge { most: max_slots, record };
    let line = options.cache_line.unwrap_or(profile.cache_line);
    let line = if is_cache_line(line) { line } else { 0 };
    let translated = setup::set_up_functions(
        program,
        &functions,
        &mut expander,
        options.blocks,
        line > 0,
        max_slots,
        findings,
    );
    let translated = translated.map_err(|error| match error {
        SetUpError::Recipe(error) => error.into(),
        SetUpError::TooLarge(record) => too_large(record),
    })?;

    let expected = program.slots.len().saturating_add(preamble.slots.len() + postamble.slots.len());
    let mut out = Output::new(program, expected, line, max_slots);
    let mut rows = PatchList::with_capacity(MODEL_CAPACITY);
    let mut main_rows = PatchList::with_capacity(SECTION_CAPACITY);
    let mut function_rows = PatchList::with_capacity(SECTION_CAPACITY);
    out.synthesized(Region::Preamble, &preamble, &mut rows).map_err(too_large)?;
    let core_start = out.slots.len();
    if let Some(main) = functions.main() {
        out.function(main, &translated, 0, &mut main_rows, findings).map_err(too_large)?;
    }
    rows.extend(&main_rows);
    let postamble_start = out.slots.len();
    out.synthesized(Region::Postamble, &postamble, &mut rows).map_err(too_large)?;
    let functions_start = out.slots.len();
    for function in functions.list.iter().skip(1) {
        out.function(function, &translated, functions_start, &mut function_rows, findings)
            .map_err(too_large)?;
    }
    rows.extend(&function_rows);
    let synthesized = (0..core_start).chain(postamble_start..functions_start);
    out.resolve_calls(&functions, postamble_start);
    out.resolve_steps([(&preamble, 0), (&postamble, postamble_start)]);
    out.check_targets(synthesized, findings);
    let regions = [&preamble, &postamble];
    let lists = [&rows, &main_rows, &function_rows];
    let rooms = limits::rooms(program, profile, regions, out.slots.len(), lists);
    limits::check_rooms(program, &rooms, findings);

    let end = out.slots.len();
    let bytes = |slots: usize| slots as u64 * SLOT;
    let start_of = |step: usize| {
        let step = u16::try_from(step).unwrap_or(u16::MAX);
        preamble.starts.get(&step).copied().unwrap_or(0)
    };
    let ranges = ImageRanges {
        preamble: ByteRange { offset: 0, size: bytes(core_start) },
        model_switch: ByteRange::between(
            bytes(preamble.model_switch.unwrap_or(0)),
            bytes(start_of(profile.program_start)),
        ),
        core: ByteRange::between(bytes(core_start), bytes(postamble_start)),
        functions: ByteRange::between(bytes(functions_start), bytes(end)),
        image_bytes: bytes(end),
    };
    let mut reasons = translated.reasons;
    reasons.append(&mut out.reasons);
    explain(&mut reasons, profile, inputs);
    let records = |function: &Function| function.records.len() as u32;
    let provenance = out.info.iter().map(|info| info.provenance).max();
    let image = Image {
        engine: program.engine,
        profile: profile.name.clone(),
        slots: out.slots,
        info: out.info,
        patch_capacity: rows.capacity(),
        rows: rows.into_rows(),
        ranges,
        functions: out.placed,
        post_process: out.post_process,
        rooms,
        steps: profile.steps.iter().map(step_info).collect(),
        source: SourceCounts {
            main: functions.main().map_or(0, records),
            functions: functions.list.iter().skip(1).map(records).sum(),
        },
        provenance: provenance.unwrap_or(profile.provenance),
        reasons: reasons
            .into_iter()
            .map(|(provenance, text)| Reason { provenance, text })
            .collect(),
    };
    // Rows that came from outside may contradict the stream.
    if options.blocks.iter().any(|block| !block.rows.is_empty())
        && let Err(mismatch) = image.pc_map().check()
    {
        findings.push(
            Severity::Warning,
            "image.patch-mismatch",
            program.whole_place(),
            format!("with the rows that blocks bring along, {mismatch}"),
        );
    }
    Ok(image)
}

/// Reasons that come from the profile and its inputs.
fn explain(reasons: &mut Reasons, profile: &Profile, inputs: &Inputs) {
    if profile.provenance != Provenance::Observed {
        let text = format!("profile `{}`: {}", profile.name, profile.about);
        reasons.insert((profile.provenance, text));
    }
    if inputs.provenance == Provenance::Configured {
        let text = "core, request page and ring bases are configured values; a device's allocator chooses them";
        reasons.insert((Provenance::Configured, text.to_owned()));
    } else if inputs.configured.contains(Inputs::CORE) {
        let text = format!("core {} is a configured value, not the capture's", inputs.core);
        reasons.insert((Provenance::Configured, text));
    }
}

fn step_info(step: &Step) -> StepInfo {
    StepInfo {
        id: step.id.clone(),
        title: step.title.clone(),
        text: step.text.clone(),
        provenance: step.provenance,
    }
}
