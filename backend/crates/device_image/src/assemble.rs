//! Lays out the device image of one engine: PREAMBLE, MAIN, POSTAMBLE, FUNCTION. The patch list
//! is a side effect of laying out.
//! Spec: docs/format/image.md "Regions" [observed].

use std::collections::BTreeMap;

use neff::{Findings, Place, Severity};
use records::build::{self, Draft};
use records::{NeffIp, PatchRow, PatchSection, PatchType, Provenance, Slot, SlotIndex};

use crate::discover::{self, Function, Functions};
use crate::expand::{Expander, Fixup, Reasons};
use crate::image::{Image, Origin, PlacedFunction, Reason, SlotInfo, StepInfo};
use crate::inputs::Inputs;
use crate::layout::{ByteRange, ImageRanges, Region, SLOT};
use crate::pc_map::SourceCounts;
use crate::profile::{Profile, Step};
use crate::program::{Program, QueueKind};
use crate::recipe::{MAX_QUEUES, Pieces, Recipe, RecipeError};

/// Most slots of an image: all of its byte offsets fit 32 bits, as patch rows need it.
pub const MAX_IMAGE_SLOTS: usize = (u32::MAX / 64) as usize;

/// Most bytes of the postamble without the reset branch.
/// Spec: docs/format/image.md "Postamble" [observed].
const MAX_POSTAMBLE_BYTES: u64 = 0x1_0000;

/// Why no image can be built.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AssembleError {
    /// The profile cannot be evaluated.
    #[error(transparent)]
    Recipe(#[from] RecipeError),
    /// The image is larger than patch rows can tell.
    #[error("the image takes more than {MAX_IMAGE_SLOTS} slots; patch rows hold 32-bit offsets")]
    TooLarge,
}

/// Choices that a profile makes and a user can change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// Slots of a collective trigger instead of the profile's number.
    pub collective_slots: Option<u32>,
    /// Broadcast groups of a DMA trigger instead of the profile's number.
    pub groups: Option<u32>,
}

/// Builds the device image of one engine. Odd facts about the program become findings; the image
/// is built all the same.
pub fn assemble(
    profile: &Profile,
    program: Program<'_>,
    inputs: &Inputs,
    options: Options,
    findings: &mut Findings,
) -> Result<Image, AssembleError> {
    let functions = Functions::discover(program.slots, program.engine, findings);
    let recipe = Recipe::new(profile, program, inputs)?;
    let preamble = recipe.preamble()?;
    let postamble = recipe.postamble()?;
    check_queues(profile, program, findings);
    let expander = Expander::new(
        program,
        &recipe,
        options.collective_slots.unwrap_or(profile.collective_slots),
        options.groups.unwrap_or(profile.trigger.groups),
    );
    let mut layout = Layout::new(program, expander, preamble.slots.len());
    layout.synthesized(Region::Preamble, &preamble)?;
    let core_start = layout.slots.len();
    layout.main(&functions, findings)?;
    let postamble_start = layout.slots.len();
    layout.synthesized(Region::Postamble, &postamble)?;
    let postamble_bytes = (postamble.slots.len() as u64).saturating_sub(1) * SLOT;
    if postamble_bytes > MAX_POSTAMBLE_BYTES {
        let message = format!(
            "the postamble takes {postamble_bytes} bytes; the runtime has room for {MAX_POSTAMBLE_BYTES}"
        );
        findings.push(Severity::Warning, "image.postamble-large", at_engine(program), message);
    }
    let functions_start = layout.slots.len();
    layout.further_functions(&functions, functions_start, findings)?;
    layout.resolve_calls(&functions, postamble_start);
    layout.resolve_steps(&preamble, 0, &postamble, postamble_start);

    let end = layout.slots.len();
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
    Ok(layout.finish(profile, inputs, &functions, ranges))
}

fn at_engine(program: Program<'_>) -> Place {
    Place::engine(program.subgraph.name.clone(), program.engine.name())
}

/// Findings about queues that a profile cannot set up.
fn check_queues(profile: &Profile, program: Program<'_>, findings: &mut Findings) {
    let mut push = |code, message| {
        findings.push(Severity::Warning, code, at_engine(program), message);
    };
    for (number, queue) in program.subgraph.queues.iter().enumerate() {
        if queue.owner != program.engine {
            continue;
        }
        let name = &queue.name;
        match &queue.kind {
            _ if number >= MAX_QUEUES => push(
                "image.queue-too-many",
                format!("queue `{name}` is number {number}; there is room for {MAX_QUEUES}"),
            ),
            QueueKind::Dynamic => push(
                "image.queue-dynamic",
                format!("queue `{name}` is dynamic: no recipe for its set-up is known"),
            ),
            QueueKind::Other(word) => push(
                "image.queue-kind",
                format!("queue `{name}` has the unknown type `{word}`; it gets no set-up"),
            ),
            QueueKind::In | QueueKind::Out | QueueKind::Data => {}
        }
    }
    let act = program.engine == records::Engine::Act;
    if act && program.subgraph.activation_set && !sets_up_activation_tables(profile) {
        push(
            "image.activation-set",
            format!("activation set without recipe: `{}` sets up no tables for it", profile.name),
        );
    }
}

fn sets_up_activation_tables(profile: &Profile) -> bool {
    use crate::record_text::Gate::ActivationSet;
    let gated = |step: &Step| {
        step.gate == Some(ActivationSet)
            || step.lines.iter().flatten().any(|line| line.gate == Some(ActivationSet))
    };
    profile.steps.iter().any(gated)
}

/// A branch whose label is still open.
struct OpenBranch {
    slot: usize,
    label: u64,
}

struct Layout<'a> {
    program: Program<'a>,
    expander: Expander<'a>,
    slots: Vec<Slot>,
    info: Vec<SlotInfo>,
    rows: Vec<PatchRow>,
    placed: Vec<PlacedFunction>,
    /// Calls to resolve: slot of the placeholder and name.
    calls: Vec<(usize, String)>,
    /// Exits to resolve.
    exits: Vec<usize>,
    reasons: Reasons,
}

impl<'a> Layout<'a> {
    fn new(program: Program<'a>, expander: Expander<'a>, more: usize) -> Self {
        let expected = program.slots.len().saturating_add(more);
        Self {
            program,
            expander,
            slots: Vec::with_capacity(expected),
            info: Vec::with_capacity(expected),
            rows: Vec::new(),
            placed: Vec::new(),
            calls: Vec::new(),
            exits: Vec::new(),
            reasons: Reasons::new(),
        }
    }

    /// Appends the slots of a synthesized region, with one INSERT row for each run.
    fn synthesized(&mut self, region: Region, pieces: &Pieces) -> Result<(), AssembleError> {
        let start = self.slots.len();
        for piece in &pieces.slots {
            let origin = Origin::Step(piece.step);
            self.slots.push(piece.slot);
            self.info.push(SlotInfo { region, origin, provenance: piece.provenance });
        }
        self.check_size()?;
        let section = match region {
            Region::Preamble => PatchSection::PREAMBLE,
            _ => PatchSection::POSTAMBLE,
        };
        let mut run = 0;
        for end in pieces.row_breaks.iter().copied().chain([pieces.slots.len()]) {
            self.row(start + run, end.saturating_sub(run), PatchType::INSERT, section, 0);
            run = end;
        }
        Ok(())
    }

    fn main(
        &mut self,
        functions: &Functions,
        findings: &mut Findings,
    ) -> Result<(), AssembleError> {
        match functions.main() {
            Some(main) => self.function(main, Region::Main, 0, findings),
            None => Ok(()),
        }
    }

    fn further_functions(
        &mut self,
        functions: &Functions,
        section_start: usize,
        findings: &mut Findings,
    ) -> Result<(), AssembleError> {
        for function in functions.list.iter().skip(1) {
            self.function(function, Region::Function, section_start, findings)?;
        }
        // The runtime marks every record of the section in byte 3.
        for slot in self.slots.iter_mut().skip(section_start) {
            *slot = Draft::of(*slot).u8(3, slot.u8_at(3) | 1).slot();
        }
        Ok(())
    }

    /// Appends one function. Rows count from `rebase`.
    fn function(
        &mut self,
        function: &Function,
        region: Region,
        rebase: usize,
        findings: &mut Findings,
    ) -> Result<(), AssembleError> {
        let section = match region {
            Region::Main => PatchSection::MAIN,
            _ => PatchSection::FUNCTION,
        };
        let start = self.slots.len();
        let mut labels = BTreeMap::new();
        let mut open = Vec::new();
        let source = self.program.slots;
        let end = (function.records.end as usize).min(source.len());
        let mut at = function.records.start as usize;
        while let Some(rest) = source.get(at..end).filter(|rest| !rest.is_empty()) {
            let plain = rest.iter().take_while(|slot| Expander::is_plain(slot)).count();
            self.copy(rest.get(..plain).unwrap_or(&[]), at, region);
            at += plain;
            let Some(record) = rest.get(plain) else { break };
            let stream_slot = u32::try_from(at).map_err(|_| AssembleError::TooLarge)?;
            if let Some((slot, provenance)) = self.expander.repeat_trigger(record) {
                let origin = Origin::Record(NeffIp(stream_slot.saturating_add(1)));
                self.slots.push(slot);
                self.info.push(SlotInfo { region, origin, provenance });
                at += 1;
                continue;
            }
            let made =
                self.expander.expand(stream_slot, record, function, findings, &mut self.reasons)?;
            let place = self.slots.len();
            let origin = Origin::Record(NeffIp(stream_slot.saturating_add(1)));
            match made.slots.len() {
                0 => self.row(place, 1, PatchType::DELETE, section, rebase),
                n => self.row(place, n - 1, PatchType::INSERT, section, rebase),
            }
            if record.opcode_byte() == discover::op::LABEL {
                labels.entry(u64::from(record.u32_at(0x0C))).or_insert(place);
            }
            for slot in made.slots {
                self.slots.push(slot);
                self.info.push(SlotInfo { region, origin, provenance: made.provenance });
            }
            let last = self.slots.len().saturating_sub(1);
            match made.fixup {
                Fixup::None => {}
                Fixup::Call(name) => self.calls.push((last, name)),
                Fixup::Exit => self.exits.push(last),
                Fixup::Label(label) => open.push(OpenBranch { slot: last, label }),
            }
            at += 1;
            self.check_size()?;
        }
        self.check_size()?;
        self.resolve_labels(&labels, &open, findings);
        self.placed.push(PlacedFunction {
            name: function.name.clone(),
            first: SlotIndex(start as u32),
            slots: (self.slots.len() - start) as u32,
        });
        Ok(())
    }

    /// Copies records that stay as they are.
    fn copy(&mut self, records: &[Slot], first: usize, region: Region) {
        self.slots.extend_from_slice(records);
        let ips = (first as u32 + 1..).take(records.len());
        self.info.extend(ips.map(|ip| SlotInfo {
            region,
            origin: Origin::Record(NeffIp(ip)),
            provenance: Provenance::File,
        }));
    }

    /// Appends a patch row; a count of 0 is no row.
    fn row(
        &mut self,
        slot: usize,
        count: usize,
        kind: PatchType,
        section: PatchSection,
        rebase: usize,
    ) {
        let offset = slot.saturating_sub(rebase) as u64 * SLOT;
        let fits = u32::try_from(offset).ok().zip(u32::try_from(count).ok());
        if let Some((offset, count)) = fits.filter(|(_, count)| *count > 0) {
            self.rows.push(PatchRow { offset, count, kind, section });
        }
    }

    fn check_size(&self) -> Result<(), AssembleError> {
        if self.slots.len() > MAX_IMAGE_SLOTS { Err(AssembleError::TooLarge) } else { Ok(()) }
    }

    /// Branches whose target is a label of the same function get the distance to it. Others keep
    /// what the compiler wrote.
    fn resolve_labels(
        &mut self,
        labels: &BTreeMap<u64, usize>,
        open: &[OpenBranch],
        findings: &mut Findings,
    ) {
        for branch in open {
            if let Some(&target) = labels.get(&branch.label) {
                self.set_distance(branch.slot, target, Provenance::Inferred);
                continue;
            }
            let hint = self.slots.get(branch.slot).is_some_and(|slot| slot.opcode_byte() == 0xB5);
            if hint {
                findings.push(
                    Severity::Warning,
                    "image.label-unknown",
                    at_engine(self.program),
                    format!(
                        "a prefetch hint names label {}, which its function lacks",
                        branch.label
                    ),
                );
            }
        }
    }

    /// Calls become branches to their functions, exits branches to the postamble.
    fn resolve_calls(&mut self, functions: &Functions, postamble_start: usize) {
        for (slot, name) in std::mem::take(&mut self.calls) {
            let Some(index) = functions.find(&name) else { continue };
            let (Some(callee), Some(placed)) = (functions.list.get(index), self.placed.get(index))
            else {
                continue;
            };
            let target = placed.first.0 as usize;
            self.become_branch(slot, target, 0);
            // The return address, as an offset in the image: low half, then high half.
            let back = (slot as u64 + 1) * SLOT;
            let halves =
                [(2, back as u32, callee.return_low), (1, (back >> 32) as u32, callee.return_high)];
            for (before, value, register) in halves {
                if let Some(save) = slot.checked_sub(before).and_then(|at| self.slots.get_mut(at)) {
                    *save = Draft::of(*save).u32(0x14, u32::from(register)).u32(0x20, value).slot();
                }
            }
        }
        for slot in std::mem::take(&mut self.exits) {
            let flags = self.slots.get(slot).map_or(0, |old| old.u8_at(3));
            self.become_branch(slot, postamble_start, flags);
        }
    }

    /// Replaces a placeholder by an unconditional branch that keeps its events. Byte 3 of the
    /// branch is `flags`: that of the placeholder for an exit, 0 for a call.
    fn become_branch(&mut self, slot: usize, target: usize, flags: u8) {
        let Some(old) = self.slots.get(slot).copied() else { return };
        let events = old.bytes().get(0x04..0x0C).unwrap_or(&[]);
        let branch = build::branch(distance(slot, target));
        let branch = Draft::of(branch).u8(3, flags).bytes(0x04, events).slot();
        if let Some(place) = self.slots.get_mut(slot) {
            *place = branch;
        }
    }

    /// Branches of steps to steps.
    fn resolve_steps(
        &mut self,
        preamble: &Pieces,
        preamble_start: usize,
        postamble: &Pieces,
        postamble_start: usize,
    ) {
        let start_of = |step: u16| {
            let in_region =
                |pieces: &Pieces, start: usize| pieces.starts.get(&step).map(|at| start + at);
            in_region(preamble, preamble_start).or_else(|| in_region(postamble, postamble_start))
        };
        for (pieces, start) in [(preamble, preamble_start), (postamble, postamble_start)] {
            for (at, piece) in pieces.slots.iter().enumerate() {
                if let Some(target) = piece.branch_to.and_then(start_of) {
                    self.set_distance(start + at, target, Provenance::File);
                }
            }
        }
    }

    fn set_distance(&mut self, slot: usize, target: usize, provenance: Provenance) {
        let value = u64::from(distance(slot, target) as u32);
        if let Some(place) = self.slots.get_mut(slot) {
            *place = Draft::of(*place).u64(0x30, value).slot();
        }
        if let Some(info) = self.info.get_mut(slot) {
            info.provenance = info.provenance.max(provenance);
        }
    }

    fn finish(
        mut self,
        profile: &Profile,
        inputs: &Inputs,
        functions: &Functions,
        ranges: ImageRanges,
    ) -> Image {
        let provenance = self.info.iter().map(|info| info.provenance).max();
        let records = |function: &Function| function.records.len() as u32;
        let source = SourceCounts {
            main: functions.main().map_or(0, records),
            functions: functions.list.iter().skip(1).map(records).sum(),
        };
        let steps: Vec<StepInfo> = profile.steps.iter().map(step_info).collect();
        self.explain(profile, inputs);
        Image {
            engine: self.program.engine,
            profile: profile.name.clone(),
            slots: self.slots,
            info: self.info,
            rows: self.rows,
            ranges,
            functions: self.placed,
            steps,
            source,
            provenance: provenance.unwrap_or(profile.provenance),
            reasons: self
                .reasons
                .into_iter()
                .map(|(provenance, text)| Reason { provenance, text })
                .collect(),
        }
    }

    /// Reasons that come from the profile and its inputs.
    fn explain(&mut self, profile: &Profile, inputs: &Inputs) {
        if profile.provenance != Provenance::Observed {
            let text = format!("profile `{}`: {}", profile.name, profile.about);
            self.reasons.insert((profile.provenance, text));
        }
        if inputs.provenance == Provenance::Configured {
            let text = "core, request page and ring bases are configured values; a device's allocator chooses them";
            self.reasons.insert((Provenance::Configured, text.to_owned()));
        }
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

/// Bytes from a branch to its target, both in slots. Images are below 4 GiB, so the low 32 bits
/// are the signed distance.
fn distance(slot: usize, target: usize) -> i32 {
    (target as i64 * 64 - slot as i64 * 64) as i32
}
