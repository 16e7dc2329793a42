//! The mode bytes of waits and updates, and what each means.
//!
//! Bytes without a meaning are kept as they are and answer `None`.

use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

/// A wait mode byte.
/// Spec: docs/format/streams.md "Waits" [observed].
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(transparent)]
pub struct WaitMode(pub u8);

/// An update mode byte.
/// Spec: docs/format/streams.md "Updates" [observed; register forms other than 0x99 inferred].
#[derive(
    Clone, Copy, PartialEq, Eq, Hash, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(transparent)]
pub struct UpdateMode(pub u8);

/// How a semaphore is compared. Semaphores are 32-bit counters compared as signed numbers.
/// Spec: docs/format/streams.md "Waits" [observed].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    /// `==`
    Equal,
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
}

impl Compare {
    /// The sign, `== < <= > >=`.
    pub const fn sign(self) -> &'static str {
        match self {
            Self::Equal => "==",
            Self::Less => "<",
            Self::LessOrEqual => "<=",
            Self::Greater => ">",
            Self::GreaterOrEqual => ">=",
        }
    }

    /// Whether a semaphore of this value lets the wait through.
    pub const fn holds(self, semaphore: u32, value: u32) -> bool {
        let (semaphore, value) = (semaphore as i32, value as i32);
        match self {
            Self::Equal => semaphore == value,
            Self::Less => semaphore < value,
            Self::LessOrEqual => semaphore <= value,
            Self::Greater => semaphore > value,
            Self::GreaterOrEqual => semaphore >= value,
        }
    }
}

/// What a wait mode waits for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WaitKind {
    /// A semaphore that compares with the value, or with a register if `register`.
    Semaphore {
        /// The comparison.
        compare: Compare,
        /// The value is the number of a register.
        register: bool,
    },
    /// An event that is set or clear; `flip` turns it over when the wait ends.
    Event {
        /// The state waited for.
        set: bool,
        /// Whether the wait then changes the event to the other state.
        flip: bool,
    },
}

/// What an update mode does, apart from when.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UpdateKind {
    /// Sets an event.
    EventSet,
    /// Clears an event.
    EventClear,
    /// Adds 1 to a semaphore.
    Increment,
    /// Subtracts 1 from a semaphore.
    Decrement,
    /// Adds the value.
    Add,
    /// Subtracts the value.
    Subtract,
    /// Writes the value.
    Write,
}

impl UpdateKind {
    /// Whether the value beside the mode counts.
    pub const fn takes_value(self) -> bool {
        matches!(self, Self::Add | Self::Subtract | Self::Write)
    }

    /// Whether the index is an event; a semaphore otherwise.
    pub const fn is_event(self) -> bool {
        matches!(self, Self::EventSet | Self::EventClear)
    }
}

macro_rules! modes {
    ($type:ident { $($value:literal $name:ident $doc:literal;)* }) => {
        impl $type {
            $(#[doc = $doc] pub const $name: Self = Self($value);)*

            /// The constant's name; `None` for a byte without a meaning.
            pub const fn name(self) -> Option<&'static str> {
                match self.0 {
                    $($value => Some(stringify!($name)),)*
                    _ => None,
                }
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{:#04x} {}", self.0, self.name().unwrap_or("unknown"))
            }
        }
    };
}

modes!(WaitMode {
    0x00 NONE "No wait.";
    0x01 EQUAL "Semaphore `==` value.";
    0x02 LESS "Semaphore `<` value.";
    0x03 LESS_OR_EQUAL "Semaphore `<=` value.";
    0x04 GREATER "Semaphore `>` value.";
    0x05 GREATER_OR_EQUAL "Semaphore `>=` value.";
    0x06 EVENT_SET "Event is set.";
    0x07 EVENT_SET_CLEAR "Event is set; it is then cleared.";
    0x0e EVENT_CLEAR "Event is clear.";
    0x0f EVENT_CLEAR_SET "Event is clear; it is then set.";
    0x81 EQUAL_REGISTER "Semaphore `==` register.";
    0x82 LESS_REGISTER "Semaphore `<` register.";
    0x83 LESS_OR_EQUAL_REGISTER "Semaphore `<=` register.";
    0x84 GREATER_REGISTER "Semaphore `>` register.";
    0x85 GREATER_OR_EQUAL_REGISTER "Semaphore `>=` register.";
    0xff INVALID "Marked invalid.";
});

modes!(UpdateMode {
    0x00 NONE "No update.";
    0x01 EVENT_SET "Sets the event.";
    0x02 EVENT_CLEAR "Clears the event.";
    0x03 INCREMENT "Semaphore `++`.";
    0x04 DECREMENT "Semaphore `--`.";
    0x05 ADD "Semaphore `+=` value.";
    0x07 SUBTRACT "Semaphore `-=` value.";
    0x09 WRITE "Semaphore `=` value.";
    0x11 EVENT_SET_COMPLETE "Sets the event at completion.";
    0x12 EVENT_CLEAR_COMPLETE "Clears the event at completion.";
    0x13 INCREMENT_COMPLETE "Semaphore `++` at completion.";
    0x14 DECREMENT_COMPLETE "Semaphore `--` at completion.";
    0x15 ADD_COMPLETE "Semaphore `+=` value at completion.";
    0x17 SUBTRACT_COMPLETE "Semaphore `-=` value at completion.";
    0x19 WRITE_COMPLETE "Semaphore `=` value at completion.";
    0x85 ADD_REGISTER "Semaphore `+=` register.";
    0x87 SUBTRACT_REGISTER "Semaphore `-=` register.";
    0x89 WRITE_REGISTER "Semaphore `=` register.";
    0x95 ADD_REGISTER_COMPLETE "Semaphore `+=` register at completion.";
    0x97 SUBTRACT_REGISTER_COMPLETE "Semaphore `-=` register at completion.";
    0x99 WRITE_REGISTER_COMPLETE "Semaphore `=` register at completion.";
    0xff INVALID "Marked invalid.";
});

impl WaitMode {
    const REGISTER: u8 = 0x80;

    /// The meaning; `None` for no wait and for a byte without a meaning.
    pub const fn kind(self) -> Option<WaitKind> {
        let compare = match self.0 & !Self::REGISTER {
            0x01 => Compare::Equal,
            0x02 => Compare::Less,
            0x03 => Compare::LessOrEqual,
            0x04 => Compare::Greater,
            0x05 => Compare::GreaterOrEqual,
            _ => {
                return match self {
                    Self::EVENT_SET => Some(WaitKind::Event { set: true, flip: false }),
                    Self::EVENT_SET_CLEAR => Some(WaitKind::Event { set: true, flip: true }),
                    Self::EVENT_CLEAR => Some(WaitKind::Event { set: false, flip: false }),
                    Self::EVENT_CLEAR_SET => Some(WaitKind::Event { set: false, flip: true }),
                    _ => None,
                };
            }
        };
        Some(WaitKind::Semaphore { compare, register: self.0 & Self::REGISTER != 0 })
    }
}

impl UpdateMode {
    const COMPLETE: u8 = 0x10;
    const REGISTER: u8 = 0x80;

    /// The action; `None` for no update and for a byte without a meaning.
    pub const fn kind(self) -> Option<UpdateKind> {
        // Only the named bytes have a meaning: an increment has no register form.
        if self.name().is_none() {
            return None;
        }
        match self.0 & !(Self::COMPLETE | Self::REGISTER) {
            0x01 => Some(UpdateKind::EventSet),
            0x02 => Some(UpdateKind::EventClear),
            0x03 => Some(UpdateKind::Increment),
            0x04 => Some(UpdateKind::Decrement),
            0x05 => Some(UpdateKind::Add),
            0x07 => Some(UpdateKind::Subtract),
            0x09 => Some(UpdateKind::Write),
            _ => None,
        }
    }

    /// Whether the update happens when the instruction is done rather than when it starts; false
    /// for a byte without a meaning.
    pub const fn at_completion(self) -> bool {
        self.kind().is_some() && self.0 & Self::COMPLETE != 0
    }

    /// Whether the value is the number of a register; false for a byte without a meaning.
    pub const fn from_register(self) -> bool {
        self.kind().is_some() && self.0 & Self::REGISTER != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wait_modes_mean_what_the_table_says() {
        let semaphore = |compare, register| Some(WaitKind::Semaphore { compare, register });
        let event = |set, flip| Some(WaitKind::Event { set, flip });
        let table = [
            (0x01, semaphore(Compare::Equal, false)),
            (0x02, semaphore(Compare::Less, false)),
            (0x03, semaphore(Compare::LessOrEqual, false)),
            (0x04, semaphore(Compare::Greater, false)),
            (0x05, semaphore(Compare::GreaterOrEqual, false)),
            (0x06, event(true, false)),
            (0x07, event(true, true)),
            (0x0e, event(false, false)),
            (0x0f, event(false, true)),
            (0x81, semaphore(Compare::Equal, true)),
            (0x82, semaphore(Compare::Less, true)),
            (0x83, semaphore(Compare::LessOrEqual, true)),
            (0x84, semaphore(Compare::Greater, true)),
            (0x85, semaphore(Compare::GreaterOrEqual, true)),
        ];
        for code in 0..=255 {
            let want = table.iter().find(|row| row.0 == code).and_then(|row| row.1);
            assert_eq!(WaitMode(code).kind(), want, "{code:#x}");
            let named = want.is_some() || code == 0 || code == 0xff;
            assert_eq!(WaitMode(code).name().is_some(), named, "{code:#x}");
        }
    }

    #[test]
    fn update_modes_mean_what_the_table_says() {
        use UpdateKind::*;
        let table = [
            (0x01, EventSet),
            (0x02, EventClear),
            (0x03, Increment),
            (0x04, Decrement),
            (0x05, Add),
            (0x07, Subtract),
            (0x09, Write),
        ];
        for code in 0..=255_u8 {
            let base = table.iter().find(|row| row.0 == code & 0x6f).map(|row| row.1);
            let register = code & 0x80 != 0;
            // Only the actions with a value have a register form.
            let want = base.filter(|kind| !register || kind.takes_value());
            let mode = UpdateMode(code);
            assert_eq!(mode.kind(), want, "{code:#x}");
            assert_eq!(mode.at_completion(), want.is_some() && code & 0x10 != 0, "{code:#x}");
            assert_eq!(mode.from_register(), want.is_some() && register, "{code:#x}");
            let named = want.is_some() || code == 0 || code == 0xff;
            assert_eq!(mode.name().is_some(), named, "{code:#x}");
        }
    }

    #[test]
    fn semaphores_compare_as_signed_numbers() {
        let minus_one = u32::MAX;
        assert!(Compare::Less.holds(minus_one, 0));
        assert!(!Compare::Greater.holds(minus_one, 0));
        assert!(Compare::LessOrEqual.holds(3, 3) && Compare::GreaterOrEqual.holds(3, 3));
        assert!(Compare::Equal.holds(3, 3) && !Compare::Equal.holds(3, 4));
        assert!(!Compare::Greater.holds(16, 16) && Compare::Greater.holds(17, 16));
    }
}
