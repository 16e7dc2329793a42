//! Where a shown value comes from.

/// Origin of a value. The order goes from the surest to the least sure, so that the provenance of
/// something built from several values is their maximum.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Provenance {
    /// Read from the input.
    File,
    /// Computed by a rule that was seen in real bytes or in the runtime.
    Observed,
    /// Set by the user, or a default that the user can set.
    Configured,
    /// Computed by a rule that fits what is known, without direct proof.
    Inferred,
    /// A stand-in of ours where nothing is published.
    Modelled,
}

impl Provenance {
    /// `file`, `observed`, `configured`, `inferred` or `modelled`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Observed => "observed",
            Self::Configured => "configured",
            Self::Inferred => "inferred",
            Self::Modelled => "modelled",
        }
    }
}

impl std::fmt::Display for Provenance {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.name())
    }
}
