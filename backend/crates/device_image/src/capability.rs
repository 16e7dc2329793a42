//! What a generation of chips can do, as the builder of images asks it, and the event ids that a
//! runtime keeps for itself.
//!
//! The values of a generation are not published: the presets are inferred with low confidence, and
//! a profile can set each of them.
//! Spec: docs/format/profiles.md "Capabilities" [inferred].

use records::Provenance;
use records::assembly::configuration::{Capabilities as RawCapabilities, ReservedEvents};

use crate::program::Generation;
use crate::sync_events;

/// A capability that is there or not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Capability {
    /// Hardware descriptor generation.
    HardwareDge,
    /// Notification of software descriptor generation.
    SoftwareDgeNotification,
    /// Extended feature flags.
    ExtendedFlags,
    /// Event accelerator carve-out.
    EventCarveOut,
    /// Legacy relaxed ordering; only for targets up to 3.
    LegacyOrdering,
    /// FP8 conversion configuration.
    Fp8Conversion,
    /// Background transpose.
    BackgroundTranspose,
    /// Bound check of indirect transfers.
    BoundCheck,
    /// Library configuration of POOL.
    PoolLibrary,
    /// Argument table swap on all engines.
    ArgsSwapAll,
}

impl Capability {
    /// All, in the order of their bytes in the record, from byte 8.
    pub const ALL: [Self; 10] = [
        Self::HardwareDge,
        Self::SoftwareDgeNotification,
        Self::ExtendedFlags,
        Self::EventCarveOut,
        Self::LegacyOrdering,
        Self::Fp8Conversion,
        Self::BackgroundTranspose,
        Self::BoundCheck,
        Self::PoolLibrary,
        Self::ArgsSwapAll,
    ];

    /// The word in a profile.
    pub const fn word(self) -> &'static str {
        match self {
            Self::HardwareDge => "hardware-dge",
            Self::SoftwareDgeNotification => "software-dge-notification",
            Self::ExtendedFlags => "extended-flags",
            Self::EventCarveOut => "event-carve-out",
            Self::LegacyOrdering => "legacy-ordering",
            Self::Fp8Conversion => "fp8-conversion",
            Self::BackgroundTranspose => "background-transpose",
            Self::BoundCheck => "bound-check",
            Self::PoolLibrary => "pool-library",
            Self::ArgsSwapAll => "args-swap-all",
        }
    }

    /// The capability of a word.
    pub fn of_word(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|capability| capability.word() == word)
    }

    /// Its byte in the record.
    pub const fn byte(self) -> usize {
        8 + self as usize
    }

    const fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// The capabilities of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Capabilities {
    /// Base of relative memory addresses.
    pub memory_base: u64,
    there: u16,
    /// Those that a profile file sets itself.
    set: u16,
    memory_base_set: bool,
}

impl Capabilities {
    /// The preset of a generation.
    /// Spec: docs/format/profiles.md "Capabilities" [inferred].
    pub fn preset(generation: Generation) -> Self {
        use Capability as C;
        let cayman = [
            C::HardwareDge,
            C::ExtendedFlags,
            C::EventCarveOut,
            C::Fp8Conversion,
            C::BackgroundTranspose,
            C::PoolLibrary,
        ];
        let there: &[&[Capability]] = match generation {
            Generation::Sunda => &[&[C::LegacyOrdering]],
            Generation::Cayman => &[&cayman, &[C::LegacyOrdering]],
            Generation::Mariana => &[&cayman, &[C::ArgsSwapAll]],
        };
        let there = there.iter().copied().flatten().fold(0, |all, one| all | one.bit());
        Self { memory_base: 0, there, set: 0, memory_base_set: false }
    }

    /// Whether a capability is there.
    pub const fn has(&self, capability: Capability) -> bool {
        self.there & capability.bit() != 0
    }

    /// Sets a capability, as a profile file does.
    pub fn set(&mut self, capability: Capability, there: bool) {
        self.set |= capability.bit();
        if there {
            self.there |= capability.bit();
        } else {
            self.there &= !capability.bit();
        }
    }

    /// Sets the memory base, as a profile file does.
    pub fn set_memory_base(&mut self, base: u64) {
        (self.memory_base, self.memory_base_set) = (base, true);
    }

    /// How sure a capability is: inferred from the preset, or configured by a profile file.
    pub const fn provenance(&self, capability: Capability) -> Provenance {
        if self.set & capability.bit() != 0 { Provenance::Configured } else { Provenance::Inferred }
    }

    /// How sure the memory base is: no value is published.
    pub const fn memory_base_provenance(&self) -> Provenance {
        if self.memory_base_set { Provenance::Configured } else { Provenance::Modelled }
    }

    /// The record.
    pub fn to_raw(&self) -> RawCapabilities {
        let mut bytes = [0; RawCapabilities::TYPE.bytes];
        for (to, from) in bytes.iter_mut().zip(self.memory_base.to_le_bytes()) {
            *to = from;
        }
        for capability in Capability::ALL {
            if let Some(byte) = bytes.get_mut(capability.byte()) {
                *byte = u8::from(self.has(capability));
            }
        }
        RawCapabilities::of(&bytes).copied().unwrap_or_else(|_| RawCapabilities::zero())
    }
}

/// The reserved ids, the same on all generations.
/// Spec: docs/format/profiles.md "Reserved events" [observed].
pub fn reserved_events(_: Generation) -> ReservedEvents {
    sync_events::reserved_events()
}

/// How sure the ids of [`reserved_events`] are.
pub const fn reserved_events_provenance(_: Generation) -> Provenance {
    Provenance::Observed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_bytes(capabilities: Capabilities) -> Vec<usize> {
        let raw = capabilities.to_raw();
        (0..32).filter(|&at| raw.bytes()[at] != 0).collect()
    }

    /// Sunda: ordering (12). Cayman: DGE, flags, carve-out, ordering, FP8, transpose, library.
    /// Mariana: no ordering, argument swap (17).
    #[test]
    fn presets_by_byte() {
        let of = |generation| set_bytes(Capabilities::preset(generation));
        assert_eq!(of(Generation::Sunda), [12]);
        assert_eq!(of(Generation::Cayman), [8, 10, 11, 12, 13, 14, 16]);
        assert_eq!(of(Generation::Mariana), [8, 10, 11, 13, 14, 16, 17]);
    }

    #[test]
    fn a_set_capability_is_configured() {
        let mut capabilities = Capabilities::preset(Generation::Sunda);
        capabilities.set(Capability::BoundCheck, true);
        capabilities.set(Capability::LegacyOrdering, false);
        capabilities.set_memory_base(0x0102);
        assert_eq!(set_bytes(capabilities), [0, 1, 15]);
        assert_eq!(capabilities.provenance(Capability::BoundCheck), Provenance::Configured);
        assert_eq!(capabilities.provenance(Capability::HardwareDge), Provenance::Inferred);
    }

    #[test]
    fn words_and_bytes_are_those_of_the_record() {
        let fields = RawCapabilities::TYPE.fields;
        for capability in Capability::ALL {
            let field = fields.iter().find(|field| usize::from(field.offset) == capability.byte());
            let name = capability.word().replace('-', "_");
            assert_eq!(field.map(|field| field.name), Some(name.as_str()));
            assert_eq!(Capability::of_word(capability.word()), Some(capability));
        }
    }
}
