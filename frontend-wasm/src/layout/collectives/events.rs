//! What can happen in the Collectives view.

use super::{EntryAt, Part, Setup, SetupField};

/// Something that happened in the Collectives view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CollectivesAction {
    /// Another part of the lower right side.
    Part(Part),
    /// What the files do not say was set another way.
    Setup(Setup),
    /// A text that was typed for a number of the setup.
    Number(SetupField, String),
    /// Numbers of algorithms read as patterns, or as algorithms.
    Patterns(bool),
    /// Only the entries of one TOP_SP are listed, or all.
    TopSp(Option<u32>),
    /// Another text is searched for.
    Find(String),
    /// The plan of another rank.
    Rank(u32),
    /// An entry was chosen.
    Pick(EntryAt),
    /// A collective was chosen, from any view or from a finding; and the rank whose plan has it.
    Go(u64, Option<u32>),
    /// A field was chosen, or none.
    Field(Option<String>),
    /// A field is under the pointer, or none.
    Hover(Option<String>),
    /// Another step of the schedule.
    Step(u64),
    /// Another rank, by its place in the group.
    Node(u32),
    /// The decoder in place of the table, or the table.
    Decoder(bool),
    /// The text of the decoder.
    Word(String),
    /// A bit of the decoder's word was turned.
    Turn(u32),
    /// A field of the decoder's word was set: name and text.
    Value(String, String),
    /// The selected entry into the decoder.
    Edit,
    /// The page of a variable in Structs.
    Variable(String),
}
