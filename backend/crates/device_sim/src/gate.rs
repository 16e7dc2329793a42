//! Waits and updates in the form that a run needs: small, decoded once, without unknown modes.

use records::sync_mode::{Compare, UpdateKind, WaitKind};
use records::{Update, Wait};

/// A semaphore or an event of a core: 0 to 255 are semaphores, 256 to 511 events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SyncId(pub u16);

impl SyncId {
    /// Semaphores and events of a core together.
    pub const COUNT: usize = 512;

    /// A semaphore.
    pub const fn semaphore(id: u8) -> Self {
        Self(id as u16)
    }

    /// An event.
    pub const fn event(id: u8) -> Self {
        Self(256 + id as u16)
    }

    /// Whether it is an event.
    pub const fn is_event(self) -> bool {
        self.0 >= 256
    }

    /// The id among its kind.
    pub const fn id(self) -> u8 {
        (self.0 & 0xFF) as u8
    }

    /// As an index into a list of both.
    pub const fn index(self) -> usize {
        self.0 as usize
    }
}

impl std::fmt::Display for SyncId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let kind = if self.is_event() { "event" } else { "semaphore" };
        write!(f, "{kind} {}", self.id())
    }
}

/// How a wait is decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A semaphore compares.
    Semaphore(Compare),
    /// An event has this state; `flip` then turns it over.
    Event {
        /// The state waited for.
        set: bool,
        /// Whether the wait changes the event when it ends.
        flip: bool,
    },
}

/// A wait of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Gate {
    /// What is looked at.
    pub id: SyncId,
    /// How.
    pub condition: Condition,
    /// Whether `value` is the number of a register.
    pub from_register: bool,
    /// Compared value; 0 for events.
    pub value: u32,
}

impl Gate {
    /// The wait of a record; `None` for a mode without a meaning.
    pub fn of(wait: Wait) -> Option<Self> {
        Some(match wait.mode.kind()? {
            WaitKind::Semaphore { compare, register } => Self {
                id: SyncId::semaphore(wait.index),
                condition: Condition::Semaphore(compare),
                from_register: register,
                value: wait.value,
            },
            WaitKind::Event { set, flip } => Self {
                id: SyncId::event(wait.index),
                condition: Condition::Event { set, flip },
                from_register: false,
                value: 0,
            },
        })
    }

    /// Whether a state of the looked-at thing lets it through. Semaphores compare as signed numbers.
    #[inline]
    pub const fn holds(&self, state: i32, value: u32) -> bool {
        match self.condition {
            Condition::Semaphore(compare) => compare.holds(state as u32, value),
            Condition::Event { set, .. } => (state != 0) == set,
        }
    }

    /// In words: `semaphore 5 >= 3`, `event 8 set`.
    pub fn words(&self, value: u32) -> String {
        match self.condition {
            Condition::Semaphore(compare) => {
                format!("{} {} {}", self.id, compare.sign(), value as i32)
            }
            Condition::Event { set: true, .. } => format!("{} set", self.id),
            Condition::Event { set: false, .. } => format!("{} clear", self.id),
        }
    }
}

/// An update of a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Effect {
    /// What is changed.
    pub id: SyncId,
    /// How.
    pub kind: UpdateKind,
    /// Whether `value` is the number of a register.
    pub from_register: bool,
    /// Whether it happens when the record is done rather than when it starts.
    pub at_completion: bool,
    /// The value; 1 for `++` and `--`.
    pub value: u32,
}

impl Effect {
    /// The update of a record; `None` for a mode without a meaning.
    pub fn of(update: Update) -> Option<Self> {
        let kind = update.mode.kind()?;
        let id = if kind.is_event() {
            SyncId::event(update.index)
        } else {
            SyncId::semaphore(update.index)
        };
        let value = match kind {
            UpdateKind::Increment | UpdateKind::Decrement => 1,
            _ => update.value,
        };
        Some(Self {
            id,
            kind,
            from_register: update.mode.from_register(),
            at_completion: update.mode.at_completion(),
            value,
        })
    }

    /// Something added to a semaphore from outside the record that started it.
    pub const fn add(id: u8, value: u32) -> Self {
        Self {
            id: SyncId::semaphore(id),
            kind: UpdateKind::Add,
            from_register: false,
            at_completion: true,
            value,
        }
    }

    /// An event that is set from outside.
    pub const fn set_event(id: u8) -> Self {
        Self {
            id: SyncId::event(id),
            kind: UpdateKind::EventSet,
            from_register: false,
            at_completion: true,
            value: 0,
        }
    }

    /// Whether it can make a wait of this kind hold: raises for `>=`, sets for set, and so on. A
    /// write helps if its value does; values of registers are taken to.
    pub const fn can_help(&self, gate: &Gate) -> bool {
        if self.id.0 != gate.id.0 {
            return false;
        }
        match (self.kind, gate.condition) {
            (UpdateKind::EventSet, Condition::Event { set, .. }) => set,
            (UpdateKind::EventClear, Condition::Event { set, .. }) => !set,
            (UpdateKind::Increment | UpdateKind::Add, Condition::Semaphore(compare)) => {
                !matches!(compare, Compare::Less | Compare::LessOrEqual)
            }
            (UpdateKind::Decrement | UpdateKind::Subtract, Condition::Semaphore(compare)) => {
                !matches!(compare, Compare::Greater | Compare::GreaterOrEqual)
            }
            (UpdateKind::Write, Condition::Semaphore(_)) => {
                self.from_register
                    || gate.from_register
                    || gate.holds(self.value as i32, gate.value)
            }
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use records::sync_mode::{UpdateMode, WaitMode};

    fn gate(mode: u8, value: u32) -> Gate {
        Gate::of(Wait { mode: WaitMode(mode), index: 7, value }).unwrap()
    }

    #[test]
    fn every_wait_mode_decides_as_the_table_says() {
        // Mode, value, states that pass, states that do not.
        let table: [(u8, u32, &[i32], &[i32]); 9] = [
            (0x01, 3, &[3], &[2, 4]),
            (0x02, 3, &[2, -1], &[3, 4]),
            (0x03, 3, &[3, -5], &[4]),
            (0x04, 0, &[1], &[0, -1]),
            (0x05, 16, &[16, 17], &[15, -1]),
            (0x06, 0, &[1], &[0]),
            (0x07, 0, &[1], &[0]),
            (0x0E, 0, &[0], &[1]),
            (0x0F, 0, &[0], &[1]),
        ];
        for (mode, value, pass, stop) in table {
            let gate = gate(mode, value);
            assert!(pass.iter().all(|state| gate.holds(*state, value)), "{mode:#x}");
            assert!(!stop.iter().any(|state| gate.holds(*state, value)), "{mode:#x}");
            assert_eq!(gate.id.is_event(), mode >= 6, "{mode:#x}");
        }
        assert!(gate(0x85, 9).from_register);
        assert_eq!(Gate::of(Wait { mode: WaitMode(0x2A), index: 0, value: 0 }), None);
        assert_eq!(gate(5, 16).words(16), "semaphore 7 >= 16");
        assert_eq!(gate(7, 0).words(0), "event 7 set");
    }

    #[test]
    fn updates_keep_what_they_do_and_when() {
        let of = |mode, value| Effect::of(Update { mode: UpdateMode(mode), index: 5, value });
        let effect = of(0x13, 99).unwrap();
        assert_eq!(
            (effect.kind, effect.value, effect.at_completion),
            (UpdateKind::Increment, 1, true)
        );
        let effect = of(0x87, 4).unwrap();
        assert_eq!(
            (effect.kind, effect.value, effect.from_register, effect.at_completion),
            (UpdateKind::Subtract, 4, true, false)
        );
        assert!(of(0x11, 0).unwrap().id.is_event());
        assert_eq!(of(0x33, 0), None);
    }

    #[test]
    fn an_increment_helps_who_waits_for_more() {
        let add = Effect::add(7, 16);
        assert!(add.can_help(&gate(5, 16)) && add.can_help(&gate(1, 16)));
        assert!(!add.can_help(&gate(2, 16)));
        assert!(Effect::set_event(7).can_help(&gate(7, 0)));
        assert!(!Effect::set_event(7).can_help(&gate(0x0E, 0)));
        assert!(!Effect::add(8, 1).can_help(&gate(5, 16)));
        let write = |value| Effect { kind: UpdateKind::Write, ..Effect::add(7, value) };
        assert!(write(20).can_help(&gate(5, 16)) && !write(0).can_help(&gate(5, 16)));
    }
}
