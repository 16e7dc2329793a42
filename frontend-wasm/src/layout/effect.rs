//! What an update asks of the browser.

use super::dirty::Dirty;
use super::state::{Pane, Purpose};
use debug_api::{ColumnsRequest, ExportRequest, Request};

/// Where focus goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FocusOn {
    /// The tab stop of a pane.
    Pane(Pane),
    /// The go-to box.
    Goto,
    /// The search box of the Structs or Bytes view.
    Search,
    /// The palette's input.
    Palette,
    /// The dialog that was opened.
    Dialog,
    /// The panel of the runtime profile.
    Profile,
    /// What had the focus before the overlay.
    Before,
}

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

/// Where an export goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExportTo {
    /// A file that the browser saves.
    Disk,
    /// Perfetto's page, in this browser.
    Perfetto,
}

/// Something that only a browser can do.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Ask a question, after a delay in milliseconds (0: at once).
    Ask(Purpose, u32, Request, u32),
    /// Ask several questions of one purpose, in order.
    AskAll(Purpose, u32, Vec<Request>),
    /// Drop the question in flight.
    Forget(Purpose),
    /// Load a chunk of rows: number of the image, number of the chunk, request.
    Rows(u32, u64, ColumnsRequest),
    /// Load what is drawn of a window of the timeline: number of the question, request.
    Tile(u32, ColumnsRequest),
    /// Rows of another image are shown from now on: drop those in flight.
    ForgetRows,
    /// Write this path and query into the address bar: `true` makes a history entry.
    Address(String, bool),
    /// Move the focus.
    Focus(FocusOn),
    /// Speak a sentence (polite live region).
    Say(String),
    /// Put a text on the clipboard; the words say what it is.
    Copy(String, &'static str),
    /// Copy the whole address with this path and query.
    CopyAddress(String),
    /// Keep a setting: name and value.
    Store(&'static str, String),
    /// Close the toast of this serial after six seconds.
    ToastTimer(u32),
    /// Let the toast's time stand still, or run again.
    HoldToast(bool),
    /// Open the file picker.
    Pick,
    /// Open the file picker for a file that goes beside the open executable.
    PickBeside(Beside),
    /// Ask the server whether this is its token; keep it for the tab if so, and send the file.
    CheckToken(String),
    /// Stop reading or sending a file, or waiting with it.
    CancelOpening,
    /// Give the run up that is under way.
    EndRun,
    /// Write the timeline in the form of another tool.
    Export(ExportRequest, ExportTo),
    /// Load another document.
    Navigate(String),
}

/// What an update asks for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effects {
    /// What has to be drawn again.
    pub dirty: Dirty,
    /// What the browser has to do, in order.
    pub list: Vec<Effect>,
}

impl Effects {
    /// Marks parts as changed.
    pub fn mark(&mut self, dirty: Dirty) {
        self.dirty = self.dirty.and(dirty);
    }

    /// Adds an effect.
    pub fn push(&mut self, effect: Effect) {
        self.list.push(effect);
    }
}
