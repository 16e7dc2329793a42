//! Rooms of the runtime's builder, and what does not fit into them.
//! Spec: docs/format/image.md "Rooms" [observed].

use neff::{Findings, Severity};
use records::Engine;

use crate::condition::Gate;
use crate::image::Room;
use crate::layout::SLOT;
use crate::patch_list::{MODEL_CAPACITY, PatchList, SECTION_CAPACITY};
use crate::profile::{Buffer, Profile};
use crate::program::{Program, QueueKind};
use crate::recipe::{MAX_QUEUES, Pieces};

/// Most slots of an image: all of its byte offsets fit 32 bits, as patch rows need it.
pub const MAX_IMAGE_SLOTS: u32 = u32::MAX / 64;
/// Most slots that an image may have beyond those of its stream: 256 MiB. Each record of a small
/// file can ask for thousands.
pub const MAX_INSERTED_SLOTS: u32 = 1 << 22;
/// Bytes of the output buffer at first, beyond those of the stream.
/// Spec: docs/format/image.md "Rooms" [observed].
pub const OUTPUT_HEADROOM_BYTES: u64 = 0x1_0100;
/// Most bytes of the postamble without the reset branch.
/// Spec: docs/format/image.md "Rooms" [observed].
pub const POSTAMBLE_BYTES: u64 = 0x1_0000;

/// The rooms of one image.
pub(crate) fn rooms(
    program: Program<'_>,
    profile: &Profile,
    regions: [&Pieces; 2],
    image_slots: usize,
    lists: [&PatchList; 3],
) -> Vec<Room> {
    let bytes = |slots: usize| slots as u64 * SLOT;
    let postamble = regions.get(1).map_or(0, |pieces| pieces.slots.len().saturating_sub(1));
    let output = bytes(image_slots);
    let reserved = program.stream_bytes() + OUTPUT_HEADROOM_BYTES;
    let mut rooms = vec![
        Room { what: "output buffer", used: output, reserved, grown: Some(reserved.max(output)) },
        Room { what: "postamble", used: bytes(postamble), reserved: POSTAMBLE_BYTES, grown: None },
    ];
    for buffer in Buffer::ALL {
        let of_buffer = |step: u16| {
            profile.steps.get(usize::from(step)).is_some_and(|step| step.buffer == Some(buffer))
        };
        let pieces = regions.iter().flat_map(|pieces| &pieces.slots);
        let slots = pieces.filter(|piece| of_buffer(piece.step)).count();
        let (what, reserved) = (buffer.what(), buffer.bytes());
        rooms.push(Room { what, used: bytes(slots), reserved, grown: None });
    }
    let first = [MODEL_CAPACITY, SECTION_CAPACITY, SECTION_CAPACITY];
    let names = ["patch rows", "MAIN patch rows", "FUNCTION patch rows"];
    for ((what, list), reserved) in names.into_iter().zip(lists).zip(first) {
        rooms.push(Room {
            what,
            used: list.rows().len() as u64,
            reserved: u64::from(reserved),
            grown: Some(u64::from(list.capacity())),
        });
    }
    rooms
}

/// Findings about rooms that are too small.
pub(crate) fn check_rooms(program: Program<'_>, rooms: &[Room], findings: &mut Findings) {
    for room in rooms.iter().filter(|room| room.used > room.reserved) {
        let (what, used, reserved) = (room.what, room.used, room.reserved);
        let (severity, code, message) = match what {
            "output buffer" => (
                Severity::Warning,
                "image.output-large",
                format!(
                    "the image takes {used} bytes; the runtime reserves {reserved} at first and has to grow"
                ),
            ),
            "postamble" => (
                Severity::Error,
                "image.postamble-large",
                format!("the postamble takes {used} bytes; the runtime has room for {reserved}"),
            ),
            // The model's list has room for so few rows that it grows nearly always.
            "patch rows" => continue,
            _ if let Some(grown) = room.grown => (
                Severity::Info,
                "image.patches-grown",
                format!(
                    "{used} {what}; the runtime has room for {reserved} at first and doubles its \
                     list up to {grown}"
                ),
            ),
            _ => (
                Severity::Error,
                "image.scratch-large",
                format!("the {what} takes {used} bytes; the runtime has room for {reserved}"),
            ),
        };
        findings.push(severity, code, program.whole_place(), message);
    }
}

/// Types of queues that a loader has a ring type for, and that no capture shows.
/// Spec: docs/format/kbin.md "From queues" [observed].
const KNOWN_KINDS: [&str; 2] = ["act_load", "embedding_update"];

/// Findings about queues that a profile cannot set up.
pub(crate) fn check_queues(profile: &Profile, program: Program<'_>, findings: &mut Findings) {
    let mut push = |code, message| {
        findings.push(Severity::Warning, code, program.whole_place(), message);
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
            QueueKind::Other(word) if KNOWN_KINDS.contains(&word.as_str()) => push(
                "image.queue-recipe",
                format!("queue `{name}` is of type `{word}`: no recipe for its set-up is known"),
            ),
            QueueKind::Other(word) => push(
                "image.queue-kind",
                format!("queue `{name}` has the unknown type `{word}`; it gets no set-up"),
            ),
            QueueKind::In | QueueKind::Out | QueueKind::Data => {}
        }
    }
    let act = program.engine == Engine::Act;
    if act && program.subgraph.activation_set && !profile.asks(Gate::ActivationSet) {
        push(
            "image.activation-set",
            format!("activation set without recipe: `{}` sets up no tables for it", profile.name),
        );
    }
}
