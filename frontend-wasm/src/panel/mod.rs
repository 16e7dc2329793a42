//! Panels: the DOM of each pane.
//!
//! A panel is `struct XPanel { root: Element, .. }` with three functions:
//!
//! - `new(dispatch: Dispatch) -> Self` builds the fixed part of the DOM and attaches one listener
//!   an event kind to its root (event delegation; rows are never given listeners of their own);
//! - `root(&self) -> &Element`;
//! - `render(&mut self, state: &State)` brings the DOM up to date. It is called at most once a
//!   frame, only when one of the [`crate::layout::action::Dirty`] parts that the panel reads has
//!   changed, must give the same DOM for the same state, and must keep focus and scroll.
//!
//! A panel never fetches, never touches the address bar and never changes another panel: it
//! dispatches an [`Action`] and waits for `render`.

use crate::layout::action::Action;
use std::rc::Rc;

pub mod timer;

pub mod vlist;
/// The button that shows and hides the details of a view.
pub mod details_button;

pub mod fields;

pub mod drawing;

pub mod dialog;

pub mod sheet;

pub mod loader;

pub mod struct_rows;
pub mod structs;

pub mod bytes;

pub mod code;

pub mod regions;

pub mod source_text;

pub mod memory;

pub mod collectives;
pub mod timeline;

pub mod simulate;

pub mod source;

pub mod change;

pub mod drawer;

pub mod start;

pub mod frame;

pub mod goto;

pub mod palette;

pub mod token;

pub mod log;

pub mod notice;

pub mod local;

pub mod transport;

pub mod app;

/// Sends an action to the application. It is queued: a panel may call it from inside `render`.
pub type Dispatch = Rc<dyn Fn(Action)>;
