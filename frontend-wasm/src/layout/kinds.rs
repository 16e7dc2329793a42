//! The small choices that the state is made of: page, view, width, theme, panes, modes.

/// Which document the page is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Page {
    /// `/`: drop zone and opened files.
    #[default]
    Start,
    /// `/f/{id}/{view}`: a session on the server.
    View,
    /// `/local/{view}`: a file opened in this browser only.
    Local,
}

/// The pane that a view puts first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum View {
    /// Five engine images to scale.
    #[default]
    Regions,
    /// Slots of one engine, with their source.
    Code,
    /// Bytes of anything, with their fields.
    Bytes,
    /// What fills device memory, and what its addresses are.
    Memory,
    /// What collectives put into the tables of the TOP_SPs, and what ranks do.
    Collectives,
    /// What happened when.
    Timeline,
    /// A run of the program on modelled engines: how it ends, and why it stands still.
    Run,
    /// Records by name.
    Structs,
}

impl View {
    /// All views with the key and the label of the rail, in its order.
    pub const ALL: [(Self, &'static str, &'static str); 8] = [
        (Self::Regions, "1", "Regions"),
        (Self::Code, "2", "Code"),
        (Self::Bytes, "3", "Bytes"),
        (Self::Memory, "4", "Memory"),
        (Self::Collectives, "5", "Collect."),
        (Self::Timeline, "6", "Timeline"),
        (Self::Structs, "7", "Structs"),
        (Self::Run, "8", "Run"),
    ];

    /// Whether it shows the panes of slots: Regions, Code, Source, details.
    pub const fn has_slots(self) -> bool {
        matches!(self, Self::Regions | Self::Code)
    }

    /// Whether it shows nothing without an executable. The others wait for what the session's files
    /// are before they ask about a program.
    pub const fn has_program(self) -> bool {
        !matches!(self, Self::Memory | Self::Timeline)
    }

    /// The pane that it puts first.
    pub const fn pane(self) -> Pane {
        match self {
            Self::Regions => Pane::Regions,
            Self::Code => Pane::Code,
            Self::Bytes => Pane::Bytes,
            Self::Memory => Pane::Memory,
            Self::Collectives => Pane::Entries,
            Self::Timeline => Pane::Timeline,
            Self::Run => Pane::Run,
            Self::Structs => Pane::Records,
        }
    }

    /// The pane of its details, for views that have them beside the other panes.
    pub const fn details_pane(self) -> Option<Pane> {
        match self {
            Self::Regions | Self::Code => Some(Pane::Drawer),
            Self::Memory => Some(Pane::MemoryDetails),
            Self::Collectives => Some(Pane::Topology),
            Self::Timeline => Some(Pane::TimelineDetails),
            Self::Run => Some(Pane::RunState),
            Self::Bytes | Self::Structs => None,
        }
    }

    /// Path component: `regions code bytes memory collectives timeline run structs`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Regions => "regions",
            Self::Code => "code",
            Self::Bytes => "bytes",
            Self::Memory => "memory",
            Self::Collectives => "collectives",
            Self::Timeline => "timeline",
            Self::Run => "run",
            Self::Structs => "structs",
        }
    }

    /// The view of a path component.
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().map(|(view, ..)| view).find(|view| view.name() == text)
    }
}

/// Width of the window, in the three layouts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SizeClass {
    /// Below 768 px: one pane, a tab bar.
    Narrow,
    /// 768 to 1279 px: Regions above Code, details as a sheet.
    Medium,
    /// From 1280 px: all panes.
    #[default]
    Wide,
}

impl SizeClass {
    /// The layout of a window width in CSS pixels.
    pub const fn of_width(width: f64) -> Self {
        if width < 768.0 {
            Self::Narrow
        } else if width < 1280.0 {
            Self::Medium
        } else {
            Self::Wide
        }
    }
}

/// Color theme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    /// As the system says.
    #[default]
    System,
    /// Light.
    Light,
    /// Dark.
    Dark,
}

impl Theme {
    /// `system`, `light` or `dark`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    /// The theme of a name.
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "system" => Some(Self::System),
            "light" => Some(Self::Light),
            "dark" => Some(Self::Dark),
            _ => None,
        }
    }

    /// The theme that the switch shows next.
    pub const fn next(self) -> Self {
        match self {
            Self::System => Self::Light,
            Self::Light => Self::Dark,
            Self::Dark => Self::System,
        }
    }
}

/// A pane, for focus, hover and the F6 order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Pane {
    /// Region strips.
    Regions,
    /// Slot rows.
    #[default]
    Code,
    /// Source tree.
    Source,
    /// Details.
    Drawer,
    /// Tree of records.
    Records,
    /// Fields of the record or at the byte.
    Fields,
    /// What has bytes.
    Members,
    /// Bytes.
    Bytes,
    /// The plan of device memory, or the list in its place.
    Memory,
    /// Details of a variable or an address.
    MemoryDetails,
    /// Entries of the control tables, or the decoder.
    Entries,
    /// Fields of an entry.
    EntryFields,
    /// Ranks, steps and the plan of a collective.
    Topology,
    /// The tracks.
    Timeline,
    /// Details of an event.
    TimelineDetails,
    /// How a run ended and why.
    Run,
    /// Counts of a run, engines, queues, semaphores.
    RunState,
}

/// Which slots the Regions pane draws.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RegionsMode {
    /// The device image.
    #[default]
    Image,
    /// The records of the NEFF.
    Neff,
    /// Both, one above the other.
    Both,
}

/// Which layers the Source pane shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SourceFilter {
    /// All.
    #[default]
    All,
    /// Down to the compiler records.
    Bir,
    /// Down to the HLO operations.
    Hlo,
    /// Source lines only.
    Line,
}

/// What the Regions pane is asked to do with its window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StripsWish {
    /// Show the whole images.
    #[default]
    All,
    /// Show the region that the selection is in.
    Selection,
    /// Zoom in around the selection, or the middle.
    In,
    /// Zoom out.
    Out,
}
