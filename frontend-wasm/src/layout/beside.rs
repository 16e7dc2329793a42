//! Files that are opened beside those that are open.

/// Files that go beside what is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beside {
    /// The executable of a capture.
    Program,
    /// A capture of a run.
    Capture,
    /// A runtime profile.
    Profile,
    /// Source text.
    Source,
}

/// What files on their way in bring beside executables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brings {
    /// Name of a runtime profile; images are built with it.
    pub profile: Option<String>,
    /// Whether there is a capture; its images are shown.
    pub capture: bool,
}
