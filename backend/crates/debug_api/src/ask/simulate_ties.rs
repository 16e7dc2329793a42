//! Whether a result depends on what happens first at one instant, and the two accesses that decide.

use super::simulate_places::Places;
use super::simulate_run::{cancelled, whole};
use super::view::View;
use crate::answer::{AccessInfo, Finding, RaceInfo, TiesInfo};
use crate::error::ApiError;
use device_sim::event::{Access, Shared, Touch};
use device_sim::gate::SyncId;
use device_sim::posters::{EngineRef, SlotRef};
use device_sim::race::{self, Difference};
use device_sim::{Machine, Outcome};

/// Compares a shuffled run with one in the stated order. `shuffled` and `stated` make machines that
/// have not run.
///
/// # Errors
/// `run.cancelled` when it is not wanted any more.
pub fn ties<'a>(
    (machine, outcome): (&Machine<'a>, &Outcome),
    views: &[&View<'a>],
    shuffled: &dyn Fn() -> Machine<'a>,
    stated: &dyn Fn() -> Machine<'a>,
    progress: &dyn Fn(u64) -> bool,
) -> Result<Option<TiesInfo>, ApiError> {
    let mut other = stated();
    let end = whole(&mut other, progress, 0)?;
    let is_cut = *outcome == Outcome::Budget || end == Outcome::Budget;
    let differences = if is_cut { Vec::new() } else { other.differences(&end, (machine, outcome)) };
    let mut made = TiesInfo {
        compared: !is_cut,
        depends: !differences.is_empty(),
        stated: end.word().to_owned(),
        shuffled: outcome.word().to_owned(),
        differences: differences.iter().map(|one| difference(machine, one)).collect(),
        race: None,
        words: Vec::new(),
    };
    if is_cut {
        made.words.push(
            "Both orders were not compared: a run that the events end may be cut at different places."
                .to_owned(),
        );
    } else if differences.is_empty() {
        made.words.push(
            "In the stated order the run ends the same: with this seed nothing depends on what is \
             first at one instant."
                .to_owned(),
        );
    } else {
        let before = other.steps();
        let stopped = || !progress(before);
        let found = race::find(&mut stated(), &mut shuffled(), &stopped);
        if found.is_none() && stopped() {
            return Err(cancelled(before));
        }
        let places = Places { machine, views };
        made.race = found.map(|found| race(&places, &found.first, &found.second));
        made.words.push(match &made.race {
            Some(race) => format!("This is a race. {}", race.words),
            None => "The result depends on the order of what happens at one instant; which two \
                     accesses decide was not found."
                .to_owned(),
        });
        made.words.extend(made.differences.iter().cloned());
    }
    Ok(Some(made))
}

/// The finding about a result that depends on ties.
pub fn race_finding(ties: &TiesInfo) -> Option<Finding> {
    let message = ties.words.first().filter(|_| ties.depends)?.clone();
    let place = ties.race.as_ref().and_then(|race| race.first.place.as_ref());
    let at = place.map(crate::convert::at_place).unwrap_or_default();
    Some(Finding { code: "run.race".to_owned(), severity: "warning".to_owned(), message, at })
}

fn race(places: &Places<'_, '_>, first: &Access, second: &Access) -> RaceInfo {
    let core = first.core as usize;
    let about = match first.what {
        Shared::Sync(id) => sync(places.machine, core, id),
        Shared::Address(address) => format!("the word at {address:#x}"),
        Shared::Queue(queue) => format!("queue {}", places.machine.queue_name(core, queue)),
    };
    let (first, second) = (access(places, first), access(places, second));
    RaceInfo {
        words: format!(
            "{} {} {about} and {} {} it, both after {} ps: nothing orders the two, and which is first \
             decides.",
            first.who, first.does, second.who, second.does, first.time_ps
        ),
        about,
        first,
        second,
    }
}

fn access(places: &Places<'_, '_>, one: &Access) -> AccessInfo {
    let machine = places.machine;
    let core = one.actor.core();
    let (who, place) = match one.actor.as_engine() {
        Some(engine) => {
            let at = SlotRef { of: EngineRef { core, engine }, slot: one.slot };
            (machine.slot_words(at), Some(places.place(at)))
        }
        None => {
            let queue = u8::try_from(one.slot).ok().map(|queue| machine.queue_name(core, queue));
            match queue.filter(|name| !name.is_empty() && one.actor.name() == "DMA") {
                Some(name) => (format!("a transfer of queue {name}"), None),
                None => (format!("the {}", one.actor.name()), None),
            }
        }
    };
    let source = place.as_ref().and_then(|place| {
        let view = places.views.get(core)?;
        let items = view.file.sources(view.index).items(one.actor.as_engine()?, place.neff_ip? - 1);
        let lined = items.iter().find(|item| item.file.is_some() && item.line.is_some());
        lined.or(items.first()).cloned()
    });
    AccessInfo { who, does: does(one), time_ps: one.time_ps, place, source }
}

fn does(one: &Access) -> String {
    let is_event = matches!(one.what, Shared::Sync(id) if id.is_event());
    match one.how {
        Touch::Passes => "waits for and finds".to_owned(),
        Touch::Stays => "waits in vain for".to_owned(),
        Touch::Reads(_) => "reads".to_owned(),
        Touch::Adds(n) if n < 0 => format!("takes {} off", n.unsigned_abs()),
        Touch::Adds(n) => format!("adds {n} to"),
        Touch::Writes(0) if is_event => "clears".to_owned(),
        Touch::Writes(_) if is_event => "sets".to_owned(),
        Touch::Writes(n) if matches!(one.what, Shared::Queue(_)) => {
            format!("posts {n} descriptors of")
        }
        Touch::Writes(n) => format!("writes {} to", n as i32),
    }
}

fn sync(machine: &Machine<'_>, core: usize, id: SyncId) -> String {
    if machine.n_cores() > 1 {
        format!("{id} of {}", machine.core_words(core))
    } else {
        id.to_string()
    }
}

fn difference(machine: &Machine<'_>, one: &Difference) -> String {
    match one {
        Difference::Outcome([stated, shuffled]) => {
            format!("The outcome is {stated} in the stated order and {shuffled} in this one.")
        }
        Difference::Slot(of, [stated, shuffled]) => format!(
            "{} ends at slot {stated} in the stated order and at slot {shuffled} in this one.",
            machine.engine_words(*of)
        ),
        Difference::Slots(of, [stated, shuffled]) => format!(
            "{} does {stated} slots in the stated order and {shuffled} in this one.",
            machine.engine_words(*of)
        ),
        Difference::Register(of, register, [stated, shuffled]) => format!(
            "Register {register} of {} is {stated:#x} in the stated order and {shuffled:#x} in this one.",
            machine.engine_words(*of)
        ),
        Difference::Sync(core, id, [stated, shuffled]) => {
            let name = sync(machine, *core, *id);
            let name = match name.strip_prefix('s') {
                Some(rest) => format!("S{rest}"),
                None => name.replacen('e', "E", 1),
            };
            format!("{name} ends at {stated} in the stated order and at {shuffled} in this one.")
        }
        Difference::Address(_, address, [stated, shuffled]) => {
            let text = |value: &Option<u32>| {
                value.map_or_else(|| "nothing".to_owned(), |value| format!("{value:#x}"))
            };
            format!(
                "{address:#x} holds {} in the stated order and {} in this one.",
                text(stated),
                text(shuffled)
            )
        }
        Difference::Time([stated, shuffled]) => {
            format!("The run takes {stated} ps in the stated order and {shuffled} ps in this one.")
        }
    }
}
