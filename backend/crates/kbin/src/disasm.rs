//! Records as text.
//!
//! [`text()`] is the `.asm` form, complete and in one grammar for all records. [`operands()`],
//! [`wait_words`] and [`update_words`] are the short words of a table row, [`sentence()`] is one
//! plain sentence, [`fields()`] maps every byte. Everything takes any 64 bytes.
//!
//! The `write_..` forms write into a caller's buffer and allocate nothing.

mod value;

mod words;

mod text;

mod operands;

mod fields;
mod sentence;

pub use fields::{Field, fields};
pub use operands::{operands, write_operands};
pub use sentence::{line, sentence};
pub use text::{sp_slot8_text, text, write_text};
pub use words::{update_words, wait_words, write_update_words, write_wait_words};

/// What the subgraph calls the things that records name by number.
#[derive(Clone, Copy, Debug, Default)]
pub struct Names<'a> {
    /// Variable names by variable id; may be shorter than the ids in use.
    pub variables: &'a [&'a str],
    /// Variable ids of the table that dynamic transfers refer to.
    pub table: &'a [u32],
}

impl<'a> Names<'a> {
    /// Nothing is known: variables show as numbers.
    pub const NONE: Names<'static> = Names { variables: &[], table: &[] };

    /// The name of a variable; `None` where it is not known or empty.
    pub fn variable(&self, id: u32) -> Option<&'a str> {
        let name = *self.variables.get(usize::try_from(id).ok()?)?;
        (!name.is_empty()).then_some(name)
    }

    /// The variable at a place of the table.
    pub fn table_entry(&self, index: u32) -> Option<u32> {
        self.table.get(usize::try_from(index).ok()?).copied()
    }
}
