//! The one state of the page: what is open, what is selected, and the answers that have arrived.
//!
//! Panels read it, [`crate::layout::update`] alone changes it. Answers are kept behind `Rc`, so
//! that a panel can compare by pointer whether it has already drawn one.

use super::bytes::BytesBox;
use super::collectives::CollectivesBox;
use super::compare::Plan;
pub use super::kinds::*;
use super::log::LogBox;
use super::memory::MemoryBox;
pub use super::purpose::Purpose;
use super::simulate::RunBox;
use super::store::RowStore;
use super::structs::StructsBox;
use super::timeline::{TimelineBox, TraceSource};
use super::token::TokenBox;
pub use super::wanted::Wanted;
use crate::layout::action::Brings;
use debug_api::Scope;
use debug_api::answer::{
    DiffAnswer, FilesAnswer, Finding, GotoAnswer, InfoAnswer, ProfilesAnswer, RegionsAnswer,
    SlotAnswer, SourceAnswer,
};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Engine names in the order of every list.
pub const ENGINES: [&str; 5] = ["PE", "ACT", "POOL", "DVE", "SP"];

/// The place that all panes show. `s` and `e` are always set once the regions are there.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// Subgraph name; empty until known.
    pub s: String,
    /// Engine name, `PE` if nothing else was asked for.
    pub e: String,
    /// 0-based slot of the device image; `None` for a deleted record or nothing.
    pub slot: Option<u32>,
    /// 1-based NEFF IP; `None` for a slot that the runtime made.
    pub ip: Option<u32>,
    /// 0-based display row of the Code pane, as far as it is known.
    pub row: Option<u64>,
}

impl Selection {
    /// Whether a slot or a record is selected.
    pub const fn is_some(&self) -> bool {
        self.slot.is_some() || self.ip.is_some()
    }
}

/// How the image is built: everything that changes the answers but is no place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Build {
    /// Runtime profile; the target's default if absent.
    pub profile: Option<String>,
    /// Physical core.
    pub core: Option<u32>,
    /// Device base of the image.
    pub base: Option<String>,
    /// Whether the built image is shown where there is a captured one.
    pub modelled: bool,
    /// 0-based file of the session that is the capture, where several are.
    pub ntff: Option<usize>,
}

/// Layer of a source group, as in the columns `bir`, `pen` and `line`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Layer {
    /// Compiler record.
    Bir,
    /// Tensor operation.
    Pen,
    /// Source line.
    Line,
}

/// What the pointer is over, so that the other panes can light up its counterpart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hover {
    /// The pane under the pointer.
    pub pane: Pane,
    /// The finest source group of what is under it; the id is the value of the code column
    /// (group id + 1, never 0).
    pub group: Option<(Layer, u32)>,
    /// Engine, image slot and IP under it.
    pub e: String,
    /// Image slot under it.
    pub slot: Option<u32>,
    /// NEFF IP under it.
    pub ip: Option<u32>,
}

/// An error or a finding shown as a banner, until it is dismissed or its cause is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What failed; a second failure of the same kind takes its place.
    pub about: About,
    /// `error`, `warning` or `info`.
    pub severity: String,
    /// Stable code.
    pub code: String,
    /// What happened and what to do next, in a sentence.
    pub message: String,
}

/// What a notice is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum About {
    /// Opening a file.
    Open,
    /// The file as a whole.
    File,
    /// The region strips.
    Regions,
    /// The slot rows.
    Code,
    /// Details of one slot.
    Slot,
    /// The source tree.
    Source,
    /// The go-to box.
    Goto,
    /// The box for a runtime log.
    Log,
    /// The Structs view.
    Records,
    /// The Bytes view.
    Bytes,
    /// The Memory view.
    Memory,
    /// The Collectives view.
    Collectives,
    /// The Timeline view.
    Timeline,
    /// The Run view.
    Run,
    /// Files that do not belong together.
    Pair,
    /// An address that was followed: its parts that do not exist.
    Address,
}

/// A message at the bottom, for at most six seconds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Toast {
    /// Sentence.
    pub text: String,
    /// Counts up, so that an old timer cannot close a new toast.
    pub serial: u32,
}

/// What floats above the panes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Overlay {
    /// Nothing.
    #[default]
    None,
    /// Command palette.
    Palette,
    /// Key sheet.
    Keys,
    /// All findings about the file.
    Findings,
    /// The server's token is asked for.
    Token,
    /// The box for a runtime log.
    Log,
}

/// The go-to box.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GotoBox {
    /// Whether its list is open.
    pub open: bool,
    /// Text in it.
    pub text: String,
    /// The answer to an earlier or the present text.
    pub answer: Option<Rc<GotoAnswer>>,
    /// Active row of the list.
    pub active: usize,
    /// Whether Enter was pressed before the answer to the text was there.
    pub enter: bool,
}

/// The command palette.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PaletteBox {
    /// Text in it.
    pub text: String,
    /// Active row.
    pub active: usize,
}

/// A file on its way in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    /// File name.
    pub name: String,
    /// Size in bytes.
    pub bytes: u64,
    /// Bytes sent or read so far.
    pub done: u64,
    /// Whether it goes to the server.
    pub upload: bool,
    /// Whether 300 ms have passed, so that progress is worth showing.
    pub slow: bool,
}

/// A row that the Code pane has to bring into view.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Reveal {
    /// 0-based display row.
    pub row: u64,
    /// Counts up with each wish; the pane obeys each once.
    pub serial: u32,
    /// Whether focus goes to the row too.
    pub focus: bool,
}

/// A wish about the window of the Regions pane; the pane obeys each once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StripsMove {
    /// What to do.
    pub wish: StripsWish,
    /// Counts up with each wish.
    pub serial: u32,
}

/// The comparison of a captured and a built image.
#[derive(Clone, Debug, Default)]
pub struct CompareBox {
    /// Whether it takes the place of the slot rows.
    pub open: bool,
    /// Whether equal records are folded.
    pub only: bool,
    /// What was asked for last.
    pub scope: Option<Scope>,
    /// The answer, as far as it has arrived.
    pub answer: Option<Rc<DiffAnswer>>,
    /// Its display rows.
    pub plan: Rc<Plan>,
    /// Its loaded records.
    pub rows: RowStore,
    /// The display row of the cursor.
    pub cursor: u64,
    /// Counts up with each wish to see the cursor.
    pub reveal: u32,
}

/// Loaded rows of the engines whose slots the Regions pane names, by subgraph and engine.
pub type Labels = BTreeMap<(String, String), RowStore>;

/// The state of the page.
#[derive(Clone, Debug, Default)]
pub struct State {
    /// Which document this is.
    pub page: Page,
    /// Which pane is first.
    pub view: View,
    /// Session id on the server; empty for a local file.
    pub session: String,
    /// Version of the program.
    pub version: String,
    /// Width class of the window.
    pub size_class: SizeClass,
    /// Color theme.
    pub theme: Theme,
    /// Whether the address bar fixes the theme, so that a link keeps it.
    pub theme_in_link: bool,
    /// Whether single-letter keys do anything.
    pub letter_keys: bool,
    /// What the user's keyboard prints on the physical keys, as far as the browser tells.
    pub keycaps: BTreeMap<String, String>,
    /// Whether a file is open, on the server or in the worker.
    pub opened: bool,
    /// Whether the server knows that no executable is open, before the files are known here.
    pub alone: bool,
    /// The selected place.
    pub selection: Selection,
    /// How the image is built.
    pub build: Build,
    /// What the files on their way in bring beside executables.
    pub brings: Brings,
    /// What the pointer is over.
    pub hover: Option<Hover>,
    /// The pane that has or had the focus last.
    pub pane: Pane,
    /// Whether the details drawer is open. Below 1280 px it is closed until someone asks for it.
    pub drawer_open: bool,
    /// Whether it is open in a wide window: what the browser remembers.
    pub drawer_wide: bool,
    /// Whether the view rail is open.
    pub rail_open: bool,
    /// Which slots the Regions pane draws.
    pub regions_mode: RegionsMode,
    /// Whether the Regions pane stacks all subgraphs.
    pub all_cores: bool,
    /// Whether the Regions pane leaves the patch marks out.
    pub patches_hidden: bool,
    /// The window that the Regions pane is asked for.
    pub strips: StripsMove,
    /// Rows that name the slots of the Regions pane, where they are wide enough.
    pub labels: Rc<Labels>,
    /// Whether the panel of the runtime profile is open.
    pub profile_open: bool,
    /// Runtime profiles with their steps, once they have been asked for.
    pub profiles: Option<Rc<ProfilesAnswer>>,
    /// Captured against built image.
    pub compare: CompareBox,
    /// Files of the session, once they have been asked for.
    pub files: Option<Rc<FilesAnswer>>,
    /// Which layers the Source pane shows.
    pub source_filter: SourceFilter,
    /// Source nodes that the user closed, by their key.
    pub source_closed: BTreeSet<String>,
    /// Whether the selected row shows its bytes.
    pub expanded: bool,
    /// Facts about the file.
    pub info: Option<Rc<InfoAnswer>>,
    /// Images of the selected subgraph.
    pub regions: Option<Rc<RegionsAnswer>>,
    /// Images of all subgraphs, in order, while `all_cores` is on.
    pub all_regions: Vec<Rc<RegionsAnswer>>,
    /// Details of the selected slot. While a new one loads the old one stays; see `slot_stale`.
    pub slot: Option<Rc<SlotAnswer>>,
    /// Whether `slot` is not yet that of the selection.
    pub slot_stale: bool,
    /// Source tree at the selected record; the old one stays while a new one loads.
    pub source: Option<Rc<SourceAnswer>>,
    /// Rows of the Code pane.
    pub rows: RowStore,
    /// Rows of the image shown before, until the first of the new one have arrived.
    pub rows_before: RowStore,
    /// Rows that the Code pane keeps in the document, half open.
    pub window: (u64, u64),
    /// The row cursor of the Code pane: the row of the selection, or where it was last.
    pub cursor: u64,
    /// The row to bring into view.
    pub reveal: Reveal,
    /// Go-to box.
    pub goto: GotoBox,
    /// Palette.
    pub palette: PaletteBox,
    /// The runtime log that was pasted.
    pub log: LogBox,
    /// The Structs view.
    pub structs: StructsBox,
    /// The Bytes view.
    pub bytes: BytesBox,
    /// The Memory view.
    pub memory: MemoryBox,
    /// The Collectives view.
    pub collectives: CollectivesBox,
    /// The Timeline view.
    pub timeline: TimelineBox,
    /// The Run view.
    pub run: RunBox,
    /// What floats above the panes.
    pub overlay: Overlay,
    /// Banners, newest last.
    pub notices: Vec<Notice>,
    /// Toast.
    pub toast: Option<Toast>,
    /// File on its way in.
    pub opening: Option<Opening>,
    /// The server's token.
    pub token: TokenBox,
    /// Whether any answer takes longer than 300 ms.
    pub slow: bool,
    /// Counts all serials of this state.
    pub serial: u32,
    /// Number of the last question of each purpose; older answers are dropped.
    pub asked: BTreeMap<Purpose, u32>,
    /// What the address bar asked for and the answers have yet to confirm.
    pub wanted: Wanted,
    /// The last place on each engine of each subgraph, to return to.
    pub places: BTreeMap<(String, String), Selection>,
}

impl State {
    /// Whether the details of the view stand below its other parts, where nothing is covered by
    /// them: they are not hidden then.
    pub fn details_follow(&self) -> bool {
        self.size_class != SizeClass::Wide && matches!(self.view, View::Collectives | View::Run)
    }

    /// Whether the details of the view are shown.
    pub fn has_details(&self) -> bool {
        self.drawer_open || self.details_follow()
    }

    /// Place of the selected subgraph in its file.
    pub fn selected_subgraph(&self) -> u32 {
        let all = self.regions.as_ref().map_or(&[][..], |regions| regions.subgraphs.as_slice());
        let at = all.iter().position(|one| *one == self.selection.s);
        at.and_then(|at| u32::try_from(at).ok()).unwrap_or(0)
    }

    /// Core of the first subgraph, where one is chosen: cores are chosen for the selected subgraph,
    /// and those of a file follow each other.
    pub fn first_core(&self) -> Option<u32> {
        Some(self.build.core?.saturating_sub(self.selected_subgraph()))
    }

    /// Images to draw: one, or all subgraphs in `all_cores` mode.
    pub fn shown_regions(&self) -> Vec<Rc<RegionsAnswer>> {
        if self.all_cores && !self.all_regions.is_empty() {
            return self.all_regions.clone();
        }
        self.regions.iter().cloned().collect()
    }

    /// Whether the session has a capture of this executable.
    pub fn has_capture(&self) -> bool {
        self.regions.as_ref().is_some_and(|regions| regions.capture.is_some())
    }

    /// What the Timeline shows: the chosen source, else a capture, else a run. Without an executable
    /// nothing can run.
    pub fn trace_source(&self) -> TraceSource {
        match self.timeline.chosen {
            _ if self.regions.is_none() => TraceSource::Captured,
            Some(chosen) => chosen,
            None if self.has_capture() => TraceSource::Captured,
            None => TraceSource::Simulated,
        }
    }

    /// Whether the images that are shown are the capture's.
    pub fn shows_capture(&self) -> bool {
        self.regions.as_ref().is_some_and(|regions| regions.captured)
    }

    /// The images of one engine of the selected subgraph.
    pub fn engine(&self) -> Option<&debug_api::answer::EngineRegions> {
        let regions = self.regions.as_deref()?;
        regions.engines.iter().find(|engine| engine.engine == self.selection.e)
    }

    /// The rows to draw: those of the selected image, or the ones before while none has arrived.
    pub fn rows_shown(&self) -> &RowStore {
        let old = !self.rows.has_any() && self.rows.rows() > 0 && self.rows_before.has_any();
        if old { &self.rows_before } else { &self.rows }
    }

    /// Findings about the file and about the images that are shown.
    pub fn findings(&self) -> Vec<&Finding> {
        let info = self.info.iter().flat_map(|info| &info.diagnostics);
        let regions = self.regions.iter().flat_map(|regions| &regions.diagnostics);
        info.chain(regions).collect()
    }
}
