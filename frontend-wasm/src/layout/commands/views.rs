//! Commands of the Structs, Bytes, Memory and Timeline views.

use super::{Command, Reach, command, letter, named, opened, place};
use crate::layout::keys::{Chord, Key};
use crate::layout::state::State;

const RECORDS: &str = "Records";
const BYTES: &str = "Bytes";
const MEMORY: &str = "Memory";
const TIMELINE: &str = "Timeline";

const fn structs(
    id: &'static str,
    title: &'static str,
    keys: &'static [Chord],
    ready: fn(&State) -> Result<(), &'static str>,
) -> Command {
    command(id, title, RECORDS, keys, Reach::Structs, ready)
}

const fn memory(
    id: &'static str,
    title: &'static str,
    keys: &'static [Chord],
    ready: fn(&State) -> Result<(), &'static str>,
) -> Command {
    command(id, title, MEMORY, keys, Reach::Memory, ready)
}

fn planned(state: &State) -> Result<(), &'static str> {
    if state.memory.plans.is_some() { Ok(()) } else { Err("there is no plan") }
}

fn picked(state: &State) -> Result<(), &'static str> {
    if state.memory.picked.is_some() { Ok(()) } else { Err("no variable is selected") }
}

const fn timeline(
    id: &'static str,
    title: &'static str,
    keys: &'static [Chord],
    ready: fn(&State) -> Result<(), &'static str>,
) -> Command {
    command(id, title, TIMELINE, keys, Reach::Timeline, ready)
}

const fn sign(sign: char) -> Chord {
    Chord::new(Key::Sign(sign))
}

fn timed(state: &State) -> Result<(), &'static str> {
    if state.timeline.answer.is_some() { Ok(()) } else { Err("there is no timeline") }
}

fn program(state: &State) -> Result<(), &'static str> {
    if state.regions.is_some() { Ok(()) } else { Err("no executable is open") }
}

const fn bytes(
    id: &'static str,
    title: &'static str,
    keys: &'static [Chord],
    ready: fn(&State) -> Result<(), &'static str>,
) -> Command {
    command(id, title, BYTES, keys, Reach::Bytes, ready)
}

fn shown(state: &State) -> Result<(), &'static str> {
    if state.structs.record.is_some() { Ok(()) } else { Err("no record is shown") }
}

fn some(state: &State) -> Result<(), &'static str> {
    if state.bytes.total() > 0 { Ok(()) } else { Err("there are no bytes") }
}

fn slots(state: &State) -> Result<(), &'static str> {
    match state.bytes.of.of.as_str() {
        "image" | "stream" => some(state),
        _ => Err("these bytes are no slots of an engine"),
    }
}

/// The commands, in the order of the palette and of the key sheet.
pub const COMMANDS: &[Command] = &[
    structs("search", "Search names and values", &[Chord::new(Key::Sign('/'))], opened),
    structs("record-next", "Next record or field", &[named("ArrowDown")], opened),
    structs("record-previous", "Previous record or field", &[named("ArrowUp")], opened),
    structs("record-in", "Show what is below a record", &[named("ArrowRight")], opened),
    structs("record-out", "Hide it, or go to its parent", &[named("ArrowLeft")], opened),
    structs("record-page-down", "Further down", &[named("PageDown")], opened),
    structs("record-page-up", "Further up", &[named("PageUp")], opened),
    structs("record-first", "First record or field", &[named("Home")], opened),
    structs("record-last", "Last record or field", &[named("End")], opened),
    structs("record-open", "Go to the fields; follow a field", &[named("Enter")], opened),
    structs("record-bytes", "Bytes of the record or field", &[letter('h')], shown),
    bytes("search", "Search members", &[Chord::new(Key::Sign('/'))], opened),
    bytes("byte-next", "Next byte", &[named("ArrowRight")], some),
    bytes("byte-previous", "Previous byte", &[named("ArrowLeft")], some),
    bytes("byte-down", "Row, member or field below", &[named("ArrowDown")], opened),
    bytes("byte-up", "Row, member or field above", &[named("ArrowUp")], opened),
    bytes("extend-next", "Select one byte more", &[named("ArrowRight").shift()], some),
    bytes("extend-previous", "Select one byte less", &[named("ArrowLeft").shift()], some),
    bytes("extend-down", "Select a row more", &[named("ArrowDown").shift()], some),
    bytes("extend-up", "Select a row less", &[named("ArrowUp").shift()], some),
    bytes("byte-page-down", "Page down", &[named("PageDown")], some),
    bytes("byte-page-up", "Page up", &[named("PageUp")], some),
    bytes("byte-row-start", "Start of the row", &[named("Home")], some),
    bytes("byte-row-end", "End of the row", &[named("End")], some),
    bytes("byte-first", "First byte", &[named("Home").ctrl()], some),
    bytes("byte-last", "Last byte", &[named("End").ctrl()], some),
    bytes("byte-open", "Open the member; select the field", &[named("Enter")], opened),
    bytes("reading", "Next reading of the value: u32 to text", &[letter('t')], some),
    bytes("inspector", "Show or hide the value inspector", &[letter('t').shift()], opened),
    bytes("as-text", "Show as text or as digits", &[letter('x')], some),
    bytes("copy-hex", "Copy as hex", &[letter('c').ctrl()], some),
    bytes("copy-c", "Copy as C array", &[letter('c').shift()], some),
    bytes("copy-offset", "Copy the address", &[letter('o').shift()], some),
    memory("search", "Search variables or regions", &[Chord::new(Key::Sign('/'))], opened),
    memory(
        "memory-next",
        "Next variable or region",
        &[named("ArrowDown"), named("ArrowRight")],
        opened,
    ),
    memory(
        "memory-previous",
        "Previous variable or region",
        &[named("ArrowUp"), named("ArrowLeft")],
        opened,
    ),
    memory("memory-page-down", "Further down", &[named("PageDown")], opened),
    memory("memory-page-up", "Further up", &[named("PageUp")], opened),
    memory("memory-first", "First variable or region", &[named("Home")], opened),
    memory("memory-last", "Last variable or region", &[named("End")], opened),
    memory("memory-open", "Record of the variable in Structs", &[named("Enter")], opened),
    memory("memory-mode", "Paged, contiguous, or both", &[letter('m')], planned),
    memory("memory-scale", "Page map: whole pages or used bytes", &[letter('w')], planned),
    memory("memory-bank", "Next HBM", &[letter('h')], planned),
    memory("memory-load", "Load all subgraphs or one", &[letter('u')], planned),
    memory("memory-part-next", "Next part", &[Chord::new(Key::Sign(']'))], opened),
    memory("memory-part-previous", "Previous part", &[Chord::new(Key::Sign('['))], opened),
    memory("memory-calculate", "Calculate with the variable's range", &[], picked),
    timeline("time-in", "Zoom in", &[place("KeyW"), sign('+'), sign('=')], timed),
    timeline("time-out", "Zoom out", &[place("KeyS"), sign('-')], timed),
    timeline("time-left", "Pan to earlier", &[place("KeyA")], timed),
    timeline("time-right", "Pan to later", &[place("KeyD")], timed),
    timeline("time-all", "Whole trace", &[letter('0')], timed),
    timeline("time-fit", "Fit the event or the range", &[letter('f')], timed),
    timeline("time-range", "Make the event a range", &[letter('r')], timed),
    timeline("range-longer", "Range: later end", &[named("ArrowRight").shift()], timed),
    timeline("range-shorter", "Range: earlier end", &[named("ArrowLeft").shift()], timed),
    timeline("event-next", "Next event of the track", &[named("ArrowRight"), sign('.')], timed),
    timeline("event-previous", "Previous event", &[named("ArrowLeft"), sign(',')], timed),
    timeline("row-next", "Nearest event, row below", &[named("ArrowDown")], timed),
    timeline("row-previous", "Nearest event, row above", &[named("ArrowUp")], timed),
    timeline("event-first", "First event of the row", &[named("Home")], timed),
    timeline("event-last", "Last event of the row", &[named("End")], timed),
    timeline("link-after", "Follow what depends on the event", &[sign(']')], timed),
    timeline("link-before", "Follow what the event depends on", &[sign('[')], timed),
    timeline("time-code", "Slot of the event in Code", &[named("Enter")], timed),
    timeline("writer", "Who wrote this semaphore before", &[letter('x')], timed),
    timeline("time-source", "Captured or simulated run", &[letter('v')], program),
    command("run-timeline", "Timeline of the run", TIMELINE, &[], Reach::Page, program),
    timeline("time-unit", "Unit: ns, µs, cycles", &[letter('u')], timed),
    timeline("time-fold", "Fold or unfold the group", &[letter('z')], timed),
    timeline("time-pin", "Keep the row on top", &[letter('p')], timed),
    timeline("time-mark", "Mark the event or range for now", &[letter('m')], timed),
    timeline("time-mark-keep", "Mark it for good, or no longer", &[letter('m').shift()], timed),
    timeline("time-table", "Table of this view", &[letter('t')], timed),
    timeline("export-perfetto", "Save the timeline for Perfetto", &[], timed),
    timeline("export-json", "Save the timeline as Trace Event JSON", &[], timed),
    timeline("export-csv", "Save the timeline as CSV", &[], timed),
    timeline("open-perfetto", "Open the timeline in Perfetto", &[], timed),
    bytes("byte-code", "Slot at the cursor in Code", &[letter('j')], slots),
];
