//! Words of events, each made once.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::{Record, Words};
use crate::event::{Event, NO_SLOT};
use crate::track::TrackKind;

/// Name and record of an event.
#[derive(Clone, Debug, Default)]
pub struct Named {
    /// What it is.
    pub name: String,
    /// The record that it executed.
    pub record: Option<Record>,
}

/// Words that were asked for before.
pub struct Names<'a> {
    words: &'a dyn Words,
    known: BTreeMap<(TrackKind, u32), Rc<Named>>,
    cycles: BTreeMap<TrackKind, Option<u64>>,
}

impl<'a> Names<'a> {
    /// No words yet.
    pub fn new(words: &'a dyn Words) -> Self {
        Self { words, known: BTreeMap::new(), cycles: BTreeMap::new() }
    }

    /// What tells the words of two events of a track apart.
    pub const fn key(kind: TrackKind, event: &Event) -> u32 {
        match kind {
            TrackKind::Engine(_) => event.slot,
            _ => event.kind as u32,
        }
    }

    /// Femtoseconds of a cycle of a track's clock.
    pub fn cycle_fs(&mut self, kind: TrackKind) -> Option<u64> {
        *self.cycles.entry(kind).or_insert_with(|| self.words.cycle_fs(kind))
    }

    /// Words of an event.
    pub fn of(&mut self, kind: TrackKind, event: &Event) -> Rc<Named> {
        let named = self.known.entry((kind, Self::key(kind, event))).or_insert_with(|| {
            let is_engine = matches!(kind, TrackKind::Engine(_)) && event.slot != NO_SLOT;
            let record = if is_engine { self.words.record(kind, event.slot) } else { None };
            Rc::new(Named { name: self.words.name(kind, event), record })
        });
        Rc::clone(named)
    }
}
