//! Everything that can happen to the page.
//!
//! Panels dispatch [`Action`]s. [`crate::layout::update`] turns one into a new state, the
//! [`Dirty`] parts and a list of [`Effect`]s, which the application carries out.

use super::bytes::BytesRef;
pub use super::collectives::CollectivesAction;
pub use super::dirty::Dirty;
pub use super::effect::{Beside, Effect, Effects, ExportTo, FocusOn};
use super::loader::LoaderChoice;
pub use super::memory::MemoryAction;
pub use super::simulate::RunAction;
use super::state::{
    Hover, Notice, Opening, Pane, RegionsMode, SizeClass, SourceFilter, Theme, View,
};
pub use super::timeline::TimelineAction;
use super::token::Problem;
use debug_api::Block;
use debug_api::answer::{
    AddressAnswer, AddressMapAnswer, BytesAnswer, CollectivesAnswer, DiffAnswer, DumpAnswer,
    FilesAnswer, GotoAnswer, IndexAnswer, InfoAnswer, KbinAnswer, LogAnswer, MembersAnswer,
    MemoryAnswer, NtffAnswer, PcAnswer, PlaceRef, ProfilesAnswer, QueueAnswer, RecordAnswer,
    RecordsAnswer, RegionsAnswer, ScheduleAnswer, ScratchpadAnswer, SimulateAnswer, SlotAnswer,
    SourceAnswer, SpadAnswer, TimelineAnswer, TimelineEventsAnswer, TransferAnswer, VariableAnswer,
};
use std::rc::Rc;

/// How a new place enters the history of the browser.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Move {
    /// A step to a neighbor: replaces the present entry.
    Step,
    /// Another place on the same screen: replaces the present entry, and is asked for at once.
    Near,
    /// A jump: makes a new entry, Back returns.
    Jump,
}

/// A place to select. Either `slot` or `ip` names it; `row` saves a lookup where it is known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// Subgraph; the present one if empty.
    pub s: String,
    /// Engine; the present one if empty.
    pub e: String,
    /// 0-based slot of the device image.
    pub slot: Option<u32>,
    /// 1-based NEFF IP.
    pub ip: Option<u32>,
    /// 0-based display row.
    pub row: Option<u64>,
}

impl From<&PlaceRef> for Target {
    fn from(place: &PlaceRef) -> Self {
        Self {
            s: place.s.clone(),
            e: place.e.clone(),
            slot: place.image_slot,
            ip: place.neff_ip,
            row: place.row,
        }
    }
}

/// An answer that arrived.
#[derive(Clone, Debug)]
pub enum Arrived {
    /// To `info`.
    Info(Rc<InfoAnswer>),
    /// To `regions` of the selected subgraph.
    Regions(Rc<RegionsAnswer>),
    /// To `regions` of every subgraph, in order.
    AllRegions(Vec<Rc<RegionsAnswer>>),
    /// To `slot`.
    Slot(Rc<SlotAnswer>),
    /// To `source`.
    Source(Rc<SourceAnswer>),
    /// To `goto`.
    Goto(Rc<GotoAnswer>),
    /// To `pc`, for an address bar that names a PC.
    Pc(Rc<PcAnswer>),
    /// To `profiles`.
    Profiles(Rc<ProfilesAnswer>),
    /// To `files`.
    Files(Rc<FilesAnswer>),
    /// To `diff`.
    Diff(Rc<DiffAnswer>),
    /// To `log`.
    Log(Rc<LogAnswer>),
    /// To `records`.
    Records(Rc<RecordsAnswer>),
    /// To `record`.
    Record(Rc<RecordAnswer>),
    /// To `kbin`.
    Kbin(Rc<KbinAnswer>),
    /// To `kbin`, asked for one record.
    KbinRecord(Rc<KbinAnswer>),
    /// To `index`.
    Index(Rc<IndexAnswer>),
    /// To `variable`.
    Variable(Rc<VariableAnswer>),
    /// To `queue`.
    Queue(Rc<QueueAnswer>),
    /// To `transfer`.
    Transfer(Rc<TransferAnswer>),
    /// To `dump`.
    Dump(Rc<DumpAnswer>),
    /// To `dump`, asked for one struct.
    DumpStruct(Rc<DumpAnswer>),
    /// To `members`.
    Members(Rc<MembersAnswer>),
    /// To `bytes`.
    Bytes(Rc<BytesAnswer>),
    /// To `bytes`, asked for its fields.
    Fields(Rc<BytesAnswer>),
    /// To `memory`, paged and contiguous.
    Memory(Vec<Rc<MemoryAnswer>>),
    /// To `memory`, asked for places.
    Places(Rc<MemoryAnswer>),
    /// To `address-map`.
    AddressMap(Rc<AddressMapAnswer>),
    /// To `address`.
    Address(Rc<AddressAnswer>),
    /// To `variable`, asked for its users.
    Uses(Rc<VariableAnswer>),
    /// To `scratchpad`.
    Scratchpad(Rc<ScratchpadAnswer>),
    /// To `ntff`.
    Capture(Rc<NtffAnswer>),
    /// To `collectives`.
    Collectives(Rc<CollectivesAnswer>),
    /// To `collectives`, from a further one on.
    MoreCollectives(Rc<CollectivesAnswer>),
    /// To `spad-ctrl` of an entry.
    Entry(Rc<SpadAnswer>),
    /// To `schedule`.
    Schedule(Rc<ScheduleAnswer>),
    /// To `spad-ctrl` of the decoder's word.
    Decode(Rc<SpadAnswer>),
    /// To `spad-ctrl-encode`.
    Encode(Rc<SpadAnswer>),
    /// To `timeline`.
    Timeline(Rc<TimelineAnswer>),
    /// To `timeline`, asked for a range.
    TimelineSums(Rc<TimelineAnswer>),
    /// To `timeline-events`, asked for one.
    TimelineEvent(Rc<TimelineEventsAnswer>),
    /// To `timeline-events`, asked for a slot.
    TimelineExecutions(Rc<TimelineEventsAnswer>),
    /// To `timeline-events`, asked for a window.
    TimelineTable(Rc<TimelineEventsAnswer>),
    /// To `simulate`.
    Run(Rc<SimulateAnswer>),
}

/// Something that happened in the Structs view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StructsAction {
    /// Another text is searched for.
    Find(String),
    /// A record or page is shown from another view.
    Show(String),
    /// The first record that was found is opened, once it is there.
    First,
    /// What the file leaves open to its loader is chosen; nothing for the default.
    Loader(LoaderChoice, String),
    /// A row of the trees was clicked that is no record.
    Row(usize),
    /// A record of the trees was clicked, by its name: rows may have moved since they were drawn.
    Record(String),
    /// What is below a record of this name is shown or hidden.
    Turn(String),
    /// A field was clicked.
    Field(usize),
    /// Rows of the record from this one on.
    Rows(u64),
    /// A link was clicked: of a field, or of the record; and its number there.
    Link(Option<usize>, usize),
    /// A link of a finding was clicked: number of the finding, number of the link.
    Finding(usize, usize),
}

/// Something that happened in the Bytes view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BytesAction {
    /// Another text is searched for in the list.
    Find(String),
    /// A line of the list was clicked.
    Row(usize),
    /// Show these bytes.
    Open(BytesRef),
    /// Bytes in the window, half open.
    Seen(u64, u64),
    /// What is shown is to be shown from its first byte.
    First,
    /// The cursor was put on a byte; whether the selection reaches to it.
    Byte(u64, bool),
    /// A field was clicked.
    Field(usize),
    /// A field is under the pointer, or none.
    Hover(Option<usize>),
    /// A byte is under the pointer, or none.
    HoverByte(Option<u64>),
    /// Bytes are shown as text, or as digits.
    Text(bool),
}

/// Something that happened.
#[derive(Clone, Debug)]
pub enum Action {
    /// The page starts, with the query of its address (without the question mark).
    Start(String),
    /// Back or Forward was used: the query is restored.
    Restore {
        /// View of the path.
        view: Option<View>,
        /// Query without the question mark.
        query: String,
    },
    /// Select a place: a click in any pane, a link in the drawer, a key.
    Select(Target, Move),
    /// Move the row cursor of the Code pane by this many display rows.
    StepRow(i64),
    /// Show an engine, keeping the subgraph.
    SetEngine(String),
    /// Show a subgraph.
    SetSubgraph(String),
    /// Stack all subgraphs in the Regions pane.
    SetAllCores(bool),
    /// Build the image by another profile; `None` is the target's default.
    SetProfile(Option<String>),
    /// Build the image for another physical core; `None` is the subgraph's own.
    SetCore(Option<u32>),
    /// Show the built image instead of the captured one, or the captured one again.
    SetModelled(bool),
    /// Take another file of the session as the capture.
    SetCapture(Option<usize>),
    /// Show captured and built records side by side, or the slots.
    SetCompare(bool),
    /// Fold equal records, or show all.
    SetOnlyDifferent(bool),
    /// The comparison keeps these display rows in the document, half open.
    CompareSeen(u64, u64),
    /// A display row of the comparison was chosen.
    ComparePick(u64),
    /// A file was added to the session of this page.
    FilesAdded,
    /// Open or close the panel of the runtime profile.
    ProfileOpen(bool),
    /// Slots that the Regions pane draws.
    SetRegionsMode(RegionsMode),
    /// Draw the patch marks, or leave them out.
    SetPatches(bool),
    /// Select a patch by its subgraph, engine and place in the engine's list.
    SelectPatch {
        /// Subgraph.
        s: String,
        /// Engine.
        e: String,
        /// 0-based index.
        index: usize,
    },
    /// The Regions pane shows these image slots wide enough to be named, half open.
    StripsSeen(u64, u64),
    /// Layers that the Source pane shows.
    SetSourceFilter(SourceFilter),
    /// Close or open a source node, by its key.
    ToggleSource(String),
    /// The pointer is over something, or over nothing.
    Hover(Option<Hover>),
    /// Focus moved into a pane.
    Focused(Pane),
    /// Run a command of the registry by id; what a button does.
    Run(&'static str),
    /// Show another view.
    SetView(View),
    /// Show or hide the bytes of the selected row.
    Expand(bool),
    /// Copy a text and say so: the text, and what it is in words.
    Copy(String, &'static str),
    /// The go-to box was opened or closed.
    GotoOpen(bool),
    /// The go-to box lost the focus to something else.
    GotoLeft,
    /// Text of the go-to box changed.
    GotoText(String),
    /// Another row of its list is active.
    GotoActive(usize),
    /// Go to the active row, or to this one.
    GotoEnter(Option<usize>),
    /// Text of the palette changed.
    PaletteText(String),
    /// Another row of the palette is active.
    PaletteActive(usize),
    /// Run the active row, or this one.
    PaletteEnter(Option<usize>),
    /// Close what floats above the panes.
    CloseOverlay,
    /// Read this text as a runtime log.
    LogRead(String),
    /// A part of the breadcrumb of the Structs or Bytes view was clicked.
    Crumb(usize),
    /// Something in the Structs view.
    Structs(StructsAction),
    /// Something in the Bytes view.
    Bytes(BytesAction),
    /// Something in the Memory view.
    Memory(MemoryAction),
    /// Something in the Collectives view.
    Collectives(CollectivesAction),
    /// Something in the Timeline view.
    Timeline(TimelineAction),
    /// Something in the Run view.
    RunView(RunAction),
    /// Forget the log that was read.
    LogClear,
    /// Go to a place of a line of the log: number of the row, number of the place.
    LogGo(usize, usize),
    /// Use a base that was solved for, by its number.
    LogBase(usize),
    /// The theme was chosen.
    SetTheme(Theme),
    /// Whether single-letter keys do anything.
    SetLetterKeys(bool),
    /// The window has another width class.
    Resized(SizeClass),
    /// The browser put a text on the clipboard; `false` if it refused.
    Copied(bool, &'static str),
    /// Close a banner, by its 0-based number.
    Dismiss(usize),
    /// The toast's time is over.
    ToastOver(u32),
    /// The pointer is over the toast, or left it: its time stands still, or runs again.
    HoldToast(bool),
    /// A file was chosen and is being read or sent.
    Opening(Opening),
    /// It went on: bytes done so far.
    OpeningProgress(u64),
    /// What the files on their way in bring beside executables.
    Brings(Brings),
    /// 300 ms have passed.
    OpeningSlow,
    /// Stop it.
    OpeningCancel,
    /// The opening is over; these are the banners of the files that could not be opened.
    FilesRefused(Vec<Notice>),
    /// A file of this name cannot be sent without the token, or without another one.
    TokenWanted(String, Option<Problem>),
    /// Something was typed as the token.
    TokenGiven(String),
    /// The server has taken the token.
    TokenTaken,
    /// The server has not taken the token that was typed, or could not be asked.
    TokenRefused(Problem),
    /// The worker has opened the file.
    OpenedLocal(Rc<InfoAnswer>),
    /// The server has opened the file under this id.
    OpenedRemote(String),
    /// An answer arrived; `asked` is the number of the question.
    Answer {
        /// Number of the question.
        asked: u32,
        /// The answer.
        answer: Box<Arrived>,
    },
    /// A question failed.
    Failed {
        /// Number of the question; 0 where none was asked.
        asked: u32,
        /// What to tell.
        notice: Notice,
    },
    /// An answer takes longer than 300 ms, or no longer does.
    Slow(bool),
    /// The Code pane keeps these rows in the document now, half open.
    Window(u64, u64),
    /// A chunk of rows arrived.
    Rows {
        /// Number of the image.
        image: u32,
        /// Number of the chunk.
        chunk: u64,
        /// The rows.
        block: Box<Block>,
    },
    /// A chunk of rows could not be loaded.
    RowsFailed {
        /// Number of the image.
        image: u32,
        /// Number of the chunk.
        chunk: u64,
        /// What to tell.
        notice: Notice,
    },
    /// The Code pane was scrolled, resized or came to rest; it has to be drawn again.
    Redraw,
    /// What the user's keyboard prints on its physical keys: code and cap.
    Keycaps(Vec<(String, String)>),
}

/// What files on their way in bring beside executables.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Brings {
    /// Name of a runtime profile; images are built with it.
    pub profile: Option<String>,
    /// Whether there is a capture; its images are shown.
    pub capture: bool,
}
