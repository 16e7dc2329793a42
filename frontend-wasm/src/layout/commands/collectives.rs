//! Commands of the Collectives view.

use super::{Command, Reach, command, letter, named, opened};
use crate::layout::keys::{Chord, Key};
use crate::layout::state::State;

const fn collectives(
    id: &'static str,
    title: &'static str,
    keys: &'static [Chord],
    ready: fn(&State) -> Result<(), &'static str>,
) -> Command {
    command(id, title, "Collectives", keys, Reach::Collectives, ready)
}

fn listed(state: &State) -> Result<(), &'static str> {
    match state.collectives.rows.is_empty() {
        _ if state.collectives.decoder.open => Err("the decoder is open"),
        true => Err("there is no entry"),
        false => Ok(()),
    }
}

fn moves(state: &State) -> Result<(), &'static str> {
    let empty = state.collectives.rows.is_empty() && state.collectives.shown().is_none();
    if empty { Err("there is no entry") } else { Ok(()) }
}

fn bits(state: &State) -> Result<(), &'static str> {
    if state.collectives.shown().is_some() { Ok(()) } else { Err("no entry is shown") }
}

fn steps(state: &State) -> Result<(), &'static str> {
    let has = state.collectives.schedule.head.is_some();
    if has { Ok(()) } else { Err("this collective has no schedule") }
}

fn several_ranks(state: &State) -> Result<(), &'static str> {
    let ranks = state.collectives.plan.as_ref().map_or(0, |plan| plan.ranks.len());
    if ranks > 1 { Ok(()) } else { Err("one executable is open, which is one rank") }
}

/// The commands, in the order of the palette and of the key sheet.
pub const COMMANDS: &[Command] = &[
    collectives(
        "search",
        "Search entries; the decoder's word",
        &[Chord::new(Key::Sign('/'))],
        opened,
    ),
    collectives("coll-next", "Next entry, or field with the fields", &[named("ArrowDown")], moves),
    collectives("coll-previous", "Previous entry or field", &[named("ArrowUp")], moves),
    collectives("coll-field-next", "Next field of the entry", &[named("ArrowRight")], bits),
    collectives("coll-field-previous", "Previous field", &[named("ArrowLeft")], bits),
    collectives("coll-page-down", "Further down", &[named("PageDown")], listed),
    collectives("coll-page-up", "Further up", &[named("PageUp")], listed),
    collectives("coll-first", "First entry", &[named("Home")], listed),
    collectives("coll-last", "Last entry", &[named("End")], listed),
    collectives("coll-open", "Record of the collective in Code", &[named("Enter")], listed),
    collectives(
        "coll-step-next",
        "Next step of the schedule",
        &[Chord::new(Key::Sign('.'))],
        steps,
    ),
    collectives("coll-step-previous", "Previous step", &[Chord::new(Key::Sign(','))], steps),
    collectives("coll-top-sp", "Entries of the next TOP_SP, or of all", &[letter('t')], listed),
    collectives("coll-rank", "Next rank", &[letter('r')], several_ranks),
    collectives(
        "coll-names",
        "Names of algorithms: enc_alg_type or enc_pattern",
        &[letter('m')],
        opened,
    ),
    collectives("coll-decoder", "Table or decoder", &[letter('w')], opened),
    collectives("coll-edit", "Edit the entry in the decoder", &[letter('e')], listed),
    collectives(
        "coll-part-next",
        "Plan, step, ranks, findings",
        &[Chord::new(Key::Sign(']'))],
        opened,
    ),
    collectives("coll-part-previous", "The one before", &[Chord::new(Key::Sign('['))], opened),
];
