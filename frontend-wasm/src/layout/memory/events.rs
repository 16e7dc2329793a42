//! What can happen in the Memory view.

use super::{CalcField, Part, Setup, Shown, VarRef};

/// Something that happened in the Memory view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryAction {
    /// Another part of the view.
    Part(Part),
    /// Other page maps.
    Shown(Shown),
    /// Models are loaded another way.
    Setup(Setup),
    /// A number that was typed for the setup is none: its field and text.
    Refused(&'static str, String),
    /// The page map shows whole pages, or their used beginning where that is short.
    Whole(bool),
    /// Another HBM.
    Bank(u32),
    /// Another engine of the chart of lifetimes.
    Engine(String),
    /// A variable was chosen, or none.
    Pick(Option<VarRef>),
    /// A variable is under the pointer, or none.
    Hover(Option<VarRef>),
    /// Another text is searched for.
    Find(String),
    /// A row of the table or of the map was chosen.
    Row(usize),
    /// An address is shown in the map, from any view.
    Go(String),
    /// The record of the chosen variable in the Structs view.
    Record,
    /// A descriptor that uses it: its record and row.
    Descriptor(String, u64),
    /// A field of the calculator.
    Calc(CalcField, String),
    /// The chosen variable's range into the calculator.
    Calculate,
}
